//! The pixels of a page of a TIFF, for every kind of samples ([TIFF 6.0], sections 3 to 23).
//!
//! The decoder reads bands without a meaning, which works for every kind of page. This module applies their meaning. Faxes other than
//! Group 4 have a decoder of their own.
//!
//! [TIFF 6.0]: https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf

use std::io::Cursor;

use image::{DynamicImage, GrayAlphaImage, GrayImage, RgbImage, RgbaImage};
use tiff::TiffError;
use tiff::decoder::{Decoder, DecodingResult, Limits};

use super::tiff::Tiff;
use super::tiff_fax;

const WIDTH: u16 = 256;
const LENGTH: u16 = 257;
const BITS: u16 = 258;
const COMPRESSION: u16 = 259;
const PHOTOMETRIC: u16 = 262;
const FILL_ORDER: u16 = 266;
const SAMPLES: u16 = 277;
const COLOR_MAP: u16 = 320;
const EXTRA_SAMPLES: u16 = 338;
const SUBSAMPLING: u16 = 530;
/// Kinds of pixels.
const WHITE_IS_ZERO: usize = 0;
const BLACK_IS_ZERO: usize = 1;
const RGB: usize = 2;
const PALETTE: usize = 3;
const MASK: usize = 4;
const SEPARATED: usize = 5;
const YCBCR: usize = 6;
const CIE_LAB: usize = 8;
const ICC_LAB: usize = 9;
/// Compressions whose bytes are never in another order of bits.
const JPEG: [usize; 2] = [6, 7];

/// Why a page cannot be read.
pub(super) enum Problem {
    /// Of a kind that is not read; completes "It has …".
    Unsupported(String),
    Damaged(String),
    TooLarge,
}

impl From<TiffError> for Problem {
    fn from(error: TiffError) -> Self {
        match error {
            TiffError::UnsupportedError(error) => {
                Self::Unsupported(format!("a kind of pixels that is not read ({error})"))
            }
            TiffError::LimitsExceeded => Self::TooLarge,
            error => Self::Damaged(error.to_string()),
        }
    }
}

/// Samples of all pixels, one pixel after the other.
pub(super) struct Samples {
    pub width: u32,
    pub height: u32,
    pub per_pixel: usize,
    pub values: Vec<u16>,
    /// The value that is full.
    pub max: u16,
}

/// The page that the header of the file points to, upright or not. `bytes` are the file, and are changed. `may_hold` decides whether a
/// picture of this width and height is allowed; `max_bytes` limits the decoded bytes.
pub(super) fn decode(
    bytes: &mut [u8],
    directory: usize,
    may_hold: impl Fn(u32, u32) -> bool,
    max_bytes: usize,
) -> Result<DynamicImage, Problem> {
    let tiff = Tiff::of(bytes).ok_or_else(|| Problem::Damaged("its header is damaged".into()))?;
    let number = |tag: u16| tiff.number(directory, tag);
    let side = |tag: u16| number(tag).and_then(|side| u32::try_from(side).ok()).filter(|side| *side > 0);
    let (Some(width), Some(height)) = (side(WIDTH), side(LENGTH)) else {
        return Err(Problem::Damaged("a page has no size".into()));
    };
    if !may_hold(width, height) {
        return Err(Problem::TooLarge);
    }
    let kind = number(PHOTOMETRIC).ok_or_else(|| Problem::Damaged("the kind of its pixels is missing".into()))?;
    let compression = number(COMPRESSION).unwrap_or(1);
    let colors = tiff.shorts(directory, COLOR_MAP);
    let extra = tiff.shorts(directory, EXTRA_SAMPLES);
    let is_bilevel = number(BITS).unwrap_or(1) == 1 && number(SAMPLES).unwrap_or(1) == 1;
    let place = tiff.entry(directory, PHOTOMETRIC).map(|entry| entry + 8);
    let is_little = bytes.starts_with(b"II");
    let is_reversed = number(FILL_ORDER) == Some(2) && !JPEG.contains(&compression);
    let strips = if is_reversed { tiff.strips(directory) } else { Vec::new() };
    let is_subsampled = kind == YCBCR && tiff.shorts(directory, SUBSAMPLING) != [1, 1];
    if is_subsampled && !JPEG.contains(&compression) {
        return Err(Problem::Unsupported(
            "colours at a lower resolution than its brightness, which are read of JPEG only".into(),
        ));
    }
    for strip in strips {
        bytes.get_mut(strip).into_iter().flatten().for_each(|byte| *byte = byte.reverse_bits());
    }
    let samples = match compression {
        2 | 3 if is_bilevel => tiff_fax::decode(bytes, directory, width, height)?,
        _ => {
            if let Some(place) = place.and_then(|place| bytes.get_mut(place..place + 2)) {
                let plain = BLACK_IS_ZERO as u16;
                place.copy_from_slice(&if is_little { plain.to_le_bytes() } else { plain.to_be_bytes() });
            }
            bands(bytes, compression, max_bytes)?
        }
    };
    colored(samples, kind, &colors, &extra)
}

