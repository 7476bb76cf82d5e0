//! Parts of a database that several machines share: rights of roles, and work that clients divide.
//!
//! Each piece of work is one client's at a time, for a while. If a client is killed, others take its work once that while is over.

use std::collections::HashSet;
use std::time::Duration;

use casetrack_core::{CollectionId, Error, ErrorCode, Result};
use casetrack_store::{Lease, Right, SharedStore, StoreChange, Subscription, WorkCounts, WorkFilter};
use postgres::types::ToSql;

use crate::error::Failure;
use crate::moment::gone;
use crate::rights::{is_administrator, require, right_of};
use crate::server::Params;
use crate::sql::{Raw, id};
use crate::store::{PostgresStore, SCHEMA_LOCK};

/// A condition on the parameters `$2` and `$3`.
const IS_NAMED: &str = "(name = ANY($2) OR EXISTS (SELECT FROM unnest($3::text[]) AS p WHERE starts_with(name, p)))";
const IS_FREE: &str = "(until IS NULL OR until < clock_timestamp())";

fn milliseconds(of: Duration) -> i64 {
    i64::try_from(of.as_millis()).unwrap_or(i64::MAX)
}

impl SharedStore for PostgresStore {
    fn subscribe(&self, notify: Box<dyn Fn(StoreChange) + Send>) -> Result<Box<dyn Subscription>> {
        Ok(Box::new(self.follow(notify)?))
    }

    fn rights(&self, collection: CollectionId) -> Result<Vec<(String, Right)>> {
        let routes = self.routes(collection)?;
        self.server.read(|connection| {
            require(connection, &routes, Right::Reader)?;
            let mut rights = Vec::new();
            for row in connection.all("SELECT who, level FROM rights($1)", &[&id(collection)])? {
                rights.extend(right_of(row.try_get(1)?).map(|right| Ok::<_, Failure>((row.try_get(0)?, right))));
            }
            rights.into_iter().collect()
        })
    }

    fn grant(&self, collection: CollectionId, role: &str, right: Right) -> Result<()> {
        self.set_right(collection, role, right as i32)
    }

    fn revoke(&self, collection: CollectionId, role: &str) -> Result<()> {
        self.set_right(collection, role, 0)
    }

    fn admitted(&self) -> Result<Vec<(String, bool)>> {
        self.layout()?;
        self.server.read(|connection| {
            if !is_administrator(connection)? {
                let message = "Only the administrator of the database can list its users.";
                let hint = "Connect as the role that owns the tables; or name a collection to list the rights to it.";
                return Err(Error::new(ErrorCode::PermissionDenied, message).with_hint(hint).into());
            }
            let rows = connection.all("SELECT who, creates FROM admitted()", &[])?;
            rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
        })
    }

    fn admit(&self, role: &str, creates: bool) -> Result<()> {
        self.administer("SELECT admit($1, $2)", role, &[&role, &creates])
    }

    fn dismiss(&self, role: &str) -> Result<()> {
        self.administer("SELECT dismiss($1)", role, &[&role])
    }

    fn offer(
        &self,
        collection: CollectionId,
        names: &[String],
        describe: &dyn Fn(&str, u64) -> Result<Vec<u8>>,
    ) -> Result<u64> {
        let routes = self.routes(collection)?;
        self.server.write(routes.lock(), |connection| {
            require(connection, &routes, Right::Editor)?;
            let rows = connection.all(
                "SELECT name FROM work WHERE collection = $1 AND name = ANY($2) AND NOT (until IS NULL AND taken > 0)",
                &[&id(collection), &names],
            )?;
            let there = rows.iter().map(|row| row.try_get(0)).collect::<std::result::Result<HashSet<String>, _>>()?;
            let added: Vec<&String> = names.iter().filter(|name| !there.contains(*name)).collect();
            let count = added.len() as u64;
            let contents = added.iter().map(|name| describe(name, count)).collect::<Result<Vec<_>>>()?;
            connection.change(
                "INSERT INTO work (collection, name, content) SELECT $1, name, content FROM unnest($2::text[], $3::bytea[]) AS w(name, content) \
                 ON CONFLICT (collection, name) DO UPDATE SET content = excluded.content, added = excluded.added, taken = 0",
                &[&id(collection), &added, &contents],
            )?;
            Ok(count)
        })
    }

