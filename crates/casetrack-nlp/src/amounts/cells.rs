//! Which number a currency belongs to: the nearest in the cell that it is in.

use std::ops::Range;

use super::is_year;

/// The white space between two words, from near to far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Distance {
    None,
    Space,
    /// Two blanks or more, as columns have.
    Wide,
    Line,
    /// A tab, the border between the cells of a table.
    Cell,
    /// A blank line, or the end of the text.
    Far,
}

/// The side of a currency on which its number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

impl Distance {
    pub fn of(between: &str) -> Self {
        let breaks = between.chars().filter(|c| matches!(c, '\n' | '\u{c}' | '\u{2028}' | '\u{2029}')).count();
        let blanks = between.chars().filter(|c| c.is_whitespace()).count();
        match (between.contains('\t'), breaks, blanks) {
            (_, 2.., _) => Self::Far,
            (true, ..) => Self::Cell,
            (false, 1, _) => Self::Line,
            (.., 0) => Self::None,
            (.., 1) => Self::Space,
            _ => Self::Wide,
        }
    }

    fn before(text: &str, at: usize) -> Self {
        let before = &text[..at];
        let bare = before.trim_end();
        if bare.is_empty() { Self::Far } else { Self::of(&before[bare.len()..]) }
    }

    fn behind(text: &str, at: usize) -> Self {
        let behind = &text[at..];
        let bare = behind.trim_start();
        if bare.is_empty() { Self::Far } else { Self::of(&behind[..behind.len() - bare.len()]) }
    }
}

/// Maximum bytes of a number in digits.
const LONGEST: usize = 48;

/// The side of the number that the currency at these bytes belongs to, if there is one without doubt. `number` is the one before it, with its
/// words such as "million"; `leads` is true for a sign that precedes its number, as "$" does.
pub(crate) fn side(text: &str, number: Option<Range<usize>>, currency: Range<usize>, leads: bool) -> Option<Side> {
    let left = number.as_ref().map(|_| Distance::before(text, currency.start));
    let next = number_behind(text, currency.end);
    let right = next.as_ref().map(|next| Distance::of(&text[currency.end..next.start]));
    // In a cell of its own, a currency belongs to the cell next to it.
    let alone = Distance::before(text, currency.start) >= Distance::Line
        && Distance::behind(text, currency.end) >= Distance::Line;
    let within = |distance: Distance| distance < Distance::Cell || distance == Distance::Cell && alone;
    match (left.filter(|left| within(*left)), right.filter(|right| within(*right))) {
        (None, None) => None,
        (Some(_), None) => Some(Side::Before),
        (None, Some(_)) => Some(Side::After),
        (Some(left), Some(right)) if leads && left > Distance::None || right < left => {
            (right < Distance::Far).then_some(Side::After)
        }
        (Some(left), Some(right)) if left < right => Some(Side::Before),
        (Some(distance), Some(_)) => by_form(text, &number?, &next?, distance),
    }
}

/// The number of money among two that are equally near, by their forms and their neighbours.
fn by_form(text: &str, number: &Range<usize>, next: &Range<usize>, distance: Distance) -> Option<Side> {
    match (is_money(&text[number.clone()]), is_money(&text[next.clone()])) {
        (true, false) => return Some(Side::Before),
        (false, true) => return Some(Side::After),
        _ => {}
    }
    let behind = text[next.end..].trim_start_matches([' ', '\u{a0}']);
    let begins = Distance::before(text, number.start) >= Distance::Line || is_label(text, number.start);
    let wrapped = behind.trim_start().starts_with(char::is_lowercase);
    let ends = behind.is_empty() || behind.starts_with(['\n', '\t', '|']) && !wrapped;
    let labels = is_label(text, number.start) || is_of_date(text, number);
    if begins && ends && distance < Distance::Cell || labels {
        return Some(Side::After);
    }
    // "10 EUR 20 EUR 30 EUR", "100 EUR 30 days after"
    let again = behind.starts_with(text[number.end..next.start].trim());
    let counts = behind.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    (again || COUNTED.contains(&counts.as_str())).then_some(Side::Before)
}

/// The things that a number after an amount counts.
const COUNTED: &[&str] = &[
    "day", "days", "week", "weeks", "month", "months", "year", "years", "times", "hours", "business", "calendar",
    "working",
];

