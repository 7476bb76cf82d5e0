//! Results of an ingestion, file by file.

use std::collections::BTreeMap;

use casetrack_core::remarks::SMALL_PICTURES;
use casetrack_core::{FileFormat, Hint, Notice};
use casetrack_engine::ingest::{FailedFile, FormerMember, IngestReport, IngestedDocument, SkipReason, SkippedFile};

use super::format::{counted, duration, one_line, push_fact, push_list, push_section, thousands};
use super::marks::{name, quote};
use crate::Reader;

/// How many items of each list are shown. Failures are cut last, since the user has to act on each.
const MAX_SUBFOLDERS: usize = 10;
const MAX_NEW: usize = 10;
pub(super) const MAX_FAILURES: usize = 100;
/// Of files that were skipped, for people: they look for those that they miss.
const MAX_SKIPPED: usize = 100;
/// Of the files that a container no longer holds.
const MAX_FORMER: usize = 20;

/// Ingestion of one file that did not fail.
pub fn document(report: &IngestReport, reader: Reader) -> String {
    let collection = one_line(&report.collection);
    if let Some(document) = report.ingested.first() {
        let mut text = ingested(document, &collection, reader);
        let mut former = String::new();
        push_former(&mut former, &report.gone_members, &report.withheld_members, false);
        if !former.is_empty() {
            text.push_str(&format!("\n{former}"));
        }
        text.push_str(&confirmation(&report.withheld_members, reader));
        return text + &notes(&report.summary.notices, reader);
    }
    let Some(skipped) = report.skipped.first() else {
        return format!("Nothing was ingested into {collection}.");
    };
    let mut text = format!("Skipped {}: {}\n", name(&skipped.relative_path), one_line(&skipped.detail));
    if let Some(id) = skipped.document_id {
        text.push_str(&format!("Existing document ID: {id}\n"));
    }
    text.push_str(&format!("{collection} was not changed."));
    text
}

fn ingested(document: &IngestedDocument, collection: &str, reader: Reader) -> String {
    let how = if document.replaced { "Ingested again (replacing the earlier version)" } else { "Ingested" };
    let mut text = format!("{how}: {} into {collection}\n\n", quote(&document.name));
    let unit = reader.pick("Chunks:", "Passages:");
    for (label, value) in [
        ("Pages:", thousands(document.pages.into())),
        (unit, thousands(document.chunks.into())),
        ("Type:", document.document_type.label().to_owned()),
        ("File:", name(&document.path).into_owned()),
        ("ID:", document.document_id.to_string()),
    ] {
        text.push_str(&format!("  {label:<0$} {value}\n", unit.len()));
    }
    let warnings = document.warnings.iter().map(|warning| one_line(warning).into_owned());
    push_section(&mut text, "Warnings", warnings, MAX_FAILURES);
    text.push_str("\nThe document is now searchable.");
    text
}

/// Notices in addition to the result, for the end of a text.
pub(super) fn notes(notices: &[Notice], reader: Reader) -> String {
    reader.notices(notices).iter().map(|notice| format!("\nNote: {}", one_line(notice))).collect()
}

