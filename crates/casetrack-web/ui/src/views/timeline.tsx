/** The dates in the documents: a bar for each year, month or day, and what they refer to below. */

import { useMemo, useState } from "preact/hooks";
import { count, date } from "../app/format";
import { useAll } from "../app/hooks";
import { Empty, Failure, Loading } from "../app/parts";
import { documentHref, go, setParams, type Route } from "../app/router";
import { VirtualList } from "../app/virtual";
import { session } from "../mcp/client";
import type { TimelineEvent } from "../mcp/types";
import { t } from "../strings";

/** Events that are looked at together. */
const MOST = 20_000;
const HIGH = 120;
/** Years that are shown by month from the start. */
const FEW = 4;
/** Bars that one look at the chart has at most; more are put together. */
const BARS = 400;

interface Bar {
  /** Such as 2025, 2025-03 or 2025-03-07. */
  key: string;
  count: number;
}

/** Counts by year, or by month where there are few years; within a year by month, within a month by day. */
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
  const loaded = useAll<TimelineEvent>(
    async (offset, signal) => {
      const part = await session(collection).call<{ events: TimelineEvent[]; next_offset?: number | null }>(
        "get_collection_timeline",
        { limit: 200, offset: offset || undefined, document_filter: document || undefined, include_boxes: true },
        { signal },
      );
      return { rows: part.events, next: part.next_offset };
    },
    MOST,
    [collection, document],
  );
  const everything = loaded.value?.rows ?? [];
  const roles = useMemo(() => [...new Set(everything.map((event) => event.role ?? ""))].filter(Boolean).sort(), [everything]);
  const documents = useMemo(() => [...new Set(everything.map((event) => event.source.provenance.document_name))].sort().slice(0, 500), [everything]);
  const ofRole = useMemo(() => everything.filter((event) => role === "" || (event.role ?? "") === role), [everything, role]);
  const inPeriod = useMemo(() => ofRole.filter((event) => event.date.first.startsWith(period)), [ofRole, period]);
  // A day is shown among the others of its month.
  const chart = useMemo(() => bars(ofRole, period.slice(0, 7)), [ofRole, period]);
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
  const up = period.length > 7 ? period.slice(0, 7) : period.length > 4 ? period.slice(0, 4) : "";
  return (
    <div class="page fill">
      <div class="head">
        <h1>{t.views.timeline}</h1>
      </div>
      {everything.length === 0 && document === "" ? (
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
            {t.timeline.counted(inPeriod.length)} {loaded.value.cut ? t.states.first(MOST) : ""}
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
  const wide = 1000 / Math.max(1, chart.length);
  const each = Math.ceil(chart.length / 12);
  return (
    <svg class="chart" viewBox={`0 0 1000 ${HIGH + 24}`} role="group" aria-label={t.timeline.chart(period === "" ? t.timeline.allYears : title(period))}>
      <line x1={0} x2={1000} y1={HIGH} y2={HIGH} />
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
                // SVG knows attributes only as they are written.
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
              <text x={index * wide + wide / 2} y={HIGH + 18}>
                {bar.key.length === 4 ? bar.key : bar.key.length === 7 ? title(bar.key).slice(0, 3) + (period === "" ? ` ${bar.key.slice(2, 4)}` : "") : count(Number(bar.key.slice(8)))}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
