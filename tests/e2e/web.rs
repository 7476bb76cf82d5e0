//! Requests over HTTP as they are on the wire, and messages of the protocol in them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::{Value, json};

use crate::client::PATIENCE;

/// The headers with which a client of the protocol sends and accepts JSON.
pub const JSON: [(&str, &str); 2] =
    [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];

/// A status, headers as they are and in small letters, and a body as it is and as text.
pub struct Answer {
    pub status: u16,
    pub raw_head: String,
    pub head: String,
    pub bytes: Vec<u8>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// The session that an answer to `initialize` begins.
    pub fn session(&self) -> Option<String> {
        self.header("mcp-session-id").map(str::to_owned)
    }

    /// The message that answers [`request`], as JSON or as an event of a stream.
    pub fn message(&self) -> Value {
        let messages = self.body.lines().filter_map(|line| line.strip_prefix("data: ").unwrap_or(line).parse().ok());
        messages.into_iter().find(|message: &Value| message["id"] == 1).unwrap_or_else(|| panic!("{}", self.body))
    }
}

/// Sends a request with these headers, and `Host` unless it is among them, and reads until the server closes.
pub fn exchange(
    mut stream: impl Read + Write,
    address: SocketAddr,
    (method, path): (&str, &str),
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    let mut head = format!("{method} {path} HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "Host") {
        head += &format!("Host: {address}\r\n");
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    // A server that refuses does not read the rest.
    let _ = stream.write_all(&[head.as_bytes(), b"\r\n", body].concat());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("{method} {path}: {}", String::from_utf8_lossy(&answer)));
    let raw_head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = raw_head.split(' ').nth(1).unwrap().parse().unwrap();
    let bytes = answer.split_off(end + 4);
    let body = String::from_utf8_lossy(&bytes).into_owned();
    Answer { status, head: raw_head.to_lowercase(), raw_head, bytes, body }
}

/// A connection to a server that may take long to answer.
pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

pub fn send(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    exchange(connect(address), address, (method, path), headers, body)
}

/// The first message of a session.
pub fn hello() -> Vec<u8> {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "e2e", "version": "0"}});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string().into_bytes()
}

/// The message after the answer to [`hello`].
pub const INITIALIZED: &[u8] = br#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#;

pub fn request(method: &str, params: Value) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string().into_bytes()
}

/// The request that calls a tool.
pub fn call(tool: &str, arguments: Value) -> Vec<u8> {
    request("tools/call", json!({"name": tool, "arguments": arguments}))
}
