//! The parties of a contract with the words that it defines for them.

use std::ops::Range;
use std::sync::LazyLock;

use casetrack_core::EntityType;
use regex::Regex;

use super::opening::Opening;
use super::party_names::{is_form, is_public, name_at};
use super::signers::signers;
use super::text::{Named, Text, pattern};
use super::{Fact, FactKind};
use crate::words::{Class, Word, entries, is_party_word, words};

/// Between two parties.
static SEPARATOR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:[,;:.)"'●-]|\b) ?(?i:and|And)(?: also| also between| between)?\b[: ]*(?:\([a-z0-9]{1,2}\))?|[;\n●]|\)[,.] |\.\) |\) "#,
    )
});
/// `("Acme" or the "Company")`, with what is between the brackets.
static TERMS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"\(([^()]{0,160})\)|(?i:hereinafter|hereafter|referred to as|known as) ([^.;()]{0,60}["'][^"']{1,40}["'])"#,
    )
});
static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"["']+(?:the )?([^"']{1,60}?)[,.]?["']"#));
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?i:hereinafter |herein |referred to as |called )*(?i:the )?([A-Z][A-Za-z]+(?: [A-Z][A-Za-z]*)?)$")
});
static TOGETHER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:part(?:y|ies)|each a|agreement|contract|effective date)\b"));
/// What stands before a name and is not part of it.
static LEAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^(?:[\s,;:.●•*'")\]-]|\((?:[a-zA-Z0-9]|[ivx]{1,4})\)|(?:[0-9]|[ivx]+)[.)] |(?i:and|between|by|among|each of|all of|whereby|on the one hand|on the other hand|on one side|the following|party [a-d]|as well as|both)\b ?(?:\([^)]{0,30}\))?:?|(?:professional|athlete|golfer|Mr\.|Ms\.|Mrs\.|Messrs\.|M/s\.?|the) |(?:[a-z]+ ){0,3}[a-z]+, )+"#,
    )
});
/// "and you": whoever accepts the terms.
static YOU: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:[ ,:]|(?i:and|between|by|both|with) )*((?i:you))(?:,? (?:\(|as |the |an? )|[,.;:]|$)")
});
/// After a label: "Party A (Shipper): ZTO Express Co., Ltd."
static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(Party [A-D1-4]|(?i:<role>))(?i:'s (?:full |legal )?name)?(?: ?\(([A-Za-z ]{2,30})\))? ?: ?([A-Z])")
});
/// "as Issuer" after a name.
static AS_ROLE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^,? as ((?:the )?[A-Z][A-Za-z]+(?:(?:,| and|, and)? [A-Z][A-Za-z]+){0,6})"));
static UNDERSIGNED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bundersigned(?:,|:| parties)? (?:the )?"));

/// The last words of names that are not of parties.
static NO_PARTY: LazyLock<Vec<&str>> =
    LazyLock::new(|| entries(include_str!("../../data/facts/no-party.txt")).collect());
/// Before a name that describes a party: "a division of".
static DESCRIBED: LazyLock<Vec<&str>> =
    LazyLock::new(|| entries(include_str!("../../data/facts/described.txt")).collect());
/// Most parties of one contract.
const MOST: usize = 24;
/// Farthest from a name that the term for it ends, in bytes.
const TERM: usize = 220;
/// Where parties are looked for without an opening, in bytes.
const HEAD: usize = 2500;

struct Party {
    name: String,
    range: Range<usize>,
    terms: Vec<String>,
    role: Option<String>,
    confidence: u8,
}

pub(crate) fn find(text: &Text<'_>, opening: &Opening) -> Vec<Fact> {
    let labelled = labelled(text);
    let mut parties = Vec::new();
    if labelled.len() >= 2 {
        parties = labelled;
    } else {
        if !opening.parties.is_empty() {
            parties = of_opening(text, opening.parties.clone());
        }
        if parties.len() < 2 {
            let new = |party: &Party| !parties.iter().any(|other| other.name.eq_ignore_ascii_case(&party.name));
            let more: Vec<Party> = labelled.into_iter().filter(new).collect();
            parties.extend(more);
        }
    }
    if parties.len() < 2 {
        undersigned(text, &mut parties);
    }
    if parties.len() < 2 {
        introduced(text, &mut parties);
    }
    if parties.len() < 2 {
        signing(text, &mut parties);
    }
    parties.truncate(MOST);
    parties.into_iter().map(|party| party.fact(text)).collect()
}

