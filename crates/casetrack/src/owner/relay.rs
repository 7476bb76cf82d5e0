//! `casetrack mcp`: passes lines between standard input and output and a session in the owner.
//!
//! If the owner is killed, the relay starts another, opens the session again as the client did, and sends unanswered requests that
//! are safe to repeat, such as a search or an ingestion. A call that may have been carried out already, such as creating a
//! collection, is answered with an error that explains this. The client's subscriptions are renewed, and it is notified that the resources
//! may have changed. Apart from that, it notices only the delay.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use casetrack_core::{CollectionId, Error, Result};
use casetrack_mcp::{MAX_REQUEST_BYTES, may_be_repeated};
use interprocess::local_socket::Stream;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::connect::{Connection, connect};
use super::wire::{self, FromClient, FromOwner, Request, SessionOptions};
use crate::console::Output;

/// How many times a request is sent if owners are killed while they serve it.
const ATTEMPTS: u32 = 2;

/// The parts of a message that the relay needs.
#[derive(Deserialize)]
struct Head {
    id: Option<Value>,
    method: Option<String>,
    params: Option<Params>,
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    name: Option<String>,
    uri: Option<String>,
    request_id: Option<Value>,
    progress_token: Option<Value>,
    progress: Option<f64>,
}

impl Head {
    /// `None` if the line is not a message; the session answers that.
    fn of(line: &str) -> Option<Self> {
        // Parameters that are not an object have no name.
        serde_json::from_str(line).ok().or_else(|| {
            #[derive(Deserialize)]
            struct Bare {
                id: Option<Value>,
                method: Option<String>,
            }
            let Bare { id, method } = serde_json::from_str(line).ok()?;
            Some(Self { id, method, params: None, error: None })
        })
    }
}

/// A request that has not been answered.
struct Pending {
    line: String,
    id: Value,
    /// True if it is safe to send again.
    repeatable: bool,
    /// True if its answer only comes when the client cancels it.
    lasting: bool,
    sent: u32,
    /// For a request to subscribe (true) or unsubscribe (false): the URI of the resource.
    watch: Option<(String, bool)>,
}

/// The session as the client sees it.
#[derive(Default)]
struct State {
    initialize: Option<String>,
    initialized: Option<String>,
    active: Option<CollectionId>,
    /// URIs of the resources that the client is subscribed to.
    watched: BTreeSet<String>,
    /// The ids of requests of the relay itself, whose answers are not for the client.
    own: HashSet<String>,
    /// The last reported progress of pending requests, by token.
    progress: HashMap<String, f64>,
    /// In the order in which they came.
    pending: BTreeMap<u64, Pending>,
    next: u64,
    input_ended: bool,
    /// Absent while there is no session.
    owner: Option<Arc<Stream>>,
}

impl State {
    /// Takes a line of the client and sends it, if there is a session.
    fn take(&mut self, line: String) {
        let head = Head::of(&line);
        let method = head.as_ref().and_then(|head| head.method.as_deref()).unwrap_or_default();
        match method {
            "initialize" => self.initialize = Some(line.clone()),
            "notifications/initialized" => self.initialized = Some(line.clone()),
            _ => {}
        }
        let params = head.as_ref().and_then(|head| head.params.as_ref());
        if let ("notifications/cancelled", Some(cancelled)) =
            (method, params.and_then(|params| params.request_id.as_ref()))
        {
            self.pending.retain(|_, pending| !pending.lasting || pending.id != *cancelled);
        }
        let mut waiting = None;
        if let Some(Head { id: Some(id), method: Some(method), .. }) = &head {
            let tool = params.and_then(|params| params.name.as_deref()).unwrap_or_default();
            let repeatable = method != "tools/call" || may_be_repeated(tool);
            let uri = params.and_then(|params| params.uri.clone());
            let watch = match method.as_str() {
                "resources/subscribe" => uri.map(|uri| (uri, true)),
                "resources/unsubscribe" => uri.map(|uri| (uri, false)),
                _ => None,
            };
            let lasting = method == "subscriptions/listen";
            let pending = Pending { line: line.clone(), id: id.clone(), repeatable, lasting, sent: 0, watch };
            self.pending.insert(self.next, pending);
            waiting = Some(self.next);
            self.next += 1;
        }
        // If this fails, the other thread notices that the owner has gone, and sends pending requests again.
        if self.send(&FromClient::Line(line)).is_ok()
            && let Some(pending) = waiting.and_then(|number| self.pending.get_mut(&number))
        {
            pending.sent += 1;
        }
    }

