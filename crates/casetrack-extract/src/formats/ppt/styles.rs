//! Formatting of text that shows in it ([MS-PPT] 2.9): bullets, automatic numbers, symbol fonts.

use std::collections::HashMap;

use casetrack_pages::container::ole::{clipped, u16_at, u32_at, utf16_to_zero};

use super::records::{Record, kind};

/// Types of text (2.13.33), and levels of paragraphs in each.
const TEXT_TYPES: u16 = 9;
const LEVELS: u16 = 5;
/// Text types from here on name the level of each of their styles (2.9.36).
const FIRST_WITH_LEVELS: u16 = 5;

/// The purpose of a text (2.13.33).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextType(pub u16);

impl TextType {
    pub const OTHER: Self = Self(4);
    const TITLE: Self = Self(0);
    const BODY: Self = Self(1);
    const CENTRED_TITLE: Self = Self(6);

    pub fn is_title(self) -> bool {
        matches!(self, Self::TITLE | Self::CENTRED_TITLE)
    }

    /// The type whose styles this one is a variant of.
    pub fn base(self) -> Option<Self> {
        match self.0 {
            5 | 7 | 8 => Some(Self::BODY),
            6 => Some(Self::TITLE),
            _ => None,
        }
    }
}

/// Paragraph properties (2.9.20).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ParagraphFormat {
    pub level: usize,
    /// `None` if it is inherited; likewise for the sign.
    pub has_bullet: Option<bool>,
    pub bullet: Option<u16>,
}

/// Character properties (2.9.13).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CharacterFormat {
    /// Number of the font of symbols, whose characters are in the private use area.
    pub symbol_font: Option<u16>,
    /// Which of the text's numberings applies.
    pub numbering: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Numbering {
    scheme: u16,
    pub start: u16,
}

#[derive(Default)]
pub(super) struct Formats {
    paragraphs: Vec<(usize, ParagraphFormat)>,
    characters: Vec<(usize, CharacterFormat)>,
}

impl Formats {
    /// `StyleTextPropAtom` (2.9.44) of a text with `length` characters; the text after damage has no properties.
    pub fn parse(style: &[u8], length: usize) -> Self {
        let mut formats = Self::default();
        let mut reader = Reader { bytes: style };
        // The end of the last paragraph counts as a character.
        let length = length + 1;
        let mut end = 0usize;
        while end < length {
            let run = (|| {
                let count = reader.u32()?;
                let level = usize::from(reader.u16()?);
                Some((count, ParagraphFormat { level, ..paragraph_format(&mut reader)? }))
            })();
            let Some((count, format)) = run else { return formats };
            end = end.saturating_add(count as usize);
            formats.paragraphs.push((end, format));
        }
        end = 0;
        while end < length {
            let run = (|| Some((reader.u32()?, character_format(&mut reader)?)))();
            let Some((count, format)) = run else { break };
            end = end.saturating_add(count as usize);
            formats.characters.push((end, format));
        }
        formats
    }

    pub fn paragraph(&self, position: usize) -> ParagraphFormat {
        at(&self.paragraphs, position)
    }

    pub fn character(&self, position: usize) -> CharacterFormat {
        at(&self.characters, position)
    }
}

fn at<T: Copy + Default>(runs: &[(usize, T)], position: usize) -> T {
    runs.get(runs.partition_point(|(end, _)| *end <= position)).map(|(_, format)| *format).unwrap_or_default()
}

/// `TextPFException`: a mask lists the properties that follow.
fn paragraph_format(reader: &mut Reader) -> Option<ParagraphFormat> {
    let mask = reader.u32()?;
    let mut format = ParagraphFormat::default();
    if mask & 0xF != 0 {
        let flags = reader.u16()?;
        format.has_bullet = (mask & 1 != 0).then_some(flags & 1 != 0);
    }
    if mask & 1 << 7 != 0 {
        format.bullet = Some(reader.u16()?);
    }
    // Font, size and colour of the bullet, alignment, spacing, margins, size of tabs.
    reader
        .skip_present(mask, &[(4, 2), (6, 2), (5, 4), (11, 2), (12, 2), (13, 2), (14, 2), (8, 2), (10, 2), (15, 2)])?;
    if mask & 1 << 20 != 0 {
        let tabs = usize::from(reader.u16()?);
        reader.skip(4 * tabs)?;
    }
    // Alignment of fonts, three ways of wrapping together, direction.
    for bits in [1 << 16, 7 << 17, 1 << 21] {
        if mask & bits != 0 {
            reader.skip(2)?;
        }
    }
    Some(format)
}

fn character_format(reader: &mut Reader) -> Option<CharacterFormat> {
    let mask = reader.u32()?;
    let mut format = CharacterFormat::default();
    if mask & 0x3FFF != 0 {
        format.numbering = usize::from(reader.u16()? >> 10 & 0xF);
    }
    // Fonts: Latin, East Asian, ANSI.
    reader.skip_present(mask, &[(16, 2), (21, 2), (22, 2)])?;
    if mask & 1 << 23 != 0 {
        format.symbol_font = Some(reader.u16()?);
    }
    // Size, colour, position.
    reader.skip_present(mask, &[(17, 2), (18, 4), (19, 2)])?;
    Some(format)
}

