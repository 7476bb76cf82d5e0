//! A collection in PostgreSQL, and over several machines by Citus, compared with the same one on disk: the speed of
//! both in taking documents and answering, and their size.
//!
//!     stores [--chunks 100000] [--queries 100] [--dir DIR]
//!
//! The documents and queries are those of the store's own bench (casetrack-store/benches/store/corpus.rs): synthetic
//! and seeded. The server is that of the tests (tests/conformance/server.rs), with fsync on; or
//! `CASETRACK_TEST_POSTGRES` names one. If `CASETRACK_TEST_CITUS_WORKERS` makes this a coordinator, it is measured in
//! addition to a server of the tests. All are loaded one after the other by one client, flushed, searched by one
//! client, and by eight at once. Searches ask for 500 chunks, as hybrid search does; those in databases are repeated as
//! a role that may read the collection, and not as the owner of the tables. Progress goes to stderr.

#[path = "../../casetrack-store/benches/store/corpus.rs"]
mod corpus;
#[path = "../tests/conformance/own_server.rs"]
mod own_server;
#[path = "../../casetrack-store/benches/store/random.rs"]
mod random;
#[allow(dead_code, reason = "some of it is for tests")]
#[path = "../tests/conformance/server.rs"]
mod server;

use std::sync::Arc;
use std::time::{Duration, Instant};

use casetrack_conformance::samples::collection_meta;
use casetrack_core::DocumentId;
use casetrack_postgres::PostgresStore;
use casetrack_store::parts::dot;
use casetrack_store::{Collection, Conditions, Filter, Registry, Right, SharedStore, Store, VectorModels};

use self::corpus::{Corpus, DIMENSION};

/// See `server`.
const SERVER_OPTIONS: &str =
    "-c shared_buffers=2GB -c maintenance_work_mem=2GB -c max_wal_size=8GB -c effective_cache_size=8GB";
const K: usize = 500;
const CLIENTS: usize = 8;
/// The number of nearest chunks for the share that is found.
const NEAREST: usize = 10;

