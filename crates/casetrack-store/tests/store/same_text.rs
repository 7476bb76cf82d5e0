//! Forms of one text find each other, whatever the language of the document, and parts of compounds find them.

use casetrack_core::DocumentId;
use casetrack_store::{Collection, Conditions, Expression, Filter, WordConditions, Words};

use crate::support::*;

fn put(collection: &Collection, path: &str, language: Option<&str>, text: &str) -> DocumentId {
    let mut stored = document(path, &[text]);
    stored.meta.properties.language = language.map(str::to_owned);
    collection.put_document(&stored).unwrap();
    stored.meta.id
}

/// The documents that must have some words, as a condition and as an expression.
fn with(collection: &Collection, words: &str) -> Vec<DocumentId> {
    let of = |conditions: Conditions| {
        let selected = collection.select(&conditions).unwrap();
        let mut ids: Vec<DocumentId> = selected.document_ids().collect();
        ids.sort_unstable();
        ids
    };
    let required = WordConditions { required: vec![words.to_owned()], ..WordConditions::default() };
    let required = of(Conditions { words: required, ..Conditions::default() });
    let expression = Some(Expression::Words(Words::Phrase(words.to_owned())));
    assert_eq!(of(Conditions { expression, ..Conditions::default() }), required, "{words}");
    required
}

fn sorted(mut ids: Vec<DocumentId>) -> Vec<DocumentId> {
    ids.sort_unstable();
    ids
}

#[test]
fn words_that_must_be_there_are_found_in_all_their_forms() {
    for language in [None, Some("de"), Some("ja")] {
        let (_temp, _dir, collection) = new_collection();
        let composed =
            put(&collection, "/d/nfc.txt", language, "Wir bestätigen: Müller, Königsallee, O’Brien, façade.");
        let decomposed = put(
            &collection,
            "/d/nfd.txt",
            language,
            "Wir besta\u{308}tigen: Mu\u{308}ller, Ko\u{308}nigsallee, OʼBrien, fac\u{327}ade.",
        );
        let both = sorted(vec![composed, decomposed]);
        for words in [
            "bestätigen",
            "besta\u{308}tigen",
            "Müller",
            "Mueller",
            "Königsallee",
            "O'Brien",
            "O＇Brien",
            "façade",
            "facade",
            "Müller Königsallee",
        ] {
            assert_eq!(with(&collection, words), both, "{language:?} {words}");
        }
        let wide = put(
            &collection,
            "/d/wide.txt",
            language,
            "代金は１，２３４，５６７円、第１２条、ＡＢＣ－２０２３－００４５、㈱ワガハイ、03－1234－5678、令和５年。",
        );
        for words in
            ["1234567", "1,234,567円", "第12条", "ABC-2023-0045", "(株)ワガハイ", "03-1234-5678", "令和5年", "ﾜｶﾞﾊｲ"]
        {
            assert_eq!(with(&collection, words), [wide], "{language:?} {words}");
        }
        let broken = put(&collection, "/d/broken.txt", language, "The well-\nknown exam-\nple of re\u{ad}newal.");
        for words in ["well-known example", "wellknown", "an-example", "example of", "renewal", "re-newal"] {
            let expected = if words == "an-example" { vec![] } else { vec![broken] };
            assert_eq!(with(&collection, words), expected, "{language:?} {words}");
        }
        assert_eq!(with(&collection, "Muller"), both, "{language:?}");
        assert!(with(&collection, "Michael").is_empty());
    }
}

#[test]
fn parts_of_german_compounds_find_them_and_are_no_words_of_their_own() {
    let (_temp, _dir, collection) = new_collection();
    let term = put(&collection, "/d/a.txt", Some("de"), "Die Kündigungsfrist beträgt drei Monate.");
    let costs = put(&collection, "/d/b.txt", Some("de"), "Die Nebenkostenabrechnung folgt im Mai.");
    let cover = put(&collection, "/d/c.txt", Some("de"), "Eine Haftpflicht- und Gebäudeversicherung besteht.");
    let own = put(&collection, "/d/d.txt", Some("de"), "Die Frist endet.");
    let found = |query: &str| {
        let hits = collection.search_bm25(query, 10, &Filter::default()).unwrap();
        hits.into_iter().map(|hit| hit.document).collect::<Vec<_>>()
    };
    assert_eq!(found("Frist"), [own, term]);
    assert_eq!(found("Fristen"), [own, term]);
    assert_eq!(found("Kosten Abrechnung"), [costs]);
    assert_eq!(found("Haftpflichtversicherung").first(), Some(&cover));
    assert_eq!(with(&collection, "Frist"), [own]);
    assert_eq!(collection.corrections("Kosten").unwrap(), []);
    let weights = collection.term_weights("Frist").unwrap();
    assert!(weights.reader().densest("Die Kündigungsfrist beträgt drei Monate.", Some("de")).0 > 0.9);
}

#[test]
fn a_word_in_two_spellings_ranks_the_one_that_is_asked_for_first() {
    let (_temp, _dir, collection) = new_collection();
    let umlaut = put(&collection, "/d/a.txt", Some("de"), "Herr Müller mietet.");
    let spelt = put(&collection, "/d/b.txt", Some("de"), "Herr Mueller mietet.");
    let hits = collection.search_bm25("Müller", 10, &Filter::default()).unwrap();
    assert_eq!(hits.iter().map(|hit| hit.document).collect::<Vec<_>>(), [umlaut, spelt]);
}
