//! The entries of one block of ids, in columns: a condition on the size reads only the sizes, and a million of these take a millisecond.

use std::borrow::Cow;
use std::collections::HashMap;

use casetrack_core::same_text;
use memchr::memmem::Finder;

use super::ids::{BLOCK_BITS, Bits, before};
use crate::entry::Kind;

/// The columns of an entry, without its name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub id: i64,
    /// Which row of its block it is.
    pub place: usize,
    /// The folder that it is in, as a place in [`Folders`](super::image::Folders).
    pub folder: u32,
    /// For a folder, its own place there, or [`NOWHERE`](super::image::NOWHERE).
    pub own: u32,
    pub kind: Kind,
    pub size: u64,
    pub allocated: u64,
    /// Nanoseconds since 1970.
    pub modified: i64,
    pub changed: i64,
    pub device: u64,
    pub inode: u64,
}

/// The entries of one block of ids, in the order of these. A place is the number of a row, from 0. A row takes 69 bytes, its name in lower
/// case, and its name if that differs.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    /// Changes that were counted when it was read.
    pub changes: i64,
    /// The first id that the block can have.
    first: i64,
    present: Bits,
    /// Offsets from the first id.
    ids: Vec<u16>,
    pub folders: Vec<u32>,
    pub owns: Vec<u32>,
    pub kinds: Vec<Kind>,
    pub sizes: Vec<u64>,
    pub allocated: Vec<u64>,
    pub modified: Vec<i64>,
    pub changed: Vec<i64>,
    devices: Vec<u64>,
    inodes: Vec<u64>,
    /// The place of the first row with the same extension.
    alike: Vec<u16>,
    lower: Texts,
    /// Names that differ from those in lower case; else empty.
    cased: Texts,
}

/// A name or path as it is compared where case makes no difference: forms of one text are the same, accents count.
pub(super) fn lower(name: &[u8]) -> Cow<'_, [u8]> {
    match name.is_ascii() {
        true if !name.iter().any(u8::is_ascii_uppercase) => Cow::Borrowed(name),
        true => Cow::Owned(name.to_ascii_lowercase()),
        false => Cow::Owned(same_text::folded(&String::from_utf8_lossy(name)).into_bytes()),
    }
}

impl Block {
    /// Adds an entry, whose id is above all that the block has. Its place is the next one.
    pub fn push(&mut self, row: &Row, name: &[u8]) {
        self.first = row.id >> BLOCK_BITS << BLOCK_BITS;
        self.present.insert(row.id);
        self.ids.push(u16::try_from(row.id - self.first).unwrap_or_default());
        self.folders.push(row.folder);
        self.owns.push(row.own);
        self.kinds.push(row.kind);
        self.sizes.push(row.size);
        self.allocated.push(row.allocated);
        self.modified.push(row.modified);
        self.changed.push(row.changed);
        self.devices.push(row.device);
        self.inodes.push(row.inode);
        self.lower.push(lower(name).iter().copied());
        let differs = self.lower.get(self.ids.len() - 1) != name;
        self.cased.push(name.iter().copied().filter(|_| differs));
    }

    /// Completes the block when all entries are there.
    pub fn completed(mut self, changes: i64) -> Self {
        self.changes = changes;
        let places = 0..u16::try_from(self.ids.len()).unwrap_or(u16::MAX);
        let alike: Vec<u16> = {
            let mut firsts = HashMap::new();
            places.map(|place| *firsts.entry(self.extension(place.into())).or_insert(place)).collect()
        };
        self.alike = alike;
        self.lower.bytes.shrink_to_fit();
        self.cased.bytes.shrink_to_fit();
        self
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn ids(&self) -> &Bits {
        &self.present
    }

    pub fn id(&self, place: usize) -> i64 {
        self.first + i64::from(self.ids.get(place).copied().unwrap_or_default())
    }

    pub fn places(&self, ids: &Bits) -> Bits {
        ids.ranks_in(&self.present)
    }

    /// The row at a place that the block has. When it is inlined, unused columns are not read.
    #[inline(always)]
    pub fn row(&self, place: usize) -> Row {
        fn at<T: Copy>(column: &[T], place: usize, otherwise: T) -> T {
            column.get(place).copied().unwrap_or(otherwise)
        }
        Row {
            id: self.id(place),
            place,
            folder: at(&self.folders, place, 0),
            own: at(&self.owns, place, 0),
            kind: at(&self.kinds, place, Kind::Other),
            size: at(&self.sizes, place, 0),
            allocated: at(&self.allocated, place, 0),
            modified: at(&self.modified, place, 0),
            changed: at(&self.changed, place, 0),
            device: at(&self.devices, place, 0),
            inode: at(&self.inodes, place, 0),
        }
    }

    pub fn rows_of<'a>(&'a self, ids: &Bits) -> impl Iterator<Item = Row> + use<'a> {
        self.places(ids).into_places().map(move |place| self.row(place))
    }

    pub fn rows_in<'a>(&'a self, folders: &'a [bool]) -> impl Iterator<Item = Row> + use<'a> {
        let is_in = move |(_, folder): &(usize, &u32)| folders.get(**folder as usize) == Some(&true);
        self.folders.iter().enumerate().filter(is_in).map(move |(place, _)| self.row(place))
    }

    pub fn name(&self, place: usize) -> &[u8] {
        match self.cased.get(place) {
            [] => self.lower.get(place),
            name => name,
        }
    }

    pub fn lower(&self, place: usize) -> &[u8] {
        self.lower.get(place)
    }

    /// In lower case: the text after the last dot of the name. A name that begins with its only dot has none.
    pub fn extension(&self, place: usize) -> &[u8] {
        let lower = self.lower(place);
        match lower.iter().rposition(|byte| *byte == b'.') {
            Some(dot) if dot > 0 => &lower[dot + 1..],
            _ => &[],
        }
    }

    /// Keeps the rows whose extension passes the test. Each extension is tested once.
    pub fn keep_extensions(&self, places: &mut Bits, is_meant: impl Fn(&[u8]) -> bool) {
        let mut firsts = Bits::default();
        for place in places.iter() {
            firsts.insert_place(usize::from(self.alike[place]));
        }
        firsts.retain(|first| is_meant(self.extension(first)));
        places.keep_where(&self.alike, |first| firsts.has_place(usize::from(first)));
    }

    /// The rows whose names contain a text that is not empty.
    pub fn containing(&self, text: &Finder<'_>, case_sensitive: bool) -> Bits {
        let mut found = self.lower.containing(text);
        if case_sensitive {
            found.retain(|place| self.cased.get(place).is_empty());
            found.unite(&self.cased.containing(text));
        }
        found
    }
}

