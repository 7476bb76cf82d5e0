//! PowerPoint 97-2003 presentations ([MS-PPT]). A slide is a page, even without text.
//!
//! Read, as from a PPTX: titles as headings, paragraphs with their bullets and numbers, tables row by row, WordArt,
//! footers, text in pictures by OCR, speaker notes behind "Notes: " at the end of their slide. Comments and the text
//! boxes of a master are added to the first slide that shows them. Embedded files are documents of their own. Not read:
//! slide numbers, the data of charts.

mod album;
mod drawing;
mod objects;
mod presentation;
mod records;
mod recovery;
mod slide;
mod styles;
mod text;

use std::collections::{HashMap, HashSet};

use casetrack_core::{BlockKind, ExtractionMethod, HiddenReason, Result};
use casetrack_pages::build::table::Content;
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::container::ole::{CompoundFile, u16_at, u32_at};
use casetrack_pages::model::Source;
use casetrack_pages::office::slides::{DEFAULT_TITLES, push_notes, warn_of_slides};
use casetrack_pages::office::summary_information;

use self::album::Album;
use self::drawing::SlideSize;
use self::presentation::{List, Presentation, SlideEntry};
use self::records::{Record, added_by, kind};
use self::slide::{HeadersFooters, Settings, SlideItem};
use self::styles::MasterStyles;
use self::text::{FieldTexts, TextBody, TextContext};
use crate::formats::pictures::Pictures;

/// The storage of the newer one of two presentations in a file for PowerPoint 95 and 97.
pub(crate) const DUAL_STORAGE: &str = "PP97_DUALSTORAGE";
/// Files that this module does not read.
pub(crate) const OLD_POWERPOINT: &str = "a PowerPoint presentation from before 1997";

/// `HeadersFootersContainer` of slides; those of the document have another number.
const OF_SLIDE: u16 = 0;
const OF_DOCUMENT: u16 = 3;

pub(crate) struct Ppt;

impl Extractor for Ppt {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let container = CompoundFile::of(source)?;
        let stream = |name| {
            let dual = container.stream(&[DUAL_STORAGE, name]);
            dual.or_else(|| container.stream(&[name])).unwrap_or_default()
        };
        let (main, current_user) = (stream("PowerPoint Document"), stream("Current User"));
        if container.stream(&["EncryptedSummary"]).is_some() || presentation::is_encrypted(&main, &current_user) {
            return Err(source.needs_password());
        }
        let title =
            summary_information::read(&container, document).filter(|title| !DEFAULT_TITLES.contains(&title.trim()));
        let first_title = match Presentation::open(&main, &current_user) {
            Some(presentation) => {
                if presentation.may_be_older {
                    document.warn(
                        "The newest changes were not found at the place that the file gives; some may be \
                            missing.",
                    );
                }
                let stream = stream("Pictures");
                let mut album = Album::new(&presentation, &stream, Pictures::new(source, document));
                let title = Deck::new(&presentation).write(source, document, &mut album)?;
                album.into_reader().finish(document);
                objects::hand_out(&presentation, document)?;
                title
            }
            None if is_old(&current_user) => return Err(source.unsupported(OLD_POWERPOINT)),
            None => {
                document.warn(
                    "The directory of the presentation is damaged; its text is in the order of the file, on one page, \
                     and may contain earlier versions.",
                );
                let (fonts, styles, fields) = (HashMap::new(), MasterStyles::default(), FieldTexts::default());
                let surroundings = TextContext { fonts: &fonts, styles: &styles, fields: &fields };
                recovery::write_all_texts(&main, &surroundings, document)?;
                if document.is_blank() {
                    return Err(source.unreadable("the directory of the presentation is damaged"));
                }
                None
            }
        };
        if let Some(title) = title.filter(|title| !title.trim().is_empty()).or(first_title) {
            document.set_title(&title);
        }
        Ok(())
    }
}

/// PowerPoint 95 gives only a name: its size, then as many bytes.
fn is_old(current_user: &[u8]) -> bool {
    current_user.len() < 28 && u32_at(current_user, 0).is_some_and(|size| size as usize + 4 == current_user.len())
}

/// A presentation with the data that its slides share.
struct Deck<'a> {
    presentation: &'a Presentation<'a>,
    fonts: HashMap<u16, String>,
    styles: MasterStyles,
    footers: HeadersFooters,
    sheet: SlideSize,
    first_number: u32,
    /// Masters and notes by the number that slides refer to.
    masters: HashMap<u32, Record<'a>>,
    notes: HashMap<u32, Record<'a>>,
}

