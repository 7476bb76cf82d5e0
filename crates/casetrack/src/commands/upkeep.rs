//! `casetrack verify`, `repair`, `export`, `import`, `stats` and `compact`

use std::ffi::OsString;
use std::fmt::Write as _;
use std::time::Duration;

use casetrack_core::{Password, Result};
use casetrack_engine::export::{Encrypted, ExportReport, ExportRequest};
use casetrack_engine::files::{CatalogExport, CatalogImport};
use casetrack_engine::import::{ImportKey, ImportReport, ImportRequest, needs_passphrase};
use casetrack_engine::repair::RepairReport;
use casetrack_engine::stats::{CollectionStats, CompactReport};
use casetrack_engine::verify::VerifyReport;
use casetrack_engine::{Precision, files, upkeep};
use casetrack_text::format::{bytes, counted, duration, push_list, visible};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::vault;
use crate::console::Console;
use crate::options::InCollection;
use crate::secrets::{PassphraseSource, read_identity};

/// Check every invariant of a collection on disk
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Verify {
    #[command(flatten)]
    target: InCollection,
}

impl Verify {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?;
        let report = upkeep::verify(console.host(), collection.id)?;
        console.print(&report, verified)?;
        Ok(if report.clean { 0 } else { 1 })
    }
}

/// Problems shown of one check. The JSON output contains all of them.
const MAX_PROBLEMS: usize = 20;

fn verified(report: &VerifyReport) -> String {
    let mut out = format!("Verify: {}\n", report.collection);
    for check in &report.checks {
        let verdict = if check.problems.is_empty() { "ok" } else { "PROBLEM" };
        let _ = writeln!(out, "  {verdict:8} {:24} {:>9}  {}", check.name, check.checked, check.description);
        for problem in check.problems.iter().take(MAX_PROBLEMS) {
            let _ = writeln!(out, "           - {problem}");
        }
        if check.problems.len() > MAX_PROBLEMS {
            let _ = writeln!(out, "           ... {} more", check.problems.len() - MAX_PROBLEMS);
        }
    }
    let verdict = if report.clean { "Clean." } else { "Not clean." };
    let _ = write!(out, "{verdict} ({} ms)", report.duration_ms);
    out
}

/// Repair a damaged collection
///
/// Keeps every intact document and names the others. Damaged data is moved to a quarantine folder in the collection's directory;
/// nothing is deleted. Also works on collections that cannot be opened.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Repair {
    /// Name, ID or reference of the collection
    #[arg(short, long, value_name = "NAME")]
    collection: String,
}

impl Repair {
    pub fn run(self, console: &Console) -> Result<u8> {
        let report = upkeep::repair_collection(console.host(), &self.collection)?;
        console.print(&report, repaired)?;
        Ok(if report.clean { 0 } else { 1 })
    }
}

/// Lines shown of one list. The JSON output and report.json contain all of them.
const MAX_LINES: usize = 20;

fn repaired(report: &RepairReport) -> String {
    let documents = counted(report.documents, "document");
    if report.sound && report.clean {
        return format!(
            "Repair: {}\nNothing was wrong: {documents}. ({})",
            report.collection,
            duration(report.duration_ms)
        );
    }
    let mut out = format!("Repair: {}\n", report.collection);
    let mut list = |title: &str, lines: &[String]| {
        if lines.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n{title}");
        push_list(&mut out, lines.iter().map(|line| visible(line).into_owned()), MAX_LINES);
    };
    list("Found:", &report.found);
    list("Done:", &report.done);
    let lost: Vec<String> = report
        .lost
        .iter()
        .map(|lost| lost.path.clone().unwrap_or_else(|| format!("document {} (name unknown)", lost.id)))
        .collect();
    list("No longer in the collection:", &lost);
    list("Still wrong:", &report.problems);
    list("Next:", &report.next);
    if let Some(quarantine) = &report.quarantine {
        let _ = writeln!(out, "\nQuarantine: {quarantine}");
    }
    let verdict = if report.clean { "Verified: clean." } else { "Verified: not clean." };
    let _ = write!(out, "\n{verdict} {documents} in the collection. ({})", duration(report.duration_ms));
    out
}

/// Write a collection to one file, for another machine
///
/// You can use the collection during the export: the file has its state when the export began. `casetrack import` reads the file. With
/// --passphrase or --age the file is encrypted in the format of age (age-encryption.org); the program `age` opens it as well. With
/// --catalog, the file has the catalogue of files instead: the indexed folders, and whether they are followed; resource sets, sources and
/// plans.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Export {
    #[command(flatten)]
    target: InCollection,
    /// The file to write, such as matter.ctcollection
    file: OsString,
    /// Write the folders of `casetrack files roots` and the sets, sources and plans of `casetrack space` as JSON, in place of a collection
    #[arg(long, conflicts_with_all = ["collection", "no_originals", "plain", "recipients", "encrypt"])]
    catalog: bool,
    /// Encrypt it to this age recipient, age1…; can be given several times
    #[arg(long = "age", value_name = "RECIPIENT")]
    recipients: Vec<String>,
    /// Encrypt it with a passphrase, which is asked for twice
    #[arg(long = "passphrase", conflicts_with = "recipients")]
    encrypt: bool,
    #[command(flatten)]
    from: PassphraseSource,
    #[arg(skip)]
    passphrase: Option<Password>,
    /// Leave out the copies of source files that the collection keeps
    #[arg(long)]
    no_originals: bool,
    /// Write it without encryption although the collection is a vault: anyone who has the file can read it
    #[arg(long, conflicts_with_all = ["recipients", "encrypt"])]
    plain: bool,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

