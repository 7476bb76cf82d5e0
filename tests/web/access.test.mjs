// Accessibility: what axe-core finds in each view and dialog, in light and dark, wide and narrow. Run it with scripts/web.sh test.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inMatter, launch, settled, signIn, start, violations } from "./lib.mjs";

/** A matter with two versions of a document, and a file that cannot be read. */
const SUPPLY = "Supply";
const LOOKS = [
  ["light", 1280],
  ["dark", 1280],
  ["light", 320],
  ["dark", 320],
];
const DRAFT =
  'It pays "simple interest on the overdue amount at 9 per cent per annum" (Refurbishment_Works_Agreement.pdf, p. 4).\n' +
  'It may "suspend performance until payment in full" (Refurbishment_Works_Agreement.pdf, p. 4).\n' +
  "See Refurbishment_Works_Agreement.pdf, p. 90, and Sublease_of_the_Yard.pdf, p. 3.\n";

let casetrack, browser, bench, page;

before(async () => {
  [casetrack, browser] = await Promise.all([start(), launch()]);
  const folder = join(casetrack.home, "supply");
  mkdirSync(folder);
  const clauses = ["The Works begin on the first of May and are to be done within a year of that day.", "The Employer pays each invoice within thirty days of its receipt.", "The courts of England decide every dispute under this agreement, and no other court does."];
  writeFileSync(join(folder, "Supply_v1.txt"), clauses.join("\n\n"));
  writeFileSync(join(folder, "Supply_v2.txt"), clauses.join("\n\n").replace("thirty", "twenty-one"));
  writeFileSync(join(folder, "Broken.pdf"), "%PDF-1.7 this is no such file");
  await casetrack.cli("new", SUPPLY);
  await casetrack.cli("ingest", folder, "-c", SUPPLY, "-q").catch(() => undefined);
  await casetrack.call("add_evidence", { document: "Refurbishment_Works_Agreement.pdf", page: 4, quote: "simple interest", exhibit: "A-1", note: "See clause 4." });
  bench = await signIn(browser, casetrack);
  page = bench.page;
});

after(async () => {
  await browser?.close();
  casetrack?.stop();
  assert.deepEqual(bench?.problems, []);
});

const button = (name) => page.getByRole("button", { name }).first();
const dialog = () => page.getByRole("dialog").first().waitFor();
const opens = (name) => async () => {
  await button(name).click();
  await dialog();
};
const reader = `${inMatter("doc/Refurbishment_Works_Agreement.pdf")}?page=4&q=interest`;
const tab = (name) => async () => {
  if (!(await page.locator(".panel").evaluate((panel) => panel.open))) await page.locator(".panel summary").click();
  await page.locator(".panel").getByRole("button", { name }).click();
};

/** Each place, with what is done there. */
const VIEWS = {
  matters: ["#/"],
  "new matter": ["#/", opens("New matter")],
  rename: ["#/", opens("Rename Harbour Point")],
  delete: ["#/", opens("Delete Harbour Point")],
  jobs: ["#/jobs"],
  "job report": [inMatter("documents", SUPPLY), opens("Details")],
  documents: [inMatter("documents")],
  "add a path": [inMatter("documents"), opens("Add a path")],
  "watch a folder": [inMatter("documents"), async () => {
    await page.locator(".watches summary").click();
    await opens("Watch a folder")();
  }],
  search: [`${inMatter("search")}?q=late+payment`],
  "some matters": [`${inMatter("search")}?q=late+payment&where=some`, () => page.locator(".checklist").waitFor()],
  nothing: [`${inMatter("search")}?q=`],
  ask: [`${inMatter("search")}?mode=ask&q=Who+pays+interest`],
  picture: [reader],
  hits: [reader, tab("Hits")],
  outline: [reader, tab("Outline")],
  "names of a page": [reader, tab("Names")],
  related: [reader, tab("Related")],
  marks: [reader, tab("Hidden and changed")],
  about: [reader, tab("About")],
  text: [`${inMatter("doc/Site_Diary_August_2025.txt")}?page=1`],
  sheet: [inMatter("sheet")],
  "values of a cell": [inMatter("sheet"), async () => {
    await page.locator(".tbody .cell button").first().click();
    await dialog();
  }],
  columns: [inMatter("sheet"), opens("Columns")],
  "new column": [inMatter("sheet"), opens("New column")],
  timeline: [inMatter("timeline")],
  "days of a month": [`${inMatter("timeline")}?period=2025-08`],
  names: [`${inMatter("entities")}?type=organization`],
  name: [`${inMatter("entities")}?type=organization&name=Tidewell+Estates+Limited`, () => page.locator(".graph .node").first().waitFor()],
  references: [`${inMatter("references")}?name=Amendment+No.+1`],
  versions: [inMatter("versions", SUPPLY)],
  redline: [`${inMatter("versions", SUPPLY)}?old=Supply_v1.txt&new=Supply_v2.txt`],
  draft: [inMatter("draft")],
  "draft that is checked": [inMatter("draft"), async () => {
    await page.locator("textarea").fill(DRAFT);
    await button("Check the draft").click();
    await page.locator(".checked").first().waitFor();
  }],
  evidence: [inMatter("evidence")],
  "number the exhibits": [inMatter("evidence"), opens("Number the exhibits")],
  shortcuts: [inMatter("documents"), opens("Shortcuts")],
  failure: [inMatter("documents", "No such matter")],
};

for (const [colorScheme, width] of LOOKS) {
  test(`no view breaks a rule of accessibility: ${colorScheme}, ${width} pixels`, async () => {
    const found = [];
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    for (const [name, [hash, act]] of Object.entries(VIEWS)) {
      await bench.go(hash);
      await act?.();
      await settled(page);
      found.push(...(await violations(page)).map((line) => `${name}: ${line}`));
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) found.push(`${name} is ${over} px too wide`);
      while ((await page.locator("dialog[open]").count()) > 0) await page.keyboard.press("Escape");
      // The place that is gone to next begins anew.
      await bench.go("#/jobs");
    }
    assert.deepEqual(found, []);
  });
}
