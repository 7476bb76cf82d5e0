//! The HTTP client: the only place of CaseTrack that opens a network connection.
//!
//! `/<repository>/resolve/<revision>/<file>` of the Hugging Face hub and its mirrors gives a file or a redirection to it, with the
//! commit in `X-Repo-Commit`, the file's identity in `X-Linked-ETag` or `ETag` and its size in `X-Linked-Size`.

use std::thread;

use casetrack_core::{Error, ErrorCode, Result};
use ureq::http::{HeaderMap, Response, Uri};
use ureq::{Agent, Body};

use super::settings::{HubSettings, Patience};
use crate::checksum::ExpectedChecksum;

/// Redirections within the hub, as after a repository was renamed.
const MAX_MOVES: u32 = 5;

const RETRY_HINT: &str = "Check the network connection and, if you use one, the proxy (HTTPS_PROXY), then run the \
    same command again: the download resumes. HF_ENDPOINT names another hub to download from.";

pub struct Hub {
    agent: Agent,
    endpoint: String,
    token: Option<String>,
    patience: Patience,
}

#[derive(Debug, Clone)]
pub struct RemoteFile {
    /// Its address on the hub, which may redirect to another server.
    pub url: String,
    pub commit: String,
    pub expected: ExpectedChecksum,
}

/// Why a request failed, and whether the same request may succeed later.
#[derive(Debug)]
pub struct Failure {
    pub error: Error,
    pub kind: FailureKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// Broken off, timed out, or the hub is busy.
    Passing,
    /// The hub cannot be reached at all.
    Unreachable,
    Lasting,
}

impl Hub {
    pub fn new(settings: &HubSettings) -> Self {
        let patience = settings.patience;
        let config = Agent::config_builder()
            .user_agent(concat!("casetrack/", env!("CARGO_PKG_VERSION")))
            .https_only(settings.endpoint.starts_with("https://"))
            .http_status_as_error(false)
            .max_redirects(10)
            .max_redirects_will_error(false)
            .timeout_resolve(Some(patience.answer))
            .timeout_connect(Some(patience.answer))
            .timeout_recv_response(Some(patience.answer))
            .timeout_recv_body(Some(patience.connection));
        // A hub on this machine is never reached through a proxy, even if the environment names one.
        let host = settings.endpoint.split("//").nth(1).unwrap_or_default();
        let local = ["localhost", "127.", "[::1]"].iter().any(|name| host.starts_with(name));
        let config = if local { config.proxy(None).build() } else { config.build() };
        Self { agent: config.into(), endpoint: settings.endpoint.clone(), token: settings.token.clone(), patience }
    }

    pub fn patience(&self) -> Patience {
        self.patience
    }

    /// The identity and size of a file, and the commit that the revision is.
    pub fn describe(&self, repository: &str, revision: &str, name: &str) -> Result<RemoteFile> {
        let url = format!("{}/{repository}/resolve/{revision}/{name}", self.endpoint);
        let what = format!("{name} of {repository} (revision {revision})");
        self.repeating(|| self.head(&url, &what))
    }

    /// Begins to read a file at an offset. The status of the answer is 200 (from the beginning after all), 206 or 416.
    pub fn open(&self, url: &str, what: &str, offset: u64) -> Result<Response<Body>, Failure> {
        let mut request = self.authorised(self.agent.get(url));
        if offset > 0 {
            request = request.header("Range", format!("bytes={offset}-"));
        }
        let response = request.call().map_err(|error| self.unreachable(&error))?;
        if offset == 0 || response.status() != 416 {
            self.accept(&response, what)?;
        }
        Ok(response)
    }

    /// Requests a file's headers without following redirections that lead away from the hub: other servers do not have
    /// the hub's identities.
    fn head(&self, url: &str, what: &str) -> Result<RemoteFile, Failure> {
        let (mut next, mut commit, mut expected) = (url.to_owned(), None, ExpectedChecksum::default());
        for _ in 0..MAX_MOVES {
            let request = self.authorised(self.agent.head(&next)).config().max_redirects(0).build();
            let response = request.call().map_err(|error| self.unreachable(&error))?;
            self.accept(&response, what)?;
            let headers = response.headers();
            let moved = response.status().is_redirection();
            commit = commit.or_else(|| header(headers, "x-repo-commit").map(str::to_owned));
            if !expected.has_hash() {
                let etag = header(headers, "x-linked-etag").or_else(|| header(headers, "etag"));
                expected = ExpectedChecksum {
                    size: expected.size,
                    ..etag.map(ExpectedChecksum::from_etag).unwrap_or_default()
                };
            }
            let length = header(headers, "content-length").filter(|_| !moved);
            let size = header(headers, "x-linked-size").or(length).and_then(|size| size.parse().ok());
            expected.size = expected.size.or(size);
            match header(headers, "location").filter(|_| moved) {
                Some(location) if location.starts_with('/') && !location.starts_with("//") => {
                    next = format!("{}{location}", origin(url).ok_or_else(|| self.no_hub(url, &response))?);
                }
                _ => {
                    let commit = commit.ok_or_else(|| self.no_hub(url, &response))?;
                    return Ok(RemoteFile { url: next, commit, expected });
                }
            }
        }
        let message = format!("{} redirects the request for {what} in a loop", self.endpoint);
        Err(Failure { error: network(message), kind: FailureKind::Lasting })
    }

