//! The operators of a query, and the filters of a search.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{self, Client, run, run_expecting, run_json, write_files};

/// A lease and a policy as text, an invoice as a message of May 2023.
const MATTER: [(&str, &str); 3] = [
    (
        "contracts/Lease.txt",
        "The tenant pays the rent on the first day. Late payment bears interest under Section 4.2(b).\x0c\
         The deposit of $1,250,000 is returned after termination of the lease.\x0cThe garage is rented with the flat.",
    ),
    ("policies/Travel Policy.md", "# Travel\n\nPayment of late trains is refunded. The rent of a car needs approval."),
    (
        "mail/invoice.eml",
        "From: a@example.org\r\nTo: b@example.org\r\nSubject: Invoice INV-2023-0042\r\nDate: Mon, 15 May 2023 10:00:00 +0000\r\n\r\n\
         Please pay the rent of May, INV-2023-0042, by the end of the month.\r\n",
    ),
];

/// The documents and pages found, each once, in alphabetical order.
fn places(found: &Value) -> Vec<String> {
    let mut places = client::places(found);
    places.sort();
    places.dedup();
    places
}

#[test]
fn phrases_signs_fields_and_filters_decide_what_is_found() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    write_files(&files, &MATTER);
    let mut client = Client::start_in(home, "Flat", &files);

    let all = ["Lease.txt 1", "Lease.txt 2", "Lease.txt 3", "Travel Policy.md 1", "invoice.eml 1"];
    let mut search =
        |query: &str| client.call("search_documents", json!({"query": query, "top_k": 50, "detail": "full"})).1;
    for (query, expected) in [
        ("rent", &all[..]),
        ("rent +\"late payment\"", &all[..1]),
        ("rent +\"LATE payments\"", &all[..1]),
        ("rent “late payment”", &all[..]),
        ("rent +approval", &all[3..4]),
        ("rent -lease -\"first day\" -garage", &all[3..]),
        ("rent +4.2(b)", &all[..1]),
        ("what about +$1,250,000", &all[1..2]),
        ("INV-2023-0042 type:eml", &all[4..]),
        ("rent document:lease", &all[..3]),
        ("rent document:\"Travel Policy.md\" document:invoice.eml", &all[3..]),
        ("rent page:2-3", &all[1..3]),
        ("rent page:3 document:Lease", &all[2..3]),
        // The beginnings of documents are preferred here, but are on no page that is searched.
        ("effective date of the rent page:2-3", &all[1..3]),
        ("rent date:2023-05", &all[4..]),
        ("rent date:2023-06..", &all[..4]),
        ("rent type:txt page:1 +\"late payment\" -deposit", &all[..1]),
    ] {
        let found = search(query);
        assert_eq!(places(&found), expected, "{query}: {found:#}");
        assert_eq!((&found["query"], &found["notices"]), (&json!(query), &json!([])), "{query}");
    }

    let nothing = search("rent +\"payment late\"");
    assert_eq!(nothing["results"], json!([]));
    assert_eq!(nothing["notices"][0], "No passage of 3 documents contains “payment late”.");

    let preferred = search("who rents the car with \"late payment\"");
    assert_eq!(places(&preferred), all);
    assert_eq!(preferred["results"][0]["provenance"]["page"], 1);
    assert_eq!(preferred["results"][0]["provenance"]["document_name"], "Lease.txt");
    assert!(preferred["results"][0]["preferred"].as_f64().unwrap() > 0.0);
    let notice = "Passages with “late payment” are preferred. Put a + before the quotes to search these only.";
    assert_eq!(preferred["notices"], json!([notice]));
    let alone = search("\"late payment\"");
    assert_eq!(places(&alone), all[..1]);
    assert_eq!(alone["complete"], json!({"condition": "\"late payment\"", "documents": 1, "passages": 1}));
    let unknown = search("the rent and \"payment late\"");
    assert_eq!(places(&unknown), all);
    assert_eq!(unknown["notices"], json!(["No passage contains “payment late” word for word."]));
    let corrected = search("early termintation");
    assert_eq!(corrected["notices"], json!(["No passage contains \"termintation\"; searched for \"termination\"."]));
    let by_keyword =
        corrected["results"].as_array().unwrap().iter().find(|result| result["bm25"]["rank"] == 1).unwrap();
    assert_eq!(by_keyword["provenance"]["page"], 2);
    assert_eq!(places(&search("+termintation")), all[1..2]);
    let kept = search("rent type:novel");
    assert!(kept["notices"][0].as_str().unwrap().starts_with("\"type:novel\" was searched as text"), "{kept}");

    let of_type = search("type:txt");
    assert_eq!(places(&of_type), all[..3]);
    assert_eq!(of_type["complete"]["condition"], "type:txt");

    let unknown = client.call_failing("search_documents", json!({"query": "rent document:Leese"}));
    assert!(unknown.contains("Did you mean") && unknown.contains("Lease.txt"), "{unknown}");
    let wordless = client.call_failing("search_documents", json!({"query": "-garage"}));
    assert!(wordless.contains("no words to search for"), "{wordless}");
    let shown = run(home, &["search", "type:txt", "-c", "Flat", "--count-only"]);
    let mut lines = shown.lines();
    assert!(lines.next().unwrap().starts_with("3 passages in 1 document in Flat: "), "{shown}");
    assert!(lines.next().unwrap().starts_with("What you ask for is in 1 of 3 documents, 3 passages."), "{shown}");

    let none = run(home, &["search", "\"late rent\"", "-c", "Flat", "--count-only"]);
    assert!(none.starts_with("0 passages in Flat: ") && none.contains("is in none of 3 documents"), "{none}");

    let found = |options: &[&str]| run_json(home, &[&["search", "rent", "-c", "Flat", "-k", "50"], options].concat());
    for (options, expected) in [
        (&["--type", "md", "--type", "eml"][..], &all[3..]),
        (&["--path", "contracts/*"], &all[..3]),
        (&["--path", "**/files/*/*.EML"], &all[4..]),
        (&["--path", "files/*.txt"], &[]),
        (&["--to", "2023"], &all[4..]),
        (&["--from", "2023-06", "--pages", "1"], &["Lease.txt 1", "Travel Policy.md 1"]),
        (&["--ingested", "2000..2010"], &[]),
        (&["--ingested", "2020..", "--document", "lease", "--pages", "2-9"], &all[1..3]),
        (&["--min-confidence", "0.9"], &all[..]),
    ] {
        assert_eq!(places(&found(options)), expected, "{options:?}");
    }
    for wrong in
        [["--from", "soon"], ["--pages", "0"], ["--type", "novel"], ["--min-confidence", "2"], ["--path", "a***"]]
    {
        run_expecting(1, home, &[&["search", "rent", "-c", "Flat"], &wrong[..]].concat());
    }

    // Pages of results, one after the other, are the whole list.
    let whole = found(&[]);
    let ids = |found: &Value| -> Vec<Value> {
        found["results"].as_array().unwrap().iter().map(|result| json!([result["rank"], result["chunk_id"]])).collect()
    };
    let paged: Vec<Value> = (0..5)
        .flat_map(|n| {
            let page = run_json(home, &["search", "rent", "-c", "Flat", "-k", "1", "--offset", &n.to_string()]);
            ids(&page)
        })
        .collect();
    assert_eq!(paged, ids(&whole));

    let around = found(&["--document", "lease", "--pages", "1", "--context", "30"]);
    assert_eq!((&around["results"][0]["before"], &around["results"][0]["after"]), (&json!(""), &json!("")));
    assert_eq!(whole["results"][0]["before"], Value::Null);
    let shown = run(home, &["search", "-interest rent", "-c", "Flat"]);
    assert!(!shown.contains("bears interest"), "{shown}");
    client.close();
}

