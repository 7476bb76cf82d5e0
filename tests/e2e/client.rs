//! A minimal MCP client over the standard streams of a child process, and helpers to run the command line.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Map, Value, json};

/// Longest wait for anything. It only ends a hang: on a machine with much other work, what usually takes a second takes minutes.
pub const PATIENCE: Duration = Duration::from_secs(900);
/// The `wait_seconds` of calls that start a job, for its end.
pub const UNTIL_DONE: u64 = 600;

pub fn casetrack(data_dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_casetrack"));
    command.arg("--data-dir").arg(data_dir).env_remove("CASETRACK_HOME").env_remove("CASETRACK_LOG");
    command.env_remove("CASETRACK_STORE");
    // No process stays behind for long when a test is over.
    command.env("CASETRACK_IDLE_SECONDS", "3");
    command
}

/// With `CASETRACK_TEST_VAULT=1`, collections that are made with [`run`] or by [`Client::start_in`] are vaults. Tests that kill the owner, copy the
/// folder of a collection or make one by a tool are about what they are about.
fn in_a_vault(args: &[&str]) -> bool {
    std::env::var_os("CASETRACK_TEST_VAULT").is_some() && args.contains(&"new") && !args.contains(&"--vault")
}

/// Copies the files of a folder, with those below it, into a folder that may be there. Leaves out sockets and links.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => copy(&entry.path(), &to),
            kind if kind.is_file() => drop(std::fs::copy(entry.path(), to).unwrap()),
            _ => {}
        }
    }
}

/// Runs a command and returns its standard output; panics with all output when it does not exit with `status`.
pub fn run_expecting(status: i32, data_dir: &Path, args: &[&str]) -> String {
    let mut command = casetrack(data_dir);
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    let input = match in_a_vault(args) {
        true => {
            command.args(["--vault", "--passphrase-stdin"]).stdin(Stdio::piped());
            "of the tests\n"
        }
        false => {
            command.stdin(Stdio::null());
            ""
        }
    };
    let mut child = command.spawn().unwrap();
    // A command that refuses to begin does not read.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let Output { stdout, stderr, status: actual } = &output;
    assert_eq!(actual.code(), Some(status), "{args:?}\n{}\n{}", text(stdout), text(stderr));
    text(stdout)
}

pub fn run(data_dir: &Path, args: &[&str]) -> String {
    run_expecting(0, data_dir, args)
}

pub fn run_json(data_dir: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&run(data_dir, &[args, &["--json"]].concat())).unwrap()
}

/// The passage between its marks, in structured content.
pub fn passage(marked: &Value) -> &str {
    let marked = marked.as_str().unwrap();
    let (begin, rest) = marked.split_once('\n').unwrap();
    let (passage, end) = rest.rsplit_once('\n').unwrap();
    let code = begin.strip_prefix("<doc ").unwrap();
    assert!(end == format!("</doc {code}") && !passage.contains(code), "{marked}");
    passage
}

/// An answer with the documents of its `sources` in the place of their numbers, with ranges and events as `detail: full` has them.
pub fn in_place(answer: &Value) -> Value {
    fn put(value: &mut Value, sources: &[Value]) {
        if let Some(list) = value.as_array_mut() {
            return list.iter_mut().for_each(|item| put(item, sources));
        }
        let Some(fields) = value.as_object_mut() else { return };
        let number = fields.get("provenance").and_then(|place| place["source"].as_u64());
        if let Some(source) = sources.iter().find(|source| number.is_some_and(|number| source["number"] == number)) {
            let known = source.as_object().unwrap().iter().filter(|(field, _)| *field != "number");
            let place = fields["provenance"].as_object_mut().unwrap();
            place.remove("source");
            place.extend(known.map(|(field, value)| (field.clone(), value.clone())));
            let short = format!("[{}] ", source["number"]);
            let cited = cited(&fields["provenance"]);
            let citation = fields.get("citation").and_then(Value::as_str).unwrap_or(&cited);
            if let Some(place) = citation.strip_prefix(&short).or(citation.starts_with("p. ").then_some(citation)) {
                let name = source["document_name"].as_str().unwrap();
                let quote = if name.contains(' ') { "\"" } else { "" };
                let whole = format!("{quote}{name}{quote}, {place}");
                fields.insert("citation".to_owned(), json!(whole));
            }
        }
        unpaired(fields);
        if fields.contains_key("written") && fields.contains_key("importance") {
            event(fields);
        }
        fields.values_mut().for_each(|field| put(field, sources));
    }
    let mut whole = answer.clone();
    let sources = whole.as_object_mut().and_then(|fields| fields.remove("sources"));
    put(&mut whole, sources.as_ref().and_then(Value::as_array).map_or(&[], Vec::as_slice));
    whole
}

/// The citation of a brief passage, which is left out if it has only these numbers: `p. 12, paras. 8-9, ll. 1-4`.
fn cited(place: &Value) -> String {
    let numbers = |both: &str, one: &str, many: &str| {
        let (first, last) = (&place[both][0], &place[both][1]);
        if first == last { format!("{one} {first}") } else { format!("{many} {first}-{last}") }
    };
    format!("p. {}, {}, {}", place["page"], numbers("paragraphs", "para.", "paras."), numbers("lines", "l.", "ll."))
}

