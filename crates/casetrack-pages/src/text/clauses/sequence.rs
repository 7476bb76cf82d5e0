//! Chooses the numbers that count the clauses of a document: they follow each other.

use std::collections::HashMap;

use super::candidates::Candidate;
use super::label::{Number, Scheme};

/// A place where numbering may begin again: a schedule, or the clause that contains the numbered ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Boundary {
    pub start: usize,
    /// Of an article, whose parts may be numbered with it.
    pub number: Option<u16>,
}

/// The cost of a sequence, in the unit of the weights of candidates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costs {
    pub first: f32,
    /// For a sequence that begins again without a boundary.
    pub again: f32,
}

/// Numbers that may be left out in a sequence: lines are lost, clauses deleted.
const MAX_MISSING: u16 = 4;

/// The best sequence of candidates, which are in order: the one with the greatest weight in which each number follows
/// the one before, less the cost of missing numbers and of beginning again. Sequences with fewer members than `fewest`
/// are left out. Linear in the number of candidates.
pub(super) fn best_sequence<'c, 't>(
    candidates: impl Iterator<Item = &'c Candidate<'t>>,
    boundaries: &[Boundary],
    costs: Costs,
    fewest: usize,
) -> Vec<&'c Candidate<'t>> {
    let mut steps: Vec<Step<'c, 't>> = Vec::new();
    let mut ends = Ends::default();
    let mut best: Option<usize> = None;
    let (mut at_boundary, mut boundary) = (None, None);
    let mut ahead = boundaries.iter().peekable();
    for candidate in candidates {
        while let Some(passed) = ahead.next_if(|boundary| boundary.start <= candidate.start) {
            (at_boundary, boundary) = (best, Some(passed));
        }
        let Number { first, second } = candidate.label.number;
        let score = |index: Option<usize>| index.map_or(0.0, |index| steps[index].score);
        let followed = |(index, cost): (usize, f32)| (steps[index].score - cost, Some(index));
        let mut options: Vec<_> = ends.before(candidate.label.number).into_iter().map(followed).collect();
        if second == 1 || first == 1 && second == 0 {
            let later = if first == 1 { 0.0 } else { 1.0 };
            options.push((score(best) - if best.is_some() { costs.again } else { costs.first } - later, best));
            let is_part = second > 0 && boundary.is_some_and(|boundary| boundary.number == Some(first));
            let cost = if is_part { 0.0 } else { costs.first.min(1.0) + later };
            options.push((score(at_boundary) - cost, at_boundary));
        }
        let Some((before_score, before)) = options.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        let (index, score) = (steps.len(), before_score + candidate.weight);
        steps.push(Step { candidate, score, before });
        let improves = |old: Option<&usize>| old.is_none_or(|&old| score >= steps[old].score);
        if improves(ends.by_number.get(&candidate.label.number)) {
            ends.by_number.insert(candidate.label.number, index);
        }
        if improves(ends.by_clause.get(&first)) {
            ends.by_clause.insert(first, index);
        }
        if best.map_or(score > 0.0, |old| score > steps[old].score) {
            best = Some(index);
        }
    }
    let mut members: Vec<&Candidate> =
        std::iter::successors(best, |&index| steps[index].before).map(|index| steps[index].candidate).collect();
    members.reverse();
    let begins = |candidate: &Candidate| {
        let Number { first, second } = candidate.label.number;
        first == 1 && second <= 1
    };
    let runs = members.chunk_by(|_, next| !begins(next));
    runs.filter(|run| run.len() >= fewest && !is_list(run)).flatten().copied().collect()
}

/// The items of a list are shorter than clauses, in bytes.
const MAX_ITEM_BYTES: usize = 80;

/// True if a run of numbers counts the items of a list: none is divided further, and most are short.
fn is_list(run: &[&Candidate]) -> bool {
    let short = run.windows(2).filter(|pair| pair[1].start - pair[0].start < MAX_ITEM_BYTES).count();
    run.iter().all(|member| member.label.number.second == 0 && member.label.scheme != Scheme::Article)
        && 2 * short > run.len().saturating_sub(1)
}

/// A candidate as the end of a sequence.
struct Step<'c, 't> {
    candidate: &'c Candidate<'t>,
    score: f32,
    before: Option<usize>,
}

/// The best sequence that ends with a number, and with any part of a clause.
#[derive(Default)]
struct Ends {
    by_number: HashMap<Number, usize>,
    by_clause: HashMap<u16, usize>,
}

impl Ends {
    /// The sequences that a number may follow, and what each costs.
    fn before(&self, Number { first, second }: Number) -> Vec<(usize, f32)> {
        let mut found = Vec::new();
        let mut follow = |before: Option<&usize>, cost: f32| found.extend(before.map(|&index| (index, cost)));
        if second > 0 {
            follow(self.by_number.get(&Number { first, second: second - 1 }), 0.0);
            for missing in 1..=MAX_MISSING.min(second.saturating_sub(2)) {
                let before = Number { first, second: second - 1 - missing };
                follow(self.by_number.get(&before), 0.8 * f32::from(missing + 1));
            }
        }
        match second {
            1 => {
                follow(self.by_clause.get(&(first - 1)), 0.2);
                follow(first.checked_sub(2).and_then(|before| self.by_clause.get(&before)), 2.0);
            }
            2 => follow(self.by_number.get(&Number { first, second: 0 }), 1.5),
            0 => {
                follow(self.by_clause.get(&(first - 1)), 0.0);
                for missing in 1..=MAX_MISSING.min(first.saturating_sub(2)) {
                    follow(self.by_clause.get(&(first - 1 - missing)), f32::from(missing + 1));
                }
            }
            _ => {}
        }
        found
    }
}
