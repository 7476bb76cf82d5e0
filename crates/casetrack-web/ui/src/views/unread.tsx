/** The files and parts of files that were not read, or read with loss. */

import { useEffect } from "preact/hooks";
import { useTool } from "../app/hooks";
import { documentHref } from "../app/router";
import { t } from "../strings";

interface UnreadFile {
  name: string;
  path: string;
  container?: string | null;
  document_id?: string | null;
  reason: string;
  hint?: string | null;
}

/** Files that are listed. */
const SHOWN = 200;

/** `revision`: the list is loaded again when it changes. */
export function Unread({ collection, revision }: { collection: string; revision: number }) {
  const loaded = useTool<{ unread?: UnreadFile[]; total: number }>(collection, "list_documents", { unread: true, limit: SHOWN });
  useEffect(() => {
    if (revision > 0) loaded.again();
  }, [revision]);
  const files = loaded.value?.unread ?? [];
  const total = loaded.value?.total ?? 0;
  if (total === 0) return null;
  return (
    <details class="unread">
      <summary>{t.unread.some(total)}</summary>
      <ul>
        {files.map((file) => (
          <li key={`${file.path} ${file.reason}`}>
            <span dir="auto" title={file.path}>
              {file.document_id ? <a href={documentHref(collection, file.document_id, { page: 1 })}>{file.container ?? file.name}</a> : file.name}
            </span>
            {": "}
            {file.reason} {file.hint && <span class="quiet">{file.hint}</span>}
          </li>
        ))}
      </ul>
      {files.length < total && <p class="quiet">{t.states.first(files.length)}</p>}
    </details>
  );
}
