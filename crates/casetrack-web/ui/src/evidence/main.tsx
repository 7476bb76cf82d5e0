/** `ui://casetrack/evidence`: what a tool of CaseTrack answered, shown inside an assistant. */

import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { McpUiHostContext } from "@modelcontextprotocol/ext-apps";
import { contentOf } from "../mcp/result";
import { t } from "../strings";
import { joined, read, type Card, type Content } from "./content";
import { Host } from "./host";
import "./app.css";

/** Cards and rows that are drawn of one answer and what follows it. */
const MOST = 500;

function useHost() {
  const [context, setContext] = useState<McpUiHostContext>({});
  const [content, setContent] = useState<Content>();
  const [problem, setProblem] = useState("");
  const [ended, setEnded] = useState(false);
  const input = useRef<Record<string, unknown>>({});
  const host = useRef<Host | undefined>(undefined);
  useEffect(() => {
    const made = new Host({
      onInput: (args) => {
        input.current = args;
      },
      onResult: (result) => {
        try {
          setContent(read(contentOf(result) as Record<string, unknown>, made.context.toolInfo?.tool.name));
          setProblem("");
        } catch (error) {
          setProblem((error as Error).message);
        }
      },
      onCancelled: (reason) => setProblem(reason || t.app.cancelled),
      onContext: (context) => {
        setContext({ ...context });
        apply(context);
      },
      onEnd: () => setEnded(true),
    });
    host.current = made;
    made.connect().catch((error: Error) => setProblem(error.message));
    const observer = new ResizeObserver(() => {
      const { width, height } = document.documentElement.getBoundingClientRect();
      made.resized(Math.ceil(width), Math.ceil(height));
    });
    observer.observe(document.documentElement);
    return () => observer.disconnect();
  }, []);
  const more = async () => {
    if (!host.current || !content || content.next === null) return;
    try {
      const next = await host.current.more(content.tool, input.current, content.next);
      setContent(joined(content, read(next, content.tool)));
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return { context, content, problem, ended, more, host: host.current };
}

/** Takes the host's theme, its colours and fonts, and room for its own parts. */
function apply(context: McpUiHostContext): void {
  const root = document.documentElement;
  if (context.theme) root.style.colorScheme = context.theme;
  for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
    if (name.startsWith("--") && typeof value === "string") root.style.setProperty(name, value);
  }
  const insets = context.safeAreaInsets;
  if (insets) root.style.padding = `${insets.top}px ${insets.right}px ${insets.bottom}px ${insets.left}px`;
}

function App() {
  const { context, content, problem, ended, more, host } = useHost();
  if (ended) return null;
  const full = context.displayMode === "fullscreen";
  const canFill = context.availableDisplayModes?.includes("fullscreen") ?? false;
  const cards = content?.groups.reduce((sum, group) => sum + group.cards.length, 0) ?? 0;
  const shown = cards + (content?.table?.rows.length ?? 0);
  return (
    <article class={full ? "full" : ""}>
      <header>
        <strong dir="auto">{content?.collection || "CaseTrack"}</strong>
        {canFill && (
          <button type="button" onClick={() => void host?.display(full ? "inline" : "fullscreen").catch(() => undefined)}>
            {full ? t.app.smaller : t.app.larger}
          </button>
        )}
      </header>
      {problem && <p role="alert">{problem}</p>}
      {!content && !problem && <p role="status">{t.app.waiting}</p>}
      {content && shown === 0 && <p>{t.search.none}</p>}
      <div class={content?.groups.length === 2 && content.tool === "compare_documents" ? "sides" : ""}>
        {content?.groups.map((group, index) => (
          <section key={index} aria-label={group.title ?? t.search.results}>
            {group.title && <h2 dir="auto">{group.title}</h2>}
            {group.cards.slice(0, MOST).map((card, at) => (
              <Passage key={at} card={card} host={host} collection={content.collection} />
            ))}
          </section>
        ))}
      </div>
      {content?.table && content.table.rows.length > 0 && <Table table={content.table} />}
      {content && content.next !== null && shown < MOST && host?.capabilities.serverTools && (
        <button type="button" onClick={() => void more()}>
          {t.states.more}
        </button>
      )}
      {(shown > MOST || (shown === MOST && content?.next !== null)) && <p>{t.states.first(MOST)}</p>}
    </article>
  );
}

function Passage({ card, host, collection }: { card: Card; host: Host | undefined; collection: string }) {
  const [picture, setPicture] = useState<string>();
  const [problem, setProblem] = useState("");
  const drawable = host?.capabilities.serverResources && card.document && card.page && collection !== "";
  const draw = () => {
    const parts = [collection, "pages", card.document ?? "", `${card.page}.png`].map(encodeURIComponent).join("/");
    host
      ?.picture(`casetrack://collections/${parts}${card.chunk ? `?chunk=${encodeURIComponent(card.chunk)}` : ""}`)
      .then(
        (picture) => (picture ? setPicture(picture) : setProblem(t.reader.noPicture)),
        (error: Error) => setProblem(error.message),
      );
  };
  return (
    <div class={card.centre ? "card centre" : "card"}>
      {card.title && (
        <p class="title" dir="auto">
          {card.title}
        </p>
      )}
      {card.text && <blockquote dir="auto">{card.text}</blockquote>}
      <p class="citation" dir="auto">
        {card.citation}
      </p>
      {drawable && !picture && (
        <button type="button" onClick={draw}>
          {t.app.page}
        </button>
      )}
      {problem && <p role="alert">{problem}</p>}
      {picture && <img src={picture} alt={t.reader.pictureOf(card.page ?? 1, card.citation)} />}
    </div>
  );
}

function Table({ table }: { table: NonNullable<Content["table"]> }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t.views.sheet}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.sheet.document}</th>
            {table.columns.map((column) => (
              <th scope="col" key={column}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.slice(0, MOST).map((row, index) => (
            <tr key={index}>
              <th scope="row" dir="auto">
                {row.name}
              </th>
              {row.cells.map((cells, at) => (
                <td key={at} dir="auto">
                  {cells.map((cell, number) => (
                    <div key={number} title={cell.place}>
                      {cell.value} <small>{cell.place}</small>
                    </div>
                  ))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const root = document.getElementById("app");
if (root) render(<App />, root);
