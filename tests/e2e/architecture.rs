//! The arrows between crates point the way ARCHITECTURE.md says, and those between the modules of a crate form no circles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

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
            "crates/casetrack-serve/src/team/outgoing.rs",
        ],
    ),
    (
        "probe_server",
        &[
            "crates/casetrack-serve/src/",
            "crates/casetrack/src/commands/connect.rs",
            "crates/casetrack/src/unserved.rs",
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

/// The path of a module below its crate; empty for the crate's own file.
type ModulePath = Vec<String>;

/// The modules of a crate, without tests, and the paths that each imports or names.
struct Sources {
    imports: BTreeMap<ModulePath, Vec<Vec<String>>>,
}

impl Sources {
    fn read(folder: &Path) -> Self {
        let (mut imports, mut tests) = (BTreeMap::new(), Vec::new());
        let mut folders = vec![(folder.to_owned(), ModulePath::new())];
        while let Some((folder, path)) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let file = entry.unwrap().path();
                let stem = file.file_stem().unwrap().to_str().unwrap().to_owned();
                let mut module = path.clone();
                if file.is_dir() {
                    module.push(stem);
                    folders.push((file, module));
                } else if file.extension().is_some_and(|extension| extension == "rs") {
                    module.extend(Some(stem).filter(|stem| !matches!(stem.as_str(), "lib" | "main" | "mod")));
                    let tokens = tokens(&std::fs::read_to_string(&file).unwrap());
                    let (tokens, test_modules) = without_tests(&tokens);
                    tests.extend(test_modules.into_iter().map(|name| [module.clone(), vec![name]].concat()));
                    imports.entry(module).or_insert_with(Vec::new).extend(paths(&tokens));
                }
            }
        }
        imports.retain(|module, _| !tests.iter().any(|test: &ModulePath| module.starts_with(test)));
        Self { imports }
    }

    /// The module that a path leads to from `module`; `None` outside the crate. Names that a module only passes on lead to their source.
    fn resolved(&self, module: &[String], path: &[String], steps: usize) -> Option<ModulePath> {
        let mut at = module.to_vec();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => (at, rest) = (ModulePath::new(), &path[1..]),
            "self" => rest = &path[1..],
            "super" => {}
            name => {
                at.push(name.to_owned());
                if !self.imports.contains_key(&at) {
                    return None;
                }
                rest = &path[1..];
            }
        }
        while let [first, after @ ..] = rest {
            let child = [at.clone(), vec![first.clone()]].concat();
            if first == "super" {
                at.pop();
            } else if self.imports.contains_key(&child) {
                at = child;
            } else {
                let passed_on = self.imports.get(&at)?.iter().find(|import| import.last() == Some(first));
                let home = passed_on.filter(|_| steps > 0).and_then(|import| self.resolved(&at, import, steps - 1));
                return Some(home.unwrap_or(at));
            }
            rest = after;
        }
        Some(at)
    }

    /// The circles among modules next to each other, with an import for each arrow.
    fn circles(&self) -> Vec<(Vec<String>, Vec<String>)> {
        type Arrows = BTreeMap<String, BTreeMap<String, String>>;
        let mut folders: BTreeMap<ModulePath, Arrows> = BTreeMap::new();
        for (module, imports) in &self.imports {
            for import in imports {
                let Some(target) = self.resolved(module, import, 4) else { continue };
                let common = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
                let (Some(from), Some(to)) = (module.get(common), target.get(common)) else { continue };
                let example = format!("{} imports {}", module.join("::"), import.join("::"));
                let arrows = folders.entry(module[..common].to_vec()).or_default();
                arrows.entry(from.clone()).or_default().entry(to.clone()).or_insert(example);
            }
        }
        let mut circles = Vec::new();
        for (folder, arrows) in &folders {
            let reached = |from: &String| {
                let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
                while let Some(node) = open.pop() {
                    let next = arrows.get(&node).into_iter().flat_map(BTreeMap::keys);
                    open.extend(next.filter(|next| seen.insert((*next).clone())).cloned());
                }
                seen
            };
            let reached: BTreeMap<&String, BTreeSet<String>> =
                arrows.keys().map(|node| (node, reached(node))).collect();
            let mut done = BTreeSet::new();
            for (node, onward) in &reached {
                let together = |other: &&String| onward.contains(*other) && reached[*other].contains(*node);
                let circle: Vec<&String> = arrows.keys().filter(together).collect();
                let full = |name: &str| [folder.clone(), vec![name.to_owned()]].concat();
                let is_folder = |name: &&&String| {
                    self.imports.keys().any(|module| module.len() > folder.len() + 1 && module.starts_with(&full(name)))
                };
                if circle.is_empty()
                    || !done.insert(circle.clone())
                    || !folder.is_empty() && !circle.iter().any(|name| is_folder(&name))
                {
                    continue;
                }
                let inside = |from: &String| {
                    arrows[from].iter().filter(|(to, _)| circle.contains(to)).map(|(_, example)| example.clone())
                };
                let examples = circle.iter().flat_map(|from| inside(from)).collect();
                circles.push((circle.iter().map(|name| full(name).join("::")).collect(), examples));
            }
        }
        circles
    }
}

