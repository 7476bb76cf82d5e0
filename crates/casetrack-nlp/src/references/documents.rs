//! Documents and reports by their title, and files by their name.

use casetrack_core::ReferenceKind;

use super::labels::{TokenReference, letter_label, number_label};
use super::standards::version;
use super::title;
use crate::dates::{self, DateOrder};
use crate::numbers::ordinal;
use crate::tokens::{Gap, Tokens};

fn head(word: &str) -> bool {
    HEADS.contains(word)
}

word_lists! {
    /// Words that do not identify a document when nothing else precedes the head.
    GENERIC: set = "references/generic.txt";
    /// Words that end the title of a document.
    HEADS: set = "references/document-heads.txt";
    /// Titles whose head is not their last word.
    FIXED: phrases = "references/fixed-titles.txt";
    /// Extensions of files that people refer to by name.
    EXTENSIONS: set = "references/extensions.txt";
    FORM_PERIODS: set = "references/form-periods.txt";
}

/// The title that begins at a token, with the reference that it makes, if any, and the token after it.
pub struct Title {
    pub found: Option<TokenReference>,
    pub end: usize,
}

/// A document or report whose title begins here.
pub fn document_at(tokens: &Tokens, at: usize, order: DateOrder) -> Option<Title> {
    if tokens.glued(at) && at > 0 && matches!(tokens.symbol(at - 1), '-' | '\'' | '’' | '_') {
        return None;
    }
    let numbered = amendment(tokens, at, order).or_else(|| form(tokens, at, order)).or_else(|| quarterly(tokens, at));
    if let Some(found) = numbered {
        return Some(Title { end: found.end, found: Some(found) });
    }
    let fixed = FIXED.iter().map(|(words, _)| words).find(|words| {
        tokens.has(at, words) && tokens.is_capitalized(at + words.len() - 1) && tokens.is_capitalized(at)
    });
    let (first, end) = match fixed {
        Some(words) => (at, at + words.len()),
        None => title::title_at(tokens, at, head)?,
    };
    let before = first.wrapping_sub(1);
    let own = matches!(tokens.word(before), "this" | "these");
    // only in capitals, a paragraph of its own, or after the number of a section: a heading, no reference
    let number = if tokens.symbol(before) == '.' { before.wrapping_sub(1) } else { before };
    let section = tokens.is_number(number)
        && (number != before || tokens.symbol(number.wrapping_sub(1)) == '.' && tokens.glued(number))
        && tokens.surface(number).len() <= 2;
    // dots that lead to the number of a page, in a table of contents
    let leads = tokens.symbol(end) == '.' && tokens.symbol(end + 1) == '.';
    let heading =
        tokens.is_upper(end - 1) || section || leads || tokens.gap(first) >= Gap::Line && tokens.gap(end) >= Gap::Line;
    if own || heading {
        return Some(Title { found: None, end });
    }
    if tokens.word(end - 1) == "report" {
        let found = report(tokens, first, end);
        return Some(Title { end: found.as_ref().map_or(end, |found| found.end), found });
    }
    let name = title::spaced(tokens, first, end);
    let specific = (first..end - 1)
        .filter(|word| {
            tokens.surface(*word).len() > 1 && !GENERIC.contains(tokens.word(*word)) && tokens.is_word(*word)
        })
        .count();
    let (suffix, after) = suffix(tokens, end, order);
    let generic = specific == 0 && fixed.is_none() || fixed.is_some_and(|words| words[0] == "statement");
    if generic && suffix.is_empty() || fixed.is_none() && tokens.word(end.wrapping_sub(2)) == "of" {
        return None;
    }
    Some(Title {
        found: Some(TokenReference::new(first, after, ReferenceKind::Document, format!("{name}{suffix}"))),
        end: after,
    })
}

/// " No. 3", " v2.1", " (2019-03-01)": the suffix that distinguishes documents with the same title, and the token after it.
fn suffix(tokens: &Tokens, at: usize, order: DateOrder) -> (String, usize) {
    let (mut name, mut end) = (String::new(), at);
    if tokens.word(end) == "no" && tokens.symbol(end + 1) == '.' || tokens.symbol(end) == '#' {
        let number = end + if tokens.symbol(end) == '#' { 1 } else { 2 };
        if let Some((label, after)) = number_label(tokens, number).or_else(|| letter_label(tokens, number)) {
            name = format!(" No. {label}");
            end = after;
        }
    }
    if let Some((number, after)) = version(tokens, end).filter(|_| tokens.gap(end) <= Gap::Line) {
        let close = usize::from(tokens.symbol(end) == '(' && tokens.symbol(after) == ')');
        return (format!("{name} v{number}"), after + close);
    }
    if let Some((day, after)) = date_suffix(tokens, end, order) {
        return (format!("{name} ({day})"), after);
    }
    (name, end)
}

