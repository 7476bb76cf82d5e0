//! The documents that belong to one, and the reasons.

use std::collections::BTreeMap;
use std::hash::Hash;

use casetrack_core::{DocumentId, EntityType, ReferenceKind, Relation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::items::{Items, Part};
use super::kmeans::dot;
use super::{Document, DocumentRef, Graph, Place};

/// Entities that two documents must share to be related by them.
const SHARED_ENTITIES: usize = 3;
/// Cosine of centroids above which documents are related by their content.
const SIMILAR: f32 = 0.75;
/// Least strength of a reason that is worth naming.
const MIN_STRENGTH: f64 = 0.05;
/// Most that one reason can contribute, by its kind: a document that names another contributes more than likeness does.
const BY_LIKENESS: f64 = 0.8;
const BY_VERSION: f64 = 0.9;
const BY_RELATION: f64 = 0.95;
const BY_CITATION: f64 = 0.7;
/// A name that more documents have, except for the version ("Agreement"), is too common for a chain.
const MAX_CHAIN: usize = 20;
/// Most shared entities or references that a reason names.
const MAX_EVIDENCE: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relationship {
    /// One names the other, or holds it.
    ExplicitReference,
    VersionChain,
    SharedReferences,
    SharedEntities,
    SemanticSimilar,
}

#[derive(Debug, Clone)]
pub struct RelatedRequest {
    pub document: DocumentId,
    /// All kinds if it is empty.
    pub relationships: Vec<Relationship>,
    pub top_k: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RelatedDocuments {
    pub document: DocumentRef,
    /// Also those that are not listed.
    pub total: u64,
    /// Strongest first, then by path.
    pub related: Vec<RelatedDocument>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RelatedDocument {
    pub document: DocumentRef,
    /// 0–1: 1 − Π(1 − strength) over the reasons.
    pub strength: f64,
    /// Strongest first.
    pub reasons: Vec<Reason>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Reason {
    pub relationship: Relationship,
    /// 0–1.
    pub strength: f64,
    /// In words: "12 shared entities", "Amendment.docx amends Agreement.docx".
    pub description: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

/// An item that two documents share, or a reference from one to the other, with its first place in each.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Evidence {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub here: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub there: Option<Place>,
}

/// Reasons by the other document's slot.
type Reasons = BTreeMap<u32, Vec<Reason>>;

/// A thing that two documents share: its weight, and the places in their lists.
struct Shared {
    weight: f64,
    here: u32,
    there: u32,
}

impl Graph {
    /// The documents that are related to one; `None` if the graph does not have it. Cost: in proportion to the
    /// documents that share something with it, and a comparison with each of the others.
    pub fn related_documents(&self, request: &RelatedRequest) -> Option<RelatedDocuments> {
        let (slot, document) = self.document(request.document)?;
        let wants = |kind| request.relationships.is_empty() || request.relationships.contains(&kind);
        let mut reasons = Reasons::new();
        if wants(Relationship::ExplicitReference) {
            self.explicit(slot, document, &mut reasons);
        }
        if wants(Relationship::VersionChain) {
            self.version_chain(slot, document, &mut reasons);
        }
        if wants(Relationship::SharedReferences) {
            self.shared_references(slot, document, &mut reasons);
        }
        if wants(Relationship::SharedEntities) {
            self.shared_entities(slot, document, &mut reasons);
        }
        if wants(Relationship::SemanticSimilar) {
            self.similar(slot, document, &mut reasons);
        }
        let mut related: Vec<(&Document, RelatedDocument)> = Vec::new();
        for (slot, mut reasons) in reasons {
            let Some(other) = self.at(slot) else { continue };
            // Stable: by kind if the strengths are the same.
            reasons.sort_by(|a, b| b.strength.total_cmp(&a.strength));
            let strength = 1.0 - reasons.iter().map(|reason| 1.0 - reason.strength).product::<f64>();
            related.push((other, RelatedDocument { document: other.named(), strength, reasons }));
        }
        related.sort_by(|(a, x), (b, y)| y.strength.total_cmp(&x.strength).then_with(|| a.order().cmp(&b.order())));
        let total = related.len() as u64;
        let related = related.into_iter().take(request.top_k).map(|(_, related)| related).collect();
        Some(RelatedDocuments { document: document.named(), total, related })
    }

    /// The documents that it refers to by name, that refer to it, that it holds and that hold it.
    fn explicit(&self, slot: u32, document: &Document, reasons: &mut Reasons) {
        for (local, _) in named_documents(document) {
            let name = document.references[local as usize].1.name.as_ref();
            if let Some(other) = self.resolve_document(name, Some(slot)) {
                self.cites(document, local, other, true, reasons);
            }
        }
        // The full comparison is made only for the few references that may mean this document.
        for (_, item) in self.references.iter() {
            let names = matches!(item.kind, ReferenceKind::Document | ReferenceKind::Report);
            if !names || !Self::may_mean(item.name(), document) {
                continue;
            }
            for (other, &local) in item.documents.iter().filter(|(other, _)| *other != slot) {
                let Some(citing) = self.at(other) else { continue };
                if self.resolve_document(&citing.references[local as usize].1.name, Some(other)) == Some(slot) {
                    self.cites(citing, local, other, false, reasons);
                }
            }
        }
        for (other, held) in self.walk().filter(|(other, _)| *other != slot) {
            let (inner, outer) = match (holds(document, held), holds(held, document)) {
                (true, _) => (held, document),
                (_, true) => (document, held),
                _ => continue,
            };
            let description = format!("{} is attached to {}", inner.info.name, outer.info.name);
            push(reasons, other, Relationship::ExplicitReference, BY_RELATION, description, Vec::new());
        }
    }

    /// Reference `local` of `citing` means the other document: the one at `other`, or the one that was asked for.
    fn cites(&self, citing: &Document, local: u32, other: u32, outward: bool, reasons: &mut Reasons) {
        let citations = citing.citations_of(local);
        let stated = citations.iter().find(|citation| citation.relation.is_some()).or(citations.first());
        let Some(stated) = stated else { return };
        let strength = if stated.relation.is_some() { BY_RELATION } else { BY_CITATION };
        let name = citing.references[local as usize].1.name.to_string();
        let place = Some(citing.place(stated.place));
        let (here, there) = if outward { (place, None) } else { (None, place) };
        let description = format!("{} {} \"{name}\"", citing.info.name, verb(stated.relation));
        let known = reasons.get(&other).is_some_and(|reasons| {
            reasons.iter().any(|reason| reason.description.starts_with(&description) || reason.strength > strength)
        });
        if !known {
            let evidence = vec![Evidence { name, here, there }];
            push(reasons, other, Relationship::ExplicitReference, strength, description, evidence);
        }
    }

    fn version_chain(&self, slot: u32, document: &Document, reasons: &mut Reasons) {
        for name in &document.info.names {
            let mut chain = Vec::new();
            for (other, version) in self.walk().filter(|(other, _)| *other != slot) {
                let of_other = version.info.names.iter().find(|other| name.is_other_version_of(other));
                chain.extend(of_other.map(|of_other| (other, of_other)));
            }
            if chain.len() > MAX_CHAIN {
                continue;
            }
            for (other, of_other) in chain {
                let (this, that) = (name.marker.describe(), of_other.marker.describe());
                let description = format!("versions of \"{}\": {this} and {that}", name.base);
                let known = |reason: &Reason| reason.relationship == Relationship::VersionChain;
                if !reasons.get(&other).is_some_and(|reasons| reasons.iter().any(known)) {
                    push(reasons, other, Relationship::VersionChain, BY_VERSION, description, Vec::new());
                }
            }
        }
    }

    fn shared_entities(&self, slot: u32, document: &Document, reasons: &mut Reasons) {
        let of = |document: &Document, local: u32| document.first_mention(local);
        let found = self.shared(&self.entities, slot, |document| &document.entities, |_: EntityType| true);
        for (other, strength, mut shared) in found.into_iter().filter(|(.., shared)| shared.len() >= SHARED_ENTITIES) {
            let description = format!("{} shared entities", shared.len());
            let evidence =
                self.evidence(document, other, &mut shared, |document| &document.entities, &self.entities, of);
            push(reasons, other, Relationship::SharedEntities, strength * BY_LIKENESS, description, evidence);
        }
    }

    fn shared_references(&self, slot: u32, document: &Document, reasons: &mut Reasons) {
        let of = |document: &Document, local: u32| document.first_citation(local);
        let outside = |kind| kind != ReferenceKind::Internal;
        let found = self.shared(&self.references, slot, |document| &document.references, outside);
        for (other, strength, mut shared) in found {
            let plural = if shared.len() == 1 { "" } else { "s" };
            let description = format!("{} shared reference{plural}", shared.len());
            let evidence =
                self.evidence(document, other, &mut shared, |document| &document.references, &self.references, of);
            push(reasons, other, Relationship::SharedReferences, strength * BY_LIKENESS, description, evidence);
        }
    }

    fn similar(&self, slot: u32, document: &Document, reasons: &mut Reasons) {
        let Some(centroid) = &document.centroid else { return };
        for (other, similar) in self.walk().filter(|(other, _)| *other != slot) {
            let Some(of_other) = similar.centroid.as_ref().filter(|other| other.len() == centroid.len()) else {
                continue;
            };
            let cosine = dot(centroid, of_other).min(1.0);
            if cosine > SIMILAR {
                let strength = f64::from((cosine - SIMILAR) / (1.0 - SIMILAR)) * BY_LIKENESS;
                let description = format!("{:.0} % semantic similarity", cosine * 100.0);
                push(reasons, other, Relationship::SemanticSimilar, strength, description, Vec::new());
            }
        }
    }

    /// The documents that share items with the one at `slot`, with the cosine of both as sets weighted by inverse
    /// document frequency, and the shared items.
    fn shared<T: Copy + Ord + Hash>(
        &self,
        items: &Items<T>,
        slot: u32,
        of: impl Fn(&Document) -> &[(u32, Part<T>)],
        counts: impl Fn(T) -> bool,
    ) -> Vec<(u32, f64, Vec<Shared>)> {
        let Some(document) = self.at(slot) else { return Vec::new() };
        let weight = |id: u32| items.get(id).map_or(0.0, |item| self.rarity(item.documents.len()));
        let length = |document: &Document| -> f64 {
            let counted = of(document).iter().filter(|(_, share)| counts(share.kind));
            counted.map(|(id, _)| weight(*id).powi(2)).sum::<f64>().sqrt()
        };
        let mut by_document: BTreeMap<u32, Vec<Shared>> = BTreeMap::new();
        for (here, (id, _)) in of(document).iter().enumerate().filter(|(_, (_, share))| counts(share.kind)) {
            let Some(item) = items.get(*id) else { continue };
            let weight = weight(*id);
            for (other, &there) in item.documents.iter().filter(|(other, _)| *other != slot) {
                by_document.entry(other).or_default().push(Shared { weight, here: here as u32, there });
            }
        }
        let own = length(document);
        let with_strength = by_document.into_iter().filter_map(|(other, shared)| {
            let sum: f64 = shared.iter().map(|shared| shared.weight.powi(2)).sum();
            Some((other, (sum / (own * length(self.at(other)?))).min(1.0), shared))
        });
        with_strength.collect()
    }

    /// Inverse document frequency as BM25 has it (Robertson and Zaragoza, 2009), never 0: in a collection of two
    /// documents all that they share is in every document.
    pub(super) fn rarity(&self, documents: usize) -> f64 {
        let (all, with) = (self.slots.len() as f64, documents as f64);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// The rarest items that two documents share.
    fn evidence<T: Copy + Ord + Hash>(
        &self,
        document: &Document,
        other: u32,
        shared: &mut [Shared],
        of: impl Fn(&Document) -> &[(u32, Part<T>)],
        items: &Items<T>,
        first: impl Fn(&Document, u32) -> Option<Place>,
    ) -> Vec<Evidence> {
        let Some(other) = self.at(other) else { return Vec::new() };
        shared.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.here.cmp(&b.here)));
        let rarest = shared.iter().take(MAX_EVIDENCE).filter_map(|shared| {
            let item = items.get(of(document)[shared.here as usize].0)?;
            let (here, there) = (first(document, shared.here), first(other, shared.there));
            Some(Evidence { name: item.name().to_owned(), here, there })
        });
        rarest.collect()
    }
}

/// The places in its list of the references by title or file name.
fn named_documents(document: &Document) -> impl Iterator<Item = (u32, ReferenceKind)> {
    let kinds = document.references.iter().enumerate().map(|(local, (_, share))| (local as u32, share.kind));
    kinds.filter(|(_, kind)| matches!(kind, ReferenceKind::Document | ReferenceKind::Report))
}

/// True if a document is a file inside another: its path is the other's, a slash and more.
fn holds(outer: &Document, inner: &Document) -> bool {
    inner.info.path.strip_prefix(&*outer.info.path).is_some_and(|rest| rest.starts_with('/'))
}

fn verb(relation: Option<Relation>) -> &'static str {
    match relation {
        Some(Relation::Amends) => "amends",
        Some(Relation::Supersedes) => "supersedes",
        Some(Relation::RespondsTo) => "responds to",
        Some(Relation::Attaches) => "attaches",
        None => "cites",
    }
}

fn push(
    reasons: &mut Reasons,
    other: u32,
    relationship: Relationship,
    strength: f64,
    description: String,
    evidence: Vec<Evidence>,
) {
    if strength >= MIN_STRENGTH {
        reasons.entry(other).or_default().push(Reason { relationship, strength, description, evidence });
    }
}
