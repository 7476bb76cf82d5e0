//! Files that are found by their names, whether or not the index has their content.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use casetrack_catalog::{Kind, Order, Pattern, Query, Target, Time};
use casetrack_core::{Cancel, Result, same_text};
use casetrack_store::{CatalogueEntry, Collection};

use super::place::is_own;
use casetrack_host::Host;

/// Most files that are found by name.
pub(super) const MAX_NAMED: usize = 200;

/// The score of a file whose name has all words: in the middle of the scores of files that are found by their content.
pub(super) const NAME_SCORE: f32 = (LEAST_SCORE + 1.0) / 2.0;
/// The score of the weakest file that is found by its content. A file without a reason is no answer.
pub(super) const LEAST_SCORE: f32 = 0.1;
/// Longest query that can be the name of a file, in bytes.
const LONGEST_NAME: usize = 1024;
/// Shortest word that may be the beginning of a longer word in a name, in characters.
const SHORTEST_BEGINNING: usize = 3;

pub(super) struct Named {
    pub path: String,
    pub modified: Time,
    pub score: f32,
    /// True if the index has the content of the file.
    pub is_indexed: bool,
}

/// Documents in the order of their paths.
type Entries = Arc<[Arc<CatalogueEntry>]>;

pub(super) struct NameQuery<'a> {
    /// The whole query: files of this name come first. Empty if there is none.
    pub name: &'a str,
    /// All of them, in lower case.
    pub words: &'a [String],
    /// One of them, without the dot; any if there are none.
    pub exts: &'a [String],
    /// One of them, if there are some.
    pub years: &'a [String],
    /// No others than these paths.
    pub among: Option<&'a HashSet<String>>,
}

impl NameQuery<'_> {
    /// True if a file has one of the extensions and years; the catalogue checks its words.
    fn is_met_by(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_lowercase();
        let has = |ext: &String| name.rsplit_once('.').is_some_and(|(_, own)| own == ext);
        (self.exts.is_empty() || self.exts.iter().any(has))
            && (self.years.is_empty() || self.years.iter().any(|year| has_number(&name, year)))
    }
}

fn is_hidden(relative: &Path) -> bool {
    relative.components().any(|name| name.as_os_str().as_encoded_bytes().starts_with(b"."))
}

fn name_of(path: &str) -> &str {
    path.rsplit(std::path::MAIN_SEPARATOR).next().unwrap_or(path)
}

/// True if a file has a name, with or without its extension.
pub(super) fn is_called(path: &str, name: &str) -> bool {
    let own = name_of(path);
    let is_stem = || own.rsplit_once('.').is_some_and(|(stem, _)| same_text::is_same(stem, name));
    !name.is_empty() && name.len() <= LONGEST_NAME && (same_text::is_same(own, name) || is_stem())
}

/// True if a name has all words as words of its own or as beginnings of words. A word inside another, such as "rent" in "current", does not
/// put a file before files that contain the word.
fn has_words(path: &str, words: &[String]) -> bool {
    let spellings = same_text::spellings(name_of(path));
    let parts: Vec<&str> = spellings.iter().flat_map(|name| name.split(|c: char| !c.is_alphanumeric())).collect();
    let has = |word: &String| {
        let may_begin = word.chars().count() >= SHORTEST_BEGINNING;
        parts.iter().any(|part| part == word || may_begin && part.starts_with(word.as_str()))
    };
    words.iter().all(|word| same_text::spellings(word).iter().any(has))
}

/// The files below `folders` whose names are the wanted one, and then the files that have all words in their names, each in the order of
/// their paths. They are those that were there when their folder was indexed, and still are.
pub(super) fn find(
    host: &Host,
    collection: Option<&Collection>,
    folders: &[PathBuf],
    wanted: &NameQuery<'_>,
) -> Result<Vec<Named>> {
    let documents = collection.map(|collection| collection.catalogue()).transpose()?;
    let names = Names { host, documents, wanted };
    let mut found: Vec<Named> = Vec::new();
    if !wanted.name.is_empty() && wanted.name.len() <= LONGEST_NAME {
        let patterns = [Pattern::contains(Target::Name, wanted.name)];
        for folder in folders {
            names.add(&mut found, folder, &patterns, &|path| is_called(path, wanted.name))?;
        }
    }
    if !wanted.words.is_empty() {
        let patterns: Vec<Pattern> = wanted.words.iter().map(|word| Pattern::contains(Target::Name, word)).collect();
        let is_answer = |path: &str| !names.is_document(path) || has_words(path, wanted.words);
        for folder in folders {
            names.add(&mut found, folder, &patterns, &is_answer)?;
        }
    }
    found.truncate(MAX_NAMED);
    Ok(found)
}

struct Names<'a> {
    host: &'a Host,
    documents: Option<Entries>,
    wanted: &'a NameQuery<'a>,
}

impl Names<'_> {
    fn is_document(&self, path: &str) -> bool {
        let at = |documents: &Entries| documents.binary_search_by(|document| document.path.as_str().cmp(path)).is_ok();
        self.documents.as_ref().is_some_and(at)
    }

    /// Adds the files below a folder that have all patterns in their names and are answers.
    fn add(
        &self,
        found: &mut Vec<Named>,
        folder: &Path,
        patterns: &[Pattern],
        is_answer: &dyn Fn(&str) -> bool,
    ) -> Result<()> {
        let Self { host, wanted, .. } = self;
        let query = Query {
            kinds: vec![Kind::File],
            patterns: patterns.to_vec(),
            order: Order::Path,
            limit: MAX_NAMED,
            ..Query::below(folder.to_owned())
        };
        let access = &host.config().access;
        // The limit counts the remaining files, so that no file is lost behind others that do not match.
        let is_left_out = |path: &Path| {
            let is_wanted = !is_hidden(path.strip_prefix(folder).unwrap_or(path)) && wanted.is_met_by(path);
            let is_left = |path: &str| wanted.among.is_none_or(|among| among.contains(path)) && is_answer(path);
            !is_wanted || !path.to_str().is_some_and(is_left) || access.check_name(path).is_err() || is_own(host, path)
        };
        for entry in host.catalog()?.find(&query, &is_left_out, &Cancel::default())?.entries {
            let Some(path) = entry.path.to_str() else { continue };
            if !found.iter().any(|known| known.path == path) {
                let (path, is_indexed) = (path.to_owned(), self.is_document(path));
                found.push(Named { path, modified: entry.facts.modified, score: NAME_SCORE, is_indexed });
            }
        }
        Ok(())
    }
}

/// True if a text has a number that is no part of a longer one.
pub(super) fn has_number(text: &str, number: &str) -> bool {
    text.match_indices(number).any(|(at, _)| {
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        !is_digit(text[..at].chars().next_back()) && !is_digit(text[at + number.len()..].chars().next())
    })
}
