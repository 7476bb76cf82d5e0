//! Judgements of whole documents in BEIR's layout (Thakur et al. 2021): corpus.jsonl, queries.jsonl, qrels.tsv.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use casetrack_core::{Cancel, DocumentId, Error, ProgressSink, Result};
use casetrack_engine::eval::{Evaluation, Hit, Ingested, Judgements, json_lines};
use serde::Deserialize;

use super::metrics;

pub const CORPUS: &str = "corpus.jsonl";
const QUERIES: &str = "queries.jsonl";
const QRELS: &str = "qrels.tsv";

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
struct JudgedQuery {
    text: String,
    grades: HashMap<String, f64>,
}

impl JudgedQuery {
    /// The grades above 0.
    fn relevant(&self) -> Vec<f64> {
        self.grades.values().copied().filter(|grade| *grade > 0.0).collect()
    }
}

/// The entries of the corpus as files: title, empty line, text.
struct Corpus {
    /// The ids of each file's entries: entries of the same text share a file, as the same content is one document.
    files: Vec<(PathBuf, Vec<String>)>,
    /// Entries without any text.
    empty: usize,
}

impl Corpus {
    /// Writes the corpus of `directory` to files in `target`. Files that already have the right content stay untouched.
    fn write(directory: &Path, target: &Path) -> Result<Self> {
        std::fs::create_dir_all(target).map_err(|error| Error::io(target.display(), error))?;
        let target = casetrack_core::real_path(target).map_err(|error| Error::io(target.display(), error))?;
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
            return Err(Error::invalid(message).with_hint("Give one object per line: {\"_id\", \"title\", \"text\"}."));
        }
        Ok(corpus)
    }

    fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|(path, _)| path.clone()).collect()
    }

    /// The corpus's ids of each stored document; `documents` by path.
    fn ids(&self, documents: &HashMap<String, DocumentId>) -> HashMap<DocumentId, Vec<String>> {
        let known = self.files.iter().filter_map(|(path, ids)| Some((*documents.get(path.to_str()?)?, ids.clone())));
        known.collect()
    }
}

/// Queries with the documents that answer them.
pub struct Judged {
    queries: Vec<JudgedQuery>,
    ids: HashMap<DocumentId, Vec<String>>,
}

/// Reads the judgements of `directory`, and ingests its corpus by way of files in `corpus_files`, a folder for nothing else.
pub fn read(
    evaluation: &Evaluation<'_>,
    directory: &Path,
    corpus_files: &Path,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<(Ingested, Judged)> {
    // Read first, so that a mistake in them shows before the long ingestion.
    let queries = queries(directory)?;
    let corpus = Corpus::write(directory, corpus_files)?;
    let mut ingested = evaluation.ingest(corpus.paths(), progress, cancel)?;
    if corpus.empty > 0 {
        let count = corpus.empty;
        ingested.notices.insert(0, format!("Left out entries of the corpus that have no text: {count}.").into());
    }
    let ids = corpus.ids(&ingested.documents);
    Ok((ingested, Judged { queries, ids }))
}

impl Judgements for Judged {
    fn queries(&self) -> usize {
        self.queries.len()
    }

    fn query(&self, number: usize) -> (&str, Option<DocumentId>) {
        (&self.queries[number].text, None)
    }

    fn measures(&self) -> &'static [&'static str] {
        &["nDCG@10", "recall@10", "recall@100", "MRR@10"]
    }

    fn measure(&self, number: usize, ranking: &[Hit]) -> Vec<f64> {
        let query = &self.queries[number];
        // The rank of a document is the rank of its best chunk.
        let mut seen = HashSet::new();
        let documents = ranking.iter().map(|hit| hit.document).filter(|&document| seen.insert(document));
        let ids = documents.filter_map(|document| self.ids.get(&document)).flatten();
        let gains: Vec<f64> = ids.map(|id| query.grades.get(id).copied().unwrap_or(0.0).max(0.0)).collect();
        let relevant = query.relevant();
        vec![
            metrics::ndcg(&gains, &relevant, 10),
            metrics::recall(&gains, relevant.len(), 10),
            metrics::recall(&gains, relevant.len(), 100),
            metrics::reciprocal_rank(&gains, 10),
        ]
    }
}

/// The queries that have a relevant document, in the order of their file.
fn queries(directory: &Path) -> Result<Vec<JudgedQuery>> {
    let mut grades = qrels(&directory.join(QRELS))?;
    let mut queries = Vec::new();
    for entry in json_lines::<Entry>(&directory.join(QUERIES))? {
        let query = JudgedQuery { text: entry.text, grades: grades.remove(&entry.id).unwrap_or_default() };
        if !query.relevant().is_empty() {
            queries.push(query);
        }
    }
    // A judgement of a query that is missing would leave the figures with fewer queries than the set has.
    if let Some((id, _)) = grades.iter().find(|(_, grades)| grades.values().any(|grade| *grade > 0.0)) {
        let message =
            format!("{} judges the query \"{id}\", which {QUERIES} does not have.", directory.join(QRELS).display());
        return Err(Error::invalid(message).with_hint("Take both files from the same set."));
    }
    Ok(queries)
}

/// Grades by query and document. Three columns (query, document, grade) or trec_eval's four (with an unused second one); a first
/// line whose grade is not a number is the header.
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
                let message = format!("Line {number} of {} is not a judgement.", path.display());
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
