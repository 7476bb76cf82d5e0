//! The search of files over a disk that changes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use casetrack_catalog::{Scope, TimeField};
use casetrack_core::{
    Cancel, CollectionMeta, CollectionStatus, CollectionType, DocumentId, DocumentMeta, ExtractionMethod, Result,
    Timestamp,
};
use casetrack_extract::chunker::chunk_pages;
use casetrack_store::{StoredDocument, VectorModels};
use tempfile::TempDir;

use super::{by_date, current, preview, search, *};
use crate::{TimeSearch, TimeSort};
use casetrack_host::{EngineConfig, Host, OpenCollection, of_files};

/// A folder whose files are in the index as far as they were put there.
struct Made {
    host: Host,
    root: PathBuf,
    collection: Arc<OpenCollection>,
    _dir: TempDir,
}

impl Made {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let top = casetrack_core::real_path(dir.path()).unwrap();
        let root = top.join("root");
        fs::create_dir(&root).unwrap();
        let host = Host::new(EngineConfig::new(top.join("home"))).unwrap();
        let meta = CollectionMeta {
            id: of_files(),
            name: "Files".to_owned(),
            reference: None,
            collection_type: CollectionType::Other,
            status: CollectionStatus::Active,
            created_at: Timestamp::now(),
        };
        let models = VectorModels { dense: "m".to_owned(), dense_dimension: 2, sparse: None, tokens: None };
        host.store().create(&meta, &models).unwrap();
        let collection = host.collection(meta.id).unwrap();
        Self { host, root, collection, _dir: dir }
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes a file that is older than its index entry must be, and puts it into the index.
    fn indexed(&self, name: &str, text: &str) -> PathBuf {
        let path = self.write(name, text);
        age(&path, 60);
        self.index(&path);
        path
    }

    fn index(&self, path: &Path) {
        let read = casetrack_ingest::inspect(&self.host, path, None).unwrap();
        let metadata = path.metadata().unwrap();
        self.host.known_files().digest(path, &metadata, true, &Cancel::default()).unwrap();
        let id = DocumentId::random();
        let chunks = chunk_pages(id, &read.pages, &self.host.config().chunks);
        let meta = DocumentMeta {
            id,
            name: path.file_name().unwrap().to_str().unwrap().to_owned(),
            path: read.path,
            sha256: read.sha256,
            size_bytes: read.size_bytes,
            format: read.format,
            document_type: read.document_type,
            title: read.title,
            properties: read.properties,
            extraction_method: ExtractionMethod::Native,
            page_count: read.pages.len() as u32,
            unpaged: read.unpaged,
            chunk_count: chunks.len() as u32,
            char_count: read.pages.iter().map(|page| page.text.chars().count() as u64).sum(),
            tracked_changes: 0,
            hidden_texts: 0,
            unread_parts: Vec::new(),
            warnings: Vec::new(),
            holds_files: false,
            original_stored: false,
            ingested_at: Timestamp::now(),
            embedded_at: Some(Timestamp::now()),
            marks: Default::default(),
        };
        let stored = StoredDocument {
            meta,
            vectors: chunks.iter().map(|_| vec![1.0, 0.0]).collect(),
            pages: read.pages,
            chunks,
            dense_model: "m".to_owned(),
            sparse_vectors: Vec::new(),
            sparse_model: None,
            token_vectors: Vec::new(),
            token_model: None,
            annotations: None,
        };
        self.collection.put_document(&stored).unwrap();
    }

    fn scan(&self) {
        let scope = Scope { start: &self.root, max_depth: None, is_closed: &|_| false };
        self.host.catalog().unwrap().scan(&scope, &Cancel::default()).unwrap();
    }

    fn is_current(&self, path: &Path) -> bool {
        let meta = self.collection.document_by_path(path.to_str().unwrap()).unwrap().unwrap();
        let entries = self.collection.catalogue().unwrap();
        let entry = entries.iter().find(|entry| entry.id == meta.id).unwrap();
        let metadata = path.symlink_metadata().unwrap();
        let [a, b] = [(&meta).into(), (&**entry).into()];
        let is_current = current::is_as_indexed(&self.host, path, &metadata, a);
        assert_eq!(is_current, current::is_as_indexed(&self.host, path, &metadata, b));
        is_current
    }

    fn preview(&self, path: &Path) -> String {
        let request = OpenFile { path: path.to_str().unwrap().to_owned(), ..OpenFile::default() };
        preview::open_file(&self.host, std::slice::from_ref(&self.root), &request).unwrap().preview
    }

