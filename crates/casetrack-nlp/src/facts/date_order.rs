//! The order of day and month that the language, law, places and currency of a document lead to expect.

use std::collections::HashMap;
use std::sync::LazyLock;

use casetrack_core::EntityValue;

use super::governing_law;
use crate::amounts;
use crate::dates::{DateOrder, Votes};
use crate::places::place_at;
use crate::tokens::Tokens;
use crate::words::{entries, words};

pattern_table! {
    "dates/orders.toml":
    DAY_FIRST, MONTH_FIRST, DAY_FORM, MONTH_FORM, OTHER_FORM, MAIL_ZONE, SENDER;
    CURRENCIES, UNDECIDED, REGIONS, DAY_ZONES, MONTH_ZONES, GENERIC_DOMAINS,
}

word_lists! {
    /// Places that do not write dates as their kind does.
    CONVENTIONS: map = "dates/conventions.txt";
}

/// The order that each place has, by its name in lower case.
static PLACES: LazyLock<HashMap<String, DateOrder>> = LazyLock::new(|| {
    let countries = entries(include_str!("../../data/places/countries.txt")).map(|name| (name, DateOrder::DayFirst));
    let states = entries(include_str!("../../data/places/states.txt")).map(|name| (name, DateOrder::MonthFirst));
    let mut orders: HashMap<String, DateOrder> =
        countries.chain(states).map(|(name, order)| (name.to_lowercase(), order)).collect();
    orders.extend(CONVENTIONS.iter().map(|(name, order)| {
        let order = match *order {
            "day" => DateOrder::DayFirst,
            "month" => DateOrder::MonthFirst,
            _ => DateOrder::Unknown,
        };
        ((*name).to_owned(), order)
    }));
    orders
});

/// The order of day and month in a document, by its pages and language, a BCP 47 tag: by its dates, else by its language, its law, the places
/// and firms it names, its currency, or its zone as a message. Linear; cheap for documents without dates that have two readings.
pub fn date_order(pages: &[&str], language: Option<&str>) -> DateOrder {
    DateOrder::by_dates(pages).unwrap_or_else(|| by_conventions(pages, language))
}

/// The order that the first of these signs decides: the language, the governing law, places and firms, currency, the zone of a message, and the
/// region of the language. Linear.
fn by_conventions(pages: &[&str], language: Option<&str>) -> DateOrder {
    let (language, region) = tag(language);
    let signs: [&dyn Fn() -> DateOrder; 6] = [
        &|| if UNDECIDED.contains(&language) { DateOrder::Unknown } else { DateOrder::DayFirst },
        &|| governing_law(pages).map_or(DateOrder::Unknown, |law| by_places(&law).order()),
        &|| by_address(pages),
        &|| by_currency(pages),
        &|| by_zone(pages, &language),
        // Templates state "en-US", whatever the user's language.
        &|| if REGIONS.contains(&region) { DateOrder::DayFirst } else { DateOrder::Unknown },
    ];
    signs.iter().map(|sign| sign()).find(|order| *order != DateOrder::Unknown).unwrap_or_default()
}

/// Language and region in lower case: "en" and "gb". A text without a language may be in any.
fn tag(language: Option<&str>) -> (String, String) {
    let tag = language.unwrap_or("und").to_lowercase();
    let mut parts = tag.split(['-', '_']);
    let language = parts.next().filter(|part| !part.is_empty()).unwrap_or("und").to_owned();
    (language, parts.next().unwrap_or_default().to_owned())
}

/// The places that a text names.
fn by_places(text: &str) -> Votes {
    let words = words(text);
    let mut votes = Votes::default();
    let mut at = 0;
    while at < words.len() {
        let Some(place) = place_at(&words, at) else {
            at += 1;
            continue;
        };
        let named: Vec<&str> = words[place.first..place.last].iter().map(|word| word.text).collect();
        let named = named.join(" ").to_lowercase();
        // "State of Georgia", "Republic of Ireland"
        let (of_state, name) = named.split_once(" of ").map_or((false, &*named), |(kind, name)| match kind {
            "state" | "commonwealth" => (true, name),
            "province" | "republic" => (false, name),
            _ => (false, &*named),
        });
        match PLACES.get(name) {
            Some(_) if place.ambiguous => {}
            _ if of_state && name == "georgia" => votes.month_first += 1,
            Some(DateOrder::DayFirst) => votes.day_first += 1,
            Some(DateOrder::MonthFirst) => votes.month_first += 1,
            _ => {}
        }
        at = place.last.max(at + 1);
    }
    votes
}

/// Places, addresses and firms. Firms by themselves decide nothing, because a firm may be from any country.
fn by_address(pages: &[&str]) -> DateOrder {
    let count = |pattern: &regex::Regex| pages.iter().map(|page| pattern.find_iter(page).count()).sum::<usize>();
    let mut votes = Votes { day_first: count(&DAY_FIRST), month_first: count(&MONTH_FIRST) };
    for page in pages {
        let Votes { day_first, month_first } = by_places(page);
        votes.day_first += day_first;
        votes.month_first += month_first;
    }
    votes.month_first += count(&MONTH_FORM);
    if votes != Votes::default() || count(&OTHER_FORM) == 0 {
        votes.day_first += count(&DAY_FORM);
    }
    votes.order()
}

/// Dollars are paid everywhere.
fn by_currency(pages: &[&str]) -> DateOrder {
    let conventions = amounts::Conventions::of(pages.iter().copied());
    let amounts = pages.iter().flat_map(|page| amounts::find(&Tokens::new(page), &conventions));
    let mut units = amounts.filter_map(|amount| match amount.value {
        Some(EntityValue::Amount(amount)) if amount.unit != "%" => Some(amount.unit),
        _ => None,
    });
    let mut any = false;
    let all = units.all(|unit| {
        any = true;
        CURRENCIES.contains(&unit)
    });
    if any && all { DateOrder::DayFirst } else { DateOrder::Unknown }
}

fn by_zone(pages: &[&str], language: &str) -> DateOrder {
    let zone = pages.first().and_then(|page| MAIL_ZONE.captures(page)).and_then(|found| found.get(1));
    let Some(zone) = zone.map(|zone| zone.as_str().to_owned()) else { return DateOrder::Unknown };
    // "jane@example.ca": someone of another country in a zone of the United States
    let abroad = || {
        let sender = pages.first().and_then(|page| SENDER.captures(page)).and_then(|found| found.get(1));
        sender.is_some_and(|country| !GENERIC_DOMAINS.contains(&country.as_str().to_lowercase()))
    };
    match (DAY_ZONES.contains(&zone), MONTH_ZONES.contains(&zone)) {
        (true, _) => DateOrder::DayFirst,
        (_, true) if matches!(language, "en" | "und") && !abroad() => DateOrder::MonthFirst,
        _ => DateOrder::Unknown,
    }
}
