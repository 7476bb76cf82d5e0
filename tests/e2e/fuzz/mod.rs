//! Mutated files of every format, read in worker processes as ingestion reads them.
//!
//! A file may be refused or read in part. A finding is a worker that crashes, hangs or goes beyond its memory, a parser that
//! panics, and pages or chunks that break their invariants. A short run is the same every time; for longer ones, with fresh seeds:
//!
//!     CASETRACK_FUZZ_SECONDS=600 scripts/test.sh fuzz
//!
//! A finding is written to `$CASETRACK_FUZZ_DIR` (default: the temporary directory) and named in the failure.

mod mutate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use casetrack_core::{Cancel, ChunkConfig, DocumentId, FileFormat, Limits};
use casetrack_extract::chunker::chunk_pages;
use casetrack_extract::isolation::{WorkerCommand, WorkerPool};
use casetrack_extract::{ExtractOptions, Extraction, detect, page_problem};
use fastrand::Rng;

use crate::client::samples;
use mutate::mutated;

/// Longest run without `CASETRACK_FUZZ_SECONDS`.
const MOST_SECONDS: u64 = 30;
/// A page that takes longer has hung: a sound one of this size is read in milliseconds, or seconds by OCR.
const PAGE_SECONDS: u64 = 600;

/// Tests that share the formats.
const SHARES: usize = 6;

/// Declares tests that share the formats, so that they run side by side and none is left out.
macro_rules! shares {
    ($($test:ident: $share:literal),*) => {
        $(#[test]
        fn $test() {
            let formats = FileFormat::ALL.iter().skip($share).step_by(SHARES);
            formats.for_each(|format| fuzz(*format));
        })*
    };
}

shares! { share_1: 0, share_2: 1, share_3: 2, share_4: 3, share_5: 4, share_6: 5 }

fn fuzz(format: FileFormat) {
    let seconds = std::env::var("CASETRACK_FUZZ_SECONDS").ok().map(|text| text.parse().unwrap());
    let seeds = seeds(format);
    assert!(!seeds.is_empty(), "there is no fixture of {format:?}");
    // The same files every time, so that a failure can be repeated; other ones in a long run.
    let mut random = if seconds.is_some() { Rng::new() } else { Rng::with_seed(1) };
    let pool = WorkerPool::new(WorkerCommand {
        program: env!("CARGO_BIN_EXE_casetrack").into(),
        arguments: vec!["read-files".to_owned()],
    });
    let limits = Limits { max_page_seconds: PAGE_SECONDS, ..Limits::default() };
    let options = ExtractOptions { limits, ..ExtractOptions::default() };
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(MOST_SECONDS));
    let most_runs = match (seconds, format) {
        (Some(_), _) => u64::MAX,
        // Scans and pictures are read by OCR, which takes long.
        (None, FileFormat::Pdf | FileFormat::Image) => 10,
        (None, _) => 100,
    };
    let (mut runs, mut read) = (0u64, 0u64);
    while Instant::now() < end && runs < most_runs {
        let (path, seed) = &seeds[random.usize(..seeds.len())];
        let other = &seeds[random.usize(..seeds.len())].1;
        let bytes = mutated(seed, other, &mut random);
        let outcome = pool.extract(path, &bytes, &options, &Cancel::default());
        runs += 1;
        let problem = match &outcome {
            Ok(extraction) => {
                read += 1;
                problem(extraction)
            }
            // The errors of `recovered` and `extract` for workers and parsers that did not end by themselves.
            Err(error) => ["its parser", "within", "of memory"]
                .iter()
                .any(|sign| error.message.contains(sign))
                .then(|| error.message.clone()),
        };
        if let Some(problem) = problem {
            let directory =
                std::env::var_os("CASETRACK_FUZZ_DIR").map_or_else(std::env::temp_dir, std::path::PathBuf::from);
            let kept = directory.join(format!("finding-{}-{}", runs, path.file_name().unwrap().to_string_lossy()));
            std::fs::write(&kept, &bytes).unwrap();
            panic!("{problem}, in {}, mutated from {}", kept.display(), path.display());
        }
    }
    println!("{format:?}: {runs} files, {read} of them gave text");
}

fn problem(extraction: &Extraction) -> Option<String> {
    let stopped = extraction.warnings.iter().find(|warning| warning.starts_with("Only pages"));
    let chunks = chunk_pages(DocumentId::random(), &extraction.pages, &ChunkConfig::default());
    let pages: BTreeMap<u32, &str> = extraction.pages.iter().map(|page| (page.number, page.text.as_str())).collect();
    let strays = chunks.iter().find(|chunk| {
        pages.get(&chunk.page).and_then(|text| text.get(chunk.byte_start as usize..chunk.byte_end as usize))
            != Some(&chunk.text)
    });
    stopped
        .cloned()
        .or_else(|| extraction.pages.iter().find_map(page_problem))
        .or_else(|| strays.map(|chunk| format!("chunk {} is not text of its page", chunk.index)))
}

/// The fixtures and sample files of a format.
fn seeds(format: FileFormat) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    collect(&fixtures, format, &mut found);
    collect(&samples(), format, &mut found);
    found.sort();
    found
}

fn collect(directory: &Path, format: FileFormat, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, format, found);
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        if detect(&path, &bytes).is_ok_and(|detected| detected == format) {
            found.push((path, bytes));
        }
    }
}
