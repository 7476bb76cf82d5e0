//! Writing an archive while the collection is in use.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::{Action, Error, ErrorCode, Result, Sha256, Timestamp, hint};
use sha2::Digest;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::encryption::Encryption;
use super::{
    ArchiveManifest, EntryRecord, FORMAT, FORMAT_VERSION, MANIFEST, WITHOUT_TOKEN_VECTORS, document_entry,
    original_entry,
};
use crate::error::corrupt;
use crate::fs;
use crate::originals::OriginalFile;
use crate::roles::CollectionSnapshot;
use crate::schema::SCHEMA_VERSION;
use crate::write::StoredDocument;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportOptions {
    /// Copies of source files, if the collection keeps them.
    pub originals: bool,
    /// Replace a file that is there already.
    pub overwrite: bool,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self { originals: true, overwrite: false }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportReport {
    pub bytes: u64,
    pub documents: u64,
    pub pages: u64,
    pub chunks: u64,
    pub originals: u64,
    /// One sentence for each original that could not go in: its document is in the archive as one without an original.
    pub left_out: Vec<String>,
}

pub(crate) fn export<'s>(
    target: &Path,
    options: &ExportOptions,
    encryption: Option<&Encryption>,
    begin: impl FnOnce() -> Result<Box<dyn CollectionSnapshot + 's>>,
) -> Result<ExportReport> {
    if !options.overwrite && target.exists() {
        let message = format!("{} exists already.", target.display());
        let hint = hint!["Choose another name, or ", Action::ReplaceFile, "."];
        return Err(Error::new(ErrorCode::AlreadyExists, message).with_hint(hint));
    }
    let partial = fs::partial_path(target);
    let written = match encryption {
        None => create(&partial).and_then(|file| {
            let (zip, report) = write_archive(&*begin()?, &partial, ZipWriter::new(file))?;
            Ok(ExportReport { bytes: finished(zip, &partial)?, ..report })
        }),
        Some(encryption) => create(&partial).and_then(|file| {
            let encrypted = encryption.begin(file)?;
            let (zip, report) = write_archive(&*begin()?, &partial, ZipWriter::new_stream(encrypted))?;
            let file = zip.into_inner().finish().map_err(|error| Error::io(partial.display(), error))?;
            Ok(ExportReport { bytes: finished(file, &partial)?, ..report })
        }),
    };
    // A failure to remove the partial file matters less than the first error.
    let written = written.and_then(|report| fs::rename_durably(&partial, target).map(|()| report));
    written.inspect_err(|_| drop(std::fs::remove_file(&partial)))
}

fn write_archive<W: Write + Seek>(
    source: &dyn CollectionSnapshot,
    partial: &Path,
    zip: ZipWriter<W>,
) -> Result<(W, ExportReport)> {
    let mut archive = ArchiveWriter { path: partial.to_owned(), zip, entries: Vec::new() };
    let (mut number, mut pages, mut chunks, mut with_original) = (0, 0, 0, 0);
    let mut left_out = Vec::new();
    for id in source.documents()? {
        let mut document = source.whole(id)?;
        let original = if document.meta.original_stored { source.original(&document.meta) } else { None };
        document.meta.original_stored = false;
        if let Some(original) = original {
            match original.digest() {
                Ok((sha256, _)) if sha256 == document.meta.sha256 => {
                    archive.original(number, &original)?;
                    document.meta.original_stored = true;
                    with_original += 1;
                }
                Ok(_) => left_out.push(format!("{}: its copy has other content.", document.meta.path)),
                Err(error) => left_out.push(format!("{}: its copy cannot be read ({error}).", document.meta.path)),
            }
        }
        archive.document(number, &document)?;
        number += 1;
        pages += document.pages.len() as u64;
        chunks += document.chunks.len() as u64;
    }
    if (number, pages, chunks) != source.counts()? {
        return Err(corrupt("The collection's counters are not those of its documents."));
    }
    let manifest = ArchiveManifest {
        format: FORMAT.to_owned(),
        format_version: if source.models().tokens.is_some() { FORMAT_VERSION } else { WITHOUT_TOKEN_VECTORS },
        schema_version: SCHEMA_VERSION,
        casetrack_version: env!("CARGO_PKG_VERSION").to_owned(),
        exported_at: Timestamp::now(),
        collection: source.meta().clone(),
        models: source.models().clone(),
        documents: number,
        pages,
        chunks,
        originals: with_original,
        columns: source.columns()?,
        evidence: Some(source.evidence()?).filter(|tray| *tray != EvidenceTray::default()),
        entries: Vec::new(),
    };
    let written = archive.finish(manifest)?;
    let report = ExportReport { bytes: 0, documents: number, pages, chunks, originals: with_original, left_out };
    Ok((written, report))
}

