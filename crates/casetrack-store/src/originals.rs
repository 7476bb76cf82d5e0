//! Copies of source files inside a collection: their places, and checks of their content.

use std::io;
use std::path::{Path, PathBuf};

use casetrack_core::{DocumentMeta, Result, Sha256};
use sha2::Digest;

use crate::fs;
use crate::seal::{Seal, name_in};

/// The path of the copy of a document's file. Those that earlier versions of CaseTrack stored have the document's id
/// for a name.
pub(crate) fn path(originals: &Path, meta: &DocumentMeta, seal: &Seal) -> PathBuf {
    let (current, earlier) = (new_path(originals, meta, seal), named(originals, meta, &meta.id.to_string()));
    if !current.exists() && earlier.exists() { earlier } else { current }
}

/// `<originals>/<document id>-<beginning of the SHA-256>.<extension>`: each version of a document has a file of its
/// own. In a vault, the digest is hidden, and there is no extension.
pub(crate) fn new_path(originals: &Path, meta: &DocumentMeta, seal: &Seal) -> PathBuf {
    match seal.hidden_name(&meta.sha256.to_string()) {
        Some(digest) => originals.join(format!("{}-{digest:.16}", meta.id)),
        None => named(originals, meta, &format!("{}-{:.16}", meta.id, meta.sha256.to_string())),
    }
}

/// The same in a collection that is not sealed.
pub fn original_path(originals: &Path, meta: &DocumentMeta) -> PathBuf {
    new_path(originals, meta, &Seal::default())
}

fn named(originals: &Path, meta: &DocumentMeta, stem: &str) -> PathBuf {
    let extension = Path::new(&meta.path).extension().and_then(|extension| extension.to_str());
    let extension = extension.map(|extension| format!(".{extension}")).unwrap_or_default();
    originals.join(format!("{stem}{extension}"))
}

/// The name by which the file of [`new_path`] is known in its collection.
pub(crate) fn name(path: &Path) -> String {
    name_in(path.parent().unwrap_or(path), &path.file_name().unwrap_or_default().to_string_lossy())
}

pub struct OriginalFile {
    path: PathBuf,
    name: String,
    seal: Seal,
}

impl OriginalFile {
    pub fn plain(path: PathBuf) -> Self {
        Self { path, name: String::new(), seal: Seal::default() }
    }

    pub(crate) fn sealed(path: PathBuf, name: String, seal: &Seal) -> Self {
        Self { path, name, seal: seal.clone() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn digest(&self) -> io::Result<(Sha256, u64)> {
        digest(&self.path, &self.name, &self.seal)
    }

    pub(crate) fn open(&self) -> io::Result<Box<dyn io::Read>> {
        self.seal.open(&self.path, &self.name)
    }
}

/// SHA-256 and length of the content of a file, read in pieces. Errors: `InvalidData` if a sealed file was changed or
/// sealed under another name.
pub(crate) fn digest(path: &Path, name: &str, seal: &Seal) -> io::Result<(Sha256, u64)> {
    let mut file = seal.open(path, name)?;
    let (mut hasher, mut bytes) = (sha2::Sha256::new(), 0);
    fs::read_in_pieces(&mut file, |piece| {
        hasher.update(piece);
        bytes += piece.len() as u64;
    })?;
    Ok((Sha256(hasher.finalize().into()), bytes))
}

/// Names of directories in which an export keeps links to originals begin so.
pub(crate) const LINKS_PREFIX: &str = ".export-";

/// Removes the links that a killed export left in a collection's directory.
pub(crate) fn clear_links(dir: &Path) -> Result<()> {
    for entry in fs::entries(dir)? {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(LINKS_PREFIX)) {
            fs::remove_dir(&entry.path())?;
        }
    }
    Ok(())
}
