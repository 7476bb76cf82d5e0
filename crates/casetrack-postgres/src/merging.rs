//! Bringing postings together.
//!
//! A document comes with its postings in one row. When there are enough of them in a bucket, they become a segment: a block for each term.
//! Blocks of several segments of one level become those of a segment of the next, which the server does by itself, since the bytes of several are
//! their bytes one after the other. What documents that are gone left in blocks is known by their ordinals and passed over, until it is cleared
//! away.

use std::collections::{BTreeMap, HashSet};

use casetrack_core::{DocumentId, Result};
use casetrack_store::parts::invert;

use crate::collection::PostgresCollection;
use crate::error::Failure;
use crate::postings::{Block, Packed, SPARSE, blocks, pack, without};
use crate::server::Connection;
use crate::sql::{Raw, id};

/// So many segments of one level become one of the next …
const SEGMENTS: usize = 8;
/// … up to this level: larger blocks are slower to rewrite than they are faster to read.
const LEVELS: i32 = 3;
/// Rows of one statement.
const ROWS: usize = 4096;
/// Blocks that are read at once while they are cleared.
const BLOCKS: i64 = 2048;
/// A flush clears blocks where one in so many chunks is gone, or in small collections.
const DEAD_SHARE: u64 = 10;
const SMALL: u64 = 50_000;

/// A field and a term.
pub(crate) type Key = (i16, Vec<u8>);

type Step<T> = std::result::Result<T, Failure>;

impl PostgresCollection {
    fn route_of_bucket(&self, bucket: usize) -> i64 {
        self.routes.all.get(bucket).copied().unwrap_or_default()
    }

    /// Makes a segment of what is in no block, and fewer segments where there are many.
    pub(crate) fn merge(&self, bucket: usize) -> Result<()> {
        let route = self.route_of_bucket(bucket);
        self.server.write(self.routes.lock(), |connection| {
            self.merge_fresh(connection, route)?;
            (0..LEVELS).try_for_each(|level| self.merge_level(connection, route, level))
        })
    }

    fn merge_fresh(&self, connection: &mut Connection, route: i64) -> Step<()> {
        let collection = id(self.routes.collection());
        let rows = connection.all(
            "DELETE FROM fresh WHERE route = $1 AND collection = $2 RETURNING ordinal, postings",
            &[&route, &collection],
        )?;
        let mut fresh: Vec<(i64, Packed)> = Vec::with_capacity(rows.len());
        for row in rows {
            fresh.push((row.try_get(0)?, Packed::new(row.try_get(1)?)?));
        }
        fresh.sort_unstable_by_key(|(ordinal, _)| *ordinal);
        let Some(&(segment, _)) = fresh.last() else { return Ok(()) };
        let mut merged: BTreeMap<Key, Block> = BTreeMap::new();
        for entry in fresh.iter().flat_map(|(_, packed)| packed.all()) {
            let whole = merged.entry((entry.field, entry.term.to_vec())).or_default();
            whole.chunks += entry.chunks;
            whole.postings.extend_from_slice(entry.postings);
            whole.positions.extend_from_slice(entry.positions);
        }
        self.insert_blocks(connection, route, merged.iter().map(|(key, block)| (key, segment, block)))?;
        let row = connection
            .one("SELECT fresh_chunks FROM buckets WHERE route = $1 AND collection = $2", &[&route, &collection])?;
        connection.change(
            "INSERT INTO segments (route, collection, segment, level, chunks) VALUES ($1, $2, $3, 0, $4)",
            &[&route, &collection, &segment, &row.try_get::<_, i64>(0)?],
        )?;
        connection.change(
            "UPDATE buckets SET merged = $3, fresh_chunks = 0 WHERE route = $1 AND collection = $2",
            &[&route, &collection, &segment],
        )?;
        Ok(())
    }

