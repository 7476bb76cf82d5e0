//! The copy next to the database, from which a damaged one is rebuilt.

use std::time::{Duration, Instant};

use serde_json::json;

use super::records::{plan, source};
use super::*;
use crate::space::backup::FILE;

impl Disk {
    /// With a set below another, and one of each of the rest.
    fn with_all() -> Self {
        let disk = Self::new();
        disk.write("a", 5);
        disk.write("deep/b", 6);
        disk.scan();
        disk.fill("child", Mode::Append);
        disk.space.create_set("top", Some("All of it")).unwrap();
        disk.space.add_edge("top", "child").unwrap();
        disk.space.create_source(&source("s")).unwrap();
        disk.space.create_plan(&plan("p")).unwrap();
        disk.space.save_query("q", &json!({"kind": "file"})).unwrap();
        disk
    }

    /// Closes everything, changes the contents of the folder, and opens it again.
    fn after(self, change: impl FnOnce(&Path)) -> Self {
        let Self { catalog, space, data, root } = self;
        drop((space, catalog));
        change(data.path());
        let catalog = Arc::new(Catalog::open(data.path()).unwrap());
        Self { space: Space::open(Arc::clone(&catalog)).unwrap(), catalog, data, root }
    }

    fn has_all(&self) {
        assert_eq!(self.sum("top"), (3, 2, 1, 11));
        assert_eq!(self.space.set("top").unwrap().description.as_deref(), Some("All of it"));
        assert_eq!((self.space.sources().unwrap().len(), self.space.plans().unwrap().len()), (1, 1));
        assert_eq!(self.space.saved_query("q").unwrap().arguments, json!({"kind": "file"}));
    }
}

fn overwrite(folder: &Path) {
    fs::write(folder.join(schema::FILE), vec![b'x'; 10_000]).unwrap();
}

#[test]
fn a_damaged_database_is_made_anew_from_the_copy() {
    Disk::with_all().after(overwrite).has_all();
    let remove = |folder: &Path| fs::remove_file(folder.join(schema::FILE)).unwrap();
    Disk::with_all().after(remove).has_all();
    // With the catalogue as well, members wait for their files.
    let disk = Disk::with_all().after(|folder| {
        overwrite(folder);
        fs::write(folder.join(crate::database::FILE), vec![b'x'; 10_000]).unwrap();
    });
    assert_eq!(disk.sum("top"), (0, 0, 0, 0));
    disk.scan();
    disk.has_all();
}

#[test]
fn a_file_that_moved_is_in_the_copy_where_it_is() {
    let disk = Disk::with_all();
    fs::rename(disk.path("a"), disk.path("deep/moved")).unwrap();
    disk.scan();
    disk.after(overwrite).has_all();
}

#[test]
fn what_was_deleted_does_not_come_back() {
    let disk = Disk::with_all();
    disk.space.delete_set("top").unwrap();
    let disk = disk.after(|_| {});
    assert!(disk.space.set("top").is_err());
    let disk = disk.after(overwrite);
    assert!(disk.space.set("top").is_err());
    disk.space.set("child").unwrap();
}

#[test]
fn a_copy_that_cannot_be_read_is_kept_aside() {
    let disk = Disk::with_all().after(|folder| {
        overwrite(folder);
        fs::write(folder.join(FILE), "{").unwrap();
    });
    assert!(disk.space.set("top").is_err());
    assert_eq!(fs::read_to_string(disk.data.path().join("sets.damaged.json")).unwrap(), "{");
}

#[test]
fn the_copy_is_written_while_the_sets_are_open_and_only_once_there_is_something() {
    let disk = Disk::new().after(|folder| assert!(!folder.join(FILE).exists()));
    disk.space.create_set("one", None).unwrap();
    let started = Instant::now();
    let has = |text: &str| fs::read_to_string(disk.data.path().join(FILE)).is_ok_and(|copy| copy.contains(text));
    while !has("\"one\"") {
        assert!(started.elapsed() < Duration::from_secs(60), "it was not written");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_a_process_began_to_take_over_is_taken_over_by_the_next() {
    let disk = Disk::with_all().after(|folder| {
        overwrite(folder);
        fs::rename(folder.join(FILE), folder.join("sets.restoring.json")).unwrap();
    });
    disk.has_all();
    assert!(!disk.data.path().join("sets.restoring.json").exists());
}

/// Pages that are damaged behind the first one are met by an answer.
#[test]
fn damage_that_an_answer_meets_is_repaired_before_the_next_one() {
    let disk = Disk::with_all().after(|folder| {
        let sets = rusqlite::Connection::open(folder.join(schema::FILE)).unwrap();
        let page = "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = 'sets'";
        let page: i64 = sets.query_row(page, [], |row| row.get(0)).unwrap();
        sets.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        drop(sets);
        let mut bytes = fs::read(folder.join(schema::FILE)).unwrap();
        let at = (page as usize - 1) * 4096;
        bytes[at..at + 4096].fill(0xa5);
        fs::write(folder.join(schema::FILE), bytes).unwrap();
    });
    assert_eq!(disk.space.set("top").unwrap_err().code, ErrorCode::Corrupt);
    disk.has_all();
}
