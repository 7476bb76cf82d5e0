//! Following reported changes.

use super::*;

impl Disk {
    /// As the owner does when the system reports these paths and nothing else is watched below new folders.
    pub(super) fn follow(&self, paths: &[&str]) -> ScanReport {
        let paths = paths.iter().map(|path| self.path(path)).collect();
        follow(&self.catalog, self.root.path(), &paths).unwrap()
    }
}

pub(super) fn follow(catalog: &Catalog, root: &Path, paths: &BTreeSet<PathBuf>) -> casetrack_core::Result<ScanReport> {
    let scope = Scope { start: root, max_depth: None, is_closed: &|_| false };
    let reported = ReportedChanges { paths, needs_walk: &|folder| paths.contains(folder), before_listing: &|_| {} };
    catalog.follow(&scope, &reported, &Cancel::default())
}

#[test]
fn what_was_reported_is_brought_up_to_date_and_nothing_else_is_read() {
    let disk = Disk::new();
    for name in ["a/1", "a/2", "b/3"] {
        disk.write(name, "x");
    }
    disk.scan();
    disk.write("a/1", "longer");
    disk.write("b/unreported", "x");
    let report = disk.follow(&["a/1"]);
    assert_eq!((report.changed, report.added), (1, 0), "{report:?}");
    fs::remove_file(disk.path("b/unreported")).unwrap();
    disk.write("a/new", "x");
    fs::remove_file(disk.path("a/2")).unwrap();
    let report = disk.follow(&["a/new", "a/2", "b/unreported"]);
    assert_eq!((report.added, report.removed), (1, 1), "{report:?}");
    disk.agrees_with_the_disk();
    // A file in place of a folder, and a folder in place of a file.
    fs::remove_dir_all(disk.path("b")).unwrap();
    disk.write("b", "a file");
    fs::remove_file(disk.path("a/1")).unwrap();
    disk.write("a/1/deep/down", "x");
    disk.follow(&["b", "b/3", "a/1"]);
    disk.agrees_with_the_disk();
    let again = disk.scan();
    assert_eq!((again.added, again.moved, again.removed), (0, 0, 0));
}

#[test]
fn a_new_folder_is_walked_and_one_that_moves_keeps_what_is_in_it() {
    let disk = Disk::new();
    disk.write("keep", "x");
    disk.scan();
    disk.write("new/deep/file", "x");
    assert_eq!(disk.follow(&["new"]).added, 3);
    disk.agrees_with_the_disk();
    let ids = || -> BTreeSet<i64> { disk.find(&disk.query()).entries.iter().map(|entry| entry.id).collect() };
    let before = ids();
    fs::rename(disk.path("new"), disk.path("other")).unwrap();
    let report = disk.follow(&["new", "other"]);
    assert_eq!((report.moved, report.added, report.removed), (3, 0, 0), "{report:?}");
    assert_eq!(ids(), before);
    disk.agrees_with_the_disk();
}

#[test]
fn all_names_of_a_file_change_with_it() {
    let disk = Disk::new();
    disk.write("one", "x");
    fs::create_dir(disk.path("sub")).unwrap();
    fs::hard_link(disk.path("one"), disk.path("sub/two")).unwrap();
    disk.scan();
    disk.write("one", "much longer");
    // The system reports the name that was used.
    disk.follow(&["one"]);
    disk.agrees_with_the_disk();
}

#[test]
fn nothing_counts_as_deleted_when_the_root_is_gone() {
    let disk = Disk::new();
    disk.write("drive/a", "x");
    let root = disk.path("drive");
    disk.try_scan(&root, None).unwrap();
    fs::rename(&root, disk.path("unplugged")).unwrap();
    let error = follow(&disk.catalog, &root, &BTreeSet::from([root.join("a")])).unwrap_err();
    assert_eq!(error.code, ErrorCode::FileNotFound);
    assert_eq!(disk.catalog.roots().unwrap()[0].entries, 1);
}

/// Random histories of which every change is reported, as inotify does, leave the rows as a scan would.
#[test]
fn after_any_history_that_is_reported_the_rows_are_as_the_disk_is() {
    let disk = Disk::new();
    let mut random = fastrand::Rng::with_seed(20);
    disk.scan();
    for _ in 0..40 {
        let mut paths = BTreeSet::new();
        for _ in 0..random.usize(1..8) {
            paths.extend(change(disk.root.path(), &mut random));
        }
        follow(&disk.catalog, disk.root.path(), &paths).unwrap();
        disk.agrees_with_the_disk();
        if random.u8(0..4) == 0 {
            disk.catalog.index(&Cancel::default()).unwrap();
        }
    }
    let again = disk.scan();
    assert_eq!((again.added, again.moved, again.removed), (0, 0, 0));
    disk.agrees_with_the_disk();
}

/// Changes something below a folder. Returns the system's report.
pub(super) fn change(root: &Path, random: &mut fastrand::Rng) -> Vec<PathBuf> {
    let mut place = |depth: usize| {
        let mut path = root.to_owned();
        (0..depth).for_each(|_| path.push(format!("d{}", random.u8(0..4))));
        path
    };
    let (folder, other) = (place(2), place(1));
    let name = format!("f{}", random.u8(0..6));
    let (path, target) = (folder.join(&name), other.join(format!("f{}", random.u8(0..6))));
    // New folders are reported from the highest on.
    let made = |folder: &Path| -> Vec<PathBuf> {
        let new: Vec<PathBuf> = folder.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
        fs::create_dir_all(folder).unwrap();
        new
    };
    match random.u8(0..8) {
        0..4 => {
            let mut paths = made(&folder);
            if path.is_dir() {
                return paths;
            }
            fs::write(&path, vec![b'x'; random.usize(0..5_000)]).unwrap();
            paths.push(path);
            paths
        }
        4 if path.is_file() => {
            fs::remove_file(&path).unwrap();
            vec![path]
        }
        5 if path.is_file() && !target.is_dir() => {
            let mut paths = made(&other);
            fs::rename(&path, &target).unwrap();
            paths.extend([path, target]);
            paths
        }
        6 if other.is_dir() => {
            let new = root.join(format!("d{}", random.u8(4..8)));
            if new.exists() {
                fs::remove_dir_all(&new).unwrap();
            }
            fs::rename(&other, &new).unwrap();
            vec![other, new]
        }
        7 if other.is_dir() => {
            fs::remove_dir_all(&other).unwrap();
            vec![other]
        }
        _ => Vec::new(),
    }
}
