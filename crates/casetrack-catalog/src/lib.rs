//! The catalogue of files: every file and folder below the roots, as the file system describes it.
//!
//! It is one SQLite database. It mirrors only the disk, so losing it costs a new walk and never data; the data of users (the list of roots)
//! is also in a file next to it. A [scan](Catalog::scan) walks a folder and brings the rows below it up to date. A [query](Catalog::find)
//! reads rows and checks each file on the disk before it is returned, so that an answer agrees with the disk at that time.
//!
//! Nothing here opens a file: only names, sizes and times are read.

mod catalog;
mod columns;
mod database;
mod entry;
mod follow;
mod path_updates;
mod paths;
mod pattern;
mod query;
mod roots;
mod rows;
mod scan;
pub mod space;
mod time;
mod timespan;
mod walk;

#[cfg(test)]
mod tests;

pub use catalog::{Catalog, Usage};
pub use entry::{Entry, Facts, Kind};
pub use follow::ReportedChanges;
pub use paths::{lexical, shown};
pub use pattern::{Pattern, Target};
pub use query::{Key, Order, Query, QueryPage, TimeField, TimeRange};
pub use roots::Root;
pub use scan::{BeforeListing, Problem, ScanReport, Scope};
pub use time::Time;
pub use timespan::{Span, span, stated};
