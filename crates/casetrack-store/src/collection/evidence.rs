//! The evidence that users collect, in one value: a tray changes as a whole, and its order is a part of it.

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::{Error, Result};

use super::LocalCollection;
use crate::codec::encode;
use crate::schema::{EVIDENCE_KEY, cf};

impl LocalCollection {
    /// The evidence; an empty tray where there is none. Exports hold it.
    ///
    /// Errors: [`ErrorCode::Corrupt`](casetrack_core::ErrorCode::Corrupt) where it is not what was written.
    pub fn evidence(&self) -> Result<EvidenceTray> {
        self.truth.reader().evidence()
    }

    /// Changes the evidence in one step, in which nobody else changes it. Where `change` fails, nothing is changed. Durable when it returns.
    pub fn change_evidence<T>(&self, change: impl FnOnce(&mut EvidenceTray) -> Result<T>) -> Result<T> {
        let _state = self.writer();
        let mut tray = self.truth.reader().evidence()?;
        let changed = change(&mut tray)?;
        tray.check().map_err(|error| Error::internal(error.message))?;
        let mut batch = self.truth.batch();
        batch.put(cf::META, EVIDENCE_KEY, encode(&tray)?)?;
        self.truth.write_durably(batch)?;
        Ok(changed)
    }
}
