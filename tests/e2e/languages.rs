//! Documents in several languages in one collection.

use std::path::Path;

use serde_json::Value;

#[cfg(target_os = "linux")]
use crate::client::casetrack;
use crate::client::{run, run_json};

const GERMAN: &str = "Der Mieter kann das Mietverhältnis mit einer Frist von drei Monaten kündigen. Die Kündigung muss \
    schriftlich erfolgen und dem Vermieter spätestens am dritten Werktag eines Kalendermonats zugehen.";
const FRENCH: &str = "Le bailleur délivre au locataire un logement décent. Le locataire paie le loyer et les charges aux termes \
    convenus; les contrats résiliés restent soumis aux règles de la présente loi et de ses décrets.";
const ENGLISH: &str = "The supplier delivers the goods within thirty days. The buyer pays the price on the first day of each \
    month, and the parties keep the terms of this agreement secret for five years after its end.";

fn ingest(home: &Path, files: &[(&str, &str)]) {
    run(home, &["new", "Languages"]);
    for (name, text) in files {
        let path = home.join(name);
        std::fs::write(&path, text).unwrap();
        run(home, &["ingest", path.to_str().unwrap(), "-c", "Languages"]);
    }
}

fn search(home: &Path, query: &str) -> Vec<Value> {
    run_json(home, &["search", query, "-c", "Languages"])["results"].as_array().unwrap().clone()
}

#[test]
fn words_are_found_in_the_forms_of_each_language_and_models_count_where_they_know_it() {
    let home = tempfile::tempdir().unwrap();
    ingest(home.path(), &[("de.txt", GERMAN), ("fr.txt", FRENCH), ("en.txt", ENGLISH)]);
    for (query, file) in [
        ("Kündigungen des Mieters", "de.txt"),
        ("kundigung", "de.txt"),
        ("loyers des locataires", "fr.txt"),
        ("résiliation du contrat", "fr.txt"),
        ("secrets of the buyers", "en.txt"),
    ] {
        let found = search(home.path(), query);
        assert_eq!(found[0]["provenance"]["document_name"], file, "{query}");
        // The models know English only.
        let counts = found[0]["dense"]["share"].as_f64().unwrap_or_default() > 0.0;
        assert_eq!(counts, file == "en.txt", "{query}: {}", found[0]);
        // Of passages in other languages the models say nothing.
        for other in found.iter().filter(|hit| hit["provenance"]["document_name"] != "en.txt") {
            let share = |stage: &str| other[stage]["share"].as_f64().unwrap_or_default();
            assert_eq!((share("dense"), share("sparse")), (0.0, 0.0), "{query}: {other}");
        }
    }
    let listed = run_json(home.path(), &["search", "\"Mietverhältnisse\"", "-c", "Languages"]);
    assert_eq!(listed["results"][0]["provenance"]["document_name"], "de.txt", "{listed}");
    run(home.path(), &["verify", "-c", "Languages"]);
}

#[test]
fn who_ingests_documents_that_the_model_does_not_know_is_told_what_to_do() {
    let home = tempfile::tempdir().unwrap();
    run(home.path(), &["new", "Languages"]);
    let notices = |name: &str, text: &str| {
        let path = home.path().join(name);
        std::fs::write(&path, text).unwrap();
        let report = run_json(home.path(), &["ingest", path.to_str().unwrap(), "-c", "Languages"]);
        report["notices"].as_array().cloned().unwrap_or_default()
    };
    assert_eq!(notices("en.txt", ENGLISH), Vec::<Value>::new());
    let told = notices("de.txt", GERMAN);
    let text = told[0].as_str().unwrap();
    assert!(text.starts_with("The document is in German, which"), "{text}");
    assert!(text.contains("casetrack reindex --models multilingual -c \"Languages\""), "{text}");
}

