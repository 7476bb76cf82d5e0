//! A synthetic corpus: any document of it can be made again from the seed, its number and its version.

use casetrack_core::{
    AmountValue, Annotations, Block, BlockKind, Chunk, ChunkId, DatePrecision, DateValue, DocumentId, DocumentMeta,
    DocumentType, EntityType, EntityValue, ExtractionMethod, FileFormat, LocalEntity, Page, PageNotes, PlacedMention,
    PlacedReference, Properties, Reference, ReferenceKind, Sha256, Timestamp,
};
use casetrack_store::{SparseVector, StoredDocument};

use crate::random::Random;

pub const DIMENSION: usize = 384;
/// Terms of a BERT vocabulary, which learned sparse models weigh.
const SPARSE_TERMS: usize = 30_522;
/// The weights that SPLADE-tiny gives a passage of 2,000 characters of a contract, and a query, on average.
const SPARSE_WEIGHTS: usize = 330;
const SPARSE_QUERY_WEIGHTS: usize = 50;

/// Of which a document names [`ENTITIES`], a few often and most rarely.
pub const MENTIONS_PER_CHUNK: usize = 20;
const ENTITIES: usize = 150;
const REFERENCES_PER_CHUNK: usize = 2;
const ROLES: [&str; 4] = ["effective date", "Chief Executive Officer", "Vendor", "purchase price"];

const CHUNKS_PER_DOCUMENT: usize = 30;
const CHUNKS_PER_PAGE: usize = 3;
const CHUNK_CHARS: f32 = 1900.0;
const PARAGRAPHS_PER_CHUNK: usize = 4;
const VOCABULARY: usize = 150_000;
/// Vectors cluster around topics, those of a document around a place near one, in a space of fewer dimensions with
/// falling variances, as those of sentence encoders do; some noise fills the rest.
const TOPICS: usize = 4_096;
const LATENT: usize = 64;
const NOISE: f32 = 0.3;

pub struct Corpus {
    seed: u64,
    vocabulary: Vec<String>,
    topics: Vec<[f32; LATENT]>,
    /// For each latent dimension, its direction.
    projection: Vec<[f32; DIMENSION]>,
}

