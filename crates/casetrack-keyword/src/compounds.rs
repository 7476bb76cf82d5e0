//! German compounds and their parts: `Nebenkostenabrechnung` is about `Kosten` and an `Abrechnung`.
//!
//! `data/compounds-de.txt` lists the known parts. A word is divided if known parts cover it to its end; the text before them may be unknown.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use casetrack_core::same_text;

const FILE: &str = include_str!("../data/compounds-de.txt");
/// Shorter words, in bytes, are not divided.
const MIN_WORD: usize = 7;
/// Longer words, in bytes, are not divided.
const MAX_WORD: usize = 80;
/// Shortest part, in bytes.
const MIN_PART: usize = 3;
/// Shortest part that is unknown.
const MIN_UNKNOWN: usize = 4;
/// The letters that join two parts, the longest first.
const LINKS: [&str; 7] = ["", "s", "es", "n", "en", "er", "e"];
/// Endings of the last part.
const ENDINGS: [&str; 8] = ["", "s", "es", "n", "en", "er", "e", "ern"];
/// Beginnings of words that are not compounds.
const PREFIXES: [&str; 30] = [
    "ab", "an", "auf", "aus", "be", "bei", "durch", "ein", "ent", "er", "fort", "ge", "gegen", "her", "hin", "mit",
    "nach", "nieder", "ober", "uber", "ueber", "um", "un", "unter", "ver", "vor", "weg", "wieder", "zer", "zu",
];

/// In all spellings without accents.
static PARTS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let words = FILE.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace);
    words.flat_map(same_text::spellings).collect()
});

/// The parts of a word in small letters without accents, two or more, and the parts of these, as bytes; none if it is not a compound.
pub(crate) fn parts(word: &str) -> Vec<Range<usize>> {
    if !(MIN_WORD..=MAX_WORD).contains(&word.len()) || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Vec::new();
    }
    let mut found = longest_parts(word);
    for part in found.clone() {
        let inside = covers(&word[part.clone()], false).into_iter().next().flatten().unwrap_or_default();
        let inside = inside.into_iter().filter(|inner| inner.len() + MIN_PART <= part.len());
        found.extend(inside.map(|inner| part.start + inner.start..part.start + inner.end));
    }
    found
}

fn longest_parts(word: &str) -> Vec<Range<usize>> {
    let covers = covers(word, true);
    match covers.first() {
        Some(Some(whole)) if whole.len() > 1 => whole.clone(),
        Some(Some(_)) => Vec::new(),
        _ => (MIN_UNKNOWN..word.len())
            .filter(|&head| !PREFIXES.contains(&&word[..head]))
            .find_map(|head| Some(joined(0..head, covers.get(head)?.as_ref()?)))
            .unwrap_or_default(),
    }
}

fn joined(first: Range<usize>, others: &[Range<usize>]) -> Vec<Range<usize>> {
    std::iter::once(first).chain(others.iter().cloned()).collect()
}

/// For each byte, the fewest known parts that cover the word from there to its end; the whole word is one only if `may_be_whole`.
fn covers(word: &str, may_be_whole: bool) -> Vec<Option<Vec<Range<usize>>>> {
    let mut covers: Vec<Option<Vec<Range<usize>>>> = vec![None; word.len() + 1];
    for start in (0..word.len().saturating_sub(MIN_PART - 1)).rev() {
        let mut best: Option<Vec<Range<usize>>> = None;
        for end in start + MIN_PART..=word.len() {
            let is_whole = start == 0 && end == word.len();
            if is_whole && !may_be_whole || !PARTS.contains(&word[start..end]) {
                continue;
            }
            let rest = &word[end..];
            if ENDINGS.contains(&rest) {
                best = Some(joined(start..end, &[]));
                continue;
            }
            let after = LINKS.iter().filter(|link| rest.starts_with(**link));
            let behind =
                after.filter_map(|link| covers.get(end + link.len())?.as_ref()).min_by_key(|parts| parts.len());
            if let Some(behind) = behind
                && best.as_ref().is_none_or(|best| behind.len() < best.len())
            {
                best = Some(joined(start..end, behind));
            }
        }
        covers[start] = best;
    }
    covers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(word: &str) -> Vec<String> {
        let word = same_text::unaccented(word);
        parts(&word).into_iter().map(|part| word[part].to_owned()).collect()
    }

    #[test]
    fn compounds_are_divided_into_their_parts() {
        for (word, expected) in [
            ("Kündigungsfrist", vec!["kundigungs", "frist"]),
            ("Kündigungsfristen", vec!["kundigungs", "fristen"]),
            ("Kuendigungsfrist", vec!["kuendigungs", "frist"]),
            ("Nebenkostenabrechnung", vec!["nebenkosten", "abrechnung", "neben", "kosten"]),
            ("Haftpflichtversicherung", vec!["haftpflicht", "versicherung", "haft", "pflicht"]),
            ("Gebäudeversicherung", vec!["gebaude", "versicherung"]),
            ("Schadensersatzanspruch", vec!["schadensersatz", "anspruch", "schadens", "ersatz"]),
            ("Vertragsstrafe", vec!["vertrags", "strafe"]),
            ("Quarkpreis", vec!["quark", "preis"]),
        ] {
            assert_eq!(divided(word), expected, "{word}");
        }
    }

    #[test]
    fn other_words_are_whole() {
        for word in [
            "Vertrag",
            "Verträge",
            "Versicherung",
            "Verwarnung",
            "Frist",
            "Kündigung",
            "unzulässig",
            "INV2023",
            "Agreement",
            "Parteien",
        ] {
            assert!(divided(word).is_empty(), "{word}: {:?}", divided(word));
        }
    }
}
