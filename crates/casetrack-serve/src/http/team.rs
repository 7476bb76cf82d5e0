//! A team server: `/mcp` for users with a token of this server or of the OIDC provider; also `/healthz`, uploads to collections that a user may
//! change, and exports and images of those that they may read.
//!
//! The workbench is at `/`. Its page sends a token once, to `/session`, and then has a cookie with the same rights, only for pages of this server:
//! see [`workbench`](super::workbench).
//!
//! Each user has sessions of their own, which no other user can find. They end when the user is removed, gets another token or loses a right.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use casetrack_core::{Error, Result};
use casetrack_engine::collections;
use casetrack_engine::rights::Rights;
use http::header::{HOST, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::answers::{Answer, guarded, of_type, plain, refusal};
use super::browsers::{Browsers, STRANGER, is_same, no_login, why};
use super::files::{Files, blocking, failure};
use super::pictures::Pictures;
use super::streams::Validity;
use super::workbench::{SESSION, comes_from, file};
use super::{ACCEPT_PAUSE, Endpoint, HEALTH, HOSTS, MAX_CONNECTIONS, MAX_REQUEST_BYTES, PATH, bearer};
use crate::team::{Certificate, Oidc, Refusals, TeamUser, TokenSubject, User, Users};
use casetrack_mcp::{AuditLog, Member, Session};

/// The path of the metadata that name the provider (RFC 9728), for the server and for the endpoint.
const METADATA: &str = "/.well-known/oauth-protected-resource";
/// Most sessions of one user's programs, and of their browsers: a page has up to six.
const MAX_SESSIONS: usize = 16;
const MAX_BROWSER_SESSIONS: usize = 64;
/// Longest token of a login, in bytes.
const MAX_TOKEN: usize = 16 << 10;
/// Longest time of a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Interval between checks for removed users and changed certificates.
const CHECK: Duration = Duration::from_secs(1);

const FOREIGN: &str = "This request comes from another page.";

pub struct Team {
    pub users: Arc<Users>,
    pub oidc: Option<Oidc>,
    /// Makes the session of a new client, which is then limited to the rights of its user.
    pub session: Arc<dyn Fn() -> Session + Send + Sync>,
    /// The public address of the server: `https://casetrack.firm.example`.
    pub public_url: String,
    /// True if requests may name any host, because the name of this machine is unknown.
    pub any_host: bool,
    /// True if a proxy states the address of the client.
    pub behind_proxy: bool,
    /// Without it, connections are not encrypted.
    pub certificate: Option<Certificate>,
    /// The log of refusals, if there is one.
    pub audit: Option<Arc<AuditLog>>,
}

impl Team {
    /// True if connections are encrypted, by this server or by a proxy.
    fn is_encrypted(&self) -> bool {
        self.behind_proxy || self.certificate.is_some()
    }
}

/// Serves users until the future is dropped, which ends their sessions and cancels their calls.
pub async fn serve_team(listener: TcpListener, team: Team) -> Result<()> {
    let address = listener.local_addr().map_err(|error| Error::io("the HTTP listener", error))?;
    let router = Arc::new(Router::new(team, address));
    let mut connections = JoinSet::new();
    let mut check = tokio::time::interval(CHECK);
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < MAX_CONNECTIONS => match accepted {
                Ok((stream, peer)) => drop(connections.spawn(connection(Arc::clone(&router), stream, peer.ip()))),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
            _ = check.tick() => {
                let router = Arc::clone(&router);
                let _ = tokio::task::spawn_blocking(move || router.refresh()).await;
            }
        }
    }
}

async fn connection(router: Arc<Router>, stream: TcpStream, peer: IpAddr) {
    let Some(acceptor) = router.team.certificate.as_ref().map(Certificate::acceptor) else {
        return requests(router, stream, peer).await;
    };
    match tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
        Ok(Ok(stream)) => requests(router, stream, peer).await,
        Ok(Err(error)) => tracing::debug!(%error, "a connection does not speak TLS"),
        Err(_) => tracing::debug!("a connection was too slow to speak TLS"),
    }
}

