//! The shapes of a slide ([MS-ODRAW] 2.2.13 ff.) in the order in which they are drawn: groups, tables, WordArt.

use super::records::{Record, kind};
use super::text::TextBody;
use crate::container::ole::{clipped, u16_at, u32_at, utf16_to_zero};

/// Groups deeper than this are not looked into.
const MAX_DEPTH: usize = 64;

/// Properties of shapes ([MS-ODRAW] 2.3).
const WORD_ART_TEXT: u16 = 0x00C0;
const TABLE_PROPERTIES: u16 = 0x039F;

/// `PlaceholderEnum` ([MS-PPT] 2.13.24).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Placeholder(u8);

impl Placeholder {
    pub fn is_title(self) -> bool {
        matches!(self.0, 0x01 | 0x03 | 0x0D | 0x0F | 0x11)
    }

    pub fn is_slide_number(self) -> bool {
        self.0 == 0x08
    }

    /// Dates, numbers, footers and headers.
    pub fn is_header_or_footer(self) -> bool {
        matches!(self.0, 0x07..=0x0A)
    }

    pub fn is_some(self) -> bool {
        self.0 != 0
    }
}

#[derive(Default)]
pub(super) struct Shape<'a> {
    pub placeholder: Placeholder,
    pub text: Option<TextBody<'a>>,
    /// Which text of the outline it shows.
    pub outline: Option<usize>,
    pub word_art: String,
    /// Left and top edge within its group.
    pub corner: Option<(i32, i32)>,
}

pub(super) enum Drawn<'a> {
    Shape(Shape<'a>),
    /// The cells of a table, in any order.
    Table(Vec<Shape<'a>>),
}

/// What the drawing of `parent`, a slide or page of notes, shows.
pub(super) fn drawn<'a>(parent: &Record<'a>) -> Vec<Drawn<'a>> {
    let mut found = Vec::new();
    let drawing = parent.child(kind::DRAWING).and_then(|drawing| drawing.child(kind::DRAWING_CONTAINER));
    if let Some(drawing) = drawing {
        add_children(&drawing, 0, &mut found);
    }
    found
}

fn add_children<'a>(group: &Record<'a>, depth: usize, found: &mut Vec<Drawn<'a>>) {
    for child in group.children() {
        match child.kind {
            kind::SHAPE => found.push(Drawn::Shape(shape(&child))),
            kind::GROUP if depth < MAX_DEPTH && is_table(&child) => {
                let mut cells = Vec::new();
                add_children(&child, depth + 1, &mut cells);
                let cells = cells.into_iter().flat_map(|cell| match cell {
                    Drawn::Shape(shape) => vec![shape],
                    Drawn::Table(shapes) => shapes,
                });
                found.push(Drawn::Table(cells.collect()));
            }
            kind::GROUP if depth < MAX_DEPTH => add_children(&child, depth + 1, found),
            _ => {}
        }
    }
}

/// The first shape of a group stands for the group itself.
fn is_table(group: &Record) -> bool {
    group.child(kind::SHAPE).is_some_and(|shape| {
        let mut options = shape.children().filter(|record| record.kind == kind::MORE_OPTIONS);
        options.any(|options| property(&options, TABLE_PROPERTIES).is_some_and(|(value, _)| value & 1 != 0))
    })
}

fn shape<'a>(record: &Record<'a>) -> Shape<'a> {
    let mut shape = Shape::default();
    let mut style_9 = None;
    for child in record.children() {
        match child.kind {
            kind::CLIENT_DATA => {
                shape.placeholder = placeholder(&child);
                style_9 = child.added_by("___PPT9").find(|added| added.kind == kind::TEXT_STYLE_9);
            }
            kind::TEXT_BOX => {
                let mut texts = Vec::new();
                for record in child.children() {
                    match record.kind {
                        kind::OUTLINE_REFERENCE => {
                            shape.outline = u32_at(record.content, 0).map(|index| index as usize);
                        }
                        _ => TextBody::add(&mut texts, &record),
                    }
                }
                shape.text = texts.into_iter().next();
            }
            kind::OPTIONS => {
                shape.word_art =
                    property(&child, WORD_ART_TEXT).map(|(_, text)| utf16_to_zero(text)).unwrap_or_default();
            }
            kind::CHILD_ANCHOR => {
                let edge = |at| u32_at(child.content, at).map(|edge| edge as i32);
                shape.corner = edge(0).zip(edge(4));
            }
            _ => {}
        }
    }
    if let (Some(text), Some(style_9)) = (&mut shape.text, style_9) {
        text.style_9 = style_9.content;
    }
    shape
}

fn placeholder(client_data: &Record) -> Placeholder {
    let byte = |kind, at: usize| client_data.child(kind).and_then(|record| record.content.get(at).copied());
    Placeholder(byte(kind::PLACEHOLDER, 4).or_else(|| byte(kind::ROUND_TRIP_HEADER, 0)).unwrap_or(0))
}

/// A property of a shape, and its data if it has more than a number: the data of all properties follow the table of
/// numbers ([MS-ODRAW] 2.2.7).
fn property<'a>(options: &Record<'a>, wanted: u16) -> Option<(u32, &'a [u8])> {
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
