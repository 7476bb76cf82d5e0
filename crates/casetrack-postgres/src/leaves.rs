//! Leaves: rows that hold consecutive terms of a segment with their postings, as the leaves of a tree do. A row for
//! each term would be mostly overhead of the server, since most terms are rare.
//!
//! The key of a term is its field (one byte) and its bytes. A row is found by the greatest first key that is not after
//! the one looked for. Its terms are, for each: how many bytes of its key it shares with the one before, the number of
//! further ones and these, the number of chunks, and how many bytes of the row's postings and positions are its own.
//! Numbers are varints.

use casetrack_core::Result;
use casetrack_store::parts::{corrupt, push_varint, take_varint};

use crate::error::{Failure, Step};
use crate::postings::{Block, take_part};
use crate::route::Routes;
use crate::server::Connection;
use crate::sql::id;

/// A row with this many bytes takes no further term. Longer values would be in a table of their own, from which they
/// are slower to read.
const FULL: usize = 1500;

/// Citus has machines do statements that limit their parts, each for its own rows, if they are limited as a whole.
const ALL: &str = "LIMIT 2147483647";

pub(crate) type Key = Vec<u8>;

pub(crate) fn key(field: i16, term: &[u8]) -> Key {
    [&[field as u8], term].concat()
}

/// The field of a key, and the term.
pub(crate) fn parts(key: &[u8]) -> (i16, &[u8]) {
    key.split_first().map_or((0, key), |(field, term)| (i16::from(*field), term))
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// No term before this one is in it.
    pub first: Key,
    pub terms: Vec<u8>,
    pub postings: Vec<u8>,
    pub positions: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Term<'l> {
    pub key: Key,
    pub chunks: u32,
    /// Empty if they were not fetched.
    pub postings: &'l [u8],
    pub positions: &'l [u8],
}

/// The terms of a row. Postings and positions may be left out.
pub(crate) fn terms<'l>(mut terms: &'l [u8], postings: &'l [u8], positions: &'l [u8]) -> Result<Vec<Term<'l>>> {
    let damaged = || corrupt("A stored list of terms cannot be decoded.");
    let mut found: Vec<Term<'l>> = Vec::new();
    let (mut rest, mut rest_of_positions) = (postings, positions);
    while !terms.is_empty() {
        let shared = take_varint(&mut terms).ok_or_else(damaged)? as usize;
        let before = found.last().map(|term| term.key.as_slice()).unwrap_or_default();
        let mut key = before.get(..shared).ok_or_else(damaged)?.to_vec();
        key.extend_from_slice(take_part(&mut terms).ok_or_else(damaged)?);
        let mut number = || take_varint(&mut terms).ok_or_else(damaged);
        let (chunks, own, own_positions) = (number()?, number()? as usize, number()? as usize);
        let postings = take(&mut rest, own).ok_or_else(damaged)?;
        let positions = take(&mut rest_of_positions, own_positions).ok_or_else(damaged)?;
        found.push(Term { key, chunks, postings, positions });
    }
    Ok(found)
}

/// Bytes off the front; none if nothing was fetched.
fn take<'l>(rest: &mut &'l [u8], length: usize) -> Option<&'l [u8]> {
    if rest.is_empty() {
        return Some(&[]);
    }
    let (own, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(own)
}

impl Leaf {
    pub fn terms(&self) -> Result<Vec<Term<'_>>> {
        terms(&self.terms, &self.postings, &self.positions)
    }

    pub fn blocks(&self) -> Result<Vec<(Key, Block)>> {
        let block = |Term { key, chunks, postings, positions }: Term<'_>| {
            (key, Block { chunks, postings: postings.to_vec(), positions: positions.to_vec() })
        };
        Ok(self.terms()?.into_iter().map(block).collect())
    }

    /// With blocks in the order of their keys, however many, of which none is before `first`.
    pub fn of(first: Key, blocks: &[(Key, Block)]) -> Self {
        let mut leaf = Self { first, ..Self::default() };
        let mut before: &[u8] = &[];
        for (key, block) in blocks {
            leaf.push(before, key, block);
            before = key;
        }
        leaf
    }

    /// `before` is the key of the last block that is in it.
    fn push(&mut self, before: &[u8], key: &[u8], block: &Block) {
        let shared = before.iter().zip(key).take_while(|(a, b)| a == b).count();
        let rest = key.get(shared..).unwrap_or_default();
        push_varint(&mut self.terms, shared as u32);
        push_varint(&mut self.terms, rest.len() as u32);
        self.terms.extend_from_slice(rest);
        for number in [block.chunks, block.postings.len() as u32, block.positions.len() as u32] {
            push_varint(&mut self.terms, number);
        }
        self.postings.extend_from_slice(&block.postings);
        self.positions.extend_from_slice(&block.positions);
    }

    fn bytes(&self) -> usize {
        self.terms.len() + self.postings.len() + self.positions.len()
    }
}

#[derive(Debug, Default)]
pub(crate) struct Leaves {
    full: Vec<Leaf>,
    open: Leaf,
    last: Key,
}

impl Leaves {
    pub fn add(&mut self, key: &[u8], block: &Block) {
        let own = key.len() + block.postings.len() + block.positions.len();
        if !self.open.terms.is_empty() && self.open.bytes() + own > FULL {
            self.end();
        }
        if self.open.terms.is_empty() {
            self.open.first = key.to_vec();
            self.last.clear();
        }
        self.open.push(&self.last, key, block);
        self.last.clear();
        self.last.extend_from_slice(key);
    }

    pub fn end(&mut self) {
        if !self.open.terms.is_empty() {
            self.full.push(std::mem::take(&mut self.open));
        }
    }

    /// The number of leaves that are full and were not taken.
    pub fn full(&self) -> usize {
        self.full.len()
    }

