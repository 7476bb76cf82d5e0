//! The form of the labels of a list ([ODF] Part 3, 16.31).

use casetrack_pages::container::xml::{Element, XmlError, XmlReader};
use casetrack_pages::office::number_format::format_number;
use casetrack_pages::office::symbols;

/// Lists have ten levels.
pub(super) const LEVELS: usize = 10;

pub(super) type Counters = [Option<u32>; LEVELS];

#[derive(Debug, Clone, Default)]
pub(super) struct ListStyle([Option<Level>; LEVELS]);

#[derive(Debug, Clone)]
struct Level {
    label: Label,
    /// True if white space follows the label.
    spaced: bool,
}

#[derive(Debug, Clone)]
enum Label {
    Bullet(String),
    Number(Number),
}

#[derive(Debug, Clone)]
struct Number {
    format: String,
    /// After z comes bb, not aa, ab.
    letters_repeat: bool,
    prefix: String,
    suffix: String,
    display_levels: usize,
    /// `%1%` to `%10%` represent the numbers of the levels. If there is one, it replaces the parts above.
    pattern: Option<String>,
    start: u32,
}

impl ListStyle {
    pub fn read(xml: &mut XmlReader) -> Result<Self, XmlError> {
        let mut style = Self::default();
        while let Some(element) = xml.child()? {
            let index = element.number::<usize>("level");
            let label = match element.name() {
                "list-level-style-number" | "outline-level-style" => Label::Number(Number::of(&element)),
                "list-level-style-bullet" => Label::Bullet(element.attribute("bullet-char").unwrap_or_default()),
                "list-level-style-image" => Label::Bullet("•".into()),
                _ => {
                    xml.skip()?;
                    continue;
                }
            };
            let mut level = Level { label, spaced: true };
            level.read(xml)?;
            if let Some(slot) = index.and_then(|index| style.0.get_mut(index.checked_sub(1)?)) {
                *slot = Some(level);
            }
        }
        Ok(style)
    }

    fn level(&self, index: usize) -> Option<&Level> {
        self.0.get(index)?.as_ref()
    }

    pub fn start(&self, index: usize) -> u32 {
        match self.level(index) {
            Some(Level { label: Label::Number(number), .. }) => number.start,
            _ => 1,
        }
    }

    /// The number of one level as the label of a level below it shows it; empty if it shows none.
    fn shown(&self, index: usize, counters: &Counters) -> String {
        let Some(Level { label: Label::Number(number), .. }) = self.level(index) else { return String::new() };
        number.shown(counters[index].unwrap_or(number.start))
    }

    pub fn label(&self, index: usize, counters: &Counters) -> Option<String> {
        let level = self.level(index)?;
        let label = match &level.label {
            Label::Bullet(bullet) => bullet.clone(),
            Label::Number(number) => match &number.pattern {
                Some(pattern) => self.filled(pattern, counters),
                None => {
                    let first = (index + 1).saturating_sub(number.display_levels);
                    let numbers: Vec<String> = (first..=index)
                        .map(|index| self.shown(index, counters))
                        .filter(|number| !number.is_empty())
                        .collect();
                    // A level without a number may still have a label, but a lone full stop is not a label.
                    let bare = numbers.is_empty()
                        && !number.prefix.chars().chain(number.suffix.chars()).any(char::is_alphanumeric);
                    if bare {
                        String::new()
                    } else {
                        format!("{}{}{}", number.prefix, numbers.join("."), number.suffix)
                    }
                }
            },
        };
        let label = label.trim();
        (!label.is_empty()).then(|| format!("{label}{}", if level.spaced { " " } else { "" }))
    }

    fn filled(&self, pattern: &str, counters: &Counters) -> String {
        let mut label = String::new();
        for (index, piece) in pattern.split('%').enumerate() {
            // Every second piece is between percent signs.
            let number = if index % 2 == 1 { piece.parse::<usize>().ok() } else { None };
            match number.and_then(|number| number.checked_sub(1)).filter(|number| *number < LEVELS) {
                Some(number) => label.push_str(&self.shown(number, counters)),
                None => label.push_str(piece),
            }
        }
        label
    }
}

impl Level {
    fn read(&mut self, xml: &mut XmlReader) -> Result<(), XmlError> {
        let mut font = None;
        let depth = xml.depth();
        while let Some(element) = xml.next_start(depth)? {
            match element.name() {
                "text-properties" => font = element.attribute("font-family").or_else(|| element.attribute("font-name")),
                "list-level-label-alignment" => self.spaced &= !element.has("label-followed-by", "nothing"),
                _ => {}
            }
        }
        if let Label::Bullet(bullet) = &mut self.label {
            *bullet = shown_bullet(bullet, font.as_deref());
        }
        Ok(())
    }
}

/// Bullets of symbol fonts look different from their code points.
fn shown_bullet(bullet: &str, font: Option<&str>) -> String {
    let is_wingdings =
        font.is_some_and(|font| font.trim_matches(['\'', '"']).to_ascii_lowercase().starts_with("wingdings"));
    let show = |c: char| {
        let shown = if is_wingdings { symbols::symbol(c.into(), Some("wingdings")) } else { c };
        if matches!(shown, '\u{E000}'..='\u{F8FF}' | char::REPLACEMENT_CHARACTER) { '•' } else { shown }
    };
    symbols::bullet(bullet, font).chars().map(show).collect()
}

impl Number {
    fn of(element: &Element) -> Self {
        let text = |name| element.attribute(name).unwrap_or_default();
        Self {
            format: text("num-format"),
            letters_repeat: element.has("num-letter-sync", "true"),
            prefix: text("num-prefix"),
            suffix: text("num-suffix"),
            display_levels: element.number("display-levels").unwrap_or(1),
            pattern: element.attribute("num-list-format").filter(|pattern| pattern.contains('%')),
            start: element.number("start-value").unwrap_or(1),
        }
    }

    fn shown(&self, number: u32) -> String {
        let format = match self.format.as_str() {
            "" => return String::new(),
            "a" if !self.letters_repeat => return letters(number, b'a'),
            "A" if !self.letters_repeat => return letters(number, b'A'),
            "a" => "lowerLetter",
            "A" => "upperLetter",
            "i" => "lowerRoman",
            "I" => "upperRoman",
            "01" => "decimalZero",
            "1st" => "ordinal",
            _ => "decimal",
        };
        format_number(number, format)
    }
}

/// a to z, then aa, ab and so on.
fn letters(mut number: u32, first: u8) -> String {
    let mut reversed = Vec::new();
    while let Some(index) = number.checked_sub(1) {
        reversed.push(char::from(first + (index % 26) as u8));
        number = index / 26;
    }
    if reversed.is_empty() { "0".into() } else { reversed.iter().rev().collect() }
}
