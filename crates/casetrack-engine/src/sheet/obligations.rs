//! Obligations with debtor, act and due date, over all documents of a collection.

use casetrack_core::{CollectionId, DocumentId, Result, Timestamp};
use casetrack_nlp::{MAX_OBLIGATIONS, Obligation};
use schemars::JsonSchema;
use serde::Serialize;

use super::CellValue;
use casetrack_host::documents::facts::{ByVersion, CitedPlace, pages};
use casetrack_host::documents::{CatalogueEntry, document_named};
use casetrack_host::paging::{Paging, Part};
use casetrack_host::{Host, OpenCollection};
use casetrack_search::{DateRange, MarkFilter, admit};

#[derive(Debug, Clone, Default)]
pub struct ObligationQuery {
    /// Name or id.
    pub document: Option<String>,
    /// Part of the name of the party that must act, or of the contract's word for it.
    pub party: Option<String>,
    /// First and last day, `YYYY-MM-DD`, `YYYY-MM` or `YYYY`: only obligations with a day.
    pub from: Option<String>,
    pub to: Option<String>,
    /// Only of documents with these marks.
    pub marks: Vec<MarkFilter>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ObligationReport {
    pub collection: String,
    /// Obligations that were asked for, also those that are not listed.
    pub total: u64,
    /// Those of them that have a day.
    pub dated: u64,
    /// Those with a day first, by day; then by document and place.
    pub obligations: Vec<ObligationView>,
    /// The offset to continue with; absent at the end.
    pub next_offset: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// A duty with a day, or with what its time counts from.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ObligationView {
    pub document_id: DocumentId,
    pub document_name: String,
    /// The contract's word for the party.
    pub who: String,
    /// The names of the parties that it stands for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parties: Vec<String>,
    /// In the words of the document, from "shall".
    pub what: String,
    /// ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// How the day was computed: "30 days from 1998-06-01 (p. 2)".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computed: Option<String>,
    /// The beginning of the time, or how often the duty recurs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    #[serde(flatten)]
    pub place: CitedPlace,
}

type Cited = Vec<(Obligation, CitedPlace)>;

fn read(collection: &OpenCollection, document: DocumentId) -> Result<Cited> {
    let (pages, unpaged) = pages(collection, document)?;
    let annotations = collection.annotations(document)?.unwrap_or_default();
    let texts: Vec<&str> = pages.iter().map(|page| page.text.as_str()).collect();
    let cited = casetrack_nlp::obligations(&texts, &annotations).into_iter().filter_map(|duty| {
        let page = pages.get((duty.page as usize).checked_sub(1)?)?;
        let place = CitedPlace::new(page, unpaged, duty.char_start..duty.char_end);
        Some((duty, place))
    });
    Ok(cited.collect())
}

fn today() -> String {
    Timestamp::now().to_string().chars().take(10).collect()
}

/// The last day for the notice that prevents the next renewal, today or later, of the documents that have one. The confidence is left to the caller.
pub(super) fn next_notices(
    collection: &OpenCollection,
    documents: &[DocumentId],
) -> Result<Vec<(DocumentId, CellValue)>> {
    let today = today();
    let known = collection.derived::<ByVersion<Cited>>();
    let of_documents = known.of(collection, documents, |document| read(collection, document))?;
    let day = |(duty, place): &(Obligation, CitedPlace)| {
        let duty = duty.prevents_renewal().then(|| duty.next(&today).unwrap_or_else(|| duty.clone()))?;
        let value = duty.due.filter(|due| *due >= today)?;
        Some(CellValue { value, computed: duty.computed, place: place.clone(), confidence: 0, clause: None })
    };
    Ok(of_documents.iter().filter_map(|(document, cited)| Some((*document, cited.iter().find_map(day)?))).collect())
}

/// A part of the obligations of a collection that name a day, a length of time or a period. If the day for the notice that ends
/// a contract is past and the contract renews, the next such day is among them. The first call costs some 30 ms for 50,000
/// characters of text, on several threads; later ones cost that only for documents that changed.
pub fn obligations(host: &Host, id: CollectionId, query: &ObligationQuery, paging: Paging) -> Result<ObligationReport> {
    let ObligationQuery { document, party, from, to, marks } = query;
    // Checked as every other date is.
    DateRange::between(from.as_deref(), to.as_deref())?;
    let collection = host.collection(id)?;
    let wanted = document.as_deref().map(|name| document_named(&collection, name)).transpose()?.map(|meta| meta.id);
    let catalogue = collection.catalogue()?;
    let is_wanted = |entry: &CatalogueEntry| wanted.is_none_or(|id| id == entry.id) && admit(marks, &entry.marks);
    let entries: Vec<_> = catalogue.iter().filter(|entry| is_wanted(entry)).collect();
    let documents: Vec<DocumentId> = entries.iter().map(|entry| entry.id).collect();
    let known = collection.derived::<ByVersion<Cited>>();
    let party = party.as_deref().map(str::to_lowercase);
    let in_range = |due: Option<&str>| match due {
        Some(due) => {
            let after = from.as_deref().is_none_or(|from| due.get(..from.len()).unwrap_or(due) >= from);
            after && to.as_deref().is_none_or(|to| due.get(..to.len()).unwrap_or(due) <= to)
        }
        None => from.is_none() && to.is_none(),
    };
    let (mut found, mut notices) = (Vec::new(), Vec::new());
    let today = today();
    let of_documents = known.of(&collection, &documents, |document| read(&collection, document))?;
    for (entry, (_, cited)) in entries.iter().zip(&of_documents) {
        if cited.len() >= MAX_OBLIGATIONS {
            notices
                .push(format!("{} has more than {MAX_OBLIGATIONS} obligations; the others are left out.", entry.name));
        }
        let renewed = |(duty, place): &(Obligation, CitedPlace)| Some((duty.next(&today)?, place.clone()));
        for (duty, place) in cited.iter().cloned().chain(cited.iter().filter_map(renewed)) {
            let by_party = party.as_ref().is_none_or(|party| {
                let mut names = duty.parties.iter().chain([&duty.who]);
                names.any(|name| name.to_lowercase().contains(party.as_str()))
            });
            if by_party && in_range(duty.due.as_deref()) {
                found.push(ObligationView {
                    document_id: entry.id,
                    document_name: entry.name.clone(),
                    who: duty.who,
                    parties: duty.parties,
                    what: duty.what,
                    due: duty.due,
                    computed: duty.computed,
                    trigger: duty.trigger,
                    place,
                });
            }
        }
    }
    found.sort_by(|a, b| {
        let key = |duty: &ObligationView| (duty.due.is_none(), duty.due.clone(), duty.document_name.to_lowercase());
        key(a).cmp(&key(b))
    });
    let dated = found.iter().filter(|duty| duty.due.is_some()).count() as u64;
    let Part { items, total, next_offset } = paging.of(found);
    let collection = collection.meta().name.clone();
    Ok(ObligationReport { collection, total, dated, obligations: items, next_offset, notices })
}
