//! List, find, describe and delete the documents of a collection.

pub mod bates;
pub mod chunks;
pub mod facts;
pub mod former;
pub mod hidden;
pub mod marking;
pub mod originals;
pub mod pages;
pub mod part;
pub mod removal;
pub mod structure;
pub mod tracked_changes;
pub mod unread;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

pub use bates::bates_numbers;
use casetrack_core::marks::Marks;
use casetrack_core::{
    Action, CollectionId, DocumentId, DocumentMeta, DocumentType, Error, ErrorCode, ExtractionMethod, FileFormat,
    Result, Timestamp, hint,
};
pub use casetrack_store::CatalogueEntry;
use casetrack_store::Collection;
pub use chunks::{browse_pages, chunk, document_chunks, source_context, traverse_chunks};
pub use facts::describe_contracts;
pub use hidden::find_hidden_text;
pub use marking::{check_marks, mark_documents, mark_from, mark_from_folders, mark_from_table};
pub use pages::{page_picture, page_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use structure::document_structure;
pub use tracked_changes::list_changes;
pub use unread::list_unread;

use crate::Host;
use crate::names::{Candidate, Kind, resolve};

/// The names of all notes that a collection has.
pub const NOTES: [&str; 3] = [former::NOTE, removal::NOTE, unread::NOTE];

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DocumentSummary {
    pub id: DocumentId,
    pub name: String,
    pub path: String,
    pub format: FileFormat,
    pub document_type: DocumentType,
    pub extraction_method: ExtractionMethod,
    pub pages: u32,
    pub chunks: u32,
    pub ingested_at: Timestamp,
    /// The user's tags and fields.
    #[serde(skip_serializing_if = "Marks::is_empty")]
    pub marks: Marks,
    /// The parties of a contract, with the words that it defines for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parties: Vec<String>,
    /// The day of a contract, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub governing_law: Option<String>,
    /// Of a letter, an invoice or minutes, by column of the matter sheet: from, to, date, number, total, meeting, present.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DocumentDetails {
    #[serde(flatten)]
    pub meta: DocumentMeta,
    pub chunk_statistics: ChunkStatistics,
    /// True if the source file is still at its place.
    pub source_exists: bool,
    pub embedders: Vec<String>,
}

/// Lengths of a document's chunks, in characters.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct ChunkStatistics {
    pub count: u32,
    pub min_chars: u32,
    pub mean_chars: u32,
    pub max_chars: u32,
}

/// Order of a list of documents; ties are broken by name, then path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DocumentSort {
    Name,
    /// Newest first.
    #[default]
    Date,
    /// Longest first.
    Pages,
    Type,
}

impl From<DocumentMeta> for DocumentSummary {
    fn from(meta: DocumentMeta) -> Self {
        Self {
            id: meta.id,
            name: meta.name,
            path: meta.path,
            format: meta.format,
            document_type: meta.document_type,
            extraction_method: meta.extraction_method,
            pages: meta.page_count,
            chunks: meta.chunk_count,
            ingested_at: meta.ingested_at,
            marks: meta.marks,
            parties: Vec::new(),
            date: None,
            governing_law: None,
            facts: BTreeMap::new(),
        }
    }
}

pub fn list_documents(host: &Host, collection: CollectionId, sort: DocumentSort) -> Result<Vec<DocumentSummary>> {
    let mut documents: Vec<DocumentSummary> =
        host.collection(collection)?.documents()?.into_iter().map(Into::into).collect();
    documents.sort_by(|a, b| {
        let order = match sort {
            DocumentSort::Name => a.name.to_lowercase().cmp(&b.name.to_lowercase()),
            DocumentSort::Date => b.ingested_at.cmp(&a.ingested_at),
            DocumentSort::Pages => b.pages.cmp(&a.pages),
            DocumentSort::Type => a.document_type.cmp(&b.document_type),
        };
        order.then_with(|| a.name.cmp(&b.name)).then_with(|| a.path.cmp(&b.path))
    });
    Ok(documents)
}

pub fn documents_of_type(
    host: &Host,
    collection: CollectionId,
    document_type: DocumentType,
) -> Result<Vec<DocumentSummary>> {
    let mut documents = list_documents(host, collection, DocumentSort::Name)?;
    documents.retain(|document| document.document_type == document_type);
    Ok(documents)
}

/// The fields that lists and choices of documents show of each, ordered by path. From memory, except for documents that changed.
pub fn document_catalogue(host: &Host, collection: CollectionId) -> Result<Arc<[Arc<CatalogueEntry>]>> {
    host.collection(collection)?.catalogue()
}

pub fn document(host: &Host, collection: CollectionId, name: &str) -> Result<DocumentDetails> {
    let collection = host.collection(collection)?;
    let meta = document_named(&collection, name)?;
    let mut lengths = (u32::MAX, 0u64, 0u32);
    let chunks = collection.chunk_spans(meta.id)?;
    for chunk in &chunks {
        let chars = chunk.char_end - chunk.char_start;
        lengths = (lengths.0.min(chars), lengths.1 + u64::from(chars), lengths.2.max(chars));
    }
    let count = chunks.len() as u64;
    Ok(DocumentDetails {
        chunk_statistics: ChunkStatistics {
            count: count as u32,
            min_chars: if count == 0 { 0 } else { lengths.0 },
            mean_chars: lengths.1.checked_div(count).unwrap_or(0) as u32,
            max_chars: lengths.2,
        },
        // A file inside a container exists where the container does.
        source_exists: std::path::Path::new(&meta.path).ancestors().any(std::path::Path::is_file),
        embedders: embedders_of(&collection, &meta)?,
        meta,
    })
}

