//! Reading an archive, which may be damaged or hostile, into a new collection.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use casetrack_core::{CollectionMeta, Error, ErrorCode, ErrorKind, Result, Sha256};
use casetrack_vault::header::Header;
use casetrack_vault::key::VaultKey;
use serde::Deserialize;
use sha2::Digest;
use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

use super::encryption::{archive_lock, is_encrypted};
use super::{
    Archive, ArchiveManifest, EntryRecord, FORMAT, FORMAT_VERSION, MANIFEST, MAX_DOCUMENT_BYTES, MAX_MANIFEST_BYTES,
    Source, document_entry, original_entry, refused, zip_error,
};
use crate::collection::LocalCollection;
use crate::error::corrupt;
use crate::roles::CollectionStore;
use crate::seal::Seal;
use crate::{fs, vault};

impl Archive {
    /// Opens an archive and compares its directory with its manifest. Reads no document. Errors:
    /// [`ErrorCode::UnreadableFile`] if it is not an archive, or differs from its manifest; [`ErrorCode::NewerSchema`] if a newer
    /// CaseTrack made it; [`ErrorCode::InvalidArgument`] if it is encrypted: see
    /// [`open_encrypted`](Self::open_encrypted).
    pub fn open(path: &Path) -> Result<Self> {
        if let Some(lock) = archive_lock(path)? {
            return Err(is_encrypted(path, lock));
        }
        let file = File::open(path).map_err(|error| Error::io(path.display(), error))?;
        Self::read_from(path, Box::new(BufReader::new(file)))
    }

    pub(super) fn read_from(path: &Path, source: Box<dyn Source>) -> Result<Self> {
        let not_one = |error| match zip_error(path, error) {
            error if error.code == ErrorCode::UnreadableFile => {
                refused(path, "it is not a .ctcollection file, or it is cut off")
            }
            error => error,
        };
        let mut zip = ZipArchive::new(source).map_err(not_one)?;
        let found = directory(path, &mut zip)?;
        let manifest = read_manifest(path, &mut zip, &found)?;
        let places = manifest.entries.iter().enumerate().map(|(place, entry)| (entry.name.clone(), place)).collect();
        let archive = Self { path: path.to_owned(), zip, manifest, places };
        archive.compare(found)?;
        Ok(archive)
    }

    /// Every entry of the manifest is there once, with the size it should have, and there are no others.
    fn compare(&self, mut found: HashMap<String, ZipEntry>) -> Result<()> {
        found.remove(MANIFEST);
        let manifest = &self.manifest;
        let (mut documents, mut with_original) = (0, Vec::new());
        for EntryRecord { name, bytes, .. } in &manifest.entries {
            let entry =
                found.remove(name).ok_or_else(|| self.refused(format_args!("\"{name}\" is missing or twice in it")))?;
            if entry.bytes != *bytes {
                let what = format!("\"{name}\" has {} bytes, but its manifest gives {bytes}", entry.bytes);
                return Err(self.refused(what));
            }
            if *name == document_entry(documents) {
                if *bytes > MAX_DOCUMENT_BYTES {
                    let what = format!("\"{name}\" claims {bytes} bytes, more than a document may have");
                    return Err(self.refused(what));
                }
                documents += 1;
            } else if let Some(number) = name.strip_prefix("originals/").and_then(|number| number.parse().ok())
                && *name == original_entry(number)
            {
                if !entry.stored {
                    return Err(self.refused(format_args!("\"{name}\" is compressed")));
                }
                with_original.push(number);
            } else {
                return Err(self.refused(format_args!("it holds \"{name}\", which does not belong there")));
            }
        }
        if let Some(name) = found.keys().min() {
            return Err(self.refused(format_args!("it holds \"{name}\", which its manifest does not name")));
        }
        let originals = with_original.len() as u64;
        if (documents, originals) != (manifest.documents, manifest.originals)
            || with_original.iter().any(|&number: &u64| number >= documents)
        {
            return Err(self.refused("its manifest counts other documents than it names"));
        }
        if manifest.models.dense_dimension == 0 {
            return Err(self.refused("its manifest names no model"));
        }
        Ok(())
    }

