//! Decodes pictures: their frames, or pages.

use std::io::Cursor;
use std::iter;

use casetrack_core::{Error, FileLimit, Result};
use casetrack_pages::model::Source;
use image::metadata::Orientation;
use image::{
    AnimationDecoder, DynamicImage, Frames, ImageDecoder, ImageError, ImageFormat, ImageReader, ImageResult, Limits,
};

use super::tiff_samples::{self, Problem};
use super::{jpeg2000, resolution, tiff};
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

/// The pages of a picture, in order.
pub(super) fn frames<'a>(source: &'a Source) -> Result<Box<dyn Iterator<Item = Result<Frame>> + 'a>> {
    if jpeg2000::is_jpeg2000(source.bytes) {
        let picture = jpeg2000::decode(source.bytes, may_hold(source));
        let picture = picture.map_err(|problem| problem_of(source, "a JPEG 2000 picture", problem));
        return Ok(Box::new(iter::once(picture.map(|image| (image, None)))));
    }
    let format = image::guess_format(source.bytes).map_err(|error| read_error(source, &error))?;
    Ok(match format {
        ImageFormat::Tiff => Box::new(tiff_pages(source)),
        ImageFormat::Gif | ImageFormat::WebP => animation(source, format),
        _ => Box::new(iter::once(single(source, format, source.bytes, resolution::stated(source.bytes)))),
    })
}

/// True of the formats whose frames are those of an animation.
pub(super) fn may_be_animated(bytes: &[u8]) -> bool {
    matches!(image::guess_format(bytes), Ok(ImageFormat::Gif | ImageFormat::WebP))
}

/// Tests if a picture of a width and height may be decoded.
fn may_hold(source: &Source) -> impl Fn(u32, u32) -> bool {
    let most = source.limits().max_image_pixels;
    move |width, height| width.max(height) <= MAX_SIDE && u64::from(width) * u64::from(height) <= most
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
    let directories = tiff::directories(source.bytes);
    let none = directories.is_empty().then(|| Err(source.unreadable("it has no pages")));
    let pages = directories.into_iter().map(move |directory| {
        let Some(offset) = directory.offset else {
            return single(source, ImageFormat::Tiff, source.bytes, directory.resolution);
        };
        // A copy for each page, because reading a page changes the file.
        let mut bytes = source.bytes.to_vec();
        tiff::make_first(&mut bytes, &directory);
        let image = tiff_page(source, bytes, offset);
        image
            .map_err(|problem| problem_of(source, "a TIFF picture", problem))
            .map(|image| (image, directory.resolution))
    });
    none.into_iter().chain(pages)
}

/// The page to which the header of a TIFF points, upright.
fn tiff_page(source: &Source, mut bytes: Vec<u8>, directory: usize) -> std::result::Result<DynamicImage, Problem> {
    let max_bytes = usize::try_from(limits(source).max_alloc.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    let turned = tiff::orientation(&bytes, directory);
    let mut image = tiff_samples::decode(&mut bytes, directory, may_hold(source), max_bytes)?;
    image.apply_orientation(turned);
    Ok(image)
}

/// The first page of a TIFF that is put into the file `source`, or why it is not read: "they …". `None` for other files, and BigTIFF.
pub(crate) fn inset_tiff(source: &Source, bytes: &[u8]) -> Option<std::result::Result<DynamicImage, String>> {
    let directory = tiff::directories(bytes).first()?.offset?;
    let mut file = bytes.to_vec();
    tiff::make_first(&mut file, &tiff::Directory { offset: Some(directory), resolution: None });
    Some(tiff_page(source, file, directory).map_err(|problem| match problem {
        Problem::Unsupported(what) => format!("they are TIFF pictures with {what}"),
        Problem::Damaged(what) => format!("they are damaged ({what})"),
        Problem::TooLarge => "they are too large".to_owned(),
    }))
}

fn problem_of(source: &Source, kind: &str, problem: Problem) -> Error {
    match problem {
        Problem::TooLarge => too_large(source),
        Problem::Damaged(what) => source.unreadable(what),
        Problem::Unsupported(what) => unsupported(source, format_args!("{kind} with {what}")),
    }
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
        ImageError::Limits(_) => too_large(source),
        ImageError::Unsupported(_) => {
            unsupported(source, format_args!("a picture of a kind that is not read ({error})"))
        }
        error => source.unreadable(error),
    }
}

fn too_large(source: &Source) -> Error {
    source.too_large(
        FileLimit::PictureSize,
        format_args!(
            "pictures are read up to {} million pixels and {MAX_SIDE} pixels a side",
            source.limits().max_image_pixels / 1_000_000
        ),
    )
}

/// `what` completes "… is": the file is sound, so that saving it again as it is does not help.
fn unsupported(source: &Source, what: std::fmt::Arguments) -> Error {
    source
        .unsupported(&what.to_string())
        .with_hint("Open it in a picture viewer, save it as PNG, JPEG or PDF, and ingest that.")
}
