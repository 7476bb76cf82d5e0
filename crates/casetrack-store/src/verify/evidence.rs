//! A check that the evidence that users collected is still in its documents.

use casetrack_core::Result;

use super::{Check, Documents, Findings, damage};
use crate::reader::Reader;
use crate::records::DocumentRecord;

/// A passage whose document was read again since or has gone is no problem: lists of evidence show it. Any other must be on its page.
pub(super) fn check(reader: &Reader<'_>, documents: &Documents) -> Result<Check> {
    let mut findings = Findings::new(
        "evidence",
        "Every passage collected as evidence is on its page, if its document was not read again since.",
    );
    let tray = match damage(reader.evidence())? {
        Ok(tray) => tray,
        Err(error) => {
            findings.problem(error.message);
            return Ok(findings.finish());
        }
    };
    findings.check.checked = tray.items.len() as u64;
    if let Err(error) = tray.check() {
        findings.problem(error.message);
    }
    let mut last = None;
    for item in &tray.items {
        let is_same =
            |record: &&DocumentRecord| record.meta.sha256 == item.sha256 && record.meta.ingested_at <= item.added_at;
        let Some(document) = documents.get(&item.document).filter(is_same) else { continue };
        let place = (item.document, item.page);
        // Passages of a page often follow each other.
        if last.as_ref().is_none_or(|(known, _)| *known != place) {
            let page = damage(reader.page(item.document, item.page))?.ok().flatten();
            last = Some((place, page.map(|page| page.text)));
        }
        let text = last.as_ref().and_then(|(_, text)| text.as_ref());
        if text.is_none_or(|text| !text.contains(&item.text)) {
            findings.problem(format!(
                "Evidence {} is not on page {} of {}, which has not been read again since it was collected.",
                item.id, item.page, document.meta.name
            ));
        }
    }
    Ok(findings.finish())
}
