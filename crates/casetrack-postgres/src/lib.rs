//! Collections in PostgreSQL with pgvector: a [`PostgresStore`] keeps them as the store on disk does, and any number of
//! clients may have one open at a time.
//!
//! # The tables
//!
//! The tables are in `migrations/`, in the schema `casetrack` of the database. Every primary key begins with a route,
//! which follows from the collection and a bucket, and the bucket from the document: all rows of a document are
//! together if the tables are distributed over machines by the route. How many buckets a collection has is in the table
//! `layout`. Values that the store on disk has as well (documents, pages, chunks, annotations) are the same bytes here.
//!
//! In a database with Citus, the tables are distributed when they are made (`migrations/distribute.sql`), and the
//! statements are the same: each names the routes it is about, and joins only rows of one route. Only documents of
//! roles are stored by another (src/changes.rs).
//!
//! Copies of source files and uploads are not in the database: see [`PostgresStore::at`].
//!
//! # How a change is stored
//!
//! A document is one transaction, with its pages, chunks, vectors and postings, in which an advisory lock keeps other
//! changes of the collection out. Its number (counted for each collection, under the lock) is greater than those of all
//! changes before, so that a client that has seen the changes up to a number reads those after it. If the connection is
//! lost while a transaction is committed, the server is asked for the outcome (`pg_xact_status`), unless it crashed
//! since. A transaction that was not committed, or whose outcome is unknown, is made again: identifiers follow from the
//! document, and doing it twice does no harm.
//!
//! # Rights
//!
//! Roles have rights to collections, which row-level security holds ([`Right`](casetrack_store::Right),
//! migrations/0002.sql). Every policy looks up once for a statement which collections the role has a right to. Tables
//! of rights are read and written by functions of the owner of the tables only. If the tables are distributed, each
//! machine has a copy of the rights, and its policies ask it row by row (migrations/share_rights.sql).
//!
//! # How a search works
//!
//! In one transaction that sees one moment. The client knows the slots, counts and filter properties of each document,
//! and reads only changes. Keyword and learned-sparse search fetch the leaves with the query's terms and add them up
//! here, by the rules of casetrack-store ([`casetrack_store::parts`]), since SQL takes 35 times as long
//! (docs/dev/scale.md). Vectors are compared by the server in half precision: all of small collections and of narrow
//! filters, else those that an HNSW index proposes. The best are compared again here, with the vector of the query as
//! it is.
//!
//! # The driver
//!
//! `postgres` waits for each answer, as the engine does, and is tokio-postgres, which is maintained with it, below;
//! tokio is already a dependency. sqlx has more than twice the dependencies, and its checks of statements need a server at
//! build time. TLS is rustls, which the pull of models already uses, through tokio-postgres-rustls.

mod address;
mod changes;
mod collection;
mod dense_index;
mod distribution;
mod documents;
mod error;
mod files;
mod leaves;
mod lists;
mod maintenance;
mod merge;
mod moment;
mod own_changes;
mod passwords;
mod postings;
mod reader;
mod rights;
mod route;
mod search;
mod server;
mod shared_store;
mod sql;
mod sslmode;
mod store;
mod subscription;
mod tls;
mod watcher;

pub use address::{Address, is_address};
pub use collection::PostgresCollection;
pub use store::PostgresStore;
pub use watcher::{Changes, Watcher};
