//! `casetrack connect` and `disconnect` on configurations as users have them.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::client::casetrack;

/// A user with this home folder, who has nothing else.
fn command(home: &Path, args: &[&str]) -> Command {
    let mut command = casetrack(&home.join("data"));
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
        command.env_remove(name);
    }
    command.args(args).env("HOME", home).stdin(Stdio::null());
    command
}

fn output(status: i32, home: &Path, args: &[&str]) -> Output {
    let output = command(home, args).output().unwrap();
    assert_eq!(output.status.code(), Some(status), "{args:?} {output:?}");
    output
}

fn json(status: i32, home: &Path, args: &[&str]) -> Value {
    serde_json::from_slice(&output(status, home, &[args, &["--json"]].concat()).stdout).unwrap()
}

const CURSOR: &str = "{\n\t// my servers\n\t\"mcpServers\": {\n\t\t\"docs\": { \"command\": \"npx\", \"args\": [\"-y\", \"docs\"] },\n\t},\n}\n";
const CODEX: &str = "model = \"o4\" # mine\r\n\r\n[mcp_servers.docs]\r\ncommand = \"npx\"\r\n";

#[test]
fn a_client_is_connected_checked_and_disconnected_and_its_file_is_as_before() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    std::fs::create_dir_all(home.join(".cursor")).unwrap();
    std::fs::create_dir_all(home.join(".codex")).unwrap();
    let (cursor, codex) = (home.join(".cursor/mcp.json"), home.join(".codex/config.toml"));
    std::fs::write(&cursor, CURSOR).unwrap();
    std::fs::write(&codex, CODEX).unwrap();

    let state = |assistant: &str| {
        let list = json(0, home, &["connect"]);
        let found = list.as_array().unwrap().iter().find(|entry| entry["assistant"] == assistant).cloned();
        found.unwrap()["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(["cursor", "codex", "zed"].map(state), ["found", "found", "not_found"]);

    // There is no one to ask.
    let refused = String::from_utf8(output(1, home, &["connect", "cursor"]).stderr).unwrap();
    assert!(refused.contains("--yes"), "{refused}");
    assert_eq!(std::fs::read_to_string(&cursor).unwrap(), CURSOR);

    let shown = output(0, home, &["connect", "cursor", "codex", "--yes", "--collection", "Harbour Point"]);
    let shown = String::from_utf8(shown.stderr).unwrap();
    assert!(shown.contains("+ \t\t\"casetrack\": {") || shown.contains("\"casetrack\": {"), "{shown}");
    assert!(!shown.contains("docs"), "only what changes is shown: {shown}");
    assert_eq!(state("cursor"), "connected");
    let written = std::fs::read_to_string(&cursor).unwrap();
    assert!(written.contains("// my servers") && written.contains("--collection=Harbour Point"), "{written}");
    assert!(written.contains(home.join("data").to_str().unwrap()), "the server must use the same data: {written}");
    // Connecting again changes nothing.
    output(0, home, &["connect", "cursor", "--yes", "--collection", "Harbour Point"]);
    assert_eq!(std::fs::read_to_string(&cursor).unwrap(), written);

    output(0, home, &["disconnect", "--yes"]);
    assert_eq!(std::fs::read_to_string(&cursor).unwrap(), CURSOR);
    assert_eq!(std::fs::read_to_string(&codex).unwrap(), CODEX);
}

#[test]
fn a_check_starts_the_server_as_the_client_would() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    output(0, home, &["connect", "claude-code", "--yes"]);
    let file = home.join(".claude.json");
    // Variables of the entry reach the server, whose process must not stay behind after the test.
    let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    config["mcpServers"]["casetrack"]["env"] = serde_json::json!({"CASETRACK_IDLE_SECONDS": "3"});
    std::fs::write(&file, config.to_string()).unwrap();
    let checked = json(0, home, &["connect", "--check"]);
    let tools = checked[0]["checked"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool == "search_documents"), "{checked}");
    // An entry whose program has gone is named, with what to do.
    config["mcpServers"]["casetrack"]["command"] = "/nowhere/casetrack".into();
    std::fs::write(&file, config.to_string()).unwrap();
    let failed = json(1, home, &["connect", "claude-code", "--check"]);
    assert_eq!(failed[0]["error"]["code"], "file_not_found");
    let text = String::from_utf8(output(1, home, &["connect", "zed", "--check"]).stdout).unwrap();
    assert!(text.contains("casetrack connect zed"), "{text}");
}

#[test]
fn a_configuration_that_cannot_be_changed_safely_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    std::fs::create_dir_all(home.join(".cursor")).unwrap();
    let file = home.join(".cursor/mcp.json");
    for broken in ["{\"mcpServers\": ", "[]", "{\"mcpServers\": {} \"a\": 1}"] {
        std::fs::write(&file, broken).unwrap();
        let failed = json(1, home, &["connect", "cursor", "--yes"]);
        assert_eq!(failed[0]["state"], "failed", "{failed}");
        assert!(failed[0]["error"]["message"].as_str().unwrap().contains("was not changed"), "{failed}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), broken);
    }
    assert_eq!(std::fs::read_dir(home.join(".cursor")).unwrap().count(), 1);
    // A read-only file, also for a user who could write it all the same.
    std::fs::write(&file, CURSOR).unwrap();
    let mut permissions = std::fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&file, permissions).unwrap();
    let failed = json(1, home, &["connect", "cursor", "--yes"]);
    assert_eq!(failed[0]["error"]["code"], "permission_denied", "{failed}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), CURSOR);
}

#[test]
fn a_configuration_that_cannot_be_read_is_reported_without_being_named() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let nothing = output(0, home, &["disconnect", "--yes"]);
    assert!(String::from_utf8(nothing.stdout).unwrap().contains("No assistant is connected."));
    std::fs::create_dir_all(home.join(".cursor")).unwrap();
    std::fs::write(home.join(".cursor/mcp.json"), "{\"mcpServers\": ").unwrap();
    for args in [&["disconnect", "--yes"][..], &["connect", "--check"]] {
        let failed = json(1, home, args);
        let states: Vec<_> =
            failed.as_array().unwrap().iter().map(|entry| (&entry["assistant"], &entry["state"])).collect();
        assert_eq!(states, [(&Value::from("cursor"), &Value::from("failed"))], "{args:?}");
        let said = String::from_utf8(output(1, home, args).stdout).unwrap();
        assert!(said.contains("mcp.json was not changed") && said.contains("casetrack help assistants"), "{said}");
    }
    // Those that can be read are disconnected all the same.
    output(0, home, &["connect", "codex", "--yes"]);
    let done = json(1, home, &["disconnect", "--yes"]);
    assert_eq!(done[1]["state"], "not_connected", "{done}");
    assert!(!home.join(".codex").exists());
}

#[test]
fn a_project_can_have_its_own_configuration() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let file = home.join("project/.vscode/mcp.json");
    let path = file.to_str().unwrap();
    output(0, home, &["connect", "vscode", "--config", path, "--yes", "--read-only", "--name", "matter"]);
    let config: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let entry = &config["servers"]["matter"];
    assert_eq!(entry["type"], "stdio");
    assert!(entry["args"].as_array().unwrap().iter().any(|arg| arg == "--read-only=true"), "{entry}");
    output(0, home, &["disconnect", "vscode", "--config", path, "--yes", "--name", "matter"]);
    assert!(!file.exists(), "nothing is left of a file that had nothing else");
    output(1, home, &["connect", "vscode", "zed", "--config", path, "--yes"]);
}
