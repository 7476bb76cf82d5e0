//! Excel workbooks of Excel 5.0 to 2003 ([MS-XLS]): BIFF8, and BIFF5 with its strings in the code page of the file.

mod globals;
mod records;
mod strings;
pub(super) mod worksheet;

use casetrack_core::Result;

use self::globals::Globals;
use super::sheet::{Sheet, write_all};
use crate::build::DocumentBuilder;
use crate::container::ole::CompoundFile;
use crate::model::Source;
use crate::office::embedded::Embedded;
use crate::office::summary_information;

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
    write_all(source, document, globals.listed.iter(), |listed| {
        let mut sheet = Sheet::new(listed.name.clone(), listed.visibility);
        match stream.get(listed.at..) {
            Some(substream) => worksheet::read(&globals, substream, &mut sheet)?,
            None => sheet.problem = Some("it lies beyond the end of the file".into()),
        }
        Ok(sheet)
    })?;
    let objects = container.root_entries().into_iter().filter(|entry| entry.name.starts_with("MBD"));
    Embedded::of_storages(&container, objects, document)
}

#[cfg(test)]
mod tests;
