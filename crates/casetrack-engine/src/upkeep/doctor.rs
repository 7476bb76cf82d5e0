//! Missing parts of this machine, and how to get them.

use casetrack_core::{Error, Hint, Result};
use casetrack_embed::{ModelManifest, find_models_dir};
use casetrack_extract::{OCR_MODEL, pdfium_status, second_engine_status, tesseract_status};
use casetrack_nlp::spacy::MODEL_FOLDER;
use schemars::JsonSchema;
use serde::Serialize;

use casetrack_host::{Host, StorePlace, data_dir};

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Diagnosis {
    /// True if everything needed is there.
    pub ready: bool,
    pub findings: Vec<Finding>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finding {
    pub what: String,
    pub ok: bool,
    pub detail: String,
    /// The remedy if it is not ok, or a remark if it is.
    #[schemars(with = "Option<String>")]
    pub hint: Option<Hint>,
}

/// Checks the data directory, the models (with the hashes of their files) and the libraries.
pub fn doctor(host: &Host) -> Diagnosis {
    let options = host.config().extract_options();
    let mut findings = vec![check_data_dir(host)];
    findings.extend(check_store(host));
    findings.extend([
        check_models(host),
        finding("entity model (names and places)", host.recognizer().map(|_| format!("{MODEL_FOLDER} (loads)"))),
        finding("pdfium (reads PDF files)", pdfium_status(&options)),
    ]);
    findings.extend(engines(tesseract_status(&options), second_engine_status(&options)));
    Diagnosis { ready: findings.iter().all(|finding| finding.ok), findings }
}

/// The OCR engines. Each can replace the other, so nothing is wrong if one is there.
fn engines(tesseract: Result<String>, second: Option<Result<String>>) -> [Finding; 2] {
    let is_second_there = matches!(second, Some(Ok(_)));
    let mut first = finding("tesseract (reads scans and pictures)", tesseract);
    if !first.ok && is_second_there {
        first.ok = true;
        first.detail =
            "not available: the second OCR engine reads scans in Latin, Chinese and Japanese script".to_owned();
    }
    let what = "second OCR engine (reads scans and pictures)";
    let second = match second {
        Some(result) => finding(what, result),
        None => Finding {
            what: what.to_owned(),
            ok: true,
            detail: format!("not installed: there is no {OCR_MODEL} in the models folder"),
            hint: Some("Packages contain it. In the sources, run `scripts/setup/fetch_models.py --ocr`.".into()),
        },
    };
    [first, second]
}

fn check_data_dir(host: &Host) -> Finding {
    let directory = &host.config().data_dir;
    let probe = directory.join(format!(".doctor-{}", std::process::id()));
    let result = std::fs::write(&probe, b"probe")
        .and_then(|()| std::fs::remove_file(&probe))
        .map(|()| format!("{} (writable)", directory.display()))
        .map_err(|error| Error::io(directory.display(), error));
    let notice = data_dir::notice(directory).filter(|_| result.is_ok());
    let finding = finding("data directory", result);
    Finding { hint: notice.map(Into::into).or(finding.hint), ..finding }
}

/// Checks that the database of the collections answers, if they are in one.
fn check_store(host: &Host) -> Option<Finding> {
    let place = host.store_place();
    let answers = |()| format!("{place} (answers)");
    (*place != StorePlace::Disk)
        .then(|| finding("database of the collections", host.store().scan().map(drop).map(answers)))
}

fn check_models(host: &Host) -> Finding {
    let result =
        find_models_dir(host.config().models_dir.as_deref()).and_then(|directory| {
            match ModelManifest::load(&directory)?.verify_files().into_iter().next() {
                Some(damaged) => Err(damaged),
                None => Ok(format!("{} (all files match their hashes)", directory.display())),
            }
        });
    finding("models", result)
}

fn finding(what: &str, result: Result<String>) -> Finding {
    match result {
        Ok(detail) => Finding { what: what.to_owned(), ok: true, detail, hint: None },
        Err(error) => Finding { what: what.to_owned(), ok: false, detail: error.message, hint: error.hint },
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::ErrorCode;

    use super::*;

    #[test]
    fn one_of_the_two_engines_is_enough() {
        let missing = || Err(Error::new(ErrorCode::MissingDependency, "no engine".to_owned()));
        let found = || Ok("an engine".to_owned());
        for (tesseract, second, ok) in [
            (found(), None, [true, true]),
            (missing(), Some(found()), [true, true]),
            (missing(), Some(missing()), [false, false]),
            (missing(), None, [false, true]),
        ] {
            assert_eq!(engines(tesseract, second).map(|finding| finding.ok), ok);
        }
    }
}
