//! The context graph, from files to answers: entities, dates, references, relations, and their places.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, passage, run, run_expecting, run_json};

const AGREEMENT: &str = "SUPPLY AGREEMENT\n\nThis Supply Agreement (the \"Agreement\") is dated as of March 1, 2021, by and between Acme \
    Foods, Inc., a Delaware corporation (the \"Supplier\"), and Summit Services LLC (the \"Buyer\").\n\n1. Payment\n\n1.1 The Buyer shall pay \
    $1,250,000 to the Supplier on or before June 30, 2021, as Section 2 says. The Supplier complies with ISO 27001.\n\n2. Term\n\n2.1 This \
    Agreement terminates on December 31, 2023. It is governed by the laws of the State of Delaware.\n\nIN WITNESS WHEREOF\n\nACME FOODS, \
    INC.\nBy: /s/ John Smith\nName: John Smith\nTitle: Chief Executive Officer\n";
const AMENDMENT: &str = "AMENDMENT NO. 1\n\nThis Amendment No. 1 amends the Supply Agreement dated as of March 1, 2021 between Acme Foods, \
    Inc. and Summit Services LLC. The price is changed to USD 1.25 million. Mr. Smith signed for Acme Foods Inc.; it complies with \
    ISO/IEC 27001.\n\nACME FOODS, INC.\nBy: /s/ John Smith\nName: John Smith\nTitle: Chief Executive Officer\n";
const MEMO: &str =
    "The lighthouse keeper counts gulls every morning and writes their number into the book of the harbour.";

fn matter(dir: &Path) {
    std::fs::create_dir_all(dir).unwrap();
    for (name, text) in [("Supply Agreement.txt", AGREEMENT), ("Amendment No. 1.txt", AMENDMENT), ("Gulls.txt", MEMO)] {
        std::fs::write(dir.join(name), text).unwrap();
    }
}

/// The names of what is listed.
fn names(of: &Value) -> Vec<&str> {
    of.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

/// Everything that the graph says, without what differs from one ingestion to another.
fn everything(home: &Path) -> String {
    let mut all = String::new();
    for command in [&["entities", "-k", "500"][..], &["references"], &["timeline"], &["graph"], &["clusters"]] {
        let said = run(home, &[command, &["-c", "Supply"]].concat());
        // IDs of documents, and of chunks with them, are made again. Places show the first 8 characters of the IDs of chunks.
        let is_short_id = |word: &str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_id = |word: &str| word.len() >= 36 && word.matches('-').count() >= 4 || is_short_id(word);
        let lasts = |word: &&str| !is_id(word.trim_end_matches(')'));
        // So are the times in the list of sources.
        let without_times = said.lines().filter_map(|line| line.split(" | ingested").next());
        let lines = without_times.map(|line| line.split(' ').filter(lasts).collect::<Vec<_>>().join(" "));
        all.extend(lines.map(|line| line + "\n"));
    }
    all
}

#[test]
fn a_collection_is_briefed_from_its_documents_with_the_place_of_every_statement() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    matter(&files);
    let mut client = Client::start(home, &[]);
    client.call("create_collection", json!({"name": "Supply", "collection_type": "contract"}));
    client.work("ingest_folder", json!({"folder_path": files}));

    let (text, summary) = client.call("get_collection_summary", json!({}));
    assert!(text.starts_with("COLLECTION SUMMARY: Supply (Contract)"), "{text}");
    let organizations = summary["organizations"].as_array().unwrap();
    let acme =
        organizations.iter().find(|one| one["name"] == "Acme Foods, Inc.").unwrap_or_else(|| panic!("{summary:#}"));
    assert_eq!(acme["documents"], 2);
    assert!(acme["roles"].as_array().unwrap().iter().any(|role| role["name"] == "Supplier"), "{acme:#}");
    assert!(names(&summary["people"]).contains(&"John Smith"), "{summary:#}");
    assert!(text.contains("2023-12-31  Termination date (\"Supply Agreement.txt\", p. 1)"), "{text}");
    assert_eq!(summary["notices"], json!([]));

    // One entity, however it is written; the text around it is the text of the page.
    let (_, mentions) = client.call("get_entity_mentions", json!({"entity_name": "ACME FOODS", "include_boxes": true}));
    assert_eq!(mentions["entity"]["name"], "Acme Foods, Inc.");
    for mention in mentions["mentions"].as_array().unwrap() {
        let (excerpt, name) = (&mention["excerpt"], mention["provenance"]["document_name"].as_str().unwrap());
        let page: Vec<char> = if name == "Supply Agreement.txt" { AGREEMENT } else { AMENDMENT }.chars().collect();
        let range = excerpt["char_start"].as_u64().unwrap() as usize..excerpt["char_end"].as_u64().unwrap() as usize;
        assert_eq!(passage(&excerpt["text"]), page[range].iter().collect::<String>());
    }
    for (written, found) in [("$1.25 million", 2), ("March 1st, 2021", 2), ("Smith", 2)] {
        let (_, mentions) = client.call("find_entity", json!({"entity": written}));
        assert_eq!(mentions["entity"]["documents"], found, "{written}: {mentions:#}");
    }
    let said = client.call_failing("find_entity", json!({"entity": "Zebulon"}));
    assert!(said.contains("Entity not found: \"Zebulon\""), "{said}");

    let together = json!({"entities": ["Acme Foods", "Summit Services"]});
    let (_, together) = client.call("search_entity_relationships", together);
    assert_eq!(together["total"], 2, "{together:#}");
    let (_, graph) = client.call("get_entity_graph", json!({"entity_name": "John Smith", "depth": 1}));
    assert_eq!(graph["nodes"][0]["name"], "John Smith");
    assert!(names(&graph["nodes"]).contains(&"Acme Foods, Inc."), "{graph:#}");

    let (_, references) = client.call("list_references", json!({"reference_type": "standard"}));
    assert_eq!(references["references"][0]["documents"], 2, "ISO 27001 is ISO/IEC 27001: {references:#}");
    let (_, citations) = client.call("get_reference_citations", json!({"reference": "ISO 27001"}));
    assert_eq!(citations["citations"].as_array().unwrap().len(), 2, "{citations:#}");

    let (text, related) = client.call("find_related_documents", json!({"document_name": "Supply Agreement"}));
    assert_eq!(related["related"][0]["document"]["name"], "Amendment No. 1.txt", "{text}");
    let reasons = related["related"][0]["reasons"].as_array().unwrap();
    assert!(reasons.iter().any(|reason| reason["relationship"] == "explicit_reference"), "{text}");

    let (_, timeline) = client.call("get_collection_timeline", json!({"start_date": "2021-06", "end_date": "2021"}));
    let days: Vec<&Value> =
        timeline["events"].as_array().unwrap().iter().map(|event| &event["date"]["first"]).collect();
    assert_eq!(days, ["2021-06-30"]);
    // Of documents that mention a person: the day of the agreement is in both.
    let (_, timeline) =
        client.call("get_collection_timeline", json!({"entity": "Summit Services", "end_date": "2021-03"}));
    assert_eq!(timeline["events"][0]["date"]["first"], "2021-03-01", "{timeline}");
    let one = json!({"entity": "John Smith", "document_filter": "Gulls"});
    assert_eq!(client.call("get_collection_timeline", one).1["total"], 0);
    let (text, _) = client.call("get_collection_timeline", json!({"entity": "Section 2 says"}));
    assert!(text.contains("No entity is named") && text.contains("2021-06-30"), "{text}");
    let unknown = client.call_failing("get_collection_timeline", json!({"entity": "Zanzibar Shipping"}));
    assert!(unknown.contains("not found"), "{unknown}");
    let (_, statistics) = client.call("get_collection_statistics", json!({}));
    assert_eq!(statistics["coverage"]["annotated_documents"], 3);

    let (_, outline) = client.call("get_document_structure", json!({"document_name": "Supply Agreement"}));
    let sections = outline["sections"].as_array().unwrap();
    let term = sections.iter().find(|section| section["title"].as_str().unwrap().starts_with("2.")).unwrap();
    assert_eq!(term["cited_at"][0]["name"], "Section 2", "{outline:#}");

    let query = json!({"query": "lighthouse entity:\"Summit Services\"", "top_k": 9});
    let (_, found) = client.call("search_documents", query);
    assert_eq!(found["documents"], 2, "{found:#}");
    assert_eq!(found["results"].as_array().unwrap().len(), 2, "{found:#}");
    client.close();

    let dot = run(home, &["graph", "-c", "Supply", "--format", "dot"]);
    assert!(dot.starts_with("graph") && dot.contains("Acme Foods"), "{dot}");
    let xml = run(home, &["graph", "-c", "Supply", "--format", "graphml"]);
    assert!(xml.contains("<graphml") && xml.contains("</graphml>"), "{xml}");
    run_expecting(1, home, &["clusters", "-c", "Supply", "--max-clusters", "0"]);
}

