// What the tests and the screenshots of the workbench share: the program over a data directory of its own, and Debian's Chromium.

import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const UI = join(ROOT, "crates", "casetrack-web", "ui");
export const DIST = join(ROOT, "crates", "casetrack-web", "dist");
const require = createRequire(join(UI, "package.json"));
const { chromium } = require("playwright-core");
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
/** As ui/src/mcp/result.ts has it. */
const MARKS = /^<doc (\w+)>\n([\s\S]*?)\n?<\/doc \1>$/;
export const MATTER = "Harbour Point";
/** Longest wait for something to appear, in milliseconds: machines under load are slow, and nothing here measures time. */
export const PATIENCE = Number(process.env.PATIENCE ?? 60_000);

function program() {
  const target = process.env.CARGO_TARGET_DIR ?? join(homedir(), ".cache", "casetrack-target");
  const found = process.env.CASETRACK_BIN ?? join(target, "release", "casetrack");
  if (!existsSync(found)) throw new Error(`There is no program at ${found}. Run scripts/setup.sh, or set CASETRACK_BIN.`);
  return found;
}

/** The program with the sample matter in a new data directory. */
export async function start() {
  const home = mkdtempSync(join(tmpdir(), "casetrack-web-"));
  const bin = program();
  const env = { ...process.env, CASETRACK_HOME: join(home, "data"), CASETRACK_MODELS: join(ROOT, "models") };
  const options = { env, maxBuffer: 1 << 28 };
  const cli = async (...args) => (await promisify(execFile)(bin, args, options)).stdout;
  await cli("new", MATTER, "--type", "contract", "--id", "HP");
  await cli("ingest", join(ROOT, "samples", "harbour-point"), "-c", MATTER, "-q");
  return {
    home,
    bin,
    env,
    cli,
    /** An address that signs a browser in. */
    address: async () => JSON.parse(await cli("open", "--no-browser", "--json")).url,
    /** The structured content of a tool, without the marks around texts of documents. */
    call: async (tool, args = {}, collection = MATTER) => JSON.parse(await cli("call", tool, JSON.stringify(args), "--json", "-c", collection), (_, value) => (typeof value === "string" ? value.replace(MARKS, "$2") : value)),
    stop: () => {
      try {
        execFileSync(bin, ["stop", "-q"], { ...options, stdio: "ignore" });
      } catch {
        // It ends by itself when nobody uses it.
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export function launch() {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  // Chromium's own sandbox needs rights that root and containers do not have; only our own pages are opened.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
}

/** The front end as `dist` has it now, in place of what is embedded in the program: set UI_OF_DIST, and a change needs no new program. */
async function fromDist(route) {
  const name = new URL(route.request().url()).pathname.slice(1) || "index.html";
  const response = await route.fetch();
  await route.fulfill({ response, body: readFileSync(join(DIST, name)) });
}

/** A page of a browser of its own. Everything that goes wrong in it is gathered in `problems`. */
async function watched(browser, origin, options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(PATIENCE);
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  const page = await context.newPage();
  if (process.env.UI_OF_DIST) await page.route(/\/(app\.(js|css))?$/, fromDist);
  const problems = [];
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) problems.push(`console: ${message.text()}`);
  });
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "blob:"].includes(url.protocol) && url.origin !== origin) problems.push(`request: ${request.url()}`);
  });
  const go = async (hash) => {
    // Not before the page has heard of it: until then it shows what was there, and nothing in it is busy.
    await page.evaluate(
      (hash) =>
        new Promise((heard) => {
          const before = location.hash;
          addEventListener("hashchange", () => heard(), { once: true });
          location.hash = hash;
          if (location.hash === before) heard();
        }),
      hash,
    );
    await settled(page);
  };
  return { context, page, problems, origin, go };
}

/** A browser that is signed in. */
export async function signIn(browser, casetrack, options = {}) {
  const address = await casetrack.address();
  const bench = await watched(browser, new URL(address).origin, options);
  await bench.page.goto(address);
  await bench.page.locator("main").waitFor();
  return bench;
}

/** `casetrack serve` over the data of a program that was started. */
export async function serve({ bin, env }, ...args) {
  const child = spawn(bin, ["serve", "--listen", "127.0.0.1:0", ...args], { env, stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((done) => child.once("exit", done));
  const address = await new Promise((done, failed) => {
    let said = "";
    child.stderr.on("data", (data) => {
      said += data;
      const found = /listening at ([\d.:]+)/.exec(said);
      if (found) done(found[1]);
    });
    child.once("exit", () => failed(new Error(said)));
  });
  return {
    /** A browser at its login. */
    visit: async (browser, options = {}) => {
      const bench = await watched(browser, `http://${address}`, options);
      await bench.page.goto(bench.origin);
      await bench.page.locator("main").waitFor();
      return bench;
    },
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

/** Signs in to a server with a token. */
export async function logIn({ page }, token) {
  await page.getByLabel("Your token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  await settled(page);
}

/** Waits until nothing loads any more. */
export async function settled(page) {
  await page.waitForFunction(() => !document.querySelector(".spinner, [aria-busy=true]") && document.querySelector("main")?.childElementCount);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.waitForFunction(() => !document.querySelector(".spinner, [aria-busy=true]"));
}

export const inMatter = (view, matter = MATTER) => `#/c/${encodeURIComponent(matter)}/${view}`;

/** What axe-core finds against WCAG 2.2 AA and its best practices, in a line each. The script comes through the debugger, past the page's policy. */
export async function violations(page) {
  await page.evaluate(`(() => { const module = undefined; ${AXE} })()`);
  // The size of targets is a rule of WCAG 2.2 which axe leaves out where it is not asked for.
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }));
  return found.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")} – ${rule.help}`));
}

/** The pixels of a PNG: `{ width, height, data }`, four bytes each. Chromium decodes it. */
export async function pixels(browser, png) {
  const page = await browser.newPage();
  try {
    const { width, height, data } = await page.evaluate(async (base64) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
      const canvas = new OffscreenCanvas(image.width, image.height);
      const drawing = canvas.getContext("2d");
      drawing.drawImage(image, 0, 0);
      const { data } = drawing.getImageData(0, 0, image.width, image.height);
      let text = "";
      for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
      return { width: image.width, height: image.height, data: btoa(text) };
    }, png.toString("base64"));
    return { width, height, data: Buffer.from(data, "base64") };
  } finally {
    await page.close();
  }
}
