//! Access tokens of a provider of OpenID Connect, which is made here.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::hmac;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::{Value, json};

use super::browsers::Browser;
use super::{Member, Team, add, audited, ends};
use crate::client::{PATIENCE, run};

/// A key only for these tests.
const RSA: &[u8] = include_bytes!("rsa-of-tests.der");

enum Key {
    Rsa(RsaKeyPair),
    Ecdsa(EcdsaKeyPair),
}

impl Key {
    fn rsa() -> Self {
        Self::Rsa(RsaKeyPair::from_der(RSA).unwrap())
    }

    fn ecdsa() -> Self {
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        Self::Ecdsa(EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random).unwrap())
    }

    fn public(&self, id: &str) -> Value {
        match self {
            Self::Rsa(pair) => {
                let parts: PublicKeyComponents<Vec<u8>> = PublicKeyComponents::from(pair.public());
                json!({"kty": "RSA", "kid": id, "use": "sig", "alg": "RS256", "n": text(&parts.n), "e": text(&parts.e)})
            }
            Self::Ecdsa(pair) => {
                let point = pair.public_key().as_ref();
                json!({"kty": "EC", "crv": "P-256", "kid": id, "x": text(&point[1..33]), "y": text(&point[33..])})
            }
        }
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::Ecdsa(_) => "ES256",
        }
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).unwrap();
                signature
            }
            Self::Ecdsa(pair) => pair.sign(&random, message).unwrap().as_ref().to_vec(),
        }
    }

    /// A token with this key.
    fn token(&self, id: &str, claims: &Value) -> String {
        let header = json!({"alg": self.algorithm(), "typ": "at+jwt", "kid": id});
        signed(&header, claims, |message| self.sign(message))
    }
}

fn text(bytes: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn signed(header: &Value, claims: &Value, sign: impl Fn(&[u8]) -> Vec<u8>) -> String {
    let message = format!("{}.{}", text(header.to_string().as_bytes()), text(claims.to_string().as_bytes()));
    let signature = sign(message.as_bytes());
    format!("{message}.{}", text(&signature))
}

/// A provider on this machine.
struct Provider {
    issuer: String,
    keys: Arc<Mutex<Vec<Value>>>,
    /// Number of times that the keys were fetched.
    fetched: Arc<AtomicUsize>,
}

impl Provider {
    fn start(keys: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let issuer = format!("http://{}/realm", listener.local_addr().unwrap());
        let (keys, fetched) = (Arc::new(Mutex::new(keys)), Arc::new(AtomicUsize::new(0)));
        let (own, served, counted) = (issuer.clone(), Arc::clone(&keys), Arc::clone(&fetched));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let Some(Ok(first)) = lines.next() else { continue };
                while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
                let body = match first.split(' ').nth(1).unwrap_or_default() {
                    "/realm/.well-known/openid-configuration" => {
                        json!({"issuer": own, "jwks_uri": format!("{own}/keys")})
                    }
                    "/realm/keys" => {
                        counted.fetch_add(1, Ordering::SeqCst);
                        json!({"keys": *served.lock().unwrap()})
                    }
                    path => panic!("{path}"),
                };
                let body = body.to_string();
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
                let _ = write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len());
            }
        });
        Self { issuer, keys, fetched }
    }

    fn settings(&self, claim: &str) -> String {
        format!("[serve.oidc]\nissuer = {:?}\naudience = \"casetrack\"\nclaim = {claim:?}\n", self.issuer)
    }

    /// The claims in a token of a user, valid for another ten minutes.
    fn claims(&self, user: &str) -> Value {
        let now = now();
        json!({"iss": self.issuer, "aud": "casetrack", "sub": user, "iat": now, "nbf": now, "exp": now + 600})
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

fn with(mut claims: Value, name: &str, value: Value) -> Value {
    match value {
        Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
        value => claims[name] = value,
    }
    claims
}

fn home(dir: &Path, settings: &str) -> std::path::PathBuf {
    let home = dir.join("home");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("config.toml"), settings).unwrap();
    home
}

