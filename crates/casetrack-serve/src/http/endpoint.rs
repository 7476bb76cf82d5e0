//! Sessions of clients at one endpoint of the protocol.
//!
//! Many clients end without closing their session. When there are as many sessions as there may be, a new one closes the session that was idle
//! longest. A session that still answers a request is not idle.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use casetrack_mcp::{MAX_REQUEST_BYTES, Server, Session, Transport, rejection};
use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, RequestId};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;

use super::answers::{Answer, of_type};

/// The header that names a client's session.
const SESSION_HEADER: &str = "mcp-session-id";
/// The longest idle time of a session. A client that returns later gets 404, and opens a new one.
const IDLE: Duration = Duration::from_secs(3600);

pub(super) struct Endpoint {
    sessions: Arc<LocalSessionManager>,
    service: StreamableHttpService<Server, LocalSessionManager>,
    max_sessions: usize,
    uses: Arc<Uses>,
    /// Held while a session is opened, so that their number is exact.
    opening: tokio::sync::Mutex<()>,
    _end: Box<dyn std::any::Any + Send + Sync>,
}

impl Endpoint {
    pub fn new(
        config: StreamableHttpServerConfig,
        max_sessions: usize,
        session: impl Fn() -> Session + Send + Sync + 'static,
    ) -> Self {
        let end = Box::new(config.cancellation_token.clone().drop_guard());
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(IDLE);
        let sessions = Arc::new(sessions);
        let server = move || Ok(Server::new(Arc::new(session()), Transport::Http));
        let service = StreamableHttpService::new(server, Arc::clone(&sessions), config);
        let (uses, opening) = Default::default();
        Self { sessions, service, max_sessions, uses, opening, _end: end }
    }

    /// The number of open sessions.
    pub async fn open_sessions(&self) -> usize {
        self.sessions.sessions.read().await.len()
    }

    pub async fn answer(&self, request: Request<Incoming>) -> Answer {
        let (mut head, body) = request.into_parts();
        // The SDK answers unreadable requests in words; clients expect a JSON-RPC error.
        let (id, body) = match head.method {
            Method::POST => match read(body).await {
                Ok((message, body)) => {
                    let id = id_of(&message);
                    if opens_session(&message) {
                        // A client that opens a session has none, even if it still sends the ID of an earlier one.
                        head.headers.remove(SESSION_HEADER);
                        return self.open(Request::from_parts(head, Full::new(body)), id).await;
                    }
                    (id, body)
                }
                Err(answer) => return answer,
            },
            _ => (None, Bytes::new()),
        };
        let Some(session) = session_of(&head.headers) else {
            return self.service.handle(Request::from_parts(head, Full::new(body))).await;
        };
        if !self.sessions.sessions.read().await.contains_key(&session) {
            return rejected(StatusCode::NOT_FOUND, rejection::no_session(id));
        }
        let (is_end, is_call) = (head.method == Method::DELETE, head.method == Method::POST);
        // The stream of events that a client holds open is no work.
        let running = if is_call { Some(Running::begin(&self.uses, &session)) } else { None };
        self.uses.note(&session);
        let mut answer = self.service.handle(Request::from_parts(head, Full::new(body))).await;
        if is_end && answer.status() == StatusCode::ACCEPTED {
            self.uses.lock().remove(&session);
            // The session has ended, and the answer has no content.
            *answer.status_mut() = StatusCode::NO_CONTENT;
        }
        match running {
            Some(running) => answer.map(|body| {
                // It lives as long as the body.
                body.map_frame(move |frame| {
                    let _ = &running;
                    frame
                })
                .boxed()
            }),
            None => answer,
        }
    }

    async fn open(&self, request: Request<Full<Bytes>>, id: Option<RequestId>) -> Answer {
        let _opening = self.opening.lock().await;
        let open: Vec<Arc<str>> = self.sessions.sessions.read().await.keys().cloned().collect();
        if open.len() >= self.max_sessions {
            let Some(idle) = self.uses.idle_longest(&open) else {
                let mut answer = rejected(StatusCode::SERVICE_UNAVAILABLE, rejection::too_many_sessions(id));
                answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("60"));
                return answer;
            };
            if let Err(error) = self.sessions.close_session(&idle).await {
                tracing::debug!(%error, "an idle session had already ended");
            }
        }
        let answer = self.service.handle(request).await;
        if let Some(session) = session_of(answer.headers()) {
            self.uses.note(&session);
        }
        answer
    }
}

