//! Ingest a file or a folder into the active collection.

use std::path::{Component, Path, PathBuf};

use casetrack_core::{DocumentType, Error, Password};
use casetrack_engine::ingest::{IngestReport, IngestRequest};
use casetrack_engine::jobs::{JobReport, JobRequest, JobStatus};
use casetrack_engine::marking::MarkSource;

use super::work::{LongTool, Work, start};
use crate::tools::prelude::*;

pub(crate) struct IngestDocument;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentParameters {
    /// Absolute path to the file on your computer
    file_path: String,
    /// Optional display name (defaults to filename)
    document_name: Option<String>,
    /// Type of document
    document_type: Option<DocumentType>,
    /// Copy the original file into the collection folder
    #[serde(default)]
    copy_original: bool,
    /// Password of the file, if it has one. It is not stored.
    password: Option<String>,
    /// Seconds to wait; longer work continues as a job: see get_job
    #[serde(default = "super::work::wait_seconds")]
    #[schemars(range(min = 0, max = 600), extend("x-rare" = true))]
    wait_seconds: u32,
}

impl Tool for IngestDocument {
    const NAME: &'static str = "ingest_document";
    const TITLE: &'static str = "Ingest a document";
    const DESCRIPTION: &'static str = "Ingest a document (PDF, DOCX, XLSX, or image) into the active collection. Extracts text (with OCR for scans), \
        chunks the text, computes embeddings, and indexes for search. All processing and storage happens locally on your \
        machine.";
    const LONG: bool = true;
    const ROW: Row = Row::new(Toolset::Ingest, Effect::Updates, Need::EDIT);
    const SAMPLE: &'static str = r#"{"file_path": "$file", "document_type": "memo", "copy_original": true}"#;
    type Parameters = DocumentParameters;
    type Response = Work<IngestReport>;

    fn call(context: &Context<'_>, parameters: DocumentParameters) -> Result<Reply<Work<IngestReport>>> {
        let collection = context.active()?.id;
        let path = absolute("file_path", &parameters.file_path)?;
        context.engine.host().config().access.check_user(&path)?;
        if metadata(&path)?.is_dir() {
            return Err(Error::invalid(format!("file_path is a folder: {}", path.display()))
                .with_hint("Ingest all files of a folder with ingest_folder."));
        }
        let request = IngestRequest {
            document_name: parameters.document_name,
            document_type: parameters.document_type,
            copy_original: parameters.copy_original,
            password: parameters.password.map(Password::from),
            ..IngestRequest::new(vec![path])
        };
        start::<Self>(context, collection, JobRequest::IngestDocument(request), parameters.wait_seconds)
    }
}

impl LongTool for IngestDocument {
    type Report = IngestReport;

    fn report(report: JobReport) -> Option<IngestReport> {
        report.ingestion
    }

    fn text(_: &JobStatus, report: &IngestReport) -> Result<String> {
        match report.failed.first() {
            Some(failed) => Err(failed.problem.clone().into_error()),
            None => Ok(text::ingest::document(report, Reader::Assistant)),
        }
    }
}

pub(crate) struct IngestFolder;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FolderParameters {
    /// Absolute path to folder containing documents. All subfolders are included automatically.
    folder_path: String,
    /// Include subfolders (default: true). Set to false to only process the top-level folder.
    #[serde(default = "super::yes")]
    recursive: bool,
    /// Skip files already ingested (matched by SHA256 hash). Set to false to re-ingest everything.
    #[serde(default = "super::yes")]
    skip_existing: bool,
    /// Default document type for all files. If omitted, CaseTrack infers from file content.
    document_type: Option<DocumentType>,
    /// Optional filter: only ingest files with these extensions (e.g., ["pdf", "docx", "xlsx"]). Default: all supported formats.
    file_extensions: Option<Vec<String>>,
    /// Tag with folder names
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    tags_from_folders: bool,
    /// CSV file: document, tags, fields
    #[schemars(extend("x-rare" = true))]
    tags_csv: Option<String>,
    /// Password of files that have one. It is not stored.
    password: Option<String>,
    /// Seconds to wait; longer work continues as a job: see get_job
    #[serde(default = "super::work::wait_seconds")]
    #[schemars(range(min = 0, max = 600), extend("x-rare" = true))]
    wait_seconds: u32,
}

impl Tool for IngestFolder {
    const NAME: &'static str = "ingest_folder";
    const TITLE: &'static str = "Ingest a folder";
    const DESCRIPTION: &'static str = "Ingest all supported documents in a folder and all subfolders. Walks the entire directory tree recursively. \
        Automatically skips files already ingested (matched by SHA256 hash). Supported formats: PDF, DOCX, DOC, XLSX, \
        TXT, RTF, JPG, PNG, TIFF. Each file is chunked into 2000-character segments with full provenance.";
    const LONG: bool = true;
    const ROW: Row = Row::new(Toolset::Ingest, Effect::Updates, Need::EDIT);
    const SAMPLE: &'static str = r#"{"folder_path": "$folder", "file_extensions": ["md", "txt"]}"#;
    type Parameters = FolderParameters;
    type Response = Work<IngestReport>;

