//! Decides if a file of the user may be read: every reader of files calls this one check.
//!
//! A file must be inside an allowed root, if there are any, and no pattern of the deny list may cover it. Both are checked against the path with
//! symbolic links resolved, so that a link cannot lead out of an allowed root; the deny list also against the path as it was given. Only a person who
//! may write there can replace a file between the check and the read.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use casetrack_core::{CollectionId, Error, ErrorCode, Result};
use glob::{MatchOptions, Pattern};

use crate::rights::Sight;

/// Keys, credentials, profiles of browsers, password stores, and virtual files of the kernel. It always applies; settings add to it.
///
/// A pattern is a name or a run of names, which is covered wherever it occurs in a path, with everything below. `*` and `?` match
/// characters of one name; a pattern that begins with `/` begins at the root. Case is ignored on every platform.
#[rustfmt::skip]
pub const DENIED: &[&str] = &[
    // keys
    ".ssh", ".gnupg", "*.pem", "*.key", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore", "id_rsa*", "id_dsa*", "id_ecdsa*",
    "id_ed25519*", "/etc/ssh", "/etc/ssl/private",
    // credentials of services
    ".aws", ".azure", ".kube", ".config/gcloud", ".config/gh", ".docker/config.json", ".terraform.d", ".vault-token", ".netrc",
    "_netrc", ".env*", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials", ".config/git/credentials",
    ".cargo/credentials*",
    // password stores and keychains
    "*.kdbx", "*.kdb", "*.agilekeychain", "*.opvault", ".password-store", ".local/share/keyrings", ".local/share/kwalletd",
    "Library/Keychains", ".config/Bitwarden*",
    ".config/1Password", "AppData/*/Microsoft/Credentials", "AppData/*/Microsoft/Protect", "AppData/*/Microsoft/Vault",
    "Application Support/1Password*", "Application Support/Bitwarden*",
    // profiles of browsers
    ".mozilla", ".config/google-chrome*", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge*", ".config/opera",
    ".config/vivaldi", "snap/firefox", "snap/chromium", ".var/app/org.mozilla.firefox", "Application Support/Google/Chrome*",
    "Application Support/Firefox", "Application Support/BraveSoftware", "Application Support/Microsoft Edge*", "Library/Safari",
    "Library/Cookies", "AppData/*/Google/Chrome*", "AppData/*/Mozilla", "AppData/*/BraveSoftware", "AppData/*/Microsoft/Edge*",
    // the system's
    "/etc/shadow*", "/etc/gshadow*", "/etc/sudoers*", "/etc/master.passwd", "/private/etc/master.passwd", "/proc", "/sys",
];

static BUILT_IN: LazyLock<Vec<Rule>> =
    LazyLock::new(|| DENIED.iter().filter_map(|pattern| Rule::parse(pattern).ok()).collect());

/// The files that may be read. The default allows what [`DENIED`] does not cover.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// With symbolic links resolved. Everything if there are none.
    roots: Vec<PathBuf>,
    /// The user's own, besides [`DENIED`].
    rules: Vec<Rule>,
    /// Folders of CaseTrack's own that hold no documents.
    closed: Vec<PathBuf>,
    /// The folder of the collections: uploads to a collection may be read, whatever the allowed roots are.
    collections: Option<PathBuf>,
    /// The file in which the user changes this, for hints.
    settings: PathBuf,
    /// On a server for a team: whose rights limit it.
    user: Option<User>,
}

/// A user of a server reads uploads to their collections, and files in these folders.
#[derive(Debug, Clone)]
struct User {
    sight: Sight,
    folders: Vec<PathBuf>,
}

#[derive(Debug, Clone)]
struct Rule {
    text: String,
    from_root: bool,
    names: Vec<Pattern>,
}

