/** A question to every document: a row for each, with the sentence that answers it, or nothing found. */

import { useState } from "preact/hooks";
import { useTool } from "../app/hooks";
import { Empty, Failure, Loading, Notices } from "../app/parts";
import { go, href } from "../app/router";
import { VirtualList } from "../app/virtual";
import type { AskRow } from "../mcp/types";
import { t } from "../strings";

interface Answer {
  rows: AskRow[];
  found: number;
  documents: number;
  notices: string[];
}

const MOST = 200;

export function Ask({ collection, question }: { collection: string; question: string }) {
  const [selected, setSelected] = useState(0);
  const loaded = useTool<Answer>(collection, "ask_every_document", question === "" ? null : { question, limit: MOST });
  if (question === "") {
    return (
      <Empty title={t.ask.begin}>
        <p>{t.ask.beginHint}</p>
      </Empty>
    );
  }
  if (loaded.error) return <Failure error={loaded.error} again={loaded.again} />;
  if (!loaded.value) return <Loading what={t.ask.asking} />;
  const { rows, found, documents, notices } = loaded.value;
  const open = (index: number) => {
    const row = rows[index];
    if (!row) return;
    const id = row.document_id ?? row.document_name;
    go(row.chunk_id ? href(collection, "chunk", { quote: row.quote ?? "", q: question }, row.chunk_id) : href(collection, "doc", { page: 1 }, id));
  };
  return (
    <section class="results asked" aria-label={t.ask.title}>
      <p class="facts" role="status">
        {t.ask.found(found, documents)}
      </p>
      <Notices notices={notices} />
      <VirtualList
        label={t.ask.title}
        count={rows.length}
        height={112}
        selected={selected}
        onSelect={setSelected}
        onOpen={open}
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
      <div class="actions">
        <button type="button" class="primary" disabled={rows.length === 0} onClick={() => open(selected)}>
          {t.search.open}
        </button>
      </div>
    </section>
  );
}
