//! Rich Text as Outlook compresses it ([MS-OXRTFCP]).

/// The dictionary at the start (2.1.3.1.1 there).
const DICTIONARY: &[u8; 207] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \
\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

const COMPRESSED: &[u8] = b"LZFu";
const UNCOMPRESSED: &[u8] = b"MELA";

/// The Rich Text, as far as it is undamaged; `None` when it is not of this format.
pub(super) fn decompressed(bytes: &[u8], max_bytes: u64) -> Option<Vec<u8>> {
    let size = u32::from_le_bytes(*bytes.get(4..)?.first_chunk()?);
    let content = bytes.get(16..)?;
    match bytes.get(8..12)? {
        UNCOMPRESSED => Some(content[..content.len().min(size as usize)].to_vec()),
        COMPRESSED => {
            let mut text = expanded(content, u64::from(size).min(max_bytes) as usize);
            text.drain(..DICTIONARY.len().min(text.len()));
            Some(text)
        }
        _ => None,
    }
}

/// The dictionary and `size` bytes that follow it. References count from a window of 4096 bytes, which the output itself is.
fn expanded(content: &[u8], size: usize) -> Vec<u8> {
    const WINDOW: usize = 4096;
    let mut text = DICTIONARY.to_vec();
    let end = DICTIONARY.len() + size;
    let mut input = content.iter().copied();
    'runs: while let Some(control) = input.next() {
        for bit in 0..8 {
            if text.len() >= end {
                break 'runs;
            }
            let Some(first) = input.next() else { break 'runs };
            if control >> bit & 1 == 0 {
                text.push(first);
                continue;
            }
            let Some(second) = input.next() else { break 'runs };
            let reference = usize::from(first) << 8 | usize::from(second);
            let (offset, length) = (reference >> 4, (reference & 0xF) + 2);
            let write = text.len() % WINDOW;
            if offset == write {
                break 'runs;
            }
            let back = (write + WINDOW - offset) % WINDOW;
            for _ in 0..length {
                // Places of the window that were never written are empty.
                let byte = text.len().checked_sub(back).and_then(|from| text.get(from)).copied().unwrap_or(0);
                text.push(byte);
            }
        }
    }
    text.truncate(end);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_specification() {
        // [MS-OXRTFCP] 3.1 and 3.2.
        let simple = [
            0x2d, 0x00, 0x00, 0x00, 0x2b, 0x00, 0x00, 0x00, 0x4c, 0x5a, 0x46, 0x75, 0xf1, 0xc5, 0xc7, 0xa7, 0x03, 0x00,
            0x0a, 0x00, 0x72, 0x63, 0x70, 0x67, 0x31, 0x32, 0x35, 0x42, 0x32, 0x0a, 0xf3, 0x20, 0x68, 0x65, 0x6c, 0x09,
            0x00, 0x20, 0x62, 0x77, 0x05, 0xb0, 0x6c, 0x64, 0x7d, 0x0a, 0x80, 0x0f, 0xa0,
        ];
        let text = decompressed(&simple, 1000).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n");
        let beyond_the_end = [
            0x1a, 0x00, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00, 0x4c, 0x5a, 0x46, 0x75, 0xe2, 0xd4, 0x4b, 0x51, 0x41, 0x00,
            0x04, 0x20, 0x57, 0x58, 0x59, 0x5a, 0x0d, 0x6e, 0x7d, 0x01, 0x0e, 0xb0,
        ];
        let text = decompressed(&beyond_the_end, 1000).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}");
        assert_eq!(decompressed(&simple[..20], 1000).unwrap(), b"{\\rtf1\\ansi\\");
        assert_eq!(decompressed(b"short", 1000), None);
    }
}
