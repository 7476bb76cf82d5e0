//! Reading documents, pages, chunks and vectors from one consistent snapshot.

use std::collections::VecDeque;
use std::ops::{Range, RangeInclusive};

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::{Annotations, Block, Chunk, ChunkId, DocumentId, DocumentMeta, Page, PageOrigin, Result, Sha256};
use half::f16;
use rocksdb::{Direction, IteratorMode, ReadOptions, Snapshot};

use crate::codec::{decode, decode_json, decode_vector, payload};
use crate::error::corrupt;
use crate::records::{
    AnnotationsRecord, ChunkPlace, ChunkRecord, ChunkSpan, DocumentRecord, LayoutRecord, Op, PageRecord, SlotRange,
    SlotRecord, sparse_vector,
};
use crate::schema::{
    EVIDENCE_KEY, SEGMENT_BYTES, cf, document_range, hash_key, numbered_key, parse_chunk_id, parse_hash_key,
    parse_numbered_key, parse_sequence_key, path_key, sequence_key, text_key,
};
use crate::truth::{Entry, Truth, Value};

/// A consistent view: later commits are not seen. Holding one keeps old versions on disk; be brief.
pub(crate) struct Reader<'t> {
    truth: &'t Truth,
    snapshot: Snapshot<'t>,
}

impl Truth {
    pub fn reader(&self) -> Reader<'_> {
        Reader { truth: self, snapshot: self.db().snapshot() }
    }
}