    fn sent(&self, change: impl FnOnce(&mut TimeSearch)) -> Result<DateMatches> {
        let mut times = TimeSearch {
            root: None,
            path: None,
            field: TimeField::Modified,
            from: None,
            to: None,
            when: None,
            glob: None,
            name: None,
            max_depth: None,
            files: true,
            folders: false,
            sort: TimeSort::Newest,
            limit: 100,
            cursor: None,
            unknown_time: false,
        };
        change(&mut times);
        let search = DateSearch { times, date: FileDate::Sent, query: None };
        by_date::search_by_date(&self.host, std::slice::from_ref(&self.root), &search, &Cancel::default())
    }
}

fn names(found: &DateMatches) -> Vec<&str> {
    found.matches.iter().map(|found| found.file.path.rsplit(std::path::is_separator).next().unwrap()).collect()
}

fn set_modified(path: &Path, time: SystemTime) {
    File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
}

/// Sets the time at which a file was modified, as seconds before now.
fn age(path: &Path, seconds: u64) {
    set_modified(path, SystemTime::now() - Duration::from_secs(seconds));
}

fn letter(date: &str) -> String {
    format!("From: a@example.org\r\nTo: b@example.org\r\nSubject: News\r\nDate: {date}\r\n\r\nHere is the lease.\r\n")
}

#[test]
fn a_file_that_an_older_one_replaces_is_another() {
    let made = Made::new();
    let path = made.indexed("a.txt", "The rent is due in May.");
    assert!(made.is_current(&path) && made.preview(&path).contains("May"));

    // Of the same size, and modified before the index was made.
    let other = made.write("other.txt", "The rent is due in Mai.");
    age(&other, 3600);
    fs::rename(&other, &path).unwrap();
    assert!(!made.is_current(&path));
    assert!(made.preview(&path).contains("Mai"));

    // Written in its place, with the time that it had, as `cp -p` does.
    let path = made.indexed("b.txt", "The rent is due in June.");
    let before = path.metadata().unwrap().modified().unwrap();
    fs::write(&path, "The rent is due in July.").unwrap();
    set_modified(&path, before);
    assert!(!made.is_current(&path));
    assert!(made.preview(&path).contains("July"));
}

#[cfg(unix)]
#[test]
fn a_replaced_file_is_noticed_without_what_syncs_know() {
    let made = Made::new();
    let path = made.indexed("a.txt", "The rent is due in May.");
    let other = made.write("other.txt", "The rent is due in Mai.");
    age(&other, 3600);
    // The times of the index are in milliseconds, and a file system may have coarser ones: until it has a later one.
    let indexed = SystemTime::now();
    while made.write("clock.txt", "").metadata().unwrap().modified().unwrap() < indexed + Duration::from_millis(1) {}
    fs::rename(&other, &path).unwrap();
    made.host.known_files().keep(&made.root, |_| false);
    assert!(!made.is_current(&path));
}

#[test]
fn a_file_that_was_only_touched_is_the_same_once_it_was_compared() {
    let made = Made::new();
    let path = made.indexed("a.txt", "The rent is due in May.");
    set_modified(&path, SystemTime::now() - Duration::from_secs(10));
    assert!(!made.is_current(&path), "nothing says yet that it is the same");
    let metadata = path.metadata().unwrap();
    made.host.known_files().digest(&path, &metadata, true, &Cancel::default()).unwrap();
    assert!(made.is_current(&path));
}

