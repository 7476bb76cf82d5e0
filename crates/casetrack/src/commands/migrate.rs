//! `casetrack migrate`

use std::fmt::Write as _;

use casetrack_core::{Password, Result};
use casetrack_engine::migrate::MigrateReport;
use casetrack_engine::{collections, upkeep};
use casetrack_text::format::{counted, duration, push_list, visible};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::console::Console;
use crate::options::secret;
use crate::stores::store_place;

/// Most copies of files that are listed as left out. The JSON output contains all.
const MAX_LEFT_OUT: usize = 20;

/// Migrate a collection to another store: into a database, or back to the disk of this machine
///
/// Copies all documents, your tags, fields, columns and evidence, copies of source files and uploads, then compares the two collections as
/// a whole. IDs and citations stay valid. You can use the collection during the copy. It stays in its store, unless you give --remove. The
/// copy appears once it is complete and compared. To continue after an interruption, run the command again.
///
/// Watches and jobs are not copied: watch the folders again in the new store.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Migrate {
    /// Name, ID or reference of the collection
    #[arg(value_name = "NAME")]
    collection: String,
    /// The other store: disk, or postgres://user@host:5432/database. Do not write a password here: other programs could see it (see
    /// `casetrack help postgresql`)
    #[arg(long, value_name = "URL", value_parser = secret)]
    to: Password,
    /// Remove the collection from its present store, if the copy is the same and nothing was left out
    #[arg(long)]
    remove: bool,
    /// Remove the partial copy of an interrupted call, and copy nothing
    #[arg(long, conflicts_with = "remove")]
    discard: bool,
}

impl Migrate {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let to = store_place(self.to.reveal())?;
        let collection = collections::find_collection(engine.host(), &self.collection)?;
        if self.discard {
            let discarded = upkeep::discard_copy(engine.host(), collection.id, &to)?;
            let said = json!({"id": collection.id, "to": to.to_string(), "discarded": discarded});
            return console.print(&said, |_| {
                let said = if discarded { "The partial copy is removed." } else { "Nothing was copied." };
                said.to_owned()
            });
        }
        let report = engine.migrate(collection.id, &to, self.remove, &console.progress(), &console.cancel)?;
        console.print(&report, |report| migrated(report, self.remove))
    }
}

fn migrated(report: &MigrateReport, remove: bool) -> String {
    let (from, to) = (place(&report.from), place(&report.to));
    let name = visible(&report.meta.name);
    let first = match report.was_there {
        true => format!("\"{name}\" was {to} already, and is the same there"),
        false => format!("\"{name}\" (ID: {}) is now also {to}, compared as a whole", report.meta.id.short()),
    };
    let mut out = format!(
        "{first}: {}, {}, {} ({}).\n",
        counted(report.documents, "document"),
        counted(report.pages, "page"),
        counted(report.chunks, "passage"),
        duration(report.duration_ms),
    );
    if report.originals + report.uploads > 0 {
        let _ = writeln!(out, "Copies of source files: {}; uploads: {}.", report.originals, report.uploads);
    }
    if !report.left_out.is_empty() {
        out.push_str("Left out:\n");
        push_list(&mut out, report.left_out.iter().cloned(), MAX_LEFT_OUT);
    }
    let kept = match (report.removed, remove) {
        (true, _) => format!("It is no longer {from}."),
        (false, true) => format!("It stays {from}, since something was left out."),
        (false, false) => {
            format!("It stays {from} until you delete it; a change in one is not made in the other.")
        }
    };
    let store = &report.to;
    let _ = write!(out, "{kept}\n\nNext: casetrack stop, then casetrack --store {store} search \"...\" -c \"{name}\"");
    out
}

/// The store of a collection, in a sentence.
fn place(store: &str) -> String {
    if store == "disk" { "on disk".to_owned() } else { format!("in {store}") }
}
