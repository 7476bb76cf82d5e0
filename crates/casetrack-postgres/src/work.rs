//! Work that clients share, such as files to be ingested: each piece is taken by one of them at a time, for a while. Where a client is killed, others
//! take what it had once that while is over.

use std::time::Duration;

use casetrack_core::{CollectionId, Error, ErrorCode, Result};

use crate::rights::{Right, require};
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

/// Milliseconds, as the server takes them.
fn milliseconds(of: Duration) -> i64 {
    i64::try_from(of.as_millis()).unwrap_or(i64::MAX)
}

impl PostgresStore {
    /// Adds work on a collection. `false` where there is work of that name already. Only editors do.
    pub fn offer(&self, collection: CollectionId, name: &str, content: &[u8]) -> Result<bool> {
        let routes = self.routes(collection)?;
        self.server.write_beside(|connection| {
            require(connection, &routes, Right::Editor)?;
            let added = connection.change(
                "INSERT INTO work (collection, name, content) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                &[&id(collection), &name, &content],
            )?;
            Ok(added > 0)
        })
    }

    /// Takes the oldest work on a collection that nobody has; `None` where there is none. It is this client's for so long.
    pub fn take(&self, collection: CollectionId, lasting: Duration) -> Result<Option<Lease>> {
        let routes = self.routes(collection)?;
        self.server.write_beside(|connection| {
            require(connection, &routes, Right::Editor)?;
            let row = connection.some(
                "UPDATE work SET lease = gen_random_uuid(), until = clock_timestamp() + $2 * interval '1 millisecond', taken = taken + 1 \
                 WHERE collection = $1 AND name = (SELECT name FROM work WHERE collection = $1 \
                 AND (until IS NULL OR until < clock_timestamp()) ORDER BY added, name LIMIT 1 FOR UPDATE SKIP LOCKED) \
                 RETURNING name, content, taken, lease",
                &[&id(collection), &(milliseconds(lasting) as f64)],
            )?;
            let lease = |row: postgres::Row| {
                let taken = row.try_get::<_, i32>(2)?.cast_unsigned();
                Ok(Lease { collection, name: row.try_get(0)?, content: row.try_get(1)?, taken, token: row.try_get(3)? })
            };
            row.map(lease).transpose()
        })
    }

    /// Keeps work for so long from now on.
    ///
    /// Errors: [`ErrorCode::WrongState`] where somebody else has it by now, or it is done.
    pub fn keep(&self, lease: &Lease, lasting: Duration) -> Result<()> {
        let sql = "UPDATE work SET until = clock_timestamp() + $4 * interval '1 millisecond' WHERE collection = $1 AND name = $2 AND lease = $3";
        self.settle(lease, sql, Some(milliseconds(lasting) as f64))
    }

    /// Notes that work is done: there is no more of it.
    ///
    /// Errors: as [`PostgresStore::keep`].
    pub fn finish(&self, lease: &Lease) -> Result<()> {
        self.settle(lease, "DELETE FROM work WHERE collection = $1 AND name = $2 AND lease = $3", None)
    }

    /// Gives work back, for others to take.
    ///
    /// Errors: as [`PostgresStore::keep`].
    pub fn put_back(&self, lease: &Lease) -> Result<()> {
        let sql = "UPDATE work SET lease = NULL, until = NULL WHERE collection = $1 AND name = $2 AND lease = $3";
        self.settle(lease, sql, None)
    }

    fn settle(&self, lease: &Lease, sql: &str, lasting: Option<f64>) -> Result<()> {
        let routes = self.routes(lease.collection)?;
        self.server.write_beside(|connection| {
            require(connection, &routes, Right::Editor)?;
            let own = id(lease.collection);
            let mut params: Vec<&(dyn postgres::types::ToSql + Sync)> = vec![&own, &lease.name, &lease.token];
            params.extend(lasting.as_ref().map(|lasting| lasting as &(dyn postgres::types::ToSql + Sync)));
            match connection.change(sql, &params)? {
                0 => Err(Error::new(ErrorCode::WrongState, format!("{} is no longer this client's work.", lease.name))
                    .with_hint("It took too long, and another client took it: leave it to that one.")
                    .into()),
                _ => Ok(()),
            }
        })
    }
}
