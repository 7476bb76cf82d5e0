//! Presentations: a slide is a page, its title the heading, the speaker's notes behind "Notes: " ([ODF] Part 3, 10.2).

use casetrack_core::{BlockKind, HiddenReason};
use casetrack_pages::build::flow::{FlowBlock, FlowRow, Sink};
use casetrack_pages::container::xml::{Element, Stop};
use casetrack_pages::office::slides::push_notes;

use super::body::{Body, is_shape};

#[derive(Default)]
pub(super) struct Slides {
    pub count: u32,
    /// Numbers of the slides that are not shown.
    pub hidden: Vec<u32>,
    pub first_title: Option<String>,
}

#[derive(Default)]
struct Slide {
    title: Vec<String>,
    contents: Vec<Content>,
    notes: Vec<String>,
}

enum Content {
    Block(FlowBlock),
    Table(Vec<FlowRow>),
}

impl Body<'_, '_> {
    pub fn slides(&mut self, slides: &mut Slides) -> Result<(), Stop> {
        self.is_paged = false;
        while let Some(element) = self.xml.child()? {
            if element.name() != "page" {
                self.xml.skip()?;
                continue;
            }
            slides.count += 1;
            let is_hidden = self.styles.hides_slide(element.attribute("style-name").as_deref());
            if is_hidden {
                slides.hidden.push(slides.count);
            }
            let mut slide = Slide::default();
            let outcome = self.slide(&mut slide);
            self.flow.start_page()?;
            let title = slide.title.join(" ");
            self.write_slide(&title, slide)?;
            if is_hidden {
                self.flow.document.hide_page(HiddenReason::HiddenSheet);
            }
            slides.first_title = slides.first_title.take().or(Some(title).filter(|title| !title.is_empty()));
            outcome?;
        }
        Ok(())
    }

    fn write_slide(&mut self, title: &str, slide: Slide) -> Result<(), Stop> {
        self.flow.document.push_block(BlockKind::Heading { level: 1 }, title)?;
        for content in slide.contents {
            match content {
                Content::Block(block) => self.flow.push(&block)?,
                Content::Table(rows) => self.flow.push_table(&rows)?,
            }
        }
        self.place_comments(&Sink::Pages)?;
        Ok(push_notes(self.flow.document, &slide.notes.join("\n"))?)
    }

    fn slide(&mut self, slide: &mut Slide) -> Result<(), Stop> {
        while let Some(element) = self.xml.child()? {
            match element.name() {
                "notes" => self.speaker_notes(slide)?,
                "annotation" => self.annotation()?,
                _ => self.slide_object(&element, slide)?,
            }
        }
        Ok(())
    }

    fn slide_object(&mut self, element: &Element, slide: &mut Slide) -> Result<(), Stop> {
        let class = element.attribute("class");
        if !(is_shape(element.name()) || matches!(element.name(), "a" | "measure"))
            || class.as_deref() == Some("page-number")
        {
            return Ok(self.xml.skip()?);
        }
        self.lists.start_run();
        let mut own = Slide::default();
        let outcome = self.slide_object_content(&mut own);
        if class.as_deref() == Some("title") {
            for content in &own.contents {
                if let Content::Block(block) = content {
                    slide.title.extend(block.text.split_whitespace().map(str::to_owned));
                }
            }
        } else {
            slide.title.append(&mut own.title);
            slide.contents.append(&mut own.contents);
        }
        outcome
    }

    fn slide_object_content(&mut self, slide: &mut Slide) -> Result<(), Stop> {
        while let Some(element) = self.xml.child()? {
            let mut sink = Sink::collect();
            let mut rows = Vec::new();
            let outcome = match element.name() {
                "text-box" => self.blocks(&mut sink),
                "p" | "h" | "list" => self.block(&element, &mut sink),
                "table" => {
                    let (found, outcome) = self.table_rows(&element);
                    rows = found;
                    outcome
                }
                "object" => {
                    let (embedded, outcome) = self.object(&element);
                    let formulas = std::mem::take(&mut self.formulas);
                    for text in [embedded.title, formulas] {
                        self.flow.emit(FlowBlock::paragraph(text, None, None), &mut sink)?;
                    }
                    rows = embedded.rows;
                    outcome
                }
                "image" => self.picture(&element, &mut sink),
                _ => self.slide_object(&element, slide),
            };
            slide.contents.extend(sink.into_blocks().into_iter().map(Content::Block));
            if !rows.is_empty() {
                slide.contents.push(Content::Table(rows));
            }
            outcome?;
        }
        Ok(())
    }

    fn speaker_notes(&mut self, slide: &mut Slide) -> Result<(), Stop> {
        while let Some(element) = self.xml.child()? {
            let class = element.attribute("class");
            let is_text = !matches!(class.as_deref(), Some("page" | "page-number" | "date-time" | "header" | "footer"));
            if !is_shape(element.name()) || !is_text {
                self.xml.skip()?;
                continue;
            }
            self.lists.start_run();
            let mut sink = Sink::collect();
            let outcome = self.shape(&mut sink);
            slide.notes.extend(sink.into_blocks().iter().map(|block| block.text.trim().to_owned()));
            outcome?;
        }
        Ok(())
    }
}
