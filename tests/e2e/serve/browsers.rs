//! The workbench for users of a server: the login, what its cookie opens, and for whose pages.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Team, add, audited, ends};
use crate::client::{run, run_json, samples, write_files};
use crate::web::{self, Answer};

/// A browser with a page of the workbench.
pub(super) struct Browser<'t> {
    team: &'t Team,
    origin: String,
    pub cookie: String,
}

/// A login by a page of this origin.
fn log_in(team: &Team, origin: &str, token: &str, more: &[(&str, &str)]) -> Answer {
    let headers = [&[("Origin", origin), ("Sec-Fetch-Site", "same-origin")], more].concat();
    team.send("POST", "/session", &headers, token.as_bytes())
}

fn cookie(answer: &Answer) -> Option<String> {
    // The head is in small letters, and the secret is not.
    let line = answer.raw_head.lines().find_map(|line| line.strip_prefix("set-cookie: "))?;
    line.split(';').next().map(str::to_owned)
}

impl<'t> Browser<'t> {
    pub fn log_in(team: &'t Team, token: &str) -> Result<Self, Answer> {
        let origin = format!("http://{}", team.address);
        let answer = log_in(team, &origin, token, &[]);
        match (answer.status, cookie(&answer)) {
            (200, Some(cookie)) => Ok(Self { team, origin, cookie }),
            _ => Err(answer),
        }
    }

    fn open(team: &'t Team, token: &str) -> Self {
        Self::log_in(team, token).unwrap_or_else(|answer| panic!("{}", answer.body))
    }

