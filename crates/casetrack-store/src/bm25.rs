//! Keyword search (E13): a tantivy index of the chunks' texts, scored with BM25 (k1 = 1.2, b = 0.75, tantivy's constants).
//!
//! tantivy commits by replacing its `meta.json`; the last log entry applied travels in the commit's payload, so that
//! both change together. Between commits new chunks wait in memory: a search commits them first.

mod directory;
mod expression;
mod fields;
mod lexicon;
mod pairs;
mod sums;
mod wildcard;
mod words;

use std::path::{Path, PathBuf};

use casetrack_core::{Error, ErrorCode, Result};
use casetrack_keyword::{
    ANALYSIS, Analysis, Bm25Query, EXACT, TermWeight, analyzer, cover, exact_analyzer, names, weighed,
};
use tantivy::directory::{Directory, RamDirectory};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::query::{BooleanQuery, BoostQuery, ConstScoreQuery, EnableScoring, Occur, Query, TermQuery, TermSetQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{
    Index, IndexMeta, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, TantivyDocument, TantivyError,
    Term,
};

use crate::derived_index::{DerivedIndex, Origin};
use crate::fair_lock::YieldingLock;
use crate::reader::Reader;
use crate::records::{Identity, SlotRange};
use crate::seal::Seal;
use crate::slots::{SlotMap, SlotSet};
use crate::top_k::TopK;
use crate::{error, fs};

use fields::{Fields, schema};

pub(crate) use expression::{Evaluation, Matches, Occurrences};
pub use expression::{Expression, Words};
pub(crate) use lexicon::IndexLexicon;
pub(crate) use wildcard::Slot;
pub use words::WordConditions;

/// A query of this many terms, those of the embedding context counted by themselves, is added up chunk by chunk ([`sums`]).
const LONG_QUERY: usize = 8;

/// A filter that leaves one chunk in this many, or fewer, is intersected with the query's postings. A wider one is
/// applied to each candidate, which leaves tantivy free to skip what cannot be among the best.
const NARROW_FILTER: u64 = 8;
/// A filter of more documents is applied to each candidate, too: their lists are opened one by one.
const MAX_FILTER_DOCUMENTS: usize = 4096;

/// Memory for chunks that are being indexed; tantivy's minimum is 15 MB a thread.
const WRITER_BYTES: usize = 32 << 20;
/// Chunks after which a commit is made during ingestion; catching up on as many takes about a second.
const COMMIT_CHUNKS: u64 = 5_000;
/// Segments up to this size are rewritten by a flush when they hold deleted chunks …
const PURGE_CHUNKS: u32 = 50_000;
/// … larger ones when this share of them is deleted.
const PURGE_SHARE: f32 = 0.1;
/// Indexes up to this size have their checksums verified on open; larger ones only by `verify`.
const CHECKED_ON_OPEN_BYTES: u64 = 64 << 20;

pub(crate) struct Bm25Index {
    dir: PathBuf,
    identity: String,
    index: Index,
    fields: Fields,
    reader: IndexReader,
    writer: YieldingLock<Writer>,
}

struct Writer {
    /// Opened at the first change: it costs threads.
    inner: Option<IndexWriter>,
    applied: u64,
    /// `None` while the files on disk are about to be replaced.
    committed: Option<u64>,
    uncommitted_chunks: u64,
}

impl Bm25Index {
    /// The best `k` chunks for a query as (slot, score), best first, equal scores by slot; of `filter` only, if given,
    /// which fulfils `conditions`. A chunk without any word of the query is no hit.
    pub fn search(
        &self,
        query: &Bm25Query,
        k: usize,
        filter: Option<&SlotSet>,
        conditions: &WordConditions,
    ) -> Result<Vec<(u64, f32)>> {
        self.commit_pending()?;
        let searcher = self.reader.searcher();
        let lexicon = IndexLexicon { index: self, searcher: &searcher };
        let term = |(field, term, weight): TermWeight| (Term::from_field_text(self.fields.of(field), &term), weight);
        let terms: Vec<(Term, f32)> = weighed(&lexicon, query)?.into_iter().map(term).collect();
        let narrow = filter.filter(|filter| filter.len() <= searcher.num_docs() / NARROW_FILTER);
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let found = if narrow.is_none() && terms.len() >= LONG_QUERY {
            sums::best(&searcher, &terms, k, filter).map_err(|error| self.error(error))?
        } else {
            self.best_by_skipping(&searcher, any_of(terms), k, filter, narrow, conditions)?
        };
        self.with_pairs(&searcher, &query.text, found)
    }

    fn best_by_skipping(
        &self,
        searcher: &Searcher,
        mut words: BooleanQuery,
        k: usize,
        filter: Option<&SlotSet>,
        narrow: Option<&SlotSet>,
        conditions: &WordConditions,
    ) -> Result<Vec<(u64, f32)>> {
        let mut clauses = Vec::new();
        if let Some(filter) = narrow.filter(|filter| filter.documents().nth(MAX_FILTER_DOCUMENTS).is_none()) {
            let ids = filter.documents().map(|id| Term::from_field_bytes(self.fields.document, id.as_bytes()));
            clauses.push((Occur::Must, Box::new(TermSetQuery::new(ids)) as Box<dyn Query>));
        }
        if narrow.is_some() {
            clauses
                .extend(self.conditions(searcher, conditions)?.into_iter().filter(|(occur, _)| *occur == Occur::Must));
        }
        if !clauses.is_empty() {
            let unscored = clauses
                .into_iter()
                .map(|(occur, clause)| (occur, Box::new(ConstScoreQuery::new(clause, 0.0)) as Box<dyn Query>));
            words = BooleanQuery::new([(Occur::Must, Box::new(words) as _)].into_iter().chain(unscored).collect());
        }
        self.top(searcher, &words, k, filter).map_err(|error| self.error(error))
    }

    /// Only candidates that pass the filter raise the threshold by which tantivy skips others (block-max WAND).
    fn top(
        &self,
        searcher: &Searcher,
        query: &dyn Query,
        k: usize,
        filter: Option<&SlotSet>,
    ) -> tantivy::Result<Vec<(u64, f32)>> {
        let weight = query.weight(EnableScoring::enabled_from_searcher(searcher))?;
        let mut top = TopK::new(k);
        for segment in searcher.segment_readers() {
            let slots = segment.fast_fields().u64("slot")?;
            let deleted = segment.alive_bitset();
            let mut threshold = top.threshold().map_or(f32::MIN, below);
            weight.for_each_pruning(threshold, segment, &mut |doc, score| {
                let slot = slots.first(doc).unwrap_or(u64::MAX);
                if deleted.is_none_or(|alive| alive.is_alive(doc)) && filter.is_none_or(|filter| filter.contains(slot))
                {
                    top.push(slot, rounded(score));
                    threshold = top.threshold().map_or(f32::MIN, below);
                }
                threshold
            })?;
        }
        Ok(top.into_sorted())
    }

    /// Makes searches see everything applied so far.
    fn commit_pending(&self) -> Result<()> {
        let is_pending = |writer: &Writer| writer.committed != Some(writer.applied);
        if !is_pending(&self.writer.read()) {
            return Ok(());
        }
        let mut writer = self.writer.write();
        if is_pending(&writer) { self.commit_writer(&mut writer) } else { Ok(()) }
    }

    fn commit_writer(&self, writer: &mut Writer) -> Result<()> {
        let applied = writer.applied;
        let commit = |inner: &mut IndexWriter| {
            let mut prepared = inner.prepare_commit()?;
            prepared.set_payload(&format!("{} {applied}", self.identity));
            prepared.commit()
        };
        commit(self.open_writer(writer)?).map_err(|error| self.error(error))?;
        writer.committed = Some(applied);
        writer.uncommitted_chunks = 0;
        self.reader.reload().map_err(|error| self.error(error))
    }

    /// Rewrites segments that hold deleted chunks, which BM25 would count as if they were there. Searches continue
    /// during this.
    fn purge(&self) -> Result<()> {
        let segments = self.index.searchable_segment_metas().map_err(|error| self.error(error))?;
        let outdated: Vec<_> = segments
            .iter()
            .filter(|segment| segment.has_deletes())
            .filter(|segment| {
                let share = segment.num_deleted_docs() as f32 / segment.max_doc().max(1) as f32;
                segment.max_doc() <= PURGE_CHUNKS || share > PURGE_SHARE
            })
            .map(|segment| segment.id())
            .collect();
        // As long as `segments` refers to them, their files are in use.
        drop(segments);
        if outdated.is_empty() {
            return Ok(());
        }
        let merging = self.open_writer(&mut self.writer.write())?.merge(&outdated);
        // A merge in the background may have taken a segment already; then the next commit finds the rest.
        if let Err(error) = merging.wait() {
            tracing::debug!(%error, "deleted chunks stay in the BM25 index for now");
        }
        self.reader.reload().map_err(|error| self.error(error))?;
        // The files of the merged segments were still in use when the merge ended.
        let collecting = self.open_writer(&mut self.writer.write())?.garbage_collect_files();
        collecting.wait().map_err(|error| self.error(error)).map(drop)
    }

    /// One indexing thread, so that chunks are indexed in slot order.
    fn open_writer<'w>(&self, writer: &'w mut Writer) -> Result<&'w mut IndexWriter> {
        let inner = match writer.inner.take() {
            Some(inner) => inner,
            None => {
                let options = IndexWriterOptions::builder()
                    .num_worker_threads(1)
                    .num_merge_threads(1)
                    .memory_budget_per_thread(WRITER_BYTES)
                    .build();
                let inner: IndexWriter = self.index.writer_with_options(options).map_err(|error| self.error(error))?;
                inner.set_merge_policy(Box::new(LogMergePolicy::default()));
                inner
            }
        };
        Ok(writer.inner.insert(inner))
    }

    fn error(&self, error: TantivyError) -> Error {
        error::tantivy(&self.dir, error)
    }
}

