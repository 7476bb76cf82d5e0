//! Follows groups and control words, and collects paragraphs.

use std::collections::{HashMap, HashSet};

use casetrack_core::{HiddenReason, Result};
use casetrack_pages::build::flow::is_reserved;
use casetrack_pages::build::{DocumentBuilder, changes};
use casetrack_pages::office::symbols;
use encoding_rs::{Encoding, WINDOWS_1252};

use super::charset;
use super::date::Date;
use super::form_fields::FormField;
use super::frames::Frame;
use super::output::Output;
use super::revisions::Revisions;
use super::state::{Destination, Font, State, Style, heading_level};
use super::tokens::{Token, Tokens};

/// Groups deeper than this are read in the state of the one around them.
const MAX_GROUPS: usize = 512;

pub(super) struct Reader<'d> {
    pub(super) output: Output<'d>,
    pub(super) state: State,
    pub(super) revisions: Revisions,
    pub(super) groups: Vec<State>,
    /// Open groups that were not kept.
    deeper: usize,
    pub(super) code_page: &'static Encoding,
    pub(super) fonts: HashMap<i32, Font>,
    pub(super) styles: HashMap<i32, Style>,
    pub(super) defined: i32,
    bytes: Vec<u8>,
    units: Vec<u16>,
    /// Characters to pass over after `\uN`.
    to_skip: u32,
    pub(super) text: String,
    pub(super) label: String,
    pub(super) frames: Vec<Frame>,
    pub(super) boxed: Vec<String>,
    pub(super) counts: [u32; 2],
    /// The author of the next comment.
    pub(super) commenter: String,
    /// The texts of headers and footers.
    pub(super) margins: HashSet<String>,
    title: String,
    author: String,
    pub(super) created: Date,
    pub(super) revised: Date,
    pub(super) page_count: Option<u32>,
    /// A section ended: the next one starts a page unless it is declared otherwise.
    pub(super) section_ended: bool,
    /// The next word is of a destination that may be skipped.
    pub(super) skippable: bool,
    /// Of the field that is open; and the number of groups that were open in its instruction.
    pub(super) form_field: Option<FormField>,
    pub(super) field_depth: usize,
}

impl<'d> Reader<'d> {
    pub fn new(document: &'d mut DocumentBuilder) -> Self {
        Self {
            output: Output::new(document),
            state: State::new(),
            revisions: Revisions::default(),
            groups: Vec::new(),
            deeper: 0,
            code_page: WINDOWS_1252,
            fonts: HashMap::new(),
            styles: HashMap::new(),
            defined: 0,
            bytes: Vec::new(),
            units: Vec::new(),
            to_skip: 0,
            text: String::new(),
            label: String::new(),
            frames: Vec::new(),
            boxed: Vec::new(),
            counts: [0; 2],
            commenter: String::new(),
            margins: HashSet::new(),
            title: String::new(),
            author: String::new(),
            created: Date::default(),
            revised: Date::default(),
            page_count: None,
            section_ended: false,
            skippable: false,
            form_field: None,
            field_depth: 0,
        }
    }

    pub fn read(mut self, bytes: &[u8]) -> Result<bool> {
        let mut tokens = Tokens::new(bytes);
        let mut ended = false;
        while let Some(token) = tokens.next() {
            match token {
                Token::Open => self.open(),
                Token::Close => {
                    if self.groups.len() == 1 && self.deeper == 0 {
                        self.end_paragraph()?;
                    }
                    self.close()?;
                    if self.groups.is_empty() && self.deeper == 0 {
                        ended = true;
                        break;
                    }
                }
                Token::Word("bin", length) => tokens.pass_over(length.unwrap_or(0).max(0) as usize),
                Token::Word("u", Some(code)) => {
                    self.decode_bytes();
                    self.to_skip = self.state.fallback;
                    // Written as a signed number of 16 bits; some writers do not care.
                    self.units.push(code as u16);
                }
                Token::Word(..) | Token::Symbol(_) if self.to_skip > 0 => {
                    self.to_skip -= 1;
                    if let Token::Word(name, _) = token
                        && is_structure(name)
                    {
                        self.word(name, None)?;
                    }
                }
                Token::Word(name, number) => self.word(name, number)?,
                Token::Symbol(symbol) => self.symbol(symbol)?,
                Token::Byte(byte) => self.push_bytes(&[byte]),
                Token::Text(text) => self.push_bytes(text),
            }
        }
        while !self.frames.is_empty() {
            self.end_frame()?;
        }
        self.state.destination = Destination::Text;
        self.end_paragraph()?;
        self.output.finish()?;
        let document = self.output.document();
        document.set_title(&self.title);
        document.set_author(&self.author);
        document.expect_layout();
        document.set_page_count(self.page_count);
        document.set_created(self.created.to_iso());
        document.set_modified(self.revised.to_iso());
        Ok(ended)
    }

    fn open(&mut self) {
        self.flush_text();
        self.to_skip = 0;
        if self.groups.len() >= MAX_GROUPS {
            self.deeper += 1;
            return;
        }
        self.groups.push(self.state.clone());
        self.state.is_frame = false;
    }

    fn close(&mut self) -> Result<()> {
        self.flush_text();
        self.to_skip = 0;
        self.skippable = false;
        if self.deeper > 0 {
            self.deeper -= 1;
            return Ok(());
        }
        if self.state.is_frame {
            self.end_frame()?;
        }
        if let Some(state) = self.groups.pop() {
            // A row is defined in groups of its own, which the marks that end it need not be part of.
            let header_row = self.state.header_row;
            self.state = state;
            self.state.header_row = header_row;
        }
        // Some writers repeat the choice as the field's result.
        if let Some(field) = self.form_field.take_if(|field| self.groups.len() + 2 <= field.depth)
            && self.text.get(field.start..).is_none_or(|result| result.trim().is_empty())
        {
            self.push_str(field.shown());
        }
        Ok(())
    }