/// Agreements of two parties each, with the same clauses except for a few words, of several passages.
fn agreements(dir: &Path) {
    std::fs::create_dir_all(dir).unwrap();
    let filler = "Both sides cooperate in good faith and keep records of what they do under these terms. ".repeat(30);
    for (number, (supplier, customer, law, days)) in [
        ("Netgear Networks, Inc.", "Ingram Trading Company", "California", 30),
        ("Lucid Optics Limited", "Brandt Holding GmbH", "New York", 45),
        ("Orchid Software LLC", "Weston Mills Corporation", "Delaware", 60),
        ("Halcyon Freight PLC", "Marlow and Sons", "Texas", 90),
        ("Tamarind Foods BV", "Pelican Stores SA", "Ohio", 120),
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!(
            "SUPPLY AGREEMENT\n\nThis agreement is made between {supplier} and {customer}.\n\n{filler}\n\n\
             Governing law. This agreement is governed by the laws of {law}. Contract number 8{number}417.\n\n{filler}\n\n\
             Termination. Either party may terminate this agreement with {days} days' notice.\n\n{filler}\n\n\
             Signed by {supplier} and {customer}, {supplier}, {customer}.\n"
        );
        std::fs::write(dir.join(format!("agreement-{number}.txt")), text).unwrap();
    }
}

