//! Files on the disk, for people: readable sizes and times, in colour on terminals that show it.

use std::fmt::Write;

use casetrack_engine::files::{
    DuplicateReport, FileItem, FileRoot, FoundFiles, Indexed, Kind, LiveStage, LiveState, ScanReport, TimeField,
    UsageReport, WatchedFiles,
};

use crate::format::{bytes, counted, duration, entries, one_line, thousands};

/// Problems and names that a text lists at most.
const LISTED: usize = 5;
const BAR: usize = 20;

/// The colours of a terminal, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colors {
    Plain,
    Ansi,
}

impl Colors {
    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Ansi => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }

    fn folder(self, text: &str) -> String {
        self.paint("1;34", text)
    }

    fn size(self, text: &str) -> String {
        self.paint("32", text)
    }

    fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }
}

pub fn indexed(done: &Indexed) -> String {
    let ScanReport { files, folders, added, changed, moved, removed, elapsed_ms, .. } = &done.report;
    let mut text = format!(
        "Indexed {}: {} and {} in {}.\n",
        one_line(&done.root),
        counted(*files, "file"),
        counted(*folders, "folder"),
        duration(*elapsed_ms)
    );
    let counts: Vec<String> = [(added, "new"), (changed, "changed"), (moved, "moved"), (removed, "removed")]
        .into_iter()
        .filter(|(count, _)| **count > 0)
        .map(|(count, what)| format!("{} {what}", thousands(*count)))
        .collect();
    let _ = match counts.is_empty() {
        true => writeln!(text, "Nothing has changed since it was last indexed."),
        false => writeln!(text, "Since the last time: {}.", counts.join(", ")),
    };
    push_problems(&mut text, Some(&done.report));
    text
}

/// A list of files, one on a line: size, the requested time, path below the start.
pub fn found(found: &FoundFiles, time: TimeField, colors: Colors) -> String {
    let start = one_line(&found.start);
    let which = match time {
        TimeField::Modified => "",
        TimeField::Created => ", with the time of creation",
        TimeField::Accessed => ", with the time of the last access",
        TimeField::Changed => ", with the time of the last change of content, name or rights",
        TimeField::FirstSeen => ", with the time at which they were first seen",
    };
    let mut text = match found.files.len() {
        0 => format!("Nothing was found in {start}.\n"),
        count if found.has_more => format!("The first {} in {start}{which}:\n\n", thousands(count as u64)),
        count => format!("{} in {start}{which}:\n\n", thousands(count as u64)),
    };
    for file in &found.files {
        let size = file.size_bytes.map(bytes).unwrap_or_default();
        let time = match time {
            TimeField::Modified => Some(file.modified),
            TimeField::Created => file.created,
            TimeField::Accessed => Some(file.accessed),
            TimeField::Changed => Some(file.changed),
            TimeField::FirstSeen => Some(file.first_seen),
        };
        let time = time.map_or_else(|| format!("{:16}", "unknown"), |time| time.local());
        let time = colors.faint(&time);
        let _ = writeln!(text, "{}  {time}  {}", colors.size(&format!("{size:>11}")), name(file, &found.start, colors));
    }
    if found.has_more {
        text.push_str("\nThere are more: see them with --limit.\n");
    }
    push_source(&mut text, found.scan.as_ref(), found.live, NEW_ARE_MISSING);
    text
}

fn name(file: &FileItem, start: &str, colors: Colors) -> String {
    let below = file.path.strip_prefix(start).map(|rest| rest.trim_start_matches(std::path::MAIN_SEPARATOR));
    let name = one_line(below.unwrap_or(&file.path)).into_owned();
    match file.kind {
        Kind::Folder => colors.folder(&format!("{name}{}", std::path::MAIN_SEPARATOR)),
        Kind::Link => colors.paint("36", &name),
        _ => name,
    }
}

