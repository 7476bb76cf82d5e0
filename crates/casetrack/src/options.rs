//! The common options of several commands, the objects built from them, and the parsers of values.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use casetrack_core::settings::{self, Settings, Toolset};
use casetrack_core::{Action, CitationStyle, CollectionMeta, Error, ErrorCode, Limits, Password, Result, Tier, hint};
use casetrack_engine::access::Access;
use casetrack_engine::{
    AUTO_LANGUAGES, Engine, EngineConfig, MemoryMode, ModelProfile, Precision, StorePlace, WorkerCommand, collections,
};
use casetrack_text::terminal::Layout;
use clap::Args;
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Serialize};

use crate::stores::store_place;
use crate::style::ColorChoice;

/// The environment variable that selects the store of the collections.
pub const STORE: &str = "CASETRACK_STORE";

#[derive(Debug, Clone, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Options for every command")]
pub struct Global {
    /// Directory that holds the collections [default: casetrack/data in ~/.local/share on Linux, in ~/Library/Application Support on macOS,
    /// in %LOCALAPPDATA% on Windows; CaseTrack in the documents folder if it exists]
    #[arg(long, global = true, env = "CASETRACK_HOME", value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// The store of the collections: disk, in the data directory, or a database: postgres://user@host:5432/database. Do not write a
    /// password here: other programs could see it (see `casetrack help postgresql`) [default: disk, or that of config.toml]
    #[arg(
        long,
        global = true,
        env = STORE,
        hide_env_values = true,
        value_name = "URL",
        hide_short_help = true,
        value_parser = secret
    )]
    pub store: Option<Password>,
    /// Directory with the model weights [default: next to the program]
    #[arg(long, global = true, env = "CASETRACK_MODELS", value_name = "DIR", hide_short_help = true)]
    pub models_dir: Option<PathBuf>,
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Colour and weight: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t, hide_possible_values = true)]
    pub color: ColorChoice,
    /// Print long results at once instead of through a pager (CASETRACK_PAGER, PAGER or less)
    #[arg(long, global = true, hide_short_help = true)]
    pub no_pager: bool,
    /// The style of results on the terminal; `None` if they are printed for a program.
    #[arg(skip)]
    pub look: Option<Layout>,
    /// Show no progress and no warnings, only results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show more log messages on stderr (-vv for all)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Tier whose limits to enforce: free or pro
    #[arg(long, global = true, value_name = "TIER", default_value = "pro", hide_short_help = true, value_parser = named::<Tier>)]
    pub tier: Tier,
    /// Threads for the models [default: one per core]
    #[arg(
        long,
        global = true,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        hide_short_help = true
    )]
    pub threads: usize,
    /// Models of new collections: compact (included), quality (downloaded by `casetrack models pull`) or multilingual (from a package, by
    /// `casetrack models add`). Others keep theirs: see `casetrack reindex --models`
    #[arg(
        long,
        global = true,
        env = "CASETRACK_PROFILE",
        value_name = "PROFILE",
        default_value = "compact",
        hide_short_help = true
    )]
    pub profile: ModelProfile,
    /// Precision of the vectors of new collections, and of `reindex --models`: float32 or int8. Others keep theirs [default: int8 for the
    /// profiles compact and multilingual on a CPU with AVX2, else float32]
    #[arg(long, global = true, env = "CASETRACK_PRECISION", value_name = "PRECISION", hide_short_help = true)]
    pub precision: Option<Precision>,
    /// Which models stay in memory: full (all), standard (those used in the last 5 minutes) or constrained (one at a time)
    /// [default: depends on the available memory]
    #[arg(long, global = true, value_name = "MODE", hide_short_help = true)]
    pub memory_mode: Option<MemoryMode>,
    /// Languages of scans, as tesseract names them: eng, deu+fra; or auto: detected on the first pages of each file
    #[arg(
        long,
        global = true,
        env = "CASETRACK_LANGUAGES",
        value_name = "LANGUAGES",
        default_value = AUTO_LANGUAGES,
        hide_short_help = true
    )]
    pub languages: String,
    /// How passages are cited: full, short, bates, or a template such as '{document}, {page} [{bates}]' [default: full, or the style of
    /// config.toml]
    #[arg(long, global = true, env = "CASETRACK_CITATIONS", value_name = "STYLE", hide_short_help = true)]
    pub citations: Option<CitationStyle>,
    #[command(flatten)]
    pub file_limits: FileLimits,
}

