//! Kills at random moments of scans, of following and of indexing: after the next start the catalogue is as the disk is.
//!
//! `CASETRACK_KILLS=100 cargo test --release -p casetrack-catalog kills` kills more often.

use std::io::Read;
use std::process::{Command, Stdio};

use super::follow::{change, follow};
use super::*;

/// Names the two folders, for the process that is killed.
const FOLDERS: &str = "CASETRACK_KILL_TEST";
const KILLS: u32 = 12;

#[test]
fn after_a_kill_at_any_moment_the_next_start_makes_the_catalogue_as_the_disk_is() {
    let (data, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let kills = std::env::var("CASETRACK_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let mut random = fastrand::Rng::with_seed(u64::from(kills));
    for i in 0..2_000 {
        let folder = root.path().join(format!("many/{}", i % 50));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(i.to_string()), "x").unwrap();
    }
    for kill in 0..kills {
        if random.u8(0..4) == 0 {
            // A first scan, with its indexes.
            fs::remove_dir_all(data.path()).unwrap();
            fs::create_dir(data.path()).unwrap();
        }
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tests::kills::is_killed", "--ignored", "--nocapture"])
            .env(FOLDERS, format!("{}\n{}\n{kill}", data.path().display(), root.path().display()))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // It announces each step. The kill comes then, or a little later.
        let (mut out, mut steps) = (child.stdout.take().unwrap(), random.u32(1..12));
        let mut byte = [0];
        while steps > 0 {
            assert_eq!(out.read(&mut byte).unwrap(), 1, "the process ended by itself");
            steps -= u32::from(byte[0] == b'!');
        }
        std::thread::sleep(Duration::from_micros(random.u64(0..8_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        let catalog = Catalog::open(data.path()).unwrap();
        catalog.check().unwrap();
        let scope = Scope { start: root.path(), max_depth: None, is_closed: &|_| false };
        catalog.scan(&scope, &Cancel::default()).unwrap();
        agrees_with_the_disk(&catalog, root.path());
        assert!(!data.path().join(database::DAMAGED).exists(), "a kill damaged the database");
    }
}

#[test]
#[ignore = "the process that is killed"]
fn is_killed() {
    let Ok(folders) = std::env::var(FOLDERS) else { return };
    let [data, root, seed] = folders.split('\n').collect::<Vec<_>>()[..] else { panic!("{folders}") };
    let (data, root) = (Path::new(data), Path::new(root));
    let mut random = fastrand::Rng::with_seed(seed.parse().unwrap());
    let catalog = Catalog::open(data).unwrap();
    let scope = Scope { start: root, max_depth: None, is_closed: &|_| false };
    println!("!");
    catalog.scan(&scope, &Cancel::default()).unwrap();
    loop {
        let mut paths = BTreeSet::new();
        for _ in 0..random.usize(1..6) {
            paths.extend(change(root, &mut random));
        }
        println!("!");
        match random.u8(0..4) {
            0 => catalog.index(&Cancel::default()).unwrap(),
            1 => drop(catalog.scan(&scope, &Cancel::default()).unwrap()),
            _ => drop(follow(&catalog, root, &paths).unwrap()),
        }
    }
}
