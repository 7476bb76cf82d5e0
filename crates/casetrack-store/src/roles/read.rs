//! Reading documents.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use casetrack_core::marks::Marks;
use casetrack_core::{
    Annotations, Block, Change, Chunk, ChunkId, DocumentId, DocumentMeta, DocumentType, FileFormat, HiddenText, Page,
    PageOrigin, Result, Sha256, Timestamp,
};

use super::passages::Passages;
use crate::records::sparse_vector::SparseVector;
use crate::records::{ChunkSpan, SlotRange};
use crate::write::StoredDocument;

/// The part of a document's [`DocumentMeta`] that documents are chosen by, and by which a file is known again.
#[derive(Debug, Clone, PartialEq)]
pub struct CatalogueEntry {
    pub id: DocumentId,
    pub name: String,
    pub path: String,
    pub sha256: Sha256,
    pub size_bytes: u64,
    pub format: FileFormat,
    /// As [`DocumentMeta::is_container`].
    pub is_container: bool,
    pub document_type: DocumentType,
    /// As in [`Properties`](casetrack_core::Properties).
    pub created: Option<String>,
    pub modified: Option<String>,
    pub ingested_at: Timestamp,
    pub marks: Marks,
    pub(crate) slots: SlotRange,
}

impl CatalogueEntry {
    /// The entry of a document that is stored under these slots.
    pub fn new(meta: DocumentMeta, slots: SlotRange) -> Self {
        Self {
            is_container: meta.is_container(),
            id: meta.id,
            name: meta.name,
            path: meta.path,
            sha256: meta.sha256,
            size_bytes: meta.size_bytes,
            format: meta.format,
            document_type: meta.document_type,
            created: meta.properties.created,
            modified: meta.properties.modified,
            ingested_at: meta.ingested_at,
            marks: meta.marks,
            slots,
        }
    }
}

pub trait ReadDocuments {
    fn documents(&self) -> Result<Vec<DocumentMeta>>;

    /// All documents, in the order in which they were stored.
    fn documents_as_stored(&self) -> Result<Vec<DocumentMeta>>;

    /// All documents with the number of the version that is stored, in the order in which they were stored. No other
    /// version of any document ever has this number; while the collection is open, a new path or name makes a version
    /// too. Must be quick: the engine calls it at each use of data derived from documents.
    fn versions(&self) -> Vec<(DocumentId, u64)>;

    /// The properties of all documents that filters test, ordered by path. Must be quick: every search calls it.
    fn catalogue(&self) -> Result<Arc<[Arc<CatalogueEntry>]>>;

    fn document(&self, id: DocumentId) -> Result<Option<DocumentMeta>>;

    /// The document that was ingested from this path, compared byte by byte.
    fn document_by_path(&self, path: &str) -> Result<Option<DocumentMeta>>;

    /// The documents whose files have this digest, ordered by id.
    fn documents_by_sha256(&self, sha256: Sha256) -> Result<Vec<DocumentId>>;

    fn page(&self, document: DocumentId, number: u32) -> Result<Option<Page>>;

    /// A part of a page's text, in bytes that begin and end a character. `None` if the page does not exist or is shorter.
    fn page_text(&self, document: DocumentId, number: u32, bytes: Range<u32>) -> Result<Option<String>>;

    /// The blocks of a page that is there.
    fn page_blocks(&self, document: DocumentId, page: u32) -> Result<Vec<Block>>;

    /// The way in which the text of a page that is there was obtained, and the marks that are printed on it.
    fn page_origin(&self, document: DocumentId, page: u32) -> Result<PageOrigin>;

    /// The Bates numbers on the pages of a document, by page, as far as they were found.
    fn bates(&self, document: DocumentId) -> Result<Vec<(u32, String)>>;

    /// The tracked changes of a page that is there, by place.
    fn page_changes(&self, document: DocumentId, page: u32) -> Result<Vec<Change>>;

    /// The texts of a page that is there which the file does not show, by place.
    fn page_hidden(&self, document: DocumentId, page: u32) -> Result<Vec<HiddenText>>;

    fn chunk(&self, id: ChunkId) -> Result<Option<(DocumentId, Chunk)>>;

    fn chunk_at(&self, document: DocumentId, index: u32) -> Result<Option<Chunk>>;

    /// The chunks of a document with these indexes, in order, as far as they exist.
    fn chunk_range(&self, document: DocumentId, range: Range<u32>) -> Result<Vec<Chunk>>;

    /// The places of the chunks of a document, in order. Reads no text.
    fn chunk_spans(&self, document: DocumentId) -> Result<Vec<ChunkSpan>>;

    /// The indexes of the chunks on some pages (from 1) of a document; empty if there are none.
    fn chunks_on_pages(&self, document: DocumentId, pages: RangeInclusive<u32>) -> Result<Range<u32>>;

    /// The vector of one chunk, as it was stored: rounded to half precision.
    fn vector_at(&self, document: DocumentId, index: u32) -> Result<Option<Vec<f32>>>;

    /// The vector of each chunk of a document, in order, as it was stored: rounded to half precision.
    fn vectors(&self, document: DocumentId) -> Result<Vec<(ChunkId, Vec<f32>)>>;

    /// The learned-sparse vector of each chunk of a document that has one, in order, as it was stored: quantised.
    fn sparse_vectors(&self, document: DocumentId) -> Result<Vec<(ChunkId, SparseVector)>>;

    /// True if the chunks of a document have learned-sparse vectors.
    fn has_sparse_vectors(&self, document: DocumentId) -> Result<bool>;

    /// The signs of the token vectors of one chunk, as they were stored; `None` if it has none.
    fn token_vectors_at(&self, document: DocumentId, index: u32) -> Result<Option<Vec<u8>>>;

    /// The annotations that analysis made of a document; `None` if there is no such document, or it was stored without analysis.
    fn annotations(&self, document: DocumentId) -> Result<Option<Annotations>>;

    /// Everything that is stored of a document, as of one moment, which can be stored again in a collection of the same
    /// models; `None` if there is no such document. All of it is held in memory. Errors: `Corrupt` if a part is missing
    /// or cannot be read.
    fn whole(&self, document: DocumentId) -> Result<Option<StoredDocument>>;

    fn passages(&self) -> Passages<'_>;
}
