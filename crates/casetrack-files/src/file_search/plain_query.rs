//! The extensions and years in a query in plain words, and the query in the notation of full-text indexes.

use std::ops::Range;

use casetrack_core::{Error, FileKind, Result};

use super::{QueryFilters, RewrittenQuery, content_words, singular};
use casetrack_search::{MAX_QUERY_CHARS, has_operators};

/// Words that follow the name of a kind and belong to it.
const FILE_WORDS: &[&str] = &["file", "files", "format", "formats", "document", "documents"];
/// Words between two filters, and words that introduce them.
const BETWEEN: &[&str] = &["and", "or", "&", "/", "to", "-"];
const BEFORE: [&str; 12] =
    ["from", "in", "of", "as", "dated", "during", "for", "between", "year", "years", "the", "type"];
/// A year after one of these bounds something, or counts it.
const NO_YEAR_AFTER: &[&str] = &[
    "since", "after", "before", "until", "till", "section", "clause", "article", "art", "rule", "no", "nr", "number",
    "iso", "room", "page", "pages", "version", "january", "february", "march", "april", "june", "july", "august",
];
const NO_YEAR_AFTER_TOO: &[&str] = &[
    "september",
    "october",
    "november",
    "december",
    "may",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
];
const NO_YEAR_BEFORE: &[&str] = &[
    "eur",
    "euro",
    "euros",
    "usd",
    "dollar",
    "dollars",
    "gbp",
    "pounds",
    "people",
    "employees",
    "pages",
    "shares",
    "units",
    "%",
    "percent",
    "items",
];
/// Longest range of years that is written out.
const MAX_YEARS: u32 = 30;
/// Words apart that a pair may be.
const NEAR: u32 = 5;

/// A query, with its filters of files taken out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Asked {
    pub text: String,
    /// As they are shown.
    pub filters: QueryFilters,
    /// The extensions that files may have, in lower case, without the dot. Any, if there are none.
    pub exts: Vec<String>,
}

/// A word of the query with its place in bytes.
struct Word<'q> {
    place: Range<usize>,
    /// In lower case, without punctuation around it, but with a dot before it.
    core: String,
    text: &'q str,
}

enum Filter {
    Kind(FileKind),
    Years(Vec<u32>),
}

impl Asked {
    /// Takes the extensions and years out of a query, each unless that is given. A query with operators stays as it is.
    ///
    /// Errors: operators that cannot be read.
    pub fn of(query: &str, takes_exts: bool, takes_years: bool) -> Result<Self> {
        let plain = Self { text: query.to_owned(), ..Self::default() };
        if has_operators(query)? {
            return Ok(plain);
        }
        let words = words(query);
        let mut taken = vec![false; words.len()];
        let mut asked = Self::default();
        for (at, taken) in taken.iter_mut().enumerate() {
            match filter(&words, at) {
                Some(Filter::Kind(kind)) if takes_exts => {
                    *taken = true;
                    kind.extensions.first().iter().for_each(|ext| push(&mut asked.filters.exts, &format!(".{ext}")));
                    kind.extensions.iter().for_each(|ext| push(&mut asked.exts, ext));
                }
                Some(Filter::Years(years)) if takes_years => {
                    *taken = true;
                    years.iter().for_each(|year| push(&mut asked.filters.years, &year.to_string()));
                }
                _ => {}
            }
        }
        if asked.filters == QueryFilters::default() {
            return Ok(plain);
        }
        if takes_years {
            fill_ranges(&words, &taken, &mut asked.filters.years);
        }
        let belongs = around(&words, &taken);
        let left: Vec<&str> =
            words.iter().zip(belongs).filter(|(_, belongs)| !belongs).map(|(word, _)| word.text).collect();
        asked.text = left.join(" ");
        // There is no other word: these words rank the files that the filters leave.
        if !asked.text.contains(char::is_alphanumeric) {
            asked.text = query.to_owned();
        }
        Ok(asked)
    }

    pub fn has_filters(&self) -> bool {
        self.filters != QueryFilters::default()
    }
}

/// A query in the notation that searchFiles takes: the first two significant words near each other, with the others and the years,
/// extensions as filters. A query that has operators already stays as it is.
///
/// Errors: a query that is empty, too long, or whose operators cannot be read.
pub fn rewrite(query: &str) -> Result<RewrittenQuery> {
    let query = checked(query)?;
    if has_operators(query)? {
        let notes = "the query has operators already".to_owned();
        return Ok(RewrittenQuery { fts: query.to_owned(), filters: QueryFilters::default(), notes });
    }
    let Asked { text, filters, .. } = Asked::of(query, true, true)?;
    let (phrases, besides) = phrases(&text);
    let said = if filters == QueryFilters::default() || text != query { content_words(&besides) } else { Vec::new() };
    // A single letter is in nearly every file.
    let words: Vec<String> =
        said.iter().filter(|word| word.chars().nth(1).is_some()).map(|word| singular(word)).collect();
    let mut parts: Vec<String> = Vec::new();
    let mut notes = Vec::new();
    match words.as_slice() {
        [one, two, others @ ..] => {
            parts.push(format!("{one} NEAR/{NEAR} {two}"));
            parts.extend(others.iter().cloned());
            notes.push(format!("NEAR/{NEAR} used to pair '{one}' and '{two}'"));
        }
        words => parts.extend(words.iter().cloned()),
    }
    parts.extend(phrases.iter().map(|phrase| format!("\"{phrase}\"")));
    if !filters.years.is_empty() {
        parts.push(format!("({})", filters.years.join(" OR ")));
    }
    if notes.is_empty() {
        notes.push("no two words to pair".to_owned());
    }
    Ok(RewrittenQuery { fts: parts.join(" AND "), filters, notes: notes.join("; ") })
}

