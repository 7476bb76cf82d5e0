//! Lines that were found one by one, in reading order.

use casetrack_core::Rect;

use super::area::{LineArea, Point, angle};
use super::decode::Piece;
use crate::ocr::word::Word;

/// Lines that share this much of the lower one's height are next to each other.
const BESIDE: f32 = 0.5;
/// A gap of this many heights of a line ends a paragraph.
const GAP: f32 = 0.8;
/// Lines run in one direction when they differ by less than this, in radians.
const SAME_DIRECTION: f32 = 0.35;

pub(super) struct Line {
    pub area: LineArea,
    pub pieces: Vec<Piece>,
}

impl Line {
    /// Mean confidence of the words by their length, 0–1; 0 without words.
    pub fn confidence(&self) -> f32 {
        let chars = |piece: &Piece| piece.text.chars().count() as f32;
        let total: f32 = self.pieces.iter().map(chars).sum();
        self.pieces.iter().map(|piece| piece.confidence * chars(piece)).sum::<f32>() / total.max(1.0)
    }
}

/// The words of all lines, row by row, as the lines of the picture run.
pub(super) fn in_reading_order(lines: Vec<Line>, width: f32, height: f32) -> Vec<Word> {
    let Some(along) = direction(&lines) else { return Vec::new() };
    let down = Point::new(-along.y, along.x);
    // Lines in another direction come last, each a row of its own.
    let (mut usual, mut others): (Vec<Line>, Vec<Line>) =
        lines.into_iter().partition(|line| angle(line.area.along, along) < SAME_DIRECTION);
    usual.sort_by(|a, b| a.area.middle.dot(down).total_cmp(&b.area.middle.dot(down)));
    others.sort_by(|a, b| a.area.middle.dot(down).total_cmp(&b.area.middle.dot(down)));
    let mut rows: Vec<Vec<Line>> = Vec::new();
    for line in usual {
        match rows.last_mut() {
            Some(row) if row.iter().any(|other| are_beside(&other.area, &line.area, down)) => row.push(line),
            _ => rows.push(vec![line]),
        }
    }
    for row in &mut rows {
        row.sort_by(|a, b| a.area.middle.dot(along).total_cmp(&b.area.middle.dot(along)));
    }
    let mut words = Vec::new();
    let mut bottom = f32::MIN;
    let first_other = rows.len();
    rows.extend(others.into_iter().map(|line| vec![line]));
    for (number, row) in rows.into_iter().enumerate() {
        let edges = |line: &Line, side: f32| line.area.middle.dot(down) + side * line.area.height / 2.0;
        let top = row.iter().map(|line| edges(line, -1.0)).fold(f32::MAX, f32::min);
        let low = row.iter().map(|line| edges(line, 1.0)).fold(f32::MIN, f32::max);
        let mut starts_paragraph = number >= first_other || top - bottom > GAP * (low - top);
        bottom = low;
        let mut starts_line = true;
        for (area, piece) in
            row.into_iter().flat_map(|line| line.pieces.into_iter().map(move |piece| (line.area, piece)))
        {
            words.push(Word {
                area: upright(&area, &piece, width, height),
                text: piece.text,
                confidence: piece.confidence,
                starts_line: std::mem::take(&mut starts_line),
                starts_paragraph: std::mem::take(&mut starts_paragraph),
            });
        }
    }
    words
}

fn direction(lines: &[Line]) -> Option<Point> {
    let support = |line: &Line| {
        let agreeing = lines.iter().filter(|other| angle(line.area.along, other.area.along) < SAME_DIRECTION);
        agreeing.map(|other| other.area.length).sum::<f32>()
    };
    let usual = lines.iter().max_by(|a, b| support(a).total_cmp(&support(b)))?.area.along;
    let agreeing = lines.iter().filter(|line| angle(line.area.along, usual) < SAME_DIRECTION);
    let sum = agreeing.fold(Point::new(0.0, 0.0), |sum, line| sum.plus(line.area.along, line.area.length));
    let length = sum.x.hypot(sum.y);
    (length > 0.0).then(|| Point::new(sum.x / length, sum.y / length))
}

