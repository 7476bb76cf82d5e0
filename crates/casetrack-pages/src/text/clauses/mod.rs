//! Headings of numbered clauses. Contracts often print them like the text, or at the beginning of a paragraph, so that
//! only their numbers show them.

mod candidates;
mod label;
mod sequence;

use std::ops::Range;

use casetrack_core::{Block, BlockKind, FileFormat, Page};

use super::Cursor;
use super::sections::is_schedule_title;
use candidates::{BlockText, Candidate, NumberContext, candidates};
use label::Scheme;
use sequence::{Boundary, Costs, best_sequence};

/// Makes headings of the numbers of clauses and their titles, on the first two levels: "ARTICLE 5", "5. Time and
/// delay", "5.1", "B.". Text that follows them becomes a block of its own. `pages` are all pages of a document.
///
/// A number is a clause's if it continues from the ones before: tables of contents, references and lists inside clauses do not. The level is one
/// below that of the document's title for "5.", two for "5.2". Linear in the text. The lists of mailboxes and archives, and
/// sheets, stay as they are.
pub fn mark_headings(format: FileFormat, pages: &mut [Page]) {
    if format.is_listing() || pages.iter().all(|page| page.sheet_name.is_some()) {
        return;
    }
    let mut blocks = Vec::new();
    let mut places = Vec::new();
    let mut start = 0;
    for (page_index, page) in pages.iter().enumerate() {
        let mut cursor = Cursor::new(&page.text);
        for (index, block) in page.blocks.iter().enumerate() {
            let text = cursor.slice(block);
            let is_table = page.sheet_name.is_some() || matches!(block.kind, BlockKind::TableRow { .. });
            let is_heading = matches!(block.kind, BlockKind::Heading { .. });
            blocks.push(BlockText { text, start, is_heading, is_table });
            places.push((page_index, index));
            start += text.len() + 1;
        }
    }
    let mut marks: Vec<Vec<Mark>> = pages.iter().map(|_| Vec::new()).collect();
    let found = clauses(&blocks);
    for (index, clause) in found.iter().enumerate() {
        let (page, block) = places[clause.block];
        let at = &pages[page].blocks[block];
        let text = blocks[clause.block].text;
        let next_start = found.get(index + 1).map_or(usize::MAX, |next| next.start);
        let char_start = at.char_start + chars(&text[..clause.offset]);
        let mut char_end = char_start + chars(text[clause.offset..clause.offset + clause.length].trim_end());
        // A title in the next block belongs to its number.
        if let Some(length) = clause.next_title
            && let Some(&(next_page, next)) = places.get(clause.block + 1)
            && next_page == page
            && next_start > blocks[clause.block + 1].start
        {
            let title = blocks[clause.block + 1].text;
            char_end = pages[page].blocks[next].char_start + chars(title[..length].trim_end());
        }
        marks[page].push(Mark { chars: char_start..char_end, level: clause.level });
    }
    for (page, marks) in pages.iter_mut().zip(marks).filter(|(_, marks)| !marks.is_empty()) {
        page.blocks = marked(page, &marks);
    }
}

fn chars(text: &str) -> u32 {
    text.chars().count() as u32
}

struct Mark {
    chars: Range<u32>,
    level: u8,
}

