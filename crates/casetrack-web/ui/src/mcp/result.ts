/** The result of a tool: its content, or what went wrong. */

/** A failure in the words of the server: what happened, and what to do next. */
export class ToolError extends Error {
  constructor(
    message: string,
    readonly hint = "",
    /** The server's code, such as `not_found`; `signed_out` and `unreachable` are this client's. */
    readonly code = "",
  ) {
    super(message);
  }
}

export interface ToolResult {
  content?: { type: string; text?: string }[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: { "casetrack/error"?: { code?: string } };
}

const MARKED = /^<doc (\w+)>\n([\s\S]*?)\n?<\/doc \1>$/;

/** Removes the marks that show assistants the beginning and the end of a document's text. */
export function unmarked(value: unknown): unknown {
  if (typeof value === "string") return value.startsWith("<doc ") ? (MARKED.exec(value)?.[2] ?? value) : value;
  if (Array.isArray(value)) return value.map(unmarked);
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, unmarked(part)]));
  }
  return value;
}

/** The structured content of a tool's result. Throws a `ToolError` if the tool refused. */
export function contentOf(result: ToolResult): unknown {
  if (result.isError) {
    const text = result.content?.find((part) => part.type === "text")?.text ?? "The tool failed and gave no reason.";
    const [message = text, ...hint] = text.split("\n\n");
    throw new ToolError(message, hint.join("\n\n"), result._meta?.["casetrack/error"]?.code ?? "");
  }
  return unmarked(result.structuredContent ?? {});
}
