//! Down from each document to its pages, chunks and vectors.

use casetrack_core::{Chunk, Page, Result};

use super::{Documents, Findings, damage, named};
use crate::codec::{decode, decode_json, decode_vector, payload};
use crate::invariants::{Rule, annotations_problem, check_page, vector_problem};
use crate::manifest::VectorModels;
use crate::reader::Reader;
use crate::records::{ChunkRecord, DocumentRecord, SlotRecord, TokenModel, sparse_vector};
use crate::schema::{cf, hash_key, leading_document, sequence_key};

/// Reads the record of every document.
pub(super) fn read_all(reader: &Reader<'_>, chain: &mut Findings) -> Result<Documents> {
    let mut documents = Documents::new();
    for entry in reader.scan_all(cf::DOCUMENTS)? {
        let (key, value) = entry?;
        chain.check.checked += 1;
        let id = leading_document(&key);
        match (id, decode_json::<DocumentRecord>("document", &value)) {
            (Some(id), Ok(record)) if record.meta.id == id => {
                documents.insert(id, record);
            }
            (Some(id), Ok(record)) => chain.problem(format!("Document {id} holds the record of {}.", named(&record))),
            (Some(id), Err(error)) => chain.problem(format!("Document {id}: {}", error.message)),
            (None, _) => chain.problem("A document has a key that is not a document id.".to_owned()),
        }
    }
    Ok(documents)
}

pub(super) struct Walk<'r, 't> {
    reader: &'r Reader<'t>,
    dimension: u32,
    pub verbatim: Findings,
    pub coverage: Findings,
    pub chain: Findings,
    pub vectors: Findings,
    pub sparse_vectors: Findings,
    pub token_vectors: Findings,
    pub annotations: Findings,
    /// The model of learned-sparse vectors, if the collection has one.
    sparse_model: Option<&'r str>,
    /// The same of token vectors.
    token_model: Option<&'r TokenModel>,
    pub found: OptionalParts,
}

/// The parts that not every document has, in all documents so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct OptionalParts {
    pub sparse_chunks: u64,
    pub token_chunks: u64,
    pub annotated_documents: u64,
}

impl<'r, 't> Walk<'r, 't> {
    pub fn new(reader: &'r Reader<'t>, models: &'r VectorModels, chain: Findings) -> Self {
        Self {
            reader,
            dimension: models.dense_dimension,
            verbatim: Findings::new(
                "verbatim",
                "Every chunk is its page's text between its offsets; its lines, paragraphs and id follow from it.",
            ),
            coverage: Findings::new("coverage", "Every character that is not white space is in at least one chunk."),
            chain,
            vectors: Findings::new("vectors", "Every vector has the model's dimension and length 1."),
            sparse_vectors: Findings::new(
                "sparse_vectors",
                "The chunks of a document have learned-sparse vectors all or none; terms are in order, impacts above 0.",
            ),
            token_vectors: Findings::new(
                "token_vectors",
                "The chunks of a document have token vectors all or none, of whole tokens.",
            ),
            annotations: Findings::new(
                "annotations",
                "Every mention and reference is in the text of its page, in order; a mention is of an entity of its \
                 document.",
            ),
            sparse_model: models.sparse.as_deref(),
            token_model: models.tokens.as_ref(),
            found: OptionalParts::default(),
        }
    }

    pub fn document(&mut self, record: &DocumentRecord) -> Result<()> {
        self.indexed(record)?;
        let page_chars = self.pages(record)?;
        self.vectors_of(record)?;
        self.sparse_vectors_of(record)?;
        self.token_vectors_of(record)?;
        self.annotations_of(record, &page_chars)
    }

    /// The lookups that lead to a document.
    fn indexed(&mut self, record: &DocumentRecord) -> Result<()> {
        let (meta, name) = (&record.meta, named(record));
        match damage(self.reader.document_at_path(&meta.path))? {
            Ok(Some(id)) if id == meta.id => {}
            Ok(Some(id)) => self.chain.problem(format!("{name}: its path leads to document {id}.")),
            Ok(None) => self.chain.problem(format!("{name} cannot be found by its path.")),
            Err(error) => self.chain.problem(format!("{name}: {}", error.message)),
        }
        if self.reader.get(cf::HASH_INDEX, &hash_key(meta.sha256, meta.id))?.is_none() {
            self.chain.problem(format!("{name} cannot be found by its SHA-256."));
        }
        let slots = self.reader.get(cf::SLOTS, &sequence_key(record.first_slot))?;
        let slots: Option<SlotRecord> = slots.and_then(|value| decode("slot range", &value).ok());
        if slots != Some(SlotRecord { document: meta.id, count: meta.chunk_count }) {
            self.chain.problem(format!("{name}: slot {} does not lead to it.", record.first_slot));
        }
        Ok(())
    }

