use std::thread;
use std::time::{Duration, Instant};

use crate::kernels::Arch;
use crate::kernels::matmul::{Output, PackedMatrix, Rows, matmul};

/// The shape of the largest product of a small BERT: a block of tokens with the feed-forward network's first matrix.
const ROWS: usize = 1024;
const WIDTH: usize = 384;
const COLUMNS: usize = 1536;

/// How long the product is repeated.
const PERIOD: Duration = Duration::from_millis(500);

/// Billions of floating-point operations a second (a multiplication with its addition counted as two) of this crate's
/// kernel in products of `f32` matrices of 1024 × 384 and 384 × 1536, with each thread computing its own products.
///
/// Measures for half a second on an otherwise idle machine.
pub fn measure_matmul_peak(threads: usize) -> f64 {
    let rate = thread::scope(|scope| {
        let running: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(operations_per_second)).collect();
        running.into_iter().map(|thread| thread.join().unwrap_or(0.0)).sum::<f64>()
    });
    rate / 1e9
}

fn operations_per_second() -> f64 {
    let mut packed = PackedMatrix::new(Arch::new());
    packed.pack_transposed(&vec![0.5; COLUMNS * WIDTH], WIDTH, COLUMNS, WIDTH);
    let (data, mut out) = (vec![0.5f32; ROWS * WIDTH], vec![0f32; ROWS * COLUMNS]);
    let rows = Rows { data: &data, stride: WIDTH, count: ROWS };
    let mut product = || matmul(rows, &packed, Output::Overwrite, &mut out, COLUMNS);
    product();
    let started = Instant::now();
    let mut count = 0;
    while started.elapsed() < PERIOD {
        product();
        count += 1;
    }
    (count * 2 * ROWS * WIDTH * COLUMNS) as f64 / started.elapsed().as_secs_f64()
}
