//! `casetrack files`

use std::ffi::OsString;
use std::path::PathBuf;

use casetrack_core::{Error, Result};
use casetrack_engine::files;
use casetrack_engine::files::{FolderScope, Kind, Order, Pattern, Query, Target, TimeField, span};
use casetrack_text::files as text;
use casetrack_text::files::Colors;
use casetrack_text::terminal::Paint;
use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::console::Console;
use crate::options::named;

/// Find files on the disk, also if no collection has them
///
/// Reads only names, sizes and times of files; only `duplicates` reads their content. Each command walks its folder first; with --cached it
/// answers from the last walk.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Files {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand, Serialize, Deserialize)]
enum Command {
    /// Walk folders and index their files
    Index {
        #[arg(required = true, value_name = "FOLDER")]
        folders: Vec<OsString>,
    },
    /// Follow the changes of a folder, so that commands need not walk it again
    ///
    /// Changes are followed while CaseTrack runs in the background, and again when it next starts. `casetrack files roots` shows the state.
    Watch {
        #[arg(value_name = "FOLDER")]
        folder: OsString,
        /// Stop following the folder; it stays indexed
        #[arg(long)]
        stop: bool,
    },
    Find(Find),
    /// List the files that were modified last
    Recent {
        #[arg(value_name = "FOLDER", default_value = ".")]
        folder: OsString,
        /// Only from this time: today, "last week", "last 3 days"
        #[arg(long, value_name = "TIME")]
        when: Option<String>,
        #[command(flatten)]
        answer: Answer,
    },
    /// Show the largest files and folders in a folder
    Usage {
        #[arg(value_name = "FOLDER", default_value = ".")]
        folder: OsString,
        #[command(flatten)]
        answer: Answer,
    },
    /// Find files with equal content
    ///
    /// Files of equal size are read and compared by their SHA-256. Hard links to one file count as one file. Nothing is deleted.
    Duplicates {
        #[arg(value_name = "FOLDER", default_value = ".")]
        folder: OsString,
        /// Only files of at least this size, such as 1MB
        #[arg(long, value_name = "SIZE", default_value = "1", value_parser = size)]
        larger: u64,
        #[command(flatten)]
        answer: Answer,
    },
    Roots(Roots),
}

impl Files {
    pub fn run(self, console: &Console) -> Result<u8> {
        let is_colored = console.global.look.is_some_and(|look| look.paint == Paint::Color);
        let colors = if is_colored { Colors::Ansi } else { Colors::Plain };
        let (engine, cancel) = (&console.engine, &console.cancel);
        match self.command {
            Command::Index { folders } => {
                let index = |folder| files::index_files(engine.host(), &console.path(folder), cancel);
                let done = folders.into_iter().map(index).collect::<Result<Vec<_>>>()?;
                console.print(&done, |done| done.iter().map(text::indexed).collect::<Vec<_>>().join("\n"))
            }
            Command::Watch { folder, stop } => {
                let folder = console.path(folder);
                let done = if stop {
                    files::unwatch_files(engine.host(), &folder)?
                } else {
                    files::watch_files(engine.host(), &folder, cancel)?
                };
                console.print(&done, text::watched)
            }
            Command::Find(command) => command.run(console, colors),
            Command::Recent { folder, when, answer } => {
                let range = when.as_deref().map(span).transpose()?;
                let query = Query {
                    kinds: vec![Kind::File],
                    time: range.map(|range| (TimeField::Modified, range)),
                    limit: answer.limit.max(1),
                    ..Query::below(console.path(folder))
                };
                let found = files::find_files(engine.host(), query, answer.cached, cancel)?;
                console.print_data(&found, |found| text::found(found, TimeField::Modified, colors))
            }
            Command::Usage { folder, answer: Answer { limit, cached } } => {
                let report =
                    files::file_usage(engine.host(), &FolderScope { folder: console.path(folder), cached }, cancel)?;
                console.print_data(&report, |report| text::usage(report, limit, colors))
            }
            Command::Duplicates { folder, larger, answer: Answer { limit, cached } } => {
                let place = FolderScope { folder: console.path(folder), cached };
                let report = files::duplicate_files(engine.host(), &place, larger, limit, cancel)?;
                console.print_data(&report, |report| text::duplicates(report, colors))
            }
            Command::Roots(command) => command.run(console, colors),
        }
    }
}

