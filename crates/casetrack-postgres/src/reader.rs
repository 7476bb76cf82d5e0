use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::{Annotations, Chunk, ChunkId, DocumentId, DocumentMeta, Error, Page, Result, Sha256, Timestamp};
use casetrack_store::parts::{
    AnnotationsRecord, ChunkRecord, LayoutRecord, PageRecord, VisitChunk, corrupt, decode, decode_impacts, decode_json,
    payload,
};
use casetrack_store::{
    ChunkSpan, Counts, DescribedDocument, PageFacts, PassageSource, SparseVector, StoredDocument, VectorModels,
};
use postgres::Row;
use serde_json::Value;

use crate::error::Step;
use crate::moment::gone;
use crate::route::Routes;
use crate::server::{Connection, Params, Session};
use crate::sql::{Raw, components, id};

pub(crate) struct Reader<'t> {
    routes: &'t Routes,
    models: &'t VectorModels,
    asked: Session<'t>,
}

fn number(of: u32) -> i32 {
    i32::try_from(of).unwrap_or(i32::MAX)
}

fn column<'r, T: postgres::types::FromSql<'r>>(row: &'r Row, n: usize) -> Result<T> {
    row.try_get(n).map_err(|error| corrupt(format!("A row cannot be read: {error}.")))
}

impl<'t> Reader<'t> {
    pub fn new(routes: &'t Routes, models: &'t VectorModels, asked: Session<'t>) -> Self {
        Self { routes, models, asked }
    }

    pub fn answer<T>(&self, made: Result<T>) -> Step<T> {
        self.asked.answer(made)
    }

