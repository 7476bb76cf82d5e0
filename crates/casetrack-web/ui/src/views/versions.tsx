/** Versions of documents, and what one changes of another, side by side. */

import type { ComponentChildren } from "preact";
import { counted, pageOf, percent } from "../app/format";
import { all, useLoad, useParts, useTool, type Loaded } from "../app/hooks";
import { Empty, Failure, Field, Loading, More } from "../app/parts";
import { documentHref, setParams, type Route } from "../app/router";
import { session } from "../mcp/client";
import type { DocumentRow, Redline, RedlineChange, RedlineSide, VersionGroup } from "../mcp/types";
import { t } from "../strings";
import { AddEvidence } from "./evidence-actions";

/** Names that the fields offer. */
const NAMES = 2000;
/** Changes that are loaded, and drawn, at once. */
const PART = 100;
const GROUPS = 100;

export function Versions({ route }: { route: Route }) {
  const { collection, params } = route;
  const older = params.get("old") ?? "";
  const newer = params.get("new") ?? "";
  const groups = useTool<{ groups: VersionGroup[]; total: number }>(collection, "list_versions", { limit: GROUPS });
  const documents = useLoad(
    (signal) =>
      all<DocumentRow>(async (offset) => {
        const part = await session(collection).call<{ documents: DocumentRow[]; next_offset?: number | null }>(
          "list_documents",
          { sort_by: "name", limit: 1000, offset: offset || undefined },
          { signal },
        );
        return { rows: part.documents, next: part.next_offset };
      }, NAMES),
    [collection],
  );
  return (
    <div class="page">
      <h1>{t.views.versions}</h1>
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          const values = new FormData(event.currentTarget);
          setParams(route, { old: String(values.get("old")), new: String(values.get("new")) });
        }}
      >
        <Field label={t.versions.older}>
          <input key={`old${older}`} name="old" list="names" required defaultValue={older} autoComplete="off" />
        </Field>
        <Field label={t.versions.newer}>
          <input key={`new${newer}`} name="new" list="names" required defaultValue={newer} autoComplete="off" />
        </Field>
        <datalist id="names">
          {(documents.value?.rows ?? []).map((row) => (
            <option key={row.id} value={row.name} />
          ))}
        </datalist>
        <button type="submit" class="primary">
          {t.versions.compare}
        </button>
      </form>
      {older !== "" && newer !== "" ? (
        <RedlineView key={`${older}/${newer}`} route={route} older={older} newer={newer} />
      ) : (
        <Groups route={route} loaded={groups} />
      )}
    </div>
  );
}

function Groups({ route, loaded }: { route: Route; loaded: Loaded<{ groups: VersionGroup[]; total: number } | undefined> }) {
  if (loaded.error) return <Failure error={loaded.error} again={loaded.again} />;
  if (!loaded.value) return <Loading />;
  if (loaded.value.groups.length === 0) {
    return (
      <Empty title={t.versions.none}>
        <p>{t.versions.noneHint}</p>
      </Empty>
    );
  }
  return (
    <>
      {loaded.value.groups.map((group, index) => (
        <section key={index} class="versions">
          <h2>{t.versions.group(group.total)}</h2>
          <ol>
            {group.versions.map((version, at) => {
              const before = group.versions[at - 1];
              return (
                <li key={version.path ?? version.document_name}>
                  <a href={documentHref(route.collection, version.path ?? version.document_name, { page: 1 })} dir="auto">
                    {version.document_name}
                  </a>{" "}
                  {version.version && <small class="quiet">{version.version}</small>}
                  {before && (
                    <p>
                      {version.same_text ? t.versions.same : `${counted(version.changes ?? 0, "paragraph")} ${t.versions.differ}`}
                      {version.similarity !== null && version.similarity !== undefined && ` · ${t.versions.alike(percent(version.similarity))}`}{" "}
                      <button
                        type="button"
                        onClick={() => setParams(route, { old: before.path ?? before.document_name, new: version.path ?? version.document_name })}
                        aria-label={t.versions.compareOf(before.document_name, version.document_name)}
                      >
                        {t.versions.compare}
                      </button>
                    </p>
                  )}
                </li>
              );
            })}
          </ol>
        </section>
      ))}
      {loaded.value.total > loaded.value.groups.length && <p class="quiet">{t.states.first(loaded.value.groups.length, loaded.value.total)}</p>}
    </>
  );
}

