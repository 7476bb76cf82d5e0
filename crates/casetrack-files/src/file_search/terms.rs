//! The words and numbers of a sentence, in the form in which two sentences are compared.

use super::{FUNCTION_WORDS, singular};

/// Words that end a clause.
const JOINTS: &[&str] = &["and", "or", "but", "while", "whereas", "plus", "nor", "although", "though"];
/// Function words of statements, besides those of queries.
const STOPS: &[&str] =
    &["after", "before", "until", "per", "each", "during", "since", "against", "over", "then", "not", "no"];
/// Words about a summary itself.
const FRAMING: &[&str] = &[
    "key",
    "source",
    "summary",
    "result",
    "snippet",
    "query",
    "statement",
    "document",
    "overall",
    "additionally",
    "furthermore",
    "moreover",
    "however",
    "also",
    "finally",
    "specifically",
    "according",
    "mention",
    "say",
];
const TEENS: &[&str] = &[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: &[&str] = &["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const ORDINALS: &[&str] = &[
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
];
/// Words that multiply, with the zeros that they add.
const SCALES: &[(&str, usize)] = &[("hundred", 2), ("thousand", 3), ("million", 6), ("billion", 9)];
const CURRENCIES: &[(&str, &[&str])] = &[
    ("usd", &["$", "usd", "dollar", "dollars"]),
    ("eur", &["€", "eur", "euro", "euros"]),
    ("gbp", &["£", "gbp", "pound", "pounds"]),
    ("jpy", &["¥", "jpy", "yen"]),
    ("chf", &["chf", "franc", "francs"]),
];
const PERCENT: &str = "%";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    /// A number, or a code with a digit.
    Number,
    /// The end of a clause.
    Break,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    pub kind: Kind,
    /// A word in lower case and in the singular, or the name of its currency; the value of a number.
    pub key: String,
    /// It begins with a capital letter.
    pub is_capital: bool,
    /// It carries meaning: it is neither a function word nor a unit sign.
    pub has_meaning: bool,
}

impl Term {
    fn new(kind: Kind, key: impl Into<String>) -> Self {
        Self { kind, key: key.into(), is_capital: false, has_meaning: false }
    }

    fn word(text: &str) -> Self {
        let lower = text.to_lowercase().replace('’', "'");
        let bare = lower.strip_suffix("'s").unwrap_or(&lower);
        let money = CURRENCIES.iter().find(|(_, names)| names.contains(&bare)).map(|(name, _)| *name);
        let sign = if matches!(bare, PERCENT | "percent" | "percentage") { Some(PERCENT) } else { money };
        let is_joint = JOINTS.contains(&bare);
        let key = sign.map_or_else(|| singular(bare), str::to_owned);
        let is_small =
            [FUNCTION_WORDS, STOPS, FRAMING].iter().any(|list| list.contains(&bare) || list.contains(&key.as_str()));
        // "US" and "IT" are names.
        let is_initials = text.chars().nth(1).is_some() && text.chars().all(char::is_uppercase);
        Self {
            kind: if is_joint { Kind::Break } else { Kind::Word },
            key,
            is_capital: text.starts_with(char::is_uppercase),
            has_meaning: sign.is_none() && !is_joint && (!is_small || is_initials),
        }
    }

    pub fn is_number(&self) -> bool {
        self.kind == Kind::Number
    }

    fn is_currency(&self) -> bool {
        CURRENCIES.iter().any(|(name, _)| *name == self.key)
    }

    fn is_unit_sign(&self) -> bool {
        self.kind == Kind::Word && (self.key == PERCENT || self.is_currency())
    }
}

/// The words, numbers and ends of clauses of a text, in order.
pub(super) fn terms(text: &str) -> Vec<Term> {
    with_spelled_numbers(&lexed(text))
}

