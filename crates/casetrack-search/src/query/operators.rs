//! AND, OR, NOT, parentheses, wildcards and proximity in queries, as document reviewers write them.
//!
//! | written | meaning |
//! |---|---|
//! | `rent AND deposit` | both in one passage; two groups, phrases or signed words side by side likewise |
//! | `rent OR lease` | one of them |
//! | `rent AND NOT garage`, `rent NOT garage` | the first without the second |
//! | `(rent OR lease) AND deposit` | parentheses group; without them AND binds before OR, and NOT before AND |
//! | `late payment` | next to operators: these words one after the other |
//! | `terminat*`, `wom*n` | words that begin so, or that have anything in the place of the `*`; letter for letter, so without regard to endings |
//! | `terminat* w/10 convenience` | both, at most ten words apart, in any order; between words, phrases and groups with OR |
//! | `vendor NEAR/5 contract` | both, with at most five words between them, as full-text indexes of databases write it |
//!
//! Operators are written in capitals, `w/10` in any case. Prose stays text: lower-case "and", "or" and "not", "and/or", "w/o", a query all in
//! capitals, and one with more than [`MAX_RUN`] words side by side without quotes.

use casetrack_core::{Error, Result};
use casetrack_store::{Expression, Words};

use super::parts::{Part, part, quoted};

/// Most words side by side, without quotes, in a query with operators.
const MAX_RUN: usize = 5;
pub const MAX_DISTANCE: u32 = 1000;
const MAX_DEPTH: usize = 50;
/// Fewest letters and digits before a wildcard.
const MIN_PREFIX: usize = 2;
/// Fewest digits before a wildcard, if there are no letters.
const MIN_DIGITS: usize = 3;

#[derive(Debug, Default)]
pub(super) struct Parsed<'q> {
    /// `None` if there are only conditions.
    pub expression: Option<Expression>,
    /// Fields and words with signs, which hold for the whole query.
    pub conditions: Vec<Part<'q>>,
    pub notices: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token<'q> {
    And,
    Or,
    Not,
    Near(u32),
    Open,
    Close,
    Phrase(&'q str),
    Word(&'q str),
    Condition,
}

/// A token with its place in the query, in bytes.
#[derive(Debug, Clone, Copy)]
struct Placed<'q> {
    token: Token<'q>,
    at: usize,
    text: &'q str,
}

/// The expression of a query that uses operators; `None` for any other, with a notice if it looks like one.
///
/// Errors: an operator without an operand, unbalanced parentheses and other faults, with their places.
pub(super) fn in_query<'q>(query: &'q str, notices: &mut Vec<String>) -> Result<Option<Parsed<'q>>> {
    let (tokens, parsed) = tokens(query);
    let operators = |token: &&Placed<'_>| matches!(token.token, Token::And | Token::Or | Token::Not | Token::Near(_));
    let has_wildcard = |token: &&Placed<'_>| match token.token {
        Token::Word(word) => is_wildcard(word),
        Token::Phrase(phrase) => phrase.split_whitespace().any(is_wildcard),
        _ => false,
    };
    let Some(first) = tokens.iter().find(|token| operators(token) || has_wildcard(token)) else { return Ok(None) };
    let words =
        || tokens.iter().filter_map(|token| if let Token::Word(word) = token.token { Some(word) } else { None });
    let has_near = tokens.iter().any(|token| matches!(token.token, Token::Near(_)));
    let is_marked = has_near
        || tokens.iter().any(|token| matches!(token.token, Token::Phrase(_) | Token::Open))
        || tokens.iter().any(|token| has_wildcard(&token));
    let capitals = |word: &str| !word.contains(char::is_lowercase);
    let run = tokens.split(|token| !matches!(token.token, Token::Word(_))).map(<[_]>::len).max().unwrap_or_default();
    let why = if words().next().is_none() && tokens.iter().all(|token| operators(&token)) {
        return Ok(None);
    } else if !is_marked && words().all(capitals) && words().any(|word| word.contains(char::is_uppercase)) {
        "the whole query is in capitals. To use it as an operator, write the other words in lower case"
    } else if run > MAX_RUN && !has_near {
        "the query reads as prose. To use it as an operator, put quotes around words that belong together"
    } else {
        return parse(query, &tokens, parsed).map(Some);
    };
    notices.push(format!("\"{}\" was searched as text, because {why}.", first.text));
    Ok(None)
}

