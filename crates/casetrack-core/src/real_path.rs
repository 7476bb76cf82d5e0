use std::io;
use std::path::{Path, PathBuf};

/// The absolute path without links and dots, as the user writes it: on Windows without `\\?\` before it.
///
/// A path that is valid only with `\\?\`, such as that of a file named CON, keeps it. Long paths lose it, too: the standard library adds it again
/// when it opens them.
///
/// Errors: those of [`Path::canonicalize`], which clippy.toml disallows elsewhere.
#[allow(clippy::disallowed_methods)]
pub fn real_path(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    path.as_ref().canonicalize().map(without_prefix)
}

#[cfg(not(windows))]
fn without_prefix(path: PathBuf) -> PathBuf {
    path
}

#[cfg(windows)]
fn without_prefix(path: PathBuf) -> PathBuf {
    use std::path::{Component, Prefix};
    let mut components = path.components();
    let Some(Component::Prefix(prefix)) = components.next() else { return path };
    let mut plain = match prefix.kind() {
        Prefix::VerbatimDisk(letter) => PathBuf::from(format!("{}:\\", char::from(letter))),
        Prefix::VerbatimUNC(server, share) => {
            let mut start = std::ffi::OsString::from(r"\\");
            start.extend([server, r"\".as_ref(), share, r"\".as_ref()]);
            PathBuf::from(start)
        }
        _ => return path,
    };
    // dunce looks at the length as well, so it sees one name at a time.
    let is_plain =
        |name: &std::ffi::OsStr| !dunce::simplified(&Path::new(r"\\?\C:\").join(name)).starts_with(r"\\?\C:\");
    let names = components.filter(|component| *component != Component::RootDir);
    for name in names {
        if !is_plain(name.as_os_str()) {
            return path;
        }
        plain.push(name);
    }
    plain
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_the_user_writes_them() {
        let long = "x".repeat(200);
        for (path, expected) in [
            (r"\\?\C:\Matter\lease.txt".to_owned(), r"C:\Matter\lease.txt".to_owned()),
            (r"\\?\UNC\server\share\a b.txt".to_owned(), r"\\server\share\a b.txt".to_owned()),
            (r"\\?\C:\Matter\con".to_owned(), r"\\?\C:\Matter\con".to_owned()),
            (r"\\?\C:\Matter\end.".to_owned(), r"\\?\C:\Matter\end.".to_owned()),
            (r"C:\Matter".to_owned(), r"C:\Matter".to_owned()),
            (format!(r"\\?\C:\{long}\{long}"), format!(r"C:\{long}\{long}")),
        ] {
            assert_eq!(without_prefix(PathBuf::from(path)), Path::new(&expected));
        }
    }
}
