//! Decodes pictures: their frames, or pages.

use std::io::Cursor;
use std::iter;

use casetrack_core::{Error, FileLimit, Result};
use casetrack_pages::model::Source;
use image::error::UnsupportedErrorKind;
use image::metadata::Orientation;
use image::{
    AnimationDecoder, DynamicImage, Frames, ImageDecoder, ImageError, ImageFormat, ImageReader, ImageResult, Limits,
};

use super::{resolution, tiff};
use crate::ocr::POINTS;

/// A picture without a stated resolution is taken to be as long as a Letter page, in inches.
const ASSUMED_LENGTH: f32 = 11.0;
/// Tesseract reads no longer side.
const MAX_SIDE: u32 = 32_000;
/// Decoders may need this many bytes for a pixel: four channels of 16 bits, and as much again for a frame before.
const BYTES_PER_PIXEL: u64 = 16;
pub(super) const MAX_ANIMATION_FRAMES: usize = 20;

/// A page as it was decoded, with its pixels per inch, if stated.
pub(super) type Frame = (DynamicImage, Option<u32>);

pub(super) fn frames<'a>(source: &'a Source, format: ImageFormat) -> Box<dyn Iterator<Item = Result<Frame>> + 'a> {
    match format {
        ImageFormat::Tiff => Box::new(tiff_pages(source)),
        ImageFormat::Gif | ImageFormat::WebP => animation(source, format),
        _ => Box::new(iter::once(single(source, format, source.bytes, resolution::stated(source.bytes)))),
    }
}

fn single(source: &Source, format: ImageFormat, bytes: &[u8], resolution: Option<u32>) -> Result<Frame> {
    decode(source, format, bytes).map_err(|error| read_error(source, &error)).map(|image| (image, resolution))
}

fn decode(source: &Source, format: ImageFormat, bytes: &[u8]) -> ImageResult<DynamicImage> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits(source));
    let mut decoder = reader.into_decoder()?;
    check_size(source, decoder.dimensions())?;
    // A photograph may be stored turned, with its orientation.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut image = DynamicImage::from_decoder(decoder)?;
    image.apply_orientation(orientation);
    Ok(image)
}

fn limits(source: &Source) -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(source.limits().max_image_pixels.saturating_mul(BYTES_PER_PIXEL));
    limits
}

fn check_size(source: &Source, (width, height): (u32, u32)) -> ImageResult<()> {
    if u64::from(width) * u64::from(height) <= source.limits().max_image_pixels {
        return Ok(());
    }
    let kind = image::error::LimitErrorKind::DimensionError;
    Err(ImageError::Limits(image::error::LimitError::from_kind(kind)))
}

/// Every page of a TIFF. Decoders read the first; a header that points elsewhere makes any page the first.
fn tiff_pages(source: &Source) -> impl Iterator<Item = Result<Frame>> {
    let mut bytes = source.bytes.to_vec();
    let directories = tiff::directories(source.bytes);
    let none = directories.is_empty().then(|| Err(source.unreadable("it has no pages")));
    let pages = directories.into_iter().map(move |directory| {
        tiff::make_first(&mut bytes, &directory);
        single(source, ImageFormat::Tiff, &bytes, directory.resolution)
    });
    none.into_iter().chain(pages)
}

fn animation<'a>(source: &'a Source, format: ImageFormat) -> Box<dyn Iterator<Item = Result<Frame>> + 'a> {
    let frames = (|| -> ImageResult<Option<Frames>> {
        let cursor = Cursor::new(source.bytes);
        if format == ImageFormat::Gif {
            let mut decoder = image::codecs::gif::GifDecoder::new(cursor)?;
            check_size(source, decoder.dimensions())?;
            decoder.set_limits(limits(source))?;
            return Ok(Some(decoder.into_frames()));
        }
        let mut decoder = image::codecs::webp::WebPDecoder::new(cursor)?;
        check_size(source, decoder.dimensions())?;
        decoder.set_limits(limits(source))?;
        Ok(decoder.has_animation().then(|| decoder.into_frames()))
    })();
    let whole = |frame: image::Frame| (DynamicImage::ImageRgba8(frame.into_buffer()), None);
    match frames {
        Err(error) => Box::new(iter::once(Err(read_error(source, &error)))),
        Ok(None) => Box::new(iter::once(single(source, format, source.bytes, None))),
        Ok(Some(frames)) => {
            // What follows a damaged frame is damaged too.
            let mut sound = true;
            let frames = frames.take(MAX_ANIMATION_FRAMES).take_while(move |frame| {
                let wanted = sound;
                sound = frame.is_ok();
                wanted
            });
            Box::new(frames.map(move |frame| frame.map(whole).map_err(|error| read_error(source, &error))))
        }
    }
}

pub(super) fn points_per_pixel(width: u32, height: u32, resolution: Option<u32>) -> f32 {
    match resolution {
        Some(resolution) => POINTS / resolution as f32,
        None => POINTS * ASSUMED_LENGTH / width.max(height).max(1) as f32,
    }
}

pub(super) fn read_error(source: &Source, error: &ImageError) -> Error {
    match error {
        ImageError::Limits(_) => source.too_large(
            FileLimit::PictureSize,
            format_args!(
                "pictures are read up to {} million pixels and {MAX_SIDE} pixels a side",
                source.limits().max_image_pixels / 1_000_000
            ),
        ),
        ImageError::Unsupported(error) => source.unsupported_kind(match error.kind() {
            UnsupportedErrorKind::Color(_) => "its way of storing colours",
            _ => "its kind of picture",
        }),
        error => source.unreadable(error),
    }
}
