//! Several clients of one database, through the command line: rights of users, changes by others, and files that machines read together.
//! Without a server, this reports so and tests nothing.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::client::{Client, PATIENCE, casetrack, run, run_expecting, run_json, write_files};
use crate::owner::{kill, owner_pid};
use crate::postgres::{OwnServer, failing, server};

#[test]
fn owners_and_the_administrator_give_and_take_rights() {
    let Some(server) = server() else { return };
    let data = tempfile::tempdir().unwrap();
    let (home, annas) = (data.path().join("home"), data.path().join("anna"));
    server.sql("matters", "CREATE ROLE anna LOGIN; CREATE ROLE ben LOGIN").unwrap();
    let address = server.address("matters");
    let of_anna = address.replacen("casetrack@", "anna@", 1);
    let (store, anna) = (["--store", &address], ["--store", &of_anna]);
    let do_it = |args: &[&str]| run(&home, &[args, &store].concat());
    do_it(&["new", "Case"]);
    let texts = data.path().join("texts");
    write_files(&texts, &[("a.txt", "The rent is due on the first day of each month.")]);
    let folder = texts.to_str().unwrap();
    do_it(&["ingest", folder, "-c", "Case"]);

    let said = failing(&annas, &[&["collections"], &anna[..]].concat());
    assert!(said.contains("may not use CaseTrack's tables"), "{said}");
    assert!(do_it(&["rights", "admit", "anna"]).contains("anna may use this database."));
    let seen = || run_json(&annas, &[&["collections"], &anna[..]].concat()).as_array().unwrap().len();
    assert_eq!(seen(), 0);
    let said = failing(&annas, &[&["new", "Own"], &anna[..]].concat());
    assert!(said.contains("may not make collections"), "{said}");
    assert!(do_it(&["rights", "give", "anna", "Reader", "-c", "Case"]).contains("anna is now a reader of \"Case\"."));
    assert_eq!(seen(), 1);
    run(&annas, &[&["search", "rent", "-c", "Case"], &anna[..]].concat());
    let said = failing(&annas, &[&["tag", "a.txt", "--add", "seen", "-c", "Case"], &anna[..]].concat());
    assert!(said.contains("You may not change"), "{said}");
    let said = failing(&annas, &[&["rights", "give", "anna", "owner", "-c", "Case"], &anna[..]].concat());
    assert!(said.contains("Only an owner"), "{said}");
    do_it(&["rights", "give", "anna", "editor", "-c", "Case"]);
    run(&annas, &[&["tag", "a.txt", "--add", "seen", "-c", "Case"], &anna[..]].concat());
    let listed = run_json(&annas, &[&["rights", "list", "-c", "Case"], &anna[..]].concat());
    assert_eq!(
        listed,
        json!({"collection": "Case", "rights": [{"role": "anna", "right": "editor"}, {"role": "casetrack", "right": "owner"}]})
    );
    assert!(do_it(&["rights", "list", "-c", "Case"]).contains("\n  anna: an editor\n  casetrack: an owner\n"));

    let wrong = |args: &[&str]| failing(&home, &[args, &store].concat());
    assert!(wrong(&["rights", "give", "ben", "reader", "-c", "Case"]).contains("no role ben that may use this store"));
    assert!(wrong(&["rights", "admit", "nobody"]).contains("no role nobody"));
    assert!(wrong(&["rights", "take", "ben", "-c", "Case"]).contains("ben has no right"));
    for args in [&["rights", "admit", "ben"][..], &["rights", "list"]] {
        let said = failing(&annas, &[args, &anna].concat());
        assert!(said.contains("Only the administrator"), "{said}");
    }
    assert!(do_it(&["rights", "list"]).contains("\n  anna\n"));
    do_it(&["rights", "take", "anna", "-c", "Case"]);
    assert_eq!(seen(), 0);
    assert!(do_it(&["rights", "admit", "anna", "--collections"]).contains("and may make collections"));
    assert_eq!(
        run_json(&home, &[&["rights", "list"], &store[..]].concat()),
        json!([{"role": "anna", "makes_collections": true}])
    );
    run(&annas, &[&["new", "Own"], &anna[..]].concat());
    assert_eq!(seen(), 1);
    do_it(&["rights", "dismiss", "anna"]);
    assert!(do_it(&["rights", "list"]).contains("Only the administrator"));
    let said = failing(&annas, &[&["collections"], &anna[..]].concat());
    assert!(said.contains("may not use CaseTrack's tables"), "{said}");

    // Collections on disk have no rights, and no other machines.
    let disk = data.path().join("disk");
    run(&disk, &["new", "Case"]);
    for args in [
        &["rights", "list", "-c", "Case"][..],
        &["rights", "list"],
        &["rights", "admit", "anna"],
        &["ingest", folder, "-c", "Case", "--share"],
    ] {
        let said = failing(&disk, args);
        assert!(
            said.contains("are for collections in a database, and these are on the disk of this machine"),
            "{said}"
        );
    }
}

