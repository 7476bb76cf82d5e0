//! The commands, in families.

mod call;
mod collections;
pub mod connect;
pub mod doctor;
mod documents;
pub mod eval;
mod evidence;
mod files;
mod graph;
mod ingest;
pub mod inspect;
mod jobs;
pub mod last_search;
mod migrate;
mod model_moves;
pub mod models;
mod quotes;
pub mod read_files;
mod review;
mod rights;
pub mod schemas;
mod search;
mod sheet;
mod space;
pub mod start_folder;
pub mod tags;
mod upkeep;
#[cfg(feature = "serve")]
mod users;
mod vault;
mod watches;

use casetrack_core::{Error, Password, Result};
use casetrack_engine::vaults::KeychainSlot;
use clap::Subcommand;
use serde::{Deserialize, Serialize};

use crate::console::Console;

/// Declares the commands that run in the owner, one row each.
macro_rules! collection_commands {
    ($($(#[$attribute:meta])* $name:ident($arguments:ty),)*) => {
        /// The commands that work on collections. They run in the owner of the data directory.
        #[derive(Debug, Subcommand, Serialize, Deserialize)]
        pub enum CollectionCommand {
            $($(#[$attribute])* $name($arguments),)*
        }

        impl CollectionCommand {
            /// Runs in the owner. Returns the exit status.
            pub fn run(self, console: &Console) -> Result<u8> {
                match self {
                    $($(#[$attribute])* Self::$name(command) => command.run(console),)*
                }
            }
        }
    };
}

collection_commands! {
    New(collections::New),
    Collections(collections::Collections),
    Rename(collections::Rename),
    Close(collections::Close),
    Archive(collections::Archive),
    Reopen(collections::Reopen),
    Delete(collections::Delete),
    Unlock(vault::Unlock),
    Lock(vault::Lock),
    Vault(vault::Vault),
    FindVault(vault::FindVault),
    CanMove(vault::seal::CanMove),
    Ingest(ingest::Ingest),
    Sync(ingest::Sync),
    Reindex(ingest::Reindex),
    IndexStatus(ingest::IndexStatus),
    Search(Box<search::Search>),
    Ask(search::Ask),
    Similar(search::Similar),
    Compare(search::Compare),
    Redline(review::Redline),
    Versions(review::Versions),
    Threads(review::Threads),
    SearchTerms(review::SearchTerms),
    VerifyQuote(quotes::VerifyQuote),
    VerifyQuotes(quotes::VerifyQuotes),
    Summary(graph::Summary),
    Entities(graph::Entities),
    References(graph::References),
    Timeline(graph::Timeline),
    Graph(graph::Graph),
    Related(graph::Related),
    Clusters(graph::Clusters),
    Documents(documents::Documents),
    Unread(documents::Unread),
    Tag(tags::Tag),
    Show(documents::Show),
    Page(documents::Page),
    Changes(review::Changes),
    Hidden(review::Hidden),
    Sheet(sheet::Sheet),
    Obligations(review::Obligations),
    Bates(review::Bates),
    Evidence(evidence::Evidence),
    Verify(upkeep::Verify),
    Repair(upkeep::Repair),
    Export(upkeep::Export),
    Import(upkeep::Import),
    Migrate(migrate::Migrate),
    Rights(rights::Rights),
    Compact(upkeep::Compact),
    Stats(upkeep::Stats),
    Watch(watches::Watch),
    Unwatch(watches::Unwatch),
    Watches(watches::Watches),
    Jobs(jobs::Jobs),
    #[cfg(feature = "serve")]
    Users(users::Users),
    Files(files::Files),
    Space(space::Space),
    Call(call::Call),
    StartFolder(start_folder::StartFolder),
    StartQuestions(start_folder::StartQuestions),
}

/// The use of the system's keychain by a command, in the client.
#[derive(Debug)]
pub enum KeychainUse {
    Unlock,
    AddSlot,
    /// The one that is named, or all.
    RemoveSlots(Option<String>),
}

impl CollectionCommand {
    /// The command's use of the system's keychain.
    pub fn keychain_use(&self) -> Option<KeychainUse> {
        match self {
            Self::Unlock(command) => command.may_use_keychain().then_some(KeychainUse::Unlock),
            Self::Vault(command) => command.keychain_use(),
            _ => None,
        }
    }

    /// The command as the keychain opens the vault.
    pub fn opened_by_keychain(&self, secrets: Vec<Password>) -> Result<Self> {
        match self {
            Self::Unlock(command) => Ok(Self::Unlock(command.opened_by_keychain(secrets))),
            _ => Err(Error::internal("Only unlocking uses the keychain.")),
        }
    }

    /// Gives it the slot that it adds.
    pub fn take_keychain_slot(&mut self, slot: KeychainSlot) -> Result<()> {
        match self {
            Self::Vault(command) => command.take_keychain_slot(slot),
            _ => Err(Error::internal("Only a command on vaults adds a slot.")),
        }
    }

    /// Asks the person at the terminal for secrets that the command needs, such as passphrases. In the client.
    pub fn ask(&mut self) -> Result<()> {
        match self {
            Self::New(command) => command.ask(),
            Self::Unlock(command) => command.ask(),
            Self::Vault(command) => command.ask(),
            Self::Export(command) => command.ask(),
            Self::Import(command) => command.ask(),
            _ => Ok(()),
        }
    }

    /// The check before questions to the user, so that a passphrase is never typed for a missing vault.
    pub fn before_asking(&self) -> Option<Self> {
        match self {
            Self::Unlock(command) => Some(Self::FindVault(command.which())),
            Self::Vault(command) => command.before_asking(),
            _ => None,
        }
    }

    /// True if running the command twice has the same result as running it once.
    pub fn may_be_repeated(&self) -> bool {
        match self {
            Self::New(_) | Self::Rename(_) | Self::Import(_) | Self::Repair(_) | Self::Watch(_) | Self::Unwatch(_) => {
                false
            }
            Self::Vault(command) => command.may_be_repeated(),
            Self::Export(command) => command.may_be_repeated(),
            Self::Call(command) => command.may_be_repeated(),
            Self::Evidence(command) => command.may_be_repeated(),
            #[cfg(feature = "serve")]
            Self::Users(command) => command.may_be_repeated(),
            _ => true,
        }
    }
}
