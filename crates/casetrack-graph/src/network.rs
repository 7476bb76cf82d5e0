//! The entities that are mentioned together, and the weight of each pair.
//!
//! An edge's weight is the normalised pointwise mutual information of two entities over chunks (Bouma, "Normalized
//! (pointwise) mutual information in collocation extraction", 2009): 1 if neither is mentioned without the other, 0 if
//! they meet as often as by chance. It is discounted for small counts (Pantel and Lin, "Discovering word senses from
//! text", KDD 2002), so that two names that met once do not outrank partners. Every collection is taken to have a tenth
//! more chunks than it has, and at least [`MIN_OUTSIDE`] more, in which nothing is mentioned: the two parties of a
//! contract, who are in nearly every chunk, would otherwise have nothing to do with each other, and a collection of one
//! chunk no edge at all.

use std::cmp::Reverse;

use casetrack_core::EntityType;
use schemars::JsonSchema;
use serde::Serialize;

use super::node::Span;
use super::{EntityId, EntityView, Graph, Place};

/// See the head of this file.
const MIN_OUTSIDE: f64 = 10.0;
/// Chunks that an edge rests on at least; in collections of fewer than [`SMALL`] chunks one will do.
const MIN_TOGETHER: u32 = 2;
const SMALL: u64 = 100;
/// Edges below this weight are chance.
const MIN_WEIGHT: f64 = 0.05;
/// The most widely mentioned entities, among which those with most links are sought.
const CENTRES: usize = 300;

pub const MAX_DEPTH: u32 = 4;

#[derive(Debug, Clone)]
pub struct EntityGraphRequest {
    /// The entity in the middle; without one, the entities with most links are shown.
    pub center: Option<EntityId>,
    /// Steps from the center, 1–[`MAX_DEPTH`]; larger values count as the maximum.
    pub depth: u32,
    /// Most entities of the answer, the center among them.
    pub top_k: usize,
    /// The center may be of any type.
    pub types: Vec<EntityType>,
}

