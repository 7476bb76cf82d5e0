//! Blocks and tables that are collected until their container is complete.

use casetrack_core::BlockKind;
use casetrack_pages::build::table::{Cell, Content, Row};

/// Columns and spans beyond this are those of a hostile file.
const MAX_COLUMNS: u32 = 16_384;
const MAX_SPAN: u32 = 1000;
/// Cells over several rows that are followed at a time.
const MAX_ROW_SPANS: usize = 64;

/// Elements that have lines of their own.
pub(super) fn is_block(name: &str) -> bool {
    const BLOCKS: &str = "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset \
        figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option \
        p plaintext pre search section summary table textarea ul xmp";
    BLOCKS.split_ascii_whitespace().any(|block| block == name)
}

#[derive(Default)]
pub(super) struct Table {
    is_layout: bool,
    pub in_head: bool,
    /// The caption, and text between cells.
    before: Vec<Content>,
    rows: Vec<OpenRow>,
    cell: Option<OpenCell>,
    /// First column, column after the last, rows left.
    row_spans: Vec<(u32, u32, u32)>,
}

struct OpenRow {
    cells: Vec<OpenCell>,
    next_column: u32,
    /// All its cells so far are `th`.
    header: bool,
}

struct OpenCell {
    column: u32,
    items: Vec<Content>,
}

impl Table {
    /// `is_layout`: the page declares that the table only arranges text.
    pub fn new(is_layout: bool) -> Self {
        Self { is_layout, ..Self::default() }
    }

    pub fn start_row(&mut self) {
        self.row_spans.retain_mut(|(_, _, left)| {
            *left = left.saturating_sub(1);
            *left > 0
        });
        self.rows.push(OpenRow { cells: Vec::new(), next_column: 1, header: true });
    }

    pub fn start_cell(&mut self, is_header: bool, column_span: Option<u32>, row_span: Option<u32>) {
        if self.rows.is_empty() {
            self.start_row();
        }
        let in_head = self.in_head;
        let Some(row) = self.rows.last_mut() else { return };
        let mut column = row.next_column;
        for _ in 0..=self.row_spans.len() {
            match self.row_spans.iter().find(|(first, end, _)| (*first..*end).contains(&column)) {
                Some((_, end, _)) => column = *end,
                None => break,
            }
        }
        let columns = column_span.unwrap_or(1).clamp(1, MAX_SPAN);
        row.next_column = (column + columns).min(MAX_COLUMNS);
        row.header &= is_header || in_head;
        let rows = row_span.unwrap_or(1).min(MAX_SPAN);
        if rows > 1 && self.row_spans.len() < MAX_ROW_SPANS {
            // The row it starts in counts as one.
            self.row_spans.push((column, column + columns, rows));
        }
        self.cell = Some(OpenCell { column, items: Vec::new() });
    }

    pub fn end_cell(&mut self) {
        if let (Some(cell), Some(row)) = (self.cell.take(), self.rows.last_mut()) {
            row.cells.push(cell);
        }
    }

    pub fn push(&mut self, item: Content) {
        match &mut self.cell {
            Some(cell) => cell.items.push(item),
            None => self.before.push(item),
        }
    }

    /// A table that only arranges text is read as that text: one of a single column, and one whose cells hold headings
    /// or tables.
    pub fn finish(mut self) -> Vec<Content> {
        self.end_cell();
        let mut items = self.before;
        let arranges =
            |item: &Content| matches!(item, Content::Table(_) | Content::Block(BlockKind::Heading { .. }, _));
        let is_layout = self.is_layout
            || self.rows.iter().all(|row| row.cells.iter().filter(|cell| !cell.items.is_empty()).count() <= 1)
            || self.rows.iter().flat_map(|row| &row.cells).any(|cell| cell.items.iter().any(arranges));
        if is_layout {
            items.extend(self.rows.into_iter().flat_map(|row| row.cells).flat_map(|cell| cell.items));
            return items;
        }
        let has_values = self.rows.iter().any(|row| !row.header);
        let rows = self.rows.into_iter().map(|row| Row {
            header: row.header && !row.cells.is_empty() && has_values,
            cells: row.cells.into_iter().map(|cell| Cell::from_text(cell.column, text_of(&cell.items))).collect(),
        });
        items.push(Content::Table(rows.collect()));
        items
    }
}

fn text_of(items: &[Content]) -> String {
    let texts: Vec<&str> = items
        .iter()
        .filter_map(|item| match item {
            Content::Block(_, text) => Some(text.as_str()),
            Content::Table(_) => None,
        })
        .collect();
    texts.join(" ")
}
