use std::path::Path;

use casetrack_core::{Action, Error, ErrorCode, FileFormat, FileLimit, Hint, Limits, hint};

use super::extraction::{AUTO_LANGUAGES, ExtractOptions};

/// The input of an extractor: the whole file and its limits.
pub struct Source<'a> {
    pub path: &'a Path,
    pub bytes: &'a [u8],
    pub options: &'a ExtractOptions,
}

/// The hint for a file that exceeds a limit.
pub fn split_or_raise(limit: FileLimit) -> Hint {
    hint!["Split the file. Or, if you trust it, ", Action::RaiseLimit(limit), "."]
}

/// A note for a warning about a limit that was met. Warnings are kept with a document, so they have one wording for every reader.
pub fn can_be_raised(limit: FileLimit) -> String {
    format!(" (the limit on the {} can be raised)", limit.quantity())
}

impl<'a> Source<'a> {
    pub fn limits(&self) -> &'a Limits {
        &self.options.limits
    }

    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }

    pub fn stem(&self) -> String {
        self.path.file_stem().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }

    /// The format that the extension of the file name promises.
    pub fn promised_format(&self) -> Option<FileFormat> {
        FileFormat::from_extension(self.path.extension()?.to_str()?)
    }

    pub fn unreadable(&self, reason: impl std::fmt::Display) -> Error {
        Error::new(ErrorCode::UnreadableFile, format!("{} could not be read: {reason}", self.name())).with_hint(
            "The file may be damaged or incomplete. Open it in the program it was made with, save it again, then try \
             again.",
        )
    }

    pub fn needs_password(&self) -> Error {
        let (problem, check) = match self.options.password {
            None => ("needs a password", ""),
            Some(_) => ("could not be opened: the password is wrong", "Check the password. "),
        };
        Error::new(ErrorCode::NeedsPassword, format!("{} {problem}.", self.name())).with_hint(hint![
            check,
            Action::GivePassword,
            " Or save a copy without the password and ingest that copy."
        ])
    }

    /// `how` completes "… is encrypted in a way that is not supported".
    pub fn unsupported_encryption(&self, how: impl std::fmt::Display) -> Error {
        Error::new(
            ErrorCode::UnreadableFile,
            format!("{} is encrypted in a way that is not supported ({how}).", self.name()),
        )
        .with_hint("Save a copy without the password in the program it was made with, then ingest that copy.")
    }

    pub fn empty(&self, reason: &str) -> Error {
        Error::new(ErrorCode::EmptyFile, format!("{} {reason}", self.name())).with_hint(
            "There is nothing to search in it. If it shows text as pictures or drawings, recognise that text first.",
        )
    }

    /// The error for a file that holds nothing at all, not even a picture.
    pub fn without_content(&self, reason: &str) -> Error {
        self.empty(reason).with_hint("It holds nothing to read. If it should, copy or download it again.")
    }

    /// `what` completes "… is": "a scan".
    pub fn nothing_recognised(&self, what: &str) -> Error {
        let languages = match self.options.languages.as_str() {
            AUTO_LANGUAGES => String::new(),
            named => format!(" (languages: {named})"),
        };
        Error::new(
            ErrorCode::EmptyFile,
            format!("{} is {what} on which no text was recognised{languages}.", self.name()),
        )
        .with_hint(hint![
            "If it shows text in another language, ",
            Action::NameLanguages,
            ". On Debian and Ubuntu the data of a \
             language is in the package tesseract-ocr-LANGUAGE."
        ])
    }

    /// `what` completes "… is": "a JPEG image".
    pub fn unsupported(&self, what: &str) -> Error {
        Error::new(
            ErrorCode::UnsupportedFormat,
            format!("{} is {what}; CaseTrack cannot read this format.", self.name()),
        )
        .with_hint(
            "Open it in the program that made it, export it as PDF or another format that CaseTrack reads, and ingest that.",
        )
    }

    /// `what` completes "… is too large: ".
    pub fn too_large(&self, limit: FileLimit, what: impl std::fmt::Display) -> Error {
        Error::new(ErrorCode::FileTooLarge, format!("{} is too large: {what}.", self.name()))
            .with_hint(split_or_raise(limit))
    }
}
