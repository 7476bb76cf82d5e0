//! Markdown as a terminal shows it: headings, paragraphs, lists and tables in the form that `dress` wraps and paints.

use casetrack_text::terminal::strong;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The text without the marks of Markdown. Links keep their words, pictures are left out, and a table that is wider than `columns` becomes
/// a list of its rows. Paragraphs are single lines.
pub fn text(markdown: &str, columns: usize) -> String {
    let mut page = Page { columns, ..Page::default() };
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        page.take(event);
    }
    page.text.trim_end().to_owned()
}

#[derive(Default)]
struct Page {
    columns: usize,
    text: String,
    /// The text of the paragraph, item or cell that has begun.
    line: String,
    /// For each list around: the number of the next item, or `None` if items have no numbers.
    lists: Vec<Option<u64>>,
    /// True until the mark of the item that has begun is written.
    needs_mark: bool,
    /// Rows of cells; the first has the headings.
    table: Vec<Vec<String>>,
    /// The start of a bold part in the line.
    bold_from: Option<usize>,
    is_code: bool,
    in_picture: bool,
}

impl Page {
    fn take(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.begin(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(_) | Event::Code(_) if self.in_picture => {}
            Event::Text(text) if self.is_code => {
                for line in text.lines() {
                    self.push_line(&format!("    {line}"));
                }
            }
            Event::Text(text) => self.line.push_str(&text),
            Event::Code(code) => {
                self.line.push('`');
                self.line.push_str(&code);
                self.line.push('`');
            }
            Event::SoftBreak | Event::HardBreak => self.line.push(' '),
            Event::Rule => self.push_line(""),
            _ => {}
        }
    }

    fn begin(&mut self, tag: &Tag) {
        match tag {
            Tag::CodeBlock(_) => {
                self.flush();
                self.is_code = true;
            }
            Tag::Item => self.needs_mark = true,
            // A style would be counted in the width of a cell.
            Tag::Strong if self.table.is_empty() => self.bold_from = Some(self.line.len()),
            Tag::Image { .. } => self.in_picture = true,
            Tag::List(first) => {
                self.flush();
                self.lists.push(*first);
            }
            Tag::TableHead | Tag::TableRow => self.table.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                let heading = strong(std::mem::take(&mut self.line).trim());
                self.push_line(&heading);
                self.push_line("");
            }
            TagEnd::Paragraph => {
                self.flush();
                if self.lists.is_empty() {
                    self.push_line("");
                }
            }
            TagEnd::Item => self.flush(),
            TagEnd::List(_) => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.push_line("");
                }
            }
            TagEnd::CodeBlock => {
                self.is_code = false;
                self.push_line("");
            }
            TagEnd::Strong => {
                if let Some(from) = self.bold_from.take() {
                    let bold = strong(&self.line.split_off(from));
                    self.line.push_str(&bold);
                }
            }
            TagEnd::Image => self.in_picture = false,
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                if let Some(row) = self.table.last_mut() {
                    row.push(cell.trim().to_owned());
                }
            }
            TagEnd::Table => {
                for line in table(&std::mem::take(&mut self.table), self.columns) {
                    self.push_line(&line);
                }
                self.push_line("");
            }
            _ => {}
        }
    }

    /// Ends a paragraph, or an item of a list with its mark.
    fn flush(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.trim().is_empty() {
            return;
        }
        let depth = self.lists.len().saturating_sub(1);
        let mark = match self.lists.last_mut() {
            None => String::new(),
            // A later paragraph of an item.
            Some(_) if !std::mem::take(&mut self.needs_mark) => "  ".to_owned(),
            Some(None) => "- ".to_owned(),
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
        };
        self.push_line(&format!("{:1$}{mark}{2}", "", 2 * depth, line.trim()));
    }

    fn push_line(&mut self, line: &str) {
        // At most one empty line between two others.
        if line.is_empty() && (self.text.is_empty() || self.text.ends_with("\n\n")) {
            return;
        }
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// The rows in columns if they fit; else each row as its first cell, and the others below it with their headings.
fn table(rows: &[Vec<String>], columns: usize) -> Vec<String> {
    const GAP: usize = 2;
    let Some((head, body)) = rows.split_first() else { return Vec::new() };
    let width = |index: usize| rows.iter().filter_map(|row| row.get(index)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..head.len()).map(|index| width(index).unwrap_or(0)).collect();
    if widths.iter().map(|width| width + GAP).sum::<usize>() <= columns + GAP {
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<0$}", width + GAP));
            cells.collect::<String>().trim_end().to_owned()
        };
        let has_head = head.iter().any(|cell| !cell.is_empty());
        return has_head.then(|| strong(&line(head))).into_iter().chain(body.iter().map(line)).collect();
    }
    let mut lines = Vec::new();
    for row in body {
        let mut cells = row.iter().zip(head).filter(|(cell, _)| !cell.is_empty());
        if let Some((cell, _)) = cells.next() {
            lines.push(strong(cell));
        }
        let is_pair = head.len() == 2;
        lines.extend(cells.map(|(cell, heading)| match heading.as_str() {
            "" => format!("  {cell}"),
            _ if is_pair => format!("  {cell}"),
            heading => format!("  {heading}: {cell}"),
        }));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_keep_their_words_and_paragraphs_are_lines() {
        let shown =
            text("# A\n\nOne [two](b.md)\nthree **`four`**.\n\n![picture](c.png)\n\n- five\n  six\n- seven\n", 80);
        assert_eq!(shown, format!("{}\n\nOne two three {}.\n\n- five six\n- seven", strong("A"), strong("`four`")));
    }

    #[test]
    fn an_item_of_several_paragraphs_has_one_number() {
        let shown = text("1. one\n\n       code\n\n   two\n2. three\n", 80);
        assert_eq!(shown, "1. one\n    code\n\n  two\n2. three");
    }

    #[test]
    fn a_table_has_columns_where_they_fit_and_is_a_list_of_rows_where_not() {
        let markdown = "| a | b |\n|---|---|\n| `x\\|y` | a sentence of some length |\n";
        assert_eq!(text(markdown, 80), format!("{}\n`x|y`  a sentence of some length", strong("a      b")));
        assert_eq!(text(markdown, 20), format!("{}\n  a sentence of some length", strong("`x|y`")));
    }
}
