//! A run of a plan, or a source that was started. A continuous one keeps filling its sets.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use casetrack_catalog::space::{Execution, SelectedFile, Selection};
use casetrack_core::{Cancel, Error, ErrorCode, Result};

use super::pass::{self, Pass};
use super::record::Record;
use crate::jobs::Jobs;
use casetrack_files::space;
use casetrack_files::space::{Definition, SourceSpec};
use casetrack_host::changes::SpaceChange;
use casetrack_host::{Host, caught, lock};

/// Between two walks of a folder that cannot be watched, and two tries after a failure.
const WALK: Duration = Duration::from_secs(30);
/// The longest wait between two tries of outcomes that fail: it doubles from [`WALK`].
const LONGEST_RETRY: Duration = Duration::from_secs(60 * 60);
/// Between two tries to read a definition that cannot be read now.
const READ: Duration = Duration::from_secs(2);
/// The wait for further changes if a source names no time.
const DEBOUNCE: Duration = Duration::from_millis(500);
/// The longest wait while changes continue.
const LONGEST_WAIT: Duration = Duration::from_millis(1_000);

type CatalogState = (u64, i64, i64);
/// Values that change with each of the watched folders.
type Revisions = Vec<Vec<u64>>;

pub(super) struct Live {
    host: Host,
    record: Record,
    /// Empty while it cannot be read, as when the folder around a watched one is missing.
    definition: OnceLock<Definition>,
    state: Mutex<State>,
    /// True while outcomes that take long are being made.
    is_busy: AtomicBool,
    passes: AtomicU64,
    cancel: Cancel,
}

#[derive(Default)]
struct State {
    has_begun: bool,
    /// When the definition was last tried to be read.
    read: Option<Instant>,
    /// The states of the catalogue and of the folders at the last pass, and its time.
    passed: Option<(CatalogState, Option<Revisions>, Instant)>,
    /// The state of the catalogue at the last check, the time when changes began, and the time of the last one.
    pending: Option<(CatalogState, Instant, Instant)>,
    walked: Option<Instant>,
    /// Sources that could not be walked, by their places.
    unwalked: BTreeMap<usize, Unwalked>,
    /// Why the last pass failed, and when.
    failed: Option<(String, Instant)>,
    /// The reason and time of the outcomes' failure, and the pause before they are tried again.
    refused: Option<(String, Instant, Duration)>,
    /// Files that outcomes had, with the times of their last change. Read when it is first needed.
    done: Option<HashMap<i64, i64>>,
    /// True if there may be others that they have yet to get.
    is_left: bool,
}

struct Unwalked {
    why: String,
    was_there: bool,
}

impl Live {
    pub fn new(host: &Host, record: Record, definition: Option<Definition>) -> Self {
        Self {
            host: host.clone(),
            record,
            definition: definition.map(OnceLock::from).unwrap_or_default(),
            state: Mutex::default(),
            is_busy: AtomicBool::default(),
            passes: AtomicU64::default(),
            cancel: Cancel::default(),
        }
    }

    pub fn definition(&self) -> Option<&Definition> {
        self.definition.get()
    }

    /// True if it continues by itself. A definition that cannot be read now did so before.
    pub fn is_continuous(&self) -> bool {
        self.definition().is_none_or(|definition| definition.is_continuous)
    }

    pub fn folders(&self) -> Vec<PathBuf> {
        let sources = self.definition().map(|definition| &*definition.sources).unwrap_or_default();
        sources.iter().filter_map(|(.., spec)| spec.watched()).map(PathBuf::from).collect()
    }

    /// The run of a plan, as it is now.
    pub fn execution(&self) -> Option<Execution> {
        self.record.execution()
    }

    /// True until it is ended.
    pub fn is_running(&self) -> bool {
        self.record.is_running()
    }

