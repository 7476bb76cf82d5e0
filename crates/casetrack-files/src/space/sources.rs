//! Sources of sets: a folder that is indexed or watched, a saved query, another set.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use casetrack_catalog::space::{Change, Condition, Mode, Plan, Selection, Source};
use casetrack_core::{Cancel, Error, ErrorCode, Result};
use serde::Deserialize;
use serde_json::Value;

use super::questions::StoredSearch;
use super::{in_field, index_jobs, is_denied_in_space, refused, space_path};
use casetrack_host::Host;

/// Longest time for which changes are gathered, in milliseconds.
const MAX_DEBOUNCE: u64 = 60_000;
/// Most links that are followed below one folder.
const MAX_LINKS: usize = 10_000;

#[derive(Debug, Clone)]
pub enum SourceSpec {
    Index {
        path: PathBuf,
        /// 0 is the folder's own entries.
        max_depth: Option<usize>,
        follow_links: bool,
    },
    Watch {
        path: PathBuf,
        max_depth: Option<usize>,
        debounce: Duration,
    },
    Query(String),
    Set(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IndexConfig {
    path: String,
    #[serde(default = "yes")]
    recursive: bool,
    max_depth: Option<usize>,
    #[serde(default)]
    follow_symlinks: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WatchConfig {
    path: String,
    #[serde(default = "yes")]
    recursive: bool,
    #[serde(default = "debounce")]
    debounce_ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QueryConfig {
    query_name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetConfig {
    source_set_name: String,
}

fn yes() -> bool {
    true
}

fn debounce() -> u64 {
    500
}

impl SourceSpec {
    /// Reads a type and its configuration. `at` precedes the names of fields in errors.
    ///
    /// Errors: an unknown type, an invalid configuration, a path that may not be read.
    pub fn read(host: &Host, kind: &str, config: &Value, at: &str) -> Result<Self> {
        fn form<T: for<'de> Deserialize<'de>>(config: &Value, at: &str) -> Result<T> {
            T::deserialize(config)
                .map_err(|error| refused(format!("{at}config"), format!("config cannot be read: {error}")))
        }
        let path = |path: &str| {
            let found = space_path(host, path).and_then(|path| match path.is_dir() {
                true => host.config().access.check(&path),
                false => Ok(path),
            });
            in_field(format!("{at}config.path"), found)
        };
        let depth = |recursive: bool, max: Option<usize>| match (recursive, max) {
            (_, Some(0)) => {
                Err(refused(format!("{at}config.max_depth"), "max_depth must be at least 1, the folder's own entries"))
            }
            (false, _) => Ok(Some(0)),
            (true, max) => Ok(max.map(|max| max - 1)),
        };
        Ok(match kind {
            "filesystem.index" => {
                let config: IndexConfig = form(config, at)?;
                Self::Index {
                    path: path(&config.path)?,
                    max_depth: depth(config.recursive, config.max_depth)?,
                    follow_links: config.follow_symlinks,
                }
            }
            "filesystem.watch" => {
                let config: WatchConfig = form(config, at)?;
                if config.debounce_ms > MAX_DEBOUNCE {
                    let reason = format!("debounce_ms must be at most {MAX_DEBOUNCE}");
                    return Err(refused(format!("{at}config.debounce_ms"), reason));
                }
                Self::Watch {
                    path: path(&config.path)?,
                    max_depth: depth(config.recursive, None)?,
                    debounce: Duration::from_millis(config.debounce_ms),
                }
            }
            "query" => Self::Query(form::<QueryConfig>(config, at)?.query_name),
            "resource-set" => Self::Set(form::<SetConfig>(config, at)?.source_set_name),
            _ => {
                let reason = "type must be one of filesystem.index, filesystem.watch, query, resource-set";
                return Err(refused(format!("{at}type"), reason));
            }
        })
    }

    /// The folder or file that it indexes or watches.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Index { path, .. } | Self::Watch { path, .. } => Some(path),
            Self::Query(_) | Self::Set(_) => None,
        }
    }

    pub fn watched(&self) -> Option<&Path> {
        match self {
            Self::Watch { path, .. } => Some(path),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Sourced {
    pub picked: Selection,
    pub change: Change,
}

// The plans and sources that a session sees: those whose folders it may see.
/// Errors: [`ErrorCode::NotFound`], also for a source outside the folders of the session.
pub fn visible_source(host: &Host, name: &str) -> Result<Source> {
    let source = host.space()?.source(name)?;
    if is_hidden(host, &source.config) { Err(Error::new(ErrorCode::NotFound, "source not found")) } else { Ok(source) }
}

/// Errors: [`ErrorCode::NotFound`], also for a plan with a source outside the folders of the session.
pub fn visible_plan(host: &Host, name: &str) -> Result<Plan> {
    let plan = host.space()?.plan(name)?;
    if is_hidden_plan(host, &plan) { Err(Error::new(ErrorCode::NotFound, "plan not found")) } else { Ok(plan) }
}

/// True if the configuration of a source names a path that is not shown.
pub fn is_hidden(host: &Host, config: &Value) -> bool {
    config["path"].as_str().is_some_and(|path| is_denied_in_space(host, Path::new(path)))
}

pub fn is_hidden_plan(host: &Host, plan: &Plan) -> bool {
    plan.sources.as_array().is_some_and(|sources| sources.iter().any(|source| is_hidden(host, &source["config"])))
}

/// Brings the catalogue up to date as far as a source needs it: walks the folder that it indexes or watches.
///
/// Errors: a path that is not there or may not be read.
pub fn index_source(host: &Host, spec: &SourceSpec, cancel: &Cancel) -> Result<()> {
    // Before a job is made, so that tries of a continuous plan leave none behind.
    if let Some(path) = spec.path() {
        index_jobs::check_there(path)?;
    }
    match spec {
        SourceSpec::Index { path, max_depth: None, .. } => index_jobs::index_now(host, path, cancel).map(drop),
        SourceSpec::Index { path, .. } if path.is_file() => index_jobs::index_now(host, path, cancel).map(drop),
        SourceSpec::Index { path, max_depth, .. } | SourceSpec::Watch { path, max_depth, .. } => {
            let path = host.config().access.check(path)?;
            crate::scan_first(host, &path, *max_depth, false, false, cancel).map(drop)
        }
        SourceSpec::Query(_) | SourceSpec::Set(_) => Ok(()),
    }
}

/// The entries that a source has now, by the catalogue.
///
/// Errors: a saved query or set that does not exist.
pub(crate) fn pick_source(host: &Host, spec: &SourceSpec, cancel: &Cancel) -> Result<Selection> {
    let space = host.space()?;
    match spec {
        SourceSpec::Index { path, .. } if path.is_file() => Ok(space.pick_paths(std::slice::from_ref(path), cancel)?.0),
        SourceSpec::Index { path, max_depth, follow_links: follow } => {
            let mut picked = space.pick_in_folder(path, *max_depth)?;
            if *follow {
                follow_links(host, path, &mut picked, cancel)?;
            }
            Ok(picked)
        }
        SourceSpec::Watch { path, max_depth, .. } => space.pick_in_folder(path, *max_depth),
        SourceSpec::Query(name) => {
            let saved = space.saved_query(name)?;
            let search = StoredSearch::deserialize(&saved.arguments)
                .map_err(|error| Error::internal(format!("The query {name} cannot be read: {error}")))?;
            let asked = search.as_search();
            space.pick_matching(&asked.asked()?, cancel)
        }
        SourceSpec::Set(name) => space.pick_in_set(name),
    }
}

/// Runs a source: its entries that meet the condition go into its set. The result has all its entries.
pub fn run_source(
    host: &Host,
    (set, mode, spec): (&str, Mode, &SourceSpec),
    condition: Option<&Condition>,
    cancel: &Cancel,
) -> Result<Sourced> {
    let picked = pick_source(host, spec, cancel)?;
    let space = host.space()?;
    let change = match condition {
        Some(condition) => space.put(set, &space.admitted(&picked, condition, cancel)?, mode)?,
        None => space.put(set, &picked, mode)?,
    };
    Ok(Sourced { picked, change })
}

/// Adds the targets of the links among the entries, under its own path, with all below it. Each folder is walked once.
fn follow_links(host: &Host, start: &Path, picked: &mut Selection, cancel: &Cancel) -> Result<()> {
    let space = host.space()?;
    let (mut walked, mut seen) = (vec![start.to_owned()], BTreeSet::new());
    loop {
        let new: Vec<PathBuf> = space.links_of(picked)?.into_iter().filter(|link| !seen.contains(link)).collect();
        if new.is_empty() {
            return Ok(());
        }
        for link in new {
            cancel.check()?;
            if seen.len() >= MAX_LINKS {
                return Err(Error::invalid(format!(
                    "there are more than {MAX_LINKS} links below {}; index without follow_symlinks",
                    start.display()
                )));
            }
            // One that leads nowhere, or to a denied place, adds nothing.
            let target = host.config().access.check(&link).ok();
            seen.insert(link);
            let Some(target) = target.filter(|target| !walked.iter().any(|walked| target.starts_with(walked))) else {
                continue;
            };
            picked.unite(&space.pick_paths(std::slice::from_ref(&target), cancel)?.0);
            if target.is_dir() {
                index_jobs::index_now(host, &target, cancel)?;
                picked.unite(&space.pick_in_folder(&target, None)?);
                walked.push(target);
            }
        }
    }
}
