//! Dates, amounts and references in languages other than English, by rules that are data (`data/languages/*.toml`).
//!
//! | file | what |
//! |---|---|
//! | rules | one language's data, with its expressions compiled |
//! | dates | days, months, quarters, ranges, and their roles |
//! | amounts | money and percentages |
//! | references | parts of laws and of the document itself, acts, decisions |
//!
//! English has rules of its own, in the neighbouring modules. Cost: linear; the expressions have no unbounded
//! repetition over text.

mod amounts;
mod dates;
mod references;
mod rules;

use std::collections::HashSet;
use std::sync::LazyLock;

use casetrack_core::{EntityType, Error, Mention, Reference, ReferenceKind, Result};
use regex::Regex;

use self::rules::{Read, Rules};
use crate::dates::DateOrder;
use crate::findings::{PageFindings, inside_citation, links};
use crate::tokens::{Kind, Tokens};
use crate::{patterns, references as english};

/// Declares the languages that have rules of their own, except English. One row per language: its BCP 47 tag, which also names the files of its
/// data, its tags of three letters, and the version of its analysis.
macro_rules! languages {
    ($($language:ident: $tag:literal, [$($alternative:literal),+], $analysis:literal;)+) => {
        /// A language with rules of its own, except English.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Language {
            $($language,)+
        }

        impl Language {
            pub const ALL: &[Language] = &[$(Language::$language),+];

            /// Its BCP 47 tag.
            pub fn tag(self) -> &'static str {
                match self {
                    $(Language::$language => $tag,)+
                }
            }

            /// Name and version of its analysis.
            pub(crate) fn analysis(self) -> &'static str {
                match self {
                    $(Language::$language => concat!($tag, "-", $analysis),)+
                }
            }

            fn with_tag(tag: &str) -> Option<Self> {
                match tag {
                    $($tag $(| $alternative)+ => Some(Language::$language),)+
                    _ => None,
                }
            }

            fn data(self) -> &'static str {
                match self {
                    $(Language::$language => include_str!(concat!("../../data/languages/", $tag, ".toml")),)+
                }
            }

            fn rules(self) -> Result<&'static Rules> {
                let rules: &'static Read<Rules> = match self {
                    $(Language::$language => {
                        static RULES: LazyLock<Read<Rules>> = LazyLock::new(|| Rules::read(Language::$language.data()));
                        &RULES
                    })+
                };
                rules.as_ref().map_err(|error| Error::internal(format!("The rules for {self:?} cannot be read: {error}")))
            }
        }
    };
}

languages! {
    German: "de", ["deu", "ger"], 5;
    French: "fr", ["fra", "fre"], 5;
    Spanish: "es", ["spa"], 5;
    Italian: "it", ["ita"], 5;
}

/// The rules that a document is analysed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ruleset {
    /// English, or not known: the rules of English, and names.
    English,
    /// The rules of the language, without names.
    Own(Language),
    /// The rules of English as far as they fit, without names.
    Other,
}

impl Ruleset {
    /// By the BCP 47 tag of a document; `None` if its language is not known.
    pub fn of(tag: Option<&str>) -> Ruleset {
        let Some(tag) = tag else { return Ruleset::English };
        match tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase().as_str() {
            "en" | "eng" | "" | "und" => Ruleset::English,
            tag => Language::with_tag(tag).map_or(Ruleset::Other, Ruleset::Own),
        }
    }

    /// The language by whose rules dates, amounts and references are read; `None` for English.
    pub fn rules(self) -> Option<Language> {
        match self {
            Ruleset::Own(language) => Some(language),
            Ruleset::English | Ruleset::Other => None,
        }
    }

    /// True if names are sought, so that the recognizer is needed.
    pub fn has_names(self) -> bool {
        self == Ruleset::English
    }
}

word_lists! {
    /// Words of each language, by its tag.
    WORDS: map = "languages/words.txt";
}
/// Characters of a text that show its language.
const SAMPLE: usize = 4_000;
/// Different words of a language that show it, at least.
const FEWEST: usize = 2;

