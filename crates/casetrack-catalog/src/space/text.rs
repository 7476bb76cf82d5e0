//! Conditions on the text of a path: five ways to match, and equality.

use std::borrow::Cow;

use casetrack_core::{Error, Result};
use regex::{Regex, RegexBuilder};

use super::ids::Bits;
use super::image::{Block, Folders, Image, Row};
use super::sums::length_before;
use crate::paths;
use crate::pattern::class;

/// Longest pattern, in bytes, and the memory that a compiled one may take.
const MAX_BYTES: usize = 4096;
const MAX_COMPILED: usize = 4 << 20;

/// Which text of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Path,
    Name,
    /// The path of the folder that it is in.
    Parent,
    /// In lower case, without a dot; empty where there is none.
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
    /// The whole text: `*` stands for any characters, also `/`, `?` for one, `[…]` for one of several.
    Glob,
}

/// A condition on a text. Its cost is linear in the text, whatever the pattern.
#[derive(Debug, Clone)]
pub struct Text {
    field: Field,
    case_sensitive: bool,
    rule: Rule,
}

#[derive(Debug, Clone)]
enum Rule {
    /// In lower case where case does not count.
    Literal(Match, Vec<u8>),
    Regex(Regex),
}

impl Text {
    /// Errors: a pattern that is too long or cannot be read. The message is what is wrong with it.
    pub fn new(field: Field, how: Match, pattern: &str, case_sensitive: bool) -> Result<Self> {
        if pattern.len() > MAX_BYTES {
            return Err(Error::invalid(format!("a pattern may have at most {MAX_BYTES} bytes")));
        }
        let compiled = |source: &str| {
            RegexBuilder::new(source).case_insensitive(!case_sensitive).size_limit(MAX_COMPILED).build().map_err(
                |error| {
                    let reason = error.to_string();
                    let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                    Error::invalid(format!("the pattern cannot be read: {reason}"))
                },
            )
        };
        let rule = match how {
            Match::Regex => Rule::Regex(compiled(pattern)?),
            Match::Glob => {
                let source = from_glob(pattern)
                    .ok_or_else(|| Error::invalid("the pattern cannot be read: a bracket is not closed"))?;
                Rule::Regex(compiled(&source)?)
            }
            literal if case_sensitive => Rule::Literal(literal, pattern.as_bytes().to_vec()),
            literal => Rule::Literal(literal, pattern.to_lowercase().into_bytes()),
        };
        Ok(Self { field, case_sensitive, rule })
    }

    /// Prepares the comparison with many entries: what follows from the folder alone is found once.
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
        let is_searched = *how == Match::Contains
            && matches!(self.field, Field::Path | Field::Name)
            && !needle.contains(&(std::path::MAIN_SEPARATOR as u8));
        let needle = std::str::from_utf8(needle).ok().filter(|needle| is_searched && !needle.is_empty());
        let names = needle.and_then(|needle| regex::bytes::Regex::new(&regex::escape(needle)).ok());
        TextJudge { text: self, verdicts, names }
    }

    /// Each folder is given with a separator at its end.
    fn of_folders(&self, folders: &Folders, verdict: impl Fn(&[u8]) -> Verdict) -> Vec<Verdict> {
        let places = 0..folders.paths.len();
        match self.case_sensitive {
            true => places.map(|place| verdict(&paths::joined(&folders.paths[place], b""))).collect(),
            false => places.map(|place| verdict(&folders.lower[place])).collect(),
        }
    }
}

/// What the folder of an entry says about it: yes, no, or what its name has to be, from a byte of the pattern on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Yes,
    No,
    NameContains,
    NameStarts(usize),
    NameEnds,
    NameEquals(usize),
}

/// Of a path that consists of a folder, which ends in a separator, and a name, which has none.
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
    match (std::str::from_utf8(text), std::str::from_utf8(needle)) {
        // This one is made for speed.
        (Ok(text), Ok(needle)) => text.contains(needle),
        _ => needle.is_empty() || text.windows(needle.len()).any(|window| window == needle),
    }
}

