//! Tracked changes of more than characters: ends of paragraphs, rows of tables, and references to notes.

use casetrack_core::ChangeKind;

use crate::build::changes::{self, ChangeId, Changes, Gap, Stamp};
use crate::build::flow::{FlowBlock, FlowCell, FlowRow, plain_text};

/// The insertion and deletion of the mark at the end of a paragraph, or of a row or cell.
#[derive(Default)]
pub struct MarkRevision {
    pub inserted: Option<(ChangeKind, Stamp)>,
    pub deleted: Option<(ChangeKind, Stamp)>,
}

/// Ends of paragraphs that were inserted.
#[derive(Default)]
pub struct InsertedMarks(Option<Run>);

/// Paragraphs before this one whose marks were inserted, so that they were one with it.
#[derive(Clone, Copy)]
struct Run {
    last_mark: ChangeId,
    /// One of them has text of the original, and so its label.
    has_label: bool,
}

impl InsertedMarks {
    /// Marks the end of a paragraph as inserted, if it is, and its label, which is returned.
    ///
    /// Paragraphs whose marks were inserted were one with the paragraph that follows them. It had one label, which now
    /// belongs to the first of them that has text of the original.
    pub fn end_paragraph(
        &mut self,
        inserted: Option<(ChangeKind, Stamp)>,
        text: &mut String,
        label: Option<String>,
        changes: &mut Changes,
    ) -> Option<String> {
        let run = self.0.take();
        let has_label = run.is_some_and(|run| run.has_label);
        let (id, is_new) = match inserted {
            None => (run.map(|run| run.last_mark), has_label),
            Some((kind, stamp)) => {
                let has_original = !changes.original(text).trim().is_empty();
                let id = changes.insertion(kind, &stamp);
                text.extend(id.map(changes::inserted_break));
                self.0 = id.map(|last_mark| Run { last_mark, has_label: has_label || has_original });
                (id, has_label || !has_original)
            }
        };
        match id.filter(|_| is_new) {
            Some(id) => label.map(|label| changes::start(id) + &label + &changes::end(id)),
            None => label,
        }
    }
}

/// The text of a deleted reference to a note, inside the deleted text; `blocks` are the note's.
pub fn deleted_note(blocks: &[FlowBlock], changes: &Changes) -> String {
    let texts = blocks.iter().map(|block| plain_text(&changes.original(&block.text)).trim().to_owned());
    let text = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
    if text.is_empty() { String::new() } else { format!(" [note: {text}]") }
}

/// The blocks of a cell after its changes: of one that was deleted, only the mark is left.
pub fn cell(mut blocks: Vec<FlowBlock>, tracked: MarkRevision, changes: &mut Changes) -> Vec<FlowBlock> {
    if let Some((kind, stamp)) = tracked.deleted {
        let text = FlowCell { column: 1, blocks }.text();
        let text = plain_text(&changes.original(&text)).trim().to_owned();
        let gone = changes.deletion(kind, &stamp, text, tracked.inserted.is_some()).map(changes::gone);
        return gone.map(block).into_iter().collect();
    }
    let is_blank = blocks.iter().all(|block| changes::is_blank(&block.text));
    let inserted = tracked.inserted.filter(|_| !is_blank);
    if let Some(id) = inserted.and_then(|(kind, stamp)| changes.insertion(kind, &stamp))
        && let [first, ..] = &mut blocks[..]
    {
        first.text.insert_str(0, &changes::start(id));
        blocks.last_mut().into_iter().for_each(|last| last.text.push_str(&changes::end(id)));
    }
    blocks
}

/// The rows of a table that are part of the text.
#[derive(Default)]
pub struct Rows {
    pub rows: Vec<FlowRow>,
    /// Marks of rows that were deleted before the first of them.
    leading: String,
}

impl Rows {
    /// Adds a row according to its changes.
    pub fn add(&mut self, mut row: FlowRow, tracked: MarkRevision, changes: &mut Changes) {
        if let Some((kind, stamp)) = tracked.deleted {
            let texts: Vec<String> =
                row.cells.iter().map(|cell| plain_text(&changes.original(&cell.text())).trim().to_owned()).collect();
            let text = texts.join("\t").trim_end().to_owned();
            let gone = changes.deletion(kind, &stamp, text, tracked.inserted.is_some()).map(changes::gone);
            let Some(gone) = gone else { return };
            match self.rows.last_mut() {
                Some(row) => last_text(row).push_str(&changes::after_gap(&gone, Gap::Line)),
                None => self.leading.push_str(&changes::before_gap(&gone, Gap::Line)),
            }
            return;
        }
        let inserted = tracked.inserted.and_then(|(kind, stamp)| changes.insertion(kind, &stamp));
        if let Some(id) = inserted {
            first_text(&mut row).insert_str(0, &changes::start(id));
            last_text(&mut row).push_str(&(changes::end(id) + &changes::inserted_break(id)));
        }
        let leading = std::mem::take(&mut self.leading);
        if !leading.is_empty() {
            first_text(&mut row).insert_str(0, &leading);
        }
        self.rows.push(row);
    }

    /// The rows, and marks outside all of them.
    pub fn finish(self) -> (Vec<FlowRow>, FlowBlock) {
        (self.rows, block(self.leading))
    }
}

fn block(text: String) -> FlowBlock {
    FlowBlock::paragraph(text, None, None)
}

fn first_text(row: &mut FlowRow) -> &mut String {
    if row.cells.is_empty() {
        row.cells.push(FlowCell { column: 1, blocks: Vec::new() });
    }
    let cell = &mut row.cells[0];
    if cell.blocks.is_empty() {
        cell.blocks.push(block(String::new()));
    }
    &mut cell.blocks[0].text
}

fn last_text(row: &mut FlowRow) -> &mut String {
    if row.cells.last().is_none_or(|cell| cell.blocks.is_empty()) {
        let column = row.cells.pop().map_or(1, |cell| cell.column);
        row.cells.push(FlowCell { column, blocks: vec![block(String::new())] });
    }
    let cell = row.cells.len() - 1;
    let last = row.cells[cell].blocks.len() - 1;
    &mut row.cells[cell].blocks[last].text
}
