//! Sets over real folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use casetrack_core::{Cancel, ErrorCode};
use tempfile::TempDir;

use super::*;
use crate::{Scope, TimeField};

mod backup;
#[cfg(unix)]
mod histories;
mod queries;
mod records;
mod transfer;

/// A folder of files, and a catalogue with sets elsewhere.
struct Disk {
    catalog: Arc<Catalog>,
    space: Space,
    data: TempDir,
    root: TempDir,
}

impl Disk {
    fn new() -> Self {
        let (data, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let catalog = Arc::new(Catalog::open(data.path()).unwrap());
        Self { space: Space::open(Arc::clone(&catalog)).unwrap(), catalog, data, root }
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.path().join(name).components().collect()
    }

    fn write(&self, name: &str, bytes: usize) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, vec![b'x'; bytes]).unwrap();
        path
    }

    fn scan(&self) {
        let scope = Scope { start: self.root.path(), max_depth: None, is_closed: &|_| false };
        self.catalog.scan(&scope, &Cancel::default()).unwrap();
    }

    /// Opens the sets as a new process does.
    fn reopen(&mut self) {
        self.catalog = Arc::new(Catalog::open(self.data.path()).unwrap());
        self.space = Space::open(Arc::clone(&self.catalog)).unwrap();
    }

    fn add(&self, set: &str, names: &[&str]) -> Change {
        let paths: Vec<PathBuf> = names.iter().map(|name| self.path(name)).collect();
        self.space.make_set(set).unwrap();
        self.space.add_paths(set, &paths, &Cancel::default()).unwrap()
    }

    fn fill(&self, set: &str, mode: Mode) -> (u64, Change) {
        let picked = self.space.pick_in_folder(self.root.path(), None).unwrap();
        (picked.len(), self.space.put(set, &picked, mode).unwrap())
    }

    /// Count, files, folders and bytes of a set with everything below it.
    fn sum(&self, set: &str) -> (u64, u64, u64, u64) {
        let Totals { count, files, folders, bytes, .. } = self.space.sum(set, None).unwrap().0;
        (count, files, folders, bytes)
    }

    /// Paths below the root, in their order.
    fn names(&self, asked: &SetQuery<'_>) -> Vec<String> {
        let answer = self.space.find(asked, &|_| false, &Cancel::default()).unwrap();
        let name = |member: &Member| {
            let name = member.path.strip_prefix(self.root.path()).unwrap();
            name.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
        };
        answer.members.iter().map(name).collect()
    }
}

/// All entries of a set and those below it, in the order of paths.
fn all(set: &str) -> SetQuery<'_> {
    SetQuery {
        set,
        children: true,
        condition: Condition::ALWAYS,
        added: (None, None),
        sort: Sort::Path,
        descending: false,
        limit: 1_000,
        offset: 0,
    }
}

#[test]
fn a_sum_counts_each_path_once_over_a_diamond_and_each_file_once_under_several_names() {
    let disk = Disk::new();
    disk.write("a", 100);
    disk.write("b", 10);
    fs::hard_link(disk.path("a"), disk.path("other name of a")).unwrap();
    for set in ["top", "left", "right", "bottom"] {
        disk.space.create_set(set, None).unwrap();
    }
    for (parent, child) in [("top", "left"), ("top", "right"), ("left", "bottom"), ("right", "bottom")] {
        assert!(disk.space.add_edge(parent, child).unwrap());
    }
    disk.add("bottom", &["a", "b"]);
    disk.add("left", &["a"]);
    disk.add("right", &["other name of a"]);
    assert_eq!(disk.sum("top"), (3, 3, 0, 110));
    let (_, breakdown) = disk.space.sum("top", None).unwrap();
    let breakdown: Vec<_> = breakdown.iter().map(|(set, totals)| (set.name.as_str(), totals.bytes)).collect();
    assert_eq!(breakdown, [("left", 110), ("right", 110)]);
    // To a depth: the set itself, its children, all.
    let bytes = |depth| disk.space.sum("top", depth).unwrap().0.bytes;
    assert_eq!([bytes(Some(0)), bytes(Some(1)), bytes(Some(2)), bytes(None)], [0, 100, 110, 110]);
}

