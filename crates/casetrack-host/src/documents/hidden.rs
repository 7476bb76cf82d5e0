//! Texts that files hold but do not show, with their places.

use casetrack_core::{ChunkId, CollectionId, DocumentId, DocumentMeta, HiddenReason, HiddenText, Page, Result};
use casetrack_store::ChunkSpan;
use schemars::JsonSchema;
use serde::Serialize;

use super::facts::CitedPlace;
use super::tracked_changes::known_spans;
use super::{document_named, just_deleted};
use crate::Host;
use crate::paging::Paging;

/// Longest text of an answer, in characters.
const MAX_CHARS: usize = 400;
/// The separator of the texts of one entry.
const BETWEEN: &str = " | ";

/// A text that is not shown, or all texts of a page that one row or column hides.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HiddenPassage {
    pub document_id: DocumentId,
    pub document_name: String,
    /// Where its first part is.
    pub citation: String,
    pub reason: HiddenReason,
    /// The part that hides it: "column D", "rows 4-6".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The text; of several, with " | " between.
    pub text: String,
    /// True if `text` is only the beginning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    pub texts: u64,
    /// Their characters in all.
    pub chars: u64,
    /// From 1.
    pub page: u32,
    /// The passage at this place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_id: Option<ChunkId>,
}

/// The hidden texts of a collection or document, by document and place.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HiddenPassages {
    pub collection: String,
    /// Documents looked at.
    pub searched: u64,
    pub documents: u64,
    pub passages: Vec<HiddenPassage>,
    /// Also those that are not listed.
    pub total: u64,
    /// The offset to continue with; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
}

/// The hidden texts of a document, by name or id, or of all. Reads the notes on pages of the documents that have hidden texts, and the
/// pages of the requested part of the list.
pub fn find_hidden_text(host: &Host, id: CollectionId, name: Option<&str>, paging: Paging) -> Result<HiddenPassages> {
    let collection = host.collection(id)?;
    let mut documents = match name {
        Some(name) => vec![document_named(&collection, name)?],
        None => collection.documents()?,
    };
    let mut found = HiddenPassages {
        collection: collection.meta().name.clone(),
        searched: documents.len() as u64,
        documents: 0,
        passages: Vec::new(),
        total: 0,
        next_offset: None,
    };
    documents.retain(|document| document.hidden_texts > 0);
    documents.sort_by_cached_key(|document| (document.name.to_lowercase(), document.path.clone()));
    found.documents = documents.len() as u64;
    let (start, end) = (u64::from(paging.offset), u64::from(paging.offset) + u64::from(paging.limit));
    for document in &documents {
        let mut spans = None;
        for number in 1..=document.page_count {
            let hidden = collection.page_hidden(document.id, number)?;
            let entries = entries(&hidden);
            let wanted: Vec<&Vec<&HiddenText>> = entries
                .iter()
                .zip(found.total..)
                .filter(|(_, index)| (start..end).contains(index))
                .map(|(entry, _)| entry)
                .collect();
            found.total += entries.len() as u64;
            if wanted.is_empty() {
                continue;
            }
            let page = collection.page(document.id, number)?.ok_or_else(|| just_deleted(&document.name))?;
            let chars: Vec<char> = page.text.chars().collect();
            let spans = known_spans(&collection, document, &mut spans)?;
            found
                .passages
                .extend(wanted.into_iter().filter_map(|entry| passage(document, &page, &chars, entry, spans)));
        }
    }
    found.next_offset = (end < found.total).then_some(end);
    Ok(found)
}

/// The texts of a page in groups: those hidden by the same row or column, each other one separately. In the order of their first places.
fn entries(hidden: &[HiddenText]) -> Vec<Vec<&HiddenText>> {
    let mut entries: Vec<Vec<&HiddenText>> = Vec::new();
    let mut by_part = std::collections::HashMap::new();
    for text in hidden {
        let known = text.part.as_ref().map(|part| (text.reason, part));
        match known.and_then(|known| by_part.get(&known).copied()) {
            Some(index) => {
                let entry: Option<&mut Vec<&HiddenText>> = entries.get_mut(index);
                entry.into_iter().for_each(|entry| entry.push(text));
            }
            None => {
                by_part.extend(known.map(|known| (known, entries.len())));
                entries.push(vec![text]);
            }
        }
    }
    entries
}

fn passage(
    document: &DocumentMeta,
    page: &Page,
    chars: &[char],
    entry: &[&HiddenText],
    spans: &[ChunkSpan],
) -> Option<HiddenPassage> {
    let first = entry.first()?;
    let range = |text: &HiddenText| {
        let end = (text.char_end as usize).min(chars.len());
        (text.char_start as usize).min(end)..end
    };
    let all: usize = entry.iter().map(|text| range(text).len()).sum();
    let (mut shown, mut left) = (String::new(), MAX_CHARS);
    for (index, text) in entry.iter().enumerate().take_while(|(index, _)| *index <= MAX_CHARS) {
        if left == 0 {
            break;
        }
        if index > 0 {
            shown.push_str(BETWEEN);
        }
        let part = &chars[range(text)];
        let part = &part[..part.len().min(left)];
        shown.extend(part);
        left -= part.len();
    }
    let place = CitedPlace::new(page, document.unpaged, first.char_start..first.char_end);
    let is_here = |span: &&ChunkSpan| span.page == page.number && first.touches(span.char_start, span.char_end);
    Some(HiddenPassage {
        document_id: document.id,
        document_name: document.name.clone(),
        citation: format!("{}, {}", document.name, place.place),
        reason: first.reason,
        part: first.part.clone(),
        text: shown,
        is_cut: all > MAX_CHARS,
        texts: entry.len() as u64,
        chars: all as u64,
        page: page.number,
        chunk_id: spans.iter().find(is_here).map(|span| span.id),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_hidden_column_are_one_entry() {
        let text = |part: Option<&str>, char_start| HiddenText {
            reason: HiddenReason::HiddenColumn,
            part: part.map(str::to_owned),
            char_start,
            char_end: char_start + 1,
        };
        let hidden = [
            text(Some("column B"), 0),
            text(None, 2),
            text(Some("column D"), 4),
            text(Some("column B"), 6),
            text(None, 8),
        ];
        let starts: Vec<Vec<u32>> =
            entries(&hidden).iter().map(|entry| entry.iter().map(|text| text.char_start).collect()).collect();
        assert_eq!(starts, [vec![0, 6], vec![2], vec![4], vec![8]]);
    }
}
