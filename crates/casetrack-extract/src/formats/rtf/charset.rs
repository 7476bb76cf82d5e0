//! Character sets and code pages of RTF as encodings.

use encoding_rs::{self as codes, Encoding};

/// The encoding of `\ansicpgN` and `\cpgN`; code pages of DOS that the web does not know are read as their Windows kin.
pub(super) fn of_code_page(number: i32) -> &'static Encoding {
    match number {
        437 | 850 | 819 => codes::WINDOWS_1252,
        852 => codes::WINDOWS_1250,
        866 => codes::IBM866,
        874 => codes::WINDOWS_874,
        932 => codes::SHIFT_JIS,
        936 => codes::GBK,
        949 => codes::EUC_KR,
        950 => codes::BIG5,
        1250 => codes::WINDOWS_1250,
        1251 => codes::WINDOWS_1251,
        1253 => codes::WINDOWS_1253,
        1254 => codes::WINDOWS_1254,
        1255 => codes::WINDOWS_1255,
        1256 => codes::WINDOWS_1256,
        1257 => codes::WINDOWS_1257,
        1258 => codes::WINDOWS_1258,
        10000 => codes::MACINTOSH,
        10007 => codes::X_MAC_CYRILLIC,
        65001 => codes::UTF_8,
        _ => codes::WINDOWS_1252,
    }
}

/// The encoding of `\fcharsetN`; `None` where it says nothing (default, symbols).
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
