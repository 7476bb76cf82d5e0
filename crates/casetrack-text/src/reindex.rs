//! Results of reindexing, and the state of the indexes.

use casetrack_engine::reindex::{
    DocumentState, IndexIssue, IndexStatus, ModelChange, ReindexReport, ReindexSource, ReindexedDocument,
};

use super::format::{counted, duration, one_line, push_fact, push_section, thousands};
use super::ingest::{failure, notes, warnings};
use super::marks::name;
use crate::Reader;

const MAX_SHOWN: usize = 10;
const MAX_FAILURES: usize = 100;
const MAX_STATES: usize = 50;

/// `whole` is true if all documents of the collection were requested.
pub fn report(report: &ReindexReport, whole: bool, reader: Reader) -> String {
    if let Some(models) = &report.models {
        return moved(report, models, reader);
    }
    let outcome = if report.summary.stopped.is_some() { "stopped early" } else { "complete" };
    let mut text = format!("Reindexing {outcome} for {}\n\n", one_line(&report.collection));
    let mut fact = |name: &str, value: &str| push_fact(&mut text, name, value);
    let existing = reader.pick("existing pages and chunks", "existing pages and passages");
    fact("Source", if report.reparse { "text extracted again from the files" } else { existing });
    fact("Reindexed", &counted(report.reindexed.len() as u64, "document"));
    if report.skipped > 0 {
        fact("Skipped", &format!("{} (unchanged and complete)", thousands(report.skipped)));
    }
    fact("Failed", &thousands(report.failed.len() as u64));
    fact("Pages", &thousands(report.summary.pages));
    let embedded = thousands(report.summary.chunks_embedded);
    fact(reader.pick("Chunks", "Passages"), &format!("{} ({embedded} embedded)", thousands(report.summary.chunks)));
    fact("Duration", &duration(report.summary.duration_ms));
    push_section(&mut text, "Reindexed", report.reindexed.iter().map(|document| line(document, reader)), MAX_SHOWN);
    push_section(&mut text, "Failures", report.failed.iter().map(|failed| failure(failed, reader)), MAX_FAILURES);
    let warnings = report.reindexed.iter().flat_map(|document| warnings(&document.name, &document.warnings));
    push_section(&mut text, "Warnings", warnings, MAX_FAILURES);
    text.push_str(&format!("\n{}{}", conclusion(report, whole, reader), notes(&report.summary.notices, reader)));
    text
}

/// A collection that was moved to other models, or was to be.
fn moved(report: &ReindexReport, models: &ModelChange, reader: Reader) -> String {
    let collection = one_line(&report.collection);
    if models.from == models.to && report.summary.chunks == 0 {
        return format!("{collection} already has vectors of {}. Nothing was changed.", one_line(&models.to));
    }
    let mut text = format!("Moving {collection} to other models\n\n");
    let mut fact = |name: &str, value: &str| push_fact(&mut text, name, value);
    fact("From", &one_line(&models.from));
    fact("To", &one_line(&models.to));
    let done = thousands(report.reindexed.len() as u64);
    fact("Documents", &format!("{done} of {}", thousands(report.found)));
    let embedded = thousands(report.summary.chunks_embedded);
    fact(reader.pick("Chunks", "Passages"), &format!("{} ({embedded} embedded)", thousands(report.summary.chunks)));
    fact("Duration", &duration(report.summary.duration_ms));
    push_section(&mut text, "Failures", report.failed.iter().map(|failed| failure(failed, reader)), MAX_FAILURES);
    let conclusion = match &report.summary.stopped {
        Some(problem) => format!(
            "Not done: searches use {} as before. {}{}",
            one_line(&models.from),
            one_line(&problem.message),
            reader.after(problem.hint.as_ref())
        ),
        None => format!("Searches use {} now.", one_line(&models.to)),
    };
    text.push_str(&format!("\n{conclusion}{}", notes(&report.summary.notices, reader)));
    text
}

fn line(document: &ReindexedDocument, reader: Reader) -> String {
    let copy = match document.read_from {
        ReindexSource::OriginalCopy => ", from the copy in the collection: the file is gone",
        ReindexSource::SourceFile | ReindexSource::Stored => "",
    };
    format!("{} ({}{copy})", name(&document.name), reader.size(document.pages, document.chunks))
}

