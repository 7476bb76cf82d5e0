//! Sections that a query names by number: "section 7.6" begins with this number.

use casetrack_core::{Chunk, DocumentId, Result};
use casetrack_store::{Collection, Conditions, WordConditions};

/// Most passages with a number that are read to find the beginning of a section.
const MAX_READ: u64 = 1_000;
/// Words before the number of a section.
const WORDS: [&str; 10] =
    ["section", "sections", "sec.", "clause", "clauses", "article", "articles", "art.", "paragraph", "para."];

/// The passages at which the named sections begin, of `documents` only, if given.
pub(super) fn sections(
    collection: &Collection,
    query: &str,
    documents: Option<&[DocumentId]>,
) -> Result<Vec<Vec<(DocumentId, u32)>>> {
    let mut found = Vec::new();
    for number in numbers(query) {
        let words = WordConditions { required: vec![number.to_owned()], ..WordConditions::default() };
        let documents = documents.map(|documents| documents.to_vec());
        let selected = collection.select(&Conditions { words, documents, ..Conditions::default() })?;
        if selected.chunks() > MAX_READ {
            continue;
        }
        let mut passages = collection.passages();
        let mut beginning = Vec::new();
        for (document, index) in collection.places(&selected) {
            if let Some(passage) = passages.at(document, index)?
                && begins(&passage.chunk, number)
            {
                beginning.push((document, index));
            }
        }
        if !beginning.is_empty() {
            found.push(beginning);
        }
    }
    Ok(found)
}

/// The numbers after a word for a section: 7, 7.6; of 7.6(b), 7.6.
fn numbers(query: &str) -> Vec<&str> {
    let mut words = query.split_whitespace().peekable();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        let name = word.trim_matches(['(', ',', '"']).to_lowercase();
        let number = match word.trim_start_matches('(').strip_prefix('§') {
            Some(rest) => Some(rest.trim_start_matches('§')).filter(|rest| !rest.is_empty()).or(words.peek().copied()),
            None if WORDS.contains(&name.as_str()) => words.peek().copied(),
            None => None,
        };
        let digits = number.map_or("", |number| {
            let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
            number[..end].trim_matches('.')
        });
        if !digits.is_empty() {
            found.push(digits);
        }
    }
    found
}

/// True if a section of this number begins in a chunk: a line or a heading begins with it.
fn begins(chunk: &Chunk, number: &str) -> bool {
    let headings = chunk.heading_path.iter().map(String::as_str);
    chunk.text.lines().chain(headings).any(|line| is_headed(line, number))
}

fn is_headed(line: &str, number: &str) -> bool {
    let line = line.trim_start();
    let line = ["section", "article", "clause", "§"]
        .iter()
        .find_map(|word| {
            line.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word)).map(|_| &line[word.len()..])
        })
        .unwrap_or(line);
    let Some(rest) = line.trim_start().strip_prefix(number) else { return false };
    let rest = rest.strip_prefix(".0").unwrap_or(rest);
    let rest = rest.strip_prefix(['.', ')', ':', ',']).unwrap_or(rest);
    rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == '(')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_after_a_word_for_sections_are_found() {
        assert_eq!(numbers("what does section 7.6 say of Clause 12(b) and § 3 or §§4.1?"), ["7.6", "12", "3", "4.1"]);
        assert_eq!(numbers("7.6 percent of intersection 4"), Vec::<&str>::new());
    }

    #[test]
    fn a_section_begins_where_a_line_begins_with_its_number() {
        for line in ["7.6 Limitation", "7.6. Limitation", "Section 7.6 Limitation", "  7.6", "7.6(a) first"] {
            assert!(is_headed(line, "7.6"), "{line}");
        }
        for line in ["7.61 Other", "17.6 Other", "under Section 7.6", "7.6.1 Sub", "7.6% of"] {
            assert!(!is_headed(line, "7.6"), "{line}");
        }
        assert!(is_headed("ARTICLE 7. TERM", "7"));
        assert!(is_headed("7.0 TERM", "7"));
    }
}
