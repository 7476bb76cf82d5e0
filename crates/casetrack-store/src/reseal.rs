//! Writing a collection again in another form: sealed instead of plain, or plain instead of sealed.
//!
//! The new directory holds the same entries of RocksDB, with the same slots, and the same files of the indexes, so that
//! searches give the same results in the same order. Everything is read back from the disk and compared before it is
//! used.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use casetrack_core::{Cancel, DocumentMeta, Error, ErrorCode, Result, Sha256};
use rocksdb::IteratorMode;
use sha2::Digest;

use crate::collection::{COLUMNS, LocalCollection, ORIGINALS, QUARANTINE, UPLOADS};
use crate::error::corrupt;
use crate::files::uploaded;
use crate::indexes::Indexes;
use crate::lock::OWNER_LOCK;
use crate::manifest::Manifest;
use crate::repair::QUARANTINE_OWN;
use crate::roles::{Counts, DescribeCollection, MaintainCollection};
use crate::schema::{COLUMNS_KEY, GENERATION_KEY, cf};
use crate::seal::Seal;
use crate::truth::{TRUTH, Truth, truth_dir};
use crate::vault::{HEADERS, SEALED_MANIFEST};
use crate::{fs, originals};

/// Bytes of entries that are written to RocksDB in one batch.
const BATCH_BYTES: usize = 4 << 20;
/// Between two looks whether to stop.
const ENTRIES_BETWEEN_LOOKS: u64 = 1 << 10;
/// In a collection's directory: files about the collection from outside of it, in the new form, until they are in their
/// places.
pub(crate) const OWNED: &str = "owned";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rewritten {
    pub entries: u64,
    /// Other files; their bytes are those before sealing.
    pub files: u64,
    pub bytes: u64,
    pub missing: u64,
}

/// The progress of a collection on its way into a vault or out of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResealProgress {
    /// Entries of RocksDB, each of which is written once and read twice; `of` is an estimate.
    Entries { done: u64, of: u64 },
    /// Bytes of indexes and copies of source files.
    Files { done: u64, of: u64 },
    /// The other form is in place; the plain one is being overwritten. It can no longer be cancelled.
    Overwriting,
}

#[derive(Clone, Copy)]
pub struct Waiting<'w> {
    cancel: &'w Cancel,
    hear: Option<&'w dyn Fn(ResealProgress)>,
}

impl<'w> Waiting<'w> {
    /// `hear` is called often, from the thread that moves.
    pub fn hearing(cancel: &'w Cancel, hear: &'w dyn Fn(ResealProgress)) -> Self {
        Self { cancel, hear: Some(hear) }
    }

    /// Set when it is to stop.
    pub fn cancel(self) -> &'w Cancel {
        self.cancel
    }

    pub(crate) fn tell(self, moving: ResealProgress) {
        if let Some(hear) = self.hear {
            hear(moving);
        }
    }
}

impl<'w> From<&'w Cancel> for Waiting<'w> {
    fn from(cancel: &'w Cancel) -> Self {
        Self { cancel, hear: None }
    }
}

/// Writes the collection in `from`, which must not be open, into `to`, which contains only headers. Returns the
/// numbers of documents, pages and chunks. Errors: [`ErrorCode::WrongState`] if a file of the directory has no place in
/// the new one; [`ErrorCode::Corrupt`] for damage; [`ErrorCode::Cancelled`]. `from` is never changed.
pub(crate) fn rewrite(
    from: &Path,
    to: &Path,
    old: &Seal,
    new: &Seal,
    waiting: Waiting<'_>,
) -> Result<(Rewritten, Counts)> {
    // The first open may migrate, which leaves a backup until the second.
    drop(LocalCollection::open_with(from, true, old)?);
    let counts = {
        // Brings the indexes to the end of the log, saves them, and clears away the remains of earlier work.
        let collection = LocalCollection::open_with(from, true, old)?;
        collection.flush()?;
        collection.counts()?
    };
    check_entries(from)?;
    let manifest = Manifest::read(from, old)?;
    let all_files = fs::dir_bytes(from)?.saturating_sub(fs::dir_bytes(&truth_dir(from))?);
    let mut work = Work { from, to, old, new, waiting, entries: (0, 0), all_files, done: Rewritten::default() };
    let documents = work.truth(&manifest)?;
    manifest.write(to, new)?;
    if from.join(COLUMNS).exists() {
        work.file(Path::new(COLUMNS), Path::new(COLUMNS))?;
    }
    for index in Indexes::DIRECTORIES {
        work.index(index)?;
    }
    work.originals(&documents)?;
    work.uploads(&manifest, &documents)?;
    work.quarantine()?;
    fs::sync_dirs(to)?;
    let done = work.done;
    let written = LocalCollection::open_with(to, true, new)?;
    if written.counts()? != counts {
        return Err(differs(to));
    }
    drop(written);
    Ok((done, counts))
}