/// Texts of the rows of a block, one behind the other.
#[derive(Debug, Clone, Default)]
struct Texts {
    bytes: Vec<u8>,
    /// The end of each text, which is the start of the next.
    ends: Vec<u32>,
}

impl Texts {
    fn push(&mut self, text: impl Iterator<Item = u8>) {
        self.bytes.extend(text);
        self.ends.push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    fn get(&self, place: usize) -> &[u8] {
        let end = |place: usize| self.ends.get(place).map_or(0, |end| *end as usize);
        let start = place.checked_sub(1).map_or(0, end);
        self.bytes.get(start..end(place)).unwrap_or_default()
    }

    /// The places of those that contain a text which is not empty. Searching them together is several times as fast as one after another.
    fn containing(&self, text: &Finder<'_>) -> Bits {
        let (mut found, mut place, mut from) = (Bits::default(), 0, 0);
        while let Some(start) = self.bytes.get(from..).and_then(|rest| text.find(rest)).map(|start| from + start) {
            place += before(&self.ends[place..], |end| *end as usize <= start);
            let Some(end) = self.ends.get(place).map(|end| *end as usize) else { break };
            // A match across two texts does not count; the next one may begin before it ends.
            from = start + 1;
            if start + text.needle().len() <= end {
                found.insert_place(place);
                from = end;
            }
        }
        found
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A row with an id, and nothing else.
    pub fn row(id: i64) -> Row {
        Row {
            id,
            place: 0,
            folder: 0,
            own: super::super::image::NOWHERE,
            kind: Kind::File,
            size: 0,
            allocated: 0,
            modified: 0,
            changed: 0,
            device: 1,
            inode: 0,
        }
    }

    #[test]
    fn names_are_found_together_as_one_after_another() {
        let mut random = fastrand::Rng::with_seed(1);
        let part = |random: &mut fastrand::Rng, most: usize| -> String {
            (0..random.usize(1..most)).map(|_| *random.choice(&['a', 'b', 'A', 'É', 'é', '.']).unwrap()).collect()
        };
        for _ in 0..50 {
            let (mut block, mut names) = (Block::default(), Vec::new());
            for id in (0..1 << BLOCK_BITS).filter(|id| id % 7 > 0) {
                let name = part(&mut random, 6);
                block.push(&row(id), name.as_bytes());
                names.push((id, name));
            }
            let block = block.completed(0);
            for (place, (id, name)) in names.iter().enumerate() {
                assert_eq!((block.id(place), block.name(place)), (*id, name.as_bytes()));
                assert_eq!(block.lower(place), name.to_lowercase().as_bytes());
            }
            let text = part(&mut random, 4);
            for case_sensitive in [false, true] {
                let text = if case_sensitive { text.clone() } else { text.to_lowercase() };
                let of = |name: &str| if case_sensitive { name.to_owned() } else { name.to_lowercase() };
                let having: Vec<usize> =
                    (0..names.len()).filter(|place| of(&names[*place].1).contains(&text)).collect();
                let found = block.containing(&Finder::new(&text), case_sensitive);
                assert_eq!(found.iter().collect::<Vec<_>>(), having, "{text} {case_sensitive}");
            }
            let extension = |name: &str| match name.to_lowercase().rsplit_once('.') {
                Some((stem, extension)) if !stem.is_empty() => extension.to_owned(),
                _ => String::new(),
            };
            for wanted in ["a", "éa", ""] {
                let mut kept = block.places(block.ids());
                block.keep_extensions(&mut kept, |extension| extension == wanted.as_bytes());
                let having = (0..names.len()).filter(|place| extension(&names[*place].1) == wanted);
                assert_eq!(kept.iter().collect::<Vec<_>>(), having.collect::<Vec<_>>(), "{wanted}");
            }
        }
    }

    #[test]
    fn forms_of_one_name_are_compared_as_the_same() {
        let names = ["Bestätigung – 1.PDF", "Besta\u{308}tigung - 1.pdf", "ＢＥＳＴÄＴＩＧＵＮＧ－１.pdf"];
        assert_eq!(lower(names[0].as_bytes()), lower(names[1].as_bytes()));
        assert_eq!(&*lower(names[2].as_bytes()), "bestätigung-1.pdf".as_bytes());
        assert_ne!(lower("é".as_bytes()), lower(b"e"));
    }

    #[test]
    fn names_that_are_not_unicode_stay_as_they_are() {
        let mut block = Block::default();
        block.push(&row(5), b"A\xff.TXT");
        let block = block.completed(0);
        assert_eq!(block.name(0), b"A\xff.TXT");
        assert_eq!((block.lower(0), block.extension(0)), ("a\u{fffd}.txt".as_bytes(), &b"txt"[..]));
    }
}
