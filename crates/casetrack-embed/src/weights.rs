//! Reading tensors of a memory-mapped safetensors file as `f32`.
//!
//! Tensors are in half or single precision, or in four bits: blocks of 32 values of a row with a scale in half precision, then the
//! values as nibbles, the first half of them in the low ones (Q4_0 of ggml). A table of blocks is of bytes, 18 for each block.

use std::fs::File;
use std::path::{Path, PathBuf};

use casetrack_core::{Error, Result};
use half::f16;
use half::slice::HalfFloatSliceExt;
use memmap2::Mmap;
use safetensors::tensor::{Metadata, TensorInfo};
use safetensors::{Dtype, SafeTensors};

use crate::errors::{damaged, unreadable};

/// Values of a block of four bits, and its bytes.
pub const Q4_BLOCK_VALUES: usize = 32;
pub const Q4_BLOCK_BYTES: usize = 18;

/// A safetensors file of half- or single-precision tensors, mapped into memory.
pub struct Weights {
    path: PathBuf,
    file: Mmap,
    header: Metadata,
    /// Offset of the tensors in the file.
    data: usize,
}

impl Weights {
    /// Maps the file and reads its header; tensor data is read on demand.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| unreadable(path, error))?;
        // SAFETY: the mapping is only read, and its bytes are interpreted as floats, for which every pattern is valid. Should
        // another program change the file meanwhile, wrong vectors result; should it cut it short, the process gets SIGBUS.
        // CaseTrack itself never writes to a model file.
        let file = unsafe { Mmap::map(&file) }.map_err(|error| damaged(path, error))?;
        let (length, header) = SafeTensors::read_metadata(&file).map_err(|error| damaged(path, error))?;
        Ok(Self { path: path.to_owned(), file, header, data: size_of::<u64>() + length })
    }

    pub fn has(&self, name: &str) -> bool {
        self.header.info(name).is_some()
    }

    /// A whole tensor in row-major order, which must have this shape.
    pub fn load(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        Ok(self.table(name, shape)?.all())
    }

    /// A tensor of rows to read one at a time, which must have this shape.
    pub fn table(&self, name: &str, shape: &[usize]) -> Result<Table<'_>> {
        let (TensorInfo { dtype, shape: found, .. }, bytes) = self.tensor(name)?;
        if *dtype == Dtype::U8 && *found == in_blocks(shape) {
            return Ok(Table { bytes, encoding: Encoding::Q4 });
        }
        if found != shape {
            let problem = format!("tensor {name} has shape {found:?}, config.json asks for {shape:?}");
            return Err(damaged(&self.path, problem));
        }
        match dtype {
            Dtype::F16 => Ok(Table { bytes, encoding: Encoding::Half }),
            Dtype::F32 => Ok(Table { bytes, encoding: Encoding::Single }),
            _ => Err(damaged(
                &self.path,
                format!("tensor {name} is {dtype:?}, neither F16 nor F32 nor blocks of four bits"),
            )),
        }
    }

    pub fn bytes(&self, name: &str) -> Result<&[u8]> {
        Ok(self.tensor(name)?.1)
    }

    fn tensor(&self, name: &str) -> Result<(&TensorInfo, &[u8])> {
        let info = self.header.info(name);
        let info = info.ok_or_else(|| damaged(&self.path, format!("it has no tensor {name}")))?;
        let (start, end) = info.data_offsets;
        Ok((info, &self.file[self.data + start..self.data + end]))
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
    pub fn read_row(&self, index: usize, row: &mut [f32]) -> Result<()> {
        let size = self.encoding.bytes(row.len());
        let bytes = index.checked_mul(size).and_then(|start| self.bytes.get(start..)?.get(..size));
        let bytes = bytes.ok_or_else(|| Error::internal(format!("The embedding table has no row {index}")))?;
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
    use crate::testing::{single_bytes, write_tensors};
    use casetrack_core::ErrorCode;

    fn file_with(tensors: Vec<(&str, Dtype, &[usize], Vec<u8>)>) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("model.safetensors");
        write_tensors(&path, tensors);
        (dir, path)
    }

    #[test]
    fn both_precisions_are_read_whole_and_by_row() {
        let values: Vec<f32> = (0..3 * 300).map(|x| x as f32 * 0.25).collect();
        let halves = values.iter().flat_map(|&value| f16::from_f32(value).to_le_bytes()).collect();
        let single = ("single", Dtype::F32, &[3, 300][..], single_bytes(&values));
        let (_dir, path) = file_with(vec![("half", Dtype::F16, &[3, 300], halves), single]);
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
        let (_dir, path) = file_with(vec![("blocks", Dtype::U8, &[2, 18], bytes)]);
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
        let (dir, path) = file_with(vec![("ids", Dtype::U32, &[2, 2], vec![0; 16])]);
        let weights = Weights::open(&path).unwrap();
        for (name, shape) in [("absent", [2, 2]), ("ids", [3, 2]), ("ids", [2, 2])] {
            let error = weights.load(name, &shape).unwrap_err();
            assert_eq!(error.code, ErrorCode::Corrupt);
            assert!(error.message.contains(name) && error.hint.is_some());
        }
        let missing = Weights::open(&dir.path().join("nothing")).err().unwrap();
        assert_eq!(missing.code, ErrorCode::MissingDependency);
        // Windows changes no file that is mapped into memory.
        drop(weights);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert_eq!(Weights::open(&path).err().unwrap().code, ErrorCode::Corrupt);
    }
}
