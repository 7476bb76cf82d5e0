//! The part of JSON Schema that the tools' schemas use. A keyword it does not know is a panic, not a pass.

use serde_json::Value;

/// The errors of `value`, each with its path.
pub fn problems(schema: &Value, value: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    check(schema, schema, value, "$", &mut problems);
    problems
}

fn check(root: &Value, schema: &Value, value: &Value, path: &str, problems: &mut Vec<String>) {
    let Value::Object(keywords) = schema else {
        assert_eq!(*schema, Value::Bool(true), "at {path}");
        return;
    };
    for (keyword, wanted) in keywords {
        match keyword.as_str() {
            "$defs" | "$schema" | "description" | "title" | "default" | "format" => {}
            "$ref" => {
                let pointer = wanted.as_str().unwrap().trim_start_matches('#');
                check(root, root.pointer(pointer).unwrap(), value, path, problems);
            }
            "type" => {
                let wanted = wanted.as_array().cloned().unwrap_or_else(|| vec![wanted.clone()]);
                if !wanted.iter().any(|kind| is_a(value, kind.as_str().unwrap())) {
                    problems.push(format!("{path} is {value}, not {wanted:?}"));
                }
            }
            "enum" if !wanted.as_array().unwrap().contains(value) => {
                problems.push(format!("{path} is {value}, not one of {wanted}"));
            }
            "const" if wanted != value => problems.push(format!("{path} is {value}, not {wanted}")),
            "enum" | "const" => {}
            "anyOf" | "oneOf" => {
                let fits = wanted.as_array().unwrap().iter().any(|one| {
                    let mut inner = Vec::new();
                    check(root, one, value, path, &mut inner);
                    inner.is_empty()
                });
                if !fits {
                    problems.push(format!("{path} is {value}, which fits none of {wanted}"));
                }
            }
            "allOf" => {
                wanted.as_array().unwrap().iter().for_each(|one| check(root, one, value, path, problems));
            }
            "required" => {
                for name in wanted.as_array().unwrap() {
                    if value.is_object() && value.get(name.as_str().unwrap()).is_none() {
                        problems.push(format!("{path} lacks {name}"));
                    }
                }
            }
            "properties" => {
                for (name, one) in wanted.as_object().unwrap() {
                    if let Some(inner) = value.get(name) {
                        check(root, one, inner, &format!("{path}.{name}"), problems);
                    }
                }
            }
            "additionalProperties" | "unevaluatedProperties" => {
                let known = keywords.get("properties").and_then(Value::as_object);
                if *wanted == Value::Bool(false)
                    && let Some(value) = value.as_object()
                {
                    let unknown = value.keys().filter(|name| known.is_none_or(|known| !known.contains_key(*name)));
                    problems.extend(unknown.map(|name| format!("{path} has {name}, which is not declared")));
                }
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, wanted, item, &format!("{path}[{i}]"), problems);
                }
            }
            "minimum" if value.is_number() && value.as_f64() < wanted.as_f64() => {
                problems.push(format!("{path} is {value}, below {wanted}"))
            }
            "maximum" if value.is_number() && value.as_f64() > wanted.as_f64() => {
                problems.push(format!("{path} is {value}, above {wanted}"))
            }
            "minimum" | "maximum" => {}
            "maxItems" | "minItems" => {
                let length = value.as_array().map_or(0, Vec::len) as u64;
                let wanted = wanted.as_u64().unwrap();
                if value.is_array() && (if keyword == "maxItems" { length > wanted } else { length < wanted }) {
                    problems.push(format!("{path} has {length} items; {keyword} is {wanted}"));
                }
            }
            unknown => panic!("{unknown} at {path}: teach this check the keyword"),
        }
    }
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => panic!("unknown type {kind}"),
    }
}

#[test]
fn the_check_itself_finds_faults() {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {"a": {"type": ["integer", "null"], "minimum": 1}, "b": {"items": {"$ref": "#/$defs/x"}}},
        "required": ["a"],
        "additionalProperties": false,
        "$defs": {"x": {"enum": ["y", "z"]}}
    });
    assert!(problems(&schema, &serde_json::json!({"a": null, "b": ["y"]})).is_empty());
    for faulty in ["{}", r#"{"a": 0}"#, r#"{"a": "1"}"#, r#"{"a": 1, "b": ["x"]}"#, r#"{"a": 1, "c": 1}"#] {
        assert_eq!(problems(&schema, &serde_json::from_str(faulty).unwrap()).len(), 1, "{faulty}");
    }
}
