//! Excel workbooks of Excel 5.0 to 2003 ([MS-XLS]): BIFF8, and BIFF5 with its strings in the code page of the file.

mod globals;
mod records;
mod strings;
pub(super) mod worksheet;

use casetrack_core::Result;
use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::container::ole::{CompoundFile, u16_at};
use casetrack_pages::model::Source;
use casetrack_pages::office::art::{self, Records, Store};
use casetrack_pages::office::embedded_files::EmbeddedFiles;
use casetrack_pages::office::summary_information;

use self::globals::Globals;
use super::sheet::{Picture, Sheet, write_all};
use super::{MAX_COLUMNS, MAX_ROWS};
use crate::formats::pictures::Pictures;

pub(super) fn read(source: &Source, document: &mut DocumentBuilder) -> Result<()> {
    let container = CompoundFile::of(source)?;
    if let Some(title) = summary_information::read(&container, document) {
        document.set_title(&title);
    }
    let stream = container
        .stream(&["Workbook"])
        .or_else(|| container.stream(&["Book"]))
        .ok_or_else(|| source.unreadable("it has no workbook stream"))?;
    let globals = Globals::read(source, &stream)?;
    if globals.listed.is_empty() {
        return Err(source.unreadable("it has no worksheet"));
    }
    let store = Store::of(Records::of(&globals.drawing_group));
    let mut reader = Pictures::new(source, document);
    write_all(source, document, globals.listed.iter(), |listed| {
        let mut sheet = Sheet::new(listed.name.clone(), listed.visibility);
        let mut drawing = Vec::new();
        match stream.get(listed.at..) {
            Some(substream) => worksheet::read(&globals, substream, &mut sheet, &mut drawing)?,
            None => sheet.problem = Some("it is beyond the end of the file".into()),
        }
        for shape in art::picture_shapes(Records::of(&drawing)) {
            let text = store.picture(shape.picture, &[]).and_then(|bytes| reader.read(&bytes));
            sheet.pictures.extend(text.map(|text| Picture { place: cell_of(shape.anchor), text }));
        }
        Ok(sheet)
    })?;
    reader.finish(document);
    let objects = container.root_entries().into_iter().filter(|entry| entry.name.starts_with("MBD"));
    EmbeddedFiles::of_storages(&container, objects, document)
}

/// Row and column, from 1, of the cell in which a shape begins (2.5.193).
fn cell_of(anchor: &[u8]) -> Option<(u32, u32)> {
    let number = |at| u16_at(anchor, at).map(|number| u32::from(number) + 1);
    number(6).zip(number(2)).filter(|(row, column)| *row <= MAX_ROWS && *column <= MAX_COLUMNS)
}

#[cfg(test)]
mod tests;
