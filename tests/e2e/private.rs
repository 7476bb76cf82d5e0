//! CaseTrack's files: only their user may read them, and their places.

use std::collections::BTreeMap;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::{Client, casetrack, run};

const BIN: &str = env!("CARGO_BIN_EXE_casetrack");

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().permissions().mode() & 0o7777
}

/// The mode of everything below a directory, and of itself, except for links.
fn modes(root: &Path) -> BTreeMap<PathBuf, u32> {
    let mut found = BTreeMap::new();
    let mut paths = vec![root.to_owned()];
    while let Some(path) = paths.pop() {
        // A file that vanishes meanwhile cannot be read.
        let Ok(metadata) = path.symlink_metadata() else { continue };
        if metadata.is_symlink() {
            continue;
        }
        if let (true, Ok(entries)) = (metadata.is_dir(), std::fs::read_dir(&path)) {
            paths.extend(entries.map(|entry| entry.unwrap().path()));
        }
        found.insert(path, metadata.permissions().mode() & 0o7777);
    }
    found
}

fn assert_private(root: &Path) -> BTreeMap<PathBuf, u32> {
    let modes = modes(root);
    let open: Vec<_> = modes.iter().filter(|(_, mode)| *mode & 0o077 != 0).collect();
    assert!(open.is_empty(), "others may read {open:?}");
    modes
}

fn has(modes: &BTreeMap<PathBuf, u32>, end: &str) -> bool {
    modes.keys().any(|path| path.to_string_lossy().ends_with(end))
}

/// A shell with this umask that runs the program.
fn with_umask(umask: &str, home: &Path, args: &[&str]) {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("umask {umask}; exec \"$0\" \"$@\"")).arg(BIN).arg("--data-dir").arg(home).args(args);
    command.env("CASETRACK_IDLE_SECONDS", "3").env_remove("CASETRACK_HOME").stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn all_that_is_kept_is_for_its_user_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (home, folder) = (dir.path().join("home"), dir.path().join("files"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("note.txt"), "The rent is due on the third of each month.").unwrap();
    // Files of a user, and files of an earlier version.
    std::fs::create_dir_all(home.join("jobs")).unwrap();
    std::fs::write(home.join("config.toml"), "[audit]\nenabled = true\n").unwrap();
    std::fs::write(home.join("jobs/left.txt"), "").unwrap();
    for (path, mode) in [("jobs/left.txt", 0o644), ("config.toml", 0o644), ("jobs", 0o755), ("", 0o755)] {
        std::fs::set_permissions(home.join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    with_umask("022", &home, &["new", "Private"]);
    let text = folder.display().to_string();
    run(&home, &["ingest", &text, "-c", "Private", "--copy-original"]);
    let mut client = Client::start(&home, &["--collection", "Private"]);
    client.work("ingest_folder", json!({"folder_path": folder}));
    client.call("watch_folder", json!({"folder_path": folder, "schedule": "manual"}));
    client.call("search_documents", json!({"query": "rent"}));
    run(&home, &["compact", "-c", "Private"]);
    let modes = assert_private(&home);
    for end in ["/collection.json", "/rocksdb/CURRENT", "/meta.json", "/manifest.json", "owner/log", "owner/lock"] {
        assert!(has(&modes, end), "there is no {end}");
    }
    for end in ["watches.json", "audit.jsonl", "config.toml", "jobs/left.txt"] {
        assert!(has(&modes, end), "there is no {end}");
    }
    assert!(modes.keys().any(|path| path.starts_with(home.join("jobs")) && path.extension() == Some("json".as_ref())));
    assert!(modes.keys().any(|path| path.parent().is_some_and(|parent| parent.ends_with("originals"))));
    let is_socket = |path: &PathBuf| path.symlink_metadata().is_ok_and(|metadata| metadata.file_type().is_socket());
    assert!(modes.keys().any(is_socket) || home.as_os_str().len() > 80, "there is no socket");
    client.close();
}

#[test]
fn files_that_the_user_asks_for_have_the_rights_of_their_files() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    std::fs::write(dir.path().join("note.txt"), "The rent is due on the third of each month.").unwrap();
    with_umask("022", &home, &["new", "Shared"]);
    let file = |name: &str| dir.path().join(name).display().to_string();
    with_umask("022", &home, &["ingest", &file("note.txt"), "-c", "Shared"]);
    // Each client has its own umask; the owner may have another.
    for (umask, expected) in [("022", 0o644), ("027", 0o640), ("002", 0o664)] {
        let archive = file(&format!("{umask}.ctcollection"));
        with_umask(umask, &home, &["export", "-c", "Shared", &archive]);
        assert_eq!(mode(Path::new(&archive)), expected, "{umask}");
    }
    assert_private(&home);
}

/// A command without a data directory, as a user with this home has it.
fn at_home(home: &Path, args: &[&str]) -> Value {
    let mut command = Command::new(BIN);
    command.args(args).arg("--json").env("HOME", home).env("CASETRACK_IDLE_SECONDS", "3").stdin(Stdio::null());
    for variable in ["CASETRACK_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_DOCUMENTS_DIR"] {
        command.env_remove(variable);
    }
    let output = command.output().unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{args:?}: {error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn data_directory(home: &Path) -> Value {
    let diagnosis = at_home(home, &["doctor"]);
    let is_it = |finding: &&Value| finding["what"] == "data directory";
    diagnosis["findings"].as_array().unwrap().iter().find(is_it).unwrap().clone()
}

/// The folders follow Linux.
#[cfg(target_os = "linux")]
#[test]
fn collections_are_not_kept_where_a_cloud_service_synchronizes_them() {
    let dir = tempfile::tempdir().unwrap();
    let [new, earlier] = ["new", "earlier"].map(|name| dir.path().join(name));
    std::fs::create_dir_all(new.join("Documents")).unwrap();
    at_home(&new, &["new", "Matter"]);
    assert!(new.join(".local/share/casetrack/data/collections").is_dir());
    assert!(!new.join("Documents/CaseTrack").exists());
    let found = data_directory(&new);
    assert!(found["hint"].is_null() && found["ok"] == true, "{found}");

    // The folder of an earlier version stays in use.
    let kept = earlier.join("Documents/CaseTrack");
    let mut command = casetrack(&kept);
    assert!(command.args(["new", "Old matter"]).stdin(Stdio::null()).output().unwrap().status.success());
    let listed = at_home(&earlier, &["collections"]);
    assert_eq!(listed[0]["name"], "Old matter", "{listed}");
    assert!(!earlier.join(".local").exists());
    let found = data_directory(&earlier);
    assert_eq!(found["ok"], true, "{found}");
    let hint = found["hint"].to_string();
    let place = earlier.join(".local/share/casetrack/data");
    for part in [kept.display().to_string(), place.display().to_string()] {
        assert!(hint.contains(&part), "{hint}");
    }
}
