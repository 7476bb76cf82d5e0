/** The limits of a search; each is a parameter of the address. */

import { setParams, type Route } from "../app/router";
import { useMedia, useTool } from "../app/hooks";
import type { Collection } from "../mcp/types";
import { t } from "../strings";

export const FILTER_KEYS = ["document", "type", "entity", "tag", "path", "from", "to", "each", "where", "in"] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];

/** Matters that can be chosen. */
const MATTERS = 200;

export function filterArguments(filters: Record<string, string>): Record<string, unknown> {
  const given = (key: FilterKey) => filters[key] || undefined;
  return {
    document_filter: given("document"),
    document_type: given("type"),
    entity: given("entity"),
    tag: given("tag"),
    path: given("path"),
    date_from: given("from"),
    date_to: given("to"),
    per_document: filters.each ? Number(filters.each) : undefined,
  };
}

/** The filters as a query has them, with a space before each. */
export function conditions(params: URLSearchParams, keys: readonly FilterKey[]): string {
  const value = (key: FilterKey) => (keys.includes(key) ? (params.get(key) ?? "").replaceAll('"', " ").trim() : "");
  const tag = value("tag");
  const [from, to] = [value("from"), value("to")];
  return [
    value("document") && `document:"${value("document")}"`,
    value("type") && `type:${value("type")}`,
    tag && (tag.startsWith("-") ? `-tag:"${tag.slice(1)}"` : `tag:"${tag}"`),
    (from || to) && `date:${from}..${to}`,
  ]
    .filter(Boolean)
    .map((condition) => ` ${condition}`)
    .join("");
}

/** The active matters, as soon as more than one can be searched. */
export function useMatters(wanted: boolean): Collection[] | undefined {
  return useTool<{ collections: Collection[] }>("", "list_collections", wanted ? { status_filter: "active" } : null).value?.collections.slice(0, MATTERS);
}

/** `keys`: those that can be set; empty for all. */
export function Filters({ route, keys = FILTER_KEYS }: { route: Route; keys?: readonly FilterKey[] }) {
  const wide = useMedia("(min-width: 1200px)");
  const value = (key: FilterKey) => route.params.get(key) ?? "";
  const set = (key: FilterKey) => (event: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
    setParams(route, { [key]: event.currentTarget.value.trim(), at: "" });
  const has = (key: FilterKey) => keys.includes(key);
  const given = keys.filter((key) => key !== "in" && value(key) !== "").length;
  const matters = useMatters(has("where") && value("where") === "some");
  const chosen = value("in").split(",").filter(Boolean);
  const text = (key: FilterKey, label: string, placeholder: string) =>
    has(key) && (
      <label class="field" key={key}>
        <span>{label}</span>
        <input value={value(key)} placeholder={placeholder} autoComplete="off" spellcheck={false} onChange={set(key)} />
      </label>
    );
  return (
    <details class="filters" open={wide || given > 0}>
      <summary>
        {t.filters.title}
        {given > 0 && <span class="badge">{given}</span>}
      </summary>
      {has("where") && (
        <label class="field">
          <span>{t.filters.where}</span>
          <select value={value("where")} onChange={set("where")}>
            <option value="">{t.filters.here}</option>
            <option value="all">{t.filters.everywhere}</option>
            <option value="some">{t.filters.some}</option>
          </select>
        </label>
      )}
      {matters && (
        <fieldset class="checklist">
          <legend>{t.filters.which}</legend>
          {matters.map((matter) => (
            <label class="check" key={matter.id}>
              <input
                type="checkbox"
                checked={chosen.includes(matter.id)}
                onChange={() => {
                  const now = chosen.includes(matter.id) ? chosen.filter((id) => id !== matter.id) : [...chosen, matter.id];
                  setParams(route, { in: now.join(","), at: "" });
                }}
              />
              <span dir="auto">{matter.name}</span>
            </label>
          ))}
        </fieldset>
      )}
      {text("document", t.filters.document, t.filters.documentHint)}
      {has("type") && (
        <label class="field">
          <span>{t.filters.type}</span>
          <select value={value("type")} onChange={set("type")}>
            <option value="">{t.filters.any}</option>
            {Object.entries(t.documents.types).map(([type, label]) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      {text("entity", t.filters.entity, t.filters.entityHint)}
      {text("from", t.filters.from, t.filters.dateHint)}
      {text("to", t.filters.to, t.filters.dateHint)}
      {text("tag", t.filters.tag, t.filters.tagHint)}
      {text("path", t.filters.path, t.filters.pathHint)}
      {has("each") && (
        <label class="field">
          <span>{t.filters.each}</span>
          <select value={value("each")} onChange={set("each")}>
            <option value="">{t.filters.all}</option>
            <option value="1">{t.filters.best(1)}</option>
            <option value="2">{t.filters.best(2)}</option>
            <option value="3">{t.filters.best(3)}</option>
          </select>
        </label>
      )}
      {given > 0 && (
        <button type="button" onClick={() => setParams(route, Object.fromEntries(FILTER_KEYS.map((key) => [key, ""])))}>
          {t.filters.clear}
        </button>
      )}
    </details>
  );
}
