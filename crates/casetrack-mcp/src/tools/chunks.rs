//! Show chunks with their provenance, and the text around them.

use casetrack_core::TextView;
use casetrack_engine::chunks::{ChunkView, DocumentChunks, SourceContext};
use casetrack_engine::documents;

use crate::tools::prelude::*;

pub(crate) struct GetChunk;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChunkParameters {
    /// UUID of the chunk
    chunk_id: String,
    /// Of tracked changes
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    view: TextView,
}

impl Tool for GetChunk {
    const NAME: &'static str = "get_chunk";
    const TITLE: &'static str = "Show a chunk";
    const DESCRIPTION: &'static str = "Get a specific chunk by ID with its full text, provenance (source file, page, paragraph, line, character \
        offsets), and embedding status.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"chunk_id": "$chunk"}"#;
    type Parameters = ChunkParameters;
    type Response = ChunkView;

    fn call(context: &Context<'_>, parameters: ChunkParameters) -> Result<Reply<ChunkView>> {
        let chunk =
            documents::chunk(context.engine.host(), context.active()?.id, &parameters.chunk_id, parameters.view)?;
        Ok(Reply::new(chunk, text::chunks::chunk))
    }
}

pub(crate) struct GetDocumentChunks;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentParameters {
    /// Document name or ID
    document_name: String,
    /// Optional: only show chunks from this page number
    #[schemars(range(min = 1))]
    page_filter: Option<u32>,
    #[serde(flatten)]
    page: Page<100, 500>,
}

impl Tool for GetDocumentChunks {
    const NAME: &'static str = "get_document_chunks";
    const TITLE: &'static str = "List the chunks of a document";
    const DESCRIPTION: &'static str = "List all chunks in a document with their provenance. Shows where every piece of text came from: page, paragraph, \
        line numbers, and character offsets. Use this to understand how a document was chunked and indexed.";
    const ROW: Row = Row::new(Toolset::Graph, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"document_name": "$document", "page_filter": 1}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/chunks"], |report| &mut report.chunks, |report| &mut report.next_offset));
    type Parameters = DocumentParameters;
    type Response = DocumentChunks;

    fn call(context: &Context<'_>, parameters: DocumentParameters) -> Result<Reply<DocumentChunks>> {
        let collection = context.active()?.id;
        let DocumentParameters { document_name, page_filter, page } = parameters;
        let paging = Paging::from(page);
        let chunks =
            documents::document_chunks(context.engine.host(), collection, &document_name, page_filter, paging)?;
        Ok(Reply::new(chunks, move |chunks| text::chunks::document_chunks(chunks, page_filter)))
    }
}

pub(crate) struct GetSourceContext;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContextParameters {
    /// UUID of the chunk to get context for
    chunk_id: String,
    /// Number of chunks before and after to include
    #[serde(default = "super::number::<1>")]
    #[schemars(range(min = 1, max = 5))]
    window: u32,
}

impl Tool for GetSourceContext {
    const NAME: &'static str = "get_source_context";
    const TITLE: &'static str = "Show the text around a chunk";
    const DESCRIPTION: &'static str = "Get the surrounding context for a chunk -- the chunks immediately before and after it in the original document. \
        Useful for understanding the full context around a search result.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"chunk_id": "$chunk"}"#;
    type Parameters = ContextParameters;
    type Response = SourceContext;

    fn call(context: &Context<'_>, parameters: ContextParameters) -> Result<Reply<SourceContext>> {
        let collection = context.active()?.id;
        let source = documents::source_context(
            context.engine.host(),
            collection,
            &parameters.chunk_id,
            parameters.window,
            TextView::Final,
        )?;
        Ok(Reply::new(source, |source| text::chunks::source_context(source, Reader::Assistant)))
    }
}
