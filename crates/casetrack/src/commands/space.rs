//! `casetrack space`

use std::ffi::OsString;

use casetrack_core::{Error, Result};
use casetrack_engine::space;
use casetrack_engine::space::{IndexSpace, JobsAsked, Operation, Paging, PlanDefinition, SetSearch, UsageTreeAsked};
use casetrack_text::space as text;
use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::console::Console;

/// Manage sets of files and folders, and sum them up
///
/// You fill a set by hand or by a plan. Sets can contain other sets; a sum counts each file once. `set:NAME` in a search limits it to
/// documents whose files are in the set. Call the other tools of the space browser with `casetrack call`.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Space {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand, Serialize, Deserialize)]
enum Command {
    /// List the sets
    Sets,
    /// Create a set
    Create {
        name: String,
        /// Description of the set
        #[arg(long, value_name = "TEXT")]
        description: Option<String>,
    },
    /// Delete a set; its files stay
    Delete {
        name: String,
    },
    Add(Change),
    Remove(Change),
    /// Put a set below another
    Link {
        parent: String,
        child: String,
        /// Take a set from below another
        #[arg(long)]
        remove: bool,
    },
    Show(Show),
    /// Sum a set up, with the sets below it
    Sum {
        name: String,
        /// size, count, files, directories, allocated or blocks
        #[arg(long, default_value = "size")]
        metric: String,
    },
    Usage(Usage),
    /// Index a folder or file for sets
    Index {
        path: OsString,
    },
    /// List the indexing jobs, the latest first
    Jobs {
        /// Only those that have not ended
        #[arg(long)]
        active: bool,
        /// Most jobs, up to 1,000
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// List the sources
    Sources,
    /// List the plans
    Plans,
    Plan(MakePlan),
    /// Run a plan
    Run {
        plan: String,
    },
}

impl Space {
    pub fn run(self, console: &Console) -> Result<u8> {
        self.command.run(console).map_err(in_words_of_people)
    }
}

/// An error with the names of things in commands, instead of the names in the tools' contract.
fn in_words_of_people(error: Error) -> Error {
    if let Some(name) = error.message.strip_prefix("resource-set already exists: ") {
        return Error::new(error.code, format!("A set named \"{name}\" already exists."))
            .with_hint("Choose another name.");
    }
    let (what, list) = match error.message.as_str() {
        "resource-set not found" => ("set", "`casetrack space sets`"),
        "plan not found" => ("plan", "`casetrack space plans`"),
        _ => return error,
    };
    Error::new(error.code, format!("There is no {what} of this name.")).with_hint(format!("List them with {list}."))
}

impl Command {
    fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        match self {
            Self::Sets => console.print(&space::list_sets(engine.host(), &console.cancel)?, text::sets),
            Self::Create { name, description } => {
                console.print(&space::create_set(engine.host(), &name, description.as_deref())?, text::created)
            }
            Self::Delete { name } => {
                space::delete_set(engine.host(), &name)?;
                let answer = json!({"name": name, "deleted": true});
                console.print(&answer, |_| format!("Deleted the resource set {name}.\n"))
            }
            Self::Add(command) => command.run(console, Operation::Add),
            Self::Remove(command) => command.run(console, Operation::Remove),
            Self::Link { parent, child, remove } => {
                let changed = space::set_child(engine.host(), &parent, &child, !remove)?;
                let is = if remove { "is no longer below" } else { "is below" };
                let answer = json!({"parent": parent, "child": child, "changed": changed});
                console.print(&answer, |_| format!("{child} {is} {parent}.\n"))
            }
            Self::Show(command) => command.run(console),
            Self::Sum { name, metric } => {
                console.print(&space::sum_set(engine.host(), &name, &metric, true, None, &console.cancel)?, text::sum)
            }
            Self::Usage(command) => command.run(console),
            Self::Index { path } => {
                let root = console.path(path).to_string_lossy().into_owned();
                let asked = IndexSpace { root: &root, in_background: false, force: true, max_age: 0.0 };
                console.print(&space::index_space(engine.host(), &asked, &console.cancel)?, text::indexed)
            }
            Self::Jobs { active, limit } => {
                let asked = JobsAsked { active, limit, ..JobsAsked::default() };
                console.print(&space::space_jobs(engine.host(), &asked)?, text::jobs)
            }
            Self::Sources => console.print(&engine.sources(engine.host())?, text::sources),
            Self::Plans => console.print(&engine.plans(engine.host())?, text::plans),
            Self::Plan(command) => command.run(console),
            Self::Run { plan } => console.print(&engine.execute_plan(engine.host(), &plan)?, text::started),
        }
    }
}