/// The language of a document that is too short for its detection, if its words are clearly more of this one than of English and the others.
pub(crate) fn of_words(pages: &[&str]) -> Option<Language> {
    let sample: String = pages.iter().flat_map(|page| page.chars().chain([' '])).take(SAMPLE).collect();
    let sample = sample.to_lowercase();
    let said: HashSet<&str> = sample.split(|c: char| !c.is_alphabetic()).collect();
    let count = |tag| WORDS.get(tag).map_or(0, |words| words.split(' ').filter(|word| said.contains(word)).count());
    let (best, most) =
        Language::ALL.iter().map(|&language| (language, count(language.tag()))).max_by_key(|(_, count)| *count)?;
    let others = Language::ALL.iter().filter(|other| **other != best).map(|other| count(other.tag()));
    let next = others.chain([count("en")]).max().unwrap_or_default();
    (most >= FEWEST.max(2 * next)).then_some(best)
}

/// The findings of the rules of a language in a document, page by page, as [`crate::rules::find`] does for English.
pub(crate) fn find(language: Language, pages: &[&str], order: DateOrder) -> Result<Vec<PageFindings>> {
    let rules = language.rules()?;
    Ok(pages.iter().map(|page| find_on_page(rules, page, order)).collect())
}

/// For each language, a day with the name of a month that English does not have. Most texts have none, and reading the rules takes a tenth of a second.
static FOREIGN_DAYS: LazyLock<Read<Vec<(Language, Regex)>>> = LazyLock::new(|| {
    Language::ALL.iter().map(|&language| Ok((language, rules::foreign_day(language.data())?))).collect()
});

/// The days that name a month in one of the languages, for a text in any language; in text order, without overlap.
pub(crate) fn days_in_words(text: &str) -> Result<Vec<Mention>> {
    let days = FOREIGN_DAYS
        .as_ref()
        .map_err(|error| Error::internal(format!("The names of months cannot be read: {error}")))?;
    let mut found = Vec::new();
    for (language, day) in days.iter().filter(|(_, day)| day.is_match(text)) {
        let all = language.rules()?.dates.find(text, DateOrder::Unknown);
        found.extend(
            all.into_iter().filter(|date| text.get(date.start..date.end).is_some_and(|date| day.is_match(date))),
        );
    }
    let places = (!found.is_empty()).then(|| Places::new(text));
    let place = |found| Some(placed(places.as_ref()?, found));
    Ok(without_overlap(found).into_iter().filter_map(place).collect())
}

/// Before the currency, a word that only one of the languages has.
static LARGE_NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = r"(?i)\b(?:millions?(?:\s+et\s+demie?)?\s+d(?:['’]|e\b)|milliards?\b|millones\b|millón\b|milion[ei]\b|miliard[oi]\b|millionen\b|milliarden\b)";
    Regex::new(words).ok()
});

/// The amounts with a word such as "millones" of one of the languages, for a text in any language; in text order, without overlap.
pub(crate) fn amounts_in_words(text: &str) -> Result<Vec<Mention>> {
    if !LARGE_NUMBER.as_ref().is_some_and(|words| words.is_match(text)) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for language in Language::ALL {
        found.extend(language.rules()?.amounts.in_words(text));
    }
    let places = Places::new(text);
    Ok(without_overlap(found).into_iter().map(|found| placed(&places, found)).collect())
}

pub fn amounts(language: Language, text: &str) -> Result<Vec<Mention>> {
    let places = Places::new(text);
    Ok(language.rules()?.amounts.find(text).into_iter().map(|found| placed(&places, found)).collect())
}

pub fn dates(language: Language, text: &str) -> Result<Vec<Mention>> {
    // All of them write the day first.
    let order = DateOrder::by_dates(&[text]).unwrap_or(DateOrder::DayFirst);
    Ok(dates_on_page(language.rules()?, &Tokens::new(text), &Places::new(text), order))
}

fn placed(places: &Places, Match { start, end, what }: Match<Mention>) -> Mention {
    Mention { char_start: places.of(start), char_end: places.of(end), ..what }
}