    fn take(&self, collection: CollectionId, filter: &WorkFilter, most: u32, lasting: Duration) -> Result<Vec<Lease>> {
        let routes = self.routes(collection)?;
        let sql = format!(
            "UPDATE work SET lease = gen_random_uuid(), until = clock_timestamp() + $6 * interval '1 millisecond', taken = taken + 1 \
             WHERE collection = $1 AND name = ANY (ARRAY(SELECT name FROM work WHERE collection = $1 AND {IS_FREE} AND {IS_NAMED} AND name <> ALL($4) \
             ORDER BY added, name LIMIT $5 FOR UPDATE SKIP LOCKED)) RETURNING name, content, taken, lease"
        );
        let WorkFilter { names, prefixes, except } = filter;
        let mut taken: Vec<Lease> = self.server.write_beside(|connection| {
            require(connection, &routes, Right::Editor)?;
            let rows = connection.all(
                &sql,
                &[&id(collection), names, prefixes, except, &i64::from(most), &(milliseconds(lasting) as f64)],
            )?;
            let lease = |row: &postgres::Row| {
                let taken = row.try_get::<_, i32>(2)?.cast_unsigned();
                Ok(Lease {
                    collection,
                    name: row.try_get(0)?,
                    content: row.try_get(1)?,
                    taken,
                    token: row.try_get::<_, Raw>(3)?.uuid(),
                })
            };
            rows.iter().map(lease).collect()
        })?;
        taken.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(taken)
    }

    fn work_left(&self, collection: CollectionId, filter: &WorkFilter) -> Result<WorkCounts> {
        let routes = self.routes(collection)?;
        self.server.read(|connection| {
            require(connection, &routes, Right::Editor)?;
            let sql = format!(
                "SELECT count(*), count(*) FILTER (WHERE NOT {IS_FREE} AND {IS_NAMED}) FROM work WHERE collection = $1"
            );
            let row = connection.one(&sql, &[&id(collection), &filter.names, &filter.prefixes])?;
            let count = |n: usize| Ok::<_, Failure>(row.try_get::<_, i64>(n)?.cast_unsigned());
            Ok(WorkCounts { all: count(0)?, held: count(1)? })
        })
    }

    fn prolong(&self, lease: &Lease, lasting: Duration) -> Result<()> {
        let sql = "UPDATE work SET until = clock_timestamp() + $4 * interval '1 millisecond' WHERE collection = $1 AND name = $2 AND lease = $3";
        self.settle(lease, sql, &[&(milliseconds(lasting) as f64)])
    }

    fn finish(&self, lease: &Lease) -> Result<()> {
        self.settle(lease, "DELETE FROM work WHERE collection = $1 AND name = $2 AND lease = $3", &[])
    }

    fn put_back(&self, lease: &Lease) -> Result<()> {
        let sql = "UPDATE work SET lease = NULL, until = NULL, content = $4 WHERE collection = $1 AND name = $2 AND lease = $3";
        self.settle(lease, sql, &[&lease.content])
    }
}

impl PostgresStore {
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

    fn set_right(&self, collection: CollectionId, role: &str, level: i32) -> Result<()> {
        let routes = self.routes(collection)?;
        self.server.write(routes.lock(), |connection| {
            let row = connection.one("SELECT set_right($1, $2, $3)", &[&id(collection), &role, &level])?;
            match row.try_get::<_, i32>(0)? {
                3 => Ok(()),
                2 if level == 0 => {
                    let message = format!("The role {role} has no right to the collection {collection}.");
                    Err(Error::new(ErrorCode::NotFound, message)
                        .with_hint("List the rights to it to see the roles.")
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

    /// `params` are those from `$4` on.
    fn settle(&self, lease: &Lease, sql: &str, params: Params<'_>) -> Result<()> {
        let routes = self.routes(lease.collection)?;
        self.server.write_beside(|connection| {
            require(connection, &routes, Right::Editor)?;
            let (own, token) = (id(lease.collection), Raw(lease.token.to_vec()));
            let given: [&(dyn ToSql + Sync); 3] = [&own, &lease.name, &token];
            match connection.change(sql, &[&given, params].concat())? {
                0 => Err(Error::new(ErrorCode::WrongState, format!("{} is no longer this client's work.", lease.name))
                    .with_hint("It took too long, and another client took it over.")
                    .into()),
                _ => Ok(()),
            }
        })
    }
}

fn without_role(role: &str) -> Error {
    Error::new(ErrorCode::NotFound, format!("The database has no role {role} that may use this store."))
        .with_hint("The administrator creates the role (CREATE ROLE … LOGIN) and admits it to the store.")
}
