// The workbench of a server for a team: the login, and what each role is offered. Run it with scripts/web.sh test.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inMatter, launch, logIn, MATTER, serve, settled, start, violations } from "./lib.mjs";

const LOOKS = [
  ["light", 1280],
  ["dark", 1280],
  ["light", 320],
  ["dark", 320],
];
const HIDDEN = "Old pier";
const DOCUMENT = "Refurbishment_Works_Agreement.pdf";

let casetrack, browser, server;
const tokens = {};

before(async () => {
  [casetrack, browser] = await Promise.all([start(), launch()]);
  await casetrack.cli("new", HIDDEN);
  await casetrack.call("add_evidence", { document: DOCUMENT, page: 4, quote: "simple interest", exhibit: "A-1", note: "See clause 4." });
  const users = [["rita", "reader"], ["edgar", "editor"], ["olga", "owner", "--collections"], ["root", "", "--admin"]];
  for (const [name, role, ...options] of users) {
    tokens[name] = JSON.parse(await casetrack.cli("users", "add", name, ...options, "--json")).token;
    if (role) await casetrack.cli("users", "allow", name, MATTER, role);
  }
  server = await serve(casetrack);
});

after(async () => {
  await browser?.close();
  await server?.stop();
  casetrack?.stop();
});

/** Does something in a browser of its own: at the login, or signed in as somebody. Nothing may go wrong in its pages meanwhile. */
async function as(name, act, options = {}) {
  const bench = await server.visit(browser, options);
  try {
    if (name) await logIn(bench, tokens[name]);
    await act(bench);
    assert.deepEqual(bench.problems, []);
  } finally {
    await bench.context.close();
  }
}

/** Which of these a page offers. */
async function offered(page, names) {
  const found = [];
  for (const name of names) if ((await page.getByRole("button", { name }).count()) > 0) found.push(name);
  return found;
}

test("who is not signed in sees a login and nothing else", () =>
  as(null, async ({ page, go, context }) => {
    await go(inMatter("documents"));
    assert.equal(await page.getByText(MATTER).count(), 0);
    await page.getByText("casetrack users add NAME").waitFor();
    await page.getByLabel("Your token").fill("casetrack_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("This server does not know this token.").waitFor();
    assert.deepEqual(await context.cookies(), []);
    // The address that was asked for is shown after the login.
    await page.getByLabel("Your token").fill(tokens.rita);
    await page.getByLabel("Your token").press("Enter");
    await page.getByRole("heading", { name: "Documents", level: 1 }).waitFor();
    const [cookie] = await context.cookies();
    assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.expires], [true, "Strict", -1]);
    assert.equal(await page.evaluate(() => document.cookie), "");
  }));

test("a reader is offered what reads, and is told so", () =>
  as("rita", async ({ page, go }) => {
    const row = page.getByRole("row", { name: new RegExp(MATTER) });
    await row.getByText("Reader").waitFor();
    assert.equal(await page.getByText(HIDDEN).count(), 0);
    assert.deepEqual(await offered(page, ["New matter", "Rename", "Delete", `Close ${MATTER}`]), []);
    await go(inMatter("documents"));
    await page.getByText("You are a reader of this matter.").waitFor();
    assert.deepEqual(await offered(page, ["Choose files", "Choose a folder", "Add a path", "Watch a folder"]), []);
    await go(inMatter("sheet"));
    assert.deepEqual(await offered(page, ["Columns", "New column", "Save as CSV"]), ["Columns", "Save as CSV"]);
    await go(inMatter("evidence"));
    await page.getByText("See clause 4.").waitFor();
    await page.getByText("Exhibit A-1").waitFor();
    assert.deepEqual(await offered(page, ["Number the exhibits", "Remove", "PDF"]), ["PDF"]);
    assert.equal(await page.locator("main input, main textarea").count(), 0);
    // Pictures of pages and files to take away come with the cookie.
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV" }).click();
    await saved;
    await go(`${inMatter(`doc/${DOCUMENT}`)}?page=4`);
    await page.locator(".sheet img").waitFor();
    await go(`${inMatter("search")}?q=late+payment`);
    await page.getByRole("button", { name: "Copy quotation" }).waitFor();
    assert.deepEqual(await offered(page, ["Add to evidence"]), []);
    await go(inMatter("documents", HIDDEN));
    await page.getByRole("alert").getByText(/not found/i).first().waitFor();
  }));

test("an editor adds files and evidence, and no paths of the server", () =>
  as("edgar", async ({ page, go }) => {
    assert.deepEqual(await offered(page, ["New matter", "Rename", "Delete"]), []);
    await go(inMatter("documents"));
    assert.deepEqual(await offered(page, ["Choose files", "Add a path", "Watch a folder"]), ["Choose files"]);
    const file = { name: "Crane_Note.txt", mimeType: "text/plain", buffer: Buffer.from("The crane was inspected on 4 May 2025.\n") };
    await page.locator("input[type=file]").first().setInputFiles(file);
    await page.getByRole("link", { name: "Crane_Note.txt" }).waitFor();
    await go(`${inMatter("search")}?q=crane+inspected`);
    await page.getByRole("button", { name: "Add to evidence" }).first().click();
    await page.getByText("Added to the evidence.").waitFor();
    await go(inMatter("evidence"));
    await page.getByText("2 passages").waitFor();
    assert.deepEqual(await offered(page, ["Number the exhibits"]), ["Number the exhibits"]);
  }));

