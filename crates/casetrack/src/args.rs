//! The command line, defined once. Help texts are the user's documentation: keep them complete.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use casetrack_core::{
    CollectionMeta, CollectionType, DocumentType, EntityType, Error, ErrorCode, Limits, Result, Tier,
};
use casetrack_engine::briefing::ClusterStrategy;
use casetrack_engine::watches::Schedule;
use casetrack_engine::{Engine, EngineConfig, MemoryMode, ModelProfile, Precision, WorkerCommand};
use casetrack_mcp::settings::{Settings, Toolset};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::owner::console::Console;
use crate::{commands, owner};

#[derive(Debug, Parser)]
#[command(
    name = "casetrack",
    version,
    about = "Search your own documents on your own machine, with exact citations.",
    after_help = "Exit status: 0 on success, 1 on an error or if `verify`, `repair`, `doctor` or `models` found a problem, 2 on \
                  wrong usage, 3 if `ingest`, `sync` or `reindex` finished but some files could not be read."
)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Clone, ClapArgs, Serialize, Deserialize)]
pub struct Global {
    /// Directory that holds the collections [default: casetrack/data in ~/.local/share on Linux, in ~/Library/Application Support on
    /// macOS, in %LOCALAPPDATA% on Windows; CaseTrack in the documents folder where an earlier version made that]
    #[arg(long, global = true, env = "CASETRACK_HOME", value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Directory that holds the model weights [default: found beside the program]
    #[arg(long, global = true, env = "CASETRACK_MODELS", value_name = "DIR")]
    pub models_dir: Option<PathBuf>,
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Show no progress and no warnings, only results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show more log messages on stderr (-vv for all)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Tier whose limits to enforce
    #[arg(long, global = true, value_enum, default_value_t = TierArg::Pro)]
    pub tier: TierArg,
    /// Threads for the models [default: one per core]
    #[arg(long, global = true, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub threads: usize,
    /// Models to use: compact (included) or quality (downloaded by `casetrack models pull`)
    #[arg(long, global = true, env = "CASETRACK_PROFILE", value_name = "PROFILE", default_value = "compact")]
    pub profile: ModelProfile,
    /// Precision of dense vectors: float32, or int8 (about twice as fast, slightly different). A collection keeps the
    /// precision it was created with
    #[arg(long, global = true, env = "CASETRACK_PRECISION", value_name = "PRECISION", default_value = "float32")]
    pub precision: Precision,
    /// Which models stay in memory: full (all), standard (those used in the last 5 minutes) or constrained (one at a time)
    /// [default: depends on the available memory]
    #[arg(long, global = true, value_name = "MODE")]
    pub memory_mode: Option<MemoryMode>,
    /// Languages of scans, as tesseract names them: eng, deu+fra
    #[arg(long, global = true, env = "CASETRACK_LANGUAGES", value_name = "LANGUAGES", default_value = "eng")]
    pub languages: String,
    #[command(flatten)]
    pub file_limits: FileLimits,
}

/// Limits on what one file may cost. Shown by `--help`, not by `-h`.
#[derive(Debug, Clone, ClapArgs, Serialize, Deserialize)]
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
    /// Largest picture to read by OCR, in megapixels
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
    /// Longest time to read one page, in seconds
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

#[derive(Debug, Clone, Copy, ValueEnum, Serialize, Deserialize)]
pub enum TierArg {
    Free,
    Pro,
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
        config.models_dir = self.models_dir.clone();
        config.threads = self.threads;
        config.memory_mode = self.memory_mode;
        config.profile = self.profile;
        config.precision = self.precision;
        config.languages = self.languages.clone();
        config.limits = self.file_limits.limits();
        let program = std::env::current_exe().map_err(|error| Error::io("the program's own file", error))?;
        config.reader = Some(WorkerCommand { program, arguments: vec!["read-files".to_owned()] });
        config.tier = match self.tier {
            TierArg::Free => Tier::Free,
            TierArg::Pro => Tier::Pro,
        };
        config.access = self.settings()?.access(&config.data_dir)?;
        Ok(config)
    }

    /// What `config.toml` in the data directory says.
    pub fn settings(&self) -> Result<Settings> {
        Settings::load(&self.data_dir()?)
    }

    /// An engine in this process. It must not touch collections, which belong to the owner (see [`crate::owner`]).
    pub fn engine(&self) -> Result<Engine> {
        Engine::new(self.config()?)
    }

    /// The options that say how much is logged.
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

#[derive(Debug, Subcommand)]
pub enum Command {
    #[command(flatten)]
    OnCollections(OnCollections),
    Inspect(commands::inspect::Inspect),
    Doctor(commands::doctor::Doctor),
    Eval(commands::eval::Eval),
    Models(commands::models::Models),
    Mcp(commands::mcp::Mcp),
    Schemas(commands::schemas::Schemas),
    ReadFiles(commands::read_files::ReadFiles),
    Stop(commands::stop::Stop),
    Owner(owner::serve::Owner),
}

/// The commands that work on collections. They run in the owner of the data directory.
#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum OnCollections {
    New(commands::new::New),
    Collections(commands::collections::Collections),
    Rename(commands::lifecycle::Rename),
    Close(commands::lifecycle::Close),
    Archive(commands::lifecycle::Archive),
    Reopen(commands::lifecycle::Reopen),
    Ingest(commands::ingest::Ingest),
    Sync(commands::sync::Sync),
    Reindex(commands::reindex::Reindex),
    IndexStatus(commands::index_status::IndexStatus),
    Search(commands::search::Search),
    Similar(commands::similar::Similar),
    Compare(commands::compare::Compare),
    Summary(commands::summary::Summary),
    Entities(commands::entities::Entities),
    References(commands::references::References),
    Timeline(commands::timeline::Timeline),
    Graph(commands::graph::Graph),
    Related(commands::related::Related),
    Clusters(commands::clusters::Clusters),
    Documents(commands::documents::Documents),
    Show(commands::show::Show),
    Page(commands::page::Page),
    Verify(commands::verify::Verify),
    Repair(commands::repair::Repair),
    Export(commands::export::Export),
    Import(commands::import::Import),
    Compact(commands::compact::Compact),
    Stats(commands::stats::Stats),
    Watch(commands::watches::Watch),
    Unwatch(commands::watches::Unwatch),
    Watches(commands::watches::Watches),
    Jobs(commands::jobs::Jobs),
    Call(commands::call::Call),
}

