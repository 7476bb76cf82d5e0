//! The citation next to a quotation of a draft: a document, pages, a section, lines, and its fit to the place that was found.

use std::ops::Range;

use casetrack_core::{BatesNumber, BatesRange, DocumentId, PageNotes, is_exhibit, numbers_within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::draft::Quotation;
use super::labels::{Label, LabelKind, labels, range};
use super::mentions::{Mention, Who};
use super::places::QuotePlace;
use super::sections::{part_fits, section_fits};

/// Bytes of the draft after and before a quotation in which its citation may be.
const AFTER: usize = 220;
const BEFORE: usize = 160;

/// The verdict on a citation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CitationFit {
    Fits,
    DoesNotFit,
    /// Nothing in the document shows whether it is right, or the quotation was not found.
    Unknown,
}

/// The part of a citation that is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CitationFault {
    /// The collection has no document of this name.
    NotInCollection,
    /// Another document has the quotation.
    Document,
    Page,
    Bates,
    Section,
    Paragraph,
    Line,
}

/// The source that a draft gives for something.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Citation {
    /// Name of the document that is cited, as the collection or else the draft has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_name: Option<String>,
    /// First and last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<(u32, u32)>,
    /// The label of a page that is no number, such as "A-1".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bates: Option<String>,
    /// Number of the section or clause, as it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The exhibit, schedule or annex, as it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paragraphs: Option<(u32, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
    pub fit: CitationFit,
    /// Why it does not fit, or is not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<CitationFault>,
    #[serde(skip)]
    pub(super) who: Option<Who>,
    /// True if a paragraph sign (¶) marks printed numbers.
    #[serde(skip)]
    pub(super) is_printed: bool,
}

/// The place of a quotation with the facts of its pages.
pub(super) struct Described<'p> {
    pub place: &'p QuotePlace,
    pub notes: [Option<&'p PageNotes>; 2],
    pub headings: &'p [String],
    /// The beginning of its paragraph.
    pub beginning: &'p str,
}

/// The citation next to a quotation, and the index of its document among the mentions.
pub(super) struct Beside {
    pub citation: Citation,
    pub mention: Option<usize>,
}

/// The citation next to the quotation `at`, behind it or else before it.
pub(super) fn beside(draft: &str, quotations: &[Quotation], at: usize, mentions: &[Mention]) -> Option<Beside> {
    let own = &quotations[at];
    let next = quotations.get(at + 1).map_or(draft.len(), |next| next.place.start);
    let previous = at.checked_sub(1).map_or(0, |previous| quotations[previous].place.end);
    let end = draft.floor_char_boundary((own.place.end + AFTER).min(next)).max(own.place.end);
    let start = draft.ceil_char_boundary(own.place.start.saturating_sub(BEFORE)).max(previous).min(own.place.start);
    let (mut after, mut before) = (own.place.end..end, start..own.place.start);
    if own.is_block {
        // A block is introduced by the paragraph before it; its source is on the next line.
        after.start = end - draft[after.clone()].trim_start().len();
        before.end = start + draft[before.clone()].trim_end().len();
    }
    if let Some(blank) = draft[after.clone()].find("\n\n") {
        after.end = after.start + blank;
    }
    if let Some(blank) = draft[before.clone()].rfind("\n\n") {
        before.start += blank + 2;
    }
    after.end = after.start + citation_end(&draft[after.clone()]);
    let (mut behind, ahead) = (read(draft, after, mentions, false), read(draft, before, mentions, true));
    let cited = &mut behind.citation;
    if cited.who.is_none() && (own.is_block || cited.is_empty() || ahead.citation.who.is_some()) {
        // A citation around the quotation: "Clause 4 of the Lease states “…” (p. 3)"
        behind.mention = ahead.mention;
        if cited.is_empty() {
            *cited = ahead.citation;
        } else {
            (cited.who, cited.document_name) = (ahead.citation.who, ahead.citation.document_name);
            if cited.section.is_none() && cited.paragraphs.is_none() {
                cited.section = ahead.citation.section;
            }
        }
    }
    (!behind.citation.is_empty()).then_some(behind)
}