async fn requests(router: Arc<Router>, stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static, peer: IpAddr) {
    let answer = move |request| {
        let router = Arc::clone(&router);
        async move { router.answer(request, peer).await }
    };
    super::requests(stream, answer).await;
}

struct UserSessions {
    /// The user at the first request: another token ends their sessions.
    user: User,
    /// The rights besides their roles since the first request. Losing one ends the sessions.
    admin: AtomicBool,
    may_create: AtomicBool,
    person: Arc<TeamUser>,
    /// For programs, which get the tools of the settings.
    programs: Endpoint,
    /// For browsers, which get all that the user may do.
    browsers: Endpoint,
}

impl UserSessions {
    fn is(&self, user: &User) -> bool {
        let lost = |known: &AtomicBool, now: bool| known.fetch_or(now, Ordering::Relaxed) && !now;
        let may_less = lost(&self.admin, user.admin) || lost(&self.may_create, user.may_create);
        is_same(&self.user, user) && !may_less
    }
}

struct Caller {
    user: User,
    validity: Validity,
}

impl Caller {
    fn is_browser(&self) -> bool {
        self.validity.login.is_some()
    }
}

/// The reason why a request has no user.
enum Rejection {
    /// It has the cookie of a browser, but comes from another page.
    Foreign,
    /// It has neither token nor cookie.
    Nothing,
    /// Its token or cookie is not valid.
    Bad(&'static str),
    /// The provider has the user, but this server does not.
    Unknown(String),
}

struct Router {
    team: Team,
    hosts: Vec<String>,
    by_user: Mutex<HashMap<String, Arc<UserSessions>>>,
    refusals: Arc<Refusals>,
    browsers: Browsers,
    files: Files,
    pictures: Pictures,
}

impl Router {
    fn new(team: Team, address: SocketAddr) -> Self {
        let mut hosts: Vec<String> = super::hosts(address).to_vec();
        hosts.push(address.to_string());
        hosts.extend(authority(&team.public_url).map(str::to_owned));
        let refusals = Arc::new(Refusals::new(team.audit.clone()));
        let is_encrypted = team.is_encrypted() || team.public_url.starts_with("https://");
        let browsers = Browsers::new(address.port(), is_encrypted);
        let (files, pictures) = (Files::default(), Pictures::default());
        Self { team, hosts, by_user: Mutex::default(), refusals, browsers, files, pictures }
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>, peer: IpAddr) -> Answer {
        guarded(self.route(request, peer).await)
    }

    async fn route(self: Arc<Self>, request: Request<Incoming>, peer: IpAddr) -> Answer {
        let (path, method) = (request.uri().path(), request.method());
        if path == HEALTH {
            return match *method {
                Method::GET => plain(StatusCode::OK, "ok\n".into()),
                _ => refusal(StatusCode::METHOD_NOT_ALLOWED, "Use GET."),
            };
        }
        if !self.names_us(request.headers()) {
            return refusal(StatusCode::FORBIDDEN, "This server has another name, or is not for this page.");
        }
        if let Some(oidc) = &self.team.oidc
            && path.strip_prefix(METADATA).is_some_and(|rest| matches!(rest, "" | PATH))
        {
            return self.metadata(oidc);
        }
        let address = self.address(request.headers(), peer);
        if path == SESSION {
            return self.session_of_page(request, address).await;
        }
        let export = path.strip_prefix("/export/").map(str::to_owned);
        if !matches!(path, PATH | "/upload" | "/page") && export.is_none() {
            return match *method {
                Method::GET => file(path),
                _ => refusal(StatusCode::METHOD_NOT_ALLOWED, "Use GET."),
            };
        }
        let caller = match self.caller(method, request.headers()).await {
            Ok(caller) => caller,
            Err(refused) => return self.refused(&refused, address),
        };
        let sessions = self.sessions(&caller.user);
        let endpoint = if caller.is_browser() { &sessions.browsers } else { &sessions.programs };
        match (path, method, export) {
            (PATH, &Method::GET, _) => caller.validity.limit(endpoint.answer(request).await),
            (PATH, ..) => endpoint.answer(request).await,
            ("/upload", &Method::POST, _) => {
                let (head, body) = request.into_parts();
                let session = self.session(&sessions.person);
                match caller.is_browser() {
                    _ if session.settings().read_only => refusal(StatusCode::FORBIDDEN, "This server is read-only."),
                    true => self.files.upload(session, &head.headers, &head.uri, body).await,
                    false => self.files.receive(session, &head.headers, &head.uri, body).await,
                }
            }
            ("/page", &Method::GET, _) => self.pictures.answer(self.session(&sessions.person), request.uri()).await,
            (_, &Method::GET, Some(name)) => {
                self.files.export(self.session(&sessions.person), &name, request.uri()).await
            }
            ("/upload", ..) => refusal(StatusCode::METHOD_NOT_ALLOWED, "Use POST."),
            _ => refusal(StatusCode::METHOD_NOT_ALLOWED, "Use GET."),
        }
    }

