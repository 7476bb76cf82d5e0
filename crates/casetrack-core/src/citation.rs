//! The citation of passages: the styles, and templates of the user.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::labels::labelled;

const MAX_TEMPLATE: usize = 300;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum CitationStyle {
    /// `Lease.pdf, p. 7 (Bates SMITH000042), para. 8, ll. 1-4`
    #[default]
    Full,
    /// `Lease, p. 7 (Bates SMITH000042)`
    Short,
    /// `Lease, SMITH000042`; if the page has no number, as the short style.
    Bates,
    Template(Template),
}

/// A text with placeholders, such as `{document}, {page} [{bates}]`. Text in brackets is left out if none of its
/// placeholders has a value, and so are the comma and space before one that has none. `{{` and `}}` stand for braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Arc<Parsed>);

#[derive(Debug, PartialEq, Eq)]
struct Parsed {
    written: String,
    pieces: Vec<Piece>,
}

#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Value(Placeholder),
    Group { open: char, pieces: Vec<Piece>, close: char },
}

labelled! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Placeholder {
        /// The document's name without the ending of a file.
        Document = "document",
        File = "file",
        /// `p. 7`, as the file counts its pages.
        Page = "page",
        /// The page's printed label; its number if it has none of its own.
        Label = "label",
        /// The Bates number; may be empty.
        Bates = "bates",
        Paragraphs = "paragraphs",
        Lines = "lines",
        /// The nearest heading above the passage; may be empty.
        Heading = "heading",
        /// Absolute path of the source file.
        Path = "path",
        /// The stamps of exhibits on the page; may be empty.
        Exhibit = "exhibit",
        /// `¶ 12`, the number that the document gives the paragraph; may be empty.
        Numbers = "numbers",
    }
}

pub(crate) trait Citable {
    fn full(&self) -> String;
    fn short(&self) -> String;
    /// The value of a placeholder; may be empty.
    fn value(&self, placeholder: Placeholder) -> String;
}

impl CitationStyle {
    pub(crate) fn cite(&self, cited: &impl Citable) -> String {
        match self {
            Self::Full => cited.full(),
            Self::Short => cited.short(),
            Self::Bates => match cited.value(Placeholder::Bates) {
                none if none.is_empty() => cited.short(),
                number => format!("{}, {number}", cited.value(Placeholder::Document)),
            },
            Self::Template(template) => filled(&template.0.pieces, cited).0,
        }
    }
}

impl fmt::Display for CitationStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "full",
            Self::Short => "short",
            Self::Bates => "bates",
            Self::Template(template) => &template.0.written,
        })
    }
}

impl From<CitationStyle> for String {
    fn from(style: CitationStyle) -> Self {
        style.to_string()
    }
}

impl TryFrom<String> for CitationStyle {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl FromStr for CitationStyle {
    type Err = Error;

    /// The name of a style, or a template, which has a placeholder.
    fn from_str(text: &str) -> Result<Self> {
        match text.trim().to_lowercase().as_str() {
            "full" => return Ok(Self::Full),
            "short" => return Ok(Self::Short),
            "bates" => return Ok(Self::Bates),
            _ => {}
        }
        let shown: String = text.chars().take(MAX_TEMPLATE).collect();
        let invalid = |why: &str| {
            Error::invalid(format!("\"{shown}\" is not a citation style: {why}."))
                .with_hint("Use full, short, bates, or a template such as {document}, {page} [{bates}].")
        };
        if text.chars().nth(MAX_TEMPLATE).is_some() {
            return Err(invalid(&format!("it has more than {MAX_TEMPLATE} characters")));
        }
        if text.contains(char::is_control) {
            return Err(invalid("it must be one line of text"));
        }
        let pieces = parsed(text).map_err(|why| invalid(&why))?;
        if !has_value(&pieces) {
            return Err(invalid("it has no placeholder"));
        }
        Ok(Self::Template(Template(Arc::new(Parsed { written: text.to_owned(), pieces }))))
    }
}

fn has_value(pieces: &[Piece]) -> bool {
    pieces.iter().any(|piece| match piece {
        Piece::Text(_) => false,
        Piece::Value(_) => true,
        Piece::Group { pieces, .. } => has_value(pieces),
    })
}

/// The pieces of a template, or the reason why it is invalid.
fn parsed(text: &str) -> std::result::Result<Vec<Piece>, String> {
    // Groups that are open, each with the bracket that opens it.
    let mut open: Vec<(char, Vec<Piece>)> = Vec::new();
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '{' | '}' if rest.starts_with(c) => {
                rest = &rest[1..];
                push_text(&mut pieces, c);
            }
            '{' => {
                let (name, after) = rest.split_once('}').ok_or("a { is not closed")?;
                let known = Placeholder::ALL.iter().find(|known| known.label() == name.trim());
                pieces.push(Piece::Value(*known.ok_or_else(|| unknown(name))?));
                rest = after;
            }
            '}' => return Err("a } is not opened".to_owned()),
            '[' | '(' => open.push((c, std::mem::take(&mut pieces))),
            ']' | ')' if open.last().is_some_and(|(bracket, _)| (*bracket == '[') == (c == ']')) => {
                if let Some((bracket, before)) = open.pop() {
                    let group =
                        Piece::Group { open: bracket, pieces: std::mem::replace(&mut pieces, before), close: c };
                    pieces.push(group);
                }
            }
            c => push_text(&mut pieces, c),
        }
    }
    while let Some((bracket, mut before)) = open.pop() {
        push_text(&mut before, bracket);
        before.append(&mut pieces);
        pieces = before;
    }
    Ok(pieces)
}

