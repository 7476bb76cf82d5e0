//! A plan or source that goes on filling its sets.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use casetrack_catalog::space::{Execution, Picked};
use casetrack_core::{Cancel, Error, Result};

use super::running::{self, Pass};
use crate::host::changes::SpaceChange;
use crate::host::{Host, lock};
use crate::jobs::Jobs;
use crate::space::{Definition, SourceSpec};

/// Between two walks of a folder that cannot be watched.
const WALK: Duration = Duration::from_secs(30);
/// How long changes are waited for where a source names no time.
const DEBOUNCE: Duration = Duration::from_millis(500);
/// The longest wait where changes go on.
const LONGEST_WAIT: Duration = Duration::from_millis(1_000);

pub(super) struct Live {
    host: Host,
    pub definition: Definition,
    /// The run of a plan, which lasts while it is at work.
    pub execution: Option<Mutex<Execution>>,
    state: Mutex<State>,
    /// Whether outcomes that take long are being made.
    is_busy: Arc<AtomicBool>,
    cancel: Cancel,
}

#[derive(Default)]
struct State {
    /// Of the catalogue, at the last pass.
    passed: Option<(u64, i64, i64)>,
    /// Of the catalogue when it was last looked at, when that began, and when it last changed.
    pending: Option<((u64, i64, i64), Instant, Instant)>,
    walked: Option<Instant>,
    /// Files that outcomes had, with the times of their last change.
    done: HashMap<i64, i64>,
    /// Whether there may be others that they have yet to get.
    is_left: bool,
}

impl Live {
    pub fn new(host: &Host, definition: Definition, execution: Option<Execution>, cancel: Cancel) -> Self {
        Self {
            host: host.clone(),
            definition,
            execution: execution.map(Mutex::new),
            state: Mutex::default(),
            is_busy: Arc::default(),
            cancel,
        }
    }

    /// The folders that it watches.
    pub fn folders(&self) -> Vec<PathBuf> {
        let watched = self.definition.sources.iter().filter_map(|(.., spec)| spec.watched());
        watched.map(PathBuf::from).collect()
    }

    pub fn stop(&self) {
        self.cancel.cancel();
    }

    fn debounce(&self) -> Duration {
        let of_source = self.definition.sources.iter().filter_map(|(.., spec)| match spec {
            SourceSpec::Watch { debounce, .. } => Some(*debounce),
            _ => None,
        });
        of_source.min().unwrap_or(DEBOUNCE)
    }

    /// Watches its folders, walks what is not watched, and makes the first pass.
    pub fn begin(&self, jobs: &Arc<Jobs>) -> Result<()> {
        for (.., spec) in &self.definition.sources {
            match spec.watched() {
                Some(folder) => {
                    std::fs::read_dir(folder).map_err(|error| Error::io(folder.display(), error))?;
                    self.host.live_files().watch(&self.host, folder, &self.cancel)?;
                }
                None => self.host.index_source(spec, &self.cancel)?,
            }
        }
        lock(&self.state).walked = Some(Instant::now());
        self.pass(jobs)
    }

    /// Makes a pass where something has changed and it was quiet since, or changes go on for long.
    pub fn step(&self, jobs: &Arc<Jobs>) -> Result<()> {
        if lock(&self.state).passed.is_none() {
            return Ok(());
        }
        self.follow()?;
        let space = self.host.space()?;
        let now = space.state()?;
        let is_due = {
            let mut state = lock(&self.state);
            if state.passed == Some(now) {
                state.pending = None;
                let is_left = state.is_left && !self.is_busy.load(Ordering::Acquire);
                drop(state);
                return if is_left { self.pass(jobs) } else { Ok(()) };
            }
            let moment = Instant::now();
            let debounce = self.debounce();
            match &mut state.pending {
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
            }
        };
        if is_due { self.pass(jobs) } else { Ok(()) }
    }

