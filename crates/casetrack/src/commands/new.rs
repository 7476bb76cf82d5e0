//! `casetrack new`

use casetrack_core::{CollectionMeta, CollectionType, Result};
use casetrack_engine::collections::CreateCollection;
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::collection_type;
use crate::owner::console::Console;

/// Create an empty collection for a matter
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct New {
    /// Name of the collection, such as "Acme Corp Partnership"
    name: String,
    /// Type of the collection: project, contract, financial, compliance, research, hr, operations or other
    #[arg(long = "type", value_name = "TYPE", value_parser = collection_type, default_value = "other")]
    collection_type: CollectionType,
    /// Your own identifier or file number for the collection
    #[arg(long = "id", value_name = "REF")]
    reference: Option<String>,
}

impl New {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let request =
            CreateCollection { name: self.name, reference: self.reference, collection_type: self.collection_type };
        let meta = engine.create_collection(request)?;
        console.print(&meta, describe)?;
        Ok(0)
    }
}

fn describe(meta: &CollectionMeta) -> String {
    let CollectionMeta { id, name, .. } = meta;
    format!("Created collection \"{name}\" (ID: {}).\n\nNext: casetrack ingest PATH... -c \"{name}\"", id.short())
}
