//! Which files a request means.

use std::collections::{BTreeSet, HashSet};
use std::fs::FileType;
use std::path::{Path, PathBuf};

use casetrack_core::{Cancel, Error, ErrorCode, Result};
use walkdir::{DirEntry, WalkDir};

use super::{FailedFile, IngestRequest, Problem, SkipReason, SkippedFile};
use casetrack_host::EngineConfig;
use casetrack_host::access::Access;

/// The files to examine, in a stable order, and what could not even be listed.
#[derive(Default)]
pub(crate) struct Discovery {
    pub files: Vec<FoundFile>,
    pub failed: Vec<FailedFile>,
    /// Folders that are not searched.
    pub denied: Vec<SkippedFile>,
    /// Pipes, sockets, devices and links that lead back to a folder around them: reading one may never end.
    pub not_files: Vec<SkippedFile>,
    pub subfolders: Vec<String>,
}

pub struct FoundFile {
    /// Absolute, symbolic links resolved.
    pub path: PathBuf,
    /// Path below the folder asked for, or the file name; for people.
    pub relative: String,
    /// Found in a folder, not asked for by name.
    pub in_folder: bool,
    /// Where its bytes are, if not at its path.
    pub copy: Option<PathBuf>,
}

impl FoundFile {
    /// One that was asked for by name, and whose bytes are elsewhere.
    pub fn kept(copy: Option<PathBuf>, path: PathBuf) -> Self {
        Self { relative: file_name(&path), path, in_folder: false, copy }
    }
}

/// Lists the files. `data_dir` is left out, wherever it lies. Hidden files (`.name`) and the lock files that office programs
/// leave (`~$name`) inside folders are not documents and are left out too. Ends early, with what it found, when it is cancelled.
///
/// Fails when the only path asked for cannot be read; with several paths that is a failed file of the report.
pub(crate) fn discover(request: &IngestRequest, config: &EngineConfig, cancel: &Cancel) -> Result<Discovery> {
    let mut discovery = Discovery::default();
    let data_dir = config.data_dir.canonicalize().ok();
    let mut subfolders = BTreeSet::new();
    for path in &request.paths {
        let found = match config.access.check(path) {
            Ok(root) if root.is_dir() => {
                walk(&root, request, &config.access, data_dir.as_deref(), cancel, &mut discovery, &mut subfolders)
            }
            Ok(file) => {
                let relative = file_name(&file);
                discovery.files.push(FoundFile { path: file, relative, in_folder: false, copy: None });
                Ok(())
            }
            Err(error) => Err(error),
        };
        match found {
            Ok(()) => {}
            Err(error) if request.paths.len() == 1 => return Err(error),
            Err(error) => discovery.failed.push(failed(path, path.display().to_string(), &error)),
        }
    }
    let mut seen = HashSet::new();
    discovery.files.retain(|file| seen.insert(file.path.clone()));
    discovery.subfolders = subfolders.into_iter().collect();
    Ok(discovery)
}