fn find_on_page(rules: &Rules, page: &str, order: DateOrder) -> PageFindings {
    let tokens = Tokens::new(page);
    let places = Places::new(page);
    let references = references(rules, &tokens, &places);
    let mut mentions = dates_on_page(rules, &tokens, &places, order);
    mentions.extend(rules.amounts.find(page).into_iter().map(|found| placed(&places, found)));
    mentions.extend(patterns::find(&tokens));
    mentions.retain(|mention| !inside_citation(mention, &references));
    mentions.extend(links(&references));
    mentions.sort_by_key(|mention| (mention.char_start, mention.char_end, mention.entity_type));
    PageFindings { mentions, references }
}

/// The dates by the rules of the language, and the English days: the lines above a mail and its quotations are English in mails of all languages.
fn dates_on_page(rules: &Rules, tokens: &Tokens, places: &Places, order: DateOrder) -> Vec<Mention> {
    let text = tokens.text();
    let own = rules.dates.find(text, order).into_iter().map(|found| placed(places, found));
    let mut english = crate::dates::find(tokens, order).mentions;
    if !english.is_empty() {
        let bytes: Vec<usize> = text.char_indices().map(|(byte, _)| byte).chain([text.len()]).collect();
        let byte = |char: u32| bytes.get(char as usize).copied().unwrap_or(text.len());
        english.retain(|day| dates::names_english_month(&text[byte(day.char_start)..byte(day.char_end)]));
    }
    let in_chars = |what: Mention| Match { start: what.char_start as usize, end: what.char_end as usize, what };
    let mut days =
        without_overlap(own.chain(english).map(in_chars).collect()).into_iter().map(|found| found.what).collect();
    crate::dates::without_left_out(text, &mut days);
    days
}

/// References by the rules of the language, and those that are written alike in all languages: web addresses,
/// standards, files by name, ECLI and cases of the Court of Justice.
fn references(rules: &Rules, tokens: &Tokens, places: &Places) -> Vec<Reference> {
    let text = tokens.text();
    let mut found: Vec<Match<(ReferenceKind, String)>> = english::web_addresses(text)
        .into_iter()
        .map(|(start, end, name)| Match { start, end, what: (ReferenceKind::Hyperlink, name) })
        .collect();
    found.extend(rules.references.find(text));
    let mut at = 0;
    while at < tokens.len() {
        let capital = tokens.kind(at) == Some(Kind::Word);
        match capital.then(|| english::in_any_language(tokens, at)).flatten() {
            Some((first, end, kind, name)) => {
                let (start, end_byte) = (tokens.bytes(first).0, tokens.bytes(end - 1).1);
                found.push(Match { start, end: end_byte, what: (kind, name) });
                at = end.max(at + 1);
            }
            None => at += 1,
        }
    }
    let found = without_overlap(found);
    let reference = |Match { start, end, what: (kind, name) }| Reference {
        kind,
        char_start: places.of(start),
        char_end: places.of(end),
        name,
        relation: None,
    };
    found.into_iter().map(reference).collect()
}

/// Something that was found in bytes of a text, half-open.
#[derive(Debug, Clone, PartialEq)]
struct Match<T> {
    start: usize,
    end: usize,
    what: T,
}

/// In text order; of those that overlap the first, and of those that begin together the longest.
fn without_overlap<T>(mut found: Vec<Match<T>>) -> Vec<Match<T>> {
    found.sort_by_key(|found| (found.start, std::cmp::Reverse(found.end)));
    let mut end = 0;
    found.retain(|found| {
        let free = found.start >= end;
        if free {
            end = found.end;
        }
        free
    });
    found
}

struct Places<'t> {
    text: &'t str,
    /// Characters before every 64th byte that begins one, with that byte.
    known: Vec<(usize, u32)>,
}

impl<'t> Places<'t> {
    fn new(text: &'t str) -> Self {
        let known = text.char_indices().zip(0u32..).step_by(64).map(|((byte, _), at)| (byte, at)).collect();
        Self { text, known }
    }

    /// The number of characters before a byte at which one begins.
    fn of(&self, byte: usize) -> u32 {
        let before = self.known.partition_point(|(known, _)| *known <= byte);
        let (from, count) = before.checked_sub(1).and_then(|at| self.known.get(at)).copied().unwrap_or_default();
        count + self.text.get(from..byte).unwrap_or_default().chars().count() as u32
    }
}

