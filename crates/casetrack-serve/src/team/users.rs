//! The users of a server, in `users.json` of the data directory, which has only digests of their tokens.
//!
//! The file is read again after each change, so that changes apply at once. An unreadable file admits no one.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use casetrack_core::{CollectionId, Error, ErrorCode, Result, Timestamp};
use casetrack_engine::rights::Role;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use casetrack_core::settings::USERS;

/// Longest name of a user, here and with a provider, in characters.
const MAX_NAME: usize = 200;
/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;
/// The beginning of tokens, by which scanners for secrets recognize them.
const TOKEN_PREFIX: &str = "casetrack_";

/// One thread at a time reads, changes and writes the file: all of them are in the process that owns the data directory.
static CHANGING: Mutex<()> = Mutex::new(());

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct User {
    pub name: String,
    /// SHA-256 of the token, in hexadecimal digits. Without it, no token works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_sha256: Option<String>,
    /// The user's name with the OIDC provider, in the claim that the settings name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc: Option<String>,
    /// Owns all collections, and may use the disk of the server.
    #[serde(default)]
    pub admin: bool,
    /// May create collections, and owns them.
    #[serde(default)]
    pub may_create: bool,
    pub created_at: Timestamp,
    #[serde(default)]
    pub roles: BTreeMap<CollectionId, Role>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UsersFile {
    version: u32,
    users: Vec<User>,
}

/// The properties by which two states of the file differ.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileState {
    bytes: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

impl FileState {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Self { bytes: metadata.len(), modified: metadata.modified().ok(), inode }
    }
}

type Read = (Option<FileState>, Arc<Vec<User>>);

pub struct Users {
    path: PathBuf,
    read: Mutex<Option<Read>>,
}

impl Users {
    /// Reads nothing yet.
    pub fn new(data_dir: &Path) -> Self {
        Self { path: data_dir.join(USERS), read: Mutex::default() }
    }

    /// All users, by name; none if there is no file.
    ///
    /// Errors: a file that cannot be read or was not written by this program.
    pub fn all(&self) -> Result<Arc<Vec<User>>> {
        let state = match std::fs::metadata(&self.path) {
            Ok(metadata) => Some(FileState::of(&metadata)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(Error::io(self.path.display(), error)),
        };
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, users)) = &*read
            && *known == state
        {
            return Ok(Arc::clone(users));
        }
        let users = Arc::new(if state.is_some() { self.load()? } else { Vec::new() });
        *read = Some((state, Arc::clone(&users)));
        Ok(users)
    }

    fn load(&self) -> Result<Vec<User>> {
        let text = std::fs::read(&self.path).map_err(|error| Error::io(self.path.display(), error))?;
        let refused = |why: String| {
            Error::new(ErrorCode::Corrupt, format!("The users in {} cannot be read: {why}.", self.path.display()))
                .with_hint("Put back a copy of the file, or move it away and add the users again.")
        };
        let written: UsersFile = serde_json::from_slice(&text).map_err(|error| refused(error.to_string()))?;
        match written.version {
            1 => Ok(written.users),
            other => Err(refused(format!("they are of version {other}, which this program does not know"))),
        }
    }

    /// All users; none if the file cannot be read, with an entry in the log.
    fn admitted(&self) -> Arc<Vec<User>> {
        self.all().unwrap_or_else(|error| {
            tracing::error!(%error, "no one is admitted");
            Arc::default()
        })
    }

    pub(crate) fn find(&self, name: &str) -> Option<User> {
        self.admitted().iter().find(|user| user.name == name).cloned()
    }

    pub(crate) fn role(&self, name: &str, collection: CollectionId) -> Option<Role> {
        let users = self.admitted();
        let user = users.iter().find(|user| user.name == name)?;
        if user.admin { Some(Role::Owner) } else { user.roles.get(&collection).copied() }
    }

    /// The user with this token. Takes constant time.
    pub(crate) fn by_token(&self, token: &str) -> Option<User> {
        let given = hashed(token);
        let mut found = None;
        for user in self.admitted().iter() {
            let known = user.token_sha256.as_deref().unwrap_or_default();
            if bool::from(known.as_bytes().ct_eq(given.as_bytes())) {
                found = Some(user.clone());
            }
        }
        found
    }

    pub(crate) fn by_oidc(&self, called: &str) -> Option<User> {
        self.admitted().iter().find(|user| user.oidc.as_deref() == Some(called)).cloned()
    }

    /// Changes the users and saves them, in one step. Nothing is saved if `change` fails.
    pub fn change<T>(&self, change: impl FnOnce(&mut Vec<User>) -> Result<T>) -> Result<T> {
        let _changing = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut users = (*self.all()?).clone();
        let result = change(&mut users)?;
        users.sort_by(|a, b| a.name.cmp(&b.name));
        self.write(&UsersFile { version: 1, users })?;
        Ok(result)
    }

    fn write(&self, written: &UsersFile) -> Result<()> {
        let failed = |error| Error::io(self.path.display(), error);
        let partial = self.path.with_extension("partial");
        let mut text = serde_json::to_vec_pretty(written).map_err(|error| Error::internal(error.to_string()))?;
        text.push(b'\n');
        // One that a kill left may be open to others.
        match std::fs::remove_file(&partial) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&partial).map_err(failed)?;
        file.write_all(&text).and_then(|()| file.sync_all()).map_err(failed)?;
        std::fs::rename(&partial, &self.path).map_err(failed)
    }
}

