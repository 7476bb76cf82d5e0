//! Orders of paths, folders that are too large to be held, names, and damage.

use super::*;

/// Paths sort byte by byte, also where a folder's name is the beginning of another name.
#[test]
fn the_order_of_paths_is_that_of_their_bytes_from_page_to_page() {
    let disk = Disk::new();
    for name in ["b/x", "b/y/z", "b!", "b.c/1", "b.c/2", "b0", "a", "b-d/e/f", "c/", "b/x.y/1", "b/x!"] {
        match name.strip_suffix('/') {
            Some(folder) => fs::create_dir(disk.path(folder)).unwrap(),
            None => drop(disk.write(name, "x")),
        }
    }
    disk.scan();
    let mut expected = Vec::new();
    disk.catalog.each(disk.root.path(), &Cancel::default(), |entry| expected.push(entry.path)).unwrap();
    expected.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    assert_eq!(expected.len(), 17);
    for limit in [1, 2, 3, 7, 100] {
        let mut query = Query { limit, ..disk.query() };
        let mut pages = Vec::new();
        loop {
            let found = disk.find(&query);
            pages.extend(found.entries.into_iter().map(|entry| entry.path));
            match found.next {
                Some(next) => query.after = Some(next),
                None => break,
            }
        }
        assert_eq!(pages, expected, "{limit} on a page");
    }
}

#[test]
fn a_folder_that_is_too_large_to_be_held_is_compared_in_parts() {
    let disk = Disk::new();
    for i in 0..9_000 {
        disk.write(format!("many/{i}"), "");
    }
    assert_eq!(disk.scan().added, 9_001);
    let again = disk.scan();
    assert_eq!((again.files, again.added, again.removed), (9_000, 0, 0));
    fs::remove_file(disk.path("many/17")).unwrap();
    fs::rename(disk.path("many/18"), disk.path("many/renamed")).unwrap();
    disk.write("many/8999", "changed");
    let report = disk.scan();
    assert_eq!((report.added, report.moved, report.removed), (0, 1, 1), "{report:?}");
    disk.agrees_with_the_disk();
    fs::remove_dir_all(disk.path("many")).unwrap();
    assert_eq!(disk.scan().removed, 9_000);
    disk.agrees_with_the_disk();
}

#[test]
fn a_name_is_found_before_it_is_indexed_after_it_is_and_when_it_has_changed() {
    let disk = Disk::new();
    let named = |text: &str| -> Vec<String> {
        let query = Query { patterns: vec![Pattern::contains(Target::Name, text)], ..disk.query() };
        let plans = [query::Plan::Folder, query::Plan::Names];
        let [folder, names] = plans.map(|plan| {
            let found = query.run_as(&disk.catalog.writer(), plan, &|_| false, &Cancel::default()).unwrap();
            found
                .entries
                .into_iter()
                .map(|entry| shown(entry.path.file_name().unwrap().as_ref()).into_owned())
                .collect()
        });
        assert_eq!(folder, names);
        names
    };
    disk.write("Lease Brandt.pdf", "x");
    disk.scan();
    assert_eq!(named("lease br"), ["Lease Brandt.pdf"]);
    disk.catalog.index(&Cancel::default()).unwrap();
    assert_eq!(named("lease br"), ["Lease Brandt.pdf"]);
    fs::rename(disk.path("Lease Brandt.pdf"), disk.path("Notice Brandt.pdf")).unwrap();
    disk.scan();
    assert_eq!(named("lease br"), Vec::<String>::new());
    assert_eq!(named("notice"), ["Notice Brandt.pdf"]);
    disk.agrees_with_the_disk();
}

/// A catalogue of 2,000 files that was closed when all was indexed, the first page of whose table or index was overwritten, and opened again.
fn damaged(object: &str) -> Disk {
    let disk = Disk::new();
    for i in 0..2_000 {
        disk.write(format!("folder {}/file {i}", i % 40), "x");
    }
    disk.scan();
    disk.catalog.index(&Cancel::default()).unwrap();
    disk.catalog.writer().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let page: i64 = disk
        .catalog
        .writer()
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = ?", [object], |row| row.get(0))
        .unwrap();
    let Disk { catalog, data, root } = disk;
    drop(catalog);
    let file = data.path().join(database::FILE);
    let mut bytes = fs::read(&file).unwrap();
    let at = (page as usize - 1) * 4096;
    bytes[at..at + 4096].fill(0xa5);
    fs::write(&file, bytes).unwrap();
    Disk { catalog: Catalog::open(data.path()).unwrap(), data, root }
}

#[test]
fn damage_that_a_question_meets_is_repaired_by_the_next_scan() {
    let disk = damaged("entries_place");
    let error = disk.catalog.find(&disk.query(), &|_| false, &Cancel::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::Corrupt, "{error}");
    assert_eq!(disk.scan().files, 2_000);
    disk.agrees_with_the_disk();
}

#[test]
fn damage_that_is_met_on_opening_is_moved_aside() {
    let disk = damaged("entries");
    assert!(disk.data.path().join(database::DAMAGED).exists());
    assert_eq!(disk.find(&disk.query()).entries.len(), 0);
    assert_eq!(disk.scan().files, 2_000);
    disk.agrees_with_the_disk();
}