/// The space of the children of a folder, the largest first, with a bar for the share of each.
pub fn usage(report: &UsageReport, limit: usize, colors: Colors) -> String {
    let total = &report.total;
    let mut text = format!(
        "{} takes {} on disk ({} of content): {} and {}.\n\n",
        one_line(&report.start),
        bytes(total.allocated),
        bytes(total.bytes),
        counted(total.files, "file"),
        counted(total.folders, "folder")
    );
    for child in report.children.iter().take(limit) {
        let share = child.usage.allocated as f64 / total.allocated.max(1) as f64;
        let filled = (share * BAR as f64).round() as usize;
        let bar = format!("{}{}", "█".repeat(filled.min(BAR)), "·".repeat(BAR.saturating_sub(filled)));
        let name = one_line(&child.name);
        let name = match child.is_folder {
            true => colors.folder(&format!("{name}{}", std::path::MAIN_SEPARATOR)),
            false => name.into_owned(),
        };
        let size = format!("{:>11}", bytes(child.usage.allocated));
        let _ = writeln!(text, "{}  {} {:>5.1} %  {name}", colors.size(&size), colors.faint(&bar), share * 100.0);
    }
    if let Some(more) = report.children.len().checked_sub(limit).filter(|more| *more > 0) {
        let _ = writeln!(text, "\n… {} more: see them with --limit.", thousands(more as u64));
    }
    push_source(&mut text, report.scan.as_ref(), report.live, "files and sizes are as they were then");
    text
}

/// Groups of equal files, those first that would free most.
pub fn duplicates(report: &DuplicateReport, colors: Colors) -> String {
    let start = one_line(&report.start);
    let mut text = match report.group_count {
        0 => format!("No two files in {start} are equal.\n"),
        count => format!(
            "{} of equal files in {start}; the copies take {}.\n",
            counted(count, "group"),
            bytes(report.wasted_bytes)
        ),
    };
    for group in &report.groups {
        let size = colors.size(&bytes(group.size_bytes));
        let _ = writeln!(text, "\n{} of {size}:", counted(group.paths.len() as u64, "file"));
        for path in &group.paths {
            let _ = writeln!(text, "  {}", one_line(path));
        }
    }
    if report.group_count > report.groups.len() as u64 {
        text.push_str("\nThere are more: see them with --limit.\n");
    }
    for reason in report.unreadable.iter().take(LISTED) {
        let _ = writeln!(text, "Note: not compared: {}", one_line(reason));
    }
    if let Some(more) = report.unreadable.len().checked_sub(LISTED).filter(|more| *more > 0) {
        let _ = writeln!(text, "Note: {more} more could not be compared.");
    }
    push_source(&mut text, report.scan.as_ref(), report.live, NEW_ARE_MISSING);
    text
}

pub fn roots(roots: &[FileRoot], colors: Colors) -> String {
    if roots.is_empty() {
        return "No folder is indexed. Index one with `casetrack files index FOLDER`.\n".to_owned();
    }
    let mut text = String::new();
    for root in roots {
        let indexed = root.indexed.map_or_else(|| "in part only".to_owned(), |time| time.local());
        let _ = writeln!(
            text,
            "{}\n  {}, indexed {}",
            colors.folder(&one_line(&root.path)),
            entries(root.entries),
            colors.faint(&indexed)
        );
        if let Some(live) = &root.live {
            let _ = writeln!(text, "  {}", following(live));
        }
    }
    text
}

/// That a folder is live, or is not any more.
pub fn watched(done: &WatchedFiles) -> String {
    let root = one_line(&done.root);
    match &done.live {
        Some(live) => format!("{root}: {}\n", following(live)),
        None => format!("{root} is no longer followed.\n"),
    }
}

fn following(live: &LiveState) -> String {
    let why = live.why.as_deref().map(one_line).unwrap_or_default();
    match live.stage {
        LiveStage::Starting => "live when its first walk is done".to_owned(),
        LiveStage::Live => "live: its changes are followed".to_owned(),
        LiveStage::Walked => format!("not live, walked at each question: {why}"),
        LiveStage::Missing => format!("not live: {why} It is followed when it is back."),
    }
}

const NEW_ARE_MISSING: &str = "files that are new since then are missing";

