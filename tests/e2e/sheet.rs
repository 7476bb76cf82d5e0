//! The matter sheet and obligations, as tools and on the command line.

use std::io::Read;
use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, run, run_expecting, run_json, write_files};

const SUPPLY: &str = "SUPPLY AGREEMENT\n\nThis Supply Agreement is made as of May 3, 2004 (the \"Effective Date\") by and between Acme Foods, \
    Inc., a Delaware corporation (\"Acme\"), and Beta Tools LLC (\"Beta\").\n\n1. Term. The term of this Agreement is three (3) years from \
    the Effective Date. Thereafter it shall renew automatically for successive one (1) year terms unless either party gives notice of \
    non-renewal at least ninety (90) days before the end of the term.\n\n2. Payment. Beta shall pay a deposit of $5,000 within ten (10) \
    days after the Effective Date.\n\n3. Law. This Agreement shall be governed by the laws of the State of Ohio.\n";
const AGENCY: &str = "AGENCY AGREEMENT\n\nThis Agency Agreement is entered into on June 1, 2010 by and between Gamma Holdings, Inc. \
    (\"Gamma\") and Delta Agents Ltd. (\"Agent\").\n\n1. Term. This Agreement shall expire on December 31, 2012.\n\n2. Law. This Agreement is \
    governed by the laws of England and Wales.\n";

fn matter(dir: &Path) -> Client {
    write_files(&dir.join("files"), &[("supply.txt", SUPPLY), ("=agency.txt", AGENCY)]);
    Client::start_in(&dir.join("home"), "Matter", &dir.join("files"))
}