impl User {
    /// A user without rights.
    ///
    /// Errors: a name that cannot be one.
    pub fn new(name: &str) -> Result<Self> {
        Ok(Self {
            name: checked(name, "name of a user")?,
            token_sha256: None,
            oidc: None,
            admin: false,
            may_create: false,
            created_at: Timestamp::now(),
            roles: BTreeMap::new(),
        })
    }

    pub fn set_provider_name(&mut self, name: &str) -> Result<()> {
        self.oidc = Some(checked(name, "name of a user with the provider")?);
        Ok(())
    }

    /// A new token of 256 random bits, which is not stored; the earlier one stops working.
    pub fn new_token(&mut self) -> Result<String> {
        let mut bytes = [0; TOKEN_BYTES];
        let filled = SystemRandom::new().fill(&mut bytes);
        filled.map_err(|_| Error::internal("The system gives no random bytes."))?;
        let token = format!("{TOKEN_PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode(bytes));
        self.token_sha256 = Some(hashed(&token));
        Ok(token)
    }
}

fn checked(text: &str, what: &str) -> Result<String> {
    let is_fine = |c: char| !c.is_control() && !c.is_whitespace();
    let count = text.chars().count();
    if (1..=MAX_NAME).contains(&count) && text.chars().all(is_fine) {
        return Ok(text.to_owned());
    }
    Err(Error::invalid(format!("A {what} has 1 to {MAX_NAME} characters, and no spaces.")))
}

fn hashed(token: &str) -> String {
    digest(&SHA256, token.as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(users: &Users, name: &str) -> String {
        let mut user = User::new(name).unwrap();
        let token = user.new_token().unwrap();
        users
            .change(|users| {
                users.push(user);
                Ok(())
            })
            .unwrap();
        token
    }

    #[test]
    fn a_token_opens_until_there_is_another_and_none_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let users = Users::new(dir.path());
        assert_eq!(users.by_token(""), None);
        let (anna, ben) = (add(&users, "anna"), add(&users, "ben"));
        // Without a token none opens, not even an empty one.
        users
            .change(|users| {
                users.push(User::new("clara")?);
                Ok(())
            })
            .unwrap();
        assert_eq!(users.by_token(&anna).unwrap().name, "anna");
        assert_eq!(users.by_token(&ben).unwrap().name, "ben");
        for wrong in ["", "casetrack_", &anna[1..], &format!("{anna}x"), &anna.to_uppercase()] {
            assert_eq!(users.by_token(wrong), None, "{wrong}");
        }
        let file = dir.path().join(USERS);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(!text.contains(&anna) && !text.contains(&anna[TOKEN_PREFIX.len()..]), "{text}");
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::mode(&file.metadata().unwrap().permissions());
            assert_eq!(mode & 0o777, 0o600);
        }
        // By another instance, as where the command changes them while the server runs.
        let new = Users::new(dir.path()).change(|users| users[0].new_token()).unwrap();
        assert_eq!((users.by_token(&anna), users.by_token(&new).unwrap().name.as_str()), (None, "anna"));
        Users::new(dir.path()).change(|users| Ok(users.remove(0))).unwrap();
        assert_eq!(users.by_token(&new), None);
    }

    #[test]
    fn a_file_that_cannot_be_read_admits_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let users = Users::new(dir.path());
        let token = add(&users, "anna");
        for text in ["", "{}", r#"{"version": 2, "users": []}"#, r#"{"version": 1, "users": [{"name": "anna"}]}"#] {
            std::fs::write(dir.path().join(USERS), text).unwrap();
            assert_eq!(users.by_token(&token), None, "{text}");
            assert_eq!(users.all().unwrap_err().code, ErrorCode::Corrupt, "{text}");
            // And is not overwritten.
            assert!(
                users
                    .change(|users| {
                        users.clear();
                        Ok(())
                    })
                    .is_err()
            );
        }
    }

    #[test]
    fn roles_are_those_of_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let (users, id) = (Users::new(dir.path()), CollectionId::random());
        add(&users, "anna");
        assert_eq!((users.role("anna", id), users.role("nobody", id)), (None, None));
        users.change(|users| Ok(users[0].roles.insert(id, Role::Editor))).unwrap();
        assert_eq!((users.role("anna", id), users.role("anna", CollectionId::random())), (Some(Role::Editor), None));
        users
            .change(|users| {
                users[0].admin = true;
                Ok(())
            })
            .unwrap();
        assert_eq!(users.role("anna", CollectionId::random()), Some(Role::Owner));
    }

    #[test]
    fn names_have_no_spaces() {
        for name in ["", " ", "a b", "a\n", &"x".repeat(201)] {
            assert!(User::new(name).is_err(), "{name}");
        }
        assert_eq!(User::new("anna@firm.example").unwrap().name, "anna@firm.example");
    }
}
