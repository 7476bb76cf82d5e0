//! A folder changes, and the collection follows.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

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
        let folder = casetrack_core::real_path(files.path()).unwrap();
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
        let below = self.folder.join("").display().to_string();
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
    // A folder that lost all its files is confirmed first.
    let confirmed = ["--remove-deleted", "--confirm-removal"];
    let planned = matter.sync(&[&confirmed[..], &["--dry-run"]].concat());
    assert_eq!((counts(&planned), matter.documents().len()), ([0, 0, 0, 0, 2, 3], 7));
    assert_eq!(counts(&matter.sync(&confirmed)), [0, 0, 0, 0, 2, 3]);
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

    // The damage shows only in the pages, which a preview does not read. The times are those of a file that was not just written.
    let long_ago = SystemTime::now() - Duration::from_secs(60);
    std::fs::File::options().write(true).open(matter.folder.join("b.pdf")).unwrap().set_modified(long_ago).unwrap();
    let mut client = Client::start(matter.home.path(), &["--collection", "Case"]);
    for dry_run in [false, true] {
        let (text, report) = client.work("sync_folder", json!({"folder_path": folder, "dry_run": dry_run}));
        assert_eq!((&report["new"], report["failed"].as_array().unwrap().len()), (&json!([]), 2), "{text}");
    }
    client.close();
    matter.verify();
}

impl Matter {
    /// A sync that removes nothing, because that needs to be confirmed.
    fn withheld(&self, options: &[&str]) -> Value {
        let arguments = ["sync", self.folder.to_str().unwrap(), "-c", "Case", "--remove-deleted", "--json"];
        let report = run_expecting(3, self.home.path(), &[&arguments[..], options].concat());
        let report: Value = serde_json::from_str(&report).unwrap();
        assert_eq!((&report["removed"], report["withheld"].is_object()), (&json!([]), true), "{report:#}");
        report
    }

    fn show(&self, document: &str) -> Value {
        run_json(self.home.path(), &["show", document, "-c", "Case"])
    }

    fn unread(&self) -> Value {
        run_json(self.home.path(), &["unread", "-c", "Case"])
    }
}

#[test]
fn files_that_vanish_at_once_are_kept_until_the_removal_is_confirmed() {
    let matter = Matter::new();
    for name in ["a", "b", "c", "d"] {
        matter.write(&format!("{name}.txt"), format!("The tenant of unit {name} pays rent quarterly."));
    }
    matter.write("plans/cellar.txt", "The plan of the cellar.");
    matter.sync(&[]);
    let first = matter.documents();

    // An emptied subfolder, and one that is gone; what is new is read all the same.
    matter.remove("plans/cellar.txt");
    matter.write("e.txt", "The roof was inspected in May.");
    let report = matter.withheld(&[]);
    assert_eq!(counts(&report), [1, 0, 0, 1, 0, 4]);
    assert_eq!(report["withheld"]["folders"], json!([matter.folder.join("plans")]));
    std::fs::remove_dir(matter.folder.join("plans")).unwrap();
    assert_eq!(counts(&matter.withheld(&["--dry-run"])), [0, 0, 0, 1, 0, 5]);
    let arguments = ["sync", matter.folder.to_str().unwrap(), "-c", "Case", "--remove-deleted"];
    let said = run_expecting(3, matter.home.path(), &arguments);
    assert!(
        said.contains("plans are gone, so no document was removed") && said.contains("--confirm-removal"),
        "{said}"
    );
    assert_eq!(matter.documents().len(), 6);

    // The whole folder, as when its drive is not connected.
    let away = matter.folder.with_extension("away");
    std::fs::rename(&matter.folder, &away).unwrap();
    std::fs::create_dir(&matter.folder).unwrap();
    assert_eq!(counts(&matter.withheld(&[])), [0, 0, 0, 6, 0, 0]);
    std::fs::remove_dir(&matter.folder).unwrap();
    std::fs::rename(&away, &matter.folder).unwrap();
    matter.write("plans/cellar.txt", "The plan of the cellar.");
    let back = matter.sync(&["--remove-deleted"]);
    assert_eq!((counts(&back), back.get("withheld")), ([0, 0, 0, 0, 0, 6], None));
    assert!(first.iter().all(|(path, document)| matter.documents()[path] == *document));

    // More than half, at least five; then one by one.
    for name in ["f", "g"] {
        matter.write(&format!("{name}.txt"), format!("The tenant of unit {name} pays rent quarterly."));
    }
    matter.sync(&[]);
    ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"].iter().for_each(|file| matter.remove(file));
    let report = matter.withheld(&[]);
    assert_eq!((&report["withheld"]["documents"], &report["withheld"]["folders"]), (&json!(5), &json!([])));
    assert_eq!(counts(&matter.sync(&["--remove-deleted", "--confirm-removal"])), [0, 0, 0, 0, 5, 3]);
    matter.remove("f.txt");
    assert_eq!(counts(&matter.sync(&["--remove-deleted"])), [0, 0, 0, 0, 1, 2]);
    matter.verify();
}

