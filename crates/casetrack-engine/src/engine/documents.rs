//! Documents: what is stored of them, and how they come in.

use std::path::Path;
use std::sync::Arc;

use casetrack_core::{Cancel, CollectionId, DocumentId, DocumentMeta, DocumentType, Password, ProgressSink, Result};

use super::Engine;
use crate::documents::chunks::{self, ChunkView, Direction, DocumentChunks, PageChunks, SourceContext, Traversal};
use crate::documents::pages::{self, PagePicture, PageText, PictureRequest};
use crate::documents::structure::{self, DocumentStructure};
use crate::documents::{self, CatalogueEntry, DocumentDetails, DocumentSort, DocumentSummary};
use crate::ingest::inspect::{self, Inspection};
use crate::ingest::{self, IngestReport, IngestRequest};
use crate::paging::Paging;
use crate::reindex::{self, IndexStatus};
use crate::sync::{self, SyncReport, SyncRequest};

impl Engine {
    pub fn list_documents(&self, collection: CollectionId, sort: DocumentSort) -> Result<Vec<DocumentSummary>> {
        documents::list_documents(&self.host, collection, sort)
    }

    /// The documents of a type, by name, then path.
    pub fn documents_of_type(
        &self,
        collection: CollectionId,
        document_type: DocumentType,
    ) -> Result<Vec<DocumentSummary>> {
        documents::documents_of_type(&self.host, collection, document_type)
    }

    /// What lists and choices of documents show of each, ordered by path. From memory, but for documents that changed.
    pub fn document_catalogue(&self, collection: CollectionId) -> Result<Arc<[Arc<CatalogueEntry>]>> {
        documents::document_catalogue(&self.host, collection)
    }

    /// The document that `name` means: its id, the beginning of it, its path or its name with or without extension.
    pub fn find_document(&self, collection: CollectionId, name: &str) -> Result<DocumentMeta> {
        documents::find_document(&*self.host.collection(collection)?, name)
    }

    pub fn document(&self, collection: CollectionId, name: &str) -> Result<DocumentDetails> {
        documents::document(&self.host, collection, name)
    }

    /// Removes a document with all its chunks, vectors and index entries, and the copy of the original if one was kept. The documents
    /// inside a container go with it, one atomic step each. The source file is not touched.
    pub fn delete_document(&self, collection: CollectionId, name: &str) -> Result<DocumentMeta> {
        documents::delete_document(&self.host, collection, name)
    }

    /// The chunk with this id (a full UUID).
    pub fn chunk(&self, collection: CollectionId, id: &str) -> Result<ChunkView> {
        chunks::chunk(&self.host, collection, id)
    }

    /// Chunks of a document; with `page`, of that page only.
    pub fn document_chunks(
        &self,
        collection: CollectionId,
        name: &str,
        page: Option<u32>,
        paging: Paging,
    ) -> Result<DocumentChunks> {
        chunks::document_chunks(&self.host, collection, name, page, paging)
    }

    /// The chunks of pages `start` to `end` (from 1; an end beyond the document means its last page), at most
    /// [`MAX_BROWSED`](chunks::MAX_BROWSED) or those of one page.
    pub fn browse_pages(&self, collection: CollectionId, name: &str, start: u32, end: u32) -> Result<PageChunks> {
        chunks::browse_pages(&self.host, collection, name, start, end)
    }

    /// `count` (1–[`MAX_TRAVERSED`](chunks::MAX_TRAVERSED)) chunks from the one with this id on, or up to it.
    pub fn traverse_chunks(
        &self,
        collection: CollectionId,
        id: &str,
        direction: Direction,
        count: u32,
    ) -> Result<Traversal> {
        chunks::traverse_chunks(&self.host, collection, id, direction, count)
    }

    /// A chunk and up to `window` (1–[`MAX_WINDOW`](chunks::MAX_WINDOW)) chunks on each side of it.
    pub fn source_context(&self, collection: CollectionId, id: &str, window: u32) -> Result<SourceContext> {
        chunks::source_context(&self.host, collection, id, window)
    }

    /// The headings of a document, each with the internal references that mean it. Reads all its pages.
    pub fn document_structure(
        &self,
        collection: CollectionId,
        name: &str,
        paging: Paging,
    ) -> Result<DocumentStructure> {
        structure::document_structure(&self.host, collection, name, paging)
    }

    /// The stored text of a page.
    pub fn page_text(&self, collection: CollectionId, document: &str, page: u32) -> Result<PageText> {
        pages::page_text(&self.host, collection, document, page)
    }

    /// Draws a page of a PDF or picture as it is shown, no larger than 2,000 pixels, with the lines of a chunk marked in translucent
    /// yellow. The file is read again, in a process of its own: where it is no longer the one that was ingested, the copy in the
    /// collection is taken, if there is one.
    ///
    /// Errors: `ErrorCode::UnsupportedFormat` for other formats, whose pages exist as text only; `ErrorCode::FileNotFound` or
    /// `ErrorCode::UnreadableFile` where the file is gone or was changed and there is no copy; `ErrorCode::InvalidArgument` for a
    /// page that is not there and a chunk of another page.
    pub fn page_picture(
        &self,
        collection: CollectionId,
        request: &PictureRequest<'_>,
        cancel: &Cancel,
    ) -> Result<PagePicture> {
        pages::page_picture(&self.host, collection, request, cancel)
    }

    /// Ingests files and folders without a job, for programs that have the data directory to themselves. Blocks until done; `cancel` stops
    /// it within a second.
    ///
    /// Fails as a whole only when nothing can be started (no such path, no model); after that every problem is in the report.
    pub fn ingest(
        &self,
        collection: CollectionId,
        request: &IngestRequest,
        progress: &ProgressSink,
        cancel: &Cancel,
    ) -> Result<IngestReport> {
        ingest::ingest(&self.host, collection, request, progress, cancel)
    }

    /// Reads, extracts and chunks a file exactly as ingestion does. Chunk ids are those of a document that does not exist.
    pub fn inspect(&self, path: &Path, password: Option<&Password>) -> Result<Inspection> {
        inspect::inspect(&self.host, path, password)
    }

    /// Says what a sync would do, and changes nothing. Costs a look at every file, reading those whose content has to be compared.
    ///
    /// Fails where the folder cannot be listed or is none. A file or subfolder that cannot be read is a failed file, and no document of
    /// it counts as missing.
    pub fn preview_sync(
        &self,
        collection: CollectionId,
        request: SyncRequest,
        progress: &ProgressSink,
        cancel: &Cancel,
    ) -> Result<SyncReport> {
        sync::sync(&self.host, collection, &SyncRequest { dry_run: true, ..request }, progress, cancel)
    }

    /// The document that `name` means: its id, the beginning of it, its path or its name with or without extension.
    pub fn document_id(&self, collection: CollectionId, name: &str) -> Result<DocumentId> {
        Ok(self.find_document(collection, name)?.id)
    }

    /// The state of all documents of a collection, or of the one that `document` names. Changes nothing. Whether a file changed is
    /// told by its SHA-256; one is read once, then again only when its size or times change while this process runs. The size
    /// is looked at first, so one of another size is not read.
    pub fn index_status(
        &self,
        collection: CollectionId,
        document: Option<&str>,
        cancel: &Cancel,
    ) -> Result<IndexStatus> {
        reindex::index_status(&self.host, collection, document, cancel)
    }
}
