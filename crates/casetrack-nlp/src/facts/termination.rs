//! The notice with which either party may end the contract at any time.

use super::text::{Text, spans};
use super::{Fact, FactKind};

pattern_table! {
    "facts/termination.toml":
    MAY_END, CONDITION, NOTICE_AFTER, NOTICE_BEFORE,
}

/// In the first sentence that gives each party this right without a condition.
pub(crate) fn find(text: &Text<'_>) -> Option<Fact> {
    let whole = text.text();
    text.sentences.iter().find_map(|sentence| {
        let said = &whole[sentence.clone()];
        if !MAY_END.is_match(said) || CONDITION.is_match(said) {
            return None;
        }
        let span = spans(said).into_iter().find(|span| {
            NOTICE_AFTER.is_match(&said[span.range.end..]) || NOTICE_BEFORE.is_match(&said[..span.range.start])
        })?;
        let range = sentence.start + span.range.start..sentence.start + span.range.end;
        Some(Fact::new(text, FactKind::TerminationNotice, span.text(), range, 85))
    })
}
