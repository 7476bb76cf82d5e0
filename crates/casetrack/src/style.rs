//! How the terminal at the other end shows text.

use std::io::{IsTerminal, stderr, stdout};

use casetrack_text::terminal::{Layout, Paint};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Columns if they are not known.
const COLUMNS: usize = 100;

/// Which output has weight and colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
pub enum ColorChoice {
    #[default]
    Auto,
    Always,
    Never,
}

/// The style of results: `None` if they go to a file or another program, whose text has no width.
pub fn of_results(choice: ColorChoice) -> Option<Layout> {
    look(choice, stdout().is_terminal())
}

/// How errors and questions look.
pub fn of_messages(choice: ColorChoice) -> Option<Layout> {
    look(choice, stderr().is_terminal())
}

/// Lines of the terminal, if there is one.
pub fn rows() -> Option<usize> {
    terminal_size::terminal_size().map(|(_, height)| usize::from(height.0))
}

fn look(choice: ColorChoice, is_terminal: bool) -> Option<Layout> {
    if !is_terminal && choice != ColorChoice::Always {
        return None;
    }
    let given = || std::env::var("COLUMNS").ok()?.parse().ok();
    let measured = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    Some(Layout::new(measured.or_else(given).unwrap_or(COLUMNS), paint(choice)))
}

fn paint(choice: ColorChoice) -> Paint {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    match choice {
        ColorChoice::Always => Paint::Color,
        ColorChoice::Never => Paint::None,
        ColorChoice::Auto if variable("TERM").is_some_and(|term| term == "dumb") => Paint::None,
        // The old console of Windows shows escape sequences as they are.
        ColorChoice::Auto if cfg!(windows) && variable("WT_SESSION").or_else(|| variable("TERM")).is_none() => {
            Paint::None
        }
        // https://no-color.org forbids colour, but not weight.
        ColorChoice::Auto if variable("NO_COLOR").is_some() => Paint::Weight,
        ColorChoice::Auto => Paint::Color,
    }
}
