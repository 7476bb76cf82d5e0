//! The matter sheet: one row for each document, typed columns, each cell with its value, its citation and how sure it is.
//!
//! | what | file |
//! |---|---|
//! | the columns there are, and those that users define | `columns` |
//! | cells of columns that users define by a question or a pattern | `custom_cells` |
//! | cells of columns that users define by example clauses | `example_cells` |
//! | conditions on rows, and their order | `conditions`, `values` |
//! | who must do what by when | `obligations` |
//! | a notice of documents in other languages than English | `languages` |
//!
//! The cells of the built-in columns are the facts that rules find in each document (`documents/facts`). All cells are kept for each
//! version of a document, so a second call reads nothing that has not changed.

mod columns;
mod conditions;
mod custom_cells;
mod example_cells;
mod languages;
mod obligations;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use casetrack_core::{CollectionId, DocumentId, Result};
use casetrack_nlp::FactKind;
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use columns::check as check_columns;
pub use columns::{ColumnType, ColumnView, DefineColumn};
pub use obligations::{ObligationQuery, ObligationReport, ObligationView, obligations};

use casetrack_host::documents::facts::{CitedFact, CitedPlace, DocumentFacts, of_documents, usually_states};
use casetrack_host::documents::{CatalogueEntry, document_named, shared_names};
use casetrack_host::paging::{Paging, Part};
use casetrack_host::{Host, OpenCollection};
use casetrack_search::{MarkFilter, admit};
use columns::{Column, Source};

/// Percent, of a day for notice that the contract states itself.
const STATED_DAY: u8 = 80;
/// Maximum number of days with two readings in a notice.
const MAX_DOUBTS: usize = 5;

/// A selection of a part of the sheet.
#[derive(Debug, Clone, Default)]
pub struct SheetRequest {
    /// Names or ids of documents; all if there is none.
    pub documents: Vec<String>,
    /// Names of columns; those that are shown by default if there is none.
    pub columns: Vec<String>,
    /// Conditions that all hold: `governing_law=Delaware`, `expiry<2025`, `parties` (found), `!expiry` (not found), and the user's own marks, as
    /// in queries: `tag:privileged`, `-tag:draft`, `field:custodian=Smith`.
    pub filter: Vec<String>,
    /// A column, after `-` for the opposite order; by document name if there is none.
    pub sort: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Sheet {
    pub collection: String,
    pub columns: Vec<ColumnView>,
    pub documents: u64,
    /// Rows that fit the conditions, also those that are not listed.
    pub total: u64,
    pub rows: Vec<SheetRow>,
    /// The offset to continue with; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SheetRow {
    /// Present if another document has the same name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_id: Option<DocumentId>,
    pub document_name: String,
    /// By column, those that have a value; parties, amounts and signatories may have several.
    pub cells: BTreeMap<String, Vec<CellValue>>,
    /// Candidates by column, of columns that have no value of which the program is sure. They are no values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub not_sure: BTreeMap<String, Vec<CellValue>>,
    /// Columns without a value or a candidate, except facts that documents of this kind do not state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_found: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CellValue {
    /// A day is ISO 8601, a length of time "30 days", an endless time "perpetual".
    pub value: String,
    /// How it was computed, if the document does not state it: "3 years from 2000-11-14 (p. 1)".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computed: Option<String>,
    /// The place in the document, or that of the values it was computed from.
    #[serde(flatten)]
    pub place: CitedPlace,
    /// Percent. Of clauses, days, terms, law and caps: how often such a value is right. Of the others: a rank by the kind of evidence.
    pub confidence: u8,
    /// The sentence that states it, of a clause and of a candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
}

impl From<&CitedFact> for CellValue {
    fn from(cited: &CitedFact) -> Self {
        let fact = &cited.fact;
        Self {
            value: fact.value.clone(),
            computed: fact.computed.clone(),
            place: cited.place.clone(),
            confidence: fact.confidence,
            clause: fact.stated.clone(),
        }
    }
}

impl SheetRow {
    /// The values of a column, in order.
    pub fn values(&self, column: &str) -> &[CellValue] {
        self.cells.get(column).map_or(&[], Vec::as_slice)
    }
}

type ByColumn<'c> = HashMap<(DocumentId, &'c str), Vec<CellValue>>;

