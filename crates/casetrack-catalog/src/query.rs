//! The one type of question about files, and how it is answered.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use casetrack_core::{Cancel, Error, Result};
use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};
use serde::{Deserialize, Serialize};

use crate::database::failed;
use crate::entry::{Entry, Facts, Kind};
use crate::paths;
use crate::pattern::Pattern;
use crate::scan::Columns;
use crate::time::Time;

/// Below so many rows in its folder, a question reads these, instead of walking an index of the order or of names.
const FEW_ROWS: i64 = 20_000;
/// Between two looks at whether the caller still waits, in rows.
const CANCEL_EVERY: u32 = 1024;

/// Which time of a file.
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

    /// `None` where the file system does not know it.
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

    /// Sorts as the order does.
    fn rank(self, key: Key) -> Rank {
        let value = key.value.unwrap_or_default();
        let value = if matches!(self, Self::Oldest(_)) { value } else { !value };
        (key.value.is_none(), value, key.path)
    }
}

/// Unknown last, then the value so that the first in the order is the smallest, then the path.
type Rank = (bool, i64, Vec<u8>);

/// Where an answer ended, to continue there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// Of what the order is by: nanoseconds or bytes. `None` where that is unknown, and for the order of paths.
    value: Option<i64>,
    path: Vec<u8>,
}

/// A question about the entries below a folder.
#[derive(Debug, Clone)]
pub struct Query {
    /// Absolute. It is not an answer itself.
    pub start: PathBuf,
    /// How many folders deep; 0 is the direct children only.
    pub max_depth: Option<usize>,
    /// All kinds where there are none.
    pub kinds: Vec<Kind>,
    /// All of them must be met.
    pub patterns: Vec<Pattern>,
    pub time: Option<(TimeField, TimeRange)>,
    /// Whether entries whose time is unknown are answers, whatever the range.
    pub unknown_time: bool,
    /// Bytes, both included.
    pub size: (Option<u64>, Option<u64>),
    pub order: Order,
    pub after: Option<Key>,
    /// At least 1.
    pub limit: usize,
}

