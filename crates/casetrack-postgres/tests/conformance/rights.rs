//! Rights of roles. A collection to which a role has no right is for it as one that is not there, whatever it calls.

use std::fmt::Debug;
use std::time::Duration;

use casetrack_conformance::samples::{
    assert_clean, collection_meta, document, many, models, passage, relocation, results, sparse_vector, vector, with_id,
};
use casetrack_core::{CollectionId, DocumentId, ErrorCode, Result};
use casetrack_postgres::PostgresStore;
use casetrack_store::{
    Archive, Collection, Conditions, ExportOptions, Filter, Right, SharedStore, Store, StoredDocument, WorkFilter,
};
use fastrand::Rng;

use crate::on_postgres;
use crate::server::Database;

/// A role that may use the store, and the store as it sees it.
fn client(administrator: &PostgresStore, database: &Database, name: &str, creates: bool) -> (String, PostgresStore) {
    let (role, address) = database.role(name);
    administrator.admit(&role, creates).unwrap();
    let files = std::env::temp_dir().join("casetrack-rights");
    let store = PostgresStore::connect(&address, &files).unwrap();
    (role, store)
}

fn code<T>(result: Result<T>) -> ErrorCode {
    result.err().expect("refused").code
}

/// Collects a text of a document as evidence.
fn collect(collection: &Collection, stored: &StoredDocument) -> Result<()> {
    collection.change_evidence(|tray| {
        tray.items.push(passage(stored, "Clause 0"));
        Ok(())
    })
}

fn names(store: &PostgresStore) -> Vec<String> {
    store.scan().unwrap().0.into_iter().map(|meta| meta.name).collect()
}

#[test]
fn rights_take_effect_at_once() {
    let Some((administrator, (database, _files))) = on_postgres() else { return };
    let meta = collection_meta("Matter");
    let collection = administrator.create(&meta, &models()).unwrap();
    let documents = many(8, 3);
    documents.iter().for_each(|stored| collection.put_document(stored).unwrap());
    let (anna, annas) = client(&administrator, &database, "anna", false);
    let (ben, bens) = client(&administrator, &database, "ben", true);
    assert_eq!(names(&annas), [""; 0]);
    assert_eq!(code(annas.open_collection(meta.id)), ErrorCode::NotFound);
    assert_eq!(code(annas.rights(meta.id)), ErrorCode::NotFound);
    assert_eq!(code(annas.grant(meta.id, &anna, Right::Owner)), ErrorCode::NotFound);

    administrator.grant(meta.id, &anna, Right::Reader).unwrap();
    assert_eq!(names(&annas), ["Matter"]);
    let mut opened = annas.open_collection(meta.id).unwrap();
    assert_eq!(results(&opened), results(&collection));
    assert_eq!(opened.counts().unwrap(), collection.counts().unwrap());
    assert_eq!(opened.chunks(documents[2].meta.id).unwrap(), documents[2].chunks);
    assert!(opened.stats().unwrap().stored_bytes() > 0);
    assert_clean(&opened);
    opened.flush().unwrap();
    let new = document("/data/new.txt", &["A new clause about common matters."]);
    for refused in [
        code(opened.put_document(&new)),
        code(opened.delete_document(documents[0].meta.id)),
        code(opened.relocate_documents(&[relocation(documents[0].meta.id, "/elsewhere.txt")])),
        code(opened.change_marks(&[documents[0].meta.id], |_, marks| marks.add_tag("tag"))),
        code(collect(&opened, &documents[0])),
        code(opened.compact()),
        code(opened.rebuild_indexes()),
        code(opened.describe(meta.clone())),
        code(annas.delete(meta.id)),
        code(annas.grant(meta.id, &ben, Right::Reader)),
        code(annas.create(&collection_meta("Own"), &models())),
    ] {
        assert_eq!(refused, ErrorCode::PermissionDenied);
    }

    administrator.grant(meta.id, &anna, Right::Editor).unwrap();
    opened.put_document(&new).unwrap();
    opened.compact().unwrap();
    assert_eq!(collection.counts().unwrap().documents, 9);
    let mut renamed = meta.clone();
    renamed.name = "Renamed".into();
    assert_eq!(code(opened.describe(renamed.clone())), ErrorCode::PermissionDenied);
    assert_eq!(code(annas.delete(meta.id)), ErrorCode::PermissionDenied);
    assert_eq!(collection.counts().unwrap().documents, 9);

    administrator.grant(meta.id, &anna, Right::Owner).unwrap();
    opened.describe(renamed).unwrap();
    annas.grant(meta.id, &ben, Right::Reader).unwrap();
    let mut rights = annas.rights(meta.id).unwrap();
    rights.retain(|(role, _)| *role == anna || *role == ben);
    assert_eq!(rights, [(anna.clone(), Right::Owner), (ben.clone(), Right::Reader)]);
    assert_eq!(code(annas.grant(meta.id, "nobody_of_that_name", Right::Reader)), ErrorCode::NotFound);
    assert_eq!(code(annas.admit(&ben, true)), ErrorCode::PermissionDenied);
    assert_eq!(code(annas.admitted()), ErrorCode::PermissionDenied);
    let mut admitted = administrator.admitted().unwrap();
    admitted.retain(|(role, _)| *role == anna || *role == ben);
    assert_eq!(admitted, [(anna.clone(), false), (ben.clone(), true)]);
    assert_eq!(names(&bens), ["Renamed"]);

    // What ben makes is his.
    let own = bens.create(&collection_meta("Ben's"), &models()).unwrap();
    own.put_document(&new).unwrap();
    own.flush().unwrap();
    assert_eq!(names(&annas), ["Renamed"]);
    assert_eq!(names(&administrator), ["Renamed", "Ben's"]);
    assert_eq!(own.versions()[0].1, 1, "changes of others are not counted");

    // A role has the rights of the roles that it is a member of.
    database.run(&format!("GRANT {anna} TO {ben}"));
    bens.open_collection(meta.id).unwrap().put_document(&with_id(new.meta.id, "/data/new.txt", &["Again."])).unwrap();
    database.run(&format!("REVOKE {anna} FROM {ben}"));

    let bens_own = bens.open_collection(meta.id).unwrap();
    assert_eq!(bens_own.versions().len(), 9);
    annas.revoke(meta.id, &ben).unwrap();
    assert_eq!(code(annas.revoke(meta.id, &ben)), ErrorCode::NotFound);
    assert_eq!(code(bens_own.counts()), ErrorCode::NotFound);
    assert!(bens_own.versions().is_empty());
    assert_eq!(names(&bens), ["Ben's"]);
    administrator.dismiss(&ben).unwrap();
    assert_eq!(code(bens.scan()), ErrorCode::PermissionDenied);
    annas.delete(meta.id).unwrap();
    assert_eq!(names(&administrator), ["Ben's"]);
}

