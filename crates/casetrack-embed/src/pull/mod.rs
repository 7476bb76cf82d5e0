//! `casetrack models pull`: downloads the models of the quality profile. Nothing else in CaseTrack uses the network.
//!
//! A model's files are collected in `.pulling/<id>` of the destination, each checked against the hashes that the
//! manifest and the hub name. When all are complete, the folder moves to its place in one step, with a record of sizes
//! and hashes. After an interruption, the next pull continues with the bytes already downloaded.
//!
//! The client is `ureq`. The crate `hf-hub` would not do: since 1.0 it brings an asynchronous client with its runtime, and the last
//! version without them checks no hashes, keeps a second copy of every file in its cache, and has no offline mode.

mod cache;
mod hub;
mod settings;
#[cfg(test)]
mod tests;
mod transfer;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Component, Path, PathBuf};

use casetrack_core::{Action, Error, ErrorCode, Result};

use crate::checksum::{ExpectedChecksum, FileChecksum};
use crate::manifest::{FileSpec, ModelManifest, ModelProfile, ModelSpec};
use crate::pull_record::{PullRecord, PulledFile};
use crate::state::ModelState;
use cache::RepositoryCache;
use hub::{Hub, RemoteFile};
pub use settings::{HubSettings, Patience};
use transfer::TransferEvent;

/// Folder of unfinished pulls within the destination.
const STAGING_DIR: &str = ".pulling";

/// An event of a pull.
#[derive(Debug)]
pub enum PullEvent<'a> {
    /// A model is missing and its files on the hub are known; `bytes` is their total size, 0 if the hub does not give it.
    Started { model: &'a str, files: usize, bytes: u64 },
    /// This many bytes of the model are on the disk.
    Received { model: &'a str, bytes: u64 },
    /// A file is complete and checked. It was `downloaded`, or found on this machine.
    FileDone { model: &'a str, name: &'a str, bytes: u64, downloaded: bool },
    /// The connection broke; the download will continue.
    Retrying { model: &'a str, reason: &'a str },
    /// The model is in its place; `already` if it was there before.
    Finished { model: &'a str, already: bool },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PulledModel {
    pub id: String,
    pub dir: PathBuf,
    /// True if it was there before.
    pub already: bool,
    /// Bytes that came over the network.
    pub downloaded: u64,
}

/// Brings the models with these ids, or all of the quality profile, into `destination`, one after the other.
///
/// Models that are present and undamaged cost no request. Ends with the first error, and keeps earlier downloads.
/// Errors: `Network`, `PermissionDenied`, `NotFound`, `DiskFull`, `Corrupt` when a file differs from the expected one
/// (it is deleted), `InUse` while another pull runs, `MissingDependency` offline.
pub fn pull(
    models_dir: &Path,
    ids: &[String],
    destination: &Path,
    settings: &HubSettings,
    report: &mut dyn FnMut(PullEvent<'_>),
) -> Result<Vec<PulledModel>> {
    let manifest = ModelManifest::load_pins(models_dir)?;
    let models = select(&manifest, ids)?;
    let mut pull = Pull { manifest: &manifest, destination, settings, hub: None, report };
    let mut result = Vec::new();
    let mut missing = Vec::new();
    for model in models {
        match pull.model(model) {
            Ok(pulled) => result.push(pulled),
            // Offline, one error lists everything that is missing.
            Err(error) if settings.offline && error.code == ErrorCode::MissingDependency => missing.push(error.message),
            Err(error) => return Err(error),
        }
    }
    if missing.is_empty() { Ok(result) } else { Err(offline(&format!("Not on this machine: {}", missing.join("; ")))) }
}

fn select<'a>(manifest: &'a ModelManifest, ids: &[String]) -> Result<Vec<&'a ModelSpec>> {
    let quality = || manifest.models().iter().filter(|model| model.profile == ModelProfile::Quality);
    if ids.is_empty() {
        return Ok(quality().collect());
    }
    let known = || quality().map(|model| model.id.as_str()).collect::<Vec<_>>().join(", ");
    let find = |id: &String| match manifest.models().iter().find(|model| model.id == *id) {
        Some(model) if model.profile == ModelProfile::Quality => Ok(model),
        Some(model) if model.profile == ModelProfile::Multilingual => {
            Err(Error::invalid(format!("{id} is not downloaded from a hub.")).with_hint(Action::AddModels))
        }
        Some(_) => Err(Error::invalid(format!("{id} ships with CaseTrack; there is nothing to pull"))
            .with_hint(format!("Models that can be pulled: {}.", known()))),
        None => Err(Error::new(ErrorCode::NotFound, format!("There is no model {id}"))
            .with_hint(format!("Models that can be pulled: {}.", known()))),
    };
    ids.iter().map(find).collect()
}

struct Pull<'a> {
    manifest: &'a ModelManifest,
    destination: &'a Path,
    settings: &'a HubSettings,
    hub: Option<Hub>,
    report: &'a mut dyn FnMut(PullEvent<'_>),
}

