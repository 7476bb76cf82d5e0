//! Collections that follow folders.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, PATIENCE, run};
use crate::owner::{kill, owner_pid};

struct Watched {
    client: Client,
    folder: PathBuf,
}

impl Watched {
    /// Path and SHA-256 of each document, and its id.
    fn documents(&mut self) -> BTreeMap<String, String> {
        let (_, listed) = self.client.call("list_documents", json!({"limit": 1000}));
        let documents = listed["documents"].as_array().unwrap().iter();
        documents.map(|one| (text(&one["path"]), text(&one["id"]))).collect()
    }

    /// Waits until the collection has exactly the files of the folder; their documents' ids.
    fn settle(&mut self, what: &str) -> BTreeMap<String, String> {
        let started = Instant::now();
        loop {
            let (files, documents) = (files(&self.folder), self.documents());
            if files.iter().eq(documents.keys()) {
                return documents;
            }
            assert!(started.elapsed() < PATIENCE, "{what}: {files:?} are not {documents:?}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Waits until a search finds a word in a file.
    fn found(&mut self, word: &str, file: &Path) {
        let started = Instant::now();
        loop {
            let (_, found) = self.client.call("search_documents", json!({"query": word, "top_k": 1}));
            let result = &found["results"][0];
            if result["text"].as_str().is_some_and(|text| text.contains(word))
                && result["provenance"]["file_path"] == json!(file)
            {
                return;
            }
            assert!(started.elapsed() < PATIENCE, "{word} is not found in {}: {found}", file.display());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn state(&mut self) -> Value {
        self.client.call("list_watches", json!({})).1["watches"][0]["state"].clone()
    }

    fn until_state(&mut self, wanted: &str) {
        let started = Instant::now();
        while self.state() != wanted {
            assert!(started.elapsed() < PATIENCE, "{}", self.client.call("list_watches", json!({})).0);
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// The files of a folder, in order.
fn files(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(self::files(&path)),
            false => files.push(path.display().to_string()),
        }
    }
    files.sort();
    files
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("{text}\n").repeat(5)).unwrap();
}

#[test]
fn a_collection_follows_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    let (home, folder) = (dir.path().join("home"), casetrack_core::real_path(dir.path()).unwrap().join("folder"));
    let file = |name: &str| folder.join(name);
    write(&file("roofs.txt"), "Slate for the roofs.");
    write(&file("below/walls.md"), "Bricks for the walls.");
    let mut client = Client::start(&home, &[]);
    client.call("create_collection", json!({"name": "House"}));
    client.call("watch_folder", json!({"folder_path": folder, "auto_remove_deleted": true}));
    let again = client.call_failing("watch_folder", json!({"folder_path": file("below")}));
    assert!(again.contains("is already watched"), "{again}");
    let mut watched = Watched { client, folder: folder.clone() };
    let first = watched.settle("at first");

    write(&file("doors.txt"), "Oak for the doors.");
    watched.settle("created");
    write(&file("roofs.txt"), "Copper for the roofs.");
    watched.found("Copper", &file("roofs.txt"));
    fs::rename(file("roofs.txt"), file("below/roof.txt")).unwrap();
    fs::rename(file("doors.txt"), file("gates.txt")).unwrap();
    let moved = watched.settle("moved");
    let id = |documents: &BTreeMap<String, String>, name: &str| documents[&file(name).display().to_string()].clone();
    assert_eq!(id(&moved, "below/roof.txt"), id(&first, "roofs.txt"), "a document that moved keeps its id");
    fs::remove_file(file("gates.txt")).unwrap();
    watched.settle("deleted");

    // Many at once are one job, or few if the machine is so busy that writing them takes long.
    let jobs = |watched: &mut Watched| watched.client.call("list_jobs", json!({})).1["jobs"].as_array().unwrap().len();
    let before = jobs(&mut watched);
    for n in 0..150 {
        write(&file(&format!("many/{n}.txt")), &format!("Invoice {n} for nails."));
    }
    watched.settle("many");
    assert!(jobs(&mut watched) < before + 20);

    // One that is being written is left until it is closed; others are not.
    let mut slow = fs::File::create(file("slow.txt")).unwrap();
    writeln!(slow, "The first half.").unwrap();
    write(&file("quick.txt"), "Written in one go.");
    watched.found("go", &file("quick.txt"));
    if cfg!(target_os = "linux") {
        assert!(!watched.documents().contains_key(&file("slow.txt").display().to_string()));
    }
    writeln!(slow, "The second half.").unwrap();
    drop(slow);
    watched.found("second", &file("slow.txt"));

    // A folder that is gone takes no document with it.
    let documents = watched.documents();
    fs::rename(&folder, dir.path().join("elsewhere")).unwrap();
    watched.until_state("folder_missing");
    assert_eq!(watched.documents(), documents);
    fs::rename(dir.path().join("elsewhere"), &folder).unwrap();
    write(&file("back.txt"), "Here again.");
    watched.settle("back");

    // Killed, with changes meanwhile.
    kill(owner_pid(&home));
    write(&file("unseen.txt"), "Nobody looked.");
    fs::remove_file(file("back.txt")).unwrap();
    watched.settle("after a restart");
    write(&file("seen.txt"), "Somebody looks.");
    watched.settle("watched after a restart");

    let answer = watched.client.call("set_sync_schedule", json!({"folder_path": folder, "schedule": "manual"}));
    assert_eq!(answer.1["watch"]["schedule"], "manual");
    watched.until_state("manual");
    let other = casetrack_core::real_path(dir.path()).unwrap().join("other");
    write(&other.join("lofts.txt"), "Lime for the lofts.");
    watched.client.call("watch_folder", json!({"folder_path": other}));
    watched.found("Lime", &other.join("lofts.txt"));
    write(&file("by hand.txt"), "Not by itself.");
    // Written later, in a folder that is watched: once that is read, the first would have been.
    write(&other.join("attics.txt"), "Clay for the attics.");
    watched.found("Clay", &other.join("attics.txt"));
    assert!(!watched.documents().contains_key(&file("by hand.txt").display().to_string()));
    let documents = watched.documents().len();
    let (text, _) = watched.client.call("unwatch_folder", json!({"folder_path": folder}));
    assert!(text.contains("stay in the collection"), "{text}");
    assert_eq!(watched.documents().len(), documents);
    assert!(watched.client.call_failing("unwatch_folder", json!({"folder_path": folder})).contains("Watch not found"));
    watched.client.call("unwatch_folder", json!({"folder_path": other}));
    watched.client.close();
    assert!(run(&home, &["verify", "-c", "House"]).contains("Clean."));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_said_of_the_watch() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let (home, folder) = (dir.path().join("home"), dir.path().join("folder"));
    write(&folder.join("good.txt"), "Readable.");
    fs::write(folder.join("broken.docx"), b"PK\x03\x04 not a document").unwrap();
    symlink(&folder, folder.join("loop")).unwrap();
    run(&home, &["new", "House"]);
    run(&home, &["watch", folder.to_str().unwrap(), "-c", "House"]);
    let mut client = Client::start(&home, &["--collection", "House"]);
    let started = Instant::now();
    let last = loop {
        let (_, listed) = client.call("list_watches", json!({"collection_filter": "House"}));
        let last = listed["watches"][0]["last_sync"].clone();
        if !last.is_null() {
            break last;
        }
        assert!(started.elapsed() < PATIENCE, "{listed}");
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!((&last["new"], &last["failed_count"]), (&json!(1), &json!(1)), "{last}");
    // A link back to a folder around it is no failure: what it leads to was read once.
    let failed = last["failed"].to_string();
    assert!(failed.contains("broken.docx") && !failed.contains("is a link to"), "{failed}");
    client.close();
    let said = run(&home, &["watches"]);
    assert!(said.contains("Could not be read:") && said.contains("broken.docx"), "{said}");
    run(&home, &["unwatch", folder.to_str().unwrap()]);
    assert!(run(&home, &["watches"]).contains("No folder is watched"));
}

#[test]
fn a_watch_removes_nothing_that_vanished_at_once_until_that_is_confirmed() {
    let dir = tempfile::tempdir().unwrap();
    let (home, folder) = (dir.path().join("home"), casetrack_core::real_path(dir.path()).unwrap().join("folder"));
    let file = |name: &str| folder.join(name);
    write(&file("roofs.txt"), "Slate for the roofs.");
    write(&file("below/walls.md"), "Bricks for the walls.");
    write(&file("below/doors.md"), "Oak for the doors.");
    let mut client = Client::start(&home, &[]);
    client.call("create_collection", json!({"name": "House"}));
    client.call("watch_folder", json!({"folder_path": folder, "auto_remove_deleted": true}));
    let mut watched = Watched { client, folder: folder.clone() };
    let first = watched.settle("at first");

    // Emptied, and put back.
    let away = dir.path().join("away");
    fs::rename(file("below"), &away).unwrap();
    watched.until_state("awaiting_confirmation");
    assert_eq!(watched.documents(), first);
    let (said, _) = watched.client.call("list_watches", json!({}));
    assert!(said.contains("waiting for confirmation. All files of ") && said.contains("confirm_removal"), "{said}");
    write(&file("gates.txt"), "Iron for the gates.");
    watched.found("Iron", &file("gates.txt"));
    fs::rename(&away, file("below")).unwrap();
    watched.until_state("watching");
    let all = watched.settle("put back");
    assert!(first.iter().all(|(path, id)| all[path] == *id));

    // Confirmed by a sync.
    fs::remove_dir_all(file("below")).unwrap();
    watched.until_state("awaiting_confirmation");
    let arguments = json!({"folder_path": folder, "remove_deleted": true, "confirm_removal": true});
    watched.client.work("sync_folder", arguments);
    assert_eq!(watched.documents().len(), 2);
    watched.until_state("watching");
    watched.client.close();
}
