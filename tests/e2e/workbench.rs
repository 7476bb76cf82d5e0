//! The workbench: who is served, what is refused, uploads and exports, over the real program.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, UNTIL_DONE, in_place, run, run_expecting, run_json, samples};
use crate::vault::{NAME, PASSPHRASE, new_vault};
use crate::web::{self, Answer, hello, send};

/// The listener of an owner, as a browser knows it.
struct Bench {
    address: SocketAddr,
    /// `casetrack-8320=…`
    cookie: String,
    /// Keeps the owner, however long the test takes between two requests.
    _stays: Client,
}

/// The address that `casetrack open` prints: host and port, and the rest.
fn opened(home: &Path, args: &[&str]) -> (SocketAddr, String) {
    let answer = run_json(home, &[&["open", "--no-browser"], args].concat());
    let url = answer["url"].as_str().unwrap();
    let (address, rest) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    assert_eq!(answer["opened"], false);
    (address.parse().unwrap(), format!("/{rest}"))
}

impl Bench {
    fn open(home: &Path) -> Self {
        let stays = Client::start(home, &[]);
        let (address, code) = opened(home, &[]);
        let answer = send(address, "GET", &code, &[], b"");
        assert_eq!(answer.status, 303, "{}", answer.body);
        let cookie = answer.header("set-cookie").unwrap();
        assert!(cookie.ends_with("; httponly; samesite=strict; path=/"), "{cookie}");
        Self { address, cookie: cookie.split(';').next().unwrap().to_owned(), _stays: stays }
    }

    fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    fn get(&self, path: &str) -> Answer {
        send(self.address, "GET", path, &[("Cookie", &self.cookie)], b"")
    }

    fn post(&self, path: &str, more: &[(&str, &str)], body: &[u8]) -> Answer {
        let origin = self.origin();
        let usual = [("Cookie", self.cookie.as_str()), ("Origin", origin.as_str()), ("Sec-Fetch-Site", "same-origin")];
        send(self.address, "POST", path, &[&usual, more].concat(), body)
    }

    fn upload(&self, collection: &str, path: &str, body: &[u8]) -> Answer {
        let headers = [("X-CaseTrack", "1"), ("X-File-Path", path)];
        self.post(&format!("/upload?collection={collection}"), &headers, body)
    }

    /// Opens a session of the protocol and calls a tool in it.
    fn call(&self, tool: &str, arguments: Value) -> Value {
        let begun = self.post("/mcp", &web::JSON, &hello());
        assert_eq!(begun.status, 200, "{}", begun.body);
        let session = begun.session().unwrap();
        let headers = [&web::JSON[..], &[("Mcp-Session-Id", session.as_str())]].concat();
        self.post("/mcp", &headers, web::INITIALIZED);
        // Changes need an active collection.
        self.post("/mcp", &headers, &web::call("switch_collection", json!({"collection_name": "Flat"})));
        let answer = self.post("/mcp", &headers, &web::call(tool, arguments)).message();
        assert_ne!(answer["result"]["isError"], true, "{answer}");
        in_place(&answer["result"]["structuredContent"])
    }
}

