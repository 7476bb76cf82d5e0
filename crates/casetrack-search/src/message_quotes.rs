//! Results that only quote a message that is a result itself.
//!
//! A reply repeats the message that it answers, and so would a list of results. The headers of the message and the lines that introduce a quotation
//! do not count; in a brief hit, only the shown text counts.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use casetrack_core::{DocumentId, Result};
use casetrack_store::Collection;

use casetrack_compare::mail::quotations::{Parts, parts_of};
use casetrack_compare::mail::sequences::Sequences;

/// A passage with this share of quoted words only quotes: it may begin with a greeting.
const LEAST_QUOTED: f32 = 0.9;
/// Least share of the sequences of a quotation that are in the quoted message.
const LEAST_SHARE: f32 = 0.7;
/// Fewest sequences that are compared: "Thank you very much" is in many messages.
const LEAST_SEQUENCES: usize = 3;

/// Messages that were already parsed; `None` for other documents.
#[derive(Default)]
pub(super) struct Messages(HashMap<DocumentId, Option<Arc<Message>>>);

struct Message {
    text: String,
    parts: Parts,
}

/// The own text of a passage of a message, and its quotations.
#[derive(Debug, Default)]
pub(super) struct Said {
    own: Sequences,
    quoted: Sequences,
}

impl Messages {
    /// The text at these characters of a page; `None` if the document is not a message.
    pub fn said(
        &mut self,
        collection: &Collection,
        document: DocumentId,
        page: u32,
        chars: Range<u32>,
    ) -> Result<Option<Said>> {
        let message = match self.0.get(&document) {
            Some(known) => known.clone(),
            None => {
                let read = read(collection, document, page)?.map(Arc::new);
                self.0.insert(document, read.clone());
                read
            }
        };
        Ok(message.map(|message| message.said(chars)))
    }
}

fn read(collection: &Collection, document: DocumentId, page: u32) -> Result<Option<Message>> {
    if page != 1 || !collection.document(document)?.is_some_and(|meta| meta.format.is_message()) {
        return Ok(None);
    }
    Ok(collection.page(document, page)?.map(|page| Message { parts: parts_of(&page.text), text: page.text }))
}

impl Message {
    fn said(&self, chars: Range<u32>) -> Said {
        let byte = |at: u32| self.text.char_indices().nth(at as usize).map_or(self.text.len(), |(byte, _)| byte);
        let place = byte(chars.start)..byte(chars.end);
        let inside = |ranges: Vec<Range<usize>>| {
            let common = move |range: Range<usize>| range.start.max(place.start)..range.end.min(place.end);
            Sequences::of(
                ranges.into_iter().map(common).filter(|range| range.start < range.end).map(|range| &self.text[range]),
            )
        };
        let Parts { quotations, .. } = &self.parts;
        let mut lines: Vec<Range<usize>> = quotations.iter().flat_map(|quotation| &quotation.lines).cloned().collect();
        lines.sort_by_key(|line| line.start);
        Said { own: inside(self.parts.own(self.text.len())), quoted: inside(lines) }
    }
}

impl Said {
    /// True if it only quotes the own text of another passage.
    pub fn only_quotes(&self, other: &Said) -> bool {
        let words = (self.own.words + self.quoted.words) as f32;
        self.quoted.len() >= LEAST_SEQUENCES
            && self.quoted.words as f32 >= LEAST_QUOTED * words
            && self.quoted.share_in(&other.own) >= LEAST_SHARE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Said {
        let message = Message { parts: parts_of(text), text: text.to_owned() };
        message.said(0..text.chars().count() as u32)
    }

    #[test]
    fn a_passage_that_only_quotes_is_known_from_one_that_answers() {
        let first =
            said("From: ann\n\nThe rent of the mill is due on the first Friday of each month, as we agreed in spring.");
        let quoting = said(
            "From: bob\n\nYes.\n\n> The rent of the mill is due on the first Friday\n> of each month, as we agreed in spring.",
        );
        assert!(quoting.only_quotes(&first) && !first.only_quotes(&quoting));
        let answering = said(
            "From: bob\n\nI never agreed to pay rent for it.\n\n> The rent of the mill is due on the first Friday\n> of each month, as we \
             agreed in spring.",
        );
        assert!(!answering.only_quotes(&first));
        // The part that is shown of it is quoted.
        let text = "From: bob\n\nI never agreed to that.\n\n> The rent of the mill is due on the first Friday\n> of each month.";
        let message = Message { parts: parts_of(text), text: text.to_owned() };
        let start = text.find("> The").unwrap_or_default() as u32;
        assert!(message.said(start..start + 60).only_quotes(&first));
        assert!(!said("From: eve\n\n> Something else that nobody has said so far.").only_quotes(&first));
    }
}
