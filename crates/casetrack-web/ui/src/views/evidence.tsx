/** The evidence tray: passages in the order that the user gave them, with notes and exhibits' numbers, to take away. */

import { useEffect, useRef, useState } from "preact/hooks";
import { useRights } from "../app/account";
import { useAll, useEvidenceChanges } from "../app/hooks";
import { Empty, Failure, Field, FormDialog, Loading, More, Notices, say, sayWhy } from "../app/parts";
import { usePrinting } from "../app/print";
import { documentHref } from "../app/router";
import { save } from "../app/save";
import { session } from "../mcp/client";
import type { EvidenceItem } from "../mcp/types";
import { t } from "../strings";
import { team } from "../strings-team";

/** Passages of a tray, at most; the server keeps no more. */
const MOST = 2000;
/** Passages that are loaded at once. */
const PART = 500;
/** Passages that are drawn at once. */
const SHOWN = 50;
/** For how long after a change made here news of one are taken to be of that one, in milliseconds. */
const OWN = 5000;

interface Part {
  items: EvidenceItem[];
  total: number;
  next_offset?: number | null;
}

type Changes = { note?: string; exhibit?: string; position?: number; remove?: boolean };

const list = (collection: string, args: Record<string, unknown>, signal?: AbortSignal) => session(collection).call<Part>("list_evidence", args, { signal });

export function EvidenceTray({ collection }: { collection: string }) {
  const edits = useRights().edits(collection);
  const [upTo, setUpTo] = useState(SHOWN);
  const [items, setItems] = useState<EvidenceItem[]>();
  const [numbering, setNumbering] = useState(false);
  const [saving, setSaving] = useState("");
  const changed = useRef(-OWN);
  const printing = usePrinting();
  const loaded = useAll<EvidenceItem>(
    async (offset, signal) => {
      const part = await list(collection, { limit: PART, offset: offset || undefined }, signal);
      return { rows: part.items, next: part.next_offset };
    },
    MOST,
    [collection],
  );
  useEffect(() => {
    if (loaded.value) setItems(loaded.value.rows);
  }, [loaded.value]);
  useEvidenceChanges(collection, () => {
    if (performance.now() - changed.current > OWN) return loaded.again();
    // The list has the changes made here. Another user may have added to it in the meantime.
    list(collection, { limit: 1 }).then(
      ({ total }) => {
        if (total !== items?.length) loaded.again();
      },
      () => undefined,
    );
  });
  if (!items) return loaded.error ? <Failure error={loaded.error} again={loaded.again} /> : <Loading />;

  const update = async (item: EvidenceItem, changes: Changes) => {
    const now = await session(collection).call<EvidenceItem & { position: number }>("update_evidence", { id: item.id, ...changes });
    changed.current = performance.now();
    setItems((items = []) => {
      const others = items.filter(({ id }) => id !== item.id);
      const at = items.findIndex(({ id }) => id === item.id);
      if (!changes.remove) others.splice(changes.position === undefined ? at : now.position - 1, 0, now);
      return others;
    });
  };
  const change = (item: EvidenceItem, changes: Changes, done = "") =>
    update(item, changes).then(() => {
      if (done) say(done);
    }, sayWhy);
  const take = async (format: string) => {
    setSaving(format);
    await save(`/export/evidence.${format}?collection=${encodeURIComponent(collection)}`, `${collection} – ${t.views.evidence}.${format}`);
    setSaving("");
  };
  const drawn = printing ? items : items.slice(0, upTo);
  return (
    <div class="page tray">
      <div class="head">
        <h1>{t.views.evidence}</h1>
        {items.length > 0 && (
          <>
            {edits && (
              <button type="button" onClick={() => setNumbering(true)}>
                {t.evidence.numberThem}
              </button>
            )}
            {(["docx", "pdf", "md", "csv"] as const).map((format) => (
              <button type="button" key={format} disabled={saving !== ""} onClick={() => void take(format)}>
                {t.evidence.formats[format]}
              </button>
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
          <p>{edits ? t.evidence.noneHint : team.noEvidence}</p>
        </Empty>
      ) : (
        <>
          <p class="facts" role="status">
            {t.evidence.counted(items.length)}
          </p>
          <ol class="items">
            {drawn.map((item, index) => (
              <Item key={item.id} collection={collection} item={item} at={index} last={index === items.length - 1} edits={edits} change={change} />
            ))}
          </ol>
          {items.length > drawn.length && <More shown={upTo} total={items.length} onMore={() => setUpTo(upTo + SHOWN)} />}
        </>
      )}
      {numbering && <Numbering items={items} update={update} onClose={() => setNumbering(false)} />}
    </div>
  );
}

/** `count` exhibits from the first; A, B; Z, AA. `null` if it ends with neither a number nor a letter. */
export function exhibits(first: string, count: number): string[] | null {
  const number = /^(.*?)(\d{1,9})$/s.exec(first);
  if (number) {
    const [, before = "", digits = ""] = number;
    return Array.from({ length: count }, (_, index) => before + String(Number(digits) + index).padStart(digits.length, "0"));
  }
  const letter = /^(.*?)([A-Za-z])$/s.exec(first);
  if (!letter) return null;
  const [, before = "", begun = ""] = letter;
  const base = begun <= "Z" ? 65 : 97;
  return Array.from({ length: count }, (_, index) => {
    let name = "";
    for (let rest = begun.charCodeAt(0) - base + index; rest >= 0; rest = Math.floor(rest / 26) - 1) name = String.fromCharCode(base + (rest % 26)) + name;
    return before + name;
  });
}

function Numbering({ items, update, onClose }: { items: EvidenceItem[]; update: (item: EvidenceItem, changes: Changes) => Promise<void>; onClose: () => void }) {
  return (
    <FormDialog
      title={t.evidence.numberThem}
      action={t.actions.save}
      onClose={onClose}
      onSubmit={async (values) => {
        const wanted = values.get("empty") === null ? items : items.filter((item) => !item.exhibit);
        const numbers = exhibits(String(values.get("first")).trim(), wanted.length);
        if (!numbers) throw new Error(t.evidence.noNumber);
        let done = 0;
        for (const [index, item] of wanted.entries()) {
          const exhibit = numbers[index]!;
          if ((item.exhibit ?? "") === exhibit) continue;
          await update(item, { exhibit });
          done += 1;
        }
        say(t.evidence.numbered(done));
      }}
    >
      <Field label={t.evidence.first} hint={t.evidence.numberHint}>
        <input name="first" required maxLength={40} defaultValue="1" autoFocus autoComplete="off" />
      </Field>
      <label class="check">
        <input type="checkbox" name="empty" />
        {t.evidence.onlyEmpty}
      </label>
    </FormDialog>
  );
}

interface ItemProps {
  collection: string;
  item: EvidenceItem;
  at: number;
  last: boolean;
  edits: boolean;
  change: (item: EvidenceItem, changes: Changes, done?: string) => Promise<void>;
}

function Item({ collection, item, at, last, edits, change }: ItemProps) {
  // Fields show them to those who may change them.
  const shown = edits ? "onpaper" : "";
  return (
    <li class="item">
      <p>
        {item.exhibit && (
          <strong class={shown} dir="auto">
            {t.evidence.exhibit} {item.exhibit}
          </strong>
        )}{" "}
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
      {item.note && (
        <p class={shown} dir="auto">
          {item.note}
        </p>
      )}
      {edits && <Editing item={item} at={at} last={last} change={change} />}
    </li>
  );
}

/** The parts of a passage that may be changed. */
function Editing({ item, at, last, change }: Omit<ItemProps, "collection" | "edits">) {
  return (
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
  );
}