impl OnCollections {
    /// Runs in the owner. Returns the exit status.
    pub fn run(self, console: &Console) -> Result<u8> {
        match self {
            Self::New(command) => command.run(console),
            Self::Collections(command) => command.run(console),
            Self::Rename(command) => command.run(console),
            Self::Close(command) => command.run(console),
            Self::Archive(command) => command.run(console),
            Self::Reopen(command) => command.run(console),
            Self::Ingest(command) => command.run(console),
            Self::Sync(command) => command.run(console),
            Self::Reindex(command) => command.run(console),
            Self::IndexStatus(command) => command.run(console),
            Self::Search(command) => command.run(console),
            Self::Similar(command) => command.run(console),
            Self::Compare(command) => command.run(console),
            Self::Summary(command) => command.run(console),
            Self::Entities(command) => command.run(console),
            Self::References(command) => command.run(console),
            Self::Timeline(command) => command.run(console),
            Self::Graph(command) => command.run(console),
            Self::Related(command) => command.run(console),
            Self::Clusters(command) => command.run(console),
            Self::Documents(command) => command.run(console),
            Self::Show(command) => command.run(console),
            Self::Page(command) => command.run(console),
            Self::Verify(command) => command.run(console),
            Self::Repair(command) => command.run(console),
            Self::Export(command) => command.run(console),
            Self::Import(command) => command.run(console),
            Self::Compact(command) => command.run(console),
            Self::Stats(command) => command.run(console),
            Self::Watch(command) => command.run(console),
            Self::Unwatch(command) => command.run(console),
            Self::Watches(command) => command.run(console),
            Self::Jobs(command) => command.run(console),
            Self::Call(command) => command.run(console),
        }
    }

    /// Whether running the command twice has the same result as running it once.
    pub fn may_be_repeated(&self) -> bool {
        match self {
            Self::New(_) | Self::Rename(_) | Self::Import(_) | Self::Repair(_) | Self::Watch(_) | Self::Unwatch(_) => {
                false
            }
            Self::Export(command) => command.may_be_repeated(),
            Self::Call(command) => command.may_be_repeated(),
            _ => true,
        }
    }
}

/// The collection a command works on.
#[derive(Debug, ClapArgs, Serialize, Deserialize)]
pub struct InCollection {
    /// Name, ID or reference of the collection [default: the only active one]
    #[arg(short, long, value_name = "NAME")]
    pub collection: Option<String>,
}

impl InCollection {
    /// The named collection, or else the only active one.
    pub fn find(&self, engine: &Engine) -> Result<CollectionMeta> {
        match &self.collection {
            Some(name) => engine.find_collection(name),
            None => engine.sole_collection()?.ok_or_else(no_collection_named),
        }
    }
}

pub fn no_collection_named() -> Error {
    Error::new(
        ErrorCode::NoCollectionActive,
        "Which collection? None was named, and there is not exactly one active collection.",
    )
    .with_hint("Name it with -c NAME. See the collections with `casetrack collections`.")
}

/// Parses the serialised name of an enumeration's value, such as a collection type. The error lists the names.
fn parse_name<T: DeserializeOwned>(text: &str, names: &str) -> Result<T> {
    let value = serde_json::Value::String(text.to_lowercase());
    serde_json::from_value(value).map_err(|_| Error::invalid(format!("\"{text}\" is not one of {names}")))
}

pub fn collection_type(text: &str) -> Result<CollectionType> {
    parse_name(text, "project, contract, financial, compliance, research, hr, operations, other")
}

pub fn document_type(text: &str) -> Result<DocumentType> {
    parse_name(
        text,
        "contract, report, spreadsheet, presentation, correspondence, memo, proposal, invoice, policy, other",
    )
}

pub fn entity_type(text: &str) -> Result<EntityType> {
    parse_name(text, "person, organization, date, amount, location, concept")
}

pub fn cluster_strategy(text: &str) -> Result<ClusterStrategy> {
    parse_name(text, "topical, entity, reference, document_type")
}

pub fn schedule(text: &str) -> Result<Schedule> {
    parse_name(text, "on_change, hourly, every_6h, every_12h, daily, manual")
}

/// `127.0.0.1:8310`, `[::1]:8310`, `localhost:8310`, or a port of 127.0.0.1.
pub fn http_address(text: &str) -> Result<SocketAddr> {
    let port = text.strip_prefix("localhost:").unwrap_or(text);
    let of_port = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    port.parse().map(of_port).or_else(|_| text.parse()).map_err(|_| {
        Error::invalid(format!("\"{text}\" is neither a port nor an address and port, such as 127.0.0.1:8310"))
    })
}

pub fn toolset(text: &str) -> Result<Toolset> {
    parse_name(text, &Toolset::EACH.map(Toolset::name).join(", "))
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
    fn the_limits_shown_are_those_of_the_engine() {
        let args = Args::try_parse_from(["casetrack", "collections"]).unwrap();
        assert_eq!(args.global.file_limits.limits(), Limits::default());
    }
}
