//! Whether the evidence that users collected is still what its documents say.

use std::collections::HashMap;

use casetrack_core::Result;

use super::{Check, Documents, Findings, damage};
use crate::collection::read_evidence;
use crate::reader::Reader;

/// A passage whose file has changed or gone is no problem: who lists the evidence is told. One whose file is the same must be on its page.
pub(super) fn check(reader: &Reader<'_>, documents: &Documents) -> Result<Check> {
    let mut findings = Findings::new(
        "evidence",
        "Every passage collected as evidence is on its page, if its file has not changed since.",
    );
    let tray = match damage(read_evidence(reader))? {
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
    let mut pages = HashMap::new();
    for item in &tray.items {
        let Some(document) = documents.get(&item.document).filter(|record| record.meta.sha256 == item.sha256) else {
            continue;
        };
        let text = match pages.entry((item.document, item.page)) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => {
                let page = damage(reader.page(item.document, item.page))?.ok().flatten();
                place.insert(page.map(|page| page.text))
            }
        };
        if text.as_ref().is_none_or(|text| !text.contains(&item.text)) {
            findings.problem(format!(
                "Evidence {} is not on page {} of {} any more, whose file has not changed.",
                item.id, item.page, document.meta.name
            ));
        }
    }
    Ok(findings.finish())
}
