//! Governing law, and where disputes are decided.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::text::{Text, pattern};
use super::{Fact, FactKind};
use crate::words::{pairs, set};

/// The words that introduce the law, up to its place.
static LAWS_OF: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:govern(?:ed|ing|s)?|construed|interpret(?:ed|ation)?|controlled|enforced|enforceability|determined|decided|resolved|application|validity|subject|applicable law|choose|chosen|in accordance|under and|made (?:and entered into )?under|contract under)\b[^.;]{0,220}?\b(?:(?:laws?|statutes|legislation)(?: and [a-z]+)?(?:,[^,.;]{3,80},)?(?: in force| in effect| applicable| prevailing)?(?: (?:of|in|within)| from time to time in force in)(?: and for)?,? ?|(?:laws?|regulations|legislation)\b[^.;]{0,80}?\b(?:of|in) (?:the )?(?:(?:state|commonwealth|province|republic) of ))",
    )
});
/// "the laws of Texas shall govern", "New York law governs".
static LAW_GOVERNS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\blaws? of (.{3,60}?)(?:,? (?:except|without|excluding|other)[^.;]{0,120}?)? (?:shall |will )?(?:govern|appl(?:y|ies)|control|be (?:applied|applicable|controlling))",
    )
});
static X_LAW: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:(?i:governed|construed|interpreted|controlled|subject|determined|resolved|decided|settled|applicable)\b[^.;]{0,120}?\b(?i:by|with|under|to|of|is|be)(?: the)?(?: substantive| internal| domestic)?(?: (?i:state|commonwealth|province) of)? ((?:(?:[A-Z][A-Za-z]+|(?:[A-Z]\.)+) ){1,3}?)(?i:(?:state |internal |substantive )?laws?)\b)|((?:\b(?:[A-Z][A-Za-z]+|(?:[A-Z]\.)+) ){1,3}?)(?i:(?:state )?laws?) (?i:shall|will|governs?|applies|controls)",
    )
});
static THEREOF: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:state|province|commonwealth|country) of (.{3,60})[^.;]{0,260}?\b(?:governed|construed|determined|interpreted)\b[^.;]{0,120}?\b(?:laws? (?:thereof|of (?:such|said|that) (?:state|province|country))|such laws?)",
    )
});
/// "Governing Law: State of Ohio"
static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:governing|applicable|controlling) law(?: and (?:jurisdiction|venue|forum|dispute resolution))? ?(?:(?:[:.-] ?)+|(?:of|for|under) (?:this|the) [a-z ]{0,30}?(?:is|shall be|will be) )(?:this agreement is (?:governed|made) under )?(?:the )?(?:laws? of )?(?:the )?",
    )
});
/// The contract at hand, not another.
static THIS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:this|these|the) (?:[\w-]+ ){0,4}(?:<contract>|terms|oma|letter|rights|warrant)s?\b|hereof|hereunder|this",
    )
});
static NOT_LAW: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:organized|existing|incorporated|formed|established|registered|good standing|bankruptcy|insolvency|securities|copyright|patent|antitrust|labor|employment|export|compl(?:y|iance)|indemnif|tax(?:es)?)\b[^.;]{0,90}$",
    )
});

/// A word of the name of a place, with what may join two of them.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?i:the )?(?i:courts? (?:of|in) )?(?i:(?:sovereign |federal |grand )?(?:states?|commonwealth|province|republic|kingdom|country|district|city|county|territory|emirate|canton|duchy|principality|sultanate|island) of ?)?(?:the )?(\p{Lu}[\p{L}.'-]*(?:,? (?:(?:and|of|the|&) ){0,2}\p{Lu}[\p{L}.'-]*){0,6})",
    )
});

/// After the name of a state: ", U.S.A.", ", of the United States of America".
static NATION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i),? ?(?:\bof (?:the )?)?\b(?:United States(?: of America)?|U\.?S\.?A?\.?)$"));
/// The nation before the name of its state: "United States of America and the State of".
static NATION_AND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:United States(?: of America)?|U\.?S\.?A?\.?|Canada),? and (?:of )?(?:the )?)?(?:(?:State|Commonwealth|Province)(?: of (?:the )?|$))?",
    )
});
/// "and the State of" without a name.
static AND_STATE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i),? and (?:of )?(?:the )?(?:laws of )?(?:the )?(?:State|Commonwealth|Province)$"));
/// After the law of a nation: "and the laws of the State of California".
static AND_LAWS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^,? ?(?:of america)?,? and (?:by )?(?:the )?(?:internal |substantive |applicable )?laws? of (?:the )?",
    )
});
/// Words that end the name of a place although they are written with a capital.
static NO_PLACE: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("../../data/facts/no-place.txt")));
/// Adjectives of places: "English law".
static ADJECTIVES: LazyLock<HashMap<&str, &str>> =
    LazyLock::new(|| pairs(include_str!("../../data/places/adjectives.txt")).collect());

