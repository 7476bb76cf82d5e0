//! Places: a table of countries, states and larger cities, and the forms of addresses.
//!
//! The tables are our own, from general knowledge; they support the statistical recognizer and do not replace it.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::words::{Gap, Shape, Word, entries, set, words};

/// Words of a text that form the name of a place: `first..last` are indexes of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub first: usize,
    pub last: usize,
    /// Not only the name of a place: counts only if the text supports it.
    pub ambiguous: bool,
}

struct Entry {
    words: Vec<String>,
    ambiguous: bool,
}

/// Entries by the first word of their name, longest first.
static TABLE: LazyLock<HashMap<String, Vec<Entry>>> = LazyLock::new(|| {
    let mut table: HashMap<String, Vec<Entry>> = HashMap::new();
    let doubtful = set(include_str!("../data/places/ambiguous.txt"));
    let places = [
        include_str!("../data/places/states.txt"),
        include_str!("../data/places/countries.txt"),
        include_str!("../data/places/regions.txt"),
        include_str!("../data/places/cities.txt"),
    ];
    for name in places.into_iter().flat_map(entries) {
        let ambiguous = doubtful.contains(name);
        for spelling in [name.to_string(), name.to_uppercase()] {
            // As `words` splits them, with the points as they are.
            let words: Vec<String> = words(&spelling).iter().map(|w| w.text.to_owned()).collect();
            if let Some(first) = words.first().cloned() {
                table.entry(first).or_default().push(Entry { words, ambiguous });
            }
        }
    }
    for entries in table.values_mut() {
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.words.len()));
    }
    table
});

