//! PP-OCRv6 small: an OCR engine for photographs, receipts and screenshots. One network finds lines of text, another
//! reads them. Their weights are in every package, but not in the repository; `scripts/setup/fetch_models.py --ocr` fetches them.
//!
//! Sizes and thresholds are those of RapidOCR 3.10 (its config.yaml and Python code), from which the weights come.

mod area;
mod crop;
mod decode;
mod layout;
mod network;

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use casetrack_core::{Error, ErrorCode, Result};
use image::imageops::{self, FilterType};
use rten::ThreadPool;

use self::area::{LineArea, TextMap};
use self::crop::{CHANNELS, Strip};
use self::layout::Line;
use self::network::Network;
use super::word::Word;
use super::{Deadline, GrayImage};

/// Name of the folder of the weights in the models folder.
pub const OCR_MODEL: &str = "ocr-pp-ocrv6-small";

const DETECTOR: &str = "det.onnx";
const RECOGNISER: &str = "rec.onnx";

/// Pictures are enlarged for the detector until the shorter side has this many pixels, but only up to this longer side
/// and this many pixels in all; larger ones are made smaller. Sides are multiples of its stride.
const SHORT_SIDE: f32 = 736.0;
const LONG_SIDE: f32 = 2560.0;
const MAX_PIXELS: f32 = 3_000_000.0;
const STRIDE: f32 = 32.0;
/// Height of a line for the recogniser, and its widths.
const LINE_HEIGHT: usize = 48;
const LINE_WIDTHS: std::ops::RangeInclusive<usize> = 320..=3200;
/// A line that is read with less confidence may be upside down. RapidOCR uses a third network, which does not see that
/// of long lines.
const DOUBTFUL_CONFIDENCE: f32 = 0.85;
/// Lines read with less confidence are not text.
const MIN_CONFIDENCE: f32 = 0.5;

pub(super) struct Engine {
    detector: Network,
    recogniser: Network,
    characters: Vec<String>,
}

/// The engine with the weights in this folder. Errors: That the weights cannot be loaded. They are tried once in a
/// process.
pub(super) fn engine(folder: &Path) -> Result<&'static Engine> {
    static ENGINE: OnceLock<Result<Engine>> = OnceLock::new();
    ENGINE.get_or_init(|| Engine::load(folder)).as_ref().map_err(|error| {
        Error::new(error.code, error.message.clone())
            .with_hint("Install CaseTrack again. In the sources, run `scripts/setup/fetch_models.py --ocr`.")
    })
}

impl Engine {
    /// Loads the weights: a tenth of a second, and about 100 MB of memory. Errors: `MissingDependency` without a file,
    /// `Corrupt` when one is no network or has no dictionary.
    fn load(folder: &Path) -> Result<Self> {
        let recogniser = Network::load(&folder.join(RECOGNISER))?;
        let dictionary = recogniser.metadata("character").ok_or_else(|| {
            let message = format!("{}: it names no characters", folder.join(RECOGNISER).display());
            Error::new(ErrorCode::Corrupt, message)
        })?;
        let characters = decode::characters(dictionary).into_iter().map(str::to_owned).collect();
        Ok(Self { detector: Network::load(&folder.join(DETECTOR))?, recogniser, characters })
    }

    /// The words of a picture in reading order; without those that were not reached after computing for `time`.
    pub fn read(&self, image: &GrayImage, time: Duration) -> Vec<Word> {
        // Of one thread, so that the time counts that computes here, and only here.
        let threads = Arc::new(ThreadPool::with_num_threads(1));
        threads.run(|| self.words(image, &threads, &Deadline::after(time)))
    }

    fn words(&self, image: &GrayImage, threads: &Arc<ThreadPool>, end: &Deadline) -> Vec<Word> {
        let mut lines = Vec::new();
        for area in self.areas(image, threads).unwrap_or_default() {
            if end.is_over() {
                break;
            }
            let mut line = self.line(image, area, threads);
            if line.confidence() < DOUBTFUL_CONFIDENCE {
                let turned = self.line(image, area.on_its_head(), threads);
                line = if turned.confidence() > line.confidence() { turned } else { line };
            }
            if line.confidence() >= MIN_CONFIDENCE {
                lines.push(line);
            }
        }
        layout::in_reading_order(lines, image.width as f32, image.height as f32)
    }

    fn areas(&self, image: &GrayImage, threads: &Arc<ThreadPool>) -> Option<Vec<LineArea>> {
        let (width, height) = seen_size(image.width, image.height)?;
        let pixels = image::GrayImage::from_raw(image.width as u32, image.height as u32, image.pixels.clone())?;
        let seen = imageops::resize(&pixels, width as u32, height as u32, FilterType::Triangle);
        let plane: Vec<f32> = seen.into_raw().into_iter().map(|pixel| f32::from(pixel) / 127.5 - 1.0).collect();
        let output = self.detector.run::<4>([1, CHANNELS, height, width], plane.repeat(CHANNELS), threads)?;
        let [_, _, height, width] = output.shape;
        Some(TextMap { width, height, pixels: &output.numbers }.lines(image.width, image.height))
    }

    fn line(&self, image: &GrayImage, area: LineArea, threads: &Arc<ThreadPool>) -> Line {
        let strip = Strip::of(image, &area, LINE_HEIGHT, LINE_WIDTHS);
        let filled = strip.filled as f32 / strip.width as f32;
        let output = self.recogniser.run([1, CHANNELS, strip.height, strip.width], strip.numbers, threads);
        let pieces = output.map(|output| decode::words(&output, &self.characters, filled));
        Line { area, pieces: pieces.unwrap_or_default() }
    }
}

/// The size in which the detector sees a picture; `None` for one without pixels.
fn seen_size(width: usize, height: usize) -> Option<(usize, usize)> {
    if width == 0 || height == 0 {
        return None;
    }
    let (width, height) = (width as f32, height as f32);
    let wanted = (SHORT_SIDE / width.min(height)).max(1.0);
    let factor = wanted.min(LONG_SIDE / width.max(height)).min((MAX_PIXELS / (width * height)).sqrt());
    let side = |side: f32| ((side * factor / STRIDE).round().max(1.0) * STRIDE) as usize;
    Some((side(width), side(height)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_detector_sees_pictures_of_any_shape_in_bounded_size() {
        assert_eq!(seen_size(1000, 1400), Some((992, 1408)));
        assert_eq!(seen_size(368, 800), Some((736, 1600)));
        assert_eq!(seen_size(4000, 3000), Some((2016, 1504)));
        for (width, height) in [(1, 32_000), (32_000, 1), (20, 20_000), (7000, 7000), (1, 1), (600, 9000)] {
            let (seen_width, seen_height) = seen_size(width, height).unwrap();
            assert!(seen_width % 32 == 0 && seen_height % 32 == 0 && seen_width >= 32 && seen_height >= 32);
            assert!(seen_width * seen_height <= 3_200_000, "{width}x{height}: {seen_width}x{seen_height}");
        }
        assert_eq!(seen_size(0, 10), None);
    }
}
