//! The text of one part as paragraphs, tables and the objects anchored in them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use casetrack_core::{ChangeKind, Result};
use casetrack_pages::build::changes::{self, ChangeId, Stamp};
use casetrack_pages::build::flow::{Flow, FlowBlock, FlowCell, PAGE_BREAK, Sink, is_reserved};
use casetrack_pages::office::numbering::Numbering;
use casetrack_pages::office::styles::ListReference;
use casetrack_pages::office::symbols;
use casetrack_pages::office::tracked_changes::{MarkRevision, Rows};

use super::fib::Fib;
use super::form_fields::{FORM_FIELDS, form_field};
use super::pieces::Text;
use super::properties::{CharacterProperties, ParagraphProperties, PropertyPages, RowProperties, Run};
use super::revisions::Revisions;
use super::styles::Styles;
use super::tables::{TableRow, with_columns};

const CELL_MARK: u16 = 7;

pub(super) struct WordFile<'a> {
    pub fib: Fib,
    /// The stream of the tables that `fib` locates.
    pub tables: &'a [u8],
    pub text: Text<'a>,
    pub characters: PropertyPages<'a>,
    pub paragraphs: PropertyPages<'a>,
    pub styles: Styles,
    /// True if any of the styles hides characters.
    pub styles_hide: bool,
    pub fonts: Vec<String>,
    pub revisers: Vec<String>,
    pub data: Vec<u8>,
}

#[derive(Default)]
pub(super) struct Anchors {
    /// The mark in the text that refers to a note.
    pub notes: HashMap<u32, String>,
    /// True if a section that ends here is followed by a new page.
    pub sections: HashMap<u32, bool>,
    /// Text of text boxes, pictures and comments.
    pub boxes: BTreeMap<u32, Vec<FlowBlock>>,
    /// Headers and footers of the sections that are still to come.
    pub margins: std::vec::IntoIter<Vec<String>>,
}

pub(super) struct Body<'a, 'b, 'd> {
    pub file: &'b WordFile<'a>,
    pub numbering: &'b mut Numbering,
    pub anchors: &'b mut Anchors,
    pub veil: ChangeId,
    pub flow: &'b mut Flow<'d>,
}

#[derive(Default)]
pub(super) struct State<'a> {
    pub text: String,
    /// Fields that are open: whether each shows its result by now.
    pub fields: Vec<bool>,
    instruction: String,
    characters: Option<(Run<'a>, CharacterProperties)>,
    cell: Vec<FlowBlock>,
    cells: Vec<FlowCell>,
    rows: Vec<TableRow>,
    boxes: Vec<FlowBlock>,
    /// Where in `text` the hidden text begins that is being read.
    hidden_from: Option<usize>,
    /// The places of a paragraph and its style, where styles hide text.
    style: Option<(Range<u32>, u16)>,
    pub revisions: Revisions,
}

impl State<'_> {
    fn veil(&mut self, is_hidden: bool, id: ChangeId) {
        match self.hidden_from {
            None if is_hidden => self.hidden_from = Some(self.text.len()),
            Some(from) if !is_hidden => {
                self.hidden_from = None;
                if self.text.get(from..).is_some_and(|text| !changes::is_blank(text)) {
                    self.text.insert_str(from, &changes::hide(id));
                    self.text.push_str(&changes::show(id));
                }
            }
            _ => {}
        }
    }
}

impl<'a> Body<'a, '_, '_> {
    pub fn read(&mut self, range: Range<u32>, sink: &mut Sink) -> Result<()> {
        let units = &self.file.text.units;
        let end = (range.end as usize).min(units.len());
        let mut state = State::default();
        let mut at = (range.start as usize).min(end);
        while at < end {
            let position = at as u32;
            let unit = units[at];
            let mut next = at + 1;
            let ends_section = self.anchors.sections.get(&position).copied().filter(|_| unit == 0x0C);
            if self.file.fib.is_old && unit == CELL_MARK {
                // The marks of rows are not known: an empty cell ends a row.
                let ends_row = units.get(at.wrapping_sub(1)) == Some(&CELL_MARK);
                state.text.push(if ends_row { '\n' } else { '\t' });
            } else if matches!(unit, 0x0D | CELL_MARK) || ends_section.is_some() {
                let mark = self.character_properties(&mut state, position);
                if mark.is_deleted && unit == 0x0D && next < end && self.goes_on(position) {
                    self.delete_end(&mut state, &mark);
                } else {
                    self.end_paragraph(&mut state, position, &mark, sink)?;
                }
            } else {
                let unit_pair = [unit, units.get(next).copied().unwrap_or(0)];
                let pair = char::decode_utf16(unit_pair).next().and_then(Result::ok).filter(|c| c.len_utf16() == 2);
                next += usize::from(pair.is_some());
                self.character(&mut state, position, unit, pair);
            }
            if let (Some(starts_page), Sink::Pages) = (ends_section, &*sink) {
                if starts_page {
                    self.flow.break_page();
                }
                self.start_section();
            }
            at = next;
        }
        self.end_deletion(&mut state);
        if !state.text.is_empty() || !state.cell.is_empty() {
            let nothing = CharacterProperties::default();
            self.end_paragraph(&mut state, (at as u32).saturating_sub(1), &nothing, sink)?;
        }
        self.end_table(&mut state, sink)
    }

