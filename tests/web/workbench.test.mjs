// The workbench over the real program and the sample matter, in Chromium: each view by keyboard and mouse.
// Run it with scripts/web.sh test.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { inMatter, launch, MATTER, PATIENCE, pixels, settled, signIn, start } from "./lib.mjs";

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

const text = (selector) => page.locator(selector).first().innerText();

test("matters are made, renamed, closed, reopened and deleted", async () => {
  await bench.go("#/");
  await page.getByRole("button", { name: "New matter" }).first().focus();
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Name" }).fill("Dry dock");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/c\/Dry%20dock\/documents/);
  await page.getByRole("heading", { name: "No documents yet" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("m");
  await page.getByRole("button", { name: "Rename Dry dock" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Wet dock");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await page.getByRole("button", { name: "Close Wet dock" }).click();
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.getByRole("button", { name: "Reopen Wet dock" }).click();
  await page.getByRole("button", { name: "Delete Wet dock" }).click();
  await page.getByLabel("Type the name").fill("Harbour Point");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("That is not the name of the matter.").waitFor();
  await page.getByLabel("Type the name").fill("Wet dock");
  await page.keyboard.press("Enter");
  await page.getByText("Wet dock was deleted.").waitFor();
  await page.getByRole("link", { name: /^Wet dock/ }).waitFor({ state: "detached" });
});

test("files are taken in by path and by drop, and failures are told", async () => {
  const folder = join(casetrack.home, "files");
  mkdirSync(folder);
  writeFileSync(join(folder, "Memo.txt"), "The quay wall was surveyed on 4 May 2025 by Harriet Lund.\n");
  writeFileSync(join(folder, "Broken.pdf"), "%PDF-1.7 this is no such file");
  await casetrack.cli("new", "Intake");
  await bench.go(inMatter("documents", "Intake"));
  await page.getByRole("button", { name: "Add a path" }).click();
  await page.getByRole("combobox", { name: "Path on this machine" }).fill(folder);
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  await page.getByRole("link", { name: "Memo.txt" }).waitFor();
  await page.getByText("1 file could not be read").waitFor();
  await page.getByRole("button", { name: "Details" }).first().click();
  await page.getByRole("dialog").getByText("Broken.pdf").first().waitFor();
  await page.keyboard.press("Escape");
  const drop = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(["Dropped words about the sluice gate.\n"], "Dropped & named.txt", { type: "text/plain" }));
    return data;
  });
  await page.dispatchEvent(".page", "dragover", { dataTransfer: drop });
  await page.dispatchEvent(".page", "drop", { dataTransfer: drop });
  await page.getByRole("link", { name: "Dropped & named.txt" }).waitFor();
  await bench.go("#/jobs");
  assert.match(await text(".jobs"), /Done/);
});

test("search finds as one types, marks hits and says why", async () => {
  await casetrack.cli("new", "Another matter");
  await bench.go(inMatter("search"));
  await page.locator("main").focus();
  await page.keyboard.press("/");
  await page.keyboard.type("late payment interest", { delay: 15 });
  await page.locator(".result").first().waitFor();
  await settled(page);
  assert.match(page.url(), /q=late\+payment\+interest/);
  assert.ok((await page.locator(".result mark").count()) > 3);
  assert.ok((await page.locator(".virtual .row").count()) < 40, "only rows in view are in the page");
  await page.getByRole("heading", { name: "Why it ranks here" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.locator(".row.selected").getAttribute("aria-posinset"), "2");
  await page.locator(".filters").getByLabel("Kind").selectOption("correspondence");
  await page.waitForURL(/type=correspondence/);
  await settled(page);
  await page.waitForFunction(() => [...document.querySelectorAll(".result .source strong")].every((name) => !/\.(xls|docx)/.test(name.textContent)));
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("combobox", { name: "Matters" }).selectOption("all");
  await page.locator(".result .source span", { hasText: MATTER }).first().waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
});

test("every document is asked, and an answer opens where it is", async () => {
  await bench.go(`${inMatter("search")}?mode=ask&q=Who+pays+interest`);
  await page.getByText(/\d+ of 14 documents answer/).waitFor();
  await page.locator(".virtual").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await page.locator(".lit").first().waitFor();
  assert.match(page.url(), /from=\d+/);
});

test("a citation opened from search lights the lines of its boxes", async () => {
  const found = await casetrack.call("search_documents", {
    query: "simple interest on the overdue amount",
    document_filter: "Refurbishment_Works_Agreement.pdf",
    top_k: 1,
    include_boxes: true,
  });
  const { excerpt, provenance } = found.results[0];
  await bench.go(`${inMatter("search")}?q=simple+interest+on+the+overdue+amount&document=Refurbishment_Works_Agreement.pdf`);
  await page.locator(".virtual").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await page.locator(".sheet .lit").first().waitFor();
  await page.locator(".sheet img").waitFor();
  await settled(page);
  const read = await casetrack.call("read_page", { document: provenance.document_id, page: provenance.page });
  const lines = read.lines.slice(excerpt.line_start - 1, excerpt.line_end).filter(Boolean);
  const viewBox = (await page.locator(".sheet .overlay").first().getAttribute("viewBox")).split(" ").map(Number);
  const { width, height, data } = await pixels(browser, await page.locator(".sheet").screenshot());
  const [across, down] = [width / viewBox[2], height / viewBox[3]];
  const inside = (x, y, edge) =>
    lines.some((box) => x >= box.left * across - edge && x < box.right * across + edge && y >= box.top * down - edge && y < box.bottom * down + edge);
  let lit = 0;
  let stray = 0;
  let dark = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = 4 * (y * width + x);
      // Paper that is lit is yellow; ink stays ink.
      const yellow = data[at] > 200 && data[at + 1] > 170 && data[at] - data[at + 2] > 60;
      const white = data[at] > 240 && data[at + 2] > 240;
      if (yellow) lit += 1;
      if (yellow && !inside(x, y, 3)) stray += 1;
      if (white && inside(x, y, -2)) dark += 1;
    }
  }
  assert.ok(lit > 1000, `${lit} pixels are lit`);
  assert.equal(stray, 0, "nothing outside of the lines is lit");
  assert.equal(dark, 0, "no paper in the lines is left unlit");
});

