//! Decides if the parts of a word processor's file are the pages that its readers see.

use casetrack_core::Page;

/// The pages of a word processor's file, as far as it states them. They depend on fonts and printers that the file does not hold.
#[derive(Default)]
pub(super) struct Layout {
    /// True if the program that saved the file wrote down where pages ended.
    pub has_breaks: bool,
    /// The number of pages that the program counted.
    pub page_count: Option<u32>,
}

/// More characters than a printed page has. Programs that write files without laying them out often count one page.
const MAX_PAGE_CHARS: usize = 7000;

const PAGE_LINES: u32 = 45;
const LINE_CHARS: u32 = 80;

impl Layout {
    /// True if these are the pages that a reader of the document sees: the file states their ends, or their number, or
    /// asks for the breaks between them and none of them could need more than one page.
    pub fn agrees_with(&self, pages: &[Page]) -> bool {
        let may_be_page = |page: &Page| page.text.chars().nth(MAX_PAGE_CHARS).is_none();
        let lines = |page: &Page| {
            page.blocks.iter().map(|block| (block.char_end - block.char_start).div_ceil(LINE_CHARS)).sum::<u32>()
        };
        self.has_breaks
            || self.page_count == Some(pages.len() as u32) && pages.iter().all(may_be_page)
            || pages.len() > 1 && pages.iter().all(|page| lines(page) <= PAGE_LINES)
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::{BlockKind, ExtractionMethod, FileFormat};

    use crate::build::DocumentBuilder;

    #[test]
    fn pages_need_evidence_where_a_program_lays_them_out() {
        let is_unpaged = |layout: bool, has_breaks: bool, count: Option<u32>, text: &str| {
            let mut document = DocumentBuilder::new(100_000);
            if layout {
                document.expect_layout();
            }
            if has_breaks {
                document.has_saved_break();
            }
            document.set_page_count(count);
            document.push_block(BlockKind::Paragraph, text).unwrap();
            document.finish(FileFormat::Docx).unpaged
        };
        let long = "word ".repeat(2000);
        assert!(!is_unpaged(false, false, None, &long));
        assert!(is_unpaged(true, false, None, "short"));
        assert!(!is_unpaged(true, true, None, &long));
        assert!(!is_unpaged(true, false, Some(1), "short"));
        assert!(is_unpaged(true, false, Some(2), "short"));
        assert!(is_unpaged(true, false, Some(1), &long));
        let in_two_parts = |second: &str| {
            let mut document = DocumentBuilder::new(100_000);
            document.expect_layout();
            for text in ["short", second] {
                document.start_page(ExtractionMethod::Native, None);
                document.push_block(BlockKind::Paragraph, text).unwrap();
            }
            document.finish(FileFormat::Docx).unpaged
        };
        assert!(!in_two_parts("short too"));
        assert!(in_two_parts(&long));
    }
}
