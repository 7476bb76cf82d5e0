//! A collection that exists is moved into a vault and out of it, by the real program, which is killed on the way; and into an encrypted file.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{PATIENCE, casetrack, run, run_expecting, run_json, write_files};
#[cfg(target_os = "linux")]
use crate::crash::faults::shim;
use crate::owner::{find_owner, kill};
use crate::vault::{PASSPHRASE, with_input};

/// Words of texts, of names of files and folders, and of the collection. No other file has them.
const MARKERS: [&str; 5] = ["zqmandant", "zqordner", "zqvertrag", "zqklausel", "zqnotiz"];

struct Matter {
    _dir: tempfile::TempDir,
    home: PathBuf,
    folder: PathBuf,
    id: String,
}

impl Matter {
    /// A plain collection of two documents, with copies, a tag, evidence, a watch, jobs and a last search.
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (home, folder) = (dir.path().join("home"), dir.path().join("zqordner"));
        let text = "The zqklausel of the lease is on the first page.\n\nThe rent is due on the first of each month.\n";
        write_files(&folder, &[("zqvertrag.md", text), ("second.txt", "Notice of the zqklausel was given in time.\n")]);
        run(&home, &["new", "zqmandant"]);
        run(&home, &["ingest", folder.to_str().unwrap(), "-c", "zqmandant", "--copy-original"]);
        run(&home, &["tag", "zqvertrag.md", "-c", "zqmandant", "--add", "key"]);
        run(&home, &["watch", folder.to_str().unwrap(), "-c", "zqmandant", "--schedule", "manual"]);
        run(&home, &["search", "zqklausel", "-c", "zqmandant"]);
        run(&home, &["evidence", "add", "1", "-c", "zqmandant", "--note", "zqnotiz"]);
        let id = run_json(&home, &["collections"])[0]["id"].as_str().unwrap().to_owned();
        Self { _dir: dir, home, folder, id }
    }

    fn sees(&self, args: &[&str]) -> Value {
        run_json(&self.home, &[args, &["-c", "zqmandant"]].concat())
    }

    /// All that must stay.
    fn state(&self) -> Value {
        let mut found = self.sees(&["search", "who gave notice of the clause?"]);
        assert!(!found["results"].as_array().unwrap().is_empty(), "{found}");
        let jobs = run_json(&self.home, &["jobs"]);
        assert!(!jobs.as_array().unwrap().is_empty());
        json!({
            "results": found["results"].take(),
            "documents": self.sees(&["documents"]),
            "evidence": self.sees(&["evidence", "list"])["items"],
            "entities": self.sees(&["entities"]),
            "jobs": jobs,
            "watches": self.watches(),
        })
    }

    /// The watches, once each has begun.
    fn watches(&self) -> Value {
        let since = Instant::now();
        loop {
            let watches = run_json(&self.home, &["watches"]);
            if watches.as_array().unwrap().iter().all(|watch| watch["state"] != "starting") {
                return watches;
            }
            assert!(since.elapsed() < PATIENCE, "{watches}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn seal(&self) -> Value {
        let (out, said) = with_input(0, &self.home, &format!("{PASSPHRASE}\n"), &self.sealing());
        assert!(said.contains("It takes up to"), "{said}");
        serde_json::from_str(&out).unwrap()
    }

    fn sealing(&self) -> [&str; 5] {
        ["--json", "vault", "seal", "zqmandant", "--passphrase-stdin"]
    }

    fn unlock(&self) {
        with_input(0, &self.home, &format!("{PASSPHRASE}\n"), &["unlock", "--passphrase-stdin"]);
    }

    fn unseal(&self) {
        with_input(0, &self.home, &format!("{PASSPHRASE}\n"), &["vault", "unseal", "--yes", "--passphrase-stdin"]);
    }

    fn is_vault(&self) -> bool {
        run_json(&self.home, &["collections"]) == json!([{"id": self.id, "locked": true}])
    }

    /// The files below the data directory that hold a marker, or are called by one.
    fn leaks(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.home.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&self.home).unwrap().to_str().unwrap().to_lowercase();
                if path.is_dir() {
                    folders.push(path.clone());
                }
                let content = if path.is_file() { std::fs::read(&path).unwrap() } else { Vec::new() };
                let content = String::from_utf8_lossy(&content).to_lowercase();
                if MARKERS.iter().any(|marker| name.contains(marker) || content.contains(marker)) {
                    found.push(path);
                }
            }
        }
        found
    }

    fn remains(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.home.join("collections")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with('.')).collect()
    }
}

