//! Giving and taking rights, and changes by those who have them.

use casetrack_core::{CollectionId, Error, ErrorCode, Result};

use crate::collection::PostgresCollection;
use crate::error::Failure;
use crate::known::gone;
use crate::rights::{Right, own, require};
use crate::server::{Connection, Params};
use crate::sql::id;
use crate::store::{PostgresStore, SCHEMA_LOCK};

type Step<T> = std::result::Result<T, Failure>;

impl PostgresCollection {
    /// Whether the role of this client has a right. It has one to read, at least.
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

impl PostgresStore {
    /// Lets a role, which is there already (`CREATE ROLE anna LOGIN`), use the store, and make collections if it `creates`. Only the administrator of
    /// the database may: the owner of the tables. Doing it again changes whether it may make collections.
    pub fn admit(&self, role: &str, creates: bool) -> Result<()> {
        self.administer("SELECT admit($1, $2)", role, &[&role, &creates])
    }

    /// Takes back all that a role was granted, and that it may use the store. Only the administrator may.
    pub fn dismiss(&self, role: &str) -> Result<()> {
        self.administer("SELECT dismiss($1)", role, &[&role])
    }

    /// The roles that may use the store, by name, and whether each may make collections. Only the administrator may ask.
    pub fn admitted(&self) -> Result<Vec<(String, bool)>> {
        self.layout()?;
        self.server.read(|connection| {
            if !is_administrator(connection)? {
                let message = "Only the administrator of the database sees who may use it.";
                let hint =
                    "Connect as the role that owns the tables; or name a collection, to see who has a right to it.";
                return Err(Error::new(ErrorCode::PermissionDenied, message).with_hint(hint).into());
            }
            let rows = connection.all("SELECT who, creates FROM admitted()", &[])?;
            rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
        })
    }

    fn administer(&self, sql: &str, role: &str, params: Params<'_>) -> Result<()> {
        self.layout()?;
        self.server.write(SCHEMA_LOCK, |connection| {
            if !is_administrator(connection)? {
                let message = "Only the administrator of the database admits and dismisses roles.";
                let hint = "Connect as the role that owns the tables.";
                return Err(Error::new(ErrorCode::PermissionDenied, message).with_hint(hint).into());
            }
            if connection.some("SELECT 1 FROM pg_roles WHERE rolname = $1", &[&role])?.is_none() {
                return Err(without_role(role).into());
            }
            connection.one(sql, params)?;
            Ok(())
        })
    }

    /// Gives a role a right to a collection, in place of the one that it has. Only owners may. It holds from the next statement on.
    pub fn grant(&self, collection: CollectionId, role: &str, right: Right) -> Result<()> {
        self.set_right(collection, role, right as i32)
    }

    /// Takes back the right of a role to a collection. What it may as a member of other roles stays. Only owners may.
    ///
    /// Errors: [`ErrorCode::NotFound`] where the role has no right of its own.
    pub fn revoke(&self, collection: CollectionId, role: &str) -> Result<()> {
        self.set_right(collection, role, 0)
    }

    fn set_right(&self, collection: CollectionId, role: &str, level: i32) -> Result<()> {
        let routes = self.routes(collection)?;
        self.server.write(routes.lock(), |connection| {
            let row = connection.one("SELECT set_right($1, $2, $3)", &[&id(collection), &role, &level])?;
            match row.try_get::<_, i32>(0)? {
                3 => Ok(()),
                2 if level == 0 => {
                    let message = format!("The role {role} has no right to the collection {collection}.");
                    Err(Error::new(ErrorCode::NotFound, message)
                        .with_hint("List the rights to it to see who has one.")
                        .into())
                }
                2 => Err(without_role(role).into()),
                1 => Err(Error::new(
                    ErrorCode::PermissionDenied,
                    "Only an owner of a collection gives others rights to it.",
                )
                .with_hint("Ask its owner, or the administrator of the database.")
                .into()),
                _ => Err(gone(&routes).into()),
            }
        })
    }

    /// The roles that have a right to a collection, by name, for those who have one.
    pub fn rights(&self, collection: CollectionId) -> Result<Vec<(String, Right)>> {
        let routes = self.routes(collection)?;
        self.server.read(|connection| {
            require(connection, &routes, Right::Reader)?;
            let mut rights = Vec::new();
            for row in connection.all("SELECT who, level FROM rights($1)", &[&id(collection)])? {
                rights.extend(Right::of_level(row.try_get(1)?).map(|right| Ok::<_, Failure>((row.try_get(0)?, right))));
            }
            rights.into_iter().collect()
        })
    }
}

/// Whether the role of a connection owns the tables, or may do as if it did.
pub(crate) fn is_administrator(connection: &mut Connection) -> Step<bool> {
    Ok(connection.one("SELECT is_administrator()", &[])?.try_get(0)?)
}

fn without_role(role: &str) -> Error {
    Error::new(ErrorCode::NotFound, format!("The database has no role {role} that may use this store."))
        .with_hint("The administrator makes the role (CREATE ROLE … LOGIN) and admits it to the store.")
}
