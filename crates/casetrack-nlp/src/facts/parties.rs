//! The parties of a contract with the words that it defines for them.

use std::ops::Range;
use std::sync::LazyLock;

use casetrack_core::EntityType;
use regex::Regex;

use super::opening::Opening;
use super::party_evidence::{ORGANIZED, is_no_name, is_party, is_place};
use super::party_names::{is_described, is_form, name_at};
use super::party_terms::{TERMS, depth, is_own_term, is_together, terms};
use super::signers::signers;
use super::text::{Named, Text, pattern};
use super::{Fact, FactKind};
use crate::words::words;

/// Between two parties.
static SEPARATOR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:[,;:.)"'●-]|\b) ?(?i:and|And)(?: also| also between| between)?\b[: ]*(?:\([a-z0-9]{1,2}\))?|[;\n●]|\)[,.] |\.\) |\) |\b(?i:in favou?r of) (?:the )?"#,
    )
});
/// What stands before a name and is not part of it.
static LEAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^(?:[\s,;:.●•*'")\]-]|\((?:[a-zA-Z0-9]|[ivx]{1,4})\)|(?:[0-9]|[ivx]+)[.)] |(?i:and|between|by|among|in favou?r of|each of|all of|whereby|on the one hand|on the other hand|on one side|the following|party [a-d]|as well as|both)\b ?(?:\([^)]{0,30}\))?:?|(?i:its (?:wholly[- ]owned )?(?:affiliates?|subsidiar(?:y|ies)|parent)(?: company| companies)?,?) |[a-z][^.;:()\x22]{0,100}(?:following|hereto|below|namely|attached)[^.;:()\x22]{0,20}: |(?:professional|athlete|golfer|(?i:plaintiffs?|defendants?|claimants?|respondents?|petitioners?)|Mr\.|Ms\.|Mrs\.|Messrs\.|M/s\.?|the) |(?:[a-z]+ ){0,3}[a-z]+, )+"#,
    )
});
/// A name that begins with a small letter: "acme, inc."
static SMALL_NAME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[ ,:\n]*(?:and )?([a-z][a-z0-9]+, (?:inc|llc|ltd|corp)\b)"));
/// "and you": whoever accepts the terms.
static YOU: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:[ ,:]|(?i:and|between|by|both|with) )*((?i:you))(?:,? (?:\(|as |the |an? )|[,.;:]|$)")
});
/// After a label: "Party A (Shipper): ZTO Express Co., Ltd."
static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b((?i:party) [A-D1-4]|(?i:<role>))(?:/[A-Za-z-]{2,16})?(?i:(?:'s)? (?:full |legal )?(?:company )?name)?(?: ?\(([A-Za-z ]{2,30})\))? ?: ?([A-Z])",
    )
});
/// The word for a party in a line of a table.
static TABLED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b((?i:<role>|sender|receiver|principal)) ([A-Z])"));
/// Before "Representative:", who is no party.
static SPEAKS_FOR: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:legal|authori[sz]ed|statutory|duly appointed|sales) $"));
/// "as Issuer" after a name.
static AS_ROLE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^,? as ((?:the )?[A-Z][A-Za-z]+(?:(?:,| and|, and)? [A-Z][A-Za-z]+){0,6})"));
/// Terms of use say who "we" and "you" are.
static WE_MEANS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"["'](?i:we|us|our|ours),?["'][^.;]{0,40}?\b(?i:means?|refers? to|is|are|shall mean)\b (?:the )?([A-Z])"#)
});
static YOU_MEANS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"["'](?i:you|your),?["'][^.;]{0,40}?\b(?i:means?|refers? to|is|are|shall mean)\b (?:the |any |an? )?([A-Za-z]+)"#,
    )
});
static UNDERSIGNED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bundersigned(?:,|:| parties)? (?:the )?"));

/// What stands before a name in the midst of a sentence, if it begins the name of a party: "and Acme", "(the Fund), Acme".
static BEGINS_PARTY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:^|[,;:)("'\n●.-]|\b(?i:and|between|among|with|by|behalf of|on|or|that|to|of|subsidiar(?:y|ies)|parent)) ?(?i:the )?$"#,
    )
});
/// Between a comma and a name that only describes a party: "acting through its Department of Health and".
static THROUGH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:through|represented by|consisting of|compris(?:ed of|ing)|composed of|d/?b/?a|trading as)\b[^,;()\n]*$",
    )
});
/// "Department of Health and", before the rest of its name.
static OFFICE_AND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:Department|Ministry|Bureau|Division|Office|Secretariat) (?:of|for) (?:the )?(?:[A-Z][a-z]+,? ){1,3}and $",
    )
});
/// Before the parts of an address.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:offices?(?: is| are)?|place of business(?: is)?|address(?: is)?|located|situated|resid(?:ing|ent)|domiciled) (?:at|in)\b",
    )
});
/// Behind the first name of an opening, whatever it is: "between Inria, and".
static NEXT_PARTY: LazyLock<Regex> = LazyLock::new(|| pattern(r"^,? ?(?:\(|(?i:and|with|located|having|a|an)\b)"));
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

