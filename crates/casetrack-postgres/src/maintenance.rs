//! Upkeep of a collection: checks, sizes, indexes, and a snapshot for exports.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::{CollectionMeta, DocumentId, DocumentMeta, ErrorKind, Result};
use casetrack_store::parts::{OriginalFile, check_fits, corrupt, invert};
use casetrack_store::{
    Check, CollectionFiles, CollectionSnapshot, Counts, DiskUsage, IndexProgress, MaintainCollection, Right, Stats,
    StoredDocument, VectorModels, VerifyReport,
};
use serde_json::Value;

use crate::collection::PostgresCollection;
use crate::error::{Failure, Step};
use crate::leaves::{Leaf, parts};
use crate::moment::gone;
use crate::postings::{Packed, SPARSE, pack, visit};
use crate::reader::{Reader, counted};
use crate::server::Connection;
use crate::sql::{Raw, id};

const MAX_PROBLEMS: usize = 1000;

/// Tables that grow with the documents.
const TABLES: [&str; 8] = ["documents", "pages", "chunks", "removed", "vectors", "fresh", "leaves", "segments"];

fn check(name: &'static str, description: &'static str) -> Check {
    Check { name, description, checked: 0, problems: Vec::new() }
}

fn add(check: &mut Check, problem: String) {
    if check.problems.len() < MAX_PROBLEMS {
        check.problems.push(problem);
    }
}

/// A sum over the terms of documents, which does not depend on their order.
type Sums = HashMap<u64, u64>;

fn sum_up(sums: &mut Sums, field: i16, term: &[u8], postings: &[u8], positions: &[u8]) -> Result<()> {
    let positions = (!positions.is_empty()).then_some(positions);
    let document = std::cell::Cell::new(0);
    let begin = |ordinal| {
        document.set(ordinal);
        true
    };
    visit(postings, positions, field == SPARSE, begin, |occurrence, places| {
        let mut hasher = DefaultHasher::new();
        (field, term, occurrence.chunk, occurrence.count, occurrence.length, places).hash(&mut hasher);
        let sum = sums.entry(document.get()).or_default();
        *sum = sum.wrapping_add(hasher.finish());
    })
}

impl MaintainCollection for PostgresCollection {
    fn index_progress(&self) -> Result<Vec<IndexProgress>> {
        // Postings and vectors are stored with their document.
        Ok(["BM25", "dense", "sparse"].map(|name| IndexProgress { name, in_step: true, behind: 0 }).into())
    }

    fn disk_usage(&self) -> Result<DiskUsage> {
        let tables = self.table_bytes()?;
        let of = |names: &[&str]| tables.iter().filter(|(name, _)| names.contains(name)).map(|(_, bytes)| bytes).sum();
        Ok(DiskUsage {
            truth: of(&["documents", "pages", "chunks", "removed"]),
            dense: of(&["vectors"]),
            // With those of learned-sparse terms, which are in the same tables.
            bm25: of(&["fresh", "leaves", "segments"]),
            sparse: 0,
            originals: self.kept_size(),
        })
    }

    fn stats(&self) -> Result<Stats> {
        let (counts, ..) = self.counted()?;
        let (families, indexes) = self
            .table_bytes()?
            .into_iter()
            .partition(|(name, _)| matches!(*name, "documents" | "pages" | "chunks" | "removed"));
        Ok(Stats { counts, families, rocksdb_other: 0, indexes, originals: self.kept_size(), quarantine: 0 })
    }

    fn flush(&self) -> Result<()> {
        if !self.may(Right::Editor)? {
            return Ok(());
        }
        self.clear_some()?;
        self.index_vectors()
    }

    fn rebuild_indexes(&self) -> Result<()> {
        for &route in &self.routes.all {
            self.change(Right::Editor, |connection| {
                self.rebuild_bucket(connection, route)?;
                self.merge_fresh(connection, route)
            })?;
        }
        self.vacuum("fresh, leaves, segments, removed");
        Ok(())
    }

    fn compact(&self) -> Result<()> {
        (0..self.routes.all.len()).try_for_each(|bucket| self.merge(bucket))?;
        self.clear()
    }