fn conclusion(report: &ReindexReport, whole: bool, reader: Reader) -> String {
    if let Some(problem) = &report.summary.stopped {
        let hint = reader.after(problem.hint.as_ref());
        let message = one_line(&problem.message);
        return format!("Reindexing is incomplete; documents that were not reached are unchanged. {message}{hint}");
    }
    match (report.reindexed.len(), report.failed.len(), whole) {
        (0, 0, true) => "Nothing to do: all documents are unchanged and complete.".to_owned(),
        (0, 0, false) => format!(
            "Nothing to do: the source file has not changed and the embeddings are complete. Use {} to reindex anyway.",
            reader.pick("force: true", "--force")
        ),
        (_, 0, true) => "All embeddings and indexes are up to date.".to_owned(),
        (_, 0, false) => "The new version of the document is searchable.".to_owned(),
        _ => "Documents that failed are unchanged and stay searchable.".to_owned(),
    }
}

pub fn status(status: &IndexStatus, reader: Reader) -> String {
    let verdict = if status.healthy { "healthy" } else { "needs attention" };
    let mut text = format!("Index status for {}: {verdict}\n\n", one_line(&status.collection));
    let mut fact = |name: &str, value: &str| push_fact(&mut text, name, value);
    fact("Documents", &format!("{} ({} complete)", thousands(status.documents), thousands(status.complete)));
    if status.needs_reindex > 0 {
        fact("Reindex", &format!("{} needed", counted(status.needs_reindex, "document")));
    }
    if status.source_missing > 0 {
        fact("Missing", &format!("{} without a source file on disk", counted(status.source_missing, "document")));
    }
    let unit = reader.pick("chunks", "passages");
    fact(reader.pick("Chunks", "Passages"), &thousands(status.chunks));
    fact("E1", &format!("{} ({} {unit})", one_line(&status.dense_model), thousands(status.chunks)));
    match &status.sparse_model {
        Some(model) => fact("E6", &format!("{} ({} {unit})", one_line(model), thousands(status.sparse_chunks))),
        None => fact("E6", "none"),
    }
    if let Some(model) = &status.token_model {
        fact("E12", &format!("{} ({} chunks)", one_line(model), thousands(status.token_chunks)));
    }
    fact("Analysed", &counted(status.annotated_documents, "document"));
    for index in &status.indexes {
        let state = match (index.in_step, index.behind) {
            (true, _) => "up to date".to_owned(),
            (false, 0) => "reopens at its next use".to_owned(),
            (false, behind) => format!("{} behind", counted(behind, "change")),
        };
        fact(&index.name, &state);
    }
    if let Some(problem) = &status.model_problem {
        let hint = reader.after(problem.hint.as_ref());
        fact("Models", &format!("{}{hint}", one_line(&problem.message)));
    }
    let mut incomplete = status.document_states.iter().filter(|state| !state.issues.is_empty()).peekable();
    if incomplete.peek().is_none() {
        text.push_str(match status.documents {
            1 => "\nThe document has complete embeddings and an unchanged source file.",
            _ => "\nAll documents have complete embeddings and unchanged source files.",
        });
        return text;
    }
    let line = |state: &DocumentState| {
        let issues: Vec<&str> = state.issues.iter().map(|issue| in_words(*issue)).collect();
        format!("{} (ID: {}): {}", name(&state.name), state.document_id.short(), issues.join("; "))
    };
    push_section(&mut text, "Documents with issues", incomplete.map(line), MAX_STATES);
    text.push_str(match status.needs_reindex {
        0 => "\nThe stored documents stay searchable. Restore the files, or sync the folder they are in now.",
        1 => reader.pick("\nReindex it with reindex_document.", "\nReindex it with `casetrack reindex DOCUMENT`."),
        _ => reader.pick(
            "\nReindex them with reindex_document, or all with reindex_collection (skip_unchanged: true skips the others).",
            "\nReindex them with `casetrack reindex --skip-unchanged`.",
        ),
    });
    text
}

