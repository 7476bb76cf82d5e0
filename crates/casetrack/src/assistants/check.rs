//! Starts a server as an assistant would, and lists its tools.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use casetrack_core::{Error, ErrorCode, Result};
use serde::Serialize;
use serde_json::{Value, json};

use super::server::Server;

/// Longest wait for the answers. Assistants give a server 30 to 60 seconds; a busy machine may need longer for the first start.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long the server may take to exit after its input has ended.
const EXIT: Duration = Duration::from_secs(10);
/// How long its last words on standard error are waited for.
const WORDS: Duration = Duration::from_secs(2);
/// Between two looks whether it has exited.
const PAUSE: Duration = Duration::from_millis(20);
/// Most pages of tools, and most characters of the server's standard error.
const MAX_PAGES: usize = 100;
const MAX_WORDS: u64 = 4000;
/// Of our environment, a server that an assistant starts gets only these, as in the SDKs of the protocol.
const INHERITED: &str = "HOME LOGNAME PATH SHELL TERM USER APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PROCESSOR_ARCHITECTURE \
    SYSTEMDRIVE SYSTEMROOT TEMP USERNAME USERPROFILE PROGRAMFILES";

#[derive(Debug, Serialize)]
pub struct ServerCheck {
    pub server: String,
    /// Empty for a remote server, which is not queried for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// From the start to the list of tools.
    pub milliseconds: u64,
}

/// # Errors
///
/// [`ErrorCode::FileNotFound`] if the program is gone, [`ErrorCode::Io`] with its standard error if it does not answer as a server does.
pub fn check(server: &Server) -> Result<ServerCheck> {
    let started = Instant::now();
    let mut command = Command::new(&server.command);
    command.args(&server.args).env_clear();
    for name in INHERITED.split(' ') {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.envs(&server.env).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| Error::io(&server.command, error))?;
    let mut running = ServerProcess::new(child, started + PATIENCE);
    let listed = running.tools();
    let printed = running.end(listed.is_err());
    let (server, tools) = listed.map_err(|reason| {
        let printed = if printed.is_empty() { String::new() } else { format!(" It printed: {printed}") };
        Error::new(ErrorCode::Io, format!("{reason}{printed}"))
            .with_hint("Run the command of the entry yourself to see its output.")
    })?;
    Ok(ServerCheck { server, tools, milliseconds: started.elapsed().as_millis() as u64 })
}

struct ServerProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    words: Option<thread::JoinHandle<String>>,
    deadline: Instant,
}

impl ServerProcess {
    fn new(mut child: Child, deadline: Instant) -> Self {
        let (sender, lines) = channel();
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || {
                let mut lines = BufReader::new(stdout).lines().map_while(std::io::Result::ok);
                lines.try_for_each(|line| sender.send(line))
            });
        }
        let words = child.stderr.take().map(|mut stderr| {
            thread::spawn(move || {
                let mut first = Vec::new();
                // Further output is read and dropped, so that the server is not held up.
                let _ = stderr.by_ref().take(MAX_WORDS).read_to_end(&mut first);
                let _ = std::io::copy(&mut stderr, &mut std::io::sink());
                String::from_utf8_lossy(&first).trim().to_owned()
            })
        });
        Self { stdin: child.stdin.take(), child, lines, words, deadline }
    }

    /// Name and version of the server, and its tools.
    fn tools(&mut self) -> Result<(String, Vec<String>), String> {
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "casetrack-connect", "version": env!("CARGO_PKG_VERSION")},
        });
        let info = self.ask(0, "initialize", &hello)?["serverInfo"].take();
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        let mut tools = Vec::new();
        let mut cursor = Value::Null;
        for page in 1..=MAX_PAGES {
            let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
            let mut answer = self.ask(page, "tools/list", &params)?;
            let names = answer["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str());
            tools.extend(names.map(str::to_owned));
            cursor = answer["nextCursor"].take();
            if cursor.is_null() {
                break;
            }
        }
        let word = |key: &str| info[key].as_str().unwrap_or_default().to_owned();
        Ok((format!("{} {}", word("name"), word("version")), tools))
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let gone = || "The server ended before it answered.".to_owned();
        let stdin = self.stdin.as_mut().ok_or_else(gone)?;
        writeln!(stdin, "{message}").and_then(|()| stdin.flush()).map_err(|_| gone())
    }

    fn ask(&mut self, id: usize, method: &str, params: &Value) -> Result<Value, String> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|error| match error {
                RecvTimeoutError::Timeout => {
                    format!("The server did not answer {method} within {} seconds.", PATIENCE.as_secs())
                }
                RecvTimeoutError::Disconnected => "The server ended before it answered.".to_owned(),
            })?;
            let Ok(mut message) = serde_json::from_str::<Value>(&line) else {
                return Err("The server printed something that is not an MCP message.".to_owned());
            };
            if message["id"] == id && message.get("method").is_none() {
                return match message.get_mut("result") {
                    Some(result) => Ok(result.take()),
                    None => Err(format!("The server refused {method}: {}", message["error"]["message"])),
                };
            }
        }
    }

    /// Ends the server as assistants do. Returns its standard error on request.
    fn end(mut self, words_wanted: bool) -> String {
        drop(self.stdin.take());
        let deadline = Instant::now() + EXIT;
        while matches!(self.child.try_wait(), Ok(None)) {
            if Instant::now() > deadline {
                let _ = self.child.kill();
                let _ = self.child.wait();
                break;
            }
            thread::sleep(PAUSE);
        }
        // A background process of the server may hold its standard error open, so its end is not waited for long.
        let deadline = Instant::now() + WORDS;
        while words_wanted && self.words.as_ref().is_some_and(|words| !words.is_finished()) && Instant::now() < deadline
        {
            thread::sleep(PAUSE);
        }
        self.words.take().filter(|words| words.is_finished()).and_then(|words| words.join().ok()).unwrap_or_default()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn script(text: &str) -> Server {
        Server { command: "/bin/sh".to_owned(), args: vec!["-c".to_owned(), text.to_owned()], env: Default::default() }
    }

    #[test]
    fn a_server_that_answers_is_listed_with_its_tools() {
        let answers = r#"read line; echo '{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"a","version":"1"}}}'
            read line; read line; echo '{"jsonrpc":"2.0","method":"x"}'
            echo '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"one"}],"nextCursor":"2"}}'
            read line; echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"'$WORD'"}]}}'"#;
        let server = Server { env: [("WORD".to_owned(), "two".to_owned())].into(), ..script(answers) };
        let checked = check(&server).unwrap();
        assert_eq!((checked.server.as_str(), checked.tools), ("a 1", vec!["one".to_owned(), "two".to_owned()]));
    }

    #[test]
    fn one_that_does_not_says_why() {
        let error = |server| check(&server).unwrap_err();
        assert!(error(script("exit 1")).message.contains("ended before it answered"));
        assert!(error(script("echo hello; cat > /dev/null")).message.contains("not an MCP message"));
        let refused = r#"read line; echo '{"jsonrpc":"2.0","id":0,"error":{"message":"no"}}'; cat > /dev/null"#;
        assert!(error(script(refused)).message.contains("refused initialize: \"no\""));
        let missing = Server { command: "/nowhere/casetrack".to_owned(), ..script("") };
        assert_eq!(error(missing).code, ErrorCode::FileNotFound);
    }
}
