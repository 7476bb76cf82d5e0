// Lists that are longer than one answer, names that are several things, and what is done with a passage from wherever it is shown.
// Run it with scripts/web.sh test.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { inMatter, launch, MATTER, PATIENCE, settled, signIn, start, violations } from "./lib.mjs";

/** A matter of many small documents. */
const MANY = "Many letters";
const LETTERS = 230;

let casetrack, browser, bench, page;

before(async () => {
  [casetrack, browser] = await Promise.all([start(), launch()]);
  const folder = join(casetrack.home, "letters");
  mkdirSync(folder);
  for (let number = 1; number <= LETTERS; number += 1) {
    const kind = number % 2 === 0 ? "Memo" : "Letter";
    writeFileSync(join(folder, `${kind} ${String(number).padStart(3, "0")}.txt`), `Paris Holm of Acme Limited wrote in Paris on day ${number}: the tug leaves berth ${number} at noon, and Ferry Point Limited pays for it.\n`);
  }
  await casetrack.cli("new", MANY);
  await casetrack.cli("ingest", folder, "-c", MANY, "-q");
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

const text = (selector) => page.locator(selector).first().innerText();
const evidence = async (matter = MATTER) => (await casetrack.call("list_evidence", { limit: 500 }, matter)).items;

/** Adds what a button offers, and gives what was added. */
async function collected(button, matter = MATTER) {
  const before = (await evidence(matter)).length;
  await button.click();
  await page.getByText("Added to the evidence.").first().waitFor();
  const now = await evidence(matter);
  assert.equal(now.length, before + 1);
  // The next message is a new one.
  await page.reload();
  await settled(page);
  return now.at(-1);
}

test("every document that was asked is listed, and filters limit which are", async () => {
  await bench.go(`${inMatter("search", MANY)}?mode=ask&q=When+does+the+tug+leave`);
  await page.getByText(new RegExp(`of ${LETTERS} documents answer`)).waitFor();
  await page.locator(".virtual").focus();
  for (let turn = 0; turn < 3; turn += 1) {
    await page.keyboard.press("End");
    await page.waitForFunction((all) => Number(document.querySelector(".virtual .row").getAttribute("aria-setsize")) === all, LETTERS, { timeout: 10_000 }).catch(() => undefined);
  }
  assert.equal(await page.locator(".virtual .row").first().getAttribute("aria-setsize"), String(LETTERS));
  await page.locator(".filters").getByLabel("Document").fill("Memo 002.txt");
  await page.keyboard.press("Enter");
  await page.waitForURL(/document=Memo/);
  await page.getByText(/of 1 document answer/).waitFor();
});

test("a name that is two things is opened as the one that was chosen", async () => {
  const names = async (type) => (await casetrack.call("list_entities", { entity_type: type, named: "Paris" }, MANY)).entities.map(({ name }) => name);
  assert.ok((await names("location")).includes("Paris"));
  for (const type of ["location", "person"]) {
    const [name] = await names(type);
    if (name === undefined) continue;
    await bench.go(`${inMatter("entities", MANY)}?type=${type}&name=${encodeURIComponent(name)}`);
    await page.locator(".profile h2").first().waitFor();
    assert.equal(await page.locator(".failure").count(), 0);
    assert.match(await text(".profile .quiet"), type === "person" ? /^People/ : /^Places/);
  }
});

test("the rows of another kind of name are not shown while those of this kind load", async () => {
  await bench.go(`${inMatter("entities", MANY)}?type=organization`);
  await page.locator(".results .row").first().waitFor();
  await page.route("**/mcp", async (route) => {
    if (/"list_entities"/.test(route.request().postData() ?? "")) await new Promise((later) => setTimeout(later, 500));
    await route.continue();
  });
  try {
    await page.getByRole("button", { name: "Places" }).click();
    await page.waitForURL(/type=location/);
    assert.equal(await page.locator(".results .row", { hasText: "Limited" }).count(), 0);
    await page.locator(".results .row").first().waitFor();
  } finally {
    await page.unroute("**/mcp");
  }
});

test("names are looked for among all of them, and mentions go on to the last", async () => {
  await bench.go(`${inMatter("entities", MANY)}?type=organization`);
  await page.getByRole("searchbox", { name: "Filter by name" }).fill("FERRY-POINT");
  const row = page.locator(".results .row", { hasText: "Ferry Point Limited" });
  await row.click();
  await page.getByRole("button", { name: `Show more (100 of ${LETTERS})` }).click();
  await page.getByRole("button", { name: `Show more (200 of ${LETTERS})` }).click();
  await page.locator(".mentions li").nth(LETTERS - 1).waitFor();
  await page.getByRole("button", { name: /^Show more/ }).waitFor({ state: "detached" });
  await page.getByRole("searchbox", { name: "Filter by name" }).fill("zzz");
  await page.getByText("No name contains these letters.").waitFor();
});

test("without a chosen name, the names with most links are drawn, and can be enlarged", async () => {
  await bench.go(`${inMatter("entities")}?type=organization`);
  await page.locator(".graph .node").nth(3).waitFor();
  const before = await page.locator(".graph").evaluate((graph) => graph.clientWidth || graph.getBoundingClientRect().width);
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.waitForFunction((before) => document.querySelector(".graph").getBoundingClientRect().width > before, before);
  await page.locator(".graph .node").first().focus();
  await page.keyboard.press("Enter");
  await page.locator(".profile").waitFor();
});

test("the parties of a contract are said to be", async () => {
  await bench.go(`${inMatter("entities")}?type=organization&name=Tidewell+Estates+Limited`);
  const contracts = page.locator(".profile section", { hasText: "In contracts" });
  await contracts.getByText(/^Party/).first().waitFor();
  await contracts.locator("a").first().click();
  await page.locator(".lit").first().waitFor();
});

test("a passage is collected from every view that shows one", async () => {
  const add = page.getByRole("button", { name: "Add to evidence", exact: true });
  const adds = page.getByRole("button", { name: /^Add to evidence: / });
  await bench.go(`${inMatter("search")}?mode=ask&q=Who+pays+interest`);
  await page.locator(".virtual .row").first().waitFor();
  assert.ok((await collected(add)).text.length > 10);
  await bench.go(inMatter("timeline"));
  const when = await text(".virtual .row .quote");
  assert.ok((await collected(add)).text.includes(when.slice(0, 20).split("\n")[0].trim().split(" ")[0]));
  for (const place of [`${inMatter("entities")}?type=organization&name=Tidewell+Estates+Limited`, `${inMatter("references")}?name=Amendment+No.+1`]) {
    await bench.go(place);
    await adds.first().waitFor();
    const label = await adds.first().getAttribute("aria-label");
    const item = await collected(adds.first());
    assert.ok(label.includes(item.document_name), `${label}: ${item.document_name}`);
  }
  await bench.go(inMatter("sheet"));
  await page.locator(".tbody .cell").first().hover();
  await page.locator(".tbody .cell button").first().click();
  const of = await page.getByRole("dialog").getByRole("heading").innerText();
  const cell = await collected(adds.first());
  assert.ok(of.includes(cell.document_name) && cell.text.trim() !== "", `${of}: ${cell.document_name}`);
  await bench.go(`${inMatter("versions")}?old=Refurbishment_Works_Agreement.pdf&new=Amendment_No_1.docx`);
  await collected(adds.first());
  await bench.go(inMatter("draft"));
  await page.locator("textarea").fill('It pays "simple interest on the overdue amount" (Refurbishment_Works_Agreement.pdf, p. 4).\n');
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "All", exact: true }).click();
  assert.equal((await collected(adds.first())).text.replace(/\s+/g, " "), "simple interest on the overdue amount");
});

