//! Which rows a question reads, and by which index.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use super::{Order, Query, TimeField, TimeRange};
use crate::pattern::Pattern;
use crate::time::Time;
use crate::{paths, rows};

/// With fewer rows than this in its folder, a query reads them instead of walking an index of the order, of names or of a time.
const FEW_ROWS: i64 = if cfg!(test) { 64 } else { 8_192 };

/// Which rows are read, and how they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// The rows of the folder and below it, folder by folder.
    Folder,
    /// Those whose names may fit, in no order.
    Names,
    /// Those whose time is in the range, in no order.
    Range,
    /// All rows, in the requested order.
    Order,
}

impl Query {
    pub(crate) fn plan(&self, connection: &Connection) -> rusqlite::Result<Plan> {
        let prefix = paths::below(&self.start);
        let bounds = (Value::Blob(paths::bytes(&self.start).to_vec()), Value::Blob(paths::behind(&prefix)));
        let rows: i64 = connection
            .prepare(&format!(
                "SELECT count(*) FROM (SELECT 1 FROM folders f CROSS JOIN entries e ON e.folder = f.id WHERE {} LIMIT ?)",
                in_start("f.path")
            ))?
            .query_row(params![bounds.0, prefix, bounds.1, FEW_ROWS], |row| row.get(0))?;
        if rows < FEW_ROWS {
            return Ok(Plan::Folder);
        }
        let (asked, column, range) = (self.asked_names(), self.order_column(connection)?, self.range_column());
        // Folder by folder, paths come in their order.
        let in_order = match (self.order, column) {
            (Order::Path, _) => Plan::Folder,
            (_, Some(_)) => Plan::Order,
            _ if asked.is_some() => return Ok(Plan::Names),
            _ if range.is_some() => return Ok(Plan::Range),
            _ => return Ok(Plan::Folder),
        };
        // With h hits among n rows, reading hits costs h, and reading in order until a page is full about limit·n/h. The second is cheaper
        // if h exceeds √(limit·n).
        let all: i64 = connection.query_row("SELECT coalesce(max(id), 0) FROM entries", [], |row| row.get(0))?;
        let limit = i64::try_from(self.limit).unwrap_or(i64::MAX);
        let many = limit.saturating_mul(all).isqrt().max(1);
        let named = match asked {
            Some(asked) => {
                let hits: i64 = connection
                    .prepare("SELECT count(*) FROM (SELECT 1 FROM names WHERE names MATCH ? LIMIT ?)")?
                    .query_row(params![asked, many], |row| row.get(0))?;
                hits.saturating_add(all.saturating_sub(rows::up_to(connection)?))
            }
            None => many,
        };
        let timed = match range {
            // The order begins in the range then.
            Some(range) if column != Some(range) => {
                let (conditions, mut values) = self.in_range(connection, Some(range))?;
                values.push(Value::Integer(many));
                let sql = format!(
                    "SELECT count(*) FROM (SELECT 1 FROM entries e WHERE {} LIMIT ?)",
                    conditions.join(" AND ")
                );
                connection.prepare(&sql)?.query_row(params_from_iter(values), |row| row.get(0))?
            }
            _ => many,
        };
        Ok(match named.min(timed) {
            hits if hits >= many => in_order,
            hits if hits == named => Plan::Names,
            _ => Plan::Range,
        })
    }

