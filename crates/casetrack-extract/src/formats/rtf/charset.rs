use casetrack_pages::text::encoding;
use encoding_rs::{Encoding, WINDOWS_1250, WINDOWS_1252};

/// The encoding of `\ansicpgN` and `\cpgN`; code pages of DOS that have no web encoding are read as their Windows relatives.
pub(super) fn of_code_page(number: i32) -> &'static Encoding {
    if number == 852 {
        return WINDOWS_1250;
    }
    u32::try_from(number).ok().and_then(encoding::of_code_page).unwrap_or(WINDOWS_1252)
}

/// The encoding of `\fcharsetN`; `None` if it names none (default, symbols).
pub(super) fn of_font(charset: i32) -> Option<&'static Encoding> {
    Some(of_code_page(match charset {
        0 => 1252,
        77 => 10000,
        128 => 932,
        129 | 130 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178..=180 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    }))
}
