//! Court cases: "Brown v. Board of Education, 347 U.S. 483 (1954)", "In re Enron Corp.", "[2019] UKSC 5", "Case C-311/18".

use casetrack_core::ReferenceKind;

use super::labels::TokenReference;
use super::title::spaced;
use crate::tokens::{Gap, Tokens};

word_lists! {
    ABBREVIATIONS: set = "references/case-abbreviations.txt";
    /// Words in the names of parties that are written small.
    SMALL: set = "references/case-small-words.txt";
    /// Words before a case that are not part of its name.
    SIGNALS: set = "references/case-signals.txt";
    /// Reporters without white space and points, in lower case, and as they are cited (the Bluebook, 21st edition, table T1).
    REPORTERS: map = "references/reporters.txt";
}

fn name_part(tokens: &Tokens, at: usize) -> bool {
    let word = tokens.word(at);
    (tokens.is_capitalized(at) || SMALL.contains(word)) && !word.is_empty()
}

/// A point or comma that belongs to an abbreviation in a name: "Inc.", "Corp.", ", Inc".
fn abbreviation(tokens: &Tokens, at: usize) -> bool {
    let before = tokens.surface(at.wrapping_sub(1));
    match tokens.symbol(at) {
        '.' => {
            tokens.glued(at)
                && tokens.is_word(at.wrapping_sub(1))
                && (before.len() == 1 || ABBREVIATIONS.contains(tokens.word(at - 1)))
        }
        ',' => matches!(tokens.word(at + 1), "inc" | "llc" | "ltd" | "llp" | "lp" | "corp" | "co" | "plc"),
        '&' | '-' | '\'' | '’' => true,
        _ => false,
    }
}

/// A case whose "v." is at this token.
pub fn versus(tokens: &Tokens, at: usize) -> Option<TokenReference> {
    let dotted = tokens.symbol(at + 1) == '.' && tokens.glued(at + 1);
    if !matches!(tokens.surface(at), "v" | "vs" | "versus")
        || tokens.glued(at)
        || at == 0
        || tokens.glued(at + 1) && !dotted
    {
        return None;
    }
    let mut first = at;
    for before in (at.saturating_sub(12)..at).rev() {
        let keeps = if tokens.is_word(before) {
            name_part(tokens, before)
        } else {
            abbreviation(tokens, before) || closing(tokens, before)
        };
        if !keeps || tokens.gap(before + 1) == Gap::Paragraph {
            break;
        }
        // "signed. Hadley v.": a stop that ends a sentence
        first = before;
    }
    while first < at && (!tokens.is_capitalized(first) || SIGNALS.contains(tokens.word(first))) {
        first += 1;
    }
    let second = at + 1 + usize::from(dotted);
    let end = name_end(tokens, second)?;
    if first == at
        || !tokens.is_capitalized(second) && !tokens.is_capitalized(second + 1)
        || tokens.gap(second) > Gap::Line
    {
        return None;
    }
    let name = format!("{} v. {}", spaced(tokens, first, at), spaced(tokens, second, end));
    let found = with_citation(tokens, first, end, name);
    // "Group A vs. Group B": with these, only a citation makes a case
    (tokens.surface(at) == "v" || found.end > end).then_some(found)
}

/// "R (Miller)": a parenthesis in the name of a party.
fn closing(tokens: &Tokens, at: usize) -> bool {
    match tokens.symbol(at) {
        ')' => {
            tokens.symbol(at.wrapping_sub(2)) == '('
                && tokens.is_capitalized(at - 1)
                && tokens.word(at.wrapping_sub(3)) == "r"
        }
        '(' => tokens.word(at.wrapping_sub(1)) == "r" && tokens.symbol(at + 2) == ')',
        _ => false,
    }
}

/// The token after the name of a party that begins here.
fn name_end(tokens: &Tokens, at: usize) -> Option<usize> {
    let mut end = at;
    for next in at..at + 12 {
        if next > at && tokens.gap(next) > Gap::Line {
            break;
        }
        let abbreviated = abbreviation(tokens, next);
        if tokens.is_capitalized(next) || tokens.symbol(next) == '.' && abbreviated {
            end = next + 1;
        } else if !(abbreviated || SMALL.contains(tokens.word(next)) || tokens.glued(next) && tokens.word(next) == "s")
        {
            break;
        }
    }
    (end > at).then_some(end)
}

/// "In re Enron Corp.", "Ex parte Young", "In the Matter of Smith".
pub fn in_re(tokens: &Tokens, at: usize) -> Option<TokenReference> {
    let (lead, words) =
        [("In re", &["in", "re"][..]), ("Ex parte", &["ex", "parte"]), ("In re", &["in", "the", "matter", "of"])]
            .into_iter()
            .find(|(_, words)| tokens.has(at, words))?;
    let name = at + words.len();
    // "In re: your letter" is a subject, "the matter of payment" is not a case
    if !tokens.is_capitalized(at)
        || !tokens.is_capitalized(name)
        || tokens.glued(name)
        || tokens.gap(name) > Gap::Line
        || tokens.glued(at + 2) && words.len() == 2
        || words.len() == 4 && !tokens.is_capitalized(at + 2)
    {
        return None;
    }
    let end = name_end(tokens, name)?;
    Some(with_citation(tokens, at, end, format!("{lead} {}", spaced(tokens, name, end))))
}

