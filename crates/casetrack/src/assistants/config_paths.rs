//! Paths of the configurations of assistants, on each system.

use std::path::{Path, PathBuf};

use casetrack_core::{Error, ErrorCode, Result};

use super::clients::Client;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    Linux,
    MacOs,
    Windows,
}

/// The folders of a user that configurations are in.
#[derive(Debug, Clone)]
pub struct ConfigPaths {
    pub system: System,
    pub home: PathBuf,
    /// `~/.config` (or `XDG_CONFIG_HOME`), `~/Library/Application Support`, or `%APPDATA%`.
    pub config: PathBuf,
    /// `%LOCALAPPDATA%`; only Windows has configurations there.
    pub local: PathBuf,
    /// `CLAUDE_CONFIG_DIR` and `CODEX_HOME`, by which these two can be moved.
    pub claude_code: Option<PathBuf>,
    pub codex: Option<PathBuf>,
}

impl ConfigPaths {
    /// The paths of the user who runs the program.
    pub fn of_user() -> Result<Self> {
        let missing = || {
            Error::new(ErrorCode::FileNotFound, "This user has no home folder, so no assistant can be found.")
                .with_hint("Name the file with --config.")
        };
        let named = |variable| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
        let system = match std::env::consts::OS {
            "windows" => System::Windows,
            "macos" => System::MacOs,
            _ => System::Linux,
        };
        Ok(Self {
            system,
            home: dirs::home_dir().ok_or_else(missing)?,
            config: dirs::config_dir().ok_or_else(missing)?,
            local: dirs::data_local_dir().ok_or_else(missing)?,
            claude_code: named("CLAUDE_CONFIG_DIR"),
            codex: named("CODEX_HOME"),
        })
    }

    /// The file that lists the client's servers, whether or not it exists.
    pub fn config_file(&self, client: Client) -> PathBuf {
        let home = |path: &str| self.home.join(path);
        let config = |path: &str| self.config.join(path);
        match client {
            Client::ClaudeDesktop => {
                self.packaged_claude().unwrap_or_else(|| config("Claude")).join("claude_desktop_config.json")
            }
            Client::ClaudeCode => self.claude_code.clone().unwrap_or_else(|| self.home.clone()).join(".claude.json"),
            Client::Cursor => home(".cursor/mcp.json"),
            Client::Vscode => config("Code/User/mcp.json"),
            Client::VscodeInsiders => config("Code - Insiders/User/mcp.json"),
            Client::Windsurf => home(".codeium/windsurf/mcp_config.json"),
            Client::Codex => self.codex.clone().unwrap_or_else(|| home(".codex")).join("config.toml"),
            Client::Gemini => home(".gemini/settings.json"),
            Client::Zed if self.system == System::Windows => config("Zed/settings.json"),
            // On macOS, too, Zed keeps its settings in ~/.config.
            Client::Zed if self.system == System::MacOs => home(".config/zed/settings.json"),
            Client::Zed => config("zed/settings.json"),
        }
    }

    /// True if the client seems to be used here: the folder of its configuration exists.
    pub fn has(&self, client: Client) -> bool {
        let file = self.config_file(client);
        let folder = match client {
            // Its file is in the home folder, which proves nothing.
            Client::ClaudeCode => self.claude_code.clone().unwrap_or_else(|| self.home.join(".claude")),
            _ => file.parent().map(Path::to_owned).unwrap_or_default(),
        };
        file.exists() || folder.is_dir()
    }

    /// The folder of Claude Desktop as a packaged app, as which the Microsoft Store and, since 2026, its own installer put it on Windows.
    /// Such an app sees this folder instead of `%APPDATA%\Claude`, which it never sees. If there are several packages, the one with a
    /// configuration counts.
    fn packaged_claude(&self) -> Option<PathBuf> {
        if self.system != System::Windows {
            return None;
        }
        let packages = std::fs::read_dir(self.local.join("Packages")).ok()?;
        let mut folders: Vec<PathBuf> = packages
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("Claude_"))
            .map(|entry| entry.path().join("LocalCache").join("Roaming").join("Claude"))
            .collect();
        folders.sort_by_key(|folder| (!folder.join("claude_desktop_config.json").exists(), folder.clone()));
        folders.into_iter().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(system: System, home: &Path) -> ConfigPaths {
        ConfigPaths {
            system,
            home: home.to_owned(),
            config: home.join("config"),
            local: home.join("local"),
            claude_code: None,
            codex: None,
        }
    }

    #[test]
    fn a_packaged_claude_desktop_is_preferred_on_windows_only() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        let roaming = |package: &str| home.join("local/Packages").join(package).join("LocalCache/Roaming/Claude");
        std::fs::create_dir_all(roaming("Claude_a")).unwrap();
        std::fs::create_dir_all(roaming("Claude_pzs8sxrjxfjjc")).unwrap();
        std::fs::create_dir_all(roaming("Other_1")).unwrap();
        std::fs::write(roaming("Claude_pzs8sxrjxfjjc").join("claude_desktop_config.json"), "{}").unwrap();
        let windows = places(System::Windows, home);
        let packaged = roaming("Claude_pzs8sxrjxfjjc").join("claude_desktop_config.json");
        assert_eq!(windows.config_file(Client::ClaudeDesktop), packaged);
        assert!(windows.has(Client::ClaudeDesktop));
        let linux = places(System::Linux, home);
        assert_eq!(linux.config_file(Client::ClaudeDesktop), home.join("config/Claude/claude_desktop_config.json"));
        assert!(!linux.has(Client::ClaudeDesktop));
    }

    #[test]
    fn variables_move_the_configurations_that_they_move_for_their_programs() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        let mut places = places(System::Linux, home);
        assert_eq!(places.config_file(Client::ClaudeCode), home.join(".claude.json"));
        assert!(!places.has(Client::ClaudeCode), "the home folder alone is no sign of it");
        places.claude_code = Some(home.join("elsewhere"));
        places.codex = Some(home.join("codex"));
        assert_eq!(places.config_file(Client::ClaudeCode), home.join("elsewhere/.claude.json"));
        assert_eq!(places.config_file(Client::Codex), home.join("codex/config.toml"));
        std::fs::create_dir(home.join("elsewhere")).unwrap();
        assert!(places.has(Client::ClaudeCode) && !places.has(Client::Codex));
    }

    #[test]
    fn every_client_has_a_file_of_its_own() {
        let places = places(System::MacOs, Path::new("/Users/ann"));
        let files: std::collections::BTreeSet<_> =
            Client::all().iter().map(|&client| places.config_file(client)).collect();
        assert_eq!(files.len(), Client::all().len());
        assert_eq!(places.config_file(Client::Zed), Path::new("/Users/ann/.config/zed/settings.json"));
    }
}
