//! Making, starting and ending sources.

use std::sync::Arc;

use casetrack_catalog::space::Source;
use casetrack_core::{Cancel, Result};
use serde_json::Value;

use super::answers::{SourceItem, SourceList, SourceRun};
use super::live::Live;
use super::pass::Pass;
use super::record::Record;
use super::{Key, Plans};
use crate::Engine;
use crate::jobs::Jobs;
use casetrack_files::space;
use casetrack_files::space::{Definition, in_field, refused};
use casetrack_host::changes::SpaceChange;
use casetrack_host::{Host, lock};

#[derive(Debug, Clone, Default)]
pub struct SourceDefinition {
    pub name: String,
    pub kind: String,
    pub target_set: String,
    pub config: Value,
    pub update_mode: Option<String>,
}

/// Sources of the space browser. Hosts and errors are as those of the methods about plans.
impl Engine {
    /// Stores a source.
    ///
    /// Errors: a taken name, an invalid type or configuration, a path that may not be read.
    pub fn create_source(&self, host: &Host, given: SourceDefinition) -> Result<SourceItem> {
        let SourceDefinition { name, kind, target_set, config, update_mode } = given;
        let update_mode = update_mode.unwrap_or_else(|| "append".to_owned());
        let (id, status, created, last_run, last_error) = Default::default();
        let source = Source { id, name, kind, target_set, config, update_mode, status, created, last_run, last_error };
        if source.target_set.trim().is_empty() {
            return Err(refused("target_set", "target_set must not be blank"));
        }
        Definition::of_source(host, &source)?;
        let source = in_field("name", host.space()?.create_source(&source))?;
        host.space_changed(SpaceChange::Plans);
        Ok(source.into())
    }

    /// Errors: a source that does not exist.
    pub fn source(&self, host: &Host, name: &str) -> Result<SourceItem> {
        in_field("name", space::visible_source(host, name)).map(SourceItem::from)
    }

    pub fn sources(&self, host: &Host) -> Result<SourceList> {
        let sources = host.space()?.sources()?.into_iter().filter(|source| !space::is_hidden(host, &source.config));
        Ok(SourceList { sources: sources.map(SourceItem::from).collect() })
    }

    /// Starts a source that watches a folder, from now on, also after a restart. A running source stays unchanged.
    ///
    /// Errors: a source that does not exist or does not watch.
    pub fn start_source(&self, host: &Host, name: &str) -> Result<SourceItem> {
        let _alone = lock(&self.plans.changing);
        let space = host.space()?;
        let source = in_field("name", space::visible_source(host, name))?;
        if source.kind != "filesystem.watch" {
            return Err(refused("name", format!("a source of the type {} runs once: use source-execute", source.kind)));
        }
        if self.plans.get(&Key::Source(name.to_owned())).is_some() {
            return Ok(source.into());
        }
        let definition = Definition::of_source(host, &source)?;
        space.set_source_status(name, "running", None, true)?;
        let live = Live::new(host, Record::of_source(name, None), Some(definition));
        self.plans.run(host, &self.jobs, Key::Source(name.to_owned()), live)?;
        host.space_changed(SpaceChange::Plans);
        self.source(host, name)
    }

    /// Errors: a source that does not exist or does not run.
    pub fn stop_source(&self, host: &Host, name: &str) -> Result<SourceItem> {
        let _alone = lock(&self.plans.changing);
        in_field("name", space::visible_source(host, name))?;
        let Some(live) = self.plans.remove(&Key::Source(name.to_owned())) else {
            return Err(refused("name", "source is not running"));
        };
        live.end();
        self.plans.release(host, &live)?;
        self.source(host, name)
    }

    /// Runs a source once, to its end.
    ///
    /// Errors: a source that does not exist or watches; the errors of its folder, query or set.
    pub fn execute_source(&self, host: &Host, name: &str, cancel: &Cancel) -> Result<SourceRun> {
        let space = host.space()?;
        let source = in_field("name", space::visible_source(host, name))?;
        if source.kind == "filesystem.watch" {
            return Err(refused("name", "a source of the type filesystem.watch is continuous: use source-start"));
        }
        let definition = Definition::of_source(host, &source)?;
        let run = || {
            definition.sources.iter().try_for_each(|(.., spec)| space::index_source(host, spec, cancel))?;
            Pass::make(host, &definition, cancel)
        };
        let done = run();
        let (status, error) = match &done {
            Ok(_) => ("completed", None),
            Err(_) if cancel.is_cancelled() => ("stopped", None),
            Err(error) => ("failed", Some(error.message.as_str())),
        };
        space.set_source_status(name, status, error, true)?;
        host.space_changed(SpaceChange::Plans);
        host.space_changed(SpaceChange::Sets);
        let pass = in_field("name", done)?;
        let (entries_found, added, removed) = (pass.found.len(), pass.added, pass.removed);
        let Source { name: source, target_set, .. } = source;
        Ok(SourceRun { source, target_set, status: status.to_owned(), entries_found, added, removed })
    }

    /// Deletes a source, and ends it. The entries that it put into sets stay.
    ///
    /// Errors: a source that does not exist.
    pub fn delete_source(&self, host: &Host, name: &str) -> Result<()> {
        let _alone = lock(&self.plans.changing);
        in_field("name", space::visible_source(host, name).and_then(|_| host.space()?.delete_source(name)))?;
        if let Some(live) = self.plans.remove(&Key::Source(name.to_owned())) {
            live.end();
            self.plans.release(host, &live)?;
        }
        host.space_changed(SpaceChange::Plans);
        Ok(())
    }
}

impl Plans {
    /// Continues the sources that were at work when the last process ended. One that cannot be read now is recorded and tried again.
    pub(super) fn resume_sources(self: &Arc<Self>, host: &Host, jobs: &Arc<Jobs>) -> Result<()> {
        for source in host.space()?.sources()?.into_iter().filter(|source| source.status == "running") {
            let _alone = lock(&self.changing);
            let (key, record) =
                (Key::Source(source.name.clone()), Record::of_source(&source.name, source.last_error.clone()));
            match Definition::of_source(host, &source) {
                Ok(definition) => self.run(host, jobs, key, Live::new(host, record, Some(definition)))?,
                Err(error) => {
                    record.note(host, Some(&error.message));
                    self.insert(key, Live::new(host, record, None));
                }
            }
        }
        Ok(())
    }
}
