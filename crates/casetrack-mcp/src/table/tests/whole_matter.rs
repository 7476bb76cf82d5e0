//! The parameters of tools that are beyond the specification: questions to every document, the matter sheet, quotations, search terms,
//! tags, versions; and those that search_documents has for them.

use serde_json::{Value, json};

pub fn add(tools: &mut Value) {
    let string = json!({"type": "string"});
    let strings = json!({"type": "array", "items": {"type": "string"}});
    let optional_strings = json!({"type": "array", "items": {"type": "string"}, "default": []});
    let offset = json!({"type": "integer", "default": 0, "minimum": 0, "maximum": 1_000_000});
    let mut terms = strings.clone();
    (terms["minItems"], terms["maxItems"]) = (json!(1), json!(1000));
    tools["list_changes"] = json!([["document"], {
        "document": string,
        "offset": offset,
        "limit": {"type": "integer", "default": 100, "minimum": 1, "maximum": 500},
    }]);
    tools["find_hidden_text"] = json!([[], {
        "document": string,
        "offset": offset,
        "limit": {"type": "integer", "default": 50, "minimum": 1, "maximum": 500},
    }]);
    tools["search_terms"] = json!([["terms"], {
        "terms": terms,
        "document": string,
        "document_type": string,
        "path": string,
        "tag": string,
        "field": string,
        "offset": offset,
        "limit": {"type": "integer", "default": 100, "minimum": 1, "maximum": 1000},
    }]);
    tools["tag_document"] = json!([["documents"], {
        "documents": strings,
        "add_tags": optional_strings,
        "remove_tags": optional_strings,
        "set_fields": optional_strings,
        "clear_fields": optional_strings,
        "offset": {"type": "integer", "default": 0, "minimum": 0, "maximum": 10_000},
    }]);
    tools["ask_every_document"] = json!([["question"], {
        "question": string,
        "documents": optional_strings,
        "brief": {"type": "boolean", "default": true},
        "limit": {"type": "integer", "minimum": 1, "maximum": 200},
        "offset": {"type": "integer", "default": 0, "minimum": 0},
    }]);
    tools["verify_quote"] = json!([["text"], {
        "text": string,
        "document": string,
        "offset": offset,
        "limit": {"type": "integer", "default": 10, "minimum": 1, "maximum": 100},
    }]);
    tools["verify_quotes"] = json!([["text"], {
        "text": string,
        "offset": {"type": "integer", "default": 0, "minimum": 0, "maximum": 500},
        "limit": {"type": "integer", "default": 50, "minimum": 1, "maximum": 500},
    }]);
    tools["get_matter_sheet"] = json!([[], {
        "columns": optional_strings,
        "documents": optional_strings,
        "filter": optional_strings,
        "sort": string,
        "format": {"type": "string", "enum": ["text", "markdown", "csv"], "default": "text"},
        "offset": {"type": "integer", "default": 0, "minimum": 0, "maximum": 1_000_000},
        "limit": {"type": "integer", "default": 50, "minimum": 1, "maximum": 1000},
    }]);
    tools["get_obligations"] = json!([[], {
        "document_filter": string,
        "party": string,
        "start_date": string,
        "end_date": string,
        "offset": {"type": "integer", "default": 0, "minimum": 0, "maximum": 1_000_000},
        "limit": {"type": "integer", "default": 50, "minimum": 1, "maximum": 500},
    }]);
    tools["list_bates"] = json!([[], {
        "document_filter": string,
        "offset": {"type": "integer", "default": 0, "minimum": 0, "maximum": 1_000_000},
        "limit": {"type": "integer", "default": 50, "minimum": 1, "maximum": 500},
    }]);
    let whole = json!({"type": "integer", "default": 0, "minimum": 0, "maximum": 1_000_000});
    tools["redline_documents"] = json!([["new_document", "old_document"], {
        "old_document": string,
        "new_document": string,
        "offset": whole,
        "limit": {"type": "integer", "default": 100, "minimum": 1, "maximum": 1000},
    }]);
    tools["list_versions"] = json!([[], {
        "document_filter": string,
        "min_similarity": {"type": "number", "default": 0.25, "minimum": 0.1, "maximum": 1.0},
        "offset": whole,
        "limit": {"type": "integer", "default": 20, "minimum": 1, "maximum": 200},
    }]);
    tools["list_threads"] = json!([[], {
        "document_filter": string,
        "offset": whole,
        "limit": {"type": "integer", "default": 20, "minimum": 1, "maximum": 200},
    }]);
    tools["define_column"] = json!([["name"], {
        "name": string,
        "question": string,
        "pattern": string,
        "type": {"type": "string", "enum": ["text", "date", "duration", "amount"], "default": "text"},
        "remove": {"type": "boolean", "default": false},
    }]);
    let folder = &mut tools["ingest_folder"][1];
    folder["tags_from_folders"] = json!({"type": "boolean", "default": false});
    folder["tags_csv"] = string.clone();
    let search = &mut tools["search_documents"][1];
    search["offset"]["maximum"] = json!(10_000_000);
    for option in ["count_only", "brief"] {
        search[option] = json!({"type": "boolean", "default": false});
    }
    search["collections"] = optional_strings;
    search["per_document"] = json!({"type": "integer", "minimum": 1, "maximum": 3});
    (search["tag"], search["field"]) = (string.clone(), string.clone());
    tools["list_documents"][1]["tag"] = string;
}
