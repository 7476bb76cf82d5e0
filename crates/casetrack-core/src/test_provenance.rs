//! A provenance for tests. The tests of other crates include this file too.

use casetrack_core::{CitationStyle, DocumentId, ExtractionMethod, Provenance, Sha256, Timestamp};

pub fn provenance() -> Provenance {
    Provenance {
        document_id: DocumentId::from_bytes([7; 16]),
        document_name: "Lease.pdf".into(),
        file_path: "/data/Lease.pdf".into(),
        sha256: Sha256([0; 32]),
        page: 7,
        unpaged: false,
        page_label: None,
        bates: None,
        exhibits: Vec::new(),
        paragraph_numbers: None,
        paragraph_start: 8,
        paragraph_end: 8,
        line_start: 1,
        line_end: 4,
        char_start: 0,
        char_end: 9,
        sheet_name: None,
        row_range: None,
        column_range: None,
        bounding_boxes: Vec::new(),
        heading_path: Vec::new(),
        extraction_method: ExtractionMethod::Native,
        ocr_confidence: None,
        tracked_changes: false,
        hidden_text: Vec::new(),
        chunk_index: 0,
        created_at: Timestamp(0),
        embedded_at: None,
        style: CitationStyle::Full,
    }
}
