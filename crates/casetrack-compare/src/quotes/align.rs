//! Alignment of the words of a quotation with a passage, so that they differ as little as they can.
//!
//! A semi-global alignment (Sellers 1980): all of the quotation against any part of the passage. Besides one word for
//! another, a word too many and one that is missing, a step may be a word that is broken into two or three. Long texts
//! are aligned part by part, between places that both have ([`cuts`](super::cuts)).

use std::collections::HashMap;
use std::ops::Range;

use super::cuts::{common_places, likely_part};
use super::tokens::{Class, Likeness, Token, likeness};

/// Most cells of a table: a quotation of 2,000 words and a passage of 3,000.
const MAX_CELLS: usize = 6_000_000;
/// Texts with a larger table are cut at places that they have in common, into parts of about this many cells each.
const CUT_CELLS: usize = 400_000;
const PART_CELLS: usize = 100_000;

/// Costs of steps. One word for another costs less than one too many and another one missing.
const SAME: u16 = 0;
const LETTERS: u16 = 2;
const CONFUSED: u16 = 3;
const SPELLING: u16 = 5;
const OTHER_WORD: u16 = 8;
const OTHER_MARK: u16 = 4;
const BROKEN: u16 = 3;
const WORD: u16 = 9;
const MARK: u16 = 3;

/// Tokens of the quotation and of the passage that belong together; one of them may be none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub quotation: Range<usize>,
    pub passage: Range<usize>,
    pub kind: StepKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepKind {
    Same,
    /// Except for capitals.
    Letters,
    /// Except for letters that a scan confuses, or broken into several words.
    Confused,
    /// One for another, too many, or missing.
    Different,
    /// Text that an ellipsis or brackets stand for.
    Hole,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Alignment {
    pub steps: Vec<Step>,
    /// Share (0–1) of the quotation's words that are in the passage, by their weights, less the words that the passage
    /// has between them.
    pub likeness: f32,
}

/// `None` if one is empty, or both are too long and have no places in common. Time and memory grow with the product of
/// their lengths, or with their sum if they are long.
pub(super) fn align(quotation: &[Token], passage: &[Token]) -> Option<Alignment> {
    if quotation.is_empty() || passage.is_empty() {
        return None;
    }
    let steps = match cells((0, 0), (quotation.len(), passage.len())) {
        whole if whole <= CUT_CELLS => Table::new(quotation, passage, Ends::default()).trace(),
        _ => steps_of_parts(quotation, passage)?,
    };
    let likeness = likeness_of(&steps, quotation, passage);
    Some(Alignment { steps, likeness })
}

/// Cells of the table from one place, of the quotation and of the passage, to another.
fn cells(from: (usize, usize), to: (usize, usize)) -> usize {
    (to.0 - from.0 + 1).saturating_mul(to.1 - from.1 + 1)
}

fn steps_of_parts(quotation: &[Token], passage: &[Token]) -> Option<Vec<Step>> {
    let part = likely_part(quotation, passage).unwrap_or(0..passage.len());
    let passage = &passage[part.clone()];
    let end = (quotation.len(), passage.len());
    let mut cuts = vec![(0, 0)];
    let mut last = None;
    for place in common_places(quotation, passage).into_iter().chain([end]) {
        let is_long = cuts.last().is_some_and(|&cut| cells(cut, place) > PART_CELLS);
        cuts.extend(last.take().filter(|_| is_long));
        last = Some(place);
    }
    cuts.push(end);
    let mut steps = Vec::new();
    for two in cuts.windows(2) {
        let (from, to) = (two[0], two[1]);
        if cells(from, to) > MAX_CELLS {
            return None;
        }
        let ends = Ends { start_is_fixed: from != (0, 0), end_is_fixed: to != end };
        let of_part = Table::new(&quotation[from.0..to.0], &passage[from.1..to.1], ends).trace();
        let moved = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        steps.extend(of_part.into_iter().map(|step| Step {
            quotation: moved(step.quotation, from.0),
            passage: moved(step.passage, part.start + from.1),
            kind: step.kind,
        }));
    }
    Some(steps)
}

/// True if the passage begins and ends with the quotation; else words before and behind it cost nothing.
#[derive(Debug, Clone, Copy, Default)]
struct Ends {
    start_is_fixed: bool,
    end_is_fixed: bool,
}

/// The last step to a cell: the number of tokens that it took of each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Move {
    quotation: u8,
    passage: u8,
}

