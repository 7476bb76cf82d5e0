//! Postings as bytes.
//!
//! Those of a term are, for each document that has it: the difference between its ordinal and the ordinal of the one
//! before, or 0 and the ordinal; the number of its chunks that have the term, and for each of these the distance of its
//! index from the one before (from -1 at first, less one), how often it has the term, and the length of the field (one
//! byte). For learned-sparse terms, the impact (one byte) replaces the last two. Positions are by themselves, in the
//! same order: the distance of each from the one before it in its chunk. Numbers are varints. The postings of several
//! documents are their bytes one after the other.
//!
//! Those of a whole document are, for each term: the field (one byte), the length of the term and the term, the number
//! of chunks that have it, and the lengths of both with their bytes.

use std::cell::RefCell;

use casetrack_core::Result;
use casetrack_store::parts::{Inverted, Posting, TermPostings, corrupt, push_varint, take_varint};
use casetrack_store::{SparseVector, TextField};

/// The field of learned-sparse terms, whose terms are their ids.
pub(crate) const SPARSE: i16 = 9;

pub(crate) fn field_number(field: TextField) -> i16 {
    match field {
        TextField::Text => 0,
        TextField::Exact => 1,
        TextField::Context => 2,
        TextField::Names => 3,
        TextField::Cover => 4,
    }
}

/// The bytes of the term that is the id of a learned-sparse one.
pub(crate) fn sparse_term(id: u32) -> Vec<u8> {
    id.to_be_bytes().to_vec()
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub chunks: u32,
    pub postings: Vec<u8>,
    pub positions: Vec<u8>,
}

/// `before` is the ordinal of the document before.
fn push_ordinal(bytes: &mut Vec<u8>, before: Option<u64>, ordinal: u64) {
    let gap = before.and_then(|before| u32::try_from(ordinal.checked_sub(before)?).ok());
    push_varint(bytes, gap.unwrap_or(0));
    if gap.unwrap_or(0) == 0 {
        let mut rest = ordinal;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
}

fn take_ordinal(bytes: &mut &[u8], before: Option<u64>) -> Option<u64> {
    match take_varint(bytes)? {
        0 => {
            let length = bytes.iter().position(|byte| byte & 0x80 == 0)? + 1;
            let (own, rest) = bytes.split_at_checked(length).filter(|_| length <= 10)?;
            *bytes = rest;
            Some(own.iter().rev().fold(0, |ordinal, byte| ordinal << 7 | u64::from(byte & 0x7f)))
        }
        gap => before?.checked_add(gap.into()),
    }
}

/// The blocks of one document, as one value.
pub(crate) fn pack(ordinal: u64, inverted: &Inverted, sparse: &[SparseVector]) -> Vec<u8> {
    let (mut bytes, mut block) = (Vec::new(), Block::default());
    let mut terms: Vec<(i16, &[u8], &TermPostings)> = Vec::with_capacity(inverted.terms.len());
    terms.extend(inverted.terms.iter().map(|((field, term), own)| (field_number(*field), term.as_bytes(), own)));
    terms.sort_by_key(|(field, term, _)| (*field, *term));
    for (field, term, TermPostings { chunks, positions }) in terms {
        block.begin(None, ordinal, chunks.len());
        let (mut next, mut positions) = (0, positions.as_slice());
        for &Posting { chunk, count, length } in chunks {
            let own = positions.split_off(..positions.len().min(count as usize)).unwrap_or_default();
            block.add(&mut next, Occurrence { chunk, count, length }, false, own);
        }
        block.pack(&mut bytes, field, term);
    }
    let of_chunk = |(chunk, vector): (u32, &SparseVector)| {
        vector.impacts().map(move |(term, impact)| (term, chunk, impact)).collect::<Vec<_>>()
    };
    let mut impacts: Vec<(u32, u32, u8)> = (0..).zip(sparse).flat_map(of_chunk).collect();
    impacts.sort_unstable();
    for of_term in impacts.chunk_by(|(a, ..), (b, ..)| a == b) {
        block.begin(None, ordinal, of_term.len());
        let mut next = 0;
        for &(_, chunk, impact) in of_term {
            block.add(&mut next, Occurrence { chunk, count: 1, length: impact }, true, &[]);
        }
        block.pack(&mut bytes, SPARSE, &sparse_term(of_term.first().map_or(0, |(term, ..)| *term)));
    }
    bytes
}

/// All blocks of a document as one value, in which they are found by binary search.
#[derive(Debug)]
pub(crate) struct Packed {
    bytes: Vec<u8>,
    /// Where each block begins.
    entries: Vec<u32>,
}

/// A block of a [`Packed`] value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry<'p> {
    pub field: i16,
    pub term: &'p [u8],
    pub chunks: u32,
    pub postings: &'p [u8],
    pub positions: &'p [u8],
}

