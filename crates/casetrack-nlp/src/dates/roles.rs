//! The role of a date by the text around it.

use crate::tokens::{Gap, Tokens};

pub const EFFECTIVE: &str = "effective date";
pub const AGREEMENT: &str = "agreement date";

/// Phrases before a date, in lower case, and the standard name of the role they give. The nearest to the date decides; of those
/// that end at the same word, the first here.
const CUES: &[(&[&str], &str)] = &[
    (&["effective", "date"], EFFECTIVE),
    (&["effective", "as", "of"], EFFECTIVE),
    (&["effective", "on"], EFFECTIVE),
    (&["effective", "from"], EFFECTIVE),
    (&["effective"], EFFECTIVE),
    (&["effect", "from"], EFFECTIVE),
    (&["effect", "as", "of"], EFFECTIVE),
    (&["effect", "on"], EFFECTIVE),
    (&["commencement", "date"], "commencement date"),
    (&["start", "date"], "commencement date"),
    (&["commence", "on"], "commencement date"),
    (&["commences", "on"], "commencement date"),
    (&["commencing"], "commencement date"),
    (&["commencing", "on"], "commencement date"),
    (&["beginning", "on"], "commencement date"),
    (&["begins", "on"], "commencement date"),
    (&["begin", "on"], "commencement date"),
    (&["agreement", "date"], AGREEMENT),
    (&["date", "of", "agreement"], AGREEMENT),
    (&["date", "of", "this", "agreement"], AGREEMENT),
    (&["entered", "into"], AGREEMENT),
    (&["entered"], AGREEMENT),
    (&["made", "as", "of"], AGREEMENT),
    (&["made", "this"], AGREEMENT),
    (&["made", "on"], AGREEMENT),
    (&["made", "and", "executed"], AGREEMENT),
    (&["is", "made"], AGREEMENT),
    (&["made", "and", "entered", "into"], AGREEMENT),
    (&["executed", "as", "of"], AGREEMENT),
    (&["executed", "this"], AGREEMENT),
    (&["executed", "on"], "signature date"),
    (&["dated"], AGREEMENT),
    (&["termination", "date"], "termination date"),
    (&["terminate", "on"], "termination date"),
    (&["terminates", "on"], "termination date"),
    (&["terminated", "on"], "termination date"),
    (&["terminated", "effective"], "termination date"),
    (&["expiration", "date"], "expiration date"),
    (&["expiry", "date"], "expiration date"),
    (&["expire", "on"], "expiration date"),
    (&["effective", "until"], "expiration date"),
    (&["effective", "through"], "expiration date"),
    (&["expires", "on"], "expiration date"),
    (&["expires"], "expiration date"),
    (&["expiring", "on"], "expiration date"),
    (&["expired", "on"], "expiration date"),
    (&["expire"], "expiration date"),
    (&["ending", "on"], "end date"),
    (&["ends", "on"], "end date"),
    (&["end", "date"], "end date"),
    (&["maturity", "date"], "maturity date"),
    (&["matures", "on"], "maturity date"),
    (&["payment", "date"], "payment date"),
    (&["paid", "on"], "payment date"),
    (&["payable", "on"], "payment date"),
    (&["paid", "by"], "due date"),
    (&["payable", "by"], "due date"),
    (&["due", "date"], "due date"),
    (&["due", "on"], "due date"),
    (&["due", "by"], "due date"),
    (&["due"], "due date"),
    (&["deadline"], "due date"),
    (&["no", "later", "than"], "due date"),
    (&["not", "later", "than"], "due date"),
    (&["on", "or", "before"], "due date"),
    (&["invoice", "date"], "invoice date"),
    (&["invoice", "dated"], "invoice date"),
    (&["hearing", "date"], "hearing date"),
    (&["hearing", "on"], "hearing date"),
    (&["hearing", "is", "set", "for"], "hearing date"),
    (&["hearing", "scheduled", "for"], "hearing date"),
    (&["hearing"], "hearing date"),
    (&["heard", "on"], "hearing date"),
    (&["trial", "date"], "trial date"),
    (&["filing", "date"], "filing date"),
    (&["date", "filed"], "filing date"),
    (&["filed", "on"], "filing date"),
    (&["filed"], "filing date"),
    (&["signature", "date"], "signature date"),
    (&["date", "signed"], "signature date"),
    (&["date", "of", "signature"], "signature date"),
    (&["signed", "on"], "signature date"),
    (&["signed", "this"], "signature date"),
    (&["signed"], "signature date"),
    (&["set", "their", "hands"], "signature date"),
    (&["set", "his", "hand"], "signature date"),
    (&["birth", "date"], "birth date"),
    (&["date", "of", "birth"], "birth date"),
    (&["dob"], "birth date"),
    (&["born", "on"], "birth date"),
    (&["born"], "birth date"),
    (&["closing", "date"], "closing date"),
    (&["closing", "on"], "closing date"),
    (&["close", "on"], "closing date"),
    (&["delivery", "date"], "delivery date"),
    (&["delivered", "on"], "delivery date"),
    (&["delivered", "by"], "delivery date"),
    (&["deliver", "by"], "delivery date"),
    (&["ship", "date"], "delivery date"),
    (&["renewal", "date"], "renewal date"),
    (&["renew", "on"], "renewal date"),
    (&["renews", "on"], "renewal date"),
    (&["renewed", "on"], "renewal date"),
    (&["meeting", "date"], "meeting date"),
    (&["date", "of", "meeting"], "meeting date"),
    (&["meeting", "on"], "meeting date"),
    (&["meeting", "held", "on"], "meeting date"),
    (&["meeting", "of"], "meeting date"),
    (&["met", "on"], "meeting date"),
    (&["publication", "date"], "publication date"),
    (&["published", "on"], "publication date"),
    (&["published"], "publication date"),
    (&["last", "updated"], "revision date"),
    (&["last", "revised"], "revision date"),
    (&["issue", "date"], "issue date"),
    (&["issued", "on"], "issue date"),
    (&["as", "amended", "on"], "amendment date"),
    (&["fiscal", "year", "ended"], "period end"),
    (&["year", "ended"], "period end"),
    (&["year", "ending"], "period end"),
    (&["quarter", "ended"], "period end"),
    (&["months", "ended"], "period end"),
];

