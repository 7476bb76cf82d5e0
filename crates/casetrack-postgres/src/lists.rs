//! The lists of keyword search, as one transaction sees them: leaves that are fetched, and postings that are in none yet.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use casetrack_core::Result;
use casetrack_store::parts::{List, PostingLists, TextField};

use crate::error::Failure;
use crate::known::{Moment, Numbers};
use crate::leaves::{Fetched, Key, With, between, key, parts, read, with_keys};
use crate::postings::{Entry, Occurrence, Packed, field_number, visit};
use crate::route::Routes;
use crate::server::{Asked, Connection};

/// A field, a term, and whether its positions are known.
type Wanted = (TextField, String, bool);

pub(crate) struct Lists<'m> {
    moment: &'m Moment,
    numbers: Arc<Numbers>,
    routes: &'m Routes,
    asked: Asked<'m>,
    fetched: RefCell<HashMap<Wanted, Arc<List>>>,
}

impl<'m> Lists<'m> {
    pub fn new(moment: &'m Moment, routes: &'m Routes, connection: &'m mut Connection) -> Self {
        Self { moment, numbers: moment.numbers(), routes, asked: Asked::lent(connection), fetched: RefCell::default() }
    }

    /// What was made of the lists, or why it was not.
    pub fn answer<T>(&self, made: Result<T>) -> std::result::Result<T, Failure> {
        self.asked.answer(made)
    }

    /// The rows in which terms of a field are.
    fn leaves(&self, field: TextField, terms: &[&str], with: With) -> Result<Vec<Fetched>> {
        let keys: Vec<Key> = terms.iter().map(|term| key(field_number(field), term.as_bytes())).collect();
        self.asked.ask(|connection| with_keys(connection, self.routes, &keys, with))
    }

    /// The terms of a field between two, with the numbers of their chunks, and those of documents that are in no leaf.
    fn between(&self, field: TextField, from: &[u8], to: &[u8]) -> Result<Vec<(String, u64)>> {
        let found = self.asked.ask(|connection| between(connection, self.routes, from, to))?;
        let stored =
            found.iter().filter_map(|(key, chunks)| Some((of_field(field, key)?.to_owned(), u64::from(*chunks))));
        let (number, first) = (field_number(field), parts(from).1);
        let is_within = |entry: &Entry<'_>| entry.field == number && &key(entry.field, entry.term)[..] < to;
        let fresh = self.moment.fresh.values().flat_map(|packed| packed.from(number, first).take_while(is_within));
        let fresh =
            fresh.filter_map(|entry| Some((String::from_utf8(entry.term.to_vec()).ok()?, u64::from(entry.chunks))));
        Ok(stored.chain(fresh).collect())
    }

    /// Fetches the lists of some terms of a field that are not known yet.
    fn fetch(&self, field: TextField, terms: Vec<&str>, with_positions: bool) -> Result<()> {
        let mut gathered: HashMap<&str, Gathered> = terms.iter().map(|term| (*term, Gathered::default())).collect();
        if field == TextField::Names {
            let called = self.moment.called();
            for (term, gathered) in &mut gathered {
                for ordinal in called.get(*term).into_iter().flatten() {
                    gathered.add(self.numbers.of(*ordinal), Occurrence { chunk: 0, count: 1, length: 0 }, &[]);
                }
            }
        } else {
            let with = if with_positions { With::Positions } else { With::Postings };
            for row in self.leaves(field, &terms, with)? {
                for found in read(&row)? {
                    if let Some(gathered) = of_field(field, &found.key).and_then(|term| gathered.get_mut(term)) {
                        gathered.take(&self.numbers, found.postings, with_positions.then_some(found.positions))?;
                    }
                }
            }
            for packed in self.moment.fresh.values() {
                for (term, gathered) in &mut gathered {
                    if let Some(entry) = packed.get(field_number(field), term.as_bytes()) {
                        let positions = with_positions.then_some(entry.positions);
                        gathered.take(&self.numbers, entry.postings, positions)?;
                    }
                }
            }
        }
        let mut fetched = self.fetched.borrow_mut();
        for (term, gathered) in gathered {
            fetched.insert((field, term.to_owned(), with_positions), Arc::new(gathered.list()));
        }
        Ok(())
    }
}

/// The postings of a term, in any order of the documents.
#[derive(Default)]
struct Gathered {
    /// The number of each chunk, how often it has the term, the length of its field, and where its positions begin.
    found: Vec<(u32, u32, u8, usize)>,
    positions: Vec<u32>,
    with_positions: bool,
}

impl Gathered {
    /// `document` has the number of the first chunk and of the chunks of the one that this is of.
    fn add(&mut self, document: Option<(u32, u32)>, occurrence: Occurrence, places: &[u32]) {
        let Occurrence { chunk, count, length } = occurrence;
        if let Some((first, chunks)) = document
            && chunk < chunks
        {
            self.found.push((first + chunk, count, length, self.positions.len()));
            self.positions.extend_from_slice(places);
        }
    }

