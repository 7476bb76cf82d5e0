//! People, organizations and places: the spans of the statistical recognizer, corrected and completed by rules.
//!
//! | step | file |
//! |---|---|
//! | clean the recognizer's spans | `spans` |
//! | forms of incorporation and other heads make organizations | `organizations` |
//! | titles, given names, signatures make persons | `persons`, `signatures` |
//! | tables and forms of addresses make places | [`crate::places`] |
//! | people without support in the document are dropped | `support` |
//! | one type for one name in a document; further occurrences | `document` |
//! | defined terms and party words that refer to a name | `aliases`, `definitions` |
//! | roles of persons in the text | `roles` |
//!
//! Each step is one pass over the words of a page: linear in the length of the text.

mod aliases;
pub mod definitions;
mod document;
pub mod institutions;
mod organizations;
mod persons;
mod roles;
mod signature_blocks;
pub mod signatures;
mod spans;
mod support;

use casetrack_core::{EntityType, Mention};

use self::definitions::Definition;
use crate::recognizer::NamedSpan;

/// A page of a document, with the recognizer's findings on it.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    pub text: &'a str,
    pub spans: &'a [NamedSpan],
}

/// A mention of a person, an organization or a location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameMention {
    pub mention: Mention,
    /// The document's own word for a name ("the Company", "Buyer").
    pub alias: Option<Alias>,
    /// Percent: the share of names found in this way that are correct.
    pub confidence: u8,
}

/// The meaning of a document's own word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Alias {
    /// The name that the document defines it for, as the document writes it.
    Of(String),
    /// A party that the document does not name, or not in the definition of the word.
    Unnamed,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageNames {
    /// Ordered by start, longer first. They do not overlap, except the places within an address.
    pub mentions: Vec<NameMention>,
    pub definitions: Vec<Definition>,
}

/// The names on the pages of one document, in their order. A page's result depends on the whole document: a name that is
/// clear on one page is found on the others, and so are the document's defined terms. Spans outside a page are ignored.
///
/// Cost: linear in the text; about 0.15 ms for 2,000 characters.
pub fn names(pages: &[Page<'_>]) -> Vec<PageNames> {
    document::names(pages)
}

/// The names of a single text.
pub fn mentions(text: &str, spans: &[NamedSpan]) -> Vec<Mention> {
    let page = names(&[Page { text, spans }]).pop().unwrap_or_default();
    page.mentions.into_iter().map(|named| named.mention).collect()
}

/// The evidence for a name, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    /// Found again where only another occurrence was clear.
    Repeat,
    Recognizer,
    /// A head word, a given name or another thing that supports it.
    Hint,
    Table,
    /// A title or a given name next to a recognized surname.
    Person,
    /// A form of incorporation; "State of".
    Form,
    Signature,
}

impl Source {
    /// As judged on samples of contracts (docs/dev/entities.md).
    fn confidence(self) -> u8 {
        match self {
            Source::Repeat => 40,
            Source::Recognizer => 50,
            Source::Hint => 85,
            Source::Table => 90,
            Source::Person | Source::Form | Source::Signature => 95,
        }
    }
}

/// A name on a page: words `first..last`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub first: usize,
    pub last: usize,
    pub entity_type: EntityType,
    pub source: Source,
    pub role: Option<String>,
}

impl Name {
    pub fn new(first: usize, last: usize, entity_type: EntityType, source: Source) -> Self {
        Self { first, last, entity_type, source, role: None }
    }
}