/// "dated as of March 1, 2019", ", dated 4 May 2020", "of 4 May 2020": the day in ISO 8601, and the token after it.
fn date_suffix(tokens: &Tokens, at: usize, order: DateOrder) -> Option<(String, usize)> {
    let mut next = at + usize::from(matches!(tokens.symbol(at), ',' | '('));
    if tokens.gap(next) == Gap::Paragraph {
        return None;
    }
    let cue = match tokens.word(next) {
        "dated" => 1,
        "entered" if tokens.word(next + 1) == "into" => 2,
        "made" => 1,
        "of" if tokens.is_number(next + 1) || tokens.is_capitalized(next + 1) => 1,
        _ => return None,
    };
    next += cue;
    for optional in ["effective", "as", "of", "on", "the"] {
        next += usize::from(tokens.word(next) == optional);
    }
    let (day, end) = dates::day(tokens, next, order)?;
    let close = usize::from(tokens.symbol(at) == '(' && tokens.symbol(end) == ')');
    Some((day, end + close))
}

/// "Amendment No. 2 to the Supply Agreement", "Second Amendment to Supply Agreement": one name for both.
fn amendment(tokens: &Tokens, at: usize, order: DateOrder) -> Option<TokenReference> {
    let (number, kind, next) = match tokens.word(at) {
        word @ ("amendment" | "addendum" | "supplement") => {
            let number = at
                + 1
                + usize::from(
                    tokens.word(at + 1) == "no" || tokens.word(at + 1) == "number" || tokens.symbol(at + 1) == '#',
                );
            let number = number + usize::from(tokens.symbol(number) == '.');
            (tokens.number(number)?, word, number + 1)
        }
        _ => {
            let (number, next) = ordinal(tokens, at)?;
            match tokens.word(next) {
                word @ ("amendment" | "addendum" | "supplement") => (number, word, next + 1),
                _ => return None,
            }
        }
    };
    let kind = match kind {
        "amendment" => "Amendment",
        "addendum" => "Addendum",
        _ => "Supplement",
    };
    let own = tokens.word(at.wrapping_sub(1)) == "this";
    if own
        || tokens.is_upper(next - 1)
        || !tokens.is_capitalized(at)
        || tokens.gap(next) == Gap::Paragraph && tokens.gap(at) == Gap::Paragraph
    {
        return None;
    }
    let name = format!("{kind} No. {number}");
    if tokens.word(next) == "to" {
        let title = next + 1 + usize::from(matches!(tokens.word(next + 1), "the" | "that"));
        if let Some((first, end)) = title::title_at(tokens, title, head) {
            let (suffix, after) = suffix(tokens, end, order);
            let name = format!("{name} to the {}{suffix}", title::spaced(tokens, first, end));
            return Some(TokenReference::new(at, after, ReferenceKind::Document, name));
        }
    }
    Some(TokenReference::new(at, next, ReferenceKind::Document, name))
}

/// "Annual Report 2022", "2022 Annual Report", "Industry Benchmark Report".
fn report(tokens: &Tokens, first: usize, end: usize) -> Option<TokenReference> {
    let year =
        |at: usize| tokens.number(at).filter(|year| (1900..2100).contains(year) && tokens.surface(at).len() == 4);
    let name = title::spaced(tokens, first, end);
    let words = (first..end - 1).filter(|word| tokens.is_word(*word)).count();
    if words == 0 || tokens.word(end) == "to" && tokens.is_capitalized(end + 1) {
        return None;
    }
    if let Some(found) = on_form(tokens, first, end) {
        return Some(found);
    }
    let before = first
        .checked_sub(1)
        .filter(|before| tokens.gap(first) <= Gap::Line && !tokens.glued(*before) && year(*before).is_some());
    let named = |year: u32| format!("{name} {year}");
    if let Some(before) = before {
        return Some(TokenReference::new(before, end, ReferenceKind::Report, named(year(before)?)));
    }
    let after = end + usize::from(matches!(tokens.word(end), "for" | "of"));
    if let Some(year) = year(after).filter(|_| tokens.gap(after) <= Gap::Line) {
        return Some(TokenReference::new(first, after + 1, ReferenceKind::Report, named(year)));
    }
    let generic = (first..end - 1).all(|word| GENERIC.contains(tokens.word(word)) && tokens.word(word) != "annual");
    (!generic).then(|| TokenReference::new(first, end, ReferenceKind::Report, name))
}

