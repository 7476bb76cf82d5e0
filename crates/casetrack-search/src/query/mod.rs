//! The parts of a query besides its words: phrases, required and excluded words, fields.
//!
//! | written | meaning |
//! |---|---|
//! | `"late payment"` | passages with these words one after the other: with other words they are preferred, without any no others are searched; typographic quotes are text, as pasted prose has them |
//! | `+interest`, `+"late payment"` | only passages with this word or phrase; `+4.2(b)` and `+$1,250,000` likewise |
//! | `-penalty`, `-"late fee"` | passages without it; a minus before a digit is a number's |
//! | `document:Lease`, `document:"Vendor Agreement.docx"` | in the document of this name, path or id |
//! | `type:invoice`, `type:pdf` | in documents of this type or file format |
//! | `entity:Acme`, `entity:"John Smith"` | passages that mention this person, organization, place, date, amount or concept |
//! | `date:2023`, `date:2023-05..2023-08-15`, `date:2023..` | in documents of this time, see [`DateRange`] |
//! | `page:3`, `page:3-7` | on these pages |
//! | `page:A-1`, `page:iv`, `page:"Cover"` | on pages with this printed label |
//! | `bates:SMITH000042`, `bates:SMITH000042..SMITH000050` | on pages with these Bates numbers; without other words, all their passages |
//! | `exhibit:A`, `exhibit:"Plaintiff's Exhibit 12"` | on pages with the stamp of this exhibit |
//! | `paragraph:12`, `paragraph:12-14` | of paragraphs that have these numbers in their document, as in a complaint |
//! | `tag:privileged`, `-tag:"key document"` | in documents that have the user's tag, that lack it |
//! | `field:custodian=Smith`, `-field:custodian="Ann Lee"`, `field:custodian` | in documents whose field has the value, has another or none, has any |
//! | `set:Photos`, `-set:"key files"` | in documents whose file is in the user's resource set, or in one below it; is not |
//! | `in:deleted` | text that was deleted while changes were tracked, instead of passages, see [`deleted_words`] |
//!
//! Several values of one field are alternatives; everything else must hold together. Other text, such as `Re:` and `http://…`, stays text, and a
//! query without these forms is its own text, unchanged.
//!
//! A query of only phrases, required words and fields, or of only fields, is a complete list; so is one with [`operators`].

mod deleted_words;
mod operators;
mod parts;
mod slips;

use casetrack_core::{Error, Result, single_spaced};
use casetrack_store::{Collection, Correction, Expression, WordConditions};

use super::filter::Filters;
use casetrack_host::Host;
pub(super) use deleted_words::{DeletedWords, in_deleted};
use parts::{Part, part};

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ParsedQuery {
    /// The words to search for, including the required ones.
    pub text: String,
    pub words: WordConditions,
    /// Quoted words that passages should have.
    pub preferred: Vec<String>,
    pub filters: Filters,
    pub expression: Option<Expression>,
    /// True if the query has only conditions, and nothing to rank by.
    pub is_complete: bool,
    pub in_deleted: bool,
    /// Notices on text that looks like a field or an operator.
    pub notices: Vec<String>,
}

pub(super) struct Understood {
    /// The text of the search, with corrected words.
    pub text: String,
    pub filters: Filters,
    pub words: WordConditions,
    /// Quoted words that passages should have.
    pub preferred: Vec<String>,
    pub expression: Option<Expression>,
    pub notices: Vec<String>,
    /// The query as it was written.
    written: String,
}

impl Understood {
    /// True if the query has conditions on words besides its fields.
    pub fn has_words(&self) -> bool {
        self.expression.is_some() || self.words != WordConditions::default()
    }