/// One random call of the store or of a collection, and its result.
fn call(random: &mut Rng, store: &PostgresStore, collection: &mut Collection, known: &CallInputs) -> String {
    let meta = collection.meta().clone();
    let id = meta.id;
    let stored = random.choice(&known.documents).unwrap();
    let document = stored.meta.id;
    let page = random.u32(0..3);
    let index = random.u32(0..4);
    let k = random.usize(0..20);
    let text = *random.choice(&["common matters", "word3x1", "clause documnt", "Clause 2 about", ""]).unwrap();
    let documents = [None, Some(vec![document])][random.usize(0..2)].clone();
    let filter = Filter { documents: documents.clone(), ..Filter::default() };
    let conditions = Conditions {
        documents,
        min_confidence: [None, Some(0.5)][random.usize(0..2)],
        chunks: [None, Some(vec![(document, index)])][random.usize(0..2)].clone(),
        ..Conditions::default()
    };
    let target = known.files.path().join(format!("{}.ctcollection", random.u64(..)));
    match random.u32(0..CALLS) {
        0 => shown(
            store
                .scan()
                .map(|(metas, errors)| (metas.into_iter().map(|meta| meta.name).collect::<Vec<_>>(), errors.len())),
        ),
        1 => shown(store.meta(id)),
        2 => shown(store.counts_and_last_change(id)),
        3 => shown(store.create(&meta, &models()).map(|_| ())),
        4 => shown(store.open_collection(id).map(|_| ())),
        5 => shown(store.import(&mut Archive::open(&known.archive).unwrap(), &meta).map(|_| ())),
        6 => shown(store.delete(id)),
        7 => {
            let all = WorkFilter { prefixes: vec![String::new()], ..WorkFilter::default() };
            let offered = store.offer(id, &["work".to_owned()], &|_, _| Ok(Vec::new()));
            let taken = store.take(id, &all, 1, Duration::from_secs(1));
            shown((store.rights(id), offered, taken, store.work_left(id, &all)))
        }
        8 => shown(store.grant(id, &known.role, Right::Owner)),
        9 => shown((store.revoke(id, &known.role), store.watch(id, None).map(|_| ()))),
        10 => shown(collection.describe(meta)),
        11 => shown(collection.leave_models_open()),
        12 => shown(collection.adopt_sparse_model("test-sparse")),
        13 => shown(collection.columns()),
        14 => shown(collection.set_columns(&serde_json::json!({"a": 1}))),
        15 => shown(collection.evidence()),
        16 => shown(collect(collection, stored)),
        17 => shown(collection.counts()),
        18 => shown(collection.counts_and_last_change()),
        19 => shown(collection.index_progress()),
        20 => shown(collection.disk_usage()),
        21 => shown(collection.stats()),
        22 => shown(collection.put_document(stored)),
        23 => shown(collection.put_documents(&[stored, stored])),
        24 => shown(collection.delete_document(document)),
        25 => shown(collection.relocate_documents(&[relocation(document, "/elsewhere.txt")])),
        26 => shown(collection.change_marks(&[document], |_, marks| marks.add_tag("tag"))),
        27 => shown(collection.documents()),
        28 => shown(collection.documents_as_stored()),
        29 => shown(collection.versions()),
        30 => shown(collection.catalogue().map(|found| found.len())),
        31 => shown(collection.document(document)),
        32 => shown(collection.document_by_path(&stored.meta.path)),
        33 => shown(collection.documents_by_sha256(stored.meta.sha256)),
        34 => shown(collection.page(document, page)),
        35 => shown(collection.page_text(document, page, 0..9)),
        36 => shown(collection.page_blocks(document, page)),
        37 => shown(collection.page_origin(document, page)),
        38 => shown(collection.bates(document)),
        39 => shown(collection.page_changes(document, page)),
        40 => shown(collection.page_hidden(document, page)),
        41 => shown(collection.chunk(stored.chunks[0].id)),
        42 => shown(collection.chunk_at(document, index)),
        43 => shown(collection.chunk_range(document, 0..index)),
        44 => shown(collection.chunk_spans(document)),
        45 => shown(collection.chunks_on_pages(document, 1..=page)),
        46 => shown(collection.vector_at(document, index)),
        47 => shown(collection.vectors(document)),
        48 => shown(collection.sparse_vectors(document)),
        49 => shown(collection.has_sparse_vectors(document)),
        50 => shown(collection.token_vectors_at(document, index)),
        51 => shown(collection.annotations(document)),
        52 => shown(collection.passages().with_id(stored.chunks[0].id)),
        53 => shown(collection.search_bm25(text, k, &filter)),
        54 => shown(collection.search_dense(&vector(text), k, &filter)),
        55 => shown(collection.search_sparse(&sparse_vector(text), k, &filter)),
        56 => shown(collection.select(&conditions).map(|selection| collection.places(&selection))),
        57 => shown(collection.term_weights(text)),
        58 => shown(collection.corrections(text)),
        59 => shown(collection.name_matches(text, k)),
        60 => shown(collection.memo("name")),
        61 => shown(collection.keep_memo("name", b"memo")),
        62 => shown(collection.flush()),
        63 => shown(collection.rebuild_indexes()),
        64 => shown(collection.compact()),
        65 => shown(collection.verify()),
        66 => {
            shown(collection.export(&target, &ExportOptions::default()).map(|report| (report.documents, report.chunks)))
        }
        67 => shown(collection.observe(Box::new(|_, _| {}))),
        68 => shown(collection.places(&known.selection)),
        _ => shown((collection.has_failed(), collection.models_are_open(), collection.is_vault())),
    }
}

