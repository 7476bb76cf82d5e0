//! Drawings of the old Office formats ([MS-ODRAW]), and the records of which they and presentations are made: a header
//! of eight bytes, then data or other records.

use std::borrow::Cow;

use crate::container::ole::{clipped, u16_at, u32_at};

/// The values of `recType` that are read ([MS-ODRAW] 2.2).
mod kind {
    pub const DRAWING_GROUP: u16 = 0xF000;
    pub const STORE: u16 = 0xF001;
    pub const DRAWING: u16 = 0xF002;
    pub const GROUP: u16 = 0xF003;
    pub const SHAPE: u16 = 0xF004;
    pub const STORED: u16 = 0xF007;
    pub const SHAPE_NUMBER: u16 = 0xF00A;
    pub const OPTIONS: u16 = 0xF00B;
    pub const CLIENT_ANCHOR: u16 = 0xF010;
    pub const FIRST_PICTURE: u16 = 0xF018;
    pub const EMF: u16 = 0xF01A;
    pub const PICT: u16 = 0xF01C;
    pub const BITMAP: u16 = 0xF01F;
    pub const LAST_PICTURE: u16 = 0xF117;
}

/// The property that names the picture of a shape (2.3.23.2).
pub const PICTURE: u16 = 0x0104;
/// Groups deeper than this are not looked into.
const MAX_DEPTH: usize = 64;
/// Most pictures of a store that are listed.
const MAX_STORED: usize = 100_000;

const HEADER_BYTES: usize = 8;
/// The version of records that hold other records.
const CONTAINER: u16 = 0xF;

#[derive(Clone, Copy)]
pub struct Record<'a> {
    /// The offset of its header in the bytes it was read from.
    pub place: usize,
    pub kind: u16,
    pub instance: u16,
    pub is_container: bool,
    /// Clipped at the end of the bytes.
    pub content: &'a [u8],
    /// True if the bytes end before the record does.
    pub is_cut: bool,
}

impl<'a> Record<'a> {
    pub fn read(bytes: &'a [u8], place: usize) -> Option<Self> {
        let head = u16_at(bytes, place)?;
        let kind = u16_at(bytes, place.checked_add(2)?)?;
        let size = u32_at(bytes, place.checked_add(4)?)? as usize;
        let rest = bytes.get(place + HEADER_BYTES..)?;
        Some(Self {
            place,
            kind,
            instance: head >> 4,
            is_container: head & 0xF == CONTAINER,
            content: &rest[..size.min(rest.len())],
            is_cut: size > rest.len(),
        })
    }

    pub fn children(&self) -> Records<'a> {
        Records::of(if self.is_container { self.content } else { &[] })
    }

    pub fn child(&self, kind: u16) -> Option<Record<'a>> {
        self.children().find(|child| child.kind == kind)
    }
}

/// Records that follow each other.
#[derive(Clone)]
pub struct Records<'a> {
    bytes: &'a [u8],
    place: usize,
}

impl<'a> Records<'a> {
    pub fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, place: 0 }
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let record = Record::read(self.bytes, self.place)?;
        self.place += HEADER_BYTES + record.content.len();
        Some(record)
    }
}

/// A property of a shape, and its data if it has more than a number: the data of all properties follows the table of
/// numbers (2.2.7).
pub fn property<'a>(options: &Record<'a>, wanted: u16) -> Option<(u32, &'a [u8])> {
    const HAS_DATA: u16 = 0x8000;
    const NUMBER: u16 = 0x3FFF;
    let entry = |index: usize| Some((u16_at(options.content, 6 * index)?, u32_at(options.content, 6 * index + 2)?));
    let count = usize::from(options.instance);
    let mut data_at = 6 * count;
    for (operation, value) in (0..count).map_while(entry) {
        let size = if operation & HAS_DATA == 0 { 0 } else { value as usize };
        if operation & NUMBER == wanted {
            return Some((value, clipped(options.content, data_at, size)));
        }
        data_at = data_at.saturating_add(size);
    }
    None
}

/// The pictures of a document, each once; shapes refer to them by their numbers, from 1 (2.2.20).
#[derive(Default)]
pub struct Store<'a>(Vec<Stored<'a>>);

enum Stored<'a> {
    Here(Record<'a>),
    /// A place in another stream.
    There(usize),
    Nowhere,
}

impl<'a> Store<'a> {
    /// The store of a drawing group (`OfficeArtDggContainer`), if there is one among these records.
    pub fn of(records: Records<'a>) -> Self {
        let group = records.into_iter().find(|record| record.kind == kind::DRAWING_GROUP);
        let store = group.and_then(|group| group.child(kind::STORE));
        Self(store.iter().flat_map(|store| store.children()).take(MAX_STORED).map(|entry| stored(&entry)).collect())
    }

    /// The bytes of the picture with this number, from 1; `elsewhere` is the stream of pictures that are stored apart.
    pub fn picture(&self, number: u32, elsewhere: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        match self.0.get((number as usize).checked_sub(1)?)? {
            Stored::Here(record) => file_of(record),
            Stored::There(place) => file_of(&Record::read(elsewhere, *place)?),
            Stored::Nowhere => None,
        }
    }
}