    fn call(context: &Context<'_>, parameters: FolderParameters) -> Result<Reply<Work<IngestReport>>> {
        let collection = context.active()?.id;
        let path = absolute("folder_path", &parameters.folder_path)?;
        context.engine.host().config().access.check_user(&path)?;
        if !metadata(&path)?.is_dir() {
            return Err(Error::invalid(format!("folder_path is a file: {}", path.display()))
                .with_hint("Ingest a single file with ingest_document."));
        }
        let read = |file: &String| {
            let file = context.engine.host().config().access.check(&absolute("tags_csv", file)?)?;
            std::fs::read_to_string(&file).map_err(|error| Error::io(file.display(), error))
        };
        let csv = parameters.tags_csv.as_ref().map(read).transpose()?;
        let request = IngestRequest {
            marks: MarkSource { folders: parameters.tags_from_folders, csv },
            recursive: parameters.recursive,
            skip_existing: parameters.skip_existing,
            document_type: parameters.document_type,
            extensions: parameters.file_extensions.map(|names| names.iter().map(|name| extension(name)).collect()),
            password: parameters.password.map(Password::from),
            ..IngestRequest::new(vec![path])
        };
        start::<Self>(context, collection, JobRequest::IngestFolder(request), parameters.wait_seconds)
    }
}

impl LongTool for IngestFolder {
    type Report = IngestReport;

    fn report(report: JobReport) -> Option<IngestReport> {
        report.ingestion
    }

    fn text(job: &JobStatus, report: &IngestReport) -> Result<String> {
        let shown = format!("{}/", job.target.trim_end_matches('/'));
        Ok(text::ingest::folder(report, &shown, Reader::Assistant))
    }
}

/// Accepts the usual forms of extensions: `pdf`, `.pdf`, `*.pdf`.
pub(super) fn extension(name: &str) -> String {
    name.trim().trim_start_matches('*').trim_start_matches('.').to_owned()
}

/// The given path, with a leading `~` replaced by the user's home directory. A relative path is refused, because clients do not know the server's
/// working directory.
pub(super) fn absolute(parameter: &str, given: &str) -> Result<PathBuf> {
    let given_path = Path::new(given);
    let mut components = given_path.components();
    let path = match (components.next(), std::env::home_dir()) {
        (Some(Component::Normal(first)), Some(home)) if first == "~" => home.join(components.as_path()),
        _ => given_path.to_owned(),
    };
    if path.is_absolute() {
        return Ok(path);
    }
    let shown = text::format::shorten(given, 200);
    Err(Error::invalid(format!("{parameter} is \"{shown}\"; it must be an absolute path."))
        .with_hint(format!("Give the full path, such as {EXAMPLE}; ~ is the home directory.")))
}

const EXAMPLE: &str =
    if cfg!(windows) { r"C:\Users\Sarah\Documents\Contract.pdf" } else { "/home/sarah/Documents/Contract.pdf" };

fn metadata(path: &Path) -> Result<std::fs::Metadata> {
    std::fs::metadata(path).map_err(|error| Error::io(path.display(), error))
}

#[cfg(test)]
mod tests {
    use casetrack_core::ErrorCode;
    use casetrack_engine::ingest::Problem;

    use super::*;

    #[test]
    fn paths_must_be_absolute_and_may_start_at_home() {
        let root = std::path::absolute("/a/b c.pdf").unwrap();
        assert_eq!(absolute("file_path", root.to_str().unwrap()).unwrap(), root);
        let home = std::env::home_dir().unwrap();
        assert_eq!(absolute("file_path", "~/a.pdf").unwrap(), home.join("a.pdf"));
        for relative in ["a.pdf", "./a.pdf", "~sarah/a.pdf", ""] {
            let error = absolute("file_path", relative).unwrap_err();
            assert_eq!(error.message, format!("file_path is \"{relative}\"; it must be an absolute path."));
        }
    }

    #[test]
    fn a_missing_file_gives_the_message_of_the_specification() {
        let error = metadata(Path::new("/nowhere/Contract.pdf")).unwrap_err();
        assert_eq!(
            Reader::Assistant.error(&error),
            "File not found: /nowhere/Contract.pdf\n\nCheck that the path is correct and the file exists."
        );
    }

    #[test]
    fn a_reported_problem_is_the_same_error_again() {
        let original =
            Error::new(ErrorCode::NeedsPassword, "locked.pdf is encrypted.").with_hint("Remove the password.");
        let error = Problem::from(&original).into_error();
        assert_eq!((error.code, Reader::Assistant.error(&error)), (original.code, Reader::Assistant.error(&original)));
    }

    #[test]
    fn extensions_are_accepted_as_people_write_them() {
        assert_eq!(["pdf", ".pdf", "*.PDF", " pdf "].map(extension), ["pdf", "pdf", "PDF", "pdf"]);
    }
}