    /// Pages in order, each with its chunks. The length of each page, 0 if it cannot be read.
    fn pages(&mut self, record: &DocumentRecord) -> Result<Vec<u64>> {
        let (meta, name) = (&record.meta, named(record));
        let mut records = self.reader.numbered(cf::CHUNKS, meta.id, 0..u32::MAX)?.peekable();
        let (mut page_chars, mut next_index) = (Vec::new(), 0);
        for number in 1..=meta.page_count {
            self.coverage.check.checked += 1;
            self.chain.check.checked += 1;
            let page = match damage(self.reader.page(meta.id, number))? {
                Ok(Some(page)) => Some(page),
                Ok(None) => {
                    self.chain.problem(format!("{name}, page {number} is missing."));
                    None
                }
                Err(error) => {
                    self.chain.problem(format!("{name}, page {number}: {}", error.message));
                    None
                }
            };
            let mut chunks = Vec::new();
            while let Some(entry) = records
                .next_if(|entry| entry.as_ref().is_ok_and(|(_, value)| page_of(value).is_none_or(|p| p <= number)))
            {
                let (index, value) = entry?;
                self.chain.check.checked += 1;
                self.verbatim.check.checked += 1;
                if index != next_index {
                    self.chain.problem(format!("{name}: chunk {index} is at the place of chunk {next_index}."));
                }
                next_index = index.saturating_add(1);
                if let Some(chunk) = self.chunk(record, index, &value, page.as_ref())? {
                    chunks.push(chunk);
                }
            }
            page_chars.push(page.as_ref().map_or(0, |page| page.text.chars().count() as u64));
            if let Some(page) = page {
                check_page(meta.id, &page, &chunks, &mut |violation| {
                    let problem = format!("{name}, {violation}.");
                    match violation.rule {
                        Rule::Verbatim => self.verbatim.problem(problem),
                        Rule::Covered => self.coverage.problem(problem),
                    }
                });
            }
        }
        for entry in records {
            let (index, _) = entry?;
            next_index = index.saturating_add(1);
            self.chain.problem(format!("{name}: chunk {index} is on a page that does not exist."));
        }
        if next_index != meta.chunk_count {
            self.chain.problem(format!("{name} has {next_index} chunks, but claims {}.", meta.chunk_count));
        }
        let chars: u64 = page_chars.iter().sum();
        if chars != meta.char_count {
            self.chain.problem(format!("{name} has {chars} characters, but claims {}.", meta.char_count));
        }
        Ok(page_chars)
    }

    /// A chunk with its text from the page, and whether its id leads to it.
    fn chunk(
        &mut self,
        document: &DocumentRecord,
        index: u32,
        value: &[u8],
        page: Option<&Page>,
    ) -> Result<Option<Chunk>> {
        let (id, name) = (document.meta.id, named(document));
        let record: ChunkRecord = match decode("chunk", value) {
            Ok(record) => record,
            Err(error) => {
                self.chain.problem(format!("{name}, chunk {index}: {}", error.message));
                return Ok(None);
            }
        };
        match damage(self.reader.chunk_place(record.0.id))? {
            Ok(Some(place)) if (place.document, place.index) == (id, index) => {}
            Ok(_) => self.chain.problem(format!("{name}, chunk {index} cannot be found by its id, {}.", record.0.id)),
            Err(error) => self.chain.problem(format!("{name}, chunk {index}: {}", error.message)),
        }
        let Some(page) = page else { return Ok(None) };
        let (start, end) = (record.0.byte_start as usize, record.0.byte_end as usize);
        let Some(text) = page.text.get(start..end).filter(|_| record.0.page == page.number) else {
            self.verbatim
                .problem(format!("{name}, chunk {index}: page {} has no text at bytes {start}..{end}.", record.0.page));
            return Ok(None);
        };
        Ok(Some(record.into_chunk(index, text.to_owned())))
    }

