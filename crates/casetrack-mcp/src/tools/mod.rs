//! The tools, one file per family. A handler converts its parameters, calls the engine and selects the rendering.

pub(crate) mod bates;
pub(crate) mod changes;
pub(crate) mod chunks;
pub(crate) mod collections;
pub(crate) mod desk;
pub(crate) mod documents;
pub(crate) mod entities;
pub(crate) mod evidence;
pub(crate) mod files;
pub(crate) mod hidden;
pub(crate) mod index;
pub(crate) mod ingest;
pub(crate) mod jobs;
pub(crate) mod navigation;
pub(crate) mod obligations;
pub(crate) mod overview;
pub(crate) mod quotes;
pub(crate) mod references;
pub(crate) mod reindex;
pub(crate) mod search;
pub(crate) mod sheet;
pub(crate) mod space;
pub(crate) mod status;
pub(crate) mod sync;
pub(crate) mod tags;
pub(crate) mod terms;
pub(crate) mod threads;
pub(crate) mod time;
pub(crate) mod versions;
pub(crate) mod watches;
pub(crate) mod work;

use casetrack_core::Error;

use crate::confirmation;
use prelude::*;

pub(crate) mod prelude {
    pub(crate) use casetrack_core::Result;
    pub(crate) use casetrack_engine::Host;
    pub(crate) use casetrack_engine::paging::Paging;
    pub(crate) use casetrack_text::{self as text, Reader};
    pub(crate) use schemars::JsonSchema;
    pub(crate) use serde::{Deserialize, Serialize};

    pub(super) use super::{All, Any, Choice, Page};
    pub(crate) use crate::answer::{Form, List, Reply, ToolOutput};
    pub(crate) use crate::contract::Contract;
    pub(crate) use crate::session::Context;
    pub(crate) use crate::tool::{Effect, Need, NoParameters, Row, Tool, Toolset};
}

/// The part of a list that a call asks for: `LIMIT` items unless it names another number up to `MOST`.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
struct Page<const LIMIT: u32, const MOST: u32, const END: u32 = 1_000_000> {
    /// next_offset of the answer before
    #[serde(default)]
    #[schemars(range(min = 0, max = END))]
    offset: u32,
    /// Most items
    #[serde(default = "number::<LIMIT>")]
    #[schemars(range(min = 1, max = MOST), extend("x-rare" = true))]
    limit: u32,
}

impl<const LIMIT: u32, const MOST: u32, const END: u32> From<Page<LIMIT, MOST, END>> for Paging {
    fn from(page: Page<LIMIT, MOST, END>) -> Self {
        Self { offset: page.offset, limit: page.limit }
    }
}

/// One value of a type, or the word for all of them.
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Choice<T, W> {
    One(T),
    Every(W),
}

#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum All {
    #[default]
    All,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Any {
    #[default]
    Any,
}

impl<T, W: Default> Default for Choice<T, W> {
    fn default() -> Self {
        Self::Every(W::default())
    }
}

impl<T, W> Choice<T, W> {
    fn one(self) -> Option<T> {
        match self {
            Self::One(value) => Some(value),
            Self::Every(_) => None,
        }
    }
}

fn number<const N: u32>() -> u32 {
    N
}

fn yes() -> bool {
    true
}

/// The refusal of a deletion that was not confirmed. `what` names everything that would be deleted.
fn unconfirmed(what: &str) -> Error {
    confirmation::unconfirmed("deleted", format!("This would permanently delete {what}. It cannot be undone."))
}
