//! The facts of documents with their citations, kept for each version of a document.

mod known;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use casetrack_core::{CollectionId, DocumentId, DocumentMeta, DocumentType, Page, Result};
use casetrack_nlp::{Fact, FactKind, Facts, facts_and_doubts, facts_of_kind};
use schemars::JsonSchema;
use serde::Serialize;

use super::DocumentSummary;
use crate::{Host, OpenCollection, lock};

/// Characters of a page and their citation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CitedPlace {
    /// To cite it by, after the document's name: `p. 12, para. 8, ll. 1-4`.
    pub place: String,
    /// From 1, as in `place`.
    #[serde(skip)]
    pub page: u32,
    /// Characters of the page, half-open.
    pub char_start: u32,
    pub char_end: u32,
}

/// A fact and the place at which the document states it.
#[derive(Debug, Clone)]
pub struct CitedFact {
    pub fact: Fact,
    pub place: CitedPlace,
}

#[derive(Debug, Clone, Default)]
pub struct DocumentFacts {
    /// By kind, best first.
    pub facts: Vec<CitedFact>,
    /// Days with two readings, which are no facts: "2021-05-06 or 2021-06-05".
    pub ambiguous: Vec<CitedFact>,
    /// Candidates that are not sure enough to be facts, by kind.
    pub unsure: Vec<CitedFact>,
    /// True if analysis has read the document, without which names and dates are missing.
    pub analysed: bool,
}

/// Data derived from each document, for the version that it was derived from.
pub struct ByVersion<T>(Mutex<HashMap<DocumentId, (u64, Arc<T>)>>);

impl<T> Default for ByVersion<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

const THREADS: usize = 8;

impl CitedPlace {
    /// `unpaged` is the document's. Costs time in proportion to the page before it.
    pub fn new(page: &Page, unpaged: bool, chars: Range<u32>) -> Self {
        let paragraph = |at: u32| page.blocks.partition_point(|block| block.char_start <= at).max(1);
        let (first, last) = (paragraph(chars.start), paragraph(chars.end.saturating_sub(1).max(chars.start)));
        let mut text = page.text.chars();
        let line_start = 1 + text.by_ref().take(chars.start as usize).filter(|c| *c == '\n').count();
        let inside = text.take(chars.end.saturating_sub(chars.start) as usize);
        let line_end = line_start + inside.filter(|c| *c == '\n').count();
        let numbered = |one: &str, many: &str, from: usize, to: usize| {
            if from == to { format!("{one} {from}") } else { format!("{many} {from}-{to}") }
        };
        let place = format!(
            "{}, {}, {}",
            page.cited(unpaged),
            numbered("para.", "paras.", first, last),
            numbered("l.", "ll.", line_start, line_end)
        );
        Self { place, page: page.number, char_start: chars.start, char_end: chars.end }
    }
}

/// The pages of a document, in order, and true if the file does not state where they end; none if it is gone.
pub fn pages(collection: &OpenCollection, document: DocumentId) -> Result<(Vec<Page>, bool)> {
    let Some(meta) = collection.document(document)? else { return Ok((Vec::new(), false)) };
    Ok((pages_of(collection, &meta)?, meta.unpaged))
}

fn pages_of(collection: &OpenCollection, meta: &DocumentMeta) -> Result<Vec<Page>> {
    first_pages(collection, meta, meta.page_count)
}

fn first_pages(collection: &OpenCollection, meta: &DocumentMeta, most: u32) -> Result<Vec<Page>> {
    let last = meta.page_count.min(most);
    (1..=last).filter_map(|number| collection.page(meta.id, number).transpose()).collect()
}

/// False for kinds of documents that are no contracts: a delivery log has no agreement date.
pub fn may_be_contract(kind: DocumentType) -> bool {
    use DocumentType::{Invoice, Memo, Policy, Presentation, Report, Spreadsheet};
    !matches!(kind, Invoice | Memo | Policy | Presentation | Report | Spreadsheet)
}

