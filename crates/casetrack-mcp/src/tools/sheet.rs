//! The matter sheet of the active collection, and the columns that users define for it.

use casetrack_engine::sheet::{self, ColumnType, ColumnView, Sheet, SheetRequest};

use crate::tools::prelude::*;

pub(crate) struct GetMatterSheet;

/// The format of the answer's text.
#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SheetFormat {
    #[default]
    Text,
    Markdown,
    Csv,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SheetParameters {
    /// Default: those listed
    #[serde(default)]
    columns: Vec<String>,
    /// Names, IDs; default: all
    #[serde(default)]
    documents: Vec<String>,
    /// "governing_law=Delaware", "expiry<2025", "venue" (found), "!venue", "tag:x"
    #[serde(default)]
    filter: Vec<String>,
    /// "expiry", or "-expiry" for the opposite order
    sort: Option<String>,
    /// Form of the text
    #[serde(default)]
    format: SheetFormat,
    #[serde(flatten)]
    page: Page<50, 1000>,
}

impl Tool for GetMatterSheet {
    const NAME: &'static str = "get_matter_sheet";
    const TITLE: &'static str = "Show the matter sheet";
    const DESCRIPTION: &'static str = "Compare all contracts in one table: title, type, parties, agreement_date, effective_date, \
        expiry, renewal_term, notice_period, termination_notice, governing_law, venue, liability_cap, payment_terms, \
        amounts, signatories, user columns; clauses such as audit (yes or no); next_notice. \
        Each cell has its citation and confidence.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"columns": ["title"], "filter": ["!venue"], "sort": "-title"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/rows"], |sheet| &mut sheet.rows, |sheet| &mut sheet.next_offset));
    type Parameters = SheetParameters;
    type Response = Sheet;

    fn call(context: &Context<'_>, parameters: SheetParameters) -> Result<Reply<Sheet>> {
        let SheetParameters { columns, documents, filter, sort, format, page } = parameters;
        let request = SheetRequest { documents, columns, filter, sort };
        let sheet = sheet::matter_sheet(context.engine.host(), context.active()?.id, &request, page.into())?;
        Ok(Reply::new(sheet, move |sheet| match format {
            SheetFormat::Text => text::sheet::rows(sheet, page.offset),
            SheetFormat::Markdown => text::sheet::markdown(sheet),
            SheetFormat::Csv => text::marks::document_text(&text::sheet::csv(sheet)),
        }))
    }
}

pub(crate) struct DefineColumn;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ColumnParameters {
    /// Letters, digits and underscores
    name: String,
    /// The cell is the sentence that answers it, or its first value of the type
    question: Option<String>,
    /// Regular expression: the cell is its first match or group
    pattern: Option<String>,
    /// Five clauses or more: the cell is the clause most like them
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    examples: Vec<String>,
    /// Type of the values
    #[serde(default, rename = "type")]
    column_type: ColumnType,
    /// Remove it
    #[serde(default)]
    remove: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ColumnList {
    /// Name of the collection.
    collection: String,
    columns: Vec<ColumnView>,
}

impl Tool for DefineColumn {
    const NAME: &'static str = "define_column";
    const TITLE: &'static str = "Add a column to the matter sheet";
    const DESCRIPTION: &'static str =
        "Add or replace a user column of the matter sheet of the active collection, by question, pattern or examples.";
    const ROW: Row = Row::new(Toolset::Review, Effect::Updates, Need::EDIT);
    const SAMPLE: &'static str = r#"{"name": "fee", "pattern": "fee of (\\S+)", "type": "amount"}"#;
    type Parameters = ColumnParameters;
    type Response = ColumnList;

    fn call(context: &Context<'_>, parameters: ColumnParameters) -> Result<Reply<ColumnList>> {
        let collection = context.active()?;
        let ColumnParameters { name, question, pattern, examples, column_type, remove } = parameters;
        let columns = match remove {
            true => sheet::remove_column(context.engine.host(), collection.id, &name)?,
            false => {
                let definition = sheet::DefineColumn { name, question, pattern, examples, column_type };
                sheet::define_column(context.engine.host(), collection.id, definition)?
            }
        };
        let list = ColumnList { collection: collection.name, columns };
        Ok(Reply::new(list, |list| text::sheet::columns(&list.columns)))
    }
}
