//! Columns of text that a file draws line by line across the page.

use super::line::{Piece, continues};

/// Lines that must be side by side.
const MIN_ROWS: usize = 5;
/// Shorter pieces, in bytes, are cells of a table.
const MIN_LENGTH: usize = 20;
/// Share of the lines of a column that continue with a small letter. Cells of a table start with a capital or a number.
const MIN_FLOWING: f32 = 0.3;

/// Pieces of lines in the order in which they are read: first the left column, then the right one, where text in two
/// columns was drawn across both. Tables are read row by row, and other orders are the file's.
pub(super) fn in_reading_order(pieces: Vec<Piece>) -> Vec<Piece> {
    let Some(gutter) = gutter(&pieces) else { return pieces };
    let mut ordered = Vec::with_capacity(pieces.len());
    let mut section = Vec::new();
    for piece in pieces {
        // A piece across both columns separates the text above it from the text below.
        if piece.line.area.left < gutter && piece.line.area.right > gutter {
            flush(&mut section, gutter, &mut ordered);
            ordered.push(piece);
        } else {
            section.push(piece);
        }
    }
    flush(&mut section, gutter, &mut ordered);
    ordered
}

/// The left edge of the right column, if there are two with lines side by side.
fn gutter(pieces: &[Piece]) -> Option<f32> {
    let rows: Vec<&[Piece]> = pieces.windows(2).filter(|pair| is_row(pair)).collect();
    let mut starts: Vec<f32> = rows.iter().map(|row| row[1].line.area.left).collect();
    starts.sort_by(f32::total_cmp);
    let gutter = starts.get(starts.len() / 2)? - 1.0;
    let beside = rows.iter().filter(|row| is_around(row, gutter)).count();
    (beside >= MIN_ROWS && 2 * beside > rows.len()).then_some(gutter)
}

fn is_row(pair: &[Piece]) -> bool {
    pair.iter().all(|piece| piece.line.text.len() >= MIN_LENGTH)
        && (pair[1].goes_on || continues(&pair[0].line.area, &pair[1].line.area))
}

fn is_around(row: &[Piece], gutter: f32) -> bool {
    row[0].line.area.right < gutter && gutter < row[1].line.area.left
}

fn flush(section: &mut Vec<Piece>, gutter: f32, ordered: &mut Vec<Piece>) {
    let rows = section.windows(2).filter(|pair| is_row(pair) && is_around(pair, gutter)).count();
    let pieces = std::mem::take(section);
    let is_left = |piece: &Piece| piece.line.area.left < gutter;
    let flows = |side: bool| {
        let lines = || pieces.iter().filter(|piece| is_left(piece) == side);
        let flowing = lines().filter(|piece| piece.line.text.starts_with(char::is_lowercase)).count();
        flowing as f32 >= MIN_FLOWING * lines().count() as f32
    };
    if rows >= MIN_ROWS && flows(true) && flows(false) {
        let (left, right): (Vec<Piece>, Vec<Piece>) = pieces.into_iter().partition(is_left);
        let alone = |piece| Piece { goes_on: false, ..piece };
        ordered.extend(left.into_iter().chain(right).map(alone));
    } else {
        ordered.extend(pieces);
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::Rect;

    use super::super::line::{Line, QuarterTurn};
    use super::*;

    fn piece(text: &str, left: f32, top: f32) -> Piece {
        let area = Rect { left, top, right: left + 200.0, bottom: top + 10.0 };
        Piece {
            line: Line {
                text: text.into(),
                area,
                size: 10.0,
                first_word: 20.0,
                is_running: false,
                turn: QuarterTurn::NONE,
                hidden: Vec::new(),
                words: Vec::new(),
                row: None,
            },
            goes_on: false,
        }
    }

    fn order(left: &str, right: &str, rows: usize) -> String {
        let rows = (0..rows).flat_map(|row| {
            let top = 12.0 * row as f32;
            [piece(left, 50.0, top), piece(right, 300.0, top)]
        });
        in_reading_order(rows.collect())
            .iter()
            .map(|piece| if piece.line.area.left < 200.0 { 'l' } else { 'r' })
            .collect()
    }

    #[test]
    fn columns_of_flowing_text_are_read_one_after_the_other() {
        let (left, right) = ("and the left column goes on", "while the right one is another");
        assert_eq!(order(left, right, 6), "llllllrrrrrr");
        assert_eq!(order(left, right, 3), "lrlrlr");
    }

    #[test]
    fn tables_are_read_row_by_row() {
        assert_eq!(order("Rent of the upper floor", "Due on the first of May", 6), "lrlrlrlrlrlr");
        assert_eq!(order("rent", "while the right one is another", 6), "lrlrlrlrlrlr");
    }

    #[test]
    fn a_line_across_both_columns_separates_what_is_above_and_below() {
        let row = |top| {
            [piece("and the left column goes on", 50.0, top), piece("while the right one is another", 300.0, top)]
        };
        let mut pieces: Vec<Piece> = (0..5).flat_map(|number| row(12.0 * number as f32)).collect();
        let mut title = piece("A title", 50.0, 60.0);
        title.line.area.right = 500.0;
        pieces.push(title);
        pieces.extend((6..11).flat_map(|number| row(12.0 * number as f32)));
        let ordered: Vec<f32> = in_reading_order(pieces).iter().map(|piece| piece.line.area.top).collect();
        assert_eq!(ordered[4..12], [48.0, 0.0, 12.0, 24.0, 36.0, 48.0, 60.0, 72.0]);
    }
}
