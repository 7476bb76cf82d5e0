/** The evidence tray: passages in the order that the user gave them, with notes and exhibits' numbers, to take away. */

import { useState } from "preact/hooks";
import { useAll } from "../app/hooks";
import { Empty, Failure, Loading, Notices, say } from "../app/parts";
import { documentHref } from "../app/router";
import { session } from "../mcp/client";
import type { EvidenceItem } from "../mcp/types";
import { t } from "../strings";

/** Passages of a tray, at most; the server keeps no more. */
const MOST = 2000;
/** Passages that are drawn at once. */
const SHOWN = 50;

interface Part {
  items: EvidenceItem[];
  total: number;
  next_offset?: number | null;
  notices?: string[];
}

export function EvidenceTray({ collection }: { collection: string }) {
  const [upTo, setUpTo] = useState(SHOWN);
  const loaded = useAll<EvidenceItem>(
    async (offset, signal) => {
      const part = await session(collection).call<Part>("list_evidence", { offset: offset || undefined }, { signal });
      return { rows: part.items, next: part.next_offset };
    },
    MOST,
    [collection],
  );
  if (!loaded.value) return loaded.error ? <Failure error={loaded.error} again={loaded.again} /> : <Loading />;
  const items = loaded.value.rows;
  const change = (item: EvidenceItem, changes: Record<string, unknown>, done = "") =>
    session(collection)
      .call("update_evidence", { id: item.id, ...changes })
      .then(
        () => {
          if (done) say(done);
          loaded.again();
        },
        (error: Error) => say(error.message),
      );
  const file = (format: string) => `/export/evidence.${format}?collection=${encodeURIComponent(collection)}`;
  return (
    <div class="page tray">
      <div class="head">
        <h1>{t.views.evidence}</h1>
        {items.length > 0 && (
          <>
            {(["docx", "pdf", "md", "csv"] as const).map((format) => (
              <a class="button" key={format} href={file(format)} download={`${collection} – ${t.views.evidence}.${format}`}>
                {t.evidence.formats[format]}
              </a>
            ))}
            <button type="button" onClick={() => print()}>
              {t.actions.print}
            </button>
          </>
        )}
      </div>
      <Notices notices={loaded.error ? [loaded.error.message] : []} />
      {items.length === 0 ? (
        <Empty title={t.evidence.none}>
          <p>{t.evidence.noneHint}</p>
        </Empty>
      ) : (
        <>
          <p class="facts" role="status">
            {t.evidence.counted(items.length)}
          </p>
          <ol class="items">
            {items.slice(0, upTo).map((item, index) => (
              <Item key={item.id} collection={collection} item={item} at={index} last={index === items.length - 1} change={change} />
            ))}
          </ol>
          {items.length > upTo && (
            <p class="state">
              <button type="button" onClick={() => setUpTo(upTo + SHOWN)}>
                {t.evidence.more(upTo, items.length)}
              </button>
            </p>
          )}
        </>
      )}
    </div>
  );
}

interface ItemProps {
  collection: string;
  item: EvidenceItem;
  at: number;
  last: boolean;
  change: (item: EvidenceItem, changes: Record<string, unknown>, done?: string) => Promise<void>;
}

function Item({ collection, item, at, last, change }: ItemProps) {
  return (
    <li class="item">
      <p>
        <a
          class="strong"
          dir="auto"
          href={documentHref(collection, item.document_id, { page: item.page, from: item.char_start, to: item.char_end })}
        >
          {item.citation}
        </a>
      </p>
      {item.status && item.status !== "unchanged" && <p class="warning">{t.evidence.statuses[item.status]}</p>}
      <blockquote class="text" dir="auto">
        {item.text}
      </blockquote>
      <div class="tools">
        <label class="field exhibit">
          <span>{t.evidence.exhibit}</span>
          <input
            key={item.exhibit ?? ""}
            defaultValue={item.exhibit ?? ""}
            maxLength={60}
            onChange={(event) => void change(item, { exhibit: event.currentTarget.value.trim() }, t.evidence.saved)}
          />
        </label>
        <label class="field note">
          <span>{t.evidence.note}</span>
          <textarea
            key={item.note ?? ""}
            rows={2}
            defaultValue={item.note ?? ""}
            maxLength={10_000}
            dir="auto"
            onChange={(event) => void change(item, { note: event.currentTarget.value }, t.evidence.saved)}
          />
        </label>
        <span class="actions">
          <button type="button" disabled={at === 0} onClick={() => void change(item, { position: at })} aria-label={t.evidence.up(item.citation)}>
            ↑
          </button>
          <button type="button" disabled={last} onClick={() => void change(item, { position: at + 2 })} aria-label={t.evidence.down(item.citation)}>
            ↓
          </button>
          <button type="button" class="danger" onClick={() => void change(item, { remove: true }, t.evidence.removed)} aria-label={t.evidence.removeOf(item.citation)}>
            {t.evidence.remove}
          </button>
        </span>
      </div>
    </li>
  );
}
