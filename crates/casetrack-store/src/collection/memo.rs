//! What callers derived from the documents and can derive again.

use casetrack_core::Result;

use super::LocalCollection;
use crate::codec::{decode, encode};
use crate::schema::{MEMO_KEY, cf};

impl LocalCollection {
    /// What was kept under a name; `None` where nothing was, or it was lost. Exports leave it behind, and so does a repair that changes
    /// anything.
    pub fn memo(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.truth.meta(&key(name))?.map(|value| decode("memo", &value)).transpose()
    }

    /// Keeps something under a name, in the place of what had it. A power failure may lose it.
    pub fn keep_memo(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let mut batch = self.truth.batch();
        batch.put(cf::META, key(name), encode(&bytes)?)?;
        self.truth.write_lazily(batch)
    }
}

fn key(name: &str) -> Vec<u8> {
    [&[MEMO_KEY], name.as_bytes()].concat()
}
