//! The arrows between crates point the way ARCHITECTURE.md says, and those between the modules of a crate form no circles.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use self::sources::Sources;

mod sources;

/// The crates of this workspace that each crate may depend on.
const ARROWS: &[(&str, &[&str])] = &[
    (
        "casetrack",
        &[
            "casetrack-core",
            "casetrack-engine",
            "casetrack-export",
            "casetrack-mcp",
            "casetrack-postgres",
            "casetrack-serve",
            "casetrack-text",
        ],
    ),
    ("casetrack-catalog", &["casetrack-core"]),
    (
        "casetrack-compare",
        &["casetrack-core", "casetrack-extract", "casetrack-graph", "casetrack-host", "casetrack-store"],
    ),
    ("casetrack-conformance", &["casetrack-core", "casetrack-store"]),
    ("casetrack-core", &[]),
    ("casetrack-embed", &["casetrack-core"]),
    (
        "casetrack-engine",
        &[
            "casetrack-catalog",
            "casetrack-compare",
            "casetrack-core",
            "casetrack-embed",
            "casetrack-extract",
            "casetrack-files",
            "casetrack-graph",
            "casetrack-host",
            "casetrack-ingest",
            "casetrack-nlp",
            "casetrack-search",
            "casetrack-store",
            "casetrack-vault",
        ],
    ),
    ("casetrack-export", &["casetrack-core", "casetrack-engine", "casetrack-text"]),
    ("casetrack-extract", &["casetrack-core", "casetrack-pages"]),
    (
        "casetrack-files",
        &[
            "casetrack-catalog",
            "casetrack-core",
            "casetrack-extract",
            "casetrack-graph",
            "casetrack-host",
            "casetrack-ingest",
            "casetrack-nlp",
            "casetrack-search",
            "casetrack-store",
        ],
    ),
    ("casetrack-graph", &["casetrack-core", "casetrack-host", "casetrack-nlp", "casetrack-store"]),
    (
        "casetrack-host",
        &[
            "casetrack-catalog",
            "casetrack-core",
            "casetrack-embed",
            "casetrack-extract",
            "casetrack-nlp",
            "casetrack-store",
            "casetrack-vault",
        ],
    ),
    (
        "casetrack-ingest",
        &[
            "casetrack-compare",
            "casetrack-core",
            "casetrack-embed",
            "casetrack-extract",
            "casetrack-host",
            "casetrack-nlp",
            "casetrack-store",
        ],
    ),
    ("casetrack-keyword", &["casetrack-core"]),
    ("casetrack-lab", &["casetrack-core", "casetrack-embed", "casetrack-engine", "casetrack-text"]),
    ("casetrack-mcp", &["casetrack-core", "casetrack-engine", "casetrack-export", "casetrack-text", "casetrack-web"]),
    ("casetrack-nlp", &["casetrack-core"]),
    ("casetrack-pages", &["casetrack-core"]),
    ("casetrack-postgres", &["casetrack-core", "casetrack-store"]),
    (
        "casetrack-search",
        &[
            "casetrack-compare",
            "casetrack-core",
            "casetrack-embed",
            "casetrack-extract",
            "casetrack-graph",
            "casetrack-host",
            "casetrack-nlp",
            "casetrack-store",
        ],
    ),
    (
        "casetrack-serve",
        &["casetrack-core", "casetrack-engine", "casetrack-export", "casetrack-mcp", "casetrack-text", "casetrack-web"],
    ),
    ("casetrack-store", &["casetrack-core", "casetrack-keyword", "casetrack-vault"]),
    ("casetrack-text", &["casetrack-core", "casetrack-engine"]),
    ("casetrack-vault", &["casetrack-core"]),
    ("casetrack-web", &[]),
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
                // The dependencies of tests are no arrows.
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

/// Names that only some files may use, so that nothing uses the network except `casetrack models pull`, `casetrack serve` for the keys of
/// the provider that its settings name, `casetrack connect` to ask the server that the user names, and two tools for the language model that the
/// settings name (invariant 9).
const NETWORK: &[(&str, &[&str])] = &[
    (
        "ureq",
        &[
            "crates/casetrack-embed/src/pull/",
            "crates/casetrack-serve/src/language_model.rs",
            "crates/casetrack-serve/src/team/oidc.rs",
            "crates/casetrack-serve/src/team/requests.rs",
        ],
    ),
    (
        "probe_server",
        &[
            "crates/casetrack-serve/src/",
            "crates/casetrack/src/commands/connect.rs",
            "crates/casetrack/src/serve_substitute.rs",
        ],
    ),
    (
        "std::net",
        &[
            "crates/casetrack-embed/src/pull/tests/",
            "crates/casetrack-serve/src/http.rs",
            "crates/casetrack-serve/src/http/team.rs",
            "crates/casetrack-serve/src/team/refusals.rs",
            "crates/casetrack-postgres/tests/",
            "crates/casetrack/src/owner/",
            "crates/casetrack/src/options.rs",
        ],
    ),
    // Only these two tools ask a language model.
    (
        "ChatModel",
        &[
            "crates/casetrack-serve/src/lib.rs",
            "crates/casetrack-serve/src/language_model.rs",
            "crates/casetrack/src/language_model.rs",
        ],
    ),
    (".own_model(", &["crates/casetrack-mcp/src/session.rs", "crates/casetrack-mcp/src/tools/files/queries.rs"]),
    // The listener on loopback of `casetrack mcp --http`, the listener of `casetrack serve`, and a server of tests.
    (
        "tokio::net",
        &[
            "crates/casetrack-serve/src/http.rs",
            "crates/casetrack-serve/src/http/team.rs",
            "crates/casetrack-postgres/tests/",
            "crates/casetrack/src/owner/team.rs",
        ],
    ),
    ("TcpStream::connect", &[]),
    // Its server is the one that the user names.
    ("postgres::", &["crates/casetrack-postgres/", "crates/casetrack/src/stores.rs"]),
    ("HubSettings", &["crates/casetrack-embed/src/", "crates/casetrack-engine/src/upkeep/models.rs"]),
    ("pull_models", &["crates/casetrack-engine/src/upkeep/", "crates/casetrack/src/commands/models.rs"]),
];

/// Names that only some files may use, so that only a command at the terminal reaches the keychain of the system: no server of assistants does.
const KEYCHAIN: &[(&str, &[&str])] = &[
    ("dbus_secret_service", &["crates/casetrack/src/keychain/secret_service.rs"]),
    ("keyring_core", &["crates/casetrack/src/keychain/native.rs"]),
    ("keychain::open", &["crates/casetrack/src/dispatch.rs"]),
    ("dyn Keychain", &["crates/casetrack/src/keychain/"]),
];

#[test]
fn only_named_files_use_the_network_and_only_the_terminal_the_keychain() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for place in NETWORK.iter().chain(KEYCHAIN).flat_map(|(_, places)| *places) {
        assert!(root.join(place).exists(), "{place} is allowed and does not exist");
    }
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
                for (word, places) in NETWORK.iter().chain(KEYCHAIN) {
                    let allowed = places.iter().any(|allowed| place.starts_with(allowed));
                    assert!(allowed || !text.contains(word), "{place} names {word}");
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "only {seen} source files were looked at");

    let clients = ["curl", "hf-hub", "hyper", "isahc", "postgres", "reqwest", "tokio-postgres", "ureq"];
    for package in metadata()["packages"].as_array().unwrap() {
        for dependency in package["dependencies"].as_array().unwrap() {
            let (package, client) = (package["name"].as_str().unwrap(), dependency["name"].as_str().unwrap());
            let features = dependency["features"].as_array().unwrap();
            let server_only = client == "hyper" && !features.contains(&"client".into());
            let allowed = matches!(package, "casetrack-embed" | "casetrack-serve") && client == "ureq"
                || package == "casetrack-postgres" && client == "postgres"
                || package == "casetrack-serve" && server_only;
            assert!(allowed || !clients.contains(&client), "{package} depends on {client}");
        }
    }
}

/// In each folder of each crate, the modules next to each other form no circle of imports; a folder counts as one module. Within a folder,
/// files without folders next to them may refer to each other, as mutual recursion demands.
#[test]
fn modules_form_no_circles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut found, mut modules) = (Vec::new(), 0);
    for entry in std::fs::read_dir(root.join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let sources = Sources::read(&folder.join("src"));
        modules += sources.imports.len();
        for (circle, example) in sources.circles() {
            found.push(format!("{name}: {}\n    {}", circle.join(", "), example.join("\n    ")));
        }
    }
    assert!(modules > 200, "only {modules} modules were read");
    assert!(found.is_empty(), "modules that import each other in a circle:\n{}", found.join("\n"));
}