/// Limits on the cost of one file. Shown by `--help`, not by `-h`.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Limits on files")]
pub struct FileLimits {
    /// Largest file to read, in MB
    #[arg(long, global = true, hide_short_help = true, value_name = "MB", default_value_t = 512)]
    max_file_mb: u64,
    /// Largest part of a zipped file, uncompressed, in MB
    #[arg(long, global = true, hide_short_help = true, value_name = "MB", default_value_t = 512)]
    max_part_mb: u64,
    /// Most text in one document, in millions of characters
    #[arg(long, global = true, hide_short_help = true, value_name = "MILLIONS", default_value_t = 200)]
    max_text_millions: u64,
    /// Largest image to read by OCR, in megapixels
    #[arg(long, global = true, hide_short_help = true, value_name = "MP", default_value_t = 100)]
    max_image_megapixels: u64,
    /// Most files in one e-mail, mailbox or archive
    #[arg(long, global = true, hide_short_help = true, value_name = "N", default_value_t = 20_000)]
    max_attachments: u32,
    /// Total size of the files in one e-mail, mailbox or archive, in MB
    #[arg(long, global = true, hide_short_help = true, value_name = "MB", default_value_t = 512)]
    max_attachments_mb: u64,
    /// How many levels of containers inside containers are opened
    #[arg(long, global = true, hide_short_help = true, value_name = "N", default_value_t = 4)]
    max_container_depth: u32,
    /// Longest time to compute on one page, in seconds
    #[arg(long, global = true, hide_short_help = true, value_name = "S", default_value_t = 120)]
    max_page_seconds: u64,
    /// Most memory for one process that reads files, in MB
    #[arg(long, global = true, hide_short_help = true, value_name = "MB", default_value_t = 2048)]
    max_reader_mb: u64,
}

impl FileLimits {
    fn limits(&self) -> Limits {
        let bytes = |megabytes: u64| megabytes.saturating_mul(1 << 20);
        Limits {
            max_file_bytes: bytes(self.max_file_mb),
            max_part_bytes: bytes(self.max_part_mb),
            max_text_chars: self.max_text_millions.saturating_mul(1_000_000),
            max_page_seconds: self.max_page_seconds,
            max_reader_bytes: bytes(self.max_reader_mb),
            max_image_pixels: self.max_image_megapixels.saturating_mul(1_000_000),
            max_attachments: self.max_attachments,
            max_attachment_bytes: bytes(self.max_attachments_mb),
            max_container_depth: self.max_container_depth,
        }
    }
}

impl Global {
    /// The data directory, as an absolute path.
    pub fn data_dir(&self) -> Result<PathBuf> {
        let data_dir = match &self.data_dir {
            Some(directory) => directory.clone(),
            None => EngineConfig::default_data_dir()?,
        };
        std::path::absolute(&data_dir).map_err(|error| Error::io(data_dir.display(), error))
    }

    pub fn config(&self) -> Result<EngineConfig> {
        let mut config = EngineConfig::new(self.data_dir()?);
        config.store = self.store()?;
        config.models_dir = self.models_dir.clone();
        config.threads = self.threads;
        config.memory_mode = self.memory_mode;
        config.profile = self.profile;
        config.precision = self.precision;
        config.languages = self.languages.clone();
        config.limits = self.file_limits.limits();
        let program = std::env::current_exe().map_err(|error| Error::io("the program's own file", error))?;
        config.reader = Some(WorkerCommand { program, arguments: vec!["read-files".to_owned()] });
        config.tier = self.tier;
        let settings = self.settings()?;
        config.access = access(&settings, &config.data_dir)?.with_uploads_in(&config.state_dir().join("collections"));
        config.citations = self.citations.clone().or(settings.citations).unwrap_or_default();
        Ok(config)
    }

    /// The place of the collections, by the options or else by `config.toml`.
    pub fn store(&self) -> Result<StorePlace> {
        match self.store.as_ref().filter(|chosen| !chosen.reveal().is_empty()) {
            Some(chosen) => store_place(chosen.reveal()),
            None => {
                self.settings()?.store.url.map_or_else(|| Ok(StorePlace::default()), |url| store_place(url.reveal()))
            }
        }
    }

