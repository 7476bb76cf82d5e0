//! A server for a team: `/mcp` for users who show a token of theirs or of the provider of OIDC; beside it `/healthz`, uploads to collections
//! that a user may change, and exports of those that they may read.
//!
//! Each user has sessions of their own, which no other user can find. They end when the user is removed, gets another token or may do less.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use casetrack_core::{Error, Result};
use http::header::{HOST, ORIGIN, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use hyper::body::Incoming;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::answers::{Answer, of_type, plain, refusal};
use super::files::Files;
use super::{ACCEPT_PAUSE, Door, HEALTH, HOSTS, MAX_CONNECTIONS, MAX_REQUEST_BYTES, PATH, bearer};
use crate::audit::AuditLog;
use crate::session::Session;
use crate::team::{Certificate, Oidc, Person, Refusals, User, Users};

/// Where clients learn whose tokens are taken (RFC 9728): for the server, and for the endpoint.
const METADATA: &str = "/.well-known/oauth-protected-resource";
/// Sessions of one user at the same time.
const MAX_SESSIONS: usize = 16;
/// Longest time until a connection speaks TLS.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Between two looks whether users are gone and certificates have changed.
const CHECK: Duration = Duration::from_secs(1);

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
    token: Option<String>,
    oidc: Option<String>,
    /// What they could do besides their roles since they came: less ends their sessions.
    admin: AtomicBool,
    may_create: AtomicBool,
    person: Arc<Person>,
    door: Door,
}

impl Guest {
    fn is(&self, user: &User) -> bool {
        let lost = |known: &AtomicBool, now: bool| known.fetch_or(now, Ordering::Relaxed) && !now;
        let may_less = lost(&self.admin, user.admin) || lost(&self.may_create, user.may_create);
        (&self.token, &self.oidc) == (&user.token_sha256, &user.oidc) && !may_less
    }
}

/// Why a request has no user.
enum Refused {
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
    files: Files,
}

impl Front {
    fn new(team: Team, address: SocketAddr) -> Self {
        let mut hosts: Vec<String> = super::hosts(address).to_vec();
        hosts.push(address.to_string());
        hosts.extend(authority(&team.public_url).map(str::to_owned));
        let refusals = Arc::new(Refusals::new(team.audit.clone()));
        Self { team, hosts, guests: Mutex::default(), refusals, files: Files::default() }
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>, peer: IpAddr) -> Answer {
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
        let export = path.strip_prefix("/export/").map(str::to_owned);
        if path != PATH && path != "/upload" && export.is_none() {
            return refusal(StatusCode::NOT_FOUND, "The endpoint is /mcp.");
        }
        let address = self.address(request.headers(), peer);
        let user = match self.user(request.headers()).await {
            Ok(user) => user,
            Err(refused) => return self.refused(&refused, address),
        };
        let guest = self.guest(&user);
        match (path, method, export) {
            (PATH, ..) => guest.door.answer(request).await,
            ("/upload", &Method::POST, _) => {
                let (head, body) = request.into_parts();
                self.files.receive(self.session(&guest.person), &head.headers, &head.uri, body).await
            }
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
            is_local || origin == self.team.public_url
        });
        is_host && is_page
    }

    /// Where a request comes from.
    fn address(&self, headers: &HeaderMap, peer: IpAddr) -> IpAddr {
        // The proxy adds to what the client may have invented.
        let told = headers.get_all("x-forwarded-for").into_iter().next_back().and_then(|value| value.to_str().ok());
        let told = told.and_then(|told| told.rsplit(',').next()?.trim().parse().ok());
        told.filter(|_| self.team.behind_proxy).unwrap_or(peer)
    }

    async fn user(self: &Arc<Self>, headers: &HeaderMap) -> Result<User, Refused> {
        let given = bearer(headers).ok_or(Refused::Nothing)?;
        let Ok(token) = std::str::from_utf8(given).map(str::to_owned) else {
            return Err(Refused::Bad("unknown_token"));
        };
        let front = Arc::clone(self);
        let found = tokio::task::spawn_blocking(move || match &front.team.oidc {
            Some(oidc) if Oidc::is_meant(&token) => {
                let called = oidc.check(&token).map_err(Refused::Bad)?;
                front.team.users.by_oidc(&called).ok_or(Refused::Unknown(called))
            }
            _ => front.team.users.by_token(&token).ok_or(Refused::Bad("unknown_token")),
        });
        found.await.unwrap_or(Err(Refused::Bad("internal")))
    }

    fn refused(&self, refused: &Refused, address: IpAddr) -> Answer {
        let (reason, user) = match refused {
            Refused::Nothing => ("no_token", None),
            Refused::Bad(reason) => (*reason, None),
            Refused::Unknown(called) => ("unknown_user", Some(called.chars().take(200).collect::<String>())),
        };
        self.refusals.record(reason, user.as_deref(), Some(address));
        if user.is_some() {
            return refusal(StatusCode::FORBIDDEN, "You are not a user of this server. Ask its administrator.");
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
        // Names are checked in front.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(MAX_REQUEST_BYTES);
        let (make, of, refusals) = (Arc::clone(&self.team.session), Arc::clone(&person), Arc::clone(&self.refusals));
        let session = move || make().for_user(Arc::clone(&of), Arc::clone(&refusals));
        let door = Door::new(config, MAX_SESSIONS, session);
        let guest = Guest {
            token: user.token_sha256.clone(),
            oidc: user.oidc.clone(),
            admin: user.admin.into(),
            may_create: user.may_create.into(),
            person,
            door,
        };
        let guest = Arc::new(guest);
        guests.insert(user.name.clone(), Arc::clone(&guest));
        guest
    }

    /// Ends the sessions of users who are gone, and takes up what is new of the certificate.
    fn look_again(&self) {
        if let Some(certificate) = &self.team.certificate {
            certificate.refresh();
        }
        let mut guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
        guests.retain(|name, guest| self.team.users.find(name).is_some_and(|user| guest.is(&user)));
    }
}

/// The host and port of an address.
fn authority(url: &str) -> Option<&str> {
    url.split_once("://").and_then(|(_, rest)| rest.split('/').next())
}
