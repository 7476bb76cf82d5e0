//! Choosing entries of the catalogue, and putting them into sets.

use std::path::{Path, PathBuf};

use casetrack_core::{Cancel, Result};

use super::block::{Block, Row};
use super::ids::Ids;
use super::image::number;
use super::{Change, Condition, Mode, SetQuery, Space};
use crate::entry::Kind;
use crate::paths;
use crate::scan::Problem;

/// Entries of the catalogue, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection(Ids);

impl Selection {
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn unite(&mut self, other: &Self) {
        self.0.unite(&other.0);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedFile {
    /// Its number in the catalogue, which it keeps when it moves.
    pub id: i64,
    /// Nanoseconds since 1970: when its content last changed.
    pub modified: i64,
    pub path: PathBuf,
}

impl Space {
    /// The entries below a folder, to a depth (0 is the direct children) or all. Empty for a folder that the catalogue lacks.
    pub fn pick_in_folder(&self, folder: &Path, max_depth: Option<usize>) -> Result<Selection> {
        let image = self.image()?;
        let Some(start) = image.folders.at(paths::bytes(folder)) else { return Ok(Selection::default()) };
        let (below, prefix) = (image.below(&[start]), paths::below(folder));
        let is_deep =
            |row: &Row| max_depth.is_some_and(|max| paths::folder_depth(&prefix, image.folders.path(row.folder)) > max);
        Ok(Selection(image.rows_in(&below).filter(|row| !is_deep(row)).map(|row| row.id).collect()))
    }

    /// The entries of a set, with the sets below it.
    ///
    /// Errors: a set that does not exist.
    pub fn pick_in_set(&self, name: &str) -> Result<Selection> {
        Ok(Selection(self.members_with_children(&self.set(name)?, None)?))
    }

    /// Single paths. Paths that the catalogue lacks are read now; the missing ones are returned.
    pub fn pick_paths(&self, paths: &[PathBuf], cancel: &Cancel) -> Result<(Selection, Vec<Problem>)> {
        let problems = self.catalog.look_at(paths, cancel)?;
        let ids = self.read(|connection| {
            paths.iter().filter_map(|path| number(connection, path).transpose()).collect::<rusqlite::Result<Ids>>()
        })?;
        Ok((Selection(ids), problems))
    }

    /// All entries that a query finds on any page, as the catalogue describes them.
    ///
    /// Errors: a set that does not exist.
    pub fn pick_matching(&self, query: &SetQuery<'_>, cancel: &Cancel) -> Result<Selection> {
        let set = self.set(query.set)?;
        let ids = self.members_with_children(&set, (!query.children).then_some(0))?;
        self.admitted(&Selection(ids), &query.condition, cancel)
    }

    pub fn admitted(&self, selection: &Selection, condition: &Condition, cancel: &Cancel) -> Result<Selection> {
        let image = self.image()?;
        let judge = condition.judge(&image);
        let mut ids = Ids::default();
        for (block, bits) in image.blocks_of(&selection.0) {
            cancel.check()?;
            let mut places = block.places(bits);
            judge.keep(&image, block, &mut places);
            for place in places.into_places() {
                ids.insert(block.id(place));
            }
        }
        Ok(Selection(ids))
    }

    /// Puts entries into a set, and creates it if there is none.
    ///
    /// Errors: a name that no set can have.
    pub fn put(&self, name: &str, selection: &Selection, mode: Mode) -> Result<Change> {
        self.make_set(name)?;
        self.apply(name, &selection.0, mode)
    }

    pub fn files_of(&self, selection: &Selection) -> Result<Vec<SelectedFile>> {
        self.of_kind(selection, Kind::File)
    }

    /// The symbolic links among the entries.
    pub fn links_of(&self, selection: &Selection) -> Result<Vec<PathBuf>> {
        Ok(self.of_kind(selection, Kind::Link)?.into_iter().map(|file| file.path).collect())
    }

    fn of_kind(&self, selection: &Selection, kind: Kind) -> Result<Vec<SelectedFile>> {
        let image = self.image()?;
        let of_kind = image.members_in(&selection.0).filter(|(_, row)| row.kind == kind);
        let file = |(block, row): (&Block, Row)| SelectedFile {
            id: row.id,
            modified: row.modified,
            path: image.path(block, row.place),
        };
        Ok(of_kind.map(file).collect())
    }
}
