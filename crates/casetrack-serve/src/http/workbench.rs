//! The workbench: the answers of the listener to a browser that has exchanged a one-time code for a cookie.
//!
//! A request is the user's own if it has the cookie and comes from a page of this listener. The cookie does not suffice: browsers also send it from
//! pages of other servers on this machine, because it ignores ports. So a request that can change something must name this origin, and no request may
//! come from elsewhere (Fetch Metadata). A form on another page fails both checks.

use std::sync::Arc;

use http::header::{COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri};
use hyper::body::{Bytes, Incoming};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use tokio::sync::watch;

use super::answers::{Answer, of_type, page, refusal};
use super::files::Files;
use super::keys::Keys;
use super::parameters::query;
use super::pictures::Pictures;
use super::vaults;
use casetrack_mcp::Session;

const FRAGMENT: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'\\');
/// Longest fragment, in bytes.
const MAX_FRAGMENT: usize = 4096;

/// The path of the page's user.
pub(super) const SESSION: &str = "/session";

const SHUT: &str = "Run <code>casetrack open</code> to open the workbench. Its pages are shown only to the browser which that command \
                    opens, and only until CaseTrack's background process ends.";
const BAD_CODE: &str =
    "This address has been used already, or is older than a minute. Run <code>casetrack open</code> again.";
const MISSING: &str = "This build of CaseTrack has no router end.";

#[derive(Clone)]
pub struct Workbench {
    pub keys: Arc<Keys>,
    pub session: Arc<dyn Fn() -> Session + Send + Sync>,
    pub connections: watch::Sender<usize>,
}

pub(super) struct WorkbenchRoutes {
    workbench: Workbench,
    cookie: String,
    pictures: Pictures,
    files: Files,
}

pub(super) enum Admission {
    Own,
    /// Has no cookie: other credentials may be valid.
    Stranger,
    /// Has the cookie, but comes from elsewhere.
    Foreign,
}

impl WorkbenchRoutes {
    /// `port` is the listener's: browsers keep one set of cookies for all ports of a host, so its name has it.
    pub fn new(workbench: Workbench, port: u16) -> Self {
        Self { workbench, cookie: format!("casetrack-{port}"), pictures: Pictures::default(), files: Files::default() }
    }

    pub fn session(&self) -> Session {
        (self.workbench.session)()
    }

    pub fn connections(&self) -> &watch::Sender<usize> {
        &self.workbench.connections
    }

    /// The origin of a request to this machine.
    pub fn admission(&self, method: &Method, headers: &HeaderMap) -> Admission {
        if !self.shows_cookie(headers) {
            return Admission::Stranger;
        }
        let here = headers.get(HOST).and_then(|host| host.to_str().ok()).map(|host| format!("http://{host}"));
        match comes_from(method, headers, |origin| here.as_deref() == Some(origin)) {
            true => Admission::Own,
            false => Admission::Foreign,
        }
    }

    fn shows_cookie(&self, headers: &HeaderMap) -> bool {
        cookies(headers, &self.cookie).any(|value| self.workbench.keys.admits(value))
    }

