//! Loose matching of names that people and assistants type, and suggestions when nothing matches.

use casetrack_core::{Action, Error, ErrorCode, Result, hint, same_text};

/// A thing that a name can refer to.
pub struct Candidate<'a> {
    /// Shown in suggestions.
    pub name: &'a str,
    /// Further names that match just as well (a user's reference, a file name without its extension).
    pub aliases: Vec<&'a str>,
    pub id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Collection,
    Document,
}

impl Kind {
    fn list(self) -> Action {
        match self {
            Self::Collection => Action::ListCollections,
            Self::Document => Action::ListDocuments,
        }
    }
}

/// The shortest prefix of an id that counts as one.
const MIN_ID_PREFIX: usize = 4;
/// The fewest letters and digits that count as a part of a name.
const MIN_NAME_PART: usize = 3;
/// Characters of a name that are compared.
const MAX_COMPARED: usize = 1000;
/// Names less similar than this are not suggested (Jaro–Winkler, 0–1).
const MIN_SIMILARITY: f64 = 0.72;
const MAX_SUGGESTIONS: usize = 3;
/// Most candidates listed if a name fits several.
const MAX_AMBIGUOUS: usize = 10;

/// Finds the one candidate that `wanted` names: by ID, by exact name, by the same in another normal form, then with case, accents, spaces and punctuation ignored, by the
/// beginning of an ID, and last, for a document, by a part of its name or path that no other has. For a part of
/// the name of a collection, the answer has suggestions, as the contract of the tools requires.
pub fn resolve(kind: Kind, wanted: &str, candidates: &[Candidate<'_>]) -> Result<usize> {
    let wanted = wanted.trim();
    let folded = folds(wanted);
    let is_named = |candidate: &Candidate<'_>, fits: &dyn Fn(&str, &str) -> bool| {
        candidate.names().any(|name| folds(name).iter().any(|name| folded.iter().any(|wanted| fits(name, wanted))))
    };
    let id_prefix = wanted.to_ascii_lowercase();
    let composed = same_text::composed(wanted);
    let has_words = |candidate: &Candidate<'_>| {
        let wanted = words(wanted);
        let has = |name: &str| words(name).windows(wanted.len()).any(|part| part == wanted);
        kind == Kind::Document && !wanted.is_empty() && candidate.names().any(has)
    };
    let stages: [&dyn Fn(&Candidate<'_>) -> bool; 7] = [
        &|candidate| candidate.id == id_prefix,
        &|candidate| candidate.names().any(|name| name == wanted),
        &|candidate| candidate.names().any(|name| same_text::composed(name) == composed),
        &|candidate| is_named(candidate, &|name, wanted| !wanted.is_empty() && name == wanted),
        &|candidate| id_prefix.len() >= MIN_ID_PREFIX && candidate.id.starts_with(&id_prefix),
        // "RISE" is a word of one name and a part of "Enterprises" in another.
        &has_words,
        &|candidate| {
            kind == Kind::Document
                && is_named(candidate, &|name, wanted| wanted.chars().count() >= MIN_NAME_PART && name.contains(wanted))
        },
    ];
    for matches in stages {
        let found: Vec<usize> = (0..candidates.len()).filter(|&i| matches(&candidates[i])).collect();
        match found[..] {
            [] => continue,
            [one] => return Ok(one),
            _ => return Err(ambiguous(kind, wanted, found.iter().map(|&i| &candidates[i]))),
        }
    }
    Err(not_found(kind, wanted, folded.first().map_or("", String::as_str), candidates))
}

impl<'a> Candidate<'a> {
    fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    fn line(&self) -> String {
        format!("\n  - {} (ID: {})", self.name, &self.id[..self.id.len().min(8)])
    }
}

