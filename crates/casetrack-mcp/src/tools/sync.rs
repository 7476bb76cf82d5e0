//! Bring the active collection up to date with a folder.

use casetrack_core::DocumentType;
use casetrack_engine::jobs::{JobReport, JobRequest, JobStatus};
use casetrack_engine::sync::{SyncReport, SyncRequest};

use super::ingest::absolute;
use super::work::{LongTool, Work, start};
use crate::tools::prelude::*;

pub(crate) struct SyncFolder;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SyncParameters {
    /// Absolute path to folder to sync. All subfolders are included.
    folder_path: String,
    /// If true, documents whose source files no longer exist on disk will be removed from the collection (chunks + embeddings deleted).
    /// Default: false (only add/update, never remove).
    #[serde(default)]
    remove_deleted: bool,
    /// Remove documents also if a whole folder, or more than half of all or of a mailbox or archive, is gone at once. Ask the user first: a drive
    /// that is not connected looks the same. Default: false (such documents are kept).
    #[serde(default)]
    confirm_removal: bool,
    /// Default document type for newly ingested files.
    document_type: Option<DocumentType>,
    /// If true, report what would change without actually ingesting or removing anything. Useful for previewing a sync.
    #[serde(default)]
    dry_run: bool,
    /// Seconds to wait; longer work continues as a job: see get_job
    #[serde(default = "super::work::wait_seconds")]
    #[schemars(range(min = 0, max = 600), extend("x-rare" = true))]
    wait_seconds: u32,
}

impl Tool for SyncFolder {
    const NAME: &'static str = "sync_folder";
    const TITLE: &'static str = "Sync a folder";
    const DESCRIPTION: &'static str = "Sync a folder with the active collection. Compares files on disk against what \
        is already ingested and: (1) ingests new files not yet in the collection, (2) re-ingests files that have changed since last ingestion \
        (detected by SHA256 mismatch), (3) optionally removes documents whose source files no longer exist on disk. This \
        is the easiest way to keep a collection up to date with a directory of documents -- just point it at the folder \
        and run it whenever files change.";
    // remove_deleted removes documents.
    const DESTRUCTIVE: bool = true;
    const ROW: Row = Row::new(Toolset::Watch, Effect::Updates, Need::EDIT);
    const SAMPLE: &'static str = r#"{"folder_path": "$folder", "dry_run": true}"#;
    const LONG: bool = true;
    type Parameters = SyncParameters;
    type Response = Work<SyncReport>;

    fn call(context: &Context<'_>, parameters: SyncParameters) -> Result<Reply<Work<SyncReport>>> {
        let collection = context.active()?.id;
        let request = SyncRequest {
            remove_deleted: parameters.remove_deleted,
            confirm_removal: parameters.confirm_removal,
            document_type: parameters.document_type,
            dry_run: parameters.dry_run,
            ..SyncRequest::new(absolute("folder_path", &parameters.folder_path)?)
        };
        start::<Self>(context, collection, JobRequest::SyncFolder(request), parameters.wait_seconds)
    }
}

impl LongTool for SyncFolder {
    type Report = SyncReport;

    fn report(report: JobReport) -> Option<SyncReport> {
        report.sync
    }

    fn text(_: &JobStatus, report: &SyncReport) -> Result<String> {
        Ok(text::sync::report(report, Reader::Assistant))
    }
}
