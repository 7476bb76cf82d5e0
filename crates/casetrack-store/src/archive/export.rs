//! Writing an archive while the collection is in use.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::{
    Action, CollectionId, CollectionMeta, DocumentId, DocumentMeta, Error, ErrorCode, Result, Sha256, Timestamp, hint,
};
use serde_json::Value;
use sha2::Digest;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::encrypted::Encryption;
use super::{
    ArchiveManifest, EntryRecord, FORMAT, FORMAT_VERSION, MANIFEST, WITHOUT_TOKEN_VECTORS, document_entry,
    original_entry,
};
use crate::collection::LocalCollection;
use crate::error::corrupt;
use crate::manifest::VectorModels;
use crate::originals::LINKS_PREFIX;
use crate::reader::Reader;
use crate::records::State;
use crate::schema::SCHEMA_VERSION;
use crate::seal::Seal;
use crate::write::StoredDocument;
use crate::{fs, load, originals};

/// What goes into an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportOptions {
    /// Copies of source files, where the collection keeps them.
    pub originals: bool,
    /// Replace a file that is there already.
    pub overwrite: bool,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self { originals: true, overwrite: false }
    }
}

/// What went into an archive.
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

impl LocalCollection {
    /// Writes the collection as of this moment into one file, which appears whole or not at all. Changes go on meanwhile and are not
    /// in it. One document at a time is held in memory.
    ///
    /// Errors: [`ErrorCode::AlreadyExists`] where the file exists; [`ErrorCode::Corrupt`] where a document is damaged, so that
    /// every archive that was written can be imported.
    pub fn export(&self, target: &Path, options: &ExportOptions) -> Result<ExportReport> {
        self.export_with(target, options, None)
    }

    /// As [`export`](Self::export), encrypted on the way: nothing plain is written.
    pub fn export_encrypted(
        &self,
        target: &Path,
        options: &ExportOptions,
        encryption: &Encryption,
    ) -> Result<ExportReport> {
        self.export_with(target, options, Some(encryption))
    }

    /// See [`export`](Self::export) and [`export_encrypted`](Self::export_encrypted).
    pub(crate) fn export_with(
        &self,
        target: &Path,
        options: &ExportOptions,
        encryption: Option<&Encryption>,
    ) -> Result<ExportReport> {
        write(target, options, encryption, self.seal(), || {
            // Under the lock that changes take, so that the originals are those of the snapshot's documents.
            let state = self.writer();
            let reader = self.truth().reader();
            let links = if options.originals { Some(Links::make(self, &reader)?) } else { None };
            Ok(Box::new(Moment { collection: self, reader, state: *state, links }))
        })
    }
}

/// A collection as of one moment, which an archive is written from.
pub trait ExportSource {
    fn meta(&self) -> &CollectionMeta;

    fn models(&self) -> &VectorModels;

    /// How many documents, pages and chunks there are.
    fn counts(&self) -> Result<(u64, u64, u64)>;

    fn columns(&self) -> Result<Option<Value>>;

    fn evidence(&self) -> Result<EvidenceTray>;

    /// All documents, in the order in which they were stored.
    fn documents(&self) -> Result<Vec<DocumentId>>;

    /// A document with everything that is stored of it, which can be stored again.
    fn whole(&self, id: DocumentId) -> Result<StoredDocument>;

    /// Where the copy of a document's source file is, and the name by which it is known; `None` where copies are left out.
    fn original(&self, meta: &DocumentMeta) -> Option<(PathBuf, String)>;
}

/// Writes a collection of another store into one file, which appears whole or not at all. `begin` is called when the file can be written.
pub fn export_from<'s>(
    target: &Path,
    options: &ExportOptions,
    encryption: Option<&Encryption>,
    begin: impl FnOnce() -> Result<Box<dyn ExportSource + 's>>,
) -> Result<ExportReport> {
    write(target, options, encryption, &Seal::default(), begin)
}

/// As [`export_from`]; `seal` is that of the originals.
fn write<'s>(
    target: &Path,
    options: &ExportOptions,
    encryption: Option<&Encryption>,
    seal: &Seal,
    begin: impl FnOnce() -> Result<Box<dyn ExportSource + 's>>,
) -> Result<ExportReport> {
    if !options.overwrite && target.exists() {
        let message = format!("{} exists already.", target.display());
        let hint = hint!["Choose another name, or ", Action::ReplaceFile, "."];
        return Err(Error::new(ErrorCode::AlreadyExists, message).with_hint(hint));
    }
    let partial = fs::partial_path(target);
    let written = match encryption {
        None => create(&partial).and_then(|file| {
            let (zip, report) = write_archive(&*begin()?, &partial, ZipWriter::new(file), seal)?;
            Ok(ExportReport { bytes: finished(zip, &partial)?, ..report })
        }),
        Some(encryption) => create(&partial).and_then(|file| {
            let encrypted = encryption.begin(file)?;
            let (zip, report) = write_archive(&*begin()?, &partial, ZipWriter::new_stream(encrypted), seal)?;
            let file = zip.into_inner().finish().map_err(|error| Error::io(partial.display(), error))?;
            Ok(ExportReport { bytes: finished(file, &partial)?, ..report })
        }),
    };
    // A failure to remove what is left matters less than why it is there.
    let written = written.and_then(|report| fs::rename_durably(&partial, target).map(|()| report));
    written.inspect_err(|_| drop(std::fs::remove_file(&partial)))
}

