use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::LazyLock;

use casetrack_core::EntityType;

use super::{Name, Source};
use crate::places;
use crate::words::{Class, Gap, Shape, Word, entries, fold};

/// Longest name, in words with their marks.
const WORDS: usize = 14;
/// A line at least this long continues in the next; a shorter one has ended. Lines of a page have 60 characters and more.
const WRAPPED: u32 = 45;

/// Forms of several words: what follows the first, longest first.
static LONG_FORMS: LazyLock<HashMap<&str, Vec<Vec<&str>>>> = LazyLock::new(|| {
    let mut forms: HashMap<&str, Vec<Vec<&str>>> = HashMap::new();
    for form in entries(include_str!("../../data/words/legal-forms-long.txt")) {
        let mut parts = form.split(' ');
        forms.entry(parts.next().unwrap_or_default()).or_default().push(parts.collect());
    }
    forms.values_mut().for_each(|rests| rests.sort_by_key(|rest| Reverse(rest.len())));
    forms
});

/// True if a form of incorporation is also an ordinary word: such a form needs a name with at least one other word before it.
fn is_plain_company(text: &str) -> bool {
    matches!(
        fold(text).as_str(),
        "company" | "companies" | "corporation" | "limited" | "incorporated" | "as" | "se" | "na"
    )
}

pub(crate) fn is_head(word: &Word<'_>) -> bool {
    word.is_capital() && word.has(Class::HEAD)
}