/// The name of a place at the beginning of a text, with its end: "New York", "England and Wales".
pub(crate) fn place(rest: &str) -> Option<(String, usize)> {
    let found = PLACE.captures(rest)?;
    let name = found.get(1)?;
    let mut end = name.start();
    let mut kept: Vec<&str> = Vec::new();
    for word in name.as_str().split([' ', '\n']) {
        let begin = end;
        let folded = word.trim_matches([',', '.']).to_lowercase();
        let joins = matches!(folded.as_str(), "and" | "of" | "the" | "&");
        if !joins && NO_PLACE.contains(folded.as_str()) {
            break;
        }
        kept.push(word);
        end = begin + word.len() + 1;
        // a sentence ends after a word, but not after "U.S."
        if word.ends_with('.') && word.trim_end_matches('.').len() > 2 && !word[..word.len() - 1].contains('.') {
            break;
        }
    }
    while kept.last().is_some_and(|word| matches!(word.to_lowercase().as_str(), "and" | "of" | "the" | "&")) {
        kept.pop();
    }
    let text = kept.join(" ");
    let text = text.trim_end_matches(',');
    let inner = text.trim_end_matches('.');
    let text = if inner.contains('.') { text } else { inner };
    // "Texas, U.S.A."
    let text = NATION.find(text).map_or(text, |nation| if nation.start() > 0 { &text[..nation.start()] } else { text });
    let text = AND_STATE.find(text).map_or(text, |state| &text[..state.start()]);
    let text = NATION_AND
        .find(text)
        .map_or(text, |nation| if nation.end() < text.len() { &text[nation.end()..] } else { text });
    // "New York State"
    let state = text.strip_suffix(" State").or_else(|| text.strip_suffix(" STATE"));
    let text = state.filter(|state| is_place(state)).unwrap_or(text);
    // "Ohio and the Investment Company Act"
    let first = text.split_once(" and ").filter(|(first, rest)| is_place(first) && rest.ends_with(" Act"));
    let text = first.map_or(text, |(first, _)| first);
    let blank = matches!(text.to_lowercase().as_str(), "state" | "state/territory" | "province" | "country");
    let district =
        rest[..name.start()].to_lowercase().ends_with("district of ") && text.eq_ignore_ascii_case("columbia");
    let text = if district { "District of Columbia" } else { text };
    (!blank && text.chars().filter(|c| c.is_alphabetic()).count() > 1).then(|| (proper(text), end.saturating_sub(1)))
}

