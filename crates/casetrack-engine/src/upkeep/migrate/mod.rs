//! Moves a collection to another store: document by document into a hidden one, which is compared with the first as a whole and then shown.
//! Ids stay, so that citations stay valid.
//!
//! Nothing of it is kept in memory from one document to the next. Documents that an interrupted process stored are found again, and compared.

mod comparison;
mod copy;

use std::sync::Arc;
use std::time::{Duration, Instant};

use casetrack_core::{Cancel, CollectionId, CollectionMeta, Error, ErrorCode, ProgressSink, Result};
use casetrack_store::{Collection, Store};
use schemars::JsonSchema;
use serde::Serialize;

use casetrack_host::changes::Change;
use casetrack_host::{Host, OpenCollection, StorePlace, of_files};
use comparison::difference;
use copy::{State, Way, copy};

/// Most repeated copies of a collection that changes during the copy.
const ROUNDS: u32 = 4;
/// The longest wait of the removal for calls that work with the collection.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MigrateReport {
    /// Its id is the same in both stores.
    #[serde(flatten)]
    pub meta: CollectionMeta,
    /// `disk`, or the address of a database, without a password.
    pub from: String,
    pub to: String,
    pub documents: u64,
    pub pages: u64,
    pub chunks: u64,
    /// Documents that an earlier call had copied.
    pub copied_before: u64,
    /// Copies of source files that were taken along.
    pub originals: u64,
    /// Uploads that were taken along.
    pub uploads: u64,
    /// One sentence for each copy of a source file that could not be taken along.
    pub left_out: Vec<String>,
    /// True if the other store had all of it already.
    pub was_there: bool,
    /// True if the first collection was removed. It stays if something was left out.
    pub removed: bool,
    pub duration_ms: u64,
}

