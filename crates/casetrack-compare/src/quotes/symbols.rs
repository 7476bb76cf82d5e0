//! Text as a row of symbols in which only its words and its punctuation count.
//!
//! Two texts are the same word for word if their rows are equal: white space between words is one space, and none next to punctuation;
//! quotation marks are one symbol, dashes another, and so are dots of an ellipsis; what [`same_text`] takes for forms of one text, such as ligatures
//! and full width, is the same; a hyphen at the end of a line may be there or not, and an umlaut may be spelt with an `e`. Everything else, capitals and accents among it, counts. White space between the digits and points of a number counts:
//! `1. 5` is not `1.5`.

use std::collections::BTreeSet;
use std::ops::Range;

use casetrack_core::same_text::{
    self, SOFT_HYPHEN, continues, is_apostrophe, is_dash, is_invisible, is_quotation_mark, spelt_out,
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
            _ => {}
        }
        let end = self.run(at + 1, continues);
        match c {
            'ß' | 'ẞ' => ['s', 's'].into_iter().for_each(|letter| self.push(letter, at, end)),
            _ if c.is_ascii() && end == at + 1 => self.push(c, at, end),
            _ => {
                let written: String = self.chars[at..end].iter().filter(|c| !is_invisible(**c)).collect();
                // A form of compatibility may begin with a space.
                let letters = same_text::letters(&written).filter(|letter| !letter.is_whitespace());
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

    /// True if white space between two symbols counts; the second ends at `end`.
    fn space_counts(&self, before: char, c: char, end: usize) -> bool {
        let joins = |c: char| matches!(c, '.' | ',' | ':' | '/');
        let second_to_last = || self.symbols.len().checked_sub(2).and_then(|at| self.symbols.get(at));
        if is_word(before) && is_word(c) {
            return true;
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
        let is_word = |at: usize| self.symbols.get(at).is_some_and(|symbol| symbol.is_word());
        if found.is_word() && at.checked_sub(1).is_some_and(is_word) {
            return None;
        }
        let mut walked = trail.clone();
        let end = self.walk(at, needle, 0, &mut walked)?;
        if end.checked_sub(1).is_some_and(is_word) && is_word(end) {
            return None;
        }
        *trail = walked;
        Some(end)
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row(text: &str) -> (Vec<char>, Vec<Symbol>) {
        let chars: Vec<char> = text.chars().collect();
        let symbols = symbols(&chars, &[]);
        (chars, symbols)
    }

    /// The differences in type between two texts; `None` if they are not the same.
    fn same(document: &str, quotation: &str) -> Option<Vec<Typography>> {
        let ((chars, symbols), (needle, wanted)) = (row(document), row(quotation));
        let mut trail = Trail::default();
        let row = Row { chars: &chars, symbols: &symbols };
        let end = row.matches(0, &Row { chars: &needle, symbols: &wanted }, &mut trail)?;
        (end == symbols.len()).then(|| trail.typography.into_iter().collect())
    }

    #[test]
    fn typography_makes_no_difference_and_is_named() {
        use Typography::*;
        for (document, quotation, differs) in [
            ("the rent is due", "the rent is due", vec![]),
            ("the rent\n  is due", "the rent is due", vec![LineBreaks]),
            ("due ( monthly ) ,", "due (monthly),", vec![Spacing]),
            ("the “Rent” of party’s", "the \"Rent\" of party's", vec![QuotationMarks]),
            ("the ``Rent''", "the ‘Rent’", vec![QuotationMarks]),
            ("2020–21 — or -- so", "2020-21 - or – so", vec![Dashes]),
            ("an exam-\nple", "an example", vec![Hyphenation]),
            ("a well-\nknown one", "a well-known one", vec![Hyphenation]),
            ("an exam\u{ad}ple", "an example", vec![Hyphenation]),
            ("an example", "an exam-\nple", vec![Hyphenation]),
            ("ﬁrst oﬃce", "first office", vec![Ligatures]),
            ("pay . . . or", "pay… or", vec![Spacing, Ellipses]),
            ("name: ________ ,", "name: ___,", vec![Spacing, RepeatedSigns]),
            ("a\u{200b}b", "ab", vec![]),
            ("besta\u{308}tigen", "bestätigen", vec![]),
            ("１，２３４円", "1,234円", vec![CharacterForms]),
            ("㈱ワガハイ", "(株)ワガハイ", vec![CharacterForms]),
            ("ﾜｶﾞﾊｲ", "ワガハイ", vec![CharacterForms]),
            ("große Straße", "grosse Strasse", vec![CharacterForms]),
            ("Übergabe", "Uebergabe", vec![CharacterForms]),
            ("Muellerstrasse", "Müllerstraße", vec![CharacterForms]),
            ("OʼBrien's", "O'Brien＇s", vec![QuotationMarks]),
            ("a\u{a0}b", "a b", vec![]),
            ("10.1MediWound shall pay", "10.1 MediWound shall pay", vec![Spacing]),
            ("see 4.2(b)", "see 4.2 (b)", vec![Spacing]),
            ("ＡＢＣ－2023", "ABC-2023", vec![Dashes, CharacterForms]),
        ] {
            assert_eq!(same(document, quotation), Some(differs), "{document} | {quotation}");
        }
    }

    #[test]
    fn words_and_punctuation_make_a_difference() {
        for (document, quotation) in [
            ("the rent is due", "the rent was due"),
            ("the Rent", "the rent"),
            ("now here", "nowhere"),
            ("re-sign", "resign"),
            ("due, monthly", "due monthly"),
            ("1,000", "1000"),
            ("1.5 days", "1. 5 days"),
            ("1.5 days", "1 .5 days"),
            ("Section 1. 5 days", "Section 1.5 days"),
            ("30 days", "3 0 days"),
            ("Baden-\nBaden 2020-\n21", "Baden-Baden 202021"),
            ("parties’ rights", "parties rights"),
            ("reliable", "able"),
            ("Muller", "Mueller"),
            ("été", "ete"),
            ("10²", "102"),
        ] {
            assert_eq!(same(document, quotation), None, "{document} | {quotation}");
        }
    }

    #[test]
    fn letters_in_brackets_stand_for_any() {
        let (chars, symbols) = row("All notices agreed upon");
        let (needle, wanted) = row("\u{1}ll notices agree\u{1} upon");
        let mut trail = Trail::default();
        let row = Row { chars: &chars, symbols: &symbols };
        assert!(row.matches(0, &Row { chars: &needle, symbols: &wanted }, &mut trail).is_some());
        assert_eq!(trail.wild, [0..1, 17..18]);
    }

    #[test]
    fn what_is_left_out_is_a_line_break() {
        let chars: Vec<char> = "the exam-\nPage 3\nple is\nPage 4\ndue".chars().collect();
        let symbols = symbols(&chars, &[10..16, 24..30]);
        assert_eq!(symbols.iter().map(|symbol| symbol.c).collect::<String>(), "the exam\u{ad}ple is due");
    }

    proptest! {
        #[test]
        fn a_text_is_the_same_as_itself_in_other_type(words in prop::collection::vec("[a-zA-Z]{1,8}[,.\"]?", 1..20)) {
            let (plain, broken) = (words.join(" "), words.join("\n  ").replace('"', "”"));
            prop_assert!(same(&broken, &plain).is_some(), "{}", plain);
        }

        #[test]
        fn any_text_gives_symbols_in_order(text in "[a-z0-9 .,\\-\n…“”'‘’*_\u{ad}ﬁ]{0,60}") {
            let (chars, symbols) = row(&text);
            let mut last = 0;
            for symbol in &symbols {
                prop_assert!(symbol.start >= last && symbol.end as usize <= chars.len());
                last = symbol.start;
            }
            if !symbols.is_empty() {
                prop_assert_eq!(same(&text, &text), Some(vec![]), "{:?}", text);
            }
        }
    }
}
