//! Resources of the space browser: files with their properties, sets, jobs and plans. Their URIs are a published contract.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use casetrack_core::{Cancel, Error, ErrorCode, Result};
use casetrack_engine::changes::SpaceChange;
use casetrack_engine::space::{JobsAsked, Paging};
use casetrack_engine::{Engine, Host, space};
use casetrack_text::format::shorten;
use percent_encoding::percent_decode_str;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde::Serialize;
use serde_json::{Value, json};

use super::{JSON, PNG, for_both};

const SCHEME: &str = "synthesis://";
/// Entries, sets, jobs and executions of one page.
const PAGE: u32 = 1_000;

/// The resources without variables, and their content.
pub(crate) const FIXED: [(&str, &str, &str); 11] = [
    ("synthesis://nodes", "nodes", "All filesystem entries"),
    ("synthesis://selection-sets", "selection-sets", "All selection sets"),
    ("synthesis://jobs", "jobs", "All indexing jobs"),
    ("synthesis://jobs/pending", "jobs-pending", "Pending jobs"),
    ("synthesis://jobs/running", "jobs-running", "Running jobs"),
    ("synthesis://jobs/completed", "jobs-completed", "Completed jobs"),
    ("synthesis://jobs/failed", "jobs-failed", "Failed jobs"),
    ("synthesis://metadata", "metadata", "All generated metadata"),
    ("synthesis://metadata/thumbnails", "thumbnails", "Thumbnail metadata"),
    ("synthesis://plans", "plans", "All plans"),
    ("synthesis://plan-executions", "plan-executions", "All plan executions"),
];

/// The resources with variables. A path is percent-encoded as one segment, or written as it is.
pub(crate) const TEMPLATES: [(&str, &str, &str); 13] = [
    ("synthesis://selection-sets/{name}", "selection-set", "Resource-set metadata"),
    ("synthesis://selection-sets/{name}/entries", "selection-set-entries", "File entries in set"),
    ("synthesis://selection-sets/{name}/children", "selection-set-children", "Child resource-sets (DAG downstream)"),
    ("synthesis://selection-sets/{name}/parents", "selection-set-parents", "Parent resource-sets (DAG upstream)"),
    ("synthesis://selection-sets/{name}/stats", "selection-set-stats", "Comprehensive statistics"),
    (
        "synthesis://selection-sets/{name}/metrics/{metric}",
        "selection-set-metric",
        "Aggregated metric (size, count, files, directories)",
    ),
    ("synthesis://nodes/{path}", "node", "Single filesystem entry"),
    ("synthesis://jobs/{id}", "job", "Job by ID"),
    ("synthesis://plans/{name}", "plan", "Plan by name"),
    ("synthesis://plans/{name}/executions", "plan-history", "Plan execution history"),
    ("synthesis://metadata/{hash}", "metadata-of-content", "Metadata by hash"),
    ("synthesis://nodes/{path}/metadata", "node-metadata", "All metadata for entry"),
    (THUMBNAIL, "node-thumbnail", "Thumbnail for entry"),
];
const THUMBNAIL: &str = "synthesis://nodes/{path}/thumbnail";

#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    Nodes { after: Option<PathBuf> },
    Node(String),
    NodeMetadata(String),
    NodeThumbnail(String),
    Sets { offset: u64 },
    Set(String),
    SetEntries { set: String, offset: u64 },
    SetChildren { set: String, offset: u64 },
    SetParents { set: String, offset: u64 },
    SetStats(String),
    SetMetric { set: String, metric: String },
    Jobs { status: Option<String>, offset: u64 },
    Job(String),
    Metadata { thumbnails: bool, offset: u64 },
    MetadataOf(String),
    Plans,
    Plan(String),
    PlanExecutions { plan: Option<String>, offset: u64 },
}

/// True if the beginning of a URI is that of the space browser.
pub(crate) fn is_one(uri: &str) -> bool {
    uri.starts_with(SCHEME)
}

pub(crate) fn fixed() -> impl Iterator<Item = Resource> {
    FIXED.into_iter().map(|(uri, name, description)| {
        Resource::new(uri, name).with_description(description).with_mime_type(JSON).with_annotations(for_both())
    })
}

pub(crate) fn templates() -> impl Iterator<Item = ResourceTemplate> {
    TEMPLATES.into_iter().map(|(uri, name, description)| {
        let mime_type = if uri == THUMBNAIL { PNG } else { JSON };
        ResourceTemplate::new(uri, name)
            .with_description(description)
            .with_mime_type(mime_type)
            .with_annotations(for_both())
    })
}

