//! The Bates numbers of a collection.

use std::fmt::Write;

use casetrack_engine::bates::BatesReport;

use super::format::{counted, one_line, thousands, trimmed};
use super::marks::name;
use crate::Reader;

pub fn list(report: &BatesReport, reader: Reader) -> String {
    let mut text = format!(
        "Bates numbers of {}: {} in {}, {}\n",
        one_line(&report.collection),
        counted(report.pages, "page"),
        counted(report.documents, "document"),
        counted(report.total, "range"),
    );
    if report.total == 0 {
        text.push_str("\nNo page has a Bates number. Documents that were ingested by an earlier version show theirs after a reindex.");
        return text;
    }
    for run in &report.ranges {
        let pages = match run.first_page == run.last_page {
            true => format!("p. {}", run.first_page),
            false => format!("pp. {}-{}", run.first_page, run.last_page),
        };
        let numbers = numbers(&run.first, &run.last);
        let _ = write!(text, "\n  {numbers}  {}, {pages}", name(&run.document_name));
    }
    let _ = write!(text, "\n\nMissing: {}", counted_or_none(report.gap_count, "gap"));
    for gap in &report.gaps {
        let _ = write!(
            text,
            "\n  {}  {}, between {} and {}",
            numbers(&gap.first, &gap.last),
            counted(gap.count, "number"),
            name(&gap.after),
            name(&gap.before)
        );
    }
    push_rest(&mut text, report.gap_count, report.gaps.len());
    let _ = write!(text, "\n\nOn several pages: {}", counted_or_none(report.repeated_count, "run"));
    for run in &report.repeated {
        let documents: Vec<String> = run.documents.iter().map(|document| name(document).to_string()).collect();
        let _ = write!(text, "\n  {}  {}", numbers(&run.first, &run.last), documents.join(", "));
    }
    push_rest(&mut text, report.repeated_count, report.repeated.len());
    let mut text = trimmed(text);
    reader.push_more(&mut text, report.total, report.next_offset);
    text
}

fn numbers(first: &str, last: &str) -> String {
    let (first, last) = (one_line(first), one_line(last));
    if first == last { first.into_owned() } else { format!("{first} to {last}") }
}

fn counted_or_none(count: u64, noun: &str) -> String {
    if count == 0 { "none".to_owned() } else { counted(count, noun) }
}

fn push_rest(text: &mut String, count: u64, shown: usize) {
    let more = count.saturating_sub(shown as u64);
    if more > 0 {
        let _ = write!(text, "\n  and {} more", thousands(more));
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::DocumentId;
    use casetrack_engine::bates::{BatesGap, BatesRepetition, BatesRun};

    use super::*;

    #[test]
    fn ranges_gaps_and_repetitions_are_listed() {
        let run = |name: &str, first: &str, last: &str, first_page, last_page| BatesRun {
            document_id: DocumentId::from_bytes([7; 16]),
            document_name: name.to_owned(),
            first: first.to_owned(),
            last: last.to_owned(),
            first_page,
            last_page,
        };
        let mut report = BatesReport {
            collection: "Smith".into(),
            documents: 2,
            pages: 4,
            total: 2,
            ranges: vec![run("a.pdf", "SM0001", "SM0003", 1, 3), run("b.pdf", "SM0006", "SM0006", 2, 2)],
            gap_count: 1,
            gaps: vec![BatesGap {
                first: "SM0004".into(),
                last: "SM0005".into(),
                count: 2,
                after: "a.pdf".into(),
                before: "b.pdf".into(),
            }],
            repeated_count: 2,
            repeated: vec![BatesRepetition {
                first: "SM0002".into(),
                last: "SM0002".into(),
                count: 1,
                documents: vec!["a.pdf".into(), "b.pdf".into()],
            }],
            next_offset: None,
        };
        let text = list(&report, Reader::CommandLine);
        for part in [
            "Bates numbers of Smith: 4 pages in 2 documents, 2 ranges\n",
            "SM0001 to SM0003  ",
            "a.pdf",
            "pp. 1-3",
            "Missing: 1 gap\n  SM0004 to SM0005  2 numbers, between ",
            "On several pages: 2 runs\n  SM0002  ",
            "and 1 more",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        report.total = 0;
        assert!(list(&report, Reader::Assistant).contains("No page has a Bates number."));
    }
}
