//! A server for a team over collections in a database. See [`crate::postgres`] for the server.

use serde_json::json;

use crate::client::{run, write_files};
use crate::postgres::server;
use crate::serve::{Member, Team, add};

#[test]
fn users_work_in_collections_of_a_database_as_their_roles_allow() {
    let Some(server) = server() else { return };
    let data = tempfile::tempdir().unwrap();
    let (home, other) = (data.path().join("home"), data.path().join("other"));
    let address = server.address("matters");
    let store = ["--store", &address];
    let text = |name: &str| format!("The {name} rent of the harbour flat is due on the first day of each month.");
    let file = |name: &str| {
        write_files(data.path(), &[(&format!("{name}.txt"), &text(name))]);
        data.path().join(format!("{name}.txt")).to_str().unwrap().to_owned()
    };
    let at = |home: &std::path::Path, args: &[&str]| run(home, &[args, &store].concat());
    for name in ["Case", "Hidden"] {
        at(&home, &["new", name]);
        at(&home, &["ingest", &file(name), "-c", name]);
    }
    let [anna, ben] = ["anna", "ben"].map(|name| add(&home, name, &store));
    at(&home, &["users", "allow", "anna", "Case", "reader"]);

    let team = Team::start(&home, &store);
    let (annas, bens) = (Member::open(&team, &anna), Member::open(&team, &ben));
    assert_eq!((annas.collections(), bens.collections()), (vec!["Case".to_owned()], vec![]));
    let finds = |of: &Member<'_>| {
        let found = of.call("search_documents", json!({"query": "harbour rent"}));
        let names = found["results"].as_array().unwrap().iter();
        let mut names: Vec<String> =
            names.map(|hit| hit["provenance"]["document_name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    annas.call("switch_collection", json!({"collection_name": "Case"}));
    assert_eq!(finds(&annas), ["Case.txt"]);
    let switch = |of: &Member<'_>, name: &str| of.refusal("switch_collection", json!({"collection_name": name}));
    for (member, name) in [(&annas, "Hidden"), (&bens, "Case"), (&bens, "Hidden")] {
        let (hidden, missing) = (switch(member, name), switch(member, "Nothing"));
        assert_eq!(hidden.replace(name, "?"), missing.replace("Nothing", "?"));
    }
    let tag = json!({"documents": ["Case.txt"], "add_tags": ["key"]});
    let said = annas.refusal("tag_document", tag.clone());
    assert!(said.contains("editor"), "{said}");
    at(&home, &["users", "allow", "anna", "Case", "editor"]);
    annas.call("tag_document", tag);

    // Another client of the database adds and renames; users see it with their next question.
    at(&other, &["ingest", &file("Second"), "-c", "Case"]);
    assert_eq!(finds(&annas), ["Case.txt", "Second.txt"]);
    at(&other, &["rename", "Case", "Harbour"]);
    assert_eq!(annas.collections(), ["Harbour"]);

    // An upload of an editor is ingested into the database.
    let uploaded = annas.send(
        "POST",
        "/upload?collection=Harbour",
        &[("X-File-Path", "letters/third.txt")],
        text("third").as_bytes(),
    );
    assert_eq!(uploaded.status, 200, "{}", uploaded.body);
    let path = uploaded.body.parse::<serde_json::Value>().unwrap()["path"].clone();
    annas.call("ingest_document", json!({"file_path": path, "wait_seconds": 600}));
    assert_eq!(finds(&annas), ["Case.txt", "Second.txt", "third.txt"]);

    // The database goes away, which is reported, and comes back.
    server.stop();
    let said = annas.refusal("search_documents", json!({"query": "rent"}));
    assert!(said.contains("PostgreSQL"), "{said}");
    server.run().unwrap();
    assert_eq!(finds(&annas), ["Case.txt", "Second.txt", "third.txt"]);
    at(&home, &["users", "deny", "anna", "Harbour"]);
    assert!(annas.collections().is_empty());
    team.stop();
}
