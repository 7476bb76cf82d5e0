//! Places at which clauses may begin, and how much each looks like the beginning of one.

use std::collections::HashMap;

use super::label::{Label, Scheme, labels, starts_in_capitals, title_length};

pub(super) struct BlockText<'t> {
    pub text: &'t str,
    /// Of its first byte in the document.
    pub start: usize,
    pub is_heading: bool,
    /// Rows of tables and blocks of sheets hold no clauses.
    pub is_table: bool,
}

/// The text before a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberContext {
    /// Nothing: it begins its block.
    Block,
    /// The end of a line with which a sentence ends.
    Line,
    /// The end of a line inside a sentence.
    TornLine,
    /// More spaces than between words: a paragraph may have ended in a text without line ends.
    Gap,
    /// A space behind a sentence or a title.
    Word,
}

#[derive(Debug, Clone)]
pub(super) struct Candidate<'t> {
    /// Index of its block, and its beginning there, in bytes.
    pub block: usize,
    pub offset: usize,
    pub start: usize,
    pub label: Label,
    pub place: NumberContext,
    /// The likeness to the number of a clause: above 0 if more likely than not.
    pub weight: f32,
    /// The text behind the number, as far as a title may reach.
    pub title: &'t str,
    /// The length of the number, and of the title behind it if it has one.
    pub length: usize,
    /// The length of the title, if it is in the next block.
    pub next_title: Option<usize>,
    pub has_title: bool,
    /// The rest of its line.
    line: &'t str,
}

/// The distance within which a title is looked for, in bytes.
const REACH: usize = 400;
/// A longer line is a paragraph, not a heading.
const MAX_LINE_CHARS: usize = 100;
/// Entries of a table of contents are closer to each other, in bytes.
const MAX_ENTRY_BYTES: usize = 160;
/// Pages between two entries of a table of contents.
const MAX_PAGES_BETWEEN: u32 = 12;
/// Words before a number that refer to something by it.
const REFERRING: &[&str] = &[
    "section",
    "sections",
    "article",
    "articles",
    "clause",
    "clauses",
    "paragraph",
    "exhibit",
    "schedule",
    "item",
    "part",
    "no",
    "nos",
    "and",
    "or",
    "of",
    "to",
    "box",
];

/// All candidates in order, without those in tables of contents. Linear in the text.
pub(super) fn candidates<'t>(blocks: &[BlockText<'t>]) -> Vec<Candidate<'t>> {
    let mut found = Vec::new();
    for (index, block) in blocks.iter().enumerate().filter(|(_, block)| !block.is_table) {
        let next = blocks.get(index + 1).filter(|next| !next.is_table).map_or("", |next| next.text);
        for (offset, place) in places(block.text) {
            for label in labels(&block.text[offset..]) {
                found.extend(candidate(block, index, offset, place, label, next));
            }
        }
    }
    let in_contents = contents(&found, blocks);
    found.into_iter().zip(in_contents).filter(|(_, listed)| !listed).map(|(candidate, _)| candidate).collect()
}

/// The places of a block at which a number may begin, in order.
fn places(text: &str) -> impl Iterator<Item = (usize, NumberContext)> {
    let gaps = text.char_indices().scan(None, move |last: &mut Option<(usize, char)>, (at, c)| {
        let before = *last;
        if !c.is_whitespace() {
            *last = Some((at + c.len_utf8(), c));
        }
        // The end of the last word, its ending, and the beginning of the next one.
        Some(before.filter(|(end, _)| !c.is_whitespace() && *end < at).map(|(end, ending)| (end, ending, at)))
    });
    let after = move |(end, ending, start): (usize, char, usize)| {
        let gap = &text[end..start];
        if gap.contains('\n') {
            return Some((start, if ends_sentence(text, end) { NumberContext::Line } else { NumberContext::TornLine }));
        }
        let next = &text[start..];
        if !next.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase() || c == '§') {
            return None;
        }
        let width = gap.chars().count();
        let ends = matches!(ending, '.' | ';' | ':' | '!' | '?' | ')' | ']' | '*' | '_' | '"' | '”');
        let word = last_word(text, end);
        let follows_title = || is_first_part(next) && word.starts_with(char::is_uppercase);
        let refers = REFERRING.iter().any(|referring| word.eq_ignore_ascii_case(referring));
        let may_begin = !refers && (ends || width > 2 || follows_title());
        may_begin.then_some((start, if width > 1 { NumberContext::Gap } else { NumberContext::Word }))
    };
    std::iter::once((0, NumberContext::Block)).chain(gaps.flatten().filter_map(after))
}

