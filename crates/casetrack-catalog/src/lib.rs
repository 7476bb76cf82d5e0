//! The catalogue of files: every file and folder below the roots that were asked for, as the file system describes it.
//!
//! It is one SQLite database. It mirrors only what the disk tells, so losing it costs a new walk and never data; what users made (the list
//! of roots) is also in a file beside it. A [scan](Catalog::scan) walks a folder and brings the rows below it up to date; a
//! [query](Catalog::find) reads rows and looks at each file once more before it is returned, so that an answer agrees with the disk
//! at the time of the answer.
//!
//! Nothing here opens a file: names, sizes and times are all that is read.

mod catalog;
mod columns;
mod database;
mod entry;
mod follow;
mod look;
mod paths;
mod pattern;
mod query;
mod roots;
mod rows;
mod scan;
pub mod space;
mod time;
mod walk;
mod when;

#[cfg(test)]
mod tests;

pub use catalog::{Catalog, Usage};
pub use entry::{Entry, Facts, Kind};
pub use follow::Reported;
pub use paths::{lexical, shown};
pub use pattern::{Pattern, Target};
pub use query::{Found, Key, Order, Query, TimeField, TimeRange};
pub use roots::Root;
pub use scan::{BeforeListing, Problem, ScanReport, Scope};
pub use time::Time;
pub use when::{Span, span, stated};