impl Export {
    pub fn ask(&mut self) -> Result<()> {
        if self.encrypt {
            self.passphrase = Some(self.from.read_new("Passphrase of the export")?);
        }
        Ok(())
    }

    pub fn run(self, console: &Console) -> Result<u8> {
        let file = console.path(&self.file);
        if self.catalog {
            let report = files::export_file_catalog(console.host(), &file, self.force)?;
            console.hand_over(&file)?;
            return console.print(&report, exported_catalog);
        }
        let collection = self.target.find(&console.engine)?;
        let encrypted = match (self.passphrase, self.recipients) {
            (Some(passphrase), _) => Some(Encrypted::Passphrase(passphrase)),
            (None, recipients) if recipients.is_empty() => None,
            (None, recipients) => Some(Encrypted::Recipients(recipients)),
        };
        let (originals, overwrite, plain) = (!self.no_originals, self.force, self.plain);
        let request = ExportRequest { file: &file, originals, overwrite, plain, encrypted };
        let report = upkeep::export_collection(console.host(), collection.id, request)?;
        console.hand_over(&file)?;
        console.print(&report, exported)
    }

    /// Without `--force`, a second run would find the file that the first one wrote.
    pub fn may_be_repeated(&self) -> bool {
        self.force
    }
}

fn exported_catalog(report: &CatalogExport) -> String {
    let (folders, file) = (counted(report.roots, "indexed folder"), visible(&report.file));
    let made = made(report.sets, report.sources, report.plans);
    format!(
        "Exported {folders}{made}.\n{file}  ({})\n\nNext, on the other machine: casetrack import --catalog FILE",
        bytes(report.bytes)
    )
}

/// `, 3 resource sets, 1 source and 2 plans`
fn made(sets: u64, sources: u64, plans: u64) -> String {
    match (sets, sources, plans) {
        (0, 0, 0) => String::new(),
        _ => format!(
            ", {}, {} and {}",
            counted(sets, "resource set"),
            counted(sources, "source"),
            counted(plans, "plan")
        ),
    }
}

fn exported(report: &ExportReport) -> String {
    let mut out = format!(
        "Exported \"{}\": {}, {}, {}",
        report.collection,
        counted(report.documents, "document"),
        counted(report.pages, "page"),
        counted(report.chunks, "passage"),
    );
    if report.originals > 0 {
        let _ = write!(out, ", {}", counted(report.originals, "original"));
    }
    let encrypted = if report.encrypted { ", encrypted" } else { "" };
    let _ =
        writeln!(out, " ({}).\n{}  ({}{encrypted})", duration(report.duration_ms), report.file, bytes(report.bytes));
    for sentence in &report.left_out {
        let _ = writeln!(out, "Left out: {}", visible(sentence));
    }
    let _ = write!(out, "\nNext, on the other machine: casetrack import FILE");
    out
}

/// Create a collection from a file that `export` wrote
///
/// Everything in the file is checked before anything is added. The collection gets a new ID; its documents keep theirs. If the file is
/// encrypted with a passphrase, you are asked for it.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Import {
    /// The .ctcollection file
    file: OsString,
    /// The file comes from `casetrack export --catalog`: add its folders, resource sets, sources and plans
    #[arg(long, conflicts_with = "name")]
    catalog: bool,
    /// Name of the new collection [default: its name when it was exported]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Decrypt it with this age identity file
    #[arg(long, value_name = "FILE", conflicts_with = "catalog")]
    identity: Option<std::path::PathBuf>,
    /// Make it a vault: asks for the vault's own passphrase, and prints a recovery key once
    #[arg(long, conflicts_with = "catalog")]
    vault: bool,
    /// Lock the vault after this time without use: 90s, 30m, 2h [default: lock_after of config.toml, or 30m]
    #[arg(long, value_name = "TIME", requires = "vault", value_parser = casetrack_core::settings::duration)]
    idle: Option<Duration>,
    #[command(flatten)]
    from: PassphraseSource,
    #[arg(skip)]
    key: Option<ImportKey>,
    #[arg(skip)]
    passphrase: Option<Password>,
}

