// How fast the workbench is where there is very much: 10,000 passages, a document of 5,000 pages, 100,000 names and the graph of them;
// how smoothly it scrolls, from a trace of the browser; and the memory of the page and of the background process during 500 actions at
// random, or with --minutes N for so long. Prints the rows of the tables in docs/dev/sheet.md. Run it with scripts/web.sh bars, on a
// machine that does nothing else.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { inMatter, launch, PATIENCE, settled, signIn, start } from "./lib.mjs";

const PAGES = 5000;
const NAMES_ON_A_PAGE = 20;
/** Pages whose names stand together in both documents, and so have neighbours in the graph. */
const NAMED_TWICE = 100;
const ACTIONS = 500;
/** Actions between two looks at the memory. */
const LOOK = 100;
/** Runs of each measurement of time. */
const RUNS = 5;
const MATTER = "Very much";
const DOCUMENT = "Register.pdf";
const PHRASE = "register of berths";
/** Seconds of scrolling. */
const SCROLLING = 4;

const SYLLABLES = ["bar", "cal", "dor", "fen", "gar", "hol", "kel", "lam", "mor", "nor", "pel", "ros", "sel", "tor", "vel", "wex"];

/** A made-up company, another one for each number. */
function company(number) {
  let name = "";
  for (let rest = number, at = 0; at < 5; at += 1, rest = Math.floor(rest / 16)) name += SYLLABLES[rest % 16];
  return `${name[0].toUpperCase()}${name.slice(1)} Limited`;
}

function lines(page) {
  const names = Array.from({ length: NAMES_ON_A_PAGE }, (_, index) => company(page * NAMES_ON_A_PAGE + index));
  const rows = [`Page ${page + 1} of the ${PHRASE}.`, "", "The berths of this page are let to:"];
  for (let at = 0; at < names.length; at += 2) rows.push(`${names[at]} and ${names[at + 1]}.`);
  return rows;
}

/** A PDF of a page for each list of lines, in Helvetica (ISO 32000-1, 7.5). */
function pdf(pages) {
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"];
  const kids = [];
  for (const rows of pages) {
    const content = `BT /F1 11 Tf 72 770 Td 16 TL\n${rows.map((row) => `(${row}) Tj T*`).join("\n")}\nET`;
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${objects.length} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`);
    kids.push(`${objects.length} 0 R`);
  }
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(" ")}] >>`;
  let file = "%PDF-1.7\n";
  const places = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("")}`;
  return `${file}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
}

const { minutes } = parseArgs({ options: { minutes: { type: "string", default: "0" } } }).values;
const row = (...cells) => console.log(`| ${cells.join(" | ")} |`);
/** The head of a table. */
const head = (...cells) => {
  row(...cells);
  row(...cells.map(() => "---"));
};
const ms = (value) => `${Math.round(value).toLocaleString("en-GB")} ms`;
const mb = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
const share = (rows, at) => [...rows].sort((a, b) => a - b)[Math.min(rows.length - 1, Math.floor(rows.length * at))];

/** Milliseconds from going to a place until something is painted there. */
async function painted(page, hash, selector) {
  const took = await page.evaluate(
    ([hash, selector, patience]) =>
      new Promise((done) => {
        const begun = performance.now();
        const look = () => {
          const found = document.querySelector(selector);
          // The frame after the one in which it was found has been painted.
          if (performance.now() - begun > patience) done(null);
          else if (found) requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun)));
          else requestAnimationFrame(look);
        };
        location.hash = hash;
        requestAnimationFrame(look);
      }),
    [hash, selector, PATIENCE],
  );
  if (took === null) throw new Error(`nothing at ${hash} that ${selector} finds: ${await page.locator("main").innerText()}`);
  return took;
}