/// Chunks with any of these terms, scored by the sum of those they have.
fn any_of(terms: Vec<(Term, f32)>) -> BooleanQuery {
    let clause = |(term, weight)| {
        let term = TermQuery::new(term, IndexRecordOption::WithFreqs);
        (Occur::Should, Box::new(BoostQuery::new(Box::new(term), weight)) as Box<dyn Query>)
    };
    BooleanQuery::new(terms.into_iter().map(clause).collect())
}

/// A score with 16 significant bits. tantivy adds the terms of a sum in an order that depends on its segments, and with
/// it the last bits of the sum; rounded, equal texts have equal scores, and their slots decide the order.
pub(crate) fn rounded(score: f32) -> f32 {
    f32::from_bits((score.to_bits().saturating_add(0x80)) & !0xff)
}

/// A threshold that lets through every score that could round to `score`.
fn below(score: f32) -> f32 {
    score * (1.0 - 1.0 / 32768.0)
}

/// The mark of an index of this collection.
fn mark(identity: &Identity) -> String {
    format!("casetrack-bm25-1 {ANALYSIS} {}", identity.collection)
}

/// Removes the remains of a commit after a crash: the next one would take the same names, and tantivy never overwrites
/// a file.
fn remove_unlisted(dir: &Path, metas: &IndexMeta) -> Result<()> {
    let listed = metas.list_segment_files();
    let error = |error| Error::io(dir.display(), error);
    for entry in std::fs::read_dir(dir).map_err(error)? {
        let entry = entry.map_err(error)?;
        let name = entry.file_name();
        // `meta.json`, and hidden files of tantivy's own: locks and its list of files. A file that it writes in one
        // step has a temporary name before.
        let is_hidden = name.as_encoded_bytes().starts_with(b".") && !fs::is_temporary(&name);
        let others = name == "meta.json" || is_hidden;
        if !others && !listed.contains(Path::new(&name)) {
            std::fs::remove_file(entry.path()).map_err(error)?;
        }
    }
    Ok(())
}

