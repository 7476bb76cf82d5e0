import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { session } from "../mcp/client";

export interface Loaded<T> {
  value: T | undefined;
  error: Error | undefined;
  loading: boolean;
  again: () => void;
}

/** Runs `load` now and whenever `keys` change; an answer that is no longer wanted is cancelled. The last value stays while the next loads. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ value?: T; error?: Error; loading: boolean }>({ loading: true });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    setState((state) => ({ ...state, loading: true }));
    load(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setState({ value, loading: false });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setState({ error: error as Error, loading: false });
      },
    );
    return () => controller.abort(new DOMException("no longer wanted", "AbortError"));
  }, [...keys, turn]);
  const again = useCallback(() => setTurn((turn) => turn + 1), []);
  return { value: state.value, error: state.error, loading: state.loading, again };
}

/** A tool's answer in a matter. `null` as arguments calls nothing. */
export function useTool<T>(collection: string, tool: string, args: Record<string, unknown> | null): Loaded<T | undefined> {
  const key = args === null ? null : JSON.stringify(args);
  return useLoad<T | undefined>(
    async (signal) => (args === null ? undefined : session(collection).call<T>(tool, args, { signal })),
    [collection, tool, key],
  );
}

/** Said when documents or collections changed. */
const CHANGED = "casetrack-changed";

/** Hears of changes as long as the page is open. */
export function hearChanges(): void {
  void session("").listen(() => dispatchEvent(new Event(CHANGED)), new AbortController().signal);
}

/** Least time between two reactions to changes, in milliseconds: an ingestion makes many. */
const CALM = 2000;

/** Calls `act` when documents or collections changed. */
export function useChanges(act: () => void): void {
  useEffect(() => {
    let timer = 0;
    const changed = () => {
      if (timer !== 0) return;
      timer = window.setTimeout(() => {
        timer = 0;
        act();
      }, CALM);
    };
    addEventListener(CHANGED, changed);
    return () => {
      clearTimeout(timer);
      removeEventListener(CHANGED, changed);
    };
  }, [act]);
}

/** The value, once it has not changed for so many milliseconds. */
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

/** Where tables leave out columns. */
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
