/** The answers of the tools, as cards with a text and its citation, or as a table. */

import { date, label } from "../app/format";
import type { Passage, Sheet, TimelineEvent } from "../mcp/types";
import { t } from "../strings";

export interface Card {
  citation: string;
  text: string;
  /** Above the text: a date, a heading, a relation. */
  title?: string;
  chunk?: string;
  document?: string;
  page?: number;
  /** The requested passage, among those around it. */
  centre?: boolean;
}

export interface Group {
  title?: string;
  cards: Card[];
}

export interface Content {
  /** Which tool it is from. */
  tool: string;
  collection: string;
  groups: Group[];
  table?: { columns: string[]; rows: { name: string; cells: { value: string; place: string }[][] }[] };
  notices: string[];
  next: number | null;
}

type Answer = Record<string, unknown>;

function passage(passage: Passage): Card {
  const { provenance } = passage;
  return {
    citation: passage.excerpt?.citation ?? passage.citation,
    text: (passage.excerpt?.text ?? passage.text).trim(),
    title: provenance?.heading_path?.join(" › ") ?? "",
    chunk: passage.chunk_id,
    ...(provenance ? { document: provenance.document_id, page: provenance.page } : {}),
  };
}

const list = <T>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : []);

function groups(answer: Answer): Group[] {
  if ("results" in answer || "hits" in answer) {
    const hits = list<{ citation: string; quote: string; chunk_id: string }>(answer.hits);
    const brief = hits.map(({ citation, quote, chunk_id }) => ({ citation, text: quote, chunk: chunk_id }));
    const related = list<Passage>(answer.related).map(passage);
    return [
      { cards: [...list<Passage>(answer.results).map(passage), ...brief] },
      ...(related.length > 0 ? [{ title: t.app.related, cards: related }] : []),
    ];
  }
  if ("chunk" in answer) {
    const centre = { ...passage(answer.chunk as Passage), centre: true };
    return [{ cards: [...list<Passage>(answer.before).map(passage), centre, ...list<Passage>(answer.after).map(passage)] }];
  }
  if ("a" in answer && "b" in answer) {
    return [answer.a, answer.b].map((side) => {
      const { document, results } = side as { document: { name: string }; results: Passage[] };
      return { title: document.name, cards: list<Passage>(results).map(passage) };
    });
  }
  if ("events" in answer) {
    const cards = list<BriefEvent>(answer.events).map((event) => ({
      title: [days(event.date), event.description].filter(Boolean).join(" · "),
      citation: event.source.excerpt.citation,
      text: event.source.excerpt.text.trim(),
      chunk: event.source.chunk_id,
    }));
    return [{ cards }];
  }
  if ("edges" in answer) {
    type Edge = { source: string; target: string; chunks: number; example?: { chunk_id: string; excerpt: { citation: string; text: string } } };
    const cards = list<Edge>(answer.edges).map((edge) => ({
      title: `${edge.source} – ${edge.target} (${t.entities.passagesTogether(edge.chunks)})`,
      citation: edge.example?.excerpt.citation ?? "",
      text: edge.example?.excerpt.text.trim() ?? "",
      ...(edge.example ? { chunk: edge.example.chunk_id } : {}),
    }));
    return [{ cards }];
  }
  if ("chunk_id" in answer && "text" in answer) return [{ cards: [{ ...passage(answer as unknown as Passage), centre: true }] }];
  return [];
}

function table(answer: Answer): Content["table"] {
  if (!Array.isArray(answer.columns) || !Array.isArray(answer.rows)) return undefined;
  const sheet = answer as unknown as Sheet;
  const found = sheet.columns.filter((column) => sheet.rows.some((row) => row.cells[column.name]));
  return {
    columns: found.map((column) => label(column.name)),
    rows: sheet.rows.map((row) => ({
      name: row.document_name,
      cells: found.map((column) => (row.cells[column.name] ?? []).slice(0, 5).map(({ value, place }) => ({ value, place }))),
    })),
  };
}

