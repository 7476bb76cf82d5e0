use std::collections::BTreeMap;
use std::sync::Arc;

use casetrack_core::{
    Annotations, DocumentId, DocumentMeta, DocumentType, EntityType, PlacedMention, ReferenceKind, Relation,
};
use casetrack_nlp::languages::{Language, Ruleset};

use super::fold::fold;
use super::items::Share;
use super::kmeans::mean;
use super::versions::VersionName;

/// The part of one document that the graph keeps, made by [`DocumentNode::new`] and given to [`Graph::add`](super::Graph::add).
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentNode {
    pub(super) info: DocumentInfo,
    /// By type and key.
    pub(super) entities: Vec<Share<EntityType>>,
    pub(super) postings: Postings,
    /// By entity and role.
    pub(super) roles: Vec<RoleNote>,
    /// By kind and key.
    pub(super) references: Vec<Share<ReferenceKind>>,
    /// By reference and place.
    pub(super) citations: Vec<Citation>,
    /// Of length 1.
    pub(super) centroid: Option<Vec<f32>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct DocumentInfo {
    pub id: DocumentId,
    pub name: String,
    pub path: Arc<str>,
    pub title: Option<String>,
    pub document_type: DocumentType,
    pub pages: u32,
    /// By whose rules its dates and amounts were read; `None` for English.
    pub language: Option<Language>,
    /// Name without extension and title, each as far as it identifies the document and its version.
    pub names: Vec<VersionName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    pub chunk: u32,
    pub start: u32,
    pub length: u16,
}

/// An entity in a chunk. Twelve bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting {
    /// Place in the document's list of entities.
    pub entity: u32,
    /// The first mention that no earlier chunk has; the first of all if there is none.
    pub start: u32,
    pub length: u16,
    /// Mentions that no earlier chunk has, so that a mention in the overlap of two chunks is counted once: 0 if all do.
    pub count: u16,
}

/// The entities of each chunk, by their place in the document's list.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Postings {
    /// The ends of each chunk's postings.
    ends: Vec<u32>,
    postings: Vec<Posting>,
}

impl Postings {
    pub fn chunks(&self) -> usize {
        self.ends.len()
    }

    pub fn len(&self) -> usize {
        self.postings.len()
    }

    pub fn chunk(&self, chunk: usize) -> &[Posting] {
        let start = if chunk == 0 { 0 } else { self.ends[chunk - 1] as usize };
        &self.postings[start..self.ends[chunk] as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &[Posting])> {
        (0..self.chunks()).map(|chunk| (chunk as u32, self.chunk(chunk)))
    }

    /// The chunks that mention an entity, in order.
    pub fn of(&self, entity: u32) -> impl Iterator<Item = (u32, Posting)> + '_ {
        self.iter().filter_map(move |(chunk, postings)| Some((chunk, find(postings, entity)?)))
    }
}

/// An entity's posting in one chunk.
pub(super) fn find(postings: &[Posting], entity: u32) -> Option<Posting> {
    postings.binary_search_by_key(&entity, |posting| posting.entity).ok().map(|at| postings[at])
}

/// A role that a document gives an entity, and the first place at which it does so.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RoleNote {
    pub entity: u32,
    pub role: String,
    pub count: u32,
    pub first: Span,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Citation {
    /// Place in the document's list of references.
    pub reference: u32,
    pub place: Span,
    pub relation: Option<Relation>,
}

/// A chunk's characters on its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkRange {
    /// From 1.
    pub page: u32,
    /// Half-open.
    pub char_start: u32,
    pub char_end: u32,
}

