//! Check every invariant of a stored collection.

mod records;

use std::sync::Arc;

use casetrack_core::{CollectionId, ErrorCode, Result};
use casetrack_store::Collection;
use schemars::JsonSchema;
use serde::Serialize;

use casetrack_host::documents::originals;
use casetrack_host::{Host, OpenCollection, StorePlace, sha256};

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct VerifyReport {
    pub collection: String,
    /// True if no check found a problem.
    pub clean: bool,
    pub checks: Vec<Check>,
    pub duration_ms: u64,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Check {
    pub name: String,
    pub description: String,
    pub checked: u64,
    pub problems: Vec<String>,
}

/// Reads everything in the collection; takes time in proportion to its size.
pub fn verify(host: &Host, collection: CollectionId) -> Result<VerifyReport> {
    let started = std::time::Instant::now();
    let collection = match host.collection(collection) {
        // The checks report the damage, as far as it can be opened at all.
        Err(error) if matches!(error.code, ErrorCode::Corrupt | ErrorCode::WrongState) => {
            let opened = match host.store_place() {
                StorePlace::Disk => host.registry().open_to_verify(collection),
                StorePlace::Database(_) => host.store().open_collection(collection),
            };
            Arc::new(OpenCollection::new(opened.map_err(|_| error)?))
        }
        opened => opened?,
    };
    let mut checks: Vec<Check> = collection
        .verify()?
        .checks
        .into_iter()
        .map(|check| Check {
            name: check.name.into(),
            description: check.description.into(),
            checked: check.checked,
            problems: check.problems,
        })
        .collect();
    checks.push(check_originals(&collection)?);
    if collection.is_vault() {
        checks.push(records::check(host, collection.meta().id)?);
    }
    Ok(VerifyReport {
        collection: collection.meta().name.clone(),
        clean: checks.iter().all(|check| check.problems.is_empty()),
        checks,
        duration_ms: started.elapsed().as_millis() as u64,
    })
}

/// The copies of source files are there and have the content that was ingested.
fn check_originals(collection: &Collection) -> Result<Check> {
    let mut check = Check {
        name: "originals".into(),
        description: "Copies of source files that were kept have the SHA-256 of their document.".into(),
        checked: 0,
        problems: Vec::new(),
    };
    for document in collection.documents()?.into_iter().filter(|document| document.original_stored) {
        check.checked += 1;
        let path = originals::path(collection, &document);
        match collection.read_kept(&path) {
            Ok(bytes) if sha256(&bytes) == document.sha256 => {}
            Ok(_) => check.problems.push(format!("{}: the copy {} has other content.", document.name, path.display())),
            Err(error) => check.problems.push(format!("{}: {}", document.name, error.message)),
        }
    }
    Ok(check)
}
