//! What a data directory takes on disk.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The size of the data directory, which takes a look at every file in it, as it was found last.
#[derive(Default)]
pub(crate) struct StorageSize(Mutex<Option<(Instant, u64)>>);

impl StorageSize {
    /// Clients may ask for the status with every step they take.
    const KEPT: Duration = Duration::from_secs(10);

    pub fn bytes_below(&self, directory: &Path) -> u64 {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *last {
            Some((at, bytes)) if at.elapsed() < Self::KEPT => bytes,
            _ => last.insert((Instant::now(), bytes_below(directory))).1,
        }
    }
}

/// Size of all files below a directory; those that cannot be read count 0.
fn bytes_below(directory: &Path) -> u64 {
    let files = walkdir::WalkDir::new(directory).into_iter().filter_map(Result::ok);
    files.filter_map(|entry| entry.metadata().ok()).filter(std::fs::Metadata::is_file).map(|file| file.len()).sum()
}