#[test]
fn only_the_browser_that_was_opened_is_served() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let bench = Bench::open(&home);
    let cookie = ("Cookie", bench.cookie.as_str());
    let json = ("Content-Type", "application/json");
    let accept = ("Accept", "application/json, text/event-stream");

    // Without the cookie, or with another one.
    let port = bench.address.port();
    let forged = format!("casetrack-{port}={}", "0".repeat(64));
    for headers in [&[][..], &[("Cookie", forged.as_str())], &[("Cookie", "casetrack=1")]] {
        for path in ["/", "/page?collection=a&document=b&page=1", "/export/evidence.csv?collection=a", "/app.js"] {
            let answer = send(bench.address, "GET", path, headers, b"");
            assert_eq!(answer.status, 401, "{path}");
            assert!(answer.body.contains("casetrack open") && !answer.body.contains(&bench.cookie));
        }
        assert_eq!(send(bench.address, "POST", "/mcp", &[headers, &[json, accept]].concat(), &hello()).status, 401);
        assert_eq!(send(bench.address, "POST", "/upload?collection=a", headers, b"x").status, 401);
    }
    // With it, and from elsewhere: another host name for this machine, another origin, another port of this machine.
    for host in ["evil.example", "127.0.0.1:1", &format!("evil.example:{port}")] {
        for path in ["/", "/open?code=a", "/mcp"] {
            assert_eq!(send(bench.address, "GET", path, &[cookie, ("Host", host)], b"").status, 403, "{host} {path}");
        }
    }
    let other_port = format!("http://127.0.0.1:{}", port.wrapping_add(1));
    let other_name = format!("http://localhost:{port}");
    for origin in ["http://evil.example", "null", &other_port, &other_name] {
        let headers = [cookie, json, accept, ("Origin", origin)];
        assert_eq!(send(bench.address, "POST", "/mcp", &headers, &hello()).status, 403, "{origin}");
        assert_eq!(send(bench.address, "GET", "/", &headers, b"").status, 403, "{origin}");
    }
    for site in ["cross-site", "same-site"] {
        let headers = [cookie, ("Sec-Fetch-Site", site)];
        assert_eq!(send(bench.address, "GET", "/", &headers, b"").status, 403, "{site}");
    }
    // A form of another page, which browsers send without asking: no origin, or a foreign one; and one of this page without our header.
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    for headers in [&[cookie, form][..], &[cookie, form, ("Origin", "null")]] {
        assert_eq!(send(bench.address, "POST", "/mcp", headers, &hello()).status, 403);
        assert_eq!(send(bench.address, "POST", "/upload?collection=a", headers, b"x").status, 403);
    }
    assert_eq!(bench.post("/upload?collection=a", &[form], b"x").status, 403);

    // A code is good once; who uses it again shuts out the first.
    let (address, code) = opened(&home, &[]);
    let first = send(address, "GET", &code, &[], b"");
    let first = first.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let again = send(address, "GET", &code, &[], b"");
    assert!(again.status == 403 && again.header("set-cookie").is_none() && again.body.contains("casetrack open"));
    assert_eq!(send(address, "GET", "/", &[("Cookie", &first)], b"").status, 401);
    assert_eq!(send(address, "GET", "/open?code=", &[], b"").status, 403);
    assert_eq!(send(address, "GET", "/open", &[], b"").status, 403);
    assert_eq!(send(address, "POST", "/open?code=a", &[], b"").status, 405);
    // The other browser is served as before.
    let lists = bench.call("list_collections", json!({}));
    assert_eq!(lists["collections"], json!([]));
}

