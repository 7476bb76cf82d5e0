// Prints the command with which a client would start the server of an unpacked MCP bundle, as a JSON list of words.
// usage: node bundle.mjs MODULE BUNDLE FOLDER HOME SETTINGS
// MODULE is the folder of @anthropic-ai/mcpb, BUNDLE the unpacked bundle, FOLDER its path as the server sees it, HOME the home
// folder there, SETTINGS the user's settings as JSON; settings that are missing have their defaults.
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [module, bundle, folder, home, settings] = process.argv.slice(2);
const { getMcpConfigForManifest } = await import(pathToFileURL(path.join(module, "dist/index.js")));
const manifest = JSON.parse(readFileSync(path.join(bundle, "manifest.json"), "utf8"));
// Clients show the defaults with the folders filled in, and store what the user leaves in the fields.
const filled = (value) =>
  Array.isArray(value) ? value.map(filled) : typeof value === "string" ? value.replaceAll("${HOME}", home) : value;
const userConfig = {};
for (const [key, option] of Object.entries(manifest.user_config)) userConfig[key] = filled(option.default);
Object.assign(userConfig, JSON.parse(settings));
const config = await getMcpConfigForManifest({
  manifest,
  extensionPath: folder,
  systemDirs: { HOME: home },
  userConfig,
  pathSeparator: "/",
});
console.log(JSON.stringify([config.command, ...config.args]));
