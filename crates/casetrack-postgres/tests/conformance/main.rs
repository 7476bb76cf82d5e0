//! Collections in PostgreSQL keep what every store promises, on a server for these tests.
//!
//! `CASETRACK_TEST_POSTGRES` is the address of a server, in which each test makes a database and removes it. Without
//! it, the tests start the one that `scripts/setup/postgres.sh` installs. If there is none they fail;
//! `CASETRACK_TEST_NO_POSTGRES=1` leaves them out.
//!
//! `CASETRACK_TEST_CITUS_WORKERS=host:port,…` says that this server is the coordinator of these workers: the tables of
//! each test are distributed over them. All servers have the extensions citus and vector, and the user may make
//! databases on each.

mod citus;
mod following;
mod kills;
mod losses;
#[cfg(unix)]
mod outcomes;
mod own_server;
mod rights;
mod server;
mod standby;
#[cfg(unix)]
mod tls;
mod upgrades;
mod watching;
mod work;

use casetrack_postgres::PostgresStore;

use server::Database;

/// Data that is lost with the machine need not be kept.
const SERVER_OPTIONS: &str = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off";

/// A store without collections; `None` if tests with PostgreSQL are left out.
fn on_postgres() -> Option<(PostgresStore, (Database, tempfile::TempDir))> {
    let (database, files) = (Database::new()?, tempfile::tempdir().unwrap());
    PostgresStore::connect(&database.address, files.path()).unwrap();
    // As for several machines.
    database.run("UPDATE casetrack.layout SET fanout = 3");
    Some((PostgresStore::connect(&database.address, files.path()).unwrap(), (database, files)))
}

casetrack_conformance::conformance!(match on_postgres() {
    Some(store) => store,
    None => return,
});

mod in_leaves {
    use super::*;

    fn brought_together() -> Option<(PostgresStore, (Database, tempfile::TempDir))> {
        let (store, (database, files)) = on_postgres()?;
        drop(store);
        database.run("UPDATE casetrack.layout SET block_chunks = 3");
        Some((PostgresStore::connect(&database.address, files.path()).unwrap(), (database, files)))
    }

    casetrack_conformance::conformance! { match brought_together() {
        Some(store) => store,
        None => return,
    } =>
        documents {
            a_replacement_keeps_the_id_and_leaves_nothing_of_the_old,
            a_deletion_leaves_nothing,
            readers_see_a_document_whole_while_it_is_replaced,
        }
        search {
            keywords_are_found_in_any_form,
            a_filter_changes_neither_scores_nor_order,
            results_are_best_first_and_equal_ones_by_age,
            scores_are_those_of_a_fresh_collection_after_changes_and_a_flush,
            documents_without_learned_sparse_vectors_are_counted_and_not_found,
        }
        selection {
            words_and_phrases_decide_over_every_kind_of_search,
            words_that_no_chunk_has_are_corrected,
        }
        expressions {
            expressions_are_fulfilled_by_the_words_of_one_chunk,
            deleted_documents_fulfil_nothing,
        }
        ranking {
            searches_return_what_those_on_disk_return,
            bm25_scores_are_those_of_the_formula,
        }
        histories {
            what_is_there_is_what_was_put_there_last,
        }
    }
}
