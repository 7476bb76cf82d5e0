//! The table of assistants.

use clap::ValueEnum;

use super::document::{Format, Style};
use super::remote::Reach;

/// An assistant with a configuration of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Client {
    ClaudeDesktop,
    ClaudeCode,
    Cursor,
    Vscode,
    VscodeInsiders,
    Windsurf,
    Codex,
    Gemini,
    Zed,
}

impl Client {
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// The word for it on the command line.
    pub fn id(self) -> &'static str {
        self.words().0
    }

    pub fn name(self) -> &'static str {
        self.words().1
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::ClaudeDesktop => ("claude-desktop", "Claude Desktop"),
            Self::ClaudeCode => ("claude-code", "Claude Code"),
            Self::Cursor => ("cursor", "Cursor"),
            Self::Vscode => ("vscode", "VS Code"),
            Self::VscodeInsiders => ("vscode-insiders", "VS Code Insiders"),
            Self::Windsurf => ("windsurf", "Windsurf"),
            Self::Codex => ("codex", "Codex"),
            Self::Gemini => ("gemini", "Gemini CLI"),
            Self::Zed => ("zed", "Zed"),
        }
    }

    /// How its configuration lists servers.
    pub fn style(self) -> Style {
        let json = |section| Style { format: Format::Json, section, transport: None, reach: self.reach() };
        match self {
            Self::ClaudeDesktop | Self::Cursor | Self::Windsurf | Self::Gemini => json("mcpServers"),
            Self::ClaudeCode => Style { transport: Some("stdio"), ..json("mcpServers") },
            Self::Vscode | Self::VscodeInsiders => Style { transport: Some("stdio"), ..json("servers") },
            Self::Zed => json("context_servers"),
            Self::Codex => Style { format: Format::Toml, ..json("mcp_servers") },
        }
    }

    /// How it reaches servers elsewhere, after its documentation.
    fn reach(self) -> Reach {
        let headers = |url, variable| Reach::Headers { url, transport: None, variable };
        let typed = |variable| Reach::Headers { url: "url", transport: Some("http"), variable };
        match self {
            Self::ClaudeDesktop => Reach::Bridge,
            Self::ClaudeCode => typed(Some(["${", "}"])),
            Self::Vscode | Self::VscodeInsiders => typed(Some(["${env:", "}"])),
            Self::Cursor => headers("url", Some(["${env:", "}"])),
            Self::Windsurf => headers("serverUrl", Some(["${env:", "}"])),
            Self::Gemini => headers("httpUrl", Some(["${", "}"])),
            Self::Zed => headers("url", None),
            Self::Codex => Reach::Codex,
        }
    }

    /// The remaining step before a change takes effect.
    pub fn then(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "Quit Claude Desktop and start it again; closing its window is not enough.",
            Self::ClaudeCode | Self::Codex | Self::Gemini => "New sessions use it.",
            Self::Cursor => "Cursor loads it by itself; if not, start Cursor again.",
            Self::Vscode | Self::VscodeInsiders => "VS Code asks in the next chat whether it may start the server.",
            Self::Windsurf => "Refresh the servers in Windsurf's Cascade panel, or start Windsurf again.",
            Self::Zed => "Zed loads it by itself.",
        }
    }
}
