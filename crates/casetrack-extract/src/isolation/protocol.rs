//! The messages between parent and worker: frames of a length (4 bytes, little-endian) and a value in postcard's format.

use std::io::{self, Read, Write};

use casetrack_core::{Error, ErrorCode, FileFormat, Hint, Page, Properties};
use casetrack_pages::model::{Attachment, ExtractOptions, PagePicture, RenderRequest, Resume, Step};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Task {
    Extract,
    Render(RenderRequest),
}

/// A file to work on; its bytes follow as they are.
#[derive(Debug, Serialize, Deserialize)]
pub struct Job {
    pub path: String,
    pub task: Task,
    pub options: ExtractOptions,
    pub resume: Resume,
    pub length: u64,
}

/// The answers of a worker: any number of steps, pages and files inside a container, then one of the others.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// Is taken now.
    Step(Step),
    Page(Page),
    Attachment(Attachment),
    Done {
        format: FileFormat,
        title: Option<String>,
        properties: Properties,
        unpaged: bool,
        warnings: Vec<String>,
    },
    Picture(PagePicture),
    Failed {
        code: ErrorCode,
        message: String,
        hint: Option<Hint>,
    },
}

impl Reply {
    pub fn failed(error: Error) -> Self {
        Self::Failed { code: error.code, message: error.message, hint: error.hint }
    }
}

pub fn write_frame(output: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let bytes = postcard::to_stdvec(value).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    output.write_all(&length.to_le_bytes())?;
    output.write_all(&bytes)?;
    output.flush()
}

/// Reads one value of at most `limit` bytes; `None` at the end of the stream.
pub fn read_frame<T: DeserializeOwned>(input: &mut impl Read, limit: u64) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    if let Err(error) = input.read_exact(&mut length) {
        return if error.kind() == io::ErrorKind::UnexpectedEof { Ok(None) } else { Err(error) };
    }
    let length = u64::from(u32::from_le_bytes(length));
    if length > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the answer is too long"));
    }
    // Memory grows with the bytes that arrive, not with the announced length.
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Ok(None);
    }
    postcard::from_bytes(&bytes).map(Some).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_reaches_the_worker_and_does_not_show() {
        let options = ExtractOptions { password: Some("secret".to_owned().into()), ..ExtractOptions::default() };
        let resume = Resume::default();
        let job = Job { path: "a.pdf".into(), task: Task::Extract, options, resume, length: 3 };
        assert!(!format!("{job:?}").contains("secret"));
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &job).unwrap();
        let read: Job = read_frame(&mut &bytes[..], 1000).unwrap().unwrap();
        assert_eq!(read.options.password.unwrap().reveal(), "secret");
    }

    #[test]
    fn a_frame_that_is_cut_short_too_long_or_garbled_is_no_value() {
        let mut bytes = Vec::new();
        let failed = Reply::failed(Error::new(ErrorCode::NeedsOcr, "a scan").with_hint("OCR it"));
        write_frame(&mut bytes, &failed).unwrap();
        let read = |bytes: &[u8], limit| read_frame::<Reply>(&mut &bytes[..], limit);
        let Some(Reply::Failed { code, message, hint }) = read(&bytes, 1000).unwrap() else { panic!() };
        assert_eq!((code, message.as_str(), hint), (ErrorCode::NeedsOcr, "a scan", Some("OCR it".into())));
        assert!(read(&bytes[..bytes.len() - 1], 1000).unwrap().is_none());
        assert!(read(&bytes[..2], 1000).unwrap().is_none());
        assert!(read(&bytes, 5).is_err());
        bytes[4] = 77;
        assert!(read(&bytes, 1000).is_err());
    }
}
