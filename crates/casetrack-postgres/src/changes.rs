//! Changes of documents. Each is one transaction, in which no other change of the collection is made.

use std::collections::HashSet;

use casetrack_core::marks::Marks;
use casetrack_core::{DocumentId, DocumentMeta, Error, ErrorCode, Result, Timestamp};
use casetrack_store::parts::{
    AnnotationsRecord, ChunkRecord, Inverted, LayoutRecord, PageRecord, check_fits, decode_json, encode, encode_json,
    encode_raw, invert,
};
use casetrack_store::{ChangeDocuments, DocumentChange, Observer, Relocation, Right, StoredDocument};

use crate::collection::PostgresCollection;
use crate::error::Step;
use crate::moment::gone;
use crate::postings::pack;
use crate::reader::path_hash;
use crate::route::INDEX_BITS;
use crate::server::Connection;
use crate::sql::{Raw, RawArray, halfvec, id, ids};

/// All rows of a document, in one statement: each takes a round trip. `$own` are its route and collection, which are in `$of`.
macro_rules! insert {
    ($own:literal, $of:literal, $this:literal) => {
        concat!(
            "WITH page AS (INSERT INTO pages SELECT ", $own, ", $3::uuid, p.* \
             FROM ", $of, "unnest($15::int[], $16::bytea[], $17::bytea[], $18::bytea[]) AS p", $this, "), \
             chunk AS (INSERT INTO chunks SELECT ", $own, ", $3::uuid, c.* FROM ", $of, "unnest($19::int[], $20::uuid[], \
             $21::int[], $22::int[], $23::int[], $24::bytea[], $25::bytea[], $26::bytea[]) AS c", $this, "), \
             vector AS (INSERT INTO vectors SELECT ", $own, ", $3::uuid, v.chunk, $4::bigint, v.embedding \
             FROM ", $of, "unnest($19::int[], $27::halfvec[]) AS v(chunk, embedding)", $this, "), \
             posting AS (INSERT INTO fresh (route, collection, ordinal, postings) VALUES ($1::bigint, $2::uuid, $4::bigint, $28)) \
             INSERT INTO documents (route, collection, document, ordinal, version, changed, path_hash, sha256, pages, chunks, \
             sparse_chunks, token_chunks, text_tokens, context_tokens, meta, annotations) \
             VALUES ($1::bigint, $2::uuid, $3::uuid, $4::bigint, $4::bigint, $4::bigint, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
        )
    };
}
const INSERT: &str = insert!("$1::bigint, $2::uuid", "", "");
/// The coordinator of Citus copies the members of arrays, which is not allowed under row-level security. Joined with
/// its bucket, of which there is one, the machine makes the rows, which is slower (docs/dev/scale.md).
const INSERT_GUARDED: &str =
    insert!("b.route, b.collection", "buckets b, ", " WHERE b.route = $1 AND b.collection = $2");

/// The amounts that a change adds to the counters of a bucket.
#[derive(Debug, Clone, Copy, Default)]
struct Difference {
    documents: i64,
    pages: i64,
    chunks: i64,
    sparse_chunks: i64,
    token_chunks: i64,
    annotated_documents: i64,
    fresh_chunks: i64,
    dead_chunks: i64,
}

struct Rows<'d> {
    document: &'d StoredDocument,
    inverted: Inverted,
    pages: Vec<[Vec<u8>; 2]>,
    chunks: Vec<Vec<u8>>,
    annotations: Option<Vec<u8>>,
}

impl<'d> Rows<'d> {
    fn of(document: &'d StoredDocument) -> Result<Self> {
        let page = |page| Ok([PageRecord::new(page)?.encode()?, encode(&LayoutRecord::new(page))?]);
        let annotations =
            document.annotations.as_ref().map(|found| encode(&AnnotationsRecord::new(found)?)).transpose()?;
        Ok(Self {
            document,
            inverted: invert(&document.meta, &document.chunks),
            pages: document.pages.iter().map(page).collect::<Result<_>>()?,
            chunks: document.chunks.iter().map(|chunk| encode(&ChunkRecord(chunk.clone()))).collect::<Result<_>>()?,
            annotations,
        })
    }
}

impl ChangeDocuments for PostgresCollection {
    fn observe(&self, observer: Observer) -> bool {
        self.observer.set(observer).is_ok()
    }

