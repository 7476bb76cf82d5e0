//! Quotations compared with the documents.

use std::fmt::Write as _;

use casetrack_engine::quotes::{
    Citation, CitationFault, CitationFit, CitationRow, Difference, DraftCheck, DraftRow, Mark, MarkedChange,
    QuoteCheck, QuotePlace, QuoteStatus, Typography,
};

use super::format::{counted, one_line, thousands, trimmed};
use super::marks::{citation, document_text, name, quote};
use super::tracked_changes;
use crate::Reader;

const CHANGED: &str =
    "A document had these words before its tracked changes, but no longer has them. Do not quote them as agreed:";

pub fn quotation(check: &QuoteCheck, reader: Reader) -> String {
    let collection = one_line(&check.collection);
    let mut text = match check.status {
        QuoteStatus::Exact => {
            let least = if check.is_at_least { "at least " } else { "" };
            format!("Exact: word for word, in {least}{} of {collection}.\n", counted(check.total, "place"))
        }
        QuoteStatus::Differs => format!("Differs: {collection} has no passage with exactly these words.\n"),
        QuoteStatus::NotFound => {
            format!("Not found: no passage of {collection} has these words, or most of them, in this order.\n")
        }
    };
    push_typography(&mut text, "", &check.typography);
    push_marked(&mut text, "", &check.marked);
    for found in &check.places {
        text.push('\n');
        push_place(&mut text, found);
    }
    reader.push_more(&mut text, check.total, check.next_offset);
    if let Some(nearest) = &check.nearest {
        let same = match nearest.same_words {
            true => "the same words, apart from capitals, punctuation and slips".to_owned(),
            false => format!("{:.0} % of the words", 100.0 * nearest.likeness),
        };
        let _ = writeln!(text, "\nThe nearest passage ({same}):");
        push_place(&mut text, &nearest.place);
        let _ = writeln!(text, "\n{}:", counted(nearest.differences.len() as u64, "difference"));
        push_differences(&mut text, "", &nearest.differences);
        let _ = writeln!(text, "\n{}", document_text(&nearest.text));
    }
    if !check.elsewhere.is_empty() {
        text.push_str("\nWord for word in other documents:\n");
        check.elsewhere.iter().for_each(|found| push_place(&mut text, found));
    }
    if !check.changed_by.is_empty() {
        let _ = writeln!(text, "\n{CHANGED}");
        check.changed_by.iter().for_each(|change| text.push_str(&tracked_changes::entry(change)));
    }
    trimmed(text)
}

pub fn draft(check: &DraftCheck, reader: Reader) -> String {
    let counts = check.counts;
    let mut text = format!(
        "{} in the draft, checked against {}: {} exact, {} differ, {} not found.",
        counted(counts.quotations, "quotation"),
        one_line(&check.collection),
        thousands(counts.exact),
        thousands(counts.differ),
        thousands(counts.not_found),
    );
    if counts.citations_that_do_not_fit > 0 {
        let _ = write!(text, " Citations that do not fit: {}.", thousands(counts.citations_that_do_not_fit));
    }
    if counts.quotations == 0 {
        text.push_str(
            "\n\nA quotation has at least three words in quotation marks, or two with a number, or is a block.",
        );
    }
    if check.is_cut {
        text.push_str("\nNote: The draft has more quotations or citations. Check the rest of it by itself.");
    }
    text.push('\n');
    check.rows.iter().for_each(|row| push_row(&mut text, row));
    reader.push_more(&mut text, counts.quotations, check.next_offset);
    if !check.citations.is_empty() {
        let _ = writeln!(text, "\n{} without a quotation:", counted(counts.citations, "citation"));
        check.citations.iter().for_each(|row| push_citation(&mut text, row));
    }
    trimmed(text)
}

fn push_row(text: &mut String, row: &DraftRow) {
    let status = match row.status {
        QuoteStatus::Exact => "exact",
        QuoteStatus::Differs if row.same_words => "differs (the same words)",
        QuoteStatus::Differs => "differs",
        QuoteStatus::NotFound => "not found",
    };
    let _ = writeln!(text, "\n{}. line {}: {status}\n   {}", row.number, row.line, quote(&row.quotation));
    if let Some(place) = &row.citation {
        let (what, more) = match row.status {
            QuoteStatus::Exact if row.total > 1 => ("Place:  ", format!(" (of {} places)", thousands(row.total))),
            QuoteStatus::Exact => ("Place:  ", String::new()),
            _ => ("Nearest:", String::new()),
        };
        let _ = writeln!(text, "   {what} {}{more}", citation(place));
    }
    if let Some(cited) = &row.cited {
        let _ = writeln!(text, "   Cited:   {}: {}", cited_as(cited), fit(cited, true));
    }
    push_typography(text, "   ", &row.typography);
    push_marked(text, "   ", &row.marked);
    push_differences(text, "   ", &row.differences);
    if let Some(change) = row.changed_by.first() {
        let _ = writeln!(text, "   {CHANGED}\n   {}", tracked_changes::entry(change).trim_end());
    }
}

