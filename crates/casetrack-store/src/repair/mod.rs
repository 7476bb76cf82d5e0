//! Repairing a damaged collection: keep every document that is whole, name the others, delete nothing.
//!
//! 1. RocksDB. If it opens and every block of it can be read, data that breaks an invariant is moved out of it ([`mend`]). Else
//!    a new one is made of the documents that can be read whole ([`salvage`]), and the damaged one is moved away as it is.
//! 2. `collection.json` is made again from the copy in RocksDB if it is damaged or missing.
//! 3. Originals that differ from the ingested files, or belong to no document, are moved away.
//! 4. The derived indexes are made again if they do not fit.
//!
//! Everything that is moved away goes to `quarantine/<time>/`, with a `report.json`. A repair that is killed leaves the
//! old state, or one from which the next repair continues.

mod mend;
mod quarantine;
mod salvage;

use std::path::{Path, PathBuf};

use casetrack_core::{
    CollectionMeta, CollectionStatus, CollectionType, DocumentId, DocumentMeta, Error, ErrorCode, ErrorKind, Result,
    Timestamp,
};
use casetrack_vault::key::VaultKey;
use serde::Serialize;

use crate::codec::encode_json;
use crate::collection::{LocalCollection, ORIGINALS};
use crate::error::corrupt;
use crate::indexes::Indexes;
use crate::lock::OwnerLock;
use crate::manifest::{Manifest, VectorModels};
use crate::reader::Reader;
use crate::records::{DocumentRecord, Identity, State};
use crate::roles::{DescribeCollection, MaintainCollection};
use crate::schema::{SCHEMA_VERSION, cf};
use crate::seal::Seal;
use crate::slots::SlotMap;
use crate::truth::{Truth, truth_dir};
use crate::write::StoredDocument;
use crate::{fs, load, originals, vault};

pub(crate) use self::quarantine::OWN as QUARANTINE_OWN;
use self::quarantine::Quarantine;

/// Advice if changes may be lost that left no trace.
const INGEST_AGAIN: &str = "The newest changes may be lost. Ingest the same folders again: files that are there already are \
     skipped, those that are missing are read.";

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct RepairReport {
    pub found: Vec<String>,
    pub done: Vec<String>,
    /// Documents that are no longer in the collection.
    pub lost: Vec<LostDocument>,
    /// The place of everything that was taken out; `None` if nothing was.
    pub quarantine: Option<PathBuf>,
    /// Documents in the collection now.
    pub documents: u64,
    /// Problems that `verify` still finds.
    pub problems: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LostDocument {
    pub id: DocumentId,
    /// `None` if its record cannot be read.
    pub name: Option<String>,
    pub path: Option<String>,
    pub reason: String,
}

impl LostDocument {
    fn known(meta: &DocumentMeta, reason: &Error) -> Self {
        let (name, path) = (Some(meta.name.clone()), Some(meta.path.clone()));
        Self { id: meta.id, name, path, reason: in_full(reason) }
    }

    fn unknown(id: DocumentId, reason: impl Into<String>) -> Self {
        Self { id, name: None, path: None, reason: reason.into() }
    }
}

/// RocksDB's own words name places in a copy that is gone when they are read.
fn in_full(reason: &Error) -> String {
    let mismatch = reason.message.starts_with("RocksDB at") && reason.message.contains("Corruption");
    if mismatch { "A part of it is in a damaged block of RocksDB.".to_owned() } else { reason.message.clone() }
}

struct Repair<'d> {
    dir: &'d Path,
    seal: Seal,
    quarantine: Quarantine,
    report: RepairReport,
    /// Documents whose annotations are damaged.
    bad_annotations: u64,
}

