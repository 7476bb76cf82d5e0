//! Complete lists, operators in queries, and lists of search terms.

use serde_json::{Value, json};

use crate::client::{Client, places, run, run_expecting, run_json, write_files};

const MATTER: [(&str, &str); 3] = [
    (
        "Lease.txt",
        "The landlord may terminate the lease for convenience. Late payment bears interest.\x0c\
         The deposit is returned after termination.\x0cThe garage is rented with the flat.",
    ),
    ("Loan.txt", "Late payments bear interest.\x0cThe bank may terminate the loan if there is a breach of contract."),
    ("Memo.txt", "Nothing was agreed, terms and conditions apart."),
];

#[test]
fn conditions_give_the_complete_list_in_the_order_of_documents() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    write_files(&files, &MATTER);
    let mut client = Client::start_in(home, "Flat", &files);

    for (query, expected) in [
        ("\"late payment\"", &["Lease.txt 1", "Loan.txt 1"][..]),
        ("+interest", &["Lease.txt 1", "Loan.txt 1"]),
        ("+interest document:Loan", &["Loan.txt 1"]),
        ("terminat*", &["Lease.txt 1", "Lease.txt 2", "Loan.txt 2"]),
        ("terminat* AND NOT deposit", &["Lease.txt 1", "Loan.txt 2"]),
        ("terminat* AND document:Lease", &["Lease.txt 1", "Lease.txt 2"]),
        ("(garage OR deposit) AND (flat OR termination)", &["Lease.txt 2", "Lease.txt 3"]),
        ("terminat* w/4 convenience", &["Lease.txt 1"]),
        ("terminat* w/3 convenience", &[]),
        ("(convenience OR \"breach of contract\") w/10 terminat*", &["Lease.txt 1", "Loan.txt 2"]),
        ("landlord NOT late", &[]),
    ] {
        let (text, found) = client.call("search_documents", json!({"query": query, "top_k": 50}));
        assert_eq!(places(&found), expected, "{query}: {found:#}");
        assert_eq!(found["complete"]["passages"], json!(expected.len()), "{query}");
        assert_eq!(found["next_offset"], Value::Null, "{query}");
        if !expected.is_empty() {
            assert!(text.contains("all are listed"), "{query}: {text}");
        }
    }
    let (text, found) = client.call("search_documents", json!({"query": "\"late payment\"", "top_k": 1}));
    assert!(
        text.contains("The phrase \"late payment\" is in 2 of 3 documents, 2 passages; 1 to 1 are listed."),
        "{text}"
    );
    assert!(text.ends_with("… 1 more: call again with offset 1."), "{text}");
    assert_eq!(found["next_offset"], 1);
    let rest = client.call("search_documents", json!({"query": "\"late payment\"", "offset": 1})).1;
    assert_eq!((places(&rest), &rest["results"][0]["rank"]), (vec!["Loan.txt 1".to_owned()], &json!(2)));
    let (text, counted) = client.call("search_documents", json!({"query": "terminat* OR garage", "count_only": true}));
    assert_eq!(
        (&counted["complete"], &counted["results"]),
        (&json!({"condition": "terminat* OR garage", "documents": 2, "passages": 4}), &json!([]))
    );
    assert!(text.contains("What you ask for is in 2 of 3 documents, 4 passages. It was read as:"), "{text}");
    assert_eq!(counted["complete"].get("whole_documents"), None);
    // Words of one document in two passages.
    let (text, counted) =
        client.call("search_documents", json!({"query": "convenience AND garage", "count_only": true}));
    assert_eq!(
        (&counted["complete"]["documents"], &counted["complete"]["whole_documents"]),
        (&json!(0), &json!(1)),
        "{text}"
    );
    assert!(text.contains("is in no passage of 3 documents. Counted over whole documents: 1 of 3."), "{text}");
    let none = client.call("search_documents", json!({"query": "\"payment late\""})).0;
    assert!(none.contains("The phrase \"payment late\" is in none of 3 documents."), "{none}");

    // Prose is ranked as before.
    for query in ["terms and conditions", "rent w/o garage", "TERMS AND CONDITIONS", "garage and/or deposit"] {
        let found = client.call("search_documents", json!({"query": query})).1;
        assert_eq!(found["complete"], Value::Null, "{query}");
        assert!(!found["results"].as_array().unwrap().is_empty(), "{query}");
    }
    let failed = client.call_failing("search_documents", json!({"query": "rent AND (lease"}));
    assert!(failed.contains("The parenthesis at character 10 of the query is not closed."), "{failed}");
    let failed = client.call_failing("search_documents", json!({"query": "NOT garage"}));
    assert!(failed.contains("NOT without other words"), "{failed}");
    let failed = client.call_failing("search_documents", json!({"query": "late payment", "count_only": true}));
    assert!(failed.contains("can only be counted"), "{failed}");

    let of_each = json!({"query": "terminat*", "per_document": 1, "brief": true});
    let (text, of_each) = client.call("search_documents", of_each);
    assert_eq!((of_each["hits"].as_array().unwrap().len(), &of_each["complete"]["passages"]), (2, &json!(3)));
    assert!(text.contains("3 passages; 1 to 2 are listed."), "{text}");

    run(home, &["new", "Other"]);
    run(home, &["ingest", files.join("Loan.txt").to_str().unwrap(), "-c", "Other"]);
    let both = run_json(home, &["search", "\"late payment\"", "-c", "Flat", "-c", "Other", "-k", "2", "--offset", "1"]);
    let of: Vec<_> =
        both["results"].as_array().unwrap().iter().map(|result| (&result["collection"], &result["rank"])).collect();
    assert_eq!(of, [(&json!("Flat"), &json!(2)), (&json!("Other"), &json!(3))]);
    assert_eq!(both["complete"]["documents"], 3);
    let shown = run(home, &["search", "terminat* NOT deposit", "-c", "Flat", "-k", "1"]);
    assert!(shown.contains("in 2 of 3 documents, 2 passages; 1 to 1 are listed."), "{shown}");
    assert!(shown.trim_end().ends_with("… 1 more: see them with --offset 1."), "{shown}");
    client.close();
}