impl DerivedIndex for Bm25Index {
    const NAME: &'static str = "BM25";
    const CHECK: (&'static str, &'static str) =
        ("bm25_index", "The keyword index holds all chunks and no others, and the checksums of its files match.");

    fn open(dir: &Path, identity: &Identity, seal: &Seal) -> Result<Self> {
        let identity = mark(identity);
        if dir.join("meta.json").exists() {
            let files = directory::directory(dir, seal).map_err(|error| error::tantivy(dir, error));
            match files.and_then(|files| Self::open_existing(dir, &identity, files)) {
                Ok(Some(index)) => return Ok(index),
                Ok(None) => tracing::info!(dir = %dir.display(), "the BM25 index is from an earlier version"),
                Err(error) if error.code != ErrorCode::Corrupt => return Err(error),
                Err(error) => tracing::warn!(dir = %dir.display(), %error, "the BM25 index is damaged"),
            }
        } else if dir.exists() {
            tracing::warn!(dir = %dir.display(), "the BM25 index is incomplete");
        }
        fs::remove_dir(dir)?;
        fs::create_dir(dir)?;
        let files = directory::directory(dir, seal);
        let index = files.and_then(|files| Index::create(files, schema().0, IndexSettings::default()));
        let index = index.map_err(|error| error::tantivy(dir, error))?;
        Self::with(dir, identity, index, 0)
    }