/// The blocks of a page, cut around the headings.
fn marked(page: &Page, marks: &[Mark]) -> Vec<Block> {
    let text: Vec<char> = page.text.chars().collect();
    let trimmed = |start: u32, end: u32, kind: &BlockKind| {
        let piece = text.get(start as usize..end as usize)?;
        let before = piece.iter().take_while(|c| c.is_whitespace()).count() as u32;
        let after = piece.iter().rev().take_while(|c| c.is_whitespace()).count() as u32;
        (before < end - start).then(|| Block { char_start: start + before, char_end: end - after, kind: kind.clone() })
    };
    let mut blocks = Vec::new();
    let mut ahead = marks.iter().peekable();
    // Up to here the text is in blocks.
    let mut covered = 0;
    for block in &page.blocks {
        let is_guessed = !page.line_boxes.is_empty();
        while let Some(mark) = ahead.next_if(|mark| mark.chars.start < block.char_end) {
            let at = covered.max(block.char_start);
            if mark.chars.start < at {
                continue;
            }
            blocks.extend(trimmed(at, mark.chars.start, &block.kind));
            let level = match block.kind {
                BlockKind::Heading { level } if !is_guessed => level.min(mark.level),
                _ => mark.level,
            };
            let Range { start: char_start, end: char_end } = mark.chars;
            blocks.push(Block { char_start, char_end, kind: BlockKind::Heading { level } });
            covered = char_end;
        }
        let at = covered.max(block.char_start);
        if at < block.char_end {
            // The rest of a heading or an item is running text.
            let kind = if at > block.char_start { &BlockKind::Paragraph } else { &block.kind };
            blocks.extend(trimmed(at, block.char_end, kind));
        }
    }
    blocks
}

/// A clause of the first two levels.
struct Clause {
    /// Index of its block, and its beginning there, in bytes.
    block: usize,
    offset: usize,
    start: usize,
    /// Of its number and title, in bytes.
    length: usize,
    /// Bytes of the title at the beginning of the next block.
    next_title: Option<usize>,
    level: u8,
}

fn clauses(blocks: &[BlockText]) -> Vec<Clause> {
    let candidates = candidates(blocks);
    let schedules: Vec<Boundary> = blocks
        .iter()
        .filter(|block| !block.is_table && (is_schedule_title(block.text) || is_unnumbered_heading(block.text)))
        .map(|block| Boundary { start: block.start, number: None })
        .collect();
    let of = |scheme: Scheme| candidates.iter().filter(move |candidate| candidate.label.scheme == scheme);
    let merged = |boundaries: &[Boundary], of: &[&Candidate]| {
        let number =
            |clause: &&Candidate| Some(clause.label.number.first).filter(|_| clause.label.scheme == Scheme::Article);
        let starts = of.iter().map(|clause| Boundary { start: clause.start, number: number(clause) });
        let mut all: Vec<Boundary> = boundaries.iter().copied().chain(starts).collect();
        all.sort_by_key(|boundary| boundary.start);
        all
    };

    let articles = best_sequence(of(Scheme::Article), &schedules, Costs { first: 1.0, again: 4.0 }, 1);
    let numbered = Costs { first: 1.0, again: 6.0 };
    let two_levels = of(Scheme::Decimal).filter(|candidate| candidate.label.depth <= 2);
    let mut decimals = best_sequence(two_levels, &merged(&schedules, &articles), numbered, 1);
    let mut romans = best_sequence(of(Scheme::Roman), &schedules, numbered, 1);
    let is_top = |clause: &&Candidate| clause.label.depth == 1;
    let first_top = decimals.iter().find(|clause| is_top(clause)).map(|clause| clause.start);
    match (romans.first(), romans.last()) {
        // Roman numbers above letters and numbers, up to the next schedule.
        (Some(first), Some(last))
            if articles.is_empty() && first_top.is_none_or(|top| first.start < top) && are_titles(&romans) =>
        {
            let end = schedules.iter().map(|schedule| schedule.start).find(|start| *start > last.start);
            let inside = first.start..end.unwrap_or(usize::MAX);
            decimals.retain(|clause| !is_top(clause) || !inside.contains(&clause.start));
        }
        _ => romans.clear(),
    }
    let mut chosen = articles.clone();
    chosen.extend(decimals.iter().chain(&romans));
    chosen.sort_by_key(|clause| clause.start);

    // Letters count the parts of a clause without numbered ones, or the clauses of a document without numbers.
    let is_free = |candidate: &&Candidate| {
        chosen.binary_search_by_key(&candidate.start, |clause| clause.start).is_err()
            && matches!(candidate.place, NumberContext::Block | NumberContext::Line | NumberContext::Gap)
    };
    let above = merged(&schedules, &chosen.iter().copied().filter(is_top).collect::<Vec<_>>());
    let mut letters = best_sequence(of(Scheme::Letter).filter(is_free), &above, Costs { first: 0.3, again: 6.0 }, 2);
    letters.retain(|letter| {
        let before = chosen[..chosen.partition_point(|clause| clause.start < letter.start)].last();
        before.is_none_or(|parent| is_top(parent) && (parent.label.scheme != Scheme::Decimal || articles.is_empty()))
    });
    let has_numbers = !chosen.is_empty();
    chosen.extend(letters);
    if !has_numbers {
        chosen.extend(best_sequence(of(Scheme::Bracketed), &schedules, numbered, 3));
    }
    chosen.sort_by_key(|clause| clause.start);

    with_levels(&chosen)
}

