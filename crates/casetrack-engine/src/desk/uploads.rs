//! Files that a person drops on the workbench. A browser does not report their paths, so a copy is kept in the collection's directory, in
//! `uploads/`, and goes with the collection.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use casetrack_core::{Action, CollectionId, Error, ErrorCode, FileLimit, Result, hint};

use casetrack_store::Output;

use casetrack_host::{Host, OpenCollection};

/// Longest path of an upload, in bytes, deepest folder, and longest name, in bytes (within the limits of every file system).
const MAX_PATH: usize = 1024;
const MAX_DEPTH: usize = 32;
const MAX_NAME: usize = 200;
/// Most files of one name with different content.
const MOST_OF_A_NAME: u32 = 1000;
/// Names that Windows keeps for devices.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// A file that is being uploaded. In a vault, the file is sealed as it arrives, under a name that does not reveal the name of the file.
pub struct Upload {
    collection: Arc<OpenCollection>,
    relative: PathBuf,
    partial: PathBuf,
    /// Maximum number of bytes.
    pub limit: u64,
}

pub struct UploadFile {
    to: Output,
    bytes: u64,
}

impl Write for UploadFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Begins an upload: the path is relative, and names a dropped file or one in a dropped folder.
///
/// Errors: [`ErrorCode::InvalidArgument`] for a path that leads elsewhere or that some file systems refuse; [`ErrorCode::AccessDenied`]
/// for a name on the deny list; a collection that cannot be changed.
pub fn begin_upload(host: &Host, collection: CollectionId, path: &str) -> Result<Upload> {
    let collection = host.collection_to_change(collection)?;
    let relative = checked(path)?;
    let folder = collection.uploads_dir();
    host.config().access.check_name(&folder.join(&relative))?;
    let partial = folder.join(format!(".{}.partial", CollectionId::random()));
    Ok(Upload { collection, relative, partial, limit: host.config().limits.max_file_bytes })
}

impl Upload {
    /// The file to write to, which must not have more bytes than [`limit`](Self::limit) when [`finish`](Self::finish) is called.
    pub fn create(&self) -> Result<UploadFile> {
        let to = self.collection.create_kept(&self.partial, &self.partial)?;
        Ok(UploadFile { to, bytes: 0 })
    }

    /// Puts the file in its place and returns the path. A file of the same name and content stays unchanged. One with other content also stays,
    /// and the new one gets a number.
    pub fn finish(self, file: UploadFile) -> Result<PathBuf> {
        let failed = |error| Error::io(self.partial.display(), error);
        let UploadFile { to, bytes } = file;
        to.finish().map_err(failed)?;
        if bytes > self.limit {
            return Err(self.too_large());
        }
        for number in 1..=MOST_OF_A_NAME {
            let target = self.collection.uploads_dir().join(numbered(&self.relative, number));
            let taken = match self.collection.sealed_upload(&target) {
                Some(place) => self.put_sealed(&place)?,
                None => self.put(&target)?,
            };
            if taken {
                return Ok(target);
            }
        }
        Err(Error::new(
            ErrorCode::AlreadyExists,
            format!("There are too many files named {}.", self.relative.display()),
        )
        .with_hint("Give the file another name."))
    }

