//! Collections of the store that is tested, for one test.

use std::ops::{Deref, DerefMut};

pub use casetrack_store::Store;
use casetrack_store::{Archive, Collection, ExportOptions, VectorModels};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};

pub use crate::samples::{
    DIMENSION, assert_clean, assert_eq_results, collection_meta, document, many, models, passage, relocation, results,
    sparse_vector, vector, with_id,
};

pub struct Opened<'s> {
    store: &'s dyn Store,
    collection: Collection,
}

pub fn new_collection(store: &dyn Store) -> Opened<'_> {
    new_collection_of(store, &models())
}

/// An empty collection of vectors of some models.
pub fn new_collection_of<'s>(store: &'s dyn Store, models: &VectorModels) -> Opened<'s> {
    Opened { store, collection: store.create(&collection_meta("Test"), models).unwrap() }
}

impl<'s> Opened<'s> {
    /// The collection, after it was closed.
    pub fn reopened(self) -> Opened<'s> {
        let (store, id) = (self.store, self.meta().id);
        drop(self);
        Opened { store, collection: store.open_collection(id).unwrap() }
    }

    /// A collection of what [`Collection::export`] writes of this one.
    pub fn exported_and_imported(&self) -> Opened<'s> {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("a.ctcollection");
        let report = self.export(&file, &ExportOptions::default()).unwrap();
        let counts = self.counts().unwrap();
        assert_eq!((report.documents, report.pages, report.chunks), (counts.documents, counts.pages, counts.chunks));
        let mut archive = Archive::open(&file).unwrap();
        let imported = self.store.import(&mut archive, &collection_meta("Imported")).unwrap();
        Opened { store: self.store, collection: imported }
    }
}

impl Deref for Opened<'_> {
    type Target = Collection;

    fn deref(&self) -> &Collection {
        &self.collection
    }
}

impl DerefMut for Opened<'_> {
    fn deref_mut(&mut self) -> &mut Collection {
        &mut self.collection
    }
}

/// Checks random values. A failure reports the smallest one that was found.
pub fn for_each<S: Strategy>(strategy: S, cases: u32, check: impl Fn(S::Value)) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let checked = TestRunner::new(config).run(&strategy, |value| {
        check(value);
        Ok(())
    });
    checked.unwrap_or_else(|failure| panic!("{failure}"));
}
