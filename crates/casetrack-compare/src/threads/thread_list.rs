//! The threads of a collection with their messages.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use casetrack_core::{CollectionId, DocumentId, Error, Result, single_spaced};
use casetrack_store::CatalogueEntry;
use schemars::JsonSchema;
use serde::Serialize;

use super::forest::{Forest, ThreadLink};
use super::header_links::linked;
use super::heuristics::guess;
use super::message::{Message, address};
use super::sources::{Source, sources};
use casetrack_host::documents::facts::ByVersion;
use casetrack_host::documents::{document_named, shared_names};
use casetrack_host::paging::{Paging, Part};
use casetrack_host::{Host, OpenCollection, lock};

/// Most messages listed of one thread.
pub const MAX_LISTED: usize = 500;
/// Most people listed of one thread.
const MAX_PEOPLE: usize = 50;
/// Most attachments, copies and quotations listed of one message.
const MAX_BESIDE: usize = 50;

/// The threads to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadQuery {
    /// Only the thread of the message with this name or id, or of the message that this document is attached to.
    pub document: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ThreadReport {
    pub collection: String,
    /// Messages in the collection, copies included.
    pub messages: u64,
    /// Threads, also those that are not listed. A single message is one, too.
    pub total: u64,
    /// The one with the latest message first.
    pub threads: Vec<MailThread>,
    /// The offset to continue with; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// Messages that answer and forward one another.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MailThread {
    /// That of the first message, without `Re:` and the like.
    pub subject: String,
    /// Everyone who sent or got a message, in the order of the messages, as they are first named.
    pub participants: Vec<String>,
    /// ISO 8601, as the messages state it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_date: Option<String>,
    /// Messages of the thread, also those that are not listed.
    pub total: u64,
    /// Messages that others refer to and that the collection does not have.
    #[serde(skip_serializing_if = "is_zero")]
    pub missing: u64,
    /// Each is followed by those that answer it.
    pub messages: Vec<ThreadMessage>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A message in its thread.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ThreadMessage {
    /// 0 for the first one, 1 for those that answer it.
    pub depth: u32,
    /// How it is known that it answers the one above it with one depth less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linked_by: Option<ThreadLink>,
    /// The id of a message that others refer to and that the collection does not have. It has nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_name: Option<String>,
    /// Present if another document has the same name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The place of sender, date and subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// ISO 8601, as the message states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Documents attached to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<String>,
    /// Paths of other documents with the same message.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
    /// Words of its own, without headers and quotations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_words: Option<u32>,
    /// Its quotations of other messages of the collection.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<QuotedMessage>,
    /// Words that it quotes and that no message of the collection has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quoted_elsewhere: Option<u32>,
}

/// A message that another one quotes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QuotedMessage {
    pub document_name: String,
    /// The place of its sender, date and subject.
    pub citation: String,
    /// Words that are quoted.
    pub words: u32,
}

type Versions = Vec<(DocumentId, u64)>;

#[derive(Default)]
struct ThreadCache(Mutex<Option<(Versions, Arc<ThreadIndex>)>>);

struct ThreadIndex {
    entries: Vec<Arc<CatalogueEntry>>,
    messages: Vec<Arc<Message>>,
    sources: Vec<Vec<Source>>,
    forest: Forest,
    /// The latest first.
    trees: Vec<Vec<(usize, u32)>>,
}

fn found(collection: &OpenCollection, catalogue: &[Arc<CatalogueEntry>]) -> Result<Arc<ThreadIndex>> {
    let known = collection.derived::<ThreadCache>();
    let entries: Vec<Arc<CatalogueEntry>> =
        catalogue.iter().filter(|entry| entry.format.is_message()).cloned().collect();
    let ids: Vec<DocumentId> = entries.iter().map(|entry| entry.id).collect();
    let wanted: HashSet<DocumentId> = ids.iter().copied().collect();
    let mut versions = collection.versions();
    versions.retain(|(document, _)| wanted.contains(document));
    versions.sort_unstable();
    if let Some((_, found)) = lock(&known.0).as_ref().filter(|(as_of, _)| *as_of == versions) {
        return Ok(Arc::clone(found));
    }
    let messages = collection.derived::<ByVersion<Message>>();
    let messages = messages.of(collection, &ids, |document| Message::read(collection, document))?;
    let messages: Vec<Arc<Message>> = messages.into_iter().map(|(_, message)| message).collect();
    let found = Arc::new(ThreadIndex::new(entries, messages));
    *lock(&known.0) = Some((versions, Arc::clone(&found)));
    Ok(found)
}

