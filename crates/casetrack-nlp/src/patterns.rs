//! Concepts with a form of their own: e-mail addresses, phone numbers, case, invoice, order and contract numbers.

use casetrack_core::{EntityType, Mention};

use crate::tokens::{Gap, Kind, Tokens};

word_lists! {
    /// Words before a number and what kind of number they announce; "No.", "Number" or "#" must come between.
    NUMBERED: phrases = "words/numbered.txt";
}

/// The concepts of a page that are known by their form, in text order, without overlap. A number with a name ("Invoice
/// No. INV-2023-0042") is only the identifier; its role is the kind.
pub fn find(tokens: &Tokens) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let hit = match tokens.kind(at) {
            Some(Kind::Symbol) => match tokens.symbol(at) {
                '@' => email(tokens, at).map(|(first, end)| (first, end, "e-mail address")),
                '+' | '(' => phone(tokens, at),
                _ => None,
            },
            Some(Kind::Number) => docket(tokens, at).or_else(|| phone(tokens, at)),
            Some(Kind::Word) if tokens.is_capitalized(at) => numbered(tokens, at),
            _ => None,
        };
        let Some((first, end, role)) = hit else {
            at += 1;
            continue;
        };
        let (char_start, char_end) = tokens.span(first, end);
        if found.last().is_none_or(|last| last.char_end <= char_start) {
            found.push(Mention {
                entity_type: EntityType::Concept,
                char_start,
                char_end,
                value: None,
                role: Some(role.to_owned()),
            });
        }
        at = end.max(at + 1);
    }
    found
}

/// An address around this `@`: of letters, digits and `._%+-` before it, and of at least two labels after it.
fn email(tokens: &Tokens, at: usize) -> Option<(usize, usize)> {
    let ascii = |at: usize| (tokens.is_word(at) || tokens.is_number(at)) && tokens.surface(at).is_ascii();
    let mut first = at;
    while first > 0
        && at - first < 24
        && tokens.glued(first)
        && (ascii(first - 1) || tokens.surface(first - 1).chars().all(|c| matches!(c, '.' | '_' | '%' | '+' | '-')))
    {
        first -= 1;
    }
    while first < at && !ascii(first) {
        first += 1;
    }
    let mut end = at + 1;
    let mut points = 0;
    while end < at + 24 && tokens.glued(end) {
        if ascii(end) {
            end += 1;
        } else if matches!(tokens.symbol(end), '.' | '-') && tokens.glued(end + 1) && ascii(end + 1) {
            points += usize::from(tokens.symbol(end) == '.');
            end += 1;
        } else {
            break;
        }
    }
    let top = tokens.is_word(end - 1) && tokens.surface(end - 1).len() >= 2;
    (first < at && points > 0 && top).then_some((first, end))
}

/// The most separators between the digits of a phone number.
const PHONE_GROUPS: usize = 8;

/// A phone number: `+` and 8 to 15 digits (E.164), ten digits as they are grouped in North America, or groups of digits
/// after "Tel.", "Phone", "Fax" or the like.
fn phone(tokens: &Tokens, at: usize) -> Option<(usize, usize, &'static str)> {
    if at > 0
        && tokens.glued(at)
        && (tokens.is_number(at - 1)
            || tokens.is_word(at - 1)
            || matches!(tokens.symbol(at - 1), '.' | '-' | '/' | '+' | '$' | '#' | '_' | ','))
    {
        return None;
    }
    let cue = cue(tokens, at);
    let role = if cue == Some(true) { "fax number" } else { "phone number" };
    let international = tokens.symbol(at) == '+';
    if tokens.symbol(at) == '(' && tokens.surface(at + 1).len() != 3 && cue.is_none() {
        return None;
    }
    let first = at + usize::from(international);
    if international && !(tokens.is_number(first) && tokens.glued(first)) {
        return None;
    }
    let (groups, dotted, end) = digit_groups(tokens, first);
    let after = tokens.glued(end)
        && (tokens.is_word(end)
            || tokens.is_number(end)
            || matches!(tokens.symbol(end), '%' | '/' | '-' | '_') && tokens.glued(end + 1));
    if after {
        return None;
    }
    let total: usize = groups.iter().map(|group| group.len()).sum();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let american = match lengths.as_slice() {
        [3, 3, 4] => area(groups[0]),
        [1, 3, 3, 4] => groups[0] == "1" && area(groups[1]),
        _ => false,
    };
    // "212 555 0100" may be three numbers of a table: only white space is not enough
    let separated = (at..end).any(|at| tokens.symbol(at) != '\0');
    let valid = if international {
        (8..=15).contains(&total)
    } else if cue.is_some() {
        (7..=15).contains(&total) && (groups.len() > 1 || total >= 9) && dotted != 1
    } else {
        american && separated && (dotted == 0 || dotted >= 2)
    };
    valid.then_some((at, end, role))
}

