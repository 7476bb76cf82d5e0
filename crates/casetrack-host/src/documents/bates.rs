//! The Bates numbers of a collection: those of each document, and the missing and repeated ones.

use std::collections::BTreeMap;

use casetrack_core::{BatesNumber, CollectionId, DocumentId, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::document_named;
use crate::Host;
use crate::paging::{Paging, Part};

/// Most gaps, and most repetitions, of an answer; their numbers count all.
const MOST: usize = 500;
const MOST_DOCUMENTS: usize = 20;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BatesReport {
    pub collection: String,
    pub documents: u64,
    pub pages: u64,
    /// Ranges of all documents, also those that are not listed.
    pub total: u64,
    /// By prefix and number.
    pub ranges: Vec<BatesRun>,
    /// Runs of numbers between the first and the last of a prefix that no page has, all of them, and the first 500.
    pub gap_count: u64,
    pub gaps: Vec<BatesGap>,
    /// Runs of numbers that several pages have, all of them, and the first 500.
    pub repeated_count: u64,
    pub repeated: Vec<BatesRepetition>,
    /// The offset to continue the ranges with; absent at their end.
    pub next_offset: Option<u64>,
}

/// Pages in a row of one document, whose numbers follow each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BatesRun {
    pub document_id: DocumentId,
    pub document_name: String,
    /// The first and the last number, as printed.
    pub first: String,
    pub last: String,
    pub first_page: u32,
    pub last_page: u32,
}

/// Numbers that no page has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BatesGap {
    pub first: String,
    pub last: String,
    pub count: u64,
    /// The documents that have the number before and the number after.
    pub after: String,
    pub before: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BatesRepetition {
    pub first: String,
    pub last: String,
    pub count: u64,
    /// The first documents that have them, at most 20; one document twice where two of its pages have the same number.
    pub documents: Vec<String>,
}

struct Run {
    document: DocumentId,
    name: String,
    first: BatesNumber,
    last: u64,
    pages: (u32, u32),
}

impl Run {
    /// Another number of its series, as it would be printed.
    fn printed(&self, number: u64) -> String {
        BatesNumber { number, ..self.first.clone() }.to_string()
    }
}

