//! A server for a team: `/mcp` for users who show a token of theirs or of the provider of OIDC; beside it `/healthz`, uploads to collections
//! that a user may change, and exports and pictures of those that they may read.
//!
//! The workbench is at `/`. Its page shows a token once, at `/session`, and has a cookie from then on, which opens what the token would, and
//! only for pages of this very server: see [`workbench`](super::workbench).
//!
//! Each user has sessions of their own, which no other user can find. They end when the user is removed, gets another token or may do less.

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
use super::streams::Admitted;
use super::workbench::{SESSION, comes_from, file};
use super::{ACCEPT_PAUSE, Door, HEALTH, HOSTS, MAX_CONNECTIONS, MAX_REQUEST_BYTES, PATH, bearer};
use crate::audit::AuditLog;
use crate::session::Session;
use crate::team::{Certificate, Holder, Oidc, Person, Refusals, User, Users};

/// Where clients learn whose tokens are taken (RFC 9728): for the server, and for the endpoint.
const METADATA: &str = "/.well-known/oauth-protected-resource";
/// Sessions of one user's programs at the same time, and of their browsers: a page has up to six.
const MAX_SESSIONS: usize = 16;
const MAX_BROWSER_SESSIONS: usize = 64;
/// Longest token that a login shows, in bytes.
const MAX_TOKEN: usize = 16 << 10;
/// Longest time until a connection speaks TLS.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Between two looks whether users are gone and certificates have changed.
const CHECK: Duration = Duration::from_secs(1);

const FOREIGN: &str = "This request comes from another page.";

/// Whom a server for a team serves, and how.
pub struct Team {
    pub users: Arc<Users>,
    pub oidc: Option<Oidc>,
    /// Makes the session of a new client, which is then limited to what its user may do.
    pub session: Arc<dyn Fn() -> Session + Send + Sync>,
    /// The address that clients are told: `https://casetrack.firm.example`.
    pub public_url: String,
    /// Whether requests may name any host: nobody has said what this machine is called.
    pub any_host: bool,
    /// Whether the proxy says where a request comes from.
    pub behind_proxy: bool,
    /// Without it, connections are not encrypted.
    pub certificate: Option<Certificate>,
    /// Where refusals are recorded, if at all.
    pub audit: Option<Arc<AuditLog>>,
}

impl Team {
    /// Whether connections are encrypted, by this server or in front of it.
    fn is_encrypted(&self) -> bool {
        self.behind_proxy || self.certificate.is_some()
    }
}

/// Serves users until the future is dropped, which ends their sessions and cancels their calls.
pub async fn serve_team(listener: TcpListener, team: Team) -> Result<()> {
    let address = listener.local_addr().map_err(|error| Error::io("the HTTP listener", error))?;
    let front = Arc::new(Front::new(team, address));
    let mut connections = JoinSet::new();
    let mut check = tokio::time::interval(CHECK);
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < MAX_CONNECTIONS => match accepted {
                Ok((stream, peer)) => drop(connections.spawn(connection(Arc::clone(&front), stream, peer.ip()))),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
            _ = check.tick() => {
                let front = Arc::clone(&front);
                let _ = tokio::task::spawn_blocking(move || front.look_again()).await;
            }
        }
    }
}

async fn connection(front: Arc<Front>, stream: TcpStream, peer: IpAddr) {
    let Some(acceptor) = front.team.certificate.as_ref().map(Certificate::acceptor) else {
        return requests(front, stream, peer).await;
    };
    match tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
        Ok(Ok(stream)) => requests(front, stream, peer).await,
        Ok(Err(error)) => tracing::debug!(%error, "a connection does not speak TLS"),
        Err(_) => tracing::debug!("a connection was too slow to speak TLS"),
    }
}

async fn requests(front: Arc<Front>, stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static, peer: IpAddr) {
    let answer = move |request| {
        let front = Arc::clone(&front);
        async move { front.answer(request, peer).await }
    };
    super::requests(stream, answer).await;
}

/// A user who has sessions.
struct Guest {
    /// As the user was known when they came: another token ends their sessions.
    user: User,
    /// What they could do besides their roles since they came: less ends their sessions.
    admin: AtomicBool,
    may_create: AtomicBool,
    person: Arc<Person>,
    /// For programs, which are offered what the settings say.
    door: Door,
    /// For browsers, which are offered all that the user may do.
    browsers: Door,
}

impl Guest {
    fn is(&self, user: &User) -> bool {
        let lost = |known: &AtomicBool, now: bool| known.fetch_or(now, Ordering::Relaxed) && !now;
        let may_less = lost(&self.admin, user.admin) || lost(&self.may_create, user.may_create);
        is_same(&self.user, user) && !may_less
    }
}

/// Who is at the door.
struct Caller {
    user: User,
    admitted: Admitted,
}

impl Caller {
    /// Whether it is a page of the workbench, and not a program.
    fn is_browser(&self) -> bool {
        self.admitted.login.is_some()
    }
}

