//! The form in which the files of a collection and the entries of its RocksDB are written: as they are, or sealed with the key of a vault.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use casetrack_core::{Error, Result};
use casetrack_vault::files::{FileWriter, Files, sealed_bytes};
use casetrack_vault::key::VaultKey;
use casetrack_vault::names::Names;
use casetrack_vault::values::{Packing, Values};
use sha2::Digest;

use crate::fs;
use crate::schema::cf;
use crate::value_cache::ValueCache;

/// Bytes of a block that [`Names`] replaces.
const MASKED: usize = 16;
/// Writes to a file come together in pieces of this many bytes.
const BUFFER_BYTES: usize = 1 << 20;

/// The default writes everything as it is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seal(Option<Arc<Keys>>);

#[derive(Debug)]
struct Keys {
    key: VaultKey,
    values: Values,
    names: Names,
    files: Files,
    opened: ValueCache,
}

impl Seal {
    pub fn with(key: &VaultKey) -> Result<Self> {
        let (values, names, files) = (key.values()?, key.names()?, key.files()?);
        let keys = Keys { key: key.clone(), values, names, files, opened: ValueCache::default() };
        Ok(Self(Some(Arc::new(keys))))
    }

    pub fn is_sealed(&self) -> bool {
        self.0.is_some()
    }

    pub fn vault_key(&self) -> Option<&VaultKey> {
        self.0.as_ref().map(|keys| &keys.key)
    }

    /// The stored key of an entry. Parts that follow from a path, a content or a text are replaced.
    pub fn key<'k>(&self, family: &str, key: &'k [u8]) -> Cow<'k, [u8]> {
        match &self.0 {
            Some(keys) if masked_blocks(family) > 0 => {
                let mut key = key.to_vec();
                each_block(family, &mut key, |block| *block = keys.names.mask(block));
                Cow::Owned(key)
            }
            _ => Cow::Borrowed(key),
        }
    }

    pub fn original_key(&self, family: &str, mut key: Box<[u8]>) -> Box<[u8]> {
        if let Some(keys) = &self.0 {
            each_block(family, &mut key, |block| *block = keys.names.unmask(block));
        }
        key
    }

    /// The stored bytes of a value; `key` is the one before it was replaced.
    pub fn seal_value<'v>(&self, family: &str, key: &[u8], value: &'v [u8]) -> Result<Cow<'v, [u8]>> {
        match &self.0 {
            Some(keys) => keys.values.seal(family, key, value, packing(family)).map(Cow::Owned),
            None => Ok(Cow::Borrowed(value)),
        }
    }

    /// The value that was stored; `None` if everything is stored as it is.
    pub fn open_value(&self, family: &str, key: &[u8], stored: &[u8]) -> Result<Option<Vec<u8>>> {
        self.0.as_ref().map(|keys| keys.values.open(family, key, stored)).transpose()
    }

    /// The same for one that may be wanted again soon: it may be kept in memory.
    pub fn open_again(&self, family: &str, key: &[u8], stored: &[u8]) -> Result<Option<Arc<Vec<u8>>>> {
        let Some(keys) = &self.0 else { return Ok(None) };
        keys.opened.get_or(family, key, stored, || keys.values.open(family, key, stored)).map(Some)
    }

    /// Reads a whole file. `name` is that by which it is known in the collection. Errors:
    /// [`casetrack_core::ErrorCode::FileNotFound`]; [`casetrack_core::ErrorCode::Corrupt`] if a sealed file was changed
    /// or sealed under another name.
    pub fn read(&self, path: &Path, name: &str) -> Result<Vec<u8>> {
        let error = |error| Error::io(path.display(), error);
        let Some(keys) = &self.0 else { return std::fs::read(path).map_err(error) };
        let file = File::open(path).map_err(error)?;
        let bytes = file.metadata().map_err(error)?.len();
        let mut reader = keys.files.open(name, BufReader::with_capacity(BUFFER_BYTES, file))?;
        let mut content = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default());
        let read = io::Read::read_to_end(&mut reader, &mut content);
        read.map_err(|failed| failed.downcast::<Error>().unwrap_or_else(error))?;
        Ok(content)
    }

    /// Opens a file to be read from its beginning. `name` is that by which it is known in the collection. Errors:
    /// `InvalidData`, also of later reads, if a sealed file was changed or sealed under another name.
    pub fn open(&self, path: &Path, name: &str) -> io::Result<Box<dyn io::Read>> {
        let file = File::open(path)?;
        let Some(keys) = &self.0 else { return Ok(Box::new(file)) };
        let file = BufReader::with_capacity(BUFFER_BYTES, file);
        let opened = keys.files.open(name, file).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        Ok(Box::new(opened))
    }

    /// A name for a file that follows from `text` and does not reveal it; `None` if everything is stored as it is.
    pub fn hidden_name(&self, text: &str) -> Option<String> {
        let keys = self.0.as_ref()?;
        let digest: [u8; 32] = sha2::Sha256::digest(text.as_bytes()).into();
        let (first, _) = digest.split_first_chunk::<MASKED>()?;
        Some(keys.names.mask(first).iter().map(|byte| format!("{byte:02x}")).collect())
    }

    pub fn write_atomically(&self, path: &Path, name: &str, bytes: &[u8]) -> Result<()> {
        match &self.0 {
            Some(keys) => fs::write_atomically(path, &keys.files.seal_bytes(name, bytes)?),
            None => fs::write_atomically(path, bytes),
        }
    }

    /// Begins a file that is to be known as `name`.
    pub fn create(&self, path: &Path, name: &str) -> Result<Output> {
        let file = File::create(path).map_err(|error| Error::io(path.display(), error))?;
        let file = BufWriter::with_capacity(BUFFER_BYTES, file);
        Ok(match &self.0 {
            Some(keys) => Output::Sealed(keys.files.create(name, file)?),
            None => Output::Plain(file),
        })
    }

    /// The bytes on disk of a file with this many bytes of content.
    pub fn bytes_on_disk(&self, content: u64) -> u64 {
        if self.is_sealed() { sealed_bytes(content) } else { content }
    }

    pub fn files(&self) -> Option<&Files> {
        self.0.as_ref().map(|keys| &keys.files)
    }
}

