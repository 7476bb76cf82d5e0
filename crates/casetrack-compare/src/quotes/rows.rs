//! Every quotation of a draft, one row each.

use std::collections::HashSet;

use casetrack_core::{ChunkId, CollectionId, Error, Result, single_spaced};
use schemars::JsonSchema;
use serde::Serialize;

use super::citation_fit::{Citation, CitationFault, CitationFit, Described, beside};
use super::citations::{CitationRow, SectionCache, alone};
use super::draft::{Quotation, quotations};
use super::finder::{Finder, Finding, QuoteMatch};
use super::mentions::{Mention, Names};
use super::places::QuotePlace;
use super::{
    Difference, MAX_DRAFT_CHARS, MAX_QUOTATION_CHARS, MAX_QUOTATIONS, MarkedChange, QuoteCheck, QuoteStatus,
    Typography, checked_places,
};
use casetrack_host::Host;
use casetrack_host::documents::tracked_changes::CitedChange;
use casetrack_host::paging::Paging;

/// Places of a quotation that are compared with its citation.
const MAX_COMPARED: u32 = 50;
/// Characters at the beginning of a paragraph that may have its number.
const NUMBER_CHARS: usize = 24;
/// Most characters shown of a quotation.
const SHOWN_CHARS: usize = 200;

/// The quotations of a draft compared with the documents.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DraftCheck {
    pub collection: String,
    /// Counts of the whole draft.
    pub counts: DraftCounts,
    /// In the order of the draft.
    pub rows: Vec<DraftRow>,
    /// The offset at which the list of rows continues.
    pub next_offset: Option<u64>,
    /// Citations next to no quotation, in the order of the draft, each checked for the place that it names. Only the
    /// first part has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<CitationRow>,
    /// True if the draft has more than 500 quotations, or citations next to none; the others were not checked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct DraftCounts {
    pub quotations: u64,
    pub exact: u64,
    pub differ: u64,
    pub not_found: u64,
    /// Citations next to no quotation.
    pub citations: u64,
    /// Citations that name another place than that of the quotation, or one that is not there.
    pub citations_that_do_not_fit: u64,
}

/// One quotation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DraftRow {
    /// From 1.
    pub number: u32,
    /// The line of the draft, from 1, at which the quotation begins.
    pub line: u32,
    /// The first 200 characters of it.
    pub quotation: String,
    pub status: QuoteStatus,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub typography: Vec<Typography>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marked: Vec<MarkedChange>,
    /// Places that have it.
    pub total: u64,
    /// The place that the draft cites, else the first one; of a quotation that differs, of the nearest passage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citation: Option<String>,
    /// The chunk there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_id: Option<ChunkId>,
    /// True if a quotation that differs has the same words as the nearest passage: all differences are capitals,
    /// punctuation and slips.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub same_words: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// If only the text before tracked changes has it: those changes, at most three.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_by: Vec<CitedChange>,
    /// The source that the draft gives next to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cited: Option<Citation>,
}

/// Finds the quotations of a draft and checks each. Takes some milliseconds per quotation, even if only a part of the rows is requested.
///
/// Errors: `ErrorCode::InvalidArgument` for a draft of more than [`MAX_DRAFT_CHARS`](quotes::MAX_DRAFT_CHARS) characters.
pub fn verify_quotes(host: &Host, collection: CollectionId, draft: &str, paging: Paging) -> Result<DraftCheck> {
    let chars = draft.chars().count();
    if chars > MAX_DRAFT_CHARS {
        return Err(Error::invalid(format!("The draft has {chars} characters; the limit is {MAX_DRAFT_CHARS}."))
            .with_hint("Check it in parts."));
    }
    let collection = host.collection(collection)?;
    let draft = draft.replace("\r\n", "\n");
    let found = quotations(&draft);
    let names = Names::of_entries(collection.catalogue()?.iter().map(|entry| &**entry));
    let mentions = names.mentions(&draft);
    let mut finder = Finder::new(&collection, host.config().citations.clone());
    let mut counts = DraftCounts::default();
    let mut rows = Vec::new();
    let mut used = HashSet::new();
    for at in 0..found.len().min(MAX_QUOTATIONS) {
        let (row, mention) = row(&mut finder, &draft, &found, at, &mentions)?;
        used.extend(mention);
        counts.quotations += 1;
        *match row.status {
            QuoteStatus::Exact => &mut counts.exact,
            QuoteStatus::Differs => &mut counts.differ,
            QuoteStatus::NotFound => &mut counts.not_found,
        } += 1;
        let fit = row.cited.as_ref().map(|cited| cited.fit);
        counts.citations_that_do_not_fit += u64::from(fit == Some(CitationFit::DoesNotFit));
        rows.push(row);
    }
    let mut known = SectionCache::default();
    let all = alone(&draft, &found, &mentions, &used);
    let is_cut = found.len().max(all.len()) > MAX_QUOTATIONS;
    let mut citations = Vec::new();
    for row in all.into_iter().take(MAX_QUOTATIONS) {
        let row = row.checked(&mut finder, &mut known)?;
        counts.citations += 1;
        counts.citations_that_do_not_fit += u64::from(row.cited.fit == CitationFit::DoesNotFit);
        citations.push(row);
    }
    if paging.offset > 0 {
        citations.clear();
    }
    let part = paging.of(rows);
    Ok(DraftCheck {
        collection: collection.meta().name.clone(),
        counts,
        rows: part.items,
        next_offset: part.next_offset,
        citations,
        is_cut,
    })
}