/// Why a request has no user.
enum Refused {
    /// It has the cookie of a browser, and comes from a page elsewhere.
    Foreign,
    /// It shows nothing.
    Nothing,
    /// What it shows is no good.
    Bad(&'static str),
    /// The provider knows the person, and this server does not.
    Unknown(String),
}

struct Front {
    team: Team,
    hosts: Vec<String>,
    guests: Mutex<HashMap<String, Arc<Guest>>>,
    refusals: Arc<Refusals>,
    browsers: Browsers,
    files: Files,
    pictures: Pictures,
}

impl Front {
    fn new(team: Team, address: SocketAddr) -> Self {
        let mut hosts: Vec<String> = super::hosts(address).to_vec();
        hosts.push(address.to_string());
        hosts.extend(authority(&team.public_url).map(str::to_owned));
        let refusals = Arc::new(Refusals::new(team.audit.clone()));
        let is_encrypted = team.is_encrypted() || team.public_url.starts_with("https://");
        let browsers = Browsers::new(address.port(), is_encrypted);
        let (files, pictures) = (Files::default(), Pictures::default());
        Self { team, hosts, guests: Mutex::default(), refusals, browsers, files, pictures }
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
        let guest = self.guest(&caller.user);
        let door = if caller.is_browser() { &guest.browsers } else { &guest.door };
        match (path, method, export) {
            (PATH, &Method::GET, _) => caller.admitted.limit(door.answer(request).await),
            (PATH, ..) => door.answer(request).await,
            ("/upload", &Method::POST, _) => {
                let (head, body) = request.into_parts();
                let session = self.session(&guest.person);
                match caller.is_browser() {
                    _ if session.settings().read_only => refusal(StatusCode::FORBIDDEN, "This server is read-only."),
                    true => self.files.upload(session, &head.headers, &head.uri, body).await,
                    false => self.files.receive(session, &head.headers, &head.uri, body).await,
                }
            }
            ("/page", &Method::GET, _) => self.pictures.answer(self.session(&guest.person), request.uri()).await,
            (_, &Method::GET, Some(name)) => self.files.export(self.session(&guest.person), &name, request.uri()).await,
            ("/upload", ..) => refusal(StatusCode::METHOD_NOT_ALLOWED, "Use POST."),
            _ => refusal(StatusCode::METHOD_NOT_ALLOWED, "Use GET."),
        }
    }

    /// Whether a request is meant for this server, and comes from no page elsewhere.
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

    /// Whether an origin is that of this server's pages, at the name that a request gives it.
    fn is_own(&self, origin: &str, host: &str) -> bool {
        let scheme = if self.team.is_encrypted() { "https" } else { "http" };
        origin == self.team.public_url
            || origin.split_once("://").is_some_and(|(of, at)| of == scheme && at.eq_ignore_ascii_case(host))
    }

    /// Whether a request comes from a page of this server.
    fn is_of_own_page(&self, method: &Method, headers: &HeaderMap) -> bool {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        comes_from(method, headers, |origin| self.is_own(origin, host))
    }

    /// Where a request comes from.
    fn address(&self, headers: &HeaderMap, peer: IpAddr) -> IpAddr {
        // The proxy adds to what the client may have invented.
        let told = headers.get_all("x-forwarded-for").into_iter().next_back().and_then(|value| value.to_str().ok());
        let told = told.and_then(|told| told.rsplit(',').next()?.trim().parse().ok());
        told.filter(|_| self.team.behind_proxy).unwrap_or(peer)
    }

    /// Whose request this is: that of a token, or else of a browser that is logged in.
    async fn caller(self: &Arc<Self>, method: &Method, headers: &HeaderMap) -> Result<Caller, Refused> {
        if let Some(token) = bearer(headers) {
            return self.holder(token).await;
        }
        if !self.browsers.is_shown(headers) {
            return Err(Refused::Nothing);
        }
        if !self.is_of_own_page(method, headers) {
            return Err(Refused::Foreign);
        }
        let found = self.browsers.user(headers, &self.team.users);
        let (user, login) = found.ok_or(Refused::Bad("login_ended"))?;
        Ok(Caller { user, admitted: Admitted { until: None, login: Some(login) } })
    }

    /// The user whose token this is.
    async fn holder(self: &Arc<Self>, token: &[u8]) -> Result<Caller, Refused> {
        let Ok(token) = std::str::from_utf8(token).map(str::to_owned) else {
            return Err(Refused::Bad("unknown_token"));
        };
        let front = Arc::clone(self);
        let found = tokio::task::spawn_blocking(move || match &front.team.oidc {
            Some(oidc) if Oidc::is_meant(&token) => {
                let Holder { called, until } = oidc.check(&token).map_err(Refused::Bad)?;
                let user = front.team.users.by_oidc(&called).ok_or(Refused::Unknown(called))?;
                Ok(Caller { user, admitted: Admitted { until, login: None } })
            }
            _ => {
                let user = front.team.users.by_token(&token).ok_or(Refused::Bad("unknown_token"))?;
                Ok(Caller { user, admitted: Admitted::default() })
            }
        });
        found.await.unwrap_or(Err(Refused::Bad("internal")))
    }

