//! The source of a passage, and its citation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::citation::{Citable, Placeholder};
use crate::{
    Chunk, CitationStyle, ColumnRange, DocumentId, DocumentMeta, ExtractionMethod, HiddenReason, PageOrigin, Printed,
    Rect, RowRange, Sha256, Timestamp, cited_numbers, cited_page, cited_rows, printed_page, single_spaced,
};

/// The exact origin of a chunk. No text leaves the engine without one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    pub document_id: DocumentId,
    pub document_name: String,
    /// Absolute path of the source file.
    pub file_path: String,
    pub sha256: Sha256,
    pub page: u32,
    /// True if the file does not state the ends of its pages. Then `page` counts the parts between the page breaks that
    /// its text asks for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpaged: bool,
    /// The label that the file prints on the page ("iii", "A-1"), if it is not its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_label: Option<String>,
    /// The Bates number on the page, as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bates: Option<String>,
    /// The stamps of exhibits on the page, as printed ("Plaintiff's Exhibit 12").
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exhibits: Vec<String>,
    /// The numbers that the document gives its paragraphs, as a complaint does: "12", or the first and the last, "12-14".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragraph_numbers: Option<String>,
    pub paragraph_start: u32,
    pub paragraph_end: u32,
    pub line_start: u32,
    pub line_end: u32,
    pub char_start: u32,
    pub char_end: u32,
    pub sheet_name: Option<String>,
    pub row_range: Option<RowRange>,
    pub column_range: Option<ColumnRange>,
    pub bounding_boxes: Vec<Rect>,
    pub heading_path: Vec<String>,
    pub extraction_method: ExtractionMethod,
    pub ocr_confidence: Option<f32>,
    /// True if the file tracks changes in it: the quoted text is the one with all of them accepted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tracked_changes: bool,
    /// Why texts in it are hidden, if some are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden_text: Vec<HiddenReason>,
    pub chunk_index: u32,
    pub created_at: Timestamp,
    pub embedded_at: Option<Timestamp>,
    /// How [`citation`](Self::citation) cites it.
    #[serde(skip)]
    pub style: CitationStyle,
}

impl Provenance {
    /// `origin` is the origin of the chunk's page. The caller still adds tracked changes and hidden texts.
    pub fn of(chunk: &Chunk, document: &DocumentMeta, origin: &PageOrigin, style: CitationStyle) -> Self {
        Self {
            document_id: document.id,
            document_name: document.name.clone(),
            file_path: document.path.clone(),
            sha256: document.sha256,
            page: chunk.page,
            unpaged: document.unpaged,
            page_label: origin.label.clone(),
            bates: origin.bates.clone(),
            exhibits: origin.exhibits.clone(),
            paragraph_numbers: origin.numbers.clone(),
            paragraph_start: chunk.paragraph_start,
            paragraph_end: chunk.paragraph_end,
            line_start: chunk.line_start,
            line_end: chunk.line_end,
            char_start: chunk.char_start,
            char_end: chunk.char_end,
            sheet_name: chunk.sheet_name.clone(),
            row_range: chunk.row_range,
            column_range: chunk.column_range,
            bounding_boxes: chunk.bounding_boxes.clone(),
            heading_path: chunk.heading_path.clone(),
            extraction_method: origin.method,
            ocr_confidence: origin.ocr_confidence,
            tracked_changes: false,
            hidden_text: Vec::new(),
            chunk_index: chunk.index,
            created_at: document.ingested_at,
            embedded_at: document.embedded_at,
            style,
        }
    }

    /// In the form of `style`.
    pub fn citation(&self) -> String {
        self.style.cite(self)
    }

    /// `Vendor_Agreement.docx, p. 12, para. 8, ll. 1-4`; without pages `Vendor_Agreement.docx, no page, "7. Liability", para. 8, l. 8`
    pub fn full_citation(&self) -> String {
        let heading = self.heading_path.last().filter(|_| self.unpaged).map(|heading| quoted_heading(heading));
        format!(
            "{}, {}{}, {}, {}",
            self.document_name,
            self.cited_page(),
            heading.unwrap_or_default(),
            self.cited_paragraphs(),
            self.cited_lines(),
        )
    }

    /// `Vendor_Agreement, p. 12`; without pages `Vendor_Agreement, no page, para. 8`
    pub fn short_citation(&self) -> String {
        let (name, page) = (self.bare_name(), self.cited_page());
        if self.unpaged { format!("{name}, {page}, {}", self.cited_paragraphs()) } else { format!("{name}, {page}") }
    }

