//! List, describe and delete the documents of the active collection.

use casetrack_core::DocumentMeta;
use casetrack_engine::documents;
use casetrack_engine::documents::unread::UnreadFile;
use casetrack_engine::documents::{DocumentDetails, DocumentSort, DocumentSummary};
use casetrack_engine::paging::Part;
use casetrack_engine::search::{MarkFilter, admit};

use super::unconfirmed;
use crate::tools::prelude::*;

pub(crate) struct ListDocuments;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParameters {
    /// Sort order
    #[serde(default)]
    sort_by: DocumentSort,
    /// Only documents with this tag of the user, or without it (-privileged)
    tag: Option<String>,
    /// List the files and parts of files that were not read, or read with loss, in place of the documents: each with its container, reason and
    /// remedy
    #[serde(default)]
    unread: bool,
    #[serde(flatten)]
    page: Page<100, 1000>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DocumentList {
    /// Name of the collection.
    collection: String,
    documents: Vec<DocumentSummary>,
    /// The files and parts that were not read, or read with loss, if they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<UnreadFile>,
    /// The number of files and parts that were not read, or read with loss.
    unread_total: u64,
    /// All documents, or those with the tag, including those not listed; all files and parts, if unread ones were asked for.
    total: u64,
    /// The offset to continue with; absent at the end.
    next_offset: Option<u64>,
}

impl Tool for ListDocuments {
    const NAME: &'static str = "list_documents";
    const TITLE: &'static str = "List documents";
    const DESCRIPTION: &'static str = "List all documents in the active collection.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"sort_by": "pages"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/documents"], |list| &mut list.documents, |list| &mut list.next_offset));
    type Parameters = ListParameters;
    type Response = DocumentList;

    fn call(context: &Context<'_>, parameters: ListParameters) -> Result<Reply<DocumentList>> {
        let collection = context.active()?;
        let ListParameters { sort_by, tag, unread, page } = parameters;
        let not_read = documents::list_unread(context.engine.host(), collection.id)?;
        let unread_total = not_read.len() as u64;
        if unread {
            let Part { items: unread, total, next_offset } = Paging::from(page).of(not_read);
            let (collection, documents) = (collection.name, Vec::new());
            let list = DocumentList { collection, documents, unread, unread_total, total, next_offset };
            return Ok(Reply::new(list, move |list| {
                let place = (page.offset, list.total);
                text::unread::list(&list.collection, &list.unread, place, list.next_offset, Reader::Assistant)
            }));
        }
        let filters: Vec<MarkFilter> = tag.iter().map(|tag| MarkFilter::tag(tag)).collect::<Result<_>>()?;
        let mut documents = documents::list_documents(context.engine.host(), collection.id, sort_by)?;
        let tag = tag.filter(|_| !documents.is_empty());
        documents.retain(|document| admit(&filters, &document.marks));
        let part = Paging::from(page).of(documents);
        let Part { items: mut documents, total, next_offset } = part;
        documents::describe_contracts(context.engine.host(), collection.id, &mut documents)?;
        let (collection, unread) = (collection.name, Vec::new());
        let list = DocumentList { collection, documents, unread, unread_total, total, next_offset };
        Ok(Reply::new(list, move |list| {
            let place = (page.offset, list.total);
            let part =
                text::documents::part(&list.collection, &list.documents, tag.as_deref(), place, list.next_offset);
            part + &text::unread::remark(list.unread_total, Reader::Assistant)
        }))
    }
}

pub(crate) struct GetDocument;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetParameters {
    /// Document name or ID
    document_name: String,
}

impl Tool for GetDocument {
    const NAME: &'static str = "get_document";
    const TITLE: &'static str = "Describe a document";
    const DESCRIPTION: &'static str = "Get detailed information about a specific document including page count, extraction method, and chunk \
        statistics.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"document_name": "$document"}"#;
    type Parameters = GetParameters;
    type Response = DocumentDetails;

    fn call(context: &Context<'_>, parameters: GetParameters) -> Result<Reply<DocumentDetails>> {
        let details = documents::document(context.engine.host(), context.active()?.id, &parameters.document_name)?;
        Ok(Reply::new(details, |details| text::documents::details(details, Reader::Assistant)))
    }
}

pub(crate) struct DeleteDocument;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteParameters {
    /// Document name or ID to delete
    document_name: String,
    /// Must be true to confirm deletion
    #[schemars(extend("default" = false))]
    confirm: bool,
}

impl Tool for DeleteDocument {
    const NAME: &'static str = "delete_document";
    const TITLE: &'static str = "Delete a document";
    const DESCRIPTION: &'static str =
        "Remove a document and all its chunks, embeddings, and index entries from the active collection.";
    const ROW: Row = Row::new(Toolset::Ingest, Effect::Deletes, Need::EDIT);
    const SAMPLE: &'static str = r#"{"document_name": "$document", "confirm": true}"#;
    type Parameters = DeleteParameters;
    /// The document that was deleted.
    type Response = DocumentMeta;

    fn call(context: &Context<'_>, parameters: DeleteParameters) -> Result<Reply<DocumentMeta>> {
        let collection = context.active()?;
        if !parameters.confirm {
            let found = documents::document(context.engine.host(), collection.id, &parameters.document_name)?;
            return Err(unconfirmed(&text::documents::description(&found.meta, &collection.name)));
        }
        let deleted = documents::delete_document(context.engine.host(), collection.id, &parameters.document_name)?;
        Ok(Reply::new(deleted, move |deleted| text::documents::deleted(deleted, &collection.name)))
    }
}
