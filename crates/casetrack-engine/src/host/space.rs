//! What users made of the catalogue of files: resource sets, sources and plans.

use std::sync::{Arc, Mutex};

use casetrack_catalog::space::Space;
use casetrack_core::Result;

use super::{Host, lock};

/// Opened when it is first needed.
#[derive(Default)]
pub(super) struct OpenSpace(Mutex<Option<Arc<Space>>>);

impl Host {
    pub(crate) fn space(&self) -> Result<Arc<Space>> {
        let mut open = lock(&self.shared.space.0);
        if let Some(space) = &*open {
            return Ok(Arc::clone(space));
        }
        let space = Arc::new(Space::open(self.catalog()?)?);
        Ok(Arc::clone(open.insert(space)))
    }
}
