//! How an assistant starts the server, or reaches one elsewhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use casetrack_core::{Error, Result};
use serde::Serialize;

use super::remote::Remote;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Program(Server),
    Remote(Remote),
}

/// A program that speaks MCP on its standard input and output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Server {
    pub command: String,
    pub args: Vec<String>,
    /// Variables that the configuration adds to the environment; CaseTrack itself adds none.
    pub env: BTreeMap<String, String>,
}

impl Server {
    /// This program as a server, with these arguments after `mcp`'s global options.
    pub fn this_program(args: Vec<String>) -> Result<Self> {
        let program = std::env::current_exe().map_err(|error| Error::io("the program's own file", error))?;
        let program = named_on_path(&program).unwrap_or(program);
        let Some(command) = program.to_str() else {
            let message = format!("The program {} has a name that is not valid Unicode.", program.display());
            return Err(Error::invalid(message).with_hint("Move it to a folder with another name."));
        };
        Ok(Self { command: command.to_owned(), args, env: BTreeMap::new() })
    }
}

impl From<Server> for Entry {
    fn from(server: Server) -> Self {
        Self::Program(server)
    }
}

impl Entry {
    /// The part of it that must not be shown.
    pub fn secret(&self) -> Option<&str> {
        match self {
            Self::Program(_) => None,
            Self::Remote(remote) => remote.secret(),
        }
    }
}

/// The name under which PATH finds the program, if it does. An update replaces the file behind such a name, so that the name outlives it.
fn named_on_path(program: &Path) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let name = format!("casetrack{}", std::env::consts::EXE_SUFFIX);
    let program = casetrack_core::real_path(program).ok()?;
    std::env::split_paths(&folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name))
        .find(|candidate| casetrack_core::real_path(candidate).is_ok_and(|found| found == program))
}