#[test]
fn the_graph_follows_the_documents_whatever_their_order() {
    let data = tempfile::tempdir().unwrap();
    let files = data.path().join("files");
    matter(&files);
    let order = ["Supply Agreement.txt", "Amendment No. 1.txt", "Gulls.txt"];
    let mut reversed = order;
    reversed.reverse();
    let homes = ["home0", "home1"].map(|name| data.path().join(name));
    let [said, said_of_reversed] = [(&homes[0], order), (&homes[1], reversed)].map(|(home, order)| {
        run(home, &["new", "Supply"]);
        for name in order {
            run(home, &["ingest", files.join(name).to_str().unwrap(), "-c", "Supply"]);
            // The graph is asked between, so that it is changed rather than made at once.
            run(home, &["entities", "-c", "Supply"]);
        }
        everything(home)
    });
    assert_eq!(said, said_of_reversed);

    // The statements of a document are gone with it.
    let home = &homes[0];
    let delete = |name: &str| {
        let arguments = json!({"document_name": name, "confirm": true}).to_string();
        run(home, &["call", "delete_document", &arguments, "-c", "Supply"]);
    };
    delete("Supply Agreement");
    let summit = run_json(home, &["entities", "Summit Services", "-c", "Supply"]);
    assert_eq!(summit["entity"]["documents"], 1);
    assert!(!run(home, &["timeline", "-c", "Supply"]).contains("2023-12-31"));
    delete("Amendment No. 1");
    let left = run_json(home, &["entities", "-c", "Supply"]);
    let left = names(&left["entities"]);
    assert!(!left.iter().any(|name| name.contains("Acme") || name.contains("Summit")), "{left:?}");
    assert!(run(home, &["verify", "-c", "Supply"]).contains("annotations"));
    run(home, &["stop"]);
    let again = run_json(home, &["entities", "-c", "Supply"]);
    assert_eq!(names(&again["entities"]), left, "opened again");
}
