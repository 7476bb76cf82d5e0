//! Plain data that every layer shares: the file being read, how it is read, and what comes out.

pub mod attachment;
mod course;
mod extraction;
mod picture;
mod source;

pub use self::attachment::Attachment;
pub(crate) use self::course::{Course, ReadBefore, Resume, Stage, Step};
pub use self::extraction::{AUTO_LANGUAGES, ExtractOptions, Extraction};
pub use self::picture::{PagePicture, RenderRequest};
pub(crate) use self::picture::{Pixels, on_paper, union};
pub(crate) use self::source::{Source, raised_by, split_or_raise};
