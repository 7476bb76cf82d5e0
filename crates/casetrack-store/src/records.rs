//! What the values of [`schema`](crate::schema) hold. These types belong to the store, so that a change of the types in
//! casetrack-core cannot change silently what is read from disk.

use casetrack_core::{
    Block, BlockKind, Chunk, ChunkId, CollectionId, ColumnRange, DocumentId, DocumentMeta, ExtractionMethod, Page,
    Rect, Result, RowRange,
};
use serde::{Deserialize, Serialize};

use crate::error::corrupt;
use crate::slots::SlotRange;

/// Counters of the collection, changed in the same batch as what they count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct State {
    /// The slot the next chunk gets.
    pub next_slot: u64,
    /// Sequence number of the last change; the first is 1.
    pub last_seq: u64,
    /// Log entries up to this one have been removed.
    pub trimmed_seq: u64,
    pub documents: u64,
    pub pages: u64,
    pub chunks: u64,
}

/// Whose data this is. Checked against `collection.json` on open, so that directories cannot be mixed up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub collection: CollectionId,
    pub dense_model: String,
    pub dense_dimension: u32,
}

/// One entry of the operation log: the slots a change took away and those it added. A replacement does both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Op {
    pub removed: Option<SlotRange>,
    pub added: Option<SlotRange>,
}

/// Value of `documents`.
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

/// Value of `slots`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotRecord {
    pub document: DocumentId,
    pub count: u32,
}

/// Value of `chunk_ids`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkPlace {
    pub document: DocumentId,
    pub index: u32,
}

/// Value of `pages`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageRecord {
    method: u8,
    pub ocr_confidence: Option<f32>,
    pub sheet_name: Option<String>,
    pub byte_len: u32,
    pub char_len: u32,
}

impl PageRecord {
    pub fn new(page: &Page) -> Result<Self> {
        let size = |n: usize| u32::try_from(n).map_err(|_| too_long(page.number));
        Ok(Self {
            method: match page.method {
                ExtractionMethod::Native => 0,
                ExtractionMethod::Ocr => 1,
                ExtractionMethod::Hybrid => 2,
                ExtractionMethod::Spreadsheet => 3,
            },
            ocr_confidence: page.ocr_confidence,
            sheet_name: page.sheet_name.clone(),
            byte_len: size(page.text.len())?,
            char_len: size(page.text.chars().count())?,
        })
    }

    pub fn method(&self) -> Result<ExtractionMethod> {
        Ok(match self.method {
            0 => ExtractionMethod::Native,
            1 => ExtractionMethod::Ocr,
            2 => ExtractionMethod::Hybrid,
            3 => ExtractionMethod::Spreadsheet,
            other => return Err(corrupt(format!("A stored page has the unknown extraction method {other}."))),
        })
    }
}

fn too_long(page: u32) -> casetrack_core::Error {
    casetrack_core::Error::invalid(format!("Page {page} has more than 4 GiB of text."))
}

/// Value of `page_layout`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayoutRecord {
    blocks: Vec<BlockRecord>,
    line_boxes: Vec<Option<BoxRecord>>,
}

