//! The resources: the list of collections, and for each collection the list of its documents and the documents.

use std::str::FromStr;

use casetrack_core::{CollectionId, CollectionMeta, Error, Result};
use casetrack_engine::documents::CatalogueEntry;
use casetrack_engine::{Engine, collections, documents};
use rmcp::model::Resource;

use super::{JSON, KINDS, Target, for_both};
use casetrack_text::format::one_line;

/// Resources of one answer.
const PAGE: usize = 100;

/// A page of the list and the cursor of the next one.
///
/// The first page names the collections without opening them. Each further page holds documents of one collection, by path. A cursor names the last
/// path: documents added or removed in the meantime neither repeat nor hide others.
pub(crate) fn list(engine: &Engine, cursor: Option<&str>) -> Result<(Vec<Resource>, Option<String>)> {
    let collections = collections::collections(engine.host())?;
    let Some(cursor) = cursor else {
        let mut resources = vec![
            Resource::new(Target::Collections.to_string(), KINDS[0].name)
                .with_title(KINDS[0].title)
                .with_description(KINDS[0].description)
                .with_mime_type(JSON)
                .with_annotations(for_both()),
        ];
        resources.extend(collections.iter().map(documents_of));
        return Ok((
            resources,
            collections.first().map(|first| Cursor { collection: first.id, after: "" }.to_string()),
        ));
    };
    let Cursor { collection, after } = Cursor::read(cursor)
        .filter(|cursor| collections.iter().any(|meta| meta.id == cursor.collection))
        .ok_or_else(|| Error::invalid("The cursor does not belong to this list, or its collection was deleted."))?;
    let at = collections.iter().position(|meta| meta.id == collection).unwrap_or_default();
    let next_collection = collections.get(at + 1).map(|next| Cursor { collection: next.id, after: "" }.to_string());
    let documents = match documents::document_catalogue(engine.host(), collection) {
        Ok(documents) => documents,
        Err(error) => {
            // The list of collections reports the problem of this one.
            tracing::warn!(%error, %collection, "the documents of a collection are not listed");
            return Ok((Vec::new(), next_collection));
        }
    };
    let rest = &documents[documents.partition_point(|entry| entry.path.as_str() <= after)..];
    let page = &rest[..rest.len().min(PAGE)];
    let next = match page.last() {
        Some(last) if page.len() < rest.len() => Some(Cursor { collection, after: &last.path }.to_string()),
        _ => next_collection,
    };
    let name = collections.get(at).map(|meta| meta.name.as_str()).unwrap_or_default();
    Ok((page.iter().map(|entry| document(collection, name, entry)).collect(), next))
}

fn documents_of(meta: &CollectionMeta) -> Resource {
    let name = one_line(&meta.name);
    Resource::new(Target::Documents { collection: meta.id.to_string() }.to_string(), name.clone())
        .with_title(format!("Documents of {name}"))
        .with_description(format!("The documents of the collection \"{name}\"."))
        .with_mime_type(JSON)
        .with_annotations(for_both())
}

fn document(collection: CollectionId, in_collection: &str, entry: &CatalogueEntry) -> Resource {
    let target = Target::Document { collection: collection.to_string(), document: entry.id.to_string() };
    let mut annotations = for_both();
    annotations.last_modified = Some(entry.ingested_at.to_string());
    let name = one_line(&entry.name);
    Resource::new(target.to_string(), name.clone())
        .with_title(name)
        .with_description(format!("Details and outline. In {}: {}", one_line(in_collection), one_line(&entry.path)))
        .with_mime_type(JSON)
        .with_annotations(annotations)
}

/// A place in the list: after a path in a collection.
#[derive(Debug, PartialEq)]
struct Cursor<'a> {
    collection: CollectionId,
    after: &'a str,
}

impl<'a> Cursor<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (collection, after) = text.split_once(' ')?;
        Some(Self { collection: CollectionId::from_str(collection).ok()?, after })
    }
}

impl std::fmt::Display for Cursor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.collection, self.after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_read_as_they_were_written_and_others_refused() {
        let collection = CollectionId::random();
        for after in ["", "/home/a b/c d.pdf"] {
            let cursor = Cursor { collection, after };
            assert_eq!(Cursor::read(&cursor.to_string()), Some(cursor));
        }
        assert_eq!((Cursor::read("7"), Cursor::read("x /a")), (None, None));
    }
}
