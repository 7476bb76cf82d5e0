//! Evidence of the active collection: passages collected with notes, and their export.

use std::path::{Path, PathBuf};

use casetrack_core::{Error, ErrorCode};
use casetrack_engine::evidence::{AddEvidence, EvidenceFormat, EvidenceList, EvidenceView, UpdateEvidence};
use casetrack_engine::{evidence, vaults};

use crate::tools::prelude::*;

pub(crate) struct AddEvidenceTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddParameters {
    /// UUID of a chunk
    chunk_id: Option<String>,
    /// Name or ID of a document, if no chunk is named
    document: Option<String>,
    /// Its page
    #[schemars(range(min = 1))]
    page: Option<u32>,
    /// Words of that page or the chunk's; default: the whole chunk
    quote: Option<String>,
    /// Characters of the page in place of a quotation
    char_start: Option<u32>,
    /// End of these characters
    char_end: Option<u32>,
    /// The user's note
    #[serde(default)]
    note: String,
    /// Number or letter of the exhibit
    #[serde(default)]
    exhibit: String,
}

impl Tool for AddEvidenceTool {
    const NAME: &'static str = "add_evidence";
    const TITLE: &'static str = "Collect a passage as evidence";
    const DESCRIPTION: &'static str = "Collect a passage of the active collection as evidence: a chunk, or words of a page. It is kept \
        verbatim with its citation, in an order that update_evidence changes.";
    const ROW: Row = Row::new(Toolset::Workbench, Effect::Creates, Need::EDIT);
    const SAMPLE: &'static str = r#"{"document": "$document", "page": 1, "quote": "$quote", "note": "Due."}"#;
    type Parameters = AddParameters;
    type Response = EvidenceView;

    fn call(context: &Context<'_>, parameters: AddParameters) -> Result<Reply<EvidenceView>> {
        let AddParameters { chunk_id, document, page, quote, char_start, char_end, note, exhibit } = parameters;
        let chars = match (char_start, char_end) {
            (Some(start), Some(end)) => Some(start..end),
            (None, None) => None,
            _ => return Err(Error::invalid("char_start and char_end belong together.")),
        };
        let request = AddEvidence { chunk_id, document, page, quote, chars, note, exhibit };
        let added = evidence::add_evidence(context.engine.host(), context.active()?.id, request)?;
        Ok(Reply::new(added, text::evidence::added))
    }
}

pub(crate) struct ListEvidence;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParameters {
    #[serde(flatten)]
    page: Page<50, 500>,
}

impl Tool for ListEvidence {
    const NAME: &'static str = "list_evidence";
    const TITLE: &'static str = "List the evidence";
    const DESCRIPTION: &'static str = "List the passages collected as evidence, in their order, each with \
        its citation, the user's note, and whether its source is unchanged.";
    const ROW: Row = Row::new(Toolset::Workbench, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = "{}";
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/items"], |list| &mut list.items, |list| &mut list.next_offset));
    type Parameters = ListParameters;
    type Response = EvidenceList;

    fn call(context: &Context<'_>, parameters: ListParameters) -> Result<Reply<EvidenceList>> {
        let ListParameters { page } = parameters;
        let list = evidence::list_evidence(context.engine.host(), context.active()?.id, page.into())?;
        Ok(Reply::new(list, text::evidence::list))
    }
}

pub(crate) struct UpdateEvidenceTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateParameters {
    /// The id of the passage in list_evidence
    #[schemars(range(min = 1))]
    id: u32,
    /// New note; "" removes it
    note: Option<String>,
    /// New exhibit number; "" removes it
    exhibit: Option<String>,
    /// New place in the order, from 1
    #[schemars(range(min = 1))]
    position: Option<u32>,
    /// Remove it
    #[serde(default)]
    remove: bool,
}

impl Tool for UpdateEvidenceTool {
    const NAME: &'static str = "update_evidence";
    const TITLE: &'static str = "Change or remove evidence";
    const DESCRIPTION: &'static str = "Change the note, exhibit number or place of a collected passage, or remove it. \
        Its text and its citation cannot be changed.";
    const DESTRUCTIVE: bool = true;
    const ROW: Row = Row::new(Toolset::Workbench, Effect::Updates, Need::EDIT);
    const SAMPLE: &'static str = r#"{"id": 1, "exhibit": "A"}"#;
    type Parameters = UpdateParameters;
    type Response = EvidenceView;

