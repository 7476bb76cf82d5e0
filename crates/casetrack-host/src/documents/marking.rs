//! The user's own marks: tags and fields on documents, set one by one, from a table, or from the folders of the files.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use casetrack_core::marks::{Marks, same};
use casetrack_core::{CollectionId, DocumentId, Error, Notice, Result};
use casetrack_store::{CatalogueEntry, Collection};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document_named;
use crate::Host;

/// Most documents named in a report.
const MAX_NAMED: usize = 100;
/// Headers of the column that names the document, in a table.
const DOCUMENT_COLUMNS: [&str; 8] =
    ["document", "document name", "document_name", "file", "filename", "file name", "path", "name"];
/// Headers of the column with tags, separated by semicolons.
const TAG_COLUMNS: [&str; 2] = ["tags", "tag"];

/// Changes of marks. Removals come first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkChanges {
    pub add_tags: Vec<String>,
    pub remove_tags: Vec<String>,
    /// `name=value`; an empty value clears the field.
    pub set_fields: Vec<String>,
    pub clear_fields: Vec<String>,
}

impl MarkChanges {
    fn apply(&self, marks: &mut Marks) -> Result<()> {
        self.remove_tags.iter().for_each(|tag| marks.remove_tag(tag));
        self.clear_fields.iter().for_each(|name| marks.clear_field(name));
        self.add_tags.iter().try_for_each(|tag| marks.add_tag(tag))?;
        for field in &self.set_fields {
            match field.split_once('=') {
                Some((name, value)) if value.trim().is_empty() => marks.clear_field(name),
                Some((name, value)) => marks.set_field(name, value)?,
                None => {
                    return Err(Error::invalid(format!("\"{field}\" is not a field with its value."))
                        .with_hint("Write it as custodian=Smith."));
                }
            }
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MarkReport {
    pub collection: String,
    /// Documents that have other marks now, and those that had them already.
    pub changed: u64,
    pub unchanged: u64,
    /// The documents with their marks as they are now, at most 100.
    pub documents: Vec<MarkedDocument>,
    /// Rows of a table that were left out, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MarkedDocument {
    pub document_name: String,
    pub marks: Marks,
}

/// A table with the tags and fields of documents.
#[derive(Debug, Clone, Default)]
pub struct MarkTable {
    /// CSV with a header: a column that names the document, one of tags, and a field in every other one. Empty cells change nothing.
    pub csv: String,
    /// Header of the column that names the document; `None` for a usual one, such as "document" or "path".
    pub document_column: Option<String>,
}

/// The source of the marks of the documents that a job brings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkSource {
    /// The names of the folders of a file, below the folder that the job reads.
    pub folders: bool,
    /// A table, as [`MarkTable::csv`] has it.
    pub csv: Option<String>,
}

/// Changes the tags and fields of documents, named as elsewhere. All are changed in one step, or none.
pub fn mark_documents(
    host: &Host,
    collection: CollectionId,
    names: &[String],
    changes: &MarkChanges,
) -> Result<MarkReport> {
    if names.is_empty() {
        return Err(Error::invalid("No document was named.").with_hint("Name one or more documents."));
    }
    if *changes == MarkChanges::default() {
        return Err(
            Error::invalid("There is nothing to change.").with_hint("Name tags or fields to add, set or remove.")
        );
    }
    let collection = host.collection_to_change(collection)?;
    let documents: Vec<DocumentId> =
        names.iter().map(|name| document_named(&collection, name).map(|meta| meta.id)).collect::<Result<_>>()?;
    mark(&collection, documents.into_iter().map(|document| (document, changes.clone())).collect(), Vec::new())
}

/// Sets tags and fields from a table. Rows that name no document, or more than one, are left out and reported.
pub fn mark_from_table(host: &Host, collection: CollectionId, table: &MarkTable) -> Result<MarkReport> {
    let collection = host.collection_to_change(collection)?;
    let (rows, mut problems) = rows(table)?;
    let mut changes = Vec::new();
    for (line, name, row) in rows {
        let checked = row.apply(&mut Marks::default());
        match checked.and_then(|()| document_named(&collection, &name)) {
            Ok(document) => changes.push((document.id, row)),
            Err(error) => problems.push(format!("Line {line}: {}", error.message)),
        }
    }
    mark(&collection, changes, problems)
}

/// Tags every document with the names of the folders of its file, below the folder that all files share.
pub fn mark_from_folders(host: &Host, collection: CollectionId) -> Result<MarkReport> {
    let collection = host.collection_to_change(collection)?;
    let catalogue = collection.catalogue()?;
    let mut shared: Option<Vec<String>> = None;
    let containers: Vec<&str> =
        catalogue.iter().filter(|entry| entry.is_container).map(|entry| entry.path.as_str()).collect();
    let folders: Vec<(DocumentId, Vec<String>)> =
        catalogue.iter().map(|entry| (entry.id, folders(entry, &containers))).collect();
    for (_, folders) in &folders {
        shared = Some(match shared {
            None => folders.clone(),
            Some(shared) => shared.into_iter().zip(folders).take_while(|(a, b)| a == *b).map(|(a, _)| a).collect(),
        });
    }
    let skipped = shared.map_or(0, |shared| shared.len());
    let tagged = folders.into_iter().map(|(document, folders)| {
        let add_tags = folders.into_iter().skip(skipped).collect();
        (document, MarkChanges { add_tags, ..MarkChanges::default() })
    });
    mark(&collection, tagged.filter(|(_, changes)| !changes.add_tags.is_empty()).collect(), Vec::new())
}

/// Refuses a table that cannot be read, before the work that its marks are for.
pub fn check_marks(source: &MarkSource) -> Result<()> {
    match &source.csv {
        Some(csv) => rows(&MarkTable { csv: csv.clone(), document_column: None }).map(drop),
        None => Ok(()),
    }
}

/// Marks documents after the work that brought them: those below its folders, or `only` some of them. The work is already done, so notices report
/// errors and the marked documents.
pub fn mark_from(
    host: &Host,
    collection: CollectionId,
    source: &MarkSource,
    roots: &[PathBuf],
    only: Option<&HashSet<DocumentId>>,
) -> Vec<Notice> {
    let mut notices = Vec::new();
    let mut say = |what: &str, done: Result<MarkReport>| match done {
        Ok(report) => {
            notices.push(format!("Tagged from {what}: {} of the collection's documents.", report.changed).into());
            if let Some(first) = report.problems.first() {
                let count = report.problems.len();
                notices.push(format!("Rows of the table that were left out: {count}. {first}").into());
            }
        }
        Err(error) => notices.push(format!("Documents were not tagged from {what}: {}", error.message).into()),
    };
    if source.folders {
        say("the names of folders", mark_below(host, collection, roots, only));
    }
    if let Some(csv) = &source.csv {
        let table = MarkTable { csv: csv.clone(), document_column: None };
        say("the table", mark_from_table(host, collection, &table));
    }
    notices
}

/// Tags documents with the names of the folders of their files, below some folders.
fn mark_below(
    host: &Host,
    collection: CollectionId,
    roots: &[PathBuf],
    only: Option<&HashSet<DocumentId>>,
) -> Result<MarkReport> {
    let collection = host.collection_to_change(collection)?;
    let catalogue = collection.catalogue()?;
    let containers: Vec<&str> =
        catalogue.iter().filter(|entry| entry.is_container).map(|entry| entry.path.as_str()).collect();
    // Paths of documents have symbolic links resolved, or not, as the work found them.
    let real = roots.iter().filter_map(|root| casetrack_core::real_path(root).ok());
    let roots: Vec<PathBuf> = roots.iter().cloned().chain(real).collect();
    let wanted = catalogue.iter().filter(|entry| only.is_none_or(|only| only.contains(&entry.id)));
    let tagged = wanted.filter_map(|entry| {
        let folder = folder(entry, &containers)?;
        let below = roots.iter().filter_map(|root| folder.strip_prefix(root).ok());
        let add_tags = names(below.min_by_key(|below| below.as_os_str().len())?);
        (!add_tags.is_empty()).then(|| (entry.id, MarkChanges { add_tags, ..MarkChanges::default() }))
    });
    mark(&collection, tagged.collect(), Vec::new())
}

fn folders(entry: &CatalogueEntry, containers: &[&str]) -> Vec<String> {
    folder(entry, containers).map(names).unwrap_or_default()
}

/// The folder of a document's file. A file inside a container has the folder of the container.
fn folder<'e>(entry: &'e CatalogueEntry, containers: &[&'e str]) -> Option<&'e Path> {
    let is_inside = |container: &&str| entry.path.strip_prefix(*container).is_some_and(|rest| rest.starts_with('/'));
    let outermost = containers.iter().copied().filter(is_inside).min_by_key(|container| container.len());
    Path::new(outermost.unwrap_or(&entry.path)).parent()
}

fn names(folder: &Path) -> Vec<String> {
    let name = |component| match component {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    };
    folder.components().filter_map(name).collect()
}

/// Applies changes in one step; several of one document in their order.
fn mark(collection: &Collection, changes: Vec<(DocumentId, MarkChanges)>, problems: Vec<String>) -> Result<MarkReport> {
    let mut by_document: HashMap<DocumentId, Vec<MarkChanges>> = HashMap::new();
    let mut documents: Vec<DocumentId> = Vec::new();
    for (document, change) in changes {
        let known = by_document.entry(document).or_default();
        if known.is_empty() {
            documents.push(document);
        }
        known.push(change);
    }
    let changed = collection.change_marks(&documents, |document, marks| {
        by_document.get(&document).into_iter().flatten().try_for_each(|change| change.apply(marks))
    })?;
    let mut shown = Vec::new();
    for document in documents.iter().take(MAX_NAMED) {
        if let Some(meta) = collection.document(*document)? {
            shown.push(MarkedDocument { document_name: meta.name, marks: meta.marks });
        }
    }
    Ok(MarkReport {
        collection: collection.meta().name.clone(),
        changed,
        unchanged: (documents.len() as u64).saturating_sub(changed),
        documents: shown,
        problems,
    })
}

/// The number of a line, the name of a document, and what to change of it.
type Row = (u64, String, MarkChanges);

fn rows(table: &MarkTable) -> Result<(Vec<Row>, Vec<String>)> {
    let text = table.csv.trim_start_matches('\u{feff}');
    let header = text.lines().next().unwrap_or_default();
    let delimiter = [b',', b';', b'\t']
        .into_iter()
        .max_by_key(|delimiter| (header.bytes().filter(|byte| byte == delimiter).count(), *delimiter == b','));
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter.unwrap_or(b',')).flexible(true).from_reader(text.as_bytes());
    let unreadable = |error: csv::Error| Error::invalid(format!("The table cannot be read: {error}."));
    let headers: Vec<String> =
        reader.headers().map_err(unreadable)?.iter().map(|name| name.trim().to_owned()).collect();
    let named = |names: &[&str]| names.iter().find_map(|name| headers.iter().position(|header| same(header, name)));
    let document = match &table.document_column {
        Some(column) => named(&[column]),
        None => named(&DOCUMENT_COLUMNS),
    };
    let Some(document) = document else {
        let message = match &table.document_column {
            Some(column) => format!("The table has no column \"{column}\"."),
            None => "The table has no column that names the document.".to_owned(),
        };
        let found = headers.join(", ");
        return Err(Error::invalid(message).with_hint(format!(
            "Its first line must name the columns, one of them document, file or path. It has: {found}."
        )));
    };
    let tags = named(&TAG_COLUMNS).filter(|tags| *tags != document);
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                problems.push(format!("A row cannot be read: {error}."));
                continue;
            }
        };
        let line = record.position().map_or(0, csv::Position::line);
        let mut changes = MarkChanges::default();
        for (column, (header, cell)) in headers.iter().zip(&record).enumerate() {
            let cell = cell.trim();
            if cell.is_empty() || column == document || header.is_empty() {
                continue;
            }
            if Some(column) == tags {
                changes
                    .add_tags
                    .extend(cell.split(';').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned));
            } else {
                changes.set_fields.push(format!("{header}={cell}"));
            }
        }
        match record.get(document).map(str::trim) {
            Some(name) if !name.is_empty() => rows.push((line, name.to_owned(), changes)),
            _ if changes == MarkChanges::default() => {}
            _ => problems.push(format!("Line {line}: no document is named.")),
        }
    }
    Ok((rows, problems))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_says_what_to_note_of_each_document() {
        let csv = "\u{feff}Custodian;File;Tags\nAnn Lee;a.pdf;hot; \n;b.pdf;\"privileged; hot\"\n;;\nX;;\n";
        let (rows, problems) = rows(&MarkTable { csv: csv.to_owned(), document_column: None }).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].0, rows[0].1.as_str()), (2, "a.pdf"));
        assert_eq!(
            (&rows[0].2.add_tags, &rows[0].2.set_fields),
            (&vec!["hot".to_owned()], &vec!["Custodian=Ann Lee".to_owned()])
        );
        assert_eq!(rows[1].2.add_tags, ["privileged", "hot"]);
        assert_eq!(problems, ["Line 5: no document is named."]);
        let other = MarkTable { csv: "id,x\na,1\n".to_owned(), document_column: Some("ID".to_owned()) };
        assert_eq!(super::rows(&other).unwrap().0[0].1, "a");
        assert!(super::rows(&MarkTable { document_column: None, ..other }).is_err());
    }
}