/// True if documents of a kind usually state a fact, so that it is missing in a document without it. Few reports are minutes.
pub fn usually_states(kind: DocumentType, fact: FactKind) -> bool {
    use DocumentType::{Correspondence, Invoice, Memo};
    match fact {
        FactKind::From | FactKind::To => matches!(kind, Correspondence | Memo),
        FactKind::Date => matches!(kind, Correspondence | Memo | Invoice),
        FactKind::Number | FactKind::Total => kind == Invoice,
        FactKind::Meeting | FactKind::Present => false,
        _ => true,
    }
}

/// True for kinds of documents that have facts of their own. A report, and a document of no known kind, may be minutes.
fn has_own_facts(kind: DocumentType) -> bool {
    use DocumentType::{Correspondence, Invoice, Memo, Other, Report};
    matches!(kind, Correspondence | Invoice | Memo | Other | Report)
}

/// Pages that are read of a document that is no contract.
const PAGES_OF_KIND: u32 = 20;

/// Removes the days of an agreement from a document that states neither its title nor its parties: a log has no such day. A letter keeps facts of a
/// contract only if its title is the title of an agreement, or if it names two parties.
fn leave_out_facts_of_no_contract(found: &mut Facts, kind: DocumentType) {
    use FactKind::{AgreementDate, EffectiveDate, Expiry, Party, Title, Type};
    let count = |kind| found.known.iter().filter(|fact| fact.kind == kind).count();
    if kind == DocumentType::Correspondence && count(Type) == 0 && count(Party) < 2 {
        *found = Facts::default();
    } else if kind != DocumentType::Contract && count(Party) + count(Title) == 0 {
        found.known.retain(|fact| !matches!(fact.kind, AgreementDate | EffectiveDate | Expiry));
    }
}

fn read(collection: &OpenCollection, document: DocumentId) -> Result<DocumentFacts> {
    let Some(meta) = collection.document(document)? else { return Ok(DocumentFacts::default()) };
    let annotations = collection.annotations(document)?;
    let analysed = annotations.is_some();
    let kind = meta.document_type;
    let most = match (may_be_contract(kind), has_own_facts(kind)) {
        (false, false) => return Ok(DocumentFacts { analysed, ..DocumentFacts::default() }),
        (false, true) => PAGES_OF_KIND,
        (true, _) => u32::MAX,
    };
    let pages = first_pages(collection, &meta, most)?;
    let texts: Vec<&str> = pages.iter().map(|page| page.text.as_str()).collect();
    let cited = |fact: Fact| {
        let page = pages.get((fact.page as usize).checked_sub(1)?)?;
        Some(CitedFact { place: CitedPlace::new(page, meta.unpaged, fact.char_start..fact.char_end), fact })
    };
    let annotations = annotations.unwrap_or_default();
    let mut found = if may_be_contract(kind) { facts_and_doubts(&texts, &annotations) } else { Facts::default() };
    leave_out_facts_of_no_contract(&mut found, kind);
    let own = if has_own_facts(kind) { facts_of_kind(&texts, &annotations, kind) } else { Facts::default() };
    let Facts { mut known, mut ambiguous, unsure } = found;
    known.extend(own.known);
    ambiguous.extend(own.ambiguous);
    let all = |facts: Vec<Fact>| facts.into_iter().filter_map(cited).collect();
    Ok(DocumentFacts { facts: all(known), ambiguous: all(ambiguous), unsure: all(unsure), analysed })
}

/// The facts of these documents, in their order. Versions that were read before take no time, also after a restart of the same program; each other
/// document takes some 12 ms for 50,000 characters, on several threads. A document that has gone has none.
pub fn of_documents(
    collection: &OpenCollection,
    documents: &[DocumentId],
) -> Result<Vec<(DocumentId, Arc<DocumentFacts>)>> {
    let known = collection.derived::<known::Facts>();
    known.recall(collection);
    let facts = known.of(collection, documents, |document| read(collection, document))?;
    known.keep(collection);
    Ok(facts)
}

impl<T> ByVersion<T> {
    /// The documents in this list that [`of`](Self::of) would read.
    pub fn unknown(&self, collection: &OpenCollection, documents: &[DocumentId]) -> Vec<DocumentId> {
        self.unknown_in(&collection.versions().into_iter().collect(), documents)
    }

