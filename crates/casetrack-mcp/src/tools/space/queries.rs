//! Sums over sets, and questions about their entries.

use casetrack_engine::space;
use casetrack_engine::space::{
    Comparison, EntryPage, Matching, MetricRange, Paging, SetSearch, SetSum, TimeRangeSearch,
};

use crate::tools::prelude::*;

/// The entries of a set that were found.
#[derive(Serialize, JsonSchema)]
pub(crate) struct MatchPage {
    resource_set: String,
    #[serde(flatten)]
    page: EntryPage,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SumParameters {
    /// Resource-set name
    name: String,
    /// Metric to aggregate (size, count, etc.)
    metric: String,
    /// Aggregate through DAG
    #[serde(default = "crate::tools::yes")]
    include_children: bool,
    /// Traversal depth limit
    #[serde(default)]
    #[schemars(extend("x-null" = "default"))]
    depth: Option<u32>,
}

space_tool!(ResourceSum: "resource-sum", "Sum over a set", Reads, SumParameters => SetSum,
    r#"{"name": "notes", "metric": "size"}"#,
"Hierarchical aggregation of a metric across the DAG.\n\nMetrics: size, count, files, directories, allocated, \
    blocks. Each path counts once however many sets have it, and each file once however many names it has. The value \
    includes the set's own entries; breakdown has its child sets.",
|context, host, parameters| {
    let SumParameters { name, metric, include_children, depth } = parameters;
    space::sum_set(host, &name, &metric, include_children, depth, context.cancel)
});

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimeRangeParameters {
    /// Resource-set name
    name: String,
    /// Time field (mtime, ctime, added_at)
    field: String,
    /// Minimum time (ISO 8601 or Unix timestamp)
    min: Option<String>,
    /// Maximum time (ISO 8601 or Unix timestamp)
    max: Option<String>,
    /// Include child sets
    #[serde(default = "crate::tools::yes")]
    include_children: bool,
    /// Maximum results, at most 1,000
    #[serde(default = "crate::tools::number::<1000>")]
    #[schemars(range(min = 1))]
    limit: u32,
    /// Pagination offset
    #[serde(default)]
    offset: u32,
}

space_tool!(ResourceTimeRange: "resource-time-range", "Entries by time", Reads, TimeRangeParameters => MatchPage,
    r#"{"name": "notes", "field": "mtime", "min": "2019-01-01"}"#,
"Filter resources by a time field within a range.\n\nBounds are included; a date without a time means its whole \
    day.",
|context, host, parameters| {
    let TimeRangeParameters { name, field, min, max, include_children: children, limit, offset } = parameters;
    let page = page(limit, offset);
    let (min, max) = (min.as_deref(), max.as_deref());
    let search = TimeRangeSearch { name: &name, field: &field, min, max, children, page };
    let page = space::find_in_time_range(host, &search, context.cancel)?;
    Ok(MatchPage { resource_set: name, page })
});

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MetricRangeParameters {
    /// Resource-set name
    name: String,
    /// Metric field (size, etc.)
    metric: String,
    /// Minimum value
    min: Option<u64>,
    /// Maximum value
    max: Option<u64>,
    /// Include child sets
    #[serde(default = "crate::tools::yes")]
    include_children: bool,
    /// Maximum results, at most 1,000
    #[serde(default = "crate::tools::number::<1000>")]
    #[schemars(range(min = 1))]
    limit: u32,
    /// Pagination offset
    #[serde(default)]
    offset: u32,
}

space_tool!(ResourceMetricRange: "resource-metric-range", "Entries by size", Reads, MetricRangeParameters => MatchPage,
    r#"{"name": "notes", "metric": "size", "min": 1}"#,
"Filter resources by a metric within a numeric range.\n\nMetrics: size, allocated (bytes on the disk), blocks (of \
    512 bytes). Bounds are included.",
|context, host, parameters| {
    let MetricRangeParameters { name, metric, min, max, include_children: children, limit, offset } = parameters;
    let page = page(limit, offset);
    let search = MetricRange { name: &name, metric: &metric, min, max, children, page };
    let page = space::find_in_metric_range(host, &search, context.cancel)?;
    Ok(MatchPage { resource_set: name, page })
});

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IsParameters {
    /// Resource-set name
    name: String,
    /// Field to match (kind, path, parent, etc.)
    field: String,
    /// Exact value to match
    value: String,
    /// Include child sets
    #[serde(default = "crate::tools::yes")]
    include_children: bool,
    /// Maximum results, at most 1,000
    #[serde(default = "crate::tools::number::<1000>")]
    #[schemars(range(min = 1))]
    limit: u32,
    /// Pagination offset
    #[serde(default)]
    offset: u32,
}

space_tool!(ResourceIs: "resource-is", "Entries with a value", Reads, IsParameters => MatchPage,
    r#"{"name": "notes", "field": "extension", "value": "md"}"#,
"Exact match on a field value.\n\nFields: kind (file, directory, link or other), path, parent, name, extension.",
|context, host, parameters| {
    let IsParameters { name, field, value, include_children: children, limit, offset } = parameters;
    let search = Comparison { name: &name, field: &field, value: &value, children, page: page(limit, offset) };
    let page = space::find_equal(host, &search, context.cancel)?;
    Ok(MatchPage { resource_set: name, page })
});

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FuzzyMatchParameters {
    /// Resource-set name
    name: String,
    /// Text field to search (path, etc.)
    field: String,
    /// Pattern to match
    pattern: String,
    /// Match mode (see below)
    #[serde(default = "contains")]
    mode: String,
    /// Case-sensitive matching
    #[serde(default)]
    case_sensitive: bool,
    /// Include child sets
    #[serde(default = "crate::tools::yes")]
    include_children: bool,
    /// Maximum results, at most 1,000
    #[serde(default = "crate::tools::number::<1000>")]
    #[schemars(range(min = 1))]
    limit: u32,
    /// Pagination offset
    #[serde(default)]
    offset: u32,
}

fn contains() -> String {
    "contains".to_owned()
}

space_tool!(ResourceFuzzyMatch: "resource-fuzzy-match", "Entries by pattern", Reads, FuzzyMatchParameters => MatchPage,
    r#"{"name": "notes", "field": "name", "pattern": "note"}"#,
"Fuzzy/pattern matching on text fields.\n\nFields: path, name, parent, extension. Match modes: contains, prefix, \
    suffix (each character literal), regex (anywhere in the text), glob (the whole text; * crosses /).",
|context, host, parameters| {
    let FuzzyMatchParameters { name, field, pattern, mode, case_sensitive, include_children, limit, offset } =
        parameters;
    let search = Matching {
        name: &name,
        field: &field,
        pattern: &pattern,
        mode: &mode,
        case_sensitive,
        children: include_children,
        page: page(limit, offset),
    };
    let page = space::find_matching(host, &search, context.cancel)?;
    Ok(MatchPage { resource_set: name, page })
});

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchParameters {
    /// Resource-set name
    name: String,
    /// Include child sets
    #[serde(default)]
    include_children: bool,
    /// Filter by kind (file, directory)
    kind: Option<String>,
    /// Filter by extension (.jpg, pdf)
    extension: Option<String>,
    /// Filter paths containing string
    path_contains: Option<String>,
    /// Filter names containing string
    name_contains: Option<String>,
    /// Minimum file size in bytes
    min_size: Option<u64>,
    /// Maximum file size in bytes
    max_size: Option<u64>,
    /// Minimum modification time (ISO date)
    min_mtime: Option<String>,
    /// Maximum modification time (ISO date)
    max_mtime: Option<String>,
    /// Maximum results
    #[serde(default = "crate::tools::number::<100>")]
    #[schemars(range(min = 1))]
    limit: u32,
    /// Pagination offset
    #[serde(default)]
    offset: u32,
    /// Sort field (size, name, mtime)
    #[serde(default = "size")]
    sort_by: String,
    /// Sort descending
    #[serde(default = "crate::tools::yes")]
    sort_desc: bool,
    /// Keep the filters under this name, for sources of the type query
    save_as: Option<String>,
}

fn size() -> String {
    "size".to_owned()
}

space_tool!(ResourceSearch: "resource-search", "Search a set", Reads, SearchParameters => MatchPage,
    r#"{"name": "notes", "extension": "md"}"#,
"Comprehensive search with multiple filter criteria combined.\n\nKinds: file, directory, link, other. save_as \
    keeps the filters for sources of the type query.",
|context, host, parameters| {
    let found = space::search_set(host,
        &SetSearch {
            name: &parameters.name,
            children: parameters.include_children,
            kind: parameters.kind.as_deref(),
            extension: parameters.extension.as_deref(),
            path_contains: parameters.path_contains.as_deref(),
            name_contains: parameters.name_contains.as_deref(),
            size: (parameters.min_size, parameters.max_size),
            mtime: (parameters.min_mtime.as_deref(), parameters.max_mtime.as_deref()),
            sort_by: &parameters.sort_by,
            descending: parameters.sort_desc,
            page: page(parameters.limit, parameters.offset),
        },
        parameters.save_as.as_deref(),
        context.cancel,
    );
    Ok(MatchPage { page: found?, resource_set: parameters.name })
});

/// A higher limit than an answer allows is reduced to that: the contract has no greatest limit.
fn page(limit: u32, offset: u32) -> Paging {
    Paging { limit: (limit as usize).min(space::MAX_ENTRIES), offset: offset as usize }
}
