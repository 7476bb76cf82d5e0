//! Mail: single messages (RFC 5322 and Outlook) and mailboxes.
//!
//! A message is one page: its headers as a mail program shows them, then the body. Attachments are documents of their own, and so
//! is each message of a mailbox: a mail is cited by itself, with its date and parties, and has its own attachments.

mod apple;
mod body;
mod charsets;
mod eml;
mod headers;
mod item;
mod letter;
mod mbox;
mod meeting;
mod mime;
mod msg;
mod properties;
mod reader;
mod rich_text;
mod tnef;
mod uuencoded;
mod web_archive;

#[cfg(test)]
mod envelope_tests;
#[cfg(test)]
mod tests;

pub(crate) use self::apple::apple_message;
pub(crate) use self::eml::{Eml, body_of};
pub(crate) use self::mbox::Mbox;
pub(crate) use self::msg::Msg;
pub(crate) use self::tnef::{Tnef, is_tnef};
pub(crate) use self::web_archive::{WebArchive, is_web_archive};

/// True if a file begins as Outlook's data files do ([MS-PST] 2.2.2.6). They are not read.
pub(crate) fn is_outlook_data(bytes: &[u8]) -> bool {
    bytes.starts_with(b"!BDN") && bytes.get(8..10).is_some_and(|client| client == b"SM" || client == b"SO")
}
