//! A page of a picture as it is shown, in colour.

use casetrack_core::Result;
use casetrack_pages::model::{Pixels, RenderRequest, Source, on_paper};

use super::frames::{Frame, frames, points_per_pixel};

/// The frame that is page `request.page`, no larger than asked for.
pub(super) fn draw(source: &Source, request: &RenderRequest) -> Result<Pixels> {
    let frame = frames(source)?.nth(request.page.saturating_sub(1) as usize);
    let (image, resolution): Frame = frame.ok_or_else(|| request.no_such_page(source))??;
    let scale = points_per_pixel(image.width(), image.height(), resolution);
    let (width, side) = (image.width(), request.longest_side);
    let image = if width.max(image.height()) > side { image.thumbnail(side, side) } else { image };
    let points = width as f32 * scale;
    Ok(Pixels { pixels_per_point: image.width() as f32 / points.max(1.0), image: on_paper(image).into_rgb8() })
}
