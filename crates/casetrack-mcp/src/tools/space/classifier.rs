//! Metadata and thumbnails of files.

use casetrack_engine::space;
use casetrack_engine::space::ClassifierJob;

use crate::tools::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct RerunParameters {
    /// Path to source file
    source_path: String,
    /// Operations (thumbnail, metadata, etc.)
    #[serde(default)]
    operations: Vec<String>,
}

space_tool!(RerunClassifier: "rerun-classifier", "Regenerate metadata", Updates, RerunParameters => ClassifierJob,
    r#"{"sourcePath": "$file"}"#,
"Regenerate metadata for a file.\n\nOperations: thumbnail (of a picture or of the first page of a PDF file), \
    metadata (properties or EXIF), media_type, sha256.",
|context, host, parameters| {
    space::classify_in_job(host, &parameters.source_path, &parameters.operations, context.cancel)
});

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgressParameters {
    /// Job ID
    #[serde(rename = "jobId")]
    job_id: i64,
}

space_tool!(ClassifierJobProgress: "classifier-job-progress", "Progress of the classifier", Reads, ProgressParameters => ClassifierJob,
    r#"{"jobId": 1}"#,
    "Check classifier job progress.",
    |_, host, parameters| space::classifier_job(host, parameters.job_id));