/// The answer.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// As the disk describes them now.
    pub entries: Vec<Entry>,
    /// Where there are more.
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

    /// Whether an entry meets all conditions, but for its place in the order. `relative` is its path from the start on.
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

    /// Answers from the rows. Each is looked at once more before it is returned: one that is gone, that no longer meets the conditions, or
    /// that `is_denied` covers is no answer.
    pub(crate) fn run(
        &self,
        connection: &Connection,
        is_denied: &dyn Fn(&Path) -> bool,
        cancel: &Cancel,
    ) -> Result<Found> {
        let plan = self.plan(connection, &paths::below(&self.start)).map_err(failed)?;
        self.run_as(connection, plan, is_denied, cancel)
    }

    pub(crate) fn run_as(
        &self,
        connection: &Connection,
        plan: Plan,
        is_denied: &dyn Fn(&Path) -> bool,
        cancel: &Cancel,
    ) -> Result<Found> {
        let prefix = paths::below(&self.start);
        let mut answers = Answers { query: self, prefix: &prefix, is_denied, found: Found::default(), last: None };
        let mut after = self.after.clone();
        loop {
            // Rows in their order can be taken as they come; of others, the first ones are found by reading all.
            let Some(first) = self.first_rows(connection, &prefix, plan, after.take(), &mut answers, cancel)? else {
                return Ok(answers.found);
            };
            let are_all = first.len() <= self.limit;
            for (entry, key) in first.into_values() {
                if answers.take(entry, key.clone()) {
                    return Ok(answers.found);
                }
                after = Some(key);
            }
            if are_all {
                return Ok(answers.found);
            }
        }
    }

    /// One pass over the rows behind `after`. Where these come in their order, they are answers at once and the result is `None`; or else
    /// it is the first of them, one more than the limit.
    fn first_rows(
        &self,
        connection: &Connection,
        prefix: &[u8],
        plan: Plan,
        after: Option<Key>,
        answers: &mut Answers<'_>,
        cancel: &Cancel,
    ) -> Result<Option<BTreeMap<Rank, (Entry, Key)>>> {
        let (sql, values) = self.sql(prefix, plan, after.as_ref());
        let behind = after.map(|key| self.order.rank(key));
        let in_order = plan == Plan::Order || plan == Plan::Folder && self.order == Order::Path;
        let mut statement = connection.prepare(&sql).map_err(failed)?;
        let mut rows = statement.query(params_from_iter(values)).map_err(failed)?;
        let mut first: BTreeMap<Rank, (Entry, Key)> = BTreeMap::new();
        let mut count: u32 = 0;
        while let Some(row) = rows.next().map_err(failed)? {
            count = count.wrapping_add(1);
            if count.is_multiple_of(CANCEL_EVERY) && cancel.is_cancelled() {
                return Err(Error::cancelled());
            }
            let (entry, path) = entry(row).map_err(failed)?;
            let key = Key { value: self.order.value(&entry), path };
            let rank = self.order.rank(key.clone());
            let is_too_late = first.len() > self.limit && first.last_key_value().is_some_and(|(last, _)| rank > *last);
            if behind.as_ref().is_some_and(|behind| rank <= *behind) || is_too_late || !self.may_admit(&entry, prefix) {
                continue;
            }
            if in_order {
                if answers.take(entry, key) {
                    return Ok(None);
                }
                continue;
            }
            first.insert(rank, (entry, key));
            if first.len() > self.limit.saturating_add(1) {
                first.pop_last();
            }
        }
        Ok((!in_order).then_some(first))
    }

    /// Whether an entry meets all conditions by what the row says.
    fn may_admit(&self, entry: &Entry, prefix: &[u8]) -> bool {
        let bytes = paths::bytes(&entry.path);
        let in_depth = self.max_depth.is_none_or(|max| paths::depth(prefix, bytes) <= max);
        in_depth && self.admits(entry, entry.path.strip_prefix(&self.start).unwrap_or(&entry.path))
    }

    fn plan(&self, connection: &Connection, prefix: &[u8]) -> rusqlite::Result<Plan> {
        let rows: i64 = connection.query_row(
            "SELECT count(*) FROM (SELECT 1 FROM entries WHERE path >= ?1 AND path < ?2 LIMIT ?3)",
            params![prefix, paths::behind(prefix), FEW_ROWS],
            |row| row.get(0),
        )?;
        Ok(match self.patterns.iter().any(|pattern| pattern.index_query().is_some()) {
            _ if rows < FEW_ROWS => Plan::Folder,
            true => Plan::Names,
            false if self.indexed_order().is_some() => Plan::Order,
            false => Plan::Folder,
        })
    }

    /// The indexed column that the order is by, where that has a value for each answer.
    fn indexed_order(&self) -> Option<&'static str> {
        match self.order {
            Order::Newest(TimeField::Modified) | Order::Oldest(TimeField::Modified) => Some("modified"),
            Order::Newest(TimeField::Created) | Order::Oldest(TimeField::Created) => {
                let is_known = !self.unknown_time && matches!(self.time, Some((TimeField::Created, _)));
                is_known.then_some("created")
            }
            Order::Largest => Some("size"),
            _ => None,
        }
    }

    /// The statement of a plan. A plus sign keeps the database from using another index than the plan's.
    fn sql(&self, prefix: &[u8], plan: Plan, after: Option<&Key>) -> (String, Vec<Value>) {
        let column = self.indexed_order().filter(|_| plan == Plan::Order);
        let plain = |name: &str| if column == Some(name) { name.to_owned() } else { format!("+{name}") };
        let path = if plan == Plan::Folder { "path" } else { "+path" };
        let mut conditions = vec![format!("{path} >= ? AND {path} < ?")];
        let mut values = vec![Value::Blob(prefix.to_vec()), Value::Blob(paths::behind(prefix))];
        if plan == Plan::Names {
            let asked: Vec<String> = self.patterns.iter().filter_map(Pattern::index_query).collect();
            conditions.push("id IN (SELECT rowid FROM names WHERE names MATCH ?)".to_owned());
            values.push(Value::Text(asked.join(" AND ")));
        }
        if !self.kinds.is_empty() {
            let numbers: Vec<String> = self.kinds.iter().map(|kind| kind.number().to_string()).collect();
            conditions.push(format!("+kind IN ({})", numbers.join(", ")));
        }
        // What the column cannot hold exactly is decided by the entry itself.
        if let Some((field, range)) = self.time.filter(|_| !self.unknown_time) {
            let name = plain(field.column());
            conditions.push(format!("{name} IS NOT NULL"));
            for (bound, sign) in [(range.from, ">="), (range.to, "<=")] {
                if let Some(bound) = bound {
                    conditions.push(format!("{name} {sign} ?"));
                    values.push(Value::Integer(bound.stored()));
                }
            }
        }
        for (bound, sign) in [(self.size.0, ">="), (self.size.1, "<=")] {
            if let Some(bound) = bound {
                conditions.push(format!("{} {sign} ?", plain("size")));
                values.push(Value::Integer(i64::try_from(bound).unwrap_or(i64::MAX)));
            }
        }
        match (column, after) {
            (Some(column), Some(Key { value: Some(value), .. })) => {
                let sign = if matches!(self.order, Order::Oldest(_)) { ">=" } else { "<=" };
                conditions.push(format!("{column} {sign} ?"));
                values.push(Value::Integer(*value));
            }
            (None, Some(key)) if self.order == Order::Path => {
                conditions.push(format!("{path} > ?"));
                values.push(Value::Blob(key.path.clone()));
            }
            _ => {}
        }
        let order = match (column, self.order) {
            (Some(column), Order::Oldest(_)) => format!(" ORDER BY {column}, path"),
            (Some(column), _) => format!(" ORDER BY {column} DESC, path"),
            (None, Order::Path) if plan == Plan::Folder => " ORDER BY path".to_owned(),
            _ => String::new(),
        };
        let columns = Columns::NAMES;
        let conditions = conditions.join(" AND ");
        (format!("SELECT id, path, first_seen, {columns} FROM entries WHERE {conditions}{order}"), values)
    }
}