    /// True if a request names this server, and does not come from another page.
    fn names_us(&self, headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or_default());
        let host = text(HOST).unwrap_or_default();
        let is_host = self.team.any_host || self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
        let is_page = text(ORIGIN).is_none_or(|origin| {
            // Of a program with a page of its own on the user's machine.
            let is_local = authority(origin).is_some_and(|at| {
                HOSTS
                    .iter()
                    .any(|host| at.strip_prefix(host).is_some_and(|rest| rest.is_empty() || rest.starts_with(':')))
            });
            is_local || self.is_own(origin, host)
        });
        is_host && is_page
    }

    /// True if an origin is that of this server's pages, at the host of the request.
    fn is_own(&self, origin: &str, host: &str) -> bool {
        let scheme = if self.team.is_encrypted() { "https" } else { "http" };
        origin == self.team.public_url
            || origin.split_once("://").is_some_and(|(of, at)| of == scheme && at.eq_ignore_ascii_case(host))
    }

    /// True if a request comes from a page of this server.
    fn is_of_own_page(&self, method: &Method, headers: &HeaderMap) -> bool {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        comes_from(method, headers, |origin| self.is_own(origin, host))
    }

    fn address(&self, headers: &HeaderMap, peer: IpAddr) -> IpAddr {
        // The proxy appends to a value that the client may have invented.
        let forwarded =
            headers.get_all("x-forwarded-for").into_iter().next_back().and_then(|value| value.to_str().ok());
        let forwarded = forwarded.and_then(|forwarded| forwarded.rsplit(',').next()?.trim().parse().ok());
        forwarded.filter(|_| self.team.behind_proxy).unwrap_or(peer)
    }

    /// The user of a request, by its token, or else by the cookie of a login.
    async fn caller(self: &Arc<Self>, method: &Method, headers: &HeaderMap) -> Result<Caller, Rejection> {
        if let Some(token) = bearer(headers) {
            return self.holder(token).await;
        }
        if !self.browsers.is_shown(headers) {
            return Err(Rejection::Nothing);
        }
        if !self.is_of_own_page(method, headers) {
            return Err(Rejection::Foreign);
        }
        let found = self.browsers.user(headers, &self.team.users);
        let (user, login) = found.ok_or(Rejection::Bad("login_ended"))?;
        Ok(Caller { user, validity: Validity { until: None, login: Some(login) } })
    }

    async fn holder(self: &Arc<Self>, token: &[u8]) -> Result<Caller, Rejection> {
        let Ok(token) = std::str::from_utf8(token).map(str::to_owned) else {
            return Err(Rejection::Bad("unknown_token"));
        };
        let router = Arc::clone(self);
        let found = tokio::task::spawn_blocking(move || match &router.team.oidc {
            Some(oidc) if Oidc::is_meant(&token) => {
                let TokenSubject { called, until } = oidc.check(&token).map_err(Rejection::Bad)?;
                let user = router.team.users.by_oidc(&called).ok_or(Rejection::Unknown(called))?;
                Ok(Caller { user, validity: Validity { until, login: None } })
            }
            _ => {
                let user = router.team.users.by_token(&token).ok_or(Rejection::Bad("unknown_token"))?;
                Ok(Caller { user, validity: Validity::default() })
            }
        });
        found.await.unwrap_or(Err(Rejection::Bad("internal")))
    }

