/** The matter sheet: documents in rows, facts in columns; each value opens its place in the document. */

import { useState } from "preact/hooks";
import { useRights } from "../app/account";
import { csv, download, label, pageOf } from "../app/format";
import { all, useParts } from "../app/hooks";
import { Dialog, Empty, Failure, Field, FormDialog, Loading, Notices, sayWhy } from "../app/parts";
import { documentHref, setParams, type Route } from "../app/router";
import { save } from "../app/save";
import { VirtualTable, type Column } from "../app/table";
import { session } from "../mcp/client";
import type { Sheet, SheetCell, SheetRow } from "../mcp/types";
import { t } from "../strings";
import { AddEvidence } from "./evidence-actions";

const PART = 200;
/** Rows of an export. */
const MOST = 50_000;

/** Of a cell with one value, in the words of the document. */
const SEE = "⋯";

/** How many values more a cell has, or that its one value was computed. */
const sign = (cells: SheetCell[]): string => (cells.length > 1 ? `+${cells.length - 1}` : cells[0]?.computed ? "ƒ" : SEE);

const conditions = (filter: string): string[] => filter.split(";").map((part) => part.trim()).filter(Boolean);

function cellHref(collection: string, row: SheetRow, cell: SheetCell): string {
  return documentHref(collection, row.document_id ?? row.document_name, {
    page: pageOf(cell.place),
    from: cell.char_start,
    to: cell.char_end,
  });
}

export function MatterSheet({ route }: { route: Route }) {
  const { collection, params } = route;
  const edits = useRights().edits(collection);
  const sort = params.get("sort") ?? "";
  const filter = params.get("filter") ?? "";
  const hidden = new Set((params.get("hide") ?? "").split(",").filter(Boolean));
  const [shown, setShown] = useState<{ row: SheetRow; column: string }>();
  const [dialog, setDialog] = useState<"columns" | "new">();
  const asked = { limit: PART, include_boxes: true, sort: sort || undefined, filter: filter === "" ? undefined : conditions(filter) };
  const loaded = useParts<SheetRow, Sheet>(collection, "get_matter_sheet", asked, (sheet) => ({ rows: sheet.rows, next: sheet.next_offset }), collection);
  const { rows } = loaded;

  if (loaded.error && !rows.length) {
    return (
      <div class="page">
        <h1>{t.views.sheet}</h1>
        <FilterField value={filter} onChange={(value) => setParams(route, { filter: value })} />
        <Failure error={loaded.error} again={loaded.again} />
      </div>
    );
  }
  if (!loaded.first) return <Loading />;
  const columns = loaded.first.columns.filter((column) => !hidden.has(column.name));
  const table: Column[] = [
    { key: "", title: t.sheet.document, width: "minmax(11rem, 16rem)" },
    ...columns.map((column) => ({
      key: column.name,
      title: label(column.name),
      width: "minmax(9rem, 14rem)",
      sort: sort === column.name ? ("ascending" as const) : sort === `-${column.name}` ? ("descending" as const) : ("none" as const),
    })),
  ];
  const exported = new URLSearchParams([
    ["collection", collection],
    ...(sort === "" ? [] : [["sort", sort]]),
    ...conditions(filter).map((condition) => ["filter", condition]),
    ...(hidden.size === 0 ? [] : [["columns", columns.map((column) => column.name).join(",")]]),
  ]);
  const saveCsv = async () => {
    const everything = await all<SheetRow>(async (offset) => {
      const part = await session(collection).call<Sheet>("get_matter_sheet", { ...asked, offset: offset || undefined });
      return { rows: part.rows, next: part.next_offset };
    }, MOST);
    const text = [
      [t.sheet.document, ...columns.flatMap((column) => [label(column.name), `${label(column.name)} (${t.sheet.place})`])],
      ...everything.rows.map((row) => [
        row.document_name,
        ...columns.flatMap((column) => {
          const cells = row.cells[column.name] ?? [];
          return [cells.map((cell) => cell.value).join("; "), cells.map((cell) => cell.place).join("; ")];
        }),
      ]),
    ];
    download(`${collection} – ${t.views.sheet}.csv`, new Blob([csv(text)], { type: "text/csv;charset=utf-8" }));
  };
  return (
    <div class="page fill">
      <div class="head">
        <h1>{t.views.sheet}</h1>
        <button type="button" onClick={() => setDialog("columns")}>
          {t.sheet.columns}
        </button>
        {edits && (
          <button type="button" onClick={() => setDialog("new")}>
            {t.sheet.newColumn}
          </button>
        )}
        <button type="button" disabled={rows.length === 0} onClick={() => void save(`/export/sheet.xlsx?${exported}`, `${collection} – ${t.views.sheet}.xlsx`)}>
          {t.sheet.excel}
        </button>
        <button type="button" class="primary" disabled={rows.length === 0} onClick={() => void saveCsv().catch(sayWhy)}>
          {t.sheet.export}
        </button>
      </div>
      <FilterField value={filter} onChange={(value) => setParams(route, { filter: value })} />
      <Notices notices={[...(loaded.first.notices ?? []), ...(loaded.error ? [loaded.error.message] : [])]} />
      {rows.length === 0 && !loaded.loading && (
        <Empty title={filter === "" ? t.sheet.none : t.sheet.noneSuch}>
          {(edits || filter !== "") && <p>{filter === "" ? t.sheet.noneHint : t.sheet.filterHint}</p>}
        </Empty>
      )}
      {rows.length > 0 && (
        <VirtualTable
          label={t.views.sheet}
          columns={table}
          count={rows.length}
          height={46}
          wide
          onEnd={loaded.more}
          onSort={(key) => setParams(route, { sort: sort === key ? `-${key}` : sort === `-${key}` ? "" : key })}
          cell={(index, key) => {
            const row = rows[index]!;
            if (key === "") {
              return (
                <a class="strong clip" dir="auto" href={documentHref(collection, row.document_id ?? row.document_name, { page: 1 })}>
                  {row.document_name}
                </a>
              );
            }
            const cells = row.cells[key];
            const first = cells?.[0];
            if (row.not_sure?.[key]?.length) {
              return (
                <button type="button" class="plain late" onClick={() => setShown({ row, column: key })}>
                  {t.sheet.notSure}
                </button>
              );
            }
            if (!cells || !first) return <span class="quiet">{t.sheet.notFound}</span>;
            return (
              <span class="cell">
                <a class="clip" dir="auto" href={cellHref(collection, row, first)} title={`${first.value} (${first.place})`}>
                  {first.value}
                </a>
                <button type="button" class={sign(cells) === SEE ? "plain late" : "plain"} onClick={() => setShown({ row, column: key })} aria-label={t.sheet.more(sign(cells), label(key), row.document_name)}>
                    {sign(cells)}
                  </button>
              </span>
            );
          }}
        />
      )}
      <p class="quiet">{t.sheet.counted(rows.length, loaded.first.total)}</p>
      {shown && (
        <Dialog title={`${label(shown.column)} – ${shown.row.document_name}`} onClose={() => setShown(undefined)}>
          <ul class="links">
            {(shown.row.cells[shown.column] ?? shown.row.not_sure?.[shown.column] ?? []).slice(0, 200).map((cell, index) => (
              <li key={index}>
                <a href={cellHref(collection, shown.row, cell)}>
                  <span dir="auto">{cell.value}</span>
                  <small>
                    {cell.place} · {t.sheet.confidence(cell.confidence)}
                    {cell.computed ? ` · ${cell.computed}` : ""}
                    {cell.clause ? ` · ${cell.clause}` : ""}
                  </small>
                </a>
                <AddEvidence
                  collection={collection}
                  passage={{
                    document: shown.row.document_id ?? shown.row.document_name,
                    page: pageOf(cell.place),
                    char_start: cell.char_start,
                    char_end: cell.char_end,
                  }}
                  of={`${cell.value}, ${cell.place}`}
                />
              </li>
            ))}
          </ul>
        </Dialog>
      )}
      {dialog === "columns" && (
        <Dialog title={t.sheet.columns} onClose={() => setDialog(undefined)}>
          <fieldset class="columnlist">
            <legend>{t.sheet.which}</legend>
            {loaded.first.columns.map((column) => (
              <label class="check" key={column.name}>
                <input
                  type="checkbox"
                  checked={!hidden.has(column.name)}
                  onChange={() => {
                    if (!hidden.delete(column.name)) hidden.add(column.name);
                    setParams(route, { hide: [...hidden].join(",") });
                  }}
                />
                {label(column.name)} {column.defined_by && <small class="quiet">{column.defined_by}</small>}
              </label>
            ))}
          </fieldset>
        </Dialog>
      )}
      {dialog === "new" && <NewColumn collection={collection} onClose={() => setDialog(undefined)} onDone={loaded.again} />}
    </div>
  );
}

