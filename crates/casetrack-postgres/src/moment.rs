//! The documents of a collection in the memory of a client: the properties that searches and filters need. It follows
//! the server by the numbers of changes, reading only changes.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use casetrack_core::{DocumentMeta, Error, ErrorCode};
use casetrack_store::parts::{SlotMap, SlotRange, decode_json, name_terms};
use casetrack_store::{CatalogueEntry, language_mark};

use crate::error::{Failure, Step};
use crate::postings::Packed;
use crate::route::{Routes, first_slot};
use crate::server::Connection;
use crate::sql::id;

#[derive(Debug)]
pub(crate) struct KnownDocument {
    pub entry: Arc<CatalogueEntry>,
    pub slots: SlotRange,
    pub ordinal: u64,
    pub version: u64,
    text_tokens: u64,
    context_tokens: u64,
    mark: Option<&'static str>,
    title: Option<String>,
    language: Option<String>,
    names: OnceLock<Vec<String>>,
}

impl KnownDocument {
    pub fn names(&self) -> &[String] {
        let terms = || name_terms(&self.entry.name, self.title.as_deref(), self.language.as_deref());
        self.names.get_or_init(terms)
    }
}

/// Ordered by path.
pub(crate) type Catalogue = Arc<[Arc<CatalogueEntry>]>;

/// All documents as of one moment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moment {
    /// The last change that is in each bucket. Buckets may be on several machines, which do not see others' changes at
    /// the same time.
    changed: Vec<u64>,
    /// For each bucket, the last ordinal whose postings are in leaves.
    merged: Vec<u64>,
    /// Chunks that are gone and have postings in leaves.
    pub dead: u64,
    pub slots: SlotMap,
    pub by_ordinal: BTreeMap<u64, Arc<KnownDocument>>,
    pub text_tokens: u64,
    pub context_tokens: u64,
    marks: HashMap<&'static str, u64>,
    /// Postings that are not in leaves, by ordinal, of changes up to `fresh_through`.
    pub fresh: BTreeMap<u64, Arc<Packed>>,
    fresh_through: Vec<u64>,
    catalogue: OnceLock<Catalogue>,
    numbers: OnceLock<Arc<Numbers>>,
    called: OnceLock<Arc<HashMap<String, Vec<u64>>>>,
}

/// Chunks by their numbers in the order of storing.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    /// The ordinal of each document, and the number of its first chunk and of its chunks.
    documents: Vec<(u64, u32, u32)>,
}

/// The number of documents that [`Finding`] looks at before it searches all.
const NEAR: usize = 8;

/// Finds documents by their ordinals. Those of a list ascend, and of a frequent term the next one is near.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finding<'n> {
    documents: &'n [(u64, u32, u32)],
    at: usize,
}

impl Finding<'_> {
    /// The number of the first chunk of a document and how many it has; `None` if it is gone.
    pub fn of(&mut self, ordinal: u64) -> Option<(u32, u32)> {
        let near = self.documents.iter().skip(self.at).take(NEAR).position(|(own, ..)| *own == ordinal);
        self.at = match near {
            Some(step) => self.at + step,
            None => self.documents.binary_search_by_key(&ordinal, |(own, ..)| *own).ok()?,
        };
        self.documents.get(self.at).map(|&(_, first, count)| (first, count))
    }
}

impl Numbers {
    pub fn finding(&self) -> Finding<'_> {
        Finding { documents: &self.documents, at: 0 }
    }

    pub fn slots(&self) -> impl Iterator<Item = u64> {
        let of = |&(ordinal, _, count): &(u64, u32, u32)| (0..u64::from(count)).map(move |n| first_slot(ordinal) + n);
        self.documents.iter().flat_map(of)
    }

    pub fn slot(&self, number: u32) -> u64 {
        let after = self.documents.partition_point(|(_, first, _)| *first <= number);
        let of = |&(ordinal, first, _): &(u64, u32, u32)| first_slot(ordinal) + u64::from(number - first);
        after.checked_sub(1).and_then(|at| self.documents.get(at)).map_or(u64::MAX, of)
    }
}

impl Moment {
    /// In the order in which they were stored.
    pub fn documents(&self) -> impl Iterator<Item = &Arc<KnownDocument>> {
        self.by_ordinal.values()
    }

