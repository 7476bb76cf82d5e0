/** Search, as one types: passages with their hits marked, a list next to the chosen passage. */

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { count, terms } from "../app/format";
import { useLoad, useMedia } from "../app/hooks";
import { Empty, Failure, Loading, Marked, Notices } from "../app/parts";
import { documentHref, go, href, setParams, type Route } from "../app/router";
import { typing, useKeys } from "../app/shortcuts";
import { VirtualList } from "../app/virtual";
import { session } from "../mcp/client";
import type { Passage, SearchAnswer } from "../mcp/types";
import { t } from "../strings";
import { Ask } from "./ask";
import { Filters, filterArguments, FILTER_KEYS, useMatters } from "./filters";
import { Preview } from "./preview";

/** The most that one answer of a ranking holds. */
const TOP = 50;
/** How long after the last key the search begins, in milliseconds. */
const PAUSE = 180;
/** Passages of a complete list that are kept. */
const MOST = 20_000;

/** The address at which the reader opens a passage: its best lines lit, and the query, so that one can go from hit to hit. */
export function passageHref(collection: string, passage: Passage, query: string): string {
  const { document_id, page } = passage.provenance;
  const { excerpt } = passage;
  return documentHref(collection, document_id, {
    page,
    chunk: passage.chunk_id,
    from: excerpt?.char_start,
    to: excerpt?.char_end,
    q: query,
  });
}

export function Search({ route }: { route: Route }) {
  const mode = route.params.get("mode") === "ask" ? "ask" : "search";
  const given = route.params.get("q") ?? "";
  const query = given.trim();
  const [typed, setTyped] = useState(given);
  const field = useRef<HTMLInputElement>(null);
  // The field follows an address that was opened, and the address follows the field.
  const written = useRef(given);
  useEffect(() => {
    if (given !== written.current) {
      written.current = given;
      setTyped(given);
    }
  }, [given]);
  const pending = typed.trim() !== query;
  useEffect(() => {
    if (!pending) return undefined;
    const timer = setTimeout(() => {
      written.current = typed.trim();
      setParams(route, { q: written.current, at: "" });
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [typed, route]);
  useEffect(() => {
    if (typed === "") field.current?.focus();
  }, []);

  return (
    <div class="search">
      <h1 class="hidden">{t.views.search}</h1>
      <form
        role="search"
        class="querybar"
        onSubmit={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>(".results .virtual")?.focus();
        }}
      >
        <input
          id="query"
          ref={field}
          type="search"
          value={typed}
          autoComplete="off"
          spellcheck={false}
          placeholder={mode === "ask" ? t.search.askPlaceholder : t.search.placeholder}
          aria-label={mode === "ask" ? t.search.askPlaceholder : t.search.placeholder}
          aria-keyshortcuts="/"
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown") {
              event.preventDefault();
              document.querySelector<HTMLElement>(".results .virtual")?.focus();
            }
          }}
        />
        <div class="choices" role="group" aria-label={t.search.mode}>
          <button type="button" aria-pressed={mode === "search"} onClick={() => setParams(route, { mode: "" })}>
            {t.search.passages}
          </button>
          <button type="button" aria-pressed={mode === "ask"} onClick={() => setParams(route, { mode: "ask" })}>
            {t.search.everyDocument}
          </button>
        </div>
      </form>
      {mode === "ask" ? <Ask route={route} question={query} /> : <Passages route={route} query={query} pending={pending} />}
    </div>
  );
}

