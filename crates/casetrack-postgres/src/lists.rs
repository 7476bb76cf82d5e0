//! The lists of keyword search, as one transaction sees them: leaves that are fetched, and postings that are in none yet.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use casetrack_core::Result;
use casetrack_store::TextField;
use casetrack_store::parts::{List, PostingLists};

use crate::error::Step;
use crate::leaves::{Fetched, Key, With, between, key, own_term, parts, with_keys};
use crate::moment::{Moment, Numbers};
use crate::postings::{Entry, Occurrence, Packed, field_number, visit};
use crate::route::Routes;
use crate::server::{Connection, Session};

type ListKey = (TextField, String, bool);

pub(crate) struct Lists<'m> {
    moment: &'m Moment,
    numbers: Arc<Numbers>,
    routes: &'m Routes,
    asked: Session<'m>,
    fetched: RefCell<HashMap<ListKey, Arc<List>>>,
    counts: RefCell<HashMap<Key, u64>>,
}

impl<'m> Lists<'m> {
    pub fn new(moment: &'m Moment, routes: &'m Routes, connection: &'m mut Connection) -> Self {
        let (numbers, asked) = (moment.numbers(), Session::lent(connection));
        Self { moment, numbers, routes, asked, fetched: RefCell::default(), counts: RefCell::default() }
    }

    pub fn answer<T>(&self, made: Result<T>) -> Step<T> {
        self.asked.answer(made)
    }

    fn leaves(&self, keys: &[Key], with: With) -> Result<Vec<Fetched>> {
        self.asked.ask(|connection| with_keys(connection, self.routes, keys, with))
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

    /// Fetches the lists of some terms in one statement: over several machines, each takes longer than its result.
    fn fetch(&self, wanted: &[(TextField, &str)], with_positions: bool) -> Result<()> {
        let mut gathered: HashMap<Key, ListBuilder> = HashMap::new();
        let mut called: Vec<(&str, ListBuilder)> = Vec::new();
        for &(field, term) in wanted {
            match field {
                TextField::Names => called.push((term, self.called(term))),
                _ => drop(gathered.insert(key(field_number(field), term.as_bytes()), ListBuilder::default())),
            }
        }
        let keys: Vec<Key> = gathered.keys().cloned().collect();
        let with = if with_positions { With::Positions } else { With::Postings };
        for row in self.leaves(&keys, with)? {
            if let Some((_, found)) = own_term(&row, &keys)?
                && let Some(gathered) = gathered.get_mut(&found.key)
            {
                gathered.take(&self.numbers, found.postings, with_positions.then_some(found.positions))?;
            }
        }
        for packed in self.moment.fresh.values() {
            for (key, gathered) in &mut gathered {
                let (field, term) = parts(key);
                if let Some(entry) = packed.get(field, term) {
                    let positions = with_positions.then_some(entry.positions);
                    gathered.take(&self.numbers, entry.postings, positions)?;
                }
            }
        }
        let mut fetched = self.fetched.borrow_mut();
        let mut keep = |field, term: &str, gathered: ListBuilder| {
            fetched.insert((field, term.to_owned(), with_positions), Arc::new(gathered.list()));
        };
        for (term, gathered) in called {
            keep(TextField::Names, term, gathered);
        }
        for &(field, term) in wanted {
            if let Some(gathered) = gathered.remove(&key(field_number(field), term.as_bytes())) {
                keep(field, term, gathered);
            }
        }
        Ok(())
    }

    fn called(&self, term: &str) -> ListBuilder {
        let mut gathered = ListBuilder::default();
        let mut finding = self.numbers.finding();
        for ordinal in self.moment.called().get(term).into_iter().flatten() {
            gathered.add(finding.of(*ordinal), Occurrence { chunk: 0, count: 1, length: 0 }, &[]);
        }
        gathered
    }

    /// The number of chunks that have each of these terms, by the leaves and by documents that are in none. Each is looked up once.
    fn counted(&self, field: TextField, terms: &[&str]) -> Result<Vec<u64>> {
        let number = field_number(field);
        let mut counts = self.counts.borrow_mut();
        let of = |term: &&str| key(number, term.as_bytes());
        let mut missing: Vec<Key> = terms.iter().map(of).filter(|key| !counts.contains_key(key)).collect();
        missing.sort_unstable();
        missing.dedup();
        for row in self.leaves(&missing, With::Terms)? {
            if let Some((_, term)) = own_term(&row, &missing)? {
                *counts.entry(term.key).or_default() += u64::from(term.chunks);
            }
        }
        for key in missing {
            let (field, term) = parts(&key);
            let entry = |packed: &Arc<Packed>| packed.get(field, term).map(|entry| u64::from(entry.chunks));
            let fresh: u64 = self.moment.fresh.values().filter_map(entry).sum();
            *counts.entry(key).or_default() += fresh;
        }
        Ok(terms.iter().map(|term| counts.get(&of(term)).copied().unwrap_or_default()).collect())
    }
}

#[derive(Default)]
struct ListBuilder {
    /// The number of each chunk, how often it has the term, the length of its field, and where its positions begin.
    found: Vec<(u32, u32, u8, usize)>,
    positions: Vec<u32>,
    with_positions: bool,
}

impl ListBuilder {
    /// `document` has the number of the first chunk, and the number of chunks, of the document of this occurrence.
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
        let (document, mut finding) = (Cell::new(None), numbers.finding());
        visit(
            postings,
            positions,
            false,
            |ordinal| {
                document.set(finding.of(ordinal));
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
        self.counted(field, terms)
    }

    fn lists(&self, terms: &[(TextField, &str)], with_positions: bool) -> Result<Vec<Arc<List>>> {
        let mut wanted: Vec<(TextField, &str)> = Vec::new();
        {
            let fetched = self.fetched.borrow();
            for term @ (field, text) in terms {
                if !fetched.contains_key(&(*field, (*text).to_owned(), with_positions)) && !wanted.contains(term) {
                    wanted.push(*term);
                }
            }
        }
        if !wanted.is_empty() {
            self.fetch(&wanted, with_positions)?;
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

fn of_field(field: TextField, key: &[u8]) -> Option<&str> {
    let (number, term) = parts(key);
    (number == field_number(field)).then(|| std::str::from_utf8(term).ok())?
}
