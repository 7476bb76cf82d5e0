//! Files that the caller keeps in a collection's directory: copies of source files, and uploads. In a vault they are
//! sealed, and their names reveal nothing of their content.

use std::path::{Component, Path, PathBuf};

use casetrack_core::{CollectionId, DocumentMeta, Error, Result};
use casetrack_vault::files::plain_bytes;

use crate::collection::{LocalCollection, ORIGINALS, UPLOADS};
use crate::roles::{CollectionFiles, DescribeCollection};
use crate::seal::Output;
use crate::{fs, originals};

impl CollectionFiles for LocalCollection {
    fn is_vault(&self) -> bool {
        self.seal().is_sealed()
    }

    fn originals_dir(&self) -> PathBuf {
        self.dir().join(ORIGINALS)
    }

    fn uploads_dir(&self) -> PathBuf {
        self.dir().join(UPLOADS)
    }

    fn original_path(&self, meta: &DocumentMeta) -> PathBuf {
        originals::path(&self.originals_dir(), meta, self.seal())
    }

    fn new_original_path(&self, meta: &DocumentMeta) -> PathBuf {
        originals::new_path(&self.originals_dir(), meta, self.seal())
    }

    fn kept_copy(&self, meta: &DocumentMeta) -> Option<PathBuf> {
        if meta.original_stored {
            return Some(self.original_path(meta));
        }
        self.sealed_upload(Path::new(&meta.path)).filter(|place| place.exists())
    }

    fn sealed_upload(&self, path: &Path) -> Option<PathBuf> {
        let relative = uploaded(self.meta().id, path)?;
        let name = self.seal().hidden_name(relative.to_str()?)?;
        Some(self.uploads_dir().join(name))
    }

    fn read_kept(&self, path: &Path) -> Result<Vec<u8>> {
        self.seal().read(path, &self.kept_name(path))
    }

    fn kept_bytes(&self, path: &Path) -> Result<u64> {
        let bytes = path.metadata().map_err(|error| Error::io(path.display(), error))?.len();
        Ok(if self.seal().is_sealed() { plain_bytes(bytes) } else { bytes })
    }

    fn write_kept(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.make_folder_of(path)?;
        self.seal().write_atomically(path, &self.kept_name(path), bytes)
    }

    fn create_kept(&self, partial: &Path, place: &Path) -> Result<Output> {
        self.make_folder_of(partial)?;
        self.seal().create(partial, &self.kept_name(place))
    }
}

impl LocalCollection {
    fn make_folder_of(&self, path: &Path) -> Result<()> {
        path.parent().map_or(Ok(()), fs::create_dir)
    }

    /// The name by which a file is known in its collection, which its content is bound to in a vault.
    fn kept_name(&self, path: &Path) -> String {
        let relative = path.strip_prefix(self.dir()).unwrap_or(path);
        // The same on every system.
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        parts.join("/")
    }
}

/// The path of an upload below the folder of uploads, from the path of its document; `None` for other documents.
pub(crate) fn uploaded(collection: CollectionId, path: &Path) -> Option<&Path> {
    let mut parts = path.components();
    let id = collection.to_string();
    parts.find(|part| part.as_os_str() == id.as_str())?;
    let uploads = parts.next().is_some_and(|part| part.as_os_str() == UPLOADS);
    let relative = parts.as_path();
    let plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
    (uploads && plain && !relative.as_os_str().is_empty()).then_some(relative)
}
