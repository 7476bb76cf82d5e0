//! Links from the answers of tools to the resources they are about.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use casetrack_core::CollectionId;
use rmcp::model::Resource;
use serde_json::{Map, Value};

use super::{JSON, TEXT, Target, for_both};
use crate::answer;
use casetrack_text::format::one_line;

const MAX_LINKS: usize = 10;

/// The collections of an answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Collections {
    /// The collection of objects in an answer that names none.
    pub active: Option<CollectionId>,
    /// By name: objects with a field `collection`, and the objects inside them, belong to it.
    pub named: BTreeMap<String, CollectionId>,
}

impl Collections {
    fn of(&self, name: Option<&str>) -> Option<String> {
        let id = name.map_or(self.active, |name| self.named.get(name).copied());
        id.map(|id| id.to_string())
    }
}

/// Links to the passages in the structured content of an answer or, if it has none, to its documents: the first ten, in order.
///
/// A passage is an object with a `chunk_id`, and with a `citation` or brief provenance; a document has `id`, `name`, `path` and `format`. These
/// fields have the same names in all answers.
pub(crate) fn links(collections: &Collections, structured: &Value) -> Vec<Resource> {
    let of_passage =
        |name: Option<&str>, object: &Map<String, Value>| passage(&collections.of(name)?, structured, object);
    let found = find(structured, &of_passage);
    if !found.is_empty() {
        return found;
    }
    find(structured, &|name, object| document(&collections.of(name)?, object))
}

/// The names of collections that the links of an answer need.
pub(crate) fn names(structured: &Value) -> BTreeSet<String> {
    let names = RefCell::new(BTreeSet::new());
    let note = |name: Option<&str>, object: &Map<String, Value>| {
        let link = passage("", structured, object).or_else(|| document("", object))?;
        names.borrow_mut().extend(name.map(str::to_owned));
        Some(link)
    };
    find(structured, &note);
    names.into_inner()
}

fn passage(collection: &str, structured: &Value, object: &Map<String, Value>) -> Option<Resource> {
    let chunk = object.get("chunk_id")?.as_str()?;
    let target = Target::Chunk { collection: collection.to_owned(), chunk: chunk.to_owned() };
    let name = match object.get("citation") {
        Some(citation) => {
            let citation = citation.as_str()?;
            let named = answer::cited(structured, citation).map(|(document, place)| format!("{document}, {place}"));
            named.unwrap_or_else(|| unquoted(citation))
        }
        None => answer::placed(structured, object)?,
    };
    Some(Resource::new(target.to_string(), name).with_mime_type(TEXT).with_annotations(for_both()))
}

fn document(collection: &str, object: &Map<String, Value>) -> Option<Resource> {
    let text = |field: &str| object.get(field)?.as_str();
    let (id, name, _, _) = (text("id")?, text("name")?, text("path")?, text("format")?);
    let target = Target::Document { collection: collection.to_owned(), document: id.to_owned() };
    Some(Resource::new(target.to_string(), one_line(name)).with_mime_type(JSON).with_annotations(for_both()))
}

/// A citation without the quotes around its file name: the name of a link is a field of its own.
fn unquoted(citation: &str) -> String {
    let Some(rest) = citation.strip_prefix('"') else { return citation.to_owned() };
    let mut name = String::new();
    let mut chars = rest.chars();
    while let Some(c) = chars.next() {
        match (c, chars.as_str().chars().next()) {
            ('"', _) => return name + chars.as_str(),
            // A hidden character stays escaped.
            ('\\', Some(escaped @ ('"' | '\\'))) => {
                chars.next();
                name.push(escaped);
            }
            _ => name.push(c),
        }
    }
    citation.to_owned()
}

type Link<'l> = dyn Fn(Option<&str>, &Map<String, Value>) -> Option<Resource> + 'l;

