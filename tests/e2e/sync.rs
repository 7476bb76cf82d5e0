//! A folder changes, and the collection follows.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Client, run, run_expecting, run_json};

struct Matter {
    home: tempfile::TempDir,
    _files: tempfile::TempDir,
    folder: PathBuf,
}

/// An archive without compression.
fn zip(members: &[(&str, &str)]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, text) in members {
        let offset = file.len() as u32;
        let crc = text.bytes().fold(u32::MAX, |crc, byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
        });
        let mut header = Vec::new();
        header.extend([20, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        header.extend((!crc).to_le_bytes());
        header.extend((text.len() as u32).to_le_bytes().repeat(2));
        header.extend((name.len() as u16).to_le_bytes());
        header.extend([0, 0]);
        file.extend(b"PK\x03\x04");
        file.extend(&header);
        file.extend(name.bytes().chain(text.bytes()));
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&header);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.bytes());
    }
    let (start, size, count) = (file.len() as u32, directory.len() as u32, members.len() as u16);
    file.extend(directory);
    file.extend(b"PK\x05\x06\x00\x00\x00\x00");
    file.extend(count.to_le_bytes().repeat(2));
    file.extend(size.to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend([0, 0]);
    file
}

impl Matter {
    fn new() -> Self {
        let (home, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = files.path().canonicalize().unwrap();
        run_json(home.path(), &["new", "Case"]);
        Self { home, _files: files, folder }
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::File::create(path).unwrap().write_all(content.as_ref()).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        let to = self.folder.join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::rename(self.folder.join(from), to).unwrap();
    }

    fn remove(&self, path: &str) {
        std::fs::remove_file(self.folder.join(path)).unwrap();
    }

    fn sync(&self, options: &[&str]) -> Value {
        run_json(self.home.path(), &[&["sync", self.folder.to_str().unwrap(), "-c", "Case"], options].concat())
    }

    /// Ids and names of all documents by path below the folder.
    fn documents(&self) -> BTreeMap<String, (String, String)> {
        let below = format!("{}/", self.folder.display());
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let documents = run_json(self.home.path(), &["documents", "-c", "Case"]);
        let entry = |document: &Value| {
            let path = text(&document["path"]).strip_prefix(&below).unwrap().to_owned();
            (path, (text(&document["id"]), text(&document["name"])))
        };
        documents.as_array().unwrap().iter().map(entry).collect()
    }

    fn chunk_ids(&self, document: &str) -> Vec<Value> {
        let arguments = json!({"document_name": document}).to_string();
        let shown = run(self.home.path(), &["call", "get_document_chunks", "-c", "Case", "--json", &arguments]);
        let shown: Value = serde_json::from_str(&shown).unwrap();
        shown["chunks"].as_array().unwrap().iter().map(|chunk| chunk["chunk_id"].clone()).collect()
    }

    fn verify(&self) {
        let report = run_json(self.home.path(), &["verify", "-c", "Case"]);
        assert!(report["clean"].as_bool().unwrap(), "{report:#}");
    }
}

/// Counts of each kind: new, changed, moved, missing, removed, unchanged.
fn counts(report: &Value) -> [usize; 6] {
    let count =
        |name: &str| report[name].as_array().map(Vec::len).unwrap_or_else(|| report[name].as_u64().unwrap() as usize);
    ["new", "changed", "moved", "missing", "removed", "unchanged"].map(count)
}

#[test]
fn files_come_change_move_and_go() {
    let matter = Matter::new();
    matter.write("lease.txt", "The tenant pays rent quarterly in advance.");
    matter.write("survey.txt", "Moisture meters read nineteen percent in the cellar.");
    matter.write("old/notes.txt", "Superseded by later notes.");
    matter.write(
        "letters.zip",
        zip(&[("first.txt", "The heating engineer calls on Monday."), ("second.txt", "Nobody called.")]),
    );
    let planned = matter.sync(&["--dry-run"]);
    assert_eq!((counts(&planned), matter.documents().len()), ([4, 0, 0, 0, 0, 0], 0));
    let report = matter.sync(&[]);
    assert_eq!((counts(&report), &report["found"]), ([6, 0, 0, 0, 0, 0], &json!(4)), "{report:#}");
    let first = matter.documents();
    assert_eq!(counts(&matter.sync(&[])), [0, 0, 0, 0, 0, 4]);

    // Renamed, moved into a subfolder, exchanged, changed, new, and an archive under another name.
    let chunks = matter.chunk_ids(&first["lease.txt"].0);
    matter.rename("lease.txt", "exchange");
    matter.rename("survey.txt", "lease.txt");
    matter.rename("exchange", "survey.txt");
    matter.rename("old/notes.txt", "new/deep/remarks.txt");
    matter.rename("letters.zip", "archive/post.zip");
    matter.write("report.txt", "The roof was inspected in May.");
    let planned = matter.sync(&["--dry-run"]);
    assert_eq!((counts(&planned), matter.documents()), ([1, 0, 4, 0, 0, 0], first.clone()));
    let report = matter.sync(&[]);
    assert_eq!((counts(&report), &report["chunks_embedded"]), ([1, 0, 4, 0, 0, 0], &json!(1)), "{report:#}");
    assert_eq!(report["moved"], planned["moved"]);
    let second = matter.documents();
    let moved = [
        ("lease.txt", "survey.txt", "survey.txt"),
        ("survey.txt", "lease.txt", "lease.txt"),
        ("old/notes.txt", "new/deep/remarks.txt", "remarks.txt"),
        ("letters.zip", "archive/post.zip", "post.zip"),
        ("letters.zip/first.txt", "archive/post.zip/first.txt", "post.zip/first.txt"),
        ("letters.zip/second.txt", "archive/post.zip/second.txt", "post.zip/second.txt"),
    ];
    for (from, to, name) in moved {
        assert_eq!(second[to], (first[from].0.clone(), name.to_owned()), "{from}");
    }
    assert_eq!(second.len(), 7);
    assert_eq!(matter.chunk_ids(&first["lease.txt"].0), chunks);
    // Searches and their filters know the new paths.
    let found = run_json(matter.home.path(), &["search", "rent", "-c", "Case", "-k", "1", "--path", "**/survey.txt"]);
    let provenance = &found["results"][0]["provenance"];
    assert_eq!(provenance["file_path"], matter.folder.join("survey.txt").to_str().unwrap());
    matter.verify();

    // Gone, kept unless asked for; the archive takes what is inside it along.
    matter.write("report.txt", "The roof was inspected in June.");
    matter.remove("lease.txt");
    std::fs::remove_dir_all(matter.folder.join("archive")).unwrap();
    let report = matter.sync(&[]);
    assert_eq!((counts(&report), matter.documents().len()), ([0, 1, 0, 2, 0, 2], 7), "{report:#}");
    assert_eq!(matter.documents()["report.txt"], second["report.txt"]);
    let planned = matter.sync(&["--dry-run", "--remove-deleted"]);
    assert_eq!((counts(&planned), matter.documents().len()), ([0, 0, 0, 0, 2, 3], 7));
    assert_eq!(counts(&matter.sync(&["--remove-deleted"])), [0, 0, 0, 0, 2, 3]);
    let paths: Vec<String> = matter.documents().into_keys().collect();
    assert_eq!(paths, ["new/deep/remarks.txt", "report.txt", "survey.txt"]);
    matter.verify();
}

#[test]
fn what_cannot_be_seen_is_not_gone() {
    let matter = Matter::new();
    matter.write("a.txt", "The tenant pays rent quarterly in advance.");
    matter.write("b.md", "Moisture meters read nineteen percent in the cellar.");
    matter.write("closed/c.txt", "The heating engineer calls on Monday.");
    matter.sync(&[]);
    // Documents of other extensions stay as they are, on disk or not.
    matter.remove("b.md");
    assert_eq!(counts(&matter.sync(&["--remove-deleted", "--extensions", "txt"])), [0, 0, 0, 0, 0, 2]);

    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let closed = matter.folder.join("closed");
        let set = |mode| std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(mode)).unwrap();
        set(0o000);
        // The superuser may list it all the same.
        if std::fs::read_dir(&closed).is_err() {
            let folder = matter.folder.to_str().unwrap();
            let report =
                run_expecting(3, matter.home.path(), &["sync", folder, "-c", "Case", "--remove-deleted", "--json"]);
            let report: Value = serde_json::from_str(&report).unwrap();
            assert_eq!((counts(&report), matter.documents().len()), ([0, 0, 0, 0, 1, 1], 2));
        }
        set(0o755);
    }

    std::fs::rename(&matter.folder, matter.folder.with_extension("away")).unwrap();
    let before = matter.documents();
    let mut client = Client::start(matter.home.path(), &[]);
    client.call("switch_collection", json!({"collection_name": "Case"}));
    let arguments = json!({"folder_path": matter.folder, "remove_deleted": true});
    let refused = client.work_failing("sync_folder", arguments.clone());
    assert!(refused.starts_with("File not found: "), "{refused}");
    assert_eq!(matter.documents(), before);
    std::fs::rename(matter.folder.with_extension("away"), &matter.folder).unwrap();
    client.work("sync_folder", arguments);
    client.close();
    assert!(matter.documents().contains_key("a.txt"));
}

