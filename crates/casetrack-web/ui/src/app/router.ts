/** Addresses: everything after `#` names the content, so that a link or a bookmark opens it again. */

import { useEffect, useMemo, useState } from "preact/hooks";

export interface Route {
  /** Name of the matter; empty outside of one. */
  collection: string;
  view: string;
  /** The document or passage, if the view is about one. */
  id: string;
  params: URLSearchParams;
}

export type Params = Record<string, string | number | undefined | null>;

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const parts = path.split("/").filter(Boolean).map(decoded);
  const params = new URLSearchParams(query);
  if (parts[0] === "c" && parts[1] !== undefined) {
    return { collection: parts[1], view: parts[2] ?? "documents", id: parts[3] ?? "", params };
  }
  return { collection: "", view: parts[0] ?? "matters", id: "", params };
}

function query(params: Params): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

export function href(collection: string, view: string, params: Params = {}, id = ""): string {
  const end = id === "" ? "" : `/${encodeURIComponent(id)}`;
  if (collection === "") return `#/${view === "matters" ? "" : view}${query(params)}`;
  return `#/c/${encodeURIComponent(collection)}/${view}${end}${query(params)}`;
}

/** The reader, at a page, with a passage or characters of the page lit. */
export function documentHref(collection: string, id: string, params: Params): string {
  return href(collection, "doc", params, id);
}

export function go(to: string, replace = false): void {
  if (replace) {
    history.replaceState(null, "", to);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = to;
  }
}

/** Changes parameters of the address; with a new entry in the history, so that one can go back, only where `anew`. */
export function setParams(route: Route, params: Params, anew = false): void {
  const merged: Params = { ...Object.fromEntries(route.params), ...params };
  go(href(route.collection, route.view, merged, route.id), !anew);
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener("hashchange", changed);
    // Catches up with changes since the first drawing.
    changed();
    return () => removeEventListener("hashchange", changed);
  }, []);
  return useMemo(() => parse(hash), [hash]);
}
