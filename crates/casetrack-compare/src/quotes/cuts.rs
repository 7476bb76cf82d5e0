//! Places where two long texts have the same words, so that they can be compared part by part.
//!
//! Runs of tokens that a text has once show the places, as unique lines do in patience diff (Cohen 2010). They are on
//! one diagonal, except for text that only one side has.

use std::collections::HashMap;
use std::ops::Range;

use super::tokens::{Class, Token};

/// Tokens in a row that show a place.
const RUN: usize = 3;
/// Tokens that one side may have more than the other between the first place and the last, besides a quarter of the quotation.
const MIN_SLACK: usize = 100;
/// Tokens that an ellipsis or brackets may stand for: an ellipsis of 2,400 characters.
const HOLE_TOKENS: usize = 600;

type Run<'t> = [&'t str; RUN];

/// The part of a passage in which most runs of a quotation are, with some tokens around it. `None` if there are none.
pub(super) fn likely_part(quotation: &[Token], passage: &[Token]) -> Option<Range<usize>> {
    let known = once(quotation);
    let start = |(at, run): (usize, Run<'_>)| Some(at as i64 - known.get(&run).copied().flatten()? as i64);
    let mut starts: Vec<i64> = runs(passage).filter_map(start).collect();
    starts.sort_unstable();
    let holes = quotation.iter().filter(|token| token.class == Class::Hole).count();
    let slack = (MIN_SLACK + quotation.len() / 4 + holes * HOLE_TOKENS) as i64;
    // The most starts that are near each other.
    let mut best = 0..0;
    let mut first = 0;
    for at in 0..starts.len() {
        while starts[at] - starts[first] > slack {
            first += 1;
        }
        if at + 1 - first > best.len() {
            best = first..at + 1;
        }
    }
    let (first, last) = (starts.get(best.start)?, starts.get(best.end.checked_sub(1)?)?);
    let margin = MIN_SLACK as i64;
    let end = usize::try_from(last + quotation.len() as i64 + margin).unwrap_or_default().min(passage.len());
    let start = usize::try_from(first - margin).unwrap_or_default().min(end);
    Some(start..end)
}

/// Places that both sides have in common, in order: the indexes of their first tokens in the quotation and in the passage.
pub(super) fn common_places(quotation: &[Token], passage: &[Token]) -> Vec<(usize, usize)> {
    let of_quotation = once(quotation);
    let both =
        once(passage).into_iter().filter_map(|(run, at)| Some((of_quotation.get(&run).copied().flatten()?, at?)));
    let mut both: Vec<(usize, usize)> = both.collect();
    both.sort_unstable();
    longest_chain(&both)
}

fn runs(tokens: &[Token]) -> impl Iterator<Item = (usize, Run<'_>)> {
    tokens.windows(RUN).enumerate().filter_map(|(at, run)| match run {
        [a, b, c] if run.iter().all(|token| token.class != Class::Hole) => {
            Some((at, [a.skeleton.as_str(), &b.skeleton, &c.skeleton]))
        }
        _ => None,
    })
}

/// The start of each run; `None` for one that occurs more than once.
fn once(tokens: &[Token]) -> HashMap<Run<'_>, Option<usize>> {
    let mut places = HashMap::new();
    for (at, run) in runs(tokens) {
        places.entry(run).and_modify(|place| *place = None).or_insert(Some(at));
    }
    places
}

/// Of pairs in the order of their first numbers, most whose second numbers are in order too (patience sorting).
fn longest_chain(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The pairs that end the chains of each length, and the pair before each.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < pair.1);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut chain: Vec<(usize, usize)> =
        std::iter::successors(ends.last().copied(), |&at| before[at]).map(|at| pairs[at]).collect();
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tokens::tests::of;
    use super::*;

    #[test]
    fn places_are_runs_that_both_sides_have_once_in_order() {
        let (quotation, passage) = (of("one two three x four five six"), of("zero one two three y z four five six"));
        assert_eq!(common_places(&quotation, &passage), [(0, 1), (4, 6)]);
        assert!(common_places(&of("a b c d"), &of("a b c d a b c d")).is_empty());
        // The last three come first in the passage.
        assert_eq!(common_places(&of("a b c d e f g"), &of("e f g a b c d")), [(0, 3), (1, 4)]);
    }

    #[test]
    fn the_likely_part_is_where_most_runs_are() {
        let words: Vec<String> = (0..3000).map(|n| format!("w{n}")).collect();
        let passage = of(&words.join(" "));
        assert_eq!(likely_part(&of(&words[1000..1200].join(" ")), &passage), Some(900..1300));
        // Some words that are elsewhere, and a text that is there twice.
        let quotation = of(&[&words[1000..1200], &words[10..20]].concat().join(" "));
        assert_eq!(likely_part(&quotation, &passage), Some(900..1310));
        let twice = of(&[&words[..1000], &words[..1000]].concat().join(" "));
        assert_eq!(likely_part(&of(&words[..900].join(" ")), &twice), Some(0..1000));
        assert_eq!(likely_part(&of("none of these words"), &passage), None);
        assert_eq!(likely_part(&[], &passage), None);
    }

    proptest! {
        #[test]
        fn a_chain_rises_and_is_as_long_as_any(seconds in prop::collection::vec(0usize..12, 0..10)) {
            let pairs: Vec<(usize, usize)> = seconds.iter().copied().enumerate().collect();
            let chain = longest_chain(&pairs);
            prop_assert!(chain.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            let rises = |set: u32| {
                let of: Vec<usize> = pairs.iter().filter(|(at, _)| set & (1 << at) != 0).map(|(_, second)| *second).collect();
                of.windows(2).all(|two| two[0] < two[1])
            };
            let longest = (0u32..1 << pairs.len()).filter(|set| rises(*set)).map(u32::count_ones).max();
            prop_assert_eq!(chain.len() as u32, longest.unwrap_or_default());
        }
    }
}