    /// Answers all requests outside the protocol.
    pub async fn answer(&self, request: Request<Incoming>) -> Answer {
        let (head, body) = request.into_parts();
        let path = head.uri.path();
        if path == "/open" {
            return match head.method {
                Method::GET => self.open(&head.uri),
                _ => refusal(StatusCode::METHOD_NOT_ALLOWED, "Use GET."),
            };
        }
        match self.admission(&head.method, &head.headers) {
            Admission::Own => {}
            Admission::Stranger => return page(StatusCode::UNAUTHORIZED, SHUT),
            Admission::Foreign => return refusal(StatusCode::FORBIDDEN, "This request comes from another page."),
        }
        match (path, &head.method) {
            (SESSION, &Method::GET) => {
                // The user's own: everything is offered.
                of_type(StatusCode::OK, "application/json", Bytes::from_static(br#"{"is_team":false}"#))
            }
            ("/page", &Method::GET) => self.pictures.answer(self.session(), &head.uri).await,
            ("/upload", &Method::POST) => self.files.upload(self.session(), &head.headers, &head.uri, body).await,
            ("/unlock", &Method::POST) => vaults::unlock(self.session(), &head.headers, &head.uri, body).await,
            ("/lock", &Method::POST) => vaults::lock(self.session(), &head.headers, &head.uri).await,
            (path, &Method::GET) => match path.strip_prefix("/export/") {
                Some(name) => self.files.export(self.session(), name, &head.uri).await,
                None => file(path),
            },
            _ => refusal(StatusCode::METHOD_NOT_ALLOWED, "Use GET."),
        }
    }

    /// Exchanges a code for the cookie and redirects to the requested place in the workbench.
    fn open(&self, uri: &Uri) -> Answer {
        let Some(secret) = query(uri, "code").and_then(|code| self.workbench.keys.exchange(&code)) else {
            return page(StatusCode::FORBIDDEN, BAD_CODE);
        };
        let to = query(uri, "to").filter(|to| to.len() <= MAX_FRAGMENT).unwrap_or_default();
        let place = format!("/#{}", utf8_percent_encode(&to, FRAGMENT));
        let cookie = format!("{}={secret}; HttpOnly; SameSite=Strict; Path=/", self.cookie);
        let mut answer = refusal(StatusCode::SEE_OTHER, "");
        for (name, value) in [(SET_COOKIE, cookie), (LOCATION, place)] {
            let Ok(value) = HeaderValue::try_from(value) else {
                return page(StatusCode::BAD_REQUEST, BAD_CODE);
            };
            answer.headers_mut().insert(name, value);
        }
        answer
    }
}

pub(super) fn cookies<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a str> {
    let shown = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let pairs = shown.flat_map(|value| value.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    pairs.filter(move |(of, _)| *of == name).map(|(_, value)| value)
}

/// True if a request with the cookie comes from a page of this listener, or was typed by the user. `is_own` knows the origins of such
/// pages.
pub(super) fn comes_from(method: &Method, headers: &HeaderMap, is_own: impl Fn(&str) -> bool) -> bool {
    let origin = match headers.get(ORIGIN) {
        Some(origin) => origin.to_str().is_ok_and(is_own),
        // Browsers name it whenever a request is not a plain GET.
        None => matches!(*method, Method::GET | Method::HEAD),
    };
    // Older browsers do not report the origin of a request.
    let site = headers.get("sec-fetch-site").map(|site| site.to_str().unwrap_or_default());
    origin && site.is_none_or(|site| matches!(site, "same-origin" | "none"))
}

pub(super) fn file(path: &str) -> Answer {
    let name = match path.trim_start_matches('/') {
        "" => casetrack_web::INDEX,
        name => name,
    };
    match casetrack_web::asset(name) {
        Some(asset) => of_type(StatusCode::OK, asset.content_type, Bytes::from_static(asset.bytes)),
        None if name == casetrack_web::INDEX => page(StatusCode::NOT_FOUND, MISSING),
        None => refusal(StatusCode::NOT_FOUND, "There is nothing under this address."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn only_pages_of_this_listener_may_ask() {
        let own = ("origin", "http://127.0.0.1:8320");
        let from_here = |method: Method, more: &[(&'static str, &'static str)]| {
            comes_from(&method, &headers(more), |origin| origin == own.1)
        };
        assert!(from_here(Method::GET, &[]));
        assert!(from_here(Method::GET, &[("sec-fetch-site", "none")]));
        assert!(from_here(Method::POST, &[own, ("sec-fetch-site", "same-origin")]));
        assert!(from_here(Method::POST, &[own]));
        // A form of another page, one without an origin, another port, another name of this machine.
        assert!(!from_here(Method::POST, &[]));
        assert!(!from_here(Method::DELETE, &[]));
        for origin in
            ["null", "http://evil.example", "http://127.0.0.1:8321", "http://localhost:8320", "https://127.0.0.1:8320"]
        {
            assert!(!from_here(Method::POST, &[("origin", origin)]), "{origin}");
            assert!(!from_here(Method::GET, &[("origin", origin)]), "{origin}");
        }
        for site in ["cross-site", "same-site"] {
            assert!(!from_here(Method::GET, &[("sec-fetch-site", site)]), "{site}");
            assert!(!from_here(Method::POST, &[own, ("sec-fetch-site", site)]), "{site}");
        }
    }

    #[test]
    fn nothing_but_the_front_end_is_a_file() {
        for path in
            ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/dist/index.html", "/..", "/index.html%00.js"]
        {
            assert_eq!(file(path).status(), StatusCode::NOT_FOUND, "{path}");
        }
    }
}
