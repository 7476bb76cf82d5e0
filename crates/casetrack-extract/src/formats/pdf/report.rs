//! Warnings about pages that could not be read, or only by OCR.

use casetrack_core::{Error, ErrorCode, Result};
use casetrack_pages::build::{DocumentBuilder, page_list};
use casetrack_pages::model::Source;

use super::page::PageState;

#[derive(Default)]
pub(super) struct Report {
    pages: usize,
    has_text: bool,
    scanned: Vec<usize>,
    /// With a garbage text layer: kept, or replaced by the text from OCR.
    garbage: Vec<usize>,
    replaced: Vec<usize>,
    damaged: Vec<usize>,
    unread: Vec<usize>,
}

impl Report {
    /// True if large pictures of the next page were not read.
    pub fn unread(&mut self, is_unread: bool) {
        if is_unread {
            self.unread.push(self.pages + 1);
        }
    }

    /// Adds a page: its state as the file has it, and the state in which reading left it.
    pub fn add(&mut self, of_file: PageState, state: PageState, has_text: bool) {
        self.pages += 1;
        if of_file == PageState::Garbage && state == PageState::Readable {
            self.replaced.push(self.pages);
        }
        match state {
            PageState::Readable => self.has_text |= has_text,
            PageState::Scanned => self.scanned.push(self.pages),
            // Its text is kept: some of it may be right.
            PageState::Garbage => self.garbage.push(self.pages),
            PageState::Damaged => self.damaged.push(self.pages),
            // The parent of the worker knows the reason, and reports it.
            PageState::LeftOut => self.has_text |= has_text,
        }
    }

    /// Warns of missing text; an error if there is no text at all. `missing` is why there was no OCR, if it was needed.
    pub fn finish(self, source: &Source, missing: Option<Error>, document: &mut DocumentBuilder) -> Result<()> {
        let Self { pages, has_text, scanned, garbage, replaced, damaged, unread } = self;
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
            let why = if missing.is_some() {
                "reading the page instead needs OCR"
            } else {
                "OCR cannot read the page either"
            };
            document
                .warn(format!("The text layer of {} does not match the page image, and {why}.", page_list(&garbage)));
        }
        if !replaced.is_empty() {
            let pages = page_list(&replaced);
            document.warn(format!("The text layer of {pages} does not match the page image: OCR was used instead."));
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
