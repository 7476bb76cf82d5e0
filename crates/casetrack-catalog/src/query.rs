//! The one type of question about files, and how it is answered.

mod execution;
mod plan;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::entry::{Entry, Facts, Kind};
use crate::paths;
use crate::pattern::Pattern;
use crate::time::Time;

pub(crate) use execution::entry;
#[cfg(test)]
pub(crate) use plan::Plan;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeField {
    Modified,
    Created,
    Accessed,
    Changed,
    /// When a scan first met it.
    FirstSeen,
}

impl TimeField {
    fn column(self) -> &'static str {
        match self {
            Self::Modified => "modified",
            Self::Created => "created",
            Self::Accessed => "accessed",
            Self::Changed => "changed",
            Self::FirstSeen => "first_seen",
        }
    }

    /// `None` if the file system does not record it.
    pub fn of(self, entry: &Entry) -> Option<Time> {
        match self {
            Self::Modified => Some(entry.facts.modified),
            Self::Created => entry.facts.created,
            Self::Accessed => Some(entry.facts.accessed),
            Self::Changed => Some(entry.facts.changed),
            Self::FirstSeen => Some(entry.first_seen),
        }
    }
}

/// A range of times: from its first one on, up to and without its last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeRange {
    pub from: Option<Time>,
    pub to: Option<Time>,
}

impl TimeRange {
    pub fn contains(&self, time: Time) -> bool {
        self.from.is_none_or(|from| time >= from) && self.to.is_none_or(|to| time < to)
    }
}

/// The order of an answer. Equals follow in the order of their paths; an unknown time comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Newest(TimeField),
    Oldest(TimeField),
    Path,
    Largest,
}

impl Order {
    /// The number that the order is by, as the database keeps it.
    fn value(self, entry: &Entry) -> Option<i64> {
        match self {
            Self::Newest(field) | Self::Oldest(field) => field.of(entry).map(Time::stored),
            Self::Path => None,
            Self::Largest => Some(i64::try_from(entry.facts.size).unwrap_or(i64::MAX)),
        }
    }

    /// Sorts keys as the order does.
    pub fn rank(self, key: Key) -> impl Ord + Clone {
        self.place(key)
    }

    fn place(self, key: Key) -> Rank {
        let value = key.value.unwrap_or_default();
        let value = if matches!(self, Self::Oldest(_)) { value } else { !value };
        (key.value.is_none(), value, key.path)
    }
}

/// Unknown last, then the value so that the first in the order is the smallest, then the path.
type Rank = (bool, i64, Vec<u8>);

/// The end of a page, to continue after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// The value of the order: nanoseconds or bytes. `None` if it is unknown, and for the order of paths.
    value: Option<i64>,
    path: Vec<u8>,
}

impl Key {
    /// The place of a file in a list by a time that the catalogue does not have.
    pub fn new(time: Option<Time>, path: &Path) -> Self {
        Self { value: time.map(Time::stored), path: paths::bytes(path).to_vec() }
    }

    /// A compact form, for a cursor: a byte for whether there is a value, the value, the path.
    pub fn to_bytes(&self) -> Vec<u8> {
        let value = self.value.map_or_else(|| vec![0], |value| [&[1][..], &value.to_be_bytes()].concat());
        [value, self.path.clone()].concat()
    }

    /// Reads [`to_bytes`](Self::to_bytes). `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match bytes.split_first()? {
            (0, path) => Some(Self { value: None, path: path.to_vec() }),
            (1, rest) => {
                let (value, path) = rest.split_first_chunk()?;
                Some(Self { value: Some(i64::from_be_bytes(*value)), path: path.to_vec() })
            }
            _ => None,
        }
    }
}

