//! The state of the engine: version, tier, models, storage.

use casetrack_core::{Notice, Result, Tier};
use casetrack_embed::{Embedder, Outputs};
use schemars::JsonSchema;
use serde::Serialize;

use casetrack_host::{Host, bytes_below, collections, data_dir};

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Status {
    pub version: String,
    pub tier: Tier,
    pub data_dir: String,
    /// A remark on the data directory: a cloud service may synchronize it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_dir_notice: Option<String>,
    pub collections: u64,
    /// Bytes of all collections on disk, as of at most ten seconds ago; for a user of a server, of those that they may read.
    pub storage_bytes: u64,
    pub models: Vec<ModelStatus>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ModelStatus {
    /// `E1`, `E13`, …
    pub id: String,
    pub role: String,
    pub model: String,
    /// True if its weights are in memory. Models load at first need.
    pub loaded: bool,
    /// Why it cannot be used, if so.
    #[schemars(with = "Option<String>")]
    pub problem: Option<Notice>,
}

/// Opens no collection and loads no model.
pub fn status(host: &Host) -> Result<Status> {
    let (collections, locked) = (collections::collections(host)?, collections::locked_ids(host)?);
    Ok(Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        tier: host.config().tier,
        data_dir: host.config().data_dir.display().to_string(),
        data_dir_notice: data_dir::notice(&host.config().data_dir),
        collections: (collections.len() + locked.len()) as u64,
        storage_bytes: match host.sight().is_limited() {
            false => host.storage().bytes_below(&host.config().data_dir),
            true => {
                let own = collections.iter().map(|meta| meta.id).chain(locked);
                own.map(|id| bytes_below(&host.registry().path(id))).sum()
            }
        },
        models: vec![
            model_status(host, "E1", "dense embeddings", Outputs::DENSE, Embedder::model_id),
            model_status(host, "E6", "learned-sparse embeddings", Outputs::SPARSE, Embedder::sparse_model_id),
            model_status(host, "E12", "token vectors, if a collection has them", Outputs::TOKENS, |embedder| {
                Ok(embedder.token_model()?.0)
            }),
            bm25_status(),
        ],
    })
}

fn model_status(
    host: &Host,
    id: &str,
    role: &str,
    output: Outputs,
    model: impl Fn(&Embedder) -> Result<String>,
) -> ModelStatus {
    let (model, problem) = match host.embedder().and_then(|embedder| model(&embedder)) {
        Ok(model) => (model, None),
        Err(error) => (String::new(), Some(error.notice(""))),
    };
    let loaded = host.embedder().is_ok_and(|embedder| embedder.is_loaded(output));
    ModelStatus { id: id.into(), role: role.into(), model, loaded, problem }
}

fn bm25_status() -> ModelStatus {
    ModelStatus {
        id: "E13".into(),
        role: "keyword search (BM25)".into(),
        model: "tantivy, k1 = 1.2, b = 0.75".into(),
        loaded: true,
        problem: None,
    }
}
