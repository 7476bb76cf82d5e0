//! The text of messages: quotations in them, and their subjects.
//!
//! | content | file |
//! |---|---|
//! | subjects without `Re:` and the like | `subject` |
//! | the lines that begin a quotation, in the words of several programs and languages | `marks` |
//! | the quoted text of a message | `quotations` |
//! | word sequences, by which a quotation is found in its source | `sequences` |

mod marks;
pub mod quotations;
pub mod sequences;
pub(crate) mod subject;
