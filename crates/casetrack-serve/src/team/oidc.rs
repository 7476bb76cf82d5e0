//! Access tokens of a provider of OpenID Connect: signed, for this server, and not expired.
//!
//! The provider's keys are fetched for the first token, kept, and fetched again after an hour or for a token with an unknown key, at most a few times
//! a minute.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use casetrack_core::{Error, ErrorCode, Result};
use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation, decode, decode_header};
use serde_json::{Map, Value};
use ureq::Agent;

use super::requests::{agent, is_local};
use super::signatures;
use casetrack_core::settings::OidcSettings;

const DISCOVERY: &str = "/.well-known/openid-configuration";
/// The largest difference between the clocks of the provider and this machine, in seconds.
const LEEWAY: u64 = 60;
/// Keys are fetched again after this time; they are still used as long as that fails, but not for longer than [`MAX_AGE`].
const FRESH: Duration = Duration::from_secs(3600);
const MAX_AGE: Duration = Duration::from_secs(24 * 3600);
/// Shortest time between two fetches.
const PAUSE: Duration = Duration::from_secs(10);
/// Longest time for an answer of the provider.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest answer of the provider, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Longest token, in bytes.
const MAX_TOKEN: usize = 16 << 10;

pub(crate) type Reason = &'static str;

pub(crate) struct TokenSubject {
    /// The user's name with the provider.
    pub called: String,
    /// The time when the token expires.
    pub until: Option<SystemTime>,
}

/// A provider whose tokens this server takes.
pub struct Oidc {
    settings: OidcSettings,
    agent: Agent,
    keys: Mutex<Keys>,
}

#[derive(Default)]
struct Keys {
    known: Arc<Vec<Jwk>>,
    /// The time of the last successful fetch.
    fetched: Option<Instant>,
    /// The time of the last attempt.
    tried: Option<Instant>,
}

impl Oidc {
    /// Fetches nothing yet.
    ///
    /// Errors: an address that is neither of HTTPS nor of this machine.
    pub fn new(settings: OidcSettings) -> Result<Self> {
        check_address(&settings.issuer)?;
        signatures::install();
        let agent = agent(is_local(&settings.issuer), PATIENCE);
        Ok(Self { settings, agent, keys: Mutex::default() })
    }

    /// True if a bearer token may come from the provider, and not from the file of users.
    pub(crate) fn is_meant(token: &str) -> bool {
        token.split('.').count() == 3
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.settings.issuer
    }

    /// Checks a token and returns its subject. May fetch keys, which blocks.
    pub(crate) fn check(&self, token: &str) -> Result<TokenSubject, Reason> {
        if token.len() > MAX_TOKEN {
            return Err("token_too_long");
        }
        // "none" and unknown algorithms cannot be read.
        let header = decode_header(token).map_err(|_| "unreadable_token")?;
        if !signatures::ALLOWED.contains(&header.alg) {
            return Err("algorithm_not_allowed");
        }
        if header.crit.is_some() {
            return Err("unknown_extension");
        }
        let key = self.key(&header)?;
        let claims: Map<String, Value> =
            decode(token, &key, &self.validation(header.alg)).map_err(|error| reason(&error))?.claims;
        // The library ignores values that are not numbers.
        if ["exp", "nbf"].iter().any(|time| claims.get(*time).is_some_and(|value| !value.is_number())) {
            return Err("malformed_claim");
        }
        let called = claims.get(&self.settings.claim).and_then(Value::as_str).filter(|called| !called.is_empty());
        let called = called.ok_or("claim_missing")?;
        // Anyone could claim such an address.
        if self.settings.claim == "email" && claims.get("email_verified") != Some(&Value::Bool(true)) {
            return Err("email_not_verified");
        }
        // A time beyond the range of the clock counts as no time.
        let seconds = claims.get("exp").and_then(Value::as_f64).unwrap_or_default() + LEEWAY as f64;
        let until = Duration::try_from_secs_f64(seconds).ok().and_then(|span| UNIX_EPOCH.checked_add(span));
        Ok(TokenSubject { called: called.to_owned(), until })
    }

    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.leeway = LEEWAY;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.settings.issuer]);
        validation.set_audience(&[&self.settings.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        validation
    }

    fn key(&self, header: &Header) -> Result<DecodingKey, Reason> {
        let known = self.known(false)?;
        let found = match chosen(&known, header) {
            Some(found) => found,
            None => chosen(&self.known(true)?, header).ok_or("unknown_key")?,
        };
        DecodingKey::from_jwk(&found).map_err(|_| "unusable_key")
    }

    /// The keys of the provider; `anew` fetches them again.
    fn known(&self, anew: bool) -> Result<Arc<Vec<Jwk>>, Reason> {
        // Others who need keys wait here for them, and fetch none of their own.
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = |at: Option<Instant>, span| at.is_some_and(|at| at.elapsed() < span);
        if !is_recent(keys.tried, PAUSE) && (anew || !is_recent(keys.fetched, FRESH)) {
            keys.tried = Some(Instant::now());
            match self.fetch() {
                Ok(fetched) => {
                    keys.known = Arc::new(fetched);
                    keys.fetched = Some(Instant::now());
                }
                Err(error) => tracing::warn!(%error, "the keys of the OIDC provider could not be fetched"),
            }
        }
        if is_recent(keys.fetched, MAX_AGE) { Ok(Arc::clone(&keys.known)) } else { Err("no_keys_of_the_provider") }
    }

    fn fetch(&self) -> Result<Vec<Jwk>> {
        let issuer = &self.settings.issuer;
        let described = self.get(&format!("{}{DISCOVERY}", issuer.trim_end_matches('/')))?;
        if described["issuer"] != **issuer {
            let message = format!("The provider {issuer} calls itself {}.", described["issuer"]);
            return Err(Error::new(ErrorCode::Network, message).with_hint("Correct issuer in config.toml."));
        }
        let address = described["jwks_uri"].as_str().unwrap_or_default();
        check_address(address)?;
        let set = self.get(address)?;
        let keys = set["keys"].as_array().into_iter().flatten();
        // Kinds of keys that are not known here are for others.
        Ok(keys.filter_map(|key| serde_json::from_value(key.clone()).ok()).collect())
    }

    fn get(&self, address: &str) -> Result<Value> {
        let failed = |error: &dyn std::fmt::Display| {
            Error::new(ErrorCode::Network, format!("{address} cannot be read: {error}."))
        };
        let mut answer = self.agent.get(address).call().map_err(|error| failed(&error))?;
        let text = answer.body_mut().with_config().limit(MAX_BYTES).read_to_string();
        serde_json::from_str(&text.map_err(|error| failed(&error))?).map_err(|error| failed(&error))
    }
}

