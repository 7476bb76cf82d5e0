//! Work that clients share, such as files to be ingested: each piece is taken by one of them at a time, for a while. Where a client is killed, others
//! take what it had once that while is over.

use std::collections::HashSet;
use std::time::Duration;

use casetrack_core::{CollectionId, Error, ErrorCode, Result};
use postgres::types::ToSql;

use crate::error::Failure;
use crate::rights::{Right, require};
use crate::server::Params;
use crate::sql::{Raw, id};
use crate::store::PostgresStore;

/// A piece of work that this client has until its time is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub collection: CollectionId,
    /// What it is called, and what it consists of, as [`PostgresStore::offer`] was given them.
    pub name: String,
    pub content: Vec<u8>,
    /// How often it was taken, this time included. Work that ends its clients is taken again and again.
    pub taken: u32,
    token: Raw,
}

/// Which work a client wants.
#[derive(Debug, Clone, Default)]
pub struct WantedWork {
    /// Work of these names, and work whose name begins with one of those below.
    pub names: Vec<String>,
    pub prefixes: Vec<String>,
    /// But none of these.
    pub except: Vec<String>,
}

/// Of the parameters `$2` and `$3`.
const IS_NAMED: &str = "(name = ANY($2) OR EXISTS (SELECT FROM unnest($3::text[]) AS p WHERE starts_with(name, p)))";
const IS_FREE: &str = "(until IS NULL OR until < clock_timestamp())";

/// How much work on a collection there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkLeft {
    /// That is not done.
    pub all: u64,
    /// That some client has, of what is wanted, exceptions included.
    pub held: u64,
}

/// Milliseconds, as the server takes them.
fn milliseconds(of: Duration) -> i64 {
    i64::try_from(of.as_millis()).unwrap_or(i64::MAX)
}

impl PostgresStore {
    /// Adds work on a collection, in one step, in the order of the names; how much was added. What somebody has, or nobody has taken yet, stays as
    /// it is; what was put back is offered anew. `describe` gives the content of a piece of work, and knows how much is added. Only editors do.
    pub fn offer(
        &self,
        collection: CollectionId,
        names: &[String],
        describe: impl Fn(&str, u64) -> Result<Vec<u8>>,
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

    /// Takes the oldest work on a collection that nobody has, so many pieces at most. It is this client's for so long.
    pub fn take(
        &self,
        collection: CollectionId,
        wanted: &WantedWork,
        most: u32,
        lasting: Duration,
    ) -> Result<Vec<Lease>> {
        let routes = self.routes(collection)?;
        let sql = format!(
            "UPDATE work SET lease = gen_random_uuid(), until = clock_timestamp() + $6 * interval '1 millisecond', taken = taken + 1 \
             WHERE collection = $1 AND name = ANY (ARRAY(SELECT name FROM work WHERE collection = $1 AND {IS_FREE} AND {IS_NAMED} AND name <> ALL($4) \
             ORDER BY added, name LIMIT $5 FOR UPDATE SKIP LOCKED)) RETURNING name, content, taken, lease"
        );
        let WantedWork { names, prefixes, except } = wanted;
        let mut taken: Vec<Lease> = self.server.write_beside(|connection| {
            require(connection, &routes, Right::Editor)?;
            let rows = connection.all(
                &sql,
                &[&id(collection), names, prefixes, except, &i64::from(most), &(milliseconds(lasting) as f64)],
            )?;
            let lease = |row: &postgres::Row| {
                let taken = row.try_get::<_, i32>(2)?.cast_unsigned();
                Ok(Lease { collection, name: row.try_get(0)?, content: row.try_get(1)?, taken, token: row.try_get(3)? })
            };
            rows.iter().map(lease).collect()
        })?;
        taken.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(taken)
    }

    /// How much work on a collection there is.
    pub fn work_left(&self, collection: CollectionId, wanted: &WantedWork) -> Result<WorkLeft> {
        let routes = self.routes(collection)?;
        self.server.read(|connection| {
            require(connection, &routes, Right::Editor)?;
            let sql = format!(
                "SELECT count(*), count(*) FILTER (WHERE NOT {IS_FREE} AND {IS_NAMED}) FROM work WHERE collection = $1"
            );
            let row = connection.one(&sql, &[&id(collection), &wanted.names, &wanted.prefixes])?;
            let count = |n: usize| Ok::<_, Failure>(row.try_get::<_, i64>(n)?.cast_unsigned());
            Ok(WorkLeft { all: count(0)?, held: count(1)? })
        })
    }

    /// Keeps work for so long from now on.
    ///
    /// Errors: [`ErrorCode::WrongState`] where somebody else has it by now, or it is done.
    pub fn keep(&self, lease: &Lease, lasting: Duration) -> Result<()> {
        let sql = "UPDATE work SET until = clock_timestamp() + $4 * interval '1 millisecond' WHERE collection = $1 AND name = $2 AND lease = $3";
        self.settle(lease, sql, &[&(milliseconds(lasting) as f64)])
    }

    /// Notes that work is done: there is no more of it.
    ///
    /// Errors: as [`PostgresStore::keep`].
    pub fn finish(&self, lease: &Lease) -> Result<()> {
        self.settle(lease, "DELETE FROM work WHERE collection = $1 AND name = $2 AND lease = $3", &[])
    }

    /// Gives work back, for others to take, with what its content is from now on.
    ///
    /// Errors: as [`PostgresStore::keep`].
    pub fn put_back(&self, lease: &Lease) -> Result<()> {
        let sql = "UPDATE work SET lease = NULL, until = NULL, content = $4 WHERE collection = $1 AND name = $2 AND lease = $3";
        self.settle(lease, sql, &[&lease.content])
    }

    /// `params` are those from `$4` on.
    fn settle(&self, lease: &Lease, sql: &str, params: Params<'_>) -> Result<()> {
        let routes = self.routes(lease.collection)?;
        self.server.write_beside(|connection| {
            require(connection, &routes, Right::Editor)?;
            let own = id(lease.collection);
            let given: [&(dyn ToSql + Sync); 3] = [&own, &lease.name, &lease.token];
            match connection.change(sql, &[&given, params].concat())? {
                0 => Err(Error::new(ErrorCode::WrongState, format!("{} is no longer this client's work.", lease.name))
                    .with_hint("It took too long, and another client took it: leave it to that one.")
                    .into()),
                _ => Ok(()),
            }
        })
    }
}
