//! The events by date, as far as documents state the meaning of a date.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use casetrack_core::{DatePrecision, DateValue, DocumentId, EntityType, EntityValue};
use schemars::JsonSchema;
use serde::Serialize;

use super::items::Part;
use super::{Document, DocumentRef, Graph, Place};

/// The importance of a date by a word of its role, 0–1; the first that fits decides. A date with a role of another kind
/// is [`NAMED`], one without any is [`BARE`].
const ROLES: &[(&[&str], f64)] = &[
    (&["birth"], 0.2),
    (&["effective", "termination", "expiration", "hearing", "trial"], 1.0),
    (&["agreement", "signature", "signed", "execution", "closing", "maturity", "filing"], 0.9),
    (&["payment", "due", "deadline", "renewal", "commencement", "delivery", "end", "start"], 0.8),
    (&["amendment", "meeting", "invoice", "notice", "approval", "launch"], 0.7),
    (&["issue", "publication", "revision", "period"], 0.4),
];
const NAMED: f64 = 0.6;
const BARE: f64 = 0.1;
/// Maximum documents that an event names.
const MAX_SOURCES: usize = 10;

#[derive(Debug, Clone, Default)]
pub struct TimelineRequest {
    /// ISO 8601, to the day, month or year: events that end before it are left out.
    pub from: Option<String>,
    /// Events that begin after it are left out. `2023` and `2023-05` include the whole year or month.
    pub to: Option<String>,
    /// Only what these documents state.
    pub documents: Option<HashSet<DocumentId>>,
    /// Only dates whose role contains these words, in any case: "effective" finds "effective date".
    pub role: Option<String>,
    /// Those that matter most are kept.
    pub top_k: usize,
    /// Leave out dates without a role.
    pub with_role_only: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Timeline {
    /// Events of that time, also those that are not listed.
    pub total: u64,
    /// By time; on the same day those that matter more first.
    pub events: Vec<TimelineEvent>,
    /// Dates of that time with two readings, which are no events; by document.
    pub ambiguous: Vec<AmbiguousDate>,
}

/// A date in digits that is one day if its document writes the day first, and another one if the month.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AmbiguousDate {
    /// As a document writes it.
    pub written: String,
    pub date: DateValue,
    pub document: DocumentRef,
}

/// A date in one role, over all documents that state it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TimelineEvent {
    pub date: DateValue,
    /// As a document writes the date.
    pub written: String,
    /// "effective date"; `None` if no text gives the date a role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The role and the documents: "Effective date (Agreement.docx)".
    pub description: String,
    /// 0–1, comparable within a collection.
    pub importance: f64,
    pub mentions: u64,
    /// Documents that state it.
    pub documents: u64,
    /// The first place in each document, those with most mentions first, then by path; ten at most. Left out if it is
    /// only one: that is the event's `source`.
    #[serde(skip_serializing_if = "is_one")]
    pub sources: Vec<EventSource>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EventSource {
    pub document: DocumentRef,
    pub place: Place,
    pub mentions: u32,
}

fn is_one(sources: &[EventSource]) -> bool {
    sources.len() == 1
}

struct Event<'a> {
    date: &'a DateValue,
    written: &'a str,
    sources: Vec<(u32, &'a Document, Place)>,
}

/// True if a role means a document's own date.
pub(super) fn is_of_document(role: &str) -> bool {
    let role = role.to_lowercase();
    ["agreement", "effective", "signature", "execution", "issue", "invoice", "publication", "revision"]
        .iter()
        .any(|own| role.contains(own))
}

impl Graph {
    /// The `top_k` events of a time that matter most, in order of time. Cost: in proportion to the dates of all documents.
    pub fn timeline(&self, request: &TimelineRequest) -> Timeline {
        let mut events: Vec<TimelineEvent> = self.events(request).collect();
        events.sort_by(|a, b| b.importance.total_cmp(&a.importance).then_with(|| order(a).cmp(&order(b))));
        let total = events.len() as u64;
        events.truncate(request.top_k);
        events.sort_by(|a, b| {
            let time = |event: &TimelineEvent| (event.date.first.clone(), Reverse(event.date.last.clone()));
            time(a).cmp(&time(b)).then(b.importance.total_cmp(&a.importance)).then_with(|| order(a).cmp(&order(b)))
        });
        Timeline { total, events, ambiguous: self.ambiguous_dates(request) }
    }

    fn ambiguous_dates(&self, request: &TimelineRequest) -> Vec<AmbiguousDate> {
        let documents = self.walk().filter(|(_, document)| request.admits(document));
        let dates = documents.flat_map(|(_, document)| {
            let dates = document.entities.iter().filter_map(|(_, share)| Some((share, date_of(share)?)));
            let ambiguous =
                dates.filter(|(_, date)| date.precision == DatePrecision::Ambiguous && request.covers(date));
            ambiguous.map(|(share, date)| AmbiguousDate {
                written: share.name.to_string(),
                date: date.clone(),
                document: document.named(),
            })
        });
        dates.collect()
    }

