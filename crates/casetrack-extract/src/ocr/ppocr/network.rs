//! Networks in ONNX, which rten runs on one thread: pages are read side by side.

use std::path::Path;
use std::sync::Arc;

use casetrack_core::{Error, ErrorCode, Result};
use rten::{Model, ModelOptions, RunOptions, ThreadPool, Value};

pub(super) struct Network(Model);

pub(super) struct Output<const N: usize> {
    pub shape: [usize; N],
    pub numbers: Vec<f32>,
}

impl Network {
    /// Errors: `MissingDependency` without the file, `Corrupt` when it is no network.
    pub fn load(path: &Path) -> Result<Self> {
        let failed = |code, error: &dyn std::fmt::Display| Error::new(code, format!("{}: {error}", path.display()));
        let bytes = std::fs::read(path).map_err(|error| failed(ErrorCode::MissingDependency, &error))?;
        let model = ModelOptions::with_all_ops().prepack_weights(true).load(bytes);
        model.map(Self).map_err(|error| failed(ErrorCode::Corrupt, &error))
    }

    pub fn metadata(&self, name: &str) -> Option<&str> {
        self.0.metadata().get(name)
    }

    /// Computes one output of `N` dimensions; `None` when the network refuses the input.
    pub fn run<const N: usize>(
        &self,
        shape: [usize; 4],
        numbers: Vec<f32>,
        threads: &Arc<ThreadPool>,
    ) -> Option<Output<N>> {
        let input = Value::from_shape(shape, numbers).ok()?;
        let options = RunOptions::default().with_thread_pool(Some(threads.clone()));
        let output = self.0.run_one(input.into(), Some(options));
        let output = output.inspect_err(|error| tracing::warn!(%error, "a network for OCR failed")).ok()?;
        let (shape, numbers) = output.into_shape_vec::<f32, N>().ok()?;
        Some(Output { shape, numbers })
    }
}