fn at<'v>(values: &'v ByColumn<'_>, document: DocumentId, column: &'v Column) -> &'v [CellValue] {
    values.get(&(document, column.name.as_str())).map_or(&[], Vec::as_slice)
}

/// The cells of some documents in some columns.
#[derive(Default)]
struct Cells<'c> {
    values: ByColumn<'c>,
    /// See [`SheetRow::not_sure`].
    candidates: ByColumn<'c>,
    /// The facts of the documents that have days with two readings.
    ambiguous: HashMap<DocumentId, Arc<DocumentFacts>>,
    /// Documents that were stored without analysis.
    without_analysis: u64,
}

impl<'c> Cells<'c> {
    fn of(host: &Host, collection: &OpenCollection, documents: &[DocumentId], columns: &[&'c Column]) -> Result<Self> {
        let mut cells = Self::default();
        for (document, known) in of_documents(collection, documents)? {
            if !known.ambiguous.is_empty() {
                cells.ambiguous.insert(document, Arc::clone(&known));
            }
            cells.without_analysis += u64::from(!known.analysed);
            for column in columns {
                if let Source::Fact(kind) = column.source {
                    let of_kind = known.facts.iter().filter(|cited| cited.fact.kind == kind);
                    cells.values.insert((document, &column.name), of_kind.map(CellValue::from).collect());
                    let unsure = known.unsure.iter().filter(|cited| cited.fact.kind == kind);
                    cells.candidates.insert((document, &column.name), unsure.map(CellValue::from).collect());
                }
            }
        }
        for column in columns {
            match &column.source {
                Source::Fact(_) => {}
                Source::NextNotice => cells.add_next_notice(collection, documents, &column.name)?,
                Source::Defined(definition) if !definition.examples.is_empty() => {
                    let found = example_cells::cells(collection, definition)?;
                    for document in documents {
                        let Some(cell) = found.get(document) else { continue };
                        let sure = cell.confidence >= example_cells::SURE;
                        let column_cells = if sure { &mut cells.values } else { &mut cells.candidates };
                        column_cells.insert((*document, &column.name), vec![cell.clone()]);
                    }
                }
                Source::Defined(definition) => {
                    for (document, values) in custom_cells::cells(host, collection, definition, documents)? {
                        cells.values.insert((document, &column.name), values);
                    }
                }
            }
        }
        Ok(cells)
    }

    /// The day is as sure as the facts that it follows from. If one of them is only a candidate, so is the day.
    fn add_next_notice(
        &mut self,
        collection: &OpenCollection,
        documents: &[DocumentId],
        column: &'c str,
    ) -> Result<()> {
        let facts: HashMap<_, _> = of_documents(collection, documents)?.into_iter().collect();
        for (document, day) in obligations::next_notices(collection, documents)? {
            let Some(known) = facts.get(&document) else { continue };
            let of_day = |cited: &&CitedFact| matches!(cited.fact.kind, FactKind::Expiry | FactKind::NoticePeriod);
            let least = |facts: &[CitedFact]| facts.iter().filter(of_day).map(|cited| cited.fact.confidence).min();
            let (sure, unsure) = (least(&known.facts), least(&known.unsure));
            let confidence = unsure.or(sure).unwrap_or(STATED_DAY);
            let cells = if unsure.is_some() { &mut self.candidates } else { &mut self.values };
            cells.insert((document, column), vec![CellValue { confidence, ..day }]);
        }
        Ok(())
    }

    /// `names` are those that several documents have.
    fn row(&self, entry: &CatalogueEntry, shown: &[&Column], names: &HashSet<&str>) -> SheetRow {
        let (mut cells, mut not_sure, mut not_found) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        for column in shown {
            match (at(&self.values, entry.id, column), at(&self.candidates, entry.id, column)) {
                ([], []) => {
                    let is_missing = match column.source {
                        Source::Fact(fact) => usually_states(entry.document_type, fact),
                        _ => true,
                    };
                    not_found.extend(is_missing.then(|| column.name.clone()));
                }
                ([], candidates) => drop(not_sure.insert(column.name.clone(), candidates.to_vec())),
                (values, _) => drop(cells.insert(column.name.clone(), values.to_vec())),
            }
        }
        let document_id = names.contains(entry.name.as_str()).then_some(entry.id);
        SheetRow { document_id, document_name: entry.name.clone(), cells, not_sure, not_found }
    }
}

/// The conditions on the user's own marks, and all others.
fn marks(filter: &[String]) -> Result<(Vec<MarkFilter>, Vec<String>)> {
    let (mut marks, mut others) = (Vec::new(), Vec::new());
    for condition in filter {
        let (sign, bare) = condition.trim().strip_prefix('-').map_or(("", condition.trim()), |bare| ("-", bare));
        match (bare.strip_prefix("tag:"), bare.strip_prefix("field:")) {
            (Some(tag), _) => marks.push(MarkFilter::tag(&format!("{sign}{tag}"))?),
            (_, Some(field)) => marks.push(MarkFilter::field(&format!("{sign}{field}"))?),
            _ => others.push(condition.clone()),
        }
    }
    Ok((marks, others))
}

/// A part of the matter sheet of a collection. The first call costs some 30 ms for 50,000 characters of text, on several threads; later ones cost
/// that only for documents that changed. Each column that asks a question costs one search over all passages, again after a change.
///
/// Errors: [`ErrorCode::InvalidArgument`](casetrack_core::ErrorCode::InvalidArgument) for columns that do not exist and for conditions
/// that cannot be read; [`ErrorCode::NotFound`](casetrack_core::ErrorCode::NotFound) for documents that do not exist.
pub fn matter_sheet(host: &Host, id: CollectionId, request: &SheetRequest, paging: Paging) -> Result<Sheet> {
    let collection = host.collection(id)?;
    let all = columns::all(&collection)?;
    let mut shown = columns::chosen(&all, &request.columns)?;
    let (marks, filter) = marks(&request.filter)?;
    let conditions = conditions::parse(&all, &filter)?;
    let order = request.sort.as_deref().map(|sort| conditions::order(&all, sort)).transpose()?;
    let mut needed: Vec<&Column> = shown.clone();
    needed.extend(conditions.iter().map(|condition| condition.column).chain(order.iter().map(|order| order.column)));

    let catalogue = collection.catalogue()?;
    let named = request.documents.iter().map(|name| document_named(&collection, name).map(|meta| meta.id));
    let named: HashSet<DocumentId> = named.collect::<Result<_>>()?;
    let wanted = |document: &DocumentId| named.is_empty() || named.contains(document);
    let documents: Vec<DocumentId> = catalogue.iter().map(|entry| entry.id).filter(wanted).collect();
    let cells = Cells::of(host, &collection, &documents, &needed)?;
    let values = &cells.values;
    let has_value = |column: &Column| documents.iter().any(|document| !at(values, *document, column).is_empty());
    shown.retain(|column| !request.columns.is_empty() || !column.is_of_kind() || has_value(column));
    let mut entries: Vec<_> = catalogue
        .iter()
        .filter(|entry| wanted(&entry.id) && admit(&marks, &entry.marks))
        .filter(|entry| conditions.iter().all(|condition| condition.holds(at(values, entry.id, condition.column))))
        .collect();
    entries.sort_by(|a, b| (a.name.to_lowercase(), &a.path).cmp(&(b.name.to_lowercase(), &b.path)));
    if let Some(order) = &order {
        // Stable: equal ones by name.
        entries.sort_by(|a, b| order.compare(at(values, a.id, order.column), at(values, b.id, order.column)));
    }
    let Part { items, total, next_offset } = paging.of(entries);
    let mut notices = mixed_currencies(&conditions, &documents, values);
    notices.extend(doubts(&items, &shown, &cells.ambiguous));
    if cells.without_analysis > 0 {
        notices.push(format!(
            "{} of {} documents were stored without analysis, so names and dates are missing. Reindex them to add \
             them.",
            cells.without_analysis,
            documents.len()
        ));
    }
    notices.extend(languages::notice(&collection, &items)?);
    let names = shared_names(&catalogue);
    let rows = items.into_iter().map(|entry| cells.row(entry, &shown, &names)).collect();
    let (collection, documents) = (collection.meta().name.clone(), catalogue.len() as u64);
    let columns = shown.iter().map(|column| column.view()).collect();
    Ok(Sheet { collection, columns, documents, total, rows, next_offset, notices })
}

/// A notice for each condition that compares sums of several currencies by their numbers.
fn mixed_currencies(
    conditions: &[conditions::Condition<'_>],
    documents: &[DocumentId],
    values: &ByColumn<'_>,
) -> Vec<String> {
    let mut notices = Vec::new();
    for condition in conditions.iter().filter(|condition| condition.ignores_currency()) {
        let name = &condition.column.name;
        let cells = documents.iter().flat_map(|document| at(values, *document, condition.column));
        let currencies: BTreeSet<String> = cells.filter_map(conditions::currency).collect();
        if currencies.len() > 1 {
            let all: Vec<String> = currencies.into_iter().collect();
            notices.push(format!(
                "The sums in {name} are of several currencies ({}) and are compared by their numbers. Name one to \
                 compare only its sums: {name}>{} 1000000.",
                all.join(", "),
                all[0],
            ));
        }
    }
    notices
}

/// The days in columns that are shown that have two readings, of the rows of a page.
fn doubts(
    rows: &[&Arc<CatalogueEntry>],
    shown: &[&Column],
    ambiguous: &HashMap<DocumentId, Arc<DocumentFacts>>,
) -> Option<String> {
    let mut listed = Vec::new();
    for entry in rows {
        let cited = ambiguous.get(&entry.id).map_or(&[][..], |facts| &facts.ambiguous);
        for column in shown {
            let Source::Fact(kind) = column.source else { continue };
            listed.extend(cited.iter().filter(|cited| cited.fact.kind == kind).map(|cited| {
                format!("{} of {} is {} ({})", column.name, entry.name, cited.fact.value, cited.place.place)
            }));
        }
    }
    if let Some(more @ 1..) = listed.len().checked_sub(MAX_DOUBTS) {
        listed.truncate(MAX_DOUBTS);
        listed.push(format!("{more} more"));
    }
    (!listed.is_empty()).then(|| {
        format!(
            "Not found are days in digits whose documents do not show whether the day or the month comes first: {}.",
            listed.join("; ")
        )
    })
}

/// Removes a column that a user defined; returns the columns that are left.
///
/// Errors: [`ErrorCode::InvalidArgument`](casetrack_core::ErrorCode::InvalidArgument) for a built-in column;
/// [`ErrorCode::NotFound`](casetrack_core::ErrorCode::NotFound) if no column has this name.
pub fn remove_column(host: &Host, id: CollectionId, name: &str) -> Result<Vec<ColumnView>> {
    let collection = host.collection(id)?;
    columns::remove(&collection, name)?;
    Ok(columns::all(&collection)?.iter().map(Column::view).collect())
}

/// Adds a column to the matter sheet of a collection, in place of an earlier one with its name; returns all columns. It is kept with the collection.
///
/// Errors: [`ErrorCode::InvalidArgument`](casetrack_core::ErrorCode::InvalidArgument) for the name of a built-in column, a name that is
/// not of letters, digits and underscores, not exactly one of question, pattern and examples, and one of them that cannot be read.
pub fn define_column(host: &Host, id: CollectionId, definition: DefineColumn) -> Result<Vec<ColumnView>> {
    let collection = host.collection(id)?;
    let definition = columns::checked(definition)?;
    if let Some(question) = &definition.question {
        // A question that cannot be asked is refused now.
        casetrack_search::ask_every_document(host, id, &custom_cells::asked(question, 1))?;
    }
    columns::define(&collection, definition)?;
    Ok(columns::all(&collection)?.iter().map(Column::view).collect())
}