/** `pending`: what is typed is not searched for yet. */
function Passages({ route, query, pending }: { route: Route; query: string; pending: boolean }) {
  const collection = route.collection;
  const wide = useMedia("(min-width: 900px)");
  const filters = Object.fromEntries(FILTER_KEYS.map((key) => [key, route.params.get(key) ?? ""]));
  const filterKey = JSON.stringify(filters);
  const everywhere = filters.where === "all";
  const listed = useMatters(everywhere);
  const some = filters.where === "some" ? (filters.in ?? "").split(",").filter(Boolean) : [];
  const matters = everywhere ? listed?.map((other) => other.id) : some.length > 0 ? some : undefined;
  const [previewing, setPreviewing] = useState(false);
  const [selected, setSelected] = useState(Number(route.params.get("at") ?? 0));
  const [more, setMore] = useState<Passage[]>([]);
  const [next, setNext] = useState<number | null>(null);
  const loadingMore = useRef(false);

  const ask = useCallback(
    (offset: number, signal?: AbortSignal) =>
      session(collection).call<SearchAnswer>(
        "search_documents",
        {
          query,
          top_k: TOP,
          offset: offset || undefined,
          explain: true,
          include_boxes: true,
          collections: matters,
          ...filterArguments(filters),
        },
        { signal },
      ),
    [collection, query, filterKey, listed],
  );
  const waiting = query === "" || (everywhere && matters === undefined);
  const loaded = useLoad<SearchAnswer | undefined>((signal) => (waiting ? Promise.resolve(undefined) : ask(0, signal)), [collection, query, filterKey, waiting]);
  useEffect(() => {
    setMore([]);
    setNext(loaded.value?.next_offset ?? null);
  }, [loaded.value]);
  useEffect(() => {
    setSelected(Number(route.params.get("at") ?? 0));
    setPreviewing(false);
  }, [query, filterKey]);
  const results = useMemo(() => [...(loaded.value?.results ?? []), ...more], [loaded.value, more]);
  const end = useCallback(() => {
    if (next === null || loadingMore.current || results.length >= MOST) return;
    loadingMore.current = true;
    ask(next)
      .then(
        (answer) => {
          setMore((more) => [...more, ...answer.results]);
          setNext(answer.next_offset ?? null);
        },
        () => setNext(null),
      )
      .finally(() => {
        loadingMore.current = false;
      });
  }, [next, ask, results.length]);

  const stems = useMemo(() => terms(query), [query]);
  const chosen = results[Math.min(selected, results.length - 1)];
  const open = (index: number) => {
    const passage = results[index];
    if (!passage) return;
    setParams(route, { at: index || "" });
    go(passageHref(passage.collection ?? collection, passage, query));
  };
  useKeys(
    (key, event) => {
      if (typing(event)) return false;
      if (key === "j" || key === "k") {
        setSelected((at) => Math.min(results.length - 1, Math.max(0, at + (key === "j" ? 1 : -1))));
        return true;
      }
      if (key === "o" && chosen) {
        open(selected);
        return true;
      }
      return false;
    },
    [results, selected, query],
  );

  const preview = chosen && query !== "" && loaded.value && (
    <Preview collection={chosen.collection ?? collection} passage={chosen} stems={stems} to={passageHref(chosen.collection ?? collection, chosen, query)} />
  );
  if (!wide && previewing && preview) {
    return (
      <div class="columns single">
        <p class="actions">
          <button type="button" onClick={() => setPreviewing(false)} autoFocus>
            {t.search.back}
          </button>
        </p>
        {preview}
      </div>
    );
  }
  return (
    <div class="columns">
      <Filters route={route} />
      <section class="results" aria-label={t.search.results} aria-busy={loaded.loading || pending}>
        {query === "" && (
          <Empty title={t.search.begin}>
            <p>{t.search.beginHint}</p>
            <ul class="hints">
              {t.search.hints.map(([example, what]) => (
                <li key={example}>
                  <a href={href(collection, "search", { q: example })}>
                    <code>{example}</code>
                  </a>{" "}
                  {what}
                </li>
              ))}
            </ul>
          </Empty>
        )}
        {loaded.error && <Failure error={loaded.error} again={loaded.again} />}
        {query !== "" && !loaded.value && !loaded.error && <Loading what={t.search.searching} />}
        {query !== "" && loaded.value && (
          <>
            <p class="facts" role="status">
              {results.length === 0 ? t.search.noneShort : t.search.found(results.length, next !== null, loaded.value.total_documents, Math.round(loaded.value.elapsed_ms))}
            </p>
            <Notices notices={loaded.value.notices} />
            {results.length === 0 && (
              <Empty title={t.search.none}>
                <p>{t.search.noneHint}</p>
              </Empty>
            )}
            {results.length > 0 && (
              <VirtualList
                label={t.search.results}
                count={results.length}
                height={132}
                selected={Math.min(selected, results.length - 1)}
                onSelect={setSelected}
                onPick={() => setPreviewing(true)}
                onOpen={open}
                onEnd={end}
                row={(index) => <Result passage={results[index]!} stems={stems} />}
              />
            )}
          </>
        )}
      </section>
      {wide && preview}
    </div>
  );
}

function Result({ passage, stems }: { passage: Passage; stems: string[] }) {
  const { provenance, excerpt } = passage;
  const place = provenance.heading_path.at(-1);
  return (
    <div class="result">
      <p class="source">
        <strong dir="auto">{provenance.document_name}</strong>
        <span>
          {passage.collection ? `${passage.collection} · ` : ""}
          {t.search.page(provenance.page_label ?? count(provenance.page))}
          {provenance.bates ? ` · ${provenance.bates}` : ""}
        </span>
      </p>
      {place && (
        <p class="heading" dir="auto">
          {place}
        </p>
      )}
      <p class="quote" dir="auto">
        <Marked text={(excerpt?.text ?? passage.text).replace(/\s+/g, " ")} terms={stems} />
      </p>
    </div>
  );
}
