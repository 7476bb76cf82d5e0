//! The parties of a contract with the words that it defines for them.

use std::collections::HashSet;
use std::ops::Range;

use casetrack_core::{EntityType, single_spaced};

use super::name_words::is_described;
use super::opening::Opening;
use super::party_evidence::{ORGANIZED, is_no_name, is_party};
use super::party_names::{ends_with_form, has_form, name_at};
use super::party_terms::{TERMS, depth, is_own_term, is_together, terms};
use super::signers::signers;
use super::text::{NameRange, Text, last_chars};
use super::{Fact, FactKind};
use crate::places::is_place;
use crate::words::words;

pattern_table! {
    "facts/parties.toml":
    SEPARATOR, LEAD, SMALL_NAME, YOU, LABELLED, INITIALED, TABLED, SPEAKS_FOR, AS_ROLE, WE_MEANS, YOU_MEANS, UNDERSIGNED,
    BEGINS_PARTY, THROUGH, OFFICE_AND, ADDRESS, NEXT_PARTY, NEXT_NAME, TRADES, IN_STREET,
}

/// Most parties of one contract.
const MOST: usize = 24;
/// Farthest from a name that the term for it ends, in bytes.
const TERM: usize = 220;
/// Longest name under which a party trades, in characters.
const TRADE_NAME: usize = 80;
/// Bytes in which parties are looked for without an opening.
const HEAD: usize = 2500;

struct Party {
    name: String,
    range: Range<usize>,
    terms: Vec<String>,
    role: Option<String>,
    /// The name under which it trades: "d/b/a Roe Foods".
    trade: Option<String>,
    confidence: u8,
}

/// Adds the parties that one kind of evidence gives.
type AddParties<'f> = &'f dyn Fn(&mut Vec<Party>);

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
    let labelled = labelled_parties(text, opening.parties.is_empty());
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
    let others: [AddParties<'_>; 4] = [
        &|parties| add_undersigned(text, parties),
        &|parties| add_speakers(text, parties),
        &|parties| add_introduced(text, opening, parties),
        &|parties| add_signers(text, parties),
    ];
    for add in others {
        if parties.len() < 2 {
            add(&mut parties);
        }
    }
    // "Acme Foods, Inc. ("Acme") … Acme ("Seller")"
    let all: Vec<String> = parties.iter().flat_map(|party| &party.terms).map(|term| term.to_lowercase()).collect();
    parties.retain(|party| !all.contains(&party.name.to_lowercase()) || party.terms.contains(&party.name));
    // "Acme Foods, Inc. Transmission", behind Acme Foods, Inc.
    let formed: Vec<String> =
        parties.iter().map(|party| party.name.clone()).filter(|name| ends_with_form(&words(name))).collect();
    parties.retain(|party| {
        let longer =
            formed.iter().any(|name| party.name.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(' ')));
        !longer || ends_with_form(&words(&party.name))
    });
    parties.truncate(MOST);
    for party in &mut parties {
        party.trade = trade_name(text, party.range.end);
    }
    parties
}

impl Party {
    fn new(name: String, range: Range<usize>, confidence: u8) -> Self {
        Self { name, range, terms: Vec::new(), role: None, trade: None, confidence }
    }

    fn fact(self, text: &Text<'_>) -> Fact {
        let Party { name, range, terms, role, trade, confidence } = self;
        let terms = terms.iter().map(|term| format!("\"{term}\""));
        let mut inside: Vec<String> = trade.into_iter().chain(terms).collect();
        if let Some(role) = role {
            inside.push(format!("as {role}"));
        }
        let value = if inside.is_empty() { name } else { format!("{name} ({})", inside.join(", ")) };
        Fact::new(text, FactKind::Party, value, range, confidence)
    }
}

/// Without an opening, a label may have a line of its own; behind one, such lines are of the signatures.
fn labelled_parties(text: &Text<'_>, lines: bool) -> Vec<Party> {
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
        let named = named.or_else(|| initialed(text, party.start(), name.start()));
        if let Some((name, range)) = named.filter(|_| !known) {
            let role = label.get(2).map(|role| role.as_str().to_owned());
            found.push(Party {
                name,
                range,
                terms: vec![party.as_str().to_owned()],
                role,
                trade: None,
                confidence: 85,
            });
        }
    }
    // A table without marks: "SHIPPER ACME FOODS, INC.", or a label on a line of its own
    let mut rows = Vec::new();
    for label in TABLED.captures_iter(head) {
        let (Some(all), Some(role), Some(name)) = (label.get(0), label.get(1), label.get(2)) else { continue };
        let label = role.as_str();
        let shouts = label.chars().all(|c| c.is_uppercase() || c == ' ');
        let written = lines && label.starts_with(char::is_uppercase);
        let known = found.iter().any(|other| other.range.contains(&name.start()));
        if known || !(shouts || written) || !text.flat.begins_line(all.start()) {
            continue;
        }
        let alone = shouts || text.flat.begins_line(name.start());
        let named = name_at(text, name.start()).filter(|(name, range)| {
            let formed = ends_with_form(&words(name));
            let row = text.text().len() <= range.end || text.flat.begins_line(range.end + 1);
            !is_no_name(name) && (formed && alone || row && (formed || is_person(text, range.start)))
        });
        if let Some((name, range)) = named {
            let party = Party { terms: vec![label.to_owned()], ..Party::new(name, range, 80) };
            let list = if alone { &mut found } else { &mut rows };
            list.push(party);
        }
    }
    // A row by itself may be a letterhead: "Client Services Limited".
    if !rows.is_empty() && rows.len() + found.len() >= 2 {
        found.extend(rows);
        found.sort_by_key(|party| party.range.start);
    }
    found
}