#[test]
fn a_folder_counts_with_all_below_it_unless_something_below_it_is_summed_up() {
    let disk = Disk::new();
    disk.write("folder/deep/file", 100);
    disk.write("folder/other", 10);
    disk.scan();
    disk.add("set", &["folder"]);
    assert_eq!(disk.sum("set"), (1, 0, 1, 110));
    let allocated = |name: &str| crate::Facts::read(&disk.path(name)).unwrap().allocated;
    let all: u64 = ["folder", "folder/deep", "folder/deep/file", "folder/other"].into_iter().map(allocated).sum();
    assert_eq!(disk.space.sum("set", None).unwrap().0.allocated, all);
    disk.add("set", &["folder/deep/file"]);
    assert_eq!(disk.sum("set"), (2, 1, 1, 100));
    disk.space.remove_paths("set", &[disk.path("folder/deep/file")]).unwrap();
    disk.add("set", &["folder/deep"]);
    assert_eq!(disk.sum("set"), (2, 0, 2, 100));
}

#[test]
fn an_edge_that_closes_a_circle_is_refused_with_the_way_round() {
    let disk = Disk::new();
    for set in ["a", "b", "c"] {
        disk.space.create_set(set, None).unwrap();
    }
    disk.space.add_edge("a", "b").unwrap();
    disk.space.add_edge("b", "c").unwrap();
    let refused = |parent, child| disk.space.add_edge(parent, child).unwrap_err().message;
    assert_eq!(refused("c", "a"), "this edge closes a cycle: c -> a -> b -> c");
    assert_eq!(refused("a", "a"), "this edge closes a cycle: a -> a");
    assert!(!disk.space.add_edge("a", "b").unwrap(), "it is there already");
    let below = |depth| -> Vec<(String, u32)> {
        let sets = disk.space.relatives("a", Direction::Children, depth).unwrap();
        sets.into_iter().map(|(set, depth)| (set.name, depth)).collect()
    };
    assert_eq!(below(Some(1)), [("b".to_owned(), 1)]);
    assert_eq!(below(None), [("b".to_owned(), 1), ("c".to_owned(), 2)]);
    let around = disk.space.relatives("c", Direction::Parents, None).unwrap();
    assert_eq!(around.iter().map(|(set, _)| set.name.as_str()).collect::<Vec<_>>(), ["b", "a"]);
    assert!(disk.space.remove_edge("b", "c").unwrap() && !disk.space.remove_edge("b", "c").unwrap());
    assert!(disk.space.add_edge("c", "a").unwrap());
}

#[test]
fn names_of_sets_are_checked_and_each_is_used_once() {
    let disk = Disk::new();
    disk.space.create_set("photos", Some("All photo files")).unwrap();
    let error = disk.space.create_set("photos", None).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (ErrorCode::AlreadyExists, "resource-set already exists: photos"));
    for name in ["", " ", "a\nb", &"x".repeat(201)] {
        assert_eq!(disk.space.create_set(name, None).unwrap_err().code, ErrorCode::InvalidArgument, "{name:?}");
    }
    assert_eq!(disk.space.set("none").unwrap_err().message, "resource-set not found");
    disk.space.delete_set("photos").unwrap();
    assert!(disk.space.sets().unwrap().is_empty());
}

#[test]
fn paths_that_are_not_indexed_are_added_as_the_disk_describes_them_and_missing_ones_are_named() {
    let disk = Disk::new();
    disk.write("deep/down/a", 7);
    let change = disk.add("set", &["deep/down/a", "none"]);
    assert_eq!((change.added, change.problems.len()), (1, 1));
    assert!(change.problems[0].path.ends_with("none"));
    assert_eq!(disk.sum("set"), (1, 1, 0, 7));
    // A later scan finds the same entry, and its neighbours.
    disk.write("deep/down/b", 1);
    disk.scan();
    assert_eq!(disk.sum("set"), (1, 1, 0, 7));
    assert_eq!(disk.fill("set", Mode::Append).1.added, 3);
    let change = disk.space.remove_paths("set", &[disk.path("deep/down/a"), disk.path("none")]).unwrap();
    assert_eq!((change.removed, change.problems.len()), (1, 1));
    // Entries that are added again have changed in the meantime, or are gone.
    disk.write("deep/down/a", 9);
    disk.add("set", &["deep/down/a"]);
    assert_eq!(disk.sum("set").3, 10);
    fs::remove_file(disk.path("deep/down/a")).unwrap();
    assert_eq!(disk.add("set", &["deep/down/a"]).problems.len(), 1);
    assert_eq!(disk.sum("set").3, 1);
}