/// The key that a header names, or the only fitting one if it names none.
fn chosen(keys: &[Jwk], header: &Header) -> Option<Jwk> {
    let fits = |key: &&Jwk| {
        let common = &key.common;
        let is_for_signatures = common.public_key_use.as_ref().is_none_or(|used| *used == PublicKeyUse::Signature);
        let is_of_algorithm =
            common.key_algorithm.as_ref().is_none_or(|of| of.to_string() == format!("{:?}", header.alg));
        is_for_signatures && is_of_algorithm && (header.kid.is_none() || common.key_id == header.kid)
    };
    let mut fitting = keys.iter().filter(fits);
    let found = fitting.next()?;
    (header.kid.is_some() || fitting.next().is_none()).then(|| found.clone())
}

fn reason(error: &jsonwebtoken::errors::Error) -> Reason {
    use jsonwebtoken::errors::ErrorKind;
    match error.kind() {
        ErrorKind::ExpiredSignature => "expired",
        ErrorKind::ImmatureSignature => "not_yet_valid",
        ErrorKind::InvalidIssuer => "wrong_issuer",
        ErrorKind::InvalidAudience => "wrong_audience",
        ErrorKind::MissingRequiredClaim(_) => "claim_missing",
        ErrorKind::InvalidSignature => "wrong_signature",
        ErrorKind::InvalidAlgorithm => "algorithm_not_allowed",
        _ => "unreadable_token",
    }
}

/// Remote keys are fetched only over HTTPS.
fn check_address(address: &str) -> Result<()> {
    if address.starts_with("https://") || is_local(address) {
        return Ok(());
    }
    Err(Error::invalid(format!("The provider's address \"{address}\" does not begin with https://."))
        .with_hint("Correct issuer below [serve.oidc] in config.toml."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_over_https_or_from_this_machine() {
        for address in ["https://login.example/realm", "http://127.0.0.1:8080", "http://localhost", "http://[::1]/a"] {
            assert!(check_address(address).is_ok(), "{address}");
        }
        for address in
            ["", "http://login.example", "http://localhost.evil.example", "http://127.0.0.1.evil", "file:///a"]
        {
            assert!(check_address(address).is_err(), "{address}");
        }
    }

    #[test]
    fn a_key_is_the_one_that_is_named() {
        let key = |text: &str| -> Jwk { serde_json::from_str(text).unwrap() };
        let rsa =
            |id: &str, more: &str| key(&format!(r#"{{"kty": "RSA", "n": "AQ", "e": "AQAB", "kid": "{id}"{more}}}"#));
        let keys = [rsa("a", ""), rsa("b", r#", "use": "enc""#), rsa("c", r#", "alg": "RS512""#)];
        let header = |kid: Option<&str>| Header { kid: kid.map(str::to_owned), ..Header::new(Algorithm::RS256) };
        let found = |kid| chosen(&keys, &header(kid)).and_then(|key| key.common.key_id);
        assert_eq!(found(Some("a")).as_deref(), Some("a"));
        // Not for signatures, not for this algorithm, not there.
        assert_eq!((found(Some("b")), found(Some("c")), found(Some("d"))), (None, None, None));
        // The only key that fits.
        assert_eq!(found(None).as_deref(), Some("a"));
        assert_eq!(chosen(&[rsa("a", ""), rsa("d", "")], &header(None)), None);
    }
}
