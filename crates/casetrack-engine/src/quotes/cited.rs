//! The citation beside a quotation of a draft: a document, pages and a section, and whether it fits the place that was found.

use std::ops::{Range, RangeInclusive};

use casetrack_core::DocumentId;
use casetrack_store::CatalogueEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::draft::Quotation;
use super::places::QuotePlace;

/// Bytes of the draft after and before a quotation in which its citation may be.
const AFTER: usize = 220;
const BEFORE: usize = 160;
/// Shorter names of documents, in letters and digits, are taken for words.
const MIN_NAME: usize = 4;

/// Whether a citation is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CitationFit {
    Fits,
    DoesNotFit,
    /// Nothing in the document says whether it is right, or the quotation was not found.
    Unknown,
}

/// What a draft says beside a quotation of where it is from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Citation {
    /// Name of the document of the collection that is cited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_name: Option<String>,
    /// First and last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<(u32, u32)>,
    /// Number of the section or clause, as it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    pub fit: CitationFit,
    #[serde(skip)]
    pub(super) document: Option<DocumentId>,
}

/// The names of a document, as they are looked for.
pub(super) struct Named {
    id: DocumentId,
    name: String,
    /// With and without its extension: letters and digits with single spaces, and a space on both sides.
    folded: Vec<String>,
}

pub(super) fn named<'e>(entries: impl Iterator<Item = &'e CatalogueEntry>) -> Vec<Named> {
    let of = |entry: &CatalogueEntry| {
        let stem = entry.name.rsplit_once('.').map_or(entry.name.as_str(), |(stem, _)| stem);
        let mut folded: Vec<String> = [entry.name.as_str(), stem].into_iter().map(fold).collect();
        folded.retain(|name| name.chars().filter(|c| *c != ' ').count() >= MIN_NAME);
        folded.dedup();
        Named { id: entry.id, name: entry.name.clone(), folded }
    };
    entries.map(of).collect()
}

fn fold(text: &str) -> String {
    let mut folded = String::from(" ");
    for c in text.chars() {
        match c.is_alphanumeric() {
            true => folded.extend(c.to_lowercase()),
            false if !folded.ends_with(' ') => folded.push(' '),
            false => {}
        }
    }
    if !folded.ends_with(' ') {
        folded.push(' ');
    }
    folded
}

/// The citation beside the quotation `at`, behind it or else before it.
pub(super) fn beside(draft: &str, quotations: &[Quotation], at: usize, documents: &[Named]) -> Option<Citation> {
    let own = &quotations[at];
    let next = quotations.get(at + 1).map_or(draft.len(), |next| next.place.start);
    let previous = at.checked_sub(1).map_or(0, |previous| quotations[previous].place.end);
    let after = &draft[own.place.end..draft.floor_char_boundary((own.place.end + AFTER).min(next)).max(own.place.end)];
    let before =
        &draft[draft.ceil_char_boundary(own.place.start.saturating_sub(BEFORE)).max(previous).min(own.place.start)
            ..own.place.start];
    let (after, before) = match own.is_block {
        // What introduces a block is the paragraph before it; its source is on the next line.
        true => (after.trim_start(), before.trim_end()),
        false => (after, before),
    };
    let after = after.split("\n\n").next().unwrap_or_default();
    let before = before.rsplit("\n\n").next().unwrap_or_default();
    let (mut behind, ahead) = (read(after, documents, false), read(before, documents, true));
    if behind.document.is_none() && (own.is_block || behind.is_empty() || ahead.document.is_some()) {
        // "Clause 4 of the Lease says “…” (p. 3)"
        behind.document = ahead.document;
        behind.document_name = ahead.document_name;
        if behind.pages.is_none() && behind.section.is_none() {
            (behind.pages, behind.section) = (ahead.pages, ahead.section);
        }
    }
    (!behind.is_empty()).then_some(behind)
}

impl Citation {
    fn is_empty(&self) -> bool {
        self.document.is_none() && self.pages.is_none() && self.section.is_none()
    }

    /// Whether it names a place; `heads` are the headings above the place, and the beginning of its paragraph.
    pub(super) fn fits(&self, place: &QuotePlace, heads: &[String]) -> CitationFit {
        if self.document.is_some_and(|document| document != place.document_id) {
            return CitationFit::DoesNotFit;
        }
        let found = place.page..=place.page_end.unwrap_or(place.page);
        // Where the file does not say where its pages end, no cited page is wrong.
        let pages = self.pages.filter(|_| !place.unpaged);
        if pages.is_some_and(|(first, last)| *found.start() > last || *found.end() < first) {
            return CitationFit::DoesNotFit;
        }
        let Some(section) = &self.section else {
            return if pages == self.pages { CitationFit::Fits } else { CitationFit::Unknown };
        };
        match section_fits(section, heads) {
            Some(true) => CitationFit::Fits,
            Some(false) => CitationFit::DoesNotFit,
            None => CitationFit::Unknown,
        }
    }
}

