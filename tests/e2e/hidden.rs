//! Hidden text: from the file to every place that names it.

use serde_json::json;

use crate::client::{Client, run, run_json};

/// A flat OpenDocument text with a hidden clause.
const DRAFT: &str = "<?xml version='1.0' encoding='UTF-8'?><office:document xmlns:office='urn:oasis:names:tc:opendocument:xmlns:office:1.0' \
    xmlns:text='urn:oasis:names:tc:opendocument:xmlns:text:1.0' xmlns:style='urn:oasis:names:tc:opendocument:xmlns:style:1.0' \
    office:mimetype='application/vnd.oasis.opendocument.text'><office:automatic-styles><style:style style:name='T1' style:family='text'>\
    <style:text-properties text:display='none'/></style:style></office:automatic-styles><office:body><office:text>\
    <text:p>The tenant pays a rent of <text:span text:style-name='T1'>at most ten million</text:span> euros a year.</text:p>\
    <text:p>The <text:span text:style-name='T1'>last</text:span> tenant insures the building.</text:p>\
    </office:text></office:body></office:document>";

#[test]
fn hidden_text_is_named_where_a_file_is_read_found_and_quoted() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    std::fs::create_dir_all(&files).unwrap();
    std::fs::write(files.join("Draft lease.fodt"), DRAFT).unwrap();
    std::fs::write(files.join("Memo.txt"), "The landlord waives nothing.").unwrap();
    let mut client = Client::start_in(home, "Lease", &files);

    // It is searched as before, and named.
    let (text, found) = client.call("search_documents", json!({"query": "\"ten million\""}));
    let chunk = &found["results"][0];
    assert_eq!(chunk["provenance"]["hidden_text"], json!(["hidden_format"]), "{found:#}");
    assert!(text.contains("contains hidden text (formatted as hidden)"), "{text}");
    let id = chunk["chunk_id"].as_str().unwrap().to_owned();
    let (text, _) = client.call("get_chunk", json!({"chunk_id": id}));
    assert!(text.contains("contains hidden text"), "{text}");
    let none = client.call("search_documents", json!({"query": "\"waives nothing\""})).1;
    assert!(none["results"][0]["provenance"].get("hidden_text").is_none(), "{none:#}");

    let (text, list) = client.call("find_hidden_text", json!({"limit": 1}));
    assert_eq!(
        (&list["total"], &list["next_offset"], &list["searched"]),
        (&json!(2), &json!(1), &json!(2)),
        "{list:#}"
    );
    let first = &list["passages"][0];
    assert_eq!(first["reason"], "hidden_format");
    assert!(first["text"].as_str().unwrap().contains("\nat most ten million\n"), "{list:#}");
    assert_eq!(first["citation"].as_str().unwrap().split_once(", no page").unwrap().1, ", para. 1, l. 1", "{list:#}");
    assert!(text.contains("2 passages in 1 of 2 documents") && text.contains(&id), "{text}");
    let rest = client.call("find_hidden_text", json!({"document": "Draft lease", "offset": 1})).1;
    assert!(rest["passages"][0]["text"].as_str().unwrap().contains("\nlast\n"), "{rest:#}");
    let (text, _) = client.call("find_hidden_text", json!({"document": "Memo"}));
    assert!(text.contains("No hidden text is known."), "{text}");
    let (text, details) = client.call("get_document", json!({"document_name": "Draft lease"}));
    assert_eq!(details["hidden_texts"], 2);
    assert!(text.contains("2 passages that readers of the file do not see"), "{text}");
    let warnings = details["warnings"].to_string();
    assert!(warnings.contains("formatted as hidden on page 1 (2 passages, 23 characters)"), "{warnings}");
    drop(client);

    // The command line says the same, also of a copy that was exported and imported.
    let shown = run(home, &["hidden", "Draft lease", "-c", "Lease"]);
    assert!(shown.contains("formatted as hidden: \"at most ten million\""), "{shown}");
    let file = data.path().join("lease.ctx").display().to_string();
    run(home, &["export", &file, "-c", "Lease"]);
    run(home, &["import", &file, "--name", "Copy"]);
    run(home, &["verify", "-c", "Copy"]);
    assert_eq!(run_json(home, &["hidden", "-c", "Copy", "--limit", "1"])["total"], 2);
}