/// The groups of digits from a token on, the number of points between them, and the token after them.
fn digit_groups<'t>(tokens: &Tokens<'t>, at: usize) -> (Vec<&'t str>, usize, usize) {
    let mut groups: Vec<&str> = Vec::new();
    let (mut next, mut end, mut dotted) = (at, at, 0);
    while groups.len() < PHONE_GROUPS {
        let parenthesis = tokens.symbol(next) == '(';
        let digits = next + usize::from(parenthesis);
        let apart =
            !groups.is_empty() && (tokens.gap(next) > Gap::Space || tokens.bytes(next).0 > end_byte(tokens, next) + 1);
        let closed = !parenthesis
            || tokens.glued(digits) && tokens.symbol(digits + 1) == ')' && tokens.surface(digits).len() <= 5;
        if !tokens.is_number(digits) || apart || !closed {
            break;
        }
        groups.push(tokens.surface(digits));
        end = digits + 1 + usize::from(parenthesis);
        next = end;
        if matches!(tokens.symbol(next), '-' | '.' | '–' | '‑' | '/')
            && tokens.is_number(next + 1)
            && tokens.gap(next + 1) <= Gap::Space
        {
            dotted += usize::from(tokens.symbol(next) == '.');
            next += 1;
        }
    }
    (groups, dotted, end)
}

/// The end of the token before this one. Columns of a table are more than one space apart, groups of a number are not.
fn end_byte(tokens: &Tokens, at: usize) -> usize {
    at.checked_sub(1).map_or(0, |before| tokens.bytes(before).1)
}

/// True if an area code has a first digit and form that the North American Numbering Plan allows.
fn area(digits: &str) -> bool {
    matches!(digits.as_bytes().first(), Some(b'2'..=b'9')) && !digits.ends_with("11")
}

/// The kind of number that the words right before announce: a phone (`false`) or fax (`true`) number.
fn cue(tokens: &Tokens, at: usize) -> Option<bool> {
    (at.saturating_sub(4)..at).rev().take_while(|before| !tokens.is_number(*before)).find_map(|before| {
        match tokens.word(before) {
            "tel" | "telephone" | "phone" | "mobile" | "cell" | "ph" => Some(false),
            "fax" | "facsimile" | "telefax" | "telecopier" | "telecopy" => Some(true),
            _ => None,
        }
    })
}

/// A docket of a federal court that no word introduces: "1:21-cv-00234".
fn docket(tokens: &Tokens, at: usize) -> Option<(usize, usize, &'static str)> {
    let kind = at + 4;
    let valid = tokens.symbol(at + 1) == ':'
        && tokens.is_number(at + 2)
        && tokens.symbol(at + 3) == '-'
        && matches!(tokens.word(kind), "cv" | "cr" | "mc" | "mj" | "md" | "bk" | "ap")
        && tokens.symbol(kind + 1) == '-'
        && tokens.is_number(kind + 2)
        && (at + 1..kind + 3).all(|at| tokens.glued(at));
    valid.then(|| (at, identifier(tokens, at).unwrap_or(kind + 3), "case number"))
}

