//! The rights of each role, on the collections that a user sees.

use serde_json::{Value, json};

use super::{Member, Team, add, audited};
use crate::client::{UNTIL_DONE, run, run_json, write_files};

/// A home with two collections, of two documents each.
fn home(dir: &std::path::Path) -> std::path::PathBuf {
    let home = dir.join("home");
    for (name, word) in [("Flat 3", "deposit"), ("Harbour", "anchor")] {
        let folder = dir.join(name);
        write_files(
            &folder,
            &[
                ("lease.txt", &format!("The {word} is due on 1 March 2024. The tenant pays the {word}.")),
                ("letter.txt", &format!("Dear Sir, we refer to the {word} of 2 April 2024.")),
            ],
        );
        run(&home, &["new", name]);
        run(&home, &["ingest", folder.to_str().unwrap(), "-c", name]);
    }
    home
}

fn allow(home: &std::path::Path, user: &str, collection: &str, role: &str) {
    run(home, &["users", "allow", user, collection, role]);
}

#[test]
fn roles_are_enforced_for_each_kind_of_call() {
    let dir = tempfile::tempdir().unwrap();
    let home = home(dir.path());
    std::fs::write(
        home.join("config.toml"),
        "toolsets = [\"all\", \"workbench\", \"files\", \"index\", \"space\", \"time\"]\n",
    )
    .unwrap();
    let tokens: Vec<String> = ["reader", "editor", "owner"]
        .iter()
        .map(|role| {
            let token = add(&home, role, &[]);
            allow(&home, role, "Flat 3", role);
            token
        })
        .collect();
    let team = Team::start(&home, &[]);
    let member = |at: usize| Member::open_in(&team, &tokens[at], "Flat 3");
    let (reader, editor, owner) = (member(0), member(1), member(2));
    for each in [&reader, &editor, &owner] {
        assert_eq!(each.collections(), ["Flat 3"]);
        let found = each.call("search_documents", json!({"query": "deposit"}));
        assert_eq!(found["results"].as_array().unwrap().len(), 2, "{found}");
        assert_eq!(each.call("get_status", json!({}))["collections"], 1);
        // Tools for the server's disk are for none of them, and not listed.
        for tool in ["list_paths", "searchFiles", "disk_usage", "search_index", "export_evidence", "watch_folder"] {
            let said = each.result(tool, json!({}));
            assert!(said.to_string().contains("you may not do on this server"), "{tool}: {said}");
        }
        let listed = each.ask("tools/list", json!({}));
        let listed: Vec<&str> =
            listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert!(listed.contains(&"search_documents") && !listed.contains(&"list_paths"), "{listed:?}");
        assert!(!listed.contains(&"create_collection"), "{listed:?}");
        assert!(each.refusal("create_collection", json!({"name": "Mine"})).contains("makes collections"));
    }

    let tag = json!({"documents": ["lease.txt"], "add_tags": ["privileged"]});
    let changes = [("tag_document", tag), ("delete_document", json!({"document_name": "letter.txt", "confirm": true}))];
    for (tool, arguments) in &changes {
        let said = reader.refusal(tool, arguments.clone());
        assert!(said.contains("needs the role \"editor\"") && said.contains("you are its reader"), "{said}");
    }
    for (tool, arguments) in changes {
        editor.call(tool, arguments);
    }
    assert_eq!(reader.call("list_documents", json!({}))["documents"].as_array().unwrap().len(), 1);

    let rename = json!({"collection": "Flat 3", "name": "Flat 4"});
    for each in [&reader, &editor] {
        for (tool, arguments) in [
            ("update_collection", rename.clone()),
            ("delete_collection", json!({"collection_name": "Flat 3", "confirm": true})),
            ("reindex_collection", json!({"confirm": true})),
        ] {
            let said = each.refusal(tool, arguments);
            assert!(said.contains("needs the role \"owner\""), "{said}");
        }
    }
    owner.call("update_collection", rename);
    assert_eq!(reader.collections(), ["Flat 4"]);
    // A name that another collection has says nothing of that.
    owner.call("update_collection", json!({"collection": "Flat 4", "name": "Harbour"}));
    assert_eq!(reader.collections(), ["Harbour"]);

    // Refused calls are recorded with their user.
    let denied = audited(&home, |line| line["user"] == "editor" && line["tool"] == "delete_collection");
    let refused = denied.iter().find(|line| line["tool"] == "delete_collection").unwrap();
    assert_eq!(refused["outcome"], "access_denied");
}

