//! Follows the tags of a page and collects its text.

use casetrack_core::{BlockKind, Result, single_spaced};
use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::build::table::Content;
use casetrack_pages::office::number_format::format_number;
use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};

use super::blocks::{Table, is_block};
use super::hidden_elements::{SkippedElement, VOID, is_hidden};

/// Elements deeper than this are read without their structure, as browsers do from 512 on.
const MAX_OPEN: usize = 512;
/// A longer heading heads nothing: it is text that was made large.
const MAX_HEADING_CHARS: usize = 300;

pub(super) struct HtmlReader<'d> {
    document: &'d mut DocumentBuilder,
    open: Vec<String>,
    skipped: Option<SkippedElement>,
    lists: Vec<List>,
    tables: Vec<Table>,
    table: u32,
    text: String,
    kind: BlockKind,
    /// Written before the next text.
    label: String,
    /// Open elements whose white space counts.
    preformatted: usize,
    in_title: bool,
    title: String,
    first_heading: Option<String>,
}

struct List {
    format: Option<&'static str>,
    next: u32,
}

impl<'d> HtmlReader<'d> {
    pub fn new(document: &'d mut DocumentBuilder) -> Self {
        Self {
            document,
            open: Vec::new(),
            skipped: None,
            lists: Vec::new(),
            tables: Vec::new(),
            table: 0,
            text: String::new(),
            kind: BlockKind::Paragraph,
            label: String::new(),
            preformatted: 0,
            in_title: false,
            title: String::new(),
            first_heading: None,
        }
    }

    pub fn read(mut self, html: &str) -> Result<()> {
        let mut emitter = DefaultEmitter::default();
        emitter.naively_switch_states(true);
        for token in Tokenizer::new_with_emitter(html, emitter) {
            let Ok(token) = token;
            match token {
                Token::StartTag(tag) => self.start(&tag)?,
                Token::EndTag(tag) => self.end(&String::from_utf8_lossy(&tag.name))?,
                Token::String(text) if self.skipped.is_none() => self.push_text(&String::from_utf8_lossy(&text)),
                _ => {}
            }
        }
        self.close_to(0)?;
        self.flush()?;
        let title = if self.title.trim().is_empty() { self.first_heading.unwrap_or_default() } else { self.title };
        self.document.set_title(&title);
        Ok(())
    }

