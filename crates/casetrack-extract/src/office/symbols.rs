//! Characters of symbol fonts, which Word stores as code points of the private use area (U+F020 to U+F0FF).

/// What `w:sym` and bullets in these fonts show. Sources: the Symbol and Wingdings encoding tables published by Unicode
/// (L2/12-368 and mappings/VENDORS/ADOBE/symbol.txt); only what occurs in office documents.
const WINGDINGS: &[(u8, char)] = &[
    (0x6C, '●'),
    (0x6E, '■'),
    (0x6F, '☐'),
    (0x71, '❑'),
    (0x75, '◆'),
    (0x76, '❖'),
    (0x9F, '•'),
    (0xA1, '○'),
    (0xA7, '▪'),
    (0xA8, '☐'),
    (0xD8, '➢'),
    (0xDF, '←'),
    (0xE0, '→'),
    (0xE8, '➔'),
    (0xF0, '⇨'),
    (0xFB, '✗'),
    (0xFC, '✓'),
    (0xFD, '☒'),
    (0xFE, '☑'),
];
const SYMBOL: &[(u8, char)] = &[
    (0x44, 'Δ'),
    (0x53, 'Σ'),
    (0x57, 'Ω'),
    (0x61, 'α'),
    (0x62, 'β'),
    (0x64, 'δ'),
    (0x6D, 'μ'),
    (0x70, 'π'),
    (0x73, 'σ'),
    (0xA3, '≤'),
    (0xA5, '∞'),
    (0xAE, '→'),
    (0xB0, '°'),
    (0xB1, '±'),
    (0xB3, '≥'),
    (0xB4, '×'),
    (0xB7, '•'),
    (0xB8, '÷'),
    (0xB9, '≠'),
    (0xBB, '≈'),
    (0xD2, '®'),
    (0xD3, '©'),
    (0xD4, '™'),
    (0xD6, '√'),
    (0xE2, '®'),
    (0xE3, '©'),
    (0xE4, '™'),
];

/// The character that `code` shows in `font`; U+FFFD for a symbol that is not known.
pub(crate) fn symbol(code: u32, font: Option<&str>) -> char {
    let known = |table: &[(u8, char)]| {
        table.iter().find(|(low, _)| u32::from(*low) == code & 0xFF).map_or(char::REPLACEMENT_CHARACTER, |(_, c)| *c)
    };
    match font.map(str::to_ascii_lowercase).as_deref() {
        Some(font) if font.starts_with("wingdings") => known(WINGDINGS),
        Some("symbol") => known(SYMBOL),
        _ if (0xF000..=0xF0FF).contains(&code) => known(SYMBOL),
        _ => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

/// A bullet: any symbol that is not known still is one. A Latin "o" is a circle.
pub(crate) fn bullet(text: &str, font: Option<&str>) -> String {
    let show = |c: char| match c {
        'o' if text.len() == 1 => '◦',
        '\u{F000}'..='\u{F0FF}' => match symbol(c.into(), font) {
            char::REPLACEMENT_CHARACTER => '•',
            known => known,
        },
        c => c,
    };
    text.chars().map(show).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_depend_on_the_font() {
        assert_eq!(symbol(0xF0FE, Some("Wingdings")), '☑');
        assert_eq!(symbol(0xB7, Some("Symbol")), '•');
        assert_eq!(symbol(0x2713, Some("Segoe UI Symbol")), '✓');
        assert_eq!(symbol(0xF001, Some("Webdings")), char::REPLACEMENT_CHARACTER);
        assert_eq!(bullet("\u{F0B7}", None), "•");
        assert_eq!(bullet("\u{F001}", Some("Webdings")), "•");
        assert_eq!(bullet("o", Some("Courier New")), "◦");
        assert_eq!(bullet("–", None), "–");
    }
}
