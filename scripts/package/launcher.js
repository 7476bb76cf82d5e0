#!/usr/bin/env node
// Starts the program that the package for this system carries, with the same arguments, streams, signals and exit status.
"use strict";
const { spawn } = require("node:child_process");
const path = require("node:path");

const platform = process.platform === "darwin" ? "darwin" : `${process.platform}-${process.arch}`;
const carrier = `casetrack-${platform}`;
let folder;
try {
  folder = path.dirname(require.resolve(`${carrier}/package.json`));
} catch {
  console.error(`error: the npm package ${carrier} is not installed.`);
  console.error("If CaseTrack exists for this system, install casetrack again without --omit=optional.");
  process.exit(1);
}

const program = path.join(folder, "bin", process.platform === "win32" ? "casetrack.exe" : "casetrack");
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// Ctrl+C reaches the program from the terminal; what is sent to this process alone is passed on.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`error: ${program} could not be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  // End as the program did, so that the caller sees the signal.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
