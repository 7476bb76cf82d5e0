//! Telephone numbers, cards and bank accounts among all the other numbers of a text.

use std::ops::Range;

use super::{Kind, Secret};

/// Characters of IBANs by country (SWIFT, IBAN Registry, release 99).
const IBAN_LENGTHS: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 \
    EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 \
    LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 \
    SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30";
/// Digits of an international number (E.164 allows 15), and of a national one that nothing labels.
const INTERNATIONAL_DIGITS: std::ops::RangeInclusive<usize> = 8..=15;
const NATIONAL_DIGITS: std::ops::RangeInclusive<usize> = 9..=12;
const LABELLED_DIGITS: std::ops::RangeInclusive<usize> = 6..=15;

pattern_table! {
    "redaction/numbers.toml": TELEPHONE, INTERNATIONAL, AMERICAN, NATIONAL, DIGITS, IBAN, DATE, OTHER_LABEL, UNIT,
}

/// All places, in no order.
pub(super) fn find(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    let mut take = |kind, bytes| found.push(Secret { kind, bytes });
    for captures in TELEPHONE.captures_iter(text) {
        let Some(number) = captures.name("s") else { continue };
        if LABELLED_DIGITS.contains(&digits(number.as_str())) && !DATE.is_match(number.as_str()) {
            take(Kind::Phone, number.range());
        }
    }
    for number in INTERNATIONAL.find_iter(text) {
        let before = text[..number.start()].chars().next_back();
        let begins = before.is_none_or(|c| !c.is_alphanumeric() && c != '+');
        if begins && INTERNATIONAL_DIGITS.contains(&digits(number.as_str())) && is_whole(text, &number.range()) {
            take(Kind::Phone, number.range());
        }
    }
    for (regex, length) in [(&AMERICAN, 10..=11), (&NATIONAL, NATIONAL_DIGITS)] {
        for number in regex.find_iter(text) {
            // Digits without a break are any number.
            let is_free = number.as_str().contains(|c: char| !c.is_ascii_digit())
                && !OTHER_LABEL.is_match(line_before(text, number.start()));
            if is_free && length.contains(&digits(number.as_str())) && is_whole(text, &number.range()) {
                take(Kind::Phone, number.range());
            }
        }
    }
    for run in DIGITS.find_iter(text) {
        for bytes in cards(run.as_str()) {
            take(Kind::Card, run.start() + bytes.start..run.start() + bytes.end);
        }
    }
    for begin in IBAN.find_iter(text) {
        if let Some(end) = iban(&text[begin.start()..]) {
            take(Kind::Iban, begin.start()..begin.start() + end);
        }
    }
    found
}

fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

fn line_before(text: &str, at: usize) -> &str {
    let start = text.floor_char_boundary(at.saturating_sub(24));
    let before = &text[start..at];
    before.rsplit('\n').next().unwrap_or(before)
}

/// True if a number is not a part of a longer one, of a decimal, or of an amount.
fn is_whole(text: &str, bytes: &Range<usize>) -> bool {
    let (before, after) = (&text[..bytes.start], &text[bytes.end..]);
    let mut behind = after.chars();
    let goes_on = match (behind.next(), behind.next()) {
        (Some(c), _) if c.is_alphanumeric() => true,
        (Some('.' | ',' | '-' | '/' | ':'), Some(c)) => c.is_ascii_digit(),
        _ => false,
    };
    let mut ahead = before.chars().rev();
    let began = match (ahead.next(), ahead.next()) {
        (Some(c), _) if c.is_alphanumeric() || matches!(c, '$' | '€' | '£' | '¥') => true,
        (Some('.' | ',' | '-' | '/' | ':' | ' ' | '\u{a0}'), Some(c)) => c.is_ascii_digit(),
        _ => false,
    };
    !goes_on && !began && !UNIT.is_match(after)
}

