//! The catalogue in memory, for sums and queries about sets. It takes about 100 bytes an entry, is read once, and is then brought up to
//! date block by block.

use std::collections::{BTreeMap, HashMap};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, params};

use super::block::{Block, Row, lower};
use super::ids::{BLOCK_BITS, Ids};
use crate::entry::Kind;
use crate::paths;

/// The block that counts changes of folders.
const FOLDERS: i64 = -1;

pub(super) const NOWHERE: u32 = u32::MAX;

/// The folders that have rows. Each keeps its place while it is known.
#[derive(Debug, Clone, Default)]
pub(super) struct Folders {
    changes: i64,
    pub paths: Vec<Arc<[u8]>>,
    /// Their paths in lower case, with a separator at the end.
    pub lower: Vec<Arc<[u8]>>,
    /// The place of the nearest known folder around each, or [`NOWHERE`].
    pub parents: Vec<u32>,
    /// The places of all known folders, parents before children.
    pub order: Vec<u32>,
    /// Places by ids of the catalogue.
    by_id: HashMap<i64, u32>,
    by_path: HashMap<Arc<[u8]>, u32>,
}

impl Folders {
    /// Reads all; those that are known keep their places.
    fn read(&self, connection: &Connection, changes: i64) -> rusqlite::Result<Self> {
        let mut folders = Self {
            changes,
            paths: self.paths.clone(),
            lower: self.lower.clone(),
            parents: vec![NOWHERE; self.paths.len()],
            ..Self::default()
        };
        // A path is longer than its parent's.
        let mut rows = connection.prepare("SELECT id, path FROM files.folders ORDER BY length(path)")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let (id, bytes): (i64, &[u8]) = (row.get(0)?, row.get_ref(1)?.as_blob()?);
            let place = match self.by_id.get(&id) {
                Some(place) => *place,
                None => {
                    let Ok(place) = u32::try_from(folders.paths.len()) else { break };
                    folders.paths.push(bytes.into());
                    folders.lower.push(in_lower_case(bytes));
                    folders.parents.push(NOWHERE);
                    place
                }
            };
            let around = folders.around(bytes);
            if let Some(parent) = folders.parents.get_mut(place as usize) {
                *parent = around;
            }
            folders.by_id.insert(id, place);
            folders.by_path.insert(Arc::clone(&folders.paths[place as usize]), place);
            folders.order.push(place);
        }
        Ok(folders)
    }

    /// True if most places are of folders that are gone.
    fn is_worn(&self) -> bool {
        self.paths.len() > 1_000 && self.order.len() < self.paths.len() / 2
    }

    /// The nearest known folder around a path.
    fn around(&self, path: &[u8]) -> u32 {
        let mut rest = path;
        while let Some(end) = rest.iter().rposition(|byte| *byte == MAIN_SEPARATOR as u8) {
            // The root folder is only a separator.
            let outer = &path[..end.max(1)];
            if outer.len() >= rest.len() {
                break;
            }
            if let Some(place) = self.by_path.get(outer) {
                return *place;
            }
            rest = outer;
        }
        NOWHERE
    }

    pub fn at(&self, path: &[u8]) -> Option<u32> {
        self.by_path.get(path).copied()
    }

    pub fn path(&self, place: u32) -> &[u8] {
        self.paths.get(place as usize).map_or(&[], |path| path)
    }

    fn own(&self, folder: u32, kind: Kind, name: &[u8]) -> u32 {
        match kind {
            Kind::Folder => self.at(&paths::joined(self.path(folder), name)).unwrap_or(NOWHERE),
            _ => NOWHERE,
        }
    }
}

/// All entries that the catalogue has, as of one moment.
#[derive(Debug, Clone, Default)]
pub(super) struct Image {
    pub folders: Arc<Folders>,
    pub blocks: BTreeMap<i64, Arc<Block>>,
}

