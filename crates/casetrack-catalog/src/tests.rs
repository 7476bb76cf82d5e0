//! Scans and questions over real folders.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use casetrack_core::{Cancel, ErrorCode};
use tempfile::TempDir;

use super::*;

mod follow;
mod kills;
mod names;
#[cfg(unix)]
mod permissions;
mod plans;

/// A folder of files, and a catalogue elsewhere.
struct Disk {
    catalog: Catalog,
    data: TempDir,
    root: TempDir,
}

impl Disk {
    fn new() -> Self {
        let (data, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        Self { catalog: Catalog::open(data.path()).unwrap(), data, root }
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.path().join(name).components().collect()
    }

    fn write(&self, name: impl AsRef<Path>, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// A file that was modified at a time.
    fn write_at(&self, name: &str, time: &str) {
        let path = self.write(name, "x");
        let time = Time::parse(time).unwrap();
        let base = Duration::new(time.seconds.unsigned_abs(), 0);
        let time = if time.seconds < 0 {
            UNIX_EPOCH - base + Duration::new(0, time.nanoseconds)
        } else {
            UNIX_EPOCH + base + Duration::new(0, time.nanoseconds)
        };
        File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
    }

    fn scan(&self) -> ScanReport {
        self.try_scan(self.root.path(), None).unwrap()
    }

    fn try_scan(&self, start: &Path, max_depth: Option<usize>) -> casetrack_core::Result<ScanReport> {
        self.catalog.scan(&Scope { start, max_depth, is_closed: &|_| false }, &Cancel::default())
    }

    fn query(&self) -> Query {
        Query { limit: 1000, order: Order::Path, ..Query::below(self.root.path()) }
    }

    fn find(&self, query: &Query) -> QueryPage {
        self.catalog.find(query, &|_| false, &Cancel::default()).unwrap()
    }

    /// Paths below the root.
    fn names(&self, query: &Query) -> Vec<String> {
        let relative = |entry: &Entry| {
            let name = entry.path.strip_prefix(self.root.path()).unwrap();
            shown(name).replace(std::path::MAIN_SEPARATOR, "/")
        };
        self.find(query).entries.iter().map(relative).collect()
    }

    /// Compares every row of the catalogue with the disk, except the times of reading, which this changes.
    fn agrees_with_the_disk(&self) {
        agrees_with_the_disk(&self.catalog, self.root.path());
    }
}

fn agrees_with_the_disk(catalog: &Catalog, root: &Path) {
    let whole = |path: PathBuf, facts: Facts| {
        let Facts { kind, size, allocated, modified, changed, created, device, inode, .. } = facts;
        (path, kind as u8, size, allocated, modified, changed, created, (device, inode))
    };
    let mut there = BTreeSet::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let facts = Facts::read(&path).unwrap();
            if facts.kind == Kind::Folder {
                folders.push(path.clone());
            }
            there.insert(whole(path, facts));
        }
    }
    let mut rows = BTreeSet::new();
    catalog
        .each(root, &Cancel::default(), |entry| {
            rows.insert(whole(entry.path, entry.facts));
        })
        .unwrap();
    let shown = |rows: Vec<&_>| format!("{:#?}", rows.into_iter().take(5).collect::<Vec<_>>());
    let (missing, wrong) = (there.difference(&rows).collect::<Vec<_>>(), rows.difference(&there).collect::<Vec<_>>());
    assert!(missing.is_empty() && wrong.is_empty(), "missing {}\nwrong {}", shown(missing), shown(wrong));
    let count: i64 = catalog.writer().query_row("SELECT count(*) FROM entries", [], |row| row.get(0)).unwrap();
    assert_eq!(count as usize, there.len(), "rows of files that are gone");
    let folders = there.iter().filter(|entry| entry.1 == Kind::Folder as u8).count();
    let counted = ((there.len() - folders) as u64, folders as u64);
    assert_eq!(catalog.count(root, None).unwrap(), counted, "a listing that differs from the rows");
    catalog.check().unwrap();
}

