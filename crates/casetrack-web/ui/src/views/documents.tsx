/** A matter's documents: what it holds, whether it is whole, and how more is added. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useRights } from "../app/account";
import { count, counted, date } from "../app/format";
import { useAll, useChanges, useTool } from "../app/hooks";
import { isActive, useJobs } from "../app/jobs";
import { Choices, Empty, Failure, Field, FormDialog, Loading, Notices, say } from "../app/parts";
import { documentHref } from "../app/router";
import { VirtualTable } from "../app/table";
import { dropped, MOST_FILES, upload, type Dropped } from "../app/upload";
import { session } from "../mcp/client";
import type { DocumentRow } from "../mcp/types";
import { t } from "../strings";
import { team } from "../strings-team";
import { JobList } from "./jobs";
import { PathField } from "./paths";
import { Unread } from "./unread";
import { Watches } from "./watches";

/** Documents that the list holds; beyond them, search. */
const MOST = 20_000;
const PART = 1000;

type Sort = "name" | "type" | "date" | "pages";

interface Health {
  documents: number;
  complete: number;
  chunks: number;
  source_missing: number;
  model_problem?: string | null;
  notices?: string[];
}

export function Documents({ collection }: { collection: string }) {
  const rights = useRights();
  const edits = rights.edits(collection);
  const why = rights.isReadOnly ? team.readOnly : rights.role(collection) === "reader" ? team.onlyReads : "";
  const [sort, setSort] = useState<Sort>("name");
  const [filter, setFilter] = useState("");
  const [adding, setAdding] = useState(false);
  const [over, setOver] = useState(false);
  const [sending, setSending] = useState<{ done: number; total: number }>();
  const picker = useRef<HTMLInputElement>(null);
  const folders = useRef<HTMLInputElement>(null);
  const loaded = useAll<DocumentRow>(
    async (offset, signal) => {
      const part = await session(collection).call<{ documents: DocumentRow[]; total: number; next_offset?: number | null }>(
        "list_documents",
        { sort_by: sort, limit: PART, offset },
        { signal },
      );
      return { rows: part.documents, next: part.next_offset };
    },
    MOST,
    [collection, sort],
  );
  const health = useTool<Health>(collection, "get_index_status", {});
  const jobs = useJobs(collection);
  useChanges(loaded.again);
  const running = jobs.jobs.filter(isActive).length;
  const before = useRef(0);
  const [ended, setEnded] = useState(0);
  useEffect(() => {
    if (running < before.current) {
      loaded.again();
      health.again();
      setEnded((jobs) => jobs + 1);
    }
    before.current = running;
  }, [running]);

  const add = useCallback(
    async (files: Dropped[]) => {
      if (files.length === 0) return;
      if (files.length > MOST_FILES) {
        say(t.documents.tooMany(MOST_FILES));
        return;
      }
      try {
        await send(collection, files, (done) => setSending({ done, total: files.length }));
        say(t.documents.sent(files.length));
      } catch (error) {
        say((error as Error).message);
      } finally {
        setSending(undefined);
        jobs.again();
      }
    },
    [collection],
  );

  const rows = loaded.value?.rows ?? [];
  const wanted = filter.trim().toLowerCase();
  const shown = wanted === "" ? rows : rows.filter((row) => `${row.name} ${row.path} ${row.parties?.join(" ") ?? ""}`.toLowerCase().includes(wanted));
  const problems = health.value ? health.value.documents - health.value.complete : 0;
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer && edits) void dropped(event.dataTransfer).then(add, (error: Error) => say(error.message));
  };

  return (
    <div
      class={over ? "page fill dropping" : "page fill"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(edits);
      }}
      onDragLeave={(event) => {
        if (event.currentTarget === event.target) setOver(false);
      }}
      onDrop={drop}
    >
      <div class="head">
        <h1>{t.views.documents}</h1>
        {edits && (
          <>
            <Picker input={picker} label={t.documents.choose} primary={!rights.hasDisk} onFiles={(files) => void add(files)} />
            <Picker input={folders} label={t.documents.chooseFolder} folder onFiles={(files) => void add(files)} />
          </>
        )}
        {edits && rights.hasDisk && (
          <button type="button" class="primary" onClick={() => setAdding(true)}>
            {t.documents.addPath}
          </button>
        )}
      </div>
      {why && <p class="quiet">{why}</p>}
      {sending && (
        <p role="status">
          {t.documents.sending(sending.done, sending.total)}{" "}
          <progress aria-label={t.documents.choose} max={sending.total} value={sending.done} />
        </p>
      )}
      {(running > 0 || (jobs.jobs[0]?.files_failed ?? 0) > 0) && <JobList jobs={jobs.jobs.slice(0, Math.max(1, running))} again={jobs.again} />}
      {health.value && rows.length > 0 && (
        <p class="facts">
          {counted(health.value.documents, "document")} · {counted(health.value.chunks, "passage")} ·{" "}
          {problems === 0 ? t.documents.healthy : <strong class="bad">{t.documents.problems(problems)}</strong>}
          {health.value.source_missing > 0 && ` · ${t.documents.missing(health.value.source_missing)}`}
        </p>
      )}
      <Notices notices={[...(health.value?.notices ?? []), ...(health.value?.model_problem ? [health.value.model_problem] : [])]} />
      <Watches collection={collection} />
      <Unread collection={collection} revision={ended} />
      {loaded.error && <Failure error={loaded.error} again={loaded.again} />}
      {!loaded.value && !loaded.error && <Loading />}
      {loaded.value && rows.length === 0 && (
        <Empty title={t.documents.none}>
          <p>{!edits ? team.noDocuments : rights.hasDisk ? t.documents.noneHint : team.drop}</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <>
          <div class="tools">
            <input
              type="search"
              value={filter}
              placeholder={t.documents.filter}
              aria-label={t.documents.filter}
              onInput={(event) => setFilter(event.currentTarget.value)}
            />
            <Choices
              label={t.documents.order}
              value={sort}
              onChange={setSort}
              options={[
                ["name", t.documents.name],
                ["type", t.documents.type],
                ["date", t.documents.date],
                ["pages", t.documents.pages],
              ]}
            />
          </div>
          {shown.length === 0 && <Empty title={t.documents.noneSuch(filter)} />}
          {shown.length > 0 && (
            <VirtualTable
              label={t.views.documents}
              count={shown.length}
              height={48}
              columns={[
                { key: "name", title: t.documents.name, width: "minmax(0, 3fr)" },
                { key: "type", title: t.documents.type, width: "9rem", narrow: false },
                { key: "format", title: t.documents.format, width: "7rem", narrow: false },
                { key: "date", title: t.documents.date, width: "8.5rem", narrow: false },
                { key: "pages", title: t.documents.pages, width: "4.5rem", number: true },
              ]}
              cell={(index, key) => {
                const row = shown[index]!;
                if (key === "name") {
                  return (
                    <a dir="auto" class="strong clip" href={documentHref(collection, row.id, { page: 1 })} title={row.path}>
                      {row.name}
                    </a>
                  );
                }
                if (key === "type") return t.documents.types[row.document_type as keyof typeof t.documents.types] ?? row.document_type;
                if (key === "format") return `${row.format}${row.extraction_method === "Ocr" ? ` (${t.documents.scan})` : ""}`;
                if (key === "date") return date(row.date);
                return count(row.pages);
              }}
            />
          )}
          {loaded.value?.cut && <p class="quiet">{t.states.first(MOST)}</p>}
        </>
      )}
      {adding && (
        <FormDialog
          title={t.documents.addPath}
          action={t.documents.add}
          onClose={() => setAdding(false)}
          onSubmit={async (values) => {
            await ingest(collection, String(values.get("path")).trim(), String(values.get("password")));
            jobs.again();
          }}
        >
          <p>{t.documents.addHint}</p>
          <PathField name="path" />
          <Field label={t.documents.password} hint={t.documents.passwordHint}>
            <input name="password" type="password" autoComplete="off" />
          </Field>
        </FormDialog>
      )}
    </div>
  );
}

