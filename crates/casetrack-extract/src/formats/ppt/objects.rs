//! Files embedded in slides: OLE objects, which the document lists ([MS-PPT] 2.10).

use std::io::Read;

use casetrack_core::Result;
use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::container::ole::u32_at;
use casetrack_pages::office::embedded_files::{EmbeddedFiles, Object};
use flate2::read::ZlibDecoder;

use super::presentation::Presentation;
use super::records::{Record, kind};

/// `subType` of objects that hold the data of a chart, which the slide shows (2.10.2).
const CHARTS: [u32; 2] = [4, 14];
/// `recInstance` of a storage that is compressed (2.10.34).
const COMPRESSED: u16 = 1;

pub(super) fn hand_out(presentation: &Presentation, document: &mut DocumentBuilder) -> Result<()> {
    let list = presentation.document.child(kind::OBJECT_LIST);
    let embedded = list.iter().flat_map(|list| list.children()).filter(|record| record.kind == kind::EMBEDDED_OBJECT);
    let mut objects = Vec::new();
    for atom in embedded.filter_map(|object| object.child(kind::OBJECT_ATOM)) {
        if u32_at(atom.content, 12).is_some_and(|kind| CHARTS.contains(&kind)) {
            continue;
        }
        let storage = u32_at(atom.content, 16).and_then(|number| presentation.storage(number));
        let most = document.attachments().bytes_left();
        let object = storage.and_then(|storage| content(&storage, most)).map_or(Object::Damaged, Object::Ole);
        objects.push((format!("object{}.bin", objects.len() + 1), object));
    }
    EmbeddedFiles::of_objects(objects, document)
}

/// `None` if it is damaged or larger than `most` bytes.
fn content(storage: &Record, most: u64) -> Option<Vec<u8>> {
    if storage.instance != COMPRESSED {
        return Some(storage.content.to_vec());
    }
    let mut content = Vec::new();
    let read = ZlibDecoder::new(storage.content.get(4..)?).take(most.saturating_add(1)).read_to_end(&mut content);
    (read.is_ok() && content.len() as u64 <= most).then_some(content)
}