    pub fn send(&self, method: &str, path: &str, more: &[(&str, &str)], body: &[u8]) -> Answer {
        let usual = [("Cookie", self.cookie.as_str()), ("Origin", &self.origin), ("Sec-Fetch-Site", "same-origin")];
        self.team.send(method, path, &[&usual, more].concat(), body)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    /// The page's information about its user.
    fn told(&self) -> Value {
        self.get("/session").body.parse().unwrap()
    }

    fn hello(&self) -> Answer {
        self.send("POST", "/mcp", &[], &web::hello())
    }

    /// A new session, unless the login has ended.
    fn session(&self) -> Option<String> {
        self.hello().session()
    }

    /// The stream of notifications of a new session, unless the login has ended.
    pub fn stream(&self) -> Option<TcpStream> {
        let headers = [("Cookie", self.cookie.as_str()), ("Origin", &self.origin), ("Sec-Fetch-Site", "same-origin")];
        self.team.stream(&self.session()?, &headers)
    }

    /// The result of a request in a session of its own.
    fn ask(&self, method: &str, params: Value) -> Value {
        let session = self.session().unwrap();
        let session = [("Mcp-Session-Id", session.as_str())];
        self.send("POST", "/mcp", &session, web::INITIALIZED);
        self.send("POST", "/mcp", &session, &web::request(method, params)).message()["result"].clone()
    }

    /// Calls a tool in a session whose active collection is "Flat 3", if the user may read it.
    fn call(&self, tool: &str, arguments: Value) -> Value {
        let session = self.session().unwrap();
        let session = [("Mcp-Session-Id", session.as_str())];
        self.send("POST", "/mcp", &session, web::INITIALIZED);
        self.send("POST", "/mcp", &session, &web::call("switch_collection", json!({"collection_name": "Flat 3"})));
        self.send("POST", "/mcp", &session, &web::call(tool, arguments)).message()["result"].clone()
    }

    fn is_in(&self) -> bool {
        let opens = [self.get("/export/evidence.csv?collection=x").status != 401, self.hello().status != 401];
        let told = !self.told()["user"].is_null();
        assert_eq!(opens, [told, told]);
        told
    }
}

const AGREEMENT: &str = "Refurbishment_Works_Agreement.pdf";

/// A home with two collections that have the same document, whose file only an administrator may name.
fn home(dir: &Path) -> std::path::PathBuf {
    let home = dir.join("home");
    let agreement = dir.join(AGREEMENT);
    std::fs::copy(samples().join("harbour-point/contract").join(AGREEMENT), &agreement).unwrap();
    for name in ["Flat 3", "Harbour"] {
        run(&home, &["new", name]);
        run(&home, &["ingest", agreement.to_str().unwrap(), "-c", name]);
    }
    home
}

#[test]
fn a_cookie_opens_what_the_token_would_and_nothing_more() {
    let dir = tempfile::tempdir().unwrap();
    let home = home(dir.path());
    let (anna, ben) = (add(&home, "anna", &[]), add(&home, "ben", &["--collections"]));
    run(&home, &["users", "allow", "anna", "Flat 3", "reader"]);
    run(&home, &["users", "allow", "ben", "Flat 3", "editor"]);
    let team = Team::start(&home, &[]);

    // The page itself is for everybody, and holds nothing; it loads nothing from elsewhere.
    for (path, kind) in [("/", "text/html"), ("/app.js", "text/javascript"), ("/app.css", "text/css")] {
        let page = team.send("GET", path, &[], b"");
        assert_eq!(page.status, 200, "{path}");
        assert!(page.head.contains(&format!("content-type: {kind}")), "{}", page.head);
        for guard in ["content-security-policy: default-src 'none'", "x-frame-options: deny", "cache-control: no-store"]
        {
            assert!(page.head.contains(guard), "{}", page.head);
        }
    }
    let told: Value = team.send("GET", "/session", &[], b"").body.parse().unwrap();
    assert_eq!(told, json!({"is_team": true, "user": null, "issuer": null}));
    for path in ["/page?collection=Flat%203&document=x&page=1", "/export/sheet.csv?collection=Flat%203", "/mcp"] {
        assert_eq!(team.send("GET", path, &[], b"").status, 401, "{path}");
    }

    let reader = Browser::open(&team, &anna);
    // Spaces around what was pasted do not matter.
    let editor = Browser::open(&team, &format!(" {ben}\n"));
    let listed = run_json(&home, &["collections"]);
    let id = listed.as_array().unwrap().iter().find(|of| of["name"] == "Flat 3").unwrap()["id"].clone();
    let of = |role: &str| json!([{"id": id, "name": "Flat 3", "role": role}]);
    assert_eq!(
        reader.told(),
        json!({"is_team": true, "user": "anna", "may_create": false, "has_disk": false, "read_only": false, "collections": of("reader")})
    );
    let told = editor.told();
    assert_eq!((&told["may_create"], &told["collections"]), (&json!(true), &of("editor")));

    // Everything that the workbench needs is listed, and nothing of the server's disk.
    let listed = reader.ask("tools/list", json!({}));
    let listed: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(listed.contains(&"read_page") && listed.contains(&"list_evidence"), "{listed:?}");
    assert!(!listed.contains(&"list_paths") && !listed.contains(&"create_collection"), "{listed:?}");
    let document = AGREEMENT;
    let page = format!("/page?collection=Flat%203&document={document}&page=1");
    let picture = reader.get(&page);
    assert_eq!(picture.status, 200, "{}", picture.body);
    assert!(picture.head.contains("content-type: image/png"), "{}", picture.head);
    assert_eq!(reader.get("/export/sheet.csv?collection=Flat%203").status, 200);

    // Of a collection without a role there is nothing, in the words of one that is not there: also if its file has been drawn.
    for path in
        [format!("/page?collection=NAME&document={document}&page=1"), "/export/sheet.csv?collection=NAME".to_owned()]
    {
        let (hidden, missing) =
            (reader.get(&path.replace("NAME", "Harbour")), reader.get(&path.replace("NAME", "Harbxyz")));
        assert_eq!((hidden.status, missing.status), (404, 404), "{path}");
        assert_eq!(hidden.body.replace("Harbour", "?"), missing.body.replace("Harbxyz", "?"), "{path}");
    }
    // A file that is no longer what was ingested is not shown to those who may not have it read.
    let others = samples().join("harbour-point/correspondence/2025-09-02_Notice_of_Delay.pdf");
    std::fs::copy(others, dir.path().join(AGREEMENT)).unwrap();
    let changed = reader.get(&format!("{page}&width=240"));
    assert_eq!(changed.status, 400, "{}", changed.body);
    assert!(changed.body.contains("has changed since"), "{}", changed.body);
    let switched =
        |name: &str| reader.call("switch_collection", json!({"collection_name": name}))["content"].to_string();
    assert_eq!(switched("Harbour").replace("Harbour", "?"), switched("Harbxyz").replace("Harbxyz", "?"));

    // A change needs the role, and a header that no form can send.
    let evidence = json!({"document": document, "page": 4, "quote": "simple interest"});
    let refused = reader.call("add_evidence", evidence.clone());
    assert!(refused.to_string().contains("needs the role \\\"editor\\\""), "{refused}");
    assert_ne!(editor.call("add_evidence", evidence)["isError"], json!(true));
    let upload = |browser: &Browser<'_>, own: &[(&str, &str)]| {
        let headers = [&[("X-File-Path", "note.txt")], own].concat();
        browser.send("POST", "/upload?collection=Flat%203", &headers, b"A note.").status
    };
    let own = [("X-CaseTrack", "1")];
    assert_eq!((upload(&reader, &own), upload(&editor, &[]), upload(&editor, &own)), (403, 403, 200));
    let denied = editor.call("list_paths", json!({"prefix": "/"}));
    assert!(denied.to_string().contains("you may not do on this server"), "{denied}");
    // Neither vaults nor other doors of the person at the machine.
    for path in ["/unlock?collection=a", "/lock?collection=a", "/open?code=a"] {
        assert!(matches!(editor.send("POST", path, &own, b"").status, 404 | 405), "{path}");
    }
    audited(&home, |line| line["user"] == "ben" && line["tool"] == "add_evidence" && line["outcome"] == "ok");
}