    fn verify(&self) -> Result<VerifyReport> {
        self.server.read(|connection| {
            let mut documents = check(
                "documents",
                "Every chunk is its page's text, every character is in one, and vectors and annotations belong to them.",
            );
            let mut counts = check("counts", "The counts of the collection match its documents.");
            let mut evidence = check(
                "evidence",
                "Every passage collected as evidence is on its page, if its document was not read again since.",
            );
            let mut postings = check("postings", "The keyword index holds the words of all chunks and of no others.");
            let mut expected = Sums::new();
            let metas = self.check_documents(connection, &mut documents, &mut expected)?;
            let (stored, ..) = counted(connection, &self.routes)?;
            let found = metas.values().fold(Counts::default(), |sum, (_, own)| Counts {
                documents: sum.documents + 1,
                pages: sum.pages + own.pages,
                chunks: sum.chunks + own.chunks,
                sparse_chunks: sum.sparse_chunks + own.sparse_chunks,
                annotated_documents: sum.annotated_documents + own.annotated_documents,
                token_chunks: sum.token_chunks + own.token_chunks,
            });
            counts.checked = found.documents;
            // Unreadable data is a problem already.
            if documents.problems.is_empty() && stored != found {
                add(&mut counts, format!("The collection counts {stored:?}, and there are {found:?}."));
            }
            self.check_postings(connection, &mut postings, expected)?;
            let metas = metas.into_iter().map(|(id, (meta, _))| (id, meta)).collect();
            self.check_evidence(connection, &mut evidence, &metas)?;
            Ok(VerifyReport { checks: vec![documents, counts, evidence, postings] })
        })
    }

    fn snapshot(&self, originals: bool) -> Result<Box<dyn CollectionSnapshot + '_>> {
        Ok(Box::new(Snapshot { collection: self, reading: self.moment()?, originals }))
    }
}

