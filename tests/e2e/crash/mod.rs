//! Crashes: the process that owns a collection is killed, or the disk fails under it (invariants 4 and 5).
//!
//! A [`Matter`] is a folder of files of several formats, a collection of them, and the expected content: of each file the versions that may
//! be stored. After a crash exactly one of them must be, whole: its document is listed, and words from its beginning and its end find it.

#[cfg(target_os = "linux")]
pub mod faults;
mod kills;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use casetrack_vault::age::Identity;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{PATIENCE, casetrack, run, run_expecting, run_json};
use crate::vault::{PASSPHRASE, with_input};

const COLLECTION: &str = "Matter";
const FORMATS: [&str; 6] = ["txt", "md", "html", "csv", "eml", "docx"];
/// Most files in the folder.
const MAX_FILES: usize = 40;

/// A kind of collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Plain,
    Vault,
}

/// A vault that a file in `dir` unlocks.
fn new_vault(home: &Path, dir: &Path) -> PathBuf {
    let (identity, file) = (Identity::random().unwrap(), dir.join("identity.txt"));
    std::fs::write(&file, &*identity.text().unwrap()).unwrap();
    let passphrase = format!("{PASSPHRASE}\n");
    with_input(0, home, &passphrase, &["new", COLLECTION, "--vault", "--passphrase-stdin"]);
    let recipient = identity.recipient().to_string();
    with_input(0, home, &passphrase, &["vault", "add-slot", "recipient", &recipient, "--passphrase-stdin"]);
    file
}

/// A version of a file; `None` if it is not stored.
type Version = Option<u32>;

pub struct Matter {
    _dir: TempDir,
    /// The file of the identity that unlocks it, if it is a vault.
    identity: Option<PathBuf>,
    pub home: PathBuf,
    pub folder: PathBuf,
    pub random: fastrand::Rng,
    /// Of each file, by number: the version on disk, and those that may be stored.
    files: BTreeMap<u32, (Version, BTreeSet<Version>)>,
    next: u32,
}

