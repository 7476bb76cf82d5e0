//! A check of answers against their schemas.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::answer::json as structured;
use crate::schema::{self, JsonObject};

/// Checks the structured form of a response against the schema of its type, and that the schema is strict enough to notice
/// when a field is missing.
pub fn follows<R: Serialize + JsonSchema>(response: &R) -> Value {
    let schema = Value::Object(schema::response::<R>());
    let sent = structured(response).unwrap();
    check(&schema, &sent, "$").unwrap();
    let mut incomplete = sent.clone();
    let (removed, _) = incomplete.as_object_mut().unwrap().pop_required(&schema);
    assert!(check(&schema, &incomplete, "$").is_err(), "{removed} may be missing");
    sent
}

trait PopRequired {
    fn pop_required(&mut self, schema: &Value) -> (String, Value);
}

impl PopRequired for JsonObject {
    fn pop_required(&mut self, schema: &Value) -> (String, Value) {
        let name = schema["required"][0].as_str().unwrap();
        self.remove_entry(name).unwrap()
    }
}

/// The part of JSON Schema that the output schemas use.
fn check(schema: &Value, value: &Value, at: &str) -> std::result::Result<(), String> {
    if let Some(branches) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
        return match branches.iter().any(|branch| check(branch, value, at).is_ok()) {
            true => Ok(()),
            false => Err(format!("{at}: {value} fits none of {branches:?}")),
        };
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed: Vec<&str> = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    };
    if !(allowed.contains(&kind) || kind == "integer" && allowed.contains(&"number")) {
        return Err(format!("{at}: {value} is not one of {allowed:?}"));
    }
    for fixed in ["const", "enum"] {
        match schema.get(fixed) {
            Some(Value::Array(values)) if !values.contains(value) => return Err(format!("{at}: {value}")),
            Some(Value::String(_)) if schema.get(fixed) != Some(value) => return Err(format!("{at}: {value}")),
            _ => {}
        }
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        values.iter().enumerate().try_for_each(|(i, item)| check(items, item, &format!("{at}[{i}]")))?;
    }
    if let Some(object) = value.as_object() {
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        if let Some(missing) = required.clone().find(|name| !object.contains_key(*name)) {
            return Err(format!("{at}: {missing} is missing"));
        }
        for (name, member) in object {
            let property = schema["properties"].get(name).ok_or_else(|| format!("{at}: {name} is not described"))?;
            check(property, member, &format!("{at}.{name}"))?;
        }
    }
    Ok(())
}
