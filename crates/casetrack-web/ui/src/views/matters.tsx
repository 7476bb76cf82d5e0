/** Matters: the collections with their counts and states, and what can be done with them. */

import { useState } from "preact/hooks";
import { useRights } from "../app/account";
import { count, date } from "../app/format";
import { NARROW, useChanges, useMedia, useTool } from "../app/hooks";
import { Choices, Empty, Failure, Field, FormDialog, Loading, say, sayWhy } from "../app/parts";
import { go, href } from "../app/router";
import { session } from "../mcp/client";
import { fetched } from "../mcp/http";
import type { Collection, CollectionState } from "../mcp/types";
import { t } from "../strings";
import { team } from "../strings-team";
import { VirtualTable } from "../app/table";

const short = (id: string): string => id.slice(0, 8);

const known = (value: number | null | undefined): string => (value === null || value === undefined ? "–" : count(value));

type Doing = { what: "new" } | { what: "unlock"; id: string } | { what: "rename" | "delete"; collection: Collection };

export function Matters() {
  const [shown, setShown] = useState<CollectionState | "all">("active");
  const [doing, setDoing] = useState<Doing>();
  const rights = useRights();
  const small = useMedia(NARROW);
  const loaded = useTool<{ collections: Collection[]; locked?: string[] }>("", "list_collections", { status_filter: "all" });
  useChanges(loaded.again);
  if (!loaded.value) return loaded.error ? <Failure error={loaded.error} again={loaded.again} /> : <Loading />;
  const everything = loaded.value.collections;
  const locked = loaded.value.locked ?? [];
  const rows = everything.filter((collection) => shown === "all" || collection.status === shown);

  const change = (collection: Collection, changes: Record<string, unknown>, done: string) =>
    session("").call("update_collection", { collection: collection.id, ...changes }).then(() => {
      say(done);
      loaded.again();
    });
  const state = (collection: Collection, state: CollectionState) =>
    change(collection, { state }, t.matters.stateNow(collection.name, t.matters.states[state])).catch(sayWhy);

  const lock = (row: Collection) =>
    fetched(`/lock?collection=${row.id}`, { method: "POST", headers: { "x-casetrack": "1" } }).then(() => {
      say(t.matters.nowLocked(row.name));
      loaded.again();
    }, sayWhy);

  const role = (row: Collection): string => {
    const known = rights.role(row.id);
    return known === undefined ? "" : team.roles[known];
  };
  const anyOwned = rows.some((row) => rights.owns(row.id));
  const actions = (row: Collection) => rights.owns(row.id) && (
    <span class="actions">
      <button type="button" onClick={() => setDoing({ what: "rename", collection: row })} aria-label={t.matters.renameOf(row.name)}>
        {t.matters.rename}
      </button>
      {row.status === "active" && (
        <button type="button" onClick={() => state(row, "closed")} aria-label={t.matters.closeOf(row.name)}>
          {t.matters.close}
        </button>
      )}
      {row.status === "closed" && (
        <button type="button" onClick={() => state(row, "archived")} aria-label={t.matters.archiveOf(row.name)}>
          {t.matters.archive}
        </button>
      )}
      {row.status !== "active" && (
        <button type="button" onClick={() => state(row, "active")} aria-label={t.matters.reopenOf(row.name)}>
          {t.matters.reopen}
        </button>
      )}
      {row.vault && !rights.isTeam && (
        <button type="button" onClick={() => void lock(row)} aria-label={t.matters.lockOf(row.name)}>
          {t.matters.lock}
        </button>
      )}
      <button type="button" class="danger" onClick={() => setDoing({ what: "delete", collection: row })} aria-label={t.matters.removeOf(row.name)}>
        {t.matters.remove}
      </button>
    </span>
  );

  return (
    <div class="page fill">
      <div class="head">
        <h1>{t.views.matters}</h1>
        {rights.creates && (
          <button type="button" class="primary" onClick={() => setDoing({ what: "new" })}>
            {t.matters.create}
          </button>
        )}
      </div>
      {rights.isReadOnly && <p class="quiet">{team.readOnly}</p>}
      {locked.length > 0 && (
        <section aria-label={t.matters.lockedTitle}>
          <p class="quiet">{rights.isTeam ? team.locked : t.matters.lockedHint}</p>
          <ul class="locked">
            {locked.map((id) => (
              <li key={id} class="actions">
                <span class="strong">{short(id)}</span> <span class="tag archived">{t.matters.locked}</span>
                {!rights.isTeam && (
                  <button type="button" onClick={() => setDoing({ what: "unlock", id })} aria-label={t.matters.unlockOf(short(id))}>
                    {t.matters.unlock}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      {everything.length === 0 ? (
        <Empty title={t.matters.none}>
          <p>{rights.creates ? t.matters.noneHint : team.noMatters}</p>
          {rights.creates && (
            <button type="button" class="primary" onClick={() => setDoing({ what: "new" })}>
              {t.matters.create}
            </button>
          )}
        </Empty>
      ) : (
        <>
          <Choices
            label={t.matters.show}
            options={(["active", "closed", "archived", "all"] as const).map((value) => [value, t.matters.states[value]] as const)}
            value={shown}
            onChange={setShown}
          />
          {rows.length === 0 && <Empty title={t.matters.noneSuch} />}
          {rows.length > 0 && (
            <VirtualTable
              label={t.views.matters}
              columns={[
                { key: "name", title: t.matters.name, width: "minmax(0, 2fr)" },
                { key: "state", title: t.matters.state, width: "6rem", narrow: false },
                { key: "documents", title: t.matters.documents, width: "7.5rem", number: true, narrow: false },
                { key: "pages", title: t.matters.pages, width: "6rem", number: true, narrow: false },
                { key: "changed", title: t.matters.changed, width: "8rem", narrow: false },
                { key: "health", title: t.matters.health, width: "9.5rem", narrow: false },
                ...(rights.isTeam ? [{ key: "role", title: team.role, width: "6rem", narrow: false }] : []),
                ...(anyOwned ? [{ key: "actions", title: t.matters.actions, width: "20rem", narrow: false }] : []),
              ]}
              count={rows.length}
              height={small && anyOwned ? 104 : small ? 60 : 52}
              cell={(index, key) => {
                const row = rows[index]!;
                if (key === "name") {
                  return (
                    <>
                      <a class="strong clip" dir="auto" href={href(row.name, "documents")}>
                        {row.name}
                        {row.reference && <span class="quiet"> {row.reference}</span>}
                        {row.vault && " "}
                        {row.vault && <span class="tag">{t.matters.vault}</span>}
                      </a>
                      {row.problem && (
                        <small class="warning clip" title={row.problem}>
                          {row.problem}
                        </small>
                      )}
                      {small && (
                        <>
                          <small class="quiet clip">{[t.matters.holds(row.documents, t.matters.states[row.status]), role(row)].filter(Boolean).join(" · ")}</small>
                          {actions(row)}
                        </>
                      )}
                    </>
                  );
                }
                if (key === "role") return role(row);
                if (key === "state") return <span class={`tag ${row.status}`}>{t.matters.states[row.status]}</span>;
                if (key === "documents") return known(row.documents);
                if (key === "pages") return known(row.pages);
                if (key === "health") return <Health row={row} />;
                if (key === "changed") return row.changed_at ? date(row.changed_at) : "–";
                return actions(row);
              }}
            />
          )}
        </>
      )}
      {doing?.what === "new" && <NewMatter onClose={() => setDoing(undefined)} />}
      {doing?.what === "unlock" && (
        <FormDialog
          title={t.matters.unlockTitle(short(doing.id))}
          action={t.matters.unlock}
          onClose={() => setDoing(undefined)}
          onSubmit={async (values) => {
            const answer = await fetched(`/unlock?collection=${doing.id}`, {
              method: "POST",
              headers: { "x-casetrack": "1", "content-type": "application/octet-stream" },
              body: String(values.get("passphrase")),
            });
            say(t.matters.unlocked(((await answer.json()) as { name: string }).name));
            loaded.again();
          }}
        >
          <Field label={t.matters.passphrase} hint={t.matters.passphraseHint}>
            <input name="passphrase" type="password" required autoComplete="off" autoFocus />
          </Field>
        </FormDialog>
      )}
      {doing?.what === "rename" && (
        <FormDialog
          title={t.matters.renameTitle}
          action={t.matters.rename}
          onClose={() => setDoing(undefined)}
          onSubmit={(values) => change(doing.collection, { name: String(values.get("name")).trim() }, t.matters.renamed)}
        >
          <Field label={t.matters.name}>
            <input name="name" required maxLength={200} defaultValue={doing.collection.name} autoFocus />
          </Field>
        </FormDialog>
      )}
      {doing?.what === "delete" && (
        <FormDialog
          title={t.matters.removeTitle}
          action={t.matters.remove}
          danger
          onClose={() => setDoing(undefined)}
          onSubmit={async (values) => {
            if (String(values.get("name")).trim() !== doing.collection.name) throw new Error(t.matters.removeMismatch);
            await session("").call("delete_collection", { collection_name: doing.collection.id, confirm: true });
            say(t.matters.removed(doing.collection.name));
            loaded.again();
          }}
        >
          <p>{t.matters.removeHint(doing.collection.name, doing.collection.documents)}</p>
          <Field label={t.matters.removeConfirm}>
            <input name="name" required autoComplete="off" autoFocus />
          </Field>
        </FormDialog>
      )}
    </div>
  );
}

/** True if all of a matter can be searched. Its documents have the details. */
function Health({ row }: { row: Collection }) {
  if (row.problem) return <span class="bad">{t.states.unreadable}</span>;
  if (row.incomplete) return <span class="bad clip">{t.documents.problems(row.incomplete)}</span>;
  return <span class="quiet">{row.documents ? t.matters.sound : "–"}</span>;
}

function NewMatter({ onClose }: { onClose: () => void }) {
  return (
    <FormDialog
      title={t.matters.create}
      action={t.matters.createAction}
      onClose={onClose}
      onSubmit={async (values) => {
        const name = String(values.get("name")).trim();
        const made = await session("").call<{ name: string }>("create_collection", {
          name,
          collection_id: String(values.get("reference")).trim() || undefined,
          collection_type: String(values.get("type")),
        });
        go(href(made.name, "documents"));
      }}
    >
      <Field label={t.matters.name}>
        <input name="name" required maxLength={200} autoFocus autoComplete="off" />
      </Field>
      <Field label={t.matters.reference} hint={t.matters.referenceHint}>
        <input name="reference" maxLength={100} autoComplete="off" />
      </Field>
      <Field label={t.matters.type}>
        <select name="type">
          {Object.entries(t.matters.types).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </Field>
    </FormDialog>
  );
}
