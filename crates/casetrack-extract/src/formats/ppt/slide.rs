//! The items of a slide, in reading order.

use std::collections::{BTreeMap, HashSet};

use casetrack_core::{BlockKind, HiddenReason, Result};
use casetrack_pages::build::table::{Cell, Content, Row};
use casetrack_pages::build::{DocumentBuilder, changes};
use casetrack_pages::container::ole::{u16_at, u32_at, utf16_to_zero};
use casetrack_pages::office::paragraphs::Paragraph;

use super::album::Album;
use super::drawing::{Drawn, Shape, SlideSize, drawn};
use super::records::{Record, added_by, kind};
use super::text::{FieldTexts, TextBody, TextContext};

const MAX_FOOTER_CHARS: usize = 255;

/// An item on a slide, and the reason if it cannot be seen there.
pub(super) struct SlideItem {
    pub content: Content,
    pub hidden: Option<HiddenReason>,
    /// The picture in place of a text, by its number in the list of the document.
    pub picture: Option<u32>,
}

impl SlideItem {
    fn text(&self) -> &str {
        match &self.content {
            Content::Block(_, text) => text.trim(),
            Content::Table(_) => "",
        }
    }

    /// Adds it to the page in progress; `table` counts the tables of the page.
    pub fn write(mut self, document: &mut DocumentBuilder, table: &mut u32, album: &mut Album<'_>) -> Result<()> {
        if let Some(text) = self.picture.and_then(|number| album.read(number)) {
            let text = text.marked("Picture", document);
            let reason = self.hidden.map(|reason| document.hidden().cause(reason, None));
            let text = reason.map(|id| changes::hidden(id, &text)).unwrap_or(text);
            return document.push_block(BlockKind::Paragraph, &text);
        }
        if let Some(reason) = self.hidden {
            let id = document.hidden().cause(reason, None);
            let texts: Vec<&mut String> = match &mut self.content {
                Content::Block(_, text) => vec![text],
                Content::Table(rows) => {
                    rows.iter_mut().flat_map(|row| &mut row.cells).map(|cell| &mut cell.text).collect()
                }
            };
            for text in texts.into_iter().filter(|text| !text.trim().is_empty()) {
                *text = changes::hidden(id, &text.replace(changes::is_reserved, " "));
            }
        }
        self.content.write(document, table)
    }
}

/// `HeadersFootersContainer` ([MS-PPT] 2.4.15.2).
#[derive(Clone, Default)]
pub(super) struct HeadersFooters {
    flags: u16,
    pub date: String,
    pub footer: String,
}

impl HeadersFooters {
    /// Those of a slide, or those that the document has for its slides.
    pub fn of(parent: &Record, instance: u16) -> Option<Self> {
        let container =
            parent.children().find(|child| child.kind == kind::HEADERS_FOOTERS && child.instance == instance)?;
        let text = |instance| {
            let mut texts = container.children().filter(|child| child.kind == kind::STRING);
            let text = texts.find(|text| text.instance == instance).map(|text| utf16_to_zero(text.content));
            text.iter().flat_map(|text| text.chars()).take(MAX_FOOTER_CHARS).collect()
        };
        let flags = container.child(kind::HEADERS_FOOTERS_ATOM).and_then(|atom| u16_at(atom.content, 2));
        Some(Self { flags: flags.unwrap_or(0), date: text(0), footer: text(2) })
    }

    fn shown(&self) -> impl Iterator<Item = &str> {
        const DATE: u16 = 1;
        const OWN_DATE: u16 = 4;
        const FOOTER: u16 = 0x20;
        [(DATE | OWN_DATE, &*self.date), (FOOTER, &*self.footer)]
            .into_iter()
            .filter(|(flags, text)| self.flags & flags == *flags && !text.trim().is_empty())
            .map(|(_, text)| text)
    }
}

/// The numbers and switches of a slide (2.5.2, 2.6.6).
#[derive(Default)]
pub(super) struct Settings {
    /// Numbers in the lists of masters and notes; 0 for none.
    pub master: u32,
    pub notes: u32,
    pub shows_master: bool,
    pub is_hidden: bool,
}