    fn all(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>> {
        self.asked.ask(|connection| connection.all(sql, params))
    }

    /// Rows of a document. Parameters from the fourth on are those given.
    fn of(&self, document: DocumentId, sql: &str, params: Params<'_>) -> Result<Vec<Row>> {
        let routes = self.routes;
        let (route, collection, document) = (routes.route(document), id(routes.collection()), id(document));
        let mut all: Vec<&(dyn postgres::types::ToSql + Sync)> = vec![&route, &collection, &document];
        all.extend(params);
        self.all(sql, &all)
    }

    pub fn document(&self, document: DocumentId) -> Result<Option<DocumentMeta>> {
        let sql = "SELECT meta FROM documents WHERE route = $1 AND collection = $2 AND document = $3";
        self.of(document, sql, &[])?.first().map(meta).transpose()
    }

    /// In the order in which they were stored.
    pub fn documents(&self) -> Result<Vec<DocumentMeta>> {
        let routes = self.routes;
        let sql = "SELECT meta FROM documents WHERE route = ANY($1) AND collection = $2 ORDER BY ordinal";
        self.all(sql, &[&routes.all, &id(routes.collection())])?.iter().map(meta).collect()
    }

    pub fn document_by_path(&self, path: &str) -> Result<Option<DocumentMeta>> {
        let routes = self.routes;
        let sql = "SELECT meta FROM documents WHERE route = ANY($1) AND collection = $2 AND path_hash = $3";
        let rows = self.all(sql, &[&routes.all, &id(routes.collection()), &path_hash(path)])?;
        rows.first().map(meta).transpose()
    }

    pub fn documents_by_sha256(&self, sha256: Sha256) -> Result<Vec<DocumentId>> {
        let routes = self.routes;
        let sql = "SELECT document FROM documents WHERE route = ANY($1) AND collection = $2 AND sha256 = $3 ORDER BY document";
        let rows = self.all(sql, &[&routes.all, &id(routes.collection()), &sha256.0.as_slice()])?;
        rows.iter().map(|row| Ok(DocumentId::from_bytes(column::<Raw>(row, 0)?.uuid()))).collect()
    }

    pub fn annotations(&self, document: DocumentId) -> Result<Option<Annotations>> {
        let sql = "SELECT annotations FROM documents WHERE route = $1 AND collection = $2 AND document = $3";
        let rows = self.of(document, sql, &[])?;
        let value: Option<&[u8]> = rows.first().map(|row| column(row, 0)).transpose()?.flatten();
        value.map(|value| decode::<AnnotationsRecord>("annotation", value)?.into_annotations()).transpose()
    }

    pub fn page(&self, document: DocumentId, page: u32) -> Result<Option<Page>> {
        let sql = "SELECT page, record, layout, content FROM pages \
                   WHERE route = $1 AND collection = $2 AND document = $3 AND page = $4";
        self.of(document, sql, &[&number(page)])?.first().map(whole_page).transpose()
    }

    pub fn pages(&self, document: DocumentId) -> Result<Vec<Page>> {
        let sql = "SELECT page, record, layout, content FROM pages \
                   WHERE route = $1 AND collection = $2 AND document = $3 ORDER BY page";
        self.of(document, sql, &[])?.iter().map(whole_page).collect()
    }

    /// A part of a page's text; `None` if the page does not exist or is shorter.
    pub fn page_text(&self, document: DocumentId, page: u32, bytes: Range<u32>) -> Result<Option<String>> {
        let (from, length) = (number(bytes.start).saturating_add(1), number(bytes.end.saturating_sub(bytes.start)));
        let sql = "SELECT substring(content FROM $5 FOR $6), octet_length(content) FROM pages \
                   WHERE route = $1 AND collection = $2 AND document = $3 AND page = $4";
        let rows = self.of(document, sql, &[&number(page), &from, &length])?;
        let Some(row) = rows.first() else { return Ok(None) };
        if column::<i32>(row, 1)? < number(bytes.end) { Ok(None) } else { text(column(row, 0)?).map(Some) }
    }

    pub fn page_record(&self, document: DocumentId, page: u32) -> Result<PageRecord> {
        let sql = "SELECT record FROM pages WHERE route = $1 AND collection = $2 AND document = $3 AND page = $4";
        let rows = self.of(document, sql, &[&number(page)])?;
        let row = rows.first().ok_or_else(|| lost(document, page))?;
        PageRecord::decode(column(row, 0)?)
    }

    pub fn page_records(&self, document: DocumentId) -> Result<HashMap<u32, PageRecord>> {
        let sql = "SELECT page, record FROM pages WHERE route = $1 AND collection = $2 AND document = $3";
        let record = |row: &Row| Ok((column::<i32>(row, 0)?.cast_unsigned(), PageRecord::decode(column(row, 1)?)?));
        self.of(document, sql, &[])?.iter().map(record).collect()
    }

    pub fn layout(&self, document: DocumentId, page: u32) -> Result<LayoutRecord> {
        let sql = "SELECT layout FROM pages WHERE route = $1 AND collection = $2 AND document = $3 AND page = $4";
        let rows = self.of(document, sql, &[&number(page)])?;
        let row = rows.first().ok_or_else(|| lost(document, page))?;
        decode("page layout", column(row, 0)?)
    }

    pub fn place_of_chunk(&self, chunk: ChunkId) -> Result<Option<(DocumentId, u32)>> {
        let routes = self.routes;
        let sql = "SELECT document, chunk FROM chunks WHERE route = ANY($1) AND collection = $2 AND id = $3";
        let rows = self.all(sql, &[&routes.all, &id(routes.collection()), &id(chunk)])?;
        let Some(row) = rows.first() else { return Ok(None) };
        let document = DocumentId::from_bytes(column::<Raw>(row, 0)?.uuid());
        Ok(Some((document, column::<i32>(row, 1)?.cast_unsigned())))
    }

    pub fn chunk_ids_within(&self, ids: &RangeInclusive<ChunkId>, most: usize) -> Result<Vec<ChunkId>> {
        let routes = self.routes;
        let sql = "SELECT id FROM chunks WHERE route = ANY($1) AND collection = $2 AND id >= $3 AND id <= $4 \
                   ORDER BY id LIMIT $5";
        let (first, last, most) = (id(*ids.start()), id(*ids.end()), i64::try_from(most).unwrap_or(i64::MAX));
        self.all(sql, &[&routes.all, &id(routes.collection()), &first, &last, &most])?.iter().map(chunk_id).collect()
    }

    pub fn chunks_within(&self, document: DocumentId, range: Range<u32>) -> Result<Vec<Chunk>> {
        let sql = format!("{CHUNKS} AND c.chunk >= $4 AND c.chunk < $5 ORDER BY c.chunk");
        let rows = self.of(document, &sql, &[&number(range.start), &number(range.end)])?;
        rows.iter().map(chunk).collect()
    }

    fn chunks_at(&self, document: DocumentId, indexes: &[u32]) -> Result<Vec<Chunk>> {
        let indexes: Vec<i32> = indexes.iter().map(|&index| number(index)).collect();
        let sql = format!("{CHUNKS} AND c.chunk = ANY($4) ORDER BY c.chunk");
        self.of(document, &sql, &[&indexes])?.iter().map(chunk).collect()
    }

    /// The places of the chunks of a document, in order.
    pub fn spans(&self, document: DocumentId) -> Result<Vec<ChunkSpan>> {
        let sql =
            "SELECT chunk, record FROM chunks WHERE route = $1 AND collection = $2 AND document = $3 ORDER BY chunk";
        let span = |row: &Row| {
            Ok(decode::<ChunkRecord>("chunk", column(row, 1)?)?.span(column::<i32>(row, 0)?.cast_unsigned()))
        };
        self.of(document, sql, &[])?.iter().map(span).collect()
    }

    pub fn vector(&self, document: DocumentId, index: u32) -> Result<Option<Vec<f32>>> {
        let sql = "SELECT embedding FROM vectors WHERE route = $1 AND collection = $2 AND document = $3 AND chunk = $4";
        let rows = self.of(document, sql, &[&number(index)])?;
        rows.first().map(|row| Ok(components(&column(row, 0)?))).transpose()
    }

    pub fn vectors(&self, document: DocumentId) -> Result<Vec<(ChunkId, Vec<f32>)>> {
        let sql = "SELECT c.id, v.embedding FROM vectors v JOIN chunks c USING (route, collection, document, chunk) \
                   WHERE v.route = $1 AND v.collection = $2 AND v.document = $3 ORDER BY v.chunk";
        let vector = |row: &Row| Ok((chunk_id(row)?, components(&column(row, 1)?)));
        self.of(document, sql, &[])?.iter().map(vector).collect()
    }

    pub fn sparse_vectors(&self, document: DocumentId) -> Result<Vec<(ChunkId, SparseVector)>> {
        let sql = "SELECT id, sparse FROM chunks \
                   WHERE route = $1 AND collection = $2 AND document = $3 AND sparse IS NOT NULL ORDER BY chunk";
        let vector = |row: &Row| {
            let mut impacts = Vec::new();
            decode_impacts(payload("learned-sparse vector", column(row, 1)?)?, &mut impacts)?;
            Ok((chunk_id(row)?, SparseVector::from_impacts(&impacts)))
        };
        self.of(document, sql, &[])?.iter().map(vector).collect()
    }

    pub fn has_sparse_vectors(&self, document: DocumentId) -> Result<bool> {
        let sql =
            "SELECT 1 FROM documents WHERE route = $1 AND collection = $2 AND document = $3 AND sparse_chunks > 0";
        Ok(!self.of(document, sql, &[])?.is_empty())
    }

    pub fn token_vectors_at(&self, document: DocumentId, index: u32) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT tokens FROM chunks WHERE route = $1 AND collection = $2 AND document = $3 AND chunk = $4";
        let rows = self.of(document, sql, &[&number(index)])?;
        let value: Option<&[u8]> = rows.first().map(|row| column(row, 0)).transpose()?.flatten();
        value.map(|value| Ok(payload("token vectors", value)?.to_vec())).transpose()
    }

