//! Bringing postings together.
//!
//! A document comes with its postings in one row. When there are enough of them in a bucket, they become a segment:
//! leaves, which hold all terms in order. Several segments of one level become one of the next. The postings of
//! documents that are gone are known by their ordinals and passed over, until they are cleared away.

use std::collections::{HashSet, VecDeque};

use casetrack_core::{DocumentId, Result};
use casetrack_store::Right;
use casetrack_store::parts::invert;

use crate::collection::PostgresCollection;
use crate::error::Step;
use crate::leaves::{Key, Leaf, Leaves, key, parts};
use crate::postings::{Block, Entry, Packed, SPARSE, pack, without};
use crate::server::Connection;
use crate::sql::{Raw, id};

/// So many segments of one level become one of the next …
const SEGMENTS: usize = 8;
/// … up to this level: larger ones take longer to make again than they are faster to read.
const LEVELS: i32 = 3;
/// Leaves that are written at once.
const WRITTEN: usize = 1024;
/// Leaves of a segment that are read at once.
const READ: i64 = 512;
/// A flush clears leaves if one chunk in this many is gone, or in small collections.
const DEAD_SHARE: u64 = 10;
const SMALL: u64 = 50_000;

/// A segment, and how far it was read.
pub(crate) struct Stream {
    level: i32,
    segment: i64,
    /// The first key of the last leaf that was read.
    after: Key,
    ready: VecDeque<(Key, Block)>,
    is_over: bool,
}

impl PostgresCollection {
    fn route_of_bucket(&self, bucket: usize) -> i64 {
        self.routes.all.get(bucket).copied().unwrap_or_default()
    }

    /// Makes a segment of postings that are in none, and fewer segments if there are many.
    pub(crate) fn merge(&self, bucket: usize) -> Result<()> {
        let route = self.route_of_bucket(bucket);
        let merged = self.change(Right::Editor, |connection| {
            self.merge_fresh(connection, route)?;
            let mut merged = false;
            for level in 0..LEVELS {
                merged |= self.merge_level(connection, route, level)?;
            }
            Ok(merged)
        })?;
        self.vacuum(if merged { "fresh, leaves, segments" } else { "fresh" });
        Ok(())
    }

    /// Lets new rows take the place of those that merging removed: until the server does so by itself, many would be
    /// added. Only the owner of the tables may.
    pub(crate) fn vacuum(&self, tables: &str) {
        let done = self.server.outside(|connection| {
            if connection.one("SELECT is_administrator()", &[])?.try_get::<_, bool>(0)? {
                connection.run(&format!("VACUUM {tables}"))?;
            }
            Ok(())
        });
        if let Err(error) = done {
            tracing::warn!(%error, "the space that merging freed is not used yet; the server will reuse it");
        }
    }

    pub(crate) fn merge_fresh(&self, connection: &mut Connection, route: i64) -> Step<()> {
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
        // The documents of each term stay in their order.
        let mut entries: Vec<Entry<'_>> = fresh.iter().flat_map(|(_, packed)| packed.all()).collect();
        entries.sort_by_key(|entry| (entry.field, entry.term));
        let (mut leaves, mut whole) = (Leaves::default(), Block::default());
        for of_term in entries.chunk_by(|a, b| (a.field, a.term) == (b.field, b.term)) {
            let Some(first) = of_term.first() else { continue };
            whole.clear();
            let mut before = None;
            of_term.iter().try_for_each(|own| whole.append_document(&mut before, own))?;
            leaves.add(&key(first.field, first.term), &whole);
        }
        leaves.end();
        self.insert(connection, route, (0, segment), &leaves.take())?;
        let row = connection
            .one("SELECT fresh_chunks FROM buckets WHERE route = $1 AND collection = $2", &[&route, &collection])?;
        connection.change(
            "INSERT INTO segments (route, collection, level, segment, chunks) VALUES ($1, $2, 0, $3, $4)",
            &[&route, &collection, &segment, &row.try_get::<_, i64>(0)?],
        )?;
        connection.change(
            "UPDATE buckets SET merged = $3, fresh_chunks = 0 WHERE route = $1 AND collection = $2",
            &[&route, &collection, &segment],
        )?;
        Ok(())
    }