#[test]
fn a_cookie_counts_for_pages_of_this_server_alone() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let anna = add(&home, "anna", &[]);
    let team = Team::start(&home, &[]);
    let own = format!("http://{}", team.address);
    let elsewhere = [
        "http://evil.example".to_owned(),
        "null".to_owned(),
        format!("https://{}", team.address),
        // A page of another program on this machine may use a token, and no cookie.
        "http://localhost:6274".to_owned(),
        format!("http://127.0.0.1:{}", team.address.port().wrapping_add(1)),
    ];
    for origin in &elsewhere {
        let answer = log_in(&team, origin, &anna, &[]);
        assert!(answer.status == 403 && cookie(&answer).is_none(), "{origin}");
    }
    assert_eq!(team.send("POST", "/session", &[], anna.as_bytes()).status, 403);

    let browser = Browser::open(&team, &anna);
    assert!(browser.is_in());
    let with = |method: &str, path: &str, headers: &[(&str, &str)]| {
        team.send(method, path, &[&[("Cookie", browser.cookie.as_str())], headers].concat(), b"{}").status
    };
    for path in ["/mcp", "/page", "/export/sheet.csv", "/session"] {
        for origin in &elsewhere {
            assert_eq!(with("GET", path, &[("Origin", origin)]), 403, "{path} {origin}");
        }
        for site in ["cross-site", "same-site"] {
            assert_eq!(with("GET", path, &[("Sec-Fetch-Site", site)]), 403, "{path} {site}");
        }
    }
    for (method, path) in [("POST", "/mcp"), ("DELETE", "/mcp"), ("POST", "/upload"), ("DELETE", "/session")] {
        for headers in
            [&[][..], &[("Origin", elsewhere[0].as_str())], &[("Origin", &own), ("Sec-Fetch-Site", "same-site")]]
        {
            assert_eq!(with(method, path, headers), 403, "{method} {path} {headers:?}");
        }
    }
    assert!(browser.is_in());
    // Not as a token, and no token as a cookie.
    let (name, secret) = browser.cookie.split_once('=').unwrap();
    assert_eq!(team.knock(secret), 401);
    for forged in
        [format!("{name}={anna}"), format!("{name}="), format!("{name}={}", &secret[1..]), format!("x={secret}")]
    {
        assert_eq!(team.send("GET", "/mcp", &[("Cookie", &forged)], b"").status, 401, "{forged}");
    }
    audited(&home, |line| line["reason"] == "another_page");
}

#[test]
fn a_login_ends_with_signing_out_and_with_the_token() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let (anna, ben) = (add(&home, "anna", &[]), add(&home, "ben", &[]));
    let team = Team::start(&home, &[]);
    let (first, second, of_ben) =
        (Browser::open(&team, &anna), Browser::open(&team, &anna), Browser::open(&team, &ben));
    assert!(first.cookie != second.cookie && first.is_in() && second.is_in());
    let streams = [&first, &second, &of_ben].map(|browser| browser.stream().unwrap());
    let out = first.send("DELETE", "/session", &[], b"");
    assert!(out.status == 200 && out.head.contains("; max-age=0"), "{}", out.head);
    assert_eq!((first.is_in(), second.is_in()), (false, true));
    // A login in the same browser replaces the one before.
    let again = log_in(&team, &second.origin, &anna, &[("Cookie", &second.cookie)]);
    assert_eq!((again.status, second.is_in()), (200, false));
    // Their streams of changes end as well, and no others.
    let [of_first, of_second, mut goes_on] = streams;
    ends(of_first);
    ends(of_second);
    goes_on.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let read = goes_on.read_to_end(&mut Vec::new());
    assert!(read.is_err_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)));

    let third = Browser::open(&team, &anna);
    let renewed = run_json(&home, &["users", "token", "anna"])["token"].as_str().unwrap().to_owned();
    assert_eq!((third.is_in(), of_ben.is_in()), (false, true));
    assert_eq!(Browser::log_in(&team, &anna).err().unwrap().status, 403);
    let fourth = Browser::open(&team, &renewed);
    run(&home, &["users", "remove", "anna"]);
    assert_eq!((fourth.is_in(), of_ben.is_in()), (false, true));
    let lines = audited(&home, |line| line["reason"] == "login_ended");
    assert!(lines.iter().any(|line| line["reason"] == "unknown_token"), "{lines:?}");
    let text = std::fs::read_to_string(home.join("audit.jsonl")).unwrap();
    for secret in [&first.cookie, &third.cookie, &anna, &renewed] {
        assert!(!text.contains(&secret[secret.len() - 20..]), "{text}");
    }
    // It is only in memory.
    let cookie = of_ben.cookie;
    team.stop();
    let team = Team::start(&home, &[]);
    let told = team.send("GET", "/session", &[("Cookie", &cookie)], b"");
    assert!(told.body.contains("\"user\":null"), "{}", told.body);
}