    pub fn catalogue(&self) -> Catalogue {
        let ordered = || {
            let mut entries: Vec<_> = self.documents().map(|known| Arc::clone(&known.entry)).collect();
            entries.sort_by(|a, b| a.path.cmp(&b.path));
            entries.into()
        };
        Arc::clone(self.catalogue.get_or_init(ordered))
    }

    pub fn numbers(&self) -> Arc<Numbers> {
        let number = || {
            let mut next = 0;
            let documents =
                self.by_ordinal.iter().filter(|(_, known)| known.slots.count > 0).map(|(&ordinal, known)| {
                    let first = next;
                    next += known.slots.count;
                    (ordinal, first, known.slots.count)
                });
            Arc::new(Numbers { documents: documents.collect() })
        };
        Arc::clone(self.numbers.get_or_init(number))
    }

    /// The ordinals of the documents that are called by a term, ascending.
    pub fn called(&self) -> Arc<HashMap<String, Vec<u64>>> {
        let names = || {
            let mut called: HashMap<String, Vec<u64>> = HashMap::new();
            // The index has them with the first chunk.
            for (&ordinal, known) in self.by_ordinal.iter().filter(|(_, known)| known.slots.count > 0) {
                known.names().iter().for_each(|term| called.entry(term.clone()).or_default().push(ordinal));
            }
            Arc::new(called)
        };
        Arc::clone(self.called.get_or_init(names))
    }

