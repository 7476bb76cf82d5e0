/** One page as its picture: lit lines below, selectable text above. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Failure, Loading } from "../app/parts";
import type { PageContent } from "../mcp/types";
import { t } from "../strings";
import { sizeOf, within, type Line, type Span } from "./model";
import { Overlay, usePicture } from "./picture";

export interface PageProps {
  collection: string;
  page: PageContent;
  lines: Line[];
  lit: Span | null;
  /** 1 fills the column. */
  zoom: number;
}

/** Most pixels across at zoom 1, if the column is as wide. */
const WIDTH = 820;
/** Around a page in its column, in pixels. */
const MARGIN = 32;

/** Pixels across at zoom 1: what the column has room for. */
function useWidth(sheet: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(WIDTH);
  useLayoutEffect(() => {
    const column = sheet.current?.closest(".paper");
    if (!column) return undefined;
    const observer = new ResizeObserver(() => setWidth(Math.max(240, Math.min(WIDTH, column.clientWidth - MARGIN))));
    observer.observe(column);
    return () => observer.disconnect();
  }, []);
  return width;
}

let ruler: CanvasRenderingContext2D | null = null;
/** How wide a text is in the font of the text layer at one pixel. */
function measured(text: string): number {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (!ruler) return text.length * 0.5;
  ruler.font = "100px sans-serif";
  return ruler.measureText(text).width / 100;
}

export function PageSheet({ collection, page, lines, lit, zoom }: PageProps) {
  const sheet = useRef<HTMLDivElement>(null);
  const width = useWidth(sheet);
  const picture = usePicture(collection, page.document_id, page.page, width * zoom * Math.min(2, devicePixelRatio));
  const size = sizeOf(page, picture.value?.size ?? null);
  const boxes = useMemo(() => (lit ? within(lines, lit).flatMap((line) => line.box ?? []) : []), [lines, lit?.start, lit?.end]);
  const hidden = useMemo(
    () => (page.hidden ?? []).flatMap((part) => within(lines, { start: part.char_start, end: part.char_end }).flatMap((line) => line.box ?? [])),
    [lines, page.hidden],
  );
  const ready = picture.value !== undefined;
  useEffect(() => {
    const box = boxes[0];
    const element = sheet.current;
    if (!box || !element || !ready) return;
    const scroller = element.closest(".paper");
    if (!scroller) return;
    const scale = element.clientWidth / size.width;
    scroller.scrollTo({ top: Math.max(0, element.offsetTop + box.top * scale - scroller.clientHeight / 3) });
  }, [boxes, ready, zoom, width]);

  return (
    <div class="sheet" ref={sheet} style={{ width: `${Math.round(width * zoom)}px`, aspectRatio: `${size.width} / ${size.height}` }}>
      {picture.error && <Failure error={picture.error} again={picture.again} />}
      {!picture.value && !picture.error && <Loading what={t.reader.drawing} />}
      {picture.value && <img src={picture.value.url} alt={t.reader.pictureOf(page.page, page.document_name)} draggable={false} />}
      <Overlay boxes={boxes} size={size} />
      {hidden.length > 0 && <Overlay boxes={hidden} size={size} kind="concealed" />}
      <TextLayer lines={lines} size={size} />
    </div>
  );
}

/** The text of each line at its place, without ink, so that it can be selected, searched and read aloud. */
function TextLayer({ lines, size }: { lines: Line[]; size: { width: number; height: number } }) {
  const layer = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = layer.current;
    if (!element) return undefined;
    const fit = () => element.style.setProperty("--scale", String(element.clientWidth / size.width));
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    return () => observer.disconnect();
  }, [size.width]);
  return (
    <div class="textlayer" ref={layer}>
      {lines.map((line) => {
        if (!line.box || line.text === "") return null;
        const high = line.box.bottom - line.box.top;
        const wide = measured(line.text) * high;
        return (
          <span
            key={line.number}
            data-start={line.start}
            dir="auto"
            style={{
              left: `calc(${line.box.left}px * var(--scale))`,
              top: `calc(${line.box.top}px * var(--scale))`,
              height: `calc(${high}px * var(--scale))`,
              fontSize: `calc(${high}px * var(--scale))`,
              transform: wide > 0 ? `scaleX(${(line.box.right - line.box.left) / wide})` : "none",
            }}
          >
            {`${line.text}\n`}
          </span>
        );
      })}
    </div>
  );
}