/// A question about the entries below a folder.
#[derive(Debug, Clone)]
pub struct Query {
    /// Absolute. It is not an answer itself.
    pub start: PathBuf,
    /// How many folders deep; 0 is the direct children only.
    pub max_depth: Option<usize>,
    /// Empty for all kinds.
    pub kinds: Vec<Kind>,
    /// All of them must be met.
    pub patterns: Vec<Pattern>,
    pub time: Option<(TimeField, TimeRange)>,
    /// True if entries with an unknown time match every range.
    pub unknown_time: bool,
    /// Bytes, both included.
    pub size: (Option<u64>, Option<u64>),
    pub order: Order,
    pub after: Option<Key>,
    /// At least 1.
    pub limit: usize,
}

#[derive(Debug, Clone, Default)]
pub struct QueryPage {
    /// As the disk describes them now.
    pub entries: Vec<Entry>,
    /// `None` on the last page.
    pub next: Option<Key>,
}

impl Query {
    /// All below a folder, the last modified first.
    pub fn below(start: impl Into<PathBuf>) -> Self {
        Self {
            start: start.into(),
            max_depth: None,
            kinds: Vec::new(),
            patterns: Vec::new(),
            time: None,
            unknown_time: false,
            size: (None, None),
            order: Order::Newest(TimeField::Modified),
            after: None,
            limit: 100,
        }
    }

    /// True if an entry meets all conditions; the page does not count. `relative` is its path from the start.
    pub fn admits(&self, entry: &Entry, relative: &Path) -> bool {
        let Facts { kind, size, .. } = entry.facts;
        let in_time = self
            .time
            .is_none_or(|(field, range)| field.of(entry).map_or(self.unknown_time, |time| range.contains(time)));
        let (smallest, largest) = self.size;
        in_time
            && (self.kinds.is_empty() || self.kinds.contains(&kind))
            && smallest.is_none_or(|smallest| size >= smallest)
            && largest.is_none_or(|largest| size <= largest)
            && self.patterns.iter().all(|pattern| pattern.matches(relative))
    }

    pub fn depends_on(&self, time: TimeField) -> bool {
        let is_ordered = matches!(self.order, Order::Newest(field) | Order::Oldest(field) if field == time);
        is_ordered || self.time.is_some_and(|(field, _)| field == time)
    }

    /// True if an entry below the start, or the start itself, meets all conditions and the depth; the page does not count.
    pub fn admits_below(&self, entry: &Entry) -> bool {
        let prefix = paths::below(&self.start);
        if entry.path == self.start {
            return self.admits(entry, entry.path.file_name().map(Path::new).unwrap_or(&entry.path));
        }
        paths::bytes(&entry.path).starts_with(&prefix) && self.may_admit(entry, &prefix)
    }

    /// True if the row of an entry meets all conditions.
    fn may_admit(&self, entry: &Entry, prefix: &[u8]) -> bool {
        let bytes = paths::bytes(&entry.path);
        let in_depth = self.max_depth.is_none_or(|max| paths::depth(prefix, bytes) <= max);
        in_depth && self.admits(entry, entry.path.strip_prefix(&self.start).unwrap_or(&entry.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_time_is_no_answer_unless_it_is_asked_for_and_then_the_last_one() {
        let time = Time { seconds: 0, nanoseconds: 0 };
        let facts = Facts {
            kind: Kind::File,
            size: 0,
            allocated: 0,
            modified: time,
            changed: time,
            created: None,
            accessed: time,
            device: 0,
            inode: 0,
        };
        let unknown = Entry { id: 1, path: "/a/b".into(), facts, first_seen: time };
        let range = TimeRange { from: Some(time), to: None };
        let mut query = Query { time: Some((TimeField::Created, range)), ..Query::below("/a") };
        assert!(!query.admits(&unknown, Path::new("b")));
        query.unknown_time = true;
        assert!(query.admits(&unknown, Path::new("b")));
        for order in [Order::Newest(TimeField::Created), Order::Oldest(TimeField::Created)] {
            let key = |value, path: &[u8]| order.place(Key { value, path: path.to_vec() });
            let unknown = key(order.value(&unknown), b"/a");
            for known in [i64::MIN, 0, i64::MAX] {
                assert!(unknown > key(Some(known), b"/b"), "{order:?}");
            }
        }
    }
}
