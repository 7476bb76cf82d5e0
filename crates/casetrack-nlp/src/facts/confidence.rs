//! The probability that a fact is right, from the confidence of its rule and the score of the clause that states such facts.
//!
//! `scripts/train/confidence.py` fits `data/facts/confidence.toml` to contracts whose facts are known. A fact below the bound of its kind is
//! a candidate.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::clauses::{Clause, Scored, stated};
use super::text::Text;
use super::{Fact, FactKind};

/// The confidence of a rule whose facts need no clause around them: a label says which fact it is.
pub(super) const CERTAIN: u8 = 97;
/// Least probability of such a fact. Without it, the same right line has 37 to 60 percent, depending on the clauses around it.
const LEAST_OF_CERTAIN: f32 = 0.7;

/// The probability is 1 / (1 + exp(-sum)).
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fit {
    offset: f32,
    /// Weight of the confidence of the rule, from 0 to 1.
    rule: f32,
    /// Weights of the score of the clause at the place, and of the greatest score in the document.
    #[serde(default)]
    near: f32,
    #[serde(default)]
    most: f32,
    /// Added for a value that was computed.
    #[serde(default)]
    computed: f32,
    /// Least probability of a fact.
    shown: f32,
}

static FITS: LazyLock<HashMap<FactKind, Fit>> = LazyLock::new(|| {
    let read = toml::from_str(include_str!("../../data/facts/confidence.toml"));
    debug_assert!(read.is_ok(), "{read:?}");
    read.unwrap_or_default()
});

/// The clause that states facts of a kind.
fn clause_of(kind: FactKind) -> Option<Clause> {
    match kind {
        FactKind::EffectiveDate => Some(Clause::EffectiveDate),
        FactKind::Expiry => Some(Clause::Term),
        FactKind::RenewalTerm => Some(Clause::Renewal),
        FactKind::NoticePeriod => Some(Clause::Notice),
        FactKind::GoverningLaw => Some(Clause::GoverningLaw),
        FactKind::LiabilityCap => Some(Clause::LiabilityCap),
        FactKind::TerminationNotice => Some(Clause::TerminationForConvenience),
        _ => None,
    }
}

/// The scores of the clause of a fact, at its place and the greatest.
pub(super) fn scores(text: &Text<'_>, scored: &Scored, fact: &Fact) -> Option<[f32; 2]> {
    let clause = clause_of(fact.kind)?;
    let byte = text.flat.byte(fact.page, fact.char_start)?;
    Some([scored.near(text, byte, clause), scored.most(clause)])
}

/// Sets how sure facts are; returns those that are sure enough, and the candidates with their sentences.
pub(super) fn settle(text: &Text<'_>, scored: &Scored, found: Vec<Fact>) -> (Vec<Fact>, Vec<Fact>) {
    let (mut known, mut unsure) = (Vec::new(), Vec::new());
    for mut fact in found {
        let Some(fit) = FITS.get(&fact.kind) else {
            known.push(fact);
            continue;
        };
        let [near, most] = scores(text, scored, &fact).unwrap_or_default();
        let sum = fit.offset
            + fit.rule * f32::from(fact.confidence) / 100.0
            + fit.near * near
            + fit.most * most
            + if fact.computed.is_some() { fit.computed } else { 0.0 };
        let least = if fact.confidence >= CERTAIN { LEAST_OF_CERTAIN } else { 0.0 };
        let probability = (1.0 / (1.0 + (-sum).exp())).max(least);
        fact.confidence = (100.0 * probability).round().clamp(0.0, 99.0) as u8;
        if probability >= fit.shown {
            known.push(fact);
        } else {
            fact.stated = text.flat.byte(fact.page, fact.char_start).map(|at| stated(text, &text.sentence(at)));
            unsure.push(fact);
        }
    }
    (known, unsure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_kinds_of_facts() {
        assert_eq!(FITS.len(), 7);
        assert!(FITS.contains_key(&FactKind::Expiry));
    }
}
