/** Keys that work everywhere, and the sheet that lists them. */

import { useEffect, useState } from "preact/hooks";
import { t } from "../strings";
import { Dialog } from "./parts";
import { go, href, type Route } from "./router";

const OFF = "casetrack.keys-off";
/** How long the second key of a pair is waited for, in milliseconds. */
const PAIR = 1500;

/** True if keys without Ctrl or Alt have an effect. People who dictate need to turn them off. */
export const keysOn = (): boolean => localStorage.getItem(OFF) === null;

/** True if a key belongs to a field that is being filled in. */
export function typing(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Calls `act` for keys that no field and no dialog takes. */
export function useKeys(act: (key: string, event: KeyboardEvent) => boolean, keys: readonly unknown[]): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || typing(event) || !keysOn()) return;
      if (document.querySelector("dialog[open]")) return;
      if (act(event.key, event)) event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, keys);
}

/** The letter after `g` for each view. */
export const VIEW_KEYS: Record<string, string> = {
  m: "matters",
  j: "jobs",
  d: "documents",
  s: "search",
  t: "sheet",
  l: "timeline",
  p: "entities",
  r: "references",
  v: "versions",
  e: "evidence",
  c: "draft",
};

export function Shortcuts({ route, views }: { route: Route; views: readonly string[] }) {
  const [shown, setShown] = useState(false);
  const [on, setOn] = useState(keysOn);
  useEffect(() => {
    let pair = -Infinity;
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event) || document.querySelector("dialog[open]")) return;
      if (event.key === "?") {
        event.preventDefault();
        setShown(true);
        return;
      }
      if (!keysOn()) return;
      if (event.key === "/") {
        const field = document.querySelector<HTMLInputElement>("#query");
        event.preventDefault();
        if (field) {
          field.focus();
          field.select();
        } else if (route.collection) {
          go(href(route.collection, "search"));
        }
      } else if (event.key === "g") {
        pair = event.timeStamp;
      } else if (event.timeStamp - pair < PAIR) {
        pair = -Infinity;
        const view = VIEW_KEYS[event.key];
        if (view === "matters" || view === "jobs") go(href("", view));
        else if (view && route.collection && views.includes(view)) go(href(route.collection, view));
        else return;
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    };
    addEventListener("keydown", pressed, { capture: true });
    return () => removeEventListener("keydown", pressed, { capture: true });
  }, [route.collection]);

  return (
    <>
      <button type="button" class="plain" onClick={() => setShown(true)} aria-keyshortcuts="?">
        {t.shortcuts.open}
      </button>
      {shown && (
        <Dialog title={t.shortcuts.title} onClose={() => setShown(false)} wide>
          <div class="shortcuts">
            {t.shortcuts.groups.map((group) => (
              <section key={group.title}>
                <h3>{group.title}</h3>
                <dl>
                  {group.keys.map(([keys, what]) => (
                    <div key={keys}>
                      <dt>
                        {keys.split(" ").map((key) => (
                          <kbd key={key}>{key}</kbd>
                        ))}
                      </dt>
                      <dd>{what}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
          </div>
          <label class="check">
            <input
              type="checkbox"
              checked={on}
              onChange={(event) => {
                if (event.currentTarget.checked) localStorage.removeItem(OFF);
                else localStorage.setItem(OFF, "1");
                setOn(event.currentTarget.checked);
              }}
            />
            {t.shortcuts.single}
          </label>
        </Dialog>
      )}
    </>
  );
}
