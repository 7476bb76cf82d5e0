/** The neighbours of one name, or the names with most links, laid out once, and the same as a list. */

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from "d3-force";
import { useMemo, useState } from "preact/hooks";
import { counted } from "../app/format";
import { useTool } from "../app/hooks";
import { Failure, Loading } from "../app/parts";
import { href } from "../app/router";
import type { Entity, GraphEdge } from "../mcp/types";
import { t } from "../strings";

/** Names in the graph; more would only be a tangle. */
const NODES = 30;
/** Names that are loaded, of which people, organizations and places are shown. */
const ASKED = 100;
const SHOWN = new Set(["person", "organization", "location"]);
const WIDE = 760;
const HIGH = 440;
/** Room that names need at the sides, and below. */
const SIDE = 66;
const BELOW = 44;
const ABOVE = 22;
/** A letter and a line of a name, in the units of the drawing. */
const LETTER = 6.4;
const LINE = 13;
/** How much the drawing can be enlarged. */
const ZOOMS = [1, 1.5, 2, 3, 4];
/** Around a name, so that it can be pointed at. */
const REACH = 19;
/** Steps of the layout, after which nothing moves visibly (d3-force's own default). */
const STEPS = 300;

interface Answer {
  nodes: (Entity & { depth: number })[];
  edges: GraphEdge[];
}

interface Placed extends SimulationNodeDatum {
  entity: Entity;
  radius: number;
  lines: string[];
  /** True if the name is always written next to it; else only when one points at it. */
  named: boolean;
}

const isOne = (entity: Entity, centre: Entity | undefined): boolean => centre !== undefined && entity.key === centre.key && entity.entity_type === centre.entity_type;

function layout(answer: Answer, centre: Entity | undefined): { nodes: Placed[]; edges: { from: Placed; to: Placed; weight: number }[] } {
  const nodes: Placed[] = answer.nodes.map((entity, index) => ({
    entity,
    radius: 5 + Math.min(13, Math.sqrt(entity.mentions)),
    lines: wrapped(entity.name),
    named: false,
    // From a circle, so that the same names always have the same places.
    x: WIDE / 2 + 150 * Math.cos(index * 2.4),
    y: HIGH / 2 + 120 * Math.sin(index * 2.4),
    ...(isOne(entity, centre) ? { fx: WIDE / 2, fy: HIGH / 2 } : {}),
  }));
  // Of those with the same name the first: edges have only names.
  const byName = new Map([...nodes].reverse().map((node) => [node.entity.name, node]));
  const edges = answer.edges.flatMap(({ source, target, weight }) => {
    const from = byName.get(source);
    const to = byName.get(target);
    return from && to ? [{ from, to, weight }] : [];
  });
  forceSimulation(nodes)
    .force("link", forceLink<Placed, { source: Placed; target: Placed; weight: number }>(edges.map(({ from, to, weight }) => ({ source: from, target: to, weight }))).distance(110).strength((link) => 0.15 + 0.5 * link.weight))
    .force("charge", forceManyBody().strength(-420))
    .force("x", forceX(WIDE / 2).strength(0.06))
    .force("y", forceY(HIGH / 2).strength(0.12))
    .force("collide", forceCollide<Placed>((node) => node.radius + 16))
    .stop()
    .tick(STEPS);
  fill(nodes);
  write(nodes, centre);
  return { nodes, edges };
}

/** Stretches the drawing until it has all the room there is. */
function fill(nodes: Placed[]): void {
  const stretch = (axis: "x" | "y", from: number, to: number) => {
    const places = nodes.map((node) => node[axis] ?? 0);
    const [least, most] = [Math.min(...places), Math.max(...places)];
    for (const node of nodes) node[axis] = most > least ? from + (((node[axis] ?? 0) - least) / (most - least)) * (to - from) : (from + to) / 2;
  };
  stretch("x", SIDE, WIDE - SIDE);
  stretch("y", ABOVE, HIGH - BELOW);
}

/** Names are written if they cover no other name: first the requested one, then those that are mentioned most. */
function write(nodes: Placed[], centre: Entity | undefined): void {
  const taken: { left: number; right: number; top: number; bottom: number }[] = [];
  const order = [...nodes].sort((a, b) => Number(isOne(b.entity, centre)) - Number(isOne(a.entity, centre)) || b.entity.mentions - a.entity.mentions);
  for (const node of order) {
    const [x, top] = [node.x ?? 0, (node.y ?? 0) + node.radius];
    const half = (Math.max(...node.lines.map((line) => line.length)) * LETTER) / 2;
    const box = { left: x - half, right: x + half, top, bottom: top + 4 + node.lines.length * LINE };
    const free = taken.every((other) => box.left > other.right || box.right < other.left || box.top > other.bottom || box.bottom < other.top);
    const covers = nodes.some((other) => other !== node && inside(box, other));
    node.named = free && (!covers || isOne(node.entity, centre));
    if (node.named) taken.push(box);
  }
}