/// Finds the organizations whose names end with a form of incorporation, or with another word for an organization.
pub(crate) fn find(words: &[Word<'_>]) -> Vec<Name> {
    let mut found = Vec::new();
    let mut i = 0;
    while i < words.len() {
        if let Some(end) = form_at(words, i) {
            let mut last = forms_end(words, end);
            if let Some(first) = name_start(words, i) {
                found.push(Name::new(first, last, EntityType::Organization, Source::Form));
            }
            // "Acme, Inc. d/b/a Best Coast"
            if let Some((first, end)) = trade_name(words, last) {
                found.push(Name::new(first, end, EntityType::Organization, Source::Form));
                last = end;
            }
            i = last;
            continue;
        }
        // "a Texas limited partnership dba Best Coast"
        let of_firm = i > 0 && words[i].shape == Shape::Lower && words[i].text.starts_with('d');
        if let Some((first, last)) = of_firm.then(|| trade_name(words, i)).flatten() {
            found.push(Name::new(first, last, EntityType::Organization, Source::Form));
            i = last;
            continue;
        }
        if is_head(&words[i]) {
            if let Some((first, last)) = headed(words, i) {
                found.push(Name::new(first, last, EntityType::Organization, Source::Hint));
                i = last.max(i + 1);
                continue;
            }
        } else if words[i].is_capital()
            && let Some(last) = head_of(words, i)
        {
            found.push(Name::new(i, last, EntityType::Organization, Source::Hint));
            i = last;
            continue;
        }
        i += 1;
    }
    found
}

/// The end of a form of incorporation after a word on the same line, or after a comma. "inc" in lower case counts after a comma.
fn form_at(words: &[Word<'_>], at: usize) -> Option<usize> {
    let word = &words[at];
    if word.is_mark() || at == 0 || word.gap == Gap::Blank {
        return None;
    }
    let long = LONG_FORMS.get(word.folded().as_str()).filter(|_| word.is_capital());
    let long = long.into_iter().flatten().find(|rest| {
        let behind = words.get(at + 1..at + 1 + rest.len());
        behind.is_some_and(|behind| {
            behind.iter().zip(*rest).all(|(word, form)| word.gap < Gap::Blank && word.folded() == *form)
        })
    });
    if let Some(rest) = long {
        return Some(at + 1 + rest.len());
    }
    if word.has(Class::FORM) {
        return Some(at + 1);
    }
    let after_comma = words[at - 1].is(',');
    // S.p.A., and spellings such as "acme.example, inc"
    let form = after_comma && matches!(fold(word.text).as_str(), "inc" | "llc" | "ltd" | "lp" | "corp")
        || word.text.contains('.') && matches!(fold(word.text).as_str(), "spa" | "srl" | "sarl");
    form.then_some(at + 1)
}

word_lists! {
    /// Words before another name of the same organization.
    TRADE_NAMES: list = "words/trade-names.txt";
}

/// The name after "d/b/a" or "formerly known as" at `at`.
fn trade_name(words: &[Word<'_>], at: usize) -> Option<(usize, usize)> {
    let at = at + usize::from(words.get(at)?.is(','));
    let at = at + usize::from(words.get(at).is_some_and(|word| word.is('(')));
    let length = |form: &&str| {
        let length = form.split(' ').count();
        let own = words.get(at..at + length)?;
        own.iter().zip(form.split(' ')).all(|(word, part)| word.is_folded(part)).then_some(length)
    };
    let first = at + TRADE_NAMES.iter().find_map(length)?;
    let last = (first..words.len().min(first + 5))
        .take_while(|&i| words[i].is_capital() && words[i].gap <= Gap::Space)
        .last()?
        + 1;
    Some((first, last))
}

/// "Co., Ltd.", "Pty Ltd", "L.P.": the words after a form, which ends at `last`, that belong to it.
fn forms_end(words: &[Word<'_>], mut last: usize) -> usize {
    loop {
        let skip = usize::from(words.get(last).is_some_and(|word| word.is(',')));
        match words.get(last + skip) {
            Some(word) if word.gap < Gap::Line && word.has(Class::FORM) && !is_plain_company(word.text) => {
                last += skip + 1
            }
            Some(word)
                if skip == 0 && word.gap < Gap::Line && matches!(word.text, "Limited" | "LIMITED" | "Company") =>
            {
                last += 1
            }
            _ => return last,
        }
    }
}

/// Goes left from the form over the words of the name.
fn name_start(words: &[Word<'_>], form: usize) -> Option<usize> {
    let mut first = form;
    let mut i = form;
    if words[i - 1].is(',') {
        i -= 1;
    }
    // Across a line break only from a comma or a long line.
    while i > 0 && form - i < WORDS {
        let gap = words[i].gap;
        let previous = &words[i - 1];
        if gap == Gap::Blank || gap == Gap::Wide && i < form || gap == Gap::Line && !wrapped(words, i) {
            break;
        }
        if previous.is(')') {
            // "Sphere (Cayman) Management Ltd."
            let Some(open) = bracket_open(words, i - 1) else { break };
            i = open;
            continue;
        }
        if !part_of_name(words, i - 1, first) {
            break;
        }
        i -= 1;
        if !previous.is_mark() && !is_link(previous) {
            first = i;
        }
    }
    // Words before a name that begin with a capital by chance.
    while first < form
        && (form - first > 2 && words[first].has(Class::PLAIN_PARTY)
            || words[first].has(Class::STOP)
            || words[first].text.eq_ignore_ascii_case("the")
            || words[first].is_mark()
            || words[first].has(Class::FORM)
            || is_link(&words[first]))
    {
        first += 1;
    }
    let named = words[first..form].iter().any(|word| {
        word.is_capital()
            || word.shape == Shape::Lower && first + 2 == form
            || word.shape == Shape::Number && word.text.contains(char::is_alphabetic)
            || word.text.contains('.')
    });
    let plain = is_plain_company(words[form].text)
        && words[first..form].iter().all(|word| word.is_mark() || word.is_common() || word.has(Class::PARTY))
        && words[form].shape != Shape::Upper;
    // "a Delaware Corporation"
    let described = is_plain_company(words[form].text)
        && first > 0
        && matches!(words[first - 1].text, "a" | "an")
        && words[form].shape != Shape::Upper;
    // "AGREE AS" in a line of capitals.
    let capitals = matches!(words[form].text, "AS" | "SE")
        && words[first..form].iter().all(|word| matches!(word.shape, Shape::Upper | Shape::Mark(_)));
    let only_links = words[first..form].iter().all(|word| word.is_mark() || is_link(word));
    (first < form && named && !plain && !described && !capitals && !only_links).then_some(first)
}

fn is_link(word: &Word<'_>) -> bool {
    matches!(
        word.text,
        "of" | "and" | "the" | "for" | "de" | "OF" | "AND" | "THE" | "FOR" | "&" | "et" | "la" | "du" | "And"
    )
}

/// True if word `at` can be part of the name whose first word so far is `first`.
fn part_of_name(words: &[Word<'_>], at: usize, first: usize) -> bool {
    let word = &words[at];
    match word.shape {
        Shape::Mark('&' | '/' | '®' | '™' | '\'' | '’') => at > 0 && word.gap < Gap::Wide,
        // "Keen, Bright & Rowe, Inc.", and no other comma.
        Shape::Mark(',') => listed(words, at),
        Shape::Mark(_) => false,
        Shape::Lower => is_small_part(words, at, first),
        Shape::Number => is_number_part(words, at),
        _ => is_capital_part(words, at, first),
    }
}

fn is_small_part(words: &[Word<'_>], at: usize, first: usize) -> bool {
    let word = &words[at];
    // acme.example
    word.text.contains('.')
        // "acme, Inc."
        || at + 2 == first && words[at + 1].is(',') && !word.has(Class::GENERIC) && !word.has(Class::PARTY)
        || matches!(word.text, "of" | "de" | "du" | "la" | "et") && at > 0 && words[at - 1].is_capital()
        || matches!(word.text, "and" | "for") && at > 0 && first > at && {
            let left = &words[at - 1];
            // "Research and Development Inc." rather than "Smith and Beta Inc.".
            word.text == "for" && left.is_capital()
                || left.has(Class::LOWERED)
                    && left.shape == Shape::Title
                    && !left.has(Class::STOP)
                    && words[at + 1].has(Class::LOWERED)
        }
}

fn is_number_part(words: &[Word<'_>], at: usize) -> bool {
    let word = &words[at];
    let length = word.text.chars().count();
    at + 1 < words.len()
        && length <= 9
        && !word.text.contains('.')
        && words[at + 1].gap == Gap::Space
        // "1234567 Ontario Limited"
        && (word.text.len() > 4 && places::place_at(words, at + 1).is_some()
            || length <= 6
                && (word.text.ends_with(char::is_alphabetic)
                    || word.text.starts_with(char::is_alphabetic)
                    || at > 0
                        && words[at - 1].is_capital()
                        && word.gap == Gap::Space
                        && !words[at - 1].has(Class::STOP)))
}

fn is_capital_part(words: &[Word<'_>], at: usize, first: usize) -> bool {
    let word = &words[at];
    let folded = word.folded();
    if matches!(folded.as_str(), "of" | "&") {
        return at > 0 && words[at - 1].is_capital();
    }
    if matches!(folded.as_str(), "and" | "for") && at > 0 {
        // "SPRINGVALE GAS AND ELECTRIC COMPANY", "Food For Sailors, Inc."
        let left = &words[at - 1];
        let plain = left.is_capital() && left.is_common() && !left.has(Class::STOP);
        return word.gap <= Gap::Space
            && (folded == "for" && left.is_capital() && !left.has(Class::STOP) && left.shape == word.shape
                || plain && words[at + 1].is_capital() && at + 2 < words.len() && words[at + 2].is_capital());
    }
    let form = word.has(Class::FORM) && at + 1 == first && !is_plain_company(word.text);
    !matches!(folded.as_str(), "or" | "the") && !form && !word.has(Class::STOP)
}

/// True if the comma at `at` is one in "Keen, Bright & Rowe": between capitalised words of which the last two have "&" between them.
fn listed(words: &[Word<'_>], at: usize) -> bool {
    let own = |word: &Word<'_>| {
        word.shape == Shape::Title && !word.is_common() && !word.has(Class::FORM) && !word.has(Class::PARTY)
    };
    let left = at.checked_sub(1).is_some_and(|left| own(&words[left]) && places::place_at(words, left).is_none());
    let right = words[at + 1..].iter().take(6).take_while(|word| own(word) || word.is(','));
    let behind = at + 1 + right.count();
    left && behind > at + 1 && words.get(behind).is_some_and(|word| word.is('&')) && own(&words[behind - 1])
}

fn wrapped(words: &[Word<'_>], at: usize) -> bool {
    let end = words[at - 1].end;
    let mut i = at - 1;
    while i > 0 && words[i].gap < Gap::Line && end - words[i].start < WRAPPED {
        i -= 1;
    }
    words[at - 1].is(',') || end - words[i].start >= WRAPPED
}

/// The bracket that word `close` closes, when its content is part of a name: one to three words.
fn bracket_open(words: &[Word<'_>], close: usize) -> Option<usize> {
    let from = close.saturating_sub(4);
    let open = (from..close).rev().find(|&i| words[i].is('('))?;
    let inside = &words[open + 1..close];
    let fits = open > 0
        && words[open - 1].is_capital()
        && !inside.is_empty()
        && inside.iter().all(|word| word.is_capital() || word.is('.') || is_link(word));
    fits.then_some(open)
}

/// A name that ends with a head: "Silicon Valley Bank", "Oak Terminal Associates"; with the words after "of": "Bank of
/// China".
fn headed(words: &[Word<'_>], head: usize) -> Option<(usize, usize)> {
    if let Some(last) = head_of(words, head) {
        return Some((head, last));
    }
    let mut first = head;
    while first > 0
        && words[first].gap <= Gap::Space
        && words[first - 1].is_capital()
        && head - first < 6
        && !words[first - 1].has(Class::STOP)
    {
        first -= 1;
    }
    while first < head && words[first].text.eq_ignore_ascii_case("the") {
        first += 1;
    }
    let named = words[first..head]
        .iter()
        .any(|word| !word.is_common() && !word.text.is_empty() && word.text.chars().count() > 2);
    let ends = words.get(head + 1).is_none_or(|next| {
        !(next.is_capital() && next.gap <= Gap::Space)
            || next.shape == Shape::Upper && words[head].shape != Shape::Upper
    });
    (first < head && named && ends).then_some((first, head + 1))
}

/// "University of Pennsylvania", "Department of the Treasury": the end of the name that begins with the head at `at`.
fn head_of(words: &[Word<'_>], at: usize) -> Option<usize> {
    let word = &words[at];
    if word.shape == Shape::Initial || !word.has(Class::HEAD_OF) || !words.get(at + 1)?.text.eq_ignore_ascii_case("of")
    {
        return None;
    }
    let from = at + 2 + usize::from(words.get(at + 2)?.text.eq_ignore_ascii_case("the"));
    let mut last = from;
    while last < words.len()
        && last < from + 4
        && words[last].is_capital()
        && words[last].gap <= Gap::Space
        && !words[last].has(Class::STOP)
    {
        last += 1;
    }
    (last > from && words[from..last].iter().any(|word| !word.is_common())).then_some(last)
}