#[test]
fn logins_that_fail_are_bounded() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let anna = add(&home, "anna", &[]);
    let team = Team::start(&home, &["--behind-proxy", "--public-url", "https://casetrack.firm.example"]);
    let from = |address: &str, token: &str| {
        let proxied = [("Host", "casetrack.firm.example"), ("X-Forwarded-For", address)];
        log_in(&team, "https://casetrack.firm.example", token, &proxied)
    };
    let wrong = from("192.0.2.7", "casetrack_x");
    let said: Value = wrong.body.parse().unwrap();
    assert_eq!((wrong.status, &said["code"]), (403, &json!("unknown_token")));
    assert!(said["error"].as_str().unwrap().starts_with("This server does not know this token."), "{said}");
    assert_eq!(from("192.0.2.7", "  ").body.parse::<Value>().unwrap()["code"], "no_token");
    assert_eq!(from("192.0.2.7", &"x".repeat(20_000)).body.parse::<Value>().unwrap()["code"], "no_token");
    // A good one clears the failures before it.
    assert_eq!(from("192.0.2.7", &anna).status, 200);
    // The minute may end meanwhile on a slow machine, and a new one begins with the next of them.
    let limited = (0..200).map(|_| from("192.0.2.7", "casetrack_x")).find(|answer| answer.status == 429).unwrap();
    assert!(limited.head.contains("retry-after: "), "{}", limited.head);
    assert!(limited.body.contains("Too many logins from your address failed."), "{}", limited.body);
    // Others are not kept out.
    let good = from("192.0.2.8", &anna);
    assert_eq!(good.status, 200);
    let set = good.head.lines().find(|line| line.starts_with("set-cookie: ")).unwrap();
    assert!(set.starts_with("set-cookie: __host-casetrack-"), "{set}");
    assert!(set.ends_with("; httponly; samesite=strict; path=/; secure"), "{set}");
    let lines = audited(&home, |line| line["reason"] == "too_many_logins");
    assert!(lines.iter().any(|line| line["address"] == "192.0.2.7" && line["reason"] == "unknown_token"), "{lines:?}");
}

#[test]
fn behind_a_proxy_without_a_name_the_page_is_known_by_the_host_it_asks() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let anna = add(&home, "anna", &[]);
    let team = Team::start(&home, &["--behind-proxy"]);
    let from = |origin: &str| log_in(&team, origin, &anna, &[("Host", "casetrack.firm.example")]).status;
    assert_eq!(from("https://casetrack.firm.example"), 200);
    for origin in ["http://casetrack.firm.example", "https://evil.example", "https://casetrack.firm.example:444"] {
        assert_eq!(from(origin), 403, "{origin}");
    }
}

#[test]
fn a_server_that_is_read_only_is_so_for_browsers() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let anna = add(&home, "anna", &[]);
    run(&home, &["new", "Flat 3"]);
    write_files(dir.path(), &[("lease.txt", "The deposit is due on 1 March 2024.")]);
    run(&home, &["ingest", dir.path().join("lease.txt").to_str().unwrap(), "-c", "Flat 3"]);
    run(&home, &["users", "allow", "anna", "Flat 3", "owner"]);
    let team = Team::start(&home, &["--read-only"]);
    let browser = Browser::open(&team, &anna);
    assert_eq!(browser.told()["read_only"], true);
    let evidence = json!({"document": "lease.txt", "page": 1, "quote": "The deposit"});
    let refused = browser.call("add_evidence", evidence);
    assert!(refused.to_string().contains("this session is read-only"), "{refused}");
    let headers = [("X-CaseTrack", "1"), ("X-File-Path", "note.txt")];
    assert_eq!(browser.send("POST", "/upload?collection=Flat%203", &headers, b"A note.").status, 403);
    assert_eq!(browser.get("/export/sheet.csv?collection=Flat%203").status, 200);
}