impl<'p> Entry<'p> {
    /// Takes one off the front.
    fn take(bytes: &mut &'p [u8]) -> Option<Self> {
        let (&field, rest) = bytes.split_first()?;
        *bytes = rest;
        let term = take_part(bytes)?;
        let chunks = take_varint(bytes)?;
        Some(Self { field: field.into(), term, chunks, postings: take_part(bytes)?, positions: take_part(bytes)? })
    }
}

/// Bytes after their number.
pub(crate) fn take_part<'p>(bytes: &mut &'p [u8]) -> Option<&'p [u8]> {
    let length = take_varint(bytes)? as usize;
    let (part, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(part)
}

impl Packed {
    /// Reads the output of [`pack`].
    pub fn new(bytes: Vec<u8>) -> Result<Self> {
        let (mut entries, mut rest) = (Vec::new(), bytes.as_slice());
        while !rest.is_empty() {
            entries.push((bytes.len() - rest.len()) as u32);
            Entry::take(&mut rest).ok_or_else(damaged)?;
        }
        Ok(Self { bytes, entries })
    }

    fn at(&self, place: usize) -> Option<Entry<'_>> {
        let start = *self.entries.get(place)?;
        Entry::take(&mut self.bytes.get(start as usize..)?)
    }

    /// Those from a field and term on, in order.
    pub fn from(&self, field: i16, term: &[u8]) -> impl Iterator<Item = Entry<'_>> {
        let is_before = |start: &u32| {
            let mut bytes = self.bytes.get(*start as usize..).unwrap_or_default();
            Entry::take(&mut bytes).is_some_and(|entry| (entry.field, entry.term) < (field, term))
        };
        let first = self.entries.partition_point(is_before);
        (first..self.entries.len()).filter_map(|place| self.at(place))
    }

    pub fn all(&self) -> impl Iterator<Item = Entry<'_>> {
        self.from(i16::MIN, &[])
    }

    pub fn get(&self, field: i16, term: &[u8]) -> Option<Entry<'_>> {
        self.from(field, term).next().filter(|entry| (entry.field, entry.term) == (field, term))
    }
}

fn damaged() -> casetrack_core::Error {
    corrupt("Stored postings cannot be decoded.")
}

/// The occurrences of a term in one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Occurrence {
    pub chunk: u32,
    /// 1 for learned-sparse terms, whose impact is the length.
    pub count: u32,
    pub length: u8,
}

