//! `collection.json`: the facts about a collection that can be read without opening its stores.

use std::path::{Path, PathBuf};

use casetrack_core::{CollectionMeta, Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};

use crate::codec::{decode_json, encode_json};
use crate::error::{corrupt, repair_hint};
use crate::records::{Identity, TokenModel};
use crate::schema::{MANIFEST_KEY, SCHEMA_VERSION, cf};
use crate::seal::Seal;
use crate::truth::{Truth, truth_dir};
use crate::vault::{self, SEALED_MANIFEST};

/// The models whose vectors a collection holds. It takes no others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorModels {
    /// Id of the dense model (E1).
    pub dense: String,
    /// Components of its vectors.
    pub dense_dimension: u32,
    /// Id of the learned-sparse model (E6); `None` if the collection has no such vectors.
    #[serde(default)]
    pub sparse: Option<String>,
    /// The model of token vectors (E12); `None` if the collection has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<TokenModel>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub schema_version: u32,
    pub collection: CollectionMeta,
    pub models: VectorModels,
    /// The models were not chosen by a user: others may replace them while the collection is empty.
    #[serde(default, skip_serializing_if = "is_false")]
    pub models_open: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Manifest {
    /// Name of the file if it is not sealed.
    pub const FILE: &str = "collection.json";

    /// The identity that RocksDB must have to belong to this collection.
    pub fn identity(&self) -> Identity {
        Identity {
            collection: self.collection.id,
            dense_model: self.models.dense.clone(),
            dense_dimension: self.models.dense_dimension,
            sparse_model: self.models.sparse.clone(),
            token_model: self.models.tokens.clone(),
        }
    }

    /// Agrees with the copy in RocksDB, which has checksums: if they differ in anything but the schema,
    /// `collection.json` was changed by another program, and it is written again.
    pub fn reconcile(&mut self, dir: &Path, truth: &Truth) -> Result<()> {
        match Self::kept(truth)? {
            Some(kept) if kept.collection != self.collection => {
                tracing::warn!(dir = %dir.display(), "collection.json was changed or damaged; it is written again");
                self.collection = kept.collection;
                self.write(dir, truth.seal())
            }
            _ => self.keep(truth),
        }
    }

    /// The copy of a collection in RocksDB; `None` if an earlier version of CaseTrack left none.
    pub fn kept(truth: &Truth) -> Result<Option<Self>> {
        truth.meta(&MANIFEST_KEY)?.map(|value| decode_json("manifest", &value)).transpose()
    }

    pub fn keep(&self, truth: &Truth) -> Result<()> {
        if Self::kept(truth).is_ok_and(|kept| kept.as_ref() == Some(self)) {
            return Ok(());
        }
        let mut batch = truth.batch();
        batch.put(cf::META, MANIFEST_KEY, encode_json(self)?)?;
        truth.write_durably(batch)
    }

    pub fn path(dir: &Path, seal: &Seal) -> PathBuf {
        dir.join(if seal.is_sealed() { SEALED_MANIFEST } else { Self::FILE })
    }

    pub fn write(&self, dir: &Path, seal: &Seal) -> Result<()> {
        let mut json = serde_json::to_vec_pretty(self).map_err(|error| Error::internal(error.to_string()))?;
        json.push(b'\n');
        seal.write_atomically(&Self::path(dir, seal), SEALED_MANIFEST, &json)
    }

    /// Reads the manifest of a collection of this or an older schema. Errors: [`ErrorCode::Locked`] for a vault whose
    /// key was not given, and others.
    pub fn read(dir: &Path, seal: &Seal) -> Result<Self> {
        if !seal.is_sealed() && vault::is_one(dir) {
            return Err(vault::locked_at(dir));
        }
        let path = Self::path(dir, seal);
        let json = seal.read(&path, SEALED_MANIFEST).map_err(|error| match error.code {
            ErrorCode::FileNotFound if truth_dir(dir).exists() => damaged(dir, "collection.json is missing"),
            ErrorCode::FileNotFound => {
                Error::new(ErrorCode::NotFound, format!("There is no collection at {}.", dir.display()))
                    .with_hint("List the collections to see their names and IDs.")
            }
            ErrorCode::Corrupt => damaged(dir, &error.message),
            _ => error,
        })?;
        let unreadable = |error: serde_json::Error| damaged(dir, &format!("collection.json cannot be read ({error})"));
        // The version first: a newer schema may have changed the rest.
        #[derive(Deserialize)]
        struct Version {
            schema_version: u32,
        }
        let Version { schema_version } = serde_json::from_slice(&json).map_err(unreadable)?;
        match schema_version {
            1..=SCHEMA_VERSION => serde_json::from_slice(&json).map_err(unreadable),
            newer if newer > SCHEMA_VERSION => Err(Error::new(
                ErrorCode::NewerSchema,
                format!(
                    "The collection at {} was written by a newer CaseTrack (schema {newer}; this version knows \
                     {SCHEMA_VERSION}).",
                    dir.display()
                ),
            )
            .with_hint("Update CaseTrack, then try again. Nothing was changed.")),
            unknown => Err(damaged(dir, &format!("collection.json names the unknown schema {unknown}"))),
        }
    }
}

/// Names the collection in the hint by its id, the name of its directory: its own name cannot be read.
fn damaged(dir: &Path, what: &str) -> Error {
    let id = dir.file_name().unwrap_or_default().to_string_lossy();
    corrupt(format!("The collection at {} is damaged: {what}.", dir.display())).with_hint(repair_hint(&id))
}

#[cfg(test)]
mod tests {
    use casetrack_core::{CollectionId, CollectionStatus, CollectionType, Timestamp};

    use super::*;

    fn manifest() -> Manifest {
        Manifest {
            schema_version: SCHEMA_VERSION,
            collection: CollectionMeta {
                id: CollectionId::random(),
                name: "Meyer ./. Größe \"2024\"\n".into(),
                reference: Some("A-17".into()),
                collection_type: CollectionType::Contract,
                status: CollectionStatus::Active,
                created_at: Timestamp(1_700_000_000_123),
            },
            models: VectorModels { dense: "all-MiniLM-L6-v2".into(), dense_dimension: 384, sparse: None, tokens: None },
            models_open: false,
        }
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        manifest().write(dir.path(), &Seal::default()).unwrap();
        let read = Manifest::read(dir.path(), &Seal::default()).unwrap();
        assert_eq!(
            Manifest { collection: CollectionMeta { id: read.collection.id, ..manifest().collection }, ..manifest() },
            read
        );
    }

    #[test]
    fn missing_damaged_and_newer_ones_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let code = || Manifest::read(dir.path(), &Seal::default()).unwrap_err().code;
        assert_eq!(code(), ErrorCode::NotFound);
        std::fs::write(Manifest::path(dir.path(), &Seal::default()), "{\"schema_version\": 1, \"coll").unwrap();
        assert_eq!(code(), ErrorCode::Corrupt);
        std::fs::write(Manifest::path(dir.path(), &Seal::default()), "{\"schema_version\": 9, \"shape\": \"unknown\"}")
            .unwrap();
        assert_eq!(code(), ErrorCode::NewerSchema);
    }
}
