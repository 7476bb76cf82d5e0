//! The parameters of the space browser, as its contract has them, and those of our own.

use serde_json::{Value, json};

pub fn add(tools: &mut Value) {
    let string = json!({"type": "string"});
    let yes = json!({"type": "boolean", "default": true});
    let no = json!({"type": "boolean", "default": false});
    let named = json!([["name"], {"name": string}]);
    let natural = json!({"type": "integer", "minimum": 0});
    let limit = json!({"type": "integer", "default": 100, "minimum": 1, "maximum": 1000});
    let offset = json!({"type": "integer", "default": 0, "minimum": 0});
    let deep = json!({"type": ["integer", "null"], "default": 1, "minimum": 0});
    let object = json!({"type": "object", "additionalProperties": true});
    let objects = json!({"type": "array", "items": object});
    let text = |default: &str| json!({"type": "string", "default": default});
    let job = json!([["jobId"], {"jobId": string}]);
    let edge = json!([["child", "parent"], {"parent": string, "child": string}]);
    let space = json!({
        "index": [["root"], {"root": string, "async": yes, "force": no, "maxAge": {"type": "number", "default": 3600.0}}],
        "job-progress": job,
        "list-jobs": [[], {"activeOnly": no, "status": string, "minProgress": {"type": "number"}, "maxProgress": {"type": "number"},
            "limit": {"type": "number", "default": 50.0}}],
        "cancel-job": job,
        "resource-children": [["name"], {"name": string, "depth": deep, "include_entries": no}],
        "resource-parent": [["name"], {"name": string, "depth": deep}],
        "resource-sum": [["metric", "name"], {"name": string, "metric": string, "include_children": yes,
            "depth": {"type": ["integer", "null"], "default": null, "minimum": 0}}],
        "resource-time-range": [["field", "name"], {"name": string, "field": string, "min": string, "max": string,
            "include_children": yes, "limit": limit, "offset": offset}],
        "resource-metric-range": [["metric", "name"], {"name": string, "metric": string, "min": natural, "max": natural,
            "include_children": yes, "limit": limit, "offset": offset}],
        "resource-is": [["field", "name", "value"], {"name": string, "field": string, "value": string, "include_children": yes,
            "limit": limit, "offset": offset}],
        "resource-fuzzy-match": [["field", "name", "pattern"], {"name": string, "field": string, "pattern": string,
            "mode": text("contains"), "case_sensitive": no, "include_children": yes, "limit": limit, "offset": offset}],
        "resource-search": [["name"], {"name": string, "include_children": no, "kind": string, "extension": string,
            "path_contains": string, "name_contains": string, "min_size": natural, "max_size": natural, "min_mtime": string,
            "max_mtime": string, "limit": limit, "offset": offset, "sort_by": text("size"), "sort_desc": yes, "save_as": string}],
        "resource-set-create": [["name"], {"name": string, "description": string}],
        "resource-set-list": [[], {}],
        "resource-set-get": [["name"], {"name": string, "include_entries": no, "limit": limit, "offset": offset}],
        "resource-set-modify": [["name", "operation", "paths"], {"name": string, "operation": string,
            "paths": {"type": "array", "items": string}}],
        "resource-set-delete": named,
        "resource-set-add-child": edge,
        "resource-set-remove-child": edge,
        "source-create": [["config", "name", "target_set", "type"], {"name": string, "type": string, "target_set": string,
            "config": object, "update_mode": text("append")}],
        "source-start": named,
        "source-stop": named,
        "source-execute": named,
        "source-list": [[], {}],
        "source-get": named,
        "source-delete": named,
        "plan-create": [["name", "sources"], {"name": string, "description": string, "mode": text("oneshot"), "sources": objects,
            "conditions": object, "outcomes": objects}],
        "plan-execute": named,
        "plan-list": [[], {}],
        "plan-get": [["name"], {"name": string, "include_executions": yes,
            "execution_limit": {"type": "integer", "default": 10, "minimum": 1, "maximum": 1000}}],
        "plan-update": [["name"], {"name": string, "description": {"type": ["string", "null"]}, "mode": string, "status": string,
            "sources": objects, "conditions": {"type": ["object", "null"], "additionalProperties": true},
            "outcomes": {"type": ["array", "null"], "items": object}}],
        "plan-delete": named,
        "rerun-classifier": [["sourcePath"], {"sourcePath": string, "operations": {"type": "array", "items": string, "default": []}}],
        "classifier-job-progress": [["jobId"], {"jobId": {"type": "integer"}}],
        "session-info": [[], {}],
        "disk_usage": [["path"], {"path": string, "depth": {"type": "integer", "default": 2, "minimum": 1, "maximum": 10},
            "top": {"type": "integer", "default": 10, "minimum": 1, "maximum": 100}, "metric": text("size")}],
        "find_duplicates": [["path"], {"path": string, "min_size": {"type": "integer", "default": 1, "minimum": 0}, "limit": limit}],
    });
    assert_eq!(space.as_object().map(serde_json::Map::len), Some(37));
    tools.as_object_mut().unwrap().extend(space.as_object().unwrap().clone());
}