const inside = (box: { left: number; right: number; top: number; bottom: number }, { x = 0, y = 0, radius }: Placed): boolean =>
  x + radius > box.left && x - radius < box.right && y + radius > box.top && y - radius < box.bottom;

/** The people, organizations and places nearest to a name, and itself. */
function who(answer: Answer, centre: Entity | undefined): Answer {
  const nodes = answer.nodes.filter((node) => isOne(node, centre) || SHOWN.has(node.entity_type)).slice(0, NODES);
  const names = new Set(nodes.map((node) => node.name));
  const edges = answer.edges.filter((edge) => names.has(edge.source) && names.has(edge.target));
  const ends = new Set(edges.flatMap((edge) => [edge.source, edge.target]));
  // A name that is two things, such as a person and a place, is drawn once.
  return { nodes: nodes.filter((node, index) => ends.has(node.name) && nodes.findIndex((other) => other.name === node.name) === index), edges };
}

/** A name in lines of some twenty letters. */
function wrapped(name: string): string[] {
  const lines = [""];
  for (const word of name.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && line.length + word.length > 20) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}

/** Around one name, or without one the names with most links. */
export function Graph({ collection, centre }: { collection: string; centre?: Entity }) {
  const [zoom, setZoom] = useState(0);
  const loaded = useTool<Answer>(collection, "get_entity_graph", {
    // In quotation marks it is the whole name, though others have it, too.
    ...(centre ? { entity_name: `"${centre.name}"`, entity_type: centre.entity_type } : {}),
    top_k: ASKED,
    depth: 1,
  });
  const answer = useMemo(() => loaded.value && who(loaded.value, centre), [loaded.value, centre]);
  const placed = useMemo(() => (answer ? layout(answer, centre) : null), [answer, centre]);
  if (loaded.error) return <Failure error={loaded.error} again={loaded.again} />;
  if (!placed || !answer) return <Loading />;
  if (placed.nodes.length < 2) return centre ? <p class="quiet">{t.entities.alone}</p> : null;
  const name = centre?.name;
  const beside = answer.edges
    .filter((edge) => name === undefined || edge.source === name || edge.target === name)
    .sort((a, b) => b.weight - a.weight)
    .map((edge) => ({ edge, other: edge.source === name ? edge.target : edge.source }));
  const typeOf = (name: string) => answer.nodes.find((node) => node.name === name)?.entity_type;
  const link = (name: string) => href(collection, "entities", { name, type: typeOf(name) });
  return (
    <section>
      <div class="head">
        <h2>{centre ? t.entities.together : t.entities.overview}</h2>
        <button type="button" onClick={() => setZoom(zoom - 1)} disabled={zoom === 0} aria-label={t.entities.smaller}>
          −
        </button>
        <button type="button" onClick={() => setZoom(zoom + 1)} disabled={zoom === ZOOMS.length - 1} aria-label={t.entities.larger}>
          +
        </button>
      </div>
      <div class="graphbox" tabIndex={0} role="region" aria-label={t.entities.graph}>
        <svg
          class="graph"
          style={{ width: `${100 * ZOOMS[zoom]!}%`, maxWidth: `${60 * ZOOMS[zoom]!}rem` }}
          viewBox={`0 0 ${WIDE} ${HIGH}`}
          role="group"
          aria-label={centre ? t.entities.graphOf(centre.name) : t.entities.overview}
        >
          {placed.edges.map(({ from, to, weight }, index) => (
            <line key={index} x1={from.x} y1={from.y} x2={to.x} y2={to.y} stroke-width={0.6 + 2.4 * weight} />
          ))}
          {placed.nodes.map((node) => (
            <a
              key={`${node.entity.entity_type}/${node.entity.key}`}
              href={link(node.entity.name)}
              class={`node ${node.entity.entity_type}${isOne(node.entity, centre) ? " centre" : ""}${node.named ? "" : " unnamed"}`}
              aria-label={`${node.entity.name}, ${counted(node.entity.mentions, "mention")}`}
            >
              <title>{node.entity.name}</title>
              <circle class="reach" cx={node.x} cy={node.y} r={Math.max(node.radius, REACH)} />
              <circle cx={node.x} cy={node.y} r={node.radius} />
              <text x={node.x} y={(node.y ?? 0) + node.radius + 13}>
                {node.lines.map((line, index) => (
                  <tspan key={index} x={node.x} dy={index === 0 ? 0 : LINE}>
                    {`${line} `}
                  </tspan>
                ))}
              </text>
            </a>
          ))}
        </svg>
      </div>
      <details>
        <summary>{t.entities.asList}</summary>
        <ul class="links">
          {beside.map(({ edge, other }) => (
            <li key={`${edge.source}/${edge.target}`}>
              <a href={link(other)}>
                <span dir="auto">{centre ? other : `${edge.source} – ${edge.target}`}</span>
                <small>{t.entities.passagesTogether(edge.chunks)}</small>
              </a>
              {edge.example && (
                <a class="example" href={href(collection, "chunk", { quote: edge.example.excerpt.text }, edge.example.chunk_id)}>
                  <small dir="auto">{edge.example.excerpt.citation}</small>
                </a>
              )}
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
