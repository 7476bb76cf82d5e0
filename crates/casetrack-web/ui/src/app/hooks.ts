import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Session, session } from "../mcp/client";

export interface Loaded<T> {
  value: T | undefined;
  error: Error | undefined;
  loading: boolean;
  again: () => void;
}

const same = (some: readonly unknown[], others: readonly unknown[]) => some.length === others.length && some.every((one, at) => Object.is(one, others[at]));

/**
 * Runs `load` now and whenever `keys` change; an answer that is no longer wanted is cancelled. The last value stays while the next loads.
 * `loading` is true from the first drawing with other keys, before the request: the value is still of the former keys then.
 */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [turn, setTurn] = useState(0);
  const wanted = [...keys, turn];
  const [state, setState] = useState<{ value?: T; error?: Error; of?: readonly unknown[] }>({});
  useEffect(() => {
    const controller = new AbortController();
    load(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setState({ value, of: wanted });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setState({ error: error as Error, of: wanted });
      },
    );
    return () => controller.abort(new DOMException("no longer wanted", "AbortError"));
  }, wanted);
  const again = useCallback(() => setTurn((turn) => turn + 1), []);
  return { value: state.value, error: state.error, loading: state.of === undefined || !same(state.of, wanted), again };
}

/** A tool's answer in a matter. `null` as arguments calls nothing. */
export function useTool<T>(collection: string, tool: string, args: Record<string, unknown> | null): Loaded<T | undefined> {
  const key = args === null ? null : JSON.stringify(args);
  return useLoad<T | undefined>(
    async (signal) => (args === null ? undefined : session(collection).call<T>(tool, args, { signal })),
    [collection, tool, key],
  );
}

/** Sent when documents or collections changed. */
const CHANGED = "casetrack-changed";
/** Sent when evidence changed; its detail is the address of the resource. */
const COLLECTED = "casetrack-collected";

/** A session that only listens. */
const ears = new Session();

/** Hears of changes until the result is called. */
export function hearChanges(): () => void {
  const controller = new AbortController();
  const heard = (uri: string | null) => dispatchEvent(uri === null ? new Event(CHANGED) : new CustomEvent(COLLECTED, { detail: uri }));
  void ears.listen(heard, controller.signal);
  return () => controller.abort();
}

/** Least time between two reactions to changes, in milliseconds: an ingestion makes many. */
const CALM = 2000;

/** Calls `act` soon after an event, once for all that come meanwhile. */
function useEvent(name: string, act: () => void, wanted: (event: Event) => boolean = () => true): void {
  const latest = useRef({ act, wanted });
  latest.current = { act, wanted };
  useEffect(() => {
    let timer = 0;
    const heard = (event: Event) => {
      if (timer !== 0 || !latest.current.wanted(event)) return;
      timer = window.setTimeout(() => {
        timer = 0;
        latest.current.act();
      }, CALM);
    };
    addEventListener(name, heard);
    return () => {
      clearTimeout(timer);
      removeEventListener(name, heard);
    };
  }, [name]);
}

/** Calls `act` when documents or collections changed. */
export function useChanges(act: () => void): void {
  useEvent(CHANGED, act);
}

/** Calls `act` when the evidence of a matter, or a document that it is from, changed. */
export function useEvidenceChanges(collection: string, act: () => void): void {
  const uri = `casetrack://collections/${encodeURIComponent(collection)}/evidence`;
  useEffect(() => ears.watch(uri), [uri]);
  useEvent(COLLECTED, act, (event) => (event as CustomEvent<string>).detail === uri);
}

/** The value, once it has not changed for this many milliseconds. */
export function useDebounced<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}

/** Calls `tick` again and again while `active`, and not while the page is hidden. */
export function useInterval(tick: () => void, milliseconds: number, active: boolean): void {
  const latest = useRef(tick);
  latest.current = tick;
  useEffect(() => {
    if (!active) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds, active]);
}

/** The width below which tables leave out columns. */
export const NARROW = "(max-width: 900px)";

export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const changed = () => setMatches(media.matches);
    media.addEventListener("change", changed);
    changed();
    return () => media.removeEventListener("change", changed);
  }, [query]);
  return matches;
}