    /// The settings in `config.toml` of the data directory.
    pub fn settings(&self) -> Result<Settings> {
        Settings::load(&self.data_dir()?)
    }

    /// An engine in this process. It must not touch collections, which belong to the owner (see [`crate::owner`]).
    pub fn engine(&self) -> Result<Engine> {
        Engine::new(self.config()?)
    }

    /// The options that a server needs to work as this command would, for a configuration; without those at their defaults, and without
    /// the password of a database.
    pub fn as_arguments(&self) -> Result<Vec<String>> {
        let store = self
            .store
            .as_ref()
            .map(|_| self.store())
            .transpose()?
            .map(|place| ["--store".to_owned(), place.to_string()]);
        Ok([store.into_iter().flatten().collect(), self.as_owner_arguments()?].concat())
    }

    /// As [`as_arguments`](Self::as_arguments), without the store, which the environment has.
    pub fn as_owner_arguments(&self) -> Result<Vec<String>> {
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        let data_dir =
            Some(self.data_dir()?).filter(|chosen| EngineConfig::default_data_dir().ok().as_ref() != Some(chosen));
        let named = |value: serde_json::Result<serde_json::Value>| value.ok()?.as_str().map(str::to_lowercase);
        let profile =
            (self.profile != ModelProfile::default()).then(|| named(serde_json::to_value(self.profile))).flatten();
        let options = [
            ("--data-dir", data_dir.as_ref().map(text)),
            ("--models-dir", self.models_dir.as_ref().map(text)),
            ("--profile", profile),
            ("--precision", self.precision.map(|precision| precision.to_string())),
            ("--memory-mode", self.memory_mode.and_then(|mode| named(serde_json::to_value(mode)))),
            ("--languages", (self.languages != AUTO_LANGUAGES).then(|| self.languages.clone())),
        ];
        let given = options.into_iter().filter_map(|(option, value)| Some([option.to_owned(), value?]));
        Ok(given.flatten().collect())
    }

    /// The options for the amount of logging.
    pub fn verbosity(&self) -> Vec<&'static str> {
        vec!["-v"; self.verbose.into()]
    }

    /// Makes paths absolute, so that they mean the same in another process.
    pub fn make_absolute(&mut self) -> Result<()> {
        self.data_dir = Some(self.data_dir()?);
        if let Some(models) = &mut self.models_dir {
            *models = std::path::absolute(&*models).map_err(|error| Error::io(models.display(), error))?;
        }
        for directory in [&self.data_dir, &self.models_dir].into_iter().flatten() {
            if directory.to_str().is_none() {
                let message = format!("The directory {} has a name that is not valid Unicode.", directory.display());
                return Err(Error::invalid(message).with_hint("Choose another directory."));
            }
        }
        Ok(())
    }
}

/// The files that may be read with these settings.
pub fn access(settings: &Settings, data_dir: &Path) -> Result<Access> {
    // They hold the token of HTTP clients, the address of a database with its password, digests of tokens, and the key of a language model.
    let mut closed = vec![data_dir.join("owner"), data_dir.join(settings::FILE), data_dir.join(settings::USERS)];
    closed.extend(settings.language_model.as_ref().and_then(|model| model.key_file(data_dir)));
    let access = Access::new(&settings.allowed_roots, &settings.deny, closed, data_dir.join(settings::FILE))?;
    Ok(access.with_uploads_in(&data_dir.join("collections")))
}

/// Takes any text, so that no error repeats it.
pub fn secret(text: &str) -> Result<Password, std::convert::Infallible> {
    Ok(text.to_owned().into())
}

/// The collection a command works on.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct InCollection {
    /// Name, ID or reference of the collection [default: the only active one]
    #[arg(short, long, env = "CASETRACK_COLLECTION", value_name = "NAME")]
    pub collection: Option<String>,
}

impl InCollection {
    /// The named collection, or else the only active one.
    pub fn find(&self, engine: &Engine) -> Result<CollectionMeta> {
        match &self.collection {
            Some(name) => collections::find_collection(engine.host(), name),
            None => collections::sole_collection(engine.host())?.ok_or_else(no_collection_named),
        }
    }
}

pub fn no_collection_named() -> Error {
    Error::new(
        ErrorCode::NoCollectionActive,
        "No collection was named, and there is not exactly one active collection.",
    )
    .with_hint(hint!["Name it with ", Action::SwitchCollection, ". List them with ", Action::ListCollections, "."])
}

