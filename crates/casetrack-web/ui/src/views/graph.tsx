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
/** Steps of the layout, after which nothing moves visibly (d3-force's own default). */
const STEPS = 300;

interface Answer {
  nodes: (Entity & { depth: number })[];
  edges: GraphEdge[];
}

interface Placed extends SimulationNodeDatum {
  entity: Entity;
  radius: number;
}

function layout(answer: Answer, name: string): { nodes: Placed[]; edges: { from: Placed; to: Placed; weight: number }[] } {
  const nodes: Placed[] = answer.nodes.map((entity, index) => ({
    entity,
    radius: 5 + Math.min(13, Math.sqrt(entity.mentions)),
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
  for (const node of nodes) {
    node.x = Math.max(60, Math.min(WIDE - 60, node.x ?? 0));
    node.y = Math.max(20, Math.min(HIGH - 26, node.y ?? 0));
  }
  return { nodes, edges };
}

/** The people, organizations and places nearest to a name, and itself. */
function who(answer: Answer, name: string): Answer {
  const nodes = answer.nodes.filter((node) => node.name === name || SHOWN.has(node.entity_type)).slice(0, NODES);
  const names = new Set(nodes.map((node) => node.name));
  return { nodes, edges: answer.edges.filter((edge) => names.has(edge.source) && names.has(edge.target)) };
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
            class={`node ${node.entity.entity_type}${node.entity.name === name ? " centre" : ""}`}
            aria-label={`${node.entity.name}, ${counted(node.entity.mentions, "mention")}`}
          >
            <title>{node.entity.name}</title>
            <circle cx={node.x} cy={node.y} r={node.radius} />
            <text x={node.x} y={(node.y ?? 0) + node.radius + 13}>
              {wrapped(node.entity.name).map((line, index) => (
                <tspan key={index} x={node.x} dy={index === 0 ? 0 : 13}>
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