/// The ranges of Bates numbers of a collection's documents, or of one of them by name or id, and the gaps and repetitions among them.
/// Costs some 10 µs a page.
pub fn bates_numbers(host: &Host, id: CollectionId, document: Option<&str>, paging: Paging) -> Result<BatesReport> {
    let collection = host.collection(id)?;
    let wanted = document.map(|name| document_named(&collection, name)).transpose()?.map(|meta| meta.id);
    let mut by_series: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    let (mut documents, mut pages) = (0, 0);
    for entry in collection.catalogue()?.iter().filter(|entry| wanted.is_none_or(|id| id == entry.id)) {
        let numbers = collection.bates(entry.id)?;
        documents += u64::from(!numbers.is_empty());
        pages += numbers.len() as u64;
        for run in runs(entry.id, &entry.name, &numbers) {
            by_series.entry(run.first.series()).or_default().push(run);
        }
    }
    let (mut gaps, mut repeated, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
    for mut runs in by_series.into_values() {
        runs.sort_by(|a, b| {
            let key = |run: &Run| (run.first.number, run.last, run.name.to_lowercase(), run.pages);
            key(a).cmp(&key(b)).then_with(|| a.document.cmp(&b.document))
        });
        find_gaps(&runs, &mut gaps);
        find_repetitions(&runs, &mut repeated);
        ranges.extend(runs.into_iter().map(|run| BatesRun {
            last: run.printed(run.last),
            first: run.first.to_string(),
            document_id: run.document,
            document_name: run.name,
            first_page: run.pages.0,
            last_page: run.pages.1,
        }));
    }
    let (gap_count, repeated_count) = (gaps.len() as u64, repeated.len() as u64);
    gaps.truncate(MOST);
    repeated.truncate(MOST);
    let Part { items, total, next_offset } = paging.of(ranges);
    let collection = collection.meta().name.clone();
    Ok(BatesReport {
        collection,
        documents,
        pages,
        total,
        ranges: items,
        gap_count,
        gaps,
        repeated_count,
        repeated,
        next_offset,
    })
}

/// The runs of a document: its pages in a row that have numbers in a row, with the same prefix as printed.
fn runs(document: DocumentId, name: &str, numbers: &[(u32, String)]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (page, number) in numbers {
        let Ok(number) = number.parse::<BatesNumber>() else { continue };
        match runs.last_mut() {
            Some(run)
                if run.pages.1 + 1 == *page
                    && run.last.checked_add(1) == Some(number.number)
                    && run.first.prefix == number.prefix =>
            {
                (run.last, run.pages.1) = (number.number, *page);
            }
            _ => runs.push(Run {
                document,
                name: name.to_owned(),
                last: number.number,
                first: number,
                pages: (*page, *page),
            }),
        }
    }
    runs
}

/// The numbers between runs of one series, which are in order.
fn find_gaps(runs: &[Run], gaps: &mut Vec<BatesGap>) {
    let mut furthest: Option<&Run> = None;
    for run in runs {
        if let Some(before) = furthest.filter(|before| before.last < run.first.number.saturating_sub(1)) {
            let (first, last) = (before.last + 1, run.first.number - 1);
            gaps.push(BatesGap {
                first: before.printed(first),
                last: before.printed(last),
                count: last - first + 1,
                after: before.name.clone(),
                before: run.name.clone(),
            });
        }
        furthest = furthest.filter(|furthest| furthest.last >= run.last).or(Some(run));
    }
}

/// The numbers that several runs of one series have. The runs are in order. Time is in proportion to the runs, and to the pairs of them that
/// have numbers in common.
fn find_repetitions(runs: &[Run], repeated: &mut Vec<BatesRepetition>) {
    // Where the runs that have a number change: between two of these, they are the same.
    let mut bounds: Vec<u64> = runs.iter().flat_map(|run| [run.first.number, run.last.saturating_add(1)]).collect();
    bounds.sort_unstable();
    bounds.dedup();
    let mut begun = 0;
    let mut open: Vec<&Run> = Vec::new();
    for pair in bounds.windows(2) {
        let [from, to] = *pair else { continue };
        open.retain(|run| run.last >= from);
        while let Some(run) = runs.get(begun).filter(|run| run.first.number <= from) {
            open.push(run);
            begun += 1;
        }
        if let [first, _, ..] = open[..] {
            repeated.push(BatesRepetition {
                first: first.printed(from),
                last: first.printed(to - 1),
                count: to - from,
                documents: open.iter().take(MOST_DOCUMENTS).map(|run| run.name.clone()).collect(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(documents: &[(&str, &[(u32, &str)])]) -> Vec<Run> {
        let of_document = |(name, numbers): &(&str, &[(u32, &str)])| {
            let numbers: Vec<(u32, String)> = numbers.iter().map(|(page, number)| (*page, (*number).into())).collect();
            runs(DocumentId::random(), name, &numbers)
        };
        let mut runs: Vec<Run> = documents.iter().flat_map(of_document).collect();
        runs.sort_by_key(|run| (run.first.number, run.last));
        runs
    }

    #[test]
    fn pages_and_numbers_in_a_row_are_a_run() {
        let numbers = [(1, "SM0001"), (2, "SM0002"), (4, "SM0003"), (5, "SM-0004"), (6, "SM-0007")];
        let shown: Vec<(String, u64, (u32, u32))> =
            of(&[("a", &numbers)]).iter().map(|run| (run.first.to_string(), run.last, run.pages)).collect();
        let expected = [("SM0001", 2, (1, 2)), ("SM0003", 3, (4, 4)), ("SM-0004", 4, (5, 5)), ("SM-0007", 7, (6, 6))];
        assert_eq!(shown, expected.map(|(first, last, pages)| (first.to_owned(), last, pages)));
    }

    #[test]
    fn gaps_are_what_no_document_has() {
        let mut gaps = Vec::new();
        let (a, b) = ([(1, "SM0001"), (2, "SM0002"), (3, "SM0009")], [(1, "SM0005"), (2, "SM0006")]);
        find_gaps(&of(&[("a", &a), ("b", &b)]), &mut gaps);
        let shown: Vec<_> =
            gaps.iter().map(|gap| (&*gap.first, &*gap.last, gap.count, &*gap.after, &*gap.before)).collect();
        assert_eq!(shown, [("SM0003", "SM0004", 2, "a", "b"), ("SM0007", "SM0008", 2, "b", "a")]);
    }

    #[test]
    fn repetitions_are_what_several_pages_have() {
        let mut repeated = Vec::new();
        let a = [(1, "SM0001"), (2, "SM0002"), (3, "SM0003"), (4, "SM0004"), (5, "SM0004")];
        let b = [(1, "SM0003"), (2, "SM0004"), (3, "SM0005")];
        find_repetitions(&of(&[("a", &a), ("b", &b)]), &mut repeated);
        let shown: Vec<_> =
            repeated.iter().map(|run| (&*run.first, &*run.last, run.count, run.documents.len())).collect();
        assert_eq!(shown, [("SM0003", "SM0003", 1, 2), ("SM0004", "SM0004", 1, 3)]);
    }
}
