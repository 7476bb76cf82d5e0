//! Counts of search terms, as text and as CSV.

use casetrack_engine::terms::{TermReport, TermRow};

use super::format::{counted, one_line, push_notices, shorten, thousands, trimmed};
use super::marks::name;
use crate::Reader;

/// Longest term repeated in a row, in characters.
const MAX_TERM_CHARS: usize = 60;

/// Totals first, then the documents with hits.
pub fn report(report: &TermReport, reader: Reader) -> String {
    let mut text = format!(
        "Collection: {} | {}, {} searched\n{} with hits, {} without | {} with hits\n",
        one_line(&report.collection),
        counted(report.documents, "document"),
        counted(report.chunks, "chunk"),
        counted(report.documents_with_hits, "document"),
        thousands(report.documents_without_hits),
        counted(report.passages_with_hits, "passage"),
    );
    push_notices(&mut text, &reader.notices(&report.notices));
    text.push_str("\nTerms:\n");
    for total in &report.terms {
        let found = match &total.problem {
            Some(problem) => format!("not searched. {}", one_line(problem)),
            None => {
                let whole = total.whole_documents.map(|whole| format!("; {}", counted(whole, "whole document")));
                let documents = counted(total.documents, "document");
                format!("{documents}, {}{}", counted(total.passages, "passage"), whole.unwrap_or_default())
            }
        };
        text.push_str(&format!("{}. {}: {found}\n", total.number, one_line(&total.term)));
    }
    if !report.rows.is_empty() {
        text.push_str("\nDocuments, with the passages that have each term:\n");
    }
    for row in &report.rows {
        text.push_str(&format!("{}: {}\n", name(&row.document_name), counts(report, row)));
    }
    let mut text = trimmed(text);
    reader.push_more(&mut text, report.documents_with_hits, report.next_offset);
    text
}

fn counts(report: &TermReport, row: &TermRow) -> String {
    let term = |number: u32| report.terms.get(number as usize - 1).map_or("", |total| total.term.as_str());
    let counts = row.passages.iter().map(|(number, passages)| {
        let term = one_line(&shorten(term(*number), MAX_TERM_CHARS)).into_owned();
        format!("{term} {}", thousands(*passages))
    });
    counts.collect::<Vec<_>>().join(", ")
}

/// One line for each document with hits, and a column for each term.
pub fn csv(report: &TermReport) -> String {
    let header = std::iter::once("document").chain(report.terms.iter().map(|total| total.term.as_str()));
    let mut csv = header.map(cell).collect::<Vec<_>>().join(",");
    csv.push('\n');
    for row in &report.rows {
        let count = |number: u32| row.passages.get(&number).copied().unwrap_or_default().to_string();
        let cells =
            std::iter::once(cell(&row.document_name)).chain(report.terms.iter().map(|total| count(total.number)));
        csv.push_str(&cells.collect::<Vec<_>>().join(","));
        csv.push('\n');
    }
    csv
}

/// A cell of a CSV file (RFC 4180). One that a spreadsheet would take for a formula begins with an apostrophe.
fn cell(text: &str) -> String {
    let formula = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{formula}{}\"", text.replace('"', "\"\"")),
        false => format!("{formula}{text}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use casetrack_engine::terms::TermTotal;

    use super::*;

    fn sample() -> TermReport {
        let total = |number, term: &str, documents, passages| TermTotal {
            number,
            term: term.to_owned(),
            documents,
            passages,
            whole_documents: (number == 2).then_some(3),
            problem: None,
        };
        let row = |name: &str, passages: &[(u32, u64)]| TermRow {
            document_name: name.to_owned(),
            passages: passages.iter().copied().collect::<BTreeMap<_, _>>(),
        };
        TermReport {
            collection: "Flat".into(),
            documents: 5,
            chunks: 20,
            terms: vec![total(1, "terminat*", 2, 4), total(2, "=rent, \"late\"", 1, 1), total(3, "x", 0, 0)],
            documents_with_hits: 2,
            documents_without_hits: 3,
            passages_with_hits: 5,
            notices: vec!["Counts are of passages.".into()],
            rows: vec![row("Lease.txt", &[(1, 3)]), row("Side Letter.txt", &[(1, 1), (2, 1)])],
            next_offset: None,
        }
    }

    #[test]
    fn totals_come_before_documents() {
        let expected = "Collection: Flat | 5 documents, 20 chunks searched\n2 documents with hits, 3 without | 5 passages with hits\n\
            Note: Counts are of passages.\n\nTerms:\n1. terminat*: 2 documents, 4 passages\n2. =rent, \"late\": 1 document, 1 passage; 3 whole documents\n3. x: \
            0 documents, 0 passages\n\nDocuments, with the passages that have each term:\nLease.txt: terminat* 3\n\"Side \
            Letter.txt\": terminat* 1, =rent, \"late\" 1";
        assert_eq!(report(&sample(), Reader::Assistant), expected);
        let part = TermReport { next_offset: Some(1), ..sample() };
        assert!(report(&part, Reader::Assistant).ends_with("\n\n… 1 more: call again with offset 1."));
    }

    #[test]
    fn csv_has_a_column_for_each_term_and_no_formulas() {
        let expected = "document,terminat*,\"'=rent, \"\"late\"\"\",x\nLease.txt,3,0,0\nSide Letter.txt,1,1,0\n";
        assert_eq!(csv(&sample()), expected);
    }
}
