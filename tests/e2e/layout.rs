//! An installed program finds its models and its libraries by itself.

use std::collections::HashMap;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::client::{casetrack, samples};

/// Links if the file is on the same disk, else copies.
fn install(from: &Path, to: &Path) {
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    if std::fs::hard_link(from, to).is_err() {
        std::fs::copy(from, to).unwrap();
    }
}

fn details(mut command: Command) -> HashMap<String, String> {
    let output = command.args(["doctor", "--json"]).stdin(Stdio::null()).output().unwrap();
    let diagnosis: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = diagnosis["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| [&finding["what"], &finding["detail"]].map(|text| text.as_str().unwrap().to_owned()))
        .map(|[what, detail]| (what, detail))
        .collect()
}

#[test]
fn models_and_libraries_are_found_from_the_program_also_through_a_link() {
    let dir = tempfile::tempdir().unwrap();
    let root = casetrack_core::real_path(dir.path()).unwrap();
    let found = details(casetrack(&root.join("data")));
    let library = Path::new(&found["pdfium (reads PDF files)"]);
    let prefix = root.join("usr");
    install(Path::new(env!("CARGO_BIN_EXE_casetrack")), &prefix.join("bin/casetrack"));
    install(library, &prefix.join("lib/casetrack").join(library.file_name().unwrap()));
    std::fs::create_dir_all(prefix.join("share/casetrack")).unwrap();
    symlink(samples().join("../models"), prefix.join("share/casetrack/models")).unwrap();
    symlink("usr/bin/casetrack", root.join("link")).unwrap();
    for program in [prefix.join("bin/casetrack"), root.join("link")] {
        let mut bare = Command::new(program);
        bare.env_clear().env("HOME", &root).arg("--data-dir").arg(root.join("data"));
        let found = details(bare);
        assert!(Path::new(&found["pdfium (reads PDF files)"]).starts_with(prefix.join("lib/casetrack")), "{found:?}");
        assert!(found["models"].contains(&prefix.join("share/casetrack/models").display().to_string()), "{found:?}");
    }
}
