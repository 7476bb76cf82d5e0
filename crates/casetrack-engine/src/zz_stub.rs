use crate::engine::Engine;
use casetrack_core::*;
impl Engine {
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
