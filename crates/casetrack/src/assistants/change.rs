//! A change of a configuration, shown before it is made.

use std::path::{Path, PathBuf};

use casetrack_core::{Error, Result};

use super::document::Style;
use super::file::ConfigFile;
use super::server::Entry;

/// Longest line that is shown of a change, in characters; and most lines.
const LONGEST_LINE: usize = 160;
const MOST_LINES: usize = 60;

/// A change that has not been made yet.
#[derive(Debug)]
pub struct Plan {
    file: ConfigFile,
    pub change: Change,
    /// Tokens that are not shown.
    secrets: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Change {
    None,
    Write(String),
    /// The file has nothing else, because CaseTrack made it.
    Delete,
}

impl Plan {
    /// Puts an entry into the configuration at `path`.
    pub fn connect(path: &Path, style: Style, name: &str, entry: &Entry) -> Result<Self> {
        let named = |error| in_file(path, error);
        let file = ConfigFile::read(path).map_err(named)?;
        let text = style.with(&file.text, name, entry).map_err(named)?;
        let before = style.entry(&file.text, name).map_err(named)?;
        let secrets = [Some(entry), before.as_ref()].into_iter().flatten().filter_map(Entry::secret);
        let secrets = secrets.map(str::to_owned).collect();
        let change = if text == file.text { Change::None } else { Change::Write(text) };
        Ok(Self { file, change, secrets })
    }

    /// Removes an entry from the configuration at `path`. If connecting it was the last change, the file gets its former content, byte for
    /// byte.
    pub fn disconnect(path: &Path, style: Style, name: &str) -> Result<Self> {
        let named = |error| in_file(path, error);
        let file = ConfigFile::read(path).map_err(named)?;
        if !style.has(&file.text, name).map_err(named)? {
            return Ok(Self { file, change: Change::None, secrets: Vec::new() });
        }
        let entry = style.entry(&file.text, name).map_err(named)?;
        let secrets = entry.iter().filter_map(Entry::secret).map(str::to_owned).collect();
        let gives_this = |before: &str| {
            entry.as_ref().is_some_and(|entry| style.with(before, name, entry).is_ok_and(|text| text == file.text))
        };
        let change = match file.before() {
            Some(before) if gives_this(&before) && !style.has(&before, name).unwrap_or(true) => Change::Write(before),
            None if gives_this("") => Change::Delete,
            _ => Change::Write(style.without(&file.text, name).map_err(named)?),
        };
        Ok(Self { file, change, secrets })
    }

    /// The lines that go and come, with `-` and `+` before them, without tokens. Lines around them are not shown: they may hold keys of other servers.
    pub fn lines(&self) -> Vec<String> {
        let new = match &self.change {
            Change::None => return Vec::new(),
            Change::Write(new) => new.as_str(),
            Change::Delete => "",
        };
        let (old, new): (Vec<&str>, Vec<&str>) = (self.file.text.lines().collect(), new.lines().collect());
        let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
        let start = same(&mut old.iter().zip(&new));
        let end = same(&mut old[start..].iter().rev().zip(new[start..].iter().rev()));
        let removed = old[start..old.len() - end].iter().map(|line| format!("- {line}"));
        let added = new[start..new.len() - end].iter().map(|line| format!("+ {line}"));
        let hide = |line: String| self.secrets.iter().fold(line, |line, secret| line.replace(secret, "(the token)"));
        let mut lines: Vec<String> = removed.chain(added).map(hide).collect();
        if lines.len() > MOST_LINES || lines.iter().any(|line| line.chars().count() > LONGEST_LINE) {
            lines = vec!["(a change within long lines, which may also hold other settings)".to_owned()];
        }
        lines
    }

