//! A damaged RocksDB: the documents that can be read whole go into a new one, and the old one goes to quarantine as it
//! is.
//!
//! Everything is done on a copy, in `.repair/` (tables, which are never written again, are linked). The new one takes
//! the place of the old by two renames; a file marks that it is complete, so that a repair which is killed between them
//! is finished by the next.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::{DocumentId, Error, ErrorCode, ErrorKind, Result};
use rocksdb::{IteratorMode, ReadOptions};

use super::{INGEST_AGAIN, LostDocument, Repair, in_full};
use crate::codec::{decode, encode};
use crate::error::corrupt;
use crate::manifest::Manifest;
use crate::reader::Reader;
use crate::records::{ChunkPlace, DocumentRecord, Identity, SlotRecord, State};
use crate::schema::{EVIDENCE_KEY, cf, leading_document, parse_hash_key};
use crate::truth::{Truth, manifest_is_cut_off, truth_dir};
use crate::{fs, write};

const WORK: &str = ".repair";
/// Marks that the new RocksDB is complete.
const COMPLETE: &str = "complete";

impl Repair<'_> {
    fn work(&self) -> PathBuf {
        self.dir.join(WORK)
    }

    /// Completes a repair that was killed near its end, or removes its beginnings.
    pub(super) fn salvage_interrupted(&mut self) -> Result<()> {
        let (work, place) = (self.work(), truth_dir(self.dir));
        if work.join(COMPLETE).exists() && !place.exists() {
            self.found("A repair was interrupted.");
            self.done("The documents that it had saved were put in place; its quarantine names the others.");
            fs::rename_durably(&truth_dir(&work), &place)?;
            self.discard_indexes()?;
        }
        fs::remove_dir(&work)
    }

    /// Makes a new RocksDB from the readable parts of the damaged one.
    pub(super) fn salvage(&mut self, manifest: Option<Manifest>) -> Result<Manifest> {
        let salvaged = self.try_salvage(manifest);
        // After an error nothing in there is of use: the damaged one is still in its place.
        if truth_dir(self.dir).exists() {
            fs::remove_dir(&self.work())?;
        }
        salvaged
    }

    fn try_salvage(&mut self, manifest: Option<Manifest>) -> Result<Manifest> {
        let (damaged, work) = (truth_dir(self.dir), self.work());
        if !holds_data(&damaged) {
            let message = format!("No documents can be recovered: {} holds no data.", damaged.display());
            return Err(Error::new(ErrorCode::Corrupt, message).with_hint(
                "Restore the collection's directory from a backup, or delete the collection and ingest its files again. \
                 Nothing was changed.",
            ));
        }
        fs::remove_dir(&work)?;
        let source = self.open_copy(&damaged, &work.join("copy"))?;
        let manifest = self.settle_manifest(manifest, &source)?;
        let fresh = truth_dir(&work);
        let kept = self.copy_documents(&source, &fresh, &manifest)?;
        let known = kept + self.report.lost.len() as u64;
        let counted = source.state().map_or(known, |state| state.documents);
        if counted > known {
            let unknown = counted - known;
            self.found(format!("{unknown} more documents are lost, including their names."));
        }
        drop(source);
        fs::remove_dir(&work.join("copy"))?;
        fs::write_atomically(&work.join(COMPLETE), b"")?;
        self.done(format!("{kept} documents were saved into a new RocksDB; the damaged one was moved to quarantine."));
        self.done(INGEST_AGAIN);
        self.quarantine.take(&damaged, "")?;
        self.quarantine.write_report(&self.report)?;
        fs::rename_durably(&fresh, &damaged)?;
        self.discard_indexes()?;
        fs::remove_dir(&work)?;
        Ok(manifest)
    }

    /// Opens a copy of the damaged RocksDB: as it is, or by its newest list of files, or with a new list made from the
    /// files that are there.
    fn open_copy(&mut self, damaged: &Path, copy: &Path) -> Result<Truth> {
        let list = newest_manifest(damaged);
        let cut_off = list.as_ref().is_some_and(|list| manifest_is_cut_off(&damaged.join(list)));
        if !cut_off {
            clone(damaged, copy)?;
            if let Ok(truth) = Truth::open_for_salvage(copy, &self.seal) {
                return Ok(truth);
            }
            if let Some(list) = list {
                clone(damaged, copy)?;
                fs::write_atomically(&copy.join("CURRENT"), format!("{list}\n").as_bytes())?;
                if let Ok(truth) = Truth::open_for_salvage(copy, &self.seal) {
                    return Ok(truth);
                }
            }
        }
        clone(damaged, copy)?;
        let seeds = copy.with_file_name("seeds");
        fs::remove_dir(&seeds)?;
        Truth::relist(copy, &seeds)?;
        self.found(
            "RocksDB's list of its files could not be used. Documents that were deleted or replaced shortly before may have \
             come back as they were.",
        );
        Truth::open_for_salvage(copy, &self.seal)
    }

    /// Copies every document that is whole, in the order in which they were stored. Their number.
    fn copy_documents(&mut self, source: &Truth, fresh: &Path, manifest: &Manifest) -> Result<u64> {
        let identity: Identity = manifest.identity();
        let reader = source.reader();
        let mut records = Vec::new();
        for id in self.ids(&reader)? {
            match reader.document(id) {
                Ok(Some(record)) if record.meta.id == id => records.push(record),
                Err(error) if error.kind() == ErrorKind::Environment && !is_damage(&error) => return Err(error),
                Err(error) => self.lose(LostDocument::unknown(id, in_full(&error))),
                Ok(_) => self.lose(LostDocument::unknown(id, "Parts of it are there, but not its record.")),
            }
        }
        records.sort_by_key(|record: &DocumentRecord| (record.first_slot, record.meta.id));
        let newest: HashMap<String, DocumentId> =
            records.iter().map(|record| (record.meta.path.clone(), record.meta.id)).collect();

        let truth = Truth::create(fresh, &identity, &self.seal)?;
        manifest.keep(&truth)?;
        let before = source.state().ok();
        // Slots are not used again, so that no version of a document gets the number that another had.
        let next_slot = before.map_or(0, |state| state.next_slot);
        let (mut state, mut without_sparse) = (State { next_slot, ..State::default() }, 0);
        for record in &records {
            let loaded =
                self.load(&reader, record, &identity).and_then(|document| match newest.get(&record.meta.path) {
                    Some(id) if *id != record.meta.id => {
                        Err(corrupt(format!("A newer document ({id}) has the same path.")))
                    }
                    _ => Ok(document),
                });
            match loaded {
                Ok(document) => {
                    if document.sparse_vectors.is_empty() {
                        without_sparse += document.chunks.len() as u64;
                    }
                    let change = write::put(&truth.reader(), &[&document], &state)?;
                    truth.write_lazily(change.batch)?;
                    state = change.state;
                }
                Err(error) if error.kind() == ErrorKind::Environment && !is_damage(&error) => return Err(error),
                Err(error) => self.lose(LostDocument::known(&record.meta, &error)),
            }
        }
        self.copy_evidence(&reader, &truth)?;
        truth.flush_all()?;
        let had = before.map_or(u64::MAX, |state| state.sparse_chunks);
        if identity.sparse_model.is_some() {
            self.note_missing_sparse_vectors(without_sparse.min(had.saturating_sub(state.sparse_chunks)));
        }
        self.note_missing_token_vectors(&identity, before.as_ref(), &state);
        self.note_missing_annotations(before.as_ref(), &state);
        Ok(state.documents)
    }

    /// Copies the passages that users collected, unchanged.
    fn copy_evidence(&mut self, reader: &Reader<'_>, truth: &Truth) -> Result<()> {
        match reader.evidence() {
            Ok(tray) if tray == EvidenceTray::default() => Ok(()),
            Ok(tray) => {
                let mut batch = truth.batch();
                batch.put(cf::META, EVIDENCE_KEY, encode(&tray)?)?;
                truth.write_lazily(batch)
            }
            Err(error) if error.kind() == ErrorKind::Environment && !is_damage(&error) => Err(error),
            Err(error) => {
                self.found(format!("The evidence that was collected is damaged: {}", in_full(&error)));
                self.done("It was left behind in the quarantine: collect the passages again.");
                Ok(())
            }
        }
    }

    /// The ids of all documents that any readable entry names: if a block of one family is damaged, the others still
    /// name its documents.
    fn ids(&mut self, reader: &Reader<'_>) -> Result<BTreeSet<DocumentId>> {
        let truth = reader.truth();
        let mut ids = BTreeSet::new();
        for family in cf::ALL {
            // To the first damaged block, and from the end back to the last.
            for mode in [IteratorMode::Start, IteratorMode::End] {
                let mut options = ReadOptions::default();
                options.fill_cache(false);
                let mut damaged = false;
                for entry in truth.db().iterator_cf_opt(truth.cf(family)?, options, mode) {
                    let Ok(stored) = entry else {
                        damaged = true;
                        break;
                    };
                    // A value that was changed after it was sealed gives nothing; others name its document.
                    let Ok((key, value)) = truth.opened(family, stored) else { continue };
                    ids.extend(match family {
                        cf::META | cf::OPLOG => None,
                        cf::PATH_INDEX => decode("path index entry", &value).ok(),
                        cf::HASH_INDEX => parse_hash_key(&key).map(|(_, id)| id),
                        cf::CHUNK_IDS => decode::<ChunkPlace>("chunk id", &value).ok().map(|place| place.document),
                        cf::SLOTS => decode::<SlotRecord>("slot range", &value).ok().map(|slots| slots.document),
                        _ => leading_document(&key).filter(|_| key.len() >= 16),
                    });
                }
                if !damaged {
                    break;
                }
            }
        }
        // The entries of the tables for an unlisted family (see `Truth::relist`).
        ids.remove(&DocumentId::from_bytes([0xff; 16]));
        Ok(ids)
    }
}