/// A party with the words that the contract has for it: terms that it defines, and its role.
pub(crate) struct NamedParty {
    pub name: String,
    pub terms: Vec<String>,
}

pub(crate) fn find(text: &Text<'_>, opening: &Opening) -> Vec<Fact> {
    all(text, opening).into_iter().map(|party| party.fact(text)).collect()
}

/// The same parties, with their terms by themselves.
pub(crate) fn named(text: &Text<'_>, opening: &Opening) -> Vec<NamedParty> {
    let named =
        |party: Party| NamedParty { name: party.name, terms: party.terms.into_iter().chain(party.role).collect() };
    all(text, opening).into_iter().map(named).collect()
}

fn all(text: &Text<'_>, opening: &Opening) -> Vec<Party> {
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
        speaking(text, &mut parties);
    }
    if parties.len() < 2 {
        introduced(text, opening, &mut parties);
    }
    if parties.len() < 2 {
        signing(text, &mut parties);
    }
    // "Acme Foods, Inc. ("Acme") … Acme ("Seller")"
    let all: Vec<String> = parties.iter().flat_map(|party| &party.terms).map(|term| term.to_lowercase()).collect();
    parties.retain(|party| !all.contains(&party.name.to_lowercase()) || party.terms.contains(&party.name));
    // "Acme Foods, Inc. Transmission", behind Acme Foods, Inc.
    let formed: Vec<String> =
        parties.iter().map(|party| party.name.clone()).filter(|name| words(name).last().is_some_and(is_form)).collect();
    parties.retain(|party| {
        let longer =
            formed.iter().any(|name| party.name.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(' ')));
        !longer || words(&party.name).last().is_some_and(is_form)
    });
    parties.truncate(MOST);
    parties
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
        let known = found.iter().any(|other| other.terms.iter().any(|term| term == party.as_str()))
            || SPEAKS_FOR.is_match(&head[..party.start()])
            || label.get(0).is_some_and(|all| {
                all.as_str().to_lowercase().contains(" name") && !text.flat.begins_line(all.start())
            });
        let lettered = party.as_str().to_lowercase().starts_with("party ");
        let named = name_at(text, name.start()).filter(|(name, range)| {
            is_party(text, name, range, range.end)
                || lettered && name.contains(' ') && !is_no_name(name) && !is_place(name)
        });
        if let Some((name, range)) = named.filter(|_| !known) {
            let role = label.get(2).map(|role| role.as_str().to_owned());
            found.push(Party { name, range, terms: vec![party.as_str().to_owned()], role, confidence: 85 });
        }
    }
    // A table without marks: "SHIPPER ACME FOODS, INC."
    for label in TABLED.captures_iter(head) {
        let (Some(all), Some(role), Some(name)) = (label.get(0), label.get(1), label.get(2)) else { continue };
        let shouts = role.as_str().chars().all(|c| c.is_uppercase() || c == ' ');
        let known = found.iter().any(|other| other.range.contains(&name.start()));
        if known || !shouts || !text.flat.begins_line(all.start()) {
            continue;
        }
        let named = name_at(text, name.start()).filter(|(name, _)| words(name).last().is_some_and(is_form));
        if let Some((name, range)) = named.filter(|(name, _)| !is_no_name(name)) {
            found.push(Party { name, range, terms: vec![role.as_str().to_owned()], role: None, confidence: 80 });
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
        let small = SMALL_NAME.captures(&whole[begin..range.end]).and_then(|small| small.get(1));
        let lead = LEAD.find(&whole[begin..range.end]).map_or(0, |lead| lead.end());
        let lead = small.map_or(lead, |small| small.start());
        let until = range.start + to;
        if let Some(you) = YOU.captures(&whole[begin..range.end]).and_then(|found| found.get(1)) {
            let at = begin + you.start()..begin + you.end();
            let opens = whole[at.end..].starts_with(" (\"") || whole[at.end..].starts_with(" and ");
            if (!found.is_empty() || i == 1 && opens) && at.start < until.max(begin + lead + 1) {
                found.push(Party { name: "You".to_owned(), range: at, terms: Vec::new(), role: None, confidence: 0 });
            }
            continue;
        }
        if let Some((name, at)) = name_at(text, begin + lead).filter(|(_, at)| at.start < until.max(begin + lead + 1)) {
            let repeated = found.last().is_some_and(|last| at.start < last.range.end);
            let rest = whole.get(at.end..range.end).unwrap_or_default();
            let first =
                i == 1 && found.is_empty() && NEXT_PARTY.is_match(rest) && !is_no_name(&name) && !is_place(&name);
            let before = &whole[range.start..at.start];
            let described = is_described(before) || OFFICE_AND.is_match(before);
            if !repeated && !described && (first || is_party(text, &name, &at, range.end)) {
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
        party.terms = terms(&party.name, &whole[party.range.end..end.max(party.range.end)]);
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
        if !inside.as_str().contains(['"', '\'']) || is_together(inside.as_str()) {
            continue;
        }
        let open = range.start + all.start();
        let near = text.names_in(open.saturating_sub(120)..open);
        let named = near.iter().rev().find(|named| {
            named.range.end <= open && open - named.range.end <= 2 && named.entity_type != EntityType::Location
        });
        // "a division of Acme", "a Nevada corporation": of the party, not the party
        let describes = |named: &&Named| {
            let before = &text.text()[range.start..named.range.start.max(range.start)];
            is_described(before) || THROUGH.is_match(before) || in_address(before) || !BEGINS_PARTY.is_match(before)
        };
        if let Some(named) = named.filter(|named| !describes(named))
            && let Some((name, at)) = name_at(text, named.range.start)
            && !is_no_name(&name)
            && !is_place(&name)
        {
            found.push(Party { name, range: at, terms: Vec::new(), role: None, confidence: 0 });
        }
    }
    found
}

/// "We", "us" and "our" means Acme, Inc.; "you" means the applicant.
fn speaking(text: &Text<'_>, parties: &mut Vec<Party>) {
    let head = &text.text()[..text.floor(HEAD)];
    for (speaks, terms) in [(&*WE_MEANS, "we"), (&*YOU_MEANS, "you")] {
        let Some(meant) = speaks.captures(head).and_then(|found| found.get(1)) else { continue };
        let named = name_at(text, meant.start()).filter(|(name, range)| is_party(text, name, range, range.end));
        let (name, range) = match named {
            Some(named) => named,
            None if terms == "you" => ("You".to_owned(), meant.range()),
            None => continue,
        };
        if !parties.iter().any(|other| other.name.eq_ignore_ascii_case(&name)) {
            parties.push(Party { name, range, terms: Vec::new(), role: None, confidence: 70 });
        }
    }
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
fn introduced(text: &Text<'_>, opening: &Opening, parties: &mut Vec<Party>) {
    let whole = text.text();
    // Behind an opening that names a party, others are defined.
    let opened = !parties.is_empty() && !opening.parties.is_empty();
    let head = if opened { opening.range.end } else { text.floor(HEAD) };
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
        let terms = terms(&name, &whole[range.end..next]);
        let known = found.iter().any(|other| other.range.start < range.end && range.start < other.range.end);
        let before = &whole[..range.start];
        let describes = is_described(&before[text.floor(before.len().saturating_sub(80))..]);
        let describes = describes || in_bracket(before);
        let own = terms.iter().any(|term| is_own_term(&name, term));
        let begins = BEGINS_PARTY.is_match(before) || text.flat.begins_line(range.start);
        let organized = none && begins && ORGANIZED.is_match(&whole[range.end..]);
        if !known && !describes && (own || organized) && is_party(text, &name, &range, next) {
            found.push(Party { name, range, terms, role: None, confidence: 0 });
        }
    }
    found.sort_by_key(|party| party.range.start);
    for party in found {
        let known = parties.iter().any(|other| other.name.eq_ignore_ascii_case(&party.name));
        let own = none || party.terms.iter().any(|term| is_own_term(&party.name, term));
        let organized = none && ORGANIZED.is_match(&whole[party.range.end..]);
        if !known && (!party.terms.is_empty() || organized) && own {
            parties.push(Party { confidence: 70, ..party });
        }
    }
}

/// Whether the last part of an address is what comes next: "whose registered office is at 2 Customs House Square,".
fn in_address(before: &str) -> bool {
    let last = ADDRESS.find_iter(before).last();
    last.is_some_and(|last| !before[last.end()..].contains([';', '(', ')']) && !before[last.end()..].contains(" and "))
}

/// Whether a bracket is open at the end of a text: "(including its affiliates".
fn in_bracket(before: &str) -> bool {
    let near = &before[before.char_indices().rev().nth(160).map_or(0, |(at, _)| at)..];
    near.rfind('(').is_some_and(|open| near.rfind(')').is_none_or(|close| close < open))
}

/// Whether analysis knows a person whose name begins here.
fn is_person(text: &Text<'_>, at: usize) -> bool {
    text.names_in(at..at + 1).iter().any(|known| known.entity_type == EntityType::Person)
}

/// Those that sign, where the contract does not open with its parties. Where it names one, people sign for it, and a name that begins as its name
/// does is its own.
fn signing(text: &Text<'_>, parties: &mut Vec<Party>) {
    let key = |name: &str| name.to_lowercase().replace(['.', ','], "");
    let begins = |name: &str| {
        let folded = key(name);
        folded.trim_start_matches("the ").split(' ').next().unwrap_or_default().to_owned()
    };
    let opened: Vec<String> = parties.iter().map(|party| begins(&party.name)).collect();
    for range in signers(text) {
        let name = text.text()[range.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
        let name = name.trim_end_matches(',').to_owned();
        let known = parties.iter().any(|other| key(&other.name) == key(&name));
        let of_opened = !opened.is_empty() && (opened.contains(&begins(&name)) || is_person(text, range.start));
        if !known && !of_opened && !is_no_name(&name) {
            parties.push(Party { name, range, terms: Vec::new(), role: None, confidence: 60 });
        }
    }
}