impl ThreadIndex {
    fn new(entries: Vec<Arc<CatalogueEntry>>, messages: Vec<Arc<Message>>) -> Self {
        let all: Vec<&Message> = messages.iter().map(Arc::as_ref).collect();
        let sources = sources(&all);
        let (mut forest, node_of) = linked(&all);
        guess(&mut forest, &all, &sources, &node_of);
        let mut trees = forest.trees();
        let last = |tree: &[(usize, u32)]| tree.iter().filter_map(|&(at, _)| forest.nodes[at].time).max();
        trees.sort_by_key(|tree| {
            let first = tree.iter().find_map(|&(at, _)| forest.nodes[at].messages.first().copied());
            (std::cmp::Reverse(last(tree)), first)
        });
        Self { entries, messages, sources, forest, trees }
    }

    fn citation(&self, message: usize) -> String {
        format!("{}, {}", self.entries[message].name, self.messages[message].place)
    }

    fn thread(&self, tree: &[(usize, u32)], catalogue: &[Arc<CatalogueEntry>], names: &HashSet<&str>) -> MailThread {
        let there: Vec<usize> =
            tree.iter().filter_map(|&(at, _)| self.forest.nodes[at].messages.first().copied()).collect();
        let (mut seen, mut participants) = (HashSet::new(), Vec::new());
        for person in there.iter().flat_map(|&at| self.messages[at].people()) {
            if participants.len() < MAX_PEOPLE && seen.insert(address(person)) {
                participants.push(person.to_owned());
            }
        }
        let dated = || there.iter().map(|&at| &self.messages[at]).filter(|message| message.time.is_some());
        let subject = there.first().and_then(|&at| self.messages[at].headers.subject.as_deref()).unwrap_or_default();
        MailThread {
            subject: bare(subject),
            participants,
            first_date: dated().min_by_key(|message| message.time).and_then(|message| message.date.clone()),
            last_date: dated().max_by_key(|message| message.time).and_then(|message| message.date.clone()),
            total: there.len() as u64,
            missing: (tree.len() - there.len()) as u64,
            messages: tree
                .iter()
                .take(MAX_LISTED)
                .map(|&(at, depth)| self.message(at, depth, catalogue, names))
                .collect(),
        }
    }

    fn message(
        &self,
        node: usize,
        depth: u32,
        catalogue: &[Arc<CatalogueEntry>],
        names: &HashSet<&str>,
    ) -> ThreadMessage {
        let node = &self.forest.nodes[node];
        let mut listed = ThreadMessage {
            depth,
            linked_by: node.parent.map(|(_, link)| link),
            missing: None,
            document_name: None,
            path: None,
            citation: None,
            from: None,
            date: None,
            attachments: Vec::new(),
            copies: Vec::new(),
            own_words: None,
            quotes: Vec::new(),
            quoted_elsewhere: None,
        };
        let Some((&at, copies)) = node.messages.split_first() else {
            listed.missing = Some(node.id.clone().unwrap_or_default());
            return listed;
        };
        let (entry, message) = (&self.entries[at], &self.messages[at]);
        listed.path = names.contains(entry.name.as_str()).then(|| entry.path.clone());
        listed.document_name = Some(entry.name.clone());
        listed.citation = Some(self.citation(at));
        listed.from = message.from.clone();
        listed.date = message.date.clone();
        listed.copies = copies.iter().take(MAX_BESIDE).map(|&copy| self.entries[copy].path.clone()).collect();
        listed.attachments = attachments(entry, catalogue);
        listed.own_words = Some(message.own.words);
        let mut elsewhere = 0u32;
        for source in &self.sources[at] {
            match source.message {
                None => elsewhere = elsewhere.saturating_add(source.words),
                Some(quoted) => {
                    let citation = self.citation(quoted);
                    let known = listed.quotes.iter().position(|quote| quote.citation == citation);
                    if let Some(known) = known {
                        listed.quotes[known].words = listed.quotes[known].words.saturating_add(source.words);
                    } else if listed.quotes.len() < MAX_BESIDE {
                        let document_name = self.entries[quoted].name.clone();
                        listed.quotes.push(QuotedMessage { document_name, citation, words: source.words });
                    }
                }
            }
        }
        listed.quoted_elsewhere = (elsewhere > 0).then_some(elsewhere);
        listed
    }
}

