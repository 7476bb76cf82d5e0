//! Browsers in which users of a server are signed in. Each has a random secret in a cookie; the server keeps its digest, only in memory.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use casetrack_core::{Error, Result};
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue, StatusCode};
use ring::digest::{SHA256, SHA256_OUTPUT_LEN, digest};
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::json;
use tokio::sync::watch;

use super::answers::{Answer, of_type};
use super::workbench::cookies;
use crate::team::{User, Users};

pub(super) const STRANGER: &str = "You are not a user of this server. Ask its administrator.";

/// The longest time without a request.
const IDLE: Duration = Duration::from_secs(8 * 3600);
/// The longest duration of a login.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);
/// Most browsers of one user. The one that was idle longest is signed out first.
const MOST: usize = 16;
/// Random bytes of a secret.
const SECRET_BYTES: usize = 32;

type Digest = [u8; SHA256_OUTPUT_LEN];

pub(super) struct Browsers {
    cookie: String,
    attributes: &'static str,
    known: Mutex<HashMap<Digest, Browser>>,
}

struct Browser {
    /// The user at the login: another token ends it.
    user: User,
    /// The time when the token of the login expires, if it does.
    until: Option<SystemTime>,
    since: Instant,
    used: Instant,
    /// Streams that the browser opened end with it.
    login: watch::Sender<()>,
}

impl Browser {
    fn is_over(&self, now: Instant, clock: SystemTime) -> bool {
        now.saturating_duration_since(self.used) >= IDLE
            || now.saturating_duration_since(self.since) >= LONGEST
            || self.until.is_some_and(|until| until <= clock)
    }
}

/// True if a user still has the token and the provider's name of their login.
pub(super) fn is_same(known: &User, now: &User) -> bool {
    (&known.name, &known.token_sha256, &known.oidc) == (&now.name, &now.token_sha256, &now.oidc)
}

impl Browsers {
    /// `port` is the listener's: browsers keep one set of cookies for all ports of a host, so the name of the cookie has it.
    pub fn new(port: u16, is_encrypted: bool) -> Self {
        let (cookie, attributes) = match is_encrypted {
            // The beginning of the name keeps pages of neighbouring names from setting one.
            true => (format!("__Host-casetrack-{port}"), "HttpOnly; SameSite=Strict; Path=/; Secure"),
            false => (format!("casetrack-team-{port}"), "HttpOnly; SameSite=Strict; Path=/"),
        };
        Self { cookie, attributes, known: Mutex::default() }
    }

    /// Logs a browser in: its answer sets the cookie. `until` is the expiry of the token that it sent.
    ///
    /// Errors: the system gives no random bytes.
    pub fn open(&self, answer: &mut Answer, user: User, until: Option<SystemTime>) -> Result<()> {
        let mut bytes = [0; SECRET_BYTES];
        let filled = SystemRandom::new().fill(&mut bytes);
        filled.map_err(|_| Error::internal("The system gives no random bytes."))?;
        let secret = BASE64_URL_SAFE_NO_PAD.encode(bytes);
        self.remember(&secret, user, until, Instant::now());
        self.set(answer, &secret, "")
    }

    fn remember(&self, secret: &str, user: User, until: Option<SystemTime>, now: Instant) {
        let mut known = self.known();
        let of_user = known.iter().filter(|(_, browser)| browser.user.name == user.name);
        if of_user.clone().count() >= MOST
            && let Some(oldest) = of_user.min_by_key(|(_, browser)| browser.used).map(|(digest, _)| *digest)
        {
            known.remove(&oldest);
        }
        known.insert(hashed(secret), Browser { user, until, since: now, used: now, login: watch::Sender::new(()) });
    }

    fn set(&self, answer: &mut Answer, secret: &str, more: &str) -> Result<()> {
        let cookie = format!("{}={secret}; {}{more}", self.cookie, self.attributes);
        let cookie = HeaderValue::try_from(cookie).map_err(|error| Error::internal(error.to_string()))?;
        answer.headers_mut().insert(SET_COOKIE, cookie);
        Ok(())
    }

