//! Checks that quotations are in the documents, word for word.
//!
//! Phrases of a quotation are looked up in the keyword index; the text around them is then compared character by
//! character, after [`symbols`] has reduced both to the symbols that count. If no place has the same words and
//! punctuation, the passage that differs least is found by [`align`], and each word that differs is named. Nothing is
//! decided by a score, except which passage is shown for a quotation that is not there.

mod align;
mod alterations;
mod breaks;
mod candidates;
mod citation_fit;
mod citations;
mod cuts;
mod differences;
mod draft;
mod finder;
mod labels;
mod mentions;
mod originals;
mod parts;
mod places;
mod rows;
mod sections;
mod symbols;
mod tokens;
mod window;

use casetrack_core::{CollectionId, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use casetrack_host::Host;
use casetrack_host::documents::document_named;
use casetrack_host::documents::tracked_changes::CitedChange;
use casetrack_host::paging::Paging;

pub use alterations::{Mark, MarkedChange};
pub use breaks::{Broken, over_page_breaks};
pub use citation_fit::{Citation, CitationFault, CitationFit};
pub use citations::CitationRow;
pub use differences::{Difference, DifferenceKind};
pub use places::QuotePlace;
pub use rows::{DraftCheck, DraftCounts, DraftRow, verify_quotes};
pub use symbols::Typography;

use finder::{Finder, Finding};

/// Longest quotation, in characters.
pub const MAX_QUOTATION_CHARS: usize = 10_000;
/// Longest draft, in characters.
pub const MAX_DRAFT_CHARS: usize = 500_000;
/// Most quotations of a draft, and most citations without one.
pub const MAX_QUOTATIONS: usize = 500;
/// Most places named elsewhere.
const MAX_ELSEWHERE: u32 = 3;

#[derive(Debug, Clone)]
pub struct QuoteRequest {
    /// The quotation, with quotation marks around it or not.
    pub text: String,
    /// Look only in the document of this name or id.
    pub document: Option<String>,
    /// The part of the places that is listed.
    pub paging: Paging,
}

/// The result for a quotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuoteStatus {
    /// The same words and punctuation, except the omissions and alterations that the quotation marks.
    Exact,
    /// A passage is nearly the same.
    Differs,
    NotFound,
}

/// A quotation compared with the documents.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct QuoteCheck {
    pub status: QuoteStatus,
    pub collection: String,
    /// How the first place differs in type, which makes no difference to the words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub typography: Vec<Typography>,
    /// The omissions and alterations that the quotation marks, at the first place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marked: Vec<MarkedChange>,
    /// Places that have the quotation.
    pub total: u64,
    /// True if there may be more places than `total`, because the quotation is too common to look at all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_at_least: bool,
    /// By document and place.
    pub places: Vec<QuotePlace>,
    /// The offset at which the list of places continues.
    pub next_offset: Option<u64>,
    /// The passage that differs least, if none is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<NearestPassage>,
    /// Places of other documents that have the quotation, if only one document was searched and does not have it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<QuotePlace>,
    /// If only the text before tracked changes has the quotation: those changes, at most three.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_by: Vec<CitedChange>,
}

/// A passage that is not quite the quotation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NearestPassage {
    #[serde(flatten)]
    pub place: QuotePlace,
    /// Verbatim.
    pub text: String,
    /// Share (0–1) of the quotation's words that it has.
    pub likeness: f32,
    /// True if it has the same words: all differences are capitals, punctuation, and slips of scanning or typing.
    pub same_words: bool,
    /// In the order of the quotation.
    pub differences: Vec<Difference>,
}

/// Finds a quotation in a collection, word for word; else the nearest passage with the words that differ. Takes some
/// milliseconds. Needs no model. Errors: `ErrorCode::InvalidArgument` for a quotation without words, or with more than
/// [`MAX_QUOTATION_CHARS`](quotes::MAX_QUOTATION_CHARS) characters.
pub fn verify_quote(host: &Host, collection: CollectionId, request: &QuoteRequest) -> Result<QuoteCheck> {
    let text = checked(&request.text)?;
    let collection = host.collection(collection)?;
    let document = request.document.as_deref().map(|name| document_named(&collection, name)).transpose()?;
    let documents = document.map(|document| vec![document.id]);
    let mut finder = Finder::new(&collection, host.config().citations.clone());
    let finding = finder.find(text, documents.as_deref())?;
    let mut check = checked_places(&mut finder, finding, request.paging)?;
    check.collection = collection.meta().name.clone();
    if documents.is_some() && check.status != QuoteStatus::Exact {
        let finding = finder.find(text, None)?;
        let found = checked_places(&mut finder, finding, Paging { offset: 0, limit: MAX_ELSEWHERE })?;
        check.elsewhere = found.places;
    }
    if check.status != QuoteStatus::Exact {
        check.changed_by = finder.changed_by(text, documents.as_deref())?;
    }
    Ok(check)
}

fn checked(text: &str) -> Result<&str> {
    let text = text.trim();
    let chars = text.chars().count();
    if chars > MAX_QUOTATION_CHARS {
        return Err(Error::invalid(format!(
            "The quotation has {chars} characters; the limit is {MAX_QUOTATION_CHARS}."
        ))
        .with_hint("Check it in parts."));
    }
    if !text.contains(char::is_alphanumeric) {
        return Err(Error::invalid("The quotation has no words.").with_hint("Give the quoted words."));
    }
    Ok(text)
}

/// The report of a finding, with the places of a part of the list.
fn checked_places(finder: &mut Finder<'_>, finding: Finding, paging: Paging) -> Result<QuoteCheck> {
    let mut check = QuoteCheck {
        status: QuoteStatus::NotFound,
        collection: String::new(),
        typography: Vec::new(),
        marked: Vec::new(),
        total: 0,
        is_at_least: false,
        places: Vec::new(),
        next_offset: None,
        nearest: None,
        elsewhere: Vec::new(),
        changed_by: Vec::new(),
    };
    match finding {
        Finding::Nothing => {}
        Finding::Near { place, likeness } => {
            check.status = QuoteStatus::Differs;
            check.nearest = Some(places::nearest(finder, &place, likeness)?);
        }
        Finding::Exact { places, is_cut } => {
            let (exact, changed): (Vec<_>, Vec<_>) = places.into_iter().partition(|found| found.differences.is_empty());
            if let (true, Some(first)) = (exact.is_empty(), changed.first()) {
                check.status = QuoteStatus::Differs;
                check.marked = first.marked.clone();
                check.nearest = Some(places::nearest(finder, first, 1.0)?);
                return Ok(check);
            }
            let exact = places::in_order(finder, exact)?;
            if let Some(first) = exact.first() {
                check.typography = first.typography.iter().copied().collect();
                check.marked = first.marked.clone();
            }
            check.status = QuoteStatus::Exact;
            check.is_at_least = is_cut;
            let part = paging.of(exact);
            (check.total, check.next_offset) = (part.total, part.next_offset);
            check.places = part.items.iter().map(|found| places::of(finder, found)).collect::<Result<_>>()?;
        }
    }
    Ok(check)
}
