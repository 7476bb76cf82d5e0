/** The folders with which a matter is kept up to date. */

import { useState } from "preact/hooks";
import { moment } from "../app/format";
import { useRights } from "../app/account";
import { useTool } from "../app/hooks";
import { Field, FormDialog, say } from "../app/parts";
import { session } from "../mcp/client";
import { t } from "../strings";
import { PathField } from "./paths";

interface Watch {
  watch_id: string;
  folder: string;
  schedule: string;
  state: string;
  detail?: string | null;
  last_sync?: { finished_at?: string | null } | null;
}

/** Folders that are listed. */
const SHOWN = 20;

export function Watches({ collection }: { collection: string }) {
  const [adding, setAdding] = useState(false);
  const { hasDisk } = useRights();
  const loaded = useTool<{ watches: Watch[] }>("", "list_watches", { collection_filter: collection });
  const watches = loaded.value?.watches ?? [];
  const end = (watch: Watch) =>
    session(collection)
      .call("unwatch_folder", { folder_path: watch.watch_id })
      .then(
        () => {
          say(t.watches.ended);
          loaded.again();
        },
        (error: Error) => say(error.message),
      );
  if (!hasDisk && watches.length === 0) return null;
  return (
    <details class="watches" open={watches.some((watch) => watch.detail)}>
      <summary>{watches.length === 0 ? t.watches.none : t.watches.some(watches.length)}</summary>
      <ul>
        {watches.slice(0, SHOWN).map((watch) => (
          <li key={watch.watch_id}>
            <code dir="auto">{watch.folder}</code>{" "}
            <span class="quiet">
              {t.watches.schedules[watch.schedule as keyof typeof t.watches.schedules] ?? watch.schedule}
              {watch.last_sync?.finished_at ? `, ${t.watches.last(moment(watch.last_sync.finished_at))}` : ""}
            </span>{" "}
            {hasDisk && (
              <button type="button" onClick={() => void end(watch)} aria-label={t.watches.endOf(watch.folder)}>
                {t.watches.end}
              </button>
            )}
            {watch.detail && <p class="warning">{watch.detail}</p>}
          </li>
        ))}
      </ul>
      {hasDisk && (
        <button type="button" onClick={() => setAdding(true)}>
          {t.watches.add}
        </button>
      )}
      {adding && (
        <FormDialog
          title={t.watches.add}
          action={t.watches.begin}
          onClose={() => setAdding(false)}
          onSubmit={async (values) => {
            await session(collection).call("watch_folder", {
              folder_path: String(values.get("path")).trim(),
              schedule: String(values.get("schedule")),
              auto_remove_deleted: values.get("remove") !== null,
            });
            loaded.again();
          }}
        >
          <p>{t.watches.hint}</p>
          <PathField name="path" />
          <Field label={t.watches.schedule}>
            <select name="schedule">
              {Object.entries(t.watches.schedules).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </Field>
          <label class="check">
            <input type="checkbox" name="remove" />
            {t.watches.remove}
          </label>
        </FormDialog>
      )}
    </details>
  );
}
