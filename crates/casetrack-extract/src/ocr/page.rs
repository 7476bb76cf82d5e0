//! Words into lines and paragraphs, and boxes back to their places before the picture was turned.

use casetrack_core::Rect;
use casetrack_pages::model::union;

use super::word::Word;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OcrLine {
    pub text: String,
    pub area: Rect,
    /// Mean confidence of its words by their length, 0–1.
    pub confidence: f32,
    pub words: Vec<OcrWord>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OcrWord {
    pub text: String,
    pub area: Rect,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct OcrPage {
    pub paragraphs: Vec<Vec<OcrLine>>,
    /// Mean confidence of the words by their length, 0–1; 0 without words.
    pub confidence: f32,
    pub chars: usize,
}

impl OcrPage {
    pub(super) fn of(words: Vec<Word>, scale: f32) -> Self {
        let mut page = Self::default();
        let mut line: Vec<Word> = Vec::new();
        let mut starts_paragraph = true;
        let mut sum = 0.0;
        for word in words {
            if word.starts_line {
                page.end_line(&mut line, starts_paragraph, scale);
                starts_paragraph = false;
            }
            // An empty word may be the one that starts a paragraph.
            starts_paragraph |= word.starts_paragraph;
            if !word.text.is_empty() {
                let chars = word.text.chars().count();
                sum += word.confidence * chars as f32;
                page.chars += chars;
                line.push(word);
            }
        }
        page.end_line(&mut line, starts_paragraph, scale);
        page.confidence = sum / page.chars.max(1) as f32;
        page
    }

    fn end_line(&mut self, words: &mut Vec<Word>, starts_paragraph: bool, scale: f32) {
        let Some(area) = words.iter().map(|word| word.area).reduce(|a, b| union(&a, &b)) else { return };
        let text: Vec<&str> = words.iter().map(|word| &*word.text).collect();
        let chars = |word: &Word| word.text.chars().count() as f32;
        let total: f32 = words.iter().map(chars).sum();
        let line = OcrLine {
            text: text.join(" "),
            area: in_points(&area, scale),
            confidence: words.iter().map(|word| word.confidence * chars(word)).sum::<f32>() / total.max(1.0),
            words: words
                .drain(..)
                .map(|word| OcrWord { area: in_points(&word.area, scale), text: word.text })
                .collect(),
        };
        match self.paragraphs.last_mut() {
            Some(paragraph) if !starts_paragraph => paragraph.push(line),
            _ => self.paragraphs.push(vec![line]),
        }
    }

    /// This or the other, whichever has more that was read with confidence.
    pub(super) fn or_better(self, other: Option<OcrPage>) -> Self {
        match other {
            Some(other) if other.is_better_than(&self) => other,
            _ => self,
        }
    }

    /// True if more was read with confidence.
    pub(super) fn is_better_than(&self, other: &OcrPage) -> bool {
        self.weight() > other.weight()
    }

    pub(super) fn text(&self) -> String {
        let lines: Vec<&str> = self.paragraphs.iter().flatten().map(|line| &*line.text).collect();
        lines.join("\n")
    }

    fn weight(&self) -> f32 {
        self.confidence * self.confidence * self.chars as f32
    }
}

fn in_points(area: &Rect, scale: f32) -> Rect {
    Rect { left: area.left * scale, top: area.top * scale, right: area.right * scale, bottom: area.bottom * scale }
}

/// The place of a box before the page was turned clockwise by right angles; `width` and `height` are the size of the
/// turned page.
pub(super) fn turned_back(area: &Rect, quarters: u8, width: f32, height: f32) -> Rect {
    let Rect { left, top, right, bottom } = *area;
    match quarters % 4 {
        0 => *area,
        1 => Rect { left: top, top: width - right, right: bottom, bottom: width - left },
        2 => Rect { left: width - right, top: height - bottom, right: width - left, bottom: height - top },
        _ => Rect { left: height - bottom, top: left, right: height - top, bottom: right },
    }
}

/// The place of a box before the page was turned clockwise around its middle by an angle in degrees: as wide and high,
/// around the middle's old place. The upright box around the tilted one would take in the neighbouring lines.
pub(super) fn tilted_back(area: &Rect, degrees: f32, width: f32, height: f32) -> Rect {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (x, y) = ((area.left + area.right - width) / 2.0, (area.top + area.bottom - height) / 2.0);
    let (new_x, new_y) = (x * cos + y * sin + width / 2.0, y * cos - x * sin + height / 2.0);
    let (half_width, half_height) = ((area.right - area.left) / 2.0, (area.bottom - area.top) / 2.0);
    Rect {
        left: (new_x - half_width).max(0.0),
        top: (new_y - half_height).max(0.0),
        right: (new_x + half_width).min(width),
        bottom: (new_y + half_height).min(height),
    }
}