#[test]
fn a_session_sees_how_others_describe_a_collection() {
    let Some(server) = server() else { return };
    let data = tempfile::tempdir().unwrap();
    let (home, other) = (data.path().join("home"), data.path().join("other"));
    let address = server.address("matters");
    let store = ["--store", &address];
    run(&home, &[&["new", "Case"], &store[..]].concat());
    let texts = data.path().join("texts");
    write_files(&texts, &[("a.txt", "The rent is due on the first day of each month.")]);
    run(&home, &[&["ingest", texts.to_str().unwrap(), "-c", "Case"], &store[..]].concat());
    let mut client = Client::start(&home, &[&["--collection", "Case"], &store[..]].concat());
    let mut name = || client.call("list_references", json!({})).1["collection"].clone();
    assert_eq!(name(), "Case");
    run(&other, &[&["rename", "Case", "Harbour"], &store[..]].concat());
    assert_eq!(name(), "Harbour");
    run(&other, &[&["close", "Harbour"], &store[..]].concat());
    let refused = client.call_failing("ingest_folder", json!({"folder_path": texts, "wait_seconds": 60}));
    assert!(refused.contains("closed"), "{refused}");
    client.close();
}

#[test]
fn a_session_is_told_what_others_change_and_nothing_of_what_it_may_not_see() {
    let Some(server) = server() else { return };
    let data = tempfile::tempdir().unwrap();
    let (home, other, emils) = (data.path().join("home"), data.path().join("other"), data.path().join("emil"));
    server.sql("matters", "CREATE ROLE emil LOGIN").unwrap();
    let address = server.address("matters");
    let of_emil = address.replacen("casetrack@", "emil@", 1);
    let (store, emil) = (["--store", &address], ["--store", &of_emil]);
    let by_other = |args: &[&str]| run(&other, &[args, &store].concat());
    by_other(&["new", "Case"]);
    by_other(&["new", "Open"]);
    by_other(&["rights", "admit", "emil"]);
    by_other(&["rights", "give", "emil", "reader", "-c", "Open"]);
    let ingest = |name: &str, collection: &str| {
        write_files(data.path(), &[(name, &format!("The rent of {name} is due on the first day."))]);
        by_other(&["ingest", data.path().join(name).to_str().unwrap(), "-c", collection]);
    };
    let updated =
        |uri: &str| json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}});
    let list_changed = |news: &[Value]| news.iter().any(|one| one["method"] == "notifications/resources/list_changed");
    let [case, open] = ["Case", "Open"].map(|name| format!("casetrack://collections/{name}/documents"));

    let mut client = Client::start(&home, &store);
    let mut emils_client = Client::start(&emils, &emil);
    client.request("resources/subscribe", json!({"uri": case})).unwrap();
    emils_client.request("resources/subscribe", json!({"uri": open})).unwrap();
    assert!(emils_client.request("resources/subscribe", json!({"uri": case})).is_err());
    // By another process, while the session is idle.
    ingest("a.txt", "Case");
    let news = client.news(PATIENCE, |news| news.contains(&updated(&case)) && list_changed(news));
    assert!(news.contains(&updated(&case)) && list_changed(&news), "{news:?}");
    // Also after the server was away.
    server.stop();
    server.run().unwrap();
    ingest("b.txt", "Case");
    let news = client.news(PATIENCE, |news| news.contains(&updated(&case)) && list_changed(news));
    assert!(news.contains(&updated(&case)) && list_changed(&news), "{news:?}");
    by_other(&["call", "delete_document", r#"{"document_name": "a.txt", "confirm": true}"#, "-c", "Case"]);
    let news = client.news(PATIENCE, |news| news.contains(&updated(&case)) && list_changed(news));
    assert!(news.contains(&updated(&case)) && list_changed(&news), "{news:?}");
    // Emil's first notification is of a collection that he may see: nothing came before it.
    ingest("c.txt", "Open");
    let news = emils_client.news(PATIENCE, |news| news.contains(&updated(&open)) && list_changed(news));
    let expected = |one: &Value| *one == updated(&open) || list_changed(std::slice::from_ref(one));
    assert!(news.contains(&updated(&open)) && news.iter().all(expected), "{news:?}");
    assert!(news.len() <= 4, "{news:?}");
    client.close();
    emils_client.close();
}

/// The number that the database returns.
fn number(server: &OwnServer, question: &str) -> u64 {
    server.sql("matters", question).unwrap().trim().parse().unwrap()
}

fn wait_until(is_so: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "it does not come about");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

fn begin(home: &Path, args: &[String]) -> Child {
    casetrack(home).args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The report of a command that ends with one of these states, and what it said meanwhile.
fn end(child: Child, states: &[i32]) -> (Value, String) {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.code().is_some_and(|code| states.contains(&code)), "{output:?}");
    (serde_json::from_slice(&output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn paths(report: &Value, list: &str) -> BTreeSet<String> {
    let files = report[list].as_array().unwrap();
    let paths: BTreeSet<String> = files.iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect();
    assert_eq!(paths.len(), files.len(), "{list}");
    paths
}

#[test]
fn machines_read_a_folder_together_and_do_what_a_killed_one_had() {
    let Some(server) = server() else { return };
    let data = tempfile::tempdir().unwrap();
    let (one, two) = (data.path().join("one"), data.path().join("two"));
    let address = server.address("matters");
    let store = ["--store", &address];
    let texts: Vec<(String, String)> = (0..60)
        .map(|n| {
            let clause = |c| {
                format!("Clause {c} of lease {n}: the rent of unit {n} is due on day {c}, and notice takes {n} weeks.")
            };
            (format!("unit {}/lease {n:02}.txt", n % 7), (1..9).map(clause).collect::<Vec<_>>().join("\n\n"))
        })
        .collect();
    let folder = casetrack_core::real_path(data.path()).unwrap().join("leases");
    write_files(&folder, &texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>());
    write_files(&folder, &[("broken.pdf", "%PDF-1.4 and no more")]);
    let shown = folder.to_str().unwrap();
    let ingest = |option: &[&str]| -> Vec<String> {
        let args = [&["ingest", shown, "-c", "Case", "--json"], option, &store].concat();
        args.into_iter().map(str::to_owned).collect()
    };
    let (share, join) = (ingest(&["--share"]), ingest(&["--join"]));
    run(&one, &[&["new", "Case"], &store[..]].concat());

    // The first is killed on the way, and one of the files that are left vanishes.
    let mut first = begin(&one, &share);
    wait_until(|| number(&server, "SELECT count(*) FROM casetrack.documents") >= 3);
    first.kill().unwrap();
    first.wait().unwrap();
    kill(owner_pid(&one));
    let left = number(&server, "SELECT count(*) FROM casetrack.work");
    let held = "SELECT count(*) FROM casetrack.work WHERE until > clock_timestamp()";
    assert!(left > 20 && number(&server, held) > 0, "{left} are left");
    let missing =
        "SELECT name FROM casetrack.work WHERE until IS NULL AND name LIKE '%.txt' ORDER BY name DESC LIMIT 1";
    let missing = server.sql("matters", missing).unwrap().trim().to_owned();
    std::fs::remove_file(&missing).unwrap();
    // Another one does what it offered, and what it had once its time is over.
    let kept = number(&server, "SELECT count(*) FROM casetrack.work WHERE until IS NOT NULL");
    let second = begin(&two, &join);
    wait_until(|| number(&server, "SELECT count(*) FROM casetrack.work") <= kept + 2);
    server.sql("matters", "UPDATE casetrack.work SET until = clock_timestamp() WHERE until IS NOT NULL").unwrap();
    let (report, told) = end(second, &[3]);
    let broken = folder.join("broken.pdf").to_str().unwrap().to_owned();
    assert_eq!(paths(&report, "failed"), BTreeSet::from([broken.clone(), missing.clone()]));
    assert!(report["failed"].to_string().contains("On "), "{report}");
    assert!(told.contains("/61 "), "{told}");

    // The first offers what is missing once more, and takes it back when no machine can read it.
    let (report, _) = end(begin(&one, &share), &[3]);
    assert!(paths(&report, "failed").contains(&broken), "{report}");
    assert_eq!(number(&server, "SELECT count(*) FROM casetrack.work"), 0);
    let nothing = run(&two, &[&["ingest", shown, "-c", "Case", "--join"], &store[..]].concat());
    assert!(nothing.starts_with("There are no files left to read"), "{nothing}");
    let documents = |collection: &str| -> BTreeSet<String> {
        let listed = run_json(&two, &[&["documents", "-c", collection], &store[..]].concat());
        let of = |document: &Value| json!([document["path"], document["pages"], document["chunks"]]).to_string();
        let all: BTreeSet<String> = listed.as_array().unwrap().iter().map(of).collect();
        assert_eq!((all.len(), listed.as_array().unwrap().len()), (59, 59), "{collection}");
        all
    };
    let together = documents("Case");
    let verified = run_json(&two, &[&["verify", "-c", "Case"], &store[..]].concat());
    assert_eq!(verified["clean"], true, "{verified}");

    // Both at once do each file once.
    let again = ingest(&["--share", "--force"]);
    let first = begin(&one, &again);
    wait_until(|| number(&server, "SELECT count(*) FROM casetrack.work") > 0);
    // The machine that ends first may find no file that no machine could read.
    let (second, _) = end(begin(&two, &join), &[0, 3]);
    let (first, _) = end(first, &[3]);
    let (first, second) = (paths(&first, "ingested"), paths(&second, "ingested"));
    assert!(first.is_disjoint(&second), "{first:?} {second:?}");
    assert_eq!(first.len() + second.len(), 59);
    assert_eq!(documents("Case"), together);

    // A single machine makes the same of them.
    run(&two, &[&["rename", "Case", "Together"], &store[..]].concat());
    run(&two, &[&["new", "Case"], &store[..]].concat());
    run_expecting(3, &two, &[&["ingest", shown, "-c", "Case"], &store[..]].concat());
    assert_eq!(documents("Case"), together);
}
