/** The frame of every view: the matter, its views, and the view itself. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../strings";
import { team } from "../strings-team";
import { refresh, signOut, useRights } from "./account";
import { useChanges } from "./hooks";
import { Messages, sayWhy } from "./parts";
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
  const rights = useRights();
  // The next request shows the failure.
  const look = () => void (rights.isTeam && refresh().catch(() => undefined));
  useEffect(look, [route.collection, route.view]);
  useChanges(look);
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
        {rights.user && (
          <span class="account" role="group" aria-label={team.account}>
            <span class="clip" dir="auto" title={rights.user}>
              {rights.user}
            </span>
            <button type="button" class="small" onClick={() => void signOut().catch(sayWhy)}>
              {team.signOut}
            </button>
          </span>
        )}
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
        {rights.isOver && (
          <p class="ended" role="alert">
            {team.ended}{" "}
            <button type="button" onClick={() => location.reload()}>
              {team.again}
            </button>
          </p>
        )}
        {children}
      </main>
      <Messages />
    </div>
  );
}