#[test]
fn names_numbers_quantities_and_beginnings_decide_what_comes_first() {
    let data = tempfile::tempdir().unwrap();
    let files = data.path().join("files");
    agreements(&files);
    let mut client = Client::start(&data.path().join("home"), &[]);
    client.call("create_collection", json!({"name": "Supplies"}));
    client.work("ingest_folder", json!({"folder_path": files}));
    let mut first = |query: &str| {
        let found = client.call("search_documents", json!({"query": query, "detail": "full"})).1;
        let result = &found["results"][0];
        let name = result["provenance"]["document_name"].as_str().unwrap().to_owned();
        (name, result["text"].as_str().unwrap().to_owned(), found["notices"].clone())
    };
    for (query, name, text) in [
        (
            "What is the governing law in the agreement between Netgear and Ingram?",
            "agreement-0.txt",
            "laws of California",
        ),
        ("governing law in the Brandt agreement", "agreement-1.txt", "laws of New York"),
        ("tamarind termination notice", "agreement-4.txt", "120 days"),
    ] {
        let (found, passage, notices) = first(query);
        assert_eq!(found, name, "{query}");
        assert!(passage.contains(text), "{query}: {passage}");
        assert_eq!(notices, json!([format!("The query names {name}; its passages come first.")]), "{query}");
    }
    let (found, passage, _) = first("Which agreement has the contract number 83417?");
    assert_eq!(found, "agreement-3.txt");
    assert!(passage.contains("83417"));
    let (found, passage, _) = first("termination with a notice of more than 100 days");
    assert_eq!(found, "agreement-4.txt");
    assert!(passage.contains("120 days"));
    let (found, passage, _) = first("Who are the parties to the Halcyon deal?");
    assert_eq!(found, "agreement-3.txt");
    assert!(passage.contains("SUPPLY AGREEMENT"), "{passage}");
}

#[test]
fn several_collections_are_searched_with_one_ranking_only_where_they_are_named() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let write = |name: &str, text: &str| {
        let path = data.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let rent = write("rent.txt", "The tenant pays the rent of the flat on the first day of each month.");
    let boat = write("boat.txt", "The charterer pays the hire of the boat every week in advance.");
    run(home, &["new", "Flat"]);
    run(home, &["new", "Boat"]);
    run(home, &["ingest", rent.to_str().unwrap(), "-c", "Flat"]);
    run(home, &["ingest", boat.to_str().unwrap(), "-c", "Boat"]);

    let mut client = Client::start(home, &[]);
    client.call("switch_collection", json!({"collection_name": "Flat"}));
    let alone = client.call("search_documents", json!({"query": "who pays the hire of the boat?"})).1;
    assert_eq!(places(&alone), ["rent.txt 1"]);
    assert_eq!(alone["results"][0].get("collection"), None);
    let query = json!({"query": "who pays the hire of the boat?", "collections": ["Flat", "Boat", "Boat"]});
    let (text, both) = client.call("search_documents", query);
    assert_eq!(both["collection"], "Flat, Boat");
    assert_eq!((&both["documents"], both["results"].as_array().unwrap().len()), (&json!(2), 2));
    assert_eq!(both["results"][0]["collection"], "Boat");
    assert_eq!(both["results"][1]["collection"], "Flat");
    assert!(both["results"][0]["score"].as_f64() > both["results"][1]["score"].as_f64());
    assert!(text.contains("In:    Boat"), "{text}");
    let shown = run(home, &["search", "who pays the hire of the boat?", "-c", "Flat", "-c", "Boat", "--brief"]);
    let first = shown.lines().find(|line| line.starts_with("1. ")).unwrap();
    assert!(first.starts_with("1. Boat: boat.txt, p. 1"), "{shown}");
}