/// Ingestion of a folder, shown under the name that was given.
pub fn folder(report: &IngestReport, folder: &str, reader: Reader) -> String {
    let skipped_for = |reason| report.skipped.iter().filter(|file| file.reason == reason).count() as u64;
    let unsupported = skipped_for(SkipReason::Unsupported);
    let denied = skipped_for(SkipReason::Denied);
    let updated = report.ingested.iter().filter(|document| document.replaced).count() as u64;
    let new = report.ingested.len() as u64 - updated;
    let existing = skipped_for(SkipReason::Unchanged) + skipped_for(SkipReason::Duplicate);

    let outcome = if report.summary.stopped.is_some() { "stopped early" } else { "complete" };
    let mut text = format!("Folder ingestion {outcome} for {}\n\n", one_line(&report.collection));
    let mut fact = |name: &str, value: &str| push_fact(&mut text, name, value);
    fact("Folder", &one_line(folder));
    fact("Subfolders", &subfolders(&report.subfolders));
    fact("Found", &counted(report.found.saturating_sub(unsupported), "supported file"));
    fact("New", &if new > 0 { format!("{} (ingested)", thousands(new)) } else { "0".to_owned() });
    if updated > 0 {
        fact("Updated", &format!("{} (ingested again, replacing the earlier version)", thousands(updated)));
    }
    fact(
        "Skipped",
        &match existing {
            0 => "0".to_owned(),
            existing => {
                let why =
                    reader.pick("already ingested, matching SHA256", "the collection has the same contents already");
                format!("{} ({why})", thousands(existing))
            }
        },
    );
    if unsupported > 0 {
        fact("Unsupported", &format!(" {} (formats that CaseTrack does not read)", thousands(unsupported)));
    }
    if denied > 0 {
        fact("Denied", &format!("{} (access not allowed)", thousands(denied)));
    }
    fact("Failed", &thousands(report.failed.len() as u64));
    fact("Duration", &duration(report.summary.duration_ms));

    let documents = |replaced: bool| {
        let documents = report.ingested.iter().filter(move |document| document.replaced == replaced);
        documents.map(|file| format!("{} ({})", name(&file.relative_path), reader.size(file.pages, file.chunks)))
    };
    push_section(&mut text, "New documents ingested", documents(false), MAX_NEW);
    push_section(&mut text, "Updated documents", documents(true), MAX_NEW);
    push_former(&mut text, &report.gone_members, &report.withheld_members, false);
    push_section(&mut text, "Failures", report.failed.iter().map(|failed| failure(failed, reader)), MAX_FAILURES);
    let skipped = |reason| report.skipped.iter().filter(move |file| file.reason == reason);
    // Assistants do not need the names of files that are already ingested.
    let unchanged = skipped(SkipReason::Unchanged).filter(|_| reader == Reader::CommandLine);
    let unchanged = unchanged.map(|file| name(&file.relative_path).into_owned());
    push_section(&mut text, "Unchanged", unchanged, max_skipped(reader));
    push_skipped(&mut text, reader, skipped(SkipReason::Duplicate), skipped(SkipReason::Unsupported));
    push_section(&mut text, "Denied", skipped(SkipReason::Denied).map(detail), MAX_NEW);
    let warnings = report.ingested.iter().flat_map(|document| warnings(&document.relative_path, &document.warnings));
    push_section(&mut text, "Warnings", warnings, MAX_FAILURES);
    text.push_str(&format!("\n{}{}", conclusion(report, reader), confirmation(&report.withheld_members, reader)));
    text.push_str(&notes(&report.summary.notices, reader));
    text
}

/// Appends the files that containers no longer hold, container by container.
pub(super) fn push_former(text: &mut String, gone: &[FormerMember], withheld: &[FormerMember], is_preview: bool) {
    let removed = if is_preview { "would be removed" } else { "removed" };
    for (members, outcome) in [(gone, removed), (withheld, "kept until the removal is confirmed")] {
        let mut containers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for member in members {
            containers.entry(&member.container).or_default().push(name(&member.name).into_owned());
        }
        for (container, names) in containers {
            let file = container.rsplit(std::path::is_separator).next().unwrap_or(container);
            text.push_str(&format!("\n  No longer in {}: {} ({outcome})\n", name(file), thousands(names.len() as u64)));
            push_list(text, names.into_iter(), MAX_FORMER);
        }
    }
    if !gone.is_empty() {
        text.push_str("  Their documents get their tags and fields again if they come back within 30 days.\n");
    }
}

/// How the removal of documents that were kept is confirmed; empty if none was.
pub(super) fn confirmation(withheld: &[FormerMember], reader: Reader) -> String {
    if withheld.is_empty() {
        return String::new();
    }
    let confirm = reader.pick(
        "call sync_folder with confirm_removal: true",
        "run `casetrack sync` on the folder with --confirm-removal",
    );
    format!(
        "\nMore than half of the documents of a mailbox or archive are gone at once, so they were kept. To remove them, {confirm}."
    )
}

