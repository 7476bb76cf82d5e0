//! The program as a developer and the scripts in `benches/` call it.

mod eval;
mod models;
mod search;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Runs the program and returns its standard output; panics with all output when it does not exit with `status`.
fn run_expecting(status: i32, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_casetrack-lab"));
    command.env_remove("CASETRACK_HOME").stdin(Stdio::null());
    let Output { stdout, stderr, status: actual } = command.args(args).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout).into_owned(), String::from_utf8_lossy(&stderr));
    assert_eq!(actual.code(), Some(status), "{args:?}\n{stdout}\n{stderr}");
    stdout
}

fn run(args: &[&str]) -> String {
    run_expecting(0, args)
}

fn run_json(args: &[&str]) -> Value {
    serde_json::from_str(&run(&[args, &["--json"]].concat())).unwrap()
}

fn samples() -> PathBuf {
    casetrack_core::real_path(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../samples")).unwrap()
}
