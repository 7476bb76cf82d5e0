//! Rights over a whole engine.

use std::collections::HashMap;
use std::sync::Mutex;

use casetrack_core::{CollectionMeta, CollectionStatus, CollectionType, Timestamp};
use casetrack_store::VectorModels;

use std::sync::Arc;

use casetrack_core::{CollectionId, ErrorCode, Result};

use crate::jobs::{JobOrigin, JobRequest};
use crate::{Engine, EngineConfig, collections, upkeep};
use casetrack_host::access::Access;
use casetrack_host::changes::Change;
use casetrack_host::rights::*;
use casetrack_ingest::IngestRequest;

/// Rights that a test gives and takes.
#[derive(Default)]
struct Given(Mutex<HashMap<CollectionId, Role>>);

impl Rights for Given {
    fn user(&self) -> &str {
        "anna"
    }

    fn role(&self, collection: CollectionId) -> Option<Role> {
        self.0.lock().unwrap().get(&collection).copied()
    }

    fn has_disk(&self) -> bool {
        false
    }

    fn made(&self, collection: CollectionId) -> Result<()> {
        self.0.lock().unwrap().insert(collection, Role::Owner);
        Ok(())
    }
}

#[test]
fn a_role_that_is_too_low_is_refused_and_none_is_as_if_there_were_no_collection() {
    let (given, id) = (Arc::new(Given::default()), CollectionId::random());
    let code = |needed| Sight::of(given.clone(), Role::Reader).admit_as(id, needed).map_err(|error| error.code);
    assert_eq!(code(Role::Reader), Err(ErrorCode::NotFound));
    given.0.lock().unwrap().insert(id, Role::Editor);
    assert_eq!((code(Role::Reader), code(Role::Editor)), (Ok(()), Ok(())));
    assert_eq!(code(Role::Owner), Err(ErrorCode::AccessDenied));
    // The purpose of an engine counts as well.
    let owning = Sight::of(given.clone(), Role::Owner);
    assert_eq!(owning.admit(id).unwrap_err().code, ErrorCode::AccessDenied);
    assert_eq!(owning.admit_as(id, Role::Reader).unwrap_err().code, ErrorCode::AccessDenied);
    assert!(Sight::default().admit_as(id, Role::Owner).is_ok());
}

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

#[test]
fn an_engine_of_a_user_knows_no_collection_without_a_role() {
    let dir = tempfile::tempdir().unwrap();
    let all = Engine::new(EngineConfig::new(dir.path().join("data"))).unwrap();
    let (acme, globex) = (meta("Acme"), meta("Globex"));
    let models = VectorModels { dense: "m".to_owned(), dense_dimension: 2, sparse: None, tokens: None };
    for meta in [&acme, &globex] {
        all.host().store().create(meta, &models).unwrap();
    }
    let given = Arc::new(Given::default());
    let sight = Sight::of(given.clone(), Role::Reader);
    let access = Access::default().with_uploads_in(&dir.path().join("data/collections"));
    let access = access.for_user(sight.clone(), &[dir.path().join("open")]);
    let of_user = all.with_config(EngineConfig { sight, access, ..all.host().config().clone() });
    let heard = Arc::new(Mutex::new(Vec::new()));
    let _listening = of_user.on_change({
        let heard = heard.clone();
        move |change| heard.lock().unwrap().push(change)
    });
    given.0.lock().unwrap().insert(acme.id, Role::Reader);
    assert_eq!(collections::collections(of_user.host()).unwrap(), std::slice::from_ref(&acme));
    assert_eq!(collections::sole_collection(of_user.host()).unwrap().unwrap().id, acme.id);
    assert_eq!(upkeep::status(of_user.host()).unwrap().collections, 1);
    assert_eq!(collections::sole_collection(all.host()).unwrap(), None);
    // By name, by id and by its beginning: as a missing collection.
    for name in ["Globex", &globex.id.to_string(), &globex.id.to_string()[..8]] {
        let (hidden, missing) =
            (collections::find_collection(of_user.host(), name).unwrap_err(), "nothing of the kind");
        let other = collections::find_collection(of_user.host(), missing).unwrap_err();
        assert_eq!(hidden.code, ErrorCode::NotFound);
        assert_eq!(hidden.full_text().replace(name, "?"), other.full_text().replace(missing, "?"));
    }
    // The engine opens none by id either.
    assert_eq!(of_user.host().collection(globex.id).err().unwrap().code, ErrorCode::NotFound);
    assert_eq!(of_user.host().collection_to_change(acme.id).err().unwrap().code, ErrorCode::AccessDenied);
    let code = |result: Result<CollectionMeta>| result.unwrap_err().code;
    assert_eq!(
        code(upkeep::set_collection_status(of_user.host(), globex.id, CollectionStatus::Closed)),
        ErrorCode::NotFound
    );
    assert_eq!(code(of_user.rename_collection(acme.id, "New")), ErrorCode::AccessDenied);
    assert_eq!(of_user.delete_collection(acme.id).unwrap_err().code, ErrorCode::AccessDenied);
    // Names that others have are free, and their changes are not reported.
    given.0.lock().unwrap().insert(acme.id, Role::Owner);
    all.rename_collection(globex.id, "Globex 2").unwrap();
    assert!(heard.lock().unwrap().is_empty());
    assert_eq!(of_user.rename_collection(acme.id, "globex 2").unwrap().name, "globex 2");
    assert_eq!(*heard.lock().unwrap(), [Change::Collection(acme.id)]);
    assert_eq!(all.rename_collection(globex.id, "GLOBEX 2").unwrap_err().code, ErrorCode::AlreadyExists);

    // Files: in folders that are open, and uploads into collections that are seen.
    let place = |name: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "text").unwrap();
        path
    };
    let checked = |path: &std::path::Path| of_user.host().config().access.check(path).is_ok();
    let upload = |id: CollectionId| format!("data/collections/{id}/uploads/a.txt");
    assert!(checked(&place("open/a.txt")) && checked(&place(&upload(acme.id))));
    for name in [upload(globex.id), format!("data/collections/{}/a.txt", acme.id), "a.txt".into(), "open/id_rsa".into()]
    {
        assert!(!checked(&place(&name)), "{name}");
    }
    // The content of a collection may be shown for any place of its file, except files that are denied to all.
    let shown = |name: &str| of_user.host().config().access.clone().for_nobody().check(&dir.path().join(name)).is_ok();
    assert!(shown("a.txt") && !shown("open/id_rsa"));
    let refused = |path: std::path::PathBuf| {
        let error = of_user.host().config().access.check(&path).unwrap_err();
        error.full_text().replace(&path.display().to_string(), "?")
    };
    assert_eq!(refused(dir.path().join("a.txt")), refused(dir.path().join("missing.txt")));
    let job = JobRequest::IngestDocument(IngestRequest::new(vec![dir.path().join("a.txt")]));
    let started = of_user.start_job(acme.id, job, JobOrigin::User);
    assert_eq!(started.err().unwrap().code, ErrorCode::AccessDenied);
}