/// Reading a damaged table may look like a fault of the machine.
fn is_damage(error: &Error) -> bool {
    matches!(error.code, ErrorCode::Corrupt | ErrorCode::FileNotFound)
}

/// True if there are tables or logs.
fn holds_data(rocksdb: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(rocksdb) else { return false };
    entries.flatten().any(|entry| {
        let path = entry.path();
        path.extension().is_some_and(|extension| extension == "sst" || extension == "log")
            && entry.metadata().is_ok_and(|metadata| metadata.len() > 0)
    })
}

fn newest_manifest(rocksdb: &Path) -> Option<String> {
    let entries = std::fs::read_dir(rocksdb).ok()?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter(|name| name.starts_with("MANIFEST-"))
        .max_by_key(|name| name["MANIFEST-".len()..].parse::<u64>().unwrap_or_default())
}

/// Copies a RocksDB that is not open. Tables are linked if the file system can.
fn clone(from: &Path, to: &Path) -> Result<()> {
    fs::remove_dir(to)?;
    fs::create_dir(to)?;
    for entry in fs::entries(from)? {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if !path.is_file() || entry.file_name() == "LOCK" {
            continue;
        }
        let is_table = path.extension().is_some_and(|extension| extension == "sst");
        if !is_table || std::fs::hard_link(&path, &target).is_err() {
            std::fs::copy(&path, &target).map_err(|error| Error::io(target.display(), error))?;
        }
    }
    Ok(())
}