/** Scrolls a list for a while. Of the trace: frames that were drawn in a second, and those that were dropped. */
async function scrolled(browser, page, what, selector) {
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.frame", "devtools.timeline.frame"] });
  await page.evaluate(
    ([selector, seconds]) =>
      new Promise((done) => {
        const box = document.querySelector(selector);
        const end = performance.now() + 1000 * seconds;
        performance.mark("scrolling");
        const step = (now) => {
          box.scrollTop += 60;
          if (now < end) requestAnimationFrame(step);
          else done();
        };
        requestAnimationFrame(step);
      }),
    [selector, SCROLLING],
  );
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const of = (name) => traceEvents.filter((event) => event.name === name).map(({ ts }) => ts).sort((a, b) => a - b);
  const drawn = of("DrawFrame");
  const gaps = drawn.slice(1).map((at, index) => (at - drawn[index]) / 1000);
  const rate = gaps.length === 0 ? 0 : (1000 * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0);
  row(what, `${rate.toFixed(1)} frames a second`, `${of("DroppedFrame").length} of ${drawn.length} dropped`, `longest ${ms(Math.max(0, ...gaps))}`);
}

/** Memory in use by the background process of a data directory, in bytes. */
function owner(home) {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes("owner")) continue;
      if (!readFileSync(`/proc/${pid}/environ`, "utf8").includes(home)) continue;
      return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
    } catch {
      // It has ended, or is somebody else's.
    }
  }
  return NaN;
}

async function heap(page) {
  const debug = await page.context().newCDPSession(page);
  await debug.send("HeapProfiler.enable");
  await debug.send("HeapProfiler.collectGarbage");
  await debug.send("Performance.enable");
  const { metrics } = await debug.send("Performance.getMetrics");
  await debug.detach();
  const of = (name) => metrics.find((metric) => metric.name === name).value;
  return { bytes: of("JSHeapUsedSize"), nodes: of("Nodes"), listeners: of("JSEventListeners") };
}

