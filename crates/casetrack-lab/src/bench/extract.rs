//! `casetrack-lab bench extract`

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use casetrack_core::{Error, Result};
use casetrack_engine::ingest::Problem;
use casetrack_engine::inspect;
use serde::Serialize;

use crate::output;
use crate::settings::Settings;

/// Measure the time to read files and cut them into chunks, one after another
#[derive(Debug, clap::Args)]
pub struct ExtractBench {
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// The time of one file, and its error if it could not be read.
#[derive(Debug, Serialize)]
struct Extracted {
    path: PathBuf,
    seconds: f64,
    pages: usize,
    /// Pages on which some text was read by OCR.
    ocr_pages: usize,
    characters: usize,
    error: Option<Problem>,
}

impl ExtractBench {
    pub fn run(self, settings: &Settings) -> Result<()> {
        let directory = tempfile::tempdir().map_err(|error| Error::io("a temporary folder", error))?;
        let engine = settings.engine(directory.path())?;
        let read = |path: PathBuf| {
            let started = Instant::now();
            let inspected = inspect::inspect(engine.host(), &path, None);
            let seconds = started.elapsed().as_secs_f64();
            let (pages, error) = match inspected {
                Ok(inspection) => (inspection.pages, None),
                Err(error) => (Vec::new(), Some(Problem::from(&error))),
            };
            Extracted {
                path,
                seconds,
                pages: pages.len(),
                ocr_pages: pages.iter().filter(|page| page.ocr_confidence.is_some()).count(),
                characters: pages.iter().map(|page| page.text.chars().count()).sum(),
                error,
            }
        };
        let files: Vec<Extracted> = self.files.into_iter().map(read).collect();
        output::print(&files, settings.json, |files| describe(files))
    }
}

fn describe(files: &[Extracted]) -> String {
    let mut out = String::new();
    for file in files {
        let _ = write!(out, "{:8.3} s  {:5} pages  {}", file.seconds, file.pages, file.path.display());
        let _ = match &file.error {
            Some(error) => writeln!(out, ": {}", error.message),
            None => writeln!(out),
        };
    }
    let seconds: f64 = files.iter().map(|file| file.seconds).sum();
    let pages: usize = files.iter().map(|file| file.pages).sum();
    let _ = write!(out, "{seconds:8.3} s  {pages:5} pages  {:.1} pages/s", pages as f64 / seconds.max(1e-9));
    out
}
