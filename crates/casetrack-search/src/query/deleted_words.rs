//! The words of a query with `in:deleted`.

use casetrack_core::same_text::{self, Plain, SOFT_HYPHEN};
use casetrack_core::{Error, Result};

use super::super::filter::Filters;

/// The conditions on a deleted text: all words and phrases, and no excluded one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in super::super) struct DeletedWords {
    required: Vec<Vec<String>>,
    excluded: Vec<Vec<String>>,
}

/// The words of a query with `in:deleted`, and its conditions on documents; `None` for other queries.
///
/// Errors: operators that cannot be read, and operators together with `in:deleted`.
pub(in super::super) fn in_deleted(query: &str) -> Result<Option<(DeletedWords, Filters)>> {
    let parsed = super::parse(query)?;
    if !parsed.in_deleted {
        return Ok(None);
    }
    if parsed.expression.is_some() {
        return Err(Error::invalid("in:deleted takes words and phrases, not operators.")
            .with_hint("Write it as in:deleted rent \"late payment\" -garage; all words must be there."));
    }
    let words = parsed.text.split_whitespace();
    let phrases = parsed.words.required.iter().chain(&parsed.preferred).map(String::as_str);
    let required = words.chain(phrases).map(folded).filter(|words| !words.is_empty()).collect();
    let excluded = parsed.words.excluded.iter().map(|words| folded(words)).filter(|words| !words.is_empty()).collect();
    Ok(Some((DeletedWords { required, excluded }, parsed.filters)))
}

impl DeletedWords {
    pub fn are_in(&self, text: &str) -> bool {
        let words = folded(text);
        let has = |sought: &Vec<String>| words.windows(sought.len()).any(|window| window == sought.as_slice());
        self.required.iter().all(has) && !self.excluded.iter().any(has)
    }

    /// The number of characters before the first word or phrase; 0 without one.
    pub fn first_in(&self, text: &str) -> usize {
        let (words, places): (Vec<String>, Vec<usize>) = placed(text).unzip();
        let first = |sought: &Vec<String>| words.windows(sought.len()).position(|window| window == sought.as_slice());
        self.required.iter().filter_map(first).min().and_then(|word| places.get(word).copied()).unwrap_or(0)
    }
}

/// Words without case and accents: letters and digits without the characters between them.
fn folded(text: &str) -> Vec<String> {
    placed(text).map(|(word, _)| word).collect()
}

/// Words with the number of characters before them.
fn placed(text: &str) -> impl Iterator<Item = (String, usize)> {
    let plain = Plain::of(text);
    let of_word = |c: char| c.is_alphanumeric() || same_text::continues(c) || c == SOFT_HYPHEN;
    let (mut found, mut bytes, mut chars) = (Vec::new(), 0, 0);
    for run in plain.text().split(|c: char| !of_word(c)).filter(|run| !run.is_empty()) {
        let start = run.as_ptr() as usize - plain.text().as_ptr() as usize;
        let source = plain.source(start..start + run.len()).start;
        chars += text[bytes..source].chars().count();
        bytes = source;
        found.push((same_text::unaccented(run), chars));
    }
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(query: &str, text: &str) -> bool {
        in_deleted(query).unwrap().unwrap().0.are_in(text)
    }

    #[test]
    fn all_words_and_phrases_must_be_there_whole() {
        let text = "The Tenant shall pay\nlate-payment interest of 4.2% (b).";
        for query in [
            "in:deleted",
            "in:deleted tenant interest",
            "interest in:deleted",
            "in:deleted \"late payment\"",
            "in:deleted 4.2",
        ] {
            assert!(finds(query, text), "{query}");
        }
        for query in
            ["in:deleted ten", "in:deleted tenant rent", "in:deleted \"payment late\"", "in:deleted tenant -interest"]
        {
            assert!(!finds(query, text), "{query}");
        }
        for query in
            ["in:deleted bestätigen", "in:deleted besta\u{308}tigen", "in:deleted \"O'Brien\"", "in:deleted example"]
        {
            assert!(finds(query, "Wir besta\u{308}tigen, OʼBrien: exam-\nple"), "{query}");
        }
        assert_eq!(in_deleted("in:deleted pay late").unwrap().unwrap().0.first_in(text), 17);
    }

    #[test]
    fn fields_restrict_and_operators_are_refused() {
        let (words, filters) = in_deleted("in:deleted rent document:Lease page:3").unwrap().unwrap();
        assert_eq!(
            (words.required, filters.documents, filters.pages),
            (vec![vec!["rent".to_owned()]], vec!["Lease".to_owned()], vec![casetrack_store::PageTest::Numbered(3..=3)])
        );
        assert!(in_deleted("in:deleted rent AND deposit").is_err());
        for query in ["deleted rent", "in:deletedx", "in: deleted", "+in:deleted rent"] {
            assert!(in_deleted(query).unwrap().is_none(), "{query}");
        }
    }
}
