//! Moving a collection into a vault and out of it: it is written again in the other form next to itself, and replaces
//! itself in one step.
//!
//! | directory | holds |
//! |---|---|
//! | `<id>` | the collection, in the old form until the exchange and in the new one from then on |
//! | `.resealing-<id>` | the new form, before the exchange |
//! | `.wiping-<id>` | the old form, from the exchange until its files are overwritten and removed |
//!
//! A kill leaves the collection in one of the two forms, whole: a new form in the making is discarded at the next
//! start, an old form after the exchange is cleared away ([`Registry::clear_remains`]). Files about the collection
//! outside of the directory are written in the new form into its folder `owned/` beforehand, so that they are exchanged
//! as well, at the latest at the next start and without the key ([`Registry::owned_waiting`]).

use std::path::{Path, PathBuf};

use casetrack_core::{CollectionId, Error, ErrorCode, Result};
use casetrack_vault::header::Header;
use casetrack_vault::key::VaultKey;

use super::Registry;
use crate::external::sealed;
use crate::lock::OwnerLock;
use crate::reseal::{OWNED, ResealProgress, Rewritten, Waiting, rewrite};
use crate::roles::Counts;
use crate::seal::Seal;
use crate::truth::truth_dir;
use crate::vault_state::VaultStateFile;
use crate::wipe::{Wiped, wipe_dir};
use crate::{fs, vault};

const RESEALING_PREFIX: &str = ".resealing-";
const WIPING_PREFIX: &str = ".wiping-";

/// RocksDB takes at most this multiple of its bytes while it is written again: sealed values do not share their
/// repetitions, and tables are merged into new ones before the old ones go.
const TRUTH_FACTOR: u64 = 3;
/// Disk that is needed besides.
const SPARE_BYTES: u64 = 64 << 20;

/// A file about a collection outside of its directory: its path below the data directory, by which it is also sealed,
/// and its content before it is sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owned {
    pub name: String,
    pub content: Vec<u8>,
}

/// The space on disk that writing a collection again takes while it is under way: moving it into a vault or out of it,
/// or to other models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    pub needed: u64,
    pub free: u64,
}

impl Space {
    /// Errors: [`ErrorCode::DiskFull`] if there is too little.
    pub fn check(self) -> Result<()> {
        let Self { needed, free } = self;
        let mb = |bytes: u64| bytes.div_ceil(1 << 20);
        if free < needed {
            let message = format!("The disk has {} MB free, and this needs up to {} MB.", mb(free), mb(needed));
            return Err(Error::new(ErrorCode::DiskFull, message).with_hint(
                "Nothing was changed. Make room, then try again: the space is free again when it is done.",
            ));
        }
        Ok(())
    }
}

#[derive(Debug)]
pub struct Resealed {
    pub counts: Counts,
    pub rewritten: Rewritten,
    /// The amounts of the plain form that were overwritten; nothing if it was sealed before.
    pub wiped: Wiped,
    /// Why a part of the old form is still there; it goes at the next start.
    pub left: Option<Error>,
}

impl Registry {
    pub fn space_to_reseal(&self, id: CollectionId) -> Result<Space> {
        let dir = self.path(id);
        let (all, truth) = (fs::dir_bytes(&dir)?, fs::dir_bytes(&truth_dir(&dir))?);
        let rest = all.saturating_sub(truth);
        let free = fs4::available_space(&self.root).map_err(|error| Error::io(self.root.display(), error))?;
        Ok(Space { needed: truth.saturating_mul(TRUTH_FACTOR) + rest + rest / 64 + SPARE_BYTES, free })
    }