/// Refuses a directory with files that would be lost, because nothing else is copied.
fn check_entries(dir: &Path) -> Result<()> {
    for entry in fs::entries(dir)? {
        let name = entry.file_name().to_string_lossy().into_owned();
        let known =
            [TRUTH, ORIGINALS, UPLOADS, QUARANTINE, COLUMNS, OWNED, OWNER_LOCK, Manifest::FILE, SEALED_MANIFEST];
        let is_left_over = name.ends_with(".partial") || name == fs::ATTEMPT;
        if known.contains(&&*name)
            || Indexes::DIRECTORIES.contains(&&*name)
            || HEADERS.contains(&&*name)
            || is_left_over
        {
            continue;
        }
        let place = dir.join(&name);
        let message = format!("{} would be lost, so nothing was done.", place.display());
        return Err(Error::new(ErrorCode::WrongState, message).with_hint(
            "It is not a part of the documents, and cannot be encrypted or decrypted with them. Look at it, move it to another \
             folder or delete it, then try again.",
        ));
    }
    Ok(())
}

struct Work<'w> {
    from: &'w Path,
    to: &'w Path,
    old: &'w Seal,
    new: &'w Seal,
    waiting: Waiting<'w>,
    /// Entries that were written or read so far, and of how many, about.
    entries: (u64, u64),
    /// Bytes of all files besides RocksDB's.
    all_files: u64,
    done: Rewritten,
}

