//! Text as a row of symbols in which only its words and its punctuation count.
//!
//! Two texts are the same word for word if their rows are equal: white space between words is one space, and none next to punctuation;
//! quotation marks are one symbol, dashes another, and so are dots of an ellipsis; what [`same_text`] takes for forms of one text, such as ligatures
//! and full width, is the same; a hyphen at the end of a line may be there or not, and an umlaut may be spelt with an `e`. Everything else, capitals and accents among it, counts. White space between the digits and points of a number counts:
//! `1. 5` is not `1.5`.

use std::collections::BTreeSet;
use std::ops::Range;

use casetrack_core::same_text::{
    self, SOFT_HYPHEN, continues, is_accent, is_apostrophe, is_dash, is_invisible, is_quotation_mark, is_unspaced,
    spelt_out,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A quotation mark of any kind.
pub(super) const QUOTE: char = '"';
/// A dash of any kind, or several.
pub(super) const DASH: char = '-';
/// Three dots or more.
pub(super) const ELLIPSIS: char = '…';
/// A hyphen at the end of a line, or a soft one: part of the word, or not.
pub(super) const SOFT: char = SOFT_HYPHEN;
/// Letters that a quotation has in brackets inside a word: any letters, or none.
pub(super) const WILD: char = '\u{1}';

/// Most letters that a bracket inside a word stands for.
const MAX_WILD: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    None,
    Space,
    LineBreak,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Symbol {
    pub c: char,
    /// Characters of the source, half-open.
    pub start: u32,
    pub end: u32,
    pub gap: Gap,
}

impl Symbol {
    /// True if it is part of a word or a number.
    pub fn is_word(self) -> bool {
        is_word(self.c)
    }
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | SOFT | WILD) || continues(c)
}

/// True for vowel points of Hebrew and Arabic and the long stroke, which most texts leave out.
fn may_be_left_out(c: char) -> bool {
    is_accent(c) && !matches!(c, '\u{300}'..='\u{36f}')
}

fn is_ideographic(c: char) -> bool {
    is_unspaced(c) && matches!(c, '\u{3000}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..)
}

/// True if two neighbours are letters of one word.
pub(super) fn are_one_word(before: char, next: char) -> bool {
    is_word(before) && is_word(next) && (continues(next) || !(is_unspaced(before) || is_unspaced(next)))
}

/// How a text may differ from another that has the same words and punctuation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Typography {
    LineBreaks,
    Spacing,
    Hyphenation,
    QuotationMarks,
    Dashes,
    Ligatures,
    Ellipses,
    CharacterForms,
    /// Rows of the same sign, such as a line to fill in, that are of different length.
    RepeatedSigns,
    /// The quotation ends with a comma or a full stop that the document does not have there.
    ClosingPunctuation,
    /// The passage runs over a page break or a running line, which is not part of it.
    PageBreak,
}

/// The symbols of a text without the characters in `left_out`, which are ranges in order. Linear.
pub(super) fn symbols(chars: &[char], left_out: &[Range<usize>]) -> Vec<Symbol> {
    let mut reader = Reader { chars, left_out, symbols: Vec::with_capacity(chars.len()), gap: Gap::None };
    let mut at = 0;
    while at < chars.len() {
        at = reader.read(at);
    }
    reader.symbols
}

struct Reader<'t> {
    chars: &'t [char],
    left_out: &'t [Range<usize>],
    symbols: Vec<Symbol>,
    /// Between the last symbol and the next.
    gap: Gap,
}