    fn insert(
        &self,
        connection: &mut Connection,
        route: i64,
        (level, segment): (i32, i64),
        leaves: &[Leaf],
    ) -> Step<()> {
        for part in leaves.chunks(WRITTEN) {
            let column =
                |of: fn(&Leaf) -> &Vec<u8>| part.iter().map(|leaf| of(leaf).as_slice()).collect::<Vec<&[u8]>>();
            // By the machine that has the bucket, as documents of roles are stored (src/writing.rs).
            connection.change(
                "INSERT INTO leaves (route, collection, level, segment, first, terms, postings, positions) \
                 SELECT b.route, b.collection, $3::int, $4::bigint, l.* \
                 FROM buckets b, unnest($5::bytea[], $6::bytea[], $7::bytea[], $8::bytea[]) AS l WHERE b.route = $1 AND b.collection = $2",
                &[
                    &route,
                    &id(self.routes.collection()),
                    &level,
                    &segment,
                    &column(|leaf| &leaf.first),
                    &column(|leaf| &leaf.terms),
                    &column(|leaf| &leaf.postings),
                    &column(|leaf| &leaf.positions),
                ],
            )?;
        }
        Ok(())
    }

    /// The segments of a bucket, of one level or of all, in the order of their content.
    pub(crate) fn streams(&self, connection: &mut Connection, route: i64, level: Option<i32>) -> Step<Vec<Stream>> {
        let rows = connection.all(
            "SELECT level, segment FROM segments WHERE route = $1 AND collection = $2 AND ($3::int IS NULL OR level = $3) ORDER BY segment",
            &[&route, &id(self.routes.collection()), &level],
        )?;
        let stream = |row: postgres::Row| {
            let (level, segment) = (row.try_get(0)?, row.try_get(1)?);
            Ok(Stream { level, segment, after: Key::new(), ready: VecDeque::new(), is_over: false })
        };
        rows.into_iter().map(stream).collect()
    }

    /// The next leaves of a segment; none at its end.
    pub(crate) fn next_leaves(&self, connection: &mut Connection, route: i64, stream: &mut Stream) -> Step<Vec<Leaf>> {
        let rows = connection.all(
            "SELECT first, terms, postings, positions FROM leaves WHERE route = $1 AND collection = $2 AND level = $3 AND segment = $4 \
             AND first > $5 ORDER BY first LIMIT $6",
            &[&route, &id(self.routes.collection()), &stream.level, &stream.segment, &stream.after, &READ],
        )?;
        let leaf = |row: &postgres::Row| {
            let (first, terms) = (row.try_get(0)?, row.try_get(1)?);
            Ok(Leaf { first, terms, postings: row.try_get(2)?, positions: row.try_get(3)? })
        };
        let leaves = rows.iter().map(leaf).collect::<Step<Vec<Leaf>>>()?;
        if let Some(last) = leaves.last() {
            stream.after.clone_from(&last.first);
        }
        Ok(leaves)
    }

    /// Makes one segment of those of a level, if there are enough of them; true if there were.
    fn merge_level(&self, connection: &mut Connection, route: i64, level: i32) -> Step<bool> {
        let collection = id(self.routes.collection());
        let mut streams = self.streams(connection, route, Some(level))?;
        if streams.len() < SEGMENTS {
            return Ok(false);
        }
        let segments: Vec<i64> = streams.iter().map(|stream| stream.segment).collect();
        let last = segments.iter().max().copied().unwrap_or_default();
        let mut leaves = Leaves::default();
        loop {
            for stream in &mut streams {
                while stream.ready.is_empty() && !stream.is_over {
                    let next = self.next_leaves(connection, route, stream)?;
                    stream.is_over = next.is_empty();
                    for leaf in next {
                        stream.ready.extend(leaf.blocks()?);
                    }
                }
            }
            let first = streams.iter().filter_map(|stream| stream.ready.front().map(|(key, _)| key)).min();
            let Some(first) = first.cloned() else { break };
            let mut whole = Block::default();
            for stream in &mut streams {
                if let Some((_, block)) = stream.ready.pop_front_if(|(key, _)| *key == first) {
                    whole.append(block.chunks, &block.postings, &block.positions);
                }
            }
            leaves.add(&first, &whole);
            if leaves.full() >= WRITTEN {
                self.insert(connection, route, (level + 1, last), &leaves.take())?;
            }
        }
        leaves.end();
        self.insert(connection, route, (level + 1, last), &leaves.take())?;
        connection.change(
            "DELETE FROM leaves WHERE route = $1 AND collection = $2 AND level = $3 AND segment = ANY($4)",
            &[&route, &collection, &level, &segments],
        )?;
        connection.change(
            "WITH before AS (DELETE FROM segments WHERE route = $1 AND collection = $2 AND level = $3 AND segment = ANY($4) RETURNING *) \
             INSERT INTO segments (route, collection, level, segment, chunks) SELECT $1::bigint, $2::uuid, $3 + 1, $5::bigint, sum(chunks) FROM before",
            &[&route, &collection, &level, &segments, &last],
        )?;
        Ok(true)
    }