fn lexed(text: &str) -> Vec<Term> {
    let chars: Vec<char> = text.chars().collect();
    let mut terms: Vec<Term> = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let (c, before) = (chars[at], at.checked_sub(1).map(|before| chars[before]));
        let next = chars.get(at + 1).copied();
        let is_sign = matches!(c, '-' | '−')
            && next.is_some_and(|next| next.is_ascii_digit())
            && before.is_none_or(|before| !before.is_alphanumeric() && !matches!(before, ')' | '-' | '.' | ','));
        if c.is_alphanumeric() || is_sign {
            let end = end_of_word(&chars, at + usize::from(is_sign));
            terms.push(read(&chars[at..end]));
            at = end;
            continue;
        }
        match c {
            '%' | '$' | '€' | '£' | '¥' => terms.push(Term::word(&c.to_string())),
            // "12 May, 2021" is one date.
            ',' if is_before_year(terms.last(), &chars[at + 1..]) => {}
            ',' | ';' | ':' | '.' | '!' | '?' | '|' | '…' | '—' | '\n' => terms.push(Term::new(Kind::Break, "")),
            '–' if before.is_some_and(char::is_whitespace) => terms.push(Term::new(Kind::Break, "")),
            _ => {}
        }
        at += 1;
    }
    terms
}

/// The index behind a word or number: it goes on after an apostrophe between letters, and after a point or comma between digits.
fn end_of_word(chars: &[char], start: usize) -> usize {
    let mut end = start;
    while let Some(c) = chars.get(end) {
        let inner = |belongs: fn(&char) -> bool| {
            end > start && belongs(&chars[end - 1]) && chars.get(end + 1).is_some_and(belongs)
        };
        let goes_on = match c {
            '.' | ',' => inner(char::is_ascii_digit),
            '\'' | '’' => inner(|c| c.is_alphanumeric()),
            c => c.is_alphanumeric(),
        };
        if !goes_on {
            break;
        }
        end += 1;
    }
    end
}

fn is_before_year(last: Option<&Term>, rest: &[char]) -> bool {
    let year: String = rest.iter().skip_while(|c| c.is_whitespace()).take_while(|c| c.is_alphanumeric()).collect();
    let is_day =
        last.is_some_and(|last| last.is_number() && last.key.parse().is_ok_and(|day: u32| (1..=31).contains(&day)));
    is_day && is_year(&year)
}

pub(super) fn is_year(key: &str) -> bool {
    key.len() == 4 && key.parse().is_ok_and(|year: u32| (1900..=2100).contains(&year))
}

fn read(chars: &[char]) -> Term {
    let text: String = chars.iter().collect();
    if !text.contains(char::is_numeric) {
        return Term::word(&text);
    }
    let lower = text.to_lowercase().replace('−', "-");
    let (sign, digits) = lower.strip_prefix('-').map_or(("", lower.as_str()), |digits| ("-", digits));
    let ordinal = ["st", "nd", "rd", "th"].iter().find_map(|ending| digits.strip_suffix(ending));
    match decimal(ordinal.unwrap_or(digits)) {
        Some(value) => Term::new(Kind::Number, format!("{sign}{value}")),
        // A code such as A12 or 4b, or a date in digits: it is compared as it is written.
        None => Term::new(Kind::Number, lower.clone()),
    }
}

/// The value of digits with marks between them, without leading and trailing zeros. `None` if it has no single value.
fn decimal(text: &str) -> Option<String> {
    let marks: Vec<char> = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    let groups: Vec<&str> = text.split(['.', ',', '\'', '’']).collect();
    if groups.len() != marks.len() + 1 || groups.iter().any(|group| group.is_empty()) {
        return None;
    }
    let are_thousands = |groups: &[&str]| {
        matches!(groups.first(), Some(first) if first.len() <= 3 && *first != "0")
            && groups[1..].iter().all(|group| group.len() == 3)
    };
    let (last, whole) = groups.split_last()?;
    let (whole, fraction) = match marks.as_slice() {
        [] => (text.to_owned(), ""),
        [',' | '\'' | '’'] if are_thousands(&groups) => (groups.concat(), ""),
        [',' | '.'] => (whole.concat(), *last),
        [first, .., _] if marks.iter().all(|mark| mark == first) && are_thousands(&groups) => (groups.concat(), ""),
        [first, others @ .., end]
            if end != first && others.iter().all(|mark| mark == first) && are_thousands(whole) =>
        {
            (whole.concat(), *last)
        }
        _ => return None,
    };
    Some(joined(&whole, fraction))
}

