//! The pictures of a presentation: a list in its document, and a stream that has them ([MS-PPT] 2.1.3, 2.4.3).

use casetrack_pages::office::art::Store;

use super::presentation::Presentation;
use super::records::{Records, kind};
use crate::formats::pictures::{PictureText, Pictures};

pub(super) struct Album<'a> {
    store: Store<'a>,
    stream: &'a [u8],
    reader: Pictures<'a>,
}

impl<'a> Album<'a> {
    pub fn new(presentation: &Presentation<'a>, stream: &'a [u8], reader: Pictures<'a>) -> Self {
        let group = presentation.document.child(kind::DRAWING_GROUP);
        Self { store: Store::of(group.map_or(Records::of(&[]), |group| group.children())), stream, reader }
    }

    /// The text of the picture with this number, from 1, where OCR reads some.
    pub fn read(&mut self, number: u32) -> Option<PictureText> {
        self.reader.read(&self.store.picture(number, self.stream)?)
    }

    /// The reader, with its list of unread pictures.
    pub fn into_reader(self) -> Pictures<'a> {
        self.reader
    }
}
