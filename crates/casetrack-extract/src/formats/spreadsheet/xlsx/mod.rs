//! Excel workbooks in XML ([ECMA-376] Part 1, SpreadsheetML), transitional and strict.

mod drawing;
mod parts;
mod worksheet;

use std::collections::{HashMap, HashSet};

use casetrack_core::Result;
use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::container::opc::{Package, Relationships};
use casetrack_pages::model::Source;
use casetrack_pages::office::embedded_files::EmbeddedFiles;
use casetrack_pages::office::properties;
use casetrack_pages::text::encoding;

use self::parts::{SheetEntry, Workbook};
use self::worksheet::WorkbookParts;
use super::number_format::Formats;
use super::sheet::{Picture, Sheet, write_all};
use crate::formats::pictures::Pictures;

pub(super) fn read(source: &Source, document: &mut DocumentBuilder) -> Result<()> {
    let mut package = Package::open(source)?;
    let root = package.relationships_of("");
    if let Some(title) = properties::of_package(&mut package, &root, document) {
        document.set_title(&title);
    }
    let names = package.names();
    let has = |name: &str| names.iter().any(|part| part.eq_ignore_ascii_case(name));
    let main = root.target("officeDocument").filter(|name| has(name)).map(str::to_owned).unwrap_or_else(|| {
        let is_main = |name: &&String| name.to_ascii_lowercase().ends_with("workbook.xml");
        names.iter().find(is_main).cloned().unwrap_or_else(|| "xl/workbook.xml".into())
    });
    let related = package.relationships_of(&main);
    let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (mut strings, mut formats, mut persons) = (Vec::new(), Vec::new(), HashMap::new());
    for (kind, usual, holds) in [
        ("sharedStrings", "sharedStrings.xml", "shared texts"),
        ("styles", "styles.xml", "number formats"),
        ("person", "persons/person.xml", "names of comment authors"),
    ] {
        let usual = format!("{folder}/{usual}");
        let name = related.target(kind).or(Some(&*usual).filter(|usual| has(usual)));
        let Some(name) = name else { continue };
        package.read_beside(name, holds, |xml| match kind {
            "sharedStrings" => parts::shared_strings(xml, &mut strings),
            "styles" => parts::number_formats(xml, &mut formats),
            _ => parts::persons(xml, &mut persons),
        })?;
    }
    let mut workbook = Workbook::default();
    if let Some(bytes) = package.part(&main)?
        && let Err(error) = workbook.read(&decoded(&bytes))
    {
        package.warn_of_end("list of sheets", &main, &error);
    }

    let formats = Formats { by_style: formats, epoch_1904: workbook.epoch_1904 };
    let is_uncalculated = workbook.is_uncalculated;
    let shared = WorkbookParts { source, strings, formats, persons };
    let listed = sheets(workbook, &related, &package, document);
    if listed.is_empty() {
        return Err(source.unreadable("it has no worksheet"));
    }
    let mut pictures = Pictures::new(source, document);
    write_all(source, document, listed, |(listed, target)| {
        let mut sheet = Sheet::new(listed.name, listed.visibility);
        read_sheet(&shared, &mut package, target.as_deref(), &mut pictures, &mut sheet)?;
        // Excel leaves no results that are to be calculated again; programs that cannot calculate leave zeros.
        if !is_uncalculated || sheet.results.other > 0 {
            sheet.results.zero = 0;
        }
        Ok(sheet)
    })?;
    pictures.finish(document);
    EmbeddedFiles::of_package(&mut package, document)
}

