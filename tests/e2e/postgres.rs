//! Collections in a database, through the command line and the protocol. These tests fail without a server, or are left out with
//! `CASETRACK_TEST_NO_POSTGRES=1`.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::client::{Client, casetrack, run, run_json, samples};
use crate::owner::{kill, owner_pid, wait_until_it_ends};
use crate::protocol::{OF_COLLECTIONS, fill, sample_calls};

#[path = "../../crates/casetrack-postgres/tests/conformance/own_server.rs"]
mod own_server;
pub use own_server::OwnServer;

/// A server with an empty database `matters`.
pub fn server() -> Option<OwnServer> {
    let server = OwnServer::for_tests("-c fsync=off")?;
    server.sql("postgres", "CREATE DATABASE matters").unwrap();
    Some(server)
}

/// Values for the arguments of sample calls.
struct Examples {
    chunk: String,
    drafts: [String; 2],
}

/// The answers of all tools that read, without the parts that depend on time and place.
fn answers(client: &mut Client, examples: &Examples) -> Vec<(String, String)> {
    client.call("switch_collection", json!({"collection_name": "Case"}));
    let tools = client.request("tools/list", json!({})).unwrap()["tools"].as_array().unwrap().clone();
    let Examples { chunk, drafts: [old, new] } = examples;
    let names = [
        ("document", old.as_str()),
        ("other", new.as_str()),
        ("chunk", chunk.as_str()),
        ("file", ""),
        ("query", "notice of termination"),
        ("quote", "shall be paid monthly in advance"),
        ("entity", "Harbour"),
        ("partner", "Meridian"),
        ("reference", "1"),
    ];
    let samples = sample_calls(&OF_COLLECTIONS);
    let mut answers = Vec::new();
    for tool in tools.iter().filter(|tool| tool["annotations"]["readOnlyHint"] == true) {
        let name = tool["name"].as_str().unwrap();
        // Of this machine and this session: the program, its jobs, its watches.
        if ["get_status", "get_job", "list_jobs", "list_watches", "switch_collection"].contains(&name) {
            continue;
        }
        let mut call = samples.iter().find(|(tool, _)| tool == name).unwrap().1.clone();
        fill(&mut call, &names);
        let mut answer = client.call_raw(name, call);
        settle(&mut answer["structuredContent"]);
        if name == "list_collections" {
            // Others are in the same database.
            let listed = answer["structuredContent"]["collections"].as_array_mut().unwrap();
            listed.retain(|collection| collection["name"] == "Case");
        }
        // An error is compared by its text, which has nothing else.
        let failed = answer["isError"] == true;
        let told = if failed { answer["content"][0]["text"].clone() } else { answer["structuredContent"].clone() };
        answers.push((name.to_owned(), serde_json::to_string_pretty(&told).unwrap()));
    }
    assert!(answers.len() > 25, "only {} tools were asked", answers.len());
    answers
}

/// Leaves out times, sizes and places on the machine, and the marks around texts, which are new in each answer. Scores are rounded.
fn settle(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in ["duration_ms", "elapsed_ms", "storage", "storage_bytes", "path", "changed_at"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(settle);
        }
        Value::Array(items) => items.iter_mut().for_each(settle),
        Value::String(text) => {
            for mark in ["<doc ", "</doc "] {
                *text = text.split(mark).enumerate().fold(String::new(), |all, (n, part)| {
                    if n == 0 {
                        part.to_owned()
                    } else {
                        all + mark + part.split_once('>').map_or(part, |(_, rest)| rest)
                    }
                });
            }
        }
        Value::Number(number) => {
            if let Some(number) = number.as_f64().filter(|_| !number.is_i64() && !number.is_u64()) {
                *value = json!((number * 1e3).round() / 1e3);
            }
        }
        _ => {}
    }
}