test("the reader turns pages, goes from hit to hit and quotes what is selected", async () => {
  await bench.go(`${inMatter("doc/Refurbishment_Works_Agreement.pdf")}?page=4&q=interest`);
  await page.locator(".textlayer span").first().waitFor();
  await page.keyboard.press("]");
  await page.waitForURL(/page=5/);
  await page.keyboard.press("[");
  await page.waitForURL(/page=4/);
  await page.getByText(/\d+ hits/).waitFor();
  await page.keyboard.press("n");
  await page.waitForURL(/chunk=/);
  await page.getByText(/Hit \d+ of/).waitFor();
  await page.keyboard.press("+");
  await page.getByText("125 %").waitFor();
  await page.keyboard.press("-");
  await bench.go(`${inMatter("doc/Refurbishment_Works_Agreement.pdf")}?page=4`);
  await page.locator(".textlayer span").first().waitFor();
  await page.evaluate(() => {
    const line = [...document.querySelectorAll(".textlayer span")].find((span) => span.textContent.includes("simple interest"));
    const range = document.createRange();
    const at = line.textContent.indexOf("simple interest");
    range.setStart(line.firstChild, at);
    range.setEnd(line.firstChild, at + "simple interest".length);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  });
  await page.getByRole("toolbar").getByRole("button", { name: "Copy quotation" }).click();
  await page.getByText("Copied.").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^“simple interest” \(Refurbishment_Works_Agreement\.pdf, p\. 4, para\. \d+, l\. \d+\)$/);
  await page.getByRole("button", { name: "Names" }).click();
  const onPage = page.locator("h2", { hasText: "On this page" }).locator("+ ul a");
  await onPage.first().waitFor();
  const { names } = await casetrack.call("read_page", { document: "Refurbishment_Works_Agreement.pdf", page: 4, names: true });
  assert.ok(names.some(({ name }) => name === "Ottersley Architects LLP"), "the page says the Architect");
  assert.deepEqual(await onPage.locator("span").allTextContents(), names.map(({ name }) => name));
  await page.getByRole("button", { name: "About" }).click();
  await page.getByText("SHA-256").waitFor();
});

test("documents without pages are text with line numbers", async () => {
  await bench.go(`${inMatter("doc/Site_Diary_August_2025.txt")}?page=2`);
  assert.match(await text(".plaintext .line"), /^1\s/);
  assert.match(await text(".plaintext"), /Ferronnerie Delacroix/);
});

test("the sheet opens its evidence, sorts, filters and is saved", async () => {
  await bench.go(inMatter("sheet"));
  await page.getByRole("button", { name: "Agreement date", exact: true }).click();
  await page.waitForURL(/sort=agreement_date/);
  await page.getByPlaceholder(/Conditions/).fill("parties");
  await page.keyboard.press("Enter");
  await page.waitForURL(/filter=parties/);
  await settled(page);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as CSV" }).click();
  const csv = readFileSync(await (await saved).path(), "utf8");
  assert.match(csv, /^\ufeffDocument,Title,/);
  assert.match(csv, /Amendment_No_1\.docx/);
  await page.locator(".tbody .cell a").first().click();
  await page.locator(".lit").first().waitFor();
});