impl Work<'_> {
    /// To be called for every [`ENTRIES_BETWEEN_LOOKS`]th entry.
    fn look(&mut self) -> Result<()> {
        self.entries.0 += ENTRIES_BETWEEN_LOOKS;
        let (done, of) = self.entries;
        self.waiting.tell(ResealProgress::Entries { done: done.min(of), of });
        self.waiting.cancel.check()
    }

    /// Copies and compares RocksDB. The documents that it has.
    fn truth(&mut self, manifest: &Manifest) -> Result<Vec<DocumentMeta>> {
        let (from, to) = (truth_dir(self.from), truth_dir(self.to));
        let mut documents = Vec::new();
        {
            let source = Truth::open(&from, self.old)?;
            let target = Truth::create(&to, &manifest.identity(), self.new)?;
            // Written once, and read from both.
            self.entries.1 = 3 * source.entries_about();
            let reader = source.reader();
            for family in cf::ALL {
                let (mut batch, mut bytes) = (target.batch(), 0);
                for (number, entry) in (0_u64..).zip(reader.scan_all(family)?) {
                    let (key, value) = entry?;
                    if is_of_the_vault(family, &key) {
                        continue;
                    }
                    batch.put(family, &key, &value)?;
                    bytes += key.len() + value.len();
                    if bytes >= BATCH_BYTES {
                        target.write_lazily(std::mem::replace(&mut batch, target.batch()))?;
                        bytes = 0;
                    }
                    if number.is_multiple_of(ENTRIES_BETWEEN_LOOKS) {
                        self.look()?;
                    }
                }
                target.write_lazily(batch)?;
            }
            // Not only in the log, which a power failure may cut off.
            target.flush_all()?;
            for range in reader.slot_ranges()? {
                let id = range?.document;
                let record = reader.document(id)?.ok_or_else(|| corrupt(format!("Document {id} is missing.")))?;
                documents.push(record.meta);
            }
        }
        let [source, target] = [Truth::open_to_compare(&from, self.old)?, Truth::open_to_compare(&to, self.new)?];
        for family in cf::ALL {
            let [before, after] = [self.tally(&source, family)?, self.tally(&target, family)?];
            if before != after {
                return Err(differs(&to));
            }
            self.done.entries += after.entries;
        }
        Ok(documents)
    }

    /// A digest of the content of a family, whatever the order of its keys.
    fn tally(&mut self, truth: &Truth, family: &str) -> Result<Tally> {
        let mut tally = Tally::default();
        for entry in truth.db().iterator_cf(truth.cf(family)?, IteratorMode::Start) {
            let (key, value) = truth.opened(family, entry.map_err(|error| truth.error(error))?)?;
            if is_of_the_vault(family, &key) {
                continue;
            }
            tally.add(&key, &value);
            if tally.entries.is_multiple_of(ENTRIES_BETWEEN_LOOKS) {
                self.look()?;
            }
        }
        Ok(tally)
    }

    /// The files of an index: the same, by the same names. Locks are empty, and made when they are needed.
    fn index(&mut self, index: &str) -> Result<()> {
        let folder = self.from.join(index);
        fs::create_dir(&self.to.join(index))?;
        for entry in fs::dir_entries_or_none(&folder)? {
            let name = entry.file_name();
            let text = name.to_string_lossy();
            if entry.path().is_file() && !text.ends_with(".lock") && !text.ends_with(".partial") {
                let place = Path::new(index).join(&name);
                self.file(&place, &place)?;
            }
        }
        Ok(())
    }

    /// The copies of source files. Their names identify their documents, in each form in another way.
    fn originals(&mut self, documents: &[DocumentMeta]) -> Result<()> {
        let folder = self.to.join(ORIGINALS);
        fs::create_dir(&folder)?;
        for meta in documents.iter().filter(|meta| meta.original_stored) {
            let from = originals::path(&self.from.join(ORIGINALS), meta, self.old);
            if !from.exists() {
                self.done.missing += 1;
                continue;
            }
            let to = originals::new_path(&folder, meta, self.new);
            self.file(&below(self.from, &from), &below(self.to, &to))?;
        }
        Ok(())
    }

    /// Uploads. In a vault their names do not reveal their paths, which the documents made of them do. One without a
    /// document keeps its name.
    fn uploads(&mut self, manifest: &Manifest, documents: &[DocumentMeta]) -> Result<()> {
        let mut paths = HashMap::new();
        if self.old.is_sealed() {
            for meta in documents {
                let relative = uploaded(manifest.collection.id, Path::new(&meta.path));
                let hidden = relative.and_then(|relative| self.old.hidden_name(relative.to_str()?));
                paths.extend(hidden.zip(relative));
            }
        }
        let folder = self.from.join(UPLOADS);
        for path in files_below(&folder)? {
            let relative = below(&folder, &path);
            let text = relative.to_string_lossy();
            // One that was being uploaded when the process ended.
            if text.starts_with('.') {
                continue;
            }
            let named = match self.new.hidden_name(&text) {
                Some(hidden) => PathBuf::from(hidden),
                None => paths.get(&*text).map_or_else(|| relative.clone(), |path| path.to_path_buf()),
            };
            let to = Path::new(UPLOADS).join(named);
            if let Some(parent) = self.to.join(&to).parent() {
                fs::create_dir(parent)?;
            }
            self.file(&Path::new(UPLOADS).join(&relative), &to)?;
        }
        Ok(())
    }

    /// Writes a file in the new form and compares its content. Both paths are below those of the collections.
    fn file(&mut self, from: &Path, to: &Path) -> Result<()> {
        let (source, target) = (self.from.join(from), self.to.join(to));
        let [unread, unwritten] = [&source, &target].map(|path| {
            move |error: std::io::Error| {
                error.downcast::<Error>().unwrap_or_else(|error| Error::io(path.display(), error))
            }
        });
        let mut input = self.old.open(&source, &known_as(from)).map_err(unread)?;
        let mut output = self.new.create(&target, &known_as(to))?;
        let (mut hasher, mut bytes) = (sha2::Sha256::new(), 0);
        let mut buffer = vec![0; 1 << 18];
        loop {
            self.waiting.cancel.check()?;
            let read = input.read(&mut buffer).map_err(unread)?;
            if read == 0 {
                break;
            }
            output.write_all(&buffer[..read]).map_err(unwritten)?;
            hasher.update(&buffer[..read]);
            bytes += read as u64;
        }
        output.finish().map_err(unwritten)?;
        let written = originals::digest(&target, &known_as(to), self.new).map_err(unwritten)?;
        if written != (Sha256(hasher.finalize().into()), bytes) {
            return Err(differs(&target));
        }
        self.done.files += 1;
        self.done.bytes += bytes;
        let of = self.all_files;
        self.waiting.tell(ResealProgress::Files { done: self.done.bytes.min(of), of });
        Ok(())
    }

    /// The files that repairs put aside. They are damaged by nature: those that do not open in the old form are taken along as they are.
    fn quarantine(&mut self) -> Result<()> {
        for path in files_below(&self.from.join(QUARANTINE))? {
            let place = below(self.from, &path);
            if let Some(parent) = self.to.join(&place).parent() {
                fs::create_dir(parent)?;
            }
            // Reports are known only by their own names.
            let own = path.file_name().map(PathBuf::from).unwrap_or_default();
            let names = [known_as(&place), known_as(&own)];
            let content = names.iter().find_map(|name| self.old.read(&path, name).ok());
            let content =
                content.map_or_else(|| std::fs::read(&path).map_err(|error| Error::io(path.display(), error)), Ok)?;
            let name = if QUARANTINE_OWN.iter().any(|known| own == Path::new(known)) { &names[1] } else { &names[0] };
            self.new.write_atomically(&self.to.join(&place), name, &content)?;
            self.done.files += 1;
            self.done.bytes += content.len() as u64;
        }
        Ok(())
    }
}

