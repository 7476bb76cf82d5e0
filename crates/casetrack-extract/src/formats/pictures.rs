//! Pictures that are put into a document. Those that may hold text are read by OCR, each once.

use std::collections::{BTreeMap, HashSet};
use std::io::Cursor;
use std::rc::Rc;

use casetrack_core::FileLimit;
use casetrack_pages::build::flow::is_reserved;
use casetrack_pages::build::{DocumentBuilder, changes};
use casetrack_pages::container::zip::ZipContainer;
use casetrack_pages::model::{Source, Stage, Step, StepTracker, can_be_raised, on_paper};
use image::{DynamicImage, ImageFormat, ImageReader, Limits};
use sha2::{Digest, Sha256};

use crate::formats::image::inset_tiff;
use crate::ocr::{self, GrayImage, OcrPage, Picture};

/// Pictures of one file that are read, and their pixels in all: some minutes of OCR.
const MAX_PICTURES: u32 = 200;
const MAX_PIXELS: u64 = 400_000_000;
/// Smaller ones are icons, bullets and rules: no line of text of a readable size fits.
const MIN_WIDTH: u32 = 64;
const MIN_HEIGHT: u32 = 24;
const MIN_PIXELS: u64 = 8_000;
/// Decoders may need this many bytes for a pixel: four channels of 16 bits, and as much again.
const BYTES_PER_PIXEL: u64 = 16;
/// Lines read with less confidence are no text, as in pictures on pages of PDF files.
const MIN_LINE_CONFIDENCE: f32 = 0.7;
/// With a smaller share of text in the reading, it is the texture of a photograph.
const MIN_SHARE: f32 = 0.5;

/// The pictures that were read of a file so far, with the documents inside it.
#[derive(Default)]
pub(crate) struct PictureBudget {
    seen: HashSet<[u8; 32]>,
    pictures: u32,
    pixels: u64,
}

pub(crate) struct Pictures<'a> {
    source: &'a Source<'a>,
    steps: Rc<StepTracker>,
    budget: PictureBudget,
    /// How many were not read, by the reason.
    unread: BTreeMap<String, u32>,
    warning: Option<String>,
}

#[derive(Clone)]
pub(crate) struct PictureText {
    /// One line for each line of the picture.
    pub text: String,
    percent: u8,
}

impl PictureText {
    /// The text of a block, labelled as that of a picture and marked as read by OCR.
    pub fn marked(&self, label: &str, document: &mut DocumentBuilder) -> String {
        let id = document.hidden().picture(self.percent);
        format!("{}{label}: {}{}", changes::hide(id), self.text, changes::show(id))
    }

    fn of(page: &OcrPage) -> Option<Self> {
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
        let lines: Vec<_> = page
            .paragraphs
            .iter()
            .flatten()
            .filter(|line| line.confidence >= MIN_LINE_CONFIDENCE && letters(&line.text) >= 2)
            .collect();
        let length = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count() as f32;
        let total: f32 = lines.iter().map(|line| length(&line.text)).sum();
        if total == 0.0 || total < MIN_SHARE * page.chars as f32 {
            return None;
        }
        let confidence = lines.iter().map(|line| line.confidence * length(&line.text)).sum::<f32>() / total;
        let text = lines.iter().map(|line| line.text.replace(is_reserved, " ")).collect::<Vec<_>>().join("\n");
        Some(Self { text, percent: (confidence * 100.0) as u8 })
    }
}

impl<'a> Pictures<'a> {
    pub fn new(source: &'a Source<'a>, document: &DocumentBuilder) -> Self {
        Self::after(PictureBudget::default(), source, document)
    }

    /// A reader that counts on from the documents around this one.
    pub fn after(budget: PictureBudget, source: &'a Source<'a>, document: &DocumentBuilder) -> Self {
        Self { source, steps: document.steps(), budget, unread: BTreeMap::new(), warning: None }
    }

