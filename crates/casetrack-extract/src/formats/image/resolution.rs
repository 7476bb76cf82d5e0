//! The resolution that a JPEG or PNG states.

/// Stated resolutions outside this range are placeholders or errors: programs that know none write 72 or 96.
const CREDIBLE: std::ops::RangeInclusive<u32> = 100..=2400;
const INCHES_PER_METRE: f32 = 39.37;
const INCHES_PER_CENTIMETRE: f32 = 2.54;

/// Pixels per inch; `None` where the file states none that is credible.
pub(super) fn stated(bytes: &[u8]) -> Option<u32> {
    jpeg(bytes).or_else(|| png(bytes)).and_then(credible)
}

pub(super) fn credible(resolution: u32) -> Option<u32> {
    CREDIBLE.contains(&resolution).then_some(resolution)
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

/// The chunk "pHYs" before the pixels: pixels per metre across and down, unit.
fn png(bytes: &[u8]) -> Option<u32> {
    let mut rest = bytes.strip_prefix(b"\x89PNG\r\n\x1A\n")?;
    loop {
        let (head, body) = rest.split_at_checked(8)?;
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        match &head[4..] {
            b"pHYs" => {
                let [a, b, c, d, .., unit] = *body.get(..9)? else { return None };
                let per_metre = u32::from_be_bytes([a, b, c, d]);
                return (unit == 1).then(|| (per_metre as f32 / INCHES_PER_METRE).round() as u32);
            }
            b"IDAT" => return None,
            _ => rest = body.get(length.checked_add(4)?..)?,
        }
    }
}