const NONE: Move = Move { quotation: 0, passage: 0 };

struct Table<'t> {
    quotation: &'t [Token],
    passage: &'t [Token],
    costs: Vec<u16>,
    moves: Vec<Move>,
    alike: Alike,
    ends: Ends,
}

impl<'t> Table<'t> {
    fn new(quotation: &'t [Token], passage: &'t [Token], ends: Ends) -> Self {
        let cells = (quotation.len() + 1) * (passage.len() + 1);
        let alike = Alike::new(quotation, passage);
        let mut table = Self { quotation, passage, costs: vec![0; cells], moves: vec![NONE; cells], alike, ends };
        if ends.start_is_fixed {
            for p in 1..=passage.len() {
                table.costs[p] = table.costs[p - 1].saturating_add(alone(&passage[p - 1]));
                table.moves[p] = Move { quotation: 0, passage: 1 };
            }
        }
        let (broken_quotation, broken_passage) = (joined(quotation), joined(passage));
        for q in 1..=quotation.len() {
            for p in 0..=passage.len() {
                table.fill(q, p, &broken_quotation, &broken_passage);
            }
        }
        table
    }

    fn cell(&self, q: usize, p: usize) -> usize {
        q * (self.passage.len() + 1) + p
    }

    fn fill(&mut self, q: usize, p: usize, broken_quotation: &[Joined], broken_passage: &[Joined]) {
        let is_hole = self.quotation[q - 1].class == Class::Hole;
        let mut best = (u16::MAX, NONE);
        let mut take = |from: u16, cost: u16, quotation: u8, passage: u8| {
            let cost = from.saturating_add(cost);
            if cost < best.0 {
                best = (cost, Move { quotation, passage });
            }
        };
        let cost = |q: usize, p: usize| self.costs[self.cell(q, p)];
        if p > 0 {
            if !is_hole {
                take(cost(q - 1, p - 1), self.alike.cost(self.quotation, self.passage, q - 1, p - 1), 1, 1);
            }
            let missing = if is_hole { 0 } else { alone(&self.passage[p - 1]) };
            take(cost(q, p - 1), missing, 0, 1);
            for (joined, length) in &broken_quotation[q - 1] {
                if *joined == self.passage[p - 1].skeleton {
                    take(cost(q - length, p - 1), BROKEN, *length as u8, 1);
                }
            }
            for (joined, length) in &broken_passage[p - 1] {
                if *joined == self.quotation[q - 1].skeleton {
                    take(cost(q - 1, p - length), BROKEN, 1, *length as u8);
                }
            }
        }
        take(cost(q - 1, p), if is_hole { 0 } else { alone(&self.quotation[q - 1]) }, 1, 0);
        let cell = self.cell(q, p);
        (self.costs[cell], self.moves[cell]) = best;
    }

    /// The steps of the cheapest way through.
    fn trace(&self) -> Vec<Step> {
        let last = self.quotation.len();
        let cheapest = || (0..=self.passage.len()).min_by_key(|&p| self.costs[self.cell(last, p)]).unwrap_or_default();
        let end = if self.ends.end_is_fixed { self.passage.len() } else { cheapest() };
        let (mut q, mut p) = (last, end);
        let mut steps = Vec::new();
        loop {
            let Move { quotation, passage } = self.moves[self.cell(q, p)];
            if quotation == 0 && passage == 0 {
                break;
            }
            let step = (q - usize::from(quotation)..q, p - usize::from(passage)..p);
            (q, p) = (step.0.start, step.1.start);
            let hole = step.0.clone().chain((step.0.is_empty() && q > 0).then(|| q - 1));
            let kind = match (step.0.len(), step.1.len()) {
                _ if hole.clone().any(|at| self.quotation[at].class == Class::Hole) => StepKind::Hole,
                (1, 1) => match self.alike.of(step.0.start, step.1.start) {
                    Likeness::Same => StepKind::Same,
                    Likeness::Letters => StepKind::Letters,
                    Likeness::Confused => StepKind::Confused,
                    _ => StepKind::Different,
                },
                (0, _) | (_, 0) => StepKind::Different,
                _ => StepKind::Confused,
            };
            steps.push(Step { quotation: step.0, passage: step.1, kind });
        }
        steps.reverse();
        steps
    }
}