    fn unknown_in(&self, versions: &HashMap<DocumentId, u64>, documents: &[DocumentId]) -> Vec<DocumentId> {
        let known = lock(&self.0);
        let is_known = |document: &DocumentId| {
            known.get(document).is_some_and(|(version, _)| versions.get(document) == Some(version))
        };
        documents.iter().filter(|document| !is_known(document)).copied().collect()
    }

    /// The derived data in memory, each with the version that it was derived from.
    fn known(&self) -> HashMap<DocumentId, (u64, Arc<T>)> {
        lock(&self.0).clone()
    }

    /// Takes facts that were derived earlier.
    fn know(&self, known: HashMap<DocumentId, (u64, Arc<T>)>) {
        lock(&self.0).extend(known);
    }
}

impl<T: Default + Send + Sync> ByVersion<T> {
    /// The data that `read` derives from these documents, in their order; it is called, on several threads, for those whose version is not known.
    pub fn of(
        &self,
        collection: &OpenCollection,
        documents: &[DocumentId],
        read: impl Fn(DocumentId) -> Result<T> + Sync,
    ) -> Result<Vec<(DocumentId, Arc<T>)>> {
        // Taken before the documents are read, so that one that changes meanwhile is read again next time.
        let versions: HashMap<DocumentId, u64> = collection.versions().into_iter().collect();
        let missing = self.unknown_in(&versions, documents);
        for (document, read) in in_parallel(&missing, read)? {
            if let Some(version) = versions.get(&document) {
                lock(&self.0).insert(document, (*version, Arc::new(read)));
            }
        }
        let mut known = lock(&self.0);
        known.retain(|document, _| versions.contains_key(document));
        let of =
            |document: &DocumentId| known.get(document).map(|(_, derived)| Arc::clone(derived)).unwrap_or_default();
        Ok(documents.iter().map(|document| (*document, of(document))).collect())
    }
}

/// The facts of documents that are no contracts, with their names in lists and in the sheet.
pub const KINDS: [(FactKind, &str); 7] = [
    (FactKind::From, "from"),
    (FactKind::To, "to"),
    (FactKind::Date, "date"),
    (FactKind::Number, "number"),
    (FactKind::Total, "total"),
    (FactKind::Meeting, "meeting"),
    (FactKind::Present, "present"),
];

fn joined<'v>(values: impl Iterator<Item = &'v String>) -> Option<String> {
    let all: Vec<&str> = values.map(String::as_str).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Does some work for each document, on several threads; in the order of the documents.
pub fn in_parallel<T: Send>(
    documents: &[DocumentId],
    work: impl Fn(DocumentId) -> Result<T> + Sync,
) -> Result<Vec<(DocumentId, T)>> {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(THREADS);
    let share = documents.len().div_ceil(threads).max(1);
    let done: Vec<Result<Vec<(DocumentId, T)>>> = std::thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> = documents
            .chunks(share)
            .map(|share| scope.spawn(move || share.iter().map(|document| Ok((*document, work(*document)?))).collect()))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    Ok(done.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Adds parties, day and governing law to the contracts of a list, and the facts of their kind to other documents. Costs as much as the matter sheet of
/// these documents.
pub fn describe_contracts(host: &Host, collection: CollectionId, documents: &mut [DocumentSummary]) -> Result<()> {
    let collection = host.collection(collection)?;
    let ids: Vec<DocumentId> = documents.iter().map(|document| document.id).collect();
    for (document, (_, known)) in documents.iter_mut().zip(of_documents(&collection, &ids)?) {
        let of_kind = |kind| known.facts.iter().filter(move |cited| cited.fact.kind == kind);
        let first = |kind| of_kind(kind).next().map(|cited| cited.fact.value.clone());
        document.parties = of_kind(FactKind::Party).map(|cited| cited.fact.value.clone()).collect();
        document.date = first(FactKind::AgreementDate).or_else(|| first(FactKind::EffectiveDate));
        document.governing_law = first(FactKind::GoverningLaw);
        document.facts = KINDS
            .into_iter()
            .filter_map(|(kind, name)| Some((name.to_owned(), joined(of_kind(kind).map(|cited| &cited.fact.value))?)))
            .collect();
    }
    Ok(())
}
