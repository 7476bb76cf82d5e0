//! The commands around models, against a hub on a local port.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

use crate::client::{casetrack, run_json};

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const CONFIG: &str = "{}";
/// `printf '{}' | git hash-object --stdin`
const CONFIG_GIT_OBJECT: &str = "9e26dfeeb6e641a33dae4961196235bdb965b21b";

/// A models folder with one model of the quality profile.
fn models_folder(dir: &Path) {
    let manifest = format!(
        r#"
        [[models]]
        id = "t-one"
        profile = "quality"
        roles = ["dense"]
        architecture = "bert"
        source_repository = "owner/one"
        source_revision = "{COMMIT}"
        licence = "MIT"
        dimension = 4
        max_tokens = 8
        pooling = "cls"
        normalise = true
        query_prefix = ""
        passage_prefix = ""
        files = [{{ name = "config.json" }}]
        "#
    );
    std::fs::write(dir.join("manifest.toml"), manifest).unwrap();
}

/// Serves `config.json` for every request.
fn start_hub() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let request = lines.next().unwrap().unwrap();
            while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
            let body = if request.starts_with("HEAD") { "" } else { CONFIG };
            let answer = format!(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nX-Repo-Commit: {COMMIT}\r\nETag: \"{CONFIG_GIT_OBJECT}\"\r\n\
                 Content-Length: {}\r\n\r\n{body}",
                CONFIG.len()
            );
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    endpoint
}

fn command(home: &Path, models: &Path, endpoint: &str) -> Command {
    let mut command = casetrack(home);
    command.stdin(Stdio::null()).arg("--models-dir").arg(models).arg("--json").arg("models");
    for name in ["HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_TOKEN", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        command.env_remove(name);
    }
    command.env("HF_ENDPOINT", endpoint).env("HF_HOME", home.join("hf"));
    command
}

/// The JSON on standard output, after the command ended with `status`.
fn json(mut command: Command, status: i32) -> Value {
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{stderr}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn models_are_listed_and_pulled() {
    let (home, models) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    models_folder(models.path());
    let endpoint = start_hub();
    let new = || command(home.path(), models.path(), &endpoint);
    assert_eq!(json(new(), 0)["models"][0]["state"], "not_pulled");

    let mut offline = new();
    offline.args(["pull", "--offline"]);
    let error = json(offline, 1);
    assert_eq!(error["error"]["code"], "missing_dependency");
    assert!(error["error"]["message"].as_str().unwrap().contains("t-one (lacks config.json)"), "{error}");

    let pull = || {
        let mut command = new();
        command.arg("pull");
        command
    };
    assert_eq!(json(pull(), 0)["models"][0]["downloaded_bytes"], 2);
    assert_eq!(std::fs::read_to_string(models.path().join("t-one/config.json")).unwrap(), CONFIG);
    assert_eq!(json(pull(), 0)["models"][0]["already_present"], true);
    assert_eq!(json(new(), 0)["models"][0]["state"], "present");

    std::fs::write(models.path().join("t-one/config.json"), "[]").unwrap();
    let listed = json(new(), 1);
    assert_eq!(listed["models"][0]["state"], "damaged");
    assert!(listed["models"][0]["problems"][0].as_str().unwrap().contains("is damaged"), "{listed}");
    let shown = casetrack(home.path()).arg("--models-dir").arg(models.path()).arg("models").output().unwrap();
    assert!(String::from_utf8_lossy(&shown.stdout).contains("casetrack models pull"), "{shown:?}");
}

#[test]
fn what_ships_is_listed_with_what_can_be_pulled() {
    let home = tempfile::tempdir().unwrap();
    let list = run_json(home.path(), &["models"]);
    let models = list["models"].as_array().unwrap();
    let of = |profile: &str| models.iter().filter(|model| model["profile"] == profile).collect::<Vec<_>>();
    assert!(!of("compact").is_empty() && of("compact").iter().all(|model| model["state"] == "present"), "{list}");
    for role in ["dense", "sparse", "late-interaction"] {
        assert!(of("quality").iter().any(|model| model["roles"][0] == role), "{list}");
    }
}
