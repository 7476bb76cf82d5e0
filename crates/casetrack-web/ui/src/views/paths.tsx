/** A field for a path on the machine that has the collections, which offers what is there as one types. */

import { useId, useState } from "preact/hooks";
import { useRights } from "../app/account";
import { useDebounced, useLoad } from "../app/hooks";
import { Field } from "../app/parts";
import { session } from "../mcp/client";
import { t } from "../strings";
import { team } from "../strings-team";

interface Paths {
  paths: { path: string; is_directory: boolean }[];
}

export function PathField({ name }: { name: string }) {
  const { isTeam } = useRights();
  const id = useId();
  const [typed, setTyped] = useState("");
  const settled = useDebounced(typed, 120);
  const found = useLoad<Paths>(
    (signal) =>
      settled === "" ? Promise.resolve({ paths: [] }) : session("").call<Paths>("list_paths", { prefix: settled }, { signal }),
    [settled],
  );
  return (
    <Field label={isTeam ? team.path : t.documents.path} hint={isTeam ? team.pathHint : t.documents.pathHint}>
      <input
        name={name}
        list={id}
        required
        autoFocus
        autoComplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <datalist id={id}>
        {(found.value?.paths ?? []).slice(0, 50).map(({ path, is_directory }) => (
          <option key={path} value={path}>
            {is_directory ? t.documents.folder : ""}
          </option>
        ))}
      </datalist>
    </Field>
  );
}
