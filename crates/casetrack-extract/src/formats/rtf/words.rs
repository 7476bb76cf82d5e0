//! Control words: destinations, properties, and what stands for text.

use casetrack_core::Result;

use super::charset;
use super::form_fields::FormField;
use super::frames::FrameKind;
use super::reader::Reader;
use super::state::{Destination, State, Style};

/// Destinations whose text is not shown in the body.
const NOT_SHOWN: &str = "colortbl filetbl pict xe tc rxe txe \
     template nonesttables sp shprslt private datafield pntxta pntxtb listtable";
/// Destinations marked as skippable that hold text all the same.
const SHOWN: [&str; 8] = ["shpinst", "shptxt", "revtbl", "annotation", "atnauthor", "fldinst", "formfield", "ffl"];

impl Reader<'_> {
    pub(super) fn word(&mut self, name: &str, number: Option<i32>) -> Result<()> {
        let is_skippable = std::mem::take(&mut self.skippable);
        if self.state.destination == Destination::Skipped {
            return Ok(());
        }
        if (is_skippable && !SHOWN.contains(&name)) || NOT_SHOWN.split_ascii_whitespace().any(|hidden| hidden == name) {
            self.enter(Destination::Skipped);
            return Ok(());
        }
        let (on, value) = (number != Some(0), number.unwrap_or(0));
        let mut revision = self.state.revision;
        if revision.set(name, number) {
            self.set(|state| state.revision = revision);
            return Ok(());
        }
        if self.take_destination(name, value) || self.take_property(name, value, on) {
            return Ok(());
        }
        match self.state.destination {
            Destination::Text | Destination::Label => self.text_word(name, on),
            _ => Ok(()),
        }
    }

    /// Enters the destination that a word begins, or takes the word for the one that is open. True if it did.
    fn take_destination(&mut self, name: &str, value: i32) -> bool {
        match (self.state.destination, name) {
            (_, "fonttbl") => self.enter(Destination::Fonts),
            (_, "stylesheet") => self.enter(Destination::Styles),
            (_, "info") => self.enter(Destination::Info),
            (Destination::Info, "title") => self.enter(Destination::Title),
            (Destination::Info, "author") => self.enter(Destination::Author),
            (Destination::Info, "nofpages") => self.page_count = u32::try_from(value).ok(),
            (Destination::Info, "creatim") => self.enter(Destination::Created),
            (Destination::Info, "revtim") => self.enter(Destination::Revised),
            (Destination::Created, _) => self.created.set(name, value),
            (Destination::Revised, _) => self.revised.set(name, value),
            (_, "fldinst") => {
                self.enter(Destination::Instruction);
                self.field_depth = self.groups.len();
            }
            (Destination::Instruction, "formfield") => {
                self.form_field = Some(FormField::new(self.field_depth, self.text.len()));
            }
            (Destination::Instruction, "ffl") => {
                self.enter(Destination::Entry);
                self.form_field.iter_mut().for_each(|field| field.entries.push(String::new()));
            }
            (Destination::Instruction, _) => self.form_field.iter_mut().for_each(|field| field.set(name, value)),
            (_, "listtext" | "pntext") => self.enter(Destination::Label),
            (_, "revtbl") => self.enter(Destination::Revisers),
            (_, "atnauthor") => {
                self.commenter.clear();
                self.enter(Destination::Commenter);
            }
            _ => return false,
        }
        true
    }

    /// Takes a property of the group, or of the font or style that is being defined. True if it did.
    fn take_property(&mut self, name: &str, value: i32, on: bool) -> bool {
        match (self.state.destination, name) {
            (_, "ansicpg") => self.code_page = charset::of_code_page(value),
            (_, "mac") => self.code_page = charset::of_code_page(10000),
            (_, "pc" | "pca") => self.code_page = charset::of_code_page(850),
            (_, "deff") if self.state.font < 0 => self.state.font = value,
            (_, "f") => {
                self.set(|state| state.font = value);
                self.defined = value;
            }
            (Destination::Fonts, "fcharset") => self.fonts.entry(self.defined).or_default().charset = Some(value),
            (_, "uc") => self.state.fallback = value.clamp(0, 16) as u32,
            (_, "v") => self.set(|state| state.hidden = on),
            (_, "plain") => self.set(|state| {
                state.hidden = false;
                state.revision.clear();
            }),
            (_, "pard") => {
                self.set(|state| (state.style, state.outline_level, state.in_table) = (0, None, false));
            }
            (destination, "s") => {
                self.set(|state| state.style = value);
                self.defined = value;
                if destination == Destination::Styles {
                    self.styles.insert(value, Style::default());
                }
            }
            (Destination::Styles, "sbasedon") => self.styles.entry(self.defined).or_default().based_on = Some(value),
            (destination, "outlinelevel") => {
                let level = Some(value.clamp(0, 9) as u8);
                if destination == Destination::Styles {
                    self.styles.entry(self.defined).or_default().outline_level = level;
                } else {
                    self.state.outline_level = level;
                }
            }
            _ => return false,
        }
        true
    }

    fn text_word(&mut self, name: &str, on: bool) -> Result<()> {
        match name {
            // The paragraph continues in the next one.
            "par" if self.state.revision.is_deleted() => {
                self.flush_text();
                self.delete("\n");
            }
            "footnote" => self.start_frame(FrameKind::Note),
            "ftnalt" => self.frames.last_mut().into_iter().for_each(|frame| frame.kind = FrameKind::Endnote),
            "shptxt" => self.start_frame(FrameKind::Box),
            "annotation" => self.start_frame(FrameKind::Comment),
            "header" | "headerl" | "headerr" | "headerf" => self.start_frame(FrameKind::Margin("Header")),
            "footer" | "footerl" | "footerr" | "footerf" => self.start_frame(FrameKind::Margin("Footer")),
            "par" => self.end_paragraph()?,
            "sect" => {
                self.end_paragraph()?;
                self.section_ended = true;
            }
            "sbknone" | "sbkcol" => self.section_ended = false,
            "page" | "pagebb" if self.frames.is_empty() && on => {
                if name == "page" && !self.state.in_table {
                    self.end_paragraph()?;
                    self.output.finish_table()?;
                }
                self.output.break_page();
            }
            "intbl" => self.state.in_table = on,
            "trowd" => self.state.header_row = false,
            "trhdr" => self.state.header_row = true,
            "cell" | "nestcell" if self.frames.is_empty() => {
                self.flush_text();
                self.end_changes(false);
                let (label, text) = (std::mem::take(&mut self.label), std::mem::take(&mut self.text));
                self.start_section();
                self.output.cell_paragraph(&label, &text);
                self.write_boxed(true)?;
                if name == "cell" {
                    self.output.end_cell();
                }
            }
            "row" if self.frames.is_empty() => {
                self.flush_text();
                self.output.end_row(self.state.header_row)?;
            }
            // Framed text has lines of its own.
            "cell" | "nestcell" => self.push_char('\t'),
            "row" => self.end_paragraph()?,
            _ => character(name).into_iter().for_each(|c| self.push_char(c)),
        }
        Ok(())
    }

    fn enter(&mut self, destination: Destination) {
        self.set(|state| state.destination = destination);
    }

    fn set(&mut self, change: impl FnOnce(&mut State)) {
        self.flush_text();
        change(&mut self.state);
    }
}

/// The character for a control word.
fn character(name: &str) -> Option<char> {
    Some(match name {
        "line" | "lbr" => '\n',
        "tab" => '\t',
        "emdash" => '—',
        "endash" => '–',
        "bullet" => '•',
        "lquote" => '‘',
        "rquote" => '’',
        "ldblquote" => '“',
        "rdblquote" => '”',
        "emspace" | "enspace" | "qmspace" => ' ',
        _ => return None,
    })
}