impl<'t> Reader<'t> {
    pub fn truth(&self) -> &'t Truth {
        self.truth
    }

    pub fn get(&self, family: &str, key: &[u8]) -> Result<Option<Value<'_>>> {
        let stored = self.snapshot.get_pinned_cf(self.truth.cf(family)?, self.truth.seal().key(family, key));
        let stored = stored.map_err(|error| self.truth.error(error))?;
        stored.map(|stored| self.truth.opened_value(family, key, stored)).transpose()
    }

    /// Entries with `start <= key < end`, in order. If keys are replaced, both ends must begin with the same replaced
    /// blocks.
    pub fn scan<'r>(
        &'r self,
        family: &'static str,
        start: &[u8],
        end: Vec<u8>,
    ) -> Result<impl Iterator<Item = Result<Entry>> + use<'r, 't>> {
        let mut options = ReadOptions::default();
        let seal = self.truth.seal();
        options.set_iterate_upper_bound(seal.key(family, &end).into_owned());
        self.iterate(family, options, IteratorMode::From(&seal.key(family, start), Direction::Forward))
    }

    /// All entries of a column family, in the order of the keys as they are stored.
    pub fn scan_all(&self, family: &'static str) -> Result<impl Iterator<Item = Result<Entry>>> {
        self.iterate(family, ReadOptions::default(), IteratorMode::Start)
    }

    fn iterate<'r>(
        &'r self,
        family: &'static str,
        options: ReadOptions,
        mode: IteratorMode<'_>,
    ) -> Result<impl Iterator<Item = Result<Entry>> + use<'r, 't>> {
        let entries = self.snapshot.iterator_cf_opt(self.truth.cf(family)?, options, mode);
        Ok(entries.map(move |entry| self.truth.opened(family, entry.map_err(|error| self.truth.error(error))?)))
    }

    pub fn document(&self, id: DocumentId) -> Result<Option<DocumentRecord>> {
        self.get(cf::DOCUMENTS, id.as_bytes())?.map(|value| decode_json("document", &value)).transpose()
    }

    /// Ordered by path.
    pub fn documents(&self) -> Result<Vec<DocumentMeta>> {
        let record = |entry: Result<Entry>| decode_json::<DocumentRecord>("document", &entry?.1);
        let records = self.scan_all(cf::DOCUMENTS)?.map(record);
        let mut documents = records.map(|record| Ok(record?.meta)).collect::<Result<Vec<_>>>()?;
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(documents)
    }

    pub fn document_at_path(&self, path: &str) -> Result<Option<DocumentId>> {
        self.get(cf::PATH_INDEX, &path_key(path))?.map(|value| decode("path index entry", &value)).transpose()
    }

    pub fn documents_by_sha256(&self, sha256: Sha256) -> Result<Vec<DocumentId>> {
        let start = hash_key(sha256, DocumentId::from_bytes([0; 16]));
        let mut end = hash_key(sha256, DocumentId::from_bytes([0xff; 16])).to_vec();
        end.push(0);
        let document = |key: &[u8]| parse_hash_key(key).map(|(_, document)| document);
        let entries = self.scan(cf::HASH_INDEX, &start, end)?;
        entries.map(|entry| document(&entry?.0).ok_or_else(|| bad_key(cf::HASH_INDEX))).collect()
    }

    pub fn page_record(&self, document: DocumentId, page: u32) -> Result<Option<PageRecord>> {
        self.get(cf::PAGES, &numbered_key(document, page))?.map(|value| PageRecord::decode(&value)).transpose()
    }

    fn layout(&self, document: DocumentId, page: u32) -> Result<LayoutRecord> {
        let value = self.get(cf::PAGE_LAYOUT, &numbered_key(document, page))?;
        decode("page layout", &value.ok_or_else(|| lost("layout", document, page))?)
    }

    pub fn page(&self, document: DocumentId, number: u32) -> Result<Option<Page>> {
        let Some(record) = self.page_record(document, number)? else { return Ok(None) };
        let layout = self.layout(document, number)?;
        let text = self.page_text(document, number, 0..record.byte_len)?;
        Ok(Some(record.into_page(number, text, layout)))
    }

    pub fn page_blocks(&self, document: DocumentId, page: u32) -> Result<Vec<Block>> {
        Ok(self.layout(document, page)?.blocks)
    }

    /// The record of a page that must be there.
    pub fn known_page(&self, document: DocumentId, page: u32) -> Result<PageRecord> {
        self.page_record(document, page)?.ok_or_else(|| lost("record", document, page))
    }

    pub fn page_origin(&self, document: DocumentId, page: u32) -> Result<PageOrigin> {
        Ok(self.known_page(document, page)?.into_origin())
    }

    /// The Bates numbers on the pages of a document, by page. Reads no text.
    pub fn bates(&self, document: DocumentId) -> Result<Vec<(u32, String)>> {
        let mut numbers = Vec::new();
        for entry in self.numbered(cf::PAGES, document, 0..u32::MAX)? {
            let (page, value) = entry?;
            numbers.extend(PageRecord::decode(&value)?.into_origin().bates.map(|number| (page, number)));
        }
        Ok(numbers)
    }

    /// A part of a page's text by bytes. Reads only the segments that hold it.
    pub fn page_text(&self, document: DocumentId, page: u32, bytes: Range<u32>) -> Result<String> {
        PageCursor::new(self, document).text(page, bytes)
    }

    pub fn chunk_place(&self, id: ChunkId) -> Result<Option<ChunkPlace>> {
        self.get(cf::CHUNK_IDS, id.as_bytes())?.map(|value| decode("chunk id", &value)).transpose()
    }

    /// The ids of chunks within a range, in order; the first `most` of them.
    pub fn chunk_ids_within(&self, ids: RangeInclusive<ChunkId>, most: usize) -> Result<Vec<ChunkId>> {
        let id = |key: &[u8]| parse_chunk_id(key).ok_or_else(|| bad_key(cf::CHUNK_IDS));
        if !self.truth.seal().is_sealed() {
            let mut end = ids.end().as_bytes().to_vec();
            end.push(0);
            let entries = self.scan(cf::CHUNK_IDS, ids.start().as_bytes(), end)?;
            return entries.take(most).map(|entry| id(&entry?.0)).collect();
        }
        // The stored keys of a vault have another order. No value is opened for this.
        let family = self.truth.cf(cf::CHUNK_IDS)?;
        let mut found = Vec::new();
        for entry in self.snapshot.iterator_cf(family, IteratorMode::Start) {
            let (key, _) = entry.map_err(|error| self.truth.error(error))?;
            let id = id(&self.truth.seal().original_key(cf::CHUNK_IDS, key))?;
            if ids.contains(&id) {
                found.push(id);
            }
        }
        found.sort_unstable();
        found.truncate(most);
        Ok(found)
    }

    pub fn chunk_record(&self, document: DocumentId, index: u32) -> Result<Option<ChunkRecord>> {
        self.get(cf::CHUNKS, &numbered_key(document, index))?.map(|value| decode("chunk", &value)).transpose()
    }

    pub fn chunk(&self, document: DocumentId, index: u32) -> Result<Option<Chunk>> {
        let Some(record) = self.chunk_record(document, index)? else { return Ok(None) };
        PageCursor::new(self, document).chunk(index, record).map(Some)
    }

    /// The place of each chunk of a document, in order.
    pub fn chunk_spans(&self, document: DocumentId) -> Result<Vec<ChunkSpan>> {
        self.numbered(cf::CHUNKS, document, 0..u32::MAX)?
            .map(|entry| {
                let (index, value) = entry?;
                Ok(decode::<ChunkRecord>("chunk", &value)?.span(index))
            })
            .collect()
    }

    /// Calls `visit` with the chunks of a range of indexes, in order; those that do not exist are skipped.
    pub fn for_each_chunk(
        &self,
        document: DocumentId,
        range: Range<u32>,
        mut visit: impl FnMut(Chunk) -> Result<()>,
    ) -> Result<()> {
        let mut pages = PageCursor::new(self, document);
        for entry in self.numbered(cf::CHUNKS, document, range)? {
            let (index, value) = entry?;
            visit(pages.chunk(index, decode("chunk", &value)?)?)?;
        }
        Ok(())
    }

    /// Calls `visit` with the chunks of some indexes, which ascend; those that do not exist are skipped.
    pub fn for_some_chunks(
        &self,
        document: DocumentId,
        indexes: &[u32],
        mut visit: impl FnMut(Chunk) -> Result<()>,
    ) -> Result<()> {
        let mut pages = PageCursor::new(self, document);
        for &index in indexes {
            if let Some(value) = self.get(cf::CHUNKS, &numbered_key(document, index))? {
                visit(pages.chunk(index, decode("chunk", &value)?)?)?;
            }
        }
        Ok(())
    }

    /// Entries of a column family with [`numbered_key`]s.
    pub fn numbered(
        &self,
        family: &'static str,
        document: DocumentId,
        range: Range<u32>,
    ) -> Result<impl Iterator<Item = Result<(u32, Box<[u8]>)>>> {
        let end = match range.end {
            u32::MAX => document_range(document).1,
            end => numbered_key(document, end.max(range.start)).to_vec(),
        };
        let entries = self.scan(family, &numbered_key(document, range.start), end)?;
        Ok(entries.map(move |entry| {
            let (key, value) = entry?;
            let (_, number) = parse_numbered_key(&key).ok_or_else(|| bad_key(family))?;
            Ok((number, value))
        }))
    }

    pub fn vector(&self, document: DocumentId, index: u32, dimension: usize) -> Result<Option<Vec<f16>>> {
        let value = self.get(cf::VECTORS, &numbered_key(document, index))?;
        value.map(|value| decode_vector(&value, dimension)).transpose()
    }

    /// Calls `visit` with index and vector of each chunk, in order.
    pub fn for_each_vector(
        &self,
        document: DocumentId,
        dimension: usize,
        mut visit: impl FnMut(u32, Vec<f16>) -> Result<()>,
    ) -> Result<()> {
        for entry in self.numbered(cf::VECTORS, document, 0..u32::MAX)? {
            let (index, value) = entry?;
            visit(index, decode_vector(&value, dimension)?)?;
        }
        Ok(())
    }

    /// Calls `visit` with index and learned-sparse vector of each chunk that has one, in order.
    pub fn for_each_sparse_vector(
        &self,
        document: DocumentId,
        mut visit: impl FnMut(u32, &[(u32, u8)]) -> Result<()>,
    ) -> Result<()> {
        let mut impacts = Vec::new();
        for entry in self.numbered(cf::SPARSE_VECTORS, document, 0..u32::MAX)? {
            let (index, value) = entry?;
            sparse_vector::decode_into(payload("learned-sparse vector", &value)?, &mut impacts)?;
            visit(index, &impacts)?;
        }
        Ok(())
    }

    pub fn has_sparse_vectors(&self, document: DocumentId) -> Result<bool> {
        Ok(self.get(cf::SPARSE_VECTORS, &numbered_key(document, 0))?.is_some())
    }

    pub fn token_vectors(&self, document: DocumentId, index: u32) -> Result<Option<Vec<u8>>> {
        let value = self.get(cf::TOKEN_VECTORS, &numbered_key(document, index))?;
        value.map(|value| Ok(payload("token vectors", &value)?.to_vec())).transpose()
    }

    pub fn annotations(&self, document: DocumentId) -> Result<Option<Annotations>> {
        let value = self.get(cf::ANNOTATIONS, document.as_bytes())?;
        value.map(|value| decode::<AnnotationsRecord>("annotation", &value)?.into_annotations()).transpose()
    }

    pub fn evidence(&self) -> Result<EvidenceTray> {
        let value = self.get(cf::META, &EVIDENCE_KEY)?;
        value.map_or_else(|| Ok(EvidenceTray::default()), |value| decode("evidence", &value))
    }

    pub fn slot_ranges(&self) -> Result<impl Iterator<Item = Result<SlotRange>>> {
        Ok(self.scan_all(cf::SLOTS)?.map(|entry| {
            let (key, value) = entry?;
            let SlotRecord { document, count } = decode("slot range", &value)?;
            let first = parse_sequence_key(&key).ok_or_else(|| bad_key(cf::SLOTS))?;
            Ok(SlotRange { document, first, count })
        }))
    }

    /// Log entries after `seq`, in order.
    pub fn ops_after(&self, seq: u64) -> Result<impl Iterator<Item = Result<(u64, Op)>>> {
        let start = sequence_key(seq.saturating_add(1));
        Ok(self.scan(cf::OPLOG, &start, vec![0xff; 9])?.map(|entry| {
            let (key, value) = entry?;
            Ok((parse_sequence_key(&key).ok_or_else(|| bad_key(cf::OPLOG))?, decode("log entry", &value)?))
        }))
    }
}

