/** A client of MCP over streamable HTTP: one session, which renews itself, with one active collection. */

import { signedOut, unreachable } from "./http";
import { contentOf, ToolError, type ToolResult } from "./result";

export { ToolError } from "./result";

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

interface Message {
  id?: number | string;
  method?: string;
  params?: { progressToken?: number | string; uri?: string } & Partial<Progress>;
  result?: unknown;
  error?: { code: number; message: string };
}

const PROTOCOL = "2025-11-25";
/** Calls under way at once; the server allows eight in a session, and browsers six connections to one origin. */
const AT_ONCE = 4;
/** Before a stream that ended is opened again, in milliseconds. */
const RETRY = 3000;

/** The messages in a stream of server-sent events. */
export async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value.replaceAll("\r\n", "\n");
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const lines = rest.slice(0, end).split("\n");
        rest = rest.slice(end + 2);
        const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart());
        const text = data.join("\n").trim();
        if (text) yield JSON.parse(text) as Message;
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** The sessions on the server. */
const begun = new Set<Session>();

/** Ends all sessions of the page on the server. */
export async function closeAll(): Promise<void> {
  await Promise.all([...begun].map((session) => session.close()));
}

export class Session {
  private id: string | null = null;
  private opening: Promise<void> | null = null;
  private next = 1;
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  /** Resources whose changes this session receives, with the number of subscribers. */
  private readonly watched = new Map<string, number>();

  /** `collection`: name or id of the one that is active in this session. */
  constructor(
    private readonly collection: string | null = null,
    private readonly endpoint = "/mcp",
  ) {}

  /** Calls a tool and gives its structured content. Arguments that are undefined are left out. */
  async call<T>(tool: string, args: Record<string, unknown> = {}, options: CallOptions = {}): Promise<T> {
    const result = await this.request("tools/call", { name: tool, arguments: args }, options);
    return contentOf(result as ToolResult) as T;
  }

  /** Sends a request, in a new session if the server no longer has the old one. */
  async request(method: string, params: Record<string, unknown>, options: CallOptions = {}): Promise<unknown> {
    await this.turn(options.signal);
    try {
      await this.open();
      const session = this.id;
      try {
        return await this.exchange(method, params, options);
      } catch (error) {
        if (!(error instanceof ToolError) || error.code !== "session_gone") throw error;
        if (this.id === session) this.forget();
        await this.open();
        return await this.exchange(method, params, options);
      }
    } finally {
      this.running -= 1;
      this.waiting.shift()?.();
    }
  }