    /// The document's name without the ending of a file.
    fn bare_name(&self) -> &str {
        match self.document_name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() && extension.len() <= 8 && !extension.contains(' ') => stem,
            _ => &self.document_name,
        }
    }

    /// `p. 12 (A-1, Bates SMITH000042)`: the page of the file, and its printed labels; `p. 2 (sheet "Ledger", rows 12-14)` of a sheet.
    pub fn cited_page(&self) -> String {
        let sheet = self.sheet_name.as_deref().map(|name| {
            let is_own = name != self.bare_name();
            cited_rows(Some(name).filter(|_| is_own), self.row_range)
        });
        let printed = Printed {
            label: self.page_label.as_deref(),
            exhibits: &self.exhibits,
            numbers: self.paragraph_numbers.as_deref(),
            bates: self.bates.as_deref(),
            sheet: sheet.as_deref().filter(|sheet| !sheet.is_empty()),
        };
        printed_page(self.page, self.unpaged, &printed)
    }

    fn cited_lines(&self) -> String {
        numbered("l.", "ll.", self.line_start, self.line_end)
    }

    fn cited_paragraphs(&self) -> String {
        numbered("para.", "paras.", self.paragraph_start, self.paragraph_end)
    }
}

impl Citable for Provenance {
    fn full(&self) -> String {
        self.full_citation()
    }

    fn short(&self) -> String {
        self.short_citation()
    }

    fn value(&self, placeholder: Placeholder) -> String {
        match placeholder {
            Placeholder::Document => self.bare_name().to_owned(),
            Placeholder::File => self.document_name.clone(),
            Placeholder::Page => cited_page(self.page, self.unpaged),
            Placeholder::Label => self.page_label.clone().unwrap_or_else(|| self.page.to_string()),
            Placeholder::Bates => self.bates.clone().unwrap_or_default(),
            Placeholder::Paragraphs => self.cited_paragraphs(),
            Placeholder::Lines => self.cited_lines(),
            Placeholder::Heading => self.heading_path.last().cloned().unwrap_or_default(),
            Placeholder::Path => self.file_path.clone(),
            Placeholder::Exhibit => self.exhibits.join(", "),
            Placeholder::Numbers => self.paragraph_numbers.as_deref().map(cited_numbers).unwrap_or_default(),
        }
    }
}

/// A heading as a part of a citation, on one line and at most 80 characters long.
fn quoted_heading(heading: &str) -> String {
    const MOST: usize = 80;
    let mut text = single_spaced(heading).replace('"', "'");
    if let Some((end, _)) = text.char_indices().nth(MOST) {
        text.truncate(end);
        text.push('…');
    }
    format!(", \"{text}\"")
}

fn numbered(one: &str, many: &str, start: u32, end: u32) -> String {
    if start == end { format!("{one} {start}") } else { format!("{many} {start}-{end}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_provenance::provenance;

    #[test]
    fn single_numbers_and_ranges_are_cited_differently() {
        assert_eq!(numbered("para.", "paras.", 8, 8), "para. 8");
        assert_eq!(numbered("l.", "ll.", 1, 4), "ll. 1-4");
    }

    #[test]
    fn sheets_are_cited_by_their_rows() {
        let rows = |start, end| Some(RowRange { start, end });
        for (name, sheet, row_range, cited) in [
            (
                "ledger.xlsx",
                "Ledger",
                rows(173_413, 173_413),
                "ledger.xlsx, p. 7 (sheet \"Ledger\", row 173413), para. 8, ll. 1-4",
            ),
            (
                "ledger.xlsx",
                "The \"old\" one",
                rows(2, 9),
                "ledger.xlsx, p. 7 (sheet \"The 'old' one\", rows 2-9), para. 8, ll. 1-4",
            ),
            ("ledger.xlsx", "Notes", None, "ledger.xlsx, p. 7 (sheet \"Notes\"), para. 8, ll. 1-4"),
            ("costs.csv", "costs", rows(2, 3), "costs.csv, p. 7 (rows 2-3), para. 8, ll. 1-4"),
            ("costs.csv", "costs", None, "costs.csv, p. 7, para. 8, ll. 1-4"),
        ] {
            let sheet = Some(sheet.to_owned());
            let place = Provenance { document_name: name.into(), sheet_name: sheet, row_range, ..provenance() };
            assert_eq!(place.full_citation(), cited);
        }
    }

    #[test]
    fn without_pages_parts_and_headings_are_cited() {
        let cited: Vec<String> =
            [(1, false), (1, true), (2, true)].map(|(page, unpaged)| cited_page(page, unpaged)).into();
        assert_eq!(cited, ["p. 1", "no page", "no page, part 2"]);
        assert_eq!(quoted_heading("7.\tThe \"Works\""), ", \"7. The 'Works'\"");
        assert_eq!(quoted_heading(&"é".repeat(81)), format!(", \"{}…\"", "é".repeat(80)));
    }
}