/// Needs the package of the multilingual models, whose path is in an environment variable; without it, there is nothing to test.
#[cfg(target_os = "linux")]
#[test]
fn a_collection_whose_models_nobody_chose_gets_those_that_its_first_documents_need() {
    let Ok(package) = std::env::var("CASETRACK_TEST_MULTILINGUAL") else { return };
    let home = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| -> String {
        let mut command = casetrack(&home.path().join("home"));
        // The folder to which models are added.
        let output = command.env("XDG_DATA_HOME", home.path().join("local")).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let json = |args: &[&str]| -> Value { serde_json::from_str(&run(&[args, &["--json"]].concat())).unwrap() };
    let file = |name: &str, text: &str| {
        let path = home.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (german, english) = (file("de.txt", GERMAN), file("en.txt", ENGLISH));
    let dense = |name: &str| json(&["stats", "-c", name])["models"][0].as_str().unwrap().to_owned();
    let told = |name: &str, path: &str| {
        let notices = json(&["ingest", path, "-c", name])["notices"].clone();
        notices[0].as_str().unwrap_or_default().to_owned()
    };
    // Not installed yet: it says what to do.
    run(&["new", "Before"]);
    let said = told("Before", &german);
    assert!(said.contains("casetrack reindex --models multilingual -c \"Before\""), "{said}");
    let usual = dense("Before");
    run(&["models", "add", "multilingual", &package]);
    for (name, arguments, path, is_changed) in [
        ("German", &[][..], &german, true),
        ("English", &[], &english, false),
        ("Chosen", &["--models", "compact"], &german, false),
    ] {
        run(&[&["new", name], arguments].concat());
        let said = told(name, path);
        let is_said = said.starts_with("The first documents are in German, and no models were chosen");
        assert_eq!((is_said, dense(name) != usual), (is_changed, is_changed), "{name}: {said}");
        assert!(run(&["verify", "-c", name]).contains("Clean."));
    }
    // One that has documents stays as it is.
    told("English", &german);
    assert_eq!(dense("English"), usual);
}

const LETTER: &str = "Berlin, den 3. Mai 2023\n\nSehr geehrte Damen und Herren, der Kaufvertrag über die Maschine tritt am 1. März 2024 in Kraft. \
    Der Kaufpreis beträgt 15.000 Euro und ist bis zum 15.4.2024 zu zahlen. Die Gewährleistung richtet sich nach § 437 Nr. 2 BGB und \
    nach Ziffer 4.2 der beigefügten Bedingungen, soweit nichts anderes vereinbart ist.";

#[test]
fn dates_amounts_and_references_of_a_german_letter_are_found_and_names_are_not() {
    let home = tempfile::tempdir().unwrap();
    ingest(home.path(), &[("brief.txt", LETTER), ("en.txt", ENGLISH)]);
    let json = |args: &[&str]| run_json(home.path(), &[args, &["-c", "Languages"]].concat());
    let timeline = json(&["timeline"]);
    let days: Vec<&Value> =
        timeline["events"].as_array().unwrap().iter().map(|event| &event["date"]["first"]).collect();
    assert_eq!(days, ["2023-05-03", "2024-03-01", "2024-04-15"], "{timeline:#}");
    assert_eq!(timeline["events"][1]["role"], "effective date", "{timeline:#}");
    let references = json(&["references"]);
    let names: Vec<&Value> = references["references"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert!(names.contains(&&Value::from("BGB § 437 Nr. 2")), "{references:#}");
    let entities = json(&["entities"]);
    let listed = |entity_type: &str| -> Vec<&str> {
        let all = entities["entities"].as_array().unwrap().iter();
        all.filter(|entity| entity["entity_type"] == entity_type).filter_map(|entity| entity["name"].as_str()).collect()
    };
    assert_eq!(listed("amount"), ["15.000 Euro"], "{entities:#}");
    assert!(listed("person").is_empty() && listed("organization").is_empty(), "{entities:#}");
    // In English this is 15, in German 15,000; the letter mentions the latter.
    let found = json(&["search", "entity:\"15.000 EUR\" Kaufpreis"]);
    assert_eq!(found["results"][0]["provenance"]["document_name"], "brief.txt", "{found:#}");
    let again = json(&["reindex", "--skip-unchanged"]);
    assert_eq!(again["skipped"], 2, "the analysis of each document is that of its language: {again:#}");
}