/// The nearest of what a text names: the last where it stands before the quotation, else the first.
fn read(text: &str, documents: &[Named], last: bool) -> Citation {
    let document = document(text, documents, last);
    let labels = labels(text);
    let pick = |is_page: bool| {
        let mut of_kind = labels.iter().filter(|label| label.is_page == is_page);
        if last { of_kind.next_back() } else { of_kind.next() }
    };
    let pages = pick(true).and_then(|label| pages(&text[label.number.clone()]));
    Citation {
        document_name: document.map(|document| document.name.clone()),
        document: document.map(|document| document.id),
        pages: pages.map(|pages| (*pages.start(), *pages.end())),
        section: pick(false).map(|label| text[label.number.clone()].trim_end_matches(['.', ',']).to_owned()),
        fit: CitationFit::Unknown,
    }
}

/// The document that a text names, by the longest of its names that is there.
fn document<'n>(text: &str, documents: &'n [Named], last: bool) -> Option<&'n Named> {
    let text = fold(text);
    let place = |name: &String| if last { text.rfind(name.as_str()) } else { text.find(name.as_str()) };
    let found =
        documents.iter().flat_map(|document| document.folded.iter().map(move |name| (document, name.len(), name)));
    let mut found: Vec<(&Named, usize, usize)> =
        found.filter_map(|(document, length, name)| Some((document, length, place(name)?))).collect();
    // A name that is part of a longer one there is not meant.
    let whole = found.clone();
    found.retain(|&(_, length, at)| {
        !whole.iter().any(|&(_, longer, begin)| longer > length && begin <= at && at + length <= begin + longer)
    });
    let nearest = found.iter().map(|&(.., at)| at);
    let nearest = if last { nearest.max() } else { nearest.min() }?;
    let mut nearest = found.iter().filter(|&&(.., at)| at == nearest);
    let (first, ..) = nearest.next()?;
    // Two documents of one name: which is meant is not known.
    nearest.all(|(other, ..)| other.id == first.id).then_some(*first)
}

struct Label {
    is_page: bool,
    /// Bytes of the number behind it.
    number: Range<usize>,
}

/// "p. 3", "pp. 3-4", "page 3"; "section 4.2", "clause 4.2(b)", "Article IV", "§ 4".
fn labels(text: &str) -> Vec<Label> {
    const PAGES: [&str; 5] = ["p", "pp", "page", "pages", "pg"];
    const SECTIONS: [&str; 14] = [
        "section",
        "sections",
        "sec",
        "clause",
        "clauses",
        "cl",
        "article",
        "articles",
        "art",
        "paragraph",
        "para",
        "schedule",
        "exhibit",
        "§",
    ];
    let mut labels = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let start = at;
        at += word.len();
        let label = word.trim().trim_start_matches(['(', '[', ',', ';', '—', '–', '“', '"']);
        let glued = label.strip_prefix('§').map(|rest| rest.trim_start_matches('§')).filter(|rest| !rest.is_empty());
        let folded = label.trim_end_matches('.').trim_matches('§').to_lowercase();
        let folded = if folded.is_empty() && label.starts_with('§') { "§".to_owned() } else { folded };
        let from = match glued {
            Some(rest) => start + word.rfind(rest).unwrap_or_default(),
            None => at,
        };
        let is_page = PAGES.contains(&folded.as_str());
        if !(is_page || glued.is_some() || SECTIONS.contains(&folded.as_str())) {
            continue;
        }
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '(' | ')' | '-' | '–');
        let length = text[from..].find(|c: char| !is_part(c)).unwrap_or(text.len() - from);
        let number = text[from..from + length].trim_end_matches(['.', '-', '–']);
        let number = if number.contains('(') { number } else { number.trim_end_matches(')') };
        let is_number = number.starts_with(|c: char| c.is_ascii_digit())
            || !is_page && !number.is_empty() && number.chars().all(|c| matches!(c, 'I' | 'V' | 'X' | 'L'))
            || !is_page && number.len() == 1 && number.starts_with(|c: char| c.is_ascii_uppercase());
        if is_number {
            labels.push(Label { is_page, number: from..from + number.len() });
        }
    }
    labels
}

fn pages(number: &str) -> Option<RangeInclusive<u32>> {
    let mut numbers = number.split(['-', '–']).map(|number| number.parse::<u32>().ok());
    let first = numbers.next().flatten()?;
    let last = match numbers.next() {
        None => first,
        // "pp. 123-4"
        Some(last) => last.filter(|last| *last >= first).unwrap_or(first),
    };
    Some(first..=last)
}

