//! A database that several machines share: roles with rights to collections, changes by other clients, and work that machines divide.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use casetrack_core::{CollectionId, DocumentId, Result};
use serde::{Deserialize, Serialize};

use super::Store;
use crate::roles::DocumentChange;

/// The address of a database that keeps collections. It is displayed and debugged without its password.
pub trait Database: fmt::Display + fmt::Debug + Send + Sync {
    /// The name of a folder for the files that a client keeps of this database on its own machine. It does not depend on the user.
    fn folder_name(&self) -> String;

    /// The store of its collections, with their files in a folder. Connects to nothing.
    fn open(&self, files: &Path) -> Result<Arc<dyn SharedStore>>;
}

/// A store in a database. Any number of clients may have a collection open at a time.
///
/// Errors of all methods: `PermissionDenied` if the database does not let this role.
pub trait SharedStore: Store {
    /// Calls `notify` with every change that other clients make from now on, until the subscription is dropped. Takes
    /// one thread and one connection. If the role is the administrator's, also makes indexes that are missing. Errors:
    /// `InUse` if there is a subscription already.
    fn subscribe(&self, notify: Box<dyn Fn(StoreChange) + Send>) -> Result<Box<dyn Subscription>>;

    /// The roles that have a right to a collection, by name, for a role that has one itself.
    fn rights(&self, collection: CollectionId) -> Result<Vec<(String, Right)>>;

    /// Gives a role a right to a collection, in place of its current right. Needs the right of an owner.
    fn grant(&self, collection: CollectionId, role: &str, right: Right) -> Result<()>;

    /// Takes back the right of a role to a collection. Needs the right of an owner.
    fn revoke(&self, collection: CollectionId, role: &str) -> Result<()>;

    /// The roles that may use the database for collections, by name, each with `true` if it makes collections. Only for the administrator.
    fn admitted(&self) -> Result<Vec<(String, bool)>>;

    /// Lets a role use the database for collections, and make some if it `creates`. Only for the administrator.
    fn admit(&self, role: &str, creates: bool) -> Result<()>;

    /// Reverses [`admit`](Self::admit), and removes all rights of the role. Only for the administrator.
    fn dismiss(&self, role: &str) -> Result<()>;

    /// Adds work on a collection, in one step, in the order of the names, and returns the number of pieces that were
    /// added. Work that a client has, or that is not taken yet, stays as it is; work that was put back is offered
    /// again. `describe` returns the content of a piece of work from its name and the number of pieces that are added.
    /// Needs the right of an editor, as does all work.
    fn offer(
        &self,
        collection: CollectionId,
        names: &[String],
        describe: &dyn Fn(&str, u64) -> Result<Vec<u8>>,
    ) -> Result<u64>;

    /// Takes the oldest free work on a collection, at most `most` pieces, for a time.
    fn take(&self, collection: CollectionId, filter: &WorkFilter, most: u32, lasting: Duration) -> Result<Vec<Lease>>;

    fn work_left(&self, collection: CollectionId, filter: &WorkFilter) -> Result<WorkCounts>;

    /// Prolongs a lease: from now on, it lasts this long. Errors: `WrongState` if another client has the work by now,
    /// or it is done.
    fn prolong(&self, lease: &Lease, lasting: Duration) -> Result<()>;

    /// Removes work that is done. Errors: as [`prolong`](Self::prolong).
    fn finish(&self, lease: &Lease) -> Result<()>;

    /// Gives work back, for others to take, with the content that the lease has now. Errors: as
    /// [`prolong`](Self::prolong).
    fn put_back(&self, lease: &Lease) -> Result<()>;
}

/// A subscription to the changes of other clients. It ends within about a second after it is dropped.
pub trait Subscription: Send + Sync {
    /// Waits until every later change is reported, at most this long.
    fn wait_until_begun(&self, longest: Duration);
}

/// A change by another client. It is durable, and reading shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreChange {
    /// A collection was made, described again, deleted, shown or hidden; or so much of it changed that the documents are not listed.
    Collection(CollectionId),
    Document(CollectionId, DocumentId, DocumentChange),
    /// Evidence was collected, changed or removed.
    Evidence(CollectionId),
}

/// A right to a collection. Each includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Right {
    /// Searches and reads.
    Reader = 1,
    /// Stores, changes and removes documents and their marks.
    Editor = 2,
    /// Renames and removes the collection, and gives others rights to it.
    Owner = 3,
}

/// A piece of work that this client has until its time is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub collection: CollectionId,
    pub name: String,
    pub content: Vec<u8>,
    /// The number of times that it was taken, including this one. Work that ends its clients is taken again and again.
    pub taken: u32,
    /// Distinguishes this lease from others of the same work.
    pub token: [u8; 16],
}

/// The work that a client wants.
#[derive(Debug, Clone, Default)]
pub struct WorkFilter {
    /// Work with these names, and work whose name begins with one of `prefixes`.
    pub names: Vec<String>,
    pub prefixes: Vec<String>,
    pub except: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkCounts {
    /// Work that is not done.
    pub all: u64,
    /// Work that some client has and that the filter names, exceptions included.
    pub held: u64,
}