fn numbered(tokens: &Tokens, at: usize) -> Option<(usize, usize, &'static str)> {
    let first = tokens.word(at);
    let (words, role) = NUMBERED.iter().find(|(words, _)| words[0] == first && tokens.has(at, words))?;
    let mut next = at + words.len();
    let mut sign = false;
    for optional in ["no", "nos", "number", "num", "id", ".", "#", ":", "."] {
        if tokens.word(next) == optional && tokens.gap(next) <= Gap::Line {
            sign |= !matches!(optional, "." | ":");
            next += 1;
        }
    }
    if !sign || tokens.gap(next) > Gap::Line {
        return None;
    }
    let end = identifier(tokens, next)?;
    (tokens.slice(next, end).len() > 1).then_some((next, end, role))
}

/// Letters, digits and the signs that join them, with at least one digit.
fn identifier(tokens: &Tokens, at: usize) -> Option<usize> {
    let part = |at: usize| tokens.is_number(at) || tokens.is_word(at);
    if !part(at) {
        return None;
    }
    let mut end = at + 1;
    while end < at + 16 && tokens.glued(end) {
        if part(end) {
            end += 1;
        } else if matches!(tokens.symbol(end), '-' | '/' | '.' | ':' | '_' | '–')
            && tokens.glued(end + 1)
            && part(end + 1)
            || tokens.symbol(end) == ','
                && tokens.glued(end + 1)
                && tokens.surface(end + 1).len() == 3
                && tokens.is_number(end + 1)
        {
            end += 2;
        } else {
            break;
        }
    }
    // "05 C 1234": dockets of some courts have spaces
    if end == at + 1
        && tokens.is_number(at)
        && matches!(tokens.surface(end), "C" | "CV" | "CR" | "Civ" | "Cr")
        && tokens.is_number(end + 1 + usize::from(tokens.symbol(end + 1) == '.'))
    {
        end += 2 + usize::from(tokens.symbol(end + 1) == '.');
    }
    (at..end).any(|at| tokens.is_number(at)).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concepts(text: &str) -> Vec<(String, String)> {
        let chars: Vec<char> = text.chars().collect();
        find(&Tokens::new(text))
            .into_iter()
            .map(|mention| {
                let surface = chars[mention.char_start as usize..mention.char_end as usize].iter().collect();
                (surface, mention.role.unwrap_or_default())
            })
            .collect()
    }

    #[test]
    fn each_form_is_found_and_named() {
        for (text, surface, role) in [
            ("mail jane.doe+x@mail.example.co.uk.", "jane.doe+x@mail.example.co.uk", "e-mail address"),
            ("call +49 30 1234567 now", "+49 30 1234567", "phone number"),
            ("call +1 (212) 555-0100.", "+1 (212) 555-0100", "phone number"),
            ("(212) 555-0100", "(212) 555-0100", "phone number"),
            ("at 212-555-0100,", "212-555-0100", "phone number"),
            ("Fax: 212.555.0100", "212.555.0100", "fax number"),
            ("Tel. 030 123 4567", "030 123 4567", "phone number"),
            ("Case No. 1:21-cv-00234.", "1:21-cv-00234", "case number"),
            ("pending as 2:19-cr-00017-ABC in", "2:19-cr-00017-ABC", "case number"),
            ("Docket No. 05-1234;", "05-1234", "docket number"),
            ("Invoice No. INV-2023-0042 is", "INV-2023-0042", "invoice number"),
            ("under PO #4711,", "4711", "order number"),
            ("Purchase Order Number: 45-A", "45-A", "order number"),
            ("Contract No. DE-AC02-05", "DE-AC02-05", "contract number"),
            ("U.S. Patent No. 6,123,456.", "6,123,456", "patent number"),
        ] {
            assert_eq!(concepts(text), [(surface.to_owned(), role.to_owned())], "{text}");
        }
    }

    #[test]
    fn other_text_has_none() {
        for text in [
            "in case 4 of 5",
            "Order now",
            "2023-01-05",
            "123-45-6789",
            "1.2.3.4",
            "192.168.100.2000",
            "a @ b",
            "@home",
            "x@y",
            "5 + 3 = 8",
            "100 200 3000",
            "Section 212-555",
            "invoice for 5 items",
            "(100) 200 3000",
            "Case No. unknown",
        ] {
            assert_eq!(concepts(text), [], "{text}");
        }
    }
}