fn max_skipped(reader: Reader) -> usize {
    if reader == Reader::CommandLine { MAX_SKIPPED } else { MAX_NEW }
}

fn detail(file: &SkippedFile) -> String {
    one_line(&file.detail).into_owned()
}

/// Appends the files whose contents the collection has, and those that cannot be read.
pub(super) fn push_skipped<'f>(
    text: &mut String,
    reader: Reader,
    duplicates: impl Iterator<Item = &'f SkippedFile>,
    unsupported: impl Iterator<Item = &'f SkippedFile>,
) {
    let duplicates = duplicates.map(|file| format!("{}: {}", name(&file.relative_path), one_line(&file.detail)));
    push_section(text, "Duplicates", duplicates, max_skipped(reader));
    let mut advice: Vec<&Hint> = Vec::new();
    let unsupported = unsupported.map(|file| {
        let line = match &file.container {
            Some(container) => reason(&file.relative_path, Some(container), &file.detail),
            None => detail(file),
        };
        // Once for all files that need the same.
        match file.hint.as_ref().filter(|hint| !advice.contains(hint)) {
            Some(hint) => {
                advice.push(hint);
                format!("{line} {}", one_line(&reader.hint(hint)))
            }
            None => line,
        }
    });
    push_section(text, "Unsupported", unsupported, max_skipped(reader));
}

/// Without the remarks about logos, of which a mailbox has thousands.
pub(super) fn warnings(file: &str, warnings: &[String]) -> impl Iterator<Item = String> {
    let shown = warnings.iter().filter(|warning| !warning.starts_with(SMALL_PICTURES));
    shown.map(move |warning| format!("{}: {}", name(file), one_line(warning)))
}

/// `4 (Contracts/, Reports/, Financials/, Correspondence/)`
fn subfolders(names: &[String]) -> String {
    if names.is_empty() {
        return "0".to_owned();
    }
    let mut shown: Vec<String> =
        names.iter().take(MAX_SUBFOLDERS).map(|folder| name(&format!("{folder}/")).into_owned()).collect();
    if names.len() > MAX_SUBFOLDERS {
        shown.push(format!("... {} more", thousands((names.len() - MAX_SUBFOLDERS) as u64)));
    }
    format!("{} ({})", thousands(names.len() as u64), shown.join(", "))
}

/// `Financials/corrupted.pdf: PDF parsing error …`
pub(super) fn failure(failed: &FailedFile, reader: Reader) -> String {
    let FailedFile { relative_path, container, problem, .. } = failed;
    let hint = reader.after(problem.hint.as_ref());
    let reason = reason(relative_path, container.as_deref(), &problem.message);
    let has_stop = reason.ends_with(['.', '!', '?']) || reason.ends_with(".)");
    let stop = if hint.is_empty() || has_stop { "" } else { "." };
    format!("{reason}{stop}{hint}")
}

/// Between the name of a file and the reason, in a message.
const UNREAD: &str = " could not be read: ";

/// A message about a file: one that begins with the file's name gets the whole path instead. A file inside another is named with it:
/// `winmail.dat in letter.eml is binary data …`
fn reason(relative_path: &str, container: Option<&str>, message: &str) -> String {
    let inside = container.and_then(|container| relative_path.strip_prefix(container)?.strip_prefix('/'));
    let path = match (inside, container) {
        (Some(member), Some(container)) => format!("{} in {}", name(member), name(container)),
        _ => name(relative_path).into_owned(),
    };
    let file = relative_path.rsplit(std::path::is_separator).next().unwrap_or_default();
    match message.strip_prefix(file) {
        Some(rest) if rest.starts_with(UNREAD) => format!("{path}: {}", one_line(&rest[UNREAD.len()..])),
        Some(rest) if rest.starts_with(' ') => format!("{path}{}", one_line(rest)),
        _ => format!("{path}: {}", one_line(message)),
    }
}