/// The end of a citation that may follow a quotation: with its brackets, or with the sentence.
fn citation_end(text: &str) -> usize {
    let begin = text.len() - text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ',' | ';')).len();
    let mut at = begin;
    // "(emphasis added) (Lease, p. 3)"
    while let Some(inside) = text[at..].trim_start().strip_prefix(['(', '[']) {
        let from = text.len() - inside.len();
        let mut depth = 1;
        let close = inside.char_indices().find(|(_, c)| {
            depth += match c {
                '(' | '[' => 1,
                ')' | ']' => -1,
                _ => 0,
            };
            depth == 0
        });
        let Some((close, _)) = close else { return text.len() };
        at = from + close + 1;
    }
    if at > begin { at } else { begin + sentence_end(&text[begin..]) }
}

/// The end of the first sentence of a text. A full stop after a short word or between numbers ends none.
pub(super) fn sentence_end(text: &str) -> usize {
    let ends = |at: usize| {
        let word = text[..at].rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
        let next = text[at + 1..].trim_start();
        let is_word =
            word.len() > 4 || word.ends_with([')', ']', '”', '"']) || word.contains(|c: char| c.is_ascii_digit());
        text[at + 1..].starts_with(char::is_whitespace) && is_word && next.starts_with(char::is_uppercase)
    };
    text.match_indices('.').map(|(at, _)| at).find(|at| ends(*at)).map_or(text.len(), |at| at + 1)
}

/// The nearest names in a part of the draft: the last if it is before the quotation, else the first.
fn read(draft: &str, part: Range<usize>, mentions: &[Mention], last: bool) -> Beside {
    let from = mentions.partition_point(|mention| mention.place.start < part.start);
    let within = mentions[from..].iter().take_while(|mention| mention.place.end <= part.end).count();
    let mention = match last {
        true => within.checked_sub(1).map(|last| from + last),
        false => (within > 0).then_some(from),
    };
    // Numbers that are part of a name are not a citation.
    let is_named = |label: &Label| {
        let place = part.start + label.place.start..part.start + label.place.end;
        mentions[from..from + within]
            .iter()
            .any(|mention| mention.place.start <= place.start && place.end <= mention.place.end)
    };
    let mut found = labels(&draft[part.clone()]);
    found.retain(|label| !is_named(label));
    Beside { citation: Citation::of(mention.map(|at| &mentions[at]), &found, last), mention }
}

impl Citation {
    /// The nearest labels: the last ones, else the first ones.
    pub(super) fn of(mention: Option<&Mention>, labels: &[Label], last: bool) -> Self {
        let pick = |kinds: &[LabelKind]| {
            let mut of_kind = labels.iter().filter(|label| kinds.contains(&label.kind));
            if last { of_kind.next_back() } else { of_kind.next() }
        };
        let number = |kind: LabelKind| pick(&[kind]).map(|label| label.number.clone());
        let page = number(LabelKind::Page);
        let pages = page.as_deref().and_then(range);
        let paragraph = pick(&[LabelKind::Paragraph, LabelKind::Numbered]);
        Self {
            document_name: mention.map(|mention| mention.name.clone()),
            pages,
            page_label: page.filter(|_| pages.is_none()),
            bates: number(LabelKind::Bates),
            section: number(LabelKind::Section).or_else(|| {
                // "paragraph 3.2" is a section.
                paragraph.filter(|label| range(&label.number).is_none()).map(|label| label.number.clone())
            }),
            part: number(LabelKind::Part),
            paragraphs: paragraph.and_then(|label| range(&label.number)),
            lines: number(LabelKind::Line).as_deref().and_then(range),
            fit: CitationFit::Unknown,
            fault: None,
            who: mention.map(|mention| mention.who),
            is_printed: paragraph.is_some_and(|label| label.kind == LabelKind::Numbered),
        }
    }

    fn is_empty(&self) -> bool {
        self.who.is_none() && self.names_no_place()
    }

    /// True if it names a document only.
    pub(super) fn names_no_place(&self) -> bool {
        let numbers = [self.pages, self.paragraphs, self.lines];
        let words = [&self.page_label, &self.bates, &self.section, &self.part];
        numbers.iter().all(Option::is_none) && words.iter().all(|word| word.is_none())
    }

    pub(super) fn document(&self) -> Option<DocumentId> {
        match self.who {
            Some(Who::Document(id)) => Some(id),
            _ => None,
        }
    }

    /// Its fit as far as it is known without a place.
    pub(super) fn without_place(&self) -> (CitationFit, Option<CitationFault>) {
        match self.who {
            Some(Who::MissingFile) => (CitationFit::DoesNotFit, Some(CitationFault::NotInCollection)),
            Some(Who::Unnamed) => (CitationFit::Unknown, Some(CitationFault::NotInCollection)),
            _ => (CitationFit::Unknown, None),
        }
    }

