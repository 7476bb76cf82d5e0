//! Code pages of DOS, which the web does not know: in old mail, archives and exports.

/// One code page a line: its number, a space, and the characters of the bytes from 0x80 to 0xFF, as Microsoft and IBM define them.
const CODE_PAGES: &str = include_str!("../../data/dos_code_pages.txt");

/// The text in a code page of DOS with single bytes; `None` if the number is not one of them. Bytes without a character become U+FFFD.
pub fn decode(code_page: u32, bytes: &[u8]) -> Option<String> {
    let number = code_page.to_string();
    let upper = CODE_PAGES.lines().find_map(|line| line.strip_prefix(number.as_str())?.strip_prefix(' '))?;
    let upper: Vec<char> = upper.chars().collect();
    let char_of = |byte: &u8| match byte.checked_sub(0x80) {
        None => char::from(*byte),
        Some(at) => upper.get(usize::from(at)).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    Some(bytes.iter().map(char_of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_page_has_a_character_for_each_byte() {
        for line in CODE_PAGES.lines() {
            let (number, upper) = line.split_once(' ').unwrap();
            assert_eq!(upper.chars().count(), 128, "{number}");
        }
    }

    #[test]
    fn words_of_many_languages_are_read() {
        for (number, bytes, text) in [
            (437, &b"Pr\x81fung \x9Abergabe Gr\x94\xE1e"[..], "Prüfung Übergabe Größe"),
            (850, b"Pr\x81fung \x9Abergabe Gr\x94\xE1e \xB5", "Prüfung Übergabe Größe Á"),
            (852, b"\x9D\xA2d\xAB", "Łódź"),
            (858, b"\xD5 5", "€ 5"),
            (865, b"Gr\x9Bnland", "Grønland"),
            (737, b"\x80\x86", "ΑΗ"),
        ] {
            assert_eq!(decode(number, bytes).as_deref(), Some(text), "{number}");
        }
        assert_eq!((decode(1252, b"x"), decode(85, b"x")), (None, None));
    }
}