/// A chunk that a search finds, and the first and the last version of a document.
fn examples(home: &Path) -> Examples {
    let found = run_json(home, &["search", "notice of termination", "-c", "Case"]);
    let documents = run_json(home, &["documents", "-c", "Case"]);
    let name = |n: usize| documents[n]["name"].as_str().unwrap().to_owned();
    let versions = run_json(home, &["versions", "-c", "Case"]);
    let drafts: Vec<String> = versions["groups"][0]["versions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|version| Some(version["document_name"].as_str()?.to_owned()))
        .collect();
    let drafts = match drafts.as_slice() {
        [old, .., new] => [old.clone(), new.clone()],
        _ => [name(0), name(1)],
    };
    Examples { chunk: found["results"][0]["chunk_id"].as_str().unwrap().to_owned(), drafts }
}

fn assert_same(first: &[(String, String)], second: &[(String, String)]) {
    let mut different = Vec::new();
    for ((tool, first), (same, second)) in first.iter().zip(second) {
        assert_eq!(tool, same);
        let lines = first.lines().zip(second.lines()).find(|(first, second)| first != second);
        if first != second {
            different.push(format!("{tool}: {lines:?}"));
        }
    }
    assert!(different.is_empty() && first.len() == second.len(), "{different:#?}");
}

/// Documents, places and texts that questions find.
pub fn rankings(home: &Path, store: &[&str]) -> Vec<Value> {
    let questions = ["notice of termination", "Who pays the deposit?", "monthly rent", "\"force majeure\"", "delay"];
    let found = questions.iter().map(|question| {
        let found = run_json(home, &[&["search", question, "-c", "Case"], store].concat());
        let of = |hit: &Value| json!([hit["provenance"]["document_name"], hit["provenance"]["page"], hit["text"]]);
        found["results"].as_array().unwrap().iter().map(of).collect()
    });
    found.collect()
}

#[test]
fn the_sample_matter_gives_the_same_answers_in_a_database_and_comes_back_as_it_was() {
    let Some(server) = server() else { return };
    let data = tempfile::tempdir().unwrap();
    let (home, other) = (data.path().join("home"), data.path().join("other"));
    let address = server.address("matters");
    let store = ["--store", &address];

    // On disk, with something of everything.
    run(&home, &["new", "Case"]);
    run(&home, &["ingest", samples().to_str().unwrap(), "-c", "Case", "--copy-original"]);
    run(&home, &["call", "define_column", r#"{"name": "fee", "type": "text", "pattern": "fee of"}"#, "-c", "Case"]);
    run(&home, &["call", "tag_document", r#"{"documents": ["Notice_of_Delay"], "add_tags": ["key"]}"#, "-c", "Case"]);
    run(&home, &["evidence", "add", "Notice_of_Delay", "--page", "1", "--quote", "delay", "-c", "Case"]);
    let examples = examples(&home);
    let ask = |store: &[&str]| {
        let mut client = Client::start(&home, &[&["--toolsets", "all,workbench"], store].concat());
        let answers = answers(&mut client, &examples);
        client.close();
        answers
    };
    let on_disk = ask(&[]);
    let ranked = rankings(&home, &[]);
    let documents = run_json(&home, &["documents", "-c", "Case"]);

    // Ingested into a database, by a client with other folders.
    run(&other, &[&["new", "Case"], &store[..]].concat());
    run(&other, &[&["ingest", samples().to_str().unwrap(), "-c", "Case"], &store[..]].concat());
    assert_eq!(rankings(&other, &store), ranked);
    let fresh = run_json(&other, &[&["collections"], &store[..]].concat());
    assert_eq!(fresh.as_array().unwrap().len(), 1, "{fresh}");
    // Two collections of a name cannot be in one store.
    let said = failing(&home, &["migrate", "Case", "--to", &address]);
    assert!(said.contains("is named \"Case\"") && said.contains("Rename one"), "{said}");
    run(&other, &[&["rename", "Case", "Fresh"], &store[..]].concat());

    // There, killed on the way.
    kill_a_migration(&home, &["migrate", "Case", "--to", &address]);
    let said = run(&home, &["migrate", "Case", "--to", &address]);
    assert!(said.contains("compared as a whole") && said.contains("stays on disk"), "{said}");
    assert_eq!(run_json(&home, &["documents", "-c", "Case"]), documents, "the first stays as it was");
    let again = run_json(&home, &["migrate", "Case", "--to", &address]);
    assert_eq!((&again["was_there"], &again["left_out"]), (&json!(true), &json!([])), "{again}");
    assert!(again["originals"].as_u64().unwrap() > 0, "{again}");

    // The background process has one store; it says so, and gives way.
    let staying = Client::start(&home, &[]);
    let said = failing(&home, &[&["documents", "-c", "Case"], &store[..]].concat());
    assert!(said.contains("casetrack stop") && said.contains("the database postgres://casetrack@"), "{said}");
    staying.close();
    wait_until_it_ends(&home);
    assert_same(&ask(&store), &on_disk);
    assert_eq!(run_json(&home, &[&["documents", "-c", "Case"], &store[..]].concat()), documents);
    let verified = run_json(&home, &[&["verify", "-c", "Case"], &store[..]].concat());
    assert_eq!(verified["clean"], true, "{verified}");

    // Commands for data that is only on disk report this.
    for args in [
        &["repair", "-c", "Case"][..],
        &["reindex", "--models", "compact", "--precision", "float32", "-c", "Case"],
        &["reindex", "--late-interaction", "on", "-c", "Case"],
        &["unlock", "Case"],
        &["vault", "slots"],
    ] {
        let said = failing(&home, &[args, &store[..]].concat());
        assert!(said.contains("are for collections on disk only"), "{args:?}: {said}");
    }

    // Back: the collection on disk is in the way until it is deleted.
    run(&home, &[&["tag", "Notice_of_Delay", "--add", "seen", "-c", "Case"], &store[..]].concat());
    let said = failing(&home, &[&["migrate", "Case", "--to", "disk"], &store[..]].concat());
    assert!(said.contains("but differs there"), "{said}");
    run(&home, &[&["tag", "Notice_of_Delay", "--remove", "seen", "-c", "Case"], &store[..]].concat());
    wait_until_it_ends(&home);
    run(&home, &["call", "delete_collection", r#"{"collection_name": "Case", "confirm": true}"#]);
    wait_until_it_ends(&home);
    kill_a_migration(&home, &[&["migrate", "Case", "--to", "disk"], &store[..]].concat());
    let said = run(&home, &[&["migrate", "Case", "--to", "disk", "--remove"], &store[..]].concat());
    assert!(said.contains("is no longer in postgres://casetrack@"), "{said}");
    let left = run_json(&home, &[&["collections"], &store[..]].concat());
    assert_eq!((left.as_array().unwrap().len(), &left[0]["name"]), (1, &json!("Fresh")), "{left}");
    wait_until_it_ends(&home);
    assert_same(&ask(&[]), &on_disk);
    assert_eq!((run_json(&home, &["documents", "-c", "Case"]), rankings(&home, &[])), (documents, ranked));
    assert!(run(&home, &["verify", "-c", "Case"]).contains("Clean."));
}

/// Runs a command that must fail, and gives what it says on standard error.
pub fn failing(home: &Path, args: &[&str]) -> String {
    let output = casetrack(home).args(args).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{args:?}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Kills the background process as soon as a migration has copied something, and the command with it.
fn kill_a_migration(home: &Path, args: &[&str]) {
    let mut command = casetrack(home).args(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(command.stderr.take().unwrap()));
    let copied = lines.map_while(Result::ok).find(|line| line.starts_with("3/"));
    assert!(copied.is_some(), "nothing was copied");
    command.kill().unwrap();
    command.wait().unwrap();
    kill(owner_pid(home));
}

#[test]
fn a_server_that_is_away_is_named_and_found_again_and_no_password_is_told() {
    let Some(server) = server() else { return };
    let data = tempfile::tempdir().unwrap();
    let home = data.path().join("home");
    // The server asks for no password; the secret that must not be shown is there all the same.
    let address = server.address("matters").replacen("casetrack@", "casetrack:s3cret@", 1);
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("config.toml"), format!("[store]\nurl = \"{address}\"\n")).unwrap();
    let mut said = String::new();

    // Not there from the beginning: the session opens, and its calls say why they fail.
    server.stop();
    let mut client = Client::start(&home, &[]);
    let away = client.call_failing("list_collections", json!({}));
    assert!(away.contains("does not answer") && away.contains("try again"), "{away}");
    said += &away;
    said += &failing(&home, &["collections"]);
    server.run().unwrap();
    client.call("create_collection", json!({"name": "Case"}));
    let texts = data.path().join("texts");
    crate::client::write_files(&texts, &[("a.txt", "The rent is due on the first day of each month.")]);
    client.work("ingest_folder", json!({"folder_path": texts}));
    // Away while it is open.
    server.stop();
    let away = client.call_failing("search_documents", json!({"query": "rent"}));
    assert!(away.contains("PostgreSQL"), "{away}");
    said += &away;
    server.run().unwrap();
    let (found, _) = client.call("search_documents", json!({"query": "rent"}));
    assert!(found.contains("The rent is due"), "{found}");
    said += &client.call("get_collection_info", json!({})).0;
    said += &client.call("get_status", json!({})).0;
    let doctor = casetrack(&home).args(["doctor"]).output().unwrap().stdout;
    let doctor = String::from_utf8(doctor).unwrap();
    assert!(doctor.contains("database of the collections: postgres://casetrack@"), "{doctor}");
    said += &doctor;
    said += &failing(&home, &["documents", "-c", "Case", "--store", "disk"]);
    said += &failing(&home, &["migrate", "Case", "--to", "postgres://ann:s3cret@db:port/matters"]);
    said +=
        &String::from_utf8(casetrack(&home).args(["--help"]).env("CASETRACK_STORE", &address).output().unwrap().stdout)
            .unwrap();
    // With the address in the environment, as in the file, the background process is the same.
    let listed = casetrack(&home).args(["collections", "-vv"]).env("CASETRACK_STORE", &address).output().unwrap();
    assert!(listed.status.success(), "{listed:?}");
    said += &String::from_utf8(listed.stderr).unwrap();
    let started = std::process::Command::new("ps").args(["-eo", "args"]).output().unwrap();
    said += &String::from_utf8_lossy(&started.stdout);
    client.close();
    assert!(!said.contains("s3cret"), "{said}");
    for entry in walk(&home) {
        let bytes = std::fs::read(&entry).unwrap_or_default();
        let holds = bytes.windows(6).any(|part| part == b"s3cret");
        assert!(!holds || entry.ends_with("config.toml"), "{}", entry.display());
    }
}

/// The files below a folder.
fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().map_while(Result::ok);
    let inside = |path: std::path::PathBuf| if path.is_dir() { walk(&path) } else { vec![path] };
    entries.flat_map(|entry| inside(entry.path())).collect()
}
