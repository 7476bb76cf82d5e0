//! Tags and fields that the user set on documents.

use casetrack_core::marks::Marks;
use casetrack_engine::marking::MarkReport;

use super::format::{counted, one_line, thousands, trimmed};
use super::marks::{name, quote};

/// `Tags: hot, privileged | custodian=Smith`.
pub fn marks(marks: &Marks) -> String {
    let mut parts = Vec::new();
    if !marks.tags.is_empty() {
        let tags: Vec<String> = marks.tags.iter().map(|tag| name(tag).into_owned()).collect();
        parts.push(format!("Tags: {}", tags.join(", ")));
    }
    parts.extend(marks.fields.iter().map(|(field, value)| format!("{}={}", name(field), quote(value))));
    parts.join(" | ")
}

pub fn report(report: &MarkReport) -> String {
    let mut text = format!(
        "Changed {} of {}; {} had these marks already.\n",
        counted(report.changed, "document"),
        one_line(&report.collection),
        thousands(report.unchanged),
    );
    for document in &report.documents {
        let marks = if document.marks.is_empty() { "no marks".to_owned() } else { self::marks(&document.marks) };
        text.push_str(&format!("\n  {}: {marks}", name(&document.document_name)));
    }
    let listed = report.documents.len() as u64;
    if let Some(more) = (report.changed + report.unchanged).checked_sub(listed).filter(|&more| more > 0) {
        text.push_str(&format!("\n  … {} more", thousands(more)));
    }
    if !report.problems.is_empty() {
        text.push_str("\n\nLeft out:");
        report.problems.iter().for_each(|problem| text.push_str(&format!("\n  - {}", one_line(problem))));
    }
    trimmed(text)
}

#[cfg(test)]
mod tests {
    use casetrack_engine::marking::MarkedDocument;

    use super::*;

    #[test]
    fn marks_and_what_was_left_out_are_shown() {
        let mut marked = Marks::default();
        marked.add_tag("key document").unwrap();
        marked.add_tag("hot").unwrap();
        marked.set_field("custodian", "Ann Lee").unwrap();
        let document = |document_name: &str, marks| MarkedDocument { document_name: document_name.to_owned(), marks };
        let changed = MarkReport {
            collection: "Flat".into(),
            changed: 1,
            unchanged: 2,
            documents: vec![document("a.pdf", marked), document("b.pdf", Marks::default())],
            problems: vec!["Line 3: Document not found: \"c.pdf\".".into()],
        };
        let expected = "Changed 1 document of Flat; 2 had these marks already.\n\n  a.pdf: Tags: hot, \"key document\" | custodian=\"Ann \
            Lee\"\n  b.pdf: no marks\n  … 1 more\n\nLeft out:\n  - Line 3: Document not found: \"c.pdf\".";
        assert_eq!(report(&changed), expected);
    }
}