    pub fn marks(&self) -> impl Iterator<Item = &'static str> {
        self.marks.keys().copied()
    }

    /// True if the postings of a document are in leaves.
    pub fn is_merged(&self, bucket: usize, ordinal: u64) -> bool {
        self.merged.get(bucket).is_some_and(|merged| ordinal <= *merged)
    }

    fn forget_derived(&mut self) {
        self.catalogue = OnceLock::new();
        self.numbers = OnceLock::new();
        self.called = OnceLock::new();
    }

    fn add(&mut self, known: KnownDocument) {
        // One that only moved comes again under the same ordinal, with the same postings.
        self.take(known.ordinal);
        self.slots.insert(known.slots);
        self.text_tokens += known.text_tokens;
        self.context_tokens += known.context_tokens;
        if let Some(mark) = known.mark {
            *self.marks.entry(mark).or_default() += 1;
        }
        self.by_ordinal.insert(known.ordinal, Arc::new(known));
    }

    fn remove(&mut self, ordinal: u64) {
        self.take(ordinal);
        self.fresh.remove(&ordinal);
    }

    fn take(&mut self, ordinal: u64) {
        let Some(known) = self.by_ordinal.remove(&ordinal) else { return };
        self.slots.remove(&known.slots);
        self.text_tokens -= known.text_tokens;
        self.context_tokens -= known.context_tokens;
        if let Some(mark) = known.mark
            && let Some(documents) = self.marks.get_mut(mark)
        {
            *documents -= 1;
            if *documents == 0 {
                self.marks.remove(mark);
            }
        }
    }

    /// Brings it to the state that a connection sees, which is in a transaction.
    pub fn follow(moment: &mut Arc<Self>, connection: &mut Connection, routes: &Routes) -> Step<()> {
        let rows = connection.all(
            "SELECT bucket, changed, merged, dead_chunks, forgotten FROM buckets WHERE route = ANY($1) AND collection = $2 \
             ORDER BY bucket",
            &[&routes.all, &id(routes.collection())],
        )?;
        if rows.is_empty() {
            return Err(gone(routes).into());
        }
        let (mut changed, mut merged, mut forgotten, mut dead) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for row in rows {
            changed.push(row.try_get::<_, i64>(1)?.cast_unsigned());
            merged.push(row.try_get::<_, i64>(2)?.cast_unsigned());
            dead += row.try_get::<_, i64>(3)?.cast_unsigned();
            forgotten.push(row.try_get::<_, i64>(4)?.cast_unsigned());
        }
        let is_older = |own: &[u64], seen: &[u64]| own.iter().zip(seen).any(|(own, seen)| own > seen);
        if is_older(&moment.changed, &changed) || is_older(&moment.merged, &merged) {
            return Err(Failure::Behind);
        }
        if moment.changed == changed && moment.merged == merged && moment.dead == dead {
            return Ok(());
        }
        let own = Arc::make_mut(moment);
        if own.changed.len() < changed.len() || is_older(&forgotten, &own.changed) {
            let none = vec![0; changed.len()];
            *own = Self { changed: none.clone(), fresh_through: none, ..Self::default() };
        }
        own.read_changes(connection, routes)?;
        (own.changed, own.dead) = (changed, dead);
        if own.merged != merged {
            own.merged = merged;
            let in_leaves = |known: &KnownDocument| own.is_merged(routes.bucket(known.slots.document), known.ordinal);
            let gone: Vec<u64> = own
                .fresh
                .keys()
                .filter(|ordinal| own.by_ordinal.get(ordinal).is_none_or(|k| in_leaves(k)))
                .copied()
                .collect();
            gone.iter().for_each(|ordinal| drop(own.fresh.remove(ordinal)));
        }
        own.forget_derived();
        Ok(())
    }

    /// Reads the documents that were changed or removed since.
    fn read_changes(&mut self, connection: &mut Connection, routes: &Routes) -> Step<()> {
        let (collection, since) = (id(routes.collection()), signed(&self.changed));
        let rows = connection.all(
            "SELECT r.ordinal FROM removed r JOIN unnest($1::bigint[], $3::bigint[]) AS s(route, since) ON r.route = s.route \
             WHERE r.route = ANY($1) AND r.collection = $2 AND r.changed > s.since",
            &[&routes.all, &collection, &since],
        )?;
        for row in rows {
            self.remove(row.try_get::<_, i64>(0)?.cast_unsigned());
        }
        let rows = connection.all(
            "SELECT d.ordinal, d.version, d.chunks, d.text_tokens, d.context_tokens, d.meta FROM documents d \
             JOIN unnest($1::bigint[], $3::bigint[]) AS s(route, since) ON d.route = s.route \
             WHERE d.route = ANY($1) AND d.collection = $2 AND d.changed > s.since",
            &[&routes.all, &collection, &since],
        )?;
        for row in rows {
            let [ordinal, version] = [row.try_get::<_, i64>(0)?, row.try_get::<_, i64>(1)?].map(i64::cast_unsigned);
            let meta: DocumentMeta = decode_json("document", row.try_get(5)?)?;
            let count = row.try_get::<_, i32>(2)?.cast_unsigned();
            let slots = SlotRange { document: meta.id, first: first_slot(ordinal), count };
            let language = meta.properties.language.clone();
            self.add(KnownDocument {
                slots,
                ordinal,
                version,
                text_tokens: row.try_get::<_, i64>(3)?.cast_unsigned(),
                context_tokens: row.try_get::<_, i64>(4)?.cast_unsigned(),
                mark: language_mark(language.as_deref()),
                title: meta.title.clone(),
                language,
                names: OnceLock::new(),
                entry: Arc::new(CatalogueEntry::new(meta, slots)),
            });
        }
        Ok(())
    }

    pub fn follow_with_postings(moment: &mut Arc<Self>, connection: &mut Connection, routes: &Routes) -> Step<()> {
        Self::follow(moment, connection, routes)?;
        if moment.fresh_through == moment.changed {
            return Ok(());
        }
        let own = Arc::make_mut(moment);
        let rows = connection.all(
            "SELECT f.ordinal, f.postings FROM fresh f JOIN unnest($1::bigint[], $3::bigint[]) AS s(route, since) ON f.route = s.route \
             WHERE f.route = ANY($1) AND f.collection = $2 AND f.ordinal > s.since",
            &[&routes.all, &id(routes.collection()), &signed(&own.fresh_through)],
        )?;
        for row in rows {
            let packed = Packed::new(row.try_get(1)?)?;
            own.fresh.insert(row.try_get::<_, i64>(0)?.cast_unsigned(), Arc::new(packed));
        }
        own.fresh_through.clone_from(&own.changed);
        Ok(())
    }
}

/// Numbers of changes as the server has them.
fn signed(numbers: &[u64]) -> Vec<i64> {
    numbers.iter().map(|number| number.cast_signed()).collect()
}

/// The error for a collection that was deleted, perhaps by another client.
pub(crate) fn gone(routes: &Routes) -> Error {
    let message = format!("There is no collection {} in the store.", routes.collection());
    Error::new(ErrorCode::NotFound, message).with_hint("List the collections to see their names and IDs.")
}
