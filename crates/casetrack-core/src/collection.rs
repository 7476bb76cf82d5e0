//! The record of a collection, besides its documents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::labels::labelled;
use crate::{CollectionId, Timestamp};

labelled! {
    /// The purpose of a collection.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum CollectionType {
        Project = "Project",
        Contract = "Contract",
        Financial = "Financial",
        Compliance = "Compliance",
        Research = "Research",
        Hr = "HR",
        Operations = "Operations",
        #[default]
        Other = "Other",
    }
}

labelled! {
    /// The state of a collection.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum CollectionStatus {
        #[default]
        Active = "active",
        Closed = "closed",
        Archived = "archived",
    }
}

/// Written once per collection, next to its data.
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