    /// The dates without doubt that documents mention, each as often as there are ways to write it in a document.
    pub fn dates(&self) -> impl Iterator<Item = (DocumentId, &DateValue)> {
        self.walk().flat_map(|(_, document)| {
            let dates = document.entities.iter().filter_map(|(_, share)| date_of(share));
            let certain = dates.filter(|date| date.precision != DatePrecision::Ambiguous);
            certain.map(move |date| (document.info.id, date))
        })
    }

    fn events(&self, request: &TimelineRequest) -> impl Iterator<Item = TimelineEvent> {
        let in_time = |date: &DateValue| request.covers(date);
        let role = request.role.as_ref().map(|role| role.to_lowercase());
        let in_role = |said: &str| role.as_ref().is_none_or(|role| said.contains(role));
        let bare = role.is_none() && !request.with_role_only;
        let mut events: BTreeMap<(&DateValue, Option<String>), Event<'_>> = BTreeMap::new();
        for (_, document) in self.walk().filter(|(_, document)| request.admits(document)) {
            let mut roles = document.roles.iter().peekable();
            for (local, (_, share)) in document.entities.iter().enumerate() {
                let local = local as u32;
                let mut stated = false;
                let Some(date) = date_of(share).filter(|date| date.precision != DatePrecision::Ambiguous) else {
                    while roles.next_if(|note| note.entity <= local).is_some() {}
                    continue;
                };
                let mut add = |role: Option<String>, count: u32, place: Place| {
                    let new = || Event { date, written: &share.name, sources: Vec::new() };
                    let event = events.entry((date, role)).or_insert_with(new);
                    match event.sources.last_mut() {
                        // Two spellings of one role.
                        Some(last) if last.1.info.id == document.info.id => last.0 += count,
                        _ => event.sources.push((count, document, place)),
                    }
                };
                while let Some(note) = roles.next_if(|note| note.entity <= local) {
                    if note.entity != local || !in_time(date) {
                        continue;
                    }
                    stated = true;
                    let said = note.role.to_lowercase();
                    if in_role(&said) {
                        add(Some(said), note.count, document.place(note.first));
                    }
                }
                if !stated && bare && in_time(date) {
                    // Its other mentions show only that it occurs.
                    if let Some(place) = document.first_mention(local) {
                        add(None, share.count, place);
                    }
                }
            }
        }
        events.into_iter().map(|((_, role), event)| event.finish(role))
    }
}

impl TimelineRequest {
    /// True for a date of the time that is asked for.
    fn covers(&self, date: &DateValue) -> bool {
        let after = self.from.as_ref().is_none_or(|from| date.last >= *from);
        // Days of which a month or a year is the beginning come after it, and before "~".
        after && self.to.as_deref().is_none_or(|to| date.first <= format!("{to}~"))
    }

    fn admits(&self, document: &Document) -> bool {
        self.documents.as_ref().is_none_or(|wanted| wanted.contains(&document.info.id))
    }
}

fn date_of(share: &Part<EntityType>) -> Option<&DateValue> {
    match share.value.as_deref() {
        Some(EntityValue::Date(date)) if share.kind == EntityType::Date => Some(date),
        _ => None,
    }
}

impl Event<'_> {
    fn finish(mut self, role: Option<String>) -> TimelineEvent {
        // Stable: by path if the counts are the same.
        self.sources.sort_by_key(|(count, ..)| Reverse(*count));
        let documents = self.sources.len();
        let names = match &self.sources[..] {
            [(_, one, _)] => one.info.name.clone(),
            [(_, first, _), rest @ ..] if rest.len() == 1 => format!("{} and {}", first.info.name, rest[0].1.info.name),
            [(_, first, _), rest @ ..] => format!("{} and {} others", first.info.name, rest.len()),
            [] => String::new(),
        };
        let said = role.as_deref().map_or_else(|| "Mentioned".to_owned(), capitalised);
        let sources = self.sources.iter().take(MAX_SOURCES);
        TimelineEvent {
            date: self.date.clone(),
            written: self.written.to_owned(),
            description: format!("{said} ({names})"),
            importance: importance(role.as_deref(), self.date.precision, documents),
            role,
            mentions: self.sources.iter().map(|(count, ..)| u64::from(*count)).sum(),
            documents: documents as u64,
            sources: sources
                .map(|(mentions, document, place)| EventSource {
                    document: document.named(),
                    place: *place,
                    mentions: *mentions,
                })
                .collect(),
        }
    }
}

/// The role decides; exact dates and dates of several documents come before others in the same role.
fn importance(role: Option<&str>, precision: DatePrecision, documents: usize) -> f64 {
    let by_role = role.map_or(BARE, |role| {
        let has = |words: &[&str]| role.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word));
        ROLES.iter().find(|(words, _)| has(words)).map_or(NAMED, |(_, weight)| *weight)
    });
    let by_precision = match precision {
        DatePrecision::Day => 1.0,
        DatePrecision::Month => 0.9,
        DatePrecision::Range | DatePrecision::Quarter => 0.8,
        DatePrecision::Year | DatePrecision::Ambiguous => 0.6,
    };
    // 0.8 for one document, 0.9 for two, towards 1 for many.
    let by_documents = 1.0 - 0.2 / documents.max(1) as f64;
    by_role * by_precision * by_documents
}

fn order(event: &TimelineEvent) -> (Reverse<u64>, &DateValue, &Option<String>) {
    (Reverse(event.mentions), &event.date, &event.role)
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
