//! Results as text or JSON on standard output; errors on standard error.

use std::io::Write as _;

use casetrack_core::{Error, Result};
use casetrack_text::Reader;
use serde::Serialize;

/// Prints a result: as JSON, or as the text that `text` makes of it.
pub fn print<T: Serialize>(value: &T, json: bool, text: impl FnOnce(&T) -> String) -> Result<()> {
    print_line(&Reader::CommandLine.result(value, json, text)?)
}

/// Prints a line. It is not an error if the reader has gone (`| head`).
pub fn print_line(text: &str) -> Result<()> {
    match writeln!(std::io::stdout(), "{}", text.trim_end_matches('\n')) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::io("standard output", error)),
        _ => Ok(()),
    }
}
