//! Logins: tokens, addresses, TLS, sessions.

use std::io::Read;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::json;

use super::{Member, Team, add, audited, ends};
use crate::client::{PATIENCE, run, run_expecting, run_json};

#[test]
fn only_users_with_their_own_token_get_in() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    run(&home, &["new", "Flat 3"]);
    let (anna, ben) = (add(&home, "anna", &[]), add(&home, "ben", &[]));
    assert!(anna.len() > 40 && anna != ben, "{anna}");
    run(&home, &["users", "allow", "anna", "Flat 3", "reader"]);
    let team = Team::start(&home, &[]);
    assert!(team.said.contains(&format!("http://{}/mcp", team.address)), "{}", team.said);

    let nothing = team.hello(&[]);
    assert_eq!(nothing.status, 401);
    assert!(nothing.head.contains("www-authenticate: bearer realm=\"casetrack\"\r\n"), "{}", nothing.head);
    let wrong = format!("{}x", &anna[..anna.len() - 1]);
    for given in ["", "x", "a.b.c", &wrong, &anna[1..], &format!("{anna} ")] {
        let answer = team.hello(&[("Authorization", &format!("Bearer {given}"))]);
        // Spaces at the end of a header are none of its value.
        let expected = if given.trim_end() == anna { 200 } else { 401 };
        assert_eq!(answer.status, expected, "{given}");
        assert!(expected == 200 || answer.head.contains("error=\"invalid_token\"") || given.is_empty());
    }
    for scheme in ["Basic", "Token", ""] {
        assert_eq!(team.hello(&[("Authorization", &format!("{scheme} {anna}"))]).status, 401, "{scheme}");
    }
    assert_eq!((team.knock(&anna), team.knock(&ben)), (200, 200));
    // Other names and pages are refused for every user.
    let bearer = format!("Bearer {anna}");
    for (name, value) in [("Host", "evil.example"), ("Origin", "https://evil.example"), ("Origin", "null")] {
        assert_eq!(team.hello(&[("Authorization", &bearer), (name, value)]).status, 403, "{value}");
    }
    assert_eq!(team.hello(&[("Authorization", &bearer), ("Origin", "http://localhost:6274")]).status, 200);
    assert_eq!(team.send("GET", "/healthz", &[], b"").body, "ok\n");
    for path in ["/metrics", "/open", "/users.json", "/.well-known/oauth-protected-resource"] {
        assert_eq!(team.send("GET", path, &[("Authorization", &bearer)], b"").status, 404, "{path}");
    }

    // A session belongs only to its user.
    let session = Member::open(&team, &anna);
    assert_eq!(session.collections(), ["Flat 3"]);
    let stolen = Member { team: &team, bearer: format!("Bearer {ben}"), session: session.session.clone() };
    assert_eq!(stolen.post(&crate::web::request("ping", json!({}))).status, 404);
    assert_eq!(session.collections(), ["Flat 3"]);

    // A new token ends what the old one began.
    let renewed = run_json(&home, &["users", "token", "anna"])["token"].as_str().unwrap().to_owned();
    let ping = crate::web::request("ping", json!({}));
    assert_eq!((session.post(&ping).status, team.knock(&anna), team.knock(&renewed)), (401, 401, 200));
    let with_new = Member { team: &team, bearer: format!("Bearer {renewed}"), session: session.session.clone() };
    assert_eq!(with_new.post(&ping).status, 404);
    let again = Member::open(&team, &renewed);
    run(&home, &["users", "remove", "anna"]);
    assert_eq!((again.post(&ping).status, team.knock(&renewed), team.knock(&ben)), (401, 401, 200));

    // Refusals are recorded, and no token is.
    let lines = audited(&home, |line| line["reason"] == "no_token");
    assert!(lines.iter().any(|line| line["event"] == "refused" && line["reason"] == "unknown_token"), "{lines:?}");
    let of_anna = lines.iter().find(|line| line["tool"] == "list_collections").unwrap();
    assert_eq!((of_anna["user"].as_str(), of_anna["outcome"].as_str()), (Some("anna"), Some("ok")));
    let text = std::fs::read_to_string(home.join("audit.jsonl")).unwrap();
    for token in [&anna, &ben, &renewed, &wrong] {
        assert!(!text.contains(&token[10..20]), "{text}");
    }
    team.stop();
}

