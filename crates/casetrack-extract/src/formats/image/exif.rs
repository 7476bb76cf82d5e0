//! The time at which a picture was taken, as the camera wrote it (Exif 2.32, CIPA DC-008): in a JPEG, PNG, WebP or
//! TIFF. Allocates nothing in proportion to the file, and checks every number of it.

use jiff::civil::DateTime;

use super::tiff::Tiff;

const EXIF_DIRECTORY: u16 = 0x8769;
/// The dates of the original, and of its digitisation.
const DATES: [u16; 2] = [0x9003, 0x9004];
/// Their offsets from UTC.
const OFFSETS: [u16; 2] = [0x9011, 0x9012];

/// The texts of the first directory.
const TEXTS: [(u16, &str); 6] = [
    (0x010E, "ImageDescription"),
    (0x010F, "Make"),
    (0x0110, "Model"),
    (0x0131, "Software"),
    (0x013B, "Artist"),
    (0x8298, "Copyright"),
];
/// Of either directory.
const NUMBERS: [(u16, &str); 4] =
    [(0x0112, "Orientation"), (0x8827, "ISOSpeedRatings"), (0xA002, "PixelXDimension"), (0xA003, "PixelYDimension")];

/// The time at which a picture was taken, in ISO 8601 to the second, with an offset if the file states one. `bytes` is
/// the file or its beginning. `None` without a date.
pub fn capture_time(bytes: &[u8]) -> Option<String> {
    let tiff = Tiff::of(block(bytes)?)?;
    let directory = tiff.entry(tiff.long(4)?, EXIF_DIRECTORY)?;
    let directory = tiff.long(directory + 8)?;
    DATES.into_iter().zip(OFFSETS).find_map(|(date, offset)| {
        let date = tiff.text(directory, date)?;
        // 2025:03:05 10:30:00
        let (day, time) = date.split_once(' ')?;
        let time: DateTime = format!("{}T{time}", day.replace(':', "-")).parse().ok()?;
        // A clock that was never set.
        (time.year() > 0).then_some(())?;
        let offset = tiff.text(directory, offset).filter(|offset| is_offset(offset)).unwrap_or_default();
        Some(format!("{}{offset}", time.strftime("%Y-%m-%dT%H:%M:%S")))
    })
}

/// The facts about the camera and the shot in a picture, by the names of Exif: texts, and numbers as texts. `bytes` is
/// as for [`capture_time`].
pub fn exif_fields(bytes: &[u8]) -> Vec<(&'static str, String)> {
    let Some(tiff) = block(bytes).and_then(Tiff::of) else { return Vec::new() };
    let Some(first) = tiff.long(4) else { return Vec::new() };
    let second = tiff.entry(first, EXIF_DIRECTORY).and_then(|entry| tiff.long(entry + 8));
    let texts = TEXTS.iter().filter_map(|(tag, name)| Some((*name, tiff.text(first, *tag)?.to_owned())));
    let numbers = NUMBERS.iter().filter_map(|(tag, name)| {
        let directories = [Some(first), second].into_iter().flatten();
        Some((*name, directories.filter_map(|directory| tiff.number(directory, *tag)).next()?.to_string()))
    });
    let taken = capture_time(bytes).map(|taken| ("DateTimeOriginal", taken));
    texts.chain(numbers).chain(taken).filter(|(_, value)| !value.is_empty()).collect()
}

fn is_offset(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = [1, 2, 4, 5].map(|at| bytes.get(at).copied().unwrap_or_default());
    matches!(bytes, [b'+' | b'-', _, _, b':', _, _]) && digits.iter().all(u8::is_ascii_digit)
}

fn block(bytes: &[u8]) -> Option<&[u8]> {
    if bytes.starts_with(b"\xFF\xD8") {
        return jpeg(bytes);
    }
    if let Some(exif) = png_chunk(bytes, b"eXIf") {
        return Some(exif);
    }
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        let exif = chunk(bytes.get(12..)?, b"EXIF", |head| {
            let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
            (length, 0, length % 2)
        })?;
        return Some(exif.strip_prefix(b"Exif\0\0").unwrap_or(exif));
    }
    Some(bytes)
}

/// The segment APP1 before the pixels.
fn jpeg(bytes: &[u8]) -> Option<&[u8]> {
    let mut rest = bytes.get(2..)?;
    loop {
        let [0xFF, marker, high, low, ..] = *rest else { return None };
        let length = usize::from(u16::from_be_bytes([high, low]));
        let body = rest.get(4..2 + length)?;
        match marker {
            0xE1 if body.starts_with(b"Exif\0\0") => return body.get(6..),
            // The pixels follow.
            0xDA | 0xD9 => return None,
            _ => rest = rest.get(2 + length..)?,
        }
    }
}

pub(super) fn png_chunk<'b>(bytes: &'b [u8], name: &[u8]) -> Option<&'b [u8]> {
    let chunks = bytes.strip_prefix(b"\x89PNG\r\n\x1A\n")?;
    chunk(chunks, name, |head| (u32::from_be_bytes([head[0], head[1], head[2], head[3]]), 4, 4))
}