    /// The conditions on words, in the notation of queries.
    pub fn written(&self) -> String {
        let expression = self.expression.as_ref().map(operators::written);
        let quote = |words: &String| match words.contains(char::is_whitespace) {
            true => format!("\"{words}\""),
            false => words.clone(),
        };
        let signed = |sign: char, words: &[String]| -> Vec<String> {
            words.iter().map(|words| format!("{sign}{}", quote(words))).collect()
        };
        match (expression, self.words.required.as_slice(), self.words.excluded.as_slice()) {
            (None, [only], []) => quote(only),
            (None, [], []) => self.written.clone(),
            (expression, required, excluded) => {
                let parts = expression.into_iter().chain(signed('+', required)).chain(signed('-', excluded));
                parts.collect::<Vec<_>>().join(" ")
            }
        }
    }
}

/// True if the answer to a query is the list of all passages that fulfil its conditions.
///
/// Errors: operators that cannot be read.
pub(super) fn is_complete(query: &str) -> Result<bool> {
    Ok(parse(query)?.is_complete)
}

/// True if a query has operators.
///
/// Errors: as [`is_complete`].
pub(super) fn has_operators(query: &str) -> Result<bool> {
    Ok(parse(query)?.expression.is_some())
}

/// Parses a query and corrects typing errors, unless it has operators.
///
/// Errors: a query without words, operators that cannot be read.
pub(super) fn understand(host: &Host, collection: &Collection, query: &str) -> Result<Understood> {
    let parsed = parse(query)?;
    let mut understood = checked(query, parsed)?;
    if understood.expression.is_some() {
        return Ok(understood);
    }
    let corrections = slips::among(host, collection, &understood.text)?;
    understood.text = correct(&understood.text, &corrections);
    // Words that are required verbatim are corrected only if no passage has them.
    let unknown: Vec<Correction> = corrections.iter().filter(|correction| !correction.is_known).cloned().collect();
    for required in understood.words.required.iter_mut().chain(&mut understood.preferred) {
        *required = correct(required, &unknown);
    }
    understood.notices.extend(corrections.iter().map(|Correction { word, replacement, is_known }| match is_known {
        true => format!("Hardly any passage contains \"{word}\"; searched for \"{replacement}\" as well."),
        false => format!("No passage contains \"{word}\"; searched for \"{replacement}\"."),
    }));
    Ok(understood)
}

/// Parses a search term: words side by side are a phrase, and everything is a condition.
pub(super) fn understand_term(term: &str) -> Result<Understood> {
    let parsed = operators::in_term(term.trim())?;
    checked(term, of_conditions(parsed))
}

fn checked(query: &str, parsed: ParsedQuery) -> Result<Understood> {
    let ParsedQuery { text, words, preferred, filters, expression, notices, is_complete: _, in_deleted } = parsed;
    if in_deleted {
        return Err(Error::invalid("in:deleted can only be used in a search, not in a term or a question.")
            .with_hint("Search for it on its own."));
    }
    if text.is_empty() && expression.is_none() && filters == Filters::default() {
        return Err(Error::invalid(format!("The query \"{query}\" has no words to search for."))
            .with_hint("Add words for the content of the passages; fields and excluded words only narrow a search."));
    }
    if expression.as_ref().is_some_and(operators::is_negative) && words.required.is_empty() {
        return Err(Error::invalid("NOT without other words matches nearly every passage.")
            .with_hint("Add words that the passages must contain, as in rent AND NOT garage."));
    }
    Ok(Understood { text, filters, words, preferred, expression, notices, written: query.trim().to_owned() })
}

/// The text with corrections; a correction goes before a word that is also known.
fn correct(text: &str, corrections: &[Correction]) -> String {
    let mut corrected = String::with_capacity(text.len());
    for run in text.split_inclusive(|c: char| !c.is_alphabetic()) {
        let word = run.trim_end_matches(|c: char| !c.is_alphabetic());
        let lower = word.to_lowercase();
        match corrections.iter().find(|correction| correction.word == lower) {
            Some(Correction { replacement, is_known: true, .. }) => corrected.extend([replacement, " ", run]),
            Some(Correction { replacement, .. }) => corrected.extend([replacement, &run[word.len()..]]),
            None => corrected.push_str(run),
        }
    }
    corrected
}

