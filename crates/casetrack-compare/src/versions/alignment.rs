//! Pairs of paragraphs of two versions.
//!
//! First text that is the same to the word and in the same order (Patience differences, Bram Cohen), then text that
//! only breaks into other paragraphs, then text that is the same elsewhere, and finally similar text
//! ([`similar_pairs`](super::similar_pairs)).

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::similar_pairs::pair_similar;
use super::words::{Vocabulary, Words};

/// Paragraphs of both versions that belong together. A side has several paragraphs if it divides the text further, and one
/// side may have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    pub old: Range<usize>,
    pub new: Range<usize>,
    /// True if the words are the same.
    pub is_same: bool,
    /// True if the order of the text around it changed.
    pub is_moved: bool,
}

/// All paragraphs of two versions, each in one match, in the order of the new version; deleted text precedes the text
/// after it.
///
/// Time grows with n log n for n paragraphs, however they differ, for each is compared with few others.
pub(super) fn align(vocabulary: &Vocabulary, old: &[Words], new: &[Words]) -> Vec<Match> {
    let mut alignment = Alignment::new(old, new);
    alignment.match_same();
    alignment.match_broken();
    alignment.match_moved();
    pair_similar(vocabulary, &mut alignment);
    alignment.finish()
}

pub(super) struct Alignment<'w> {
    pub old: &'w [Words],
    pub new: &'w [Words],
    /// Those in the order of both versions. Sorted, and disjoint on both sides.
    pub in_order: Vec<Match>,
    pub moved: Vec<Match>,
    pub old_is_free: Vec<bool>,
    pub new_is_free: Vec<bool>,
}

/// Paragraphs of both versions between two matches in order.
pub type Gap = (Range<usize>, Range<usize>);

impl<'w> Alignment<'w> {
    fn new(old: &'w [Words], new: &'w [Words]) -> Self {
        let (in_order, moved) = Default::default();
        Self { old, new, in_order, moved, old_is_free: vec![true; old.len()], new_is_free: vec![true; new.len()] }
    }

    pub fn take(&mut self, matched: &Match) {
        self.old_is_free[matched.old.clone()].fill(false);
        self.new_is_free[matched.new.clone()].fill(false);
    }

    pub fn add_in_order(&mut self, matches: Vec<Match>) {
        matches.iter().for_each(|matched| self.take(matched));
        self.in_order.extend(matches);
        self.in_order.sort_by_key(|matched| matched.old.start);
    }

    pub fn gaps(&self) -> Vec<Gap> {
        let end = Match { old: self.old.len()..0, new: self.new.len()..0, is_same: true, is_moved: false };
        let (mut gaps, mut old, mut new) = (Vec::new(), 0, 0);
        for matched in self.in_order.iter().chain([&end]) {
            gaps.push((old..matched.old.start.max(old), new..matched.new.start.max(new)));
            (old, new) = (matched.old.end, matched.new.end);
        }
        gaps
    }

    /// Matches text that is the same and in the same order. Paragraphs that only one version has are no part of the search.
    fn match_same(&mut self) {
        let mut texts: HashMap<&[u32], (u32, bool, bool)> = HashMap::new();
        for (words, is_new) in
            self.old.iter().map(|words| (words, false)).chain(self.new.iter().map(|words| (words, true)))
        {
            let number = texts.len() as u32;
            let known = texts.entry(&words.tokens).or_insert((number, false, false));
            known.1 |= !is_new;
            known.2 |= is_new;
        }
        let common = |side: &[Words]| -> (Vec<usize>, Vec<u32>) {
            let numbers = side.iter().enumerate().filter_map(|(at, words)| match texts.get(words.tokens.as_slice()) {
                Some(&(number, true, true)) => Some((at, number)),
                _ => None,
            });
            numbers.unzip()
        };
        let ((old, old_texts), (new, new_texts)) = (common(self.old), common(self.new));
        let mut matches = Vec::new();
        for op in capture_diff_slices(Algorithm::Patience, &old_texts, &new_texts) {
            let (tag, in_old, in_new) = op.as_tag_tuple();
            if tag == DiffTag::Equal {
                matches.extend(old[in_old].iter().zip(&new[in_new]).map(|(&i, &j)| same(i..i + 1, j..j + 1)));
            }
        }
        self.add_in_order(matches);
    }