    /// Its fit to a place, and the fault if it does not fit.
    pub(super) fn fits(&self, at: &Described<'_>) -> (CitationFit, Option<CitationFault>) {
        let (of_name, fault) = self.without_place();
        if fault.is_some() {
            return (of_name, fault);
        }
        if self.document().is_some_and(|document| document != at.place.document_id) {
            return (CitationFit::DoesNotFit, Some(CitationFault::Document));
        }
        let checks = [
            (CitationFault::Page, self.page_fits(at)),
            (CitationFault::Bates, self.bates_fits(at)),
            (CitationFault::Section, self.section_fits(at)),
            (CitationFault::Paragraph, self.paragraphs_fit(at)),
            (CitationFault::Line, self.lines_fit(at)),
        ];
        let named = [
            self.pages.is_some() || self.page_label.is_some(),
            self.bates.is_some(),
            self.section.is_some() || self.part.is_some(),
            self.paragraphs.is_some(),
            self.lines.is_some(),
        ];
        if let Some((fault, _)) = checks.iter().find(|(_, fits)| *fits == Some(false)) {
            return (CitationFit::DoesNotFit, Some(*fault));
        }
        let is_unknown = checks.iter().zip(named).any(|((_, fits), is_named)| is_named && fits.is_none());
        let is_known = matches!(self.who, Some(Who::Document(_))) || named.contains(&true);
        (if is_unknown || !is_known { CitationFit::Unknown } else { CitationFit::Fits }, None)
    }

    fn page_fits(&self, at: &Described<'_>) -> Option<bool> {
        let labels: Vec<&str> = at.notes.iter().flatten().filter_map(|notes| notes.label.as_deref()).collect();
        let has = |written: &str| labels.iter().any(|label| label.eq_ignore_ascii_case(written));
        if let Some(label) = &self.page_label {
            return has(label).then_some(true).or_else(|| (!labels.is_empty()).then_some(false));
        }
        let (first, last) = self.pages?;
        // If the file does not mark the ends of its pages, no cited page is wrong.
        if at.place.unpaged {
            return None;
        }
        let found = at.place.page..=at.place.page_end.unwrap_or(at.place.page);
        // A page may be cited by the number that is printed on it.
        Some(*found.start() <= last && *found.end() >= first || first == last && has(&first.to_string()))
    }

    fn bates_fits(&self, at: &Described<'_>) -> Option<bool> {
        let cited: BatesRange = self.bates.as_deref()?.parse().ok()?;
        let stamps = at.notes.iter().flatten().filter_map(|notes| notes.bates.as_deref());
        let stamps: Vec<BatesNumber> = stamps.filter_map(|stamp| stamp.parse().ok()).collect();
        (!stamps.is_empty()).then(|| stamps.iter().any(|stamp| cited.contains(stamp)))
    }

    fn section_fits(&self, at: &Described<'_>) -> Option<bool> {
        let mut heads = at.headings.to_vec();
        heads.push(at.beginning.to_owned());
        let section = self.section.as_ref().map(|section| section_fits(section, &heads));
        let part = self.part.as_ref().map(|part| {
            let stamps = at.notes.iter().flatten().flat_map(|notes| &notes.exhibits);
            stamps.into_iter().any(|stamp| is_exhibit(stamp, part)).then_some(true).or_else(|| part_fits(part, &heads))
        });
        match (section, part) {
            (Some(Some(false)), _) | (_, Some(Some(false))) => Some(false),
            (Some(None), _) | (_, Some(None)) => None,
            (None, None) => None,
            _ => Some(true),
        }
    }

    /// Paragraphs are counted on the page, as citations do, or have a number that the document prints.
    fn paragraphs_fit(&self, at: &Described<'_>) -> Option<bool> {
        let (first, last) = self.paragraphs?;
        let place = at.place;
        if is_within((first, last), (place.paragraph_start, place.paragraph_end), place.page_end.is_some())
            && !self.is_printed
        {
            return Some(true);
        }
        let notes = at.notes[0];
        let printed = notes.and_then(|notes| numbers_within(&notes.numbered, place.char_start, place.char_end));
        if let Some(printed) = printed {
            return Some(is_within((first, last), printed, false));
        }
        let mut heads = at.headings.to_vec();
        heads.push(at.beginning.to_owned());
        if section_fits(&first.to_string(), &heads) == Some(true) {
            return Some(true);
        }
        // Only with lines, or pages of the file, is it sure that paragraphs are counted on the page.
        let is_counted = self.lines.is_some() || self.pages.is_some() && !self.is_printed && !place.unpaged;
        is_counted.then_some(false)
    }

