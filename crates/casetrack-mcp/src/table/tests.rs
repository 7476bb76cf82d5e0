//! The table against the tools' specification, and the schemas against what is sent.

mod following;
mod space;
mod whole_matter;
mod workbench;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;

use casetrack_engine::chunks::{ChunkView, DocumentChunks, SourceContext};
use casetrack_engine::ingest::IngestReport;
use casetrack_engine::reindex::ReindexReport;
use casetrack_engine::sync::SyncReport;
use serde_json::json;

use super::*;
use crate::offer::Offer;
use crate::settings::Settings;
use casetrack_text::samples;
use following::follows;

/// The parameters of the specification: type, bounds, default and values; `[..]` after a tool lists the required ones.
fn specified() -> Value {
    let document_types = json!([
        "contract",
        "report",
        "spreadsheet",
        "presentation",
        "correspondence",
        "memo",
        "proposal",
        "invoice",
        "policy",
        "other"
    ]);
    let string = json!({"type": "string"});
    let yes = json!({"type": "boolean", "default": true});
    let no = json!({"type": "boolean", "default": false});
    let types = ["person", "organization", "date", "amount", "location", "concept"];
    let all_types: Vec<&str> = types.into_iter().chain(["all"]).collect();
    let any_types: Vec<&str> = types.into_iter().chain(["any"]).collect();
    let any_type = json!({"type": "string", "enum": any_types, "default": "any"});
    // Beyond the specification, as the jobs are: clients cut calls off.
    let wait = json!({"type": "integer", "default": 30, "minimum": 0, "maximum": 600});
    let offset = json!({"type": "integer", "default": 0, "minimum": 0, "maximum": 1_000_000});
    let passages = json!({"type": "integer", "default": 20, "minimum": 1, "maximum": 100});
    let mut tools = json!({
        "create_collection": [["name"], {
            "name": string,
            "collection_id": string,
            "collection_type": {"type": "string", "enum": [
                "project", "contract", "financial", "compliance", "research", "hr", "operations", "other"
            ]},
            "profile": string,
        }],
        "list_collections": [[], {
            "status_filter": {"type": "string", "enum": ["active", "closed", "archived", "all"], "default": "active"},
        }],
        "switch_collection": [["collection_name"], {"collection_name": string}],
        "delete_collection": [["collection_name", "confirm"], {"collection_name": string, "confirm": no}],
        "get_collection_info": [[], {}],
        "ingest_document": [["file_path"], {
            "file_path": string,
            "document_name": string,
            "document_type": {"type": "string", "enum": document_types},
            "copy_original": no,
            // Beyond the specification, as in ingest_folder: there, a protected file cannot be read at all.
            "password": string,
            "wait_seconds": wait,
        }],
        "ingest_folder": [["folder_path"], {
            "folder_path": string,
            "recursive": yes,
            "skip_existing": yes,
            "document_type": {"type": "string", "enum": document_types},
            "file_extensions": {"type": "array", "items": {"type": "string"}},
            "password": string,
            "wait_seconds": wait,
        }],
        "sync_folder": [["folder_path"], {
            "folder_path": string,
            "remove_deleted": no,
            "document_type": {"type": "string", "enum": document_types},
            "dry_run": no,
            "wait_seconds": wait,
        }],
        "reindex_document": [["document_name"], {"document_name": string, "force": no, "reparse": yes, "wait_seconds": wait}],
        "reindex_collection": [["confirm"], {
            "confirm": no, "reparse": yes, "skip_unchanged": no, "profile": string, "precision": string,
            "late_interaction": {"type": "boolean"},
            "throttle": {"type": "integer", "default": 0, "minimum": 0, "maximum": 90}, "wait_seconds": wait,
        }],
        "get_index_status": [[], {"document_filter": string}],
        "list_documents": [[], {
            "sort_by": {"type": "string", "enum": ["name", "type", "date", "pages"], "default": "date"},
            // Beyond the specification, here and below: long lists are answered in parts.
            "offset": offset,
            "limit": {"type": "integer", "default": 100, "minimum": 1, "maximum": 1000},
        }],
        "get_document": [["document_name"], {"document_name": string}],
        "delete_document": [["confirm", "document_name"], {"document_name": string, "confirm": no}],
        "search_documents": [["query"], {
            "query": string,
            "top_k": {"type": "integer", "default": 10, "minimum": 1, "maximum": 50},
            "document_filter": string,
            // Beyond the specification: filters, pages of results, and what is shown of them.
            "document_type": string,
            "entity": string,
            "path": string,
            "date_from": string,
            "date_to": string,
            "ingested": string,
            "pages": string,
            "min_confidence": {"type": "number", "minimum": 0.0, "maximum": 1.0},
            "offset": {"type": "integer", "default": 0, "minimum": 0, "maximum": 10000},
            "context": {"type": "integer", "default": 0, "minimum": 0, "maximum": 10000},
            "related": no,
            "explain": no,
        }],
        "search_similar_chunks": [["chunk_id"], {
            "chunk_id": string,
            "exclude_same_document": yes,
            "min_similarity": {"type": "number", "default": 0.6, "minimum": 0.0, "maximum": 1.0},
            "top_k": {"type": "integer", "default": 10, "minimum": 1, "maximum": 50},
        }],
        "compare_documents": [["document_a", "document_b", "topic"], {
            "document_a": string,
            "document_b": string,
            "topic": string,
            "top_k_per_document": {"type": "integer", "default": 5, "minimum": 1, "maximum": 20},
        }],
        "get_collection_summary": [[], {}],
        // What follows the dates is beyond the specification.
        "get_collection_timeline": [[], {
            "start_date": string,
            "end_date": string,
            "document_filter": string,
            "entity": string,
            "role": string,
            "offset": {"type": "integer", "default": 0, "minimum": 0, "maximum": 200},
            "limit": {"type": "integer", "default": 100, "minimum": 1, "maximum": 200},
        }],
        "get_collection_statistics": [[], {}],
        "list_entities": [[], {
            "entity_type": {"type": "string", "enum": all_types, "default": "all"},
            "document_filter": string,
            "named": string,
            "sort_by": {"type": "string", "enum": ["mentions", "documents", "name"], "default": "mentions"},
            "top_k": {"type": "integer", "default": 50, "minimum": 1, "maximum": 500},
        }],
        "find_entity": [["entity"], {"entity": string, "entity_type": any_type, "top_k": passages}],
        "get_entity_mentions": [["entity_name"], {"entity_name": string, "entity_type": any_type, "top_k": passages}],
        "search_entity_relationships": [["entities"], {
            "entities": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 5},
            "top_k": passages,
        }],
        "get_entity_graph": [[], {
            "entity_name": string,
            "entity_type": any_type,
            "depth": {"type": "integer", "default": 2, "minimum": 1, "maximum": 4},
            "top_k": passages,
        }],
        "list_references": [[], {
            // Three kinds more than the specification has.
            "reference_type": {"type": "string", "default": "all", "enum": [
                "document", "standard", "regulation", "report", "legal_case", "hyperlink", "internal", "all"
            ]},
            "sort_by": {"type": "string", "enum": ["citations", "documents", "name"], "default": "citations"},
            "top_k": {"type": "integer", "default": 50, "minimum": 1, "maximum": 200},
        }],
        "get_reference_citations": [["reference"], {"reference": string, "top_k": passages}],
        "find_related_documents": [["document_name"], {
            "document_name": string,
            "relationship_type": {"type": "string", "default": "all", "enum": [
                "all", "shared_entities", "shared_references", "semantic_similar", "version_chain"
            ]},
            "top_k": {"type": "integer", "default": 10, "minimum": 1, "maximum": 50},
        }],
        "get_related_documents": [["document_name"], {
            "document_name": string,
            "top_k": {"type": "integer", "default": 10, "minimum": 1, "maximum": 50},
        }],
        "find_document_clusters": [[], {
            "strategy": {"type": "string", "default": "topical", "enum": [
                "document_type", "topical", "entity", "reference"
            ]},
            "max_clusters": {"type": "integer", "default": 10, "minimum": 1, "maximum": 20},
        }],
        "get_document_structure": [["document_name"], {
            "document_name": string,
            "offset": offset,
            "limit": {"type": "integer", "default": 300, "minimum": 1, "maximum": 1000},
        }],
        "browse_pages": [["document_name", "end_page", "start_page"], {
            "document_name": string,
            "start_page": {"type": "integer", "minimum": 1},
            "end_page": {"type": "integer", "minimum": 1},
        }],
        "list_documents_by_type": [["document_type"], {
            "document_type": {"type": "string", "enum": document_types},
            "offset": offset,
            "limit": {"type": "integer", "default": 100, "minimum": 1, "maximum": 1000},
        }],
        "traverse_chunks": [["start_chunk_id"], {
            "start_chunk_id": string,
            "direction": {"type": "string", "enum": ["forward", "backward"], "default": "forward"},
            "count": {"type": "integer", "default": 5, "minimum": 1, "maximum": 20},
        }],
        "get_chunk": [["chunk_id"], {
            "chunk_id": string,
            "view": {"type": "string", "enum": ["final", "original", "redline"], "default": "final"},
        }],
        // The specification gives no bound for page_filter; pages count from 1.
        "get_document_chunks": [["document_name"], {
            "document_name": string,
            "page_filter": {"type": "integer", "minimum": 1},
            "offset": offset,
            "limit": {"type": "integer", "default": 100, "minimum": 1, "maximum": 500},
        }],
        "get_source_context": [["chunk_id"], {
            "chunk_id": string,
            "window": {"type": "integer", "default": 1, "minimum": 1, "maximum": 5},
        }],
        "get_status": [[], {}],
    });
    // In a part of their own, because the macro takes only so much.
    tools.as_object_mut().unwrap().append(specified_watches_and_jobs().as_object_mut().unwrap());
    whole_matter::add(&mut tools);
    // Beyond the specification: what an answer that was cut left out, and where passages are on a page.
    let continued = json!({"type": "integer", "default": 0, "minimum": 0, "maximum": 10_000});
    for tool in LISTS {
        tools[tool][1]["offset"] = continued.clone();
    }
    // A collection may have more names than that.
    tools["list_entities"][1]["offset"]["maximum"] = json!(1_000_000);
    for tool in PASSAGES {
        tools[tool][1]["include_boxes"] = no.clone();
    }
    tools
}

