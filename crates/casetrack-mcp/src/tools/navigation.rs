//! Navigate the active collection: outlines, pages, neighbouring chunks, documents of a type.

use casetrack_core::DocumentType;
use casetrack_engine::chunks::{Direction, PageChunks, Traversal};
use casetrack_engine::documents;
use casetrack_engine::documents::DocumentSummary;
use casetrack_engine::paging::Part;
use casetrack_engine::structure::DocumentStructure;

use crate::tools::prelude::*;

pub(crate) struct GetDocumentStructure;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StructureParameters {
    /// Document name or ID
    document_name: String,
    #[serde(flatten)]
    page: Page<300, 1000>,
}

impl Tool for GetDocumentStructure {
    const NAME: &'static str = "get_document_structure";
    const TITLE: &'static str = "Show the outline of a document";
    const DESCRIPTION: &'static str = "Get the structural outline of a document: headings, sections, numbered clauses, and their page/chunk locations. \
        This gives the AI a table-of-contents view for navigation. Works best with structured documents (contracts, \
        reports, policies).";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"document_name": "$document"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/sections"], |report| &mut report.sections, |report| &mut report.next_offset));
    type Parameters = StructureParameters;
    type Response = DocumentStructure;

    fn call(context: &Context<'_>, parameters: StructureParameters) -> Result<Reply<DocumentStructure>> {
        let StructureParameters { document_name, page } = parameters;
        let paging = Paging::from(page);
        let structure =
            documents::document_structure(context.engine.host(), context.active()?.id, &document_name, paging)?;
        Ok(Reply::new(structure, text::navigation::structure))
    }
}

pub(crate) struct BrowsePages;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BrowseParameters {
    /// Document name or ID
    document_name: String,
    /// First page to read
    #[schemars(range(min = 1))]
    start_page: u32,
    /// Last page to read
    #[schemars(range(min = 1))]
    end_page: u32,
}

impl Tool for BrowsePages {
    const NAME: &'static str = "browse_pages";
    const TITLE: &'static str = "Read pages";
    const DESCRIPTION: &'static str = "Get all chunks from a specific page range within a document. Use this to read through a section of a document \
        sequentially. Returns chunks in order with full provenance.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"document_name": "$document", "start_page": 1, "end_page": 2}"#;
    const LIST: Option<List<Self::Response>> = Some(List::new(&["/chunks"], |pages| &mut pages.chunks));
    type Parameters = BrowseParameters;
    type Response = PageChunks;

    fn call(context: &Context<'_>, parameters: BrowseParameters) -> Result<Reply<PageChunks>> {
        let BrowseParameters { document_name, start_page, end_page } = parameters;
        let pages =
            documents::browse_pages(context.engine.host(), context.active()?.id, &document_name, start_page, end_page)?;
        Ok(Reply::new(pages, text::navigation::pages))
    }
}

pub(crate) struct TraverseChunks;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TraverseParameters {
    /// UUID of the starting chunk
    start_chunk_id: String,
    /// Direction to traverse
    #[serde(default)]
    direction: Direction,
    /// Number of chunks to return
    #[serde(default = "super::number::<5>")]
    #[schemars(range(min = 1, max = 20))]
    count: u32,
}

impl Tool for TraverseChunks {
    const NAME: &'static str = "traverse_chunks";
    const TITLE: &'static str = "Read on or back";
    const DESCRIPTION: &'static str = "Navigate forward or backward through chunks in a document from a starting point. Use this to read through a \
        document sequentially from any position. Returns N chunks in document order with full provenance.";
    const ROW: Row = Row::new(Toolset::Graph, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"start_chunk_id": "$chunk", "direction": "backward"}"#;
    const LIST: Option<List<Self::Response>> = Some(List::new(&["/chunks"], |traversal| &mut traversal.chunks));
    type Parameters = TraverseParameters;
    type Response = Traversal;

    fn call(context: &Context<'_>, parameters: TraverseParameters) -> Result<Reply<Traversal>> {
        let TraverseParameters { start_chunk_id, direction, count } = parameters;
        let traversal =
            documents::traverse_chunks(context.engine.host(), context.active()?.id, &start_chunk_id, direction, count)?;
        Ok(Reply::new(traversal, text::navigation::traversal))
    }
}

pub(crate) struct ListDocumentsByType;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TypeParameters {
    /// Type to filter by
    document_type: DocumentType,
    #[serde(flatten)]
    page: Page<100, 1000>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DocumentsOfType {
    /// Name of the collection.
    collection: String,
    document_type: DocumentType,
    documents: Vec<DocumentSummary>,
    /// Documents of this type, including those not listed.
    total: u64,
    /// The offset to continue with; absent at the end.
    next_offset: Option<u64>,
}

impl Tool for ListDocumentsByType {
    const NAME: &'static str = "list_documents_by_type";
    const TITLE: &'static str = "List documents of a type";
    const DESCRIPTION: &'static str = "List all documents in the active collection filtered by document type (contract, report, spreadsheet, etc.). \
        Includes page count, chunk count, and ingestion date.";
    const ROW: Row = Row::new(Toolset::Graph, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"document_type": "contract"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/documents"], |list| &mut list.documents, |list| &mut list.next_offset));
    type Parameters = TypeParameters;
    type Response = DocumentsOfType;

    fn call(context: &Context<'_>, parameters: TypeParameters) -> Result<Reply<DocumentsOfType>> {
        let collection = context.active()?;
        let TypeParameters { document_type, page } = parameters;
        let part =
            Paging::from(page).of(documents::documents_of_type(context.engine.host(), collection.id, document_type)?);
        let Part { items: documents, total, next_offset } = part;
        let response = DocumentsOfType { collection: collection.name, document_type, documents, total, next_offset };
        Ok(Reply::new(response, move |list| {
            let DocumentsOfType { collection, document_type, documents, total, next_offset } = list;
            text::navigation::of_type(collection, *document_type, documents, page.offset, *total, *next_offset)
        }))
    }
}