    /// Records a refusal, with its reason in a word.
    fn record(&self, rejection: &Rejection, address: IpAddr) -> &'static str {
        let (reason, user) = match rejection {
            Rejection::Foreign => ("another_page", None),
            Rejection::Nothing => ("no_token", None),
            Rejection::Bad(reason) => (*reason, None),
            Rejection::Unknown(called) => ("unknown_user", Some(called.chars().take(200).collect::<String>())),
        };
        self.refusals.record(reason, user.as_deref(), Some(address));
        reason
    }

    fn refused(&self, rejection: &Rejection, address: IpAddr) -> Answer {
        self.record(rejection, address);
        match rejection {
            Rejection::Foreign => return refusal(StatusCode::FORBIDDEN, FOREIGN),
            Rejection::Unknown(_) => return refusal(StatusCode::FORBIDDEN, STRANGER),
            Rejection::Nothing | Rejection::Bad(_) => {}
        }
        let mut answer =
            refusal(StatusCode::UNAUTHORIZED, "Send a token that this server knows: Authorization: Bearer <token>.");
        let mut challenge = "Bearer realm=\"casetrack\"".to_owned();
        if matches!(rejection, Rejection::Bad(_)) {
            challenge.push_str(", error=\"invalid_token\"");
        }
        if self.team.oidc.is_some() {
            challenge.push_str(&format!(", resource_metadata=\"{}{METADATA}\"", self.team.public_url));
        }
        if let Ok(challenge) = HeaderValue::try_from(challenge) {
            answer.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        answer
    }

    fn metadata(&self, oidc: &Oidc) -> Answer {
        let described = json!({
            "resource": format!("{}{PATH}", self.team.public_url),
            "authorization_servers": [oidc.issuer()],
            "bearer_methods_supported": ["header"],
            "resource_name": "CaseTrack",
        });
        of_type(StatusCode::OK, "application/json", described.to_string().into())
    }

    /// Answers `/session`: the signed-in user (GET), a login whose body is the token (POST), and the end of one (DELETE).
    async fn session_of_page(self: &Arc<Self>, request: Request<Incoming>, address: IpAddr) -> Answer {
        let (head, body) = request.into_parts();
        if !self.is_of_own_page(&head.method, &head.headers) {
            return self.refused(&Rejection::Foreign, address);
        }
        match head.method {
            Method::GET => {
                let found = self.browsers.user(&head.headers, &self.team.users);
                self.user_json(found.as_ref().map(|(user, _)| user)).await
            }
            Method::POST => self.log_in(&head.headers, body, address).await,
            Method::DELETE => {
                let mut answer = self.user_json(None).await;
                match self.browsers.close(&head.headers, &mut answer) {
                    Ok(()) => answer,
                    Err(error) => failure(&error),
                }
            }
            _ => refusal(StatusCode::METHOD_NOT_ALLOWED, "Use GET, POST or DELETE."),
        }
    }

    async fn log_in(self: &Arc<Self>, headers: &HeaderMap, body: Incoming, address: IpAddr) -> Answer {
        if let Err(seconds) = self.refusals.try_login(address) {
            self.refusals.record("too_many_logins", None, Some(address));
            let message = format!("Too many logins from your address failed. Try again in {seconds} seconds.");
            let mut answer = no_login(StatusCode::TOO_MANY_REQUESTS, "too_many_logins", &message);
            answer.headers_mut().insert(RETRY_AFTER, seconds.into());
            return answer;
        }
        let token = Limited::new(body, MAX_TOKEN).collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        let caller = match token.trim_ascii() {
            [] => Err(Rejection::Nothing),
            token => self.holder(token).await,
        };
        let Caller { user, validity } = match caller {
            Ok(caller) => caller,
            Err(refused) => {
                let reason = self.record(&refused, address);
                return no_login(StatusCode::FORBIDDEN, reason, why(reason));
            }
        };
        self.refusals.logged_in(address);
        self.browsers.forget(headers);
        let mut answer = self.user_json(Some(&user)).await;
        match self.browsers.open(&mut answer, user, validity.until) {
            Ok(()) => answer,
            Err(error) => failure(&error),
        }
    }

    /// The user for the page: name, rights, and the role in each visible collection.
    async fn user_json(&self, user: Option<&User>) -> Answer {
        let json = |value: serde_json::Value| of_type(StatusCode::OK, "application/json", value.to_string().into());
        let Some(user) = user else {
            let issuer = self.team.oidc.as_ref().map(Oidc::issuer);
            return json(json!({"is_team": true, "user": null, "issuer": issuer}));
        };
        let person = Arc::clone(&self.sessions(user).person);
        let session = self.session(&person);
        let tell = move || {
            let roles = collections::collections(session.engine().host())?.into_iter().filter_map(|meta| {
                let role = person.role(meta.id)?;
                Some(json!({"id": meta.id, "name": meta.name, "role": role}))
            });
            Ok(json!({
                "is_team": true,
                "user": person.name,
                "may_create": person.may_create(),
                "has_disk": person.has_disk(),
                "read_only": session.settings().read_only,
                "collections": roles.collect::<Vec<_>>(),
            }))
        };
        match blocking(tell).await {
            Ok(user) => json(user),
            Err(error) => failure(&error),
        }
    }

    fn session(&self, person: &Arc<TeamUser>) -> Session {
        (self.team.session)().for_user(Arc::clone(person) as Arc<dyn Member>)
    }

    fn sessions(&self, user: &User) -> Arc<UserSessions> {
        let mut by_user = self.by_user.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sessions) = by_user.get(&user.name).filter(|sessions| sessions.is(user)) {
            return Arc::clone(sessions);
        }
        let person = Arc::new(TeamUser {
            users: Arc::clone(&self.team.users),
            name: user.name.clone(),
            refusals: Arc::clone(&self.refusals),
        });
        let endpoint = |most: usize, limit: fn(Session) -> Session| {
            // Names are checked before the protocol.
            let config = StreamableHttpServerConfig::default()
                .disable_allowed_hosts()
                .disable_allowed_origins()
                .with_max_request_body_bytes(MAX_REQUEST_BYTES);
            let (make, of) = (Arc::clone(&self.team.session), Arc::clone(&person));
            Endpoint::new(config, most, move || limit(make()).for_user(Arc::clone(&of) as Arc<dyn Member>))
        };
        let programs = endpoint(MAX_SESSIONS, |session| session);
        let browsers = endpoint(MAX_BROWSER_SESSIONS, Session::for_browser_of_user);
        let (admin, may_create) = (user.admin.into(), user.may_create.into());
        let sessions = UserSessions { user: user.clone(), admin, may_create, person, programs, browsers };
        let sessions = Arc::new(sessions);
        by_user.insert(user.name.clone(), Arc::clone(&sessions));
        sessions
    }

    /// Ends the sessions and jobs of users who were removed or lost rights, and reloads the certificate.
    fn refresh(&self) {
        if let Some(certificate) = &self.team.certificate {
            certificate.refresh();
        }
        self.browsers.tidy(&self.team.users);
        let mut by_user = self.by_user.lock().unwrap_or_else(PoisonError::into_inner);
        by_user.retain(|name, sessions| self.team.users.find(name).is_some_and(|user| sessions.is(&user)));
        drop(by_user);
        // A file of users that cannot be read at this moment ends no work.
        if self.team.users.all().is_ok() {
            (self.team.session)().engine().withdraw_jobs();
        }
    }
}

/// The host and port of an address.
fn authority(url: &str) -> Option<&str> {
    url.split_once("://").and_then(|(_, rest)| rest.split('/').next())
}
