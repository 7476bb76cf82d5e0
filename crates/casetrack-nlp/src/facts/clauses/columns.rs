//! The clauses of a contract as facts: yes with the clause, no with the words that deny it, or a candidate.

use std::ops::Range;

use casetrack_core::single_spaced;

use super::model::MODEL;
use super::{Clause, LEAST, Scored};
use crate::facts::text::Text;
use crate::facts::{Fact, FactKind};

pattern_table! {
    "facts/clauses.toml":
    NOT_EXCLUSIVE, MAY_COMPETE, MAY_ASSIGN, NO_CONVENIENCE, LIQUIDATED, CONTROL_ENDS, FIRST_RIGHT, NO_SOLICITING, CONVENIENCE,
    EXCLUSIVE,
}

/// Words that deny a kind of clause. They count if no clause of the kind is found.
fn denial(clause: Clause) -> Option<&'static regex::Regex> {
    match clause {
        Clause::Exclusivity => Some(&*NOT_EXCLUSIVE),
        Clause::NonCompete => Some(&*MAY_COMPETE),
        Clause::Assignment => Some(&*MAY_ASSIGN),
        Clause::TerminationForConvenience => Some(&*NO_CONVENIENCE),
        _ => None,
    }
}

/// Words that state a kind of clause plainly, of kinds for which the model has seen few examples; and their confidence in percent: how often a
/// contract with these words has the clause, among the contracts that trained the model.
fn wording(clause: Clause) -> Option<(&'static regex::Regex, u8)> {
    match clause {
        Clause::LiquidatedDamages => Some((&*LIQUIDATED, 89)),
        Clause::ChangeOfControl => Some((&*CONTROL_ENDS, 89)),
        Clause::FirstRefusal => Some((&*FIRST_RIGHT, 95)),
        Clause::NoSolicit => Some((&*NO_SOLICITING, 85)),
        Clause::TerminationForConvenience => Some((&*CONVENIENCE, 84)),
        Clause::Exclusivity => Some((&*EXCLUSIVE, 94)),
        _ => None,
    }
}

/// Confidence of words that deny a clause, in percent.
const DENIED: u8 = 85;

/// The clauses of these kinds that are found, and those that are not sure.
pub(in crate::facts) fn find(text: &Text<'_>, scored: &Scored, kinds: &[Clause]) -> (Vec<Fact>, Vec<Fact>) {
    let (mut known, mut unsure) = (Vec::new(), Vec::new());
    for &clause in kinds {
        let Some((at, score)) = scored.best(clause) else { continue };
        let Some(range) = text.sentences.get(at).cloned() else { continue };
        let probability = MODEL.probability(clause, score.max(LEAST), scored.mean(clause));
        let kind = &MODEL.kinds[clause as usize];
        let confidence = (100.0 * probability).round().clamp(0.0, 99.0) as u8;
        if probability >= kind.shown {
            known.push(fact(text, clause, "yes", range, confidence));
        } else if let Some((range, confidence)) = worded(text, scored, clause) {
            known.push(fact(text, clause, "yes", range, confidence));
        } else if let Some(range) = denied(text, clause) {
            known.push(fact(text, clause, "no", range, DENIED));
        } else if probability >= kind.candidate {
            unsure.push(fact(text, clause, "yes", range, confidence));
        }
    }
    (known, unsure)
}

fn fact(text: &Text<'_>, clause: Clause, value: &str, range: Range<usize>, confidence: u8) -> Fact {
    let stated = Some(stated(text, &range));
    Fact { stated, ..Fact::new(text, FactKind::Clause(clause), value, range, confidence) }
}

/// Longest sentence that is shown, in characters.
const SHOWN: usize = 1200;

/// The words of a sentence, to show them.
pub(in crate::facts) fn stated(text: &Text<'_>, range: &Range<usize>) -> String {
    single_spaced(&text.text()[range.clone()]).chars().take(SHOWN).collect()
}

/// The first sentence that states a kind of clause in plain words, with its confidence. A heading is none.
fn worded(text: &Text<'_>, scored: &Scored, clause: Clause) -> Option<(Range<usize>, u8)> {
    let (states, confidence) = wording(clause)?;
    let found = scored.clauses(text).find(|sentence| states.is_match(&text.text()[(*sentence).clone()]))?;
    Some((found.clone(), confidence))
}

/// The first sentence that denies a kind of clause.
fn denied(text: &Text<'_>, clause: Clause) -> Option<Range<usize>> {
    let denies = denial(clause)?;
    text.sentences.iter().find(|sentence| denies.is_match(&text.text()[(*sentence).clone()])).cloned()
}
