//! Renames, closes, archives and reopens collections; `host/state.rs` lists the operations that each state allows.

use casetrack_core::{CollectionId, CollectionMeta, CollectionStatus, Result};

use casetrack_host::Host;
use casetrack_host::changes::Change;
use casetrack_host::collections::check_name_is_free;
use casetrack_host::rights::Role;

/// Renames a collection. Its id and its directory stay.
///
/// Errors: as [`create_collection`] for names; [`ErrorCode::InUse`](casetrack_core::ErrorCode::InUse)
/// while something works with it.
pub(crate) fn rename_collection(host: &Host, id: CollectionId, name: &str) -> Result<CollectionMeta> {
    host.sight().admit_as(id, Role::Owner)?;
    check_name_is_free(host, name, Some(id), "Choose another name.".into())?;
    describe(host, id, |meta| name.clone_into(&mut meta.name))
}

/// Closes, archives or reopens a collection. A collection that already has the state stays unchanged.
///
/// Errors: [`ErrorCode::InUse`](casetrack_core::ErrorCode::InUse) while something works with it.
pub fn set_collection_status(host: &Host, id: CollectionId, status: CollectionStatus) -> Result<CollectionMeta> {
    host.sight().admit_as(id, Role::Owner)?;
    let meta = host.store().meta(id)?;
    if meta.status == status { Ok(meta) } else { describe(host, id, |meta| meta.status = status) }
}

/// The collection is opened again when it is next used.
fn describe(host: &Host, id: CollectionId, change: impl FnOnce(&mut CollectionMeta)) -> Result<CollectionMeta> {
    host.open_collections().close(id)?;
    let mut collection = host.store().open_collection(id)?;
    let mut meta = collection.meta().clone();
    change(&mut meta);
    collection.describe(meta.clone())?;
    drop(collection);
    host.changes().notify(Change::Collection(id));
    Ok(meta)
}

#[cfg(test)]
mod tests {
    use casetrack_core::{CollectionType, ErrorCode, Timestamp};
    use casetrack_store::VectorModels;

    use super::*;
    use crate::jobs::{JobOrigin, JobRequest};
    use crate::watches::{Schedule, WatchRequest};
    use crate::{Engine, collections, verify};
    use casetrack_host::EngineConfig;
    use casetrack_ingest::sync::SyncRequest;

    fn meta(name: &str) -> CollectionMeta {
        CollectionMeta {
            id: CollectionId::random(),
            name: name.to_owned(),
            reference: None,
            collection_type: CollectionType::default(),
            status: CollectionStatus::Active,
            created_at: Timestamp::now(),
        }
    }

    fn engine_with(metas: &[CollectionMeta]) -> (tempfile::TempDir, Engine) {
        let dir = tempfile::tempdir().unwrap();
        let engine = Engine::new(EngineConfig::new(dir.path().join("data"))).unwrap();
        let models = VectorModels { dense: "m".to_owned(), dense_dimension: 2, sparse: None, tokens: None };
        metas.iter().for_each(|meta| drop(engine.host().store().create(meta, &models).unwrap()));
        (dir, engine)
    }

    fn code<T>(result: Result<T>) -> ErrorCode {
        result.map(drop).unwrap_err().code
    }

    #[test]
    fn names_stay_unique() {
        let (acme, globex) = (meta("Acme"), meta("Globex"));
        let (_dir, engine) = engine_with(&[acme.clone(), globex.clone()]);
        assert_eq!(code(engine.rename_collection(acme.id, "GLOBEX")), ErrorCode::AlreadyExists);
        assert_eq!(code(engine.rename_collection(acme.id, " ")), ErrorCode::InvalidArgument);
        set_collection_status(engine.host(), globex.id, CollectionStatus::Archived).unwrap();
        assert_eq!(code(engine.rename_collection(acme.id, "Globex")), ErrorCode::AlreadyExists);
        assert_eq!(engine.rename_collection(acme.id, " ACME ").unwrap().name, "ACME");
        assert_eq!(
            collections::find_collection(engine.host(), "ACME").unwrap(),
            CollectionMeta { name: "ACME".into(), ..acme }
        );
        assert_eq!(engine.rename_collection(globex.id, "Initech").unwrap().status, CollectionStatus::Archived);
    }

    #[test]
    fn each_state_refuses_what_it_should() {
        let acme = meta("Acme");
        let (dir, engine) = engine_with(std::slice::from_ref(&acme));
        let change = || engine.host().collection_to_change(acme.id);
        let job = || {
            let request = JobRequest::SyncFolder(SyncRequest::new(dir.path().to_owned()));
            engine.start_job(acme.id, request, JobOrigin::User)
        };
        let watch = || {
            let folder = dir.path().to_owned();
            let request = WatchRequest {
                folder,
                schedule: Schedule::Manual,
                auto_remove_deleted: false,
                extensions: None,
                tags_from_folders: false,
            };
            engine.watch_folder(acme.id, request)
        };
        let set = |status| set_collection_status(engine.host(), acme.id, status).unwrap();
        change().unwrap();
        for status in [CollectionStatus::Closed, CollectionStatus::Archived] {
            assert_eq!(set(status).status, status);
            assert_eq!(set(status).status, status, "once more");
            assert_eq!([code(change()), code(job()), code(watch())], [ErrorCode::WrongState; 3], "{status:?}");
            let readable = status == CollectionStatus::Closed;
            assert_eq!(engine.host().collection(acme.id).is_ok(), readable, "{status:?}");
            assert_eq!(collections::collection_info(engine.host(), acme.id).is_ok(), readable, "{status:?}");
            let listed = |status| collections::list_collections(engine.host(), Some(status)).unwrap().len();
            assert_eq!((listed(status), listed(CollectionStatus::Active)), (1, 0));
        }
        assert_eq!(code(engine.host().collection(acme.id)), ErrorCode::WrongState);
        assert!(verify::verify(engine.host(), acme.id).unwrap().clean);
        set(CollectionStatus::Active);
        watch().unwrap();
        drop(change().unwrap());
        engine.rename_collection(acme.id, "Acme Corp").unwrap();
        assert_eq!(engine.list_watches(None)[0].collection, "Acme Corp");
        set(CollectionStatus::Archived);
        engine.delete_collection(acme.id).unwrap();
    }

    #[test]
    fn a_collection_in_use_keeps_its_state() {
        let acme = meta("Acme");
        let (_dir, engine) = engine_with(std::slice::from_ref(&acme));
        let held = engine.host().collection(acme.id).unwrap();
        assert_eq!(code(set_collection_status(engine.host(), acme.id, CollectionStatus::Closed)), ErrorCode::InUse);
        assert_eq!(code(engine.rename_collection(acme.id, "Other")), ErrorCode::InUse);
        drop(held);
        set_collection_status(engine.host(), acme.id, CollectionStatus::Closed).unwrap();
    }
}