    /// Matches text with the same words that breaks into other paragraphs, at both ends of each gap.
    fn match_broken(&mut self) {
        let mut matches = Vec::new();
        for (old, new) in self.gaps() {
            let (start, end) = (matches.len(), (old.end, new.end));
            let (mut i, mut j) = (old.start, new.start);
            while let Some((taken_old, taken_new)) =
                same_start(self.old[i..end.0].iter(), self.new[j..end.1].iter(), false)
            {
                matches.push(same(i..i + taken_old, j..j + taken_new));
                (i, j) = (i + taken_old, j + taken_new);
            }
            let (mut last_old, mut last_new) = end;
            while let Some((taken_old, taken_new)) =
                same_start(self.old[i..last_old].iter().rev(), self.new[j..last_new].iter().rev(), true)
            {
                matches.push(same(last_old - taken_old..last_old, last_new - taken_new..last_new));
                (last_old, last_new) = (last_old - taken_old, last_new - taken_new);
            }
            matches[start..].sort_by_key(|matched| matched.old.start);
        }
        self.add_in_order(matches);
    }

    /// Matches text that is the same in another order, unless it is hardly distinctive.
    fn match_moved(&mut self) {
        let mut places: HashMap<&[u32], Vec<usize>> = HashMap::new();
        for (at, words) in
            self.new.iter().enumerate().rev().filter(|(at, words)| self.new_is_free[*at] && words.is_telling)
        {
            places.entry(&words.tokens).or_default().push(at);
        }
        for (at, words) in self.old.iter().enumerate() {
            if !self.old_is_free[at] {
                continue;
            }
            if let Some(to) = places.get_mut(words.tokens.as_slice()).and_then(Vec::pop) {
                let matched = Match { is_moved: true, ..same(at..at + 1, to..to + 1) };
                self.take(&matched);
                self.moved.push(matched);
            }
        }
    }

    /// All matches, with the paragraphs of one side only.
    fn finish(self) -> Vec<Match> {
        let only = |old, new| Match { old, new, is_same: false, is_moved: false };
        let is_free = |free: &[bool], at: usize| free.get(at).copied().unwrap_or_default();
        let mut found: Vec<((usize, bool, usize), Match)> = Vec::new();
        for (old, new) in self.gaps() {
            let deleted = old.filter(|&at| is_free(&self.old_is_free, at));
            found.extend(deleted.map(|at| ((new.start, false, at), only(at..at + 1, new.start..new.start))));
            let inserted = new.filter(|&at| is_free(&self.new_is_free, at));
            found.extend(inserted.map(|at| ((at, true, 0), only(0..0, at..at + 1))));
        }
        let both = self.in_order.into_iter().chain(self.moved);
        found.extend(both.map(|matched| ((matched.new.start, true, 0), matched)));
        found.sort_by_key(|(order, _)| *order);
        found.into_iter().map(|(_, matched)| matched).collect()
    }
}

fn same(old: Range<usize>, new: Range<usize>) -> Match {
    Match { old, new, is_same: true, is_moved: false }
}

