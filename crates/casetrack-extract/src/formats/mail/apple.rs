//! Messages as Apple Mail keeps them (.emlx): a line with the length of the message in bytes, the message, and a property list.

/// Longest line with a length, in bytes.
const LENGTH_LINE: usize = 20;
/// Bytes in which the property list shows that it is one.
const LIST_HEAD: usize = 400;

/// The message in such a file; `None` for a file of another kind.
pub(crate) fn apple_message(bytes: &[u8]) -> Option<&[u8]> {
    let line = bytes.iter().take(LENGTH_LINE).position(|&byte| byte == b'\n')?;
    let length: usize = std::str::from_utf8(&bytes[..line]).ok()?.trim().parse().ok()?;
    let (message, list) = bytes[line + 1..].split_at_checked(length)?;
    let list = list.trim_ascii_start();
    let head = &list[..list.len().min(LIST_HEAD)];
    let is_list = head.starts_with(b"<?xml") && head.windows(6).any(|window| window == b"<plist");
    (length > 0 && is_list).then_some(message)
}