    /// Moves a collection, which must not be open, into a vault, keeps its key, and overwrites the plain form. `owned`
    /// takes its new form in the collection's folder: see [`owned_waiting`](Self::owned_waiting). Errors:
    /// [`ErrorCode::InvalidArgument`] for a vault, [`ErrorCode::InUse`] if the collection is open,
    /// [`ErrorCode::DiskFull`], [`ErrorCode::Cancelled`], and those of [`rewrite`]. After an error the collection is as
    /// it was.
    pub fn seal_collection<'w>(
        &self,
        id: CollectionId,
        key: VaultKey,
        header: &Header,
        owned: &[Owned],
        waiting: impl Into<Waiting<'w>>,
    ) -> Result<Resealed> {
        if self.is_vault(id) {
            return Err(Error::invalid(format!("Collection {id} is a vault already.")));
        }
        if [key.collection(), header.collection()] != [id; 2] {
            return Err(Error::internal("A vault needs a key and a header of its own."));
        }
        let new = Form { seal: Seal::with(&key)?, key: Some(&key), header: Some(header) };
        let resealed = self.reseal(id, &Seal::default(), &new, owned, waiting.into(), || {
            // From the exchange on it is unlocked.
            self.keyring.set(id, Some(key.clone()));
        });
        resealed.inspect_err(|_| {
            self.keyring.set(id, None);
        })
    }

    /// Moves an unlocked vault, which must not be open, out of it: everyone who has the files of the collection can
    /// read it then. Errors: [`ErrorCode::Locked`]; otherwise as [`seal_collection`](Self::seal_collection).
    pub fn unseal_collection<'w>(
        &self,
        id: CollectionId,
        owned: &[Owned],
        waiting: impl Into<Waiting<'w>>,
    ) -> Result<Resealed> {
        if self.key(id)?.is_none() {
            return Err(Error::invalid(format!("Collection {id} is not a vault.")));
        }
        let new = Form { seal: Seal::default(), key: None, header: None };
        let resealed = self.reseal(id, &self.seal(id)?, &new, owned, waiting.into(), || ())?;
        self.keyring.set(id, None);
        if let Err(error) = VaultStateFile::forget(&self.seen_path(id)) {
            tracing::warn!(%error, "the recorded state of a vault is left");
        }
        Ok(resealed)
    }

    fn reseal(
        &self,
        id: CollectionId,
        old: &Seal,
        new: &Form<'_>,
        owned: &[Owned],
        waiting: Waiting<'_>,
        before_exchange: impl FnOnce(),
    ) -> Result<Resealed> {
        self.space_to_reseal(id)?.check()?;
        let (dir, copy) = (self.path(id), self.resealing_path(id));
        // A move to other models begins again: its stored part is in the old form.
        clear(&self.moving_path(id))?;
        // What an earlier try left because it could not be cleared away.
        clear(&copy)?;
        clear(&self.wiping_path(id))?;
        let written = self.write_copy(id, old, new, owned, waiting).and_then(|written| {
            waiting.cancel().check()?;
            before_exchange();
            self.exchange(&dir, &copy, &self.wiping_path(id)).map(|()| written)
        });
        let (rewritten, counts) = match written {
            Ok(written) => written,
            Err(error) => {
                if let Err(left) = clear(&copy) {
                    tracing::warn!(error = %left, "a partial copy is left; it is removed when CaseTrack starts again");
                }
                return Err(error);
            }
        };
        // The move is done; later failures do not change that.
        waiting.tell(ResealProgress::Overwriting);
        let (wiped, left) = match clear(&self.wiping_path(id)) {
            Ok(wiped) => (wiped, None),
            Err(error) => (Wiped::default(), Some(error)),
        };
        Ok(Resealed { counts, rewritten, wiped, left })
    }

    fn write_copy(
        &self,
        id: CollectionId,
        old: &Seal,
        new: &Form<'_>,
        owned: &[Owned],
        waiting: Waiting<'_>,
    ) -> Result<(Rewritten, Counts)> {
        let (dir, copy) = (self.path(id), self.resealing_path(id));
        fs::create_dir(&copy)?;
        if let Some(header) = new.header {
            vault::write(&copy, header)?;
        }
        if new.key.is_some() {
            // Created even if empty, for the files that the owner of the data directory still has to forget.
            fs::create_dir(&copy.join(OWNED))?;
        }
        for Owned { name, content } in owned {
            let place = owned_place(&copy, name);
            place.parent().map_or(Ok(()), fs::create_dir)?;
            fs::write_atomically(&place, &sealed(new.key, id, name, content)?)?;
        }
        rewrite(&dir, &copy, old, &new.seal, waiting)
    }

    /// In one step for all other users.
    fn exchange(&self, dir: &Path, copy: &Path, wiping: &Path) -> Result<()> {
        // Released before the renaming, which an open file would prevent on Windows.
        for dir in [dir, copy] {
            drop(OwnerLock::acquire(dir)?);
        }
        let _nobody_lists = self.replacing();
        fs::rename_durably(dir, wiping)?;
        if let Err(error) = fs::rename_durably(copy, dir) {
            fs::rename_durably(wiping, dir)?;
            return Err(error);
        }
        Ok(())
    }

    fn resealing_path(&self, id: CollectionId) -> PathBuf {
        self.root.join(format!("{RESEALING_PREFIX}{id}"))
    }

    fn wiping_path(&self, id: CollectionId) -> PathBuf {
        self.root.join(format!("{WIPING_PREFIX}{id}"))
    }

    /// Ends exchanges that a kill interrupted, and clears away partial copies and old forms.
    pub(super) fn finish_resealing(&self) -> Result<()> {
        for name in self.names()? {
            let of = |prefix| name.strip_prefix(prefix).and_then(|id| id.parse::<CollectionId>().ok());
            if let Some(id) = of(WIPING_PREFIX) {
                let (dir, copy, wiping) = (self.path(id), self.resealing_path(id), self.root.join(&name));
                match (dir.is_dir(), copy.is_dir()) {
                    (true, _) => {}
                    // It leaves its place only when the other is whole.
                    (false, true) => fs::rename_durably(&copy, &dir)?,
                    (false, false) => fs::rename_durably(&wiping, &dir)?,
                }
            }
        }
        for name in self.names()? {
            if name.starts_with(RESEALING_PREFIX) || name.starts_with(WIPING_PREFIX) {
                // It must not keep CaseTrack from starting.
                if let Err(error) = clear(&self.root.join(&name)) {
                    tracing::warn!(%error, "the files of a collection in its old form could not be overwritten and removed");
                }
            }
        }
        Ok(())
    }

    /// Removes the remains of moving a collection that is to go.
    pub(super) fn clear_resealing(&self, id: CollectionId) -> Result<()> {
        clear(&self.resealing_path(id))?;
        clear(&self.wiping_path(id)).map(drop)
    }

    /// Files about collections outside of their directories that have yet to take their new form: name and bytes, as they are to be
    /// stored. Needs no key. When all of a collection's are in their places, [`owned_done`](Self::owned_done) removes the list.
    pub fn owned_waiting(&self) -> Result<Vec<(CollectionId, Vec<Owned>)>> {
        let mut waiting = Vec::new();
        for id in self.ids()? {
            let folder = self.path(id).join(OWNED);
            if folder.is_dir() {
                waiting.push((id, read_owned(&folder)?));
            }
        }
        Ok(waiting)
    }

    pub fn owned_done(&self, id: CollectionId) -> Result<()> {
        fs::remove_dir(&self.path(id).join(OWNED))
    }
}

