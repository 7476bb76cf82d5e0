//! The word lists that contain a word, looked up once per word.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::lists;
use super::{Shape, Word, fold};

/// A set of word lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Class(u16);

impl Class {
    /// A form of incorporation.
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

    pub fn has(self, class: Class) -> bool {
        self.0 & class.0 != 0
    }

    fn add(&mut self, class: Class) {
        self.0 |= class.0;
    }
}

static CLASSES: LazyLock<HashMap<&str, Class>> = LazyLock::new(|| {
    let lists: [(&'static str, Class); 14] = [
        (lists::LEGAL_FORMS, Class::FORM),
        (lists::HEADS, Class::HEAD),
        (lists::HEADS_OF, Class::HEAD_OF),
        (lists::STOPS, Class::STOP),
        (lists::STOPS, Class::GENERIC),
        (lists::GENERIC, Class::GENERIC),
        (lists::PARTY_WORDS, Class::PARTY),
        (lists::PLAIN_PARTY_WORDS, Class::PLAIN_PARTY),
        (lists::HONORIFICS, Class::HONORIFIC),
        (lists::GIVEN_NAMES, Class::GIVEN_NAME),
        (lists::POSITION_WORDS, Class::POSITION),
        (lists::POSITION_HEADS, Class::POSITION_HEAD),
        (lists::POSITION_HEADS, Class::POSITION),
        (lists::NO_NAME_ENDS, Class::NO_NAME_END),
    ];
    let mut classes: HashMap<&str, Class> = HashMap::new();
    for (list, class) in lists {
        for word in lists::entries(list) {
            classes.entry(word).or_default().add(class);
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
    lists::LEGAL_FORMS_EXACT.iter().any(same) && !matches!(text, "A.B." | "A.S." | "S.E." | "K.G.")
}

/// Marks the words with a capital that the document also writes without: as a word of that page's headings or a defined term
/// rather than of a name.
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
