//! The rights of the clients of a team server: the visible collections, the allowed changes there, and the use of the disk.
//!
//! An engine without rights belongs to the person who owns the data directory. An engine with rights hides each collection in which its user has no
//! role: it
//! is neither listed, found nor counted, and every error is the one of a collection that does not exist.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use casetrack_core::{CollectionId, Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};

/// The rights of a user to a collection. Each role includes the rights of those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Search, read and cite.
    Reader,
    /// Add, change and remove documents, tags, columns and evidence.
    Editor,
    /// Rename, close, archive and delete the collection, and have all of it embedded again.
    Owner,
}

impl Role {
    pub const EACH: [Self; 3] = [Self::Reader, Self::Editor, Self::Owner];

    pub fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Editor => "editor",
            Self::Owner => "owner",
        }
    }
}

/// The rights of one user as they are now: each call asks again, so that changes hold at once. Must be quick.
pub trait Rights: Send + Sync {
    /// The name of the user, under which [`People`] finds their rights again.
    fn user(&self) -> &str;

    /// The role in a collection; `None` if it must not be known that there is one.
    fn role(&self, collection: CollectionId) -> Option<Role>;

    /// True if any file of this machine may be read that the settings allow.
    fn has_disk(&self) -> bool;

    /// Makes the user the owner of a collection that they have just made.
    ///
    /// Errors: those of recording the right; then the collection is removed again.
    fn made(&self, collection: CollectionId) -> Result<()>;
}

/// The users of a server, for the jobs that they started and that continue without them.
pub trait People: Send + Sync {
    /// The rights of a user; `None` if there is no such user any more.
    fn rights(&self, user: &str) -> Option<Arc<dyn Rights>>;

    /// The folders that users without the disk may have read.
    fn folders(&self) -> &[PathBuf];
}

/// The rights of an engine. The default is everything.
#[derive(Clone, Default)]
pub struct Sight(Option<(Arc<dyn Rights>, Role)>);

impl Sight {
    /// The rights of a user. Collections in which the role is lower than `needed` are found, and refused.
    pub fn of(rights: Arc<dyn Rights>, needed: Role) -> Self {
        Self(Some((rights, needed)))
    }

    pub fn is_limited(&self) -> bool {
        self.0.is_some()
    }

    /// The user whose rights limit it, if any.
    pub fn user(&self) -> Option<&str> {
        self.0.as_ref().map(|(rights, _)| rights.user())
    }

    pub fn sees(&self, collection: CollectionId) -> bool {
        self.0.as_ref().is_none_or(|(rights, _)| rights.role(collection).is_some())
    }

    pub fn has_disk(&self) -> bool {
        self.0.as_ref().is_none_or(|(rights, _)| rights.has_disk())
    }

    pub fn made(&self, collection: CollectionId) -> Result<()> {
        self.0.as_ref().map_or(Ok(()), |(rights, _)| rights.made(collection))
    }

    /// Refuses a collection in which the role does not cover the purpose of this engine.
    pub fn admit(&self, collection: CollectionId) -> Result<()> {
        self.0.as_ref().map_or(Ok(()), |(_, needed)| self.admit_as(collection, *needed))
    }

    /// Refuses a collection in which the role is lower than this.
    ///
    /// Errors: [`ErrorCode::NotFound`] if there is none, [`ErrorCode::AccessDenied`] if it is lower.
    pub fn admit_as(&self, collection: CollectionId, needed: Role) -> Result<()> {
        let Some((rights, at_least)) = &self.0 else { return Ok(()) };
        let needed = needed.max(*at_least);
        match rights.role(collection) {
            Some(role) if role >= needed => Ok(()),
            Some(role) => Err(Error::new(
                ErrorCode::AccessDenied,
                format!("This needs the role \"{}\" in the collection; you are its {}.", needed.name(), role.name()),
            )
            .with_hint("Ask the administrator of the server for it.")),
            None => Err(Error::new(ErrorCode::NotFound, format!("Collection not found: \"{collection}\"."))),
        }
    }
}

impl fmt::Debug for Sight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_limited() { "Sight of a user" } else { "Sight of everything" })
    }
}