#[test]
fn a_scan_writes_what_changed_and_nothing_else() {
    let disk = Disk::new();
    for name in ["a.txt", "sub/b.txt", "sub/deep/c.txt"] {
        disk.write(name, name);
    }
    let first = disk.scan();
    assert_eq!((first.files, first.folders, first.added, first.removed), (3, 2, 5, 0));
    let again = disk.scan();
    assert_eq!((again.added, again.moved, again.removed, again.problem_count), (0, 0, 0, 0));
    disk.write("a.txt", "longer than before");
    disk.write("sub/new.txt", "");
    fs::remove_dir_all(disk.path("sub/deep")).unwrap();
    let report = disk.scan();
    assert_eq!((report.added, report.removed), (1, 2));
    assert!(report.changed >= 2, "{report:?}");
    disk.agrees_with_the_disk();
}

#[test]
fn counts_are_of_listings_and_of_the_rows_of_changed_folders() {
    let disk = Disk::new();
    for name in ["a", "b", "one/c", "one/two/d", "one/two/e", "oneself/f"] {
        disk.write(name, "x");
    }
    disk.scan();
    let root = disk.root.path();
    let counts = |name: &str, depth| {
        let start = if name.is_empty() { root.to_owned() } else { root.join(name) };
        disk.catalog.count(&start, depth).unwrap()
    };
    for _ in 0..2 {
        assert_eq!((counts("", None), counts("", Some(0)), counts("", Some(1))), ((6, 3), (2, 2), (4, 3)));
        assert_eq!((counts("one", None), counts("one", Some(0)), counts("none", None)), ((3, 1), (1, 1), (0, 0)));
        // Then only the rows.
        disk.catalog.writer().execute("UPDATE folders SET digest = NULL, files = 99, folders = 99", []).unwrap();
    }
    disk.write("one/two/g", "x");
    let gone = disk.path("one/two/d");
    fs::remove_file(&gone).unwrap();
    disk.scan();
    assert_eq!(counts("", None), (6, 3));
    disk.catalog.look_at(&[disk.write("one/h", "x"), disk.path("none")], &Cancel::default()).unwrap();
    assert_eq!((counts("", None), counts("one", Some(0))), ((7, 3), (2, 1)));
}

#[test]
fn a_file_that_moves_keeps_its_identity() {
    let disk = Disk::new();
    disk.write("old/a.txt", "a");
    disk.write("old/b.txt", "b");
    disk.scan();
    let ids =
        |disk: &Disk| -> BTreeSet<i64> { disk.find(&disk.query()).entries.iter().map(|entry| entry.id).collect() };
    let (before, first_seen) = (ids(&disk), disk.find(&disk.query()).entries[1].first_seen);
    fs::rename(disk.path("old"), disk.path("new")).unwrap();
    fs::rename(disk.path("new/a.txt"), disk.path("renamed.txt")).unwrap();
    let report = disk.scan();
    assert_eq!((report.moved, report.added, report.removed), (3, 0, 0));
    assert_eq!(ids(&disk), before);
    let query = Query { patterns: vec![Pattern::contains(Target::Name, "renamed")], ..disk.query() };
    assert_eq!(disk.find(&query).entries[0].first_seen, first_seen);
    // A second name of a file is not a move.
    fs::hard_link(disk.path("renamed.txt"), disk.path("second.txt")).unwrap();
    assert_eq!((disk.scan().added, disk.scan().moved), (1, 0));
    disk.agrees_with_the_disk();
}

/// Invariant 13: answers about files agree with the disk at the time of the answer.
#[test]
fn an_answer_agrees_with_the_disk_not_with_the_rows() {
    let disk = Disk::new();
    disk.write("gone.txt", "1");
    disk.write("grown.txt", "1");
    disk.write("kept.txt", "1");
    disk.scan();
    fs::remove_file(disk.path("gone.txt")).unwrap();
    disk.write("grown.txt", "12345");
    let found = disk.find(&disk.query());
    let sizes: Vec<u64> = found.entries.iter().map(|entry| entry.facts.size).collect();
    assert_eq!((disk.names(&disk.query()), sizes), (vec!["grown.txt".to_owned(), "kept.txt".to_owned()], vec![5, 1]));
    let small = Query { size: (None, Some(1)), ..disk.query() };
    assert_eq!(disk.names(&small), ["kept.txt"]);
    // The limit counts answers, not rows.
    assert_eq!(disk.names(&Query { limit: 1, order: Order::Oldest(TimeField::Modified), ..small }), ["kept.txt"]);
}

