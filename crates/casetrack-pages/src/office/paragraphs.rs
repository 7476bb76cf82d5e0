//! Text bodies (DrawingML, 21.1.2): paragraphs, bullets and automatic numbers.

use casetrack_core::BlockKind;

use super::number_format::format_number;
use crate::container::xml::{XmlError, XmlReader};

/// Paragraphs have nine levels.
pub const LEVELS: usize = 9;

pub struct Paragraph {
    pub text: String,
    pub bullet: Bullet,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Bullet {
    /// The placeholder decides.
    Inherited,
    None,
    /// The label as it is shown.
    Label(String),
}

impl Paragraph {
    /// The kind of the paragraph; `in_list` is true if its placeholder shows bullets.
    pub fn kind(&self, in_list: bool) -> BlockKind {
        match self.bullet {
            Bullet::Label(_) => BlockKind::ListItem,
            Bullet::Inherited if in_list => BlockKind::ListItem,
            _ => BlockKind::Paragraph,
        }
    }

    pub fn labelled(&self) -> String {
        match &self.bullet {
            Bullet::Label(label) => format!("{label} {}", self.text.trim_start()),
            _ => self.text.clone(),
        }
    }
}

/// Reads the children of a text body (`p:txBody`, `a:txBody`, `dgm:t`, `c:rich`) to its end.
pub fn text_body(xml: &mut XmlReader, found: &mut Vec<Paragraph>) -> Result<(), XmlError> {
    let mut counters = [0u32; LEVELS];
    while let Some(element) = xml.child()? {
        match element.name() {
            "p" => paragraph(xml, &mut counters, found)?,
            _ => xml.skip()?,
        }
    }
    Ok(())
}

fn paragraph(xml: &mut XmlReader, counters: &mut [u32; LEVELS], found: &mut Vec<Paragraph>) -> Result<(), XmlError> {
    let (mut text, mut level, mut bullet) = (String::new(), 0, Bullet::Inherited);
    let mut number: Option<(String, u32)> = None;
    let outcome = (|| {
        while let Some(element) = xml.child()? {
            if element.name() != "pPr" {
                inline(xml, element.name(), &mut text)?;
                continue;
            }
            level = element.number("lvl").unwrap_or(0).min(LEVELS - 1);
            while let Some(property) = xml.child()? {
                match property.name() {
                    "buNone" => bullet = Bullet::None,
                    "buChar" => bullet = Bullet::Label(shown_bullet(property.attribute("char"))),
                    "buBlip" => bullet = Bullet::Label("•".into()),
                    "buAutoNum" => {
                        let scheme = property.attribute("type").unwrap_or_default();
                        number = Some((scheme, property.number("startAt").unwrap_or(1)));
                    }
                    _ => {}
                }
                xml.skip()?;
            }
        }
        Ok(())
    })();
    if text.trim().is_empty() {
        // Empty paragraphs show no number and do not end a list.
        return outcome;
    }
    counters[level + 1..].fill(0);
    if let Some((scheme, start)) = number {
        let count: u32 = counters[level];
        counters[level] = count.saturating_add(1);
        bullet = Bullet::Label(auto_number(start.saturating_add(count), &scheme));
    } else {
        counters[level] = 0;
    }
    found.push(Paragraph { text, bullet });
    outcome
}

/// Reads an element of a paragraph to its end; only `a:t` has text.
fn inline(xml: &mut XmlReader, name: &str, text: &mut String) -> Result<(), XmlError> {
    let depth = xml.depth();
    match name {
        "t" => return text_line(xml, text),
        "br" => text.push('\n'),
        _ => {}
    }
    while let Some(element) = xml.next_start(depth)? {
        match element.name() {
            "rPr" | "pPr" | "endParaRPr" => xml.skip()?,
            "br" => text.push('\n'),
            "t" => text_line(xml, text)?,
            _ => {}
        }
    }
    Ok(())
}

/// Adds the text in the element started last; line ends in it are white space.
fn text_line(xml: &mut XmlReader, text: &mut String) -> Result<(), XmlError> {
    let mut content = String::new();
    let outcome = xml.text_into(&mut content);
    text.push_str(&content.replace(['\n', '\t', '\r'], " "));
    outcome
}

/// Bullets of symbol fonts look different from their code points.
pub fn shown_bullet(char: Option<String>) -> String {
    match char.as_deref().map(str::trim) {
        None | Some("") => "•".into(),
        Some("o") => "◦".into(),
        Some(char)
            if char.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '§' | 'ü' | '\u{E000}'..='\u{F8FF}')) =>
        {
            "•".into()
        }
        Some(char) => char.to_owned(),
    }
}

/// `ST_TextAutonumberScheme` (20.1.10.61): the kind of number, then the punctuation around it.
pub fn auto_number(number: u32, scheme: &str) -> String {
    let format = match scheme {
        scheme if scheme.starts_with("alphaLc") => "lowerLetter",
        scheme if scheme.starts_with("alphaUc") => "upperLetter",
        scheme if scheme.starts_with("romanLc") => "lowerRoman",
        scheme if scheme.starts_with("romanUc") => "upperRoman",
        _ => "decimal",
    };
    let number = format_number(number, format);
    if scheme.ends_with("ParenBoth") {
        format!("({number})")
    } else if scheme.ends_with("ParenR") {
        format!("{number})")
    } else if scheme.ends_with("Plain") {
        number
    } else {
        format!("{number}.")
    }
}
