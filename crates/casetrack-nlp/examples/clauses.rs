//! The sentences of contracts with their features, for `scripts/train/clauses.py`: clauses FILE... Each file is a document of pages divided by form
//! feeds. Prints a line of JSON for each file.

use std::error::Error;
use std::path::PathBuf;

use casetrack_nlp::facts::clauses::samples;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    for file in std::env::args_os().skip(1).map(PathBuf::from) {
        let text = String::from_utf8_lossy(&std::fs::read(&file)?).replace("\r\n", "\n");
        let pages: Vec<&str> = text.split('\x0c').collect();
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        println!("{}", json!({"document": name, "sentences": samples(&pages)}));
    }
    Ok(())
}