/// The document that `name` means: its id, the beginning of it, its path or its name with or without extension.
pub fn find_document(host: &Host, collection: CollectionId, name: &str) -> Result<DocumentMeta> {
    document_named(&*host.collection(collection)?, name)
}

/// Removes a document with all its chunks, vectors and index entries, and the copy of the original if one was kept. The documents
/// inside a container go with it, one atomic step each. The source file is not touched.
pub fn delete_document(host: &Host, collection: CollectionId, name: &str) -> Result<DocumentMeta> {
    let collection = host.collection_to_change(collection)?;
    let meta = document_named(&collection, name)?;
    let documents = if meta.is_container() { collection.documents()? } else { Vec::new() };
    delete_whole(&collection, &meta, &documents)?;
    collection.flush()?;
    Ok(meta)
}

/// Removes a document, the `documents` inside it, and the copies of their originals. Does not flush.
pub fn delete_whole(collection: &Collection, meta: &DocumentMeta, documents: &[DocumentMeta]) -> Result<()> {
    // Before the container, so that none is left without it.
    members(documents, meta).try_for_each(|member| delete_one(collection, member))?;
    delete_one(collection, meta)
}

/// The `documents` inside a container, at any depth.
pub fn members<'d>(documents: &'d [DocumentMeta], container: &DocumentMeta) -> impl Iterator<Item = &'d DocumentMeta> {
    let folder = container.is_container().then(|| format!("{}/", container.path));
    let inside = move |member: &&DocumentMeta| folder.as_ref().is_some_and(|folder| member.path.starts_with(folder));
    documents.iter().filter(inside)
}

/// The outermost of `documents`, which are ordered by path, that a document is inside; itself if it is not inside any.
pub fn outermost<'d>(documents: &'d [DocumentMeta], meta: &'d DocumentMeta) -> &'d DocumentMeta {
    let at = |path: &str| documents.binary_search_by(|other| other.path.as_str().cmp(path)).ok();
    let above = std::path::Path::new(&meta.path).ancestors().skip(1).filter_map(std::path::Path::to_str);
    above.filter_map(at).map(|d| &documents[d]).filter(|meta| meta.is_container()).last().unwrap_or(meta)
}

/// Removes a document and the copy of its original.
pub fn delete_one(collection: &Collection, meta: &DocumentMeta) -> Result<()> {
    collection.delete_document(meta.id)?;
    if meta.original_stored {
        originals::remove(collection, meta)?;
    }
    Ok(())
}

/// Finds the document that `name` means: its id, the beginning of it, its path or its name with or without extension.
pub fn document_named(collection: &Collection, name: &str) -> Result<DocumentMeta> {
    let catalogue = collection.catalogue()?;
    let stem = |entry: &CatalogueEntry| entry.name.rsplit_once('.').map_or(entry.name.len(), |(stem, _)| stem.len());
    let wanted = name.trim();
    // What `resolve` would find first, without the cost of its candidates.
    let by_id = wanted.to_ascii_lowercase().parse().ok();
    let exactly = |entry: &CatalogueEntry| match by_id {
        Some(id) => entry.id == id,
        None => entry.name == wanted || entry.path == wanted || entry.name.get(..stem(entry)) == Some(wanted),
    };
    let mut exact = catalogue.iter().filter(|entry| exactly(entry));
    let found = match (exact.next(), exact.next()) {
        (Some(one), None) => one,
        _ => {
            let candidates: Vec<Candidate<'_>> = catalogue
                .iter()
                .map(|entry| {
                    let stem = std::path::Path::new(&entry.name).file_stem().and_then(|stem| stem.to_str());
                    Candidate {
                        name: &entry.name,
                        aliases: std::iter::once(entry.path.as_str()).chain(stem).collect(),
                        id: entry.id.to_string(),
                    }
                })
                .collect();
            &catalogue[resolve(Kind::Document, name, &candidates)?]
        }
    };
    collection.document(found.id)?.ok_or_else(|| just_deleted(&found.name))
}

/// The names that several documents of a collection have.
pub fn shared_names(catalogue: &[Arc<CatalogueEntry>]) -> HashSet<&str> {
    let mut seen = HashSet::new();
    catalogue.iter().map(|entry| entry.name.as_str()).filter(|name| !seen.insert(*name)).collect()
}

/// The error for a document that was found and is gone now.
pub fn just_deleted(name: &str) -> Error {
    let hint = hint!["See the documents with ", Action::ListDocuments, "."];
    Error::new(ErrorCode::NotFound, format!("{name} was just deleted.")).with_hint(hint)
}

pub fn embedders(meta: &DocumentMeta, has_sparse_vectors: bool, has_token_vectors: bool) -> Vec<String> {
    let has = [("E1", meta.embedded_at.is_some()), ("E6", has_sparse_vectors), ("E12", has_token_vectors)];
    has.into_iter().filter(|(_, has)| *has).map(|(name, _)| name.to_owned()).collect()
}

pub fn embedders_of(collection: &Collection, meta: &DocumentMeta) -> Result<Vec<String>> {
    let has_token_vectors = collection.models().tokens.is_some() && collection.token_vectors_at(meta.id, 0)?.is_some();
    Ok(embedders(meta, collection.has_sparse_vectors(meta.id)?, has_token_vectors))
}
