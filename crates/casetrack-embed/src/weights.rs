//! Reading tensors of a memory-mapped safetensors file as `f32`.
//!
//! Tensors are in half or single precision, or in four bits: blocks of 32 values of a row with a scale in half precision, then the
//! values as nibbles, the first half of them in the low ones (Q4_0 of ggml). A table of blocks is of bytes, 18 for each block.

use std::path::{Path, PathBuf};

use candle_core::safetensors::MmapedSafetensors;
use candle_core::{DType, Error as CandleError};
use casetrack_core::Result;
use half::f16;
use half::slice::HalfFloatSliceExt;

use crate::errors::{damaged, unreadable};

/// Values of a block of four bits, and its bytes.
pub const Q4_BLOCK_VALUES: usize = 32;
pub const Q4_BLOCK_BYTES: usize = 18;

/// A safetensors file of half- or single-precision tensors, mapped into memory.
pub struct Weights {
    path: PathBuf,
    file: MmapedSafetensors,
}

impl Weights {
    /// Maps the file and reads its header; tensor data is read on demand.
    pub fn open(path: &Path) -> Result<Self> {
        // A missing file and a damaged one are different errors, which candle does not distinguish.
        std::fs::File::open(path).map_err(|error| unreadable(path, error))?;
        // SAFETY: the mapping is only read, and its bytes are interpreted as floats, for which every pattern is valid. Should
        // another program change the file meanwhile, wrong vectors result; should it cut it short, the process gets SIGBUS.
        // CaseTrack itself never writes to a model file.
        let file = unsafe { MmapedSafetensors::new(path) }.map_err(|error| damaged(path, error))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// True if there is a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        self.file.get(name).is_ok()
    }

    /// A whole tensor in row-major order, which must have this shape.
    pub fn load(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        Ok(self.table(name, shape)?.all())
    }

    /// A tensor of rows to read one at a time, which must have this shape.
    pub fn table(&self, name: &str, shape: &[usize]) -> Result<Table<'_>> {
        let view = self.file.get(name).map_err(|_| damaged(&self.path, format!("it has no tensor {name}")))?;
        let is_blocks = view.shape() == in_blocks(shape) && matches!(DType::try_from(view.dtype()), Ok(DType::U8));
        if is_blocks {
            return Ok(Table { bytes: view.data(), encoding: Encoding::Q4 });
        }
        if view.shape() != shape {
            let problem = format!("tensor {name} has shape {:?}, config.json asks for {shape:?}", view.shape());
            return Err(damaged(&self.path, problem));
        }
        match DType::try_from(view.dtype()) {
            Ok(DType::F16) => Ok(Table { bytes: view.data(), encoding: Encoding::Half }),
            Ok(DType::F32) => Ok(Table { bytes: view.data(), encoding: Encoding::Single }),
            _ => Err(damaged(
                &self.path,
                format!("tensor {name} is {:?}, neither F16 nor F32 nor blocks of four bits", view.dtype()),
            )),
        }
    }

    /// The bytes of a tensor that is no table of numbers.
    pub fn bytes(&self, name: &str) -> Result<&[u8]> {
        let view = self.file.get(name).map_err(|_| damaged(&self.path, format!("it has no tensor {name}")))?;
        Ok(view.data())
    }
}

/// The shape of a table in blocks of four bits.
fn in_blocks(shape: &[usize]) -> Vec<usize> {
    let mut shape = shape.to_vec();
    if let Some(columns) = shape.last_mut() {
        *columns =
            if columns.is_multiple_of(Q4_BLOCK_VALUES) { *columns / Q4_BLOCK_VALUES * Q4_BLOCK_BYTES } else { 0 };
    }
    shape
}

/// The bytes of one tensor, little-endian.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    bytes: &'a [u8],
    encoding: Encoding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Half,
    Single,
    Q4,
}

impl Encoding {
    /// Bytes of this number of values.
    fn bytes(self, values: usize) -> usize {
        match self {
            Self::Half => values * 2,
            Self::Single => values * 4,
            Self::Q4 => values / Q4_BLOCK_VALUES * Q4_BLOCK_BYTES,
        }
    }
}

