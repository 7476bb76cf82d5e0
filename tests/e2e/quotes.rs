//! Quotations are checked against the documents, one by one and in a draft.

use serde_json::{Value, json};

use crate::client::{Client, passage, run, run_expecting, run_json, samples, write_files};

const INTEREST: &str = "If the Employer fails to pay a sum due by the final date for payment, it shall pay simple interest on the overdue amount";

#[test]
fn quotations_are_exact_differ_or_are_not_found() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    run(home, &["new", "HP"]);
    run(home, &["ingest", samples().join("harbour-point").to_str().unwrap(), "-c", "HP"]);
    let mut client = Client::start(home, &["--collection", "HP"]);
    let mut check = |arguments: Value| client.call("verify_quote", arguments);

    let (text, exact) = check(json!({"text": INTEREST}));
    assert_eq!((&exact["status"], &exact["total"]), (&json!("exact"), &json!(2)), "{exact:#}");
    let citations: Vec<&str> =
        exact["places"].as_array().unwrap().iter().map(|place| place["citation"].as_str().unwrap()).collect();
    assert_eq!(
        citations,
        ["Amendment_No_1.docx, p. 1, para. 17, l. 13", "Refurbishment_Works_Agreement.pdf, p. 4, para. 24, ll. 28-29"]
    );
    assert!(text.starts_with("Exact: word for word, in 2 places of HP.") && text.contains(citations[1]), "{text}");
    let headings = exact["places"][1]["heading_path"].as_array().unwrap();
    assert_eq!(headings[1], "7. Payment", "{headings:?}");
    assert!(exact.to_string().len() <= 2 * text.len(), "{exact}");
    let (text, part) = check(json!({"text": INTEREST, "limit": 1}));
    assert_eq!((part["places"].as_array().unwrap().len(), &part["next_offset"]), (1, &json!(1)));
    assert!(text.ends_with("… 1 more: call again with offset 1."), "{text}");
    let (_, rest) = check(json!({"text": INTEREST, "limit": 1, "offset": 1}));
    assert_eq!((&rest["places"][0]["citation"], &rest["next_offset"]), (&json!(citations[1]), &Value::Null));

    // Typography makes no difference, and is named.
    let (text, exact) = check(
        json!({"text": "simple interest on\nthe overdue amount at 4 per cent", "document": "Refurbishment_Works_Agreement"}),
    );
    assert_eq!((&exact["status"], &exact["typography"]), (&json!("exact"), &json!(["line_breaks"])), "{exact:#}");
    assert!(text.contains("Typography differs: line breaks."), "{text}");

    // A confusion of a scan is a difference, and the words are the same.
    let (text, differs) = check(json!({"text": INTEREST.replace("sum", "surn").replace("payment,", "pay ment")}));
    let nearest = &differs["nearest"];
    assert_eq!((&differs["status"], &nearest["same_words"]), (&json!("differs"), &json!(true)), "{differs:#}");
    let kinds: Vec<&Value> = nearest["differences"].as_array().unwrap().iter().map(|one| &one["kind"]).collect();
    assert_eq!(kinds, ["scanning_slip", "scanning_slip", "punctuation"], "{nearest:#}");
    assert!(passage(&nearest["text"]).starts_with("If the Employer fails to pay a sum due"), "{nearest:#}");
    assert!(text.contains("the quotation has \"surn\", the document \"sum\""), "{text}");

    // A number and a "not" are marked.
    let changed = format!("{} at 5 per cent per annum", INTEREST.replace("shall pay", "shall not pay"));
    let (_, differs) = check(json!({"text": changed, "document": "Refurbishment_Works_Agreement"}));
    let found = &differs["nearest"]["differences"];
    assert_eq!(
        found[0],
        json!({"kind": "negation", "quotation": "not", "document": "", "preceded_by": "payment, it shall"}),
        "{found:#}"
    );
    assert_eq!(
        (&found[1]["quotation"], &found[1]["document"], &found[1]["kind"]),
        (&json!("5"), &json!("4"), &json!("number"))
    );
    assert_eq!((&differs["status"], &differs["nearest"]["same_words"]), (&json!("differs"), &json!(false)));

    // Ellipses and brackets stand for what the document has there.
    let (text, marked) = check(json!({"text": "[t]he Employer fails to pay a sum due … shall pay [flat] interest"}));
    assert_eq!((&marked["status"], marked["marked"].as_array().unwrap().len()), (&json!("exact"), 3), "{marked:#}");
    let omitted = "Marked: \"…\" (7 words left out); the document has \"by the final date for payment, it\" there.";
    assert!(text.contains(omitted), "{text}");
    let (_, elsewhere) = check(json!({"text": INTEREST, "document": "Cost_Plan"}));
    assert_eq!(elsewhere["status"], "not_found");
    assert_eq!(elsewhere["elsewhere"].as_array().unwrap().len(), 2, "{elsewhere:#}");

    let (text, nothing) = check(json!({"text": "No dogs are allowed on the pier after sunset in summer"}));
    assert_eq!(nothing["status"], "not_found", "{text}");
    assert!(client.call_failing("verify_quote", json!({"text": "“…”"})).contains("has no words"));
    client.close();

    let shown = run(home, &["verify-quote", INTEREST, "-c", "HP"]);
    assert!(shown.contains(citations[0]) && shown.contains("Section: "), "{shown}");
    let shown = run(home, &["verify-quote", INTEREST, "-c", "HP", "--limit", "1"]);
    assert!(shown.trim_end().ends_with("… 1 more: see them with --offset 1."), "{shown}");
    run_expecting(1, home, &["verify-quote", INTEREST, "-c", "HP", "--document", "Nothing.pdf"]);
    run_expecting(3, home, &["verify-quote", &INTEREST.replace("shall pay", "may pay"), "-c", "HP"]);
    run_expecting(3, home, &["verify-quote", "No dogs are allowed on the pier after sunset in summer", "-c", "HP"]);
}