fn values(sheet: &Value, row: usize, column: &str) -> Vec<String> {
    let values = sheet["rows"][row]["cells"][column].as_array().cloned().unwrap_or_default();
    values.iter().map(|value| value["value"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_sheet_has_a_row_for_each_document_and_columns_that_users_define() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = matter(dir.path());
    let (text, sheet) = client.call("get_matter_sheet", json!({"sort": "-expiry", "detail": "full"}));
    assert_eq!(sheet["rows"].as_array().unwrap().len(), 2);
    assert_eq!(values(&sheet, 0, "expiry"), ["2012-12-31"]);
    assert_eq!(values(&sheet, 1, "expiry"), ["2007-05-03"]);
    assert_eq!(values(&sheet, 1, "parties"), ["Acme Foods, Inc. (\"Acme\")", "Beta Tools LLC (\"Beta\")"]);
    assert_eq!(values(&sheet, 1, "notice_period"), ["90 days"]);
    assert_eq!(values(&sheet, 1, "governing_law"), ["Ohio"]);
    assert!(
        text.contains("expiry: 2007-05-03, computed: 3 years from 2004-05-03 (p. 1), the anniversary: the last day is 2007-05-02 [p. 1, para. 4, l. 5; "),
        "{text}"
    );
    assert!(sheet["rows"][0]["not_found"].as_array().unwrap().contains(&json!("notice_period")));

    client.call("define_column", json!({"name": "deposit", "pattern": "deposit of (\\$[\\d,]+)", "type": "amount"}));
    client.call("define_column", json!({"name": "clause", "pattern": "\\d\\. (Term|Law)"}));
    let refused = client.call_failing("define_column", json!({"name": "deposit", "pattern": "("}));
    assert!(refused.contains("The pattern cannot be read"), "{refused}");
    let refused = client.call_failing("define_column", json!({"name": "expiry", "question": "When does it end?"}));
    assert!(refused.contains("built-in column"), "{refused}");
    let narrow = json!({"columns": ["title", "deposit"], "filter": ["governing_law=ohio", "expiry<2010"]});
    let (_, sheet) = client.call("get_matter_sheet", narrow);
    assert_eq!((&sheet["total"], values(&sheet, 0, "deposit").len()), (&json!(1), 1), "{sheet}");

    // A question is asked of all documents at once; a typed cell is the first value of what answers.
    let refused = client.call_failing("define_column", json!({"name": "broken", "question": "+renew"}));
    assert!(refused.contains("conditions only"), "{refused}");
    let asked = "Is renewal automatic unless notice of non-renewal is given?";
    client.call("define_column", json!({"name": "renewal", "question": asked}));
    client.call("define_column", json!({"name": "renews_for", "question": asked, "type": "duration"}));
    let both = json!({"columns": ["renewal", "renews_for"], "documents": ["supply.txt"], "include_boxes": true});
    let (text, sheet) = client.call("get_matter_sheet", both.clone());
    assert_eq!((&sheet["documents"], &sheet["total"]), (&json!(2), &json!(1)), "{text}");
    assert!(values(&sheet, 0, "renewal")[0].contains("renew automatically for successive"), "{text}");
    assert_eq!(values(&sheet, 0, "renews_for"), ["1 year"], "{text}");
    let place = &sheet["rows"][0]["cells"]["renewal"][0];
    let (start, end) = (place["char_start"].as_u64().unwrap() as usize, place["char_end"].as_u64().unwrap() as usize);
    assert!(SUPPLY[start..end].contains("renew automatically for successive"), "{place}");
    let (text, sheet) = client.call("get_matter_sheet", json!({"columns": ["title"], "filter": ["renewal"]}));
    assert_eq!(
        (&sheet["total"], values(&sheet, 0, "title")),
        (&json!(1), vec!["SUPPLY AGREEMENT".to_owned()]),
        "{text}"
    );

    // A document that changes is read again.
    let changed = SUPPLY.replace("Ohio", "Texas").replace("one (1) year terms", "two (2) year terms");
    std::fs::write(dir.path().join("files/supply.txt"), changed).unwrap();
    client.call("ingest_folder", json!({"folder_path": dir.path().join("files")}));
    let (_, sheet) =
        client.call("get_matter_sheet", json!({"columns": ["governing_law"], "filter": ["governing_law=texas"]}));
    assert_eq!(sheet["total"], 1);
    assert_eq!(values(&client.call("get_matter_sheet", both).1, 0, "renews_for"), ["2 years"]);

    let (text, list) = client.call("list_documents", json!({"sort_by": "name"}));
    assert_eq!(list["documents"][1]["governing_law"], "Texas");
    assert!(text.contains("date: 2004-05-03 | law: \"Texas\""), "{text}");
    client.close();

    // Columns of one's own go with the collection.
    let (home, archive) = (&dir.path().join("home"), dir.path().join("matter.ctcollection"));
    run(home, &["export", archive.to_str().unwrap(), "-c", "Matter"]);
    run(home, &["import", archive.to_str().unwrap(), "--name", "Copy"]);
    let sheet = run_json(home, &["sheet", "Copy", "--columns", "deposit"]);
    assert_eq!((values(&sheet, 0, "deposit").len(), values(&sheet, 1, "deposit").len()), (0, 1), "{sheet}");
}

const LETTER: &str = "Lee & Sons Ltd\n1 Mill Lane, Leeds\n\n4 May 2020\n\nRay Trading plc\n7 Dock Road\n\nDear Mr Ray,\n\nThe rent is due \
    under the laws of England.\n\nYours sincerely,\n\nAnn Lee\n";
const INVOICE: &str = "INVOICE\n\nInvoice No.: 2024-17\nInvoice date: 4 May 2024\n\nBooks\nTotal EUR 24.50\n";
const MINUTES: &str = "Minutes of the Board Meeting\n\nDate: 5 June 2021\nPresent: Ann Lee (Chair), Tom Ray\n\nThe accounts were approved.\n";

#[test]
fn letters_invoices_and_minutes_have_columns_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let files = dir.path().join("files");
    write_files(
        &files,
        &[("invoice.txt", INVOICE), ("letter.txt", LETTER), ("minutes.txt", MINUTES), ("supply.txt", SUPPLY)],
    );
    let mut client = Client::start_in(&dir.path().join("home"), "Matter", &files);
    let (text, sheet) = client.call("get_matter_sheet", json!({"detail": "full"}));
    for (row, column, expected) in [
        (0, "number", vec!["2024-17"]),
        (0, "date", vec!["2024-05-04"]),
        (0, "total", vec!["EUR 24.5"]),
        (1, "from", vec!["Ann Lee"]),
        (1, "to", vec!["Ray Trading plc"]),
        (1, "date", vec!["2020-05-04"]),
        (1, "governing_law", vec![]),
        (1, "agreement_date", vec![]),
        (2, "meeting", vec!["Board Meeting"]),
        (2, "date", vec!["2021-06-05"]),
        (2, "present", vec!["Ann Lee", "Tom Ray"]),
        (3, "governing_law", vec!["Ohio"]),
        (3, "date", vec![]),
    ] {
        assert_eq!(values(&sheet, row, column), expected, "{column}: {text}");
    }
    let place = &sheet["rows"][0]["cells"]["number"][0];
    let (start, end) = (place["char_start"].as_u64().unwrap() as usize, place["char_end"].as_u64().unwrap() as usize);
    assert_eq!(&INVOICE[start..end], "2024-17", "{place}");
    let missing =
        |row: usize, column: &str| sheet["rows"][row]["not_found"].as_array().unwrap().contains(&json!(column));
    assert!(!missing(3, "from") && !missing(1, "total") && missing(3, "venue"), "{sheet}");
    let (text, _) = client.call("list_documents", json!({}));
    assert!(text.contains("number: \"2024-17\"") && text.contains("present: \"Ann Lee; Tom Ray\""), "{text}");

    // Only the columns that have a value are shown by default.
    let (text, sheet) = client.call("get_matter_sheet", json!({"documents": ["supply.txt"]}));
    let names: Vec<&Value> = sheet["columns"].as_array().unwrap().iter().map(|column| &column["name"]).collect();
    assert!(names.contains(&&json!("governing_law")) && !names.contains(&&json!("from")), "{text}");
}

#[test]
fn the_sheet_is_written_for_spreadsheets_without_formulas() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    drop(matter(dir.path()));
    let csv = run(&home, &["sheet", "Matter", "--columns", "title,expiry", "--csv"]);
    let with_option = run(&home, &["sheet", "-c", "Matter", "--columns", "title,expiry", "--csv"]);
    assert_eq!(with_option, csv);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "document,title,title source,expiry,expiry source");
    assert!(lines[1].starts_with("'=agency.txt,AGENCY AGREEMENT,"), "{csv}");
    let markdown = run(&home, &["sheet", "Matter", "--columns", "title", "--md"]);
    assert!(
        markdown.starts_with("| document | title |\n|---|---|\n| =agency.txt | AGENCY AGREEMENT (p. 1,"),
        "{markdown}"
    );
    let file = dir.path().join("sheet.xlsx");
    run(&home, &["sheet", "Matter", "--xlsx", file.to_str().unwrap()]);
    let mut archive = zip::ZipArchive::new(std::fs::File::open(&file).unwrap()).unwrap();
    let mut sheet = String::new();
    archive.by_name("xl/worksheets/sheet1.xml").unwrap().read_to_string(&mut sheet).unwrap();
    assert!(sheet.contains("Acme Foods, Inc.") && !sheet.contains("<f>"), "{sheet}");
}

