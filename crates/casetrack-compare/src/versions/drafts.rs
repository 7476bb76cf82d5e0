//! The order of the versions of a document: by their names, by their dates, else by likeness.

use schemars::JsonSchema;
use serde::Serialize;

use super::sketch::Sketch;
use casetrack_graph::VersionName;

/// By what versions are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DraftOrder {
    /// The versions that their names state: v1, v2, final.
    VersionInName,
    /// The dates in their names.
    DateInName,
    /// The times in the files at which they were last saved, made or sent.
    FileDate,
    /// Each next to the one that it is most like; either end may be the oldest.
    Similarity,
    /// By name, because nothing shows the older ones and the group is too large to compare all.
    Name,
}

/// A version to be ordered.
pub(super) struct Draft<'d> {
    pub name: &'d str,
    pub path: &'d str,
    /// The time at which it was last saved, made or sent, in ISO 8601, as the file states it.
    pub date: Option<&'d str>,
    pub sketch: &'d Sketch,
}

/// Most versions that are all compared with each other.
const MOST_COMPARED: usize = 500;

/// The order of some versions, as indexes, its basis, and the mark that each has for it.
pub(super) fn ordered(drafts: &[Draft<'_>]) -> (Vec<usize>, DraftOrder, Vec<Option<String>>) {
    let names: Vec<Option<VersionName>> = drafts.iter().map(|draft| VersionName::parse(stem(draft.name))).collect();
    let date = |name: &Option<VersionName>| name.as_ref().and_then(|name| name.marker.date().map(str::to_owned));
    let dates: Option<Vec<String>> = names.iter().map(date).collect();
    if let Some(dates) = dates.filter(|dates| differ(dates)) {
        return (by(&dates, drafts), DraftOrder::DateInName, dates.into_iter().map(Some).collect());
    }
    let have_one_base = names.windows(2).all(|two| match (&two[0], &two[1]) {
        (Some(a), Some(b)) => a.base == b.base,
        _ => false,
    });
    let stages: Option<Vec<_>> = names.iter().map(|name| Some(name.as_ref()?.marker.stage())).collect();
    if let Some(stages) = stages.filter(|stages| have_one_base && all_differ(stages)) {
        let said = names.iter().map(|name| name.as_ref().map(|name| name.marker.describe())).collect();
        return (by(&stages, drafts), DraftOrder::VersionInName, said);
    }
    let dates: Option<Vec<String>> = drafts.iter().map(|draft| draft.date.map(str::to_owned)).collect();
    if let Some(dates) = dates.filter(|dates| differ(dates)) {
        return (by(&dates, drafts), DraftOrder::FileDate, dates.into_iter().map(Some).collect());
    }
    let by_name = by(&vec![(); drafts.len()], drafts);
    let nothing = vec![None; drafts.len()];
    if drafts.len() > MOST_COMPARED {
        return (by_name, DraftOrder::Name, nothing);
    }
    (chain(drafts, &by_name), DraftOrder::Similarity, nothing)
}

/// A file name without its extension.
fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension)) if extension.contains(char::is_alphabetic) => stem,
        _ => name,
    }
}

fn differ<T: PartialEq>(values: &[T]) -> bool {
    values.windows(2).any(|two| two[0] != two[1])
}

fn all_differ<T: Ord + Clone>(values: &[T]) -> bool {
    let mut sorted = values.to_vec();
    sorted.sort();
    sorted.windows(2).all(|two| two[0] != two[1])
}

/// Indexes in the order of `keys`, equal ones by name and path.
fn by<K: Ord>(keys: &[K], drafts: &[Draft<'_>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..drafts.len()).collect();
    order.sort_by(|&a, &b| {
        let name = |at: usize| (drafts[at].name.to_lowercase(), drafts[at].path);
        keys[a].cmp(&keys[b]).then_with(|| name(a).cmp(&name(b)))
    });
    order
}

/// Starts with one of the two least similar drafts. Each next draft is the one that is most similar to the last.
fn chain(drafts: &[Draft<'_>], by_name: &[usize]) -> Vec<usize> {
    let similarity = |a: usize, b: usize| drafts[a].sketch.similarity(drafts[b].sketch);
    let mut ends = (f32::INFINITY, by_name[0]);
    for (number, &a) in by_name.iter().enumerate() {
        for &b in &by_name[number + 1..] {
            let alike = similarity(a, b);
            if alike < ends.0 {
                ends = (alike, a);
            }
        }
    }
    let mut left = by_name.to_vec();
    left.retain(|&at| at != ends.1);
    let mut order = vec![ends.1];
    let mut last = ends.1;
    while !left.is_empty() {
        let mut best = (f32::NEG_INFINITY, 0);
        for (place, &at) in left.iter().enumerate() {
            let alike = similarity(last, at);
            if alike > best.0 {
                best = (alike, place);
            }
        }
        last = left.remove(best.1);
        order.push(last);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::super::sketch::tests::{sketch, words};
    use super::*;

    fn order(versions: &[(&str, Option<&str>, u32)]) -> (Vec<String>, DraftOrder) {
        let sketches: Vec<Sketch> = versions.iter().map(|(_, _, from)| sketch(&words(*from..*from + 400))).collect();
        let drafts: Vec<Draft<'_>> = versions
            .iter()
            .zip(&sketches)
            .map(|((name, date, _), sketch)| Draft { name, path: name, date: *date, sketch })
            .collect();
        let (order, by, said) = ordered(&drafts);
        assert_eq!(said.len(), drafts.len());
        (order.into_iter().map(|at| versions[at].0.to_owned()).collect(), by)
    }

    #[test]
    fn names_say_the_order_before_dates_do() {
        let (names, by) = order(&[
            ("Lease v10.docx", Some("2020"), 0),
            ("Lease final.docx", Some("2019"), 0),
            ("Lease v2.docx", Some("2021"), 0),
            ("Lease draft.docx", None, 0),
        ]);
        assert_eq!(by, DraftOrder::VersionInName);
        assert_eq!(names, ["Lease draft.docx", "Lease v2.docx", "Lease v10.docx", "Lease final.docx"]);
        let (names, by) =
            order(&[("2024-03 Lease.txt", None, 0), ("Lease 2023-11-05.txt", None, 0), ("2024-03 B.txt", None, 0)]);
        assert_eq!((names[0].as_str(), by), ("Lease 2023-11-05.txt", DraftOrder::DateInName));
    }

    #[test]
    fn dates_of_files_are_next_and_then_likeness() {
        let (names, by) = order(&[("a.docx", Some("2021-02-01"), 0), ("b.docx", Some("2020-12-24T10:00:00Z"), 0)]);
        assert_eq!((names[0].as_str(), by), ("b.docx", DraftOrder::FileDate));
        let (names, by) =
            order(&[("a.txt", None, 100), ("b.txt", None, 0), ("c.txt", None, 200), ("d.txt", Some("2020"), 50)]);
        assert_eq!((names.concat().as_str(), by), ("b.txtd.txta.txtc.txt", DraftOrder::Similarity));
    }
}