/// The expression of a search term, in which any words are a condition.
pub(super) fn in_term(term: &str) -> Result<Parsed<'_>> {
    let (tokens, parsed) = tokens(term);
    parse(term, &tokens, parsed)
}

fn is_wildcard(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '*');
    let Some((prefix, rest)) = word.split_once('*') else { return false };
    let counted = |text: &str, is: fn(char) -> bool| text.chars().filter(|&c| is(c)).count();
    let of_word = |c: char| c.is_alphanumeric() || matches!(c, '*' | '-' | '/' | '_' | '.' | '\'' | '’');
    prefix.starts_with(char::is_alphanumeric)
        && counted(prefix, char::is_alphanumeric) >= MIN_PREFIX
        && word.chars().all(of_word)
        && !word.contains("**")
        && (word.contains(char::is_alphabetic) || rest.is_empty() && counted(prefix, char::is_numeric) >= MIN_DIGITS)
}

fn tokens(query: &str) -> (Vec<Placed<'_>>, Parsed<'_>) {
    let (mut tokens, mut parsed) = (Vec::new(), Parsed::default());
    let mut at = 0;
    while let Some(c) = query[at..].chars().next() {
        let rest = &query[at..];
        let (token, length) = match c {
            '(' => (Some(Token::Open), 1),
            ')' => (Some(Token::Close), 1),
            c if c.is_whitespace() => (None, c.len_utf8()),
            '"' if quoted(rest).is_some() => {
                quoted(rest).map_or((None, 1), |(words, length)| (Some(Token::Phrase(words)), length))
            }
            _ => match condition(rest, &mut parsed.notices) {
                Some((part, length)) => {
                    parsed.conditions.push(part);
                    (Some(Token::Condition), length)
                }
                None => word(rest),
            },
        };
        let length = length.max(1);
        tokens.extend(token.map(|token| Placed { token, at, text: &rest[..length] }));
        at += length;
    }
    (tokens, parsed)
}

/// A field or a word with a sign, which ends before a closing parenthesis that it does not open.
fn condition<'q>(rest: &'q str, notices: &mut Vec<String>) -> Option<(Part<'q>, usize)> {
    let (_, length) = word(rest);
    // A quoted value may have spaces and parentheses.
    let is_quoted = rest[..length].contains('"');
    part(if is_quoted { rest } else { &rest[..length] }, notices)
}

/// The word or operator at the beginning of `rest`, and its length; no token for one without letters and digits.
fn word(rest: &str) -> (Option<Token<'_>>, usize) {
    let mut depth = 0usize;
    let ends = |c: char| match c {
        '(' => {
            depth += 1;
            false
        }
        ')' if depth == 0 => true,
        ')' => {
            depth -= 1;
            false
        }
        c => c.is_whitespace(),
    };
    // As in AND(lease OR rent).
    let joined =
        ["AND", "OR", "NOT"].into_iter().find(|name| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')));
    let length = joined.map_or_else(|| rest.find(ends).unwrap_or(rest.len()), str::len);
    let word = &rest[..length];
    let token = match word {
        "AND" => Some(Token::And),
        "OR" => Some(Token::Or),
        "NOT" => Some(Token::Not),
        word => distance(word)
            .map(Token::Near)
            .or_else(|| word.contains(char::is_alphanumeric).then_some(Token::Word(word))),
    };
    (token, length)
}

/// The distance of `w/10`, or of `NEAR/9`, which counts the words between.
fn distance(word: &str) -> Option<u32> {
    if let Some(between) = word.strip_prefix("NEAR/").filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return (!between.is_empty()).then(|| between.parse().unwrap_or(u32::MAX).saturating_add(1));
    }
    let digits = word.strip_prefix("w/").or_else(|| word.strip_prefix("W/"))?;
    let is_number = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    // A number that does not fit is too large, which its user reports.
    (is_number && !digits.is_empty()).then(|| digits.parse().unwrap_or(u32::MAX))
}