fn in_words(issue: IndexIssue) -> &'static str {
    match issue {
        IndexIssue::SourceChanged => "source file changed",
        IndexIssue::SourceMissing => "source file missing",
        IndexIssue::SourceUnreadable => "source file cannot be read",
        IndexIssue::NoDenseVectors => "no embeddings (E1)",
        IndexIssue::NoSparseVectors => "no learned-sparse embeddings (E6)",
        IndexIssue::NoTokenVectors => "no token vectors (E12)",
        IndexIssue::NoAnnotations => "no entities and references",
        IndexIssue::OtherAnalysis => "entities and references of another version",
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::{DocumentId, Timestamp};
    use casetrack_engine::ingest::WorkSummary;
    use casetrack_engine::reindex::IndexState;

    use super::*;

    fn id() -> DocumentId {
        "d0c00001-0000-4000-8000-000000000001".parse().unwrap()
    }

    #[test]
    fn a_report_counts_what_was_made_and_what_was_kept() {
        let document = ReindexedDocument {
            document_id: id(),
            name: "Vendor_Agreement.docx".to_owned(),
            path: "/acme/Vendor_Agreement.docx".to_owned(),
            pages: 45,
            chunks: 234,
            read_from: ReindexSource::OriginalCopy,
            warnings: Vec::new(),
        };
        let made = ReindexReport {
            collection: "Acme".to_owned(),
            reparse: true,
            found: 1,
            reindexed: vec![document],
            summary: WorkSummary {
                pages: 45,
                chunks: 234,
                chunks_embedded: 234,
                duration_ms: 1_500,
                ..WorkSummary::default()
            },
            ..ReindexReport::default()
        };
        assert_eq!(
            report(&made, false, Reader::Assistant),
            "Reindexing complete for Acme\n\n  Source:     text extracted again from the files\n  Reindexed:  1 document\n  \
             Failed:     0\n  Pages:      45\n  Chunks:     234 (234 embedded)\n  Duration:   1.5 \
             seconds\n\n  Reindexed:\n  - Vendor_Agreement.docx (45 pages, 234 chunks, from the copy in the collection: the file \
             is gone)\n\nThe new version of the document is searchable."
        );
        let nothing = report(&ReindexReport { skipped: 1, ..ReindexReport::default() }, false, Reader::Assistant);
        assert!(nothing.ends_with("Use force: true to reindex anyway."), "{nothing}");
    }

    #[test]
    fn a_status_names_the_documents_that_need_something() {
        let state = |issues: Vec<IndexIssue>| DocumentState {
            document_id: id(),
            name: "a.txt".to_owned(),
            path: "/acme/a.txt".to_owned(),
            chunks: 3,
            embedders: vec!["E1".to_owned()],
            ingested_at: Timestamp(0),
            embedded_at: None,
            issues,
        };
        let sick = IndexStatus {
            collection: "Acme".to_owned(),
            healthy: false,
            documents: 2,
            complete: 1,
            needs_reindex: 1,
            source_missing: 0,
            chunks: 6,
            sparse_chunks: 3,
            annotated_documents: 2,
            dense_model: "all-MiniLM-L6-v2".to_owned(),
            sparse_model: Some("splade-tiny".to_owned()),
            token_chunks: 0,
            token_model: None,
            model_problem: None,
            indexes: vec![IndexState { name: "BM25".to_owned(), in_step: true, behind: 0 }],
            document_states: vec![
                state(Vec::new()),
                state(vec![IndexIssue::SourceChanged, IndexIssue::NoSparseVectors]),
            ],
        };
        assert_eq!(
            status(&sick, Reader::Assistant),
            "Index status for Acme: needs attention\n\n  Documents:  2 (1 complete)\n  Reindex:    1 document needed\n  Chunks:     \
             6\n  E1:         all-MiniLM-L6-v2 (6 chunks)\n  E6:         splade-tiny (3 chunks)\n  Analysed:   2 documents\n  BM25:       \
             up to date\n\n  Documents with issues:\n  - a.txt (ID: d0c00001): source file changed; no learned-sparse \
             embeddings (E6)\n\nReindex it with reindex_document."
        );
    }
}