/// A condition that is ready for many entries of one image.
pub(super) struct TextJudge<'a> {
    text: &'a Text,
    /// By the places of folders, where these count.
    verdicts: Vec<Verdict>,
    /// Finds a text that names contain in those of a block at once, which is several times as fast as in one name after another.
    names: Option<regex::bytes::Regex>,
}

impl TextJudge<'_> {
    /// As for [`Judge`](super::queries::Judge).
    pub fn possible(&self, block: &Block) -> Option<Bits> {
        let names = self.names.as_ref()?;
        let place = |row: &Row| {
            let (start, end) = if self.text.case_sensitive { row.name } else { row.lower };
            (start as usize, end as usize)
        };
        let (mut rows, mut from, mut before) = (Bits::default(), 0, 0);
        while from < block.names.len()
            && let Some(found) = names.find_at(&block.names, from)
        {
            // One that begins in a name and ends in another is none; the next may begin before it ends.
            before += length_before(&block.rows[before..], |row| place(row).0 <= found.start());
            let row = before.checked_sub(1).and_then(|before| block.rows.get(before));
            from = match row.filter(|row| found.end() <= place(row).1) {
                Some(row) => {
                    rows.insert(row.id);
                    place(row).1
                }
                None => found.start() + 1,
            };
        }
        if !self.verdicts.is_empty() {
            for row in &block.rows {
                if self.verdicts.get(row.folder as usize) == Some(&Verdict::Yes) {
                    rows.insert(row.id);
                }
            }
        }
        Some(rows)
    }

    pub fn admits(&self, image: &Image, block: &Block, row: &Row) -> bool {
        let name = if self.text.case_sensitive { block.name(row) } else { block.lower(row) };
        match (&self.text.rule, self.text.field) {
            (Rule::Literal(how, needle), Field::Name) => meets(name, *how, needle),
            (Rule::Literal(how, needle), Field::Extension) => {
                // Most names are told apart by their ends.
                let may_be = *how != Match::Equals || name.len() > needle.len() && block.lower(row).ends_with(needle);
                (may_be || needle.is_empty()) && meets(extension(block.lower(row)), *how, needle)
            }
            (Rule::Literal(_, needle), Field::Path | Field::Parent) => {
                match self.verdicts.get(row.folder as usize).copied().unwrap_or(Verdict::No) {
                    Verdict::Yes => true,
                    Verdict::No => false,
                    Verdict::NameContains => contains(name, needle),
                    Verdict::NameStarts(from) => name.starts_with(&needle[from..]),
                    Verdict::NameEnds => name.ends_with(needle),
                    Verdict::NameEquals(from) => *name == needle[from..],
                }
            }
            (Rule::Regex(regex), field) => {
                let text = match field {
                    Field::Path => Cow::Owned(paths::joined(image.folders.path(row.folder), block.name(row))),
                    Field::Name => Cow::Borrowed(block.name(row)),
                    Field::Parent => Cow::Borrowed(image.folders.path(row.folder)),
                    Field::Extension => Cow::Borrowed(extension(block.lower(row))),
                };
                regex.is_match(&String::from_utf8_lossy(&text))
            }
        }
    }
}

/// What follows the last dot of a name in lower case. A name that begins with its only dot has none.
fn extension(lower: &[u8]) -> &[u8] {
    match lower.iter().rposition(|byte| *byte == b'.') {
        Some(dot) if dot > 0 => &lower[dot + 1..],
        _ => &[],
    }
}

/// The regular expression of a glob; `None` where a bracket is not closed.
fn from_glob(glob: &str) -> Option<String> {
    let mut regex = String::from("(?s)^");
    let mut rest = glob;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '*' => regex.push_str(".*"),
            '?' => regex.push('.'),
            '[' => {
                let (class, behind) = class(rest, "")?;
                regex.push_str(&class);
                rest = behind;
            }
            literal => regex.push_str(&regex::escape(&literal.to_string())),
        }
    }
    regex.push('$');
    Some(regex)
}