impl Default for EntityGraphRequest {
    /// Dates and amounts are left out: they are next to everything else.
    fn default() -> Self {
        use EntityType::{Concept, Location, Organization, Person};
        Self { center: None, depth: 2, top_k: 20, types: vec![Person, Organization, Location, Concept] }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EntityGraph {
    /// The center first, then by depth and closeness to it; without a center, those with most links first.
    pub nodes: Vec<GraphNode>,
    /// All edges between these nodes, heaviest first.
    pub edges: Vec<GraphEdge>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GraphNode {
    #[serde(flatten)]
    pub entity: EntityView,
    /// Steps from the center; 0 for all if there is none.
    pub depth: u32,
    /// The place of its first mention, in the order of paths.
    pub example: Option<Place>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GraphEdge {
    /// Places in `nodes`; `source` is the smaller.
    pub source: usize,
    pub target: usize,
    /// Chunks that mention both.
    pub chunks: u32,
    /// 0–1, more than chance.
    pub weight: f64,
    /// The first mention of `source` in the chunk that mentions both most.
    pub example: Place,
}

/// Together-counts of some entities, by `row * n + column`.
struct Matrix {
    n: usize,
    counts: Vec<u32>,
    /// The chunk that mentions both most: the lesser of both counts, and the place of the one with the smaller index.
    best: Vec<Option<(u16, Place)>>,
}

impl Graph {
    /// The entities around one, or those with most links. Cost: in proportion to the chunks of the documents that
    /// mention the entities which are walked through, at most `top_k` of them.
    pub fn entity_graph(&self, request: &EntityGraphRequest) -> EntityGraph {
        let chosen = request.center.map_or_else(|| self.most_linked(request), |center| self.around(center.0, request));
        let ids: Vec<u32> = chosen.iter().map(|(id, _)| *id).collect();
        let matrix = self.matrix(&ids, true);
        let mut edges = Vec::new();
        for source in 0..matrix.n {
            for target in source + 1..matrix.n {
                let at = source * matrix.n + target;
                let Some(weight) = self.weight(ids[source], ids[target], matrix.counts[at]) else { continue };
                let Some((_, example)) = matrix.best[at] else { continue };
                edges.push(GraphEdge { source, target, chunks: matrix.counts[at], weight, example });
            }
        }
        edges.sort_by(|a, b| b.weight.total_cmp(&a.weight).then((a.source, a.target).cmp(&(b.source, b.target))));
        let nodes = chosen.into_iter().filter_map(|(id, depth)| {
            Some(GraphNode { entity: self.entity(EntityId(id))?, depth, example: self.example(id) })
        });
        EntityGraph { nodes: nodes.collect(), edges }
    }

    /// The center and, with their depth, the entities that lead away from it along the heaviest edges. Each level but the last may
    /// take half of the remaining room, so that the next level has room; the unused room is filled from all levels.
    fn around(&self, center: u32, request: &EntityGraphRequest) -> Vec<(u32, u32)> {
        if self.entities.get(center).is_none() || request.top_k == 0 {
            return Vec::new();
        }
        let mut counts = vec![0; self.entities.bound()];
        let mut taken: Vec<(u32, u32, f64)> = vec![(center, 0, 1.0)];
        let mut left_over: Vec<(u32, u32, f64)> = Vec::new();
        let mut level = 0..1;
        let deepest = request.depth.clamp(1, MAX_DEPTH);
        for depth in 1..=deepest {
            let mut found: Vec<(u32, u32, f64)> = Vec::new();
            for &(id, _, closeness) in &taken[level.clone()] {
                for (other, together) in self.neighbours(id, &mut counts) {
                    let wanted = self.entities.get(other).is_some_and(|item| request.types.contains(&item.kind));
                    if let Some(weight) = self.weight(id, other, together).filter(|_| wanted) {
                        found.push((other, depth, closeness * weight));
                    }
                }
            }
            self.closest_first(&mut found);
            let mut known = vec![false; self.entities.bound()];
            taken.iter().for_each(|(id, ..)| known[*id as usize] = true);
            found.retain(|(id, ..)| !std::mem::replace(&mut known[*id as usize], true));
            let room = request.top_k - taken.len();
            let room = if depth < deepest { room.div_ceil(2) } else { room };
            let rest = found.split_off(room.min(found.len()));
            level = taken.len()..taken.len() + found.len();
            taken.extend(found);
            left_over.extend(rest);
        }
        self.closest_first(&mut left_over);
        for (id, depth, closeness) in left_over {
            if taken.len() < request.top_k && taken.iter().all(|(known, ..)| *known != id) {
                taken.push((id, depth, closeness));
            }
        }
        // Stable: by closeness within a depth.
        taken.sort_by_key(|(_, depth, _)| *depth);
        taken.into_iter().map(|(id, depth, _)| (id, depth)).collect()
    }

    fn closest_first(&self, found: &mut [(u32, u32, f64)]) {
        let identity = |id: u32| self.entities.get(id).map(|item| (Reverse(item.count), item.kind, &*item.key));
        found.sort_unstable_by(|a, b| {
            b.2.total_cmp(&a.2).then_with(|| a.1.cmp(&b.1)).then_with(|| identity(a.0).cmp(&identity(b.0)))
        });
    }

    fn most_linked(&self, request: &EntityGraphRequest) -> Vec<(u32, u32)> {
        let mut widest: Vec<_> = self.entities.iter().filter(|(_, item)| request.types.contains(&item.kind)).collect();
        widest.sort_unstable_by_key(|(_, item)| (Reverse(item.chunks), item.kind, &*item.key));
        let ids: Vec<u32> = widest.iter().take(CENTRES).map(|(id, _)| *id).collect();
        let matrix = self.matrix(&ids, false);
        let count = |a: usize, b: usize| matrix.counts[a.min(b) * matrix.n + a.max(b)];
        let links =
            |a: usize| (0..matrix.n).filter(|&b| a != b && self.weight(ids[a], ids[b], count(a, b)).is_some()).count();
        // `ids` go from wide to narrow, which decides between those with as many links.
        let mut ranked: Vec<(Reverse<usize>, usize)> = (0..matrix.n).map(|at| (Reverse(links(at)), at)).collect();
        ranked.sort_unstable();
        ranked.into_iter().take(request.top_k).map(|(_, at)| (ids[at], 0)).collect()
    }

    /// The entity of a type with the heaviest edge to this one: its name, the chunks that mention both, and the weight.
    pub(super) fn closest(&self, id: u32, entity_type: EntityType) -> Option<(String, u32, f64)> {
        let neighbours = self.neighbours(id, &mut vec![0; self.entities.bound()]);
        let weighed = neighbours.into_iter().filter_map(|(other, together)| {
            let item = self.entities.get(other).filter(|item| item.kind == entity_type)?;
            Some((self.weight(id, other, together)?, together, item))
        });
        let (weight, together, item) =
            weighed.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then_with(|| b.2.key.cmp(&a.2.key)))?;
        Some((item.name().to_owned(), together, weight))
    }

    /// The entities that chunks mention together with this one, and in how many. `counts` is zero for all, before and after.
    fn neighbours(&self, id: u32, counts: &mut [u32]) -> Vec<(u32, u32)> {
        let Some(item) = self.entities.get(id) else { return Vec::new() };
        let mut met = Vec::new();
        for (slot, &local) in item.documents.iter() {
            let Some(document) = self.at(slot) else { continue };
            for (chunk, _) in document.postings.of(local) {
                for posting in document.postings.chunk(chunk as usize) {
                    let other = document.entities[posting.entity as usize].0;
                    let count = &mut counts[other as usize];
                    if *count == 0 {
                        met.push(other);
                    }
                    *count += 1;
                }
            }
        }
        let row = met.into_iter().map(|other| (other, std::mem::take(&mut counts[other as usize])));
        row.filter(|(other, _)| *other != id).collect()
    }

    fn matrix(&self, ids: &[u32], with_examples: bool) -> Matrix {
        let n = ids.len();
        let best = if with_examples { vec![None; n * n] } else { Vec::new() };
        let mut matrix = Matrix { n, counts: vec![0; n * n], best };
        let mut rows = vec![usize::MAX; self.entities.bound()];
        ids.iter().enumerate().for_each(|(row, id)| rows[*id as usize] = row);
        for (_, document) in self.walk() {
            let locals: Vec<usize> = document.entities.iter().map(|(id, _)| rows[*id as usize]).collect();
            for (chunk, postings) in document.postings.iter() {
                let mut here: Vec<_> = postings
                    .iter()
                    .map(|posting| (locals[posting.entity as usize], posting))
                    .filter(|(row, _)| *row != usize::MAX)
                    .collect();
                here.sort_unstable_by_key(|(row, _)| *row);
                for (i, (source, posting)) in here.iter().enumerate() {
                    let place = document.place(Span { chunk, start: posting.start, length: posting.length });
                    for (target, other) in &here[i + 1..] {
                        let at = source * n + target;
                        matrix.counts[at] += 1;
                        let both = posting.count.min(other.count);
                        if with_examples && matrix.best[at].is_none_or(|(best, _)| best < both) {
                            matrix.best[at] = Some((both, place));
                        }
                    }
                }
            }
        }
        matrix
    }

    /// The weight of the edge between entities that `together` chunks mention both; `None` if that is chance.
    fn weight(&self, a: u32, b: u32, together: u32) -> Option<f64> {
        let least = if self.chunks < SMALL { 1 } else { MIN_TOGETHER };
        let (a, b) = (self.entities.get(a)?.chunks, self.entities.get(b)?.chunks);
        let weight = npmi(f64::from(together), a as f64, b as f64, self.chunks as f64);
        (together >= least && weight >= MIN_WEIGHT).then_some(weight)
    }

    fn example(&self, id: u32) -> Option<Place> {
        let documents = self.entities.get(id)?.documents.iter();
        let found = documents.filter_map(|(slot, local)| Some((self.at(slot)?, *local)));
        let (first, local) = found.min_by(|(a, _), (b, _)| a.order().cmp(&b.order()))?;
        first.first_mention(local)
    }
}

/// Normalised PMI of two entities in `a` and `b` of `chunks` chunks, `together` of them the same, discounted for small counts.
fn npmi(together: f64, a: f64, b: f64, chunks: f64) -> f64 {
    if together == 0.0 {
        return 0.0;
    }
    let all = chunks + (chunks / 10.0).max(MIN_OUTSIDE);
    let information = (together * all / (a * b)).ln() / (all / together).ln();
    let least = a.min(b);
    information * together / (together + 1.0) * least / (least + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weight_is_what_is_more_than_chance() {
        // Always together, often: nearly 1. As chance has it: nearly 0. Twice and never apart: less than partners of many chunks.
        assert!(npmi(100.0, 100.0, 100.0, 10_000.0) > 0.97);
        assert!(npmi(10.0, 1000.0, 100.0, 10_000.0) < MIN_WEIGHT);
        assert!(npmi(2.0, 2.0, 2.0, 10_000.0) < npmi(60.0, 200.0, 100.0, 12_000.0));
        // Parties that are in nearly every chunk are linked.
        assert!(npmi(81.0, 90.0, 90.0, 100.0) > 0.25);
        assert!(npmi(1.0, 1.0, 1.0, 1.0) > 0.2);
    }
}
