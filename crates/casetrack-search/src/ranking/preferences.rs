//! Passages that a query prefers in addition to its matches: those of documents that it names, those with words that it quotes, and the beginnings of
//! documents for questions about these.
//!
//! A preference adds to the fused score and excludes nothing.

use std::collections::HashSet;
use std::sync::Arc;

use casetrack_core::{DocumentId, Result};
use casetrack_nlp::languages::Ruleset;
use casetrack_store::{Collection, Filter, Selection};

use super::fusion::{self, Candidate};
use crate::quantity::{self, Comparison};
use crate::{cover, literal, route, section};

/// The most that each preference adds to a score of 0–1.
const NAMED: f32 = 0.5;
const LITERAL: f32 = 0.6;
const BEGINNING: f32 = 0.8;
const COMPARED: f32 = 0.75;
/// The highest score with compared quantities, if the highest score without them is 1.
pub(crate) const WITH_COMPARED: f32 = 1.0 + COMPARED;
/// The best candidates, whose texts are read for quantities.
const READ: usize = 200;
const MAX_NAMES: usize = 3;

pub(crate) struct Preferred {
    pub stage: &'static str,
    pub filter: Filter,
    pub most: f32,
    /// The share of it that a chunk gets, 0–1.
    pub share: Box<dyn Fn(DocumentId, u32) -> f32>,
    /// True if chunks are compared only with each other.
    pub apart: bool,
}

impl Preferred {
    /// A preference whose chunks are compared with all others.
    fn new(stage: &'static str, filter: Filter, most: f32, share: impl Fn(DocumentId, u32) -> f32 + 'static) -> Self {
        Self { stage, filter, most, share: Box::new(share), apart: false }
    }
}

pub(crate) struct Preferences {
    /// The query without the names of the documents that it names.
    pub asked: String,
    pub preferred: Vec<Preferred>,
    pub comparisons: Vec<Comparison>,
}

impl Preferences {
    /// The preferences of a query that searches `selection` (`None` for all), with its quoted `phrases`. Notices report the preferences.
    pub fn of(
        collection: &Collection,
        query: &str,
        mut phrases: Vec<String>,
        selection: Option<&Arc<Selection>>,
        notices: &mut Vec<String>,
    ) -> Result<Self> {
        let mut preferred = Vec::new();
        let searched: Option<HashSet<DocumentId>> = selection.map(|selection| selection.document_ids().collect());
        let mut meant: Option<Vec<DocumentId>> = searched.as_ref().map(|searched| searched.iter().copied().collect());
        let mut asked = query.to_owned();
        if let Some(route) = route::route(collection, query, searched.as_ref())? {
            asked = route.rest.clone().unwrap_or(asked);
            let documents: Vec<DocumentId> = route.documents.iter().map(|(document, _)| *document).collect();
            meant = Some(documents.clone());
            if searched.as_ref().is_none_or(|searched| searched.len() > 1) {
                notices.extend(named(collection, &route)?);
                preferred.push(Preferred {
                    stage: "documents that the query names",
                    filter: Filter { selection: selection.cloned(), documents: Some(documents) },
                    most: NAMED,
                    share: Box::new(move |document, _| route.how_well(document)),
                    apart: true,
                });
            }
        }
        // Phrases that name a document are not required of its passages.
        phrases.retain(|phrase| asked.contains(phrase.as_str()));
        let comparisons = quantity::comparisons(&asked);
        // Their numbers are bounds, which the passages need not have.
        let exact = quantity::without(&asked, &comparisons);
        if let Some(literals) = literal::literals(collection, &exact, &phrases, selection, notices)? {
            let filter = literals.filter.clone();
            let weight = move |document, index| literals.weight(document, index);
            preferred.push(Preferred::new("quoted words and numbers", filter, LITERAL, weight));
        }
        if let Some(section::Sections { most, weights }) = section::sections(collection, &exact, meant.as_deref())? {
            let filter = literal::only(collection, weights.keys(), selection)?;
            let weight = move |document, index| weights.get(&(document, index)).copied().unwrap_or(0.0);
            preferred.push(Preferred::new("cited sections", filter, most, weight));
        }
        if cover::asks(&asked)
            && let Some(filter) = cover::beginnings(collection, meant.as_deref(), selection.map(AsRef::as_ref))?
        {
            preferred
                .push(Preferred::new("beginnings of documents", filter, BEGINNING, |_, index| cover::share(index)));
        }
        Ok(Self { asked, preferred, comparisons })
    }

    /// The most that all of them add, without comparisons.
    pub fn most(&self) -> f32 {
        self.preferred.iter().map(|preferred| preferred.most).sum()
    }
}

/// Prefers those of the best candidates whose texts have quantities that the comparisons admit.
pub(crate) fn compared(
    collection: &Collection,
    comparisons: &[Comparison],
    mut candidates: Vec<Candidate>,
) -> Result<Vec<Candidate>> {
    let mut passages = collection.passages();
    for (rank, candidate) in candidates.iter_mut().enumerate() {
        let mut bonus = 0.0;
        if rank < READ
            && let Some(passage) = passages.at(candidate.document, candidate.index)?
        {
            let text = passage.chunk.searchable_text();
            let language = Ruleset::of(passage.document.meta.properties.language.as_deref()).rules();
            let admitted = comparisons.iter().filter(|comparison| comparison.satisfied_by(&text, language)).count();
            bonus = COMPARED * admitted as f32 / comparisons.len().max(1) as f32;
        }
        candidate.add(bonus, WITH_COMPARED);
    }
    fusion::sort(&mut candidates);
    Ok(candidates)
}

fn named(collection: &Collection, route: &route::Route) -> Result<Option<String>> {
    let best = route.documents.iter().filter(|(_, how_well)| *how_well > 0.99).take(MAX_NAMES + 1);
    let mut names = Vec::new();
    for (document, _) in best {
        // The name of a file may have a line break.
        names.extend(collection.document(*document)?.map(|meta| meta.name.replace(char::is_control, " ")));
    }
    Ok(match names.as_slice() {
        [] => None,
        names if names.len() > MAX_NAMES => None,
        names => Some(format!("The query names {}; its passages come first.", names.join(" and "))),
    })
}