    /// A search saves new changes, so the saved files stay in memory.
    fn open_to_read(dir: &Path, identity: &Identity, seal: &Seal) -> Result<Self> {
        let identity = mark(identity);
        let error = |error| error::tantivy(dir, error);
        let files = directory::in_memory(dir, seal).map_err(error)?;
        match Self::open_existing(dir, &identity, files) {
            Ok(Some(index)) => Ok(index),
            Err(error) if error.code != ErrorCode::Corrupt => Err(error),
            _ => {
                let files = RamDirectory::create();
                let index = Index::create(files, schema().0, IndexSettings::default()).map_err(error)?;
                Self::with(dir, identity, index, 0)
            }
        }
    }

    fn applied(&self) -> u64 {
        self.writer.read().applied
    }

    fn durable(&self) -> u64 {
        self.writer.read().committed.unwrap_or_default()
    }

    fn clear(&self) -> Result<()> {
        let mut writer = self.writer.write();
        let inner = self.open_writer(&mut writer)?;
        // Additions since the last commit are not among the deletions, and would come back with the next.
        inner.rollback().and_then(|_| inner.delete_all_documents()).map_err(|error| self.error(error))?;
        (writer.applied, writer.committed) = (0, None);
        Ok(())
    }

    fn add(&self, slots: &SlotRange, reader: &Reader<'_>) -> Result<()> {
        // A search may commit while a document is being added. The committed chunks are then marked as not yet applied,
        // and are taken away when the addition is repeated after a crash.
        self.remove(slots)?;
        let record = reader.document(slots.document)?;
        let analysis = Analysis::of(record.as_ref().and_then(|record| record.meta.properties.language.as_deref()));
        let mark = analysis.mark();
        let mut indexer = mark.is_some().then(|| analysis.indexer());
        reader.for_each_chunk(slots.document, 0..slots.count, |chunk| {
            let mut document = TantivyDocument::new();
            document.add_bytes(self.fields.document, slots.document.as_bytes());
            document.add_u64(self.fields.slot, slots.first + u64::from(chunk.index));
            let text = &chunk.text;
            let mut add = |field: Field, text: &str| match &mut indexer {
                Some(indexer) if field == self.fields.exact => {
                    document.add_pre_tokenized_text(field, indexer.written(text));
                }
                Some(indexer) => document.add_pre_tokenized_text(field, indexer.terms(text)),
                None => document.add_text(field, text),
            };
            add(self.fields.text, text);
            add(self.fields.exact, text);
            add(self.fields.context, &chunk.context);
            if chunk.index == 0 {
                add(
                    self.fields.names,
                    &record
                        .as_ref()
                        .map(|record| names(&record.meta.name, record.meta.title.as_deref()))
                        .unwrap_or_default(),
                );
                add(self.fields.cover, cover(text, slots.count));
            }
            if let Some(mark) = mark {
                document.add_bytes(self.fields.language, mark.as_bytes());
            }
            let mut writer = self.writer.write_after_others();
            let inner = self.open_writer(&mut writer)?;
            inner.add_document(document).map_err(|error| self.error(error)).map(|_| ())
        })
    }