/// Visits the postings of a block: those of each document, then the positions of each of its chunks if `positions` are
/// given. `document` returns true if those of a document are wanted; others are read and passed over.
pub(crate) fn visit(
    mut postings: &[u8],
    mut positions: Option<&[u8]>,
    is_sparse: bool,
    mut document: impl FnMut(u64) -> bool,
    mut found: impl FnMut(Occurrence, &[u32]),
) -> Result<()> {
    let (mut places, mut before) = (Vec::new(), None);
    while !postings.is_empty() {
        let ordinal = take_ordinal(&mut postings, before).ok_or_else(damaged)?;
        before = Some(ordinal);
        let is_wanted = document(ordinal);
        let mut next = 0u32;
        for _ in 0..take_varint(&mut postings).ok_or_else(damaged)? {
            let gap = take_varint(&mut postings).ok_or_else(damaged)?;
            let count = if is_sparse { 1 } else { take_varint(&mut postings).ok_or_else(damaged)? };
            let (&length, rest) = postings.split_first().ok_or_else(damaged)?;
            postings = rest;
            let chunk = next.checked_add(gap).ok_or_else(damaged)?;
            next = chunk.checked_add(1).ok_or_else(damaged)?;
            places.clear();
            if let Some(positions) = &mut positions {
                let mut at = 0u32;
                for _ in 0..count {
                    let gap = take_varint(positions).ok_or_else(damaged)?;
                    at = at.checked_add(gap).ok_or_else(damaged)?;
                    places.push(at);
                }
            }
            if is_wanted {
                found(Occurrence { chunk, count, length }, &places);
            }
        }
    }
    Ok(())
}

/// The postings of a term in a document, with the positions.
type Places = Vec<(Occurrence, Vec<u32>)>;

pub(crate) fn without(block: &Block, is_sparse: bool, is_gone: impl Fn(u64) -> bool) -> Result<Block> {
    let positions = (!block.positions.is_empty()).then_some(block.positions.as_slice());
    // One after another, as they are in the block.
    let documents: RefCell<Vec<(u64, Places)>> = RefCell::default();
    let begin = |ordinal| {
        let is_kept = !is_gone(ordinal);
        if is_kept {
            documents.borrow_mut().push((ordinal, Vec::new()));
        }
        is_kept
    };
    visit(&block.postings, positions, is_sparse, begin, |occurrence, places| {
        if let Some((_, of_document)) = documents.borrow_mut().last_mut() {
            of_document.push((occurrence, places.to_vec()));
        }
    })?;
    let (mut kept, mut before) = (Block::default(), None);
    for (ordinal, occurrences) in documents.into_inner() {
        kept.begin(before.replace(ordinal), ordinal, occurrences.len());
        let mut next = 0;
        for (occurrence, places) in occurrences {
            kept.add(&mut next, occurrence, is_sparse, &places);
        }
    }
    Ok(kept)
}

impl Block {
    /// Adds the postings of documents that were stored later.
    pub fn append(&mut self, chunks: u32, postings: &[u8], positions: &[u8]) {
        self.chunks += chunks;
        self.postings.extend_from_slice(postings);
        self.positions.extend_from_slice(positions);
    }

    /// The same of one document. `before` is the one before, and becomes this one.
    pub fn append_document(&mut self, before: &mut Option<u64>, own: &Entry<'_>) -> Result<()> {
        let mut postings = own.postings;
        let ordinal = take_ordinal(&mut postings, None).ok_or_else(damaged)?;
        push_ordinal(&mut self.postings, before.replace(ordinal), ordinal);
        self.append(own.chunks, postings, own.positions);
        Ok(())
    }

    /// Begins the postings of a document.
    fn begin(&mut self, before: Option<u64>, ordinal: u64, chunks: usize) {
        push_ordinal(&mut self.postings, before, ordinal);
        push_varint(&mut self.postings, chunks as u32);
        self.chunks += chunks as u32;
    }

    pub fn clear(&mut self) {
        self.chunks = 0;
        self.postings.clear();
        self.positions.clear();
    }

    /// Moves its postings into a value that has all blocks of a document.
    fn pack(&mut self, bytes: &mut Vec<u8>, field: i16, term: &[u8]) {
        bytes.push(field as u8);
        push_varint(bytes, term.len() as u32);
        bytes.extend_from_slice(term);
        push_varint(bytes, self.chunks);
        for part in [&self.postings, &self.positions] {
            push_varint(bytes, part.len() as u32);
            bytes.extend_from_slice(part);
        }
        self.clear();
    }