/// Tools whose list is continued by the parameter that is added to them.
const LISTS: [&str; 15] = [
    "search_similar_chunks",
    "compare_documents",
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
    "browse_pages",
    "traverse_chunks",
    "get_index_status",
];
/// Tools that answer with passages, excerpts or values and their exact places.
const PASSAGES: [&str; 21] = [
    "list_changes",
    "search_documents",
    "ask_every_document",
    "search_similar_chunks",
    "compare_documents",
    "get_chunk",
    "get_document_chunks",
    "get_source_context",
    "browse_pages",
    "traverse_chunks",
    "find_entity",
    "get_entity_mentions",
    "search_entity_relationships",
    "get_entity_graph",
    "get_reference_citations",
    "get_collection_summary",
    "get_collection_timeline",
    "get_matter_sheet",
    "get_obligations",
    "redline_documents",
    "verify_quote",
];

/// See [`specified`]. The jobs are beyond the specification.
fn specified_watches_and_jobs() -> Value {
    let string = json!({"type": "string"});
    let no = json!({"type": "boolean", "default": false});
    let schedules = json!(["on_change", "hourly", "daily", "every_6h", "every_12h", "manual"]);
    let wait = json!({"type": "integer", "default": 0, "minimum": 0, "maximum": 600});
    let mut tools = json!({
        "watch_folder": [["folder_path"], {
            "folder_path": string,
            "schedule": {"type": "string", "enum": schedules, "default": "on_change"},
            "auto_remove_deleted": no,
            "file_extensions": {"type": "array", "items": {"type": "string"}},
        }],
        "unwatch_folder": [["folder_path"], {"folder_path": string}],
        "list_watches": [[], {"collection_filter": string}],
        "set_sync_schedule": [["folder_path", "schedule"], {
            "folder_path": string,
            "schedule": {"type": "string", "enum": schedules},
            "auto_remove_deleted": {"type": "boolean"},
        }],
        "list_jobs": [[], {"active_only": no, "collection_filter": string}],
        "get_job": [["job_id"], {"job_id": string, "wait_seconds": wait}],
        "cancel_job": [["job_id"], {"job_id": string}],
        // About files on the disk.
        "find_files_by_time": [[], {
            "time_field": {
                "type": "string", "default": "modified", "enum": [
                    "modified", "created", "accessed", "changed", "first_seen", "taken", "written", "saved", "sent", "mentioned",
                ],
            },
            "when": string,
            "from": string,
            "to": string,
            "query": string,
            "name": string,
            "glob": string,
            "root": string,
            "path": string,
            "include_directories": no,
            "sort": {"type": "string", "enum": ["time_desc", "time_asc", "path_asc"], "default": "time_desc"},
            "limit": {"type": "integer", "default": 50, "minimum": 1, "maximum": 1000},
            "cursor": string,
        }],
    });
    let strings = json!({"type": "array", "items": {"type": "string"}});
    let around = json!({"type": "integer", "default": 200, "minimum": 0});
    let result = json!({
        "type": "object", "description": "A search result. What else searches say of it may be there, too.", "additionalProperties": true, "required": ["path", "snippet"],
        "properties": {"path": string, "snippet": string},
    });
    let files = json!({
        "listRoots": [[], {}],
        "indexFolder": [["root"], {
            "root": string,
            "full": no,
            "priority": {"type": "string", "enum": ["low", "normal", "high"], "default": "normal"},
        }],
        "searchFiles": [["query"], {
            "query": string,
            "k": {"type": "integer", "default": 10, "minimum": 1, "maximum": 100},
            "offset": {"type": "integer", "default": 0, "minimum": 0, "maximum": 10_000},
            "exts": strings, "years": strings, "roots": strings,
        }],
        "openFile": [["path"], {"path": string, "pointer": string, "before": around, "after": around}],
        "summarizeResults": [["query", "results"], {
            "query": string,
            "results": {"type": "array", "items": result},
            "style": {"type": "string", "enum": ["bullets", "paragraph", "table"], "default": "bullets"},
            "max_tokens": {"type": "integer", "default": 400, "minimum": 1, "maximum": 4000},
        }],
        "rewriteQuery": [["query"], {"query": string}],
    });
    for more in [files, workbench::specified()] {
        tools.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    }
    space::add(&mut tools);
    tools
}

