//! MCP over HTTP: sessions of their own, a token, and what web pages could send.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{PATIENCE, UNTIL_DONE, casetrack, in_place, run, run_expecting, samples};
use crate::owner::{kill, owner_pid, wait_until_it_ends};
use crate::web::{self, Answer, hello};

/// A `casetrack mcp --http` on a free port.
pub struct Served {
    child: Child,
    pub address: SocketAddr,
    /// The text that it printed after the address.
    pub note: String,
}

impl Served {
    pub fn start(home: &Path, args: &[&str]) -> Self {
        let mut child = casetrack(home)
            .args(["mcp", "--http", "127.0.0.1:0"])
            .args(args)
            .env_remove("CASETRACK_TOKEN")
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let url = lines.find(|line| line.contains("http://")).unwrap();
        let address = url.split("http://").nth(1).unwrap().strip_suffix("/mcp").unwrap().parse().unwrap();
        let note = lines.next().unwrap();
        std::thread::spawn(move || lines.for_each(|line| eprintln!("{line}")));
        Self { child, address, note }
    }

    /// Sends a request with these headers besides the headers of a client of the protocol.
    pub fn send(&self, method: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        web::send(self.address, method, "/mcp", &[&web::JSON, headers].concat(), body)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client's session.
pub struct HttpClient<'s> {
    served: &'s Served,
    token: String,
    session: String,
}

impl<'s> HttpClient<'s> {
    pub fn open(served: &'s Served, token: &str) -> Self {
        let token = format!("Bearer {token}");
        let answer = served.send("POST", &[("Authorization", &token)], &hello());
        assert_eq!(answer.status, 200, "{}", answer.body);
        let client = Self { served, token, session: answer.session().unwrap() };
        assert_eq!(client.post(web::INITIALIZED).status, 202);
        client
    }

    fn post(&self, message: &[u8]) -> Answer {
        let headers = [("Authorization", self.token.as_str()), ("Mcp-Session-Id", &self.session)];
        self.served.send("POST", &headers, message)
    }

    /// Calls a tool: (text, structured content).
    pub fn call(&self, tool: &str, arguments: Value) -> (String, Value) {
        let answer = self.post(&web::call(tool, arguments));
        assert_eq!(answer.status, 200, "{}", answer.body);
        let answer = answer.message();
        let text = answer.pointer("/result/content/0/text").and_then(Value::as_str);
        (text.unwrap_or_else(|| panic!("{answer}")).to_owned(), in_place(&answer["result"]["structuredContent"]))
    }
}

/// The token that the program made.
pub fn token(home: &Path) -> String {
    std::fs::read_to_string(home.join("owner/http-token")).unwrap()
}

#[test]
fn sessions_over_http_have_their_own_active_collections_and_outlive_no_owner() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    run(&home, &["new", "First"]);
    run(&home, &["new", "Second"]);
    let served = Served::start(&home, &["--collection", "First"]);
    assert!(served.note.ends_with("http-token."), "{}", served.note);
    let (first, second) = (HttpClient::open(&served, &token(&home)), HttpClient::open(&served, &token(&home)));
    second.call("switch_collection", json!({"collection_name": "Second"}));
    let file = samples().join("harbour-point/contract/Amendment_No_1.docx");
    first.call("ingest_document", json!({"file_path": file, "wait_seconds": UNTIL_DONE}));
    let documents =
        |client: &HttpClient| client.call("list_documents", json!({})).1["documents"].as_array().unwrap().len();
    assert_eq!((documents(&first), documents(&second)), (1, 0));

    // Ended by its client.
    let headers = [("Authorization", second.token.as_str()), ("Mcp-Session-Id", &second.session)];
    assert_eq!(served.send("DELETE", &headers, b"").status, 204);
    for (method, body, id) in [("POST", web::request("ping", json!({})), json!(1)), ("DELETE", Vec::new(), Value::Null)]
    {
        let gone = served.send(method, &headers, &body);
        assert_eq!(gone.status, 404, "{method}");
        let error: Value = gone.body.parse().unwrap();
        assert_eq!((&error["id"], &error["error"]["code"]), (&id, &json!(-32001)), "{method}: {error}");
    }

