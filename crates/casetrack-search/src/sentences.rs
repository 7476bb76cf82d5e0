//! The sentences and clauses of a passage.

use std::ops::Range;

use casetrack_core::{Block, BlockKind};
use casetrack_extract::chunker::sentence_ends;

/// A longer sentence is divided at its semicolons.
pub(super) const LONGEST: usize = 900;
/// A line of at most this many words, most of them with a capital, is a heading.
const HEADING_WORDS: usize = 8;
/// A heading of the document has at most this many words. A longer one is a clause that begins with its number.
const MOST_HEADING_WORDS: usize = 16;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sentence {
    /// Characters of the passage, half-open, without white space at its ends.
    pub range: Range<usize>,
    pub is_heading: bool,
    /// True for the number of a page, such as "Page 6 of 8".
    pub is_page_number: bool,
}

/// The sentences of a passage that begins at the character `start` of a page with `blocks`, in order. Sentences end with the blocks, or with the
/// lines if there are no blocks. A sentence whose rest follows in small letters continues. Text without white space at its ends belongs to one
/// sentence each.
pub(super) fn sentences(text: &str, start: u32, blocks: &[Block]) -> Vec<Sentence> {
    let chars: Vec<char> = text.chars().collect();
    let mut ends = sentence_ends(text, &chars);
    let own = blocks.iter().filter(|block| block.char_end > start);
    let own: Vec<(Range<usize>, &BlockKind)> = own
        .map(|block| (relative(block.char_start, start)..relative(block.char_end, start).min(chars.len()), &block.kind))
        .take_while(|(range, _)| range.start < chars.len())
        .collect();
    let lines = chars.iter().enumerate().filter(|(_, c)| **c == '\n').map(|(at, _)| at);
    let ends_here = |at: &usize| !continues(&chars, *at);
    if own.is_empty() {
        ends.extend(lines.filter(ends_here));
    } else {
        ends.extend(own.iter().map(|(range, _)| range.end).filter(ends_here));
        ends.extend(lines.filter(|at| divides_rows(&chars, *at)));
    }
    ends.push(chars.len());
    ends.sort_unstable();
    let mut found: Vec<Sentence> = Vec::new();
    let mut from = 0;
    for end in ends {
        if let Some(range) = trimmed(&chars, from..end) {
            let block = own.iter().find(|(block, _)| block.end > range.start);
            let is_headed = block.is_some_and(|(block, kind)| {
                matches!(kind, BlockKind::Heading { .. }) && range.end <= block.end && is_short(&chars[range.clone()])
            });
            let is_heading = is_headed || is_title(&chars[range.clone()]);
            let is_page_number = is_page_number(&chars[range.clone()]);
            let parts = if range.len() > LONGEST { at_semicolons(&chars, range) } else { vec![range] };
            found.extend(parts.into_iter().map(|range| Sentence { range, is_heading, is_page_number }));
            from = end;
        }
    }
    found
}

fn relative(char: u32, start: u32) -> usize {
    char.saturating_sub(start) as usize
}

fn trimmed(chars: &[char], range: Range<usize>) -> Option<Range<usize>> {
    let part = chars.get(range.clone())?;
    let first = part.iter().position(|c| !c.is_whitespace())?;
    let last = part.iter().rposition(|c| !c.is_whitespace())?;
    Some(range.start + first..range.start + last + 1)
}

/// True if a sentence continues behind a place between blocks or lines: it has not ended, and small letters follow.
fn continues(chars: &[char], at: usize) -> bool {
    let before = chars[..at].iter().rev().find(|c| !c.is_whitespace());
    let after = chars[at..].iter().find(|c| !c.is_whitespace());
    let has_ended = before.is_none_or(|c| matches!(c, '.' | ';' | ':' | '!' | '?' | '”' | '"' | ')'));
    !has_ended && after.is_some_and(|c| c.is_lowercase())
}

/// True for a line break between rows of a table: cells are divided by tabs or bars.
fn divides_rows(chars: &[char], at: usize) -> bool {
    let before = chars[..at].iter().rev().take_while(|c| **c != '\n');
    let after = chars[at + 1..].iter().take_while(|c| **c != '\n');
    before.clone().any(|c| *c == '\t') || after.clone().any(|c| *c == '\t') || chars.get(at + 1) == Some(&'|')
}

fn is_short(chars: &[char]) -> bool {
    let words = chars.split(|c| c.is_whitespace()).filter(|word| word.iter().any(|c| c.is_alphabetic()));
    words.count() <= MOST_HEADING_WORDS
}