    fn take(&mut self, numbers: &Numbers, postings: &[u8], positions: Option<&[u8]>) -> Result<()> {
        let positions = positions.filter(|positions| !positions.is_empty());
        self.with_positions |= positions.is_some();
        let document = Cell::new(None);
        visit(
            postings,
            positions,
            false,
            |ordinal| {
                document.set(numbers.of(ordinal));
                document.get().is_some()
            },
            |occurrence, places| self.add(document.get(), occurrence, places),
        )
    }

    fn list(mut self) -> List {
        // Runs that are in order are merged.
        self.found.sort_by_key(|(chunk, ..)| *chunk);
        let mut list = List::default();
        for (chunk, count, length, start) in self.found {
            list.chunks.push(chunk);
            list.counts.push(count);
            list.lengths.push(length);
            if self.with_positions {
                list.positions.extend_from_slice(self.positions.get(start..start + count as usize).unwrap_or_default());
                list.ends.push(list.positions.len() as u32);
            }
        }
        list
    }
}

impl PostingLists for Lists<'_> {
    fn chunks(&self) -> u32 {
        u32::try_from(self.moment.slots.chunks()).unwrap_or(u32::MAX)
    }

    fn slot(&self, chunk: u32) -> u64 {
        self.numbers.slot(chunk)
    }

    fn tokens(&self, field: TextField) -> u64 {
        match field {
            TextField::Text => self.moment.text_tokens,
            TextField::Context => self.moment.context_tokens,
            _ => 0,
        }
    }

    fn languages(&self) -> Vec<String> {
        self.moment.marks().map(str::to_owned).collect()
    }

    fn frequencies(&self, field: TextField, terms: &[&str]) -> Result<Vec<u64>> {
        if field == TextField::Names || self.moment.dead > 0 {
            // Postings of chunks that are gone do not count.
            let wanted: Vec<(TextField, &str)> = terms.iter().map(|term| (field, *term)).collect();
            return Ok(self.lists(&wanted, false)?.iter().map(|list| list.chunks.len() as u64).collect());
        }
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let mut counts: HashMap<Key, u64> = HashMap::new();
        for row in self.leaves(field, terms, With::Terms)? {
            for term in read(&row)? {
                *counts.entry(term.key).or_default() += u64::from(term.chunks);
            }
        }
        let fresh = |term: &str| {
            let entry =
                |packed: &Arc<Packed>| packed.get(field_number(field), term.as_bytes()).map(|entry| entry.chunks);
            self.moment.fresh.values().filter_map(entry).map(u64::from).sum::<u64>()
        };
        let stored = |term: &str| counts.get(&key(field_number(field), term.as_bytes())).copied().unwrap_or_default();
        Ok(terms.iter().map(|term| stored(term) + fresh(term)).collect())
    }

    fn lists(&self, terms: &[(TextField, &str)], with_positions: bool) -> Result<Vec<Arc<List>>> {
        let mut wanted: HashMap<TextField, Vec<&str>> = HashMap::new();
        {
            let fetched = self.fetched.borrow();
            for (field, term) in terms {
                let of_field = wanted.entry(*field).or_default();
                if !fetched.contains_key(&(*field, (*term).to_owned(), with_positions)) && !of_field.contains(term) {
                    of_field.push(term);
                }
            }
        }
        for (field, terms) in wanted.into_iter().filter(|(_, terms)| !terms.is_empty()) {
            self.fetch(field, terms, with_positions)?;
        }
        let fetched = self.fetched.borrow();
        let list = |(field, term): &(TextField, &str)| {
            fetched.get(&(*field, (*term).to_owned(), with_positions)).cloned().unwrap_or_default()
        };
        Ok(terms.iter().map(list).collect())
    }

    fn beginning_with(&self, prefix: &str) -> Result<Vec<String>> {
        let from = key(field_number(TextField::Exact), prefix.as_bytes());
        let mut to = from.clone();
        // Neither a field nor a byte of UTF-8 is the greatest there is.
        if let Some(last) = to.last_mut() {
            *last += 1;
        }
        let mut terms: Vec<String> =
            self.between(TextField::Exact, &from, &to)?.into_iter().map(|(term, _)| term).collect();
        terms.sort_unstable();
        terms.dedup();
        Ok(terms)
    }

    fn with_characters(&self, range: RangeInclusive<usize>) -> Result<Vec<(String, u64)>> {
        let field = field_number(TextField::Exact);
        let all = self.between(TextField::Exact, &key(field, &[]), &key(field + 1, &[]))?;
        Ok(all.into_iter().filter(|(term, _)| range.contains(&term.chars().count())).collect())
    }
}

/// The term of a key, if it is of a field.
fn of_field(field: TextField, key: &[u8]) -> Option<&str> {
    let (number, term) = parts(key);
    (number == field_number(field)).then(|| std::str::from_utf8(term).ok())?
}