/// The row of the quotation `at`, and which of the mentions is its document.
fn row(
    finder: &mut Finder<'_>,
    draft: &str,
    all: &[Quotation],
    at: usize,
    mentions: &[Mention],
) -> Result<(DraftRow, Option<usize>)> {
    let own = &all[at];
    let beside = beside(draft, all, at, mentions);
    let mention = beside.as_ref().and_then(|beside| beside.mention);
    let mut cited = beside.map(|beside| beside.citation);
    let (finding, text) = find(finder, &own.text, cited.as_ref())?;
    let mut row = DraftRow {
        number: at as u32 + 1,
        line: own.line,
        quotation: shown(&text),
        status: QuoteStatus::NotFound,
        typography: Vec::new(),
        marked: Vec::new(),
        total: 0,
        citation: None,
        chunk_id: None,
        same_words: false,
        differences: Vec::new(),
        changed_by: Vec::new(),
        cited: None,
    };
    let check = checked_places(finder, finding, Paging { offset: 0, limit: MAX_COMPARED })?;
    let QuoteCheck { status, typography, marked, total, places, nearest, .. } = check;
    (row.status, row.typography, row.marked, row.total) = (status, typography, marked, total);
    if row.status != QuoteStatus::Exact {
        row.changed_by = finder.changed_by(&text, None)?;
    }
    let mut candidates = places;
    if let Some(nearest) = nearest {
        candidates.push(nearest.place);
        (row.same_words, row.differences) = (nearest.same_words, nearest.differences);
    }
    let chosen = match &mut cited {
        Some(cited) => check_citation(finder, cited, &candidates, total)?,
        None => 0,
    };
    if let Some(place) = candidates.into_iter().nth(chosen) {
        (row.citation, row.chunk_id) = (Some(place.citation), Some(place.chunk_id));
    }
    row.cited = cited;
    Ok((row, mention))
}

/// Compares a citation with the places of its quotation, which are perhaps not all. Returns the index of the place to show.
fn check_citation(finder: &Finder<'_>, cited: &mut Citation, places: &[QuotePlace], total: u64) -> Result<usize> {
    let mut fits = Vec::new();
    for place in places {
        fits.push(fit(finder, cited, place)?);
    }
    let fitting = [CitationFit::Fits, CitationFit::Unknown]
        .into_iter()
        .find_map(|wanted| fits.iter().position(|(fit, _)| *fit == wanted));
    let mut chosen = fitting.unwrap_or_default();
    (cited.fit, cited.fault) = match (fitting, fits.first()) {
        (Some(fitting), _) => fits[fitting],
        (None, None) => cited.without_place(),
        (None, Some(_)) if total > places.len() as u64 => (CitationFit::Unknown, None),
        // A fault at a place in the cited document is more useful than one at others.
        (None, Some(first)) => {
            let document = cited.document();
            let own = places.iter().position(|place| Some(place.document_id) == document);
            chosen = own.unwrap_or_default();
            own.map_or(*first, |own| fits[own])
        }
    };
    Ok(chosen)
}

/// Looks for a quotation everywhere. If it is nowhere, looks for the nearest passage of the cited document.
fn find(finder: &mut Finder<'_>, text: &str, cited: Option<&Citation>) -> Result<(Finding, String)> {
    let text = text.trim();
    let end = text.char_indices().nth(MAX_QUOTATION_CHARS).map_or(text.len(), |(end, _)| end);
    let text = &text[..end];
    let finding = finder.find(text, None)?;
    let is_exact =
        |finding: &Finding| matches!(finding, Finding::Exact { places, .. } if places.iter().any(is_unchanged));
    if is_exact(&finding) {
        return Ok((finding, text.to_owned()));
    }
    // Emphasis in Markdown is the draft's own.
    let plain: String = text.replace("__", "").replace('*', "");
    if plain != text {
        let plainly = finder.find(&plain, None)?;
        if is_exact(&plainly) {
            return Ok((plainly, plain));
        }
    }
    if let Some(document) = cited.and_then(Citation::document) {
        let within = finder.find(text, Some(&[document]))?;
        if !matches!(within, Finding::Nothing) {
            return Ok((within, text.to_owned()));
        }
    }
    Ok((finding, text.to_owned()))
}

fn is_unchanged(found: &QuoteMatch) -> bool {
    found.differences.is_empty()
}

fn fit(finder: &Finder<'_>, cited: &Citation, place: &QuotePlace) -> Result<(CitationFit, Option<CitationFault>)> {
    let first = finder.page(place.document_id, place.page)?;
    let last = place.page_end.map(|page| finder.page(place.document_id, page)).transpose()?.flatten();
    let beginning = first.as_ref().map_or_else(String::new, |page| {
        let block = page.blocks.get(place.paragraph_start.saturating_sub(1) as usize);
        let start = block.map_or(0, |block| block.char_start as usize);
        page.text.chars().skip(start).take(NUMBER_CHARS).collect()
    });
    let notes = [&first, &last].map(|page| page.as_ref().map(|page| &page.notes));
    Ok(cited.fits(&Described { place, notes, headings: &place.heading_path, beginning: &beginning }))
}

fn shown(text: &str) -> String {
    let text = single_spaced(text);
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
