//! Collections as a whole, and this machine.

use std::path::Path;

use casetrack_core::{CollectionId, CollectionMeta, CollectionStatus, Result};

use super::Engine;
use crate::collections::{self, CollectionInfo, CollectionSummary, CreateCollection};
use crate::upkeep::doctor::{self, Diagnosis};
use crate::upkeep::export::{self, ExportReport, ExportRequest};
use crate::upkeep::import::{self, ImportReport};
use crate::upkeep::lifecycle;
use crate::upkeep::models::{self, ModelList, PullEvent, PullReport};
use crate::upkeep::repair::{self, RepairReport};
use crate::upkeep::stats::{self, CollectionStats, CompactReport};
use crate::upkeep::status::{self, Status};
use crate::upkeep::verify::{self, VerifyReport};

impl Engine {
    /// Makes an empty collection. Refuses a name that is taken, or that differs only in case, and more collections than the
    /// tier allows.
    pub fn create_collection(&self, request: CreateCollection) -> Result<CollectionMeta> {
        collections::create_collection(&self.host, request)
    }

    /// All collections, oldest first, without looking into them.
    pub fn collections(&self) -> Result<Vec<CollectionMeta>> {
        collections::collections(&self.host)
    }

    /// All collections with `status`, or all with `None`, oldest first. One that cannot be read is listed with its problem.
    pub fn list_collections(&self, status: Option<CollectionStatus>) -> Result<Vec<CollectionSummary>> {
        collections::list_collections(&self.host, status)
    }

    /// Finds the collection that `name` means: its id, the beginning of it, its name or the user's reference.
    pub fn find_collection(&self, name: &str) -> Result<CollectionMeta> {
        collections::find_collection(&self.host, name)
    }

    /// The collection that is meant where none is named: the only active one.
    pub fn sole_collection(&self) -> Result<Option<CollectionMeta>> {
        collections::sole_collection(&self.host)
    }

    /// Details of a collection, with its documents by name.
    pub fn collection_info(&self, id: CollectionId) -> Result<CollectionInfo> {
        collections::collection_info(&self.host, id)
    }

    /// Gives a collection another name. Its id, and so its directory, stays.
    ///
    /// Errors: as [`create_collection`](Self::create_collection) for names; [`ErrorCode::InUse`](casetrack_core::ErrorCode::InUse)
    /// while something works with it.
    pub fn rename_collection(&self, id: CollectionId, name: &str) -> Result<CollectionMeta> {
        let renamed = lifecycle::rename_collection(&self.host, id, name.trim())?;
        self.watches.rename_collection(id, &renamed.name);
        Ok(renamed)
    }

    /// Closes, archives or reopens a collection; in the state it has already it stays as it is.
    ///
    /// Errors: [`ErrorCode::InUse`](casetrack_core::ErrorCode::InUse) while something works with it.
    pub fn set_collection_status(&self, id: CollectionId, status: CollectionStatus) -> Result<CollectionMeta> {
        lifecycle::set_collection_status(&self.host, id, status)
    }

    /// Removes a collection and everything in it, for good; its watches end.
    pub fn delete_collection(&self, id: CollectionId) -> Result<()> {
        collections::delete_collection(&self.host, id)?;
        self.watches.forget_collection(id);
        Ok(())
    }

    pub fn collection_stats(&self, collection: CollectionId) -> Result<CollectionStats> {
        stats::collection_stats(&self.host, collection)
    }

    /// Rewrites what deletions and replacements left behind. Searches go on meanwhile; changes wait.
    pub fn compact_collection(&self, collection: CollectionId) -> Result<CompactReport> {
        stats::compact_collection(&self.host, collection)
    }

    /// Reads everything in the collection; takes time in proportion to its size.
    pub fn verify(&self, collection: CollectionId) -> Result<VerifyReport> {
        verify::verify(&self.host, collection)
    }

    /// Mends the collection that `name` means, which need not be one that opens or is listed. Nothing is deleted: what is
    /// damaged is moved aside.
    pub fn repair_collection(&self, name: &str) -> Result<RepairReport> {
        repair::repair_collection(&self.host, name)
    }

    /// Writes the collection as of this moment, while it is in use.
    pub fn export_collection(&self, collection: CollectionId, request: ExportRequest<'_>) -> Result<ExportReport> {
        export::export_collection(&self.host, collection, request)
    }

    /// Imports under the name in the file, or another. Everything in it is checked before anything becomes visible.
    pub fn import_collection(&self, file: &Path, name: Option<&str>) -> Result<ImportReport> {
        import::import_collection(&self.host, file, name)
    }

    /// Lists the models and checks the hashes of those that are there, which reads all their weights.
    pub fn models(&self) -> Result<ModelList> {
        models::models(&self.host)
    }

    /// Downloads the models with these ids, or all of the quality profile; the only use of the network there is.
    ///
    /// Takes the hub's address, its cache and its offline mode from Hugging Face's environment variables.
    pub fn pull_models(
        &self,
        ids: &[String],
        offline: bool,
        on_event: &mut dyn FnMut(PullEvent<'_>),
    ) -> Result<PullReport> {
        models::pull_models(&self.host, ids, offline, on_event)
    }

    /// Opens no collection and loads no model.
    pub fn status(&self) -> Result<Status> {
        status::status(&self.host)
    }

    /// Checks the data directory, the models (with the hashes of their files) and the libraries.
    pub fn doctor(&self) -> Diagnosis {
        doctor::doctor(&self.host)
    }
}