fn conclusion(report: &IngestReport, reader: Reader) -> String {
    let done = match report.ingested.len() as u64 {
        0 if report.found == 0 => {
            let formats: Vec<&str> = FileFormat::ALL.iter().map(|format| format.label()).collect();
            format!("No file of a supported format was found: {}.", formats.join(", "))
        }
        0 => "Nothing new was ingested.".to_owned(),
        1 => "The new document is now searchable.".to_owned(),
        count => format!("All {} new documents are now searchable.", thousands(count)),
    };
    let Some(stopped) = &report.summary.stopped else { return done };
    let hint = reader.after(stopped.hint.as_ref());
    format!("{done}\nNot all files were processed. {}{hint}", one_line(&stopped.message))
}

#[cfg(test)]
mod tests {
    use casetrack_core::{DocumentId, DocumentType};
    use casetrack_engine::ingest::{Problem, WorkSummary};

    use super::*;

    fn new(path: &str, pages: u32, chunks: u32) -> IngestedDocument {
        IngestedDocument {
            document_id: "d0c00001-0000-4000-8000-000000000001".parse::<DocumentId>().unwrap(),
            name: path.rsplit(std::path::is_separator).next().unwrap().to_owned(),
            relative_path: path.to_owned(),
            path: format!("/acme/{path}"),
            document_type: DocumentType::Contract,
            pages,
            chunks,
            replaced: false,
            warnings: Vec::new(),
        }
    }

    fn skipped(path: &str, reason: SkipReason) -> SkippedFile {
        let detail = match reason {
            SkipReason::Unsupported => format!("{path} is a film."),
            _ => "It was ingested before and has not changed.".to_owned(),
        };
        let (relative_path, path, container) = (path.to_owned(), path.to_owned(), None);
        SkippedFile { relative_path, path, reason, document_id: None, detail, container, hint: None }
    }

    fn problem(message: &str) -> Problem {
        Problem { code: "unreadable_file".to_owned(), message: message.to_owned(), hint: None }
    }

    fn failed(path: &str, message: &str) -> FailedFile {
        FailedFile { relative_path: path.to_owned(), path: path.to_owned(), container: None, problem: problem(message) }
    }

    #[test]
    fn a_folder_reads_as_in_the_specification() {
        let mut ingested = vec![
            new("Contracts/Vendor_Agreement.docx", 45, 234),
            new("Contracts/Service_Contract.pdf", 12, 67),
            new("Reports/Q3_Report.xlsx", 8, 42),
        ];
        ingested.extend((0..20).map(|i| new(&format!("Reports/{i}.txt"), 1, 1)));
        let report = IngestReport {
            collection: "Acme Corp Partnership".to_owned(),
            subfolders: ["Contracts", "Reports", "Financials", "Correspondence"].map(str::to_owned).to_vec(),
            found: 50,
            ingested,
            skipped: (0..25)
                .map(|i| skipped("a.pdf", if i < 22 { SkipReason::Unchanged } else { SkipReason::Unsupported }))
                .collect(),
            failed: vec![failed("Financials/corrupted.pdf", "PDF parsing error (file may be corrupted)")],
            gone_members: Vec::new(),
            withheld_members: Vec::new(),
            summary: WorkSummary { duration_ms: 252_000, ..WorkSummary::default() },
        };
        let expected = "Folder ingestion complete for Acme Corp Partnership\n\n  Folder:     ~/Projects/Acme/Documents/\n  \
            Subfolders: 4 (Contracts/, Reports/, Financials/, Correspondence/)\n  Found:      47 supported files\n  New:        \
            23 (ingested)\n  Skipped:    22 (already ingested, matching SHA256)\n  Unsupported: 3 (formats that CaseTrack does \
            not read)\n  Failed:     1\n  Duration:   4 minutes 12 seconds\n\n  New documents ingested:\n  - \
            Contracts/Vendor_Agreement.docx (45 pages, 234 chunks)\n  - Contracts/Service_Contract.pdf (12 pages, 67 chunks)\n  - \
            Reports/Q3_Report.xlsx (8 pages, 42 chunks)\n  - Reports/0.txt (1 page, 1 chunk)\n  - Reports/1.txt (1 page, 1 \
            chunk)\n  - Reports/2.txt (1 page, 1 chunk)\n  - Reports/3.txt (1 page, 1 chunk)\n  - Reports/4.txt (1 page, 1 \
            chunk)\n  - Reports/5.txt (1 page, 1 chunk)\n  - Reports/6.txt (1 page, 1 chunk)\n  ... 13 more\n\n  Failures:\n  - \
            Financials/corrupted.pdf: PDF parsing error (file may be corrupted)\n\n  Unsupported:\n  - a.pdf is a film.\n  - \
            a.pdf is a film.\n  - a.pdf is a film.\n\nAll 23 new documents are now searchable.";
        assert_eq!(folder(&report, "~/Projects/Acme/Documents/", Reader::Assistant), expected);
    }