/// Whether a place is in the section with a number, where that can be said: some heading has the number, or another one of its kind.
fn section_fits(section: &str, heads: &[String]) -> Option<bool> {
    let base = section.split('(').next().unwrap_or(section).trim_end_matches('.');
    let numbers = |head: &String| -> Vec<String> {
        let words = head.split(|c: char| c.is_whitespace() || matches!(c, ':' | ',' | '—')).take(3);
        words
            .map(|word| word.trim_matches(['.', ')', '(', '§']))
            .filter(|word| is_numbering(word))
            .map(str::to_owned)
            .collect()
    };
    let found: Vec<String> = heads.iter().flat_map(numbers).collect();
    let within = |number: &String| {
        number.eq_ignore_ascii_case(base)
            || number.split('(').next() == Some(base)
            // Clause 4.2 is in clause 4; a place in clause 4 may be in 4.2.
            || number.strip_prefix(base).is_some_and(|rest| rest.starts_with('.'))
    };
    if found.iter().any(within) {
        return Some(true);
    }
    let above = |number: &String| base.strip_prefix(number.as_str()).is_some_and(|rest| rest.starts_with('.'));
    let comparable = |number: &&String| {
        number.starts_with(|c: char| c.is_ascii_digit()) == base.starts_with(|c: char| c.is_ascii_digit())
    };
    if found.iter().any(above) || !found.iter().any(|number| comparable(&number)) {
        return None;
    }
    Some(false)
}

fn is_numbering(word: &str) -> bool {
    let digits = word.starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '(' | ')'));
    digits || !word.is_empty() && word.chars().all(|c| matches!(c, 'I' | 'V' | 'X' | 'L'))
}

#[cfg(test)]
mod tests {
    use super::super::draft::quotations;
    use super::*;

    /// Document, pages and section.
    type Cited = (Option<String>, Option<(u32, u32)>, Option<String>);

    fn cited(draft: &str) -> Option<Cited> {
        let names = ["Lease.docx", "Lease Amendment.docx", "Vendor_Agreement.pdf"];
        let of = |name: &&str| Named {
            id: DocumentId::random(),
            name: (*name).to_owned(),
            folded: vec![fold(name), fold(name.rsplit_once('.').unwrap().0)],
        };
        let documents: Vec<Named> = names.iter().map(of).collect();
        let quotations = quotations(draft);
        let cited = beside(draft, &quotations, quotations.len() - 1, &documents)?;
        Some((cited.document_name, cited.pages, cited.section))
    }

    #[test]
    fn documents_pages_and_sections_beside_a_quotation_are_read() {
        let lease = || Some("Lease.docx".to_owned());
        for (draft, expected) in [
            ("It says “the rent is due” (Lease.docx, p. 3).", Some((lease(), Some((3, 3)), None))),
            ("Clause 4.2(b) of the Lease says “the rent is due” (pp. 3-4).", Some((lease(), Some((3, 4)), None))),
            ("Under § 4.2 of the lease, “the rent is due”.", Some((lease(), None, Some("4.2".to_owned())))),
            (
                "See “the rent is due” in the Lease Amendment, Article IV.",
                Some((Some("Lease Amendment.docx".to_owned()), None, Some("IV".to_owned()))),
            ),
            (
                "> the rent is due\n— Vendor Agreement, page 12",
                Some((Some("Vendor_Agreement.pdf".to_owned()), Some((12, 12)), None)),
            ),
            ("It says “the rent is due” and nothing else.", None),
            ("See “a and b and c” (Lease, p. 9). Then it says “the rent is due”.", Some((lease(), Some((9, 9)), None))),
        ] {
            assert_eq!(cited(draft), expected, "{draft}");
        }
    }

    #[test]
    fn sections_fit_where_a_heading_says_so() {
        for (section, heads, expected) in [
            ("4.2", &["4 Rent", "4.2 Payment"][..], Some(true)),
            ("4.2(b)", &["4.2 Payment"], Some(true)),
            ("4", &["Section 4.2 Payment"], Some(true)),
            ("4.2", &["4. Rent"], None),
            ("4.2", &["5. Term"], Some(false)),
            ("4.2", &["Recitals"], None),
            ("IV", &["ARTICLE IV", "Rent"], Some(true)),
            ("4", &["ARTICLE IV"], None),
        ] {
            let heads: Vec<String> = heads.iter().map(|&head| head.to_owned()).collect();
            assert_eq!(section_fits(section, &heads), expected, "{section} {heads:?}");
        }
    }
}