/// Before a number that is the label of something.
const LABELS: &[&str] = &[
    "section",
    "clause",
    "article",
    "schedule",
    "exhibit",
    "appendix",
    "annex",
    "item",
    "no",
    "number",
    "paragraph",
    "page",
    "part",
    "lot",
    "phase",
    "milestone",
    "stage",
    "tranche",
    "step",
    "line",
    "year",
];

/// True if the number that begins here numbers something: "Item 2", "Section 4.2", or a clause at the beginning of a line.
pub(crate) fn is_label(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\u{a0}', '.']);
    let begins = before.trim_end_matches(char::is_alphabetic).len();
    let word = before[begins..].to_lowercase();
    LABELS.contains(&word.strip_suffix('s').unwrap_or(&word))
}

/// Before a year from which a price holds: "From 2021 EUR 900".
const BEFORE_YEARS: &[&str] = &["from", "since", "in", "until", "till", "ab", "seit", "bis", "depuis", "desde", "dal"];

/// True if a number is a year that the word before it dates something by.
fn is_of_date(text: &str, number: &Range<usize>) -> bool {
    let before = text[..number.start].trim_end_matches(' ');
    let begins = before.trim_end_matches(char::is_alphabetic).len();
    is_year(&text[number.clone()]) && BEFORE_YEARS.contains(&before[begins..].to_lowercase().as_str())
}

/// True if a year with its currency is the heading of a column: a cell of its own beside another of the same form, "2023 EUR | 2022 EUR".
pub(crate) fn is_heading(text: &str, cell: Range<usize>) -> bool {
    const BORDERS: [char; 5] = ['\t', '|', ',', ';', '\n'];
    let ahead = text[..cell.start].trim_end_matches([' ', '"']);
    let behind = text[cell.end..].trim_start_matches([' ', '"']);
    let alone = (ahead.is_empty() || ahead.ends_with(BORDERS)) && (behind.is_empty() || behind.starts_with(BORDERS));
    let Some(form) = year_form(&text[cell]).filter(|_| alone) else { return false };
    let last = ahead.strip_suffix(['\t', '|', ',', ';']).and_then(|ahead| ahead.rsplit(BORDERS).next());
    let next = behind.strip_prefix(['\t', '|', ',', ';']).and_then(|behind| behind.split(BORDERS).next());
    [last, next].into_iter().flatten().any(|other| year_form(other).as_ref() == Some(&form))
}

/// The text of a short cell without its only number, if that is a year.
fn year_form(cell: &str) -> Option<[&str; 2]> {
    let cell = cell.trim_matches([' ', '"']);
    let start = cell.find(|c: char| c.is_ascii_digit()).filter(|_| cell.len() <= LONGEST)?;
    let (before, rest) = cell.split_at(start);
    let (year, behind) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
    (is_year(year) && !behind.contains(|c: char| c.is_ascii_digit())).then(|| [before.trim(), behind.trim()])
}

/// The number right behind a currency, with its groups and fraction.
fn number_behind(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    let start = at + (rest.len() - rest.trim_start().len());
    let number = text[start..].strip_prefix(['(', '-', '−']).unwrap_or(&text[start..]);
    let begin = text.len() - number.len();
    number.starts_with(|c: char| c.is_ascii_digit()).then(|| begin..begin + digits(number))
}

/// The number right before a currency, if it begins at `free` or later.
pub(crate) fn number_before(text: &str, at: usize, free: usize) -> Option<Range<usize>> {
    let before = text.get(free..at)?.trim_end();
    let end = free + before.len();
    // "10.000,-"
    let bare = before.trim_end_matches(['-', '–', '—', '=']);
    let bare = if bare.len() < before.len() { bare.strip_suffix([',', '.', '/', ':'])? } else { bare };
    let mut start = bare.len();
    let mut digit = false;
    for (at, c) in bare.char_indices().rev().take(LONGEST) {
        match c {
            '0'..='9' => (start, digit) = (at, true),
            ',' | '.' | '\'' | '’' if digit => digit = false,
            _ => break,
        }
    }
    // "Q4 USD 70"
    let joined = bare[..start].ends_with(char::is_alphabetic);
    (start < bare.len() && !joined).then_some(free + start..end)
}

/// The bytes of digits, and of single marks between digits.
fn digits(number: &str) -> usize {
    let mut end = 0;
    let mut mark = false;
    for (at, c) in number.char_indices().take(LONGEST) {
        match c {
            '0'..='9' => (end, mark) = (at + 1, false),
            ',' | '.' | '\'' | '’' if !mark => mark = true,
            _ => break,
        }
    }
    end
}