fn parse<'q>(query: &'q str, tokens: &[Placed<'q>], mut parsed: Parsed<'q>) -> Result<Parsed<'q>> {
    let mut parser = Parser { query, tokens, at: 0, depth: 0 };
    if !tokens.is_empty() {
        parsed.expression = parser.any(None)?;
        if let Some(left) = parser.peek() {
            return Err(match left.token {
                Token::Close => parser.wrong(left.at, "The closing parenthesis", "has no opening one"),
                _ => parser.wrong(left.at, &format!("\"{}\"", left.text), "cannot follow here"),
            });
        }
    }
    Ok(parsed)
}

struct Parser<'t, 'q> {
    query: &'q str,
    tokens: &'t [Placed<'q>],
    at: usize,
    depth: usize,
}

impl<'q> Parser<'_, 'q> {
    fn peek(&self) -> Option<Placed<'q>> {
        self.tokens.get(self.at).copied()
    }

    fn next_if(&mut self, is: impl Fn(Token<'q>) -> bool) -> Option<Placed<'q>> {
        let next = self.peek().filter(|next| is(next.token))?;
        self.at += 1;
        Some(next)
    }

    /// Alternatives; `None` if there are only conditions. `before` is the operator or parenthesis before.
    fn any(&mut self, before: Option<Placed<'q>>) -> Result<Option<Expression>> {
        let mut any = Vec::new();
        let first = self.all(before)?;
        let has_others = matches!(self.peek(), Some(Placed { token: Token::Or, .. }));
        if !has_others {
            return Ok(first);
        }
        any.push(first);
        let mut or = None;
        while let Some(next) = self.next_if(|token| token == Token::Or) {
            or = or.or(Some(next));
            any.push(self.all(Some(next))?);
        }
        let all: Option<Vec<Expression>> = any.into_iter().collect();
        match (all, or) {
            (Some(all), _) => Ok(Some(Expression::Any(all))),
            (None, or) => Err(self.condition_beside(or.map_or(0, |or| or.at), "OR")),
        }
    }

    fn all(&mut self, before: Option<Placed<'q>>) -> Result<Option<Expression>> {
        let mut all = Vec::new();
        let mut before = before;
        loop {
            all.extend(self.signed(before)?);
            before = self.next_if(|token| token == Token::And);
            let begins = |token| !matches!(token, Token::Or | Token::Close | Token::And | Token::Near(_));
            if before.is_none() && !self.peek().is_some_and(|next| begins(next.token)) {
                break;
            }
        }
        Ok(match all.len() {
            0 | 1 => all.pop(),
            _ => Some(Expression::All(all)),
        })
    }

    fn signed(&mut self, before: Option<Placed<'q>>) -> Result<Option<Expression>> {
        let (mut before, mut is_not, mut first) = (before, false, None);
        while let Some(not) = self.next_if(|token| token == Token::Not) {
            (before, is_not) = (Some(not), !is_not);
            first = first.or(Some(not));
        }
        let operand = self.near(before)?;
        match (operand, first) {
            (None, Some(not)) => Err(self.condition_beside(not.at, "NOT")),
            (Some(Expression::Not(operand)), _) if is_not => Ok(Some(*operand)),
            (Some(operand), _) if is_not => Ok(Some(Expression::Not(Box::new(operand)))),
            (operand, _) => Ok(operand),
        }
    }

    fn near(&mut self, before: Option<Placed<'q>>) -> Result<Option<Expression>> {
        let mut left = self.operand(before)?;
        while let Some(near) = self.next_if(|token| matches!(token, Token::Near(_))) {
            let Token::Near(words) = near.token else { break };
            if words > MAX_DISTANCE {
                let what = format!("is too far: at most w/{MAX_DISTANCE}");
                return Err(self.wrong(near.at, &format!("\"{}\"", near.text), &what));
            }
            let right = self.operand(Some(near))?;
            let (Some(one), Some(other)) = (left, right) else {
                return Err(self.condition_beside(near.at, near.text));
            };
            let side = |expression| {
                placed(expression).map(Box::new).ok_or_else(|| {
                    let what = "is among parts joined by OR, but a neighbouring part has AND or NOT";
                    self.wrong(near.at, &format!("\"{}\"", near.text), what)
                })
            };
            left = Some(Expression::Words(Words::Near { left: side(one)?, right: side(other)?, words }));
        }
        Ok(left)
    }

    fn operand(&mut self, before: Option<Placed<'q>>) -> Result<Option<Expression>> {
        let Some(next) = self.peek() else { return Err(self.nothing_after(before)) };
        // Quotation marks that are not around a phrase are only space between words.
        let words = |words: &str| {
            let words: Vec<&str> =
                words.split(|c: char| c.is_whitespace() || c == '"').filter(|w| !w.is_empty()).collect();
            Some(Expression::Words(Words::Phrase(words.join(" "))))
        };
        match next.token {
            Token::Open => {
                self.at += 1;
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(self.wrong(next.at, "The parenthesis", "is too deep inside others"));
                }
                if let Some(Placed { token: Token::Close, .. }) = self.peek() {
                    return Err(self.wrong(next.at, "The pair of parentheses", "is empty"));
                }
                let inside = self.any(Some(next))?;
                if self.next_if(|token| token == Token::Close).is_none() {
                    return Err(self.wrong(next.at, "The parenthesis", "is not closed"));
                }
                self.depth -= 1;
                Ok(inside)
            }
            Token::Phrase(phrase) => {
                self.at += 1;
                Ok(words(phrase))
            }
            Token::Condition => {
                self.at += 1;
                Ok(None)
            }
            Token::Word(_) => {
                let mut run = Vec::new();
                while let Some(next) = self.next_if(|token| matches!(token, Token::Word(_))) {
                    if next.text.contains('*') && !is_wildcard(next.text) {
                        let what = format!("needs {MIN_PREFIX} letters or digits before the *");
                        return Err(self.wrong(next.at, &format!("\"{}\"", next.text), &what));
                    }
                    if next.text.starts_with('"') {
                        return Err(self.wrong(next.at, "The quotation mark", "is not closed"));
                    }
                    run.push(next.text);
                }
                Ok(words(&run.join(" ")))
            }
            Token::And | Token::Or | Token::Near(_) | Token::Close | Token::Not => Err(match before {
                Some(_) => self.nothing_after(before),
                None if next.token == Token::Close => {
                    self.wrong(next.at, "The closing parenthesis", "has no opening one")
                }
                None => self.wrong(next.at, &format!("\"{}\"", next.text), "has nothing before it"),
            }),
        }
    }

    fn nothing_after(&self, before: Option<Placed<'q>>) -> Error {
        match before {
            Some(Placed { token: Token::Open, at, .. }) => match self.peek() {
                Some(next) => self.wrong(next.at, &format!("\"{}\"", next.text), "has nothing before it"),
                None => self.wrong(at, "The parenthesis", "is not closed"),
            },
            Some(before) => self.wrong(before.at, &format!("\"{}\"", before.text), "has nothing after it"),
            None => wrong("The query has no words to search for."),
        }
    }

    fn condition_beside(&self, at: usize, operator: &str) -> Error {
        self.wrong(
            at,
            &format!("\"{operator}\""),
            "cannot apply to a field or a word with a sign, which hold for the whole query",
        )
    }

    fn wrong(&self, at: usize, what: &str, is: &str) -> Error {
        let character = self.query.get(..at).map_or(0, |before| before.chars().count()) + 1;
        wrong(format!("{what} at character {character} of the query {is}."))
    }
}

