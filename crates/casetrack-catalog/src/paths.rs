//! Paths as the database keeps them, and paths that are resolved without reading the disk.

use std::borrow::Cow;
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};

/// The bytes of a path, which sort as the database sorts them.
pub(crate) fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// The path that [`bytes`] was made of.
#[cfg(unix)]
pub(crate) fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

/// Elsewhere, a name that is not Unicode is kept with a replacement, and is then not found on the disk, so it is never returned.
#[cfg(not(unix))]
pub(crate) fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

/// The bytes that begin every path below a folder.
pub(crate) fn below(folder: &Path) -> Vec<u8> {
    let mut prefix = bytes(folder).to_vec();
    if prefix.last() != Some(&(MAIN_SEPARATOR as u8)) {
        prefix.push(MAIN_SEPARATOR as u8);
    }
    prefix
}

/// The bytes of the path of a name in a folder.
pub(crate) fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(folder.len() + name.len() + 1);
    path.extend_from_slice(folder);
    if path.last() != Some(&(MAIN_SEPARATOR as u8)) {
        path.push(MAIN_SEPARATOR as u8);
    }
    path.extend_from_slice(name);
    path
}

/// The first bytes that sort behind all that begin with `prefix`, which ends in a separator.
pub(crate) fn behind(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    end
}

/// Number of folders between a folder and a path below it: 0 for its direct children.
pub(crate) fn depth(prefix: &[u8], path: &[u8]) -> usize {
    path.get(prefix.len()..).unwrap_or_default().iter().filter(|byte| **byte == MAIN_SEPARATOR as u8).count()
}

/// Number of folders between a folder and the contents of another, which is the same or below it: 0 for the folder itself.
pub(crate) fn folder_depth(prefix: &[u8], folder: &[u8]) -> usize {
    if folder.len() >= prefix.len() && folder != prefix { depth(prefix, folder) + 1 } else { 0 }
}

/// A path as text. Bytes that are not Unicode become U+FFFD.
pub fn shown(path: &Path) -> Cow<'_, str> {
    path.to_string_lossy()
}

/// The path without `.`, and with each `..` resolved against the name before it. Only the names count; the disk is not read. `None` if `..`
/// leads out of a relative path.
pub fn lexical(path: &Path) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !clean.pop() && !path.is_absolute() {
                    return None;
                }
            }
            other => clean.push(other),
        }
    }
    Some(clean)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn paths_are_judged_by_their_names_alone() {
        for (path, expected) in [
            ("/a/./b/../c", Some("/a/c")),
            ("/../a", Some("/a")),
            ("a/../b", Some("b")),
            ("", Some("")),
            ("../a", None),
            ("a/../../b", None),
        ] {
            assert_eq!(lexical(Path::new(path)), expected.map(PathBuf::from), "{path}");
        }
    }

    #[test]
    fn the_range_below_a_folder_holds_what_lies_in_it_and_nothing_else() {
        let prefix = below(Path::new("/a/b"));
        let end = behind(&prefix);
        for (path, inside) in
            [("/a/b/c", true), ("/a/b/c/d", true), ("/a/b", false), ("/a/b-c", false), ("/a/c", false)]
        {
            let path = bytes(Path::new(path));
            assert_eq!(path >= &prefix[..] && path < &end[..], inside);
        }
        assert_eq!(below(Path::new("/")), b"/");
        assert_eq!(depth(&prefix, b"/a/b/c/d/e"), 2);
    }
}