    pub fn take(&mut self) -> Vec<Leaf> {
        std::mem::take(&mut self.full)
    }
}

/// The columns that are read besides the terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum With {
    Terms,
    Postings,
    Positions,
}

impl With {
    fn columns(self) -> &'static str {
        match self {
            Self::Terms => "terms, NULL::bytea AS postings, NULL::bytea AS positions",
            Self::Postings => "terms, postings, NULL::bytea AS positions",
            Self::Positions => "terms, postings, positions",
        }
    }
}

/// A row that was read, with the requested columns.
pub(crate) type Fetched = postgres::Row;

pub(crate) fn read(row: &Fetched) -> Result<Vec<Term<'_>>> {
    let part = |n: usize| row.try_get(n).map_err(|error| Failure::from(error).into_error());
    let part = |n: usize| part(n).map(|part: Option<&[u8]>| part.unwrap_or_default());
    terms(part(0)?, part(1)?, part(2)?)
}

/// For each key and segment the row in which the term is, if it is anywhere; others are in it as well. See [`own_term`].
pub(crate) fn with_keys(connection: &mut Connection, routes: &Routes, keys: &[Key], with: With) -> Step<Vec<Fetched>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    // One row for each term and segment is looked up in the index of the primary key. If several terms are in the same
    // row, it comes for each: to leave out equal ones, the coordinator of Citus would sort all postings. Planning takes
    // ten times as long if the routes are not named again.
    let sql = format!(
        "SELECT l.terms, l.postings, l.positions, k.n - 1 \
         FROM segments s CROSS JOIN unnest($3::bytea[]) WITH ORDINALITY AS k(key, n) CROSS JOIN LATERAL (SELECT {} FROM leaves \
         WHERE route = s.route AND route = ANY($1) AND collection = s.collection AND level = s.level AND segment = s.segment AND first <= k.key \
         ORDER BY first DESC LIMIT 1) l WHERE s.route = ANY($1) AND s.collection = $2 {ALL}",
        with.columns()
    );
    connection.all(&sql, &[&routes.all, &id(routes.collection()), &keys])
}

/// The key that a row was fetched for, and its term; `None` if it is not in the row.
pub(crate) fn own_term<'r>(row: &'r Fetched, keys: &[Key]) -> Result<Option<(usize, Term<'r>)>> {
    let place: i64 = row.try_get(3).map_err(|error| Failure::from(error).into_error())?;
    let place = usize::try_from(place).unwrap_or(usize::MAX);
    let Some(key) = keys.get(place) else { return Ok(None) };
    Ok(read(row)?.into_iter().find(|term| term.key == *key).map(|term| (place, term)))
}

/// The terms with keys from one up to, and without, another, with the numbers of their chunks; once for each segment.
pub(crate) fn between(connection: &mut Connection, routes: &Routes, from: &[u8], to: &[u8]) -> Step<Vec<(Key, u32)>> {
    let sql = format!(
        "SELECT l.terms, NULL::bytea, NULL::bytea FROM segments s CROSS JOIN LATERAL (SELECT terms FROM leaves l \
         WHERE l.route = s.route AND l.route = ANY($1) AND l.collection = s.collection AND l.level = s.level AND l.segment = s.segment \
         AND l.first < $4 \
         AND l.first >= coalesce((SELECT m.first FROM leaves m WHERE m.route = s.route AND m.route = ANY($1) AND m.collection = s.collection \
         AND m.level = s.level AND m.segment = s.segment AND m.first <= $3 ORDER BY m.first DESC LIMIT 1), '')) l \
         WHERE s.route = ANY($1) AND s.collection = $2 {ALL}"
    );
    let rows = connection.all(&sql, &[&routes.all, &id(routes.collection()), &from, &to])?;
    let mut found = Vec::new();
    for row in rows {
        let within = read(&row)?.into_iter().filter(|term| from <= &term.key[..] && &term.key[..] < to);
        found.extend(within.map(|term| (term.key, term.chunks)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_come_back_with_their_postings() {
        let mut leaves = Leaves::default();
        let block = |n: u8| Block {
            chunks: n.into(),
            postings: vec![n; 1 + usize::from(n)],
            positions: vec![n; usize::from(n) % 3],
        };
        let keys: Vec<Key> =
            (0..200u8).map(|n| key(i16::from(n / 50), format!("term{:03}", n % 50).as_bytes())).collect();
        for (n, key) in (0u8..).zip(&keys) {
            leaves.add(key, &block(n));
        }
        // One that is longer than a row may be.
        leaves.add(b"z", &Block { chunks: 9, postings: vec![1; 3 * FULL], positions: Vec::new() });
        leaves.end();
        let rows = leaves.take();
        assert!(rows.len() > 10 && leaves.take().is_empty());
        assert!(rows.iter().rev().skip(1).all(|leaf| leaf.bytes() <= FULL + 20));
        let all: Vec<(Key, Block)> = rows.iter().flat_map(|leaf| leaf.blocks().unwrap()).collect();
        assert_eq!(all.len(), 201);
        for ((n, key), (found, own)) in (0u8..).zip(&keys).zip(&all) {
            assert_eq!((key, &block(n)), (found, own));
        }
        for leaf in &rows {
            assert_eq!(leaf.first, leaf.terms().unwrap()[0].key);
            let without = terms(&leaf.terms, &[], &[]).unwrap();
            assert!(without.iter().zip(leaf.terms().unwrap()).all(|(a, b)| (&a.key, a.chunks) == (&b.key, b.chunks)));
            assert!(terms(&leaf.terms[..leaf.terms.len() - 1], &[], &[]).is_err());
        }
        assert_eq!(parts(&keys[60]), (1, &b"term010"[..]));
    }
}
