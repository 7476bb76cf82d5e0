//! Tables of patterns: regular expressions of named parts, read from the data files of this crate.
//!
//! | entry of a table | meaning |
//! |---|---|
//! | `[patterns]` | expressions that match letters of either case |
//! | `[cased]` | expressions that match letters as they are written |
//! | `[words]` | lists of words, in lower case, that code looks for |
//! | `[parts]` | the meaning of `{name}` in other entries, as a group |
//! | `flat = true` | a space matches any white space of the flat text, and `\b` and `\w` are those of ASCII |
//!
//! A list matches what any of its entries matches; the first that fits counts.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::words::entries;

/// Longest entry as a table writes it, in characters.
pub(crate) const LONGEST: usize = 200;

/// Lists of words that are parts of every table, as `{quote}` is.
const SHARED: &[(&str, &[&str])] = &[
    ("contract", &[include_str!("../data/facts/contracts.txt")]),
    ("role", &[include_str!("../data/words/party.txt"), include_str!("../data/words/party-phrases.txt")]),
];

static REFERENCE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\{([a-z][a-z_0-9]*)\}").ok());

/// A class of characters without single letters, or of all letters: its case makes no difference. The compiler would look up the other case of each
/// of its characters, up to a million, at every start of the program.
static CASELESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[\^?(?:\\[pP]\{[LN]\}|\\.|[^\\\]\[\p{L}])+\]").ok());

/// An expression whose classes without single letters match as they are written.
pub(crate) fn with_caseless_classes(text: &str) -> Cow<'_, str> {
    CASELESS.as_ref().map_or(Cow::Borrowed(text), |caseless| caseless.replace_all(text, "(?-i:$0)"))
}

/// Declares a static for each pattern of a table of `data` and, behind a semicolon, for each list of words; and a test
/// that the table has these and no others.
macro_rules! pattern_table {
    ($file:literal: $($name:ident),+ $(,)? $(; $($words:ident),+ $(,)?)?) => {
        static TABLE: std::sync::LazyLock<crate::pattern_table::PatternTable> = std::sync::LazyLock::new(|| {
            let data = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $file));
            crate::pattern_table::PatternTable::built_in(data)
        });
        $(pub(super) static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| TABLE.regex(stringify!($name)));)+
        $($(static $words: std::sync::LazyLock<Vec<String>> =
            std::sync::LazyLock::new(|| TABLE.words(stringify!($words)));)+)?

        #[cfg(test)]
        mod pattern_table_tests {
            #[test]
            fn the_code_uses_each_entry_of_the_table() {
                $(std::sync::LazyLock::force(&super::$name);)+
                super::TABLE.assert_names(&[$(stringify!($name)),+], &[$($(stringify!($words)),+)?]);
            }
        }
    };
}
/// Named parts of patterns, as they are written.
#[derive(Debug, Default)]
pub(crate) struct Parts(HashMap<String, String>);

impl Parts {
    /// The parts of a table, and those that every table of its kind has. Fails if a part names one that does not exist,
    /// or itself, or is longer than [`LONGEST`].
    pub fn new<'n>(own: &Entries, given: impl IntoIterator<Item = (&'n str, String)>) -> Result<Self, String> {
        let given = given.into_iter().map(|(name, text)| Ok((name.to_owned(), text)));
        let own = own.iter().map(|(name, entry)| Ok((name.clone(), entry.expression()?)));
        let parts = Self(given.chain(own).collect::<Result<_, String>>()?);
        parts.0.values().try_for_each(|text| parts.expand(text).map(drop))?;
        Ok(parts)
    }

    pub fn expand(&self, text: &str) -> Result<String, String> {
        self.expand_within(text, &mut Vec::new())
    }

    fn expand_within<'t>(&'t self, text: &'t str, path: &mut Vec<&'t str>) -> Result<String, String> {
        let mut expanded = String::new();
        let mut end = 0;
        for found in REFERENCE.iter().flat_map(|reference| reference.captures_iter(text)) {
            let (reference, [name]) = found.extract();
            if path.contains(&name) {
                return Err(format!("{{{name}}} stands for itself"));
            }
            let part = self.0.get(name).ok_or_else(|| format!("no part {{{name}}} for {text}"))?;
            path.push(name);
            let start = end + text[end..].find(reference).unwrap_or_default();
            expanded += &format!("{}(?:{})", &text[end..start], self.expand_within(part, path)?);
            end = start + reference.len();
            path.pop();
        }
        Ok(expanded + &text[end..])
    }
}

/// An expression of a table, or a list of alternatives.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Entry {
    One(String),
    Any(Vec<String>),
}

pub(crate) type Entries = BTreeMap<String, Entry>;