#[test]
fn pages_cannot_be_framed_and_load_nothing_from_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let bench = Bench::open(&home);
    let stranger = send(bench.address, "GET", "/", &[], b"");
    let refused = send(bench.address, "GET", "/open?code=a", &[], b"");
    let elsewhere = [("Cookie", bench.cookie.as_str()), ("Origin", "http://evil.example")];
    let foreign = send(bench.address, "POST", "/mcp", &elsewhere, b"{}");
    let no_token = send(bench.address, "POST", "/mcp", &[], b"{}");
    assert_eq!((foreign.status, no_token.status), (403, 401));
    assert_eq!(bench.get("/session").body, r#"{"is_team":false}"#);
    let own = [bench.get("/"), bench.get("/nothing"), bench.get("/page?collection=a")];
    for answer in own.into_iter().chain([stranger, refused, foreign, no_token]) {
        let policy = answer.header("content-security-policy").unwrap();
        for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'none'"] {
            assert!(policy.contains(part) && !policy.contains("unsafe"), "{policy}");
        }
        for (name, value) in [
            ("x-frame-options", "deny"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(answer.header(name), Some(value));
        }
        // No other page may read answers.
        assert!(!answer.head.contains("access-control-"), "{}", answer.head);
    }
    // Preflights are not answered, so no page elsewhere can send our header.
    let origin = ("Origin", "http://evil.example");
    let asked = send(bench.address, "OPTIONS", "/upload", &[("Cookie", &bench.cookie), origin], b"");
    assert!(asked.status == 403 && !asked.head.contains("access-control-"), "{}", asked.head);
    for path in
        ["/../Cargo.toml", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/..%2fowner/http-token", "/export/../x"]
    {
        let answer = bench.get(path);
        assert!([400, 404].contains(&answer.status), "{path}: {}", answer.status);
    }
    // The place that is shown first never leads away.
    let (address, code) = opened(&home, &[]);
    let code = code.split("&to=").next().unwrap();
    for to in ["//evil.example", "http://evil.example", "%0d%0aSet-Cookie:%20a=b", "\u{5c}\u{5c}evil.example"] {
        let (_, fresh) = opened(&home, &[]);
        let fresh = fresh.split("&to=").next().unwrap().to_owned();
        let answer = send(address, "GET", &format!("{fresh}&to={to}"), &[], b"");
        assert!(answer.header("location").is_none_or(|place| place.starts_with("/#")), "{to}: {}", answer.head);
        let cookies = answer.head.lines().filter(|line| line.starts_with("set-cookie:")).count();
        assert!(cookies <= 1 && !answer.head.lines().any(|line| line == "set-cookie: a=b"), "{}", answer.head);
    }
    assert_eq!(send(address, "GET", code, &[], b"").header("location"), Some("/#"));
}

#[test]
fn a_target_leads_to_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    run(&home, &["new", "A B"]);
    let file = samples().join("harbour-point/contract/Amendment_No_1.docx");
    run(&home, &["ingest", file.to_str().unwrap(), "--collection", "A B"]);
    let found = run_json(&home, &["search", "payment", "--collection", "A B"]);
    let provenance = &found["results"][0]["provenance"];
    let (document, chunk) =
        (provenance["document_id"].as_str().unwrap(), found["results"][0]["chunk_id"].as_str().unwrap());
    let to = |args: &[&str]| opened(&home, args).1.split("&to=").nth(1).unwrap().to_owned();
    assert_eq!(to(&[]), "%2F");
    assert_eq!(to(&["--collection", "A B"]), "%2Fc%2FA%2520B%2Fsearch");
    assert_eq!(to(&["Amendment_No_1"]), format!("%2Fc%2FA%2520B%2Fdoc%2F{document}"));
    let page = &provenance["page"];
    let expected = format!("%2Fc%2FA%2520B%2Fdoc%2F{document}%3Fpage%3D{page}%26chunk%3D{chunk}");
    assert_eq!(to(&[chunk]), expected);
    // By the number that the search gave it.
    assert_eq!(to(&["1"]), expected);
    assert!(run_expecting(1, &home, &["open", "--no-browser", "999", "--json"]).contains("There is no result 999"));
    let output = run_expecting(1, &home, &["open", "--no-browser", "Nothing like it", "--json"]);
    assert!(output.contains("Document not found"), "{output}");
}

#[test]
fn dropped_files_are_kept_with_the_collection() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    run(&home, &["new", "Flat"]);
    // Assistants may read one folder only; what the user drops may be read all the same.
    std::fs::write(home.join("config.toml"), format!("allowed_roots = [{:?}]\n", dir.path().join("matters"))).unwrap();
    let bench = Bench::open(&home);
    let text = "The Tenant shall pay the rent of 900 on the first of each month.\n";
    let answer = bench.upload("Flat", "Lease%20of%20%E2%82%AC/terms.txt", text.as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.body);
    let path = serde_json::from_str::<Value>(&answer.body).unwrap()["path"].as_str().unwrap().to_owned();
    assert!(Path::new(&path).starts_with(&home) && path.ends_with("uploads/Lease of €/terms.txt"), "{path}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&Path::new(&path).metadata().unwrap().permissions());
        assert_eq!(mode & 0o077, 0);
    }
    let report = bench.call("ingest_document", json!({"file_path": path, "wait_seconds": UNTIL_DONE}));
    assert!(report["report"].is_object(), "{report}");
    let found = run_json(&home, &["search", "rent of 900", "--collection", "Flat"]);
    assert_eq!(found["results"].as_array().unwrap().len(), 1, "{found}");

    // No path leads elsewhere, and nothing is overwritten.
    for bad in [
        "..%2F..%2Fowner%2Fhttp-token",
        "/etc/passwd",
        "a/../../b",
        "..%5Cb",
        "C:%5Cb",
        "",
        "a%00b",
        ".ssh/id_rsa",
        "%ff",
    ] {
        let answer = bench.upload("Flat", bad, b"x");
        assert!([400, 403].contains(&answer.status), "{bad}: {} {}", answer.status, answer.body);
    }
    let other = bench.upload("Flat", "Lease%20of%20%E2%82%AC/terms.txt", b"Other words");
    assert!(other.body.contains("terms (2).txt"), "{}", other.body);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    assert_eq!(bench.upload("Nowhere", "a.txt", b"x").status, 404);
    // Longer than the limit: by what the head says, and by what comes.
    let origin = bench.origin();
    let headers = [
        ("Cookie", bench.cookie.as_str()),
        ("Origin", origin.as_str()),
        ("X-CaseTrack", "1"),
        ("X-File-Path", "large.txt"),
    ];
    let claimed =
        format!("POST /upload?collection=Flat HTTP/1.1\r\nHost: {}\r\nContent-Length: 999999999999\r\n", bench.address);
    let mut stream = web::connect(bench.address);
    let head = headers.iter().fold(claimed, |head, (name, value)| format!("{head}{name}: {value}\r\n"));
    stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    let uploads = Path::new(&path).parent().unwrap().parent().unwrap().to_owned();
    let left: Vec<_> = std::fs::read_dir(&uploads).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["Lease of €"]);

    bench.call("delete_collection", json!({"collection_name": "Flat", "confirm": true}));
    assert!(!uploads.exists());
}

