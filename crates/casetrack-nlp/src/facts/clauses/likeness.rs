//! Clauses of a kind that the model does not have, found by examples: the sentence of each document that is most like them.

use std::collections::HashMap;

use casetrack_core::Annotations;

use super::features::{self, BITS};
use super::{Sample, samples};
use crate::facts::text::Text;

/// The examples that count for a sentence: those that are most like it.
const NEAREST: usize = 2;
/// The share of sentences that are less like the examples than the usual one, without the best of each document.
const USUAL: f64 = 0.98;
/// The probability that the best sentence of a document is such a clause: 1 / (1 + exp(-(SLOPE × ln(best / usual) + OFFSET))).
/// `scripts/train/likeness.py` repeats the fit, and reports it on kinds of clauses that were left out.
const SLOPE: f32 = 3.49;
const OFFSET: f32 = -2.24;

/// Compares the sentences of a collection with examples. Count all documents before the first comparison.
pub struct Likeness {
    examples: Vec<Vec<u32>>,
    /// The number of sentences that have each feature.
    frequencies: Vec<u32>,
    sentences: u32,
}

/// The sentence of a document that is most like the examples, and the likeness of the others.
pub struct Likest {
    pub sentence: Sample,
    /// From 0 to 1.
    pub likeness: f32,
    pub others: Vec<f32>,
}

impl Likeness {
    pub fn new(examples: &[String]) -> Self {
        let annotations = Annotations::default();
        let of = |example: &String| {
            let mut buckets: Vec<u32> = features::of(&Text::bare(&[example], &annotations))
                .into_iter()
                .flat_map(|features| {
                    let [own, ..] = features.groups;
                    own
                })
                .collect();
            buckets.sort_unstable();
            buckets.dedup();
            buckets
        };
        let examples: Vec<Vec<u32>> = examples.iter().map(of).collect();
        // They count as sentences, so that a word of theirs has a weight even if only one document has it.
        let mut frequencies = vec![0; 1 << BITS];
        examples.iter().flatten().for_each(|bucket| frequencies[*bucket as usize] += 1);
        Self { sentences: examples.len() as u32, examples, frequencies }
    }

    /// Counts the features of a document. Linear.
    pub fn count(&mut self, pages: &[&str]) {
        for sentence in clauses(pages) {
            self.sentences += 1;
            for bucket in &sentence.groups[0] {
                self.frequencies[*bucket as usize] += 1;
            }
        }
    }

    /// `None` for a document without clauses. Linear.
    pub fn likest(&self, pages: &[&str]) -> Option<Likest> {
        let norms: Vec<f32> = self.examples.iter().map(|example| self.norm(example)).collect();
        let mut examples_of: HashMap<u32, Vec<usize>> = HashMap::new();
        for (number, example) in self.examples.iter().enumerate() {
            example.iter().for_each(|bucket| examples_of.entry(*bucket).or_default().push(number));
        }
        let likeness = |sentence: &Sample| {
            let mut shared = vec![0f32; self.examples.len()];
            for bucket in &sentence.groups[0] {
                for number in examples_of.get(bucket).into_iter().flatten() {
                    shared[*number] += self.weight(*bucket).powi(2);
                }
            }
            let norm = self.norm(&sentence.groups[0]);
            let mut cosines: Vec<f32> = shared
                .iter()
                .zip(&norms)
                .map(|(shared, example)| shared / (norm * example).max(f32::EPSILON))
                .collect();
            cosines.sort_unstable_by(|one, other| other.total_cmp(one));
            let nearest = &cosines[..NEAREST.min(cosines.len())];
            nearest.iter().sum::<f32>() / nearest.len().max(1) as f32
        };
        let mut best: Option<(Sample, f32)> = None;
        let mut others = Vec::new();
        for sentence in clauses(pages) {
            let like = likeness(&sentence);
            match &mut best {
                Some((_, most)) if like <= *most => others.push(like),
                best => others.extend(best.replace((sentence, like)).map(|(_, like)| like)),
            }
        }
        best.map(|(sentence, likeness)| Likest { sentence, likeness, others })
    }

    /// The inverse document frequency; 0 for what only one sentence has.
    fn weight(&self, bucket: u32) -> f32 {
        let frequency = self.frequencies[bucket as usize];
        if frequency < 2 { 0.0 } else { ((1 + self.sentences) as f32 / (1 + frequency) as f32).ln() + 1.0 }
    }

    fn norm(&self, buckets: &[u32]) -> f32 {
        buckets.iter().map(|bucket| self.weight(*bucket).powi(2)).sum::<f32>().sqrt()
    }
}

/// The likeness that a sentence must exceed to be unusual, from the [`others`](Likest::others) of all documents.
pub fn usual(mut others: Vec<f32>) -> f32 {
    if others.is_empty() {
        return 0.0;
    }
    let at = ((others.len() - 1) as f64 * USUAL) as usize;
    *others.select_nth_unstable_by(at, f32::total_cmp).1
}

/// The probability, from 0 to 1, that the best sentence of a document is such a clause.
pub fn probability(best: f32, usual: f32) -> f32 {
    if best <= 0.0 {
        return 0.0;
    }
    1.0 / (1.0 + (-(SLOPE * (best / usual.max(f32::EPSILON)).ln() + OFFSET)).exp())
}

fn clauses(pages: &[&str]) -> impl Iterator<Item = Sample> {
    samples(pages).into_iter().filter(|sentence| sentence.is_clause)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLES: [&str; 5] = [
        "The Supplier shall recycle all packaging material at its own cost and report the quantities each quarter.",
        "All packaging must be taken back and recycled by the Supplier without charge to the Buyer.",
        "Packaging material is recycled by the Contractor, who bears the cost of its collection.",
        "The Seller takes back packaging and recycles it at its own expense.",
        "The Contractor shall collect and recycle packaging material free of charge.",
    ];

    fn contract(clause: &str) -> String {
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
        format!("{plain}\n\n61. {clause}\n")
    }

    #[test]
    fn a_clause_like_the_examples_is_found_and_others_are_not() {
        let with = contract("Vendor must take back packaging and recycle all packaging material at its own cost.");
        let without =
            contract("Vendor must keep the price list of the goods up to date during the term of this agreement.");
        let mut likeness = Likeness::new(&EXAMPLES.map(str::to_owned));
        for text in [&with, &without] {
            likeness.count(&[text]);
        }
        let [with, without] = [with, without].map(|text| likeness.likest(&[&text]).expect("clauses"));
        let usual = usual(with.others.iter().chain(&without.others).copied().collect());
        assert!(probability(with.likeness, usual) > 0.5, "{} {usual}", with.likeness);
        assert!(probability(without.likeness, usual) < 0.25, "{} {usual}", without.likeness);
        assert_eq!(probability(0.0, usual), 0.0);
    }
}