/// The query without white space around it.
///
/// Errors: an empty one, and one that is too long.
pub(super) fn checked(query: &str) -> Result<&str> {
    let query = query.trim();
    if !query.contains(char::is_alphanumeric) {
        return Err(
            Error::invalid("The query is empty.").with_hint("Describe in a few words the content of the files.")
        );
    }
    if query.chars().nth(MAX_QUERY_CHARS).is_some() {
        return Err(Error::invalid(format!("The query is longer than {MAX_QUERY_CHARS} characters."))
            .with_hint("Search for the words that matter; a sentence is enough."));
    }
    Ok(query)
}

fn push(list: &mut Vec<String>, item: &str) {
    if !list.iter().any(|known| known == item) {
        list.push(item.to_owned());
    }
}

/// The words outside quotation marks; a phrase inside them is one word, which filters nothing.
fn words(query: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(start) = query[at..].find(|c: char| !c.is_whitespace()).map(|skip| at + skip) {
        let rest = &query[start..];
        let phrase = rest.strip_prefix('"').and_then(|inner| inner.find('"')).map(|end| end + 2);
        let length = phrase.unwrap_or_else(|| rest.find(char::is_whitespace).unwrap_or(rest.len()));
        let text = &rest[..length];
        let core = match phrase {
            Some(_) => String::new(),
            None => text
                .trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '%' | '&' | '/' | '-'))
                .trim_end_matches('.')
                .to_lowercase(),
        };
        words.push(Word { place: start..start + length, core, text });
        at = start + length;
    }
    words
}

/// The kind of files that the core of a word names, with or without a dot.
fn kind(core: &str) -> Option<FileKind> {
    FileKind::named(core.strip_prefix('.').or_else(|| core.strip_prefix("*.")).unwrap_or(core))
}

