//! Long output goes through a pager, as in git and man.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::style;

/// The first is only for CaseTrack; `PAGER` is for all programs. `cat`, or nothing, means none.
const VARIABLES: [&str; 2] = ["CASETRACK_PAGER", "PAGER"];

/// Shows a text in the user's pager if it is longer than the terminal. Returns whether that was done: a pager that cannot be started, or
/// that fails, has shown nothing one can rely on.
pub fn show(text: &str) -> bool {
    let is_long = style::rows().is_some_and(|rows| text.lines().count() + 1 > rows);
    pager().filter(|_| is_long).is_some_and(|pager| show_in(&pager, text))
}

fn show_in(pager: &str, text: &str) -> bool {
    let mut words = pager.split_whitespace();
    let Some(program) = words.next() else { return false };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Colours as they are, and no clearing of the screen.
        command.env("LESS", "RFX");
    }
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // The reader may leave before the end.
        let _ = writeln!(input, "{}", text.trim_end_matches('\n'));
    }
    // One that a signal ended was ended by the reader.
    child.wait().is_ok_and(|status| status.code().is_none_or(|code| code == 0))
}

fn pager() -> Option<String> {
    let set = VARIABLES.iter().find_map(|name| std::env::var(name).ok());
    let pager = set.unwrap_or_else(|| "less".to_owned());
    Some(pager).filter(|pager| !matches!(pager.trim(), "" | "cat"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_a_pager_that_succeeds_has_shown_the_text() {
        assert!(show_in("true", "text"));
        assert!(!show_in("false", "text"));
        assert!(!show_in("/nowhere/less -R", "text"));
        assert!(!show_in(" ", "text"));
    }
}
