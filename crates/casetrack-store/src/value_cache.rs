//! The values of a vault that were opened last, so that each hit on a page does not decrypt the page again: as RocksDB keeps blocks of plain collections.

use std::sync::{Arc, Mutex, PoisonError};

use casetrack_core::Result;
use lru::LruCache;

use crate::schema::cf;

/// Bytes that are kept for each open vault, sealed and opened ones together.
const MOST_BYTES: usize = 32 << 20;
/// Most bytes of one value. A longer one would push out too many others.
const MOST_OF_ONE: usize = MOST_BYTES / 16;

/// Opened values by their sealed bytes: a value that was changed on the disk is opened again, and detected.
#[derive(Default)]
pub(crate) struct ValueCache(Mutex<CachedValues>);

struct CachedValues {
    values: LruCache<ValueKey, CachedValue>,
    bytes: usize,
}

/// Family and key.
type ValueKey = (String, Box<[u8]>);

struct CachedValue {
    sealed: Box<[u8]>,
    value: Arc<Vec<u8>>,
}

impl ValueCache {
    /// The value that `open` makes of `sealed`, or made of the same bytes at this place before.
    pub fn get_or(
        &self,
        family: &str,
        key: &[u8],
        sealed: &[u8],
        open: impl FnOnce() -> Result<Vec<u8>>,
    ) -> Result<Arc<Vec<u8>>> {
        if !is_kept(family) || sealed.len() > MOST_OF_ONE {
            return open().map(Arc::new);
        }
        let place = (family.to_owned(), key.into());
        if let Some(known) = self.kept().values.get(&place).filter(|known| *known.sealed == *sealed) {
            return Ok(Arc::clone(&known.value));
        }
        let value = Arc::new(open()?);
        if value.len() <= MOST_OF_ONE {
            self.kept().keep(place, CachedValue { sealed: sealed.into(), value: Arc::clone(&value) });
        }
        Ok(value)
    }

    /// Nothing that fails leaves it half changed.
    fn kept(&self) -> std::sync::MutexGuard<'_, CachedValues> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedValues {
    fn keep(&mut self, place: ValueKey, known: CachedValue) {
        self.bytes += known.bytes();
        if let Some((_, before)) = self.values.push(place, known) {
            self.bytes -= before.bytes();
        }
        while self.bytes > MOST_BYTES
            && let Some((_, oldest)) = self.values.pop_lru()
        {
            self.bytes -= oldest.bytes();
        }
    }
}

impl Default for CachedValues {
    fn default() -> Self {
        Self { values: LruCache::unbounded(), bytes: 0 }
    }
}

impl CachedValue {
    fn bytes(&self) -> usize {
        self.sealed.len() + self.value.len()
    }
}

impl std::fmt::Debug for ValueCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Opened(***)")
    }
}

/// Families whose values several passages share. Everything else is read once for each.
fn is_kept(family: &str) -> bool {
    matches!(family, cf::DOCUMENTS | cf::PAGES | cf::PAGE_TEXT | cf::PAGE_LAYOUT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_opened_once_until_its_bytes_change() {
        let opened = ValueCache::default();
        let read = |family, sealed: &[u8]| {
            let mut calls = 0;
            let value = opened.get_or(family, b"key", sealed, || {
                calls += 1;
                Ok(sealed.repeat(2))
            });
            (value.unwrap().to_vec(), calls)
        };
        assert_eq!(read(cf::PAGE_TEXT, b"ab"), (b"abab".to_vec(), 1));
        assert_eq!(read(cf::PAGE_TEXT, b"ab"), (b"abab".to_vec(), 0));
        assert_eq!(read(cf::PAGE_TEXT, b"cd"), (b"cdcd".to_vec(), 1));
        assert_eq!(read(cf::PAGES, b"cd"), (b"cdcd".to_vec(), 1));
        assert_eq!((read(cf::CHUNKS, b"ab").1, read(cf::CHUNKS, b"ab").1), (1, 1));
        assert!(opened.get_or(cf::PAGE_TEXT, b"other", b"ab", || Err(crate::error::corrupt("no".to_owned()))).is_err());
    }

    #[test]
    fn what_is_kept_has_a_limit_and_the_oldest_goes_first() {
        let opened = ValueCache::default();
        let sealed = vec![7; MOST_OF_ONE / 2];
        let is_read = |number: u8| {
            let mut is_read = false;
            let value = opened.get_or(cf::PAGE_TEXT, &[number], &sealed, || {
                is_read = true;
                Ok(sealed.clone())
            });
            assert_eq!(*value.unwrap(), sealed);
            is_read
        };
        assert!((0..40).all(is_read));
        assert!(!is_read(39) && is_read(0));
        assert!(opened.kept().bytes <= MOST_BYTES);
    }
}
