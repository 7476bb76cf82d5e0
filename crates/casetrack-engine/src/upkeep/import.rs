//! Make a collection of a file that `export` wrote.

use std::path::Path;
use std::time::Duration;

use casetrack_core::{Action, CollectionId, CollectionMeta, Error, ErrorCode, Password, Result};
use casetrack_store::{Archive, ArchiveKey, archive_lock};
use casetrack_vault::age::{Identity, Lock};
use casetrack_vault::passphrase::Passphrase;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sheet::check_columns;
use crate::vaults;
use casetrack_host::Host;
use casetrack_host::collections::check_new;

/// The export to import, and the name and form of the new collection.
#[derive(Debug, Clone)]
pub struct ImportRequest<'p> {
    pub file: &'p Path,
    /// Instead of the name in the file.
    pub name: Option<&'p str>,
    pub key: Option<ImportKey>,
    /// Make a vault of it, with this passphrase, which locks when it has not been used for that time.
    pub vault: Option<(Password, Duration)>,
}

/// A person's key to an export. It does not show in logs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportKey {
    Passphrase(Password),
    /// The text of a file of identities of age.
    Identity(Password),
}

impl ImportKey {
    fn archive_key(&self) -> Result<ArchiveKey> {
        Ok(match self {
            Self::Passphrase(passphrase) => ArchiveKey::Passphrase(passphrase.clone()),
            Self::Identity(text) => ArchiveKey::Identity(Identity::from_text(text.reveal())?),
        })
    }
}

/// True if an export opens with a passphrase; `None` if it is not encrypted.
pub fn needs_passphrase(file: &Path) -> Result<Option<bool>> {
    Ok(archive_lock(file)?.map(|lock| lock == Lock::Passphrase))
}

#[derive(Debug, Clone, Serialize)]
pub struct ImportedVault {
    #[serde(flatten)]
    pub report: ImportReport,
    /// The 24 words of its recovery key, which are kept nowhere; absent if it is no vault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery_words: Option<Password>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ImportReport {
    /// The new collection: its id is new, the ids of its documents are those of the old one.
    #[serde(flatten)]
    pub meta: CollectionMeta,
    pub documents: u64,
    pub pages: u64,
    pub chunks: u64,
    pub originals: u64,
    pub dense_model: String,
    /// Set when that model is not installed: searches by meaning need it.
    pub model_note: Option<String>,
    pub duration_ms: u64,
}

/// Imports under the name in the file, or another. Everything in it is checked before anything becomes visible.
///
/// Errors: [`ErrorCode::UnreadableFile`] for a file that is none, or was changed or cut off; [`ErrorCode::InvalidArgument`] for an encrypted
/// one without a key, [`ErrorCode::WrongKey`] for another key.
pub fn import_collection(host: &Host, request: ImportRequest<'_>) -> Result<ImportedVault> {
    let started = std::time::Instant::now();
    let ImportRequest { file, name, key, vault } = request;
    let mut archive = match &key {
        Some(key) if archive_lock(file)?.is_some() => Archive::open_encrypted(file, &key.archive_key()?)?,
        _ => Archive::open(file)?,
    };
    let manifest = archive.manifest().clone();
    if let Some(columns) = &manifest.columns {
        check_columns(columns).map_err(|error| {
            let message = format!("{} cannot be imported: {}", file.display(), error.message);
            Error::new(ErrorCode::UnreadableFile, message)
                .with_hint("Nothing was changed. Export the collection again.")
        })?;
    }
    let name = name.unwrap_or(&manifest.collection.name).trim();
    check_new(host, name, Action::ImportUnderOtherName.into())?;
    let meta = CollectionMeta { id: CollectionId::random(), name: name.to_owned(), ..manifest.collection };
    let (collection, recovery_words) = match vault {
        None => (host.store().import(&mut archive, &meta)?, None),
        Some((passphrase, idle)) => {
            host.only_on_disk("Vaults")?;
            let (key, header, words) = vaults::new_key(host, meta.id, &Passphrase::new(passphrase.reveal())?)?;
            let collection = host.registry().import_vault(&mut archive, &meta, key, &header)?;
            host.note_unlocked(meta.id, idle);
            (collection, Some(words))
        }
    };
    let collection = host.open_collections().adopt(collection);
    let made_by = collection.models().dense.clone();
    // Without models this cannot be checked, and importing needs none.
    let unknown = host.embedder_that_makes(collection.models()).is_ok_and(|embedder| embedder.is_none());
    let model_note = unknown.then(|| {
        format!(
            "Its vectors were made by {made_by}, which is not installed here, so only keyword search finds its passages. \
             `casetrack reindex --models compact` makes vectors with the models that come with CaseTrack."
        )
    });
    let (documents, pages, chunks) = (manifest.documents, manifest.pages, manifest.chunks);
    let (originals, duration_ms) = (manifest.originals, started.elapsed().as_millis() as u64);
    let dense_model = made_by;
    let report = ImportReport { meta, documents, pages, chunks, originals, dense_model, model_note, duration_ms };
    Ok(ImportedVault { report, recovery_words })
}