function RedlineView({ route, older, newer }: { route: Route; older: string; newer: string }) {
  const { collection } = route;
  const loaded = useParts<RedlineChange, Redline>(
    collection,
    "redline_documents",
    { old_document: older, new_document: newer, limit: PART, include_boxes: true },
    (answer) => ({ rows: answer.changes, next: answer.next_offset }),
  );
  if (!loaded.first) return loaded.error ? <Failure error={loaded.error} again={loaded.again} /> : <Loading what={t.versions.comparing} />;
  const redline = loaded.first;
  const changes = loaded.rows;
  return (
    <section class="redlined">
      <div class="head">
        <p class="facts" role="status">
          {t.versions.counts(redline.counts)}
        </p>
        <button type="button" onClick={() => setParams(route, { old: newer, new: older })}>
          {t.versions.swap}
        </button>
        <button type="button" onClick={() => setParams(route, { old: "", new: "" })}>
          {t.versions.all}
        </button>
      </div>
      {changes.length === 0 && <Empty title={t.versions.noChanges} />}
      {changes.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label={t.versions.redline}>
          <table class="redline">
            <thead>
              <tr>
                <th scope="col">{t.versions.what}</th>
                <th scope="col" dir="auto">
                  {redline.old_document}
                </th>
                <th scope="col" dir="auto">
                  {redline.new_document}
                </th>
              </tr>
            </thead>
            <tbody>
              {changes.map((change, index) => (
                <tr key={index}>
                  <th scope="row">{t.versions.kinds[change.kind]}</th>
                  <td>
                    <Side collection={collection} document={older} side={change.old} change={change} old />
                  </td>
                  <td>
                    <Side collection={collection} document={newer} side={change.new} change={change} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {loaded.error && <Failure error={loaded.error} />}
      {loaded.next && <More shown={changes.length} total={redline.total} onMore={loaded.more} />}
    </section>
  );
}

interface SideProps {
  collection: string;
  document: string;
  side?: RedlineSide | null | undefined;
  change: RedlineChange;
  old?: boolean;
}

function Side({ collection, document, side, change, old = false }: SideProps) {
  if (!side) return <span class="quiet">{old ? t.versions.notThere : t.versions.gone}</span>;
  let text: ComponentChildren = side.quote;
  if (change.marked) text = half(change.marked, old);
  else if (change.kind === "deleted") text = <del>{side.quote}</del>;
  else if (change.kind === "inserted") text = <ins>{side.quote}</ins>;
  return (
    <>
      <p dir="auto" class="paragraph">
        {text}
      </p>
      <p class="actions">
        <a href={documentHref(collection, document, { page: pageOf(side.place), from: side.char_start, to: side.char_end })}>{side.place}</a>
        <AddEvidence
          collection={collection}
          passage={{ document, page: pageOf(side.place), char_start: side.char_start, char_end: side.char_end }}
          of={`${document}, ${side.place}`}
        />
      </p>
    </>
  );
}

/** One side of a text in which `[-deleted-]` and `{+inserted+}` words are marked. */
function half(marked: string, old: boolean): ComponentChildren[] {
  return marked.split(/(\[-[\s\S]*?-\]|\{\+[\s\S]*?\+\})/).map((part, index) => {
    if (index % 2 === 0) return part;
    const text = part.slice(2, -2);
    if (part.startsWith("[-")) return old ? <del key={index}>{text}</del> : null;
    return old ? null : <ins key={index}>{text}</ins>;
  });
}
