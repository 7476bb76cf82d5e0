//! The streamable HTTP transport, on loopback: one endpoint, `/mcp`, whose clients send a token. `/healthz` reports that the server runs, and
//! `/metrics` also needs the token.
//!
//! A web page cannot use a server on the user's machine for three reasons: it does not know the token, its `Origin` is not local, and a
//! host name that it has pointed at this machine (DNS rebinding) is not one of those served.
//!
//! If the user has opened the workbench, its browser is served as well: see [`workbench`]. Its sessions are separate from those of clients with the
//! token, which get the tools of the settings.
//!
//! Every client that opens with `initialize` has its own session, with its own active collection. The protocol of 2026-07-28 has no sessions over
//! HTTP, so it is not supported here: the answer lists the supported versions, and the client opens a session.

mod answers;
mod browsers;
mod endpoint;
mod files;
mod keys;
mod parameters;
mod pictures;
mod streams;
mod team;
mod vaults;
mod workbench;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use casetrack_core::{Error, Result};
use http::header::{AUTHORIZATION, HOST, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use subtle::ConstantTimeEq;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use self::answers::{Answer, guarded, plain, refusal};
use self::endpoint::Endpoint;
pub use self::keys::Keys;
pub use self::team::{Team, serve_team};
pub use self::workbench::Workbench;
use self::workbench::{Admission, WorkbenchRoutes};
use casetrack_mcp::{MAX_REQUEST_BYTES, Session, metrics};

pub const PATH: &str = "/mcp";
/// Reports that the server runs, to anyone on this machine.
const HEALTH: &str = "/healthz";
/// Counts of calls, for clients with the token.
const METRICS: &str = "/metrics";
/// Most sessions at the same time. A client that ends without closing its session leaves it open until it expires or makes room for another.
const MAX_SESSIONS: usize = 64;
const MAX_CONNECTIONS: usize = 512;
/// Longest time for the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Pause after a connection that could not be accepted, for example because file descriptors ran out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Listens on a loopback address; port 0 is any free one. Needs a Tokio runtime with I/O enabled.
///
/// Errors: an address that others could reach; a port that is taken.
pub async fn listen(address: SocketAddr) -> Result<TcpListener> {
    check_loopback(address)?;
    listen_beyond(address).await
}

/// Listens on any address, including public ones: the service must know its users.
pub async fn listen_beyond(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        Error::io(address, error).with_hint("Another program may have this port: choose another port, or 0 for any.")
    })
}

/// Refuses an address that other machines could reach.
pub fn check_loopback(address: SocketAddr) -> Result<()> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    Err(Error::invalid(format!("{} is not a loopback address.", address.ip()))
        .with_hint("CaseTrack serves HTTP only on loopback: 127.0.0.1 or [::1]."))
}

pub struct HttpOptions<S> {
    /// The token that clients must send, if any.
    pub token: Option<String>,
    pub session: S,
    /// The browser of the user, if the workbench is served.
    pub workbench: Option<Workbench>,
}