interface PickerProps {
  input: { current: HTMLInputElement | null };
  label: string;
  /** Chooses a folder with everything in it. */
  folder?: boolean;
  primary?: boolean;
  onFiles: (files: Dropped[]) => void;
}

function Picker({ input, label, folder = false, primary = false, onFiles }: PickerProps) {
  return (
    <>
      <input
        ref={(element) => {
          input.current = element;
          if (element) element.webkitdirectory = folder;
        }}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          const files = Array.from(event.currentTarget.files ?? [], (file) => ({ path: file.webkitRelativePath || file.name, file }));
          event.currentTarget.value = "";
          onFiles(files);
        }}
      />
      <button type="button" class={primary ? "primary" : ""} onClick={() => input.current?.click()}>
        {label}
      </button>
    </>
  );
}

/** Begins to read a file or a folder; the job continues by itself. */
async function ingest(collection: string, path: string, password = ""): Promise<void> {
  const client = session(collection);
  try {
    await client.call("ingest_folder", { folder_path: path, wait_seconds: 0, password: password || undefined });
  } catch (error) {
    // A path that is no folder is a file.
    const wrong = error as { code?: string };
    if (wrong.code !== "invalid_argument" && wrong.code !== "not_a_folder" && wrong.code !== "file_not_found") throw error;
    await client.call("ingest_document", { file_path: path, wait_seconds: 0, password: password || undefined });
  }
}

/** Sends files, then has them read: what was dropped as a folder in one job, other files each in their own. */
async function send(collection: string, files: Dropped[], onDone: (done: number) => void): Promise<void> {
  const roots = new Set<string>();
  let done = 0;
  for (const file of files) {
    onDone(done);
    const stored = await upload(collection, file);
    done += 1;
    const depth = file.path.split("/").length;
    const parts = stored.split(/([/\\])/);
    roots.add(depth === 1 ? stored : parts.slice(0, parts.length - 2 * (depth - 1)).join(""));
  }
  for (const root of roots) await ingest(collection, root);
}
