//! Text, whatever format it came from: encodings, dates, languages, headings and kinds of documents.

pub mod bates;
pub mod clauses;
mod cursor;
pub mod dates;
pub mod document_type;
pub mod encoding;
pub mod exhibits;
pub mod headings;
pub mod language;
pub mod numbered;
mod page_list;
pub mod roman;
pub mod running;
pub mod sections;

pub(crate) use self::cursor::Cursor;
pub(crate) use self::page_list::page_list;
