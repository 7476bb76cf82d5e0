//! Differences between a quotation and a passage, word by word.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::align::{Step, StepKind};
use super::tokens::{Class, Token};

/// The kind of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    Punctuation,
    Capitals,
    /// Letters that a scan confuses (rn and m, l and 1, O and 0), or a word that is broken or run together with another.
    ScanningSlip,
    Word,
    Number,
    /// A "not", "no", "without" or the like on one side only.
    Negation,
}

impl DifferenceKind {
    /// True if both sides have the same words.
    pub fn has_same_words(self) -> bool {
        self <= Self::ScanningSlip
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::Punctuation => "punctuation",
            Self::Capitals => "capitals",
            Self::ScanningSlip => "scanning or typing slip",
            Self::Word => "word",
            Self::Number => "number",
            Self::Negation => "negation",
        }
    }
}

/// Words of the quotation and the words in the document in their place; either may be empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    pub kind: DifferenceKind,
    pub quotation: String,
    pub document: String,
    /// Up to three words of the quotation before it.
    pub preceded_by: String,
}

/// Words of the quotation shown before a difference.
const WORDS_BEFORE: usize = 3;

/// Words that turn a sentence into its opposite.
const NEGATIONS: [&str; 13] = [
    "not", "no", "never", "neither", "nor", "none", "nothing", "nobody", "cannot", "without", "unless", "except", "non",
];

fn is_negation(word: &str) -> bool {
    let word = word.to_lowercase();
    NEGATIONS.contains(&word.as_str()) || word.ends_with("n't")
}

/// The words of a text that negate, in order.
pub(super) fn negations(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’'));
    words.filter(|word| is_negation(&word.replace('’', "'"))).map(str::to_lowercase).collect()
}

pub(super) struct Sides<'t> {
    pub quotation: &'t [Token],
    pub passage: &'t [Token],
    pub quotation_text: &'t dyn Fn(Range<usize>) -> String,
    pub passage_text: &'t dyn Fn(Range<usize>) -> String,
}

impl Sides<'_> {
    /// The differences of an alignment. Words that differ next to each other are one.
    pub fn differences(&self, steps: &[Step]) -> Vec<Difference> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < steps.len() {
            let kind = steps[at].kind;
            let same = |step: &&Step| step.kind == kind && kind == StepKind::Different && !self.is_mark(step);
            let more = if self.is_mark(&steps[at]) { 0 } else { steps[at + 1..].iter().take_while(same).count() };
            let group = &steps[at..=at + more];
            at += 1 + more;
            let quotation = span(group.iter().map(|step| &step.quotation));
            let passage = span(group.iter().map(|step| &step.passage));
            let kind = match kind {
                StepKind::Same | StepKind::Hole => continue,
                StepKind::Letters => DifferenceKind::Capitals,
                StepKind::Confused => DifferenceKind::ScanningSlip,
                StepKind::Different => self.kind(&quotation, &passage),
            };
            // A comma or full stop at the end of a quotation may be the draft's own.
            let is_closing = kind == DifferenceKind::Punctuation && passage.is_empty() && at == steps.len();
            if is_closing
                && matches!((self.quotation_text)(quotation.clone()).as_str(), "," | "." | ";")
                && !found.is_empty()
            {
                continue;
            }
            let before = self.words_before(quotation.start)..quotation.start;
            found.push(Difference {
                kind,
                quotation: (self.quotation_text)(quotation),
                document: (self.passage_text)(passage),
                preceded_by: (self.quotation_text)(before),
            });
        }
        found
    }

    /// The token that the last words before another begin with.
    fn words_before(&self, end: usize) -> usize {
        let words = (0..end).rev().filter(|&at| matches!(self.quotation[at].class, Class::Word | Class::Number));
        words.take(WORDS_BEFORE).last().unwrap_or(end)
    }

    fn is_mark(&self, step: &Step) -> bool {
        self.tokens(&step.quotation, &step.passage).all(|token| token.class == Class::Mark)
    }

    fn tokens(&self, quotation: &Range<usize>, passage: &Range<usize>) -> impl Iterator<Item = &Token> {
        self.quotation[quotation.clone()].iter().chain(&self.passage[passage.clone()])
    }

    fn kind(&self, quotation: &Range<usize>, passage: &Range<usize>) -> DifferenceKind {
        let negations = |tokens: &[Token]| tokens.iter().filter(|token| is_negation(&token.text)).count();
        let classes = || self.tokens(quotation, passage).map(|token| token.class);
        if negations(&self.quotation[quotation.clone()]) != negations(&self.passage[passage.clone()]) {
            DifferenceKind::Negation
        } else if self.tokens(quotation, passage).any(|token| token.class == Class::Sign || token.has_digit()) {
            DifferenceKind::Number
        } else if classes().all(|class| class == Class::Mark) {
            DifferenceKind::Punctuation
        } else {
            DifferenceKind::Word
        }
    }
}

/// From the start of the first range to the end of the last; they follow each other.
fn span<'r>(ranges: impl Iterator<Item = &'r Range<usize>>) -> Range<usize> {
    ranges.cloned().reduce(|a, b| a.start..b.end).unwrap_or(0..0)
}
