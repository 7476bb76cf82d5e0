//! Questions about the entries of sets.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use casetrack_core::{Cancel, Error, Result};
use rusqlite::params;

use super::ids::{Bits, Ids};
use super::image::{Block, Image, Row};
use super::sums::{rows_of, side_by_side};
use super::text::{Text, TextJudge};
use super::{Set, Space};
use crate::columns::Columns;
use crate::entry::{Facts, Kind};
use crate::paths;
use crate::query::TimeField;

/// Rows that are looked at beyond a page, where some of its files are gone.
const SPARE: usize = 64;

/// What entries have to meet. Ranges include both ends.
#[derive(Debug, Clone)]
pub enum Condition {
    All(Vec<Self>),
    Any(Vec<Self>),
    /// None of them is met.
    None(Vec<Self>),
    Kind(Kind),
    Text(Text),
    /// Bytes.
    Size(Option<u64>, Option<u64>),
    /// Nanoseconds since 1970. Only the times of the last change of content and of anything are known to the image.
    Time(TimeField, Option<i64>, Option<i64>),
}

impl Condition {
    /// What every entry meets.
    pub const ALWAYS: Self = Self::All(Vec::new());

    pub(super) fn judge(&self, image: &Image) -> Judge<'_> {
        match self {
            Self::All(conditions) => Judge::All(judges(conditions, image)),
            Self::Any(conditions) => Judge::Any(judges(conditions, image)),
            Self::None(conditions) => Judge::None(judges(conditions, image)),
            Self::Kind(kind) => Judge::Kind(*kind),
            Self::Text(text) => Judge::Text(text.judge(image)),
            Self::Size(min, max) => Judge::Size(*min, *max),
            Self::Time(field, min, max) => Judge::Time(*field, *min, *max),
        }
    }
}

fn judges<'a>(conditions: &'a [Condition], image: &Image) -> Vec<Judge<'a>> {
    conditions.iter().map(|condition| condition.judge(image)).collect()
}

/// A condition that is ready for many entries of one image.
pub(super) enum Judge<'a> {
    All(Vec<Self>),
    Any(Vec<Self>),
    None(Vec<Self>),
    Kind(Kind),
    Text(TextJudge<'a>),
    Size(Option<u64>, Option<u64>),
    Time(TimeField, Option<i64>, Option<i64>),
}

impl Judge<'_> {
    /// The entries of a block that may be admitted, where they can be told faster together than one after another.
    fn possible(&self, block: &Block) -> Option<Bits> {
        match self {
            Self::All(judges) => judges.iter().filter_map(|judge| judge.possible(block)).reduce(|mut all, one| {
                all.keep(&one);
                all
            }),
            Self::Any(judges) => {
                let mut any = Bits::default();
                for judge in judges {
                    any.unite(&judge.possible(block)?);
                }
                Some(any)
            }
            Self::Text(judge) => judge.possible(block),
            _ => None,
        }
    }

    pub fn admits(&self, image: &Image, block: &Block, row: &Row) -> bool {
        match self {
            Self::All(judges) => judges.iter().all(|judge| judge.admits(image, block, row)),
            Self::Any(judges) => judges.iter().any(|judge| judge.admits(image, block, row)),
            Self::None(judges) => !judges.iter().any(|judge| judge.admits(image, block, row)),
            Self::Kind(kind) => row.kind == *kind,
            Self::Text(judge) => judge.admits(image, block, row),
            Self::Size(min, max) => is_within(row.size, *min, *max),
            Self::Time(TimeField::Modified, min, max) => is_within(row.modified, *min, *max),
            Self::Time(TimeField::Changed, min, max) => is_within(row.changed, *min, *max),
            Self::Time(..) => false,
        }
    }
}

fn is_within<T: PartialOrd>(value: T, min: Option<T>, max: Option<T>) -> bool {
    min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max)
}

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
pub struct Asked<'a> {
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

/// The entries of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    pub members: Vec<Member>,
    /// All that meet the conditions.
    pub total: u64,
    /// Whether some follow this page.
    pub has_more: bool,
}

type Hit<'a> = (&'a Block, &'a Row);