#[test]
fn obligations_have_days_with_their_arithmetic() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let mut client = matter(dir.path());
    let (text, report) = client.call("get_obligations", json!({"end_date": "2007"}));
    let due: Vec<_> = report["obligations"].as_array().unwrap().iter().map(|duty| &duty["due"]).collect();
    assert_eq!(due, ["2004-05-13", "2007-02-01"], "{text}");
    assert!(text.contains("computed: 10 days from 2004-05-03 (p. 1)"), "{text}");
    let (_, timeline) = client.call("get_collection_timeline", json!({"role": "computed"}));
    assert!(
        timeline.to_string().contains("end of term, computed: 3 years from 2004-05-03 (p. 1), the anniversary"),
        "{timeline}"
    );
    let (_, sheet) =
        client.call("get_matter_sheet", json!({"columns": ["next_notice"], "sort": "-next_notice", "detail": "full"}));
    let next = &sheet["rows"][0]["cells"]["next_notice"][0];
    let today = &casetrack_core::Timestamp::now().to_string()[..10];
    assert!(next["value"].as_str().unwrap() >= today && next["confidence"].as_u64().unwrap() > 0, "{sheet}");
    assert!(
        next["computed"].as_str().unwrap().contains("if the term that first ended on 2007-05-02 (p. 1) was renewed")
    );
    assert_eq!(sheet["rows"][1]["not_found"], json!(["next_notice"]));
    drop(client);
    let calendar = run(&home, &["obligations", "--ics"]);
    // The day for the notice that ended the first term, and the next one.
    assert_eq!(calendar.matches("BEGIN:VEVENT").count(), 3, "{calendar}");
    assert!(calendar.contains("DTSTART;VALUE=DATE:20070201"), "{calendar}");
    let by_party = run_json(&home, &["obligations", "--party", "beta"]);
    assert_eq!(by_party["total"], 1);
    // The contract's word and the name.
    assert_eq!(by_party["obligations"][0]["parties"], json!(["Beta Tools LLC"]));
    assert_eq!(run_json(&home, &["obligations", "--party", "tools llc"])["total"], 1);
    let shown = run(&home, &["obligations", "--party", "tools llc"]);
    assert!(shown.contains("Beta (Beta Tools LLC) shall pay"), "{shown}");
    run(&home, &["tag", "supply.txt", "--add", "old"]);
    assert_eq!(run_json(&home, &["obligations", "--tag=-old"])["total"], 0);
}

