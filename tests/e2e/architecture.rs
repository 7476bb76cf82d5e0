//! The arrows between the crates point the way DESIGN and ARCHITECTURE.md say.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// What each crate may depend on, of ours.
const ARROWS: &[(&str, &[&str])] = &[
    ("casetrack", &["casetrack-core", "casetrack-engine", "casetrack-mcp"]),
    ("casetrack-core", &[]),
    ("casetrack-embed", &["casetrack-core"]),
    ("casetrack-engine", &["casetrack-core", "casetrack-embed", "casetrack-extract", "casetrack-store"]),
    ("casetrack-extract", &["casetrack-core"]),
    ("casetrack-mcp", &["casetrack-core", "casetrack-engine"]),
    ("casetrack-store", &["casetrack-core"]),
];

#[test]
fn crates_depend_only_downwards() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
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
