//! The objects of a PDF in the bytes of the file (ISO 32000-1, 7.3), for facts that the library does not give.
//!
//! No cross-reference table is read: of two objects with one number the later one in the file counts, as it does in
//! files that were added to. The strings of encrypted files, and their object streams, cannot be read.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read;

use flate2::read::ZlibDecoder;

/// Most bytes of object streams that are looked into.
const MAX_BYTES: u64 = 32 << 20;
/// Most bytes of one object: those that are asked for are dictionaries.
const MAX_OBJECT: usize = 1 << 16;
/// Most levels of parents of a field.
const MAX_DEPTH: usize = 32;

/// Objects by their numbers.
pub(super) struct Objects<'a>(HashMap<u32, Cow<'a, [u8]>>);

impl<'a> Objects<'a> {
    pub fn of(file: &'a [u8]) -> Self {
        let mut objects = HashMap::new();
        let mut left = MAX_BYTES;
        let mut at = 0;
        while let Some(found) = find(file, b" obj", at) {
            at = found + b" obj".len();
            let Some(number) = number_before(file, found) else { continue };
            let rest = &file[at..file.len().min(at + MAX_OBJECT)];
            let object = &rest[..find(rest, b"endobj", 0).unwrap_or(rest.len())];
            if name(object, b"/Type") == Some(b"/ObjStm") {
                for (number, object) in packed(object, &file[at..], &mut left) {
                    objects.insert(number, Cow::Owned(object));
                }
            }
            objects.insert(number, Cow::Borrowed(object));
        }
        Self(objects)
    }

    /// The full names of the fields whose value is this object: their parents' names and their own, joined by full stops.
    pub fn fields_with_value(&self, value: u32) -> Vec<String> {
        let has_value = |object: &&Cow<[u8]>| entry(object, b"/V").and_then(reference) == Some(value);
        self.0.values().filter(has_value).map(|field| self.full_name(field)).collect()
    }

    pub fn all(&self) -> impl Iterator<Item = &[u8]> {
        self.0.values().map(|object| &**object)
    }

    /// The object that a value refers to, or the value itself.
    pub fn resolved<'o>(&'o self, value: &'o [u8]) -> Option<&'o [u8]> {
        match reference(value) {
            Some(number) => self.0.get(&number).map(|object| object.trim_ascii_start()),
            None => Some(value),
        }
    }

    /// The content of the stream that a value refers to, as it is or compressed by Flate.
    pub fn stream(&self, value: &[u8]) -> Option<Vec<u8>> {
        let object = self.0.get(&reference(value)?)?;
        let content = &object[find(object, b"stream", 0)? + b"stream".len()..];
        let content = content.strip_prefix(b"\r").unwrap_or(content);
        let content = content.strip_prefix(b"\n").unwrap_or(content);
        let filter = entry(object, b"/Filter").map(|filter| &filter[..filter.len().min(20)]);
        match filter {
            None => Some(content[..find(content, b"endstream", 0).unwrap_or(content.len())].to_vec()),
            Some(filter) if find(filter, b"/FlateDecode", 0).is_some() => {
                let mut inflated = Vec::new();
                let _ = ZlibDecoder::new(content).take(MAX_OBJECT as u64).read_to_end(&mut inflated);
                Some(inflated)
            }
            Some(_) => None,
        }
    }

    fn full_name(&self, field: &[u8]) -> String {
        let mut names = Vec::new();
        let mut field = Some(field);
        while let Some(object) = field.filter(|_| names.len() < MAX_DEPTH) {
            names.push(entry(object, b"/T").and_then(string).unwrap_or_default());
            field = entry(object, b"/Parent").and_then(reference).and_then(|parent| self.0.get(&parent)).map(|o| &**o);
        }
        names.reverse();
        names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(".")
    }
}

/// The number of the object whose " obj" is at this place.
pub(super) fn number_before(file: &[u8], at: usize) -> Option<u32> {
    let digits = |bytes: &[u8]| bytes.iter().rev().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    let before = file.get(..at)?;
    let generation = digits(before);
    let before = &before[..before.len() - generation];
    let number = before.trim_ascii_end();
    let length = digits(number);
    let is_apart = generation > 0 && number.len() < before.len();
    std::str::from_utf8(&number[number.len() - length..]).ok()?.parse().ok().filter(|_| is_apart)
}

