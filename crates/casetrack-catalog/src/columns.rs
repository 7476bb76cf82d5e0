//! Metadata of a file as the database keeps it.

use rusqlite::{Params, Row};

use crate::entry::{Facts, Kind};
use crate::time::Time;

/// Device and inode are the same bits as a signed number. The `accessed` of a folder is always 0: each walk changes it, so a query for it reads the
/// folder.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub(crate) struct Columns {
    kind: i64,
    size: i64,
    allocated: i64,
    modified: i64,
    changed: i64,
    created: Option<i64>,
    accessed: i64,
    pub device: i64,
    pub inode: i64,
}

impl Columns {
    /// Their names, in order.
    pub const NAMES: &str = "kind, size, allocated, modified, changed, created, accessed, device, inode";

    /// The parameters of a statement: all of them, a folder, a name and a number.
    pub fn with<'p>(self, folder: i64, name: &'p [u8], last: i64) -> impl Params + 'p {
        let Self { kind, size, allocated, modified, changed, created, accessed, device, inode } = self;
        (kind, size, allocated, modified, changed, created, accessed, device, inode, folder, name, last)
    }

    pub fn of(facts: &Facts) -> Self {
        let size = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        Self {
            kind: facts.kind.number(),
            size: size(facts.size),
            allocated: size(facts.allocated),
            modified: facts.modified.stored(),
            changed: facts.changed.stored(),
            created: facts.created.map(Time::stored),
            accessed: if facts.kind == Kind::Folder { 0 } else { facts.accessed.stored() },
            device: facts.device.cast_signed(),
            inode: facts.inode.cast_signed(),
        }
    }

    /// Reads them from the columns of a row from `first` on.
    pub fn read(row: &Row<'_>, first: usize) -> rusqlite::Result<Self> {
        Ok(Self {
            kind: row.get(first)?,
            size: row.get(first + 1)?,
            allocated: row.get(first + 2)?,
            modified: row.get(first + 3)?,
            changed: row.get(first + 4)?,
            created: row.get(first + 5)?,
            accessed: row.get(first + 6)?,
            device: row.get(first + 7)?,
            inode: row.get(first + 8)?,
        })
    }

    /// Each of them, in bytes: other columns have other bytes.
    pub fn bytes(&self) -> [u8; 80] {
        let Self { kind, size, allocated, modified, changed, created, accessed, device, inode } = *self;
        let is_created = i64::from(created.is_some());
        let created = created.unwrap_or_default();
        let numbers = [kind, size, allocated, modified, changed, is_created, created, accessed, device, inode];
        let mut bytes = [0; 80];
        for (part, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            part.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    pub fn is_folder(&self) -> bool {
        self.kind == Kind::Folder.number()
    }

    pub fn facts(&self) -> Facts {
        Facts {
            kind: Kind::from_number(self.kind),
            size: self.size.unsigned_abs(),
            allocated: self.allocated.unsigned_abs(),
            modified: Time::from_stored(self.modified),
            changed: Time::from_stored(self.changed),
            created: self.created.map(Time::from_stored),
            accessed: Time::from_stored(self.accessed),
            device: self.device.cast_unsigned(),
            inode: self.inode.cast_unsigned(),
        }
    }
}