    fn token_vectors(&self, document: DocumentId) -> Result<Vec<Vec<u8>>> {
        let sql = "SELECT tokens FROM chunks \
                   WHERE route = $1 AND collection = $2 AND document = $3 AND tokens IS NOT NULL ORDER BY chunk";
        let signs = |row: &Row| Ok(payload("token vectors", column(row, 0)?)?.to_vec());
        self.of(document, sql, &[])?.iter().map(signs).collect()
    }

    fn has_token_vectors(&self, document: DocumentId) -> Result<bool> {
        let sql = "SELECT 1 FROM documents WHERE route = $1 AND collection = $2 AND document = $3 AND token_chunks > 0";
        Ok(!self.of(document, sql, &[])?.is_empty())
    }

    pub fn columns(&self) -> Result<Option<Value>> {
        let rows = self.of_collection("columns")?;
        let value: Option<&[u8]> = rows.first().map(|row| column(row, 0)).transpose()?.flatten();
        value.map(|value| decode_json("definition of columns", value)).transpose()
    }

    pub fn evidence(&self) -> Result<EvidenceTray> {
        let rows = self.of_collection("evidence")?;
        let value: Option<&[u8]> = rows.first().map(|row| column(row, 0)).transpose()?.flatten();
        value.map_or_else(|| Ok(EvidenceTray::default()), |value| decode("evidence", value))
    }

    pub fn counts(&self) -> Result<Counts> {
        Ok(self.asked.ask(|connection| counted(connection, self.routes))?.0)
    }

    fn of_collection(&self, what: &str) -> Result<Vec<Row>> {
        let routes = self.routes;
        let sql = format!("SELECT {what} FROM collections WHERE route = $1 AND collection = $2");
        self.all(&sql, &[&routes.first(), &id(routes.collection())])
    }

    pub fn whole(&self, document: DocumentId) -> Result<StoredDocument> {
        let meta = self.document(document)?.ok_or_else(|| corrupt(format!("Document {document} is missing.")))?;
        let models = self.models.clone();
        let token_vectors = self.token_vectors(document)?;
        Ok(StoredDocument {
            meta,
            pages: self.pages(document)?,
            chunks: self.chunks_within(document, 0..u32::MAX)?,
            vectors: self.vectors(document)?.into_iter().map(|(_, vector)| vector).collect(),
            dense_model: models.dense,
            sparse_vectors: self.sparse_vectors(document)?.into_iter().map(|(_, vector)| vector).collect(),
            sparse_model: models.sparse,
            token_model: models.tokens.filter(|_| !token_vectors.is_empty()),
            token_vectors,
            annotations: self.annotations(document)?,
        })
    }
}

