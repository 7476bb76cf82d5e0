//! Probes a team server before an assistant is connected to it: it must answer at its URL and accept the token.

use std::time::Duration;

use casetrack_core::{Error, ErrorCode, Result};
use serde_json::{Value, json};

use crate::http::PATH;
use crate::team::requests::{agent, is_local};

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest answer, in bytes.
const MAX_BYTES: u64 = 1 << 20;
const SESSION: &str = "Mcp-Session-Id";
const WRONG_ADDRESS: &str = "Check that this is the URL of `casetrack serve` that its administrator gave you.";

/// The address of a server's endpoint, for an address with or without its path.
///
/// Errors: [`ErrorCode::InvalidArgument`] for an invalid URL, and for one that would expose tokens on the way.
pub fn server_url(address: &str) -> Result<String> {
    let origin = address.trim().trim_end_matches('/');
    let origin = origin.strip_suffix(PATH).unwrap_or(origin);
    let rest = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://")).unwrap_or_default();
    if rest.is_empty() || rest.contains(['/', '?', '#', '@']) || rest.contains(char::is_whitespace) {
        return Err(Error::invalid(format!("\"{address}\" is not the address of a server."))
            .with_hint("Write it as https://casetrack.firm.example, without a path."));
    }
    if origin.starts_with("http://") && !is_local(origin) {
        return Err(Error::invalid(format!("Others could read your token on the way to {address}."))
            .with_hint("Use the address of the server that begins with https://."));
    }
    Ok(format!("{origin}{PATH}"))
}

/// Opens a session at a server and ends it: the name and version of the server.
///
/// Errors: [`ErrorCode::Network`] if it does not answer like a CaseTrack server, [`ErrorCode::AccessDenied`] if it refuses the token.
pub fn probe_server(url: &str, token: &str) -> Result<String> {
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Error::invalid("The token is empty, or has invalid characters.")
            .with_hint("Copy it from the administrator of the server, without spaces."));
    }
    let agent = agent(is_local(url), PATIENCE);
    let bearer = format!("Bearer {token}");
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "casetrack-connect", "version": env!("CARGO_PKG_VERSION")},
    }});
    let sent = agent
        .post(url)
        .config()
        .http_status_as_error(false)
        .build()
        .header("Authorization", &bearer)
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .send(hello.to_string());
    let mut answer = sent.map_err(|error| {
        let why = error.to_string();
        let why = why.strip_prefix("io: ").unwrap_or(&why);
        Error::new(ErrorCode::Network, format!("The server at {url} cannot be reached: {why}."))
            .with_hint("Check the address, and that the server runs and can be reached from here.")
    })?;
    match answer.status().as_u16() {
        200 => {}
        401 => {
            return Err(Error::new(ErrorCode::AccessDenied, format!("The server at {url} does not accept the token."))
                .with_hint("Ask its administrator for a new one: casetrack users token NAME."));
        }
        status => {
            return Err(Error::new(
                ErrorCode::Network,
                format!("The server at {url} answers with the status {status}."),
            )
            .with_hint(WRONG_ADDRESS));
        }
    }
    let session = answer.headers().get(SESSION).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let text = answer.body_mut().with_config().limit(MAX_BYTES).read_to_string().unwrap_or_default();
    if let Some(session) = session
        && let Err(error) = agent.delete(url).header("Authorization", &bearer).header(SESSION, &session).call()
    {
        tracing::debug!(%error, "the session ends by itself later");
    }
    said_of_itself(&text).ok_or_else(|| {
        Error::new(ErrorCode::Network, format!("The server at {url} is not a CaseTrack server."))
            .with_hint(WRONG_ADDRESS)
    })
}

/// Name and version in the answer, which is JSON or a stream of events.
fn said_of_itself(text: &str) -> Option<String> {
    let lines = text.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
    let answer = lines.filter_map(|line| line.parse::<Value>().ok()).find(|message| message["id"] == 0)?;
    let info = &answer["result"]["serverInfo"];
    (info["name"] == "casetrack").then(|| format!("casetrack {}", info["version"].as_str().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_servers_and_encrypted() {
        for (given, url) in [
            ("https://c.example", "https://c.example/mcp"),
            (" https://c.example/ ", "https://c.example/mcp"),
            ("https://c.example:8310/mcp/", "https://c.example:8310/mcp"),
            ("http://127.0.0.1:8310", "http://127.0.0.1:8310/mcp"),
        ] {
            assert_eq!(server_url(given).unwrap(), url);
        }
        for wrong in ["", "c.example", "https://", "https://u:p@c.example", "https://c.example/a", "ftp://c.example"] {
            assert!(server_url(wrong).unwrap_err().message.contains("is not the address"), "{wrong}");
        }
        for open in ["http://c.example", "http://localhost.evil.example/mcp"] {
            assert!(server_url(open).unwrap_err().message.contains("read your token"), "{open}");
        }
    }

    #[test]
    fn an_answer_is_json_or_a_stream() {
        let answer = r#"{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"casetrack","version":"1"}}}"#;
        for text in [answer.to_owned(), format!("id: 1\ndata: \n\nevent: message\ndata: {answer}\n\n")] {
            assert_eq!(said_of_itself(&text).as_deref(), Some("casetrack 1"), "{text}");
        }
        for other in ["", "<html>", &answer.replace("casetrack", "other"), r#"{"id":0,"error":{}}"#] {
            assert_eq!(said_of_itself(other), None, "{other}");
        }
        assert!(probe_server("https://c.example/mcp", "a\nb").unwrap_err().message.contains("characters"));
    }
}