    fn put_document(&self, document: &StoredDocument) -> Result<()> {
        check_fits(document, &self.models)?;
        if document.chunks.len() >> INDEX_BITS > 0 {
            let message = format!(
                "{} has {} passages, more than a document may have.",
                document.meta.path,
                document.chunks.len()
            );
            return Err(Error::invalid(message).with_hint("Divide the file, then ingest its parts."));
        }
        let rows = Rows::of(document)?;
        let (change, fresh) = self.change(Right::Editor, |connection| self.put_rows(connection, &rows))?;
        self.notify(document.meta.id, change);
        self.notify_others();
        if fresh >= self.layout.block_chunks
            && let Err(error) = self.merge(self.routes.bucket(document.meta.id))
        {
            tracing::warn!(%error, "postings were not brought together; they will be at the next change");
        }
        Ok(())
    }

    fn put_documents(&self, documents: &[&StoredDocument]) -> Vec<Result<()>> {
        documents.iter().map(|document| self.put_document(document)).collect()
    }

    fn delete_document(&self, document: DocumentId) -> Result<bool> {
        let deleted = self.change(Right::Editor, |connection| {
            let changed = self.next(connection)?;
            let mut difference = Difference::default();
            if self.remove_rows(connection, document, changed, &mut difference)?.is_none() {
                return Ok(false);
            }
            self.count(connection, self.routes.route(document), changed, difference)?;
            Ok(true)
        })?;
        if deleted {
            self.notify(document, DocumentChange::Deleted);
            self.notify_others();
        }
        Ok(deleted)
    }

    fn relocate_documents(&self, relocations: &[Relocation]) -> Result<()> {
        if relocations.is_empty() {
            return Ok(());
        }
        self.change(Right::Editor, |connection| self.relocate_rows(connection, relocations))?;
        relocations.iter().for_each(|relocation| self.notify(relocation.document, DocumentChange::Replaced));
        self.notify_others();
        Ok(())
    }

    fn update_marks(
        &self,
        documents: &[DocumentId],
        change: &dyn Fn(DocumentId, &mut Marks) -> Result<()>,
    ) -> Result<u64> {
        let changed = self.change(Right::Editor, |connection| {
            let mut marked = Vec::new();
            for &document in documents {
                let Some(mut meta) = self.meta_of(connection, document)? else { continue };
                let before = meta.marks.clone();
                change(document, &mut meta.marks)?;
                if meta.marks == before {
                    continue;
                }
                let (route, changed) = (self.routes.route(document), self.next(connection)?);
                connection.change(
                    "UPDATE documents SET meta = $4, changed = $5 WHERE route = $1 AND collection = $2 AND document = $3",
                    &[&route, &id(self.routes.collection()), &id(document), &encode_json(&meta)?, &changed],
                )?;
                self.count(connection, route, changed, Difference::default())?;
                marked.push(document);
            }
            Ok(marked)
        })?;
        changed.iter().for_each(|document| self.notify(*document, DocumentChange::Replaced));
        if !changed.is_empty() {
            self.notify_others();
        }
        Ok(changed.len() as u64)
    }
}

impl PostgresCollection {
    /// The kind of change, and the number of chunks of its bucket whose postings are in no block.
    fn put_rows(&self, connection: &mut Connection, rows: &Rows<'_>) -> Step<(DocumentChange, i64)> {
        let mut meta = rows.document.meta.clone();
        if let Some(other) = self.at_path(connection, &meta.path)?.filter(|other| *other != meta.id) {
            let message = format!("{} is already stored as document {other}.", meta.path);
            return Err(Error::new(ErrorCode::AlreadyExists, message)
                .with_hint("Give it the id it has, or delete that document first.")
                .into());
        }
        let changed = self.next(connection)?;
        let mut difference = Difference::default();
        let old = self.remove_rows(connection, meta.id, changed, &mut difference)?;
        if let Some(old) = old.as_ref().filter(|_| meta.marks.is_empty()) {
            // They are the user's, not the file's.
            meta.marks.clone_from(&old.marks);
        }
        self.insert_rows(connection, rows, &meta, changed)?;
        let StoredDocument { pages, chunks, sparse_vectors, token_vectors, .. } = rows.document;
        difference.documents += 1;
        difference.pages += pages.len() as i64;
        difference.chunks += chunks.len() as i64;
        difference.sparse_chunks += sparse_vectors.len() as i64;
        difference.token_chunks += token_vectors.len() as i64;
        difference.annotated_documents += i64::from(rows.annotations.is_some());
        difference.fresh_chunks += chunks.len() as i64;
        let fresh = self.count(connection, self.routes.route(meta.id), changed, difference)?;
        let change = if old.is_some() { DocumentChange::Replaced } else { DocumentChange::Added };
        Ok((change, fresh))
    }