#[test]
fn a_user_is_changed_at_once_and_sessions_end_where_they_may_do_less() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    run(&home, &["new", "Flat 3"]);
    let (anna, ben) = (add(&home, "anna", &[]), add(&home, "ben", &["--collections"]));
    let set = |args: &[&str]| run_json(&home, &[&["users", "set"], args].concat());
    let team = Team::start(&home, &[]);
    let session = Member::open(&team, &anna);
    let make =
        |member: &Member<'_>, name: &str| member.result("create_collection", json!({"name": name}))["isError"] == true;
    assert!(make(&session, "Notes") && session.collections().is_empty());
    // More: the same session has it.
    let changed = set(&["anna", "--collections", "--oidc", "anna@firm.example"]);
    assert_eq!(
        (&changed["may_create"], &changed["admin"], &changed["oidc"], &changed["has_token"]),
        (&json!(true), &json!(false), &json!("anna@firm.example"), &json!(true))
    );
    // It logs in otherwise, so that this was a new beginning.
    let ping = crate::web::request("ping", json!({}));
    assert_eq!(session.post(&ping).status, 404);
    let session = Member::open(&team, &anna);
    assert!(!make(&session, "Notes"));
    set(&["anna", "--admin"]);
    assert_eq!(session.collections(), ["Flat 3", "Notes"]);
    let of_admin = Member::open(&team, &anna);
    // Less: sessions end, also those that are in the middle of something, and the next has what is left.
    set(&["anna", "--no-collections"]);
    assert_eq!(of_admin.post(&ping).status, 404);
    let of_admin = Member::open(&team, &anna);
    set(&["anna", "--no-admin"]);
    assert_eq!(of_admin.post(&ping).status, 404);
    let session = Member::open(&team, &anna);
    assert_eq!(session.collections(), ["Notes"], "what she made is hers");
    assert!(make(&session, "More"));
    // No other user changed, and impossible changes are refused.
    let bens = Member::open(&team, &ben);
    assert!(!make(&bens, "Ben's"));
    run_expecting(1, &home, &["users", "set", "ben", "--oidc", "anna@firm.example"]);
    run_expecting(1, &home, &["users", "set", "none", "--admin"]);
    run_expecting(2, &home, &["users", "set", "ben"]);
    run_expecting(2, &home, &["users", "set", "ben", "--admin", "--no-admin"]);
    assert_eq!(bens.collections(), ["Ben's"]);
    set(&["anna", "--no-oidc"]);
    run(&home, &["users", "set", "ben", "--oidc", "anna@firm.example"]);
    team.stop();
}

#[test]
fn a_stream_of_a_user_who_is_removed_ends() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let anna = add(&home, "anna", &[]);
    let team = Team::start(&home, &[]);
    let session = Member::open(&team, &anna);
    let stream = session.stream().unwrap();
    run(&home, &["users", "remove", "anna"]);
    ends(stream);
}

#[test]
fn one_user_cannot_take_all_sessions() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let (anna, ben) = (add(&home, "anna", &[]), add(&home, "ben", &[]));
    let team = Team::start(&home, &[]);
    let (first, bens) = (Member::open(&team, &anna), Member::open(&team, &ben));
    // Her new sessions close the oldest of hers, and no one else's.
    let statuses: Vec<u16> = (0..20).map(|_| team.knock(&anna)).collect();
    assert_eq!(statuses, [200; 20]);
    let ping = crate::web::request("ping", json!({}));
    assert_eq!((first.post(&ping).status, bens.post(&ping).status), (404, 200));
    assert_eq!(team.knock(&ben), 200);
}

#[test]
fn what_others_reach_is_encrypted_or_behind_a_proxy() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let refused = run_expecting(1, &home, &["serve", "--listen", "0.0.0.0:0", "--json"]);
    assert!(refused.contains("Others can reach 0.0.0.0") && refused.contains("--behind-proxy"), "{refused}");
    assert!(!home.join("owner/address.json").exists());

    let anna = add(&home, "anna", &[]);
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (certificate, key) = (dir.path().join("cert"), dir.path().join("key"));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let (certificate, key) = (certificate.to_str().unwrap(), key.to_str().unwrap());
    // Files that do not belong together, or are none.
    let other = dir.path().join("other");
    std::fs::write(&other, rcgen::KeyPair::generate().unwrap().serialize_pem()).unwrap();
    assert!(PrivateKeyDer::from_pem_file(&other).is_ok());
    for key in [other.to_str().unwrap(), certificate, "/nowhere"] {
        run_expecting(1, &home, &["serve", "--tls-cert", certificate, "--tls-key", key]);
    }

    let mut team = Team::start(&home, &["--tls-cert", certificate, "--tls-key", key]);
    assert!(team.said.contains("https://"), "{}", team.said);
    // Without TLS, there is no answer.
    let mut plain = crate::web::connect(team.address);
    std::io::Write::write_all(&mut plain, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP/"), "{answer:?}");
    team.authority = Some(CertificateDer::from_pem_file(certificate).unwrap());
    let member = Member::open(&team, &anna);
    assert!(member.collections().is_empty());
    assert_eq!((team.knock(&anna), team.knock("casetrack_x")), (200, 401));

    // A certificate that has changed is taken up.
    let next = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(key, next.signing_key.serialize_pem()).unwrap();
    std::fs::write(certificate, next.cert.pem()).unwrap();
    let fresh = CertificateDer::from_pem_file(certificate).unwrap();
    let started = std::time::Instant::now();
    loop {
        let stream = crate::web::connect(team.address);
        let mut stream = super::encrypted(stream, &fresh);
        if std::io::Write::write_all(&mut stream, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").is_ok() {
            break;
        }
        assert!(started.elapsed() < PATIENCE);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    team.authority = Some(fresh);
    assert_eq!(team.knock(&anna), 200);
}

#[test]
fn other_commands_work_beside_a_server() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let team = Team::start(&home, &[]);
    run(&home, &["new", "Flat 3"]);
    assert_eq!(run_json(&home, &["collections"])[0]["name"], "Flat 3");
    assert_eq!(run_json(&home, &["users"]), json!([]));
    team.stop();
    let again = Team::start(&home, &["--behind-proxy"]);
    assert_eq!(again.send("GET", "/healthz", &[("Host", "casetrack.firm.example")], b"").status, 200);
}
