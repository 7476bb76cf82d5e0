/** Putting a passage into the evidence tray, from wherever it is shown. */

import { useState } from "preact/hooks";
import { useRights } from "../app/account";
import { say, sayWhy } from "../app/parts";
import { session } from "../mcp/client";
import type { Mention } from "../mcp/types";
import { t } from "../strings";

/** Characters of a page, or words of a passage. */
export type Evidence =
  | { document: string; page: number; char_start: number; char_end: number }
  | { chunk_id: string; quote?: string | undefined };

/** The sentence around what was found. */
export const excerptOf = ({ provenance, excerpt }: Mention): Evidence => ({
  document: provenance.document_id,
  page: provenance.page,
  char_start: excerpt.char_start,
  char_end: excerpt.char_end,
});

/** Nothing for those who may not change the matter. `of`: which one it is, in a list of several; the button is short there. */
export function AddEvidence({ collection, passage, of = "" }: { collection: string; passage: Evidence; of?: string }) {
  const rights = useRights();
  const [busy, setBusy] = useState(false);
  if (!rights.edits(collection)) return null;
  const add = () => {
    setBusy(true);
    session(collection)
      .call("add_evidence", { ...passage })
      .then(() => say(t.evidence.added), sayWhy)
      .finally(() => setBusy(false));
  };
  return (
    <button
      type="button"
      class={of === "" ? "" : "small"}
      disabled={busy}
      aria-label={of === "" ? undefined : t.evidence.addOf(of)}
      onMouseDown={(event) => event.preventDefault()}
      onClick={add}
    >
      {of === "" ? t.evidence.add : t.evidence.addShort}
    </button>
  );
}
