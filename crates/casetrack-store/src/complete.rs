//! A check that all stored data is there: a part of the write-ahead log, or a file with recent changes, may be lost
//! without RocksDB noticing.

use casetrack_core::{Error, Result};

use crate::error::corrupt;
use crate::indexes::IndexHandle;
use crate::reader::Reader;
use crate::records::State;
use crate::slots::SlotMap;
use crate::truth::Truth;

/// The slots add up to the counts of the collection, and the operation log has no gap.
pub(crate) fn check(reader: &Reader<'_>, state: &State, slots: &SlotMap) -> Result<()> {
    let truth = reader.truth();
    let mut last = state.trimmed_seq;
    for entry in reader.ops_after(last)? {
        let (seq, _) = entry?;
        if seq != last + 1 {
            return Err(incomplete(truth, format!("change {} is missing", last + 1)));
        }
        last = seq;
    }
    let (documents, chunks) = (slots.ranges().count() as u64, slots.chunks());
    if last != state.last_seq || (documents, chunks) != (state.documents, state.chunks) {
        let State { documents: all_documents, chunks: all_chunks, last_seq, .. } = state;
        let what = format!(
            "there are {documents} of {all_documents} documents, {chunks} of {all_chunks} chunks, and the changes up to {last} \
             of {last_seq}"
        );
        return Err(incomplete(truth, what));
    }
    Ok(())
}

/// An index follows the documents and has saved their changes: if it has more changes than there are, some were lost.
pub(crate) fn check_not_behind(truth: &Truth, state: &State, index: &dyn IndexHandle) -> Result<()> {
    let (known, last) = (index.applied(), state.last_seq);
    if known <= last {
        return Ok(());
    }
    let what = format!(
        "the {} index knows of {known} changes, but only {last} are there (an older copy, or the end of its write-ahead log is \
         cut off)",
        index.name()
    );
    Err(incomplete(truth, what))
}

fn incomplete(truth: &Truth, what: String) -> Error {
    corrupt(format!("RocksDB at {} is incomplete: {what}.", truth.path().display()))
}
