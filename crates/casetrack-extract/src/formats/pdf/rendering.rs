use casetrack_core::Result;
use casetrack_pages::model::{Pixels, RenderRequest, Source};
use image::RgbImage;
use pdfium_render::prelude::{PdfBitmapFormat, PdfPage, PdfPageIndex, PdfRenderConfig, PdfiumError};

use super::file::{inside_pdfium, opened};
use crate::ocr::POINTS;

pub(super) fn draw(source: &Source, request: &RenderRequest) -> Result<Pixels> {
    let pdf = opened(source)?;
    let _inside = inside_pdfium();
    let index = PdfPageIndex::try_from(request.page).ok().filter(|&page| (1..=pdf.pages().len()).contains(&page));
    let index = index.ok_or_else(|| request.no_such_page(source))? - 1;
    let drawn = pdf.pages().get(index).and_then(|page| draw_page(&page, request));
    drawn.map_err(|error| source.unreadable(format_args!("page {} cannot be drawn ({error:?})", request.page)))
}

/// The visible page: turned and cut as it declares, with its annotations.
fn draw_page(page: &PdfPage, request: &RenderRequest) -> Result<Pixels, PdfiumError> {
    let (width, height) = (page.width().value.max(1.0), page.height().value.max(1.0));
    let factor = (request.resolution / POINTS).min(request.longest_side as f32 / width.max(height));
    let config = PdfRenderConfig::new()
        .set_target_width(((width * factor) as i32).max(1))
        .set_format(PdfBitmapFormat::BGRx)
        .set_reverse_byte_order(true);
    let bitmap = page.render_with_config(&config)?;
    let (columns, rows) = (bitmap.width().max(0) as u32, bitmap.height().max(0) as u32);
    let bytes = bitmap.as_raw_bytes();
    let stride = bytes.len() / rows.max(1) as usize;
    let rgb = bytes
        .chunks(stride.max(1))
        .flat_map(|row| row.chunks_exact(4).take(columns as usize).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]));
    let image = RgbImage::from_raw(columns, rows, rgb.collect()).unwrap_or_default();
    Ok(Pixels { pixels_per_point: columns as f32 / width, image })
}
