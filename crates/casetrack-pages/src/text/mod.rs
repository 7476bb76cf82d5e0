//! Text from every format: encodings, dates, languages, headings and kinds of documents.

pub mod bates;
pub mod clauses;
pub mod code_pages;
mod cursor;
pub mod dates;
pub mod document_type;
pub mod encoding;
pub mod exhibits;
pub mod headings;
pub mod language;
mod page_list;
pub mod paragraph_numbers;
mod paragraphs;
pub mod roman;
pub mod running_lines;
pub mod sections;

pub use self::cursor::Cursor;
pub use self::page_list::page_list;
pub use self::paragraphs::paragraphs;
