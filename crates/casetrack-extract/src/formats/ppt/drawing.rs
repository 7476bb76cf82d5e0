//! The shapes of a slide ([MS-ODRAW] 2.2.13 ff.) in the order in which they are drawn: groups, tables, WordArt.

use casetrack_core::HiddenReason;
use casetrack_pages::container::ole::{u16_at, u32_at, utf16_to_zero};
use casetrack_pages::office::art::{PICTURE, property};

use super::records::{Record, added_by, kind};
use super::text::TextBody;

/// Groups deeper than this are not looked into.
const MAX_DEPTH: usize = 64;

/// Properties of shapes ([MS-ODRAW] 2.3).
const WORD_ART_TEXT: u16 = 0x00C0;
const TABLE_PROPERTIES: u16 = 0x039F;
const ROTATION: u16 = 0x0004;
/// Switches of shapes (2.3.4.44), and the switch for a hidden shape, with the bit that marks it as set.
const SWITCHES: u16 = 0x03BF;
const HIDDEN: u32 = 0x0002_0002;

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
    /// Why it cannot be seen.
    pub hidden: Option<HiddenReason>,
    /// The number of the picture that it shows, from 1, in the list of those of the document.
    pub picture: Option<u32>,
}

/// Width and height of the slides, in master units.
pub(super) type SlideSize = Option<(i32, i32)>;

pub(super) enum Drawn<'a> {
    Shape(Shape<'a>),
    /// The cells of a table, in any order.
    Table(Vec<Shape<'a>>),
}

/// The shapes in the drawing of `parent`, a slide or page of notes.
pub(super) fn drawn<'a>(parent: &Record<'a>, sheet: SlideSize) -> Vec<Drawn<'a>> {
    let mut found = Vec::new();
    let drawing = parent.child(kind::DRAWING).and_then(|drawing| drawing.child(kind::DRAWING_CONTAINER));
    if let Some(drawing) = drawing {
        add_children(&drawing, 0, sheet, &mut found);
    }
    found
}

fn add_children<'a>(group: &Record<'a>, depth: usize, sheet: SlideSize, found: &mut Vec<Drawn<'a>>) {
    let start = found.len();
    for child in group.children() {
        match child.kind {
            kind::SHAPE => found.push(Drawn::Shape(shape(&child, sheet))),
            kind::GROUP if depth < MAX_DEPTH && is_table(&child) => {
                let mut cells = Vec::new();
                add_children(&child, depth + 1, sheet, &mut cells);
                let cells = cells.into_iter().flat_map(|cell| match cell {
                    Drawn::Shape(shape) => vec![shape],
                    Drawn::Table(shapes) => shapes,
                });
                found.push(Drawn::Table(cells.collect()));
            }
            kind::GROUP if depth < MAX_DEPTH => add_children(&child, depth + 1, sheet, found),
            _ => {}
        }
    }
    // The first shape of a group stands for the group itself; the background of a slide is not a shape.
    let own = group.child(kind::SHAPE).filter(|_| group.kind == kind::GROUP);
    if let Some(hidden) = own.and_then(|own| hides(&own, sheet)) {
        for drawn in &mut found[start..] {
            let shapes = match drawn {
                Drawn::Shape(shape) => std::slice::from_mut(shape),
                Drawn::Table(cells) => cells,
            };
            shapes.iter_mut().for_each(|shape| shape.hidden = Some(hidden));
        }
    }
}

/// Why a shape, or the group that it stands for, cannot be seen.
fn hides(shape: &Record, sheet: SlideSize) -> Option<HiddenReason> {
    let of = |wanted| {
        let mut options = shape.children().filter(|child| matches!(child.kind, kind::OPTIONS | kind::MORE_OPTIONS));
        options.find_map(|options| property(&options, wanted)).map(|(value, _)| value)
    };
    if of(SWITCHES).is_some_and(|switches| switches & HIDDEN == HIDDEN) {
        return Some(HiddenReason::HiddenFormat);
    }
    let anchor = shape.child(kind::CLIENT_ANCHOR)?.content;
    let short = |at| u16_at(anchor, at).map(|edge| i32::from(edge as i16));
    let long = |at| u32_at(anchor, at).map(|edge| edge as i32);
    // Top, left, right, bottom ([MS-PPT] 2.7.1).
    let [top, left, right, bottom] = match anchor.len() {
        8 => [short(0)?, short(2)?, short(4)?, short(6)?],
        _ => [long(0)?, long(4)?, long(8)?, long(12)?],
    };
    let (width, height) = sheet.filter(|_| of(ROTATION).unwrap_or(0) == 0)?;
    let is_outside = right < 0 || bottom < 0 || left > width || top > height;
    is_outside.then_some(HiddenReason::OutsidePage)
}

/// The first shape of a group stands for the group itself.
fn is_table(group: &Record) -> bool {
    group.child(kind::SHAPE).is_some_and(|shape| {
        let mut options = shape.children().filter(|record| record.kind == kind::MORE_OPTIONS);
        options.any(|options| property(&options, TABLE_PROPERTIES).is_some_and(|(value, _)| value & 1 != 0))
    })
}

fn shape<'a>(record: &Record<'a>, sheet: SlideSize) -> Shape<'a> {
    let mut shape = Shape { hidden: hides(record, sheet), ..Shape::default() };
    let mut style_9 = None;
    for child in record.children() {
        match child.kind {
            kind::CLIENT_DATA => {
                shape.placeholder = placeholder(&child);
                style_9 = added_by(&child, "___PPT9").find(|added| added.kind == kind::TEXT_STYLE_9);
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
                shape.picture = property(&child, PICTURE).map(|(number, _)| number);
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