const DRAFT: &str = "# Memo

Clause 7.6 of the Refurbishment_Works_Agreement (p. 4) says “If the Employer fails to pay a sum due by the final date for
payment, it shall pay simple interest.” It was changed:

> it shall pay simple interest on the overdue amount at 3.5 per cent per annum
> — Amendment_No_1.docx, p. 2

The \"Base Rate\" is defined. As \"the Employer shall never pay a penny to anybody at all\" (Cost_Plan.xlsx).
";

#[test]
fn the_quotations_of_a_draft_are_checked_with_their_citations() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    run(home, &["new", "HP"]);
    run(home, &["ingest", samples().join("harbour-point").to_str().unwrap(), "-c", "HP"]);
    let mut client = Client::start(home, &["--collection", "HP"]);
    let (text, checked) = client.call("verify_quotes", json!({"text": DRAFT}));
    let counts = json!({"quotations": 3, "exact": 1, "differ": 1, "not_found": 1, "citations": 0, "citations_that_do_not_fit": 1});
    assert_eq!(checked["counts"], counts, "{text}");
    let rows = checked["rows"].as_array().unwrap();
    let lines: Vec<&Value> = rows.iter().map(|row| &row["line"]).collect();
    assert_eq!(lines, [3, 6, 9]);
    assert_eq!(rows[0]["cited"]["fit"], "fits", "{checked:#}");
    assert_eq!(rows[0]["citation"], "Refurbishment_Works_Agreement.pdf, p. 4, para. 24, l. 28");
    assert_eq!(rows[0]["typography"], json!(["line_breaks", "closing_punctuation"]));
    assert_eq!(
        rows[1]["cited"],
        json!({"document_name": "Amendment_No_1.docx", "pages": [2, 2], "fit": "does_not_fit", "fault": "page"})
    );
    assert_eq!(
        (&rows[1]["differences"][0]["quotation"], &rows[1]["differences"][0]["document"]),
        (&json!("3.5"), &json!("2.5"))
    );
    assert_eq!((&rows[2]["status"], &rows[2]["cited"]["fit"]), (&json!("not_found"), &json!("unknown")));
    assert!(
        text.starts_with("3 quotations in the draft, checked against HP: 1 exact, 1 differ, 1 not found."),
        "{text}"
    );
    assert!(checked.to_string().len() <= 2 * text.len(), "{} {}", checked.to_string().len(), text.len());
    let (_, part) = client.call("verify_quotes", json!({"text": DRAFT, "offset": 1, "limit": 1}));
    assert_eq!((&part["rows"][0]["number"], &part["next_offset"], &part["counts"]), (&json!(2), &json!(2), &counts));
    client.close();

    let file = data.path().join("draft.md");
    std::fs::write(&file, DRAFT).unwrap();
    let shown = run_expecting(3, home, &["verify-quotes", file.to_str().unwrap(), "-c", "HP", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&shown).unwrap()["counts"], counts);
    let shown = run_expecting(3, home, &["verify-quotes", file.to_str().unwrap(), "-c", "HP", "--limit", "1"]);
    assert!(shown.contains("1. line 3: exact") && !shown.contains("2. line"), "{shown}");
}

