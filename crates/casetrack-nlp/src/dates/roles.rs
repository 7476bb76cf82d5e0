//! The role of a date by the text around it.

use crate::tokens::{Gap, Tokens};

pub const EFFECTIVE: &str = "effective date";
pub const AGREEMENT: &str = "agreement date";

word_lists! {
    /// Phrases before a date and the role that they give it. Of those that end at the same word, the first counts.
    CUES: phrases = "dates/roles.txt";
}

/// Maximum words between a cue and its date.
const REACH: usize = 14;

/// The role of the date from token `first` to before `end`: the name that the text defines for it, else the role that
/// the words before it give.
pub fn role(tokens: &Tokens, first: usize, end: usize) -> Option<String> {
    defined_role(tokens, end).or_else(|| before(tokens, first).map(str::to_owned)).or_else(|| signature(tokens, first))
}

fn quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '\'' | '‘' | '’' | '„' | '`')
}

/// `(the "Effective Date")` right after the date, possibly after some words.
fn defined_role(tokens: &Tokens, end: usize) -> Option<String> {
    let open = (end..end + 3).find(|at| tokens.symbol(*at) == '(')?;
    let mut words: Vec<&str> = Vec::new();
    for at in open + 1..open + 14 {
        if tokens.symbol(at) == ')' {
            break;
        }
        if quote(tokens.symbol(at)) {
            if words.last().is_some_and(|last| last.eq_ignore_ascii_case("date")) {
                break;
            }
            words.clear();
        } else if tokens.is_capitalized(at) {
            words.push(tokens.surface(at));
        } else if words.last().is_none_or(|last| !last.eq_ignore_ascii_case("date")) {
            words.clear();
        }
    }
    let named = words.len() > 1 && words.last()?.eq_ignore_ascii_case("date");
    named.then(|| words.join(" ").to_lowercase())
}

fn before(tokens: &Tokens, first: usize) -> Option<&'static str> {
    let mut label = false;
    for last in (first.saturating_sub(REACH)..first).rev() {
        let near = first - last <= 4;
        if tokens.gap(last + 1) == Gap::Paragraph {
            // a label above its date or on its left
            if last + 1 < first {
                return None;
            }
            label = true;
        }
        if last + 1 < first && tokens.starts_sentence(last + 1) && !near {
            return None;
        }
        let word = tokens.word(last);
        for (phrase, role) in CUES.iter() {
            let Some(begin) = (last + 1).checked_sub(phrase.len()) else { continue };
            if phrase.last() != Some(&word) || !tokens.has(begin, phrase) {
                continue;
            }
            if label && !phrase.contains(&"date") {
                return None;
            }
            if *role == AGREEMENT && of_another(tokens, begin) {
                return None;
            }
            return Some(role);
        }
        // another date, or a number that a cue further away may belong to
        if tokens.surface(last).len() == 4 && tokens.is_number(last) {
            return None;
        }
    }
    None
}

/// True if "dated" or "entered into" is about another document than this one: "the Credit Agreement dated".
fn of_another(tokens: &Tokens, cue: usize) -> bool {
    let from = cue.saturating_sub(10);
    let mut title = false;
    // "Payments were made on": the subject is a contract only if the sentence names one.
    let mut unnamed = cue > 0 && matches!(tokens.word(cue - 1), "was" | "were" | "been");
    for at in (from..cue).rev() {
        let word = tokens.word(at);
        if unnamed && (tokens.gap(at + 1) == Gap::Paragraph || tokens.starts_sentence(at + 1)) {
            return true;
        }
        match word {
            "this" | "hereof" => return false,
            // what defines a name of one word for the document at hand: (the "Agreement")
            "the" if title && tokens.symbol(at.wrapping_sub(1)) == '(' && quote(tokens.symbol(at + 3)) => return false,
            "certain" | "letter" | "invoice" | "notice" | "certificate" => return true,
            "agreement" | "lease" | "contract" | "amendment" | "note" | "deed" | "plan" | "order" | "indenture"
            | "addendum" => {
                title |= tokens.is_capitalized(at) && !tokens.is_upper(at);
                unnamed = false;
            }
            // the subject of the sentence is the document at hand
            "is" => return false,
            "the" | "a" | "an" if title => return true,
            _ if tokens.gap(at + 1) == Gap::Paragraph => return title && tokens.gap(at) != Gap::Paragraph,
            _ => {}
        }
    }
    title || unnamed
}

/// "Date:" under "By:", "Name:" or "Title:", as in signature blocks.
fn signature(tokens: &Tokens, first: usize) -> Option<String> {
    let label = first.checked_sub(2)?;
    if tokens.symbol(label + 1) != ':' || !matches!(tokens.word(label), "date" | "dated") {
        return None;
    }
    let signed = (first.saturating_sub(40)..label).any(|at| {
        matches!(tokens.word(at), "by" | "name" | "title" | "signature" | "signed") && tokens.symbol(at + 1) == ':'
    });
    signed.then(|| "signature date".to_owned())
}