test("pages are found by what is printed on them, and the way back leads from page to page", async () => {
  await bench.go(`${inMatter("doc/Refurbishment_Works_Agreement.pdf")}?page=1`);
  await page.locator(".textlayer span").first().waitFor();
  await page.getByRole("button", { name: "Next page" }).click();
  await page.waitForURL(/page=2/);
  await page.keyboard.press("]");
  await page.waitForURL(/page=3/);
  await page.goBack();
  await page.waitForURL(/page=2/);
  await page.goBack();
  await page.waitForURL(/page=1/);
  const field = page.locator(".readerbar input");
  await field.fill("no such page");
  await page.keyboard.press("Enter");
  await page.getByText("No page has the number, label or Bates number").waitFor();
  const { documents } = await casetrack.call("list_documents", { limit: 1000 });
  for (const { id, pages } of documents) {
    for (let number = 1; number <= Math.min(pages, 5); number += 1) {
      const { label, bates } = await casetrack.call("read_page", { document: id, page: number });
      const wanted = bates ?? (label && !/^\d+$/.test(label) ? label : null);
      if (!wanted) continue;
      await bench.go(`${inMatter(`doc/${id}`)}?page=${number === 1 ? pages : 1}`);
      await settled(page);
      await field.fill(wanted);
      await page.keyboard.press("Enter");
      await page.waitForURL(new RegExp(`page=${number}(&|$)`));
      return;
    }
  }
});