#[test]
fn a_list_of_terms_is_counted_by_document() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    write_files(&files, &MATTER);
    run(home, &["new", "Flat"]);
    run(home, &["ingest", files.to_str().unwrap(), "-c", "Flat"]);
    let mut client = Client::start(home, &["-c", "Flat"]);
    let terms =
        json!(["terminat*", "late payment", "breach w/3 contract", "novation", "rent AND", "+bank document:Loan"]);
    let (text, report) = client.call("search_terms", json!({"terms": terms}));
    let totals: Vec<_> = report["terms"]
        .as_array()
        .unwrap()
        .iter()
        .map(|total| (total["documents"].as_u64().unwrap(), total["passages"].as_u64().unwrap()))
        .collect();
    assert_eq!(totals, [(2, 3), (2, 2), (1, 1), (0, 0), (0, 0), (1, 1)]);
    assert!(report["terms"][4]["problem"].as_str().unwrap().contains("has nothing after it"), "{report:#}");
    assert_eq!(
        report["rows"],
        json!([
            {"document_name": "Lease.txt", "passages": {"1": 2, "2": 1}},
            {"document_name": "Loan.txt", "passages": {"1": 1, "2": 1, "3": 1, "6": 1}},
        ])
    );
    assert_eq!((&report["documents_with_hits"], &report["documents_without_hits"]), (&json!(2), &json!(1)));
    assert_eq!(report["passages_with_hits"], 4);
    assert!(text.contains("1. terminat*: 2 documents, 3 passages\n"), "{text}");
    assert!(text.contains("Lease.txt: terminat* 2, late payment 1\n"), "{text}");
    let terms = json!(["deposit AND garage", "interest NOT bank", "(deposit OR bank) NOT garage", "deposit OR garage"]);
    let (text, whole) = client.call("search_terms", json!({"terms": terms}));
    let counts = |total: &Value| (total["documents"].clone(), total["whole_documents"].clone());
    assert_eq!(
        whole["terms"].as_array().unwrap().iter().map(counts).collect::<Vec<_>>(),
        [(json!(0), json!(1)), (json!(2), json!(1)), (json!(2), json!(1)), (json!(1), Value::Null)],
        "{whole:#}"
    );
    assert!(text.contains("1. deposit AND garage: 0 documents, 0 passages; 1 whole document\n"), "{text}");
    let part = client.call("search_terms", json!({"terms": ["terminat*"], "limit": 1})).1;
    assert_eq!((part["rows"].as_array().unwrap().len(), &part["next_offset"]), (1, &json!(1)));
    let of_one = client.call("search_terms", json!({"terms": ["terminat*"], "document": "Loan"})).1;
    assert_eq!((&of_one["documents"], &of_one["terms"][0]["passages"]), (&json!(1), &json!(1)));
    client.call_failing("search_terms", json!({"terms": []}));
    client.close();

    let list = data.path().join("terms.txt");
    std::fs::write(&list, "\u{feff}terminat*\r\n\r\n\"late payment\"\n").unwrap();
    let csv = run(home, &["search-terms", list.to_str().unwrap(), "-c", "Flat", "--csv"]);
    assert_eq!(csv.trim_end(), "document,terminat*,\"\"\"late payment\"\"\"\nLease.txt,2,1\nLoan.txt,1,1");
    let report = run_json(home, &["search-terms", "garage", "late payment", "-c", "Flat"]);
    assert_eq!((&report["terms"][0]["passages"], &report["terms"][1]["passages"]), (&json!(1), &json!(2)));
    run_expecting(1, home, &["search-terms", " ", "-c", "Flat"]);
}

#[test]
fn phrases_over_page_breaks_are_named_beside_the_list() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    let page = |n: usize, text: &str| format!("Fees of the Harbour\n\n{text}\n\nPage {n} of 4");
    let pages = [
        page(1, "The tenant owes a late payment fee of ten euros."),
        page(2, "No other sum is owed but a late"),
        page(3, "payment fee of twenty euros, which is"),
        page(4, "payable at once."),
    ];
    write_files(&files, &[("Fees.txt", &pages.join("\u{c}"))]);
    let mut client = Client::start_in(home, "Fees", &files);
    let (text, found) = client.call("search_documents", json!({"query": "\"late payment fee\"", "top_k": 50}));
    assert_eq!(places(&found), ["Fees.txt 1"], "{text}");
    assert!(
        text.contains("The phrase \"late payment fee\" also crosses a page break in 1 place. These places are not counted or listed: Fees.txt, p. 2"),
        "{text}"
    );
    let (text, _) = client.call("search_documents", json!({"query": "\"ten euros\"", "top_k": 50}));
    assert!(!text.contains("page break"), "{text}");
}
