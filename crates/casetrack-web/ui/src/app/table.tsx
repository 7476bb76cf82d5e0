/** A table of any length, with a row of titles that stays and only the rows in view in the page. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { NARROW, useMedia } from "./hooks";
import { PRINTED, usePrinting } from "./print";
import { NotPrinted, useInView } from "./virtual";

const BEYOND = 8;

export interface Column {
  key: string;
  title: string;
  /** As in grid-template-columns. */
  width: string;
  number?: boolean;
  /** False for a column that small screens leave out. */
  narrow?: boolean;
  /** The present order of the rows by it, if they can be ordered. */
  sort?: "ascending" | "descending" | "none";
}

export interface TableProps {
  label: string;
  columns: Column[];
  count: number;
  height: number;
  cell: (row: number, key: string) => ComponentChildren;
  onSort?: (key: string) => void;
  onEnd?: () => void;
  /** Wider than the window: scrolls sideways. */
  wide?: boolean;
  firstAsHeader?: boolean;
}

export function VirtualTable(props: TableProps) {
  const box = useRef<HTMLDivElement>(null);
  const small = useMedia(NARROW);
  const view = useInView(box);
  const printing = usePrinting();
  const { count, height, onEnd } = props;
  const first = printing ? 0 : Math.max(0, Math.floor(view.top / height) - BEYOND);
  const last = printing ? Math.min(count, PRINTED) : Math.min(count, Math.ceil((view.top + view.height) / height) + BEYOND);
  useEffect(() => {
    if (!printing && last >= count - BEYOND) onEnd?.();
  }, [last, count, onEnd, printing]);

  const columns = props.columns.filter((column) => !small || column.narrow !== false);
  const grid = { gridTemplateColumns: columns.map((column) => column.width).join(" ") };
  const rows = [];
  for (let index = first; index < last; index += 1) {
    rows.push(
      <div
        key={index}
        role="row"
        class="trow"
        aria-rowindex={index + 2}
        style={{ ...grid, height: `${height}px`, transform: `translateY(${index * height}px)` }}
      >
        {columns.map((column, at) => (
          <div
            key={column.key}
            role={at === 0 && props.firstAsHeader !== false ? "rowheader" : "cell"}
            class={column.number ? "number" : ""}
            data-title={column.title}
          >
            {props.cell(index, column.key)}
          </div>
        ))}
      </div>,
    );
  }
  return (
    <div class={props.wide ? "vtable wide" : "vtable"} ref={box} tabIndex={0} role="region" aria-label={props.label}>
      <div role="table" aria-label={props.label} aria-rowcount={count + 1}>
        <div role="rowgroup" class="thead">
          <div role="row" class="trow" style={grid} aria-rowindex={1}>
            {columns.map((column) => (
              <div key={column.key} role="columnheader" aria-sort={column.sort} class={column.number ? "number" : ""}>
                {column.sort && props.onSort ? (
                  <button type="button" class="plain" onClick={() => props.onSort?.(column.key)}>
                    {column.title}
                    <span aria-hidden="true">{column.sort === "ascending" ? " ↑" : column.sort === "descending" ? " ↓" : ""}</span>
                  </button>
                ) : (
                  column.title
                )}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" class="tbody" style={{ height: `${count * height}px` }}>
          {rows}
        </div>
      </div>
      {printing && <NotPrinted count={count} />}
    </div>
  );
}
