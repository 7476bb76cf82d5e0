//! Repair a damaged collection.

use casetrack_core::{CollectionId, Result};
use schemars::JsonSchema;
use serde::Serialize;

use casetrack_host::changes::Change;
use casetrack_host::names::{Candidate, Kind, resolve};
use casetrack_host::{Host, collections};

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RepairReport {
    pub id: CollectionId,
    pub collection: String,
    /// True if nothing was wrong.
    pub sound: bool,
    /// True if `verify` finds no problem now.
    pub clean: bool,
    /// The faults, one sentence each.
    pub found: Vec<String>,
    pub done: Vec<String>,
    pub lost: Vec<LostDocument>,
    /// The folder of everything that was taken out.
    pub quarantine: Option<String>,
    pub documents: u64,
    pub problems: Vec<String>,
    /// The next steps, one sentence each.
    pub next: Vec<String>,
    pub duration_ms: u64,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LostDocument {
    pub id: String,
    pub name: Option<String>,
    pub path: Option<String>,
    pub reason: String,
    /// True if the source file is still at its place.
    pub source_exists: bool,
}

/// Repairs the collection that `name` means, which may be one that does not open and is not listed. Nothing is deleted: damaged files are
/// moved aside.
pub fn repair_collection(host: &Host, name: &str) -> Result<RepairReport> {
    host.only_on_disk("Repairs")?;
    let started = std::time::Instant::now();
    let id = find_repairable(host, name)?;
    host.open_collections().close(id)?;
    let report = host.registry().repair(id)?;
    host.changes().notify(Change::Collection(id));
    let lost: Vec<LostDocument> = report
        .lost
        .into_iter()
        .map(|lost| LostDocument {
            id: lost.id.to_string(),
            name: lost.name,
            source_exists: lost
                .path
                .as_deref()
                .is_some_and(|path| std::path::Path::new(path).ancestors().any(std::path::Path::is_file)),
            path: lost.path,
            reason: lost.reason,
        })
        .collect();
    let collection = host.store().meta(id)?.name;
    let mut next: Vec<String> = Vec::new();
    for LostDocument { path, source_exists, id, .. } in &lost {
        next.push(match path {
            Some(path) if *source_exists => format!("Ingest it again from {path}"),
            Some(path) => format!("{path} is gone: put it back from a backup, then ingest it again"),
            None => format!("Only the id of document {id} is known: ingest the folders of this collection again"),
        });
    }
    next.dedup();
    if let Some(quarantine) = &report.quarantine {
        next.push(format!("When nothing is missing, delete {} to free its space", quarantine.display()));
    }
    Ok(RepairReport {
        id,
        collection,
        sound: report.found.is_empty(),
        clean: report.problems.is_empty(),
        found: report.found,
        done: report.done,
        lost,
        quarantine: report.quarantine.map(|dir| dir.display().to_string()),
        documents: report.documents,
        problems: report.problems,
        next,
        duration_ms: started.elapsed().as_millis() as u64,
    })
}

fn find_repairable(host: &Host, name: &str) -> Result<CollectionId> {
    let all = host.registry().repairable()?;
    let candidates: Vec<Candidate<'_>> = all
        .iter()
        .map(|(id, name)| Candidate {
            name: name.as_deref().unwrap_or("(name lost)"),
            aliases: Vec::new(),
            id: id.to_string(),
        })
        .collect();
    match resolve(Kind::Collection, name, &candidates) {
        Ok(found) => Ok(all[found].0),
        // By its reference, which only a sound collection has.
        Err(error) => collections::find_collection(host, name).map(|meta| meta.id).map_err(|_| error),
    }
}
