//! Tests on configurations as the assistants write them (`tests/fixtures/assistants`), in every state in which users have them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use casetrack_core::ErrorCode;

use super::change::{Change, Plan, entry};
use super::clients::Client;
use super::config_paths::{ConfigPaths, System};
use super::server::{Entry, Server};
use super::text::{Encoding, decode, encode};

/// A client, the system whose layout it has, and the folder of its configuration.
const EACH: [(Client, System, &str); 10] = [
    (Client::ClaudeDesktop, System::MacOs, "claude-desktop"),
    (Client::ClaudeDesktop, System::Windows, "claude-desktop-store"),
    (Client::ClaudeCode, System::Linux, "claude-code"),
    (Client::Cursor, System::Linux, "cursor"),
    (Client::Vscode, System::Linux, "vscode"),
    (Client::VscodeInsiders, System::Linux, "vscode-insiders"),
    (Client::Windsurf, System::Linux, "windsurf"),
    (Client::Codex, System::Linux, "codex"),
    (Client::Gemini, System::Linux, "gemini"),
    (Client::Zed, System::Linux, "zed"),
];

/// A secret of another server in the configurations, which must not be shown.
const SECRET: &str = "s3cret";
const NAME: &str = "casetrack";

struct User {
    home: tempfile::TempDir,
    client: Client,
    path: PathBuf,
    /// The configuration as the assistant wrote it.
    text: String,
}

impl User {
    fn new((client, system, folder): (Client, System, &str)) -> Self {
        let home = tempfile::tempdir().unwrap();
        let at = |folder: &str| home.path().join(folder);
        if folder == "claude-desktop-store" {
            fs::create_dir_all(at("local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude")).unwrap();
        }
        let places = ConfigPaths {
            system,
            home: at("home"),
            config: at("config"),
            local: at("local"),
            claude_code: None,
            codex: None,
        };
        let path = places.config_file(client);
        assert_eq!(folder == "claude-desktop-store", path.starts_with(at("local")), "{}", path.display());
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/assistants").join(folder);
        let text = fs::read_to_string(fixtures.join(path.file_name().unwrap())).unwrap();
        Self { home, client, path, text }
    }

    fn write(&self, bytes: &[u8]) {
        fs::create_dir_all(self.path.parent().unwrap()).unwrap();
        fs::write(&self.path, bytes).unwrap();
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).unwrap()
    }

    fn text(&self) -> String {
        decode(&self.bytes()).unwrap().0
    }

    fn connect(&self) -> casetrack_core::Result<Plan> {
        Plan::connect(&self.path, self.client.style(), NAME, &us())
    }

    fn disconnect(&self) -> casetrack_core::Result<Plan> {
        Plan::disconnect(&self.path, self.client.style(), NAME)
    }

    fn server(&self) -> Option<Entry> {
        entry(&self.path, self.client.style(), NAME).unwrap()
    }

    fn files_beside(&self) -> usize {
        fs::read_dir(self.path.parent().unwrap()).unwrap().count()
    }
}

fn us() -> Entry {
    let args = vec!["mcp".to_owned(), "--collection=Harbour Point".to_owned()];
    Entry::Program(Server { command: "/opt/casetrack/bin/casetrack".to_owned(), args, env: BTreeMap::new() })
}

/// Lines that must be there unchanged, however the file is written.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.trim().len() > 2).collect()
}

