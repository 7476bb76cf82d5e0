//! A small hub on a local port: answers like Hugging Face's, logs requests, and fails on demand.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use sha2::Digest;

pub const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// The fault of the next answers to a request for a file's content.
#[derive(Debug, Clone)]
pub enum Fault {
    /// The connection closes after this many bytes of the answer's body.
    CutAfter(usize),
    /// One byte of the content is another one.
    Garbled,
    /// The content comes from its beginning, whatever the requested range.
    NoRange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub range: Option<String>,
    pub authorised: bool,
}

#[derive(Default)]
struct State {
    /// Content by repository and name.
    files: HashMap<String, Vec<u8>>,
    faults: Vec<Fault>,
    /// Answers every request with this status, content type and body.
    answer: Option<(u16, &'static str, &'static str)>,
    log: Vec<Request>,
    content_bytes: usize,
}

pub struct Server {
    pub endpoint: String,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let (shared, address) = (state.clone(), endpoint.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that goes away is part of the tests.
                let _ = answer(stream, &address, &shared);
            }
        });
        Self { endpoint, state }
    }

    pub fn put(&self, repository: &str, name: &str, content: &[u8]) {
        self.state.lock().unwrap().files.insert(format!("{repository}/{name}"), content.to_vec());
    }

    /// Faults of the next requests for content, in order.
    pub fn fail(&self, faults: &[Fault]) {
        self.state.lock().unwrap().faults = faults.to_vec();
    }

    pub fn answer_always(&self, status: u16, content_type: &'static str, body: &'static str) {
        self.state.lock().unwrap().answer = Some((status, content_type, body));
    }

    pub fn take_log(&self) -> Vec<Request> {
        std::mem::take(&mut self.state.lock().unwrap().log)
    }

    /// Bytes of content sent since the last call.
    pub fn take_content_bytes(&self) -> usize {
        std::mem::take(&mut self.state.lock().unwrap().content_bytes)
    }
}

fn answer(mut stream: TcpStream, address: &str, state: &Mutex<State>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let mut words = first.split(' ').map(str::to_owned);
    let mut request = Request {
        method: words.next().unwrap_or_default(),
        path: words.next().unwrap_or_default(),
        range: None,
        authorised: false,
    };
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(": ").unwrap_or_default();
        match name.to_lowercase().as_str() {
            "range" => request.range = Some(value.to_owned()),
            "authorization" => request.authorised = true,
            _ => {}
        }
    }
    let mut state = state.lock().unwrap();
    state.log.push(request.clone());
    let response = respond(&request, address, &mut state);
    let sent = if request.method == "HEAD" { 0 } else { response.body.len().min(response.cut) };
    if request.path.starts_with("/content/") {
        state.content_bytes += sent;
    }
    drop(state);
    let mut head = format!("HTTP/1.1 {} X\r\nConnection: close\r\n", response.status);
    for (name, value) in &response.headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("Content-Length: {}\r\n\r\n", response.body.len());
    stream.write_all(head.as_bytes())?;
    stream.write_all(&response.body[..sent])?;
    stream.flush()
}

struct Response {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    cut: usize,
}

fn respond(request: &Request, address: &str, state: &mut State) -> Response {
    let plain = |status, headers| Response { status, headers, body: Vec::new(), cut: usize::MAX };
    if let Some((status, content_type, body)) = state.answer {
        let headers = vec![("Content-Type", content_type.to_owned()), ("X-Error-Message", "as told".to_owned())];
        return Response { body: body.into(), ..plain(status, headers) };
    }
    let commit = ("X-Repo-Commit", COMMIT.to_owned());
    if let Some(key) = request.path.strip_prefix("/content/") {
        return content(request, key, state);
    }
    if let Some(key) = request.path.strip_prefix("/api/resolve-cache/") {
        let body = state.files[key].clone();
        let tag = format!("\"{}\"", git_blob(&body));
        return Response { body, ..plain(200, vec![("ETag", tag), commit]) };
    }
    let Some((repository, rest)) = request.path[1..].split_once("/resolve/") else { return plain(404, Vec::new()) };
    let Some((revision, name)) = rest.split_once('/') else { return plain(404, Vec::new()) };
    let key = format!("{repository}/{name}");
    let Some(body) = state.files.get(&key).filter(|_| revision == COMMIT || revision == "main") else {
        return plain(404, vec![("X-Error-Message", "Entry not found".to_owned())]);
    };
    if name.ends_with(".safetensors") {
        // A large file is on another server, whose own entity tag means nothing to us.
        let headers = vec![
            commit,
            ("X-Linked-ETag", format!("\"{}\"", sha256(body))),
            ("X-Linked-Size", body.len().to_string()),
            ("Location", format!("{address}/content/{key}")),
            ("Accept-Ranges", "bytes".to_owned()),
        ];
        return plain(302, headers);
    }
    plain(307, vec![commit, ("Location", format!("/api/resolve-cache/{key}"))])
}

fn content(request: &Request, key: &str, state: &mut State) -> Response {
    let mut body = state.files[key].clone();
    let total = body.len();
    let fault = if state.faults.is_empty() { None } else { Some(state.faults.remove(0)) };
    let mut headers = vec![("ETag", "\"d41d8cd98f00b204e9800998ecf8427e\"".to_owned())];
    let mut status = 200;
    let start: Option<usize> =
        request.range.as_deref().and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
    if let Some(start) = start
        && !matches!(fault, Some(Fault::NoRange))
    {
        body.drain(..start);
        headers.push(("Content-Range", format!("bytes {start}-{}/{total}", total - 1)));
        status = 206;
    }
    let mut cut = usize::MAX;
    match fault {
        Some(Fault::CutAfter(bytes)) => cut = bytes,
        Some(Fault::Garbled) => body[7] ^= 1,
        Some(Fault::NoRange) | None => {}
    }
    Response { status, headers, body, cut }
}

pub fn sha256(content: &[u8]) -> String {
    casetrack_core::Sha256(sha2::Sha256::digest(content).into()).to_string()
}

pub fn git_blob(content: &[u8]) -> String {
    let mut hash = sha1_smol::Sha1::from(format!("blob {}\0", content.len()));
    hash.update(content);
    hash.digest().to_string()
}