    /// The content of an entry goes through `take`, and is compared with size and SHA-256 in the manifest. `take` is
    /// given no more than the bytes that the manifest states.
    fn read<T>(&mut self, name: &str, take: impl FnOnce(&mut dyn Read) -> Result<T>) -> Result<T> {
        let path = &self.path;
        let record = self.places.get(name).and_then(|&place| self.manifest.entries.get(place));
        let Some(EntryRecord { bytes, sha256, .. }) = record else {
            return Err(refused(path, format_args!("\"{name}\" is missing")));
        };
        let file = self.zip.by_name(name).map_err(|error| zip_error(path, error))?;
        let mut input = Hashed { input: file.take(bytes.saturating_add(1)), hasher: sha2::Sha256::new(), bytes: 0 };
        let taken = take(&mut input);
        // To the end, at which the zip archive's own checksum is compared.
        std::io::copy(&mut input, &mut std::io::sink()).map_err(|error| zip_error(path, error.into()))?;
        if input.bytes != *bytes || Sha256(input.hasher.finalize().into()) != *sha256 {
            return Err(refused(path, format_args!("the checksum of \"{name}\" does not match its manifest")));
        }
        taken.map_err(|error| entry_error(path, name, error))
    }
}

/// The problem of an entry, unless it is the machine's fault.
fn entry_error(path: &Path, name: &str, error: Error) -> Error {
    match error.kind() {
        ErrorKind::Environment => error,
        _ => refused(path, format_args!("\"{name}\": {}", error.message.trim_end_matches('.'))).with_source(error),
    }
}

struct ZipEntry {
    bytes: u64,
    stored: bool,
}

/// The entries of a zip archive by name. Names are compared as they are, so that `..`, absolute paths and backslashes
/// are names that no manifest may hold.
fn directory(path: &Path, zip: &mut ZipArchive<Box<dyn Source>>) -> Result<HashMap<String, ZipEntry>> {
    if zip.has_duplicate_names() {
        return Err(refused(path, "it holds two entries of the same name"));
    }
    if zip.has_overlapping_files().map_err(|error| zip_error(path, error))? {
        return Err(refused(path, "its entries overlap"));
    }
    let mut found = HashMap::new();
    for index in 0..zip.len() {
        let entry = zip.by_index_raw(index).map_err(|error| zip_error(path, error))?;
        let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
        let stored = entry.compression() == CompressionMethod::Stored;
        if entry.is_symlink() || entry.is_dir() || entry.encrypted() {
            return Err(refused(path, format_args!("its entry \"{name}\" is a link, a directory or encrypted")));
        }
        if !stored && entry.compression() != CompressionMethod::Deflated {
            return Err(refused(path, format_args!("its entry \"{name}\" is compressed in an unknown way")));
        }
        found.insert(name, ZipEntry { bytes: entry.size(), stored });
    }
    Ok(found)
}

fn read_manifest(
    path: &Path,
    zip: &mut ZipArchive<Box<dyn Source>>,
    found: &HashMap<String, ZipEntry>,
) -> Result<ArchiveManifest> {
    let entry = found.get(MANIFEST).ok_or_else(|| refused(path, "it has no manifest"))?;
    if entry.bytes > MAX_MANIFEST_BYTES {
        return Err(refused(path, "its manifest is too large"));
    }
    let file: ZipFile<'_, _> = zip.by_name(MANIFEST).map_err(|error| zip_error(path, error))?;
    let mut json = Vec::new();
    file.take(entry.bytes.saturating_add(1)).read_to_end(&mut json).map_err(|error| zip_error(path, error.into()))?;
    // The version first: a newer format may have changed the rest.
    #[derive(Deserialize)]
    struct Version {
        format: String,
        format_version: u32,
    }
    let damaged = |error: serde_json::Error| refused(path, format_args!("its manifest cannot be read ({error})"));
    let Version { format, format_version } = serde_json::from_slice(&json).map_err(damaged)?;
    if format != FORMAT {
        return Err(refused(path, "its manifest is of something else"));
    }
    match format_version {
        1..=FORMAT_VERSION => serde_json::from_slice(&json).map_err(damaged),
        newer if newer > FORMAT_VERSION => {
            let message = format!(
                "{} was made by a newer CaseTrack (format {newer}; this version knows {FORMAT_VERSION}).",
                path.display()
            );
            Err(Error::new(ErrorCode::NewerSchema, message).with_hint("Update CaseTrack, then import it again."))
        }
        unknown => Err(refused(path, format_args!("its format {unknown} is unknown"))),
    }
}

