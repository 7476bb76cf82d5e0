//! Conversations by e-mail: links between messages and answers, and their quotations of each other.
//!
//! | content | file |
//! |---|---|
//! | a message for comparison | `message` |
//! | sources of quotations | `sources` |
//! | links between messages and answers | `header_links`, and without ids `heuristics` |
//! | trees of messages | `forest` |
//! | the threads with their messages | `thread_list` |

mod forest;
mod header_links;
mod heuristics;
mod message;
mod sources;
mod thread_list;

pub use forest::ThreadLink;
pub use thread_list::{MailThread, QuotedMessage, ThreadMessage, ThreadQuery, ThreadReport, threads};