  /**
   * Hears that collections or documents changed (`null`), or a resource that is watched, until `signal`. While it does, CaseTrack's
   * background process stays, and with it the sign-in of this page.
   */
  async listen(onChange: (uri: string | null) => void, signal: AbortSignal): Promise<void> {
    let heardIn: string | null = null;
    while (!signal.aborted) {
      try {
        await this.open();
        if (this.id !== heardIn) {
          heardIn = this.id;
          for (const uri of this.watched.keys()) await this.exchange("resources/subscribe", { uri });
        }
        const response = await fetch(this.endpoint, { headers: { ...this.headers(), accept: "text/event-stream" }, signal });
        if (response.status === 404) this.forget();
        if (response.status === 401) signedOut();
        if (response.status === 401 || response.status === 403) return;
        if (response.ok && response.body) {
          for await (const message of events(response.body)) {
            if (message.method === "notifications/resources/list_changed") onChange(null);
            else if (message.method === "notifications/resources/updated" && message.params?.uri) onChange(message.params.uri);
          }
        }
      } catch {
        // The next call reports why CaseTrack does not answer.
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY));
    }
  }

  /** Subscribes to changes of a resource, until the result is called. */
  watch(uri: string): () => void {
    const wanted = this.watched.get(uri) ?? 0;
    this.watched.set(uri, wanted + 1);
    const send = (method: string) => void this.request(method, { uri }).catch(() => undefined);
    if (wanted === 0) send("resources/subscribe");
    return () => {
      const left = (this.watched.get(uri) ?? 1) - 1;
      if (left > 0) {
        this.watched.set(uri, left);
      } else {
        this.watched.delete(uri);
        send("resources/unsubscribe");
      }
    };
  }

  /** Ends the session on the server. */
  async close(): Promise<void> {
    if (this.id === null) return;
    const ending = fetch(this.endpoint, { method: "DELETE", headers: this.headers(), keepalive: true });
    this.forget();
    await ending.catch(() => undefined);
  }

  private forget(): void {
    begun.delete(this);
    this.id = null;
    this.opening = null;
  }

  private async turn(signal?: AbortSignal): Promise<void> {
    while (this.running >= AT_ONCE) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (signal?.aborted) {
      this.waiting.shift()?.();
      throw signal.reason;
    }
    this.running += 1;
  }

  private open(): Promise<void> {
    this.opening ??= this.initialize().catch((error: unknown) => {
      this.forget();
      throw error;
    });
    return this.opening;
  }

  private async initialize(): Promise<void> {
    await this.exchange("initialize", {
      protocolVersion: PROTOCOL,
      capabilities: {},
      clientInfo: { name: "casetrack-workbench", version: "1" },
    });
    await this.post({ method: "notifications/initialized" });
    if (this.collection !== null) {
      const result = await this.exchange("tools/call", {
        name: "switch_collection",
        arguments: { collection_name: this.collection },
      });
      contentOf(result as ToolResult);
    }
  }

  private headers(): Record<string, string> {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    if (this.id !== null) {
      headers["mcp-session-id"] = this.id;
      headers["mcp-protocol-version"] = PROTOCOL;
    }
    return headers;
  }

  private async post(message: Record<string, unknown>, signal?: AbortSignal): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(this.endpoint, {
        method: "POST",
        headers: this.headers(),
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
        signal: signal ?? null,
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw unreachable();
    }
    if (response.status === 401 || response.status === 403) {
      throw signedOut();
    }
    if (response.status === 404 && this.id !== null) throw new ToolError("The session has ended.", "", "session_gone");
    if (!response.ok) {
      const text = (await response.text()).slice(0, 300);
      throw new ToolError(`CaseTrack refused the request (${response.status}). ${text}`, "Try again in a minute.", "refused");
    }
    return response;
  }

  private async exchange(method: string, params: Record<string, unknown>, options: CallOptions = {}): Promise<unknown> {
    const id = this.next++;
    const { signal, onProgress } = options;
    const sent = onProgress ? { ...params, _meta: { progressToken: id } } : params;
    const cancelled = () => {
      void this.post({ method: "notifications/cancelled", params: { requestId: id } }).catch(() => undefined);
    };
    signal?.addEventListener("abort", cancelled, { once: true });
    try {
      const response = await this.post({ id, method, params: sent }, signal);
      if (method === "initialize") {
        this.id = response.headers.get("mcp-session-id");
        begun.add(this);
      }
      for await (const message of this.messages(response)) {
        if (message.method === "notifications/progress" && message.params?.progressToken === id) {
          onProgress?.(message.params as Progress);
        }
        if (message.id !== id) continue;
        if (message.error) throw new ToolError(message.error.message, "", String(message.error.code));
        return message.result;
      }
    } catch (error) {
      if (error instanceof ToolError || signal?.aborted) throw error;
      throw new ToolError("The connection to CaseTrack broke off.", "Try again.", "unreachable");
    } finally {
      signal?.removeEventListener("abort", cancelled);
    }
    throw new ToolError("The connection to CaseTrack broke off.", "Try again.", "unreachable");
  }

  private async *messages(response: Response): AsyncGenerator<Message> {
    if (response.headers.get("content-type")?.startsWith("text/event-stream") && response.body) {
      yield* events(response.body);
    } else {
      yield (await response.json()) as Message;
    }
  }
}

/** Sessions kept at once: more would only be those of matters that are no longer open. */
const KEPT = 4;
const sessions = new Map<string, Session>();

/** The session whose active collection is this one; without a name, one with none. */
export function session(collection = ""): Session {
  let found = sessions.get(collection);
  sessions.delete(collection);
  found ??= new Session(collection === "" ? null : collection);
  sessions.set(collection, found);
  for (const [name, old] of sessions) {
    if (sessions.size <= KEPT) break;
    sessions.delete(name);
    void old.close();
  }
  return found;
}

addEventListener("pagehide", () => void closeAll());
