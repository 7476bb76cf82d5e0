// Pictures of the views that the documentation shows, in the light theme. Run it with scripts/web.sh shots.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inMatter, launch, MATTER, pixels, ROOT, signIn, settled, start } from "./lib.mjs";
import { small } from "./png.mjs";

const FOLDER = join(ROOT, "docs", "images");
const DRAFT = `Interest on late payment is agreed. The contract says that the Employer "shall pay simple interest on the overdue
amount at 9 per cent per annum above the Base Rate" (Refurbishment_Works_Agreement.pdf, p. 4), and that the Contractor
"may suspend performance until payment in full" (Refurbishment_Works_Agreement.pdf, p. 4).

The rest is in Refurbishment_Works_Agreement.pdf, p. 90.`;

const VIEWS = {
  search: [`${inMatter("search")}?q=late+payment+interest`, async (page) => {
    await page.locator(".virtual").focus();
    await page.keyboard.press("ArrowDown");
    await page.locator(".thumbnail img").waitFor();
  }],
  reader: [`${inMatter("search")}?q=simple+interest+on+the+overdue+amount&document=Refurbishment_Works_Agreement.pdf`, async (page) => {
    await page.locator(".virtual").focus();
    await page.keyboard.press("Enter");
    await page.locator(".sheet .lit").first().waitFor();
    await page.locator(".sheet img").waitFor();
  }],
  sheet: [inMatter("sheet")],
  draft: [inMatter("draft"), async (page) => {
    await page.locator("textarea").fill(DRAFT);
    await page.getByRole("button", { name: "Check the draft" }).click();
    await page.locator(".checked").first().waitFor();
  }],
  evidence: [inMatter("evidence")],
};

const casetrack = await start();
const browser = await launch();
try {
  for (const query of ["simple interest on the overdue amount", "stair flights rejected"]) {
    const { results } = await casetrack.call("search_documents", { query, top_k: 1, include_boxes: true });
    const { excerpt, provenance } = results[0];
    await casetrack.call("add_evidence", { document: provenance.document_id, page: provenance.page, char_start: excerpt.char_start, char_end: excerpt.char_end });
  }
  mkdirSync(FOLDER, { recursive: true });
  const { page, go, context } = await signIn(browser, casetrack, { colorScheme: "light", viewport: { width: 1200, height: 750 } });
  for (const [name, [hash, act]] of Object.entries(VIEWS)) {
    await go(hash);
    await act?.(page);
    await settled(page);
    writeFileSync(join(FOLDER, `workbench-${name}.png`), small(await pixels(browser, await page.screenshot())));
  }
  await context.close();
  console.log(`The pictures of ${MATTER} are in ${FOLDER}.`);
} finally {
  await browser.close();
  casetrack.stop();
}