/// Ranges that are pairs, as two fields or as an object.
fn unpaired(fields: &mut Map<String, Value>) {
    let pair = |value: &Value| value.as_array().is_some_and(|pair| pair.len() == 2 && pair.iter().all(Value::is_u64));
    for (both, name) in [("paragraphs", "paragraph"), ("lines", "line"), ("chars", "char")] {
        if fields.get(both).is_some_and(pair) {
            let range = fields.remove(both).unwrap();
            fields.insert(format!("{name}_start"), range[0].clone());
            fields.insert(format!("{name}_end"), range[1].clone());
        }
    }
    for (both, name) in [("rows", "row_range"), ("columns", "column_range")] {
        if fields.get(both).is_some_and(pair) {
            let range = fields.remove(both).unwrap();
            fields.insert(name.to_owned(), json!({"start": range[0], "end": range[1]}));
        }
    }
}

/// The date of an event with its ends, and its role.
fn event(fields: &mut Map<String, Value>) {
    if fields["date"].is_string() {
        let day = fields["date"].clone();
        fields.insert("date".to_owned(), json!({"first": day, "last": day, "precision": "day"}));
    }
    if let Some(role) = fields.get("description").and_then(Value::as_str).filter(|_| !fields.contains_key("role")) {
        let mut letters = role.chars();
        let role = letters.next().unwrap().to_lowercase().chain(letters).collect::<String>();
        fields.insert("role".to_owned(), json!(role));
    }
}

pub fn samples() -> PathBuf {
    casetrack_core::real_path(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../samples")).unwrap()
}

/// Writes texts below a folder: paths and contents.
pub fn write_files(dir: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// Document and page of each result of a search, in order.
pub fn places(found: &Value) -> Vec<String> {
    let place = |result: &Value| {
        format!("{} {}", result["provenance"]["document_name"].as_str().unwrap(), result["provenance"]["page"])
    };
    found["results"].as_array().unwrap().iter().map(place).collect()
}

pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
    pub server: Value,
    /// Notifications about resources that came before other messages.
    news: Vec<Value>,
}

impl Client {
    pub fn start(data_dir: &Path, args: &[&str]) -> Self {
        Self::start_with_version(data_dir, args, "2025-06-18")
    }

    /// With a new collection that has the documents of a folder.
    pub fn start_in(data_dir: &Path, collection: &str, folder: &Path) -> Self {
        let mut client = match in_a_vault(&["new"]) {
            true => {
                run(data_dir, &["new", collection]);
                Self::start(data_dir, &["--collection", collection])
            }
            false => {
                let mut client = Self::start(data_dir, &[]);
                client.call("create_collection", json!({"name": collection}));
                client
            }
        };
        client.work("ingest_folder", json!({"folder_path": folder}));
        client
    }

    pub fn start_with_version(data_dir: &Path, args: &[&str], version: &str) -> Self {
        Self::start_with(data_dir, args, version, json!({}))
    }

    pub fn start_with(data_dir: &Path, args: &[&str], version: &str, capabilities: Value) -> Self {
        let mut child = casetrack(data_dir)
            .arg("mcp")
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let stdin = child.stdin.take();
        let mut client = Self { child, stdin, lines, next_id: 0, server: Value::Null, news: Vec::new() };
        let hello = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": {"name": "e2e", "version": "0"}
        });
        client.server = client.request("initialize", hello).unwrap();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    pub fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{message}").unwrap();
        stdin.flush().unwrap();
    }

    /// Sends a request without waiting for the answer; returns its id.
    pub fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next message that does not only say that resources have changed.
    pub fn next_message(&mut self) -> Value {
        loop {
            let message = self.receive(PATIENCE).expect("an answer in time");
            let about_resources = |method: &str| method.starts_with("notifications/resources/");
            if !message["method"].as_str().is_some_and(about_resources) {
                return message;
            }
            self.news.push(message);
        }
    }

    fn receive(&mut self, time: Duration) -> Option<Value> {
        let line = self.lines.recv_timeout(time).ok()?;
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("not JSON on stdout ({error}): {line}")))
    }

    /// The notifications of changed resources until now, and those until `time` has passed or `done` returns true.
    pub fn news(&mut self, time: Duration, done: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let end = std::time::Instant::now() + time;
        while !done(&self.news) {
            let Some(message) = self.receive(end.saturating_duration_since(std::time::Instant::now())) else { break };
            self.news.push(message);
        }
        std::mem::take(&mut self.news)
    }

    /// The result, or the protocol error.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.begin(method, params);
        loop {
            let message = self.next_message();
            if message["id"] == json!(id) {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
            }
        }
    }

    pub fn call_raw(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).unwrap()
    }

    /// Calls a tool that must succeed: (text, structured content).
    pub fn call(&mut self, tool: &str, arguments: Value) -> (String, Value) {
        let result = self.call_raw(tool, arguments);
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        assert_ne!(result["isError"], json!(true), "{tool}: {text}");
        (text, in_place(&result["structuredContent"]))
    }

    /// Calls a tool that does its work in a job, and waits for the end: (text, report).
    pub fn work(&mut self, tool: &str, mut arguments: Value) -> (String, Value) {
        arguments["wait_seconds"] = json!(UNTIL_DONE);
        let (text, answer) = self.call(tool, arguments);
        assert!(!answer["report"].is_null(), "{tool}: {text}");
        (text, answer["report"].clone())
    }

    /// Calls a tool whose job must fail, and returns what it says.
    pub fn work_failing(&mut self, tool: &str, mut arguments: Value) -> String {
        arguments["wait_seconds"] = json!(UNTIL_DONE);
        self.call_failing(tool, arguments)
    }

    /// Calls a tool that must fail, and returns what it says.
    pub fn call_failing(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call_raw(tool, arguments);
        assert_eq!(result["isError"], json!(true), "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Sends a line as it is.
    pub fn send_line(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    /// Closes the server's standard input and waits for it to end.
    pub fn close(mut self) {
        drop(self.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Only reached with the child running when a test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