#[test]
fn rights_change_at_once_and_administrators_see_everything() {
    let dir = tempfile::tempdir().unwrap();
    let home = home(dir.path());
    std::fs::write(home.join("config.toml"), "toolsets = [\"all\", \"workbench\"]\n").unwrap();
    let (anna, root) = (add(&home, "anna", &["--collections"]), add(&home, "root", &["--admin"]));
    let team = Team::start(&home, &[]);
    let (anna, root) = (Member::open(&team, &anna), Member::open(&team, &root));
    assert!(anna.collections().is_empty());
    assert_eq!(root.collections(), ["Flat 3", "Harbour"]);
    let unknown = anna.refusal("switch_collection", json!({"collection_name": "Flat 3"}));
    assert_eq!(
        unknown.replace("Flat 3", "?"),
        anna.refusal("switch_collection", json!({"collection_name": "Flat 9"})).replace("Flat 9", "?")
    );
    allow(&home, "anna", "Flat 3", "reader");
    anna.call("switch_collection", json!({"collection_name": "Flat 3"}));
    assert_eq!(anna.call("list_documents", json!({}))["documents"].as_array().unwrap().len(), 2);
    run(&home, &["users", "deny", "anna", "Flat 3"]);
    assert!(anna.refusal("list_documents", json!({})).contains("no longer exists"));
    assert!(anna.collections().is_empty());

    // The user who makes a collection owns it; no other user sees it.
    let made = anna.call("create_collection", json!({"name": "Notes"}));
    assert_eq!(anna.collections(), ["Notes"]);
    let listed = run_json(&home, &["users"]);
    assert_eq!(listed[0]["roles"][0]["collection"], made["id"]);
    assert_eq!(listed[0]["roles"][0]["role"], "owner");
    assert_eq!(root.collections(), ["Flat 3", "Harbour", "Notes"]);
    anna.call("delete_collection", json!({"collection_name": "Notes", "confirm": true}));
    assert!(anna.collections().is_empty());
    assert!(root.call("list_paths", json!({"prefix": "/"})).is_object());
}

#[test]
fn editors_upload_and_read_no_other_files_of_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let home = home(dir.path());
    let open = dir.path().join("open");
    write_files(&open, &[("invoice.txt", "The invoice of 5 May 2024 is paid.")]);
    write_files(dir.path(), &[("secret.txt", "A secret of the server.")]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(dir.path().join("secret.txt"), open.join("link.txt")).unwrap();
    let folders = format!("[serve]\nfolders = [{:?}]\n", open.to_str().unwrap());
    std::fs::write(home.join("config.toml"), folders).unwrap();
    let (anna, ben) = (add(&home, "anna", &[]), add(&home, "ben", &[]));
    allow(&home, "anna", "Flat 3", "editor");
    allow(&home, "ben", "Flat 3", "reader");
    allow(&home, "ben", "Harbour", "editor");
    let team = Team::start(&home, &[]);
    let (anna, ben) = (Member::open_in(&team, &anna, "Flat 3"), Member::open(&team, &ben));
    let text = b"The receipt of 9 June 2024 names the garden.";
    let upload = |member: &Member<'_>, collection: &str| {
        let path = format!("/upload?collection={collection}");
        member.send("POST", &path, &[("X-File-Path", "receipts/receipt.txt")], text)
    };
    let sent = upload(&anna, "Flat%203");
    assert_eq!(sent.status, 200, "{}", sent.body);
    let path = sent.body.parse::<Value>().unwrap()["path"].as_str().unwrap().to_owned();
    let ingest = |member: &Member<'_>, path: &str| {
        member.result("ingest_document", json!({"file_path": path, "wait_seconds": UNTIL_DONE}))
    };
    let done = ingest(&anna, &path);
    assert_ne!(done["isError"], json!(true), "{done}");
    let found = anna.call("search_documents", json!({"query": "garden receipt"}));
    assert!(found.to_string().contains("names the garden"), "{found}");
    // Not for a reader, and no word of a collection that is not there for her.
    assert_eq!(upload(&ben, "Flat%203").status, 403);
    let (hidden, missing) = (upload(&anna, "Harbour"), upload(&anna, "Harbxyz"));
    assert_eq!((hidden.status, missing.status), (404, 404));
    assert_eq!(hidden.body.replace("Harbour", "?"), missing.body.replace("Harbxyz", "?"));

    // A folder that the administrator has opened, and nothing else: the same words whether it is there or not.
    let done = ingest(&anna, open.join("invoice.txt").to_str().unwrap());
    assert_ne!(done["isError"], json!(true), "{done}");
    let of_ben = upload(&ben, "Harbour");
    let of_ben = of_ben.body.parse::<Value>().unwrap()["path"].as_str().unwrap().to_owned();
    let elsewhere = [
        dir.path().join("secret.txt"),
        dir.path().join("nowhere.txt"),
        open.join("link.txt"),
        open.join("../secret.txt"),
        home.join("users.json"),
        home.join("config.toml"),
        of_ben.into(),
    ];
    for path in elsewhere.iter().map(|path| path.to_str().unwrap()) {
        let said = ingest(&anna, path);
        let said = said["content"][0]["text"].as_str().unwrap();
        assert!(
            said.replace(path, "?").starts_with("? is not a file that you may have read on this server."),
            "{said}"
        );
        let folder = anna.refusal("ingest_folder", json!({"folder_path": path, "wait_seconds": UNTIL_DONE}));
        assert!(folder.contains("is not a file that you may have read"), "{folder}");
        let synced = anna.refusal("sync_folder", json!({"folder_path": path, "wait_seconds": UNTIL_DONE}));
        assert!(synced.contains("is not a file that you may have read"), "{synced}");
    }
    // Exports by answer, for those who read.
    assert_eq!(ben.send("GET", "/export/sheet.csv?collection=Flat%203", &[], b"").status, 200);
    assert_eq!(anna.send("GET", "/export/sheet.csv?collection=Harbour", &[], b"").status, 404);
}
