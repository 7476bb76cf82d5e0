//! Sections that a query names by number: "section 7.6" begins with this number.

use casetrack_core::{Chunk, DocumentId, Result};
use casetrack_store::{Collection, Conditions, WordConditions};

/// Most passages with a number that are read to find the beginning of a section.
const MAX_READ: u64 = 1_000;
/// Words before the number of a section.
const WORDS: [&str; 12] = [
    "section",
    "sections",
    "sec.",
    "clause",
    "clauses",
    "article",
    "articles",
    "artikel",
    "art.",
    "abschnitt",
    "paragraph",
    "para.",
];

/// Documents with the indexes of their passages.
type Places = Vec<(DocumentId, u32)>;

/// The weight of a section that begins with the number only, if another begins with the word as well: "3." and "Article 3".
const BARE: f32 = 0.5;

/// The passages at which the named sections begin, of `documents` only, if given, with their weights.
pub(super) fn sections(
    collection: &Collection,
    query: &str,
    documents: Option<&[DocumentId]>,
) -> Result<Vec<(f32, Places)>> {
    let mut found = Vec::new();
    for number in numbers(query) {
        let words = WordConditions { required: vec![number.to_owned()], ..WordConditions::default() };
        let documents = documents.map(|documents| documents.to_vec());
        let selected = collection.select(&Conditions { words, documents, ..Conditions::default() })?;
        if selected.chunks() > MAX_READ {
            continue;
        }
        let mut passages = collection.passages();
        let (mut labelled, mut bare) = (Places::new(), Places::new());
        for (document, index) in collection.places(&selected) {
            let Some(passage) = passages.at(document, index)? else { continue };
            match begins(&passage.chunk, number) {
                Some(Head::Labelled) => labelled.push((document, index)),
                Some(Head::Bare) => bare.push((document, index)),
                None => {}
            }
        }
        let weight = if labelled.is_empty() { 1.0 } else { BARE };
        found.extend([(1.0, labelled), (weight, bare)].into_iter().filter(|(_, places)| !places.is_empty()));
    }
    Ok(found)
}

/// Words before numbers in citations of several parts: those of one group mean the same, in any form.
const LABELS: [&[&str]; 11] = [
    &["§", "§§", "section", "sec", "sect", "s"],
    &["art", "artikel", "article", "artt", "artículo", "articolo"],
    &["abs", "absatz"],
    &["nr", "nummer", "ziff", "ziffer"],
    &["no", "number"],
    &["lit", "buchst", "buchstabe", "letter", "point"],
    &["satz"],
    &["al", "alinéa", "alinea"],
    &["para", "paragraph", "par"],
    &["clause", "cl"],
    &["comma", "co"],
];
/// The group whose words may be a sign, which is in no index.
const SIGN: usize = 0;
/// Most ways to write one citation that are looked up.
const MAX_WAYS: usize = 64;

/// The citations of several parts in a query, such as "Art. 5 Abs. 2 Nr. 3", each in all ways to write it: phrases for a search.
pub(super) fn citations(query: &str) -> Vec<Vec<String>> {
    let spaced = query.replace('§', " § ");
    let bare =
        |word: &str| word.trim_matches(|c: char| matches!(c, '(' | ')' | ',' | '.' | ';' | '?' | '"')).to_lowercase();
    let words: Vec<String> = spaced.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let group = |word: &String| LABELS.iter().position(|labels| labels.contains(&word.as_str()));
    let (mut found, mut parts, mut at) = (Vec::new(), Vec::new(), 0);
    loop {
        let part = match words.get(at..at + 2) {
            Some([label, number]) => group(label).filter(|_| is_number(number)).map(|group| (group, number.as_str())),
            _ => None,
        };
        match part {
            Some(part) => {
                parts.push(part);
                at += 2;
            }
            None => {
                if parts.len() > 1 {
                    found.push(ways(&parts));
                }
                parts.clear();
                at += 1;
            }
        }
        if at > words.len() {
            return found;
        }
    }
}

/// True for 5, 12a, b and iii.
fn is_number(word: &str) -> bool {
    let is_roman = || word.bytes().all(|byte| matches!(byte, b'i' | b'v' | b'x'));
    word.starts_with(|c: char| c.is_ascii_digit())
        || word.chars().count() == 1 && word.chars().all(char::is_alphabetic)
        || is_roman()
}

