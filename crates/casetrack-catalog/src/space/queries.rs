//! Questions about the entries of sets.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use casetrack_core::{Cancel, Result};
use rusqlite::{OptionalExtension, params};

use super::block::{Block, Row};
use super::conditions::{Condition, Judge};
use super::ids::{Bits, Ids};
use super::image::Image;
use super::sums::side_by_side;
use super::{Set, Space};
use crate::columns::Columns;
use crate::entry::Facts;
use crate::paths;

/// Rows beyond a page that are checked, because files of the page may be gone.
const SPARE: usize = 64;
/// Entries that are checked together. A block has room for more.
const BATCH: usize = 1_000;

/// The order of an answer. Equals follow in the order of their paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Size,
    Name,
    Modified,
    Path,
}

/// A question about the entries of a set.
#[derive(Debug, Clone)]
pub struct SetQuery<'a> {
    pub set: &'a str,
    /// With the entries of all sets below it.
    pub children: bool,
    pub condition: Condition,
    /// When they were added to the set, in seconds since 1970, both ends included.
    pub added: (Option<i64>, Option<i64>),
    pub sort: Sort,
    pub descending: bool,
    pub limit: usize,
    pub offset: usize,
}

/// An entry of a set, as the disk describes it now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub path: PathBuf,
    pub facts: Facts,
    /// Seconds since 1970: when it was first added to the set, or to one below it.
    pub added: i64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    pub members: Vec<Member>,
    /// All that meet the conditions.
    pub total: u64,
    /// True if more entries follow this page.
    pub has_more: bool,
}

/// A row that meets the conditions.
#[derive(Clone, Copy)]
struct Hit<'a> {
    /// Lower keys come first. Rows with the same key are compared further.
    key: u64,
    block: &'a Block,
    place: usize,
}

impl Space {
    /// Answers a query. Each entry is read again before it is returned: one that is gone, that no longer meets the conditions,
    /// or that `is_denied` covers is no answer. Costs about 10 nanoseconds of one core for each entry of the sets, and 100 for regular
    /// expressions. The cores share the work.
    ///
    /// Errors: a set that does not exist.
    pub fn find(&self, query: &SetQuery<'_>, is_denied: &dyn Fn(&Path) -> bool, cancel: &Cancel) -> Result<Answer> {
        let set = self.set(query.set)?;
        let sets = self.sets_of(&set, query.children)?;
        let mut ids = self.members_with_children(&set, (!query.children).then_some(0))?;
        if query.added != (None, None) {
            ids.keep(&self.added_within(&sets, query.added)?);
        }
        let image = self.image()?;
        let judge = query.condition.judge(&image);
        let parts = side_by_side(&image.blocks_of(&ids), |part| {
            let mut best = Best::new(&image, query);
            for &(block, bits) in part {
                cancel.check()?;
                let mut places = block.places(bits);
                judge.keep(&image, block, &mut places);
                best.take(block, places);
            }
            Ok(best)
        });
        let mut best = Best::new(&image, query);
        for part in parts {
            best.unite(part?);
        }
        let (total, hits) = best.finish();
        let mut answer = Answer { total, ..Answer::default() };
        let mut hits = hits.into_iter().skip(query.offset);
        loop {
            let wanted = (query.limit - answer.members.len()).min(BATCH);
            let batch: Vec<Hit<'_>> = hits.by_ref().take(wanted).collect();
            if batch.is_empty() {
                break;
            }
            let still = still_met(&image, &judge, &batch, is_denied);
            answer.total = answer.total.saturating_sub((batch.len() - still.len()) as u64);
            let ids: Vec<i64> = still.iter().map(|(id, ..)| *id).collect();
            let with_added = still.into_iter().zip(self.added(&sets, &ids)?);
            answer.members.extend(with_added.map(|((_, path, facts), added)| Member { path, facts, added }));
        }
        answer.has_more = hits.next().is_some();
        Ok(answer)
    }

    fn sets_of(&self, set: &Set, children: bool) -> Result<Vec<i64>> {
        let mut sets = vec![set.id];
        if children {
            let below = self.relatives(&set.name, super::Direction::Children, None)?;
            sets.extend(below.into_iter().map(|(set, _)| set.id));
        }
        Ok(sets)
    }

