//! Lines broken at spaces. Words, numbers and references such as "para. 8" or "1 000" stay whole.

use std::ops::Range;

use unicode_width::UnicodeWidthStr;

/// Abbreviations that a number follows on the same line.
const BEFORE_NUMBERS: [&str; 17] = [
    "p.", "pp.", "l.", "ll.", "para.", "paras.", "no.", "nos.", "art.", "sec.", "cl.", "ch.", "§", "§§", "clause",
    "section", "article",
];

/// The pieces of a line, as ranges of bytes, without the spaces between them. `first` and `rest` are the columns of the first piece and
/// of the others. A word that is longer than its line stays whole and goes over.
pub fn wrap(text: &str, first: usize, rest: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let text = text.trim_end();
    let mut start = 0;
    // The end of the piece, and the start of the next one, if the following word does not fit.
    let mut last: Option<(usize, usize)> = None;
    let mut breaks = breaks(text);
    breaks.push((text.len(), text.len()));
    for (end, next) in breaks {
        let width = if pieces.is_empty() { first } else { rest };
        if let Some((fits, begins)) = last
            && text[start..end].width() > width
        {
            pieces.push(start..fits);
            start = begins;
        }
        last = Some((end, next));
    }
    pieces.push(start..text.len());
    pieces
}

/// The places at which a line may be broken: the end of a word and the beginning of the next one.
fn breaks(text: &str) -> Vec<(usize, usize)> {
    let indent = text.len() - text.trim_start().len();
    let mut breaks = Vec::new();
    let mut at = indent;
    while let Some(space) = text[at..].find([' ', '\t']).map(|found| at + found) {
        let next = space + (text[space..].len() - text[space..].trim_start_matches([' ', '\t']).len());
        if !belong_together(&text[at..space], &text[next..]) {
            breaks.push((space, next));
        }
        at = next;
    }
    breaks
}

fn belong_together(word: &str, after: &str) -> bool {
    let number_follows = after.starts_with(|c: char| c.is_ascii_digit());
    let bare = word.trim_start_matches(['(', '[', '"', '“']).to_lowercase();
    number_follows && (BEFORE_NUMBERS.contains(&bare.as_str()) || is_part_of_number(word, after))
}

/// `1 000`: up to three digits before a group of three.
fn is_part_of_number(word: &str, after: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let begins = digits(word) == word.len() && (1..=3).contains(&word.len());
    begins && digits(after) == 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, width: usize) -> Vec<&str> {
        wrap(text, width, width).into_iter().map(|piece| &text[piece]).collect()
    }

    #[test]
    fn lines_break_at_spaces_and_only_there() {
        assert_eq!(lines("alpha beta gamma", 10), ["alpha beta", "gamma"]);
        assert_eq!(lines("alpha beta gamma", 16), ["alpha beta gamma"]);
        assert_eq!(lines("  alpha beta", 8), ["  alpha", "beta"]);
        assert_eq!(lines("/a/very/long/path is long", 8), ["/a/very/long/path", "is long"]);
        assert_eq!(lines("", 8), [""]);
        assert_eq!(lines("a   b", 3), ["a", "b"]);
    }

    #[test]
    fn numbers_and_references_stay_whole() {
        assert_eq!(lines("see Lease.pdf, p. 12, para. 8", 16), ["see Lease.pdf,", "p. 12, para. 8"]);
        assert_eq!(lines("of the sum of EUR 1 250 000 and", 19), ["of the sum of EUR", "1 250 000 and"]);
        assert_eq!(lines("under clause 7.6 of it", 12), ["under", "clause 7.6", "of it"]);
        assert_eq!(lines("room 12 2500 people", 8), ["room 12", "2500", "people"]);
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(lines("契約 契約 契約", 9), ["契約 契約", "契約"]);
        // A space that does not break.
        assert_eq!(lines("30\u{a0}days later", 8), ["30\u{a0}days", "later"]);
    }
}
