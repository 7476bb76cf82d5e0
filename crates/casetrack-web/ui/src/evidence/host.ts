/** The host of an MCP App (MCP Apps, 2026-01-26): JSON-RPC with the window that holds this one. */

import type {
  McpUiHostCapabilities,
  McpUiHostContext,
  McpUiInitializeResult,
} from "@modelcontextprotocol/ext-apps";
import { contentOf } from "../mcp/result";

const PROTOCOL = "2026-01-26";
/** Longest time for an answer of the host, in milliseconds. */
const PATIENCE = 60_000;

interface Message {
  jsonrpc: "2.0";
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

export interface Events {
  onInput: (args: Record<string, unknown>) => void;
  onResult: (result: Record<string, unknown>) => void;
  onCancelled: (reason: string) => void;
  onContext: (context: McpUiHostContext) => void;
  onEnd: () => void;
}

export class Host {
  context: McpUiHostContext = {};
  capabilities: McpUiHostCapabilities = {};
  private next = 1;
  private readonly waiting = new Map<number | string, { resolve: (result: Record<string, unknown>) => void; reject: (error: Error) => void }>();

  constructor(private readonly events: Events) {
    addEventListener("message", (event) => {
      // Only the host may send messages to the view.
      if (event.source === parent) this.hear(event.data as Message);
    });
  }

  async connect(): Promise<void> {
    const result = (await this.request("ui/initialize", {
      appInfo: { name: "casetrack-evidence", version: "1" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
      protocolVersion: PROTOCOL,
    })) as unknown as McpUiInitializeResult;
    this.capabilities = result.hostCapabilities ?? {};
    this.context = result.hostContext ?? {};
    this.events.onContext(this.context);
    this.notify("ui/notifications/initialized", {});
  }

  /** Calls a tool of CaseTrack through the host. */
  async call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    return contentOf(await this.request("tools/call", { name, arguments: args })) as Record<string, unknown>;
  }

  /** The part of a tool's answer that begins at an offset: by the tool of this view, or by the tool itself if the host has only that. */
  async more(name: string, args: Record<string, unknown>, offset: number): Promise<Record<string, unknown>> {
    try {
      return await this.call("show_more", { tool: name, arguments: args, offset });
    } catch {
      return this.call(name, { ...args, offset });
    }
  }

  /** The picture of a page, as an address for an image; null if the host gives none. */
  async picture(uri: string): Promise<string | null> {
    const result = await this.request("resources/read", { uri });
    const contents = (result.contents ?? []) as { blob?: string; mimeType?: string }[];
    const picture = contents.find((content) => content.blob && content.mimeType === "image/png");
    return picture ? `data:image/png;base64,${picture.blob}` : null;
  }

  async display(mode: "inline" | "fullscreen"): Promise<void> {
    const result = await this.request("ui/request-display-mode", { mode });
    this.take({ displayMode: result.mode as "inline" | "fullscreen" });
  }

  resized(width: number, height: number): void {
    this.notify("ui/notifications/size-changed", { width, height });
  }

  private take(change: McpUiHostContext): void {
    this.context = { ...this.context, ...change };
    this.events.onContext(this.context);
  }

  private send(message: Omit<Message, "jsonrpc">): void {
    // The host's origin is not known to the view; what is sent are its own tool's results and sizes.
    parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  private notify(method: string, params: Record<string, unknown>): void {
    this.send({ method, params });
  }

  private request(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Error("The host did not answer in time."));
      }, PATIENCE);
      const settled = <T>(act: (value: T) => void) => (value: T) => {
        clearTimeout(timer);
        act(value);
      };
      this.waiting.set(id, { resolve: settled(resolve), reject: settled(reject) });
      this.send({ id, method, params });
    });
  }

  private hear(message: Message): void {
    if (message?.jsonrpc !== "2.0") return;
    const { id, method, params = {} } = message;
    if (method === undefined) {
      const waiting = id === undefined ? undefined : this.waiting.get(id);
      if (!waiting || id === undefined) return;
      this.waiting.delete(id);
      if (message.error) waiting.reject(new Error(message.error.message));
      else waiting.resolve(message.result ?? {});
    } else if (id !== undefined) {
      if (method === "ui/resource-teardown") this.events.onEnd();
      const known = method === "ui/resource-teardown" || method === "ping";
      parent.postMessage(
        known ? { jsonrpc: "2.0", id, result: {} } : { jsonrpc: "2.0", id, error: { code: -32601, message: `Unknown method: ${method}` } },
        "*",
      );
    } else if (method === "ui/notifications/tool-input") {
      this.events.onInput((params.arguments ?? {}) as Record<string, unknown>);
    } else if (method === "ui/notifications/tool-result") {
      this.events.onResult(params);
    } else if (method === "ui/notifications/tool-cancelled") {
      this.events.onCancelled(String(params.reason ?? ""));
    } else if (method === "ui/notifications/host-context-changed") {
      this.take(params as McpUiHostContext);
    }
  }
}
