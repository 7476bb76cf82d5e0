//! Reading files with their parsers, in processes of their own.

use std::path::Path;

use casetrack_core::{Cancel, Result};
use casetrack_extract::isolation::{WorkerCommand, WorkerPool};
use casetrack_extract::{ExtractOptions, Extraction, PagePicture, RenderRequest, extract, render_page};

/// The processes that read files; this one if there is no command for them.
pub struct Readers(Option<WorkerPool>);

impl Readers {
    pub(super) fn new(command: Option<WorkerCommand>) -> Self {
        Self(command.map(WorkerPool::new))
    }

    /// As [`extract`](extract()).
    pub fn extract(&self, path: &Path, bytes: &[u8], options: &ExtractOptions, cancel: &Cancel) -> Result<Extraction> {
        match &self.0 {
            Some(pool) => pool.extract(path, bytes, options, cancel),
            None => extract(path, bytes, options),
        }
    }

    /// As [`render_page`].
    pub fn render(
        &self,
        path: &Path,
        bytes: &[u8],
        options: &ExtractOptions,
        request: &RenderRequest,
        cancel: &Cancel,
    ) -> Result<PagePicture> {
        match &self.0 {
            Some(pool) => pool.render(path, bytes, options, request, cancel),
            None => render_page(path, bytes, options, request),
        }
    }
}