#[test]
fn times_are_compared_to_the_nanosecond() {
    let disk = Disk::new();
    for (name, time) in [
        ("at_from", "2025-12-01T00:00:00Z"),
        ("before_from", "2025-11-30T23:59:59.999999999Z"),
        ("before_to", "2025-12-15T23:59:59.999999999Z"),
        ("at_to", "2025-12-16T00:00:00Z"),
        ("in_1950", "1950-01-01T00:00:00.000000001Z"),
        ("in_2150", "2150-01-01T00:00:00Z"),
    ] {
        disk.write_at(name, time);
    }
    disk.scan();
    let time = |text| Some(Time::parse(text).unwrap());
    let range = TimeRange { from: time("2025-12-01T00:00:00Z"), to: time("2025-12-16T09:00:00+09:00") };
    let query = Query { time: Some((TimeField::Modified, range)), ..disk.query() };
    assert_eq!(disk.names(&query), ["at_from", "before_to"]);
    let newest = Query { order: Order::Newest(TimeField::Modified), ..disk.query() };
    assert_eq!(disk.names(&newest), ["in_2150", "at_to", "before_to", "at_from", "before_from", "in_1950"]);
    let oldest = disk.find(&Query { order: Order::Oldest(TimeField::Modified), ..disk.query() });
    assert_eq!(oldest.entries[0].facts.modified.to_string(), "1950-01-01T00:00:00.000000001Z");
}

#[test]
fn pages_repeat_nothing_and_lose_nothing_in_every_order_while_files_are_added() {
    let disk = Disk::new();
    let second = SystemTime::now() - Duration::from_secs(3600);
    for i in 0..50 {
        let path = disk.write(format!("{}/{i:02}.txt", i % 7), &"x".repeat(i % 5));
        // Many ties.
        let time = second + Duration::from_secs(i as u64 / 10);
        File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
    }
    disk.scan();
    let orders = [
        Order::Path,
        Order::Largest,
        Order::Newest(TimeField::Modified),
        Order::Oldest(TimeField::Modified),
        Order::Newest(TimeField::Created),
        Order::Oldest(TimeField::FirstSeen),
    ];
    for (turn, order) in orders.into_iter().enumerate() {
        let all = Query { kinds: vec![Kind::File], order, ..disk.query() };
        let expected = disk.names(&all);
        let mut query = Query { limit: 3, ..all };
        let mut pages = Vec::new();
        loop {
            let found = disk.find(&query);
            pages.extend(disk.names(&query));
            disk.write(format!("added{turn}/{}", pages.len()), "added meanwhile");
            disk.scan();
            match found.next {
                Some(next) => query.after = Some(serde_json::from_str(&serde_json::to_string(&next).unwrap()).unwrap()),
                None => break,
            }
        }
        let unique: BTreeSet<&String> = pages.iter().collect();
        assert_eq!(unique.len(), pages.len(), "{order:?}: one came twice");
        let without_added: Vec<&String> = pages.iter().filter(|name| expected.contains(name)).collect();
        assert_eq!(without_added, expected.iter().collect::<Vec<_>>(), "{order:?}");
    }
}

