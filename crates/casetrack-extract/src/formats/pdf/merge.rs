//! Merges the OCR of a scanned page with the text that the file states for it: a Bates number, a stamp, a page number.
//!
//! Stated text is exact, so it is kept at its place; OCR gives the rest. The text of annotations that the page does not
//! show replaces nothing.

use casetrack_core::Rect;
use casetrack_pages::model::union;

use super::annotations::{self, AnnotationText};
use super::layout::Paragraph;
use super::line::Line;
use super::pictures::{intersection, size};
use super::scan::{letters, line_of, merged};
use crate::ocr::{OcrPage, OcrWord};

/// Share of a word that is on a line of the text layer if both show the same.
const SAME_PLACE: f32 = 0.5;
/// A line this many times as high as a word is something across the page, such as a watermark, and does not show the word.
const MUCH_HIGHER: f32 = 3.0;

/// A page whose text is known from both sources.
pub(super) struct Merged {
    pub paragraphs: Vec<Paragraph>,
    /// The readings of OCR that differ from the text layer: the line there, counted from 0, and the reading.
    pub other_readings: Vec<(usize, String)>,
}

/// The text of a page that was read by OCR, with the lines of its text layer at their places, and `remarks` behind the
/// lines next to them.
pub(super) fn merge(ocr: &OcrPage, text: &[Paragraph], remarks: &[AnnotationText]) -> Merged {
    let mut stated: Vec<Stated> = text
        .iter()
        .flat_map(|paragraph| &paragraph.lines)
        .map(|line| Stated { line, is_placed: false, reading: Vec::new() })
        .collect();
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    for paragraph in &ocr.paragraphs {
        let lines = paragraph.iter().filter_map(|line| with_stated(&line.words, &mut stated));
        let lines: Vec<Line> = lines.collect();
        if !lines.is_empty() {
            paragraphs.push(Paragraph { lines });
        }
    }
    for alone in stated.iter().filter(|stated| !stated.is_placed) {
        paragraphs = merged(&paragraphs, vec![Paragraph { lines: vec![without_size(alone.line)] }]);
    }
    annotations::insert(&mut paragraphs, remarks.to_vec());
    let lines: Vec<&Line> = paragraphs.iter().flat_map(|paragraph| &paragraph.lines).collect();
    let other = |stated: &Stated| {
        let reading = stated.reading.join(" ");
        let differs = !reading.is_empty() && letters(&reading) != letters(&stated.line.text);
        let is_there = |line: &&Line| {
            line.text.contains(&stated.line.text) && intersection(&line.area, &stated.line.area).is_some()
        };
        let line = lines.iter().position(is_there);
        line.filter(|_| differs).map(|line| (line, reading))
    };
    let other_readings = stated.iter().filter_map(other).collect();
    Merged { paragraphs, other_readings }
}

struct Stated<'a> {
    line: &'a Line,
    is_placed: bool,
    reading: Vec<&'a str>,
}

/// A line that OCR read, with the words of the text layer in place of those that it repeats; `None` if nothing is left.
fn with_stated<'a>(words: &'a [OcrWord], stated: &mut [Stated<'a>]) -> Option<Line> {
    let mut parts: Vec<(&str, Rect)> = Vec::new();
    for word in words {
        match stated.iter_mut().find(|stated| shows(&stated.line.area, &word.area)) {
            Some(stated) => {
                stated.reading.push(&word.text);
                if !stated.is_placed {
                    stated.is_placed = true;
                    parts.push((&stated.line.text, stated.line.area));
                }
            }
            None => parts.push((&word.text, word.area)),
        }
    }
    let area = parts.iter().map(|(_, area)| *area).reduce(|a, b| union(&a, &b))?;
    let text: Vec<&str> = parts.into_iter().map(|(text, _)| text).collect();
    Some(line_of(text.join(" "), area))
}

fn shows(line: &Rect, word: &Rect) -> bool {
    let shared = intersection(line, word).map_or(0.0, |shared| size(&shared));
    shared >= SAME_PLACE * size(word) && line.bottom - line.top <= MUCH_HIGHER * (word.bottom - word.top)
}

/// A line as those of OCR are: its size makes no heading among lines whose sizes are unknown.
fn without_size(line: &Line) -> Line {
    Line { hidden: line.hidden.clone(), ..line_of(line.text.clone(), line.area) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ocr::OcrLine;

    fn area(left: f32, top: f32, width: f32) -> Rect {
        Rect { left, top, right: left + width, bottom: top + 10.0 }
    }

    /// Lines 20 points apart of words 50 points apart; each is a paragraph.
    fn read(lines: &[&str]) -> OcrPage {
        let line = |(text, row): (&&str, u32)| {
            let word = |(text, column): (&str, u32)| OcrWord {
                text: text.into(),
                area: area(50.0 * column as f32, 20.0 * row as f32, 40.0),
            };
            let words: Vec<OcrWord> = text.split(' ').zip(0..).map(word).collect();
            vec![OcrLine { text: (*text).into(), area: area(0.0, 20.0 * row as f32, 300.0), confidence: 0.9, words }]
        };
        OcrPage { paragraphs: lines.iter().zip(0..).map(line).collect(), ..OcrPage::default() }
    }

    fn stated(text: &str, area: Rect) -> Paragraph {
        Paragraph { lines: vec![line_of(text.into(), area)] }
    }

    fn texts(merged: &Merged) -> Vec<&str> {
        merged.paragraphs.iter().flat_map(|paragraph| &paragraph.lines).map(|line| &*line.text).collect()
    }

    #[test]
    fn what_the_text_layer_says_takes_the_place_of_what_was_read_there() {
        let ocr = read(&["The rent is due", "page SMITHO00042 of two"]);
        let merged = merge(&ocr, &[stated("SMITH000042", area(51.0, 19.0, 45.0))], &[]);
        assert_eq!(texts(&merged), ["The rent is due", "page SMITH000042 of two"]);
        assert_eq!(merged.other_readings, [(1, "SMITHO00042".to_owned())]);
    }

    #[test]
    fn a_remark_stands_behind_the_words_that_it_lies_over() {
        let ocr = read(&["The rent is due", "page SMITHO00042 of two"]);
        let stamp = stated("SMITH000042", area(51.0, 19.0, 45.0));
        let text = "Highlight (Ann B.): – When?".to_owned();
        let remark = AnnotationText { text: text.clone(), area: area(0.0, 0.0, 190.0), is_shown: false };
        let merged = merge(&ocr, &[stamp], &[remark]);
        assert_eq!(texts(&merged), ["The rent is due", &*text, "page SMITH000042 of two"]);
        assert_eq!(merged.other_readings, [(2, "SMITHO00042".to_owned())]);
    }

    #[test]
    fn what_both_say_is_said_once_and_what_only_one_says_is_kept() {
        let ocr = read(&["The rent is due", "A. 7"]);
        let text = [stated("A. 7", area(0.0, 20.0, 90.0)), stated("Exhibit B", area(0.0, 60.0, 90.0))];
        let merged = merge(&ocr, &text, &[]);
        assert_eq!(texts(&merged), ["The rent is due", "A. 7", "Exhibit B"]);
        assert!(merged.other_readings.is_empty());
    }

    #[test]
    fn a_watermark_across_the_page_takes_no_place() {
        let watermark = Rect { left: 0.0, top: 0.0, right: 300.0, bottom: 100.0 };
        let merged = merge(&read(&["The rent is due", "in May"]), &[stated("COPY", watermark)], &[]);
        assert_eq!(texts(&merged), ["COPY", "The rent is due", "in May"]);
    }
}