/// A file, its known properties, and its source.
struct FileDownload<'a> {
    file: &'a FileSpec,
    expected: ExpectedChecksum,
    remote: Option<RemoteFile>,
}

impl Pull<'_> {
    fn model(&mut self, model: &ModelSpec) -> Result<PulledModel> {
        if let ModelState::Present = self.manifest.state(model) {
            (self.report)(PullEvent::Finished { model: &model.id, already: true });
            let dir = self.manifest.model_dir(model);
            return Ok(PulledModel { id: model.id.clone(), dir, already: true, downloaded: 0 });
        }
        check_names(model)?;
        let staging = Staging::open(self.destination, &model.id)?;
        let cache = self.settings.cache.as_deref().map(|dir| RepositoryCache::new(dir, &model.source_repository));
        let (commit, wanted) = self.plan(model, cache.as_ref())?;
        if !self.settings.offline {
            let bytes = wanted.iter().map(|wanted| wanted.expected.size).sum::<Option<u64>>().unwrap_or(0);
            (self.report)(PullEvent::Started { model: &model.id, files: wanted.len(), bytes });
        }
        let (mut files, mut missing) = (Vec::new(), Vec::new());
        let (mut done, mut downloaded) = (0, 0);
        for wanted in &wanted {
            let name = &wanted.file.name;
            let staged = staging.file(name);
            let cached = cache.as_ref().and_then(|cache| cache.file(&commit, name));
            let beside = self.manifest.model_dir(model).join(name);
            let found = match take_local(wanted, &staged, &beside, cached)? {
                Some(found) => Some((found, None)),
                None => self.download(model, wanted, &staging, done)?.map(|(found, bytes)| (found, Some(bytes))),
            };
            let Some((found, fetched)) = found else {
                missing.push(name.as_str());
                continue;
            };
            done += found.size;
            downloaded += fetched.unwrap_or(0);
            let (bytes, downloaded) = (found.size, fetched.is_some());
            (self.report)(PullEvent::Received { model: &model.id, bytes: done });
            (self.report)(PullEvent::FileDone { model: &model.id, name, bytes, downloaded });
            files.push(PulledFile { name: name.clone(), size: found.size, sha256: found.sha256 });
        }
        if !missing.is_empty() {
            return Err(offline(&format!("{} (lacks {})", model.id, missing.join(", "))));
        }
        let record = PullRecord { repository: model.source_repository.clone(), revision: commit, files };
        let dir = staging.install(&record)?;
        (self.report)(PullEvent::Finished { model: &model.id, already: false });
        Ok(PulledModel { id: model.id.clone(), dir, already: false, downloaded })
    }

    /// Finds the commit and, for each file, size and hash.
    fn plan<'m>(
        &mut self,
        model: &'m ModelSpec,
        cache: Option<&RepositoryCache>,
    ) -> Result<(String, Vec<FileDownload<'m>>)> {
        let pinned = |file: &FileSpec| ExpectedChecksum { sha256: file.sha256, ..ExpectedChecksum::default() };
        if self.settings.offline {
            let commit = cache.and_then(|cache| cache.commit(&model.source_revision));
            let commit = commit.unwrap_or_else(|| model.source_revision.clone());
            let wanted = model.files.iter().map(|file| FileDownload { file, expected: pinned(file), remote: None });
            return Ok((commit, wanted.collect()));
        }
        let hub = self.hub.get_or_insert_with(|| Hub::new(self.settings));
        let mut commit = model.source_revision.clone();
        let mut wanted = Vec::new();
        for file in &model.files {
            let mut remote = hub.describe(&model.source_repository, &commit, &file.name)?;
            if is_commit(&commit) && remote.commit != commit {
                let problem = format!("it is from revision {}, expected {commit}", remote.commit);
                return Err(wrong(&file.name, model, &problem));
            }
            // All files come from the commit of the first one, even if the branch moves in the meantime.
            commit.clone_from(&remote.commit);
            if let (Some(pinned), Some(offered)) = (file.sha256, remote.expected.sha256)
                && pinned != offered
            {
                let problem = format!("the hub has SHA-256 {offered}, the manifest expects {pinned}");
                return Err(wrong(&file.name, model, &problem));
            }
            remote.expected.sha256 = file.sha256.or(remote.expected.sha256);
            wanted.push(FileDownload { file, expected: remote.expected, remote: Some(remote) });
        }
        Ok((commit, wanted))
    }

    /// Downloads a file into the staging folder and checks it: its size and hash, and the bytes that came over the network. `None` offline.
    fn download(
        &mut self,
        model: &ModelSpec,
        wanted: &FileDownload<'_>,
        staging: &Staging,
        done: u64,
    ) -> Result<Option<(FileChecksum, u64)>> {
        let (Some(remote), Some(hub)) = (&wanted.remote, &self.hub) else {
            return Ok(None);
        };
        let name = &wanted.file.name;
        let what = format!("{name} of {}", model.source_repository);
        let part = staging.part(name, &wanted.expected);
        let report = &mut *self.report;
        let received = transfer::fetch(hub, remote, &what, &part, &mut |event| match event {
            TransferEvent::Received(bytes) => report(PullEvent::Received { model: &model.id, bytes: done + bytes }),
            TransferEvent::Retrying(error) => {
                report(PullEvent::Retrying { model: &model.id, reason: &error.message });
            }
        })?;
        match wanted.expected.check(&part).map_err(|error| Error::io(part.display(), error))? {
            Ok(found) => {
                rename(&part, &staging.file(name))?;
                Ok(Some((found, received)))
            }
            Err(problem) => {
                fs::remove_file(&part).map_err(|error| Error::io(part.display(), error))?;
                Err(wrong(name, model, &format!("{problem}. It has been deleted")))
            }
        }
    }
}