fn filter(words: &[Word<'_>], at: usize) -> Option<Filter> {
    let core = words[at].core.as_str();
    let neighbour =
        |step: isize| at.checked_add_signed(step).and_then(|at| words.get(at)).map_or("", |word| word.core.as_str());
    if let Some(kind) = kind(core) {
        let beside = |step: isize| {
            self::kind(neighbour(step)).is_some()
                || BETWEEN.contains(&neighbour(step)) && self::kind(neighbour(2 * step)).is_some()
        };
        let is_meant = core.starts_with(['.', '*'])
            || !kind.is_ambiguous
            || beside(-1)
            || beside(1)
            || FILE_WORDS.contains(&neighbour(1));
        return is_meant.then_some(Filter::Kind(kind));
    }
    let years = years(core)?;
    let before = neighbour(-1);
    // After a month or the number of a day it is part of a date.
    let is_dated = NO_YEAR_AFTER_TOO.contains(&before) || before.parse::<u32>().is_ok_and(|day| day <= 31);
    let is_other = NO_YEAR_AFTER.contains(&before) || before.ends_with('§') || NO_YEAR_BEFORE.contains(&neighbour(1));
    let has_unit = words[at].text.starts_with(['$', '€', '£', '#', '§', '+']) || words[at].text.ends_with('%');
    (!is_dated && !is_other && !has_unit).then_some(Filter::Years(years))
}

/// `2021`, `2019-2021`.
fn years(core: &str) -> Option<Vec<u32>> {
    let year = |text: &str| -> Option<u32> {
        let is_year = text.len() == 4 && (text.starts_with("19") || text.starts_with("20"));
        text.parse().ok().filter(|_| is_year && text.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if let Some(one) = year(core) {
        return Some(vec![one]);
    }
    let (first, last) = core.split_once(['-', '–'])?;
    let (first, last) = (year(first)?, year(last)?);
    (first < last && last - first <= MAX_YEARS).then(|| (first..=last).collect())
}

/// "from 2019 to 2021" and "between 2019 and 2021" mean the years between as well.
fn fill_ranges(words: &[Word<'_>], taken: &[bool], found: &mut Vec<String>) {
    for at in 0..words.len().saturating_sub(2) {
        let [first, joint, last] = &words[at..at + 3] else { continue };
        let before = at.checked_sub(1).map_or("", |before| words[before].core.as_str());
        let is_range =
            matches!(joint.core.as_str(), "to" | "-" | "–" | "through") || joint.core == "and" && before == "between";
        if !(taken[at] && taken[at + 2] && is_range) {
            continue;
        }
        if let (Ok(first), Ok(last)) = (first.core.parse::<u32>(), last.core.parse::<u32>())
            && first < last
            && last - first <= MAX_YEARS
        {
            (first..=last).for_each(|year| push(found, &year.to_string()));
            found.sort();
        }
    }
}

/// True for each word that belongs to filters: these themselves, the words that join and introduce them, and "files" after a kind.
fn around(words: &[Word<'_>], taken: &[bool]) -> Vec<bool> {
    let mut belongs = taken.to_vec();
    for at in 1..words.len().saturating_sub(1) {
        if taken[at - 1] && taken[at + 1] && BETWEEN.contains(&words[at].core.as_str()) {
            belongs[at] = true;
        }
    }
    for at in 1..words.len() {
        if taken[at - 1] && kind(&words[at - 1].core).is_some() && FILE_WORDS[..4].contains(&words[at].core.as_str()) {
            belongs[at] = true;
        }
    }
    for at in (0..words.len().saturating_sub(1)).rev() {
        if belongs[at + 1] && !belongs[at] && BEFORE.contains(&words[at].core.as_str()) {
            belongs[at] = true;
        }
    }
    belongs
}

/// The phrases in quotation marks, and the text besides.
fn phrases(text: &str) -> (Vec<String>, String) {
    let (mut phrases, mut besides) = (Vec::new(), Vec::new());
    for word in words(text) {
        match word.text.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
            Some(phrase) if phrase.contains(char::is_alphanumeric) => phrases.push(phrase.trim().to_owned()),
            _ => besides.push(&text[word.place]),
        }
    }
    (phrases, besides.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str) -> (String, Vec<String>, Vec<String>) {
        let asked = Asked::of(query, true, true).unwrap();
        (asked.text, asked.filters.exts, asked.filters.years)
    }

    #[test]
    fn the_contracts_example_comes_out_word_for_word() {
        let rewritten = rewrite("Find vendor X contracts from 2021 in ppt or docx").unwrap();
        assert_eq!(
            serde_json::to_value(&rewritten).unwrap(),
            serde_json::json!({
                "fts": "vendor NEAR/5 contract AND (2021)",
                "filters": {"exts": [".pptx", ".docx"], "years": ["2021"]},
                "notes": "NEAR/5 used to pair 'vendor' and 'contract'"
            })
        );
        assert_eq!(rewrite(&rewritten.fts).unwrap().fts, rewritten.fts);
    }

    #[test]
    fn filters_are_taken_out_of_a_query() {
        for (query, text, exts, years) in [
            (
                "contracts about vendor X from 2021 in ppt or docx",
                "contracts about vendor X",
                vec![".pptx", ".docx"],
                vec!["2021"],
            ),
            ("vendor x 2021 ppt docx", "vendor x", vec![".pptx", ".docx"], vec!["2021"]),
            ("leases between 2019 and 2021 as pdf files", "leases", vec![".pdf"], vec!["2019", "2020", "2021"]),
            ("budget 2020-2022", "budget", vec![], vec!["2020", "2021", "2022"]),
            ("notes in .md, please", "notes please", vec![".md"], vec![]),
            ("all xlsx", "all", vec![".xlsx"], vec![]),
        ] {
            let (found_text, found_exts, found_years) = asked(query);
            assert_eq!(
                (found_text.as_str(), found_exts, found_years),
                (text, exts.iter().map(|s| s.to_string()).collect(), years.iter().map(|s| s.to_string()).collect()),
                "{query}"
            );
        }
        let exts = Asked::of("decks in ppt", true, true).unwrap().exts;
        assert!(exts.contains(&"ppt".to_owned()) && exts.contains(&"pptx".to_owned()));
    }

    #[test]
    fn what_only_looks_like_a_filter_stays() {
        for query in [
            "the letter of May 5, 2021",
            "signed in May 2021",
            "since 2021 nothing",
            "a loan of $2021 or 2021 EUR",
            "section 2021 of the code",
            "a doc from the zip code 10117",
            "\"budget 2021 pdf\" approved",
            "vendor NEAR/5 contract AND (2021)",
            "invoice 20210 and 1899",
        ] {
            assert_eq!(asked(query), (query.to_owned(), vec![], vec![]), "{query}");
        }
        let given = Asked::of("vendor x 2021 ppt docx", false, false).unwrap();
        assert_eq!((given.text.as_str(), given.has_filters()), ("vendor x 2021 ppt docx", false));
    }

    #[test]
    fn rewritten_queries_can_be_searched_for() {
        for (query, fts) in [
            ("lease", "lease"),
            ("the Acme Foods lease of 2020 or 2021", "acme NEAR/5 food AND lease AND (2020 OR 2021)"),
            ("\"late payment\" interest", "interest AND \"late payment\""),
            ("pdf 2021", "(2021)"),
            ("pdf", ""),
        ] {
            assert_eq!(rewrite(query).unwrap().fts, fts, "{query}");
        }
        for wrong in ["", "  ", "…", "(a AND"] {
            assert!(rewrite(wrong).is_err(), "{wrong}");
        }
    }
}