    fn added_within(&self, sets: &[i64], (min, max): (Option<i64>, Option<i64>)) -> Result<Ids> {
        let (min, max) = (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX));
        self.read(|connection| {
            let mut rows =
                connection.prepare("SELECT entry FROM members WHERE set_id = ? AND added BETWEEN ? AND ?")?;
            let mut ids = Ids::default();
            for set in sets {
                for id in rows.query_map(params![set, min, max], |row| row.get(0))? {
                    ids.insert(id?);
                }
            }
            Ok(ids)
        })
    }

    /// When each entry was first added to one of these sets.
    fn added(&self, sets: &[i64], ids: &[i64]) -> Result<Vec<i64>> {
        self.read(|connection| {
            let mut added = connection.prepare("SELECT added FROM members WHERE set_id = ? AND entry = ?")?;
            let mut first = |id: &i64| -> rusqlite::Result<i64> {
                let mut first = None;
                for set in sets {
                    let added: Option<i64> = added.query_row([set, id], |row| row.get(0)).optional()?;
                    first = first.into_iter().chain(added).min();
                }
                Ok(first.unwrap_or_default())
            };
            ids.iter().map(&mut first).collect()
        })
    }
}

/// Of these the entries that meet a condition as the disk describes them now, with their ids.
fn still_met(
    image: &Image,
    judge: &Judge<'_>,
    hits: &[Hit<'_>],
    is_denied: &dyn Fn(&Path) -> bool,
) -> Vec<(i64, PathBuf, Facts)> {
    let (mut now, mut there) = (Block::default(), Vec::new());
    for Hit { block, place, .. } in hits {
        let path = image.path(block, *place);
        if !is_denied(&path)
            && let Ok(facts) = Facts::read(&path)
        {
            let row = block.row(*place);
            // With new numbers: they are in another order than their ids.
            now.push(&Row { id: now.len() as i64, ..fresh(&row, &facts) }, block.name(*place));
            there.push((row.id, path, facts));
        }
    }
    let (now, mut met) = (now.completed(0), Bits::default());
    for place in 0..there.len() {
        met.insert_place(place);
    }
    judge.keep(image, &now, &mut met);
    there.into_iter().enumerate().filter(|(place, _)| met.has_place(*place)).map(|(_, entry)| entry).collect()
}

/// A row with the current metadata from the disk.
fn fresh(row: &Row, facts: &Facts) -> Row {
    let columns = Columns::of(facts).facts();
    Row {
        kind: columns.kind,
        size: columns.size,
        allocated: columns.allocated,
        modified: columns.modified.stored(),
        changed: columns.changed.stored(),
        ..*row
    }
}

/// The first of many in an order.
struct Best<'a> {
    image: &'a Image,
    sort: Sort,
    descending: bool,
    most: usize,
    total: u64,
    hits: Vec<Hit<'a>>,
    /// The last of the hits that count so far; rows that follow it cannot be among them.
    last: Option<Hit<'a>>,
}

impl<'a> Best<'a> {
    fn new(image: &'a Image, query: &SetQuery<'_>) -> Self {
        let most = query.offset.saturating_add(query.limit).saturating_add(SPARE);
        Self { image, sort: query.sort, descending: query.descending, most, total: 0, hits: Vec::new(), last: None }
    }

    fn take(&mut self, block: &'a Block, mut places: Bits) {
        self.total += places.len() as u64;
        if let Some(last) = self.last {
            match self.sort {
                Sort::Size => places.keep_where(&block.sizes, |size| self.directed(size) <= last.key),
                Sort::Modified => places.keep_where(&block.modified, |time| self.directed(shifted(time)) <= last.key),
                Sort::Name | Sort::Path => {}
            }
        }
        for place in places.into_places() {
            let hit = Hit { key: self.key(block, place), block, place };
            if self.last.is_some_and(|last| self.compare(&hit, &last) != Ordering::Less) {
                continue;
            }
            self.hits.push(hit);
            if self.hits.len() >= self.most.saturating_mul(2).saturating_add(1024) {
                self.cut();
            }
        }
    }

    fn key(&self, block: &Block, place: usize) -> u64 {
        self.directed(match self.sort {
            Sort::Size => block.sizes[place],
            Sort::Modified => shifted(block.modified[place]),
            Sort::Name => {
                let (name, mut first) = (block.lower(place), [0; 8]);
                first.iter_mut().zip(name).for_each(|(first, byte)| *first = *byte);
                u64::from_be_bytes(first)
            }
            Sort::Path => 0,
        })
    }

