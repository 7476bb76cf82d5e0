//! Cursors: the place at which a list continues, bound to the question that it answers.

use casetrack_catalog::Key;
use casetrack_core::{Error, Result};

use casetrack_host::sha256;

/// Characters of the digest that a cursor begins with.
const DIGEST: usize = 16;

/// A cursor for the answer to a question. Both describe the question exactly.
pub fn write(key: &Key, question: &str) -> Result<String> {
    let json = serde_json::to_string(key).map_err(|error| Error::internal(error.to_string()))?;
    let hex: String = json.bytes().map(|byte| format!("{byte:02x}")).collect();
    Ok(digest(&json, question) + &hex)
}

/// The place at which a cursor continues.
///
/// Errors: one that is damaged, or of another question. The message is one sentence.
pub fn read(cursor: &str, question: &str) -> Result<Key> {
    let read = || {
        let (digits, hex) = cursor.split_at_checked(DIGEST)?;
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Vec<u8> = hex.as_bytes().chunks(2).map(byte).collect::<Option<_>>()?;
        let json = String::from_utf8(bytes).ok()?;
        (digest(&json, question) == digits).then(|| serde_json::from_str(&json).ok()).flatten()
    };
    read().ok_or_else(|| {
        Error::invalid(
            "Invalid cursor: pass the cursor of the previous answer unchanged, together with the same arguments, or omit it to start again.",
        )
    })
}

fn digest(json: &str, question: &str) -> String {
    let text = sha256(format!("{question}\n{json}").as_bytes()).to_string();
    text.chars().take(DIGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_of_one_question_and_whole() {
        let key: Key = serde_json::from_str("{\"value\": -5, \"path\": [47, 255]}").unwrap();
        let cursor = write(&key, "a").unwrap();
        assert_eq!(read(&cursor, "a").unwrap(), key);
        let changed = cursor.replace("35", "36");
        assert_ne!(changed, cursor);
        for (cursor, question) in [(&cursor[..], "b"), (&changed, "a"), (&cursor[1..], "a"), ("", "a"), ("ü", "a")] {
            assert!(read(cursor, question).unwrap_err().message.starts_with("Invalid cursor:"));
        }
    }
}
