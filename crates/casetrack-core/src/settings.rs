//! The settings file of a data directory, `config.toml`. It is optional, and so is every key.
//!
//! ```toml
//! toolsets = ["all"]              # the only tools assistants may use; without it all can be called
//! read_only = false               # only tools that change nothing
//! allowed_roots = ["~/Matters"]   # files elsewhere are not read; default: any
//! deny = ["Private", "*.pst"]     # never read, besides keys and credentials (see `DENIED` in casetrack-host/src/access.rs)
//! tool_names = "literal"          # or "safe": only letters, digits, _ and -, for clients that refuse other names
//! citations = "full"              # or "short", "bates", or a template: "{document}, {page} [{bates}]"
//!
//! [store]
//! url = "disk"                    # or the address of a database: "postgres://user@host:5432/database" (docs/postgresql.md)
//!
//! [summaries]
//! model = "none"                  # or "client": the model of the assistant writes summaries of search results, if it offers that
//!
//! [language_model]                # a server with the chat API of OpenAI writes summaries and queries; default: none
//! url = "http://127.0.0.1:11434/v1"
//! model = "llama3.2"
//! key = "env:LLM_KEY"             # or "file:llm.key"; default: no key
//! timeout_seconds = 60            # 1 to 600
//!
//! [vault]
//! lock_after = "30m"              # lock a vault that was not used for so long: 1s to 7 days, in s, m or h
//!
//! [audit]
//! enabled = true                  # a line for each tool call in audit.jsonl
//! queries = false                 # also record the queries
//!
//! [serve]
//! folders = ["/srv/matters"]      # users of `casetrack serve` may ingest from these folders; default: none
//!
//! [serve.oidc]                    # users of `casetrack serve` may show access tokens of this provider
//! issuer = "https://login.firm.example"
//! audience = "casetrack"          # the audience that their tokens must have in `aud`
//! claim = "sub"                   # or "email", or another that identifies users
//!
//! [limits]
//! calls_per_minute = 6000         # of one session; 1 to 100,000
//! concurrent_calls = 8            # of one session; 1 to 64
//! result_chars = 60000            # characters of an answer, in text and in structured content; 5,000 to 10,000,000
//! ```
//!
//! The access settings, `citations`, `store` and `vault` also hold on the command line; the others concern the sessions
//! of assistants.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::citation::CitationStyle;
use crate::error::{Error, Result};
use crate::language_model::LanguageModelSettings;
use crate::password::Password;

/// Name of the file in the data directory.
pub const FILE: &str = "config.toml";
/// The users of a server for a team, in the data directory.
pub const USERS: &str = "users.json";

/// See the module. Options of the command line take precedence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The tools that a session is limited to. Without it, [`Toolset::DEFAULT`] are listed and every tool can be called.
    pub toolsets: Option<Vec<Toolset>>,
    pub read_only: bool,
    pub allowed_roots: Vec<PathBuf>,
    pub deny: Vec<String>,
    pub citations: Option<CitationStyle>,
    pub tool_names: ToolNames,
    /// Folders that tools about files may look into, besides the allowed roots. Named when a session starts.
    #[serde(skip)]
    pub roots: Vec<PathBuf>,
    pub store: StoreSettings,
    pub summaries: Summaries,
    pub language_model: Option<LanguageModelSettings>,
    pub vault: VaultSettings,
    pub audit: AuditSettings,
    pub serve: ServeSettings,
    pub limits: CallLimits,
}

/// Settings of a server for a team.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServeSettings {
    /// Folders of the server that editors may ingest from. Default none: only their uploads.
    pub folders: Vec<PathBuf>,
    pub oidc: Option<OidcSettings>,
}

/// A provider of OpenID Connect whose access tokens users may show.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcSettings {
    /// Its address, as in `iss` of its tokens.
    pub issuer: String,
    /// The audience that `aud` of its tokens must have.
    pub audience: String,
    /// The claim that identifies users. Default `sub`, the only one that the standard promises never to give to another user.
    #[serde(default = "subject")]
    pub claim: String,
}

fn subject() -> String {
    "sub".to_owned()
}

/// The store of the collections.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreSettings {
    /// `disk`, or the address of a database. It may hold a password.
    pub url: Option<Password>,
}

/// Settings of vaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VaultSettings {
    /// A vault is locked when it has not been used for this time. Default 30 minutes.
    #[serde(deserialize_with = "written_duration")]
    pub lock_after: Duration,
}

impl Default for VaultSettings {
    fn default() -> Self {
        Self { lock_after: Duration::from_secs(30 * 60) }
    }
}

/// Reads a time such as `90s`, `30m` or `2h`: one second to seven days.
pub fn duration(text: &str) -> std::result::Result<Duration, String> {
    let unit = match text.chars().last() {
        Some('s') => 1,
        Some('m') => 60,
        Some('h') => 3600,
        _ => 0,
    };
    let number = text.get(..text.len().saturating_sub(1)).and_then(|number| number.parse::<u64>().ok());
    let seconds =
        number.and_then(|number| number.checked_mul(unit)).filter(|seconds| (1..=7 * 86_400).contains(seconds));
    seconds
        .map(Duration::from_secs)
        .ok_or_else(|| format!("\"{text}\" is not a time from 1s to 168h, such as 90s, 30m or 2h"))
}

