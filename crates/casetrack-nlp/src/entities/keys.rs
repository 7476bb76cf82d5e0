//! Keys: names without their variations in writing.

use casetrack_core::same_text::{Plain, SOFT_HYPHEN, continues, with_umlauts_spelt_out};
use casetrack_core::{DatePrecision, EntityType, EntityValue};

use crate::words::{Class, class_of, fold};

/// Identifies an entity in a collection.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityKey {
    pub entity_type: EntityType,
    /// Lower case, without variations in writing. Never empty.
    pub key: String,
}

/// The words of a name: lower case, without marks and possessive, with umlauts spelt out.
fn name_words(surface: &str) -> Vec<String> {
    let plain = Plain::of(surface);
    plain
        .text()
        .split(|c: char| !(c.is_alphanumeric() || continues(c) || matches!(c, '\'' | SOFT_HYPHEN | '.' | '&' | '-')))
        .map(|word| {
            let word = word.strip_suffix("'s").unwrap_or(word);
            fold(word)
                .chars()
                .filter(|&c| c.is_alphanumeric() || continues(c) || matches!(c, '&' | '-'))
                .collect::<String>()
        })
        .filter(|word| word.chars().any(|c| c.is_alphanumeric() || c == '&'))
        .map(|word| match word.as_str() {
            "&" => "and".to_owned(),
            // "Müller" and "Mueller" are one name.
            _ => with_umlauts_spelt_out(&word).unwrap_or(word),
        })
        .collect()
}

/// "Acme Corporation", "ACME Corp." and "The Acme Company, Inc." are "acme"; and whether a form of incorporation was there.
pub(super) fn organization(surface: &str) -> (Vec<String>, bool) {
    let mut words = name_words(surface);
    if words.len() > 1 && words[0] == "the" {
        words.remove(0);
    }
    let all = words.len();
    // Forms in capitals are known with their capitals: "AG".
    while words.len() > 1 && words.last().is_some_and(|word| is_form(word)) {
        words.pop();
    }
    let formed = words.len() < all;
    (words, formed)
}

fn is_form(word: &str) -> bool {
    class_of(&word.to_uppercase()).has(Class::FORM) || matches!(word, "spa" | "aps")
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PersonName {
    /// Full or an initial; none if only the surname is known.
    pub given: Option<String>,
    pub middle: Vec<String>,
    pub surname: String,
    /// "jr" and "sr" distinguish two people of the same name.
    pub suffix: Option<String>,
}

/// "Smith, John", "Mr. John A. Smith".
pub(super) fn person(surface: &str) -> Option<PersonName> {
    let suffixes = ["jr", "sr", "ii", "iii", "iv"];
    // The surname comes before the comma, unless a suffix or a degree follows it.
    let turned = surface.split_once(',').map(|(left, right)| (name_words(left), name_words(right)));
    let mut words = match turned {
        Some((left, right))
            if right.iter().all(|word| {
                suffixes.contains(&word.as_str()) || matches!(word.as_str(), "esq" | "md" | "phd" | "cpa")
            }) =>
        {
            left.into_iter().chain(right).collect()
        }
        Some((left, right)) => right.into_iter().chain(left).collect(),
        None => name_words(surface),
    };
    let suffix =
        words.iter().position(|word| suffixes.contains(&word.as_str())).filter(|at| *at > 0).map(|at| words.remove(at));
    words.retain(|word| !matches!(word.as_str(), "esq" | "md" | "phd" | "cpa"));
    while words.len() > 1 && class_of(&words[0]).has(Class::HONORIFIC) {
        words.remove(0);
    }
    let surname = words.pop()?;
    let given = (!words.is_empty()).then(|| words.remove(0));
    Some(PersonName { given, middle: words, surname, suffix })
}

impl PersonName {
    pub fn is_full(&self) -> bool {
        self.given.as_ref().is_some_and(|given| given.chars().count() > 1)
    }

    pub fn key(&self, with_initials: bool) -> String {
        let mut words: Vec<&str> = self.given.as_deref().into_iter().collect();
        words.extend(self.middle.iter().filter(|word| with_initials || word.chars().count() > 1).map(String::as_str));
        words.push(&self.surname);
        words.extend(self.suffix.as_deref());
        words.join(" ")
    }

    /// The initials between given name and surname.
    pub fn initials(&self) -> String {
        self.middle.iter().filter_map(|word| word.chars().next()).collect()
    }
}

word_lists! {
    /// Other names of the places that texts abbreviate most.
    SAME_PLACES: map = "places/same.txt";
}

pub(super) fn location(surface: &str) -> String {
    let words = name_words(surface);
    let mut words = &words[..];
    if words.len() > 1 && words[0] == "the" {
        words = &words[1..];
    }
    if words.len() > 2
        && matches!(words[0].as_str(), "state" | "commonwealth" | "province" | "republic")
        && words[1] == "of"
    {
        words = &words[2..];
    }
    let key = words.join(" ");
    SAME_PLACES.get(key.as_str()).map_or(key, |same| (*same).to_owned())
}

/// Lower case, and the last word in the singular.
pub(super) fn concept(surface: &str) -> String {
    let words: Vec<String> = Plain::of(surface).text().split_whitespace().map(str::to_lowercase).collect();
    singular(&words.join(" ")).to_owned()
}

/// Without the plural's "s", if that is the only ending.
pub(crate) fn singular(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(one) if one.len() > 3 && !one.ends_with(['s', 'u', 'i']) => one,
        _ => word,
    }
}

pub(crate) fn value(value: &EntityValue) -> String {
    match value {
        EntityValue::Date(date) if date.first == date.last => date.first.clone(),
        EntityValue::Date(date) if date.precision == DatePrecision::Ambiguous => {
            format!("{} or {}", date.first, date.last)
        }
        EntityValue::Date(date) => format!("{}/{}", date.first, date.last),
        EntityValue::Amount(amount) => format!("{} {}", amount.value, amount.unit),
    }
}

/// A name without a value or a form of its own.
pub(super) fn plain(surface: &str) -> String {
    Plain::of(surface).text().split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_write_an_organization_have_one_key() {
        for name in [
            "Acme Corporation",
            "Acme Corp.",
            "ACME",
            "The Acme Company, Inc.",
            "Acme, L.L.C.",
            "Acme's",
            "Acme S.A.",
            "ACME GmbH",
        ] {
            assert_eq!(organization(name).0, ["acme"], "{name}");
        }
        assert_eq!(organization("Smith & Jones, Inc.").0, ["smith", "and", "jones"]);
        assert_eq!(organization("Inc.").0, ["inc"]);
        for name in ["Socie\u{301}te\u{301} Müller-\nBau", "Société Müller\u{ad}Bau", "Société\u{a0}Mu\u{308}llerBau"]
        {
            assert_eq!(organization(name).0, ["société", "muellerbau"], "{name}");
        }
    }

    #[test]
    fn ways_to_write_a_person_have_one_key() {
        for name in ["Jürgen Müller", "Ju\u{308}rgen Mueller", "Juergen Müller", "Dr. JÜRGEN MÜLLER", "Müller, Jürgen"]
        {
            assert_eq!(person(name).unwrap().key(false), "juergen mueller", "{name}");
        }
        for name in ["Smith, John", "Mr. John Smith", "John A. Smith", "JOHN SMITH", "John Smith, Esq."] {
            assert_eq!(person(name).unwrap().key(false), "john smith", "{name}");
        }
        assert_eq!(person("John Smith, Jr.").unwrap().key(false), "john smith jr");
        assert_eq!(person("Mr. Smith").unwrap().given, None);
        assert_eq!(person(" . "), None);
    }
}