fn ends_sentence(text: &str, end: usize) -> bool {
    let before = text[..end].trim_end_matches(['"', '”', ')', '\'', '’']);
    before.ends_with(['.', ';', ':', '!', '?']) || before.ends_with(" and") || before.ends_with(" or")
}

/// The letters before `end`, without a full stop behind them.
fn last_word(text: &str, end: usize) -> &str {
    let word = text[..end].trim_end_matches('.');
    let start = word.char_indices().rev().take(20).take_while(|(_, c)| c.is_alphabetic()).last();
    start.map_or("", |(start, _)| &word[start..])
}

/// "4.1 The Supplier": the first part of a clause may follow its title without punctuation.
fn is_first_part(text: &str) -> bool {
    let Some((number, rest)) = text.split_once(' ') else { return false };
    number.len() <= 6
        && number.trim_end_matches('.').ends_with(".1")
        && number.starts_with(|c: char| c.is_ascii_digit())
        && rest.starts_with(|c: char| c.is_uppercase() || matches!(c, '"' | '“'))
}

fn candidate<'t>(
    block: &BlockText<'t>,
    index: usize,
    offset: usize,
    place: NumberContext,
    label: Label,
    next: &'t str,
) -> Option<Candidate<'t>> {
    let behind = &block.text[offset + label.length..];
    let rest = head(behind, REACH);
    let body = rest.trim_start().trim_start_matches(['-', '–', '—']).trim_start();
    // "Section 4 (Fees)" refers to a clause; "4. (a)" begins one.
    let refers = body.starts_with([',', ';', ')']) || body.starts_with('(') && (label.has_word || !label.is_closed);
    if refers || !label.has_word && body.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let stands_alone = body.is_empty();
    if stands_alone && !(place == NumberContext::Block && (label.is_closed || label.has_word || label.depth > 1)) {
        return None;
    }
    let title = if stands_alone { head(next, REACH).trim_start() } else { body };
    let line = rest.split('\n').next().unwrap_or_default().trim();
    let title_length = title_length(title);
    let is_capitals = starts_in_capitals(title);
    let is_line = place == NumberContext::Block
        && block.text.chars().nth(MAX_LINE_CHARS).is_none()
        && !block.text.contains('\n')
        && !line.is_empty()
        && !line.ends_with(['.', ';', ',']);

    let of_title = match title_length {
        Some(_) => 1.0,
        None if is_capitals => 0.8,
        None if is_line => 0.6,
        None => 0.0,
    };
    let of_heading = if block.is_heading { 0.5 } else { 0.0 };
    // Bytes from the number to the end of its title in the same block.
    let length = match title_length {
        _ if stands_alone => label.length,
        Some(length) => behind.len() - behind[rest.len() - body.len()..].len() + length + label.length,
        None if is_line => block.text.len() - offset,
        None => label.length,
    };
    Some(Candidate {
        block: index,
        offset,
        start: block.start + offset,
        place,
        weight: weight(&label, place, rest, title, of_title) + of_heading,
        label,
        title,
        length,
        next_title: title_length.filter(|_| stands_alone),
        has_title: title_length.is_some() || is_capitals,
        line,
    })
}

/// The weight of a number before `rest`. Its title, which may be in another block, has the weight `of_title`, or 0 if
/// there is none.
fn weight(label: &Label, place: NumberContext, rest: &str, title: &str, of_title: f32) -> f32 {
    let mut weight = of_title
        + match place {
            NumberContext::Block => 1.2,
            NumberContext::Line => 0.5,
            NumberContext::Gap => 0.4,
            NumberContext::Word => 0.2,
            NumberContext::TornLine => -1.2,
        };
    if title.trim_start_matches(['"', '“', '(']).starts_with(|c: char| c.is_ascii_lowercase()) {
        weight -= 2.0;
    }
    let is_titled = of_title > 0.0;
    let is_plain = matches!(place, NumberContext::Block | NumberContext::Line | NumberContext::Gap);
    match label.scheme {
        Scheme::Decimal if label.has_word && !is_titled => weight -= 0.4,
        // "1          Page heading": a page number.
        Scheme::Decimal if label.is_bare() && rest.starts_with("    ") => weight -= 3.0,
        Scheme::Decimal if label.is_bare() => weight -= if is_titled { 0.8 } else { 3.0 },
        Scheme::Article if !is_plain => weight -= 1.0,
        Scheme::Roman | Scheme::Letter if !is_plain => weight -= 2.7,
        _ => {}
    }
    weight
}