impl LocalCollection {
    /// Makes a collection in `dir`, which must not exist, of everything in an archive, under the id and name of `meta`.
    /// Documents keep their ids and their order, so that searches find the same. An archive that is refused leaves
    /// nothing. Errors: [`ErrorCode::UnreadableFile`] if any part of the archive is wrong.
    pub fn import(dir: &Path, archive: &mut Archive, meta: &CollectionMeta) -> Result<Self> {
        Self::import_as(dir, archive, meta, &Seal::default(), None)
    }

    /// As [`import`](Self::import), into a vault: see [`create_vault`](Self::create_vault).
    pub fn import_vault(
        dir: &Path,
        archive: &mut Archive,
        meta: &CollectionMeta,
        key: &VaultKey,
        header: &Header,
    ) -> Result<Self> {
        if [key.collection(), header.collection()] != [meta.id; 2] {
            return Err(Error::internal("A vault needs a key and a header of its own."));
        }
        Self::import_as(dir, archive, meta, &Seal::with(key)?, Some(header))
    }

    fn import_as(
        dir: &Path,
        archive: &mut Archive,
        meta: &CollectionMeta,
        seal: &Seal,
        header: Option<&Header>,
    ) -> Result<Self> {
        let models = archive.manifest.models.clone();
        let staging = Self::stage(dir, meta, &models, seal)?;
        let headed = header.map_or(Ok(()), |header| vault::write(&staging, header));
        let opened = headed.and_then(|()| Self::open_plain_or_vault(&staging, seal));
        let filled = opened.and_then(|collection| fill(&collection, archive));
        if let Err(error) = filled.and_then(|()| fs::rename_durably(&staging, dir)) {
            if let Err(left) = fs::remove_dir(&staging) {
                tracing::warn!(error = %left, "a partial import is left; it is removed when CaseTrack starts again");
            }
            return Err(error);
        }
        Self::open_plain_or_vault(dir, seal)
    }
}

/// Stores everything in an archive in a new collection of the same models, documents in their order. After a failure
/// the caller removes the collection with the documents that are in it. Errors: [`ErrorCode::UnreadableFile`] if any
/// part of the archive is wrong.
pub fn fill(collection: &dyn CollectionStore, archive: &mut Archive) -> Result<()> {
    let ArchiveManifest { documents, pages, chunks, .. } = archive.manifest;
    let models = archive.manifest.models.clone();
    for number in 0..documents {
        let name = document_entry(number);
        let document = archive.read(&name, |input| super::document::read(input, &models))?;
        collection.put_document(&document).map_err(|error| entry_error(&archive.path, &name, error))?;
        let original = original_entry(number);
        if archive.places.contains_key(&original) != document.meta.original_stored {
            return Err(archive.refused(format_args!("\"{original}\" and its document contradict each other")));
        }
        if document.meta.original_stored {
            let target = collection.new_original_path(&document.meta);
            let sha256 = archive.read(&original, |input| {
                let error = |error| Error::io(target.display(), error);
                let mut file = collection.create_kept(&target, &target)?;
                let mut input = Hashed { input, hasher: sha2::Sha256::new(), bytes: 0 };
                std::io::copy(&mut input, &mut file).map_err(|copying| match super::is_damage(&copying) {
                    true => corrupt(copying.to_string()),
                    false => error(copying),
                })?;
                file.finish().map_err(error)?;
                Ok(Sha256(input.hasher.finalize().into()))
            })?;
            if sha256 != document.meta.sha256 {
                return Err(archive.refused(format_args!("\"{original}\" is not the file of its document")));
            }
        }
    }
    let counts = collection.counts()?;
    if (counts.documents, counts.pages, counts.chunks) != (documents, pages, chunks) {
        return Err(archive.refused("its manifest counts other documents, pages or chunks than it holds"));
    }
    if let Some(columns) = &archive.manifest.columns {
        collection.set_columns(columns)?;
    }
    if let Some(evidence) = &archive.manifest.evidence {
        evidence
            .check()
            .map_err(|error| archive.refused(format_args!("its evidence is not valid ({})", error.message)))?;
        collection.update_evidence(&mut |tray| {
            *tray = evidence.clone();
            Ok(())
        })?;
    }
    collection.flush()
}

/// Counts and hashes the bytes that are read through it.
struct Hashed<R> {
    input: R,
    hasher: sha2::Sha256,
    bytes: u64,
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.input.read(buffer)?;
        self.hasher.update(&buffer[..n]);
        self.bytes += n as u64;
        Ok(n)
    }
}