/// The cost of a token that the other side lacks.
fn alone(token: &Token) -> u16 {
    match token.class {
        Class::Mark => MARK,
        Class::Hole => 0,
        Class::Word | Class::Number | Class::Sign => WORD,
    }
}

/// The words that two or three tokens ending at one place give, with their number.
type Joined = Vec<(String, usize)>;

fn joined(tokens: &[Token]) -> Vec<Joined> {
    let is_word = |at: usize| matches!(tokens[at].class, Class::Word | Class::Number);
    let is_letters = |tokens: &[&Token]| tokens.iter().any(|token| token.class == Class::Word);
    let at = |end: usize| {
        let mut joined = Vec::new();
        if end >= 1 && is_word(end) && is_word(end - 1) && is_letters(&[&tokens[end - 1], &tokens[end]]) {
            joined.push((super::tokens::skeleton(&format!("{}{}", tokens[end - 1].text, tokens[end].text)), 2));
        }
        // With a hyphen, or another mark that a scan makes of a spot.
        if end >= 2 && is_word(end) && is_word(end - 2) && is_letters(&[&tokens[end - 2], &tokens[end]]) {
            let middle = if is_word(end - 1) { tokens[end - 1].text.as_str() } else { "" };
            joined.push((super::tokens::skeleton(&format!("{}{middle}{}", tokens[end - 2].text, tokens[end].text)), 3));
        }
        joined
    };
    (0..tokens.len()).map(at).collect()
}

/// The likeness of every token of one side to every one of the other, each pair of different tokens compared once.
struct Alike {
    quotation: Vec<usize>,
    passage: Vec<usize>,
    distinct: usize,
    table: Vec<Likeness>,
}

impl Alike {
    fn new(quotation: &[Token], passage: &[Token]) -> Self {
        let ((quotation_ids, of_quotation), (passage_ids, of_passage)) = (distinct(quotation), distinct(passage));
        let pairs = of_quotation.iter().flat_map(|a| of_passage.iter().map(move |b| likeness(a, b)));
        Self { quotation: quotation_ids, passage: passage_ids, distinct: of_passage.len(), table: pairs.collect() }
    }

    fn of(&self, q: usize, p: usize) -> Likeness {
        self.table[self.quotation[q] * self.distinct + self.passage[p]]
    }

    fn cost(&self, quotation: &[Token], passage: &[Token], q: usize, p: usize) -> u16 {
        match self.of(q, p) {
            Likeness::Same => SAME,
            Likeness::Letters => LETTERS,
            Likeness::Confused => CONFUSED,
            Likeness::Spelling => SPELLING,
            Likeness::Other if quotation[q].class == Class::Mark && passage[p].class == Class::Mark => OTHER_MARK,
            Likeness::Other => OTHER_WORD,
            Likeness::Unlike => u16::MAX,
        }
    }
}

fn distinct(tokens: &[Token]) -> (Vec<usize>, Vec<&Token>) {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut found = Vec::new();
    let ids = tokens.iter().map(|token| {
        *known.entry(token.text.as_str()).or_insert_with(|| {
            found.push(token);
            found.len() - 1
        })
    });
    (ids.collect(), found)
}

