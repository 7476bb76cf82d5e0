//! The signatories.

use std::collections::HashSet;

use casetrack_core::single_spaced;

use super::{Fact, FactKind};
use crate::names::signatures::signatures;

pattern_table! {
    "facts/signatories.toml":
    WITNESS, BLANK,
}
/// Percent, by the kind of evidence.
const CONFIDENCE: u8 = 80;
/// Characters before a name that may contain the word for a witness.
const WITNESS_REACH: u32 = 90;
/// The value for a form without signatures, as far as its text shows.
const UNSIGNED: &str = "not signed: the signature lines are blank";
/// Most signatories of one document.
const MOST: usize = 20;

/// One who signs, in one capacity.
struct Signatory {
    name: String,
    title: Option<String>,
    organization: Option<String>,
    page: u32,
    char_start: u32,
    char_end: u32,
}

pub(crate) fn find(pages: &[&str]) -> Vec<Fact> {
    let mut found: Vec<Signatory> = Vec::new();
    let mut witnesses: HashSet<String> = HashSet::new();
    for (page, text) in (1..).zip(pages) {
        let chars = |from: u32, to: u32| -> String {
            let written: String = text.chars().skip(from as usize).take((to - from) as usize).collect();
            single_spaced(&written)
        };
        for signature in signatures(text) {
            let (char_start, char_end) = (signature.char_start, signature.char_end);
            let name = chars(char_start, char_end);
            let before = chars(char_start.saturating_sub(WITNESS_REACH), char_start);
            if signature.is_witness || WITNESS.is_match(&before) {
                witnesses.insert(name.to_lowercase());
            }
            if witnesses.contains(&name.to_lowercase()) {
                continue;
            }
            let title = signature.title.filter(|title| !title.is_empty());
            let organization = signature.organization.map(|(from, to)| chars(from, to));
            let new = Signatory { name, title, organization, page, char_start, char_end };
            if let Some(known) = found.iter_mut().find(|known| known.is(&new)) {
                known.title = known.title.take().or(new.title);
                known.organization = known.organization.take().or(new.organization);
            } else if found.len() < MOST {
                found.push(new);
            }
        }
    }
    // Two names in columns that were run together: "Ann Lee Tom Ray".
    let names: Vec<String> = found.iter().map(|one| one.name.clone()).collect();
    let run_together = |one: &Signatory| {
        let mut before = names.iter().filter_map(|name| one.name.strip_suffix(name.as_str())?.strip_suffix(' '));
        before.any(|first| first.contains(' '))
    };
    found.retain(|one| !run_together(one));
    if found.is_empty() {
        return unsigned(pages).into_iter().collect();
    }
    found.into_iter().map(Signatory::fact).collect()
}

/// The first of two blank lines for signatures or more.
fn unsigned(pages: &[&str]) -> Option<Fact> {
    let blank = |text: &str| BLANK.find_iter(text).map(|found| found.range()).collect::<Vec<_>>();
    let mut lines =
        (1..).zip(pages).flat_map(|(page, text)| blank(text).into_iter().map(move |range| (page, *text, range)));
    let (page, text, range) = lines.next()?;
    lines.next()?;
    let char_start = text.get(..range.start)?.chars().count() as u32;
    let char_end = char_start + text.get(range)?.chars().count() as u32;
    Some(Fact::at(FactKind::Signatory, UNSIGNED.to_owned(), page, char_start..char_end, CONFIDENCE))
}

impl Signatory {
    /// True if both are the same person, who signs for the same organization as far as that is known.
    fn is(&self, other: &Signatory) -> bool {
        let same = |a: &Option<String>, b: &Option<String>| match (a, b) {
            (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
            _ => true,
        };
        self.name.eq_ignore_ascii_case(&other.name) && same(&self.organization, &other.organization)
    }

    fn fact(self) -> Fact {
        let Signatory { name, title, organization, page, char_start, char_end } = self;
        let title = title.map(|title| format!(", {title}")).unwrap_or_default();
        let organization = organization.map(|organization| format!(", for {organization}")).unwrap_or_default();
        let value = format!("{name}{title}{organization}");
        Fact::at(FactKind::Signatory, value, page, char_start..char_end, CONFIDENCE)
    }
}
