//! Random histories of files, sets and edges: each sum, count and tree is compared with one that is made from scratch, from the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;

use super::*;

const SETS: [&str; 5] = ["s0", "s1", "s2", "s3", "s4"];

/// The expected sets.
#[derive(Default)]
struct Model {
    members: BTreeMap<usize, BTreeSet<PathBuf>>,
    edges: BTreeSet<(usize, usize)>,
}

impl Model {
    /// A set and those below it, to a depth of edges or all.
    fn below(&self, set: usize, depth: Option<u32>) -> BTreeSet<usize> {
        let mut sets = BTreeSet::from([set]);
        for _ in 0..depth.unwrap_or(SETS.len() as u32) {
            let more: Vec<usize> =
                self.edges.iter().filter(|(parent, _)| sets.contains(parent)).map(|(_, child)| *child).collect();
            sets.extend(more);
        }
        sets
    }

    fn children(&self, set: usize) -> Vec<usize> {
        self.edges.iter().filter(|(parent, _)| *parent == set).map(|(_, child)| *child).collect()
    }

    /// The expected sums of a set and of each of its children.
    fn sums(&self, set: usize, depth: Option<u32>) -> (Totals, Vec<(String, Totals)>) {
        let below = depth.map(|depth| depth.saturating_sub(1));
        let children = if depth == Some(0) { Vec::new() } else { self.children(set) };
        let part = |child: usize| (SETS[child].to_owned(), self.totals(child, below));
        (self.totals(set, depth), children.into_iter().map(part).collect())
    }