    /// The text of the picture with these bytes; `None` for one without text, for one that was read before, such as a
    /// logo on every slide, and for an unreadable one, which is counted.
    pub fn read(&mut self, bytes: &[u8]) -> Option<PictureText> {
        if !self.budget.seen.insert(Sha256::digest(bytes).into()) {
            return None;
        }
        let image = match self.decoded(bytes) {
            Ok(image) => image?,
            Err(reason) => {
                *self.unread.entry(reason).or_default() += 1;
                return None;
            }
        };
        self.budget.pictures += 1;
        self.budget.pixels += u64::from(image.width()) * u64::from(image.height());
        if !self.steps.takes(Step { stage: Stage::Inset, page: self.budget.pictures }) {
            return None;
        }
        let gray = on_paper(image).into_luma8();
        let (width, height) = (gray.width() as usize, gray.height() as usize);
        let image = GrayImage { width, height, pixels: gray.into_raw() };
        let picture = Picture { image, resolution: None, scale: 1.0, is_whole: false, is_snapshot: true };
        let mut text = None;
        let read = ocr::read_in_order(self.source.options, true, std::iter::once(Some(picture)), |page| {
            text = page.as_ref().and_then(PictureText::of);
            Ok(())
        });
        self.warning = read.ok()?.or(self.warning.take());
        text
    }

    /// As [`read`](Self::read), of a part of an OpenDocument package.
    pub fn read_part(&mut self, container: &mut ZipContainer, name: &str) -> Option<PictureText> {
        match container.part(name) {
            Ok(bytes) => self.read(&bytes?),
            Err(error) => {
                *self.unread.entry(error.message).or_default() += 1;
                None
            }
        }
    }

    /// The picture, unless it is too small to hold text; or why it cannot be read.
    fn decoded(&self, bytes: &[u8]) -> Result<Option<DynamicImage>, String> {
        let Ok(format) = image::guess_format(bytes) else {
            return Err("they are drawings (EMF, WMF, SVG) or of another kind that OCR does not read".to_owned());
        };
        let damaged = |error: &dyn std::fmt::Display| format!("they are damaged ({error})");
        let reader = || ImageReader::with_format(Cursor::new(bytes), format);
        let tiff = if format == ImageFormat::Tiff { inset_tiff(self.source, bytes).transpose()? } else { None };
        let size = tiff.as_ref().map(|image| Ok((image.width(), image.height())));
        let (width, height) = size.unwrap_or_else(|| reader().into_dimensions()).map_err(|error| damaged(&error))?;
        let pixels = u64::from(width) * u64::from(height);
        if width < MIN_WIDTH || height < MIN_HEIGHT || pixels < MIN_PIXELS {
            return Ok(None);
        }
        let most = self.source.limits().max_image_pixels;
        if pixels > most {
            let raise = can_be_raised(FileLimit::PictureSize);
            return Err(format!("they have more than {} million pixels{raise}", most / 1_000_000));
        }
        if self.budget.pictures >= MAX_PICTURES || self.budget.pixels + pixels > MAX_PIXELS {
            return Err(format!(
                "at most {MAX_PICTURES} pictures of one file are, with {} million pixels in all",
                MAX_PIXELS / 1_000_000
            ));
        }
        ocr::can_read(self.source.options).map_err(|error| error.message)?;
        if tiff.is_some() {
            return Ok(tiff);
        }
        let mut limits = Limits::default();
        limits.max_alloc = Some(most.saturating_mul(BYTES_PER_PIXEL));
        let mut reader = reader();
        reader.limits(limits);
        reader.decode().map(Some).map_err(|error| damaged(&error))
    }

    /// Warns of unread pictures; returns the count.
    pub fn finish(self, document: &mut DocumentBuilder) -> PictureBudget {
        for (reason, count) in self.unread {
            let reason = reason.trim_end_matches('.');
            document.warn(format!("Pictures in it that were not read: {count}; {reason}."));
        }
        if let Some(warning) = self.warning {
            document.warn(warning);
        }
        self.budget
    }
}