/// Which rows are read, and how they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Those of the folder, in the order of their paths.
    Folder,
    /// Those whose names may fit, in no order.
    Names,
    /// All, in the order that is asked for.
    Order,
}

/// Answers that are taken one after another.
struct Answers<'a> {
    query: &'a Query,
    prefix: &'a [u8],
    is_denied: &'a dyn Fn(&Path) -> bool,
    found: Found,
    /// Of the last answer.
    last: Option<Key>,
}

impl Answers<'_> {
    /// Looks at an entry, which is an answer if it still meets the conditions. Returns whether the answer is complete.
    fn take(&mut self, mut entry: Entry, key: Key) -> bool {
        // One that cannot be looked at any more is left to the next scan.
        let Ok(facts) = Facts::read(&entry.path) else { return false };
        entry.facts = facts;
        if (self.is_denied)(&entry.path) || !self.query.may_admit(&entry, self.prefix) {
            return false;
        }
        if self.found.entries.len() == self.query.limit {
            self.found.next = self.last.take();
            return true;
        }
        self.found.entries.push(entry);
        self.last = Some(key);
        false
    }
}

/// An entry, with its path as the database keeps it.
pub(crate) fn entry(row: &rusqlite::Row<'_>) -> rusqlite::Result<(Entry, Vec<u8>)> {
    let path: Vec<u8> = row.get(1)?;
    let entry = Entry {
        id: row.get(0)?,
        path: paths::from_bytes(path.clone()),
        facts: Columns::read(row, 3)?.facts(),
        first_seen: Time::from_stored(row.get(2)?),
    };
    Ok((entry, path))
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
            let key = |value, path: &[u8]| order.rank(Key { value, path: path.to_vec() });
            let unknown = key(order.value(&unknown), b"/a");
            for known in [i64::MIN, 0, i64::MAX] {
                assert!(unknown > key(Some(known), b"/b"), "{order:?}");
            }
        }
    }
}
