//! Who may do what. A user is a role of the server; rights to collections are given to roles, and row-level security holds whatever a client asks
//! for (migrations/0002.sql). A collection to which a role has no right is not there for it.

use casetrack_core::{CollectionId, Error, ErrorCode};
use serde::{Deserialize, Serialize};

use crate::error::Failure;
use crate::known::gone;
use crate::route::Routes;
use crate::server::Connection;
use crate::sql::id;

/// A right to a collection. Each includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Right {
    /// Searches and reads.
    Reader = 1,
    /// Stores, changes and removes documents, and what is noted of them.
    Editor = 2,
    /// Renames and removes the collection, and gives others rights to it.
    Owner = 3,
}

impl Right {
    pub(crate) fn of_level(level: i32) -> Option<Self> {
        [Self::Reader, Self::Editor, Self::Owner].into_iter().find(|right| *right as i32 == level)
    }
}

type Step<T> = std::result::Result<T, Failure>;

/// Checks that the role of a connection has a right to a collection. Where it has none at all, the answer is that of a collection that is not there.
pub(crate) fn require(connection: &mut Connection, routes: &Routes, right: Right) -> Step<()> {
    if own(connection, routes)? < right { Err(denied(routes.collection(), right).into()) } else { Ok(()) }
}

/// The right that the role of a connection has to a collection. Where it has none, the answer is that of a collection that is not there.
pub(crate) fn own(connection: &mut Connection, routes: &Routes) -> Step<Right> {
    let row = connection.one("SELECT level_of($1)", &[&id(routes.collection())])?;
    Right::of_level(row.try_get(0)?).ok_or_else(|| gone(routes).into())
}

fn denied(collection: CollectionId, right: Right) -> Error {
    let (what, who) = match right {
        Right::Reader | Right::Editor => ("change", "an editor"),
        Right::Owner => ("rename or delete", "an owner"),
    };
    Error::new(ErrorCode::PermissionDenied, format!("You may not {what} the collection {collection}."))
        .with_hint(format!("Ask its owner, or the administrator of the database, to make you {who} of it."))
}

/// Checks that the role of a connection may make collections.
pub(crate) fn require_creating(connection: &mut Connection) -> Step<()> {
    if connection.one("SELECT may_create()", &[])?.try_get(0)? {
        return Ok(());
    }
    Err(Error::new(ErrorCode::PermissionDenied, "You may not make collections in this database.")
        .with_hint("Ask the administrator of the database for the right to make collections.")
        .into())
}
