//! One small matter that the tests of this module render.

use casetrack_core::{
    ChangeKind, ChunkId, CollectionId, CollectionMeta, CollectionStatus, CollectionType, DocumentId, DocumentMeta,
    DocumentType, ExtractionMethod, FileFormat, HiddenReason, Properties, Provenance, Sha256, Tier, Timestamp,
};
use casetrack_engine::CitedPlace;
use casetrack_engine::chunks::ChunkView;
use casetrack_engine::collections::CollectionSummary;
use casetrack_engine::documents::DocumentSummary;
use casetrack_engine::hidden::HiddenPassage;
use casetrack_engine::search::{Excerpt, SearchResponse, SearchResult, StageScore};
use casetrack_engine::tracked_changes::{CitedChange, TrackedChange};

use crate::test_provenance::provenance;

pub const PAYMENT: &str = "Payment shall be made within thirty (30) days of receipt of invoice. Late payments shall accrue \
    interest at a rate of 1.5% per month on the outstanding balance.";

const TIME: Timestamp = Timestamp(1_700_000_000_123);

fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

pub fn collection() -> CollectionMeta {
    CollectionMeta {
        id: id::<CollectionId>("a1b2c3d4-0000-4000-8000-000000000001"),
        name: "Acme Corp Partnership".to_owned(),
        reference: None,
        collection_type: CollectionType::Contract,
        status: CollectionStatus::Active,
        created_at: TIME,
    }
}

pub fn collection_summary() -> CollectionSummary {
    CollectionSummary {
        meta: collection(),
        vault: false,
        documents: Some(5),
        pages: Some(80),
        chunks: Some(1051),
        changed_at: None,
        incomplete: None,
        problem: None,
    }
}

pub fn document() -> DocumentMeta {
    DocumentMeta {
        id: id::<DocumentId>("d0c00001-0000-4000-8000-000000000001"),
        name: "Vendor_Agreement.docx".to_owned(),
        path: "/home/sarah/Acme/Vendor_Agreement.docx".to_owned(),
        sha256: Sha256([0xab; 32]),
        size_bytes: 123_456,
        format: FileFormat::Docx,
        document_type: DocumentType::Contract,
        title: None,
        properties: Properties::default(),
        extraction_method: ExtractionMethod::Native,
        page_count: 45,
        unpaged: false,
        holds_files: false,
        chunk_count: 234,
        char_count: 412_345,
        tracked_changes: 0,
        hidden_texts: 0,
        unread_parts: Vec::new(),
        warnings: Vec::new(),
        original_stored: false,
        ingested_at: TIME,
        embedded_at: Some(TIME),
        marks: Default::default(),
    }
}

pub fn document_summary() -> DocumentSummary {
    document().into()
}

pub fn chunk() -> ChunkView {
    let document = document();
    let provenance = Provenance {
        document_id: document.id,
        document_name: document.name.clone(),
        file_path: document.path.clone(),
        sha256: document.sha256,
        page: 12,
        char_start: 2401,
        char_end: 2401 + PAYMENT.chars().count() as u32,
        chunk_index: 46,
        created_at: document.ingested_at,
        embedded_at: document.embedded_at,
        ..provenance()
    };
    ChunkView {
        chunk_id: id::<ChunkId>("c0ffee00-0000-5000-8000-000000000001"),
        text: PAYMENT.to_owned(),
        viewed: None,
        table_header: None,
        citation: provenance.citation(),
        short_citation: provenance.short_citation(),
        provenance,
        chunk_count: document.chunk_count,
        embeddings: vec!["E1".to_owned()],
    }
}

pub fn change(kind: ChangeKind, text: &str) -> TrackedChange {
    let place = "p. 12, para. 8, l. 4".to_owned();
    let change = CitedChange {
        citation: format!("{}, {place}", document().name),
        kind,
        author: Some("Ann Lee".to_owned()),
        date: Some("2024-05-03T09:00:00Z".to_owned()),
        text: text.to_owned(),
        is_cut: false,
        of_insertion: false,
        chunk_id: Some(chunk().chunk_id),
    };
    TrackedChange { change, page: 12, place: CitedPlace { place, page: 12, char_start: 2500, char_end: 2500 } }
}

pub fn hidden(reason: HiddenReason, text: &str) -> HiddenPassage {
    let TrackedChange { change: CitedChange { citation, chunk_id, .. }, page, .. } =
        change(ChangeKind::Insertion, text);
    HiddenPassage {
        document_id: document().id,
        document_name: document().name,
        citation,
        reason,
        part: None,
        text: text.to_owned(),
        is_cut: false,
        texts: 1,
        chars: text.chars().count() as u64,
        page,
        chunk_id,
    }
}

pub fn search(scores: [f32; 2]) -> SearchResponse {
    let result = |rank: usize, score| {
        let chunk = chunk();
        let excerpt = Excerpt::of(chunk.text.clone(), &chunk.provenance);
        let bm25 = Some(StageScore { rank: rank as u32, score: 12.3, share: 0.31 });
        SearchResult {
            collection: None,
            rank: rank as u32,
            score,
            chunk,
            excerpt,
            surroundings: Default::default(),
            repeated_in: Vec::new(),
            bm25,
            dense: None,
            sparse: None,
            late: None,
            preferred: None,
        }
    };
    SearchResponse {
        complete: None,
        next_offset: None,
        total_documents: 5,
        query: "payment terms".to_owned(),
        collection: "Acme Corp Partnership".to_owned(),
        documents: 5,
        chunks: 1051,
        elapsed_ms: 87.4,
        tier: Tier::Pro,
        stages: vec!["recall".to_owned(), "fusion".to_owned()],
        notices: Vec::new(),
        results: vec![result(1, scores[0]), result(2, scores[1])],
        hits: Vec::new(),
        deleted: None,
        related: Vec::new(),
    }
}
