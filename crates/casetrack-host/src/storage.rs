//! The space that a data directory takes on disk.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::lock;

/// The size of the data directory as it was found last: finding it examines every file.
#[derive(Default)]
pub struct StorageSize(Mutex<Option<(Instant, u64)>>);

impl StorageSize {
    /// Clients may ask for the status with every step they take.
    const KEPT: Duration = Duration::from_secs(10);

    pub fn bytes_below(&self, directory: &Path) -> u64 {
        let mut last = lock(&self.0);
        match *last {
            Some((at, bytes)) if at.elapsed() < Self::KEPT => bytes,
            _ => last.insert((Instant::now(), bytes_below(directory))).1,
        }
    }
}

/// Size of all files below a directory; those that cannot be read count 0.
pub fn bytes_below(directory: &Path) -> u64 {
    let files = walkdir::WalkDir::new(directory).into_iter().filter_map(Result::ok);
    files.filter_map(|entry| entry.metadata().ok()).filter(std::fs::Metadata::is_file).map(|file| file.len()).sum()
}
