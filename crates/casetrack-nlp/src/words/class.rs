//! The word lists that contain a word, looked up once per word.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::{Shape, Word, fold};

/// Declares statics that hold lists of words of `data`, as [`set`], [`list`], [`map`] or [`phrases`] read them.
macro_rules! word_lists {
    (@type set) => { crate::words::WordSet };
    (@type list) => { Vec<&'static str> };
    (@type map) => { std::collections::HashMap<&'static str, &'static str> };
    (@type phrases) => { crate::words::Phrases };
    ($($(#[$doc:meta])* $name:ident: $form:ident = $file:literal;)+) => {
        $($(#[$doc])* static $name: std::sync::LazyLock<word_lists!(@type $form)> = std::sync::LazyLock::new(|| {
            crate::words::$form(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $file)))
        });)+
    };
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Class(u16);

impl Class {
    pub const FORM: Class = Class(1);
    pub const HEAD: Class = Class(1 << 1);
    pub const HEAD_OF: Class = Class(1 << 2);
    pub const STOP: Class = Class(1 << 3);
    /// Does not make a name by itself or with others of this list.
    pub const GENERIC: Class = Class(1 << 4);
    pub const PARTY: Class = Class(1 << 5);
    pub const PLAIN_PARTY: Class = Class(1 << 6);
    pub const HONORIFIC: Class = Class(1 << 7);
    pub const GIVEN_NAME: Class = Class(1 << 8);
    pub const POSITION: Class = Class(1 << 9);
    pub const POSITION_HEAD: Class = Class(1 << 10);
    /// Does not end the name of a person or organization.
    pub const NO_NAME_END: Class = Class(1 << 11);
    /// The document writes it in lower case too. Set by [`mark_lowered`].
    pub const LOWERED: Class = Class(1 << 12);
    /// As much as a surname: also a name of places and firms.
    pub const RARE_GIVEN_NAME: Class = Class(1 << 13);
    pub const SURNAME: Class = Class(1 << 14);

    pub fn has(self, class: Class) -> bool {
        self.0 & class.0 != 0
    }

    fn add(&mut self, class: Class) {
        self.0 |= class.0;
    }
}

/// Each list of words with its class.
const LISTS: &[(&str, Class)] = &[
    (include_str!("../../data/words/legal-forms.txt"), Class::FORM),
    (include_str!("../../data/words/heads.txt"), Class::HEAD),
    (include_str!("../../data/words/heads-of.txt"), Class::HEAD_OF),
    (STOPS, Class::STOP),
    (STOPS, Class::GENERIC),
    (include_str!("../../data/words/generic.txt"), Class::GENERIC),
    (include_str!("../../data/words/party.txt"), Class::PARTY),
    (include_str!("../../data/words/plain-party.txt"), Class::PLAIN_PARTY),
    (include_str!("../../data/words/honorifics.txt"), Class::HONORIFIC),
    (include_str!("../../data/words/common-given-names.txt"), Class::GIVEN_NAME),
    (include_str!("../../data/words/given-names.txt"), Class::RARE_GIVEN_NAME),
    (include_str!("../../data/words/surnames.txt"), Class::SURNAME),
    (include_str!("../../data/words/position.txt"), Class::POSITION),
    (POSITION_HEADS, Class::POSITION_HEAD),
    (POSITION_HEADS, Class::POSITION),
    (include_str!("../../data/words/no-name-ends.txt"), Class::NO_NAME_END),
];
const STOPS: &str = include_str!("../../data/words/stops.txt");
const POSITION_HEADS: &str = include_str!("../../data/words/position-heads.txt");
word_lists! {
    EXACT_FORMS: list = "words/legal-forms-exact.txt";
}

/// The entries of a list: one a line; lines that begin with `#` are comments.
pub(crate) fn entries(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The entries of a list that have a tab in them: the texts before it and after it.
pub(crate) fn pairs(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    entries(list).filter_map(|entry| entry.split_once('\t'))
}

pub(crate) fn set(list: &'static str) -> WordSet {
    entries(list).collect()
}

pub(crate) fn list(list: &'static str) -> Vec<&'static str> {
    entries(list).collect()
}

pub(crate) fn map(list: &'static str) -> HashMap<&'static str, &'static str> {
    pairs(list).collect()
}

pub(crate) type WordSet = HashSet<&'static str>;
/// The words of phrases, and the meaning of each phrase.
pub(crate) type Phrases = Vec<(Vec<&'static str>, &'static str)>;

/// The [`pairs`] of a list, with the words of each phrase apart.
pub(crate) fn phrases(list: &'static str) -> Phrases {
    pairs(list).map(|(words, meaning)| (words.split(' ').collect(), meaning)).collect()
}

static CLASSES: LazyLock<HashMap<&str, Class>> = LazyLock::new(|| {
    let mut classes: HashMap<&str, Class> = HashMap::new();
    for (list, class) in LISTS {
        for word in entries(list) {
            classes.entry(word).or_default().add(*class);
        }
    }
    classes
});

/// The lists that contain a word, regardless of case except for forms of incorporation.
pub(crate) fn class_of(text: &str) -> Class {
    // Longer than any word of the lists.
    if text.len() > 24 {
        return Class::default();
    }
    let folds = text.bytes().any(|b| b == b'.' || b.is_ascii_uppercase() || !b.is_ascii());
    let mut class =
        if folds { CLASSES.get(fold(text).as_str()) } else { CLASSES.get(text) }.copied().unwrap_or_default();
    if class.has(Class::FORM) && text.starts_with(char::is_lowercase) {
        class.0 &= !Class::FORM.0;
    }
    if is_exact_form(text) {
        class.add(Class::FORM);
    }
    class
}

/// "AG", "S.A."; not "A.S." or "A.B.", which are initials.
fn is_exact_form(text: &str) -> bool {
    if text.len() > 10 || !text.starts_with(|c: char| c.is_ascii_uppercase()) {
        return false;
    }
    let same = |form: &&str| form.chars().eq(text.chars().filter(|&c| c != '.'));
    EXACT_FORMS.iter().any(same) && !matches!(text, "A.B." | "A.S." | "S.E." | "K.G.")
}

/// Marks the words with a capital that the document also writes without: as a word of that page's headings or a defined
/// term rather than of a name.
pub(crate) fn mark_lowered(pages: &mut [Vec<Word<'_>>]) {
    let lower: HashSet<&str> =
        pages.iter().flatten().filter(|word| word.shape == Shape::Lower).map(|word| word.text).collect();
    let one = |folded: &str| folded.strip_suffix('s').is_some_and(|one| one.len() > 2 && lower.contains(one));
    for word in pages.iter_mut().flatten().filter(|word| word.is_capital() || word.shape == Shape::Lower) {
        let lowered = word.shape == Shape::Lower || {
            let folded = word.folded();
            lower.contains(folded.as_str()) || one(&folded)
        };
        if lowered {
            word.class.add(Class::LOWERED);
        }
    }
}