fn end_owner(home: &Path) {
    if let Some(pid) = find_owner(home) {
        kill(pid);
    }
}

#[test]
fn a_collection_is_sealed_and_unsealed_with_all_that_belongs_to_it() {
    let matter = Matter::new();
    let home = &matter.home;
    let before = matter.state();
    run(home, &["search", "zqklausel", "-c", "zqmandant"]);
    // It can fail.
    let leaks = matter.leaks();
    for kind in ["rocksdb", "jobs", "watches.json", "last-search.json", "collection.json"] {
        assert!(leaks.iter().any(|path| path.to_str().unwrap().contains(kind)), "{kind}: {leaks:?}");
    }
    with_input(1, home, "\n", &matter.sealing());
    let (_, error) = with_input(1, home, &format!("{PASSPHRASE}\n"), &["vault", "seal", "none", "--passphrase-stdin"]);
    assert!(error.contains("not found"), "{error}");

    let sealed = matter.seal();
    let words = sealed["recovery_words"].as_str().unwrap();
    assert_eq!(words.split(' ').count(), 24);
    assert!(sealed["overwritten_files"].as_u64().unwrap() > 10 && sealed["left"].is_null(), "{sealed}");
    assert_eq!((&sealed["id"], &sealed["documents"]), (&json!(matter.id), &json!(2)));
    assert_eq!(matter.leaks(), [""; 0].map(PathBuf::from));
    assert_eq!(matter.state(), before);
    assert!(run(home, &["verify", "-c", "zqmandant"]).contains("Clean."));
    // With --json, errors are on standard output.
    let (error, _) = with_input(1, home, "", &matter.sealing());
    assert!(error.contains("is already a vault"), "{error}");
    run(home, &["lock"]);
    assert!(matter.is_vault());
    assert_eq!(matter.leaks(), [""; 0].map(PathBuf::from));
    end_owner(home);

    // Taking it out needs a key, and cannot happen by mistake.
    let (_, error) = with_input(1, home, "wrong\n", &["vault", "unseal", "--yes", "--passphrase-stdin"]);
    assert!(error.contains("does not open"), "{error}");
    let (_, error) = with_input(1, home, &format!("{PASSPHRASE}\n"), &["vault", "unseal", "--passphrase-stdin"]);
    assert!(error.contains("--yes"), "{error}");
    assert!(matter.is_vault());
    with_input(0, home, &format!("{words}\n"), &["vault", "unseal", "--yes", "--recovery", "--passphrase-stdin"]);
    assert_eq!(matter.state(), before);
    assert!(run(home, &["verify", "-c", "zqmandant"]).contains("Clean."));
    let (_, error) = with_input(1, home, "", &["vault", "unseal", "--yes", "--passphrase-stdin"]);
    assert!(error.contains("There is no vault"), "{error}");
    // Also in the next process, which reads what was written down.
    end_owner(home);
    assert_eq!(matter.state(), before);
    let note = matter.folder.join("third.txt");
    std::fs::write(&note, "A third note.\n").unwrap();
    run(home, &["sync", matter.folder.to_str().unwrap(), "-c", "zqmandant"]);
    assert_eq!(matter.sees(&["documents"]).as_array().unwrap().len(), 3);
}