impl Import {
    /// Asks for the secrets of the file and of the vault. The import reports the error for a file that cannot be read here.
    pub fn ask(&mut self) -> Result<()> {
        let encrypted = if self.catalog { None } else { needs_passphrase(self.file.as_ref()).ok().flatten() };
        self.key = match (&self.identity, encrypted) {
            (Some(file), _) => Some(ImportKey::Identity(read_identity(file)?)),
            (None, Some(true)) => Some(ImportKey::Passphrase(self.from.read("Passphrase of the export")?)),
            (None, _) => None,
        };
        if self.vault {
            self.passphrase = Some(self.from.read_new("Passphrase of the new vault")?);
        }
        Ok(())
    }

    pub fn run(self, console: &Console) -> Result<u8> {
        let file = console.path(&self.file);
        if self.catalog {
            return console.print(&files::import_file_catalog(console.host(), &file)?, imported_catalog);
        }
        let idle = vault::idle(self.idle, console)?;
        let vault = self.passphrase.map(|passphrase| (passphrase, idle));
        let request = ImportRequest { file: &file, name: self.name.as_deref(), key: self.key, vault };
        console.print(&upkeep::import_collection(console.host(), request)?, |made| {
            let words = made.recovery_words.as_ref().map(|words| format!("\n\n{}", vault::words_text(words)));
            imported(&made.report) + &words.unwrap_or_default()
        })
    }
}

fn imported_catalog(report: &CatalogImport) -> String {
    let folders = counted(report.roots, "folder");
    let made = made(report.sets, report.sources, report.plans);
    format!(
        "Added {folders} that were not indexed yet{made}.\n\nNext: casetrack files index FOLDER, or ask for its files"
    )
}

fn imported(report: &ImportReport) -> String {
    let name = visible(&report.meta.name);
    let mut out = format!(
        "Imported \"{name}\" (ID: {}): {}, {}, {} ({}).\n",
        report.meta.id.short(),
        counted(report.documents, "document"),
        counted(report.pages, "page"),
        counted(report.chunks, "passage"),
        duration(report.duration_ms),
    );
    if let Some(note) = &report.model_note {
        let _ = writeln!(out, "Note: {note}");
    }
    let _ = write!(out, "\nNext: casetrack search \"...\" -c \"{name}\"");
    out
}

/// Show how much disk space a collection uses, by kind
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Stats {
    #[command(flatten)]
    target: InCollection,
}

impl Stats {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?;
        let stats = upkeep::collection_stats(console.host(), collection.id)?;
        console.print(&stats, disk_use)
    }
}

fn disk_use(stats: &CollectionStats) -> String {
    let mut out = format!(
        "{}: {}, {}, {}\n\n",
        stats.collection,
        counted(stats.documents, "document"),
        counted(stats.pages, "page"),
        counted(stats.chunks, "passage"),
    );
    for kind in stats.kinds.iter().filter(|kind| kind.bytes > 0) {
        let share = kind.bytes as f64 * 100.0 / stats.total_bytes.max(1) as f64;
        let _ = writeln!(out, "  {:22} {:>12} {share:>6.1} %", kind.kind, bytes(kind.bytes));
    }
    let _ = writeln!(out, "  {:22} {:>12}", "total", bytes(stats.total_bytes));
    let _ = writeln!(out, "\nModels: {}", stats.models.join(", "));
    if let Some(dense) = stats.models.first() {
        let _ = writeln!(out, "Precision: {}", Precision::of_model(dense));
    }
    if let Some(moving) = &stats.moving {
        let _ = writeln!(
            out,
            "Unfinished move to other models: {} ({} stored). To continue, ask for the move again; a move to the \
             models above discards it.",
            moving.to,
            bytes(moving.bytes)
        );
    }
    if let Some(per_chunk) = stats.bytes_per_chunk {
        let _ = write!(out, "\n{} per passage, without originals and quarantine.", bytes(per_chunk));
    }
    out
}

/// Free the space that deleted and replaced documents left behind
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Compact {
    #[command(flatten)]
    target: InCollection,
}

impl Compact {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?;
        let report = upkeep::compact_collection(console.host(), collection.id)?;
        console.print(&report, compacted)
    }
}

fn compacted(report: &CompactReport) -> String {
    let CompactReport { before, after, duration_ms } = report;
    let mut out = format!("Compacted: {} ({})\n\n", after.collection, duration(*duration_ms));
    let _ = writeln!(out, "  {:22} {:>12} {:>12}", "", "before", "after");
    let mut line = |kind: &str, before: u64, after: u64| {
        let _ = writeln!(out, "  {kind:22} {:>12} {:>12}", bytes(before), bytes(after));
    };
    let rocksdb = |stats: &CollectionStats| sum(stats, |kind| kind.starts_with("rocksdb/"));
    line("documents (RocksDB)", rocksdb(before), rocksdb(after));
    for kind in after.kinds.iter().filter(|kind| !kind.kind.starts_with("rocksdb/")) {
        line(&kind.kind, sum(before, |name| name == kind.kind), kind.bytes);
    }
    line("total", before.total_bytes, after.total_bytes);
    out
}

fn sum(stats: &CollectionStats, wanted: impl Fn(&str) -> bool) -> u64 {
    stats.kinds.iter().filter(|kind| wanted(&kind.kind)).map(|kind| kind.bytes).sum()
}