/// Writes the archive; what it was written to, and what went into it, but for the number of bytes.
fn write_archive<W: Write + Seek>(
    source: &dyn ExportSource,
    partial: &Path,
    zip: ZipWriter<W>,
    seal: &Seal,
) -> Result<(W, ExportReport)> {
    let mut archive = ArchiveWriter { path: partial.to_owned(), zip, entries: Vec::new() };
    let (mut number, mut pages, mut chunks, mut with_original) = (0, 0, 0, 0);
    let mut left_out = Vec::new();
    for id in source.documents()? {
        let mut document = source.whole(id)?;
        let original = if document.meta.original_stored { source.original(&document.meta) } else { None };
        document.meta.original_stored = false;
        if let Some((path, name)) = original {
            match originals::digest(&path, &name, seal) {
                Ok((sha256, _)) if sha256 == document.meta.sha256 => {
                    archive.original(number, &path, &name, seal)?;
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

/// A collection on disk as of one moment.
struct Moment<'c> {
    collection: &'c LocalCollection,
    reader: Reader<'c>,
    state: State,
    links: Option<Links>,
}

impl ExportSource for Moment<'_> {
    fn meta(&self) -> &CollectionMeta {
        self.collection.meta()
    }

    fn models(&self) -> &VectorModels {
        self.collection.models()
    }

    fn counts(&self) -> Result<(u64, u64, u64)> {
        Ok((self.state.documents, self.state.pages, self.state.chunks))
    }

    fn columns(&self) -> Result<Option<Value>> {
        self.collection.columns()
    }

    fn evidence(&self) -> Result<EvidenceTray> {
        self.reader.evidence()
    }

    fn documents(&self) -> Result<Vec<DocumentId>> {
        self.reader.slot_ranges()?.map(|range| Ok(range?.document)).collect()
    }

    fn whole(&self, id: DocumentId) -> Result<StoredDocument> {
        let record = self.reader.document(id)?.ok_or_else(|| corrupt(format!("Document {id} is missing.")))?;
        load::document(&self.reader, &record, self.collection.identity())
    }

    fn original(&self, meta: &DocumentMeta) -> Option<(PathBuf, String)> {
        let name = originals::name(&self.collection.original_path(meta));
        self.links.as_ref().map(|links| (links.path(meta), name))
    }
}

/// The originals of a snapshot under names of their own, so that they stay when their documents are deleted or replaced: links
/// where the file system has them, else copies. Removed when dropped.
struct Links {
    dir: PathBuf,
}

impl Links {
    fn make(collection: &LocalCollection, reader: &Reader<'_>) -> Result<Self> {
        let name = format!("{LINKS_PREFIX}{}", CollectionId::random());
        let links = Self { dir: collection.dir().join(name) };
        for range in reader.slot_ranges()? {
            let id = range?.document;
            let record = reader.document(id)?.ok_or_else(|| corrupt(format!("Document {id} is missing.")))?;
            if !record.meta.original_stored {
                continue;
            }
            fs::create_dir(&links.dir)?;
            let (from, to) = (collection.original_path(&record.meta), links.path(&record.meta));
            // One that is missing is reported when it is read.
            if from.exists() && std::fs::hard_link(&from, &to).is_err() {
                std::fs::copy(&from, &to).map_err(|error| Error::io(to.display(), error))?;
            }
        }
        Ok(links)
    }

    fn path(&self, meta: &DocumentMeta) -> PathBuf {
        self.dir.join(meta.id.to_string())
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir(&self.dir) {
            tracing::warn!(%error, "links to originals are left; they go when the collection is opened again");
        }
    }
}

fn create(path: &Path) -> Result<BufWriter<File>> {
    File::create(path).map(BufWriter::new).map_err(|error| Error::io(path.display(), error))
}

/// Syncs a file. Its length.
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

    /// Uncompressed: most formats are compressed already, and what is not compressed cannot be a bomb.
    fn original(&mut self, number: u64, path: &Path, name: &str, seal: &Seal) -> Result<()> {
        let error = |error| Error::io(path.display(), error);
        let mut file = seal.open(path, name).map_err(error)?;
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

    /// Adds an entry, whose content `write` gives in pieces.
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

    /// Writes the manifest and the directory.
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
