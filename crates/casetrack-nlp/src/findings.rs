//! The findings of rules on a page, for the rules of every language.

use casetrack_core::{EntityType, Mention, Reference, ReferenceKind};

/// The findings of the rules on one page, in text order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageFindings {
    /// Dates, amounts and concepts. Those of one type do not overlap.
    pub mentions: Vec<Mention>,
    /// They do not overlap.
    pub references: Vec<Reference>,
}

pub(crate) fn overlap(a: &Mention, b: &Mention) -> bool {
    a.char_start < b.char_end && b.char_start < a.char_end
}

/// The web addresses among references, as concepts.
pub(crate) fn links(references: &[Reference]) -> impl Iterator<Item = Mention> {
    references.iter().filter(|reference| reference.kind == ReferenceKind::Hyperlink).map(|link| Mention {
        entity_type: EntityType::Concept,
        char_start: link.char_start,
        char_end: link.char_end,
        value: None,
        role: Some("URL".to_owned()),
    })
}

/// True if a number is part of a citation: the year of a law, a case or a standard.
pub(crate) fn inside_citation(mention: &Mention, references: &[Reference]) -> bool {
    let after = references.partition_point(|reference| reference.char_end <= mention.char_start);
    references.get(after).is_some_and(|reference| {
        reference.char_start <= mention.char_start
            && mention.char_end <= reference.char_end
            && matches!(
                reference.kind,
                ReferenceKind::Standard
                    | ReferenceKind::Regulation
                    | ReferenceKind::LegalCase
                    | ReferenceKind::Hyperlink
            )
    })
}
