//! The model of the client, called through the protocol's sampling. Protocol versions from 2026-07-28 on have no requests by servers, so there it is
//! never called.
#![allow(
    deprecated,
    reason = "sampling leaves the protocol, and clients that offer it speak the versions that have it"
)]

use std::time::Duration;

use casetrack_core::{Cancel, Error, ErrorCode, Result};
use casetrack_engine::file_search::{Completion, Prompt, redacted};
use rmcp::model::{CreateMessageRequestParams, SamplingMessage};
use rmcp::service::{Peer, RoleServer};
use tokio::runtime::Handle;

use crate::session::LanguageModel;

/// Longest wait for the model: a person may have to allow it first.
const PATIENCE: Duration = Duration::from_secs(120);
/// Interval between checks that the caller still waits.
const TICK: Duration = Duration::from_millis(50);

pub(super) struct Sampling {
    peer: Peer<RoleServer>,
    runtime: Handle,
}

impl Sampling {
    /// `None` if the client offers no model.
    pub fn of(peer: &Peer<RoleServer>) -> Option<Self> {
        peer.peer_info()?.capabilities.sampling.as_ref()?;
        Some(Self { peer: peer.clone(), runtime: Handle::current() })
    }

    async fn ask(&self, prompt: &str, max_tokens: u32) -> Result<String> {
        let params = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], max_tokens);
        let answer = tokio::time::timeout(PATIENCE, self.peer.create_message(params)).await;
        let answer = answer.map_err(|_| failed("it did not answer in time"))?;
        let answer = answer.map_err(|error| failed(&error.to_string()))?;
        let content = serde_json::to_value(&answer.message.content).unwrap_or_default();
        // One block, or a list of them.
        let blocks = content.as_array().cloned().unwrap_or_else(|| vec![content]);
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
        match texts.concat().trim() {
            "" => Err(failed("it answered without text")),
            text => Ok(text.to_owned()),
        }
    }
}

impl LanguageModel for Sampling {
    fn host(&self) -> Option<&str> {
        None
    }

    fn complete(&self, prompt: &Prompt, max_tokens: u32, cancel: &Cancel) -> Result<Completion> {
        let prompt = prompt.whole();
        let cancelled = async {
            while !cancel.is_cancelled() {
                tokio::time::sleep(TICK).await;
            }
        };
        self.runtime.block_on(async {
            tokio::select! {
                answer = self.ask(&prompt, max_tokens) => answer.map(|text| Completion { text, tokens: None }),
                () = cancelled => Err(Error::cancelled()),
            }
        })
    }
}

fn failed(why: &str) -> Error {
    let why: String = redacted(why).chars().take(300).collect();
    Error::new(ErrorCode::Network, format!("The model of the client failed: {}.", why.trim_end_matches('.')))
        .with_hint("Try again, or let the user set model = \"none\" under [summaries] in config.toml for summaries without a model.")
}