/// Takes a file that is on this machine already: from an earlier, interrupted pull, from the model's own folder if
/// other files are damaged, or from Hugging Face's cache. Only a file whose hash is known beforehand is taken.
fn take_local(
    wanted: &FileDownload<'_>,
    staged: &Path,
    beside: &Path,
    cached: Option<(PathBuf, ExpectedChecksum)>,
) -> Result<Option<FileChecksum>> {
    let cached = cached.map(|(path, told)| {
        let known = wanted.expected.has_hash();
        (path, if known { wanted.expected } else { ExpectedChecksum { size: wanted.expected.size, ..told } })
    });
    let own = [staged, beside].map(|path| (path.to_owned(), wanted.expected));
    for (path, expected) in own.into_iter().chain(cached) {
        if !expected.has_hash() || !path.is_file() {
            continue;
        }
        let checked = expected.check(&path).map_err(|error| Error::io(path.display(), error))?;
        let Ok(found) = checked else { continue };
        if path != staged {
            make_parent(staged)?;
            fs::copy(&path, staged).map_err(|error| Error::io(staged.display(), error))?;
        }
        return Ok(Some(found));
    }
    Ok(None)
}

/// The folder in which a model's files are collected, locked against a second pull of the same model.
struct Staging {
    dir: PathBuf,
    target: PathBuf,
    _lock: File,
}

