//! The documents of a collection that are versions of one another, in groups.

use std::collections::{HashMap, HashSet};

use casetrack_core::{CollectionId, DocumentId, Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::drafts::{Draft, DraftOrder, ordered};
use super::groups::groups;
use super::redline::count_changes;
use super::sketch::{Sketch, Sketcher};
use casetrack_host::documents::facts::{ByVersion, in_parallel};
use casetrack_host::documents::{CatalogueEntry, document_named, shared_names};
use casetrack_host::paging::{Paging, Part};
use casetrack_host::{Host, OpenCollection};

/// Lowest similarity that a call may request.
pub const MIN_SIMILARITY: f64 = 0.1;
/// The usual least similarity. Copies in which a word in five has changed are at 0.34; of 100 contracts, two that are
/// no versions of each other have at most 0.14 (`benches/facts/near_duplicates.py`).
pub const USUAL_SIMILARITY: f64 = 0.25;
/// Most documents listed of one group.
pub const MAX_LISTED: usize = 200;
/// Most neighbours whose changes one call counts; the others have none.
const MAX_COUNTED: usize = 200;

/// The groups to list.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionQuery {
    /// Only the group of the document with this name or id.
    pub document: Option<String>,
    /// The least share (0.1–1) of three-word sequences that a version has in common with another one of its group.
    pub min_similarity: f64,
}