    /// Clears leaves of postings that are gone, if that is worth it.
    pub(crate) fn clear_some(&self) -> Result<()> {
        let (counts, _, dead) = self.counted()?;
        if dead > 0 && (counts.chunks <= SMALL || dead.saturating_mul(DEAD_SHARE) > counts.chunks) {
            self.clear()?;
        }
        Ok(())
    }

    /// Clears leaves of postings of chunks that are gone. Searches continue during this.
    pub(crate) fn clear(&self) -> Result<()> {
        for &route in &self.routes.all {
            self.change(Right::Editor, |connection| self.clear_bucket(connection, route))?;
        }
        self.vacuum("fresh, leaves, segments, removed");
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
        for mut stream in self.streams(connection, route, None)? {
            loop {
                let leaves = self.next_leaves(connection, route, &mut stream)?;
                if leaves.is_empty() {
                    break;
                }
                let mut changed: Vec<Leaf> = Vec::new();
                for leaf in leaves {
                    let kept = cleared(&leaf, &gone)?;
                    changed.extend((kept != leaf).then_some(kept));
                }
                let firsts: Vec<&[u8]> = changed.iter().map(|leaf| leaf.first.as_slice()).collect();
                connection.change(
                    "DELETE FROM leaves WHERE route = $1 AND collection = $2 AND level = $3 AND segment = $4 AND first = ANY($5)",
                    &[&route, &collection, &stream.level, &stream.segment, &firsts],
                )?;
                changed.retain(|leaf| !leaf.terms.is_empty());
                self.insert(connection, route, (stream.level, stream.segment), &changed)?;
            }
        }
        self.forget_removed(connection, route, forgotten)
    }

    /// Notes that leaves have no removed postings.
    fn forget_removed(&self, connection: &mut Connection, route: i64, forgotten: i64) -> Step<()> {
        let collection = id(self.routes.collection());
        connection.change("DELETE FROM removed WHERE route = $1 AND collection = $2", &[&route, &collection])?;
        connection.change(
            "UPDATE buckets SET dead_chunks = 0, forgotten = $3 WHERE route = $1 AND collection = $2",
            &[&route, &collection, &forgotten],
        )?;
        Ok(())
    }

    pub(crate) fn rebuild_bucket(&self, connection: &mut Connection, route: i64) -> Step<()> {
        let collection = id(self.routes.collection());
        for table in ["fresh", "leaves", "segments"] {
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
            let postings = pack(ordinal.cast_unsigned(), &inverted, &whole.sparse_vectors);
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

/// A leaf without the documents that are gone. Its first key stays, even if that term is gone.
fn cleared(leaf: &Leaf, gone: &HashSet<u64>) -> Result<Leaf> {
    let mut kept = Vec::new();
    for (key, block) in leaf.blocks()? {
        let block = without(&block, parts(&key).0 == SPARSE, |ordinal| gone.contains(&ordinal))?;
        kept.extend((block.chunks > 0).then_some((key, block)));
    }
    Ok(Leaf::of(leaf.first.clone(), &kept))
}