    /// Records a refusal: why, in a word.
    fn record(&self, refused: &Refused, address: IpAddr) -> &'static str {
        let (reason, user) = match refused {
            Refused::Foreign => ("another_page", None),
            Refused::Nothing => ("no_token", None),
            Refused::Bad(reason) => (*reason, None),
            Refused::Unknown(called) => ("unknown_user", Some(called.chars().take(200).collect::<String>())),
        };
        self.refusals.record(reason, user.as_deref(), Some(address));
        reason
    }

    fn refused(&self, refused: &Refused, address: IpAddr) -> Answer {
        self.record(refused, address);
        match refused {
            Refused::Foreign => return refusal(StatusCode::FORBIDDEN, FOREIGN),
            Refused::Unknown(_) => return refusal(StatusCode::FORBIDDEN, STRANGER),
            Refused::Nothing | Refused::Bad(_) => {}
        }
        let mut answer =
            refusal(StatusCode::UNAUTHORIZED, "Send a token that this server knows: Authorization: Bearer <token>.");
        let mut challenge = "Bearer realm=\"casetrack\"".to_owned();
        if matches!(refused, Refused::Bad(_)) {
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

    /// Answers the page about itself: who is logged in (GET), a login whose body is the token (POST), and the end of one (DELETE).
    async fn session_of_page(self: &Arc<Self>, request: Request<Incoming>, address: IpAddr) -> Answer {
        let (head, body) = request.into_parts();
        if !self.is_of_own_page(&head.method, &head.headers) {
            return self.refused(&Refused::Foreign, address);
        }
        match head.method {
            Method::GET => {
                let found = self.browsers.user(&head.headers, &self.team.users);
                self.told(found.as_ref().map(|(user, _)| user)).await
            }
            Method::POST => self.log_in(&head.headers, body, address).await,
            Method::DELETE => {
                let mut answer = self.told(None).await;
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
            [] => Err(Refused::Nothing),
            token => self.holder(token).await,
        };
        let Caller { user, admitted } = match caller {
            Ok(caller) => caller,
            Err(refused) => {
                let reason = self.record(&refused, address);
                return no_login(StatusCode::FORBIDDEN, reason, why(reason));
            }
        };
        self.refusals.logged_in(address);
        self.browsers.forget(headers);
        let mut answer = self.told(Some(&user)).await;
        match self.browsers.open(&mut answer, user, admitted.until) {
            Ok(()) => answer,
            Err(error) => failure(&error),
        }
    }

    /// What the page is told of the user: their name, what they may do, and their role in each collection that is there for them.
    async fn told(&self, user: Option<&User>) -> Answer {
        let json = |value: serde_json::Value| of_type(StatusCode::OK, "application/json", value.to_string().into());
        let Some(user) = user else {
            let issuer = self.team.oidc.as_ref().map(Oidc::issuer);
            return json(json!({"is_team": true, "user": null, "issuer": issuer}));
        };
        let person = Arc::clone(&self.guest(user).person);
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
            Ok(told) => json(told),
            Err(error) => failure(&error),
        }
    }

    fn session(&self, person: &Arc<Person>) -> Session {
        (self.team.session)().for_user(Arc::clone(person), Arc::clone(&self.refusals))
    }

    /// The sessions of a user.
    fn guest(&self, user: &User) -> Arc<Guest> {
        let mut guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(guest) = guests.get(&user.name).filter(|guest| guest.is(user)) {
            return Arc::clone(guest);
        }
        let person = Arc::new(Person { users: Arc::clone(&self.team.users), name: user.name.clone() });
        let door = |most: usize, limit: fn(Session) -> Session| {
            // Names are checked in front.
            let config = StreamableHttpServerConfig::default()
                .disable_allowed_hosts()
                .disable_allowed_origins()
                .with_max_request_body_bytes(MAX_REQUEST_BYTES);
            let (make, of, refusals) =
                (Arc::clone(&self.team.session), Arc::clone(&person), Arc::clone(&self.refusals));
            Door::new(config, most, move || limit(make()).for_user(Arc::clone(&of), Arc::clone(&refusals)))
        };
        let programs = door(MAX_SESSIONS, |session| session);
        let browsers = door(MAX_BROWSER_SESSIONS, Session::for_browser_of_user);
        let (admin, may_create) = (user.admin.into(), user.may_create.into());
        let guest = Guest { user: user.clone(), admin, may_create, person, door: programs, browsers };
        let guest = Arc::new(guest);
        guests.insert(user.name.clone(), Arc::clone(&guest));
        guest
    }

    /// Ends the sessions and jobs of users who are gone or may do less, and takes up what is new of the certificate.
    fn look_again(&self) {
        if let Some(certificate) = &self.team.certificate {
            certificate.refresh();
        }
        self.browsers.tidy(&self.team.users);
        let mut guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
        guests.retain(|name, guest| self.team.users.find(name).is_some_and(|user| guest.is(&user)));
        drop(guests);
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