impl Access {
    /// Roots are absolute paths, patterns as in [`DENIED`]; `~/` at the start of either is the home directory. `settings` is the file that
    /// they are from.
    ///
    /// Errors: a root that is relative, a pattern that cannot be read.
    pub fn new(roots: &[PathBuf], deny: &[String], closed: Vec<PathBuf>, settings: PathBuf) -> Result<Self> {
        let invalid = |message: String| Error::invalid(message).with_hint(format!("Correct {}.", settings.display()));
        let mut resolved = Vec::new();
        for root in roots {
            let path = at_home(root);
            if !path.is_absolute() {
                return Err(invalid(format!(
                    "allowed_roots names \"{}\", which is not an absolute path.",
                    root.display()
                )));
            }
            resolved.push(casetrack_core::real_path(&path).unwrap_or(path));
        }
        let parse = |pattern: &String| {
            Rule::parse(pattern).map_err(|reason| invalid(format!("deny has the pattern \"{pattern}\": {reason}.")))
        };
        let rules = deny.iter().map(parse).collect::<Result<_>>()?;
        let closed = closed.into_iter().map(|path| casetrack_core::real_path(&path).unwrap_or(path)).collect();
        Ok(Self { roots: resolved, rules, closed, collections: None, settings, user: None })
    }

    /// Allows files that the user uploaded into the collections of this folder.
    pub fn with_uploads_in(self, collections: &Path) -> Self {
        let collections = casetrack_core::real_path(collections).unwrap_or_else(|_| collections.to_owned());
        Self { collections: Some(collections), ..self }
    }

    /// The files that a user of a server may have read. With access to the disk, these are all that the rules allow; otherwise uploads into
    /// collections that the user sees, and the files of these folders that the rules allow.
    pub fn for_user(self, sight: Sight, folders: &[PathBuf]) -> Self {
        let resolved = |folder: &PathBuf| {
            let folder = at_home(folder);
            casetrack_core::real_path(&folder).unwrap_or(folder)
        };
        Self { user: Some(User { sight, folders: folders.iter().map(resolved).collect() }), ..self }
    }

    /// These rules without the limits of a user.
    pub fn for_nobody(self) -> Self {
        Self { user: None, ..self }
    }

    /// The user whom the server lets read some folders only.
    fn limited(&self) -> Option<&User> {
        self.user.as_ref().filter(|user| !user.sight.has_disk())
    }

    /// Refuses a file that a user of a server may not read, before any error shows if it exists.
    pub fn check_user(&self, path: &Path) -> Result<()> {
        if self.limited().is_some() { self.check(path).map(drop) } else { Ok(()) }
    }

    /// True if a resolved path is in the folder `uploads` of a collection that may be seen.
    fn is_upload(&self, resolved: &Path) -> bool {
        let inside = self.collections.as_ref().and_then(|collections| resolved.strip_prefix(collections).ok());
        let Some(inside) = inside else { return false };
        let mut names = inside.iter();
        let (collection, folder) = (names.next(), names.next());
        let id = collection.and_then(|name| name.to_str()?.parse::<CollectionId>().ok());
        let is_seen = |user: &User| id.is_some_and(|id| user.sight.sees(id));
        folder.is_some_and(|name| name == "uploads") && self.user.as_ref().is_none_or(is_seen)
    }

    /// True if any file that the deny list does not cover may be read.
    pub fn allows_any_root(&self) -> bool {
        self.roots.is_empty()
    }

    /// The path with symbolic links resolved, if it may be read.
    ///
    /// Errors: [`ErrorCode::AccessDenied`]; the errors of resolving, which reads only the path's folders.
    pub fn check(&self, path: &Path) -> Result<PathBuf> {
        if let Some(user) = self.limited() {
            let resolved = casetrack_core::real_path(path).ok();
            let is_allowed = |resolved: &PathBuf| {
                let is_rooted = self.roots.is_empty() || self.roots.iter().any(|root| resolved.starts_with(root));
                let is_in_folder = is_rooted && user.folders.iter().any(|folder| resolved.starts_with(folder));
                (is_in_folder || self.is_upload(resolved))
                    && self.check_deny(path, path).is_ok()
                    && self.check_deny(resolved, path).is_ok()
            };
            // The same words whether or not there is such a file.
            return resolved.filter(is_allowed).ok_or_else(|| {
                let message = format!("{} is not a file that you may have read on this server.", path.display());
                Error::new(ErrorCode::AccessDenied, message).with_hint(
                    "Upload it to the collection (POST /upload), or name a file in a folder that the administrator has opened.",
                )
            });
        }
        self.check_deny(path, path)?;
        let resolved = casetrack_core::real_path(path).map_err(|error| Error::io(path.display(), error))?;
        self.check_deny(&resolved, path)?;
        let allowed = self.roots.is_empty() || self.roots.iter().any(|root| resolved.starts_with(root));
        if !allowed && !self.is_upload(&resolved) {
            let roots: Vec<String> = self.roots.iter().map(|root| root.display().to_string()).collect();
            let message =
                format!("{} is not read: it is outside the allowed folders ({}).", path.display(), roots.join(", "));
            return Err(Error::new(ErrorCode::AccessDenied, message)
                .with_hint(format!("The user can add its folder to allowed_roots in {}.", self.settings.display())));
        }
        Ok(resolved)
    }

