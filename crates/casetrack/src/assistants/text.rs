//! The encodings in which configurations are found: UTF-8, with or without a mark, and UTF-16 with one, as Windows editors write it.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    #[default]
    Utf8,
    Utf8WithMark,
    Utf16Le,
    Utf16Be,
}

const UTF8_MARK: &[u8] = &[0xef, 0xbb, 0xbf];
const LE_MARK: &[u8] = &[0xff, 0xfe];
const BE_MARK: &[u8] = &[0xfe, 0xff];

/// The text without its mark; `None` if it is in no encoding that is known here, or damaged.
pub fn decode(bytes: &[u8]) -> Option<(String, Encoding)> {
    if let Some(rest) = bytes.strip_prefix(UTF8_MARK) {
        return Some((String::from_utf8(rest.to_vec()).ok()?, Encoding::Utf8WithMark));
    }
    for (mark, encoding) in [(LE_MARK, Encoding::Utf16Le), (BE_MARK, Encoding::Utf16Be)] {
        if let Some(rest) = bytes.strip_prefix(mark) {
            let (pairs, odd) = rest.as_chunks::<2>();
            let from = if encoding == Encoding::Utf16Le { u16::from_le_bytes } else { u16::from_be_bytes };
            let units: Vec<u16> = pairs.iter().copied().map(from).collect();
            return odd.is_empty().then(|| String::from_utf16(&units).ok()).flatten().map(|text| (text, encoding));
        }
    }
    Some((String::from_utf8(bytes.to_vec()).ok()?, Encoding::Utf8))
}

pub fn encode(text: &str, encoding: Encoding) -> Vec<u8> {
    let utf16 =
        |mark: &[u8], to: fn(u16) -> [u8; 2]| mark.iter().copied().chain(text.encode_utf16().flat_map(to)).collect();
    match encoding {
        Encoding::Utf8 => text.as_bytes().to_vec(),
        Encoding::Utf8WithMark => [UTF8_MARK, text.as_bytes()].concat(),
        Encoding::Utf16Le => utf16(LE_MARK, u16::to_le_bytes),
        Encoding::Utf16Be => utf16(BE_MARK, u16::to_be_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decoded_is_encoded_as_it_was() {
        for encoding in [Encoding::Utf8, Encoding::Utf8WithMark, Encoding::Utf16Le, Encoding::Utf16Be] {
            let bytes = encode("{\"Größe\": \"\u{1f4c4}\"}\r\n", encoding);
            assert_eq!(decode(&bytes), Some(("{\"Größe\": \"\u{1f4c4}\"}\r\n".to_owned(), encoding)));
        }
        assert_eq!(decode(&[0xff, 0xfe, 0x7b]), None, "half a character");
        assert_eq!(decode(b"{\"a\": \"\xe9\"}"), None, "Latin-1");
    }
}