fn joined(whole: &str, fraction: &str) -> String {
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

/// The value with its decimal point moved: no rounding can make two values equal.
fn scaled(value: &str, zeros: usize) -> String {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    let padded = format!("{fraction:0<zeros$}");
    let (moved, rest) = padded.split_at(zeros);
    joined(&format!("{whole}{moved}"), rest)
}

/// Puts numbers in words in the place of these words: "twenty-five", "two hundred and fifty", "2.5 million".
fn with_spelled_numbers(terms: &[Term]) -> Vec<Term> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < terms.len() {
        let is_next = |kind: Kind| terms.get(at + 1).is_some_and(|next| next.kind == kind);
        // "First, …" opens a sentence.
        let is_opening = at == 0 && is_next(Kind::Break);
        let is_per_cent = terms[at].key == "per" && terms.get(at + 1).is_some_and(|next| next.key == "cent");
        let length = match number_at(&terms[at..]).filter(|_| !is_opening || terms[at].is_number()) {
            Some((key, length)) => {
                found.push(Term::new(Kind::Number, key));
                length
            }
            None if is_per_cent => {
                found.push(Term::word(PERCENT));
                2
            }
            None => {
                let mut term = terms[at].clone();
                // The month, and not the verb.
                term.has_meaning |= term.key == "may" && term.is_capital && (at > 0 || is_next(Kind::Number));
                found.push(term);
                1
            }
        };
        at += length;
    }
    found
}

fn small(term: &Term) -> Option<u64> {
    let place = |list: &[&str]| list.iter().position(|word| *word == term.key).map(|place| place as u64);
    let is_word = term.kind == Kind::Word;
    let value = place(TEENS).or_else(|| place(TENS).map(|place| 20 + 10 * place));
    value.or_else(|| place(ORDINALS).map(|place| place + 1)).filter(|_| is_word)
}

fn scale(term: &Term) -> Option<usize> {
    let is_word = term.kind == Kind::Word;
    SCALES.iter().find(|(word, _)| is_word && *word == term.key).map(|(_, zeros)| *zeros)
}

/// The number that begins here, and how many terms it has.
fn number_at(terms: &[Term]) -> Option<(String, usize)> {
    let first = terms.first()?;
    if first.is_number() {
        let is_value = first.key.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        return Some(match terms.get(1).and_then(scale).filter(|_| is_value) {
            Some(zeros) => (scaled(&first.key, zeros), 2),
            None => (first.key.clone(), 1),
        });
    }
    // "One of them" counts nothing.
    let is_pronoun = first.key == "one" && terms.get(1).is_some_and(|next| next.key == "of" || next.key == "another");
    if is_pronoun || small(first).is_none() && scale(first).is_none() {
        return None;
    }
    let (mut total, mut current, mut length) = (0u64, None::<u64>, 0);
    while let Some(term) = terms.get(length) {
        let joins = current.is_some_and(|value| value > 0 && value % 100 == 0) || current.is_none() && total > 0;
        if let Some(value) = small(term) {
            current = match current {
                None => Some(value),
                Some(tens) if tens % 100 >= 20 && tens % 10 == 0 && (1..10).contains(&value) => Some(tens + value),
                Some(hundreds) if joins => Some(hundreds + value),
                Some(_) => break,
            };
        } else if let Some(zeros) = scale(term) {
            if current.is_none() && total > 0 {
                break;
            }
            let value = current.unwrap_or(1).saturating_mul(10u64.pow(u32::try_from(zeros).unwrap_or_default()));
            (total, current) = if zeros == 2 { (total, Some(value)) } else { (total.saturating_add(value), None) };
        } else if !(term.key == "and" && joins && terms.get(length + 1).and_then(small).is_some()) {
            break;
        }
        length += 1;
    }
    Some((total.saturating_add(current.unwrap_or_default()).to_string(), length))
}

/// The unit of a number, and the words that it belongs to.
#[derive(Debug, Default)]
pub(super) struct NumberWords {
    /// Words that may be its unit, nearest first.
    pub units: Vec<String>,
    /// The nearest word with a meaning before it in its clause, or else after its unit.
    pub label: Option<String>,
    /// All words with a meaning in its clause.
    pub clause: Vec<String>,
    /// The nearest words with a meaning before and after it in the sentence, for a number without a word in its clause, as in a list of numbers.
    pub neighbours: [Option<String>; 2],
}

/// Longest way from a number to its unit, in words.
const REACH: usize = 3;