    /// Returns true if the file is now at `target`, false if another file is there.
    fn put(&self, target: &Path) -> Result<bool> {
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|error| Error::io(parent.display(), error))?;
        }
        // Never replaces a file, even one that comes at this moment.
        match fs::hard_link(&self.partial, target) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                same_content(&self.partial, target).map_err(|error| Error::io(target.display(), error))
            }
            // A file system without links.
            Err(_) if !target.exists() => {
                fs::rename(&self.partial, target).map_err(|error| Error::io(target.display(), error))?;
                Ok(true)
            }
            Err(error) => Err(Error::io(target.display(), error)),
        }
    }

    /// As [`put`](Self::put), for a vault, in which a file is bound to its place.
    fn put_sealed(&self, place: &Path) -> Result<bool> {
        let content = self.collection.read_kept(&self.partial)?;
        if place.exists() {
            return Ok(self.collection.read_kept(place)? == content);
        }
        self.collection.write_kept(place, &content)?;
        Ok(true)
    }

    /// The error of a file that is longer than the limit.
    pub fn too_large(&self) -> Error {
        let message = format!("{} is larger than {} MB, the limit.", self.relative.display(), self.limit >> 20);
        Error::new(ErrorCode::FileTooLarge, message).with_hint(hint![
            "Split the file. Or ",
            Action::RaiseLimit(FileLimit::FileSize),
            "."
        ])
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        // The file that was put in place has a name of its own.
        let _ = fs::remove_file(&self.partial);
    }
}

/// A relative path of plain names.
fn checked(path: &str) -> Result<PathBuf> {
    let refused = |why: &str| {
        let shown: String = path.chars().take(200).collect();
        Error::invalid(format!("\"{}\" cannot be the path of an upload: {why}.", shown.escape_debug()))
            .with_hint("Give the file another name, and upload it again.")
    };
    if path.is_empty() || path.len() > MAX_PATH {
        return Err(refused("it is empty or too long"));
    }
    let names: Vec<&str> = path.split('/').collect();
    if names.len() > MAX_DEPTH {
        return Err(refused("it has too many folders"));
    }
    for name in &names {
        let plain = Path::new(name).components().eq([Component::Normal(name.as_ref())]);
        let bad = |c: char| c.is_control() || matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
        let device = name.split('.').next().unwrap_or_default().to_lowercase();
        let device = device.trim_end_matches(|c: char| c.is_ascii_digit());
        if !plain || name.contains(bad) || name.len() > MAX_NAME {
            return Err(refused("one of its names is not valid on every system"));
        }
        if name.starts_with('.') || name.ends_with(['.', ' ']) || DEVICES.contains(&device) {
            return Err(refused("one of its names is reserved"));
        }
    }
    Ok(names.iter().collect())
}

/// `a/b.pdf`, `a/b (2).pdf`
fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let text = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = (text(path.file_stem()), text(path.extension()));
    let dot = if extension.is_empty() { "" } else { "." };
    path.with_file_name(format!("{stem} ({number}){dot}{extension}"))
}