#[test]
fn an_encrypted_export_is_imported_into_a_vault_and_by_its_identity() {
    let matter = Matter::new();
    let home = &matter.home;
    let before = matter.sees(&["search", "who gave notice of the clause?"])["results"].clone();
    let other = matter.folder.with_file_name("other");
    let path = |name: &str| matter.folder.with_file_name(name).display().to_string();
    let (file, key) = (path("out.ctcollection"), path("key.txt"));
    let export = ["export", &file, "-c", "zqmandant", "--passphrase", "--passphrase-stdin"];
    let (said, _) = with_input(0, home, "hinaus\n", &export);
    assert!(said.contains("encrypted"), "{said}");
    let content = std::fs::read(&file).unwrap();
    assert!(content.starts_with(b"age-encryption.org/v1\n-> scrypt "));

    let (_, error) = with_input(1, &other, "falsch\n", &["import", &file, "--passphrase-stdin"]);
    assert!(error.contains("does not open with this passphrase"), "{error}");
    std::fs::write(&file, &content[..content.len() - 1]).unwrap();
    let (_, error) = with_input(1, &other, "hinaus\n", &["import", &file, "--passphrase-stdin"]);
    assert!(error.contains("changed or cut off"), "{error}");
    std::fs::write(&file, &content).unwrap();
    assert_eq!(run_json(&other, &["collections"]), json!([]));
    let import = ["--json", "import", &file, "--vault", "--passphrase-stdin"];
    let (made, _) = with_input(0, &other, &format!("hinaus\n{PASSPHRASE}\n"), &import);
    let made: Value = serde_json::from_str(&made).unwrap();
    assert_eq!(made["recovery_words"].as_str().unwrap().split(' ').count(), 24);
    let found = run_json(&other, &["search", "who gave notice of the clause?", "-c", "zqmandant"]);
    let texts = |results: &Value| -> Vec<Value> {
        results.as_array().unwrap().iter().map(|result| result["text"].clone()).collect()
    };
    assert_eq!(texts(&found["results"]), texts(&before));

    // A vault is exported encrypted, or not at all unless it is asked for.
    let identity = casetrack_vault::age::Identity::random().unwrap();
    std::fs::write(&key, identity.text().unwrap().as_str()).unwrap();
    let recipient = identity.recipient().to_string();
    let out = path("out.age");
    let (_, error) = with_input(1, &other, "", &["export", &out, "-c", "zqmandant"]);
    assert!(error.contains("--age") && error.contains("--plain"), "{error}");
    run(&other, &["export", &out, "-c", "zqmandant", "--age", &recipient]);
    let (_, error) = with_input(1, &other, "", &["import", &out, "--name", "again"]);
    assert!(error.contains("--identity"), "{error}");
    run(&other, &["import", &out, "--name", "again", "--identity", &key]);
    let found = run_json(&other, &["search", "who gave notice of the clause?", "-c", "again"]);
    assert_eq!(texts(&found["results"]), texts(&before));
    let (_, error) = with_input(1, &other, "", &["export", &path("no"), "-c", "again", "--age", "age1wrong"]);
    assert!(error.contains("not a recipient"), "{error}");
}

/// Kills the program before the given call while it seals.
fn seal_and_die(matter: &Matter, shim: &Path, kind: &str, path: &str, after: u64) {
    // The owner takes the environment of the command that starts it.
    end_owner(&matter.home);
    let there = matter.home.join("fault");
    std::fs::write(&there, "").unwrap();
    let mut command = casetrack(&matter.home);
    command.args(matter.sealing()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("LD_PRELOAD", shim).env("CASETRACK_FAULT", kind).env("CASETRACK_FAULT_PATH", path);
    command.env("CASETRACK_FAULT_AFTER", after.to_string()).env("CASETRACK_FAULT_WHILE", &there);
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), format!("{PASSPHRASE}\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    std::fs::remove_file(&there).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{kind} of {path}: the program was not killed: {said}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_kill_on_the_way_into_a_vault_leaves_the_collection_whole() {
    let matter = Matter::new();
    let home = &matter.home;
    let before = matter.state();
    let tools = tempfile::tempdir().unwrap();
    let shim = shim(tools.path());
    let (copy, own) = (format!("/.resealing-{}", matter.id), format!("/collections/{}", matter.id));
    for (kind, path, after, expected) in [
        // While it is written, at its beginning and later.
        ("die-write", copy.as_str(), 0, Some(false)),
        ("die-write", copy.as_str(), 20, Some(false)),
        // Before each step of the exchange.
        ("die-rename", own.as_str(), 0, Some(false)),
        ("die-rename", copy.as_str(), 0, Some(true)),
        // While what is plain is overwritten, and while what lies outside of the folder is exchanged.
        ("die-write", "/.wiping-", 0, Some(true)),
        ("die-write", "/.wiping-", 3, Some(true)),
        ("die-write", "/watches.json", 0, Some(true)),
        // Jobs are also written before the exchange.
        ("die-write", "/jobs/", 0, None),
        ("die-write", "/jobs/", 1, None),
    ] {
        let context = format!("killed at {kind} {after} of {path}");
        seal_and_die(&matter, &shim, kind, path, after);
        let sealed = matter.is_vault();
        assert_eq!(sealed, expected.unwrap_or(sealed), "{context}");
        assert_eq!(matter.remains(), [""; 0], "{context}");
        if sealed {
            assert_eq!(matter.leaks(), [""; 0].map(PathBuf::from), "{context}");
            matter.unlock();
        }
        assert_eq!(matter.state(), before, "{context}");
        assert!(run_expecting(0, home, &["verify", "-c", "zqmandant"]).contains("Clean."), "{context}");
        if sealed {
            matter.unseal();
            assert_eq!(matter.state(), before, "{context}, and unsealed");
        }
    }
}
