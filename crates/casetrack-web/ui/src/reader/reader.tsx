/** The reader: a page as it is printed, or its text, with the cited part lit, and its details next to it. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { count } from "../app/format";
import { useAll, useTool } from "../app/hooks";
import { copy, Failure, Loading, say } from "../app/parts";
import { documentHref, go, parse, setParams, type Route } from "../app/router";
import { useKeys } from "../app/shortcuts";
import { session } from "../mcp/client";
import type { DocumentInfo, PageContent, Passage, SearchAnswer } from "../mcp/types";
import { t } from "../strings";
import { AddEvidence } from "../views/evidence-actions";
import { find, linesOf, litSpan, within, type Span } from "./model";
import { Panel } from "./panel";
import { useSelected } from "./selection";
import { PageSheet } from "./sheet";
import { PageText } from "./text";

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];
/** Hits of a query in one document, and of one part of them. */
const HITS = 500;
const PART = 50;

export function Reader({ route }: { route: Route }) {
  const collection = route.collection;
  const number = Math.max(1, Math.floor(Number(route.params.get("page") ?? 1)) || 1);
  const query = route.params.get("q") ?? "";
  const [zoom, setZoom] = useState(2);
  const [redline, setRedline] = useState(true);
  const paper = useRef<HTMLDivElement>(null);
  const info = useTool<DocumentInfo>(collection, "get_document", { document_name: route.id });
  const content = useTool<PageContent>(collection, "read_page", { document: route.id, page: number });
  const page = content.value?.page === number && !content.loading ? content.value : undefined;
  const lines = useMemo(() => (page ? linesOf(page) : []), [page]);
  const lit = page ? litSpan(page, route.params) : null;
  const selection = useSelected(paper, page);
  const { hits, cut } = useHits(collection, route.id, query);
  const pages = info.value?.page_count ?? content.value?.page_count ?? number;
  const [asText, setAsText] = useState(false);
  const pictured = page?.has_picture === true && !asText;

  const turn = (to: number) => {
    if (to < 1 || to > pages) return;
    setParams(route, { page: to, chunk: "", from: "", to: "" }, true);
    paper.current?.scrollTo({ top: 0 });
  };
  const at = hits.findIndex((hit) => hit.chunk_id === route.params.get("chunk"));
  const jump = (step: number) => {
    if (hits.length === 0) return say(query === "" ? t.reader.noQuery : t.reader.noHits);
    const next = at >= 0 ? (at + step + hits.length) % hits.length : Math.max(0, hits.findIndex((hit) => hit.provenance.page >= number));
    const hit = hits[next]!;
    setParams(route, { page: hit.provenance.page, chunk: hit.chunk_id, from: hit.excerpt?.char_start, to: hit.excerpt?.char_end }, true);
  };
  const leaf = async (wanted: string) => {
    if (/^\d+$/.test(wanted) && Number(wanted) >= 1 && Number(wanted) <= pages) return turn(Number(wanted));
    const found = await printedOn(collection, route.id, wanted);
    if (found === null) say(t.reader.noSuchPage(wanted));
    else turn(found);
  };
  useKeys(
    (key) => {
      // Keys come faster than pages are drawn: the address is what holds.
      const at = Number(parse(location.hash).params.get("page") ?? 1);
      if (key === "ArrowRight" || key === "]") turn(at + 1);
      else if (key === "ArrowLeft" || key === "[") turn(at - 1);
      else if (key === "n") jump(1);
      else if (key === "p") jump(-1);
      else if (key === "+" || key === "=") setZoom((zoom) => Math.min(ZOOMS.length - 1, zoom + 1));
      else if (key === "-") setZoom((zoom) => Math.max(0, zoom - 1));
      else if (key === "x") setAsText((text) => !text);
      else return false;
      return true;
    },
    [number, pages, hits, at, route],
  );

  return (
    <div class="reader">
      <header class="readerbar">
        <h1 dir="auto" title={info.value?.path}>
          {info.value?.name ?? content.value?.document_name ?? t.states.loading}
        </h1>
        <div class="group">
          <button type="button" onClick={() => turn(number - 1)} disabled={number <= 1} aria-label={t.reader.previousPage} aria-keyshortcuts="[">
            ‹
          </button>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void leaf(String(new FormData(event.currentTarget).get("page")).trim());
            }}
          >
            <label>
              {t.reader.page}{" "}
              <input key={number} name="page" required maxLength={40} size={5} defaultValue={number} autoComplete="off" aria-label={t.reader.goTo(pages)} />
            </label>{" "}
            {t.reader.of(count(pages))}
          </form>
          <button type="button" onClick={() => turn(number + 1)} disabled={number >= pages} aria-label={t.reader.nextPage} aria-keyshortcuts="]">
            ›
          </button>
        </div>
        {page && (page.label || page.bates || page.sheet_name) && (
          <span class="labels">
            {page.label && <span title={t.reader.label}>{page.label}</span>} {page.bates && <span title={t.reader.bates}>{page.bates}</span>}{" "}
            {page.sheet_name && <span dir="auto">{page.sheet_name}</span>}
          </span>
        )}
        {query !== "" && (
          <div class="group">
            <button type="button" onClick={() => jump(-1)} aria-label={t.reader.previousHit} aria-keyshortcuts="p" disabled={hits.length === 0}>
              ‹
            </button>
            <span>{hits.length === 0 ? t.reader.noHitsShort : t.reader.hit(at + 1, hits.length, cut)}</span>
            <button type="button" onClick={() => jump(1)} aria-label={t.reader.nextHit} aria-keyshortcuts="n" disabled={hits.length === 0}>
              ›
            </button>
          </div>
        )}
        <div class="group">
          {page?.has_picture && (
            <button type="button" aria-pressed={asText} aria-keyshortcuts="x" onClick={() => setAsText(!asText)}>
              {t.reader.asText}
            </button>
          )}
          {!pictured && (page?.changes?.length ?? 0) > 0 && (
            <button type="button" aria-pressed={redline} onClick={() => setRedline(!redline)}>
              {t.reader.redline}
            </button>
          )}
          {pictured && (
            <>
              <button type="button" onClick={() => setZoom(Math.max(0, zoom - 1))} disabled={zoom === 0} aria-label={t.reader.smaller} aria-keyshortcuts="-">
                −
              </button>
              <span class="zoom">{Math.round(ZOOMS[zoom]! * 100)} %</span>
              <button type="button" onClick={() => setZoom(Math.min(ZOOMS.length - 1, zoom + 1))} disabled={zoom === ZOOMS.length - 1} aria-label={t.reader.larger} aria-keyshortcuts="+">
                +
              </button>
            </>
          )}
        </div>
      </header>
      <div class="readercolumns">
        <div class="paper" ref={paper} tabIndex={0} role="region" aria-label={t.reader.pageOf(number)}>
          {(content.error ?? info.error) && <Failure error={(content.error ?? info.error)!} again={content.again} />}
          {!page && !content.error && !info.error && <Loading />}
          {page && page.text.trim() === "" && !page.has_picture && <p class="state quiet">{t.reader.noText}</p>}
          {page && pictured && <PageSheet collection={collection} page={page} lines={lines} lit={lit} zoom={ZOOMS[zoom]!} />}
          {page && !pictured && <PageText page={page} lines={lines} lit={lit} redline={redline} />}
        </div>
        <Panel route={route} info={info.value} number={number} page={page} hits={hits} />
      </div>
      {page && selection && (
        <div class="selectionbar" role="toolbar" aria-label={t.reader.selection}>
          <span class="quiet">{t.reader.lines(within(lines, selection).map((line) => line.number))}</span>
          <button type="button" onMouseDown={(event) => event.preventDefault()} onClick={() => void quote(collection, page, selection.text)}>
            {t.actions.copyQuote}
          </button>
          <AddEvidence
            collection={collection}
            passage={{ document: page.document_id, page: page.page, char_start: selection.start, char_end: selection.end }}
          />
          <a class="button" href={documentHref(collection, page.document_id, { page: page.page, from: selection.start, to: selection.end })}>
            {t.reader.light}
          </a>
        </div>
      )}
    </div>
  );
}

