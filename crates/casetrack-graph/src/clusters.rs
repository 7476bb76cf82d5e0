use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use casetrack_core::{DocumentType, EntityType, ReferenceKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::items::{Items, Part};
use super::{Document, DocumentRef, Graph, kmeans};

pub const MAX_CLUSTERS: usize = 20;
/// Terms that a label is made of, and terms of a cluster.
const LABEL_TERMS: usize = 3;
const TERMS: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClusterStrategy {
    /// By content: their mean E1 vectors.
    #[default]
    Topical,
    /// By a person or an organization that they share.
    Entity,
    /// By something that they all cite.
    Reference,
    DocumentType,
}

#[derive(Debug, Clone, Copy)]
pub struct ClusterRequest {
    pub strategy: ClusterStrategy,
    /// 1–[`MAX_CLUSTERS`]; larger values count as the maximum.
    pub max_clusters: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Clusters {
    pub strategy: ClusterStrategy,
    /// Most documents first.
    pub clusters: Vec<Cluster>,
    /// Documents in no cluster, by path: those without vectors, or that share nothing.
    pub unclustered: Vec<DocumentRef>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Cluster {
    /// The common part of the documents: the entity, the reference, the type, or the terms that distinguish them from
    /// the others.
    pub label: String,
    /// Terms that distinguish them from the others, best first.
    pub terms: Vec<String>,
    /// Mean cosine to the centre of the cluster, −1 to 1, without what all documents of the collection share; of topical ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cohesion: Option<f32>,
    /// By path.
    pub documents: Vec<DocumentRef>,
}

/// Slots by path, with the label of the group, if that is known.
struct Group {
    label: Option<String>,
    cohesion: Option<f32>,
    slots: Vec<u32>,
}

impl Graph {
    /// Divides the documents into at most `max_clusters` groups. Cost of the topical strategy: some 100 ms for 1,000
    /// documents and 10 clusters; of the others, in proportion to the shared items.
    pub fn clusters(&self, request: &ClusterRequest) -> Clusters {
        let most = request.max_clusters.clamp(1, MAX_CLUSTERS);
        let mut groups = match request.strategy {
            ClusterStrategy::Topical => self.by_topic(most),
            ClusterStrategy::Entity => self.by_shared(
                most,
                &self.entities,
                |document| &document.entities,
                |kind| matches!(kind, EntityType::Organization | EntityType::Person),
            ),
            ClusterStrategy::Reference => self.by_shared(
                most,
                &self.references,
                |document| &document.references,
                |kind| kind != ReferenceKind::Internal,
            ),
            ClusterStrategy::DocumentType => self.by_type(most),
        };
        // Stable: by the path of the first document if the sizes are the same.
        groups.sort_by_key(|group| Reverse(group.slots.len()));
        let slots: Vec<Vec<u32>> = groups.iter().map(|group| group.slots.clone()).collect();
        let grouped: BTreeSet<u32> = slots.iter().flatten().copied().collect();
        let terms = self.terms(&slots, TERMS);
        let clusters = groups.into_iter().zip(terms).map(|(group, terms)| Cluster {
            label: group.label.unwrap_or_else(|| label(&terms)),
            terms,
            cohesion: group.cohesion,
            documents: group.slots.iter().filter_map(|slot| self.at(*slot)).map(Document::named).collect(),
        });
        let rest = self.walk().filter(|(slot, _)| !grouped.contains(slot));
        Clusters {
            strategy: request.strategy,
            clusters: clusters.collect(),
            unclustered: rest.map(|(_, document)| document.named()).collect(),
        }
    }

    fn by_topic(&self, most: usize) -> Vec<Group> {
        let with_vector = self.walk().filter_map(|(slot, document)| Some((slot, document.centroid.as_deref()?)));
        let (mut slots, mut vectors): (Vec<u32>, Vec<&[f32]>) = with_vector.unzip();
        // A collection has vectors of one model; should it not, those unlike the first are left out.
        let dimension = vectors.first().map_or(0, |vector| vector.len());
        let fits: Vec<bool> = vectors.iter().map(|vector| vector.len() == dimension).collect();
        let mut fit = fits.iter();
        slots.retain(|_| fit.next() == Some(&true));
        vectors.retain(|vector| vector.len() == dimension);
        let found = kmeans::cluster(&vectors, most);
        let mut groups: Vec<Group> = found
            .cohesion
            .iter()
            .map(|cohesion| Group { label: None, cohesion: Some(*cohesion), slots: Vec::new() })
            .collect();
        for (slot, cluster) in slots.into_iter().zip(found.cluster) {
            groups[cluster].slots.push(slot);
        }
        groups.sort_by_cached_key(|group| {
            group.slots.first().and_then(|slot| self.at(*slot)).map(|d| d.info.path.clone())
        });
        groups
    }

    /// Again and again the item that most documents share which are in no group yet, `n · ln((N + 1) / df)`: one that
    /// nearly all documents have divides nothing.
    fn by_shared<T: Copy + Ord + Hash>(
        &self,
        most: usize,
        items: &Items<T>,
        of: impl Fn(&Document) -> &[(u32, Part<T>)],
        counts: impl Fn(T) -> bool,
    ) -> Vec<Group> {
        let mut left = vec![0_u32; items.bound()];
        for (id, item) in items.iter().filter(|(_, item)| counts(item.kind)) {
            left[id as usize] = item.documents.len() as u32;
        }
        let all = self.slots.len() as f64 + 1.0;
        let mut grouped = vec![false; self.documents.len()];
        let mut groups = Vec::new();
        while groups.len() < most {
            let score = |id: u32, documents: usize| f64::from(left[id as usize]) * (all / documents as f64).ln();
            let candidates = items.iter().filter(|(id, _)| left[*id as usize] > 1);
            let best = candidates.map(|(id, item)| (score(id, item.documents.len()), id, item)).max_by(|a, b| {
                a.0.total_cmp(&b.0).then_with(|| (a.2.count, b.2.kind, &b.2.key).cmp(&(b.2.count, a.2.kind, &a.2.key)))
            });
            let Some((_, _, item)) = best else { break };
            let free = item.documents.keys().filter(|slot| !grouped[*slot as usize]);
            let mut slots = Vec::new();
            for (slot, document) in self.walk_some(free.collect::<Vec<_>>()) {
                grouped[slot as usize] = true;
                slots.push(slot);
                of(document).iter().for_each(|(id, _)| {
                    left[*id as usize] = left[*id as usize].saturating_sub(1);
                });
            }
            groups.push(Group { label: Some(item.name().to_owned()), cohesion: None, slots });
        }
        groups
    }

    /// The types with most documents; documents of the others are in no cluster.
    fn by_type(&self, most: usize) -> Vec<Group> {
        let mut by_type: BTreeMap<DocumentType, Vec<u32>> = BTreeMap::new();
        for (slot, document) in self.walk() {
            by_type.entry(document.info.document_type).or_default().push(slot);
        }
        let mut types: Vec<(DocumentType, Vec<u32>)> = by_type.into_iter().collect();
        types.sort_by_key(|(_, slots)| Reverse(slots.len()));
        let groups = types.into_iter().take(most).map(|(document_type, slots)| Group {
            label: Some(document_type.label().to_lowercase()),
            cohesion: None,
            slots,
        });
        groups.collect()
    }
}

fn label(terms: &[String]) -> String {
    match terms {
        [] => "documents without names in common".to_owned(),
        terms => terms[..terms.len().min(LABEL_TERMS)].join(", "),
    }
}
