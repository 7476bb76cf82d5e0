//! The text layer of a page as visual lines.

use std::ops::Range;

use casetrack_core::{HiddenReason, Rect};
use casetrack_pages::model::union;
use pdfium_render::prelude::{PdfPage, PdfPageText, PdfiumError};

use super::garbage::{Glyphs, is_distant, is_latin_font};
use super::hidden_text::{HiddenGlyphs, Search};
use super::line::{Line, Piece, QuarterTurn, Word, continues};
use super::maps::WrongMaps;
use super::view::View;
use super::{bidi, columns};

/// Share of the height of a glyph that separates words.
const SPACE: f32 = 0.15;

/// The lines of a page in the order of its content, with places in points from the top left of the visible page, and
/// which glyphs are odd.
pub(super) fn read_lines(
    page: &PdfPage,
    view: &View,
    search: &mut Search,
    maps: &WrongMaps,
) -> Result<(Vec<Line>, Glyphs), PdfiumError> {
    let text = page.text()?;
    let hidden = search.hidden(page, &text, view);
    let mut pieces = Vec::new();
    let mut open = OpenLine::default();
    let mut odd = Glyphs::default();
    let (mut letter_before, mut gap_after_letter) = (false, false);
    for glyph in glyphs(&text, view, &hidden, maps) {
        let is_letter = matches!(glyph, Glyph::Shown { c, .. } if c.is_alphabetic());
        odd.gaps += usize::from(gap_after_letter && is_letter);
        gap_after_letter = matches!(glyph, Glyph::Unmapped) && (letter_before || gap_after_letter);
        letter_before = is_letter;
        match glyph {
            Glyph::Unmapped => odd.unmapped += 1,
            // The library reports only the ends of level lines.
            Glyph::LineEnd if open.turn != QuarterTurn::NONE => open.is_interrupted = true,
            Glyph::LineEnd => pieces.extend(open.finish()),
            Glyph::Shown { c, area, turn, is_misfit, is_wrong, hidden } => {
                odd.misfits += usize::from(is_misfit);
                odd.wrong += usize::from(is_wrong);
                let area = area.map(|area| turn.upright(&area));
                pieces.extend(open.before(c, area.as_ref(), turn));
                open.push(c, area);
                open.hide(c, hidden);
            }
            Glyph::Hyphen(area, hidden) => {
                open.push('-', area.map(|area| open.turn.upright(&area)));
                open.hide('-', hidden);
                open.after_hyphen = true;
            }
        }
    }
    pieces.extend(open.finish());
    Ok((lines_of(pieces), odd))
}

/// The lines of a page in reading order, on the page as it is shown.
fn lines_of(pieces: Vec<Piece>) -> Vec<Line> {
    if pieces.iter().all(|piece| piece.line.turn == QuarterTurn::NONE) {
        let mut lines = join_level_pieces(columns::in_reading_order(pieces));
        bidi::mend_brackets(&mut lines);
        return lines;
    }
    // Text in other directions follows, as text of its own.
    let lines = QuarterTurn::all().flat_map(|turn| {
        let turned: Vec<Piece> = pieces.iter().filter(|piece| piece.line.turn == turn).cloned().collect();
        let turned = if turn == QuarterTurn::NONE { turned } else { in_rows(turned) };
        join_level_pieces(columns::in_reading_order(turned))
    });
    lines.map(|line| Line { area: line.turn.on_page(&line.area), ..line }).collect()
}

/// Pieces from the top downwards and from left to right. The library orders text by its place on the level page, which
/// does not fit turned text.
fn in_rows(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.sort_by(|a, b| a.line.area.bottom.total_cmp(&b.line.area.bottom));
    let is_level = |a: &Piece, b: &Piece| b.line.area.bottom - a.line.area.bottom < a.line.size / 2.0;
    for row in pieces.chunk_by_mut(is_level) {
        row.sort_by(|a, b| a.line.area.left.total_cmp(&b.line.area.left));
        row.iter_mut().for_each(|piece| piece.goes_on = false);
    }
    pieces
}