impl Default for VersionQuery {
    fn default() -> Self {
        Self { document: None, min_similarity: USUAL_SIMILARITY }
    }
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct VersionReport {
    pub collection: String,
    /// Documents that were compared.
    pub documents: u64,
    /// Those that were not, because they have next to no text.
    pub too_short: u64,
    pub min_similarity: f64,
    /// Groups, also those that are not listed, and the documents in them.
    pub total: u64,
    pub in_groups: u64,
    /// The largest first.
    pub groups: Vec<VersionGroup>,
    /// The offset to continue with; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// Documents that are versions of one another.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct VersionGroup {
    pub ordered_by: DraftOrder,
    /// Documents of the group, also those that are not listed.
    pub total: u64,
    /// In their order, the oldest first if it is known.
    pub versions: Vec<DocumentVersion>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DocumentVersion {
    pub document_name: String,
    /// Present if another document has the same name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The basis of the order: a version or a date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Estimated share (0–1) of the three-word sequences that it has in common with the version before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f32>,
    /// True if it has the same words as the version before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub same_text: bool,
    /// Paragraphs that differ from the version before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<u64>,
}

pub(super) fn sketch(collection: &OpenCollection, document: DocumentId) -> Result<Sketch> {
    let mut sketcher = Sketcher::default();
    let pages = collection.document(document)?.map_or(0, |meta| meta.page_count);
    for number in 1..=pages {
        if let Some(page) = collection.page(document, number)? {
            sketcher.add(&page.text);
        }
    }
    Ok(sketcher.finish())
}

/// To as many digits as an estimate has.
fn rounded(share: f32) -> f32 {
    (share * 100.0).round() / 100.0
}

/// Groups of documents that are versions or copies of one another, with their order and the number of changes between
/// neighbours. The first call reads all documents, 100 MB of text in some seconds on several threads; later ones read
/// only changed documents. Counting the changes of the groups that are listed takes as long as that many redlines.
/// Errors: [`ErrorCode::NotFound`](casetrack_core::ErrorCode::NotFound) for a document that does not exist;
/// [`ErrorCode::InvalidArgument`](casetrack_core::ErrorCode::InvalidArgument) for a similarity out of its range.
pub fn versions(host: &Host, id: CollectionId, query: &VersionQuery, paging: Paging) -> Result<VersionReport> {
    let least = query.min_similarity;
    if !(MIN_SIMILARITY..=1.0).contains(&least) {
        let range = format!("min_similarity is {least}; it must be between {MIN_SIMILARITY} and 1.");
        return Err(Error::invalid(range));
    }
    let collection = host.collection(id)?;
    let wanted =
        query.document.as_deref().map(|name| document_named(&collection, name)).transpose()?.map(|meta| meta.id);
    let catalogue = collection.catalogue()?;
    let documents: Vec<DocumentId> = catalogue.iter().map(|entry| entry.id).collect();
    let known = collection.derived::<ByVersion<Sketch>>();
    let sketches = known.of(&collection, &documents, |document| sketch(&collection, document))?;
    let sketches: Vec<&Sketch> = sketches.iter().map(|(_, sketch)| sketch.as_ref()).collect();
    let compared = sketches.iter().filter(|sketch| sketch.is_comparable()).count();
    let mut found = groups(&sketches, least as f32);
    let in_groups = found.iter().map(Vec::len).sum::<usize>() as u64;
    if let Some(wanted) = wanted {
        found.retain(|members| members.iter().any(|&at| documents[at] == wanted));
    }
    let names = shared_names(&catalogue);
    let Part { items, total, next_offset } = paging.of(found);
    let mut left = MAX_COUNTED;
    let mut listed = Vec::new();
    for members in items {
        let members: Vec<_> = members.iter().map(|&at| (&*catalogue[at], sketches[at])).collect();
        listed.push(group(&collection, &members, &names, &mut left)?);
    }
    let mut notices = Vec::new();
    if left == 0 {
        notices.push(format!(
            "Changes are counted between at most {MAX_COUNTED} neighbours in one answer. List fewer groups at a time."
        ));
    }
    Ok(VersionReport {
        collection: collection.meta().name.clone(),
        documents: compared as u64,
        too_short: (sketches.len() - compared) as u64,
        min_similarity: least,
        total,
        in_groups,
        groups: listed,
        next_offset,
        notices,
    })
}

/// A group in its order, with the changes between at most `left` neighbours. `names` are those that several documents have.
fn group(
    collection: &OpenCollection,
    members: &[(&CatalogueEntry, &Sketch)],
    names: &HashSet<&str>,
    left: &mut usize,
) -> Result<VersionGroup> {
    let drafts = members.iter().map(|&(entry, sketch)| {
        let date = entry.modified.as_deref().or(entry.created.as_deref());
        Draft { name: &entry.name, path: &entry.path, date, sketch }
    });
    let drafts: Vec<Draft<'_>> = drafts.collect();
    let (order, ordered_by, said) = ordered(&drafts);
    let mut versions: Vec<DocumentVersion> = Vec::new();
    let mut pairs = Vec::new();
    for (number, &at) in order.iter().take(MAX_LISTED).enumerate() {
        let (entry, sketch) = members[at];
        let before = number.checked_sub(1).map(|before| members[order[before]]);
        let same_text = before.is_some_and(|(_, before)| before == sketch);
        if let Some((before, _)) = before.filter(|_| !same_text && *left > 0) {
            *left -= 1;
            pairs.push((number, before.id, entry.id));
        }
        versions.push(DocumentVersion {
            document_name: entry.name.clone(),
            path: names.contains(entry.name.as_str()).then(|| entry.path.clone()),
            version: said[at].clone(),
            similarity: before.map(|(_, before)| rounded(before.similarity(sketch))),
            same_text,
            changes: same_text.then_some(0),
        });
    }
    let of_pair: HashMap<DocumentId, (usize, DocumentId)> =
        pairs.iter().map(|&(number, before, document)| (document, (number, before))).collect();
    let later: Vec<DocumentId> = pairs.iter().map(|(_, _, document)| *document).collect();
    let counted = in_parallel(&later, |document| match of_pair.get(&document) {
        Some(&(number, before)) => Ok(count_changes(collection, before, document)?.map(|count| (number, count))),
        None => Ok(None),
    })?;
    for (number, count) in counted.into_iter().filter_map(|(_, counted)| counted) {
        versions[number].changes = Some(count);
    }
    Ok(VersionGroup { ordered_by, total: members.len() as u64, versions })
}