    /// Brings the rows of its folders up to date.
    fn follow(&self) -> Result<()> {
        let is_time = lock(&self.state).walked.is_none_or(|walked| walked.elapsed() >= WALK);
        for (.., spec) in &self.definition.sources {
            let Some(folder) = spec.watched() else { continue };
            let is_live = self.host.live_files().bring_up_to_date(&self.host, folder, &self.cancel).unwrap_or(false);
            if !is_live && is_time {
                lock(&self.state).walked = Some(Instant::now());
                self.host.index_source(spec, &self.cancel)?;
            }
        }
        Ok(())
    }

    /// Fills its sets from what the catalogue has now. Outcomes get what is new to them, or has changed.
    fn pass(&self, jobs: &Arc<Jobs>) -> Result<()> {
        let space = self.host.space()?;
        let before = space.state()?;
        let pass = Pass::make(&self.host, &self.definition, &self.cancel)?;
        self.hand_on(jobs, &pass.matched)?;
        {
            let mut state = lock(&self.state);
            (state.passed, state.pending) = (Some(before), None);
        }
        if let Some(execution) = &self.execution {
            let mut execution = lock(execution);
            let (entries, matched) = (pass.found.len(), pass.matched.len());
            if (execution.entries, execution.matched, &execution.error) != (entries, matched, &None) {
                (execution.entries, execution.matched, execution.error) = (entries, matched, None);
                space.set_execution(&execution)?;
                self.host.space_changed(SpaceChange::Plans);
            }
        }
        self.host.space_changed(SpaceChange::Sets);
        Ok(())
    }

    /// Gives the outcomes that take long what is new, beside this thread, one lot after another.
    fn hand_on(&self, jobs: &Arc<Jobs>, matched: &Picked) -> Result<()> {
        if !running::takes_long(&self.definition) {
            return Ok(());
        }
        if self.is_busy.swap(true, Ordering::AcqRel) {
            lock(&self.state).is_left = true;
            return Ok(());
        }
        let files = self.host.space().and_then(|space| space.files_of(matched));
        let files = files.inspect_err(|_| self.is_busy.store(false, Ordering::Release))?;
        let new: Vec<_> = {
            let mut state = lock(&self.state);
            let is_new = |id, modified| state.done.get(&id) != Some(&modified);
            let mut new: Vec<_> = files.into_iter().filter(|file| is_new(file.id, file.modified)).collect();
            state.is_left = new.len() > running::MAX_FILES;
            new.truncate(running::MAX_FILES);
            state.done.extend(new.iter().map(|file| (file.id, file.modified)));
            new
        };
        if new.is_empty() {
            self.is_busy.store(false, Ordering::Release);
            return Ok(());
        }
        let (host, outcomes) = (self.host.clone(), self.definition.outcomes.clone());
        let (jobs, is_busy, cancel) = (Arc::clone(jobs), Arc::clone(&self.is_busy), self.cancel.clone());
        let work = move || {
            if let Err(error) = running::long_outcomes(&host, &jobs, &outcomes, &new, &cancel) {
                tracing::warn!(%error, "an outcome of a plan");
            }
            is_busy.store(false, Ordering::Release);
        };
        std::thread::Builder::new().name("outcomes".to_owned()).spawn(work).map(drop).map_err(|error| {
            self.is_busy.store(false, Ordering::Release);
            Error::io("a new thread", error)
        })
    }

    /// Notes in the history why the last pass failed. It is tried again when something changes.
    pub fn note_failure(&self, error: &Error) {
        let Ok(space) = self.host.space() else { return };
        if let Ok(now) = space.state() {
            let mut state = lock(&self.state);
            (state.passed, state.pending) = (Some(now), None);
        }
        if let Some(execution) = &self.execution {
            let mut execution = lock(execution);
            execution.error = Some(error.message.clone());
            if let Err(error) = space.set_execution(&execution) {
                tracing::warn!(%error, "the history of a plan cannot be written");
            }
        }
    }
}