/// A citation without a quotation, and the verdict on its target.
fn push_citation(text: &mut String, row: &CitationRow) {
    let _ = writeln!(text, "- line {}: {}: {}", row.line, quote(&row.text), fit(&row.cited, false));
}

fn fit(cited: &Citation, is_quoted: bool) -> &'static str {
    match (cited.fit, cited.fault) {
        (CitationFit::Fits, _) if is_quoted => "fits",
        (CitationFit::Fits, _) => "is there",
        (CitationFit::DoesNotFit, Some(CitationFault::NotInCollection)) => {
            "DOES NOT FIT: the cited document is not in the collection"
        }
        (CitationFit::DoesNotFit, Some(CitationFault::Document)) => "DOES NOT FIT: another document",
        (CitationFit::DoesNotFit, Some(CitationFault::Page)) => "DOES NOT FIT: the page",
        (CitationFit::DoesNotFit, Some(CitationFault::Bates)) => "DOES NOT FIT: the Bates number",
        (CitationFit::DoesNotFit, Some(CitationFault::Section)) => "DOES NOT FIT: the section",
        (CitationFit::DoesNotFit, Some(CitationFault::Paragraph)) => "DOES NOT FIT: the paragraph",
        (CitationFit::DoesNotFit, Some(CitationFault::Line)) => "DOES NOT FIT: the line",
        (CitationFit::DoesNotFit, None) => "DOES NOT FIT",
        (CitationFit::Unknown, Some(CitationFault::NotInCollection)) => {
            "not checked: no document of the collection has this name"
        }
        (CitationFit::Unknown, _) => "not checked: nothing there shows whether it fits",
    }
}

/// `Lease.docx, p. 3, section 4.2`
fn cited_as(cited: &Citation) -> String {
    let numbers = |one: &str, many: &str, range: Option<(u32, u32)>| {
        range.map(|(first, last)| match first == last {
            true => format!("{one} {first}"),
            false => format!("{many} {first}-{last}"),
        })
    };
    let named = |what: &str, written: &Option<String>| written.as_deref().map(|it| format!("{what}{}", name(it)));
    let parts = [
        named("", &cited.document_name),
        numbers("p.", "pp.", cited.pages),
        named("p. ", &cited.page_label),
        named("Bates ", &cited.bates),
        named("exhibit ", &cited.part),
        named("section ", &cited.section),
        numbers("para.", "paras.", cited.paragraphs),
        numbers("l.", "ll.", cited.lines),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn push_place(text: &mut String, place: &QuotePlace) {
    let _ = writeln!(text, "{}\nFile:  {}", citation(&place.citation), name(&place.file_path));
    let ends = place.page_end.map_or(" of the page".to_owned(), |page| format!(" of p. {page}"));
    let _ = write!(text, "Place: chars {}-{}{ends}", place.char_start, place.char_end);
    if !place.heading_path.is_empty() {
        let headings: Vec<_> = place.heading_path.iter().map(|heading| name(heading)).collect();
        let _ = write!(text, " | Section: {}", headings.join(" > "));
    }
    let _ = writeln!(text, "\nChunk: {}", place.chunk_id.short());
}

fn push_typography(text: &mut String, indent: &str, typography: &[Typography]) {
    if typography.is_empty() {
        return;
    }
    let kinds: Vec<&str> = typography.iter().map(|kind| label(*kind)).collect();
    let _ = writeln!(text, "{indent}Typography differs: {}.", kinds.join(", "));
}

fn label(typography: Typography) -> &'static str {
    match typography {
        Typography::LineBreaks => "line breaks",
        Typography::Spacing => "spaces",
        Typography::Hyphenation => "hyphens at the ends of lines",
        Typography::QuotationMarks => "quotation marks",
        Typography::Dashes => "dashes",
        Typography::Ligatures => "ligatures",
        Typography::Ellipses => "dots of an ellipsis",
        Typography::CharacterForms => "forms of characters, such as full width, or ue for ü",
        Typography::RepeatedSigns => "length of a row of signs",
        Typography::ClosingPunctuation => "the document does not have the comma or full stop at the end",
        Typography::PageBreak => "the passage runs over a page break",
    }
}

fn push_marked(text: &mut String, indent: &str, marked: &[MarkedChange]) {
    for change in marked {
        let what = match change.mark {
            Mark::Ellipsis => format!("{} left out", counted(change.words.into(), "word")),
            Mark::Brackets => "altered".to_owned(),
        };
        let document = if change.document.is_empty() { "nothing".to_owned() } else { quote(&change.document) };
        let _ =
            writeln!(text, "{indent}Marked: {} ({what}); the document has {document} there.", quote(&change.quotation));
    }
}

fn push_differences(text: &mut String, indent: &str, differences: &[Difference]) {
    for (n, difference) in (1..).zip(differences) {
        let shown = |words: &str| if words.is_empty() { "nothing".to_owned() } else { quote(words) };
        let after = match difference.preceded_by.is_empty() {
            true => String::new(),
            false => format!(" after {}", quote(&difference.preceded_by)),
        };
        let _ = writeln!(
            text,
            "{indent}{n}. {}{after}: the quotation has {}, the document {}.",
            difference.kind.label(),
            shown(&difference.quotation),
            shown(&difference.document),
        );
    }
}
