//! Judgements of whole documents in BEIR's layout (Thakur et al. 2021): corpus.jsonl, queries.jsonl, qrels.tsv.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use casetrack_core::{DocumentId, Error, Result};
use serde::Deserialize;

use super::json_lines;

pub(super) const CORPUS: &str = "corpus.jsonl";
pub(super) const QUERIES: &str = "queries.jsonl";
pub(super) const QRELS: &str = "qrels.tsv";

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    text: String,
}

/// A query, and the grade of each judged document by the id that the corpus gives it.
pub(super) struct JudgedQuery {
    pub text: String,
    pub grades: HashMap<String, f64>,
}

impl JudgedQuery {
    /// The grades above 0.
    pub fn relevant(&self) -> Vec<f64> {
        self.grades.values().copied().filter(|grade| *grade > 0.0).collect()
    }
}

/// The entries of the corpus as files: title, empty line, text.
pub(super) struct Corpus {
    /// The ids of each file's entries: entries of the same text share a file, as the same content is one document.
    files: Vec<(PathBuf, Vec<String>)>,
    /// Entries without any text.
    pub empty: usize,
}

impl Corpus {
    /// Writes the corpus of `directory` to files in `target`, those that are there and right already left alone.
    pub fn write(directory: &Path, target: &Path) -> Result<Self> {
        std::fs::create_dir_all(target).map_err(|error| Error::io(target.display(), error))?;
        let target = target.canonicalize().map_err(|error| Error::io(target.display(), error))?;
        let mut by_text: HashMap<String, usize> = HashMap::new();
        let mut corpus = Self { files: Vec::new(), empty: 0 };
        for entry in json_lines::<Entry>(&directory.join(CORPUS))? {
            let (title, text) = (entry.title.trim(), entry.text.trim());
            let text = match (title, text) {
                ("", "") => {
                    corpus.empty += 1;
                    continue;
                }
                ("", only) | (only, "") => only.to_owned(),
                (title, text) => format!("{title}\n\n{text}"),
            };
            if let Some(&same) = by_text.get(&text) {
                corpus.files[same].1.push(entry.id);
                continue;
            }
            let path = target.join(format!("{:08}.txt", corpus.files.len() + 1));
            if std::fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
                std::fs::write(&path, &text).map_err(|error| Error::io(path.display(), error))?;
            }
            by_text.insert(text, corpus.files.len());
            corpus.files.push((path, vec![entry.id]));
        }
        if corpus.files.is_empty() {
            let message = format!("{} holds no document.", directory.join(CORPUS).display());
            return Err(Error::invalid(message).with_hint("Give one object a line: {\"_id\", \"title\", \"text\"}."));
        }
        Ok(corpus)
    }

    pub fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|(path, _)| path.clone()).collect()
    }

    /// The corpus's ids of each stored document; `documents` by path.
    pub fn ids(&self, documents: &HashMap<String, DocumentId>) -> HashMap<DocumentId, Vec<String>> {
        let known = self.files.iter().filter_map(|(path, ids)| Some((*documents.get(path.to_str()?)?, ids.clone())));
        known.collect()
    }
}

/// The queries that have a relevant document, in the order of their file.
pub(super) fn queries(directory: &Path) -> Result<Vec<JudgedQuery>> {
    let mut grades = qrels(&directory.join(QRELS))?;
    let mut queries = Vec::new();
    for entry in json_lines::<Entry>(&directory.join(QUERIES))? {
        let query = JudgedQuery { text: entry.text, grades: grades.remove(&entry.id).unwrap_or_default() };
        if !query.relevant().is_empty() {
            queries.push(query);
        }
    }
    // A judgement of a query that is not there would quietly lower what the figures stand on.
    if let Some((id, _)) = grades.iter().find(|(_, grades)| grades.values().any(|grade| *grade > 0.0)) {
        let message =
            format!("{} judges the query \"{id}\", which {QUERIES} does not have.", directory.join(QRELS).display());
        return Err(Error::invalid(message).with_hint("Take the two files from one set."));
    }
    Ok(queries)
}

/// Grades by query and document. Three columns (query, document, grade) or trec_eval's four (with an unused second one); a first
/// line whose grade is no number is the header.
fn qrels(path: &Path) -> Result<BTreeMap<String, HashMap<String, f64>>> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path.display(), error))?;
    let mut grades: BTreeMap<String, HashMap<String, f64>> = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        let parsed = match fields[..] {
            [query, document, grade] | [query, _, document, grade] => {
                grade.parse::<f64>().ok().filter(|grade| grade.is_finite()).map(|grade| (query, document, grade))
            }
            _ => None,
        };
        match parsed {
            Some((query, document, grade)) => {
                grades.entry(query.to_owned()).or_default().insert(document.to_owned(), grade);
            }
            None if number == 1 && fields.len() >= 3 => {}
            None => {
                let message = format!("Line {number} of {} is no judgement.", path.display());
                return Err(Error::invalid(message).with_hint("Give query, document and grade, separated by tabs."));
            }
        }
    }
    Ok(grades)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judgements_are_read_with_and_without_a_header() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        write(
            QUERIES,
            "{\"_id\": \"b\", \"text\": \"two\"}\n{\"_id\": \"a\", \"text\": \"one\"}\n{\"_id\": \"c\", \"text\": \"none\"}\n",
        );
        for qrels in [
            "query-id\tcorpus-id\tscore\na\td1\t2\nb\td1\t1\nb\td2\t0\nc\td1\t0\n",
            "a\t0\td1\t2\n\nb\t0\td1\t1\nb\t0\td2\t0\n",
        ] {
            write(QRELS, qrels);
            let queries = queries(dir.path()).unwrap();
            assert_eq!(queries.iter().map(|query| query.text.as_str()).collect::<Vec<_>>(), ["two", "one"]);
            assert_eq!((queries[0].grades["d2"], queries[0].relevant()), (0.0, vec![1.0]));
            assert_eq!(queries[1].grades["d1"], 2.0);
        }
        for wrong in ["a\td1\t1\na\td2\n", "a\td1\t1\nz\td1\t1\n"] {
            write(QRELS, wrong);
            assert!(queries(dir.path()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn entries_of_the_same_text_share_a_file_and_empty_ones_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        let lines = "{\"_id\": \"1\", \"title\": \"T\", \"text\": \"x\"}\n{\"_id\": \"2\", \"text\": \" \"}\n\
                     {\"_id\": \"3\", \"title\": \"T\", \"text\": \"x\"}\n{\"_id\": \"4\", \"text\": \"y\"}\n";
        std::fs::write(dir.path().join(CORPUS), lines).unwrap();
        let corpus = Corpus::write(dir.path(), &dir.path().join("files")).unwrap();
        assert_eq!((corpus.empty, corpus.paths().len()), (1, 2));
        assert_eq!(std::fs::read_to_string(&corpus.paths()[0]).unwrap(), "T\n\nx");
        let id = DocumentId::random();
        let ids = corpus.ids(&HashMap::from([(corpus.paths()[0].display().to_string(), id)]));
        assert_eq!(ids, HashMap::from([(id, vec!["1".to_owned(), "3".to_owned()])]));
    }
}
