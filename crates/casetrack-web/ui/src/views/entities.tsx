/** People and organizations: a list, and the mentions and companions of the chosen one. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { counted, pageOf } from "../app/format";
import { useDebounced, useMedia, useParts } from "../app/hooks";
import { Choices, Empty, Failure, Loading, Marked, More } from "../app/parts";
import { documentHref, setParams, type Route } from "../app/router";
import { VirtualList } from "../app/virtual";
import type { ContractRole, Entity, Mention } from "../mcp/types";
import { t } from "../strings";
import { AddEvidence, excerptOf } from "./evidence-actions";
import { Graph } from "./graph";

/** Names that are loaded at once; the list grows with scrolling. */
const PART = 500;
/** Passages that are loaded at once. */
const MENTIONS = 100;

export type EntityType = keyof typeof t.entities.types;

interface Part {
  entities: Entity[];
  total: number;
  next_offset?: number | null;
}

export function Entities({ route }: { route: Route }) {
  const { collection, params } = route;
  const type = (params.get("type") ?? "organization") as EntityType;
  const name = params.get("name") ?? "";
  const wide = useMedia("(min-width: 900px)");
  const [typed, setTyped] = useState("");
  const named = useDebounced(typed.trim(), 180);
  const loaded = useParts<Entity, Part>(
    collection,
    "list_entities",
    { entity_type: type, top_k: PART, named: named || undefined },
    (part) => ({ rows: part.entities, next: part.next_offset }),
    `${collection}/${type}`,
  );
  const { rows } = loaded;
  const selected = useMemo(() => rows.findIndex((row) => row.name === name), [rows, name]);
  const choose = (index: number) => {
    const entity = rows[index];
    if (entity) setParams(route, { name: entity.name, type });
  };
  const list = (
    <section class="results" aria-label={t.entities.list} aria-busy={loaded.loading}>
      <div class="listhead">
        <Choices
          label={t.entities.kind}
          value={type}
          onChange={(type) => setParams(route, { type, name: "" })}
          options={Object.entries(t.entities.types).filter(([key]) => key !== "all") as [EntityType, string][]}
        />
        <input type="search" value={typed} placeholder={t.entities.filter} aria-label={t.entities.filter} onInput={(event) => setTyped(event.currentTarget.value)} />
      </div>
      {loaded.error && <Failure error={loaded.error} again={loaded.again} />}
      {!loaded.first && !loaded.error && <Loading />}
      {loaded.first && rows.length === 0 && !loaded.loading && (
        <Empty title={named === "" ? t.entities.none : t.entities.noneSuch}>
          {named !== "" && (
            <button type="button" onClick={() => setParams(route, { name: named, type })}>
              {t.entities.lookUp(named)}
            </button>
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <VirtualList
          label={t.entities.list}
          count={rows.length}
          height={60}
          selected={selected}
          onSelect={choose}
          onEnd={loaded.more}
          row={(index) => {
            const entity = rows[index]!;
            return (
              <div class="result">
                <p class="source">
                  <strong dir="auto">{entity.name}</strong>
                </p>
                <p class="quiet">
                  {counted(entity.mentions, "mention")} · {counted(entity.documents, "document")}
                </p>
              </div>
            );
          }}
        />
      )}
    </section>
  );
  return (
    <div class="search">
      <div class="querybar">
        <h1>{t.views.entities}</h1>
        {!wide && name !== "" && (
          <button type="button" onClick={() => setParams(route, { name: "" })}>
            {t.entities.back}
          </button>
        )}
      </div>
      <div class="columns plain">
        {(wide || name === "") && list}
        {name !== "" && <Profile key={`${type}/${name}`} collection={collection} name={name} type={params.get("type") ?? "any"} />}
        {name === "" && wide && (
          <div class="preview">
            <p class="quiet">{t.entities.chooseHint}</p>
            <Graph collection={collection} />
          </div>
        )}
      </div>
    </div>
  );
}

interface Mentions {
  entity: Entity;
  mentions: Mention[];
  contracts?: ContractRole[];
  next_offset?: number | null;
}

function Profile({ collection, name, type }: { collection: string; name: string; type: string }) {
  // A name that was typed, not chosen, may be of another type.
  const [anyType, setAnyType] = useState(false);
  const loaded = useParts<Mention, Mentions>(
    collection,
    "get_entity_mentions",
    // In quotation marks it is the whole name, though others have it, too.
    { entity_name: `"${name}"`, entity_type: anyType ? "any" : type, top_k: MENTIONS, include_boxes: true },
    (answer) => ({ rows: answer.mentions, next: answer.next_offset }),
  );
  const tryAny = loaded.error !== undefined && !anyType && type !== "any";
  useEffect(() => {
    if (tryAny) setAnyType(true);
  }, [tryAny]);
  if (!loaded.first) {
    return <div class="preview">{loaded.error && !tryAny ? <Failure error={loaded.error} again={loaded.again} /> : <Loading />}</div>;
  }
  const { entity, contracts = [] } = loaded.first;
  const aliases = entity.aliases ?? [];
  const words = [entity.name, ...aliases].flatMap((name) => name.toLowerCase().split(/[^\p{L}\p{N}]+/u)).filter((word) => word.length > 2);
  return (
    <article class="preview profile" aria-label={entity.name}>
      <h2 dir="auto">{entity.name}</h2>
      <p class="quiet">
        {t.entities.types[entity.entity_type as EntityType] ?? entity.entity_type} · {counted(entity.mentions, "mention")} · {counted(entity.documents, "document")}
      </p>
      {aliases.length > 0 && (
        <p dir="auto">
          {t.entities.alsoAs} {aliases.slice(0, 20).join(" · ")}
        </p>
      )}
      {contracts.length > 0 && (
        <section>
          <h2>{t.entities.contracts}</h2>
          <ul class="links">
            {contracts.map((contract, index) => (
              <li key={index}>
                <a href={documentHref(collection, contract.document_name, { page: pageOf(contract.place), from: contract.char_start, to: contract.char_end })}>
                  <small dir="auto">
                    {t.entities.parts[contract.role]} · {contract.document_name}, {contract.place}
                  </small>
                  <span dir="auto">{contract.value}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Graph collection={collection} centre={entity} />
      <section class="mentions">
        <h2>{t.entities.mentions}</h2>
        <ul class="links">
          {loaded.rows.map((mention) => (
            <li key={`${mention.chunk_id}/${mention.char_start}`}>
              <a
                href={documentHref(collection, mention.provenance.document_id, {
                  page: mention.provenance.page,
                  chunk: mention.chunk_id,
                  from: mention.char_start,
                  to: mention.char_end,
                })}
              >
                <small dir="auto">{mention.excerpt.citation}</small>
                <span dir="auto">
                  <Marked text={mention.excerpt.text.replace(/\s+/g, " ")} terms={words} />
                </span>
              </a>
              <AddEvidence collection={collection} passage={excerptOf(mention)} of={mention.excerpt.citation} />
            </li>
          ))}
        </ul>
        {loaded.next && <More shown={loaded.rows.length} total={entity.chunks} onMore={loaded.more} />}
      </section>
    </article>
  );
}