    fn insert_blocks<'b>(
        &self,
        connection: &mut Connection,
        route: i64,
        blocks: impl Iterator<Item = (&'b Key, i64, &'b Block)>,
    ) -> Step<()> {
        let all: Vec<_> = blocks.collect();
        for part in all.chunks(ROWS) {
            let fields: Vec<i16> = part.iter().map(|((field, _), ..)| *field).collect();
            let terms: Vec<&[u8]> = part.iter().map(|((_, term), ..)| term.as_slice()).collect();
            let segments: Vec<i64> = part.iter().map(|(_, segment, _)| *segment).collect();
            let chunks: Vec<i32> = part.iter().map(|(.., block)| block.chunks.cast_signed()).collect();
            let postings: Vec<&[u8]> = part.iter().map(|(.., block)| block.postings.as_slice()).collect();
            let positions: Vec<&[u8]> = part.iter().map(|(.., block)| block.positions.as_slice()).collect();
            connection.change(
                "INSERT INTO blocks SELECT $1::bigint, $2::uuid, * \
                 FROM unnest($3::smallint[], $4::bytea[], $5::bigint[], $6::int[], $7::bytea[], $8::bytea[])",
                &[&route, &id(self.routes.collection()), &fields, &terms, &segments, &chunks, &postings, &positions],
            )?;
        }
        Ok(())
    }

    /// Makes one segment of those of a level, where there are enough of them.
    fn merge_level(&self, connection: &mut Connection, route: i64, level: i32) -> Step<()> {
        let collection = id(self.routes.collection());
        let rows = connection.all(
            "SELECT segment FROM segments WHERE route = $1 AND collection = $2 AND level = $3 ORDER BY segment",
            &[&route, &collection, &level],
        )?;
        if rows.len() < SEGMENTS {
            return Ok(());
        }
        let segments = rows.iter().map(|row| row.try_get(0)).collect::<std::result::Result<Vec<i64>, _>>()?;
        let last = segments.iter().max().copied().unwrap_or_default();
        connection.change(
            "WITH before AS (DELETE FROM blocks WHERE route = $1 AND collection = $2 AND segment = ANY($3) RETURNING *) \
             INSERT INTO blocks SELECT $1::bigint, $2::uuid, field, term, $4::bigint, sum(chunks), string_agg(postings, '' ORDER BY segment), \
             string_agg(positions, '' ORDER BY segment) FROM before GROUP BY field, term",
            &[&route, &collection, &segments, &last],
        )?;
        connection.change(
            "WITH before AS (DELETE FROM segments WHERE route = $1 AND collection = $2 AND segment = ANY($3) RETURNING *) \
             INSERT INTO segments SELECT $1::bigint, $2::uuid, $4::bigint, $5::int, sum(chunks) FROM before",
            &[&route, &collection, &segments, &last, &(level + 1)],
        )?;
        Ok(())
    }

    /// Clears blocks of what is gone, where that is worth it.
    pub(crate) fn clear_some(&self) -> Result<()> {
        let (counts, _, dead) = self.counted()?;
        if dead > 0 && (counts.chunks <= SMALL || dead.saturating_mul(DEAD_SHARE) > counts.chunks) {
            self.clear()?;
        }
        Ok(())
    }

    /// Clears blocks of what is gone. Searches go on meanwhile.
    pub(crate) fn clear(&self) -> Result<()> {
        for &route in &self.routes.all {
            self.server.write(self.routes.lock(), |connection| self.clear_bucket(connection, route))?;
        }
        Ok(())
    }

    fn clear_bucket(&self, connection: &mut Connection, route: i64) -> Step<()> {
        let collection = id(self.routes.collection());
        let rows = connection
            .all("SELECT ordinal, changed FROM removed WHERE route = $1 AND collection = $2", &[&route, &collection])?;
        let (mut gone, mut forgotten) = (HashSet::new(), 0i64);
        for row in rows {
            gone.insert(row.try_get::<_, i64>(0)?.cast_unsigned());
            forgotten = forgotten.max(row.try_get(1)?);
        }
        if gone.is_empty() {
            return Ok(());
        }
        let mut after = None;
        loop {
            let blocks = self.next_blocks(connection, route, &mut after)?;
            if blocks.is_empty() {
                break;
            }
            let mut changed: Vec<(Key, i64, Block)> = Vec::new();
            for (key, segment, block) in blocks {
                let kept = without(&block, key.0 == SPARSE, |ordinal| gone.contains(&ordinal))?;
                if kept != block {
                    changed.push((key, segment, kept));
                }
            }
            let fields: Vec<i16> = changed.iter().map(|((field, _), ..)| *field).collect();
            let terms: Vec<&[u8]> = changed.iter().map(|((_, term), ..)| term.as_slice()).collect();
            let segments: Vec<i64> = changed.iter().map(|(_, segment, _)| *segment).collect();
            connection.change(
                "DELETE FROM blocks b USING unnest($3::smallint[], $4::bytea[], $5::bigint[]) AS gone(field, term, segment) \
                 WHERE b.route = $1 AND b.collection = $2 AND b.field = gone.field AND b.term = gone.term \
                 AND b.segment = gone.segment",
                &[&route, &collection, &fields, &terms, &segments],
            )?;
            let kept = changed.iter().filter(|(.., block)| block.chunks > 0);
            self.insert_blocks(connection, route, kept.map(|(key, segment, block)| (key, *segment, block)))?;
        }
        self.forget_removed(connection, route, forgotten)
    }

    /// Some blocks of a bucket after those that were read before, in their order; none at the end.
    pub(crate) fn next_blocks(
        &self,
        connection: &mut Connection,
        route: i64,
        after: &mut Option<(Key, i64)>,
    ) -> Step<Vec<(Key, i64, Block)>> {
        let ((field, term), segment) = after.clone().unwrap_or(((-1, Vec::new()), 0));
        let rows = connection.all(
            "SELECT field, term, segment, chunks, postings, positions FROM blocks WHERE route = $1 AND collection = $2 \
             AND (field, term, segment) > ($3, $4, $5) ORDER BY field, term, segment LIMIT $6",
            &[&route, &id(self.routes.collection()), &field, &term, &segment, &BLOCKS],
        )?;
        let mut blocks = Vec::with_capacity(rows.len());
        for row in rows {
            let chunks = row.try_get::<_, i32>(3)?.cast_unsigned();
            let block = Block { chunks, postings: row.try_get(4)?, positions: row.try_get(5)? };
            blocks.push(((row.try_get(0)?, row.try_get(1)?), row.try_get(2)?, block));
        }
        if let Some((key, segment, _)) = blocks.last() {
            *after = Some((key.clone(), *segment));
        }
        Ok(blocks)
    }

    /// Notes that blocks have nothing of what is gone.
    fn forget_removed(&self, connection: &mut Connection, route: i64, forgotten: i64) -> Step<()> {
        let collection = id(self.routes.collection());
        connection.change("DELETE FROM removed WHERE route = $1 AND collection = $2", &[&route, &collection])?;
        connection.change(
            "UPDATE buckets SET dead_chunks = 0, forgotten = $3 WHERE route = $1 AND collection = $2",
            &[&route, &collection, &forgotten],
        )?;
        Ok(())
    }

    /// Makes all postings again from the documents.
    pub(crate) fn rebuild(&self) -> Result<()> {
        for &route in &self.routes.all {
            self.server.write(self.routes.lock(), |connection| {
                self.rebuild_bucket(connection, route)?;
                self.merge_fresh(connection, route)
            })?;
        }
        Ok(())
    }

    fn rebuild_bucket(&self, connection: &mut Connection, route: i64) -> Step<()> {
        let collection = id(self.routes.collection());
        for table in ["fresh", "blocks", "segments"] {
            let sql = format!("DELETE FROM {table} WHERE route = $1 AND collection = $2");
            connection.change(&sql, &[&route, &collection])?;
        }
        let rows = connection.all(
            "SELECT ordinal, document FROM documents WHERE route = $1 AND collection = $2 ORDER BY ordinal",
            &[&route, &collection],
        )?;
        for row in rows {
            let ordinal: i64 = row.try_get(0)?;
            let document = DocumentId::from_bytes(row.try_get::<_, Raw>(1)?.uuid());
            let whole = {
                let reading = self.reading(connection);
                let read = reading.whole(document);
                reading.answer(read)?
            };
            let inverted = invert(&whole.meta, &whole.chunks);
            let postings = pack(&blocks(ordinal.cast_unsigned(), &inverted, &whole.sparse_vectors));
            connection.change(
                "INSERT INTO fresh (route, collection, ordinal, postings) VALUES ($1, $2, $3, $4)",
                &[&route, &collection, &ordinal, &postings],
            )?;
        }
        let row = connection.one(
            "UPDATE buckets SET fresh_chunks = chunks WHERE route = $1 AND collection = $2 RETURNING changed",
            &[&route, &collection],
        )?;
        self.forget_removed(connection, route, row.try_get(0)?)
    }
}