/// Makes the same collection in another store, and compares both: every document with everything that is stored of it, columns, evidence, copies of
/// source files and uploads. The first collection stays as it is, and may be used during the copy.
///
/// Errors: [`ErrorCode::InvalidArgument`] for the store that it is in; [`ErrorCode::WrongState`] for a vault; [`ErrorCode::AlreadyExists`]
/// if the other store has a collection of this id with other content, or another one of this name; [`ErrorCode::InUse`] if the collection
/// changes all the time. After these and after a kill, the next call continues.
pub(crate) fn copy_to_store(
    host: &Host,
    id: CollectionId,
    to: &StorePlace,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<(MigrateReport, State)> {
    let started = Instant::now();
    let source = movable(host, id, to)?;
    let other = host.other_store(to)?;
    let was_there = is_there(host, &*other, source.meta(), to)?;
    let way = Way::new(&source, &to.collection_dir(&host.config().data_dir, id));
    let (target, state) = match was_there {
        true => {
            let target = other.open_collection(id)?;
            let state = compared(&source, &target, &way, to, progress, cancel)?;
            (target, state)
        }
        false => {
            let mut target = other.prepare(source.meta(), source.models())?;
            let state = fill(&source, &mut target, &way, progress, cancel)?;
            check(&target)?;
            (target, state)
        }
    };
    let counts = target.counts()?;
    drop(target);
    if !was_there {
        other.publish(id)?;
    }
    let report = MigrateReport {
        meta: source.meta().clone(),
        from: host.store_place().to_string(),
        to: to.to_string(),
        documents: counts.documents,
        pages: counts.pages,
        chunks: counts.chunks,
        copied_before: state.copied_before,
        originals: state.originals,
        uploads: state.uploads,
        left_out: state.left_out.clone(),
        was_there,
        removed: false,
        duration_ms: started.elapsed().as_millis() as u64,
    };
    Ok((report, state))
}

/// The collection, if it can be in that store.
fn movable(host: &Host, id: CollectionId, to: &StorePlace) -> Result<Arc<OpenCollection>> {
    if to == host.store_place() {
        return Err(
            Error::invalid(format!("The collection is already {}.", to.location())).with_hint("Name the other store.")
        );
    }
    if id == of_files() {
        return Err(Error::invalid(
            "The collection of the file search belongs to the files of this machine, and stays \
            on its disk.",
        )
        .with_hint("Name another collection."));
    }
    let source = host.collection(id)?;
    if source.is_vault() {
        let message = format!("\"{}\" is a vault, and vaults are on disk only.", source.meta().name);
        return Err(Error::new(ErrorCode::WrongState, message).with_hint(
            "`casetrack vault unseal` makes it a plain collection, which anyone with access to the database can then \
             read.",
        ));
    }
    Ok(source)
}

/// Removes the documents that an unfinished call has copied; returns true if there were any.
pub fn discard_copy(host: &Host, id: CollectionId, to: &StorePlace) -> Result<bool> {
    host.other_store(to)?.discard(id)
}

/// Removes a collection that was copied, unless it was changed since.
///
/// Errors: [`ErrorCode::InUse`].
pub(crate) fn remove_copied(host: &Host, id: CollectionId, copied: &State, cancel: &Cancel) -> Result<()> {
    host.open_collections().while_closed(id, PATIENCE, cancel, || {
        let source = host.store().open_collection(id)?;
        if !copied.is_that_of(&source)? {
            let message = format!("\"{}\" was changed after it was copied, and is not removed.", source.meta().name);
            return Err(Error::new(ErrorCode::InUse, message).with_hint(
                "Both stores now have the collection. Delete the copy in the other store, and start again when \
                 nothing changes this one.",
            ));
        }
        drop(source);
        host.store().delete(id)
    })?;
    host.changes().notify(Change::Collection(id));
    Ok(())
}

fn is_there(host: &Host, other: &dyn Store, meta: &CollectionMeta, to: &StorePlace) -> Result<bool> {
    let mut there = other.list()?;
    if there.iter().any(|other| other.id == meta.id) {
        return Ok(true);
    }
    if let Some(same) = there.iter().find(|other| other.name.to_lowercase() == meta.name.to_lowercase()) {
        let message =
            format!("Another collection {} is named \"{}\" (ID: {}).", to.location(), same.name, same.id.short());
        return Err(Error::new(ErrorCode::AlreadyExists, message).with_hint("Rename one of the two."));
    }
    there.retain(|other| other.id != of_files());
    host.config().tier.check_new_collection(there.len())?;
    Ok(false)
}

fn compared(
    source: &Collection,
    target: &Collection,
    way: &Way,
    to: &StorePlace,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<State> {
    let state = State::of(source)?;
    match difference(source, target, way, progress, cancel)? {
        None => state.found(target),
        Some(difference) => {
            let (name, place) = (&source.meta().name, to.location());
            let message = format!("\"{name}\" is already {place}, but differs there: {difference}");
            let hint = format!("Delete the copy that you do not need. After you delete the copy {place}, try again.");
            Err(Error::new(ErrorCode::AlreadyExists, message).with_hint(hint))
        }
    }
}

/// Copies until both are the same.
fn fill(
    source: &Collection,
    target: &mut Collection,
    way: &Way,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<State> {
    let mut last = String::new();
    let mut copied_before = None;
    for _ in 0..ROUNDS {
        let mut state = State::of(source)?;
        copy(source, target, way, &mut state, progress, cancel)?;
        state.copied_before = *copied_before.get_or_insert(state.copied_before);
        let silent: ProgressSink = Arc::new(|_| {});
        match difference(source, target, way, &silent, cancel)? {
            None if state.is_that_of(source)? => return Ok(state),
            None => {}
            Some(difference) => last = difference,
        }
    }
    let message = format!("\"{}\" kept changing during the copy. {last}", source.meta().name);
    Err(Error::new(ErrorCode::InUse, message.trim_end().to_owned())
        .with_hint("Try again when its jobs have ended: finished copies are kept."))
}

/// Everything that was stored is as it must be.
fn check(target: &Collection) -> Result<()> {
    target.flush()?;
    let problem = target.verify()?.checks.into_iter().find_map(|check| check.problems.into_iter().next());
    problem.map_or(Ok(()), |problem| {
        Err(Error::new(ErrorCode::Corrupt, format!("The copy differs from the original: {problem}")).with_hint(
            "The original collection is untouched. Look for a fault of the disk or the server, then try \
                again with --discard.",
        ))
    })
}

#[cfg(test)]
mod tests;
