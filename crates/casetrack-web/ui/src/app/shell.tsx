/** The frame of every view: the matter, its views, and the view itself. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../strings";
import { Messages } from "./parts";
import { href, type Route } from "./router";
import { Shortcuts } from "./shortcuts";

/** The views of a matter, in the order of the navigation. */
export const VIEWS = ["documents", "search", "sheet", "timeline", "entities", "references", "versions", "draft", "evidence"] as const;

export function Shell({ route, children }: { route: Route; children: ComponentChildren }) {
  const main = useRef<HTMLElement>(null);
  const place = `${route.collection}/${route.view}/${route.id}`;
  const title = t.views[route.view as keyof typeof t.views] ?? "";
  const first = useRef(true);
  useEffect(() => {
    document.title = [title, route.collection, "CaseTrack"].filter(Boolean).join(" – ");
    // A new view is read from its beginning; the first page keeps the browser's focus.
    if (!first.current && !main.current?.contains(document.activeElement)) main.current?.focus();
    first.current = false;
  }, [place]);
  const current = (view: string) => (route.view === view || (view === "search" && route.view === "doc") ? "page" : undefined);
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>
        {t.shell.skip}
      </a>
      <header class="top">
        <a class="brand" href={href("", "matters")}>
          CaseTrack
        </a>
        {route.collection && (
          <a class="matter" href={href(route.collection, "documents")} dir="auto">
            {route.collection}
          </a>
        )}
        <span class="space" />
        <a href={href("", "matters")} aria-current={route.view === "matters" ? "page" : undefined}>
          {t.views.matters}
        </a>
        <a href={href("", "jobs")} aria-current={route.view === "jobs" ? "page" : undefined}>
          {t.views.jobs}
        </a>
        <Shortcuts route={route} views={VIEWS} />
      </header>
      {route.collection && (
        <nav class="views" aria-label={t.shell.views}>
          <ul>
            {VIEWS.map((view) => (
              <li key={view}>
                <a href={href(route.collection, view)} aria-current={current(view)}>
                  {t.views[view]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <main id="main" ref={main} tabIndex={-1} class={`view-${route.view}`}>
        {children}
      </main>
      <Messages />
    </div>
  );
}
