//! Texts of shapes and of the outline ([MS-PPT] 2.9.41 ff.).

use std::collections::HashMap;

use casetrack_pages::container::ole::u32_at;
use casetrack_pages::office::paragraphs::{Bullet, LEVELS, Paragraph, auto_number, shown_bullet};
use casetrack_pages::office::symbols::symbol;

use super::records::{Record, kind};
use super::styles::{Formats, MasterStyles, TextType, numberings};

#[derive(Clone)]
pub(super) struct TextBody<'a> {
    pub text_type: TextType,
    text: &'a [u8],
    /// True if a character has two bytes.
    is_wide: bool,
    style: &'a [u8],
    /// More styles, of PowerPoint 2000.
    pub style_9: &'a [u8],
    /// Characters that represent a field, and the kind of the record that defines it.
    fields: HashMap<u32, u16>,
}

#[derive(Default)]
pub(super) struct FieldTexts {
    pub number: String,
    pub date: String,
    pub footer: String,
}

pub(super) struct TextContext<'a> {
    pub fonts: &'a HashMap<u16, String>,
    pub styles: &'a MasterStyles,
    pub fields: &'a FieldTexts,
}

impl<'a> TextBody<'a> {
    /// Adds a record: a header begins a text, and the others describe the text before them.
    pub fn add(texts: &mut Vec<TextBody<'a>>, record: &Record<'a>) {
        if record.kind == kind::TEXT_HEADER {
            let text_type = u32_at(record.content, 0).and_then(|number| u16::try_from(number).ok());
            texts.push(TextBody {
                text_type: text_type.map_or(TextType::OTHER, TextType),
                text: &[],
                is_wide: false,
                style: &[],
                style_9: &[],
                fields: HashMap::new(),
            });
            return;
        }
        let Some(text) = texts.last_mut() else { return };
        match record.kind {
            kind::TEXT_CHARS | kind::TEXT_BYTES => {
                text.text = record.content;
                text.is_wide = record.kind == kind::TEXT_CHARS;
            }
            kind::TEXT_STYLE => text.style = record.content,
            kind::SLIDE_NUMBER
            | kind::DATE_TIME
            | kind::GENERIC_DATE
            | kind::HEADER
            | kind::FOOTER
            | kind::FORMATTED_DATE => {
                text.fields.extend(u32_at(record.content, 0).map(|position| (position, record.kind)));
            }
            _ => {}
        }
    }

    fn units(&self) -> Vec<u16> {
        if self.is_wide {
            return self.text.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
        }
        // The format specifies Latin-1; 80 to 9F are no characters there, but are in the Windows code page.
        let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(self.text);
        text.encode_utf16().collect()
    }

    /// True if the text is only the number of the slide.
    pub fn is_slide_number(&self) -> bool {
        let is_number = |position: usize| self.fields.get(&(position as u32)) == Some(&kind::SLIDE_NUMBER);
        !self.fields.is_empty()
            && self.units().iter().enumerate().all(|(position, unit)| *unit <= 0x20 || is_number(position))
    }

    /// The paragraphs with text. Only placeholders inherit bullets.
    pub fn paragraphs(&self, surroundings: &TextContext, is_placeholder: bool) -> Vec<Paragraph> {
        let units = self.units();
        let formats = Formats::parse(self.style, units.len());
        let mut counters = [0; LEVELS];
        let numberings = numberings(self.style_9);
        let (mut found, mut text, mut start, mut position) = (Vec::new(), String::new(), 0, 0);
        let mut end_paragraph = |text: &mut String, start: usize| {
            let text = std::mem::take(text);
            if text.trim().is_empty() {
                return;
            }
            let own = formats.paragraph(start);
            let format = if is_placeholder { surroundings.styles.inherit(self.text_type, own) } else { own };
            let level = format.level.min(LEVELS - 1);
            let has_bullet = format.has_bullet.unwrap_or(false);
            let numbering = numberings.get(formats.character(start).numbering).copied().flatten();
            let numbering = numbering.filter(|_| has_bullet);
            counters[level + 1..].fill(0);
            let count: u32 = counters[level];
            counters[level] = if numbering.is_some() { count.saturating_add(1) } else { 0 };
            let bullet = match numbering {
                Some(numbering) => {
                    let number = u32::from(numbering.start).saturating_add(count);
                    Bullet::Label(auto_number(number, numbering.scheme()))
                }
                None if !has_bullet => Bullet::None,
                None if own.has_bullet.is_none() => Bullet::Inherited,
                None => {
                    let sign = format.bullet.and_then(|unit| char::from_u32(unit.into()));
                    Bullet::Label(shown_bullet(sign.map(String::from)))
                }
            };
            found.push(Paragraph { text, bullet });
        };
        for decoded in char::decode_utf16(units.iter().copied()) {
            let c = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
            let field = u32::try_from(position).ok().and_then(|position| self.fields.get(&position));
            match c {
                _ if field.is_some() => text.push_str(field.map_or("", |field| surroundings.fields.text(*field))),
                '\r' | '\n' => {
                    end_paragraph(&mut text, start);
                    start = position + 1;
                }
                '\u{B}' => text.push('\n'),
                '\t' => text.push(' '),
                '\0'..' ' => {}
                '\u{F000}'..='\u{F0FF}' => {
                    let font = formats.character(position).symbol_font;
                    let font = font.and_then(|font| surroundings.fonts.get(&font)).map(String::as_str);
                    text.push(symbol(c.into(), font));
                }
                c => text.push(c),
            }
            position += c.len_utf16();
        }
        end_paragraph(&mut text, start);
        found
    }
}

impl FieldTexts {
    fn text(&self, field: u16) -> &str {
        match field {
            kind::SLIDE_NUMBER => &self.number,
            kind::FOOTER => &self.footer,
            // The current date would be the reader's.
            kind::GENERIC_DATE => &self.date,
            _ => "",
        }
    }
}