    /// Headers and footers go on the first page of their section.
    pub fn start_section(&mut self) {
        let texts = self.anchors.margins.next().unwrap_or_default();
        self.flow.add_margins(texts);
    }

    fn character(&mut self, state: &mut State<'a>, position: u32, unit: u16, pair: Option<char>) {
        let boxed = self.anchors.boxes.remove(&position).unwrap_or_default();
        let properties = self.character_properties(state, position);
        if properties.is_deleted {
            return self.delete(state, position, (unit, pair), &properties, &boxed);
        }
        state.boxes.extend(boxed);
        match unit {
            0x13 => {
                state.fields.push(false);
                state.instruction.clear();
            }
            0x14 => {
                if let Some(shows) = state.fields.last_mut() {
                    *shows = true;
                }
            }
            0x15 => {
                state.fields.pop();
            }
            // A form field keeps its state in the data of the picture that is part of its instruction.
            0x01 if state.fields.last() == Some(&false) && FORM_FIELDS.contains(&state.instruction.trim()) => {
                if let Some(shown) = properties.data.and_then(|place| form_field(&self.file.data, place)) {
                    self.mark_text(state, &properties);
                    state.text.push_str(&shown);
                }
            }
            _ if state.fields.contains(&false) => {
                if state.instruction.len() < 100 {
                    state.instruction.extend(char::from_u32(unit.into()));
                }
            }
            _ => self.visible(state, position, unit, pair, properties),
        }
    }

    fn is_hidden(&self, state: &mut State<'a>, position: u32, properties: &CharacterProperties) -> bool {
        let styles = &self.file.styles;
        if !self.file.styles_hide {
            return properties.is_hidden(false);
        }
        let place = self.file.text.place(position).map_or(0, |(place, _)| place);
        let known = state.style.as_ref().filter(|(places, _)| places.contains(&place));
        let style = known.map(|(_, style)| *style).unwrap_or_else(|| {
            let places = self.file.paragraphs.find(place).map_or(place..place.saturating_add(1), |run| run.places);
            let style = self.paragraph_properties(position).style;
            state.style = Some((places, style));
            style
        });
        properties.is_hidden(styles.hide(style, properties.style))
    }

    fn visible(
        &mut self,
        state: &mut State<'a>,
        position: u32,
        unit: u16,
        pair: Option<char>,
        properties: CharacterProperties,
    ) {
        let c = self.shown(unit, pair, &properties);
        let note = self.anchors.notes.get(&position).cloned();
        if c.is_some() || note.is_some() {
            self.mark_text(state, &properties);
        }
        state.text.extend(note);
        if let Some(c) = c {
            let is_hidden = self.is_hidden(state, position, &properties);
            state.veil(is_hidden, self.veil);
            // A character that is a mark or a page break is not text.
            state.text.push(if c != PAGE_BREAK && is_reserved(c) { ' ' } else { c });
        }
    }

