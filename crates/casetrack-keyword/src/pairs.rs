//! Words next to each other in a query count more if they are so in a text, too: "liquidated damages" is more than both
//! words somewhere (Metzler and Croft 2005, "A Markov random field model for term dependencies").

use std::collections::{HashMap, HashSet};

use casetrack_core::Result;

use crate::lexicon::{Lexicon, TextField};
use crate::query::{COMMON, in_order};

/// The weight of a pair compared with the weight of its words.
pub const PAIR_WEIGHT: f32 = 0.3;
/// Most pairs of a query that are looked up, those of the rarest words.
const MAX_PAIRS: usize = 6;
/// The rarer word of a pair is in at most this many chunks: positions of others take too long to read.
const MAX_CHUNKS: u64 = 5_000;

/// Neighbouring terms of a query that distinguish chunks, the rarest first.
pub fn pairs(lexicon: &dyn Lexicon, query: &str) -> Result<Vec<(String, String)>> {
    // Those of one language are apart from those of another, since they are never in one text.
    let mut terms: Vec<(usize, String)> = Vec::new();
    for analysis in lexicon.analyses()? {
        let from = terms.last().map_or(0, |(position, _)| position + 2);
        let tokens = in_order(analysis, query).into_iter();
        terms.extend(tokens.map(|token| (from + token.position, analysis.marked(&token.text))));
    }
    let distinct: HashSet<&str> = terms.iter().map(|(_, term)| term.as_str()).collect();
    let distinct: Vec<&str> = distinct.into_iter().collect();
    let counts = lexicon.frequencies(TextField::Text, &distinct)?;
    let chunks: HashMap<&str, u64> = distinct.into_iter().zip(counts).collect();
    let mut pairs: Vec<(u64, (String, String))> = Vec::new();
    for neighbours in terms.windows(2) {
        let [(at, first), (next, second)] = neighbours else { continue };
        let (a, b) = (chunks[first.as_str()], chunks[second.as_str()]);
        let known = |pair: &(String, String)| pairs.iter().any(|(_, other)| other == pair);
        let distinguishes = a.min(b) > 0 && a.min(b) <= MAX_CHUNKS && a.max(b) <= lexicon.chunks() / COMMON;
        if *next == at + 1 && distinguishes && first != second {
            let pair = (first.clone(), second.clone());
            if !known(&pair) {
                pairs.push((a.min(b), pair));
            }
        }
    }
    pairs.sort_by_key(|(rarer, _)| *rarer);
    Ok(pairs.into_iter().take(MAX_PAIRS).map(|(_, pair)| pair).collect())
}
