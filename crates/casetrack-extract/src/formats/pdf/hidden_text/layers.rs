//! Detects layers that are off (ISO 32000-1, 8.11.4).

use std::io::Read;

use flate2::read::ZlibDecoder;

/// Most bytes of object streams that are searched: the catalogue, which lists the layers, is in one of some kilobytes.
const MAX_BYTES: u64 = 8 << 20;
/// The marker of an object stream, and the greatest distance from it to the content.
const OBJECT_STREAM: &[u8] = b"/ObjStm";
const MAX_DICTIONARY: usize = 1024;

/// True if layers are off when the file is opened. Unknown (false) for an encrypted file.
pub(super) fn are_off(file: &[u8]) -> bool {
    if says_so(file) {
        return true;
    }
    let mut left = MAX_BYTES;
    for at in places(file, OBJECT_STREAM) {
        let rest = &file[at..file.len().min(at + MAX_DICTIONARY)];
        let Some(start) = position(rest, b"stream").map(|start| at + start + b"stream".len()) else { continue };
        let content = &file[start..];
        let content = content.strip_prefix(b"\r").unwrap_or(content);
        let content = content.strip_prefix(b"\n").unwrap_or(content);
        let mut objects = Vec::new();
        // What can be read of it is looked at.
        let _ = ZlibDecoder::new(content).take(left).read_to_end(&mut objects);
        left = left.saturating_sub(objects.len() as u64);
        if says_so(&objects) {
            return true;
        }
        if left == 0 {
            break;
        }
    }
    false
}

fn says_so(objects: &[u8]) -> bool {
    if position(objects, b"/OCProperties").is_none() {
        return false;
    }
    let is_named = |place: usize| {
        let rest = objects[place + b"/OFF".len()..].trim_ascii_start();
        // An array with a reference, or the state of all that are not named.
        rest.strip_prefix(b"[").is_some_and(|rest| rest.trim_ascii_start().first().is_some_and(u8::is_ascii_digit))
            || objects[..place].trim_ascii_end().ends_with(b"/BaseState")
    };
    // Parts of it may be objects of their own, anywhere.
    places(objects, b"/OFF").any(is_named)
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    places(bytes, wanted).next()
}

fn places<'b>(bytes: &'b [u8], wanted: &'b [u8]) -> impl Iterator<Item = usize> + 'b {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(from..)?;
        let at = from + rest.windows(wanted.len()).position(|window| window == wanted)?;
        from = at + wanted.len();
        Some(at)
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn layers_that_are_off_are_found_also_in_object_streams() {
        let off = b"<< /Type /Catalog /OCProperties << /OCGs [7 0 R] /D << /OFF [ 7 0 R ] >> >> >>";
        let on = b"<< /Type /Catalog /OCProperties << /OCGs [7 0 R] /D << /ON [7 0 R] /OFF [] >> >> >>";
        let all = b"<< /OCProperties << /D << /BaseState /OFF >> >> >>";
        assert_eq!([&off[..], on, all, b"/OFF [7 0 R]"].map(are_off), [true, false, true, false]);
        let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(off).unwrap();
        let file =
            [b"1 0 obj << /Type /ObjStm /N 1 >>\nstream\r\n", &packed.finish().unwrap()[..], b"\nendstream"].concat();
        assert!(are_off(&file));
        assert!(!are_off(&file[..file.len() - 60]));
    }
}