test("a column of one's own is added", async () => {
  await bench.go(inMatter("sheet"));
  await page.getByRole("button", { name: "New column" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("clause_seven");
  await page.getByLabel("Filled by").selectOption("pattern");
  await page.getByLabel("Question or pattern").fill("[Cc]lause 7\\.\\d");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("columnheader", { name: "Clause seven" }).waitFor();
});

test("a draft's wrong quotations are shown with what the document says", async () => {
  await bench.go(inMatter("draft"));
  await page.locator("textarea").fill(
    'It pays "simple interest on the overdue amount at 9 per cent per annum" (Refurbishment_Works_Agreement.pdf, p. 4).\n' +
      'It may "suspend performance until payment in full" (Refurbishment_Works_Agreement.pdf, p. 4).\n',
  );
  await page.keyboard.press("Control+Enter");
  await page.getByText(/2 quotations: 1 exact, 1 differ/).waitFor();
  assert.equal(await page.locator(".checked").count(), 1);
  assert.match(await text(".differences"), /9/);
  await page.locator(".checked a").click();
  await page.locator(".lit").first().waitFor();
});

test("every citation of a draft that does not fit is shown with the reason, and the others on demand", async () => {
  await bench.go(inMatter("draft"));
  await page.locator("textarea").fill(
    'It may "suspend performance until payment in full" (Refurbishment_Works_Agreement.pdf, p. 1).\n\n' +
      "See Refurbishment_Works_Agreement.pdf, p. 2, and Refurbishment_Works_Agreement.pdf, p. 90.\n\nSee Sublease_of_the_Yard.pdf, p. 3.\n",
  );
  await page.getByRole("button", { name: "Check the draft" }).click();
  await page.getByText("1 quotation: 1 exact, 0 differ, 0 not found; 3 citations do not fit").waitFor();
  const reasons = () => page.locator(".checked .bad").allInnerTexts();
  assert.deepEqual(await reasons(), [
    "Its citation does not fit: Refurbishment_Works_Agreement.pdf, p. 1. The quotation is on another page.",
    "There is no such page, or it does not have this.",
    "No document of this matter has this name.",
  ]);
  await page.getByRole("button", { name: "All", exact: true }).click();
  assert.equal(await page.locator(".checked").count(), 4);
  assert.equal((await reasons()).length, 3);
  await page.locator(".checked a[href*='page=2']").click();
  await page.waitForURL(/Refurbishment_Works_Agreement\.pdf\?page=2/);
});

test("the timeline zooms and opens its sources", async () => {
  await bench.go(inMatter("timeline"));
  await page.locator(".chart .bar").first().focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/period=2025-\d\d/);
  await page.getByRole("button", { name: "Zoom out" }).click();
  await page.locator(".virtual").focus();
  await page.keyboard.press("Enter");
  await page.locator(".lit").first().waitFor();
});

test("a name has its profile, its neighbours and its mentions", async () => {
  await bench.go(`${inMatter("entities")}?type=organization`);
  await page.locator(".virtual").focus();
  await page.keyboard.press("ArrowDown");
  await page.locator(".graph .node").first().waitFor();
  assert.ok((await page.locator(".graph .node").count()) > 3);
  await page.locator(".profile section:last-of-type .links a").first().click();
  await page.locator(".lit").first().waitFor();
});

test("every kind of name can be filtered and opened, with or without other names", async () => {
  for (const type of ["person", "organization", "date", "location"]) {
    await bench.go(`${inMatter("entities")}?type=${type}`);
    // Only then are the rows those of this type: the page keeps the rows of the type before until the new ones have come.
    await page.reload();
    const first = page.locator(".results .virtual .row").first();
    await first.waitFor();
    const name = await first.locator("strong").innerText();
    await page.locator('input[type="search"]').fill(name);
    await first.click();
    await page.locator(".profile h2", { hasText: name }).first().waitFor();
    assert.equal(await page.locator(".failure").count(), 0, type);
    assert.equal(await page.locator(".profile h2").first().innerText(), name);
  }
});

test("references say who cites them", async () => {
  await bench.go(inMatter("references"));
  await page.locator(".virtual").focus();
  await page.keyboard.press("ArrowDown");
  await page.locator(".preview .links a").first().click();
  await page.locator(".lit").first().waitFor();
});

test("two documents are compared side by side", async () => {
  const folder = join(casetrack.home, "versions");
  mkdirSync(folder);
  const clauses = ["The Works begin on the first of May and are to be done within a year of that day.", "The Employer pays each invoice within thirty days of its receipt.", "The courts of England decide every dispute under this agreement, and no other court does."];
  writeFileSync(join(folder, "Supply_v1.txt"), clauses.join("\n\n"));
  writeFileSync(join(folder, "Supply_v2.txt"), clauses.join("\n\n").replace("thirty", "twenty-one"));
  await casetrack.cli("new", "Supply");
  await casetrack.cli("ingest", folder, "-c", "Supply", "-q");
  await bench.go(inMatter("versions", "Supply"));
  await page.getByLabel("Older version").fill("Supply_v1.txt");
  await page.getByLabel("Newer version").fill("Supply_v2.txt");
  await page.keyboard.press("Enter");
  await page.locator(".redline del").first().waitFor();
  assert.equal(await text(".redline del"), "thirty");
  assert.equal(await text(".redline ins"), "twenty-one");
  await page.locator(".redline td a").first().click();
  await page.locator(".lit").first().waitFor();
});

test("evidence is collected, ordered, noted and taken away", async () => {
  for (const query of ["simple interest on the overdue amount", "stair flights rejected"]) {
    await bench.go(`${inMatter("search")}?q=${encodeURIComponent(query)}`);
    await page.getByRole("button", { name: "Add to evidence" }).click();
    await page.getByText("Added to the evidence.").waitFor();
    await page.reload();
  }
  await bench.go(inMatter("evidence"));
  await page.locator(".item").nth(1).waitFor();
  const second = await page.locator(".item a.strong").nth(1).innerText();
  await page.locator(".item").nth(1).getByRole("button", { name: /^Move up/ }).click();
  await page.waitForFunction((name) => document.querySelector(".item a.strong")?.textContent === name, second);
  await page.locator(".item").first().getByLabel("Exhibit").fill("A-1");
  await page.keyboard.press("Tab");
  await page.getByText("Saved.").waitFor();
  await page.locator(".item").first().getByLabel("Note").fill("The flights were turned back.");
  await page.keyboard.press("Tab");
  await settled(page);
  await page.locator(".item").nth(1).getByLabel("Note").fill("To be removed.");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => document.querySelectorAll(".item textarea")[1].defaultValue === "To be removed.");
  await page.locator(".item").nth(1).getByLabel("Note").fill("");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => document.querySelectorAll(".item textarea")[1].defaultValue === "");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Word" }).click();
  const file = join(casetrack.home, "evidence.docx");
  await (await saved).saveAs(file);
  const inside = await casetrack.cli("inspect", file, "--json");
  assert.match(inside, /The flights were turned back\./);
  assert.match(inside, /A-1/);
  assert.doesNotMatch(inside, /To be removed/);
  await page.locator(".item").first().getByRole("button", { name: /^Remove/ }).click();
  await page.waitForFunction(() => document.querySelectorAll(".item").length === 1);
});