#[test]
fn columns_are_defined_and_removed_on_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let mut client = matter(dir.path());
    client.call("define_column", json!({"name": "gone", "pattern": "Term"}));
    let (text, left) = client.call("define_column", json!({"name": "gone", "remove": true}));
    assert!(!text.contains("gone") && !left.to_string().contains("gone"), "{text}");
    assert!(
        client.call_failing("define_column", json!({"name": "gone", "remove": true})).contains("no column \"gone\"")
    );
    client.close();
    let shown = run(
        &home,
        &["sheet", "Matter", "--define", "deposit", "--pattern", "deposit of (\\$[\\d,]+)", "--type", "amount"],
    );
    assert!(shown.contains("  deposit (amount): "), "{shown}");
    let found = |filter: &str| run_json(&home, &["sheet", "Matter", "--columns", "title", "--filter", filter]);
    assert_eq!((&found("deposit>USD 4,000")["total"], &found("deposit>5 thousand")["total"]), (&json!(1), &json!(0)));
    assert_eq!(found("expiry<May 2010")["total"], 1);
    run(&home, &["tag", "supply.txt", "--add", "old"]);
    assert_eq!((&found("tag:old")["total"], &found("-tag:old")["total"]), (&json!(1), &json!(1)));
    run_expecting(1, &home, &["sheet", "Matter", "--filter", "expiry<soon"]);
    run(&home, &["sheet", "Matter", "--remove", "deposit"]);
    run_expecting(1, &home, &["sheet", "Matter", "--remove", "deposit"]);
    run_expecting(1, &home, &["sheet", "Matter", "--remove", "expiry"]);
}

#[test]
fn a_column_of_examples_has_the_clause_that_is_most_like_them() {
    let dir = tempfile::tempdir().unwrap();
    let text = |clause: &str| {
        let parties = ["The Supplier", "The Buyer", "Each party", "The Contractor"];
        let duties = ["shall deliver", "must keep", "may inspect", "shall not disclose", "reports"];
        let things = [
            "the goods of an order",
            "the books of the other party",
            "the price list",
            "a notice of delay",
            "all samples",
        ];
        let ways = [
            "during the term of this agreement",
            "at its own cost",
            "within thirty days",
            "without consent",
            "in writing",
        ];
        let plain: String = (0..60)
            .map(|n| {
                format!("{n}. {} {} {} {}.\n\n", parties[n % 4], duties[n % 5], things[n / 5 % 5], ways[n / 3 % 5])
            })
            .collect();
        format!("SUPPLY AGREEMENT\n\n{plain}61. {clause}\n")
    };
    let files = dir.path().join("files");
    write_files(
        &files,
        &[
            ("with.txt", &text("Vendor must take back packaging and recycle all packaging material at its own cost.")),
            ("without.txt", &text("Vendor must keep the price list up to date during the term of this agreement.")),
        ],
    );
    let mut client = Client::start_in(&dir.path().join("home"), "Matter", &files);
    let examples = [
        "The Supplier shall recycle all packaging material at its own cost and report the quantities each quarter.",
        "All packaging must be taken back and recycled by the Supplier without charge to the Buyer.",
        "Packaging material is recycled by the Contractor, who bears the cost of its collection.",
        "The Seller takes back packaging and recycles it at its own expense.",
        "The Contractor shall collect and recycle packaging material free of charge.",
    ];
    let refused = client.call_failing("define_column", json!({"name": "packaging", "examples": &examples[..4]}));
    assert!(refused.contains("A column needs 5 to 20 examples, and 4 are given."), "{refused}");
    client.call("define_column", json!({"name": "packaging", "examples": examples}));
    let (_, sheet) = client.call("get_matter_sheet", json!({"columns": ["packaging"]}));
    assert!(values(&sheet, 0, "packaging")[0].contains("take back packaging"), "{sheet}");
    assert!(values(&sheet, 1, "packaging").is_empty() && sheet["rows"][1]["not_sure"].is_null(), "{sheet}");

    let file = dir.path().join("examples.txt");
    std::fs::write(&file, examples.join("\n\n")).unwrap();
    let home = dir.path().join("home");
    run(&home, &["sheet", "Matter", "--define", "recycling", "--examples", file.to_str().unwrap()]);
    let sheet = run_json(&home, &["sheet", "Matter", "--columns", "recycling"]);
    assert!(values(&sheet, 0, "recycling")[0].contains("take back packaging"), "{sheet}");
}
