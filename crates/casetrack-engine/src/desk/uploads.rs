//! Files that a person drops on the workbench. A browser does not say where they are, so a copy is kept in the collection's directory, in
//! `uploads/`, and goes with the collection.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use casetrack_core::{Action, CollectionId, Error, ErrorCode, FileLimit, Result, hint};

use crate::host::Host;

/// Longest path of an upload, in bytes, deepest folder, and longest name, in bytes (what every file system takes).
const MAX_PATH: usize = 1024;
const MAX_DEPTH: usize = 32;
const MAX_NAME: usize = 200;
/// Most files of one name with different content.
const MOST_OF_A_NAME: u32 = 1000;
/// Names that Windows keeps for devices.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// A file that is being uploaded.
#[derive(Debug)]
pub struct Upload {
    folder: PathBuf,
    relative: PathBuf,
    partial: PathBuf,
    /// Most bytes that it may have.
    pub limit: u64,
}

impl Host {
    /// Begins an upload: the path is relative, and that of a dropped file or of one in a dropped folder.
    ///
    /// Errors: [`ErrorCode::InvalidArgument`] for a path that leads elsewhere or that not every file system takes;
    /// [`ErrorCode::AccessDenied`] for a name on the deny list; those of a collection that cannot be changed.
    pub fn begin_upload(&self, collection: CollectionId, path: &str) -> Result<Upload> {
        let collection = self.collection_to_change(collection)?;
        let relative = checked(path)?;
        let folder = collection.uploads_dir();
        self.config().access.check_name(&folder.join(&relative))?;
        fs::create_dir_all(&folder).map_err(|error| Error::io(folder.display(), error))?;
        let partial = folder.join(format!(".{}.partial", CollectionId::random()));
        Ok(Upload { folder, relative, partial, limit: self.config().limits.max_file_bytes })
    }
}

impl Upload {
    /// The file to write to, which must not have more bytes than [`limit`](Self::limit) when [`finish`](Self::finish) is called.
    pub fn create(&self) -> Result<File> {
        File::create_new(&self.partial).map_err(|error| Error::io(self.partial.display(), error))
    }

    /// Puts the file in its place and returns that. A file of the same name and content stays as it is; one with other content also stays,
    /// and the new one gets a number.
    pub fn finish(self, file: File) -> Result<PathBuf> {
        let failed = |error| Error::io(self.partial.display(), error);
        file.sync_all().map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        drop(file);
        if length > self.limit {
            return Err(self.too_large());
        }
        for number in 1..=MOST_OF_A_NAME {
            let target = self.folder.join(numbered(&self.relative, number));
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent).map_err(|error| Error::io(parent.display(), error))?;
            }
            // Never replaces a file, even one that comes at this moment.
            match fs::hard_link(&self.partial, &target) {
                Ok(()) => return Ok(target),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if same_content(&self.partial, &target).map_err(|error| Error::io(target.display(), error))? {
                        return Ok(target);
                    }
                }
                // A file system without links.
                Err(_) if !target.exists() => {
                    fs::rename(&self.partial, &target).map_err(|error| Error::io(target.display(), error))?;
                    return Ok(target);
                }
                Err(error) => return Err(Error::io(target.display(), error)),
            }
        }
        Err(Error::new(
            ErrorCode::AlreadyExists,
            format!("There are too many files named {}.", self.relative.display()),
        )
        .with_hint("Give the file another name."))
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
        // What was put in its place has a name of its own.
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
            return Err(refused("one of its names is not one that every system takes"));
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
    use std::io::Write;

    use super::*;

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

    #[test]
    fn a_file_with_other_content_gets_a_number() {
        let dir = tempfile::tempdir().unwrap();
        let put = |content: &[u8]| {
            let upload = Upload {
                folder: dir.path().to_owned(),
                relative: "f/a.b.pdf".into(),
                partial: dir.path().join(".partial"),
                limit: 10,
            };
            let mut file = upload.create().unwrap();
            file.write_all(content).unwrap();
            upload.finish(file)
        };
        let place = |name: &str| dir.path().join("f").join(name);
        assert_eq!(put(b"one").unwrap(), place("a.b.pdf"));
        assert_eq!(put(b"two").unwrap(), place("a.b (2).pdf"));
        assert_eq!(put(b"one").unwrap(), place("a.b.pdf"));
        assert_eq!(put(b"three").unwrap(), place("a.b (3).pdf"));
        assert_eq!(fs::read(place("a.b.pdf")).unwrap(), b"one");
        assert_eq!(put(b"more than ten bytes").unwrap_err().code, ErrorCode::FileTooLarge);
        let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["f"]);
    }
}
