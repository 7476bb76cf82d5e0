//! The parts of a quotation: its words, and the words that it marks as left out or altered, as lawyers do: "…", "[…]",
//! "[T]he", "[the Company]".

use std::ops::Range;

use casetrack_core::single_spaced;

use super::symbols::{ELLIPSIS, Row, Symbol, Trail, Typography, WILD, is_quote, is_word, symbols};
use super::tokens::Token;

/// Most symbols of a document that an ellipsis stands for: about 300 words.
const MAX_OMITTED: usize = 2_000;
/// Most symbols of a document that words in brackets stand for: about 15 words.
const MAX_REPLACED: usize = 100;
/// Longest text in brackets, in characters.
const MAX_BRACKET: usize = 120;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Words that must be there: symbols of [`Pattern::symbols`], half-open.
    Text { start: usize, end: usize },
    /// Characters of [`Pattern::chars`].
    Ellipsis { start: usize, end: usize },
    /// Words in brackets, with the brackets: characters of [`Pattern::chars`].
    Bracket { start: usize, end: usize },
}

#[derive(Debug, Clone)]
pub(super) struct Pattern {
    pub chars: Vec<char>,
    pub symbols: Vec<Symbol>,
    /// The first and the last one are texts.
    pub parts: Vec<Part>,
    /// Words with brackets inside, as the quotation has them.
    pub altered: Vec<String>,
    /// The brackets in them, one for each [`WILD`].
    letters: Vec<String>,
    /// In brackets before the first words, or after the last.
    pub outside: Vec<String>,
    /// A comma or a full stop at the end was taken to be the draft's own.
    pub is_closed: bool,
}

/// The place at which a pattern fits: symbols of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fit {
    pub place: Range<usize>,
    /// The range of the text for each part that is no text, in order.
    pub between: Vec<Range<usize>>,
    pub trail: Trail,
}

impl Pattern {
    /// The ways to read a quotation, the strictest first; empty if it has no word.
    pub fn readings(quotation: &str) -> Vec<Self> {
        let chars: Vec<char> =
            quotation.trim().chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
        let mut readings = vec![Self::plain(chars.clone())];
        let inner = unquoted(&chars);
        if inner.len() < chars.len() {
            readings.push(Self::plain(inner.to_vec()));
        }
        let marked = Self::marked(inner);
        if marked.parts.len() > 1 || !marked.altered.is_empty() || marked.chars.len() < inner.len() {
            readings.push(marked);
        }
        let closed: Vec<Self> = readings.iter().filter_map(Self::without_closing).collect();
        readings.extend(closed);
        readings.retain(|reading| reading.symbols.iter().any(|symbol| symbol.c.is_alphanumeric()));
        readings
    }

    fn plain(chars: Vec<char>) -> Self {
        let symbols = symbols(&chars, &[]);
        let parts = vec![Part::Text { start: 0, end: symbols.len() }];
        Self { chars, symbols, parts, altered: Vec::new(), letters: Vec::new(), outside: Vec::new(), is_closed: false }
    }

    /// With ellipses and brackets read as marks.
    fn marked(source: &[char]) -> Self {
        let mut pattern = Self { symbols: Vec::new(), parts: Vec::new(), ..Self::plain(Vec::new()) };
        let mut from = 0;
        let mut at = 0;
        while at < source.len() {
            let Some(bracket) = Bracket::at(source, at) else {
                at += 1;
                continue;
            };
            let end = bracket.end;
            match bracket.kind {
                Kind::Literal => {}
                Kind::InWord => {
                    pattern.chars.extend(&source[from..at]);
                    pattern.chars.push(WILD);
                    pattern.letters.push(source[at..end].iter().collect());
                    pattern.altered.push(word_around(source, at, end));
                    from = end;
                }
                Kind::Ellipsis | Kind::Words => {
                    pattern.chars.extend(&source[from..at]);
                    pattern.take_text();
                    let start = pattern.chars.len();
                    pattern.chars.extend(&source[at..end]);
                    let place = (start, pattern.chars.len());
                    pattern.parts.push(match bracket.kind {
                        Kind::Ellipsis => Part::Ellipsis { start: place.0, end: place.1 },
                        _ => Part::Bracket { start: place.0, end: place.1 },
                    });
                    from = end;
                }
            }
            at = end;
        }
        pattern.chars.extend(&source[from..]);
        pattern.take_text();
        pattern.trim();
        pattern
    }

    /// Makes texts and ellipses of the characters behind the last part.
    fn take_text(&mut self) {
        let from = match self.parts.last() {
            Some(Part::Ellipsis { end, .. } | Part::Bracket { end, .. }) => *end,
            Some(Part::Text { .. }) | None => 0,
        };
        let mut start = self.symbols.len();
        for mut symbol in symbols(self.chars.get(from..).unwrap_or_default(), &[]) {
            symbol.start += from as u32;
            symbol.end += from as u32;
            if symbol.c == ELLIPSIS {
                self.add_text(start);
                self.parts.push(Part::Ellipsis { start: symbol.start as usize, end: symbol.end as usize });
                start = self.symbols.len();
            } else {
                self.symbols.push(symbol);
            }
        }
        self.add_text(start);
    }

