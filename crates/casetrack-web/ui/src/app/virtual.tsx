/** Lists of any length, of which only the rows in view are in the page. */

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../strings";
import { PRINTED, usePrinting } from "./print";

/** Rows drawn above and below those in view. */
const BEYOND = 6;
/** Browsers lay out no element higher than some 16 million pixels. */
const HIGHEST = 12_000_000;

export interface ListProps {
  /** The name of the list, for screen readers. */
  label: string;
  count: number;
  /** Of each row, in pixels. */
  height: number;
  row: (index: number) => ComponentChildren;
  /** The chosen row, and what to do when another is chosen or one is opened. */
  selected: number;
  onSelect: (index: number) => void;
  onOpen?: (index: number) => void;
  /** A row was clicked, and so chosen. */
  onPick?: (index: number) => void;
  /** Called when rows near the end are in view. */
  onEnd?: () => void;
  class?: string;
}

/** The visible part of a box that scrolls, in pixels. */
export function useInView(box: { current: HTMLElement | null }): { top: number; height: number } {
  const [view, setView] = useState({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  return view;
}

/** A note, only on paper, that not all rows were printed. */
export function NotPrinted({ count }: { count: number }) {
  return count > PRINTED ? <p class="onpaper">{t.states.first(PRINTED, count)}</p> : null;
}

/** A list of rows of equal height: arrows, Home, End and Page keys move, Enter opens. */
export function VirtualList(props: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useInView(box);
  const printing = usePrinting();
  const { count, height, selected, onEnd } = props;

  const most = Math.floor(HIGHEST / height);
  const shown = Math.min(count, most);
  const first = printing ? 0 : Math.max(0, Math.floor(view.top / height) - BEYOND);
  const last = printing ? Math.min(shown, PRINTED) : Math.min(shown, Math.ceil((view.top + view.height) / height) + BEYOND);
  useEffect(() => {
    if (!printing && last >= count - BEYOND) onEnd?.();
  }, [last, count, onEnd, printing]);

  const reveal = useCallback(
    (index: number) => {
      const element = box.current;
      if (!element) return;
      const top = index * height;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + height > element.scrollTop + element.clientHeight) element.scrollTop = top + height - element.clientHeight;
    },
    [height],
  );
  useEffect(() => {
    if (selected >= 0 && selected < count) reveal(selected);
  }, [selected]);

  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const page = Math.max(1, Math.floor(view.height / height) - 1);
    const moves: Record<string, number> = {
      ArrowDown: selected + 1,
      ArrowUp: selected - 1,
      PageDown: selected + page,
      PageUp: selected - page,
      Home: 0,
      End: shown - 1,
    };
    const to = moves[event.key];
    if (to !== undefined && count > 0) {
      event.preventDefault();
      props.onSelect(Math.min(shown - 1, Math.max(0, to)));
    } else if (event.key === "Enter" && selected >= 0) {
      event.preventDefault();
      props.onOpen?.(selected);
    }
  };

  const rows = [];
  for (let index = first; index < last; index += 1) {
    rows.push(
      <div
        key={index}
        id={`${props.label}-${index}`.replace(/\W+/g, "-")}
        role="option"
        class={index === selected ? "row selected" : "row"}
        aria-selected={index === selected}
        aria-setsize={count}
        aria-posinset={index + 1}
        style={{ height: `${height}px`, transform: `translateY(${index * height}px)` }}
        onClick={() => {
          props.onSelect(index);
          props.onPick?.(index);
        }}
        onDblClick={() => props.onOpen?.(index)}
      >
        {props.row(index)}
      </div>,
    );
  }
  const active = selected >= first && selected < last ? `${props.label}-${selected}`.replace(/\W+/g, "-") : undefined;
  return (
    <div
      ref={box}
      class={`virtual ${props.class ?? ""}`}
      role="listbox"
      tabIndex={0}
      aria-label={props.label}
      aria-activedescendant={active}
      onKeyDown={keys}
    >
      <div class="all" role="presentation" style={{ height: `${shown * height}px` }}>
        {rows}
      </div>
      {printing && <NotPrinted count={count} />}
    </div>
  );
}
