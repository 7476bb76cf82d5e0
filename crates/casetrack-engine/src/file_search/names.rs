//! Files whose content is not in the index, found by their names.

use std::path::{Path, PathBuf};

use casetrack_catalog::{Kind, Order, Pattern, Query, Target, Time};
use casetrack_core::{Cancel, Result};
use casetrack_store::Collection;

use super::place::is_own;
use crate::host::Host;

/// Most files that are found by name.
const MAX_NAMED: usize = 200;

/// A file that was found by its name.
pub(super) struct Named {
    pub path: String,
    pub modified: Time,
}

/// What a name must have.
pub(super) struct Wanted<'a> {
    /// All of them, in lower case.
    pub words: &'a [String],
    /// One of them, without the dot; any where there are none.
    pub exts: &'a [String],
    /// One of them, where there are some.
    pub years: &'a [String],
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
    let is_denied = |path: &Path| access.check_name(path).is_err() || is_own(host, path);
    for folder in folders {
        let query = Query {
            kinds: vec![Kind::File],
            patterns: wanted.words.iter().map(|word| Pattern::contains(Target::Name, word)).collect(),
            order: Order::Path,
            limit: MAX_NAMED,
            ..Query::below(folder.clone())
        };
        for entry in catalog.find(&query, &is_denied, &Cancel::default())?.entries {
            let Some(path) = entry.path.to_str() else { continue };
            let name = entry.path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_lowercase();
            let is_hidden = |path: &Path| {
                let mut names = path.strip_prefix(folder).unwrap_or(path).components();
                names.any(|name| name.as_os_str().as_encoded_bytes().starts_with(b"."))
            };
            let has_ext = wanted.exts.is_empty()
                || wanted.exts.iter().any(|ext| name.rsplit_once('.').is_some_and(|(_, own)| own == ext));
            let has_year = wanted.years.is_empty() || wanted.years.iter().any(|year| has_number(&name, year));
            if is_hidden(&entry.path) || !has_ext || !has_year || found.iter().any(|known| known.path == path) {
                continue;
            }
            let is_document = match collection {
                Some(collection) => collection.document_by_path(path)?.is_some(),
                None => false,
            };
            if !is_document {
                found.push(Named { path: path.to_owned(), modified: entry.facts.modified });
            }
        }
    }
    found.truncate(MAX_NAMED);
    Ok(found)
}

/// Whether a text has a number that is no part of a longer one.
pub(super) fn has_number(text: &str, number: &str) -> bool {
    text.match_indices(number).any(|(at, _)| {
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        !is_digit(text[..at].chars().next_back()) && !is_digit(text[at + number.len()..].chars().next())
    })
}
