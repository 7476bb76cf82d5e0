//! Results of a sync of a folder.

use casetrack_engine::sync::{GoneDocument, SyncReport, SyncedFile};

use super::format::{counted, duration, one_line, push_fact, push_section, thousands};
use super::ingest::{confirmation, failure, notes, push_former, push_skipped, warnings};
use super::marks::name;
use crate::Reader;

/// How many items of each list are shown. Failures are cut last, since the user has to act on each.
const MAX_SHOWN: usize = 10;
const MAX_FAILURES: usize = 100;

pub fn report(report: &SyncReport, reader: Reader) -> String {
    let what = match (report.dry_run, &report.summary.stopped) {
        (true, _) => "Folder sync preview",
        (false, Some(_)) => "Folder sync stopped early",
        (false, None) => "Folder sync complete",
    };
    let mut text = format!("{what} for {}\n\n", one_line(&report.collection));
    push_facts(&mut text, report, reader);
    let would = |done: &'static str, planned: &'static str| if report.dry_run { planned } else { done };
    push_files(&mut text, would("New documents ingested", "New files"), report, &report.new, reader);
    push_files(&mut text, would("Changed documents ingested again", "Changed files"), report, &report.changed, reader);
    let moved = report.moved.iter().map(|document| format!("{} -> {}", name(&document.from), name(&document.to)));
    push_section(&mut text, "Moved", moved, MAX_SHOWN);
    push_gone(&mut text, would("Removed from the collection", "Would be removed from the collection"), &report.removed);
    push_gone(&mut text, "Missing on disk", &report.missing);
    push_former(&mut text, &report.gone_members, &report.withheld_members, report.dry_run);
    push_section(&mut text, "Failures", report.failed.iter().map(|failed| failure(failed, reader)), MAX_FAILURES);
    if reader == Reader::CommandLine {
        push_skipped(&mut text, reader, report.duplicates.iter(), report.unsupported.iter());
    }
    let read = report.new.iter().chain(&report.changed);
    let warnings = read.flat_map(|file| warnings(&file.relative_path, &file.warnings));
    push_section(&mut text, "Warnings", warnings, MAX_FAILURES);
    text.push_str(&format!("\n{}{}", conclusion(report, reader), confirmation(&report.withheld_members, reader)));
    text.push_str(&notes(&report.summary.notices, reader));
    text
}

fn push_facts(text: &mut String, report: &SyncReport, reader: Reader) {
    let number = |list: usize, done: &str, planned: &str| match (list as u64, report.dry_run) {
        (0, _) => "0".to_owned(),
        (count, true) => format!("{} ({planned})", thousands(count)),
        (count, false) => format!("{} ({done})", thousands(count)),
    };
    let listed = |list: usize, what: &str| number(list, what, what);
    let mut fact = |name: &str, value: &str| push_fact(text, name, value);
    fact("Folder", &one_line(&format!("{}/", report.folder.trim_end_matches('/'))));
    fact("Found", &counted(report.found.saturating_sub(report.unsupported.len() as u64), "supported file"));
    fact("New", &number(report.new.len(), "ingested", "would be ingested"));
    let changed =
        number(report.changed.len(), "ingested again, replacing the earlier version", "would be ingested again");
    fact("Changed", &changed);
    if !report.moved.is_empty() {
        let kept = "kept their IDs and embeddings under the new path";
        fact("Moved", &number(report.moved.len(), kept, "would keep their IDs and embeddings under the new path"));
    }
    fact("Unchanged", &thousands(report.unchanged));
    if !report.duplicates.is_empty() {
        let why = reader.pick("already ingested, matching SHA256", "the collection has their contents already");
        fact("Duplicates", &listed(report.duplicates.len(), why));
    }
    if !report.unsupported.is_empty() {
        let count = listed(report.unsupported.len(), "formats that CaseTrack does not read");
        fact("Unsupported", &format!(" {count}"));
    }
    if !report.denied.is_empty() {
        fact("Denied", &listed(report.denied.len(), "access not allowed"));
    }
    if !report.missing.is_empty() {
        let why = match report.withheld {
            Some(_) => "no longer on disk, kept until the removal is confirmed",
            None => "no longer on disk, kept in the collection",
        };
        fact("Missing", &listed(report.missing.len(), why));
    }
    if !report.removed.is_empty() {
        fact("Removed", &number(report.removed.len(), "no longer on disk", "no longer on disk, would be removed"));
    }
    if !report.awaited.is_empty() {
        fact("Waiting", &format!("{} (still being written)", counted(report.awaited.len() as u64, "file")));
    }
    fact("Failed", &thousands(report.failed.len() as u64));
    if report.summary.chunks_embedded + report.summary.chunks_reused > 0 {
        let (embedded, kept) = (thousands(report.summary.chunks_embedded), thousands(report.summary.chunks_reused));
        fact(reader.pick("Chunks", "Passages"), &format!("{embedded} embedded, {kept} kept unchanged"));
    }
    fact("Duration", &duration(report.summary.duration_ms));
}

