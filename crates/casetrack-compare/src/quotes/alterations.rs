//! Omissions and alterations that a quotation marks, and whether they change the document's meaning.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::differences::{Difference, DifferenceKind, negations};
use super::parts::{Fit, Part, Pattern};
use super::symbols::is_word;
use super::window::Window;

/// Longest text of a document shown for a mark, in characters.
const MAX_SHOWN: usize = 200;

/// How a quotation marks a change, as lawyers do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Words are left out: "…", "...", "[…]", "* * *".
    Ellipsis,
    /// Letters or words are altered or added: "[T]he", "[the Company]", "[sic]".
    Brackets,
}

/// A change that the quotation marks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MarkedChange {
    pub mark: Mark,
    /// As the quotation has it.
    pub quotation: String,
    /// The text of the document there, at most 200 characters; empty if there is none.
    pub document: String,
    /// Words that the document has there.
    pub words: u32,
}

/// The marked changes of a quotation at a place, and those among them that change the document's meaning.
pub(super) fn marked_changes(reading: &Pattern, fit: &Fit, window: &Window) -> (Vec<MarkedChange>, Vec<Difference>) {
    let mut changes = Vec::new();
    let mut differences = Vec::new();
    let is_text = |part: &&Part| matches!(part, Part::Text { .. });
    for (part, place) in reading.parts.iter().filter(|part| !is_text(part)).zip(&fit.between) {
        let (quotation, document) = (reading.written(*part), window.text_of(place));
        let (mark, kind) = match part {
            Part::Ellipsis { .. } => (Mark::Ellipsis, of_omission(&document)),
            _ => (Mark::Brackets, of_replacement(&quotation, &document)),
        };
        if quotation != document {
            changes.push(change(mark, quotation, &document, kind, &mut differences));
        }
    }
    for (quotation, letters) in reading.altered.iter().zip(&fit.trail.wild) {
        let is_inside = |at: &usize| window.symbols.get(*at).is_some_and(|symbol| symbol.is_word());
        let start = (0..letters.start).rev().take_while(is_inside).last().unwrap_or(letters.start);
        let end = letters.end + (letters.end..window.symbols.len()).take_while(is_inside).count();
        let document = window.text_of(&(start..end));
        let kind = of_letters(quotation, &document);
        changes.push(change(Mark::Brackets, quotation.clone(), &document, kind, &mut differences));
    }
    for quotation in &reading.outside {
        let kind = of_replacement(quotation, "");
        changes.push(change(Mark::Brackets, quotation.clone(), "", kind, &mut differences));
    }
    (changes, differences)
}

fn change(
    mark: Mark,
    quotation: String,
    document: &str,
    kind: Option<DifferenceKind>,
    differences: &mut Vec<Difference>,
) -> MarkedChange {
    let words = document.split(|c| !is_word(c)).filter(|word| !word.is_empty()).count() as u32;
    let document = match document.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &document[..end]),
        None => document.to_owned(),
    };
    if let Some(kind) = kind {
        let (quotation, document) = (quotation.clone(), document.clone());
        differences.push(Difference { kind, quotation, document, preceded_by: String::new() });
    }
    MarkedChange { mark, quotation, document, words }
}

/// Words left out negate if a "not" among them belongs to the sentence of the words before or after them.
fn of_omission(document: &str) -> Option<DifferenceKind> {
    const ONLY: [&str; 6] = ["not", "no", "never", "neither", "nor", "cannot"];
    let is_end = |c: char| matches!(c, '.' | ';');
    let before = document.split(is_end).next().unwrap_or_default();
    let after = document.rsplit(is_end).next().unwrap_or_default();
    let negates =
        |text: &str| negations(text).iter().any(|word| ONLY.contains(&word.as_str()) || word.ends_with("n't"));
    (negates(before) || negates(after)).then_some(DifferenceKind::Negation)
}

fn of_replacement(quotation: &str, document: &str) -> Option<DifferenceKind> {
    if negations(quotation).len() != negations(document).len() {
        return Some(DifferenceKind::Negation);
    }
    let numbers = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | ','));
        words
            .filter(|word| word.contains(char::is_numeric))
            .map(|word| word.trim_matches(['.', ',']).to_owned())
            .collect()
    };
    let in_document = numbers(document);
    let is_new = |number: &String| !in_document.contains(number);
    numbers(quotation).iter().any(is_new).then_some(DifferenceKind::Number)
}

/// Letters at the beginning of a word may only have another case; those at its end are an ending.
fn of_letters(quotation: &str, document: &str) -> Option<DifferenceKind> {
    let plain: String = quotation.chars().filter(|c| !matches!(c, '[' | ']')).collect();
    let (plain, document) = (plain.to_lowercase(), document.to_lowercase());
    if negations(&plain) != negations(&document) {
        return Some(DifferenceKind::Negation);
    }
    (quotation.starts_with('[') && plain != document).then_some(DifferenceKind::Word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_change_the_meaning_are_differences() {
        use DifferenceKind::*;
        for (document, kind) in [
            (", within thirty days,", None),
            ("not", Some(Negation)),
            ("not under any circumstances", Some(Negation)),
            ("pay. It shall not assign; it shall", None),
            ("pay. It may not", Some(Negation)),
        ] {
            assert_eq!(of_omission(document), kind, "{document}");
        }
        for (quotation, document, kind) in [
            ("[the Company]", "Acme Corp.", None),
            ("[the deadline]", "June 30, 2020", None),
            ("[60 days]", "30 days", Some(Number)),
            ("[30]", "thirty (30)", None),
            ("[shall not]", "shall", Some(Negation)),
            ("[shall]", "shall not", Some(Negation)),
            ("[sic]", "", None),
        ] {
            assert_eq!(of_replacement(quotation, document), kind, "{quotation} {document}");
        }
        for (quotation, document, kind) in [
            ("[T]he", "the", None),
            ("agree[d]", "agrees", None),
            ("part[ies]", "party", None),
            ("[n]either", "either", Some(Negation)),
            ("[un]able", "able", Some(Word)),
            ("[B]ob", "Job", Some(Word)),
        ] {
            assert_eq!(of_letters(quotation, document), kind, "{quotation} {document}");
        }
    }
}
