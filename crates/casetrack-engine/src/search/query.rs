//! What a query says besides its words: phrases, required and excluded words, fields.
//!
//! | written | meaning |
//! |---|---|
//! | `"late payment"` | passages with these words one after the other: beside other words they come first, alone no others are searched; typographic quotes are text, as pasted prose has them |
//! | `+interest`, `+"late payment"` | only passages with this word or phrase; `+4.2(b)` and `+$1,250,000` likewise |
//! | `-penalty`, `-"late fee"` | passages without it; a minus before a digit is a number's |
//! | `document:Lease`, `document:"Vendor Agreement.docx"` | in the document of this name, path or id |
//! | `type:invoice`, `type:pdf` | in documents of this type or file format |
//! | `entity:Acme`, `entity:"John Smith"` | passages that mention this person, organization, place, date, amount or concept |
//! | `date:2023`, `date:2023-05..2023-08-15`, `date:2023..` | in documents of this time, see [`DateRange`] |
//! | `page:3`, `page:3-7` | on these pages |
//!
//! A field given several times means any of its values; everything else must hold together. What is not of this form is text,
//! `Re:` and `http://…` among it, and a query that has nothing of this form is its own text, unchanged.

use std::ops::RangeInclusive;

use casetrack_core::{Error, Result};
use casetrack_store::{Collection, Correction, WordConditions};

use super::filter::{DateRange, Filters, Kind, pages};

/// A query, taken apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ParsedQuery {
    /// The words to search for, those that are required among them.
    pub text: String,
    pub words: WordConditions,
    /// Quoted words that passages should have.
    pub preferred: Vec<String>,
    pub filters: Filters,
    /// What was taken as text though it looks like a field.
    pub notices: Vec<String>,
}

/// A query as it is searched.
pub(super) struct Understood {
    /// What is searched for: its text with corrected words.
    pub text: String,
    pub filters: Filters,
    pub words: WordConditions,
    /// Quoted words that passages should have.
    pub preferred: Vec<String>,
    /// What the user should know of it.
    pub notices: Vec<String>,
}

/// Takes a query apart and corrects words that no passage has.
pub(super) fn understand(collection: &Collection, query: &str) -> Result<Understood> {
    let ParsedQuery { text, mut words, mut preferred, filters, mut notices } = parse(query);
    if text.is_empty() {
        return Err(Error::invalid(format!("The query \"{query}\" has no words to search for."))
            .with_hint("Say what the passages should be about; fields and excluded words only narrow that down."));
    }
    let corrections = collection.corrections(&text)?;
    let text = correct(&text, &corrections);
    for required in words.required.iter_mut().chain(&mut preferred) {
        *required = correct(required, &corrections);
    }
    notices.extend(corrections.iter().map(|Correction { word, replacement }| {
        format!("No passage contains \"{word}\"; searched for \"{replacement}\".")
    }));
    Ok(Understood { text, filters, words, preferred, notices })
}

/// The text with corrected words in their places.
fn correct(text: &str, corrections: &[Correction]) -> String {
    let mut corrected = String::with_capacity(text.len());
    for run in text.split_inclusive(|c: char| !c.is_alphabetic()) {
        let word = run.trim_end_matches(|c: char| !c.is_alphabetic());
        let lower = word.to_lowercase();
        match corrections.iter().find(|correction| correction.word == lower) {
            Some(correction) => corrected.extend([correction.replacement.as_str(), &run[word.len()..]]),
            None => corrected.push_str(run),
        }
    }
    corrected
}

/// Why there is nothing to search, though the filters besides the words leave `documents`.
pub(super) fn nothing_left(words: &WordConditions, documents: u64) -> String {
    let quoted = |words: &[String]| words.iter().map(|words| format!("“{words}”")).collect::<Vec<_>>().join(" and ");
    let of = if documents == 1 { "of 1 document".to_owned() } else { format!("of {documents} documents") };
    match (quoted(&words.required).as_str(), quoted(&words.excluded).as_str()) {
        _ if documents == 0 => "The filters leave no passage to search.".to_owned(),
        ("", "") => format!("The filters leave no passage {of}."),
        (required, "") => format!("No passage {of} contains {required}."),
        ("", excluded) => format!("Every passage {of} contains {excluded}."),
        (required, excluded) => format!("No passage {of} contains {required} without {excluded}."),
    }
}

