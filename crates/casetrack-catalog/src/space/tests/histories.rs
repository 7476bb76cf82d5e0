//! Random histories of files, sets and edges: each sum is compared with one that is made from scratch, from the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;

use super::*;

const SETS: [&str; 5] = ["s0", "s1", "s2", "s3", "s4"];

/// What the sets should be.
#[derive(Default)]
struct Model {
    members: BTreeMap<usize, BTreeSet<PathBuf>>,
    edges: BTreeSet<(usize, usize)>,
}

impl Model {
    fn below(&self, set: usize) -> BTreeSet<usize> {
        let mut sets = BTreeSet::from([set]);
        loop {
            let more: Vec<usize> =
                self.edges.iter().filter(|(parent, _)| sets.contains(parent)).map(|(_, child)| *child).collect();
            let before = sets.len();
            sets.extend(more);
            if sets.len() == before {
                return sets;
            }
        }
    }

    fn totals(&self, set: usize) -> Totals {
        let paths: BTreeSet<&PathBuf> = self
            .below(set)
            .iter()
            .filter_map(|set| self.members.get(set))
            .flatten()
            .filter(|path| path.symlink_metadata().is_ok())
            .collect();
        let mut totals = Totals::default();
        let mut content: Vec<PathBuf> = Vec::new();
        for path in &paths {
            totals.count += 1;
            if path.is_dir() {
                totals.folders += 1;
                totals.allocated += path.symlink_metadata().unwrap().blocks() * 512;
                if !paths.iter().any(|other| other != path && other.starts_with(path)) {
                    all_below(path, &mut content);
                }
            } else {
                totals.files += 1;
                content.push(path.to_path_buf());
            }
        }
        let mut counted = BTreeSet::new();
        for path in content {
            let metadata = path.symlink_metadata().unwrap();
            if metadata.is_dir() {
                totals.allocated += metadata.blocks() * 512;
            } else if counted.insert((metadata.dev(), metadata.ino())) {
                totals.bytes += metadata.len();
                totals.allocated += metadata.blocks() * 512;
            }
        }
        totals
    }
}

fn all_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.symlink_metadata().unwrap().is_dir() {
            all_below(&path, found);
        }
        found.push(path);
    }
}

#[test]
fn after_any_history_each_sum_is_that_of_the_disk() {
    for seed in 0..4 {
        let mut disk = Disk::new();
        let mut random = fastrand::Rng::with_seed(seed);
        let mut model = Model::default();
        for set in SETS {
            disk.space.create_set(set, None).unwrap();
        }
        for step in 0..60 {
            for _ in 0..random.usize(1..6) {
                change(disk.root.path(), &mut random, &mut model);
                // One by one: what moves and what is replaced at once cannot be told apart.
                disk.scan();
            }
            change_sets(&disk, &mut random, &mut model);
            match random.u8(0..10) {
                0 => disk.reopen(),
                1 => disk.space.tidy().unwrap(),
                2 => disk.space.rest_after(std::time::Duration::ZERO),
                _ => {}
            }
            for (number, set) in SETS.into_iter().enumerate() {
                assert_eq!(
                    disk.space.sum(set, None).unwrap().0,
                    model.totals(number),
                    "seed {seed}, step {step}, {set}"
                );
            }
        }
    }
}

/// Changes something on the disk, and in the sets what follows from it: what moves stays a member, what is gone is none.
fn change(root: &Path, random: &mut fastrand::Rng, model: &mut Model) {
    let folder = |random: &mut fastrand::Rng| {
        let mut path = root.to_owned();
        (0..random.usize(0..3)).for_each(|_| path.push(format!("d{}", random.u8(0..3))));
        path
    };
    let (from, to) =
        (folder(random).join(format!("f{}", random.u8(0..5))), folder(random).join(format!("f{}", random.u8(0..5))));
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    match random.u8(0..10) {
        0..5 => fs::write(&to, vec![b'x'; random.usize(0..20_000)]).unwrap(),
        5 if from.is_file() && !to.exists() => fs::hard_link(&from, &to).unwrap(),
        // Of a file with several names, another row may take the place; its members are then told by chance.
        6 if from.is_file() && !to.exists() && from.symlink_metadata().unwrap().nlink() == 1 => {
            fs::rename(&from, &to).unwrap();
            for members in model.members.values_mut() {
                if members.remove(&from) {
                    members.insert(to.clone());
                }
            }
        }
        7 if from.is_file() => {
            fs::remove_file(&from).unwrap();
            for members in model.members.values_mut() {
                members.remove(&from);
            }
        }
        8 if from.parent().unwrap() != root && from.parent().unwrap().is_dir() => {
            let gone = from.parent().unwrap();
            fs::remove_dir_all(gone).unwrap();
            model.members.values_mut().for_each(|members| members.retain(|path| !path.starts_with(gone)));
        }
        _ => {}
    }
}

fn change_sets(disk: &Disk, random: &mut fastrand::Rng, model: &mut Model) {
    let mut paths = Vec::new();
    all_below(disk.root.path(), &mut paths);
    for _ in 0..random.usize(1..5) {
        let (a, b) = (random.usize(0..SETS.len()), random.usize(0..SETS.len()));
        let some: Vec<PathBuf> = (0..3).filter_map(|_| random.choice(&paths).cloned()).collect();
        let members = model.members.entry(a).or_default();
        match random.u8(0..8) {
            0..3 => {
                disk.space.add_paths(SETS[a], &some, &Cancel::default()).unwrap();
                members.extend(some);
            }
            3 => {
                disk.space.remove_paths(SETS[a], &some).unwrap();
                members.retain(|path| !some.contains(path));
            }
            4 => {
                let added = disk.space.add_edge(SETS[a], SETS[b]);
                assert_eq!(added.is_err(), model.below(b).contains(&a), "{a} {b}");
                if added.is_ok() {
                    model.edges.insert((a, b));
                }
            }
            5 => {
                assert_eq!(disk.space.remove_edge(SETS[a], SETS[b]).unwrap(), model.edges.remove(&(a, b)));
            }
            6 => {
                disk.fill(SETS[a], Mode::Replace);
                *members = paths.iter().cloned().collect();
            }
            _ => {
                disk.space.delete_set(SETS[a]).unwrap();
                disk.space.create_set(SETS[a], None).unwrap();
                members.clear();
                model.edges.retain(|(parent, child)| *parent != a && *child != a);
            }
        }
    }
}