#[test]
fn each_is_connected_and_disconnected_in_every_encoding_and_stays_as_it_was() {
    for one in EACH {
        let user = User::new(one);
        let crlf = user.text.replace('\n', "\r\n");
        let states = [
            ("as it is", user.text.clone().into_bytes()),
            ("with a mark", encode(&user.text, Encoding::Utf8WithMark)),
            ("UTF-16", encode(&user.text, Encoding::Utf16Le)),
            ("UTF-16, the other order", encode(&crlf, Encoding::Utf16Be)),
            ("line breaks of Windows", crlf.into_bytes()),
        ];
        for (state, bytes) in states {
            user.write(&bytes);
            let plan = user.connect().unwrap();
            assert!(!plan.lines().concat().contains(SECRET), "{one:?} {state}: {:?}", plan.lines());
            plan.carry_out().unwrap();
            assert_eq!(user.server(), Some(us()), "{one:?} {state}");
            let new = user.text();
            // Every old line is there, in its order; a comma may follow.
            let mut rest = lines(&new).into_iter();
            for line in lines(&user.text) {
                let is_this = |found: &str| found.trim_end_matches(',') == line.trim_end_matches(',');
                assert!(rest.any(is_this), "{one:?} {state}: {line} is not in\n{new}");
            }
            let (breaks, of_windows) = (new.matches('\n').count(), new.matches("\r\n").count());
            assert!(of_windows == 0 || of_windows == breaks, "{one:?} {state}: both kinds of line breaks");
            assert_eq!(user.connect().unwrap().change, Change::None, "{one:?} {state}");
            user.disconnect().unwrap().carry_out().unwrap();
            assert_eq!(user.bytes(), bytes, "{one:?} {state}");
        }
    }
}

#[test]
fn what_the_assistant_changes_later_stays() {
    for one in EACH {
        let user = User::new(one);
        user.write(user.text.as_bytes());
        user.connect().unwrap().carry_out().unwrap();
        let comment = match user.client {
            Client::Codex => "# later\n".to_owned() + &user.text(),
            _ => user.text().replacen('{', "{ \"later\": [1],", 1),
        };
        user.write(comment.as_bytes());
        user.disconnect().unwrap().carry_out().unwrap();
        assert_eq!(user.server(), None, "{one:?}");
        let left = user.text();
        assert!(left.contains("later") && (left.contains(SECRET) || !user.text.contains(SECRET)), "{one:?} {left}");
    }
}

#[test]
fn each_that_is_read_only_or_broken_is_left_alone() {
    for one in EACH {
        let user = User::new(one);
        user.write(user.text.as_bytes());
        let writable = fs::metadata(&user.path).unwrap().permissions();
        let mut permissions = writable.clone();
        permissions.set_readonly(true);
        fs::set_permissions(&user.path, permissions).unwrap();
        let error = user.connect().unwrap().carry_out().unwrap_err();
        assert_eq!(error.code, ErrorCode::PermissionDenied, "{one:?}");
        assert_eq!(user.bytes(), user.text.as_bytes(), "{one:?}");
        // Windows removes no file that is read-only.
        fs::set_permissions(&user.path, writable).unwrap();
        fs::remove_file(&user.path).unwrap();

        // Cut off within the list of servers, as a program leaves it that was killed; and not even text.
        let servers = user.text.find(user.client.style().section).unwrap();
        let cut = user.text.as_bytes()[..servers + user.client.style().section.len()].to_vec();
        for broken in [cut, b"\xff\xfe{".to_vec(), b"\x00\x01\x02".to_vec()] {
            user.write(&broken);
            let error = user.connect().unwrap_err();
            assert!(error.message.contains("was not changed"), "{one:?} {}", error.message);
            assert!(user.disconnect().is_err(), "{one:?}");
            assert_eq!(user.bytes(), broken, "{one:?}");
        }
        assert_eq!(user.files_beside(), 1, "{one:?}: nothing was left behind");
    }
}

#[test]
fn each_that_is_missing_is_made_and_goes_again() {
    for one in EACH {
        let user = User::new(one);
        user.connect().unwrap().carry_out().unwrap();
        assert_eq!(user.server(), Some(us()), "{one:?}");
        user.disconnect().unwrap().carry_out().unwrap();
        assert!(!user.path.exists(), "{one:?}");
        assert!(user.home.path().exists());
    }
}

#[test]
fn an_entry_of_a_project_is_another_one() {
    let user = User::new(EACH[2]);
    user.write(user.text.as_bytes());
    assert_eq!(user.server(), None);
    user.connect().unwrap().carry_out().unwrap();
    assert!(user.text().contains("/home/ann/build/casetrack"));
}