fn push_files(text: &mut String, heading: &str, report: &SyncReport, files: &[SyncedFile], reader: Reader) {
    let line = |file: &SyncedFile| match report.dry_run {
        true => name(&file.relative_path).into_owned(),
        false => format!("{} ({})", name(&file.relative_path), reader.size(file.pages, file.chunks)),
    };
    push_section(text, heading, files.iter().map(line), MAX_SHOWN);
}

fn push_gone(text: &mut String, heading: &str, documents: &[GoneDocument]) {
    push_section(text, heading, documents.iter().map(|document| name(&document.path).into_owned()), MAX_SHOWN);
}

fn conclusion(report: &SyncReport, reader: Reader) -> String {
    if let Some(problem) = &report.summary.stopped {
        let hint = reader.after(problem.hint.as_ref());
        return format!("The sync is incomplete. {}{hint}", one_line(&problem.message));
    }
    if let Some(withheld) = &report.withheld {
        let confirm = reader.pick(
            "set remove_deleted and confirm_removal to true",
            "run the sync with --remove-deleted --confirm-removal",
        );
        return format!(
            "{} Put the files back, or connect their drive, and sync again. To remove the documents, {confirm}.",
            one_line(&withheld.reason())
        );
    }
    let changes =
        report.new.len() + report.changed.len() + report.moved.len() + report.removed.len() + report.gone_members.len();
    match (report.dry_run, changes) {
        (true, 0) => "The collection is up to date with the folder.".to_owned(),
        (true, _) => {
            let option = reader.pick("Call again without dry_run", "Run it again without --dry-run");
            format!("Nothing was changed. {option} to do this.")
        }
        (false, 0) if report.failed.is_empty() => "The collection is up to date with the folder.".to_owned(),
        (false, 0) => "Nothing was changed.".to_owned(),
        (false, _) if report.missing.is_empty() => "The collection is now up to date with the folder.".to_owned(),
        (false, _) => format!(
            "The collection now has all files of the folder; documents whose files are gone were kept ({} removes them).",
            reader.pick("remove_deleted: true", "--remove-deleted")
        ),
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::DocumentId;
    use casetrack_engine::ingest::{FormerMember, WorkSummary};
    use casetrack_engine::sync::{MovedDocument, WithheldRemoval};

    use super::*;

    fn id() -> DocumentId {
        "d0c00001-0000-4000-8000-000000000001".parse().unwrap()
    }

    fn file(path: &str) -> SyncedFile {
        SyncedFile {
            document_id: Some(id()),
            name: path.to_owned(),
            relative_path: path.to_owned(),
            path: format!("/acme/{path}"),
            pages: 12,
            chunks: 67,
            warnings: Vec::new(),
        }
    }

    fn sample() -> SyncReport {
        SyncReport {
            collection: "Acme Corp Partnership".to_owned(),
            folder: "/acme".to_owned(),
            found: 47,
            new: vec![file("Contracts/Service_Contract.pdf")],
            changed: vec![file("Report.docx")],
            moved: vec![MovedDocument {
                document_id: id(),
                name: "b.txt".to_owned(),
                from: "/acme/a.txt".to_owned(),
                to: "/acme/sub/b.txt".to_owned(),
            }],
            unchanged: 43,
            summary: WorkSummary {
                chunks_embedded: 70,
                chunks_reused: 64,
                duration_ms: 2_000,
                ..WorkSummary::default()
            },
            ..SyncReport::default()
        }
    }

    #[test]
    fn a_sync_reports_every_file() {
        let gone = GoneDocument { document_id: id(), name: "old.txt".to_owned(), path: "/acme/old.txt".to_owned() };
        let text = report(&SyncReport { removed: vec![gone.clone()], ..sample() }, Reader::Assistant);
        assert_eq!(
            text,
            "Folder sync complete for Acme Corp Partnership\n\n  Folder:     /acme/\n  Found:      47 supported files\n  \
             New:        1 (ingested)\n  Changed:    1 (ingested again, replacing the earlier version)\n  Moved:      1 (kept \
             their IDs and embeddings under the new path)\n  Unchanged:  43\n  Removed:    1 (no longer on disk)\n  Failed:     \
             0\n  Chunks:     70 embedded, 64 kept unchanged\n  Duration:   2.0 seconds\n\n  New documents ingested:\n  - \
             Contracts/Service_Contract.pdf (12 pages, 67 chunks)\n\n  Changed documents ingested again:\n  - Report.docx (12 \
             pages, 67 chunks)\n\n  Moved:\n  - /acme/a.txt -> /acme/sub/b.txt\n\n  Removed from the collection:\n  - \
             /acme/old.txt\n\nThe collection is now up to date with the folder."
        );
        let kept = report(&SyncReport { missing: vec![gone], ..sample() }, Reader::Assistant);
        assert!(kept.contains("  Missing:    1 (no longer on disk, kept in the collection)\n"), "{kept}");
        assert!(kept.ends_with("(remove_deleted: true removes them)."), "{kept}");
    }

    #[test]
    fn a_removal_to_confirm_says_what_is_gone_and_how_to_confirm_it() {
        let gone = GoneDocument { document_id: id(), name: "old.txt".to_owned(), path: "/acme/old/old.txt".to_owned() };
        let withheld = WithheldRemoval {
            documents: 1,
            of: 47,
            folders: vec!["/acme/old".to_owned()],
            examples: vec![gone.path.clone()],
        };
        for dry_run in [false, true] {
            let held =
                SyncReport { missing: vec![gone.clone()], withheld: Some(withheld.clone()), dry_run, ..sample() };
            let text = report(&held, Reader::CommandLine);
            assert!(
                text.contains("  Missing:    1 (no longer on disk, kept until the removal is confirmed)\n"),
                "{text}"
            );
            assert!(text.contains("\n  Missing on disk:\n  - /acme/old/old.txt\n"), "{text}");
            assert!(
                text.contains("\nAll files of /acme/old are gone, so no document was removed (1 document would be).")
            );
            assert!(text.ends_with("run the sync with --remove-deleted --confirm-removal."), "{text}");
            let text = report(&held, Reader::Assistant);
            assert!(text.ends_with("set remove_deleted and confirm_removal to true."), "{text}");
        }
    }

    #[test]
    fn files_that_a_container_no_longer_holds_are_named_in_a_preview_too() {
        let member = FormerMember {
            document_id: id(),
            name: "00002-Rent.eml".to_owned(),
            path: "/acme/box.mbox/00002-Rent.eml".to_owned(),
            container: "/acme/box.mbox".to_owned(),
        };
        let removed = SyncReport { gone_members: vec![member.clone()], ..sample() };
        let text = report(&removed, Reader::CommandLine);
        assert!(text.contains("\n  No longer in box.mbox: 1 (removed)\n  - 00002-Rent.eml\n"), "{text}");
        let text = report(&SyncReport { dry_run: true, ..removed }, Reader::CommandLine);
        assert!(text.contains("\n  No longer in box.mbox: 1 (would be removed)\n"), "{text}");
        let text = report(&SyncReport { withheld_members: vec![member], ..sample() }, Reader::Assistant);
        assert!(text.ends_with("To remove them, call sync_folder with confirm_removal: true."), "{text}");
    }

    #[test]
    fn a_preview_says_that_nothing_was_changed() {
        let text = report(&SyncReport { dry_run: true, ..sample() }, Reader::Assistant);
        assert!(text.starts_with("Folder sync preview for Acme"), "{text}");
        assert!(text.contains("  New:        1 (would be ingested)\n"), "{text}");
        assert!(text.contains("\n  New files:\n  - Contracts/Service_Contract.pdf\n"), "{text}");
        assert!(text.ends_with("Nothing was changed. Call again without dry_run to do this."), "{text}");
        let empty = report(&SyncReport { dry_run: true, unchanged: 3, ..SyncReport::default() }, Reader::Assistant);
        assert!(empty.ends_with("The collection is up to date with the folder."), "{empty}");
    }
}
