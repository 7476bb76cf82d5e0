/** Who stands with whom: the neighbours of one name, laid out once, with the same in a list. */

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from "d3-force";
import { useMemo } from "preact/hooks";
import { counted } from "../app/format";
import { useTool } from "../app/hooks";
import { Failure, Loading } from "../app/parts";
import { href } from "../app/router";
import type { Entity, GraphEdge } from "../mcp/types";
import { t } from "../strings";

/** Names in the graph; more would only be a tangle. */
const NODES = 30;
/** Names that are asked for, of which people, organizations and places are shown. */
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
  /** Whether the name is written beside it always, or only when one points at it. */
  named: boolean;
}

function layout(answer: Answer, name: string): { nodes: Placed[]; edges: { from: Placed; to: Placed; weight: number }[] } {
  const nodes: Placed[] = answer.nodes.map((entity, index) => ({
    entity,
    radius: 5 + Math.min(13, Math.sqrt(entity.mentions)),
    lines: wrapped(entity.name),
    named: false,
    // From a circle, so that the same names always lie the same way.
    x: WIDE / 2 + 150 * Math.cos(index * 2.4),
    y: HIGH / 2 + 120 * Math.sin(index * 2.4),
    ...(entity.name === name ? { fx: WIDE / 2, fy: HIGH / 2 } : {}),
  }));
  const byName = new Map(nodes.map((node) => [node.entity.name, node]));
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
  write(nodes, name);
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

/** Names are written where they lie on no other name: first the one that was asked for, then those that are mentioned most. */
function write(nodes: Placed[], name: string): void {
  const taken: { left: number; right: number; top: number; bottom: number }[] = [];
  const order = [...nodes].sort((a, b) => Number(b.entity.name === name) - Number(a.entity.name === name) || b.entity.mentions - a.entity.mentions);
  for (const node of order) {
    const [x, top] = [node.x ?? 0, (node.y ?? 0) + node.radius];
    const half = (Math.max(...node.lines.map((line) => line.length)) * LETTER) / 2;
    const box = { left: x - half, right: x + half, top, bottom: top + 4 + node.lines.length * LINE };
    const free = taken.every((other) => box.left > other.right || box.right < other.left || box.top > other.bottom || box.bottom < other.top);
    const covers = nodes.some((other) => other !== node && inside(box, other));
    node.named = free && (!covers || node.entity.name === name);
    if (node.named) taken.push(box);
  }
}

const inside = (box: { left: number; right: number; top: number; bottom: number }, { x = 0, y = 0, radius }: Placed): boolean =>
  x + radius > box.left && x - radius < box.right && y + radius > box.top && y - radius < box.bottom;

/** The people, organizations and places nearest to a name, and itself. */
function who(answer: Answer, name: string): Answer {
  const nodes = answer.nodes.filter((node) => node.name === name || SHOWN.has(node.entity_type)).slice(0, NODES);
  const names = new Set(nodes.map((node) => node.name));
  const edges = answer.edges.filter((edge) => names.has(edge.source) && names.has(edge.target));
  // Edges name their ends: of two with one name, the first stands for both.
  const ends = new Set([name, ...edges.flatMap(({ source, target }) => [source, target])]);
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

export function Graph({ collection, name }: { collection: string; name: string }) {
  const loaded = useTool<Answer>(collection, "get_entity_graph", { entity_name: name, top_k: ASKED, depth: 1 });
  const answer = useMemo(() => loaded.value && who(loaded.value, name), [loaded.value, name]);
  const placed = useMemo(() => (answer ? layout(answer, name) : null), [answer, name]);
  if (loaded.error) return <Failure error={loaded.error} again={loaded.again} />;
  if (!placed || !answer) return <Loading />;
  if (placed.nodes.length < 2) return <p class="quiet">{t.entities.alone}</p>;
  const beside = answer.edges
    .filter((edge) => edge.source === name || edge.target === name)
    .sort((a, b) => b.weight - a.weight)
    .map((edge) => ({ edge, other: edge.source === name ? edge.target : edge.source }));
  const typeOf = (name: string) => answer.nodes.find((node) => node.name === name)?.entity_type;
  return (
    <section>
      <h2>{t.entities.together}</h2>
      <svg class="graph" viewBox={`0 0 ${WIDE} ${HIGH}`} role="group" aria-label={t.entities.graphOf(name)}>
        {placed.edges.map(({ from, to, weight }, index) => (
          <line key={index} x1={from.x} y1={from.y} x2={to.x} y2={to.y} stroke-width={0.6 + 2.4 * weight} />
        ))}
        {placed.nodes.map((node) => (
          <a
            key={`${node.entity.entity_type}/${node.entity.key}`}
            href={href(collection, "entities", { name: node.entity.name, type: node.entity.entity_type })}
            class={`node ${node.entity.entity_type}${node.entity.name === name ? " centre" : ""}${node.named ? "" : " unnamed"}`}
            aria-label={`${node.entity.name}, ${counted(node.entity.mentions, "mention")}`}
          >
            <title>{node.entity.name}</title>
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
      <details>
        <summary>{t.entities.asList}</summary>
        <ul class="links">
          {beside.map(({ edge, other }) => (
            <li key={other}>
              <a href={href(collection, "entities", { name: other, type: typeOf(other) })}>
                <span dir="auto">{other}</span>
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