    fn call(context: &Context<'_>, parameters: UpdateParameters) -> Result<Reply<EvidenceView>> {
        let UpdateParameters { id, note, exhibit, position, remove } = parameters;
        let request = UpdateEvidence { id, note, exhibit, position, remove };
        let changed = evidence::update_evidence(context.engine.host(), context.active()?.id, request)?;
        let said = if remove { text::evidence::removed } else { text::evidence::updated };
        Ok(Reply::new(changed, said))
    }
}

pub(crate) struct ExportEvidence;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportParameters {
    /// Kind of file
    format: EvidenceFormat,
    /// Absolute path of the new file; its folder must exist. Default: a file in the folder exports of the data directory
    file_path: Option<PathBuf>,
    /// Show the pages of the passages in it (docx, pdf)
    #[serde(default = "super::yes")]
    pictures: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Export {
    /// The new file.
    path: String,
    bytes: u64,
    /// Passages in it.
    items: u64,
    /// Pages shown in it.
    pictures: u64,
    /// The parts that are missing, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

impl Tool for ExportEvidence {
    const NAME: &'static str = "export_evidence";
    const TITLE: &'static str = "Export the evidence";
    const DESCRIPTION: &'static str = "Write the evidence of the active collection to a new file: docx, pdf, markdown or csv. Each passage has its \
        citation and note. No file is overwritten.";
    const ROW: Row = Row::new(Toolset::Workbench, Effect::Creates, Need::DISK);
    const SAMPLE: &'static str = r#"{"format": "markdown"}"#;
    type Parameters = ExportParameters;
    type Response = Export;

    fn call(context: &Context<'_>, parameters: ExportParameters) -> Result<Reply<Export>> {
        let ExportParameters { format, file_path, pictures } = parameters;
        let collection = context.active()?;
        let engine = context.engine;
        let path = match file_path {
            Some(path) => checked(context, path, format)?,
            // Nothing of a vault is written to a place that no one requested.
            None if vaults::is_vault(engine.host(), collection.id) => {
                return Err(Error::invalid(format!(
                    "\"{}\" is a vault, and the file would not be encrypted.",
                    collection.name
                ))
                .with_hint("Ask the user for a path, and give it as file_path."));
            }
            None => free_name(&engine.host().config().data_dir.join("exports"), &collection.name, format)?,
        };
        let exported = casetrack_export::evidence(engine, collection.id, format, pictures, context.cancel)?;
        write_new(&path, &exported.bytes)?;
        let export = Export {
            path: path.display().to_string(),
            bytes: exported.bytes.len() as u64,
            items: exported.items,
            pictures: exported.pictures,
            notices: exported.notices,
        };
        Ok(Reply::new(export, |export| {
            let items = text::format::counted(export.items, "passage");
            let mut said = format!("Wrote {items} to {}\n", text::marks::name(&export.path));
            text::format::push_notices(&mut said, &export.notices);
            said.trim_end().to_owned()
        }))
    }
}

/// A path from an assistant, if a file may be made there: with the extension of its format, below the allowed folders.
fn checked(context: &Context<'_>, path: PathBuf, format: EvidenceFormat) -> Result<PathBuf> {
    if !path.is_absolute() {
        return Err(Error::invalid(format!("{} is not an absolute path.", path.display())));
    }
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if !extension.eq_ignore_ascii_case(format.extension()) {
        return Err(Error::invalid(format!("The name of the file must end in .{}.", format.extension())));
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Error::invalid(format!("{} is not the path of a file.", path.display())));
    };
    let access = &context.engine.host().config().access;
    let path = access.check(folder)?.join(name);
    access.check_name(&path)?;
    Ok(path)
}

/// A name that is free in the folder, which is made.
fn free_name(folder: &Path, collection: &str, format: EvidenceFormat) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).map_err(|error| Error::io(folder.display(), error))?;
    let name = casetrack_export::evidence_name(collection);
    let numbered = |number: u32| match number {
        1 => folder.join(format!("{name}.{}", format.extension())),
        number => folder.join(format!("{name} {number}.{}", format.extension())),
    };
    (1..10_000).map(numbered).find(|path| !path.exists()).ok_or_else(|| {
        Error::new(ErrorCode::AlreadyExists, format!("{} holds too many exports.", folder.display()))
            .with_hint("Move them elsewhere.")
    })
}

fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    use std::io::Write;
    let mut file = std::fs::File::create_new(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Error::new(ErrorCode::AlreadyExists, format!("{} exists already.", path.display()))
                .with_hint("Choose another name: no file is overwritten.")
        }
        _ => Error::io(path.display(), error),
    })?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.map_err(|error| {
        let _ = std::fs::remove_file(path);
        Error::io(path.display(), error)
    })
}
