//! Questions about the entries of sets.

use casetrack_catalog::TimeField;
use casetrack_catalog::space::{Condition, End, Field, Match, SetQuery, Sort, Text, bound};
use casetrack_core::{Cancel, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EntryItem, MAX_ENTRIES, in_field, is_denied_in_space, kind_named, refused, sets};
use casetrack_host::Host;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    Size,
    /// Bytes that the file system has set aside.
    Allocated,
    /// The same in blocks of 512 bytes.
    Blocks,
    Count,
    Files,
    Directories,
}

impl Metric {
    pub const EACH: [Self; 6] =
        [Self::Size, Self::Count, Self::Files, Self::Directories, Self::Allocated, Self::Blocks];

    pub fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Allocated => "allocated",
            Self::Blocks => "blocks",
            Self::Count => "count",
            Self::Files => "files",
            Self::Directories => "directories",
        }
    }

    /// Errors: an unknown name.
    pub fn named(name: &str) -> Result<Self> {
        Self::EACH.into_iter().find(|metric| metric.name() == name).ok_or_else(|| {
            refused("metric", "metric must be one of size, count, files, directories, allocated, blocks")
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paging {
    /// 1 to [`MAX_ENTRIES`].
    pub limit: usize,
    pub offset: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntryPage {
    pub entries: Vec<EntryItem>,
    /// All that meet the conditions.
    pub total_count: u64,
    pub returned_count: u64,
    pub offset: u64,
    pub limit: u64,
    pub has_more: bool,
    /// A notice that the set is not complete yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<&'static str>,
}

#[derive(Debug, Clone)]
pub struct TimeRangeSearch<'a> {
    pub name: &'a str,
    /// mtime, ctime or added_at.
    pub field: &'a str,
    pub min: Option<&'a str>,
    pub max: Option<&'a str>,
    pub children: bool,
    pub page: Paging,
}

/// Entries whose number is in a range, both ends included.
#[derive(Debug, Clone)]
pub struct MetricRange<'a> {
    pub name: &'a str,
    /// size, allocated or blocks.
    pub metric: &'a str,
    pub min: Option<u64>,
    pub max: Option<u64>,
    pub children: bool,
    pub page: Paging,
}

#[derive(Debug, Clone)]
pub struct Comparison<'a> {
    pub name: &'a str,
    /// kind, path, parent, name or extension.
    pub field: &'a str,
    pub value: &'a str,
    pub children: bool,
    pub page: Paging,
}

/// Entries whose text matches a pattern.
#[derive(Debug, Clone)]
pub struct Matching<'a> {
    pub name: &'a str,
    /// path, name, parent or extension.
    pub field: &'a str,
    pub pattern: &'a str,
    /// contains, prefix, suffix, regex or glob.
    pub mode: &'a str,
    pub case_sensitive: bool,
    pub children: bool,
    pub page: Paging,
}

/// Entries that meet several conditions. It is stored as `StoredSearch` reads it.
#[derive(Debug, Clone, Serialize)]
pub struct SetSearch<'a> {
    pub name: &'a str,
    pub children: bool,
    pub kind: Option<&'a str>,
    /// With or without a dot; case is ignored.
    pub extension: Option<&'a str>,
    pub path_contains: Option<&'a str>,
    pub name_contains: Option<&'a str>,
    pub size: (Option<u64>, Option<u64>),
    pub mtime: (Option<&'a str>, Option<&'a str>),
    /// size, name or mtime.
    #[serde(skip)]
    pub sort_by: &'a str,
    #[serde(skip)]
    pub descending: bool,
    #[serde(skip)]
    pub page: Paging,
}

