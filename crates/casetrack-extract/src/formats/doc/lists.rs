//! Definitions of lists ([MS-DOC] 2.9.131 ff.), handed to the numbering that Word documents share.

use std::collections::HashMap;

use casetrack_pages::container::ole::{u16_at, u32_at, utf16, utf16_to_zero};
use casetrack_pages::office::numbering::{Level, Numbering};

use super::properties::Modifiers;

/// Lists have nine levels, or one.
const LEVELS: usize = 9;
const DEFINITION_BYTES: usize = 28;
const LIST_BYTES: usize = 16;

/// Reads the definitions of levels and the lists over them, each up to the first damage; also returns whether there is
/// any. `definitions` and `lists` are the tables with the bytes behind them; an absent one is empty.
pub(super) fn numbering(definitions: &[u8], lists: &[u8], fonts: &[String]) -> (Numbering, bool) {
    let mut numbering = Numbering::default();
    let no_definitions = !definitions.is_empty() && read_definitions(definitions, fonts, &mut numbering).is_none();
    let no_lists = !lists.is_empty() && read_lists(lists, fonts, &mut numbering).is_none();
    (numbering, no_definitions || no_lists)
}

fn read_definitions(table: &[u8], fonts: &[String], numbering: &mut Numbering) -> Option<()> {
    let count = usize::from(u16_at(table, 0)?);
    let heads = table.get(2..2 + count * DEFINITION_BYTES)?;
    let mut levels = table.get(2 + count * DEFINITION_BYTES..)?;
    for head in heads.as_chunks::<DEFINITION_BYTES>().0 {
        let is_simple = head[26] & 1 == 1;
        let mut found = HashMap::new();
        for index in 0..if is_simple { 1 } else { LEVELS } {
            found.insert(index, read_level(&mut levels, fonts)?);
        }
        numbering.define(u32_at(head, 0)?.to_string(), found);
    }
    Some(())
}

/// Lists are numbered from 1.
fn read_lists(table: &[u8], fonts: &[String], numbering: &mut Numbering) -> Option<()> {
    let count = u32_at(table, 0)? as usize;
    let heads = table.get(4..count.checked_mul(LIST_BYTES)?.checked_add(4)?)?;
    let mut data = table.get(4 + heads.len()..)?;
    for (head, number) in heads.as_chunks::<LIST_BYTES>().0.iter().zip(1u32..) {
        let (mut starts, mut levels) = (HashMap::new(), HashMap::new());
        // Damage to an override, or behind the last list, costs no list.
        data = data.get(4..).unwrap_or_default();
        for _ in 0..head[12] {
            let (Some(start), Some(flags)) = (u32_at(data, 0), u32_at(data, 4)) else { break };
            data = &data[8..];
            let index = (flags & 0xF) as usize;
            let has_level = flags & 0x20 != 0;
            let level = if has_level { read_level(&mut data, fonts) } else { None };
            if flags & 0x10 != 0 {
                starts.insert(index, level.as_ref().map_or(start, |level| level.start));
            }
            levels.extend(level.map(|level| (index, level)));
        }
        numbering.add_list(number.to_string(), u32_at(head, 0)?.to_string(), starts, levels);
    }
    Some(())
}

/// LVL: a head of 28 bytes, properties of paragraph and label, the text of the label.
fn read_level(rest: &mut &[u8], fonts: &[String]) -> Option<Level> {
    let head = rest.get(..28)?;
    let (label_bytes, paragraph_bytes) = (usize::from(head[24]), usize::from(head[25]));
    let label_at = 28 + paragraph_bytes;
    let label_properties = rest.get(label_at..label_at + label_bytes)?;
    let text_at = label_at + label_bytes;
    let chars = usize::from(u16_at(rest, text_at)?);
    let text = rest.get(text_at + 2..text_at + 2 + 2 * chars)?;
    let mut label = String::new();
    for c in utf16(text).chars() {
        match c {
            // Levels stand for their numbers.
            '\0'..='\x08' => label.extend(['%', char::from(b'1' + c as u8)]),
            c => label.push(c),
        }
    }
    let font = Modifiers(label_properties).find(|(operation, _)| *operation == 0x4A4F);
    let font = font.and_then(|(_, number)| fonts.get(usize::from(u16_at(number, 0)?)).cloned());
    let flags = head[5];
    let level = Level {
        start: u32_at(head, 0)?,
        format: format_name(head[4]).into(),
        text: label,
        restart_after: (flags & 0x08 != 0).then(|| usize::from(head[26])),
        all_decimal: flags & 0x04 != 0,
        font,
        paragraph_style: None,
        is_tight: head[15] == 2,
    };
    *rest = &rest[text_at + 2 + 2 * chars..];
    Some(level)
}

/// MSONFC ([MS-OSHARED] 2.2.1.3) in the names of WordprocessingML.
fn format_name(code: u8) -> &'static str {
    match code {
        1 => "upperRoman",
        2 => "lowerRoman",
        3 => "upperLetter",
        4 => "lowerLetter",
        5 => "ordinal",
        6 => "cardinalText",
        7 => "ordinalText",
        22 => "decimalZero",
        23 => "bullet",
        255 => "none",
        _ => "decimal",
    }
}

pub(super) fn fonts(table: &[u8]) -> Vec<String> {
    let mut fonts = Vec::new();
    let mut rest = table.get(4..).unwrap_or_default();
    while let Some((&size, following)) = rest.split_first() {
        let Some((font, following)) = following.split_at_checked(usize::from(size)) else { break };
        fonts.push(utf16_to_zero(font.get(39..).unwrap_or_default()));
        rest = following;
    }
    fonts
}
