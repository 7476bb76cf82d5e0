//! Questions to the person at the terminal.

use std::io::{IsTerminal, Write};

use casetrack_core::{Error, Result};

/// True if a person can answer a question.
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks a question that is answered with yes or no; anything but yes is no.
pub fn confirm(question: &str) -> Result<bool> {
    Ok(is_yes(&answer(question, "[y/N]")?))
}

/// Asks a question that only "no" refuses: pressing Enter agrees.
pub fn confirm_unless_no(question: &str) -> Result<bool> {
    Ok(!is_no(&answer(question, "[Y/n]")?))
}

fn answer(question: &str, answers: &str) -> Result<String> {
    eprint!("{question} {answers} ");
    std::io::stderr().flush().map_err(|error| Error::io("standard error", error))?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(|error| Error::io("standard input", error))?;
    Ok(answer)
}

fn is_no(answer: &str) -> bool {
    // Without a line feed, Enter was not pressed: the input ended.
    !answer.ends_with('\n') || matches!(answer.trim().to_lowercase().as_str(), "n" | "no")
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

    #[test]
    fn enter_agrees_and_the_end_of_input_does_not() {
        assert!(["\n", "y\n", "\r\n"].iter().all(|answer| !is_no(answer)));
        assert!(["", "n\n", " NO \n", "y"].iter().all(|answer| is_no(answer)));
    }
}