/// The place that begins at word `at`, as long as possible: "New York", "State of Delaware", "Commonwealth of Virginia".
pub(crate) fn place_at(words: &[Word<'_>], at: usize) -> Option<Place> {
    if !words[at].is_capital() {
        return None;
    }
    if matches!(
        words[at].text,
        "State" | "Commonwealth" | "Province" | "STATE" | "COMMONWEALTH" | "PROVINCE" | "Republic" | "REPUBLIC"
    ) && words.get(at + 1).is_some_and(|word| word.text.eq_ignore_ascii_case("of"))
        && at + 2 < words.len()
        && let Some(named) = table_place(words, at + 2)
    {
        return Some(Place { first: at, last: named.last, ambiguous: false });
    }
    table_place(words, at)
}

/// True if a text is the name of a place and nothing else.
pub(crate) fn is_place(name: &str) -> bool {
    let words = words(name);
    !words.is_empty() && place_at(&words, 0).is_some_and(|place| place.last == words.len())
}

fn table_place(words: &[Word<'_>], at: usize) -> Option<Place> {
    let entries = TABLE.get(words[at].text)?;
    let entry = entries.iter().find(|entry| {
        words.len() - at >= entry.words.len()
            && entry.words.iter().zip(&words[at..]).all(|(name, word)| name == word.text || name == "'" && word.is('’'))
            && words[at + 1..at + entry.words.len()].iter().all(|word| word.gap < Gap::Blank)
    })?;
    Some(Place { first: at, last: at + entry.words.len(), ambiguous: entry.ambiguous })
}

/// True if `word` is the code of a state, as postal addresses write it.
pub(crate) fn is_state_code(word: &Word<'_>) -> bool {
    word.shape == Shape::Upper && STATE_CODES.contains(word.text)
}

word_lists! {
    STREETS: set = "places/streets.txt";
    UNITS: set = "places/units.txt";
    STATE_CODES: set = "places/state-codes.txt";
    HEADS: set = "places/heads.txt";
}

/// True if `word` ends the name of a place: "River", "County".
pub(crate) fn is_head(word: &Word<'_>) -> bool {
    HEADS.contains(word.text)
}

/// True if `word` ends the name of a street: "Road", "Blvd.".
pub(crate) fn is_street(word: &Word<'_>) -> bool {
    is_one_of(&STREETS, word.text)
}

/// An address: number, street, and what follows of unit, city, state, postal code and country.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address {
    pub first: usize,
    /// After the street.
    pub street: usize,
    pub last: usize,
}

const STREET_WORDS: usize = 6;
const ADDRESS_WORDS: usize = 24;

/// The address whose house number is word `at`: "123 Main Street, Suite 4, Springfield, IL 62701".
pub(crate) fn address_at(words: &[Word<'_>], at: usize) -> Option<Address> {
    if words[at].shape != Shape::Number || words[at].text.len() > 6 {
        return None;
    }
    let street = (at + 1..words.len().min(at + 1 + STREET_WORDS))
        .take_while(|&i| words[i].gap < Gap::Line && (words[i].is_capital() || ordinal(words[i].text)))
        .filter(|&i| is_one_of(&STREETS, words[i].text))
        .last()?;
    // "2 St" is no street; "201 Broadway" is.
    if street == at + 1 && !words[street].text.eq_ignore_ascii_case("Broadway") {
        return None;
    }
    let street = street + 1;
    let mut last = street;
    let mut i = street;
    // The words behind belong to the address as long as they look like parts of one; it ends at a state, code or place.
    while i < words.len().min(at + ADDRESS_WORDS) && words[i].gap < Gap::Blank {
        let word = &words[i];
        if word.is(',') || word.is('#') || word.is('.') && is_one_of(&UNITS, words[i - 1].text) {
            i += 1;
        } else if is_one_of(&UNITS, word.text)
            || ordinal(word.text) && words.get(i + 1).is_some_and(|w| is_one_of(&UNITS, w.text))
        {
            i = (i + 2).min(words.len());
            last = i;
        } else if let Some(place) = place_at(words, i) {
            i = place.last;
            last = i;
        } else if is_state_code(word) || postal_code(word.text) {
            i += 1;
            last = i;
        } else if word.shape == Shape::Title
            && words[i - 1].is(',')
            && let Some(end) = city_end(words, i)
        {
            i = end;
            last = i;
        } else {
            break;
        }
    }
    Some(Address { first: at, street, last })
}

/// Capitalised words that end at a comma or before a state: a city that the table lacks.
fn city_end(words: &[Word<'_>], at: usize) -> Option<usize> {
    let end =
        (at..words.len().min(at + 4)).find(|&i| words[i].shape != Shape::Title || place_at(words, i).is_some())?;
    let closed = words[end].is(',')
        && words.get(end + 1).is_some_and(|word| is_state_code(word) || place_at(words, end + 1).is_some());
    (end > at && (closed || is_state_code(&words[end]) || place_at(words, end).is_some())).then_some(end)
}

fn is_one_of(list: &HashSet<&str>, word: &str) -> bool {
    list.iter().any(|entry| entry.eq_ignore_ascii_case(word.trim_end_matches('.')))
}

fn ordinal(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.ends_with(|c: char| c.is_ascii_alphabetic())
}

fn postal_code(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    (digits == 5 && word.len() == 5) || (digits == 9 && word.len() == 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(text: &str, first: usize, last: usize) -> String {
        let words = words(text);
        let (start, end) = (words[first].start as usize, words[last - 1].end as usize);
        text.chars().skip(start).take(end - start).collect()
    }

    #[test]
    fn an_address_is_whole() {
        for (text, whole) in [
            (
                "at 123 Main Street, Suite 4, Springfield, IL 62701, and",
                "123 Main Street, Suite 4, Springfield, IL 62701",
            ),
            (
                "at 201 Broadway, 4th Floor, Boston, Massachusetts 02139 provides",
                "201 Broadway, 4th Floor, Boston, Massachusetts 02139",
            ),
            ("at 7 Elm Ave. Tell", "7 Elm Ave."),
        ] {
            let words = words(text);
            let found = (0..words.len()).find_map(|i| address_at(&words, i)).map(|a| text_of(text, a.first, a.last));
            assert_eq!(found.as_deref(), Some(whole));
        }
        let words = words("paid 500 Shares of 3 St");
        assert_eq!((0..words.len()).find_map(|i| address_at(&words, i)), None);
    }

    #[test]
    fn the_longest_place_is_found() {
        for (text, whole) in [
            ("State of New York law", "State of New York"),
            ("NEW JERSEY is", "NEW JERSEY"),
            ("West Virginia", "West Virginia"),
        ] {
            let place = place_at(&words(text), 0).unwrap();
            assert_eq!(text_of(text, place.first, place.last), whole);
        }
        assert!(place_at(&words("Jordan left"), 0).unwrap().ambiguous);
        assert!(place_at(&words("reading"), 0).is_none());
    }
}