impl LocalCollection {
    /// Repairs the collection in `dir`, which need not open. Reads everything, and rebuilds the derived indexes if need
    /// be. Errors: [`ErrorCode::InUse`] while it is open; [`ErrorCode::NewerSchema`]; [`ErrorCode::Corrupt`] if nothing
    /// is left to mend; [`ErrorCode::Locked`] for a vault; [`ErrorCode::DiskFull`] and others of the machine, after
    /// which it can be run again.
    pub fn repair(dir: &Path) -> Result<RepairReport> {
        if vault::is_one(dir) {
            return Err(vault::locked_at(dir));
        }
        Self::repair_with(dir, Seal::default())
    }

    /// As [`repair`](Self::repair), for a vault whose key is given. What goes to quarantine is sealed.
    pub fn repair_vault(dir: &Path, key: &VaultKey) -> Result<RepairReport> {
        Self::repair_with(dir, Seal::with(key)?)
    }

    pub(crate) fn repair_with(dir: &Path, seal: Seal) -> Result<RepairReport> {
        let owner = OwnerLock::acquire(dir)?;
        let quarantine = Quarantine::new(dir, seal.clone());
        let mut repair = Repair { dir, seal, quarantine, report: RepairReport::default(), bad_annotations: 0 };
        repair.salvage_interrupted()?;
        let manifest = repair.read_manifest()?;
        let manifest = repair.truth(manifest)?;
        repair.originals(&manifest)?;
        drop(owner);
        repair.indexes()?;
        let Repair { mut report, quarantine, .. } = repair;
        report.quarantine = quarantine.dir();
        quarantine.write_report(&report)?;
        Ok(report)
    }

    /// The name of the collection in `dir` by the copy that RocksDB keeps of it, for one whose `collection.json` is damaged.
    pub(crate) fn name_in_truth(dir: &Path, seal: &Seal) -> Option<String> {
        let truth = Truth::open_read_only(&truth_dir(dir), seal).ok()?;
        Some(Manifest::kept(&truth).ok()??.collection.name)
    }
}