/// The name by which a file in a directory of a collection is known.
pub(crate) fn name_in(dir: &Path, file: &str) -> String {
    format!("{}/{file}", dir.file_name().unwrap_or_default().to_string_lossy())
}

/// Blocks at the beginning of a key that follow from a path, a content or a text. Other keys hold random ids and numbers only.
fn masked_blocks(family: &str) -> usize {
    match family {
        cf::PATH_INDEX | cf::HASH_INDEX => 2,
        cf::CHUNK_IDS => 1,
        _ => 0,
    }
}

fn each_block(family: &str, key: &mut [u8], change: impl FnMut(&mut [u8; MASKED])) {
    key.as_chunks_mut::<MASKED>().0.iter_mut().take(masked_blocks(family)).for_each(change);
}

fn packing(family: &str) -> Packing {
    match family {
        // As for RocksDB (`truth::options::family`).
        cf::VECTORS | cf::SPARSE_VECTORS | cf::TOKEN_VECTORS => Packing::AsItIs,
        _ => Packing::Compressed,
    }
}

pub enum Output {
    #[doc(hidden)]
    Plain(BufWriter<File>),
    #[doc(hidden)]
    Sealed(FileWriter<BufWriter<File>>),
}

impl Output {
    /// Begins a file that is written as it is.
    pub fn plain(path: &Path) -> Result<Self> {
        let file = File::create(path).map_err(|error| Error::io(path.display(), error))?;
        Ok(Self::Plain(BufWriter::with_capacity(BUFFER_BYTES, file)))
    }

    /// Writes the rest, and syncs.
    pub fn finish(self) -> io::Result<()> {
        let file = match self {
            Self::Plain(file) => file,
            Self::Sealed(file) => file.finish()?,
        };
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(bytes),
            Self::Sealed(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Sealed(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::{ChunkId, CollectionId, DocumentId, Sha256};

    use super::*;
    use crate::schema::{hash_key, path_key};

    #[test]
    fn keys_that_follow_from_texts_are_replaced_and_come_back() {
        let seal = Seal::with(&VaultKey::random(CollectionId::random()).unwrap()).unwrap();
        let document = DocumentId::random();
        let chunk = ChunkId::derive(document, 1, 0, "text");
        let hash = hash_key(Sha256([7; 32]), document);
        let keys: [(&str, &[u8]); 3] =
            [(cf::PATH_INDEX, &path_key("/a")), (cf::CHUNK_IDS, chunk.as_bytes()), (cf::HASH_INDEX, &hash)];
        for (family, key) in keys {
            let stored = seal.key(family, key);
            assert_eq!(seal.original_key(family, stored.as_ref().into())[..], *key, "{family}");
            for (block, other) in
                key.as_chunks::<16>().0.iter().zip(stored.as_chunks::<16>().0).take(masked_blocks(family))
            {
                assert_ne!(block, other, "{family}");
            }
        }
        // So that all documents with one content are found by its beginning.
        assert_eq!(seal.key(cf::HASH_INDEX, &hash)[32..], *document.as_bytes());
        assert_eq!(seal.key(cf::DOCUMENTS, document.as_bytes())[..], *document.as_bytes());
        // Keys that are damaged are passed on as they are.
        assert_eq!(seal.key(cf::CHUNK_IDS, &[1; 15])[..], [1; 15]);
    }
}