#[test]
fn the_depth_of_a_scan_and_of_a_question_counts_folders() {
    let disk = Disk::new();
    for name in ["0", "a/1", "a/b/2"] {
        disk.write(name, "x");
    }
    let report = disk.try_scan(disk.root.path(), Some(0)).unwrap();
    assert_eq!((report.files, report.folders), (1, 1));
    disk.scan();
    fs::remove_file(disk.path("a/b/2")).unwrap();
    disk.try_scan(disk.root.path(), Some(1)).unwrap();
    let rows: i64 = disk.catalog.writer().query_row("SELECT count(*) FROM entries", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 5, "what was not walked stays");
    let query = Query { max_depth: Some(1), ..disk.query() };
    assert_eq!(disk.names(&query), ["0", "a", "a/1", "a/b"]);
}

#[test]
fn a_root_that_vanishes_removes_nothing() {
    let disk = Disk::new();
    let file = disk.write("drive/a.txt", "a");
    let root = disk.path("drive");
    disk.try_scan(&root, None).unwrap();
    fs::rename(&root, disk.path("unplugged")).unwrap();
    assert_eq!(disk.try_scan(&root, None).unwrap_err().code, ErrorCode::FileNotFound);
    let roots = disk.catalog.roots().unwrap();
    assert_eq!((roots.len(), roots[0].entries), (1, 1));
    fs::rename(disk.path("unplugged"), &root).unwrap();
    assert_eq!(disk.try_scan(&root, None).unwrap().added, 0);
    let error = disk.try_scan(&file, None).unwrap_err();
    assert!(error.message.ends_with("is not a folder."), "{error}");
}

#[cfg(unix)]
#[test]
fn names_need_not_be_unicode_and_links_are_not_followed() {
    use std::os::unix::ffi::OsStringExt;
    let disk = Disk::new();
    let long = std::ffi::OsString::from_vec([vec![0xff; 251], b".txt".to_vec()].concat());
    fs::write(disk.path(&long), "x").unwrap();
    disk.write("real/a.txt", "x");
    std::os::unix::fs::symlink(disk.path("real"), disk.path("link")).unwrap();
    std::os::unix::fs::symlink(disk.path("nowhere"), disk.path("dangling")).unwrap();
    let report = disk.scan();
    assert_eq!((report.files, report.folders), (4, 1));
    disk.agrees_with_the_disk();
    let query = Query { patterns: vec![Pattern::contains(Target::Name, ".txt")], ..disk.query() };
    let found = disk.find(&query).entries;
    assert!(found.iter().any(|entry| entry.path == disk.path(&long)), "{found:?}");
    assert_eq!(found.len(), 2);
}

#[test]
fn files_that_come_and_go_during_a_walk_are_no_error() {
    let disk = Disk::new();
    for i in 0..200 {
        disk.write(format!("{}/{i}", i % 10), "x");
    }
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for i in 0..200 {
                fs::remove_file(disk.path(format!("{}/{i}", i % 10))).unwrap();
                disk.write(format!("new/{i}"), "y");
            }
        });
        for _ in 0..5 {
            disk.scan();
        }
    });
    disk.scan();
    disk.agrees_with_the_disk();
}

#[test]
fn two_processes_share_a_catalogue() {
    let disk = Disk::new();
    for i in 0..500 {
        disk.write(format!("{}/{i}", i % 20), "x");
    }
    let other = Catalog::open(disk.data.path()).unwrap();
    let scan = |catalog: &Catalog| {
        let scope = Scope { start: disk.root.path(), max_depth: None, is_closed: &|_| false };
        catalog.scan(&scope, &Cancel::default()).unwrap()
    };
    let added = std::thread::scope(|scope| {
        let (a, b) = (scope.spawn(|| scan(&disk.catalog)), scope.spawn(|| scan(&other)));
        for _ in 0..20 {
            other.find(&disk.query(), &|_| false, &Cancel::default()).unwrap();
        }
        a.join().unwrap().added + b.join().unwrap().added
    });
    assert_eq!(added, 520);
    disk.agrees_with_the_disk();
}

