/** People and organizations: a list, and of the chosen one where it is mentioned and with whom. */

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { counted } from "../app/format";
import { useDebounced, useLoad, useMedia, useTool } from "../app/hooks";
import { Choices, Empty, Failure, Loading, Marked } from "../app/parts";
import { documentHref, setParams, type Route } from "../app/router";
import { VirtualList } from "../app/virtual";
import { session } from "../mcp/client";
import type { Entity, Mention } from "../mcp/types";
import { t } from "../strings";
import { Graph } from "./graph";

const PART = 500;

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
  const [rows, setRows] = useState<Entity[]>([]);
  const [next, setNext] = useState<number | null>(null);
  const [typed, setTyped] = useState("");
  const filter = useDebounced(typed.trim().toLowerCase(), 120);
  const loading = useRef(false);
  const ask = useCallback(
    (offset: number, signal?: AbortSignal) =>
      session(collection).call<Part>("list_entities", { entity_type: type, top_k: PART, offset: offset || undefined }, { signal }),
    [collection, type],
  );
  const loaded = useLoad((signal) => ask(0, signal), [collection, type]);
  useEffect(() => {
    setRows(loaded.value?.entities ?? []);
    setNext(loaded.value?.next_offset ?? null);
  }, [loaded.value]);
  const end = useCallback(() => {
    if (next === null || loading.current) return;
    loading.current = true;
    ask(next)
      .then(
        (part) => {
          setRows((rows) => [...rows, ...part.entities]);
          setNext(part.next_offset ?? null);
        },
        () => setNext(null),
      )
      .finally(() => {
        loading.current = false;
      });
  }, [next, ask]);
  const shown = useMemo(
    () => (filter === "" ? rows : rows.filter((row) => [row.name, ...(row.aliases ?? [])].some((name) => name.toLowerCase().includes(filter)))),
    [rows, filter],
  );
  const selected = Math.max(-1, shown.findIndex((row) => row.name === name));
  const choose = (index: number) => {
    const entity = shown[index];
    if (entity) setParams(route, { name: entity.name, type });
  };
  const list = (
    <section class="results" aria-label={t.entities.list}>
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
      {!loaded.value && !loaded.error && <Loading />}
      {loaded.value && shown.length === 0 && !loaded.loading && (
        <Empty title={rows.length === 0 ? t.entities.none : t.entities.noneSuch}>
          {filter !== "" && (
            <button type="button" onClick={() => setParams(route, { name: typed.trim(), type })}>
              {t.entities.lookUp(typed.trim())}
            </button>
          )}
        </Empty>
      )}
      {filter !== "" && next !== null && <p class="facts">{t.entities.notAll(rows.length)}</p>}
      {shown.length > 0 && (
        <VirtualList
          label={t.entities.list}
          count={shown.length}
          height={60}
          selected={selected}
          onSelect={choose}
          onEnd={end}
          row={(index) => {
            const entity = shown[index]!;
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
        {name !== "" && <Profile key={name} route={route} name={name} />}
        {name === "" && wide && (
          <div class="preview">
            <Empty title={t.entities.choose}>
              <p>{t.entities.chooseHint}</p>
            </Empty>
          </div>
        )}
      </div>
    </div>
  );
}

interface Mentions {
  entity: Entity;
  mentions: Mention[];
  contracts: { document_name: string; role: string; value: string; place: string; char_start: number; char_end: number }[];
}

function Profile({ route, name }: { route: Route; name: string }) {
  const { collection } = route;
  const loaded = useTool<Mentions>(collection, "get_entity_mentions", { entity_name: name, top_k: 50, include_boxes: true });
  if (loaded.error) return <div class="preview"><Failure error={loaded.error} again={loaded.again} /></div>;
  if (!loaded.value) return <div class="preview"><Loading /></div>;
  const { entity, mentions } = loaded.value;
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
      <Graph collection={collection} name={entity.name} />
      <section>
        <h2>{t.entities.mentions}</h2>
        <ul class="links">
          {mentions.map((mention) => (
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
            </li>
          ))}
        </ul>
      </section>
    </article>
  );
}
