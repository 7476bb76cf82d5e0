//! Tracked changes: from the file to every place that shows and searches them.

use serde_json::{Value, json};

use crate::client::{Client, passage, run, run_expecting, run_json};

/// A flat OpenDocument text.
fn draft() -> String {
    let region = |id: &str, author: &str, kind: &str, content: &str| {
        format!(
            "<text:changed-region text:id='{id}'><text:{kind}><office:change-info><dc:creator>{author}</dc:creator>\
             <dc:date>2024-05-03T09:00:00</dc:date></office:change-info>{content}</text:{kind}></text:changed-region>"
        )
    };
    let regions = [
        region("a", "Ann Lee", "insertion", ""),
        region("b", "Ann Lee", "deletion", "<text:p>one million euros</text:p>"),
        region("c", "Bob", "deletion", "<text:p>The landlord waives the deposit.</text:p><text:p/>"),
    ];
    format!(
        "<?xml version='1.0' encoding='UTF-8'?><office:document xmlns:office='urn:oasis:names:tc:opendocument:xmlns:office:1.0' \
         xmlns:text='urn:oasis:names:tc:opendocument:xmlns:text:1.0' xmlns:dc='http://purl.org/dc/elements/1.1/' \
         office:mimetype='application/vnd.oasis.opendocument.text'><office:body><office:text><text:tracked-changes>{}</text:tracked-changes>\
         <text:p>The tenant pays a rent of <text:change text:change-id='b'/><text:change-start text:change-id='a'/>two million \
         euros<text:change-end text:change-id='a'/> a year.</text:p><text:p><text:change text:change-id='c'/>The tenant insures the \
         building.</text:p></office:text></office:body></office:document>",
        regions.concat()
    )
}

const FINAL: &str = "The tenant pays a rent of two million euros a year.\nThe tenant insures the building.";
const REDLINE: &str = "The tenant pays a rent of [-one million euros-][+two million euros+] a year.\n[-The landlord waives the deposit.\n-]The \
    tenant insures the building.";
const ORIGINAL: &str = "The tenant pays a rent of one million euros a year.\nThe landlord waives the deposit.\nThe tenant insures the building.";

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|change| change["text"].as_str().unwrap()).collect()
}

/// The same without the marks around texts of documents.
fn passages(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|change| passage(&change["text"]).trim()).collect()
}

