//! Text that is read from right to left, as Hebrew and Arabic are.
//!
//! pdfium gives such lines in the order in which they are read, with numbers and words in other scripts inside them in
//! theirs, and letters instead of presentation forms. Two faults remain. It mirrors brackets, because files should have
//! them as they are drawn; many have them as they are read. And a ligature that stands for several characters comes
//! with these in the wrong order.

use super::line::Line;

/// True if a letter is read from right to left.
pub(super) fn is_from_right(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}') && !c.is_numeric()
}

pub(super) fn runs_left(text: &str) -> bool {
    if text.is_ascii() {
        return false;
    }
    let from_right = text.chars().filter(|c| is_from_right(*c)).count();
    from_right * 2 > text.chars().filter(|c| c.is_alphabetic()).count()
}

/// True if a lam at the place of an alef, the last letter of the text, belongs in front of that: of these two only lam
/// and alef, in this order, make a ligature.
pub(super) fn precedes(c: char, text: &str) -> bool {
    c == '\u{644}' && text.ends_with(['\u{622}', '\u{623}', '\u{625}', '\u{627}'])
}

/// Mirrors the brackets in the lines of a page that run to the left where more of them have a partner then.
pub(super) fn mend_brackets(lines: &mut [Line]) {
    let mut from_right: Vec<&mut Line> = lines.iter_mut().filter(|line| runs_left(&line.text)).collect();
    let brackets: Vec<char> =
        from_right.iter().flat_map(|line| line.text.chars()).filter(|c| mirrored(*c).is_some()).collect();
    let others: Vec<char> = brackets.iter().filter_map(|c| mirrored(*c)).collect();
    if alone(&others) >= alone(&brackets) {
        return;
    }
    for line in &mut from_right {
        line.text = line.text.chars().map(|c| mirrored(c).unwrap_or(c)).collect();
    }
}

fn mirrored(c: char) -> Option<char> {
    Some(match c {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        _ => return None,
    })
}

/// How many brackets have no partner.
fn alone(brackets: &[char]) -> usize {
    let mut open: Vec<char> = Vec::new();
    let mut alone = 0;
    for &bracket in brackets {
        if matches!(bracket, '(' | '[' | '{') {
            open.push(bracket);
        } else if open.last().copied() == mirrored(bracket) {
            open.pop();
        } else {
            alone += 1;
        }
    }
    alone + open.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::pdf::scan::line_of;

    fn mended(lines: &[&str]) -> Vec<String> {
        let area = casetrack_core::Rect { left: 0.0, top: 0.0, right: 1.0, bottom: 1.0 };
        let mut lines: Vec<Line> = lines.iter().map(|text| line_of((*text).to_owned(), area)).collect();
        mend_brackets(&mut lines);
        lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn brackets_of_lines_to_the_left_open_before_they_close() {
        assert_eq!(mended(&["לפי סעיף 15)ב()4( לחוק"]), ["לפי סעיף 15(ב)(4) לחוק"]);
        assert_eq!(mended(&["לפי סעיף 15(ב)(4) לחוק"]), ["לפי סעיף 15(ב)(4) לחוק"]);
        // One that spans lines, and a line that runs to the right.
        assert_eq!(
            mended(&["ذلك )2024 -", "2026( تحقيق", "a) the rent"]),
            ["ذلك (2024 -", "2026) تحقيق", "a) the rent"]
        );
    }

    #[test]
    fn most_letters_of_a_line_say_where_it_runs() {
        assert!(runs_left("תנאי שכירות Lease 2024"));
        assert!(!runs_left("The word שלום is a greeting"));
        assert!(!runs_left("Käse 2024"));
    }
}
