//! Faxes of Group 3 and "CCITT RLE" in a TIFF ([TIFF 6.0], sections 10 and 11; ITU-T T.4).
//!
//! [TIFF 6.0]: https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf

use hayro_ccitt::{DecodeSettings, DecoderContext, EncodingMode};

use super::tiff::Tiff;
use super::tiff_samples::{Problem, Samples};

const COMPRESSION: u16 = 259;
const ROWS_PER_STRIP: u16 = 278;
const T4_OPTIONS: u16 = 292;
/// Compression 2: lines of runs that begin with a byte, without marks at their ends.
const RLE: usize = 2;
/// Bit of `T4_OPTIONS`: lines refer to those above them.
const TWO_DIMENSIONAL: usize = 1;

/// The page in black and white: 1 is the black of the fax. Lines that are missing at the end of a strip stay white, because faxes are cut off in
/// transmission.
pub(super) fn decode(bytes: &[u8], directory: usize, width: u32, height: u32) -> Result<Samples, Problem> {
    let tiff = Tiff::of(bytes).ok_or_else(|| Problem::Damaged("its header is damaged".into()))?;
    let number = |tag: u16| tiff.number(directory, tag);
    let is_plain = number(COMPRESSION) == Some(RLE);
    let is_two_dimensional = number(T4_OPTIONS).unwrap_or(0) & TWO_DIMENSIONAL != 0;
    let per_strip =
        number(ROWS_PER_STRIP).map_or(height, |rows| u32::try_from(rows).unwrap_or(height)).clamp(1, height);
    let mut page = Page { width: width as usize, values: vec![0; width as usize * height as usize], row: 0 };
    let mut damage = None;
    for (strip, first_row) in tiff.strips(directory).into_iter().zip((0..height).step_by(per_strip as usize)) {
        let settings = DecodeSettings {
            columns: width,
            rows: per_strip.min(height - first_row),
            end_of_block: !is_plain,
            end_of_line: false,
            rows_are_byte_aligned: is_plain,
            encoding: if is_two_dimensional { EncodingMode::Group3_2D } else { EncodingMode::Group3_1D },
            strict: false,
        };
        page.row = first_row as usize;
        let strip = bytes.get(strip).unwrap_or_default();
        let outcome = hayro_ccitt::decode(strip, &mut page, &mut DecoderContext::new(settings));
        damage = damage.or(outcome.err().filter(|_| page.row == first_row as usize));
    }
    match damage {
        Some(error) if page.values.iter().all(|value| *value == 0) => Err(Problem::Damaged(error.to_string())),
        _ => Ok(Samples { width, height, per_pixel: 1, values: page.values, max: 1 }),
    }
}

struct Page {
    width: usize,
    values: Vec<u16>,
    row: usize,
}

impl hayro_ccitt::Decoder for Page {
    fn push_row(&mut self, changes: &[u32]) {
        let start = self.row * self.width;
        if let Some(row) = self.values.get_mut(start..start + self.width) {
            for black in changes.chunks(2) {
                let end = black.get(1).map_or(self.width, |end| *end as usize);
                row.get_mut(black[0] as usize..end).into_iter().flatten().for_each(|value| *value = 1);
            }
        }
        self.row += 1;
    }
}