/// The number of paragraphs of each side, at least one, that have the same words together, from the start on; from the
/// end if they come `backwards`.
fn same_start<'w>(
    mut old: impl Iterator<Item = &'w Words>,
    mut new: impl Iterator<Item = &'w Words>,
    backwards: bool,
) -> Option<(usize, usize)> {
    let tokens = |words: &'w Words| -> &'w [u32] { &words.tokens };
    let (mut a, mut b) = (tokens(old.next()?), tokens(new.next()?));
    let mut taken = (1, 1);
    loop {
        let common = a.len().min(b.len());
        let (of_a, of_b) = if backwards {
            (a.split_at(a.len() - common), b.split_at(b.len() - common))
        } else {
            let ((a, rest_a), (b, rest_b)) = (a.split_at(common), b.split_at(common));
            ((rest_a, a), (rest_b, b))
        };
        if of_a.1 != of_b.1 {
            return None;
        }
        (a, b) = (of_a.0, of_b.0);
        match (a.is_empty(), b.is_empty()) {
            (true, true) => return Some(taken),
            (true, false) => {
                a = tokens(old.next()?);
                taken.0 += 1;
            }
            _ => {
                b = tokens(new.next()?);
                taken.1 += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The changes: `=` is the same elsewhere, `~` has other words, `~=` both, `-` deleted, `+` inserted.
    fn changes(old: &[&str], new: &[&str]) -> Vec<String> {
        let mut vocabulary = Vocabulary::default();
        let mut words = |texts: &[&str]| -> Vec<Words> { texts.iter().map(|text| vocabulary.words(text)).collect() };
        let (old_words, new_words) = (words(old), words(new));
        let matches = align(&vocabulary, &old_words, &new_words);
        let mut seen = (vec![0; old.len()], vec![0; new.len()]);
        for matched in &matches {
            matched.old.clone().for_each(|at| seen.0[at] += 1);
            matched.new.clone().for_each(|at| seen.1[at] += 1);
        }
        assert!(seen.0.iter().chain(&seen.1).all(|times| *times == 1), "{matches:?}");
        let changed = matches.iter().filter(|matched| !matched.is_same || matched.is_moved);
        let texts = |texts: &[&str], range: &Range<usize>| texts[range.clone()].join(" | ");
        changed
            .map(|matched| {
                let (old, new) = (texts(old, &matched.old), texts(new, &matched.new));
                match (old.is_empty(), new.is_empty(), matched.is_same, matched.is_moved) {
                    (true, ..) => format!("+{new}"),
                    (_, true, ..) => format!("-{old}"),
                    (_, _, true, _) => format!("={old}"),
                    (_, _, _, true) => format!("~={old} > {new}"),
                    _ => format!("~{old} > {new}"),
                }
            })
            .collect()
    }

    const CLAUSES: [&str; 6] = [
        "1. Rent",
        "The tenant shall pay a monthly rent of 500 dollars to the landlord.",
        "2. Repairs",
        "The landlord repairs the roof, the walls and the heating within thirty days after notice.",
        "3. Notices",
        "Notices are sent by registered mail to the address that the other party named last.",
    ];

    #[test]
    fn the_same_paragraphs_have_no_changes() {
        assert_eq!(changes(&CLAUSES, &CLAUSES), [""; 0]);
        assert_eq!(changes(&[], &[]), [""; 0]);
        assert_eq!(changes(&[], &["a"]), ["+a"]);
        assert_eq!(changes(&["a"], &[]), ["-a"]);
    }

    #[test]
    fn words_titles_and_whole_paragraphs_change() {
        let mut new = CLAUSES.to_vec();
        new[1] = "The tenant shall pay a monthly rent of 700 dollars to the landlord.";
        new[4] = "3. Communications";
        new.insert(2, "Rent is due on the first working day of every month without demand.");
        new.remove(4);
        let expected = [
            format!("~{} > {}", CLAUSES[1], new[1]),
            format!("+{}", new[2]),
            format!("-{}", CLAUSES[3]),
            "~3. Notices > 3. Communications".to_owned(),
        ];
        assert_eq!(changes(&CLAUSES, &new), expected);
    }

    #[test]
    fn what_moves_is_found_with_the_words_that_changed() {
        let mut new = CLAUSES.to_vec();
        let moved = new.remove(1);
        new.push(moved);
        assert_eq!(changes(&CLAUSES, &new), [format!("={moved}")]);
        let changed = "The tenant shall pay a monthly rent of 700 dollars to the landlord.";
        *new.last_mut().unwrap() = changed;
        assert_eq!(changes(&CLAUSES, &new), [format!("~={moved} > {changed}")]);
    }

    #[test]
    fn other_breaks_between_paragraphs_are_no_changes() {
        let new = [
            "1. Rent The tenant shall pay a monthly rent",
            "of 500 dollars to the landlord.",
            "2. Repairs",
            "The landlord repairs the roof, the walls and the",
            "heating within sixty days after notice.",
            "3. Notices",
            "Notices are sent by registered mail",
            "to the address that the other party named last.",
        ];
        assert_eq!(changes(&CLAUSES, &new), [format!("~{} > {} | {}", CLAUSES[3], new[3], new[4])]);
        let back: Vec<String> = changes(&new, &CLAUSES);
        assert_eq!(back, [format!("~{} | {} > {}", new[3], new[4], CLAUSES[3])]);
    }

    #[test]
    fn other_texts_are_deleted_and_inserted() {
        let new =
            ["The goods are delivered to the warehouse in Hamburg before the end of the season by ship or by train."];
        assert_eq!(changes(&CLAUSES[3..4], &new), [format!("-{}", CLAUSES[3]), format!("+{}", new[0])]);
    }

    #[test]
    fn ten_thousand_paragraphs_in_any_order_take_little_time() {
        let text = |n: usize| {
            format!("Clause {n}: party {} pays {} for item {} of list {}.", n % 7, n * 37 % 1000, n % 91, n % 13)
        };
        let old: Vec<String> = (0..10_000).map(text).collect();
        let shuffled: Vec<String> = (0..10_000).map(|n| text(n * 7919 % 10_000)).collect();
        let edited: Vec<String> =
            (0..10_000).map(|n| text(n).replace("pays", if n % 3 == 0 { "pays" } else { "owes" })).collect();
        let repeated: Vec<String> = (0..10_000).map(|n| format!("Item {}.", n * n % 17)).collect();
        let others: Vec<String> = (0..10_000).map(|n| format!("Item {}.", (n * n + n / 3) % 17)).collect();
        let count = |old: &[String], new: &[String]| {
            let (old, new): (Vec<&str>, Vec<&str>) =
                (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
            changes(&old, &new).len()
        };
        let started = std::time::Instant::now();
        assert!(count(&old, &shuffled) > 9_000);
        println!("shuffled: {:?}", started.elapsed());
        assert_eq!(count(&old, &edited), 6_666);
        println!("edited: {:?}", started.elapsed());
        assert!(count(&repeated, &others) > 1_000);
        println!("repeated: {:?}", started.elapsed());
    }
}