/// True if a number has the form of money: groups of three digits, two digits behind the point, or a word such as "million".
fn is_money(number: &str) -> bool {
    let bare = number.trim_end_matches([',', '.', '-', '–', '—', '/', '=']);
    let grouped = bare.rfind(|c: char| !c.is_ascii_digit()).map(|mark| bare.len() - mark - mark_len(bare, mark));
    bare != number || matches!(grouped, Some(2 | 3)) || bare.chars().any(char::is_alphabetic)
}

fn mark_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

/// True if the bytes make up a cell of a table of accounts: columns or their borders on both sides, or only numbers up to the end of the line.
pub(crate) fn is_cell(text: &str, bytes: Range<usize>) -> bool {
    let (before, behind) = (text[..bytes.start].trim_end(), &text[bytes.end..]);
    let line = behind.split(['\n', '\u{c}']).next().unwrap_or_default();
    let distance = Distance::behind(text, bytes.end);
    if line.contains(|c: char| c.is_ascii_digit()) && !line.contains(char::is_alphabetic) && distance > Distance::None {
        return true;
    }
    let behind = behind.trim_start();
    let quoted = before.ends_with('"') && behind.starts_with('"');
    let begins = Distance::before(text, bytes.start) >= Distance::Wide
        || before.ends_with(|c: char| c.is_ascii_digit() || matches!(c, '|' | ')' | '%' | '—'));
    // A line of a paragraph continues in lower case.
    let wraps = distance == Distance::Line && behind.starts_with(char::is_lowercase);
    let ends = distance >= Distance::Wide && !wraps || behind.starts_with('|');
    quoted || begins && ends
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The side of the currency between `<` and `>`; the number before it is in brackets.
    fn of(marked: &str) -> Option<Side> {
        let text: String = marked.chars().filter(|c| !"<>[]".contains(*c)).collect();
        let place = |mark: char| {
            let before = &marked[..marked.find(mark)?];
            Some(before.chars().filter(|c| !"<>[]".contains(*c)).map(char::len_utf8).sum::<usize>())
        };
        let number = place('[').zip(place(']')).map(|(from, to)| from..to);
        side(&text, number, place('<').unwrap()..place('>').unwrap(), false)
    }

    #[test]
    fn a_currency_belongs_to_the_nearest_number_of_its_cell() {
        let (before, after) = (Some(Side::Before), Some(Side::After));
        for (text, expected) in [
            ("Oven\t[2]\t<EUR> 18,400", after),
            ("Oven\t[18,400] <EUR>\t2", before),
            ("Oven\t[2]\t<EUR>\t18,400", after),
            ("Oven\t[18,400]\t<EUR>\t2", before),
            ("Oven\t[18,400]\t<EUR>\n", before),
            ("Oven\t[2]\t<EUR> net", None),
            ("[2] <EUR> 18,400", after),
            ("[18,400] <EUR> 2 times", before),
            ("[2]    <EUR> 50", after),
            ("[2] <EUR>50", after),
            ("[2]\n<EUR> 50", after),
            ("[2]<EUR> 50", before),
            ("[2] <EUR> 50\n", after),
            ("pay [100] <EUR> 30 days later", before),
            ("[10] <EUR> 20 EUR", before),
            ("Item [2] <EUR> 50 each", after),
            ("Oven [2] <EUR> 50 each", None),
            ("of <EUR> 50", after),
            ("of <EUR>", None),
        ] {
            assert_eq!(of(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_cell_of_accounts_has_columns_around_it() {
        for (text, expected) in [
            ("Net loss\t<(20,000)>\t(15,000)", true),
            ("Net loss $ <(20,000)> $ (15,000)", true),
            ("Net loss    <(20,000)>\nTotal", true),
            ("| Net loss | <(20,000)> |", true),
            ("5,000 <(20,000)>\n", true),
            ("Loss,\"<(20,000)>\"", true),
            ("interest is <(20,000)> per month", false),
            ("a fee\n<(20,000)> is due", false),
            ("a fee of\n<(20,000)>\nis due", false),
        ] {
            let bare: String = text.chars().filter(|c| !"<>".contains(*c)).collect();
            let (start, end) = (text.find('<').unwrap(), text.find('>').unwrap() - 1);
            assert_eq!(is_cell(&bare, start..end), expected, "{text:?}");
        }
    }
}
