//! The sparse index on disk: segments, named and vouched for by `manifest.json`.
//!
//! A segment is written under a new name and synced; then the manifest, which names the segments with their checksums,
//! the slots in them that are dead and the last log entry they contain, is replaced atomically: that is the commit.
//! Other files are left over from a crash or a merge and removed.

use std::path::Path;
use std::sync::Arc;

use casetrack_core::Result;
use serde::{Deserialize, Serialize};

use super::dead::Dead;
use super::segment::{Segment, SegmentInfo};
use crate::derived_index::{self, MANIFEST};
use crate::error::derived;
use crate::fs;
use crate::seal::Seal;

/// Indexes up to this size have their checksums verified on open; larger ones only by `verify`.
const CHECKED_ON_OPEN_BYTES: u64 = 64 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Saved {
    /// Format, collection and model.
    pub identity: String,
    /// The last log entry in the segments.
    pub applied: u64,
    /// In the order of their slots.
    pub segments: Vec<SegmentInfo>,
    pub dead: Dead,
    /// CRC-32 of the manifest with a 0 here.
    pub crc32: u32,
}

impl Saved {
    fn checksum(&self) -> serde_json::Result<u32> {
        serde_json::to_vec(&Self { crc32: 0, ..self.clone() }).map(|json| crc32fast::hash(&json))
    }
}

/// Commits. Fails if a segment is no longer on disk.
pub(super) fn save(dir: &Path, mut saved: Saved, seal: &Seal) -> Result<()> {
    fs::create_dir(dir)?;
    for segment in &saved.segments {
        let length = std::fs::metadata(dir.join(&segment.file)).map(|metadata| metadata.len());
        if !length.is_ok_and(|length| length == seal.bytes_on_disk(segment.bytes)) {
            return Err(derived(dir, format!("{} was removed", segment.file)));
        }
    }
    saved.crc32 = saved.checksum().map_err(|error| derived(dir, error))?;
    let manifest = serde_json::to_vec(&saved).map_err(|error| derived(dir, error))?;
    derived_index::write_manifest(dir, &manifest, seal)?;
    derived_index::remove_others(dir, |name| saved.segments.iter().any(|segment| name == &*segment.file))
}

/// Maps the committed index, or reads it if it is sealed. Anything missing or wrong is
/// [`casetrack_core::ErrorCode::Corrupt`]. Takes time in proportion to the number of segments, and reads only small
/// parts.
pub(super) fn load(dir: &Path, identity: &str, seal: &Seal) -> Result<(Saved, Vec<Arc<Segment>>)> {
    let saved: Saved = derived_index::read_manifest(dir, seal)?;
    derived_index::check_identity(dir, &saved.identity, identity)?;
    if saved.checksum().ok() != Some(saved.crc32) {
        return Err(derived(dir, "the checksum of its manifest does not match"));
    }
    if !saved.dead.is_well_formed() || !saved.segments.is_sorted_by(|a, b| a.end_slot <= b.first_slot) {
        return Err(derived(dir, "its manifest contradicts itself"));
    }
    let open = |info: &SegmentInfo| Segment::open(dir, info.clone(), seal).map(Arc::new);
    let segments: Vec<_> = saved.segments.iter().map(open).collect::<Result<_>>()?;
    if saved.segments.iter().map(|segment| segment.bytes).sum::<u64>() <= CHECKED_ON_OPEN_BYTES {
        check(dir, &segments)?;
    }
    derived_index::remove_others(dir, |name| saved.segments.iter().any(|segment| name == &*segment.file))?;
    Ok((saved, segments))
}

/// Compares the files with their checksums. Reads all of them.
pub(super) fn check(dir: &Path, segments: &[Arc<Segment>]) -> Result<()> {
    match segments.iter().find(|segment| !segment.is_sound()) {
        Some(segment) => Err(derived(dir, format!("the checksum of {} does not match", segment.info.file))),
        None => Ok(()),
    }
}

/// Takes the commit back, so that the next open starts from an empty index.
pub(super) fn revoke(dir: &Path) {
    if let Err(error) = std::fs::remove_file(dir.join(MANIFEST)) {
        tracing::debug!(%error, "a damaged sparse index keeps its manifest");
    }
}
