use super::{Fact, FactKind};
use crate::names::signatures::signatures;
use crate::words::single_spaced;

/// Most signatories of one document.
const MOST: usize = 20;

pub(crate) fn find(pages: &[&str]) -> Vec<Fact> {
    let mut found: Vec<Fact> = Vec::new();
    for (page, text) in (1..).zip(pages) {
        let chars = |from: u32, to: u32| -> String {
            let written: String = text.chars().skip(from as usize).take((to - from) as usize).collect();
            single_spaced(&written)
        };
        for signature in signatures(text) {
            let name = chars(signature.char_start, signature.char_end);
            let mut value = name.clone();
            if let Some(title) = signature.title.as_deref().filter(|title| !title.is_empty()) {
                value.push_str(&format!(", {title}"));
            }
            if let Some((from, to)) = signature.organization {
                value.push_str(&format!(", for {}", chars(from, to)));
            }
            let same =
                |other: &Fact| other.value.split(", ").next().is_some_and(|other| other.eq_ignore_ascii_case(&name));
            match found.iter().position(same) {
                Some(at) if found[at].value.len() < value.len() => found[at].value = value,
                Some(_) => {}
                None if found.len() < MOST => found.push(Fact {
                    kind: FactKind::Signatory,
                    value,
                    computed: None,
                    page,
                    char_start: signature.char_start,
                    char_end: signature.char_end,
                    confidence: 80,
                }),
                None => {}
            }
        }
    }
    found
}
