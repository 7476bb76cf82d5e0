use casetrack_core::DocumentId;
use casetrack_store::{Collection, Conditions, Expression, Filter, WordConditions, Words};

use crate::support::*;

fn put(collection: &Collection, path: &str, language: &str, text: &str) -> DocumentId {
    let mut stored = document(path, &[text]);
    stored.meta.properties.language = Some(language.to_owned());
    collection.put_document(&stored).unwrap();
    stored.meta.id
}

fn found(collection: &Collection, query: &str) -> Vec<(DocumentId, u32)> {
    let hits = collection.search_bm25(query, 10, &Filter::default()).unwrap();
    hits.iter().map(|hit| (hit.document, hit.index)).collect()
}

#[test]
fn words_are_found_in_the_forms_of_their_language() {
    let (_temp, _dir, collection) = new_collection();
    let german =
        put(&collection, "/d/de.txt", "de-DE", "Die Kündigungen der Mietverträge.\n\nEin anderer Absatz über Häuser.");
    let french =
        put(&collection, "/d/fr.txt", "fr", "Les ventes ont été résiliées.\n\nUn autre alinéa sur les maisons.");
    let russian = put(&collection, "/d/ru.txt", "ru", "Расторжение договоров аренды.\n\nДругой абзац о домах.");
    let chinese = put(&collection, "/d/zh.txt", "zh", "本合同自签字之日起生效。\n\n同合作社的合作。");
    let thai = put(&collection, "/d/th.txt", "th", "สัญญาเช่าที่ดินฉบับนี้\n\nบ้านและสวน");
    let english = put(&collection, "/d/en.txt", "en", "The leases were terminated.\n\nAnother paragraph on houses.");
    for (query, expected) in [
        ("Kündigung Mietvertrag", (german, 0)),
        ("kundigung", (german, 0)),
        ("Haus", (german, 1)),
        ("résiliation de la vente", (french, 0)),
        ("resiliee", (french, 0)),
        ("maison", (french, 1)),
        ("договор", (russian, 0)),
        ("дом", (russian, 1)),
        ("合同", (chinese, 0)),
        ("合作", (chinese, 1)),
        ("ที่ดิน", (thai, 0)),
        ("terminating a lease", (english, 0)),
    ] {
        assert_eq!(found(&collection, query).first(), Some(&expected), "{query}");
    }
}

#[test]
fn a_query_finds_across_languages_and_endings_of_one_are_not_those_of_another() {
    let (_temp, _dir, collection) = new_collection();
    let german = put(&collection, "/d/de.txt", "de", "Die Firma ACME hat Notes und Rechnungen, INV-2023-0042.");
    let english = put(&collection, "/d/en.txt", "en", "ACME did not pay the invoice INV-2023-0042.");
    let ids = |query: &str| {
        let mut ids: Vec<DocumentId> = found(&collection, query).into_iter().map(|(id, _)| id).collect();
        ids.sort_unstable();
        ids
    };
    let mut both = vec![german, english];
    both.sort_unstable();
    assert_eq!(ids("ACME"), both);
    assert_eq!(ids("INV-2023-0042"), both);
    // "notes" has the stem "not" in German.
    assert_eq!(ids("notes"), [german]);
    assert_eq!(ids("Rechnung"), [german]);
}

#[test]
fn conditions_and_expressions_know_the_forms_of_each_language() {
    let (_temp, _dir, collection) = new_collection();
    let german =
        put(&collection, "/d/de.txt", "de", "Die fristlose Kündigung des Vertrags.\n\nDie ordentliche Kündigung.");
    let english = put(&collection, "/d/en.txt", "en", "Kündigung is the German word for a notice.");
    let matching = |expression: Option<&str>, required: &[&str], excluded: &[&str]| {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let conditions = Conditions {
            expression: expression.map(|words| Expression::Words(Words::Phrase(words.to_owned()))),
            words: WordConditions { required: owned(required), excluded: owned(excluded) },
            ..Conditions::default()
        };
        let mut places = collection.places(&collection.select(&conditions).unwrap());
        places.sort_unstable();
        places
    };
    let sorted = |mut places: Vec<(DocumentId, u32)>| {
        places.sort_unstable();
        places
    };
    assert_eq!(matching(Some("fristlosen Kündigungen"), &[], &[]), [(german, 0)]);
    assert_eq!(matching(Some("Kündigung"), &[], &[]), sorted(vec![(german, 0), (german, 1), (english, 0)]));
    assert_eq!(matching(Some("Kündig*"), &[], &[]), sorted(vec![(german, 0), (german, 1), (english, 0)]));
    assert_eq!(matching(None, &["fristlose Kündigungen"], &[]), [(german, 0)]);
    assert_eq!(matching(None, &["Kündigungen"], &["Verträge"]), [(german, 1)]);
    assert_eq!(matching(None, &["notices"], &[]), [(english, 0)]);
}

#[test]
fn stop_words_of_the_querys_language_do_not_count() {
    let (_temp, _dir, collection) = new_collection();
    for n in 0..20 {
        put(&collection, &format!("/d/{n}.txt"), "en", "An English text of other words altogether.");
    }
    put(&collection, "/d/a.txt", "de", "Die Sache der Frau und die der Leute ist, das ist die Frage.");
    let meant = put(&collection, "/d/b.txt", "de", "Kündigungsfrist: drei Monate. Wirksam mit Zugang.");
    assert_eq!(found(&collection, "ist die Kündigungsfrist wirksam"), [(meant, 0)]);
}

#[test]
fn scores_of_english_documents_do_not_depend_on_rules_for_others() {
    let query = "The terminated agreement of Café Größe, INV-2023-0042 and 4.2(b) notes";
    let texts = [
        "Notes on the agreement.\n\nIt was terminated.",
        "Café Größe paid INV-2023-0042.\n\nUnder 4.2(b) notes are due.",
    ];
    let scores = |language: Option<&str>| {
        let (_temp, _dir, collection) = new_collection();
        for (n, text) in texts.iter().enumerate() {
            let mut stored = with_id(DocumentId::from_bytes([n as u8 + 1; 16]), &format!("/d/{n}.txt"), &[text]);
            stored.meta.properties.language = language.map(str::to_owned);
            collection.put_document(&stored).unwrap();
        }
        let hits = collection.search_bm25(query, 10, &Filter::default()).unwrap();
        hits.into_iter().map(|hit| (hit.document, hit.index, hit.score.to_bits())).collect::<Vec<_>>()
    };
    assert_eq!(scores(Some("en-US")), scores(None));
    assert_eq!(scores(None).len(), 4);
}

#[test]
fn slips_are_corrected_in_every_language() {
    let (_temp, _dir, collection) = new_collection();
    put(&collection, "/d/de.txt", "de", "Die Kündigungen der Mietverträge.");
    put(&collection, "/d/en.txt", "en", "The termination of the lease.");
    let corrected = |text: &str| {
        collection.corrections(text).unwrap().into_iter().map(|one| (one.word, one.replacement)).collect::<Vec<_>>()
    };
    assert_eq!(corrected("Kündigung terminations"), []);
    assert_eq!(corrected("Mietvertrage"), []);
    assert_eq!(corrected("terminatoin"), [("terminatoin".to_owned(), "termination".to_owned())]);
    assert_eq!(corrected("mietvertrege"), [("mietvertrege".to_owned(), "mietvertrage".to_owned())]);
}