    /// Ends the run and records its end. A walk that is under way ends too, and records nothing.
    pub fn end(&self) {
        self.cancel.cancel();
        self.record.cancel(&self.host);
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Ends it with the process: it continues in the next one.
    pub fn suspend(&self) {
        self.record.suspend();
        self.cancel.cancel();
    }

    #[cfg(test)]
    pub fn passes(&self) -> u64 {
        self.passes.load(Ordering::Relaxed)
    }

    /// Makes the next step try failed outcomes again.
    #[cfg(test)]
    pub fn retry(&self) {
        if let Some((.., wait)) = &mut lock(&self.state).refused {
            *wait = Duration::ZERO;
        }
    }

    /// Reads a definition that could not be read before. True if it can be read now.
    pub fn read(&self) -> bool {
        {
            let mut state = lock(&self.state);
            if self.definition().is_some() || state.read.is_some_and(|read| read.elapsed() < READ) {
                return false;
            }
            state.read = Some(Instant::now());
        }
        match self.record.definition(&self.host) {
            Ok(definition) => self.definition.set(definition).is_ok(),
            Err(error) => {
                self.note(Some(&error.message));
                false
            }
        }
    }

    /// Runs a plan or source that runs once, and records its end.
    pub fn run_once(&self, jobs: &Arc<Jobs>) {
        let Some(definition) = self.definition() else { return };
        let done = caught(|| {
            let pass = pass::once(&self.host, jobs, definition, &self.cancel)?;
            self.record.count(&self.host, pass.found.len(), pass.matched.len())
        });
        match done {
            Ok(()) => self.record.end(&self.host, "completed", None),
            // A job of it was cancelled. The run's cancellation is recorded already.
            Err(_) if self.is_cancelled() => self.record.cancel(&self.host),
            Err(error) => self.record.end(&self.host, "failed", Some(&error.message)),
        }
    }

    fn debounce(&self) -> Duration {
        let sources = self.definition().map(|definition| &*definition.sources).unwrap_or_default();
        let of_source = sources.iter().filter_map(|(.., spec)| match spec {
            SourceSpec::Watch { debounce, .. } => Some(*debounce),
            _ => None,
        });
        of_source.min().unwrap_or(DEBOUNCE)
    }

    /// Watches its folders, walks the others, and makes the first pass. Failures are recorded and tried again.
    pub fn begin(self: &Arc<Self>, jobs: &Arc<Jobs>) {
        let done = caught(|| {
            let walked = self.walk();
            self.pass(jobs)?;
            walked
        });
        lock(&self.state).has_begun = true;
        self.note_result(&done);
    }

    /// Makes a pass if something has changed and it was quiet since, or if changes continue for long.
    pub fn step(self: &Arc<Self>, jobs: &Arc<Jobs>) {
        if !self.is_continuous() || !lock(&self.state).has_begun {
            return;
        }
        let done = caught(|| {
            let followed = self.follow();
            if self.is_due()? {
                self.pass(jobs)?;
            }
            followed
        });
        self.note_result(&done);
    }

    /// Watches or walks each source for the first time.
    ///
    /// Errors: the first of a source. The others are walked all the same.
    fn walk(&self) -> Result<()> {
        let sources = self.definition().map(|definition| &*definition.sources).unwrap_or_default();
        let mut first = Ok(());
        for (place, (.., spec)) in sources.iter().enumerate() {
            self.cancel.check()?;
            let done = match spec.watched() {
                Some(folder) => self.host.live_files().watch(&self.host, folder, &self.cancel).map(drop),
                None => space::index_source(&self.host, spec, &self.cancel),
            };
            let done = done.and_then(|()| check_listable(spec));
            if let Err(error) = done {
                let unwalked = Unwalked { why: error.message.clone(), was_there: is_there(spec) };
                lock(&self.state).unwalked.insert(place, unwalked);
                first = first.and(Err(error));
            }
        }
        lock(&self.state).walked = Some(Instant::now());
        first
    }

    /// Brings the rows of its folders up to date, and walks folders that could not be walked before.
    ///
    /// Errors: the first of a source. The others are followed all the same.
    fn follow(&self) -> Result<()> {
        let is_time = {
            let mut state = lock(&self.state);
            let is_time = state.walked.is_none_or(|walked| walked.elapsed() >= WALK);
            if is_time {
                state.walked = Some(Instant::now());
            }
            is_time
        };
        let sources = self.definition().map(|definition| &*definition.sources).unwrap_or_default();
        let mut first = Ok(());
        for (place, (.., spec)) in sources.iter().enumerate() {
            let done = match spec.watched() {
                Some(folder) => check_listable(spec).and_then(|()| {
                    let live = self.host.live_files().bring_up_to_date(&self.host, folder, &self.cancel);
                    match live.unwrap_or(false) || !is_time {
                        true => Ok(()),
                        false => space::index_source(&self.host, spec, &self.cancel),
                    }
                }),
                None => self.walk_again(place, spec, is_time),
            };
            if let Err(error) = done {
                first = first.and(Err(error));
            }
        }
        first
    }

    /// Walks a source that could not be walked: at once if it is there now and was not, and from time to time.
    fn walk_again(&self, place: usize, spec: &SourceSpec, is_time: bool) -> Result<()> {
        let is_due = match lock(&self.state).unwalked.get(&place) {
            None => return Ok(()),
            Some(unwalked) if is_time || !unwalked.was_there && is_there(spec) => Ok(()),
            Some(unwalked) => Err(Error::invalid(unwalked.why.clone())),
        };
        is_due?;
        let done = space::index_source(&self.host, spec, &self.cancel);
        let mut state = lock(&self.state);
        state.unwalked.remove(&place);
        if let Err(error) = &done {
            let unwalked = Unwalked { why: error.message.clone(), was_there: is_there(spec) };
            state.unwalked.insert(place, unwalked);
        }
        done
    }

    /// `None` if some source does not watch, or its folder is walked.
    fn revisions(&self) -> Option<Revisions> {
        let sources = &self.definition()?.sources;
        sources.iter().map(|(.., spec)| self.host.live_files().revisions(spec.watched()?)).collect()
    }

    fn is_due(&self) -> Result<bool> {
        let (now, revisions) = (self.host.space()?.state()?, self.revisions());
        let mut state = lock(&self.state);
        // Changes elsewhere concern it only if other entries of its sets are gone: that can wait.
        let is_same = state.passed.as_ref().is_some_and(|(catalog, folders, passed)| {
            *catalog == now || revisions.is_some() && *folders == revisions && passed.elapsed() < WALK
        });
        if is_same {
            state.pending = None;
            let is_refused = state.refused.as_ref().is_some_and(|(_, since, wait)| since.elapsed() < *wait);
            let is_left = state.is_left && !is_refused && !self.is_busy.load(Ordering::Acquire);
            return Ok(is_left || state.failed.as_ref().is_some_and(|(_, since)| since.elapsed() >= WALK));
        }
        let (moment, debounce) = (Instant::now(), self.debounce());
        Ok(match &mut state.pending {
            Some((last, began, changed)) => {
                if *last != now {
                    (*last, *changed) = (now, moment);
                }
                changed.elapsed() >= debounce || began.elapsed() >= LONGEST_WAIT.max(debounce)
            }
            pending => {
                *pending = Some((now, moment, moment));
                debounce.is_zero()
            }
        })
    }

    /// Fills its sets from the present catalogue. Outcomes get the entries that are new to them, or have changed.
    fn pass(self: &Arc<Self>, jobs: &Arc<Jobs>) -> Result<()> {
        let Some(definition) = self.definition() else { return Ok(()) };
        let before = (self.host.space()?.state()?, self.revisions(), Instant::now());
        {
            let mut state = lock(&self.state);
            (state.passed, state.pending) = (Some(before), None);
        }
        self.passes.fetch_add(1, Ordering::Relaxed);
        let pass = Pass::make(&self.host, definition, &self.cancel)
            .and_then(|pass| self.hand_on(jobs, definition, &pass.matched).map(|()| pass));
        lock(&self.state).failed = pass.as_ref().err().map(|error| (error.message.clone(), Instant::now()));
        let pass = pass?;
        self.record.count(&self.host, pass.found.len(), pass.matched.len())?;
        if pass.has_changed {
            self.host.space_changed(SpaceChange::Sets);
        }
        Ok(())
    }

    /// Hands the new entries to the outcomes that take long, in another thread, one lot after another. Failed ones are handed on again later.
    fn hand_on(self: &Arc<Self>, jobs: &Arc<Jobs>, definition: &Definition, matched: &Selection) -> Result<()> {
        let Some(plan) = self.record.plan().filter(|_| pass::takes_long(definition)) else { return Ok(()) };
        if self.is_busy.swap(true, Ordering::AcqRel) {
            lock(&self.state).is_left = true;
            return Ok(());
        }
        let new = || -> Result<Vec<SelectedFile>> {
            let space = self.host.space()?;
            let files = space.files_of(matched)?;
            let mut state = lock(&self.state);
            let done = match &mut state.done {
                Some(done) => done,
                done => done.insert(space.outcome_files(plan)?),
            };
            let mut new: Vec<_> = files.into_iter().filter(|file| done.get(&file.id) != Some(&file.modified)).collect();
            state.is_left = new.len() > pass::MAX_FILES;
            new.truncate(pass::MAX_FILES);
            Ok(new)
        };
        let new = new().inspect_err(|_| self.is_busy.store(false, Ordering::Release))?;
        if new.is_empty() {
            self.is_busy.store(false, Ordering::Release);
            return Ok(());
        }
        let (live, jobs, outcomes) = (Arc::clone(self), Arc::clone(jobs), definition.outcomes.clone());
        let work = move || {
            let done = caught(|| {
                pass::long_outcomes(&live.host, &jobs, &outcomes, &new, &live.cancel)?;
                live.host.space()?.add_outcome_files(plan, &new)
            });
            let mut state = lock(&live.state);
            match done {
                Ok(()) => {
                    state.done.get_or_insert_default().extend(new.iter().map(|file| (file.id, file.modified)));
                    state.refused = None;
                }
                Err(error) => {
                    let wait = state.refused.take().map_or(WALK, |(.., wait)| (wait * 2).min(LONGEST_RETRY));
                    state.refused = Some((error.message, Instant::now(), wait));
                    state.is_left = true;
                }
            }
            live.is_busy.store(false, Ordering::Release);
        };
        super::spawn("outcomes", work).inspect_err(|_| self.is_busy.store(false, Ordering::Release))
    }

    /// Records in the history the present failure, or its end.
    fn note_result(&self, done: &Result<()>) {
        let standing = {
            let state = lock(&self.state);
            let of_pass = state.failed.as_ref().map(|(why, _)| why);
            of_pass.or(state.refused.as_ref().map(|(why, ..)| why)).cloned()
        };
        let why = done.as_ref().err().map(|error| error.message.clone()).or(standing);
        self.note(why.as_deref());
    }

    pub fn note(&self, why: Option<&str>) {
        if !self.is_cancelled() {
            self.record.note(&self.host, why);
        }
    }
}

fn is_there(spec: &SourceSpec) -> bool {
    spec.path().is_none_or(std::path::Path::exists)
}

/// Errors: a watched folder that is missing or cannot be read.
fn check_listable(spec: &SourceSpec) -> Result<()> {
    let Some(folder) = spec.watched() else { return Ok(()) };
    match std::fs::read_dir(folder) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(Error::new(
            ErrorCode::FileNotFound,
            format!("{} does not exist; CaseTrack follows it again when it is back", folder.display()),
        )),
        Err(error) => Err(Error::io(folder.display(), error)),
    }
}
