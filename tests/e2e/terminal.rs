//! The command line as a person at a terminal sees it, which `--color always` also shows to a test; and that a script sees none of it.

use std::path::Path;
use std::process::Stdio;

use crate::client::{casetrack, run, run_expecting, run_json, samples, write_files};

fn with_columns(home: &Path, columns: &str, args: &[&str]) -> String {
    let mut command = casetrack(home);
    command.args(args).args(["--color", "always"]).env("COLUMNS", columns).env_remove("NO_COLOR").stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{args:?} {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The text without escape sequences.
fn plain(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').unwrap().1)
}

#[test]
fn results_are_marked_wrapped_and_shown_by_number() {
    let data = tempfile::tempdir().unwrap();
    let home = data.path();
    run(home, &["new", "Harbour Point"]);
    run(home, &["ingest", samples().join("harbour-point").to_str().unwrap(), "-q"]);
    let found = with_columns(home, "80", &["search", "interest on late payment", "-k", "3"]);
    assert!(found.contains("\u{1b}[1;35minterest\u{1b}[0m"), "{found}");
    let text = plain(&found);
    // Paths are the only words that may be longer than a line.
    let long: Vec<&str> =
        text.lines().filter(|line| line.chars().count() > 80 && !line.trim().starts_with('/')).collect();
    assert!(long.is_empty(), "{long:?}");
    assert!(text.contains("\n1  ") && text.contains("casetrack show 1"), "{text}");

    // By number, as the JSON has it by ID.
    let json = run_json(home, &["search", "interest on late payment", "-k", "3"]);
    let chunk = json["results"][2]["chunk_id"].as_str().unwrap();
    let shown = run(home, &["show", "3"]);
    assert!(shown.starts_with("Result 3 of the search \"interest on late payment\"\n"), "{shown}");
    assert!(shown.ends_with(&run(home, &["show", chunk])), "{shown}");
    assert_eq!(run(home, &["similar", "3"]), run(home, &["similar", chunk]));
    let refused = run_expecting(1, home, &["show", "4", "--json"]);
    assert!(refused.contains("There is no result 4") && refused.contains("`casetrack search`"), "{refused}");

    // Marks around passages, IDs and times of processing are for programs.
    let at_terminal = plain(&with_columns(home, "100", &["show", "3"]));
    for shown in [&shown, &at_terminal] {
        for mark in ["<doc ", chunk, "embedded", "Requested"] {
            assert!(!shown.contains(mark), "{mark}: {shown}");
        }
        assert!(shown.contains("The passage: p. "), "{shown}");
    }
    let call = serde_json::json!({"chunk_id": chunk}).to_string();
    let called = run(home, &["call", "get_source_context", &call, "-c", "Harbour Point"]);
    assert!(called.contains("<doc ") && called.contains(&chunk[..8]), "{called}");
    let summary = run(home, &["summary"]);
    assert!(summary.contains("passages):") && !summary.contains("EMBEDDINGS"), "{summary}");
    for args in [&["search", "interest", "-k", "2"][..], &["summary"], &["documents"], &["sheet"], &["doctor"]] {
        assert!(!run(home, args).contains('\u{1b}'), "{args:?}");
    }
    // Tables for programs have neither colour nor width.
    assert_eq!(with_columns(home, "40", &["sheet", "--csv"]), run(home, &["sheet", "--csv"]));
}

#[test]
fn headings_paragraphs_and_rows_of_a_result_keep_their_own_lines() {
    let data = tempfile::tempdir().unwrap();
    let (home, files) = (&data.path().join("home"), data.path().join("files"));
    let deed = "<h1>The duties of the landlord and of the other owners of the house</h1><p>The landlord repairs the roof.</p>\
        <table><tr><td>the rent of the house and of the land around the house for May</td><td>900</td></tr>\
        <tr><td>heating</td><td>80</td></tr></table>";
    write_files(&files, &[("deed.html", deed)]);
    run(home, &["new", "Deed"]);
    run(home, &["ingest", files.to_str().unwrap(), "-q"]);
    let found = plain(&with_columns(home, "120", &["search", "landlord repairs roof"]));
    let passage: Vec<&str> = found.lines().filter_map(|line| line.trim_start().strip_prefix("│ ")).collect();
    let starts = ["The duties", "The landlord repairs", "the rent", "heating"];
    assert_eq!(passage.len(), starts.len(), "{found}");
    assert!(passage.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{found}");
}

#[test]
fn the_collection_may_be_named_once_for_a_shell() {
    let data = tempfile::tempdir().unwrap();
    let (home, files) = (&data.path().join("home"), data.path().join("files"));
    write_files(&files, &[("lease.txt", "The rent is due monthly.")]);
    for name in ["One", "Two"] {
        run(home, &["new", name]);
    }
    run(home, &["ingest", files.to_str().unwrap(), "-c", "Two", "-q"]);
    let output =
        casetrack(home).args(["search", "rent", "--json"]).env("CASETRACK_COLLECTION", "Two").output().unwrap();
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
    let listed = casetrack(home).args(["documents"]).env("CASETRACK_COLLECTION", "Two").output().unwrap();
    assert!(String::from_utf8(listed.stdout).unwrap().contains("lease.txt"));
}

#[test]
fn errors_of_commands_name_commands() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    run(home, &["new", "One"]);
    run(home, &["new", "Two"]);
    let tools: Vec<String> = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| !name.chars().all(|c| c.is_ascii_lowercase()))
        .collect();
    assert!(tools.len() > 20);
    let wrong: &[&[&str]] = &[
        &["search", "x"],
        &["search", "x", "-c", "Three"],
        &["search", "x", "-c", "One", "--document", "none"],
        &["show", "3", "-c", "One"],
        &["show", "none.pdf", "-c", "One"],
        &["ingest", "/nowhere", "-c", "One"],
        &["sync", "/nowhere", "-c", "One"],
        &["watch", "/nowhere", "-c", "One"],
        &["unwatch", "/nowhere"],
        &["entities", "Nobody", "-c", "One"],
        &["references", "None", "-c", "One"],
        &["related", "none.pdf", "-c", "One"],
        &["redline", "a", "b", "-c", "One"],
        &["compare", "a", "b", "rent", "-c", "One"],
        &["changes", "none.pdf", "-c", "One"],
        &["tag", "none.pdf", "--add", "x", "-c", "One"],
        &["reindex", "none.pdf", "-c", "One"],
        &["page", "none.pdf", "1", "--out", "x.png", "-c", "One"],
        &["jobs", "12345678"],
        &["rename", "One", "Two"],
        &["new", "One"],
        &["sheet", "One", "--columns", "none"],
        &["graph", "Nobody", "-c", "One"],
        &["similar", "00000000-0000-5000-8000-000000000000", "-c", "One"],
        &["timeline", "-c", "One", "--from", "x"],
        &["export", "/nowhere/x", "-c", "Three"],
        &["start", "/nowhere"],
        &["rename", "Three", "Four"],
        &["close", "Three"],
        &["archive", "Three"],
        &["reopen", "Three"],
        &["delete", "Three"],
        &["unlock", "12345678"],
        &["lock", "Three"],
        &["vault", "seal", "Three"],
        &["vault", "unseal", "Three"],
        &["vault", "slots", "-c", "Three"],
        &["index-status", "-c", "Three"],
        &["ask", "Who pays?"],
        &["ask", "Who pays?", "--document", "none.pdf", "-c", "One"],
        &["versions", "--document", "none.pdf", "-c", "One"],
        &["threads", "none.eml", "-c", "One"],
        &["search-terms", "rent*", "-c", "Three"],
        &["verify-quote", "the rent is due", "-c", "Three"],
        &["verify-quote", "rent", "--document", "none.pdf", "-c", "One"],
        &["verify-quotes", "/dev/null", "-c", "Three"],
        &["summary"],
        &["clusters", "-c", "Three"],
        &["documents", "-c", "Three"],
        &["unread", "-c", "Three"],
        &["hidden", "none.pdf", "-c", "One"],
        &["obligations", "-c", "Three"],
        &["bates", "--document", "none.pdf", "-c", "One"],
        &["evidence", "list", "-c", "Three"],
        &["evidence", "add", "1", "-c", "One"],
        &["evidence", "update", "7", "--note", "x", "-c", "One"],
        &["evidence", "remove", "7", "-c", "One"],
        &["verify", "-c", "Three"],
        &["repair", "-c", "Three"],
        &["import", "/nowhere"],
        &["compact", "-c", "Three"],
        &["stats", "-c", "Three"],
        &["files", "find", "x", "--in", "/nowhere"],
        &["files", "usage", "/nowhere"],
        &["files", "duplicates", "/nowhere"],
        &["files", "index", "/nowhere"],
        &["files", "watch", "/nowhere"],
        &["files", "roots", "--forget", "/nowhere"],
        &["space", "show", "none"],
        &["space", "sum", "none"],
        &["space", "delete", "none"],
        &["space", "add", "none", "/nowhere"],
        &["space", "link", "none", "other"],
        &["space", "run", "none"],
        &["space", "usage", "/nowhere"],
        &["open", "none.pdf", "-c", "One", "--no-browser"],
        &["inspect", "/nowhere"],
        &["models", "pull", "none"],
        &["migrate", "none", "--to", "disk"],
        &["rights", "list", "-c", "One"],
        &["rights", "admit", "anna"],
        &["serve", "--listen", "0.0.0.0:8310"],
        &["users", "remove", "none"],
        &["ingest", "/nowhere", "-c", "One", "--share"],
        &["models", "add", "multilingual", "/nowhere"],
        &["eval", "/nowhere"],
        &["connect", "cursor"],
        &["connect", "--check"],
        &["disconnect", "cursor"],
        &["service", "start"],
        &["mcp", "-c", "Three", "--toolsets", "core"],
        &["search", "x", "-c", "One", "--from", "never"],
    ];
    // Commands that fail only with the machine, and the one that is about tools.
    let cannot_fail = ["call", "collections", "completions", "doctor", "help", "man", "stop", "watches"];
    let help = run(home, &["--help"]);
    let names = help.lines().take_while(|line| !line.starts_with("Options")).filter_map(|line| line.strip_prefix("  "));
    // The continuation of a line is further to the right.
    let names = names.filter(|line| !line.starts_with(' '));
    let names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"redline") && names.len() > 50, "{help}");
    let covered = |name: &str| cannot_fail.contains(&name) || wrong.iter().any(|args| args[0] == name);
    let missing: Vec<&&str> = names.iter().filter(|name| !covered(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    for args in wrong {
        let output = casetrack(home).args(*args).env("HOME", home).stdin(Stdio::null()).output().unwrap();
        let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap()).concat();
        assert_eq!(output.status.code(), Some(1), "{args:?} {said}");
        let named: Vec<&String> = tools.iter().filter(|tool| said.contains(tool.as_str())).collect();
        assert!(named.is_empty() && !said.contains("resource-set"), "{args:?} names {named:?}: {said}");
    }
}

#[test]
fn completions_and_manual_pages_cover_all_commands() {
    let data = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(data.path(), &["completions", shell]);
        assert!(script.contains("search-terms") && !script.contains("read-files "), "{shell}");
    }
    let pages = data.path().join("man");
    run(data.path(), &["man", pages.to_str().unwrap()]);
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).unwrap();
    assert!(page("casetrack.1").contains(".TH casetrack 1"));
    assert!(page("casetrack-search.1").contains("per\\-document"));
    assert!(page("casetrack-models-pull.1").contains("offline"));
    assert!(!pages.join("casetrack-owner.1").exists());
}