impl Reader<'_> {
    /// Reads the symbol that begins at a character; returns the start of the next.
    fn read(&mut self, at: usize) -> usize {
        if let Some(end) = self.skipped(at) {
            self.gap = Gap::LineBreak;
            return end;
        }
        let c = self.chars[at];
        if c.is_whitespace() {
            self.gap = if c == '\n' || self.gap == Gap::LineBreak { Gap::LineBreak } else { Gap::Space };
            return at + 1;
        }
        match c {
            SOFT => {
                let end = self.broken_word(at).unwrap_or(at + 1);
                self.push(SOFT, at, at + 1);
                return end;
            }
            _ if c != WILD && is_invisible(c) => return at + 1,
            '.' | '…' => {
                let end = self.dots(at);
                if c == '…' || end > at + 1 {
                    self.push(ELLIPSIS, at, end);
                    return end;
                }
            }
            _ if is_dash(c) => return self.dash(at),
            '*' | '_' | '=' | '~' => {
                let end = self.run(at, |other| other == c);
                let repeats = self.symbols.last().is_some_and(|last| last.c == c);
                if !repeats {
                    self.push(c, at, end);
                }
                return end;
            }
            _ if is_quote(c) => return self.quote(at),
            _ if same_text::is_raised(c) => {
                if let Some(digit) = same_text::exponent(c, self.chars[..at].iter().rev().copied()) {
                    self.push(digit, at, at + 1);
                    return at + 1;
                }
                if self.is_footnote_mark(at) {
                    return self.run(at, same_text::is_raised);
                }
            }
            _ => {}
        }
        let end = self.run(at + 1, |c| continues(c) || may_be_left_out(c));
        match c {
            'ß' | 'ẞ' => ['s', 's'].into_iter().for_each(|letter| self.push(letter, at, end)),
            _ if c.is_ascii() && end == at + 1 => self.push(c, at, end),
            _ => {
                let written: String = self.chars[at..end].iter().filter(|c| !is_invisible(**c)).collect();
                // A form of compatibility may begin with a space.
                let letters =
                    same_text::letters(&written).filter(|letter| !letter.is_whitespace() && !may_be_left_out(*letter));
                letters.for_each(|letter| self.push(letter, at, end));
            }
        }
        end
    }

    fn push(&mut self, c: char, start: usize, end: usize) {
        if self.gap != Gap::None && self.symbols.last().is_some_and(|last| self.space_counts(last.c, c, end)) {
            self.symbols.push(Symbol { c: ' ', start: start as u32, end: start as u32, gap: self.gap });
            self.gap = Gap::None;
        } else if self.gap == Gap::None && c.is_uppercase() && self.follows_section_number(end) {
            self.symbols.push(Symbol { c: ' ', start: start as u32, end: start as u32, gap: Gap::None });
        }
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        self.symbols.push(Symbol { c, start: start as u32, end: end as u32, gap });
    }

    /// True for a raised digit behind a word of three letters or more, or behind punctuation. Shorter words may be units, as in "m⁴", and brackets a
    /// term, as in "(a + b)²".
    fn is_footnote_mark(&self, at: usize) -> bool {
        let mut before = self.chars[..at].iter().rev().copied();
        let letters = before.clone().take_while(|c| c.is_alphabetic()).count();
        letters > 2 || before.next().is_some_and(|c| matches!(c, '.' | ',' | ';' | ':') || is_quote(c))
    }

    /// True if white space between two symbols counts; the second ends at `end`.
    fn space_counts(&self, before: char, c: char, end: usize) -> bool {
        let joins = |c: char| matches!(c, '.' | ',' | ':' | '/');
        let second_to_last = || self.symbols.len().checked_sub(2).and_then(|at| self.symbols.get(at));
        if is_word(before) && is_word(c) {
            // Lines of Han and kana break anywhere.
            return !(is_ideographic(before) && is_ideographic(c));
        }
        if c.is_ascii_digit() && joins(before) {
            return second_to_last().is_some_and(|symbol| symbol.c.is_ascii_digit());
        }
        before.is_ascii_digit() && joins(c) && self.chars.get(end).is_some_and(char::is_ascii_digit)
    }

    /// True if a capital that ends at `end` begins a word right after a number with a point, as in "10.1Seller": extraction lost the space.
    fn follows_section_number(&self, end: usize) -> bool {
        let number = self.symbols.iter().rev().take_while(|symbol| symbol.c.is_ascii_digit() || symbol.c == '.');
        let length = number.clone().count();
        let has_point = number.clone().any(|symbol| symbol.c == '.');
        let is_unbroken = number.clone().take(length.saturating_sub(1)).all(|symbol| symbol.gap == Gap::None);
        let is_digit = |symbol: Option<&Symbol>| symbol.is_some_and(|symbol| symbol.c.is_ascii_digit());
        let first = self.symbols.len() - length;
        let begins = first.checked_sub(1).and_then(|at| self.symbols.get(at)).is_none_or(|before| !before.is_word());
        has_point
            && is_unbroken
            && begins
            && is_digit(self.symbols.last())
            && is_digit(self.symbols.get(first))
            && self.chars.get(end).is_some_and(|next| next.is_lowercase())
    }

    /// The end of the range that is left out and holds a character.
    fn skipped(&self, at: usize) -> Option<usize> {
        let next = self.left_out.partition_point(|range| range.end <= at);
        self.left_out.get(next).filter(|range| range.start <= at && at < range.end).map(|range| range.end)
    }

    fn run(&self, at: usize, belongs: impl Fn(char) -> bool) -> usize {
        at + self.chars[at..].iter().take_while(|&&c| belongs(c)).count()
    }

    /// The end of three dots or more, with spaces between them or not; `at + 1` if there are fewer.
    fn dots(&self, at: usize) -> usize {
        let (mut end, mut count, mut next) = (at, 0, at);
        while let Some(&c) = self.chars.get(next) {
            match c {
                '.' => count += 1,
                '…' => count += 3,
                ' ' | '\t' | '\u{a0}' if next + 1 - end < 3 => {
                    next += 1;
                    continue;
                }
                _ => break,
            }
            next += 1;
            end = next;
        }
        if count >= 3 { end } else { at + 1 }
    }

    fn dash(&mut self, at: usize) -> usize {
        let end = self.run(at, is_dash);
        if end == at + 1
            && let Some(next) = self.broken_word(at)
        {
            self.push(SOFT, at, end);
            return next;
        }
        if self.symbols.last().is_none_or(|last| last.c != DASH) {
            self.push(DASH, at, end);
        }
        end
    }

    /// The place at which a word continues that a hyphen breaks at the end of a line.
    fn broken_word(&self, at: usize) -> Option<usize> {
        let is_letter = |at: Option<usize>| at.and_then(|at| self.chars.get(at)).is_some_and(|c| c.is_alphabetic());
        let mut next = at + 1;
        let mut line_break = false;
        loop {
            match (self.skipped(next), self.chars.get(next)) {
                (Some(end), _) => (next, line_break) = (end, true),
                (None, Some(c)) if c.is_whitespace() => {
                    line_break |= *c == '\n';
                    next += 1;
                }
                _ => break,
            }
        }
        (line_break && is_letter(at.checked_sub(1)) && is_letter(Some(next))).then_some(next)
    }

    fn quote(&mut self, at: usize) -> usize {
        let is_letter = |at: Option<usize>| at.and_then(|at| self.chars.get(at)).is_some_and(|c| c.is_alphanumeric());
        let c = self.chars[at];
        if is_apostrophe(c) && is_letter(at.checked_sub(1)) && is_letter(Some(at + 1)) {
            self.push('\'', at, at + 1);
            return at + 1;
        }
        // Two single marks are a double one.
        let double = is_single(c) && self.chars.get(at + 1) == Some(&c);
        let end = at + 1 + usize::from(double);
        self.push(QUOTE, at, end);
        end
    }
}