    fn totals(&self, set: usize, depth: Option<u32>) -> Totals {
        let paths: BTreeSet<&PathBuf> = self
            .below(set, depth)
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
    for seed in 0..10 {
        let mut disk = Disk::new();
        let mut random = fastrand::Rng::with_seed(seed);
        let mut model = Model::default();
        for set in SETS {
            disk.space.create_set(set, None).unwrap();
        }
        for step in 0..40 {
            for _ in 0..random.usize(1..6) {
                change(disk.root.path(), &mut random, &mut model);
                // One by one: a simultaneous move and replacement cannot be distinguished.
                disk.scan();
            }
            change_sets(&disk, &mut random, &mut model);
            match random.u8(0..10) {
                0 => disk.reopen(),
                1 => disk.space.tidy().unwrap(),
                2 => disk.space.free_after(std::time::Duration::ZERO),
                _ => {}
            }
            let sets = SETS.map(|set| disk.space.set(set).unwrap());
            let counts = disk.space.counts(&sets).unwrap();
            for (number, set) in SETS.into_iter().enumerate() {
                for depth in [None, Some(0), Some(1), Some(2)] {
                    let (totals, parts) = disk.space.sum(set, depth).unwrap();
                    let parts = parts.into_iter().map(|(set, totals)| (set.name, totals)).collect();
                    assert_eq!(
                        (totals, parts),
                        model.sums(number, depth),
                        "seed {seed}, step {step}, {set}, depth {depth:?}"
                    );
                }
                let own = model.totals(number, Some(0)).count;
                assert_eq!(
                    counts[number],
                    (own, model.children(number).len() as u64),
                    "seed {seed}, step {step}, {set}"
                );
            }
            check_tree(&disk, random.usize(1..4), random.bool());
        }
    }
}

/// Compares a tree of the largest entries with the disk. Which of its names a file counts at is left open.
fn check_tree(disk: &Disk, width: usize, by_allocated: bool) {
    let Some(tree) = disk.space.tree(disk.root.path(), 4, width, by_allocated).unwrap() else {
        return;
    };
    let mut content = Vec::new();
    all_below(disk.root.path(), &mut content);
    let mut counted = BTreeSet::new();
    let (mut bytes, mut allocated) = (0, 0);
    for path in &content {
        let metadata = path.symlink_metadata().unwrap();
        if metadata.is_dir() || counted.insert((metadata.dev(), metadata.ino())) {
            bytes += if metadata.is_dir() { 0 } else { metadata.len() };
            allocated += metadata.blocks() * 512;
        }
    }
    assert_eq!((tree.totals.bytes, tree.totals.allocated), (bytes, allocated));
    let mut branches = vec![&tree];
    while let Some(branch) = branches.pop() {
        let mut below = Vec::new();
        if branch.kind == crate::Kind::Folder {
            all_below(&branch.path, &mut below);
            let folders = below.iter().filter(|path| path.symlink_metadata().unwrap().is_dir()).count() as u64;
            // A folder counts itself if it is part of another.
            let itself = u64::from(branch.path != disk.root.path());
            let found = (branch.totals.files, branch.totals.folders);
            assert_eq!(found, (below.len() as u64 - folders, folders + itself), "{}", branch.path.display());
        }
        let is_shown = !branch.children.is_empty();
        let direct = below.iter().filter(|path| path.parent() == Some(&branch.path)).count() as u64;
        if is_shown {
            assert_eq!(branch.children.len() as u64 + branch.others, direct);
            assert!(branch.children.len() <= width);
            let parts = branch.children.iter().map(|child| child.totals).chain([branch.other_totals]);
            assert_eq!(
                parts.map(|part| part.files + part.folders).sum::<u64>() + u64::from(branch.path != disk.root.path()),
                branch.totals.files + branch.totals.folders
            );
            let size = |branch: &Branch| if by_allocated { branch.totals.allocated } else { branch.totals.bytes };
            assert!(branch.children.iter().map(size).rev().is_sorted());
        }
        branches.extend(&branch.children);
    }
}

/// Changes something on the disk, and the expected sets: moved files stay members, deleted ones do not.
fn change(root: &Path, random: &mut fastrand::Rng, model: &mut Model) {
    let folder = |random: &mut fastrand::Rng| {
        let mut path = root.to_owned();
        (0..random.usize(0..3)).for_each(|_| path.push(format!("d{}", random.u8(0..3))));
        path
    };
    let (from, to) =
        (folder(random).join(format!("f{}", random.u8(0..5))), folder(random).join(format!("f{}", random.u8(0..5))));
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    match random.u8(0..12) {
        0..5 => fs::write(&to, vec![b'x'; random.usize(0..20_000)]).unwrap(),
        5 if from.is_file() && !to.exists() => fs::hard_link(&from, &to).unwrap(),
        6 | 7 if from.is_file() && !to.exists() => {
            fs::rename(&from, &to).unwrap();
            model.moved(&from, &to);
        }
        8 if from.is_file() => {
            fs::remove_file(&from).unwrap();
            for members in model.members.values_mut() {
                members.remove(&from);
            }
        }
        9 if from.parent().unwrap() != root && from.parent().unwrap().is_dir() => {
            let gone = from.parent().unwrap();
            fs::remove_dir_all(gone).unwrap();
            model.members.values_mut().for_each(|members| members.retain(|path| !path.starts_with(gone)));
        }
        10 => {
            let (from, to) = (from.parent().unwrap(), root.join(format!("moved {}", random.u8(0..3))));
            if from != root && from.is_dir() && !to.exists() {
                fs::rename(from, &to).unwrap();
                model.moved(from, &to);
            }
        }
        _ => {}
    }
}

impl Model {
    /// A file or folder has another place, with all below it.
    fn moved(&mut self, from: &Path, to: &Path) {
        for members in self.members.values_mut() {
            let place = |path: PathBuf| match path.strip_prefix(from) {
                Ok(rest) if rest.as_os_str().is_empty() => to.to_owned(),
                Ok(rest) => to.join(rest),
                Err(_) => path,
            };
            *members = std::mem::take(members).into_iter().map(place).collect();
        }
    }
}

fn change_sets(disk: &Disk, random: &mut fastrand::Rng, model: &mut Model) {
    let mut paths = Vec::new();
    all_below(disk.root.path(), &mut paths);
    for _ in 0..random.usize(1..5) {
        let (a, b) = (random.usize(0..SETS.len()), random.usize(0..SETS.len()));
        let some: Vec<PathBuf> = (0..3).filter_map(|_| random.choice(&paths).cloned()).collect();
        let members = model.members.entry(a).or_default();
        match random.u8(0..11) {
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
                assert_eq!(added.is_err(), model.below(b, None).contains(&a), "{a} {b}");
                if added.is_ok() {
                    model.edges.insert((a, b));
                }
            }
            5 => {
                assert_eq!(disk.space.remove_edge(SETS[a], SETS[b]).unwrap(), model.edges.remove(&(a, b)));
            }
            6..10 => {
                let mode = *random.choice(&[Mode::Append, Mode::Merge, Mode::Replace, Mode::Remove]).unwrap();
                let start = some.iter().find(|path| path.is_dir()).map_or(disk.root.path(), PathBuf::as_path);
                let depth = *random.choice(&[None, Some(0), Some(1)]).unwrap();
                let is_picked = |path: &&PathBuf| {
                    let below = path.strip_prefix(start).map_or(0, |rest| rest.components().count());
                    below > 0 && depth.is_none_or(|depth| below <= depth + 1)
                };
                let picked: BTreeSet<PathBuf> = paths.iter().filter(is_picked).cloned().collect();
                disk.space.put(SETS[a], &disk.space.pick_in_folder(start, depth).unwrap(), mode).unwrap();
                match mode {
                    Mode::Append | Mode::Merge => members.extend(picked),
                    Mode::Replace => *members = picked,
                    Mode::Remove => members.retain(|path| !picked.contains(path)),
                }
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