/// Chunks of a document with their texts.
const CHUNKS: &str = "SELECT c.chunk, c.record, substring(p.content FROM c.byte_start + 1 FOR c.byte_end - c.byte_start) \
                      FROM chunks c JOIN pages p USING (route, collection, document, page) \
                      WHERE c.route = $1 AND c.collection = $2 AND c.document = $3";

/// The digest by which documents are found by their paths.
pub(crate) fn path_hash(path: &str) -> Vec<u8> {
    use sha2::Digest;
    sha2::Sha256::digest(path.as_bytes()).to_vec()
}

fn meta(row: &Row) -> Result<DocumentMeta> {
    decode_json("document", column(row, 0)?)
}

fn chunk_id(row: &Row) -> Result<ChunkId> {
    Ok(ChunkId::from_bytes(column::<Raw>(row, 0)?.uuid()))
}

fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| corrupt("A stored text is not UTF-8."))
}

fn chunk(row: &Row) -> Result<Chunk> {
    let record: ChunkRecord = decode("chunk", column(row, 1)?)?;
    Ok(record.into_chunk(column::<i32>(row, 0)?.cast_unsigned(), text(column(row, 2)?)?))
}

fn whole_page(row: &Row) -> Result<Page> {
    let record = PageRecord::decode(column(row, 1)?)?;
    let layout: LayoutRecord = decode("page layout", column(row, 2)?)?;
    Ok(record.into_page(column::<i32>(row, 0)?.cast_unsigned(), text(column(row, 3)?)?, layout))
}

fn lost(document: DocumentId, page: u32) -> Error {
    corrupt(format!("Page {page} of document {document} is missing."))
}

impl PassageSource for Reader<'_> {
    fn document(&self, id: DocumentId) -> Result<Option<DescribedDocument>> {
        let meta = Reader::document(self, id)?;
        let describe = |meta| {
            let (has_sparse_vectors, has_token_vectors) = (self.has_sparse_vectors(id)?, self.has_token_vectors(id)?);
            Ok(DescribedDocument { meta, has_sparse_vectors, has_token_vectors })
        };
        meta.map(describe).transpose()
    }

    fn place_of(&self, id: ChunkId) -> Result<Option<(DocumentId, u32)>> {
        self.place_of_chunk(id)
    }

    fn ids_within(&self, ids: RangeInclusive<ChunkId>, most: usize) -> Result<Vec<ChunkId>> {
        self.chunk_ids_within(&ids, most)
    }

    fn page(&self, document: DocumentId, page: u32) -> Result<PageFacts> {
        Ok(self.page_record(document, page)?.into())
    }

    fn chunks(&self, document: DocumentId, indexes: Range<u32>, visit: &mut VisitChunk<'_>) -> Result<()> {
        self.chunks_within(document, indexes)?.into_iter().try_for_each(visit)
    }

    fn some_chunks(&self, document: DocumentId, indexes: &[u32], visit: &mut VisitChunk<'_>) -> Result<()> {
        self.chunks_at(document, indexes)?.into_iter().try_for_each(visit)
    }
}

/// The counts of a collection, when a document was changed last, and how many chunks that are gone have postings in leaves.
pub(crate) fn counted(connection: &mut Connection, routes: &Routes) -> Step<(Counts, Option<Timestamp>, u64)> {
    let row = connection.one(
        "SELECT count(*), sum(documents)::bigint, sum(pages)::bigint, sum(chunks)::bigint, sum(sparse_chunks)::bigint, \
         sum(annotated_documents)::bigint, sum(dead_chunks)::bigint, max(changed_at), sum(token_chunks)::bigint FROM buckets \
         WHERE route = ANY($1) AND collection = $2",
        &[&routes.all, &id(routes.collection())],
    )?;
    if row.try_get::<_, i64>(0)? == 0 {
        return Err(gone(routes).into());
    }
    let number = |n: usize| row.try_get::<_, i64>(n).map(i64::cast_unsigned);
    let counts = Counts {
        documents: number(1)?,
        pages: number(2)?,
        chunks: number(3)?,
        sparse_chunks: number(4)?,
        annotated_documents: number(5)?,
        token_chunks: number(8)?,
    };
    Ok((counts, row.try_get::<_, Option<i64>>(7)?.map(Timestamp), number(6)?))
}