impl Target {
    /// Errors: [`ErrorCode::NotFound`] for a string that is not the URI of a resource.
    fn parse(uri: &str) -> Result<Self> {
        Self::read(uri).ok_or_else(|| {
            let forms = FIXED.iter().chain(&TEMPLATES).map(|(form, ..)| *form).collect::<Vec<_>>().join("\n  ");
            Error::new(ErrorCode::NotFound, format!("No resource has the URI \"{}\".", shorten(uri, 200)))
                .with_hint(format!("The URIs of resources have these forms:\n  {forms}"))
        })
    }

    fn read(uri: &str) -> Option<Self> {
        let rest = uri.strip_prefix(SCHEME)?;
        if let Some(path) = rest.strip_prefix("nodes/") {
            return node(path);
        }
        let (path, query) = rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)));
        let offset = || match query {
            None => Some(0),
            Some(query) => query.strip_prefix("offset=")?.parse().ok(),
        };
        let segments: Vec<String> = path.split('/').map(decoded).collect::<Option<_>>()?;
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let target = match segments[..] {
            ["nodes"] => {
                let after = match query {
                    None => None,
                    Some(query) => Some(bytes_of(query.strip_prefix("after=")?)?),
                };
                return Some(Self::Nodes { after });
            }
            ["selection-sets", set, "entries"] => return Some(Self::SetEntries { set: set.into(), offset: offset()? }),
            ["metadata"] => return Some(Self::Metadata { thumbnails: false, offset: offset()? }),
            ["metadata", "thumbnails"] => return Some(Self::Metadata { thumbnails: true, offset: offset()? }),
            ["selection-sets"] => return Some(Self::Sets { offset: offset()? }),
            ["selection-sets", set, "children"] => {
                return Some(Self::SetChildren { set: set.into(), offset: offset()? });
            }
            ["selection-sets", set, "parents"] => return Some(Self::SetParents { set: set.into(), offset: offset()? }),
            ["jobs"] => return Some(Self::Jobs { status: None, offset: offset()? }),
            ["jobs", status @ ("pending" | "running" | "completed" | "failed")] => {
                return Some(Self::Jobs { status: Some(status.into()), offset: offset()? });
            }
            ["plans", plan, "executions"] => {
                return Some(Self::PlanExecutions { plan: Some(plan.into()), offset: offset()? });
            }
            ["plan-executions"] => return Some(Self::PlanExecutions { plan: None, offset: offset()? }),
            ["selection-sets", set] => Self::Set(set.into()),
            ["selection-sets", set, "stats"] => Self::SetStats(set.into()),
            ["selection-sets", set, "metrics", metric] => Self::SetMetric { set: set.into(), metric: metric.into() },
            ["jobs", id] => Self::Job(id.into()),
            ["metadata", hash] => Self::MetadataOf(hash.into()),
            ["plans"] => Self::Plans,
            ["plans", plan] => Self::Plan(plan.into()),
            _ => return None,
        };
        query.is_none().then_some(target)
    }

    fn shows(&self) -> &'static [SpaceChange] {
        match self {
            Self::Nodes { .. } | Self::Node(_) => &[SpaceChange::Entries],
            Self::NodeMetadata(_) | Self::NodeThumbnail(_) => &[SpaceChange::Entries, SpaceChange::Metadata],
            Self::Sets { .. }
            | Self::Set(_)
            | Self::SetEntries { .. }
            | Self::SetStats(_)
            | Self::SetMetric { .. }
            | Self::SetChildren { .. }
            | Self::SetParents { .. } => &[SpaceChange::Entries, SpaceChange::Sets],
            Self::Jobs { .. } | Self::Job(_) => &[SpaceChange::Jobs],
            Self::Metadata { .. } | Self::MetadataOf(_) => &[SpaceChange::Metadata],
            Self::Plans | Self::Plan(_) | Self::PlanExecutions { .. } => &[SpaceChange::Plans],
        }
    }
}

/// A path, encoded as one segment or unchanged, and the requested part. For the last two, a path that ends in the same way must be encoded.
fn node(path: &str) -> Option<Target> {
    let of = |path: &str| {
        let path = decoded(path)?;
        Some(if path.starts_with('/') || Path::new(&path).is_absolute() { path } else { format!("/{path}") })
    };
    match path.rsplit_once('/') {
        Some((path, "metadata")) if !path.is_empty() => of(path).map(Target::NodeMetadata),
        Some((path, "thumbnail")) if !path.is_empty() => of(path).map(Target::NodeThumbnail),
        _ => of(path).map(Target::Node),
    }
}

/// A part of a URI that is not empty.
fn decoded(part: &str) -> Option<String> {
    let text = percent_decode_str(part).decode_utf8().ok()?;
    (!text.is_empty()).then(|| text.into_owned())
}

