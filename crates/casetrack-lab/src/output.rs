//! Results as text or JSON on standard output; errors beside them.

use std::io::Write as _;

use casetrack_core::{Error, Result};
use casetrack_text::Reader;
use serde::Serialize;

/// Prints a result as JSON, or as the text that `text` makes of it.
pub fn print<T: Serialize>(value: &T, json: bool, text: impl FnOnce(&T) -> String) -> Result<()> {
    if !json {
        return print_line(&text(value));
    }
    let json = serde_json::to_string_pretty(value);
    print_line(&json.map_err(|error| Error::internal(format!("JSON output: {error}")))?)
}

/// A reader that goes away (`| head`) is no error.
pub fn print_line(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match writeln!(stdout, "{}", text.trim_end_matches('\n')).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::io("standard output", error)),
        _ => Ok(()),
    }
}

/// `{"error": {code, message, hint}}` on stdout with `--json`, text on stderr otherwise.
pub fn print_error(error: &Error, json: bool) {
    if json {
        let hint = error.hint.as_ref().map(|hint| Reader::CommandLine.hint(hint));
        let value = serde_json::json!({"error": {"code": error.code.name(), "message": error.message, "hint": hint}});
        // There is nowhere left to report that stdout is closed.
        let _ = print_line(&format!("{value:#}"));
    } else {
        eprintln!("error: {}", Reader::CommandLine.error(error));
    }
}
