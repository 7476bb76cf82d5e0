//! `casetrack schemas`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use casetrack_core::{Error, Result};
use clap::Args;

/// Write the JSON Schemas of all tools, or check that a directory holds the current ones
#[derive(Debug, Args)]
#[command(hide = true)]
#[group(required = true, multiple = false)]
pub struct Schemas {
    /// Write one file per tool, and one with a call of each, into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Fail unless this directory holds exactly the current schemas
    #[arg(long, value_name = "DIR")]
    check: Option<PathBuf>,
}

impl Schemas {
    pub fn run(self) -> Result<ExitCode> {
        let current = casetrack_mcp::schema_files();
        if let Some(directory) = self.out {
            std::fs::create_dir_all(&directory).map_err(|error| Error::io(directory.display(), error))?;
            for (file, content) in &current {
                let path = directory.join(file);
                std::fs::write(&path, content).map_err(|error| Error::io(path.display(), error))?;
            }
        }
        if let Some(directory) = self.check
            && on_disk(&directory)? != current
        {
            return Err(Error::invalid(format!("The schemas in {} are not current.", directory.display()))
                .with_hint("Run `casetrack schemas --out schemas` (after removing files of tools that are gone)."));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn on_disk(directory: &Path) -> Result<BTreeMap<String, String>> {
    let entries = std::fs::read_dir(directory).map_err(|error| Error::io(directory.display(), error))?;
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok((name, std::fs::read_to_string(path)?))
    };
    entries.map(read).collect::<std::io::Result<_>>().map_err(|error| Error::io(directory.display(), error))
}
