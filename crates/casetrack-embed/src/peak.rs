//! The speed at which this machine multiplies matrices, as the measure for the speed of an encoder.

use std::thread;
use std::time::{Duration, Instant};

use candle_core::{Device, Tensor};
use casetrack_core::Result;

use crate::errors::computation;
use crate::kernels::Arch;
use crate::kernels::matmul::{Output, PackedMatrix, Rows, matmul};

/// The shape of the largest product of a small BERT: a block of tokens with the feed-forward network's first matrix.
const ROWS: usize = 1024;
const WIDTH: usize = 384;
const COLUMNS: usize = 1536;

/// How long each product is repeated.
const PERIOD: Duration = Duration::from_millis(500);

/// Billions of floating-point operations a second (a multiplication with its addition counted as two) in products of `f32`
/// matrices of 1024 × 384 and 384 × 1536.
#[derive(Debug, Clone, Copy)]
pub struct MatmulPeak {
    /// This crate's kernel, with each thread computing its own products.
    pub kernel: f64,
    /// Of candle's product, which divides one product among the cores.
    pub candle: f64,
}

/// Measures for about a second on an otherwise idle machine.
pub fn measure_matmul_peak(threads: usize) -> Result<MatmulPeak> {
    let alone = || {
        let mut packed = PackedMatrix::new(Arch::new());
        packed.pack_transposed(&vec![0.5; COLUMNS * WIDTH], WIDTH, COLUMNS, WIDTH);
        let (data, mut out) = (vec![0.5f32; ROWS * WIDTH], vec![0f32; ROWS * COLUMNS]);
        let rows = Rows { data: &data, stride: WIDTH, count: ROWS };
        operations_per_second(|| {
            matmul(rows, &packed, Output::Overwrite, &mut out, COLUMNS);
            Ok(())
        })
    };
    let kernel = thread::scope(|scope| {
        let running: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(alone)).collect();
        let rates = running.into_iter().map(|thread| thread.join().unwrap_or(Ok(0.0)));
        rates.sum::<candle_core::Result<f64>>()
    });
    let candle = || -> candle_core::Result<f64> {
        let left = Tensor::full(0.5f32, (ROWS, WIDTH), &Device::Cpu)?;
        let right = Tensor::full(0.5f32, (WIDTH, COLUMNS), &Device::Cpu)?;
        operations_per_second(|| left.matmul(&right).map(drop))
    };
    let (kernel, candle) = (kernel.map_err(computation)?, candle().map_err(computation)?);
    Ok(MatmulPeak { kernel: kernel / 1e9, candle: candle / 1e9 })
}

fn operations_per_second(mut product: impl FnMut() -> candle_core::Result<()>) -> candle_core::Result<f64> {
    product()?;
    let started = Instant::now();
    let mut count = 0;
    while started.elapsed() < PERIOD {
        product()?;
        count += 1;
    }
    Ok((count * 2 * ROWS * WIDTH * COLUMNS) as f64 / started.elapsed().as_secs_f64())
}