impl Party {
    fn fact(self, text: &Text<'_>) -> Fact {
        let Party { name, range, terms, role, confidence } = self;
        let mut inside: Vec<String> = terms.iter().map(|term| format!("\"{term}\"")).collect();
        if let Some(role) = role {
            inside.push(format!("as {role}"));
        }
        let value = if inside.is_empty() { name } else { format!("{name} ({})", inside.join(", ")) };
        Fact::new(text, FactKind::Party, value, range, confidence)
    }
}

/// Party A: …, Party B: … at the beginning.
fn labelled(text: &Text<'_>) -> Vec<Party> {
    let head = &text.text()[..text.floor(4000)];
    let mut found: Vec<Party> = Vec::new();
    for label in LABELLED.captures_iter(head) {
        let (Some(party), Some(name)) = (label.get(1), label.get(3)) else { continue };
        let known = found.iter().any(|other| other.terms.iter().any(|term| term == party.as_str()));
        let named = name_at(text, name.start()).filter(|(name, range)| is_party(text, name, range, range.end));
        if let Some((name, range)) = named.filter(|_| !known) {
            let role = label.get(2).map(|role| role.as_str().to_owned());
            found.push(Party { name, range, terms: vec![party.as_str().to_owned()], role, confidence: 85 });
        }
    }
    found
}

/// The parties named in this range.
fn of_opening(text: &Text<'_>, range: Range<usize>) -> Vec<Party> {
    let whole = text.text();
    let region = &whole[range.clone()];
    let mut starts = vec![0];
    starts.extend(
        SEPARATOR
            .find_iter(region)
            .filter(|at| depth(&region[..at.start()]) == 0 || region[at.start()..].starts_with(')'))
            .map(|at| at.end()),
    );
    let mut found: Vec<Party> = Vec::new();
    let mut i = 0;
    while let Some(from) = starts.get(i).copied() {
        i += 1;
        let to = starts.get(i).copied().unwrap_or(region.len()).max(from);
        // A term belongs to the name before it, however many separators its description has.
        let begin = range.start + from;
        let lead = LEAD.find(&whole[begin..range.end]).map_or(0, |lead| lead.end());
        let until = range.start + to;
        if let Some(you) = YOU.captures(&whole[begin..range.end]).and_then(|found| found.get(1)) {
            let at = begin + you.start()..begin + you.end();
            if !found.is_empty() && at.start < until.max(begin + lead + 1) {
                found.push(Party { name: "You".to_owned(), range: at, terms: Vec::new(), role: None, confidence: 0 });
            }
            continue;
        }
        if let Some((name, at)) = name_at(text, begin + lead).filter(|(_, at)| at.start < until.max(begin + lead + 1)) {
            let repeated = found.last().is_some_and(|last| at.start < last.range.end);
            if !repeated && is_party(text, &name, &at, range.end) {
                let rest = whole.get(at.end..range.end).unwrap_or_default();
                let role = AS_ROLE.captures(rest).and_then(|found| found.get(1)).map(|role| role.as_str().to_owned());
                // "Acme, Inc., Beta LLC": a list goes on after a form of incorporation.
                if let Some(comma) = rest.strip_prefix(", ")
                    && let Some((next, place)) = name_at(text, range.end - comma.len())
                    && (words(&next).iter().skip(1).any(is_form) || is_person(text, place.start))
                    && !starts.contains(&(place.start - range.start))
                {
                    starts.insert(i, place.start - range.start);
                }
                found.push(Party { name, range: at, terms: Vec::new(), role, confidence: 0 });
            }
        }
    }
    for party in defined(text, range.clone()) {
        let covered =
            found.iter().any(|other| other.range.start < party.range.end && party.range.start < other.range.end);
        let same = found.iter().any(|other| other.name.to_lowercase().contains(&party.name.to_lowercase()));
        if !covered && !same {
            found.push(party);
        }
    }
    found.sort_by_key(|party| party.range.start);
    let ends: Vec<usize> = found.iter().skip(1).map(|party| party.range.start).chain([range.end]).collect();
    for (party, end) in found.iter_mut().zip(ends) {
        party.terms = terms(&whole[party.range.end..end.max(party.range.end)]);
        party.confidence = if party.terms.is_empty() { 80 } else { 95 };
    }
    let mut seen: Vec<String> = Vec::new();
    found.retain(|party| {
        let key = party.name.to_lowercase();
        let new = !seen.contains(&key);
        seen.push(key);
        new
    });
    found
}

