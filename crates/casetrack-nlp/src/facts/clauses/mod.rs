//! The clauses of a contract, found by a linear model that was trained on annotated contracts.
//!
//! | what | file |
//! |---|---|
//! | the features of each sentence | `features` |
//! | weights, scores and probabilities | `model` |
//! | yes, no or not sure, with the clause | `columns` |
//! | clauses that are like examples | `likeness` |
//!
//! `scripts/train/clauses.py` trains the model and writes `data/clauses/weights.bin`. Cost: linear; some 3 ms for 100,000 characters.

mod columns;
mod features;
pub mod likeness;
mod model;

use std::ops::Range;

use casetrack_core::Annotations;
use serde::{Deserialize, Serialize};

pub(super) use self::columns::{find, stated};
pub use self::features::Features;
use self::model::MODEL;
use super::text::Text;

macro_rules! clauses {
    ($($name:ident = $text:literal),+ $(,)?) => {
        /// A kind of clause.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Clause {
            $($name),+
        }

        impl Clause {
            /// All kinds, in the order of the weights.
            pub const ALL: [Self; KINDS] = [$(Self::$name),+];

            /// In small letters, with underscores.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text),+
                }
            }
        }
    };
}

/// Kinds of clauses that the model detects.
pub(crate) const KINDS: usize = 26;

clauses! {
    Assignment = "assignment",
    ChangeOfControl = "change_of_control",
    LiabilityCap = "liability_cap",
    UncappedLiability = "uncapped_liability",
    Exclusivity = "exclusivity",
    NonCompete = "non_compete",
    NoSolicit = "no_solicit",
    MostFavouredNation = "most_favoured_nation",
    FirstRefusal = "first_refusal",
    Audit = "audit",
    Insurance = "insurance",
    TerminationForConvenience = "termination_for_convenience",
    Renewal = "renewal",
    Notice = "notice",
    Term = "term",
    GoverningLaw = "governing_law",
    LiquidatedDamages = "liquidated_damages",
    MinimumCommitment = "minimum_commitment",
    Licence = "licence",
    IpOwnership = "ip_ownership",
    WarrantyDuration = "warranty_duration",
    PostTermination = "post_termination",
    CovenantNotToSue = "covenant_not_to_sue",
    NonDisparagement = "non_disparagement",
    VolumeRestriction = "volume_restriction",
    EffectiveDate = "effective_date",
}

/// The scores of the sentences of a text.
pub(crate) struct Scored {
    /// The numbers of the sentences that may be clauses, in order, with their scores.
    scores: Vec<(usize, [f32; KINDS])>,
}

impl Scored {
    pub fn new(text: &Text<'_>) -> Self {
        let all = features::of(text);
        let clauses = all.iter().enumerate().filter(|(_, features)| features.is_clause);
        Self { scores: clauses.map(|(at, features)| (at, MODEL.scores(features))).collect() }
    }

    /// The sentences that may be clauses.
    fn clauses<'t>(&self, text: &'t Text<'_>) -> impl Iterator<Item = &'t Range<usize>> {
        self.scores.iter().filter_map(move |(at, _)| text.sentences.get(*at))
    }

    /// The sentence with the greatest score of a kind, the first of them.
    fn best(&self, clause: Clause) -> Option<(usize, f32)> {
        let of_kind = self.scores.iter().map(|(at, scores)| (*at, scores[clause as usize]));
        of_kind.reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    /// The mean of the greatest scores of a kind: a contract with a clause often states it in several sentences.
    fn mean(&self, clause: Clause) -> f32 {
        let mut best = [LEAST; MEAN];
        for (_, scores) in &self.scores {
            let score = scores[clause as usize];
            if score > best[MEAN - 1] {
                best[MEAN - 1] = score;
                best.sort_unstable_by(|one, other| other.total_cmp(one));
            }
        }
        best.iter().sum::<f32>() / MEAN as f32
    }

    /// The greatest score of a kind of the clause at a place and of its neighbours: a rule may read the end of a clause.
    pub fn near(&self, text: &Text<'_>, byte: usize, clause: Clause) -> f32 {
        let begun = |(at, _): &(usize, _)| text.sentences.get(*at).is_some_and(|sentence| sentence.start <= byte);
        let own = self.scores.partition_point(begun).saturating_sub(1);
        let beside = self.scores.get(own.saturating_sub(1)..(own + 2).min(self.scores.len())).unwrap_or_default();
        beside.iter().map(|(_, scores)| scores[clause as usize]).fold(LEAST, f32::max)
    }

    /// The greatest score of a kind in the text.
    pub fn most(&self, clause: Clause) -> f32 {
        self.best(clause).map_or(LEAST, |(_, score)| score.max(LEAST))
    }
}

/// Least score, also of a text without sentences.
const LEAST: f32 = -3.0;
/// Number of the greatest scores of which the mean is taken.
const MEAN: usize = 3;

/// A sentence as training reads it: its place, and its features.
#[derive(Debug, Serialize)]
pub struct Sample {
    /// From 1.
    pub page: u32,
    /// Characters of the page, half-open.
    pub char_start: u32,
    pub char_end: u32,
    pub is_clause: bool,
    /// Numbers of buckets, by groups.
    pub groups: [Vec<u32>; 3],
}

/// The sentences of a document, for training.
pub fn samples(pages: &[&str]) -> Vec<Sample> {
    let annotations = Annotations::default();
    let text = Text::bare(pages, &annotations);
    let sample = |(range, features): (&Range<usize>, Features)| {
        let (page, char_start, char_end) = text.flat.place(range.clone());
        Sample { page, char_start, char_end, is_clause: features.is_clause, groups: features.groups }
    };
    text.sentences.iter().zip(features::of(&text)).map(sample).collect()
}
