//! The cells of columns that users define by example clauses, kept until any document changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use casetrack_core::{DocumentId, Result};
use casetrack_host::documents::facts::{CitedPlace, pages};
use casetrack_host::{OpenCollection, lock};
use casetrack_nlp::likeness::{Likeness, probability, usual};

use super::CellValue;
use super::columns::DefineColumn;
use super::custom_cells::one_line;

/// By definition. The usual likeness depends on all documents.
#[derive(Default)]
struct ExampleCellCache(Mutex<HashMap<String, Cells>>);

#[derive(Clone)]
struct Cells {
    /// The versions of all documents when the clauses were looked for.
    versions: Vec<(DocumentId, u64)>,
    cells: Arc<HashMap<DocumentId, CellValue>>,
}

/// Least confidence of a candidate and of a value, in percent.
const CANDIDATE: u8 = 25;
pub(super) const SURE: u8 = 50;

/// The clause of each document that is most like the examples, if it may be one of them. Reads all documents twice at the first call and after a
/// change.
pub(super) fn cells(
    collection: &OpenCollection,
    definition: &DefineColumn,
) -> Result<Arc<HashMap<DocumentId, CellValue>>> {
    let known = collection.derived::<ExampleCellCache>();
    let versions = collection.versions();
    let key = format!("{definition:?}");
    let kept = lock(&known.0).get(&key).cloned();
    if let Some(kept) = kept.filter(|kept| kept.versions == versions) {
        return Ok(kept.cells);
    }
    let documents: Vec<DocumentId> = versions.iter().map(|(document, _)| *document).collect();
    let cells = Arc::new(found(collection, &definition.examples, &documents)?);
    lock(&known.0).insert(key, Cells { versions, cells: Arc::clone(&cells) });
    Ok(cells)
}

fn found(
    collection: &OpenCollection,
    examples: &[String],
    documents: &[DocumentId],
) -> Result<HashMap<DocumentId, CellValue>> {
    let mut likeness = Likeness::new(examples);
    for document in documents {
        let (pages, _) = pages(collection, *document)?;
        likeness.count(&pages.iter().map(|page| page.text.as_str()).collect::<Vec<_>>());
    }
    let (mut best, mut others) = (Vec::new(), Vec::new());
    for document in documents {
        let (pages, unpaged) = pages(collection, *document)?;
        let Some(likest) = likeness.likest(&pages.iter().map(|page| page.text.as_str()).collect::<Vec<_>>()) else {
            continue;
        };
        others.extend(likest.others);
        let sentence = likest.sentence;
        let Some(page) = pages.iter().find(|page| page.number == sentence.page) else { continue };
        let length = sentence.char_end.saturating_sub(sentence.char_start) as usize;
        let said: String = page.text.chars().skip(sentence.char_start as usize).take(length).collect();
        let place = CitedPlace::new(page, unpaged, sentence.char_start..sentence.char_end);
        best.push((*document, likest.likeness, said, place));
    }
    let usual = usual(others);
    let cell = |(document, likeness, said, place): (_, _, String, _)| {
        let confidence = (100.0 * probability(likeness, usual)).round().clamp(0.0, 99.0) as u8;
        let value = CellValue { value: one_line(&said), computed: None, place, confidence, clause: None };
        (confidence >= CANDIDATE).then_some((document, value))
    };
    Ok(best.into_iter().filter_map(cell).collect())
}