fn is_single(c: char) -> bool {
    is_apostrophe(c) || matches!(c, '\u{201a}' | '\u{201b}' | '\u{2039}' | '\u{203a}')
}

/// True if a character is a quotation mark or may be one.
pub(super) fn is_quote(c: char) -> bool {
    is_single(c) || is_quotation_mark(c)
}

/// A text that is compared with others: its symbols and their sources.
pub(super) struct Row<'t> {
    pub chars: &'t [char],
    pub symbols: &'t [Symbol],
}

impl<'t> Row<'t> {
    fn raw(&self, symbol: &Symbol) -> &'t [char] {
        self.chars.get(symbol.start as usize..symbol.end as usize).unwrap_or_default()
    }

    /// The end of the symbols of `needle` here if they begin at `at` and are whole words; adds observations to `trail`.
    pub fn matches(&self, at: usize, needle: &Row<'_>, trail: &mut Trail) -> Option<usize> {
        let first = needle.symbols.first()?;
        let found = self.symbols.get(at)?;
        let may_be_spelt_out = spelt_out(first.c).is_some() || spelt_out(found.c).is_some();
        if found.c != first.c && first.c != WILD && first.c != SOFT && found.c != SOFT && !may_be_spelt_out {
            return None;
        }
        if self.is_inside_word(at) {
            return None;
        }
        let mut walked = trail.clone();
        let end = self.walk(at, needle, 0, &mut walked)?;
        if self.is_inside_word(end) {
            return None;
        }
        *trail = walked;
        Some(end)
    }

    /// True if a word runs over the boundary before a symbol.
    fn is_inside_word(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.symbols.get(before));
        before.zip(self.symbols.get(at)).is_some_and(|(before, next)| are_one_word(before.c, next.c))
            || self.is_group(at)
            || at.checked_sub(1).is_some_and(|comma| self.is_group(comma))
    }

    /// True if a comma and three digits continue a number here: `,234` in `1,234`.
    fn is_group(&self, comma: usize) -> bool {
        let is_digit = |at: usize| self.symbols.get(at).is_some_and(|symbol| symbol.c.is_ascii_digit());
        let is_close = |at: usize| self.symbols.get(at).is_some_and(|symbol| symbol.gap == Gap::None);
        self.symbols.get(comma).is_some_and(|symbol| symbol.c == ',')
            && comma.checked_sub(1).is_some_and(is_digit)
            && (comma + 1..comma + 4).all(is_digit)
            && (comma..comma + 4).all(is_close)
            && !is_digit(comma + 4)
    }

    fn walk(&self, mut at: usize, needle: &Row<'_>, mut from: usize, trail: &mut Trail) -> Option<usize> {
        let begin = from;
        while let Some(wanted) = needle.symbols.get(from) {
            if wanted.c == WILD {
                let letters = self.symbols.get(at..).unwrap_or_default();
                let most = letters.iter().take(MAX_WILD).take_while(|symbol| symbol.is_word()).count();
                return (0..=most).find_map(|letters| {
                    let mut attempt = trail.clone();
                    attempt.wild.push(at..at + letters);
                    let end = self.walk(at + letters, needle, from + 1, &mut attempt)?;
                    *trail = attempt;
                    Some(end)
                });
            }
            let found = self.symbols.get(at)?;
            if found.c == wanted.c {
                if from > begin {
                    trail.typography.extend(gaps_differ(found.gap, wanted.gap));
                }
                trail.typography.extend(kind_of(found.c, self.raw(found), needle.raw(wanted)));
                (at, from) = (at + 1, from + 1);
            } else if found.c == SOFT {
                trail.typography.insert(Typography::Hyphenation);
                at += 1;
                from += usize::from(wanted.c == DASH);
            } else if wanted.c == SOFT {
                trail.typography.insert(Typography::Hyphenation);
                from += 1;
                at += usize::from(found.c == DASH);
            } else if needle.spells_out(found.c, from) {
                trail.typography.insert(Typography::CharacterForms);
                (at, from) = (at + 1, from + 2);
            } else if self.spells_out(wanted.c, at) {
                trail.typography.insert(Typography::CharacterForms);
                (at, from) = (at + 2, from + 1);
            } else {
                return None;
            }
        }
        Some(at)
    }

    /// True if an umlaut is spelt with an `e` here.
    fn spells_out(&self, umlaut: char, at: usize) -> bool {
        let is_here = |letters: &str| letters.chars().eq(self.symbols.iter().skip(at).take(2).map(|symbol| symbol.c));
        spelt_out(umlaut).is_some_and(is_here)
    }
}

