//! A reference in terms of tokens, and the parts of a law or document that a reference can name.

use std::collections::HashMap;
use std::sync::LazyLock;

use casetrack_core::{ReferenceKind, Relation};

use crate::numbers::roman;
use crate::tokens::{Gap, Tokens};
use crate::words::pairs;

/// A reference: tokens, half-open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenReference {
    pub first: usize,
    pub end: usize,
    pub kind: ReferenceKind,
    pub name: String,
    pub relation: Option<Relation>,
}

impl TokenReference {
    pub fn new(first: usize, end: usize, kind: ReferenceKind, name: String) -> TokenReference {
        TokenReference { first, end, kind, name, relation: None }
    }
}

/// "(b)", "(ii)", "(3)": one level in parentheses, and the token after it.
pub fn parenthesized(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    let inner = tokens.surface(at + 1);
    let short = tokens.is_number(at + 1) && inner.len() <= 3
        || tokens.is_word(at + 1)
            && inner.is_ascii()
            && (inner.len() == 1
                || inner.len() <= 6 && roman(inner).is_some()
                || inner.len() == 2 && inner.as_bytes()[0] == inner.as_bytes()[1]);
    (tokens.symbol(at) == '(' && short && tokens.symbol(at + 2) == ')' && tokens.glued(at + 1) && tokens.glued(at + 2))
        .then(|| (format!("({inner})"), at + 3))
}

fn levels(tokens: &Tokens, mut at: usize, name: &mut String) -> usize {
    while tokens.gap(at) <= Gap::Space
        && let Some((level, next)) = parenthesized(tokens, at)
    {
        name.push_str(&level);
        at = next;
    }
    at
}

/// A number of a section with its parts: "4.2(b)(ii)", "240.10b-5", "78j(b)", "409A", "1798.100".
pub fn number_label(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    if !tokens.is_number(at) || tokens.surface(at).len() > 6 {
        return None;
    }
    let mut name = tokens.surface(at).to_owned();
    let mut next = at + 1;
    for _ in 0..10 {
        let glued = tokens.glued(next);
        if glued && tokens.is_word(next) && tokens.surface(next).len() <= 3 && tokens.surface(next).is_ascii() {
            if matches!(tokens.word(next), "st" | "nd" | "rd" | "th") {
                return None;
            }
            name.push_str(tokens.surface(next));
            next += 1;
        } else if glued && tokens.is_number(next) {
            name.push_str(tokens.surface(next));
            next += 1;
        } else if glued
            && matches!(tokens.symbol(next), '.' | '-' | '–' | '‑')
            && tokens.glued(next + 1)
            && (tokens.is_number(next + 1) || tokens.is_word(next + 1) && tokens.surface(next + 1).len() == 1)
        {
            name.push(if tokens.symbol(next) == '.' { '.' } else { '-' });
            name.push_str(tokens.surface(next + 1));
            next += 2;
        } else {
            break;
        }
    }
    // the rest of a longer identifier or amount
    if tokens.glued(next)
        && (tokens.is_word(next)
            || matches!(tokens.symbol(next), '%' | '/')
            || tokens.symbol(next) == ','
                && tokens.glued(next + 1)
                && tokens.is_number(next + 1)
                && tokens.surface(next + 1).len() == 3)
    {
        return None;
    }
    let end = levels(tokens, next, &mut name);
    Some((name, end))
}

/// "A", "C-1", "IV", "B.2(a)": a label of letters.
pub fn letter_label(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    let surface = tokens.surface(at);
    let doubled = surface.len() == 2 && surface.as_bytes()[0] == surface.as_bytes()[1];
    let valid =
        tokens.is_upper(at) && surface.is_ascii() && (surface.len() == 1 || doubled || roman(surface).is_some());
    if !valid {
        return None;
    }
    let mut name = surface.to_owned();
    let mut next = at + 1;
    for _ in 0..4 {
        let part = tokens.is_number(next + 1) || tokens.is_upper(next + 1) && tokens.surface(next + 1).len() == 1;
        if tokens.glued(next) && tokens.is_number(next) && name.len() <= 2 {
            name.push_str(tokens.surface(next));
            next += 1;
        } else if tokens.glued(next)
            && matches!(tokens.symbol(next), '.' | '-' | '–' | '‑')
            && tokens.glued(next + 1)
            && part
        {
            name.push(if tokens.symbol(next) == '.' { '.' } else { '-' });
            name.push_str(tokens.surface(next + 1));
            next += 2;
        } else {
            break;
        }
    }
    if tokens.glued(next)
        && (tokens.is_word(next) || tokens.is_number(next) || matches!(tokens.symbol(next), '\'' | '’' | '&'))
    {
        return None;
    }
    let end = levels(tokens, next, &mut name);
    Some((name, end))
}

/// A word for a part, as `data/references/parts.txt` describes it.
pub struct PartWord {
    pub name: &'static str,
    uses: Vec<&'static str>,
}

impl PartWord {
    pub fn of(word: &str) -> Option<&'static PartWord> {
        PARTS.get(word)
    }

    pub fn has(&self, usage: &str) -> bool {
        self.uses.contains(&usage)
    }
}

static PARTS: LazyLock<HashMap<&str, PartWord>> = LazyLock::new(|| {
    let part = |(word, part): (_, &'static str)| {
        let (name, uses) = part.split_once('\t')?;
        Some((word, PartWord { name, uses: uses.split(' ').collect() }))
    };
    pairs(include_str!("../../data/references/parts.txt")).filter_map(part).collect()
});

/// "§", "§§", "Section", "Sec.", "s.", "Art.", possibly after a comma: the name of the part of a law, and the token after it.
pub fn part_word(tokens: &Tokens, at: usize) -> Option<(&'static str, usize)> {
    let at = at + usize::from(tokens.symbol(at) == ',');
    if tokens.symbol(at) == '§' {
        return Some(("Section", at + 1 + usize::from(tokens.symbol(at + 1) == '§')));
    }
    let part = PartWord::of(tokens.word(at)).filter(|part| part.has("law"))?;
    let point = part.has("point") && tokens.symbol(at + 1) == '.' && tokens.glued(at + 1);
    let number = tokens.is_number(at + 1);
    let valid = match tokens.word(at) {
        "s" | "ss" => point || number,
        "part" => number,
        _ => true,
    };
    valid.then_some((part.name, at + 1 + usize::from(point)))
}