const casetrack = await start();
const browser = await launch();
try {
  const folder = join(casetrack.home, "much");
  mkdirSync(folder);
  const pages = Array.from({ length: PAGES }, (_, page) => lines(page));
  writeFileSync(join(folder, DOCUMENT), pdf(pages), "latin1");
  writeFileSync(join(folder, "Copy.txt"), pages.map((rows, page) => (page < NAMED_TWICE ? rows : rows.slice(0, 1)).join("\n")).join("\n\f"));
  const begun = Date.now();
  await casetrack.cli("new", MATTER);
  await casetrack.cli("ingest", folder, "-c", MATTER, "-q");
  const { page_count: held } = await casetrack.call("get_document", { document_name: DOCUMENT }, MATTER);
  const { total } = await casetrack.call("list_entities", { entity_type: "organization", top_k: 1 }, MATTER);
  console.log(`${held} pages in ${DOCUMENT} and ${total} organizations, read in ${((Date.now() - begun) / 1000).toFixed(0)} s; load ${loadavg()[0].toFixed(1)}`);

  const { page, go } = await signIn(browser, casetrack, { reducedMotion: "no-preference" });
  const times = async (what, hash, selector) => {
    const found = [];
    for (let run = 0; run < RUNS; run += 1) {
      await go("#/jobs");
      found.push(await painted(page, hash, selector));
      await settled(page);
    }
    row(what, ms(share(found, 0.5)), ms(Math.max(...found)));
  };

  console.log();
  head("", "median", "longest");
  await times("search with 10,000 passages, first rows", `${inMatter("search", MATTER)}?q=${encodeURIComponent(`"${PHRASE}"`)}`, ".results .virtual .row");
  await times("documents, first rows", inMatter("documents", MATTER), ".tbody .trow");
  await times(`page ${PAGES / 2} of ${PAGES}, with its picture`, `${inMatter(`doc/${DOCUMENT}`, MATTER)}?page=${PAGES / 2}`, ".sheet img");
  await times("100,000 names, first rows", `${inMatter("entities", MATTER)}?type=organization`, ".results .virtual .row");
  await times("their graph", `${inMatter("entities", MATTER)}?type=organization`, ".graph .node");
  const linked = company((NAMED_TWICE * NAMES_ON_A_PAGE) / 2);
  await times("graph around one of them", `${inMatter("entities", MATTER)}?type=organization&name=${encodeURIComponent(linked)}`, ".graph .centre");
  await times("timeline", inMatter("timeline", MATTER), "main h1");

  console.log();
  head("", "drawn", "dropped", "longest gap");
  await go(`${inMatter("search", MATTER)}?q=${encodeURIComponent(`"${PHRASE}"`)}`);
  // To the end of the list, part by part, and back: then all of it is there.
  const count = await page.evaluate(async () => {
    const box = document.querySelector(".results .virtual");
    for (let last = 0, still = 0; still < 100; ) {
      box.scrollTop = box.scrollHeight;
      await new Promise((next) => setTimeout(next, 50));
      still = box.scrollHeight === last ? still + 1 : 0;
      last = box.scrollHeight;
    }
    box.scrollTop = 0;
    return Number(box.querySelector(".row").getAttribute("aria-setsize"));
  });
  await scrolled(browser, page, `scrolling ${count.toLocaleString("en-GB")} passages`, ".results .virtual");
  await go(`${inMatter("entities", MATTER)}?type=organization`);
  await scrolled(browser, page, "scrolling the names, which are fetched meanwhile", ".results .virtual");

  // Numbers that are the same in every run (Lehmer, 1951).
  let seed = 20_251_107;
  const random = (most) => (seed = (seed * 48_271) % 2_147_483_647) % most;
  const name = () => company(random(PAGES * NAMES_ON_A_PAGE));
  const pressed = (key) => async () => page.keyboard.press(key);
  const clicked = (role, name) => async () => {
    const found = page.getByRole(role, { name }).first();
    if (await found.isVisible()) await found.click();
  };
  const typed = async () => {
    const field = page.locator("input[type=search]").first();
    if (await field.isVisible()) await field.fill(name());
  };
  const print = async () => {
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  };
  const places = [
    () => `${inMatter("search", MATTER)}?q=${encodeURIComponent(name())}`,
    () => `${inMatter("search", MATTER)}?mode=ask&q=${encodeURIComponent(`Who lets berths to ${name()}?`)}`,
    () => `${inMatter(`doc/${DOCUMENT}`, MATTER)}?page=${1 + random(PAGES)}`,
    () => `${inMatter("entities", MATTER)}?type=organization&name=${encodeURIComponent(name())}`,
    () => inMatter("documents", MATTER),
    () => inMatter("sheet", MATTER),
    () => inMatter("evidence", MATTER),
    () => inMatter("versions"),
    () => inMatter("references"),
    () => inMatter("timeline"),
    () => `${inMatter("doc/Refurbishment_Works_Agreement.pdf")}?page=${1 + random(5)}&q=interest`,
    () => `${inMatter("search")}?q=interest`,
    () => "#/jobs",
    () => "#/",
  ];
  const acts = [
    ...["ArrowDown", "PageDown", "j", "]", "+", "n", "x", "Home", "End"].map(pressed),
    clicked("button", "Add to evidence"),
    clicked("button", /^Show more/),
    clicked("button", "Zoom in"),
    clicked("button", "Related"),
    typed,
    print,
    () => page.goBack().catch(() => undefined),
  ];
  console.log();
  head("actions", "page", "nodes", "listeners", "background process");
  const look = async (actions) => {
    const { bytes, nodes, listeners } = await heap(page);
    row(actions, mb(bytes), nodes, listeners, mb(owner(casetrack.home)));
  };
  const until = Date.now() + 60_000 * Number(minutes);
  let done = 0;
  while (done < ACTIONS || Date.now() < until) {
    await go(places[random(places.length)]());
    await acts[random(acts.length)]();
    done += 1;
    if (done % LOOK === 0) {
      await go("#/jobs");
      await look(done);
    }
  }
} finally {
  await browser.close();
  casetrack.stop();
}