/// All ways to write the parts of a citation, each a group of labels and a number.
fn ways(parts: &[(usize, &str)]) -> Vec<String> {
    let mut ways = vec![String::new()];
    for (n, &(group, number)) in parts.iter().enumerate() {
        // The character before the first number may be a sign.
        let labels = if n == 0 && group == SIGN { &[""][..] } else { LABELS[group] };
        let written = |way: &String| labels.iter().map(|label| format!("{way} {label} {number}")).collect::<Vec<_>>();
        ways = ways.iter().flat_map(written).take(MAX_WAYS).collect();
    }
    ways.into_iter().map(|way| way.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The numbers that stand after a word for a section: 7, 7.6; of 7.6(b), 7.6.
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

/// The beginning of a section: "Article 3" or "3.".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Head {
    Bare,
    Labelled,
}

/// How a section of this number begins in a chunk, by a line or a heading; `None` if none does.
fn begins(chunk: &Chunk, number: &str) -> Option<Head> {
    let headings = chunk.heading_path.iter().map(String::as_str);
    chunk.text.lines().chain(headings).filter_map(|line| head(line, number)).max()
}

/// The character of a text at which a line begins a section that the query names.
pub(super) fn start_in(query: &str, text: &str) -> Option<usize> {
    let numbers = numbers(query);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if numbers.iter().any(|number| head(line, number).is_some()) {
            return Some(at + line.chars().take_while(|c| c.is_whitespace()).count());
        }
        at += line.chars().count();
    }
    None
}

fn head(line: &str, number: &str) -> Option<Head> {
    let line = line.trim_start();
    let labelled = ["section", "article", "artikel", "art.", "abschnitt", "clause", "§"].iter().find_map(|word| {
        line.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word)).map(|_| &line[word.len()..])
    });
    let rest = labelled.unwrap_or(line).trim_start().strip_prefix(number)?;
    let rest = rest.strip_prefix(".0").unwrap_or(rest);
    let rest = rest.strip_prefix(['.', ')', ':', ',']).unwrap_or(rest);
    let is_head = rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == '(');
    is_head.then_some(if labelled.is_some() { Head::Labelled } else { Head::Bare })
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
    fn a_section_that_the_query_names_starts_at_its_line() {
        let text = "7.5 If the Employer pays less.\n 7.6 If the Employer fails to pay, it pays interest.\n7.7 More.";
        assert_eq!(start_in("what does clause 7.6 say?", text), Some(32));
        assert_eq!(start_in("clause 7.8", text), None);
        assert_eq!(start_in("interest", text), None);
    }

    #[test]
    fn citations_of_several_parts_are_found_in_all_ways_to_write_them() {
        for query in ["Art. 5 Abs. 2 Nr. 3", "what does Artikel 5 Absatz 2 Nummer 3 say?", "(art 5, Abs 2, Ziffer 3)"] {
            let found = citations(query);
            assert_eq!(found.len(), 1, "{query}");
            for way in ["art 5 abs 2 nr 3", "artikel 5 absatz 2 nummer 3"] {
                assert!(found[0].iter().any(|own| own == way), "{query} {found:?}");
            }
        }
        assert!(citations("§ 573c Abs. 1 Satz 2 BGB")[0].contains(&"573c absatz 1 satz 2".to_owned()));
        assert!(citations("§7 lit. b")[0].contains(&"7 buchstabe b".to_owned()));
        for query in ["section 7.6", "5 percent of no 3 and a", "Nr. 3", "", "art of war"] {
            assert!(citations(query).is_empty(), "{query}");
        }
    }

    #[test]
    fn a_section_begins_where_a_line_begins_with_its_number() {
        for line in ["7.6 Limitation", "7.6. Limitation", "Section 7.6 Limitation", "  7.6", "7.6(a) first"] {
            assert!(head(line, "7.6").is_some(), "{line}");
        }
        for line in ["7.61 Other", "17.6 Other", "under Section 7.6", "7.6.1 Sub", "7.6% of"] {
            assert_eq!(head(line, "7.6"), None, "{line}");
        }
        assert_eq!(head("ARTICLE 7. TERM", "7"), Some(Head::Labelled));
        assert_eq!(head("7.0 TERM", "7"), Some(Head::Bare));
    }
}
