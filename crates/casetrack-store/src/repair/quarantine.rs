//! The place for data that a repair takes out: `quarantine/<time>/` in the collection's directory, made at the first
//! use.

use std::cell::Cell;
use std::io::Write;
use std::path::{Path, PathBuf};

use casetrack_core::{Error, Result, Timestamp};

use super::RepairReport;
use crate::collection::QUARANTINE;
use crate::fs;
use crate::seal::{Output, Seal};

const REPORT: &str = "report.json";
const ENTRIES: &str = "entries.bin";
/// The files that a repair writes there itself, by their names.
pub(crate) const OWN: [&str; 2] = [REPORT, ENTRIES];

pub(super) struct Quarantine {
    dir: PathBuf,
    seal: Seal,
    used: Cell<bool>,
}

impl Quarantine {
    pub fn new(collection: &Path, seal: Seal) -> Self {
        let name = Timestamp::now().to_string().replace(':', "");
        let root = collection.join(QUARANTINE);
        // Two repairs within a second.
        let dir = (1..).map(|n| if n == 1 { root.join(&name) } else { root.join(format!("{name}-{n}")) });
        let dir = dir.into_iter().find(|dir| !dir.exists()).unwrap_or(root);
        Self { dir, seal, used: Cell::new(false) }
    }

    /// Its path, if there is anything in it.
    pub fn dir(&self) -> Option<PathBuf> {
        self.used.get().then(|| self.dir.clone())
    }

    fn make(&self, folder: &Path) -> Result<()> {
        fs::create_dir(folder)?;
        if !self.used.replace(true) {
            fs::sync_parent(&self.dir)?;
        }
        Ok(())
    }

    /// Moves a file or directory into a folder of the quarantine (`""` for its top), under its own name. One that is
    /// not there is skipped.
    pub fn take(&self, path: &Path, folder: &str) -> Result<()> {
        let Some(name) = path.file_name().filter(|_| path.exists()) else { return Ok(()) };
        let folder = self.dir.join(folder);
        self.make(&folder)?;
        fs::rename_durably(path, &folder.join(name))?;
        fs::sync_parent(path)
    }

    /// Writes the findings. Nothing is written if nothing was taken in.
    pub fn write_report(&self, report: &RepairReport) -> Result<()> {
        if !self.used.get() {
            return Ok(());
        }
        let json = serde_json::to_vec_pretty(report).map_err(|error| Error::internal(error.to_string()))?;
        self.seal.write_atomically(&self.dir.join(REPORT), REPORT, &json)
    }

    /// A file for entries of RocksDB; made at the first one.
    pub fn entries(&self) -> Entries<'_> {
        Entries { quarantine: self, file: None, count: 0 }
    }
}

/// `entries.bin`: for each entry the lengths of family, key and value (`u32`, little endian), then the three.
pub(super) struct Entries<'q> {
    quarantine: &'q Quarantine,
    file: Option<Output>,
    pub count: u64,
}

impl Entries<'_> {
    pub fn put(&mut self, family: &str, key: &[u8], value: &[u8]) -> Result<()> {
        let path = self.quarantine.dir.join(ENTRIES);
        let error = |error| Error::io(path.display(), error);
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                self.quarantine.make(&self.quarantine.dir)?;
                none.insert(self.quarantine.seal.create(&path, ENTRIES)?)
            }
        };
        for part in [family.as_bytes(), key, value] {
            file.write_all(&(part.len() as u32).to_le_bytes()).map_err(error)?;
        }
        for part in [family.as_bytes(), key, value] {
            file.write_all(part).map_err(error)?;
        }
        self.count += 1;
        Ok(())
    }

    /// Makes the entries durable; returns their number.
    pub fn finish(self) -> Result<u64> {
        if let Some(file) = self.file {
            let path = self.quarantine.dir.join(ENTRIES);
            file.finish().map_err(|error| Error::io(path.display(), error))?;
            fs::sync_parent(&path)?;
        }
        Ok(self.count)
    }
}