/// Left, top, right, bottom.
type BoxRecord = [f32; 4];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct BlockRecord {
    char_start: u32,
    char_end: u32,
    kind: KindRecord,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum KindRecord {
    Paragraph,
    Heading { level: u8 },
    ListItem,
    TableRow { table: u32, row: u32, first_column: u32, last_column: u32, header: bool },
}

impl LayoutRecord {
    pub fn new(page: &Page) -> Self {
        let block = |block: &Block| BlockRecord {
            char_start: block.char_start,
            char_end: block.char_end,
            kind: match block.kind {
                BlockKind::Paragraph => KindRecord::Paragraph,
                BlockKind::Heading { level } => KindRecord::Heading { level },
                BlockKind::ListItem => KindRecord::ListItem,
                BlockKind::TableRow { table, row, first_column, last_column, header } => {
                    KindRecord::TableRow { table, row, first_column, last_column, header }
                }
            },
        };
        Self {
            blocks: page.blocks.iter().map(block).collect(),
            line_boxes: page.line_boxes.iter().map(|rect| rect.map(box_record)).collect(),
        }
    }

    pub fn blocks(&self) -> Vec<Block> {
        let block = |block: &BlockRecord| Block {
            char_start: block.char_start,
            char_end: block.char_end,
            kind: match block.kind {
                KindRecord::Paragraph => BlockKind::Paragraph,
                KindRecord::Heading { level } => BlockKind::Heading { level },
                KindRecord::ListItem => BlockKind::ListItem,
                KindRecord::TableRow { table, row, first_column, last_column, header } => {
                    BlockKind::TableRow { table, row, first_column, last_column, header }
                }
            },
        };
        self.blocks.iter().map(block).collect()
    }

    pub fn line_boxes(&self) -> Vec<Option<Rect>> {
        self.line_boxes.iter().map(|record| record.map(rect)).collect()
    }
}

fn box_record(rect: Rect) -> BoxRecord {
    [rect.left, rect.top, rect.right, rect.bottom]
}

fn rect([left, top, right, bottom]: BoxRecord) -> Rect {
    Rect { left, top, right, bottom }
}

/// The boxes of lines `line_start..=line_end`, counted from 1, of a page.
pub fn boxes_of_lines(line_boxes: &[Option<Rect>], line_start: u32, line_end: u32) -> Vec<Rect> {
    let first = line_start.saturating_sub(1) as usize;
    let boxes = line_boxes.get(first..(line_end as usize).min(line_boxes.len())).unwrap_or_default();
    boxes.iter().flatten().copied().collect()
}

/// A part of a chunk that is usually the same as the page's and then is not stored twice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum OfPage<T> {
    Same,
    Own(T),
}

/// Value of `chunks`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkRecord {
    pub id: ChunkId,
    pub page: u32,
    pub byte_start: u32,
    pub byte_end: u32,
    char_start: u32,
    char_end: u32,
    paragraph_start: u32,
    paragraph_end: u32,
    line_start: u32,
    line_end: u32,
    sheet_name: OfPage<Option<String>>,
    row_range: Option<(u32, u32)>,
    column_range: Option<(u32, u32)>,
    bounding_boxes: OfPage<Vec<BoxRecord>>,
    heading_path: Vec<String>,
    context: String,
}

impl ChunkRecord {
    pub fn new(chunk: &Chunk, page: &Page) -> Self {
        let same_boxes = chunk.bounding_boxes == boxes_of_lines(&page.line_boxes, chunk.line_start, chunk.line_end);
        Self {
            id: chunk.id,
            page: chunk.page,
            byte_start: chunk.byte_start,
            byte_end: chunk.byte_end,
            char_start: chunk.char_start,
            char_end: chunk.char_end,
            paragraph_start: chunk.paragraph_start,
            paragraph_end: chunk.paragraph_end,
            line_start: chunk.line_start,
            line_end: chunk.line_end,
            sheet_name: match chunk.sheet_name == page.sheet_name {
                true => OfPage::Same,
                false => OfPage::Own(chunk.sheet_name.clone()),
            },
            row_range: chunk.row_range.map(|range| (range.start, range.end)),
            column_range: chunk.column_range.map(|range| (range.start, range.end)),
            bounding_boxes: match same_boxes {
                true => OfPage::Same,
                false => OfPage::Own(chunk.bounding_boxes.iter().copied().map(box_record).collect()),
            },
            heading_path: chunk.heading_path.clone(),
            context: chunk.context.clone(),
        }
    }

    /// The chunk, with what it shares with its page. `line_boxes` is asked for only where the boxes are the page's.
    pub fn into_chunk<'b>(
        self,
        index: u32,
        text: String,
        page: &PageRecord,
        line_boxes: impl FnOnce() -> Result<&'b [Option<Rect>]>,
    ) -> Result<Chunk> {
        Ok(Chunk {
            id: self.id,
            index,
            page: self.page,
            char_start: self.char_start,
            char_end: self.char_end,
            byte_start: self.byte_start,
            byte_end: self.byte_end,
            paragraph_start: self.paragraph_start,
            paragraph_end: self.paragraph_end,
            line_start: self.line_start,
            line_end: self.line_end,
            sheet_name: match self.sheet_name {
                OfPage::Same => page.sheet_name.clone(),
                OfPage::Own(name) => name,
            },
            row_range: self.row_range.map(|(start, end)| RowRange { start, end }),
            column_range: self.column_range.map(|(start, end)| ColumnRange { start, end }),
            bounding_boxes: match self.bounding_boxes {
                OfPage::Same => boxes_of_lines(line_boxes()?, self.line_start, self.line_end),
                OfPage::Own(boxes) => boxes.into_iter().map(rect).collect(),
            },
            heading_path: self.heading_path,
            context: self.context,
            text,
        })
    }
}