impl<'a> SetSearch<'a> {
    /// Errors: a kind, time or order that cannot be read.
    pub(super) fn asked(&self) -> Result<SetQuery<'a>> {
        let mut conditions = Vec::new();
        conditions.extend(self.kind.map(|kind| kind_named("kind", kind)).transpose()?.map(Condition::Kind));
        conditions.extend(self.extension.map(|text| extension("extension", text)).transpose()?);
        let texts =
            [("path_contains", Field::Path, self.path_contains), ("name_contains", Field::Name, self.name_contains)];
        for (parameter, field, text) in texts {
            if let Some(text) = text {
                conditions.push(Condition::Text(in_field(parameter, Text::new(field, Match::Contains, text, false))?));
            }
        }
        if self.size != (None, None) {
            conditions.push(Condition::Size(self.size.0, self.size.1));
        }
        if self.mtime != (None, None) {
            let (from, to) = self.mtime;
            let (from, to) = (edge("min_mtime", from, End::Min)?, edge("max_mtime", to, End::Max)?);
            conditions.push(Condition::Time(TimeField::Modified, from, to));
        }
        let sort = match self.sort_by {
            "size" => Sort::Size,
            "name" => Sort::Name,
            "mtime" => Sort::Modified,
            _ => return Err(refused("sort_by", "sort_by must be one of size, name, mtime")),
        };
        let asked = asked(self.name, Condition::All(conditions), self.page)?;
        Ok(SetQuery { children: self.children, sort, descending: self.descending, ..asked })
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct StoredSearch {
    name: String,
    children: bool,
    kind: Option<String>,
    extension: Option<String>,
    path_contains: Option<String>,
    name_contains: Option<String>,
    size: (Option<u64>, Option<u64>),
    mtime: (Option<String>, Option<String>),
}

impl StoredSearch {
    /// The search, in an order of no meaning.
    pub fn as_search(&self) -> SetSearch<'_> {
        SetSearch {
            name: &self.name,
            children: self.children,
            kind: self.kind.as_deref(),
            extension: self.extension.as_deref(),
            path_contains: self.path_contains.as_deref(),
            name_contains: self.name_contains.as_deref(),
            size: self.size,
            mtime: (self.mtime.0.as_deref(), self.mtime.1.as_deref()),
            sort_by: "name",
            descending: false,
            page: Paging { limit: 1, offset: 0 },
        }
    }
}

// Errors name the parameter that they are about: see [`InField`](super::InField). Answers are in the order of paths except for a search.
/// The entries of a set itself, as they are now.
pub(super) fn set_entries(host: &Host, name: &str, page: Paging, cancel: &Cancel) -> Result<EntryPage> {
    found(host, &SetQuery { children: false, ..asked(name, Condition::ALWAYS, page)? }, cancel)
}

/// Errors: a set that does not exist, an unknown field, a time that cannot be read.
pub fn find_in_time_range(host: &Host, search: &TimeRangeSearch<'_>, cancel: &Cancel) -> Result<EntryPage> {
    let &TimeRangeSearch { name, field, min, max, children, page } = search;
    let (from, to) = (edge("min", min, End::Min)?, edge("max", max, End::Max)?);
    let mut added = (None, None);
    let condition = match field {
        "mtime" => Condition::Time(TimeField::Modified, from, to),
        "ctime" => Condition::Time(TimeField::Changed, from, to),
        "added_at" => {
            // Kept in seconds.
            let seconds = |time: i64| time.div_euclid(1_000_000_000);
            added = (from.map(seconds), to.map(seconds));
            Condition::ALWAYS
        }
        _ => return Err(refused("field", "field must be one of mtime, ctime, added_at")),
    };
    answered(host, &SetQuery { children, added, ..asked(name, condition, page)? }, cancel)
}

/// Errors: a set that does not exist, an unknown metric.
pub fn find_in_metric_range(host: &Host, search: &MetricRange<'_>, cancel: &Cancel) -> Result<EntryPage> {
    let &MetricRange { name, metric, min, max, children, page } = search;
    let condition = match metric {
        "size" => Condition::Size(min, max),
        "allocated" => Condition::Allocated(min, max),
        "blocks" => {
            let bytes = |blocks: u64| blocks.saturating_mul(512);
            Condition::Allocated(min.map(bytes), max.map(|max| bytes(max).saturating_add(511)))
        }
        _ => return Err(refused("metric", "metric must be one of size, allocated, blocks")),
    };
    answered(host, &SetQuery { children, ..asked(name, condition, page)? }, cancel)
}

