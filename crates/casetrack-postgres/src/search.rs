//! Searches, and which chunks they may find.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use casetrack_core::{DocumentId, Error, Result};
use casetrack_store::parts::{
    Keywords, PagePlace, SlotRange, SlotSet, TopK, decode_impacts, dot, payload, sparse_score, sparse_terms,
};
use casetrack_store::{Bm25Query, Conditions, Filter, Hit, SearchChunks, Selection, SparseVector, VisitLexicon};

use crate::collection::PostgresCollection;
use crate::error::Step;
use crate::leaves::{Key, With, key, own_term, with_keys};
use crate::lists::Lists;
use crate::moment::Moment;
use crate::postings::{SPARSE, sparse_term, visit};
use crate::reader::Reader;
use crate::route::{Routes, first_slot, ordinal_of};
use crate::server::Connection;
use crate::sql::{Raw, RawArray, components, halfvec, id, ids};

/// Candidates that are looked at beyond those wanted, so that the choice among equal scores is ours.
const SPARE: usize = 32;
/// Maximum results that are requested from the index at once.
const MOST_PROPOSED: usize = 20_000;
/// `ef_search`: the greatest that pgvector takes. With 400, one in 40 of the ten nearest of 100,000 chunks was missed; the time is small compared with that.
const EF: usize = 1000;

/// Learned-sparse vectors are read themselves if a filter leaves at most one chunk in this many: with each come the terms that the query does not have.
const NARROW: u64 = 32;

type Weights = HashMap<Vec<u8>, u32>;
type Candidates = Vec<(u64, Vec<f32>)>;

impl SearchChunks for PostgresCollection {
    fn search_keywords(&self, query: Bm25Query, k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        self.with_lists(|moment, keywords| {
            let k = k.min(usize::try_from(moment.slots.chunks()).unwrap_or(usize::MAX));
            if k == 0 {
                return Ok(Vec::new());
            }
            let selected = filter.slots(&moment.slots);
            keywords.search(&query, k, selected.as_deref()).map(|found| Hit::of_slots(&moment.slots, found))
        })
    }

    fn search_dense(&self, vector: &[f32], k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        let dimension = self.models.dense_dimension as usize;
        if vector.len() != dimension {
            let found = vector.len();
            let message = format!("The query's vector has {found} components instead of {dimension}.");
            return Err(Error::internal(message));
        }
        if !vector.iter().all(|x| x.is_finite()) {
            return Err(Error::internal("The query's vector has components that are not numbers."));
        }
        self.server.read(|connection| {
            let moment = self.follow(connection)?;
            let selected = filter.slots(&moment.slots);
            let available = selected.as_ref().map_or(moment.slots.chunks(), |selected| selected.len());
            let k = k.min(usize::try_from(available).unwrap_or(usize::MAX));
            if k == 0 {
                return Ok(Vec::new());
            }
            let search = Dense { collection: self, moment: &moment, query: vector, selected: selected.as_deref() };
            search.best(connection, k, available).map(|found| Hit::of_slots(&moment.slots, found))
        })
    }

    fn search_sparse(&self, query: &SparseVector, k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        let weights: Weights =
            sparse_terms(query)?.into_iter().map(|(term, weight)| (sparse_term(term), weight)).collect();
        if k == 0 || weights.is_empty() {
            return Ok(Vec::new());
        }
        self.server.read(|connection| {
            let moment = self.follow_with_postings(connection)?;
            let selected = filter.slots(&moment.slots);
            let mut top = TopK::new(k);
            match selected.as_deref().filter(|selected| selected.len() <= moment.slots.chunks() / NARROW) {
                Some(selected) => self.add_up_vectors(connection, &moment, selected, &weights, &mut top)?,
                None => self.add_up_postings(connection, &moment, selected.as_deref(), &weights, &mut top)?,
            }
            let found = top.into_sorted().into_iter().map(|(slot, sum)| (slot, sparse_score(sum)));
            Ok(Hit::of_slots(&moment.slots, found))
        })
    }

