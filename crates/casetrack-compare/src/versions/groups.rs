//! Groups of documents that are alike enough to be versions of one another.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::sketch::Sketch;

/// Hashes of each sample by which documents are looked up.
const PROBES: usize = 128;
/// Documents that are looked up by one hash: those that follow in the list. Text that many documents share, such as the
/// end of every e-mail of a company, would make every two of them a pair.
const WINDOW: usize = 64;
/// Share of the least similarity that the smallest hashes must show, so that chance loses no pair.
const SLACK: f32 = 0.4;
/// Most documents that one is compared with, those that share most hashes.
const MOST_COMPARED: usize = 200;

/// Share of the least similarity that the documents of two groups must have on average to become one: a binder that holds the text of two
/// contracts makes them no versions of each other, while the first and the last of many drafts may have little in common.
const AVERAGE: f32 = 0.5;
/// Documents of each group that the average is taken over.
const SAMPLED: usize = 8;

/// Groups of documents, each at least `least` (0–1) similar to another one of its group; by their indexes, in order,
/// the largest first. Time grows with the number of documents; each is compared with at most [`MOST_COMPARED`] others.
pub(super) fn groups(sketches: &[&Sketch], least: f32) -> Vec<Vec<usize>> {
    let mut union = Union::new(sketches.len());
    let mut pairs: Vec<(f32, usize, usize)> = Vec::new();
    // Copies are compared once.
    let mut first: HashMap<&Sketch, usize> = HashMap::new();
    let mut different = Vec::new();
    for (at, &sketch) in sketches.iter().enumerate().filter(|(_, sketch)| sketch.is_comparable()) {
        match first.entry(sketch) {
            Entry::Occupied(known) => union.join(*known.get(), at),
            Entry::Vacant(entry) => {
                entry.insert(at);
                different.push(at);
            }
        }
    }
    let mut places: HashMap<u32, Vec<usize>> = HashMap::new();
    for (place, &at) in different.iter().enumerate() {
        for &hash in sketches[at].probes(PROBES) {
            places.entry(hash).or_default().push(place);
        }
    }
    for (place, &at) in different.iter().enumerate() {
        let probes = sketches[at].probes(PROBES);
        let mut shared: HashMap<usize, u32> = HashMap::new();
        for places in probes.iter().filter_map(|hash| places.get(hash)) {
            let next = places.partition_point(|&other| other <= place);
            for &other in places[next..].iter().take(WINDOW) {
                *shared.entry(other).or_default() += 1;
            }
        }
        let few = (SLACK * least * probes.len() as f32) as u32;
        let mut best: Vec<(usize, u32)> = shared.into_iter().filter(|(_, count)| *count > few).collect();
        best.sort_by_key(|&(other, count)| (std::cmp::Reverse(count), other));
        for (other, _) in best.into_iter().take(MOST_COMPARED) {
            let similarity = sketches[at].similarity(sketches[different[other]]);
            if similarity >= least {
                pairs.push((similarity, at, different[other]));
            }
        }
    }
    // The most similar first; stable, so equal ones in order.
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    join_groups(sketches, &mut union, &pairs, AVERAGE * least);
    let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
    for at in 0..sketches.len() {
        members.entry(union.root(at)).or_default().push(at);
    }
    let mut groups: Vec<Vec<usize>> = members.into_values().filter(|members| members.len() > 1).collect();
    groups.sort_by_key(|members| (std::cmp::Reverse(members.len()), members[0]));
    groups
}

/// Joins the groups of each pair whose documents are on average at least `least` similar.
fn join_groups(sketches: &[&Sketch], union: &mut Union, pairs: &[(f32, usize, usize)], least: f32) {
    let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
    // Two groups are compared again only if one of them has grown.
    let mut refused: HashSet<[(usize, usize); 2]> = HashSet::new();
    for &(_, a, b) in pairs {
        let (a, b) = (union.root(a), union.root(b));
        if a == b {
            continue;
        }
        let of = |root: usize| members.get(&root).cloned().unwrap_or_else(|| vec![root]);
        let (in_a, in_b) = (of(a), of(b));
        let both = [(a, in_a.len()), (b, in_b.len())];
        if refused.contains(&both) {
            continue;
        }
        let sample =
            |group: &[usize]| -> Vec<usize> { group.iter().copied().step_by(group.len().div_ceil(SAMPLED)).collect() };
        let (from_a, from_b) = (sample(&in_a), sample(&in_b));
        let of_one = |&a: &usize| from_b.iter().map(|&b| sketches[a].similarity(sketches[b])).sum::<f32>();
        let average = from_a.iter().map(of_one).sum::<f32>() / (from_a.len() * from_b.len()) as f32;
        if average < least {
            refused.insert(both);
            continue;
        }
        union.join(a, b);
        members.remove(&a);
        members.remove(&b);
        members.insert(a.min(b), [in_a, in_b].concat());
    }
}

/// Sets of indexes that are joined (Tarjan 1975).
struct Union(Vec<usize>);

impl Union {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::super::sketch::tests::{sketch, words};
    use super::*;

    fn grouped(texts: &[String], least: f32) -> Vec<Vec<usize>> {
        let sketches: Vec<Sketch> = texts.iter().map(|text| sketch(text)).collect();
        groups(&sketches.iter().collect::<Vec<_>>(), least)
    }

    #[test]
    fn versions_and_copies_are_together_and_others_apart() {
        let changed = |n: usize, step: usize| -> String {
            let text = words(n as u32 * 10_000..n as u32 * 10_000 + 2_000);
            let words = text.split(' ').enumerate();
            words.map(|(at, word)| if at % step == 0 { "other" } else { word }).collect::<Vec<_>>().join(" ")
        };
        let texts = [
            changed(1, 9_999),
            changed(2, 9_999),
            changed(1, 10),
            changed(3, 9_999),
            changed(2, 9_999),
            changed(1, 8),
            String::new(),
        ];
        assert_eq!(grouped(&texts, 0.3), [vec![0, 2, 5], vec![1, 4]]);
        assert_eq!(grouped(&texts, 0.9), [vec![1, 4]]);
    }

    #[test]
    fn a_binder_joins_no_two_contracts_and_many_drafts_are_one_group() {
        let of =
            |n: u32, copy: u32| format!("{} copy{copy} of{n} its{copy} own{n}", words(n * 10_000..n * 10_000 + 1_000));
        let mut texts: Vec<String> = (0..4).map(|copy| of(1, copy)).chain((0..4).map(|copy| of(2, copy))).collect();
        texts.push(format!("{} {}", of(1, 9), of(2, 9)));
        let found = grouped(&texts, 0.25);
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [5, 4]);
        // Each draft has nine tenths of the one before, the last has nothing of the first.
        let drafts: Vec<String> = (0..12).map(|n| words(n * 100..n * 100 + 1_000)).collect();
        assert_eq!(grouped(&drafts, 0.25), [(0..12).collect::<Vec<_>>()]);
    }

    #[test]
    fn what_many_documents_share_makes_no_group_of_them() {
        let end = words(0..60);
        let texts: Vec<String> = (1..400).map(|n| format!("{} {end}", words(n * 1000..n * 1000 + 300))).collect();
        assert_eq!(grouped(&texts, 0.3), [[0; 0]; 0]);
        // Versions of one text, more than are looked up by one hash.
        let texts: Vec<String> = (0..400).map(|n| format!("{} own{n} words{n}", words(0..500))).collect();
        assert_eq!(grouped(&texts, 0.3), [(0..400).collect::<Vec<_>>()]);
    }
}
