//! The promises of every store, as tests that run over any of them. The promises themselves are those of
//! [`casetrack_store::CollectionStore`] and [`casetrack_store::Store`].
//!
//! A store runs them over itself in a test of its own crate. The expression gives a store without collections and the
//! values to keep until the test has ended:
//!
//! ```text
//! casetrack_conformance::conformance!(new_store());
//! ```
//!
//! A test may make any number of collections, has one of them open at a time through one handle, and closes it before
//! it opens it again. Cases of only one store (files that are damaged, a server that is killed) are tested in the crate
//! of that store.

pub mod annotations;
pub mod collections;
pub mod documents;
pub mod evidence;
pub mod expressions;
mod fixture;
pub mod groups;
pub mod histories;
pub mod marks;
pub mod ranking;
pub mod relocation;
pub mod samples;
pub mod search;
pub mod selection;
pub mod tokens;
pub mod upkeep;

/// Makes a test of each promise. To see which there are, read the table.
#[macro_export]
macro_rules! conformance {
    ($new:expr) => {
        $crate::conformance! { $new =>
            collections {
                collections_are_listed_by_age_opened_and_deleted,
                the_last_change_is_that_of_a_document,
                collections_know_nothing_of_each_other,
                a_collection_is_described_otherwise_and_stays_itself,
                a_sparse_model_is_adopted_once,
                columns_are_kept_as_they_were_given,
                notes_are_kept_by_name_and_change_no_document,
                kept_files_come_back,
                a_collection_that_is_prepared_is_seen_when_it_is_published,
            }
            documents {
                a_document_comes_back_as_it_was_also_after_reopening,
                a_whole_document_can_be_stored_elsewhere,
                passages_say_what_was_noted_on_their_page,
                absent_things_are_none_and_ranges_are_cut,
                a_long_page_is_read_in_pieces,
                a_document_without_chunks_is_kept,
                a_replacement_keeps_the_id_and_leaves_nothing_of_the_old,
                a_deletion_leaves_nothing,
                what_cannot_be_cited_is_refused,
                readers_see_a_document_whole_while_it_is_replaced,
                passages_are_read_as_of_one_moment,
            }
            groups {
                a_document_that_is_refused_takes_no_other_along,
                each_change_of_a_group_is_told_once_and_in_order,
            }
            relocation {
                a_path_that_is_taken_is_refused_and_nothing_is_changed,
                two_documents_exchange_their_paths_and_keep_everything_else,
                a_renamed_document_is_called_by_its_new_name_only,
            }
            marks {
                marks_stay_with_their_document_until_it_is_deleted,
            }
            annotations {
                annotations_come_and_go_with_their_document,
                annotations_that_do_not_fit_the_pages_are_refused,
                every_version_of_a_document_has_a_number_of_its_own,
            }
            evidence {
                evidence_is_kept_in_its_order_and_a_failed_change_changes_nothing,
                evidence_goes_with_an_export,
            }
            search {
                keywords_are_found_in_any_form,
                the_embedding_context_counts_less_than_the_text_and_can_be_left_out,
                no_query_is_wrong,
                any_number_of_results_can_be_asked_for,
                a_filter_never_costs_results,
                a_filter_changes_neither_scores_nor_order,
                results_are_best_first_and_equal_ones_by_age,
                dense_search_finds_the_nearest,
                scores_are_those_of_a_fresh_collection_after_changes_and_a_flush,
                documents_without_learned_sparse_vectors_are_counted_and_not_found,
                arbitrary_text_is_a_query,
            }
            tokens {
                token_vectors_come_and_go_with_their_document,
                token_vectors_that_do_not_fit_are_refused,
            }
            selection {
                words_and_phrases_decide_over_every_kind_of_search,
                identifiers_and_amounts_are_required_whole,
                pages_and_confidence_choose_within_documents_and_follow_changes,
                pages_are_found_by_what_is_printed_on_them,
                the_catalogue_follows_changes,
                words_that_no_chunk_has_are_corrected,
                a_slip_that_a_passage_has_as_well_is_corrected_where_many_have_the_word,
                chunks_are_chosen_one_by_one_and_come_in_the_order_of_storing,
                a_text_says_as_much_of_a_question_as_it_has_of_its_rare_words,
            }
            expressions {
                expressions_are_fulfilled_by_the_words_of_one_chunk,
                deleted_documents_fulfil_nothing,
            }
            ranking {
                searches_return_what_those_on_disk_return,
                bm25_scores_are_those_of_the_formula,
            }
            upkeep {
                upkeep_changes_no_answer,
                an_export_is_the_whole_collection,
                an_export_replaces_no_file_unasked,
                what_is_stored_is_measured,
            }
            histories {
                what_is_there_is_what_was_put_there_last,
            }
        }
    };
    ($new:expr => $($family:ident { $($name:ident,)+ })+) => {
        $(mod $family {
            use super::*;

            $(#[test]
            fn $name() {
                let (store, _kept) = $new;
                $crate::$family::$name(&store);
            })+
        })+
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_promise_is_in_the_table() {
        let table = include_str!("lib.rs");
        for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).unwrap() {
            let source = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            let promises =
                source.lines().filter_map(|line| line.strip_prefix("pub fn ")?.split_once("(store: &dyn Store) {"));
            for (name, _) in promises {
                assert!(table.contains(&format!(" {name},\n")), "{name} is not in the table");
            }
        }
    }
}
