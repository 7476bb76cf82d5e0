//! The dense index on disk: a usearch file, named and vouched for by `manifest.json`.
//!
//! usearch writes a whole file at a time. A new one is written under a new name and synced; then the manifest, which
//! names it with its checksum and the last log entry it contains, is replaced atomically: that is the commit. Other
//! files are left over from a crash and removed.

use std::fs::File;
use std::io::{Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};

use casetrack_core::{Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};
use usearch::{Index, MetricKind, ScalarKind};

use crate::derived_index::{self, MANIFEST};
use crate::error::{derived, why_not_writable};
use crate::fs;
use crate::seal::{Seal, name_in};

/// Files up to this size are checked whole on open, larger ones in the part that searches follow blindly; the rest of
/// them is checked before the first change and by `verify`.
const CHECKED_ON_OPEN_BYTES: u64 = if cfg!(test) { 64 << 10 } else { 64 << 20 };

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Saved {
    pub identity: String,
    /// The last log entry in the file.
    pub applied: u64,
    pub vectors: u64,
    pub file: String,
    pub bytes: u64,
    /// CRC-32 of the whole file.
    pub crc32: u32,
    /// CRC-32 of the file without its vectors; older manifests lack it.
    #[serde(default)]
    pub graph_crc32: Option<u32>,
}

impl Saved {
    pub fn is_file(&self) -> bool {
        !self.file.is_empty()
    }
}

/// Writes the index and commits it; file name, size and checksums are filled in. The file in use is not touched before
/// the manifest names the new one.
pub(crate) fn save(dir: &Path, index: &Index, mut saved: Saved, seal: &Seal) -> Result<Saved> {
    fs::create_dir(dir)?;
    saved.file = format!("{:020}.usearch", saved.applied);
    if derived_index::read_manifest(dir, seal).is_ok_and(|current: Saved| current.file == saved.file) {
        saved.file = format!("{:020}-rebuilt.usearch", saved.applied);
    }
    let path = dir.join(&saved.file);
    let partial = fs::partial_path(&path);
    let found = if seal.is_sealed() {
        let mut bytes = vec![0; index.serialized_length()];
        index.save_to_buffer(&mut bytes).map_err(|error| unsaved(&partial, &error))?;
        let mut output = seal.create(&partial, &name_in(dir, &saved.file))?;
        output.write_all(&bytes).and_then(|()| output.finish()).map_err(|error| Error::io(partial.display(), error))?;
        checksums_of(&bytes)
    } else {
        index.save(name(&partial)?).map_err(|error| unsaved(&partial, &error))?;
        // Windows syncs only files that are open for writing.
        let file = File::options().write(true).open(&partial);
        file.and_then(|file| file.sync_all()).map_err(|error| Error::io(partial.display(), error))?;
        checksums(&partial, true)?
    };
    (saved.bytes, saved.crc32, saved.graph_crc32) = (found.bytes, found.whole.unwrap_or_default(), Some(found.graph));
    // usearch does not notice when closing the file fails.
    let expected = index.serialized_length() as u64;
    if saved.bytes != expected {
        return Err(unsaved(&partial, &format!("{} of {expected} bytes were written", saved.bytes)));
    }
    fs::rename_durably(&partial, &path)?;
    commit(dir, &saved, seal)?;
    derived_index::remove_others(dir, |name| name == &*saved.file)?;
    Ok(saved)
}

pub(crate) fn commit(dir: &Path, saved: &Saved, seal: &Seal) -> Result<()> {
    let manifest = serde_json::to_vec_pretty(saved).map_err(|error| derived(dir, error))?;
    derived_index::write_manifest(dir, &manifest, seal)
}

/// Makes the next open find nothing. A failure is not an error: the next open finds the same damage again.
pub(crate) fn disown(dir: &Path) {
    if let Err(error) = std::fs::remove_file(dir.join(MANIFEST)) {
        tracing::warn!(dir = %dir.display(), %error, "the manifest of a damaged index could not be removed");
    }
}

/// Opens the committed index as a read-only view if possible (see [`view`]), else as a copy; the second value is true
/// for a view. Anything missing or wrong is [`ErrorCode::Corrupt`].
///
/// usearch follows the links of a graph without checking them, so damage there would crash the process: that part is
/// always checked. A damaged vector is at worst ranked wrongly. A sealed index is a copy always, and all of it is
/// checked.
pub(crate) fn open(dir: &Path, identity: &str, index: &Index, seal: &Seal) -> Result<(Saved, bool)> {
    if seal.is_sealed() {
        let saved = load(dir, identity, index, seal)?;
        derived_index::remove_others(dir, |name| name == &*saved.file)?;
        return Ok((saved, false));
    }
    let (saved, path) = committed(dir, identity, seal)?;
    let whole = saved.bytes <= CHECKED_ON_OPEN_BYTES || saved.graph_crc32.is_none();
    compare(dir, &saved, &path, whole)?;
    let viewed = view(dir, &saved, index, seal);
    if !viewed {
        index.load(name(&path)?).map_err(|error| derived(dir, error))?;
        check_loaded(dir, &saved, index)?;
    }
    derived_index::remove_others(dir, |name| name == &*saved.file)?;
    Ok((saved, viewed))
}

/// Maps the committed index into `index`, which must be empty, without checking it again; `false` if there is nothing
/// to map, the file system cannot, or it is sealed.
pub(crate) fn view(dir: &Path, saved: &Saved, index: &Index, seal: &Seal) -> bool {
    let view = || {
        index.view(name(&dir.join(&saved.file))?).map_err(|error| derived(dir, error))?;
        check_loaded(dir, saved, index)
    };
    // usearch fails to view a graph without nodes.
    !seal.is_sealed()
        && saved.vectors > 0
        && saved.is_file()
        && view().inspect_err(|error| tracing::debug!(%error, "the dense index is not mapped")).is_ok()
}

