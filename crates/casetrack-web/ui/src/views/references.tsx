/** References: the targets that the documents amend, cite and supersede, and the places at which they do. */

import { useState } from "preact/hooks";
import { counted } from "../app/format";
import { useMedia, useParts } from "../app/hooks";
import { Choices, Empty, Failure, Loading, More } from "../app/parts";
import { documentHref, setParams, type Route } from "../app/router";
import { VirtualList } from "../app/virtual";
import type { Mention, Reference } from "../mcp/types";
import { t } from "../strings";
import { AddEvidence, excerptOf } from "./evidence-actions";

/** References that are loaded at once; the list grows with scrolling. */
const ROWS = 200;
/** Citations that are loaded at once. */
const PART = 100;
type Kind = keyof typeof t.references.kinds;

export function References({ route }: { route: Route }) {
  const { collection, params } = route;
  const kind = (params.get("kind") ?? "all") as Kind;
  const name = params.get("name") ?? "";
  const wide = useMedia("(min-width: 900px)");
  const [at, setAt] = useState(0);
  const loaded = useParts<Reference, { references: Reference[]; total: number; next_offset?: number | null }>(
    collection,
    "list_references",
    { reference_type: kind, top_k: ROWS },
    (answer) => ({ rows: answer.references, next: answer.next_offset }),
  );
  const { rows, first } = loaded;
  const found = rows.findIndex((row) => row.name === name);
  return (
    <div class="search">
      <div class="querybar">
        <h1>{t.views.references}</h1>
        {!wide && name !== "" && (
          <button type="button" onClick={() => setParams(route, { name: "" })}>
            {t.references.back}
          </button>
        )}
      </div>
      <div class="columns plain">
        {(wide || name === "") && (
          <section class="results" aria-label={t.references.list}>
            <div class="listhead">
              <Choices
                label={t.references.kind}
                value={kind}
                onChange={(kind) => setParams(route, { kind, name: "" })}
                options={Object.entries(t.references.kinds) as [Kind, string][]}
              />
            </div>
            {loaded.error && <Failure error={loaded.error} again={loaded.again} />}
            {!first && !loaded.error && <Loading />}
            {first && rows.length === 0 && !loaded.loading && (
              <Empty title={t.references.none}>
                <p>{t.references.noneHint}</p>
              </Empty>
            )}
            {rows.length > 0 && (
              <VirtualList
                label={t.references.list}
                count={rows.length}
                height={88}
                onEnd={loaded.more}
                selected={found >= 0 ? found : Math.min(at, rows.length - 1)}
                onSelect={(index) => {
                  setAt(index);
                  setParams(route, { name: rows[index]?.name });
                }}
                row={(index) => {
                  const row = rows[index]!;
                  return (
                    <div class="result">
                      <p class="source">
                        <strong dir="auto">{row.name}</strong>
                      </p>
                      <p class="quiet">
                        {t.references.kinds[row.kind as Kind] ?? row.kind} · {counted(row.citations, "citation")} · {counted(row.documents, "document")}
                      </p>
                      {row.resolved && (
                        <p class="quiet clip" dir="auto">
                          {t.references.is(row.resolved.name)}
                        </p>
                      )}
                    </div>
                  );
                }}
              />
            )}
          </section>
        )}
        {name !== "" && <Citations key={name} route={route} name={name} />}
        {name === "" && wide && rows.length > 0 && (
          <div class="preview">
            <Empty title={t.references.choose} />
          </div>
        )}
      </div>
    </div>
  );
}

interface Answer {
  reference: Reference;
  citations: Mention[];
  next_offset?: number | null;
}

function Citations({ route, name }: { route: Route; name: string }) {
  const { collection } = route;
  const loaded = useParts<Mention, Answer>(collection, "get_reference_citations", { reference: name, top_k: PART, include_boxes: true }, (answer) => ({
    rows: answer.citations,
    next: answer.next_offset,
  }));
  if (!loaded.first) {
    return <div class="preview">{loaded.error ? <Failure error={loaded.error} again={loaded.again} /> : <Loading />}</div>;
  }
  const { reference } = loaded.first;
  const citations = loaded.rows;
  // References that change a document come before those that only name it.
  const relations = ["amends", "supersedes", "responds_to", "attaches", ""] as const;
  return (
    <article class="preview" aria-label={reference.name}>
      <h2 dir="auto">{reference.name}</h2>
      {reference.resolved && (
        <p>
          {t.references.resolved}{" "}
          <a href={documentHref(collection, reference.resolved.id, { page: 1 })} dir="auto">
            {reference.resolved.name}
          </a>
        </p>
      )}
      {relations.map((relation) => {
        const rows = citations.filter((citation) => (citation.relation ?? "") === relation);
        if (rows.length === 0) return null;
        return (
          <section key={relation}>
            <h3>{t.references.relations[relation === "" ? "mentions" : relation]}</h3>
            <ul class="links">
              {rows.map((citation) => (
                <li key={`${citation.chunk_id}/${citation.char_start}`}>
                  <a
                    href={documentHref(collection, citation.provenance.document_id, {
                      page: citation.provenance.page,
                      chunk: citation.chunk_id,
                      from: citation.char_start,
                      to: citation.char_end,
                    })}
                  >
                    <small dir="auto">{citation.excerpt.citation}</small>
                    <span dir="auto">{citation.excerpt.text.replace(/\s+/g, " ")}</span>
                  </a>
                  <AddEvidence collection={collection} passage={excerptOf(citation)} of={citation.excerpt.citation} />
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      {loaded.next && <More shown={citations.length} onMore={loaded.more} />}
    </article>
  );
}
