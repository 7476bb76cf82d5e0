//! The Basic Encoding Rules of ASN.1 (ITU-T X.690), as far as envelopes need them. Programs that write while they read use lengths that
//! an end mark replaces, which is why a reader of the Distinguished Encoding Rules is not enough.

/// Maximum depth of elements inside each other.
const MAX_DEPTH: u32 = 24;

pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const OBJECT_IDENTIFIER: u8 = 0x06;
/// The first element with a number of its own, `[0]`.
pub(super) const FIRST: u8 = 0xA0;
const OCTETS: u8 = 0x04;
/// Octets in pieces.
const CONSTRUCTED: u8 = 0x20;

pub(super) struct Element<'a> {
    pub tag: u8,
    pub content: &'a [u8],
}

/// The elements that are left at one level.
#[derive(Clone, Copy)]
pub(super) struct Elements<'a>(pub &'a [u8]);

impl<'a> Elements<'a> {
    /// The next element; `None` at the end, and if it is damaged.
    pub fn next(&mut self) -> Option<Element<'a>> {
        let (element, rest) = split(self.0, 0)?;
        self.0 = rest;
        Some(element)
    }

    /// The elements of the next one, if it has this tag.
    pub fn enter(&mut self, tag: u8) -> Option<Elements<'a>> {
        self.next().filter(|element| element.tag == tag).map(|element| Elements(element.content))
    }
}

fn split(bytes: &[u8], depth: u32) -> Option<(Element<'_>, &[u8])> {
    let (&tag, mut rest) = bytes.split_first()?;
    if tag & 0x1F == 0x1F {
        // The number continues while the high bit is set.
        let more = rest.iter().take_while(|&&byte| byte & 0x80 != 0).count();
        rest = rest.get(more + 1..)?;
    }
    let (&first, mut rest) = rest.split_first()?;
    let length = match first {
        0..=0x7F => usize::from(first),
        0x80 if depth < MAX_DEPTH => {
            let content = rest;
            while !rest.starts_with(&[0, 0]) {
                (_, rest) = split(rest, depth + 1)?;
            }
            let length = content.len() - rest.len();
            return Some((Element { tag, content: &content[..length] }, rest.get(2..)?));
        }
        0x80 => return None,
        _ => {
            let digits = usize::from(first & 0x7F);
            let (length, after) = rest.split_at_checked(digits)?;
            rest = after;
            let length = length.iter().skip_while(|&&byte| byte == 0).copied().collect::<Vec<u8>>();
            if length.len() > 8 {
                return None;
            }
            length.iter().fold(0usize, |length, &byte| length << 8 | usize::from(byte))
        }
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((Element { tag, content }, rest))
}

impl Element<'_> {
    /// The octets of an octet string, in one piece or many.
    pub fn octets(&self) -> Option<Vec<u8>> {
        let mut octets = Vec::new();
        self.collect(&mut octets, 0)?;
        Some(octets)
    }

    fn collect(&self, octets: &mut Vec<u8>, depth: u32) -> Option<()> {
        match self.tag {
            OCTETS => octets.extend_from_slice(self.content),
            tag if tag == OCTETS | CONSTRUCTED && depth < MAX_DEPTH => {
                let mut pieces = Elements(self.content);
                while !pieces.0.is_empty() {
                    pieces.next()?.collect(octets, depth + 1)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}