/// Change which files and folders a set has
#[derive(Debug, Args, Serialize, Deserialize)]
struct Change {
    name: String,
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<OsString>,
}

impl Change {
    fn run(self, console: &Console, operation: Operation) -> Result<u8> {
        let paths = self.paths.into_iter().map(|path| console.path(path).to_string_lossy().into_owned());
        let paths: Vec<String> = paths.collect();
        let change = space::modify_set(console.host(), &self.name, operation, &paths, &console.cancel)?;
        console.print(&change, text::modified)
    }
}

/// List the entries of a set
#[derive(Debug, Args, Serialize, Deserialize)]
struct Show {
    name: String,
    /// Include the sets below it
    #[arg(long)]
    children: bool,
    /// Only names with this text
    #[arg(long, value_name = "TEXT")]
    name_contains: Option<String>,
    /// Only files with this extension
    #[arg(long)]
    extension: Option<String>,
    /// size, name or mtime
    #[arg(long, value_name = "ORDER", default_value = "size")]
    sort: String,
    /// Most entries, up to 1,000
    #[arg(long, default_value_t = 100)]
    limit: usize,
    /// Entries to skip
    #[arg(long, default_value_t = 0)]
    offset: usize,
}

impl Show {
    fn run(self, console: &Console) -> Result<u8> {
        let search = SetSearch {
            name: &self.name,
            children: self.children,
            kind: None,
            extension: self.extension.as_deref(),
            path_contains: None,
            name_contains: self.name_contains.as_deref(),
            size: (None, None),
            mtime: (None, None),
            sort_by: &self.sort,
            descending: self.sort != "name",
            page: Paging { limit: self.limit, offset: self.offset },
        };
        console.print(&space::search_set(console.host(), &search, None, &console.cancel)?, text::found)
    }
}

/// Show the disk usage of a folder, as a tree of its largest files and folders
#[derive(Debug, Args, Serialize, Deserialize)]
struct Usage {
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: OsString,
    /// Levels, 1 to 10
    #[arg(long, default_value_t = 2)]
    depth: usize,
    /// The largest entries of each folder, 1 to 100
    #[arg(long, default_value_t = 10)]
    top: usize,
    /// size or allocated
    #[arg(long, default_value = "size")]
    metric: String,
    /// Answer from the last walk
    #[arg(long)]
    cached: bool,
}

impl Usage {
    fn run(self, console: &Console) -> Result<u8> {
        let folder = console.path(self.folder).to_string_lossy().into_owned();
        let Self { depth, top, metric, cached, .. } = self;
        let asked = UsageTreeAsked { path: &folder, depth, top, metric: &metric, cached };
        console.print(&space::usage_tree(console.host(), &asked, &console.cancel)?, text::usage)
    }
}

/// Make a plan that fills a set from a folder
///
/// Run it with `casetrack space run`. To make plans with conditions or other sources, use `casetrack call plan-create`.
#[derive(Debug, Args, Serialize, Deserialize)]
struct MakePlan {
    name: String,
    folder: OsString,
    /// The set that the plan fills; it is created if it does not exist
    #[arg(long)]
    set: String,
    /// Keep running, and follow each change of the folder
    #[arg(long)]
    follow: bool,
    /// Also ingest the files into this collection
    #[arg(long, value_name = "COLLECTION")]
    ingest: Option<String>,
}

impl MakePlan {
    fn run(self, console: &Console) -> Result<u8> {
        let folder = console.path(self.folder).to_string_lossy().into_owned();
        let (mode, kind) = match self.follow {
            true => ("continuous", "filesystem.watch"),
            false => ("oneshot", "filesystem.index"),
        };
        let source = json!({"name": "folder", "type": kind, "target_set": self.set, "config": {"path": folder}});
        let plan = PlanDefinition {
            name: self.name,
            mode: Some(mode.to_owned()),
            sources: json!([source]),
            outcomes: self.ingest.map(|collection| json!([{"type": "ingest", "collection": collection}])),
            ..PlanDefinition::default()
        };
        console.print(&console.engine.create_plan(console.host(), plan)?, text::planned)
    }
}