fn written_duration<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Duration, D::Error> {
    duration(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// Settings of summaries of search results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Summaries {
    pub model: SummaryModel,
}

/// The author of summaries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SummaryModel {
    /// No model: they are sentences of the results.
    #[default]
    None,
    /// The model of the client, if it offers sampling. It is given redacted snippets, and its words are redacted as well.
    Client,
}

/// The form of the names of tools in the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolNames {
    /// As they are, except for clients that are known to refuse such names.
    #[default]
    Literal,
    /// With `_` for every sign that model APIs refuse.
    Safe,
}

/// A group of tools that are offered together. Each tool is in exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Toolset {
    /// Choose a collection, search it, read and cite the results. Offered with every set about collections.
    Core,
    /// Create and delete collections and documents, and follow the jobs that do so.
    Ingest,
    /// Entities, references, relations between documents, statistics.
    Graph,
    /// Work on a matter: own columns, obligations, versions and redlines, quotations, search terms, tags.
    Review,
    /// Keep a collection up to date: sync, watch, reindex, check the indexes.
    Watch,
    /// All of these, about collections.
    All,
    /// Find files on the disk by their times. Offered only if it is named.
    Time,
    /// Search files below allowed folders, with short redacted previews. Offered only if it is named.
    Files,
    /// Named indexes of texts that assistants add. Offered only if it is named.
    Index,
    /// Passages collected as evidence. Offered in the workbench, and if it is named.
    Workbench,
    /// Sets of files and folders, their sources, and their disk usage. Offered only if it is named.
    Space,
}

impl Toolset {
    pub const EACH: [Self; 11] = [
        Self::Core,
        Self::Ingest,
        Self::Graph,
        Self::Review,
        Self::Watch,
        Self::All,
        Self::Time,
        Self::Files,
        Self::Index,
        Self::Workbench,
        Self::Space,
    ];
    /// The sets listed if the user names none: with some tools of others, those of the contract and of daily work.
    pub const DEFAULT: [Self; 4] = [Self::Core, Self::Ingest, Self::Graph, Self::Watch];

    /// The name in settings and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Ingest => "ingest",
            Self::Graph => "graph",
            Self::Review => "review",
            Self::Watch => "watch",
            Self::All => "all",
            Self::Time => "time",
            Self::Files => "files",
            Self::Index => "index",
            Self::Workbench => "workbench",
            Self::Space => "space",
        }
    }

    /// True if [`All`](Self::All) contains it.
    pub fn is_in_all(self) -> bool {
        self.is_about_collections() && self != Self::Workbench
    }

    /// True if its tools are about collections, and not about the files on the disk or texts of assistants.
    pub fn is_about_collections(self) -> bool {
        !matches!(self, Self::Time | Self::Files | Self::Index | Self::Space)
    }
}

/// Settings of the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuditSettings {
    /// Default true: the log stays on this machine and holds no text of documents or arguments.
    pub enabled: bool,
    /// True if the log holds the queries. Default false.
    pub queries: bool,
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self { enabled: true, queries: false }
    }
}

/// Limits of one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CallLimits {
    /// Default 6,000: bursts of honest clients fit, and a loop ends.
    pub calls_per_minute: u32,
    /// Calls that run at the same time; further ones wait for a while. Default 8.
    pub concurrent_calls: u32,
    /// Characters of an answer, in its text and again in its structured content. Default 60,000, which is about 15,000
    /// tokens of English; clients cut at 25,000.
    pub result_chars: u32,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self { calls_per_minute: 6_000, concurrent_calls: 8, result_chars: 60_000 }
    }
}

impl Settings {
    /// The settings of a data directory; the defaults if it has no file. Errors: a file that cannot be read, is not
    /// TOML, or has an unknown key or a value that its key does not take. The message names the line.
    pub fn load(data_dir: &Path) -> Result<Self> {
        let path = data_dir.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(Error::io(path.display(), error)),
        };
        let invalid = |reason: &str| {
            let shown = without_passwords(&without_keys(reason));
            Error::invalid(format!("The settings in {} cannot be used: {shown}", path.display()))
                .with_hint("Correct the file, or move it away to use the defaults.")
        };
        // Its text shows the line, with its number, and the key.
        let settings: Self = toml::from_str(&text).map_err(|error| invalid(error.to_string().trim_end()))?;
        settings.check().map_err(|reason| invalid(&reason))?;
        Ok(settings)
    }

    fn check(&self) -> std::result::Result<(), String> {
        let CallLimits { calls_per_minute, concurrent_calls, result_chars } = self.limits;
        for (key, value, bounds) in [
            ("calls_per_minute", calls_per_minute, 1..=100_000),
            ("concurrent_calls", concurrent_calls, 1..=64),
            ("result_chars", result_chars, 5_000..=10_000_000),
        ] {
            if !bounds.contains(&value) {
                return Err(format!(
                    "limits.{key} is {value}; it must be between {} and {}.",
                    bounds.start(),
                    bounds.end()
                ));
            }
        }
        if let Some(model) = &self.language_model {
            model.check()?;
        }
        match &self.toolsets {
            Some(toolsets) if toolsets.is_empty() => Err("toolsets is empty; name one or more, or \"all\".".to_owned()),
            _ => Ok(()),
        }
    }
}

