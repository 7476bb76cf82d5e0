//! Conditions on the text of a path: five ways to match, and equality.

use std::borrow::Cow;

use casetrack_core::{Error, Result};
use memchr::memmem::{self, Finder};
use regex::Regex;

use super::block::{Block, lower};
use super::ids::Bits;
use super::image::{Folders, Image};
use crate::paths;
use crate::pattern::{MAX_BYTES, glob_regex, regex};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Path,
    Name,
    /// The path of the folder that it is in.
    Parent,
    /// In lower case, without a dot; empty if there is none.
    Extension,
}

/// How a text is compared with a pattern. All but a regular expression and a glob take each character literally.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    Equals,
    Contains,
    Prefix,
    Suffix,
    /// A regular expression that occurs anywhere in the text.
    Regex,
    /// The whole text: `*` matches any characters, also `/`, `?` one, `[…]` one of several.
    Glob,
}

/// A condition on a text. Its cost is linear in the text for every pattern.
#[derive(Debug, Clone)]
pub struct Text {
    field: Field,
    case_sensitive: bool,
    rule: Rule,
}

#[derive(Debug, Clone)]
enum Rule {
    /// In lower case if case does not count.
    Literal(Match, Vec<u8>),
    Regex(Regex),
}

impl Text {
    /// Errors: a pattern that is too long or cannot be read. The message describes the fault.
    pub fn new(field: Field, how: Match, pattern: &str, case_sensitive: bool) -> Result<Self> {
        if pattern.len() > MAX_BYTES {
            return Err(Error::invalid(format!("a pattern may have at most {MAX_BYTES} bytes")));
        }
        let unreadable = |reason: &str| Error::invalid(format!("the pattern cannot be read: {reason}"));
        let compiled = |source: &str| regex(source, !case_sensitive).map_err(|reason| unreadable(&reason));
        let rule = match how {
            Match::Regex => Rule::Regex(compiled(pattern)?),
            Match::Glob => {
                let source = glob_regex(pattern, false).ok_or_else(|| unreadable("a bracket is not closed"))?;
                Rule::Regex(compiled(&source)?)
            }
            literal if case_sensitive => Rule::Literal(literal, pattern.as_bytes().to_vec()),
            literal => Rule::Literal(literal, lower(pattern.as_bytes()).into_owned()),
        };
        Ok(Self { field, case_sensitive, rule })
    }

    /// Prepares the comparison with many entries: the results that depend only on the folder are computed once.
    pub(super) fn judge(&self, image: &Image) -> TextJudge<'_> {
        let Rule::Literal(how, needle) = &self.rule else {
            return TextJudge { text: self, verdicts: Vec::new(), names: None };
        };
        let folders = &image.folders;
        let verdicts = match self.field {
            Field::Path => self.of_folders(folders, |folder| of_path(folder, *how, needle)),
            Field::Parent => self.of_folders(folders, |folder| {
                let path = if folder.len() > 1 { &folder[..folder.len() - 1] } else { folder };
                if meets(path, *how, needle) { Verdict::Yes } else { Verdict::No }
            }),
            Field::Name | Field::Extension => Vec::new(),
        };
        // No name has a separator.
        let can_have = !needle.is_empty() && !needle.contains(&(std::path::MAIN_SEPARATOR as u8));
        let is_searched = *how == Match::Contains && matches!(self.field, Field::Path | Field::Name);
        let names = (is_searched && can_have).then(|| Finder::new(needle));
        TextJudge { text: self, verdicts, names }
    }

    /// Each folder ends with a separator.
    fn of_folders(&self, folders: &Folders, verdict: impl Fn(&[u8]) -> Verdict) -> Vec<Verdict> {
        let places = 0..folders.paths.len();
        match self.case_sensitive {
            true => places.map(|place| verdict(&paths::joined(&folders.paths[place], b""))).collect(),
            false => places.map(|place| verdict(&folders.lower[place])).collect(),
        }
    }
}

/// The result of the folder of an entry: yes, no, or a condition on its name, from a byte of the pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Yes,
    No,
    NameContains,
    NameStarts(usize),
    NameEnds,
    NameEquals(usize),
}

