//! Which engine reads a picture.

use std::time::Duration;

use casetrack_pages::model::ExtractOptions;

use super::deadline::Deadline;
use super::page::OcrPage;
use super::ppocr::{self, Engine};
use super::tesseract::{Api, Libraries, Pix};
use super::{Picture, USUAL_SKEW, read_turned};

/// From this confidence on, tesseract reads as well as the second engine, in a fifth of the time: chosen on one half of
/// the receipts (docs/dev/extraction.md).
const SURE: f32 = 0.9;

/// Languages that PP-OCRv6 small reads, by the names of tesseract's data (rapidocr/default_models.yaml). Its characters
/// are Latin, Chinese and Japanese.
const LANGUAGES: &str = "afr aze bos cat ces chi_sim chi_tra cos cym dan deu eng est eus fin fra gla gle glg hrv hun ind isl ita jpn \
                         lat lav lit ltz mlt mri msa nld nor oci pol por que ron slk slv spa sqi srp_latn swa swe tgl tur uzb vie";

pub(super) fn second_engine(options: &ExtractOptions, languages: &str) -> Option<&'static Engine> {
    let folder = options.ocr_model.as_deref()?;
    let reads = |language: &str| LANGUAGES.split_whitespace().any(|known| known == language);
    if !languages.split('+').all(reads) {
        return None;
    }
    ppocr::engine(folder).inspect_err(|error| tracing::warn!(%error, "the second OCR engine is not used")).ok()
}

pub(super) fn read_by(engine: &Engine, picture: &Picture, time: Duration) -> OcrPage {
    OcrPage::of(engine.read(&picture.image, time), picture.scale)
}

/// The reading of tesseract, if it is sure, else the [better] of both readings. `None` if neither takes the picture.
pub(super) fn read_by_either(
    libraries: &'static Libraries,
    api: &mut Api,
    engine: &Engine,
    picture: &Picture,
    end: &Deadline,
) -> Option<OcrPage> {
    let pix = Pix::of(libraries, &picture.image, picture.resolution.unwrap_or(0))?;
    let first = read_turned(api, &pix, 0, USUAL_SKEW, picture.scale, end)?;
    if first.confidence >= SURE || end.is_over() {
        return Some(first);
    }
    let second = read_by(engine, picture, end.left());
    Some(better(first, second))
}

/// The reading of the second engine, unless there is less in it that was read with confidence: it misses lines that its detector does not see,
/// and those that it does not reach in time. Its confidences are higher than tesseract's, so that it need not read as many letters.
fn better(first: OcrPage, second: OcrPage) -> OcrPage {
    if first.is_better_than(&second) { first } else { second }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_weights_or_with_a_language_that_they_lack_there_is_no_second_engine() {
        let options = |ocr_model: Option<&str>| ExtractOptions {
            ocr_model: ocr_model.map(Into::into),
            ..ExtractOptions::default()
        };
        assert!(second_engine(&options(None), "eng").is_none());
        assert!(second_engine(&options(Some("/nowhere")), "eng+rus").is_none());
    }

    #[test]
    fn the_second_engine_is_believed_where_it_has_not_read_much_less() {
        let page = |confidence: f32, chars: usize| OcrPage { confidence, chars, ..OcrPage::default() };
        for (first, second, takes_second) in [
            // A receipt; a photograph, in whose shadows tesseract sees letters; nothing that tesseract sees.
            (page(0.78, 600), page(0.96, 580), true),
            (page(0.3, 500), page(0.95, 60), true),
            (page(0.0, 0), page(0.9, 5), true),
            // A word of a page; the part read when the time was over; nothing.
            (page(0.88, 2000), page(0.97, 9), false),
            (page(0.88, 2000), page(0.97, 1200), false),
            (page(0.6, 40), page(0.0, 0), false),
        ] {
            let expected = if takes_second { second.clone() } else { first.clone() };
            assert_eq!(better(first, second), expected);
        }
    }
}