fn wrong(message: impl Into<String>) -> Error {
    Error::invalid(message).with_hint(
        "Write rent AND (deposit OR bond), rent AND NOT garage, terminat* w/10 convenience. To search for AND, OR or NOT as words, write \
         them in lower case or in quotes.",
    )
}

/// Words, phrases and groups of them with OR; `None` for an expression with AND or NOT.
fn placed(expression: Expression) -> Option<Words> {
    match expression {
        Expression::Words(words) => Some(words),
        Expression::Any(any) => any.into_iter().map(placed).collect::<Option<Vec<_>>>().map(Words::Any),
        Expression::All(_) | Expression::Not(_) => None,
    }
}

/// True if a passage without any of the words can fulfil an expression.
pub(super) fn is_negative(expression: &Expression) -> bool {
    match expression {
        Expression::Words(_) => false,
        Expression::Not(one) => !is_negative(one),
        Expression::All(all) => all.iter().all(is_negative),
        Expression::Any(any) => any.iter().any(is_negative),
    }
}

/// An expression in the notation of queries, with all its parentheses and quotes.
pub(super) fn written(expression: &Expression) -> String {
    match expression {
        Expression::Words(words) => written_words(words),
        Expression::All(all) => all.iter().map(inner).collect::<Vec<_>>().join(" AND "),
        Expression::Any(any) => any.iter().map(inner).collect::<Vec<_>>().join(" OR "),
        Expression::Not(one) => format!("NOT {}", inner(one)),
    }
}