#[test]
fn a_name_the_user_gave_and_a_kept_copy_survive_a_move() {
    let matter = Matter::new();
    matter.write("a.txt", "The tenant pays rent quarterly in advance.");
    let file = matter.folder.join("a.txt");
    let given = ["ingest", file.to_str().unwrap(), "-c", "Case", "--name", "The lease", "--copy-original"];
    run_json(matter.home.path(), &given);
    matter.rename("a.txt", "b.md");
    matter.sync(&[]);
    let documents = matter.documents();
    assert_eq!(documents["b.md"].1, "The lease");
    matter.verify();

    // Without its file, the document is made again from the copy.
    matter.remove("b.md");
    let again = run_json(matter.home.path(), &["reindex", "The lease", "-c", "Case", "--force"]);
    assert_eq!((&again["reindexed"][0]["read_from"], &again["chunks_embedded"]), (&json!("original_copy"), &json!(1)));
    assert_eq!(matter.documents(), documents);
    matter.verify();
}

#[test]
fn a_file_that_fails_is_told_and_its_document_stays() {
    let matter = Matter::new();
    matter.write("a.txt", "The tenant pays rent quarterly in advance.");
    matter.sync(&[]);
    let before = matter.documents();
    matter.write("a.txt", "");
    matter.write("b.pdf", "%PDF-1.7 cut off");
    let folder = Path::new(&matter.folder).to_str().unwrap();
    let report = run_expecting(3, matter.home.path(), &["sync", folder, "-c", "Case", "--remove-deleted", "--json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!((counts(&report), report["failed"].as_array().unwrap().len()), ([0; 6], 2), "{report:#}");
    assert_eq!(matter.documents(), before);
    matter.verify();
}
