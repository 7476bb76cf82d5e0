//! Citations of a draft that are next to no quotation: checks that the document is there, and has the cited places.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use casetrack_core::{BatesRange, DocumentId, Page, Result, single_spaced};
use schemars::JsonSchema;
use serde::Serialize;

use super::citation_fit::{Citation, CitationFault, CitationFit, sentence_end};
use super::draft::Quotation;
use super::finder::Finder;
use super::labels::{Label, labels};
use super::mentions::{Mention, Who};
use super::sections::{base, is_comparable, is_in, is_marked, numbering};

/// Bytes of the draft on both sides of the name of a document in which its numbers may be.
const AFTER: usize = 140;
const BEFORE: usize = 80;
/// Bytes between numbers of one citation.
const MAX_GAP: usize = 16;
/// Sections that a document must have before a missing one is reported.
const MIN_SECTIONS: usize = 3;

/// A citation next to no quotation.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CitationRow {
    /// The line of the draft, from 1.
    pub line: u32,
    /// As it is written.
    pub text: String,
    /// It fits if the document has the place that it names.
    pub cited: Citation,
}

#[derive(Default)]
pub(super) struct SectionCache(HashMap<DocumentId, Rc<[(u32, String)]>>);

/// The citations of a draft that belong to no quotation, not checked yet.
pub(super) fn alone(
    draft: &str,
    quotations: &[Quotation],
    mentions: &[Mention],
    used: &HashSet<usize>,
) -> Vec<CitationRow> {
    let is_quoted = |place: &Range<usize>| {
        let next = quotations.partition_point(|quotation| quotation.place.end <= place.start);
        quotations.get(next).is_some_and(|quotation| quotation.place.start < place.end)
    };
    let mut rows = Vec::new();
    for (at, mention) in mentions.iter().enumerate() {
        if used.contains(&at) || mention.who == Who::Several || is_quoted(&mention.place) {
            continue;
        }
        let end = mentions.get(at + 1).map_or(draft.len(), |next| next.place.start);
        let start = at.checked_sub(1).map_or(0, |previous| mentions[previous].place.end);
        let found = behind(draft, mention, end).or_else(|| ahead(draft, mention, start));
        let Some((labels, place)) = found else { continue };
        let text = single_spaced(&draft[place.clone()]);
        let line = 1 + draft[..place.start].matches('\n').count() as u32;
        rows.push(CitationRow { line, text, cited: Citation::of(Some(mention), &labels, false) });
    }
    rows
}

/// "Lease, p. 90, § 14.3"
fn behind(draft: &str, mention: &Mention, limit: usize) -> Option<(Vec<Label>, Range<usize>)> {
    let from = mention.place.end;
    let text = &draft[from..draft.floor_char_boundary((from + AFTER).min(limit)).max(from)];
    let text = text.split("\n\n").next().unwrap_or_default();
    let text = &text[..sentence_end(text)];
    let mut end = 0;
    let mut own = labels(text);
    let chained = own.iter().take_while(|label| {
        let joins = text.get(end..label.place.start).is_some_and(is_gap);
        end = if joins { label.place.end } else { end };
        joins
    });
    let count = chained.count();
    own.truncate(count);
    let end = from + own.last()?.place.end;
    Some((own, mention.place.start..end))
}

/// "Section 14.3 of the Lease"
fn ahead(draft: &str, mention: &Mention, limit: usize) -> Option<(Vec<Label>, Range<usize>)> {
    let to = mention.place.start;
    let from = draft.ceil_char_boundary(to.saturating_sub(BEFORE)).max(limit).min(to);
    let text = &draft[from..to];
    let own = labels(text);
    let mut start = text.len();
    let chained = own.iter().rev().take_while(|label| {
        let between = text.get(label.place.end..start);
        let joins = between.is_some_and(|between| is_gap(between) && (start < text.len() || names(between)));
        start = if joins { label.place.start } else { start };
        joins
    });
    let count = chained.count();
    let own = own[own.len() - count..].to_vec();
    let start = from + own.first()?.place.start;
    Some((own, start..mention.place.end))
}

/// True if a number belongs to the name behind it.
fn names(between: &str) -> bool {
    between.split_whitespace().any(|word| matches!(word, "of" | "in" | "to"))
}

/// True if numbers on both sides belong to one citation.
fn is_gap(between: &str) -> bool {
    const WORDS: [&str; 9] = ["and", "at", "in", "of", "the", "on", "to", "that", "see"];
    let mut words = between.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    between.len() <= MAX_GAP && !between.contains(". ") && words.all(|word| WORDS.contains(&&*word.to_lowercase()))
}

impl CitationRow {
    pub(super) fn checked(mut self, finder: &mut Finder<'_>, known: &mut SectionCache) -> Result<Self> {
        let cited = &mut self.cited;
        (cited.fit, cited.fault) = match cited.document() {
            Some(document) => check(finder, known, document, cited)?,
            None => cited.without_place(),
        };
        Ok(self)
    }
}