/// A part that means something.
enum Part<'q> {
    Words { sign: Option<char>, words: &'q str },
    Document(&'q str),
    Kind(Kind),
    Entity(&'q str),
    Date(DateRange),
    Pages(RangeInclusive<u32>),
}

pub(super) fn parse(query: &str) -> ParsedQuery {
    let query = query.trim();
    let mut parsed = ParsedQuery::default();
    let (mut at, mut plain_from, mut text) = (0, 0, String::new());
    let mut is_plain = true;
    while at < query.len() {
        let starts_word = query[..at].chars().next_back().is_none_or(|before| before.is_whitespace() || before == '(');
        match starts_word.then(|| part(&query[at..], &mut parsed.notices)).flatten() {
            Some((part, length)) => {
                is_plain = false;
                text.push_str(&query[plain_from..at]);
                at += length;
                plain_from = at;
                text.push(' ');
                match part {
                    Part::Words { sign: Some('-'), words } => parsed.words.excluded.push(words.to_owned()),
                    Part::Words { sign, words } => {
                        text.push_str(words);
                        let conditions =
                            if sign.is_some() { &mut parsed.words.required } else { &mut parsed.preferred };
                        conditions.push(words.to_owned());
                    }
                    Part::Document(name) => parsed.filters.documents.push(name.to_owned()),
                    Part::Entity(name) => parsed.filters.entities.push(name.to_owned()),
                    Part::Kind(kind) => parsed.filters.kinds.push(kind),
                    Part::Date(range) => parsed.filters.dated.push(range),
                    Part::Pages(range) => parsed.filters.pages.push(range),
                }
            }
            None => at += query[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    text.push_str(&query[plain_from..]);
    // Quoted words alone are what is looked for; in a sentence they are what it is about.
    let mut besides = text.clone();
    for phrase in parsed.preferred.iter().chain(&parsed.words.required) {
        besides = besides.replacen(phrase.as_str(), "", 1);
    }
    if !besides.contains(char::is_alphanumeric) {
        let only = parsed.preferred.iter().map(|phrase| format!("Only passages with “{phrase}” were searched."));
        parsed.notices.extend(only);
        parsed.words.required.append(&mut parsed.preferred);
    }
    parsed.text = if is_plain { query.to_owned() } else { text.split_whitespace().collect::<Vec<_>>().join(" ") };
    parsed
}

/// The part that begins here and its length in bytes; `None` for text.
fn part<'q>(rest: &'q str, notices: &mut Vec<String>) -> Option<(Part<'q>, usize)> {
    let sign = rest.chars().next().filter(|c| matches!(c, '+' | '-'));
    let unsigned = &rest[sign.map_or(0, char::len_utf8)..];
    let sign_length = rest.len() - unsigned.len();
    if let Some((words, length)) = quoted(unsigned) {
        return Some((Part::Words { sign, words }, sign_length + length));
    }
    if let Some((name, after)) = FIELDS.iter().find_map(|name| Some((name, unsigned.strip_prefix(name)?)))
        && let Some((value, length)) = value(after)
    {
        if sign.is_none()
            && let Some(part) = field(name, value)
        {
            return Some((part, name.len() + length));
        }
        let why = if sign.is_some() { "a field takes no sign" } else { allowed(name) };
        notices.push(format!(
            "\"{}{name}{value}\" was searched as text: {why}.",
            sign.map(String::from).unwrap_or_default()
        ));
        return None;
    }
    let word = unsigned.split(char::is_whitespace).next().filter(|word| word.contains(char::is_alphanumeric))?;
    let first = word.chars().next()?;
    let is_word = match sign? {
        '+' => first.is_alphanumeric() || matches!(first, '$' | '€' | '£' | '¥' | '§' | '#'),
        _ => first.is_alphabetic(),
    };
    is_word.then_some((Part::Words { sign, words: word }, sign_length + word.len()))
}

const FIELDS: [&str; 5] = ["document:", "type:", "entity:", "date:", "page:"];

fn field<'q>(name: &str, value: &'q str) -> Option<Part<'q>> {
    match name {
        "document:" => return Some(Part::Document(value)),
        "entity:" => return Some(Part::Entity(value)),
        _ => {}
    }
    // As at the end of a sentence or a clause.
    let value = value.trim_end_matches([',', ';', '?', '!', ')']);
    match name {
        "type:" => value.parse().ok().map(Part::Kind),
        "date:" => value.parse().ok().map(Part::Date),
        _ => pages(value).ok().map(Part::Pages),
    }
}

fn allowed(name: &str) -> &'static str {
    match name {
        "type:" => "the types are those of documents, such as contract or invoice, and of files, such as pdf",
        "date:" => "a date is YYYY, YYYY-MM or YYYY-MM-DD, a range A..B",
        _ => "a page is a number from 1, a range N-M",
    }
}

/// The value of a field, quoted or up to the next space, and its length in bytes with the quotes.
fn value(after: &str) -> Option<(&str, usize)> {
    if let Some(quoted) = quoted(after) {
        return Some(quoted);
    }
    let word = after.split(char::is_whitespace).next().filter(|word| word.contains(char::is_alphanumeric))?;
    Some((word, word.len()))
}

/// The text between quotes that begin here, and its length with them. A mark of inches is not a quote: a quotation has words and is
/// not followed by a letter or digit.
fn quoted(text: &str) -> Option<(&str, usize)> {
    let inner = text.strip_prefix('"')?;
    let (end, _) = inner.match_indices('"').find(|&(at, _)| !inner[at + 1..].starts_with(char::is_alphanumeric))?;
    let words = inner[..end].trim();
    words.contains(char::is_alphanumeric).then_some((words, end + 2))
}

#[cfg(test)]
mod tests {
    use casetrack_core::DocumentType;
    use proptest::prelude::*;

    use super::*;

    fn words(query: &str) -> (String, Vec<String>, Vec<String>) {
        let parsed = parse(query);
        (parsed.text, parsed.words.required, parsed.words.excluded)
    }

    #[test]
    fn text_stays_as_it_is() {
        for query in [
            "what are the payment terms?",
            "Re: budget   for 2024",
            "http://example.org/a?b=c",
            "well-known and/or C++ a+b 5-3",
            "a loss of -1,250 or -$5 - or more -- much",
            "a 3\" pipe and a 4\" valve",
            "an \"unfinished quotation",
            "\"\" \" - \" «»",
            "all “requirements” of the buyer, „so called“, «here»",
            "entity: Acme document: Lease type: x",
            "Document:Lease",
            "+ - +- -+ :",
        ] {
            assert_eq!(words(query), (query.to_owned(), vec![], vec![]), "{query}");
            assert_eq!(parse(query).filters, Filters::default());
        }
    }

    #[test]
    fn phrases_in_quotes_are_preferred_beside_other_words_and_required_alone() {
        let parsed = parse("see \"late payment\", please");
        assert_eq!((parsed.text.as_str(), parsed.words.required.len()), ("see late payment, please", 0));
        assert_eq!(parsed.preferred, ["late payment"]);
        assert_eq!(words("\"late payment\""), ("late payment".into(), vec!["late payment".into()], vec![]));
        assert_eq!(words("(\"a b\") +\"c d\" -\"e f\"").1, ["c d", "a b"]);
        assert_eq!(words("interest on +\"late payment\"").1, ["late payment"]);
        assert_eq!(words("\"rent\" document:Lease").1, ["rent"]);
    }

    #[test]
    fn signs_require_and_exclude() {
        let (text, required, excluded) = words("rent +deposit +4.2(b) +$1,250,000 -garage -\"parking space\"");
        assert_eq!(text, "rent deposit 4.2(b) $1,250,000");
        assert_eq!(required, ["deposit", "4.2(b)", "$1,250,000"]);
        assert_eq!(excluded, ["garage", "parking space"]);
    }

    #[test]
    fn fields_restrict_and_are_no_text() {
        let parsed = parse(
            "rent document:\"Vendor Agreement.docx\" type:contract date:2023-05.. page:3-7 entity:\"Ann Lee\" type:pdf due",
        );
        assert_eq!(parsed.text, "rent due");
        let Filters { documents, kinds, entities, dated, pages, .. } = parsed.filters;
        assert_eq!(entities, ["Ann Lee"]);
        assert_eq!(documents, ["Vendor Agreement.docx"]);
        assert_eq!(kinds[0], Kind::Type(DocumentType::Contract));
        assert_eq!((kinds.len(), dated.len(), pages), (2, 1, vec![3..=7]));
        assert_eq!(parsed.notices, Vec::<String>::new());
    }

    #[test]
    fn a_field_that_cannot_be_read_is_text_and_said_to_be() {
        let parsed = parse("blood type:O page:0 date:soon -type:pdf");
        assert_eq!(parsed.text, "blood type:O page:0 date:soon -type:pdf");
        assert_eq!(parsed.notices.len(), 4, "{:?}", parsed.notices);
        assert!(parsed.notices[0].starts_with("\"type:O\" was searched as text: the types are"));
    }

    proptest! {
        #[test]
        fn any_query_is_understood(query in "\\PC{0,60}") {
            parse(&query);
        }

        #[test]
        fn any_mixture_of_signs_is_understood(query in "([+\\-\"“”„«» (:.é4a]|type:|entity:|date:|page:|document:){0,20}") {
            let parsed = parse(&query);
            prop_assert!(parsed.words.required.iter().chain(&parsed.words.excluded).chain(&parsed.preferred).all(|words| words.contains(char::is_alphanumeric)));
        }

        #[test]
        fn words_without_signs_are_the_text(query in "[a-zA-Z0-9é.,;?!'/_ ]{0,60}") {
            prop_assert_eq!(parse(&query), ParsedQuery { text: query.trim().to_owned(), ..ParsedQuery::default() });
        }
    }
}
