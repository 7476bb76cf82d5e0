//! The contracts whose facts answer a question: all wordings of a question for a kind of clause find the same contracts.

use std::collections::HashMap;
use std::ops::Range;

use casetrack_core::{CitationStyle, DocumentId, Result};
use casetrack_host::OpenCollection;
use casetrack_host::documents::chunks::{self, ChunkView};
use casetrack_host::documents::facts::{CitedFact, DocumentFacts, of_documents};
use casetrack_nlp::FactKind;

/// The value of a clause that a contract denies.
const DENIED: &str = "no";

/// The statement of a contract about a kind of clause.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Statement {
    Says(StatementPlace),
    StatesTheContrary(StatementPlace),
    Nothing,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct StatementPlace {
    page: u32,
    /// Characters of the page.
    chars: Range<u32>,
    /// The probability that the contract states it, 0–1.
    pub probability: f32,
}

impl Statement {
    /// The place that a row shows.
    pub fn place(&self) -> Option<&StatementPlace> {
        match self {
            Self::Says(place) | Self::StatesTheContrary(place) => Some(place),
            Self::Nothing => None,
        }
    }
}

/// The statements of these contracts about any of these kinds of facts. A contract in which the model of clauses finds none at all has no entry.
pub(super) fn statements(
    collection: &OpenCollection,
    contracts: &[DocumentId],
    kinds: &[FactKind],
) -> Result<HashMap<DocumentId, Statement>> {
    if kinds.is_empty() {
        return Ok(HashMap::new());
    }
    let known = of_documents(collection, contracts)?;
    Ok(known.into_iter().filter_map(|(document, facts)| Some((document, statement(&facts, kinds)?))).collect())
}

fn statement(facts: &DocumentFacts, kinds: &[FactKind]) -> Option<Statement> {
    let all = facts.facts.iter().chain(&facts.unsure);
    let is_read = all.map(|cited| cited.fact.kind).any(|kind| matches!(kind, FactKind::Clause(_)));
    if !is_read {
        return None;
    }
    let of_kind = || facts.facts.iter().filter(|cited| kinds.contains(&cited.fact.kind));
    let is_denied = |cited: &&CitedFact| matches!(cited.fact.kind, FactKind::Clause(_)) && cited.fact.value == DENIED;
    // Of facts that are equally sure, the first.
    let surest = |best: &CitedFact, next: &CitedFact| next.fact.confidence > best.fact.confidence;
    let says =
        of_kind().filter(|cited| !is_denied(cited)).reduce(|best, next| if surest(best, next) { next } else { best });
    Some(match (says, of_kind().find(is_denied)) {
        (Some(says), _) => Statement::Says(place(says)),
        (None, Some(denies)) => Statement::StatesTheContrary(place(denies)),
        (None, None) => Statement::Nothing,
    })
}

fn place(cited: &CitedFact) -> StatementPlace {
    let fact = &cited.fact;
    let probability = f32::from(fact.confidence) / 100.0;
    StatementPlace { page: fact.page, chars: fact.char_start..fact.char_end, probability }
}

/// The passage with most of a place, and the place in characters of the passage; `None` if the document has changed.
pub(super) fn passage(
    collection: &OpenCollection,
    document: DocumentId,
    place: &StatementPlace,
    style: &CitationStyle,
) -> Result<Option<(ChunkView, Range<usize>)>> {
    let shared = |start: u32, end: u32| end.min(place.chars.end).saturating_sub(start.max(place.chars.start));
    let spans = collection.chunk_spans(document)?;
    let on_page = spans.iter().filter(|span| span.page == place.page);
    // Of passages with equal shares, the first.
    let best = on_page.rev().max_by_key(|span| shared(span.char_start, span.char_end));
    let Some(span) = best.filter(|span| shared(span.char_start, span.char_end) > 0) else { return Ok(None) };
    let Some(passage) = collection.passages().at(document, span.index)? else { return Ok(None) };
    let within = |at: u32| at.clamp(span.char_start, span.char_end).saturating_sub(span.char_start) as usize;
    Ok(Some((chunks::view(passage, style), within(place.chars.start)..within(place.chars.end))))
}

#[cfg(test)]
mod tests {
    use casetrack_host::documents::facts::CitedPlace;
    use casetrack_nlp::{Clause, Fact};

    use super::*;

    fn cited(kind: FactKind, value: &str, char_start: u32, confidence: u8) -> CitedFact {
        let fact = Fact {
            kind,
            value: value.to_owned(),
            computed: None,
            page: 2,
            char_start,
            char_end: char_start + 9,
            confidence,
            stated: None,
        };
        let place = CitedPlace { place: "p. 2".to_owned(), page: 2, char_start, char_end: char_start + 9 };
        CitedFact { fact, place }
    }

    fn found(start: u32, confidence: u8) -> StatementPlace {
        StatementPlace { page: 2, chars: start..start + 9, probability: f32::from(confidence) / 100.0 }
    }

    #[test]
    fn a_contract_says_a_clause_or_the_contrary_or_nothing() {
        let audit = FactKind::Clause(Clause::Audit);
        let exclusive = FactKind::Clause(Clause::Exclusivity);
        let facts = DocumentFacts {
            facts: vec![
                cited(FactKind::Party, "Acme", 0, 60),
                cited(FactKind::Party, "Bold", 20, 90),
                cited(exclusive, "no", 50, 85),
            ],
            unsure: vec![cited(audit, "yes", 80, 40)],
            ..DocumentFacts::default()
        };
        assert_eq!(statement(&facts, &[FactKind::Party]), Some(Statement::Says(found(20, 90))));
        assert_eq!(statement(&facts, &[exclusive]), Some(Statement::StatesTheContrary(found(50, 85))));
        assert_eq!(statement(&facts, &[exclusive, FactKind::Party]), Some(Statement::Says(found(20, 90))));
        // A candidate is not sure enough.
        assert_eq!(statement(&facts, &[audit]), Some(Statement::Nothing));
        assert_eq!(statement(&facts, &[]), Some(Statement::Nothing));
    }

    #[test]
    fn a_document_without_any_clause_was_not_read_for_clauses() {
        let facts = DocumentFacts { facts: vec![cited(FactKind::Party, "Acme", 0, 60)], ..DocumentFacts::default() };
        assert_eq!(statement(&facts, &[FactKind::Party]), None);
        assert_eq!(statement(&DocumentFacts::default(), &[FactKind::Expiry]), None);
    }
}
