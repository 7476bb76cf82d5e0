//! A notice for documents in languages that the collection's models were not made for.

use std::collections::BTreeMap;
use std::path::Path;

use casetrack_core::{Action, Cancel, DocumentMeta, Notice, Result, hint};
use casetrack_embed::{Embedder, Outputs};
use casetrack_extract::{ExtractOptions, language_name};

use super::IngestRequest;
use super::discover::discover;
use casetrack_host::{Host, read};

const MAX_NAMED: usize = 3;

/// The number of files that are read for the languages of the first documents, the number with a known language that is enough, and the
/// size of the largest, in bytes.
const FIRST: usize = 20;
const ENOUGH: usize = 5;
const MAX_BYTES: u64 = 8 << 20;

/// The tags of the known languages of the first documents that a request names. Reads up to 20 files.
pub(crate) fn of_first(host: &Host, request: &IngestRequest, cancel: &Cancel) -> Result<Vec<String>> {
    let config = host.config();
    let options = ExtractOptions { password: request.password.clone(), ..config.extract_options() };
    let language = |path: &Path| -> Result<Option<String>> {
        let (bytes, _) = read(path, None, config)?;
        Ok(host.readers().extract(path, &bytes, &options, cancel)?.properties.language)
    };
    let files = discover(request, config, cancel)?.files.into_iter().map(|file| file.path);
    let small = files.filter(|path| path.metadata().is_ok_and(|file| file.len() <= MAX_BYTES)).take(FIRST);
    // Ingestion reports files that cannot be read.
    let known = small.take_while(|_| !cancel.is_cancelled()).filter_map(|path| language(&path).ok().flatten());
    Ok(known.take(ENOUGH).collect())
}

#[derive(Default)]
pub(super) struct Languages {
    known: u64,
    /// By the names of the languages that the model for dense vectors does not cover.
    unknown: BTreeMap<String, u64>,
}

impl Languages {
    pub fn count(&mut self, meta: &DocumentMeta, embedder: &Embedder) {
        let Some(tag) = &meta.properties.language else { return };
        // A model without a list of languages counts as one that covers the language.
        if embedder.knows(Outputs::DENSE, tag).unwrap_or(true) {
            self.known += 1;
        } else {
            *self.unknown.entry(language_name(tag).to_owned()).or_default() += 1;
        }
    }

    pub fn notice(&self, collection: &str) -> Option<Notice> {
        let unknown: u64 = self.unknown.values().sum();
        let all = unknown + self.known;
        if unknown <= self.known {
            return None;
        }
        let mut names: Vec<(&str, u64)> = self.unknown.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        names.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let mut named: Vec<&str> = names.iter().take(MAX_NAMED).map(|(name, _)| *name).collect();
        if names.len() > MAX_NAMED {
            named.push("other languages");
        }
        let languages = match named.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => return None,
        };
        let documents = match (unknown, all) {
            (1, 1) => "The document is".to_owned(),
            (unknown, all) if unknown == all => format!("All {all} documents with a known language are"),
            (unknown, all) => format!("{unknown} of {all} documents with a known language are"),
        };
        let model = "which this collection's model for search by meaning does not know. Keyword search still works. ";
        Some(hint![
            format!("{documents} in {languages}, {model}"),
            Action::MoveToMultilingual(Some(collection.to_owned()))
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(known: u64, unknown: &[(&str, u64)]) -> Option<String> {
        let unknown = unknown.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        Languages { known, unknown }.notice("Case").map(|notice| notice.render(|_| "Move.".to_owned()))
    }

    #[test]
    fn most_documents_in_unknown_languages_are_told_with_the_most_frequent_first() {
        assert_eq!(said(0, &[]), None);
        assert_eq!(said(2, &[("German", 2)]), None);
        let one = "The document is in German, which this collection's model for search by meaning does not know. \
            Keyword search still works. Move.";
        assert_eq!(said(0, &[("German", 1)]).unwrap(), one);
        let two = said(0, &[("German", 2)]).unwrap();
        assert!(two.starts_with("All 2 documents with a known language are in German, "), "{two}");
        let many = said(3, &[("Czech", 1), ("French", 4), ("German", 9), ("Polish", 2)]).unwrap();
        assert!(many.starts_with("16 of 19 documents"), "{many}");
        assert!(many.contains("in German, French, Polish or other languages, which"), "{many}");
    }
}
