//! Embeds the built front end: every file of `dist/`, by name.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let dist = Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("dist");
    println!("cargo:rerun-if-changed={}", dist.display());
    let mut files = Vec::new();
    match fs::read_dir(&dist) {
        Ok(entries) => {
            for entry in entries {
                let path = entry?.path();
                files.extend(Some(path).filter(|path| path.is_file()));
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    files.sort();
    let mut table = String::from("&[");
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let _ = write!(table, "({name:?}, include_bytes!({:?})),", file.display().to_string());
    }
    table.push(']');
    fs::write(Path::new(&env::var("OUT_DIR").map_err(io::Error::other)?).join("files.rs"), table)
}
