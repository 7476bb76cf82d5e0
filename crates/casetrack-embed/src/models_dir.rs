use std::env;
use std::path::{Path, PathBuf};

use casetrack_core::{Error, ErrorCode, Result};

pub const MANIFEST_FILE: &str = "manifest.toml";

const MODELS_VARIABLE: &str = "CASETRACK_MODELS";

/// Finds the models folder: the first of these that holds a manifest.
///
/// `explicit` or else the variable `CASETRACK_MODELS`, which must be right when given; then `models` next to the
/// program, `../share/casetrack/models` from it, the source tree it was built from, and `casetrack/models` in the
/// user's local data folder. "Next to the program" means next to its file, also when it was started through a link.
pub fn find_models_dir(explicit: Option<&Path>) -> Result<PathBuf> {
    if let Some(given) = given(explicit) {
        return if has_manifest(&given) { Ok(given) } else { Err(not_found(&[given])) };
    }
    let mut candidates = Vec::new();
    if let Ok(program) = env::current_exe() {
        candidates.extend(installed_with(&program));
    }
    candidates.extend(Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(|root| root.join("models")));
    candidates.extend(default_pulled_dir());
    candidates.iter().find(|candidate| has_manifest(candidate)).cloned().ok_or_else(|| not_found(&candidates))
}

/// The folder that `casetrack models pull` fills: `explicit` or else the variable `CASETRACK_MODELS`, as in
/// [`find_models_dir`]; then `casetrack/models` in the user's local data folder.
pub fn pulled_models_dir(explicit: Option<&Path>) -> Result<PathBuf> {
    given(explicit).or_else(default_pulled_dir).ok_or_else(|| {
        Error::new(ErrorCode::MissingDependency, "This user has no local data folder for pulled models")
            .with_hint(format!("Name a folder with {MODELS_VARIABLE}; it must hold {MANIFEST_FILE}."))
    })
}

/// The folder of this name in the models folder, or else among pulled models; `None` if it is in neither.
pub fn model_folder(explicit: Option<&Path>, name: &str) -> Option<PathBuf> {
    let folders = [find_models_dir(explicit).ok(), pulled_models_dir(explicit).ok()];
    folders.into_iter().flatten().map(|folder| folder.join(name)).find(|folder| folder.is_dir())
}

/// The models folders of an installed program. Only Linux resolves the links that lead to a program.
fn installed_with(program: &Path) -> Vec<PathBuf> {
    let program = casetrack_core::real_path(program).unwrap_or_else(|_| program.to_owned());
    let Some(folder) = program.parent() else { return Vec::new() };
    let shared = folder.parent().map(|prefix| prefix.join("share").join("casetrack").join("models"));
    [folder.join("models")].into_iter().chain(shared).collect()
}

fn given(explicit: Option<&Path>) -> Option<PathBuf> {
    let from_variable = || env::var_os(MODELS_VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    explicit.map(Path::to_owned).or_else(from_variable)
}

/// The default folder of pulled models; `None` for a user without a home folder.
pub(crate) fn default_pulled_dir() -> Option<PathBuf> {
    dirs::data_local_dir().map(|data| data.join("casetrack").join("models"))
}

fn has_manifest(folder: &Path) -> bool {
    folder.join(MANIFEST_FILE).is_file()
}

fn not_found(looked_in: &[PathBuf]) -> Error {
    let folders: Vec<String> = looked_in.iter().map(|folder| folder.display().to_string()).collect();
    Error::new(ErrorCode::MissingDependency, format!("No models folder found (looked in {})", folders.join(", "))).with_hint(
        format!(
            "Set {MODELS_VARIABLE} to the folder that holds {MANIFEST_FILE}, or put CaseTrack's models folder next to the program."
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_is_not_in_the_manifest_is_found_by_the_name_of_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(MANIFEST_FILE), "models = []").unwrap();
        assert_eq!(model_folder(Some(dir.path()), "ocr-x"), None);
        std::fs::create_dir(dir.path().join("ocr-x")).unwrap();
        assert_eq!(model_folder(Some(dir.path()), "ocr-x"), Some(dir.path().join("ocr-x")));
    }

    #[cfg(unix)]
    #[test]
    fn the_models_of_an_installed_program_are_found_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let prefix = casetrack_core::real_path(dir.path()).unwrap();
        std::fs::create_dir(prefix.join("bin")).unwrap();
        std::fs::write(prefix.join("bin/casetrack"), "").unwrap();
        std::os::unix::fs::symlink("bin/casetrack", prefix.join("link")).unwrap();
        let expected = [prefix.join("bin/models"), prefix.join("share/casetrack/models")];
        assert_eq!(installed_with(&prefix.join("bin/casetrack")), expected);
        assert_eq!(installed_with(&prefix.join("link")), expected);
    }

    #[test]
    fn an_explicit_folder_is_taken_or_refused_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let error = find_models_dir(Some(dir.path())).unwrap_err();
        assert_eq!(error.code, ErrorCode::MissingDependency);
        assert!(error.message.contains(&dir.path().display().to_string()));
        std::fs::write(dir.path().join(MANIFEST_FILE), "models = []").unwrap();
        assert_eq!(find_models_dir(Some(dir.path())).unwrap(), dir.path());
    }
}
