//! What is known about a collection besides its documents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CollectionId, Timestamp};

/// What a collection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CollectionType {
    Project,
    Contract,
    Financial,
    Compliance,
    Research,
    Hr,
    Operations,
    #[default]
    Other,
}

/// Where a collection is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CollectionStatus {
    #[default]
    Active,
    Closed,
    Archived,
}

/// Written once per collection, beside its data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CollectionMeta {
    pub id: CollectionId,
    pub name: String,
    /// The user's own identifier or file number.
    pub reference: Option<String>,
    pub collection_type: CollectionType,
    pub status: CollectionStatus,
    pub created_at: Timestamp,
}