/// A path that need not be Unicode.
fn bytes_of(part: &str) -> Option<PathBuf> {
    let bytes: Vec<u8> = percent_decode_str(part).collect();
    #[cfg(unix)]
    let path: OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes);
    #[cfg(not(unix))]
    let path: OsString = String::from_utf8(bytes).ok()?.into();
    Some(path.into())
}

/// The scope of the changes that concern an existing resource.
pub(crate) fn shown(engine: &Engine, host: &Host, uri: &str) -> Result<&'static [SpaceChange]> {
    let target = Target::parse(uri)?;
    match &target {
        Target::Set(set)
        | Target::SetEntries { set, .. }
        | Target::SetChildren { set, .. }
        | Target::SetParents { set, .. }
        | Target::SetStats(set)
        | Target::SetMetric { set, .. } => drop(space::get_set(host, set, None, &Cancel::default())?),
        Target::Job(id) => drop(space::space_job(host, id)?),
        Target::Plan(plan) | Target::PlanExecutions { plan: Some(plan), .. } => drop(engine.plan(host, plan, None)?),
        Target::Node(path) | Target::NodeMetadata(path) | Target::NodeThumbnail(path) => drop(space::node(host, path)?),
        _ => {}
    }
    Ok(target.shows())
}

/// The contents of a resource, for a host with the rights of the session. Blocks; a new thumbnail takes some 100 ms.
pub(crate) fn read(engine: &Engine, host: &Host, uri: &str, cancel: &Cancel) -> Result<Vec<ResourceContents>> {
    match Target::parse(uri)? {
        Target::Nodes { after } => as_json(uri, &space::nodes(host, after.as_deref(), cancel)?),
        Target::Node(path) => as_json(uri, &space::node(host, &path)?),
        Target::NodeMetadata(path) => as_json(uri, &space::node_metadata(host, &path, cancel)?),
        Target::NodeThumbnail(path) => {
            let picture = BASE64_STANDARD.encode(space::node_thumbnail(host, &path, cancel)?.0);
            Ok(vec![ResourceContents::blob(picture, uri).with_mime_type(PNG)])
        }
        Target::Sets { offset } => {
            let (sets, has_more) = space::page_of_sets(host, paging(offset), cancel)?;
            as_json(uri, &followed(to_value(&sets)?, uri, offset, has_more))
        }
        Target::Set(set) => as_json(uri, &space::get_set(host, &set, None, cancel)?),
        Target::SetEntries { set, offset } => {
            let (value, has_more) = set_entries(host, &set, offset, cancel)?;
            as_json(uri, &followed(value, uri, offset, has_more))
        }
        Target::SetChildren { set, offset } => {
            let found = space::set_children(host, &set, Some(1), false, cancel)?;
            let (children, has_more) = part(found.children, offset);
            let mut value = json!({"resource_set": set, "children": to_value(&children)?});
            note(&mut value, found.notice);
            as_json(uri, &followed(value, uri, offset, has_more))
        }
        Target::SetParents { set, offset } => {
            let (parents, has_more) = part(space::set_parents(host, &set, Some(1))?, offset);
            let value = json!({"resource_set": set, "parents": to_value(&parents)?});
            as_json(uri, &followed(value, uri, offset, has_more))
        }
        Target::SetStats(set) => as_json(uri, &space::set_stats(host, &set, cancel)?),
        Target::SetMetric { set, metric } => as_json(uri, &space::sum_set(host, &set, &metric, true, None, cancel)?),
        Target::Jobs { status, offset } => {
            let status = status.as_deref();
            let page =
                |limit, offset| space::space_jobs(host, &JobsAsked { status, limit, offset, ..JobsAsked::default() });
            let jobs = page(PAGE, offset)?;
            let has_more = jobs.count == u64::from(PAGE) && page(1, offset.saturating_add(PAGE.into()))?.count > 0;
            as_json(uri, &followed(to_value(&jobs)?, uri, offset, has_more))
        }
        Target::Job(id) => as_json(uri, &space::space_job(host, &id)?),
        Target::Metadata { thumbnails, offset } => as_json(uri, &space::metadata_page(host, thumbnails, offset)?),
        Target::MetadataOf(hash) => as_json(uri, &space::metadata_by_hash(host, &hash)?),
        Target::Plans => as_json(uri, &engine.plans(host)?),
        Target::Plan(plan) => as_json(uri, &engine.plan(host, &plan, Some(10))?),
        Target::PlanExecutions { plan, offset } => {
            let page = |limit, offset| engine.plan_executions(host, plan.as_deref(), limit, offset);
            let executions = page(PAGE, offset)?;
            let has_more =
                executions.len() == PAGE as usize && !page(1, offset.saturating_add(PAGE.into()))?.is_empty();
            as_json(uri, &followed(json!({"executions": to_value(&executions)?}), uri, offset, has_more))
        }
    }
}

