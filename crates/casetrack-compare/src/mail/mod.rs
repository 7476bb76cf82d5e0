//! The text of messages: what is quoted in them, and what their subjects say.
//!
//! | what | file |
//! |---|---|
//! | subjects without `Re:` and the like | `subject` |
//! | the lines that begin a quotation, in the words of several programs and languages | `marks` |
//! | which text of a message is quoted | `quoted` |
//! | word sequences, by which a quotation is found in what it quotes | `sequences` |

mod marks;
pub mod quoted;
pub mod sequences;
pub(crate) mod subject;