/// "Annual Report on Form 10-K": named by the form.
fn on_form(tokens: &Tokens, first: usize, end: usize) -> Option<TokenReference> {
    if tokens.word(end) != "on" || tokens.word(end + 1) != "form" {
        return None;
    }
    form(tokens, end + 1, DateOrder::MonthFirst).map(|mut found| {
        found.first = first;
        found
    })
}

/// Forms of the Securities and Exchange Commission: "Form 10-K for the fiscal year ended December 31, 2022".
fn form(tokens: &Tokens, at: usize, order: DateOrder) -> Option<TokenReference> {
    if !matches!(tokens.word(at), "form" | "forms") || tokens.gap(at + 1) > Gap::Line {
        return None;
    }
    let hyphen = matches!(tokens.symbol(at + 2), '-' | '‑' | '–');
    let (left, right) = (tokens.surface(at + 1), tokens.surface(at + 3));
    let known = hyphen
        && matches!(
            (left, right),
            ("10", "K" | "Q" | "D") | ("8" | "6", "K") | ("20" | "40", "F") | ("S" | "F", "1" | "3" | "4" | "8")
        );
    if !known {
        return None;
    }
    let mut name = format!("Form {left}-{right}");
    let mut end = at + 4;
    if tokens.symbol(end) == '/' && tokens.surface(end + 1) == "A" {
        name.push_str("/A");
        end += 2;
    }
    // "for the fiscal year ended", "for the quarterly period ended", "dated"
    let next = end + (end..end + 6).take_while(|next| FORM_PERIODS.contains(tokens.word(*next))).count();
    if next > end
        && let Some((day, after)) = dates::day(tokens, next, order)
    {
        return Some(TokenReference::new(at, after, ReferenceKind::Report, format!("{name} ({day})")));
    }
    let year = tokens.number(next).filter(|year| next > end + 1 && (1990..2100).contains(year));
    match year {
        Some(year) => Some(TokenReference::new(at, next + 1, ReferenceKind::Report, format!("{name} ({year})"))),
        None => Some(TokenReference::new(at, end, ReferenceKind::Report, name)),
    }
}

/// "Q3 Report", "Q3 2023 Report", "Q3 Earnings Report".
fn quarterly(tokens: &Tokens, at: usize) -> Option<TokenReference> {
    if tokens.surface(at) != "Q" || !tokens.glued(at + 1) || !matches!(tokens.number(at + 1), Some(1..=4)) {
        return None;
    }
    let mut next = at + 2;
    let year = tokens.number(next).filter(|year| (1900..2100).contains(year));
    next += usize::from(year.is_some());
    let (first, end) = title::title_at(tokens, next, |word| word == "report").filter(|(first, _)| *first == next)?;
    let mut name = format!("Q{} {}", tokens.surface(at + 1), title::spaced(tokens, first, end));
    let mut after = end;
    if let Some(year) = year.or_else(|| tokens.number(end).filter(|year| (1900..2100).contains(year))) {
        after = end + usize::from(tokens.number(end) == Some(year));
        name = format!("{name} {year}");
    }
    Some(TokenReference::new(at, after, ReferenceKind::Report, name))
}

/// A file whose extension is the word at this token: "Budget_2023.xlsx".
pub fn file(tokens: &Tokens, at: usize) -> Option<TokenReference> {
    if at < 2
        || tokens.symbol(at - 1) != '.'
        || !tokens.glued(at)
        || !tokens.glued(at - 1)
        || !EXTENSIONS.contains(tokens.word(at))
    {
        return None;
    }
    let longer = tokens.glued(at + 1)
        && (tokens.is_word(at + 1)
            || tokens.is_number(at + 1)
            || matches!(tokens.symbol(at + 1), '/' | '_' | '@' | '(' | '=')
            || matches!(tokens.symbol(at + 1), '.' | '-') && tokens.glued(at + 2));
    let mut first = at - 1;
    for before in (at.saturating_sub(24)..at - 1).rev() {
        if !(tokens.is_word(before)
            || tokens.is_number(before)
            || matches!(tokens.symbol(before), '_' | '-' | '.' | '+' | '~'))
        {
            break;
        }
        first = before;
        if !tokens.glued(before) {
            break;
        }
    }
    let path = matches!(tokens.symbol(first.wrapping_sub(1)), '/' | '\\' | '@' | '=' | '%') && tokens.glued(first);
    (first < at - 1 && !longer && !path)
        .then(|| TokenReference::new(first, at + 1, ReferenceKind::Document, tokens.slice(first, at + 1).to_owned()))
}