impl Matter {
    pub fn new(seed: u64, form: Form) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (home, folder) = (dir.path().join("home"), dir.path().join("folder"));
        std::fs::create_dir(&folder).unwrap();
        let identity = match form {
            Form::Plain => {
                run(&home, &["new", COLLECTION]);
                None
            }
            Form::Vault => Some(new_vault(&home, dir.path())),
        };
        let random = fastrand::Rng::with_seed(seed);
        Self { _dir: dir, identity, home, folder, random, files: BTreeMap::new(), next: 0 }
    }

    /// The command that unlocks it, with an identity, which costs no time.
    fn unlocking(&self) -> Option<[&str; 3]> {
        self.identity.as_ref().map(|file| ["unlock", "--identity", file.to_str().unwrap()])
    }

    /// A new owner is there, and a vault is unlocked.
    fn open(&self) {
        match self.unlocking() {
            Some(command) => run(&self.home, &command),
            None => run(&self.home, &["collections"]),
        };
    }

    fn is_vault(&self) -> bool {
        self.identity.is_some()
    }

    fn path(&self, file: u32) -> PathBuf {
        self.folder.join(format!("file{file}.{}", FORMATS[file as usize % FORMATS.len()]))
    }

    /// Adds files to the folder.
    pub fn add(&mut self, count: usize) {
        for _ in 0..count.min(MAX_FILES.saturating_sub(self.files.len())) {
            let file = self.next;
            self.next += 1;
            self.write(file, 1);
            self.files.insert(file, (Some(1), BTreeSet::from([None, Some(1)])));
        }
    }

    /// Changes files that are there.
    pub fn change(&mut self, count: usize) {
        for file in self.some(count) {
            let (now, allowed) = self.files.get_mut(&file).unwrap();
            let version = now.unwrap() + 1;
            *now = Some(version);
            allowed.insert(Some(version));
            self.write(file, version);
        }
    }

    /// Removes a file from the folder whose document is stored and now may go. Returns its name.
    pub fn remove(&mut self) -> Option<String> {
        let chosen = self.some(1);
        let file = chosen.into_iter().find(|file| !self.files[file].1.contains(&None))?;
        let path = self.path(file);
        std::fs::remove_file(&path).unwrap();
        let (now, allowed) = self.files.get_mut(&file).unwrap();
        *now = None;
        allowed.insert(None);
        Some(path.file_name().unwrap().to_str().unwrap().to_owned())
    }

    fn some(&mut self, count: usize) -> Vec<u32> {
        let there: Vec<u32> = self.files.iter().filter(|(_, (now, _))| now.is_some()).map(|(&file, _)| file).collect();
        let mut chosen: BTreeSet<u32> = BTreeSet::new();
        for _ in 0..count.min(there.len()) {
            chosen.insert(there[self.random.usize(..there.len())]);
        }
        chosen.into_iter().collect()
    }

    /// The reported progress of a file is true from then on.
    pub fn note_committed(&mut self, progress: &str) {
        for line in progress.lines() {
            for (file, (now, allowed)) in &mut self.files {
                let path = self.folder.join(format!("file{file}.{}", FORMATS[*file as usize % FORMATS.len()]));
                let reported =
                    line.split_once(' ').is_some_and(|(count, rest)| count.contains('/') && Path::new(rest) == path);
                if reported {
                    *allowed = BTreeSet::from([*now]);
                }
            }
        }
    }

    /// A command that ingests the folder begins: with any outcome, the versions on disk may be stored.
    pub fn note_begun(&mut self) {
        for (now, allowed) in self.files.values_mut().filter(|(now, _)| now.is_some()) {
            allowed.insert(*now);
        }
    }

    /// A command that brings the collection in line with the folder has succeeded.
    pub fn note_all_stored(&mut self) {
        for (now, allowed) in self.files.values_mut().filter(|(now, _)| now.is_some()) {
            *allowed = BTreeSet::from([*now]);
        }
    }

    pub fn note_deleted(&mut self, name: &str) {
        let file = self.files.keys().copied().find(|&file| self.path(file).ends_with(name)).unwrap();
        self.files.get_mut(&file).unwrap().1 = BTreeSet::from([None]);
    }

    /// Checks the whole collection and everything that is expected of it.
    pub fn check(&mut self, context: &str) {
        self.open();
        self.settle(context);
        let output = casetrack(&self.home).args(["--json", "verify", "-c", COLLECTION]).output().unwrap();
        let report = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{context}: {report}\n{}", String::from_utf8_lossy(&output.stderr));
        let listed: BTreeMap<String, Value> = run_json(&self.home, &["documents", "-c", COLLECTION])
            .as_array()
            .unwrap()
            .iter()
            .map(|document| (document["path"].as_str().unwrap().to_owned(), document.clone()))
            .collect();
        for (&file, (now, allowed)) in &self.files.clone() {
            let path = self.path(file).display().to_string();
            let stored = match listed.contains_key(&path) {
                false => None,
                true => {
                    let found: Vec<u32> = allowed.iter().flatten().copied().filter(|&v| self.finds(file, v)).collect();
                    assert_eq!(found.len(), 1, "{context}: {path} has the versions {found:?} of {allowed:?}");
                    Some(found[0])
                }
            };
            assert!(allowed.contains(&stored), "{context}: {path} is stored as {stored:?} instead of {allowed:?}");
            match (stored, now) {
                (None, None) => drop(self.files.remove(&file)),
                _ => drop(self.files.insert(file, (*now, BTreeSet::from([stored])))),
            }
        }
        let known: BTreeSet<String> = self.files.keys().map(|&file| self.path(file).display().to_string()).collect();
        let unknown: Vec<&String> = listed.keys().filter(|path| !known.contains(*path)).collect();
        assert!(unknown.is_empty(), "{context}: {unknown:?} should not be there");
    }

    /// Waits for the jobs that a kill interrupted: the next process continues them.
    fn settle(&self, context: &str) {
        let deadline = Instant::now() + PATIENCE;
        while run_json(&self.home, &["jobs", "--active"]) != json!([]) {
            assert!(Instant::now() < deadline, "{context}: jobs do not end");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// True if words from the beginning and the end of a version find it; one without the other is half a document.
    fn finds(&self, file: u32, version: u32) -> bool {
        let name = self.path(file).file_name().unwrap().to_str().unwrap().to_owned();
        let found = |word: String| {
            let arguments = ["search", &word, "--document", &name, "-c", COLLECTION, "-k", "50"];
            let response = run_json(&self.home, &arguments);
            // The keyword index puts it first; the others only know what is similar.
            let mut results = response["results"].as_array().unwrap().iter();
            results.any(|result| {
                result["bm25"]["rank"] == 1 && result["text"].as_str().is_some_and(|text| text.contains(&word))
            })
        };
        let both = (found(word(file, version, "head")), found(word(file, version, "tail")));
        assert_eq!(both.0, both.1, "file {file}, version {version} is half there");
        both.0
    }

    fn write(&self, file: u32, version: u32) {
        let (head, tail) = (word(file, version, "head"), word(file, version, "tail"));
        // Some thousand characters, most of them the same in every version.
        let sentences = 30 + file % 60;
        let body: Vec<String> =
            (0..sentences).map(|n| format!("Clause {n} of file {file} concerns delivery {n}.")).collect();
        let path = self.path(file);
        let format = path.extension().unwrap().to_str().unwrap();
        let content = match format {
            "html" => format!("<html><body><p>{head}</p><p>{}</p><p>{tail}</p></body></html>", body.join("</p><p>")),
            "csv" => format!("n,text\n1,{head}\n2,{}\n3,{tail}\n", body.join("\n2,")),
            "eml" => format!(
                "From: a@example.org\r\nTo: b@example.org\r\nSubject: File {file}\r\nDate: Mon, 6 Jan 2025 10:00:00 +0000\r\n\r\n\
                 {head}\r\n\r\n{}\r\n\r\n{tail}\r\n",
                body.join("\r\n")
            ),
            "docx" => return std::fs::write(&path, docx(&head, &body, &tail)).unwrap(),
            _ => format!("{head}\n\n{}\n\n{tail}\n", body.join("\n\n")),
        };
        std::fs::write(&path, content).unwrap();
    }
}

/// A word that is in one version of one file and nowhere else.
fn word(file: u32, version: u32, place: &str) -> String {
    format!("zq{file}v{version}{place}")
}

fn docx(head: &str, body: &[String], tail: &str) -> Vec<u8> {
    let paragraphs = [head].into_iter().chain(body.iter().map(String::as_str)).chain([tail]);
    let paragraphs: String = paragraphs.map(|text| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")).collect();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let types = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default Extension=\"rels\" \
        ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Override PartName=\"/word/document.xml\" \
        ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"/></Types>";
    let relations = "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship \
        Id=\"r1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" \
        Target=\"word/document.xml\"/></Relationships>";
    let document = format!(
        "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>{paragraphs}</w:body>\
         </w:document>"
    );
    for (name, content) in
        [("[Content_Types].xml", types), ("_rels/.rels", relations), ("word/document.xml", document.as_str())]
    {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A number from the environment.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().unwrap())
}

/// Ingests the folder to the end and checks the result.
fn settle(matter: &mut Matter, context: &str) {
    run_expecting(0, &matter.home, &["ingest", matter.folder.to_str().unwrap(), "-c", COLLECTION]);
    matter.note_all_stored();
    matter.check(context);
}
