//! Finds the end of a section that no heading ends: at signatures, and at schedules, exhibits and annexes.

use casetrack_core::{Block, BlockKind};

use super::Cursor;

/// A longer block is running text, not a signature or the title of a schedule.
const MAX_BLOCK_CHARS: usize = 300;
/// A longer line is a sentence, not the title of a schedule.
const MAX_TITLE_CHARS: usize = 100;

/// The part that begins with a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SectionStart {
    Signatures,
    /// A schedule, exhibit, annex, appendix or attachment; the block is its title.
    Schedule,
}

/// The blocks that end the section in force, by index. `text` is a page or a part of one that begins at the character
/// `text_start`; `blocks` are the page's, of which those outside the text are ignored. Linear in the text.
pub(crate) fn section_starts(text: &str, text_start: u32, blocks: &[Block]) -> Vec<(usize, SectionStart)> {
    let mut cursor = Cursor::starting_at(text, text_start as usize);
    let first = blocks.partition_point(|block| block.char_start < text_start);
    let texts: Vec<&str> =
        blocks[first..].iter().map(|block| cursor.slice(block)).take_while(|text| !text.is_empty()).collect();
    let mut found = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let kind = &blocks[first + index].kind;
        let next = texts.get(index + 1).copied().unwrap_or_default();
        if starts_signatures(text, next, matches!(kind, BlockKind::TableRow { .. })) {
            found.push((first + index, SectionStart::Signatures));
        } else if starts_schedule(text, kind) {
            // Titles next to each other are a list of schedules.
            let before = index.checked_sub(1).and_then(|before| texts.get(before)).copied().unwrap_or_default();
            let is_listed = [before, next].iter().any(|other| is_schedule_title(other));
            if matches!(kind, BlockKind::Heading { .. }) || !is_listed {
                found.push((first + index, SectionStart::Schedule));
            }
        }
    }
    found
}

/// The beginnings of the text above signatures.
const WITNESS: &[&str] = &["in witness whereof", "in witness of which", "in witness hereof", "in testimony whereof"];
/// The beginnings of a signature, or of the page for it.
const SIGNED: &[&str] = &[
    "signed by",
    "signed for and on behalf of",
    "signed on behalf of",
    "signed, sealed and delivered",
    "signed sealed and delivered",
    "signed as a deed",
    "executed as a deed",
    "executed for and on behalf of",
    "signature page",
    "[signature page",
    "signatures",
];
/// Words in the address of a notice, which has a name and a title as well.
const NOTICE: &[&str] =
    &["address", "attention", "attn", "telephone", "facsimile", "fax", "e-mail", "email", "copy to"];

/// `next` is the block that follows. A row of a table may ask for a name and a title in any form.
fn starts_signatures(text: &str, next: &str, is_row: bool) -> bool {
    if WITNESS.iter().any(|start| starts_with(text, start)) {
        return true;
    }
    if text.chars().nth(MAX_BLOCK_CHARS).is_some() {
        return false;
    }
    let is_sentence = text.trim_end().ends_with(['.', ';', ',']) && !text.contains("__");
    if SIGNED.iter().any(|start| starts_with(text, start)) && !is_sentence {
        return true;
    }
    let after = |name: &str| fields(text).find_map(|field| field_value(field, name));
    if fields(text).any(|field| field.starts_with("/s/")) {
        return true;
    }
    let Some(by) = after("by") else {
        let has_title = ["title", "its"].iter().any(|name| after(name).is_some() || starts_field(next, name));
        let is_notice =
            fields(text).chain(fields(next)).any(|field| NOTICE.iter().any(|word| starts_with(field, word)));
        return !is_row && starts_field(text, "name") && has_title && !is_notice;
    };
    by.is_empty()
        || by.starts_with(['_', '/', '.', '…'])
        || ["name", "title", "its"].iter().any(|name| after(name).is_some() || starts_field(next, name))
}

fn fields(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\t']).map(str::trim).filter(|field| !field.is_empty())
}

fn starts_field(text: &str, name: &str) -> bool {
    fields(text).next().is_some_and(|field| field_value(field, name).is_some())
}

/// The text behind `name:` in a field.
fn field_value<'t>(field: &'t str, name: &str) -> Option<&'t str> {
    let rest = field.get(name.len()..).filter(|_| starts_with(field, name))?;
    rest.trim_start().strip_prefix(':').map(str::trim)
}

/// Without regard to the case of ASCII letters.
fn starts_with(text: &str, start: &str) -> bool {
    text.as_bytes().get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
}

const SCHEDULES: &[&str] =
    &["schedule", "exhibit", "annexure", "annexe", "annex", "appendix", "attachment", "anlage", "anhang"];

fn starts_schedule(text: &str, kind: &BlockKind) -> bool {
    matches!(kind, BlockKind::Heading { .. } | BlockKind::Paragraph) && is_schedule_title(text)
}