/// True if an entry describes the vault that a collection is in, and not the collection.
fn is_of_the_vault(family: &str, key: &[u8]) -> bool {
    family == cf::META && [GENERATION_KEY, COLUMNS_KEY].iter().any(|other| key == other)
}

/// Number and sum of entries. The sum is over digests of them, as numbers of 64 bits, so that it does not depend on their order.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    entries: u64,
    sum: [u64; 4],
}

impl Tally {
    fn add(&mut self, key: &[u8], value: &[u8]) {
        let digest =
            sha2::Sha256::new().chain_update((key.len() as u64).to_le_bytes()).chain_update(key).chain_update(value);
        let digest: [u8; 32] = digest.finalize().into();
        for (sum, part) in self.sum.iter_mut().zip(digest.as_chunks::<8>().0) {
            *sum = sum.wrapping_add(u64::from_le_bytes(*part));
        }
        self.entries += 1;
    }
}

/// The name that a file is sealed under: its path in the collection, the same on every system.
fn known_as(path: &Path) -> String {
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

fn below(dir: &Path, path: &Path) -> PathBuf {
    path.strip_prefix(dir).unwrap_or(path).to_owned()
}

/// All files below a directory; none if it is not there. Links are not followed.
fn files_below(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::dir_entries_or_none(dir)? {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(files_below(&entry.path())?),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
    Ok(found)
}

/// The error for written data that differs from its source: the disk or memory is at fault.
fn differs(path: &Path) -> Error {
    Error::new(ErrorCode::Io, format!("{} does not hold the data that were just written to it.", path.display()))
        .with_hint("Nothing was changed. Check the disk and the memory of this machine, then try again.")
}
