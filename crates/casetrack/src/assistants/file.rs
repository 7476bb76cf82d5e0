//! A configuration on the disk: read as it is, and written so that it is whole at every instant.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use casetrack_core::{Error, ErrorCode, Result};

use super::text::{Encoding, decode, encode};

/// Largest configuration that is read, in bytes. Claude Code also keeps its history in its own.
const MAX_BYTES: u64 = 64 << 20;
/// Suffix of the backup that has the content before the last change.
const BACKUP: &str = ".before-casetrack";
/// An empty file in a folder that CaseTrack made for a configuration.
const MADE: &str = ".made-by-casetrack";

/// A configuration as it was when it was read.
#[derive(Debug)]
pub struct ConfigFile {
    /// The target of links.
    target: PathBuf,
    /// `None` if there is no such file.
    bytes: Option<Vec<u8>>,
    encoding: Encoding,
    /// Empty if there is no such file.
    pub text: String,
}

impl ConfigFile {
    /// Reads a file, through links. A file that is missing is empty.
    pub fn read(path: &Path) -> Result<Self> {
        let target = follow(path)?;
        let Some(bytes) = read(&target)? else {
            return Ok(Self { target, bytes: None, encoding: Encoding::default(), text: String::new() });
        };
        let Some((text, encoding)) = decode(&bytes) else {
            return Err(Error::invalid(
                "Its encoding is not supported: UTF-8, or UTF-16 with a byte-order mark, is \
                expected.",
            )
            .with_hint("Save it as UTF-8, then try again."));
        };
        Ok(Self { target, bytes: Some(bytes), encoding, text })
    }

    pub fn exists(&self) -> bool {
        self.bytes.is_some()
    }

    pub fn backup(&self) -> PathBuf {
        let mut name = self.target.clone().into_os_string();
        name.push(BACKUP);
        name.into()
    }

    /// The text before the last change, if it can be read.
    pub fn before(&self) -> Option<String> {
        let bytes = read(&self.backup()).ok().flatten()?;
        decode(&bytes).filter(|(_, encoding)| *encoding == self.encoding).map(|(text, _)| text)
    }

    /// Replaces the file in one step, after a backup. Returns the path of the backup, if there was a file.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::PermissionDenied`] for a file that is read-only, [`ErrorCode::InUse`] if the file has changed since it was read.
    pub fn write(&self, text: &str) -> Result<Option<PathBuf>> {
        let bytes = encode(text, self.encoding);
        let Some(old) = &self.bytes else {
            if let Some(folder) = self.target.parent().filter(|folder| !folder.exists()) {
                fs::create_dir_all(folder).map_err(|error| Error::io(folder.display(), error))?;
                fs::write(folder.join(MADE), []).map_err(|error| Error::io(folder.display(), error))?;
            }
            self.has_not_changed()?;
            replace(&self.target, &bytes, None)?;
            return Ok(None);
        };
        let permissions = self.permissions()?;
        let backup = self.backup();
        replace(&backup, old, Some(permissions.clone()))?;
        self.has_not_changed()?;
        replace(&self.target, &bytes, Some(permissions))?;
        Ok(Some(backup))
    }

    /// Deletes the file, which CaseTrack made, and its folder if CaseTrack made that too and it has nothing else.
    pub fn delete(&self) -> Result<()> {
        self.permissions()?;
        self.has_not_changed()?;
        fs::remove_file(&self.target).map_err(|error| Error::io(self.target.display(), error))?;
        // Without the mark, the assistant or the user made the folder.
        if let Some(folder) = self.target.parent()
            && fs::remove_file(folder.join(MADE)).is_ok()
        {
            // Refused for a folder that is not empty.
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }

    fn permissions(&self) -> Result<fs::Permissions> {
        let metadata = fs::metadata(&self.target).map_err(|error| Error::io(self.target.display(), error))?;
        match metadata.permissions() {
            permissions if permissions.readonly() => {
                Err(Error::new(ErrorCode::PermissionDenied, format!("{} is read-only.", self.target.display()))
                    .with_hint("Make it writable, or make the change above yourself."))
            }
            permissions => Ok(permissions),
        }
    }

    /// Clients write their configurations, too.
    fn has_not_changed(&self) -> Result<()> {
        match read(&self.target)? == self.bytes {
            true => Ok(()),
            false => Err(Error::new(ErrorCode::InUse, format!("{} has just changed.", self.target.display()))
                .with_hint("Nothing was written. Run the command again.")),
        }
    }
}

/// The file that a path leads to. A link to a file that does not exist yet counts as that file.
fn follow(path: &Path) -> Result<PathBuf> {
    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut path = std::path::absolute(path).map_err(|error| Error::io(path.display(), error))?;
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().map(|folder| folder.join(&target)).unwrap_or(target),
            Err(_) => return Ok(path),
        }
    }
    Err(Error::invalid(format!("{} is a link that leads to itself.", path.display())))
}

fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io(path.display(), error)),
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| Error::io(path.display(), error))?;
    match bytes.len() as u64 > MAX_BYTES {
        true => Err(Error::new(
            ErrorCode::FileTooLarge,
            format!(
                "{} is too large for a configuration \
                file.",
                path.display()
            ),
        )),
        false => Ok(Some(bytes)),
    }
}

/// Writes a new file next to it, to the disk, then renames.
fn replace(path: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions)?;
        }
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|error| Error::io(path.display(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_what_it_was_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/er/config.json");
        let missing = ConfigFile::read(&path).unwrap();
        assert!(!missing.exists() && missing.text.is_empty());
        assert_eq!(missing.write("one").unwrap(), None);
        let file = ConfigFile::read(&path).unwrap();
        let backup = file.write("two").unwrap().unwrap();
        assert_eq!([&path, &backup].map(|path| fs::read_to_string(path).unwrap()), ["two", "one"]);
        assert_eq!(ConfigFile::read(&path).unwrap().before().unwrap(), "one");
        // The content that was read before is gone.
        assert_eq!(file.write("three").unwrap_err().code, ErrorCode::InUse);
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 3, "the file, its backup and the mark");
    }

    #[test]
    fn a_read_only_file_and_a_strange_encoding_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.json");
        fs::write(&path, "{}").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let error = ConfigFile::read(&path).unwrap().write("{\"a\": 1}").unwrap_err();
        assert_eq!(error.code, ErrorCode::PermissionDenied);
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
        let latin = dir.path().join("latin.json");
        fs::write(&latin, b"{\"a\": \"\xe9\"}").unwrap();
        assert_eq!(ConfigFile::read(&latin).unwrap_err().code, ErrorCode::InvalidArgument);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_permissions_stay_as_they_were() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("dotfiles.json"), dir.path().join("config.json"));
        fs::write(&real, "{}").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
        symlink("dotfiles.json", &link).unwrap();
        ConfigFile::read(&link).unwrap().write("{\"a\": 1}").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "{\"a\": 1}");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
        symlink("circle", dir.path().join("circle")).unwrap();
        assert!(ConfigFile::read(&dir.path().join("circle")).is_err());
    }

    #[test]
    fn bytes_that_mark_an_encoding_stay() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.json");
        fs::write(&path, encode("{}", Encoding::Utf16Le)).unwrap();
        ConfigFile::read(&path).unwrap().write("{ }").unwrap();
        assert_eq!(fs::read(&path).unwrap(), encode("{ }", Encoding::Utf16Le));
    }
}
