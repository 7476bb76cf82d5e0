//! Characters of symbol fonts, which Word stores as code points of the private use area (U+F020 to U+F0FF).

/// The characters that `w:sym` and bullets show in these fonts. Sources: the Symbol and Wingdings encoding tables
/// published by Unicode (L2/12-368 and mappings/VENDORS/ADOBE/symbol.txt); only those that occur in office documents.
/// Each character follows the last byte of its code.
const WINGDINGS: &str = "6C● 6E■ 6F☐ 71❑ 75◆ 76❖ 9F• A1○ A7▪ A8☐ D8➢ DF← E0→ E8➔ F0⇨ FB✗ FC✓ FD☒ FE☑";
const SYMBOL: &str = "44Δ 53Σ 57Ω 61α 62β 64δ 6Dμ 70π 73σ A3≤ A5∞ AE→ B0° B1± B3≥ B4× B7• B8÷ B9≠ BB≈ D2® D3© D4™ D6√ E2® \
     E3© E4™";

/// The character that `code` shows in `font`; U+FFFD for a symbol that is not known.
pub fn symbol(code: u32, font: Option<&str>) -> char {
    let known = |table: &str| {
        let wanted = format!("{:02X}", code & 0xFF);
        let shown = table.split(' ').find_map(|pair| pair.strip_prefix(&*wanted)?.chars().next());
        shown.unwrap_or(char::REPLACEMENT_CHARACTER)
    };
    match font.map(str::to_ascii_lowercase).as_deref() {
        Some(font) if font.starts_with("wingdings") => known(WINGDINGS),
        Some("symbol") => known(SYMBOL),
        _ if (0xF000..=0xF0FF).contains(&code) => known(SYMBOL),
        _ => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

/// A bullet: an unknown symbol is still a bullet. A Latin "o" is a circle.
pub fn bullet(text: &str, font: Option<&str>) -> String {
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
