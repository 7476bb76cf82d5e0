//! Documents in several languages in one collection.

use std::path::Path;

use serde_json::Value;

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
    assert!(text.contains("casetrack reindex --models multilingual"), "{text}");
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