/// Serves clients until the future is dropped, which ends their sessions and cancels their calls.
pub async fn serve_http(
    listener: TcpListener,
    options: HttpOptions<impl Fn() -> Session + Send + Sync + 'static>,
) -> Result<()> {
    let address = listener.local_addr().map_err(|error| Error::io("the HTTP listener", error))?;
    let HttpOptions { token, session, workbench } = options;
    let clients = Endpoint::new(config(address), MAX_SESSIONS, session);
    let workbench = workbench.map(|workbench| {
        let session = Arc::clone(&workbench.session);
        (
            Endpoint::new(config(address), MAX_SESSIONS, move || session()),
            WorkbenchRoutes::new(workbench, address.port()),
        )
    });
    let router = Arc::new(Router { token, hosts: hosts(address), clients, workbench });
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < MAX_CONNECTIONS => match accepted {
                Ok((stream, _)) => drop(connections.spawn(connection(Arc::clone(&router), stream))),
                Err(error) => {
                    tracing::warn!(%error, "an HTTP connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// The names of this machine for itself.
const HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

fn hosts(address: SocketAddr) -> [String; 3] {
    HOSTS.map(|host| format!("{host}:{}", address.port()))
}

fn config(address: SocketAddr) -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts(address))
        .with_allowed_origins(
            HOSTS.into_iter().flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")]),
        )
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_REQUEST_BYTES)
}

async fn connection(router: Arc<Router>, stream: TcpStream) {
    let _counted = router.workbench.as_ref().map(|(_, desk)| ConnectionCount::new(desk.connections().clone()));
    requests(stream, move |request| {
        let router = Arc::clone(&router);
        async move { router.answer(request).await }
    })
    .await;
}

/// Answers the requests of a connection until it ends.
async fn requests<F>(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    answer: impl Fn(Request<Incoming>) -> F + Send,
) where
    F: Future<Output = Answer> + Send,
{
    let service = service_fn(move |request| {
        let answered = answer(request);
        async move { Ok::<_, Infallible>(answered.await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if let Err(error) = served {
        // A client that disconnected midway, or a request that is not HTTP.
        tracing::debug!(%error, "an HTTP connection ended");
    }
}

struct ConnectionCount(watch::Sender<usize>);

impl ConnectionCount {
    fn new(connections: watch::Sender<usize>) -> Self {
        connections.send_modify(|connections| *connections += 1);
        Self(connections)
    }
}

impl Drop for ConnectionCount {
    fn drop(&mut self) {
        self.0.send_modify(|connections| *connections -= 1);
    }
}

struct Router {
    token: Option<String>,
    hosts: [String; 3],
    clients: Endpoint,
    workbench: Option<(Endpoint, WorkbenchRoutes)>,
}

impl Router {
    /// If browsers are served, every answer is kept from other pages, refusals as well.
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let answer = self.route(request).await;
        if self.workbench.is_some() { guarded(answer) } else { answer }
    }

    async fn route(&self, request: Request<Incoming>) -> Answer {
        let path = request.uri().path();
        let is_ours = matches!(path, PATH | HEALTH | METRICS);
        if !is_ours && self.workbench.is_none() {
            return refusal(StatusCode::NOT_FOUND, "The endpoint is /mcp.");
        }
        if path != PATH || self.workbench.is_some() {
            let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
            if !self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host)) {
                return refusal(StatusCode::FORBIDDEN, "This server serves only this machine.");
            }
        }
        match &self.workbench {
            Some((_, desk)) if !is_ours => return desk.answer(request).await,
            Some((endpoint, desk)) if path == PATH => match desk.admission(request.method(), request.headers()) {
                Admission::Own => return endpoint.answer(request).await,
                Admission::Foreign => {
                    return refusal(StatusCode::FORBIDDEN, "This request comes from another page.");
                }
                Admission::Stranger => {}
            },
            _ => {}
        }
        if path != PATH && request.method() != Method::GET {
            return refusal(StatusCode::METHOD_NOT_ALLOWED, "Use GET.");
        }
        if path == HEALTH {
            return plain(StatusCode::OK, Bytes::from_static(b"ok\n"));
        }
        if !self.token.as_deref().is_none_or(|token| has_token(request.headers(), token)) {
            let mut answer =
                refusal(StatusCode::UNAUTHORIZED, "Send the token of this server: Authorization: Bearer <token>.");
            answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"casetrack\""));
            return answer;
        }
        if path == METRICS {
            let mut sessions = self.clients.open_sessions().await;
            if let Some((endpoint, _)) = &self.workbench {
                sessions += endpoint.open_sessions().await;
            }
            return plain(StatusCode::OK, metrics::text(sessions).into());
        }
        self.clients.answer(request).await
    }
}

fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let (scheme, given) = headers.get(AUTHORIZATION)?.as_bytes().split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then_some(given)
}

/// True if a request has the token. Takes constant time.
fn has_token(headers: &HeaderMap, token: &str) -> bool {
    bearer(headers).is_some_and(|given| given.ct_eq(token.as_bytes()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_opens() {
        let shown = |value: &'static str| {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(value))]);
            has_token(&headers, "0123456789abcdef")
        };
        assert!(shown("Bearer 0123456789abcdef") && shown("bearer 0123456789abcdef"));
        for wrong in [
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdef0",
            "Bearer ",
            "Basic 0123456789abcdef",
            "0123456789abcdef",
            "",
        ] {
            assert!(!shown(wrong), "{wrong}");
        }
        assert!(!has_token(&HeaderMap::new(), ""));
    }

    #[test]
    fn addresses_that_others_reach_are_refused() {
        for address in ["127.0.0.1:0", "127.8.8.8:80", "[::1]:8310"] {
            check_loopback(address.parse().unwrap()).unwrap();
        }
        for address in ["0.0.0.0:8310", "192.168.1.2:8310", "[::]:8310"] {
            let error = check_loopback(address.parse().unwrap()).unwrap_err();
            assert!(error.message.ends_with("is not a loopback address."), "{error}");
        }
    }
}
