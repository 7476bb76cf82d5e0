//! The paths that may be named. A path is judged by its names before any access: one outside the roots, behind a link, or in a place that
//! the rules of access deny, is refused in the same words, even if it does not exist.

use std::path::{Component, Path, PathBuf};

use casetrack_catalog::lexical;
use casetrack_core::{Error, ErrorCode, Result};

use casetrack_host::Host;

/// Longest path, in bytes: the limit of the kernel.
const MAX_PATH_BYTES: usize = 4096;

/// The path, if it is below a root. Reads nothing from the disk.
pub(super) fn named(host: &Host, roots: &[PathBuf], text: &str) -> Result<PathBuf> {
    let is_possible = text.len() <= MAX_PATH_BYTES && !text.contains('\0') && Path::new(text).is_absolute();
    let path = is_possible.then(|| lexical(Path::new(text))).flatten().ok_or_else(|| refused(text))?;
    let is_below = roots.iter().any(|root| path.starts_with(root));
    if !is_below || host.config().access.check_name(&path).is_err() || is_own(host, &path) {
        return Err(refused(text));
    }
    Ok(path)
}

/// The path of a file or folder that exists and is reached without a link below its root. If a path has escaped hidden characters, as
/// answers show them, and no such path exists, it stands for the path with the characters themselves.
pub(super) fn existing(host: &Host, roots: &[PathBuf], text: &str) -> Result<PathBuf> {
    existing_literally(host, roots, text).or_else(|error| match unescaped(text) {
        Some(path) if error.code == ErrorCode::FileNotFound => existing_literally(host, roots, &path),
        _ => Err(error),
    })
}

/// A text with its `\u{202e}` as characters. `None` if it has none.
fn unescaped(text: &str) -> Option<String> {
    let mut parts = text.split("\\u{");
    let mut plain = parts.next()?.to_owned();
    let mut found = false;
    for part in parts {
        let (code, rest) = part.split_once('}')?;
        plain.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
        plain.push_str(rest);
        found = true;
    }
    found.then_some(plain)
}

fn existing_literally(host: &Host, roots: &[PathBuf], text: &str) -> Result<PathBuf> {
    let path = named(host, roots, text)?;
    let mut at = roots.iter().filter(|root| path.starts_with(root)).max_by_key(|root| root.as_os_str().len()).cloned();
    let Some(at) = &mut at else { return Err(refused(text)) };
    let below = path.strip_prefix(&*at).map(Path::to_owned).unwrap_or_default();
    for name in below.components() {
        if !matches!(name, Component::Normal(_)) {
            return Err(refused(text));
        }
        at.push(name);
        match at.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => return Err(refused(text)),
            Ok(_) => {}
            Err(error) => return Err(missing(&path, error)),
        }
    }
    at.symlink_metadata().map_err(|error| missing(&path, error))?;
    Ok(path)
}

/// True if a path is CaseTrack's own data: the texts of collections are there.
pub(super) fn is_own(host: &Host, path: &Path) -> bool {
    let data_dir = &host.config().data_dir;
    path.starts_with(data_dir) || casetrack_core::real_path(data_dir).is_ok_and(|data_dir| path.starts_with(data_dir))
}

fn refused(text: &str) -> Error {
    let shown: String = text.chars().take(200).collect();
    Error::new(ErrorCode::AccessDenied, format!("Access to '{shown}' is not allowed."))
        .with_hint("Use the absolute path, without links, of something below a root that listRoots names.")
}

fn missing(path: &Path, error: std::io::Error) -> Error {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    match error.kind() {
        NotFound | NotADirectory => {
            Error::new(ErrorCode::FileNotFound, format!("There is no file or folder '{}'.", path.display()))
                .with_hint("Check the spelling, or find the file with searchFiles.")
        }
        _ => Error::io(path.display(), error),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use casetrack_host::EngineConfig;

    #[test]
    fn what_may_not_be_named_is_refused_in_the_same_words() {
        let dir = tempfile::tempdir().unwrap();
        let top = casetrack_core::real_path(dir.path()).unwrap();
        let (root, outside, data) = (top.join("root"), top.join("outside"), top.join("root/data"));
        for folder in [&root, &outside, &data] {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join("a.txt"), "x").unwrap();
        }
        fs::write(root.join("server.pem"), "x").unwrap();
        symlink(outside.join("a.txt"), root.join("link.txt")).unwrap();
        symlink(outside.join("missing"), root.join("dangling")).unwrap();
        symlink(&outside, root.join("folder")).unwrap();
        let host = Host::new(EngineConfig::new(data)).unwrap();
        let roots = [root.clone()];
        let judged = |path: &str| existing(&host, &roots, path);
        let root_text = root.to_str().unwrap();
        for path in [
            format!("{}/a.txt", outside.display()),
            format!("{}/missing.txt", outside.display()),
            format!("{root_text}/../outside/a.txt"),
            format!("{root_text}/../outside/missing.txt"),
            format!("{root_text}/link.txt"),
            format!("{root_text}/dangling"),
            format!("{root_text}/folder/a.txt"),
            format!("{root_text}/folder/missing.txt"),
            format!("{root_text}/server.pem"),
            format!("{root_text}/missing.pem"),
            format!("{root_text}/data/a.txt"),
            format!("{root_text}-other/a.txt"),
            "a.txt".to_owned(),
            "../a.txt".to_owned(),
            "…".to_owned(),
            String::new(),
            "/".to_owned(),
            format!("{root_text}/{}", "a/".repeat(3000)),
        ] {
            let error = judged(&path).unwrap_err();
            let shown: String = path.chars().take(200).collect();
            assert_eq!(error.code, ErrorCode::AccessDenied, "{path}");
            assert_eq!(error.message.replace(&format!("'{shown}'"), "PATH"), "Access to PATH is not allowed.");
        }
        assert_eq!(judged(&format!("{root_text}/./x/../a.txt")).unwrap(), root.join("a.txt"));
        assert_eq!(judged(root_text).unwrap(), root);
        let error = judged(&format!("{root_text}/missing.txt")).unwrap_err();
        assert_eq!(error.code, ErrorCode::FileNotFound);
    }
}
