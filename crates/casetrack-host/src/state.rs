//! The operations that the state of a collection allows.
//!
//! | state | read and searched | changed (ingest, sync, reindex, delete documents, watch) | listed by default |
//! |---|---|---|---|
//! | active | yes | yes | yes |
//! | closed | yes | no | not by tools, whose default is active ones |
//! | archived | no | no | no |
//!
//! A collection in any state can be renamed, verified, repaired, reopened and deleted. Watches of a collection that is not active pause.

use casetrack_core::{CollectionMeta, CollectionStatus, Error, ErrorCode, Result};

/// Checks that the documents of a collection may be changed.
pub fn check_changeable(meta: &CollectionMeta) -> Result<()> {
    match meta.status {
        CollectionStatus::Active => Ok(()),
        CollectionStatus::Closed => Err(wrong_state(meta, "closed", "its documents cannot be changed")),
        CollectionStatus::Archived => check_readable(meta),
    }
}

/// Checks that a collection may be read and searched.
pub(crate) fn check_readable(meta: &CollectionMeta) -> Result<()> {
    match meta.status {
        CollectionStatus::Active | CollectionStatus::Closed => Ok(()),
        CollectionStatus::Archived => Err(wrong_state(meta, "archived", "it cannot be read, searched or changed")),
    }
}

fn wrong_state(meta: &CollectionMeta, state: &str, refused: &str) -> Error {
    let message = format!("The collection \"{}\" is {state}: {refused}.", meta.name);
    Error::new(ErrorCode::WrongState, message).with_hint("Reopen the collection on the command line, then try again.")
}