/// Appends the basis of an answer: problems of the walk, or its absence though the folder is not live, and the consequence.
fn push_source(text: &mut String, scan: Option<&ScanReport>, live: bool, means: &str) {
    match scan {
        Some(_) => push_problems(text, scan),
        None if live => {}
        None => drop(writeln!(text, "\nNote: this is from the last walk; {means}.")),
    }
}

fn push_problems(text: &mut String, scan: Option<&ScanReport>) {
    let Some(scan) = scan.filter(|scan| scan.problem_count > 0) else { return };
    let _ = writeln!(text, "\nNote: {} could not be looked at:", thousands(scan.problem_count));
    for problem in scan.problems.iter().take(LISTED) {
        let _ = writeln!(text, "  {}: {}", one_line(&problem.path), one_line(&problem.reason));
    }
}

#[cfg(test)]
mod tests {
    use casetrack_engine::files::Time;

    use super::*;

    fn file(path: &str, kind: Kind, size_bytes: Option<u64>) -> FileItem {
        let time = Time { seconds: 0, nanoseconds: 0 };
        FileItem {
            path: path.to_owned(),
            kind,
            size_bytes,
            modified: time,
            created: None,
            accessed: time,
            changed: time,
            first_seen: time,
        }
    }

    #[test]
    fn files_are_listed_below_their_folder_and_names_stay_on_their_line() {
        let files = vec![file("/a/b\nc.txt", Kind::File, Some(1500)), file("/a/d", Kind::Folder, None)];
        let answer = FoundFiles { start: "/a".to_owned(), files, has_more: true, scan: None, live: false };
        let text = found(&answer, TimeField::Modified, Colors::Plain);
        assert!(text.contains("     1.5 kB  ") && text.contains("  b\\nc.txt\n") && text.contains("  d/\n"), "{text}");
        assert!(text.contains("--limit") && text.contains("from the last walk"), "{text}");
        assert!(
            !text.contains('\x1b')
                && super::found(&answer, TimeField::Modified, Colors::Ansi).contains("\x1b[1;34md/\x1b[0m")
        );
    }

    #[test]
    fn the_time_that_was_asked_for_is_shown() {
        let time = |days: i64| Time { seconds: 86_400 * days + 43_200, nanoseconds: 0 };
        let file = FileItem {
            modified: time(1),
            accessed: time(2),
            changed: time(3),
            first_seen: time(4),
            ..file("/a/b", Kind::File, Some(1))
        };
        let answer = FoundFiles { start: "/a".to_owned(), files: vec![file], has_more: false, scan: None, live: true };
        for (field, day) in [
            (TimeField::Modified, "1970-01-02"),
            (TimeField::Accessed, "1970-01-03"),
            (TimeField::Changed, "1970-01-04"),
            (TimeField::FirstSeen, "1970-01-05"),
            (TimeField::Created, "unknown           b"),
        ] {
            let text = found(&answer, field, Colors::Plain);
            assert!(text.contains(day), "{text}");
            assert_eq!(text.contains(", with the time "), field != TimeField::Modified, "{text}");
        }
    }

    #[test]
    fn what_is_from_the_last_walk_says_what_that_means() {
        let report = UsageReport {
            start: "/a".to_owned(),
            children: Vec::new(),
            total: Default::default(),
            scan: None,
            live: false,
        };
        assert!(usage(&report, 5, Colors::Plain).ends_with("last walk; files and sizes are as they were then.\n"));
        assert!(!usage(&UsageReport { live: true, ..report }, 5, Colors::Plain).contains("last walk"));
    }

    #[test]
    fn what_could_not_be_looked_at_is_named() {
        let problem = casetrack_engine::files::Problem { path: "/a/x".to_owned(), reason: "denied".to_owned() };
        let report = ScanReport { problem_count: 1, problems: vec![problem], ..ScanReport::default() };
        let text = indexed(&Indexed { root: "/a".to_owned(), report });
        assert!(text.contains("Nothing has changed") && text.contains("/a/x: denied"), "{text}");
    }
}
