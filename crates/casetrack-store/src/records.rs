//! The values of [`schema`](crate::schema). The types of casetrack-core in them are stored in their serde form; the
//! tests pin the bytes of every field and variant, so that a change there cannot silently change the values read from
//! disk.

mod annotations;
pub mod sparse_vector;
mod state;

use casetrack_core::{
    Block, Chunk, ChunkId, ColumnRange, DocumentId, DocumentMeta, Error, ExtractionMethod, Page, PageNotes, PageOrigin,
    Rect, Result, RowRange,
};
use serde::{Deserialize, Serialize};

pub use self::annotations::AnnotationsRecord;
use self::state::decode_any;
pub use self::state::{Identity, State, TokenModel};
use crate::codec::encode_as;
use crate::schema::VALUE_VERSION;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotRange {
    pub document: DocumentId,
    pub first: u64,
    pub count: u32,
}

impl SlotRange {
    pub fn end(&self) -> u64 {
        self.first.saturating_add(self.count.into())
    }

    pub fn slots(&self) -> std::ops::Range<u64> {
        self.first..self.end()
    }
}

/// One entry of the operation log: the slots a change took away and those it added. A replacement does both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Op {
    pub removed: Option<SlotRange>,
    pub added: Option<SlotRange>,
}

impl Op {
    /// A document has another name. Its chunks keep their slots, which distinguishes this from any other change: no slot is used twice.
    pub fn renamed(slots: SlotRange) -> Self {
        Self { removed: Some(slots), added: Some(slots) }
    }