fn ambiguous<'a, 'b: 'a>(kind: Kind, wanted: &str, found: impl Iterator<Item = &'a Candidate<'b>>) -> Error {
    let found: Vec<_> = found.collect();
    let mut lines: String = found.iter().take(MAX_AMBIGUOUS).map(|candidate| candidate.line()).collect();
    if let Some(more @ 1..) = found.len().checked_sub(MAX_AMBIGUOUS) {
        lines.push_str(&format!("\n  … and {more} more"));
    }
    Error::new(
        ErrorCode::NotFound,
        format!("{kind:?} name is ambiguous: \"{wanted}\". It could be:{lines}\nUse the ID."),
    )
}

fn not_found(kind: Kind, wanted: &str, folded: &str, candidates: &[Candidate<'_>]) -> Error {
    let mut similar: Vec<(f64, &Candidate<'_>)> =
        candidates.iter().map(|candidate| (similarity(folded, candidate), candidate)).collect();
    similar.retain(|(score, _)| *score >= MIN_SIMILARITY);
    similar.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(b.1.name)));
    let shown = shorten(wanted);
    if similar.is_empty() {
        return Error::new(ErrorCode::NotFound, format!("{kind:?} not found: \"{shown}\".")).with_hint(hint![
            "List them with ",
            kind.list(),
            ", and use the full name or ID."
        ]);
    }
    let lines: String = similar.iter().take(MAX_SUGGESTIONS).map(|(_, candidate)| candidate.line()).collect();
    Error::new(
        ErrorCode::NotFound,
        format!("{kind:?} not found: \"{shown}\". Did you mean:{lines}\nUse the full name or ID."),
    )
}

/// 1 if one name contains the other, else the best Jaro–Winkler similarity over the candidate's names.
fn similarity(folded: &str, candidate: &Candidate<'_>) -> f64 {
    candidate
        .names()
        .map(|name| {
            let name = folds(name).into_iter().next().unwrap_or_default();
            let contained = folded.len() >= 3 && name.len() >= 3 && (name.contains(folded) || folded.contains(&name));
            if contained { 1.0 } else { strsim::jaro_winkler(folded, &name) }
        })
        .fold(0.0, f64::max)
}

/// The letters and digits of each spelling of a name ([`same_text::spellings`]).
fn folds(name: &str) -> Vec<String> {
    let name = name.char_indices().nth(MAX_COMPARED).map_or(name, |(end, _)| &name[..end]);
    let letters = |spelling: String| spelling.chars().filter(|c| c.is_alphanumeric()).collect();
    same_text::spellings(name).into_iter().map(letters).collect()
}

/// The words of a name in small letters. A capital after a small letter, or before one, begins a word: "RISEGroup" is "rise", "group".
fn words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().take(MAX_COMPARED).collect();
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for (at, &c) in chars.iter().enumerate() {
        if c.is_alphanumeric() {
            let is_small = |c: Option<&char>| c.is_some_and(|c| c.is_lowercase());
            let is_capital_of_word =
                c.is_uppercase() && (before.is_lowercase() || before.is_uppercase() && is_small(chars.get(at + 1)));
            if !before.is_alphanumeric() || is_capital_of_word {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.push_str(&same_text::unaccented(&c.to_string()));
            }
        }
        before = c;
    }
    words
}

