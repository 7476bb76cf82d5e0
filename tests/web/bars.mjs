// How fast the workbench is where there is very much: 10,000 passages, a document of 5,000 pages, 100,000 names; and its memory after
// 500 actions at random. Prints one line for each. Run it with scripts/web.sh bars, on a machine that does nothing else.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inMatter, launch, PATIENCE, settled, signIn, start } from "./lib.mjs";

const PAGES = 5000;
const NAMES_ON_A_PAGE = 20;
/** Pages whose names stand together in both documents, and so have neighbours in the graph. */
const NAMED_TWICE = 100;
const ACTIONS = 500;
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

const say = (what, ...figures) => console.log(`${what.padEnd(42)} ${figures.join("  ")}`);
const ms = (value) => `${Math.round(value)} ms`;
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

/** The times between frames while a list is scrolled, in milliseconds. */
async function scrolled(page, selector) {
  return page.evaluate(
    ([selector, seconds]) =>
      new Promise((done) => {
        const box = document.querySelector(selector);
        const frames = [];
        let last = performance.now();
        const end = last + 1000 * seconds;
        const step = (now) => {
          frames.push(now - last);
          last = now;
          box.scrollTop += 60;
          if (now < end) requestAnimationFrame(step);
          else done(frames.slice(1));
        };
        requestAnimationFrame(step);
      }),
    [selector, SCROLLING],
  );
}

function sayFrames(what, frames) {
  const late = frames.filter((frame) => frame > 25).length;
  say(what, `${(1000 / (frames.reduce((sum, frame) => sum + frame, 0) / frames.length)).toFixed(1)} frames a second`, `longest ${ms(Math.max(...frames))}`, `${late} of ${frames.length} late`);
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
  say("read", `${((Date.now() - begun) / 1000).toFixed(0)} s`, `${held} pages in ${DOCUMENT}`, `${total} organizations`);

  const { page, go } = await signIn(browser, casetrack, { reducedMotion: "no-preference" });
  const times = async (what, hash, selector, runs = 5) => {
    const found = [];
    for (let run = 0; run < runs; run += 1) {
      await go("#/jobs");
      found.push(await painted(page, hash, selector));
      await settled(page);
    }
    say(what, `median ${ms(share(found, 0.5))}`, `longest ${ms(Math.max(...found))}`);
  };

  await times("search, first rows", `${inMatter("search", MATTER)}?q=${encodeURIComponent(`"${PHRASE}"`)}`, ".results .virtual .row");
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
  say("passages in the list", count);
  sayFrames("scrolling them", await scrolled(page, ".results .virtual"));
  await times("documents, first rows", inMatter("documents", MATTER), ".tbody .trow");
  await times(`page ${PAGES / 2} of ${PAGES}, picture`, `${inMatter(`doc/${DOCUMENT}`, MATTER)}?page=${PAGES / 2}`, ".sheet img");
  await times("names, first rows", `${inMatter("entities", MATTER)}?type=organization`, ".results .virtual .row");
  sayFrames("scrolling them", await scrolled(page, ".results .virtual"));
  await times("graph of one name", `${inMatter("entities", MATTER)}?type=organization&name=${encodeURIComponent(company((NAMED_TWICE * NAMES_ON_A_PAGE) / 2))}`, ".graph .node");
  await times("timeline", inMatter("timeline", MATTER), "main > *");

  // Numbers that are the same in every run (Lehmer, 1951).
  let seed = 20_251_107;
  const random = (most) => (seed = (seed * 48_271) % 2_147_483_647) % most;
  const places = [
    () => `${inMatter("search", MATTER)}?q=${encodeURIComponent(company(random(PAGES * NAMES_ON_A_PAGE)))}`,
    () => `${inMatter(`doc/${DOCUMENT}`, MATTER)}?page=${1 + random(PAGES)}`,
    () => `${inMatter("entities", MATTER)}?type=organization&name=${encodeURIComponent(company(random(PAGES * NAMES_ON_A_PAGE)))}`,
    () => inMatter("documents", MATTER),
    () => inMatter("sheet", MATTER),
    () => inMatter("evidence", MATTER),
    () => inMatter("references"),
    () => inMatter("timeline"),
    () => `${inMatter("search")}?q=interest`,
    () => "#/",
  ];
  let first;
  for (let action = 1; action <= ACTIONS; action += 1) {
    await go(places[random(places.length)]());
    await page.keyboard.press(["ArrowDown", "PageDown", "j", "]", "+"][random(5)]);
    if (action === 100) first = await heap(page);
  }
  await go("#/");
  const last = await heap(page);
  const mb = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  say(`memory after 100 and ${ACTIONS} actions`, `${mb(first.bytes)} and ${mb(last.bytes)}`, `nodes ${first.nodes} and ${last.nodes}`, `listeners ${first.listeners} and ${last.listeners}`);
} finally {
  await browser.close();
  casetrack.stop();
}
