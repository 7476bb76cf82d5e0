//! The invariants of pages, chunks, vectors and annotations (ARCHITECTURE.md), checked before a document is stored and
//! again by `verify`.

use std::collections::HashMap;
use std::fmt;

use casetrack_core::{Annotations, Chunk, ChunkId, DocumentId, Page};

/// The greatest difference between the length of a vector and 1. Half precision costs about 0.0005.
const UNIT_TOLERANCE: f32 = 0.01;
/// Distance of the places whose byte offset is remembered, in characters.
const CHECKPOINT_CHARS: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Invariant 1: offsets, lines, paragraphs and ids of chunks follow from the page's text; blocks are within it.
    Verbatim,
    /// Invariant 2: every character that is not white space is in a chunk.
    Covered,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violation {
    pub rule: Rule,
    pub page: u32,
    pub chunk: Option<u32>,
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.chunk {
            Some(chunk) => write!(f, "page {}, chunk {chunk}: {}", self.page, self.what),
            None => write!(f, "page {}: {}", self.page, self.what),
        }
    }
}

/// Checks a page and its chunks, given in order of their index.
pub(crate) fn check_page(document: DocumentId, page: &Page, chunks: &[Chunk], report: &mut dyn FnMut(Violation)) {
    let text = TextIndex::new(&page.text);
    check_layout(page, &text, &mut |what| {
        report(Violation { rule: Rule::Verbatim, page: page.number, chunk: None, what });
    });
    let mut occurrences: HashMap<&str, u32> = HashMap::new();
    for chunk in chunks {
        let occurrence = occurrences.entry(&chunk.text).or_default();
        if let Some(what) = chunk_problem(document, page, &text, chunk, *occurrence) {
            report(Violation { rule: Rule::Verbatim, page: page.number, chunk: Some(chunk.index), what });
        }
        *occurrence += 1;
    }
    if let Some(what) = uncovered(page, chunks) {
        report(Violation { rule: Rule::Covered, page: page.number, chunk: None, what });
    }
}

fn check_layout(page: &Page, text: &TextIndex<'_>, report: &mut dyn FnMut(String)) {
    if !page.line_boxes.is_empty() && page.line_boxes.len() != text.lines() {
        report(format!("it has {} lines, but boxes for {}", text.lines(), page.line_boxes.len()));
    }
    let mut end = 0;
    for (n, block) in (1..).zip(&page.blocks) {
        let bytes = (text.byte_of(end), text.byte_of(block.char_start), text.byte_of(block.char_end));
        let (Some(before), Some(start), Some(stop)) = bytes else {
            return report(format!("paragraph {n} ends after the page's text"));
        };
        if block.char_start < end || stop <= start {
            return report(format!("paragraph {n} is empty or overlaps the one before"));
        }
        if has_text(&page.text, before, start) {
            report(format!("there is text before paragraph {n} that no paragraph holds"));
        }
        end = block.char_end;
    }
    if has_text(&page.text, text.byte_of(end).unwrap_or_default(), page.text.len()) {
        report("there is text at its end that no paragraph holds".to_owned());
    }
}

fn chunk_problem(
    document: DocumentId,
    page: &Page,
    text: &TextIndex<'_>,
    chunk: &Chunk,
    occurrence: u32,
) -> Option<String> {
    let (start, end) = (chunk.byte_start as usize, chunk.byte_end as usize);
    if start >= end || page.text.get(start..end) != Some(&chunk.text) {
        return Some(format!("bytes {start}..{end} of the page are not its text"));
    }
    if (text.byte_of(chunk.char_start), text.byte_of(chunk.char_end)) != (Some(start), Some(end)) {
        return Some(format!(
            "characters {}..{} are not the same place as bytes {start}..{end}",
            chunk.char_start, chunk.char_end
        ));
    }
    let lines = (text.line_of(chunk.char_start), text.line_of(chunk.char_end - 1));
    if (chunk.line_start, chunk.line_end) != lines {
        let (first, last) = lines;
        return Some(format!("it is on lines {first}-{last}, not {}-{}", chunk.line_start, chunk.line_end));
    }
    let first = page.blocks.partition_point(|block| block.char_end <= chunk.char_start) as u32 + 1;
    let last = page.blocks.partition_point(|block| block.char_start < chunk.char_end) as u32;
    if (chunk.paragraph_start, chunk.paragraph_end) != (first, last) {
        let (start, end) = (chunk.paragraph_start, chunk.paragraph_end);
        return Some(format!("it is in paragraphs {first}-{last}, not {start}-{end}"));
    }
    if chunk.id != ChunkId::derive(document, page.number, occurrence, &chunk.text) {
        return Some("its id does not follow from its text".to_owned());
    }
    None
}

