//! Plain data that every layer shares: the file being read, the options, and the result.

pub mod attachment;
mod extraction;
mod picture;
mod source;
mod steps;

pub use self::attachment::Attachment;
pub use self::extraction::{AUTO_LANGUAGES, ExtractOptions, Extraction};
pub use self::picture::{PagePicture, Pixels, RenderRequest, on_paper, union};
pub use self::source::{Source, can_be_raised, split_or_raise};
pub use self::steps::{EarlierPage, Resume, Stage, Step, StepTracker};
