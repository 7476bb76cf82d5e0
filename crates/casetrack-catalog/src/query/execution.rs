//! The execution of a query: reads rows, and checks each answer on the disk.

use std::collections::BTreeMap;
use std::path::{MAIN_SEPARATOR, Path};

use casetrack_core::{Cancel, Result};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use super::plan::{ID, Plan, first_id_from, in_start};
use super::{Key, Order, Query, QueryPage, Rank, TimeField};
use crate::columns::Columns;
use crate::database::failed;
use crate::entry::{Entry, Facts, Kind};
use crate::time::Time;
use crate::{paths, rows};

/// Rows that are read in their order before a query with a name changes to the index of names. At about a microsecond each.
const MAX_IN_ORDER: usize = 30_000;
/// Rows between two checks that the caller still waits.
const CANCEL_EVERY: usize = 1024;

/// Answers that are taken one after another.
struct Answers<'a> {
    query: &'a Query,
    prefix: &'a [u8],
    found: QueryPage,
    last: Option<Key>,
}

impl Answers<'_> {
    /// Looks at an entry, which is an answer if it still meets the conditions. Returns whether the answer is complete.
    fn take(&mut self, mut entry: Entry, key: Key) -> bool {
        // The next scan handles an entry that can no longer be read.
        let Ok(facts) = Facts::read(&entry.path) else { return false };
        entry.facts = facts;
        if !self.query.may_admit(&entry, self.prefix) {
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

impl Query {
    /// Answers from the rows. Each entry is read again before it is returned. An entry is left out if it is gone, no longer meets the
    /// conditions, or is covered by `is_denied`.
    pub(crate) fn run(
        &self,
        connection: &Connection,
        is_denied: &dyn Fn(&Path) -> bool,
        cancel: &Cancel,
    ) -> Result<QueryPage> {
        let plan = self.plan(connection).map_err(failed)?;
        self.run_as(connection, plan, is_denied, cancel)
    }

    pub(crate) fn run_as(
        &self,
        connection: &Connection,
        mut plan: Plan,
        is_denied: &dyn Fn(&Path) -> bool,
        cancel: &Cancel,
    ) -> Result<QueryPage> {
        let prefix = paths::below(&self.start);
        let mut answers = Answers { query: self, prefix: &prefix, found: QueryPage::default(), last: None };
        let mut after = self.after.clone();
        loop {
            let reader = RowReader { connection, prefix: &prefix, is_denied, after: after.take(), cancel };
            // Rows that are already in order can be taken as they come. For other orders, the first rows are found by reading all.
            let first = match plan {
                Plan::Order => match self.in_order(&reader, &mut answers)? {
                    None => return Ok(answers.found),
                    // Few of the rows are answers: their names lead to them.
                    last => {
                        (after, plan) = (last, Plan::Names);
                        continue;
                    }
                },
                Plan::Names | Plan::Range => self.scattered(&reader, plan)?,
                Plan::Folder => self.in_folders(&reader)?,
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

    /// Takes rows in their order, until the answer is complete or no row is left: then the result is `None`. If the index of names could be
    /// faster, it is the key to continue after.
    fn in_order(&self, reader: &RowReader<'_>, answers: &mut Answers<'_>) -> Result<Option<Key>> {
        let Some(column) = self.order_column(reader.connection).map_err(failed)? else { return Ok(None) };
        let (mut conditions, mut values) = self.conditions(reader.connection, Some(column)).map_err(failed)?;
        conditions.insert(0, in_start("+f.path"));
        values.splice(0..0, reader.start_values(self));
        let is_rising = matches!(self.order, Order::Oldest(_));
        if let Some(Key { value: Some(value), .. }) = &reader.after {
            let (sign, value) = match (column, is_rising) {
                (ID, true) => (">=", first_id_from(reader.connection, *value).map_err(failed)?),
                (ID, false) => ("<", first_id_from(reader.connection, value.saturating_add(1)).map_err(failed)?),
                (_, true) => (">=", *value),
                (_, false) => ("<=", *value),
            };
            conditions.push(format!("e.{column} {sign} ?"));
            values.push(Value::Integer(value));
        }
        let direction = if is_rising { "ASC" } else { "DESC" };
        // Equals as paths sort, byte by byte.
        let order = match column {
            ID => format!("e.{ID} {direction}"),
            _ => format!("e.{column} {direction}, rtrim(f.path, '{MAIN_SEPARATOR}') || '{MAIN_SEPARATOR}' || e.name"),
        };
        let from = "entries e CROSS JOIN folders f ON f.id = e.folder";
        let sql = format!("{} FROM {from} WHERE {} ORDER BY {order}", select(), conditions.join(" AND "));
        let behind = reader.behind(self);
        let has_names = self.patterns.iter().any(|pattern| pattern.index_query().is_some());
        let mut statement = reader.connection.prepare(&sql).map_err(failed)?;
        let mut rows = statement.query(params_from_iter(values)).map_err(failed)?;
        let mut count = 0;
        while let Some(row) = rows.next().map_err(failed)? {
            count += 1;
            reader.check(count)?;
            let is_enough = has_names && count > MAX_IN_ORDER;
            if !is_enough && !self.may_be_named(row).map_err(failed)? {
                continue;
            }
            let Some(entry) = self.entry(row).map_err(failed)? else { continue };
            let key = self.key(&entry);
            if behind.as_ref().is_none_or(|behind| self.order.place(key.clone()) > *behind)
                && self.may_admit(&entry, reader.prefix)
                && !(reader.is_denied)(&entry.path)
                && answers.take(entry, key.clone())
            {
                return Ok(None);
            }
            if is_enough {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// The first of the rows whose names may fit, or whose time is in the range, one more than the limit.
    fn scattered(&self, reader: &RowReader<'_>, plan: Plan) -> Result<First> {
        let column = self.range_column().filter(|_| plan == Plan::Range);
        let (mut conditions, mut values) = self.conditions(reader.connection, column).map_err(failed)?;
        conditions.insert(0, in_start("+f.path"));
        values.splice(0..0, reader.start_values(self));
        if let Some(asked) = self.asked_names().filter(|_| plan == Plan::Names) {
            // Names that are not indexed yet are read.
            conditions.push(
                "e.id IN (SELECT rowid FROM names WHERE names MATCH ? UNION ALL SELECT id FROM entries WHERE id > ?)"
                    .to_owned(),
            );
            values.push(Value::Text(asked));
            values.push(Value::Integer(rows::up_to(reader.connection).map_err(failed)?));
        }
        let from = "entries e CROSS JOIN folders f ON f.id = e.folder";
        let sql = format!("{} FROM {from} WHERE {}", select(), conditions.join(" AND "));
        let mut first = First::new();
        let behind = reader.behind(self);
        let mut statement = reader.connection.prepare(&sql).map_err(failed)?;
        let mut rows = statement.query(params_from_iter(values)).map_err(failed)?;
        let mut count = 0;
        while let Some(row) = rows.next().map_err(failed)? {
            count += 1;
            reader.check(count)?;
            self.keep(row, reader, behind.as_ref(), &mut first)?;
        }
        Ok(first)
    }

    /// The first of the rows in the folders, one more than the limit, folder by folder.
    fn in_folders(&self, reader: &RowReader<'_>) -> Result<First> {
        let by_path = self.order == Order::Path;
        let (mut conditions, values) = self.conditions(reader.connection, None).map_err(failed)?;
        conditions.insert(0, "f.id = ? AND e.folder = f.id".to_owned());
        if by_path {
            conditions.insert(1, "e.name > ?".to_owned());
        }
        let order = if by_path { " ORDER BY e.name" } else { "" };
        let from = "folders f CROSS JOIN entries e";
        let sql = format!("{} FROM {from} WHERE {}{order}", select(), conditions.join(" AND "));
        let folders = format!("SELECT f.id, f.path FROM folders f WHERE {} ORDER BY f.path", in_start("f.path"));
        let (mut first, mut count) = (First::new(), 0);
        let behind = reader.behind(self);
        let mut statement = reader.connection.prepare(&sql).map_err(failed)?;
        let mut folders = reader.connection.prepare(&folders).map_err(failed)?;
        let mut folders = folders.query(params_from_iter(reader.start_values(self))).map_err(failed)?;
        while let Some(folder) = folders.next().map_err(failed)? {
            let path = folder.get_ref(1).and_then(|path| Ok(path.as_blob()?)).map_err(failed)?;
            let last = first.last_key_value().filter(|_| first.len() > self.limit).map(|(last, _)| last);
            // All that follow, and their contents, sort behind this folder.
            if by_path && last.is_some_and(|(.., last)| path > &last[..]) {
                break;
            }
            if self.max_depth.is_some_and(|max| paths::folder_depth(reader.prefix, path) > max) {
                continue;
            }
            let mut bound = vec![Value::Integer(folder.get(0).map_err(failed)?)];
            if by_path {
                let here = paths::joined(path, b"");
                let after = reader.after.as_ref().map(|key| &key.path[..]);
                bound.push(Value::Blob(match after.and_then(|after| after.strip_prefix(&here[..])) {
                    Some(rest) => rest.to_vec(),
                    // All in it come before the place to continue at.
                    None if after.is_some_and(|after| after > &here[..]) => continue,
                    None => Vec::new(),
                }));
            }
            bound.extend(values.iter().cloned());
            let mut rows = statement.query(params_from_iter(bound)).map_err(failed)?;
            while let Some(row) = rows.next().map_err(failed)? {
                count += 1;
                reader.check(count)?;
                if !self.keep(row, reader, behind.as_ref(), &mut first)? && by_path {
                    break;
                }
            }
        }
        Ok(first)
    }

    /// Keeps a row if it is among the first. Returns whether later ones can be.
    fn keep(&self, row: &Row<'_>, reader: &RowReader<'_>, behind: Option<&Rank>, first: &mut First) -> Result<bool> {
        if !self.may_be_named(row).map_err(failed)? {
            return Ok(true);
        }
        let Some(entry) = self.entry(row).map_err(failed)? else { return Ok(true) };
        let key = self.key(&entry);
        let rank = self.order.place(key.clone());
        if first.len() > self.limit && first.last_key_value().is_some_and(|(last, _)| rank > *last) {
            return Ok(false);
        }
        let is_left_out = behind.is_some_and(|behind| rank <= *behind)
            || !self.may_admit(&entry, reader.prefix)
            || (reader.is_denied)(&entry.path);
        if is_left_out {
            return Ok(true);
        }
        first.insert(rank, (entry, key));
        if first.len() > self.limit.saturating_add(1) {
            first.pop_last();
        }
        Ok(true)
    }

    /// The entry of a row. A folder is read again if its time of access counts, which rows do not keep; `None` if it is gone.
    fn entry(&self, row: &Row<'_>) -> rusqlite::Result<Option<Entry>> {
        let mut entry = entry(row)?;
        if entry.facts.kind == Kind::Folder && self.depends_on(TimeField::Accessed) {
            match Facts::read(&entry.path) {
                Ok(facts) => entry.facts = facts,
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(entry))
    }

    fn key(&self, entry: &Entry) -> Key {
        Key { value: self.order.value(entry), path: paths::bytes(&entry.path).to_vec() }
    }

    /// True if the name of a row meets the conditions on names, which avoids building most entries.
    fn may_be_named(&self, row: &Row<'_>) -> rusqlite::Result<bool> {
        let name = String::from_utf8_lossy(row.get_ref(2)?.as_blob()?);
        Ok(self.patterns.iter().all(|pattern| pattern.matches_name(&name) != Some(false)))
    }
}

/// Rows that may be answers, in their order.
type First = BTreeMap<Rank, (Entry, Key)>;

struct RowReader<'a> {
    connection: &'a Connection,
    prefix: &'a [u8],
    /// Paths that are no answers. They are left out before the first rows are picked, so that however many they are, rows are read once.
    is_denied: &'a dyn Fn(&Path) -> bool,
    /// The key to continue after.
    after: Option<Key>,
    cancel: &'a Cancel,
}

impl RowReader<'_> {
    fn start_values(&self, query: &Query) -> [Value; 3] {
        [paths::bytes(&query.start).to_vec(), self.prefix.to_vec(), paths::behind(self.prefix)].map(Value::Blob)
    }

    fn behind(&self, query: &Query) -> Option<Rank> {
        self.after.clone().map(|key| query.order.place(key))
    }

    fn check(&self, count: usize) -> Result<()> {
        if count.is_multiple_of(CANCEL_EVERY) { self.cancel.check() } else { Ok(()) }
    }
}

fn select() -> String {
    format!("SELECT e.id, f.path, e.name, e.first_seen, {}", Columns::NAMES)
}

/// The entry of a row that [`select`] describes.
pub(crate) fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let path = paths::joined(row.get_ref(1)?.as_blob()?, row.get_ref(2)?.as_blob()?);
    Ok(Entry {
        id: row.get(0)?,
        path: paths::from_bytes(path),
        first_seen: Time::from_stored(row.get(3)?),
        facts: Columns::read(row, 4)?.facts(),
    })
}