/// A message that shows a line of the file, without the value of a `key` in it.
fn without_keys(message: &str) -> String {
    let shown = |line: &str| {
        let value = line.find("key").map(|at| at + "key".len());
        match value.filter(|at| line[*at..].trim_start_matches(['"', ' ']).starts_with('=')) {
            Some(at) => format!("{} = …", &line[..at]),
            None => line.to_owned(),
        }
    };
    message.lines().map(shown).collect::<Vec<_>>().join("\n")
}

/// A message that shows a line of the file, without the password of an address in it.
fn without_passwords(message: &str) -> String {
    let Some((before, address)) = message.split_once("://") else { return message.to_owned() };
    let end = address.find(['\n', '"', ' ']).unwrap_or(address.len());
    let (address, after) = address.split_at(end);
    let shown = if address.contains(['@', '?']) { "…" } else { address };
    format!("{before}://{shown}{}", without_passwords(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Settings> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE), text).unwrap();
        Settings::load(dir.path())
    }

    #[test]
    fn every_key_is_optional() {
        assert_eq!(Settings::load(Path::new("/nowhere")).unwrap(), Settings::default());
        assert_eq!(load("").unwrap(), Settings::default());
        let settings = load("toolsets = [\"core\", \"graph\"]\n[limits]\nconcurrent_calls = 2\n").unwrap();
        assert_eq!(settings.toolsets, Some(vec![Toolset::Core, Toolset::Graph]));
        assert_eq!(settings.limits, CallLimits { concurrent_calls: 2, ..CallLimits::default() });
    }

    #[test]
    fn the_documented_example_is_valid() {
        let text = include_str!("settings.rs");
        let example = text.split("```").nth(1).unwrap().strip_prefix("toml\n").unwrap();
        let example: Vec<&str> = example.lines().map(|line| line.trim_start_matches("//!")).collect();
        let settings = load(&example.join("\n")).unwrap();
        assert_eq!((settings.audit, settings.vault), (AuditSettings::default(), VaultSettings::default()));
    }

    #[test]
    fn the_password_of_a_database_does_not_show() {
        let settings = load("[store]\nurl = \"postgres://ann:s3cret@db/matters\"").unwrap();
        assert!(settings.store.url.is_some() && !format!("{settings:?}").contains("s3cret"));
        for text in
            ["[store]\nurl = \"postgres://ann:s3cret@db/matters", "[store]\nurl = postgres://db/m?password=s3cret"]
        {
            let message = load(text).unwrap_err().message;
            assert!(message.contains("line 2") && !message.contains("s3cret"), "{message}");
        }
    }

    #[test]
    fn a_language_model_is_named_without_its_key() {
        assert_eq!(load("").unwrap().language_model, None);
        let table = "[language_model]\nurl = \"https://api.firm.example/v1\"\nmodel = \"m\"\n";
        let model = load(&format!("{table}key = \"env:LLM_KEY\"\n")).unwrap().language_model.unwrap();
        assert_eq!((model.host(), model.timeout_seconds), ("api.firm.example", 60));
        for wrong in ["key = \"s3cret\"", "key = s3cret", "key=\"s3cret", "timeout_seconds = 0", "other = 1"] {
            let message = load(&format!("{table}{wrong}\n")).unwrap_err().message;
            assert!(!message.contains("s3cret"), "{message}");
        }
        assert!(
            load("[language_model]\nurl = \"http://10.0.0.1/v1\"\nmodel = \"m\"")
                .unwrap_err()
                .message
                .contains("https://")
        );
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, expected) in [
            ("\nread_onyl = true", ["line 2", "read_onyl"]),
            ("[limits]\nresult_chars = \"many\"", ["line 2", "result_chars"]),
            ("toolsets = [\"core\", \"grpah\"]", ["line 1", "grpah"]),
            ("[limits]\nconcurrent_calls = 0", ["concurrent_calls is 0", "between 1 and 64"]),
            ("citations = \"{pages}\"", ["line 1", "{pages}"]),
            ("[vault]\nlock_after = \"30\"", ["line 2", "90s, 30m or 2h"]),
            ("[vault]\nlock_after = \"169h\"", ["line 2", "168h"]),
            ("toolsets = []", ["toolsets is empty", "all"]),
            ("read_only = ", ["line 1", "read_only"]),
        ] {
            let message = load(text).unwrap_err().message;
            assert!(expected.iter().all(|part| message.contains(part)), "{text}: {message}");
        }
    }
}