/// The error for words that leave no passage, although the other filters leave `documents`.
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

fn parse(query: &str) -> Result<ParsedQuery> {
    let query = query.trim();
    let mut parsed = ParsedQuery::default();
    if let Some(operators) = operators::in_query(query, &mut parsed.notices)? {
        return Ok(of_conditions(operators));
    }
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
                    Part::Words { sign, words } if sign != Some('-') => {
                        text.push_str(words);
                        match sign {
                            Some(_) => parsed.words.required.push(words.to_owned()),
                            None => parsed.preferred.push(words.to_owned()),
                        }
                    }
                    condition => parsed.restrict(condition),
                }
            }
            None => at += query[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    text.push_str(&query[plain_from..]);
    // Quoted words without other text are the object of the search; in a sentence they are its subject.
    let mut besides = text.clone();
    for phrase in parsed.preferred.iter().chain(&parsed.words.required) {
        besides = besides.replacen(phrase.as_str(), "", 1);
    }
    if !besides.contains(char::is_alphanumeric) {
        parsed.words.required.append(&mut parsed.preferred);
        parsed.is_complete = !parsed.words.required.is_empty() || parsed.filters != Filters::default();
    }
    parsed.text = if is_plain { query.to_owned() } else { single_spaced(&text) };
    Ok(parsed)
}

fn of_conditions(operators: operators::Parsed<'_>) -> ParsedQuery {
    let operators::Parsed { expression, conditions, notices } = operators;
    let mut parsed = ParsedQuery { is_complete: true, notices, ..ParsedQuery::default() };
    for condition in conditions {
        parsed.restrict(condition);
    }
    let sought = expression.as_ref().map(operators::sought).into_iter().chain(parsed.words.required.iter().cloned());
    parsed.text = sought.collect::<Vec<_>>().join(" ");
    parsed.expression = expression;
    parsed
}

