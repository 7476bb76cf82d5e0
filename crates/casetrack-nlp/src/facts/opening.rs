//! The opening of a contract: the sentence that names the parties.

use std::ops::Range;

use super::party_names::name_at;
use super::text::Text;

/// Bytes of the flat text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Opening {
    /// From the beginning of the sentence ("This Agreement, dated …") to the end of the parties.
    pub range: Range<usize>,
    /// The names of the parties; empty if no opening was found.
    pub parties: Range<usize>,
}

pattern_table! {
    "facts/opening.toml":
    BETWEEN, MADE, DEFINED, BETWEEN_ALONE, NO_FIRST, BEHIND,
}
/// Longest sentence above the parties that is part of the opening, in bytes.
const DATED: usize = 200;
/// Longest text between "between" and the first party, such as the number of a list, in bytes.
const BEFORE_PARTIES: usize = 8;
/// Farthest from the beginning, in bytes, and longest list of parties.
const REACH: usize = 30_000;
const PARTIES: usize = 3000;

/// Linear in the length of the beginning of a document.
pub(crate) fn find(text: &Text<'_>) -> Opening {
    let whole = text.text();
    let head = &whole[..text.floor(REACH)];
    let mut best: Option<(i32, Opening)> = None;
    for between in BETWEEN.find_iter(head) {
        // "made between Acme, acting by": the first of the two
        let inner = BETWEEN_ALONE.find(between.as_str()).map(|inner| between.start() + inner.end());
        let between = between.start()..inner.unwrap_or(between.end());
        let sentence = text.sentence(between.start);
        let mut from = sentence.start.max(text.floor(between.start.saturating_sub(600)));
        // "This Agreement is dated May 3, 2004." is above "BETWEEN:"
        if from > 0 && whole[from..between.start].trim().is_empty() {
            let above = text.sentence(from - 1);
            if above.len() <= DATED && MADE.is_match(&whole[above.clone()]) {
                from = above.start;
            }
        }
        let rest = &whole[between.end..text.floor(between.end + PARTIES)];
        let end = BEHIND
            .find_iter(rest)
            .map(|behind| behind.start())
            .filter(|at| *at > BEFORE_PARTIES)
            .find(|at| is_outside(&rest[..*at]))
            .unwrap_or(rest.len());
        let rest = &rest[..end];
        let near = &whole[text.floor(between.start.saturating_sub(160))..between.start];
        let mut score = 0;
        score += if MADE.is_match(near) { 3 } else { 0 };
        score += if near.to_lowercase().contains("this ") { 2 } else { 0 };
        score += 2 * DEFINED.find_iter(&rest[..rest.floor_char_boundary(600)]).take(2).count() as i32;
        score -= (between.start / 4000) as i32;
        let first = NO_FIRST.find(rest).map_or(0, |found| found.end());
        let begins_name =
            rest[first..].starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || matches!(c, '(' | '[' | '●'));
        // "between adidas AG and van der Berg B.V."
        let small = !begins_name && name_at(text, between.end + first).is_some();
        score += if begins_name || small { 2 } else { -2 };
        // "the relationship between the parties": a sentence of the contract, not its opening
        let lower = rest.trim_start().starts_with(|c: char| c.is_lowercase()) && !small;
        score -= if lower && !MADE.is_match(near) { 3 } else { 0 };
        if score >= 4 && best.as_ref().is_none_or(|(most, _)| score > *most) {
            let parties = between.end..between.end + end;
            best = Some((score, Opening { range: from..parties.end, parties }));
        }
    }
    best.map(|(_, opening)| opening).unwrap_or_default()
}

/// True if a text closes every bracket that it opens.
fn is_outside(text: &str) -> bool {
    text.matches('(').count() <= text.matches(')').count()
}
