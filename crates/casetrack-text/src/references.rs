//! References and their citations.

use casetrack_engine::briefing::{CitationsReport, ReferenceListReport, ReferenceView};

use super::entities::quoted;
use super::format::{counted, one_line, push_notices, shorten, trimmed};
use super::marks::name;
use super::sources::Sources;

/// Longest name that is shown, in characters.
const NAME_CHARS: usize = 160;

pub fn list(report: &ReferenceListReport) -> String {
    let list = &report.list;
    let mut text = format!("{} in {}", counted(list.total, "reference"), one_line(&report.collection));
    if (list.references.len() as u64) < list.total {
        text.push_str(&format!(", showing {}", list.references.len()));
    }
    text.push_str(":\n");
    push_notices(&mut text, &report.notices);
    for (n, reference) in (1..).zip(&list.references) {
        text.push_str(&format!("\n  {n}. {} ({})", cited(reference), reference.kind.label()));
    }
    if list.references.is_empty() {
        text.push_str("\nNo references were found.");
    }
    trimmed(text)
}

/// `ISO 27001 -- 47 references across 15 documents`
pub(super) fn cited(reference: &ReferenceView) -> String {
    let resolved =
        reference.resolved.as_ref().map_or_else(String::new, |document| format!(" = {}", name(&document.name)));
    format!(
        "{}{resolved} -- {} across {}",
        shorten(&reference.name, NAME_CHARS),
        counted(reference.citations, "reference"),
        counted(reference.documents, "document"),
    )
}

pub fn citations(report: &CitationsReport) -> String {
    let reference = &report.reference;
    let mut text = format!(
        "Citations of {} ({}), showing {}:\n",
        cited(reference),
        reference.kind.label(),
        counted(report.citations.len() as u64, "passage"),
    );
    push_notices(&mut text, &report.notices);
    let mut sources = Sources::default();
    for (n, citation) in (1..).zip(&report.citations) {
        let relation = citation.relation.map_or(String::new(), |relation| format!("[{}] ", relation.label()));
        text.push_str(&format!("\n  {n}. {relation}{}\n", quoted(&citation.snippet, &mut sources)));
    }
    trimmed(text) + &sources.legend()
}