/// The first text outside all chunks, if any.
fn uncovered(page: &Page, chunks: &[Chunk]) -> Option<String> {
    let mut spans: Vec<(usize, usize)> =
        chunks.iter().map(|chunk| (chunk.byte_start as usize, chunk.byte_end as usize)).collect();
    spans.sort_unstable();
    spans.push((page.text.len(), page.text.len()));
    let mut covered = 0;
    for (start, end) in spans {
        if has_text(&page.text, covered, start) {
            return Some(format!("text between bytes {covered} and {start} is in no chunk"));
        }
        covered = covered.max(end);
    }
    None
}

/// True if there is anything but white space between two byte offsets.
fn has_text(text: &str, start: usize, end: usize) -> bool {
    start < end && text.get(start..end).is_none_or(|gap| !gap.chars().all(char::is_whitespace))
}

/// The problem of a vector, in words that follow "the vector …".
pub(crate) fn vector_problem(vector: impl ExactSizeIterator<Item = f32> + Clone, dimension: u32) -> Option<String> {
    if vector.len() != dimension as usize {
        return Some(format!("has {} components instead of {dimension}", vector.len()));
    }
    let norm = vector.map(|x| x * x).sum::<f32>().sqrt();
    if !norm.is_finite() {
        return Some("has components that are not numbers".to_owned());
    }
    ((norm - 1.0).abs() > UNIT_TOLERANCE).then(|| format!("has length {norm} instead of 1"))
}

/// The problem of annotations, in words that follow "in its annotations, …". `page_chars` is the length of each page.
pub(crate) fn annotations_problem(annotations: &Annotations, page_chars: &[u64]) -> Option<String> {
    let Annotations { entities, mentions, references, .. } = annotations;
    if let Some(n) = mentions.iter().position(|mention| mention.entity as usize >= entities.len()) {
        return Some(format!("mention {n} is of entity {}, but there are {}", mentions[n].entity, entities.len()));
    }
    let mentions = mentions.iter().map(|mention| (mention.page, mention.char_start, mention.char_end));
    let references =
        references.iter().map(|placed| (placed.page, placed.reference.char_start, placed.reference.char_end));
    place_problem("mention", mentions, page_chars).or_else(|| place_problem("reference", references, page_chars))
}

/// Of things given by page, start and end.
fn place_problem(what: &str, places: impl Iterator<Item = (u32, u32, u32)>, page_chars: &[u64]) -> Option<String> {
    let mut before = (0, 0);
    for (n, (page, start, end)) in places.enumerate() {
        let Some(&chars) = page.checked_sub(1).and_then(|place| page_chars.get(place as usize)) else {
            return Some(format!("{what} {n} is on page {page}, which does not exist"));
        };
        if start >= end || u64::from(end) > chars {
            return Some(format!("{what} {n} is at characters {start}..{end} of page {page}, which has {chars}"));
        }
        if (page, start) < before {
            return Some(format!("{what} {n} comes before the one in front of it"));
        }
        before = (page, start);
    }
    None
}

/// Byte offsets and lines of the characters of a text.
struct TextIndex<'t> {
    text: &'t str,
    /// Byte offset of every [`CHECKPOINT_CHARS`]th character.
    checkpoints: Vec<usize>,
    /// Places of the line breaks, in characters.
    breaks: Vec<u32>,
}

impl<'t> TextIndex<'t> {
    fn new(text: &'t str) -> Self {
        let (mut checkpoints, mut breaks) = (Vec::new(), Vec::new());
        for (n, (byte, c)) in text.char_indices().enumerate() {
            if n % CHECKPOINT_CHARS == 0 {
                checkpoints.push(byte);
            }
            if c == '\n' {
                breaks.push(n as u32);
            }
        }
        Self { text, checkpoints, breaks }
    }