impl Settings {
    pub fn of(slide: &Record) -> Self {
        const SHOWS_MASTER: u16 = 1;
        const HIDDEN: u16 = 4;
        let atom = slide.child(kind::SLIDE_ATOM).map(|atom| atom.content).unwrap_or_default();
        let show = slide.child(kind::SLIDE_SHOW_INFO).map(|atom| atom.content).unwrap_or_default();
        Self {
            master: u32_at(atom, 12).unwrap_or(0),
            notes: u32_at(atom, 16).unwrap_or(0),
            shows_master: u16_at(atom, 20).is_some_and(|flags| flags & SHOWS_MASTER != 0),
            is_hidden: u16_at(show, 10).is_some_and(|flags| flags & HIDDEN != 0),
        }
    }
}

/// The shapes of a slide with the texts of the outline, the title first, then its footer.
pub(super) fn contents(
    slide: Option<&Record>,
    outline: &[TextBody],
    footers: &HeadersFooters,
    surroundings: &TextContext,
    sheet: SlideSize,
) -> Vec<SlideItem> {
    let mut writer = Writer { surroundings, contents: Vec::new(), hidden: None };
    let mut shown = vec![false; outline.len()];
    for drawn in slide.map(|slide| drawn(slide, sheet)).unwrap_or_default() {
        match drawn {
            Drawn::Shape(shape) => {
                writer.hidden = shape.hidden;
                let referred = shape.outline.and_then(|index| Some((outline.get(index)?, shown.get_mut(index)?)));
                if let Some((text, shown)) = referred.filter(|(_, shown)| !**shown) {
                    *shown = true;
                    writer.text(text, shape.placeholder.is_title(), true);
                }
                writer.shape(&shape);
            }
            Drawn::Table(cells) => {
                writer.hidden = cells.first().and_then(|cell| cell.hidden);
                writer.table(&cells);
            }
        }
    }
    writer.hidden = None;
    let known: HashSet<String> = writer.contents.iter().map(|shown| shown.text().to_owned()).collect();
    // Their placeholders are damaged or missing.
    for (text, _) in outline.iter().zip(shown).filter(|(_, shown)| !shown) {
        let before = writer.contents.len();
        writer.text(text, false, true);
        if writer.contents[before..].iter().all(|shown| known.contains(shown.text())) {
            writer.contents.truncate(before);
        }
    }
    for text in footers.shown().filter(|text| !known.contains(text.trim())) {
        writer.push(Content::Block(BlockKind::Paragraph, text.to_owned()));
    }
    // The title heads the slide wherever it was drawn.
    writer.contents.sort_by_key(|shown| !matches!(shown.content, Content::Block(BlockKind::Heading { .. }, _)));
    writer.contents
}

/// The text that a master adds to its slides, without its placeholders.
pub(super) fn master_contents(master: &Record, surroundings: &TextContext) -> Vec<SlideItem> {
    let mut writer = Writer { surroundings, contents: Vec::new(), hidden: None };
    for drawn in drawn(master, None) {
        match drawn {
            Drawn::Shape(shape) if shape.placeholder.is_some() => {}
            Drawn::Shape(shape) => writer.shape(&shape),
            Drawn::Table(cells) => writer.table(&cells),
        }
    }
    writer.contents
}

/// The paragraphs of the speaker's notes, one a line; date and page number, headers and footers are left out.
pub(super) fn notes(notes: &Record, surroundings: &TextContext) -> String {
    let shapes = drawn(notes, None).into_iter().flat_map(|drawn| match drawn {
        Drawn::Shape(shape) => vec![shape],
        Drawn::Table(cells) => cells,
    });
    let lines: Vec<String> = shapes
        .filter(|shape| !shape.placeholder.is_header_or_footer())
        .filter_map(|shape| shape.text)
        .filter(|text| !text.is_slide_number())
        .flat_map(|text| text.paragraphs(surroundings, true))
        .map(|paragraph| paragraph.labelled().trim().to_owned())
        .collect();
    lines.join("\n")
}

