/** The page for those who are not signed in to a server for a team. */

import type { TargetedEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { signIn } from "../app/account";
import { Field } from "../app/parts";
import { team } from "../strings-team";

export function Login({ issuer, onDone }: { issuer: string | null; onDone: () => void }) {
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const words = team.login;
  useEffect(() => {
    document.title = `${words.title} – CaseTrack`;
  }, []);
  const submit = (event: TargetedEvent<HTMLFormElement, SubmitEvent>) => {
    event.preventDefault();
    setBusy(true);
    setError("");
    signIn(String(new FormData(event.currentTarget).get("token")))
      .then(onDone, (error: Error) => setError(error.message))
      .finally(() => setBusy(false));
  };
  return (
    <main id="main" class="login">
      <p class="brand">CaseTrack</p>
      <h1>{words.title}</h1>
      <form onSubmit={submit}>
        <Field label={words.token}>
          <input name="token" type="password" required autoFocus autoComplete="current-password" spellcheck={false} />
        </Field>
        {error && (
          <p class="problem" role="alert">
            {error}
          </p>
        )}
        <button type="submit" class="primary" disabled={busy}>
          {words.action}
        </button>
      </form>
      <section>
        <h2>{words.where}</h2>
        <p>
          {words.given[0]}
          <code>{words.add}</code>
          {words.given[1]}
          <code>{words.renew}</code>
          {words.given[2]}
        </p>
        {issuer && <p>{words.provider(issuer)}</p>}
      </section>
      <p class="quiet">{words.stays}</p>
    </main>
  );
}