test("an owner changes matters and makes them, and an administrator uses the server's disk", async () => {
  await as("olga", async ({ page }) => {
    assert.deepEqual(await offered(page, [`Rename ${MATTER}`, `Delete ${MATTER}`]), [`Rename ${MATTER}`, `Delete ${MATTER}`]);
    await page.getByRole("button", { name: "New matter" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Lighthouse");
    await page.getByRole("button", { name: "Create" }).click();
    // Who makes a matter owns it, at once.
    await page.getByRole("button", { name: "Choose files" }).waitFor();
    assert.deepEqual(await offered(page, ["Add a path"]), []);
  });
  await as("root", async ({ page, go }) => {
    await page.getByText(HIDDEN).waitFor();
    await go(inMatter("documents", HIDDEN));
    await page.locator(".watches summary").click();
    assert.deepEqual(await offered(page, ["Choose files", "Add a path", "Watch a folder"]), ["Choose files", "Add a path", "Watch a folder"]);
    await page.getByRole("button", { name: "Add a path" }).click();
    await page.getByLabel("Path on the server").waitFor();
  });
});

test("a role that changes is noticed, and signing out leaves nothing", () =>
  as("rita", async ({ page, go, context }) => {
    await go(inMatter("documents"));
    await casetrack.cli("users", "allow", "rita", MATTER, "editor");
    await go(inMatter("evidence"));
    await page.getByRole("button", { name: "Number the exhibits" }).waitFor();
    await casetrack.cli("users", "allow", "rita", MATTER, "reader");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Your token").waitFor();
    assert.equal(new URL(page.url()).hash, "");
    assert.deepEqual(await context.cookies(), []);
    assert.equal(await page.getByText(MATTER).count(), 0);
  }));

test("a page whose login has ended says so and keeps what was typed", async () => {
  const { token } = JSON.parse(await casetrack.cli("users", "add", "ivo", "--json"));
  await casetrack.cli("users", "allow", "ivo", MATTER, "reader");
  tokens.ivo = token;
  await as("ivo", async ({ page, go }) => {
    await go(inMatter("draft"));
    await page.locator("textarea").fill('It pays "simple interest".');
    tokens.ivo = JSON.parse(await casetrack.cli("users", "token", "ivo", "--json")).token;
    await page.getByRole("button", { name: "Check the draft" }).click();
    await page.getByText("You are no longer signed in.").first().waitFor();
    assert.equal(await page.locator("textarea").inputValue(), 'It pays "simple interest".');
    await page.reload();
    await logIn({ page }, tokens.ivo);
  });
});

test("a page is told that its login has ended, and hears of changes again after the next one", async () => {
  tokens.mia = JSON.parse(await casetrack.cli("users", "add", "mia", "--json")).token;
  await casetrack.cli("users", "allow", "mia", MATTER, "reader");
  const letter = join(casetrack.home, "Letter of mia.txt");
  writeFileSync(letter, "The keys are with the porter from 4 May 2026 on.\n");
  await as("mia", async ({ page, go, context, origin }) => {
    await go(inMatter("documents"));
    tokens.mia = JSON.parse(await casetrack.cli("users", "token", "mia", "--json")).token;
    const over = page.getByText("You are no longer signed in.");
    await over.first().waitFor();
    const other = await context.newPage();
    await other.goto(origin);
    await logIn({ page: other }, tokens.mia);
    await other.close();
    await go(inMatter("evidence"));
    await over.first().waitFor({ state: "detached" });
    await go(inMatter("documents"));
    await casetrack.cli("ingest", letter, "-c", MATTER, "-q");
    await page.getByRole("link", { name: "Letter of mia.txt" }).waitFor();
  });
});

test("the login and what users see have no barriers", async () => {
  for (const [colorScheme, width] of LOOKS) {
    const look = { colorScheme, viewport: { width, height: 800 } };
    const sound = async (page, place) => {
      assert.deepEqual(await violations(page), [], `${place}, ${colorScheme}, ${width}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${place}, ${colorScheme}: ${wide} pixels are wider than ${width}`);
    };
    await as(null, async ({ page }) => {
      await sound(page, "login");
      await page.getByLabel("Your token").fill("x");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("alert").waitFor();
      await sound(page, "a login that failed");
    }, look);
    await as("rita", async ({ page, go }) => {
      for (const view of ["#/", inMatter("documents"), inMatter("evidence")]) {
        await go(view);
        await settled(page);
        await sound(page, view);
      }
    }, look);
  }
});