    /// The byte at which a character begins, or the end of the text.
    fn byte_of(&self, char: u32) -> Option<usize> {
        let char = char as usize;
        let Some(&base) = self.checkpoints.get(char / CHECKPOINT_CHARS) else {
            // The end of a text of a multiple of the distance, the empty one among them.
            let whole = self.checkpoints.len() * CHECKPOINT_CHARS;
            let last = self.checkpoints.last().copied().unwrap_or_default();
            let full = self.text[last..].chars().count() == CHECKPOINT_CHARS.min(whole);
            return (char == whole && full).then_some(self.text.len());
        };
        let rest = self.text.get(base..)?;
        let mut offsets = rest.char_indices().map(|(byte, _)| base + byte).chain([self.text.len()]);
        offsets.nth(char % CHECKPOINT_CHARS)
    }

    /// The line a character is on, from 1. A line break belongs to the line it ends.
    fn line_of(&self, char: u32) -> u32 {
        self.breaks.partition_point(|&at| at < char) as u32 + 1
    }

    fn lines(&self) -> usize {
        self.breaks.len() + 1
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::{
        Block, BlockKind, EntityType, ExtractionMethod, LocalEntity, PageNotes, PlacedMention, PlacedReference,
        Reference, ReferenceKind,
    };
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn characters_are_found_in_bytes(text in "\\PC{0,40}", repeat in 1usize..90) {
            let text = text.repeat(repeat);
            let index = TextIndex::new(&text);
            let offsets: Vec<usize> = text.char_indices().map(|(byte, _)| byte).chain([text.len()]).collect();
            for (n, &byte) in offsets.iter().enumerate() {
                prop_assert_eq!(index.byte_of(n as u32), Some(byte));
            }
            for beyond in offsets.len()..offsets.len() + 2 * CHECKPOINT_CHARS {
                prop_assert_eq!(index.byte_of(beyond as u32), None);
            }
        }
    }

    #[test]
    fn the_end_of_a_text_of_whole_checkpoints_is_found() {
        for chars in [0, CHECKPOINT_CHARS, 2 * CHECKPOINT_CHARS] {
            let text = "é".repeat(chars);
            let index = TextIndex::new(&text);
            assert_eq!(index.byte_of(chars as u32), Some(2 * chars));
            assert_eq!(index.byte_of(chars as u32 + 1), None);
        }
    }

    fn page() -> (DocumentId, Page, Vec<Chunk>) {
        let document = DocumentId::from_bytes([3; 16]);
        let text = "Größe\nzwei  drei";
        let block = |char_start, char_end| Block { char_start, char_end, kind: BlockKind::Paragraph };
        let page = Page {
            number: 4,
            text: text.into(),
            blocks: vec![block(0, 10), block(12, 16)],
            line_boxes: Vec::new(),
            method: ExtractionMethod::Native,
            ocr_confidence: None,
            sheet_name: None,
            notes: PageNotes::default(),
        };
        let chunk = |index, chars: (u32, u32), bytes: (u32, u32), paragraphs, lines: (u32, u32)| {
            let text = &text[bytes.0 as usize..bytes.1 as usize];
            let (paragraph_start, paragraph_end) = paragraphs;
            Chunk {
                id: ChunkId::derive(document, 4, 0, text),
                index,
                page: 4,
                char_start: chars.0,
                char_end: chars.1,
                byte_start: bytes.0,
                byte_end: bytes.1,
                paragraph_start,
                paragraph_end,
                line_start: lines.0,
                line_end: lines.1,
                sheet_name: None,
                row_range: None,
                column_range: None,
                bounding_boxes: Vec::new(),
                heading_path: Vec::new(),
                context: String::new(),
                text: text.into(),
            }
        };
        let chunks = vec![chunk(0, (0, 10), (0, 12), (1, 1), (1, 2)), chunk(1, (6, 16), (8, 18), (1, 2), (2, 2))];
        (document, page, chunks)
    }

    fn violations(change: impl FnOnce(&mut Page, &mut Vec<Chunk>)) -> Vec<String> {
        let (document, mut page, mut chunks) = page();
        change(&mut page, &mut chunks);
        let mut found = Vec::new();
        check_page(document, &page, &chunks, &mut |violation| found.push(violation.to_string()));
        found
    }

    #[test]
    fn a_sound_page_passes() {
        assert_eq!(violations(|_, _| ()), Vec::<String>::new());
    }