struct Form<'k> {
    seal: Seal,
    key: Option<&'k VaultKey>,
    header: Option<&'k Header>,
}

/// Removes a directory; plain files in it are overwritten before.
fn clear(dir: &Path) -> Result<Wiped> {
    if vault::is_one(dir) {
        return fs::remove_dir(dir).map(|()| Wiped::default());
    }
    wipe_dir(dir)
}

fn owned_place(dir: &Path, name: &str) -> PathBuf {
    name.split('/').fold(dir.join(OWNED), |path, part| path.join(part))
}

/// All files of `owned/`, which is two levels deep at most, with their paths in it for names.
fn read_owned(folder: &Path) -> Result<Vec<Owned>> {
    let mut owned = Vec::new();
    for entry in fs::entries(folder)? {
        let name = entry.file_name().to_string_lossy().into_owned();
        match entry.path().is_dir() {
            true => owned.extend(
                read_owned(&entry.path())?
                    .into_iter()
                    .map(|below| Owned { name: format!("{name}/{}", below.name), ..below }),
            ),
            false => {
                let path = entry.path();
                let content = std::fs::read(&path).map_err(|error| Error::io(path.display(), error))?;
                owned.push(Owned { name, content });
            }
        }
    }
    Ok(owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_space_is_refused_with_numbers() {
        Space { needed: 5, free: 5 }.check().unwrap();
        let error = Space { needed: 3 << 20, free: (2 << 20) - 1 }.check().unwrap_err();
        assert_eq!(error.code, ErrorCode::DiskFull);
        assert!(error.message.contains("2 MB free") && error.message.contains("up to 3 MB"), "{}", error.message);
    }
}