/// Errors: a set that does not exist, an unknown field or kind.
pub fn find_equal(host: &Host, search: &Comparison<'_>, cancel: &Cancel) -> Result<EntryPage> {
    let &Comparison { name, field, value, children, page } = search;
    let condition = match field {
        "kind" => Condition::Kind(kind_named("value", value)?),
        "extension" => extension("value", value)?,
        _ => {
            let field = text_field(field, "field must be one of kind, path, parent, name, extension")?;
            Condition::Text(in_field("value", Text::new(field, Match::Equals, value, true))?)
        }
    };
    answered(host, &SetQuery { children, ..asked(name, condition, page)? }, cancel)
}

/// Errors: a set that does not exist, an unknown field or mode, a pattern that cannot be read.
pub fn find_matching(host: &Host, search: &Matching<'_>, cancel: &Cancel) -> Result<EntryPage> {
    let &Matching { name, field, pattern, mode, case_sensitive, children, page } = search;
    let field = text_field(field, "field must be one of path, name, parent, extension")?;
    let how = match mode {
        "contains" => Match::Contains,
        "prefix" => Match::Prefix,
        "suffix" => Match::Suffix,
        "regex" => Match::Regex,
        "glob" => Match::Glob,
        _ => return Err(refused("mode", "mode must be one of contains, prefix, suffix, regex, glob")),
    };
    let text = in_field("pattern", Text::new(field, how, pattern, case_sensitive))?;
    answered(host, &SetQuery { children, ..asked(name, Condition::Text(text), page)? }, cancel)
}

/// `save_as` keeps the search under a name, for sources of the type query.
///
/// Errors: a set that does not exist, a kind, time or order that cannot be read, a name that cannot be kept.
pub fn search_set(host: &Host, search: &SetSearch<'_>, save_as: Option<&str>, cancel: &Cancel) -> Result<EntryPage> {
    let page = answered(host, &search.asked()?, cancel)?;
    if let Some(name) = save_as {
        let stored =
            serde_json::to_value(search).map_err(|error| casetrack_core::Error::internal(error.to_string()))?;
        in_field("save_as", host.space()?.save_query(name, &stored))?;
    }
    Ok(page)
}

fn answered(host: &Host, asked: &SetQuery<'_>, cancel: &Cancel) -> Result<EntryPage> {
    let notice = sets::wait_for_runs(host, asked.set, asked.children, cancel)?;
    Ok(EntryPage { notice, ..found(host, asked, cancel)? })
}

fn found(host: &Host, asked: &SetQuery<'_>, cancel: &Cancel) -> Result<EntryPage> {
    let answer =
        in_field("name", host.fresh_space(cancel)?.find(asked, &|path| is_denied_in_space(host, path), cancel))?;
    let entries: Vec<EntryItem> = answer.members.into_iter().map(EntryItem::from).collect();
    let (total_count, has_more, returned_count) = (answer.total, answer.has_more, entries.len() as u64);
    let (offset, limit) = (asked.offset as u64, asked.limit as u64);
    Ok(EntryPage { entries, total_count, returned_count, offset, limit, has_more, notice: None })
}

fn asked(name: &str, condition: Condition, page: Paging) -> Result<SetQuery<'_>> {
    if page.limit == 0 || page.limit > MAX_ENTRIES {
        return Err(refused("limit", format!("limit must be between 1 and {MAX_ENTRIES}")));
    }
    let (added, sort, Paging { limit, offset }) = ((None, None), Sort::Path, page);
    Ok(SetQuery { set: name, children: true, condition, added, sort, descending: false, limit, offset })
}

fn edge(field: &'static str, text: Option<&str>, end: End) -> Result<Option<i64>> {
    text.map(|text| in_field(field, bound(text, end))).transpose()
}

fn extension(field: &'static str, text: &str) -> Result<Condition> {
    let text = text.strip_prefix('.').unwrap_or(text);
    Ok(Condition::Text(in_field(field, Text::new(Field::Extension, Match::Equals, text, false))?))
}

fn text_field(name: &str, otherwise: &str) -> Result<Field> {
    match name {
        "path" => Ok(Field::Path),
        "name" => Ok(Field::Name),
        "parent" => Ok(Field::Parent),
        "extension" => Ok(Field::Extension),
        _ => Err(refused("field", otherwise)),
    }
}