/** In a brief answer, the date of an event is a day, and an event without a role has no description. */
type BriefEvent = Omit<TimelineEvent, "date" | "description"> & { date: TimelineEvent["date"] | string; description?: string };

function days(of: BriefEvent["date"]): string {
  if (typeof of === "string") return date(of);
  return `${date(of.first)}${of.last !== of.first ? ` – ${date(of.last)}` : ""}`;
}

type Source = { number: number; document_name: string };
type Range = [number, number];
type Place = { source?: number; page?: number; paragraphs?: Range; lines?: Range };

const numbered = ([first, last]: Range, one: string, many: string) => (first === last ? `${one} ${first}` : `${many} ${first}-${last}`);

/** The citation of a passage that has none of its own, because its place has the same numbers. */
function placed({ page, paragraphs, lines }: Place): string {
  return paragraphs && lines ? `p. ${page}, ${numbered(paragraphs, "para.", "paras.")}, ${numbered(lines, "l.", "ll.")}` : "";
}

/** An answer with the documents of its `sources` in the place of their numbers. */
function inPlace(answer: Answer): Answer {
  const sources = new Map(list<Source>(answer.sources).map((source) => [source.number, source]));
  const put = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(put);
    if (typeof value !== "object" || value === null) return value;
    const fields = Object.fromEntries(Object.entries(value).map(([name, field]) => [name, put(field)])) as Answer;
    const place = fields.provenance as Place | undefined;
    const source = sources.get(place?.source ?? 0);
    if (!place || !source) return fields;
    fields.provenance = { ...source, ...place };
    const short = `[${source.number}] `;
    const cited = typeof fields.citation === "string" ? fields.citation : short + placed(place);
    const citation = cited.startsWith(short) ? `${source.document_name}, ${cited.slice(short.length)}` : cited;
    // An excerpt has its words and its place in the passage itself.
    const excerpt = "text" in fields ? {} : { excerpt: { citation, text: fields.quote ?? "" } };
    return { ...fields, citation, ...excerpt };
  };
  return sources.size === 0 ? answer : (put(answer) as Answer);
}

/** The tool of an answer, if the host does not name it. */
function guess(answer: Answer): string {
  if ("results" in answer || "hits" in answer) return "search_documents";
  if ("chunk" in answer) return "get_source_context";
  if ("a" in answer) return "compare_documents";
  if ("events" in answer) return "get_collection_timeline";
  if ("edges" in answer) return "get_entity_graph";
  if ("rows" in answer) return "get_matter_sheet";
  return "get_chunk";
}

export function read(given: Answer, tool?: string): Content {
  const answer = inPlace(given);
  const made = table(answer);
  return {
    tool: tool ?? guess(answer),
    collection: typeof answer.collection === "string" ? answer.collection : "",
    groups: groups(answer),
    ...(made ? { table: made } : {}),
    notices: list<string>(answer.notices),
    next: typeof answer.next_offset === "number" ? answer.next_offset : null,
  };
}

/** The content with its continuation. */
export function joined(content: Content, more: Content): Content {
  return {
    ...content,
    groups: content.groups.map((group, index) => ({ ...group, cards: [...group.cards, ...(more.groups[index]?.cards ?? [])] })),
    ...(content.table && more.table ? { table: joinedTables(content.table, more.table) } : {}),
    next: more.next,
  };
}

type Table = NonNullable<Content["table"]>;

function joinedTables(table: Table, more: Table): Table {
  // A part names only the columns that have a value in it.
  const columns = [...new Set([...table.columns, ...more.columns])];
  const arranged = ({ columns: own, rows }: Table) =>
    rows.map((row) => ({ ...row, cells: columns.map((column) => row.cells[own.indexOf(column)] ?? []) }));
  return { columns, rows: [...arranged(table), ...arranged(more)] };
}