impl PostgresCollection {
    fn check_documents(
        &self,
        connection: &mut Connection,
        check: &mut Check,
        expected: &mut Sums,
    ) -> Step<HashMap<DocumentId, (DocumentMeta, Counts)>> {
        let rows = connection.all(
            "SELECT document, ordinal FROM documents WHERE route = ANY($1) AND collection = $2",
            &[&self.routes.all, &id(self.routes.collection())],
        )?;
        let mut metas = HashMap::new();
        for row in rows {
            let id = DocumentId::from_bytes(row.try_get::<_, Raw>(0)?.uuid());
            let ordinal = row.try_get::<_, i64>(1)?.cast_unsigned();
            check.checked += 1;
            let reading = self.reading(connection);
            let read = reading.whole(id).and_then(|whole| check_fits(&whole, &self.models).map(|()| whole));
            let whole = match reading.answer(read) {
                Ok(whole) => whole,
                Err(Failure::Final(error)) if error.kind() != ErrorKind::Environment => {
                    add(check, format!("Document {id}: {}", error.message));
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            let inverted = invert(&whole.meta, &whole.chunks);
            let own = Packed::new(pack(ordinal, &inverted, &whole.sparse_vectors))?;
            expected.insert(ordinal, 0);
            own.all()
                .try_for_each(|entry| sum_up(expected, entry.field, entry.term, entry.postings, entry.positions))?;
            let counts = Counts {
                documents: 1,
                pages: whole.pages.len() as u64,
                chunks: whole.chunks.len() as u64,
                sparse_chunks: whole.sparse_vectors.len() as u64,
                annotated_documents: u64::from(whole.annotations.is_some()),
                token_chunks: whole.token_vectors.len() as u64,
            };
            metas.insert(id, (whole.meta, counts));
        }
        Ok(metas)
    }

    /// `expected` has a sum for each document.
    fn check_postings(&self, connection: &mut Connection, check: &mut Check, expected: Sums) -> Step<()> {
        let mut found = Sums::new();
        for &route in &self.routes.all {
            let rows = connection.all(
                "SELECT postings FROM fresh WHERE route = $1 AND collection = $2",
                &[&route, &id(self.routes.collection())],
            )?;
            for row in rows {
                let packed = Packed::new(row.try_get(0)?)?;
                let mut entries = packed.all();
                entries.try_for_each(|entry| {
                    sum_up(&mut found, entry.field, entry.term, entry.postings, entry.positions)
                })?;
            }
            for mut stream in self.streams(connection, route, None)? {
                loop {
                    let leaves = self.next_leaves(connection, route, &mut stream)?;
                    if leaves.is_empty() {
                        break;
                    }
                    for term in leaves.iter().map(Leaf::terms).collect::<Result<Vec<_>>>()?.into_iter().flatten() {
                        check.checked += 1;
                        let (field, own) = parts(&term.key);
                        sum_up(&mut found, field, own, term.postings, term.positions)?;
                    }
                }
            }
        }
        // Those of documents that are gone are cleared away later.
        for (ordinal, sum) in expected {
            if found.get(&ordinal).copied().unwrap_or_default() != sum {
                add(
                    check,
                    format!("The words of the document that change {ordinal} stored are not those in the index."),
                );
            }
        }
        Ok(())
    }

    fn check_evidence(
        &self,
        connection: &mut Connection,
        check: &mut Check,
        metas: &HashMap<DocumentId, DocumentMeta>,
    ) -> Step<()> {
        let reading = self.reading(connection);
        let read = reading.evidence();
        let tray = reading.answer(read)?;
        check.checked = tray.items.len() as u64;
        if let Err(error) = tray.check() {
            add(check, error.message);
        }
        for item in &tray.items {
            let is_same = |meta: &&DocumentMeta| meta.sha256 == item.sha256 && meta.ingested_at <= item.added_at;
            let Some(meta) = metas.get(&item.document).filter(is_same) else { continue };
            let read = reading.page(item.document, item.page);
            let page = reading.answer(read)?;
            if page.is_none_or(|page| !page.text.contains(&item.text)) {
                let (number, page, name) = (item.id, item.page, &meta.name);
                let what = "which has not been read again since it was collected";
                add(check, format!("Evidence {number} is not on page {page} of {name}, {what}."));
            }
        }
        Ok(())
    }

    /// The bytes of each table that are this collection's, as its chunks are to those of all.
    fn table_bytes(&self) -> Result<Vec<(&'static str, u64)>> {
        self.server.read(|connection| {
            // The database counts all chunks for this, also those of collections that others have.
            let rows = connection.all("SELECT name, bytes FROM sizes($1)", &[&id(self.routes.collection())])?;
            let mut found = Vec::new();
            for row in rows {
                let (name, bytes) = (row.try_get::<_, &str>(0)?, row.try_get::<_, i64>(1)?);
                found.extend(
                    TABLES.into_iter().find(|table| *table == name).map(|table| (table, bytes.cast_unsigned())),
                );
            }
            if found.is_empty() {
                return Err(gone(&self.routes).into());
            }
            Ok(found)
        })
    }

    fn kept_size(&self) -> u64 {
        let entries = std::fs::read_dir(self.originals_dir()).into_iter().flatten();
        entries.filter_map(|entry| Some(entry.ok()?.metadata().ok()?.len())).sum()
    }
}

struct Snapshot<'c> {
    collection: &'c PostgresCollection,
    reading: Reader<'c>,
    originals: bool,
}

impl CollectionSnapshot for Snapshot<'_> {
    fn meta(&self) -> &CollectionMeta {
        &self.collection.meta
    }

    fn models(&self) -> &VectorModels {
        &self.collection.models
    }

    fn counts(&self) -> Result<(u64, u64, u64)> {
        let Counts { documents, pages, chunks, .. } = self.reading.counts()?;
        Ok((documents, pages, chunks))
    }

    fn columns(&self) -> Result<Option<Value>> {
        self.reading.columns()
    }

    fn evidence(&self) -> Result<EvidenceTray> {
        self.reading.evidence()
    }

    fn documents(&self) -> Result<Vec<DocumentId>> {
        Ok(self.reading.documents()?.into_iter().map(|meta| meta.id).collect())
    }

    fn whole(&self, id: DocumentId) -> Result<StoredDocument> {
        let whole = self.reading.whole(id)?;
        check_fits(&whole, &self.collection.models).map_err(|error| {
            corrupt(error.message.replacen(" was not stored: ", " is damaged: ", 1)).with_source(error)
        })?;
        Ok(whole)
    }

    fn original(&self, meta: &DocumentMeta) -> Option<OriginalFile> {
        self.originals.then(|| OriginalFile::plain(self.collection.original_path(meta)))
    }
}