/// True for "Page 6 of 8", "Page 6" or "- 6 -".
fn is_page_number(chars: &[char]) -> bool {
    let text: String = chars.iter().collect::<String>().to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    match words[..] {
        ["page", page] => is_number(page),
        ["page", page, "of", all] => is_number(page) && is_number(all),
        [page] => is_number(page) && text.starts_with('-') && text.ends_with('-'),
        _ => false,
    }
}

/// True for a few words, most of which begin with a capital, as in "10.2 Limitation of Liability." There are words besides numbers.
fn is_title(chars: &[char]) -> bool {
    if matches!(chars.last(), Some(';' | ',' | '!' | '?')) {
        return false;
    }
    let words = || chars.split(|c| c.is_whitespace()).filter(|word| word.iter().any(|c| c.is_alphabetic()));
    let (all, capitals) = (words().count(), words().filter(|word| word.iter().any(|c| c.is_uppercase())).count());
    (1..=HEADING_WORDS).contains(&all) && 2 * capitals >= all && words().next().is_some_and(|word| word[0] != '(')
}

/// The parts of a long sentence that its semicolons end.
fn at_semicolons(chars: &[char], range: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut from = range.start;
    for at in range.clone() {
        let is_end = chars[at] == ';' && chars.get(at + 1).is_none_or(|c| c.is_whitespace());
        if is_end || at + 1 == range.end {
            parts.extend(trimmed(chars, from..at + 1));
            from = at + 1;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, blocks: &[Block]) -> Vec<String> {
        let chars: Vec<char> = text.chars().collect();
        sentences(text, 0, blocks)
            .into_iter()
            .map(|one| {
                format!("{}{}", if one.is_heading { "# " } else { "" }, chars[one.range].iter().collect::<String>())
            })
            .collect()
    }

    #[test]
    fn blocks_end_sentences_unless_they_continue() {
        let text = "2. Payment and Interest\n2.1 In clause 7.4 the words are\n\nreplaced. Nothing else is. Rent is due\n\nNotice";
        let kind = BlockKind::Paragraph;
        let ends = [23, 55, 95, text.len()];
        let mut from = 0;
        let blocks: Vec<Block> = ends
            .iter()
            .map(|&end| {
                let block = Block { kind: kind.clone(), char_start: from, char_end: end as u32 };
                from = end as u32 + 1;
                block
            })
            .collect();
        assert_eq!(
            texts(text, &blocks),
            [
                "# 2. Payment and Interest",
                "2.1 In clause 7.4 the words are\n\nreplaced.",
                "Nothing else is.",
                "Rent is due",
                "# Notice"
            ]
        );
    }

    #[test]
    fn a_long_clause_that_a_document_marks_as_a_heading_is_none() {
        let clause = "7.6 If the employer fails to pay a sum that is due by the final date, it shall pay simple interest on the sum.";
        let text = format!("7. Payment\n{clause}\nPage 6 of 8");
        let heading = BlockKind::Heading { level: 1 };
        let ends = [(10, &heading), (11 + clause.len() as u32, &heading), (text.len() as u32, &BlockKind::Paragraph)];
        let mut from = 0;
        let blocks: Vec<Block> = ends
            .into_iter()
            .map(|(end, kind)| {
                let block = Block { kind: kind.clone(), char_start: from, char_end: end };
                from = end + 1;
                block
            })
            .collect();
        assert_eq!(texts(&text, &blocks), ["# 7. Payment", clause, "# Page 6 of 8"]);
        let numbers: Vec<bool> = sentences(&text, 0, &blocks).iter().map(|one| one.is_page_number).collect();
        assert_eq!(numbers, [false, false, true]);
        for (text, expected) in [("- 12 -", true), ("Page 3", true), ("Page three", false), ("12", false), ("", false)]
        {
            assert_eq!(is_page_number(&text.chars().collect::<Vec<_>>()), expected, "{text}");
        }
    }

    #[test]
    fn rows_are_sentences_and_long_ones_end_with_their_parts() {
        assert_eq!(
            texts("a\t1\nb\t2", &[Block { kind: BlockKind::Paragraph, char_start: 0, char_end: 7 }]),
            ["a\t1", "b\t2"]
        );
        let long = format!("The tenant shall {}; shall pay; and shall leave.", "pay rent and ".repeat(80));
        assert_eq!(texts(&long, &[]).len(), 3);
        assert_eq!(texts(" \n ", &[]), Vec::<String>::new());
    }
}