impl Corpus {
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let vocabulary = (0..VOCABULARY).map(|rank| word(rank, &mut random)).collect();
        let topics = (0..TOPICS).map(|_| std::array::from_fn(|_| random.normal())).collect();
        let projection = (0..LATENT)
            .map(|axis| {
                let scale = (1.0 + axis as f32 / 8.0).powf(-0.5);
                std::array::from_fn(|_| scale * random.normal())
            })
            .collect();
        Self { seed, vocabulary, topics, projection }
    }

    /// Documents that hold at least `chunks`.
    pub fn documents_for(chunks: usize) -> usize {
        chunks.div_ceil(CHUNKS_PER_DOCUMENT)
    }

    pub fn chunks_per_document() -> usize {
        CHUNKS_PER_DOCUMENT
    }

    pub fn id(number: usize) -> DocumentId {
        let mut bytes = [0; 16];
        // Ids of real documents are scattered.
        bytes[..8].copy_from_slice(&Random::new(number as u64).next().to_be_bytes());
        bytes[8..].copy_from_slice(&(number as u64).to_be_bytes());
        DocumentId::from_bytes(bytes)
    }

    fn random(&self, what: u64, number: usize, version: u32) -> Random {
        let stream = what << 60 | u64::from(version) << 40 | number as u64;
        Random::new(self.seed ^ Random::new(stream).next())
    }

    // ---- texts ----

    /// Words by Zipf's law: that of rank r has a probability of about 1/r.
    fn words(&self, random: &mut Random) -> &str {
        &self.vocabulary[((VOCABULARY as f32).powf(random.uniform()) as usize - 1).min(VOCABULARY - 1)]
    }

    fn paragraph(&self, random: &mut Random, chars: usize, text: &mut String) {
        let end = text.len() + chars;
        while text.len() < end {
            let words = 8 + random.below(20);
            for n in 0..words {
                let word = self.words(random);
                match n {
                    0 => text.extend(word.chars().take(1).map(|c| c.to_ascii_uppercase()).chain(word.chars().skip(1))),
                    _ => text.push_str(word),
                }
                text.push_str(match n {
                    _ if n + 1 == words => ". ",
                    _ if random.below(12) == 0 => ", ",
                    _ => " ",
                });
            }
        }
        text.truncate(text.trim_end().len());
    }

    /// A query as users type them: a few words, neither the commonest nor the rarest.
    pub fn query(&self, number: usize) -> String {
        let mut random = self.random(1, number, 0);
        let words: Vec<&str> = (0..3 + random.below(6))
            .map(|_| {
                let rank = 30.0 * (VOCABULARY as f32 / 60.0).powf(random.uniform());
                self.vocabulary[rank as usize].as_str()
            })
            .collect();
        words.join(" ")
    }

    // ---- vectors ----

    fn place(&self, random: &mut Random) -> [f32; LATENT] {
        let topic = &self.topics[random.below(TOPICS)];
        std::array::from_fn(|i| topic[i] + 0.5 * random.normal())
    }

    fn vector_near(&self, place: &[f32; LATENT], random: &mut Random) -> Vec<f32> {
        let mut vector: [f32; DIMENSION] = std::array::from_fn(|_| NOISE * random.normal());
        for (centre, axis) in place.iter().zip(&self.projection) {
            let latent = centre + 0.7 * random.normal();
            for (x, direction) in vector.iter_mut().zip(axis) {
                *x += latent * direction;
            }
        }
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter().map(|x| x / norm).collect()
    }

    pub fn vectors(&self, number: usize, version: u32) -> Vec<Vec<f32>> {
        let mut random = self.random(2, number, version);
        let place = self.place(&mut random);
        (0..CHUNKS_PER_DOCUMENT).map(|_| self.vector_near(&place, &mut random)).collect()
    }

    pub fn query_vector(&self, number: usize) -> Vec<f32> {
        let mut random = self.random(3, number, 0);
        let place = self.place(&mut random);
        self.vector_near(&place, &mut random)
    }

    /// Weights of a learned sparse model: distinct terms in ascending order, common ones more often than rare ones.
    fn sparse(&self, number: usize, version: u32) -> Vec<SparseVector> {
        let mut random = self.random(4, number, version);
        (0..CHUNKS_PER_DOCUMENT).map(|_| sparse_weights(SPARSE_WEIGHTS, &mut random)).collect()
    }

    pub fn sparse_query(&self, number: usize) -> SparseVector {
        sparse_weights(SPARSE_QUERY_WEIGHTS, &mut self.random(5, number, 0))
    }

    // ---- documents ----

    pub fn document(&self, number: usize, version: u32) -> StoredDocument {
        let id = Self::id(number);
        let mut random = self.random(6, number, version);
        let (mut pages, mut chunks) = (Vec::new(), Vec::new());
        for number in 1..=(CHUNKS_PER_DOCUMENT / CHUNKS_PER_PAGE) as u32 {
            let (page, of_page) = self.page(id, number, chunks.len() as u32, &mut random);
            pages.push(page);
            chunks.extend(of_page);
        }
        let annotations = self.annotations(&pages, &mut random);
        let digest = Random::new(number as u64 ^ u64::from(version) << 40).next();
        let name = format!("document {number}.txt");
        let meta = DocumentMeta {
            id,
            path: format!("/home/someone/Documents/matter/{:03}/{name}", number / 100),
            name,
            sha256: Sha256(std::array::from_fn(|i| (digest >> (8 * (i % 8))) as u8)),
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
            char_count: pages.iter().map(|page: &Page| page.text.len() as u64).sum(),
            tracked_changes: 0,
            hidden_texts: 0,
            unread_parts: Vec::new(),
            warnings: Vec::new(),
            original_stored: false,
            ingested_at: Timestamp::now(),
            embedded_at: Some(Timestamp::now()),
            marks: Default::default(),
        };
        StoredDocument {
            meta,
            pages,
            chunks,
            vectors: self.vectors(number, version),
            dense_model: "bench".into(),
            sparse_vectors: self.sparse(number, version),
            sparse_model: Some("bench".into()),
            token_vectors: Vec::new(),
            token_model: None,
            annotations: Some(annotations),
        }
    }

    /// Places are random; the store does not use the text there.
    fn annotations(&self, pages: &[Page], random: &mut Random) -> Annotations {
        let mut annotations = Annotations { analysis: "bench 1".into(), ..Annotations::default() };
        for n in 0..ENTITIES {
            let entity_type = EntityType::ALL[n % EntityType::ALL.len()];
            let (name, value) = match entity_type {
                EntityType::Date => {
                    let day =
                        format!("20{:02}-{:02}-{:02}", random.below(30), 1 + random.below(12), 1 + random.below(28));
                    let date = DateValue { first: day.clone(), last: day.clone(), precision: DatePrecision::Day };
                    (day, Some(EntityValue::Date(date)))
                }
                EntityType::Amount => {
                    let (value, unit) = (random.below(1_000_000).to_string(), "USD".to_owned());
                    (format!("${value}"), Some(EntityValue::Amount(AmountValue { value, unit })))
                }
                _ => (format!("{} {}", self.words(random).to_uppercase(), self.words(random).to_uppercase()), None),
            };
            annotations.entities.push(LocalEntity {
                entity_type,
                key: name.to_lowercase(),
                name,
                aliases: Vec::new(),
                value,
                confidence: 100,
            });
        }
        let places = |count: usize, page: &Page, random: &mut Random| {
            let mut starts: Vec<u32> = (0..count).map(|_| random.below(page.text.len() - 30) as u32).collect();
            starts.sort_unstable();
            starts.into_iter().map(|start| (start, start + 4 + random.below(20) as u32)).collect::<Vec<_>>()
        };
        for page in pages {
            for (char_start, char_end) in places(MENTIONS_PER_CHUNK * CHUNKS_PER_PAGE, page, random) {
                let entity = (ENTITIES as f32).powf(random.uniform()) as u32 - 1;
                let role = (random.below(8) == 0).then(|| ROLES[random.below(ROLES.len())].to_owned());
                annotations.mentions.push(PlacedMention { entity, page: page.number, char_start, char_end, role });
            }
            for (char_start, char_end) in places(REFERENCES_PER_CHUNK * CHUNKS_PER_PAGE, page, random) {
                let name = format!("Section {}.{}", 1 + random.below(12), 1 + random.below(9));
                let kind = ReferenceKind::Internal;
                let reference = Reference { kind, char_start, char_end, name, relation: None };
                annotations.references.push(PlacedReference { page: page.number, reference });
            }
        }
        annotations
    }

    fn page(&self, document: DocumentId, number: u32, first: u32, random: &mut Random) -> (Page, Vec<Chunk>) {
        let (mut text, mut blocks, mut chunks) = (String::new(), Vec::new(), Vec::new());
        for n in 0..CHUNKS_PER_PAGE as u32 {
            let start = text.len();
            let (first_line, first_paragraph) = (line_of(&text), blocks.len() as u32 + 1);
            // Log-normal around the target, clipped to the chunker's limits.
            let chars = (CHUNK_CHARS * (0.25 * random.normal()).exp()).clamp(400.0, 2150.0) as usize;
            for p in 0..PARAGRAPHS_PER_CHUNK {
                if p > 0 {
                    text.push('\n');
                }
                let start = text.len();
                self.paragraph(random, chars / PARAGRAPHS_PER_CHUNK - 40, &mut text);
                let (char_start, char_end) = (start as u32, text.len() as u32);
                blocks.push(Block { char_start, char_end, kind: BlockKind::Paragraph });
            }
            let (from, to) = (start as u32, text.len() as u32);
            chunks.push(Chunk {
                id: ChunkId::derive(document, number, 0, &text[start..]),
                index: first + n,
                page: number,
                char_start: from,
                char_end: to,
                byte_start: from,
                byte_end: to,
                paragraph_start: first_paragraph,
                paragraph_end: blocks.len() as u32,
                line_start: first_line,
                line_end: line_of(&text),
                sheet_name: None,
                row_range: None,
                column_range: None,
                bounding_boxes: Vec::new(),
                heading_path: vec!["Article 4".into(), "Obligations of the parties".into()],
                context: "Document > Article 4 > Obligations of the parties".into(),
                text: text[start..].to_owned(),
            });
            text.push('\n');
        }
        let page = Page {
            number,
            text,
            blocks,
            line_boxes: Vec::new(),
            method: ExtractionMethod::Native,
            ocr_confidence: None,
            sheet_name: None,
            notes: PageNotes::default(),
        };
        (page, chunks)
    }
}

