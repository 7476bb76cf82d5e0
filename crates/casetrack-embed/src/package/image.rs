use std::collections::BTreeMap;

use crate::unigram::Special;

/// First bytes of the file.
pub const MAGIC: &[u8; 4] = b"E5S1";
/// Weights that have a scale in common (Q4_0).
const BLOCK: u32 = 32;
/// Largest length of a piece or of the name of a tensor, to keep the arithmetic far from overflow.
const MAX_COUNT: u32 = 1 << 24;

pub struct Image<'b> {
    pub hidden: u32,
    pub layers: u32,
    pub heads: u32,
    pub intermediate: u32,
    pub vocabulary: u32,
    pub positions: u32,
    pub token_types: u32,
    pub epsilon: f32,
    pub special: Special,
    /// The start of each piece in `pieces`, and the end of the last one, as little-endian numbers of 32 bits.
    pub offsets: &'b [u8],
    pub scores: &'b [u8],
    pub pieces: &'b [u8],
    pub characters: Vec<(u32, Vec<u32>)>,
    pub tensors: BTreeMap<String, Tensor<'b>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tensor<'b> {
    /// In blocks of Q4_0; otherwise `f32`, little-endian.
    pub quantised: bool,
    pub values: u32,
    pub bytes: &'b [u8],
}

impl<'b> Image<'b> {
    /// Reads the whole file; the error describes the fault.
    pub fn read(file: &'b [u8]) -> Result<Self, &'static str> {
        let mut rest = Rest(file);
        if rest.take(4)? != MAGIC || rest.number()? != 1 {
            return Err("it is not of this kind");
        }
        let [hidden, layers, heads, intermediate, vocabulary, positions, token_types, epsilon, block] =
            rest.numbers()?;
        if block != BLOCK {
            return Err("its blocks have another size");
        }
        let [count, begin, end, padding, unknown] = rest.numbers()?;
        let length = rest.long()?;
        if count > MAX_COUNT {
            return Err("its vocabulary is too large");
        }
        let offsets = rest.take(4 * (u64::from(count) + 1))?;
        let scores = rest.take(4 * u64::from(count))?;
        let pieces = rest.take(length)?;
        let replaced = rest.number()?;
        rest.number()?;
        let characters = (0..replaced).map(|_| rest.character()).collect::<Result<_, _>>()?;
        let tensors = (0..rest.number()?).map(|_| rest.tensor(file)).collect::<Result<_, _>>()?;
        let special = Special { begin, end, padding, unknown };
        Ok(Self {
            epsilon: f32::from_bits(epsilon),
            hidden,
            layers,
            heads,
            intermediate,
            vocabulary,
            positions,
            token_types,
            special,
            offsets,
            scores,
            pieces,
            characters,
            tensors,
        })
    }
}

struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn character(&mut self) -> Result<(u32, Vec<u32>), &'static str> {
        let from = self.number()?;
        let many = self.take(1)?.first().copied().unwrap_or_default();
        Ok((from, (0..many).map(|_| self.number()).collect::<Result<_, _>>()?))
    }

    fn tensor(&mut self, file: &'b [u8]) -> Result<(String, Tensor<'b>), &'static str> {
        let name = u16::from_le_bytes(self.array()?);
        let name = String::from_utf8_lossy(self.take(u64::from(name))?).into_owned();
        let quantised = match self.take(1)? {
            [0] => false,
            [1] => true,
            _ => return Err("a tensor is of an unknown kind"),
        };
        let values = self.number()?;
        let (from, length) = (self.long()?, self.long()?);
        let bytes = usize::try_from(from).ok().and_then(|from| file.get(from..)?.get(..usize::try_from(length).ok()?));
        let bytes = bytes.ok_or("a tensor is beyond its end")?;
        let expected = if quantised { u64::from(values) / 32 * 18 } else { u64::from(values) * 4 };
        if length != expected {
            return Err("a tensor has another length than its values");
        }
        Ok((name, Tensor { quantised, values, bytes }))
    }

    fn take(&mut self, length: u64) -> Result<&'b [u8], &'static str> {
        let length = usize::try_from(length).ok().filter(|length| *length <= self.0.len()).ok_or("it ends early")?;
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        self.take(N as u64)?.try_into().map_err(|_| "it ends early")
    }

    fn number(&mut self) -> Result<u32, &'static str> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn numbers<const N: usize>(&mut self) -> Result<[u32; N], &'static str> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Ok(numbers)
    }

    fn long(&mut self) -> Result<u64, &'static str> {
        Ok(u64::from_le_bytes(self.array()?))
    }
}
