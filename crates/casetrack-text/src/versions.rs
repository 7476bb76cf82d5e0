//! Documents that are versions of one another.

use std::fmt::Write;

use casetrack_engine::versions::{DocumentVersion, DraftOrder, VersionGroup, VersionReport};

use super::format::{counted, one_line, push_notices, thousands, trimmed};
use super::marks::name;
use crate::Reader;

/// `offset` is the start of the shown part.
pub fn list(report: &VersionReport, offset: u32, reader: Reader) -> String {
    let mut text = format!(
        "Versions in {}: {}, {} of {}\nA group shares at least {:.0} % of its three-word sequences\n",
        one_line(&report.collection),
        counted(report.total, "group"),
        thousands(report.in_groups),
        counted(report.documents, "document"),
        100.0 * report.min_similarity,
    );
    if report.too_short > 0 {
        let _ = writeln!(text, "Not compared, with next to no text: {}", counted(report.too_short, "document"));
    }
    push_notices(&mut text, &report.notices);
    for (group, number) in report.groups.iter().zip(u64::from(offset) + 1..) {
        push_group(&mut text, number, group);
    }
    if report.total == 0 {
        text.push_str("\nNo two documents are that similar.");
    }
    let mut text = trimmed(text);
    reader.push_more(&mut text, report.total, report.next_offset);
    text
}

fn push_group(text: &mut String, number: u64, group: &VersionGroup) {
    let order = match group.ordered_by {
        DraftOrder::VersionInName => "in the order of the versions in their names",
        DraftOrder::DateInName => "in the order of the dates in their names",
        DraftOrder::FileDate => "in the order of the dates that the files state",
        DraftOrder::Similarity => "each next to the most similar one; which is older is not known",
        DraftOrder::Name => "by name; which is older is not known",
    };
    let _ = writeln!(text, "\n{number}. {}, {order}", counted(group.total, "document"));
    for version in &group.versions {
        let _ = writeln!(text, "   {}", one_version(version));
    }
    if let Some(more) = group.total.checked_sub(group.versions.len() as u64).filter(|more| *more > 0) {
        let _ = writeln!(text, "   … {} more", thousands(more));
    }
}

fn one_version(version: &DocumentVersion) -> String {
    let DocumentVersion { document_name, path, version, similarity, same_text, changes } = version;
    let mut line = name(document_name).into_owned();
    if let Some(path) = path {
        let _ = write!(line, " ({})", name(path));
    }
    if let Some(version) = version {
        let _ = write!(line, ", {}", one_line(version));
    }
    match (same_text, similarity) {
        (true, _) => line.push_str(": the same words as the one before"),
        (false, Some(similarity)) => {
            let _ = write!(line, ": similarity {similarity:.2}");
            if let Some(changes) = changes {
                let _ = write!(line, ", {} from the one before", counted(*changes, "change"));
            }
        }
        (false, None) => {}
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_say_their_order_and_what_lies_between_versions() {
        let version = |name: &str, similarity, same_text, changes| DocumentVersion {
            document_name: name.to_owned(),
            path: None,
            version: None,
            similarity,
            same_text,
            changes,
        };
        let versions = vec![
            version("a v1.docx", None, false, None),
            version("a_v2.docx", Some(0.934), false, Some(1)),
            version("a_v3.pdf", Some(1.0), true, Some(0)),
        ];
        let report = VersionReport {
            collection: "Acme".to_owned(),
            documents: 1_200,
            too_short: 2,
            min_similarity: 0.3,
            total: 4,
            in_groups: 17,
            groups: vec![VersionGroup { ordered_by: DraftOrder::VersionInName, total: 9, versions }],
            next_offset: Some(1),
            notices: Vec::new(),
        };
        let text = list(&report, 0, Reader::Assistant);
        let expected = "Versions in Acme: 4 groups, 17 of 1,200 documents\nA group shares at least 30 % of its \
            three-word sequences\nNot compared, with next to no text: 2 documents\n\n1. 9 documents, in the order of the versions in their \
            names\n   \"a v1.docx\"\n   a_v2.docx: similarity 0.93, 1 change from the one before\n   a_v3.pdf: the same words as the one \
            before\n   … 6 more\n\n… 3 more: call again with offset 1.";
        assert_eq!(text, expected);
    }
}
