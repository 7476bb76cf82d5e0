use std::hash::{DefaultHasher, Hash, Hasher};

use casetrack_core::evidence::EvidenceItem;
use casetrack_core::{
    Annotations, Block, BlockKind, Chunk, ChunkId, CollectionId, CollectionMeta, CollectionStatus, CollectionType,
    DocumentId, DocumentMeta, DocumentType, EntityType, ExtractionMethod, FileFormat, LocalEntity, Page, PageNotes,
    PlacedMention, PlacedReference, Properties, Reference, ReferenceKind, Relation, Sha256, Timestamp,
};
use casetrack_store::{Collection, Filter, Hit, Relocation, SparseVector, StoredDocument, VectorModels};

pub const DIMENSION: usize = 16;

pub fn models() -> VectorModels {
    VectorModels {
        dense: "test-model".into(),
        dense_dimension: DIMENSION as u32,
        sparse: Some("test-sparse".into()),
        tokens: None,
    }
}

pub fn collection_meta(name: &str) -> CollectionMeta {
    CollectionMeta {
        id: CollectionId::random(),
        name: name.into(),
        reference: None,
        collection_type: CollectionType::Contract,
        status: CollectionStatus::Active,
        created_at: Timestamp::now(),
    }
}

/// A document with the given pages. Paragraphs are separated by empty lines; each is a chunk.
pub fn document(path: &str, pages: &[&str]) -> StoredDocument {
    with_id(DocumentId::random(), path, pages)
}

/// The same, under an id that exists already or will.
pub fn with_id(id: DocumentId, path: &str, texts: &[&str]) -> StoredDocument {
    let mut pages = Vec::new();
    let mut chunks: Vec<Chunk> = Vec::new();
    for (number, text) in (1..).zip(texts) {
        let mut page = Page {
            number,
            text: (*text).into(),
            blocks: Vec::new(),
            line_boxes: Vec::new(),
            method: ExtractionMethod::Native,
            ocr_confidence: None,
            sheet_name: None,
            notes: PageNotes::default(),
        };
        let mut byte_start = 0;
        for paragraph in text.split("\n\n") {
            if !paragraph.trim().is_empty() {
                let mut chunk = chunk(id, &page, byte_start, paragraph);
                let same = chunks.iter().filter(|other| other.page == number && other.text == paragraph).count();
                chunk.id = ChunkId::derive(id, number, same as u32, paragraph);
                chunk.index = chunks.len() as u32;
                let (char_start, char_end) = (chunk.char_start, chunk.char_end);
                page.blocks.push(Block { char_start, char_end, kind: BlockKind::Paragraph });
                let n = page.blocks.len() as u32;
                (chunk.paragraph_start, chunk.paragraph_end) = (n, n);
                chunks.push(chunk);
            }
            byte_start += paragraph.len() + 2;
        }
        pages.push(page);
    }
    let vectors = chunks.iter().map(|chunk| vector(&chunk.text)).collect();
    let sparse_vectors = chunks.iter().map(|chunk| sparse_vector(&chunk.text)).collect();
    let VectorModels { dense, sparse, .. } = models();
    let annotations = Some(annotations(&pages));
    StoredDocument {
        meta: meta(id, path, texts, &chunks),
        pages,
        chunks,
        vectors,
        dense_model: dense,
        sparse_vectors,
        sparse_model: sparse,
        token_vectors: Vec::new(),
        token_model: None,
        annotations,
    }
}

fn meta(id: DocumentId, path: &str, texts: &[&str], chunks: &[Chunk]) -> DocumentMeta {
    DocumentMeta {
        id,
        name: path.rsplit('/').next().unwrap().into(),
        path: path.into(),
        sha256: digest(&texts.concat()),
        size_bytes: 17,
        format: FileFormat::Text,
        document_type: DocumentType::Contract,
        title: Some("A title".into()),
        properties: Properties::default(),
        extraction_method: ExtractionMethod::Native,
        page_count: texts.len() as u32,
        unpaged: false,
        holds_files: false,
        chunk_count: chunks.len() as u32,
        char_count: texts.iter().map(|text| text.chars().count() as u64).sum(),
        tracked_changes: 0,
        hidden_texts: 0,
        unread_parts: Vec::new(),
        warnings: vec!["A warning".into()],
        original_stored: false,
        ingested_at: Timestamp(1_700_000_000_123),
        embedded_at: Some(Timestamp(1_700_000_000_456)),
        marks: Default::default(),
    }
}