    fn select(&self, conditions: &Conditions) -> Result<Selection> {
        self.server.read(|connection| {
            let moment = self.follow_with_postings(connection)?;
            let mut slots = conditions.slots_of_documents(&moment.slots);
            if conditions.is_about_pages() {
                let reading = self.reading(connection);
                let kept = conditions.on_pages(&slots, |range| self.page_places(&reading, range));
                slots = reading.answer(kept)?;
            }
            slots = conditions.of_chunks(slots, &moment.slots);
            let lists = Lists::new(&moment, &self.routes, connection);
            let keywords = Keywords(&lists);
            let by_words = || {
                if !conditions.words.is_empty() {
                    slots = slots.intersection(&keywords.matching(&conditions.words)?);
                }
                if let Some(expression) = &conditions.expression {
                    slots = slots.intersection(&keywords.fulfilling(expression)?);
                }
                Ok(Selection::of(slots, conditions.words.clone()))
            };
            lists.answer(by_words())
        })
    }

    fn places(&self, selection: &Selection) -> Vec<(DocumentId, u32)> {
        let moment = self.lately();
        selection.slots().iter().filter_map(|slot| moment.slots.resolve(slot)).collect()
    }

    fn with_lexicon(&self, visit: &mut VisitLexicon<'_>) -> Result<()> {
        // It may be called twice, and never by two threads.
        let visit = RefCell::new(visit);
        self.with_lists(|moment, keywords| {
            let document_of = |slot| moment.slots.resolve(slot).map(|(document, _)| document);
            visit.borrow_mut()(&keywords, &document_of)
        })
    }
}

impl PostgresCollection {
    fn with_lists<T>(&self, make: impl Fn(&Moment, Keywords<'_, Lists<'_>>) -> Result<T>) -> Result<T> {
        self.server.read(|connection| {
            let moment = self.follow_with_postings(connection)?;
            let lists = Lists::new(&moment, &self.routes, connection);
            let made = make(&moment, Keywords(&lists));
            lists.answer(made)
        })
    }

    /// The sums of all chunks, by the postings of the terms.
    fn add_up_postings(
        &self,
        connection: &mut Connection,
        moment: &Moment,
        selected: Option<&SlotSet>,
        weights: &Weights,
        top: &mut TopK<u32>,
    ) -> Step<()> {
        let (keys, own): (Vec<Key>, Vec<u32>) =
            weights.iter().map(|(term, weight)| (key(SPARSE, term), *weight)).unzip();
        let numbers = moment.numbers();
        let mut sums = vec![0u32; usize::try_from(moment.slots.chunks()).unwrap_or_default()];
        let mut add = |postings: &[u8], weight: u32| {
            let (document, mut finding) = (Cell::new(None), numbers.finding());
            let begin = |ordinal| {
                document.set(finding.of(ordinal));
                document.get().is_some()
            };
            visit(postings, None, true, begin, |occurrence, _| {
                let number = document.get().map(|(first, _)| (first + occurrence.chunk) as usize);
                if let Some(sum) = number.and_then(|number| sums.get_mut(number)) {
                    *sum += weight * u32::from(occurrence.length);
                }
            })
        };
        for row in with_keys(connection, &self.routes, &keys, With::Postings)? {
            if let Some((place, found)) = own_term(&row, &keys)? {
                add(found.postings, own.get(place).copied().unwrap_or_default())?;
            }
        }
        for packed in moment.fresh.values() {
            for (term, &weight) in weights {
                if let Some(entry) = packed.get(SPARSE, term) {
                    add(entry.postings, weight)?;
                }
            }
        }
        for (slot, sum) in numbers.slots().zip(sums).filter(|(_, sum)| *sum > 0) {
            if top.threshold().is_none_or(|least| sum > least)
                && selected.is_none_or(|selected| selected.contains(slot))
            {
                top.push(slot, sum);
            }
        }
        Ok(())
    }