fn inner(expression: &Expression) -> String {
    match expression {
        Expression::Words(Words::Phrase(_)) | Expression::Not(_) => written(expression),
        _ => format!("({})", written(expression)),
    }
}

fn written_words(words: &Words) -> String {
    let inner = |words: &Words| match words {
        Words::Phrase(_) => written_words(words),
        _ => format!("({})", written_words(words)),
    };
    match words {
        Words::Phrase(phrase) if !is_plain(phrase) => format!("\"{phrase}\""),
        Words::Phrase(word) => word.clone(),
        Words::Any(any) => any.iter().map(inner).collect::<Vec<_>>().join(" OR "),
        Words::Near { left, right, words } => format!("{} w/{words} {}", inner(left), inner(right)),
    }
}

/// True if a phrase means the same without quotes.
fn is_plain(phrase: &str) -> bool {
    let is_operator = matches!(phrase, "AND" | "OR" | "NOT") || distance(phrase).is_some();
    let special = |c: char| c.is_whitespace() || c == ':';
    phrase.starts_with(char::is_alphanumeric)
        && !is_operator
        && !phrase.contains(special)
        && (!phrase.contains('*') || is_wildcard(phrase))
        // The parenthesis that closes a group must not become a part of the word.
        && word(&format!("{phrase})")).1 == phrase.len()
}

/// The words that can find a passage, without the excluded ones.
pub(super) fn sought(expression: &Expression) -> String {
    fn add(words: &Words, to: &mut Vec<String>) {
        match words {
            Words::Phrase(phrase) => to.push(phrase.clone()),
            Words::Any(any) => any.iter().for_each(|words| add(words, to)),
            Words::Near { left, right, .. } => {
                add(left, to);
                add(right, to);
            }
        }
    }
    fn walk(expression: &Expression, to: &mut Vec<String>) {
        match expression {
            Expression::Words(words) => add(words, to),
            Expression::All(all) => all.iter().for_each(|one| walk(one, to)),
            Expression::Any(any) => any.iter().for_each(|one| walk(one, to)),
            Expression::Not(_) => {}
        }
    }
    let mut found = Vec::new();
    walk(expression, &mut found);
    found.join(" ")
}

#[cfg(test)]
#[path = "operators_tests.rs"]
mod tests;
