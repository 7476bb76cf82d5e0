//! Files with equal content.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use casetrack_catalog::{ScanReport, shown};
use casetrack_core::{Cancel, Error, Result, Sha256};
use serde::Serialize;
use sha2::Digest;

use super::{FolderScope, scan_first};
use casetrack_host::Host;

/// First bytes by which files of one size are distinguished before all of them are read.
const BEGINNING: u64 = 4096;
/// Read at once, in bytes.
const BUFFER: usize = 1 << 18;

/// Files with one content, in the order of their paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Duplicates {
    pub sha256: Sha256,
    pub size_bytes: u64,
    pub paths: Vec<String>,
}

/// Groups of equal files, those first that would free most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DuplicateReport {
    pub start: String,
    pub groups: Vec<Duplicates>,
    /// Groups in all; the list has the first of them.
    pub group_count: u64,
    /// Size of all copies except one of each group, in bytes of content.
    pub wasted_bytes: u64,
    /// Files that could not be read, and why.
    pub unreadable: Vec<String>,
    pub scan: Option<ScanReport>,
    pub live: bool,
}

/// Files below a folder of at least `smallest` bytes whose content is equal to another's. Only files of equal size are read. Several names
/// of one file are one file.
pub fn duplicate_files(
    host: &Host,
    place: &FolderScope,
    smallest: u64,
    limit: usize,
    cancel: &Cancel,
) -> Result<DuplicateReport> {
    let start = host.config().access.check(&place.folder)?;
    let (scan, live) = scan_first(host, &start, None, place.cached, false, cancel)?;
    let sizes = host.catalog()?.of_equal_size(&start, smallest.max(1), cancel)?;
    let mut report = DuplicateReport {
        start: shown(&start).into_owned(),
        groups: Vec::new(),
        group_count: 0,
        wasted_bytes: 0,
        unreadable: Vec::new(),
        scan,
        live,
    };
    for (size, files) in sizes {
        let paths: Vec<PathBuf> = files.into_iter().map(|entry| entry.path).collect();
        let alike = by_digest(host, paths, size.0.min(BEGINNING), cancel, &mut report.unreadable)?;
        for (digest, paths) in alike {
            let equal = match size.0 <= BEGINNING {
                true => BTreeMap::from([(digest, paths)]),
                false => by_digest(host, paths, size.0, cancel, &mut report.unreadable)?,
            };
            let group = |(sha256, paths): (Sha256, Vec<PathBuf>)| Duplicates {
                sha256,
                size_bytes: size.0,
                paths: paths.iter().map(|path| shown(path).into_owned()).collect(),
            };
            report.groups.extend(equal.into_iter().map(group));
        }
    }
    let wasted = |group: &Duplicates| group.size_bytes.saturating_mul(group.paths.len() as u64 - 1);
    report.group_count = report.groups.len() as u64;
    report.wasted_bytes = report.groups.iter().map(wasted).fold(0, u64::saturating_add);
    report.groups.sort_by(|a, b| wasted(b).cmp(&wasted(a)).then_with(|| a.paths.cmp(&b.paths)));
    report.groups.truncate(limit);
    Ok(report)
}

/// Groups of at least two files whose first bytes have one digest. A file that is shorter or longer than that now is left out.
fn by_digest(
    host: &Host,
    paths: Vec<PathBuf>,
    bytes: u64,
    cancel: &Cancel,
    unreadable: &mut Vec<String>,
) -> Result<BTreeMap<Sha256, Vec<PathBuf>>> {
    let mut groups: BTreeMap<Sha256, Vec<PathBuf>> = BTreeMap::new();
    for path in paths {
        cancel.check()?;
        // Keys and credentials are never read.
        match host.config().access.check(&path).and_then(|path| digest(&path, bytes)) {
            Ok(Some(digest)) => groups.entry(digest).or_default().push(path),
            Ok(None) => {}
            Err(error) => unreadable.push(error.message),
        }
    }
    groups.retain(|_, paths| paths.len() > 1);
    Ok(groups)
}

/// The digest of the first bytes of a file; `None` if it has fewer.
fn digest(path: &Path, bytes: u64) -> Result<Option<Sha256>> {
    let io = |error| Error::io(path.display(), error);
    let mut file = File::open(path).map_err(io)?.take(bytes);
    let (mut digest, mut buffer, mut count) = (sha2::Sha256::new(), vec![0; BUFFER], 0);
    loop {
        let read = file.read(&mut buffer).map_err(io)?;
        if read == 0 {
            return Ok((count == bytes).then(|| Sha256(digest.finalize().into())));
        }
        count += read as u64;
        digest.update(&buffer[..read]);
    }
}
