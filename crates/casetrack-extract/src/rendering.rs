//! Pages as pictures, with passages marked.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use casetrack_core::{Error, Rect, Result};
use casetrack_pages::model::{ExtractOptions, PagePicture, Pixels, RenderRequest, Source};
use image::RgbImage;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};

use crate::extraction::panicked;
use crate::{detect, formats};

/// The colour of a marker. It is multiplied with the pixels under it, so that black letters stay black.
const MARKER: [u8; 3] = [255, 236, 64];
/// How far a mark reaches beyond the box of a line, in points: boxes are tight.
const MARGIN: f32 = 1.0;

/// Draws a page of a PDF or picture and marks places on it. Takes some 50 ms for a page of A4; memory is bounded by
/// `longest_side` and, for pictures, by `options.limits.max_image_pixels`. Errors: `UnsupportedFormat` for all other
/// formats, `InvalidArgument` for a page that is not there, and those of [`extract`](crate::extract).
pub fn render_page(
    path: &Path,
    bytes: &[u8],
    options: &ExtractOptions,
    request: &RenderRequest,
) -> Result<PagePicture> {
    let source = Source { path, bytes, options };
    let draw = || formats::extractor(detect::detect_source(&source)?).draw(&source, request);
    let Pixels { mut image, pixels_per_point } =
        catch_unwind(AssertUnwindSafe(draw)).unwrap_or_else(|panic| Err(panicked(&source, &*panic)))?;
    mark(&mut image, pixels_per_point, &request.highlights);
    let mut png = Vec::new();
    // Lines of letters on an even ground take half the bytes without a filter.
    let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Default, FilterType::NoFilter);
    image
        .write_with_encoder(encoder)
        .map_err(|error| Error::internal(format!("A picture of {} could not be written: {error}.", source.name())))?;
    Ok(PagePicture { png, width: image.width(), height: image.height(), pixels_per_point })
}

/// Draws the marker over these places, once if they overlap.
fn mark(image: &mut RgbImage, pixels_per_point: f32, places: &[Rect]) {
    let (width, height) = image.dimensions();
    let range = |from: f32, to: f32, limit: u32| {
        let end = (((to + MARGIN) * pixels_per_point).ceil().max(0.0) as u32).min(limit);
        ((((from - MARGIN) * pixels_per_point).max(0.0)) as u32).min(end)..end
    };
    let mut marked = vec![false; width as usize * height as usize];
    for place in places {
        let columns = range(place.left, place.right, width);
        for row in range(place.top, place.bottom, height) {
            let start = row as usize * width as usize;
            marked[start + columns.start as usize..start + columns.end as usize].fill(true);
        }
    }
    for (pixel, _) in image.pixels_mut().zip(marked).filter(|(_, marked)| *marked) {
        for (channel, marker) in pixel.0.iter_mut().zip(MARKER) {
            *channel = (u16::from(*channel) * u16::from(marker) / 255) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use casetrack_core::ErrorCode;
    use image::{ImageFormat, Rgb};

    use super::*;

    fn rect(left: f32, top: f32, right: f32, bottom: f32) -> Rect {
        Rect { left, top, right, bottom }
    }

    #[test]
    fn marks_are_translucent_drawn_once_and_end_at_the_edge() {
        let mut image = RgbImage::from_pixel(40, 20, Rgb([255, 255, 255]));
        image.put_pixel(10, 10, Rgb([0, 0, 0]));
        let places = [rect(4.0, 4.0, 8.0, 6.0), rect(5.0, 4.0, 1000.0, 6.0), rect(-9.0, -9.0, -5.0, -5.0)];
        mark(&mut image, 2.0, &places);
        assert_eq!(image.get_pixel(10, 10).0, [0, 0, 0]);
        assert_eq!(image.get_pixel(12, 10).0, MARKER);
        assert_eq!(image.get_pixel(39, 10).0, MARKER);
        for (x, y) in [(5, 10), (12, 5), (12, 14), (0, 0)] {
            assert_eq!(image.get_pixel(x, y).0, [255, 255, 255], "{x}, {y}");
        }
    }

    #[test]
    fn a_format_without_drawn_pages_and_a_page_that_is_not_there_are_refused() {
        let request = RenderRequest { page: 2, highlights: Vec::new(), longest_side: 500, resolution: 150.0 };
        let render = |name: &str, bytes: &[u8]| {
            render_page(Path::new(name), bytes, &ExtractOptions::default(), &request).unwrap_err()
        };
        assert_eq!(render("a.txt", b"Only text.\n").code, ErrorCode::UnsupportedFormat);
        let mut png = Cursor::new(Vec::new());
        RgbImage::new(5, 5).write_to(&mut png, ImageFormat::Png).unwrap();
        let error = render("a.png", &png.into_inner());
        assert_eq!((error.code, error.message.as_str()), (ErrorCode::InvalidArgument, "a.png has no page 2."));
    }
}
