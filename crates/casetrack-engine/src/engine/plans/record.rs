//! The database record of a plan or source at work.

use std::sync::Mutex;

use casetrack_catalog::Time;
use casetrack_catalog::space::Execution;
use casetrack_core::Result;

use casetrack_files::space::Definition;
use casetrack_host::changes::SpaceChange;
use casetrack_host::{Host, lock};

/// The state of a source, or a run of a plan. The first end sets the state: nothing is written after it.
pub(super) struct Record {
    kind: Kind,
    state: Mutex<Noted>,
}

enum Kind {
    Source(String),
    Plan(i64),
}

struct Noted {
    is_over: bool,
    error: Option<String>,
    execution: Option<Execution>,
}

impl Record {
    pub fn of_source(name: &str, error: Option<String>) -> Self {
        let state = Noted { is_over: false, error, execution: None };
        Self { kind: Kind::Source(name.to_owned()), state: state.into() }
    }

    pub fn of_plan(plan: i64, execution: Execution) -> Self {
        let state = Noted { is_over: false, error: execution.error.clone(), execution: Some(execution) };
        Self { kind: Kind::Plan(plan), state: state.into() }
    }

    pub fn plan(&self) -> Option<i64> {
        match &self.kind {
            Kind::Plan(plan) => Some(*plan),
            Kind::Source(_) => None,
        }
    }

    pub fn execution(&self) -> Option<Execution> {
        lock(&self.state).execution.clone()
    }

    pub fn is_running(&self) -> bool {
        !lock(&self.state).is_over
    }

    pub fn definition(&self, host: &Host) -> Result<Definition> {
        let space = host.space()?;
        match (&self.kind, self.execution()) {
            (Kind::Source(name), _) => Definition::of_source(host, &space.source(name)?),
            (Kind::Plan(_), execution) => {
                let plan = execution.map(|execution| execution.plan).unwrap_or_default();
                Definition::of(host, &space.plan(&plan)?)
            }
        }
    }

    /// Records the counts of a pass of a plan.
    pub fn count(&self, host: &Host, entries: u64, matched: u64) -> Result<()> {
        let mut state = lock(&self.state);
        if state.is_over {
            return Ok(());
        }
        let Some(execution) = &mut state.execution else { return Ok(()) };
        if (execution.entries, execution.matched) == (entries, matched) {
            return Ok(());
        }
        (execution.entries, execution.matched) = (entries, matched);
        host.space()?.set_execution(execution)?;
        host.space_changed(SpaceChange::Plans);
        Ok(())
    }

    /// Records the present failure, or its end.
    pub fn note(&self, host: &Host, why: Option<&str>) {
        let mut state = lock(&self.state);
        if state.is_over || state.error.as_deref() == why {
            return;
        }
        state.error = why.map(str::to_owned);
        if let Some(why) = why {
            tracing::warn!(why, name = self.name(&state), "a plan or source at work");
        }
        self.write(host, &mut state, "running", why);
    }

    /// Records the end, unless an end is recorded already.
    pub fn end(&self, host: &Host, status: &str, why: Option<&str>) {
        let mut state = lock(&self.state);
        if state.is_over {
            return;
        }
        state.is_over = true;
        if let Some(execution) = &mut state.execution {
            execution.ended = Some(Time::now().seconds);
        }
        self.write(host, &mut state, status, why);
    }

    pub fn cancel(&self, host: &Host) {
        let status = match &self.kind {
            Kind::Source(_) => "stopped",
            Kind::Plan(_) => "cancelled",
        };
        self.end(host, status, None);
    }

    /// From now on, leaves the database unchanged.
    pub fn suspend(&self) {
        lock(&self.state).is_over = true;
    }

    fn name<'a>(&'a self, state: &'a Noted) -> &'a str {
        match &self.kind {
            Kind::Source(name) => name,
            Kind::Plan(_) => state.execution.as_ref().map(|execution| &*execution.plan).unwrap_or_default(),
        }
    }

    fn write(&self, host: &Host, state: &mut Noted, status: &str, why: Option<&str>) {
        let written = host.space().and_then(|space| match (&self.kind, &mut state.execution) {
            (Kind::Source(name), _) => space.set_source_status(name, status, why, false),
            (Kind::Plan(_), Some(execution)) => {
                (execution.status, execution.error) = (status.to_owned(), why.map(str::to_owned));
                space.set_execution(execution)
            }
            (Kind::Plan(_), None) => Ok(()),
        });
        if let Err(error) = written {
            tracing::warn!(%error, name = self.name(state), "the state of a plan or source cannot be written");
        }
        host.space_changed(SpaceChange::Plans);
    }
}
