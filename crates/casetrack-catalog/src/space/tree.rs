//! Space that a folder takes on the disk, as a tree of the largest parts.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use casetrack_core::Result;

use super::block::{Block, Row};
use super::image::{Image, NOWHERE};
use super::{Space, Totals};
use crate::entry::Kind;
use crate::paths;

/// A folder or file and its space, with the largest of its contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    pub path: PathBuf,
    pub kind: Kind,
    /// With all below it, without itself. A file with several names counts at one of them.
    pub totals: Totals,
    /// The largest first.
    pub children: Vec<Branch>,
    /// Number of entries in it that are not among `children`, with all below them.
    pub others: u64,
    pub other_totals: Totals,
}

impl Space {
    /// The space of a folder, to a depth of levels (1 is its children), with the `width` largest entries of each folder. `None` if the
    /// catalogue lacks the folder. Costs about 0.2 seconds for a million entries, and 10 milliseconds more for each level.
    pub fn tree(&self, start: &Path, depth: usize, width: usize, by_allocated: bool) -> Result<Option<Branch>> {
        let image = self.image()?;
        let Some(place) = image.folders.at(paths::bytes(start)) else { return Ok(None) };
        let below = image.below(&[place]);
        let (sums, second_names) = sums(&image, &below);
        let builder = TreeBuilder { image: &image, sums: &sums, second_names: &second_names, width, by_allocated };
        Ok(Some(builder.build(start, place, depth)))
    }

    /// The totals of everything below a folder; zero if the catalogue lacks it.
    pub fn totals_below(&self, folder: &Path) -> Result<Totals> {
        let image = self.image()?;
        let Some(place) = image.folders.at(paths::bytes(folder)) else { return Ok(Totals::default()) };
        let (sums, _) = sums(&image, &image.below(&[place]));
        Ok(sums.get(place as usize).copied().unwrap_or_default())
    }
}

/// The totals of each folder with all below it, by places, and the entries that are another name of a counted file.
fn sums(image: &Image, below: &[bool]) -> (Vec<Totals>, HashSet<i64>) {
    let mut sums = vec![Totals::default(); image.folders.paths.len()];
    let (mut counted, mut second_names) = (HashSet::new(), HashSet::new());
    for row in image.rows_in(below) {
        let is_first = row.kind != Kind::File || row.inode == 0 || counted.insert((row.device, row.inode));
        if !is_first {
            second_names.insert(row.id);
        }
        if let Some(sum) = sums.get_mut(row.folder as usize) {
            sum.add(&own(&row, is_first));
        }
    }
    for place in image.folders.order.iter().rev() {
        let parent = image.folders.parents[*place as usize];
        let is_within = |place: u32| below.get(place as usize).copied().unwrap_or_default();
        if is_within(*place) && parent != NOWHERE && is_within(parent) {
            let sum = sums[*place as usize];
            sums[parent as usize].add(&sum);
        }
    }
    (sums, second_names)
}

/// The space of an entry itself.
fn own(row: &Row, is_first: bool) -> Totals {
    let is_folder = row.kind == Kind::Folder;
    let taken = |number: u64| if is_first { number } else { 0 };
    Totals {
        count: 1,
        files: u64::from(!is_folder),
        folders: u64::from(is_folder),
        bytes: if is_folder { 0 } else { taken(row.size) },
        allocated: taken(row.allocated),
    }
}

impl Totals {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.files += other.files;
        self.folders += other.folders;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.allocated = self.allocated.saturating_add(other.allocated);
    }
}

struct TreeBuilder<'a> {
    image: &'a Image,
    sums: &'a [Totals],
    second_names: &'a HashSet<i64>,
    width: usize,
    by_allocated: bool,
}

type Child<'a> = (Totals, &'a Block, Row);

impl TreeBuilder<'_> {
    fn build(&self, start: &Path, place: u32, depth: usize) -> Branch {
        let totals = self.sums.get(place as usize).copied().unwrap_or_default();
        let mut top = branch(start.to_owned(), Kind::Folder, totals);
        let mut level = vec![(&mut top, place)];
        for _ in 0..depth {
            let mut found = self.children(&level);
            let mut next = Vec::new();
            for (branch, place) in level {
                let mut children = found.remove(&place).unwrap_or_default();
                children
                    .sort_by(|a, b| self.size(&b.0).cmp(&self.size(&a.0)).then_with(|| self.name(a).cmp(self.name(b))));
                let others = children.split_off(children.len().min(self.width));
                branch.others = others.len() as u64;
                others.iter().for_each(|(totals, ..)| branch.other_totals.add(totals));
                let places: Vec<u32> = children.iter().map(|(.., row)| row.own).collect();
                let made = children
                    .into_iter()
                    .map(|(totals, block, row)| self::branch(self.image.path(block, row.place), row.kind, totals));
                branch.children = made.collect();
                next.extend(branch.children.iter_mut().zip(places).filter(|(_, place)| *place != NOWHERE));
            }
            level = next;
        }
        top
    }

    fn children(&self, level: &[(&mut Branch, u32)]) -> BTreeMap<u32, Vec<Child<'_>>> {
        let mut wanted = vec![false; self.image.folders.paths.len()];
        level.iter().for_each(|(_, place)| wanted[*place as usize] = true);
        let mut found: BTreeMap<u32, Vec<Child<'_>>> = BTreeMap::new();
        let blocks = self.image.blocks.values();
        for (block, row) in blocks.flat_map(|block| block.rows_in(&wanted).map(move |row| (&**block, row))) {
            let mut totals = own(&row, !self.second_names.contains(&row.id));
            if let Some(below) = self.sums.get(row.own as usize) {
                totals.add(below);
            }
            found.entry(row.folder).or_default().push((totals, block, row));
        }
        found
    }

    fn size(&self, totals: &Totals) -> u64 {
        if self.by_allocated { totals.allocated } else { totals.bytes }
    }

    fn name<'b>(&self, child: &Child<'b>) -> &'b [u8] {
        child.1.name(child.2.place)
    }
}

fn branch(path: PathBuf, kind: Kind, totals: Totals) -> Branch {
    Branch { path, kind, totals, children: Vec::new(), others: 0, other_totals: Totals::default() }
}
