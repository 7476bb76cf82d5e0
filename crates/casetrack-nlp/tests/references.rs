//! Precision and recall of references over sentences written for the purpose, per kind.

use std::collections::BTreeMap;

use casetrack_nlp::DateOrder;
use serde::Deserialize;

#[derive(Deserialize)]
struct Sentence {
    text: String,
    /// Kind, normalised name and, if the text states one, the relation.
    refs: Vec<Vec<String>>,
}

#[derive(Default)]
struct Count {
    expected: usize,
    found: usize,
    right: usize,
}

/// Precision and recall of each kind; the sentences of one kind are few, so that a single new error may show.
const FLOOR: f64 = 0.97;

#[test]
fn references_of_every_kind_are_found_and_nothing_else() {
    let sentences: Vec<Sentence> =
        include_str!("fixtures/references.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(sentences.len() >= 150);
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut wrong = Vec::new();
    for sentence in &sentences {
        let found: Vec<Vec<String>> = casetrack_nlp::rules::find(&[&sentence.text], DateOrder::MonthFirst).unwrap()[0]
            .references
            .iter()
            .map(|reference| {
                let mut one = vec![serde_json::to_string(&reference.kind).unwrap(), reference.name.clone()];
                one.extend(reference.relation.map(|relation| serde_json::to_string(&relation).unwrap()));
                one.iter().map(|part| part.trim_matches('"').to_owned()).collect()
            })
            .collect();
        let mut rest = found.clone();
        for expected in &sentence.refs {
            let count = counts.entry(expected[0].clone()).or_default();
            count.expected += 1;
            if let Some(at) = rest.iter().position(|one| one == expected) {
                rest.remove(at);
                count.right += 1;
            }
        }
        for one in &found {
            counts.entry(one[0].clone()).or_default().found += 1;
        }
        if found != sentence.refs {
            wrong.push(format!("{}\n  expected {:?}\n  found    {found:?}", sentence.text, sentence.refs));
        }
    }
    println!("{}", wrong.join("\n"));
    let mut low = Vec::new();
    for (kind, count) in &counts {
        let precision = count.right as f64 / count.found.max(1) as f64;
        let recall = count.right as f64 / count.expected.max(1) as f64;
        println!("{kind:11} expected {:3}  precision {precision:.3}  recall {recall:.3}", count.expected);
        if precision < FLOOR || recall < FLOOR {
            low.push(kind.as_str());
        }
    }
    assert!(low.is_empty(), "below {FLOOR}: {low:?}\n{}", wrong.join("\n"));
}
