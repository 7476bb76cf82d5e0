use crate::engine::Engine;
use casetrack_core::*;
impl Engine {
    pub fn sync(
        &self,
        _: CollectionId,
        _: &crate::sync::SyncRequest,
        _: &ProgressSink,
        _: &Cancel,
    ) -> Result<crate::sync::SyncReport> {
        Err(Error::internal("stub"))
    }
    pub fn reindex(
        &self,
        _: CollectionId,
        _: &crate::reindex::ReindexRequest,
        _: &ProgressSink,
        _: &Cancel,
    ) -> Result<crate::reindex::ReindexReport> {
        Err(Error::internal("stub"))
    }
}