impl Repair<'_> {
    fn found(&mut self, what: impl Into<String>) {
        self.report.found.push(what.into());
    }

    fn done(&mut self, what: impl Into<String>) {
        self.report.done.push(what.into());
    }

    /// A document whose learned-sparse vectors are gone is kept, and reported.
    fn note_missing_sparse_vectors(&mut self, missing: u64) {
        if missing > 0 {
            self.found(format!("The learned-sparse vectors of {missing} chunks are missing."));
            self.done(
                "Documents without learned-sparse vectors were kept: the other searches find them. To get the vectors again, \
                 ingest their files with --force.",
            );
        }
    }

    /// The same for token vectors, by the counters before and after.
    fn note_missing_token_vectors(&mut self, identity: &Identity, before: Option<&State>, after: &State) {
        let had = before.map_or(0, |state| state.token_chunks);
        let missing = had.saturating_sub(after.token_chunks).min(after.chunks.saturating_sub(after.token_chunks));
        if identity.token_model.is_some() && missing > 0 {
            self.found(format!("The token vectors of {missing} chunks are missing."));
            self.done("Documents without them were kept. To get them again, ingest their files with --force.");
        }
    }

    /// Reads a document that is to be kept. Annotations can be found again, so damaged ones are dropped and reported.
    fn load(&mut self, reader: &Reader<'_>, record: &DocumentRecord, identity: &Identity) -> Result<StoredDocument> {
        let mut document = load::without_annotations(reader, record, identity)?;
        match load::annotations(reader, &document) {
            Ok(annotations) => document.annotations = annotations,
            Err(error) if error.kind() == ErrorKind::Environment && error.code != ErrorCode::FileNotFound => {
                return Err(error);
            }
            Err(error) => {
                self.found(format!("The annotations of {} are damaged: {}", record.meta.path, in_full(&error)));
                self.bad_annotations += 1;
            }
        }
        Ok(document)
    }

    /// `before` holds the counts of the damaged collection, if they can be read; `kept` counts the documents that stay.
    fn note_missing_annotations(&mut self, before: Option<&State>, kept: &State) {
        let had = before.map_or(u64::MAX, |state| state.annotated_documents);
        let without = kept.documents - kept.annotated_documents;
        let missing = without.min(had.saturating_sub(kept.annotated_documents));
        if missing > self.bad_annotations {
            self.found(format!("The annotations of {} documents are gone.", missing - self.bad_annotations));
        }
        if missing > 0 || self.bad_annotations > 0 {
            self.done(
                "Documents without annotations were kept: every search finds them. To get the annotations again, ingest their \
                 files with --force.",
            );
        }
    }

    fn read_manifest(&mut self) -> Result<Option<Manifest>> {
        match Manifest::read(self.dir, &self.seal) {
            Ok(manifest) => Ok(Some(manifest)),
            Err(error) => {
                match error.code {
                    ErrorCode::NotFound => self.found("collection.json is missing."),
                    ErrorCode::Corrupt => self.found(error.message),
                    _ => return Err(error),
                }
                Ok(None)
            }
        }
    }

    /// Mends RocksDB, and `collection.json` from it or vice versa.
    fn truth(&mut self, manifest: Option<Manifest>) -> Result<Manifest> {
        let opened = Truth::open(&truth_dir(self.dir), &self.seal);
        match opened.and_then(|truth| Truth::read_everything(truth.path(), &self.seal).map(|_| truth)) {
            Ok(truth) => {
                let manifest = self.settle_manifest(manifest, &truth)?;
                self.mend(&truth, &manifest)?;
                truth.flush_all()?;
                Ok(manifest)
            }
            Err(error) if error.code == ErrorCode::Corrupt => {
                self.found(error.message);
                self.salvage(manifest)
            }
            Err(error) => Err(error),
        }
    }

    /// The manifest, from `collection.json` or the copy in RocksDB; written if it was missing.
    fn settle_manifest(&mut self, manifest: Option<Manifest>, truth: &Truth) -> Result<Manifest> {
        let identity = truth.identity().ok();
        if let Some(manifest) = manifest {
            let kept = Manifest::kept(truth).ok().flatten();
            if let Some(identity) = identity.filter(|identity| *identity != manifest.identity()) {
                // RocksDB has checksums: if it is the right one, collection.json is the damaged part.
                let named = self.dir.file_name().is_some_and(|name| *name == *identity.collection.to_string());
                let ours = named || manifest.collection.id == identity.collection;
                if let Some(kept) = kept.filter(|kept| ours && kept.identity() == identity) {
                    self.found("collection.json does not fit the documents.");
                    return self.rewrite_manifest(kept);
                }
                let message = format!(
                    "collection.json and the documents in {} do not belong together. This cannot be repaired automatically.",
                    self.dir.display()
                );
                let hint =
                    "Put back the collection.json or the rocksdb directory that belongs there. Nothing was changed.";
                return Err(corrupt(message).with_hint(hint));
            }
            return Ok(manifest);
        }
        let manifest = match (Manifest::kept(truth), identity) {
            (Ok(Some(kept)), _) if kept.schema_version <= SCHEMA_VERSION => kept,
            (_, Some(identity)) => recovered(identity),
            _ => {
                let dir = self.dir.display();
                let message = format!("Neither collection.json nor RocksDB in {dir} identifies the collection.");
                let hint = "Put collection.json back from a backup, then repair again. Nothing was changed.";
                return Err(corrupt(message).with_hint(hint));
            }
        };
        self.rewrite_manifest(manifest)
    }

    fn rewrite_manifest(&mut self, manifest: Manifest) -> Result<Manifest> {
        self.quarantine.take(&Manifest::path(self.dir, &self.seal), "")?;
        manifest.write(self.dir, &self.seal)?;
        self.done(format!("collection.json was written again, for \"{}\".", manifest.collection.name));
        Ok(manifest)
    }

    /// Moves copies of source files away that differ from the ingested files, or belong to no document.
    fn originals(&mut self, manifest: &Manifest) -> Result<()> {
        let folder = self.dir.join(ORIGINALS);
        fs::create_dir(&folder)?;
        let truth = Truth::open(&truth_dir(self.dir), &self.seal)?;
        let mut expected = std::collections::HashSet::new();
        let (mut batch, mut unusable) = (truth.batch(), 0);
        for range in SlotMap::load(&truth.reader())?.ranges() {
            let Some(record) = truth.reader().document(range.document)? else { continue };
            if !record.meta.original_stored {
                continue;
            }
            let path = originals::path(&folder, &record.meta, &self.seal);
            let problem = match originals::digest(&path, &originals::name(&path), &self.seal) {
                Ok((sha256, _)) if sha256 == record.meta.sha256 => None,
                Ok(_) => Some("has other content"),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some("is missing"),
                Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Some("is damaged"),
                Err(error) => return Err(Error::io(path.display(), error)),
            };
            let Some(problem) = problem else {
                expected.insert(path);
                continue;
            };
            self.found(format!("The copy of {} {problem}.", record.meta.path));
            let meta = DocumentMeta { original_stored: false, ..record.meta };
            let record = DocumentRecord { meta, ..record };
            batch.put(cf::DOCUMENTS, record.meta.id.as_bytes(), encode_json(&record)?)?;
            unusable += 1;
        }
        truth.write_durably(batch)?;
        if unusable > 0 {
            self.done(format!("{unusable} documents are marked as having no copy of their file; their text is whole."));
        }
        let mut stray = 0;
        for entry in fs::entries(&folder)? {
            let path = entry.path();
            if !expected.contains(&path) {
                self.quarantine.take(&path, ORIGINALS)?;
                stray += 1;
            }
        }
        if stray > 0 {
            self.done(format!("{stray} copies of source files that belong to no document were moved to quarantine."));
        }
        manifest.keep(&truth)
    }

    /// Opens the collection, with its indexes made again if they do not fit, and verifies it.
    fn indexes(&mut self) -> Result<()> {
        let collection = match LocalCollection::open_with(self.dir, true, &self.seal) {
            Err(error) if error.code == ErrorCode::Corrupt => {
                // The documents are in order: the indexes hold changes that are lost.
                self.found(error.message);
                self.discard_indexes()?;
                self.done(INGEST_AGAIN);
                LocalCollection::open_with(self.dir, true, &self.seal)?
            }
            opened => opened?,
        };
        let mut report = collection.verify()?;
        if !report.is_clean() {
            self.report.found.extend(report.checks.into_iter().flat_map(|check| check.problems));
            collection.rebuild_indexes()?;
            self.done("The indexes were rebuilt from the documents.");
            report = collection.verify()?;
        }
        self.report.problems = report.checks.into_iter().flat_map(|check| check.problems).collect();
        self.report.documents = collection.counts()?.documents;
        collection.flush()
    }

    /// Removes the derived indexes, to be made again when the collection is opened.
    fn discard_indexes(&mut self) -> Result<()> {
        for name in Indexes::DIRECTORIES {
            fs::remove_dir(&self.dir.join(name))?;
        }
        self.done("The indexes were rebuilt from the documents.");
        Ok(())
    }
}

fn recovered(identity: Identity) -> Manifest {
    let Identity { collection: id, dense_model: dense, dense_dimension, sparse_model: sparse, token_model: tokens } =
        identity;
    Manifest {
        schema_version: SCHEMA_VERSION,
        collection: CollectionMeta {
            id,
            name: format!("Recovered collection {}", id.short()),
            reference: None,
            collection_type: CollectionType::default(),
            status: CollectionStatus::default(),
            created_at: Timestamp::now(),
        },
        models: VectorModels { dense, dense_dimension, sparse, tokens },
        models_open: false,
    }
}