    // The owner is killed: another listens on the same port; what was stored is there, the session is not.
    let before = owner_pid(&home);
    kill(before);
    let started = std::time::Instant::now();
    while owner_pid(&home) == before || TcpStream::connect(served.address).is_err() {
        assert!(started.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(first.post(&web::request("ping", json!({}))).status, 404);
    // A client that opens another may still send the number of its old one.
    let reopened = first.post(&hello());
    assert_eq!(reopened.status, 200, "{}", reopened.body);
    assert_ne!(reopened.session().unwrap(), first.session);
    assert_eq!(documents(&HttpClient::open(&served, &token(&home))), 1);
}

/// Many clients end without closing their session.
#[test]
fn clients_that_never_close_their_sessions_do_not_lock_others_out() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let served = Served::start(&home, &[]);
    let token = token(&home);
    let (first, used) = (HttpClient::open(&served, &token), HttpClient::open(&served, &token));
    for _ in 0..70 {
        HttpClient::open(&served, &token);
        assert_eq!(used.post(&web::request("ping", json!({}))).status, 200);
    }
    let ended = first.post(&web::request("ping", json!({})));
    assert_eq!((ended.status, ended.message()["error"]["code"].as_i64()), (404, Some(-32001)), "{}", ended.body);
    let bearer = format!("Bearer {token}");
    let metrics = web::send(served.address, "GET", "/metrics", &[("Authorization", &bearer)], b"").body;
    assert!(metrics.contains("casetrack_http_sessions 64"), "{metrics}");
}

#[test]
fn without_the_token_or_from_a_web_page_nothing_is_served() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let served = Served::start(&home, &[]);
    let bearer = format!("Bearer {}", token(&home));
    let authorization = ("Authorization", bearer.as_str());
    let status = |headers: &[(&str, &str)]| served.send("POST", headers, &hello()).status;
    for wrong in ["Bearer 0123456789abcdef", "Bearer", "Basic Og=="] {
        let answer = served.send("POST", &[("Authorization", wrong)], &hello());
        assert!(answer.status == 401 && answer.head.contains("www-authenticate: bearer"), "{wrong}: {}", answer.head);
    }
    assert_eq!(status(&[]), 401);
    let port = served.address.port();
    let (localhost, foreign) = (format!("localhost:{port}"), format!("evil.example:{port}"));
    for host in [foreign.as_str(), "127.0.0.1:1", "169.254.169.254"] {
        assert_eq!(status(&[authorization, ("Host", host)]), 403, "{host}");
    }
    for origin in ["http://evil.example", "https://localhost.evil.example", "null"] {
        assert_eq!(status(&[authorization, ("Origin", origin)]), 403, "{origin}");
    }
    assert_eq!(status(&[authorization, ("Host", &localhost), ("Origin", "http://localhost:6274")]), 200);
    // A protocol without sessions is not spoken, and said so.
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "e2e", "version": "0"}, "io.modelcontextprotocol/clientCapabilities": {}});
    let call = web::request("tools/call", json!({"name": "list_collections", "arguments": {}, "_meta": meta}));
    let headers = [
        authorization,
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "list_collections"),
    ];
    let body = served.send("POST", &headers, &call).body;
    assert!(body.contains("2025-11-25") && body.contains("error"), "{body}");
}

#[test]
fn only_this_machine_is_served() {
    let dir = tempfile::tempdir().unwrap();
    let output = run_expecting(1, dir.path(), &["mcp", "--http", "0.0.0.0:0", "--json"]);
    assert!(output.contains("not a loopback address"), "{output}");
    // Without a token: for who asks for that.
    let served = Served::start(dir.path(), &["--no-token"]);
    assert!(served.note.starts_with("No token"), "{}", served.note);
    assert_eq!(served.send("POST", &[], &hello()).status, 200);
}

#[test]
fn bodies_that_are_no_messages_are_answered_with_errors() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let served = Served::start(&home, &[]);
    let client = HttpClient::open(&served, &token(&home));
    let headers = [("Authorization", client.token.as_str()), ("Mcp-Session-Id", &client.session)];
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (body, expected, id, code) in [
        ("this is not JSON", 400, Value::Null, -32700),
        ("", 400, Value::Null, -32700),
        (&deep, 400, Value::Null, -32700),
        (r#"{"jsonrpc": "2.0", "id": 7, "method": 5}"#, 400, json!(7), -32600),
    ] {
        let sent = served.send("POST", &headers, body.as_bytes());
        let (status, answer) = (sent.status, sent.body.parse::<Value>().unwrap());
        assert_eq!((status, &answer["id"], &answer["error"]["code"]), (expected, &id, &json!(code)), "{answer}");
        client.call("get_status", json!({}));
    }
}

#[test]
fn health_is_open_and_metrics_need_the_token() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let served = Served::start(&home, &[]);
    let get = |path: &str, headers: &[(&str, &str)]| web::send(served.address, "GET", path, headers, b"");
    let health = get("/healthz", &[]);
    assert_eq!((health.status, health.body.as_str()), (200, "ok\n"));
    assert_eq!(get("/metrics", &[]).status, 401);
    let token = token(&home);
    let session = HttpClient::open(&served, &token);
    session.call("list_collections", json!({}));
    let metrics = get("/metrics", &[("Authorization", &format!("Bearer {token}"))]).body;
    assert!(metrics.contains("casetrack_tool_calls_total{tool=\"list_collections\",outcome=\"ok\"} 1"), "{metrics}");
    assert!(metrics.contains("casetrack_http_sessions 1"), "{metrics}");
    assert_eq!(get("/other", &[]).status, 404);
    // The owner ends some time after its only client has gone.
    drop(served);
    wait_until_it_ends(&home);
}
