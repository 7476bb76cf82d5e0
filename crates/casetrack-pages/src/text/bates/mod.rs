//! Bates numbers: found on each page by their place and by their sequence over the pages.
//!
//! A number is a prefix and digits, such as `SMITH000042`, `ABC-DEF-000042` or `000042`, near the edge of a page. A
//! line near an edge may have a date, a docket number or a page number as well, so a series counts only if it goes up
//! by one from page to page. A number that OCR misread is mended if the pages around it show the right one. The text of
//! the page stays as it is.

mod candidate;
mod lines;
mod report;
mod sequence;
#[cfg(test)]
mod tests;

use casetrack_core::Page;

pub use self::lines::{edge_lines, folded};

/// Notes the Bates numbers of pages, which are all pages of a document in order. Returns notices for users: numbers
/// that are missing, repeated or out of order. Linear in the text of the pages.
pub fn note_bates(unpaged: bool, pages: &mut [Page]) -> Vec<String> {
    if unpaged || pages.iter().any(|page| page.sheet_name.is_some()) {
        return Vec::new();
    }
    let numbers = sequence::numbers(pages);
    for (page, number) in pages.iter_mut().zip(&numbers) {
        page.notes.bates = number.as_ref().map(ToString::to_string);
    }
    report::warnings(&numbers)
}
