//! The conventions of a document for numbers and currencies.

pattern_table! {
    "amounts/conventions.toml":
    SWEDEN, NORWAY, DENMARK, ICELAND, IN_SWEDEN, IN_NORWAY, IN_DENMARK, IN_ICELAND, SAYS_SWEDEN, SAYS_NORWAY,
    SAYS_DENMARK, SAYS_ICELAND, JAPAN, RENMINBI, CHINA, TAIWAN, HONG_KONG, INDIA, PAKISTAN, BRITAIN, WEIGHT, POINTS, COMMAS,
}

/// The meaning in a document of signs that several currencies share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conventions {
    /// "kr"; `None` if nothing in the document decides.
    pub(super) krona: Option<&'static str>,
    /// "¥".
    pub(super) yen: Option<&'static str>,
    /// "元".
    pub(super) yuan: Option<&'static str>,
    /// "Rs".
    pub(super) rupee: Option<&'static str>,
    /// "pounds", which are also a weight.
    pub(super) pounds: bool,
    /// True if the document weighs something.
    pub(super) weighs: bool,
    /// True if "1.500" is one and a half, false if it is fifteen hundred; `None` if no other number decides.
    pub(super) decimal_points: Option<bool>,
}

impl Conventions {
    /// Of the pages of a document. Linear in their length.
    pub fn of<'p>(pages: impl IntoIterator<Item = &'p str>) -> Self {
        let pages: Vec<&str> = pages.into_iter().collect();
        let has = |pattern: &regex::Regex| pages.iter().any(|page| pattern.is_match(page));
        let only = |candidates: &[(&'static str, &regex::Regex)], otherwise: Option<&'static str>| {
            let mut found = candidates.iter().filter(|(_, pattern)| has(pattern)).map(|(code, _)| *code);
            match (found.next(), found.next()) {
                (None, _) => otherwise,
                (Some(code), None) => Some(code),
                _ => None,
            }
        };
        let written = |signs: &[&str]| pages.iter().any(|page| signs.iter().any(|sign| page.contains(sign)));
        let if_written = |signs: &[&str], candidates: &[(&'static str, &regex::Regex)], otherwise| {
            if written(signs) { only(candidates, otherwise) } else { otherwise }
        };
        let countries = [("SEK", &*SWEDEN), ("NOK", &NORWAY), ("DKK", &DENMARK), ("ISK", &ICELAND)];
        let places = [("SEK", &*IN_SWEDEN), ("NOK", &IN_NORWAY), ("DKK", &IN_DENMARK), ("ISK", &IN_ICELAND)];
        let words = [("SEK", &*SAYS_SWEDEN), ("NOK", &SAYS_NORWAY), ("DKK", &SAYS_DENMARK), ("ISK", &SAYS_ICELAND)];
        // The places of companies decide only where no country does, and the language only where no place does.
        let names = |shown: &[(&'static str, &regex::Regex)]| shown.iter().any(|(_, country)| has(country));
        let decides = || [&countries, &places, &words].into_iter().find(|shown| names(*shown)).unwrap_or(&words);
        let pounds = written(&["pounds", "Pounds", "POUNDS"]);
        let (points, commas) = (has(&POINTS), has(&COMMAS));
        Self {
            krona: if written(&["kr", "Kr"]) { only(decides(), None) } else { None },
            yen: if_written(&["¥", "￥"], &[("JPY", &JAPAN), ("CNY", &RENMINBI)], Some("JPY")),
            yuan: if_written(&["元"], &[("CNY", &CHINA), ("TWD", &TAIWAN), ("HKD", &HONG_KONG)], Some("CNY")),
            rupee: if_written(&["Rs", "RS", "upees"], &[("INR", &INDIA), ("PKR", &PAKISTAN)], Some("INR")),
            pounds: pounds && has(&BRITAIN),
            weighs: pounds && has(&WEIGHT),
            decimal_points: (points != commas).then_some(commas),
        }
    }
}