/// A mention whose place is not known yet.
fn mention(entity_type: EntityType, value: casetrack_core::EntityValue, role: Option<String>) -> Mention {
    Mention { entity_type, char_start: 0, char_end: 0, value: Some(value), role }
}

/// True if these bytes are not a part of a longer word, number or identifier.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let within = text.get(start..end).unwrap_or_default();
    let mut left = before.chars().rev();
    let (last, last_but_one) = (left.next(), left.next());
    let joined_before = match last {
        Some(c) if c.is_alphanumeric() || c == '_' => true,
        Some('/' | '-' | '+' | '#' | '@') => digit(within.chars().next()),
        Some('.' | ',' | ':') => digit(within.chars().next()) && digit(last_but_one),
        _ => false,
    };
    let mut right = after.chars();
    let (next, next_but_one) = (right.next(), right.next());
    let joined_after = match next {
        Some(c) if c.is_alphanumeric() || c == '_' => true,
        Some('/' | '-' | '.' | ',' | ':') => digit(within.chars().next_back()) && digit(next_but_one),
        _ => false,
    };
    !joined_before && !joined_after
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn piece() -> impl Strategy<Value = String> {
        let known = prop::sample::select(vec![
            "§",
            "§§ ",
            "Art. ",
            "article L. ",
            "artículo ",
            "artt. ",
            "312",
            "1.500,00",
            "7 000",
            " EUR",
            "€",
            "-",
            "–",
            ".",
            ",",
            "/",
            "1er ",
            "März ",
            "mars ",
            "de marzo ",
            "marzo ",
            "2024",
            "01",
            " und ",
            " et ",
            " y ",
            " e ",
            "Abs. ",
            "Satz ",
            "lit. a",
            " BGB",
            " du code civil",
            " del Código Civil",
            " c.c.",
            " (EU) ",
            "Verordnung",
            "Mio. ",
            "millions d’",
            "BGH, Urteil vom ",
            "VIII ZR 277/22",
            "zehn ",
            "Prozent",
            "\n",
            "\n\n",
            " ",
            "\u{a0}",
            "é",
            "漢",
            "ſ",
            "İ",
            "a.F. ",
            "ff.",
            "bis ",
        ]);
        prop_oneof![known.prop_map(str::to_owned), "\\PC{0,4}", "[0-9 .,/-]{1,6}"]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn any_text_is_read_and_every_place_is_in_it(pieces in prop::collection::vec(piece(), 0..30)) {
            let text = pieces.concat();
            let chars: Vec<char> = text.chars().collect();
            for &language in Language::ALL {
                let found = find(language, &[&text], DateOrder::DayFirst).unwrap();
                let spans = found[0].mentions.iter().map(|m| (m.char_start, m.char_end));
                for (start, end) in spans.chain(found[0].references.iter().map(|r| (r.char_start, r.char_end))) {
                    prop_assert!(start < end && end as usize <= chars.len());
                    prop_assert!(!chars[start as usize].is_whitespace() && !chars[end as usize - 1].is_whitespace());
                }
                for pair in found[0].references.windows(2) {
                    prop_assert!(pair[0].char_end <= pair[1].char_start);
                }
            }
        }
    }

    #[test]
    fn the_rules_of_every_language_can_be_read() {
        for language in Language::ALL {
            language.rules().unwrap();
        }
    }

    #[test]
    fn a_tag_chooses_the_rules() {
        for (tag, expected) in [
            (None, Ruleset::English),
            (Some("en-GB"), Ruleset::English),
            (Some("de-AT"), Ruleset::Own(Language::German)),
            (Some("FR"), Ruleset::Own(Language::French)),
            (Some("es_MX"), Ruleset::Own(Language::Spanish)),
            (Some("ita"), Ruleset::Own(Language::Italian)),
            (Some("nl"), Ruleset::Other),
        ] {
            assert_eq!(Ruleset::of(tag), expected, "{tag:?}");
        }
    }

    #[test]
    fn places_are_characters() {
        let text = "é".repeat(200) + "x";
        assert_eq!((Places::new(&text).of(0), Places::new(&text).of(130), Places::new(&text).of(400)), (0, 65, 200));
    }
}