/// Which tools assistants see. Options that are not given are taken from `config.toml` in the data directory.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
pub struct ToolOptions {
    /// Offer only these sets of tools, separated by commas: core, ingest, graph, review, watch, all (these five), and, only if named, time
    /// (find files on the disk by their times), files (search files and their texts below allowed folders), index (indexes of texts that
    /// assistants add), workbench (collect passages as evidence) and space (sets of files and folders, and their disk usage) [default:
    /// core, ingest, graph, watch, and the tools of daily work]
    #[arg(long, value_delimiter = ',', value_name = "SETS", value_parser = named::<Toolset>)]
    toolsets: Option<Vec<Toolset>>,
    /// Offer only tools that change nothing
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    read_only: Option<bool>,
    /// Let file tools read this folder as well as allowed_roots; can be repeated [default: for searches by time, the home folder if there are no allowed_roots]
    #[arg(long = "root", value_name = "DIR", value_parser = absolute)]
    #[serde(default)]
    roots: Vec<PathBuf>,
}

impl ToolOptions {
    /// Adds folders to those of `--root`.
    pub fn add_roots(&mut self, roots: Vec<PathBuf>) {
        self.roots.extend(roots);
    }

    /// The options themselves, for a configuration.
    pub fn as_arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if let Some(toolsets) = &self.toolsets {
            let names = toolsets.iter().filter_map(|set| serde_json::to_value(set).ok()?.as_str().map(str::to_owned));
            arguments.push(format!("--toolsets={}", names.collect::<Vec<_>>().join(",")));
        }
        arguments.extend(self.read_only.map(|read_only| format!("--read-only={read_only}")));
        arguments.extend(self.roots.iter().map(|root| format!("--root={}", root.display())));
        arguments
    }

    pub fn apply(&self, settings: &mut Settings) {
        if let Some(toolsets) = &self.toolsets {
            settings.toolsets = Some(toolsets.clone());
        }
        settings.read_only = self.read_only.unwrap_or(settings.read_only);
        settings.roots.clone_from(&self.roots);
    }
}

/// A path that means the same in another process.
pub fn absolute(text: &str) -> std::io::Result<PathBuf> {
    std::path::absolute(text)
}

/// Parses the serialised name of an enumeration's value, such as a collection type. The error lists the names.
pub fn named<T: DeserializeOwned>(text: &str) -> Result<T, serde::de::value::Error> {
    T::deserialize(text.to_lowercase().into_deserializer())
}

/// `127.0.0.1:8310`, `[::1]:8310`, `localhost:8310`, or a port of 127.0.0.1.
#[cfg_attr(not(feature = "serve"), allow(dead_code, reason = "only a server listens"))]
pub fn http_address(text: &str) -> Result<SocketAddr> {
    let port = text.strip_prefix("localhost:").unwrap_or(text);
    let of_port = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    port.parse().map(of_port).or_else(|_| text.parse()).map_err(|_| {
        Error::invalid(format!("\"{text}\" is neither a port nor an address and port, such as 127.0.0.1:8310"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_be_a_port() {
        for text in ["8310", "localhost:8310", "127.0.0.1:8310"] {
            assert_eq!(http_address(text).unwrap().to_string(), "127.0.0.1:8310");
        }
        assert_eq!(http_address("[::1]:0").unwrap().to_string(), "[::1]:0");
        assert!(http_address("example.com:80").is_err());
    }

    #[test]
    fn the_help_names_every_set_of_tools() {
        let command = ToolOptions::augment_args(clap::Command::new("mcp"));
        let option = command.get_arguments().find(|option| option.get_id() == "toolsets").unwrap();
        let help = option.get_help().unwrap().to_string();
        let words: Vec<&str> = help.split(|c: char| !c.is_alphabetic()).collect();
        for set in Toolset::EACH {
            assert!(words.contains(&set.name()), "{}: {help}", set.name());
        }
    }

    #[test]
    fn the_limits_shown_are_those_of_the_engine() {
        #[derive(clap::Parser)]
        struct Options {
            #[command(flatten)]
            limits: FileLimits,
        }
        let options: Options = clap::Parser::parse_from(["casetrack"]);
        assert_eq!(options.limits.limits(), Limits::default());
    }
}
