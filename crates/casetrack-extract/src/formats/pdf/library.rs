//! Finds libpdfium and loads it, once per process.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use casetrack_core::{Error, ErrorCode, Result};
use casetrack_pages::model::ExtractOptions;
use pdfium_render::prelude::{Pdfium, PdfiumError};

/// Names the library, a file or the directory that holds it.
const ENVIRONMENT_VARIABLE: &str = "CASETRACK_PDFIUM";

/// The library in use. It stays loaded until the process ends: unloading it would leave its callers with dangling code.
struct Loaded {
    pdfium: Pdfium,
    origin: String,
}

static LOADED: Mutex<Option<&'static Loaded>> = Mutex::new(None);

/// Where libpdfium was found; loads it if that was not done yet. Errors: `MissingDependency`, with every place that was
/// searched and how to get the library.
pub fn pdfium_status(options: &ExtractOptions) -> Result<String> {
    load(options).map(|loaded| loaded.origin.clone())
}

/// The library, loaded on the first call that finds it.
///
/// Searched in order: `options.pdfium`, the environment variable, `lib/` next to the executable, its directory, and
/// `../lib/casetrack` from there, the user's cache and data directories, the system's libraries. A place that is named
/// explicitly must have it.
pub(super) fn pdfium(options: &ExtractOptions) -> Result<&'static Pdfium> {
    load(options).map(|loaded| &loaded.pdfium)
}

fn load(options: &ExtractOptions) -> Result<&'static Loaded> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(loaded) = *loaded {
        return Ok(loaded);
    }
    let explicit = options.pdfium.clone().or_else(|| std::env::var_os(ENVIRONMENT_VARIABLE).map(PathBuf::from));
    let places = match &explicit {
        Some(place) => vec![place.clone()],
        None => usual_places(),
    };
    let mut tried = Vec::new();
    for place in &places {
        let file = if place.is_dir() { Pdfium::pdfium_platform_library_name_at_path(place) } else { place.clone() };
        if !file.is_file() {
            tried.push(format!("{}: not there", file.display()));
            continue;
        }
        match Pdfium::bind_to_library(&file) {
            Ok(bindings) => {
                let origin = file.display().to_string();
                return Ok(loaded.insert(Box::leak(Box::new(Loaded { pdfium: Pdfium::new(bindings), origin }))));
            }
            Err(error) => tried.push(format!("{}: {}", file.display(), reason(&error))),
        }
    }
    if explicit.is_none() {
        match Pdfium::bind_to_system_library() {
            Ok(bindings) => {
                let origin = "the system's libraries".to_owned();
                return Ok(loaded.insert(Box::leak(Box::new(Loaded { pdfium: Pdfium::new(bindings), origin }))));
            }
            Err(error) => tried.push(format!("the system's libraries: {}", reason(&error))),
        }
    }
    Err(Error::new(
        ErrorCode::MissingDependency,
        format!("PDF files need libpdfium, which was not found. These places were searched: {}.", tried.join("; ")),
    )
    .with_hint(format!(
        "Packages of CaseTrack carry it, and scripts/setup.sh fetches it. Or put {} into one of these places, or name it in \
         {ENVIRONMENT_VARIABLE}.",
        Pdfium::pdfium_platform_library_name().to_string_lossy()
    )))
}

fn usual_places() -> Vec<PathBuf> {
    let mut places = Vec::new();
    if let Ok(program) = std::env::current_exe() {
        places.extend(installed_with(&program));
    }
    if let Some(home) = std::env::home_dir() {
        places.extend([home.join(".cache/casetrack/pdfium"), home.join(".local/share/casetrack")]);
    }
    places
}

/// The folder of the library of an installed program. Only Linux gives the path of a program without the links that
/// lead to it.
fn installed_with(program: &Path) -> Vec<PathBuf> {
    let program = casetrack_core::real_path(program).unwrap_or_else(|_| program.to_owned());
    let Some(directory) = program.parent() else { return Vec::new() };
    let prefixed = directory.parent().map(|prefix| prefix.join("lib").join("casetrack"));
    [directory.join("lib"), directory.to_owned()].into_iter().chain(prefixed).collect()
}

fn reason(error: &PdfiumError) -> String {
    match error {
        PdfiumError::LoadLibraryError(error) => error.to_string(),
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_library_of_an_installed_program_is_found_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let prefix = casetrack_core::real_path(dir.path()).unwrap();
        std::fs::create_dir(prefix.join("bin")).unwrap();
        std::fs::write(prefix.join("bin/casetrack"), "").unwrap();
        std::os::unix::fs::symlink("bin/casetrack", prefix.join("link")).unwrap();
        let expected = [prefix.join("bin/lib"), prefix.join("bin"), prefix.join("lib/casetrack")];
        assert_eq!(installed_with(&prefix.join("bin/casetrack")), expected);
        assert_eq!(installed_with(&prefix.join("link")), expected);
    }

    #[test]
    fn the_library_is_found_once_and_kept() {
        let origin = pdfium_status(&ExtractOptions::default()).unwrap();
        let elsewhere = ExtractOptions { pdfium: Some("/nowhere".into()), ..ExtractOptions::default() };
        assert_eq!(pdfium_status(&elsewhere).unwrap(), origin);
    }
}