#[test]
fn each_document_has_its_say_and_brief_hits_are_a_line() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    std::fs::create_dir(&files).unwrap();
    // One document has more about rent than all results that are asked for, and three say the same to the word.
    let pages: Vec<String> =
        (0..30).map(|n| format!("The rent of house {n} is due on day {n} of the month.")).collect();
    std::fs::write(files.join("long.txt"), pages.join("\x0c")).unwrap();
    for name in ["a", "b", "c"] {
        let text = format!("The rent is due on the first day of the month.\x0cSigned by {name}.");
        std::fs::write(files.join(format!("{name}.txt")), text).unwrap();
    }
    let mut client = Client::start_in(home, "Houses", &files);

    let mut search = |arguments: Value| client.call("search_documents", arguments);
    let (_, each) = search(json!({"query": "when is the rent due", "per_document": 2, "top_k": 50}));
    let names: Vec<&str> = each["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["provenance"]["document_name"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 8, "{names:?}");
    assert_eq!(names.iter().filter(|name| **name == "long.txt").count(), 2);
    // Documents are not torn apart.
    let mut documents = names.clone();
    documents.dedup();
    assert_eq!(documents.len(), 4, "{names:?}");

    let (text, brief) = search(json!({"query": "when is the rent due", "per_document": 1, "brief": true}));
    let hits = brief["hits"].as_array().unwrap();
    assert_eq!((hits.len(), brief["results"].as_array().unwrap().len()), (4, 0));
    assert!(hits.iter().any(|hit| hit["quote"] == "The rent is due on the first day of the month."), "{brief}");
    assert!(text.lines().filter(|line| line.contains("rent")).all(|line| line.chars().count() < 380), "{text}");
    assert!(brief.to_string().len() <= 3 * text.len(), "{} {}", brief.to_string().len(), text.len());

    let refused = client.call_failing("search_documents", json!({"query": "rent", "per_document": 4}));
    assert!(refused.contains("per_document"), "{refused}");
}

#[test]
fn a_section_is_found_by_its_number() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let mut text = String::from("SUPPLY AGREEMENT\n\n");
    for section in 1..=12 {
        text.push_str(&format!("{section}. General matters number {section}.\n\n"));
        for sub in 1..=8 {
            let other = (section + sub) % 12 + 1;
            text.push_str(&format!(
                "{section}.{sub} Matter. Subject to section {other}.{sub}, the parties shall act in good faith in every matter that \
                 arises under this agreement and shall keep the records which the other party may reasonably ask for from time to \
                 time during its term. {}\n\n",
                "Nothing in it limits a right that the law gives to either of them, now or later. ".repeat(6)
            ));
        }
    }
    let file = data.path().join("supply.txt");
    std::fs::write(&file, text).unwrap();
    run(home, &["new", "Supply"]);
    run(home, &["ingest", file.to_str().unwrap(), "-c", "Supply"]);
    for number in ["7.6", "3.2", "11.8"] {
        let found = run_json(home, &["search", &format!("what does section {number} say"), "-c", "Supply", "-k", "1"]);
        let text = found["results"][0]["text"].as_str().unwrap();
        assert!(text.lines().any(|line| line.starts_with(&format!("{number} "))), "{number}: {text}");
    }
}

#[test]
fn a_cited_section_comes_before_a_bare_number_of_another_document() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    std::fs::create_dir(&files).unwrap();
    for (name, text) in [
        (
            "contrat.txt",
            "CONTRAT\n\nArticle 2. Le prix est payable le premier jour.\n\nArticle 3. Le délai est de six mois.",
        ),
        (
            "vertrag.txt",
            "VERTRAG\n\n§ 2 Preis\nDer Preis ist am Ersten fällig.\n\n§ 3 Frist\nDie Frist beträgt sechs Monate.",
        ),
        ("brief.txt", "Madame,\n\nconformément à l'art. 1103 al. 2 du Code civil, nous demandons le paiement."),
        (
            "one.txt",
            "AGREEMENT\n\n2. The price is due on the first day.\n\n3. Either party may give notice of 3 months.",
        ),
        (
            "two.txt",
            "AGREEMENT\n\n3. Either party may give notice of 3 months.\n\n4. Clause 3 is not affected by a sale.",
        ),
    ] {
        std::fs::write(files.join(name), text).unwrap();
    }
    run(home, &["new", "Cited"]);
    run(home, &["ingest", files.to_str().unwrap(), "-c", "Cited"]);
    for (query, words) in [
        ("Article 3", "six mois"),
        ("Art. 3", "six mois"),
        ("what does art.3 say", "six mois"),
        ("§ 3", "sechs Monate"),
        ("Section 3", "sechs Monate"),
        ("clause 3", "not affected by a sale"),
        ("art. 1103", "Code civil"),
    ] {
        let found = run_json(home, &["search", query, "-c", "Cited", "-k", "1"]);
        let text = found["results"][0]["text"].as_str().unwrap();
        assert!(text.contains(words), "{query}: {text}");
    }
}
