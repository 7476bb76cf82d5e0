//! Weight and colour, from the terminal's own palette: the colours that are readable on dark and on light.

use std::ops::Range;

use super::Paint;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Strong,
    Dim,
    /// A word of the query.
    Hit,
    Good,
    Warning,
    Bad,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Bytes of the line.
    pub range: Range<usize>,
    pub style: Style,
}

/// Control characters that begin and end a style in a text that has not been dressed.
const STRONG: char = '\u{1}';
const DIM: char = '\u{2}';
const HIT: char = '\u{3}';
const PLAIN: char = '\u{4}';

pub fn strong(text: &str) -> String {
    format!("{STRONG}{text}{PLAIN}")
}

pub fn dim(text: &str) -> String {
    format!("{DIM}{text}{PLAIN}")
}

pub fn hit(text: &str) -> String {
    format!("{HIT}{text}{PLAIN}")
}

pub fn is_mark(c: char) -> bool {
    matches!(c, STRONG | DIM | HIT | PLAIN)
}

/// The text without the characters that begin and end styles, and the places of these.
pub fn explicit(line: &str) -> (String, Vec<Span>) {
    let mut text = String::with_capacity(line.len());
    let mut spans = Vec::new();
    let mut open: Option<(usize, Style)> = None;
    let mut close = |open: &mut Option<(usize, Style)>, end: usize| {
        if let Some((start, style)) = open.take().filter(|(start, _)| *start < end) {
            spans.push(Span { range: start..end, style });
        }
    };
    for c in line.chars() {
        let style = match c {
            STRONG => Some(Style::Strong),
            DIM => Some(Style::Dim),
            HIT => Some(Style::Hit),
            PLAIN => None,
            c => {
                text.push(c);
                continue;
            }
        };
        close(&mut open, text.len());
        open = style.map(|style| (text.len(), style));
    }
    close(&mut open, text.len());
    (text, spans)
}

/// The text in a style, as escape sequences (ECMA-48, SGR).
pub fn paint(text: &str, style: Style, how: Paint) -> String {
    let code = match (how, style) {
        (Paint::None, _) => "",
        (_, Style::Strong) => "1",
        (_, Style::Dim) => "2",
        (Paint::Weight, Style::Hit) => "1;4",
        (Paint::Weight, _) => "1",
        (Paint::Color, Style::Hit) => "1;35",
        (Paint::Color, Style::Good) => "32",
        (Paint::Color, Style::Warning) => "1;33",
        (Paint::Color, Style::Bad) => "1;31",
    };
    if text.is_empty() || code.is_empty() { text.to_owned() } else { format!("\u{1b}[{code}m{text}\u{1b}[0m") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_read_back_also_unclosed_and_one_in_another() {
        let (text, spans) = explicit(&format!("a {} b {}", strong("c"), hit("d")));
        assert_eq!(text, "a c b d");
        let expected = [(2..3, Style::Strong), (6..7, Style::Hit)].map(|(range, style)| Span { range, style });
        assert_eq!(spans, expected);
        let (text, spans) = explicit("\u{1}ab\u{2}c\u{4}d\u{4}");
        assert_eq!(text, "abcd");
        let expected = [(0..2, Style::Strong), (2..3, Style::Dim)].map(|(range, style)| Span { range, style });
        assert_eq!(spans, expected);
        assert_eq!(explicit("ab\u{3}c").1, [Span { range: 2..3, style: Style::Hit }]);
    }
}
