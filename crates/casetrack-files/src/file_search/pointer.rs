//! Pointers: places in files in ordinary words, written for results and read from the requests of assistants.

use casetrack_core::{DocumentMeta, Error, Provenance, Result};

/// A text of one page that is longer than this is pointed into by lines, in characters.
const LONG_PAGE: u64 = 1500;
pub(super) const FILE_NAME: &str = "file name";

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Pointer {
    /// The name of a file inside the file.
    pub attachment: Option<String>,
    /// From 1; the first if neither this nor a sheet is named.
    pub page: Option<u32>,
    pub sheet: Option<String>,
    /// From 1, both included.
    pub rows: Option<(u32, u32)>,
    pub lines: Option<(u32, u32)>,
}

/// The pointer to a passage. `member` is the name of the document inside its file.
pub(super) fn of(document: &DocumentMeta, place: &Provenance, member: Option<&str>) -> String {
    let quoted = |name: &str| format!("'{}'", name.replace('\'', "''"));
    let mut parts: Vec<String> = member.map(|name| format!("attachment {}", quoted(name))).into_iter().collect();
    let is_slide = document.format.is_presentation();
    match &place.sheet_name {
        Some(sheet) => {
            parts.push(format!("sheet {}", quoted(sheet)));
            // A header is above the first rows.
            parts.extend(
                place.row_range.filter(|rows| rows.start > 2).map(|rows| format!("rows {}-{}", rows.start, rows.end)),
            );
        }
        None if is_slide => parts.push(format!("slide {}", place.page)),
        None => parts.push(format!("page {}", place.page)),
    }
    if document.page_count <= 1 && document.char_count > LONG_PAGE && place.sheet_name.is_none() && !is_slide {
        parts.push(format!("lines {}-{}", place.line_start, place.line_end));
    }
    parts.join(", ")
}

impl Pointer {
    /// Reads the output of [`of`], and what people write in its place: `p. 3`, `line 7`, `sheet "Q2"`.
    ///
    /// Errors: anything else, which the message quotes.
    pub fn parse(text: &str) -> Result<Self> {
        let unknown = || {
            let shown: String = text.chars().take(100).collect();
            Error::invalid(format!("The pointer \"{shown}\" cannot be read."))
                .with_hint("Use the pointer of a search result, or such as: page 3, slide 7, sheet 'Q2', lines 10-20.")
        };
        let mut pointer = Self::default();
        let mut rest = text.trim();
        if rest.eq_ignore_ascii_case(FILE_NAME) {
            return Ok(pointer);
        }
        while !rest.is_empty() {
            let word = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
            let (name, after) = rest.split_at(word);
            let after = after.trim_start_matches(['.', ' ', ':']);
            rest = match name.to_ascii_lowercase().as_str() {
                "page" | "pages" | "p" | "pp" | "slide" | "slides" => {
                    let ((page, _), after) = numbers(after).ok_or_else(unknown)?;
                    pointer.page = Some(page);
                    after
                }
                "lines" | "line" | "ll" | "l" => {
                    let (lines, after) = numbers(after).ok_or_else(unknown)?;
                    pointer.lines = Some(lines);
                    after
                }
                "rows" | "row" => {
                    let (rows, after) = numbers(after).ok_or_else(unknown)?;
                    pointer.rows = Some(rows);
                    after
                }
                "sheet" => {
                    let (sheet, after) = quoted(after).ok_or_else(unknown)?;
                    pointer.sheet = Some(sheet);
                    after
                }
                "attachment" => {
                    let (attachment, after) = quoted(after).ok_or_else(unknown)?;
                    pointer.attachment = Some(attachment);
                    after
                }
                _ => return Err(unknown()),
            };
            rest = rest.trim_start_matches([',', ';', ' ']);
        }
        Ok(pointer)
    }
}

/// `3` or `3-7`, from 1, and the rest.
fn numbers(text: &str) -> Option<((u32, u32), &str)> {
    let number = |text: &str| -> Option<(u32, usize)> {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        text[..end].parse().ok().filter(|number| *number > 0).map(|number| (number, end))
    };
    let (first, end) = number(text)?;
    let rest = &text[end..];
    match rest.strip_prefix(['-', '–']).and_then(|after| Some((after, number(after)?))) {
        Some((after, (last, end))) if last >= first => Some(((first, last), &after[end..])),
        Some(_) => None,
        None => Some(((first, first), rest)),
    }
}

/// A name in quotation marks, a doubled one of which stands for itself, or without any up to a comma, and the rest.
fn quoted(text: &str) -> Option<(String, &str)> {
    let Some(mark) = text.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
        let end = text.find(',').unwrap_or(text.len());
        let name = text[..end].trim();
        return (!name.is_empty()).then(|| (name.to_owned(), &text[end..]));
    };
    let (mut name, mut rest) = (String::new(), &text[1..]);
    loop {
        let end = rest.find(mark)?;
        name.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix(mark) {
            Some(after) => {
                name.push(mark);
                rest = after;
            }
            None => return (!name.is_empty()).then_some((name, rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_read_as_people_write_them() {
        let parsed = |text: &str| Pointer::parse(text).unwrap();
        assert_eq!(parsed("page 3").page, Some(3));
        assert_eq!(parsed("p. 3").page, Some(3));
        assert_eq!(parsed("Slide 7").page, Some(7));
        assert_eq!(parsed("sheet 'Q2'").sheet.as_deref(), Some("Q2"));
        let rows = parsed("sheet 'Bob''s, plan', rows 120-160");
        assert_eq!((rows.sheet.as_deref(), rows.rows), (Some("Bob's, plan"), Some((120, 160))));
        let inner = parsed("attachment 'a/lease.pdf', page 2, lines 4-9");
        assert_eq!(
            (inner.attachment.as_deref(), inner.page, inner.lines),
            (Some("a/lease.pdf"), Some(2), Some((4, 9)))
        );
        assert_eq!(parsed("line 7").lines, Some((7, 7)));
        assert_eq!(parsed(FILE_NAME), Pointer::default());
        for wrong in
            ["page", "page 0", "page x", "chapter 3", "page 9-3", "sheet ''", "sheet 'Q2", "3", "page 99999999999"]
        {
            let error = Pointer::parse(wrong).unwrap_err();
            assert!(error.message.ends_with("cannot be read."), "{wrong}: {error}");
        }
    }
}