/// Observations while a quotation is compared with a text that has its words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Trail {
    pub typography: BTreeSet<Typography>,
    /// The symbols for the letters that the quotation has in brackets.
    pub wild: Vec<Range<usize>>,
}

fn gaps_differ(a: Gap, b: Gap) -> Option<Typography> {
    match (a, b) {
        _ if a == b => None,
        (Gap::None, _) | (_, Gap::None) => Some(Typography::Spacing),
        _ => Some(Typography::LineBreaks),
    }
}

/// The difference in type between two symbols that are the same; none between normal forms, which look the same.
fn kind_of(c: char, document: &[char], quotation: &[char]) -> Option<Typography> {
    let is_ligature = |raw: &[char]| raw.iter().any(|c| matches!(c, '\u{fb00}'..='\u{fb06}'));
    if document == quotation {
        return None;
    }
    Some(match c {
        QUOTE | '\'' => Typography::QuotationMarks,
        DASH => Typography::Dashes,
        ELLIPSIS => Typography::Ellipses,
        ' ' | SOFT => return None,
        '*' | '_' | '=' | '~' => Typography::RepeatedSigns,
        _ if is_ligature(document) || is_ligature(quotation) => Typography::Ligatures,
        _ if composed(document) == composed(quotation) => return None,
        _ => Typography::CharacterForms,
    })
}

fn composed(chars: &[char]) -> String {
    same_text::composed(&chars.iter().filter(|c| !is_invisible(**c)).collect::<String>()).into_owned()
}

#[cfg(test)]
mod tests;