const CALLS: u32 = 70;

fn shown(what: impl Debug) -> String {
    format!("{what:?}")
}

struct CallInputs {
    role: String,
    documents: Vec<StoredDocument>,
    selection: casetrack_store::Selection,
    files: tempfile::TempDir,
    archive: std::path::PathBuf,
}

/// Without the differences between two collections that were made alike.
fn alike(answer: &str, id: CollectionId) -> String {
    answer.replace(&id.to_string(), "the collection")
}

#[test]
fn without_a_right_a_collection_is_as_one_that_is_not_there() {
    let Some((administrator, (database, _files))) = on_postgres() else { return };
    let (role, store) = client(&administrator, &database, "carla", false);
    let documents = many(6, 3);
    let own_meta = collection_meta("Own");
    let own = administrator.create(&own_meta, &models()).unwrap();
    own.put_document(&document("/own.txt", &["An own document."])).unwrap();
    administrator.grant(own_meta.id, &role, Right::Reader).unwrap();
    let files = tempfile::tempdir().unwrap();
    let archive = files.path().join("a.ctcollection");
    own.export(&archive, &ExportOptions::default()).unwrap();

    // Two alike, which the role has open and knows much of already. Then one is deleted, and the role may not see the other.
    let meta = collection_meta("Secret");
    let (mut opened, mut secret) = (Vec::new(), None);
    for id in [meta.id, CollectionId::random()] {
        let mut own = meta.clone();
        own.id = id;
        let collection = administrator.create(&own, &models()).unwrap();
        documents.iter().for_each(|stored| collection.put_document(stored).unwrap());
        administrator.grant(id, &role, Right::Owner).unwrap();
        let theirs = store.open_collection(id).unwrap();
        results(&theirs);
        theirs.select(&Conditions { min_confidence: Some(0.5), ..Conditions::default() }).unwrap();
        opened.push(theirs);
        secret.get_or_insert(collection);
    }
    let selection = opened[0].select(&Conditions::default()).unwrap();
    let known = CallInputs { role: role.clone(), documents, selection, files, archive };
    let [mut hidden, mut gone] = <[Collection; 2]>::try_from(opened).ok().unwrap();
    administrator.revoke(meta.id, &role).unwrap();
    administrator.delete(gone.meta().id).unwrap();
    let before = secret.as_ref().map(|secret| (results(secret), secret.versions(), secret.counts().unwrap())).unwrap();
    for seed in 0..1000 {
        let answers = [&mut hidden, &mut gone].map(|collection| {
            let answer = call(&mut Rng::with_seed(seed), &store, collection, &known);
            alike(&answer, collection.meta().id)
        });
        assert_eq!(answers[0], answers[1], "seed {seed}");
    }
    let secret = secret.unwrap();
    assert_eq!((results(&secret), secret.versions(), secret.counts().unwrap()), before);
    assert_eq!(names(&administrator), ["Own", "Secret"]);
    assert_clean(&secret);
}

