//! Tracked changes (17.13.5): runs, paragraph marks and rows that were inserted, deleted or moved.
//!
//! Changes of formatting and of table cells are counted (`unlisted`).

use casetrack_core::ChangeKind;

use super::body::{Body, Paragraph};
use crate::build::changes::{self, ChangeId, Changes, Gap, Stamp};
use crate::build::flow::{FlowBlock, FlowCell, FlowRow, Sink, plain_text};
use crate::container::xml::{Element, Stop, XmlError, XmlReader};

/// Where in tracked changes the reader is.
#[derive(Default)]
pub(super) struct Revisions {
    /// How many insertions and deletions are open.
    inserting: usize,
    deleting: usize,
    /// Bytes of the deletion being read that stand in insertions of its own.
    inserted_bytes: usize,
    /// The paragraph whose mark was deleted: the next one goes on with its text.
    pub merged: Option<Box<Paragraph>>,
    run: Option<Run>,
}

/// Paragraphs before this one whose marks were inserted, so that they were one with it.
#[derive(Clone, Copy)]
struct Run {
    last_mark: ChangeId,
    /// One of them has text of the original, and so its label.
    has_label: bool,
}

impl Revisions {
    /// Whether what is read is not part of the text any more.
    pub fn is_deleting(&self) -> bool {
        self.deleting > 0
    }
}

/// What was done to the mark at the end of a paragraph (17.13.5.15, 17.13.5.20), or to a row.
#[derive(Default)]
pub(super) struct Tracked {
    pub inserted: Option<(ChangeKind, Stamp)>,
    pub deleted: Option<(ChangeKind, Stamp)>,
}

impl Tracked {
    /// Takes an element of the properties of a mark or row, if it is a change.
    pub fn read(&mut self, element: &Element) {
        match kind(element.name()) {
            Some(kind) if kind.removes() => self.deleted = Some((kind, stamp(element))),
            Some(kind) => self.inserted = Some((kind, stamp(element))),
            None => {}
        }
    }

    /// Reads `w:rPr` of a paragraph mark to its end.
    pub fn read_mark(&mut self, xml: &mut XmlReader) -> Result<(), XmlError> {
        while let Some(property) = xml.child()? {
            self.read(&property);
            xml.skip()?;
        }
        Ok(())
    }
}

fn kind(name: &str) -> Option<ChangeKind> {
    match name {
        "ins" => Some(ChangeKind::Insertion),
        "del" => Some(ChangeKind::Deletion),
        "moveFrom" => Some(ChangeKind::MoveFrom),
        "moveTo" => Some(ChangeKind::MoveTo),
        _ => None,
    }
}

fn stamp(element: &Element) -> Stamp {
    let [author, date] = element.attributes(["author", "date"]);
    Stamp::new(author.as_deref(), date.as_deref())
}

impl Body<'_, '_> {
    /// Reads `w:ins` or `w:moveTo` in a paragraph to its end.
    pub fn inserted(&mut self, element: &Element, paragraph: &mut Paragraph) -> Result<(), Stop> {
        if self.revisions.is_deleting() {
            let before = paragraph.text.len();
            let outcome = self.inlines(paragraph);
            self.revisions.inserted_bytes += paragraph.text.len() - before;
            return outcome;
        }
        // What is inserted inside an insertion, as in a row that was inserted, is part of it.
        let is_outermost = self.revisions.inserting == 0;
        let kind = kind(element.name()).unwrap_or(ChangeKind::Insertion);
        let id = is_outermost.then(|| self.flow.document.changes().insertion(kind, &stamp(element))).flatten();
        paragraph.text.extend(id.map(changes::start));
        self.revisions.inserting += 1;
        let outcome = self.inlines(paragraph);
        self.revisions.inserting -= 1;
        paragraph.text.extend(id.map(changes::end));
        outcome
    }

    /// Reads `w:del`, `w:moveFrom`, or a `w:delText` that stands alone, to its end.
    pub fn deleted(&mut self, element: &Element, paragraph: &mut Paragraph) -> Result<(), Stop> {
        if self.revisions.is_deleting() {
            return self.inlines(paragraph);
        }
        // Fields that begin or end here are not those of the text.
        let fields = std::mem::take(&mut self.fields);
        self.revisions.deleting += 1;
        self.revisions.inserted_bytes = 0;
        let mut gone = Paragraph::default();
        let outcome = match element.name() {
            "delText" => self.text(&mut gone),
            _ => self.inlines(&mut gone),
        };
        self.revisions.deleting -= 1;
        self.fields = fields;
        let is_all_inserted = self.revisions.inserted_bytes > 0 && self.revisions.inserted_bytes == gone.text.len();
        let texts = std::iter::once(gone.text).chain(gone.boxed.into_iter().map(|(_, block)| block.text));
        let texts: Vec<String> = texts.map(|text| plain_text(&text)).filter(|text| !text.is_empty()).collect();
        let kind = kind(element.name()).unwrap_or(ChangeKind::Deletion);
        let of_insertion = self.revisions.inserting > 0 || is_all_inserted;
        let id = self.flow.document.changes().deletion(kind, &stamp(element), texts.join("\n"), of_insertion);
        paragraph.text.extend(id.map(changes::gone));
        outcome
    }

