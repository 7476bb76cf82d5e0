// The view for MCP Apps in a host made of the official bridge, over `casetrack mcp` as an assistant starts it.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { DIST, launch, MATTER, PATIENCE, ROOT, start, UI, violations } from "./lib.mjs";
import { assistant, SHOWS_VIEWS } from "./mcp.mjs";

const VIEW = "ui://casetrack/evidence";
const VIEWED = ["search_documents", "get_source_context", "get_chunk", "compare_documents", "get_collection_timeline", "get_entity_graph", "get_matter_sheet"];

let casetrack, browser, page, server, frame, client, plain, html;
const problems = [];
/** What the view asked of the program. */
const asked = [];

before(async () => {
  [casetrack, browser] = await Promise.all([start(), launch()]);
  client = await assistant(casetrack, MATTER, SHOWS_VIEWS);
  plain = await assistant(casetrack, MATTER);
  html = (await client.request("resources/read", { uri: VIEW })).contents[0].text;
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
  await page.exposeFunction("passOn", (method, params) => {
    asked.push({ method, params });
    return client.request(method, params);
  });
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  frame = page.frameLocator("iframe");
});

after(async () => {
  await browser?.close();
  client?.close();
  plain?.close();
  server?.close();
  casetrack?.stop();
  assert.deepEqual(problems, []);
});

/** Shows what a tool answers; its structured content. */
async function show(tool, args, more = {}) {
  const result = await client.call(tool, args);
  await page.evaluate(([html, shown]) => window.show(html, shown), [html, { tool, args, result, ...more }]);
  return result.structuredContent;
}

test("a client that shows views is told of them, and another has not one word more", async () => {
  const [told, untold] = await Promise.all([client, plain].map((one) => one.request("tools/list")));
  for (const tool of told.tools.filter(({ name }) => VIEWED.includes(name))) {
    assert.equal(tool._meta.ui.resourceUri, VIEW, tool.name);
    assert.equal(tool._meta["ui/resourceUri"], VIEW, tool.name);
  }
  const ofView = told.tools.filter(({ _meta }) => _meta?.ui?.visibility);
  assert.deepEqual(ofView.map(({ name, _meta }) => [name, _meta.ui.visibility]), [["show_more", ["app"]]]);
  const others = told.tools.filter(({ name }) => name !== "show_more").map(({ _meta, ...tool }) => tool);
  assert.deepEqual(others, untold.tools);
  const [listed, unlisted] = await Promise.all([client, plain].map((one) => one.request("resources/list")));
  assert.ok(listed.resources.some(({ uri }) => uri === VIEW));
  assert.deepEqual(listed.resources.filter(({ uri }) => uri !== VIEW), unlisted.resources);
  const { contents } = await client.request("resources/read", { uri: VIEW });
  assert.equal(contents[0].mimeType, "text/html;profile=mcp-app");
  assert.deepEqual(contents[0]._meta.ui.csp, { connectDomains: [], resourceDomains: [] });
  assert.equal(contents[0].text, readFileSync(join(DIST, "evidence.html"), "utf8"));
  await assert.rejects(plain.call("show_more", { tool: "get_collection_timeline", arguments: {}, offset: 5 }), /Unknown tool/);
});

test("with and without views, answers have the same texts, links and pictures", async () => {
  // How long it took is the only thing that may differ.
  const same = (result) => JSON.parse(JSON.stringify(result).replaceAll(/("elapsed_ms":|in |Time: )\d+(\.\d+)?/g, "$10"));
  const [passage] = (await client.call("search_documents", { query: "interest", document_filter: "Refurbishment_Works_Agreement.pdf", top_k: 1, detail: "full" })).structuredContent.results;
  const calls = [
    ["search_documents", { query: "late payment interest", top_k: 5, include_boxes: true }],
    ["get_source_context", { chunk_id: passage.chunk_id }],
    ["get_chunk", { chunk_id: passage.chunk_id }],
    ["compare_documents", { document_a: "Amendment_No_1.docx", document_b: "Refurbishment_Works_Agreement.pdf", topic: "interest" }],
    ["get_collection_timeline", { limit: 5 }],
    ["get_entity_graph", { top_k: 8 }],
    ["get_matter_sheet", {}],
    ["get_chunk", { chunk_id: "no such chunk" }],
  ];
  const kinds = new Set();
  for (const [tool, args] of calls) {
    const [seen, unseen] = await Promise.all([client, plain].map((one) => one.call(tool, args)));
    assert.deepEqual(same(seen), same(unseen), tool);
    for (const { type } of unseen.content) kinds.add(type);
  }
  assert.ok(kinds.has("text") && kinds.has("resource_link"), [...kinds].join());
  const uri = `casetrack://collections/${encodeURIComponent(MATTER)}/pages/${passage.provenance.document_id}/${passage.provenance.page}.png`;
  const [picture, same_picture] = await Promise.all([client, plain].map((one) => one.request("resources/read", { uri })));
  assert.equal(picture.contents[0].mimeType, "image/png");
  assert.deepEqual(picture, same_picture);
});

test("passages are shown with their citations, and their pages on request", async () => {
  const asked = { query: "interest on the overdue amount", document_filter: "Refurbishment_Works_Agreement.pdf", top_k: 3 };
  const { results } = (await client.call("search_documents", { ...asked, detail: "full" })).structuredContent;
  await show("search_documents", asked);
  await frame.locator(".card").first().waitFor();
  assert.equal(await frame.locator(".card .citation").first().innerText(), results[0].citation);
  assert.doesNotMatch(await frame.locator("blockquote").first().innerText(), /<doc /);
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
  const [{ method, params }] = asked.splice(0).slice(-1);
  assert.deepEqual({ method, params }, { method: "tools/call", params: { name: "show_more", arguments: { tool: "get_collection_timeline", arguments: { limit: 5 }, offset: 5 } } });
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
  const passage = (await client.call("search_documents", { query: "interest", top_k: 1 })).structuredContent.results[0].chunk_id;
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

test("a call that was cancelled is said to be", async () => {
  await page.evaluate(([html]) => window.show(html, { tool: "search_documents", args: { query: "interest" } }), [html]);
  await frame.getByRole("status").getByText("Waiting for CaseTrack").waitFor();
  await page.evaluate(() => window.bridge.sendToolCancelled({ reason: "The user stopped it." }));
  await frame.getByRole("alert").getByText("The user stopped it.").waitFor();
});

test("a table ends where no more rows are drawn", async () => {
  const rows = Array.from({ length: 500 }, (_, index) => ({ document_name: `Document ${index}`, cells: {} }));
  const result = { content: [], structuredContent: { collection: MATTER, columns: [], rows, total: 600, next_offset: 500 } };
  await page.evaluate(([html, shown]) => window.show(html, shown), [html, { tool: "get_matter_sheet", args: {}, result }]);
  await frame.getByText("The first 500 are shown.").waitFor();
  assert.equal(await frame.getByRole("button", { name: "Show more" }).count(), 0);
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