#[test]
fn a_draft_is_searched_in_its_final_text_and_shown_in_three_views() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    std::fs::create_dir_all(&files).unwrap();
    std::fs::write(files.join("Draft lease.fodt"), draft()).unwrap();
    std::fs::write(files.join("Memo.txt"), "The landlord waives nothing.").unwrap();
    let mut client = Client::start_in(home, "Lease", &files);

    // Searches use the final text.
    let found = client.call("search_documents", json!({"query": "\"two million euros\""})).1;
    let chunk = &found["results"][0];
    assert_eq!(chunk["provenance"]["tracked_changes"], true, "{found:#}");
    assert!(chunk["text"].as_str().unwrap().contains(FINAL), "{found:#}");
    let id = chunk["chunk_id"].as_str().unwrap().to_owned();
    let none = client.call("search_documents", json!({"query": "\"one million euros\""})).1;
    assert_eq!(none["results"], json!([]), "{none:#}");

    let (text, shown) = client.call("get_chunk", json!({"chunk_id": id}));
    assert!(text.contains("contains tracked changes") && shown.get("viewed").is_none(), "{text}");
    let (text, shown) = client.call("get_chunk", json!({"chunk_id": id, "view": "redline"}));
    assert!(text.contains("Redline:") && text.contains(REDLINE) && text.contains(FINAL), "{text}");
    assert_eq!(shown["viewed"]["view"], "redline");
    let page = |view: &str| format!("casetrack://collections/Lease/pages/Draft%20lease.fodt/1{view}");
    for (view, shown) in [("", FINAL), ("?view=original", ORIGINAL), ("?view=redline", REDLINE)] {
        let read = client.request("resources/read", json!({"uri": page(view)})).unwrap();
        let text = read["contents"][0]["text"].as_str().unwrap();
        assert!(text.contains(&format!("\n{shown}\n")) && text.contains("Tracked changes: 3"), "{text}");
    }

    let (text, list) =
        client.call("list_changes", json!({"document": "Draft lease", "limit": 2, "include_boxes": true}));
    assert_eq!((&list["total"], &list["next_offset"]), (&json!(3), &json!(2)), "{list:#}");
    assert!(
        text.contains("one million euros") && text.contains("deleted by \"Ann Lee\", 2024-05-03T09:00:00"),
        "{text}"
    );
    let first = &list["changes"][0];
    assert_eq!(first["citation"].as_str().unwrap().split_once(", no page").unwrap().1, ", para. 1, l. 1", "{list:#}");
    assert_eq!((&first["char_start"], &first["char_end"]), (&json!(26), &json!(26)));
    assert!(first["chunk_id"].as_str().unwrap().starts_with(&id), "{list:#}");
    let rest = client.call("list_changes", json!({"document": "Draft lease", "offset": 2})).1;
    assert!(rest["changes"][0]["text"].as_str().unwrap().contains("waives the deposit"), "{rest:#}");
    let (text, _) = client.call("list_changes", json!({"document": "Memo"}));
    assert!(text.contains("No tracked changes are known."), "{text}");
    let (text, details) = client.call("get_document", json!({"document_name": "Draft lease"}));
    assert_eq!(details["tracked_changes"], 3);
    assert!(text.contains("3 tracked"), "{text}");

    // A quotation of the earlier text is said to be one, with what changed it.
    let (text, checked) = client.call("verify_quote", json!({"text": "pays a rent of one million euros a year"}));
    assert_eq!(checked["status"], "differs", "{checked:#}");
    assert_eq!(passages(&checked["changed_by"]), ["one million euros", "two million euros"], "{checked:#}");
    assert!(text.contains("Do not quote them as agreed") && text.contains("deleted by \"Ann Lee\""), "{text}");
    let (_, checked) = client.call("verify_quote", json!({"text": "The landlord waives the deposit."}));
    assert_eq!(passages(&checked["changed_by"]), ["The landlord waives the deposit."], "{checked:#}");
    for other in
        ["pays a rent of three million euros a year", "The tenant insures the building.", "The landlord waives"]
    {
        let (_, checked) = client.call("verify_quote", json!({"text": other}));
        assert_eq!(checked.get("changed_by"), None, "{checked:#}");
    }
    let draft = "The lease says: \"The landlord waives the deposit.\" It says nothing else.";
    let (text, checked) = client.call("verify_quotes", json!({"text": draft}));
    assert_eq!(passages(&checked["rows"][0]["changed_by"]), ["The landlord waives the deposit."], "{checked:#}");
    assert!(text.contains("Do not quote them as agreed"), "{text}");

    // Deleted text is searched only on request.
    let deleted = |client: &mut Client, query: &str| client.call("search_documents", json!({"query": query}));
    let (text, found) = deleted(&mut client, "in:deleted landlord waives");
    assert_eq!((&found["deleted"]["total"], &found["results"]), (&json!(1), &json!([])), "{found:#}");
    assert!(text.contains("never quote them as agreed") && text.contains("para. 2, l. 2"), "{text}");
    for (query, total) in [
        ("in:deleted", 2),
        ("in:deleted million", 1),
        ("in:deleted \"euros million\"", 0),
        ("in:deleted euros document:Memo", 0),
        ("in:deleted EUROS document:\"Draft lease\" page:1", 1),
        ("in:deleted euros page:2", 0),
        ("in:deleted two", 0),
    ] {
        assert_eq!(deleted(&mut client, query).1["deleted"]["total"], total, "{query}");
    }
    let part = client.call("search_documents", json!({"query": "in:deleted", "top_k": 1, "offset": 1})).1;
    assert_eq!((part["deleted"]["texts"].as_array().unwrap().len(), part.get("next_offset")), (1, None), "{part:#}");
    client.call_failing("search_documents", json!({"query": "in:deleted rent AND deposit"}));
    client.call_failing("search_documents", json!({"query": "in:deleted rent entity:Bob"}));
    client.call_failing("ask_every_document", json!({"question": "in:deleted rent"}));
    drop(client);

    // The command line says the same.
    let shown = run(home, &["show", "Draft lease", "-c", "Lease", "--page", "1", "--view", "redline"]);
    assert!(shown.contains(REDLINE), "{shown}");
    let shown = run(home, &["show", &id, "-c", "Lease", "--view", "original"]);
    assert!(shown.contains(ORIGINAL) && shown.contains(FINAL), "{shown}");
    run_expecting(1, home, &["show", "Draft lease", "-c", "Lease", "--view", "original"]);
    let list = run_json(home, &["changes", "Draft lease", "-c", "Lease"]);
    assert_eq!(texts(&list["changes"])[..2], ["one million euros", "two million euros"]);
    let found = run(home, &["search", "in:deleted deposit", "-c", "Lease"]);
    assert!(found.contains("waives the deposit") && found.contains("Found: 1 deletion in 1 document"), "{found}");

    // They are part of an export, and of what is verified.
    let file = data.path().join("lease.ctx").display().to_string();
    run(home, &["export", &file, "-c", "Lease"]);
    run(home, &["import", &file, "--name", "Copy"]);
    run(home, &["verify", "-c", "Copy"]);
    assert_eq!(run_json(home, &["changes", "Draft lease", "-c", "Copy"])["total"], 3);
}