/// A subject as written, without the prefixes of replies.
fn bare(subject: &str) -> String {
    let folded = single_spaced(subject);
    let base = crate::mail::subject::Subject::parse(&folded).base;
    if base.is_empty() {
        return base;
    }
    let start = folded.char_indices().map(|(at, _)| at).find(|&at| folded[at..].to_lowercase().starts_with(&base));
    start.map_or_else(|| folded.clone(), |at| folded[at..].to_owned())
}

/// Names of the documents right inside a message. `catalogue` is in the order of paths.
fn attachments(entry: &CatalogueEntry, catalogue: &[Arc<CatalogueEntry>]) -> Vec<String> {
    let folder = format!("{}/", entry.path);
    let start = catalogue.partition_point(|other| other.path.as_str() < folder.as_str());
    let inside = catalogue[start..].iter().take_while(|other| other.path.starts_with(&folder));
    let is_attached = |other: &&Arc<CatalogueEntry>| !other.path[folder.len()..].contains('/');
    inside.filter(is_attached).take(MAX_BESIDE).map(|other| other.name.clone()).collect()
}

/// The threads of the messages of a collection. The first call reads all messages, on several threads; later ones read
/// those that changed, and find all threads again if some did.
///
/// Errors: [`ErrorCode::NotFound`](casetrack_core::ErrorCode::NotFound) for a document that does not exist;
/// [`ErrorCode::InvalidArgument`](casetrack_core::ErrorCode::InvalidArgument) for one that is neither a message nor attached to one.
pub fn threads(host: &Host, id: CollectionId, query: &ThreadQuery, paging: Paging) -> Result<ThreadReport> {
    let collection = host.collection(id)?;
    let catalogue = collection.catalogue()?;
    let wanted = match &query.document {
        Some(name) => Some(document_named(&collection, name)?),
        None => None,
    };
    let found = found(&collection, &catalogue)?;
    let mut trees: Vec<&Vec<(usize, u32)>> = found.trees.iter().collect();
    if let Some(wanted) = wanted {
        let holds = |entry: &CatalogueEntry| {
            let rest = wanted.path.strip_prefix(entry.path.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // The innermost one, if a message is attached to another.
        let message = (0..found.entries.len())
            .filter(|&at| holds(&found.entries[at]))
            .max_by_key(|&at| found.entries[at].path.len());
        let Some(message) = message else {
            let hint = "Name an e-mail, or a document that is attached to one.";
            return Err(Error::invalid(format!("{} is not an e-mail.", wanted.name)).with_hint(hint));
        };
        trees.retain(|tree| tree.iter().any(|&(at, _)| found.forest.nodes[at].messages.contains(&message)));
    }
    let names = shared_names(&catalogue);
    let Part { items, total, next_offset } = paging.of(trees);
    let threads = items.into_iter().map(|tree| found.thread(tree, &catalogue, &names)).collect();
    let mut notices = Vec::new();
    let without = found.messages.iter().filter(|message| !message.has_headers).count();
    if without > 0 {
        notices.push(format!(
            "{without} of the messages were ingested by an earlier version, without their ids: their threads are \
             found by subjects and quotations. To add the ids, ingest the messages again, even if they have not \
             changed."
        ));
    }
    Ok(ThreadReport {
        collection: collection.meta().name.clone(),
        messages: found.messages.len() as u64,
        total,
        threads,
        next_offset,
        notices,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_shown_as_written() {
        assert_eq!(bare("Re: AW:  Lease of the Mill"), "Lease of the Mill");
        assert_eq!(bare("Lease"), "Lease");
        assert_eq!(bare("Re:"), "");
    }
}