/// The samples of a page whose pixels have no meaning.
fn bands(bytes: &[u8], compression: usize, max_bytes: usize) -> Result<Samples, Problem> {
    if let Some(name) = unread_compression(compression) {
        return Err(Problem::Unsupported(format!("a compression that is not read ({name})")));
    }
    let mut limits = Limits::default();
    limits.decoding_buffer_size = max_bytes;
    limits.intermediate_buffer_size = max_bytes;
    limits.ifd_value_size = max_bytes;
    let mut decoder = Decoder::new(Cursor::new(bytes))?.with_limits(limits);
    let (width, height) = decoder.dimensions()?;
    let (bits, per_pixel) = match decoder.colortype()? {
        tiff::ColorType::Gray(bits) => (bits, 1),
        tiff::ColorType::Multiband { bit_depth, num_samples } => (bit_depth, usize::from(num_samples)),
        other => return Err(Problem::Unsupported(format!("a kind of pixels that is not read ({other:?})"))),
    };
    let mut decoded = DecodingResult::U8(Vec::new());
    let layout = decoder.read_image_to_buffer(&mut decoded)?;
    if decoded.as_buffer(0).byte_len() < layout.complete_len {
        return Err(Problem::TooLarge);
    }
    let planes = layout.planes.max(1);
    let (values, max) = match decoded {
        DecodingResult::U8(packed) if bits < 8 => {
            let per_row = width as usize * per_pixel / planes;
            (unpacked(&packed, per_row, bits), (1 << bits) - 1)
        }
        DecodingResult::U8(values) => (values.into_iter().map(u16::from).collect(), 255),
        DecodingResult::U16(values) => (values, u16::MAX),
        DecodingResult::I8(values) => stretched(values.iter().map(|value| f64::from(*value))),
        DecodingResult::I16(values) => stretched(values.iter().map(|value| f64::from(*value))),
        DecodingResult::U32(values) => stretched(values.iter().map(|value| f64::from(*value))),
        DecodingResult::I32(values) => stretched(values.iter().map(|value| f64::from(*value))),
        DecodingResult::U64(values) => stretched(values.iter().map(|value| *value as f64)),
        DecodingResult::I64(values) => stretched(values.iter().map(|value| *value as f64)),
        DecodingResult::F32(values) => stretched(values.iter().map(|value| f64::from(*value))),
        DecodingResult::F64(values) => stretched(values.iter().copied()),
        DecodingResult::F16(values) => stretched(values.iter().map(|value| f64::from(value.to_f32()))),
    };
    let values = if planes > 1 { interleaved(&values, planes) } else { values };
    Ok(Samples { width, height, per_pixel, values, max })
}

fn unread_compression(compression: usize) -> Option<String> {
    Some(match compression {
        1 | 4 | 5 | 7 | 8 | 32773 | 32946 => return None,
        2 | 3 => "a fax encoding of more than black and white".into(),
        6 => "JPEG as before 1995".into(),
        34661 => "JBIG".into(),
        34712 => "JPEG 2000".into(),
        34925 => "LZMA".into(),
        50000 => "Zstandard".into(),
        50001 => "WebP".into(),
        other => format!("number {other}"),
    })
}

/// Samples of fewer than eight bits; each row begins with a byte.
fn unpacked(packed: &[u8], per_row: usize, bits: u8) -> Vec<u16> {
    let bits = usize::from(bits);
    let row_bytes = (per_row * bits).div_ceil(8).max(1);
    let mut values = Vec::with_capacity(packed.len() * 8 / bits);
    for row in packed.chunks_exact(row_bytes) {
        values.extend((0..per_row).map(|at| {
            let bit = |bit: usize| u16::from(row[bit / 8] >> (7 - bit % 8) & 1);
            (at * bits..(at + 1) * bits).fold(0, |value, at| value << 1 | bit(at))
        }));
    }
    values
}

/// Numbers that have no end: the least of a page is black, and the greatest white.
fn stretched(numbers: impl Iterator<Item = f64> + Clone) -> (Vec<u16>, u16) {
    let finite = || numbers.clone().filter(|number| number.is_finite());
    let (least, greatest) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), number| {
        (least.min(number), greatest.max(number))
    });
    let scale = f64::from(u16::MAX) / (greatest - least).max(f64::MIN_POSITIVE);
    (numbers.map(|number| ((number - least) * scale) as u16).collect(), u16::MAX)
}

fn interleaved(values: &[u16], planes: usize) -> Vec<u16> {
    let length = values.len() / planes;
    (0..length * planes).map(|at| values[at % planes * length + at / planes]).collect()
}

