//! The parts of a presentation in its stream ([MS-PPT] 2.1.2): the newest edit, the directories of all edits, the
//! document, and its lists of slides.

use std::collections::{HashMap, HashSet};

use casetrack_pages::container::ole::u32_at;

use super::records::{Record, Records, kind};
use super::text::TextBody;

/// `headerToken` of a presentation with a password ([MS-PPT] 2.3.2).
const ENCRYPTED_TOKEN: u32 = 0xF3D1_C4DF;
/// Bits of an entry of the directory that hold its first number; the others hold how many places follow (2.3.5).
const ID_BITS: u32 = 20;

pub(super) struct Presentation<'a> {
    stream: &'a [u8],
    /// Places in the stream by the numbers of the objects.
    places: HashMap<u32, u32>,
    pub document: Record<'a>,
    /// True if the newest edit is not at the place that the file gives.
    pub may_be_older: bool,
}

/// Which list of the document (2.4.14.3).
#[derive(Clone, Copy)]
pub(super) enum List {
    Slides = 0,
    Masters = 1,
    Notes = 2,
}

pub(super) struct SlideEntry<'a> {
    pub object: u32,
    /// Number by which other parts refer to it.
    pub id: u32,
    /// Texts of its placeholders, to which its shapes may refer.
    pub texts: Vec<TextBody<'a>>,
}

impl<'a> Presentation<'a> {
    /// `None` when the way from the newest edit to the document is damaged.
    pub fn open(stream: &'a [u8], current_user: &[u8]) -> Option<Self> {
        let (edit, may_be_older) = newest_edit(stream, current_user)?;
        let places = places(stream, edit);
        let object = u32_at(edit.content, 16)?;
        let document = Record::read(stream, *places.get(&object)? as usize)
            .filter(|record| record.kind == kind::DOCUMENT && record.is_container && !record.is_cut)?;
        Some(Self { stream, places, document, may_be_older })
    }

    pub fn object(&self, number: u32, kind: u16) -> Option<Record<'a>> {
        let place = *self.places.get(&number)? as usize;
        Record::read(self.stream, place).filter(|record| record.kind == kind && record.is_container)
    }

    /// The storage of an embedded object that has this number, unless it is cut off.
    pub fn storage(&self, number: u32) -> Option<Record<'a>> {
        let place = *self.places.get(&number)? as usize;
        Record::read(self.stream, place).filter(|record| record.kind == kind::OBJECT_STORAGE && !record.is_cut)
    }

    pub fn list(&self, list: List) -> Vec<SlideEntry<'a>> {
        let is_wanted = |record: &Record| record.kind == kind::SLIDE_LIST && record.instance == list as u16;
        let mut found: Vec<SlideEntry> = Vec::new();
        for record in self.document.children().filter(is_wanted).flat_map(|list| list.children()) {
            if record.kind == kind::SLIDE_PERSIST {
                let number = |at| u32_at(record.content, at).unwrap_or(0);
                found.push(SlideEntry { object: number(0), id: number(12), texts: Vec::new() });
            } else if let Some(last) = found.last_mut() {
                TextBody::add(&mut last.texts, &record);
            }
        }
        found
    }
}

/// True if the presentation can only be read with a password.
pub(super) fn is_encrypted(stream: &[u8], current_user: &[u8]) -> bool {
    if u32_at(current_user, 12) == Some(ENCRYPTED_TOKEN) {
        return true;
    }
    // An edit of an encrypted presentation is longer by the number of the key's description (2.3.3).
    newest_edit(stream, current_user).is_some_and(|(edit, _)| {
        u32_at(edit.content, 28)
            .and_then(|session| places(stream, edit).get(&session).copied())
            .and_then(|place| Record::read(stream, place as usize))
            .is_some_and(|record| record.kind == kind::CRYPT_SESSION)
    })
}

/// The one that the stream "Current User" points to; otherwise the last one in the stream, and true.
fn newest_edit<'a>(stream: &'a [u8], current_user: &[u8]) -> Option<(Record<'a>, bool)> {
    let is_edit = |record: &Record| record.kind == kind::USER_EDIT;
    u32_at(current_user, 16)
        .and_then(|place| Record::read(stream, place as usize))
        .filter(is_edit)
        .map(|edit| (edit, false))
        .or_else(|| Some((Records::of(stream).filter(is_edit).last()?, true)))
}

/// Newer edits take precedence over older ones.
fn places(stream: &[u8], newest: Record) -> HashMap<u32, u32> {
    let mut places = HashMap::new();
    let mut edit = Some(newest);
    let (mut edits, mut directories) = (HashSet::new(), HashSet::new());
    while let Some(current) = edit.filter(|edit| edits.insert(edit.place)) {
        let directory = u32_at(current.content, 12)
            .filter(|place| directories.insert(*place))
            .and_then(|place| Record::read(stream, place as usize))
            .filter(|record| record.kind == kind::PERSIST_DIRECTORY);
        let mut numbers = directory
            .map(|directory| directory.content.as_chunks::<4>().0)
            .unwrap_or_default()
            .iter()
            .map(|number| u32::from_le_bytes(*number));
        while let Some(head) = numbers.next() {
            let (first, count) = (head & ((1 << ID_BITS) - 1), head >> ID_BITS);
            for (place, id) in numbers.by_ref().take(count as usize).zip(first..) {
                places.entry(id).or_insert(place);
            }
        }
        edit = u32_at(current.content, 8)
            .filter(|place| *place > 0)
            .and_then(|place| Record::read(stream, place as usize))
            .filter(|record| record.kind == kind::USER_EDIT);
    }
    places
}
