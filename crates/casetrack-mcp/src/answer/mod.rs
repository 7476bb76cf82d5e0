//! The answer of a tool: its structured content and its text, both with words from documents marked and both within the limit of one
//! answer.
//!
//! A client may show its model only one of the two, so each is complete. Each is cut by whole items of the answer's list, and names the offset to
//! continue with.

mod brief;
mod places;
mod structured_content;

use casetrack_core::Result;
use casetrack_engine::compare::Comparison;
use casetrack_text::{Reader, marks};
use serde::Serialize;
use serde_json::Value;

pub(crate) use brief::{cited, placed};
pub(crate) use structured_content::{describe, has_exact_places, json};

/// The answer of a tool, for people and for programs. Each form keeps the limit of the settings, and marks the words of documents.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    pub text: String,
    /// Follows the tool's output schema; always an object.
    pub structured: Value,
}

/// An answer and how to render it as text.
pub(crate) struct Reply<R> {
    response: R,
    render: Box<dyn Fn(&R) -> String>,
}

impl<R> Reply<R> {
    pub fn new(response: R, render: impl Fn(&R) -> String + 'static) -> Self {
        Self { response, render: Box::new(render) }
    }

    pub fn rendered(self) -> (R, String) {
        let text = (self.render)(&self.response);
        (self.response, text)
    }
}

pub(crate) struct List<R> {
    /// Its places in structured content, as JSON pointers: several lists are cut together.
    at: &'static [&'static str],
    items: fn(&mut R) -> &mut dyn Items,
    /// The tool takes an offset itself; otherwise it is applied to its answer here.
    own_offset: bool,
    /// The field with the offset at which the list continues.
    next: Option<fn(&mut R) -> &mut Option<u64>>,
    /// Most items of a brief answer, if it has a limit.
    most: Option<usize>,
}

impl<R> List<R> {
    pub const fn new(at: &'static [&'static str], items: fn(&mut R) -> &mut dyn Items) -> Self {
        Self { at, items, own_offset: false, next: None, most: None }
    }

    /// For a tool with an offset of its own, and a field for the next offset.
    pub const fn with_next(
        at: &'static [&'static str],
        items: fn(&mut R) -> &mut dyn Items,
        next: fn(&mut R) -> &mut Option<u64>,
    ) -> Self {
        Self { at, items, own_offset: true, next: Some(next), most: None }
    }

    /// For a tool without an offset of its own: the maximum items of a brief answer.
    pub const fn at_most(self, most: usize) -> Self {
        Self { most: Some(most), ..self }
    }

    pub const fn adds_offset(&self) -> bool {
        !self.own_offset
    }
}

pub(crate) trait Items {
    fn count(&self) -> usize;
    fn skip(&mut self, count: usize);
    fn keep(&mut self, count: usize);
}

impl<T> Items for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn skip(&mut self, count: usize) {
        self.drain(..count.min(self.len()));
    }

    fn keep(&mut self, count: usize) {
        self.truncate(count);
    }
}

/// The two sides of a comparison, passage by passage.
impl Items for Comparison {
    fn count(&self) -> usize {
        self.a.results.len().max(self.b.results.len())
    }

    fn skip(&mut self, count: usize) {
        self.a.results.skip(count);
        self.b.results.skip(count);
    }

    fn keep(&mut self, count: usize) {
        self.a.results.truncate(count);
        self.b.results.truncate(count);
    }
}

/// The amount of detail about each passage of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Documents are described once, and lower results are shown in part.
    Brief,
    /// Everything in its place, with exact places and boxes.
    Full,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    /// Most characters of the text, and of the structured content as JSON.
    pub max_chars: usize,
    pub offset: usize,
    pub detail: Detail,
    /// The stages of scores are part of a brief answer.
    pub explain: bool,
}

impl Form {
    pub fn within(max_chars: u32) -> Self {
        Self { max_chars: max_chars as usize, offset: 0, detail: Detail::Brief, explain: false }
    }