impl DocumentNode {
    /// The node of a document. `chunks` are its chunks in order, `centroid` is the result of [`centroid`] for their E1
    /// vectors. Mentions that belong to no entity or are outside all chunks are left out. Cost: linear in the
    /// annotations, times the logarithm of the chunks.
    pub fn new(
        meta: &DocumentMeta,
        chunks: &[ChunkRange],
        annotations: &Annotations,
        centroid: Option<Vec<f32>>,
    ) -> Self {
        let places = Places(chunks);
        let (entities, postings, roles) = entities(&places, annotations);
        let (references, citations) = references(&places, annotations);
        let stem = without_extension(&meta.name);
        let names = [Some(stem), meta.title.as_deref()].into_iter().flatten().filter_map(VersionName::parse).collect();
        let info = DocumentInfo {
            id: meta.id,
            name: meta.name.clone(),
            path: meta.path.as_str().into(),
            title: meta.title.clone(),
            document_type: meta.document_type,
            pages: meta.page_count,
            language: Ruleset::of(meta.properties.language.as_deref()).rules(),
            names,
        };
        Self { info, entities, postings, roles, references, citations, centroid: centroid.and_then(unit) }
    }
}

type Mentioned<'a> = (&'a PlacedMention, Vec<u32>);
/// A citation with the name it uses.
type Cited<'a> = (&'a str, Span, Option<Relation>);

fn entities(places: &Places<'_>, annotations: &Annotations) -> (Vec<Share<EntityType>>, Postings, Vec<RoleNote>) {
    // By type and key, so that nothing depends on the order in which the analysis lists them.
    let mut by_key: BTreeMap<(EntityType, &str), Vec<Mentioned<'_>>> = BTreeMap::new();
    for mention in &annotations.mentions {
        let Some(entity) = annotations.entities.get(mention.entity as usize) else { continue };
        let chunks = places.chunks(mention.page, mention.char_start, mention.char_end);
        if !chunks.is_empty() {
            by_key.entry((entity.entity_type, &entity.key)).or_default().push((mention, chunks));
        }
    }
    let mut entities = Vec::with_capacity(by_key.len());
    let mut by_chunk: Vec<Vec<Posting>> = vec![Vec::new(); places.0.len()];
    let mut roles: BTreeMap<(u32, &str), RoleNote> = BTreeMap::new();
    for (place, ((entity_type, key), mentions)) in by_key.iter().enumerate() {
        let place = place as u32;
        let local = mentions
            .iter()
            .filter_map(|(mention, _)| annotations.entities.get(mention.entity as usize))
            .min_by_key(|entity| (std::cmp::Reverse(entity.name.chars().count()), &entity.name));
        let mut in_chunks = 0;
        for (mention, chunks) in mentions {
            let length = length(mention.char_start, mention.char_end);
            for (i, &chunk) in chunks.iter().enumerate() {
                let posting = Posting { entity: place, start: mention.char_start, length, count: u16::from(i == 0) };
                in_chunks += u32::from(add_mention(&mut by_chunk[chunk as usize], posting));
            }
            let role = mention.role.as_deref().map(str::trim).filter(|role| !role.is_empty());
            if let Some(role) = role {
                let first = Span { chunk: chunks[0], start: mention.char_start, length };
                let new = || RoleNote { entity: place, role: role.to_owned(), count: 0, first };
                roles.entry((place, role)).or_insert_with(new).count += 1;
            }
        }
        entities.push(Share {
            kind: *entity_type,
            key: Arc::from(*key),
            name: Arc::from(local.map_or(*key, |entity| entity.name.as_str())),
            aliases: local.into_iter().flat_map(|entity| &entity.aliases).map(|alias| alias.as_str().into()).collect(),
            value: local.and_then(|entity| entity.value.clone()).map(Box::new),
            confidence: local.map_or(0, |entity| entity.confidence),
            count: mentions.len() as u32,
            chunks: in_chunks,
        });
    }
    let mut postings = Postings::default();
    for chunk in by_chunk {
        postings.postings.extend(chunk);
        postings.ends.push(postings.postings.len() as u32);
    }
    (entities, postings, roles.into_values().collect())
}