impl<'a> Deck<'a> {
    fn new(presentation: &'a Presentation<'a>) -> Self {
        let document = presentation.document;
        let mut styles = MasterStyles::default();
        let environment = document.child(kind::ENVIRONMENT);
        environment.iter().for_each(|environment| styles.add(environment));
        let atom = document.child(kind::DOCUMENT_ATOM).map(|atom| atom.content).unwrap_or_default();
        let edge = |at| u32_at(atom, at).map(|edge| edge as i32).filter(|edge| *edge > 0);
        let objects = |list, kinds: &[u16]| -> HashMap<u32, Record<'a>> {
            let object = |listed: &SlideEntry| kinds.iter().find_map(|kind| presentation.object(listed.object, *kind));
            presentation.list(list).iter().filter_map(|listed| Some((listed.id, object(listed)?))).collect()
        };
        Self {
            presentation,
            fonts: environment.as_ref().map(styles::fonts).unwrap_or_default(),
            styles,
            footers: HeadersFooters::of(&document, OF_DOCUMENT).unwrap_or_default(),
            sheet: edge(0).zip(edge(4)),
            first_number: u16_at(atom, 32).map_or(1, u32::from),
            // The master of title slides is a slide.
            masters: objects(List::Masters, &[kind::MAIN_MASTER, kind::SLIDE]),
            notes: objects(List::Notes, &[kind::NOTES]),
        }
    }

    /// Writes the slides; returns the title of the first one that has one.
    fn write(self, source: &Source, document: &mut DocumentBuilder, album: &mut Album<'_>) -> Result<Option<String>> {
        let slides = self.slides();
        if slides.is_empty() {
            return Err(source.empty("has no slides."));
        }
        let (mut hidden, mut damaged, mut first_title) = (Vec::new(), Vec::new(), None);
        let mut seen = HashSet::new();
        let mut styles_of = HashMap::new();
        for (listed, number) in slides.iter().zip(1u32..) {
            document.start_page(ExtractionMethod::Native, None);
            // A slide is in the list once.
            let slide = self.presentation.object(listed.object, kind::SLIDE).filter(|slide| seen.insert(slide.place));
            match &slide {
                None => damaged.push((number, "its record is missing".to_owned())),
                Some(slide) if slide.is_cut => damaged.push((number, "its record is cut off".to_owned())),
                Some(_) => {}
            }
            let settings = slide.as_ref().map(Settings::of).unwrap_or_default();
            if settings.is_hidden {
                hidden.push(number);
            }
            let masters = self.masters_of(&settings);
            let styles = styles_of.entry(settings.master).or_insert_with(|| self.styles_of(&masters));
            let own = slide.as_ref().and_then(|slide| HeadersFooters::of(slide, OF_SLIDE));
            let footers = own.unwrap_or_else(|| self.footers.clone());
            let fields = slide::field_texts(self.first_number.saturating_add(number - 1), &footers);
            let surroundings = TextContext { fonts: &self.fonts, styles, fields: &fields };
            let mut contents = slide::contents(slide.as_ref(), &listed.texts, &footers, &surroundings, self.sheet);
            first_title = first_title.or_else(|| title_of(&contents));
            for master in masters.iter().filter(|master| settings.shows_master && seen.insert(master.place)) {
                contents.extend(slide::master_contents(master, &surroundings));
            }
            let mut table = 0;
            contents.into_iter().try_for_each(|content| content.write(document, &mut table, album))?;
            if settings.notes != 0 && !self.notes.contains_key(&settings.notes) {
                document.warn(format!("The notes of slide {number} are damaged and missing."));
            }
            // Notes belong to one slide.
            if let Some(notes) = self.notes.get(&settings.notes).filter(|notes| seen.insert(notes.place)) {
                push_notes(document, &slide::notes(notes, &surroundings))?;
            }
            for comment in slide.iter().flat_map(slide::comments) {
                document.push_block(BlockKind::Paragraph, &comment)?;
            }
            if settings.is_hidden {
                document.hide_page(HiddenReason::HiddenSheet);
            }
        }
        if document.is_blank()
            && let Some((_, reason)) = damaged.first()
        {
            return Err(source.unreadable(reason));
        }
        warn_of_slides(document, damaged, &hidden);
        Ok(first_title)
    }

    /// The slides with the numberings of their outline, which are stored apart ([MS-PPT] 2.9.60).
    fn slides(&self) -> Vec<SlideEntry<'a>> {
        let mut slides = self.presentation.list(List::Slides);
        let index_of: HashMap<u32, usize> = slides.iter().zip(0..).map(|(slide, index)| (slide.id, index)).collect();
        let information = self.presentation.document.child(kind::DOCUMENT_INFO);
        let added = information.iter().flat_map(|information| added_by(information, "___PPT9"));
        let mut text: Option<&mut TextBody> = None;
        for record in added.filter(|record| record.kind == kind::OUTLINE_STYLES_9).flat_map(|styles| styles.children())
        {
            match record.kind {
                kind::OUTLINE_STYLE_HEADER_9 => {
                    let slide = u32_at(record.content, 0).and_then(|id| index_of.get(&id));
                    text = slide
                        .and_then(|index| slides.get_mut(*index))
                        .and_then(|slide| slide.texts.get_mut(usize::from(record.instance)));
                }
                kind::TEXT_STYLE_9 => {
                    if let Some(text) = text.take() {
                        text.style_9 = record.content;
                    }
                }
                _ => {}
            }
        }
        slides
    }

    /// The master of a slide. The master of title slides is followed by the one it belongs to.
    fn masters_of(&self, settings: &Settings) -> Vec<Record<'a>> {
        let mut masters: Vec<Record> = self.masters.get(&settings.master).copied().into_iter().collect();
        if let Some(master) = masters.first().filter(|master| master.kind == kind::SLIDE) {
            masters.extend(self.masters.get(&Settings::of(master).master).copied());
        }
        masters
    }

    fn styles_of(&self, masters: &[Record]) -> MasterStyles {
        let mut styles = self.styles.clone();
        masters.iter().rev().for_each(|master| styles.add(master));
        styles
    }
}

fn title_of(contents: &[SlideItem]) -> Option<String> {
    contents.iter().find_map(|shown| match &shown.content {
        Content::Block(BlockKind::Heading { .. }, text) => Some(text.clone()).filter(|text| !text.is_empty()),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