    fn vectors_of(&mut self, record: &DocumentRecord) -> Result<()> {
        let (meta, name) = (&record.meta, named(record));
        let mut next_index = 0;
        for entry in self.reader.numbered(cf::VECTORS, meta.id, 0..u32::MAX)? {
            let (index, value) = entry?;
            self.vectors.check.checked += 1;
            self.in_sequence(&name, "vector", index, &mut next_index);
            let problem = match decode_vector(&value, self.dimension as usize) {
                Ok(vector) => vector_problem(vector.iter().map(|x| x.to_f32()), self.dimension)
                    .map(|problem| format!("its vector {problem}.")),
                Err(error) => Some(error.message),
            };
            problem.into_iter().for_each(|problem| self.vectors.problem(format!("{name}, chunk {index}: {problem}")));
        }
        if next_index != meta.chunk_count {
            self.chain.problem(format!("{name} has {next_index} vectors for {} chunks.", meta.chunk_count));
        }
        Ok(())
    }

    /// Notes a gap before the value of a chunk.
    fn in_sequence(&mut self, name: &str, what: &str, index: u32, next_index: &mut u32) {
        if index != *next_index {
            let problem = format!("{name}: the {what} of chunk {index} is at the place of that of {next_index}.");
            self.chain.problem(problem);
        }
        *next_index = index.saturating_add(1);
    }

    fn sparse_vectors_of(&mut self, record: &DocumentRecord) -> Result<()> {
        let (meta, name) = (&record.meta, named(record));
        let (mut impacts, mut next_index) = (Vec::new(), 0);
        for entry in self.reader.numbered(cf::SPARSE_VECTORS, meta.id, 0..u32::MAX)? {
            let (index, value) = entry?;
            self.sparse_vectors.check.checked += 1;
            self.found.sparse_chunks += 1;
            self.in_sequence(&name, "learned-sparse vector", index, &mut next_index);
            let decoded = payload("learned-sparse vector", &value)
                .and_then(|payload| sparse_vector::decode_into(payload, &mut impacts));
            if let Err(error) = decoded {
                self.sparse_vectors.problem(format!("{name}, chunk {index}: {}", error.message));
            }
        }
        if next_index > 0 && next_index != meta.chunk_count {
            self.chain
                .problem(format!("{name} has {next_index} learned-sparse vectors for {} chunks.", meta.chunk_count));
        }
        if next_index > 0 && self.sparse_model.is_none() {
            self.chain.problem(format!("{name} has learned-sparse vectors, but the collection has no model for them."));
        }
        Ok(())
    }

    fn token_vectors_of(&mut self, record: &DocumentRecord) -> Result<()> {
        let (meta, name) = (&record.meta, named(record));
        let mut next_index = 0;
        for entry in self.reader.numbered(cf::TOKEN_VECTORS, meta.id, 0..u32::MAX)? {
            let (index, value) = entry?;
            self.token_vectors.check.checked += 1;
            self.found.token_chunks += 1;
            self.in_sequence(&name, "value of token vectors", index, &mut next_index);
            let problem = match (payload("token vectors", &value), self.token_model) {
                (Ok(signs), Some(model)) => model.problem(signs).map(|problem| format!("its token vectors {problem}.")),
                (Ok(_), None) => Some("it has token vectors, but the collection has no model for them.".to_owned()),
                (Err(error), _) => Some(error.message),
            };
            let problem = problem.map(|problem| format!("{name}, chunk {index}: {problem}"));
            problem.into_iter().for_each(|problem| self.token_vectors.problem(problem));
        }
        if next_index > 0 && next_index != meta.chunk_count {
            self.chain
                .problem(format!("{next_index} of the {} chunks of {name} have token vectors.", meta.chunk_count));
        }
        Ok(())
    }

    fn annotations_of(&mut self, record: &DocumentRecord, page_chars: &[u64]) -> Result<()> {
        let name = named(record);
        let problem = match damage(self.reader.annotations(record.meta.id))? {
            Ok(None) => return Ok(()),
            Ok(Some(annotations)) => annotations_problem(&annotations, page_chars)
                .map(|problem| format!("{name}: in its annotations, {problem}.")),
            Err(error) => Some(format!("{name}: {}", error.message)),
        };
        self.annotations.check.checked += 1;
        self.found.annotated_documents += 1;
        problem.into_iter().for_each(|problem| self.annotations.problem(problem));
        Ok(())
    }
}

/// The page of an encoded chunk, if it can be decoded.
fn page_of(value: &[u8]) -> Option<u32> {
    decode::<ChunkRecord>("chunk", value).ok().map(|record| record.0.page)
}
