//! From the schemas of earlier releases to this one, a step at a time.
//!
//! 1. A backup is made inside the collection, `backup-schema-<n>/`: RocksDB as hard links, and `collection.json`. It gets that
//!    name when it is complete, and nothing is changed before. To go back, put both in the place of those of the collection.
//! 2. Each [step](STEPS) from schema n to n + 1 is made. A step may be broken off anywhere and made again from the start.
//! 3. `collection.json` gets the new schema version. Until then the collection is of the old one, and the next open does all of
//!    this again.
//!
//! The backup stays until the migrated collection is opened the next time, so that an open of it has succeeded.

use std::path::Path;

use casetrack_core::{Error, Result};

use crate::fs;
use crate::manifest::Manifest;
use crate::schema::SCHEMA_VERSION;
use crate::seal::Seal;
use crate::truth::{Truth, truth_dir};

/// One step, given the collection's directory and how it is written.
type Step = fn(&Path, &Seal) -> Result<()>;

/// Step n - 1 leads from schema n to n + 1.
const STEPS: [Step; SCHEMA_VERSION as usize - 1] = [add_families, add_families, add_families];

pub(crate) const BACKUP_PREFIX: &str = "backup-schema-";

/// Schema 2 has a column family for learned-sparse vectors, schema 3 one for annotations and schema 4 one for token
/// vectors, empty at first. `State` and `Identity` of older schemas are read as they are.
fn add_families(dir: &Path, seal: &Seal) -> Result<()> {
    Truth::open_and_complete(&truth_dir(dir), seal).map(drop)
}

/// Brings a collection of an older schema to this one; the caller owns it. True if there was anything to do.
pub(crate) fn run(dir: &Path, manifest: &mut Manifest, seal: &Seal) -> Result<bool> {
    let from = manifest.schema_version;
    if from == SCHEMA_VERSION {
        return Ok(false);
    }
    let name = back_up(dir, from, seal)?;
    for step in STEPS.iter().skip(from as usize - 1) {
        step(dir, seal)?;
    }
    manifest.schema_version = SCHEMA_VERSION;
    manifest.write(dir, seal)?;
    tracing::info!(
        dir = %dir.display(), from, to = SCHEMA_VERSION, backup = name,
        "the collection was migrated; the backup goes when it is opened the next time"
    );
    Ok(true)
}

/// Copies the files that the steps change, unless that was done before.
fn back_up(dir: &Path, schema: u32, seal: &Seal) -> Result<String> {
    let name = format!("{BACKUP_PREFIX}{schema}");
    let backup = dir.join(&name);
    if backup.exists() {
        return Ok(name);
    }
    let partial = fs::partial_path(&backup);
    fs::remove_dir(&partial)?;
    fs::create_dir(&partial)?;
    Truth::copy(&truth_dir(dir), &truth_dir(&partial))?;
    let json = Manifest::path(dir, seal);
    let bytes = std::fs::read(&json).map_err(|error| Error::io(json.display(), error))?;
    fs::write_atomically(&Manifest::path(&partial, seal), &bytes)?;
    fs::rename_durably(&partial, &backup)?;
    Ok(name)
}

/// Removes the backups of a collection that does well without them.
pub(crate) fn remove_backups(dir: &Path) -> Result<()> {
    for schema in 1..SCHEMA_VERSION {
        let backup = dir.join(format!("{BACKUP_PREFIX}{schema}"));
        fs::remove_dir(&fs::partial_path(&backup))?;
        fs::remove_dir(&backup)?;
    }
    Ok(())
}
