use crate::kernels::layer_norm::LayerNorm;

#[derive(Debug, Clone)]
pub struct Matrix {
    pub columns: usize,
    pub values: Vec<f64>,
}

impl Matrix {
    pub fn new(values: &[f32], columns: usize) -> Self {
        Self { columns, values: values.iter().copied().map(f64::from).collect() }
    }

    pub fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.columns)
    }

    pub fn map(&self, function: impl Fn(f64) -> f64) -> Self {
        Self { columns: self.columns, values: self.values.iter().map(|&x| function(x)).collect() }
    }

    pub fn plus(&self, other: &Self) -> Self {
        assert_eq!((self.columns, self.values.len()), (other.columns, other.values.len()));
        let values = self.values.iter().zip(&other.values).map(|(x, y)| x + y);
        Self { columns: self.columns, values: values.collect() }
    }

    /// `x · Wᵀ + b` with a weight `[bias.len(), columns]`.
    pub fn linear(&self, weight: &[f32], bias: &[f32]) -> Self {
        assert_eq!(weight.len(), bias.len() * self.columns);
        let product = |row: &[f64], weight: &[f32]| row.iter().zip(weight).map(|(x, &w)| x * f64::from(w)).sum::<f64>();
        let values = self.rows().flat_map(|row| {
            let columns = weight.chunks_exact(self.columns).zip(bias);
            columns.map(move |(weight, &bias)| product(row, weight) + f64::from(bias))
        });
        Self { columns: bias.len(), values: values.collect() }
    }

    pub fn norm(&self, norm: &LayerNorm) -> Self {
        let mut values = Vec::with_capacity(self.values.len());
        for row in self.rows() {
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64;
            let deviation = (variance + f64::from(norm.epsilon)).sqrt();
            let scaled = row.iter().zip(&norm.gamma).map(|(x, &gamma)| (x - mean) / deviation * f64::from(gamma));
            values.extend(scaled.zip(&norm.beta).map(|(x, &beta)| x + f64::from(beta)));
        }
        Self { columns: self.columns, values }
    }

    /// Multi-head self-attention of a sequence whose rows are query, key and value: softmax(QKᵀ / √head size) · V, over
    /// its first `visible` tokens.
    pub fn attention(&self, heads: usize, visible: usize) -> Self {
        let rows: Vec<&[f64]> = self.rows().collect();
        let hidden = self.columns / 3;
        let size = hidden / heads;
        let mut values = vec![0f64; rows.len() * hidden];
        for (row, context) in rows.iter().zip(values.chunks_exact_mut(hidden)) {
            for (head, context) in context.chunks_exact_mut(size).enumerate() {
                let part = |row: usize, part: usize| &rows[row][part * hidden + head * size..][..size];
                let score = |key| row[head * size..].iter().zip(part(key, 1)).map(|(q, k)| q * k).sum::<f64>();
                let weights: Vec<f64> = (0..visible).map(|key| (score(key) / (size as f64).sqrt()).exp()).collect();
                let total: f64 = weights.iter().sum();
                for (key, weight) in weights.iter().enumerate() {
                    context.iter_mut().zip(part(key, 2)).for_each(|(sum, value)| *sum += weight / total * value);
                }
            }
        }
        Self { columns: hidden, values }
    }
}

pub fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + erf(x / 2f64.sqrt()))
}

/// The error function by its Maclaurin series, good to 1e-11; beyond 5 it is ±1 to that precision.
fn erf(x: f64) -> f64 {
    let x = x.clamp(-5.0, 5.0);
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}
