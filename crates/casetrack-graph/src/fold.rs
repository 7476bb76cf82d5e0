//! Names without the differences of writing: case, accents and punctuation.

/// The words of a name in small letters without accents, joined by single spaces. Points and apostrophes inside words
/// are dropped ("U.S." is "us"); the point of a number stays, the comma between its digits goes; signs of currencies
/// and `%` count as letters, so that $5 and 5 % differ.
pub(super) fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    let mut before = ' ';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let in_number = before.is_ascii_digit() && chars.peek().is_some_and(char::is_ascii_digit);
        match c {
            '.' if in_number => folded.push('.'),
            ',' if in_number => {}
            '.' | '\'' | '’' | '\u{300}'..='\u{36f}' => {}
            '&' => {
                separate(&mut folded);
                folded.push_str("and ");
            }
            _ if c.is_alphanumeric() || matches!(c, '$' | '€' | '£' | '¥' | '%') => {
                c.to_lowercase().for_each(|c| push_plain(&mut folded, c));
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

/// Latin letters without their marks; other scripts stay as they are.
fn push_plain(folded: &mut String, c: char) {
    let plain = match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => "i",
        'ķ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => "o",
        'œ' => "oe",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'ß' => "ss",
        'ţ' | 'ť' | 'ț' => "t",
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => "u",
        'ý' | 'ÿ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        // The rest of a capital I with a point.
        '\u{300}'..='\u{36f}' => "",
        _ => return folded.push(c),
    };
    folded.push_str(plain);
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
            ("…", ""),
        ] {
            assert_eq!(fold(name), folded, "{name}");
        }
    }
}