/// "NEW YORK" as "New York"; "USA" and "U.S." stay.
fn proper(text: &str) -> String {
    if text.chars().any(char::is_lowercase) || text.len() <= 4 {
        return text.to_owned();
    }
    let word = |word: &str| -> String {
        if matches!(word, "OF" | "AND" | "THE") {
            return word.to_lowercase();
        }
        let mut chars = word.chars();
        chars.next().map(|first| first.to_string() + &chars.as_str().to_lowercase()).unwrap_or_default()
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

pub(crate) fn find(text: &Text<'_>) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut laws = laws(text);
    laws.sort_by_key(|(score, _, range)| (std::cmp::Reverse(*score), range.start));
    if let Some((score, name, range)) = laws.into_iter().next() {
        let confidence = (70 + 5 * score.min(5)) as u8;
        facts.push(Fact::new(text, FactKind::GoverningLaw, name, range, confidence));
    }
    facts.extend(venue(text));
    facts
}

fn laws(text: &Text<'_>) -> Vec<(i32, String, Range<usize>)> {
    let whole = text.text();
    let mut found: Vec<(i32, String, Range<usize>)> = Vec::new();
    let mut add = |score: i32, at: Range<usize>, end: usize, name: String| {
        let sentence = text.sentence(at.start);
        let said = &whole[sentence.start..at.end.max(sentence.start)];
        let score = score + 2 * i32::from(THIS.is_match(said)) + i32::from(said.contains("govern"));
        found.push((score, name, at.start..end));
    };
    for cue in LAWS_OF.find_iter(whole) {
        if NOT_LAW.is_match(&whole[cue.start()..cue.end()]) {
            continue;
        }
        if let Some((name, end)) = place(&whole[cue.end()..]) {
            // "the federal law of the United States and the laws of the State of California"
            let behind = whole.get(cue.end() + end..).unwrap_or_default();
            let state = AND_LAWS.find(behind).filter(|_| NATION.is_match(&name));
            let state = state.and_then(|and| Some((and.end(), place(&behind[and.end()..])?)));
            match state {
                Some((from, (state, to))) => add(2, cue.range(), cue.end() + end + from + to, state),
                None => add(2, cue.range(), cue.end() + end, name),
            }
        }
    }
    for cue in LAW_GOVERNS.captures_iter(whole) {
        if let (Some(all), Some(named)) = (cue.get(0), cue.get(1))
            && let Some((name, _)) = place(named.as_str())
        {
            add(1, all.range(), all.end(), name);
        }
    }
    for cue in LABELLED.find_iter(whole) {
        if let Some((name, end)) = place(&whole[cue.end()..])
            && name.split(" and ").flat_map(|name| name.split(" & ")).all(is_place)
        {
            add(1, cue.range(), cue.end() + end, name);
        }
    }
    for cue in X_LAW.captures_iter(whole) {
        let (Some(all), Some(named)) = (cue.get(0), cue.get(1).or(cue.get(2))) else { continue };
        let Some((name, _)) = place(named.as_str()) else { continue };
        if let Some(place) = ADJECTIVES.get(name.as_str()) {
            add(1, all.range(), all.end(), (*place).to_owned());
        } else if is_place(&name) {
            add(1, all.range(), all.end(), name);
        }
    }
    for cue in THEREOF.captures_iter(whole) {
        if let (Some(all), Some(named)) = (cue.get(0), cue.get(1))
            && let Some((name, _)) = place(named.as_str())
        {
            add(1, all.range(), all.end(), name);
        }
    }
    found
}

/// In the tables of places.
fn is_place(name: &str) -> bool {
    let words = crate::words::words(name);
    !words.is_empty() && crate::places::place_at(&words, 0).is_some_and(|place| place.last == words.len())
}

static COURTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:courts?|venue|jurisdiction|tribunals?)\b[^.;]{0,80}?\b(?:located in|sitting in|situated in|located within|in|of|within|for|lie in|be in) ",
    )
});
static SUBMITS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:exclusive|submits?|consents?|jurisdiction|venue|brought|litigated|instituted|adjudicated|commenced)\b",
    )
});
static SEAT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\barbitrat(?:ion|ed|ors?|ral)\b[^.]{0,260}?\b(?:(?:held|conducted|take place|located|place|seat|venue|sit|occur|proceedings?|arbitration|arbitrated|resolved|settled)\b[^.,;]{0,50}?(?:in|at|be)) ",
    )
});

fn venue(text: &Text<'_>) -> Option<Fact> {
    let whole = text.text();
    for cue in SEAT.find_iter(whole) {
        if let Some((name, end)) = place(&whole[cue.end()..])
            && starts_with_place(&name)
        {
            let range = cue.start()..cue.end() + end;
            return Some(Fact::new(text, FactKind::Venue, format!("arbitration in {name}"), range, 80));
        }
    }
    for cue in COURTS.find_iter(whole) {
        let sentence = text.sentence(cue.start());
        if !SUBMITS.is_match(&whole[sentence]) {
            continue;
        }
        if let Some((name, end)) = place(&whole[cue.end()..])
            && starts_with_place(&name)
        {
            let range = cue.start()..cue.end() + end;
            return Some(Fact::new(text, FactKind::Venue, format!("courts of {name}"), range, 80));
        }
    }
    None
}

fn starts_with_place(name: &str) -> bool {
    let words = crate::words::words(name);
    let county = words.iter().any(|word| matches!(word.text, "County" | "District"));
    !words.is_empty() && (county || crate::places::place_at(&words, 0).is_some())
}
