//! Texts compared: the quotations of a draft with their sources, versions of a document with redlines, and messages
//! with the threads that they belong to.

pub mod mail;
pub mod quotes;
pub mod threads;
pub mod versions;