    pub fn shown(&self, unit: u16, pair: Option<char>, properties: &CharacterProperties) -> Option<char> {
        match (unit, properties.symbol) {
            (0x28, Some((font, code))) if properties.is_special => {
                let font = self.file.fonts.get(usize::from(font)).map(String::as_str);
                Some(symbols::symbol(code.into(), font))
            }
            (0x09, _) => Some('\t'),
            (0x0B | 0x0E, _) => Some('\n'),
            (0x0C, _) => Some(PAGE_BREAK),
            // Hyphens that do not break.
            (0x1E, _) => Some('-'),
            // Pictures, marks of notes and comments, hyphens that show at line ends only.
            (0..0x20, _) => None,
            _ if pair.is_some() => pair,
            _ => Some(char::from_u32(unit.into()).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }

    pub fn is_deleted(&self, position: u32) -> bool {
        self.character_properties(&mut State::default(), position).is_deleted
    }

    /// True if the next paragraph can continue with the text of the one that ends here: both are in a table, or neither is.
    fn goes_on(&self, position: u32) -> bool {
        let in_table = |position| {
            let properties = self.paragraph_properties(position);
            properties.in_table || properties.depth > 0
        };
        in_table(position) == in_table(position + 1)
    }

    /// The places in the Data stream of the inline pictures, by their positions in the text.
    pub fn inline_pictures(&self) -> Vec<(u32, u32)> {
        let mut state = State::default();
        let pictures = self.file.text.units.iter().zip(0u32..).filter(|(unit, _)| **unit == 1);
        pictures
            .filter_map(|(_, position)| {
                let properties = self.character_properties(&mut state, position);
                let is_picture = properties.is_special && !properties.is_deleted;
                Some((position, properties.data.filter(|_| is_picture)?))
            })
            .collect()
    }

    fn character_properties(&self, state: &mut State<'a>, position: u32) -> CharacterProperties {
        let Some((place, changes)) = self.file.text.place(position) else { return CharacterProperties::default() };
        let known = state.characters.as_ref().filter(|(run, _)| run.places.contains(&place));
        let mut properties = match known {
            Some((_, properties)) => *properties,
            None => {
                let nothing = Run { places: place..place.saturating_add(1), properties: &[] };
                let run = self.file.characters.find(place).unwrap_or(nothing);
                let mut properties = CharacterProperties::default();
                properties.apply(run.properties);
                state.characters = Some((run, properties));
                properties
            }
        };
        properties.apply(changes);
        properties
    }

    /// `mark`: the properties of the character that ends the paragraph.
    fn end_paragraph(
        &mut self,
        state: &mut State<'a>,
        position: u32,
        mark: &CharacterProperties,
        sink: &mut Sink,
    ) -> Result<()> {
        let properties = self.paragraph_properties(position);
        state.veil(false, self.veil);
        // Results of fields may span paragraphs. Instructions rarely do, and one without an end must not hide the rest.
        state.fields.retain(|shows| *shows);
        self.end_changes(state);
        let text = std::mem::take(&mut state.text);
        if properties.ends_row && !properties.ends_inner {
            if !state.cell.is_empty() || !changes::is_blank(&text) {
                state.cell.push(FlowBlock::paragraph(text, None, None));
                Self::end_cell(state);
            }
            let mut cells = std::mem::take(&mut state.cells);
            let tracked = self.tracked(mark);
            if tracked.inserted.is_some() {
                // The content of the row is part of its insertion.
                let blocks = cells.iter_mut().flat_map(|cell| &mut cell.blocks);
                blocks.for_each(|block| block.text = changes::without_insertions(&block.text));
            }
            state.rows.push(TableRow { cells, properties: properties.row, tracked });
            return Ok(());
        }
        let is_cell = self.file.text.units.get(position as usize) == Some(&CELL_MARK);
        let in_table = properties.in_table || properties.depth > 0;
        if !in_table {
            self.end_table(state, sink)?;
        }
        let inserted = if is_cell { None } else { self.tracked(mark).inserted };
        let block = self.block(text, &properties, inserted, state);
        let boxes = std::mem::take(&mut state.boxes);
        for block in std::iter::once(block).chain(boxes) {
            match in_table {
                true => state.cell.push(block),
                false => self.flow.emit(block, sink)?,
            }
        }
        if in_table && is_cell {
            Self::end_cell(state);
        }
        Ok(())
    }

    fn end_cell(state: &mut State) {
        let column = state.cells.len() as u32 + 1;
        state.cells.push(FlowCell { column, blocks: std::mem::take(&mut state.cell) });
    }

    fn end_table(&mut self, state: &mut State, sink: &mut Sink) -> Result<()> {
        if !state.cell.is_empty() {
            Self::end_cell(state);
        }
        if !state.cells.is_empty() {
            let cells = std::mem::take(&mut state.cells);
            state.rows.push(TableRow { cells, properties: RowProperties::default(), tracked: MarkRevision::default() });
        }
        if state.rows.is_empty() {
            return Ok(());
        }
        let mut rows = Rows::default();
        for (row, tracked) in with_columns(std::mem::take(&mut state.rows)) {
            rows.add(row, tracked, self.flow.document.changes());
        }
        let (rows, marks) = rows.finish();
        self.flow.emit_table(rows, sink)?;
        self.flow.emit(marks, sink)
    }

    fn paragraph_properties(&self, position: u32) -> ParagraphProperties {
        let Some((place, changes)) = self.file.text.place(position) else { return ParagraphProperties::default() };
        let run = self.file.paragraphs.find(place);
        let properties = run.map(|run| run.properties).unwrap_or_default();
        let mut properties = ParagraphProperties::of_run(properties, &self.file.data);
        properties.apply(changes, &self.file.data, true);
        properties
    }

    fn block(
        &mut self,
        mut text: String,
        properties: &ParagraphProperties,
        inserted: Option<(ChangeKind, Stamp)>,
        state: &mut State,
    ) -> FlowBlock {
        let styles = &self.file.styles;
        let style = properties.style;
        let level = match properties.outline_level {
            Some(level) => (level < 9).then_some(level + 1),
            None => styles.heading_level(style),
        };
        let list = properties.list.or_else(|| styles.inherited_property(style, |style| style.list));
        let list_level = properties.list_level.or_else(|| styles.inherited_property(style, |style| style.list_level));
        // An empty paragraph is not numbered.
        let is_blank = changes::is_blank(&text);
        // 0x7FF stands for numbers of Word 6, which are part of the paragraph.
        let list = list.filter(|number| (1..0x7FF).contains(number) && !is_blank);
        let label = list.and_then(|number| {
            let level = usize::from(list_level.unwrap_or(0));
            self.numbering.label(&ListReference { number_id: Some(number.to_string()), level: Some(level) }, None)
        });
        let label = state.revisions.marks.end_paragraph(inserted, &mut text, label, self.flow.document.changes());
        let mut block = FlowBlock::paragraph(text, level, label.as_deref());
        let breaks = properties.page_break_before;
        if breaks.or_else(|| styles.inherited_property(style, |style| style.page_break_before)).unwrap_or(false) {
            block.text.insert(0, PAGE_BREAK);
        }
        block
    }
}
