//! `in:deleted WORDS`: text that was deleted from documents, or moved away in them, while changes were tracked.
//!
//! All tracked changes are read in turn, without an index: a search costs time in proportion to them (a document keeps at most 50,000), and memory
//! for those of one page. Words are compared whole, without regard to case.

use std::collections::HashSet;
use std::ops::Range;
use std::time::Instant;

use casetrack_core::{Change, CollectionId, DocumentId, DocumentMeta, Error, FileFormat, Notice, Result};
use casetrack_store::{Collection, PageTest};
use schemars::JsonSchema;
use serde::Serialize;

use super::query::{self, DeletedWords};
use super::{Filters, SearchRequest, SearchResponse, filter, within_tier};
use crate::filter::marks;
use casetrack_host::Host;
use casetrack_host::documents::tracked_changes::{TrackedChange, known_spans, pages_with_changes, placed};

/// Characters of a deletion before and after the first word that is looked for.
const BEFORE: usize = 200;
const AFTER: usize = 600;

#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct DeletedTexts {
    /// Deletions, and texts that were moved away, with all the words.
    pub total: u64,
    pub documents: u64,
    pub texts: Vec<DeletedText>,
}

/// A text that is no longer part of its document, with its former place.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DeletedText {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    pub document_id: DocumentId,
    pub file_path: String,
    #[serde(flatten)]
    pub change: TrackedChange,
}

/// The answer to a query with `in:deleted`; `None` for other queries.
pub(super) fn deleted_texts(
    host: &Host,
    collections: &[CollectionId],
    query: &str,
    request: &SearchRequest,
    started: Instant,
) -> Result<Option<SearchResponse>> {
    let Some((words, [own, named])) = asked(query, request)? else { return Ok(None) };
    let filters = [&own, &named];
    let mut notices = vec![
        "Deleted texts are no longer part of the documents: never quote them as \
         agreed. Words match whole, without regard to case."
            .to_owned(),
    ];
    if request.related || request.brief || request.context > 0 || request.per_document.is_some() {
        notices.push(
            "Related and brief results, context and a number of passages of each document do not apply to in:deleted."
                .to_owned(),
        );
    }
    let request = within_tier(request, host.config().tier, &mut notices);
    let wanted = match request.count_only {
        true => 0..0,
        false => u64::from(request.offset)..u64::from(request.offset) + u64::from(request.top_k),
    };
    let mut finder = Finder { words, filters, wanted, found: DeletedTexts::default() };
    let (mut total_documents, mut searched, mut names) = (0, 0, Vec::new());
    for &id in collections {
        let collection = host.collection(id)?;
        total_documents += collection.counts()?.documents;
        notices.extend(marks::unknown(&collection, filters)?);
        let name = collection.meta().name.clone();
        searched += finder.look_in(host, &collection, (collections.len() > 1).then_some(name.as_str()))?;
        names.push(name);
    }
    let Finder { wanted, found, .. } = finder;
    if searched > 0 && found.total == 0 {
        notices.push(format!(
            "Tracked changes are read from {} files. Files that an earlier version ingested have to be reindexed first.",
            FileFormat::labels(&FileFormat::WITH_TRACKED_CHANGES)
        ));
    }
    Ok(Some(SearchResponse {
        query: query.to_owned(),
        collection: names.join(", "),
        total_documents,
        documents: searched,
        chunks: 0,
        elapsed_ms: started.elapsed().as_secs_f64() * 1000.0,
        tier: host.config().tier,
        stages: vec!["deleted texts".to_owned()],
        notices: notices.into_iter().map(Notice::from).collect(),
        complete: None,
        next_offset: (wanted.end < found.total && !wanted.is_empty()).then_some(wanted.end),
        results: Vec::new(),
        hits: Vec::new(),
        deleted: Some(found),
        related: Vec::new(),
    }))
}

