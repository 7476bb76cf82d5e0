//! Versions of documents: what differs between two of them, and which documents are versions of one another.
//!
//! | what | file |
//! |---|---|
//! | paragraphs as they are compared | `paragraphs` |
//! | words and signs, and how two paragraphs differ in them | `words` |
//! | which paragraph of one version is which of the other | `alignment`, and with other words `pairing` |
//! | the changes with their citations | `redline` |
//! | how much of their text two documents have in common | `sketch` |
//! | groups of documents that have much, and their order | `groups`, `drafts` |
//! | the groups with what lies between neighbours | `listing` |
//! | what ingestion says of new documents | `notice` |

mod alignment;
mod drafts;
mod groups;
mod listing;
mod notice;
mod pairing;
mod paragraphs;
mod redline;
mod sketch;
mod words;

pub use drafts::DraftOrder;
pub use listing::versions;
pub use listing::{DocumentVersion, USUAL_SIMILARITY, VersionGroup, VersionQuery, VersionReport};
pub use notice::versions_notice;
pub use redline::redline;
pub use redline::{ChangeKind, Redline, RedlineChange, RedlineCounts, RedlineSide};