/// Words between a cue and its date, at most.
const REACH: usize = 14;

/// The role of the date that stands from token `first` to before `end`: the name that the text defines for it, else what the
/// words before it say.
pub fn role(tokens: &Tokens, first: usize, end: usize) -> Option<String> {
    defined(tokens, end).or_else(|| before(tokens, first).map(str::to_owned)).or_else(|| signature(tokens, first))
}

fn quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '\'' | '‘' | '’' | '„' | '`')
}

/// `(the "Effective Date")` right after the date, possibly after some words.
fn defined(tokens: &Tokens, end: usize) -> Option<String> {
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
            // a label over or beside its date
            if last + 1 < first {
                return None;
            }
            label = true;
        }
        if last + 1 < first && tokens.starts_sentence(last + 1) && !near {
            return None;
        }
        let word = tokens.word(last);
        for (phrase, role) in CUES {
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

/// Whether "dated" or "entered into" says something about another document than this one: "the Credit Agreement dated".
fn of_another(tokens: &Tokens, cue: usize) -> bool {
    let from = cue.saturating_sub(10);
    let mut title = false;
    for at in (from..cue).rev() {
        let word = tokens.word(at);
        match word {
            "this" | "hereof" => return false,
            // what defines a name of one word for the document at hand: (the "Agreement")
            "the" if title && tokens.symbol(at.wrapping_sub(1)) == '(' && quote(tokens.symbol(at + 3)) => return false,
            "certain" | "letter" | "invoice" | "notice" | "certificate" => return true,
            "agreement" | "lease" | "contract" | "amendment" | "note" | "deed" | "plan" | "order" | "indenture"
            | "addendum" => {
                title |= tokens.is_capitalized(at) && !tokens.is_upper(at);
            }
            // the subject of the sentence is the document at hand
            "is" => return false,
            "the" | "a" | "an" if title => return true,
            _ if tokens.gap(at + 1) == Gap::Paragraph => return title && tokens.gap(at) != Gap::Paragraph,
            _ => {}
        }
    }
    title
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