    fn remove(&self, slots: &SlotRange) -> Result<()> {
        let mut writer = self.writer.write();
        let term = Term::from_field_bytes(self.fields.document, slots.document.as_bytes());
        self.open_writer(&mut writer)?.delete_term(term);
        writer.uncommitted_chunks += u64::from(slots.count);
        Ok(())
    }

    fn rename(&self, slots: &SlotRange, reader: &Reader<'_>) -> Result<()> {
        self.add(slots, reader)
    }

    fn set_applied(&self, seq: u64) {
        self.writer.write().applied = seq;
    }

    fn wants_commit(&self) -> bool {
        self.writer.read().uncommitted_chunks >= COMMIT_CHUNKS
    }

    fn commit(&self) -> Result<()> {
        self.commit_pending()
    }

    fn compact(&self, _: Origin<'_>) -> Result<()> {
        self.purge()
    }

    fn holds_deleted(&self) -> Result<bool> {
        let segments = self.index.searchable_segment_metas().map_err(|error| self.error(error))?;
        Ok(segments.iter().any(|segment| segment.has_deletes()))
    }

    fn close(&self) {
        // Dropping the writer joins its threads and releases its lock file.
        self.writer.write().inner = None;
    }

    fn check(&self, slots: &SlotMap, _: &Reader<'_>) -> Result<Vec<String>> {
        self.commit_pending()?;
        let mut problems = Vec::new();
        let damaged = self.index.validate_checksum().map_err(|error| self.error(error))?;
        let mut damaged: Vec<_> = damaged.into_iter().collect();
        damaged.sort();
        problems.extend(damaged.iter().map(|path| format!("The file bm25/{} is damaged.", path.display())));
        let found = self.live_slots().map_err(|error| self.error(error))?;
        let expected: Vec<u64> = slots.ranges().flat_map(SlotRange::slots).collect();
        problems.extend(crate::verify::slot_differences("BM25", &expected, &found, slots));
        Ok(problems)
    }
}

impl Bm25Index {
    /// `None` if it has the fields of another version.
    fn open_existing(dir: &Path, identity: &str, files: Box<dyn Directory>) -> Result<Option<Self>> {
        let error = |error| error::tantivy(dir, error);
        let index = Index::open(files).map_err(error)?;
        if index.schema() != schema().0 {
            return Ok(None);
        }
        let metas = index.load_metas().map_err(error)?;
        let applied = match &metas.payload {
            None if metas.segments.is_empty() => 0,
            payload => {
                let payload = payload.as_deref().unwrap_or_default();
                let applied = payload.strip_prefix(identity).and_then(|rest| rest.trim().parse().ok());
                applied.ok_or_else(|| error::derived(dir, format!("it is marked \"{payload}\", not \"{identity}\"")))?
            }
        };
        remove_unlisted(dir, &metas)?;
        if fs::dir_bytes(dir)? <= CHECKED_ON_OPEN_BYTES {
            let damaged = index.validate_checksum().map_err(error)?;
            if let Some(file) = damaged.iter().min() {
                return Err(error::derived(dir, format!("the checksum of {} does not match", file.display())));
            }
        }
        Self::with(dir, identity.to_owned(), index, applied).map(Some)
    }

    fn with(dir: &Path, identity: String, index: Index, applied: u64) -> Result<Self> {
        index.tokenizers().register(ANALYSIS, analyzer());
        index.tokenizers().register(EXACT, exact_analyzer());
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into();
        let reader = reader.map_err(|error| error::tantivy(dir, error))?;
        let writer = Writer { inner: None, applied, committed: Some(applied), uncommitted_chunks: 0 };
        let fields = schema().1;
        Ok(Self { dir: dir.to_owned(), identity, index, fields, reader, writer: YieldingLock::new(writer) })
    }

    fn live_slots(&self) -> tantivy::Result<Vec<u64>> {
        let mut found = Vec::new();
        for segment in self.reader.searcher().segment_readers() {
            let slots = segment.fast_fields().u64("slot")?;
            found.extend(segment.doc_ids_alive().filter_map(|doc| slots.first(doc)));
        }
        found.sort_unstable();
        Ok(found)
    }
}
