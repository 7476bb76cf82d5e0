//! Hugging Face's cache of downloaded files, read only.
//!
//! Layout (huggingface_hub, "Understand caching"): `models--<owner>--<name>/snapshots/<commit>/<file>` is a link to
//! `blobs/<entity tag>`, and `refs/<revision>` holds a commit. Without links, as on Windows, the files are copies.

use std::fs;
use std::path::{Path, PathBuf};

use crate::checksum::ExpectedChecksum;

pub struct RepositoryCache {
    dir: PathBuf,
}

impl RepositoryCache {
    pub fn new(cache: &Path, repository: &str) -> Self {
        Self { dir: cache.join(format!("models--{}", repository.replace('/', "--"))) }
    }

    /// The commit that a revision named when it was last downloaded; a commit names itself.
    pub fn commit(&self, revision: &str) -> Option<String> {
        if self.dir.join("snapshots").join(revision).is_dir() {
            return Some(revision.to_owned());
        }
        let commit = fs::read_to_string(self.dir.join("refs").join(revision)).ok()?;
        Some(commit.trim().to_owned())
    }

    /// A file of a commit, if it is there, and the hash that its link names.
    pub fn file(&self, commit: &str, name: &str) -> Option<(PathBuf, ExpectedChecksum)> {
        let path = self.dir.join("snapshots").join(commit).join(name);
        if !path.is_file() {
            return None;
        }
        let blob = fs::read_link(&path).ok();
        let etag = blob.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let expected = etag.map(|etag| ExpectedChecksum::from_etag(&etag)).unwrap_or_default();
        Some((path, expected))
    }
}
