//! The rights of roles. A user is a role of the server. Rights to collections are given to roles, and row-level security enforces them for every
//! query (migrations/0002.sql). A collection to which a role has no right does not exist for the role.

use casetrack_core::{CollectionId, Error, ErrorCode, Result};
use casetrack_store::Right;

use crate::collection::PostgresCollection;
use crate::error::Step;
use crate::moment::gone;
use crate::route::Routes;
use crate::server::Connection;
use crate::sql::id;

impl PostgresCollection {
    /// True if the role of this client has a right. It has at least the right to read.
    pub(crate) fn may(&self, right: Right) -> Result<bool> {
        self.server.read(|connection| Ok(own(connection, &self.routes)? >= right))
    }

    /// Makes a change in one transaction, as [`Server::write`](crate::server::Server::write) does, if the role of this client has the right to.
    pub(crate) fn change<T>(&self, right: Right, mut change: impl FnMut(&mut Connection) -> Step<T>) -> Result<T> {
        let (writing, mut numbers) = (self.server.own.begin(self.routes.collection()), Vec::new());
        let made = self.server.write(self.routes.lock(), |connection| {
            require(connection, &self.routes, right)?;
            connection.numbers.clear();
            let made = change(connection)?;
            numbers = std::mem::take(&mut connection.numbers);
            Ok(made)
        })?;
        writing.made(numbers);
        Ok(made)
    }
}

pub(crate) fn right_of(level: i32) -> Option<Right> {
    [Right::Reader, Right::Editor, Right::Owner].into_iter().find(|right| *right as i32 == level)
}

/// Checks that the role of a connection has a right to a collection. If it has none at all, the error is the one for a collection that is not there.
pub(crate) fn require(connection: &mut Connection, routes: &Routes, right: Right) -> Step<()> {
    if own(connection, routes)? < right { Err(denied(routes.collection(), right).into()) } else { Ok(()) }
}

/// The right that the role of a connection has to a collection. If it has none, the error is the one for a collection that is not there.
pub(crate) fn own(connection: &mut Connection, routes: &Routes) -> Step<Right> {
    let row = connection.one("SELECT level_of($1)", &[&id(routes.collection())])?;
    right_of(row.try_get(0)?).ok_or_else(|| gone(routes).into())
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

/// True if the role of a connection owns the tables, or may act as their owner.
pub(crate) fn is_administrator(connection: &mut Connection) -> Step<bool> {
    Ok(connection.one("SELECT is_administrator()", &[])?.try_get(0)?)
}