    fn symbol(&mut self, symbol: u8) -> Result<()> {
        match symbol {
            b'*' => self.skippable = true,
            b'\\' | b'{' | b'}' => self.push_bytes(&[symbol]),
            b'~' => self.push_char('\u{A0}'),
            b'_' => self.push_char('-'),
            b'\r' | b'\n' => self.end_paragraph()?,
            b'\t' => self.push_char('\t'),
            _ => {}
        }
        Ok(())
    }

    fn push_bytes(&mut self, text: &[u8]) {
        let skipped = text.len().min(self.to_skip as usize);
        self.to_skip -= skipped as u32;
        if skipped < text.len() {
            self.decode_units();
            self.bytes.extend_from_slice(&text[skipped..]);
        }
    }

    pub(super) fn push_char(&mut self, c: char) {
        self.flush_text();
        self.push_str(c.encode_utf8(&mut [0; 4]));
    }

    pub(super) fn flush_text(&mut self) {
        self.decode_units();
        self.decode_bytes();
    }

    fn decode_units(&mut self) {
        if self.units.is_empty() {
            return;
        }
        let font = self.font_name();
        let text: String = char::decode_utf16(std::mem::take(&mut self.units))
            .map(|c| match c.unwrap_or(char::REPLACEMENT_CHARACTER) {
                c @ '\u{F000}'..='\u{F0FF}' => symbols::symbol(c.into(), font.as_deref()),
                c => c,
            })
            .collect();
        self.push_str(&text);
    }

    fn decode_bytes(&mut self) {
        if self.bytes.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.bytes);
        let font = self.fonts.get(&self.state.font);
        let charset = font.and_then(|font| font.charset);
        let is_content = matches!(self.state.destination, Destination::Text | Destination::Label);
        if charset == Some(2) && is_content {
            let font = self.font_name().filter(|name| name == "symbol" || name.starts_with("wingdings"));
            let show = |byte: &u8| {
                if *byte <= b' ' { ' ' } else { symbols::symbol(0xF000 + u32::from(*byte), font.as_deref()) }
            };
            let text: String = bytes.iter().map(show).collect();
            if font.is_some() {
                return self.push_str(&text);
            }
        }
        let encoding = if is_content { charset.and_then(charset::of_font) } else { None };
        let text = encoding.unwrap_or(self.code_page).decode_without_bom_handling(&bytes).0;
        self.push_str(&text);
    }

    fn font_name(&self) -> Option<String> {
        Some(self.fonts.get(&self.state.font)?.name.trim().to_ascii_lowercase())
    }

    fn push_str(&mut self, text: &str) {
        match self.state.destination {
            Destination::Text if self.state.revision.is_deleted() => self.delete(&text.replace(is_reserved, " ")),
            Destination::Text => {
                self.mark_text();
                let text = text.replace(is_reserved, " ");
                if self.state.hidden && !text.trim().is_empty() {
                    let id = self.output.document().hidden().cause(HiddenReason::HiddenFormat, None);
                    self.text.push_str(&changes::hidden(id, &text));
                } else {
                    self.text.push_str(&text);
                }
            }
            Destination::Revisers => self.revisions.add_reviser(text),
            Destination::Commenter => self.commenter.push_str(text),
            Destination::Entry => {
                let entry = self.form_field.as_mut().and_then(|field| field.entries.last_mut());
                entry.into_iter().for_each(|entry| entry.push_str(text));
            }
            // A bullet of an unknown font is still a bullet.
            Destination::Label => self.label.push_str(&text.replace(char::REPLACEMENT_CHARACTER, "•")),
            Destination::Title => self.title.push_str(text),
            Destination::Author => self.author.push_str(text),
            Destination::Fonts => self.fonts.entry(self.defined).or_default().name.push_str(text.trim_end_matches(';')),
            Destination::Styles => {
                self.styles.entry(self.defined).or_default().name.push_str(text.trim_end_matches(';'));
            }
            _ => {}
        }
    }

    pub(super) fn start_section(&mut self) {
        if std::mem::take(&mut self.section_ended) {
            self.output.break_page();
        }
    }

    pub(super) fn end_paragraph(&mut self) -> Result<()> {
        self.flush_text();
        self.end_changes(true);
        let text = std::mem::take(&mut self.text);
        let label = std::mem::take(&mut self.label);
        let level = heading_level(&self.styles, &self.state);
        if let Some(frame) = self.frames.last_mut() {
            if changes::is_blank(&text) {
                // Text that was deleted from a note that is no longer there belonged to the text around it.
                frame.text.push_str(text.trim());
            } else {
                frame.paragraphs.push(format!("{} {}", label.trim(), text.trim()).trim().to_owned());
            }
            return Ok(());
        }
        if !changes::is_blank(&text) {
            self.start_section();
        }
        let in_table = self.state.in_table;
        if in_table {
            self.output.cell_paragraph(&label, &text);
        } else {
            self.output.paragraph(level, &label, &text)?;
        }
        self.write_boxed(in_table)
    }

    /// Text boxes follow the paragraph they are anchored to.
    pub(super) fn write_boxed(&mut self, in_table: bool) -> Result<()> {
        for text in std::mem::take(&mut self.boxed) {
            if in_table {
                self.output.cell_paragraph("", &text);
            } else {
                self.output.paragraph(None, "", &text)?;
            }
        }
        Ok(())
    }
}

/// Words that a careless writer puts right behind `\uN`, and that no reader may pass over.
fn is_structure(name: &str) -> bool {
    matches!(name, "par" | "cell" | "row" | "page" | "sect" | "line" | "tab")
}