#[test]
fn every_tool_has_exactly_the_specified_parameters() {
    let specified = specified();
    let specified = specified.as_object().unwrap();
    let ours = || tools().iter().filter(|entry| entry.contract.printed.is_none());
    let names: BTreeSet<&str> = ours().map(|entry| entry.name).collect();
    assert_eq!(names, specified.keys().map(String::as_str).collect());
    for entry in ours() {
        let mut properties = entry.input_schema["properties"].clone();
        for (name, property) in properties.as_object_mut().unwrap() {
            let description = property.as_object_mut().unwrap().remove("description");
            assert!(description.is_some_and(|text| !text.as_str().unwrap().is_empty()), "{}: {name}", entry.name);
        }
        assert_eq!(properties, specified[entry.name][1], "{}", entry.name);
        let mut required = entry.input_schema.get("required").cloned().unwrap_or_else(|| json!([]));
        required.as_array_mut().unwrap().sort_by_key(Value::to_string);
        assert_eq!(required, specified[entry.name][0], "{}", entry.name);
    }
}

#[test]
fn every_name_in_the_table_is_unique() {
    let names: BTreeSet<&str> = tools().iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), tools().len());
}

#[test]
fn input_schemas_are_flat_and_closed() {
    // One that is printed has what its contract says.
    for entry in tools().iter().filter(|entry| entry.contract.printed.is_none()) {
        let text = serde_json::to_string(&entry.input_schema).unwrap();
        // Where null is a value of its own, it is among the types.
        let text = ["array", "integer", "object", "string"]
            .iter()
            .fold(text, |text, name| text.replace(&format!(r#""type":["{name}","null"]"#), ""));
        // And where null is what a call means that does not name it.
        let text = text.replace(r#""default":null"#, "");
        for key in ["$ref", "$defs", "$schema", "oneOf", "anyOf", "allOf", "\"null\"", "\"title\"", "\"format\":\""] {
            assert!(!text.contains(key), "{}: {key} in {text}", entry.name);
        }
        assert_eq!(entry.input_schema["type"], "object", "{}", entry.name);
        assert_eq!(entry.input_schema["additionalProperties"], false, "{}", entry.name);
    }
}

#[test]
fn output_schemas_are_objects_without_references() {
    for entry in tools() {
        let text = serde_json::to_string(&entry.output_schema).unwrap();
        assert_eq!(entry.output_schema["type"], "object", "{}", entry.name);
        assert!(!text.contains("$ref") && !text.contains("$schema"), "{}: {text}", entry.name);
    }
}

/// Bytes of the answer to `tools/list`: clients put it before the model in every conversation.
#[test]
fn the_list_of_tools_is_short() {
    let bytes = |toolsets: Option<Vec<Toolset>>| {
        let offer = Offer::new(&Settings { toolsets, ..Settings::default() });
        let list =
            rmcp::model::ListToolsResult::with_all_items(offer.tools().map(|entry| entry.describe(false)).collect());
        serde_json::to_string(&list).unwrap().len()
    };
    let (all, usual) = (bytes(Some(vec![Toolset::All])), bytes(None));
    let of = |set: Toolset| bytes(Some(vec![set]));
    let (time, files, index, space) = (of(Toolset::Time), of(Toolset::Files), of(Toolset::Index), of(Toolset::Space));
    // With the core, which is offered with it.
    let workbench = of(Toolset::Workbench) - of(Toolset::Core);
    println!(
        "tools/list: {all} bytes, by default {usual}, time {time}, files {files}, index {index}, space {space}, workbench {workbench}"
    );
    assert!(workbench <= 12_000, "{workbench} bytes for the workbench");
    assert!(space <= 26_000, "{space} bytes for space");
    assert!(files <= 6_000, "{files} bytes for files");
    assert!(index <= 4_000, "{index} bytes for index");
    assert!(time <= 6_000, "{time} bytes for time");
    assert!(all <= 60_000, "{all} bytes for all tools");
    assert!(usual <= 25_000, "{usual} bytes by default");
}

#[test]
fn unknown_fields_are_refused_by_name_even_without_the_schema_check() {
    let error =
        serde_json::from_value::<<search::SearchDocuments as Tool>::Parameters>(json!({"query": "a", "topk": 1}));
    assert!(error.err().unwrap().to_string().contains("`topk`"));
}

#[test]
fn hints_distinguish_reading_from_deleting() {
    let hints = |name: &str| {
        let annotations = find(name).unwrap().describe(false).annotations.unwrap();
        [
            annotations.read_only_hint,
            annotations.destructive_hint,
            annotations.idempotent_hint,
            annotations.open_world_hint,
        ]
    };
    let changes = |hints: [bool; 4]| hints.map(Some);
    assert_eq!(hints("search_documents"), [Some(true), None, None, Some(false)]);
    assert_eq!(hints("create_collection"), changes([false, false, false, false]));
    assert_eq!(hints("ingest_folder"), changes([false, false, true, false]));
    assert_eq!(hints("delete_document"), changes([false, true, true, false]));
    // It can remove documents.
    assert_eq!(hints("sync_folder"), changes([false, true, true, false]));
    assert!(may_be_repeated("sync_folder") && !may_be_repeated("delete_document"));
}

#[test]
fn an_unknown_tool_gets_a_suggestion() {
    let message = find("search_document").err().unwrap().message;
    assert_eq!(message, "Unknown tool: \"search_document\". Did you mean \"search_documents\"?");
    assert!(find("rm -rf").err().unwrap().full_text().ends_with("session-info, disk_usage, find_duplicates."));
}

/// The schemas in the repository are the current ones.
#[test]
fn committed_schemas_are_current() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let expected: BTreeMap<OsString, String> = tool_documents()
        .into_iter()
        .map(|(name, document)| {
            (format!("{name}.json").into(), format!("{}\n", serde_json::to_string_pretty(&document).unwrap()))
        })
        .collect();
    let files = std::fs::read_dir(&directory).unwrap().map(std::result::Result::unwrap);
    let committed: BTreeMap<OsString, String> =
        files.map(|file| (file.file_name(), std::fs::read_to_string(file.path()).unwrap())).collect();
    let names = |documents: &BTreeMap<OsString, String>| documents.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&committed), names(&expected));
    for (name, text) in &expected {
        assert!(committed[name] == *text, "{} is not current; run `casetrack schemas --out schemas`", name.display());
    }
}

#[test]
fn structured_content_follows_the_output_schema_and_keeps_numbers_short() {
    let mut response = samples::search([0.94, 0.88]);
    response.results[0].chunk.provenance.ocr_confidence = Some(0.94);
    response.results[0].chunk.provenance.sheet_name = Some("Budget".to_owned());
    let sent = follows(&response);
    assert_eq!(sent.pointer("/results/0/score").unwrap().to_string(), "0.94");
    assert_eq!(sent.pointer("/results/0/provenance/ocr_confidence").unwrap().to_string(), "0.94");

    follows::<ChunkView>(&samples::chunk());
    follows(&DocumentChunks {
        document: samples::document(),
        chunks: vec![samples::chunk()],
        total: 1,
        next_offset: None,
    });
    let chunk = samples::chunk();
    follows(&SourceContext { chunk_id: chunk.chunk_id, before: Vec::new(), chunk, after: vec![samples::chunk()] });
    follows(&samples::collection());
    follows(&samples::collection_summary());
    follows(&samples::document_summary());
    follows(&IngestReport::default());
    follows(&SyncReport::default());
    follows(&ReindexReport::default());
}
