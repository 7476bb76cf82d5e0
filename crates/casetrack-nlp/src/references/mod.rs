//! References: to parts of the same document, other documents, standards, laws, reports, cases and web pages.
//!
//! | file | kind |
//! |---|---|
//! | internal | sections, exhibits, tables of the same document |
//! | documents | documents and reports by title, files by name |
//! | standards | ISO, IEEE, RFC, NIST, IFRS, … |
//! | regulations | statutes, codes, regulations, directives |
//! | cases | court cases by name or citation |
//! | links | web addresses |
//! | relation | amends, supersedes, responds to, attaches |
//! | resolve | which heading or document a reference means |
//!
//! Names are normalised so that every way to write a reference gives the same name. Cost: linear.

mod cases;
mod documents;
mod internal;
mod labels;
mod links;
mod regulations;
mod relation;
pub mod resolve;
mod standards;
mod title;

use casetrack_core::{Reference, ReferenceKind};

use self::labels::TokenReference;
use crate::dates::DateOrder;
use crate::tokens::{Kind, Tokens};

/// The references of a page, in text order. They do not overlap.
pub fn find(tokens: &Tokens, order: DateOrder) -> Vec<Reference> {
    let mut all: Vec<TokenReference> = Vec::new();
    let links = links::find(tokens.text());
    let mut link = links.iter().peekable();
    let mut at = 0;
    while at < tokens.len() {
        let (start, _) = tokens.bytes(at);
        if let Some((first, end, name)) = link.peek()
            && start >= *first
        {
            let after = tokens.at_byte(*end).max(at + 1);
            all.push(TokenReference::new(at, after, ReferenceKind::Hyperlink, name.clone()));
            at = after;
            link.next();
            continue;
        }
        let (found, next) = at_token(tokens, at, order);
        for one in found {
            // a case is known by its middle, a report by what follows its year: both may reach back
            while all.last().is_some_and(|last| last.end > one.first && last.kind != ReferenceKind::Hyperlink) {
                all.pop();
            }
            if all.last().is_none_or(|last| last.end <= one.first) {
                all.push(one);
            }
        }
        at = next.max(at + 1);
    }
    for at in 0..all.len() {
        let found = &all[at];
        if !matches!(found.kind, ReferenceKind::Document | ReferenceKind::Report) {
            continue;
        }
        let stated = relation::relation(tokens, found.first, found.end);
        let listed = at.checked_sub(1).and_then(|before| all.get(before)).filter(|before| {
            before.kind != ReferenceKind::Internal && relation::is_listed(tokens, before.end, found.first)
        });
        all[at].relation = stated.or_else(|| listed.and_then(|before| before.relation));
    }
    all.into_iter().map(|found| reference(tokens, found)).collect()
}

pub(crate) use links::find as web_addresses;

/// The reference that begins at a token and is written alike in every language: a standard, a file by its name, an
/// ECLI, a case of the Court of Justice. Tokens, half-open, its kind and its name.
pub(crate) fn in_any_language(tokens: &Tokens, at: usize) -> Option<(usize, usize, ReferenceKind, String)> {
    let capital = || tokens.is_capitalized(at).then(|| cases::citation(tokens, at)).flatten();
    let found = documents::file(tokens, at)
        .or_else(capital)
        .or_else(|| tokens.is_capitalized(at).then(|| standards::standard(tokens, at)).flatten())?;
    Some((found.first, found.end, found.kind, found.name))
}

fn reference(tokens: &Tokens, found: TokenReference) -> Reference {
    let (char_start, char_end) = tokens.span(found.first, found.end);
    Reference { kind: found.kind, char_start, char_end, name: found.name, relation: found.relation }
}

/// The references that begin at, or are known by, this token, and where to continue.
fn at_token(tokens: &Tokens, at: usize, order: DateOrder) -> (Vec<TokenReference>, usize) {
    let one = |found: TokenReference| {
        let end = found.end;
        (vec![found], end)
    };
    match tokens.kind(at) {
        Some(Kind::Number) => cases::citation(tokens, at)
            .or_else(|| regulations::regulation(tokens, at))
            .map_or((Vec::new(), at + 1), one),
        Some(Kind::Symbol) => match tokens.symbol(at) {
            '[' => cases::citation(tokens, at).map_or((Vec::new(), at + 1), one),
            '§' => internal::parts(tokens, at, order).unwrap_or((Vec::new(), at + 1)),
            _ => (Vec::new(), at + 1),
        },
        Some(Kind::Word) => {
            if let Some(found) = cases::versus(tokens, at).or_else(|| documents::file(tokens, at)) {
                return one(found);
            }
            if !tokens.is_capitalized(at) {
                return match tokens.word(at).as_bytes().first() {
                    Some(b's' | b'a' | b'c' | b'p' | b't' | b'f') => {
                        internal::parts(tokens, at, order).unwrap_or((Vec::new(), at + 1))
                    }
                    _ => (Vec::new(), at + 1),
                };
            }
            let found = cases::in_re(tokens, at)
                .or_else(|| cases::citation(tokens, at))
                .or_else(|| regulations::regulation(tokens, at))
                .or_else(|| standards::standard(tokens, at));
            if let Some(found) = found {
                return one(found);
            }
            if let Some(parts) = internal::parts(tokens, at, order) {
                return parts;
            }
            documents::document_at(tokens, at, order)
                .map_or((Vec::new(), at + 1), |title| (title.found.into_iter().collect(), title.end))
        }
        None => (Vec::new(), at + 1),
    }
}