#[test]
fn a_set_is_filled_by_appending_merging_and_replacing() {
    let disk = Disk::new();
    disk.write("a", 1);
    disk.write("sub/b", 1);
    disk.scan();
    let shallow = disk.space.pick_in_folder(disk.root.path(), Some(0)).unwrap();
    assert_eq!(disk.space.put("set", &shallow, Mode::Append).unwrap().added, 2);
    disk.write("c", 1);
    fs::remove_file(disk.path("a")).unwrap();
    disk.scan();
    assert_eq!(disk.fill("set", Mode::Merge).1, Change { added: 2, removed: 1, problems: Vec::new() });
    assert_eq!(disk.names(&all("set")), ["c", "sub", "sub/b"]);
    let files = Condition::Kind(crate::Kind::File);
    let all_of_set = disk.space.pick_in_set("set").unwrap();
    let admitted = |condition| disk.space.admitted(&all_of_set, condition, &Cancel::default()).unwrap();
    let change = disk.space.put("copy", &admitted(&files), Mode::Replace).unwrap();
    assert_eq!((all_of_set.len(), change.added), (3, 2));
    let named = Condition::Text(Text::new(Field::Name, Match::Equals, "c", true).unwrap());
    let change = disk.space.put("copy", &admitted(&named), Mode::Replace).unwrap();
    assert_eq!((change.added, change.removed), (0, 1));
    assert_eq!(disk.names(&all("copy")), ["c"]);
}

#[test]
fn files_that_move_stay_in_their_sets_and_sets_outlive_the_process_and_the_catalogue() {
    let mut disk = Disk::new();
    disk.write("old/a", 5);
    disk.write("b", 6);
    disk.scan();
    disk.space.create_set("around", None).unwrap();
    disk.add("set", &["old/a", "b"]);
    disk.space.add_edge("around", "set").unwrap();
    fs::rename(disk.path("old"), disk.path("new")).unwrap();
    disk.scan();
    disk.space.tidy().unwrap();
    assert_eq!(disk.names(&all("around")), ["b", "new/a"]);
    disk.reopen();
    assert_eq!(disk.sum("around"), (2, 2, 0, 11));
    // A rebuilt catalogue has other ids: the members are found again by their paths.
    for name in ["files.sqlite", "files.sqlite-wal", "files.sqlite-shm"] {
        let _ = fs::remove_file(disk.data.path().join(name));
    }
    disk.reopen();
    assert_eq!(disk.sum("around"), (0, 0, 0, 0));
    disk.write("aaa comes first", 1);
    disk.scan();
    assert_eq!(disk.names(&all("around")), ["b", "new/a"]);
    assert_eq!(disk.sum("around").3, 11);
}

#[test]
fn what_cannot_be_read_is_moved_aside() {
    let mut disk = Disk::new();
    disk.space.create_set("set", None).unwrap();
    let file = disk.space.path();
    fs::write(&file, vec![b'x'; 10_000]).unwrap();
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(disk.data.path().join(format!("space.sqlite{suffix}")));
    }
    disk.reopen();
    assert!(disk.space.sets().unwrap().is_empty());
    assert_eq!(fs::metadata(disk.data.path().join("space.damaged.sqlite")).unwrap().len(), 10_000);
}

#[test]
fn damage_of_the_catalogue_while_it_is_in_use_leaves_the_sets_as_they_are() {
    let disk = Disk::new();
    disk.write("a", 5);
    disk.scan();
    disk.add("set", &["a"]);
    disk.space.create_source(&records::source("kept")).unwrap();
    let (before, file) = (disk.catalog.generation(), disk.data.path().join("files.sqlite"));
    disk.catalog.writer().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let mut bytes = fs::read(&file).unwrap();
    let length = bytes.len();
    bytes[100..length].fill(0x5a);
    fs::write(&file, bytes).unwrap();
    for _ in 0..3 {
        let scope = Scope { start: disk.root.path(), max_depth: None, is_closed: &|_| false };
        let _ = disk.catalog.scan(&scope, &Cancel::default());
    }
    if disk.catalog.generation() > before {
        assert_eq!(disk.sum("set"), (1, 1, 0, 5));
    }
    assert_eq!(disk.space.sources().unwrap().len(), 1);
}
