//! Mail: single messages (RFC 5322 and Outlook) and mailboxes.
//!
//! A message is one page: its headers as a mail program shows them, then the body. Attachments are documents of their own, and so
//! is each message of a mailbox: a mail is cited by itself, with its date and parties, and has its own attachments.

mod body;
mod eml;
mod letter;
mod mbox;
mod mime;
mod msg;
mod properties;
mod rich_text;

#[cfg(test)]
mod tests;

pub(crate) use self::eml::{Eml, body_of};
pub(crate) use self::mbox::Mbox;
pub(crate) use self::msg::Msg;

/// True if a file begins as Outlook's data files do ([MS-PST] 2.2.2.6). They are not read.
pub(crate) fn is_outlook_data(bytes: &[u8]) -> bool {
    bytes.starts_with(b"!BDN") && bytes.get(8..10).is_some_and(|client| client == b"SM" || client == b"SO")
}