    fn lines_fit(&self, at: &Described<'_>) -> Option<bool> {
        let place = at.place;
        Some(is_within(self.lines?, (place.line_start, place.line_end), place.page_end.is_some()))
    }
}

/// True if two ranges overlap. If the place runs to another page, its end counts from that page's beginning.
fn is_within((first, last): (u32, u32), (start, end): (u32, u32), is_broken: bool) -> bool {
    if is_broken { last >= start || first <= end } else { first <= end && last >= start }
}

#[cfg(test)]
mod tests {
    use super::super::draft::quotations;
    use super::super::mentions::Names;
    use super::*;

    type Cited = (Option<String>, Option<(u32, u32)>, Option<String>);

    fn cited(draft: &str) -> Option<Citation> {
        let names = ["Lease.docx", "Lease Amendment.docx", "Vendor_Agreement.pdf"];
        let names = Names::new(names.iter().map(|name| (DocumentId::random(), (*name).to_owned())).collect());
        let quotations = quotations(draft);
        Some(beside(draft, &quotations, quotations.len() - 1, &names.mentions(draft))?.citation)
    }

    #[test]
    fn documents_pages_and_sections_beside_a_quotation_are_read() {
        let lease = || Some("Lease.docx".to_owned());
        let section = |number: &str| Some(number.to_owned());
        let cases: [(&str, Option<Cited>); 11] = [
            ("It says “the rent is due” (Lease.docx, p. 3).", Some((lease(), Some((3, 3)), None))),
            (
                "Clause 4.2(b) of the Lease says “the rent is due” (pp. 3-4).",
                Some((lease(), Some((3, 4)), section("4.2(b)"))),
            ),
            ("Under § 4.2 of the lease, “the rent is due”.", Some((lease(), None, section("4.2")))),
            (
                "See “the rent is due” in the Lease Amendment, Article IV.",
                Some((Some("Lease Amendment.docx".to_owned()), None, section("IV"))),
            ),
            (
                "> the rent is due\n— Vendor Agreement, page 12",
                Some((Some("Vendor_Agreement.pdf".to_owned()), Some((12, 12)), None)),
            ),
            ("It says “the rent is due” and nothing else.", None),
            ("See “a and b and c” (Lease, p. 9). Then it says “the rent is due”.", Some((lease(), Some((9, 9)), None))),
            (
                "It says “the rent is due.” Lease.docx, p. 3. The Lease Amendment, § 9, differs.",
                Some((lease(), Some((3, 3)), None)),
            ),
            ("It says “the rent is due” (Lease, p. 3). Section 9 differs.", Some((lease(), Some((3, 3)), None))),
            ("It says “the rent is due” (emphasis added) (Lease, p. 3).", Some((lease(), Some((3, 3)), None))),
            (
                "It says “the rent is due” (Sublease.docx, p. 3).",
                Some((Some("Sublease.docx".to_owned()), Some((3, 3)), None)),
            ),
        ];
        for (draft, expected) in cases {
            let found = cited(draft).map(|cited| (cited.document_name, cited.pages, cited.section));
            assert_eq!(found, expected, "{draft}");
        }
    }

    #[test]
    fn lines_and_paragraphs_are_no_sections() {
        let found = cited("“the rent is due” (Lease.docx, p. 4 (Exhibit 2, ¶ 7, Bates SM000042), para. 24, ll. 28-29)")
            .unwrap();
        assert_eq!((found.pages, found.section.as_deref(), found.part.as_deref()), (Some((4, 4)), None, Some("2")));
        assert_eq!((found.bates.as_deref(), found.lines), (Some("SM000042"), Some((28, 29))));
        assert_eq!(cited("“the rent is due” (Lease, p. A-1)").unwrap().page_label.as_deref(), Some("A-1"));
        assert_eq!(cited("“the rent is due” (Lease, paragraph 3.2)").unwrap().section.as_deref(), Some("3.2"));
    }

    #[test]
    fn what_is_cited_must_overlap_the_place() {
        assert!(is_within((24, 24), (20, 30), false) && !is_within((31, 31), (20, 30), false));
        // From paragraph 6 of a page to paragraph 2 of the next.
        assert!(is_within((6, 6), (6, 2), true) && is_within((2, 2), (6, 2), true) && !is_within((4, 4), (6, 2), true));
    }
}