fn are_beside(a: &LineArea, b: &LineArea, down: Point) -> bool {
    let (a_middle, b_middle) = (a.middle.dot(down), b.middle.dot(down));
    let shared = (a.height + b.height) / 2.0 - (a_middle - b_middle).abs();
    shared.min(a.height).min(b.height) >= BESIDE * a.height.min(b.height)
}

/// The upright rectangle around a word, inside the picture.
fn upright(line: &LineArea, piece: &Piece, width: f32, height: f32) -> Rect {
    let middle = line.middle.plus(line.along, ((piece.from + piece.to) / 2.0 - 0.5) * line.length);
    let length = (piece.to - piece.from) * line.length;
    let half = |along: f32, down: f32| (along.abs() * length + down.abs() * line.height) / 2.0;
    let (half_width, half_height) = (half(line.along.x, line.down.x), half(line.along.y, line.down.y));
    Rect {
        left: (middle.x - half_width).clamp(0.0, width),
        top: (middle.y - half_height).clamp(0.0, height),
        right: (middle.x + half_width).clamp(0.0, width),
        bottom: (middle.y + half_height).clamp(0.0, height),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, x: f32, y: f32, degrees: f32) -> Line {
        let along = Point::new(degrees.to_radians().cos(), degrees.to_radians().sin());
        let down = Point::new(-along.y, along.x);
        let pieces = text
            .split(' ')
            .zip(0..)
            .map(|(text, number)| Piece {
                text: text.into(),
                from: 0.5 * number as f32,
                to: 0.5 * number as f32 + 0.4,
                confidence: 0.9,
            })
            .collect();
        Line { area: LineArea { middle: Point::new(x, y), along, down, length: 100.0, height: 10.0 }, pieces }
    }

    fn read(lines: Vec<Line>) -> Vec<String> {
        let mut read: Vec<String> = Vec::new();
        for word in in_reading_order(lines, 400.0, 300.0) {
            match (word.starts_paragraph, word.starts_line, read.last_mut()) {
                (false, false, Some(line)) => *line += &format!(" {}", word.text),
                (true, ..) => read.push(format!("¶ {}", word.text)),
                _ => read.push(word.text),
            }
        }
        read
    }

    #[test]
    fn rows_are_read_from_the_left_and_gaps_end_paragraphs() {
        let lines = vec![
            line("4.50 EUR", 300.0, 21.0, 0.0),
            line("Tea black", 60.0, 20.0, 0.0),
            line("Total due", 60.0, 60.0, 0.0),
            line("Milk cold", 60.0, 34.0, 0.0),
        ];
        assert_eq!(read(lines), ["¶ Tea black 4.50 EUR", "Milk cold", "¶ Total due"]);
        assert!(read(Vec::new()).is_empty());
    }

    #[test]
    fn a_picture_that_lies_askew_or_on_a_side_is_read_as_its_lines_run() {
        // The second column is further down than the next row of the first.
        let askew = vec![line("a b", 60.0, 20.0, 8.0), line("c d", 200.0, 40.0, 8.0), line("e f", 58.0, 34.0, 8.0)];
        assert_eq!(read(askew), ["¶ a b c d", "e f"]);
        let side =
            vec![line("e f", 50.0, 100.0, 90.0), line("a b", 64.0, 100.0, 90.0), line("edge x", 200.0, 5.0, 0.0)];
        assert_eq!(read(side), ["¶ a b", "e f", "¶ edge x"]);
    }

    #[test]
    fn words_have_their_part_of_the_line_inside_the_picture() {
        let words = in_reading_order(vec![line("a b", 40.0, 20.0, 0.0)], 400.0, 300.0);
        let rounded = |area: Rect| [area.left, area.top, area.right, area.bottom].map(f32::round);
        assert_eq!(rounded(words[0].area), [0.0, 15.0, 30.0, 25.0]);
        assert_eq!(rounded(words[1].area), [40.0, 15.0, 80.0, 25.0]);
        let upright = in_reading_order(vec![line("a", 40.0, 100.0, 90.0)], 400.0, 300.0);
        let area = upright[0].area;
        assert!((area.left - 35.0).abs() < 0.01 && (area.top - 50.0).abs() < 0.01 && (area.bottom - 90.0).abs() < 0.01);
    }
}
