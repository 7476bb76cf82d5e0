//! The text of pictures, by OCR: inline pictures ([MS-DOC] 2.9.192) and floating ones (2.9.167).

use std::collections::HashMap;

use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::build::flow::FlowBlock;
use casetrack_pages::container::ole::{u16_at, u32_at};
use casetrack_pages::model::Source;
use casetrack_pages::office::art::{Records, Store, inline_pictures, picture_shapes};

use super::body::Body;
use super::fib::Plc;
use crate::formats::pictures::Pictures;

/// `mfpf.mm` of a picture that is linked, which has its name before it (2.9.157).
const LINKED: u16 = 0x66;

/// Anchors the texts of pictures at their places. `stream` is WordDocument, which has the floating ones.
pub(super) fn read(source: &Source, body: &mut Body, stream: &[u8], drawings: &[u8], shapes: &[u8]) {
    let inline = body.inline_pictures();
    let (document, anchors) = (&mut *body.flow.document, &mut *body.anchors);
    let mut reader = Pictures::new(source, document);
    let mut add = |position: u32, bytes: &[u8], document: &mut DocumentBuilder| {
        if let Some(text) = reader.read(bytes) {
            let block = FlowBlock::paragraph(text.marked("Picture", document), None, None);
            anchors.boxes.entry(position).or_default().push(block);
        }
    };
    for (position, place) in inline {
        for picture in inline_pictures(Records::of(behind_head(&body.file.data, place).unwrap_or_default())) {
            add(position, &picture, document);
        }
    }
    let positions: HashMap<u32, u32> =
        Plc::parse(shapes, 26).ranges().filter_map(|(place, shape)| Some((u32_at(shape, 0)?, place.start))).collect();
    let store = Store::of(Records::of(drawings));
    for shape in floating(drawings).iter().flat_map(|drawing| picture_shapes(Records::of(drawing))) {
        if let (Some(position), Some(picture)) = (positions.get(&shape.shape), store.picture(shape.picture, stream)) {
            add(*position, &picture, document);
        }
    }
    reader.finish(document);
}

fn behind_head(data: &[u8], place: u32) -> Option<&[u8]> {
    const MODE_AT: usize = 6;
    let picture = data.get(place as usize..)?;
    let size = u32_at(picture, 0)? as usize;
    let picture = &picture[..size.min(picture.len())];
    let mut start = usize::from(u16_at(picture, 4)?);
    if u16_at(picture, MODE_AT)? == LINKED {
        start += 1 + usize::from(*picture.get(start)?);
    }
    picture.get(start..)
}

/// The drawings behind the drawing group: those of the text and of headers, each with a byte before it that states
/// which.
fn floating(drawings: &[u8]) -> Vec<&[u8]> {
    let size = |record: &[u8]| u32_at(record, 4).map(|size| (size as usize).saturating_add(8));
    let mut found = Vec::new();
    let mut rest = size(drawings).and_then(|size| drawings.get(size..)).unwrap_or_default();
    while let Some((drawing, size)) = rest.get(1..).and_then(|drawing| Some((drawing, size(drawing)?))) {
        let (drawing, after) = drawing.split_at(size.min(drawing.len()));
        found.push(drawing);
        rest = after;
    }
    found
}