    fn directed(&self, key: u64) -> u64 {
        if self.descending { !key } else { key }
    }

    fn unite(&mut self, other: Self) {
        self.total += other.total;
        self.hits.extend(other.hits);
    }

    fn cut(&mut self) {
        let mut hits = std::mem::take(&mut self.hits);
        if self.most < hits.len() && self.most > 0 {
            hits.select_nth_unstable_by(self.most - 1, |a, b| self.compare(a, b));
            hits.truncate(self.most);
            self.last = hits.last().copied();
        }
        self.hits = hits;
    }

    fn compare(&self, a: &Hit<'a>, b: &Hit<'a>) -> Ordering {
        let further = || {
            let by = match self.sort {
                Sort::Size | Sort::Modified => Ordering::Equal,
                Sort::Name => a.block.lower(a.place).cmp(b.block.lower(b.place)),
                Sort::Path => self.by_path(a, b),
            };
            if self.descending { by.reverse() } else { by }
        };
        let by = a.key.cmp(&b.key).then_with(further).then_with(|| self.by_path(a, b));
        by.then_with(|| a.block.id(a.place).cmp(&b.block.id(b.place)))
    }

    fn by_path(&self, a: &Hit<'a>, b: &Hit<'a>) -> Ordering {
        let (first, second) = (a.block.name(a.place), b.block.name(b.place));
        let (folder, another) = (a.block.folders[a.place], b.block.folders[b.place]);
        let (one, other) = (self.image.folders.path(folder), self.image.folders.path(another));
        match () {
            () if folder == another => first.cmp(second),
            // Most folders differ before either ends.
            () if !one.starts_with(other) && !other.starts_with(one) => one.cmp(other),
            () => paths::joined(one, first).cmp(&paths::joined(other, second)),
        }
    }

    fn finish(mut self) -> (u64, Vec<Hit<'a>>) {
        self.cut();
        let mut hits = std::mem::take(&mut self.hits);
        hits.sort_unstable_by(|a, b| self.compare(a, b));
        (self.total, hits)
    }
}

/// A number in the order of the times.
fn shifted(time: i64) -> u64 {
    time.cast_unsigned() ^ (1 << 63)
}

#[cfg(test)]
mod tests {
    use super::super::conditions::tests::image;
    use super::*;

    #[test]
    fn the_best_of_many_are_the_first_of_all_in_order() {
        let mut random = fastrand::Rng::with_seed(5);
        let image = image(&mut random);
        for sort in [Sort::Size, Sort::Name, Sort::Modified, Sort::Path] {
            for descending in [false, true] {
                let query = SetQuery {
                    set: "",
                    children: false,
                    condition: Condition::ALWAYS,
                    added: (None, None),
                    sort,
                    descending,
                    limit: random.usize(1..300),
                    offset: random.usize(..100),
                };
                let mut best = Best::new(&image, &query);
                let mut all = Vec::new();
                for block in image.blocks.values() {
                    best.take(block, block.places(block.ids()));
                    all.extend((0..block.len()).map(|place| (&**block, place)));
                }
                all.sort_by(|(a, one), (b, other)| {
                    let (first, second) = (a.row(*one), b.row(*other));
                    let by_name = || a.name(*one).cmp(b.name(*other));
                    let by = match sort {
                        Sort::Size => first.size.cmp(&second.size),
                        Sort::Modified => first.modified.cmp(&second.modified),
                        Sort::Name => a.lower(*one).cmp(b.lower(*other)),
                        Sort::Path => by_name(),
                    };
                    let by = if descending { by.reverse() } else { by };
                    by.then_with(by_name).then(first.id.cmp(&second.id))
                });
                let (total, hits) = best.finish();
                assert_eq!((total, hits.len()), (all.len() as u64, query.limit + query.offset + SPARE));
                let ids: Vec<i64> = hits.iter().map(|hit| hit.block.id(hit.place)).collect();
                let expected: Vec<i64> = all.iter().map(|(block, place)| block.id(*place)).take(ids.len()).collect();
                assert_eq!(ids, expected, "{sort:?} {descending}");
            }
        }
    }
}