fn same_content(a: &Path, b: &Path) -> io::Result<bool> {
    let (mut a, mut b) = (File::open(a)?, File::open(b)?);
    if a.metadata()?.len() != b.metadata()?.len() {
        return Ok(false);
    }
    let (mut left, mut right) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let read = a.read(&mut left)?;
        if read == 0 {
            return Ok(true);
        }
        b.read_exact(&mut right[..read])?;
        if left[..read] != right[..read] {
            return Ok(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::{CollectionMeta, CollectionStatus, CollectionType, Timestamp};
    use casetrack_store::VectorModels;
    use casetrack_vault::header::{Header, Protector};
    use casetrack_vault::key::VaultKey;
    use casetrack_vault::passphrase::{Cost, Passphrase};

    use super::*;
    use casetrack_host::{EngineConfig, KeptCopy, read};

    #[test]
    fn no_path_leads_elsewhere() {
        for good in ["a.pdf", "Folder/Größe ☂.docx", "a/b/c/d.txt", "Conrad.pdf", "a..b.pdf"] {
            assert_eq!(checked(good).unwrap(), Path::new(good));
        }
        let deep = vec!["a"; MAX_DEPTH + 1].join("/");
        let long = "n".repeat(MAX_NAME + 1);
        for bad in [
            "",
            "/etc/passwd",
            "../a",
            "a/../../b",
            "a/..",
            "./a",
            "a//b",
            "a/",
            "..\\a",
            "C:\\a",
            "C:a",
            "a\0b",
            "a\nb",
            ".hidden",
            "a/.ssh/id",
            "con",
            "NUL.txt",
            "com1.pdf",
            "a.",
            "a ",
            "a?b",
            &deep,
            &long,
        ] {
            assert!(checked(bad).is_err(), "{bad:?}");
        }
    }

    /// A collection, and its seal if it is to be a vault.
    fn collection(host: &Host, name: &str, is_vault: bool) -> CollectionId {
        let meta = CollectionMeta {
            id: CollectionId::random(),
            name: name.to_owned(),
            reference: None,
            collection_type: CollectionType::default(),
            status: CollectionStatus::Active,
            created_at: Timestamp::now(),
        };
        let models = VectorModels { dense: "m".to_owned(), dense_dimension: 2, sparse: None, tokens: None };
        match is_vault {
            true => {
                let key = VaultKey::random(meta.id).unwrap();
                let passphrase = Passphrase::new("right").unwrap();
                let header = Header::create(&key, &Protector::Passphrase(&passphrase, Cost::LEAST)).unwrap();
                host.registry().create_vault(&meta, &models, key, &header).unwrap();
            }
            false => drop(host.store().create(&meta, &models).unwrap()),
        }
        meta.id
    }

    fn put(host: &Host, id: CollectionId, content: &[u8]) -> Result<PathBuf> {
        let mut upload = begin_upload(host, id, "f/a.b.pdf").unwrap();
        upload.limit = 10;
        let mut file = upload.create().unwrap();
        file.write_all(content).unwrap();
        upload.finish(file)
    }

    #[test]
    fn a_file_with_other_content_gets_a_number() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::new(EngineConfig::new(dir.path().to_owned())).unwrap();
        for is_vault in [false, true] {
            let id = collection(&host, if is_vault { "Vault" } else { "Matter" }, is_vault);
            let folder = host.collection(id).unwrap().uploads_dir();
            let place = |name: &str| folder.join("f").join(name);
            assert_eq!(put(&host, id, b"one").unwrap(), place("a.b.pdf"));
            assert_eq!(put(&host, id, b"two").unwrap(), place("a.b (2).pdf"));
            assert_eq!(put(&host, id, b"one").unwrap(), place("a.b.pdf"));
            assert_eq!(put(&host, id, b"three").unwrap(), place("a.b (3).pdf"));
            assert_eq!(put(&host, id, b"more than ten bytes").unwrap_err().code, ErrorCode::FileTooLarge);
            let names =
                || fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let left: Vec<_> = names().collect();
            let collection = host.collection(id).unwrap();
            if !is_vault {
                assert_eq!(left, ["f"]);
                assert_eq!(fs::read(place("a.b.pdf")).unwrap(), b"one");
                assert_eq!(collection.sealed_upload(&place("a.b.pdf")), None);
                continue;
            }
            // Neither names nor contents.
            assert_eq!(left.len(), 3);
            assert!(left.iter().all(|name| name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())));
            let sealed = collection.sealed_upload(&place("a.b (2).pdf")).unwrap();
            assert!(fs::read(&sealed).unwrap().starts_with(b"CTVFILE"));
            let copy = KeptCopy { collection: &collection, path: &sealed };
            assert_eq!(read(&place("a.b (2).pdf"), Some(copy), host.config()).unwrap().0, b"two");
            for elsewhere in ["/tmp/a.pdf", "", "/x/uploads/a.pdf"] {
                assert_eq!(collection.sealed_upload(Path::new(elsewhere)), None);
            }
            assert_eq!(collection.sealed_upload(&folder.join("../../a")), None);
            // A vault accepts no other file there, even if files are exchanged.
            fs::copy(collection.sealed_upload(&place("a.b.pdf")).unwrap(), &sealed).unwrap();
            assert_eq!(read(&sealed, Some(copy), host.config()).unwrap_err().code, ErrorCode::Corrupt);
        }
    }
}
