//! The items that documents refer to, and the places.

use std::cmp::Reverse;

use casetrack_core::{ReferenceKind, Relation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DocumentRef, Graph, Place, ReferenceId};

/// Something that documents refer to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReferenceView {
    pub kind: ReferenceKind,
    /// As most documents name it, normalised.
    pub name: String,
    pub citations: u64,
    /// Documents that cite it.
    pub documents: u64,
    /// The document of the collection that it is, where its title or file name shows that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<DocumentRef>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReferenceSort {
    /// Most citations first.
    #[default]
    Citations,
    /// Most citing documents first.
    Documents,
    /// By the alphabet, small and capital letters alike.
    Name,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct ListReferences {
    /// Without one, of all kinds but those to parts of the same document.
    pub kind: Option<ReferenceKind>,
    pub sort_by: ReferenceSort,
    pub top_k: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReferenceList {
    /// Also those that are not listed.
    pub total: u64,
    pub references: Vec<ReferenceView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Citations {
    pub reference: ReferenceView,
    /// Citations with a relation to the cited document come first, then documents with most citations, then by path and
    /// place.
    pub chunks: Vec<CitingChunk>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CitingChunk {
    pub document_name: String,
    #[serde(flatten)]
    pub place: Place,
    pub citations: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<Relation>,
}

impl Graph {
    /// The first `top_k` references; ties are broken by citations, then by kind and name.
    pub fn list_references(&self, request: &ListReferences) -> ReferenceList {
        let wanted = |of| request.kind.map_or(of != ReferenceKind::Internal, |kind| kind == of);
        let mut all: Vec<_> = self.references.iter().filter(|(_, item)| wanted(item.kind)).collect();
        let total = all.len() as u64;
        all.sort_by_cached_key(|(_, item)| {
            let (citations, documents) = (Reverse(item.count), Reverse(item.documents.len()));
            let (first, name) = match request.sort_by {
                ReferenceSort::Citations => (citations, None),
                ReferenceSort::Documents => (Reverse(documents.0 as u64), None),
                ReferenceSort::Name => (Reverse(0), Some(item.name().to_lowercase())),
            };
            (first, name, citations, item.kind, item.key.to_string())
        });
        let first = all.into_iter().take(request.top_k);
        ReferenceList { total, references: first.filter_map(|(id, _)| self.reference(ReferenceId(id))).collect() }
    }

    /// `None` if the reference has gone since its id was given.
    pub fn reference(&self, id: ReferenceId) -> Option<ReferenceView> {
        let item = self.references.get(id.0)?;
        let resolves = matches!(item.kind, ReferenceKind::Document | ReferenceKind::Report);
        let resolved = if resolves { self.resolve_document(item.name(), None) } else { None };
        Some(ReferenceView {
            kind: item.kind,
            name: item.name().to_owned(),
            citations: item.count,
            documents: item.documents.len() as u64,
            resolved: resolved.and_then(|slot| self.at(slot)).map(|document| document.named()),
        })
    }

    /// The first `top_k` chunks that cite a reference; `None` if it has gone.
    pub fn citations(&self, id: ReferenceId, top_k: usize) -> Option<Citations> {
        let item = self.references.get(id.0)?;
        let mut chunks: Vec<(Reverse<u32>, CitingChunk)> = Vec::new();
        for (slot, document) in self.walk_some(item.documents.keys()) {
            let Some(&local) = item.documents.get(slot) else { continue };
            let of_document = Reverse(document.references[local as usize].1.count);
            for in_chunk in document.citations_of(local).chunk_by(|a, b| a.place.chunk == b.place.chunk) {
                chunks.push((
                    of_document,
                    CitingChunk {
                        document_name: document.info.name.clone(),
                        place: document.place(in_chunk[0].place),
                        citations: in_chunk.len() as u32,
                        relation: in_chunk.iter().find_map(|citation| citation.relation),
                    },
                ));
            }
        }
        // Stable: by path and place if the counts are the same.
        chunks.sort_by_key(|(of_document, chunk)| (chunk.relation.is_none(), *of_document));
        let chunks = chunks.into_iter().take(top_k).map(|(_, chunk)| chunk).collect();
        Some(Citations { reference: self.reference(id)?, chunks })
    }
}