function FilterField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <div class="tools">
      <input
        type="search"
        defaultValue={value}
        key={value}
        placeholder={t.sheet.filter}
        aria-label={t.sheet.filter}
        spellcheck={false}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
      />
      <small class="quiet">{t.sheet.filterHint}</small>
    </div>
  );
}

function NewColumn({ collection, onClose, onDone }: { collection: string; onClose: () => void; onDone: () => void }) {
  return (
    <FormDialog
      title={t.sheet.newColumn}
      action={t.actions.save}
      onClose={onClose}
      onSubmit={async (values) => {
        const by = String(values.get("by"));
        await session(collection).call("define_column", {
          name: String(values.get("name")).trim().replace(/\W+/g, "_"),
          [by]: String(values.get("definition")).trim(),
          type: String(values.get("type")),
        });
        onDone();
      }}
    >
      <Field label={t.sheet.columnName}>
        <input name="name" required maxLength={60} autoFocus autoComplete="off" />
      </Field>
      <Field label={t.sheet.by}>
        <select name="by">
          <option value="question">{t.sheet.question}</option>
          <option value="pattern">{t.sheet.pattern}</option>
        </select>
      </Field>
      <Field label={t.sheet.definition} hint={t.sheet.definitionHint}>
        <input name="definition" required autoComplete="off" spellcheck={false} />
      </Field>
      <Field label={t.sheet.type}>
        <select name="type">
          {Object.entries(t.sheet.types).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </Field>
    </FormDialog>
  );
}
