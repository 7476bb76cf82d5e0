use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use casetrack_core::Sha256;
use sha2::Digest;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExpectedChecksum {
    pub size: Option<u64>,
    /// Pinned in the manifest, or the hub's identity of a large file (Git LFS).
    pub sha256: Option<Sha256>,
    /// The hub's identity of a small file: the id of its Git object, SHA-1 over `blob <size>\0` and the content.
    pub git_blob: Option<sha1_smol::Digest>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileChecksum {
    pub size: u64,
    pub sha256: Sha256,
}

impl ExpectedChecksum {
    /// Reads the hash in an entity tag of the hub: 64 hexadecimal digits for SHA-256, 40 for a Git object.
    pub fn from_etag(etag: &str) -> Self {
        let etag = etag.trim().trim_start_matches("W/").trim_matches('"');
        let hexadecimal = Some(etag).filter(|etag| etag.bytes().all(|byte| byte.is_ascii_hexdigit()));
        Self { size: None, sha256: etag.parse().ok(), git_blob: hexadecimal.and_then(|etag| etag.parse().ok()) }
    }

    pub fn has_hash(&self) -> bool {
        self.sha256.is_some() || self.git_blob.is_some()
    }

    /// Reads the file and returns its size and hash, or a description of how it differs.
    pub fn check(&self, path: &Path) -> io::Result<Result<FileChecksum, String>> {
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        if let Some(expected) = self.size.filter(|expected| *expected != size) {
            return Ok(Err(format!("it has {size} bytes, expected {expected}")));
        }
        let mut sha256 = sha2::Sha256::new();
        let mut sha1 = self.git_blob.map(|_| sha1_smol::Sha1::from(format!("blob {size}\0")));
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = file.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            sha256.update(&buffer[..read]);
            if let Some(sha1) = &mut sha1 {
                sha1.update(&buffer[..read]);
            }
        }
        let found = Sha256(sha256.finalize().into());
        if let Some(expected) = self.sha256.filter(|expected| *expected != found) {
            return Ok(Err(format!("its SHA-256 is {found}, expected {expected}")));
        }
        if sha1.map(|sha1| sha1.digest()) != self.git_blob {
            return Ok(Err("it is not the content that the hub names (its Git object id differs)".to_owned()));
        }
        Ok(Ok(FileChecksum { size, sha256: found }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entity_tags_are_sha256_or_git_objects_or_nothing() {
        let large = ExpectedChecksum::from_etag("\"9c0bf732145c2a248a35b8d17263e9adefce68043737804b972f46d46b219189\"");
        assert!(large.sha256.is_some() && large.git_blob.is_none());
        let small = ExpectedChecksum::from_etag("W/\"ce013625030ba8dba906f756967f9e9ca394464a\"");
        assert!(small.sha256.is_none() && small.git_blob.is_some() && small.has_hash());
        assert!(!ExpectedChecksum::from_etag("\"5f3a-17\"").has_hash());
    }

    #[test]
    fn a_git_object_id_is_checked() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "hello\n").unwrap();
        // `printf 'hello\n' | git hash-object --stdin`
        let expected = ExpectedChecksum::from_etag("ce013625030ba8dba906f756967f9e9ca394464a");
        let found = expected.check(&path).unwrap().unwrap();
        assert_eq!(found.size, 6);
        assert_eq!(found.sha256, Sha256(sha2::Sha256::digest("hello\n").into()));
        std::fs::write(&path, "hallo\n").unwrap();
        assert!(expected.check(&path).unwrap().unwrap_err().contains("Git object"));
        let size = ExpectedChecksum { size: Some(7), ..ExpectedChecksum::default() };
        assert!(size.check(&path).unwrap().unwrap_err().contains("6 bytes"));
    }
}