#[test]
fn evidence_is_collected_followed_and_exported() {
    let dir = tempfile::tempdir().unwrap();
    let (home, folder) = (dir.path().join("home"), dir.path().join("matter"));
    std::fs::create_dir_all(&folder).unwrap();
    let lease = folder.join("Lease.txt");
    let words = "The Tenant shall pay the rent of 900 on the first of each month.";
    std::fs::write(&lease, format!("Lease\n\n{words}\n\nThe term ends on 31 December 2027.\n")).unwrap();
    std::fs::copy(samples().join("harbour-point/contract/Amendment_No_1.docx"), folder.join("Amendment.docx")).unwrap();
    run(&home, &["new", "Flat"]);
    run(&home, &["ingest", folder.to_str().unwrap()]);

    let mut client = Client::start(&home, &["--toolsets", "workbench", "--collection", "Flat"]);
    let added = client
        .call(
            "add_evidence",
            json!({"document": "Lease", "page": 1, "quote": "the rent\nof 900", "note": "Ask Ann.", "exhibit": "A"}),
        )
        .1;
    assert_eq!((&added["id"], &added["status"], &added["exhibit"]), (&json!(1), &json!("unchanged"), &json!("A")));
    assert_eq!(crate::client::passage(&added["text"]), "the rent of 900");
    assert!(added["citation"].as_str().unwrap().contains("Lease.txt"), "{added}");
    let chunk = client.call("search_documents", json!({"query": "amendment", "document_filter": "Amendment"})).1;
    let chunk = chunk["results"][0]["chunk_id"].clone();
    client.call("add_evidence", json!({"chunk_id": chunk, "note": "=1+1"}));
    let refused = client.call_failing("add_evidence", json!({"document": "Lease", "page": 1, "quote": "rent of 901"}));
    assert!(refused.contains("does not have these words"), "{refused}");
    assert!(
        client
            .call_failing("add_evidence", json!({"document": "Lease", "page": 9, "quote": "rent"}))
            .contains("no page 9")
    );
    assert!(client.call_failing("add_evidence", json!({})).contains("Name a chunk"));
    let moved = client.call("update_evidence", json!({"id": 2, "position": 1, "exhibit": "B"})).1;
    assert_eq!((&moved["position"], &moved["exhibit"]), (&json!(1), &json!("B")));
    assert!(client.call_failing("update_evidence", json!({"id": 9})).contains("There is no evidence 9"));

    // Files to take away, and back through our own extractor.
    let out = dir.path().join("out.docx");
    let written = client.call("export_evidence", json!({"format": "docx", "file_path": out})).1;
    assert_eq!(written["items"], 2);
    assert!(
        client.call_failing("export_evidence", json!({"format": "docx", "file_path": out})).contains("exists already")
    );
    assert!(
        client
            .call_failing("export_evidence", json!({"format": "docx", "file_path": dir.path().join("a.sh")}))
            .contains(".docx")
    );
    let by_itself = client.call("export_evidence", json!({"format": "csv"})).1;
    assert!(by_itself["path"].as_str().unwrap().ends_with("Evidence of Flat.csv"), "{by_itself}");
    client.close();
    let pdf = dir.path().join("out.pdf");
    run(&home, &["evidence", "export", pdf.to_str().unwrap(), "--collection", "Flat"]);
    run(&home, &["new", "Taken"]);
    for file in [&out, &pdf] {
        run(&home, &["ingest", file.to_str().unwrap(), "--collection", "Taken"]);
    }
    for (file, title) in [("out.docx", "Exhibit A"), ("out.pdf", "Exhibit A")] {
        let page = |number: u64| {
            let asked = json!({"document": file, "page": number}).to_string();
            run_json(&home, &["call", "read_page", &asked, "--collection", "Taken"])
        };
        let pages = page(1)["page_count"].as_u64().unwrap();
        let text: String = (1..=pages).map(|number| page(number)["text"].as_str().unwrap().to_owned()).collect();
        for part in [title, "the rent of 900", "Ask Ann.", "Lease.txt, "] {
            assert!(text.contains(part), "{file} lacks {part}: {text}");
        }
    }
    let list = run(&home, &["evidence", "list", "--collection", "Flat"]);
    assert!(list.starts_with("Evidence of Flat: 2 passages\n\n1. Evidence 2 | Exhibit B"), "{list}");

    // The source changes: the passage moves, then goes, then its document does.
    let status = |id: u64| {
        let list = run_json(&home, &["evidence", "list", "--collection", "Flat"]);
        let items = list["items"].as_array().unwrap().clone();
        items.into_iter().find(|item| item["id"] == id).unwrap()["status"].clone()
    };
    std::fs::write(&lease, format!("Lease\n\nA new first paragraph.\n\n{words}\n")).unwrap();
    run(&home, &["ingest", lease.to_str().unwrap(), "--collection", "Flat"]);
    assert_eq!(status(1), "moved");
    std::fs::write(&lease, "Lease\n\nNothing is due.\n").unwrap();
    run(&home, &["ingest", lease.to_str().unwrap(), "--collection", "Flat"]);
    assert_eq!(status(1), "changed");
    run(&home, &["verify", "--collection", "Flat"]);
    run(&home, &["call", "delete_document", r#"{"document_name": "Lease", "confirm": true}"#, "--collection", "Flat"]);
    assert_eq!(status(1), "deleted");

    // With the collection, there and back.
    let archive = dir.path().join("flat.ctcollection");
    run(&home, &["export", "--collection", "Flat", archive.to_str().unwrap()]);
    run(&home, &["import", archive.to_str().unwrap(), "--name", "Again"]);
    let again = run_json(&home, &["evidence", "list", "--collection", "Again"]);
    assert_eq!((&again["total"], &again["items"][0]["note"]), (&json!(2), &json!("=1+1")));
    run(&home, &["evidence", "remove", "1", "--collection", "Again"]);
    assert_eq!(run_json(&home, &["evidence", "list", "--collection", "Again"])["total"], 1);

    // The browser gets the same files.
    let bench = Bench::open(&home);
    let file = bench.get("/export/evidence.csv?collection=Flat");
    assert_eq!(file.header("content-disposition"), Some("attachment; filename*=utf-8''evidence%20of%20flat%2ecsv"));
    assert!(file.body.contains("'=1+1"), "{}", file.body);
    assert!(bench.get("/export/evidence.docx?collection=Flat").bytes.starts_with(b"PK"));
    assert!(bench.get("/export/sheet.xlsx?collection=Flat").bytes.starts_with(b"PK"));
    assert!(
        bench.get("/export/sheet.csv?collection=Flat&columns=title").body.starts_with("document,title,title source")
    );
    assert_eq!(bench.get("/export/other.csv?collection=Flat").status, 404);
}

#[test]
fn the_tools_of_the_workbench_are_offered_where_they_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let names = |client: &mut Client| -> Vec<String> {
        let tools = client.request("tools/list", json!({})).unwrap();
        tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let has = |names: &[String]| names.iter().any(|name| name == "add_evidence");
    assert!(has(&names(&mut Client::start(&home, &[]))));
    let mut core = Client::start(&home, &["--toolsets", "core"]);
    assert!(!has(&names(&mut core)));
    let refused = core.call_failing("list_evidence", json!({}));
    assert!(refused.contains("workbench"), "{refused}");
    assert!(has(&names(&mut Client::start(&home, &["--toolsets", "workbench"]))));
    // The user's own session is not limited by what assistants are.
    std::fs::write(home.join("config.toml"), "read_only = true\ntoolsets = [\"core\"]\n").unwrap();
    let bench = Bench::open(&home);
    bench.call("create_collection", json!({"name": "Flat"}));
    let renamed = bench.call("update_collection", json!({"collection": "Flat", "name": "House", "state": "closed"}));
    assert_eq!((&renamed["name"], &renamed["status"]), (&json!("House"), &json!("closed")));
    let typed = dir.path().join("ho");
    let paths = bench.call("list_paths", json!({"prefix": typed}));
    assert_eq!(paths["paths"], json!([{"path": home, "is_directory": true}]));
}

/// Hosts that show views get them in the list; others see the same list as ever.
#[test]
fn views_are_named_to_hosts_that_show_them() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let list = |capabilities: Value| {
        let mut client = Client::start_with(&home, &[], "2025-11-25", capabilities);
        let tools = client.request("tools/list", json!({})).unwrap();
        (client, tools)
    };
    let ui = json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}});
    let (mut plain, usual) = list(json!({}));
    let (mut host, shown) = list(ui);
    assert!(!usual.to_string().contains("resourceUri"));
    let read = host.request("resources/read", json!({"uri": "ui://casetrack/evidence"}));
    let mut without = shown.clone();
    let mut viewed = Vec::new();
    let tools = without["tools"].as_array_mut().unwrap();
    // Tools that the view itself calls are offered to no one else.
    let of_view: Vec<Value> =
        tools.extract_if(.., |tool| tool["_meta"]["ui"]["visibility"] == json!(["app"])).collect();
    for tool in tools {
        if let Some(meta) = tool.as_object_mut().unwrap().remove("_meta") {
            assert_eq!(meta["ui"]["resourceUri"], "ui://casetrack/evidence");
            assert_eq!(meta["ui/resourceUri"], "ui://casetrack/evidence");
            viewed.push(tool["name"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(without, usual);
    match read {
        Ok(read) => {
            let page = &read["contents"][0];
            assert_eq!(page["mimeType"], "text/html;profile=mcp-app");
            assert!(page["text"].as_str().unwrap().contains("<html"));
            assert!(
                viewed.contains(&"search_documents".to_owned()) && viewed.contains(&"get_chunk".to_owned()),
                "{viewed:?}"
            );
            let of_view: Vec<&Value> = of_view.iter().map(|tool| &tool["name"]).collect();
            assert_eq!(of_view, ["show_more"]);
            assert!(plain.request("resources/list", json!({})).unwrap().to_string().find("ui://").is_none());
            assert!(host.request("resources/list", json!({})).unwrap().to_string().contains("ui://casetrack/evidence"));
        }
        // A build without the front end names no view.
        Err(_) => assert!(viewed.is_empty() && of_view.is_empty(), "{viewed:?}"),
    }
}

#[test]
fn the_page_of_the_workbench_unlocks_a_vault_and_nobody_else_does() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let (id, _) = new_vault(&home);
    let bench = Bench::open(&home);
    run(&home, &["lock"]);
    let path = format!("/unlock?collection={id}");
    let own = [("X-CaseTrack", "1")];
    let passphrase = PASSPHRASE.as_bytes();
    let token = format!("Bearer {}", std::fs::read_to_string(home.join("owner/http-token")).unwrap().trim());
    // A client of the protocol with its token; a form; another page.
    assert_eq!(send(bench.address, "POST", &path, &[("Authorization", &token), own[0]], passphrase).status, 401);
    assert_eq!(bench.post(&path, &[], passphrase).status, 403);
    let elsewhere = [("Cookie", bench.cookie.as_str()), ("Origin", "http://evil.example"), own[0]];
    assert_eq!(send(bench.address, "POST", &path, &elsewhere, passphrase).status, 403);
    assert_eq!(bench.post(&path, &own, &[b'x'; 5000]).status, 413);
    let wrong = bench.post(&path, &own, b"wrong");
    assert!(wrong.status == 400 && wrong.body.contains("does not open"), "{}", wrong.body);
    assert_eq!(run_json(&home, &["collections"])[0]["locked"], true);
    let unlocked = bench.post(&path, &own, passphrase);
    assert!(unlocked.status == 200 && unlocked.body.contains(NAME), "{}", unlocked.body);
    let listed = run_json(&home, &["collections"]);
    assert_eq!((&listed[0]["name"], &listed[0]["vault"]), (&json!(NAME), &json!(true)));
    // The way back.
    let path = format!("/lock?collection={id}");
    assert_eq!(send(bench.address, "POST", &path, &[("Authorization", &token), own[0]], b"").status, 401);
    assert_eq!(bench.post(&path, &[], b"").status, 403);
    assert_eq!(bench.post(&path, &own, b"").status, 200);
    assert_eq!(run_json(&home, &["collections"])[0]["locked"], true);
}