/// The sheets in the order of the workbook with the names of their parts; if the list is damaged, the parts themselves.
fn sheets(
    workbook: Workbook,
    related: &Relationships,
    package: &Package,
    document: &mut DocumentBuilder,
) -> Vec<(SheetEntry, Option<String>)> {
    let found = |listed: SheetEntry| {
        let target = related.target_of_id(&listed.relationship).map(str::to_owned);
        (listed, target)
    };
    let mut sheets: Vec<_> = workbook.sheets.into_iter().map(found).collect();
    if sheets.iter().any(|(_, target)| target.is_some()) {
        // Modules of macros are listed, too, without a part.
        sheets.retain(|(listed, _)| !listed.relationship.is_empty());
        return sheets;
    }
    let parts = package.numbered("worksheets/sheet");
    if !parts.is_empty() {
        document.warn("The list of sheets is damaged; they are in the order of their file names.");
    }
    let mut names = sheets.into_iter().map(|(listed, _)| listed);
    let listed = parts.into_iter().map(|(number, part)| {
        let unnamed = || SheetEntry { name: format!("Sheet{number}"), ..SheetEntry::default() };
        (names.next().unwrap_or_else(unnamed), Some(part))
    });
    listed.collect()
}

fn read_sheet(
    shared: &WorkbookParts,
    package: &mut Package,
    target: Option<&str>,
    pictures: &mut Pictures,
    sheet: &mut Sheet,
) -> Result<()> {
    if let Some(bytes) = sheet.part(package, target)? {
        worksheet::read(shared, &decoded(&bytes), sheet)?;
    }
    let related = target.map(|target| package.relationships_of(target)).unwrap_or_default();
    read_comments(shared, package, &related, sheet)?;
    for table in related.targets("table") {
        package.read_beside(table, "header of a table", |xml| parts::table_header(xml, &mut sheet.header_rows))?;
    }
    read_drawings(package, &related, pictures, sheet)
}

/// Texts and pictures that are drawn over the cells of a sheet with these relationships.
pub(super) fn read_drawings(
    package: &mut Package,
    related: &Relationships,
    pictures: &mut Pictures,
    sheet: &mut Sheet,
) -> Result<()> {
    for drawing in related.targets("drawing") {
        let mut anchored = Vec::new();
        package.read_beside(drawing, "drawings", |xml| {
            drawing::texts(xml, &mut sheet.texts)?;
            drawing::pictures(xml, &mut anchored)
        })?;
        let related = package.relationships_of(drawing);
        for (place, id) in anchored {
            // A linked one is outside the package.
            let Some(target) = related.target_of_id(&id).filter(|target| package.has(target)) else { continue };
            let text = package.beside(target, "picture").and_then(|bytes| pictures.read(&bytes));
            sheet.pictures.extend(text.map(|text| Picture { place, text }));
        }
        for diagram in related.targets("diagramData") {
            package.read_beside(diagram, "diagram", |xml| drawing::texts(xml, &mut sheet.texts))?;
        }
        for chart in related.targets("chart").chain(related.targets("chartEx")) {
            package.read_beside(chart, "titles of a chart", |xml| drawing::chart_titles(xml, &mut sheet.texts))?;
        }
    }
    Ok(())
}

fn read_comments(
    shared: &WorkbookParts,
    package: &mut Package,
    related: &Relationships,
    sheet: &mut Sheet,
) -> Result<()> {
    for threaded in related.targets("threadedComment") {
        let read = |xml: &str| parts::threaded_comments(xml, &shared.persons, &mut sheet.comments);
        package.read_beside(threaded, "comments", read)?;
    }
    // For older programs, each thread is repeated as a comment.
    let threads: HashSet<(u32, u32)> = sheet.comments.iter().map(|comment| (comment.row, comment.column)).collect();
    for part in related.targets("comments") {
        let mut comments = Vec::new();
        package.read_beside(part, "comments", |xml| parts::comments(xml, &mut comments))?;
        comments.retain(|comment| !threads.contains(&(comment.row, comment.column)));
        sheet.comments.append(&mut comments);
    }
    Ok(())
}

fn decoded(bytes: &[u8]) -> String {
    encoding::decode_xml(bytes).into_owned()
}

#[cfg(test)]
mod tests;