/// The line at which the next part of the text begins.
fn line_of(text: &str) -> u32 {
    text.bytes().filter(|&byte| byte == b'\n').count() as u32 + 1
}

/// Syllables, more of them for rarer words; the rank in base 100 keeps words apart.
fn word(rank: usize, random: &mut Random) -> String {
    let mut word = String::new();
    let mut rest = rank;
    loop {
        let syllable = rest % 100;
        word.push(char::from(b"bcdfghklmnprstvwyzjq"[syllable / 5]));
        word.push(char::from(b"aeiou"[syllable % 5]));
        rest /= 100;
        if rest == 0 {
            break;
        }
    }
    word.push_str(["", "n", "s", "r", "ng", "st"][random.below(6)]);
    word
}

fn sparse_weights(count: usize, random: &mut Random) -> SparseVector {
    let mut terms: Vec<u32> = Vec::with_capacity(count);
    while terms.len() < count {
        while terms.len() < count {
            let rank = (SPARSE_TERMS as f32).powf(random.uniform().sqrt()) as u32 - 1;
            terms.push(rank.min(SPARSE_TERMS as u32 - 1));
        }
        terms.sort_unstable();
        terms.dedup();
    }
    let weight = |random: &mut Random| 0.05 + 2.0 * random.uniform() * random.uniform();
    SparseVector { terms: terms.into_iter().map(|term| (term, weight(random))).collect() }
}
