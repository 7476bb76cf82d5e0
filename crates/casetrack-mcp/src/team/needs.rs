//! What a user needs for each tool: the one table of rights. A tool that is not in it can be called by no user of a server, and fails a test.

use casetrack_engine::rights::Role;

/// What a call needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// This role in the collection that the call is about. Lists of collections, jobs and watches show those that the user may read.
    Role(Role),
    /// That the user may make collections.
    Create,
    /// That the user is an administrator: the tool works with the disk of the server, or with what all of its users share.
    Disk,
}

use Need::{Create, Disk};
const READ: Need = Need::Role(Role::Reader);
const EDIT: Need = Need::Role(Role::Editor);
const OWN: Need = Need::Role(Role::Owner);

/// Each tool once.
const NEEDS: &[(Need, &[&str])] = &[
    (
        READ,
        &[
            "list_collections",
            "switch_collection",
            "get_collection_info",
            "list_watches",
            "list_jobs",
            "get_job",
            "list_documents",
            "get_document",
            "search_documents",
            "ask_every_document",
            "search_similar_chunks",
            "compare_documents",
            "redline_documents",
            "list_versions",
            "list_threads",
            "search_terms",
            "verify_quote",
            "verify_quotes",
            "get_matter_sheet",
            "get_obligations",
            "list_bates",
            "get_chunk",
            "get_document_chunks",
            "get_source_context",
            "list_changes",
            "find_hidden_text",
            "get_collection_summary",
            "get_collection_timeline",
            "get_collection_statistics",
            "list_entities",
            "find_entity",
            "get_entity_mentions",
            "search_entity_relationships",
            "get_entity_graph",
            "list_references",
            "get_reference_citations",
            "find_related_documents",
            "get_related_documents",
            "find_document_clusters",
            "get_document_structure",
            "browse_pages",
            "list_documents_by_type",
            "traverse_chunks",
            "get_index_status",
            "get_status",
            "list_evidence",
            "read_page",
        ],
    ),
    (
        EDIT,
        &[
            // Of files that were uploaded, or lie in folders of the settings: see `Access::for_user`.
            "ingest_document",
            "ingest_folder",
            "sync_folder",
            "cancel_job",
            "delete_document",
            "tag_document",
            "define_column",
            "reindex_document",
            "add_evidence",
            "update_evidence",
        ],
    ),
    (OWN, &["delete_collection", "update_collection", "reindex_collection"]),
    (Create, &["create_collection"]),
    (
        Disk,
        &[
            // Go on when nobody is there.
            "watch_folder",
            "unwatch_folder",
            "set_sync_schedule",
            // Write or list files of the server.
            "export_evidence",
            "list_paths",
            "fs.search_by_time",
            "find_files_by_time",
            "listRoots",
            "indexFolder",
            "searchFiles",
            "openFile",
            "summarizeResults",
            "rewriteQuery",
            // Indexes of texts are shared by all who use them.
            "search_index",
            "search_add_document",
            "search_create_index",
            "index",
            "job-progress",
            "list-jobs",
            "cancel-job",
            "resource-children",
            "resource-parent",
            "resource-sum",
            "resource-time-range",
            "resource-metric-range",
            "resource-is",
            "resource-fuzzy-match",
            "resource-search",
            "resource-set-create",
            "resource-set-list",
            "resource-set-get",
            "resource-set-modify",
            "resource-set-delete",
            "resource-set-add-child",
            "resource-set-remove-child",
            "source-create",
            "source-start",
            "source-stop",
            "source-execute",
            "source-list",
            "source-get",
            "source-delete",
            "plan-create",
            "plan-execute",
            "plan-list",
            "plan-get",
            "plan-update",
            "plan-delete",
            "rerun-classifier",
            "classifier-job-progress",
            "session-info",
            "disk_usage",
            "find_duplicates",
        ],
    ),
];

impl Need {
    /// `None` for a tool that nobody may call on a server.
    pub fn of(tool: &str) -> Option<Self> {
        NEEDS.iter().find(|(_, tools)| tools.contains(&tool)).map(|(need, _)| *need)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;
    use crate::tool::Effect;

    #[test]
    fn every_tool_says_once_what_it_needs() {
        let mut named: Vec<&str> = NEEDS.iter().flat_map(|(_, tools)| tools.iter().copied()).collect();
        let mut tools: Vec<&str> = table::tools().iter().map(|tool| tool.name).collect();
        named.sort_unstable();
        tools.sort_unstable();
        assert_eq!(named, tools);
    }

    #[test]
    fn what_changes_something_is_for_no_reader() {
        for tool in table::tools() {
            let is_for_readers = Need::of(tool.name) == Some(READ);
            assert!(!is_for_readers || tool.effect == Effect::Reads, "{}", tool.name);
        }
        assert_eq!(Need::of("a_tool_of_tomorrow"), None);
    }
}
