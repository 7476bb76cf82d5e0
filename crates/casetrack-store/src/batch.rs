//! Changes that are made together, with the keys and values of the callers.

use casetrack_core::Result;
use rocksdb::WriteBatch;

use crate::truth::Truth;

/// A batch for one store. It seals keys and values if that store is sealed.
pub(crate) struct Batch<'t> {
    truth: &'t Truth,
    changes: WriteBatch,
}

impl Truth {
    pub fn batch(&self) -> Batch<'_> {
        Batch { truth: self, changes: WriteBatch::default() }
    }

    /// A batch with room for about this many bytes: one that grows has its bytes twice meanwhile.
    pub fn batch_for(&self, bytes: usize) -> Batch<'_> {
        Batch { truth: self, changes: WriteBatch::with_capacity_bytes(bytes) }
    }
}

impl Batch<'_> {
    pub fn put(&mut self, family: &str, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<()> {
        let (key, seal) = (key.as_ref(), self.truth.seal());
        let value = seal.seal_value(family, key, value.as_ref())?;
        self.changes.put_cf(self.truth.cf(family)?, seal.key(family, key), value);
        Ok(())
    }

    pub fn delete(&mut self, family: &str, key: impl AsRef<[u8]>) -> Result<()> {
        self.changes.delete_cf(self.truth.cf(family)?, self.truth.seal().key(family, key.as_ref()));
        Ok(())
    }

    /// Deletes a half-open range of keys, in a family whose keys are the same when sealed.
    pub fn delete_range(&mut self, family: &str, from: impl AsRef<[u8]>, to: impl AsRef<[u8]>) -> Result<()> {
        self.changes.delete_range_cf(self.truth.cf(family)?, from.as_ref(), to.as_ref());
        Ok(())
    }
}

impl From<Batch<'_>> for WriteBatch {
    fn from(batch: Batch<'_>) -> Self {
        batch.changes
    }
}
