/** The chosen passage: its text, its page, the reasons for its rank, and the actions on it. */

import { flowed, percent } from "../app/format";
import { useDebounced } from "../app/hooks";
import { copy, Marked } from "../app/parts";
import type { Passage, Stage } from "../mcp/types";
import { PagePicture } from "../reader/picture";
import { AddEvidence } from "./evidence-actions";
import { t } from "../strings";

export function Preview({ collection, passage, stems, to }: { collection: string; passage: Passage; stems: string[]; to: string }) {
  const { provenance, excerpt } = passage;
  const quote = (excerpt?.text ?? passage.text).trim();
  // The picture waits until one has stopped going through the list.
  const settled = useDebounced(passage.chunk_id, 250) === passage.chunk_id;
  const boxes = provenance.bounding_boxes ?? [];
  return (
    <aside class="preview" aria-label={t.search.chosen}>
      <div class="actions">
        <a class="button primary" href={to}>
          {t.search.open}
        </a>
        <AddEvidence
          collection={collection}
          passage={{
            document: provenance.document_id,
            page: provenance.page,
            char_start: excerpt?.char_start ?? provenance.char_start,
            char_end: excerpt?.char_end ?? provenance.char_end,
          }}
        />
        <button type="button" onClick={() => void copy(`“${quote.replace(/\s+/g, " ")}” (${excerpt?.citation ?? passage.citation})`)}>
          {t.actions.copyQuote}
        </button>
      </div>
      <p class="citation" dir="auto">
        {excerpt?.citation ?? passage.citation}
      </p>
      {provenance.heading_path.length > 0 && (
        <p class="heading" dir="auto">
          {provenance.heading_path.join(" › ")}
        </p>
      )}
      {(provenance.hidden_text?.length ?? 0) > 0 && <p class="warning">{t.search.hidden}</p>}
      {provenance.tracked_changes && <p class="warning">{t.search.tracked}</p>}
      {settled && boxes.length > 0 && (
        <a href={to} class="thumbnail" tabIndex={-1} aria-hidden="true">
          <PagePicture collection={collection} document={provenance.document_id} page={provenance.page} boxes={boxes} width={600} />
        </a>
      )}
      <blockquote dir="auto" class="text">
        <Marked text={flowed(passage.text)} terms={stems} />
      </blockquote>
      <Why passage={passage} />
    </aside>
  );
}

function Why({ passage }: { passage: Passage }) {
  const stages: [string, Stage | null | undefined][] = [
    [t.search.why.words, passage.bm25],
    [t.search.why.meaning, passage.dense],
    [t.search.why.related, passage.sparse],
  ];
  return (
    <section class="why">
      <h2>{t.search.why.title}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.search.why.stage}</th>
            <th scope="col">{t.search.why.rank}</th>
            <th scope="col">{t.search.why.share}</th>
          </tr>
        </thead>
        <tbody>
          {stages.map(([name, stage]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{stage ? stage.rank : "–"}</td>
              <td>
                {stage ? (
                  <>
                    <meter min={0} max={1} value={stage.share} aria-label={name} /> {percent(stage.share)}
                  </>
                ) : (
                  t.search.why.notFound
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">{t.search.why.total(passage.score.toFixed(2))}</p>
    </section>
  );
}