fn main() {
    let (mut chunks, mut queries, mut dir) = (10_000, 100, std::env::temp_dir());
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let mut value = || given.next().unwrap_or_else(|| panic!("{name} needs a value"));
        match name.as_str() {
            "--chunks" => chunks = value().parse().expect("a number of chunks"),
            "--queries" => queries = value().parse().expect("a number of queries"),
            "--dir" => dir = value().into(),
            // cargo adds it
            "--bench" => {}
            _ => panic!("{name} is not known; see the first lines of benches/stores.rs"),
        }
    }
    let corpus = Corpus::new(1);
    let temp = tempfile::tempdir_in(dir).expect("a directory to work in");
    let registry = Registry::open(&temp.path().join("disk")).expect("a registry");
    let documents = Corpus::documents_for(chunks);
    let database = server::Database::new().expect("a server");
    let beside =
        (!server::workers().is_empty()).then(|| own_server::OwnServer::start(SERVER_OPTIONS).expect("a server"));
    let of_postgres = beside.as_ref().map_or_else(|| database.address.clone(), |server| server.address("postgres"));
    let mut addresses = vec![("PostgreSQL", of_postgres)];
    addresses.extend(beside.is_some().then(|| ("Citus", database.address.clone())));
    let mut names = vec!["on disk"];
    let mut collections = vec![load(&corpus, &registry, "on disk", chunks)];
    for (name, address) in addresses {
        let store = PostgresStore::connect(&address, &temp.path().join("files")).expect("a store");
        collections.push(load(&corpus, &store, name, chunks));
        if name == "PostgreSQL" {
            sizes(&address, documents * Corpus::chunks_per_document());
        }
        // As its own upkeep does before long.
        let mut client = postgres::Client::connect(&address, postgres::NoTls).expect("a connection");
        client.batch_execute("VACUUM ANALYZE").expect("a vacuum");
        names.push(name);
        let (role, address) = if address == database.address {
            database.role("bench")
        } else {
            ("bench".to_owned(), server::make_role(&address, "bench"))
        };
        let collection = collections.last().expect("it was loaded").meta().id;
        store.admit(&role, false).expect("the role is admitted");
        store.grant(collection, &role, Right::Reader).expect("a right");
        let of_role = PostgresStore::connect(&address, &temp.path().join("files")).expect("a store");
        collections.push(of_role.open_collection(collection).expect("a collection"));
        names.push("as a role");
    }
    let columns = |of: &mut dyn FnMut(&Collection) -> String| {
        collections.iter().map(|collection| format!(" {} |", of(collection))).collect::<String>()
    };
    let rule = "---|".repeat(names.len());
    println!("| milliseconds, p50 / p99 | {} |\n|---|{rule}", names.join(" | "));
    let one = |n: usize| vec![Corpus::id(n * 7919 % documents)];
    let half: Vec<DocumentId> = (0..documents).step_by(2).map(Corpus::id).collect();
    let none = |_: usize, _: &Collection| Filter::default();
    let in_one = |n: usize, collection: &Collection| selected(collection, one(n));
    let halves: Vec<Filter> = collections.iter().map(|of| selected(of, half.clone())).collect();
    let in_half = |_: usize, collection: &Collection| {
        let own = collections.iter().position(|other| other.meta().id == collection.meta().id);
        halves[own.expect("one of them")].clone()
    };
    let filters: [(&str, &Filtering<'_>); 3] =
        [("", &none), (" in one document", &in_one), (" in half of the documents", &in_half)];
    for (where_, filter) in filters {
        for (kind, search) in kinds(&corpus) {
            let mut row =
                |collection: &Collection| shown(timed(queries, |n| search(collection, n, &filter(n, collection))));
            println!("| {kind}{where_} |{}", columns(&mut row));
        }
    }
    for (kind, search) in kinds(&corpus) {
        let mut row = |collection: &Collection| shown(together(queries, |n| search(collection, n, &Filter::default())));
        println!("| {kind}, {CLIENTS} clients at once |{}", columns(&mut row));
    }
    println!();
    let nearest = nearest(&corpus, documents, queries);
    for (name, collection) in names.iter().zip(&collections) {
        let found = (0..queries).map(|n| recall(&corpus, &nearest[n], collection, n)).sum::<f64>() / queries as f64;
        println!("Of the {NEAREST} nearest, {name}: {found:.3}");
    }
}

type Search<'c> = Box<dyn Fn(&Collection, usize, &Filter) -> usize + Sync + 'c>;
type Filtering<'f> = dyn Fn(usize, &Collection) -> Filter + Sync + 'f;

fn kinds<'c>(corpus: &'c Corpus) -> [(&'static str, Search<'c>); 3] {
    let bm25 = |collection: &Collection, n, filter: &Filter| {
        collection.search_bm25(corpus.query(n), K, filter).expect("hits").len()
    };
    let dense = |collection: &Collection, n, filter: &Filter| {
        collection.search_dense(&corpus.query_vector(n), K, filter).expect("hits").len()
    };
    let sparse = |collection: &Collection, n, filter: &Filter| {
        collection.search_sparse(&corpus.sparse_query(n), K, filter).expect("hits").len()
    };
    [("BM25", Box::new(bm25)), ("dense", Box::new(dense)), ("learned sparse", Box::new(sparse))]
}

/// Makes a collection of so many chunks.
fn load(corpus: &Corpus, store: &dyn Store, name: &str, chunks: usize) -> Collection {
    let models = VectorModels {
        dense: "bench".into(),
        dense_dimension: DIMENSION as u32,
        sparse: Some("bench".into()),
        tokens: None,
    };
    let collection = store.create(&collection_meta("Bench"), &models).expect("a collection");
    let (documents, mut spent) = (Corpus::documents_for(chunks), Duration::ZERO);
    for number in 0..documents {
        let document = corpus.document(number, 0);
        let started = Instant::now();
        collection.put_document(&document).expect("stored");
        spent += started.elapsed();
        if number % 1000 == 999 {
            eprintln!("{name}: {} of {documents} documents in {:.0} s", number + 1, spent.as_secs_f64());
        }
    }
    let stored = documents * Corpus::chunks_per_document();
    let started = Instant::now();
    collection.flush().expect("flushed");
    let bytes = collection.stats().expect("stats").stored_bytes() / stored as u64;
    println!(
        "{name}: {stored} chunks, {:.0} chunks/s, then a flush of {:.1} s, {bytes} bytes a chunk",
        stored as f64 / spent.as_secs_f64(),
        started.elapsed().as_secs_f64()
    );
    collection
}