impl Entry {
    /// The entry as one expression. Fails if it is longer than [`LONGEST`].
    pub fn expression(&self) -> Result<String, String> {
        let all = match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Any(all) => all,
        };
        match all.iter().find(|text| text.chars().count() > LONGEST) {
            Some(long) => Err(format!("longer than {LONGEST} characters: {long}")),
            None => Ok(all.join("|")),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Data {
    flat: bool,
    patterns: Entries,
    cased: Entries,
    parts: Entries,
    words: BTreeMap<String, Vec<String>>,
}

/// The entries of a table by name, in capitals. Patterns have their parts filled in.
#[derive(Debug)]
pub(crate) struct PatternTable {
    patterns: HashMap<String, String>,
    words: HashMap<String, Vec<String>>,
}

impl PatternTable {
    /// Fails with the entry that is wrong.
    pub fn read(data: &str) -> Result<Self, String> {
        let data: Data = toml::from_str(data).map_err(|error| error.to_string())?;
        let shared = SHARED.iter().map(|(name, lists)| {
            let words: Vec<String> = lists.iter().flat_map(|list| entries(list)).map(regex::escape).collect();
            (*name, words.join("|"))
        });
        let parts = Parts::new(&data.parts, shared.chain([("quote", "[\"']".to_owned())]))?;
        let mut patterns = HashMap::new();
        for (flag, entries) in [("(?i)", data.patterns), ("", data.cased)] {
            for (name, entry) in entries {
                let mut text = with_caseless_classes(&parts.expand(&entry.expression()?)?).into_owned();
                if data.flat {
                    // Boundaries of ASCII words: others keep the matcher from its fast paths.
                    text = text.replace(' ', "[ \\n]").replace(r"\b", r"(?-u:\b)").replace(r"\w", "[0-9A-Za-z_]");
                }
                patterns.insert(name.to_uppercase(), format!("{flag}{text}"));
            }
        }
        let words = data.words.into_iter().map(|(name, words)| (name.to_uppercase(), words)).collect();
        Ok(Self { patterns, words })
    }

    pub fn built_in(data: &str) -> Self {
        #[expect(clippy::expect_used, reason = "a constant, read by the tests")]
        Self::read(data).expect("a sound table")
    }

    pub fn regex(&self, name: &str) -> Regex {
        #[expect(clippy::expect_used, reason = "a constant, compiled by the tests")]
        Regex::new(&self.patterns[name]).expect("a sound pattern")
    }

    pub fn words(&self, name: &str) -> Vec<String> {
        self.words[name].clone()
    }

    #[cfg(test)]
    pub fn assert_names(&self, patterns: &[&str], words: &[&str]) {
        use std::collections::BTreeSet;
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(self.patterns.keys().cloned().collect::<BTreeSet<_>>(), names(patterns));
        assert_eq!(self.words.keys().cloned().collect::<BTreeSet<_>>(), names(words));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_groups_within_parts() {
        let table = PatternTable::read(
            "flat = true\n[patterns]\nrenewal = 'an? {period}s? {quote}'\n[cased]\nyear = ['A', '\\byear']\n\
             [parts]\nperiod = ['month', '{long} period']\nlong = 'long'",
        );
        let table = table.unwrap();
        assert!(table.regex("RENEWAL").is_match("AN Long\nperiods '") && table.regex("YEAR").is_match("one year"));
        assert!(!table.regex("YEAR").is_match("a Year"));
    }

    #[test]
    fn classes_match_letters_of_either_case() {
        let table = PatternTable::read(
            "[patterns]\nletters = '^[a-c]+$'\nnone = '^[^\\sa-c]+$'\nwords = '^[\\w-]+$'\nrest = '^[^.\\s]+ [(\\[]A'",
        );
        let table = table.unwrap();
        for (name, text, fits) in [
            ("LETTERS", "aBC", true),
            ("NONE", "xB", false),
            ("NONE", "xY", true),
            ("WORDS", "Éa-Z", true),
            ("REST", "Ax [a", true),
        ] {
            assert_eq!(table.regex(name).is_match(text), fits, "{name} {text}");
        }
    }

    #[test]
    fn an_unsound_table_is_refused() {
        for (data, expected) in [
            ("[patterns]\na = '{b}'".to_owned(), "no part {b}"),
            ("[parts]\na = '{b}'\nb = ['c', '{a}']".to_owned(), "stands for itself"),
            (format!("[patterns]\na = ['{}']", "x".repeat(LONGEST + 1)), "longer than"),
            ("[pattern]\na = 'b'".to_owned(), "unknown field"),
        ] {
            let error = PatternTable::read(&data).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    fn strings<'v>(value: &'v toml::Value, found: &mut Vec<&'v str>) {
        match value {
            toml::Value::String(text) => found.push(text),
            toml::Value::Array(all) => all.iter().for_each(|value| strings(value, found)),
            toml::Value::Table(table) => table.values().for_each(|value| strings(value, found)),
            _ => {}
        }
    }

    #[test]
    fn no_entry_of_the_data_is_long() {
        let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
        let mut files = 0;
        for folder in ["facts", "languages", "redaction"] {
            for file in std::fs::read_dir(data.join(folder)).unwrap().map(|file| file.unwrap().path()) {
                if file.extension().is_some_and(|extension| extension == "toml") {
                    let value: toml::Value = toml::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
                    let mut found = Vec::new();
                    strings(&value, &mut found);
                    for text in found {
                        assert!(text.chars().count() <= LONGEST, "{}: {text}", file.display());
                    }
                    files += 1;
                }
            }
        }
        assert!(files > 10, "{files}");
    }
}