/// However many files there are, those that state a time are few.
#[test]
fn documents_are_found_by_their_dates_among_more_files_than_are_compared() {
    let made = Made::new();
    for i in 0..20 {
        made.write(&format!("many/{i}.bin"), "x");
    }
    made.indexed("mail/may.eml", &letter("Fri, 02 May 2025 10:00:00 +0000"));
    made.indexed("mail/deep/june.eml", &letter("Mon, 02 Jun 2025 10:00:00 +0000"));
    made.indexed("july.eml", &letter("Wed, 02 Jul 2025 10:00:00 +0000"));
    let found = made.sent(|_| {}).unwrap();
    assert_eq!(names(&found), ["july.eml", "june.eml", "may.eml"]);
    assert_eq!(found.matches[2].date.as_deref(), Some("2025-05-02T10:00:00Z"));
    assert_eq!(names(&made.sent(|times| times.when = Some("June 2025".to_owned())).unwrap()), ["june.eml"]);
    assert_eq!(names(&made.sent(|times| times.path = Some("mail".to_owned())).unwrap()), ["june.eml", "may.eml"]);
    let one = |times: &mut TimeSearch| (times.path, times.max_depth) = (Some("mail".to_owned()), Some(0));
    assert_eq!(names(&made.sent(one).unwrap()), ["may.eml"]);
    assert_eq!(names(&made.sent(|times| times.name = Some("JU".to_owned())).unwrap()), ["july.eml", "june.eml"]);
    assert_eq!(names(&made.sent(|times| times.glob = Some("mail/*.eml".to_owned())).unwrap()), ["may.eml"]);
    assert_eq!(names(&made.sent(|times| times.path = Some("july.eml".to_owned())).unwrap()), ["july.eml"]);

    fs::remove_file(made.root.join("july.eml")).unwrap();
    set_modified(&made.root.join("mail/may.eml"), SystemTime::now());
    let found = made.sent(|_| {}).unwrap();
    assert_eq!(names(&found), ["june.eml"]);
    assert_eq!(
        found.notices[0].plain().unwrap(),
        "Files that have changed since they were indexed, and are left out: 1. Call indexFolder to bring the index up to date."
    );
}

#[cfg(unix)]
#[test]
fn documents_behind_a_link_are_no_answers() {
    let made = Made::new();
    made.indexed("mail/may.eml", &letter("Fri, 02 May 2025 10:00:00 +0000"));
    fs::rename(made.root.join("mail"), made.root.with_file_name("elsewhere")).unwrap();
    std::os::unix::fs::symlink(made.root.with_file_name("elsewhere"), made.root.join("mail")).unwrap();
    assert_eq!(names(&made.sent(|_| {}).unwrap()), Vec::<&str>::new());
}

#[test]
fn what_is_not_indexed_says_so_in_one_plain_sentence() {
    let made = Made::new();
    let said = made.sent(|_| {}).unwrap_err().message;
    let expected = format!(
        "Nothing below '{}' is indexed by its content, so when files were sent is not known: call indexFolder of the toolset files first, \
         or use 'modified'.",
        made.root.display()
    );
    assert_eq!(said, expected);
}

#[test]
fn a_file_is_found_by_its_name_behind_many_that_are_no_answers() {
    let made = Made::new();
    for i in 0..names::MAX_NAMED {
        made.write(&format!("a/.hidden/boiler {i}.dwg"), "x");
        made.write(&format!("b/boiler {i}.txt"), "x");
    }
    made.indexed("c/boiler.dwg", "The boiler is new.");
    made.write("d/boiler 2021.dwg", "x");
    made.write("e/boiler 2022.dwg", "x");
    made.scan();
    let found = |exts: &[&str], years: &[&str]| -> Vec<String> {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let (words, exts, years) = (owned(&["boiler"]), owned(exts), owned(years));
        let wanted = names::NameQuery { name: "", words: &words, exts: &exts, years: &years, among: None };
        let folders = [made.root.clone(), made.root.join("d")];
        let found = names::find(&made.host, Some(&made.collection), &folders, &wanted).unwrap();
        let name = |path: &str| path[made.root.to_str().unwrap().len() + 1..].replace(std::path::MAIN_SEPARATOR, "/");
        found.into_iter().map(|named| name(&named.path)).collect()
    };
    assert_eq!(found(&["dwg"], &[]), ["c/boiler.dwg", "d/boiler 2021.dwg", "e/boiler 2022.dwg"]);
    assert_eq!(found(&[], &["2022"]), ["e/boiler 2022.dwg"]);
    assert_eq!(found(&[], &[]).len(), names::MAX_NAMED);
}

