//! Versions of documents: differences between two of them, and groups of documents that are versions of one another.
//!
//! | content | file |
//! |---|---|
//! | paragraphs as they are compared | `paragraphs` |
//! | words and signs, and differences of two paragraphs in them | `words` |
//! | pairs of paragraphs of two versions | `alignment`, and with other words `similar_pairs` |
//! | the changes with their citations | `redline` |
//! | the share of their text that two documents have in common | `sketch` |
//! | groups of documents that have much, and their order | `groups`, `drafts` |
//! | the groups with the changes between neighbours | `version_list` |
//! | the notice of ingestion on new documents | `notice` |

mod alignment;
mod drafts;
mod groups;
mod notice;
mod paragraphs;
mod redline;
mod similar_pairs;
mod sketch;
mod version_list;
mod words;

pub use drafts::DraftOrder;
pub use notice::versions_notice;
pub use redline::{ChangeKind, Redline, RedlineChange, RedlineCounts, RedlineSide, redline};
pub use version_list::{DocumentVersion, USUAL_SIMILARITY, VersionGroup, VersionQuery, VersionReport, versions};