/// Checks that a document has the cited places.
fn check(
    finder: &mut Finder<'_>,
    known: &mut SectionCache,
    document: DocumentId,
    cited: &Citation,
) -> Result<(CitationFit, Option<CitationFault>)> {
    let wrong = |fault| Ok((CitationFit::DoesNotFit, Some(fault)));
    let Some(described) = finder.passages.document(document)? else { return Ok((CitationFit::Unknown, None)) };
    let (count, unpaged) = (described.meta.page_count, described.meta.unpaged);
    let mut is_unknown = cited.pages.is_some() && unpaged;
    let mut pages = cited.pages.filter(|_| !unpaged);
    // A page may be cited by the number that is printed on it.
    let printed = pages.filter(|(first, last)| *first == 0 || *last > count).map(|(first, _)| first.to_string());
    for label in printed.iter().chain(&cited.page_label) {
        match labelled(finder, document, count, label)? {
            Some(page) => pages = Some((page, page)),
            None => return wrong(CitationFault::Page),
        }
    }
    if let Some(range) = cited.bates.as_deref().and_then(|bates| bates.parse::<BatesRange>().ok()) {
        let stamps = finder.bates(document)?;
        let of_range = |stamp: &(u32, String)| stamp.1.parse().is_ok_and(|number| range.contains(&number));
        match (stamps.iter().find(|stamp| of_range(stamp)), stamps.is_empty()) {
            (Some((page, _)), _) => pages = pages.or(Some((*page, *page))),
            (None, true) => is_unknown = true,
            (None, false) => return wrong(CitationFault::Bates),
        }
    }
    if let Some(section) = &cited.section {
        let sections = sections(finder, known, document)?;
        let base = base(section);
        let found: Vec<u32> =
            sections.iter().filter(|(_, number)| is_in(number, base)).map(|(page, _)| *page).collect();
        let comparable = sections.iter().filter(|(_, number)| is_comparable(number, base)).count();
        let is_on = |&page: &u32| pages.is_none_or(|(first, last)| (first..=last).contains(&page));
        match found.is_empty() {
            true if comparable >= MIN_SECTIONS => return wrong(CitationFault::Section),
            true => is_unknown = true,
            false if !found.iter().any(is_on) => return wrong(CitationFault::Page),
            false => {}
        }
    }
    is_unknown |= cited.part.is_some();
    if let Some((page, _)) = pages.filter(|(first, last)| first == last)
        && let Some(page) = finder.page(document, page)?
    {
        if cited.paragraphs.is_some_and(|(_, last)| !has_paragraph(&page, last)) {
            return wrong(CitationFault::Paragraph);
        }
        if cited.lines.is_some_and(|(_, last)| last as usize > page.text.split('\n').count()) {
            return wrong(CitationFault::Line);
        }
    }
    Ok((if is_unknown { CitationFit::Unknown } else { CitationFit::Fits }, None))
}

fn has_paragraph(page: &Page, number: u32) -> bool {
    number as usize <= page.blocks.len() || page.notes.numbered.iter().any(|numbered| numbered.number == number)
}

/// The page on which a label is printed.
fn labelled(finder: &Finder<'_>, document: DocumentId, count: u32, label: &str) -> Result<Option<u32>> {
    for number in 1..=count {
        let printed = finder.origin(document, number)?.label;
        if printed.is_some_and(|printed| printed.eq_ignore_ascii_case(label)) {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

/// The numbers of the sections of a document, each on the pages that have text of it.
fn sections(finder: &mut Finder<'_>, known: &mut SectionCache, document: DocumentId) -> Result<Rc<[(u32, String)]>> {
    if let Some(sections) = known.0.get(&document) {
        return Ok(Rc::clone(sections));
    }
    let mut sections: Vec<(u32, String)> = Vec::new();
    for passage in finder.passages.range(document, 0..u32::MAX)? {
        let chunk = &passage.chunk;
        let heads =
            chunk.heading_path.iter().map(String::as_str).chain(chunk.text.lines().filter(|line| is_marked(line)));
        sections.extend(heads.filter_map(numbering).map(|number| (chunk.page, number.to_owned())));
    }
    sections.dedup();
    let sections: Rc<[(u32, String)]> = sections.into();
    known.0.insert(document, Rc::clone(&sections));
    Ok(sections)
}

#[cfg(test)]
mod tests {
    use super::super::draft::quotations;
    use super::super::mentions::Names;
    use super::*;

    #[test]
    fn citations_beside_no_quotation_are_found() {
        let names = Names::new(vec![(DocumentId::from_bytes([1; 16]), "Lease.pdf".to_owned())]);
        type Row = (String, Option<(u32, u32)>, Option<String>);
        let of = |draft: &str| -> Vec<Row> {
            let quotations = quotations(draft);
            let rows = alone(draft, &quotations, &names.mentions(draft), &HashSet::new());
            rows.into_iter().map(|row| (row.text, row.cited.pages, row.cited.section)).collect()
        };
        let section = |number: &str| Some(number.to_owned());
        for (draft, expected) in [
            ("See Lease, p. 90, § 14.3.", vec![("Lease, p. 90, § 14.3".to_owned(), Some((90, 90)), section("14.3"))]),
            (
                "Section 14.3 of the Lease. It has Section 9.",
                vec![("Section 14.3 of the Lease".to_owned(), None, section("14.3"))],
            ),
            (
                "(Lease at p. 4; Sublease.pdf, p. 9)",
                vec![
                    ("Lease at p. 4".to_owned(), Some((4, 4)), None),
                    ("Sublease.pdf, p. 9".to_owned(), Some((9, 9)), None),
                ],
            ),
            ("The lease ends. Page 4 of it; “Lease, p. 3 says so”; the lease of the house in Section 4.", vec![]),
        ] {
            assert_eq!(of(draft), expected, "{draft}");
        }
    }
}