/// Reads the committed index into `index`, which must be empty, and checks all of it.
pub(crate) fn load(dir: &Path, identity: &str, index: &Index, seal: &Seal) -> Result<Saved> {
    let (saved, path, content) = checked(dir, identity, seal)?;
    let loaded = match content {
        Some(content) => index.load_from_buffer(&content),
        None => index.load(name(&path)?),
    };
    loaded.map_err(|error| derived(dir, error))?;
    check_loaded(dir, &saved, index)?;
    Ok(saved)
}

fn check_loaded(dir: &Path, saved: &Saved, index: &Index) -> Result<()> {
    let kind = (index.scalar_kind(), index.metric_kind(), index.size() as u64);
    if kind == (ScalarKind::F16, MetricKind::IP, saved.vectors) {
        return Ok(());
    }
    Err(derived(dir, format!("{} holds other vectors than its manifest names", saved.file)))
}

/// Compares the file with its manifest. Reads all of it.
pub(crate) fn check(dir: &Path, identity: &str, seal: &Seal) -> Result<()> {
    checked(dir, identity, seal).map(drop)
}

/// The manifest, the file it names, and the content of that if it is sealed.
fn checked(dir: &Path, identity: &str, seal: &Seal) -> Result<(Saved, PathBuf, Option<Vec<u8>>)> {
    let (saved, path) = committed(dir, identity, seal)?;
    if !seal.is_sealed() {
        compare(dir, &saved, &path, true)?;
        return Ok((saved, path, None));
    }
    let content = seal.read(&path, &name_in(dir, &saved.file)).map_err(|error| match error.code {
        ErrorCode::FileNotFound | ErrorCode::Corrupt => derived(dir, error),
        _ => error,
    })?;
    matches(dir, &saved, &checksums_of(&content))?;
    Ok((saved, path, Some(content)))
}

/// The manifest, and the file it names.
fn committed(dir: &Path, identity: &str, seal: &Seal) -> Result<(Saved, PathBuf)> {
    let saved: Saved = derived_index::read_manifest(dir, seal)?;
    derived_index::check_identity(dir, &saved.identity, identity)?;
    let path = dir.join(&saved.file);
    Ok((saved, path))
}

fn compare(dir: &Path, saved: &Saved, path: &Path, whole: bool) -> Result<()> {
    let found = match checksums(path, whole) {
        Err(error) if error.code == ErrorCode::FileNotFound => return Err(derived(dir, error)),
        found => found?,
    };
    matches(dir, saved, &found)
}

fn matches(dir: &Path, saved: &Saved, found: &Checksums) -> Result<()> {
    let matches = found.bytes == saved.bytes
        && found.whole.is_none_or(|crc32| crc32 == saved.crc32)
        && saved.graph_crc32.is_none_or(|crc32| crc32 == found.graph);
    if matches { Ok(()) } else { Err(derived(dir, format!("the checksum of {} does not match", saved.file))) }
}

struct Checksums {
    bytes: u64,
    whole: Option<u32>,
    graph: u32,
}

/// Length and CRC-32 of a file, and of its part without vectors. A usearch file is two `u32`, the number of vectors and
/// the bytes of each, then the vectors, then the graph.
fn checksums(path: &Path, whole: bool) -> Result<Checksums> {
    let error = |error| Error::io(path.display(), error);
    let mut file = File::open(path).map_err(error)?;
    let bytes = file.metadata().map_err(error)?.len();
    checksums_in(&mut file, bytes, whole).map_err(error)
}

/// Those of a file in memory.
fn checksums_of(content: &[u8]) -> Checksums {
    // Memory can be read; unreadable bytes would match nothing.
    let none = Checksums { bytes: 0, whole: None, graph: 0 };
    checksums_in(&mut Cursor::new(content), content.len() as u64, true).unwrap_or(none)
}

fn checksums_in(file: &mut (impl Read + Seek), bytes: u64, whole: bool) -> std::io::Result<Checksums> {
    let mut head = Vec::new();
    file.by_ref().take(8).read_to_end(&mut head)?;
    let number = |at: usize| head.get(at..at + 4).and_then(|n| n.try_into().ok()).map_or(0, u32::from_le_bytes);
    // Nonsense in a damaged file; it does not match either way.
    let vectors = (u64::from(number(0)) * u64::from(number(4))).min(bytes.saturating_sub(8));
    let mut graph = crc32fast::Hasher::new();
    graph.update(&head);
    let mut all = graph.clone();
    if whole {
        all.combine(&crc32(&mut file.by_ref().take(vectors))?);
    } else {
        file.seek_relative(vectors.cast_signed())?;
    }
    let rest = crc32(file)?;
    graph.combine(&rest);
    all.combine(&rest);
    Ok(Checksums { bytes, whole: whole.then(|| all.finalize()), graph: graph.finalize() })
}

fn crc32(from: &mut impl Read) -> std::io::Result<crc32fast::Hasher> {
    let mut hasher = crc32fast::Hasher::new();
    fs::read_in_pieces(from, |piece| hasher.update(piece))?;
    Ok(hasher)
}

fn name(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| Error::invalid(format!("{} is not valid Unicode.", path.display())))
}

/// usearch reports errors only as text.
fn unsaved(path: &Path, error: &dyn std::fmt::Display) -> Error {
    let code = why_not_writable(path.parent().unwrap_or(path));
    Error::new(code, format!("Could not write {}: {error}", path.display())).with_hint(
        "Free some disk space, then try again. No document is lost: the index is made from the stored \
            vectors.",
    )
}