#[test]
fn files_that_a_container_no_longer_holds_are_named_and_many_need_a_confirmation() {
    let matter = Matter::new();
    let texts: Vec<(String, String)> = ["a", "b", "c", "d", "e", "f", "g", "h"]
        .iter()
        .map(|unit| (format!("{unit}.txt"), format!("The tenant of unit {unit} pays rent quarterly.")))
        .collect();
    let members = |range: std::ops::Range<usize>| -> Vec<(&str, &str)> {
        texts[range].iter().map(|(name, text)| (name.as_str(), text.as_str())).collect()
    };
    let names = |report: &Value, list: &str| -> Vec<String> {
        let members = report[list].as_array().map(Vec::as_slice).unwrap_or_default();
        members.iter().map(|member| member["name"].as_str().unwrap().to_owned()).collect()
    };
    matter.write("post.zip", zip(&members(0..8)));
    matter.sync(&[]);
    assert_eq!(matter.documents().len(), 9);

    // One that is gone is removed and named; one under another name is not gone.
    let mut fewer = members(0..7);
    fewer[6].0 = "renamed.txt";
    matter.write("post.zip", zip(&fewer));
    let preview = matter.sync(&["--dry-run"]);
    assert_eq!((names(&preview, "gone_members"), matter.documents().len()), (vec!["h.txt".to_owned()], 9));
    let folder = matter.folder.to_str().unwrap();
    let said = run(matter.home.path(), &["sync", folder, "-c", "Case"]);
    assert!(said.contains("No longer in post.zip: 1 (removed)\n  - h.txt\n"), "{said}");
    assert_eq!(matter.documents().len(), 8);

    // Most of them: kept, in whatever way the folder is read, until that is confirmed.
    matter.write("post.zip", zip(&members(0..2)));
    let held = |arguments: &[&str]| -> Value {
        let report = run_expecting(3, matter.home.path(), &[arguments, &["-c", "Case", "--json"]].concat());
        serde_json::from_str(&report).unwrap()
    };
    let gone = ["c.txt", "d.txt", "e.txt", "f.txt", "renamed.txt"];
    assert_eq!(names(&held(&["sync", folder, "--dry-run"]), "withheld_members"), gone);
    for arguments in [&["sync", folder][..], &["sync", folder], &["ingest", folder]] {
        let report = held(arguments);
        assert_eq!(names(&report, "withheld_members"), gone, "{report:#}");
        assert_eq!(matter.documents().len(), 8);
    }
    let said = run_expecting(3, matter.home.path(), &["sync", folder, "-c", "Case"]);
    assert!(said.contains("No longer in post.zip: 5 (kept until the removal is confirmed)"), "{said}");
    assert!(said.contains("--confirm-removal"), "{said}");

    // One comes back; the others are removed.
    matter.write("post.zip", zip(&members(0..3)));
    assert_eq!(names(&held(&["sync", folder]), "withheld_members"), gone[1..]);
    let report = matter.sync(&["--confirm-removal"]);
    assert_eq!(names(&report, "gone_members"), gone[1..]);
    assert_eq!(matter.documents().len(), 4);
    assert!(names(&matter.sync(&[]), "withheld_members").is_empty());
    matter.verify();
}

#[test]
fn a_removed_file_that_comes_back_has_its_tags_name_and_evidence_again() {
    let matter = Matter::new();
    let text = "The tenant pays rent quarterly in advance.";
    matter.write("lease.txt", text);
    matter.write("stays.txt", "Moisture meters read nineteen percent in the cellar.");
    matter.write("post.zip", zip(&[("first.txt", "The heating engineer calls on Monday.")]));
    matter.sync(&[]);
    let home = matter.home.path();
    run_json(home, &["tag", "lease.txt", "first.txt", "-c", "Case", "--add", "privileged", "--set", "Custodian=Lee"]);
    let add =
        ["evidence", "add", "lease.txt", "-c", "Case", "--page", "1", "--quote", "rent quarterly", "--note", "Key"];
    run_json(home, &add);
    let before = matter.documents();
    let evidence = |home: &Path| run_json(home, &["evidence", "list", "-c", "Case"])["items"][0]["status"].clone();

    matter.remove("lease.txt");
    matter.remove("post.zip");
    assert_eq!(counts(&matter.sync(&["--remove-deleted"])), [0, 0, 0, 0, 2, 1]);
    assert_eq!((matter.documents().len(), evidence(home)), (1, json!("deleted")));

    // At another path with its content, and inside the archive at its path with another.
    matter.write("new/lease (2).txt", text);
    matter.write("post.zip", zip(&[("first.txt", "The heating engineer came on Tuesday.")]));
    let report = matter.sync(&[]);
    assert!(report["notices"].to_string().contains("came back"), "{report:#}");
    let after = matter.documents();
    assert_eq!(after["new/lease (2).txt"].0, before["lease.txt"].0);
    assert_eq!(after["post.zip/first.txt"].0, before["post.zip/first.txt"].0);
    for document in ["lease (2).txt", "post.zip/first.txt"] {
        let marks = &matter.show(document)["marks"];
        assert_eq!(
            (&marks["tags"], &marks["fields"]["Custodian"]),
            (&json!(["privileged"]), &json!("Lee")),
            "{document}"
        );
    }
    assert_eq!(evidence(home), "unchanged");
    matter.verify();
}