/// People and organizations right before a bracket that defines a term for them.
fn defined(text: &Text<'_>, range: Range<usize>) -> Vec<Party> {
    let region = &text.text()[range.clone()];
    let mut found = Vec::new();
    for bracket in TERMS.captures_iter(region) {
        let (Some(all), Some(inside)) = (bracket.get(0), bracket.get(1)) else { continue };
        if !inside.as_str().contains(['"', '\'']) || TOGETHER.is_match(inside.as_str()) {
            continue;
        }
        let open = range.start + all.start();
        let near = text.names_in(open.saturating_sub(120)..open);
        let named = near.iter().rev().find(|named| {
            named.range.end <= open && open - named.range.end <= 2 && named.entity_type != EntityType::Location
        });
        // "a division of Acme", "a Nevada corporation": of the party, not the party
        let described = |named: &&Named| {
            let before = text.text()[range.start..named.range.start.max(range.start)].to_lowercase();
            DESCRIBED.iter().any(|word| before.ends_with(word))
        };
        if let Some(named) = named.filter(|named| !described(named))
            && let Some((name, at)) = name_at(text, named.range.start)
            && !is_generic(&words(&name))
            && !NO_PARTY.iter().any(|word| name.to_lowercase().ends_with(word))
        {
            found.push(Party { name, range: at, terms: Vec::new(), role: None, confidence: 0 });
        }
    }
    found
}

fn depth(text: &str) -> i32 {
    text.chars()
        .map(|c| match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        })
        .sum::<i32>()
        .max(0)
}

fn terms(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut last_end = None;
    for bracket in TERMS.captures_iter(text) {
        let all = bracket.get(0).map_or(0..0, |all| all.range());
        // Brackets further on define other things.
        if last_end.is_some_and(|end| all.start > end + 8) {
            break;
        }
        let before = found.len();
        let Some(inside) = bracket.get(1).or(bracket.get(2)) else { continue };
        let quoted: Vec<&str> =
            QUOTED.captures_iter(inside.as_str()).filter_map(|term| Some(term.get(1)?.as_str())).collect();
        let bare = BARE
            .captures(inside.as_str())
            .and_then(|term| Some(term.get(1)?.as_str()))
            .filter(|term| quoted.is_empty() && is_party_word(&term.to_lowercase()));
        for term in quoted.into_iter().chain(bare) {
            let term = term.split_whitespace().collect::<Vec<_>>().join(" ");
            if !term.is_empty() && !TOGETHER.is_match(&term) && !found.contains(&term) && found.len() < 4 {
                found.push(term);
            }
        }
        if found.len() > before {
            last_end = Some(all.end);
        }
    }
    found
}

