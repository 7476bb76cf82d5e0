//! The tools, one file per family. A handler converts its parameters, calls the engine and says how to render the answer.

pub(crate) mod bates;
pub(crate) mod chunks;
pub(crate) mod collections;
pub(crate) mod desk;
pub(crate) mod documents;
pub(crate) mod entities;
pub(crate) mod evidence;
pub(crate) mod files;
pub(crate) mod hidden;
pub(crate) mod index;
pub(crate) mod ingest;
pub(crate) mod jobs;
pub(crate) mod navigation;
pub(crate) mod obligations;
pub(crate) mod overview;
pub(crate) mod quotes;
pub(crate) mod references;
pub(crate) mod reindex;
pub(crate) mod search;
pub(crate) mod sheet;
pub(crate) mod space;
pub(crate) mod status;
pub(crate) mod sync;
pub(crate) mod tags;
pub(crate) mod terms;
pub(crate) mod threads;
pub(crate) mod time;
pub(crate) mod tracked;
pub(crate) mod versions;
pub(crate) mod watches;
pub(crate) mod work;

use casetrack_core::Error;

/// The default of a parameter.
fn number<const N: u32>() -> u32 {
    N
}

/// The default of a parameter that is usually wanted.
fn yes() -> bool {
    true
}

/// The refusal of a deletion that was not confirmed. `what` names everything that would be deleted.
fn unconfirmed(what: &str) -> Error {
    Error::invalid("confirm must be true; nothing was deleted.").with_hint(format!(
        "This would permanently delete {what}. It cannot be undone. Ask the user, then call again with confirm set to true."
    ))
}
