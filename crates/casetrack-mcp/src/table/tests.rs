//! The rows of the table, their schemas against the committed ones, and answers against their schemas.

mod schema_check;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use casetrack_engine::chunks::{ChunkView, DocumentChunks, SourceContext};
use casetrack_engine::ingest::IngestReport;
use casetrack_engine::reindex::ReindexReport;
use casetrack_engine::sync::SyncReport;

use super::*;
use crate::arguments;
use crate::offer::Offer;
use crate::tool::{Need, Toolset};
use casetrack_core::settings::Settings;
use casetrack_text::samples;
use schema_check::follows;

#[test]
fn every_parameter_is_described_and_every_sample_call_is_accepted() {
    for entry in tools() {
        let properties = entry.input_schema["properties"].as_object().unwrap();
        for (name, property) in properties.iter().filter(|_| entry.contract.printed.is_none()) {
            assert!(property["description"].as_str().is_some_and(|text| !text.is_empty()), "{}: {name}", entry.name);
        }
        let sample = entry.sample.parse().unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        arguments::check(entry.expected(), sample).unwrap();
    }
    let order: Vec<Value> = sample_calls().into_iter().map(|mut call| call["tool"].take()).collect();
    assert_eq!((order.len(), order.last()), (tools().len(), Some(&json!("delete_collection"))));
}

#[test]
fn no_reader_may_call_a_tool_that_changes_something() {
    for tool in tools().iter().filter(|tool| tool.row.need == Need::READ) {
        assert_eq!(tool.row.effect, Effect::Reads, "{}", tool.name);
    }
}

#[test]
fn every_name_in_the_table_is_unique() {
    let names: BTreeSet<&str> = tools().iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), tools().len());
}

#[test]
fn input_schemas_are_flat_and_closed() {
    // A printed schema follows its contract instead.
    for entry in tools().iter().filter(|entry| entry.contract.printed.is_none()) {
        let text = serde_json::to_string(&entry.input_schema).unwrap();
        // Where null is a value of its own, it is among the types.
        let text = ["array", "integer", "object", "string"]
            .iter()
            .fold(text, |text, name| text.replace(&format!(r#""type":["{name}","null"]"#), ""));
        // Null is also allowed as the default of a parameter.
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
        "tools/list: {all} bytes, by default {usual}, core {}, time {time}, files {files}, index {index}, space {space}, workbench {workbench}",
        of(Toolset::Core)
    );
    assert!(workbench <= 12_000, "{workbench} bytes for the workbench");
    assert!(space <= 27_000, "{space} bytes for space");
    assert!(files <= 6_000, "{files} bytes for files");
    assert!(index <= 4_000, "{index} bytes for index");
    assert!(time <= 6_000, "{time} bytes for time");
    let core = of(Toolset::Core);
    assert!(all <= 60_000, "{all} bytes for all tools");
    assert!(usual <= 46_000, "{usual} bytes by default");
    assert!(core <= 18_000, "{core} bytes for core");
}

#[test]
fn the_default_of_an_offset_is_listed_if_a_published_contract_has_it() {
    let default =
        |name: &str| find(name).unwrap().describe(false).input_schema["properties"]["offset"].get("default").cloned();
    for name in ["searchFiles", "resource-search", "resource-set-get"] {
        assert_eq!(default(name), Some(json!(0)), "{name}");
    }
    assert_eq!(default("search_documents"), None);
}

/// The tools and parameters that the skills name exist.
#[test]
fn skills_name_tools_that_there_are() {
    let skills = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin/skills");
    let mut known: BTreeSet<&str> = tools().iter().map(|entry| entry.name).collect();
    for entry in tools() {
        known.extend(entry.input_schema["properties"].as_object().unwrap().keys().map(String::as_str));
    }
    known.insert("next_offset");
    let folders: Vec<_> = std::fs::read_dir(&skills).unwrap().map(|folder| folder.unwrap().path()).collect();
    assert_eq!(folders.len(), 6);
    for folder in folders {
        let text = std::fs::read_to_string(folder.join("SKILL.md")).unwrap();
        let name = folder.file_name().unwrap().to_str().unwrap();
        assert!(text.starts_with(&format!("---\nname: {name}\ndescription: ")) && text.lines().count() <= 40, "{name}");
        let words = text.split('`').skip(1).step_by(2).map(|word| word.split(':').next().unwrap_or(word));
        let unknown: Vec<&str> = words.filter(|word| !word.starts_with('[') && !known.contains(word)).collect();
        assert!(unknown.is_empty(), "{name}: {unknown:?}");
    }
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
    let expected = schema_files();
    let files = std::fs::read_dir(&directory).unwrap().map(std::result::Result::unwrap);
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let committed: BTreeMap<String, String> =
        files.map(|file| (file.file_name().into_string().unwrap(), read(&file.path()))).collect();
    let names = |documents: &BTreeMap<String, String>| documents.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&committed), names(&expected));
    for (name, text) in &expected {
        assert!(committed[name] == *text, "{} is not current; run `casetrack schemas --out schemas`", name);
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