fn session_of(headers: &HeaderMap) -> Option<Arc<str>> {
    headers.get(SESSION_HEADER)?.to_str().ok().map(Arc::from)
}

/// True for the request that opens a session.
fn opens_session(message: &ClientJsonRpcMessage) -> bool {
    match message {
        ClientJsonRpcMessage::Request(message) => matches!(message.request, ClientRequest::InitializeRequest(_)),
        _ => false,
    }
}

fn id_of(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        ClientJsonRpcMessage::Request(message) => Some(message.id.clone()),
        _ => None,
    }
}

fn rejected(status: StatusCode, error: Value) -> Answer {
    of_type(status, "application/json", error.to_string().into())
}

/// The message in the body of a request, and the body, or the answer to one that holds none.
async fn read(body: Incoming) -> Result<(ClientJsonRpcMessage, Bytes), Answer> {
    let body = match Limited::new(body, MAX_REQUEST_BYTES).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            return Err(rejected(StatusCode::PAYLOAD_TOO_LARGE, rejection::too_long()));
        }
        Err(_) => return Err(rejected(StatusCode::BAD_REQUEST, rejection::no_body())),
    };
    match rejection::read(&body) {
        Err(error) => Err(rejected(StatusCode::BAD_REQUEST, error)),
        Ok(message) => Ok((message, body)),
    }
}

/// The last use of each session, and the requests that it still answers.
#[derive(Default)]
struct Uses(Mutex<HashMap<Arc<str>, Use>>);

struct Use {
    last: Instant,
    running: usize,
}

impl Uses {
    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Use>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, session: &Arc<str>) {
        let now = Instant::now();
        self.lock().entry(Arc::clone(session)).or_insert(Use { last: now, running: 0 }).last = now;
    }

    /// The open session that was used least recently, without those that answer a request. Forgets sessions that are no longer open.
    fn idle_longest(&self, open: &[Arc<str>]) -> Option<Arc<str>> {
        let mut uses = self.lock();
        uses.retain(|session, _| open.contains(session));
        let last = |session: &&Arc<str>| uses.get(*session).map(|used| used.last);
        let is_idle = |session: &&Arc<str>| uses.get(*session).is_none_or(|used| used.running == 0);
        open.iter().filter(is_idle).min_by_key(last).cloned()
    }
}

/// A request that is being answered.
struct Running {
    uses: Arc<Uses>,
    session: Arc<str>,
}

impl Running {
    fn begin(uses: &Arc<Uses>, session: &Arc<str>) -> Self {
        let now = Instant::now();
        uses.lock().entry(Arc::clone(session)).or_insert(Use { last: now, running: 0 }).running += 1;
        Self { uses: Arc::clone(uses), session: Arc::clone(session) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(used) = self.uses.lock().get_mut(&self.session) {
            (used.last, used.running) = (Instant::now(), used.running.saturating_sub(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_that_was_idle_longest_makes_room_and_one_that_answers_does_not() {
        let uses = Arc::new(Uses::default());
        let [a, b, c]: [Arc<str>; 3] = ["a", "b", "c"].map(Arc::from);
        let all = [a.clone(), b.clone(), c.clone()];
        for session in &all {
            uses.note(session);
        }
        assert_eq!(uses.idle_longest(&all), Some(a.clone()));
        let running = Running::begin(&uses, &a);
        uses.note(&b);
        assert_eq!(uses.idle_longest(&all), Some(c.clone()));
        let others = [Running::begin(&uses, &b), Running::begin(&uses, &c)];
        assert_eq!(uses.idle_longest(&all), None);
        drop(running);
        assert_eq!(uses.idle_longest(&all), Some(a));
        drop(others);
        // It ended by itself.
        assert_eq!(uses.idle_longest(&[b.clone(), c]), Some(b));
        assert_eq!(uses.lock().len(), 2);
    }
}