fn walk(
    root: &Path,
    request: &IngestRequest,
    access: &Access,
    data_dir: Option<&Path>,
    cancel: &Cancel,
    discovery: &mut Discovery,
    subfolders: &mut BTreeSet<String>,
) -> Result<()> {
    std::fs::read_dir(root).map_err(|error| Error::io(root.display(), error))?;
    let depth = if request.recursive { usize::MAX } else { 1 };
    // Symbolic links are followed: people file documents with them. walkdir reports loops.
    let walker = WalkDir::new(root).follow_links(true).max_depth(depth).sort_by_file_name();
    let mut entries = walker
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || (!is_hidden(entry) && Some(entry.path()) != data_dir));
    while let Some(entry) = entries.next() {
        if cancel.is_cancelled() {
            break;
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().unwrap_or(root).to_owned();
                if let Some(ancestor) = error.loop_ancestor() {
                    discovery.not_files.push(link_back(&path, relative_to(&path, root), ancestor));
                    continue;
                }
                let error = walk_error(&path, error);
                discovery.failed.push(failed(&path, relative_to(&path, root), &error));
                continue;
            }
        };
        if entry.file_type().is_dir() {
            // What the rules say of a file is found when it is read.
            if let Err(error) = access.check(entry.path())
                && error.code == ErrorCode::AccessDenied
            {
                discovery.denied.push(denied(entry.path(), relative_to(entry.path(), root), error));
                entries.skip_current_dir();
            }
            continue;
        }
        if !has_extension(entry.path(), request.extensions.as_deref()) {
            continue;
        }
        let relative = relative_to(entry.path(), root);
        if !entry.file_type().is_file() {
            discovery.not_files.push(not_file(entry.path(), relative, entry.file_type()));
            continue;
        }
        if let Some((folder, _)) = relative.split_once(std::path::MAIN_SEPARATOR) {
            subfolders.insert(folder.to_owned());
        }
        let path = entry.path().canonicalize().unwrap_or_else(|_| entry.path().to_owned());
        discovery.files.push(FoundFile { path, relative, in_folder: true, copy: None });
    }
    Ok(())
}

pub fn failed(path: &Path, relative_path: String, error: &Error) -> FailedFile {
    FailedFile { relative_path, path: path.display().to_string(), problem: Problem::from(error) }
}

pub fn denied(path: &Path, relative_path: String, error: Error) -> SkippedFile {
    let path = path.display().to_string();
    SkippedFile { relative_path, path, reason: SkipReason::Denied, document_id: None, detail: error.message }
}

fn not_file(path: &Path, relative_path: String, file_type: FileType) -> SkippedFile {
    let path = path.display().to_string();
    let detail = format!("{path} is {}, not a file.", kind_of(file_type));
    SkippedFile { relative_path, path, reason: SkipReason::Unsupported, document_id: None, detail }
}

fn link_back(path: &Path, relative_path: String, ancestor: &Path) -> SkippedFile {
    let path = path.display().to_string();
    let detail = format!("{path} is a link to {}, a folder that contains it and was read once.", ancestor.display());
    SkippedFile { relative_path, path, reason: SkipReason::Unsupported, document_id: None, detail }
}