/// The body of a chunk. `layout` reads its first eight bytes: length of the body, where its name is, bytes behind the
/// body.
fn chunk<'b>(mut rest: &'b [u8], name: &[u8], layout: impl Fn(&[u8]) -> (u32, usize, u32)) -> Option<&'b [u8]> {
    loop {
        let (head, body) = rest.split_at_checked(8)?;
        let (length, at, behind) = layout(head);
        let length = usize::try_from(length).ok()?;
        if head.get(at..at + 4) == Some(name) {
            return body.get(..length);
        }
        rest = body.get(length.checked_add(behind as usize)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A TIFF with only these texts in its Exif directory.
    fn tiff(is_little: bool, texts: &[(u16, &str)]) -> Vec<u8> {
        let short = |number: u16| if is_little { number.to_le_bytes() } else { number.to_be_bytes() };
        let long =
            |number: usize| if is_little { (number as u32).to_le_bytes() } else { (number as u32).to_be_bytes() };
        let mut file = if is_little { b"II*\0".to_vec() } else { b"MM\0*".to_vec() };
        file.extend(long(8));
        // One entry, which points at the other directory.
        file.extend([&short(1)[..], &short(EXIF_DIRECTORY), &short(4), &long(1), &long(26), &long(0)].concat());
        let mut at = 26 + 2 + 12 * texts.len() + 4;
        file.extend(short(texts.len() as u16));
        for (tag, text) in texts {
            file.extend([&short(*tag)[..], &short(2), &long(text.len() + 1), &long(at)].concat());
            at += text.len() + 1;
        }
        file.extend(long(0));
        texts.iter().for_each(|(_, text)| file.extend([text.as_bytes(), b"\0"].concat()));
        file
    }

    fn in_jpeg(exif: &[u8]) -> Vec<u8> {
        let segment =
            |marker: u8, body: &[u8]| [&[0xFF, marker][..], &(body.len() as u16 + 2).to_be_bytes(), body].concat();
        let exif = [b"Exif\0\0", exif].concat();
        [b"\xFF\xD8".to_vec(), segment(0xE0, b"JFIF\0"), segment(0xE1, &exif), segment(0xDA, b"")].concat()
    }

    fn in_png(exif: &[u8]) -> Vec<u8> {
        let chunk = |name: &[u8], body: &[u8]| [&(body.len() as u32).to_be_bytes(), name, body, b"crc4"].concat();
        [b"\x89PNG\r\n\x1A\n".to_vec(), chunk(b"IHDR", &[0; 13]), chunk(b"eXIf", exif)].concat()
    }

    fn in_webp(exif: &[u8]) -> Vec<u8> {
        let chunk = |name: &[u8], body: &[u8]| {
            let padding = vec![0; body.len() % 2];
            [name, &(body.len() as u32).to_le_bytes(), body, &padding].concat()
        };
        [b"RIFF\0\0\0\0WEBP".to_vec(), chunk(b"VP8 ", &[0; 5]), chunk(b"EXIF", exif)].concat()
    }

    #[test]
    fn the_time_is_found_in_every_format_and_byte_order() {
        let texts = [(0x9003, "2025:03:05 10:30:00"), (0x9011, "+09:00")];
        for is_little in [true, false] {
            let exif = tiff(is_little, &texts);
            for file in [exif.clone(), in_jpeg(&exif), in_png(&exif), in_webp(&exif)] {
                assert_eq!(capture_time(&file).as_deref(), Some("2025-03-05T10:30:00+09:00"));
                // A cut at any place does not panic.
                (0..file.len()).for_each(|end| drop(capture_time(&file[..end])));
            }
        }
    }

    #[test]
    fn a_picture_says_what_took_it_and_how() {
        // Make, in the first directory, which points at the other with the date.
        let mut file = b"MM\0*".to_vec();
        file.extend([0, 0, 0, 8, 0, 3]);
        file.extend([0x01, 0x0F, 0, 2, 0, 0, 0, 4, b'A', b'c', b'm', 0]);
        file.extend([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]);
        file.extend([0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 50, 0, 0, 0, 0]);
        file.extend([0, 1, 0xA0, 0x02, 0, 4, 0, 0, 0, 1, 0, 0, 0x10, 0, 0, 0, 0, 0]);
        let found = exif_fields(&in_jpeg(&file));
        let expected = [("Make", "Acm"), ("Orientation", "6"), ("PixelXDimension", "4096")];
        assert_eq!(found, expected.map(|(name, value)| (name, value.to_owned())));
        (0..file.len()).for_each(|end| drop(exif_fields(&file[..end])));
        let dated = exif_fields(&tiff(true, &[(0x9003, "2025:03:05 10:30:00")]));
        assert_eq!(dated, [("DateTimeOriginal", "2025-03-05T10:30:00".to_owned())]);
    }

    #[test]
    fn what_no_clock_said_is_no_time() {
        let found = |texts: &[(u16, &str)]| capture_time(&in_jpeg(&tiff(true, texts)));
        assert_eq!(found(&[(0x9004, "2025:03:05 10:30:00")]).as_deref(), Some("2025-03-05T10:30:00"));
        assert_eq!(
            found(&[(0x9003, "2025:03:05 10:30:00"), (0x9011, "local")]).as_deref(),
            Some("2025-03-05T10:30:00")
        );
        for text in ["0000:00:00 00:00:00", "    :  :     :  :  ", "2025:13:05 10:30:00", "", "2025"] {
            assert_eq!(found(&[(0x9003, text)]), None, "{text}");
        }
        for file in [&b""[..], b"\xFF\xD8\xFF", b"II*\0\xFF\xFF\xFF\xFF", b"MM\0*\0\0\0\x04", b"%PDF-1.7"] {
            assert_eq!(capture_time(file), None);
        }
    }
}