fn likeness_of(steps: &[Step], quotation: &[Token], passage: &[Token]) -> f32 {
    let all: f32 = quotation.iter().map(Token::weight).sum();
    let mut found = 0.0;
    for step in steps {
        let weight: f32 = quotation[step.quotation.clone()].iter().map(Token::weight).sum();
        let extra: f32 = passage[step.passage.clone()].iter().map(Token::weight).sum();
        found += match step.kind {
            StepKind::Same | StepKind::Letters => weight,
            StepKind::Confused => 0.9 * weight,
            StepKind::Different if !step.quotation.is_empty() && !step.passage.is_empty() => {
                let (a, b) = (&quotation[step.quotation.start], &passage[step.passage.start]);
                if likeness(a, b) == Likeness::Spelling { 0.7 * weight } else { 0.0 }
            }
            StepKind::Different => -0.3 * if step.quotation.is_empty() { extra } else { 0.0 },
            StepKind::Hole => 0.0,
        };
    }
    if all > 0.0 { (found / all).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tests::of;
    use super::*;

    fn differs(quotation: &str, passage: &str) -> Vec<(String, String)> {
        let (quotation, passage) = (of(quotation), of(passage));
        let texts = |tokens: &[Token]| tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ");
        let aligned = align(&quotation, &passage).unwrap();
        let different = aligned.steps.iter().filter(|step| step.kind != StepKind::Same);
        different
            .map(|step| (texts(&quotation[step.quotation.clone()]), texts(&passage[step.passage.clone()])))
            .collect()
    }

    #[test]
    fn differences_are_single_words() {
        const PASSAGE: &str = "Definitions follow. The Buyer shall pay the price within thirty (30) days after receipt of the goods. Nothing else.";
        for (quotation, expected) in [
            ("The Buyer shall pay the price within thirty (30) days", vec![]),
            ("The Buyer shall not pay the price", vec![("not", "")]),
            ("The Buyer pay the price", vec![("", "shall")]),
            (
                "The Seller shall pay the price within sixty (60) days",
                vec![("Seller", "Buyer"), ("sixty", "thirty"), ("60", "30")],
            ),
            ("Tne Buyer sha11 pay the pr ice within", vec![("Tne", "The"), ("sha11", "shall"), ("pr ice", "price")]),
            ("after receiptof the goods", vec![("receiptof", "receipt of")]),
            ("within thirty 30 days", vec![("", "("), ("", ")")]),
            ("the gocds, Nothing else", vec![("gocds", "goods"), (",", ".")]),
        ] {
            let expected: Vec<(String, String)> =
                expected.into_iter().map(|(a, b): (&str, &str)| (a.to_owned(), b.to_owned())).collect();
            assert_eq!(differs(quotation, PASSAGE), expected, "{quotation}");
        }
    }

    /// Words in no order, some of them often, as a text has them.
    fn long_text() -> Vec<String> {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
        let word = |n: usize| format!("{}{}{}", letter(n), letter(n / 26), letter(n / 7));
        (0..9_000).map(|_| if next() % 3 == 0 { "the".to_owned() } else { word(next() % 400) }).collect()
    }

    #[test]
    fn long_texts_are_aligned_part_by_part() {
        let text = long_text();
        let mut quoted = text[4_000..6_000].to_vec();
        let changes = [(100, "alteredone"), (700, "alteredtwo"), (1_300, "alteredthree"), (1_999, "alteredfour")];
        let mut expected = Vec::new();
        for (at, changed) in changes {
            expected.push((changed.to_owned(), std::mem::replace(&mut quoted[at], changed.to_owned())));
        }
        quoted.insert(1_000, "never".to_owned());
        expected.insert(2, ("never".to_owned(), String::new()));
        let passage = text.join(" ");
        assert_eq!(differs(&quoted.join(" "), &passage), expected);
        // The passage twice.
        let twice = [&text[3_000..7_000], &text[3_000..7_000]].concat().join(" ");
        assert_eq!(differs(&quoted.join(" "), &twice), expected);
        // Words are left out, and the quotation marks it.
        let mut tokens = of(&text[4_000..5_000].join(" "));
        tokens.push(Token::hole(1));
        tokens.extend(of(&text[5_300..6_000].join(" ")));
        let alignment = align(&tokens, &of(&passage)).unwrap();
        let is_same = |step: &&Step| step.kind == StepKind::Same;
        assert_eq!(alignment.steps.iter().filter(is_same).count(), 1_700);
        assert!(alignment.likeness > 0.999 && alignment.steps[0].passage == (4_000..4_001), "{}", alignment.likeness);
        // Other texts as long.
        let other: Vec<String> = (0..2_000).map(|n| format!("other{n}")).collect();
        assert!(align(&of(&other.join(" ")), &of(&passage)).is_none());
    }

    #[test]
    fn other_texts_are_not_alike() {
        let likeness = |quotation: &str| {
            let passage = of("The Buyer shall pay the price within thirty (30) days after receipt of the goods.");
            align(&of(quotation), &passage).unwrap().likeness
        };
        assert!(likeness("Buyer shall pay the price within forty (40) days") > 0.6);
        assert!(likeness("No dogs are allowed on the pier after sunset in the summer") < 0.3);
        assert!(align(&[], &of("a")).is_none() && align(&of("a"), &[]).is_none());
    }
}