    /// Removes from the arguments those that concern only the form of the answer.
    pub fn take(arguments: &mut Value, max_chars: u32, adds_offset: bool) -> Self {
        let form = Self::within(max_chars);
        let Value::Object(arguments) = arguments else { return form };
        let detail = match arguments.remove(DETAIL.name) {
            Some(Value::String(detail)) if detail == "full" => Detail::Full,
            _ => Detail::Brief,
        };
        let explain = arguments.get("explain").and_then(Value::as_bool).unwrap_or_default();
        let offset = if adds_offset { arguments.remove(OFFSET.name) } else { arguments.get(OFFSET.name).cloned() };
        let offset = offset.and_then(|value| value.as_u64()).unwrap_or_default() as usize;
        Self { offset, detail, explain, ..form }
    }
}

/// The earlier form of `detail: full`, which clients may still use.
const INCLUDE_BOXES: &str = "include_boxes";

/// Writes [`INCLUDE_BOXES`] as [`DETAIL`].
pub(crate) fn read_earlier(arguments: &mut Value) {
    let Value::Object(arguments) = arguments else { return };
    if let Some(include) = arguments.remove(INCLUDE_BOXES)
        && (include == true || include == "true")
    {
        arguments.insert(DETAIL.name.into(), "full".into());
    }
}

pub(crate) struct Parameter {
    pub name: &'static str,
    pub schema: fn() -> Value,
}

/// Added to tools whose answers hold passages, excerpts or values with their exact places.
pub(crate) const DETAIL: Parameter = Parameter {
    name: "detail",
    schema: || serde_json::json!({"type": "string", "enum": ["brief", "full"], "description": "full: with boxes"}),
};
/// Added to tools that answer with a list and take no offset themselves.
pub(crate) const OFFSET: Parameter = Parameter {
    name: "offset",
    schema: || {
        serde_json::json!({
            "type": "integer", "default": 0, "minimum": 0, "maximum": 10_000,
            "description": "next_offset of the answer before",
        })
    },
};

/// `shorten` removes the parts that a brief answer does not show.
pub(crate) fn finish<R: Serialize>(
    reply: Reply<R>,
    list: Option<List<R>>,
    shorten: Option<fn(&mut R)>,
    form: Form,
) -> Result<ToolOutput> {
    let Reply { mut response, render } = reply;
    let mut left = None;
    if let Some(list) = list.as_ref().filter(|list| list.adds_offset()) {
        let items = (list.items)(&mut response);
        items.skip(form.offset);
        if let Some(most) = list.most.filter(|most| form.detail == Detail::Brief && *most < items.count()) {
            left = Some(Left { all: form.offset + items.count(), next: form.offset + most });
            items.keep(most);
        }
    }
    if let Some(shorten) = shorten.filter(|_| form.detail == Detail::Brief) {
        shorten(&mut response);
    }
    let at = list.as_ref().map_or(&[][..], |list| list.at);
    let structured = structured_content::content(&response, at, left, form)?;
    let mut text = render(&response);
    match &list {
        Some(list) if text.chars().count() > form.max_chars => {
            text = fewer(&mut response, list, &render, text, form, left);
        }
        _ => text.extend(left.map(|left| Reader::Assistant.more(left.all as u64, left.next as u64))),
    }
    Ok(ToolOutput { text: marks::cap(text, form.max_chars), structured })
}

/// The part of a list that a brief answer leaves for the next call.
#[derive(Clone, Copy)]
struct Left {
    all: usize,
    next: usize,
}

fn fewer<R>(
    response: &mut R,
    list: &List<R>,
    render: &dyn Fn(&R) -> String,
    mut text: String,
    form: Form,
    left: Option<Left>,
) -> String {
    let count = (list.items)(response).count();
    let all = left.map_or(form.offset + count, |left| left.all);
    let mut kept = count;
    while text.chars().count() > form.max_chars && kept > 1 {
        // In proportion to the excess, with room for the line on how to continue.
        let share = (form.max_chars.saturating_sub(200)) as f64 / text.chars().count() as f64;
        kept = ((kept as f64 * share) as usize).clamp(1, kept - 1);
        (list.items)(response).keep(kept);
        let next = form.offset + kept;
        if let Some(field) = list.next {
            *field(response) = Some(next as u64);
        }
        text = render(response);
        if list.next.is_none() {
            text.push_str(&Reader::Assistant.more(all as u64, next as u64));
        }
    }
    text
}