/// Keeps an error message readable and on one line for every given name.
fn shorten(name: &str) -> String {
    const MAX: usize = 200;
    let end = name.chars().nth(MAX).map(|_| '…');
    name.chars().take(MAX).map(|c| if c.is_control() { ' ' } else { c }).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates() -> Vec<Candidate<'static>> {
        let of = |name, alias, id: &str| Candidate { name, aliases: vec![alias], id: id.to_owned() };
        vec![
            of("Acme Corp Partnership", "REF-1", "a1b2c3d4-0000"),
            of("Harbour Point", "HP", "a1b2ffff-0000"),
            of("harbour-point", "HQ", "0f0f0f0f-0000"),
        ]
    }

    #[test]
    fn ids_names_and_references_match_loosely() {
        let candidates = candidates();
        assert_eq!(resolve(Kind::Collection, "a1b2c3d4-0000", &candidates).unwrap(), 0);
        assert_eq!(resolve(Kind::Collection, " acme corp. PARTNERSHIP ", &candidates).unwrap(), 0);
        assert_eq!(resolve(Kind::Collection, "ref-1", &candidates).unwrap(), 0);
        assert_eq!(resolve(Kind::Collection, "0F0F", &candidates).unwrap(), 2);
        // A part of a name is enough for a document, if only one has it.
        assert_eq!(resolve(Kind::Document, "acme", &candidates).unwrap(), 0);
        assert!(resolve(Kind::Document, "harbour", &candidates).unwrap_err().message.contains("ambiguous"));
        // An exact name wins over one that matches only loosely.
        assert_eq!(resolve(Kind::Collection, "Harbour Point", &candidates).unwrap(), 1);
    }

    #[test]
    fn a_word_of_one_name_is_meant_rather_than_a_part_of_a_word_of_another() {
        let of = |name, id: &str| Candidate { name, aliases: Vec::new(), id: id.to_owned() };
        let candidates =
            [of("GarmanEnterprises_20190205_Agreement.pdf", "a1b2c3d4"), of("RISEGroup_2018.pdf", "b1b2c3d4")];
        assert_eq!(resolve(Kind::Document, "RISE", &candidates).unwrap(), 1);
        assert_eq!(resolve(Kind::Document, "rise group", &candidates).unwrap(), 1);
        assert_eq!(resolve(Kind::Document, "Enterprises 2019", &candidates).unwrap(), 0);
        assert_eq!(resolve(Kind::Document, "enterprise", &candidates).unwrap(), 0);
    }

    #[test]
    fn forms_of_one_name_name_it() {
        let of = |name, id: &str| Candidate { name, aliases: Vec::new(), id: id.to_owned() };
        let candidates = [
            of("Besta\u{308}tigung der Übergabe", "a1b2c3d4-0000"),
            of("O’Brien ㈱ Straße", "b1b2c3d4-0000"),
            of("Mueller", "c1"),
        ];
        for (wanted, at) in [
            ("Bestätigung der Übergabe", 0),
            ("bestatigung der ubergabe", 0),
            ("Bestaetigung", 0),
            ("Bestätigung", 0),
            ("Oʼbrien (株) strasse", 1),
            ("Müller", 2),
        ] {
            assert_eq!(resolve(Kind::Document, wanted, &candidates).unwrap(), at, "{wanted}");
        }
        let twins = [of("Kündigung", "a1b2c3d4-0000"), of("Ku\u{308}ndigung", "b1b2c3d4-0000")];
        assert_eq!(resolve(Kind::Document, "Kündigung", &twins).unwrap(), 0);
        assert_eq!(resolve(Kind::Document, "Ku\u{308}ndigung", &twins).unwrap(), 1);
    }

    #[test]
    fn a_wrong_name_gets_a_suggestion_in_the_words_of_the_specification() {
        let error = resolve(Kind::Collection, "Acme", &candidates()).unwrap_err();
        assert_eq!(
            error.full_text(),
            "Collection not found: \"Acme\". Did you mean:\n  - Acme Corp Partnership (ID: a1b2c3d4)\nUse the full name or ID."
        );
        let error = resolve(Kind::Collection, "zzzz", &candidates()).unwrap_err();
        assert!(format!("{:?}", error.hint).contains("ListCollections"), "{error:?}");
    }

    #[test]
    fn two_matches_are_an_error_that_names_both() {
        let error = resolve(Kind::Collection, "a1b2", &candidates()).unwrap_err();
        assert!(error.message.contains("ambiguous") && error.message.contains("a1b2ffff"), "{}", error.message);
        let error = resolve(Kind::Collection, "HARBOUR POINT", &candidates()).unwrap_err();
        assert!(error.message.contains("ambiguous"), "{}", error.message);
    }
}