    #[test]
    fn people_see_which_files_were_skipped() {
        let report = IngestReport {
            skipped: (0..120).map(|i| skipped(&format!("{i}.pdf"), SkipReason::Unchanged)).collect(),
            ..IngestReport::default()
        };
        let text = folder(&report, "/a", Reader::CommandLine);
        assert!(text.contains("  Unchanged:\n  - 0.pdf\n  - 1.pdf\n"), "{text}");
        assert!(text.contains("  - 99.pdf\n  ... 20 more\n") && !text.contains("- 100.pdf"), "{text}");
        assert!(!folder(&report, "/a", Reader::Assistant).contains("Unchanged"));
    }

    #[test]
    fn a_folder_without_anything_to_read_says_which_formats_there_are() {
        let text = folder(&IngestReport::default(), "/tmp/photos/", Reader::Assistant);
        assert!(
            text.contains("  Folder:     /tmp/photos/\n  Subfolders: 0\n  Found:      0 supported files\n"),
            "{text}"
        );
        assert!(text.contains("No file of a supported format was found: PDF, DOCX,"), "{text}");
    }

    #[test]
    fn a_job_that_stopped_early_says_so_first_and_why() {
        let report = IngestReport {
            found: 2,
            ingested: vec![new("a.txt", 1, 1)],
            summary: WorkSummary {
                stopped: Some(problem("Disk full while working on /data")),
                ..WorkSummary::default()
            },
            ..IngestReport::default()
        };
        let text = folder(&report, "/a", Reader::Assistant);
        assert!(text.starts_with("Folder ingestion stopped early"), "{text}");
        assert!(
            text.ends_with("is now searchable.\nNot all files were processed. Disk full while working on /data"),
            "{text}"
        );
    }

    #[test]
    fn files_that_a_container_no_longer_holds_are_named() {
        let member = |name: &str| FormerMember {
            document_id: new("a", 1, 1).document_id,
            name: name.to_owned(),
            path: format!("/m/box.mbox/{name}"),
            container: "/m/box.mbox".to_owned(),
        };
        let report = IngestReport { gone_members: vec![member("00002-Rent.eml")], ..IngestReport::default() };
        let text = folder(&report, "/m", Reader::CommandLine);
        assert!(text.contains("\n  No longer in box.mbox: 1 (removed)\n  - 00002-Rent.eml\n"), "{text}");
        assert!(text.contains("within 30 days") && !text.contains("--confirm-removal"), "{text}");
        let report = IngestReport { withheld_members: vec![member("00002-Rent.eml")], ..IngestReport::default() };
        let text = folder(&report, "/m", Reader::CommandLine);
        assert!(text.contains("\n  No longer in box.mbox: 1 (kept until the removal is confirmed)\n"), "{text}");
        assert!(text.ends_with("with --confirm-removal."), "{text}");
        let mut report = IngestReport { ingested: vec![new("box.mbox", 1, 1)], ..report };
        assert!(document(&report, Reader::Assistant).ends_with("confirm_removal: true."));
        report.withheld_members.clear();
        assert!(document(&report, Reader::Assistant).ends_with("now searchable."));
    }

