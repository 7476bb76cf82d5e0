/** What limits a search; each is a parameter of the address. */

import { setParams, type Route } from "../app/router";
import { useMedia } from "../app/hooks";
import { t } from "../strings";

export const FILTER_KEYS = ["document", "type", "entity", "tag", "path", "from", "to", "each", "where"] as const;

export function filterArguments(filters: Record<string, string>): Record<string, unknown> {
  const given = (key: (typeof FILTER_KEYS)[number]) => filters[key] || undefined;
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

export function Filters({ route }: { route: Route }) {
  const wide = useMedia("(min-width: 1200px)");
  const value = (key: string) => route.params.get(key) ?? "";
  const set = (key: string) => (event: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
    setParams(route, { [key]: event.currentTarget.value.trim(), at: "" });
  const given = FILTER_KEYS.filter((key) => value(key) !== "").length;
  const text = (key: string, label: string, placeholder: string) => (
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
      <label class="field">
        <span>{t.filters.where}</span>
        <select value={value("where")} onChange={set("where")}>
          <option value="">{t.filters.here}</option>
          <option value="all">{t.filters.everywhere}</option>
        </select>
      </label>
      {text("document", t.filters.document, t.filters.documentHint)}
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
      {text("entity", t.filters.entity, t.filters.entityHint)}
      {text("from", t.filters.from, t.filters.dateHint)}
      {text("to", t.filters.to, t.filters.dateHint)}
      {text("tag", t.filters.tag, t.filters.tagHint)}
      {text("path", t.filters.path, t.filters.pathHint)}
      <label class="field">
        <span>{t.filters.each}</span>
        <select value={value("each")} onChange={set("each")}>
          <option value="">{t.filters.all}</option>
          <option value="1">{t.filters.best(1)}</option>
          <option value="2">{t.filters.best(2)}</option>
          <option value="3">{t.filters.best(3)}</option>
        </select>
      </label>
      {given > 0 && (
        <button type="button" onClick={() => setParams(route, Object.fromEntries(FILTER_KEYS.map((key) => [key, ""])))}>
          {t.filters.clear}
        </button>
      )}
    </details>
  );
}