#[test]
fn quotations_run_over_page_breaks_and_running_heads() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let kinds = ["red", "blue", "old", "new"];
    let sentence = |n: usize| format!("The supplier of {} slates shall deliver them to the harbour in", kinds[n - 1]);
    let page = |n: usize| {
        let kind = kinds[n - 1];
        let middle: Vec<String> =
            ["dear", "rare", "heavy"].map(|what| format!("For {kind} slates that are {what}, see below.")).into();
        format!(
            "Slate Supply Agreement\n\n{kind} condition and at its own cost.\n\n{}\n\n{}\n\nPage {n} of 4",
            middle.join("\n\n"),
            sentence(n)
        )
    };
    let pages: Vec<String> = (1..=4).map(page).collect();
    std::fs::create_dir(data.path().join("files")).unwrap();
    std::fs::write(data.path().join("files/Slates.txt"), pages.join("\u{c}")).unwrap();
    run(home, &["new", "Slates"]);
    run(home, &["ingest", data.path().join("files").to_str().unwrap(), "-c", "Slates"]);
    let check = |text: &str| run_json(home, &["verify-quote", text, "-c", "Slates"]);
    let quotation = format!("{} old condition and at its own cost.", sentence(2));
    let found = check(&quotation);
    assert_eq!(found["status"], "exact", "{found:#}");
    assert_eq!(found["places"][0]["citation"], "Slates.txt, p. 2, para. 6, l. 11 to p. 3, para. 2, l. 3");
    assert!(found["typography"].as_array().unwrap().contains(&json!("page_break")), "{found:#}");
    // A line of the text itself may not be left out.
    let quotation = format!("{} For old slates that are dear, see below.", sentence(2));
    let found = run_expecting(3, home, &["verify-quote", &quotation, "-c", "Slates", "--json"]);
    assert!(found.contains("\"status\": \"differs\""), "{found}");
}

#[test]
fn a_quotation_of_pages_differs_by_its_changed_words_alone() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let entry = |n: usize| {
        format!(
            "{n}. On the day named in column {n} the supplier shall deliver {} slates, and the buyer pays for them.",
            3 * n + 7
        )
    };
    let entries: Vec<String> = (100..400).map(entry).collect();
    let files = data.path().join("files");
    write_files(&files, &[("Slates.txt", &entries.join("\n\n"))]);
    run(home, &["new", "Slates"]);
    run(home, &["ingest", files.to_str().unwrap(), "-c", "Slates"]);
    let mut client = Client::start(home, &["--collection", "Slates"]);

    let quoted = entries[100..190].join(" ");
    assert!((9_000..10_000).contains(&quoted.len()));
    let mut check = |text: &str| client.call("verify_quote", json!({"text": text})).1;
    assert_eq!(check(&quoted)["status"], "exact");
    let changed = quoted
        .replace("deliver 637 slates", "deliver 638 slates")
        .replace("column 250 the supplier shall", "column 250 the supplier shall not");
    let found = check(&changed);
    let differences = found["nearest"]["differences"].as_array().unwrap();
    let sides: Vec<_> = differences.iter().map(|one| (&one["kind"], &one["quotation"], &one["document"])).collect();
    assert_eq!(
        sides,
        [(&json!("number"), &json!("638"), &json!("637")), (&json!("negation"), &json!("not"), &json!(""))],
        "{differences:#?}"
    );
    assert_eq!(found["status"], "differs");
    client.close();
}

const STYLES: [&str; 5] = [
    "full",
    "short",
    "bates",
    "{path}, {page} [{exhibit}] [{numbers}], {paragraphs}, {lines}",
    "{file} ({label}; Bates {bates}), {numbers} {heading}",
];

/// Sentences of documents with Bates numbers, with numbered paragraphs, and without pages.
const CITED: [&str; 4] = [
    "interest on the overdue amount at 4 per cent",
    "the supplier of red slates delivers them to the harbour",
    "the carrier of blue slates waives every claim for delay",
    "the warden of grey slates keeps them dry for a year",
];