#[cfg(test)]
mod tests {
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
        ) -> Page {
            let blocks = blocks.into_iter().map(|(char_start, char_end, kind)| Block { char_start, char_end, kind }).collect();
            Page { number: 1, text, blocks, line_boxes, method, ocr_confidence, sheet_name }
        }
    }

    prop_compose! {
        fn chunks()(
            numbers in any::<[u32; 9]>(),
            line_start in 1u32..4,
            lines in 0u32..4,
            sheet_name in prop::option::of("\\PC{0,8}"),
            rows in prop::option::of(any::<(u32, u32)>()),
            columns in prop::option::of(any::<(u32, u32)>()),
            own_boxes in prop::option::of(prop::collection::vec(rects(), 0..4)),
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
                line_start,
                line_end: line_start + lines,
                sheet_name,
                row_range: rows.map(|(start, end)| RowRange { start, end }),
                column_range: columns.map(|(start, end)| ColumnRange { start, end }),
                bounding_boxes: own_boxes.unwrap_or_default().into_iter().flatten().collect(),
                heading_path,
                context,
                text,
            }
        }
    }

    proptest! {
        #[test]
        fn pages_come_back_as_they_were(page in pages()) {
            let record: PageRecord = decode("page", &encode(&PageRecord::new(&page).unwrap()).unwrap()).unwrap();
            prop_assert_eq!(record.method().unwrap(), page.method);
            prop_assert_eq!(record.ocr_confidence, page.ocr_confidence);
            prop_assert_eq!(&record.sheet_name, &page.sheet_name);
            prop_assert_eq!((record.byte_len as usize, record.char_len as usize), (page.text.len(), page.text.chars().count()));
            let layout: LayoutRecord = decode("layout", &encode(&LayoutRecord::new(&page)).unwrap()).unwrap();
            prop_assert_eq!(layout.blocks(), page.blocks);
            prop_assert_eq!(layout.line_boxes(), page.line_boxes);
        }

        #[test]
        fn chunks_come_back_as_they_were(chunk in chunks(), page in pages(), boxes_of_page: bool, sheet_of_page: bool) {
            let mut chunk = chunk;
            if boxes_of_page {
                chunk.bounding_boxes = boxes_of_lines(&page.line_boxes, chunk.line_start, chunk.line_end);
            }
            if sheet_of_page {
                chunk.sheet_name = page.sheet_name.clone();
            }
            let record: ChunkRecord = decode("chunk", &encode(&ChunkRecord::new(&chunk, &page)).unwrap()).unwrap();
            let header = PageRecord::new(&page).unwrap();
            let read = record.into_chunk(chunk.index, chunk.text.clone(), &header, || Ok(&page.line_boxes)).unwrap();
            prop_assert_eq!(read, chunk);
        }
    }

    /// The bytes of released values. When this fails, a value of an earlier release is no longer read as it was written:
    /// raise the value version and read both.
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

        let state = State { next_slot: 1, last_seq: 2, trimmed_seq: 3, documents: 4, pages: 5, chunks: 6 };
        assert_eq!(encode(&state).unwrap(), [1, 1, 2, 3, 4, 5, 6]);

        let page = Page {
            number: 1,
            text: "é\nb".into(),
            blocks: vec![Block { char_start: 0, char_end: 3, kind: BlockKind::Heading { level: 2 } }],
            line_boxes: vec![None],
            method: ExtractionMethod::Hybrid,
            ocr_confidence: None,
            sheet_name: Some("S".into()),
        };
        assert_eq!(encode(&PageRecord::new(&page).unwrap()).unwrap(), [1, 2, 0, 1, 1, b'S', 4, 3]);
        assert_eq!(encode(&LayoutRecord::new(&page)).unwrap(), [1, 1, 0, 3, 1, 2, 1, 0]);
    }
}
