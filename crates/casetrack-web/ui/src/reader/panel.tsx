/** Next to the page: the outline, hits, names, related passages, tracked changes and details of the document. */

import { useState } from "preact/hooks";
import { beginning, count, counted, date } from "../app/format";
import { useMedia, useParts, useTool } from "../app/hooks";
import { Choices, Failure, Loading, More } from "../app/parts";
import { documentHref, href, type Route } from "../app/router";
import type { DocumentInfo, Entity, PageContent, Passage, Section } from "../mcp/types";
import { t } from "../strings";

type Tab = "outline" | "hits" | "names" | "related" | "marks" | "about";

/** Headings that are listed. */
const HEADINGS = 1000;
/** Names that are loaded at once, of all types. */
const NAMES = 200;
/** Hidden texts and tracked changes that are loaded at once. */
const MARKS = 100;

export interface PanelProps {
  route: Route;
  info: DocumentInfo | undefined;
  /** The page that is shown, from 1. */
  number: number;
  /** Its content, once it is there. */
  page: PageContent | undefined;
  hits: Passage[];
}

export function Panel({ route, info, number, page, hits }: PanelProps) {
  const wide = useMedia("(min-width: 1000px)");
  const [tab, setTab] = useState<Tab>(route.params.get("q") ? "hits" : "outline");
  const options: (readonly [Tab, string])[] = [
    ["outline", t.reader.tabs.outline],
    ...(hits.length > 0 ? [["hits", t.reader.tabs.hits] as const] : []),
    ["names", t.reader.tabs.names],
    ["related", t.reader.tabs.related],
    ["marks", t.reader.tabs.marks],
    ["about", t.reader.tabs.about],
  ];
  const shown = tab === "hits" && hits.length === 0 ? "outline" : tab;
  return (
    <details class="panel" open={wide}>
      <summary>{t.reader.beside}</summary>
      <Choices label={t.reader.beside} options={options} value={shown} onChange={setTab} />
      {shown === "outline" && <Outline route={route} />}
      {shown === "hits" && <Hits route={route} hits={hits} />}
      {shown === "names" && <Names route={route} number={number} />}
      {shown === "related" && <Related route={route} page={page} />}
      {shown === "marks" && <Marks route={route} />}
      {shown === "about" && info && <About info={info} />}
    </details>
  );
}

function Outline({ route }: { route: Route }) {
  const loaded = useParts<Section, { sections: Section[]; next_offset?: number | null }>(
    route.collection,
    "get_document_structure",
    { document_name: route.id, limit: HEADINGS },
    (answer) => ({ rows: answer.sections, next: answer.next_offset }),
  );
  if (loaded.error) return <Failure error={loaded.error} again={loaded.again} />;
  if (!loaded.first) return <Loading />;
  const sections = loaded.rows;
  if (sections.length === 0) return <p class="quiet">{t.reader.noOutline}</p>;
  const page = Number(route.params.get("page") ?? 1);
  return (
    <>
      <ul class="outline">
        {sections.map((section, index) => (
          <li key={index} class={`level-${Math.min(5, section.level)}`}>
            <a
              href={documentHref(route.collection, route.id, { page: section.page, from: section.char_start, to: section.char_end, q: route.params.get("q") })}
              aria-current={section.page === page && String(section.char_start) === route.params.get("from") ? "location" : undefined}
              dir="auto"
            >
              <span>{section.title}</span> <small>{section.page}</small>
            </a>
          </li>
        ))}
      </ul>
      {loaded.next && <More shown={sections.length} onMore={loaded.more} />}
    </>
  );
}