/// The files of a page of a set, and whether more follow.
fn set_entries(host: &Host, set: &str, offset: u64, cancel: &Cancel) -> Result<(Value, bool)> {
    let details = space::get_set(host, set, Some(paging(offset)), cancel)?;
    let (page, mut value) = (details.page, json!({"resource_set": set}));
    note(&mut value, details.notice);
    let has_more = page.as_ref().is_some_and(|page| page.has_more);
    if let Some(page) = page {
        value["entries"] = to_value(&page.entries)?;
        value["total_count"] = page.total_count.into();
    }
    Ok((value, has_more))
}

fn paging(offset: u64) -> Paging {
    Paging { limit: PAGE as usize, offset: usize::try_from(offset).unwrap_or(usize::MAX) }
}

/// A page of a list, and whether more follows.
fn part<T>(list: Vec<T>, offset: u64) -> (Vec<T>, bool) {
    let Paging { limit, offset } = paging(offset);
    let has_more = list.len() > offset.saturating_add(limit);
    (list.into_iter().skip(offset).take(limit).collect(), has_more)
}

fn note(value: &mut Value, notice: Option<&str>) {
    if let Some(notice) = notice {
        value["notice"] = notice.into();
    }
}

fn followed(mut page: Value, uri: &str, offset: u64, has_more: bool) -> Value {
    if has_more {
        let list = uri.split_once('?').map_or(uri, |(list, _)| list);
        page["next"] = format!("{list}?offset={}", offset.saturating_add(PAGE.into())).into();
    }
    page
}

fn to_value(value: &impl Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::internal(format!("It could not be written as JSON: {error}.")))
}

fn as_json(uri: &str, value: &impl Serialize) -> Result<Vec<ResourceContents>> {
    Ok(vec![ResourceContents::text(to_value(value)?.to_string(), uri).with_mime_type(JSON)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_of_the_contract_is_read_and_others_are_not_found() {
        for (uri, ..) in FIXED {
            assert!(Target::parse(uri).is_ok(), "{uri}");
        }
        for (template, ..) in TEMPLATES {
            let uri = ["{name}", "{metric}", "{path}", "{id}", "{hash}"]
                .iter()
                .fold(template.to_owned(), |uri, name| uri.replace(name, "%2Fx"));
            assert!(Target::parse(&uri).is_ok(), "{uri}");
        }
        for list in [
            "selection-sets",
            "selection-sets/a/children",
            "selection-sets/a/parents",
            "jobs",
            "jobs/failed",
            "plans/p/executions",
        ] {
            assert!(Target::parse(&format!("synthesis://{list}?offset=1000")).is_ok(), "{list}");
        }
        for uri in [
            "synthesis://",
            "synthesis://nodes/",
            "synthesis://sets",
            "synthesis://selection-sets/",
            "synthesis://selection-sets/a/other",
            "synthesis://selection-sets/a?offset=1",
            "synthesis://selection-sets/a/entries?offset=x",
            "synthesis://jobs?offset=-1",
            "synthesis://plans?offset=1",
            "synthesis://jobs/1/2",
            "synthesis://plans/%FF",
            "casetrack://collections",
        ] {
            assert_eq!(Target::parse(uri).unwrap_err().code, ErrorCode::NotFound, "{uri}");
        }
    }

    #[test]
    fn a_path_is_one_segment_or_as_it_is() {
        let node = |uri: &str| Target::parse(uri).unwrap();
        let path = "/home/a b/c?.txt".to_owned();
        assert_eq!(node("synthesis://nodes/%2Fhome%2Fa%20b%2Fc%3F.txt"), Target::Node(path.clone()));
        assert_eq!(node("synthesis://nodes//home/a b/c?.txt"), Target::Node(path.clone()));
        assert_eq!(node("synthesis://nodes/home/a b/c?.txt"), Target::Node(path.clone()));
        assert_eq!(node("synthesis://nodes/%2Fhome%2Fa%20b%2Fc%3F.txt/metadata"), Target::NodeMetadata(path.clone()));
        assert_eq!(node("synthesis://nodes//home/a b/c?.txt/thumbnail"), Target::NodeThumbnail(path));
        assert_eq!(node("synthesis://nodes/%2Fa%2Fmetadata"), Target::Node("/a/metadata".to_owned()));
        assert_eq!(node("synthesis://nodes?after=%2Fa"), Target::Nodes { after: Some("/a".into()) });
    }
}
