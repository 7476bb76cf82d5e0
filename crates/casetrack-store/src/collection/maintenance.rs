//! Upkeep of the collection: its indexes, its size on disk, and checks of every invariant.

use casetrack_core::Result;
use rocksdb::properties::TOTAL_SST_FILES_SIZE;

use super::snapshot::Snapshot;
use super::{COLUMNS, LocalCollection, ORIGINALS, QUARANTINE, UPLOADS};
use crate::indexes::{IndexHandle, Indexes};
use crate::roles::{CollectionSnapshot, DescribeCollection, DiskUsage, IndexProgress, MaintainCollection, Stats};
use crate::schema::cf;
use crate::truth::truth_dir;
use crate::verify::{self, VerifyReport};
use crate::{fs, vault};

impl MaintainCollection for LocalCollection {
    fn index_progress(&self) -> Result<Vec<IndexProgress>> {
        let last = self.truth.state()?.last_seq;
        let progress = |index: &dyn IndexHandle| {
            let behind = last.saturating_sub(index.applied());
            IndexProgress { name: index.name(), in_step: index.is_usable() && behind == 0, behind }
        };
        Ok(self.indexes.all().into_iter().map(progress).collect())
    }

    fn disk_usage(&self) -> Result<DiskUsage> {
        let bytes = |name: &str| fs::dir_bytes(&self.dir.join(name));
        Ok(DiskUsage {
            truth: fs::dir_bytes(&truth_dir(&self.dir))?,
            dense: bytes(Indexes::DENSE)?,
            bm25: bytes(Indexes::BM25)?,
            sparse: bytes(Indexes::SPARSE)?,
            originals: bytes(ORIGINALS)?,
        })
    }

    fn stats(&self) -> Result<Stats> {
        let truth = self.truth();
        let mut families = Vec::new();
        for name in cf::ALL {
            let bytes = truth.db().property_int_value_cf(truth.cf(name)?, TOTAL_SST_FILES_SIZE);
            families.push((name, bytes.map_err(|error| truth.error(error))?.unwrap_or_default()));
        }
        let tables: u64 = families.iter().map(|(_, bytes)| bytes).sum();
        let bytes = |name: &str| fs::dir_bytes(&self.dir().join(name));
        Ok(Stats {
            counts: self.counts()?,
            families,
            // Files that are being replaced may be counted on one side only.
            rocksdb_other: fs::dir_bytes(&truth_dir(self.dir()))?.saturating_sub(tables),
            indexes: Indexes::DIRECTORIES.iter().map(|name| Ok((*name, bytes(name)?))).collect::<Result<_>>()?,
            originals: bytes(ORIGINALS)?,
            quarantine: bytes(QUARANTINE)?,
        })
    }

    fn flush(&self) -> Result<()> {
        if self.truth.is_read_only() {
            // Nothing was changed.
            return Ok(());
        }
        let mut state = self.writer();
        for index in self.indexes.all() {
            self.with_origin(&state, |origin| index.settle(origin))?;
        }
        self.trim_log(&mut state)?;
        self.truth.settle()?;
        self.note_seen(&state);
        Ok(())
    }

    fn rebuild_indexes(&self) -> Result<()> {
        self.truth.check_writable()?;
        let mut state = self.writer();
        for index in self.indexes.all() {
            self.with_origin(&state, |origin| index.rebuild(origin))?;
        }
        self.trim_log(&mut state)
    }

    fn compact(&self) -> Result<()> {
        self.truth.check_writable()?;
        {
            let _changes_wait = self.writer();
            self.truth().compact()?;
        }
        self.rid_indexes_of_deleted()?;
        self.flush()
    }

    fn verify(&self) -> Result<VerifyReport> {
        let state = self.writer();
        let rocksdb = verify::rocksdb(&self.truth)?;
        if !rocksdb.problems.is_empty() {
            // Unreadable data cannot be checked.
            return Ok(VerifyReport { checks: vec![rocksdb] });
        }
        let mut report = verify::documents(&self.truth.reader(), self.models())?;
        let folders = [&Indexes::DIRECTORIES[..], &[ORIGINALS, UPLOADS]].concat();
        let files = [vault::SEALED_MANIFEST, COLUMNS];
        let columns = self.columns_problem()?;
        report.checks.extend(verify::sealed_files(&self.dir, &self.truth, &files, &folders, columns)?);
        report.checks.insert(0, rocksdb);
        report.checks.insert(1, verify::manifest(&self.dir, &self.manifest, &self.truth)?);
        for index in self.indexes.all() {
            report.checks.push(self.with_origin(&state, |origin| index.check(origin))?);
        }
        Ok(report)
    }

    fn snapshot(&self, originals: bool) -> Result<Box<dyn CollectionSnapshot + '_>> {
        Snapshot::of(self, originals).map(|snapshot| Box::new(snapshot) as _)
    }
}

impl LocalCollection {
    fn rid_indexes_of_deleted(&self) -> Result<()> {
        let mut state = self.writer();
        for index in self.indexes.all() {
            self.with_origin(&state, |origin| index.rid_of_deleted(origin))?;
        }
        self.trim_log(&mut state)
    }
}