    /// True if a request has a cookie of this server, valid or not.
    pub fn is_shown(&self, headers: &HeaderMap) -> bool {
        cookies(headers, &self.cookie).next().is_some()
    }

    /// The signed-in user of a request, in their present state, and a signal for the end of the login.
    pub fn user(&self, headers: &HeaderMap, users: &Users) -> Option<(User, watch::Receiver<()>)> {
        let shown = cookies(headers, &self.cookie);
        shown.into_iter().find_map(|secret| self.user_at(secret, users, Instant::now(), SystemTime::now()))
    }

    fn user_at(
        &self,
        secret: &str,
        users: &Users,
        now: Instant,
        clock: SystemTime,
    ) -> Option<(User, watch::Receiver<()>)> {
        let digest = hashed(secret);
        let mut known = self.known();
        let browser = known.get_mut(&digest)?;
        let user = users.find(&browser.user.name).filter(|user| is_same(&browser.user, user));
        if user.is_none() || browser.is_over(now, clock) {
            known.remove(&digest);
            return None;
        }
        browser.used = now;
        Some((user?, browser.login.subscribe()))
    }

    /// Logs out the browser of a request, and deletes its cookie.
    pub fn close(&self, headers: &HeaderMap, answer: &mut Answer) -> Result<()> {
        self.forget(headers);
        self.set(answer, "", "; Max-Age=0")
    }

    /// Logs out the browser of a request.
    pub fn forget(&self, headers: &HeaderMap) {
        let mut known = self.known();
        for secret in cookies(headers, &self.cookie) {
            known.remove(&hashed(secret));
        }
    }

    /// Removes expired logins. If the users cannot be read, no one stays signed in.
    pub fn tidy(&self, users: &Users) {
        let (now, clock) = (Instant::now(), SystemTime::now());
        let users = users.all().unwrap_or_default();
        let is_user = |known: &User| users.iter().any(|user| is_same(known, user));
        self.known().retain(|_, browser| !browser.is_over(now, clock) && is_user(&browser.user));
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Digest, Browser>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hashed(secret: &str) -> Digest {
    let mut bytes = [0; SHA256_OUTPUT_LEN];
    bytes.copy_from_slice(digest(&SHA256, secret.as_bytes()).as_ref());
    bytes
}

/// The message to a refused login.
pub(super) fn why(reason: &str) -> &'static str {
    match reason {
        "no_token" => "Paste your token.",
        "unknown_token" => {
            "This server does not know this token. Check that you pasted all of it. Only the newest token works."
        }
        "unknown_user" => STRANGER,
        "expired" => "This access token has expired. Get a new one from your provider.",
        "no_keys_of_the_provider" => {
            "The server cannot reach the provider of this access token. Try again in a minute, or ask the administrator."
        }
        _ => "This access token is not for this server. Ask the administrator which provider it accepts.",
    }
}

pub(super) fn no_login(status: StatusCode, reason: &str, message: &str) -> Answer {
    of_type(status, "application/json", json!({"error": message, "code": reason}).to_string().into())
}

#[cfg(test)]
mod tests {
    use http::header::COOKIE;

    use super::super::answers::refusal;
    use super::*;

    fn users(dir: &tempfile::TempDir, names: &[&str]) -> Users {
        let users = Users::new(dir.path());
        let add = |users: &mut Vec<User>| {
            for name in names {
                let mut user = User::new(name)?;
                user.new_token()?;
                users.push(user);
            }
            Ok(())
        };
        users.change(add).unwrap();
        users
    }

    fn later(seconds: u64) -> (Instant, SystemTime) {
        (Instant::now() + Duration::from_secs(seconds), SystemTime::now() + Duration::from_secs(seconds))
    }