/// The picture that samples of this kind make. `colors` is the palette: all reds, then greens, then blues; `extra` the meanings of the samples
/// behind those of the kind.
fn colored(samples: Samples, kind: usize, colors: &[u16], extra: &[u16]) -> Result<DynamicImage, Problem> {
    let Samples { width, height, per_pixel, values, max } = samples;
    let byte = |value: u16| (u32::from(value) * 255 / u32::from(max.max(1))) as u8;
    let own = match kind {
        WHITE_IS_ZERO | BLACK_IS_ZERO | PALETTE | MASK => 1,
        RGB | YCBCR | CIE_LAB | ICC_LAB => 3,
        SEPARATED => 4,
        _ => return Err(Problem::Unsupported(format!("pixels of kind {kind}, which are not read"))),
    };
    if per_pixel < own || values.len() < width as usize * height as usize * per_pixel {
        return Err(Problem::Damaged("its pixels are incomplete".into()));
    }
    // Of premultiplied colours, which are darker where it shines through, and of plain ones.
    let alpha = matches!(extra.first(), Some(1 | 2)) && per_pixel > own;
    let is_premultiplied = extra.first() == Some(&1);
    let alpha_of = |pixel: &[u16]| if alpha { byte(pixel[own]) } else { 255 };
    let straight = |value: u8, alpha: u8| match alpha {
        0 => value,
        _ if is_premultiplied => (u32::from(value) * 255 / u32::from(alpha)).min(255) as u8,
        _ => value,
    };
    let pixels = values.chunks_exact(per_pixel);
    let picture = if own == 1 && kind != PALETTE {
        let gray = |pixel: &[u16]| byte(if kind == WHITE_IS_ZERO { max - pixel[0].min(max) } else { pixel[0] });
        if alpha {
            let shades = pixels.flat_map(|pixel| [straight(gray(pixel), alpha_of(pixel)), alpha_of(pixel)]);
            GrayAlphaImage::from_raw(width, height, shades.collect()).map(DynamicImage::ImageLumaA8)
        } else {
            GrayImage::from_raw(width, height, pixels.map(gray).collect()).map(DynamicImage::ImageLuma8)
        }
    } else {
        let shades = colors.len() / 3;
        // Some programs write the eight bits of a colour where there should be sixteen.
        let shift = if colors.iter().any(|color| *color > 255) { 8 } else { 0 };
        let color = |pixel: &[u16]| match kind {
            PALETTE => {
                let at = usize::from(pixel[0]).min(shades.saturating_sub(1));
                [0, 1, 2].map(|band| colors.get(at + band * shades).map_or(0, |color| (color >> shift) as u8))
            }
            SEPARATED => {
                let ink = [0, 1, 2, 3].map(|band| 255 - u32::from(byte(pixel[band])));
                [0, 1, 2].map(|band| (ink[band] * ink[3] / 255) as u8)
            }
            YCBCR => of_ycbcr([0, 1, 2].map(|band| f32::from(byte(pixel[band])))),
            CIE_LAB | ICC_LAB => of_lab([0, 1, 2].map(|band| f32::from(byte(pixel[band]))), kind == ICC_LAB),
            _ => [0, 1, 2].map(|band| byte(pixel[band])),
        };
        if alpha {
            let colors = pixels.flat_map(|pixel| {
                let alpha = alpha_of(pixel);
                let [red, green, blue] = color(pixel).map(|value| straight(value, alpha));
                [red, green, blue, alpha]
            });
            RgbaImage::from_raw(width, height, colors.collect()).map(DynamicImage::ImageRgba8)
        } else {
            RgbImage::from_raw(width, height, pixels.flat_map(color).collect()).map(DynamicImage::ImageRgb8)
        }
    };
    picture.ok_or_else(|| Problem::Damaged("its pixels are incomplete".into()))
}

/// Section 21, with the coefficients of CCIR 601 and the full range.
fn of_ycbcr([luma, blue, red]: [f32; 3]) -> [u8; 3] {
    let (blue, red) = (blue - 128.0, red - 128.0);
    [luma + 1.402 * red, luma - 0.344_136 * blue - 0.714_136 * red, luma + 1.772 * blue]
        .map(|value| value.round() as u8)
}

/// Section 23, by way of CIE XYZ with white D65 to sRGB (IEC 61966-2-1). `is_shifted`: the colours are counted from 128 (ICC) instead of signed.
fn of_lab([lightness, a, b]: [f32; 3], is_shifted: bool) -> [u8; 3] {
    let signed = |value: f32| if is_shifted { value - 128.0 } else { f32::from(value as u8 as i8) };
    let y = (lightness * 100.0 / 255.0 + 16.0) / 116.0;
    let linear = |value: f32| if value > 6.0 / 29.0 { value.powi(3) } else { (value - 4.0 / 29.0) * 108.0 / 841.0 };
    let x = 0.950_47 * linear(y + signed(a) / 500.0);
    let z = 1.088_83 * linear(y - signed(b) / 200.0);
    let y = linear(y);
    [
        3.240_45 * x - 1.537_14 * y - 0.498_53 * z,
        -0.969_27 * x + 1.876_01 * y + 0.041_56 * z,
        0.055_64 * x - 0.204_03 * y + 1.057_23 * z,
    ]
    .map(|value| {
        let value = if value <= 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        (value * 255.0).round() as u8
    })
}
