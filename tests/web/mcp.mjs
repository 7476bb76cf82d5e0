// A small client of MCP over stdio: the program as an assistant starts it.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const PROTOCOL = "2025-11-25";
/** What a host of MCP Apps declares. */
export const SHOWS_VIEWS = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };

/** `casetrack mcp` in a matter, initialized by a client with these capabilities. */
export async function assistant(casetrack, matter, capabilities = {}) {
  const child = spawn(casetrack.bin, ["mcp", "--toolsets", "all,workbench"], { env: casetrack.env, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map();
  let next = 1;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    const asked = waiting.get(message.id);
    if (!asked || message.method) return;
    waiting.delete(message.id);
    if (message.error) asked.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
    else asked.resolve(message.result);
  });
  child.on("exit", () => {
    for (const { reject } of waiting.values()) reject(new Error("casetrack mcp has ended"));
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = next++;
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
  await request("initialize", { protocolVersion: PROTOCOL, capabilities, clientInfo: { name: "test-host", version: "1" } });
  send({ method: "notifications/initialized" });
  await request("tools/call", { name: "switch_collection", arguments: { collection_name: matter } });
  return {
    request,
    call: (name, args = {}) => request("tools/call", { name, arguments: args }),
    close: () => child.stdin.end(),
  };
}