    fn add_text(&mut self, start: usize) {
        if start < self.symbols.len() {
            self.parts.push(Part::Text { start, end: self.symbols.len() });
        }
    }

    /// Leaves out marks before the first words and after the last.
    fn trim(&mut self) {
        let is_text = |part: &Part| matches!(part, Part::Text { .. });
        let first = self.parts.iter().position(is_text).unwrap_or(self.parts.len());
        let last = self.parts.iter().rposition(is_text).map_or(first, |last| last + 1);
        let outside = self.parts.iter().take(first).chain(self.parts.iter().skip(last));
        let brackets = outside.filter(|part| matches!(part, Part::Bracket { .. }));
        self.outside = brackets.map(|part| self.written(*part)).collect();
        self.parts.truncate(last);
        self.parts.drain(..first);
    }

    /// The same without a comma, semicolon or full stop at its end.
    fn without_closing(&self) -> Option<Self> {
        let mut closed = self.clone();
        let last = closed.symbols.pop().filter(|last| matches!(last.c, ',' | '.' | ';'))?;
        let Some(Part::Text { start, end }) = closed.parts.last_mut() else { return None };
        *end -= 1;
        closed.is_closed = true;
        (*end > *start && closed.symbols.last().is_some_and(|before| before.c != last.c)).then_some(closed)
    }

    /// The characters of a part.
    pub fn written(&self, part: Part) -> String {
        let range = match part {
            Part::Ellipsis { start, end } | Part::Bracket { start, end } => start..end,
            Part::Text { start, end } => match (self.symbols.get(start), end.checked_sub(1)) {
                (Some(first), Some(last)) => first.start as usize..self.symbols[last].end as usize,
                _ => 0..0,
            },
        };
        self.chars.get(range).unwrap_or_default().iter().collect()
    }

    /// Puts the letters that the quotation has in brackets into a token.
    pub fn fill(&self, token: &mut Token) {
        let symbols = self.symbols.get(token.place.clone()).unwrap_or_default();
        if symbols.iter().any(|symbol| symbol.c == WILD) {
            let range =
                symbols.first().zip(symbols.last()).map(|(first, last)| first.start as usize..last.end as usize);
            let written = self.shown(range.unwrap_or_default());
            *token = Token::new(written.replace(['[', ']'], ""), token.place.clone());
        }
    }

    /// Characters on one line, as the quotation has them.
    pub fn shown(&self, range: Range<usize>) -> String {
        let mut brackets =
            self.letters.iter().skip(self.chars.iter().take(range.start).filter(|c| **c == WILD).count());
        let mut text = String::new();
        for &c in self.chars.get(range).unwrap_or_default() {
            match c {
                WILD => text.push_str(brackets.next().map_or("", String::as_str)),
                c => text.push(c),
            }
        }
        single_spaced(&text)
    }

    fn row(&self, part: Part) -> Row<'_> {
        let symbols = match part {
            Part::Text { start, end } => self.symbols.get(start..end).unwrap_or_default(),
            Part::Ellipsis { .. } | Part::Bracket { .. } => &[],
        };
        Row { chars: &self.chars, symbols }
    }

    /// Every place in a text with the words of all parts, in order and close by. None overlaps another.
    pub fn fits(&self, text: &Row<'_>) -> Vec<Fit> {
        let mut fits = Vec::new();
        let mut at = 0;
        while at < text.symbols.len() {
            match self.fit_at(text, at) {
                Some(fit) => {
                    at = fit.place.end.max(at + 1);
                    fits.push(fit);
                }
                None => at += 1,
            }
        }
        fits
    }

    fn fit_at(&self, text: &Row<'_>, start: usize) -> Option<Fit> {
        let mut trail = Trail::default();
        let mut between = Vec::new();
        let (first, rest) = self.parts.split_first()?;
        let mut end = text.matches(start, &self.row(*first), &mut trail)?;
        let (mut reach, mut marked) = (0, 0);
        for &part in rest {
            match part {
                Part::Ellipsis { .. } => (reach, marked) = (reach.max(MAX_OMITTED), marked + 1),
                Part::Bracket { .. } => (reach, marked) = (reach.max(MAX_REPLACED), marked + 1),
                Part::Text { .. } => {
                    let row = self.row(part);
                    let reached = (end..=end + reach).find_map(|at| Some((at, text.matches(at, &row, &mut trail)?)));
                    let (at, next) = reached?;
                    // Of several marks without words between them, the first stands for all.
                    between.push(end..at);
                    between.extend((1..marked).map(|_| at..at));
                    (end, reach, marked) = (next, 0, 0);
                }
            }
        }
        if self.is_closed {
            trail.typography.insert(Typography::ClosingPunctuation);
        }
        Some(Fit { place: start..end, between, trail })
    }
}

enum Kind {
    Ellipsis,
    /// Inside a word, or at its beginning or end.
    InWord,
    Words,
    Literal,
}

struct Bracket {
    kind: Kind,
    /// Behind it.
    end: usize,
}

