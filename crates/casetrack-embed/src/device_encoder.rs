//! The encoder in candle's elementary operations, for a GPU (features `cuda` and `metal`).
//!
//! The sequences of a batch run one after another, so that nothing is padded.

use candle_core::{D, Device, Result as CandleResult, Tensor};
use casetrack_core::Result;

use crate::architectures::EncoderConfig;
use crate::batch::TokenBatch;
use crate::encoder::Source;
use crate::errors::computation;
use crate::kernels::layer_norm::LayerNorm;

/// An encoder's layers on a device.
pub struct DeviceEncoder {
    device: Device,
    layers: Vec<DeviceLayer>,
}

struct DeviceLayer {
    query: DeviceLinear,
    key: DeviceLinear,
    value: DeviceLinear,
    attention_output: DeviceLinear,
    attention_norm: DeviceNorm,
    up: DeviceLinear,
    down: DeviceLinear,
    output_norm: DeviceNorm,
}

/// The first GPU that the program was built for, if there is one.
pub fn gpu() -> Option<Device> {
    let found = if cfg!(feature = "cuda") {
        Device::new_cuda(0)
    } else if cfg!(feature = "metal") {
        Device::new_metal(0)
    } else {
        return None;
    };
    found.inspect_err(|error| tracing::warn!(%error, "no GPU, computing on the CPU")).ok()
}

impl DeviceEncoder {
    /// Copies the layers' weights to the device, 4 bytes each.
    pub fn load(source: &Source<'_>, device: Device) -> Result<Self> {
        let EncoderConfig { hidden, intermediate, layers, .. } = *source.config;
        let names = source.names;
        let layer = |number: usize| {
            let linear = |part: &str, rows: usize, columns: usize| -> Result<DeviceLinear> {
                let name = source.layer_name(number, part);
                let (weight, bias) = (source.matrix(&name, rows, columns)?, source.bias(&name, rows)?);
                DeviceLinear::new(weight, bias, columns, &device).map_err(computation)
            };
            let norm = |part: &str| -> Result<DeviceNorm> {
                let norm = source.norm(&source.layer_name(number, part))?;
                DeviceNorm::new(norm, &device).map_err(computation)
            };
            Ok(DeviceLayer {
                query: linear(names.query, hidden, hidden)?,
                key: linear(names.key, hidden, hidden)?,
                value: linear(names.value, hidden, hidden)?,
                attention_output: linear(names.attention_output, hidden, hidden)?,
                attention_norm: norm(names.attention_norm)?,
                up: linear(names.up, intermediate, hidden)?,
                down: linear(names.down, hidden, intermediate)?,
                output_norm: norm(names.output_norm)?,
            })
        };
        let layers = (0..layers).map(layer).collect::<Result<_>>()?;
        Ok(Self { device, layers })
    }

    /// From embedded tokens to the last layer's states, both `[tokens, hidden]` in main memory.
    pub fn forward(&self, embedded: &Tensor, heads: usize, batch: &TokenBatch) -> CandleResult<Tensor> {
        let run = |(range, &visible): (std::ops::Range<usize>, &usize)| {
            let mut states = embedded.narrow(0, range.start, range.len())?.to_device(&self.device)?;
            for layer in &self.layers {
                states = layer.forward(&states, heads, visible)?;
            }
            states.to_device(&Device::Cpu)
        };
        let of_sequences = batch.ranges().zip(batch.visible()).filter(|(range, _)| !range.is_empty()).map(run);
        Tensor::cat(&of_sequences.collect::<CandleResult<Vec<_>>>()?, 0)
    }
}

impl DeviceLayer {
    fn forward(&self, states: &Tensor, heads: usize, visible: usize) -> CandleResult<Tensor> {
        let (tokens, hidden) = states.dims2()?;
        let split = |linear: &DeviceLinear, from: &Tensor| {
            let rows = from.dim(0)?;
            linear.apply(from)?.reshape((rows, heads, hidden / heads))?.transpose(0, 1)?.contiguous()
        };
        let seen = states.narrow(0, 0, visible)?;
        let (query, key, value) = (split(&self.query, states)?, split(&self.key, &seen)?, split(&self.value, &seen)?);
        let scores = (query.matmul(&key.t()?.contiguous()?)? / ((hidden / heads) as f64).sqrt())?;
        let numerators = scores.broadcast_sub(&scores.max_keepdim(D::Minus1)?)?.exp()?;
        let weights = numerators.broadcast_div(&numerators.sum_keepdim(D::Minus1)?)?;
        let context = weights.matmul(&value)?.transpose(0, 1)?.reshape((tokens, hidden))?;
        let attended = self.attention_norm.apply(&(self.attention_output.apply(&context)? + states)?)?;
        let inner = self.up.apply(&attended)?.gelu_erf()?;
        self.output_norm.apply(&(self.down.apply(&inner)? + attended)?)
    }
}

struct DeviceLinear {
    /// `[in, out]`
    weight: Tensor,
    bias: Tensor,
}

impl DeviceLinear {
    fn new(weight: Vec<f32>, bias: Vec<f32>, columns: usize, device: &Device) -> CandleResult<Self> {
        let weight = Tensor::from_vec(weight, (bias.len(), columns), device)?.t()?.contiguous()?;
        Ok(Self { weight, bias: Tensor::new(bias, device)? })
    }

    fn apply(&self, x: &Tensor) -> CandleResult<Tensor> {
        x.matmul(&self.weight)?.broadcast_add(&self.bias)
    }
}

struct DeviceNorm {
    gamma: Tensor,
    beta: Tensor,
    epsilon: f64,
}

impl DeviceNorm {
    fn new(norm: LayerNorm, device: &Device) -> CandleResult<Self> {
        let (gamma, beta) = (Tensor::new(norm.gamma, device)?, Tensor::new(norm.beta, device)?);
        Ok(Self { gamma, beta, epsilon: f64::from(norm.epsilon) })
    }

    fn apply(&self, x: &Tensor) -> CandleResult<Tensor> {
        let centred = x.broadcast_sub(&x.mean_keepdim(1)?)?;
        let deviation = (centred.sqr()?.mean_keepdim(1)? + self.epsilon)?.sqrt()?;
        centred.broadcast_div(&deviation)?.broadcast_mul(&self.gamma)?.broadcast_add(&self.beta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::ModelProfile;
    use crate::model::Model;
    use crate::outputs::Outputs;
    use crate::precision::Precision;
    use crate::testing::vendored;

    #[test]
    fn equals_the_encoder_of_the_cpu() {
        let manifest = vendored();
        let spec = manifest.that_makes(Outputs::SPARSE, ModelProfile::Compact).unwrap();
        let model = Model::load(&manifest, spec, Precision::Float32).unwrap();
        let encoder = model.encoder();
        let batch = TokenBatch::new(&[vec![101, 2003, 4721, 103, 103], vec![101, 102], (1000..1100).collect()]);
        let batch = batch.with_unseen_tail(103);
        let elementary = DeviceEncoder::load(&encoder.source(), Device::Cpu).unwrap();
        let found = elementary.forward(&encoder.embed(&batch).unwrap(), encoder.config().heads, &batch).unwrap();
        let expected = encoder.forward(&batch).unwrap();
        let difference = (found - expected).unwrap().abs().unwrap().max_all().unwrap().to_scalar::<f32>().unwrap();
        assert!(difference < 1e-4, "{difference}");
    }
}