/// The links that `link` makes from the objects in a value, each with the name of its collection, outermost first, each once.
fn find(value: &Value, link: &Link<'_>) -> Vec<Resource> {
    let mut found: Vec<Resource> = Vec::new();
    let mut open: Vec<(Option<&str>, &Value)> = vec![(None, value)];
    while let Some((collection, value)) = open.pop()
        && found.len() < MAX_LINKS
    {
        match value {
            Value::Array(items) => open.extend(items.iter().rev().map(|item| (collection, item))),
            Value::Object(object) => {
                let collection = object.get("collection").and_then(Value::as_str).or(collection);
                if let Some(link) = link(collection, object)
                    && !found.iter().any(|known| known.uri == link.uri)
                {
                    found.push(link);
                }
                open.extend(object.values().rev().map(|item| (collection, item)));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn passages_come_before_documents_each_once_and_no_more_than_ten() {
        let id = CollectionId::random();
        let document = json!({"id": "d", "name": "a.pdf", "path": "/a.pdf", "format": "pdf"});
        let passage = |n: u32| json!({"chunk_id": format!("c{n}"), "citation": format!("a.pdf, p. {n}")});
        let one = json!({"document": document, "results": [passage(1), passage(2), passage(1)]});
        let active = Collections { active: Some(id), ..Collections::default() };
        let names = |value: &Value| links(&active, value).into_iter().map(|link| link.name).collect::<Vec<_>>();
        assert_eq!(names(&one), ["a.pdf, p. 1", "a.pdf, p. 2"]);
        assert_eq!(links(&active, &one)[0].uri, format!("casetrack://collections/{id}/chunks/c1"));
        assert_eq!(names(&json!({"document": document, "results": []})), ["a.pdf"]);
        assert_eq!(names(&json!((0..30).map(passage).collect::<Vec<_>>())).len(), MAX_LINKS);
        assert!(links(&active, &json!({"chunk_id": "no citation"})).is_empty());
        let spaced = json!({"chunk_id": "c", "citation": "\"Vendor Agreement \\\"signed\\\".docx\", p. 3, l. 1"});
        assert_eq!(names(&spaced), ["Vendor Agreement \"signed\".docx, p. 3, l. 1"]);
        let placed = json!({
            "results": [{"chunk_id": "c", "provenance": {"source": 2, "page": 3, "paragraphs": [1, 2], "lines": [4, 4]}}],
            "sources": [{"number": 2, "document_name": "a.pdf"}],
        });
        assert_eq!(names(&placed), ["a.pdf, p. 3, paras. 1-2, l. 4"]);
        let document = json!({"id": "d", "name": "Vendor Agreement.pdf", "path": "/a.pdf", "format": "pdf"});
        assert_eq!(names(&document), ["Vendor Agreement.pdf"]);
    }

    #[test]
    fn a_passage_is_linked_in_the_collection_that_the_answer_names() {
        let [active, lease, loan] = [(); 3].map(|()| CollectionId::random());
        let named = [("Lease".to_owned(), lease), ("Loan".to_owned(), loan)].into();
        let collections = Collections { active: Some(active), named };
        let uris = |value: &Value| links(&collections, value).into_iter().map(|link| link.uri).collect::<Vec<_>>();
        let uri = |id: CollectionId, chunk: &str| format!("casetrack://collections/{id}/chunks/{chunk}");
        let passage = |chunk: &str| json!({"chunk_id": chunk, "citation": "a.pdf"});
        let of = |name: &str, chunk: &str| json!({"collection": name, "chunk_id": chunk, "citation": "a.pdf"});

        let one = json!({"collection": "Lease", "results": [passage("a")]});
        assert_eq!(uris(&one), [uri(lease, "a")]);
        let results = [of("Loan", "a"), of("Lease", "b")];
        let two = json!({"collection": "Lease, Loan", "results": results, "related": [passage("c")]});
        assert_eq!(uris(&two), [uri(loan, "a"), uri(lease, "b")], "no link is better than a dead one");
        assert_eq!(names(&two).into_iter().collect::<Vec<_>>(), ["Lease", "Lease, Loan", "Loan"]);
        assert_eq!(uris(&json!({"results": [passage("a")]})), [uri(active, "a")]);
        assert!(names(&json!({"collection": "Lease", "deleted": 3})).is_empty());
    }
}