impl Bracket {
    /// The bracket, or the row of asterisks, that begins at a character.
    fn at(source: &[char], at: usize) -> Option<Self> {
        if source[at] == '*' {
            let row: String = source[at..].iter().take(5).collect();
            return (row == "* * *").then_some(Self { kind: Kind::Ellipsis, end: at + 5 });
        }
        if source[at] != '[' {
            return None;
        }
        let length = source[at + 1..].iter().take(MAX_BRACKET).position(|c| matches!(c, '[' | ']'))?;
        let inside = &source[at + 1..at + 1 + length];
        if source[at + 1 + length] == '[' {
            return Some(Self { kind: Kind::Literal, end: at + 1 + length });
        }
        let end = at + length + 2;
        let letters = |at: Option<usize>| at.and_then(|at| source.get(at)).is_some_and(|c| c.is_alphanumeric());
        let touches = letters(at.checked_sub(1)) || letters(Some(end));
        let is_dots = |inside: &[char]| {
            inside.iter().any(|c| matches!(c, '.' | '…'))
                && inside.iter().all(|c| matches!(c, '.' | '…' | ' ' | '\u{a0}'))
        };
        let kind = if is_dots(inside) {
            Kind::Ellipsis
        } else if touches && inside.iter().all(|c| c.is_alphabetic() || *c == '\'') {
            Kind::InWord
        } else if inside.iter().any(|c| c.is_alphabetic()) {
            Kind::Words
        } else {
            Kind::Literal
        };
        Some(Self { kind, end })
    }
}

fn word_around(source: &[char], start: usize, end: usize) -> String {
    let is_part = |c: &&char| is_word(**c);
    let before = source[..start].iter().rev().take_while(is_part).count();
    let after = source[end..].iter().take_while(is_part).count();
    source[start - before..end + after].iter().collect()
}

/// Without quotation marks around it.
fn unquoted(chars: &[char]) -> &[char] {
    let marks = |chars: &[char], inside: &[char]| inside.iter().filter(|c| chars.contains(c)).count();
    match chars {
        [first, inside @ .., last]
            if is_quote(*first) && is_quote(*last) && marks(&[*first, *last], inside) % 2 == 0 =>
        {
            inside
        }
        _ => chars,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first place of a quotation in a text and the words there for its marks, by the strictest reading that fits.
    fn fit(text: &str, quotation: &str) -> Option<(String, Vec<String>, Vec<String>)> {
        let chars: Vec<char> = text.chars().collect();
        let symbols = symbols(&chars, &[]);
        let row = Row { chars: &chars, symbols: &symbols };
        let shown = |place: &Range<usize>| -> String {
            let Some(first) = symbols.get(place.start).filter(|_| !place.is_empty()) else { return String::new() };
            chars[first.start as usize..symbols[place.end - 1].end as usize].iter().collect()
        };
        Pattern::readings(quotation).iter().find_map(|reading| {
            let fit = reading.fits(&row).into_iter().next()?;
            let marks = fit.between.iter().map(shown).collect();
            Some((shown(&fit.place), marks, fit.trail.wild.iter().map(shown).collect()))
        })
    }

    const TEXT: &str = "The Supplier shall, within thirty (30) days after notice, repay Acme Corp. all [redacted] sums. It may not assign.";

    #[test]
    fn marks_stand_for_what_the_document_says_there() {
        for (quotation, place, marks, letters) in [
            ("shall, within thirty (30) days", "shall, within thirty (30) days", vec![], vec![]),
            ("“shall, within”", "shall, within", vec![], vec![]),
            (
                "The Supplier shall … repay",
                "The Supplier shall, within thirty (30) days after notice, repay",
                vec![", within thirty (30) days after notice,"],
                vec![],
            ),
            ("repay [the Company] all", "repay Acme Corp. all", vec!["Acme Corp."], vec![]),
            ("… [t]he Supplier shall", "The Supplier shall", vec![], vec!["T"]),
            (
                "repa[id] Acme [...] sums",
                "repay Acme Corp. all [redacted] sums",
                vec!["Corp. all [redacted]"],
                vec!["y"],
            ),
            ("all [redacted] sums", "all [redacted] sums", vec![], vec![]),
            ("all [sic] [redacted] sums", "all [redacted] sums", vec!["", ""], vec![]),
            ("repay Acme Corp. all,", "repay Acme Corp. all", vec![], vec![]),
            ("The Supplier * * * shall", "The Supplier shall", vec![""], vec![]),
        ] {
            let found = fit(TEXT, quotation).unwrap_or_else(|| panic!("{quotation}"));
            let texts = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect::<Vec<_>>();
            if quotation.contains("sic") {
                assert_eq!(found.0, place);
                continue;
            }
            assert_eq!(found, (place.to_owned(), texts(marks), texts(letters)), "{quotation}");
        }
    }

    #[test]
    fn what_is_not_marked_is_not_left_out() {
        for quotation in
            ["The Supplier shall repay", "within thirty days", "repay … shall", "It may assign", "…", "[...]"]
        {
            assert_eq!(fit(TEXT, quotation), None, "{quotation}");
        }
    }
}
