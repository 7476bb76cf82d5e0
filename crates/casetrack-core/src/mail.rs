//! Headers of a message that place it in a conversation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most messages that one message refers to: the first ones and the last are kept.
const MAX_REFERENCES: usize = 200;
/// Most recipients of a kind that are kept.
const MAX_RECIPIENTS: usize = 1000;
/// Longest id, in bytes: the longest line of a message (RFC 5322, 2.1.1).
const MAX_ID_BYTES: usize = 998;

/// The headers of an e-mail message that threads are made of. Its sender is the author of the document, its date that of creation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MailHeaders {
    /// Ids are without the angle brackets.
    #[serde(default)]
    pub message_id: Option<String>,
    #[serde(default)]
    pub in_reply_to: Vec<String>,
    /// The messages before it, the oldest first.
    #[serde(default)]
    pub references: Vec<String>,
    #[serde(default)]
    pub subject: Option<String>,
    /// As shown: `Ann <ann@example.com>`.
    #[serde(default)]
    pub to: Vec<String>,
    #[serde(default)]
    pub cc: Vec<String>,
    #[serde(default)]
    pub bcc: Vec<String>,
}

impl MailHeaders {
    /// Brings everything within bounds.
    pub fn bounded(mut self) -> Self {
        for people in [&mut self.to, &mut self.cc, &mut self.bcc] {
            people.truncate(MAX_RECIPIENTS);
        }
        for ids in [&mut self.in_reply_to, &mut self.references] {
            if ids.len() > MAX_REFERENCES {
                ids.drain(MAX_REFERENCES / 2..ids.len() - MAX_REFERENCES / 2);
            }
        }
        self
    }
}

/// The ids in a header, in its order: the texts in angle brackets, or if there are none, the words with an `@`.
pub fn message_ids(header: &str) -> Vec<String> {
    let id = |text: &str| text.split_whitespace().collect::<String>();
    let mut ids: Vec<String> =
        header.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(inside, _)| id(inside)).collect();
    if ids.is_empty() {
        let words = header.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | ',' | ';'));
        ids = words.filter(|word| word.contains('@')).map(str::to_owned).collect();
    }
    ids.retain(|id| !id.is_empty() && id.len() <= MAX_ID_BYTES);
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_with_and_without_brackets() {
        assert_eq!(message_ids("<a@x>\r\n <b@ y> (a comment) <c"), ["a@x", "b@y"]);
        assert_eq!(message_ids(" a@x, b@y"), ["a@x", "b@y"]);
        assert_eq!(message_ids("Your message of Monday"), [""; 0]);
        assert_eq!(message_ids(&format!("<{}@x>", "a".repeat(1000))), [""; 0]);
    }

    #[test]
    fn of_many_references_the_first_and_the_last_are_kept() {
        let references: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
        let headers = MailHeaders { references, ..MailHeaders::default() }.bounded();
        assert_eq!((headers.references.len(), headers.references[99].as_str()), (200, "99"));
        assert_eq!((headers.references[100].as_str(), headers.references[199].as_str()), ("900", "999"));
    }
}
