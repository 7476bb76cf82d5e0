//! Checking every invariant on disk.

mod documents;
mod evidence;
mod orphans;
mod vault_files;

use std::collections::HashMap;
use std::path::Path;

use casetrack_core::{DocumentId, DocumentMeta, Error, ErrorKind, Result};

use crate::derived_index::{DerivedIndex, Origin};
use crate::manifest::{Manifest, VectorModels};
use crate::reader::Reader;
use crate::records::DocumentRecord;
use crate::schema::{SEGMENT_BYTES, cf, parse_numbered_key, parse_text_key};
use crate::slots::SlotMap;
use crate::truth::Truth;

pub(crate) use vault_files::sealed_files;

const MAX_PROBLEMS: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyReport {
    pub checks: Vec<Check>,
}

impl VerifyReport {
    pub fn is_clean(&self) -> bool {
        self.checks.iter().all(|check| check.problems.is_empty())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Stable name, for programs.
    pub name: &'static str,
    /// The promise that is checked, in one sentence.
    pub description: &'static str,
    pub checked: u64,
    /// One sentence for each problem, naming the item.
    pub problems: Vec<String>,
}

struct Findings {
    check: Check,
    unlisted: u64,
}

impl Findings {
    fn new(name: &'static str, description: &'static str) -> Self {
        Self { check: Check { name, description, checked: 0, problems: Vec::new() }, unlisted: 0 }
    }

    fn problem(&mut self, problem: String) {
        if self.check.problems.len() < MAX_PROBLEMS { self.check.problems.push(problem) } else { self.unlisted += 1 }
    }