impl Staging {
    fn open(destination: &Path, id: &str) -> Result<Self> {
        let dir = destination.join(STAGING_DIR).join(id);
        for folder in ["files", "parts"].map(|name| dir.join(name)) {
            fs::create_dir_all(&folder).map_err(|error| Error::io(folder.display(), error))?;
        }
        let path = destination.join(STAGING_DIR).join(format!("{id}.lock"));
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let lock = lock.map_err(|error| Error::io(path.display(), error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { dir, target: destination.join(id), _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err(Error::new(ErrorCode::InUse, format!("{id} is being pulled by another process"))
                    .with_hint("Wait until that is done."))
            }
            Err(TryLockError::Error(error)) => Err(Error::io(path.display(), error)),
        }
    }

    /// The path of a complete file.
    fn file(&self, name: &str) -> PathBuf {
        self.dir.join("files").join(name)
    }

    /// The path that a file is downloaded to. The name contains its hash, so that the beginning of one version is never
    /// continued with the rest of another.
    fn part(&self, name: &str, expected: &ExpectedChecksum) -> PathBuf {
        let hash = match (expected.sha256, expected.git_blob) {
            (Some(sha256), _) => format!("{:.16}", sha256.to_string()),
            (None, Some(blob)) => format!("{:.16}", blob.to_string()),
            (None, None) => "unknown".to_owned(),
        };
        self.dir.join("parts").join(format!("{}.{hash}", name.replace('/', "--")))
    }

    /// Writes the record and moves the model to its place, replacing the former one.
    fn install(self, record: &PullRecord) -> Result<PathBuf> {
        let files = self.dir.join("files");
        record.write(&files)?;
        if self.target.exists() {
            let old = self.dir.join("old");
            if old.exists() {
                fs::remove_dir_all(&old).map_err(|error| Error::io(old.display(), error))?;
            }
            rename(&self.target, &old)?;
        }
        rename(&files, &self.target)?;
        // The model is complete; leftovers may stay until the next pull.
        let _ = fs::remove_dir_all(&self.dir);
        Ok(self.target)
    }
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    make_parent(to)?;
    fs::rename(from, to).map_err(|error| Error::io(to.display(), error))
}

fn make_parent(path: &Path) -> Result<()> {
    match path.parent() {
        Some(folder) => fs::create_dir_all(folder).map_err(|error| Error::io(folder.display(), error)),
        None => Ok(()),
    }
}

/// True if a revision is a commit, which never changes, rather than a branch or tag.
fn is_commit(revision: &str) -> bool {
    revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Refuses ids and file names that would lead out of the model's folder, or need escaping in an address.
fn check_names(model: &ModelSpec) -> Result<()> {
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    let inside = |text: &str| {
        plain(text) && !text.is_empty() && Path::new(text).components().all(|part| matches!(part, Component::Normal(_)))
    };
    let names = model.files.iter().map(|file| file.name.as_str());
    match names.chain([model.id.as_str(), &model.source_repository, &model.source_revision]).find(|name| !inside(name))
    {
        Some(name) => {
            Err(Error::new(ErrorCode::Corrupt, format!("The model manifest has an impossible name: {name:?}"))
                .with_hint("Restore models/manifest.toml: reinstall CaseTrack."))
        }
        None => Ok(()),
    }
}

fn wrong(name: &str, model: &ModelSpec, problem: &str) -> Error {
    let message = format!("{name} of {} is not the expected file: {problem}", model.source_repository);
    Error::new(ErrorCode::Corrupt, message).with_hint(
        "Run the same command to download it again. If that does not help, something on the network changes files: \
         check the proxy and HF_ENDPOINT.",
    )
}

fn offline(missing: &str) -> Error {
    Error::new(ErrorCode::MissingDependency, missing).with_hint(
        "This is offline mode, which never uses the network. Without --offline and HF_HUB_OFFLINE the models are downloaded; or copy the \
         model's folder from a machine that has it.",
    )
}
