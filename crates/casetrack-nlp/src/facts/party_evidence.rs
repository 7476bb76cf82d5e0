use std::ops::Range;

use casetrack_core::EntityType;

use super::name_words::{is_address, is_blank, is_public};
use super::party_names::has_form;
use super::party_terms::{TERMS, is_role, is_together};
use super::text::{NameRange, Text};
use crate::places::is_place;
use crate::words::{Class, Word, words};

word_lists! {
    /// The last words of names that are not of parties.
    NO_PARTY: set = "facts/no-party.txt";
    /// Words of sentences in capitals, which are in no name.
    NO_NAME: set = "facts/no-name.txt";
}
pattern_table! {
    "facts/party_evidence.toml":
    ROLE_OF, PROVINCE, NOT_WHOLE, ORGANIZED, OFFICE, OFFICE_OF_PLACE,
}

/// True if a name in the opening is one of a party: it has a form of incorporation, or analysis found it, or the
/// contract defines a term for it.
pub(crate) fn is_party(text: &Text<'_>, name: &str, at: &Range<usize>, end: usize) -> bool {
    let all = words(name);
    if is_no_name(name) || name.chars().count() < 2 {
        return false;
    }
    let public =
        all.iter().take(2).any(|word| is_public(word) || matches!(word.folded().as_str(), "state" | "commonwealth"))
            && all.iter().take(3).any(|word| word.folded() == "of");
    let formed =
        public || is_office(name) || has_form(&all) || all.iter().any(|word| word.has(Class::HEAD) && all.len() > 1);
    let known = text.names_in(at.start..at.end);
    let place = known.iter().any(|known| {
        known.range.start == at.start && known.entity_type == EntityType::Location && known.range.end + 2 >= at.end
    });
    if NOT_WHOLE.is_match(&text.text()[at.end..]) {
        return false;
    }
    let rest = &text.text()[at.end..end.max(at.end)];
    let rest = &rest[..rest.char_indices().nth(220).map_or(rest.len(), |(at, _)| at)];
    let next = TERMS.captures(rest).is_some_and(|bracket| {
        bracket.get(0).is_some_and(|all| {
            let before = &rest[..all.start()];
            let inside = all.as_str();
            !is_together(inside) && (inside.contains('"') || inside.contains('\'')) && !before.contains(" and ")
        })
    });
    let term_follows = next && TERMS.find(rest).is_some_and(|found| found.start() <= 3);
    let described = {
        let rest = rest.trim_start_matches([',', ' ', '\n']);
        ["a ", "an ", "having", "whose", "with ", "located", "organized", "incorporated", "as ", "of "]
            .iter()
            .any(|word| rest.starts_with(word))
    };
    let named = known.iter().any(|known| known.range.start < at.end && known.entity_type != EntityType::Location);
    if place && !formed {
        return false;
    }
    let person = |known: &&NameRange| known.range.start == at.start && known.entity_type == EntityType::Person;
    if known.iter().any(|known| person(&known)) && all.len() > 1 {
        return true;
    }
    let organized = ORGANIZED.is_match(rest);
    (formed || term_follows || organized || described && (named || next) || named && next)
        && (formed || !is_place(name))
}

/// True if a name is one of a state or an office of one: "Secretary of State for Defence", "President of India".
fn is_office(name: &str) -> bool {
    let place = OFFICE_OF_PLACE.find(name).map(|office| &name[office.end()..]);
    OFFICE.is_match(name) || place.is_some_and(is_place)
}

/// True if words with capitals name no one: words for any party, a blank of a form, an address, an agreement.
pub(crate) fn is_no_name(name: &str) -> bool {
    let all = words(name);
    let folded = name.to_lowercase();
    let last = folded.rsplit([' ', '/']).next().unwrap_or_default();
    is_generic(&all)
        || is_blank(&all)
        || is_address(&all)
        || all.len() == 1 && (is_role(&folded) || all[0].has(Class::HEAD))
        || PROVINCE.is_match(name)
        || ROLE_OF.is_match(name)
        || all.first().is_some_and(|word| matches!(word.text, "A" | "An") && !all.get(1).is_some_and(Word::is_mark))
        || NO_PARTY.contains(last)
        || folded.split(' ').any(|word| word == "agreement")
}

/// "the Company": words for any party, or of a sentence.
fn is_generic(all: &[Word<'_>]) -> bool {
    if all.iter().any(|word| NO_NAME.contains(word.folded().as_str())) {
        return true;
    }
    let degree = |word: &Word<'_>| matches!(word.folded().as_str(), "md" | "phd" | "esq" | "cpa" | "dds" | "jd");
    all.iter().all(|word| {
        degree(word) || word.is_mark() || word.has(Class::PARTY) || word.has(Class::GENERIC) || word.has(Class::STOP)
    })
}