    /// Makes the change. Returns the path of the backup.
    pub fn carry_out(&self) -> Result<Option<PathBuf>> {
        match &self.change {
            Change::None => Ok(None),
            Change::Write(text) => self.file.write(text),
            Change::Delete => self.file.delete().map(|()| None),
        }
    }
}

/// The entry of this name in the configuration at `path`.
pub fn entry(path: &Path, style: Style, name: &str) -> Result<Option<Entry>> {
    let named = |error| in_file(path, error);
    let file = ConfigFile::read(path).map_err(named)?;
    if !file.exists() {
        return Ok(None);
    }
    style.entry(&file.text, name).map_err(named)
}

fn in_file(path: &Path, error: Error) -> Error {
    let message = match error.message.contains(&*path.to_string_lossy()) {
        true => error.message.clone(),
        false => format!("{} was not changed. {}", path.display(), error.message),
    };
    let named = Error::new(error.code, message);
    match &error.hint {
        Some(_) => named.with_hint_of(&error),
        None => named.with_hint(
            "Correct the file, or add the server there yourself: `casetrack help assistants` shows the entries.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::clients::Client;
    use super::super::remote::{Remote, Token};
    use super::super::server::Server;
    use super::*;

    fn us() -> Entry {
        let args = vec!["mcp".to_owned()];
        Entry::Program(Server { command: "/opt/casetrack/bin/casetrack".to_owned(), args, env: BTreeMap::new() })
    }

    #[test]
    fn configurations_with_next_to_nothing_are_as_before_after_all() {
        for &client in Client::all() {
            let section = client.style().section;
            let texts = match client {
                Client::Codex => vec![String::new(), "[tui]\n".to_owned()],
                _ => vec![
                    "{}".to_owned(),
                    "{\"a\":1}".to_owned(),
                    format!("{{\"{section}\": {{}}}}"),
                    "\n".to_owned(),
                    String::new(),
                ],
            };
            for text in texts {
                let dir = tempfile::tempdir().unwrap();
                let path = dir.path().join("config");
                std::fs::write(&path, &text).unwrap();
                Plan::connect(&path, client.style(), "casetrack", &us()).unwrap().carry_out().unwrap();
                assert_eq!(entry(&path, client.style(), "casetrack").unwrap().unwrap(), us(), "{client:?} {text}");
                Plan::disconnect(&path, client.style(), "casetrack").unwrap().carry_out().unwrap();
                assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{client:?}");
            }
        }
    }

    #[test]
    fn a_file_that_was_made_goes_again_and_later_changes_stay() {
        for &client in Client::all() {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("new/config");
            Plan::connect(&path, client.style(), "casetrack", &us()).unwrap().carry_out().unwrap();
            Plan::disconnect(&path, client.style(), "casetrack").unwrap().carry_out().unwrap();
            assert!(!dir.path().join("new").exists(), "{client:?}");
            if client == Client::Codex {
                continue;
            }
            // Another program adds something in the meantime.
            std::fs::create_dir(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "{}").unwrap();
            Plan::connect(&path, client.style(), "casetrack", &us()).unwrap().carry_out().unwrap();
            let text = std::fs::read_to_string(&path).unwrap().replacen('{', "{\n  \"later\": true,", 1);
            std::fs::write(&path, text).unwrap();
            Plan::disconnect(&path, client.style(), "casetrack").unwrap().carry_out().unwrap();
            let left = std::fs::read_to_string(&path).unwrap();
            assert!(left.contains("\"later\": true") && !left.contains("casetrack"), "{left}");
        }
    }

    #[test]
    fn a_folder_that_was_there_stays_when_the_file_goes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config");
        Plan::connect(&path, Client::Cursor.style(), "casetrack", &us()).unwrap().carry_out().unwrap();
        Plan::disconnect(&path, Client::Cursor.style(), "casetrack").unwrap().carry_out().unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.json");
        for bytes in [&b"{\"mcpServers\": "[..], b"{\"a\": \"\xe9\"}", b"[1]", b"\x00\x01"] {
            std::fs::write(&path, bytes).unwrap();
            let error = Plan::connect(&path, Client::Cursor.style(), "casetrack", &us()).unwrap_err();
            assert!(error.message.contains("config.json was not changed."), "{}", error.message);
            let undone = Plan::disconnect(&path, Client::Cursor.style(), "casetrack");
            assert!(undone.is_err() || undone.is_ok_and(|plan| plan.change == Change::None));
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_entry_of_a_server_elsewhere_goes_again_and_its_token_is_not_shown() {
        for &client in Client::all() {
            let style = client.style();
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("config");
            let text = if client == Client::Codex { "[tui]\n" } else { "{\n  \"a\": 1\n}\n" };
            std::fs::write(&path, text).unwrap();
            let held = Token::Held("t0ken".to_owned());
            let variable = Token::Variable("CASETRACK_TOKEN".to_owned());
            for token in [held, variable].into_iter().take(1 + usize::from(style.reach.takes_variables())) {
                let remote = Entry::Remote(Remote { url: "https://c.example/mcp".to_owned(), token });
                let plan = Plan::connect(&path, style, "casetrack", &remote).unwrap();
                let lines = plan.lines().concat();
                assert!(lines.contains("https://c.example/mcp") && !lines.contains("t0ken"), "{client:?} {lines}");
                plan.carry_out().unwrap();
                assert_eq!(entry(&path, style, "casetrack").unwrap(), Some(remote), "{client:?}");
                let plan = Plan::disconnect(&path, style, "casetrack").unwrap();
                assert!(!plan.lines().concat().contains("t0ken"), "{client:?} {:?}", plan.lines());
                plan.carry_out().unwrap();
                assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{client:?}");
            }
        }
    }

    #[test]
    fn only_the_lines_that_change_are_shown() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.json");
        std::fs::write(&path, "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"a\"\n    }\n  }\n}\n")
            .unwrap();
        let lines = Plan::connect(&path, Client::Cursor.style(), "casetrack", &us()).unwrap().lines();
        assert!(lines.iter().any(|line| line == "+     \"casetrack\": {"), "{lines:?}");
        assert!(!lines.iter().any(|line| line.contains("\"command\": \"a\"")), "{lines:?}");
        let long = format!("{{\"key\": \"{}\"}}", "s3cret".repeat(40));
        std::fs::write(&path, long).unwrap();
        let lines = Plan::connect(&path, Client::Cursor.style(), "casetrack", &us()).unwrap().lines();
        assert!(!lines.concat().contains("s3cret"), "{lines:?}");
    }
}