    fn finish(mut self) -> Check {
        if self.unlisted > 0 {
            self.check.problems.push(format!("There are {} more problems of this kind.", self.unlisted));
        }
        self.check
    }
}

/// All documents that can be read, by id.
type Documents = HashMap<DocumentId, DocumentRecord>;

/// `Contract.docx (0b6b1c1e-…)`
fn named(record: &DocumentRecord) -> String {
    format!("{} ({})", record.meta.name, record.meta.id)
}

/// True if a key of a family by document is one that this document has. `page_bytes` gives the length of a page's text,
/// `None` for a page that cannot be read.
pub(crate) fn has_key(
    meta: &DocumentMeta,
    family: &str,
    key: &[u8],
    page_bytes: impl FnOnce(u32) -> Result<Option<u32>>,
) -> Result<bool> {
    Ok(match family {
        cf::PAGE_TEXT => match parse_text_key(key) {
            Some((_, page, segment)) => page_bytes(page)?.is_some_and(|bytes| segment < bytes.div_ceil(SEGMENT_BYTES)),
            None => false,
        },
        cf::PAGES | cf::PAGE_LAYOUT => {
            parse_numbered_key(key).is_some_and(|(_, page)| (1..=meta.page_count).contains(&page))
        }
        cf::ANNOTATIONS => key.len() == 16,
        _ => parse_numbered_key(key).is_some_and(|(_, index)| index < meta.chunk_count),
    })
}

/// A damaged value is a finding; a disk that cannot be read is not.
fn damage<T>(result: Result<T>) -> Result<std::result::Result<T, Error>> {
    match result {
        Err(error) if error.kind() != ErrorKind::Corruption => Err(error),
        result => Ok(result),
    }
}

/// Reads every entry of RocksDB, and with it the checksum of every block.
pub(crate) fn rocksdb(truth: &Truth) -> Result<Check> {
    let mut findings = Findings::new("rocksdb", "Every block of RocksDB's files can be read and has its checksum.");
    match damage(Truth::read_everything(truth.path(), truth.seal()))? {
        Ok(entries) => findings.check.checked = entries,
        Err(error) => findings.problem(error.message),
    }
    Ok(findings.finish())
}

/// Compares `collection.json` with the collection that is open, and with the copy that RocksDB keeps of it.
pub(crate) fn manifest(dir: &Path, open: &Manifest, truth: &Truth) -> Result<Check> {
    let mut findings = Findings::new("manifest", "collection.json is what RocksDB keeps a copy of.");
    findings.check.checked = 1;
    for (what, found) in [
        ("collection.json", Manifest::read(dir, truth.seal()).map(Some)),
        ("RocksDB's copy of it", Manifest::kept(truth)),
    ] {
        match damage(found)? {
            Ok(Some(found)) if found == *open => {}
            Ok(_) => findings.problem(format!("{what} belongs to another collection than the one that is open.")),
            Err(error) => findings.problem(error.message),
        }
    }
    Ok(findings.finish())
}

/// Checks documents, pages, chunks, vectors and annotations: invariants 1 to 3.
pub(crate) fn documents(reader: &Reader<'_>, models: &VectorModels) -> Result<VerifyReport> {
    let mut chain = Findings::new(
        "chain",
        "Vector, chunk, page, document and source lead to each other, both ways; nothing is orphaned; the counts are right.",
    );
    let documents = documents::read_all(reader, &mut chain)?;
    let mut walk = documents::Walk::new(reader, models, chain);
    let mut in_order: Vec<&DocumentRecord> = documents.values().collect();
    in_order.sort_by(|a, b| (&a.meta.path, a.meta.id).cmp(&(&b.meta.path, b.meta.id)));
    for record in in_order {
        walk.document(record)?;
    }
    let documents::Walk {
        verbatim,
        coverage,
        vectors,
        sparse_vectors,
        token_vectors,
        annotations,
        mut chain,
        found,
        ..
    } = walk;
    orphans::check(reader, &documents, found, &mut chain)?;
    let evidence = evidence::check(reader, &documents)?;
    let checks = [verbatim, coverage, chain, vectors, sparse_vectors, token_vectors, annotations];
    let checks = checks.map(Findings::finish).into_iter().chain([evidence]);
    Ok(VerifyReport { checks: checks.collect() })
}

/// Compares a derived index with its documents.
pub(crate) fn index<I: DerivedIndex>(index: &I, origin: Origin<'_>) -> Result<Check> {
    let mut findings = Findings::new(I::CHECK.0, I::CHECK.1);
    findings.check.checked = origin.slots.chunks();
    let (applied, last) = (index.applied(), origin.state.last_seq);
    if applied != last {
        findings.problem(format!("The {} index has applied the changes up to {applied}; the last is {last}.", I::NAME));
    }
    match damage(index.check(origin.slots, origin.reader))? {
        Ok(problems) => problems.into_iter().for_each(|problem| findings.problem(problem)),
        Err(error) => findings.problem(error.message),
    }
    Ok(findings.finish())
}

/// Sentences for what an index lacks or has too much; both lists sorted.
pub(crate) fn slot_differences(index: &str, expected: &[u64], found: &[u64], slots: &SlotMap) -> Vec<String> {
    let missing =
        expected.iter().filter(|slot| found.binary_search(slot).is_err()).map(|&slot| match slots.resolve(slot) {
            Some((document, chunk)) => format!("Chunk {chunk} of document {document} is not in the {index} index."),
            None => format!("Slot {slot} is not in the {index} index."),
        });
    let surplus = found.iter().filter(|slot| expected.binary_search(slot).is_err());
    let surplus = surplus.map(|slot| format!("The {index} index holds slot {slot}, which no chunk has."));
    let twice = found.windows(2).filter(|pair| pair[0] == pair[1]);
    let twice = twice.map(|pair| format!("The {index} index holds slot {} twice.", pair[0]));
    missing.chain(surplus).chain(twice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::SlotRange;

    #[test]
    fn differences_of_an_index_are_named() {
        let document = DocumentId::from_bytes([9; 16]);
        let mut slots = SlotMap::default();
        slots.insert(SlotRange { document, first: 4, count: 3 });
        assert_eq!(slot_differences("BM25", &[4, 5, 6], &[4, 5, 6], &slots), Vec::<String>::new());
        let problems = slot_differences("BM25", &[4, 5, 6], &[1, 4, 4, 6], &slots);
        assert_eq!(
            problems,
            [
                format!("Chunk 1 of document {document} is not in the BM25 index."),
                "The BM25 index holds slot 1, which no chunk has.".to_owned(),
                "The BM25 index holds slot 4 twice.".to_owned(),
            ]
        );
    }

    #[test]
    fn a_flood_of_problems_is_counted_not_listed() {
        let mut findings = Findings::new("test", "A test.");
        (0..MAX_PROBLEMS + 7).for_each(|n| findings.problem(n.to_string()));
        let check = findings.finish();
        assert_eq!(check.problems.len(), MAX_PROBLEMS + 1);
        assert_eq!(check.problems[MAX_PROBLEMS], "There are 7 more problems of this kind.");
        assert!(!VerifyReport { checks: vec![check] }.is_clean());
    }
}
