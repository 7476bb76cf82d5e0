//! Names without the differences of writing: case, accents and punctuation.

use casetrack_core::same_text;

/// The words of a name in small letters without accents ([`same_text::unaccented`]), joined by single spaces. Points and apostrophes inside words are
/// dropped ("U.S." is "us"); the point of a number stays, the comma between its digits goes; signs of currencies and `%` count
/// as letters, so that $5 and 5 % differ.
pub(super) fn fold(name: &str) -> String {
    let name = same_text::unaccented(name);
    let mut folded = String::with_capacity(name.len());
    let mut before = ' ';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let in_number = before.is_ascii_digit() && chars.peek().is_some_and(char::is_ascii_digit);
        match c {
            '.' if in_number => folded.push('.'),
            ',' if in_number => {}
            '.' | '\'' => {}
            '&' => {
                separate(&mut folded);
                folded.push_str("and ");
            }
            _ if c.is_alphanumeric() || same_text::continues(c) || matches!(c, '$' | '€' | '£' | '¥' | '%') => {
                folded.push(c)
            }
            _ => separate(&mut folded),
        }
        before = c;
    }
    folded.truncate(folded.trim_end().len());
    folded
}

pub(super) fn words(folded: &str) -> impl Iterator<Item = &str> {
    folded.split(' ').filter(|word| !word.is_empty())
}

fn separate(folded: &mut String) {
    if !folded.is_empty() && !folded.ends_with(' ') {
        folded.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_write_a_name_fold_to_one() {
        for (name, folded) in [
            ("  Acme, Inc. ", "acme inc"),
            ("U.S. Bank", "us bank"),
            ("O’Neil-Müller", "oneil muller"),
            ("AT&T", "at and t"),
            ("$1.2 million", "$1.2 million"),
            ("1,250,000 USD", "1250000 usd"),
            ("Straße Æsir", "strasse aesir"),
            ("Socie\u{301}te\u{301} Ge\u{301}ne\u{301}rale", "societe generale"),
            ("OʼNeil－Ｍüller ㈱", "oneil muller 株"),
            ("…", ""),
        ] {
            assert_eq!(fold(name), folded, "{name}");
        }
    }
}