pub(super) fn comments(slide: &Record) -> Vec<String> {
    const AUTHOR: u16 = 0;
    const TEXT: u16 = 1;
    let comment = |record: Record| {
        let text = |instance| {
            let mut texts = record.children().filter(|child| child.kind == kind::STRING);
            texts
                .find(|text| text.instance == instance)
                .map(|text| lines(&utf16_to_zero(text.content)))
                .unwrap_or_default()
        };
        let (author, text) = (text(AUTHOR), text(TEXT));
        match (author.trim(), text.trim()) {
            (_, "") => None,
            ("", text) => Some(format!("Comment: {text}")),
            (author, text) => Some(format!("Comment by {author}: {text}")),
        }
    };
    added_by(slide, "___PPT10").filter(|added| added.kind == kind::COMMENT).filter_map(comment).collect()
}

fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace(['\r', '\u{B}'], "\n")
}

struct Writer<'s> {
    surroundings: &'s TextContext<'s>,
    contents: Vec<SlideItem>,
    /// The reason why the text cannot be seen.
    hidden: Option<HiddenReason>,
}

impl Writer<'_> {
    fn push(&mut self, content: Content) {
        self.contents.push(SlideItem { content, hidden: self.hidden, picture: None });
    }

    fn shape(&mut self, shape: &Shape) {
        if shape.placeholder.is_slide_number() {
            return;
        }
        if let Some(text) = shape.text.as_ref().filter(|text| !text.is_slide_number()) {
            self.text(text, shape.placeholder.is_title(), shape.placeholder.is_some());
        }
        if let Some(number) = shape.picture {
            let content = Content::Block(BlockKind::Paragraph, String::new());
            self.contents.push(SlideItem { content, hidden: self.hidden, picture: Some(number) });
        }
        for line in shape.word_art.split(['\r', '\n']) {
            self.push(Content::Block(BlockKind::Paragraph, line.to_owned()));
        }
    }

    fn text(&mut self, text: &TextBody, in_title: bool, is_placeholder: bool) {
        let paragraphs = text.paragraphs(self.surroundings, is_placeholder);
        if in_title || text.text_type.is_title() {
            let words: Vec<&str> = paragraphs.iter().flat_map(|paragraph| paragraph.text.split_whitespace()).collect();
            self.push(Content::Block(BlockKind::Heading { level: 1 }, words.join(" ")));
        } else {
            let blocks = paragraphs.iter().map(|paragraph| (paragraph.kind(true), paragraph.labelled()));
            blocks.for_each(|(kind, text)| self.push(Content::Block(kind, text)));
        }
    }

    /// Rows and columns follow from the corners of the cells. A table with a single column only frames text.
    fn table(&mut self, cells: &[Shape]) {
        let cells: Vec<((i32, i32), String)> = cells
            .iter()
            .filter_map(|cell| Some((cell.corner.unwrap_or_default(), cell.text.as_ref()?)))
            .map(|(corner, text)| {
                let paragraphs = text.paragraphs(self.surroundings, false);
                let lines: Vec<String> = paragraphs.iter().map(Paragraph::labelled).collect();
                (corner, lines.join("\n"))
            })
            .collect();
        let mut lefts: Vec<i32> = cells.iter().map(|((left, _), _)| *left).collect();
        lefts.sort_unstable();
        lefts.dedup();
        let mut rows: BTreeMap<i32, Row> = BTreeMap::new();
        for ((left, top), text) in cells {
            let column = lefts.partition_point(|edge| *edge <= left) as u32;
            rows.entry(top).or_default().cells.push(Cell::from_text(column, text));
        }
        let mut rows: Vec<Row> = rows.into_values().collect();
        rows.iter_mut().for_each(|row| row.cells.sort_by_key(|cell| cell.column));
        if lefts.len() > 1 {
            self.push(Content::Table(rows));
        } else {
            let cells = rows.into_iter().flat_map(|row| row.cells);
            cells.for_each(|cell| self.push(Content::Block(BlockKind::Paragraph, cell.text)));
        }
    }
}

pub(super) fn field_texts(number: u32, footers: &HeadersFooters) -> FieldTexts {
    FieldTexts { number: number.to_string(), date: footers.date.clone(), footer: footers.footer.clone() }
}