impl NumberWords {
    /// Of the number at `at`. The function `form` gives a word the form in which it is compared; units stay as they are.
    pub fn of(terms: &[Term], at: usize, form: impl Fn(&str) -> String) -> Self {
        let is_break = |term: &Term| term.kind == Kind::Break;
        let start = terms[..at].iter().rposition(is_break).map_or(0, |place| place + 1);
        let end = terms[at..].iter().position(is_break).map_or(terms.len(), |length| at + length);
        let (before, after) = (&terms[start..at], &terms[at + 1..end]);
        let mut units: Vec<String> = Vec::new();
        units.extend(before.last().filter(|last| last.is_currency()).map(|last| last.key.clone()));
        // A number that is repeated in digits or in words is the same number.
        let same = |term: &&Term| term.is_number() && term.key == terms[at].key;
        let is_unit = |term: &&Term| {
            let is_counted = FRAMING.contains(&term.key.as_str());
            term.kind == Kind::Word && (term.has_meaning || is_counted || term.is_unit_sign())
        };
        let following = after.iter().skip_while(same).take_while(is_unit).take(REACH);
        units.extend(following.map(|term| term.key.clone()));
        let meaning = |term: &&Term| term.kind == Kind::Word && term.has_meaning;
        let word = |term: &Term| form(&term.key);
        let behind = || after.iter().filter(meaning).find(|term| units.first() != Some(&term.key));
        let label = before.iter().rev().find(meaning).or_else(behind).map(word);
        let clause = before.iter().chain(after).filter(meaning).map(word).collect();
        let neighbours =
            [terms[..at].iter().rev().find(meaning).map(word), terms[at + 1..].iter().find(meaning).map(word)];
        Self { units, label, clause, neighbours }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<String> {
        terms(text).into_iter().filter(Term::is_number).map(|term| term.key).collect()
    }

    #[test]
    fn a_number_has_one_form() {
        for (text, expected) in [
            ("EUR 1,500 or 1500", vec!["1500", "1500"]),
            ("1,234,567.80 and 1.234.567,8", vec!["1234567.8", "1234567.8"]),
            ("1.5 or 1,50", vec!["1.5", "1.5"]),
            ("5 million, 2.3 million, 250 thousand", vec!["5000000", "2300000", "250000"]),
            ("thirty (30) days", vec!["30", "30"]),
            ("twenty-five, two hundred and fifty, three thousand four hundred", vec!["25", "250", "3400"]),
            ("the 3rd and the third", vec!["3", "3"]),
            ("a fall of -5 % from 10-20", vec!["-5", "10", "20"]),
            ("on 12.05.2021, clause 4b, Q2", vec!["12.05.2021", "4b", "q2"]),
            ("one of them", vec![]),
            ("12345678901234567 and 12345678901234568", vec!["12345678901234567", "12345678901234568"]),
        ] {
            assert_eq!(numbers(text), expected, "{text}");
        }
    }

    #[test]
    fn a_number_has_a_unit_and_a_word_that_it_belongs_to() {
        let place = |text: &str| {
            let terms = terms(text);
            let at = terms.iter().position(Term::is_number).unwrap();
            let place = NumberWords::of(&terms, at, str::to_owned);
            (place.units.join(" "), place.label.unwrap_or_default().to_owned(), place.clause.join(" "))
        };
        for (text, units, label, clause) in [
            ("The rent is € 500, and the deposit 900.", "eur", "rent", "rent"),
            ("paid within thirty (30) business days", "business day", "paid", "paid business day"),
            ("5 % interest is due", "% interest", "interest", "interest due"),
            ("5 employees after 30 days", "employee", "day", "employee day"),
            ("interest of 5 per cent", "%", "interest", "interest"),
        ] {
            assert_eq!(place(text), (units.to_owned(), label.to_owned(), clause.to_owned()), "{text}");
        }
    }

    #[test]
    fn words_are_in_the_singular_and_currencies_have_one_name() {
        let keys = |text: &str| terms(text).into_iter().map(|term| term.key).collect::<Vec<_>>();
        assert_eq!(keys("The Vendor's machines cost dollars"), ["the", "vendor", "machine", "cost", "usd"]);
        assert_eq!(keys("May 12, 2021"), ["may", "12", "2021"]);
    }
}
