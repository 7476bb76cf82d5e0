//! The comparison of a file with its state in the index.

use std::fs::Metadata;
use std::path::Path;

use casetrack_core::{DocumentMeta, Sha256, Timestamp};
use casetrack_store::CatalogueEntry;

use super::index_job::KNOWN_FILES;
use casetrack_host::{Beside, Host};

#[derive(Debug, Clone, Copy)]
pub(super) struct Indexed {
    sha256: Sha256,
    size_bytes: u64,
    at: Timestamp,
}

impl From<&CatalogueEntry> for Indexed {
    fn from(entry: &CatalogueEntry) -> Self {
        Self { sha256: entry.sha256, size_bytes: entry.size_bytes, at: entry.ingested_at }
    }
}

impl From<&DocumentMeta> for Indexed {
    fn from(meta: &DocumentMeta) -> Self {
        Self { sha256: meta.sha256, size_bytes: meta.size_bytes, at: meta.ingested_at }
    }
}

/// True if a file, which now has this `metadata`, is the indexed one. A replacement may be older than the index, so the time at which it was
/// modified does not decide. Without proof that it is the same, it is not. Does not read the file.
pub(super) fn is_as_indexed(host: &Host, path: &Path, metadata: &Metadata, indexed: Indexed) -> bool {
    if metadata.len() != indexed.size_bytes {
        return false;
    }
    let is_older = is_older(metadata, indexed.at);
    let known = host.known_files();
    let beside = match known.compare(path, metadata) {
        // The state before a restart may decide: for example, that the file was only touched.
        Beside::Unknown if !is_older => {
            known.load_once(&host.config().data_dir.join(KNOWN_FILES));
            known.compare(path, metadata)
        }
        beside => beside,
    };
    match beside {
        Beside::Same(sha256) => sha256 == indexed.sha256,
        Beside::Changed => false,
        Beside::Unknown => is_older,
    }
}

/// True if a file was neither modified nor replaced after a time.
fn is_older(metadata: &Metadata, time: Timestamp) -> bool {
    let milliseconds =
        |time: std::time::SystemTime| time.duration_since(std::time::UNIX_EPOCH).map_or(0, |t| t.as_millis());
    // Renaming a file changes this time, and so does making one with the times of another.
    #[cfg(unix)]
    let changed = {
        use std::os::unix::fs::MetadataExt;
        metadata.ctime().saturating_mul(1_000).saturating_add(metadata.ctime_nsec() / 1_000_000)
    };
    #[cfg(not(unix))]
    let changed = i64::MIN;
    let indexed = u128::try_from(time.0).unwrap_or_default();
    changed <= time.0 && metadata.modified().is_ok_and(|modified| milliseconds(modified) <= indexed)
}