/// For a path that consists of a folder, which ends in a separator, and a name, which has none.
fn of_path(folder: &[u8], how: Match, needle: &[u8]) -> Verdict {
    let split = needle.iter().rposition(|byte| *byte == std::path::MAIN_SEPARATOR as u8).map(|place| place + 1);
    let ends_before = |split: usize| folder.ends_with(&needle[..split]) && split < needle.len();
    match (how, split) {
        (Match::Contains, _) if contains(folder, needle) => Verdict::Yes,
        (Match::Contains, None) => Verdict::NameContains,
        (Match::Contains, Some(split)) if ends_before(split) => Verdict::NameStarts(split),
        (Match::Prefix, _) if folder.starts_with(needle) => Verdict::Yes,
        (Match::Prefix, _) if needle.starts_with(folder) => Verdict::NameStarts(folder.len()),
        (Match::Suffix, None) => Verdict::NameEnds,
        (Match::Suffix, Some(split)) if ends_before(split) => Verdict::NameEquals(split),
        (Match::Equals, Some(split)) if *folder == needle[..split] => Verdict::NameEquals(split),
        _ => Verdict::No,
    }
}

fn meets(text: &[u8], how: Match, needle: &[u8]) -> bool {
    match how {
        Match::Equals => text == needle,
        Match::Contains => contains(text, needle),
        Match::Prefix => text.starts_with(needle),
        Match::Suffix => text.ends_with(needle),
        Match::Regex | Match::Glob => false,
    }
}

fn contains(text: &[u8], needle: &[u8]) -> bool {
    memmem::find(text, needle).is_some()
}

/// If fewer than one in this many rows of a block are left, their names are searched one after another, which takes about this many times
/// as long for each.
const FEW: usize = 8;

/// A condition that is ready for many entries of one image.
pub(super) struct TextJudge<'a> {
    text: &'a Text,
    /// By the places of folders, if these count.
    verdicts: Vec<Verdict>,
    /// Finds a text that names contain.
    names: Option<Finder<'a>>,
}

impl TextJudge<'_> {
    /// The cost of an entry, compared with others: extensions are the cheapest, a regular expression the dearest.
    pub fn cost(&self) -> u8 {
        match (self.text.field, &self.text.rule) {
            (Field::Extension, _) => 0,
            (_, Rule::Literal(..)) => 1,
            (_, Rule::Regex(_)) => 2,
        }
    }

    /// As for [`Judge`](super::conditions::Judge).
    pub fn keep(&self, image: &Image, block: &Block, places: &mut Bits) {
        match (&self.text.rule, self.text.field) {
            (Rule::Literal(how, needle), Field::Extension) => {
                block.keep_extensions(places, |extension| meets(extension, *how, needle));
            }
            (Rule::Regex(regex), Field::Extension) => {
                block.keep_extensions(places, |extension| regex.is_match(&readable(extension)));
            }
            (Rule::Literal(how, needle), Field::Name) => match self.having(block, places) {
                Some(found) => places.keep(&found),
                None => places.retain(|place| meets(self.name(block, place), *how, needle)),
            },
            (Rule::Literal(_, needle), Field::Path | Field::Parent) => {
                let found = self.having(block, places);
                places.retain(|place| {
                    let folder = block.folders[place] as usize;
                    match self.verdicts.get(folder).copied().unwrap_or(Verdict::No) {
                        Verdict::Yes => true,
                        Verdict::No => false,
                        Verdict::NameContains => match &found {
                            Some(found) => found.has_place(place),
                            None => contains(self.name(block, place), needle),
                        },
                        Verdict::NameStarts(from) => self.name(block, place).starts_with(&needle[from..]),
                        Verdict::NameEnds => self.name(block, place).ends_with(needle),
                        Verdict::NameEquals(from) => *self.name(block, place) == needle[from..],
                    }
                });
            }
            (Rule::Regex(regex), field) => places.retain(|place| {
                let folder = || image.folders.path(block.folders[place]);
                let text = match field {
                    Field::Path => Cow::Owned(paths::joined(folder(), block.name(place))),
                    Field::Parent => Cow::Borrowed(folder()),
                    Field::Name | Field::Extension => Cow::Borrowed(block.name(place)),
                };
                regex.is_match(&readable(&text))
            }),
        }
    }

    fn name<'b>(&self, block: &'b Block, place: usize) -> &'b [u8] {
        if self.text.case_sensitive { block.name(place) } else { block.lower(place) }
    }

    /// The rows whose names contain the text, if it is faster to search them together.
    fn having(&self, block: &Block, places: &Bits) -> Option<Bits> {
        let names = self.names.as_ref().filter(|_| places.len() * FEW > block.len())?;
        Some(block.containing(names, self.text.case_sensitive))
    }
}

/// A text with replacements for bytes that are not Unicode. Valid text is detected several times as fast as it would be copied.
fn readable(text: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed)
}
