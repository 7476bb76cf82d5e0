//! A server for a team: logins, the rights of each user, and silence about the rest.

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

use crate::client::{PATIENCE, casetrack, in_place, run_json};
use crate::web::{self, Answer};

/// A `casetrack serve` on a free port.
pub struct Team {
    child: Child,
    pub address: SocketAddr,
    /// Its message about its address.
    pub said: String,
    /// For connections that are encrypted.
    pub authority: Option<CertificateDer<'static>>,
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
        let headers = [&web::JSON, headers].concat();
        let stream = web::connect(self.address);
        match &self.authority {
            Some(authority) => {
                web::exchange(encrypted(stream, authority), self.address, (method, path), &headers, body)
            }
            None => web::exchange(stream, self.address, (method, path), &headers, body),
        }
    }

    /// The status of a client's first request with this token.
    pub fn knock(&self, token: &str) -> u16 {
        self.hello(&[("Authorization", &format!("Bearer {token}"))]).status
    }

    pub fn hello(&self, headers: &[(&str, &str)]) -> Answer {
        self.send("POST", "/mcp", headers, &web::hello())
    }

    /// Opens the stream of notifications of a session, unless it is refused.
    fn stream(&self, session: &str, headers: &[(&str, &str)]) -> Option<TcpStream> {
        let mut head = format!("GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n", self.address);
        for (name, value) in [&[("Mcp-Session-Id", session), ("Connection", "close")], headers].concat() {
            head += &format!("{name}: {value}\r\n");
        }
        let mut stream = web::connect(self.address);
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        let mut first = [0; 15];
        stream.read_exact(&mut first).unwrap();
        (&first == b"HTTP/1.1 200 OK").then_some(stream)
    }

    /// Ends it as a person would, and waits for that.
    pub fn stop(mut self) {
        if cfg!(windows) {
            // Programs without a window cannot be asked there.
            self.child.kill().unwrap();
            return;
        }
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

/// Waits until a stream has ended; one that continues fails the test.
pub fn ends(mut stream: TcpStream) {
    stream.read_to_end(&mut Vec::new()).unwrap();
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

    /// With an active collection, which changes need.
    pub fn open_in(team: &'t Team, token: &str, collection: &str) -> Self {
        let member = Self::open(team, token);
        member.call("switch_collection", json!({"collection_name": collection}));
        member
    }

    /// The answer if it is refused.
    pub fn try_open(team: &'t Team, token: &str) -> Result<Self, Answer> {
        let bearer = format!("Bearer {token}");
        let answer = team.hello(&[("Authorization", &bearer)]);
        if answer.status != 200 {
            return Err(answer);
        }
        let member = Self { team, bearer, session: answer.session().unwrap() };
        let begun = member.post(web::INITIALIZED);
        if begun.status == 202 { Ok(member) } else { Err(begun) }
    }

    /// The stream of notifications, unless it is refused.
    pub fn stream(&self) -> Option<TcpStream> {
        self.team.stream(&self.session, &[("Authorization", &self.bearer)])
    }

    pub fn post(&self, message: &[u8]) -> Answer {
        self.send("POST", "/mcp", &[("Mcp-Session-Id", &self.session)], message)
    }

    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let headers = [&[("Authorization", self.bearer.as_str())], headers].concat();
        self.team.send(method, path, &headers, body)
    }

    /// The answer to a request of the protocol: its result or its error.
    pub fn ask(&self, method: &str, params: Value) -> Value {
        let answer = self.post(&web::request(method, params));
        assert_eq!(answer.status, 200, "{method}: {}", answer.body);
        let message = answer.message();
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
        in_place(&result["structuredContent"])
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
