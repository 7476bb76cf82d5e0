//! Cursors: the place at which a list continues, bound to the question that it answers.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use casetrack_catalog::Key;
use casetrack_core::{Error, Result};

use casetrack_host::sha256;

/// Characters of the digest that a cursor begins with.
const DIGEST: usize = 16;

/// A cursor for the answer to a question. Both describe the question exactly.
pub fn write(key: &Key, question: &str) -> String {
    let bytes = key.to_bytes();
    digest(&bytes, question) + &BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// The place at which a cursor continues.
///
/// Errors: one that is damaged, or of another question. The message is one sentence.
pub fn read(cursor: &str, question: &str) -> Result<Key> {
    let read = || {
        let (digits, rest) = cursor.split_at_checked(DIGEST)?;
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(rest).ok()?;
        (digest(&bytes, question) == digits).then(|| Key::from_bytes(&bytes)).flatten()
    };
    read().ok_or_else(|| {
        Error::invalid(
            "Invalid cursor: pass the cursor of the previous answer unchanged, together with the same arguments, or omit it to start again.",
        )
    })
}

fn digest(key: &[u8], question: &str) -> String {
    let text = sha256(&[question.as_bytes(), b"\n", key].concat()).to_string();
    text.chars().take(DIGEST).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use casetrack_catalog::Time;

    use super::*;

    #[test]
    fn a_cursor_is_of_one_question_and_whole() {
        let time = Time { seconds: -5, nanoseconds: 1 };
        let path = "/matters/".to_owned() + &"Vendor Agreement/".repeat(16);
        let key = Key::new(Some(time), Path::new(&path));
        let cursor = write(&key, "a");
        assert_eq!(read(&cursor, "a").unwrap(), key);
        assert!(cursor.len() < 2 * path.len(), "{} characters", cursor.len());
        let by_path = Key::new(None, Path::new("/"));
        assert_eq!(read(&write(&by_path, "a"), "a").unwrap(), by_path);
        let changed = cursor.replace('V', "W");
        assert_ne!(changed, cursor);
        for (cursor, question) in [(&cursor[..], "b"), (&changed, "a"), (&cursor[1..], "a"), ("", "a"), ("ü", "a")] {
            assert!(read(cursor, question).unwrap_err().message.starts_with("Invalid cursor:"));
        }
    }
}