/// The person at `at`, behind the label of a line, if the rest of the line consists of initials and a name: small letters show no name elsewhere.
fn initialed(text: &Text<'_>, label: usize, at: usize) -> Option<(String, Range<usize>)> {
    let line = text.text()[at..text.flat.line_end(at)].trim_end();
    let abbreviated = ["i.e.", "i. e.", "e.g.", "e. g."].iter().any(|words| line.starts_with(words));
    let is_name = INITIALED.is_match(line) && !abbreviated && !is_no_name(line);
    (is_name && text.flat.begins_line(label)).then(|| (single_spaced(line), at..at + line.len()))
}

/// The parties named in this range.
fn of_opening(text: &Text<'_>, range: Range<usize>) -> Vec<Party> {
    let whole = text.text();
    let mut found = listed_parties(text, &range);
    for party in defined_parties(text, range.clone()) {
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
    let mut seen = HashSet::new();
    found.retain(|party| seen.insert(party.name.to_lowercase()));
    found
}

/// The parties of a list, without their terms: each behind a separator.
fn listed_parties(text: &Text<'_>, range: &Range<usize>) -> Vec<Party> {
    let whole = text.text();
    let region = &whole[range.clone()];
    let outside = |at: &regex::Match<'_>| depth(&region[..at.start()]) == 0 || at.as_str().starts_with(')');
    let mut starts = vec![0];
    starts.extend(SEPARATOR.find_iter(region).filter(outside).map(|at| at.end()));
    let mut found: Vec<Party> = Vec::new();
    let mut i = 0;
    while let Some(from) = starts.get(i).copied() {
        i += 1;
        let to = starts.get(i).copied().unwrap_or(region.len()).max(from);
        // A term belongs to the name before it, however many separators its description has.
        let begin = range.start + from;
        let item = &whole[begin..range.end];
        let lead = match SMALL_NAME.captures(item).and_then(|small| small.get(1)) {
            Some(small) => small.start(),
            None => LEAD.find(item).map_or(0, |lead| lead.end()),
        };
        let until = (range.start + to).max(begin + lead + 1);
        if let Some(you) = YOU.captures(item).and_then(|found| found.get(1)) {
            let at = begin + you.start()..begin + you.end();
            let opens = whole[at.end..].starts_with(" (\"") || whole[at.end..].starts_with(" and ");
            if (!found.is_empty() || i == 1 && opens) && at.start < until {
                found.push(Party::new("You".to_owned(), at, 0));
            }
            continue;
        }
        let Some((name, at)) = name_at(text, begin + lead).filter(|(_, at)| at.start < until) else { continue };
        let rest = whole.get(at.end..range.end).unwrap_or_default();
        let first = i == 1 && found.is_empty() && NEXT_PARTY.is_match(rest) && !is_no_name(&name) && !is_place(&name);
        let repeated = found.last().is_some_and(|last| at.start < last.range.end);
        let before = &whole[range.start..at.start];
        let described = is_described(before) || OFFICE_AND.is_match(before);
        if repeated || described || !(first || is_party(text, &name, &at, range.end)) {
            continue;
        }
        if let Some(next) = next_listed(text, rest, range.end).map(|next| next - range.start)
            && !starts.contains(&next)
        {
            starts.insert(i, next);
        }
        let role = AS_ROLE.captures(rest).and_then(|found| found.get(1)).map(|role| role.as_str().to_owned());
        found.push(Party { role, ..Party::new(name, at, 0) });
    }
    found
}

/// The name under which a party trades, as the contract writes it, from the text after the name: "d/b/a Roe Foods".
fn trade_name(text: &Text<'_>, end: usize) -> Option<String> {
    let whole = text.text();
    let trades = TRADES.captures(&whole[end..text.floor(end + TERM)])?;
    let at = end + trades.get(0)?.end();
    let quote = trades.get(2).map(|quote| quote.as_str()).unwrap_or_default();
    let name = match quote.is_empty() {
        true => name_at(text, at)?.0,
        false => single_spaced(whole[at..].split_once(quote)?.0),
    };
    let said = trades.get(1)?.as_str().to_lowercase();
    let sign = match said.as_str() {
        _ if said.starts_with("trading") || said == "t/a" => "t/a",
        "dba" => trades.get(1)?.as_str(),
        _ => "d/b/a",
    };
    (name.chars().count() <= TRADE_NAME && !is_no_name(&name)).then(|| format!("{sign} {name}"))
}

