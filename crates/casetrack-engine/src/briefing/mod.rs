//! What the documents of a collection are about, answered from its context graph, each answer with the passages that support it.
//!
//! | question | file |
//! |---|---|
//! | entities: which, where, with whom | `entities` |
//! | references: to what, where | `references` |
//! | documents: related ones, clusters | `documents` |
//! | the whole: summary, timeline, statistics | `overview` |

mod documents;
mod entities;
mod overview;
mod references;
mod snippet;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use casetrack_core::{Annotations, CollectionId, DocumentId, Result};
use casetrack_store::Collection;

use crate::engine::Engine;
use crate::graph::{self, ChunkRange, DocumentNode, Graph};

pub use crate::graph::{
    Cluster, ClusterStrategy, DocumentRef, EntityList, EntitySort, EntityView, GraphNode, ReferenceList, ReferenceSort,
    ReferenceView, RelatedDocument, Relationship, to_dot, to_graphml,
};
pub use documents::{ClusterReport, RelatedReport};
pub use entities::{EdgeReport, EntityListReport, EntityNetwork, MentionReport, MentionsReport, TogetherReport};
pub use overview::{Coverage, EventReport, StatisticsReport, SummaryReport, TimelineReport};
pub use references::{CitationReport, CitationsReport, ReferenceListReport};
pub use snippet::Snippet;

/// A collection with its graph, as of now.
struct Known {
    collection: Arc<Collection>,
    graph: Arc<RwLock<Graph>>,
}

impl Engine {
    /// Opens a collection and brings its graph up to date: what changed since it was last asked is read, which takes about a
    /// millisecond a document; all documents the first time.
    fn known(&self, id: CollectionId) -> Result<Known> {
        let collection = self.collection(id)?;
        let graph = self.shared_graph(id);
        let changes = graph.read().unwrap_or_else(PoisonError::into_inner).changes(collection.versions());
        if !(changes.add.is_empty() && changes.remove.is_empty()) {
            // Held while documents are read: who else asks needs them too, and would read them again.
            let mut graph = graph.write().unwrap_or_else(PoisonError::into_inner);
            // Taken before the documents are read, so that one that changes meanwhile is outdated and read again next time.
            let versions: HashMap<DocumentId, u64> = collection.versions().into_iter().collect();
            let changes = graph.changes(versions.iter().map(|(&document, &version)| (document, version)));
            for document in changes.remove {
                graph.remove(document);
            }
            for document in changes.add {
                let version = versions.get(&document).copied().unwrap_or_default();
                match node(&collection, document)? {
                    Some(node) => graph.add(node, version),
                    None => drop(graph.remove(document)),
                }
            }
        }
        Ok(Known { collection, graph })
    }
}

impl Known {
    fn graph(&self) -> RwLockReadGuard<'_, Graph> {
        self.graph.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn name(&self) -> String {
        self.collection.meta().name.clone()
    }

    /// What the user should know of the answer: documents that were stored without analysis.
    fn notices(&self) -> Result<Vec<String>> {
        let counts = self.collection.counts()?;
        let missing = counts.documents.saturating_sub(counts.annotated_documents);
        let mut notices = Vec::new();
        if missing > 0 {
            notices.push(format!(
                "{missing} of {} documents were stored without analysis and have no entities or references here. Ingest them \
                 again with --force (skip_existing: false) to add them.",
                counts.documents
            ));
        }
        Ok(notices)
    }
}

/// A document as the graph sees it; `None` where it has gone.
fn node(collection: &Collection, document: DocumentId) -> Result<Option<DocumentNode>> {
    let Some(meta) = collection.document(document)? else { return Ok(None) };
    let chunks = collection.chunk_spans(document)?;
    let ranges: Vec<ChunkRange> = chunks
        .iter()
        .map(|chunk| ChunkRange { page: chunk.page, char_start: chunk.char_start, char_end: chunk.char_end })
        .collect();
    // One that was stored without analysis is a document with its type and vectors all the same.
    let annotations = collection.annotations(document)?.unwrap_or_else(Annotations::default);
    let vectors = collection.vectors(document)?;
    let centroid = graph::centroid(vectors.iter().map(|(_, vector)| vector.as_slice()));
    Ok(Some(DocumentNode::new(&meta, &ranges, &annotations, centroid)))
}