/// At most this many bytes of the beginning of a text.
fn head(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// True for candidates that are entries of a table of contents: with leaders or rising page numbers, or close to others and again later.
fn contents(candidates: &[Candidate], blocks: &[BlockText]) -> Vec<bool> {
    let mut pages: Vec<Option<u32>> = Vec::new();
    let mut keys: Vec<(Scheme, super::label::Number, String)> = Vec::new();
    let mut last = HashMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let next = following(candidates, index);
        // Entries of a list without line ends reach to the next number.
        let entry = next.filter(|next| next.block == candidate.block && next.start - candidate.start < MAX_ENTRY_BYTES);
        let entry = entry.and_then(|next| {
            let text = blocks[candidate.block].text;
            text.get(candidate.offset + candidate.label.length..next.offset).map(str::trim)
        });
        let entry =
            entry.filter(|entry| !entry.contains('\n') && page_number(entry).is_some()).unwrap_or(candidate.line);
        pages.push(page_number(entry).filter(|_| entry.len() < MAX_ENTRY_BYTES));
        let title = if entry.is_empty() { candidate.title.lines().next().unwrap_or_default() } else { entry };
        let letters: String =
            title.chars().filter(|c| c.is_alphabetic()).take(24).flat_map(char::to_lowercase).collect();
        last.insert((candidate.label.scheme, candidate.label.number, letters.clone()), index);
        keys.push((candidate.label.scheme, candidate.label.number, letters));
    }
    let mut listed = vec![false; candidates.len()];
    let mut is_last_entry = false;
    for (index, candidate) in candidates.iter().enumerate() {
        let next = following(candidates, index);
        let before = candidates[..index].iter().rfind(|before| before.start < candidate.start);
        let is_near = |other: Option<&Candidate>| {
            other.is_some_and(|other| other.start.abs_diff(candidate.start) < MAX_ENTRY_BYTES)
        };
        let comes_again = last[&keys[index]] > index && !keys[index].2.is_empty();
        let goes_on = pages[index].is_some_and(|page| {
            let next_page = candidates.get(index + 1).and(pages.get(index + 1).copied().flatten());
            is_near(next) && next_page.is_some_and(|next| (page..=page + MAX_PAGES_BETWEEN).contains(&next))
        });
        listed[index] = has_leader(candidate)
            || comes_again && (is_near(next) || is_near(before))
            || goes_on
            || is_last_entry && pages[index].is_some();
        is_last_entry = goes_on;
    }
    listed
}

/// The next candidate at another place.
fn following<'c, 't>(candidates: &'c [Candidate<'t>], index: usize) -> Option<&'c Candidate<'t>> {
    candidates[index + 1..].iter().find(|next| next.start > candidates[index].start)
}

/// "Definitions ........ 4"
fn has_leader(candidate: &Candidate) -> bool {
    let mut dots = 0;
    let is_leader = candidate.title.chars().take(150).any(|c| {
        dots = match c {
            '.' | '…' => dots + 1,
            ' ' => dots,
            _ => 0,
        };
        dots == 5
    });
    is_leader || candidate.line.ends_with(|c: char| c.is_ascii_digit()) && candidate.line.contains("____")
}

/// The number that a line ends with behind its words.
fn page_number(line: &str) -> Option<u32> {
    let (title, number) = line.rsplit_once(char::is_whitespace)?;
    let is_number = (1..=3).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    let is_title = title.trim_end().ends_with(|c: char| c.is_alphabetic() || matches!(c, ')' | '"' | '”'));
    number.parse().ok().filter(|_| is_number && is_title)
}
