//! Pictures of pages: JPEG, JPEG 2000, PNG, BMP, GIF, WebP and TIFF with all its pages, read by OCR. A frame is a page.

mod exif;
mod frames;
mod jpeg2000;
mod rendering;
mod resolution;
mod tiff;
mod tiff_fax;
mod tiff_samples;

use casetrack_core::{BlockKind, ExtractionMethod, Result};
use casetrack_pages::build::{DocumentBuilder, Extractor, PlacedLine};
use casetrack_pages::model::{Pixels, RenderRequest, Source, on_paper};

pub use self::exif::{capture_time, exif_fields};
pub(crate) use self::frames::inset_tiff;
use self::frames::{Frame, MAX_ANIMATION_FRAMES, frames, may_be_animated, points_per_pixel};
use crate::ocr::{self, GrayImage, OcrPage, Picture};

pub(crate) struct Image;

impl Extractor for Image {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        ocr::can_read(source.options)?;
        document.set_created(capture_time(source.bytes));
        let mut count = 0;
        let mut unread = Vec::new();
        let pictures = frames(source)?.map(|frame| {
            count += 1;
            frame.map(picture).map_err(|error| unread.push((count, error))).ok()
        });
        let warning = ocr::read_in_order(source.options, false, pictures, |page| {
            document.start_page(ExtractionMethod::Ocr, None);
            page.map_or(Ok(()), |page| push_page(document, page))?;
            document.finish_page();
            Ok(())
        })?;
        if unread.len() == count
            && let Some((_, error)) = unread.pop()
        {
            return Err(error);
        }
        for (number, error) in unread {
            document.warn(format!("Page {number}: {}", error.message));
        }
        if let Some(warning) = warning {
            document.warn(warning);
        }
        if count == MAX_ANIMATION_FRAMES && may_be_animated(source.bytes) {
            document.warn(format!("Only the first {MAX_ANIMATION_FRAMES} frames of the animation were read."));
        }
        if document.is_blank() { Err(source.nothing_recognised("a picture")) } else { Ok(()) }
    }

    fn draw(&self, source: &Source, request: &RenderRequest) -> Result<Pixels> {
        rendering::draw(source, request)
    }
}

fn push_page(document: &mut DocumentBuilder, page: OcrPage) -> Result<()> {
    document.set_ocr_confidence(page.confidence);
    for paragraph in page.paragraphs {
        let lines: Vec<PlacedLine> = paragraph
            .into_iter()
            .map(|line| PlacedLine { text: line.text, area: Some(line.area), hidden: Vec::new() })
            .collect();
        document.push_lines(BlockKind::Paragraph, &lines)?;
    }
    Ok(())
}

pub(crate) fn is_image(bytes: &[u8]) -> bool {
    // Two letters are a bitmap's whole signature; the size of its header distinguishes it from text.
    let is_bitmap = bytes.starts_with(b"BM") && matches!(bytes.get(14..18), Some([12 | 40..=124, 0, 0, 0]));
    is_bitmap
        || bytes.starts_with(b"\xFF\xD8\xFF")
        || bytes.starts_with(b"\x89PNG\r\n\x1A\n")
        || bytes.starts_with(b"GIF87a")
        || bytes.starts_with(b"GIF89a")
        || (bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"))
        || jpeg2000::is_jpeg2000(bytes)
        || tiff::is_tiff(bytes)
}

fn picture((image, resolution): Frame) -> Picture {
    let gray = on_paper(image).into_luma8();
    let (width, height) = (gray.width() as usize, gray.height() as usize);
    let scale = points_per_pixel(gray.width(), gray.height(), resolution);
    Picture {
        image: GrayImage { width, height, pixels: gray.into_raw() },
        resolution,
        scale,
        is_whole: true,
        is_snapshot: true,
    }
}

#[cfg(test)]
mod tests;