    /// The sums of few chunks, by their own vectors: the same numbers, without the postings of all others.
    fn add_up_vectors(
        &self,
        connection: &mut Connection,
        moment: &Moment,
        selected: &SlotSet,
        weights: &Weights,
        top: &mut TopK<u32>,
    ) -> Step<()> {
        let places = Places::of(&self.routes, selected);
        let rows = connection.all(
            "SELECT f.ordinal, c.chunk, c.sparse FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::int[], $5::int[]) \
             AS f(route, document, ordinal, first, last) JOIN chunks c ON c.route = f.route AND c.collection = $6 \
             AND c.document = f.document AND c.chunk >= f.first AND c.chunk < f.last \
             WHERE c.route = ANY($7) AND c.sparse IS NOT NULL",
            &[
                &places.route,
                &places.document,
                &places.ordinal,
                &places.first,
                &places.end,
                &id(self.routes.collection()),
                &self.routes.all,
            ],
        )?;
        let mut impacts = Vec::new();
        let mut found: Vec<(u64, u32)> = Vec::with_capacity(rows.len());
        for row in rows {
            decode_impacts(payload("learned-sparse vector", row.try_get(2)?)?, &mut impacts)?;
            let weight = |term: u32| weights.get(sparse_term(term).as_slice()).copied().unwrap_or_default();
            let sum = impacts.iter().map(|&(term, impact)| weight(term) * u32::from(impact)).sum();
            let slot = slot_of(&row)?;
            // A selection may be of before the document was stored again.
            if sum > 0 && moment.slots.resolve(slot).is_some() {
                found.push((slot, sum));
            }
        }
        found.sort_unstable_by_key(|(slot, _)| *slot);
        found.into_iter().for_each(|(slot, sum)| top.push(slot, sum));
        Ok(())
    }

    /// The beginnings of the pages of a document, kept after the first request: no other version of it has the same
    /// slots.
    pub(crate) fn page_places(&self, reading: &Reader<'_>, range: &SlotRange) -> Result<Arc<[PagePlace]>> {
        let lock = || self.page_places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&range.first) {
            return Ok(Arc::clone(known));
        }
        let spans = reading.spans(range.document)?;
        let records = reading.page_records(range.document)?;
        let missing = |page| casetrack_store::parts::corrupt(format!("Page {page} of {} is missing.", range.document));
        let record = |page: u32| records.get(&page).cloned().ok_or_else(|| missing(page));
        let places: Arc<[PagePlace]> = PagePlace::all(&spans, record)?.into();
        lock().insert(range.first, Arc::clone(&places));
        Ok(places)
    }
}

struct Dense<'s> {
    collection: &'s PostgresCollection,
    moment: &'s Moment,
    query: &'s [f32],
    selected: Option<&'s SlotSet>,
}

