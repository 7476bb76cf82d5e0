/** Parts of every view: states, dialogs, messages, marked text. */

import { Component, type ComponentChildren, type TargetedEvent } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ToolError } from "../mcp/client";
import { t } from "../strings";
import { marked, type Piece } from "./format";

export function Loading({ what = t.states.loading }: { what?: string }) {
  return (
    <div class="state" role="status">
      <div class="spinner" aria-hidden="true" />
      <p>{what}</p>
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Failure({ error, again }: { error: Error; again?: (() => void) | undefined }) {
  const hint = error instanceof ToolError ? error.hint : "";
  return (
    <div class="state failure" role="alert">
      <h2>{t.states.failed}</h2>
      <p>{error.message}</p>
      {hint && <p class="quiet">{hint}</p>}
      {again && (
        <button type="button" onClick={again}>
          {t.states.again}
        </button>
      )}
    </div>
  );
}

/** The note that a long list comes in parts. The views load the others themselves. */
const CUT = /^Only \d[\d,]* of \d[\d,]* items are in this structured content/;

/** The reasons why an answer is less complete than it could be. */
export function Notices({ notices }: { notices?: string[] | undefined }) {
  const told = notices?.filter((notice) => !CUT.test(notice)) ?? [];
  if (told.length === 0) return null;
  return (
    <ul class="notices">
      {told.map((notice) => (
        <li key={notice}>{notice}</li>
      ))}
    </ul>
  );
}

export function Pieces({ pieces }: { pieces: Piece[] }) {
  return <>{pieces.map((piece, index) => (piece.hit ? <mark key={index}>{piece.text}</mark> : piece.text))}</>;
}

export function Marked({ text, terms }: { text: string; terms: string[] }) {
  return <Pieces pieces={marked(text, terms)} />;
}

/** A modal dialog; Escape and a click outside close it, and the focus returns to its former place. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren; wide?: boolean }) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={props.wide ? "wide" : ""}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) props.onClose();
      }}
    >
      <div class="dialog">
        <div class="title">
          <h2 id={id}>{props.title}</h2>
          <button type="button" class="plain" onClick={props.onClose} aria-label={t.actions.close}>
            ✕
          </button>
        </div>
        {props.children}
      </div>
    </dialog>
  );
}

/** A form in a dialog that does something, and shows the reason if it fails. */
export function FormDialog(props: {
  title: string;
  action: string;
  danger?: boolean;
  onClose: () => void;
  onSubmit: (values: FormData) => Promise<void>;
  children: ComponentChildren;
}) {
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const submit = (event: TargetedEvent<HTMLFormElement, SubmitEvent>) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    props
      .onSubmit(new FormData(event.currentTarget))
      .then(props.onClose, (error: unknown) => setError(error as Error))
      .finally(() => setBusy(false));
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form onSubmit={submit}>
        {props.children}
        {error && (
          <p class="problem" role="alert">
            {error.message} {error instanceof ToolError ? error.hint : ""}
          </p>
        )}
        <footer>
          <button type="button" onClick={props.onClose}>
            {t.actions.cancel}
          </button>
          <button type="submit" class={props.danger ? "danger" : "primary"} disabled={busy}>
            {props.action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

export function Field({ label, hint, children }: { label: string; hint?: string; children: ComponentChildren }) {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
      {hint && <small>{hint}</small>}
    </label>
  );
}

/** A button below a list of which not all is shown. */
export function More({ shown, total, onMore }: { shown: number; total?: number | undefined; onMore: () => void }) {
  return (
    <p class="state more">
      <button type="button" onClick={onMore}>
        {total === undefined ? t.states.more : t.states.moreOf(shown, total)}
      </button>
    </p>
  );
}

type Say = (message: string) => void;
let sayNow: Say = () => undefined;

/** Shows a short message at the foot of the page, which screen readers read as well. */
export const say: Say = (message) => sayNow(message);

export function Messages() {
  const [message, setMessage] = useState("");
  useEffect(() => {
    let timer = 0;
    sayNow = (message) => {
      setMessage(message);
      clearTimeout(timer);
      timer = window.setTimeout(() => setMessage(""), 6000);
    };
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class={message ? "message" : "message off"} role="status" aria-live="polite">
      {message}
    </div>
  );
}

/** Shows why something failed, and what to do. */
export const sayWhy = (error: Error): void => say([error.message, error instanceof ToolError ? error.hint : ""].filter(Boolean).join(" "));

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(t.actions.copied);
  } catch {
    say(t.actions.notCopied);
  }
}

/** A row of choices of which one holds. */
export function Choices<T extends string>(props: {
  label: string;
  options: readonly (readonly [T, string])[];
  value: T;
  onChange: (value: T) => void;
}) {
  return (
    <div class="choices" role="group" aria-label={props.label}>
      {props.options.map(([value, text]) => (
        <button type="button" key={value} aria-pressed={value === props.value} onClick={() => props.onChange(value)}>
          {text}
        </button>
      ))}
    </div>
  );
}

/** Shows a failure of a view in its place; the rest of the page stays. `of` names the content; another one starts again. */
export class Guard extends Component<{ of: string; children: ComponentChildren }, { error: Error | null; of: string }> {
  override state = { error: null as Error | null, of: this.props.of };

  static getDerivedStateFromProps(props: { of: string }, state: { error: Error | null; of: string }) {
    return props.of === state.of ? null : { error: null, of: props.of };
  }

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    return this.state.error ? <Failure error={this.state.error} again={() => this.setState({ error: null })} /> : this.props.children;
  }
}
