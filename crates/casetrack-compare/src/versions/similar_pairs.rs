//! Pairs of paragraphs with similar words.

use std::collections::HashMap;

use super::alignment::{Alignment, Match};
use super::words::{Vocabulary, Words};

/// Least likeness of a paragraph in its place to be the other one with changed words, rather than another. Different
/// paragraphs of one contract are at 0.1 to 0.3.
const CHANGED: f32 = 0.4;
/// Least share of a paragraph in another that makes it that one with words added or deleted, however many; and its least number of words.
const PART: f32 = 0.9;
const PART_WORDS: usize = 8;
/// Least likeness, and words, of one that moved and changed.
const MOVED: f32 = 0.75;
const MOVED_WORDS: usize = 8;
/// Most words of a title, which may change as a whole.
const TITLE_WORDS: usize = 12;
/// Least share of a paragraph's words that a changed one lost or won if it is the rest of that.
const REST: f32 = 0.8;
/// Gaps with at most this many pairs of paragraphs are searched whole.
const SMALL_GAP: usize = 400;
/// Words that more paragraphs have are not looked up, and of each paragraph only this many are.
const MOST_PLACES: usize = 64;
const MOST_WORDS: usize = 64;
/// Most paragraphs that one is compared with, those with most words in common.
const MOST_COMPARED: usize = 8;

struct Candidate {
    old: usize,
    new: usize,
    likeness: f32,
    /// True if both are between the same two matches.
    is_in_gap: bool,
}

/// Pairs the rest: similar paragraphs in order, titles in the place of titles, then similar ones elsewhere, and parts
/// of those.
pub(super) fn pair_similar(vocabulary: &Vocabulary, alignment: &mut Alignment<'_>) {
    let candidates = candidates(vocabulary, alignment);
    let pairs = in_order(&candidates, alignment);
    alignment.add_in_order(pairs.into_iter().map(|(old, new)| changed(old, new)).collect());
    let titles = titles(alignment);
    alignment.add_in_order(titles);
    extend(vocabulary, alignment);
    let mut elsewhere: Vec<&Candidate> = candidates.iter().filter(|pair| pair.likeness >= MOVED).collect();
    // Stable: equal ones in order.
    elsewhere.sort_by(|a, b| b.likeness.total_cmp(&a.likeness));
    for &Candidate { old, new, .. } in elsewhere {
        let is_long = alignment.old[old].count.min(alignment.new[new].count) >= MOVED_WORDS;
        if is_long && alignment.old_is_free[old] && alignment.new_is_free[new] {
            let matched = Match { is_moved: true, ..changed(old, new) };
            alignment.take(&matched);
            alignment.moved.push(matched);
        }
    }
}

fn changed(old: usize, new: usize) -> Match {
    Match { old: old..old + 1, new: new..new + 1, is_same: false, is_moved: false }
}

/// Pairs of free paragraphs that may be the same one, by the first and then the second.
fn candidates(vocabulary: &Vocabulary, alignment: &Alignment<'_>) -> Vec<Candidate> {
    let Alignment { old, new, old_is_free, new_is_free, .. } = alignment;
    let mut places: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, words) in new.iter().enumerate().filter(|(at, _)| new_is_free[*at]) {
        for word in vocabulary.telling(words) {
            places.entry(word).or_default().push(at);
        }
    }
    let mut found = Vec::new();
    for (in_old, in_new) in alignment.gaps() {
        let is_small = in_old.len().saturating_mul(in_new.len()) <= SMALL_GAP;
        for at in in_old.filter(|&at| old_is_free[at]) {
            let mut known: Vec<&Vec<usize>> = vocabulary
                .telling(&old[at])
                .filter_map(|word| places.get(&word))
                .filter(|places| places.len() <= MOST_PLACES)
                .collect();
            known.sort_by_key(|places| places.len());
            let mut shared: HashMap<usize, u32> = HashMap::new();
            for &place in known.into_iter().take(MOST_WORDS).flatten() {
                *shared.entry(place).or_default() += 1;
            }
            let mut best: Vec<(usize, u32)> = shared.into_iter().collect();
            // Those of the same gap first among equals, then those before others.
            best.sort_by_key(|&(place, count)| (std::cmp::Reverse(count), !in_new.contains(&place), place));
            let mut compared: Vec<usize> = best.into_iter().take(MOST_COMPARED).map(|(place, _)| place).collect();
            if is_small {
                compared.extend(in_new.clone().filter(|&at| new_is_free[at]));
            }
            compared.sort_unstable();
            compared.dedup();
            found.extend(compared.into_iter().filter_map(|to| {
                let is_in_gap = in_new.contains(&to);
                let is_part = || {
                    old[at].count.min(new[to].count) >= PART_WORDS && vocabulary.containment(&old[at], &new[to]) >= PART
                };
                let likeness = match vocabulary.likeness(&old[at], &new[to]) {
                    unlike if unlike < CHANGED && is_in_gap && is_part() => CHANGED,
                    likeness => likeness,
                };
                let pair = Candidate { old: at, new: to, likeness, is_in_gap };
                (likeness >= CHANGED).then_some(pair)
            }));
        }
    }
    found.sort_by_key(|pair| (pair.old, pair.new));
    found
}