enum Glyph {
    Shown {
        c: char,
        area: Option<Rect>,
        turn: QuarterTurn,
        /// True if its script is not one of its font.
        is_misfit: bool,
        /// True if it may be another than its font's map gives.
        is_wrong: bool,
        /// The reason if the page does not show it.
        hidden: Option<HiddenReason>,
    },
    /// A hyphen that the library takes for one at the end of a line.
    Hyphen(Option<Rect>, Option<HiddenReason>),
    LineEnd,
    /// A code that the font does not map to a character.
    Unmapped,
}

/// The printed characters of the text layer. Control characters and non-characters are dropped.
fn glyphs<'a>(
    text: &'a PdfPageText,
    view: &'a View,
    hidden: &'a HiddenGlyphs,
    maps: &'a WrongMaps,
) -> impl Iterator<Item = Glyph> + 'a {
    let chars = text.chars();
    let mut high_surrogate: Option<u32> = None;
    // That of the word: the glyphs of a word are turned alike.
    let mut turn: Option<QuarterTurn> = None;
    (0..chars.len()).filter_map(move |index| {
        let glyph = chars.get(index).ok()?;
        let mut code = glyph.unicode_value();
        let area = || glyph.loose_bounds().ok().map(|bounds| view.place(&bounds)).filter(|area| area.right > area.left);
        if let Some(high) = high_surrogate.take()
            && (0xDC00..0xE000).contains(&code)
        {
            code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00);
        }
        if matches!(code, 0x0A | 0x0D | 0x20 | 0xA0) {
            turn = None;
        }
        match code {
            0x0A => Some(Glyph::LineEnd),
            0x02 => Some(Glyph::Hyphen(area(), hidden.reason(index))),
            0x09 | 0x20 | 0xA0 => Some(Glyph::Shown {
                c: ' ',
                area: area(),
                turn: QuarterTurn::NONE,
                is_misfit: false,
                is_wrong: maps.may_be_another(' ', || glyph.font_name()),
                hidden: None,
            }),
            0xD800..0xDC00 => {
                high_surrogate = Some(code);
                None
            }
            // A ligature of TeX has a code that is one for a break of lines or pages elsewhere.
            0 | 0x01 | 0x03..0x09 | 0x0B | 0x0C | 0x0E..0x20 | 0x7F..0xA0 => Some(Glyph::Unmapped),
            0xFFFE | 0xFFFF | 0xFEFF | 0x200B => None,
            _ => char::from_u32(code).filter(|c| !c.is_control()).map(|c| Glyph::Shown {
                c: plain(c),
                area: area(),
                turn: *turn
                    .get_or_insert_with(|| QuarterTurn::nearest(glyph.angle_radians().unwrap_or(0.0), view.quarters())),
                is_misfit: is_distant(c) && is_latin_font(&glyph.font_name()),
                is_wrong: maps.may_be_another(c, || glyph.font_name()),
                hidden: hidden.reason(index),
            }),
        }
    })
}

/// One character for those that look the same: which of them a text layer has depends on the program that wrote the
/// file, not on the text, and people type the plain one.
fn plain(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201B}' => '\'',
        '\u{201C}' | '\u{201D}' | '\u{201F}' => '"',
        // Drawn characters are not soft: fonts show this code as a hyphen (ISO 32000-1, Annex D.2, note 6).
        '\u{AD}' => '-',
        // Greek question mark and middle dot, canonically equivalent to these.
        '\u{37E}' => ';',
        '\u{387}' => '·',
        // The bullet of the Symbol font, which many producers leave in the private use area.
        '\u{F0B7}' => '•',
        c => c,
    }
}

#[derive(Default)]
struct OpenLine {
    text: String,
    words: Vec<Word>,
    area: Option<Rect>,
    last_area: Option<Rect>,
    /// Sum of the heights of the glyphs, and their number.
    heights: (f32, u32),
    after_hyphen: bool,
    goes_on: bool,
    turn: QuarterTurn,
    /// True if the library ended the line here.
    is_interrupted: bool,
    /// The hidden parts of the text; see [`Line::hidden`].
    hidden: Vec<(Range<u32>, HiddenReason)>,
    /// Length in characters of the text when something was hidden last.
    chars: (usize, u32),
}