#[test]
fn an_indexed_file_is_found_by_its_name_and_every_answer_has_a_score() {
    let made = Made::new();
    made.indexed("Memo.txt", "The rent is due in May. One payment was made.");
    made.indexed("b.txt", "Payment after payment: the plan of payment.");
    made.indexed("Delivery_Log.csv", "Steel,4\n");
    made.indexed("Annex (signed).txt", "Nothing follows.");
    made.indexed("current.txt", "Nothing is open.");
    made.scan();
    let found = |query: &str, offset| -> Vec<(String, f32)> {
        let search = FileSearch { query: query.to_owned(), k: 1, offset, ..FileSearch::default() };
        let found = search::search_files(&made.host, std::slice::from_ref(&made.root), &search).unwrap();
        let name = |item: &FileMatch| item.path.rsplit(std::path::is_separator).next().unwrap().to_owned();
        found.items.iter().map(|item| (name(item), item.score)).collect()
    };
    let names = ["Memo.txt", "Delivery_Log.csv", "b.txt", "Annex (signed).txt"];
    for name in names.into_iter().flat_map(|name| [name.to_owned(), name.to_lowercase(), name.replace(".txt", "")]) {
        let best = found(&name, 0);
        assert!(best[0].0.to_lowercase().contains(&name.to_lowercase()) && best[0].1 == 1.0, "{name}: {best:?}");
    }
    let log = found("delivery log", 0);
    assert!(log[0].0 == "Delivery_Log.csv" && log[0].1 >= names::NAME_SCORE, "{log:?}");
    // Its name contains the word, but only inside another.
    assert_eq!((found("rent", 0)[0].0.as_str(), found("rent", 1)), ("Memo.txt", Vec::new()));
    let (first, second) = (found("payment", 0), found("payment", 1));
    assert_eq!((first[0].0.as_str(), second[0].0.as_str()), ("b.txt", "Memo.txt"));
    assert!(first[0].1 > second[0].1 && second[0].1 >= names::LEAST_SCORE, "{first:?} {second:?}");
    assert!(found("payment", 2).is_empty() && found("zzzz qqqq", 0).is_empty());
}

#[test]
fn a_file_that_its_name_and_its_content_answer_is_on_one_page_only() {
    let made = Made::new();
    for number in 0..40 {
        let text = format!("{} A boiler is in the cellar.", "Nothing else is new. ".repeat(4 + number));
        made.indexed(&format!("letter {number:02}.txt"), &text);
    }
    made.indexed("boiler list.txt", &format!("{} A boiler is in the cellar.", "Nothing else is new. ".repeat(60)));
    made.scan();
    let mut files = Vec::new();
    for offset in 0..41 {
        let search = FileSearch { query: "boiler".to_owned(), k: 1, offset, ..FileSearch::default() };
        let found = search::search_files(&made.host, std::slice::from_ref(&made.root), &search).unwrap();
        files.extend(found.items.into_iter().map(|item| item.path));
    }
    files.sort();
    let all = files.len();
    files.dedup();
    assert_eq!((all, files.len()), (41, 41));
}

#[test]
fn files_are_found_behind_one_that_has_more_of_the_best_passages_than_are_ranked_first() {
    let made = Made::new();
    let passage = format!("{}\n\n", "The boiler of the house was repaired. ".repeat(40));
    made.indexed("register.txt", &passage.repeat(search::AMONG + 200));
    assert!(made.collection.counts().unwrap().chunks > search::AMONG as u64);
    let mut files = vec!["register.txt".to_owned()];
    for number in 0..15 {
        let name = format!("letter {number:02}.txt");
        made.indexed(&name, &format!("{} A boiler is in the cellar.", "Nothing else is new. ".repeat(4 + number)));
        files.push(name);
    }
    let found = |k, offset| {
        let search = FileSearch { query: "boiler".to_owned(), k, offset, ..FileSearch::default() };
        search::search_files(&made.host, std::slice::from_ref(&made.root), &search).unwrap()
    };
    let mut pages = Vec::new();
    for offset in (0..20).step_by(5) {
        pages.extend(found(5, offset).items);
    }
    let name = |item: &FileMatch| item.path.rsplit(std::path::is_separator).next().unwrap().to_owned();
    assert_eq!(pages.iter().map(name).collect::<Vec<_>>(), files);
    assert!(pages.windows(2).all(|pair| pair[0].score >= pair[1].score));
    assert_eq!(found(100, 0).items.iter().map(name).collect::<Vec<_>>(), files);
    assert_eq!(found(5, 0).pagination.total_estimate, 16);
}

#[test]
fn words_that_say_something_are_kept_in_their_order() {
    assert_eq!(content_words("Find the contracts of Vendor X, and contracts"), ["contracts", "vendor", "x"]);
    for (word, one) in
        [("contracts", "contract"), ("parties", "party"), ("gas", "gas"), ("business", "business"), ("basis", "basis")]
    {
        assert_eq!(singular(word), one);
    }
    assert_eq!(extension("/a.b/Deck.PPTX"), ".pptx");
    assert_eq!((extension("/a.b/Makefile"), extension("/a/.profile")), (String::new(), String::new()));
}