/// The objects in an object stream, of which this is the dictionary, at the beginning of `rest`.
fn packed(dictionary: &[u8], rest: &[u8], left: &mut u64) -> Vec<(u32, Vec<u8>)> {
    let mut content = || {
        let first = number(entry(dictionary, b"/First")?)?;
        let rest = &rest[find(rest, b"stream", 0)? + b"stream".len()..];
        let rest = rest.strip_prefix(b"\r").unwrap_or(rest);
        let rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        let mut content = Vec::new();
        // What can be read of it is looked at.
        let _ = ZlibDecoder::new(rest).take(*left).read_to_end(&mut content);
        *left = left.saturating_sub(content.len() as u64);
        Some((first, content))
    };
    let Some((first, content)) = content() else { return Vec::new() };
    let head = content.get(..first).unwrap_or_default();
    let numbers: Vec<usize> = std::str::from_utf8(head)
        .unwrap_or_default()
        .split_ascii_whitespace()
        .map_while(|number| number.parse().ok())
        .collect();
    let ends = numbers.chunks_exact(2).skip(1).map(|next| next[1]).chain([usize::MAX]);
    let object = |(pair, end): (&[usize], usize)| {
        let end = first.saturating_add(end).min(content.len());
        let object = content.get(first.checked_add(pair[1])?..end)?;
        Some((u32::try_from(pair[0]).ok()?, object[..object.len().min(MAX_OBJECT)].to_vec()))
    };
    numbers.chunks_exact(2).zip(ends).filter_map(object).collect()
}

/// The text behind a key of the dictionary of an object, up to the object's end. A value that is a name is not
/// distinguished from a key; none is called as the keys that are looked for.
pub(super) fn entry<'o>(object: &'o [u8], key: &[u8]) -> Option<&'o [u8]> {
    let start = find(object, b"<<", 0)? + 2;
    let mut rest = &object[start..];
    let mut depth = 0usize;
    while let [first, more @ ..] = rest {
        rest = match (first, more.first()) {
            (b'<', Some(b'<')) => {
                depth += 1;
                &more[1..]
            }
            (b'>', Some(b'>')) => {
                depth = depth.checked_sub(1)?;
                &more[1..]
            }
            (b'[', _) => {
                depth += 1;
                more
            }
            (b']', _) => {
                depth = depth.checked_sub(1)?;
                more
            }
            (b'<', _) => &more[more.iter().position(|byte| *byte == b'>')? + 1..],
            (b'(', _) => &more[literal(more).1..],
            (b'/', _) => {
                let length = 1 + more.iter().take_while(|byte| is_regular(**byte)).count();
                let (word, behind) = rest.split_at(length);
                if depth == 0 && word == key {
                    return Some(behind.trim_ascii_start());
                }
                behind
            }
            _ => more,
        };
    }
    None
}

pub(super) fn is_regular(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !b"()<>[]{}/%\0".contains(&byte)
}

pub(super) fn name<'o>(object: &'o [u8], key: &[u8]) -> Option<&'o [u8]> {
    let value = entry(object, key).filter(|value| value.starts_with(b"/"))?;
    Some(&value[..1 + value[1..].iter().take_while(|byte| is_regular(**byte)).count()])
}

fn number(value: &[u8]) -> Option<usize> {
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&value[..digits]).ok()?.parse().ok()
}

fn reference(value: &[u8]) -> Option<u32> {
    let mut parts =
        value[..value.len().min(40)].split(|byte| byte.is_ascii_whitespace()).filter(|part| !part.is_empty());
    let (object, _, letter) = (parts.next()?, parts.next()?, parts.next()?);
    let is_reference = letter.first() == Some(&b'R');
    std::str::from_utf8(object).ok()?.parse().ok().filter(|_| is_reference)
}

pub(super) fn string(value: &[u8]) -> Option<String> {
    match value {
        [b'(', rest @ ..] => Some(decoded(&literal(rest).0)),
        [b'<', rest @ ..] if rest.first() != Some(&b'<') => {
            let end = rest.iter().position(|byte| *byte == b'>')?;
            Some(decoded(&from_hex(&rest[..end])))
        }
        _ => None,
    }
}

