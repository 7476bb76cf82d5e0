/** A question to every document: a row for each, with the sentence that answers it, or nothing found. */

import { useState } from "preact/hooks";
import { useParts } from "../app/hooks";
import { Empty, Failure, Loading, Notices } from "../app/parts";
import { go, href, type Route } from "../app/router";
import { VirtualList } from "../app/virtual";
import type { AskRow } from "../mcp/types";
import { t } from "../strings";
import { AddEvidence } from "./evidence-actions";
import { conditions, Filters } from "./filters";

interface Answer {
  rows: AskRow[];
  found: number;
  documents: number;
  notices: string[];
  next_offset?: number | null;
}

/** Rows that are loaded at once; the list grows with scrolling. */
const PART = 200;
/** Conditions that a question can have. */
const KEYS = ["document", "type", "from", "to", "tag"] as const;

export function Ask({ route, question }: { route: Route; question: string }) {
  return (
    <div class="columns">
      <Filters route={route} keys={KEYS} />
      <Answers collection={route.collection} question={question} limits={conditions(route.params, KEYS)} />
    </div>
  );
}

function Answers({ collection, question, limits }: { collection: string; question: string; limits: string }) {
  const [selected, setSelected] = useState(0);
  const loaded = useParts<AskRow, Answer>(
    collection,
    "ask_every_document",
    question === "" ? null : { question: `${question}${limits}`, limit: PART },
    (answer) => ({ rows: answer.rows, next: answer.next_offset }),
  );
  if (question === "") {
    return (
      <Empty title={t.ask.begin}>
        <p>{t.ask.beginHint}</p>
      </Empty>
    );
  }
  if (!loaded.first) return loaded.error ? <Failure error={loaded.error} again={loaded.again} /> : <Loading what={t.ask.asking} />;
  const { rows } = loaded;
  const { found, documents, notices } = loaded.first;
  const open = (index: number) => {
    const row = rows[index];
    if (!row) return;
    const id = row.document_id ?? row.document_name;
    go(row.chunk_id ? href(collection, "chunk", { quote: row.quote ?? "", q: question }, row.chunk_id) : href(collection, "doc", { page: 1 }, id));
  };
  const chosen = rows[Math.min(selected, rows.length - 1)];
  return (
    <section class="results asked" aria-label={t.ask.title}>
      <p class="facts" role="status">
        {t.ask.found(found, documents)}
      </p>
      <Notices notices={[...(notices ?? []), ...(loaded.error ? [loaded.error.message] : [])]} />
      {rows.length === 0 && <Empty title={t.search.none} />}
      {rows.length > 0 && (
        <VirtualList
          label={t.ask.title}
          count={rows.length}
          height={112}
          selected={Math.min(selected, rows.length - 1)}
          onSelect={setSelected}
          onOpen={open}
          onEnd={loaded.more}
          row={(index) => {
            const row = rows[index]!;
            return (
              <div class="result">
                <p class="source">
                  <strong dir="auto">{row.document_name}</strong>
                  <span>{row.found ? row.citation?.replace(/^.*?, (?=pp?\.)/, "") : t.ask.nothing}</span>
                </p>
                {row.quote && (
                  <p class="quote" dir="auto">
                    {row.quote.replace(/\s+/g, " ")}
                  </p>
                )}
              </div>
            );
          }}
        />
      )}
      <div class="actions">
        <button type="button" class="primary" disabled={rows.length === 0} onClick={() => open(selected)}>
          {t.search.open}
        </button>
        {chosen?.chunk_id && <AddEvidence collection={collection} passage={{ chunk_id: chosen.chunk_id, quote: chosen.quote ?? undefined }} />}
      </div>
    </section>
  );
}