#[test]
fn a_full_disk_is_said_and_leaves_a_sound_catalogue() {
    let disk = Disk::new();
    disk.write("a.txt", "a");
    disk.scan();
    let pages: i64 = disk.catalog.writer().query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    disk.catalog.writer().pragma_update(None, "max_page_count", pages + 2).unwrap();
    for i in 0..2000 {
        disk.write(format!("many/{i}"), "x");
    }
    let error = disk.try_scan(disk.root.path(), None).unwrap_err();
    assert_eq!(error.code, ErrorCode::DiskFull, "{error}");
    disk.catalog.check().unwrap();
    assert_eq!(disk.names(&Query { limit: 1, ..disk.query() }), ["a.txt"]);
    disk.catalog.writer().pragma_update(None, "max_page_count", 1 << 30).unwrap();
    disk.scan();
    disk.agrees_with_the_disk();
}

#[test]
fn a_damaged_catalogue_is_made_anew_with_its_roots() {
    let disk = Disk::new();
    for i in 0..500 {
        disk.write(format!("file {i}"), "x");
    }
    disk.scan();
    disk.catalog.writer().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let Disk { catalog, data, root } = disk;
    drop(catalog);
    let file = data.path().join(database::FILE);
    let mut bytes = fs::read(&file).unwrap();
    let length = bytes.len();
    bytes[8192..length].fill(0xa5);
    fs::write(&file, bytes).unwrap();
    let disk = Disk { catalog: Catalog::open(data.path()).unwrap(), data, root };
    let report = disk.scan();
    assert_eq!(report.files, 500);
    disk.agrees_with_the_disk();
    assert_eq!(disk.catalog.roots().unwrap().len(), 1);
    assert!(disk.data.path().join(database::DAMAGED).exists());
}

#[test]
fn a_cancelled_scan_removes_nothing() {
    let disk = Disk::new();
    disk.write("a.txt", "a");
    disk.scan();
    let cancel = Cancel::default();
    cancel.cancel();
    let scope = Scope { start: disk.root.path(), max_depth: None, is_closed: &|_| false };
    assert_eq!(disk.catalog.scan(&scope, &cancel).unwrap_err().code, ErrorCode::Cancelled);
    disk.agrees_with_the_disk();
}

#[test]
fn roots_are_listed_once_and_forgotten_without_what_others_hold() {
    let disk = Disk::new();
    disk.write("a/b/c", "x");
    disk.write("a/bc", "x");
    disk.try_scan(&disk.path("a/b"), None).unwrap();
    disk.scan();
    disk.try_scan(&disk.path("a"), None).unwrap();
    let roots =
        |disk: &Disk| -> Vec<PathBuf> { disk.catalog.roots().unwrap().into_iter().map(|root| root.path).collect() };
    assert_eq!(roots(&disk), [disk.root.path().to_owned(), disk.path("a/b")]);
    assert!(!disk.catalog.forget_root(&disk.path("a")).unwrap());
    assert!(disk.catalog.forget_root(disk.root.path()).unwrap());
    assert_eq!(disk.names(&disk.query()), ["a/b/c"]);
    assert!(disk.catalog.forget_root(&disk.path("a/b")).unwrap());
    assert!(disk.names(&disk.query()).is_empty());
    disk.catalog.check().unwrap();
}

#[test]
fn usage_counts_each_file_once() {
    let disk = Disk::new();
    disk.write("a/1", "12345");
    disk.write("b/2", "1");
    fs::hard_link(disk.path("a/1"), disk.path("b/1")).unwrap();
    disk.scan();
    let (children, all) = disk.catalog.usage(disk.root.path(), &Cancel::default()).unwrap();
    assert_eq!((all.files, all.folders, all.bytes), (2, 2, 6));
    assert_eq!(children.values().map(|child| child.bytes).collect::<Vec<_>>(), [5, 1]);
    let equal = disk.catalog.of_equal_size(disk.root.path(), 1, &Cancel::default()).unwrap();
    assert!(equal.is_empty(), "{equal:?}");
    disk.write("c", "54321");
    disk.scan();
    let equal = disk.catalog.of_equal_size(disk.root.path(), 1, &Cancel::default()).unwrap();
    assert_eq!(equal.values().map(Vec::len).collect::<Vec<_>>(), [2]);
}
