//! The opening of a contract: the sentence that says between whom it is made.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::text::{Text, pattern};

/// Bytes of the flat text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Opening {
    /// From the beginning of the sentence ("This Agreement, dated …") to the end of the parties.
    pub range: Range<usize>,
    /// Where the parties are named; empty where no opening was found.
    pub parties: Range<usize>,
}

static BETWEEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:(?:by|entered into|made)(?:,)? (?:and|&) (?:between|among(?:st)?|amongst)|between|among(?:st)?|(?:made|entered into)(?: and (?:entered into|made|executed|effective))?(?:[^.()]|\([^()]{0,60}\)){0,80}? by|(?:the )?parties:? ?\n?(?:\([1Aai]\)|[1A]\.)|(?:the )?parties(?: to (?:this|the) <contract>| hereto)? (?:are|shall be)\b(?: as follows)?)(?-u:\b|\B)(?: and among)?:?",
    )
});
static MADE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:<contract>|made|entered|dated|executed)\b"));
static DEFINED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\((?:[^()"]{0,80}"|the [A-Z]|each|individually|hereinafter|collectively)|hereinafter|hereafter|referred to as|\bcorporation\b|\blimited\b|\b(?:inc|llc|ltd|plc|pty|gmbh)\b"#,
    )
});
static BETWEEN_ALONE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:between|among(?:st)?)\b(?: and among)?:?"));
/// Before the first party that has a name: "between and Acme", where the form has a blank.
static NO_FIRST: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[ ,:\n-]*(?:(?:and|the)\b ?)*"));
/// What comes after the parties.
static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:WHEREAS|Whereas|WITNESSETH|W I T N E S S|WITNESSES|Witnesseth|RECITALS?|Recitals?:?|IN WITNESS|In [Ww]itness|NOW,? THEREFORE|BACKGROUND",
        r"|Background|PREAMBLE|INTRODUCTION|Introduction|Preliminary|PRELIMINARY|IN CONSIDERATION|In consideration|TABLE OF CONTENTS)\b",
        r"|\b(?i:agrees? as follows|hereby agree|are (?:each |sometimes |hereinafter |collectively |herein )+",
        r"|(?:is|are|shall|may)(?: each| sometimes)?(?: be)?(?: hereinafter| herein)? (?:collectively |individually |sometimes |jointly )*(?:referred|the .parties)",
        r"|for (?:good and valuable|purposes of this)|with reference to the following|concerning the|in connection with",
        r"|(?:and )?(?:amends|supplements|modifies) that)\b",
        r#"|[.;)":\n] ?1\.(?:[01]\.?)? [A-Z]|\n1 [A-Z]|\nA\. |\n\(A\)|/s/|\bBy ?:"#,
    ))
});
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
        // "This Agreement is dated May 3, 2004." stands above "BETWEEN:"
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
        score += 2 * DEFINED.find_iter(&rest[..rest.len().min(text_floor(rest, 600))]).take(2).count() as i32;
        score -= (between.start / 4000) as i32;
        score += if rest[NO_FIRST.find(rest).map_or(0, |found| found.end())..]
            .starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || matches!(c, '(' | '[' | '●'))
        {
            2
        } else {
            -2
        };
        // "the relationship between the parties": a sentence of the contract, not its opening
        score -= if rest.trim_start().starts_with(|c: char| c.is_lowercase()) && !MADE.is_match(near) { 3 } else { 0 };
        if score >= 4 && best.as_ref().is_none_or(|(most, _)| score > *most) {
            let parties = between.end..between.end + end;
            best = Some((score, Opening { range: from..parties.end, parties }));
        }
    }
    best.map(|(_, opening)| opening).unwrap_or_default()
}

/// Whether a text closes every bracket that it opens.
fn is_outside(text: &str) -> bool {
    text.matches('(').count() <= text.matches(')').count()
}

fn text_floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
