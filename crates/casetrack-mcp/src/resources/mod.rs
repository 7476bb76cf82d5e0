//! Collections, documents, chunks and pages as resources, which clients can list, read and subscribe to without a tool.

mod contents;
pub(crate) mod links;
mod list;
pub(crate) mod subscriptions;
pub(crate) mod synthesis;
mod uri;

use casetrack_core::{Error, ErrorKind};
use casetrack_text::Reader;
use rmcp::ErrorData;
use rmcp::model::{Annotations, ErrorCode, ResourceTemplate, Role};
use serde_json::json;

pub(crate) use self::contents::read;
pub(crate) use self::list::list;
pub(crate) use self::uri::Target;

const JSON: &str = "application/json";
const TEXT: &str = "text/plain";
const PNG: &str = "image/png";

pub(crate) struct Kind {
    /// RFC 6570. [`Target::parse`] reads its expansion.
    pub template: &'static str,
    name: &'static str,
    title: &'static str,
    description: &'static str,
    mime_type: &'static str,
}

/// All kinds. A new one is a row here and a variant of [`Target`].
pub(crate) const KINDS: [Kind; 7] = [
    Kind {
        template: "casetrack://collections",
        name: "collections",
        title: "Collections",
        description: "All collections, with their numbers of documents, pages and chunks.",
        mime_type: JSON,
    },
    Kind {
        template: "casetrack://collections/{collection}/documents",
        name: "documents",
        title: "Documents of a collection",
        description: "The documents of a collection, by name. collection is its name or ID.",
        mime_type: JSON,
    },
    Kind {
        template: "casetrack://collections/{collection}/documents/{id}",
        name: "document",
        title: "Document",
        description: "A document's details and its outline. id is its name or ID.",
        mime_type: JSON,
    },
    Kind {
        template: "casetrack://collections/{collection}/evidence",
        name: "evidence",
        title: "Evidence of a collection",
        description: "The passages that were collected as evidence, in their order. collection is its name or ID.",
        mime_type: JSON,
    },
    Kind {
        template: "casetrack://collections/{collection}/chunks/{id}",
        name: "chunk",
        title: "Passage",
        description: "The verbatim text of a chunk with its full provenance and the line to cite it by. id is a chunk_id.",
        mime_type: TEXT,
    },
    Kind {
        template: "casetrack://collections/{collection}/pages/{document}/{page}{?view}",
        name: "page",
        title: "Page",
        description: "The verbatim text of a page (from 1) and, for PDF files and pictures, a picture of the page. document is a \
                      name or ID; of tracked changes, view shows final (default), original or redline.",
        mime_type: TEXT,
    },
    Kind {
        template: "casetrack://collections/{collection}/pages/{document}/{page}.png{?chunk}",
        name: "page-picture",
        title: "Picture of a page",
        description: "A page of a PDF or picture as it looks; with a chunk_id as chunk, the lines of that chunk are marked in yellow.",
        mime_type: PNG,
    },
];

/// The kinds whose URIs have variables; evidence only if it is offered.
pub(crate) fn templates(evidence: bool) -> Vec<ResourceTemplate> {
    let is_offered = |kind: &&Kind| kind.template.contains('{') && (evidence || kind.name != "evidence");
    let with_variables = KINDS.iter().filter(is_offered);
    with_variables
        .map(|kind| {
            ResourceTemplate::new(kind.template, kind.name)
                .with_title(kind.title)
                .with_description(kind.description)
                .with_mime_type(kind.mime_type)
                .with_annotations(for_both())
        })
        .collect()
}

fn for_both() -> Annotations {
    Annotations::default().with_audience(vec![Role::User, Role::Assistant])
}

/// The protocol's error for a resource that cannot be read: "not found" if the caller can correct the URI.
pub(crate) fn unreadable(error: &Error, uri: &str) -> ErrorData {
    let code = match error.kind() {
        ErrorKind::User => ErrorCode::RESOURCE_NOT_FOUND,
        ErrorKind::Environment | ErrorKind::Corruption | ErrorKind::Bug => ErrorCode::INTERNAL_ERROR,
    };
    ErrorData::new(code, Reader::Assistant.error(error), Some(json!({"uri": uri, "code": error.code.name()})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_expands_to_a_uri_that_is_read() {
        for kind in &KINDS {
            let uri = kind
                .template
                .replace("{?chunk}", "?chunk=c")
                .replace("{?view}", "?view=redline")
                .replace("{page}", "1");
            let uri = ["{collection}", "{document}", "{id}"].iter().fold(uri, |uri, name| uri.replace(name, "x"));
            assert_eq!(Target::parse(&uri).unwrap().to_string(), uri);
        }
        assert_eq!((templates(true).len(), templates(false).len()), (KINDS.len() - 1, KINDS.len() - 2));
    }
}