    /// Inserts all rows of a document with this description.
    fn insert_rows(&self, connection: &mut Connection, rows: &Rows<'_>, meta: &DocumentMeta, changed: i64) -> Step<()> {
        let StoredDocument { pages, chunks, vectors, sparse_vectors, token_vectors, .. } = rows.document;
        let count = |of: usize| i32::try_from(of).unwrap_or(i32::MAX);
        let numbers: Vec<i32> = pages.iter().map(|page| page.number.cast_signed()).collect();
        let part = |n: usize| rows.pages.iter().map(|page| page[n].as_slice()).collect::<Vec<&[u8]>>();
        let texts: Vec<&[u8]> = pages.iter().map(|page| page.text.as_bytes()).collect();
        let indexes: Vec<i32> = (0..count(chunks.len())).collect();
        let place = |of: fn(&casetrack_core::Chunk) -> u32| -> Vec<i32> {
            chunks.iter().map(|chunk| of(chunk).cast_signed()).collect()
        };
        let records: Vec<&[u8]> = rows.chunks.iter().map(Vec::as_slice).collect();
        let encoded: Vec<Vec<u8>> = sparse_vectors.iter().map(|vector| encode_raw(&vector.encode())).collect();
        let signs: Vec<Vec<u8>> = token_vectors.iter().map(|signs| encode_raw(signs)).collect();
        let of_each = |values: &'_ [Vec<u8>]| -> Vec<Option<Vec<u8>>> {
            (0..chunks.len()).map(|n| values.get(n).cloned()).collect()
        };
        let embeddings = RawArray(vectors.iter().map(|vector| halfvec(vector)).collect());
        connection.change(
            if self.layout.is_guarded { INSERT_GUARDED } else { INSERT },
            &[
                &self.routes.route(meta.id),
                &id(self.routes.collection()),
                &id(meta.id),
                &changed,
                &path_hash(&meta.path),
                &meta.sha256.0.as_slice(),
                &count(pages.len()),
                &count(chunks.len()),
                &count(sparse_vectors.len()),
                &count(token_vectors.len()),
                &rows.inverted.text_tokens.cast_signed(),
                &rows.inverted.context_tokens.cast_signed(),
                &encode_json(meta)?,
                &rows.annotations,
                &numbers,
                &part(0),
                &part(1),
                &texts,
                &indexes,
                &ids(chunks.iter().map(|chunk| chunk.id)),
                &place(|chunk| chunk.page),
                &place(|chunk| chunk.byte_start),
                &place(|chunk| chunk.byte_end),
                &records,
                &of_each(&encoded),
                &of_each(&signs),
                &embeddings,
                &pack(changed.cast_unsigned(), &rows.inverted, sparse_vectors),
            ],
        )?;
        Ok(())
    }

    /// Removes a document with everything that belongs to it, except for its postings in leaves. Returns the document; `None` if it is not there.
    fn remove_rows(
        &self,
        connection: &mut Connection,
        document: DocumentId,
        changed: i64,
        difference: &mut Difference,
    ) -> Step<Option<DocumentMeta>> {
        let (route, collection, document) = (self.routes.route(document), id(self.routes.collection()), id(document));
        let row = connection.some(
            "DELETE FROM documents WHERE route = $1 AND collection = $2 AND document = $3 \
             RETURNING ordinal, pages, chunks, sparse_chunks, annotations IS NOT NULL, meta, token_chunks",
            &[&route, &collection, &document],
        )?;
        let Some(row) = row else { return Ok(None) };
        for table in ["pages", "chunks", "vectors"] {
            connection.change(
                &format!("DELETE FROM {table} WHERE route = $1 AND collection = $2 AND document = $3"),
                &[&route, &collection, &document],
            )?;
        }
        let ordinal: i64 = row.try_get(0)?;
        let was_fresh = connection.change(
            "DELETE FROM fresh WHERE route = $1 AND collection = $2 AND ordinal = $3",
            &[&route, &collection, &ordinal],
        )?;
        connection.change(
            "INSERT INTO removed (route, collection, ordinal, document, changed) VALUES ($1, $2, $3, $4, $5)",
            &[&route, &collection, &ordinal, &document, &changed],
        )?;
        let chunks = i64::from(row.try_get::<_, i32>(2)?);
        difference.documents -= 1;
        difference.pages -= i64::from(row.try_get::<_, i32>(1)?);
        difference.chunks -= chunks;
        difference.sparse_chunks -= i64::from(row.try_get::<_, i32>(3)?);
        difference.token_chunks -= i64::from(row.try_get::<_, i32>(6)?);
        difference.annotated_documents -= i64::from(row.try_get::<_, bool>(4)?);
        match was_fresh {
            0 => difference.dead_chunks += chunks,
            _ => difference.fresh_chunks -= chunks,
        }
        Ok(Some(decode_json("document", row.try_get(5)?)?))
    }

    /// Counts a change of a document with this route. How many chunks of the bucket have postings that are in no block.
    fn count(&self, connection: &mut Connection, route: i64, changed: i64, difference: Difference) -> Step<i64> {
        let Difference {
            documents,
            pages,
            chunks,
            sparse_chunks,
            token_chunks,
            annotated_documents,
            fresh_chunks,
            dead_chunks,
        } = difference;
        let row = connection.some(
            "UPDATE buckets SET changed = $3, changed_at = $4, documents = documents + $5, pages = pages + $6, \
             chunks = chunks + $7, sparse_chunks = sparse_chunks + $8, annotated_documents = annotated_documents + $9, \
             fresh_chunks = fresh_chunks + $10, dead_chunks = dead_chunks + $11, token_chunks = token_chunks + $12 \
             WHERE route = $1 AND collection = $2 RETURNING fresh_chunks",
            &[
                &route,
                &id(self.routes.collection()),
                &changed,
                &Timestamp::now().0,
                &documents,
                &pages,
                &chunks,
                &sparse_chunks,
                &annotated_documents,
                &fresh_chunks,
                &dead_chunks,
                &token_chunks,
            ],
        )?;
        Ok(row.ok_or_else(|| gone(&self.routes))?.try_get(0)?)
    }

    fn next(&self, connection: &mut Connection) -> Step<i64> {
        let row = connection.one("SELECT next_change($1)", &[&id(self.routes.collection())])?;
        let number = row.try_get::<_, Option<i64>>(0)?.ok_or_else(|| gone(&self.routes))?;
        connection.numbers.push(number);
        Ok(number)
    }

    fn at_path(&self, connection: &mut Connection, path: &str) -> Step<Option<DocumentId>> {
        let row = connection.some(
            "SELECT document FROM documents WHERE route = ANY($1) AND collection = $2 AND path_hash = $3",
            &[&self.routes.all, &id(self.routes.collection()), &path_hash(path)],
        )?;
        Ok(row.map(|row| row.try_get::<_, Raw>(0)).transpose()?.map(|raw| DocumentId::from_bytes(raw.uuid())))
    }

    /// The metadata of a document, in a transaction that changes it.
    fn meta_of(&self, connection: &mut Connection, document: DocumentId) -> Step<Option<DocumentMeta>> {
        let row = connection.some(
            "SELECT meta FROM documents WHERE route = $1 AND collection = $2 AND document = $3",
            &[&self.routes.route(document), &id(self.routes.collection()), &id(document)],
        )?;
        row.map(|row| Ok(decode_json("document", row.try_get(0)?)?)).transpose()
    }

    fn relocate_rows(&self, connection: &mut Connection, relocations: &[Relocation]) -> Step<()> {
        let mut metas = Vec::with_capacity(relocations.len());
        for Relocation { document, .. } in relocations {
            let missing = || {
                let message = format!("Document {document} was deleted before it could be moved.");
                Error::new(ErrorCode::NotFound, message)
            };
            metas.push(self.meta_of(connection, *document)?.ok_or_else(missing)?);
        }
        let moved: HashSet<DocumentId> = relocations.iter().map(|relocation| relocation.document).collect();
        let taken: HashSet<&str> = relocations.iter().map(|relocation| relocation.path.as_str()).collect();
        if moved.len() < relocations.len() || taken.len() < relocations.len() {
            return Err(Error::internal("A document was to be moved twice, or two to the same path.").into());
        }
        for Relocation { path, .. } in relocations {
            if let Some(other) = self.at_path(connection, path)?.filter(|other| !moved.contains(other)) {
                let message = format!("{path} is already stored as document {other}.");
                return Err(Error::new(ErrorCode::AlreadyExists, message)
                    .with_hint("Delete that document first, or leave the other at its place.")
                    .into());
            }
        }
        for (mut meta, Relocation { document, path, name }) in metas.into_iter().zip(relocations) {
            let changed = self.next(connection)?;
            (meta.path, meta.name) = (path.clone(), name.clone());
            let route = self.routes.route(*document);
            connection.change(
                "UPDATE documents SET meta = $4, path_hash = $5, version = $6, changed = $6 \
                 WHERE route = $1 AND collection = $2 AND document = $3",
                &[
                    &route,
                    &id(self.routes.collection()),
                    &id(*document),
                    &encode_json(&meta)?,
                    &path_hash(path),
                    &changed,
                ],
            )?;
            self.count(connection, route, changed, Difference::default())?;
        }
        Ok(())
    }
}