fn unknown(name: &str) -> String {
    let known: Vec<String> = Placeholder::ALL.iter().map(|known| format!("{{{}}}", known.label())).collect();
    format!("there is no placeholder {{{name}}}. Known are {}", known.join(", "))
}

fn push_text(pieces: &mut Vec<Piece>, c: char) {
    match pieces.last_mut() {
        Some(Piece::Text(text)) => text.push(c),
        _ => pieces.push(Piece::Text(c.into())),
    }
}

/// The text, and whether a placeholder in it has a value.
fn filled(pieces: &[Piece], cited: &impl Citable) -> (String, bool) {
    const SEPARATORS: [char; 4] = [' ', ',', ';', ':'];
    let (mut text, mut has_any) = (String::new(), false);
    for (n, piece) in pieces.iter().enumerate() {
        let value = match piece {
            Piece::Text(own) => {
                // The separator after a placeholder without a value is left out, too.
                let follows_none = n > 0 && text.is_empty();
                text.push_str(if follows_none { own.trim_start_matches(SEPARATORS) } else { own });
                continue;
            }
            Piece::Value(placeholder) => cited.value(*placeholder),
            Piece::Group { open, pieces: inner, close } => match filled(inner, cited) {
                (_, false) if has_value(inner) => String::new(),
                (inner, has_value) => {
                    has_any |= has_value;
                    format!("{open}{inner}{close}")
                }
            },
        };
        if value.is_empty() {
            text.truncate(text.trim_end_matches(SEPARATORS).len());
        } else {
            has_any |= matches!(piece, Piece::Value(_));
            text.push_str(&value);
        }
    }
    (text, has_any)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provenance;
    use crate::test_provenance::provenance;

    fn cited(style: &str, label: Option<&str>, bates: Option<&str>) -> String {
        let style = style.parse().unwrap();
        let (page_label, bates) = (label.map(str::to_owned), bates.map(str::to_owned));
        Provenance { style, page_label, bates, ..provenance() }.citation()
    }

    #[test]
    fn each_style_has_its_form() {
        let number = Some("SMITH000042");
        assert_eq!(cited("full", None, number), "Lease.pdf, p. 7 (Bates SMITH000042), para. 8, ll. 1-4");
        assert_eq!(cited("full", Some("A-1"), None), "Lease.pdf, p. 7 (A-1), para. 8, ll. 1-4");
        assert_eq!(cited("Short", Some("A-1"), number), "Lease, p. 7 (A-1, Bates SMITH000042)");
        assert_eq!(cited("bates", None, number), "Lease, SMITH000042");
        assert_eq!(cited("bates", None, None), "Lease, p. 7");
        assert_eq!(cited("full", None, None), "Lease.pdf, p. 7, para. 8, ll. 1-4");
    }

    #[test]
    fn templates_leave_out_what_the_page_does_not_have() {
        let both = |template: &str| [cited(template, None, Some("SMITH000042")), cited(template, None, None)];
        assert_eq!(both("{document}, {page} [{bates}]"), ["Lease, p. 7 [SMITH000042]", "Lease, p. 7"]);
        assert_eq!(both("{bates}, {file}"), ["SMITH000042, Lease.pdf", "Lease.pdf"]);
        assert_eq!(both("{document}, {bates}, {lines}"), ["Lease, SMITH000042, ll. 1-4", "Lease, ll. 1-4"]);
        assert_eq!(both("{label} (Bates {bates}) {{x}}")[1], "7 {x}");
        assert_eq!(both("(see {document} [{bates}])")[1], "(see Lease)");
        assert_eq!(both("[{page}")[0], "[p. 7");
        assert_eq!(both("({document} at {bates}) (copy)"), ["(Lease at SMITH000042) (copy)", "(Lease at) (copy)"]);
    }

    #[test]
    fn exhibits_and_numbers_of_paragraphs_are_cited_beside_the_page() {
        let cite = |style: &str| {
            let style = style.parse().unwrap();
            let exhibits = vec!["Exhibit A".to_owned()];
            Provenance { style, exhibits, paragraph_numbers: Some("12".to_owned()), ..provenance() }.citation()
        };
        assert_eq!(cite("full"), "Lease.pdf, p. 7 (Exhibit A, ¶ 12), para. 8, ll. 1-4");
        assert_eq!(cite("short"), "Lease, p. 7 (Exhibit A, ¶ 12)");
        assert_eq!(cite("{document} {numbers} [{exhibit}]"), "Lease ¶ 12 [Exhibit A]");
        assert_eq!(cited("{document} {numbers} [{exhibit}]", None, None), "Lease");
    }

    #[test]
    fn what_is_no_style_is_refused_with_the_placeholders() {
        let long = "x".repeat(MAX_TEMPLATE) + "{page}";
        for wrong in ["", "chicago", "{document", "page}", "{pages}", "{page}\n", &long] {
            assert!(wrong.parse::<CitationStyle>().is_err(), "{wrong}");
        }
        let message = "{pages}".parse::<CitationStyle>().unwrap_err().message;
        assert!(
            message.contains("no placeholder {pages}. Known are {document}, {file}, {page}, {label}, {bates},"),
            "{message}"
        );
    }

    #[test]
    fn styles_are_stored_as_they_are_written() {
        for style in ["full", "short", "bates", "{document} [{bates}]"] {
            let parsed: CitationStyle = style.parse().unwrap();
            assert_eq!(String::from(parsed.clone()), style);
            assert_eq!(CitationStyle::try_from(style.to_owned()).unwrap(), parsed);
        }
    }
}
