//! One pass of a plan: its sources fill their sets, and entries that meet its conditions get its outcomes.

use std::path::PathBuf;
use std::sync::Arc;

use casetrack_catalog::space::{Mode, SelectedFile, Selection};
use casetrack_core::{Cancel, Result};
use casetrack_extract::is_supported_extension;

use crate::jobs::{JobOrigin, JobRequest, Jobs};
use casetrack_files::space;
use casetrack_files::space::{Definition, Outcome};
use casetrack_host::{Host, collections};
use casetrack_ingest::IngestRequest;

/// Maximum number of files that an outcome takes at once; the others are next.
pub(super) const MAX_FILES: usize = 10_000;

#[derive(Debug, Clone, Default)]
pub(super) struct Pass {
    pub found: Selection,
    pub matched: Selection,
    /// Entries that are new to the target sets, and that left them.
    pub added: u64,
    pub removed: u64,
    /// True if any set has other entries now.
    pub has_changed: bool,
}

impl Pass {
    /// Fills the sets from the catalogue, and performs the outcomes that are sets. If a plan has no outcomes, its conditions decide which
    /// entries enter the target sets.
    pub fn make(host: &Host, definition: &Definition, cancel: &Cancel) -> Result<Self> {
        let space = host.space()?;
        let condition = definition.conditions.as_ref();
        let of_targets = condition.filter(|_| definition.outcomes.is_empty());
        let mut pass = Self::default();
        for (_, set, mode, spec) in &definition.sources {
            cancel.check()?;
            let sourced = space::run_source(host, (set, *mode, spec), of_targets, cancel)?;
            pass.found.unite(&sourced.picked);
            pass.added += sourced.change.added;
            pass.removed += sourced.change.removed;
        }
        pass.has_changed = pass.added + pass.removed > 0;
        pass.matched = match condition {
            Some(condition) => space.admitted(&pass.found, condition, cancel)?,
            None => pass.found.clone(),
        };
        for outcome in &definition.outcomes {
            if let Outcome::SelectionSet { selection_set_name, operation } = outcome {
                let mode = match operation.as_str() {
                    "remove" => Mode::Remove,
                    "replace" => Mode::Replace,
                    _ => Mode::Append,
                };
                let change = space.put(selection_set_name, &pass.matched, mode)?;
                pass.has_changed |= change.added + change.removed > 0;
            }
        }
        Ok(pass)
    }
}

/// True if a plan has outcomes other than sets.
pub(super) fn takes_long(definition: &Definition) -> bool {
    definition.outcomes.iter().any(|outcome| !matches!(outcome, Outcome::SelectionSet { .. }))
}

/// Ingests files, in jobs, and reads their properties. A file that cannot be read is reported in the log.
pub(super) fn long_outcomes(
    host: &Host,
    jobs: &Arc<Jobs>,
    outcomes: &[Outcome],
    files: &[SelectedFile],
    cancel: &Cancel,
) -> Result<()> {
    for outcome in outcomes {
        cancel.check()?;
        match outcome {
            Outcome::SelectionSet { .. } => {}
            Outcome::Ingest { collection } => {
                let collection = collections::find_collection(host, collection)?.id;
                let paths = files.iter().map(|file| file.path.clone()).filter(|path| is_supported_extension(path));
                let paths: Vec<PathBuf> = paths.filter(|path| !space::is_denied_in_space(host, path)).collect();
                if !paths.is_empty() {
                    let request = JobRequest::IngestFolder(IngestRequest::new(paths));
                    jobs.start(host, collection, request, JobOrigin::Watch)?;
                }
            }
            Outcome::Classify { operations } => {
                for file in files {
                    cancel.check()?;
                    if let Err(error) = space::classify_if_new(host, &file.path, operations, cancel) {
                        tracing::debug!(path = %file.path.display(), %error, "not classified");
                    }
                }
            }
        }
    }
    Ok(())
}

pub(super) fn once(host: &Host, jobs: &Arc<Jobs>, definition: &Definition, cancel: &Cancel) -> Result<Pass> {
    definition.sources.iter().try_for_each(|(.., spec)| space::index_source(host, spec, cancel))?;
    let pass = Pass::make(host, definition, cancel)?;
    if takes_long(definition) {
        let files = host.space()?.files_of(&pass.matched)?;
        for files in files.chunks(MAX_FILES) {
            long_outcomes(host, jobs, &definition.outcomes, files, cancel)?;
        }
    }
    Ok(pass)
}