export interface Part<T> {
  rows: T[];
  next?: number | null | undefined;
}

/** Goes through a list that tools give in parts, at most `most` rows of it. `onPart` hears of the rows so far. */
export async function all<T>(
  part: (offset: number) => Promise<Part<T>>,
  most: number,
  onPart?: (rows: T[]) => void,
): Promise<{ rows: T[]; cut: boolean }> {
  let rows: T[] = [];
  for (let offset: number | null | undefined = 0; offset !== null && offset !== undefined; ) {
    const { rows: more, next }: Part<T> = await part(offset);
    rows = [...rows, ...more];
    if (rows.length >= most && next) return { rows: rows.slice(0, most), cut: true };
    if (next !== null && next !== undefined && next <= offset) break;
    offset = next;
    if (offset !== null && offset !== undefined) onPart?.(rows);
  }
  return { rows, cut: false };
}

/** The rows of a list that tools give in parts: the first part as soon as it is there. What was shown stays while it loads again. */
export function useAll<T>(
  part: (offset: number, signal: AbortSignal) => Promise<Part<T>>,
  most: number,
  keys: readonly unknown[],
): Loaded<{ rows: T[]; cut: boolean }> {
  const [early, setEarly] = useState<T[]>();
  const loaded = useLoad(async (signal) => {
    setEarly(undefined);
    return all<T>((offset) => part(offset, signal), most, (rows) => {
      if (!signal.aborted) setEarly(rows);
    });
  }, keys);
  return early && loaded.loading && !loaded.value ? { ...loaded, value: { rows: early, cut: false } } : loaded;
}

export interface Parts<T, A> {
  /** The first part's answer. */
  first: A | undefined;
  rows: T[];
  /** True if there are more rows. */
  next: boolean;
  /** Fetches the next part. */
  more: () => void;
  error: Error | undefined;
  loading: boolean;
  again: () => void;
}

/**
 * The rows of a list that a tool gives in parts, each loaded on demand. `null` as arguments calls nothing. The rows stay while other
 * arguments load, if `kept` is the same.
 */
export function useParts<T, A>(
  collection: string,
  tool: string,
  args: Record<string, unknown> | null,
  part: (answer: A) => Part<T>,
  kept?: string,
): Parts<T, A> {
  const key = args === null ? null : JSON.stringify([collection, tool, args]);
  const ask = (offset: number, signal?: AbortSignal) => session(collection).call<A>(tool, { ...args, offset: offset || undefined }, { signal });
  const loaded = useLoad(async (signal) => (key === null ? undefined : { key, kept: kept ?? key, answer: await ask(0, signal) }), [key]);
  const value = key !== null && loaded.value?.kept === (kept ?? key) ? loaded.value : undefined;
  const first = value?.answer;
  const [added, setAdded] = useState<{ to: A; rows: T[]; next: number | null }>();
  const [problem, setProblem] = useState<{ to: A; error: Error }>();
  const busy = useRef<A>(undefined);
  const begun = first === undefined ? { rows: [], next: null } : part(first);
  const more = added && added.to === first ? added : undefined;
  const next = (more ? more.next : begun.next) ?? null;
  const rows = useMemo(() => (more ? [...begun.rows, ...more.rows] : begun.rows), [first, more]);
  const stopped = problem !== undefined && problem.to === first;
  const fetchMore = () => {
    if (stopped || first === undefined || next === null || value?.key !== key || busy.current === first) return;
    busy.current = first;
    ask(next)
      .then(
        (answer) => {
          const { rows, next: then } = part(answer);
          setAdded((added) => ({ to: first, rows: [...(added?.to === first ? added.rows : []), ...rows], next: then !== null && then !== undefined && then > next ? then : null }));
        },
        (error: Error) => setProblem({ to: first, error }),
      )
      .finally(() => {
        busy.current = undefined;
      });
  };
  return {
    first,
    rows,
    next: next !== null && !stopped,
    more: fetchMore,
    error: loaded.error ?? (stopped ? problem.error : undefined),
    loading: loaded.loading,
    again: loaded.again,
  };
}