/// The words that are looked for, and the filters of the request and of the query; `None` for other queries.
///
/// Errors: filters that deleted texts cannot have.
fn asked(query: &str, request: &SearchRequest) -> Result<Option<(DeletedWords, [Filters; 2])>> {
    let Some((words, named)) = query::in_deleted(query)? else { return Ok(None) };
    let mut own = request.filters.clone();
    own.documents.extend(request.document.clone());
    let filters = [own, named];
    if filters.iter().any(|filters| !filters.entities.is_empty()) {
        return Err(Error::invalid("in:deleted cannot be combined with entities: they are found in the final text.")
            .with_hint("Leave the entity out, or write its name as words."));
    }
    if filters.iter().any(|filters| !filters.printed().is_empty()) {
        return Err(Error::invalid(
            "in:deleted cannot be combined with Bates numbers, printed labels, exhibits or numbers of paragraphs: drafts have none.",
        )
        .with_hint("Leave them out, or name pages by their numbers."));
    }
    Ok(Some((words, filters)))
}

/// Looks for deleted texts, collection by collection.
struct Finder<'f> {
    words: DeletedWords,
    filters: [&'f Filters; 2],
    /// The wanted texts, by their place among all that are found.
    wanted: Range<u64>,
    found: DeletedTexts,
}

impl Finder<'_> {
    /// Looks in the documents of a collection that the filters leave; returns their number. `name` is shown with the texts.
    fn look_in(&mut self, host: &Host, collection: &Collection, name: Option<&str>) -> Result<u64> {
        let mut documents = collection.documents()?;
        for filters in self.filters {
            if let Some(chosen) = filter::chosen(host, collection, filters)? {
                let chosen: HashSet<DocumentId> = chosen.into_iter().collect();
                documents.retain(|document| chosen.contains(&document.id));
            }
        }
        let searched = documents.len() as u64;
        documents.retain(|document| document.tracked_changes > 0);
        documents.sort_by_cached_key(|document| (document.name.to_lowercase(), document.path.clone()));
        for document in &documents {
            let before = self.found.total;
            self.look_at(collection, document, name)?;
            self.found.documents += u64::from(self.found.total > before);
        }
        Ok(searched)
    }

    fn look_at(&mut self, collection: &Collection, document: &DocumentMeta, name: Option<&str>) -> Result<()> {
        let Self { words, filters, wanted, found } = self;
        let mut spans = None;
        let passes = |page: &u32| {
            let has = |test: &PageTest| matches!(test, PageTest::Numbered(pages) if pages.contains(page));
            filters.iter().all(|filters| filters.pages.is_empty() || filters.pages.iter().any(has))
        };
        for page in pages_with_changes(document).filter(passes) {
            let changes = collection.page_changes(document.id, page)?;
            let matching = changes.iter().filter(|change| change.kind.removes() && words.are_in(&change.text));
            let shown: Vec<Change> = matching
                .filter(|_| {
                    found.total += 1;
                    wanted.contains(&(found.total - 1))
                })
                .cloned()
                .collect();
            if shown.is_empty() {
                continue;
            }
            let spans = known_spans(collection, document, &mut spans)?;
            let placed = placed(collection, document, page, shown.iter(), spans)?;
            found.texts.extend(placed.into_iter().zip(&shown).map(|(change, stored)| DeletedText {
                collection: name.map(str::to_owned),
                document_id: document.id,
                file_path: document.path.clone(),
                change: excerpt(change, stored, words),
            }));
        }
        Ok(())
    }
}

/// The part of a long deletion around the first searched word.
fn excerpt(mut change: TrackedChange, stored: &Change, words: &DeletedWords) -> TrackedChange {
    let first = words.first_in(&stored.text);
    let chars = stored.text.chars().count();
    if chars > BEFORE + AFTER {
        let from = first.saturating_sub(BEFORE);
        change.change.text = stored.text.chars().skip(from).take(BEFORE + AFTER).collect();
        change.change.is_cut = true;
    }
    change
}
