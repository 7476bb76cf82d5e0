//! Files that the caller keeps with a collection: copies of source files, and uploads.

use std::path::{Path, PathBuf};

use casetrack_core::{DocumentMeta, Result};

use crate::seal::Output;

/// Locates and writes the files of a collection. Nothing else in the store depends on them. In a vault they are sealed,
/// and their names reveal nothing of their content.
pub trait CollectionFiles {
    fn is_vault(&self) -> bool;

    fn originals_dir(&self) -> PathBuf;

    fn uploads_dir(&self) -> PathBuf;

    /// The path of the copy of a document's source file, if one is kept.
    fn original_path(&self, meta: &DocumentMeta) -> PathBuf;

    /// The path for the copy of the source file of a document that is about to be stored.
    fn new_original_path(&self, meta: &DocumentMeta) -> PathBuf;

    /// The path of the copy of a document's source file, if one is kept: one that was asked for, or the sealed upload that it was read from.
    fn kept_copy(&self, meta: &DocumentMeta) -> Option<PathBuf>;

    /// The path in a vault of the upload with this path. `None` for other paths, and in other collections, in which it
    /// has its own path.
    fn sealed_upload(&self, path: &Path) -> Option<PathBuf>;

    /// The content of a kept file. Errors: `FileNotFound`; `Corrupt` if a sealed one was changed.
    fn read_kept(&self, path: &Path) -> Result<Vec<u8>>;

    /// The length of the content of a kept file, as the file system reports it: a change shows only when the file is read.
    fn kept_bytes(&self, path: &Path) -> Result<u64>;

    /// Replaces a kept file. Durable when it returns.
    fn write_kept(&self, path: &Path, bytes: &[u8]) -> Result<()>;

    /// Begins a file under a name of its own, which becomes `place` when it is renamed.
    fn create_kept(&self, partial: &Path, place: &Path) -> Result<Output>;
}