#[test]
fn citations_of_every_style_fit_where_they_were_made() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    let page = |n: usize, said: &str| {
        let next = n + 1;
        format!("Slate Production\n\n{n}. On the day named the parties meet.\n\n{next}. And so {said}.\n\nSLATE-{n:06}")
    };
    let stamped: Vec<String> = (1..=6).map(|n| page(n, CITED[1 + usize::from(n > 3)])).collect();
    let unpaged = format!("<h1>1. Rules</h1><p>These hold.</p><h2>7. Of grey slates</h2><p>So {}.</p>", CITED[3]);
    write_files(&files, &[("Slates.txt", &stamped.join("\u{c}")), ("Rules.html", &unpaged)]);
    run(home, &["new", "HP"]);
    run(home, &["ingest", samples().join("harbour-point").to_str().unwrap(), files.to_str().unwrap(), "-c", "HP"]);
    for style in STYLES {
        let (mut draft, mut citations) = (String::new(), Vec::new());
        for sentence in CITED {
            let found = run_json(home, &["verify-quote", sentence, "-c", "HP", "--citations", style]);
            for place in found["places"].as_array().unwrap() {
                let citation = place["citation"].as_str().unwrap();
                draft += &format!("It says “{sentence}” ({citation}). And nothing else.\n\n");
                citations.push(citation.to_owned());
            }
        }
        assert!(citations.len() >= 8, "{style}: {citations:?}");
        let file = data.path().join("draft.md");
        std::fs::write(&file, draft).unwrap();
        let checked = run_json(home, &["verify-quotes", file.to_str().unwrap(), "-c", "HP", "--citations", style]);
        let rows = checked["rows"].as_array().unwrap();
        assert_eq!(rows.len(), citations.len(), "{style}: {checked:#}");
        for (row, citation) in rows.iter().zip(&citations) {
            assert_eq!((&row["status"], &row["citation"]), (&json!("exact"), &json!(citation)), "{style}: {row:#}");
            // If only the document is cited, or a file has no pages, that is all there is to check.
            assert_ne!(row["cited"]["fit"], "does_not_fit", "{style}: {citation}: {row:#}");
            assert!(row["cited"]["fit"] == "fits" || citation.contains("no page"), "{style}: {citation}: {row:#}");
        }
    }
}

#[test]
fn what_a_citation_names_is_checked_one_by_one_and_without_a_quotation() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    run(home, &["new", "HP"]);
    run(home, &["ingest", samples().join("harbour-point").to_str().unwrap(), "-c", "HP"]);
    let mut client = Client::start(home, &["--collection", "HP"]);
    let mut fit = |citation: &str| {
        let (_, checked) = client.call("verify_quotes", json!({"text": format!("It says “{INTEREST}” ({citation}).")}));
        let cited = &checked["rows"][0]["cited"];
        (cited["fit"].as_str().unwrap().to_owned(), cited["fault"].as_str().unwrap_or_default().to_owned())
    };
    let agreement = "Refurbishment_Works_Agreement.pdf";
    for (rest, fault) in [
        ("p. 4, para. 24, ll. 28-29", ""),
        ("p. 4, para. 24, l. 28", ""),
        ("p. 4, paras. 20-30", ""),
        ("p. 4, para. 25, l. 28", "paragraph"),
        ("p. 4, para. 24, l. 1", "line"),
        ("p. 5, para. 24, l. 28", "page"),
        ("p. 4, § 7", ""),
        ("p. 4, § 9", "section"),
    ] {
        let expected = if fault.is_empty() { "fits" } else { "does_not_fit" };
        assert_eq!(fit(&format!("{agreement}, {rest}")), (expected.to_owned(), fault.to_owned()), "{rest}");
    }
    assert_eq!(fit("Cost_Plan.xlsx, p. 1"), ("does_not_fit".to_owned(), "document".to_owned()));
    assert_eq!(fit("Sublease.pdf, p. 4"), ("does_not_fit".to_owned(), "not_in_collection".to_owned()));
    assert_eq!(fit("Sublease, p. 4"), ("unknown".to_owned(), "not_in_collection".to_owned()));

    let draft = format!(
        "The fee is low. See {agreement}, p. 4, § 7. It may end: Section 44 of the Refurbishment_Works_Agreement.\n\nCompare \
         {agreement}, p. 90, and Sublease.pdf, p. 3.\n\nThe parties meet \"4 per cent\" of the time."
    );
    let (text, checked) = client.call("verify_quotes", json!({"text": draft}));
    let alone: Vec<(&Value, &Value, &Value)> = checked["citations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["line"], &row["cited"]["fit"], &row["cited"]["fault"]))
        .collect();
    let wrong = json!("does_not_fit");
    assert_eq!(
        alone,
        [
            (&json!(1), &json!("fits"), &Value::Null),
            (&json!(1), &wrong, &json!("section")),
            (&json!(3), &wrong, &json!("page")),
            (&json!(3), &wrong, &json!("not_in_collection")),
        ],
        "{text}"
    );
    assert_eq!(
        (&checked["counts"]["citations"], &checked["counts"]["citations_that_do_not_fit"]),
        (&json!(4), &json!(3))
    );
    assert_eq!(checked["counts"]["quotations"], 1, "two words with a number are a quotation: {text}");
    assert!(text.contains("4 citations without a quotation:\n- line 1: "), "{text}");
    assert!(text.contains("the cited document is not in the collection"), "{text}");
}
