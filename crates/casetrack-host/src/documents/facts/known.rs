//! The facts of documents, kept with the collection, so that a program that starts need not read all documents for its first list.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::UNIX_EPOCH;

use casetrack_core::{DocumentId, Error, ErrorCode, Result};
use casetrack_nlp::Fact;
use serde::{Deserialize, Serialize};

use super::{ByVersion, CitedFact, CitedPlace, DocumentFacts};
use crate::OpenCollection;

/// The name that the store keeps them under.
const MEMO: &str = "facts";
/// They are written after this many documents were read, and after one in [`SHARE`] of all.
const FEWEST: usize = 8;
const SHARE: usize = 8;

#[derive(Default)]
pub struct Facts {
    by_version: ByVersion<DocumentFacts>,
    recalled: OnceLock<()>,
    /// Documents whose facts the store does not have.
    unkept: AtomicUsize,
}

#[derive(Serialize, Deserialize)]
struct FactsMemo {
    /// The program that found them: another one may find others.
    program: String,
    documents: Vec<KeptFacts>,
}

#[derive(Serialize, Deserialize)]
struct KeptFacts {
    document: DocumentId,
    version: u64,
    analysed: bool,
    /// Each with its place, to cite it by.
    facts: Vec<(Fact, String)>,
    #[serde(default)]
    ambiguous: Vec<(Fact, String)>,
    #[serde(default)]
    unsure: Vec<(Fact, String)>,
}

impl Facts {
    /// Reads the facts from the store, once. Unreadable facts are found again.
    pub fn recall(&self, collection: &OpenCollection) {
        self.recalled.get_or_init(|| match recalled(collection) {
            Ok(known) => self.by_version.know(known),
            Err(error) => tracing::warn!(%error, "the facts that were kept cannot be read"),
        });
    }

    pub fn of(
        &self,
        collection: &OpenCollection,
        documents: &[DocumentId],
        read: impl Fn(DocumentId) -> Result<DocumentFacts> + Sync,
    ) -> Result<Vec<(DocumentId, Arc<DocumentFacts>)>> {
        self.by_version.of(collection, documents, |document| {
            self.unkept.fetch_add(1, Ordering::Relaxed);
            read(document)
        })
    }

    /// Stores the facts, if that saves the next program much work.
    pub fn keep(&self, collection: &OpenCollection) {
        let unkept = self.unkept.load(Ordering::Relaxed);
        if unkept < FEWEST {
            return;
        }
        let known = self.by_version.known();
        let Some(program) = program().filter(|_| unkept >= known.len() / SHARE) else { return };
        self.unkept.store(0, Ordering::Relaxed);
        let placed =
            |facts: &[CitedFact]| facts.iter().map(|cited| (cited.fact.clone(), cited.place.place.clone())).collect();
        let documents = known.into_iter().map(|(document, (version, facts))| KeptFacts {
            document,
            version,
            analysed: facts.analysed,
            facts: placed(&facts.facts),
            ambiguous: placed(&facts.ambiguous),
            unsure: placed(&facts.unsure),
        });
        let kept = FactsMemo { program, documents: documents.collect() };
        let written = serde_json::to_vec(&kept).map_err(|error| Error::internal(error.to_string()));
        if let Err(error) = written.and_then(|bytes| collection.keep_memo(MEMO, &bytes)) {
            match error.code {
                ErrorCode::DiskFull => tracing::debug!(%error, "the facts of documents are not kept on a full disk"),
                _ => tracing::warn!(%error, "the facts of documents are not kept; the next start finds them again"),
            }
        }
    }
}

fn recalled(collection: &OpenCollection) -> Result<HashMap<DocumentId, (u64, Arc<DocumentFacts>)>> {
    let Some(bytes) = collection.memo(MEMO)? else { return Ok(HashMap::new()) };
    let kept: FactsMemo = serde_json::from_slice(&bytes).map_err(|error| Error::internal(error.to_string()))?;
    if program() != Some(kept.program) {
        return Ok(HashMap::new());
    }
    let cited = |(fact, place): (Fact, String)| CitedFact {
        place: CitedPlace { place, page: fact.page, char_start: fact.char_start, char_end: fact.char_end },
        fact,
    };
    let all = |facts: Vec<(Fact, String)>| facts.into_iter().map(cited).collect();
    let known =
        kept.documents.into_iter().map(|KeptFacts { document, version, analysed, facts, ambiguous, unsure }| {
            let (facts, ambiguous, unsure) = (all(facts), all(ambiguous), all(unsure));
            let facts = DocumentFacts { facts, ambiguous, unsure, analysed };
            (document, (version, Arc::new(facts)))
        });
    Ok(known.collect())
}

/// This program, as its file identifies it; `None` if the file cannot be looked at.
fn program() -> Option<String> {
    let file = std::env::current_exe().and_then(std::fs::metadata).ok()?;
    let modified = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    Some(format!("{} {} {modified}", env!("CARGO_PKG_VERSION"), file.len()))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::super::{of_documents, read};
    use super::*;
    use casetrack_conformance::samples;

    use crate::{EngineConfig, Host, OpenCollection};

    /// An empty collection.
    struct Made {
        collection: Arc<OpenCollection>,
        _dir: tempfile::TempDir,
    }

    impl Made {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let host = Host::new(EngineConfig::new(dir.path().join("home"))).unwrap();
            let meta = samples::collection_meta("Leases");
            host.store().create(&meta, &samples::models()).unwrap();
            Self { collection: host.collection(meta.id).unwrap(), _dir: dir }
        }

        fn indexed(&self, name: &str, text: &str) {
            self.collection.put_document(&samples::document(name, &[text])).unwrap();
        }
    }

    #[test]
    fn what_was_found_is_known_to_the_next_start() {
        let made = Made::new();
        for number in 0..FEWEST {
            made.indexed(&format!("{number}.txt"), &format!("Lease No. {number} is governed by the laws of Texas."));
        }
        let ids = || -> Vec<DocumentId> { made.collection.catalogue().unwrap().iter().map(|entry| entry.id).collect() };
        let described = |facts: Vec<(DocumentId, Arc<DocumentFacts>)>| format!("{facts:?}");
        let before = ids();
        let found = described(of_documents(&made.collection, &before).unwrap());
        assert!(found.contains("Texas"), "{found}");
        made.indexed("new.txt", "This lease is governed by the laws of Ohio.");

        let facts = Facts::default();
        facts.recall(&made.collection);
        let asked = Mutex::new(Vec::new());
        let of = |documents: &[DocumentId]| {
            facts.of(&made.collection, documents, |document| {
                asked.lock().unwrap().push(document);
                read(&made.collection, document)
            })
        };
        assert_eq!(described(of(&before).unwrap()), found);
        assert_eq!(*asked.lock().unwrap(), []);
        assert!(described(of(&ids()).unwrap()).contains("Ohio"));
        assert_eq!(asked.lock().unwrap().len(), 1);
    }

    #[test]
    fn what_another_program_found_is_found_again() {
        let made = Made::new();
        made.indexed("lease.txt", "This lease is governed by the laws of Texas.");
        for kept in [r#"{"program": "another", "documents": []}"#, "no JSON"] {
            made.collection.keep_memo(MEMO, kept.as_bytes()).unwrap();
            let facts = Facts::default();
            facts.recall(&made.collection);
            assert!(facts.by_version.known().is_empty());
        }
    }
}