interface Verified {
  places: { page: number; citation: string }[];
}

/** Copies what is selected with its citation, which the engine gives. */
async function quote(collection: string, page: PageContent, text: string): Promise<void> {
  const fallback = `${page.document_name}, p. ${page.page}`;
  try {
    const found = await session(collection).call<Verified>("verify_quote", { text, document: page.document_id, limit: 50, include_boxes: true });
    const place = found.places.find((place) => place.page === page.page);
    await copy(`“${text.replace(/\s+/g, " ")}” (${place?.citation ?? fallback})`);
  } catch {
    await copy(`“${text.replace(/\s+/g, " ")}” (${fallback})`);
  }
}

/** The page with this label or Bates number; null if there is none. */
async function printedOn(collection: string, document: string, text: string): Promise<number | null> {
  const plain = (printed: string | null | undefined) => (printed ?? "").replace(/\s+/g, "").toLowerCase();
  for (const query of [`page:"${text.replaceAll('"', "")}"`, `bates:${text.replace(/\s+/g, "")}`]) {
    try {
      const { results } = await session(collection).call<SearchAnswer>("search_documents", { query, document_filter: document, top_k: 1 });
      const found = results[0]?.provenance;
      // A text that is no label or number is searched for as a word.
      if (found && [found.page_label, found.bates].some((printed) => plain(printed) === plain(text))) return found.page;
    } catch {
      // It cannot be one.
    }
  }
  return null;
}

/** Hits in the order of the pages; `cut` is true if there are more of them. */
function useHits(collection: string, document: string, query: string): { hits: Passage[]; cut: boolean } {
  const loaded = useAll<Passage>(
    async (offset, signal) => {
      if (query === "") return { rows: [] };
      const answer = await session(collection).call<SearchAnswer>(
        "search_documents",
        { query, document_filter: document, top_k: PART, offset: offset || undefined, include_boxes: true },
        { signal },
      );
      return { rows: answer.results, next: answer.next_offset };
    },
    HITS,
    [collection, document, query],
  );
  const rows = loaded.value?.rows;
  const hits = useMemo(
    () => [...(rows ?? [])].sort((a, b) => a.provenance.page - b.provenance.page || a.provenance.char_start - b.provenance.char_start),
    [rows],
  );
  return { hits, cut: loaded.value?.cut ?? false };
}

/** A passage that is known only by its id: the reader opens at its place. */
export function ChunkLink({ route }: { route: Route }) {
  const loaded = useTool<Passage>(route.collection, "get_chunk", { chunk_id: route.id, include_boxes: true });
  useEffect(() => {
    if (!loaded.value) return;
    const { document_id, page } = loaded.value.provenance;
    const from = route.params.get("from");
    const found = from === null ? quoted(loaded.value, route.params.get("quote") ?? "") : null;
    go(
      documentHref(route.collection, document_id, {
        page,
        chunk: route.id,
        from: from ?? found?.start,
        to: route.params.get("to") ?? found?.end,
        q: route.params.get("q"),
      }),
      true,
    );
  }, [loaded.value]);
  return loaded.error ? <Failure error={loaded.error} again={loaded.again} /> : <Loading />;
}

function quoted(passage: Passage, quote: string): Span | null {
  const found = find(passage.text, quote);
  const { char_start } = passage.provenance;
  return found && { start: char_start + found.start, end: char_start + found.end };
}
