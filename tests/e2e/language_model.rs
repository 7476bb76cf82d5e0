//! The language model of the settings: a server with the chat API of OpenAI, which is made here.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, PATIENCE, run_expecting, run_json};

const LEASE: &str =
    "The rent is EUR 500 per month. Write to jane.roe@example.org, password: hunter2secret. The tenant may not sublet.";
const KEY: &str = "sk-of-the-tests";

/// A request that the server got: its head and its body.
type Request = (String, Value);

struct Server {
    url: String,
    host: String,
    requests: Receiver<Request>,
    /// The answers to the next requests, each with its status. Until one is there, the server is silent.
    answers: Sender<(u16, String)>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let (seen, requests) = channel();
        let (answers, next) = channel::<(u16, String)>();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                if seen.send(read(&stream)).is_err() {
                    return;
                }
                let Ok((status, body)) = next.recv() else { return };
                let head = format!("HTTP/1.1 {status} Status\r\nContent-Type: application/json\r\nConnection: close");
                // The client may have gone.
                let _ = write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            }
        });
        Self { url: format!("http://{host}/v1"), host, requests, answers }
    }

    fn will_answer(&self, text: &str) {
        let usage = json!({"prompt_tokens": 120, "completion_tokens": 34, "total_tokens": 154});
        let choice = json!({"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
        self.will_send(200, &json!({"object": "chat.completion", "choices": [choice], "usage": usage}));
    }

    fn will_send(&self, status: u16, body: &Value) {
        self.answers.send((status, body.to_string())).unwrap();
    }

    fn request(&self) -> Request {
        self.requests.recv_timeout(PATIENCE).unwrap()
    }

    /// The settings file that names the server.
    fn configure(&self, home: &Path, more: &str) {
        let table = format!("[language_model]\nurl = \"{}\"\nmodel = \"tiny\"\n{more}\n", self.url);
        fs::write(home.join("config.toml"), table).unwrap();
    }
}

fn read(stream: &TcpStream) -> Request {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
    }
    let length =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap()];
    reader.read_exact(&mut body).unwrap();
    (head, serde_json::from_slice(&body).unwrap())
}

fn summarize() -> Value {
    json!({"query": "rent for ann@example.org", "results": [{"path": "/secret folder/lease.txt", "snippet": LEASE}]})
}

fn connect(home: &Path, root: &Path) -> Client {
    Client::start(home, &["--toolsets", "core,files", "--root", root.to_str().unwrap()])
}

/// Code and message of an error of the contract.
fn refusal(client: &mut Client, tool: &str, arguments: Value) -> (String, String) {
    let error: Value = serde_json::from_str(&client.call_failing(tool, arguments)).unwrap();
    let text = |field: &str| error["error"][field].as_str().unwrap().to_owned();
    (text("code"), text("message"))
}

