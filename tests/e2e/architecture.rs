//! The arrows between the crates point the way that ARCHITECTURE.md says.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// What each crate may depend on, of ours.
const ARROWS: &[(&str, &[&str])] = &[
    ("casetrack", &["casetrack-core", "casetrack-engine", "casetrack-mcp", "casetrack-text"]),
    ("casetrack-core", &[]),
    ("casetrack-embed", &["casetrack-core"]),
    (
        "casetrack-engine",
        &["casetrack-core", "casetrack-embed", "casetrack-extract", "casetrack-nlp", "casetrack-store"],
    ),
    ("casetrack-extract", &["casetrack-core"]),
    ("casetrack-lab", &["casetrack-core", "casetrack-embed", "casetrack-engine", "casetrack-text"]),
    ("casetrack-mcp", &["casetrack-core", "casetrack-engine", "casetrack-text"]),
    ("casetrack-nlp", &["casetrack-core"]),
    ("casetrack-store", &["casetrack-core"]),
    ("casetrack-text", &["casetrack-core", "casetrack-engine"]),
];

/// The packages of the workspace, as cargo describes them.
fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn crates_depend_only_downwards() {
    let metadata = metadata();
    let ours = |name: &str| name.starts_with("casetrack");
    let actual: BTreeMap<String, Vec<String>> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let mut dependencies: Vec<String> = package["dependencies"]
                .as_array()
                .unwrap()
                .iter()
                // What tests use is no arrow.
                .filter(|dependency| dependency["kind"] != "dev")
                .map(|dependency| dependency["name"].as_str().unwrap().to_owned())
                .filter(|name| ours(name))
                .collect();
            dependencies.sort();
            dependencies.dedup();
            (package["name"].as_str().unwrap().to_owned(), dependencies)
        })
        .collect();
    let expected: BTreeMap<String, Vec<String>> = ARROWS
        .iter()
        .map(|(name, below)| (name.to_string(), below.iter().map(|name| name.to_string()).collect()))
        .collect();
    assert_eq!(actual, expected);
}

/// What only some files may name, so that nothing but `casetrack models pull` uses the network (invariant 9).
const NETWORK: &[(&str, &[&str])] = &[
    ("ureq", &["crates/casetrack-embed/src/pull/"]),
    (
        "std::net",
        &[
            "crates/casetrack-embed/src/pull/tests/",
            "crates/casetrack-mcp/src/http.rs",
            "crates/casetrack/src/owner/",
            "crates/casetrack/src/commands/mcp.rs",
            "crates/casetrack/src/args.rs",
        ],
    ),
    // The listener on loopback of `casetrack mcp --http`.
    ("tokio::net", &["crates/casetrack-mcp/src/http.rs"]),
    ("TcpStream::connect", &[]),
    ("HubSettings", &["crates/casetrack-embed/src/", "crates/casetrack-engine/src/upkeep/models.rs"]),
    (
        "pull_models",
        &[
            "crates/casetrack-engine/src/upkeep/models.rs",
            "crates/casetrack-engine/src/engine/collections.rs",
            "crates/casetrack/src/commands/models.rs",
        ],
    ),
];

#[test]
fn only_the_pull_of_models_uses_the_network() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("crates")];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let place = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
                let text = std::fs::read_to_string(&path).unwrap();
                for (word, places) in NETWORK {
                    let allowed = places.iter().any(|allowed| place.starts_with(allowed));
                    assert!(allowed || !text.contains(word), "{place} names {word}");
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "only {seen} source files were looked at");

    let clients = ["curl", "hf-hub", "hyper", "isahc", "reqwest", "ureq"];
    for package in metadata()["packages"].as_array().unwrap() {
        for dependency in package["dependencies"].as_array().unwrap() {
            let (package, client) = (package["name"].as_str().unwrap(), dependency["name"].as_str().unwrap());
            let features = dependency["features"].as_array().unwrap();
            let server_only = client == "hyper" && !features.contains(&"client".into());
            let allowed = package == "casetrack-embed" && client == "ureq" || package == "casetrack-mcp" && server_only;
            assert!(allowed || !clients.contains(&client), "{package} depends on {client}");
        }
    }
}