/// The size of each table and index of the server.
fn sizes(address: &str, chunks: usize) {
    let mut client = postgres::Client::connect(address, postgres::NoTls).expect("a connection");
    let rows = client.query(
        "SELECT coalesce(o.relname || ', long values', c.relname), pg_relation_size(c.oid) FROM pg_class c \
         LEFT JOIN pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_class o ON o.reltoastrelid IN (c.oid, i.indrelid) \
         WHERE 'casetrack'::regnamespace IN (c.relnamespace, o.relnamespace) AND pg_relation_size(c.oid) > 100000 ORDER BY 2 DESC",
        &[],
    );
    println!("| bytes a chunk of | |\n|---|---|");
    for row in rows.expect("sizes") {
        println!("| {} | {} |", row.get::<_, String>(0), row.get::<_, i64>(1) / chunks as i64);
    }
}

fn selected(collection: &Collection, documents: Vec<DocumentId>) -> Filter {
    let conditions = Conditions { documents: Some(documents), ..Conditions::default() };
    Filter { selection: Some(Arc::new(collection.select(&conditions).expect("a selection"))), ..Filter::default() }
}

fn timed(queries: usize, search: impl Fn(usize) -> usize) -> Vec<Duration> {
    // The first ones fill caches.
    for n in 0..queries.min(10) {
        search(n);
    }
    let time = |n| {
        let started = Instant::now();
        search(n);
        started.elapsed()
    };
    (0..queries).map(time).collect()
}

fn together(queries: usize, search: impl Fn(usize) -> usize + Sync) -> Vec<Duration> {
    std::thread::scope(|scope| {
        let client = |c: usize| {
            let search = &search;
            scope.spawn(move || timed(queries, |n| search(n * CLIENTS + c)))
        };
        let clients: Vec<_> = (0..CLIENTS).map(client).collect();
        clients.into_iter().flat_map(|client| client.join().expect("a client")).collect()
    })
}

fn shown(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    format!("{:.1} / {:.1}", at(0.5), at(0.99))
}

/// A chunk, and how near it is.
type Near = (DocumentId, u32, f32);

/// The nearest chunks of all for each query, best first.
fn nearest(corpus: &Corpus, documents: usize, queries: usize) -> Vec<Vec<Near>> {
    let vectors: Vec<Vec<f32>> = (0..queries).map(|n| corpus.query_vector(n)).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let of_part = |first: usize| {
        let mut best: Vec<Vec<Near>> = vec![Vec::new(); queries];
        for number in (first..documents).step_by(threads) {
            let document = corpus.document(number, 0);
            for (best, query) in best.iter_mut().zip(&vectors) {
                best.extend(
                    (0..).zip(&document.vectors).map(|(index, own)| (document.meta.id, index, dot(query, own))),
                );
                keep_nearest(best);
            }
        }
        best
    };
    let mut all: Vec<Vec<Near>> = vec![Vec::new(); queries];
    std::thread::scope(|scope| {
        let of_part = &of_part;
        let parts: Vec<_> = (0..threads).map(|first| scope.spawn(move || of_part(first))).collect();
        for part in parts {
            all.iter_mut().zip(part.join().expect("a part")).for_each(|(all, own)| all.extend(own));
        }
    });
    all.iter_mut().for_each(keep_nearest);
    all
}

fn keep_nearest(found: &mut Vec<Near>) {
    found.sort_by(|a, b| b.2.total_cmp(&a.2));
    found.truncate(NEAREST);
}

/// The share of the nearest that a collection finds among as many.
fn recall(corpus: &Corpus, nearest: &[Near], collection: &Collection, n: usize) -> f64 {
    let hits = collection.search_dense(&corpus.query_vector(n), NEAREST, &Filter::default()).expect("hits");
    let is_found = |near: &&Near| hits.iter().any(|hit| (hit.document, hit.index) == (near.0, near.1));
    nearest.iter().filter(is_found).count() as f64 / nearest.len() as f64
}
