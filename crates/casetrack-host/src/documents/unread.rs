//! The files and parts of files that were not read, or read with loss.
//!
//! A part of a container that was not read is in the record of the container's document, and goes where that goes. A file on disk has no
//! document; the collection has a note of it, which ingestion and syncs keep up to date.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use casetrack_core::remarks::{DECRYPT_MAIL, ENCRYPTED_MAIL, LINK_ONLY, OPEN_LINK, is_remark};
use casetrack_core::{
    Action, CollectionId, DocumentId, DocumentMeta, Error, ErrorCode, Hint, Result, UnreadPart, hint,
};
use casetrack_store::Collection;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Host;
use crate::report::{FailedFile, Problem, SkipReason, SkippedFile};

/// The name of the note in the collection.
pub(super) const NOTE: &str = "unread";
/// The code of a document of which a part was not read.
const PARTLY_READ: &str = "partly_read";

/// A file, or a part of one, that was not read or read with loss.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct UnreadFile {
    /// Name of the file; of a part, its name inside the container; of a document that was read with loss, its name.
    pub name: String,
    /// Path of the file; of a part, the path of its container, a slash and its name.
    pub path: String,
    /// Name of the document that the part is inside. Absent for other files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// The document that is incomplete: the container, or the document that was read with loss. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_id: Option<DocumentId>,
    /// Stable snake_case name, such as `unsupported_format`; `partly_read` for a document that was read with loss.
    pub code: String,
    /// Why, in words for the user.
    pub reason: String,
    /// The remedy.
    #[schemars(with = "Option<String>")]
    pub hint: Option<Hint>,
}

/// The files on disk that work read or did not read; files inside others are left out.
#[derive(Default)]
pub struct ReadingOutcomes {
    read: HashSet<String>,
    unread: Vec<FailedFile>,
}

impl ReadingOutcomes {
    pub fn read<'p>(&mut self, paths: impl Iterator<Item = &'p str>) {
        self.read.extend(paths.map(str::to_owned));
    }

    pub fn failed(&mut self, files: &[FailedFile]) {
        let on_disk = files.iter().filter(|file| file.container.is_none() && Path::new(&file.path).is_file());
        self.unread.extend(on_disk.cloned());
    }

    /// Adds files that were skipped, for any reason.
    pub fn skipped(&mut self, files: &[SkippedFile]) {
        for file in files {
            match file.reason {
                SkipReason::Unchanged | SkipReason::Duplicate => drop(self.read.insert(file.path.clone())),
                SkipReason::Denied => {}
                SkipReason::Unsupported => self.failed(&[FailedFile {
                    relative_path: file.relative_path.clone(),
                    path: file.path.clone(),
                    container: file.container.clone(),
                    problem: Problem {
                        code: ErrorCode::UnsupportedFormat.name().to_owned(),
                        message: file.detail.clone(),
                        hint: file.hint.clone(),
                    },
                }]),
            }
        }
    }

    /// Brings the note up to date: files that were read leave it, as do those that `is_gone`.
    pub fn record(self, collection: &Collection, is_gone: impl Fn(&str) -> bool) -> Result<()> {
        let before = noted(collection);
        let mut after = before.clone();
        after.retain(|path, _| !self.read.contains(path) && !is_gone(path));
        after.extend(self.unread.into_iter().map(|file| (file.path.clone(), file)));
        let bytes = |files: &BTreeMap<String, FailedFile>| {
            let files: Vec<&FailedFile> = files.values().collect();
            serde_json::to_vec(&files).map_err(|error| Error::internal(error.to_string()))
        };
        let (old, new) = (bytes(&before)?, bytes(&after)?);
        if old == new { Ok(()) } else { collection.set_note(NOTE, &new) }
    }
}

/// All files and parts that were not read, then those that were read with loss, by path.
pub fn list_unread(host: &Host, collection: CollectionId) -> Result<Vec<UnreadFile>> {
    let collection = host.collection(collection)?;
    let mut unread: Vec<UnreadFile> = noted(&collection).into_values().map(UnreadFile::of_file).collect();
    let mut lossy = Vec::new();
    for meta in collection.documents()? {
        unread.extend(meta.unread_parts.iter().map(|part| UnreadFile::of_part(&meta, part)));
        let own: HashSet<String> = meta.unread_parts.iter().map(UnreadPart::warning).collect();
        let warnings = meta.warnings.iter().filter(|warning| !own.contains(*warning) && !is_remark(warning));
        lossy.extend(warnings.map(|warning| UnreadFile::of_loss(&meta, warning)));
    }
    unread.sort_by(|a, b| a.path.cmp(&b.path));
    unread.extend(lossy);
    Ok(unread)
}