/// The names and signs of a source file, without comments and literals.
fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let (mut found, mut index) = (Vec::new(), 0);
    while index < chars.len() {
        let c = chars[index];
        let start = index;
        index += 1;
        match c {
            '/' if at(index) == '/' => index += chars[index..].iter().take_while(|c| **c != '\n').count(),
            '/' if at(index) == '*' => {
                while index < chars.len() && !(at(index) == '*' && at(index + 1) == '/') {
                    index += 1;
                }
                index += 2;
            }
            '"' => index = end_of_string(&chars, index),
            'r' if at(index) == '"' || at(index) == '#' && matches!(at(index + 1), '"' | '#') => {
                let marks = chars[index..].iter().take_while(|c| **c == '#').count();
                let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', marks)).collect();
                index += marks + 1;
                while index < chars.len() && !chars[index..].starts_with(&end) {
                    index += 1;
                }
                index += end.len();
            }
            // A character, or else a lifetime.
            '\'' if at(index) == '\\' => {
                index += 2;
                index += chars[index..].iter().take_while(|c| **c != '\'').count() + 1;
            }
            '\'' if at(index + 1) == '\'' => index += 2,
            c if c.is_alphanumeric() || c == '_' => {
                index += chars[index..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').count();
                found.push(chars[start..index].iter().collect());
            }
            ':' if at(index) == ':' => {
                index += 1;
                found.push("::".to_owned());
            }
            c if c.is_whitespace() => {}
            c => found.push(c.to_string()),
        }
    }
    found
}

/// The index behind a string whose first character is at `index`.
fn end_of_string(chars: &[char], mut index: usize) -> usize {
    while index < chars.len() && chars[index] != '"' {
        index += if chars[index] == '\\' { 2 } else { 1 };
    }
    index + 1
}

/// The tokens outside items that only tests have, and the names of modules in files of their own that only tests have.
fn without_tests(tokens: &[String]) -> (Vec<String>, Vec<String>) {
    const ATTRIBUTE: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut modules, mut index) = (Vec::new(), Vec::new(), 0);
    while index < tokens.len() {
        if !tokens[index..].iter().map(String::as_str).take(ATTRIBUTE.len()).eq(ATTRIBUTE) {
            kept.push(tokens[index].clone());
            index += 1;
            continue;
        }
        index += ATTRIBUTE.len();
        let (mut depth, start) = (0, index);
        while let Some(token) = tokens.get(index) {
            index += 1;
            match token.as_str() {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth -= 1,
                _ => {}
            }
            if depth == 0 && matches!(token.as_str(), ";" | "}") {
                break;
            }
        }
        if let Some([.., keyword, name, end]) = tokens.get(start..index)
            && (keyword, end) == (&"mod".to_owned(), &";".to_owned())
        {
            modules.push(name.clone());
        }
    }
    (kept, modules)
}

/// The paths of `use` items, and paths elsewhere that begin with `crate`, `self` or `super`.
fn paths(tokens: &[String]) -> Vec<Vec<String>> {
    let (mut found, mut index) = (Vec::new(), 0);
    while index < tokens.len() {
        match tokens[index].as_str() {
            // `use<'a>` is a bound.
            "use" if tokens.get(index + 1).is_some_and(|next| next != "<") => {
                index += 1;
                use_tree(tokens, &mut index, &[], &mut found);
            }
            "crate" | "self" | "super" if tokens.get(index + 1).is_some_and(|next| next == "::") => {
                let mut path = vec![tokens[index].clone()];
                while tokens.get(index + 1).is_some_and(|next| next == "::") {
                    index += 2;
                    path.extend(tokens.get(index).cloned());
                }
                found.push(path);
                index += 1;
            }
            _ => index += 1,
        }
    }
    found
}

/// Reads `a::{b, c::d as e, f::*}` behind `prefix`, up to what follows it.
fn use_tree(tokens: &[String], index: &mut usize, prefix: &[String], found: &mut Vec<Vec<String>>) {
    let mut path = prefix.to_vec();
    while let Some(token) = tokens.get(*index) {
        match token.as_str() {
            "::" => *index += 1,
            "{" => {
                *index += 1;
                while tokens.get(*index).is_some_and(|token| token != "}") {
                    use_tree(tokens, index, &path, found);
                    *index += usize::from(tokens.get(*index).is_some_and(|token| token == ","));
                }
                *index += 1;
                return;
            }
            "as" => *index += 2,
            "," | ";" | "}" => break,
            // `a::{self}` is `a`.
            "self" if !path.is_empty() => *index += 1,
            token => {
                path.push(token.to_owned());
                *index += 1;
            }
        }
    }
    if !path.is_empty() {
        found.push(path);
    }
}

#[test]
fn imports_are_read_in_every_form() {
    let text = r##"
        //! use crate::comment::A;
        use crate::{a, b::{self, B as C}, c::*};
        pub(crate) use self::d::
            D;
        #[cfg(test)]
        mod tests { use crate::hidden::E; }
        #[cfg(test)]
        mod more_tests;
        fn f<'a>(x: super::g::G, y: &'a str) -> impl Any + use<'a> { "crate::text::T \" crate::U"; r#"crate::raw::R"#; '"' }
    "##;
    let (tokens, tests) = without_tests(&tokens(text));
    let found: Vec<String> = paths(&tokens).iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["crate::a", "crate::b", "crate::b::B", "crate::c::*", "self::d::D", "super::g::G"]);
    assert_eq!(tests, ["more_tests"]);
}