    /// The document, if it only has another name.
    pub fn as_renamed(&self) -> Option<&SlotRange> {
        self.added.as_ref().filter(|added| self.removed.as_ref() == Some(added))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentRecord {
    pub first_slot: u64,
    pub meta: DocumentMeta,
}

impl DocumentRecord {
    pub fn slots(&self) -> SlotRange {
        SlotRange { document: self.meta.id, first: self.first_slot, count: self.meta.chunk_count }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotRecord {
    pub document: DocumentId,
    pub count: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkPlace {
    pub document: DocumentId,
    pub index: u32,
}

/// Versions of the value of a page that has other readings, of one that has a label or a Bates number, of one that has tracked changes, of one
/// that has hidden text, of one that has pictures with text, and of one that has numbered paragraphs or stamps of exhibits.
/// A page is written in the first version that holds it, so that earlier programs read it.
const PAGE_VERSION_WITH_READINGS: u8 = 2;
const PAGE_VERSION_WITH_PRINTED: u8 = 3;
const PAGE_VERSION_WITH_CHANGES: u8 = 4;
const PAGE_VERSION_WITH_HIDDEN: u8 = 5;
const PAGE_VERSION_WITH_PICTURES: u8 = 6;
const PAGE_VERSION_WITH_NUMBERS: u8 = 7;
/// Empty notes, encoded: no other readings, no label, no Bates number, no changes, nothing hidden, no pictures, no
/// numbered paragraphs, no exhibits.
const NO_NOTES: [u8; 8] = [0; 8];
const NOTHING_PRINTED: [u8; 7] = [0; 7];
const NO_CHANGES: [u8; 5] = [0; 5];
const NOTHING_HIDDEN: [u8; 4] = [0; 4];
const NO_PICTURES: [u8; 3] = [0; 3];
const NO_NUMBERS: [u8; 2] = [0; 2];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageRecord {
    pub method: ExtractionMethod,
    pub ocr_confidence: Option<f32>,
    pub sheet_name: Option<String>,
    pub byte_len: u32,
    pub char_len: u32,
    pub notes: PageNotes,
}

impl PageRecord {
    pub fn new(page: &Page) -> Result<Self> {
        let too_long = |_| Error::invalid(format!("Page {} has more than 4 GiB of text.", page.number));
        Ok(Self {
            method: page.method,
            ocr_confidence: page.ocr_confidence,
            sheet_name: page.sheet_name.clone(),
            byte_len: u32::try_from(page.text.len()).map_err(too_long)?,
            char_len: u32::try_from(page.text.chars().count()).map_err(too_long)?,
            notes: page.notes.clone(),
        })
    }

    pub fn encode(&self) -> Result<Vec<u8>> {
        let PageNotes { other_readings, label, bates, changes, hidden, pictures, numbered, exhibits } = &self.notes;
        let (version, left_out): (u8, &[u8]) = match (label, bates) {
            _ if !numbered.is_empty() || !exhibits.is_empty() => (PAGE_VERSION_WITH_NUMBERS, &[]),
            _ if !pictures.is_empty() => (PAGE_VERSION_WITH_PICTURES, &NO_NUMBERS),
            _ if !hidden.is_empty() => (PAGE_VERSION_WITH_HIDDEN, &NO_PICTURES),
            _ if !changes.is_empty() => (PAGE_VERSION_WITH_CHANGES, &NOTHING_HIDDEN),
            (None, None) if other_readings.is_empty() => (VALUE_VERSION, &NO_NOTES),
            (None, None) => (PAGE_VERSION_WITH_READINGS, &NOTHING_PRINTED),
            _ => (PAGE_VERSION_WITH_PRINTED, &NO_CHANGES),
        };
        let mut value = encode_as(version, self)?;
        value.truncate(value.len().saturating_sub(left_out.len()));
        Ok(value)
    }

    pub fn decode(value: &[u8]) -> Result<Self> {
        decode_any("page", value, PAGE_VERSION_WITH_NUMBERS, |version| match version {
            VALUE_VERSION => &NO_NOTES,
            PAGE_VERSION_WITH_READINGS => &NOTHING_PRINTED,
            PAGE_VERSION_WITH_PRINTED => &NO_CHANGES,
            PAGE_VERSION_WITH_CHANGES => &NOTHING_HIDDEN,
            PAGE_VERSION_WITH_HIDDEN => &NO_PICTURES,
            _ => &NO_NUMBERS,
        })
    }

    pub fn into_origin(self) -> PageOrigin {
        let PageNotes { label, bates, exhibits, .. } = self.notes;
        let Self { method, ocr_confidence, .. } = self;
        PageOrigin { method, ocr_confidence, label, bates, exhibits, numbers: None }
    }

    pub fn into_page(self, number: u32, text: String, layout: LayoutRecord) -> Page {
        let LayoutRecord { blocks, line_boxes } = layout;
        let Self { method, ocr_confidence, sheet_name, notes, .. } = self;
        Page { number, text, blocks, line_boxes, method, ocr_confidence, sheet_name, notes }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayoutRecord {
    pub blocks: Vec<Block>,
    line_boxes: Vec<Option<Rect>>,
}

impl LayoutRecord {
    pub fn new(page: &Page) -> Self {
        Self { blocks: page.blocks.clone(), line_boxes: page.line_boxes.clone() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkSpan {
    pub id: ChunkId,
    pub index: u32,
    pub page: u32,
    /// Characters of the page, half-open.
    pub char_start: u32,
    pub char_end: u32,
}

/// The stored fields of a chunk, in this order: all except its index, which is in the key, and its text, which is a slice of the page's.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Chunk")]
struct ChunkFields {
    id: ChunkId,
    page: u32,
    byte_start: u32,
    byte_end: u32,
    char_start: u32,
    char_end: u32,
    paragraph_start: u32,
    paragraph_end: u32,
    line_start: u32,
    line_end: u32,
    sheet_name: Option<String>,
    row_range: Option<RowRange>,
    column_range: Option<ColumnRange>,
    bounding_boxes: Vec<Rect>,
    heading_path: Vec<String>,
    context: String,
    #[serde(skip)]
    index: u32,
    #[serde(skip)]
    text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkRecord(#[serde(with = "ChunkFields")] pub Chunk);

impl ChunkRecord {
    pub fn span(&self, index: u32) -> ChunkSpan {
        let Chunk { id, page, char_start, char_end, .. } = self.0;
        ChunkSpan { id, index, page, char_start, char_end }
    }

    /// The chunk, with its text from the pages of its document; `None` if they do not have it.
    pub fn into_chunk_of(self, pages: &[Page], index: u32) -> Option<Chunk> {
        let page = pages.get((self.0.page as usize).wrapping_sub(1))?;
        let text = page.text.get(self.0.byte_start as usize..self.0.byte_end as usize)?.to_owned();
        Some(self.into_chunk(index, text))
    }

    pub fn into_chunk(self, index: u32, text: String) -> Chunk {
        Chunk { index, text, ..self.0 }
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::{
        BlockKind, Change, ChangeKind, ErrorCode, HiddenReason, HiddenText, NumberedText, OtherReading, PictureText,
    };
    use proptest::prelude::*;

    use super::*;
    use crate::codec::{decode, encode};

    fn rects() -> impl Strategy<Value = Option<Rect>> {
        prop::option::of((0f32..600.0, 0f32..800.0).prop_map(|(left, top)| Rect {
            left,
            top,
            right: left + 10.0,
            bottom: top + 12.0,
        }))
    }

    fn kinds() -> impl Strategy<Value = BlockKind> {
        prop_oneof![
            Just(BlockKind::Paragraph),
            any::<u8>().prop_map(|level| BlockKind::Heading { level }),
            Just(BlockKind::ListItem),
            any::<(u32, u32, u32, u32, bool)>().prop_map(|(table, row, first_column, last_column, header)| {
                BlockKind::TableRow { table, row, first_column, last_column, header }
            }),
        ]
    }

    prop_compose! {
        fn pages()(
            text in "\\PC{0,80}",
            blocks in prop::collection::vec((any::<u32>(), any::<u32>(), kinds()), 0..5),
            line_boxes in prop::collection::vec(rects(), 0..5),
            method in prop::sample::select(vec![
                ExtractionMethod::Native, ExtractionMethod::Ocr, ExtractionMethod::Hybrid, ExtractionMethod::Spreadsheet,
            ]),
            ocr_confidence in prop::option::of(0f32..1.0),
            sheet_name in prop::option::of("\\PC{0,8}"),
            readings in prop::collection::vec((any::<u32>(), "\\PC{0,8}"), 0..3),
            label in prop::option::of("\\PC{0,8}"),
            bates in prop::option::of("\\PC{0,8}"),
            changes in prop::collection::vec(
                (prop::sample::select(ChangeKind::ALL), prop::option::of("\\PC{0,8}"), any::<u32>(), "\\PC{0,8}"), 0..3,
            ),
            hidden in prop::collection::vec(
                (prop::sample::select(HiddenReason::ALL), prop::option::of("\\PC{0,8}"), any::<(u32, u32)>()), 0..3,
            ),
            pictures in prop::collection::vec(any::<(u32, u32, u8)>(), 0..3),
            (numbered, exhibits) in (prop::collection::vec(any::<(u32, u32, u32)>(), 0..3), prop::collection::vec("\\PC{0,8}", 0..3)),
        ) -> Page {
            let blocks = blocks.into_iter().map(|(char_start, char_end, kind)| Block { char_start, char_end, kind }).collect();
            let other_readings = readings.into_iter().map(|(line, text)| OtherReading { line, text }).collect();
            let change = |(kind, author, place, text): (_, _, u32, String)| Change {
                kind,
                author,
                date: None,
                char_start: place,
                char_end: place,
                of_insertion: text.is_empty(),
                text,
            };
            let changes = changes.into_iter().map(change).collect();
            let text_of = |(reason, part, (char_start, char_end))| HiddenText { reason, part, char_start, char_end };
            let hidden = hidden.into_iter().map(text_of).collect();
            let picture = |(char_start, char_end, percent)| PictureText { char_start, char_end, percent };
            let pictures = pictures.into_iter().map(picture).collect();
            let number = |(char_start, char_end, number)| NumberedText { char_start, char_end, number };
            let numbered = numbered.into_iter().map(number).collect();
            let notes = PageNotes { other_readings, label, bates, changes, hidden, pictures, numbered, exhibits };
            Page { number: 1, text, blocks, line_boxes, method, ocr_confidence, sheet_name, notes }
        }
    }

    prop_compose! {
        fn chunks()(
            numbers in any::<[u32; 9]>(),
            sheet_name in prop::option::of("\\PC{0,8}"),
            rows in prop::option::of(any::<(u32, u32)>()),
            columns in prop::option::of(any::<(u32, u32)>()),
            boxes in prop::collection::vec(rects(), 0..4),
            heading_path in prop::collection::vec("\\PC{0,8}", 0..3),
            context in "\\PC{0,20}",
            text in "\\PC{0,40}",
        ) -> Chunk {
            Chunk {
                id: ChunkId::from_bytes([numbers[0] as u8; 16]),
                index: numbers[0],
                page: 1,
                char_start: numbers[1],
                char_end: numbers[2],
                byte_start: numbers[3],
                byte_end: numbers[4],
                paragraph_start: numbers[5],
                paragraph_end: numbers[6],
                line_start: numbers[7],
                line_end: numbers[8],
                sheet_name,
                row_range: rows.map(|(start, end)| RowRange { start, end }),
                column_range: columns.map(|(start, end)| ColumnRange { start, end }),
                bounding_boxes: boxes.into_iter().flatten().collect(),
                heading_path,
                context,
                text,
            }
        }
    }

    proptest! {
        #[test]
        fn pages_come_back_as_they_were(page in pages()) {
            let record = PageRecord::decode(&PageRecord::new(&page).unwrap().encode().unwrap()).unwrap();
            prop_assert_eq!((record.byte_len as usize, record.char_len as usize), (page.text.len(), page.text.chars().count()));
            let layout: LayoutRecord = decode("layout", &encode(&LayoutRecord::new(&page)).unwrap()).unwrap();
            prop_assert_eq!(record.into_page(1, page.text.clone(), layout), page);
        }

        #[test]
        fn chunks_come_back_as_they_were(chunk in chunks()) {
            let record: ChunkRecord = decode("chunk", &encode(&ChunkRecord(chunk.clone())).unwrap()).unwrap();
            prop_assert_eq!(record.into_chunk(chunk.index, chunk.text.clone()), chunk);
        }
    }

    const DOCUMENT_OF_SCHEMA_1: &str = r#"{
        "first_slot": 300,
        "meta": {
            "id": "07070707-0707-0707-0707-070707070707",
            "name": "a.docx",
            "path": "/data/a.docx",
            "sha256": "0101010101010101010101010101010101010101010101010101010101010101",
            "size_bytes": 5,
            "format": "docx",
            "document_type": "contract",
            "title": null,
            "extraction_method": "Native",
            "page_count": 1,
            "chunk_count": 2,
            "char_count": 9,
            "warnings": ["One."],
            "original_stored": false,
            "ingested_at": "2023-11-14T22:13:20.123Z",
            "embedded_at": null
        }
    }"#;

    // The bytes of released values. When one of these tests fails, a value of an earlier release is no longer read as
    // it was written: raise the value version and read both.

    #[test]
    fn values_of_schema_1_are_read_for_ever() {
        let document = DocumentId::from_bytes([7; 16]);
        let range = SlotRange { document, first: 300, count: 2 };
        let op = Op { removed: None, added: Some(range) };
        let mut bytes = vec![1, 0, 1, 16];
        bytes.extend([7; 16]);
        bytes.extend([0xac, 0x02, 2]);
        assert_eq!(encode(&op).unwrap(), bytes);
        assert_eq!(decode::<Op>("op", &bytes).unwrap(), op);

        let methods =
            [ExtractionMethod::Native, ExtractionMethod::Ocr, ExtractionMethod::Hybrid, ExtractionMethod::Spreadsheet];
        assert_eq!(encode(&methods).unwrap(), [1, 0, 1, 2, 3]);
        let kinds = [
            BlockKind::Paragraph,
            BlockKind::Heading { level: 200 },
            BlockKind::ListItem,
            BlockKind::TableRow { table: 1, row: 300, first_column: 4, last_column: 5, header: true },
        ];
        assert_eq!(encode(&kinds).unwrap(), [1, 0, 1, 200, 2, 3, 1, 0xac, 0x02, 4, 5, 1]);
        let rect = Some(Rect { left: 1.0, top: 2.0, right: 4.0, bottom: 8.0 });
        let bytes = [1, 1, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x80, 0x40, 0, 0, 0, 0x41];
        assert_eq!(encode(&rect).unwrap(), bytes);
        assert_eq!(decode::<Option<Rect>>("box", &bytes).unwrap(), rect);
        assert_eq!(decode::<[ExtractionMethod; 1]>("method", &[1, 4]).unwrap_err().code, ErrorCode::Corrupt);

        let record: DocumentRecord = serde_json::from_str(DOCUMENT_OF_SCHEMA_1).unwrap();
        assert_eq!(record.slots(), range);
        assert_eq!(record.meta.ingested_at, casetrack_core::Timestamp(1_700_000_000_123));
    }

    #[test]
    fn pages_of_schema_1_are_read_for_ever() {
        let page = |notes| Page {
            number: 1,
            text: "é\nb".into(),
            blocks: vec![Block { char_start: 0, char_end: 3, kind: BlockKind::Heading { level: 2 } }],
            line_boxes: vec![None],
            method: ExtractionMethod::Hybrid,
            ocr_confidence: None,
            sheet_name: Some("S".into()),
            notes,
        };
        assert_eq!(encode(&LayoutRecord::new(&page(PageNotes::default()))).unwrap(), [1, 1, 0, 3, 1, 2, 1, 0]);
        let check = |notes, version, of_notes: &[u8]| {
            let bytes = [&[version, 2, 0, 1, 1, b'S', 4, 3][..], of_notes].concat();
            let record = PageRecord::new(&page(notes)).unwrap();
            assert_eq!(record.encode().unwrap(), bytes);
            assert_eq!(PageRecord::decode(&bytes).unwrap(), record);
        };
        check(PageNotes::default(), 1, &[]);
        let other_readings = vec![OtherReading { line: 2, text: "T".into() }];
        let read = PageNotes { other_readings, ..PageNotes::default() };
        check(read.clone(), 2, &[1, 2, 1, b'T']);
        check(PageNotes { bates: Some("B7".into()), ..PageNotes::default() }, 3, &[0, 0, 1, 2, b'B', b'7']);
        let change = |kind| Change {
            kind,
            author: Some("A".into()),
            date: None,
            char_start: 1,
            char_end: 300,
            text: "D".into(),
            of_insertion: true,
        };
        let changes = ChangeKind::ALL.iter().copied().map(change).collect();
        let mut bytes = vec![1, 2, 1, b'T', 0, 0, 4];
        (0..4).for_each(|kind| bytes.extend([kind, 1, 1, b'A', 0, 1, 0xac, 0x02, 1, b'D', 1]));
        check(PageNotes { changes, ..read }, 4, &bytes);
        let unseen = |reason| HiddenText { reason, part: Some("P".into()), char_start: 1, char_end: 300 };
        let hidden = HiddenReason::ALL.iter().copied().map(unseen).collect();
        let mut bytes = vec![0, 0, 0, 0, 10];
        (0..10).for_each(|reason| bytes.extend([reason, 1, 1, b'P', 1, 0xac, 0x02]));
        check(PageNotes { hidden, ..PageNotes::default() }, 5, &bytes);
        let pictures = vec![PictureText { char_start: 1, char_end: 300, percent: 97 }];
        check(PageNotes { pictures, ..PageNotes::default() }, 6, &[0, 0, 0, 0, 0, 1, 1, 0xac, 0x02, 97]);
        let numbered = vec![NumberedText { char_start: 1, char_end: 300, number: 12 }];
        let numbered = PageNotes { numbered, exhibits: vec!["E".into()], ..PageNotes::default() };
        check(numbered, 7, &[0, 0, 0, 0, 0, 0, 1, 1, 0xac, 0x02, 12, 1, 1, b'E']);
    }

    #[test]
    fn chunks_of_schema_1_are_read_for_ever() {
        let mut bytes = vec![1, 16];
        bytes.extend([9; 16]);
        bytes.extend([3, 4, 0xac, 0x02, 6, 7, 1, 2, 5, 8, 1, 1, b'S', 1, 10, 11, 0, 1, 0, 0, 0x80, 0x3f]);
        bytes.extend([0; 12]);
        bytes.extend([1, 1, b'H', 1, b'C']);
        let chunk = decode::<ChunkRecord>("chunk", &bytes).unwrap();
        assert_eq!(encode(&chunk).unwrap(), bytes);
        let chunk = chunk.into_chunk(0, "text".into());
        assert_eq!((chunk.id, chunk.page, chunk.byte_start, chunk.byte_end), (ChunkId::from_bytes([9; 16]), 3, 4, 300));
        assert_eq!((chunk.char_start, chunk.char_end, chunk.paragraph_start, chunk.paragraph_end), (6, 7, 1, 2));
        assert_eq!((chunk.line_start, chunk.line_end, chunk.row_range), (5, 8, Some(RowRange { start: 10, end: 11 })));
        assert_eq!(chunk.bounding_boxes, [Rect { left: 1.0, top: 0.0, right: 0.0, bottom: 0.0 }]);
    }
}
