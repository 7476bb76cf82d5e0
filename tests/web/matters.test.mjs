// What happens to matters as a whole, over the real program in Chromium: jobs, watched folders, states, printing, exports, the end of
// the background process. Run it with scripts/web.sh test.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { inMatter, launch, MATTER, PATIENCE, settled, signIn, start } from "./lib.mjs";

let casetrack, browser, bench, page;

before(async () => {
  [casetrack, browser] = await Promise.all([start(), launch()]);
  bench = await signIn(browser, casetrack);
  page = bench.page;
});

after(async () => {
  await browser?.close();
  casetrack?.stop();
});

afterEach(() => {
  assert.deepEqual(bench.problems.splice(0), []);
});

/** A folder with these files. */
function folder(name, files) {
  const path = join(casetrack.home, name);
  mkdirSync(path, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  return path;
}

/** Prints what is shown; what is returned holds that words are on the paper, as CaseTrack's own extractor reads it. */
async function printed(name) {
  const file = join(casetrack.home, `${name}.pdf`);
  writeFileSync(file, await page.pdf({ format: "A4", printBackground: true }));
  const read = JSON.parse(await casetrack.cli("inspect", file, "--json"));
  // Lines are broken anywhere.
  const text = JSON.stringify(read).replaceAll(/\\n|\s/g, "");
  return (words) => assert.ok(text.includes(words.replaceAll(/\s/g, "")), `${name}: ${words}`);
}

test("a matter is archived and comes back, and its health is shown", async () => {
  await casetrack.cli("new", "Old pier");
  await bench.go("#/");
  const row = page.getByRole("row", { name: /Harbour Point/ });
  await row.getByText("in order").waitFor();
  await page.getByRole("button", { name: "Close Old pier" }).click();
  await page.getByRole("button", { name: "Closed", exact: true }).click();
  await page.getByRole("button", { name: "Archive Old pier" }).click();
  await page.getByText("Old pier: archived.").waitFor();
  await page.getByRole("button", { name: "Archived", exact: true }).click();
  await page.getByRole("button", { name: "Reopen Old pier" }).click();
  await page.getByText("Old pier: active.").waitFor();
  const { collections } = await casetrack.call("list_collections", { status_filter: "active" });
  assert.ok(collections.some(({ name }) => name === "Old pier"));
});

test("a vault that is unlocked is marked, and can be locked", async () => {
  const { bin, env } = casetrack;
  execFileSync(bin, ["new", "Sealed dock", "--vault", "--passphrase-stdin"], { env, input: "correct horse battery staple\n", stdio: ["pipe", "ignore", "ignore"] });
  await bench.go("#/jobs");
  await bench.go("#/");
  const row = page.getByRole("row", { name: /Sealed dock/ });
  await row.getByText("Vault").waitFor();
  await row.getByRole("button", { name: "Lock Sealed dock" }).click();
  await page.getByText("Sealed dock is locked.").waitFor();
  await page.getByRole("region", { name: "Locked vaults" }).waitFor();
  await row.waitFor({ state: "detached" });
});

test("a job that begins elsewhere is shown while one looks at the list, and its failed files with it", async () => {
  await casetrack.cli("new", "Elsewhere");
  await bench.go("#/jobs");
  const files = folder("elsewhere", { "Good.txt": "The crane was inspected on 4 May 2025.\n", "Bad.pdf": "%PDF-1.7 this is no such file" });
  await casetrack.cli("ingest", files, "-c", "Elsewhere", "-q").catch(() => undefined);
  const job = page.locator(".job", { hasText: "Elsewhere" });
  await job.getByText("1 file could not be read").waitFor();
  await job.getByRole("button", { name: "Details" }).click();
  await page.getByRole("dialog").getByText("Bad.pdf").first().waitFor();
  await page.keyboard.press("Escape");
});

test("a job that runs can be cancelled, and tells of failed files meanwhile", async () => {
  await casetrack.cli("new", "Much");
  const text = Array.from({ length: 400 }, (_, line) => `Clause ${line}: the berth is let for a year at a rent that is paid in advance, and the tenant keeps it clean.`);
  const files = { "0.pdf": "%PDF-1.7 this is no such file" };
  for (let number = 1; number <= 300; number += 1) files[`Lease ${number}.txt`] = text.map((line) => `${number} ${line}`).join("\n");
  const path = folder("leases", files);
  await bench.go(inMatter("documents", "Much"));
  await page.getByRole("button", { name: "Add a path" }).click();
  await page.getByRole("combobox", { name: "Path on this machine" }).fill(path);
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  const job = page.locator(".job").first();
  await job.locator("summary", { hasText: "1 file could not be read so far" }).click();
  await job.locator(".failing", { hasText: "0.pdf" }).waitFor();
  await job.getByRole("button", { name: "Cancel" }).click();
  await page.waitForFunction(() => !document.querySelector(".job.running, .job.queued"));
  const { jobs } = await casetrack.call("list_jobs", { collection_filter: "Much" });
  assert.equal(jobs[0].state, "cancelled");
});

test("folders are watched from the page", async () => {
  const path = folder("watched", { "First.txt": "The first survey was made in May.\n" });
  await casetrack.cli("new", "Watched");
  await bench.go(inMatter("documents", "Watched"));
  await page.locator(".watches summary").click();
  await page.getByRole("button", { name: "Watch a folder" }).click();
  await page.getByRole("combobox", { name: "Path on this machine" }).fill(path);
  await page.getByRole("dialog").getByRole("button", { name: "Watch" }).click();
  await page.getByRole("link", { name: "First.txt" }).waitFor();
  writeFileSync(join(path, "Second.txt"), "The second survey was made in June.\n");
  await page.getByRole("link", { name: "Second.txt" }).waitFor();
  await page.getByRole("button", { name: /^Stop watching/ }).click();
  await page.getByText("The folder is no longer watched.").waitFor();
});

test("a folder is chosen, or dropped, with everything in it", async () => {
  const path = folder("chosen", { "Note.txt": "The gate was painted in March.\n" });
  folder(join("chosen", "deeper"), { "Reply.txt": "It was painted in April.\n" });
  await casetrack.cli("new", "Folders");
  await bench.go(inMatter("documents", "Folders"));
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a folder" }).click();
  await (await chooser).setFiles(path);
  for (const name of ["Note.txt", "Reply.txt"]) await page.getByRole("link", { name }).waitFor();
  // A folder as browsers hand it over when it is dropped.
  await page.evaluate(() => {
    const file = (name, text) => ({ isFile: true, isDirectory: false, fullPath: `/dropped/${name}`, file: (done) => done(new File([text], name)) });
    const children = [file("Tide.txt", "High water was at noon.\n")];
    const entry = { isFile: false, isDirectory: true, fullPath: "/dropped", createReader: () => ({ readEntries: (done) => done(children.splice(0)) }) };
    const event = new Event("drop", { bubbles: true, cancelable: true });
    Object.defineProperty(event, "dataTransfer", { value: { items: [{ webkitGetAsEntry: () => entry }], files: [] } });
    document.querySelector(".page").dispatchEvent(event);
  });
  await page.getByRole("link", { name: "Tide.txt" }).waitFor();
  const { documents } = await casetrack.call("list_documents", {}, "Folders");
  assert.ok(documents.some(({ path }) => path.includes("dropped") && path.endsWith("Tide.txt")), JSON.stringify(documents.map(({ path }) => path)));
});

test("lists are printed whole, with what was written beside evidence", async () => {
  for (const exhibit of ["A-1", "A-2"]) {
    await casetrack.call("add_evidence", { document: "Refurbishment_Works_Agreement.pdf", page: 4, quote: "simple interest", exhibit, note: `Remark beside ${exhibit}.` });
  }
  await bench.go(inMatter("evidence"));
  await page.locator(".item").nth(1).waitFor();
  const tray = await printed("tray");
  for (const words of ["Exhibit A-1", "Exhibit A-2", "Remark beside A-1.", "Remark beside A-2."]) tray(words);

  await page.setViewportSize({ width: 1280, height: 500 });
  await bench.go(inMatter("documents"));
  await page.locator(".tbody .trow").first().waitFor();
  const { documents } = await casetrack.call("list_documents", {});
  const list = await printed("documents");
  for (const { name } of documents) list(name);

  await bench.go(inMatter("timeline"));
  await page.locator(".virtual .row").first().waitFor();
  const { selected } = await casetrack.call("get_collection_timeline", { limit: 200 });
  const rows = Number(await page.locator(".virtual .row").first().getAttribute("aria-setsize"));
  assert.equal(rows, selected);
  const drawn = await page.locator(".virtual .row").count();
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await page.locator(".virtual .row").count(), rows);
  await page.emulateMedia({ media: "print" });
  const places = await page.locator(".virtual .row").evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom]));
  assert.ok(places.every(([top], index) => index === 0 || top >= places[index - 1][1] - 1), "rows stand below each other");
  await page.emulateMedia({ media: null });
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.waitForFunction((drawn) => document.querySelectorAll(".virtual .row").length === drawn, drawn);

  await bench.go(inMatter("sheet"));
  await page.locator(".tbody .trow").first().waitFor();
  const sheet = await printed("sheet");
  for (const words of ["Amendment_No_1.docx", "Agreement date: "]) sheet(words);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("what an assistant collects is there at once, and exhibits are numbered", async () => {
  await bench.go(inMatter("evidence"));
  const items = page.locator(".item");
  await items.first().waitFor();
  const before = await items.count();
  await casetrack.call("add_evidence", { document: "Amendment_No_1.docx", page: 1, quote: "Amendment" });
  await items.nth(before).waitFor();
  await page.getByRole("button", { name: "Number the exhibits" }).click();
  await page.getByLabel("First exhibit").fill("HP-09");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText(/passages numbered/).waitFor();
  const { items: numbered } = await casetrack.call("list_evidence", {});
  assert.deepEqual(numbered.map(({ exhibit }) => exhibit), numbered.map((_, index) => `HP-${String(9 + index).padStart(2, "0")}`));
});