impl OpenLine {
    /// Makes the line ready for its next character, whose upright place is `area`. Returns the pieces that end before
    /// the character.
    fn before(&mut self, c: char, area: Option<&Rect>, turn: QuarterTurn) -> Vec<Piece> {
        let mut ended = Vec::new();
        if turn != self.turn && c != ' ' {
            ended.extend(self.finish());
            self.turn = turn;
        }
        if turn != QuarterTurn::NONE && c != ' ' && area.is_some_and(|area| !self.goes_on_with(area)) {
            ended.extend(self.finish());
            self.turn = turn;
        }
        // The library joins a line that ends in a hyphen to the next one.
        if self.after_hyphen && area.is_some_and(|area| !self.is_level_with(area)) {
            ended.extend(self.finish());
        }
        if area.is_some_and(|area| self.is_far_from(area)) {
            ended.extend(self.finish());
            (self.goes_on, self.turn) = (true, turn);
        }
        ended
    }

    /// Runs of spaces become one.
    fn push(&mut self, c: char, area: Option<Rect>) {
        self.after_hyphen = false;
        if c.is_whitespace() {
            if !self.text.is_empty() && !self.text.ends_with(' ') {
                self.text.push(' ');
            }
            return;
        }
        self.place_word(area);
        match c {
            '\u{FB00}'..='\u{FB06}' => self.text.push_str(ligature(c)),
            c if area.is_some() && area == self.last_area && bidi::precedes(c, &self.text) => {
                let before = self.text.pop();
                self.text.extend([c].into_iter().chain(before));
            }
            c => self.text.push(c),
        }
        self.last_area = area;
        if let Some(area) = area {
            self.area = Some(self.area.map_or(area, |line| union(&line, &area)));
            self.heights.0 += area.bottom - area.top;
            self.heights.1 += 1;
        }
    }

    /// The glyph `c`, which was added last, is hidden.
    fn hide(&mut self, c: char, reason: Option<HiddenReason>) {
        let Some(reason) = reason else { return };
        let added = if matches!(c, '\u{FB00}'..='\u{FB06}') { ligature(c).len() } else { 1 };
        // Only new text is counted, unless two characters changed places.
        let (bytes, chars) = if self.text.is_char_boundary(self.chars.0) { self.chars } else { (0, 0) };
        let end = chars + self.text[bytes..].chars().count() as u32;
        self.chars = (self.text.len(), end);
        let start = end.saturating_sub(added as u32);
        let is_spaced = self.text.chars().rev().nth(added) == Some(' ');
        match self.hidden.last_mut() {
            Some((range, before)) if *before == reason && range.end + u32::from(is_spaced) >= start => range.end = end,
            _ => self.hidden.push((start..end, reason)),
        }
    }

    /// Notes the place of a word before its next character is added; one without a place is at the end of the line.
    fn place_word(&mut self, area: Option<Rect>) {
        let end = self.area.map_or(0.0, |area| area.right);
        let (left, right) = area.map_or((end, end), |area| (area.left, area.right));
        match self.words.last_mut() {
            Some(word) if !self.text.ends_with(' ') => {
                (word.left, word.right) = (word.left.min(left), word.right.max(right));
            }
            _ => self.words.push(Word { start: self.text.len(), left, right }),
        }
    }

    /// True if a glyph is on this line: its middle is between the line's top and bottom, and it is not to the left.
    fn is_level_with(&self, glyph: &Rect) -> bool {
        self.area.is_none_or(|line| {
            let middle = (glyph.top + glyph.bottom) / 2.0;
            line.top < middle && middle < line.bottom && glyph.left >= line.left
        })
    }

    /// True if the next glyph of a turned line belongs to it; with a space before it if the library saw an end and
    /// there is one.
    fn goes_on_with(&mut self, glyph: &Rect) -> bool {
        let Some(line) = self.area else { return true };
        let gap = glyph.left - line.right;
        if std::mem::take(&mut self.is_interrupted) && gap > SPACE * (glyph.bottom - glyph.top) {
            self.push(' ', None);
        }
        self.is_level_with(glyph)
    }

