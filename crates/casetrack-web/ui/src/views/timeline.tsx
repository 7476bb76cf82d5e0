/** The dates in the documents: a bar for each year, month or day, and what they refer to below. */

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { count, date } from "../app/format";
import { useTool } from "../app/hooks";
import { Empty, Failure, Loading } from "../app/parts";
import { documentHref, go, setParams, type Route } from "../app/router";
import { VirtualList } from "../app/virtual";
import type { TimelineEvent } from "../mcp/types";
import { t } from "../strings";
import { AddEvidence, excerptOf } from "./evidence-actions";

/** Dates of one answer; the engine picks those that matter most. */
const MOST = 200;
const HIGH = 120;
/** Least width of a bar, so that it can be pointed at, and of what is written below it, in pixels. */
const BAR = 26;
const LABEL = 62;
/** Years that are shown by month from the start. */
const FEW = 4;
/** Bars that one look at the chart has at most; more are put together. */
const BARS = 400;

interface Answer {
  events: TimelineEvent[];
  /** Dates of the period, also those that are not listed. */
  total: number;
}

interface Bar {
  /** Such as 2025, 2025-03 or 2025-03-07. */
  key: string;
  count: number;
}

/** Counts by year, or by month if there are few years; within a year by month, within a month by day. */
function bars(events: TimelineEvent[], period: string): Bar[] {
  const seen = [...new Set(events.map((event) => event.date.first.slice(0, 4)))].sort();
  const few = period === "" && seen.length > 0 && Number(seen.at(-1)) - Number(seen[0]) < FEW;
  if (few) {
    const years = Array.from({ length: Number(seen.at(-1)) - Number(seen[0]) + 1 }, (_, year) => String(Number(seen[0]) + year).padStart(4, "0"));
    return years.flatMap((year) => bars(events, year));
  }
  const length = period === "" ? 4 : period.length === 4 ? 7 : 10;
  const counts = new Map<string, number>();
  for (const event of events) {
    if (!event.date.first.startsWith(period)) continue;
    const key = event.date.first.slice(0, length);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  let keys: string[];
  if (length === 7) keys = Array.from({ length: 12 }, (_, month) => `${period}-${String(month + 1).padStart(2, "0")}`);
  else if (length === 10) {
    const days = new Date(Date.UTC(Number(period.slice(0, 4)), Number(period.slice(5, 7)), 0)).getUTCDate();
    keys = Array.from({ length: days }, (_, day) => `${period}-${String(day + 1).padStart(2, "0")}`);
  } else {
    const years = [...counts.keys()].map(Number).sort((a, b) => a - b);
    const first = years[0] ?? 0;
    const last = years.at(-1) ?? -1;
    keys = last - first < BARS ? Array.from({ length: last - first + 1 }, (_, year) => String(first + year).padStart(4, "0")) : years.slice(-BARS).map(String);
  }
  return keys.map((key) => ({ key, count: counts.get(key) ?? 0 }));
}

export function Timeline({ route }: { route: Route }) {
  const { collection, params } = route;
  const period = params.get("period") ?? "";
  const role = params.get("role") ?? "";
  const document = params.get("document") ?? "";
  const [selected, setSelected] = useState(0);
  // Of a period, the dates that matter most; a day is shown among the others of its month.
  const within = period.slice(0, 7);
  const loaded = useTool<Answer>(collection, "get_collection_timeline", {
    limit: MOST,
    document_filter: document || undefined,
    role: role || undefined,
    start_date: within || undefined,
    end_date: within || undefined,
    include_boxes: true,
  });
  const everything = loaded.value?.events ?? [];
  const known = useRef({ roles: new Set<string>(), documents: new Set<string>() }).current;
  for (const event of everything) {
    if (event.role) known.roles.add(event.role);
    known.documents.add(event.source.provenance.document_name);
  }
  const roles = [...known.roles].sort();
  const documents = [...known.documents].sort().slice(0, 500);
  const inPeriod = useMemo(() => everything.filter((event) => event.date.first.startsWith(period)), [everything, period]);
  const chart = useMemo(() => bars(everything, within), [everything, within]);
  if (!loaded.value) return loaded.error ? <Failure error={loaded.error} again={loaded.again} /> : <Loading />;
  const open = (index: number) => {
    const event = inPeriod[index];
    if (!event) return;
    const { source } = event;
    go(
      documentHref(collection, source.provenance.document_id, {
        page: source.provenance.page,
        chunk: source.chunk_id,
        from: source.char_start,
        to: source.char_end,
      }),
    );
  };
  const zoom = (period: string) => {
    setSelected(0);
    setParams(route, { period });
  };
  const chosen = inPeriod[Math.min(selected, inPeriod.length - 1)];
  const up = period.length > 7 ? period.slice(0, 7) : period.length > 4 ? period.slice(0, 4) : "";
  return (
    <div class="page fill">
      <div class="head">
        <h1>{t.views.timeline}</h1>
      </div>
      {everything.length === 0 && document === "" && role === "" && period === "" ? (
        <Empty title={t.timeline.none}>
          <p>{t.timeline.noneHint}</p>
        </Empty>
      ) : (
        <>
          <div class="tools">
            <button type="button" disabled={period === ""} onClick={() => zoom(up)}>
              {t.timeline.up}
            </button>
            <strong>{period === "" ? t.timeline.allYears : title(period)}</strong>
            <label>
              {t.timeline.role}{" "}
              <select value={role} onChange={(event) => setParams(route, { role: event.currentTarget.value })}>
                <option value="">{t.timeline.any}</option>
                {roles.map((role) => (
                  <option key={role}>{role}</option>
                ))}
              </select>
            </label>
            <label>
              {t.timeline.document}{" "}
              <select value={document} onChange={(event) => setParams(route, { document: event.currentTarget.value })}>
                <option value="">{t.timeline.any}</option>
                {document !== "" && !documents.includes(document) && <option>{document}</option>}
                {documents.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          </div>
          <Chart chart={chart} period={period} onZoom={zoom} />
          <p class="facts" role="status">
            {t.timeline.counted(inPeriod.length)} {loaded.value.total > everything.length && t.timeline.most(everything.length, loaded.value.total)}
          </p>
          {inPeriod.length > 0 && (
            <VirtualList
              label={t.timeline.list}
              count={inPeriod.length}
              height={84}
              selected={Math.min(selected, inPeriod.length - 1)}
              onSelect={(index) => setSelected(index)}
              onOpen={open}
              row={(index) => {
                const event = inPeriod[index]!;
                return (
                  <div class="event">
                    <p class="when">
                      {event.date.first === event.date.last ? date(event.date.first) : `${date(event.date.first)} – ${date(event.date.last)}`}
                    </p>
                    <div>
                      <p class="source">
                        <strong dir="auto">{event.description}</strong>
                      </p>
                      <p class="quote" dir="auto">
                        {event.source.excerpt.text.replace(/\s+/g, " ")}
                      </p>
                    </div>
                  </div>
                );
              }}
            />
          )}
          {inPeriod.length > 0 && (
            <div class="actions">
              <button type="button" class="primary" onClick={() => open(selected)}>
                {t.search.open}
              </button>
              {chosen && <AddEvidence collection={collection} passage={excerptOf(chosen.source)} />}
            </div>
          )}
        </>
      )}
    </div>
  );
}

function title(period: string): string {
  if (period.length === 4) return period;
  if (period.length === 7) {
    return new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" }).format(new Date(`${period}-01T00:00:00Z`));
  }
  return date(period);
}

function Chart({ chart, period, onZoom }: { chart: Bar[]; period: string; onZoom: (period: string) => void }) {
  const most = Math.max(1, ...chart.map((bar) => bar.count));
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(1000);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setRoom(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const across = Math.max(room, chart.length * BAR);
  const wide = across / Math.max(1, chart.length);
  const each = Math.ceil(LABEL / wide);
  return (
    <div class="chartbox" ref={box} tabIndex={across > room ? 0 : undefined} role="region" aria-label={t.timeline.region}>
      <svg class="chart" width={across} height={HIGH + 24} role="group" aria-label={t.timeline.chart(period === "" ? t.timeline.allYears : title(period))}>
        <line x1={0} x2={across} y1={HIGH} y2={HIGH} />
        {chart.map((bar, index) => {
          const high = bar.count === 0 ? 0 : Math.max(3, (bar.count / most) * (HIGH - 12));
          const name = t.timeline.bar(title(bar.key), bar.count);
          const act = () => onZoom(bar.key);
          return (
            <g key={bar.key}>
              {bar.count > 0 && (
                <g
                  class={bar.key === period ? "bar chosen" : "bar"}
                  role="button"
                  // SVG attributes are case-sensitive.
                  tabindex={0}
                  aria-label={name}
                  onClick={act}
                  onKeyDown={(event) => {
                    if (event.key !== "Enter" && event.key !== " ") return;
                    event.preventDefault();
                    act();
                  }}
                >
                  <title>{name}</title>
                  <rect class="reach" x={index * wide} y={0} width={wide} height={HIGH} />
                  <rect x={index * wide + Math.min(4, wide * 0.15)} y={HIGH - high} width={wide - 2 * Math.min(4, wide * 0.15)} height={high} rx={2} />
                </g>
              )}
              {index % each === 0 && (
                <text x={index === 0 ? 0 : index * wide + wide / 2} y={HIGH + 18}>
                  {bar.key.length === 4 ? bar.key : bar.key.length === 7 ? title(bar.key).slice(0, 3) + (period === "" ? ` ${bar.key.slice(2, 4)}` : "") : count(Number(bar.key.slice(8)))}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}
