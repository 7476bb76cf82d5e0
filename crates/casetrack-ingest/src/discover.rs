//! The files that a request means.

use std::collections::{BTreeSet, HashSet};
use std::fs::FileType;
use std::path::{Path, PathBuf};

use casetrack_core::{Cancel, Error, ErrorCode, Result};
use walkdir::{DirEntry, WalkDir};

use super::file::{SourceFile, failed, skipped};
use super::{FailedFile, IngestRequest, SkipReason, SkippedFile};
use casetrack_host::EngineConfig;
use casetrack_host::access::Access;

/// The files to examine, in a stable order, and those that could not even be listed.
#[derive(Default)]
pub(crate) struct Discovery {
    pub files: Vec<SourceFile>,
    pub failed: Vec<FailedFile>,
    /// Folders that may not be searched, and links that lead out of the folder asked for.
    pub denied: Vec<SkippedFile>,
    /// Pipes, sockets, devices and links that lead back to a folder around them: reading one may never end.
    pub not_files: Vec<SkippedFile>,
    /// Names of the folders directly below the folders asked for that hold files.
    pub subfolders: BTreeSet<String>,
}

/// Lists the files. `data_dir` is always left out. Hidden files (`.name`) and the lock files that office programs leave (`~$name`) inside folders are
/// not documents and are left out too. Ends early, with the files found so far, when it is cancelled.
///
/// Fails when the only path asked for cannot be read; with several paths that is a failed file of the report.
pub(crate) fn discover(request: &IngestRequest, config: &EngineConfig, cancel: &Cancel) -> Result<Discovery> {
    let mut discovery = Discovery::default();
    let data_dir = casetrack_core::real_path(&config.data_dir).ok();
    for path in &request.paths {
        let found = match config.access.check(path) {
            Ok(root) if root.is_dir() => discovery.walk(&root, request, &config.access, data_dir.as_deref(), cancel),
            Ok(file) => {
                discovery.files.push(SourceFile::named(file, None));
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
    Ok(discovery)
}

impl Discovery {
    fn walk(
        &mut self,
        root: &Path,
        request: &IngestRequest,
        access: &Access,
        data_dir: Option<&Path>,
        cancel: &Cancel,
    ) -> Result<()> {
        std::fs::read_dir(root).map_err(|error| Error::io(root.display(), error))?;
        let depth = if request.recursive { usize::MAX } else { 1 };
        // Symbolic links within the folder are followed: people file documents with them. walkdir reports loops.
        let walker = WalkDir::new(root).follow_links(true).max_depth(depth).sort_by_file_name();
        let mut entries = walker
            .into_iter()
            .filter_entry(|entry| entry.depth() == 0 || (!is_hidden(entry) && Some(entry.path()) != data_dir));
        while let Some(entry) = entries.next() {
            if cancel.is_cancelled() {
                break;
            }
            match entry {
                Ok(entry) => {
                    if !self.take(&entry, root, request, access) {
                        entries.skip_current_dir();
                    }
                }
                Err(error) => self.unlisted(root, error),
            }
        }
        Ok(())
    }

    /// Adds an entry, unless it is not wanted. False for a folder that is not entered.
    fn take(&mut self, entry: &DirEntry, root: &Path, request: &IngestRequest, access: &Access) -> bool {
        let (path, relative) = (entry.path(), relative_to(entry.path(), root));
        let is_folder = entry.file_type().is_dir();
        let is_wanted = is_folder || has_extension(path, request.extensions.as_deref());
        if !request.follow_links
            && let Some(target) = target_outside(entry, root)
        {
            if is_wanted {
                let detail = format!(
                    "{} is a link to {}, outside of the folder, and was not followed. If the target belongs here, ingest it by its own path.",
                    path.display(),
                    target.display()
                );
                self.denied.push(skipped(path, relative, SkipReason::Denied, detail));
            }
            return !is_folder;
        }
        if is_folder {
            // Files that the rules deny are found when they are read.
            if let Err(error) = access.check(path)
                && error.code == ErrorCode::AccessDenied
            {
                self.denied.push(skipped(path, relative, SkipReason::Denied, error.message));
                return false;
            }
        } else if is_wanted && entry.file_type().is_file() {
            if let Some((folder, _)) = relative.split_once(std::path::MAIN_SEPARATOR) {
                self.subfolders.insert(folder.to_owned());
            }
            let path = casetrack_core::real_path(path).unwrap_or_else(|_| path.to_owned());
            self.files.push(SourceFile { path, relative, in_folder: true, depth: 1, container: None, copy: None });
        } else if is_wanted {
            let detail = format!("{} is {}, not a file.", path.display(), kind_of(entry.file_type()));
            self.not_files.push(skipped(path, relative, SkipReason::Unsupported, detail));
        }
        true
    }

    /// Adds the entries that a walk of `root` could not list.
    fn unlisted(&mut self, root: &Path, error: walkdir::Error) {
        let path = error.path().unwrap_or(root).to_owned();
        let (relative, shown) = (relative_to(&path, root), path.display());
        if let Some(ancestor) = error.loop_ancestor() {
            let ancestor = ancestor.display();
            let detail = format!("{shown} is a link to {ancestor}, a folder that contains it and was read once.");
            self.not_files.push(skipped(&path, relative, SkipReason::Unsupported, detail));
        } else {
            let message = error.to_string();
            let error = Error::io(shown, error.into_io_error().unwrap_or_else(|| std::io::Error::other(message)));
            self.failed.push(failed(&path, relative, &error));
        }
    }
}

/// The place to which a link leads, if that is not below `root`.
fn target_outside(entry: &DirEntry, root: &Path) -> Option<PathBuf> {
    let target = entry.path_is_symlink().then(|| casetrack_core::real_path(entry.path()).ok()).flatten()?;
    (!target.starts_with(root)).then_some(target)
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
        discovery.files.into_iter().map(|file| file.relative.replace(std::path::MAIN_SEPARATOR, "/")).collect()
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
        assert_eq!((Path::new(&denied.relative_path), denied.reason), (Path::new("sub/deep"), SkipReason::Denied));
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

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_folder_are_named_and_followed_only_when_asked_for() {
        use std::os::unix::fs::symlink;
        let (dir, outside) = (tree(), tempfile::tempdir().unwrap());
        let (root, other) =
            (casetrack_core::real_path(dir.path()).unwrap(), casetrack_core::real_path(outside.path()).unwrap());
        std::fs::create_dir(other.join("folder")).unwrap();
        for name in ["secret.txt", "folder/inner.txt", "notes.md"] {
            std::fs::write(other.join(name), "x").unwrap();
        }
        // A link to a file, to a folder, to a link, by way of the parent, to a format that is not wanted, and two within the folder.
        symlink(other.join("secret.txt"), root.join("p.txt")).unwrap();
        symlink(other.join("folder"), root.join("sub/out")).unwrap();
        symlink(root.join("p.txt"), root.join("q.txt")).unwrap();
        symlink(format!("../{}/secret.txt", other.file_name().unwrap().display()), root.join("r.txt")).unwrap();
        symlink(other.join("notes.md"), root.join("n.md")).unwrap();
        symlink(root.join("sub/c.pdf"), root.join("within.pdf")).unwrap();
        symlink("sub/deep", root.join("zone")).unwrap();
        let listed = |request: &IngestRequest| {
            discover(request, &EngineConfig::new(root.join("data")), &Cancel::default()).unwrap()
        };
        let mut request = IngestRequest::new(vec![root.clone()]);
        let found = listed(&request);
        let within = |file: &SourceFile| file.path.starts_with(&root);
        assert!(found.files.iter().all(within) && found.files.len() == 4);
        let named: Vec<&str> = found.denied.iter().map(|link| link.relative_path.as_str()).collect();
        assert_eq!(named, ["n.md", "p.txt", "q.txt", "r.txt", "sub/out"]);
        let detail = &found.denied[1].detail;
        assert!(detail.contains(&format!("p.txt is a link to {}", other.join("secret.txt").display())), "{detail}");
        request.extensions = Some(vec!["txt".to_owned()]);
        assert_eq!(listed(&request).denied.len(), 4);
        request.follow_links = true;
        let followed = listed(&request);
        assert!(followed.denied.is_empty());
        assert_eq!(followed.files.iter().filter(|file| !within(file)).count(), 2);
        // If you name a link, you mean its target.
        let named = IngestRequest::new(vec![root.join("p.txt"), root.join("sub/out")]);
        assert_eq!(listed(&named).files.len(), 2);
    }
}