impl ParsedQuery {
    fn restrict(&mut self, condition: Part<'_>) {
        match condition {
            Part::Words { sign: Some('-'), words } => self.words.excluded.push(words.to_owned()),
            Part::Words { words, .. } => self.words.required.push(words.to_owned()),
            Part::Document(name) => self.filters.documents.push(name.to_owned()),
            Part::Entity(name) => self.filters.entities.push(name.to_owned()),
            Part::Kind(kind) => self.filters.kinds.push(kind),
            Part::Date(range) => self.filters.dated.push(range),
            Part::Pages(test) => self.filters.pages.push(test),
            Part::Bates(range) => self.filters.bates.push(range),
            Part::Exhibit(name) => self.filters.exhibits.push(name.to_owned()),
            Part::Paragraphs(range) => self.filters.paragraphs.push(range),
            Part::Mark(filter) => self.filters.marks.push(filter),
            Part::Set(filter) => self.filters.sets.push(filter),
            Part::InDeleted => self.in_deleted = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::DocumentType;
    use casetrack_store::PageTest;
    use proptest::prelude::*;

    use super::super::filter::Kind;
    use super::*;

    fn parse(query: &str) -> ParsedQuery {
        super::parse(query).unwrap()
    }

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
        assert_eq!((kinds.len(), dated.len(), pages), (2, 1, vec![PageTest::Numbered(3..=7)]));
        assert_eq!(parsed.notices, Vec::<String>::new());
    }

    #[test]
    fn a_field_that_cannot_be_read_is_text_and_said_to_be() {
        let parsed = parse("blood type:O page:0 date:soon -type:pdf");
        assert_eq!(parsed.text, "blood type:O page:0 date:soon -type:pdf");
        assert_eq!(parsed.notices.len(), 4, "{:?}", parsed.notices);
        assert!(parsed.notices[0].starts_with("\"type:O\" was searched as text: the types are"));
    }

    #[test]
    fn printed_pages_alone_are_a_complete_list() {
        let parsed = parse("bates:SM0042..SM0050, page:A-1");
        assert!(parsed.is_complete && parsed.text.is_empty());
        assert_eq!(parsed.filters.pages, [PageTest::Labelled("A-1".into())]);
        assert_eq!(parsed.filters.printed(), ["page:A-1", "bates:SM0042..SM0050"]);
        let parsed = parse("rent bates:SM0042 page:\"Front cover\"");
        assert_eq!((parsed.text.as_str(), parsed.is_complete, parsed.filters.printed().len()), ("rent", false, 2));
        for text in ["bates:soon rent", "page:Cover rent"] {
            let parsed = parse(text);
            assert_eq!((parsed.text.as_str(), parsed.notices.len()), (text, 1));
        }
        let parsed = parse("paragraph:12-14 exhibit:\"Plaintiff's Exhibit 12\" exhibit:A");
        assert!(parsed.is_complete && parsed.text.is_empty());
        assert_eq!(parsed.filters.printed(), ["exhibit:\"Plaintiff's Exhibit 12\"", "exhibit:A", "paragraph:12-14"]);
        assert_eq!(parse("rent paragraph:none").notices.len(), 1);
        assert!(super::checked("bates:SM0042", parse("bates:SM0042")).is_ok());
        assert!(understand_term("bates:SM0042").is_ok());
    }

    #[test]
    fn fields_alone_are_a_complete_list() {
        for query in [
            "entity:Acme",
            "entity:\"John Smith\"",
            "type:contract",
            "type:pdf type:docx",
            "document:Lease",
            "date:2023..2024",
            "page:3-7",
            "tag:privileged",
            "-tag:privileged",
            "field:custodian=Smith",
            "set:Photos",
            "entity:Acme, type:contract",
        ] {
            let parsed = parse(query);
            assert!(parsed.is_complete && !parsed.text.contains(char::is_alphanumeric), "{query}: {parsed:?}");
            let understood = super::checked(query, parsed).unwrap();
            assert_eq!((understood.written().as_str(), understood.has_words()), (query, false));
        }
        for ranked in ["rent entity:Acme", "type:contract rent", "entity: Acme", "type:unknown"] {
            assert!(!parse(ranked).is_complete, "{ranked}");
        }
        for nothing in ["", "-garage"] {
            assert!(super::checked(nothing, parse(nothing)).is_err(), "{nothing}");
        }
    }

    #[test]
    fn sets_are_named_alone_or_in_quotes_and_may_be_excluded() {
        let parsed = parse("rent set:Photos, -set:\"key files\" offset:5");
        let sets: Vec<(bool, &str)> =
            parsed.filters.sets.iter().map(|filter| (filter.excluded, filter.name.as_str())).collect();
        assert_eq!(sets, [(false, "Photos"), (true, "key files")]);
        assert_eq!(parsed.text, "rent offset:5");
    }

    proptest! {
        #[test]
        fn any_query_is_understood(query in "\\PC{0,60}") {
            // An error is an answer.
            let _ = super::parse(&query);
        }

        #[test]
        fn any_mixture_of_signs_is_understood(query in "([+\\-\"“”„«» (:.é4a]|type:|entity:|date:|page:|bates:|document:){0,20}") {
            let parsed = parse(&query);
            prop_assert!(parsed.words.required.iter().chain(&parsed.words.excluded).chain(&parsed.preferred).all(|words| words.contains(char::is_alphanumeric)));
        }

        #[test]
        fn words_without_signs_are_the_text(query in "[a-zA-Z0-9é.,;?!'/_ ]{0,60}") {
            let operators = ["AND", "OR", "NOT", "NEAR/", "w/", "W/"];
            prop_assume!(!query.split_whitespace().any(|word| operators.iter().any(|operator| word.starts_with(operator))));
            prop_assert_eq!(parse(&query), ParsedQuery { text: query.trim().to_owned(), ..ParsedQuery::default() });
        }
    }
}