test("an export says what is missing in it, or why there is none", async () => {
  await casetrack.cli("new", "Letters");
  await casetrack.cli("ingest", folder("letters", { "Greek.txt": "Η σύμβαση υπογράφηκε στην Αθήνα.\n" }), "-c", "Letters", "-q");
  await casetrack.call("add_evidence", { document: "Greek.txt", page: 1, quote: "σύμβαση" }, "Letters");
  await bench.go(inMatter("evidence", "Letters"));
  await page.locator(".item").first().waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "PDF" }).click();
  assert.equal((await saved).suggestedFilename(), "Letters – Evidence.pdf");
  await page.locator(".message", { hasText: "?" }).waitFor();
  await casetrack.call("delete_collection", { collection_name: "Letters", confirm: true });
  await page.getByRole("button", { name: "CSV" }).click();
  await page.locator(".message", { hasText: /not found|No collection/i }).waitFor();
  await bench.go(inMatter("sheet"));
  await settled(page);
  const excel = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save for Excel" }).click();
  assert.equal(readFileSync(await (await excel).path()).subarray(0, 2).toString(), "PK");
});

test("when the background process has ended, the cookie is worth nothing", async () => {
  await bench.go(inMatter("documents"));
  const port = new URL(bench.origin).port;
  await casetrack.cli("stop", "-q");
  // The next owner listens at the same port, and knows no browser.
  const origin = new URL(await casetrack.address()).origin;
  const cookies = await bench.context.cookies(bench.origin);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  assert.match(cookie, new RegExp(`^casetrack-${port}=`));
  for (const name of [`casetrack-${port}`, `casetrack-${new URL(origin).port}`]) {
    const answer = await fetch(`${origin}/`, { headers: { cookie: cookie.replace(/^[^=]+/, name) } });
    assert.equal(answer.status, 401);
    assert.doesNotMatch(await answer.text(), /Harbour|script/);
  }
  bench.problems.splice(0);
});