fn create(path: &Path) -> Result<BufWriter<File>> {
    File::create(path).map(BufWriter::new).map_err(|error| Error::io(path.display(), error))
}

fn finished(file: BufWriter<File>, path: &Path) -> Result<u64> {
    let error = |error: std::io::Error| Error::io(path.display(), error);
    let file = file.into_inner().map_err(|unflushed| error(unflushed.into_error()))?;
    file.sync_all().map_err(error)?;
    Ok(file.metadata().map_err(error)?.len())
}

struct ArchiveWriter<W: Write + Seek> {
    path: PathBuf,
    zip: ZipWriter<W>,
    entries: Vec<EntryRecord>,
}

impl<W: Write + Seek> ArchiveWriter<W> {
    fn document(&mut self, number: u64, document: &StoredDocument) -> Result<()> {
        self.entry(document_entry(number), CompressionMethod::Deflated, |put| super::document::write(document, put))
    }

    /// Uncompressed: most formats are compressed already, and an uncompressed entry cannot be a bomb.
    fn original(&mut self, number: u64, original: &OriginalFile) -> Result<()> {
        let error = |error| Error::io(original.path().display(), error);
        let mut file = original.open().map_err(error)?;
        self.entry(original_entry(number), CompressionMethod::Stored, |put| {
            let mut buffer = vec![0; 1 << 18];
            loop {
                match file.read(&mut buffer).map_err(error)? {
                    0 => return Ok(()),
                    n => put(&buffer[..n])?,
                }
            }
        })
    }

    fn entry(
        &mut self,
        name: String,
        method: CompressionMethod,
        write: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let options = SimpleFileOptions::default().compression_method(method).large_file(true);
        self.zip.start_file(name.as_str(), options).map_err(|error| unwritten(&self.path, error))?;
        let (mut hasher, mut bytes) = (sha2::Sha256::new(), 0);
        let (zip, path) = (&mut self.zip, &self.path);
        write(&mut |piece| {
            hasher.update(piece);
            bytes += piece.len() as u64;
            zip.write_all(piece).map_err(|error| Error::io(path.display(), error))
        })?;
        self.entries.push(EntryRecord { name, bytes, sha256: Sha256(hasher.finalize().into()) });
        Ok(())
    }

    fn finish(mut self, manifest: ArchiveManifest) -> Result<W> {
        let manifest = ArchiveManifest { entries: std::mem::take(&mut self.entries), ..manifest };
        let json = serde_json::to_vec_pretty(&manifest).map_err(|error| Error::internal(error.to_string()))?;
        self.entry(MANIFEST.to_owned(), CompressionMethod::Deflated, |put| put(&json))?;
        let Self { path, zip, .. } = self;
        zip.finish().map_err(|error| unwritten(&path, error))
    }
}

fn unwritten(path: &Path, error: ZipError) -> Error {
    match error {
        ZipError::Io(error) => Error::io(path.display(), error),
        error => Error::internal(format!("{} could not be written: {error}", path.display())),
    }
}