    /// `next` is one more than the chunk before of this document, at first 0.
    fn add(&mut self, next: &mut u32, occurrence: Occurrence, is_sparse: bool, places: &[u32]) {
        push_varint(&mut self.postings, occurrence.chunk - *next);
        *next = occurrence.chunk + 1;
        if !is_sparse {
            push_varint(&mut self.postings, occurrence.count);
        }
        self.postings.push(occurrence.length);
        let mut before = 0;
        for &at in places {
            push_varint(&mut self.positions, at - before);
            before = at;
        }
    }
}

#[cfg(test)]
mod tests {
    use casetrack_store::parts::Posting;

    use super::*;

    fn inverted() -> Inverted {
        let of = |term: &str, field, chunks: &[(u32, u32)], positions: &[u32]| {
            let posting = |&(chunk, count): &(u32, u32)| Posting { chunk, count, length: 7 };
            let chunks = chunks.iter().map(posting).collect();
            ((field, term.to_owned()), TermPostings { chunks, positions: positions.to_vec() })
        };
        let terms = vec![
            of("rent", TextField::Text, &[(0, 2), (5, 1)], &[3, 900, 0]),
            of("größe", TextField::Exact, &[(2, 1)], &[1]),
        ];
        Inverted { terms, ..Inverted::default() }
    }

    fn listed(block: &Block) -> Vec<(u64, u32, Vec<u32>)> {
        let current = std::cell::Cell::new(0);
        let mut found = Vec::new();
        let begin = |ordinal| {
            current.set(ordinal);
            true
        };
        visit(&block.postings, Some(&block.positions), false, begin, |occurrence, places| {
            found.push((current.get(), occurrence.chunk, places.to_vec()));
        })
        .unwrap();
        found
    }

    #[test]
    fn blocks_are_joined_packed_and_cleared() {
        let sparse = vec![SparseVector { terms: vec![(7, 1.0)] }; 6];
        let [first, second] = [9, 1 << 40].map(|ordinal| Packed::new(pack(ordinal, &inverted(), &sparse)).unwrap());
        let terms: Vec<(i16, &[u8])> = first.all().map(|entry| (entry.field, entry.term)).collect();
        let sparse_key = sparse_term(7);
        assert_eq!(terms, [(0, &b"rent"[..]), (1, "größe".as_bytes()), (SPARSE, &sparse_key)]);
        assert_eq!(first.get(0, b"rents"), None);
        assert_eq!(first.from(1, b"gr").next().unwrap().term, "größe".as_bytes());
        assert!(Packed::new(pack(9, &inverted(), &sparse)[..20].to_vec()).is_err());
        let block = |packed: &Packed, field, term: &[u8]| {
            let mut block = Block::default();
            let entry = packed.get(field, term).unwrap();
            block.append(entry.chunks, entry.postings, entry.positions);
            block
        };
        let mut joined = block(&first, 0, b"rent");
        let own = block(&second, 0, b"rent");
        joined.append(own.chunks, &own.postings, &own.positions);
        let of = |ordinal| vec![(ordinal, 0, vec![3, 900]), (ordinal, 5, vec![0])];
        assert_eq!(listed(&joined), [of(9), of(1 << 40)].concat());
        let third = Packed::new(pack(11, &inverted(), &sparse)).unwrap();
        let (mut together, mut before) = (Block::default(), None);
        for packed in [&first, &third, &second] {
            together.append_document(&mut before, &packed.get(0, b"rent").unwrap()).unwrap();
        }
        assert_eq!(listed(&together), [of(9), of(11), of(1 << 40)].concat());
        let apart = without(&together, false, |ordinal| ordinal == 9).unwrap();
        assert_eq!(listed(&apart), [of(11), of(1 << 40)].concat());
        assert_eq!(without(&joined, false, |ordinal| ordinal == 9).unwrap(), own);
        let learned = block(&first, SPARSE, &sparse_key);
        assert_eq!(without(&learned, true, |_| false).unwrap(), learned);
        assert_eq!(without(&learned, true, |_| true).unwrap(), Block::default());
    }
}