/// A name with the citation that follows it, without pages and years.
fn with_citation(tokens: &Tokens, first: usize, end: usize, name: String) -> TokenReference {
    let next = end + usize::from(tokens.symbol(end) == ',');
    if let Some((citation, after)) = reporter(tokens, next).or_else(|| neutral(tokens, next)) {
        return TokenReference::new(
            first,
            year_in_parentheses(tokens, after),
            ReferenceKind::LegalCase,
            format!("{name}, {citation}"),
        );
    }
    TokenReference::new(first, end, ReferenceKind::LegalCase, name)
}

/// "(1954)", "(2d Cir. 1999)", after a page within the report: the token after it.
fn year_in_parentheses(tokens: &Tokens, at: usize) -> usize {
    let mut next = at;
    if tokens.symbol(next) == ',' && tokens.is_number(next + 1) {
        next += 2;
        if tokens.symbol(next) == '-' && tokens.is_number(next + 1) {
            next += 2;
        }
    }
    if tokens.symbol(next) != '(' {
        return at;
    }
    let close = (next + 1..next + 12).find(|close| tokens.symbol(*close) == ')');
    match close {
        Some(close) if tokens.is_number(close - 1) && tokens.surface(close - 1).len() == 4 => close + 1,
        _ => at,
    }
}

/// "347 U.S. 483": volume, reporter, page.
pub fn reporter(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    if !tokens.is_number(at)
        || tokens.surface(at).len() > 4
        || !tokens.is_capitalized(at + 1)
        || tokens.gap(at + 1) > Gap::Line
        || tokens.glued(at + 1)
    {
        return None;
    }
    if at > 0 && tokens.glued(at) && !matches!(tokens.symbol(at - 1), '(' | '“' | '"') {
        return None;
    }
    let mut points = 0;
    let mut squeezed = String::new();
    for next in at + 1..at + 10 {
        if !squeezed.is_empty()
            && tokens.is_number(next)
            && !tokens.glued(next)
            && tokens.surface(next).len() <= 8
            && !(tokens.glued(next + 1) && tokens.is_word(next + 1))
            && !(tokens.glued(next + 1) && tokens.symbol(next + 1) == '/')
            && (points > 0 || squeezed == "wl" || squeezed.len() > 2)
            && let Some(name) = REPORTERS.get(squeezed.as_str())
        {
            return Some((format!("{} {name} {}", tokens.surface(at), tokens.surface(next)), next + 1));
        }
        if tokens.gap(next) > Gap::Line
            || !(tokens.is_word(next) || tokens.is_number(next) || tokens.symbol(next) == '.')
            || squeezed.len() > 10
        {
            return None;
        }
        points += usize::from(tokens.symbol(next) == '.');
        if tokens.symbol(next) != '.' {
            squeezed.push_str(tokens.word(next));
        }
    }
    None
}

/// "[2019] UKSC 5", "[2020] EWCA Civ 123".
pub fn neutral(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    if tokens.symbol(at) != '['
        || tokens.surface(at + 1).len() != 4
        || !tokens.is_number(at + 1)
        || tokens.symbol(at + 2) != ']'
    {
        return None;
    }
    let court = tokens.surface(at + 3);
    if !tokens.is_upper(at + 3) || !(2..=8).contains(&court.len()) {
        return None;
    }
    let division = usize::from(tokens.is_capitalized(at + 4) && tokens.surface(at + 4).len() <= 6);
    let number = at + 4 + division;
    let name = if division == 1 { format!("{court} {}", tokens.surface(at + 4)) } else { court.to_owned() };
    tokens.number(number).map(|value| (format!("[{}] {name} {value}", tokens.surface(at + 1)), number + 1))
}

/// A citation without a name: of a reporter, neutral, of the Court of Justice, or an ECLI.
pub fn citation(tokens: &Tokens, at: usize) -> Option<TokenReference> {
    let found = |(name, end): (String, usize)| TokenReference::new(at, end, ReferenceKind::LegalCase, name);
    if tokens.is_number(at) {
        return reporter(tokens, at).map(|(name, end)| found((name, year_in_parentheses(tokens, end))));
    }
    if tokens.symbol(at) == '[' {
        return neutral(tokens, at).map(found);
    }
    if tokens.surface(at) == "ECLI" && tokens.symbol(at + 1) == ':' {
        let mut end = at + 1;
        while end < at + 12
            && tokens.glued(end)
            && (tokens.is_word(end)
                || tokens.is_number(end)
                || matches!(tokens.symbol(end), ':' | '.') && tokens.glued(end + 1))
        {
            end += 1;
        }
        return Some(found((tokens.slice(at, end).to_owned(), end)));
    }
    let (first, number) = match tokens.word(at) {
        "case" | "cases" => (at, at + 1),
        "c" | "t" if tokens.is_upper(at) && !tokens.glued(at) => (at, at),
        _ => return None,
    };
    let parts = tokens.symbol(number + 1);
    let valid = matches!(tokens.surface(number), "C" | "T")
        && matches!(parts, '-' | '‑' | '–')
        && tokens.glued(number + 1)
        && tokens.glued(number + 2)
        && tokens.symbol(number + 3) == '/'
        && tokens.surface(number + 4).len() == 2;
    let (case, year) = (tokens.number(number + 2).filter(|_| valid)?, tokens.surface(number + 4));
    tokens.is_number(number + 4).then(|| {
        TokenReference::new(
            first,
            number + 5,
            ReferenceKind::LegalCase,
            format!("Case {}-{case}/{year}", tokens.surface(number)),
        )
    })
}