/// `OfficeArtFBSE` (2.2.32), or the picture itself.
fn stored<'a>(entry: &Record<'a>) -> Stored<'a> {
    const HEAD_BYTES: usize = 36;
    const NOT_STORED: u32 = u32::MAX;
    if entry.kind != kind::STORED {
        return Stored::Here(*entry);
    }
    let name_bytes = entry.content.get(33).copied().unwrap_or(0);
    let place = u32_at(entry.content, 28).filter(|place| *place != NOT_STORED);
    match (Record::read(entry.content, HEAD_BYTES + usize::from(name_bytes)), place) {
        (Some(record), _) => Stored::Here(record),
        (None, Some(place)) => Stored::There(place as usize),
        (None, None) => Stored::Nowhere,
    }
}

/// The pictures behind a shape in a text (2.2.15), in their order.
pub fn inline_pictures(records: Records<'_>) -> Vec<Cow<'_, [u8]>> {
    let mut pictures = Vec::new();
    for record in records {
        match stored(&record) {
            Stored::Here(picture) => pictures.extend(file_of(&picture)),
            Stored::There(_) | Stored::Nowhere => {}
        }
    }
    pictures
}

/// A picture as a file of its own; for a drawing (EMF, WMF, PICT) its bytes as they are stored. `None` if it is no
/// picture.
fn file_of<'a>(record: &Record<'a>) -> Option<Cow<'a, [u8]>> {
    match record.kind {
        kind::EMF..=kind::PICT => return Some(Cow::Borrowed(record.content)),
        kind::FIRST_PICTURE..=kind::LAST_PICTURE => {}
        _ => return None,
    }
    // One or two digests, and a byte (2.2.27 to 2.2.31).
    let bytes = record.content.get(17 + 16 * usize::from(record.instance & 1)..)?;
    Some(match record.kind {
        kind::BITMAP => Cow::Owned(bitmap_file(bytes)?),
        _ => Cow::Borrowed(bytes),
    })
}

/// A bitmap with the head that it has in files ([MS-WMF] 2.2.2.9): the pixels follow its own head and its colours.
fn bitmap_file(bitmap: &[u8]) -> Option<Vec<u8>> {
    const FILE_HEAD: u32 = 14;
    const OLD_HEAD: u32 = 12;
    const PLAIN_HEAD: u32 = 40;
    const WITH_MASKS: u32 = 3;
    let head = u32_at(bitmap, 0)?;
    let behind_head = match head {
        OLD_HEAD => 3 * colours(u16_at(bitmap, 10)?, 0)?,
        _ => {
            let masks = if head == PLAIN_HEAD && u32_at(bitmap, 16)? == WITH_MASKS { 12 } else { 0 };
            masks + 4 * colours(u16_at(bitmap, 14)?, u32_at(bitmap, 32)?)?
        }
    };
    let pixels_at = FILE_HEAD.checked_add(head)?.checked_add(behind_head)?;
    let size = u32::try_from(bitmap.len()).ok()?.checked_add(FILE_HEAD)?;
    let mut file = b"BM".to_vec();
    [size, 0, pixels_at].iter().for_each(|number| file.extend(number.to_le_bytes()));
    file.extend(bitmap);
    Some(file)
}

/// The number of colours of a table: as many as the file states, or as the bits of a pixel can name.
fn colours(bits: u16, said: u32) -> Option<u32> {
    match (said, bits) {
        (0, 1..=8) => Some(1 << bits),
        (0, _) => Some(0),
        (said, _) => (said <= 256).then_some(said),
    }
}

pub struct PictureShape<'a> {
    /// Its number, by which the text refers to it.
    pub shape: u32,
    /// From 1.
    pub picture: u32,
    /// Its place, in the form of its program.
    pub anchor: &'a [u8],
}

/// The shapes of drawings that show pictures, groups looked into, in their order.
pub fn picture_shapes(records: Records<'_>) -> Vec<PictureShape<'_>> {
    let mut found = Vec::new();
    add_picture_shapes(records, 0, &mut found);
    found
}

fn add_picture_shapes<'a>(records: Records<'a>, depth: usize, found: &mut Vec<PictureShape<'a>>) {
    for record in records {
        match record.kind {
            kind::DRAWING | kind::GROUP if depth < MAX_DEPTH => {
                add_picture_shapes(record.children(), depth + 1, found);
            }
            kind::SHAPE => {
                let picture = record.child(kind::OPTIONS).and_then(|options| property(&options, PICTURE));
                let Some((picture, _)) = picture else { continue };
                let content = |kind| record.child(kind).map(|child| child.content).unwrap_or_default();
                let shape = u32_at(content(kind::SHAPE_NUMBER), 0).unwrap_or(0);
                found.push(PictureShape { shape, picture, anchor: content(kind::CLIENT_ANCHOR) });
            }
            _ => {}
        }
    }
}