    /// Records a line from the session. Returns whether to pass it to the client.
    fn receive(&mut self, line: &str) -> bool {
        match Head::of(line) {
            Some(Head { id: Some(id), method: None, error, .. }) => {
                if id.as_str().is_some_and(|id| self.own.remove(id)) {
                    return false;
                }
                for pending in self.pending.values().filter(|pending| pending.id == id && error.is_none()) {
                    match &pending.watch {
                        Some((uri, true)) => _ = self.watched.insert(uri.clone()),
                        Some((uri, false)) => _ = self.watched.remove(uri),
                        None => {}
                    }
                }
                self.pending.retain(|_, pending| pending.id != id);
                if self.pending.is_empty() {
                    self.progress.clear();
                }
            }
            // A repeated call starts from the beginning; for its client, progress must only grow.
            Some(Head {
                params: Some(Params { progress_token: Some(token), progress: Some(progress), .. }), ..
            }) => {
                let last = self.progress.entry(token.to_string()).or_insert(f64::NEG_INFINITY);
                if progress <= *last {
                    return false;
                }
                *last = progress;
            }
            _ => {}
        }
        true
    }

    fn send(&self, word: &FromClient) -> io::Result<()> {
        match &self.owner {
            Some(owner) => wire::send(&mut &**owner, word),
            None => Err(io::ErrorKind::NotConnected.into()),
        }
    }
}

/// Serves the client on standard input and output until its input ends.
pub fn run(mut session: SessionOptions) -> Result<ExitCode> {
    let state = Arc::new(Mutex::new(State::default()));
    let mut connection = open(&session)?;
    lock(&state).owner = Some(Arc::clone(&connection.writer));
    read_input(&state)?;
    loop {
        if let Some(status) = follow(&mut connection, &state)? {
            return Ok(ExitCode::from(status));
        }
        // Lines that arrive in the meantime wait for the lock.
        let mut state = lock(&state);
        state.owner = None;
        if state.input_ended {
            return Ok(ExitCode::FAILURE);
        }
        tracing::warn!("the process that works on the collections ended unexpectedly; starting it again");
        session.active = state.active;
        connection = open(&session)?;
        if replay(&mut state, &mut connection).is_ok() {
            state.owner = Some(Arc::clone(&connection.writer));
        }
    }
}

fn open(session: &SessionOptions) -> Result<Connection> {
    let connection = connect(&session.global)?;
    // If the owner has gone since, the first message does not arrive.
    let _ = connection.send(&Request::Mcp(Box::new(session.clone())));
    Ok(connection)
}

/// Passes on the owner's messages. Returns the exit status, or `None` if the owner has gone.
fn follow(connection: &mut Connection, state: &Mutex<State>) -> Result<Option<u8>> {
    loop {
        match connection.receive() {
            Some(FromOwner::Line(line)) => {
                if lock(state).receive(&line) {
                    print(&line)?;
                }
            }
            Some(FromOwner::Active(active)) => lock(state).active = active,
            Some(FromOwner::Show(Output::Log(line))) => eprintln!("{line}"),
            Some(FromOwner::Exit(status)) => return Ok(Some(status)),
            Some(FromOwner::Failed(error)) => return Err(error),
            Some(FromOwner::Show(_) | FromOwner::Listening(_) | FromOwner::Opened(_)) => {}
            None => return Ok(None),
        }
    }
}

/// Brings a new session to the state of the last one.
fn replay(state: &mut State, connection: &mut Connection) -> io::Result<()> {
    let send = |line: &String| connection.send(&FromClient::Line(line.clone()));
    let greeted = state.initialize.as_ref().filter(|line| {
        let id = Head::of(line).and_then(|head| head.id);
        !state.pending.values().any(|pending| Some(&pending.id) == id.as_ref())
    });
    if let Some(initialize) = greeted {
        send(initialize)?;
        // The client has already had this answer.
        while !matches!(connection.receive().ok_or(io::ErrorKind::UnexpectedEof)?, FromOwner::Line(_)) {}
    }
    let send = |line: &String| connection.send(&FromClient::Line(line.clone()));
    if let Some(initialized) = &state.initialized {
        send(initialized)?;
        for (uri, number) in state.watched.iter().zip(0u32..) {
            let id = format!("casetrack-watch-{number}");
            let params = json!({"uri": uri});
            send(&json!({"jsonrpc": "2.0", "id": id, "method": "resources/subscribe", "params": params}).to_string())?;
            state.own.insert(id);
            // Changes while there was no owner went unnoticed.
            let updated = json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": params});
            print(&updated.to_string()).map_err(io::Error::other)?;
        }
        let changed = json!({"jsonrpc": "2.0", "method": "notifications/resources/list_changed"});
        print(&changed.to_string()).map_err(io::Error::other)?;
    }
    let mut given_up = Vec::new();
    for (&number, pending) in &mut state.pending {
        if pending.sent == 0 || pending.lasting || (pending.repeatable && pending.sent < ATTEMPTS) {
            send(&pending.line)?;
            pending.sent += 1;
        } else {
            given_up.push(number);
        }
    }
    for pending in given_up.iter().filter_map(|number| state.pending.remove(number)) {
        let text = if pending.repeatable {
            "CaseTrack ended unexpectedly during this call, more than once. Everything stored before is kept.\n\n\
             Please report this as a defect, with the call that causes it."
        } else {
            "CaseTrack ended unexpectedly during this call and was started again. The call may or may not have been carried \
             out.\n\nLook at the collections and documents before you repeat it."
        };
        let result = json!({"content": [{"type": "text", "text": text}], "isError": true});
        let answer = json!({"jsonrpc": "2.0", "id": pending.id, "result": result});
        print(&answer.to_string()).map_err(io::Error::other)?;
    }
    Ok(())
}

