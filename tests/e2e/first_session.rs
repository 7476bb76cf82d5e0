//! A whole first session of an assistant: from an empty data directory to a cited answer, and after a restart.

use serde_json::{Value, json};

use crate::client::{Client, run, run_expecting, samples};

fn questions() -> Vec<Value> {
    let text = std::fs::read_to_string(samples().join("questions.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// White space folded: a line of a PDF may end inside a phrase.
fn folded(text: &Value) -> String {
    text.as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn from_an_empty_directory_to_a_cited_answer() {
    let data = tempfile::tempdir().unwrap();
    let folder = samples().join("harbour-point");
    let mut client = Client::start(data.path(), &[]);

    let (text, structured) = client.call("list_collections", json!({}));
    assert_eq!(structured["collections"], json!([]), "{text}");
    let refused = client.call_failing("search_documents", json!({"query": "payment"}));
    assert_eq!(
        refused,
        "No active collection. Create or switch to a collection first:\n  - create_collection: Create a new collection\n  \
         - switch_collection: Switch to an existing collection\n  - list_collections: See all collections"
    );

    let (text, created) = client.call(
        "create_collection",
        json!({"name": "Harbour Point", "collection_type": "contract", "collection_id": "HP-2024"}),
    );
    let short_id = created["id"].as_str().unwrap()[..8].to_owned();
    assert_eq!(
        text,
        format!(
            "Created collection \"Harbour Point\" (ID: {short_id}).\nType: Contract\nReference: HP-2024\nThis is now your \
             active collection.\n\nNext: Ingest documents with ingest_document."
        )
    );

    let (text, report) = client.work("ingest_folder", json!({"folder_path": folder}));
    let ingested = report["ingested"].as_array().unwrap();
    assert!(ingested.len() >= 10, "{text}");
    let skipped = report["skipped"].as_array().unwrap();
    assert!(skipped.iter().any(|file| file["reason"] == "duplicate"), "the sample matter holds a duplicate: {text}");
    assert_eq!(report["failed"], json!([]), "{text}");

    let (_, again) = client.work("ingest_folder", json!({"folder_path": folder}));
    assert_eq!(again["ingested"], json!([]));
    assert_eq!(again["skipped"].as_array().unwrap().len(), ingested.len() + skipped.len());

    for question in questions() {
        let (text, found) = client.call("search_documents", json!({"query": question["question"], "top_k": 5}));
        let best = found["results"]
            .as_array()
            .unwrap()
            .iter()
            .find(|result| folded(&result["text"]).contains(&folded(&question["must_contain"])))
            .unwrap_or_else(|| panic!("{question} is not answered by\n{text}"));
        let file = folder.join(question["file"].as_str().unwrap());
        assert_eq!(best["provenance"]["file_path"], file.to_str().unwrap());
        // The text has the name with the first passage of a file.
        let citation = best["citation"].as_str().unwrap();
        let (_, place) = citation.split_once(", p. ").unwrap();
        assert!(text.contains(citation) || text.contains(&format!("] p. {place}, chars ")), "{text}");
    }

    let (text, found) =
        client.call("search_documents", json!({"query": "late payment interest", "top_k": 1, "detail": "full"}));
    assert!(text.starts_with("Search: \"late payment interest\"\nCollection: Harbour Point | "), "{text}");
    assert_eq!(found["stages"][0], "recall (BM25, dense E1, sparse E6)");
    assert_eq!(found["notices"], json!([]));
    assert!(found["results"][0]["sparse"]["rank"].is_u64(), "{found}");
    let chunk_id = &found["results"][0]["chunk_id"];
    let (text, chunk) = client.call("get_chunk", json!({"chunk_id": chunk_id}));
    assert_eq!(chunk["text"], found["results"][0]["text"]);
    for line in ["Provenance:", "  Document:", "  File Path:", "  Page:", "  Chars:", "Embeddings: E1, E6"] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
    let (_, context) = client.call("get_source_context", json!({"chunk_id": chunk_id, "window": 2}));
    // The beginning of an ID is enough, and brief answers have no more of it.
    let short = context["chunk"]["chunk_id"].clone();
    assert_eq!(short, chunk_id.as_str().unwrap()[..8]);
    assert_eq!(client.call("get_chunk", json!({"chunk_id": short})).1, chunk);

    let name = chunk["provenance"]["document_name"].as_str().unwrap();
    let (_, document) = client.call("get_document", json!({"document_name": name}));
    let (_, chunks) = client.call("get_document_chunks", json!({"document_name": name}));
    assert_eq!(document["chunk_count"].as_u64().unwrap() as usize, chunks["chunks"].as_array().unwrap().len());
    let (_, only) =
        client.call("search_documents", json!({"query": "the", "document_filter": document["id"], "top_k": 50}));
    assert!(only["results"].as_array().unwrap().iter().all(|hit| hit["provenance"]["document_name"] == name));

    let refused = client.call_failing("delete_document", json!({"document_name": name, "confirm": false}));
    assert!(refused.contains("confirm"), "{refused}");
    client.call("delete_document", json!({"document_name": name, "confirm": true}));
    let missing = client.call_failing("get_chunk", json!({"chunk_id": chunk_id}));
    assert!(missing.contains("not found"), "{missing}");
    client.work("ingest_folder", json!({"folder_path": folder}));

    let (_, before) = client.call("search_documents", json!({"query": "budget for the east stair"}));
    client.close();
    let mut client = Client::start(data.path(), &["--collection", "HP-2024"]);
    let (_, after) = client.call("search_documents", json!({"query": "budget for the east stair"}));
    assert_eq!(before["results"], after["results"], "a restart changes no result");
    client.close();

    let verdict = run(data.path(), &["verify", "-c", "harbour point"]);
    assert!(verdict.contains("Clean."), "{verdict}");
    let suggestion = run_expecting(1, data.path(), &["verify", "-c", "harbor pint", "--json"]);
    assert!(suggestion.contains("Did you mean"), "{suggestion}");
}

#[test]
fn a_changed_file_replaces_its_document_in_one_step_and_unchanged_chunks_keep_their_ids() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("memo.txt");
    let paragraph = |n: u32| format!("Paragraph {n} talks about subject number {n}. ").repeat(40);
    let original = (1..=6).map(paragraph).collect::<Vec<_>>();
    std::fs::write(&file, original.join("\n\n")).unwrap();
    let home = data.path().join("home");
    let mut client = Client::start(&home, &[]);
    client.call("create_collection", json!({"name": "Memos"}));
    let (_, first) = client.work("ingest_document", json!({"file_path": file}));
    let ids = |client: &mut Client| -> Vec<Value> {
        let (_, chunks) = client.call("get_document_chunks", json!({"document_name": "memo.txt"}));
        chunks["chunks"].as_array().unwrap().iter().map(|chunk| chunk["chunk_id"].clone()).collect()
    };
    let before = ids(&mut client);

    let mut changed = original.clone();
    changed[5] = "The last paragraph mentions zeppelins now. ".repeat(40);
    std::fs::write(&file, changed.join("\n\n")).unwrap();
    let (text, second) = client.work("ingest_document", json!({"file_path": file}));
    assert_eq!(second["ingested"][0]["replaced"], json!(true), "{text}");
    assert_eq!(first["ingested"][0]["document_id"], second["ingested"][0]["document_id"]);
    let after = ids(&mut client);
    let kept = after.iter().filter(|id| before.contains(id)).count();
    assert!(kept > 0 && kept < after.len(), "{kept} of {} chunks kept their id", after.len());
    assert_eq!(second["chunks_reused"], json!(kept));

    let (_, found) = client.call("search_documents", json!({"query": "zeppelins", "top_k": 1}));
    assert!(found["results"][0]["text"].as_str().unwrap().contains("zeppelins"));
    let gone = before.iter().find(|id| !after.contains(id)).unwrap();
    client.call_failing("get_chunk", json!({"chunk_id": gone}));
    client.close();
    run(&home, &["verify", "-c", "Memos"]);
}