/// Find files by name, size, kind and time
#[derive(Debug, Args, Serialize, Deserialize)]
struct Find {
    /// Text in the name; case is ignored
    name: Option<String>,
    /// Folder to look in
    #[arg(long = "in", value_name = "FOLDER", default_value = ".")]
    folder: OsString,
    /// Only paths below the folder that match, such as '**/*.pdf'; without a slash, names
    #[arg(long, value_name = "GLOB")]
    glob: Option<String>,
    /// Only names in which this regular expression occurs
    #[arg(long, value_name = "REGEX")]
    regex: Option<String>,
    /// Only names that end in this extension
    #[arg(long, value_name = "EXTENSION")]
    ext: Option<String>,
    /// Only file, folder, link or other; can be repeated
    #[arg(long = "kind", value_name = "KIND", value_parser = named::<Kind>)]
    kinds: Vec<Kind>,
    /// At least this size, such as 500k or 1.5GB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    larger: Option<u64>,
    /// At most this size
    #[arg(long, value_name = "SIZE", value_parser = size)]
    smaller: Option<u64>,
    /// Only from this time: today, "last week", "last 3 days", "since March", "spring 2025", 2025-03
    #[arg(long, value_name = "TIME")]
    when: Option<String>,
    /// Which time --when and --sort mean, and which is shown: modified, created, accessed, changed or first_seen
    #[arg(long, value_name = "WHICH", default_value = "modified", value_parser = named::<TimeField>)]
    time: TimeField,
    /// Order: newest, oldest, path or largest
    #[arg(long, value_name = "ORDER", default_value = "newest", value_parser = named::<Sort>)]
    sort: Sort,
    /// How many folders deep to look; 0 is only the folder itself
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    #[command(flatten)]
    answer: Answer,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Sort {
    Newest,
    Oldest,
    Path,
    Largest,
}

#[derive(Debug, Args, Serialize, Deserialize)]
struct Answer {
    /// Most files to list
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Answer from the last walk, without another
    #[arg(long)]
    cached: bool,
}

impl Find {
    fn run(self, console: &Console, colors: Colors) -> Result<u8> {
        let mut patterns: Vec<Pattern> = self.name.iter().map(|name| Pattern::contains(Target::Name, name)).collect();
        patterns.extend(self.glob.as_deref().map(Pattern::glob).transpose()?);
        patterns.extend(self.regex.as_deref().map(|regex| Pattern::regex(Target::Name, regex)).transpose()?);
        patterns.extend(self.ext.as_deref().map(Pattern::extension).transpose()?);
        let range = self.when.as_deref().map(span).transpose()?;
        let time = self.time;
        let query = Query {
            max_depth: self.depth,
            kinds: self.kinds,
            patterns,
            time: range.map(|range| (self.time, range)),
            size: (self.larger, self.smaller),
            order: match self.sort {
                Sort::Newest => Order::Newest(self.time),
                Sort::Oldest => Order::Oldest(self.time),
                Sort::Path => Order::Path,
                Sort::Largest => Order::Largest,
            },
            limit: self.answer.limit.max(1),
            ..Query::below(console.path(self.folder))
        };
        let found = files::find_files(console.host(), query, self.answer.cached, &console.cancel)?;
        console.print_data(&found, |found| text::found(found, time, colors))
    }
}

/// List the indexed folders, or forget one
#[derive(Debug, Args, Serialize, Deserialize)]
struct Roots {
    /// Forget this folder; nothing on the disk changes
    #[arg(long, value_name = "FOLDER")]
    forget: Option<OsString>,
    /// Read the whole catalogue and compare its parts
    #[arg(long, conflicts_with = "forget")]
    check: bool,
}

impl Roots {
    fn run(self, console: &Console, colors: Colors) -> Result<u8> {
        if let Some(folder) = self.forget {
            let folder: PathBuf =
                std::path::absolute(console.path(folder)).map_err(|error| Error::io("the path", error))?;
            files::forget_file_root(console.host(), &folder)?;
            let shown = folder.display().to_string();
            return console.print(&json!({"forgotten": shown}), |_| format!("{shown} is no longer indexed."));
        }
        if self.check {
            files::check_file_catalog(console.host())?;
            return console.print(&json!({"sound": true}), |_| "The catalogue of files is intact.".to_owned());
        }
        console.print_data(&files::file_roots(console.host())?, |roots| text::roots(roots, colors))
    }
}

/// `500`, `500k`, `1.5 GB`; 1 kB is 1,000 bytes.
fn size(text: &str) -> std::result::Result<u64, String> {
    let lower = text.trim().to_lowercase();
    let digits = lower.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(lower.len());
    let (number, unit) = lower.split_at(digits);
    let factor = match unit.trim().trim_end_matches("bytes").trim_end_matches('b') {
        "" => 1.0,
        "k" => 1e3,
        "m" => 1e6,
        "g" => 1e9,
        "t" => 1e12,
        _ => return Err(format!("\"{unit}\" is not a unit; use kB, MB, GB or TB")),
    };
    let number: f64 = number.parse().map_err(|_| "write a size such as 500, 500k or 1.5GB".to_owned())?;
    Ok((number * factor).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, expected) in [("0", 0), ("500", 500), ("500 bytes", 500), ("2k", 2000), ("1.5GB", 1_500_000_000)] {
            assert_eq!(size(text), Ok(expected), "{text}");
        }
        for text in ["", "k", "1.2.3", "5 apples", "-1"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