/// The pairs of paragraphs in their gaps that are most alike together and keep the order: a heaviest increasing
/// subsequence, by a tree of greatest sums (Fenwick 1994).
fn in_order(candidates: &[Candidate], alignment: &Alignment<'_>) -> Vec<(usize, usize)> {
    let mut tree: Vec<(f64, Option<usize>)> = vec![(0.0, None); alignment.new.len() + 1];
    let mut before: Vec<Option<usize>> = vec![None; candidates.len()];
    let mut open: Vec<(usize, f64)> = Vec::new();
    let mut row = None;
    let insert = |tree: &mut Vec<(f64, Option<usize>)>, open: &mut Vec<(usize, f64)>| {
        for (number, sum) in open.drain(..) {
            let mut at = candidates[number].new + 1;
            while at < tree.len() {
                if sum > tree[at].0 {
                    tree[at] = (sum, Some(number));
                }
                at += at & at.wrapping_neg();
            }
        }
    };
    for (number, pair) in candidates.iter().enumerate().filter(|(_, pair)| pair.is_in_gap) {
        if row.replace(pair.old) != Some(pair.old) {
            // Pairs of one paragraph do not follow each other.
            insert(&mut tree, &mut open);
        }
        let mut best = (0.0, None);
        let mut at = pair.new;
        while at > 0 {
            if tree[at].0 > best.0 {
                best = tree[at];
            }
            at -= at & at.wrapping_neg();
        }
        before[number] = best.1;
        // A long paragraph counts more than a short one.
        let length = alignment.old[pair.old].count.min(alignment.new[pair.new].count) as f64;
        open.push((number, best.0 + f64::from(pair.likeness) * (1.0 + length.sqrt())));
    }
    insert(&mut tree, &mut open);
    let last = tree.iter().fold((0.0, None), |best, &sum| if sum.0 > best.0 { sum } else { best });
    let mut pairs = Vec::new();
    let mut at = last.1;
    while let Some(number) = at {
        pairs.push((candidates[number].old, candidates[number].new));
        at = before[number];
    }
    pairs.reverse();
    pairs
}

/// Titles in the place of titles: the only free paragraph of each side between two matches, both short.
fn titles(alignment: &Alignment<'_>) -> Vec<Match> {
    let is_title = |words: &Words| (1..=TITLE_WORDS).contains(&words.count);
    let mut found = Vec::new();
    for (old, new) in alignment.gaps() {
        let mut old = old.filter(|&at| alignment.old_is_free[at]);
        let mut new = new.filter(|&at| alignment.new_is_free[at]);
        if let (Some(from), None, Some(to), None) = (old.next(), old.next(), new.next(), new.next())
            && is_title(&alignment.old[from])
            && is_title(&alignment.new[to])
        {
            found.push(changed(from, to));
        }
    }
    found
}

/// Adds to changed paragraphs the free ones right before and after them that are a part of their other version: there,
/// the text breaks into more paragraphs.
fn extend(vocabulary: &Vocabulary, alignment: &mut Alignment<'_>) {
    for at in 0..alignment.in_order.len() {
        let matched = alignment.in_order[at].clone();
        if matched.is_same {
            continue;
        }
        let (old, new) = (&alignment.old[matched.old.start], &alignment.new[matched.new.start]);
        let is_rest = |whole: &Words, other: &Words, part: &Words| {
            part.count > 0 && vocabulary.share_of_rest(whole, other, part) >= REST
        };
        let mut wider = matched.clone();
        while alignment.new_is_free.get(wider.new.end) == Some(&true)
            && is_rest(old, new, &alignment.new[wider.new.end])
        {
            wider.new.end += 1;
        }
        while wider.new.start > 0
            && alignment.new_is_free[wider.new.start - 1]
            && is_rest(old, new, &alignment.new[wider.new.start - 1])
        {
            wider.new.start -= 1;
        }
        while alignment.old_is_free.get(wider.old.end) == Some(&true)
            && is_rest(new, old, &alignment.old[wider.old.end])
        {
            wider.old.end += 1;
        }
        while wider.old.start > 0
            && alignment.old_is_free[wider.old.start - 1]
            && is_rest(new, old, &alignment.old[wider.old.start - 1])
        {
            wider.old.start -= 1;
        }
        alignment.take(&wider);
        alignment.in_order[at] = wider;
    }
}