/// Starts a thread that takes the client's lines.
fn read_input(state: &Arc<Mutex<State>>) -> Result<()> {
    let state = Arc::clone(state);
    let read = move || {
        let mut input = io::stdin().lock();
        while let Some(line) = read_line(&mut input) {
            lock(&state).take(line);
        }
        let mut state = lock(&state);
        state.input_ended = true;
        let _ = state.send(&FromClient::EndOfInput);
    };
    std::thread::Builder::new().name("input".into()).spawn(read).map_err(|error| Error::io("a new thread", error))?;
    Ok(())
}

/// The next line without its line feed, or `None` at the end of the input. A line that is too long to be a request is cut, but
/// stays long enough for the session to refuse it.
fn read_line(input: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    let limit = MAX_REQUEST_BYTES as u64 + 2;
    let read = input.by_ref().take(limit).read_until(b'\n', &mut line).ok()?;
    if read == 0 {
        return None;
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if read as u64 == limit {
        input.skip_until(b'\n').ok()?;
    }
    Some(String::from_utf8_lossy(&line).into_owned())
}

fn print(line: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}").and_then(|()| stdout.flush()).map_err(|error| Error::io("standard output", error))
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_pending_until_it_is_answered() {
        let mut state = State::default();
        let call =
            |id: &str, tool: &str| json!({"id": id, "method": "tools/call", "params": {"name": tool}}).to_string();
        state.take(call("a", "search_documents"));
        state.take(call("b", "create_collection"));
        state.take("not JSON".into());
        state.take(json!({"method": "notifications/initialized"}).to_string());
        let pending: Vec<(String, bool)> =
            state.pending.values().map(|pending| (pending.id.to_string(), pending.repeatable)).collect();
        assert_eq!(pending, [("\"a\"".to_owned(), true), ("\"b\"".to_owned(), false)]);
        assert!(state.receive(&json!({"id": "a", "result": {}}).to_string()));
        assert_eq!(state.pending.len(), 1);
        assert!(state.initialized.is_some());
    }

    #[test]
    fn only_subscriptions_answered_without_an_error_count() {
        let mut state = State::default();
        let mut ask = |id: u32, method: &str, uri: &str, answer: &str| {
            state.take(json!({"id": id, "method": method, "params": {"uri": uri}}).to_string());
            assert!(state.receive(&json!({"id": id, answer: {}}).to_string()));
            state.watched.iter().cloned().collect::<Vec<_>>()
        };
        assert_eq!(ask(1, "resources/subscribe", "a", "result"), ["a"]);
        assert_eq!(ask(2, "resources/subscribe", "b", "error"), ["a"]);
        assert_eq!(ask(3, "resources/subscribe", "c", "result"), ["a", "c"]);
        assert_eq!(ask(4, "resources/read", "d", "result"), ["a", "c"]);
        assert_eq!(ask(5, "resources/unsubscribe", "a", "result"), ["c"]);
        state.own.insert("own".into());
        assert!(!state.receive(&json!({"id": "own", "result": {}}).to_string()));
        state.take(json!({"id": 6, "method": "subscriptions/listen", "params": {}}).to_string());
        assert_eq!(state.pending.len(), 1);
        state.take(json!({"method": "notifications/cancelled", "params": {"requestId": 6}}).to_string());
        assert!(state.pending.is_empty());
    }

    #[test]
    fn progress_only_grows() {
        let mut state = State::default();
        let progress =
            |n: f64| json!({"method": "notifications/progress", "params": {"progressToken": 7, "progress": n}});
        let heard = [1.0, 3.0, 0.0, 3.0, 4.0].map(|n| state.receive(&progress(n).to_string()));
        assert_eq!(heard, [true, true, false, false, true]);
    }

    #[test]
    fn lines_too_long_to_be_requests_are_cut() {
        let mut input = io::Cursor::new([vec![b'x'; MAX_REQUEST_BYTES + 10], b"\nnext\nlast".to_vec()].concat());
        assert!(read_line(&mut input).unwrap().len() > MAX_REQUEST_BYTES);
        assert_eq!(read_line(&mut input).as_deref(), Some("next"));
        assert_eq!(read_line(&mut input).as_deref(), Some("last"));
        assert_eq!(read_line(&mut input), None);
    }
}
