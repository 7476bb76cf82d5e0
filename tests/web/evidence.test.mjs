// The view for MCP Apps in a host made of the official bridge, over what the real program answers.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { DIST, launch, MATTER, PATIENCE, ROOT, start, UI, violations } from "./lib.mjs";

let casetrack, browser, page, server, frame;
const problems = [];
const html = readFileSync(join(DIST, "evidence.html"), "utf8");

before(async () => {
  [casetrack, browser] = await Promise.all([start(), launch()]);
  const { build } = await import(pathToFileURL(join(UI, "node_modules", "vite", "dist", "node", "index.js")));
  const built = await build({
    root: UI,
    configFile: false,
    logLevel: "error",
    resolve: { alias: { "@modelcontextprotocol/ext-apps/app-bridge": join(UI, "node_modules/@modelcontextprotocol/ext-apps/dist/src/app-bridge.js") } },
    build: { write: false, rolldownOptions: { input: join(ROOT, "tests", "web", "host.mjs"), output: { codeSplitting: false } } },
  });
  const script = built.output.find((part) => part.type === "chunk").code;
  server = createServer((request, answer) => {
    answer.setHeader("content-type", request.url === "/" ? "text/html" : "text/javascript");
    answer.end(request.url === "/" ? `<!doctype html><title>Host</title><body></body><script type="module" src="/host.js"></script>` : script);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const context = await browser.newContext({ viewport: { width: 900, height: 700 } });
  context.setDefaultTimeout(PATIENCE);
  page = await context.newPage();
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.exposeFunction("callTool", (name, args) => casetrack.call(name, args));
  await page.exposeFunction("picture", async (uri) => {
    const [, document, number] = /pages\/([^/]+)\/(\d+)\.png/.exec(uri);
    const file = join(casetrack.home, "page.png");
    await casetrack.cli("page", document, number, "-c", MATTER, "--out", file);
    return readFileSync(file, "base64");
  });
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  frame = page.frameLocator("iframe");
});

after(async () => {
  await browser?.close();
  server?.close();
  casetrack?.stop();
  assert.deepEqual(problems, []);
});

async function show(tool, args, more = {}) {
  const structuredContent = await casetrack.call(tool, args);
  const result = { content: [{ type: "text", text: "as text" }], structuredContent };
  await page.evaluate(([html, shown]) => window.show(html, shown), [html, { tool, args, result, ...more }]);
  return structuredContent;
}

test("passages are shown with their citations, and their pages on request", async () => {
  const answer = await show("search_documents", { query: "interest on the overdue amount", document_filter: "Refurbishment_Works_Agreement.pdf", top_k: 3 });
  await frame.locator(".card").first().waitFor();
  assert.equal(await frame.locator(".card .citation").first().innerText(), answer.results[0].excerpt.citation);
  assert.doesNotMatch(await frame.locator("blockquote").first().innerText(), /document-text/);
  await frame.getByRole("button", { name: "Show the page" }).first().click();
  await frame.locator("img").first().waitFor();
  assert.ok(await frame.locator("img").first().evaluate((image) => image.decode().then(() => image.naturalWidth > 500)));
  await page.waitForFunction(() => window.seen.sizes.some((size) => size.height > 100));
});

test("a long answer is continued through the host", async () => {
  const answer = await show("get_collection_timeline", { limit: 5 });
  assert.equal(answer.next_offset, 5);
  await frame.locator(".card").nth(4).waitFor();
  assert.equal(await frame.locator(".card").count(), 5);
  await frame.getByRole("button", { name: "Show more" }).click();
  await frame.locator(".card").nth(9).waitFor();
  assert.equal(await frame.locator(".card").count(), 10);
});

test("the host's theme, colours and display modes are followed", async () => {
  await show("compare_documents", { document_a: "Amendment_No_1.docx", document_b: "Refurbishment_Works_Agreement.pdf", topic: "interest" });
  await frame.locator(".sides section").nth(1).waitFor();
  const background = () => frame.locator("html").evaluate((root) => getComputedStyle(root).backgroundColor);
  assert.equal(await background(), "rgb(250, 240, 230)");
  await page.evaluate(() => window.bridge.setHostContext({ theme: "dark", displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] }));
  await page.frames()[1].waitForFunction(() => document.documentElement.style.colorScheme === "dark");
  await frame.getByRole("button", { name: "Full screen" }).click();
  await frame.getByRole("button", { name: "Back to the conversation" }).waitFor();
  assert.deepEqual(await page.evaluate(() => window.seen.modes), ["fullscreen"]);
});

test("each tool's answer has its form, and none breaks a rule of accessibility", async () => {
  const passage = (await casetrack.call("search_documents", { query: "interest", top_k: 1 })).results[0].chunk_id;
  const tools = [
    ["get_source_context", { chunk_id: passage }, ".card.centre"],
    ["get_chunk", { chunk_id: passage }, ".card.centre"],
    ["get_entity_graph", { top_k: 8 }, ".card"],
    ["get_matter_sheet", {}, "table"],
    ["search_documents", { query: "interest", brief: true }, ".card"],
  ];
  for (const [tool, args, selector] of tools) {
    await show(tool, args);
    await frame.locator(selector).first().waitFor();
    assert.deepEqual((await violations(page.frames()[1])).filter((line) => !/page-has-heading-one|landmark|region/.test(line)), [], tool);
  }
});

test("an error is told, and the view ends when the host says so", async () => {
  await page.evaluate(([html]) => window.show(html, { tool: "get_chunk", args: {}, result: { isError: true, content: [{ type: "text", text: "Chunk not found.\n\nUse another." }] } }), [html]);
  await frame.getByRole("alert").getByText("Chunk not found.").waitFor();
  await page.evaluate(() => window.bridge.teardownResource({}));
  await page.frames()[1].waitForFunction(() => document.querySelector("article") === null);
});

test("without what a host may leave out, the text stays", async () => {
  await show("get_collection_timeline", { limit: 5 }, { capabilities: {} });
  await frame.locator(".card").nth(4).waitFor();
  assert.equal(await frame.getByRole("button", { name: "Show more" }).count(), 0);
});

test("passages that are script run nothing", async () => {
  const folder = join(casetrack.home, "script.txt");
  writeFileSync(folder, `Zebra clause <img src=x onerror="parent.postMessage('pwned','*')"><script>document.title='pwned'</script>\n`);
  await casetrack.cli("ingest", folder, "-c", MATTER, "-q");
  await show("search_documents", { query: "zebra clause", top_k: 1 });
  await frame.getByText("<script>").waitFor();
  assert.notEqual(await page.frames()[1].title(), "pwned");
});