impl Dense<'_> {
    /// The best `k` of `available` chunks as (slot, score).
    fn best(&self, connection: &mut Connection, k: usize, available: u64) -> Step<Vec<(u64, f32)>> {
        let has_index =
            available > self.collection.layout.exact_chunks && self.collection.has_dense_index(connection)?;
        let mut wanted = k.saturating_add(SPARE);
        loop {
            let proposed = match has_index && wanted < MOST_PROPOSED {
                true => self.proposed(connection, wanted, available)?,
                false => None,
            };
            let is_all = wanted as u64 >= available;
            let candidates = match proposed {
                Some(proposed) => proposed,
                None if is_all && self.selected.is_some() => self.exact(connection, None)?,
                None => self.exact(connection, Some(wanted))?,
            };
            let mut top = TopK::new(wanted);
            for (slot, vector) in &candidates {
                top.push(*slot, dot(self.query, vector));
            }
            let mut found = top.into_sorted();
            let ends_in_a_tie = match (found.get(k.saturating_sub(1)), found.last()) {
                (Some(chosen), Some(last)) => chosen.1 <= last.1,
                _ => false,
            };
            if is_all || !ends_in_a_tie || candidates.len() < wanted {
                found.truncate(k);
                return Ok(found);
            }
            wanted = wanted.saturating_mul(2);
        }
    }

    /// The candidates that the index proposes; `None` if it gives fewer than it should.
    fn proposed(&self, connection: &mut Connection, wanted: usize, available: u64) -> Step<Option<Candidates>> {
        // Those that the filter leaves are as dense among the proposed as among all, or the search is made again.
        let all = self.moment.slots.chunks().max(1);
        let share = available as f64 / all as f64;
        let mut asked = (wanted as f64 / share * 1.2) as usize;
        for _ in 0..3 {
            if asked > MOST_PROPOSED {
                return Ok(None);
            }
            let found = self.index(connection, asked)?;
            let few = found.len() < asked.min(all as usize);
            let mut kept = found;
            kept.retain(|(slot, _)| self.selected.is_none_or(|selected| selected.contains(*slot)));
            if kept.len() >= wanted {
                return Ok(Some(kept));
            }
            if few {
                return Ok(None);
            }
            asked *= 3;
        }
        Ok(None)
    }

    fn index(&self, connection: &mut Connection, asked: usize) -> Step<Candidates> {
        connection.run(&format!(
            "SET LOCAL hnsw.ef_search = {EF}; SET LOCAL hnsw.iterative_scan = strict_order; \
             SET LOCAL hnsw.max_scan_tuples = {}; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; \
             SET LOCAL enable_sort = off",
            10 * MOST_PROPOSED
        ))?;
        let routes = &self.collection.routes;
        let (collection, dimension) = (routes.collection(), self.collection.models.dense_dimension);
        // As the index was made, or it is not used.
        let sql = format!(
            "SELECT ordinal, chunk, embedding FROM vectors WHERE route = ANY($3) AND collection = '{collection}' \
             ORDER BY (embedding::halfvec({dimension})) <#> $1::halfvec({dimension}) LIMIT $2"
        );
        let rows = connection.all(&sql, &[&Raw(halfvec(self.query)), &(asked as i64), &routes.all])?;
        // What RESET does is not done on other machines.
        connection
            .run("SET LOCAL enable_seqscan = on; SET LOCAL enable_bitmapscan = on; SET LOCAL enable_sort = on")?;
        rows.iter().map(slot_and_vector).collect()
    }

    /// The nearest, or all.
    fn exact(&self, connection: &mut Connection, nearest: Option<usize>) -> Step<Candidates> {
        let routes = &self.collection.routes;
        let collection = id(routes.collection());
        let limit = nearest.map(|nearest| i64::try_from(nearest).unwrap_or(i64::MAX));
        let query = Raw(halfvec(self.query));
        let rows = match self.selected {
            None => connection.all(
                "SELECT v.ordinal, v.chunk, v.embedding FROM vectors v WHERE v.route = ANY($1) AND v.collection = $2 \
                 ORDER BY v.embedding <#> $3::halfvec, v.ordinal, v.chunk LIMIT $4",
                &[&routes.all, &collection, &query, &limit],
            )?,
            Some(selected) => {
                let places = Places::of(routes, selected);
                connection.all(
                    "SELECT v.ordinal, v.chunk, v.embedding \
                     FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::int[], $5::int[]) AS f(route, document, ordinal, first, last) \
                     JOIN vectors v ON v.route = f.route AND v.collection = $6 AND v.document = f.document \
                     AND v.ordinal = f.ordinal AND v.chunk >= f.first AND v.chunk < f.last WHERE v.route = ANY($9) \
                     ORDER BY v.embedding <#> $7::halfvec, v.ordinal, v.chunk LIMIT $8",
                    &[
                        &places.route,
                        &places.document,
                        &places.ordinal,
                        &places.first,
                        &places.end,
                        &collection,
                        &query,
                        &limit,
                        &routes.all,
                    ],
                )?
            }
        };
        rows.iter().map(slot_and_vector).collect()
    }
}

fn slot_and_vector(row: &postgres::Row) -> Step<(u64, Vec<f32>)> {
    Ok((slot_of(row)?, components(&row.try_get(2)?)))
}

/// The slot of a row that begins with the ordinal of a document and the index of a chunk.
fn slot_of(row: &postgres::Row) -> Step<u64> {
    let ordinal = row.try_get::<_, i64>(0)?.cast_unsigned();
    Ok(first_slot(ordinal) + u64::from(row.try_get::<_, i32>(1)?.cast_unsigned()))
}

/// Chunks as a statement names them: of each document a range of indexes, up to `end` and without it.
struct Places {
    route: Vec<i64>,
    document: RawArray,
    ordinal: Vec<i64>,
    first: Vec<i32>,
    end: Vec<i32>,
}

impl Places {
    fn of(routes: &Routes, selected: &SlotSet) -> Self {
        let ranges = selected.ranges();
        let ordinal = |range: &SlotRange| ordinal_of(range.first);
        let index = |slot: u64, range: &SlotRange| (slot - first_slot(ordinal(range))) as i32;
        Self {
            route: ranges.iter().map(|range| routes.route(range.document)).collect(),
            document: ids(ranges.iter().map(|range| range.document)),
            ordinal: ranges.iter().map(|range| ordinal(range).cast_signed()).collect(),
            first: ranges.iter().map(|range| index(range.first, range)).collect(),
            end: ranges.iter().map(|range| index(range.end(), range)).collect(),
        }
    }
}
