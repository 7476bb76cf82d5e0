use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use casetrack_core::{Error, ErrorCode, Result};
use half::f16;
use half::slice::HalfFloatSliceExt;
use safetensors::{Dtype, SafeTensors};
use serde::de::DeserializeOwned;

const RESTORE_HINT: &str =
    "Restore the models folder: reinstall CaseTrack, or run scripts/make/ner_model.py in its source folder.";

pub(super) fn damaged(path: &Path, problem: impl Display) -> Error {
    Error::new(ErrorCode::Corrupt, format!("Model file {} is damaged: {problem}", path.display()))
        .with_hint(RESTORE_HINT)
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| {
        if error.kind() == std::io::ErrorKind::NotFound {
            let message = format!("Model file {} is missing", path.display());
            return Error::new(ErrorCode::MissingDependency, message).with_hint(RESTORE_HINT);
        }
        Error::io(path.display(), error)
    })
}

pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    serde_json::from_slice(&read(path)?).map_err(|error| damaged(path, error))
}

pub(super) struct Tensors<'a> {
    path: PathBuf,
    file: SafeTensors<'a>,
}

impl<'a> Tensors<'a> {
    /// `bytes` are the content of the file at `path`.
    pub fn new(path: &Path, bytes: &'a [u8]) -> Result<Self> {
        let file = SafeTensors::deserialize(bytes).map_err(|error| damaged(path, error))?;
        Ok(Self { path: path.to_owned(), file })
    }

    pub fn get(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let view = self.file.tensor(name).map_err(|_| damaged(&self.path, format!("it has no tensor {name}")))?;
        if view.shape() != shape {
            let problem = format!("tensor {name} has shape {:?}, the model needs {shape:?}", view.shape());
            return Err(damaged(&self.path, problem));
        }
        match view.dtype() {
            Dtype::F32 => Ok(view.data().as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()),
            Dtype::F16 => {
                let halves: Vec<f16> =
                    view.data().as_chunks().0.iter().map(|&bytes| f16::from_le_bytes(bytes)).collect();
                let mut values = vec![0.0; halves.len()];
                halves.convert_to_f32_slice(&mut values);
                Ok(values)
            }
            other => Err(damaged(&self.path, format!("tensor {name} is {other:?}, neither F16 nor F32"))),
        }
    }
}