    #[test]
    fn a_failure_names_the_file_once() {
        let mut scan = failed("site/scan.pdf", "scan.pdf is a scan without a text layer.");
        scan.problem.hint = Some("Recognise its text first.".into());
        assert_eq!(
            failure(&scan, Reader::Assistant),
            "site/scan.pdf is a scan without a text layer. Recognise its text first."
        );
        assert_eq!(failure(&failed("a/b.pdf", "b.pdfx is odd"), Reader::Assistant), "a/b.pdf: b.pdfx is odd");
        let mut locked = failed("a.pdf", "a.pdf could not be read: permission denied (os error 13)");
        locked.problem.hint = Some("Allow it to be read.".into());
        assert_eq!(failure(&locked, Reader::Assistant), "a.pdf: permission denied (os error 13). Allow it to be read.");
    }

    #[test]
    fn a_file_inside_another_is_named_with_it() {
        let member = "mail/letter.eml/winmail.dat";
        let container = Some("mail/letter.eml".to_owned());
        let file = SkippedFile {
            detail: "winmail.dat is binary data of an unknown type.".to_owned(),
            container: container.clone(),
            ..skipped(member, SkipReason::Unsupported)
        };
        let failed = FailedFile { container, ..failed(member, "The file is damaged.") };
        let report = IngestReport { skipped: vec![file], failed: vec![failed], ..IngestReport::default() };
        let text = folder(&report, "/m", Reader::CommandLine);
        assert!(text.contains("  - winmail.dat in mail/letter.eml is binary data of an unknown type.\n"), "{text}");
        assert!(text.contains("  - winmail.dat in mail/letter.eml: The file is damaged.\n"), "{text}");
    }

    #[test]
    fn advice_about_files_that_are_not_read_is_given_once() {
        let photo =
            |path: &str, hint: &str| SkippedFile { hint: Some(hint.into()), ..skipped(path, SkipReason::Unsupported) };
        let skipped = vec![
            photo("a.heic", "Save it as JPEG."),
            photo("b.heic", "Save it as JPEG."),
            photo("c.djvu", "Convert it to PDF."),
        ];
        let report = IngestReport { skipped, ..IngestReport::default() };
        for reader in [Reader::CommandLine, Reader::Assistant] {
            let text = folder(&report, "/a", reader);
            let list = "  - a.heic is a film. Save it as JPEG.\n  - b.heic is a film.\n  - c.djvu is a film. Convert it to PDF.\n";
            assert!(text.contains(list), "{text}");
        }
    }

    #[test]
    fn one_document_is_described_with_its_warnings() {
        let mut ingested = new("Vendor_Agreement.docx", 45, 1234);
        ingested.warnings = vec!["Page 3 has no text layer.".to_owned()];
        let report = IngestReport {
            collection: "Acme".to_owned(),
            found: 1,
            ingested: vec![ingested],
            ..IngestReport::default()
        };
        assert_eq!(
            document(&report, Reader::Assistant),
            "Ingested: \"Vendor_Agreement.docx\" into Acme\n\n  Pages:  45\n  Chunks: 1,234\n  Type:   Contract\n  File:   \
             /acme/Vendor_Agreement.docx\n  ID:     d0c00001-0000-4000-8000-000000000001\n\n  Warnings:\n  - Page 3 has no text \
             layer.\n\nThe document is now searchable."
        );
    }

    #[test]
    fn a_skipped_document_names_the_one_it_equals() {
        let mut duplicate = skipped("copy.pdf", SkipReason::Duplicate);
        duplicate.detail = "same content as Vendor_Agreement.pdf (matching SHA256)".to_owned();
        duplicate.document_id = Some(new("a", 1, 1).document_id);
        let report =
            IngestReport { collection: "Acme".to_owned(), skipped: vec![duplicate], ..IngestReport::default() };
        assert_eq!(
            document(&report, Reader::Assistant),
            "Skipped copy.pdf: same content as Vendor_Agreement.pdf (matching SHA256)\nExisting document ID: \
             d0c00001-0000-4000-8000-000000000001\nAcme was not changed."
        );
    }
}