/// The next name of "Acme, Inc., Beta LLC": a list continues after a form of incorporation. `rest` is the text up to `end`.
fn next_listed(text: &Text<'_>, rest: &str, end: usize) -> Option<usize> {
    let (next, place) = name_at(text, end - rest.len() + NEXT_NAME.find(rest)?.end())?;
    (has_form(&words(&next)) || is_person(text, place.start)).then_some(place.start)
}

/// People and organizations right before a bracket that defines a term for them.
fn defined_parties(text: &Text<'_>, range: Range<usize>) -> Vec<Party> {
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
        let describes = |named: &&NameRange| {
            let before = &text.text()[range.start..named.range.start.max(range.start)];
            is_described(before)
                || THROUGH.is_match(before)
                || in_address(before)
                || !BEGINS_PARTY.is_match(before)
                || IN_STREET.is_match(&text.text()[text.flat.line_start(named.range.start)..named.range.start])
        };
        if let Some(named) = named.filter(|named| !describes(named))
            && let Some((name, at)) = name_at(text, named.range.start)
            && !is_no_name(&name)
            && !is_place(&name)
        {
            found.push(Party::new(name, at, 0));
        }
    }
    found
}

/// "We", "us" and "our" means Acme, Inc.; "you" means the applicant.
fn add_speakers(text: &Text<'_>, parties: &mut Vec<Party>) {
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
            parties.push(Party::new(name, range, 70));
        }
    }
}

/// "the undersigned, the Integrity Funds".
fn add_undersigned(text: &Text<'_>, parties: &mut Vec<Party>) {
    let head = &text.text()[..text.floor(4000)];
    let Some(cue) = UNDERSIGNED.find(head) else { return };
    let end = text.sentence(cue.start()).end.max(cue.end());
    for party in of_opening(text, cue.end()..end) {
        if !parties.iter().any(|other| other.name.eq_ignore_ascii_case(&party.name)) {
            parties.push(Party { confidence: 70, ..party });
        }
    }
}

/// Those for whom the beginning defines terms: "Acme, Inc. ("Acme") engages Jane Roe ("Consultant")".
fn add_introduced(text: &Text<'_>, opening: &Opening, parties: &mut Vec<Party>) {
    let whole = text.text();
    // Behind an opening that names a party, others are defined.
    let opened = !parties.is_empty() && !opening.parties.is_empty();
    let head = if opened { opening.range.end } else { text.floor(HEAD) };
    let none = parties.is_empty();
    let mut found = of_opening(text, 0..head);
    // amid a sentence
    let named: Vec<&NameRange> =
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
            found.push(Party { name, range, terms, role: None, trade: None, confidence: 0 });
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

/// True if the last part of an address comes next: "whose registered office is at 2 Customs House Square,".
fn in_address(before: &str) -> bool {
    let last = ADDRESS.find_iter(before).last();
    last.is_some_and(|last| !before[last.end()..].contains([';', '(', ')']) && !before[last.end()..].contains(" and "))
}

/// True if a bracket is open at the end of a text: "(including its affiliates".
fn in_bracket(before: &str) -> bool {
    let near = last_chars(before, 160);
    near.rfind('(').is_some_and(|open| near.rfind(')').is_none_or(|close| close < open))
}

/// True if analysis found a person whose name begins here.
fn is_person(text: &Text<'_>, at: usize) -> bool {
    text.names_in(at..at + 1).iter().any(|known| known.entity_type == EntityType::Person)
}

/// The signers, if the contract does not open with its parties. If it names one, people sign for it, and a name that
/// begins as its name does is its own.
fn add_signers(text: &Text<'_>, parties: &mut Vec<Party>) {
    let key = |name: &str| name.to_lowercase().replace(['.', ','], "");
    let begins = |name: &str| {
        let folded = key(name);
        folded.trim_start_matches("the ").split(' ').next().unwrap_or_default().to_owned()
    };
    let opened: Vec<String> = parties.iter().map(|party| begins(&party.name)).collect();
    for range in signers(text) {
        let range = text.behind_day(range.start)..range.end;
        if range.is_empty() {
            continue;
        }
        let name = single_spaced(&text.text()[range.clone()]);
        let name = name.trim_end_matches(',').to_owned();
        let known = parties.iter().any(|other| key(&other.name) == key(&name));
        let of_opened = !opened.is_empty() && (opened.contains(&begins(&name)) || is_person(text, range.start));
        if !known && !of_opened && !is_no_name(&name) {
            parties.push(Party::new(name, range, 60));
        }
    }
}