/// A mention of an entity for each word, and a reference at the beginning of each page.
fn annotations(pages: &[Page]) -> Annotations {
    let mut annotations = Annotations { analysis: "test 1".into(), ..Annotations::default() };
    for page in pages {
        let mut char_start = 0;
        for word in page.text.split(char::is_whitespace) {
            let char_end = char_start + word.chars().count() as u32;
            if char_end > char_start {
                let key = word.to_lowercase();
                let known = annotations.entities.iter().position(|entity| entity.key == key);
                let entity = known.unwrap_or(annotations.entities.len()) as u32;
                if known.is_none() {
                    let (entity_type, name) = (EntityType::Concept, word.to_owned());
                    let aliases = Vec::new();
                    let entity = LocalEntity { entity_type, key, name, aliases, value: None, confidence: 100 };
                    annotations.entities.push(entity);
                }
                let role = word.ends_with('s').then(|| "plural".to_owned());
                annotations.mentions.push(PlacedMention { entity, page: page.number, char_start, char_end, role });
                if char_start == 0 {
                    let (kind, relation) = (ReferenceKind::Document, Some(Relation::Amends));
                    let reference = Reference { kind, char_start, char_end, name: word.to_owned(), relation };
                    annotations.references.push(PlacedReference { page: page.number, reference });
                }
            }
            char_start = char_end + 1;
        }
    }
    annotations
}

fn chunk(document: DocumentId, page: &Page, byte_start: usize, text: &str) -> Chunk {
    let before = &page.text[..byte_start];
    let char_start = before.chars().count() as u32;
    let line_start = before.matches('\n').count() as u32 + 1;
    Chunk {
        id: ChunkId::derive(document, page.number, 0, text),
        index: 0,
        page: page.number,
        char_start,
        char_end: char_start + text.chars().count() as u32,
        byte_start: byte_start as u32,
        byte_end: (byte_start + text.len()) as u32,
        paragraph_start: 1,
        paragraph_end: 1,
        line_start,
        line_end: line_start + text.trim_end_matches('\n').matches('\n').count() as u32,
        sheet_name: None,
        row_range: None,
        column_range: None,
        bounding_boxes: Vec::new(),
        heading_path: vec!["Heading".into()],
        context: "Heading".into(),
        text: text.into(),
    }
}

fn digest(text: &str) -> Sha256 {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&hash(&text).to_be_bytes());
    Sha256(bytes)
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A vector of length 1 that is the closer to another one the more words their texts share.
pub fn vector(text: &str) -> Vec<f32> {
    let mut sum = [1e-3; DIMENSION];
    for word in text.split_whitespace() {
        for (i, x) in sum.iter_mut().enumerate() {
            *x += hash(&(word, i)) as u32 as f32 / u32::MAX as f32 - 0.5;
        }
    }
    let norm = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
    sum.iter().map(|x| x / norm).collect()
}

pub fn sparse_vector(text: &str) -> SparseVector {
    let words =
        text.split_whitespace().map(|word| (hash(&word) as u32 % 30_000, (0.25 + word.len() as f32 / 8.0).min(3.75)));
    SparseVector { terms: words.collect::<std::collections::BTreeMap<_, _>>().into_iter().collect() }
}

/// `count` documents of `paragraphs` short paragraphs each, every one with a word of its own: `word<document>x<paragraph>`.
pub fn many(count: usize, paragraphs: usize) -> Vec<StoredDocument> {
    (0..count)
        .map(|d| {
            let text: Vec<String> = (0..paragraphs)
                .map(|p| format!("Clause {p} about common matters, word{d}x{p}, in document {d}."))
                .collect();
            document(&format!("/data/document{d}.txt"), &[&text.join("\n\n")])
        })
        .collect()
}

/// All kinds of search for a handful of queries, to compare two states of a collection.
pub fn results(collection: &Collection) -> Vec<Vec<Hit>> {
    ["common matters", "word3x1", "document 2 clause 0"]
        .into_iter()
        .flat_map(|query| {
            let all = Filter::default();
            [
                collection.search_bm25(query, 20, &all).unwrap(),
                collection.search_dense(&vector(query), 20, &all).unwrap(),
                collection.search_sparse(&sparse_vector(query), 20, &all).unwrap(),
            ]
        })
        .collect()
}

/// Compares with [`results`] of another state, and reports only the first difference.
pub fn assert_eq_results(collection: &Collection, expected: &[Vec<Hit>], state: &str) {
    for (list, (found, expected)) in results(collection).iter().zip(expected).enumerate() {
        assert_eq!(found.len(), expected.len(), "{state}, list {list}");
        for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert_eq!(found, expected, "{state}, list {list}, place {place}");
        }
    }
}

pub fn assert_clean(collection: &Collection) {
    let report = collection.verify().unwrap();
    assert!(report.is_clean(), "{report:#?}");
}

/// Evidence of a text on the first page of a document.
pub fn passage(document: &StoredDocument, text: &str) -> EvidenceItem {
    let page = &document.pages[0];
    let start = page.text[..page.text.find(text).unwrap()].chars().count() as u32;
    EvidenceItem {
        id: 0,
        document: document.meta.id,
        document_name: document.meta.name.clone(),
        path: document.meta.path.clone(),
        sha256: document.meta.sha256,
        page: 1,
        char_start: start,
        char_end: start + text.chars().count() as u32,
        text: text.to_owned(),
        citation: "Lease.txt, p. 1".to_owned(),
        note: "Größe ☂".to_owned(),
        exhibit: "A".to_owned(),
        added_at: Timestamp(1_700_000_000_123),
    }
}

/// A new path for a document, and the name in it.
pub fn relocation(document: DocumentId, path: &str) -> Relocation {
    Relocation { document, path: path.into(), name: path.rsplit('/').next().unwrap().into() }
}