#[test]
fn no_statement_passes_over_the_policies() {
    let Some((administrator, (database, _files))) = on_postgres() else { return };
    let (role, address) = database.role("dora");
    administrator.admit(&role, true).unwrap();
    let meta = collection_meta("Secret");
    let collection = administrator.create(&meta, &models()).unwrap();
    let documents = many(6, 3);
    documents.iter().for_each(|stored| collection.put_document(stored).unwrap());
    collection.compact().unwrap();
    documents.iter().take(3).for_each(|stored| collection.put_document(stored).unwrap());
    administrator.offer(meta.id, &["a.pdf".to_owned()], &|_, _| Ok(Vec::new())).unwrap();
    let sql = |address: &str| postgres::Client::connect(address, postgres::NoTls).unwrap();
    let tables: Vec<(String, bool)> = sql(&database.address)
        .query("SELECT relname::text, relrowsecurity FROM pg_class WHERE relnamespace = 'casetrack'::regnamespace AND relkind IN ('r', 'v', 'm')", &[])
        .unwrap()
        .iter()
        .map(|row| (row.get(0), row.get(1)))
        .collect();
    // Tables that are the same for all.
    let open = ["layout", "migrations"];
    let mut client = sql(&address);
    for (table, is_secured) in &tables {
        assert_eq!(!open.contains(&table.as_str()), *is_secured, "{table}");
        if open.contains(&table.as_str()) {
            assert!(client.execute(&format!("DELETE FROM casetrack.{table}"), &[]).is_err(), "{table}");
            continue;
        }
        let all = sql(&database.address).query_one(&format!("SELECT count(*) FROM casetrack.{table}"), &[]).unwrap();
        assert!(all.get::<_, i64>(0) > 0, "{table} is empty, so that nothing is tested");
        if let Ok(row) = client.query_one(&format!("SELECT count(*) FROM casetrack.{table}"), &[]) {
            assert_eq!(row.get::<_, i64>(0), 0, "{table}");
        }
        let copied = client.execute(&format!("INSERT INTO casetrack.{table} SELECT * FROM casetrack.{table}"), &[]);
        assert!(copied.is_err() || copied.is_ok_and(|rows| rows == 0), "{table}");
        for statement in ["DELETE FROM", "TRUNCATE"] {
            let changed = client.execute(&format!("{statement} casetrack.{table}"), &[]);
            assert!(changed.is_err() || changed.is_ok_and(|rows| rows == 0), "{table}");
        }
    }
    let id = meta.id.to_string();
    for call in ["level_of", "next_change"] {
        let row = client.query_one(&format!("SELECT coalesce(casetrack.{call}('{id}'), 0)::bigint"), &[]).unwrap();
        assert_eq!(row.get::<_, i64>(0), 0, "{call}");
    }
    for call in [format!("sizes('{id}')"), format!("rights('{id}')"), "admitted()".into()] {
        assert!(client.query(&format!("SELECT casetrack.{call}"), &[]).unwrap().is_empty(), "{call}");
    }
    // Nothing is stored for a collection of others, and no right is taken.
    let bucket = format!("INSERT INTO casetrack.buckets (route, collection, bucket) VALUES (1, '{id}', 77)");
    assert!(client.execute(&bucket, &[]).unwrap_err().to_string().contains("db error"));
    assert!(client.execute(&format!("SELECT casetrack.admit('{role}', true)"), &[]).is_err());
    let taken = client.query_one(&format!("SELECT casetrack.set_right('{id}', '{role}', 3)"), &[]).unwrap();
    assert_eq!(taken.get::<_, i32>(0), 0);
    assert_eq!(collection.counts().unwrap().documents, 6);
    assert_clean(&collection);
    let ids: Vec<DocumentId> = collection.documents().unwrap().into_iter().map(|meta| meta.id).collect();
    assert_eq!(ids.len(), 6);
}
