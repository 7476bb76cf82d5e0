//! Questions to the person at the terminal.

use std::io::{IsTerminal, Write};

use casetrack_core::{Error, Result};

/// Whether somebody can be asked.
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks a question that is answered with yes or no; anything but yes is no.
pub fn confirm(question: &str) -> Result<bool> {
    eprint!("{question} [y/N] ");
    std::io::stderr().flush().map_err(|error| Error::io("standard error", error))?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(|error| Error::io("standard input", error))?;
    Ok(is_yes(&answer))
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_is_yes() {
        assert!(["y", " Yes\n", "YES\r\n"].iter().all(|answer| is_yes(answer)));
        assert!(!["", "\n", "n", "yep", "yes please"].iter().any(|answer| is_yes(answer)));
    }
}