    /// True if a glyph is so far to the right that it may belong to another column. No space is as wide.
    fn is_far_from(&self, glyph: &Rect) -> bool {
        self.area.is_some_and(|line| glyph.left - line.right > glyph.bottom - glyph.top)
    }

    /// The line, unless it has no text; this one is empty afterwards.
    fn finish(&mut self) -> Option<Piece> {
        let OpenLine { text, words, area, heights, goes_on, turn, hidden, .. } = std::mem::take(self);
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        let area = area.unwrap_or(Rect { left: 0.0, top: 0.0, right: 0.0, bottom: 0.0 });
        let line = Line {
            text: text.to_owned(),
            area,
            size: if heights.1 > 0 { heights.0 / heights.1 as f32 } else { 0.0 },
            first_word: words.first().map_or(area.right - area.left, |word| word.right - word.left),
            is_running: false,
            turn,
            hidden,
            words,
            row: None,
        };
        Some(Piece { line, goes_on })
    }
}

/// Lines end between pieces that are far apart or were drawn apart. Pieces on one level that follow each other to the
/// right are one line.
fn join_level_pieces(pieces: Vec<Piece>) -> Vec<Line> {
    let mut joined: Vec<Line> = Vec::with_capacity(pieces.len());
    for Piece { line, goes_on } in pieces {
        match joined.last_mut() {
            Some(last) if goes_on || continues(&last.area, &line.area) => {
                last.text.push(' ');
                let start = last.text.len();
                last.words.extend(line.words.iter().map(|word| Word { start: word.start + start, ..*word }));
                if !line.hidden.is_empty() {
                    let before = last.text.chars().count() as u32;
                    let moved = |(range, reason): &(Range<u32>, HiddenReason)| {
                        (range.start + before..range.end + before, *reason)
                    };
                    last.hidden.extend(line.hidden.iter().map(moved));
                }
                last.text.push_str(&line.text);
                let (old, new) = (last.area.right - last.area.left, line.area.right - line.area.left);
                last.size = (last.size * old + line.size * new) / (old + new).max(f32::EPSILON);
                last.area = union(&last.area, &line.area);
            }
            _ => joined.push(line),
        }
    }
    joined
}

fn ligature(c: char) -> &'static str {
    match c {
        '\u{FB00}' => "ff",
        '\u{FB01}' => "fi",
        '\u{FB02}' => "fl",
        '\u{FB03}' => "ffi",
        '\u{FB04}' => "ffl",
        _ => "st",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glyph(left: f32, top: f32) -> Option<Rect> {
        Some(Rect { left, top, right: left + 5.0, bottom: top + 10.0 })
    }

    #[test]
    fn a_line_folds_spaces_and_keeps_its_box() {
        let mut line = OpenLine::default();
        for (index, c) in "  ab  ﬁx-".chars().enumerate() {
            line.push(c, glyph(5.0 * index as f32, 20.0));
        }
        let line = line.finish().unwrap().line;
        assert_eq!(line.text, "ab fix-");
        assert_eq!((line.area.left, line.area.right, line.area.top), (10.0, 45.0, 20.0));
        assert_eq!((line.size, line.first_word), (10.0, 10.0));
    }

    #[test]
    fn pieces_on_one_level_are_one_line() {
        let piece = |text: &str, left: f32, top: f32, goes_on: bool| {
            let area = Rect { left, top, right: left + 50.0, bottom: top + 10.0 };
            Piece {
                line: Line {
                    text: text.into(),
                    area,
                    size: 10.0,
                    first_word: 50.0,
                    is_running: false,
                    turn: QuarterTurn::NONE,
                    hidden: Vec::new(),
                    words: Vec::new(),
                    row: None,
                },
                goes_on,
            }
        };
        let pieces = [
            piece("a", 0.0, 0.0, false),
            piece("b", 300.0, 1.0, false),
            piece("c", 0.0, 12.0, false),
            piece("d", 90.0, 18.0, true),
        ];
        let joined = join_level_pieces(pieces.into());
        assert_eq!(joined.iter().map(|line| &*line.text).collect::<Vec<_>>(), ["a b", "c d"]);
        assert_eq!(joined[0].area.right, 350.0);
    }
}