#[cfg(unix)]
fn kind_of(file_type: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match file_type {
        file_type if file_type.is_fifo() => "a pipe",
        file_type if file_type.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn kind_of(_: FileType) -> &'static str {
    "a device"
}

fn walk_error(path: &Path, error: walkdir::Error) -> Error {
    let message = error.to_string();
    Error::io(path.display(), error.into_io_error().unwrap_or_else(|| std::io::Error::other(message)))
}

fn is_hidden(entry: &DirEntry) -> bool {
    let name = entry.file_name().as_encoded_bytes();
    name.starts_with(b".") || name.starts_with(b"~$")
}

pub(crate) fn has_extension(path: &Path, wanted: Option<&[String]>) -> bool {
    let Some(wanted) = wanted else { return true };
    let Some(extension) = path.extension().and_then(|extension| extension.to_str()) else { return false };
    wanted.iter().any(|one| one.trim_start_matches('.').eq_ignore_ascii_case(extension))
}

fn relative_to(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in ["b.txt", "a.TXT", "sub/c.pdf", "sub/deep/d.txt", ".hidden/e.txt", "~$lock.docx", "data/x.txt"] {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        dir
    }

    fn found(request: &IngestRequest, dir: &Path) -> Vec<String> {
        let discovery = discover(request, &EngineConfig::new(dir.join("data")), &Cancel::default()).unwrap();
        discovery.files.into_iter().map(|file| file.relative).collect()
    }

    #[test]
    fn folders_are_walked_in_order_without_hidden_files_or_the_data_directory() {
        let dir = tree();
        let mut request = IngestRequest::new(vec![dir.path().to_owned()]);
        assert_eq!(found(&request, dir.path()), ["a.TXT", "b.txt", "sub/c.pdf", "sub/deep/d.txt"]);
        request.extensions = Some(vec![".txt".into()]);
        assert_eq!(found(&request, dir.path()), ["a.TXT", "b.txt", "sub/deep/d.txt"]);
        request.recursive = false;
        assert_eq!(found(&request, dir.path()), ["a.TXT", "b.txt"]);
    }

    #[test]
    fn a_file_asked_for_twice_is_found_once_and_a_missing_one_is_reported() {
        let dir = tree();
        let file = dir.path().join("b.txt");
        let missing = dir.path().join("none.txt");
        let request = IngestRequest::new(vec![file.clone(), dir.path().join("sub/../b.txt"), missing.clone()]);
        let discovery = discover(&request, &EngineConfig::new(dir.path().to_owned()), &Cancel::default()).unwrap();
        assert_eq!(discovery.files.len(), 1);
        assert_eq!(discovery.failed[0].problem.code, "file_not_found");
        let error =
            discover(&IngestRequest::new(vec![missing]), &EngineConfig::new(dir.path().to_owned()), &Cancel::default())
                .err()
                .unwrap();
        assert_eq!(error.code, casetrack_core::ErrorCode::FileNotFound);
    }

    #[test]
    fn denied_folders_are_reported_and_not_searched() {
        let dir = tree();
        let mut config = EngineConfig::new(dir.path().join("data"));
        config.access = Access::new(&[], &["sub/deep".to_owned()], Vec::new(), "config.toml".into()).unwrap();
        let discovery =
            discover(&IngestRequest::new(vec![dir.path().to_owned()]), &config, &Cancel::default()).unwrap();
        assert_eq!(discovery.files.len(), 3);
        let denied = &discovery.denied[0];
        assert_eq!((denied.relative_path.as_str(), denied.reason), ("sub/deep", SkipReason::Denied));
        let error = discover(&IngestRequest::new(vec![dir.path().join("sub/deep/d.txt")]), &config, &Cancel::default())
            .err()
            .unwrap();
        assert_eq!(error.code, ErrorCode::AccessDenied);
    }

    #[test]
    fn a_walk_ends_when_it_is_cancelled() {
        let dir = tree();
        let cancel = Cancel::default();
        cancel.cancel();
        let request = IngestRequest::new(vec![dir.path().to_owned()]);
        let config = EngineConfig::new(dir.path().join("data"));
        assert_eq!(discover(&request, &config, &cancel).unwrap().files.len(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn sockets_are_named_and_not_read() {
        let dir = tree();
        let socket = dir.path().join("sub/s.txt");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let request = IngestRequest::new(vec![dir.path().to_owned()]);
        let discovery = discover(&request, &EngineConfig::new(dir.path().join("data")), &Cancel::default()).unwrap();
        assert_eq!(discovery.files.len(), 4);
        let [named] = &discovery.not_files[..] else { panic!("{:?}", discovery.not_files) };
        assert_eq!((named.relative_path.as_str(), named.reason), ("sub/s.txt", SkipReason::Unsupported));
        assert_eq!(named.detail, format!("{} is a socket, not a file.", socket.display()));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_loop_ends_and_is_reported() {
        let dir = tree();
        std::os::unix::fs::symlink(dir.path(), dir.path().join("sub/loop")).unwrap();
        let request = IngestRequest::new(vec![dir.path().to_owned()]);
        let discovery = discover(&request, &EngineConfig::new(dir.path().join("data")), &Cancel::default()).unwrap();
        assert_eq!(discovery.files.len(), 4);
        assert!(discovery.failed.is_empty(), "{:?}", discovery.failed);
        let [named] = &discovery.not_files[..] else { panic!("{:?}", discovery.not_files) };
        assert_eq!((named.relative_path.as_str(), named.reason), ("sub/loop", SkipReason::Unsupported));
        assert!(named.detail.ends_with("a folder that contains it and was read once."), "{}", named.detail);
    }
}
