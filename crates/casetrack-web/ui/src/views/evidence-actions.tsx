/** Putting a passage into the evidence tray, from wherever it is shown. */

import { useState } from "preact/hooks";
import { say } from "../app/parts";
import { session } from "../mcp/client";
import { t } from "../strings";

/** Characters of a page. */
export interface Evidence {
  document: string;
  page: number;
  char_start: number;
  char_end: number;
}

export function AddEvidence({ collection, passage }: { collection: string; passage: Evidence }) {
  const [busy, setBusy] = useState(false);
  const add = () => {
    setBusy(true);
    session(collection)
      .call("add_evidence", { ...passage })
      .then(
        () => say(t.evidence.added),
        (error: Error) => say(error.message),
      )
      .finally(() => setBusy(false));
  };
  return (
    <button type="button" disabled={busy} onMouseDown={(event) => event.preventDefault()} onClick={add}>
      {t.evidence.add}
    </button>
  );
}