/// Whether a name in the opening is one of a party: it has a form of incorporation, or analysis knows it, or the contract defines a term
/// for it.
fn is_party(text: &Text<'_>, name: &str, at: &Range<usize>, end: usize) -> bool {
    let all = words(name);
    let folded = name.to_lowercase();
    if is_generic(&all) || name.chars().count() < 2 || NO_PARTY.iter().any(|word| folded.ends_with(word)) {
        return false;
    }
    let public =
        all.iter().take(2).any(|word| is_public(word) || matches!(word.folded().as_str(), "state" | "commonwealth"))
            && all.iter().take(3).any(|word| word.folded() == "of");
    let formed =
        public || all.iter().skip(1).any(is_form) || all.iter().any(|word| word.has(Class::HEAD) && all.len() > 1);
    let known = text.names_in(at.start..at.end);
    let place = known.iter().any(|known| {
        known.range.start == at.start && known.entity_type == EntityType::Location && known.range.end + 2 >= at.end
    });
    let rest = &text.text()[at.end..end.max(at.end)];
    let rest = &rest[..rest.char_indices().nth(220).map_or(rest.len(), |(at, _)| at)];
    let next = TERMS.captures(rest).is_some_and(|bracket| {
        bracket.get(0).is_some_and(|all| {
            let before = &rest[..all.start()];
            let inside = all.as_str();
            !TOGETHER.is_match(inside) && (inside.contains('"') || inside.contains('\'')) && !before.contains(" and ")
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
    let person = |known: &&Named| known.range.start == at.start && known.entity_type == EntityType::Person;
    if known.iter().any(|known| person(&known)) && all.len() > 1 {
        return true;
    }
    formed || term_follows || described && (named || next) || named && next
}

/// Words of sentences in capitals, which are in no name.
const NO_NAME: &[&str] = &["or", "you", "your", "may", "not", "is", "are", "if", "this", "shall", "will", "by", "dear"];

/// "the Company": words for any party, or of a sentence.
fn is_generic(all: &[Word<'_>]) -> bool {
    if all.iter().any(|word| NO_NAME.contains(&word.folded().as_str())) {
        return true;
    }
    let degree = |word: &Word<'_>| matches!(word.folded().as_str(), "md" | "phd" | "esq" | "cpa" | "dds" | "jd");
    all.iter().all(|word| {
        degree(word) || word.is_mark() || word.has(Class::PARTY) || word.has(Class::GENERIC) || word.has(Class::STOP)
    })
}

/// "the undersigned, the Integrity Funds".
fn undersigned(text: &Text<'_>, parties: &mut Vec<Party>) {
    let head = &text.text()[..text.floor(4000)];
    let Some(cue) = UNDERSIGNED.find(head) else { return };
    let end = text.sentence(cue.start()).end.max(cue.end());
    for party in of_opening(text, cue.end()..end) {
        if !parties.iter().any(|other| other.name.eq_ignore_ascii_case(&party.name)) {
            parties.push(Party { confidence: 70, ..party });
        }
    }
}

/// Those for whom the beginning defines terms, whatever its sentences say: "Acme, Inc. ("Acme") engages Jane Roe ("Consultant")".
fn introduced(text: &Text<'_>, parties: &mut Vec<Party>) {
    let whole = text.text();
    let head = text.floor(HEAD);
    let none = parties.is_empty();
    let mut found = of_opening(text, 0..head);
    // amid a sentence
    let named: Vec<&Named> =
        text.names_in(0..head).iter().filter(|named| named.entity_type != EntityType::Location).collect();
    for (i, mention) in named.iter().enumerate() {
        let Some((name, range)) = name_at(text, mention.range.start) else { continue };
        // a name in a bracket is the term itself
        let other = named[i + 1..].iter().find(|other| !whole[..other.range.start].ends_with(['"', '\'', '(']));
        let reach = text.floor(range.end + TERM);
        let next = other.map_or(head, |other| other.range.start).min(reach).max(range.end);
        let terms = terms(&whole[range.end..next]);
        let known = found.iter().any(|other| other.range.start < range.end && range.start < other.range.end);
        if !known && terms.iter().any(|term| is_own_term(&name, term)) && is_party(text, &name, &range, next) {
            found.push(Party { name, range, terms, role: None, confidence: 0 });
        }
    }
    found.sort_by_key(|party| party.range.start);
    for party in found {
        let known = parties.iter().any(|other| other.name.eq_ignore_ascii_case(&party.name));
        let own = none || party.terms.iter().any(|term| is_own_term(&party.name, term));
        if !known && !party.terms.is_empty() && own {
            parties.push(Party { confidence: 70, ..party });
        }
    }
}

/// Whether analysis knows a person whose name begins here.
fn is_person(text: &Text<'_>, at: usize) -> bool {
    text.names_in(at..at + 1).iter().any(|known| known.entity_type == EntityType::Person)
}

/// Whether a defined term is short for a name, or a contract's word for a party: "Acme" for "Acme Foods, Inc.", "AFI", "Licensor".
fn is_own_term(name: &str, term: &str) -> bool {
    let folded = term.to_lowercase();
    let first = folded.split(' ').next().unwrap_or_default();
    let initials: String =
        name.split(' ').filter_map(|word| word.chars().next()).flat_map(char::to_lowercase).collect();
    is_party_word(&folded)
        || first.len() > 1
            && (name.to_lowercase().split(' ').any(|word| word.starts_with(first)) || initials.starts_with(first))
}

/// Those that sign, where the contract does not open with its parties.
fn signing(text: &Text<'_>, parties: &mut Vec<Party>) {
    let key = |name: &str| name.to_lowercase().replace(['.', ','], "");
    for range in signers(text) {
        let name = text.text()[range.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
        let known = parties.iter().any(|other| key(&other.name) == key(&name));
        if !known && !is_generic(&words(&name)) {
            parties.push(Party { name, range, terms: Vec::new(), role: None, confidence: 60 });
        }
    }
}
