//! The resolution that a JPEG or PNG states.

use super::exif::png_chunk;
use super::tiff::credible;

const INCHES_PER_METRE: f32 = 39.37;
const INCHES_PER_CENTIMETRE: f32 = 2.54;

/// Pixels per inch; `None` if the file states none that is credible.
pub(super) fn stated(bytes: &[u8]) -> Option<u32> {
    jpeg(bytes).or_else(|| png(bytes)).and_then(credible)
}

/// The density of the first segment (JFIF 1.02: marker, length, "JFIF", version, unit, density across).
fn jpeg(bytes: &[u8]) -> Option<u32> {
    if !bytes.starts_with(b"\xFF\xD8\xFF\xE0") || bytes.get(6..11)? != b"JFIF\0" {
        return None;
    }
    let density = u32::from(u16::from_be_bytes([*bytes.get(14)?, *bytes.get(15)?]));
    match bytes.get(13)? {
        1 => Some(density),
        2 => Some((density as f32 * INCHES_PER_CENTIMETRE).round() as u32),
        _ => None,
    }
}

/// The chunk "pHYs": pixels per metre across and down, unit.
fn png(bytes: &[u8]) -> Option<u32> {
    let [a, b, c, d, .., unit] = *png_chunk(bytes, b"pHYs")?.get(..9)? else { return None };
    let per_metre = u32::from_be_bytes([a, b, c, d]);
    (unit == 1).then(|| (per_metre as f32 / INCHES_PER_METRE).round() as u32)
}
