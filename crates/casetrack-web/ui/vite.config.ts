import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

/** The dependencies' licences ask for this. */
const BANNER = "/* Preact: MIT, Jason Miller. d3-force, d3-quadtree, d3-dispatch, d3-timer: ISC, Mike Bostock. */";

/** Puts the script and the styles into the page, so that a host of MCP Apps gets one file. */
function singleFile(): Plugin {
  return {
    name: "single-file",
    enforce: "post",
    generateBundle(_, bundle) {
      for (const page of Object.values(bundle)) {
        if (page.type !== "asset" || !page.fileName.endsWith(".html")) continue;
        let html = String(page.source);
        for (const part of Object.values(bundle)) {
          if (part.type === "chunk") {
            const code = part.code.replaceAll("</script", "<\\/script");
            html = html.replace(/<script[^>]*src="[^"]*"[^>]*><\/script>/, "");
            html = html.replace("</body>", () => `<script type="module">${code}</script></body>`);
            delete bundle[part.fileName];
          } else if (part.fileName.endsWith(".css")) {
            html = html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${String(part.source)}</style>`);
            delete bundle[part.fileName];
          }
        }
        page.source = html;
      }
    },
  };
}

/** For development: says that the page is the user's own, as the workbench's listener does. */
function ownPage(): Plugin {
  return {
    name: "own-page",
    configureServer({ middlewares }) {
      middlewares.use("/session", (_, answer) => void answer.end('{"is_team":false}'));
    },
  };
}

// For development: the address of `casetrack mcp --http` or of the workbench, and its token.
const target = process.env.CASETRACK_URL ?? "http://127.0.0.1:8310";
const token = process.env.CASETRACK_TOKEN_FILE ? readFileSync(process.env.CASETRACK_TOKEN_FILE, "utf8").trim() : "";
const forward = { target, changeOrigin: true, headers: token ? { authorization: `Bearer ${token}` } : {} };

export default defineConfig(({ mode }) => {
  const evidence = mode === "evidence";
  const page = evidence ? "evidence.html" : "index.html";
  return {
    base: "./",
    publicDir: false,
    plugins: evidence ? [singleFile()] : [ownPage()],
    server: { proxy: { "/mcp": forward, "/page": forward, "/upload": forward, "/export": forward } },
    build: {
      outDir: fileURLToPath(new URL("../dist", import.meta.url)),
      emptyOutDir: !evidence,
      target: "es2022",
      // The first that know light-dark(), by which a host's theme is followed.
      cssTarget: ["chrome123", "firefox120", "safari17.5"],
      modulePreload: false,
      cssCodeSplit: false,
      assetsInlineLimit: 1 << 20,
      reportCompressedSize: false,
      rolldownOptions: {
        input: fileURLToPath(new URL(page, import.meta.url)),
        output: { entryFileNames: "app.js", assetFileNames: "app.[ext]", codeSplitting: false, postBanner: evidence ? "" : BANNER },
      },
    },
  };
});