    /// Adds the token. It does not follow a redirection to another host (ureq's default).
    fn authorised<B>(&self, request: ureq::RequestBuilder<B>) -> ureq::RequestBuilder<B> {
        match &self.token {
            Some(token) => request.header("Authorization", format!("Bearer {token}")),
            None => request,
        }
    }

    /// Runs a small request, and repeats it after a passing failure.
    fn repeating<T>(&self, mut request: impl FnMut() -> Result<T, Failure>) -> Result<T> {
        let mut failures = 0;
        loop {
            match request() {
                Err(failure) if failure.kind == FailureKind::Passing && failures < self.patience.retries => {
                    thread::sleep(self.patience.pause * 2u32.saturating_pow(failures));
                    failures += 1;
                }
                result => return result.map_err(|failure| failure.error),
            }
        }
    }

    /// Turns a status other than success into an error, except for a redirection that is not followed.
    fn accept(&self, response: &Response<Body>, what: &str) -> Result<(), Failure> {
        let status = response.status();
        if status.is_success() || status.is_redirection() {
            return Ok(());
        }
        let reason =
            header(response.headers(), "x-error-message").map(|reason| format!(": {reason}")).unwrap_or_default();
        let endpoint = &self.endpoint;
        let (code, message, hint, kind) = match status.as_u16() {
            401 | 403 => (
                ErrorCode::PermissionDenied,
                format!("{endpoint} refused access to {what} ({}{reason})", status.as_u16()),
                match &self.token {
                    Some(_) => "It did not accept HF_TOKEN: check the token, and whether its account may read this repository. \
                                Public models need none: unset HF_TOKEN to try without."
                        .to_owned(),
                    None => "The repository may have become private, have been removed, or ask for its terms to be accepted. With \
                             an account that may read it, set HF_TOKEN; on a mirror, check HF_ENDPOINT."
                        .to_owned(),
                },
                FailureKind::Lasting,
            ),
            404 | 410 => (
                ErrorCode::NotFound,
                format!("{endpoint} has no {what} ({}{reason})", status.as_u16()),
                "It may have been renamed or removed, or HF_ENDPOINT names a mirror without it. Look for a newer version of \
                 CaseTrack, or unset HF_ENDPOINT."
                    .to_owned(),
                FailureKind::Lasting,
            ),
            number => (
                ErrorCode::Network,
                format!("{endpoint} could not deliver {what} ({number}{reason})"),
                "Try again later: the downloaded part is kept.".to_owned(),
                if matches!(number, 408 | 425 | 429) || number >= 500 {
                    FailureKind::Passing
                } else {
                    FailureKind::Lasting
                },
            ),
        };
        Err(Failure { error: Error::new(code, message).with_hint(hint), kind })
    }

    fn unreachable(&self, error: &ureq::Error) -> Failure {
        use std::io::ErrorKind::{ConnectionRefused, HostUnreachable, InvalidData, NetworkUnreachable};
        let kind = match error {
            ureq::Error::HostNotFound | ureq::Error::ConnectionFailed | ureq::Error::ConnectProxyFailed(_) => {
                FailureKind::Unreachable
            }
            ureq::Error::Io(error) => match error.kind() {
                ConnectionRefused | HostUnreachable | NetworkUnreachable => FailureKind::Unreachable,
                // A certificate that is not valid, for one.
                InvalidData => FailureKind::Lasting,
                _ => FailureKind::Passing,
            },
            ureq::Error::Timeout(_) | ureq::Error::Protocol(_) => FailureKind::Passing,
            _ => FailureKind::Lasting,
        };
        let reason = match error {
            ureq::Error::Io(error) => error.to_string(),
            error => error.to_string(),
        };
        Failure { error: network(format!("Could not reach {}: {reason}", self.endpoint)), kind }
    }

    /// An answer that ended early.
    pub fn broken_off(&self, what: &str, error: &dyn std::fmt::Display) -> Failure {
        let message = format!("The download of {what} from {} was interrupted: {error}", self.endpoint);
        Failure { error: network(message), kind: FailureKind::Passing }
    }

    /// Something other than a hub answers: a login page, or whatever is at the hub's address now.
    pub fn no_hub(&self, url: &str, response: &Response<Body>) -> Failure {
        let kind = header(response.headers(), "content-type").unwrap_or("no content type");
        let message = format!("{url} does not answer like a model hub ({}, {kind})", response.status().as_u16());
        let error = Error::new(ErrorCode::Network, message).with_hint(
            "The hub may have moved, or the network may show a login page instead: open the address in a browser. HF_ENDPOINT \
             names another hub to download from.",
        );
        Failure { error, kind: FailureKind::Lasting }
    }
}

fn network(message: String) -> Error {
    Error::new(ErrorCode::Network, message).with_hint(RETRY_HINT)
}

pub fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn origin(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    Some(format!("{}://{}", uri.scheme_str()?, uri.authority()?))
}