    #[test]
    fn a_login_ends_when_it_is_idle_or_old_or_its_token_expires() {
        let dir = tempfile::tempdir().unwrap();
        let users = users(&dir, &["anna"]);
        let anna = users.find("anna").unwrap();
        let browsers = Browsers::new(8310, false);
        let open = |secret: &str, until| browsers.remember(secret, anna.clone(), until, Instant::now());
        let admits = |secret: &str, (now, clock)| browsers.user_at(secret, &users, now, clock).is_some();
        open("a", None);
        assert!(admits("a", later(0)) && !admits("b", later(0)) && !admits("", later(0)));
        // Each request restarts the time, until the longest time is over.
        for hours in (7..7 * 24).step_by(7) {
            assert!(admits("a", later(hours * 3600)), "{hours}");
        }
        assert!(!admits("a", later(7 * 24 * 3600)));
        assert!(!admits("a", later(0)));
        open("b", None);
        assert!(!admits("b", later(8 * 3600)));
        open("c", Some(SystemTime::now() + Duration::from_secs(600)));
        assert!(admits("c", later(590)) && !admits("c", later(601)));
    }

    #[test]
    fn a_login_ends_with_the_token_and_the_user() {
        let dir = tempfile::tempdir().unwrap();
        let users = users(&dir, &["anna", "ben"]);
        let browsers = Browsers::new(8310, false);
        for name in ["anna", "ben"] {
            browsers.remember(name, users.find(name).unwrap(), None, Instant::now());
        }
        let name = |secret: &str| {
            let (now, clock) = later(0);
            browsers.user_at(secret, &users, now, clock).map(|(user, _)| user.name)
        };
        assert_eq!((name("anna").as_deref(), name("ben").as_deref()), (Some("anna"), Some("ben")));
        users.change(|users| users[0].new_token()).unwrap();
        assert_eq!((name("anna"), name("ben").as_deref()), (None, Some("ben")));
        users.change(|users| Ok(users.remove(1))).unwrap();
        browsers.tidy(&users);
        assert!(browsers.known().is_empty());
    }

    #[test]
    fn a_user_has_a_bounded_number_of_browsers() {
        let dir = tempfile::tempdir().unwrap();
        let users = users(&dir, &["anna", "ben"]);
        let browsers = Browsers::new(8310, false);
        let now = Instant::now();
        browsers.remember("of ben", users.find("ben").unwrap(), None, now);
        for number in 0..=MOST as u64 {
            let at = now + Duration::from_secs(number);
            browsers.remember(&number.to_string(), users.find("anna").unwrap(), None, at);
        }
        let (now, clock) = later(60);
        let admits = |secret: &str| browsers.user_at(secret, &users, now, clock).is_some();
        assert!(!admits("0") && admits("1") && admits("16") && admits("of ben"));
    }

    #[test]
    fn the_cookie_is_the_browsers_alone_and_signing_out_ends_it() {
        let dir = tempfile::tempdir().unwrap();
        let users = users(&dir, &["anna"]);
        for (is_encrypted, start) in [(false, "casetrack-team-8310="), (true, "__Host-casetrack-8310=")] {
            let browsers = Browsers::new(8310, is_encrypted);
            let mut answer = refusal(StatusCode::OK, "");
            browsers.open(&mut answer, users.find("anna").unwrap(), None).unwrap();
            let cookie = answer.headers()[SET_COOKIE].to_str().unwrap();
            assert!(cookie.starts_with(start) && cookie.contains("; HttpOnly; SameSite=Strict; Path=/"), "{cookie}");
            assert_eq!(cookie.ends_with("; Secure"), is_encrypted, "{cookie}");
            let (pair, _) = cookie.split_once(';').unwrap();
            let headers = HeaderMap::from_iter([(COOKIE, HeaderValue::from_str(&format!("a=b; {pair}")).unwrap())]);
            assert_eq!(browsers.user(&headers, &users).unwrap().0.name, "anna");
            let secret = pair.split_once('=').unwrap().1;
            assert!(!browsers.known().contains_key(secret.as_bytes()) && secret.len() == 43);
            browsers.close(&headers, &mut answer).unwrap();
            assert!(answer.headers()[SET_COOKIE].to_str().unwrap().ends_with("; Max-Age=0"));
            assert!(browsers.user(&headers, &users).is_none() && browsers.is_shown(&headers));
        }
    }
}
