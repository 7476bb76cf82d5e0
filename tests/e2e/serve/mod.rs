//! A server for a team: who gets in, what each user sees and may do, and that nothing is told of the rest.

mod blind;
mod browsers;
mod connecting;
mod jobs;
mod logins;
mod oidc;
mod roles;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, ServerName};
use serde_json::{Value, json};

use crate::client::{PATIENCE, casetrack, run_json};

/// A `casetrack serve` on a free port.
pub struct Team {
    child: Child,
    pub address: SocketAddr,
    /// What it said about where it is.
    pub said: String,
    /// For connections that are encrypted.
    pub authority: Option<CertificateDer<'static>>,
}

/// A status, headers in small letters and as they are, and a body.
pub struct Answer {
    pub status: u16,
    pub raw_head: String,
    pub head: String,
    pub body: String,
}

impl Team {
    pub fn start(home: &Path, args: &[&str]) -> Self {
        let mut child = casetrack(home)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(args)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let said = lines.find(|line| line.contains("listening at ")).unwrap();
        let address = said.split("listening at ").nth(1).unwrap().strip_suffix(").").unwrap().parse().unwrap();
        std::thread::spawn(move || lines.for_each(|line| eprintln!("{line}")));
        Self { child, address, said, authority: None }
    }

    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
        head += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head += &format!("Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let request = [head.as_bytes(), b"\r\n", body].concat();
        let answer = match &self.authority {
            Some(authority) => exchange(encrypted(stream, authority), &request),
            None => exchange(stream, &request),
        };
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{method} {path}: {answer}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, raw_head: head.to_owned(), head: head.to_lowercase(), body: body.to_owned() }
    }

    /// The status of a client's first request with this token.
    pub fn knock(&self, token: &str) -> u16 {
        self.hello(&[("Authorization", &format!("Bearer {token}"))]).status
    }

    pub fn hello(&self, headers: &[(&str, &str)]) -> Answer {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "e2e", "version": "0"}});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        self.send("POST", "/mcp", headers, hello.to_string().as_bytes())
    }

    /// Opens the stream of notifications of a session, unless it is refused.
    fn stream(&self, session: &str, headers: &[(&str, &str)]) -> Option<TcpStream> {
        let mut head = format!("GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n", self.address);
        for (name, value) in [&[("Mcp-Session-Id", session), ("Connection", "close")], headers].concat() {
            head += &format!("{name}: {value}\r\n");
        }
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        let mut first = [0; 15];
        stream.read_exact(&mut first).unwrap();
        (&first == b"HTTP/1.1 200 OK").then_some(stream)
    }

    /// Ends it as a person would, and waits for that.
    pub fn stop(mut self) {
        let status = std::process::Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(status.success() && self.child.wait().unwrap().success());
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until a stream has ended; one that goes on fails the test.
pub fn ends(mut stream: TcpStream) {
    stream.read_to_end(&mut Vec::new()).unwrap();
}

fn exchange(mut stream: impl Read + Write, request: &[u8]) -> String {
    // A server that refuses does not read the rest.
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    let ended = stream.read_to_end(&mut answer);
    assert!(ended.is_ok() || !answer.is_empty(), "{ended:?}");
    String::from_utf8_lossy(&answer).into_owned()
}

fn encrypted(
    stream: TcpStream,
    authority: &CertificateDer<'static>,
) -> rustls::StreamOwned<rustls::ClientConnection, TcpStream> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(authority.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_root_certificates(roots).with_no_client_auth());
    let name = ServerName::try_from("localhost").unwrap();
    rustls::StreamOwned::new(rustls::ClientConnection::new(config, name).unwrap(), stream)
}

/// A session of a user.
pub struct Member<'t> {
    pub team: &'t Team,
    bearer: String,
    pub session: String,
}

impl<'t> Member<'t> {
    pub fn open(team: &'t Team, token: &str) -> Self {
        Self::try_open(team, token).unwrap_or_else(|answer| panic!("{}", answer.body))
    }

    /// The answer where it is refused.
    pub fn try_open(team: &'t Team, token: &str) -> Result<Self, Answer> {
        let bearer = format!("Bearer {token}");
        let answer = team.hello(&[("Authorization", &bearer)]);
        if answer.status != 200 {
            return Err(answer);
        }
        let session = answer.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().to_owned();
        let member = Self { team, bearer, session };
        let begun = member.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        if begun.status == 202 { Ok(member) } else { Err(begun) }
    }

    /// The stream of notifications, unless it is refused.
    pub fn stream(&self) -> Option<TcpStream> {
        self.team.stream(&self.session, &[("Authorization", &self.bearer)])
    }

    pub fn post(&self, message: &Value) -> Answer {
        self.send("POST", "/mcp", &[("Mcp-Session-Id", &self.session)], message.to_string().as_bytes())
    }

    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let headers = [&[("Authorization", self.bearer.as_str())], headers].concat();
        self.team.send(method, path, &headers, body)
    }

    /// The answer to a request of the protocol: its result or its error.
    pub fn ask(&self, method: &str, params: Value) -> Value {
        let answer = self.post(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        assert_eq!(answer.status, 200, "{method}: {}", answer.body);
        let mut messages =
            answer.body.lines().filter_map(|line| line.strip_prefix("data: ").unwrap_or(line).parse::<Value>().ok());
        let message = messages.find(|message| message["id"] == 1).unwrap_or_else(|| panic!("{}", answer.body));
        match message.get("result") {
            Some(result) => result.clone(),
            None => message["error"].clone(),
        }
    }

    /// Calls a tool: the whole result.
    pub fn result(&self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool that succeeds: its structured content.
    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        let result = self.result(tool, arguments);
        assert_ne!(result["isError"], json!(true), "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// Calls a tool that fails: what it says.
    pub fn refusal(&self, tool: &str, arguments: Value) -> String {
        let result = self.result(tool, arguments);
        assert_eq!(result["isError"], json!(true), "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The names of the collections that are listed.
    pub fn collections(&self) -> Vec<String> {
        let list = self.call("list_collections", json!({"status_filter": "all"}));
        let names = list["collections"].as_array().unwrap().iter().map(|of| of["name"].as_str().unwrap().to_owned());
        names.collect()
    }
}

/// Adds a user: the token.
pub fn add(home: &Path, name: &str, more: &[&str]) -> String {
    let added = run_json(home, &[&["users", "add", name], more].concat());
    added["token"].as_str().unwrap_or_default().to_owned()
}

/// The lines of the audit log, when one of them is as wanted: they are written a moment after the answer.
pub fn audited(home: &Path, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
    let started = std::time::Instant::now();
    loop {
        let text = std::fs::read_to_string(home.join("audit.jsonl")).unwrap_or_default();
        let lines: Vec<Value> = text.lines().filter_map(|line| line.parse().ok()).collect();
        if lines.iter().any(&wanted) {
            return lines;
        }
        assert!(started.elapsed() < PATIENCE, "{text}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
