/** A page as the reader uses it: its lines with their characters and their places. */

import type { Box, PageContent } from "../mcp/types";

export interface Line {
  /** From 1, as citations count. */
  number: number;
  text: string;
  /** Unicode scalar values of the page, half-open, without the end of the line. */
  start: number;
  end: number;
  box: Box | null;
}

export interface Span {
  start: number;
  end: number;
}

export function linesOf(page: PageContent): Line[] {
  const lines: Line[] = [];
  let start = 0;
  page.text.split("\n").forEach((text, index) => {
    const end = start + Array.from(text).length;
    lines.push({ number: index + 1, text, start, end, box: page.lines[index] ?? null });
    start = end + 1;
  });
  return lines;
}

/** The lines of which a span has at least one character. */
export const within = (lines: Line[], span: Span): Line[] => lines.filter((line) => line.start < span.end && line.end > span.start);

/** The lit part: the characters that the address names, else those of its passage. */
export function litSpan(page: PageContent, params: URLSearchParams): Span | null {
  const from = params.get("from");
  const to = params.get("to");
  if (from !== null && to !== null && Number(to) > Number(from)) return { start: Number(from), end: Number(to) };
  const chunk = page.chunks.find((chunk) => chunk.chunk_id === params.get("chunk"));
  return chunk ? { start: chunk.char_start, end: chunk.char_end } : null;
}

/** The characters of a text that a quotation takes, white space aside; counted from the beginning of the text. */
export function find(text: string, quote: string): Span | null {
  const wanted = Array.from(quote.replace(/\s+/g, ""));
  if (wanted.length === 0) return null;
  const places: number[] = [];
  const dense = Array.from(text).filter((char, at) => {
    if (/\s/.test(char)) return false;
    places.push(at);
    return true;
  });
  const at = dense.join("").indexOf(wanted.join(""));
  if (at < 0) return null;
  const first = Array.from(dense.join("").slice(0, at)).length;
  return { start: places[first]!, end: places[first + wanted.length - 1]! + 1 };
}

/** Size of a page in points: as it is stated, else such that all lines are on it. */
export function sizeOf(page: PageContent, stated: { width: number; height: number } | null): { width: number; height: number } {
  if (stated) return stated;
  if (page.width && page.height) return { width: page.width, height: page.height };
  const right = Math.max(595, ...page.lines.map((box) => box?.right ?? 0));
  const bottom = Math.max(842, ...page.lines.map((box) => box?.bottom ?? 0));
  return { width: right, height: bottom };
}
