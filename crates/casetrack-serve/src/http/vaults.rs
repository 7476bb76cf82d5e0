//! Unlocking and locking vaults from the workbench, which only the user's own browser can do. No tool can.

use casetrack_core::Password;
use casetrack_engine::vaults;
use casetrack_engine::vaults::Opener;
use http::header::HeaderMap;
use http::{StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use serde_json::json;

use super::answers::{Answer, of_type, refusal};
use super::files::{OWN_HEADER, blocking, failure};
use super::parameters::query;
use casetrack_mcp::Session;

/// Longest passphrase, in bytes; the engine takes fewer.
const MAX_BYTES: usize = 4096;

/// Answers `POST /unlock?collection=ID`, whose body is the passphrase.
pub(super) async fn unlock(session: Session, headers: &HeaderMap, uri: &Uri, body: Incoming) -> Answer {
    let Some(id) = query(uri, "collection").filter(|_| headers.get(OWN_HEADER).is_some()) else {
        return refusal(StatusCode::FORBIDDEN, "Only the workbench unlocks a vault, by its ID.");
    };
    let Ok(body) = Limited::new(body, MAX_BYTES).collect().await else {
        return refusal(StatusCode::PAYLOAD_TOO_LARGE, "The passphrase is too long.");
    };
    let Ok(passphrase) = String::from_utf8(body.to_bytes().to_vec()).map(Password::from) else {
        return refusal(StatusCode::BAD_REQUEST, "The passphrase is not valid UTF-8.");
    };
    let unlock = move || {
        let engine = session.engine();
        let id = vaults::find_vault(engine.host(), Some(&id))?;
        engine.unlock(id, &Opener::Passphrase(passphrase), session.settings().vault.lock_after)
    };
    match blocking(unlock).await {
        Ok(meta) => of_type(StatusCode::OK, "application/json", json!({"name": meta.name}).to_string().into()),
        Err(error) => failure(&error),
    }
}

/// Answers `POST /lock?collection=ID`.
pub(super) async fn lock(session: Session, headers: &HeaderMap, uri: &Uri) -> Answer {
    let Some(id) = query(uri, "collection").filter(|_| headers.get(OWN_HEADER).is_some()) else {
        return refusal(StatusCode::FORBIDDEN, "Only the workbench locks a vault, by its ID.");
    };
    let lock = move || {
        let engine = session.engine();
        engine.lock(vaults::find_vault(engine.host(), Some(&id))?)
    };
    match blocking(lock).await {
        Ok(locked) => of_type(StatusCode::OK, "application/json", json!({"id": locked.id}).to_string().into()),
        Err(error) => failure(&error),
    }
}