fn lost(what: &str, document: DocumentId, page: u32) -> casetrack_core::Error {
    corrupt(format!("The {what} of page {page} of document {document} is missing."))
}

fn bad_key(family: &str) -> casetrack_core::Error {
    corrupt(format!("A key in \"{family}\" has the wrong length."))
}

/// Reads text of one document, from front to back, keeping the segments that neighbouring chunks share.
struct PageCursor<'r, 't> {
    reader: &'r Reader<'t>,
    document: DocumentId,
    page: u32,
    /// Consecutive segments and the number of the first.
    segments: VecDeque<Vec<u8>>,
    first_segment: u32,
}

impl<'r, 't> PageCursor<'r, 't> {
    fn new(reader: &'r Reader<'t>, document: DocumentId) -> Self {
        Self { reader, document, page: 0, segments: VecDeque::new(), first_segment: 0 }
    }

    fn chunk(&mut self, index: u32, record: ChunkRecord) -> Result<Chunk> {
        let text = self.text(record.0.page, record.0.byte_start..record.0.byte_end)?;
        Ok(record.into_chunk(index, text))
    }

    fn text(&mut self, page: u32, bytes: Range<u32>) -> Result<String> {
        if page != self.page {
            *self = Self { page, ..Self::new(self.reader, self.document) };
        }
        if bytes.is_empty() {
            return Ok(String::new());
        }
        let (first, last) = (bytes.start / SEGMENT_BYTES, (bytes.end - 1) / SEGMENT_BYTES);
        if first < self.first_segment || self.first_segment + self.segments.len() as u32 <= first {
            self.segments.clear();
            self.first_segment = first;
        }
        while self.first_segment < first {
            self.segments.pop_front();
            self.first_segment += 1;
        }
        let mut text = Vec::with_capacity(bytes.len());
        for number in first..=last {
            let held = (number - self.first_segment) as usize;
            if held == self.segments.len() {
                self.segments.push_back(self.read_segment(number)?);
            }
            let from = bytes.start.saturating_sub(number * SEGMENT_BYTES) as usize;
            let to = (bytes.end - number * SEGMENT_BYTES).min(SEGMENT_BYTES) as usize;
            let part = self.segments.get(held).and_then(|segment| segment.get(from..to));
            text.extend_from_slice(part.ok_or_else(|| lost("text", self.document, page))?);
        }
        String::from_utf8(text).map_err(|_| {
            let Range { start, end } = bytes;
            corrupt(format!("Bytes {start}..{end} of page {page} of document {} are not text.", self.document))
        })
    }

    fn read_segment(&self, number: u32) -> Result<Vec<u8>> {
        let value = self.reader.get(cf::PAGE_TEXT, &text_key(self.document, self.page, number))?;
        let value = value.ok_or_else(|| lost("text", self.document, self.page))?;
        Ok(payload("page text", &value)?.to_vec())
    }
}
