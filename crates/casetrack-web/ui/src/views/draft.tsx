/** A draft's quotations and citations, held against the documents. */

import { useState } from "preact/hooks";
import { Choices, Empty, Failure, Loading, More, Notices, say } from "../app/parts";
import { usePrinting } from "../app/print";
import { href } from "../app/router";
import { ToolError, session } from "../mcp/client";
import type { CitationRow, Cited, QuoteRow, QuotesAnswer } from "../mcp/types";
import { t } from "../strings";
import { AddEvidence } from "./evidence-actions";

/** Characters of a draft: some 300 pages. */
const LONGEST = 1_000_000;
const PART = 200;
/** Quotations, and citations without one, that are drawn at once. */
const SHOWN = 200;
/** Drafts, by matter, as long as the page is open. */
const drafts = new Map<string, string>();

type Kind = "wrong" | "all";

const isMisfit = (cited?: Cited | null): boolean => cited?.fit === "does_not_fit";
const isWrong = (row: QuoteRow): boolean => row.status !== "exact" || isMisfit(row.cited);

/** "Lease.docx, p. 3, § 4.2" */
const place = (cited: Cited): string =>
  [
    cited.document_name,
    cited.pages && t.draft.pages(...cited.pages),
    cited.page_label && t.draft.pageLabel(cited.page_label),
    cited.bates,
    cited.part,
    cited.section && t.draft.section(cited.section),
    cited.paragraphs && t.draft.paragraphs(...cited.paragraphs),
    cited.lines && t.draft.lines(...cited.lines),
  ]
    .filter(Boolean)
    .join(", ");

/** Why a citation is wrong, or not checked: `faults` are those of a quotation, or of a document. */
const reason = ({ fault }: Cited, faults: typeof t.draft.faults): string | undefined => {
  if (!fault) return undefined;
  return fault === "not_in_collection" ? t.draft.notThere : faults[fault];
};

export function Draft({ collection }: { collection: string }) {
  const [text, setText] = useState(drafts.get(collection) ?? "");
  const [answer, setAnswer] = useState<QuotesAnswer>();
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const [kind, setKind] = useState<Kind>("wrong");
  const [upTo, setUpTo] = useState(SHOWN);
  const printing = usePrinting();
  const take = (text: string) => {
    setText(text);
    drafts.set(collection, text);
  };
  const check = async () => {
    setBusy(true);
    setError(undefined);
    try {
      if (text.length > LONGEST) throw new ToolError(t.draft.tooLong);
      const rows: QuoteRow[] = [];
      const citations: CitationRow[] = [];
      let part: QuotesAnswer | undefined;
      for (let offset: number | null | undefined = 0; offset !== null && offset !== undefined; offset = part.next_offset) {
        part = await session(collection).call<QuotesAnswer>("verify_quotes", { text, limit: PART, offset: offset || undefined });
        rows.push(...part.rows);
        citations.push(...(part.citations ?? []));
      }
      setAnswer(part && { ...part, rows, citations });
    } catch (error) {
      setError(error as Error);
    } finally {
      setBusy(false);
    }
  };
  const rows = (answer?.rows ?? []).filter((row) => kind === "all" || isWrong(row));
  const citations = (answer?.citations ?? []).filter((row) => kind === "all" || isMisfit(row.cited));
  const isEmpty = answer?.counts.quotations === 0 && answer.counts.citations === 0;
  const drawn = <T,>(rows: T[]): T[] => rows.slice(0, printing ? rows.length : upTo);
  const most = Math.max(rows.length, citations.length);
  return (
    <div class="page draft">
      <h1>{t.views.draft}</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void check();
        }}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          const file = event.dataTransfer?.files[0];
          if (!file) return;
          event.preventDefault();
          if (/\.(txt|md|markdown)$/i.test(file.name)) void file.text().then(take);
          else say(t.draft.onlyText);
        }}
      >
        <label class="field">
          <span>{t.draft.label}</span>
          <textarea
            rows={answer ? 6 : 14}
            value={text}
            placeholder={t.draft.placeholder}
            dir="auto"
            onInput={(event) => take(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void check();
            }}
          />
        </label>
        <div class="actions">
          <button type="submit" class="primary" disabled={busy || text.trim() === ""} aria-keyshortcuts="Control+Enter">
            {t.draft.check}
          </button>
          <small class="quiet">{t.draft.hint}</small>
        </div>
      </form>
      {busy && <Loading what={t.draft.checking} />}
      {error && <Failure error={error} again={() => void check()} />}
      {answer && !busy && !error && (
        <section aria-label={t.draft.results}>
          <div class="head">
            <p class="facts" role="status">
              {t.draft.summary(answer.counts)}
            </p>
            <Choices
              label={t.draft.which}
              value={kind}
              onChange={setKind}
              options={[
                ["wrong", t.draft.wrong],
                ["all", t.draft.everything],
              ]}
            />
          </div>
          <Notices notices={answer.notices} />
          {answer.is_cut && <p class="bad">{t.draft.cut}</p>}
          {isEmpty && (
            <Empty title={t.draft.none}>
              <p>{t.draft.noneHint}</p>
            </Empty>
          )}
          {!isEmpty && most === 0 && <Empty title={t.draft.allRight} />}
          <ol class="quotes">
            {drawn(rows).map((row) => (
              <Quote key={row.number} collection={collection} row={row} />
            ))}
          </ol>
          {citations.length > 0 && (
            <>
              <h2>{t.draft.alone}</h2>
              <ol class="quotes">
                {drawn(citations).map((row, index) => (
                  <CitationAlone key={index} collection={collection} row={row} />
                ))}
              </ol>
            </>
          )}
          {most > upTo && !printing && <More shown={upTo} total={most} onMore={() => setUpTo(upTo + SHOWN)} />}
        </section>
      )}
    </div>
  );
}

