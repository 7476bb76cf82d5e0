//! What the reader of an error can do next.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What to do next. A front end puts each into its own words: the command line names commands and options, an assistant is told
/// tools and parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hint {
    /// Words that suit every reader: they name no command, option, tool or parameter.
    Text(String),
}

impl Hint {
    /// The words that suit every reader, if that is what it is.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
        }
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Hint {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
