//! Other documents whose text is put into this one at `w:altChunk` (17.17.2): HTML, web archives, DOCX, RTF and plain
//! text.

use std::collections::HashMap;

use casetrack_core::{BlockKind, FileFormat, Result};
use casetrack_pages::build::flow::{Flow, FlowBlock, PAGE_BREAK, Sink, is_reserved};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::container::opc::{Package, Relationships};
use casetrack_pages::container::zip;
use casetrack_pages::model::Source;
use casetrack_pages::text::Cursor;

use super::Docx;
use crate::formats::html::Html;
use crate::formats::mail::body_of;
use crate::formats::pictures::PictureBudget;
use crate::formats::rtf::{self, Rtf};
use crate::formats::text::PlainText;

/// Documents inside each other; programs that merge documents put in one.
const MAX_DEPTH: u32 = 4;
/// Documents that are put into one file, those inside each other included.
const MAX_DOCUMENTS: u32 = 200;

#[derive(Default)]
pub(super) struct Depth {
    depth: u32,
    documents: u32,
    pub pictures: PictureBudget,
}

/// The documents that a part refers to, by the ids of their relationships. An unreadable one is left out, with a
/// warning. Errors: the file has more text than the limit.
pub(super) fn documents(
    source: &Source,
    package: &mut Package,
    related: &Relationships,
    document: &mut DocumentBuilder,
    depth: &mut Depth,
) -> Result<HashMap<String, Vec<FlowBlock>>> {
    let mut found = HashMap::new();
    let mut left_out = 0u32;
    for (id, target) in related.of_kind("aFChunk") {
        if depth.depth >= MAX_DEPTH || depth.documents >= MAX_DOCUMENTS {
            left_out += 1;
            continue;
        }
        depth.documents += 1;
        let Some(bytes) = package.beside(target, "document that is put in here") else { continue };
        depth.depth += 1;
        let read = read(source, target, &bytes, document, depth);
        depth.depth -= 1;
        match read {
            Ok(blocks) => drop(found.insert(id.to_owned(), blocks)),
            Err(error) => document.warn(format!("A document that is put in here is missing. {}", error.message)),
        }
    }
    if left_out > 0 {
        document.warn(format!(
            "{left_out} of the documents that are put in here were not read: at most {MAX_DOCUMENTS} are, up to {MAX_DEPTH} inside each other."
        ));
    }
    Ok(found)
}

fn read(
    source: &Source,
    target: &str,
    bytes: &[u8],
    document: &mut DocumentBuilder,
    depth: &mut Depth,
) -> Result<Vec<FlowBlock>> {
    let path = source.path.join(target);
    let source = &Source { path: &path, bytes, options: source.options };
    let mut inner = DocumentBuilder::new(source.limits().max_text_chars);
    inner.limit_attachments(source.limits());
    inner.follow(document.steps());
    let start = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let extension = target.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default();
    let begins = |with: &str| start.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with.as_bytes()));
    if zip::SIGNATURES.iter().any(|signature| bytes.starts_with(signature)) {
        Docx::read(source, &mut inner, depth)?;
    } else if start.starts_with(rtf::SIGNATURE) {
        Rtf.extract(source, &mut inner)?;
    } else if begins("MIME-Version:") || matches!(extension.as_str(), "mht" | "mhtml" | "eml") {
        let body = body_of(source);
        inner.push_verbatim(&body.text, &body.spans)?;
    } else if start.starts_with(b"<") || matches!(extension.as_str(), "htm" | "html" | "xhtml") {
        Html.extract(source, &mut inner)?;
    } else if bytes.contains(&0) && !bytes.starts_with(b"\xFF\xFE") && !bytes.starts_with(b"\xFE\xFF") {
        return Err(source.unreadable("it is neither HTML, a web archive, DOCX, RTF nor text"));
    } else {
        PlainText.extract(source, &mut inner)?;
    }
    let whole = inner.finish(FileFormat::Docx);
    whole
        .warnings
        .into_iter()
        .for_each(|warning| document.warn(format!("In a document that is put in here: {warning}")));
    for file in whole.attachments {
        document.attachments().push(&file.name, file.bytes);
    }
    let mut blocks = Vec::new();
    for (number, page) in whole.pages.iter().enumerate() {
        if number > 0 {
            blocks.push(FlowBlock { kind: BlockKind::Paragraph, text: PAGE_BREAK.to_string() });
        }
        let mut cursor = Cursor::new(&page.text);
        blocks.extend(page.blocks.iter().map(|block| FlowBlock {
            kind: block.kind.clone(),
            text: page.text[cursor.byte_range(block)].replace(is_reserved, " "),
        }));
    }
    Ok(blocks)
}

/// Puts the blocks of a document in their place. Its tables get numbers of their own.
pub(super) fn emit(blocks: Vec<FlowBlock>, flow: &mut Flow, sink: &mut Sink) -> Result<()> {
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    for mut block in blocks {
        match (&mut block.kind, &*sink) {
            (BlockKind::TableRow { table, .. }, Sink::Pages) => {
                flow.start_pending_page()?;
                *table = *numbers.entry(*table).or_insert_with(|| {
                    flow.table += 1;
                    flow.table - 1
                });
            }
            // Inside cells and text boxes a row is a paragraph.
            (kind @ BlockKind::TableRow { .. }, _) => *kind = BlockKind::Paragraph,
            _ if block.text.starts_with(PAGE_BREAK) => numbers.clear(),
            _ => {}
        }
        flow.emit(block, sink)?;
    }
    Ok(())
}