    /// The folders that files are read from, with symbolic links resolved; none if any may be.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The same rules with other folders that files are read from.
    pub fn below(&self, roots: &[PathBuf]) -> Self {
        Self { roots: roots.to_vec(), ..self.clone() }
    }

    /// Refuses a path that the deny list covers, by its names only.
    pub fn check_name(&self, path: &Path) -> Result<()> {
        self.check_deny(path, path)
    }

    /// True if a pattern of the deny list ends at this path. If none ends at a folder around it, true means that the path is covered.
    pub fn is_closed(&self, path: &Path) -> bool {
        let names: Vec<_> = names(path).collect();
        BUILT_IN.iter().chain(&self.rules).any(|rule| rule.ends_at(&names))
            || self.closed.iter().any(|closed| path == closed)
    }

    fn check_deny(&self, path: &Path, shown: &Path) -> Result<()> {
        let denied = |rule: &str, hint: String| {
            let message = format!("{} is not read: the deny list covers it with \"{rule}\".", shown.display());
            Err(Error::new(ErrorCode::AccessDenied, message).with_hint(hint))
        };
        let names: Vec<_> = names(path).collect();
        if let Some(rule) = BUILT_IN.iter().find(|rule| rule.covers(&names)) {
            let hint = "Keys, credentials and private profiles are never read. If this file is none of these, the user can copy it under another \
                        name or to another folder.";
            return denied(&rule.text, hint.to_owned());
        }
        if let Some(rule) = self.rules.iter().find(|rule| rule.covers(&names)) {
            return denied(&rule.text, format!("The user can change deny in {}.", self.settings.display()));
        }
        if let Some(closed) = self.closed.iter().find(|closed| path.starts_with(closed)) {
            return denied(
                &closed.display().to_string(),
                "This folder is CaseTrack's own and holds no documents.".to_owned(),
            );
        }
        Ok(())
    }
}

impl Rule {
    fn parse(text: &str) -> std::result::Result<Self, String> {
        let path = at_home(Path::new(text)).to_string_lossy().replace('\\', "/");
        let from_root = path.starts_with('/') || Path::new(&path).is_absolute();
        let names: Vec<Pattern> = names(Path::new(&path))
            .map(|name| Pattern::new(&name).map_err(|error| error.to_string()))
            .collect::<std::result::Result<_, _>>()?;
        if names.is_empty() {
            return Err("it names nothing".to_owned());
        }
        Ok(Self { text: text.to_owned(), from_root, names })
    }

