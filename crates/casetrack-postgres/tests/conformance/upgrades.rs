use casetrack_conformance::samples::{assert_clean, collection_meta, many, models, results};
use casetrack_core::ErrorCode;
use casetrack_postgres::PostgresStore;
use casetrack_store::{Filter, Right, SharedStore, Store};
use postgres::{Client, NoTls};

use crate::on_postgres;
use crate::server::{Database, workers};

/// Four documents in a database of the first migration, as they were written then. It is what earlier versions left, and stays as it is.
const FIRST: &str = include_str!("first.sql");

/// A database of the first migration with these documents, after the migrations that are named.
fn of_an_earlier_version(later: &[&str]) -> Option<Database> {
    let database = Database::new()?;
    database.run(
        "CREATE SCHEMA casetrack; SET search_path = casetrack, public; \
         CREATE TABLE migrations (number integer PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now())",
    );
    let run = |statements: &str| database.run(&format!("SET search_path = casetrack, public; {statements}"));
    run(include_str!("../../migrations/0001.sql"));
    run(&format!("INSERT INTO migrations (number) VALUES (1); {FIRST}"));
    for (number, migration) in (2..).zip(later) {
        run(&format!("{migration}; INSERT INTO migrations (number) VALUES ({number})"));
    }
    Some(database)
}

#[test]
fn a_database_of_the_first_migration_keeps_everything() {
    of_an_earlier_version(&[]).iter().for_each(keeps_everything);
}

#[test]
fn a_database_of_the_second_migration_keeps_everything() {
    of_an_earlier_version(&[include_str!("../../migrations/0002.sql")]).iter().for_each(keeps_everything);
}

/// The rights that the second version lacked if tables are distributed. Citus takes them one by one.
const UNSHARED: [&str; 8] = [
    "DO $$ DECLARE p record; BEGIN \
         FOR p IN SELECT polname, polrelid::regclass AS t FROM pg_policy \
             WHERE pg_get_expr(coalesce(polqual, polwithcheck), polrelid) LIKE '%holds%' LOOP \
             EXECUTE format('DROP POLICY %I ON %s', p.polname, p.t); \
             EXECUTE format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', p.t); \
         END LOOP; \
     END $$",
    "DROP FUNCTION casetrack.holds",
    "DROP FUNCTION casetrack.share_grants CASCADE",
    "DROP FUNCTION casetrack.share_member CASCADE",
    "DROP TABLE casetrack.shared",
    "DROP FUNCTION casetrack.admitted",
    "DROP FUNCTION casetrack.make_buckets",
    "DELETE FROM casetrack.migrations WHERE number = 3",
];

#[test]
fn tables_that_were_distributed_without_rights_get_them() {
    if workers().is_empty() {
        return;
    }
    let (store, (database, files)) = on_postgres().unwrap();
    let collection = store.create(&collection_meta("Matter"), &models()).unwrap();
    let documents = many(5, 3);
    documents.iter().for_each(|stored| collection.put_document(stored).unwrap());
    drop((collection, store));
    UNSHARED.iter().for_each(|statement| database.run(statement));
    let store = PostgresStore::connect(&database.address, files.path()).unwrap();
    let id = store.scan().unwrap().0[0].id;
    let (role, address) = database.role("anna");
    store.admit(&role, true).unwrap();
    let annas = PostgresStore::connect(&address, files.path()).unwrap();
    assert_eq!(annas.open_collection(id).err().map(|error| error.code), Some(ErrorCode::NotFound));
    store.grant(id, &role, Right::Editor).unwrap();
    let opened = annas.open_collection(id).unwrap();
    documents.iter().for_each(|stored| opened.put_document(stored).unwrap());
    assert_eq!(results(&opened), results(&store.open_collection(id).unwrap()));
    assert_clean(&opened);
    annas.create(&collection_meta("Own"), &models()).unwrap();
}

fn keeps_everything(database: &Database) {
    let files = tempfile::tempdir().unwrap();
    let store = PostgresStore::connect(&database.address, files.path()).unwrap();
    assert_eq!(store.admitted().unwrap(), []);
    let (metas, problems) = store.scan().unwrap();
    let [meta] = &metas[..] else { panic!("{metas:?} {problems:?}") };
    assert_eq!((meta.name.as_str(), problems.len()), ("First", 0));
    let collection = store.open_collection(meta.id).unwrap();
    assert_clean(&collection);
    let documents = collection.documents().unwrap();
    assert_eq!(documents.len(), 4);
    for (n, meta) in (1..).zip(&documents) {
        assert_eq!(meta.path, format!("/tmp/leases/lease{n}.txt"));
        let page = collection.page(meta.id, 1).unwrap().unwrap();
        assert_eq!(
            page.text.trim(),
            format!("Lease {n}. The rent of unit {n} is due on day {n} of each month. Notice takes {n} weeks.")
        );
        let all = Filter::default();
        let vector = collection.vector_at(meta.id, 0).unwrap().unwrap();
        let sparse = collection.sparse_vectors(meta.id).unwrap()[0].1.clone();
        for hits in [
            collection.search_dense(&vector, 1, &all).unwrap(),
            collection.search_sparse(&sparse, 4, &all).unwrap(),
            collection.search_keywords(format!("\"unit {n}\"").into(), 4, &all).unwrap(),
        ] {
            assert!(hits.iter().any(|hit| (hit.document, hit.index) == (meta.id, 0)), "{hits:?}");
        }
    }
    let tags = |n: usize| documents[n].marks.tags.clone();
    assert_eq!((tags(0), tags(1)), (Vec::new(), vec!["key".to_owned()]));
    let evidence = collection.evidence().unwrap();
    assert_eq!(evidence.items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>(), ["Notice takes 3 weeks"]);
    // It continues to count, and the owner of the tables owns the collection.
    let before = collection.versions().into_iter().map(|(_, version)| version).max();
    let whole = collection.whole(documents[0].id).unwrap().unwrap();
    collection.put_document(&whole).unwrap();
    let after = collection.versions().into_iter().map(|(_, version)| version).max();
    assert!(after > before, "{after:?} after {before:?}");
    assert_clean(&collection);
    store.create(&collection_meta("Second"), &models()).unwrap();
    assert_eq!(store.scan().unwrap().0.len(), 2);
    store.delete(meta.id).unwrap();
}

#[test]
fn a_newer_database_is_refused_and_stays_as_it_is() {
    let Some((store, (database, files))) = on_postgres() else { return };
    store.create(&collection_meta("Test"), &models()).unwrap();
    let newest = |change: &str| -> i32 {
        let mut client = Client::connect(&database.address, NoTls).unwrap();
        client.batch_execute(change).unwrap();
        client.query_one("SELECT max(number) FROM casetrack.migrations", &[]).unwrap().get(0)
    };
    let own = newest("");
    newest("INSERT INTO casetrack.migrations (number) SELECT max(number) + 1 FROM casetrack.migrations");
    let error = PostgresStore::connect(&database.address, files.path()).err().expect("it is newer");
    assert_eq!(error.code, ErrorCode::NewerSchema);
    let said = error.full_text();
    assert!(said.contains(&format!("schema {}; this version knows {own}", own + 1)), "{said}");
    assert!(said.contains("Update CaseTrack") && said.contains("Nothing was changed"), "{said}");
    assert_eq!(newest(""), own + 1);
    newest("DELETE FROM casetrack.migrations WHERE number = (SELECT max(number) FROM casetrack.migrations)");
    let again = PostgresStore::connect(&database.address, files.path()).unwrap();
    assert_eq!(again.scan().unwrap().0.len(), 1);
}
