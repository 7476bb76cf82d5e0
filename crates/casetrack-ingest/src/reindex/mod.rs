//! Rebuild stored documents: from their files, or from their stored pages and chunks.

mod model_choice;
mod model_move;
mod run;
mod state;

use casetrack_core::{Cancel, CollectionId, DocumentId, Password, ProgressSink, Result, Timestamp};
use casetrack_embed::{ModelProfile, Precision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::WorkContext;
use crate::pace::Pace;
use casetrack_host::Host;
use casetrack_host::report::{FailedFile, WorkSummary};

pub use casetrack_store::Space as DiskSpace;
pub use model_choice::fit_models;
pub use model_move::space_to_move;
pub use state::{DocumentState, IndexIssue, IndexState, IndexStatus, index_status};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ReindexRequest {
    /// These documents; all when `None`. Documents inside containers go with their containers.
    pub documents: Option<Vec<DocumentId>>,
    /// Read the source files again and divide them into chunks again; chunks whose text did not change keep their ids. Otherwise
    /// pages and chunks stay. All vectors and annotations are made again either way.
    pub reparse: bool,
    /// Leave out documents whose files did not change and that have all that the models in use give.
    pub skip_unchanged: bool,
    /// Tried on every file that is protected by a password; kept nowhere, so that a request that is read again has none.
    #[serde(skip)]
    pub password: Option<Password>,
    /// Move the collection to these models instead. The new vectors are made from the stored chunks; searches use the old ones until all are made.
    /// Then the new ones take their place in one step. `documents`, `reparse` and `skip_unchanged` do not count. Takes the disk space of the
    /// collection a second time, without copies of source files.
    #[serde(default)]
    pub models: Option<ModelsWanted>,
    /// Share of the time that embedding rests, in percent from 0 to 90, so that the machine stays usable.
    #[serde(default)]
    pub throttle: u8,
    /// The start of the job, if it continues with this request after an interruption: documents that were stored since are not made again.
    #[serde(default)]
    pub since: Option<Timestamp>,
}

impl ReindexRequest {
    pub fn new(documents: Option<Vec<DocumentId>>) -> Self {
        Self { documents, reparse: true, ..Self::default() }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelsWanted {
    /// Those that the collection has when `None`.
    #[serde(default)]
    pub profile: Option<ModelProfile>,
    /// With `profile`: that of new collections when `None`.
    #[serde(default)]
    pub precision: Option<Precision>,
    /// Give the collection token vectors, for late interaction (E12). When `None` it has them if it has them now and the models make them.
    #[serde(default)]
    pub late_interaction: Option<bool>,
}

/// The models before and after a move: that of the dense vectors, and of the token vectors if there are any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelChange {
    pub from: String,
    pub to: String,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ReindexReport {
    pub collection: String,
    /// True if the source files were read again.
    pub reparse: bool,
    /// Documents examined.
    pub found: u64,
    pub reindexed: Vec<ReindexedDocument>,
    /// Documents that were left out because they are complete and their files did not change.
    pub skipped: u64,
    /// Documents that could not be rebuilt; their earlier version is unchanged.
    pub failed: Vec<FailedFile>,
    #[serde(flatten)]
    pub summary: WorkSummary,
    /// The move of the collection to other models; complete, unless the work ended early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub models: Option<ModelChange>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ReindexedDocument {
    pub document_id: DocumentId,
    pub name: String,
    pub path: String,
    pub pages: u32,
    pub chunks: u32,
    /// The source: the file, the copy of it in the collection, or the stored pages and chunks.
    pub read_from: ReindexSource,
    /// Parts that could not be read.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReindexSource {
    /// The file that the document was ingested from.
    SourceFile,
    /// The copy of it in the collection, because the file is gone.
    OriginalCopy,
    Stored,
}

/// Rebuilds documents, each in one atomic step: until then, and if it fails or is interrupted, its earlier version is found. Ids of documents, and of
/// chunks whose text stays, remain. Blocks until done; `cancel` stops it within a second.
///
/// Fails as a whole if a document does not exist, or if without a missing model documents would lose vectors; after that every problem is in the
/// report.
pub fn reindex(
    host: &Host,
    collection: CollectionId,
    request: &ReindexRequest,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<ReindexReport> {
    if let Some(models) = &request.models {
        return model_move::move_to_models(host, collection, models, Pace::resting(request.throttle), progress, cancel);
    }
    let collection = &*host.collection_to_change(collection)?;
    run::run(WorkContext { host, collection, progress, cancel }, request)
}