impl Table<'_> {
    /// All values, in row-major order.
    pub fn all(&self) -> Vec<f32> {
        let count = match self.encoding {
            Encoding::Half => self.bytes.len() / 2,
            Encoding::Single => self.bytes.len() / 4,
            Encoding::Q4 => self.bytes.len() / Q4_BLOCK_BYTES * Q4_BLOCK_VALUES,
        };
        let mut values = vec![0f32; count];
        self.convert(self.bytes, &mut values);
        values
    }

    /// Writes row `index` of `row.len()` values to `row`; an error if the table has no such row.
    pub fn read_row(&self, index: usize, row: &mut [f32]) -> Result<(), CandleError> {
        let size = self.encoding.bytes(row.len());
        let bytes = index.checked_mul(size).and_then(|start| self.bytes.get(start..)?.get(..size));
        let bytes = bytes.ok_or_else(|| CandleError::msg(format!("no row {index} in the embedding table")))?;
        self.convert(bytes, row);
        Ok(())
    }

    fn convert(&self, bytes: &[u8], values: &mut [f32]) {
        if self.encoding == Encoding::Q4 {
            for (values, block) in values.chunks_mut(Q4_BLOCK_VALUES).zip(bytes.as_chunks::<Q4_BLOCK_BYTES>().0) {
                dequantise(block, values);
            }
        } else if self.encoding == Encoding::Half {
            // In blocks: half converts whole slices with the CPU's instruction for it, single values one by one.
            let mut block = [f16::ZERO; 256];
            for (values, bytes) in values.chunks_mut(block.len()).zip(bytes.chunks(2 * block.len())) {
                for (half, bytes) in block.iter_mut().zip(bytes.as_chunks::<2>().0) {
                    *half = f16::from_le_bytes(*bytes);
                }
                block[..values.len()].convert_to_f32_slice(values);
            }
        } else {
            for (value, bytes) in values.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *value = f32::from_le_bytes(*bytes);
            }
        }
    }
}

/// The values of one block.
fn dequantise(block: &[u8; Q4_BLOCK_BYTES], values: &mut [f32]) {
    let [low, high, nibbles @ ..] = block;
    let scale = f16::from_le_bytes([*low, *high]).to_f32();
    let value = |nibble: u8| (f32::from(nibble) - 8.0) * scale;
    let (first, second) = values.split_at_mut(nibbles.len().min(values.len()));
    for ((first, second), byte) in first.iter_mut().zip(second).zip(nibbles) {
        (*first, *second) = (value(byte & 0x0f), value(byte >> 4));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::{Device, Tensor};
    use casetrack_core::ErrorCode;
    use std::collections::HashMap;

    fn file_with(tensors: &[(&str, Tensor)]) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("model.safetensors");
        let map: HashMap<String, Tensor> =
            tensors.iter().map(|(name, tensor)| ((*name).into(), tensor.clone())).collect();
        candle_core::safetensors::save(&map, &path).unwrap();
        (dir, path)
    }

    #[test]
    fn both_precisions_are_read_whole_and_by_row() {
        let values: Vec<f32> = (0..3 * 300).map(|x| x as f32 * 0.25).collect();
        let tensor = Tensor::from_vec(values.clone(), (3, 300), &Device::Cpu).unwrap();
        let (_dir, path) = file_with(&[("half", tensor.to_dtype(DType::F16).unwrap()), ("single", tensor)]);
        let weights = Weights::open(&path).unwrap();
        for name in ["half", "single"] {
            assert_eq!(weights.load(name, &[3, 300]).unwrap(), values);
            let mut row = vec![0f32; 300];
            weights.table(name, &[3, 300]).unwrap().read_row(2, &mut row).unwrap();
            assert_eq!(row, values[600..]);
            assert!(weights.table(name, &[3, 300]).unwrap().read_row(3, &mut row).is_err());
        }
    }

    #[test]
    fn blocks_of_four_bits_are_read_whole_and_by_row() {
        // Two rows of one block: scales 0.5 and 2, nibbles 0 to 15 and again.
        let mut bytes = Vec::new();
        for scale in [0.5f32, 2.0] {
            bytes.extend(f16::from_f32(scale).to_le_bytes());
            bytes.extend((0u8..16).map(|nibble| nibble | (15 - nibble) << 4));
        }
        let tensor = Tensor::from_vec(bytes, (2, 18), &Device::Cpu).unwrap();
        let (_dir, path) = file_with(&[("blocks", tensor)]);
        let weights = Weights::open(&path).unwrap();
        let row = |scale: f32| (0..16).chain((0..16).rev()).map(move |n| (n as f32 - 8.0) * scale);
        let expected: Vec<f32> = row(0.5).chain(row(2.0)).collect();
        assert_eq!(weights.load("blocks", &[2, 32]).unwrap(), expected);
        let mut second = vec![0f32; 32];
        weights.table("blocks", &[2, 32]).unwrap().read_row(1, &mut second).unwrap();
        assert_eq!(second, expected[32..]);
        assert!(weights.load("blocks", &[2, 33]).is_err() && weights.load("blocks", &[2, 18]).is_err());
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        let (dir, path) = file_with(&[("ids", Tensor::zeros((2, 2), DType::U32, &Device::Cpu).unwrap())]);
        let weights = Weights::open(&path).unwrap();
        for (name, shape) in [("absent", [2, 2]), ("ids", [3, 2]), ("ids", [2, 2])] {
            let error = weights.load(name, &shape).unwrap_err();
            assert_eq!(error.code, ErrorCode::Corrupt);
            assert!(error.message.contains(name) && error.hint.is_some());
        }
        let missing = Weights::open(&dir.path().join("nothing")).err().unwrap();
        assert_eq!(missing.code, ErrorCode::MissingDependency);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert_eq!(Weights::open(&path).err().unwrap().code, ErrorCode::Corrupt);
    }
}
