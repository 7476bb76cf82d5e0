//! The documents that a draft names: documents of the collection, and files that it does not have.

use std::collections::HashMap;
use std::ops::Range;

use casetrack_core::{DocumentId, FileFormat, same_text};
use casetrack_store::CatalogueEntry;

/// Shorter names of documents, in letters and digits, are taken for words.
const MIN_NAME: usize = 4;
/// Words of a name that is not in the collection.
const MAX_WORDS: usize = 8;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mention {
    /// Bytes of the draft.
    pub place: Range<usize>,
    pub who: Who,
    /// The name of the document; of one that is not in the collection, as it is written.
    pub name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    Document(DocumentId),
    /// Several documents have the name: which is meant is not known.
    Several,
    /// No document has the name of a file.
    MissingFile,
    /// No document has the text at the place of a document's name; the document may be called otherwise there.
    Unnamed,
}

/// The names of documents, with and without their extensions.
pub(super) struct Names {
    documents: Vec<(DocumentId, String)>,
    /// Names in words, and the documents that have them, by their first word.
    by_first: HashMap<String, Vec<(Vec<String>, usize)>>,
}

struct Word {
    place: Range<usize>,
    folded: String,
}

/// Runs of letters and digits, without case and accents.
fn words(text: &str) -> Vec<Word> {
    let mut places: Vec<Range<usize>> = Vec::new();
    let of_word = |c: char| c.is_alphanumeric() || same_text::continues(c);
    for (at, c) in text.char_indices().filter(|(_, c)| of_word(*c)) {
        let end = at + c.len_utf8();
        match places.last_mut() {
            Some(last) if last.end == at => last.end = end,
            _ => places.push(at..end),
        }
    }
    let word = |place: Range<usize>| Word { folded: same_text::unaccented(&text[place.clone()]), place };
    places.into_iter().map(word).collect()
}

impl Names {
    pub fn of_entries<'e>(entries: impl Iterator<Item = &'e CatalogueEntry>) -> Self {
        Self::new(entries.map(|entry| (entry.id, entry.name.clone())).collect())
    }

    pub fn new(documents: Vec<(DocumentId, String)>) -> Self {
        let mut by_first: HashMap<String, Vec<(Vec<String>, usize)>> = HashMap::new();
        for (at, (_, name)) in documents.iter().enumerate() {
            let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
            let mut known = Vec::new();
            for name in [name.as_str(), stem] {
                let words: Vec<String> = words(name).into_iter().map(|word| word.folded).collect();
                let length: usize = words.iter().map(|word| word.chars().count()).sum();
                if length >= MIN_NAME && !known.contains(&words) {
                    by_first.entry(words[0].clone()).or_default().push((words.clone(), at));
                    known.push(words);
                }
            }
        }
        Self { documents, by_first }
    }

    /// The mentions in a draft, in order. A name that is part of a longer name there does not count.
    pub fn mentions(&self, draft: &str) -> Vec<Mention> {
        let words = words(draft);
        let mut found: Vec<Mention> = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let (length, mention) = match self.known(draft, &words, at) {
                Some((length, mention)) => (length, Some(mention)),
                None => (1, None),
            };
            let mention = mention.or_else(|| missing_file(draft, &words, at)).or_else(|| unnamed(draft, &words, at));
            if let Some(mention) = mention {
                // The words before a file extension do not count on their own.
                found.retain(|before| before.place.end <= mention.place.start);
                found.push(mention);
            }
            at += length;
        }
        found
    }

    /// The longest name that begins at a word, with the number of its words.
    fn known(&self, draft: &str, words: &[Word], at: usize) -> Option<(usize, Mention)> {
        let begins = |name: &[String]| {
            let here = words.get(at..at + name.len());
            here.is_some_and(|here| {
                here.iter().zip(name).all(|(word, part)| word.folded == *part)
                    && here.windows(2).all(|two| is_joined(&draft[two[0].place.end..two[1].place.start]))
            })
        };
        let names = self.by_first.get(&words.get(at)?.folded)?;
        let fitting: Vec<&(Vec<String>, usize)> = names.iter().filter(|(name, _)| begins(name)).collect();
        let length = fitting.iter().map(|(name, _)| name.len()).max()?;
        let mut longest = fitting.iter().filter(|(name, _)| name.len() == length).map(|(_, document)| *document);
        let (id, name) = self.documents.get(longest.next()?)?;
        let who = if longest.next().is_some() { Who::Several } else { Who::Document(*id) };
        let place = words[at].place.start..words[at + length - 1].place.end;
        Some((length, Mention { place, who, name: name.clone() }))
    }
}

/// True if the words of a name may have this between them: no line is left out, and no sentence ends.
fn is_joined(between: &str) -> bool {
    between.chars().count() <= 4 && !between.contains("\n\n") && !between.contains(". ")
}

