/** A page of a format without pictures: its text with line numbers, and hidden text and tracked changes in their places. */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { count, slice } from "../app/format";
import type { PageContent } from "../mcp/types";
import { t } from "../strings";
import { within, type Line, type Span } from "./model";

/** Lines that are drawn at once; the rest follows on request. */
const PART = 1500;

type Change = NonNullable<PageContent["changes"]>[number];

export function PageText({ page, lines, lit, redline }: { page: PageContent; lines: Line[]; lit: Span | null; redline: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const [upTo, setUpTo] = useState(PART);
  const numbers = useMemo(() => new Set(lit ? within(lines, lit).map((line) => line.number) : []), [lines, lit?.start, lit?.end]);
  const firstLit = useMemo(() => Math.min(...numbers), [numbers]);
  useEffect(() => {
    if (Number.isFinite(firstLit) && firstLit > upTo) setUpTo(firstLit + PART);
  }, [firstLit]);
  useEffect(() => {
    box.current?.querySelector(".line.lit")?.scrollIntoView({ block: "center" });
  }, [firstLit, upTo, page.document_id, page.page]);
  const changes = redline ? (page.changes ?? []) : [];
  return (
    <div class="plaintext" ref={box} dir="auto">
      {lines.slice(0, upTo).map((line) => (
        <div key={line.number} class={numbers.has(line.number) ? "line lit" : "line"}>
          <span class="lineno" aria-hidden="true">
            {line.number}
          </span>
          <span class="linetext" data-start={line.start} dir="auto">
            {content(line, page, changes)}
            {"\n"}
          </span>
        </div>
      ))}
      {lines.length > upTo && (
        <p class="state">
          <button type="button" onClick={() => setUpTo(upTo + PART)}>
            {t.reader.moreLines(count(lines.length - upTo))}
          </button>
        </p>
      )}
    </div>
  );
}

/** A line in pieces: plain, hidden, inserted; deleted text stays in its place. */
function content(line: Line, page: PageContent, changes: Change[]): ComponentChildren {
  const hidden = (page.hidden ?? []).filter((part) => part.char_start < line.end && part.char_end > line.start);
  const touched = changes.filter((change) => change.char_start <= line.end && change.char_end >= line.start);
  if (hidden.length === 0 && touched.length === 0) return line.text;
  const cuts = new Set([line.start, line.end]);
  for (const part of [...hidden, ...touched]) {
    cuts.add(Math.min(line.end, Math.max(line.start, part.char_start)));
    cuts.add(Math.min(line.end, Math.max(line.start, part.char_end)));
  }
  const order = [...cuts].sort((a, b) => a - b);
  const pieces: ComponentChildren[] = [];
  const deletedAt = (at: number) =>
    touched
      .filter((change) => change.text !== "" && change.char_start === at)
      .forEach((change, index) => pieces.push(<del key={`del-${at}-${index}`} title={by(change)}>{change.text}</del>));
  order.forEach((start, index) => {
    deletedAt(start);
    const end = order[index + 1];
    if (end === undefined) return;
    const text = slice(line.text, start - line.start, end - line.start);
    const covers = (part: { char_start: number; char_end: number }) => part.char_start <= start && part.char_end >= end;
    const why = hidden.find(covers);
    const inserted = touched.find((change) => change.char_end > change.char_start && covers(change));
    if (why) pieces.push(<span key={start} class="hiddentext" title={t.reader.reason(why.reason)}>{text}</span>);
    else if (inserted) pieces.push(<ins key={start} title={by(inserted)}>{text}</ins>);
    else pieces.push(text);
  });
  return pieces;
}

const by = (change: Change): string => [change.author, change.date].filter(Boolean).join(", ");