/// `StyleTextProp9Atom` (2.9.67): the numberings that characters refer to.
pub(super) fn numberings(style: &[u8]) -> Vec<Option<Numbering>> {
    let mut reader = Reader { bytes: style };
    std::iter::from_fn(|| numbering(&mut reader)).collect()
}

fn numbering(reader: &mut Reader) -> Option<Option<Numbering>> {
    const ARABIC_PERIOD: u16 = 3;
    let mask = reader.u32()?;
    reader.skip_present(mask, &[(23, 2)])?;
    let is_on = mask & 1 << 25 != 0 && reader.u16()? != 0;
    let (mut scheme, mut start) = (ARABIC_PERIOD, 1);
    if mask & 1 << 24 != 0 {
        (scheme, start) = (reader.u16()?, reader.u16()?);
    }
    let characters = reader.u32()?;
    reader.skip_present(characters, &[(20, 4)])?;
    // Text properties (2.9.32): spelling, languages, a reference, direction, smart tags.
    let special = reader.u32()?;
    reader.skip_present(special, &[(0, 2), (1, 2), (2, 2), (6, 2), (5, 4)])?;
    if special & 1 << 9 != 0 {
        let tags = reader.u32()? as usize;
        reader.skip(tags.checked_mul(4)?)?;
    }
    Some(is_on.then_some(Numbering { scheme, start }))
}

impl Numbering {
    /// The name of the scheme in DrawingML (`TextAutoNumberSchemeEnum`, 2.13.34).
    pub fn scheme(&self) -> &'static str {
        const NAMES: &str = "alphaLcPeriod alphaUcPeriod arabicParenR arabicPeriod romanLcParenBoth romanLcParenR \
             romanLcPeriod romanUcPeriod alphaLcParenBoth alphaLcParenR alphaUcParenBoth \
             alphaUcParenR arabicParenBoth arabicPlain romanUcParenBoth romanUcParenR";
        NAMES.split(' ').nth(usize::from(self.scheme)).unwrap_or("arabicPeriod")
    }
}

/// The styles that placeholders inherit, by the type of their text (2.9.35).
#[derive(Clone, Default)]
pub(super) struct MasterStyles {
    levels: HashMap<u16, Vec<ParagraphFormat>>,
}

impl MasterStyles {
    /// The styles of `parent` go before those that are known.
    pub fn add(&mut self, parent: &Record) {
        for record in
            parent.children().filter(|record| record.kind == kind::MASTER_STYLE && record.instance < TEXT_TYPES)
        {
            self.levels.insert(record.instance, master_levels(&record));
        }
    }

    /// Properties of a paragraph with those it inherits.
    pub fn inherit(&self, text: TextType, mut format: ParagraphFormat) -> ParagraphFormat {
        for text in [Some(text), text.base()].into_iter().flatten() {
            let levels = self.levels.get(&text.0).map(Vec::as_slice).unwrap_or_default();
            // A level differs from the one above it in the properties that it names.
            for inherited in levels.iter().take(format.level.saturating_add(1)).rev() {
                format.has_bullet = format.has_bullet.or(inherited.has_bullet);
                format.bullet = format.bullet.or(inherited.bullet);
            }
        }
        format
    }
}

fn master_levels(record: &Record) -> Vec<ParagraphFormat> {
    let mut reader = Reader { bytes: record.content };
    let count = reader.u16().unwrap_or(0);
    let mut level = || {
        if record.instance >= FIRST_WITH_LEVELS {
            reader.skip(2)?;
        }
        let format = paragraph_format(&mut reader)?;
        character_format(&mut reader)?;
        Some(format)
    };
    (0..count.min(LEVELS)).map_while(|_| level()).collect()
}

/// Names of the fonts by their number (2.9.8).
pub(super) fn fonts(environment: &Record) -> HashMap<u16, String> {
    let fonts = environment.child(kind::FONTS);
    let fonts = fonts.iter().flat_map(Record::children).filter(|font| font.kind == kind::FONT);
    fonts.map(|font| (font.instance, utf16_to_zero(clipped(font.content, 0, 64)))).collect()
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn skip(&mut self, count: usize) -> Option<()> {
        self.bytes = self.bytes.get(count..)?;
        Some(())
    }

    /// Passes over the fields that are there: the bits of `mask` that stand for them, and their sizes.
    fn skip_present(&mut self, mask: u32, fields: &[(u32, usize)]) -> Option<()> {
        fields.iter().filter(|(bit, _)| mask & 1 << bit != 0).try_for_each(|(_, size)| self.skip(*size))
    }

    fn u16(&mut self) -> Option<u16> {
        let number = u16_at(self.bytes, 0)?;
        self.skip(2)?;
        Some(number)
    }

    fn u32(&mut self) -> Option<u32> {
        let number = u32_at(self.bytes, 0)?;
        self.skip(4)?;
        Some(number)
    }
}