#[test]
fn tokens_of_the_provider_open_for_those_whom_the_server_knows() {
    let dir = tempfile::tempdir().unwrap();
    let (rsa, ecdsa, stranger) = (Key::rsa(), Key::ecdsa(), Key::ecdsa());
    // Keys of other kinds, and a shared secret, are not used.
    let odd = json!({"kty": "odd", "kid": "odd"});
    let secret = json!({"kty": "oct", "kid": "secret", "k": text(b"0123456789abcdef0123456789abcdef")});
    let provider = Provider::start(vec![odd, secret, rsa.public("one"), ecdsa.public("two")]);
    let home = home(dir.path(), &provider.settings("sub"));
    run(&home, &["new", "Flat 3"]);
    assert_eq!(add(&home, "anna", &["--oidc", "248289761001"]), "");
    run(&home, &["users", "allow", "anna", "Flat 3", "reader"]);
    let team = Team::start(&home, &["--public-url", "https://casetrack.firm.example"]);

    // A client finds out where to get a token.
    let nothing = team.hello(&[]);
    let metadata = "https://casetrack.firm.example/.well-known/oauth-protected-resource";
    assert_eq!(nothing.status, 401);
    assert!(nothing.head.contains(&format!("resource_metadata=\"{metadata}\"")), "{}", nothing.head);
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let described: Value = team.send("GET", path, &[], b"").body.parse().unwrap();
        assert_eq!(described["resource"], "https://casetrack.firm.example/mcp");
        assert_eq!(described["authorization_servers"], json!([provider.issuer]));
    }

    let claims = provider.claims("248289761001");
    for (key, id) in [(&rsa, "one"), (&ecdsa, "two")] {
        assert_eq!(Member::open(&team, &key.token(id, &claims)).collections(), ["Flat 3"], "{id}");
    }
    // Several audiences, clocks that differ by less than a minute.
    for claims in [
        with(claims.clone(), "aud", json!(["other", "casetrack"])),
        with(claims.clone(), "exp", json!(now() - 20)),
        with(claims.clone(), "nbf", json!(now() + 20)),
        with(claims.clone(), "nbf", Value::Null),
    ] {
        assert_eq!(team.knock(&rsa.token("one", &claims)), 200, "{claims}");
    }
    let refused = [
        ("expired", with(claims.clone(), "exp", json!(now() - 120))),
        ("not_yet_valid", with(claims.clone(), "nbf", json!(now() + 3600))),
        ("wrong_audience", with(claims.clone(), "aud", json!("another"))),
        ("wrong_audience", with(claims.clone(), "aud", json!(["another"]))),
        ("wrong_issuer", with(claims.clone(), "iss", json!("https://evil.example"))),
        ("claim_missing", with(claims.clone(), "exp", Value::Null)),
        ("claim_missing", with(claims.clone(), "aud", Value::Null)),
        ("claim_missing", with(claims.clone(), "iss", Value::Null)),
        ("claim_missing", with(claims.clone(), "sub", Value::Null)),
    ];
    for (reason, claims) in &refused {
        let answer = team.hello(&[("Authorization", &format!("Bearer {}", rsa.token("one", claims)))]);
        assert_eq!(answer.status, 401, "{reason}: {claims}");
        assert!(answer.head.contains("error=\"invalid_token\""), "{}", answer.head);
        audited(&home, |line| line["reason"] == *reason);
    }
    // A time that is no number is not one that is missing.
    for (name, value) in [("exp", json!("2099")), ("nbf", json!("2099")), ("exp", json!(true))] {
        let token = rsa.token("one", &with(claims.clone(), name, value));
        assert_eq!(team.knock(&token), 401, "{name}");
    }
    // Signatures: none, none at all, with what everybody knows as the secret, of another key, for other claims.
    let public = rsa.public("one");
    let hmac = |secret: &[u8]| {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        move |message: &[u8]| hmac::sign(&key, message).as_ref().to_vec()
    };
    let none = json!({"alg": "none", "kid": "one"});
    let shared = json!({"alg": "HS256", "kid": "one"});
    let of_secret = json!({"alg": "HS256", "kid": "secret"});
    let modulus = BASE64_URL_SAFE_NO_PAD.decode(public["n"].as_str().unwrap()).unwrap();
    let good = rsa.token("one", &claims);
    let parts: Vec<&str> = good.split('.').collect();
    let others = text(with(claims.clone(), "sub", json!("root")).to_string().as_bytes());
    let forged = [
        signed(&none, &claims, |_| Vec::new()),
        signed(&json!({"alg": "NONE", "kid": "one"}), &claims, |_| Vec::new()),
        signed(&none, &claims, |message| rsa.sign(message)),
        signed(&shared, &claims, hmac(&modulus)),
        signed(&shared, &claims, hmac(public["n"].as_str().unwrap().as_bytes())),
        signed(&shared, &claims, hmac(public.to_string().as_bytes())),
        signed(&of_secret, &claims, hmac(b"0123456789abcdef0123456789abcdef")),
        signed(&json!({"alg": "RS256", "kid": "one", "crit": ["b64"]}), &claims, |message| rsa.sign(message)),
        // The algorithm of one key, the name of another.
        signed(&json!({"alg": "RS256", "kid": "two"}), &claims, |message| rsa.sign(message)),
        signed(&json!({"alg": "ES256", "kid": "one"}), &claims, |message| ecdsa.sign(message)),
        stranger.token("two", &claims),
        format!("{}.{others}.{}", parts[0], parts[2]),
        format!("{}.{}.", parts[0], parts[1]),
        format!("{good}A"),
        good.to_uppercase(),
        "..".to_owned(),
    ];
    for token in &forged {
        assert_eq!(team.knock(token), 401, "{token}");
    }
    // Whom the provider knows and the server does not.
    let answer =
        team.hello(&[("Authorization", &format!("Bearer {}", rsa.token("one", &provider.claims("somebody"))))]);
    assert_eq!((answer.status, answer.body.contains("not a user of this server")), (403, true), "{}", answer.body);
    let lines = audited(&home, |line| line["reason"] == "unknown_user");
    assert!(lines.iter().any(|line| line["user"] == "somebody"), "{lines:?}");

    // A key that is not known is asked for, and not each time.
    let before = provider.fetched.load(Ordering::SeqCst);
    let begun = Instant::now();
    (0..50).for_each(|_| assert_eq!(team.knock(&stranger.token("three", &claims)), 401));
    let more = provider.fetched.load(Ordering::SeqCst) - before;
    let most = 2 + begun.elapsed().as_secs() as usize / 10;
    assert!(more <= most, "{more} times in {:?}", begun.elapsed());
    // One that the provider has changed to is found.
    *provider.keys.lock().unwrap() = vec![stranger.public("three")];
    while team.knock(&stranger.token("three", &claims)) != 200 {
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(team.knock(&good), 401, "a key that was withdrawn opens no more");
    run(&home, &["users", "remove", "anna"]);
    assert_eq!(team.knock(&stranger.token("three", &claims)), 403);
    let log = std::fs::read_to_string(home.join("audit.jsonl")).unwrap();
    assert!(!log.contains(parts[1]) && !log.contains(parts[2]), "{log}");
}