impl Image {
    /// Reads changes since this image was made. Costs about a microsecond for each entry of a block that changed.
    pub fn refresh(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        add_blocks(connection)?;
        // One moment for all that is read.
        let moment = connection.unchecked_transaction()?;
        let changes: Vec<(i64, i64)> = moment
            .prepare("SELECT block, changes FROM files.touched")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let of_folders = changes.iter().find(|(block, _)| *block == FOLDERS).map_or(0, |(_, changes)| *changes);
        if self.folders.paths.is_empty() || self.folders.changes != of_folders {
            if self.folders.is_worn() {
                *self = Self::default();
            }
            self.folders = Arc::new(self.folders.read(&moment, of_folders)?);
            self.find_folders();
        }
        let mut rows = moment.prepare(
            "SELECT id, folder, name, kind, size, allocated, modified, changed, device, inode FROM files.entries
            WHERE id >= ? AND id < ? ORDER BY id",
        )?;
        for (block, changes) in changes.into_iter().filter(|(block, _)| *block != FOLDERS) {
            if self.blocks.get(&block).is_some_and(|known| known.changes == changes) {
                continue;
            }
            let mut read = Block::default();
            let mut rows = rows.query(params![block << BLOCK_BITS, (block + 1) << BLOCK_BITS])?;
            while let Some(row) = rows.next()? {
                self.add(row, &mut read)?;
            }
            self.blocks.insert(block, Arc::new(read.completed(changes)));
        }
        drop(rows);
        moment.commit()
    }

    fn find_folders(&mut self) {
        for block in self.blocks.values_mut() {
            let own = |place: usize| self.folders.own(block.folders[place], block.kinds[place], block.name(place));
            let owns: Vec<u32> = (0..block.len()).map(own).collect();
            if owns != block.owns {
                Arc::make_mut(block).owns = owns;
            }
        }
    }

    fn add(&self, row: &rusqlite::Row<'_>, block: &mut Block) -> rusqlite::Result<()> {
        let Some(folder) = self.folders.by_id.get(&row.get::<_, i64>(1)?).copied() else { return Ok(()) };
        let name = row.get_ref(2)?.as_blob()?;
        let kind = Kind::from_number(row.get(3)?);
        let read = Row {
            id: row.get(0)?,
            place: block.len(),
            folder,
            own: self.folders.own(folder, kind, name),
            kind,
            size: row.get::<_, i64>(4)?.unsigned_abs(),
            allocated: row.get::<_, i64>(5)?.unsigned_abs(),
            modified: row.get(6)?,
            changed: row.get(7)?,
            device: row.get::<_, i64>(8)?.cast_unsigned(),
            inode: row.get::<_, i64>(9)?.cast_unsigned(),
        };
        block.push(&read, name);
        Ok(())
    }

    pub fn ids(&self) -> Ids {
        Ids::of_blocks(self.blocks.iter().map(|(number, block)| (*number, block.ids())))
    }

    pub fn path(&self, block: &Block, place: usize) -> PathBuf {
        let folder = block.folders.get(place).map_or(&[][..], |folder| self.folders.path(*folder));
        paths::from_bytes(paths::joined(folder, block.name(place)))
    }
}

pub(super) fn number(connection: &Connection, path: &Path) -> rusqlite::Result<Option<i64>> {
    use rusqlite::OptionalExtension;
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
    connection
        .prepare(
            "SELECT e.id FROM files.entries e JOIN files.folders f ON f.id = e.folder WHERE f.path = ? AND e.name = ?",
        )?
        .query_row(params![paths::bytes(parent), name.as_encoded_bytes()], |row| row.get(0))
        .optional()
}

fn in_lower_case(path: &[u8]) -> Arc<[u8]> {
    lower(&paths::joined(path, b"")).into()
}

/// Makes the catalogue count the changes of blocks that it does not count yet.
fn add_blocks(connection: &Connection) -> rusqlite::Result<()> {
    let last: i64 =
        connection.query_row("SELECT coalesce(max(id), 0) >> 12 FROM files.entries", [], |row| row.get(0))?;
    let counted: i64 =
        connection.query_row("SELECT count(*) FROM files.touched WHERE block >= 0", [], |row| row.get(0))?;
    if counted > last {
        return Ok(());
    }
    connection.execute(
        "WITH RECURSIVE blocks (block) AS (SELECT 0 UNION ALL SELECT block + 1 FROM blocks WHERE block < ?)
        INSERT OR IGNORE INTO files.touched SELECT block, 0 FROM blocks",
        [last],
    )?;
    Ok(())
}