    /// What a deleted reference refers to.
    pub fn deleted_note(&mut self, blocks: &[FlowBlock]) -> String {
        let changes = self.flow.document.changes();
        let texts = blocks.iter().map(|block| plain_text(&changes.original(&block.text)).trim().to_owned());
        let text = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
        if text.is_empty() { String::new() } else { format!(" [note: {text}]") }
    }

    /// The paragraph that goes on with the text of those before, whose marks were deleted.
    pub fn begun(&mut self) -> Paragraph {
        let Some(merged) = self.revisions.merged.take() else { return Paragraph::default() };
        let Paragraph { mut text, mark, boxed, drawings, .. } = *merged;
        if let Some((kind, stamp)) = mark.deleted {
            let of_insertion = mark.inserted.is_some();
            let id = self.flow.document.changes().deletion(kind, &stamp, "\n".to_owned(), of_insertion);
            text.extend(id.map(changes::gone));
        }
        Paragraph { text, boxed, drawings, ..Paragraph::default() }
    }

    /// Ends a paragraph whose mark was deleted, but that nothing follows.
    pub fn finish_merged(&mut self, sink: &mut Sink) -> Result<(), Stop> {
        match self.revisions.merged.take() {
            Some(merged) => self.finish_paragraph(Paragraph { mark: Tracked::default(), ..*merged }, sink),
            None => Ok(()),
        }
    }

    /// Reads blocks of a cell or text box: what was begun outside does not go on there.
    pub fn apart(
        &mut self,
        sink: &mut Sink,
        read: impl FnOnce(&mut Self, &mut Sink) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let outside = (self.revisions.merged.take(), self.revisions.run.take());
        let is_on_paper = std::mem::take(&mut self.is_on_paper);
        let outcome = read(self, sink);
        let ended = self.finish_merged(sink);
        (self.revisions.merged, self.revisions.run) = outside;
        self.is_on_paper = is_on_paper;
        outcome.and(ended)
    }

    /// Reads `w:txbxContent` to its end. It stands behind its paragraph, and so in no insertion of that.
    pub fn text_box(&mut self, sink: &mut Sink) -> Result<(), Stop> {
        let inserting = std::mem::take(&mut self.revisions.inserting);
        let outcome = self.apart(sink, Self::blocks);
        self.revisions.inserting = inserting;
        outcome
    }

    /// Marks the end of a paragraph as inserted, where it is, and its label.
    ///
    /// Paragraphs whose marks were inserted were one with the paragraph that follows them. It had one label, which is now that of the first
    /// of them that has text of the original.
    pub fn mark_inserted(&mut self, mark: Tracked, text: &mut String, label: Option<String>) -> Option<String> {
        if self.revisions.inserting > 0 {
            return label;
        }
        let run = self.revisions.run.take();
        let has_label = run.is_some_and(|run| run.has_label);
        let (id, is_new) = match mark.inserted {
            None => (run.map(|run| run.last_mark), has_label),
            Some((kind, stamp)) => {
                let changes = self.flow.document.changes();
                let has_original = !changes.original(text).trim().is_empty();
                let id = changes.insertion(kind, &stamp);
                text.extend(id.map(changes::inserted_break));
                self.revisions.run = id.map(|last_mark| Run { last_mark, has_label: has_label || has_original });
                (id, has_label || !has_original)
            }
        };
        match id.filter(|_| is_new) {
            Some(id) => label.map(|label| changes::start(id) + &label + &changes::end(id)),
            None => label,
        }
    }

    /// A row whose insertion is tracked begins: what is inserted in it is part of that.
    pub fn start_inserted_row(&mut self) {
        self.revisions.inserting += 1;
    }

    pub fn end_inserted_row(&mut self) {
        self.revisions.inserting = self.revisions.inserting.saturating_sub(1);
    }
}

/// The rows of a table that are part of the text.
#[derive(Default)]
pub(super) struct Rows {
    pub rows: Vec<FlowRow>,
    /// Marks of rows that were deleted before the first of them.
    leading: String,
}

impl Rows {
    /// Adds a row as its changes say.
    pub fn add(&mut self, mut row: FlowRow, tracked: Tracked, changes: &mut Changes) {
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

    /// The rows, and marks that stand in none of them.
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