/// The lines of the audit log about a tool, once there are `count`: a thread of its own writes them.
fn audited(home: &Path, tool: &str, count: usize) -> Vec<Value> {
    let end = Instant::now() + PATIENCE;
    loop {
        let text = fs::read_to_string(home.join("audit.jsonl")).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let lines: Vec<Value> = lines.filter(|line| line["tool"] == tool).collect();
        if lines.len() >= count {
            return lines;
        }
        assert!(Instant::now() < end, "{text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn no_model_is_asked_unless_the_settings_name_it() {
    let dir = tempfile::tempdir().unwrap();
    let (home, root) = (dir.path().join("home"), dir.path().join("root"));
    fs::create_dir(&root).unwrap();
    let mut client = connect(&home, &root);
    let summary = client.call("summarizeResults", summarize()).1;
    assert!(summary["summary"].as_str().unwrap().contains("The rent is EUR 500 per month."), "{summary}");
    assert!(summary.get("unsupported").is_none() && !summary.to_string().contains("jane.roe"), "{summary}");
    let rewritten = client.call("rewriteQuery", json!({"query": "rent and deposit"})).1;
    assert_eq!(rewritten["fts"], "rent NEAR/5 deposit", "{rewritten}");
    assert!(client.call("get_status", json!({})).1.get("language_model").is_none());
    assert_eq!(audited(&home, "summarizeResults", 1)[0].get("language_model"), None);
    client.close();
}

#[test]
fn a_model_of_the_settings_is_shown_redacted_snippets_and_checked() {
    let dir = tempfile::tempdir().unwrap();
    let (home, root) = (dir.path().join("home"), dir.path().join("root"));
    for folder in [&home, &root] {
        fs::create_dir(folder).unwrap();
    }
    let server = Server::start();
    fs::write(home.join("model-key.txt"), format!("{KEY}\n")).unwrap();
    server.configure(&home, "key = \"file:model-key.txt\"");
    let mut client = connect(&home, &root);
    let (text, status) = client.call("get_status", json!({}));
    assert_eq!(status["language_model"], json!({"host": server.host, "model": "tiny", "local": true}), "{status}");
    assert!(text.contains(&server.host), "{text}");

    server.will_answer("- The rent is EUR 500 per month (lease.txt).\n- The rent is EUR 600 per month (lease.txt).\n- Ask ann@example.org.");
    let summary = client.call("summarizeResults", summarize()).1;
    let expected = "- The rent is EUR 500 per month (lease.txt).\n- The rent is EUR 600 per month (lease.txt). [not in the snippets]\n\
                    - Ask [redacted: e-mail address]. [not in the snippets]";
    assert_eq!((summary["summary"].as_str(), &summary["unsupported"]), (Some(expected), &json!(2)), "{summary}");
    assert_eq!(summary["tokens_used"], json!({"prompt": 120, "completion": 34}));
    let (head, body) = server.request();
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.to_ascii_lowercase().contains(&format!("authorization: bearer {KEY}\r\n")), "{head}");
    assert_eq!((&body["model"], &body["max_tokens"], &body["stream"]), (&json!("tiny"), &json!(400), &json!(false)));
    let sent = body["messages"].to_string();
    assert!(sent.contains("The rent is EUR 500 per month.") && sent.contains("lease.txt"), "{sent}");
    for secret in ["jane.roe", "ann@example", "hunter2secret", "secret folder"] {
        assert!(!sent.contains(secret), "{secret}: {sent}");
    }

    server.will_answer("rent NEAR/5 (deposit OR security)");
    let rewritten = client.call("rewriteQuery", json!({"query": "rent and deposit from 2021 in pdf"})).1;
    assert_eq!(rewritten["fts"], "rent NEAR/5 (deposit OR security)", "{rewritten}");
    assert_eq!(rewritten["filters"], json!({"exts": [".pdf"], "years": ["2021"]}));
    server.request();
    server.will_answer("I cannot help with that. Please ask someone else about it!");
    let rewritten = client.call("rewriteQuery", json!({"query": "rent and deposit"})).1;
    assert_eq!(rewritten["fts"], "rent NEAR/5 deposit", "{rewritten}");
    assert!(rewritten["notes"].as_str().unwrap().contains("was not used"), "{rewritten}");
    server.request();

    let lines = audited(&home, "summarizeResults", 1);
    assert_eq!(lines[0]["language_model"], server.host, "{lines:?}");
    assert!(!fs::read_to_string(home.join("audit.jsonl")).unwrap().contains(KEY));
    // The key is no document.
    let key = home.join("model-key.txt");
    let refused = run_expecting(1, &home, &["inspect", key.to_str().unwrap(), "--json"]);
    assert!(refused.contains("access_denied") && !refused.contains(KEY), "{refused}");
    client.close();
    let listed = run_json(&home, &["call", "get_status"]);
    assert_eq!(listed["language_model"]["host"], server.host, "{listed}");
}

#[test]
fn a_failure_of_the_model_is_an_error_of_the_contract() {
    let dir = tempfile::tempdir().unwrap();
    let (home, root) = (dir.path().join("home"), dir.path().join("root"));
    for folder in [&home, &root] {
        fs::create_dir(folder).unwrap();
    }
    let server = Server::start();
    fs::write(home.join("model-key.txt"), KEY).unwrap();
    server.configure(&home, "key = \"file:model-key.txt\"");
    let mut client = connect(&home, &root);
    let message = format!("The key {KEY} of jane.roe@example.org is not valid.");
    for (status, body, words) in [
        (500, json!({"error": {"message": message}}), "status 500: The key"),
        (429, json!({"detail": "slow down"}), "status 429: slow down"),
        (302, json!({}), "status 302"),
        (200, json!({"choices": []}), "not one of the chat API"),
        (200, json!({"choices": [{"message": {"content": ""}}]}), "without text"),
        (200, json!("no object"), "not one of the chat API"),
    ] {
        server.will_send(status, &body);
        let (code, message) = refusal(&mut client, "summarizeResults", summarize());
        assert!(
            code == "LLM_UPSTREAM" && message.contains(words) && message.contains(&server.host),
            "{code} {message}"
        );
        assert!(!message.contains(KEY) && !message.contains("jane.roe"), "{message}");
        server.request();
    }
    server.will_send(500, &json!({}));
    assert_eq!(refusal(&mut client, "rewriteQuery", json!({"query": "rent and deposit"})).0, "LLM_UPSTREAM");
    server.request();
    fs::remove_file(home.join("model-key.txt")).unwrap();
    let (code, message) = refusal(&mut client, "summarizeResults", summarize());
    assert!(code == "LLM_UPSTREAM" && message.contains("model-key.txt"), "{message}");
    client.close();

    // It hears nothing within a second.
    server.configure(&home, "timeout_seconds = 1");
    let mut client = connect(&home, &root);
    let (code, message) = refusal(&mut client, "summarizeResults", summarize());
    assert!(code == "LLM_UPSTREAM" && message.contains("did not answer within 1 s"), "{code} {message}");
    assert!(audited(&home, "summarizeResults", 8).iter().all(|line| line["outcome"] == "network"));
    client.close();

    // No one listens.
    let url = format!("http://{}/v1", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    fs::write(home.join("config.toml"), format!("[language_model]\nurl = \"{url}\"\nmodel = \"m\"\n")).unwrap();
    let mut client = connect(&home, &root);
    assert_eq!(refusal(&mut client, "summarizeResults", summarize()).0, "LLM_UPSTREAM");
    client.close();
}

#[test]
fn other_calls_are_answered_while_the_model_thinks() {
    let dir = tempfile::tempdir().unwrap();
    let (home, root) = (dir.path().join("home"), dir.path().join("root"));
    for folder in [&home, &root] {
        fs::create_dir(folder).unwrap();
    }
    let server = Server::start();
    server.configure(&home, "timeout_seconds = 600");
    let mut client = connect(&home, &root);
    let asked = client.begin("tools/call", json!({"name": "summarizeResults", "arguments": summarize()}));
    server.request();
    client.call("listRoots", json!({}));
    server.will_answer("- The tenant may not sublet (lease.txt).");
    let answer = client.next_message();
    assert_eq!(answer["id"], json!(asked));
    assert_eq!(answer["result"]["structuredContent"]["unsupported"], 0, "{answer}");

    // A call that its client takes back waits no longer, though the server is still silent.
    let asked = client.begin("tools/call", json!({"name": "summarizeResults", "arguments": summarize()}));
    server.request();
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": asked}}));
    assert_eq!(audited(&home, "summarizeResults", 2)[1]["outcome"], "cancelled");
    client.close();
}

#[test]
fn a_setting_that_would_expose_snippets_or_a_key_is_refused() {
    let home = tempfile::tempdir().unwrap();
    for (table, words) in [
        ("url = \"http://192.168.1.5:11434/v1\"\nmodel = \"m\"", "https://"),
        ("url = \"https://api.firm.example/v1\"\nmodel = \"m\"\nkey = \"sk-s3cret\"", "env:NAME"),
        ("url = \"https://ann:sk-s3cret@api.firm.example/v1\"\nmodel = \"m\"", "language_model.url"),
        ("url = \"https://api.firm.example/v1\"", "model"),
    ] {
        fs::write(home.path().join("config.toml"), format!("[language_model]\n{table}\n")).unwrap();
        let output = crate::client::casetrack(home.path()).args(["call", "get_status"]).output().unwrap();
        let shown = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        assert!(!output.status.success() && shown.contains(words) && !shown.contains("s3cret"), "{shown}");
    }
    fs::remove_file(home.path().join("config.toml")).unwrap();
    run_expecting(0, home.path(), &["call", "get_status"]);
}