function Hits({ route, hits }: { route: Route; hits: Passage[] }) {
  return (
    <ul class="links">
      {hits.map((hit) => (
        <li key={hit.chunk_id}>
          <a
            href={documentHref(route.collection, route.id, {
              page: hit.provenance.page,
              chunk: hit.chunk_id,
              from: hit.excerpt?.char_start,
              to: hit.excerpt?.char_end,
              q: route.params.get("q"),
            })}
            aria-current={hit.chunk_id === route.params.get("chunk") ? "location" : undefined}
          >
            <small>{t.search.page(count(hit.provenance.page))}</small>
            <span dir="auto">{beginning(hit.excerpt?.text ?? hit.text, 200)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

interface Name {
  entity_type: string;
  name: string;
  mentions: number;
}

function Names({ route, number }: { route: Route; number: number }) {
  const page = useTool<PageContent>(route.collection, "read_page", { document: route.id, page: number, names: true });
  const loaded = useParts<Entity, { entities: Entity[]; next_offset?: number | null }>(
    route.collection,
    "list_entities",
    { document_filter: route.id, top_k: NAMES },
    (answer) => ({ rows: answer.entities, next: answer.next_offset }),
  );
  const failed = loaded.error ? loaded : page;
  if (failed.error) return <Failure error={failed.error} again={failed.again} />;
  if (!loaded.first || !page.value) return <Loading />;
  const named = loaded.rows.filter((entity) => ["person", "organization", "location"].includes(entity.entity_type));
  if (named.length === 0 && !loaded.next) return <p class="quiet">{t.reader.noNames}</p>;
  return (
    <>
      <h2>{t.reader.namesHere}</h2>
      {page.value.names.length === 0 ? <p class="quiet">{t.reader.noNamesHere}</p> : <NameList route={route} names={page.value.names} />}
      <h2>{t.reader.namesOfAll}</h2>
      <NameList route={route} names={named} />
      {loaded.next && <More shown={named.length} onMore={loaded.more} />}
    </>
  );
}

function NameList({ route, names }: { route: Route; names: Name[] }) {
  return (
    <ul class="links">
      {names.map((entity) => (
        <li key={`${entity.entity_type}/${entity.name}`}>
          <a href={href(route.collection, "entities", { name: entity.name, type: entity.entity_type })}>
            <span dir="auto">{entity.name}</span>
            <small>
              {t.entities.types[entity.entity_type as keyof typeof t.entities.types] ?? entity.entity_type} · {counted(entity.mentions, "mention")}
            </small>
          </a>
        </li>
      ))}
    </ul>
  );
}

function Related({ route, page }: { route: Route; page: PageContent | undefined }) {
  const chunk = route.params.get("chunk") || page?.chunks[0]?.chunk_id;
  const loaded = useTool<{ similar: (Passage & { similarity: number })[] }>(
    route.collection,
    "search_similar_chunks",
    chunk ? { chunk_id: chunk, top_k: 10, include_boxes: true } : null,
  );
  if (loaded.error) return <Failure error={loaded.error} again={loaded.again} />;
  if (chunk && !loaded.value) return <Loading />;
  const similar = loaded.value?.similar ?? [];
  if (similar.length === 0) return <p class="quiet">{t.reader.noRelated}</p>;
  return (
    <ul class="links">
      {similar.map((passage) => (
        <li key={passage.chunk_id}>
          <a href={documentHref(route.collection, passage.provenance.document_id, { page: passage.provenance.page, chunk: passage.chunk_id })}>
            <small dir="auto">{passage.short_citation ?? passage.citation}</small>
            <span dir="auto">{beginning(passage.text, 220)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

interface HiddenPassage {
  citation: string;
  page: number;
  reason: string;
  part?: string | null;
  text: string;
}
interface HiddenAnswer {
  passages: HiddenPassage[];
  total: number;
  next_offset?: number | null;
}
interface TrackedChange {
  kind: string;
  page: number;
  place: string;
  char_start: number;
  char_end: number;
  author?: string | null;
  date?: string | null;
  text: string;
}
interface ChangesAnswer {
  changes: TrackedChange[];
  total: number;
  next_offset?: number | null;
}

function Marks({ route }: { route: Route }) {
  const hidden = useParts<HiddenPassage, HiddenAnswer>(route.collection, "find_hidden_text", { document: route.id, limit: MARKS }, (answer) => ({
    rows: answer.passages,
    next: answer.next_offset,
  }));
  const changes = useParts<TrackedChange, ChangesAnswer>(
    route.collection,
    "list_changes",
    { document: route.id, limit: MARKS, include_boxes: true },
    (answer) => ({ rows: answer.changes, next: answer.next_offset }),
  );
  const failed = hidden.error ? hidden : changes;
  if (failed.error) return <Failure error={failed.error} again={failed.again} />;
  if (!hidden.first || !changes.first) return <Loading />;
  if (hidden.first.total === 0 && changes.first.total === 0) return <p class="quiet">{t.reader.noMarks}</p>;
  return (
    <>
      {hidden.first.total > 0 && <h2>{t.reader.hiddenTexts(hidden.first.total)}</h2>}
      <ul class="links">
        {hidden.rows.map((passage, index) => (
          <li key={index}>
            <a href={documentHref(route.collection, route.id, { page: passage.page })}>
              <small>
                {t.search.page(count(passage.page))} · {t.reader.reason(passage.reason)}
                {passage.part ? ` (${passage.part})` : ""}
              </small>
              <span dir="auto">{passage.text}</span>
            </a>
          </li>
        ))}
      </ul>
      {hidden.next && <More shown={hidden.rows.length} total={hidden.first.total} onMore={hidden.more} />}
      {changes.first.total > 0 && <h2>{t.reader.changes(changes.first.total)}</h2>}
      <ul class="links">
        {changes.rows.map((change, index) => (
          <li key={index}>
            <a href={documentHref(route.collection, route.id, { page: change.page, from: change.char_start, to: Math.max(change.char_end, change.char_start + 1) })}>
              <small>
                {change.place} · {[change.author, date(change.date?.slice(0, 10))].filter(Boolean).join(", ")}
              </small>
              {/delet|from/.test(change.kind) ? <del dir="auto">{change.text}</del> : <ins dir="auto">{change.text}</ins>}
            </a>
          </li>
        ))}
      </ul>
      {changes.next && <More shown={changes.rows.length} total={changes.first.total} onMore={changes.more} />}
    </>
  );
}

function About({ info }: { info: DocumentInfo }) {
  const facts: [string, string][] = [
    [t.about.path, info.path],
    [t.about.title, info.title ?? ""],
    [t.about.author, info.properties?.author ?? ""],
    [t.about.modified, date(info.properties?.modified)],
    [t.about.type, t.documents.types[info.document_type as keyof typeof t.documents.types] ?? info.document_type],
    [t.about.read, `${info.format}, ${info.extraction_method}`],
    [t.about.pages, count(info.page_count)],
    [t.about.size, t.about.bytes(count(info.size_bytes))],
    [t.about.ingested, date(info.ingested_at)],
    ["SHA-256", info.sha256],
  ];
  return (
    <>
      {info.source_exists === false && <p class="warning">{t.about.gone}</p>}
      <dl class="about">
        {facts
          .filter(([, value]) => value !== "")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ))}
      </dl>
      {info.warnings.length > 0 && (
        <ul class="notices">
          {info.warnings.slice(0, 50).map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </>
  );
}