/// Adds a mention to the postings of a chunk. True if the chunk has no other one of its entity.
fn add_mention(postings: &mut Vec<Posting>, mention: Posting) -> bool {
    let Some(last) = postings.last_mut().filter(|last| last.entity == mention.entity) else {
        postings.push(mention);
        return true;
    };
    if last.count == 0 && mention.count > 0 {
        (last.start, last.length) = (mention.start, mention.length);
    }
    last.count = last.count.saturating_add(mention.count);
    false
}

fn references(places: &Places<'_>, annotations: &Annotations) -> (Vec<Share<ReferenceKind>>, Vec<Citation>) {
    let mut by_key: BTreeMap<(ReferenceKind, String), Vec<Cited<'_>>> = BTreeMap::new();
    for placed in &annotations.references {
        let reference = &placed.reference;
        let chunks = places.chunks(placed.page, reference.char_start, reference.char_end);
        let Some(&chunk) = chunks.first() else { continue };
        let place =
            Span { chunk, start: reference.char_start, length: length(reference.char_start, reference.char_end) };
        let citations = by_key.entry((reference.kind, fold(&reference.name))).or_default();
        citations.push((&reference.name, place, reference.relation));
    }
    let (mut references, mut all) = (Vec::with_capacity(by_key.len()), Vec::new());
    for (number, ((kind, key), mut citations)) in by_key.into_iter().enumerate() {
        citations.sort_unstable_by_key(|&(name, place, relation)| (place, relation, name));
        let name = citations.iter().map(|(name, _, _)| *name).min().unwrap_or_default();
        let mut chunks: Vec<u32> = citations.iter().map(|(_, place, _)| place.chunk).collect();
        chunks.dedup();
        references.push(Share {
            aliases: Vec::new(),
            kind,
            key: key.into(),
            name: name.into(),
            value: None,
            confidence: 100,
            count: citations.len() as u32,
            chunks: chunks.len() as u32,
        });
        all.extend(citations.into_iter().map(|(_, place, relation)| Citation {
            reference: number as u32,
            place,
            relation,
        }));
    }
    (references, all)
}

struct Places<'a>(&'a [ChunkRange]);

impl Places<'_> {
    /// The chunks that hold the whole span, in order; else the one that holds its beginning.
    fn chunks(&self, page: u32, start: u32, end: u32) -> Vec<u32> {
        let first = self.0.partition_point(|chunk| (chunk.page, chunk.char_end) < (page, end));
        let holds = |chunk: &&ChunkRange| chunk.page == page && chunk.char_start <= start && chunk.char_end >= end;
        let whole = self.0[first..].iter().take_while(holds).count();
        if whole > 0 {
            return (first as u32..(first + whole) as u32).collect();
        }
        let after = self.0.partition_point(|chunk| (chunk.page, chunk.char_start) <= (page, start));
        let last = after.checked_sub(1).filter(|&at| self.0[at].page == page && start < self.0[at].char_end);
        last.map(|at| at as u32).into_iter().collect()
    }
}

fn length(start: u32, end: u32) -> u16 {
    end.saturating_sub(start).min(u32::from(u16::MAX)) as u16
}

pub(super) fn without_extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        // The part after the point of "v2.1 final" is not an extension.
        Some((stem, extension))
            if !stem.is_empty()
                && (1..=5).contains(&extension.len())
                && extension.chars().all(|c| c.is_ascii_alphanumeric())
                && extension.starts_with(|c: char| c.is_ascii_alphabetic()) =>
        {
            stem
        }
        _ => name,
    }
}

/// The centroid of a document, from the vectors of its chunks in order; `None` if there are none.
pub fn centroid<'a>(vectors: impl Iterator<Item = &'a [f32]>) -> Option<Vec<f32>> {
    unit(mean(vectors))
}

/// The vector at length 1; none if it has no length.
fn unit(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !length.is_normal() {
        return None;
    }
    vector.iter_mut().for_each(|x| *x /= length);
    Some(vector)
}