/// "SCHEDULE 1", "Exhibit A – Form of Note", "ANNEX III to the Agreement"; not "Exhibit A shows …".
pub(crate) fn is_schedule_title(text: &str) -> bool {
    let Some(word) = SCHEDULES.iter().find(|word| starts_with(text, word)) else { return false };
    if text.chars().nth(MAX_BLOCK_CHARS).is_some() {
        return false;
    }
    let line = text.lines().next().unwrap_or_default().trim_end();
    let after = &line[word.len().min(line.len())..];
    let number = after.trim_start();
    if number.len() == after.len() && !after.is_empty() {
        return false;
    }
    let end = number.find(|c: char| c.is_whitespace() || matches!(c, ':' | '–' | '—')).unwrap_or(number.len());
    let (label, title) = number.split_at(end);
    if label.ends_with([';', ',']) {
        return false;
    }
    let label = label.trim_matches(|c: char| !c.is_alphanumeric());
    is_label(label) && is_title(title) && line.chars().count() <= MAX_TITLE_CHARS
}

/// "1", "10.1", "A-2", "IV".
fn is_label(label: &str) -> bool {
    let is_short = (1..=6).contains(&label.len());
    is_short
        && label.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | '(' | ')'))
        && (label.contains(|c: char| c.is_ascii_digit()) || label.len() <= 4)
}

/// True if this may follow the label of a schedule on its line: nothing, or a title, whose long words begin with capitals.
fn is_title(text: &str) -> bool {
    let text = text.trim();
    let is_sentence = text.ends_with(['.', ';', ',']) || text.contains("...");
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3);
    !is_sentence && words.all(|word| !word.starts_with(char::is_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(paragraphs: &[&str]) -> Vec<(usize, SectionStart)> {
        let (mut text, mut blocks) = (String::new(), Vec::new());
        for paragraph in paragraphs {
            let start = text.chars().count() as u32;
            text.push_str(paragraph);
            let end = text.chars().count() as u32;
            blocks.push(Block { char_start: start, char_end: end, kind: BlockKind::Paragraph });
            text.push('\n');
        }
        section_starts(&text, 0, &blocks)
    }

    #[test]
    fn signatures_are_found_in_their_usual_forms() {
        for text in [
            "IN WITNESS WHEREOF, the parties hereto have caused this Agreement to be executed by their duly authorized \
             representatives as of the day and year first above written, in two counterparts, each of which is an original.",
            "Signed by: Jane Roe",
            "SIGNED for and on behalf of\nÄCME LIMITED",
            "[Signature Page Follows]",
            "SIGNATURES",
            "By: ______________",
            "ACME CORP.\nBy: /s/ Jane Roe\nName: Jane Roe",
            "By:\tBy:",
            "By: Jane Roe\nTitle: President",
            "Name: Jane Roe\nTitle: President",
            "/s/ Jane Roe",
        ] {
            assert_eq!(starts(&["16.15 Limitation of Liability", text]), [(1, SectionStart::Signatures)], "{text}");
        }
        assert_eq!(starts(&["Name: Jane Roe", "Title: President"]), [(0, SectionStart::Signatures)]);
    }

    #[test]
    fn text_about_signatures_is_none() {
        for text in [
            "This Agreement may be signed by the parties in counterparts.",
            "Signed by both parties, this Agreement shall be in force from the date on which the last one signed it.",
            "By: the end of the month, the Supplier delivers a report.",
            "Name: Jane Roe\nTitle: President\nAddress: 1 Main Street\nAttention: Legal",
            "Name of the product",
            "Title: A History",
        ] {
            assert_eq!(starts(&[text]), [], "{text}");
        }
    }

    #[test]
    fn schedules_are_found_by_their_titles() {
        for text in [
            "SCHEDULE 1",
            "Schedule A – Services",
            "EXHIBIT B: FORM OF NOTE",
            "EXHIBIT 10.1\nSERVICES AGREEMENT",
            "ANNEX III TO THE SHARE PURCHASE AGREEMENT",
            "Appendix 2 Service Levels",
            "Exhibit \"A\"",
            "Attachment A-1",
        ] {
            assert_eq!(starts(&["Text.", text, "More text."]), [(1, SectionStart::Schedule)], "{text}");
        }
    }

    #[test]
    fn mentions_and_lists_of_schedules_are_none() {
        for text in [
            "Schedule 1 sets out the Services.",
            "Exhibit A shall be deemed part of this Agreement",
            "Exhibits to this Agreement",
            "Schedule of Fees",
            "Exhibit A; and",
            "Scheduled maintenance",
            "Exhibit A Form of Note ........ 12",
        ] {
            assert_eq!(starts(&[text]), [], "{text}");
        }
        assert_eq!(starts(&["Exhibit A – Form of Note", "Exhibit B – Form of Guarantee", "Exhibit C"]), []);
    }

    #[test]
    fn parts_of_pages_are_read_from_where_they_start() {
        let block = |char_start, char_end| Block { char_start, char_end, kind: BlockKind::Paragraph };
        let blocks = [block(0, 5), block(6, 10), block(11, 21), block(22, 40)];
        assert_eq!(section_starts("Text\nSCHEDULE 1", 6, &blocks), [(2, SectionStart::Schedule)]);
    }
}
