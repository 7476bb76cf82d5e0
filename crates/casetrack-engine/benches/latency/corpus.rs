//! Documents made of the passages of a real collection.

use casetrack_core::{
    Block, BlockKind, Chunk, ChunkId, DocumentId, DocumentMeta, DocumentType, ExtractionMethod, FileFormat, Page,
    PageNotes, Properties, Result, Sha256, Timestamp,
};
use casetrack_store::{Collection, SparseVector, StoredDocument, VectorModels};
use fastrand::Rng;

/// One word in this many is replaced by another one of the collection, drawn as often as it occurs.
const REPLACED: usize = 7;
/// Standard deviation of the noise added to each component of a vector, before it gets length 1 again; a component of a vector of 384 is
/// about 0.05. The cosine of a passage with its copy is about 0.93.
const NOISE: f32 = 0.02;

pub struct Corpus {
    /// Chunks of each document.
    per_document: usize,
    passages: Vec<Passage>,
    words: Vec<String>,
}

struct Passage {
    text: String,
    context: String,
    vector: Vec<f32>,
    sparse: SparseVector,
}

impl Corpus {
    pub fn of(collection: &Collection, per_document: usize) -> Result<Self> {
        let mut passages = Vec::new();
        for document in collection.documents()? {
            let chunks = collection.chunks(document.id)?;
            let (dense, sparse) = (collection.vectors(document.id)?, collection.sparse_vectors(document.id)?);
            for ((chunk, (_, vector)), (_, sparse)) in chunks.into_iter().zip(dense).zip(sparse) {
                passages.push(Passage { text: chunk.text, context: chunk.context, vector, sparse });
            }
        }
        let words = passages.iter().flat_map(|passage| passage.text.split_whitespace()).map(str::to_owned).collect();
        Ok(Self { per_document, passages, words })
    }

    /// Documents that hold this many chunks.
    pub fn documents_for(&self, chunks: usize) -> usize {
        chunks.div_ceil(self.per_document)
    }

    pub fn id(number: usize) -> DocumentId {
        DocumentId::from_bytes(Rng::with_seed(number as u64).u128(..).to_be_bytes())
    }

    /// Text, context, vector and learned-sparse vector of each passage of a document.
    fn passages(&self, number: usize) -> impl Iterator<Item = (String, &str, Vec<f32>, SparseVector)> {
        (0..self.per_document).map(move |n| {
            let which = number * self.per_document + n;
            let mut random = Rng::with_seed(1 << 40 | which as u64);
            let passage = &self.passages[which % self.passages.len()];
            let words = passage.text.split_whitespace().map(|word| match random.usize(..REPLACED) {
                0 => self.words[random.usize(..self.words.len())].as_str(),
                _ => word,
            });
            let text = words.collect::<Vec<_>>().join(" ");
            let moved: Vec<f32> = passage.vector.iter().map(|x| x + NOISE * normal(&mut random)).collect();
            let length = moved.iter().map(|x| x * x).sum::<f32>().sqrt();
            let vector = moved.iter().map(|x| x / length).collect();
            let terms = passage.sparse.terms.iter().map(|&(term, weight)| (term, weight * (0.8 + 0.4 * random.f32())));
            (text, passage.context.as_str(), vector, SparseVector { terms: terms.collect() })
        })
    }

    /// Texts of the chunks of a document, each with its context.
    pub fn texts(&self, number: usize) -> impl Iterator<Item = (String, &str)> {
        self.passages(number).map(|(text, context, ..)| (text, context))
    }

    pub fn vectors(&self, number: usize) -> impl Iterator<Item = Vec<f32>> {
        self.passages(number).map(|(_, _, vector, _)| vector)
    }

    /// The document: a page for each passage.
    pub fn document(&self, number: usize, models: &VectorModels) -> StoredDocument {
        let id = Self::id(number);
        let (mut pages, mut chunks, mut vectors, mut sparse_vectors) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (index, (text, context, vector, sparse)) in (0u32..).zip(self.passages(number)) {
            let (byte_end, char_end) = (text.len() as u32, text.chars().count() as u32);
            chunks.push(Chunk {
                id: ChunkId::derive(id, index + 1, 0, &text),
                index,
                page: index + 1,
                char_start: 0,
                char_end,
                byte_start: 0,
                byte_end,
                paragraph_start: 1,
                paragraph_end: 1,
                line_start: 1,
                line_end: 1,
                sheet_name: None,
                row_range: None,
                column_range: None,
                bounding_boxes: Vec::new(),
                heading_path: Vec::new(),
                context: context.to_owned(),
                text: text.clone(),
            });
            pages.push(Page {
                number: index + 1,
                blocks: vec![Block { char_start: 0, char_end, kind: BlockKind::Paragraph }],
                text,
                line_boxes: Vec::new(),
                method: ExtractionMethod::Native,
                ocr_confidence: None,
                sheet_name: None,
                notes: PageNotes::default(),
            });
            vectors.push(vector);
            sparse_vectors.push(sparse);
        }
        let name = format!("document {number}.txt");
        let mut digest = Rng::with_seed(2 << 40 | number as u64);
        StoredDocument {
            meta: DocumentMeta {
                id,
                path: format!("/home/someone/Documents/matter/{:03}/{name}", number / 100),
                name,
                sha256: Sha256(std::array::from_fn(|_| digest.u8(..))),
                size_bytes: 0,
                format: FileFormat::Text,
                document_type: DocumentType::Other,
                title: None,
                properties: Properties::default(),
                extraction_method: ExtractionMethod::Native,
                page_count: pages.len() as u32,
                unpaged: false,
                holds_files: false,
                chunk_count: chunks.len() as u32,
                char_count: chunks.iter().map(|chunk| u64::from(chunk.char_end)).sum(),
                tracked_changes: 0,
                hidden_texts: 0,
                unread_parts: Vec::new(),
                warnings: Vec::new(),
                original_stored: false,
                ingested_at: Timestamp::now(),
                embedded_at: Some(Timestamp::now()),
                marks: Default::default(),
            },
            pages,
            chunks,
            vectors,
            dense_model: models.dense.clone(),
            sparse_vectors,
            sparse_model: models.sparse.clone(),
            token_vectors: Vec::new(),
            token_model: None,
            annotations: None,
        }
    }
}

/// Box and Muller's transformation.
fn normal(random: &mut Rng) -> f32 {
    (-2.0 * (1.0 - random.f32()).ln()).sqrt() * (std::f32::consts::TAU * random.f32()).cos()
}