    fn start(&mut self, tag: &StartTag<()>) -> Result<()> {
        let name = String::from_utf8_lossy(&tag.name);
        let name = &*name;
        if let Some(skipped) = &mut self.skipped {
            if !skipped.start(name) {
                return Ok(());
            }
            self.skipped = None;
        }
        let attribute = |name: &str| attribute(tag, name);
        if is_block(name) {
            self.close_nearest("p", &["td", "th", "table"])?;
            self.flush()?;
        }
        match name {
            "li" => self.close_nearest("li", &["ul", "ol", "menu", "td", "th", "table"])?,
            "dt" | "dd" => {
                self.close_nearest("dt", &["dl", "td", "th", "table"])?;
                self.close_nearest("dd", &["dl", "td", "th", "table"])?;
            }
            "tr" | "td" | "th" | "thead" | "tbody" | "tfoot" | "caption" => self.start_table_part(name)?,
            _ => {}
        }
        if is_hidden(name, attribute) && !(name == "svg" && tag.self_closing) {
            if name != "tr" && name != "td" && name != "th" && is_block(name) {
                self.flush()?;
            }
            self.skipped = Some(SkippedElement::new(name));
            return Ok(());
        }
        match name {
            "br" => self.line_break(),
            "title" => self.in_title = self.title.is_empty(),
            "html" => {
                let language = attribute("lang").or(attribute("xml:lang")).unwrap_or_default();
                self.document.set_language(&String::from_utf8_lossy(language));
            }
            "meta" if attribute("name").is_some_and(|name| name.eq_ignore_ascii_case(b"author")) => {
                let author = attribute("content").unwrap_or_default();
                self.document.set_author(&String::from_utf8_lossy(author));
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.kind = BlockKind::Heading { level: tag.name[1] - b'0' },
            _ => {}
        }
        if !VOID.contains(&name) && self.open.len() < MAX_OPEN {
            self.enter(name, tag);
        }
        Ok(())
    }

    /// Starts what an element holds, and keeps it open until its end tag.
    fn enter(&mut self, name: &str, tag: &StartTag<()>) {
        let attribute = |name: &str| attribute(tag, name);
        let number =
            |name: &str| attribute(name).and_then(|value| std::str::from_utf8(value).ok()?.trim().parse::<u32>().ok());
        match name {
            "ul" | "menu" | "dir" => self.lists.push(List { format: None, next: 1 }),
            "ol" => {
                let format = match attribute("type") {
                    Some(b"a") => "lowerLetter",
                    Some(b"A") => "upperLetter",
                    Some(b"i") => "lowerRoman",
                    Some(b"I") => "upperRoman",
                    _ => "decimal",
                };
                self.lists.push(List { format: Some(format), next: number("start").unwrap_or(1) });
            }
            "li" => self.start_item(number("value")),
            "pre" | "listing" | "xmp" | "plaintext" | "textarea" => self.preformatted += 1,
            "table" => {
                let role = attribute("role");
                let is_layout = matches!(role, Some(b"presentation" | b"none"));
                self.tables.push(Table::new(is_layout));
            }
            "thead" | "tbody" | "tfoot" => {
                if let Some(table) = self.tables.last_mut() {
                    table.in_head = name == "thead";
                }
                return;
            }
            "tr" => {
                let Some(table) = self.tables.last_mut() else { return };
                table.start_row();
            }
            "td" | "th" => {
                let Some(table) = self.tables.last_mut() else { return };
                table.start_cell(name == "th", number("colspan"), number("rowspan"));
            }
            _ => {}
        }
        self.open.push(name.to_owned());
    }

    /// Rows end rows and cells end cells, of the innermost table.
    fn start_table_part(&mut self, name: &str) -> Result<()> {
        self.flush()?;
        let Some(table) = self.open.iter().rposition(|open| open == "table") else { return Ok(()) };
        let row = self.open.iter().rposition(|open| open == "tr").filter(|row| *row > table);
        match row {
            Some(row) if matches!(name, "td" | "th") => self.close_to(row + 1),
            _ => self.close_to(table + 1),
        }
    }

    fn start_item(&mut self, value: Option<u32>) {
        self.kind = BlockKind::ListItem;
        let Some(list) = self.lists.last_mut() else {
            self.label = "• ".into();
            return;
        };
        let number = value.unwrap_or(list.next);
        list.next = number.saturating_add(1);
        self.label = list.format.map_or("• ".into(), |format| format!("{}. ", format_number(number, format)));
    }

    fn end(&mut self, name: &str) -> Result<()> {
        if let Some(skipped) = &mut self.skipped {
            let (ended, with_this_tag) = skipped.end(name);
            if ended {
                self.skipped = None;
            }
            if !ended || with_this_tag {
                return Ok(());
            }
        }
        match name {
            "title" => self.in_title = false,
            "br" => self.line_break(),
            "table" => self.close_nearest(name, &[])?,
            "tr" | "td" | "th" => self.close_nearest(name, &["table"])?,
            _ => self.close_nearest(name, &["td", "th", "table"])?,
        }
        if is_block(name) { self.flush() } else { Ok(()) }
    }

    /// Closes the innermost open element of this name and all inside it, unless one of `borders` is between.
    fn close_nearest(&mut self, name: &str, borders: &[&str]) -> Result<()> {
        for index in (0..self.open.len()).rev() {
            if self.open[index] == name {
                return self.close_to(index);
            }
            if borders.contains(&&*self.open[index]) {
                break;
            }
        }
        Ok(())
    }

    fn close_to(&mut self, depth: usize) -> Result<()> {
        while self.open.len() > depth {
            let Some(name) = self.open.pop() else { break };
            if is_block(&name) || matches!(&*name, "td" | "th") {
                self.flush()?;
            }
            match &*name {
                "li" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                    self.kind = BlockKind::Paragraph;
                    self.label.clear();
                }
                "ul" | "ol" | "menu" | "dir" => drop(self.lists.pop()),
                "pre" | "listing" | "xmp" | "plaintext" | "textarea" => self.preformatted -= 1,
                "td" | "th" => {
                    if let Some(table) = self.tables.last_mut() {
                        table.end_cell();
                    }
                }
                "table" => {
                    for item in self.tables.pop().map(Table::finish).unwrap_or_default() {
                        self.emit(item)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn push_text(&mut self, text: &str) {
        if self.in_title {
            self.title.push_str(text);
            return;
        }
        for c in text.chars() {
            match c {
                // Soft hyphens show at line ends only, and words must be found without them.
                '\u{AD}' => {}
                '\r' => {}
                c if self.preformatted > 0 => self.text.push(c),
                ' ' | '\t' | '\n' | '\x0c' => {
                    if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
                        self.text.push(' ');
                    }
                }
                c => self.text.push(c),
            }
        }
    }

    fn line_break(&mut self) {
        if self.preformatted == 0 && self.text.ends_with(' ') {
            self.text.pop();
        }
        self.text.push('\n');
    }

    /// Ends the block in progress. Empty lines divide paragraphs, but not those of preformatted text.
    fn flush(&mut self) -> Result<()> {
        if self.text.trim().is_empty() {
            self.text.clear();
            return Ok(());
        }
        let text = std::mem::take(&mut self.text);
        let kind = std::mem::replace(&mut self.kind, BlockKind::Paragraph);
        let label = std::mem::take(&mut self.label);
        if matches!(kind, BlockKind::Heading { .. }) {
            let heading = single_spaced(&text);
            let is_short = heading.chars().nth(MAX_HEADING_CHARS).is_none();
            if is_short && self.first_heading.is_none() {
                self.first_heading = Some(heading.clone());
            }
            return self.emit(Content::Block(if is_short { kind } else { BlockKind::Paragraph }, heading));
        }
        if self.preformatted > 0 {
            return self.emit(Content::Block(kind, text));
        }
        let mut first = true;
        for piece in text.split("\n\n").filter(|piece| !piece.trim().is_empty()) {
            let item = if first {
                Content::Block(kind.clone(), format!("{label}{}", piece.trim()))
            } else {
                Content::Block(BlockKind::Paragraph, piece.to_owned())
            };
            first = false;
            self.emit(item)?;
        }
        Ok(())
    }

    fn emit(&mut self, item: Content) -> Result<()> {
        match self.tables.last_mut() {
            Some(table) => {
                table.push(item);
                Ok(())
            }
            None => item.write(self.document, &mut self.table),
        }
    }
}

fn attribute<'t>(tag: &'t StartTag<()>, name: &str) -> Option<&'t [u8]> {
    tag.attributes.get(name.as_bytes()).map(|value| value.as_slice())
}
