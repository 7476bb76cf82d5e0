//! Files that the caller keeps beside the documents of a collection: copies of source files, and uploads.

use std::path::{Path, PathBuf};

use casetrack_core::{DocumentMeta, Result};

use crate::seal::Output;

/// The files of a collection. The store says where each lies and writes it; nothing else of it depends on them. In a vault they are
/// sealed, and their names say nothing of what is in them.
pub trait KeptFiles {
    /// Whether the collection is a vault.
    fn is_vault(&self) -> bool;

    /// Where the caller keeps copies of source files.
    fn originals_dir(&self) -> PathBuf;

    /// Where the caller keeps files that were uploaded.
    fn uploads_dir(&self) -> PathBuf;

    /// Where the copy of a document's source file is, if one is kept.
    fn original_path(&self, meta: &DocumentMeta) -> PathBuf;

    /// Where to put the copy of a document's source file that is about to be stored.
    fn new_original_path(&self, meta: &DocumentMeta) -> PathBuf;

    /// Where the copy of a document's source file is, if one is kept: one that was asked for, or the sealed upload that it was read from.
    fn kept_copy(&self, meta: &DocumentMeta) -> Option<PathBuf>;

    /// Where the upload of this path lies in a vault. `None` in other collections, where it lies under its path, and for other paths.
    fn sealed_upload(&self, path: &Path) -> Option<PathBuf>;

    /// The content of a kept file.
    ///
    /// Errors: `FileNotFound`; `Corrupt` where a sealed one was changed.
    fn read_kept(&self, path: &Path) -> Result<Vec<u8>>;

    /// The length of its content.
    fn kept_bytes(&self, path: &Path) -> Result<u64>;

    /// Replaces a kept file. Durable when it returns.
    fn write_kept(&self, path: &Path, bytes: &[u8]) -> Result<()>;

    /// Begins a file under a name of its own, which is to be known as `place` when it is renamed.
    fn create_kept(&self, partial: &Path, place: &Path) -> Result<Output>;
}
