//! The catalogue of files of a data directory.

use std::sync::{Arc, Mutex};

use casetrack_catalog::Catalog;
use casetrack_core::Result;

use super::{Host, lock};

/// Name of its folder in the data directory.
const FOLDER: &str = "catalog";

/// Opened when it is first needed.
#[derive(Default)]
pub(super) struct OpenCatalog(Mutex<Option<Arc<Catalog>>>);

impl Host {
    pub fn catalog(&self) -> Result<Arc<Catalog>> {
        let mut open = lock(&self.shared.catalog.0);
        if let Some(catalog) = &*open {
            return Ok(Arc::clone(catalog));
        }
        let catalog = Arc::new(Catalog::open(&self.config.data_dir.join(FOLDER))?);
        Ok(Arc::clone(open.insert(catalog)))
    }

    pub fn has_catalog(&self) -> bool {
        self.config.data_dir.join(FOLDER).exists()
    }
}
