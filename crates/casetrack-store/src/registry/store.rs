//! The collections of a data directory, as a store. Each method is the one of the same name.

use casetrack_core::{CollectionId, CollectionMeta, Error, Result, Timestamp};

use super::Registry;
use crate::archive::Archive;
use crate::collection::Counts;
use crate::manifest::VectorModels;
use crate::store::{Collection, Store};

impl Store for Registry {
    fn scan(&self) -> Result<(Vec<CollectionMeta>, Vec<Error>)> {
        Registry::scan(self)
    }

    fn meta(&self, id: CollectionId) -> Result<CollectionMeta> {
        Registry::meta(self, id)
    }

    fn counts_and_last_change(&self, id: CollectionId) -> Result<(Counts, Option<Timestamp>)> {
        Registry::counts_and_last_change(self, id)
    }

    fn create(&self, meta: &CollectionMeta, models: &VectorModels) -> Result<Collection> {
        Registry::create(self, meta, models)
    }

    fn open_collection(&self, id: CollectionId) -> Result<Collection> {
        Registry::open_collection(self, id)
    }

    fn import(&self, archive: &mut Archive, meta: &CollectionMeta) -> Result<Collection> {
        Registry::import(self, archive, meta)
    }

    fn delete(&self, id: CollectionId) -> Result<()> {
        Registry::delete(self, id)
    }

    fn prepare(&self, meta: &CollectionMeta, models: &VectorModels) -> Result<Collection> {
        Registry::prepare(self, meta, models)
    }

    fn publish(&self, id: CollectionId) -> Result<()> {
        Registry::publish(self, id)
    }

    fn discard(&self, id: CollectionId) -> Result<bool> {
        Registry::discard(self, id)
    }
}
