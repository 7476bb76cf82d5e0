//! `casetrack` without a command, `casetrack start`, and the processes that stay afterwards.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::client::{PATIENCE, casetrack, run, run_json, samples, write_files};
use crate::owner::{find_owner, wait_until_it_ends};

fn command(home: &Path, args: &[&str]) -> Command {
    let mut command = casetrack(&home.join("data"));
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "CASETRACK_COLLECTION"] {
        command.env_remove(name);
    }
    // The setup script puts the library below the real home.
    if std::env::var_os("CASETRACK_PDFIUM").is_none() {
        let home = std::env::home_dir().unwrap();
        command.env("CASETRACK_PDFIUM", home.join(".cache/casetrack/pdfium"));
    }
    command.args(args).env("HOME", home).stdin(Stdio::null());
    command
}

fn text(status: i32, home: &Path, args: &[&str]) -> String {
    let output = command(home, args).output().unwrap();
    assert_eq!(output.status.code(), Some(status), "{args:?} {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_program_alone_says_in_five_lines_where_to_go() {
    let dir = tempfile::tempdir().unwrap();
    let said = text(0, dir.path(), &[]);
    assert_eq!(said.lines().filter(|line| line.contains("casetrack ")).count(), 5, "{said}");
    assert!(!dir.path().join("data").exists(), "nothing is made");
}

#[test]
fn a_folder_becomes_a_collection_with_questions_and_again_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    std::fs::create_dir_all(home.join(".cursor")).unwrap();
    let folder = samples().join("harbour-point");
    let folder = folder.to_str().unwrap();
    let said = text(0, home, &["start", folder, "--yes"]);
    assert!(said.contains("The new collection \"harbour-point\"") && said.contains("14 new documents"), "{said}");
    assert!(said.contains("Cursor is now connected."), "{said}");
    assert!(std::fs::read_to_string(home.join(".cursor/mcp.json")).unwrap().contains("\"mcp\""));
    assert!(!home.join(".claude.json").exists(), "only assistants that are here are connected");
    let questions: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("  casetrack search \"")).collect();
    assert_eq!(questions.len(), 3, "{said}");
    // Each can be asked, and finds something.
    let data = home.join("data");
    for question in questions {
        let question = question.strip_suffix('"').unwrap();
        assert!(!run_json(&data, &["search", question])["results"].as_array().unwrap().is_empty(), "{question}");
    }
    assert_eq!(run_json(&data, &["watches"]).as_array().unwrap().len(), 1);

    let again = text(0, home, &["start", folder, "--yes"]);
    assert!(again.contains("The collection \"harbour-point\"") && again.contains("connected already"), "{again}");
    assert_eq!(run_json(&data, &["collections"]).as_array().unwrap().len(), 1);
    assert_eq!(run_json(&data, &["watches"]).as_array().unwrap().len(), 1);
}

#[test]
fn folders_of_one_name_get_collections_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    write_files(home, &[("a/papers/one.txt", "The rent is due."), ("b/papers/two.txt", "The deposit is due.")]);
    let start = |folder: &str| {
        let path = home.join(folder);
        let said = text(0, home, &["start", path.to_str().unwrap(), "--json", "--no-connect"]);
        serde_json::from_str::<Value>(&said).unwrap()["collection"]["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(start("a/papers"), "papers");
    assert_eq!(start("b/papers"), "papers (b)");
    assert_eq!(start("a/papers"), "papers");
    assert_eq!(start("b/papers"), "papers (b)");
    let refused = command(home, &["start", home.to_str().unwrap()]).output().unwrap();
    assert!(String::from_utf8(refused.stderr).unwrap().contains("--yes"), "a home folder is not a matter");
}

#[test]
fn an_owner_that_stays_takes_over_and_keeps_watching() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    write_files(home, &[("papers/one.txt", "The rent is due.")]);
    let data = home.join("data");
    run(&data, &["new", "Papers"]);
    // The owner of that command is still there, and gives way.
    let mut stays = command(home, &["owner", "--stay"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let owner = || find_owner(&data);
    let until = |what: &str, done: &mut dyn FnMut() -> bool| {
        let started = std::time::Instant::now();
        while !done() {
            assert!(started.elapsed() < PATIENCE, "{what}");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    };
    let pid = stays.id();
    until("it takes over", &mut || owner() == Some(pid));
    // It outlives an owner without clients that started later.
    run(&home.join("other"), &["new", "Papers"]);
    wait_until_it_ends(&home.join("other"));
    assert!(stays.try_wait().unwrap().is_none());
    assert_eq!(owner(), Some(pid));
    run(&data, &["stop"]);
    until("it ends when it is asked", &mut || stays.try_wait().unwrap().is_some());
}

#[cfg(target_os = "linux")]
#[test]
fn a_service_is_installed_stopped_and_removed_with_the_manager_of_the_system() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let (tools, log) = (home.join("tools"), home.join("log"));
    std::fs::create_dir(&tools).unwrap();
    let systemctl = tools.join("systemctl");
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> '{}'\ncd '{}'\ncase $2 in is-active) test -e running ;; start|restart) touch running ;; \
         stop) rm -f running ;; esac\n",
        log.display(),
        tools.display()
    );
    std::fs::write(&systemctl, script).unwrap();
    std::fs::set_permissions(&systemctl, std::fs::Permissions::from_mode(0o755)).unwrap();
    let said = |args: &[&str], status: i32| {
        let output = command(home, args).env("PATH", format!("{}:/usr/bin:/bin", tools.display())).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let service = |action: &str, status: i32| said(&["service", action], status);
    assert!(service("status", 1).contains("not installed"));
    service("start", 1);
    assert!(service("install", 0).contains("runs under systemd"));
    let unit = std::fs::read_to_string(home.join(".config/systemd/user/casetrack.service")).unwrap();
    let start = unit.lines().find(|line| line.starts_with("ExecStart=")).unwrap();
    assert!(start.contains(home.join("data").to_str().unwrap()) && start.ends_with(" owner --stay"), "{unit}");
    // As systemd itself reads it, if it is installed.
    let mut verify = Command::new("systemd-analyze");
    verify.args(["--user", "verify"]).arg(home.join(".config/systemd/user/casetrack.service"));
    if let Ok(output) = verify.env("XDG_RUNTIME_DIR", home).output() {
        let complaints = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && complaints.is_empty(), "{complaints}");
    }

    // Stopped with the process that it keeps, because it would start that again; and only with that.
    run(&home.join("other"), &["stop"]);
    assert!(service("status", 0).contains("runs under systemd"));
    assert!(said(&["stop"], 0).contains("`casetrack service start`"));
    assert!(service("status", 1).contains("casetrack service start"));
    assert!(service("start", 0).contains("runs under systemd"));

    assert!(service("uninstall", 0).contains("removed"));
    assert!(!home.join(".config/systemd/user/casetrack.service").exists());
    let calls = std::fs::read_to_string(log).unwrap();
    for call in ["enable", "restart", "stop", "start", "disable"] {
        assert!(calls.contains(&format!("--user {call} casetrack.service")), "{call}: {calls}");
    }
}