function Quote({ collection, row }: { collection: string; row: QuoteRow }) {
  const { cited } = row;
  return (
    <li class="checked">
      <p>
        <span class={`tag ${row.status}`}>{t.draft.statuses[row.status]}</span> <small class="quiet">{t.draft.line(row.line)}</small>
      </p>
      <blockquote dir="auto">{row.quotation}</blockquote>
      {(row.differences?.length ?? 0) > 0 && (
        <table class="differences">
          <caption class="hidden">{t.draft.differences}</caption>
          <thead>
            <tr>
              <th scope="col">{t.draft.yours}</th>
              <th scope="col">{t.draft.theirs}</th>
              <th scope="col">{t.draft.what}</th>
            </tr>
          </thead>
          <tbody>
            {row.differences?.slice(0, 50).map((difference, index) => (
              <tr key={index}>
                <td dir="auto">
                  {difference.preceded_by && <span class="quiet">…{difference.preceded_by} </span>}
                  <del>{difference.quotation || t.draft.nothing}</del>
                </td>
                <td dir="auto">
                  <ins>{difference.document || t.draft.nothing}</ins>
                </td>
                <td>{t.draft.kinds[difference.kind as keyof typeof t.draft.kinds] ?? difference.kind}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {cited && isMisfit(cited) && (
        <p class="bad" dir="auto">
          {t.draft.misfit(place(cited))} {reason(cited, t.draft.faults)}
        </p>
      )}
      {row.citation && row.chunk_id && (
        <p>
          {row.status === "exact" ? t.draft.at : t.draft.nearest}{" "}
          <a href={href(collection, "chunk", { quote: row.status === "exact" ? row.quotation : "" }, row.chunk_id)} dir="auto">
            {row.citation}
          </a>{" "}
          <AddEvidence
            collection={collection}
            passage={{ chunk_id: row.chunk_id, quote: row.status === "exact" ? row.quotation : undefined }}
            of={row.citation}
          />
        </p>
      )}
    </li>
  );
}

/** A citation without a quotation, and whether the document has its target. */
function CitationAlone({ collection, row }: { collection: string; row: CitationRow }) {
  const { cited } = row;
  const page = cited.fit === "fits" ? cited.pages?.[0] : undefined;
  const isThere = cited.document_name && cited.fault !== "not_in_collection";
  return (
    <li class="checked">
      <p>
        <span class={`tag ${cited.fit}`}>{t.draft.fits[cited.fit]}</span> <small class="quiet">{t.draft.line(row.line)}</small>
      </p>
      <blockquote dir="auto">{row.text}</blockquote>
      {cited.fit !== "fits" && <p class={isMisfit(cited) ? "bad" : "quiet"}>{reason(cited, t.draft.missing) ?? t.draft.unclear}</p>}
      {isThere && (
        <p>
          {t.draft.open}{" "}
          <a href={href(collection, "doc", page ? { page } : {}, cited.document_name ?? "")} dir="auto">
            {cited.document_name}
          </a>
        </p>
      )}
    </li>
  );
}