#[test]
fn an_address_counts_where_the_provider_has_checked_it() {
    let dir = tempfile::tempdir().unwrap();
    let key = Key::ecdsa();
    let provider = Provider::start(vec![key.public("one")]);
    let home = home(dir.path(), &provider.settings("email"));
    add(&home, "anna", &["--oidc", "anna@firm.example"]);
    let static_token = add(&home, "ben", &[]);
    let team = Team::start(&home, &[]);
    let claims = with(provider.claims("1"), "email", json!("anna@firm.example"));
    let verified = |value: Value| team.knock(&key.token("one", &with(claims.clone(), "email_verified", value)));
    assert_eq!(verified(json!(true)), 200);
    for value in [json!(false), json!("true"), Value::Null] {
        assert_eq!(verified(value.clone()), 401, "{value}");
    }
    // Tokens of the file open as well.
    assert_eq!(team.knock(&static_token), 200);
}

#[test]
fn clients_must_be_told_where_the_server_is() {
    let dir = tempfile::tempdir().unwrap();
    let settings = "[serve.oidc]\nissuer = \"https://login.firm.example\"\naudience = \"casetrack\"\n";
    let home = home(dir.path(), settings);
    let refused = crate::client::run_expecting(1, &home, &["serve", "--behind-proxy", "--json"]);
    assert!(refused.contains("--public-url"), "{refused}");
    std::fs::write(home.join("config.toml"), settings.replace("https", "http")).unwrap();
    let refused = crate::client::run_expecting(1, &home, &["serve", "--json"]);
    assert!(refused.contains("does not begin with https://"), "{refused}");
}

#[test]
fn a_login_in_a_browser_lasts_no_longer_than_its_token() {
    let dir = tempfile::tempdir().unwrap();
    let rsa = Key::rsa();
    let provider = Provider::start(vec![rsa.public("one")]);
    let home = home(dir.path(), &provider.settings("sub"));
    add(&home, "anna", &["--oidc", "anna"]);
    let team = Team::start(&home, &[]);
    let told: Value = team.send("GET", "/session", &[], b"").body.parse().unwrap();
    assert_eq!(told["issuer"], provider.issuer);
    let refusal = |token: &str| {
        let answer = Browser::log_in(&team, token).err().unwrap();
        answer.body.parse::<Value>().unwrap()["code"].as_str().unwrap().to_owned()
    };
    let claims = provider.claims("anna");
    assert_eq!(refusal(&rsa.token("one", &with(claims.clone(), "exp", json!(now() - 120)))), "expired");
    assert_eq!(refusal(&rsa.token("one", &provider.claims("nobody"))), "unknown_user");
    // Clocks may differ by a minute, so each is good for some seconds yet; on a slow machine more are needed.
    let expiring = [5, 15, 45].into_iter().find_map(|seconds| {
        let token = rsa.token("one", &with(claims.clone(), "exp", json!(now() - 60 + seconds)));
        let (program, browser) = (Member::try_open(&team, &token).ok()?, Browser::log_in(&team, &token).ok()?);
        let streams = [program.stream()?, browser.stream()?];
        Some((browser, streams))
    });
    let (expiring, streams) = expiring.unwrap();
    let lasting = Browser::log_in(&team, &rsa.token("one", &claims)).unwrap_or_else(|_| panic!("refused"));
    let started = Instant::now();
    while expiring.get("/export/sheet.csv?collection=x").status != 401 {
        assert!(started.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(100));
    }
    streams.into_iter().for_each(ends);
    assert_eq!(lasting.get("/export/sheet.csv?collection=x").status, 404);
}
