//! JPEG 2000 (ISO/IEC 15444-1), as a file or as a bare code stream.

use hayro_jpeg2000::{ColorSpace, DecodeSettings, DecoderContext, Image};
use image::{DynamicImage, GrayAlphaImage, GrayImage, RgbImage, RgbaImage};

use super::tiff_samples::Problem;

const SIGNATURES: [&[u8]; 2] = [b"\0\0\0\x0CjP  \r\n\x87\n", b"\xFF\x4F\xFF\x51"];

pub(super) fn is_jpeg2000(bytes: &[u8]) -> bool {
    SIGNATURES.iter().any(|signature| bytes.starts_with(signature))
}

/// The picture; `may_hold` is asked whether one of this width and height is allowed.
pub(super) fn decode(bytes: &[u8], may_hold: impl Fn(u32, u32) -> bool) -> Result<DynamicImage, Problem> {
    let damaged = |error: hayro_jpeg2000::DecodeError| Problem::Damaged(error.to_string());
    let image = Image::new(bytes, &DecodeSettings::default()).map_err(damaged)?;
    let (width, height) = (image.width(), image.height());
    if !may_hold(width, height) {
        return Err(Problem::TooLarge);
    }
    let channels = usize::from(image.color_space().num_channels());
    let is_ink = matches!(image.color_space(), ColorSpace::CMYK) || channels == 4;
    let has_alpha = image.has_alpha();
    let mut context = DecoderContext::default();
    let decoded = image.decode(&mut context).map_err(damaged)?;
    let pixels = decoded.data_u8();
    let picture = match (channels, has_alpha) {
        (1, false) => GrayImage::from_raw(width, height, pixels).map(DynamicImage::ImageLuma8),
        (1, true) => GrayAlphaImage::from_raw(width, height, pixels).map(DynamicImage::ImageLumaA8),
        (3, false) => RgbImage::from_raw(width, height, pixels).map(DynamicImage::ImageRgb8),
        (3, true) => RgbaImage::from_raw(width, height, pixels).map(DynamicImage::ImageRgba8),
        _ if is_ink => {
            let colors = pixels.chunks_exact(4 + usize::from(has_alpha)).flat_map(|ink| {
                let light = |band: usize| 255 - u32::from(ink[band]);
                [0, 1, 2].map(|band| (light(band) * light(3) / 255) as u8)
            });
            RgbImage::from_raw(width, height, colors.collect()).map(DynamicImage::ImageRgb8)
        }
        _ => return Err(Problem::Unsupported(format!("{channels} channels of colour, which are not read"))),
    };
    picture.ok_or_else(|| Problem::Damaged("its pixels are incomplete".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight by eight pixels, of which the left half is black: written by OpenJPEG 2.5.4.
    const JP2: &str = "0000000c6a5020200d0a870a00000014667479706a703220000000006a7032200000002d6a7032680000001669686472000000080000\
        00080001070700000000000f636f6c7201000000000011000000a26a703263ff4fff51002900000000000800000008000000000000000000000008000000\
        0800000000000000000001070101ff52000c00000001000304040001ff5c000d4040484850484850484850ff640025000143726561746564206279204f70\
        656e4a5045472076657273696f6e20322e352e34ff90000a0000000000270001ff93cfb408073fdf98100493cfc0140940b33ae7c7da0600172bbcffd9";

    fn bytes() -> Vec<u8> {
        let digits: Vec<u8> = JP2.bytes().filter(u8::is_ascii_hexdigit).collect();
        digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
    }

    #[test]
    fn files_and_bare_code_streams_are_decoded() {
        let file = bytes();
        let stream = file.windows(4).position(|window| window == b"\xFF\x4F\xFF\x51").unwrap();
        for bytes in [&file[..], &file[stream..]] {
            assert!(is_jpeg2000(bytes));
            let image = decode(bytes, |_, _| true).unwrap_or_else(|_| panic!("it is sound")).to_luma8();
            assert_eq!((image.dimensions(), image.get_pixel(1, 1).0, image.get_pixel(6, 6).0), ((8, 8), [0], [255]));
        }
        assert!(matches!(decode(&file, |width, _| width < 8), Err(Problem::TooLarge)));
    }

    #[test]
    fn damaged_files_are_errors() {
        let file = bytes();
        for length in 12..file.len() {
            // A truncated file may still show the picture.
            let _ = decode(&file[..length], |_, _| true);
        }
        assert!(matches!(decode(&file[..100], |_, _| true), Err(Problem::Damaged(_))));
    }
}