/// Cards in a run of digits with single separators, in bytes of the run.
fn cards(run: &str) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (at, _) in run.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        match groups.last_mut() {
            Some(group) if group.end == at => group.end += 1,
            _ => groups.push(at..at + 1),
        }
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut first = 0;
    while first < groups.len() {
        let last = (first..groups.len().min(first + 5)).find(|&last| is_card(run, &groups[first..=last]));
        match last {
            Some(last) => {
                found.push(groups[first].start..groups[last].end);
                first = last + 1;
            }
            None => first += 1,
        }
    }
    found
}

fn is_card(run: &str, groups: &[Range<usize>]) -> bool {
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let printed = match lengths.as_slice() {
        [_] | [4, 6, 4 | 5] => true,
        [body @ .., last] => body.len() >= 3 && body.iter().all(|length| *length == 4) && *last <= 4,
        [] => false,
    };
    let number: Vec<u32> =
        groups.iter().flat_map(|group| run[group.clone()].chars()).filter_map(|c| c.to_digit(10)).collect();
    let prefix = |length: usize| number.iter().take(length).fold(0, |sum, digit| sum * 10 + digit);
    // Lengths and first digits by issuer (ISO/IEC 7812).
    let issued = match number.len() {
        14 => matches!(prefix(2), 36 | 38 | 39) || matches!(prefix(3), 300..=305),
        15 => matches!(prefix(2), 34 | 37),
        16 => {
            prefix(1) == 4
                || matches!(prefix(2), 51..=55 | 62 | 65)
                || matches!(prefix(4), 2221..=2720 | 3528..=3589 | 6011)
                || matches!(prefix(3), 644..=649)
        }
        19 => prefix(1) == 4 || matches!(prefix(2), 62),
        _ => false,
    };
    printed && issued && luhn(&number)
}

/// ISO/IEC 7812-1, annex B.
fn luhn(number: &[u32]) -> bool {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let weigh = |(at, digit): (usize, &u32)| if at % 2 == 1 { doubled(*digit) } else { *digit };
    number.iter().rev().enumerate().map(weigh).sum::<u32>() % 10 == 0
}

/// The length in bytes of the IBAN at the beginning of a text, if there is one. Groups may have one space or hyphen between them.
fn iban(text: &str) -> Option<usize> {
    let country = text.get(..2)?.to_ascii_uppercase();
    let wanted: usize = IBAN_LENGTHS.split(' ').find_map(|entry| entry.strip_prefix(country.as_str()))?.parse().ok()?;
    let (mut signs, mut separated) = (Vec::with_capacity(wanted), false);
    let mut end = 0;
    for (at, c) in text.char_indices() {
        if signs.len() == wanted {
            break;
        }
        match c {
            c if c.is_ascii_alphanumeric() => {
                (separated, end) = (false, at + 1);
                signs.push(c.to_ascii_uppercase());
            }
            ' ' | '\u{a0}' | '-' if !separated => separated = true,
            _ => return None,
        }
    }
    let goes_on = text[end..].chars().next().is_some_and(char::is_alphanumeric);
    // The first four signs are moved to the end, letters count from A = 10.
    let value = |c: &char| c.to_digit(36);
    let remainder = signs
        .iter()
        .skip(4)
        .chain(signs.iter().take(4))
        .filter_map(value)
        .fold(0u32, |rest, value| if value > 9 { (rest * 100 + value) % 97 } else { (rest * 10 + value) % 97 });
    (signs.len() == wanted && !goes_on && remainder == 1).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_decide() {
        assert_eq!(iban("DE89 3704 0044 0532 0130 00 BIC"), Some(27));
        assert_eq!(iban("gb82west12345698765432"), Some(22));
        assert_eq!(iban("DE89 3704 0044 0532 0130 01"), None);
        assert_eq!(iban("DE89 3704"), None);
        assert_eq!(cards("4111 1111 1111 1111 12").first(), Some(&(0..19)));
        assert_eq!(cards("378282246310005").first(), Some(&(0..15)));
        for other in ["4111 1111 1111 1112", "9783161484100", "1234 5678 9012 3452", "41 11 11 11 11 11 11 11"] {
            assert!(cards(other).is_empty(), "{other}");
        }
    }
}