test("documents that are script run nothing", async () => {
  const folder = join(casetrack.home, "hostile");
  mkdirSync(folder);
  const script = `"><script>window.pwned=1</script><img src=x onerror="window.pwned=2"><svg onload="window.pwned=3">`;
  writeFileSync(join(folder, `<img src=x onerror=window.pwned=4>.txt`), `Agreement of 3 May 2025 between Acme Ltd and Beta LLC.\n\n${script}\njavascript:alert(1)\n`);
  writeFileSync(join(folder, "page.html"), `<h1>&lt;script&gt;window.pwned=5&lt;/script&gt;</h1><svg><script>window.pwned=6</script></svg><p>Acme Ltd &lt;img src=x onerror=window.pwned=7&gt; agrees.</p>`);
  writeFileSync(join(folder, "javascript:alert(1).md"), `# <svg onload=window.pwned=8>\n\n[Acme Ltd](javascript:window.pwned=9) paid on 4 May 2025.\n`);
  const name = `<script>window.pwned=10</script> & co`;
  await casetrack.cli("new", name);
  await casetrack.cli("ingest", folder, "-c", name, "-q");
  const views = ["documents", "search?q=script+img+onerror", "search?mode=ask&q=Acme", "sheet", "timeline", "entities?type=organization&name=Acme+Ltd", "references", "versions", "draft", "evidence"];
  for (const view of views) await bench.go(inMatter(view, name));
  const { documents } = await casetrack.call("list_documents", {}, name);
  assert.equal(documents.length, 3);
  for (const { id } of documents) await bench.go(`${inMatter(`doc/${id}`, name)}?page=1`);
  await bench.go("#/");
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  // Problems hold what ran, what was asked of elsewhere, and what the policy stopped: there must be none.
});