/// A string in parentheses, up to its end, and how many bytes it takes with the parenthesis that closes it.
fn literal(text: &[u8]) -> (Vec<u8>, usize) {
    let (mut bytes, mut depth) = (Vec::new(), 0);
    let mut rest = text.iter().copied();
    while let Some(byte) = rest.next() {
        match byte {
            b'\\' => match rest.next() {
                Some(b'n') => bytes.push(b'\n'),
                Some(b'r') => bytes.push(b'\r'),
                Some(b't') => bytes.push(b'\t'),
                Some(digit @ b'0'..=b'7') => {
                    let mut code = u32::from(digit - b'0');
                    for _ in 0..2 {
                        let Some(digit @ b'0'..=b'7') = rest.clone().next() else { break };
                        code = 8 * code + u32::from(digit - b'0');
                        rest.next();
                    }
                    bytes.push(code as u8);
                }
                Some(other) => bytes.push(other),
                None => {}
            },
            b')' if depth == 0 => break,
            b')' => {
                depth -= 1;
                bytes.push(byte);
            }
            b'(' => {
                depth += 1;
                bytes.push(byte);
            }
            byte => bytes.push(byte),
        }
    }
    (bytes, text.len() - rest.len())
}

fn decoded(bytes: &[u8]) -> String {
    match bytes {
        [0xFE, 0xFF, units @ ..] => {
            let units: Vec<u16> = units.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
            String::from_utf16_lossy(&units)
        }
        [0xEF, 0xBB, 0xBF, text @ ..] => String::from_utf8_lossy(text).into_owned(),
        text => text.iter().map(|byte| char::from(*byte)).collect(),
    }
}

pub(super) fn from_hex(text: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> =
        text.iter().filter_map(|byte| char::from(*byte).to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| 16 * pair[0] + pair[1]).collect()
}

pub(super) fn find(bytes: &[u8], pattern: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let (first, others) = pattern.split_first()?;
    let mut at = 0;
    while let Some(next) = rest[at..].iter().position(|byte| byte == first) {
        at += next + 1;
        if rest[at..].starts_with(others) {
            return Some(from + at - 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn entries_are_those_of_the_dictionary_itself() {
        let object = b" << /Kids [<< /T (kid) >>] /A << /T (of an action) >> /TU (/T \\(no) /T <FEFF00C4> /V 12 0 R>>";
        assert_eq!(entry(object, b"/T").and_then(string).as_deref(), Some("Ä"));
        assert_eq!(entry(object, b"/V").and_then(reference), Some(12));
        for damaged in [&b"<< /T"[..], b"<< >> /T (x)", b"<< (", b"<< <", b"<<", b""] {
            assert_eq!(entry(damaged, b"/T").and_then(string), None, "{damaged:?}");
        }
        assert_eq!(reference(b"12 0 obj"), None);
    }

    #[test]
    fn the_later_of_two_objects_counts_and_object_streams_are_opened() {
        let head = "7 0 8 26 ";
        let content = format!("{head}<</T(Ann)/V 5 0 R/Kids[]>> <</T(Ben)/Parent 9 0 R/V 6 0 R>>");
        let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(content.as_bytes()).unwrap();
        let file = [
            b"9 0 obj <</T (Lease)>> endobj\n7 0 obj <</T (Ann)>> endobj\n".to_vec(),
            format!("3 0 obj <</Type/ObjStm /N 2 /First {}>>stream\r\n", head.len()).into_bytes(),
            packed.finish().unwrap(),
            b"\nendstream endobj".to_vec(),
        ]
        .concat();
        let objects = Objects::of(&file);
        assert_eq!(objects.fields_with_value(5), ["Ann"]);
        assert_eq!(objects.fields_with_value(6), ["Lease.Ben"]);
        let later = [&file, &b"\n7 0 obj <</T(Ann)>> endobj"[..]].concat();
        assert!(Objects::of(&later).fields_with_value(5).is_empty());
        // A parent of its own, and files that end early.
        let round = Objects::of(b"1 0 obj <</T (a) /Parent 1 0 R /V 2 0 R>>").fields_with_value(2);
        assert_eq!(round[0].len(), 2 * MAX_DEPTH - 1);
        for end in 0..file.len() {
            Objects::of(&file[..end]);
        }
    }
}
