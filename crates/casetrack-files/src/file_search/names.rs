//! Files whose content is not in the index, found by their names.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use casetrack_catalog::{Kind, Order, Pattern, Query, Target, Time};
use casetrack_core::{Cancel, Result};
use casetrack_store::{CatalogueEntry, Collection};

use super::place::is_own;
use casetrack_host::Host;

/// Most files that are found by name.
pub(super) const MAX_NAMED: usize = 200;

/// The score of a file that was found by its name: it has all words, but nothing is known of its content.
pub(super) const NAME_SCORE: f32 = 0.5;

pub(super) struct Named {
    pub path: String,
    pub modified: Time,
    pub score: f32,
}

/// Documents in the order of their paths.
type Entries = Arc<[Arc<CatalogueEntry>]>;

pub(super) struct Wanted<'a> {
    /// All of them, in lower case.
    pub words: &'a [String],
    /// One of them, without the dot; any if there are none.
    pub exts: &'a [String],
    /// One of them, if there are some.
    pub years: &'a [String],
    /// No others than these paths.
    pub among: Option<&'a HashSet<String>>,
}

impl Wanted<'_> {
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

/// The files below `folders` that are no documents of the collection and have all words in their names, in the order of their paths. They
/// are those that were there when their folder was indexed, and still are.
pub(super) fn find(
    host: &Host,
    collection: Option<&Collection>,
    folders: &[PathBuf],
    wanted: &Wanted<'_>,
) -> Result<Vec<Named>> {
    let mut found: Vec<Named> = Vec::new();
    if wanted.words.is_empty() {
        return Ok(found);
    }
    let catalog = host.catalog()?;
    let access = &host.config().access;
    let documents = collection.map(|collection| collection.catalogue()).transpose()?;
    let is_document = |path: &str| {
        let at = |documents: &Entries| documents.binary_search_by(|document| document.path.as_str().cmp(path)).is_ok();
        documents.as_ref().is_some_and(at)
    };
    for folder in folders {
        let query = Query {
            kinds: vec![Kind::File],
            patterns: wanted.words.iter().map(|word| Pattern::contains(Target::Name, word)).collect(),
            order: Order::Path,
            limit: MAX_NAMED,
            ..Query::below(folder.clone())
        };
        // The limit counts the remaining files, so that no file is lost behind others that do not match.
        let is_left_out = |path: &Path| {
            let is_wanted = !is_hidden(path.strip_prefix(folder).unwrap_or(path)) && wanted.is_met_by(path);
            let is_left = |path: &str| wanted.among.is_none_or(|among| among.contains(path)) && !is_document(path);
            !is_wanted || !path.to_str().is_some_and(is_left) || access.check_name(path).is_err() || is_own(host, path)
        };
        for entry in catalog.find(&query, &is_left_out, &Cancel::default())?.entries {
            let Some(path) = entry.path.to_str() else { continue };
            if !found.iter().any(|known| known.path == path) {
                found.push(Named { path: path.to_owned(), modified: entry.facts.modified, score: NAME_SCORE });
            }
        }
    }
    found.truncate(MAX_NAMED);
    Ok(found)
}

/// True if a text has a number that is no part of a longer one.
pub(super) fn has_number(text: &str, number: &str) -> bool {
    text.match_indices(number).any(|(at, _)| {
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        !is_digit(text[..at].chars().next_back()) && !is_digit(text[at + number.len()..].chars().next())
    })
}