test("a page of another server on this machine reaches nothing", async () => {
  const evil = createServer((request, answer) => answer.setHeader("content-type", "text/html").end("<!doctype html><title>Elsewhere</title><body>"));
  await new Promise((listening) => evil.listen(0, "127.0.0.1", listening));
  // The same host: the browser sends the cookie along.
  const other = await bench.context.newPage();
  try {
    await other.goto(`http://127.0.0.1:${evil.address().port}/`);
    const reached = await other.evaluate(async (origin) => {
      const asked = (path, options) => fetch(origin + path, { credentials: "include", ...options }).then((answer) => `${answer.type} ${answer.status}`, () => "refused");
      const loaded = (kind, path) =>
        new Promise((done) => {
          const element = document.createElement(kind);
          element.onload = () => done("loaded");
          element.onerror = () => done("refused");
          element.src = origin + path;
          document.body.append(element);
        });
      const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "create_collection", arguments: { name: "From elsewhere" } } });
      return {
        read: await asked("/export/sheet.csv?collection=Harbour+Point"),
        write: await asked("/mcp", { method: "POST", body: call, headers: { "content-type": "application/json" } }),
        upload: await asked("/upload?collection=Harbour+Point", { method: "POST", body: "x", headers: { "X-CaseTrack": "1", "X-File-Path": "x.txt" } }),
        script: await loaded("script", "/app.js"),
        picture: await loaded("img", "/page?collection=Harbour+Point&document=Refurbishment_Works_Agreement.pdf&page=1&width=240"),
        blind: await asked("/mcp", { method: "POST", body: call, mode: "no-cors" }),
      };
    }, bench.origin);
    const blind = reached.blind;
    delete reached.blind;
    assert.deepEqual(reached, { read: "refused", write: "refused", upload: "refused", script: "refused", picture: "refused" });
    assert.match(blind, /^(opaque 0|refused)$/);
    await other.evaluate((origin) => {
      const frame = document.createElement("iframe");
      frame.src = `${origin}/`;
      document.body.append(frame);
      const form = Object.assign(document.createElement("form"), { method: "post", action: `${origin}/mcp`, enctype: "text/plain", target: "sent" });
      form.append(Object.assign(document.createElement("input"), { name: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_collection","arguments":{"name":"From elsewhere","x":"', value: '"}}}' }));
      document.body.append(Object.assign(document.createElement("iframe"), { name: "sent" }), form);
      form.submit();
    }, bench.origin);
    // The browser shows a page of its own in place of each.
    const shown = () => other.frames().slice(1).map((frame) => frame.url());
    for (const end = Date.now() + PATIENCE; Date.now() < end && !(shown().length === 2 && shown().every((url) => url.startsWith("chrome-error:"))); ) await other.waitForTimeout(50);
    assert.deepEqual(shown(), ["chrome-error://chromewebdata/", "chrome-error://chromewebdata/"]);
    const { collections } = await casetrack.call("list_collections", {});
    assert.ok(!collections.some(({ name }) => name === "From elsewhere"));
  } finally {
    await other.close();
    evil.close();
  }
});

test("without its cookie, a browser is shown nothing", async () => {
  const stranger = await browser.newContext();
  try {
    const other = await stranger.newPage();
    for (const path of ["/", "/app.js", "/export/evidence.csv?collection=Harbour+Point", "/page?collection=Harbour+Point&document=x&page=1", "/mcp"]) {
      const answer = await other.goto(bench.origin + path);
      assert.equal(answer.status(), 401, path);
      assert.doesNotMatch(await answer.text(), /Harbour|Tidewell/);
    }
    const used = await casetrack.address();
    await other.goto(used);
    await other.locator("main").waitFor();
    // The code was good once; whoever comes with it again is told so.
    const again = await browser.newContext();
    const second = await again.newPage();
    assert.equal((await second.goto(used)).status(), 403);
    await again.close();
  } finally {
    await stranger.close();
  }
});

test("shortcuts are listed, and can be turned off", async () => {
  await bench.go(inMatter("documents"));
  await page.locator("main").focus();
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByRole("checkbox").uncheck();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  assert.match(page.url(), /documents/);
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByRole("checkbox").check();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.waitForURL(/sheet/);
});