impl UnreadFile {
    fn of_file(file: FailedFile) -> Self {
        let FailedFile { relative_path, path, problem: Problem { code, message, hint }, .. } = file;
        let hint = hint.or_else(|| remedy(&code, None));
        Self { name: relative_path, path, container: None, document_id: None, code, reason: message, hint }
    }

    fn of_part(meta: &DocumentMeta, part: &UnreadPart) -> Self {
        // A password is given for the container.
        let own = part.hint.clone().filter(|_| part.code != ErrorCode::NeedsPassword.name());
        let own = own.map(|hint| with_place(hint, &meta.name));
        let hint = own.or_else(|| remedy(&part.code, Some(&meta.name)));
        Self {
            name: part.name.clone(),
            path: format!("{}/{}", meta.path, part.name),
            container: Some(meta.name.clone()),
            document_id: Some(meta.id),
            code: part.code.clone(),
            reason: part.warning(),
            hint,
        }
    }

    fn of_loss(meta: &DocumentMeta, warning: &str) -> Self {
        Self {
            name: meta.name.clone(),
            path: meta.path.clone(),
            container: None,
            document_id: Some(meta.id),
            code: PARTLY_READ.to_owned(),
            reason: warning.to_owned(),
            hint: remedy_for_loss(warning).map(Into::into),
        }
    }
}

fn remedy_for_loss(warning: &str) -> Option<&'static str> {
    match warning {
        ENCRYPTED_MAIL => Some(DECRYPT_MAIL),
        LINK_ONLY => Some(OPEN_LINK),
        _ => None,
    }
}

/// The advice of a file that is inside another. Words that begin with "It" report that there is nothing to do.
fn with_place(hint: Hint, container: &str) -> Hint {
    match hint.plain() {
        Some(words) if words.starts_with("It ") => hint,
        _ => Hint::from(format!("Save it from {container} first. ")).followed_by(hint),
    }
}

/// The remedy for a file that was not read, which may be inside another.
fn remedy(code: &str, container: Option<&str>) -> Option<Hint> {
    let save = match container {
        Some(container) => format!("Save it from {container}, "),
        None => String::new(),
    };
    let open = |then: &str| -> Hint {
        match container {
            Some(_) => format!("{save}{then}").into(),
            None => format!("{}{}", then[..1].to_ascii_uppercase(), &then[1..]).into(),
        }
    };
    Some(match ErrorCode::from_name(code) {
        ErrorCode::NeedsPassword => hint!["Add it again: ", Action::GivePassword, "."],
        ErrorCode::UnsupportedFormat => open(
            "open it in the program that made it, export it as PDF or another format that CaseTrack reads, and add that file.",
        ),
        ErrorCode::EmptyFile => {
            open("open it: if it shows text, export it as PDF, or scan it at 300 dpi, and add that file.")
        }
        ErrorCode::UnreadableFile => open("open it in the program that made it, save it again, and add that file."),
        _ => return None,
    })
}

/// The files on disk that were not read, by path. Without a readable note there are none until the next sync.
fn noted(collection: &Collection) -> BTreeMap<String, FailedFile> {
    let note = collection.note(NOTE).and_then(|bytes| {
        let parse = |bytes: Vec<u8>| serde_json::from_slice(&bytes).map_err(|error| Error::internal(error.to_string()));
        bytes.map_or_else(|| Ok(Vec::<FailedFile>::new()), parse)
    });
    let files = note.unwrap_or_else(|error| {
        tracing::warn!(%error, "the list of files that were not read cannot be read");
        Vec::new()
    });
    files.into_iter().map(|file| (file.path.clone(), file)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_about_a_part_fits_what_it_is() {
        let advice = |hint: &str| with_place(Hint::from(hint.to_owned()), "letter.eml").plain().unwrap();
        assert_eq!(advice("Plot it to PDF."), "Save it from letter.eml first. Plot it to PDF.");
        let nothing_to_do = "It holds no document, so nothing is lost.";
        assert_eq!(advice(nothing_to_do), nothing_to_do);
    }
}
