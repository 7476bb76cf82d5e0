//! Governing law, and where disputes are decided.

use std::cmp::Reverse;
use std::ops::Range;

use super::confidence::CERTAIN;
use super::text::Text;
use super::{Fact, FactKind};
use crate::places::{is_place, place_at};
use crate::words::words;

pattern_table! {
    "facts/law.toml":
    LAWS_OF, LAW_GOVERNS, X_LAW, THEREOF, LABELLED, THIS, NOT_LAW, PLACE, NATION, NATION_AND, AND_STATE, AND_LAWS,
    COURTS, SUBMITS, SEAT,
}

word_lists! {
    /// Words that end the name of a place although they are written with a capital.
    NO_PLACE: set = "facts/no-place.txt";
    /// Adjectives of places: "English law".
    ADJECTIVES: map = "places/adjectives.txt";
}

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
    let laws = laws(text);
    let is_agreed = laws.iter().all(|(_, name, _)| laws.first().is_some_and(|(_, first, _)| name == first));
    let is_certain = is_agreed && laws.iter().any(|(.., range)| is_label_line(text, range));
    let law = laws.into_iter().min_by_key(|(score, _, range)| (Reverse(*score), range.start));
    let law = law.map(|(score, name, range)| {
        let confidence = if is_certain { CERTAIN } else { (70 + 5 * score.min(5)) as u8 };
        Fact::new(text, FactKind::GoverningLaw, name, range, confidence)
    });
    law.into_iter().chain(venue(text)).collect()
}

/// True if a law stands behind its label on a line or in a sentence of its own: "Governing law: Scotland".
fn is_label_line(text: &Text<'_>, range: &Range<usize>) -> bool {
    let whole = text.text();
    if LABELLED.find(&whole[range.start..]).is_none_or(|label| label.start() != 0) {
        return false;
    }
    let begin = text.sentence(range.start).start.max(text.flat.line_start(range.start));
    // The number of a clause may come before.
    let is_first = !whole[begin.min(range.start)..range.start].contains(char::is_alphabetic);
    let behind = &whole[range.end..];
    let next = range.end + behind.len() - behind.trim_start().len();
    let is_last = behind.is_empty() || behind.starts_with(['.', ';', '\n']) || text.flat.begins_line(next);
    is_first && is_last
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
        // "Not governed by", but not "disputes not resolved by the parties shall be determined by".
        let denied = whole[..cue.start()].trim_end().ends_with(" not")
            && ![" shall ", " will ", " must ", " is ", " are "].iter().any(|verb| cue.as_str().contains(verb));
        if denied || NOT_LAW.is_match(&whole[cue.start()..cue.end()]) {
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
    for cue in LAW_GOVERNS.captures_iter(whole).chain(THEREOF.captures_iter(whole)) {
        if let (Some(all), Some(named)) = (cue.get(0), cue.get(1))
            && let Some((name, _)) = place(named.as_str())
        {
            add(1, all.range(), all.end(), name);
        }
    }
    for cue in LABELLED.find_iter(whole) {
        // "Governing law: England" above "Term: two years": the next line may look like a part of the name
        let named = [whole.len(), text.flat.line_end(cue.end())].into_iter().find_map(|end| {
            place(&whole[cue.end()..end])
                .filter(|(name, _)| name.split(" and ").flat_map(|name| name.split(" & ")).all(is_place))
        });
        if let Some((name, end)) = named {
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
    found
}

fn venue(text: &Text<'_>) -> Option<Fact> {
    let whole = text.text();
    let fact = |cue: regex::Match<'_>, kind: &str| {
        let (name, end) = place(&whole[cue.end()..]).filter(|(name, _)| starts_with_place(name))?;
        Some(Fact::new(text, FactKind::Venue, format!("{kind} {name}"), cue.start()..cue.end() + end, 80))
    };
    let arbitration = SEAT.find_iter(whole).find_map(|cue| fact(cue, "arbitration in"));
    arbitration.or_else(|| {
        let mut courts = COURTS.find_iter(whole).filter(|cue| SUBMITS.is_match(&whole[text.sentence(cue.start())]));
        courts.find_map(|cue| fact(cue, "courts of"))
    })
}

fn starts_with_place(name: &str) -> bool {
    let words = words(name);
    let county = words.iter().any(|word| matches!(word.text, "County" | "District"));
    !words.is_empty() && (county || place_at(&words, 0).is_some())
}