impl Space {
    /// Answers a question. Each entry is looked at once more before it is returned: one that is gone, that no longer meets the conditions,
    /// or that `is_denied` covers is no answer. Costs about 20 nanoseconds of one core for each entry of the sets. The cores share the work.
    ///
    /// Errors: a set that does not exist.
    pub fn find(&self, asked: &Asked<'_>, is_denied: &dyn Fn(&Path) -> bool, cancel: &Cancel) -> Result<Answer> {
        let set = self.set(asked.set)?;
        let sets = self.sets_of(&set, asked.children)?;
        let mut ids = self.members_with_children(&set, (!asked.children).then_some(0))?;
        if asked.added != (None, None) {
            ids.keep(&self.added_within(&sets, asked.added)?);
        }
        let image = self.image()?;
        let judge = asked.condition.judge(&image);
        let parts = side_by_side(&image.blocks_of(&ids), |part| {
            let mut best = Best::new(&image, asked);
            for (block, bits) in part {
                if cancel.is_cancelled() {
                    return Err(Error::cancelled());
                }
                let possible = judge.possible(block).map(|mut possible| {
                    possible.keep(bits);
                    possible
                });
                let bits = possible.as_ref().unwrap_or(bits);
                if bits.is_empty() {
                    continue;
                }
                let admitted = rows_of(block, bits).filter(|row| judge.admits(&image, block, row));
                admitted.for_each(|row| best.take((block, row)));
            }
            Ok(best)
        });
        let mut best = Best::new(&image, asked);
        for part in parts {
            best.unite(part?);
        }
        let (total, hits) = best.finish();
        let mut answer = Answer { total, ..Answer::default() };
        let mut hits = hits.into_iter().skip(asked.offset);
        while answer.members.len() < asked.limit {
            let Some((block, row)) = hits.next() else { break };
            let path = image.path(block, row);
            match Facts::read(&path).ok().map(|facts| (facts, fresh(row, &facts))) {
                Some((facts, now)) if judge.admits(&image, block, &now) && !is_denied(&path) => {
                    let added = self.added(&sets, row.id)?;
                    answer.members.push(Member { path, facts, added });
                }
                _ => answer.total = answer.total.saturating_sub(1),
            }
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

    /// When an entry was first added to one of these sets.
    fn added(&self, sets: &[i64], id: i64) -> Result<i64> {
        self.read(|connection| {
            let mut added = connection.prepare("SELECT added FROM members WHERE set_id = ? AND entry = ?")?;
            let mut first = i64::MAX;
            for set in sets {
                for added in added.query_map([*set, id], |row| row.get(0))? {
                    first = first.min(added?);
                }
            }
            Ok(if first == i64::MAX { 0 } else { first })
        })
    }
}

/// A row with what the disk says now.
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
    /// How many are wanted.
    most: usize,
    total: u64,
    hits: Vec<Hit<'a>>,
    /// The last of those that are wanted so far; what follows it cannot be among them.
    last: Option<Hit<'a>>,
}

impl<'a> Best<'a> {
    fn new(image: &'a Image, asked: &Asked<'_>) -> Self {
        let most = asked.offset.saturating_add(asked.limit).saturating_add(SPARE);
        Self { image, sort: asked.sort, descending: asked.descending, most, total: 0, hits: Vec::new(), last: None }
    }

    fn take(&mut self, hit: Hit<'a>) {
        self.total += 1;
        if self.last.is_some_and(|last| self.compare(&hit, &last) != Ordering::Less) {
            return;
        }
        self.hits.push(hit);
        if self.hits.len() >= self.most.saturating_mul(2).saturating_add(1024) {
            self.cut();
        }
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
        let by = match self.sort {
            Sort::Size => a.1.size.cmp(&b.1.size),
            Sort::Modified => a.1.modified.cmp(&b.1.modified),
            Sort::Name => a.0.lower(a.1).cmp(b.0.lower(b.1)),
            Sort::Path => self.by_path(a, b),
        };
        let by = if self.descending { by.reverse() } else { by };
        by.then_with(|| self.by_path(a, b)).then_with(|| a.1.id.cmp(&b.1.id))
    }

    fn by_path(&self, a: &Hit<'a>, b: &Hit<'a>) -> Ordering {
        let (first, second) = (a.0.name(a.1), b.0.name(b.1));
        let (one, other) = (self.image.folders.path(a.1.folder), self.image.folders.path(b.1.folder));
        match () {
            () if a.1.folder == b.1.folder => first.cmp(second),
            // Most folders differ before either ends.
            () if !one.starts_with(other) && !other.starts_with(one) => one.cmp(other),
            () => paths::joined(one, first).cmp(&paths::joined(other, second)),
        }
    }

    fn finish(mut self) -> (u64, Vec<Hit<'a>>) {
        let mut hits = std::mem::take(&mut self.hits);
        hits.sort_unstable_by(|a, b| self.compare(a, b));
        (self.total, hits)
    }
}