/// The name of a file that ends with the word `at`: "Sublease.pdf".
fn missing_file(draft: &str, words: &[Word], at: usize) -> Option<Mention> {
    let (extension, stem) = (&words[at], words.get(at.checked_sub(1)?)?);
    FileFormat::from_extension(&extension.folded)?;
    if &draft[stem.place.end..extension.place.start] != "." {
        return None;
    }
    // Words before it that are written as parts of a name belong to it.
    let is_name = |word: &Word| {
        draft[word.place.clone()].starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
            && !matches!(&*word.folded, "see" | "in" | "the" | "and" | "per" | "under" | "also" | "cf" | "of")
    };
    let mut first = at - 1;
    while first > 0
        && at - first < MAX_WORDS
        && is_name(&words[first - 1])
        && matches!(&draft[words[first - 1].place.end..words[first].place.start], " " | "_" | "-" | " - " | ".")
    {
        first -= 1;
    }
    // Without spaces, the whole text is one name, regardless of its letters.
    while first > 0 && matches!(&draft[words[first - 1].place.end..words[first].place.start], "_" | "-" | ".") {
        first -= 1;
    }
    let place = words[first].place.start..extension.place.end;
    Some(Mention { name: draft[place.clone()].to_owned(), place, who: Who::MissingFile })
}

/// The text in brackets at the place of the name in citations: "(Sublease, p. 4)".
fn unnamed(draft: &str, words: &[Word], at: usize) -> Option<Mention> {
    const OTHERS: [&str; 24] = [
        "id",
        "ibid",
        "see",
        "section",
        "sec",
        "clause",
        "article",
        "art",
        "paragraph",
        "para",
        "schedule",
        "exhibit",
        "annex",
        "appendix",
        "page",
        "bates",
        "emphasis",
        "chapter",
        "part",
        "supra",
        "note",
        "tab",
        "vol",
        "v",
    ];
    let first = &words[at];
    if !draft[..first.place.start].ends_with(['(', '[']) || !draft[first.place.clone()].starts_with(char::is_uppercase)
    {
        return None;
    }
    let end = words[at..].iter().take(MAX_WORDS).find(|word| draft[word.place.end..].starts_with(", "))?.place.end;
    let rest = draft[end + 2..].trim_start();
    let place = first.place.start..end;
    let is_name = ["p. ", "pp. ", "page ", "pages "].iter().any(|label| rest.starts_with(label))
        && !draft[place.clone()].contains(['(', ')', '[', ']', '\n', '“', '"'])
        && !words[at..].iter().take_while(|word| word.place.end <= end).any(|word| OTHERS.contains(&&*word.folded));
    is_name.then(|| Mention { name: draft[place.clone()].to_owned(), place, who: Who::Unnamed })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentioned(draft: &str) -> Vec<(Who, String)> {
        let names = ["Lease.docx", "Lease Amendment.docx", "Vendor_Agreement.pdf", "a/Plan.pdf", "b/Plan.pdf"];
        let id = |at: usize| DocumentId::from_bytes([at as u8; 16]);
        let of = |(at, name): (usize, &&str)| (id(at), name.trim_start_matches(['a', 'b', '/']).to_owned());
        let names = Names::new(names.iter().enumerate().map(of).collect());
        names.mentions(draft).into_iter().map(|mention| (mention.who, mention.name)).collect()
    }

    #[test]
    fn the_longest_names_are_found_and_files_that_are_missing() {
        let known = |at: u8, name: &str| (Who::Document(DocumentId::from_bytes([at; 16])), name.to_owned());
        let missing = |name: &str| (Who::MissingFile, name.to_owned());
        for (draft, expected) in [
            ("the lease, p. 3", vec![known(0, "Lease.docx")]),
            ("See Lease Amendment and Lease.docx", vec![known(1, "Lease Amendment.docx"), known(0, "Lease.docx")]),
            ("Vendor Agreement (page 12)", vec![known(2, "Vendor_Agreement.pdf")]),
            ("See Sublease.pdf, p. 4", vec![missing("Sublease.pdf")]),
            ("See Office Lease_2010-v2.PDF, p. 4", vec![missing("Office Lease_2010-v2.PDF")]),
            ("“the rent” (Office Sublease, p. 4)", vec![(Who::Unnamed, "Office Sublease".to_owned())]),
            ("(Plan.pdf, p. 4)", vec![(Who::Several, "Plan.pdf".to_owned())]),
            ("(Section 4, p. 3); (See id., p. 4); the rent (less tax, p. 2); no file. Doc", vec![]),
        ] {
            assert_eq!(mentioned(draft), expected, "{draft}");
        }
    }
}
