/** The selected part of a page, as characters of its text. */

import { useEffect, useState } from "preact/hooks";
import { slice } from "../app/format";
import type { PageContent } from "../mcp/types";
import type { Span } from "./model";

export interface Selected extends Span {
  text: string;
}

function offset(node: Node, at: number): number | null {
  const element = node instanceof Element ? node : node.parentElement;
  const line = element?.closest<HTMLElement>("[data-start]");
  if (!line) return null;
  const range = document.createRange();
  range.setStart(line, 0);
  range.setEnd(node, at);
  // Deleted text is in the line, but not part of the page's text.
  const before = range.cloneContents();
  for (const deleted of before.querySelectorAll("del")) deleted.remove();
  return Number(line.dataset.start) + Array.from((before.textContent ?? "").replace(/\n$/, "")).length;
}

export function selected(root: HTMLElement | null, page: PageContent): Selected | null {
  const selection = getSelection();
  if (!root || !selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  if (!root.contains(range.commonAncestorContainer)) return null;
  const start = offset(range.startContainer, range.startOffset);
  const end = offset(range.endContainer, range.endOffset);
  if (start === null || end === null || end <= start) return null;
  const text = slice(page.text, start, end);
  const lead = Array.from(text).length - Array.from(text.trimStart()).length;
  const trimmed = text.trim();
  return trimmed === "" ? null : { start: start + lead, end: start + lead + Array.from(trimmed).length, text: trimmed };
}

export function useSelected(root: { current: HTMLElement | null }, page: PageContent | undefined): Selected | null {
  const [value, setValue] = useState<Selected | null>(null);
  useEffect(() => {
    setValue(null);
    if (!page) return undefined;
    let timer = 0;
    const changed = () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => setValue(selected(root.current, page)), 120);
    };
    document.addEventListener("selectionchange", changed);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("selectionchange", changed);
    };
  }, [page]);
  return value;
}
