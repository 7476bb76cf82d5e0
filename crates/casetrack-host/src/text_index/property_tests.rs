//! Random documents and queries against a scorer that counts in the texts themselves.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Map;

use super::{Query, TextIndex, Tokenizer};

/// A plain text of few different words, so that they meet: some too short to be tokens.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["ab", "Bc", "cd", "de", "a", "b", "été", "x.", "ab,", "東"]);
    prop::collection::vec(word, 0..25).prop_map(|words| words.join(" "))
}

fn query() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "ab",
        "bc",
        "cd",
        "zz",
        "a",
        "+ab",
        "+a",
        "-cd",
        "-b",
        "\"ab bc\"",
        "\"ab a\"",
        "+\"bc ab\"",
        "-\"ab ab\"",
        "été",
        "\"a\"",
        "東",
        "-zz",
        "+zz",
    ]);
    prop::collection::vec(part, 0..5).prop_map(|parts| parts.join(" "))
}

fn words(text: &str) -> Vec<String> {
    let plain = text.replace(['.', ','], " ").to_lowercase();
    plain.split_whitespace().map(str::to_owned).collect()
}

fn is_token(word: &str) -> bool {
    word.chars().count() >= 2 || word == "東"
}

fn occurrences(text: &str, phrase: &[String]) -> f64 {
    words(text).windows(phrase.len()).filter(|window| *window == phrase).count() as f64
}

/// Ids with scores, the best first, by the definition.
fn expected(documents: &BTreeMap<String, String>, query: &Query) -> Vec<(String, f64)> {
    let length = |text: &String| words(text).iter().filter(|word| is_token(word)).count() as f64;
    let all = documents.len() as f64;
    let mean = (documents.values().map(length).sum::<f64>() / all).max(1.0);
    let has = |text: &String, phrase: &Vec<String>| occurrences(text, phrase) > 0.0;
    let mut found = Vec::new();
    for (id, text) in documents {
        let mut required = query.must.iter().map(|word| vec![word.clone()]).chain(query.phrases.iter().cloned());
        let is_found = query.sought().iter().any(|phrase| has(text, phrase));
        if !is_found
            || !required.all(|phrase| has(text, &phrase))
            || query.must_not.iter().any(|phrase| has(text, phrase))
        {
            continue;
        }
        let mut score = 0.0;
        for phrase in query.sought() {
            let count = occurrences(text, &phrase);
            let with = documents.values().filter(|text| has(text, &phrase)).count() as f64;
            if count > 0.0 {
                let idf = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
                score += idf * (count * (1.2 + 1.0) / (count + 1.2 * (1.0 - 0.75 + 0.75 * length(text) / mean)));
            }
        }
        found.push((id.clone(), score));
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found
}

fn found(index: &TextIndex, query: &Query, most: usize) -> (Vec<(String, u64)>, u64) {
    let found = index.search(query, most);
    (found.matches.into_iter().map(|found| (found.id, found.score.to_bits())).collect(), found.total)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn matches_order_and_scores_are_those_of_the_definition_to_the_bit(
        added in prop::collection::vec((0..8_u8, text()), 1..30),
        queries in prop::collection::vec(query(), 1..6),
        most in 0..10_usize,
        again in any::<prop::sample::Index>(),
    ) {
        let mut index = TextIndex::new(Tokenizer::default());
        let mut documents = BTreeMap::new();
        for (id, text) in &added {
            let id = format!("doc-{id}");
            let done = index.add(&id, text, Map::new()).unwrap();
            prop_assert_eq!(done.tokens as usize, words(text).iter().filter(|word| is_token(word)).count());
            prop_assert_eq!(done.replaced, documents.insert(id, text.clone()).is_some());
        }
        // The same documents, each added once, in another order.
        let mut other = TextIndex::new(Tokenizer::default());
        for (id, text) in documents.iter().rev() {
            other.add(id, text, Map::new()).unwrap();
        }
        for text in &queries {
            let query = Query::parse(text, Tokenizer::default());
            let expected: Vec<(String, u64)> =
                expected(&documents, &query).into_iter().map(|(id, score)| (id, score.to_bits())).collect();
            let total = expected.len() as u64;
            prop_assert_eq!(found(&index, &query, usize::MAX), (expected.clone(), total), "{}", text);
            prop_assert_eq!(found(&other, &query, usize::MAX), (expected.clone(), total), "{}", text);
            let best = expected[..most.min(expected.len())].to_vec();
            prop_assert_eq!(found(&index, &query, most), (best, total), "{}", text);
            // Adding what is there changes nothing.
            let (id, content) = documents.iter().nth(again.index(documents.len())).unwrap();
            prop_assert!(index.add(id, content, Map::new()).unwrap().replaced);
            prop_assert_eq!(found(&index, &query, usize::MAX), (expected, total), "{}", text);
        }
    }
}
