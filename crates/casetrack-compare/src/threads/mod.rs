//! Conversations by e-mail: which messages answer which, and what they quote of each other.
//!
//! | what | file |
//! |---|---|
//! | what is known of a message | `message` |
//! | where quotations come from | `sources` |
//! | which message answers which | `linking`, and without ids `guessing` |
//! | trees of messages | `forest` |
//! | the threads with their messages | `listing` |

mod forest;
mod guessing;
mod linking;
mod listing;
mod message;
mod sources;

pub use forest::ThreadLink;
pub use listing::threads;
pub use listing::{MailThread, QuotedMessage, ThreadMessage, ThreadQuery, ThreadReport};