fn with_levels(chosen: &[&Candidate]) -> Vec<Clause> {
    let of = |scheme: Scheme| chosen.iter().filter(move |clause| clause.label.scheme == scheme);
    let mut articles = of(Scheme::Article);
    let articles = articles.next().map(|first| first.start..articles.next_back().unwrap_or(first).start);
    // "1." may be in "ARTICLE I".
    let is_in_articles = |clause: &Candidate| articles.as_ref().is_some_and(|range| range.contains(&clause.start));
    let articles_have_parts = of(Scheme::Decimal).any(|clause| clause.label.depth == 1 && is_in_articles(clause));
    let has_numbers = chosen.iter().any(|clause| !matches!(clause.label.scheme, Scheme::Letter | Scheme::Bracketed));
    let level = |clause: &Candidate| match clause.label.scheme {
        Scheme::Decimal => 1 + clause.label.depth as u8 + u8::from(articles_have_parts),
        Scheme::Letter if has_numbers => 3,
        _ => 2,
    };
    let clause = |candidate: &&Candidate| Clause {
        block: candidate.block,
        offset: candidate.offset,
        start: candidate.start,
        length: candidate.length,
        next_title: candidate.next_title,
        level: level(candidate),
    };
    chosen.iter().map(clause).collect()
}

/// True if a block is a heading in capitals, such as "GENERAL TERMS", below which numbers may begin again.
fn is_unnumbered_heading(text: &str) -> bool {
    text.len() <= 80
        && !text.contains('\n')
        && text.starts_with(char::is_uppercase)
        && !text.ends_with(['.', ',', ';'])
        && !text.contains(char::is_lowercase)
        && text.chars().filter(|c| c.is_alphabetic()).count() >= 4
        && label::labels(text).next().is_none()
}

