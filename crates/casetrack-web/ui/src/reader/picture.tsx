/** The picture of a page, drawn by CaseTrack, with lit lines laid over it. */

import { useEffect } from "preact/hooks";
import { useLoad } from "../app/hooks";
import { Loading } from "../app/parts";
import { fetched } from "../mcp/http";
import type { Box } from "../mcp/types";
import { t } from "../strings";

export interface Picture {
  url: string;
  /** In points; null if the server does not give it. */
  size: { width: number; height: number } | null;
}

/** Widths that are requested, so that a small change of the window requests nothing new. */
const WIDTHS = [240, 600, 1000, 1600, 2400];

export function usePicture(collection: string, document: string, page: number, width: number) {
  const wanted = WIDTHS.find((step) => step >= width) ?? 2400;
  const loaded = useLoad<Picture>(
    async (signal) => {
      const query = new URLSearchParams({ collection, document, page: String(page), width: String(wanted) });
      const response = await fetched(`/page?${query}`, { signal });
      const [across, down] = (response.headers.get("x-page-size") ?? "").split(" ").map(Number);
      const url = URL.createObjectURL(await response.blob());
      return { url, size: across && down ? { width: across, height: down } : null };
    },
    [collection, document, page, wanted],
  );
  useEffect(() => {
    const url = loaded.value?.url;
    return () => {
      if (url) URL.revokeObjectURL(url);
    };
  }, [loaded.value?.url]);
  return loaded;
}

export function Overlay({ boxes, size, kind = "lit" }: { boxes: Box[]; size: { width: number; height: number }; kind?: string }) {
  return (
    <svg class="overlay" viewBox={`0 0 ${size.width} ${size.height}`} preserveAspectRatio="none" aria-hidden="true">
      {boxes.map((box, index) => (
        <rect key={index} class={kind} x={box.left} y={box.top} width={Math.max(0, box.right - box.left)} height={Math.max(0, box.bottom - box.top)} />
      ))}
    </svg>
  );
}

/** Of the height of a page: what is shown above the first line of the passage. */
const ABOVE = 0.04;

/** The part of a page with a passage, with its boxes lit. */
export function PagePicture(props: { collection: string; document: string; page: number; boxes: Box[]; width: number }) {
  const picture = usePicture(props.collection, props.document, props.page, props.width);
  if (picture.error) return null;
  if (!picture.value) return <Loading what={t.reader.drawing} />;
  const { url, size } = picture.value;
  const top = size ? Math.max(0, (props.boxes[0]?.top ?? 0) / size.height - ABOVE) : 0;
  return (
    <span class="picture">
      <span style={{ transform: `translateY(${-100 * Math.min(top, 0.75)}%)` }}>
        <img src={url} alt="" />
        {size && <Overlay boxes={props.boxes} size={size} />}
      </span>
    </span>
  );
}
