//! Warnings about pages that could not be read, or only by OCR.

use casetrack_core::{Error, ErrorCode, Result};

use super::page::PageState;
use crate::build::DocumentBuilder;
use crate::model::Source;

/// Collects the states of pages, in order.
#[derive(Default)]
pub(super) struct Report {
    pages: usize,
    has_text: bool,
    scanned: Vec<usize>,
    garbage: Vec<usize>,
    damaged: Vec<usize>,
    unread: Vec<usize>,
}

impl Report {
    /// Whether large pictures of the next page were not read.
    pub fn unread(&mut self, is_unread: bool) {
        if is_unread {
            self.unread.push(self.pages + 1);
        }
    }

    /// The next page.
    pub fn add(&mut self, state: PageState, has_text: bool) {
        self.pages += 1;
        match state {
            PageState::Readable => self.has_text |= has_text,
            PageState::Scanned => self.scanned.push(self.pages),
            // What it says is kept: some of it may be right.
            PageState::Garbage => self.garbage.push(self.pages),
            PageState::Damaged => self.damaged.push(self.pages),
        }
    }

    /// Warns of what is missing; an error when there is no text at all. `missing` is why there was no OCR, if it was needed.
    pub fn finish(self, source: &Source, missing: Option<Error>, document: &mut DocumentBuilder) -> Result<()> {
        let Self { pages, has_text, scanned, garbage, damaged, unread } = self;
        if !has_text && garbage.is_empty() {
            return Err(match missing {
                _ if scanned.is_empty() && damaged.is_empty() => source.empty("contains no text."),
                _ if scanned.is_empty() => source.unreadable("none of its pages can be read"),
                None => source.nothing_recognised("a scan"),
                Some(missing) => Error::new(
                    ErrorCode::NeedsOcr,
                    format!("{} is a scan without a text layer ({}).", source.name(), plural(pages, "page")),
                )
                .with_hint_of(&missing),
            });
        }
        if !scanned.is_empty() {
            document.warn(match missing {
                Some(_) => format!("No text layer on {}: scanned, so that reading needs OCR.", page_list(&scanned)),
                None => format!("OCR found no text on {}.", page_list(&scanned)),
            });
        }
        if !garbage.is_empty() {
            document.warn(format!("The text layer of {} does not match what the page shows.", page_list(&garbage)));
        }
        if !unread.is_empty() {
            document.warn(format!("Large pictures on {} were not read: that needs OCR.", page_list(&unread)));
        }
        if !damaged.is_empty() {
            document.warn(format!("Could not be read: {}. The other pages are complete.", page_list(&damaged)));
        }
        Ok(())
    }
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// "page 3" or "pages 1, 4-7".
fn page_list(numbers: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == number => *end = number,
            _ => ranges.push((number, number)),
        }
    }
    let ranges: Vec<String> = ranges
        .into_iter()
        .map(|(start, end)| if start == end { start.to_string() } else { format!("{start}-{end}") })
        .collect();
    format!("page{} {}", if numbers.len() == 1 { "" } else { "s" }, ranges.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_numbers_are_listed_as_ranges() {
        assert_eq!(page_list(&[3]), "page 3");
        assert_eq!(page_list(&[1, 4, 5, 6, 9]), "pages 1, 4-6, 9");
    }
}