/// True if Roman numbers head the parts of a document: at least three do, and most have titles.
fn are_titles(romans: &[&Candidate]) -> bool {
    let titled = romans.iter().filter(|clause| clause.has_title).count();
    romans.len() >= 3 && 2 * titled >= romans.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::{assert_page_invariants, page_of};
    use crate::text::paragraphs;

    fn headings(text: &str) -> Vec<(u8, String)> {
        let mut page = page_of(1, text);
        let char_at = |byte: usize| chars(&text[..byte]);
        let block = |(range, kind): (Range<usize>, BlockKind)| Block {
            char_start: char_at(range.start),
            char_end: char_at(range.start + text[range].trim_end().len()),
            kind,
        };
        page.blocks = paragraphs(text).into_iter().map(block).collect();
        mark_headings(FileFormat::Text, std::slice::from_mut(&mut page));
        let page = &page;
        assert_page_invariants(page);
        let chars: Vec<char> = page.text.chars().collect();
        let text = |block: &Block| chars[block.char_start as usize..block.char_end as usize].iter().collect();
        let level = |block: &Block| match block.kind {
            BlockKind::Heading { level } => Some((level, text(block))),
            _ => None,
        };
        page.blocks.iter().filter_map(level).collect()
    }

    #[test]
    fn a_number_before_its_first_part_is_a_heading() {
        let contract = "LEASE\n\n1. Définitions\n\n1.1 \"Rent\" means the rent.\n\n1.2 Other terms\n\n1.2.1 Words in the singular.\n\n\
                        2 Rent\n\n2.1 The tenant pays it.\n\n3. The end.";
        assert_eq!(
            headings(contract),
            [
                heading(2, "1. Définitions"),
                heading(3, "1.1"),
                heading(3, "1.2 Other terms"),
                heading(2, "2 Rent"),
                heading(3, "2.1 The tenant pays it."),
                heading(2, "3. The end.")
            ]
        );
    }

    fn heading(level: u8, text: &str) -> (u8, String) {
        (level, text.to_owned())
    }

    fn titles(text: &str) -> Vec<String> {
        headings(text).into_iter().map(|(_, title)| title).collect()
    }

    const BODY: &str = "The parties agree that each of them does what it has promised to the other one, in good time and at its own cost.";

    #[test]
    fn items_of_a_list_are_none() {
        assert_eq!(headings("1. Apples\n\n2. Pears\n\n2.5 kg of them\n\n3. Plums and the like"), []);
    }

    #[test]
    fn titles_before_the_text_of_a_clause_are_headings_of_their_own() {
        let contract = format!("7. Risk\n\n7.1 Liability. {BODY}\n\n7.2 INDEMNITY - {BODY}\n\n7.3 {BODY}");
        assert_eq!(titles(&contract.replace('7', "1")), ["1. Risk", "1.1 Liability.", "1.2 INDEMNITY", "1.3"]);
    }

    #[test]
    fn clauses_are_found_in_text_without_line_ends() {
        let contract = format!(
            "LEASE   ARTICLE I - TERM   1.1 {BODY} See Section 1.1. 1.2 Renewal. {BODY}   ARTICLE II - RENT   2.1 {BODY} Within 2 \
             months, Section 4.2 of the Act applies. 2.2 {BODY}"
        );
        let expected = ["ARTICLE I - TERM", "1.1", "1.2 Renewal.", "ARTICLE II - RENT", "2.1", "2.2"];
        assert_eq!(titles(&contract), expected);
    }

    #[test]
    fn tables_of_contents_are_none() {
        let body = format!("1. Term\n\n{BODY}\n\n2. Rent\n\n{BODY}\n\n3. End\n\n{BODY}");
        for contents in [
            "1. Term 3\n2. Rent 4\n3. End 12",
            "1. Term ....... 3\n\n2. Rent ....... 4\n\n3. End ..... 9",
            "1. Term\n\n2. Rent\n\n3. End",
        ] {
            let found = headings(&format!(
                "CONTENTS\n\n{contents}\n\nThe parties agree as follows, each for itself.\n\n{body}"
            ));
            assert_eq!(found, [heading(2, "1. Term"), heading(2, "2. Rent"), heading(2, "3. End")], "{contents}");
        }
    }

    #[test]
    fn lists_inside_clauses_and_references_do_not_interrupt_the_count() {
        let contract = format!(
            "1. Goods. {BODY}\n\n1) first,\n\n2) second,\n\n2. Price. {BODY} It is as in\n5. of the list, or\n7.2 below.\n\n3. Delivery. {BODY}"
        );
        assert_eq!(titles(&contract), ["1. Goods.", "2. Price.", "3. Delivery."]);
    }

    #[test]
    fn schedules_count_for_themselves_and_letters_count_parts() {
        let contract = format!(
            "I. LICENSE\n\nA. {BODY}\n\nB. {BODY}\n\nII. SUPPLY\n\nA. Each year {BODY}\n\nB. Each year {BODY}\n\nIII. TERM\n\n{BODY}\n\nEXHIBIT A\n\n\
             1. Scope. {BODY}\n\n2. Fees. {BODY}"
        );
        let expected = ["I. LICENSE", "A.", "B.", "II. SUPPLY", "A.", "B.", "III. TERM", "1. Scope.", "2. Fees."];
        assert_eq!(titles(&contract), expected);
    }

    #[test]
    fn a_title_in_the_next_paragraph_belongs_to_its_number() {
        let contract = format!("ARTICLE 1\n\nDEFINITIONS\n\n{BODY}\n\nARTICLE 2\n\nTERM\n\n{BODY}");
        assert_eq!(titles(&contract), ["ARTICLE 1\n\nDEFINITIONS", "ARTICLE 2\n\nTERM"]);
    }
}