    #[test]
    fn every_kind_of_damage_is_named() {
        let named = |change: fn(&mut Page, &mut Vec<Chunk>), expected: &str| {
            let found = violations(change);
            assert!(found.iter().any(|text| text.contains(expected)), "{expected:?} is not in {found:?}");
        };
        named(|_, chunks| chunks[0].text.push('x'), "chunk 0: bytes 0..12 of the page are not its text");
        named(|page, _| page.text.replace_range(0..1, "K"), "chunk 0: bytes 0..12");
        named(|_, chunks| chunks[1].char_start = 7, "chunk 1: characters 7..16 are not the same place as bytes 8..18");
        named(|_, chunks| chunks[1].line_start = 1, "chunk 1: it is on lines 2-2, not 1-2");
        named(|_, chunks| chunks[1].paragraph_end = 1, "chunk 1: it is in paragraphs 1-2, not 1-1");
        named(|_, chunks| chunks[1].id = chunks[0].id, "chunk 1: its id does not follow from its text");
        named(|_, chunks| drop(chunks.remove(1)), "page 4: text between bytes 12 and 18 is in no chunk");
        named(|_, chunks| drop(chunks.remove(0)), "page 4: text between bytes 0 and 8 is in no chunk");
        named(|page, _| page.blocks[1].char_start = 13, "page 4: there is text before paragraph 2");
        named(|page, _| page.blocks.truncate(1), "page 4: there is text at its end that no paragraph holds");
        named(|page, _| page.blocks[1].char_start = 9, "page 4: paragraph 2 is empty or overlaps");
        named(|page, _| page.blocks[1].char_end = 17, "page 4: paragraph 2 ends after the page's text");
        named(|page, _| page.line_boxes.push(None), "page 4: it has 2 lines, but boxes for 1");
    }

    #[test]
    fn vectors_are_finite_and_of_length_1() {
        let problem = |vector: &[f32]| vector_problem(vector.iter().copied(), 2);
        assert_eq!(problem(&[0.6, 0.8]), None);
        assert!(problem(&[1.0]).unwrap().contains("1 components instead of 2"));
        assert!(problem(&[f32::NAN, 1.0]).unwrap().contains("not numbers"));
        assert!(problem(&[0.5, 0.5]).unwrap().contains("length 0.70"));
    }

    #[test]
    fn annotations_lie_in_their_pages_in_order() {
        let mention =
            |entity, page, char_start, char_end| PlacedMention { entity, page, char_start, char_end, role: None };
        let reference = |page, char_start, char_end| PlacedReference {
            page,
            reference: Reference {
                kind: ReferenceKind::Internal,
                char_start,
                char_end,
                name: "Section 1".into(),
                relation: None,
            },
        };
        let entity = LocalEntity {
            entity_type: EntityType::Person,
            key: "ann".into(),
            name: "Ann".into(),
            aliases: Vec::new(),
            value: None,
            confidence: 100,
        };
        // The pages have 9, no and 5 characters.
        let problem = |mentions: &[PlacedMention], references: &[PlacedReference]| {
            let annotations = Annotations {
                analysis: "test".into(),
                entities: vec![entity.clone()],
                mentions: mentions.to_vec(),
                references: references.to_vec(),
            };
            annotations_problem(&annotations, &[9, 0, 5]).unwrap_or_default()
        };
        let sound = [mention(0, 1, 2, 9), mention(0, 1, 2, 3), mention(0, 3, 0, 5)];
        assert_eq!(problem(&sound, &[reference(1, 0, 1), reference(3, 0, 5)]), "");
        assert_eq!(problem(&[], &[]), "");
        assert_eq!(problem(&[mention(1, 1, 0, 1)], &[]), "mention 0 is of entity 1, but there are 1");
        assert_eq!(problem(&[mention(0, 0, 0, 1)], &[]), "mention 0 is on page 0, which does not exist");
        assert_eq!(problem(&[], &[reference(4, 0, 1)]), "reference 0 is on page 4, which does not exist");
        let outside = "mention 0 is at characters 3..10 of page 1, which has 9";
        assert_eq!(problem(&[mention(0, 1, 3, 10)], &[]), outside);
        let empty = "reference 1 is at characters 3..3 of page 3, which has 5";
        assert_eq!(problem(&sound, &[reference(3, 1, 2), reference(3, 3, 3)]), empty);
        let swapped = [mention(0, 1, 2, 3), mention(0, 1, 1, 4)];
        assert_eq!(problem(&swapped, &[]), "mention 1 comes before the one in front of it");
        assert!(problem(&[], &[reference(3, 0, 1), reference(1, 4, 5)]).contains("reference 1 comes before"));
    }
}