    fn covers(&self, names: &[Cow<'_, str>]) -> bool {
        let mut runs = names.windows(self.names.len());
        let matches = |run: &[Cow<'_, str>]| self.matches(run);
        if self.from_root { runs.next().is_some_and(matches) } else { runs.any(matches) }
    }

    fn ends_at(&self, names: &[Cow<'_, str>]) -> bool {
        let before = names.len().checked_sub(self.names.len()).filter(|before| *before == 0 || !self.from_root);
        before.and_then(|before| names.get(before..)).is_some_and(|run| self.matches(run))
    }

    fn matches(&self, run: &[Cow<'_, str>]) -> bool {
        let options = MatchOptions { case_sensitive: false, ..MatchOptions::new() };
        run.iter().zip(&self.names).all(|(name, pattern)| pattern.matches_with(name, options))
    }
}

fn names(path: &Path) -> impl Iterator<Item = Cow<'_, str>> {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    })
}

/// The path with a leading `~` replaced by the home directory.
fn at_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), dirs::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(access: &Access, path: &Path) -> bool {
        access.check(path).is_err_and(|error| error.code == ErrorCode::AccessDenied)
    }

    #[test]
    fn every_pattern_of_the_built_in_list_can_be_read() {
        assert_eq!(BUILT_IN.len(), DENIED.len());
    }

    #[test]
    fn keys_and_credentials_are_never_read() {
        let access = Access::default();
        for path in [
            "/home/sarah/.ssh/config",
            "/home/sarah/work/Server.PEM",
            "/home/sarah/.config/gcloud/credentials.db",
            "/home/sarah/project/.env.production",
            "/home/sarah/.docker/config.json",
            "/Users/sarah/Library/Keychains/login.keychain-db",
            "/etc/shadow",
            "/proc/self/environ",
            "/backup/ID_RSA.bak/notes.txt",
        ] {
            assert!(denied(&access, Path::new(path)), "{path}");
        }
        // Not there, but not denied either.
        for path in
            ["/home/sarah/.config/notes.txt", "/home/sarah/etc/shadow", "/home/sarah/key.txt", "/srv/proc/a.txt"]
        {
            assert!(!denied(&access, Path::new(path)), "{path}");
        }
    }

    #[test]
    fn a_folder_is_closed_where_a_pattern_ends() {
        let access =
            Access::new(&[], &["private".to_owned()], vec!["/data/owner".into()], "config.toml".into()).unwrap();
        for path in ["/home/a/.ssh", "/home/a/.config/gh", "/proc", "/home/a/Private", "/data/owner", "/srv/server.key"]
        {
            assert!(access.is_closed(Path::new(path)), "{path}");
        }
        for path in ["/home/a/.ssh/config", "/home/a/.config", "/srv/proc", "/data", "/"] {
            assert!(!access.is_closed(Path::new(path)), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_neither_out_of_a_root_nor_to_what_is_denied() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let (root, outside) = (dir.path().join("root"), dir.path().join("outside"));
        for folder in [&root, &outside, &root.join("Private")] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join("a.txt"), "x").unwrap();
        }
        std::fs::write(root.join("server.key"), "x").unwrap();
        symlink(outside.join("a.txt"), root.join("out.txt")).unwrap();
        symlink(&outside, root.join("out")).unwrap();
        symlink(root.join("server.key"), root.join("harmless.txt")).unwrap();
        symlink(root.join("a.txt"), outside.join("in.txt")).unwrap();
        let settings = PathBuf::from("/data/config.toml");
        let access = Access::new(std::slice::from_ref(&root), &["private".to_owned()], Vec::new(), settings).unwrap();
        assert_eq!(access.check(&root.join("a.txt")).unwrap(), casetrack_core::real_path(root.join("a.txt")).unwrap());
        access.check(&outside.join("in.txt")).unwrap();
        for path in
            ["out.txt", "out/a.txt", "../outside/a.txt", "server.key", "harmless.txt", "Private/a.txt", "Private"]
        {
            assert!(denied(&access, &root.join(path)), "{path}");
        }
        let error = access.check(&root.join("out.txt")).unwrap_err();
        assert!(error.full_text().ends_with("add its folder to allowed_roots in /data/config.toml."), "{error}");
        assert_eq!(access.check(&root.join("none.txt")).unwrap_err().code, ErrorCode::FileNotFound);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let access = |roots: &[PathBuf], deny: &[String]| Access::new(roots, deny, Vec::new(), "config.toml".into());
        let error = access(&["documents".into()], &[]).unwrap_err();
        assert_eq!(error.message, "allowed_roots names \"documents\", which is not an absolute path.");
        for pattern in ["", "/", "a/[b"] {
            assert!(access(&[], &[pattern.to_owned()]).is_err(), "{pattern}");
        }
    }
}