#[test]
fn what_was_not_read_stays_in_the_list_whatever_is_synced() {
    let matter = Matter::new();
    let mail = "From: Ann <ann@example.com>\r\nSubject: Lease\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\n\r\nSee attached.\r\n--B\r\n\
        Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"plan.dwg\"\r\n\
        Content-Transfer-Encoding: base64\r\n\r\nAAECAwQFBgcICQoLDA0ODw==\r\n--B--\r\n";
    matter.write("mail/letter.eml", mail);
    matter.write("post.zip", zip(&[("good.txt", "Nobody called."), ("deep/bad.pdf", "%PDF-1.7 cut off")]));
    matter.write("photo.heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic");
    matter.write("cut.pdf", "%PDF-1.7 cut off");
    let folder = matter.folder.to_str().unwrap();
    let said = run_expecting(3, matter.home.path(), &["sync", folder, "-c", "Case"]);
    assert!(said.contains("plan.dwg in mail/letter.eml is ") && said.contains("deep/bad.pdf in post.zip"), "{said}");

    let listed = matter.unread();
    let name = |file: &Value| match file["container"].as_str() {
        Some(container) => format!("{} in {container}", file["name"].as_str().unwrap()),
        None => file["name"].as_str().unwrap().to_owned(),
    };
    let names = |list: &Value| list.as_array().unwrap().iter().map(name).collect::<Vec<_>>();
    assert_eq!(names(&listed), ["cut.pdf", "plan.dwg in letter.eml", "photo.heic", "deep/bad.pdf in post.zip"]);
    for file in listed.as_array().unwrap() {
        assert!(file["reason"].is_string() && file["hint"].is_string(), "{file:#}");
    }
    // The advice is that of the format.
    assert!(listed[2]["hint"].as_str().unwrap().starts_with("Save it as JPEG"), "{listed:#}");
    assert!(listed[1]["hint"].as_str().unwrap().starts_with("Save it from letter.eml first. "), "{listed:#}");
    assert!(matter.show("letter.eml")["warnings"][0].as_str().unwrap().starts_with("plan.dwg is "));
    assert!(matter.show("post.zip")["warnings"][0].as_str().unwrap().starts_with("deep/bad.pdf"));

    // The same after every sync, ingestion and move.
    run_expecting(3, matter.home.path(), &["sync", folder, "-c", "Case"]);
    assert_eq!(matter.unread(), listed);
    run_expecting(3, matter.home.path(), &["ingest", folder, "-c", "Case"]);
    assert_eq!(matter.unread(), listed);
    matter.rename("mail/letter.eml", "mail/moved.eml");
    matter.rename("photo.heic", "mail/photo.heic");
    run_expecting(3, matter.home.path(), &["sync", folder, "-c", "Case"]);
    let moved = matter.unread();
    assert_eq!(names(&moved), ["cut.pdf", "plan.dwg in moved.eml", "mail/photo.heic", "deep/bad.pdf in post.zip"]);
    let mut client = Client::start(matter.home.path(), &["--collection", "Case"]);
    let (text, answer) = client.call("list_documents", json!({"unread": true, "limit": 2}));
    assert_eq!((answer["total"].as_u64(), answer["unread"].as_array().unwrap().len()), (Some(4), 2));
    assert!(text.contains("plan.dwg in moved.eml: not read"), "{text}");
    assert_eq!(client.call("list_documents", json!({})).1["unread_total"], 4);
    client.close();

    // What is read now, or deleted, leaves the list, and the warning goes with it.
    matter.remove("mail/photo.heic");
    matter.remove("cut.pdf");
    matter.write("post.zip", zip(&[("good.txt", "Nobody called."), ("deep/bad.txt", "Nobody came.")]));
    matter.sync(&[]);
    assert_eq!(names(&matter.unread()), ["plan.dwg in moved.eml"]);
    assert_eq!(matter.show("post.zip")["warnings"], json!([]));
    matter.verify();
}

#[test]
fn a_remark_without_a_loss_is_not_in_the_list_of_what_was_not_read() {
    let matter = Matter::new();
    matter.write("notes.pdf", "The tenant pays rent quarterly in advance.");
    matter.sync(&[]);
    assert!(matter.show("notes.pdf")["warnings"][0].as_str().unwrap().starts_with("The name ends in .pdf"));
    assert_eq!(matter.unread(), json!([]));
}