    /// The indexed column of the order, if it has a value for each answer.
    pub(super) fn order_column(&self, connection: &Connection) -> rusqlite::Result<Option<&'static str>> {
        Ok(match self.order {
            Order::Newest(TimeField::Created) | Order::Oldest(TimeField::Created) => {
                const IS_KNOWN: &str = "SELECT NOT EXISTS (SELECT 1 FROM entries WHERE created IS NULL)";
                let is_asked = !self.unknown_time && matches!(self.time, Some((TimeField::Created, _)));
                let is_known = is_asked || connection.prepare(IS_KNOWN)?.query_row([], |row| row.get(0))?;
                is_known.then_some("created")
            }
            Order::Newest(field) | Order::Oldest(field) => indexed(field),
            Order::Path => None,
            Order::Largest => Some("size"),
        })
    }

    /// The column with an index that a range of times is about.
    pub(super) fn range_column(&self) -> Option<&'static str> {
        let (field, range) = self.time.filter(|_| !self.unknown_time)?;
        indexed(field).filter(|_| range != TimeRange::default())
    }

    /// The query for the index of names; `None` if it cannot help.
    pub(super) fn asked_names(&self) -> Option<String> {
        let asked: Vec<String> = self.patterns.iter().filter_map(Pattern::index_query).collect();
        (!asked.is_empty()).then(|| asked.join(" AND "))
    }

    /// The conditions on columns of entries, with their values. A plus sign keeps the database from using another index than `column`'s.
    pub(super) fn conditions(
        &self,
        connection: &Connection,
        column: Option<&str>,
    ) -> rusqlite::Result<(Vec<String>, Vec<Value>)> {
        let (mut conditions, mut values) = self.in_range(connection, column)?;
        if !self.kinds.is_empty() {
            let numbers: Vec<String> = self.kinds.iter().map(|kind| kind.number().to_string()).collect();
            conditions.push(format!("+e.kind IN ({})", numbers.join(", ")));
        }
        for (bound, sign) in [(self.size.0, ">="), (self.size.1, "<=")] {
            if let Some(bound) = bound {
                conditions.push(format!("{} {sign} ?", named("size", column)));
                values.push(Value::Integer(i64::try_from(bound).unwrap_or(i64::MAX)));
            }
        }
        Ok((conditions, values))
    }

    /// The conditions of the range of times, as [`conditions`](Self::conditions). The entry itself decides a time that a column cannot hold exactly,
    /// and a time of access, which rows of folders do not have.
    fn in_range(&self, connection: &Connection, column: Option<&str>) -> rusqlite::Result<(Vec<String>, Vec<Value>)> {
        let (mut conditions, mut values) = (Vec::new(), Vec::new());
        let in_rows = |(field, _): &(TimeField, TimeRange)| !self.unknown_time && *field != TimeField::Accessed;
        let Some((field, range)) = self.time.filter(in_rows) else { return Ok((conditions, values)) };
        let (from, to) = (range.from.map(Time::stored), range.to.map(Time::stored));
        let (name, from, to) = match field {
            TimeField::FirstSeen => {
                let from = from.map(|from| first_id_from(connection, from)).transpose()?;
                let to = to.map(|to| first_id_from(connection, to.saturating_add(1))).transpose()?;
                (ID, from, to.map(|to| to - 1))
            }
            field => (field.column(), from, to),
        };
        let name = named(name, column);
        if field == TimeField::Created {
            conditions.push(format!("{name} IS NOT NULL"));
        }
        for (bound, sign) in [(from, ">="), (to, "<=")] {
            if let Some(bound) = bound {
                conditions.push(format!("{name} {sign} ?"));
                values.push(Value::Integer(bound));
            }
        }
        Ok((conditions, values))
    }
}

/// The column that times of a first meeting rise with: see [`crate::rows::Rows`].
pub(super) const ID: &str = "id";

/// The indexed column of a time, which misses entries whose time is unknown.
fn indexed(field: TimeField) -> Option<&'static str> {
    match field {
        TimeField::FirstSeen => Some(ID),
        TimeField::Accessed => None,
        field => Some(field.column()),
    }
}

fn named(name: &str, column: Option<&str>) -> String {
    if column == Some(name) { format!("e.{name}") } else { format!("+e.{name}") }
}

/// The first id whose entry was first seen at a time or later; one above all ids if there is none.
pub(super) fn first_id_from(connection: &Connection, time: i64) -> rusqlite::Result<i64> {
    let mut row = connection.prepare("SELECT id, first_seen FROM entries WHERE id >= ? ORDER BY id LIMIT 1")?;
    let last: i64 = connection.query_row("SELECT coalesce(max(id), 0) FROM entries", [], |row| row.get(0))?;
    let (mut low, mut high) = (0, last + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        match row.query_row([middle], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))).optional()? {
            Some((id, seen)) if seen < time => low = id + 1,
            _ => high = middle,
        }
    }
    Ok(low)
}

/// The condition that a folder is the start or below it. Its values are the start, and both bounds of the paths below it.
pub(super) fn in_start(path: &str) -> String {
    format!("({path} = ? OR ({path} >= ? AND {path} < ?))")
}