test("text is selected with the mouse, line by line, and becomes evidence", async () => {
  await bench.go(`${inMatter("doc/Refurbishment_Works_Agreement.pdf")}?page=4`);
  await page.locator(".sheet img").waitFor();
  const line = page.locator(".textlayer span", { hasText: "simple interest" }).first();
  await line.scrollIntoViewIfNeeded();
  const box = await line.boundingBox();
  await page.mouse.move(box.x + 1, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
  await page.mouse.move(box.x + box.width - 1, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  const toolbar = page.getByRole("toolbar");
  await toolbar.waitFor();
  const selected = (await page.evaluate(() => getSelection().toString())).trim();
  assert.ok(selected.length > 20);
  const item = await collected(toolbar.getByRole("button", { name: "Add to evidence" }));
  assert.equal(item.text, selected);
  assert.equal(item.page, 4);
});

test("a list of what was asked before says that it is busy", async () => {
  const asked = (query) => `${inMatter("search")}?q=${encodeURIComponent(query)}`;
  await bench.go(asked("simple interest on the overdue amount"));
  // Everything that the page was in between two questions: whether it was busy, and whose passages it showed.
  await page.evaluate(() => {
    const look = () => {
      const results = document.querySelector(".results");
      window.seen.push([results?.getAttribute("aria-busy") === "true", results?.querySelector(".quote")?.textContent ?? ""]);
    };
    window.seen = [];
    look();
    addEventListener("hashchange", () => new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, characterData: true }), { once: true });
  });
  await bench.go(asked("stair flights rejected"));
  const [[, before], ...between] = await page.evaluate(() => window.seen);
  assert.notEqual(await text(".results .quote"), before);
  assert.ok(between.some(([busy]) => busy));
  assert.ok(between.every(([busy, quote]) => busy || quote !== before));
});

test("an address that is opened before the page listens is shown", async () => {
  const late = await signIn(browser, casetrack);
  try {
    const hash = inMatter("evidence");
    await late.page.addInitScript((hash) => {
      const drawn = new MutationObserver(() => {
        if (!document.querySelector("nav")) return;
        drawn.disconnect();
        location.hash = hash;
      });
      drawn.observe(document, { subtree: true, childList: true });
    }, hash);
    await late.go(`${inMatter("search")}?q=interest`);
    await late.page.reload();
    await late.page.getByRole("heading", { name: "Evidence", level: 1 }).waitFor();
    assert.equal(late.page.url(), `${bench.origin}/${hash}`);
    assert.deepEqual(late.problems, []);
  } finally {
    await late.context.close();
  }
});

test("several matters, chosen from a list, are searched together", async () => {
  await casetrack.cli("new", "Third matter");
  await bench.go(`${inMatter("search")}?q=noon+interest`);
  await page.getByRole("combobox", { name: "Matters" }).selectOption("some");
  const list = page.getByRole("group", { name: "Which matters" });
  await list.getByRole("checkbox", { name: MANY }).check();
  await list.getByRole("checkbox", { name: MATTER }).check();
  for (const matter of [MANY, MATTER]) await page.locator(".result .source span", { hasText: matter }).first().waitFor();
  await list.getByRole("checkbox", { name: MANY }).uncheck();
  await settled(page);
  await page.waitForFunction((matter) => [...document.querySelectorAll(".result .source span")].every((span) => !span.textContent.includes(matter)), MANY);
});

test("each filter of the search leaves what fits it", async () => {
  await casetrack.cli("tag", "Amendment_No_1.docx", "-c", MATTER, "--add", "checked");
  const names = () => page.locator(".result .source strong").allInnerTexts();
  const filtered = async (label, value, fits) => {
    await bench.go(`${inMatter("search")}?q=interest`);
    await page.locator(".filters").getByLabel(label, { exact: true }).fill(value);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector(".filters .badge"));
    await settled(page);
    const found = await names();
    assert.ok(found.length > 0 && found.every(fits), `${label} ${value}: ${found}`);
  };
  await filtered("Document", "Amendment_No_1.docx", (name) => name === "Amendment_No_1.docx");
  await filtered("Tag", "checked", (name) => name === "Amendment_No_1.docx");
  await filtered("Path", "**/*.pdf", (name) => name.endsWith(".pdf"));
  await filtered("Saved from", "1990", () => true);
  await bench.go(`${inMatter("search")}?q=interest`);
  await page.getByLabel("Per document").selectOption("1");
  await page.waitForURL(/each=1/);
  await settled(page);
  await page.waitForFunction(() => {
    const names = [...document.querySelectorAll(".result .source strong")].map((name) => name.textContent);
    return names.length > 1 && new Set(names).size === names.length;
  });
});

test("on a narrow screen a result is looked at before its page is opened", async () => {
  await page.setViewportSize({ width: 400, height: 800 });
  try {
    await bench.go(`${inMatter("search")}?q=simple+interest+on+the+overdue+amount&document=Refurbishment_Works_Agreement.pdf`);
    await page.locator(".result").first().click();
    await page.getByRole("heading", { name: "Why it ranks here" }).waitFor();
    await page.getByRole("button", { name: "Add to evidence" }).waitFor();
    await page.locator(".thumbnail img").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: "Back to the results" }).click();
    await page.locator(".result").first().click();
    await page.getByRole("link", { name: "Open the page" }).click();
    await page.locator(".lit").first().waitFor();
  } finally {
    await page.setViewportSize({ width: 1280, height: 800 });
  }
});
